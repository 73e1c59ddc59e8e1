//! The elements without loops inside: files' diagnostics, constants, counts, scalars and calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::XmlError;
use super::fields::{Context, Fields};
use super::streams;
use super::tree::Element;
use strum::VariantNames;

use crate::analysis::facts::{self, *};
use crate::analysis::in_core::{Chain, ChainKind, Functions, Order, Steps};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::expr::{Expr, Symbol, SymbolKind};
use crate::ir::{ElementType, Name};
use crate::message_passing::InterfaceKind;
use crate::source::optimisation::Optimisation;

pub(super) fn diagnostic(fields: &Fields<'_>, file: &Arc<str>) -> Result<Diagnostic, XmlError> {
    let severity = fields.word("severity", Severity::parse, "note, warning, error")?;
    let diagnostic = Diagnostic {
        severity: severity.unwrap_or(Severity::Note),
        code: fields.required("code").and_then(|code| {
            let known: Result<DiagnosticCode, _> = code.parse();
            known.map_err(|_| fields.bad("code", "the code of a diagnostic"))
        })?,
        place: Place {
            file: fields.text("file").map_or_else(|| file.clone(), Arc::from),
            line: fields.number("line")?.unwrap_or(1),
            column: fields.number("column")?.unwrap_or(1),
        },
        width: fields.number("width")?.unwrap_or(1),
        message: fields.required("message")?.to_string(),
        help: fields.text("help").map(String::from),
    };
    fields.finish();
    Ok(diagnostic)
}

pub(super) fn constant(fields: &Fields<'_>) -> Result<Constant, XmlError> {
    let origins = Origin::ALL.map(Origin::as_str).join(", ");
    let value = fields
        .required("value")
        .and_then(|_| fields.expression("value"))?;
    let kinds = SymbolKind::ALL.map(SymbolKind::as_str).join(", ");
    let kind = fields.word("kind", SymbolKind::parse, &kinds)?;
    let kind = kind.unwrap_or_default();
    let constant = Constant {
        symbol: Symbol::new(kind, fields.required("name")?),
        value: value.unwrap_or_else(|| Expr::from(0.0)),
        origin: fields
            .word("origin", Origin::parse, &origins)?
            .unwrap_or(Origin::Constant),
    };
    fields.finish();
    Ok(constant)
}

/// How a function calls itself.
pub(super) fn recursion(fields: &Fields<'_>) -> Result<Recursion, XmlError> {
    let number = |name| {
        fields.required(name)?;
        Ok(fields.expression(name)?.unwrap_or_else(|| Expr::from(1.0)))
    };
    let [depth, size, most] = [number("depth")?, number("size")?, number("most")?];
    let end = |fields: &Fields<'_>| {
        let name = fields.required("name")?;
        fields.finish();
        Ok(Symbol::new(SymbolKind::Probability, name))
    };
    let children = fields.element.children.iter();
    let ends = children
        .filter(|child| child.name == "ls:end")
        .map(|child| end(&Fields::new(child, fields.context)))
        .collect::<Result<_, _>>()?;
    fields.finish();
    Ok(Recursion {
        depth,
        size,
        most,
        ends,
    })
}

/// A place of the program, with its symbol.
pub(super) fn place(fields: &Fields<'_>) -> Result<(Symbol, facts::Place), XmlError> {
    let origins = Origin::ALL.map(Origin::as_str).join(", ");
    let symbol = Symbol::new(SymbolKind::Place, fields.required("id")?);
    let place = facts::Place {
        name: fields.required("name")?.to_string(),
        file: fields.required("file")?.into(),
        line: fields.number("line")?.unwrap_or(1),
        is_constant: fields
            .word("constant", |text| text.parse().ok(), "true, false")?
            .unwrap_or_default(),
        is_real: fields
            .word("real", |text| text.parse().ok(), "true, false")?
            .unwrap_or_default(),
        decides: fields
            .word("decides", |text| text.parse().ok(), "true, false")?
            .unwrap_or_default(),
        changes: fields
            .word("changes", |text| text.parse().ok(), "true, false")?
            .unwrap_or_default(),
        is_table: fields
            .word("table", |text| text.parse().ok(), "true, false")?
            .unwrap_or_default(),
        value: fields.expression("value")?,
        smallest: fields.expression("smallest")?,
        guess: fields.number("guess")?,
        choices: choices(fields)?,
        origin: fields
            .word("origin", Origin::parse, &origins)?
            .unwrap_or(Origin::Default),
    };
    fields.finish();
    Ok((symbol, place))
}

