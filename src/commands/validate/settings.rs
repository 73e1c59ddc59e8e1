//! Arguments to settings, with what is wrong with them.

use std::collections::BTreeSet;

use anyhow::Context;

use super::super::parameters::split_names;
use super::super::project::Project;
use crate::analysis::ProcedureBody;
use crate::analysis::facts::{Block, Item, Program};
use crate::cache::CacheSpec;
use crate::cli::{TrafficRule, ValidateArgs};
use crate::core_levels::{of_machine, sound};
use crate::expr::{Symbol, SymbolKind};
use crate::machine::MachineModel;
use crate::machine::parameters::of_level;
use crate::model::{Detail, Model, Setting, SettingError};
use crate::quantity::parse_bytes;
use crate::validate::{MOST_PROBED, Settings};

/// Combinations of sizes that are run at most.
const MOST_COMBINATIONS: usize = 10_000;

/// Limits, and the caches of the command line or else of the machine.
///
/// # Errors
/// An argument is not a cache or not a size, or the levels are not a hierarchy.
pub fn from_arguments(args: &ValidateArgs, machine: &MachineModel) -> anyhow::Result<Settings> {
    let level = |text: &String| {
        text.parse::<CacheSpec>()
            .with_context(|| format!("--cache {text}"))
    };
    let levels = match args.cache.is_empty() {
        true => of_machine(machine)?,
        false => sound(
            args.cache
                .iter()
                .map(level)
                .collect::<anyhow::Result<_>>()?,
            "--cache",
        )?,
    };
    let gap = parse_bytes(&args.gap)
        .map_err(|error| anyhow::anyhow!("--gap: {error}"))?
        .0 as i64;
    anyhow::ensure!(gap <= 1 << 32, "--gap {}: must be at most 4 GiB", args.gap);
    Ok(Settings {
        levels,
        most_accesses: args.max_accesses,
        most_probed: MOST_PROBED,
        gap,
        others: Vec::new(),
        whole: args.whole,
    })
}

/// The model and the simulation are to have the same caches: of the parameters that say what these are, those that
/// would change only the model are refused. With `--cache`, the line of its levels is that of the model too.
fn same_caches(
    args: &ValidateArgs,
    levels: &[CacheSpec],
    runs: &mut [Vec<Setting>],
) -> anyhow::Result<()> {
    let says = |setting: &Setting| {
        matches!(
            of_level(&setting.name),
            Some("bytes" | "ways" | "shared_by")
        )
    };
    anyhow::ensure!(
        args.source.scenarios != Some(TrafficRule::Exasat),
        "--scenarios exasat: cache levels are validated, and they follow the refined rule"
    );
    for setting in runs.iter().flatten() {
        let name = &setting.name;
        anyhow::ensure!(
            name != "cache_bytes",
            "--set cache_bytes: cache levels are validated, and it is none of them; set l1_bytes, or give --cache"
        );
        anyhow::ensure!(
            args.cache.is_empty() || !says(setting),
            "--set {name}: the caches are those of --cache"
        );
    }
    if args.cache.is_empty() {
        return Ok(());
    }
    let line = levels.first().map_or(64, |level| level.line);
    anyhow::ensure!(
        levels.iter().all(|level| level.line == line),
        "--cache: lines of different lengths; the model has one, for all levels"
    );
    for run in runs {
        let given = run.iter().find(|setting| setting.name == "line_bytes");
        if let Some(Setting { value, .. }) = given {
            let bytes = parse_bytes(value)
                .map_err(|error| anyhow::anyhow!("--set line_bytes={value}: {error}"))?
                .0;
            anyhow::ensure!(
                bytes == f64::from(line),
                "--set line_bytes={value}: the lines of --cache have {line} bytes; give them there, as in 32KiB,8way,{bytes}B"
            );
        } else {
            run.push(Setting::new("line_bytes", line.to_string()));
        }
    }
    Ok(())
}

/// The settings of every run: those that are given with each combination of `--sizes`.
///
/// # Errors
/// An argument is not of the form that it must have.
pub fn combinations(
    args: &ValidateArgs,
    given: &[Setting],
    levels: &[CacheSpec],
) -> anyhow::Result<Vec<Vec<Setting>>> {
    // A whole function's caches are warm: its nests find what others left, unless a setting says otherwise.
    let warm = Setting::new("reuse_between_nests", "1");
    let begin = args.whole.then_some(warm).into_iter();
    let mut runs = vec![begin.chain(given.iter().cloned()).collect::<Vec<Setting>>()];
    let mut named: Vec<String> = Vec::new();
    for text in &args.sizes {
        let (names, values) = text.split_once('=').with_context(|| {
            format!("--sizes {text}: expected NAMES=LIST, for example --sizes nx,ny=64..256:64")
        })?;
        let values = list(values).with_context(|| format!("--sizes {text}"))?;
        for name in split_names(names) {
            anyhow::ensure!(!name.is_empty(), "--sizes {text}: a name is missing");
            anyhow::ensure!(
                !named.contains(&name),
                "--sizes {text}: `{name}` has sizes already"
            );
            named.push(name);
        }
        anyhow::ensure!(
            runs.len() * values.len() <= MOST_COMBINATIONS,
            "--sizes: more than {MOST_COMBINATIONS} combinations"
        );
        let with = |run: &Vec<Setting>, value: &i64| {
            let settings = split_names(names).map(|name| Setting::new(name, value.to_string()));
            run.iter()
                .cloned()
                .chain(settings)
                .collect::<Vec<Setting>>()
        };
        runs = runs
            .iter()
            .flat_map(|run| values.iter().map(move |value| with(run, value)))
            .collect();
    }
    same_caches(args, levels, &mut runs)?;
    Ok(runs)
}

