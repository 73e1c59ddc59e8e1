//! The procedures of a program, by their names and by what is known of them.
//!
//! One table for all files that are analysed together, filled once by [`Procedures::new`] in the order of the
//! call graph and only read after that, so that analyses of single procedures can run side by side. The parts
//! have files of their own: targets in `resolve`, summaries in `effects`, templates in `straight`, pointers in
//! `pointers`.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::finish::Finishes;
use super::own_names::OwnNames;
use super::pointers::Pointers;
use super::summary::Summary;
use super::target::{ProcedureId, Target};
use super::template::Template;
use crate::datatypes::GlobalTypes;
use crate::diagnostic::Place;
use crate::facts::FunctionKey;
use crate::intrinsics::Intrinsics;
use crate::ir::{self, Conventions, Role, VarId};
use crate::message_passing::Interfaces;

/// The least whole number that other procedures pass, by procedure and position.
pub(super) type LeastPassed = FxHashMap<(ProcedureId, usize), i64>;

/// One procedure where it stands.
#[derive(Clone, Copy)]
pub struct Procedure<'u> {
    pub function: &'u ir::Function,
    /// Index of its file.
    pub unit: usize,
    /// Whether a database of the build lists its file.
    pub is_listed: bool,
    /// Whether a makefile or the like names its file.
    pub is_built: bool,
}

/// All procedures of the files that are analysed together.
pub struct Procedures<'u> {
    pub(super) all: Vec<Procedure<'u>>,
    pub(super) by_name: FxHashMap<&'u str, Vec<ProcedureId>>,
    /// Generic names with the procedures behind them.
    pub(super) generics: FxHashMap<&'u str, Vec<&'u str>>,
    /// What the names that a procedure calls stand for.
    pub(super) targets: Vec<FxHashMap<&'u str, Target>>,
    pub(super) summaries: Vec<Summary>,
    pub(super) templates: Vec<Option<Template>>,
    /// Bodies whose work is not their own but their callers'.
    pub(super) working: Vec<bool>,
    /// Bodies with loops that compute outside of them, too.
    pub(super) working_outside: Vec<bool>,
    pub(super) pointers: Pointers,
    /// What the program gives global variables that hold MPI types, once a call needs it.
    pub(super) global_types: OnceLock<GlobalTypes>,
    /// Which procedures end the program, once a call asks.
    pub(super) ending: OnceLock<Vec<bool>>,
    /// What decides that procedures end the program, once a call asks.
    pub(super) finishing: OnceLock<Vec<Finishes>>,
    /// Whole numbers that calls pass, once a procedure that calls itself asks.
    pub(super) least_passed: OnceLock<LeastPassed>,
    pub(super) own_names: OwnNames,
    /// Storage whose address something has before the program runs.
    pub(super) addressed: FxHashSet<&'u ir::Home>,
    /// Common blocks whose members do not have the same names in all procedures.
    pub(super) differing: FxHashSet<&'u str>,
    /// Procedures that pointers of file scope have before the program runs.
    pub(super) named: Vec<ProcedureId>,
}

impl<'u> Procedures<'u> {
    pub fn ids(&self) -> impl Iterator<Item = ProcedureId> + use<> {
        (0..self.all.len() as u32).map(ProcedureId)
    }

    /// Whether something has the address of storage before the program runs.
    pub fn is_addressed(&self, home: &ir::Home) -> bool {
        self.addressed.contains(home)
    }

    /// Whether procedures have different names for the members of a common block.
    pub fn is_named_differently(&self, block: &str) -> bool {
        self.differing.contains(block)
    }

    /// Whether what a call means keeps an address that is passed at a position, for others to write through.
    pub fn keeps(&self, target: Target, position: usize) -> bool {
        match target {
            Target::Body(callee) | Target::Recursive(callee) => {
                let keeps = &self.summary(callee).keeps;
                keeps.get(position).copied().unwrap_or(false)
            }
            Target::Library(_) | Target::Communication(_) | Target::Unknown => false,
        }
    }

