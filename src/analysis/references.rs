//! Array references as affine functions of the loop variables, gathered into streams: references
//! to one array that differ by integer constants only (static.md section 2).

use std::collections::BTreeSet;

use super::delinearise::delinearise;
use super::facts::{Access, AccessClass, Block, Item, Stream, Subscript};
use super::moving;
use super::symbolic::{Known, Symbols, variables_of};
use crate::expr::Expr;
use crate::ir::text::type_text;
use crate::ir::{Value, VarId};
use crate::source::Language;

/// A subscript with its integer offset, and why it is not affine if it is not.
struct Dimension {
    subscript: Subscript,
    offset: i64,
}

/// A subscript may depend on this many branches.
const CHOICE_LIMIT: usize = 3;

/// Records one reference in `streams`. Returns the reasons why it is not fully understood.
///
/// Where an index depends on which way branches went, the reference is one access at one of several
/// offsets: it is counted at the first of them.
pub fn record(
    streams: &mut Vec<Stream>,
    symbols: &mut Symbols,
    array: VarId,
    subscripts: &[Value],
    class: AccessClass,
) -> Vec<(&'static str, String)> {
    let mut reasons = Vec::new();
    let mut found = Vec::new();
    alternatives(symbols, array, subscripts, class, &mut found, &mut reasons);
    for (at, mut stream) in found.into_iter().enumerate() {
        if at > 0 {
            stream.accesses.iter_mut().for_each(|access| (access.reads, access.writes) = (0, 0));
        }
        merge(streams, stream);
    }
    reasons
}