/// Builds the model of a project with the settings of one run; settings that it has no parameter for are values of scalars of the source, such as extents
/// that no loop mentions, or probabilities of branches around nothing that the model counts.
///
/// # Errors
/// A setting is neither, or its value is not a number.
pub fn build<'p>(
    program: &'p Program,
    bodies: &[Option<ProcedureBody>],
    project: &Project,
    settings: &[Setting],
    unknown: &mut BTreeSet<String>,
) -> anyhow::Result<(Model<'p>, Vec<(Symbol, f64)>)> {
    let (mut known, mut others) = (settings.to_vec(), Vec::new());
    loop {
        match Model::with(program, project.machine.clone(), &known, Detail::Values) {
            Ok(model) => return Ok((model, others)),
            Err(error @ SettingError::Unknown { .. }) => {
                let name = error.setting().to_string();
                let scalar = is_scalar(bodies, &name).then(|| Symbol::source(&name));
                let Some(symbol) = scalar.or_else(|| probability(program, &name)) else {
                    project.leave_out(&mut known, error, unknown)?;
                    continue;
                };
                let position = known
                    .iter()
                    .position(|setting| setting.name == name)
                    .context("a setting")?;
                let value = known.remove(position).value;
                let number: f64 = value
                    .parse()
                    .with_context(|| format!("--set {name}={value}: not a number"))?;
                match symbol.kind() {
                    SymbolKind::Source => {
                        anyhow::ensure!(
                            number.fract() == 0.0,
                            "--set {name}={value}: not a whole number"
                        );
                    }
                    _ => anyhow::ensure!(
                        (0.0..=1.0).contains(&number),
                        "--set {name}={value}: a probability is between 0 and 1"
                    ),
                }
                others.push((symbol, number));
            }
            Err(error) => project.leave_out(&mut known, error, unknown)?,
        }
    }
}

fn is_scalar(bodies: &[Option<ProcedureBody>], name: &str) -> bool {
    let variables = bodies
        .iter()
        .flatten()
        .flat_map(|body| &body.function.variables);
    variables
        .into_iter()
        .any(|variable| variable.dimensions.is_empty() && variable.name == name)
}

/// The probability of a branch by its name.
fn probability(program: &Program, name: &str) -> Option<Symbol> {
    fn inside(block: &Block, name: &str) -> Option<Symbol> {
        block.items.iter().find_map(|item| match item {
            Item::Loop(inner) => inside(&inner.body, name),
            Item::Branch(branch) => Some(branch.probability.clone())
                .filter(|symbol| symbol.name() == name)
                .or_else(|| inside(&branch.then, name))
                .or_else(|| inside(branch.otherwise.as_ref()?, name)),
        })
    }
    program
        .functions
        .iter()
        .find_map(|function| inside(&function.body, name))
}

/// `100,200`, `64..256:64`, or both.
fn list(text: &str) -> anyhow::Result<Vec<i64>> {
    let number = |text: &str| {
        let text = text.trim();
        text.parse::<i64>()
            .with_context(|| format!("`{text}` is not a whole number"))
    };
    let mut values = Vec::new();
    for part in text.split(',') {
        let Some((first, rest)) = part.split_once("..") else {
            values.push(number(part)?);
            continue;
        };
        let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
        let (first, last, step) = (number(first)?, number(last)?, number(step)?);
        anyhow::ensure!(step > 0, "`{part}`: the step must be more than 0");
        anyhow::ensure!(first <= last, "`{part}`: {last} is less than {first}");
        anyhow::ensure!(
            last.saturating_sub(first) / step < MOST_COMBINATIONS as i64,
            "`{part}`: too many sizes"
        );
        values.extend((first..=last).step_by(step as usize));
    }
    // One run is enough for sizes that are given twice.
    let mut seen = BTreeSet::new();
    values.retain(|value| seen.insert(*value));
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_numbers_and_ranges() {
        assert_eq!(list("100, 7").expect("two"), [100, 7]);
        assert_eq!(
            list("64..200:64,5..7").expect("two ranges"),
            [64, 128, 192, 5, 6, 7]
        );
        for (text, why) in [
            ("", "whole number"),
            ("4..2", "2 is less"),
            ("1..4:0", "more than 0"),
            ("1..1e9", "whole"),
        ] {
            let error = list(text).expect_err(text);
            assert!(error.to_string().contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn names_may_have_subscripts() {
        assert_eq!(
            split_names("n, hi(1,2),m[0]").collect::<Vec<_>>(),
            ["n", "hi(1,2)", "m[0]"]
        );
    }
}