    pub fn get(&self, id: ProcedureId) -> Procedure<'u> {
        self.all[id.at()]
    }

    pub(super) fn conventions(&self, id: ProcedureId) -> Conventions {
        self.get(id).function.conventions
    }

    /// The procedures that a name may stand for which means none of them for certain: those that a pointer or a dummy
    /// procedure is given, or all of the name that are as near.
    pub fn candidates(&self, caller: ProcedureId, name: &str) -> Vec<ProcedureId> {
        let function = self.get(caller).function;
        let found = match self.pointers.called((caller, function), name, self) {
            Some(given) => given,
            None => self.visible(caller, name),
        };
        // Of several programs in one tree each has its own.
        let is_nearest = |id: &ProcedureId| {
            let name = &self.get(*id).function.name;
            let alike = found.iter().copied();
            let alike: Vec<_> = alike
                .filter(|other| self.get(*other).function.name == *name)
                .collect();
            alike.len() == 1
                || self
                    .nearest(caller, &alike)
                    .is_none_or(|nearest| nearest == *id)
        };
        found.iter().copied().filter(is_nearest).collect()
    }

    /// Whether a name stands for a procedure without a body that this one passes others to.
    pub fn is_handed(&self, caller: ProcedureId, name: &str) -> bool {
        self.pointers.handed(caller, name).is_some()
    }

    /// The procedures that a call passes to one without a body, which may call them.
    pub fn handed(&self, caller: ProcedureId, name: &str) -> Vec<ProcedureId> {
        self.pointers.handed(caller, name).unwrap_or_default()
    }

    /// The procedures whose statements give this one to pointers, where no pointer has it from the beginning.
    pub fn givers(&self, id: ProcedureId) -> Vec<FunctionKey> {
        let givers = self.pointers.givers(id);
        givers.map(|giver| self.key(giver)).collect()
    }

    /// A procedure by name and place.
    pub fn key(&self, id: ProcedureId) -> FunctionKey {
        let function = self.get(id).function;
        FunctionKey {
            name: function.name.clone(),
            file: function.place.file.clone(),
            line: function.place.line,
        }
    }

    /// What a name stands for in a procedure that calls it, itself or in a body put in place of a call.
    pub fn target(&self, caller: ProcedureId, name: &str) -> Target {
        self.targets[caller.at()]
            .get(name)
            .copied()
            .unwrap_or_else(|| {
                let library = Intrinsics::builtin().lookup(self.conventions(caller).language, name);
                library.map_or_else(
                    || communication(self.get(caller).function, name),
                    Target::Library,
                )
            })
    }

    /// The dummy arguments of a procedure in order.
    pub fn formals(&self, id: ProcedureId) -> Vec<VarId> {
        formals(self.get(id).function)
    }

    /// What a name stands for that a procedure calls itself.
    pub(super) fn called(&self, caller: ProcedureId, name: &str) -> Option<Target> {
        self.targets[caller.at()].get(name).copied()
    }

    /// What a function is called in the names of parameters that no source has.
    pub fn own_name<'s>(&'s self, function: &'s ir::Function) -> &'s str {
        self.own_names.name(function)
    }

    pub fn global_types(&self) -> &GlobalTypes {
        self.global_types
            .get_or_init(|| GlobalTypes::of(self.all.iter().map(|procedure| procedure.function)))
    }

    pub fn summary(&self, id: ProcedureId) -> &Summary {
        &self.summaries[id.at()]
    }

    /// Whether a procedure calls bodies, or what has none here, that may give scalars of their callers, or global ones, other
    /// values.
    pub fn any_writes(&self, caller: ProcedureId) -> bool {
        let writes = |target: &Target| match target {
            Target::Body(callee) => {
                let summary = self.summary(*callee);
                !summary.globals.is_empty()
                    || !summary.blocks.is_empty()
                    || summary.writes.contains(&true)
            }
            Target::Communication(interface) => interface.to_buffer.is_some(),
            Target::Unknown => true,
            _ => false,
        };
        self.targets[caller.at()].values().any(writes)
    }

    /// Whether a body does what its callers only see where it stands in place of its calls.
    pub fn works_in_callers(&self, id: ProcedureId) -> bool {
        self.working[id.at()]
    }

    /// Whether a body with loops does operations outside of them, which its callers only see in front of its calls.
    pub fn works_outside_loops(&self, id: ProcedureId) -> bool {
        self.working_outside[id.at()]
    }

    /// Whether the body of a call, or what it does outside its loops, stands in place of the call, or in front of it, where
    /// the body of its caller does in turn.
    pub fn goes_with_caller(&self, caller: ProcedureId, place: &Place, name: &str) -> bool {
        self.template(caller).is_some_and(|template| {
            let origins = &template.expansion;
            origins.is_expanded(place, name) || origins.is_in_front(place, name)
        })
    }

    /// Whether what stands in front of calls of a body reads the dummy argument at a position, and gives it another value.
    pub fn uses_in_front(&self, callee: ProcedureId, position: usize) -> Option<(bool, bool)> {
        let template = self.template(callee)?;
        let formal = *template.formals.get(position)?;
        Some((template.reads(formal), template.assigned.contains(&formal)))
    }

    pub(super) fn template(&self, id: ProcedureId) -> Option<&Template> {
        self.templates[id.at()].as_ref()
    }
}

/// Common blocks whose members do not have the same names in all procedures.
pub(super) fn differing_blocks<'u>(all: &[Procedure<'u>]) -> FxHashSet<&'u str> {
    let mut members: FxHashMap<&str, &[String]> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for procedure in all {
        for (block, names) in &procedure.function.commons {
            let first = members.entry(block).or_insert(names);
            if *first != names {
                found.insert(&**block);
            }
        }
    }
    found
}

/// A procedure that moves data between processes, or nothing that is known.
pub(super) fn communication(caller: &ir::Function, name: &str) -> Target {
    let interfaces = Interfaces::builtin();
    let found = match caller.callees.get(name) {
        Some(ir::Callee::OfObject { name, .. }) => interfaces.of_object(name),
        _ => interfaces.lookup(name),
    };
    found.map_or(Target::Unknown, Target::Communication)
}

/// The dummy arguments of a procedure in order, without the components that its body names.
pub(super) fn formals(function: &ir::Function) -> Vec<VarId> {
    let numbered = (0..).map(VarId).zip(&function.variables);
    let arguments = numbered.filter(|(_, v)| v.role == Role::Argument && v.name.is_plain());
    arguments.map(|(id, _)| id).collect()
}
