//! An `<array>` as streams: of both ExaSAT generations, and with the exact parts in our namespace.
//!
//! The generation shows in each access: the newer one has `offset` and `dependentloopvar`, the older
//! one `index`, `isRelative` and perhaps `indexorder`. Accesses of an array whose subscripts differ by
//! more than integers are streams of their own.

use super::XmlError;
use super::fields::{Context, Fields};
use super::tree::Element;
use super::{datatype, parts, tuple};

use crate::analysis::facts::{Access, AccessClass, Component, Gather, Stream, Subscript};
use crate::diagnostic::DiagnosticCode;
use crate::expr::Expr;
use crate::ir::{ElementType, Name};

/// The words of [`AccessClass`], for messages.
pub(super) const CLASSES: &str = "readonly, writeonly, readwrite, writeread";

/// Subscripts with one access to them.
type Reference = (Vec<Subscript>, Access);

/// The streams of an `<array>` inside loops with these variables, outermost first.
pub(super) fn read(
    element: &Element,
    loops: &[&str],
    context: &Context,
) -> Result<Vec<Stream>, XmlError> {
    let fields = Fields::new(element, context);
    let ty = read_type(&fields);
    let component = tuple::split(fields.text("component").unwrap_or(""));
    let stream = Stream {
        array: Name::read(fields.required("name")?),
        component: tuple::component(&component),
        element_bytes: match fields.text("ls:bytes") {
            None => ty.bytes(),
            Some("unknown") => None,
            Some(_) => fields.number("ls:bytes")?,
        },
        ty,
        class: AccessClass::ReadOnly,
        subscripts: Vec::new(),
        accesses: Vec::new(),
        extents: Vec::new(),
        held: Vec::new(),
    };
    let class = fields.word("accesstype", AccessClass::parse, CLASSES)?;
    let mut exact = None;
    let mut extents = None;
    let mut held = Vec::new();
    let mut references = Vec::new();
    for child in &element.children {
        match child.name.as_str() {
            "ls:subscripts" => {
                exact = Some(read_list(child, "ls:subscript", context, read_subscript)?);
            }
            "ls:extents" => extents = Some(read_list(child, "ls:extent", context, read_extent)?),
            "ls:range" => held.push(parts::range(child, context)?),
            "access" => references.push(child),
            _ => context.unknown_element(child, element),
        }
        if matches!(child.name.as_str(), "ls:subscripts" | "ls:extents") {
            Fields::new(child, context).finish();
        }
    }
    if references.is_empty() && exact.is_none() {
        let message = format!(
            "the array `{}` has no accesses and is left out",
            stream.array
        );
        context.warn(
            DiagnosticCode::NoAccess,
            element.at,
            message,
            "add <access offset=\"…\" dependentloopvar=\"…\"/>",
        );
    }
    let mut streams = match exact {
        Some(subscripts) => vec![read_exact(
            Stream {
                subscripts,
                ..stream
            },
            class,
            &references,
            context,
        )?],
        None => {
            let mut found = Vec::new();
            for access in references {
                found.push(read_access(access, &stream, class, loops, context)?);
            }
            group(stream, class, found)
        }
    };
    for stream in &mut streams {
        stream.held.clone_from(&held);
        stream.extents = extents
            .clone()
            .unwrap_or_else(|| vec![None; stream.subscripts.len()]);
    }
    fields.finish();
    Ok(streams)
}

/// The type of an array or scalar.
pub(super) fn read_type(fields: &Fields<'_>) -> ElementType {
    let exasat = fields.text("datatype").map(datatype::read);
    let exact = fields.text("ls:type").map(ElementType::read);
    exact.or(exasat).unwrap_or(ElementType::Unknown)
}

/// One stream for every list of subscripts.
fn group(empty: Stream, class: Option<AccessClass>, references: Vec<Reference>) -> Vec<Stream> {
    let mut streams: Vec<Stream> = Vec::new();
    for (subscripts, access) in references {
        let index = streams
            .iter()
            .position(|stream| stream.subscripts == subscripts)
            .unwrap_or_else(|| {
                streams.push(Stream {
                    subscripts,
                    ..empty.clone()
                });
                streams.len() - 1
            });
        let accesses = &mut streams[index].accesses;
        match accesses
            .iter_mut()
            .find(|known| known.offset == access.offset)
        {
            Some(known) => {
                known.reads = known.reads.saturating_add(access.reads);
                known.writes = known.writes.saturating_add(access.writes);
            }
            None => accesses.push(access),
        }
    }
    let alone = streams.len() == 1;
    for stream in &mut streams {
        // The class of the array says nothing of its streams, unless there is one.
        stream.class = match class {
            Some(class) if alone => class,
            _ => class_of(&stream.accesses, class),
        };
    }
    streams
}

