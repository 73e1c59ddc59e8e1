//! A [`Program`] to elements.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::Context;
use super::tree::Element;
use super::{datatype, streams, tuple};
use crate::analysis::facts::*;
use crate::analysis::in_core::{Carried, Chain, InCore, Order, Steps};
use crate::compare::Measured;
use crate::diagnostic::Diagnostic;
use crate::expr::{Symbol, SymbolKind};
use crate::ir::{ElementType, Name};

/// The program as an XML document; [`read`](super::read) gives it back exactly. The same program
/// gives the same bytes.
///
/// Of the program is assumed what the analysis guarantees: loop ids are unique, no step is zero, no
/// expression holds figures of the model, and blocks are nested less than 250 deep.
pub fn write(program: &Program) -> String {
    document(program).to_document()
}

/// The same with what a run did in each loop, as ExaSAT's `pininfo`; by function and id of the loop.
pub fn write_measured(
    program: &Program,
    measured: &BTreeMap<(String, String), Measured>,
) -> String {
    let mut document = document(program);
    for function in document
        .children
        .iter_mut()
        .filter(|child| child.name == "function")
    {
        let name = function
            .attribute("name")
            .map(|name| name.value.clone())
            .unwrap_or_default();
        add_measured(function, &name, measured);
    }
    document.to_document()
}

fn add_measured(
    element: &mut Element,
    function: &str,
    measured: &BTreeMap<(String, String), Measured>,
) {
    for child in &mut element.children {
        add_measured(child, function, measured);
    }
    let Some(id) = element
        .attribute("ls:id")
        .filter(|_| element.name == "loop")
    else {
        return;
    };
    let Some(found) = measured.get(&(function.to_string(), id.value.clone())) else {
        return;
    };
    let accesses = found.reads + found.writes;
    let info = Element::new("pininfo")
        .with("entries", found.entries)
        .with("iters", found.iterations)
        .with("ops", found.operations)
        .with("reads", found.reads)
        .with("writes", found.writes)
        .with("bytereads", found.bytes_read)
        .with("bytewrites", found.bytes_written)
        .with("adds", found.adds)
        .with("muls", found.multiplies)
        .with("divs", found.divides)
        .maybe(
            "cachehits",
            found
                .cache_misses
                .map(|misses| accesses.saturating_sub(misses)),
        )
        .maybe("cachemisses", found.cache_misses);
    element.children.insert(0, info);
}

fn document(program: &Program) -> Element {
    let Program {
        files,
        functions,
        places,
        unmentioned,
        set: _,
        unread,
    } = program;
    let unmentioned = unmentioned.iter().flat_map(|(name, functions)| {
        let of = move |function: &String| {
            Element::new("ls:unmentioned")
                .with("name", name)
                .with("function", function)
        };
        functions.iter().map(of)
    });
    let unread = unread.iter().map(|(extension, count)| {
        Element::new("ls:unread")
            .with("extension", extension)
            .with("count", count)
    });
    Element::new("program")
        .containing(files.iter().map(file))
        .containing(unread)
        .containing(unmentioned)
        .containing(places.iter().map(place))
        .containing(functions.iter().map(function))
}

fn place((symbol, place): (&Symbol, &Place)) -> Element {
    let Place {
        name,
        file,
        line,
        is_constant,
        is_real,
        decides,
        changes,
        is_table,
        value,
        smallest,
        guess,
        choices,
        origin,
    } = place;
    let choices: Vec<String> = choices.iter().map(f64::to_string).collect();
    Element::new("ls:place")
        .with("id", symbol)
        .with("name", name)
        .with("file", file)
        .with("line", line)
        .maybe("constant", is_constant.then_some("true"))
        .maybe("real", is_real.then_some("true"))
        .maybe("decides", decides.then_some("true"))
        .maybe("changes", changes.then_some("true"))
        .maybe("table", is_table.then_some("true"))
        .maybe("value", value.as_ref())
        .maybe("smallest", smallest.as_ref())
        .maybe("guess", *guess)
        .maybe("choices", (!choices.is_empty()).then(|| choices.join(" ")))
        .with("origin", origin.as_str())
}

