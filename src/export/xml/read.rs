//! Elements to a [`Program`]: ours exactly, ExaSAT's with defaults for what they do not say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::fields::{Context, Fields};
use super::tree::Element;
use super::{XmlError, parse, parts, recover, streams};
use crate::analysis::facts::*;
use crate::analysis::in_core::{Carried, InCore};
use crate::analysis::loop_variable::LoopVariable;
use crate::analysis::name_loops;
use crate::diagnostic::DiagnosticCode;
use crate::expr::{Expr, Symbol, SymbolKind};
use crate::ir::{ElementType, Name};
use crate::source::{Form, Language, Preprocessing};

/// Reads a program from XML that [`write`](super::write) wrote, that ExaSAT wrote (either
/// generation), or that a person wrote after either example.
///
/// `path` is how the file is called in errors and remarks; a function that names no file of its own
/// gets it too. What is remarkable but no error is a diagnostic in the entry of `path` in
/// [`Program::files`]; without remarks there is no such entry.
///
/// What is nearly XML, as ExaSAT's compilers print it, is read with a warning for everything that is taken as it is most
/// likely meant.
///
/// Defaults: counts 0, `stride` 1, `component` empty, line numbers those of the XML file, operations
/// of the type `real8`, `reads` and `writes` of an access after its `accesstype`.
///
/// # Errors
/// The text is not well-formed, describes no program, lacks an attribute that has no default, or
/// has a value of the wrong kind; see [`XmlError`].
pub fn read(text: &str, path: &str) -> Result<Program, XmlError> {
    let text = text.trim_start_matches('\u{feff}');
    let (root, context) = document(text, path)?;
    if root.name != "program" {
        return Err(XmlError::UnknownRoot {
            place: context.lines.place(root.at),
            name: root.name,
        });
    }
    let mut reader = Reader {
        context,
        program: Program::default(),
        loop_ids: Vec::new(),
    };
    reader.program(&root)?;
    reader.name_loops();
    Ok(reader.finish())
}

/// The outermost element of a text, which is mended where it is nearly XML.
fn document(text: &str, path: &str) -> Result<(Element, Context), XmlError> {
    let context = Context::new(path, text);
    let error = match parse::parse(text, &context.lines) {
        Ok(root) => return Ok((root, context)),
        Err(error @ XmlError::Malformed { .. }) => error,
        Err(error) => return Err(error),
    };
    let Some((mended, repairs)) = recover::repaired(text) else {
        return Err(error);
    };
    let context = Context::new(path, &mended);
    let is_description = |root: &Element| {
        let describes = |child: &Element| matches!(child.name.as_str(), "function" | "module");
        root.name == "program" && root.children.iter().any(describes)
    };
    let root = match parse::parse(&mended, &context.lines) {
        Ok(root) if is_description(&root) => root,
        Err(other) if other.place().line > error.place().line => return Err(other),
        Ok(_) | Err(_) => return Err(error),
    };
    for repair in repairs {
        let help = "correct the file, if it means something else";
        let code = DiagnosticCode::Repaired;
        context.remark((repair.severity, code), repair.at, repair.message, help);
    }
    Ok((root, context))
}

/// An id that the file gives to a loop, and where.
type GivenId = Option<(String, usize)>;

struct Reader {
    context: Context,
    program: Program,
    /// Ids that the file gives and where, one entry a loop in program order.
    loop_ids: Vec<GivenId>,
}

/// What a block inherits from its surroundings.
#[derive(Clone, Copy)]
struct Scope<'a> {
    function: &'a str,
    file: &'a Arc<str>,
    /// Variables of the enclosing loops, outermost first.
    loops: &'a [&'a str],
}

impl Reader {
    fn program(&mut self, element: &Element) -> Result<(), XmlError> {
        for child in &element.children {
            match child.name.as_str() {
                "function" => self.function(child)?,
                "module" => self.program(child)?,
                "ls:file" => self.file(child)?,
                "ls:unread" => self.unread(child)?,
                "ls:unmentioned" => self.unmentioned(child)?,
                "ls:place" => {
                    let (symbol, place) = parts::place(&Fields::new(child, &self.context))?;
                    self.program.places.insert(symbol, place);
                }
                _ => self.context.unknown_element(child, element),
            }
        }
        Fields::new(element, &self.context).finish();
        Ok(())
    }

