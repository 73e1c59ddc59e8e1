//! `analyze --dot` and `--svg`: what must follow what, a file for each function or loop that holds several, and what moves
//! through caches of any size, a file for each of the costliest nests.

use std::collections::HashSet;
use std::path::Path;

use super::outputs::Output;
use crate::cli::AnalyzeArgs;
use crate::export::{loops_dot, svg};
use crate::model::Model;
use crate::model::ranking::listed;

/// Nests with a picture of what moves through caches, beside those of `--nest-sheet`.
const STAIRCASES: usize = 10;

/// All of them; `wanted` are nests of which there is a picture in any case.
pub(super) fn write(args: &AnalyzeArgs, model: &Model, wanted: &[usize]) -> anyhow::Result<()> {
    let mut names = Names::default();
    let is_shown = |function: usize| model.program.functions[function].is_shown;
    for sequence in model.sequences.iter().filter(|one| is_shown(one.function)) {
        let function = &model.program.functions[sequence.function];
        let name = sequence.within.map_or(&function.name, |outer| &outer.id);
        let name = names.free(name);
        if let Some(directory) = &args.dot {
            let text = loops_dot::sequence(model, sequence);
            Output::create(&directory.join(format!("{name}.dot")))?.finish(text.as_bytes())?;
        }
        if let Some(directory) = &args.svg {
            let text = svg::sequence(model, sequence);
            Output::create(&directory.join(format!("{name}.svg")))?.finish(text.as_bytes())?;
        }
    }
    match &args.svg {
        Some(directory) => staircases(directory, model, (wanted, &mut names)),
        None => Ok(()),
    }
}

/// What moves through caches of any size.
fn staircases(
    directory: &Path,
    model: &Model,
    (wanted, names): (&[usize], &mut Names),
) -> anyhow::Result<()> {
    let mut nests = listed(&model.nests, model.costliest(usize::MAX), STAIRCASES);
    nests.extend(wanted);
    let mut seen = HashSet::new();
    nests.retain(|nest| seen.insert(*nest));
    if nests.is_empty() {
        return Ok(());
    }
    let with_formulas = model.for_nests(&nests);
    for nest in nests {
        let drawn = with_formulas
            .position_of(&model.nests[nest])
            .and_then(|at| svg::staircase(&with_formulas, &with_formulas.nests[at]));
        if let Some(text) = drawn {
            let id = &model.nests[nest].nest.head().id;
            let name = names.free(&format!("staircase-{id}"));
            Output::create(&directory.join(format!("{name}.svg")))?.finish(text.as_bytes())?;
        }
    }
    Ok(())
}

/// Names of files, each once: functions of several files may have one name.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    fn free(&mut self, name: &str) -> String {
        const LONGEST: usize = 100;
        let clean = |c: char| match c.is_alphanumeric() || matches!(c, '_' | '-' | '@' | '.') {
            true => c,
            false => '_',
        };
        let stem: String = name.chars().map(clean).take(LONGEST).collect();
        let mut numbered = stem.clone();
        let mut number = 1;
        while !self.0.insert(numbered.clone()) {
            number += 1;
            numbered = format!("{stem}-{number}");
        }
        numbered
    }
}