fn file(file: &File) -> Element {
    let File {
        path,
        language,
        form,
        lines,
        is_parallel,
        is_of_processes,
        preprocessing,
        diagnostics,
    } = file;
    Element::new("ls:file")
        .with("path", path)
        .with("language", language.as_str())
        .with("form", form.as_str())
        .with("lines", lines)
        .maybe("parallel", *is_parallel)
        .maybe("processes", is_of_processes.then_some(true))
        .with("preprocessing", preprocessing.as_str())
        .containing(diagnostics.iter().map(|remark| diagnostic(remark, path)))
}

fn diagnostic(diagnostic: &Diagnostic, path: &str) -> Element {
    let Diagnostic {
        severity,
        code,
        place,
        width,
        message,
        help,
    } = diagnostic;
    Element::new("ls:diagnostic")
        .with("severity", severity.as_str())
        .with("code", code.as_str())
        .maybe("file", Some(&place.file).filter(|file| &***file != path))
        .with("line", place.line)
        .with("column", place.column)
        .with("width", width)
        .with("message", message)
        .maybe("help", help.as_ref())
}

fn function(function: &Function) -> Element {
    let Function {
        name,
        file,
        line,
        end_line,
        is_entry,
        given_by,
        recursion,
        constants,
        shared,
        pointed,
        objects,
        body,
        is_shown: _,
    } = function;
    let constant = |Constant {
                        symbol,
                        value,
                        origin,
                    }: &Constant| {
        Element::new("ls:constant")
            .with("name", symbol)
            .maybe(
                "kind",
                Some(symbol.kind())
                    .filter(|kind| *kind != SymbolKind::Source)
                    .map(SymbolKind::as_str),
            )
            .with("value", value)
            .with("origin", origin.as_str())
    };
    let element = Element::new("function")
        .with("name", name)
        .with("ls:file", file)
        .with("ls:line", line)
        .maybe("ls:endline", *end_line)
        .maybe("ls:entry", is_entry.then_some("program"))
        .containing(constants.iter().map(constant))
        .containing(shared.iter().map(|pair| storage("ls:shares", pair)))
        .containing(pointed.iter().map(|pair| storage("ls:points", pair)))
        .containing(objects.iter().map(object))
        .containing(given_by.iter().map(|giver| named("ls:giver", giver)))
        .containing(recursion.iter().map(calls_of_itself));
    block(
        element,
        body,
        Scope {
            function,
            loops: &[],
        },
    )
}

/// How a function calls itself.
fn calls_of_itself(
    Recursion {
        depth,
        size,
        most,
        ends,
    }: &Recursion,
) -> Element {
    let end = |end: &Symbol| Element::new("ls:end").with("name", end);
    Element::new("ls:recursion")
        .with("depth", depth)
        .with("size", size)
        .with("most", most)
        .containing(ends.iter().map(end))
}

/// An array with the one of the program that it stands for.
fn object(named: &NamedObject) -> Element {
    let NamedObject {
        name,
        object: of,
        is_whole,
        is_laid_out,
    } = named;
    let owner = &of.owner;
    Element::new("ls:object")
        .with("name", name)
        .with("storage", &of.name)
        .with("owner", <&str>::from(owner.kind()))
        .maybe("of", owner.name())
        .maybe("file", owner.file())
        .maybe("part", (!is_whole).then_some("yes"))
        .maybe("fixed", is_laid_out.then_some("yes"))
}

/// An array with storage that it may lie in.
fn storage(element: &'static str, (name, of): &(Name, Name)) -> Element {
    Element::new(element).with("name", name).with("storage", of)
}

/// What a block inherits from its surroundings.
#[derive(Clone, Copy)]
struct Scope<'a> {
    function: &'a Function,
    /// Variables of the enclosing loops, outermost first.
    loops: &'a [&'a str],
}