    fn file(&mut self, element: &Element) -> Result<(), XmlError> {
        let fields = Fields::new(element, &self.context);
        let path: Arc<str> = fields.required("path")?.into();
        let mut diagnostics = Vec::new();
        for child in &element.children {
            match child.name.as_str() {
                "ls:diagnostic" => diagnostics.push(parts::diagnostic(
                    &Fields::new(child, &self.context),
                    &path,
                )?),
                _ => self.context.unknown_element(child, element),
            }
        }
        let Some(language) = fields.word("language", Language::parse, "c, fortran")? else {
            return Err(fields.missing("language"));
        };
        let file = File {
            language,
            form: fields
                .word("form", Form::parse, "free, fixed")?
                .unwrap_or(Form::Free),
            lines: fields.number("lines")?.unwrap_or(0),
            is_parallel: fields.word("parallel", |text| text.parse().ok(), "true, false")?,
            is_of_processes: fields
                .word("processes", |text| text.parse().ok(), "true, false")?
                .unwrap_or(false),
            preprocessing: (fields.word(
                "preprocessing",
                Preprocessing::parse,
                "none, builtin, external",
            )?)
            .unwrap_or(Preprocessing::None),
            path,
            diagnostics,
        };
        fields.finish();
        self.program.files.push(file);
        Ok(())
    }

    fn unread(&mut self, element: &Element) -> Result<(), XmlError> {
        let fields = Fields::new(element, &self.context);
        let count = fields.number("count")?.unwrap_or(1);
        self.program
            .unread
            .insert(fields.required("extension")?.to_string(), count);
        fields.finish();
        Ok(())
    }

    fn unmentioned(&mut self, element: &Element) -> Result<(), XmlError> {
        let fields = Fields::new(element, &self.context);
        let name = fields.required("name")?.to_string();
        let of = self.program.unmentioned.entry(name).or_default();
        of.insert(fields.required("function")?.to_string());
        fields.finish();
        Ok(())
    }

    fn function(&mut self, element: &Element) -> Result<(), XmlError> {
        let context = &self.context;
        let fields = Fields::new(element, context);
        let name = fields.required("name")?.to_string();
        let file = fields
            .text("ls:file")
            .map_or_else(|| context.lines.path().clone(), Arc::from);
        let line = fields.number("ls:line")?.unwrap_or(fields.line());
        let end_line = fields.number("ls:endline")?;
        let is_program = |text: &str| (text == "program").then_some(true);
        let is_entry = fields.word("ls:entry", is_program, "program")?.is_some();
        let constants = children(element, "ls:constant", context, parts::constant)?;
        let pair = |fields: &Fields<'_>| {
            let name = Name::read(fields.required("name")?);
            let storage = Name::read(fields.required("storage")?);
            fields.finish();
            Ok((name, storage))
        };
        let shared = children(element, "ls:shares", context, pair)?;
        let pointed = children(element, "ls:points", context, pair)?;
        let objects = children(element, "ls:object", context, parts::object)?;
        let given_by = children(element, "ls:giver", context, parts::named)?;
        let recursion = children(element, "ls:recursion", context, parts::recursion)?.pop();
        let scope = Scope {
            function: &name,
            file: &file,
            loops: &[],
        };
        let body = read_block(&fields, scope, &mut self.loop_ids)?;
        fields.finish();
        self.program.functions.push(Function {
            name,
            file,
            line,
            end_line,
            is_entry,
            is_shown: true,
            given_by,
            recursion,
            constants,
            shared,
            pointed,
            objects,
            body,
        });
        Ok(())
    }

    /// Names the loops as the analysis does, save those that the file names.
    fn name_loops(&mut self) {
        let mut taken = BTreeMap::new();
        let mut given = std::mem::take(&mut self.loop_ids).into_iter();
        let mut seen = BTreeSet::new();
        for function in &mut self.program.functions {
            name_loops(&mut function.body, &function.name, &mut taken);
            put_ids(&mut function.body, &mut given, &mut seen, &self.context);
        }
    }

    fn finish(self) -> Program {
        let Reader {
            context: Context { lines, remarks },
            mut program,
            ..
        } = self;
        let diagnostics = remarks.into_diagnostics();
        if diagnostics.is_empty() {
            return program;
        }
        match program
            .files
            .iter_mut()
            .find(|file| file.path == *lines.path())
        {
            Some(file) => file.diagnostics.extend(diagnostics),
            None => program.files.push(File {
                path: lines.path().clone(),
                // ExaSAT's tuples are in Fortran's order.
                language: Language::Fortran,
                form: Form::Free,
                lines: lines.count(),
                is_parallel: None,
                is_of_processes: false,
                preprocessing: Preprocessing::None,
                diagnostics,
            }),
        }
        program
    }
}