/// The class that counts imply; the order of a read and a write is that of `class`.
pub(super) fn class_of(accesses: &[Access], class: Option<AccessClass>) -> AccessClass {
    let reads = accesses.iter().any(|access| access.reads > 0);
    let writes = accesses.iter().any(|access| access.writes > 0);
    match (reads, writes) {
        (true, true) => class
            .filter(|class| *class == AccessClass::WriteRead)
            .unwrap_or(AccessClass::ReadWrite),
        (false, true) => AccessClass::WriteOnly,
        _ => AccessClass::ReadOnly,
    }
}

/// `reads` and `writes`; where both are missing, the class says what one access does.
fn read_counts(fields: &Fields<'_>, class: Option<AccessClass>) -> Result<(u64, u64), XmlError> {
    let (reads, writes) = (fields.number("reads")?, fields.number("writes")?);
    Ok(match (reads, writes, class) {
        (None, None, Some(AccessClass::WriteOnly)) => (0, 1),
        (None, None, Some(AccessClass::ReadWrite | AccessClass::WriteRead)) => (1, 1),
        (None, None, _) => (1, 0),
        (reads, writes, _) => (reads.unwrap_or(0), writes.unwrap_or(0)),
    })
}

fn read_access(
    element: &Element,
    stream: &Stream,
    class: Option<AccessClass>,
    loops: &[&str],
    context: &Context,
) -> Result<Reference, XmlError> {
    let fields = Fields::new(element, context);
    let (reads, writes) = read_counts(&fields, class)?;
    let parts = match fields.text("index") {
        Some(_) => older_parts(&fields, loops)?,
        None => newer_parts(&fields, &stream.component, loops)?,
    };
    if fields
        .text("datatype")
        .is_some_and(|name| datatype::read(name) != stream.ty)
    {
        let message =
            "`datatype` of `<access>` differs from that of its `<array>`, which holds".to_string();
        context.warn(
            DiagnosticCode::Contradiction,
            fields.at("datatype"),
            message,
            "give the array one type",
        );
    }
    let mut subscripts = Vec::new();
    let mut offset = Vec::new();
    for (variable, entry) in parts {
        let (subscript, integer) = tuple::subscript(&variable, entry, loops);
        if let Some(text) = subscript
            .gather
            .as_ref()
            .map(|gather| &gather.text)
            .filter(|text| !tuple::is_indirect(text, loops))
        {
            let message = format!(
                "the subscript `{text}` is not affine in the loop variables: taken as a gather"
            );
            let help = "write loop variables times factors plus what stays the same in the nest";
            context.note(DiagnosticCode::Gather, element.at, message, help);
        }
        subscripts.push(subscript);
        offset.push(integer);
    }
    fields.finish();
    Ok((
        subscripts,
        Access {
            offset,
            reads,
            writes,
        },
    ))
}

/// Loop variables and offsets of an access of the newer generation, whose tuple ends with the
/// component.
fn newer_parts<'a>(
    fields: &Fields<'a>,
    component: &Component,
    loops: &[&str],
) -> Result<Vec<(String, &'a str)>, XmlError> {
    let tuple = |name, text| tuple::entries(text).ok_or_else(|| fields.bad(name, TUPLE));
    let mut offsets = tuple("offset", fields.required("offset")?)?;
    let mut variables = tuple(
        "dependentloopvar",
        fields.text("dependentloopvar").unwrap_or("()"),
    )?;
    if variables.is_empty() {
        variables = vec![""; offsets.len()];
    }
    // A subscript that is computed before holds the whole offset: one subscript a loop, the innermost first.
    if let ([whole], [_, _, ..]) = (&offsets[..], &variables[..])
        && !variables.contains(&"")
    {
        let message = "one offset for several loop variables: taken as a subscript for each, the innermost first";
        let help = "write one entry per subscript in both tuples";
        let code = DiagnosticCode::Repaired;
        (fields.context).warn(
            code,
            fields.at("dependentloopvar"),
            message.to_string(),
            help,
        );
        let is_inner = |name: &&str| loops.iter().position(|other| other == name);
        variables.sort_by_key(|name| std::cmp::Reverse(is_inner(name)));
        let mut entries = vec!["0"; variables.len()];
        entries[0] = whole;
        offsets = entries;
    }
    if variables.len() != offsets.len() {
        let expected = format!(
            "one entry for each of the {} entries of offset",
            offsets.len()
        );
        return Err(fields.bad("dependentloopvar", expected));
    }
    if offsets
        .iter()
        .zip(&variables)
        .any(|(offset, variable)| offset.is_empty() && variable.is_empty())
    {
        return Err(fields.bad("offset", TUPLE));
    }
    if let Some(rank) = offsets.len().checked_sub(component.0.len())
        && tuple::component(&offsets[rank..]) == *component
    {
        offsets.truncate(rank);
    }
    Ok(variables
        .into_iter()
        .map(String::from)
        .zip(offsets)
        .collect())
}

const TUPLE: &str = "a tuple with one entry per subscript, such as (1,0,-1)";