/// Numbers with blanks between them.
fn choices(fields: &Fields<'_>) -> Result<Vec<f64>, XmlError> {
    let text = fields.text("choices").unwrap_or_default();
    let numbers = text.split_whitespace().map(|word| word.parse().ok());
    numbers
        .collect::<Option<Vec<f64>>>()
        .ok_or_else(|| fields.bad("choices", "numbers with blanks between them"))
}

/// The four counts of ExaSAT, of type `real8` unless `ls:operations` say more.
pub(super) fn flops(
    fields: &Fields<'_>,
    by_type: BTreeMap<ElementType, OperationCounts>,
) -> Result<Flops, XmlError> {
    let names = ["adds", "multiplies", "divides", "specials"];
    let mut given = [None; 4];
    for (count, name) in given.iter_mut().zip(names) {
        *count = fields.number(name)?;
    }
    let [adds, multiplies, divides, specials] = given.map(|count| count.unwrap_or(0));
    let simple = OperationCounts {
        adds,
        multiplies,
        divides,
        specials,
        ..Default::default()
    };
    let mut flops = Flops { by_type };
    if flops.by_type.is_empty() && simple != OperationCounts::default() {
        flops.by_type.insert(ElementType::Real(8), simple);
    }
    let totals = flops.total().values();
    for ((name, count), total) in names.into_iter().zip(given).zip(totals) {
        if count.is_some_and(|count| count != total) {
            let message = format!(
                "`{name}` of `<{}>` contradicts its `ls:operations`, which hold",
                fields.element.name
            );
            let help = "change both, or delete the `ls:operations`";
            fields.context.warn(
                DiagnosticCode::Contradiction,
                fields.at(name),
                message,
                help,
            );
        }
    }
    Ok(flops)
}

pub(super) fn operations(fields: &Fields<'_>) -> Result<OperationCounts, XmlError> {
    let mut values = [0; 9];
    for (value, name) in values.iter_mut().zip(OperationCounts::NAMES) {
        *value = fields.number(name)?.unwrap_or(0);
    }
    fields.finish();
    Ok(OperationCounts::from_values(values))
}

pub(super) fn reason(fields: &Fields<'_>) -> Result<Reason, XmlError> {
    let known = "a code of `loopsheet analyze --explain`";
    let code = fields.required("code")?.parse();
    let reason = Reason {
        code: code.map_err(|_| fields.bad("code", known))?,
        line: fields.number("line")?.unwrap_or(fields.line()),
        detail: fields.text("detail").unwrap_or("").to_string(),
    };
    fields.finish();
    Ok(reason)
}

/// What a statement sets behind so many items of its block.
pub(super) fn setting(fields: &Fields<'_>, position: usize) -> Result<Setting, XmlError> {
    let kinds = SettingKind::ALL.map(SettingKind::as_str).join(", ");
    fields.required("kind")?;
    let kind = fields
        .word("kind", SettingKind::parse, &kinds)?
        .unwrap_or(SettingKind::Part);
    let name = fields.text("name").unwrap_or("").to_string();
    let mut from = Vec::new();
    for child in fields
        .element
        .children
        .iter()
        .filter(|child| child.name == "ls:from")
    {
        let source = Fields::new(child, fields.context);
        from.push(source.required("name")?.to_string());
        source.finish();
    }
    fields.finish();
    Ok(Setting {
        position,
        kind,
        name,
        from,
    })
}

