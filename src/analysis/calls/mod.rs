//! Calls: which body a name stands for, and what that body does to its caller.
//!
//! A loop that calls `flux(a, 2*i)` moves whatever `flux` reads of `a`, so the caller's streams are only
//! complete with the body in its place. A body that has loops is another matter: its nests have rows of their
//! own. What it does outside them stands in front of the call, which stays; besides, all that the caller has to
//! know is which of its scalars may have changed.
//!
//! ```text
//! names in calls ── resolve (pointers: calls through pointers) ──► Target for each name
//!                                    │
//!                     graph: callees before callers, circles cut
//!                                    │  for each procedure once
//!         effects ──► Summary        │        straight ──► Template of what is outside of loops
//!         (scalars read, written)    │        (branches as structure, callees expanded into it)
//!                                    ▼
//!    expand: a caller with templates in place of its calls
//!       caller     the procedure that grows
//!       instance   one body for one call      bindings   what its dummy arguments stand for
//!       once       what is computed once, or on a condition, as statements
//!       view       a dummy array as a part    components members of structures that are passed
//!                  of the caller's array
//! ```
//!
//! ```text
//! double flux(const double *u, int i) { return u[i + 1] - u[i]; }
//!
//! for (int i = 0; i < n; i++)          for (int i = 0; i < n; i++)
//!   f[i] = flux(a, 2 * i);       ►       f[i] = a[2 * i + 1] - a[2 * i];
//! ```
//!
//! So the loop has one addition, two loads of `a` at stride 2 and one store (guide: static-model, "Calls"). The
//! call stays as a marker before the body, so that it is still listed ([`Origins`]). Recursion is cut: a call
//! within a component of the call graph is known by name only.

mod agreed;
mod bindings;
mod caller;
mod components;
mod effects;
mod ended;
mod ending;
mod environment;
pub mod expand;
mod finish;
mod finishing;
mod graph;
mod instance;
mod once;
mod outside;
mod own_names;
mod passed_numbers;
mod pointers;
mod procedures;
mod reached;
mod resolve;
mod straight;
mod summary;
mod target;
mod template;
mod view;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::ir;
pub use agreed::agreed;
pub use ended::with_ends;
pub use environment::Outside;
pub use finish::{Finish, Finishes};
use own_names::OwnNames;
use procedures::Procedure;
pub use procedures::Procedures;
pub use reached::reached;
pub use summary::Summary;
pub use target::{ProcedureId, Target};
pub use template::Origins;

impl<'u> Procedures<'u> {
    /// The procedures by their names alone.
    fn named(units: &'u [ir::Unit]) -> Procedures<'u> {
        let mut all = Vec::new();
        for (unit, file) in units.iter().enumerate() {
            let (is_listed, is_built) = (file.is_listed, file.is_built);
            let procedure = |function| Procedure {
                function,
                unit,
                is_listed,
                is_built,
            };
            all.extend(file.functions.iter().map(procedure));
        }
        let mut by_name: FxHashMap<&str, Vec<ProcedureId>> = FxHashMap::default();
        for (index, procedure) in all.iter().enumerate() {
            by_name
                .entry(&procedure.function.name)
                .or_default()
                .push(ProcedureId(index as u32));
        }
        for (index, procedure) in all.iter().enumerate() {
            for name in &procedure.function.entries {
                by_name
                    .entry(name)
                    .or_insert_with(|| vec![ProcedureId(index as u32)]);
            }
        }
        let mut generics: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for (name, specific) in units.iter().flat_map(|unit| &unit.generics) {
            generics
                .entry(name)
                .or_default()
                .extend(specific.iter().map(String::as_str));
        }
        let own_names = OwnNames::of(all.iter());
        let differing = procedures::differing_blocks(&all);
        let addressed = units.iter().flat_map(|unit| &unit.addressed).collect();
        let mut named = Vec::new();
        for (at, unit) in units.iter().enumerate() {
            let lists = unit.functions.iter().flat_map(|function| &function.named);
            for name in unit.named.iter().chain(lists) {
                let found = by_name.get(name.as_str()).into_iter().flatten();
                named.extend(found.copied().filter(|id| {
                    let procedure: &Procedure = &all[id.at()];
                    procedure.unit == at || !procedure.function.is_private
                }));
            }
        }
        Procedures {
            all,
            by_name,
            generics,
            targets: Vec::new(),
            summaries: Vec::new(),
            templates: Vec::new(),
            working: Vec::new(),
            working_outside: Vec::new(),
            pointers: pointers::Pointers::default(),
            global_types: OnceLock::new(),
            ending: OnceLock::new(),
            finishing: OnceLock::new(),
            least_passed: OnceLock::new(),
            own_names,
            addressed,
            differing,
            named,
        }
    }

    /// What is called by some procedures only, and nothing of what they do.
    fn with_targets_of(units: &'u [ir::Unit], callers: &[usize]) -> Procedures<'u> {
        let mut known = Procedures::named(units);
        known.targets = vec![FxHashMap::default(); known.all.len()];
        for caller in callers {
            known.targets[*caller] = known.called_names(ProcedureId(*caller as u32));
        }
        known
    }

    /// Reads what the files say of calls.
    pub fn new(units: &'u [ir::Unit]) -> Procedures<'u> {
        let mut known = Procedures::named(units);
        known.targets = (0..known.all.len())
            .map(|index| known.called_names(ProcedureId(index as u32)))
            .collect();
        let order = graph::bottom_up(&mut known.targets);
        known.summaries = vec![Summary::default(); known.all.len()];
        known.templates = known.all.iter().map(|_| None).collect();
        known.working = vec![false; known.all.len()];
        known.working_outside =
            (known.ids().map(|id| straight::works_outside(&known, id))).collect();
        for id in order {
            known.summaries[id.at()] = effects::summarise(&known, id);
            known.templates[id.at()] = straight::template(&known, id);
            known.working[id.at()] = straight::works(&known, id);
        }
        known.pointers = pointers::Pointers::new(&known);
        known
    }
}
