//! Which main programs are of the run that is meant? Not the test or the example of a library on which another one rests.
//!
//! ```text
//! main.f90         calls `solve` of lib/solver.f90
//! lib/solver.f90
//! lib/main.f90     shows how `solve` is called: not of this run
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use crate::ir::visit::{InLoop, calls_of, statements};
use crate::ir::{Function, Unit};

/// Lets no run begin with main programs in directories below another one's, if procedures elsewhere call what else such a
/// directory has; what is said of them.
pub(super) fn leave_out_examples(units: &mut [Unit]) -> Vec<Diagnostic> {
    let mains: Vec<usize> = (0..units.len())
        .filter(|at| units[*at].functions.iter().any(|own| own.is_main))
        .collect();
    if mains.len() < 2 {
        return Vec::new();
    }
    let called = called_from(units);
    let examples: Vec<(usize, usize)> = (mains.iter())
        .filter_map(|at| {
            let below = directory(&units[*at]);
            let is_above = |other: &&usize| {
                let above = directory(&units[**other]);
                above != below && below.starts_with(above)
            };
            let above = mains.iter().find(is_above)?;
            is_of_library(units, *at, &called).then_some((*at, *above))
        })
        .collect();
    let mut said = Vec::new();
    for (at, above) in examples {
        let above = units[above].path.to_string();
        let unit = &mut units[at];
        for main in unit.functions.iter_mut().filter(|own| own.is_main) {
            main.is_main = false;
            said.push(remark(main, &above));
        }
    }
    said
}

fn directory(unit: &Unit) -> &Path {
    Path::new(&*unit.path).parent().unwrap_or(Path::new(""))
}

/// By the name of what is called, the units that call it.
fn called_from(units: &[Unit]) -> BTreeMap<String, BTreeSet<usize>> {
    let mut found: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        for function in &unit.functions {
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                calls_of(stmt, &mut |name, _| {
                    found.entry(name.to_string()).or_default().insert(at);
                });
            });
        }
    }
    found
}

/// Whether other files of a unit's directory, or below it, have procedures that are called from elsewhere.
fn is_of_library(
    units: &[Unit],
    example: usize,
    called: &BTreeMap<String, BTreeSet<usize>>,
) -> bool {
    let below = directory(&units[example]);
    let is_inside = |at: usize| directory(&units[at]).starts_with(below);
    (0..units.len())
        .filter(|at| *at != example && is_inside(*at))
        .flat_map(|at| &units[at].functions)
        .filter_map(|function| called.get(&function.name))
        .any(|callers| callers.iter().any(|caller| !is_inside(*caller)))
}

fn remark(main: &Function, above: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        code: DiagnosticCode::OtherProgram,
        place: main.place.clone(),
        width: 1,
        message: format!(
            "{} is taken for an example or a test of what {above} calls from its directory: no run of it is counted",
            main.name
        ),
        help: Some("analyse its directory by itself for such a run".to_string()),
    }
}