pub(super) fn scalar(fields: &Fields<'_>) -> Result<Scalar, XmlError> {
    let ty = streams::read_type(fields);
    let class = fields.word("accesstype", AccessClass::parse, streams::CLASSES)?;
    let reads = fields.number("reads")?.unwrap_or(0);
    let writes = fields.number("writes")?.unwrap_or(0);
    let scalar = Scalar {
        name: fields.required("name")?.to_string(),
        ty,
        is_constant: fields
            .word("isConstant", |text| text.parse().ok(), "true, false")?
            .unwrap_or(false),
        class: class.unwrap_or_else(|| {
            streams::class_of(
                &[Access {
                    offset: Vec::new(),
                    reads,
                    writes,
                }],
                None,
            )
        }),
        reads,
        writes,
    };
    fields.finish();
    Ok(scalar)
}

pub(super) fn call(fields: &Fields<'_>) -> Result<Call, XmlError> {
    let mut arguments = Vec::new();
    let mut moved = None;
    let mut targets = Vec::new();
    for child in &fields.element.children {
        if child.name == "ls:target" {
            targets.push(named(&Fields::new(child, fields.context))?);
            continue;
        }
        if child.name == "ls:communication" {
            moved = Some(Box::new(moves(&Fields::new(child, fields.context))?));
            continue;
        }
        if child.name != "arg" {
            fields.context.unknown_element(child, fields.element);
            continue;
        }
        let argument = Fields::new(child, fields.context);
        arguments.push(argument.required("argname")?.to_string());
        argument.finish();
    }
    let line = fields.number("linenum")?.unwrap_or(fields.line());
    let body = match moved {
        Some(moved) => {
            fields.text("ls:body");
            Body::Communication(moved)
        }
        None => match body(fields)? {
            Body::OneOf(_) => Body::OneOf(targets),
            body => body,
        },
    };
    let call = Call {
        line,
        name: fields.required("name")?.to_string(),
        arguments,
        body,
        share: fields.expression("ls:share")?,
        times: fields.expression("ls:times")?,
        handed: (fields.word(
            "ls:handed",
            read_handed,
            "letters of loops, a colon, positions",
        )?)
        .unwrap_or_default(),
        rest: (fields.word("ls:rest", Rest::parse, "with_body, in_front or with_caller")?)
            .unwrap_or_default(),
    };
    fields.finish();
    Ok(call)
}

fn read_handed(text: &str) -> Option<Vec<Handed>> {
    text.split_whitespace().map(Handed::read).collect()
}

/// The function that an element stands for.
pub(super) fn named(fields: &Fields<'_>) -> Result<FunctionKey, XmlError> {
    let key = FunctionKey {
        name: fields.required("name")?.to_string(),
        file: fields.required("ls:file")?.into(),
        line: fields.number("ls:line")?.unwrap_or(fields.line()),
    };
    fields.finish();
    Ok(key)
}

/// The array of the program that a name stands for.
pub(super) fn object(fields: &Fields<'_>) -> Result<NamedObject, XmlError> {
    let known = |text: &str| text.parse().ok();
    let kind = fields.word("owner", known, &OwnerKind::VARIANTS.join(", "))?;
    let kind: OwnerKind = kind.ok_or_else(|| fields.missing("owner"))?;
    let name = || fields.required("of").map(String::from);
    let file = || fields.required("file").map(Arc::from);
    let owner = match kind {
        OwnerKind::Program => Owner::Program,
        OwnerKind::File => Owner::File(file()?),
        OwnerKind::Scope => Owner::Scope {
            name: name()?,
            file: file()?,
        },
        OwnerKind::Common => Owner::Common(name()?),
        OwnerKind::Structure => Owner::Structure(name()?),
        OwnerKind::Procedure => Owner::Procedure {
            name: name()?,
            file: file()?,
        },
    };
    let name = Name::read(fields.required("name")?);
    let storage = fields.required("storage")?.to_string();
    let yes = |text: &str| (text == "yes").then_some(());
    let is_part = fields.word("part", yes, "yes")?;
    let is_fixed = fields.word("fixed", yes, "yes")?;
    fields.finish();
    let object = Object {
        name: storage,
        owner,
    };
    Ok(NamedObject {
        name,
        object,
        is_whole: is_part.is_none(),
        is_laid_out: is_fixed.is_some(),
    })
}

