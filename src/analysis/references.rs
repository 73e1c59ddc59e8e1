//! Array references as affine functions of the loop variables, gathered into streams: references
//! to one array that differ by integer constants only (guide: static-model, "Streams and
//! stencils").

use std::collections::BTreeSet;

use super::clamps::{Clamps, Held};
use super::counted_loop::Counted;
use super::delinearise::{Recovered, delinearise, multiple_in};
use super::dimension::{Dimension, affine, split_integer};
use super::facts::{Access, AccessClass, Block, Component, Gather, Item, Stream, Subscript};
use super::gathers;
use super::loaded::is_loaded;
use super::member_dimensions::{Led, behind_elements, in_structure};
use super::moving::partly_affine;
use super::packed::pack;
use super::symbols::{Known, Symbols};
use super::wrapped::without_wraps;
use crate::expr::{Expr, Symbol};
use crate::ir::visit::variables_of;
use crate::ir::{
    BinaryOp, ConstantOrigin, ElementType, Extent, MemberLayout, Name, Role, Sign, Step, Type,
    Value, VarId, pointed_dimensions,
};
use crate::reason::ReasonCode;

/// Records one reference in `streams`; subscripts that C leaves out are those behind a pointer that is an element
/// itself. Returns the reasons why it is not fully understood.
///
/// Where an index depends on which way branches went, the reference is one access at one of several
/// offsets: it is counted at the first of them.
pub fn record(
    streams: &mut Vec<Stream>,
    symbols: &mut Symbols,
    array: VarId,
    subscripts: &[Value],
    class: AccessClass,
) -> Vec<(ReasonCode, String)> {
    let pointed = if symbols.function.conventions.has_pointers() {
        pointed_dimensions(subscripts)
    } else {
        None
    };
    let selected = &subscripts[pointed.unwrap_or(0)..];
    let mut reasons = Vec::new();
    let found = symbols.each_way(subscripts, |symbols| {
        stream(symbols, array, (pointed, selected), class, &mut reasons)
    });
    for (at, (_, mut stream)) in found.into_iter().enumerate() {
        if at > 0 {
            stream
                .accesses
                .iter_mut()
                .for_each(|access| (access.reads, access.writes) = (0, 0));
        }
        merge(streams, stream);
    }
    reasons
}

/// The same of a pointer that is a member of a structure: `p->next` itself, not what it leads to.
pub fn record_pointer(
    streams: &mut Vec<Stream>,
    symbols: &mut Symbols,
    pointer: VarId,
    class: AccessClass,
) -> Vec<(ReasonCode, String)> {
    let behind = symbols.function.variable(pointer).dimensions.len();
    let mut reasons = Vec::new();
    let found = stream(symbols, pointer, (Some(behind), &[]), class, &mut reasons);
    merge(streams, found);
    reasons
}