/// The reference for every way that branches can have gone.
fn alternatives(
    symbols: &mut Symbols,
    array: VarId,
    subscripts: &[Value],
    class: AccessClass,
    found: &mut Vec<Stream>,
    reasons: &mut Vec<(&'static str, String)>,
) {
    symbols.open_choice = None;
    let mut remarks = Vec::new();
    let stream = stream(symbols, array, subscripts, class, &mut remarks);
    match symbols.open_choice.take() {
        Some(branch) if symbols.choices.len() < CHOICE_LIMIT => {
            for taken in [true, false] {
                symbols.choices.insert(branch, taken);
                alternatives(symbols, array, subscripts, class, found, reasons);
            }
            symbols.choices.remove(&branch);
        }
        open => {
            if open.is_some() {
                remarks.push(("varying_subscript", symbols.text(&Value::Variable(array))));
            }
            reasons.extend(remarks.into_iter().filter(|remark| !reasons.contains(remark)).collect::<Vec<_>>());
            found.push(stream);
        }
    }
}

fn stream(
    symbols: &mut Symbols,
    array: VarId,
    subscripts: &[Value],
    class: AccessClass,
    reasons: &mut Vec<(&'static str, String)>,
) -> Stream {
    let variable = symbols.function.variable(array);
    // Fortran assigns to arrays and strings by name; only in C the name is a pointer that moves.
    let base_moves = symbols.language == Language::C && symbols.known.contains_key(&array);
    let mut dimensions: Vec<Dimension> = subscripts.iter().map(|s| dimension(symbols, s, reasons)).collect();
    if base_moves {
        reasons.push(("pointer_moves", format!("`{}` is assigned inside the loops", variable.name)));
        for dimension in &mut dimensions {
            dimension.subscript.gather.get_or_insert_with(|| "moving pointer".to_string());
        }
    }
    if let [only] = dimensions.as_slice()
        && only.subscript.gather.is_none()
        && let Some(found) = delinearise(&only.subscript, only.offset)
    {
        dimensions = found.into_iter().map(|(subscript, offset)| Dimension { subscript, offset }).collect();
    }
    let bytes = variable.ty.bytes();
    if bytes.is_none() {
        reasons.push(("unknown_type", format!("`{}` has no known type", variable.name)));
    }
    let (offsets, subscripts): (Vec<i64>, Vec<Subscript>) =
        dimensions.into_iter().map(|d| (d.offset, d.subscript)).unzip();
    let rank = subscripts.len();
    let declared = if rank == variable.dimensions.len() { variable.dimensions.as_slice() } else { &[] };
    let extents = (0..rank).map(|d| {
        let extent = declared.get(d)?;
        let lower = symbols.expression(extent.lower.as_ref()?)?;
        Some((lower, symbols.expression(extent.upper.as_ref()?)?))
    });
    Stream {
        array: variable.name.clone(),
        component: String::new(),
        ty: type_text(&variable.ty),
        element_bytes: bytes,
        class,
        extents: extents.collect(),
        subscripts,
        accesses: vec![access(offsets, class)],
    }
}

fn access(offset: Vec<i64>, class: AccessClass) -> Access {
    let writes = u64::from(class == AccessClass::WriteOnly);
    Access { offset, reads: 1 - writes, writes }
}

/// Adds a stream to others: one with the same array, component and subscripts absorbs it.
pub fn merge(streams: &mut Vec<Stream>, later: Stream) {
    let same =
        |s: &Stream| s.array == later.array && s.component == later.component && s.subscripts == later.subscripts;
    let Some(stream) = streams.iter_mut().find(|s| same(s)) else {
        streams.push(later);
        return;
    };
    stream.class = stream.class.then(later.class);
    for access in later.accesses {
        match stream.accesses.iter_mut().find(|a| a.offset == access.offset) {
            Some(known) => {
                known.reads += access.reads;
                known.writes += access.writes;
            }
            None => stream.accesses.push(access),
        }
    }
}

fn dimension(symbols: &mut Symbols, value: &Value, reasons: &mut Vec<(&'static str, String)>) -> Dimension {
    let text = symbols.text(value);
    let gathered = |text: String| Dimension {
        subscript: Subscript { terms: Vec::new(), base: Expr::from(0.0), gather: Some(text) },
        offset: 0,
    };
    if let Value::Opaque { reason, .. } = value {
        reasons.push((reason.code, reason.detail.clone()));
        return gathered(text);
    }
    symbols.may_move = true;
    let expression = symbols.expression(value);
    symbols.may_move = false;
    let Some(expr) = expression else {
        // An index that is loaded or decided while the loop runs is understood as a gather.
        if !is_loaded(symbols, value) && !is_decided_in_loop(symbols, value) {
            reasons.push(("varying_subscript", text.clone()));
        }
        return gathered(text);
    };
    let names: Vec<&str> = symbols.levels.iter().map(|level| level.counter.as_str()).collect();
    let units: Vec<&str> =
        symbols.levels.iter().filter(|level| level.has_unit_step).map(|level| level.counter.as_str()).collect();
    let found = affine(&expr, &names).or_else(|| {
        let inside = moving::without_clamps(&expr, &names, &units);
        affine(&inside, &names).or_else(|| moving::partly_affine(&inside, &names))
    });
    match found {
        Some((subscript, offset)) => Dimension { subscript, offset },
        None => {
            reasons.push(("non_affine_subscript", text.clone()));
            gathered(text)
        }
    }
}

/// Whether a value depends on a variable that every iteration gives another value, without a pattern.
fn is_decided_in_loop(symbols: &Symbols, value: &Value) -> bool {
    let mut used = BTreeSet::new();
    variables_of(value, &mut used);
    used.iter().any(|id| matches!(symbols.known.get(id), Some(Known::Changes { .. })))
}

/// The subscript that an expression in the variables of the nest (outermost first) is, and its
/// integer offset; `None` if it is not affine.
pub(crate) fn affine(expr: &Expr, loops: &[&str]) -> Option<(Subscript, i64)> {
    let linear = expr.linear_in(loops)?;
    let (base, offset) = split_integer(&linear.rest.expand());
    let terms = (loops.iter().zip(linear.coefficients))
        .filter(|(_, coefficient)| !coefficient.is_zero())
        .map(|(name, coefficient)| (name.to_string(), coefficient));
    Some((Subscript { terms: terms.collect(), base, gather: None }, offset))
}

/// Whether a value that has no expression comes from an array: an indirect subscript.
pub(super) fn is_loaded(symbols: &Symbols, value: &Value) -> bool {
    let again = |v: &Value| is_loaded(symbols, v);
    match value {
        Value::Element { .. } => true,
        Value::Variable(id) => matches!(symbols.known.get(id), Some(Known::Changes { loaded: true, .. })),
        Value::Unary(_, operand) | Value::Convert(_, operand) => again(operand),
        Value::Binary(_, left, right) => again(left) || again(right),
        Value::Call { arguments, .. } => arguments.iter().any(again),
        Value::Select(a, b, c) => [a, b, c].into_iter().any(|v| again(v)),
        _ => false,
    }
}

/// The expression without its integer constant, and that constant.
pub fn split_integer(expr: &Expr) -> (Expr, i64) {
    use crate::expr::Node;
    let constant = match expr.node() {
        Node::Number(_) => expr.as_integer(),
        Node::Sum(items) => items.last().and_then(Expr::as_integer),
        _ => None,
    };
    match constant {
        Some(n) => (expr.clone() - n as f64, n),
        None => (expr.clone(), 0),
    }
}

/// Makes a component of the last subscript of every array of rank two or more whose last subscript
/// stays the same in the whole nest, in all references; `root` is an outermost loop's block.
pub fn split_components(root: &mut Block) {
    let mut candidates: Vec<(String, bool)> = Vec::new();
    visit(root, &mut |block| {
        for stream in &block.streams {
            let varies_elsewhere = stream.subscripts.iter().rev().skip(1).any(|s| !s.is_invariant());
            let constant = stream.subscripts.len() >= 2
                && stream.subscripts.last().is_some_and(Subscript::is_invariant)
                && varies_elsewhere;
            match candidates.iter_mut().find(|(name, _)| *name == stream.array) {
                Some((_, all)) => *all &= constant,
                None => candidates.push((stream.array.clone(), constant)),
            }
        }
    });
    let arrays: Vec<String> = candidates.into_iter().filter(|(_, all)| *all).map(|(name, _)| name).collect();
    visit(root, &mut |block| {
        let mut split = Vec::new();
        for stream in std::mem::take(&mut block.streams) {
            if arrays.contains(&stream.array) {
                by_component(stream).into_iter().for_each(|part| merge(&mut split, part));
            } else {
                split.push(stream);
            }
        }
        block.streams = split;
    });
}

fn by_component(mut stream: Stream) -> Vec<Stream> {
    let Some(last) = stream.subscripts.pop() else { return vec![stream] };
    stream.extents.pop();
    let mut parts: Vec<Stream> = Vec::new();
    for mut access in std::mem::take(&mut stream.accesses) {
        let offset = access.offset.pop().unwrap_or(0);
        let component = (last.base.clone() + offset as f64).to_string();
        let class = match (access.reads > 0, access.writes > 0) {
            (true, true) => stream.class,
            (true, false) => AccessClass::ReadOnly,
            (false, true) => AccessClass::WriteOnly,
            // One of several places that a reference may go to.
            (false, false) => stream.class,
        };
        match parts.iter_mut().find(|part| part.component == component) {
            Some(part) => {
                part.accesses.push(access);
                // The order of references to different components is not kept; a component that
                // is both read and written takes the class of the whole.
                part.class = if part.class == class { class } else { stream.class };
            }
            None => parts.push(Stream { component, class, accesses: vec![access], ..stream.clone() }),
        }
    }
    parts
}

fn visit(block: &mut Block, action: &mut dyn FnMut(&mut Block)) {
    action(block);
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => visit(&mut inner.body, action),
            Item::Branch(branch) => {
                visit(&mut branch.then, action);
                branch.otherwise.iter_mut().for_each(|block| visit(block, action));
            }
        }
    }
}