/// The element with the counts and children of a block.
fn block(element: Element, block: &Block, scope: Scope<'_>) -> Element {
    let Block {
        flops,
        texts,
        scalars,
        streams,
        calls,
        items,
        settings,
        reasons,
    } = block;
    let total = flops.total();
    let is_simple = flops.by_type.iter().all(|(ty, counts)| {
        let [adds, multiplies, divides, specials, others @ ..] = counts.values();
        *ty == ElementType::Real(8)
            && others == [0; 5]
            && [adds, multiplies, divides, specials] != [0; 4]
    });
    let by_type = (flops.by_type.iter()).filter(|_| !is_simple);
    let by_name: BTreeMap<String, OperationCounts> = by_type
        .map(|(ty, counts)| (ty.to_string(), *counts))
        .collect();
    element
        .with("adds", total.adds)
        .with("multiplies", total.multiplies)
        .with("divides", total.divides)
        .with("specials", total.specials)
        .maybe("ls:texts", Some(texts).filter(|texts| **texts > 0))
        .containing((by_name.iter()).map(|(ty, counts)| operations(ty, *counts)))
        .containing(reasons.iter().map(reason))
        .containing(scalars.iter().map(scalar))
        .containing(streams.iter().map(|stream| array(stream, scope.loops)))
        .containing(calls.iter().map(call))
        .containing((0..=items.len()).flat_map(|position| {
            let before = settings
                .iter()
                .filter(move |setting| setting.position == position)
                .map(setting);
            before.chain(items.get(position).into_iter().flat_map(|item| match item {
                Item::Loop(inner) => vec![enter_loop(inner, scope)],
                Item::Branch(inner) => branch(inner, scope),
            }))
        }))
}

fn setting(
    Setting {
        position: _,
        kind,
        name,
        from,
    }: &Setting,
) -> Element {
    let source = |name: &String| Element::new("ls:from").with("name", name);
    let name = Some(name).filter(|name| !name.is_empty());
    Element::new("ls:set")
        .with("kind", kind.as_str())
        .maybe("name", name)
        .containing(from.iter().map(source))
}

fn operations(ty: &str, counts: OperationCounts) -> Element {
    let counted = OperationCounts::NAMES
        .into_iter()
        .zip(counts.values())
        .filter(|(_, count)| *count > 0);
    counted.fold(
        Element::new("ls:operations").with("type", ty),
        |element, (name, count)| element.with(name, count),
    )
}

/// Adds, multiplies, divides, specials; nothing if there are none.
fn repeated_operations(counts: &OperationCounts) -> Option<String> {
    let OperationCounts {
        adds,
        multiplies,
        divides,
        specials,
        ..
    } = counts;
    let counts = [adds, multiplies, divides, specials];
    counts
        .iter()
        .any(|count| **count > 0)
        .then(|| counts.map(u64::to_string).join(" "))
}

fn reason(Reason { code, line, detail }: &Reason) -> Element {
    Element::new("ls:reason")
        .with("code", code)
        .with("line", line)
        .with("detail", detail)
}

fn scalar(scalar: &Scalar) -> Element {
    let Scalar {
        name,
        ty,
        is_constant,
        class,
        reads,
        writes,
    } = scalar;
    with_type(Element::new("scalar").with("name", name), ty)
        .with("isConstant", is_constant)
        .with("accesstype", class.as_str())
        .with("reads", reads)
        .with("writes", writes)
}

/// ExaSAT's name of a type, and ours where that name is not read back as it.
fn with_type(element: Element, ty: &ElementType) -> Element {
    let name = datatype::written(ty);
    element.with("datatype", &name).maybe(
        "ls:type",
        Some(ty).filter(|ty| datatype::read(&name) != **ty),
    )
}