/// Loop variables and offsets of an access of the older generation. The tuple of a relative access
/// counts from the innermost loop outwards, or as `indexorder` says; the component is not in it.
fn older_parts<'a>(
    fields: &Fields<'a>,
    loops: &[&str],
) -> Result<Vec<(String, &'a str)>, XmlError> {
    let index = fields.required("index")?;
    let offsets =
        tuple::entries(index).filter(|entries| entries.iter().all(|entry| !entry.is_empty()));
    let offsets = offsets.ok_or_else(|| fields.bad("index", TUPLE))?;
    let is_relative = fields
        .word("isRelative", |text| text.parse().ok(), "true, false")?
        .unwrap_or(true);
    let order: Vec<usize> = match fields.text("indexorder") {
        None => (0..offsets.len()).collect(),
        Some(text) => {
            let numbers = tuple::entries(text)
                .unwrap_or_default()
                .into_iter()
                .map(|entry| entry.parse().ok());
            let numbers: Option<Vec<usize>> = numbers.collect();
            numbers
                .filter(|order| order.len() == offsets.len())
                .ok_or_else(|| {
                    fields.bad(
                        "indexorder",
                        "a tuple of loop numbers, 0 for the innermost, as long as index",
                    )
                })?
        }
    };
    if !is_relative {
        return Ok(offsets
            .into_iter()
            .map(|offset| (String::new(), offset))
            .collect());
    }
    let mut parts = Vec::new();
    for (number, offset) in order.into_iter().zip(offsets) {
        let variable = loops.iter().rev().nth(number);
        if variable.is_none() {
            let message = format!("`{index}` is relative to more loops than there are around it");
            let help = "write isRelative=\"false\" for fixed subscripts";
            fields.context.warn(
                DiagnosticCode::NoSuchLoop,
                fields.at("index"),
                message,
                help,
            );
        }
        parts.push((
            variable.map_or(String::new(), |name| Expr::symbol(name).to_string()),
            offset,
        ));
    }
    Ok(parts)
}

/// The one stream of an array with subscripts of ours.
fn read_exact(
    mut stream: Stream,
    class: Option<AccessClass>,
    accesses: &[&Element],
    context: &Context,
) -> Result<Stream, XmlError> {
    for element in accesses {
        let fields = Fields::new(element, context);
        let (reads, writes) = read_counts(&fields, class)?;
        let rank = stream.subscripts.len();
        let integers = fields.required("ls:at")?.split_whitespace().map(str::parse);
        let offset = match integers.collect::<Result<Vec<_>, _>>() {
            Ok(offset) if offset.len() == rank => offset,
            Ok(_) => {
                return Err(fields.bad(
                    "ls:at",
                    format!("an integer for each of the {rank} of `ls:subscripts`"),
                ));
            }
            Err(_) => return Err(fields.bad("ls:at", "integers with spaces between them")),
        };
        let access = Access {
            offset,
            reads,
            writes,
        };
        for (name, exact) in [
            ("offset", tuple::offset_text(&stream, &access)),
            ("dependentloopvar", tuple::variables_text(&stream)),
        ] {
            if fields.text(name).is_some_and(|text| text != exact) {
                let message = format!(
                    "`{name}` of `<access>` contradicts `ls:subscripts` and `ls:at`, which hold"
                );
                let help = "change both, or delete the parts in the namespace `ls`";
                context.warn(
                    DiagnosticCode::Contradiction,
                    fields.at(name),
                    message,
                    help,
                );
            }
        }
        stream.accesses.push(access);
        fields.finish();
    }
    stream.class = class.unwrap_or_else(|| class_of(&stream.accesses, None));
    Ok(stream)
}

fn read_list<T>(
    element: &Element,
    name: &str,
    context: &Context,
    read: fn(&Fields<'_>) -> Result<T, XmlError>,
) -> Result<Vec<T>, XmlError> {
    let mut items = Vec::new();
    for child in &element.children {
        if child.name != name {
            context.unknown_element(child, element);
            continue;
        }
        let fields = Fields::new(child, context);
        items.push(read(&fields)?);
        fields.finish();
    }
    Ok(items)
}

fn read_subscript(fields: &Fields<'_>) -> Result<Subscript, XmlError> {
    let term = |fields: &Fields<'_>| {
        let coefficient = fields.expression("coefficient")?.unwrap_or(Expr::from(1.0));
        Ok((fields.required("variable")?.to_string(), coefficient))
    };
    let multiple = fields.number("gathermultiple")?;
    let loops = parts::loops(fields, "gatherloops")?;
    let gather = fields.text("gather").map(|text| Gather {
        text: text.to_string(),
        loops,
        multiple: multiple.unwrap_or(1),
    });
    Ok(Subscript {
        terms: read_list(fields.element, "ls:term", fields.context, term)?,
        base: fields.expression("base")?.unwrap_or(Expr::from(0.0)),
        gather,
    })
}

fn read_extent(fields: &Fields<'_>) -> Result<Option<(Expr, Expr)>, XmlError> {
    Ok(
        match (fields.expression("lower")?, fields.expression("upper")?) {
            (Some(lower), Some(upper)) => Some((lower, upper)),
            (None, None) => None,
            (None, Some(_)) => return Err(fields.missing("lower")),
            (Some(_), None) => return Err(fields.missing("upper")),
        },
    )
}