/// The stream of an element with these subscripts, of a pointer to so many dimensions if it is one.
fn stream(
    symbols: &mut Symbols,
    array: VarId,
    (pointed, subscripts): (Option<usize>, &[Value]),
    class: AccessClass,
    reasons: &mut Vec<(ReasonCode, String)>,
) -> Stream {
    let Place {
        array,
        name,
        mut dimensions,
    } = place(symbols, array, subscripts, reasons);
    let held = dimensions
        .iter_mut()
        .flat_map(|one| std::mem::take(&mut one.held));
    let held = held.collect();
    let variable = symbols.function.variable(array);
    let flattened = match dimensions.as_slice() {
        [only] if only.subscript.gather.is_none() => delinearise(&only.subscript, only.offset),
        _ => None,
    };
    let is_flattened = flattened.is_some();
    let mut extents = match &flattened {
        Some(found) => {
            let upper = |r: &Recovered| {
                r.extent
                    .clone()
                    .map(|extent| (Expr::from(0.0), extent - Expr::from(1.0)))
            };
            let mut extents: Vec<_> = found.iter().map(upper).collect();
            if let Some(last) = extents.last_mut() {
                *last = rows_of(symbols, &variable.dimensions, found);
            }
            extents
        }
        None => extents(
            symbols,
            &variable.dimensions[pointed.unwrap_or(0).min(variable.dimensions.len())..],
            dimensions.len(),
        ),
    };
    if let ([.., last], [.., index], true) = (
        dimensions.as_slice(),
        subscripts,
        dimensions.len() == subscripts.len(),
    ) && last.subscript.gather.is_some()
        && let Some(extent) = extents.last_mut().filter(|extent| extent.is_none())
    {
        *extent = range_of(symbols, index);
    }
    if let Some(found) = flattened {
        dimensions = recovered(found);
    } else {
        carry(&mut dimensions, &extents);
    }
    let (mut ty, bytes) = match pointed {
        Some(_) => (ElementType::Pointer, ElementType::Pointer.bytes()),
        None => (ElementType::from(&variable.ty), variable.ty.bytes()),
    };
    let (mut name, mut dimensions) = (name, dimensions);
    let layout = symbols.function.layout_of(array, pointed.unwrap_or(0));
    let layout = layout.map(|layout| (layout, led_to_by(&name, layout)));
    if let Some(layout) = layout {
        behind_elements(symbols, layout, &name, (&mut dimensions, &mut extents));
    }
    if let (Some(layout), Some(bytes)) = (layout, bytes)
        && in_structure(symbols, layout, bytes, &mut dimensions, &mut extents)
    {
        name = name.without_last(layout.0.steps);
        if ty == ElementType::Pointer {
            ty = ElementType::Integer(bytes);
        }
    }
    let varies = |d: &Dimension| !d.subscript.is_invariant();
    if layout.is_some_and(|(layout, _)| layout.record_bytes == 0) && dimensions.iter().any(varies) {
        reasons.push((
            ReasonCode::UnknownLayout,
            format!("how far apart the structures of `{}` lie", variable.name),
        ));
    }
    if bytes.is_none() {
        reasons.push((
            ReasonCode::UnknownType,
            format!("`{}` has no known type", variable.name),
        ));
    }
    if is_flattened {
        symbols.flattened.insert(name.clone());
    }
    let (offsets, subscripts): (Vec<i64>, Vec<Subscript>) = dimensions
        .into_iter()
        .map(|d| (d.offset, d.subscript))
        .unzip();
    Stream {
        array: name,
        component: Component::default(),
        ty,
        element_bytes: bytes,
        class,
        extents,
        subscripts,
        accesses: vec![access(offsets, class)],
        held,
    }
}

/// What leads to the structure that a member is in, where something is subscripted: `p[i].x` is in an element of an array,
/// `p[i]->x` behind one.
fn led_to_by(name: &Name, layout: &MemberLayout) -> Led {
    let inside = name.len_of_way() - layout.steps.min(name.len_of_way());
    match name.steps().nth(inside) {
        Some((Step::Target, _)) => Led::ByPointer,
        _ => Led::BySubscript,
    }
}

fn recovered(found: Vec<Recovered>) -> Vec<Dimension> {
    let dimension = |one: Recovered| Dimension {
        subscript: one.subscript,
        offset: one.offset,
        held: Vec::new(),
    };
    found.into_iter().map(dimension).collect()
}

/// Whole rows and planes in the first subscript belong to the dimensions behind it: `row[i + nx]` of a pointer to a row.
fn carry(dimensions: &mut [Dimension], extents: &[Option<(Expr, Expr)>]) {
    let Some((row, outer)) = dimensions.split_first_mut() else {
        return;
    };
    // One that does not move, or backwards, may begin at the end of its row.
    let is_forward = |(_, by): &(String, Expr)| by.as_number().is_some_and(|by| by > 0.0);
    let moves = !row.subscript.terms.is_empty() && row.subscript.terms.iter().all(is_forward);
    if !moves || row.subscript.gather.is_some() {
        return;
    }
    let length = |extent: &Option<(Expr, Expr)>| {
        extent
            .as_ref()
            .map(|(first, last)| (last - first + 1.0).expand())
    };
    let strides = extents.iter().scan(Expr::from(1.0), |stride, extent| {
        *stride = (stride.clone() * length(extent)?).expand();
        Some(stride.clone())
    });
    let mut strides: Vec<(Expr, &mut Dimension)> = strides.zip(outer).collect();
    for (stride, dimension) in strides
        .iter_mut()
        .rev()
        .filter(|(_, dimension)| dimension.subscript.gather.is_none())
    {
        let times = match stride.as_integer() {
            Some(stride) if stride > 0 => row.offset / stride,
            Some(_) => 0,
            None => multiple_in(&row.subscript.base, stride),
        };
        let (base, offset) =
            split_integer(&(&row.subscript.base - &(stride.clone() * times as f64)).expand());
        row.subscript.base = base;
        row.offset += offset;
        dimension.offset += times;
    }
}