/// ExaSAT's array, and what is ours only if it is not read back as the same stream.
fn array(stream: &Stream, loops: &[&str]) -> Element {
    let Stream {
        array,
        component,
        ty,
        element_bytes,
        class,
        subscripts,
        accesses,
        extents,
        held,
    } = stream;
    let bytes = match element_bytes {
        _ if *element_bytes == ty.bytes() => None,
        Some(bytes) => Some(bytes.to_string()),
        None => Some("unknown".to_string()),
    };
    let element = with_type(
        Element::new("array")
            .with("name", array)
            .with("component", format!("{component:#}")),
        ty,
    )
    .with("accesstype", class.as_str())
    .maybe("ls:bytes", bytes);
    let unknown = extents.len() == subscripts.len() && extents.iter().all(Option::is_none);
    let known_extents =
        (!unknown).then(|| Element::new("ls:extents").containing(extents.iter().map(extent)));
    let access = |access: &Access| {
        Element::new("access")
            .with("offset", tuple::offset_text(stream, access))
            .with("dependentloopvar", tuple::variables_text(stream))
            .with("reads", access.reads)
            .with("writes", access.writes)
    };
    let held = || held.iter().map(range);
    let plain = element
        .clone()
        .containing(known_extents.clone())
        .containing(held())
        .containing(accesses.iter().map(access));
    if reads_back(&plain, stream, loops) {
        return plain;
    }
    let at = |access: &Access| {
        access
            .offset
            .iter()
            .map(i64::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    element
        .containing([Element::new("ls:subscripts").containing(subscripts.iter().map(subscript))])
        .containing(known_extents)
        .containing(held())
        .containing(
            accesses
                .iter()
                .map(|one| access(one).with("ls:at", at(one))),
        )
}

fn reads_back(element: &Element, stream: &Stream, loops: &[&str]) -> bool {
    let context = Context::new("", "");
    let read = streams::read(element, loops, &context);
    read.is_ok_and(|streams| streams == [stream.clone()])
        && context.remarks.into_diagnostics().is_empty()
}

fn subscript(
    Subscript {
        terms,
        base,
        gather,
    }: &Subscript,
) -> Element {
    let term = |(variable, coefficient): &(String, crate::expr::Expr)| {
        Element::new("ls:term")
            .with("variable", variable)
            .with("coefficient", coefficient)
    };
    let multiple = gather.as_ref().map(|data| data.multiple);
    let multiple = multiple.filter(|multiple| *multiple != 1);
    let loops = gather.as_ref().and_then(|data| data.loops.as_ref());
    Element::new("ls:subscript")
        .with("base", base)
        .maybe("gather", gather.as_ref().map(|data| &data.text))
        .maybe("gatherloops", loops.map(positions))
        .maybe("gathermultiple", multiple)
        .containing(terms.iter().map(term))
}

fn range(range: &GuardRange) -> Element {
    Element::new("ls:range")
        .with("loopvar", &range.variable)
        .maybe("lowerbound", range.lower.as_ref())
        .maybe("upperbound", range.upper.as_ref())
}

fn extent(extent: &Option<(crate::expr::Expr, crate::expr::Expr)>) -> Element {
    let (lower, upper) = extent.as_ref().map(|(lower, upper)| (lower, upper)).unzip();
    Element::new("ls:extent")
        .maybe("lower", lower)
        .maybe("upper", upper)
}

fn call(
    Call {
        line,
        name,
        arguments,
        body,
        share,
        times,
        handed,
        rest,
    }: &Call,
) -> Element {
    let argument = |text: &String| {
        Element::new("arg")
            .with("paramname", "")
            .with("argname", text)
    };
    let element = Element::new("funccall")
        .with("linenum", line)
        .with("name", name)
        .maybe("ls:share", share.as_ref())
        .maybe("ls:times", times.as_ref())
        .maybe("ls:handed", (!handed.is_empty()).then(|| words(handed)))
        .maybe("ls:rest", (*rest != Rest::default()).then(|| rest.as_str()));
    let element = match body {
        Body::Unknown => element,
        Body::Library | Body::Expanded | Body::Recursive(None) => {
            element.with("ls:body", body.as_str())
        }
        Body::Function(FunctionKey { name, file, line })
        | Body::Recursive(Some(FunctionKey { name, file, line })) => {
            let element = element.with("ls:body", body.as_str());
            element
                .with("ls:callee", name)
                .with("ls:file", file)
                .with("ls:line", line)
        }
        Body::OneOf(keys) => {
            let element = element.with("ls:body", body.as_str());
            return element
                .containing(arguments.iter().map(argument))
                .containing(keys.iter().map(|key| named("ls:target", key)));
        }
        Body::Communication(moved) => {
            let element = element.with("ls:body", body.as_str());
            return element
                .containing(arguments.iter().map(argument))
                .containing([communication(moved)]);
        }
    };
    element.containing(arguments.iter().map(argument))
}

/// All of them, with blanks between them.
fn words<T: ToString>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    all.join(" ")
}

/// A function that an element of this name stands for.
fn named(element: &'static str, FunctionKey { name, file, line }: &FunctionKey) -> Element {
    Element::new(element)
        .with("name", name)
        .with("ls:file", file)
        .with("ls:line", line)
}

fn communication(communication: &Communication) -> Element {
    let Communication {
        library,
        kind,
        arrays,
        count,
        datatype,
        element_bytes,
        halo,
    } = communication;
    let (components, width) = halo
        .as_ref()
        .map(|halo| (&halo.components, &halo.width))
        .unzip();
    Element::new("ls:communication")
        .with("library", library)
        .with("kind", kind.as_str())
        .maybe("count", count.as_ref())
        .maybe("datatype", Some(datatype).filter(|name| !name.is_empty()))
        .maybe("bytes", element_bytes.as_ref())
        .maybe("components", components)
        .maybe("width", width)
        .containing(
            arrays
                .iter()
                .map(|name| Element::new("ls:buffer").with("name", name)),
        )
        .containing(
            halo.iter()
                .flat_map(|h| &h.extents)
                .map(|cells| Element::new("ls:cells").with("count", cells)),
        )
}

fn enter_loop(inner: &Loop, scope: Scope<'_>) -> Element {
    let Loop {
        id,
        file,
        line,
        end_line,
        variable,
        lower,
        upper,
        step,
        parallel,
        is_serial,
        needs,
        exits_early,
        tests_last,
        steps_time,
        beside,
        registers,
        in_core,
        repeated,
        body,
    } = inner;
    let element = Element::new("loop")
        .with("linenum", line)
        .with("loopvar", variable)
        .with("lowerbound", lower)
        .with("upperbound", upper)
        .with("stride", step)
        .with("ls:id", id)
        .maybe(
            "ls:file",
            Some(file).filter(|file| **file != scope.function.file),
        )
        .maybe("ls:endline", Some(end_line).filter(|end| *end != line))
        .maybe("ls:parallel", parallel.as_ref())
        .maybe("ls:serial", is_serial.then_some("true"))
        .maybe("ls:needs", needs.as_deref().map(needs_text))
        .maybe("ls:exits", exits_early.then_some("early"))
        .maybe("ls:tests", tests_last.then_some("last"))
        .maybe("ls:steps", steps_time.then_some("time"))
        .maybe(
            "ls:before",
            Some(words(&beside.before)).filter(|lines| !lines.is_empty()),
        )
        .maybe(
            "ls:behind",
            Some(words(&beside.behind)).filter(|lines| !lines.is_empty()),
        )
        .maybe(
            "ls:integers",
            registers.map(|needed| register_use(needed.integer)),
        )
        .maybe(
            "ls:floats",
            registers.map(|needed| register_use(needed.floating)),
        )
        .maybe("ls:repeated", repeated_operations(repeated))
        .maybe("ls:functions", in_core.as_ref().map(functions))
        .maybe(
            "ls:errors",
            (in_core.as_ref().is_some_and(|known| known.notes_errors)).then_some("noted"),
        )
        .maybe("ls:compiled", in_core.as_ref().and_then(compiled));
    let element = match in_core {
        Some(known) => carried(element, &known.carried).containing(known.outer.iter().map(outer)),
        None => element,
    };
    let mut loops = scope.loops.to_vec();
    if !variable.is_empty() {
        loops.push(variable);
    }
    block(
        element,
        body,
        Scope {
            loops: &loops,
            ..scope
        },
    )
}

/// What iterations have from earlier ones, in an element of them.
fn carried(element: Element, found: &Carried) -> Element {
    let Carried {
        chains,
        order,
        at_once,
    } = found;
    element
        .maybe("ls:order", (*order != Order::Shown).then(|| order.as_str()))
        .maybe("ls:at_once", *at_once)
        .containing(chains.iter().map(chain))
}

fn outer((variable, found): &(String, Carried)) -> Element {
    carried(Element::new("ls:outer").with("loopvar", variable), found)
}

fn chain(inner: &Chain) -> Element {
    let Chain {
        name,
        kind,
        distance,
        iterations_apart,
        set_around,
        steps,
    } = inner;
    let mut element = Element::new("ls:chain")
        .with("name", name)
        .with("kind", kind.as_str())
        .with("distance", distance);
    if *iterations_apart != 0 {
        element = element.with("iterations_apart", iterations_apart);
    }
    if *set_around != 0 {
        element = element.with("set_around", set_around);
    }
    let steps = Steps::NAMES.into_iter().zip(steps.values());
    (steps.filter(|(_, count)| *count > 0))
        .fold(element, |element, (name, count)| element.with(name, count))
}

fn functions(in_core: &InCore) -> String {
    let counts = in_core.functions.values();
    counts.map(|count| count.to_string()).join(" ")
}

/// What its flags let the compiler do, where they say something.
fn compiled(in_core: &InCore) -> Option<String> {
    let names = in_core.compiled.names();
    (!names.is_empty()).then(|| names.join(" "))
}

fn register_use(needed: RegisterUse) -> String {
    needed.values().map(|count| count.to_string()).join(" ")
}

fn lines((first, last): (u32, u32)) -> String {
    format!("{first} {last}")
}

/// Loops, counted from the outermost one.
fn positions(loops: &BTreeSet<u32>) -> String {
    let each: Vec<String> = loops.iter().map(u32::to_string).collect();
    each.join(" ")
}

fn parted(parts: &Parted) -> String {
    let holds = match parts.holds {
        Quantifier::All => "all",
        Quantifier::Any => "any",
    };
    let loops: Vec<String> = parts.loops.iter().map(positions).collect();
    format!("{holds}: {}", loops.join(", "))
}

/// What decides a branch, where it is not data.
fn decision_name(decision: &Decision) -> Option<&'static str> {
    match decision {
        Decision::Data => None,
        Decision::Fixed => Some("fixed"),
        Decision::Loops(Share::Estimated) => Some("loops"),
        Decision::Loops(Share::Counted) => Some("loops_counted"),
        Decision::Guard(Guard::Inside(_)) => Some("inside"),
        Decision::Guard(Guard::Outside(_)) => Some("outside"),
        Decision::Once(true) => Some("once"),
        Decision::Once(false) => Some("otherwise_once"),
        Decision::PerhapsOnce(true) => Some("perhaps_once"),
        Decision::PerhapsOnce(false) => Some("otherwise_perhaps_once"),
    }
}

