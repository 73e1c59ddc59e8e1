//! What was found, read up to where sources are lowered, and the program that is made of it.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use anyhow::Context;

use super::bodies::Bodies;
use super::compile_commands::{Databases, Flags};
use super::files;
use super::input::{Input, Kind};
use super::inputs::{Found, Reading, skip};
use super::lowered::{self, Units};
use super::opened::Opened;
use super::programs;
use super::run_input::RunInput;
use super::watch::Watch;
use crate::analysis::facts::Program;
use crate::analysis::inputs::{Inputs, Used};
use crate::analysis::{self, Statements};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::export::xml;
use crate::ir::Unit;
use crate::lower;
use crate::source::optimisation::Optimisation;

/// Units to facts, and their statements if they are asked for.
pub(super) type Analysis = fn(Vec<Unit>, &Inputs) -> (Program, Option<Statements>, Used);

/// What was found, with all that is read before sources are.
pub(super) struct Gathered<'f> {
    found: &'f Found,
    reading: &'f Reading,
    /// Texts of models, with their names.
    models: Vec<(&'f str, String)>,
    sources: Vec<&'f Input>,
    flags: Vec<Flags>,
    /// Of every source, whether a build names it.
    is_built: Vec<bool>,
    /// What is left out, and why.
    skipped: Vec<Diagnostic>,
}

impl<'f> Gathered<'f> {
    pub fn of(found: &'f Found, reading: &'f Reading) -> anyhow::Result<Gathered<'f>> {
        let (models, sources): (Vec<&Input>, Vec<&Input>) =
            (found.inputs.iter()).partition(|input| input.kind == Kind::Model);
        let text = |input: &'f Input| {
            let text = files::read_text(&input.path);
            let text = text.with_context(|| format!("cannot read {}", input.name))?;
            Ok((&*input.name, text))
        };
        let models = models.into_iter().map(text);
        let models = models.collect::<anyhow::Result<_>>()?;
        let mut skipped = found.skipped.clone();
        let flags = flags_of(&sources, reading, &mut skipped)?;
        let is_built = sources.iter().map(|source| found.build.name(&source.path));
        Ok(Gathered {
            found,
            reading,
            models,
            is_built: is_built.collect(),
            sources,
            flags,
            skipped,
        })
    }

    fn earlier(&self) -> lowered::Earlier<'_> {
        (&self.reading.caching, self.reading.hidden.as_deref())
    }

    pub fn units(&self, watch: &dyn Watch) -> anyhow::Result<Vec<Unit>> {
        let files = (&self.found.headers, &self.reading.cpp);
        lowered::units(&self.sources, &self.flags, files, self.earlier(), watch)
    }

    pub fn units_unless_known(
        &self,
        paths: &[PathBuf],
        watch: &dyn Watch,
    ) -> anyhow::Result<Units> {
        let files = (&self.found.headers, &self.reading.cpp);
        let of = (paths, &*self.beside());
        lowered::units_unless_known(&self.sources, &self.flags, files, self.earlier(), of, watch)
    }

    /// What decides what is made of sources once they are prepared, beside them and their flags.
    fn beside(&self) -> String {
        // A new field must be thought of here; what is left out decides how sources are prepared, or which.
        let Reading {
            include: _,
            define: _,
            undefine: _,
            flags: _,
            database: _,
            ignore: _,
            cpp: _,
            blas,
            function,
            input,
            sizes,
            follows_opened,
            order: _,
            caching: _,
            hidden: _,
            stands_for: _,
        } = self.reading;
        let function = function.as_ref().map(|pattern| pattern.glob().to_string());
        let Gathered {
            models,
            is_built,
            skipped,
            ..
        } = self;
        let unread = &self.found.unread;
        format!(
            "{models:?} {is_built:?} {skipped:?} {unread:?} {blas} {function:?} {input:?} {sizes:?} {follows_opened}"
        )
    }

    /// The program that the units and models are.
    pub fn analysed(
        self,
        paths: &[PathBuf],
        mut units: Vec<Unit>,
        analyze: Analysis,
    ) -> anyhow::Result<(Program, Bodies, Opened)> {
        let Gathered {
            found,
            reading,
            models,
            sources,
            flags,
            is_built,
            mut skipped,
        } = self;
        let mut program = Program::default();
        for (name, text) in models {
            append(&mut program, xml::read(&text, name)?);
        }
        analysis::guesses::complete(&mut program);
        for (unit, is_built) in units.iter_mut().zip(is_built) {
            unit.is_built = is_built;
        }
        if reading.blas {
            units.extend(lower::blas::missing(&units));
        }
        skipped.extend(programs::leave_out_examples(&mut units));
        let (input, opened) = match reading.follows_opened {
            true => {
                let (files, opened) = Opened::of(paths, &units);
                (RunInput::opened(&files), opened)
            }
            false => (reading.input.clone().in_order(&units)?, Opened::default()),
        };
        let mut inputs = input.inputs();
        inputs.sizes.clone_from(&reading.sizes);
        let (mut analysed, statements, used) = analyze(units, &inputs);
        skipped.extend(input.remarks(&used, &reading.sizes));
        let compiled: HashMap<&str, Optimisation> = (sources.iter().zip(&flags))
            .map(|(source, flags)| (&*source.name, flags.optimisation))
            .collect();
        for function in &mut analysed.functions {
            if let Some(with) = compiled.get(&*function.file) {
                analysis::compiled::compile(&mut function.body, *with);
            }
        }
        // Nothing says who calls what, and whether several cores do, where there is no main program.
        if !analysed.functions.iter().any(|function| function.is_entry) {
            let files = analysed.files.iter_mut();
            files.for_each(|file| file.is_parallel = None);
        }
        analysis::guesses::complete(&mut analysed);
        let mut kept = vec![None; program.functions.len()];
        kept.extend((0..analysed.functions.len()).map(Some));
        if let Some(pattern) = &reading.function {
            for function in &mut analysed.functions {
                function.is_shown = pattern.is_match(&function.name);
            }
        }
        let unread = found.unread.clone();
        append(&mut program, Program { unread, ..analysed });
        if let Some(file) = program.files.first_mut() {
            file.diagnostics.extend(skipped);
        }
        Ok((program, Bodies::new(statements, kept), opened))
    }
}