/// How often the longest stride of a flattened array fits what its one dimension declares.
fn rows_of(
    symbols: &mut Symbols,
    declared: &[Extent],
    found: &[Recovered],
) -> Option<(Expr, Expr)> {
    let [
        Extent {
            lower: Some(lower),
            upper: Some(upper),
        },
    ] = declared
    else {
        return None;
    };
    let length = symbols.expression(upper)? - symbols.expression(lower)? + 1.0;
    let strides = found.iter().filter_map(|r| r.extent.clone());
    let stride = strides.fold(Expr::from(1.0), |stride, extent| stride * extent);
    Some((
        Expr::from(0.0),
        length.expand().quotient(stride.expand()) - 1.0,
    ))
}

/// Declared extents, if the reference has as many dimensions as the declaration.
fn extents(symbols: &mut Symbols, declared: &[Extent], rank: usize) -> Vec<Option<(Expr, Expr)>> {
    let declared = if rank == declared.len() {
        declared
    } else {
        &[]
    };
    let extent = |d: usize| {
        let extent = declared.get(d)?;
        let lower = symbols.expression(extent.lower.as_ref()?)?;
        Some((lower, symbols.expression(extent.upper.as_ref()?)?))
    };
    (0..rank).map(extent).collect()
}

/// The values that an index of unknown value may have at all: those of a byte, or a remainder.
fn range_of(symbols: &mut Symbols, index: &Value) -> Option<(Expr, Expr)> {
    let of_byte = |ty: &Type| match ty {
        Type::Integer(1, Sign::Unsigned) => Some((0, 255)),
        Type::Integer(1, Sign::Signed) => Some((-128, 127)),
        _ => None,
    };
    let ends = |(first, last): (i64, i64)| (Expr::from(first), Expr::from(last));
    if let Some(byte) = of_byte(&index.ty(symbols.function)) {
        return Some(ends(byte));
    }
    match index {
        Value::Convert(_, inner) => range_of(symbols, inner),
        Value::Binary(BinaryOp::BitAnd, left, right) => {
            let mask = [left, right].into_iter().find_map(|side| match **side {
                Value::Integer(mask) => Some(mask),
                _ => None,
            });
            mask.filter(|mask| *mask >= 0).map(|mask| ends((0, mask)))
        }
        Value::Binary(BinaryOp::Remainder, _, divisor) => {
            Some((Expr::from(0.0), symbols.expression(divisor)? - 1.0))
        }
        _ => None,
    }
}

/// An element of an array after pointers are followed.
struct Place {
    array: VarId,
    name: Name,
    dimensions: Vec<Dimension>,
}

/// Follows pointers to the array that a reference really goes to. A pointer that an outer loop sets
/// in a way that has no expression moves with that loop by an unknown stride.
fn place(
    symbols: &mut Symbols,
    array: VarId,
    subscripts: &[Value],
    reasons: &mut Vec<(ReasonCode, String)>,
) -> Place {
    let Followed {
        array,
        name,
        parts,
        pointer,
    } = follow(symbols, array, subscripts);
    let stride = match pointer {
        Some(MovingPointer { id, depth, .. }) => symbols.stride(id, depth),
        None => None,
    };
    let mut dimensions = Vec::new();
    for part in parts {
        dimensions.push(match part {
            Part::Given(value) => dimension(symbols, value, None, reasons),
            Part::Last(value, plus) => {
                dimension(symbols, value, plus.as_ref().or(stride.as_ref()), reasons)
            }
            Part::Of(expr) => affine_dimension(symbols, &expr, reasons),
        });
    }
    if let Some(MovingPointer { id, loaded, depth }) = pointer
        && stride.is_none()
    {
        if !loaded && !symbols.chased.contains(&id) {
            let pointer_name = &symbols.function.variable(id).name;
            reasons.push((
                ReasonCode::PointerMoves,
                format!("`{pointer_name}` is assigned inside the loops"),
            ));
        }
        for dimension in &mut dimensions {
            dimension.subscript.gather.get_or_insert_with(|| Gather {
                text: "moving pointer".to_string(),
                loops: Some(gathers::outermost(depth)),
                multiple: 1,
            });
        }
    }
    Place {
        array,
        name,
        dimensions,
    }
}