/// An `if` and its `else`, which ExaSAT puts beside it.
fn branch(inner: &Branch, scope: Scope<'_>) -> Vec<Element> {
    let Branch {
        line,
        condition,
        probability,
        decision,
        loops,
        parts,
        asks,
        then,
        otherwise,
        then_lines,
        otherwise_lines,
    } = inner;
    let usual = Symbol::probability(&scope.function.name, *line, None);
    let element = Element::new("if")
        .with("linenum", line)
        .with("conditional", condition)
        .maybe(
            "ls:probability",
            Some(probability).filter(|symbol| **symbol != usual),
        )
        .maybe("ls:decision", decision_name(decision))
        .maybe("ls:loops", loops.as_ref().map(positions))
        .maybe("ls:parts", parts.as_ref().map(parted))
        .maybe("ls:asks", (*asks == Asks::Loops).then_some("loops"))
        .maybe("ls:lines", then_lines.map(lines))
        .containing(decision.ranges().iter().map(range));
    let otherwise = otherwise.as_ref().map(|body| {
        let element = Element::new("else")
            .with("iflinenum", line)
            .maybe("ls:lines", otherwise_lines.map(lines));
        block(element, body, scope)
    });
    std::iter::once(block(element, then, scope))
        .chain(otherwise)
        .collect()
}