/// What an iteration keeps in one kind of registers.
pub(super) fn registers(
    fields: &Fields<'_>,
    name: &'static str,
) -> Result<Option<RegisterUse>, XmlError> {
    let read = |text: &str| {
        let values = text
            .split_whitespace()
            .map(|value| value.parse().ok())
            .collect::<Option<Vec<u32>>>()?;
        values.try_into().ok().map(RegisterUse::from_values)
    };
    fields.word(
        name,
        read,
        "five whole numbers: counters, scalars, pointers, invariants, temporaries",
    )
}

/// So many functions were told apart at first: without minima, divisions of whole numbers and choices.
const BEFORE: usize = 5;

/// Functions that an innermost loop calls in an iteration; `None` where what the core does is not known.
pub(super) fn functions(fields: &Fields<'_>) -> Result<Option<Functions>, XmlError> {
    let read = |text: &str| {
        let values = text.split_whitespace().map(|value| value.parse().ok());
        let mut values = values.collect::<Option<Vec<u32>>>()?;
        // Those that were not counted once.
        if values.len() == BEFORE {
            values.resize(Functions::NAMES.len(), 0);
        }
        values.try_into().ok().map(Functions::from_values)
    };
    let wanted = format!(
        "{} whole numbers: {}",
        Functions::NAMES.len(),
        Functions::NAMES.join(", ")
    );
    fields.word("ls:functions", read, &wanted)
}

/// Why the iterations of a loop cannot be done side by side, other than for chains.
pub(super) fn order(fields: &Fields<'_>) -> Result<Order, XmlError> {
    let known = Order::ALL.map(Order::as_str).join(", ");
    let order = fields.word("ls:order", Order::parse, &known)?;
    Ok(order.unwrap_or_default())
}

/// What the flags of its file let a compiler do with a loop; nothing where they say nothing.
pub(super) fn compiled(fields: &Fields<'_>) -> Result<Optimisation, XmlError> {
    let read = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_known = |word: &&str| Optimisation::NAMES.contains(word);
        let values = Optimisation::NAMES.map(|name| words.contains(&name));
        (words.iter().all(is_known)).then(|| Optimisation::from_values(values))
    };
    let known = Optimisation::NAMES.join(", ");
    Ok(fields
        .word("ls:compiled", read, &known)?
        .unwrap_or_default())
}

/// What a value waits for from one iteration to a later one.
pub(super) fn chain(fields: &Fields<'_>) -> Result<Chain, XmlError> {
    let kind = (fields.required("kind")).and_then(|_| {
        fields.word(
            "kind",
            ChainKind::parse,
            "reduction, extremum or recurrence",
        )
    })?;
    let distance = |text: &str| text.parse().ok().filter(|distance| *distance > 0);
    let distance = (fields.required("distance"))
        .and_then(|_| fields.word("distance", distance, "a whole number from 1"))?;
    let apart = fields.word(
        "iterations_apart",
        |text| text.parse().ok(),
        "a whole number",
    )?;
    let set_around = fields.number("set_around")?.unwrap_or(0);
    let mut steps = [0; Steps::NAMES.len()];
    for (step, name) in steps.iter_mut().zip(Steps::NAMES) {
        *step = fields.number(name)?.unwrap_or(0);
    }
    let chain = Chain {
        name: fields.required("name")?.to_string(),
        kind: kind.unwrap_or(ChainKind::Recurrence),
        distance: distance.unwrap_or(1),
        iterations_apart: apart.unwrap_or(0),
        set_around,
        steps: Steps::from_values(steps),
    };
    fields.finish();
    Ok(chain)
}