/// The array that a reference goes to, and what its subscripts are there.
pub(super) struct Followed<'v> {
    pub array: VarId,
    name: Name,
    pub parts: Vec<Part<'v>>,
    /// The pointer on the way that loops give values without an expression.
    pub pointer: Option<MovingPointer>,
}

pub(super) struct MovingPointer {
    id: VarId,
    depth: usize,
    pub loaded: bool,
}

/// One subscript.
pub(super) enum Part<'v> {
    Given(&'v Value),
    /// The one that a pointer is subscripted with, and where in its dimension that points.
    Last(&'v Value, Option<Expr>),
    /// Of a dimension outside of what the pointer points to.
    Of(Expr),
}

const FIRST: &Value = &Value::Integer(0);

/// Follows the pointers of a reference.
pub(super) fn follow<'v>(symbols: &Symbols, array: VarId, subscripts: &'v [Value]) -> Followed<'v> {
    let name = symbols.function.variable(array).name.clone();
    let root = symbols.roots.get(&array).copied();
    // Arrays and strings are assigned by name; only a pointer moves by that.
    let is_known = |id: &VarId| symbols.known.contains_key(id);
    let pointer = match symbols.known.get(&array) {
        Some(Known::Points(_)) => Some(array),
        // What the program stores in a member does not move the member.
        known => root.filter(is_known).or(symbols.chased_by(array)).or(known
            .filter(|_| symbols.function.conventions.has_pointers())
            .map(|_| array)),
    };
    let known = pointer.and_then(|id| symbols.known.get(&id).map(|known| (id, known)));
    let Some((pointer, known)) = known else {
        return Followed {
            array,
            name,
            parts: subscripts.iter().map(Part::Given).collect(),
            pointer: None,
        };
    };
    // `p->x` leaves out the subscript of `p`, `p[i].x` gives it last.
    let way = name.split().filter(|_| pointer != array);
    let way = way.map_or(Name::default(), |(_, way)| way);
    let gives_last = way.first_step() != Some(Step::Target) && !subscripts.is_empty();
    let (own, last) = subscripts.split_at(subscripts.len() - usize::from(gives_last));
    let mut parts: Vec<Part> = own.iter().map(Part::Given).collect();
    let last = last.first().unwrap_or(FIRST);
    let (mut array, mut name, mut moving) = (array, name, None);
    match known {
        Known::Points(address) => {
            let first = address.subscripts.first().cloned();
            parts.push(Part::Last(last, first));
            let outer = address.subscripts.iter().skip(1).cloned();
            parts.extend(outer.map(Part::Of));
            let base = symbols.function.variable(address.array).name.clone();
            if pointer == array {
                (array, name) = (address.array, base);
            } else {
                name = base.along(&way.by(Step::Member));
            }
        }
        Known::Changes { depth, loaded } => {
            parts.push(Part::Last(last, None));
            moving = Some(MovingPointer {
                id: pointer,
                depth: *depth,
                loaded: *loaded,
            });
        }
        Known::Is(_) | Known::OneOf(_) => parts.push(Part::Last(last, None)),
    }
    Followed {
        array,
        name,
        parts,
        pointer: moving,
    }
}

fn access(offset: Vec<i64>, class: AccessClass) -> Access {
    let writes = u64::from(class == AccessClass::WriteOnly);
    Access {
        offset,
        reads: 1 - writes,
        writes,
    }
}