fn append(program: &mut Program, other: Program) {
    let Program {
        files,
        functions,
        places,
        unmentioned,
        set,
        unread,
    } = other;
    program.files.extend(files);
    program.places.extend(places);
    program.functions.extend(functions);
    for (name, of) in unmentioned {
        program.unmentioned.entry(name).or_default().extend(of);
    }
    program.set.extend(set);
    for (extension, count) in unread {
        *program.unread.entry(extension).or_insert(0) += count;
    }
}

/// The flags of every input: its own from `compile_commands.json`, then those of the command line.
pub(super) fn flags_of<'i>(
    inputs: &[&'i Input],
    reading: &Reading,
    skipped: &mut Vec<Diagnostic>,
) -> anyhow::Result<Vec<Flags>> {
    let moved = reading.stands_for.clone().zip(reading.hidden.clone());
    let mut databases = Databases::open(reading.database.as_deref(), moved)?;
    let mut not_heeded: BTreeMap<String, Vec<&Input>> = BTreeMap::new();
    let mut flags = |input: &&'i Input| {
        let mut flags = databases.flags(&input.path).unwrap_or_default();
        for (directory, words) in &reading.flags {
            flags.read(words, directory);
        }
        flags.include.splice(0..0, reading.include.iter().cloned());
        reading.define.iter().for_each(|text| flags.define(text));
        reading
            .undefine
            .iter()
            .for_each(|name| flags.undefine(name));
        for (_, flag) in (flags.not_heeded.iter()).filter(|(language, _)| input.is_in(*language)) {
            not_heeded.entry(flag.clone()).or_default().push(input);
        }
        flags
    };
    let flags = inputs.iter().map(&mut flags).collect();
    skipped.extend(not_heeded.iter().map(|(flag, files)| unheeded(flag, files)));
    for (path, why) in databases.unreadable {
        skipped.push(skip(&path, format!("not used: {why}")));
    }
    Ok(flags)
}

/// The remark about a flag that changes figures in a way that is not known.
fn unheeded(flag: &str, files: &[&Input]) -> Diagnostic {
    let files_have = match files.len() {
        1 => "1 file is".to_string(),
        more => format!("{more} files are"),
    };
    Diagnostic {
        severity: Severity::Warning,
        code: DiagnosticCode::FlagNotHeeded,
        place: Place {
            file: files[0].name.clone(),
            line: 1,
            column: 1,
        },
        width: 1,
        message: format!(
            "{files_have} compiled with `{flag}`, which changes sizes of types, where members lie or which columns count: \
             figures are as without it"
        ),
        help: None,
    }
}