/// Numbers of lines.
pub(super) fn lines(fields: &Fields<'_>, name: &'static str) -> Result<Vec<u32>, XmlError> {
    let read = |text: &str| {
        text.split_whitespace()
            .map(|one| one.parse().ok())
            .collect()
    };
    let found = fields.word(name, read, "numbers of lines")?;
    Ok(found.unwrap_or_default())
}

/// Operations of a loop that repeat others.
pub(super) fn repeated(fields: &Fields<'_>) -> Result<OperationCounts, XmlError> {
    let read = |text: &str| {
        let values = text
            .split_whitespace()
            .map(|value| value.parse().ok())
            .collect::<Option<Vec<u64>>>()?;
        let [adds, multiplies, divides, specials] = values.try_into().ok()?;
        Some(OperationCounts {
            adds,
            multiplies,
            divides,
            specials,
            ..Default::default()
        })
    };
    let found = fields.word(
        "ls:repeated",
        read,
        "four whole numbers: adds, multiplies, divides, specials",
    )?;
    Ok(found.unwrap_or_default())
}

/// Which part of its condition a branch asks.
pub fn asks(fields: &Fields<'_>) -> Result<Asks, XmlError> {
    let read = |word: &str| (word == "loops").then_some(Asks::Loops);
    Ok(fields.word("ls:asks", read, "loops")?.unwrap_or_default())
}

/// Parts of a condition that may change in other loops than each other.
pub fn parted(fields: &Fields<'_>) -> Result<Option<Parted>, XmlError> {
    let attribute = "ls:parts";
    let read = |text: &str| {
        let expected = "all or any, a colon, and the loops of each part with commas between";
        let wrong = || fields.bad(attribute, expected);
        let (holds, loops) = text.split_once(':').ok_or_else(wrong)?;
        let holds = match holds {
            "all" => Quantifier::All,
            "any" => Quantifier::Any,
            _ => return Err(wrong()),
        };
        let part = |part: &str| part.split_whitespace().map(str::parse).collect();
        let loops: Result<Vec<BTreeSet<u32>>, _> = loops.split(',').map(part).collect();
        let loops = loops.map_err(|_| wrong())?;
        Ok(Parted { holds, loops })
    };
    fields.text(attribute).map(read).transpose()
}

/// Loops, counted from the outermost one; `None` where the attribute is not there.
pub fn loops(
    fields: &Fields<'_>,
    attribute: &'static str,
) -> Result<Option<BTreeSet<u32>>, XmlError> {
    let read = |text: &str| {
        let each = text.split_whitespace().map(str::parse);
        let loops: Result<BTreeSet<u32>, _> = each.collect();
        loops.map_err(|_| fields.bad(attribute, "whole numbers from 0 on"))
    };
    fields.text(attribute).map(read).transpose()
}

/// Values of a loop variable.
pub fn range(element: &Element, context: &Context) -> Result<GuardRange, XmlError> {
    let fields = Fields::new(element, context);
    let range = GuardRange {
        variable: fields.required("loopvar")?.to_string(),
        lower: fields.expression("lowerbound")?,
        upper: fields.expression("upperbound")?,
    };
    fields.finish();
    Ok(range)
}