/// Adds a stream to others: one with the same array, component and subscripts absorbs it.
pub fn merge(streams: &mut Vec<Stream>, later: Stream) {
    match streams.iter_mut().find(|known| is_same(known, &later)) {
        Some(known) => absorb(known, later),
        None => streams.push(later),
    }
}

/// Whether two streams have the same array, component and subscripts.
pub fn is_same(a: &Stream, b: &Stream) -> bool {
    a.array == b.array
        && a.component == b.component
        && a.subscripts == b.subscripts
        && a.held == b.held
        && a.has_shape_of(b)
}

/// Adds the accesses of a later stream of that kind to another one.
pub fn absorb(stream: &mut Stream, later: Stream) {
    stream.class = stream.class.then(later.class);
    for access in later.accesses {
        match stream
            .accesses
            .iter_mut()
            .find(|a| a.offset == access.offset)
        {
            Some(known) => {
                known.reads += access.reads;
                known.writes += access.writes;
            }
            None => stream.accesses.push(access),
        }
    }
}

/// A subscript, and what the pointer adds to it.
fn dimension(
    symbols: &mut Symbols,
    value: &Value,
    plus: Option<&Expr>,
    reasons: &mut Vec<(ReasonCode, String)>,
) -> Dimension {
    if let Some(reason) = value.reason() {
        reasons.push((reason.code, reason.detail));
        return Dimension::gathered(Gather::anywhere(symbols.text(value)));
    }
    // An index that a loop around has loaded chooses a place, too: it is no stride that is not known.
    symbols.may_move = !is_loaded(symbols, value);
    let expression = symbols.expression(value);
    symbols.may_move = false;
    let Some(expr) = expression else {
        // An index that is loaded or decided while the loop runs is understood as a gather.
        if !is_loaded(symbols, value) && !is_decided_in_loop(symbols, value) {
            reasons.push((ReasonCode::VaryingSubscript, symbols.text(value)));
        }
        return gathers::dimension(symbols, value, plus);
    };
    let expr = match plus {
        Some(plus) => expr + plus.clone(),
        None => expr,
    };
    affine_dimension(symbols, &with_enumerators(symbols, expr), reasons)
}

/// A subscript that loops move with the values of enumerators that are added to it, as they number the members of a record:
/// `f[6*cell + NORTH]`. One by which it is multiplied says how long something is, which may be set.
fn with_enumerators(symbols: &Symbols, expr: Expr) -> Expr {
    let mentions = |id: &VarId| expr.mentions(symbols.function.variable(*id).name.as_str());
    if !symbols.loops.iter().any(mentions) {
        return expr;
    }
    let value = |symbol: &Symbol| {
        let Some(Value::Variable(id)) = symbols.mentioned.get(symbol) else {
            return None;
        };
        let role = &symbols.function.variable(*id).role;
        let is_number = *role == Role::Constant(ConstantOrigin::Enumerator);
        let constant = symbols.constants.get(symbol).filter(|_| is_number)?;
        constant.value.as_integer()
    };
    let enumerators = expr.symbols().into_iter();
    let enumerators: Vec<(Symbol, i64)> = enumerators
        .filter_map(|symbol| Some((symbol.clone(), value(&symbol)?)))
        .collect();
    if enumerators.is_empty() {
        return expr;
    }
    let monomials = expr.expand().monomials();
    let is_added = |symbol: &Symbol| {
        let mut own = monomials.iter().flat_map(|(monomial, _)| {
            let is_alone = monomial.len() == 1;
            monomial.iter().map(move |part| (part, is_alone))
        });
        own.all(|((part, power), is_alone)| !part.mentions(symbol) || is_alone && *power == 1)
    };
    let known = |symbol: &Symbol| {
        let (_, value) = enumerators.iter().find(|(known, _)| known == symbol)?;
        is_added(symbol).then(|| Expr::from(*value as f64))
    };
    expr.substitute(&known)
}