/// Puts the ids that the file gives into the loops; one that is taken already gets a number.
/// What the elements of this name in another one say, in their order.
fn children<T>(
    element: &Element,
    name: &str,
    context: &Context,
    read: impl Fn(&Fields<'_>) -> Result<T, XmlError>,
) -> Result<Vec<T>, XmlError> {
    let found = element.children.iter().filter(|child| child.name == name);
    found
        .map(|child| read(&Fields::new(child, context)))
        .collect()
}

fn put_ids(
    block: &mut Block,
    given: &mut impl Iterator<Item = GivenId>,
    seen: &mut BTreeSet<String>,
    context: &Context,
) {
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => {
                if let Some((id, at)) = given.next().flatten() {
                    if seen.contains(&id) {
                        let message = format!("the id `{id}` is that of an earlier loop");
                        context.warn(
                            DiagnosticCode::DuplicateId,
                            at,
                            message,
                            "delete the attribute `ls:id` of all loops but one",
                        );
                    }
                    inner.id = id;
                }
                let base = inner.id.clone();
                let mut number = 1;
                while !seen.insert(inner.id.clone()) {
                    number += 1;
                    inner.id = format!("{base}#{number}");
                }
                put_ids(&mut inner.body, given, seen, context);
            }
            Item::Branch(branch) => {
                put_ids(&mut branch.then, given, seen, context);
                branch
                    .otherwise
                    .iter_mut()
                    .for_each(|block| put_ids(block, given, seen, context));
            }
        }
    }
}

/// Counts and children of a function, loop, `if` or `else`.
fn read_block(
    fields: &Fields<'_>,
    scope: Scope<'_>,
    ids: &mut Vec<GivenId>,
) -> Result<Block, XmlError> {
    let (element, context) = (fields.element, fields.context);
    let mut block = Block {
        texts: fields.number("ls:texts")?.unwrap_or(0),
        ..Block::default()
    };
    let mut by_type = BTreeMap::new();
    for child in &element.children {
        let inner = Fields::new(child, context);
        match child.name.as_str() {
            "ls:operations" => {
                by_type.insert(
                    ElementType::read(inner.required("type")?),
                    parts::operations(&inner)?,
                );
            }
            "ls:reason" => block.reasons.push(parts::reason(&inner)?),
            "ls:set" => block
                .settings
                .push(parts::setting(&inner, block.items.len())?),
            "scalar" => block.scalars.push(parts::scalar(&inner)?),
            "array" => block
                .streams
                .extend(streams::read(child, scope.loops, context)?),
            "funccall" | "functioncall" => block.calls.push(parts::call(&inner)?),
            "comm" => block.calls.push(parts::communication(&inner)?),
            "loop" => {
                let item = read_loop(&inner, scope, ids)?;
                block.items.push(Item::Loop(Box::new(item)));
            }
            "if" => {
                let item = read_branch(&inner, scope, ids)?;
                block.items.push(Item::Branch(Box::new(item)));
            }
            "else" => read_else(&inner, scope, ids, &mut block.items)?,
            "local" | "nonlocal" => context.not_modelled(child, "arrays are known by their uses"),
            "pininfo" => context.not_modelled(child, "measured counters come from traces"),
            "ls:constant" | "ls:shares" | "ls:points" | "ls:object" | "ls:giver"
            | "ls:recursion"
                if element.name == "function" => {}
            "ls:chain" | "ls:outer" if element.name == "loop" => {}
            "ls:range" if element.name == "if" => {}
            _ => context.unknown_element(child, element),
        }
    }
    block.flops = parts::flops(fields, by_type)?;
    Ok(block)
}

fn read_loop(
    fields: &Fields<'_>,
    scope: Scope<'_>,
    ids: &mut Vec<GivenId>,
) -> Result<Loop, XmlError> {
    let line = fields.number("linenum")?.unwrap_or(fields.line());
    let variable = fields.required("loopvar")?;
    let bound = |name: &'static str| fields.required(name).and_then(|_| fields.bound(name));
    let (lower, upper) = (bound("lowerbound")?, bound("upperbound")?);
    let step = fields.bound("stride")?.unwrap_or(Expr::from(1.0));
    if step.is_zero() {
        return Err(fields.bad("stride", "a step other than 0"));
    }
    ids.push(
        fields
            .text("ls:id")
            .map(|id| (id.to_string(), fields.at("ls:id"))),
    );
    let mut loops = scope.loops.to_vec();
    if !variable.is_empty() {
        loops.push(variable);
    }
    let body = read_block(
        fields,
        Scope {
            loops: &loops,
            ..scope
        },
        ids,
    )?;
    let (integer, floating) = (
        parts::registers(fields, "ls:integers")?,
        parts::registers(fields, "ls:floats")?,
    );
    let read = Loop {
        id: String::new(),
        file: fields
            .text("ls:file")
            .map_or_else(|| scope.file.clone(), Arc::from),
        line,
        end_line: fields.number("ls:endline")?.unwrap_or(line),
        variable: LoopVariable::read(variable),
        lower: lower.unwrap_or(Expr::from(1.0)),
        upper: upper.unwrap_or(Expr::from(1.0)),
        step,
        parallel: fields.text("ls:parallel").map(LoopDirective::read),
        is_serial: fields.text("ls:serial") == Some("true"),
        needs: fields.word("ls:needs", read_needs, "positions with commas between them")?,
        exits_early: fields.text("ls:exits") == Some("early"),
        tests_last: fields.text("ls:tests") == Some("last"),
        steps_time: fields.text("ls:steps") == Some("time"),
        beside: Beside {
            before: parts::lines(fields, "ls:before")?,
            behind: parts::lines(fields, "ls:behind")?,
        },
        repeated: parts::repeated(fields)?,
        in_core: read_in_core(fields)?,
        registers: integer
            .zip(floating)
            .map(|(integer, floating)| Registers { integer, floating }),
        body,
    };
    fields.finish();
    Ok(read)
}

