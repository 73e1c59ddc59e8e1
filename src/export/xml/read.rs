//! Elements to a [`Program`]: ours exactly, ExaSAT's with defaults for what they do not say.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fields::{Context, Fields};
use super::tree::Element;
use super::{XmlError, parse, streams};
use crate::analysis::facts::*;
use crate::analysis::{name_loops, probability_symbol};
use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::expr::Expr;
use crate::source::{Form, Language, Preprocessing};

/// Reads a program from XML that [`write`](super::write) wrote, that ExaSAT wrote (either
/// generation), or that a person wrote after either example.
///
/// `path` is how the file is called in errors and remarks; a function that names no file of its own
/// gets it too. What is remarkable but no error is a diagnostic in the entry of `path` in
/// [`Program::files`]; without remarks there is no such entry.
///
/// Defaults: counts 0, `stride` 1, `component` empty, line numbers those of the XML file, operations
/// of the type `real8`, `reads` and `writes` of an access after its `accesstype`.
///
/// # Errors
/// The text is not well-formed, describes no program, lacks an attribute that has no default, or
/// has a value of the wrong kind; see [`XmlError`].
pub fn read(text: &str, path: &str) -> Result<Program, XmlError> {
    let context = Context::new(path, text);
    let root = parse::parse(text, &context.lines)?;
    if root.name != "program" {
        return Err(XmlError::UnknownRoot { place: context.lines.place(root.at), name: root.name });
    }
    let mut reader = Reader { context, program: Program::default(), loop_ids: Vec::new() };
    reader.program(&root)?;
    reader.name_loops(&root);
    Ok(reader.finish())
}

struct Reader {
    context: Context,
    program: Program,
    /// Ids that the file gives, one entry a loop in program order.
    loop_ids: Vec<Option<String>>,
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
                "ls:diagnostic" => diagnostics.push(read_diagnostic(&Fields::new(child, &self.context), &path)?),
                _ => self.context.unknown_element(child, element),
            }
        }
        let Some(language) = fields.word("language", Language::parse, "c, fortran")? else {
            return Err(fields.missing("language"));
        };
        let file = File {
            language,
            form: fields.word("form", Form::parse, "free, fixed")?.unwrap_or(Form::Free),
            lines: fields.number("lines")?.unwrap_or(0),
            preprocessing: (fields.word("preprocessing", Preprocessing::parse, "none, builtin, external")?)
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
        self.program.unread.insert(fields.required("extension")?.to_string(), count);
        fields.finish();
        Ok(())
    }

    fn function(&mut self, element: &Element) -> Result<(), XmlError> {
        let context = &self.context;
        let fields = Fields::new(element, context);
        let name = fields.required("name")?.to_string();
        let file = fields.text("ls:file").map_or_else(|| context.lines.path().clone(), Arc::from);
        let line = fields.number("ls:line")?.unwrap_or(fields.line());
        let mut constants = Vec::new();
        for child in element.children.iter().filter(|child| child.name == "ls:constant") {
            constants.push(read_constant(&Fields::new(child, context))?);
        }
        let scope = Scope { function: &name, file: &file, loops: &[] };
        let body = read_block(&fields, scope, &mut self.loop_ids)?;
        fields.finish();
        self.program.functions.push(Function { name, file, line, constants, body });
        Ok(())
    }

    /// Names the loops as the analysis does, save those that the file names.
    fn name_loops(&mut self, root: &Element) {
        let mut taken = BTreeMap::new();
        let mut given = std::mem::take(&mut self.loop_ids).into_iter();
        let mut seen = BTreeMap::new();
        for function in &mut self.program.functions {
            name_loops(&mut function.body, &function.name, &mut taken);
            put_ids(&mut function.body, &mut given, &mut seen);
        }
        for (id, count) in seen.into_iter().filter(|(_, count)| *count > 1) {
            let message = format!("{count} loops have the id `{id}`");
            self.context.warn("duplicate-id", root.at, message, "delete the attribute `ls:id` of all but one");
        }
    }

    fn finish(self) -> Program {
        let Reader { context: Context { lines, remarks }, mut program, .. } = self;
        let diagnostics = remarks.into_diagnostics();
        if diagnostics.is_empty() {
            return program;
        }
        match program.files.iter_mut().find(|file| file.path == *lines.path()) {
            Some(file) => file.diagnostics.extend(diagnostics),
            None => program.files.push(File {
                path: lines.path().clone(),
                // ExaSAT's tuples are in Fortran's order.
                language: Language::Fortran,
                form: Form::Free,
                lines: lines.count(),
                preprocessing: Preprocessing::None,
                diagnostics,
            }),
        }
        program
    }
}