/// What decides a branch, with the ranges of loop variables in it.
pub fn decision(fields: &Fields<'_>) -> Result<Decision, XmlError> {
    let mut ranges = Vec::new();
    let children = fields.element.children.iter();
    for child in children.filter(|child| child.name == "ls:range") {
        ranges.push(range(child, fields.context)?);
    }
    let read = |word: &str| match word {
        "fixed" => Some(Decision::Fixed),
        "loops" => Some(Decision::Loops(Share::Estimated)),
        "loops_counted" => Some(Decision::Loops(Share::Counted)),
        "inside" => Some(Decision::Guard(Guard::Inside(ranges.clone()))),
        "outside" => Some(Decision::Guard(Guard::Outside(ranges.clone()))),
        "once" => Some(Decision::Once(true)),
        "otherwise_once" => Some(Decision::Once(false)),
        "perhaps_once" => Some(Decision::PerhapsOnce(true)),
        "otherwise_perhaps_once" => Some(Decision::PerhapsOnce(false)),
        _ => None,
    };
    let expected = "fixed, loops, loops_counted, inside, outside, once, otherwise_once, \
                    perhaps_once, otherwise_perhaps_once";
    Ok(fields
        .word("ls:decision", read, expected)?
        .unwrap_or_default())
}

/// What a call moves between processes.
fn moves(fields: &Fields<'_>) -> Result<Communication, XmlError> {
    let (mut arrays, mut extents) = (Vec::new(), Vec::new());
    for child in &fields.element.children {
        let part = Fields::new(child, fields.context);
        match child.name.as_str() {
            "ls:buffer" => arrays.push(part.required("name")?.to_string()),
            "ls:cells" => extents.extend(part.expression("count")?),
            _ => {
                fields.context.unknown_element(child, fields.element);
                continue;
            }
        }
        part.finish();
    }
    let kinds = InterfaceKind::ALL
        .iter()
        .map(|kind| kind.as_str())
        .collect::<Vec<&str>>()
        .join(", ");
    let kind = fields
        .required("kind")
        .and_then(|_| fields.word("kind", InterfaceKind::parse, &kinds))?;
    let halo = match (
        fields.expression("components")?,
        fields.expression("width")?,
    ) {
        (Some(components), Some(width)) => Some(Halo {
            components,
            width,
            extents,
        }),
        _ => None,
    };
    let communication = Communication {
        library: fields.text("library").unwrap_or("").to_string(),
        kind: kind.unwrap_or(InterfaceKind::Setup),
        arrays,
        count: fields.expression("count")?,
        datatype: fields.text("datatype").unwrap_or("").to_string(),
        element_bytes: fields.expression("bytes")?,
        halo,
    };
    fields.finish();
    Ok(communication)
}

fn body(fields: &Fields<'_>) -> Result<Body, XmlError> {
    let callee = fields.text("ls:callee");
    let (file, line) = (fields.text("ls:file"), fields.number("ls:line")?);
    let key = || {
        Some(FunctionKey {
            name: callee?.to_string(),
            file: file?.into(),
            line: line?,
        })
    };
    let read = |text: &str| match text {
        "unknown" => Some(Body::Unknown),
        "library" => Some(Body::Library),
        "expanded" => Some(Body::Expanded),
        "one_of" => Some(Body::OneOf(Vec::new())),
        "recursive" => Some(Body::Recursive(key())),
        "known" => key().map(Body::Function),
        _ => None,
    };
    let expected =
        "unknown, library, expanded, recursive, one_of, known with callee, file and line";
    Ok(fields.word("ls:body", read, expected)?.unwrap_or_default())
}

/// Communication of the older generation: a call of the interface with the arrays and scalars that it
/// moves.
pub(super) fn communication(fields: &Fields<'_>) -> Result<Call, XmlError> {
    let mut arguments = Vec::new();
    for child in &fields.element.children {
        match child.name.as_str() {
            "array" | "commarray" | "commscalar" => {
                let variable = Fields::new(child, fields.context);
                arguments.push(variable.required("name")?.to_string());
                let help = "its name is kept as an argument; give widths and components as parameters of the call";
                fields.context.not_modelled(child, help);
            }
            _ => fields.context.unknown_element(child, fields.element),
        }
    }
    let line = fields.number("linenum")?.unwrap_or(fields.line());
    let call = Call {
        line,
        name: fields.required("interface")?.to_string(),
        arguments,
        body: Body::Unknown,
        share: None,
        times: None,
        handed: Vec::new(),
        rest: Rest::default(),
    };
    fields.finish();
    Ok(call)
}