/// What the core does in an iteration; `None` where that is not known.
fn read_in_core(fields: &Fields<'_>) -> Result<Option<InCore>, XmlError> {
    let carried = read_carried(fields)?;
    let outer = (fields.element.children.iter())
        .filter(|child| child.name == "ls:outer")
        .map(|child| {
            let fields = Fields::new(child, fields.context);
            let variable = fields.required("loopvar")?.to_string();
            let carried = read_carried(&fields)?;
            fields.finish();
            Ok((variable, carried))
        })
        .collect::<Result<Vec<_>, XmlError>>()?;
    let functions = parts::functions(fields)?;
    let is_known = functions.is_some() || !carried.chains.is_empty();
    let compiled = parts::compiled(fields)?;
    Ok(is_known.then(|| InCore {
        carried,
        outer,
        functions: functions.unwrap_or_default(),
        notes_errors: fields.text("ls:errors") == Some("noted"),
        compiled,
    }))
}

/// What iterations have from earlier ones.
fn read_carried(fields: &Fields<'_>) -> Result<Carried, XmlError> {
    let chains = (fields.element.children.iter())
        .filter(|child| child.name == "ls:chain")
        .map(|child| parts::chain(&Fields::new(child, fields.context)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Carried {
        chains,
        order: parts::order(fields)?,
        at_once: fields.number("ls:at_once")?,
    })
}

fn read_branch(
    fields: &Fields<'_>,
    scope: Scope<'_>,
    ids: &mut Vec<GivenId>,
) -> Result<Branch, XmlError> {
    let line = fields.number("linenum")?.unwrap_or(fields.line());
    let probability = fields
        .text("ls:probability")
        .map(|name| Symbol::new(SymbolKind::Probability, name));
    let branch = Branch {
        line,
        condition: fields.required("conditional")?.to_string(),
        probability: probability.unwrap_or_else(|| Symbol::probability(scope.function, line, None)),
        decision: parts::decision(fields)?,
        loops: parts::loops(fields, "ls:loops")?,
        parts: parts::parted(fields)?,
        asks: parts::asks(fields)?,
        then: read_block(fields, scope, ids)?,
        otherwise: None,
        then_lines: read_lines(fields)?,
        otherwise_lines: None,
    };
    fields.finish();
    Ok(branch)
}

/// First and last line.
fn read_lines(fields: &Fields<'_>) -> Result<Option<(u32, u32)>, XmlError> {
    let Some(text) = fields.text("ls:lines") else {
        return Ok(None);
    };
    let pair = text
        .split_once(' ')
        .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    pair.map(Some)
        .ok_or_else(|| fields.bad("ls:lines", "first and last line"))
}

/// Puts the block of an `else` into the last `if` of its line that has none yet.
fn read_else(
    fields: &Fields<'_>,
    scope: Scope<'_>,
    ids: &mut Vec<GivenId>,
    items: &mut [Item],
) -> Result<(), XmlError> {
    let line = fields.number("iflinenum")?;
    let lines = read_lines(fields)?;
    let block = read_block(fields, scope, ids)?;
    let waiting = items.last_mut().and_then(|item| match item {
        Item::Branch(branch)
            if branch.otherwise.is_none() && line.is_none_or(|line| line == branch.line) =>
        {
            Some(branch)
        }
        _ => None,
    });
    let Some(branch) = waiting else {
        return Err(XmlError::ElseWithoutIf {
            place: fields.place(),
            line: line.unwrap_or(fields.line()),
        });
    };
    branch.otherwise = Some(block);
    branch.otherwise_lines = lines;
    fields.finish();
    Ok(())
}