fn affine_dimension(
    symbols: &Symbols,
    expr: &Expr,
    reasons: &mut Vec<(ReasonCode, String)>,
) -> Dimension {
    let names: Vec<&str> = symbols
        .loops
        .iter()
        .map(|id| symbols.function.variable(*id).name.as_str())
        .collect();
    let uneven = || {
        let evenly = symbols
            .levels
            .iter()
            .filter(|level| level.has_unit_step)
            .filter_map(|level| level.counter);
        let units: Vec<&str> = evenly
            .map(|id| symbols.function.variable(id).name.as_str())
            .collect();
        let around: Vec<&Counted> = symbols.levels.iter().map(|level| &level.counted).collect();
        let clamps = Clamps {
            loops: &names,
            units: &units,
            around: &around,
        };
        let Held { inside, ranges } = clamps.left_out(&without_wraps(expr, &around));
        let (subscript, offset) = affine(&inside, &names).or_else(|| {
            let mut found = partly_affine(&inside, &names)?;
            pack(&mut found.0, &inside, &around);
            Some(found)
        })?;
        Some((subscript, offset, ranges))
    };
    let plain = |(subscript, offset)| (subscript, offset, Vec::new());
    match affine(expr, &names).map(plain).or_else(uneven) {
        Some((subscript, offset, held)) => Dimension {
            subscript,
            offset,
            held,
        },
        None => {
            let text = expr.to_string();
            reasons.push((ReasonCode::NonAffineSubscript, text.clone()));
            Dimension::gathered(Gather::anywhere(text))
        }
    }
}

/// Whether a value depends on a variable that every iteration gives another value, without a pattern.
fn is_decided_in_loop(symbols: &Symbols, value: &Value) -> bool {
    let mut used = BTreeSet::new();
    variables_of(value, &mut used);
    used.iter().any(|id| {
        matches!(
            symbols.known.get(id),
            Some(Known::Changes { .. } | Known::OneOf(_))
        )
    })
}

/// Makes a component of the last subscript of every array of rank two or more whose last subscript
/// stays the same in the whole nest, in all references; `root` is an outermost loop's block.
pub fn split_components(root: &mut Block) {
    let mut candidates: Vec<(Name, bool)> = Vec::new();
    each_block(root, &mut |block| {
        for stream in &block.streams {
            let varies_elsewhere = stream
                .subscripts
                .iter()
                .rev()
                .skip(1)
                .any(|s| !s.is_invariant());
            let constant = stream.subscripts.len() >= 2
                && stream
                    .subscripts
                    .last()
                    .is_some_and(Subscript::is_invariant)
                && varies_elsewhere;
            match candidates
                .iter_mut()
                .find(|(name, _)| *name == stream.array)
            {
                Some((_, all)) => *all &= constant,
                None => candidates.push((stream.array.clone(), constant)),
            }
        }
    });
    let arrays: Vec<Name> = candidates
        .into_iter()
        .filter(|(_, all)| *all)
        .map(|(name, _)| name)
        .collect();
    each_block(root, &mut |block| {
        let mut split = Vec::new();
        for stream in std::mem::take(&mut block.streams) {
            if arrays.contains(&stream.array) {
                by_component(stream)
                    .into_iter()
                    .for_each(|part| merge(&mut split, part));
            } else {
                split.push(stream);
            }
        }
        block.streams = split;
    });
}

fn by_component(mut stream: Stream) -> Vec<Stream> {
    let Some(last) = stream.subscripts.pop() else {
        return vec![stream];
    };
    // Where the component begins follows from its own extent, too.
    if stream.extents.last() == Some(&None) {
        stream.extents.pop();
    }
    let mut parts: Vec<Stream> = Vec::new();
    for mut access in std::mem::take(&mut stream.accesses) {
        let offset = access.offset.pop().unwrap_or(0);
        let component = Component(vec![last.base.clone() + offset as f64]);
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
                part.class = if part.class == class {
                    class
                } else {
                    stream.class
                };
            }
            None => parts.push(Stream {
                component,
                class,
                accesses: vec![access],
                ..stream.clone()
            }),
        }
    }
    parts
}

/// A block and those inside it.
pub fn each_block(block: &mut Block, action: &mut dyn FnMut(&mut Block)) {
    action(block);
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => each_block(&mut inner.body, action),
            Item::Branch(branch) => {
                each_block(&mut branch.then, action);
                branch
                    .otherwise
                    .iter_mut()
                    .for_each(|block| each_block(block, action));
            }
        }
    }
}