fn put_ids(block: &mut Block, given: &mut impl Iterator<Item = Option<String>>, seen: &mut BTreeMap<String, usize>) {
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => {
                if let Some(id) = given.next().flatten() {
                    inner.id = id;
                }
                *seen.entry(inner.id.clone()).or_default() += 1;
                put_ids(&mut inner.body, given, seen);
            }
            Item::Branch(branch) => {
                put_ids(&mut branch.then, given, seen);
                branch.otherwise.iter_mut().for_each(|block| put_ids(block, given, seen));
            }
        }
    }
}

fn read_diagnostic(fields: &Fields<'_>, file: &Arc<str>) -> Result<Diagnostic, XmlError> {
    let severity = fields.word("severity", Severity::parse, "note, warning, error")?;
    let diagnostic = Diagnostic {
        severity: severity.unwrap_or(Severity::Note),
        code: fields.required("code")?.into(),
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

fn read_constant(fields: &Fields<'_>) -> Result<Constant, XmlError> {
    let origins = "constant, macro, assigned, default, set";
    let value = fields.required("value").and_then(|_| fields.expression("value"))?;
    let constant = Constant {
        name: fields.required("name")?.to_string(),
        value: value.unwrap_or_else(|| Expr::from(0.0)),
        origin: fields.word("origin", Origin::parse, origins)?.unwrap_or(Origin::Constant),
    };
    fields.finish();
    Ok(constant)
}

/// Counts and children of a function, loop, `if` or `else`.
fn read_block(fields: &Fields<'_>, scope: Scope<'_>, ids: &mut Vec<Option<String>>) -> Result<Block, XmlError> {
    let (element, context) = (fields.element, fields.context);
    let mut block = Block::default();
    let mut by_type = BTreeMap::new();
    for child in &element.children {
        let inner = Fields::new(child, context);
        match child.name.as_str() {
            "ls:operations" => {
                by_type.insert(inner.required("type")?.to_string(), read_operations(&inner)?);
            }
            "ls:reason" => block.reasons.push(read_reason(&inner)?),
            "scalar" => block.scalars.push(read_scalar(&inner)?),
            "array" => block.streams.extend(streams::read(child, scope.loops, context)?),
            "funccall" | "functioncall" => block.calls.push(read_call(&inner)?),
            "comm" => block.calls.push(read_communication(&inner)?),
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
            "ls:constant" if element.name == "function" => {}
            _ => context.unknown_element(child, element),
        }
    }
    block.flops = read_flops(fields, by_type)?;
    Ok(block)
}

/// The four counts of ExaSAT, of type `real8` unless `ls:operations` tell more.
fn read_flops(fields: &Fields<'_>, by_type: BTreeMap<String, OperationCounts>) -> Result<Flops, XmlError> {
    let names = ["adds", "multiplies", "divides", "specials"];
    let mut given = [None; 4];
    for (count, name) in given.iter_mut().zip(names) {
        *count = fields.number(name)?;
    }
    let [adds, multiplies, divides, specials] = given.map(|count| count.unwrap_or(0));
    let simple = OperationCounts { adds, multiplies, divides, specials, ..Default::default() };
    let mut flops = Flops { by_type };
    if flops.by_type.is_empty() && simple != OperationCounts::default() {
        flops.by_type.insert("real8".to_string(), simple);
    }
    let totals = flops.total().values();
    for ((name, count), total) in names.into_iter().zip(given).zip(totals) {
        if count.is_some_and(|count| count != total) {
            let message =
                format!("`{name}` of `<{}>` contradicts its `ls:operations`, which hold", fields.element.name);
            let help = "change both, or delete the `ls:operations`";
            fields.context.warn("contradiction", fields.at(name), message, help);
        }
    }
    Ok(flops)
}

fn read_operations(fields: &Fields<'_>) -> Result<OperationCounts, XmlError> {
    let mut values = [0; 9];
    for (value, name) in values.iter_mut().zip(OperationCounts::NAMES) {
        *value = fields.number(name)?.unwrap_or(0);
    }
    fields.finish();
    Ok(OperationCounts::from_values(values))
}

fn read_reason(fields: &Fields<'_>) -> Result<Reason, XmlError> {
    let reason = Reason {
        code: fields.required("code")?.to_string(),
        line: fields.number("line")?.unwrap_or(fields.line()),
        detail: fields.text("detail").unwrap_or("").to_string(),
    };
    fields.finish();
    Ok(reason)
}

fn read_scalar(fields: &Fields<'_>) -> Result<Scalar, XmlError> {
    let (ty, _) = streams::read_type(fields);
    let class = fields.word("accesstype", AccessClass::parse, streams::CLASSES)?;
    let reads = fields.number("reads")?.unwrap_or(0);
    let writes = fields.number("writes")?.unwrap_or(0);
    let scalar = Scalar {
        name: fields.required("name")?.to_string(),
        ty,
        is_constant: fields.word("isConstant", |text| text.parse().ok(), "true, false")?.unwrap_or(false),
        class: class.unwrap_or_else(|| streams::class_of(&[Access { offset: Vec::new(), reads, writes }], None)),
        reads,
        writes,
    };
    fields.finish();
    Ok(scalar)
}

fn read_call(fields: &Fields<'_>) -> Result<Call, XmlError> {
    let mut arguments = Vec::new();
    for child in &fields.element.children {
        if child.name != "arg" {
            fields.context.unknown_element(child, fields.element);
            continue;
        }
        let argument = Fields::new(child, fields.context);
        arguments.push(argument.required("argname")?.to_string());
        argument.finish();
    }
    let line = fields.number("linenum")?.unwrap_or(fields.line());
    let call = Call { line, name: fields.required("name")?.to_string(), arguments };
    fields.finish();
    Ok(call)
}

/// Communication of the older generation: a call of the interface with the arrays and scalars that it
/// moves.
fn read_communication(fields: &Fields<'_>) -> Result<Call, XmlError> {
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
    let call = Call { line, name: fields.required("interface")?.to_string(), arguments };
    fields.finish();
    Ok(call)
}

fn read_loop(fields: &Fields<'_>, scope: Scope<'_>, ids: &mut Vec<Option<String>>) -> Result<Loop, XmlError> {
    let line = fields.number("linenum")?.unwrap_or(fields.line());
    let variable = fields.required("loopvar")?;
    let bound = |name: &'static str| fields.required(name).and_then(|_| fields.bound(name));
    let (lower, upper) = (bound("lowerbound")?, bound("upperbound")?);
    let step = fields.bound("stride")?.unwrap_or(Expr::from(1.0));
    if step.is_zero() {
        return Err(fields.bad("stride", "a step other than 0"));
    }
    ids.push(fields.text("ls:id").map(String::from));
    let mut loops = scope.loops.to_vec();
    if !variable.is_empty() {
        loops.push(variable);
    }
    let body = read_block(fields, Scope { loops: &loops, ..scope }, ids)?;
    let read = Loop {
        id: String::new(),
        file: fields.text("ls:file").map_or_else(|| scope.file.clone(), Arc::from),
        line,
        end_line: fields.number("ls:endline")?.unwrap_or(line),
        variable: variable.to_string(),
        lower: lower.unwrap_or(Expr::from(1.0)),
        upper: upper.unwrap_or(Expr::from(1.0)),
        step,
        parallel: fields.text("ls:parallel").map(String::from),
        body,
    };
    fields.finish();
    Ok(read)
}

fn read_branch(fields: &Fields<'_>, scope: Scope<'_>, ids: &mut Vec<Option<String>>) -> Result<Branch, XmlError> {
    let line = fields.number("linenum")?.unwrap_or(fields.line());
    let probability = fields.text("ls:probability").map(String::from);
    let branch = Branch {
        line,
        condition: fields.required("conditional")?.to_string(),
        probability: probability.unwrap_or_else(|| probability_symbol(scope.function, line)),
        then: read_block(fields, scope, ids)?,
        otherwise: None,
    };
    fields.finish();
    Ok(branch)
}

/// Puts the block of an `else` into the last `if` of its line that has none yet.
fn read_else(
    fields: &Fields<'_>,
    scope: Scope<'_>,
    ids: &mut Vec<Option<String>>,
    items: &mut [Item],
) -> Result<(), XmlError> {
    let line = fields.number("iflinenum")?;
    let block = read_block(fields, scope, ids)?;
    let waiting = items.last_mut().and_then(|item| match item {
        Item::Branch(branch) if branch.otherwise.is_none() && line.is_none_or(|line| line == branch.line) => {
            Some(branch)
        }
        _ => None,
    });
    let Some(branch) = waiting else {
        return Err(XmlError::ElseWithoutIf { place: fields.place(), line: line.unwrap_or(fields.line()) });
    };
    branch.otherwise = Some(block);
    fields.finish();
    Ok(())
}
