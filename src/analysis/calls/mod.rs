//! Calls: which body a name stands for, and what that body does to its caller.
//!
//! Procedures are looked at bottom-up over the strongly connected components of the call graph, each
//! once. A procedure without loops is put in place of its calls inside loops ([`expand`]); any other
//! keeps its loops to itself, and its callers know it by its [`Summary`]. Recursion is cut: a call
//! within a component is known by name only.

mod bindings;
mod components;
pub mod expand;
mod graph;
mod instance;
mod passed;
mod straight;
mod summary;

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::communication::GlobalTypes;
use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::ir::{self, CalledVariables, Conventions, Linkage, Role, Stmt, Value, VarId};
use crate::message_passing::{Interface, Interfaces};
pub use passed::Passed;
use straight::Template;
pub use summary::Summary;

/// Index into the procedures of all units, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcedureId(u32);

impl ProcedureId {
    fn at(self) -> usize {
        self.0 as usize
    }
}

/// One procedure where it stands.
#[derive(Clone, Copy)]
pub struct Procedure<'u> {
    pub function: &'u ir::Function,
    unit: usize,
}

/// What a name that is called stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Body(ProcedureId),
    /// A body that leads back to the caller.
    Recursive(ProcedureId),
    /// What the language brings along.
    Library(IntrinsicKind),
    /// Moves data between processes.
    Communication(&'static Interface),
    Unknown,
}

/// All procedures of the files that are analysed together.
pub struct Procedures<'u> {
    all: Vec<Procedure<'u>>,
    by_name: FxHashMap<&'u str, Vec<ProcedureId>>,
    /// Generic names with the procedures behind them.
    generics: FxHashMap<&'u str, Vec<&'u str>>,
    /// What the names that a procedure calls stand for.
    targets: Vec<FxHashMap<&'u str, Target>>,
    summaries: Vec<Summary>,
    templates: Vec<Option<Template>>,
    /// Bodies whose work is not their own but their callers'.
    working: Vec<bool>,
    passed: Vec<passed::ByArgument>,
    /// What the program gives global variables that hold MPI types, once a call needs it.
    global_types: OnceLock<GlobalTypes>,
}

impl<'u> Procedures<'u> {
    pub fn new(units: &'u [ir::Unit]) -> Procedures<'u> {
        let mut all = Vec::new();
        for (unit, file) in units.iter().enumerate() {
            let procedure = |function| Procedure { function, unit };
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
        let mut known = Procedures {
            all,
            by_name,
            generics,
            targets: Vec::new(),
            summaries: Vec::new(),
            templates: Vec::new(),
            working: Vec::new(),
            passed: Vec::new(),
            global_types: OnceLock::new(),
        };
        known.targets = (0..known.all.len())
            .map(|index| known.called_names(ProcedureId(index as u32)))
            .collect();
        let order = graph::bottom_up(&mut known.targets);
        known.summaries = vec![Summary::default(); known.all.len()];
        known.templates = known.all.iter().map(|_| None).collect();
        for id in order {
            known.summaries[id.at()] = summary::summarise(&known, id);
            known.templates[id.at()] = straight::template(&known, id);
        }
        let works = |id: ProcedureId| straight::works(known.get(id).function);
        known.working = known.ids().map(works).collect();
        known.passed = passed::by_procedure(&known);
        known
    }

    pub fn ids(&self) -> impl Iterator<Item = ProcedureId> + use<> {
        (0..self.all.len() as u32).map(ProcedureId)
    }

    pub fn get(&self, id: ProcedureId) -> Procedure<'u> {
        self.all[id.at()]
    }

    fn conventions(&self, id: ProcedureId) -> Conventions {
        self.get(id).function.conventions
    }

    /// What a name stands for in a procedure that calls it, itself or in a body put in place of a call.
    pub fn target(&self, caller: ProcedureId, name: &str) -> Target {
        self.targets[caller.at()]
            .get(name)
            .copied()
            .unwrap_or_else(|| {
                let library = Intrinsics::builtin().lookup(self.conventions(caller).language, name);
                library.map_or_else(
                    || communication(name),
                    |intrinsic| Target::Library(intrinsic.kind),
                )
            })
    }

    /// What the calls of the program pass to scalar integer arguments of a procedure.
    pub fn passed(&self, id: ProcedureId) -> impl Iterator<Item = (VarId, Passed)> + '_ {
        self.passed[id.at()]
            .iter()
            .map(|(argument, passed)| (*argument, *passed))
    }

    /// What a name stands for that a procedure calls itself.
    fn called(&self, caller: ProcedureId, name: &str) -> Option<Target> {
        self.targets[caller.at()].get(name).copied()
    }

    pub fn global_types(&self) -> &GlobalTypes {
        self.global_types
            .get_or_init(|| GlobalTypes::of(self.all.iter().map(|procedure| procedure.function)))
    }

    pub fn summary(&self, id: ProcedureId) -> &Summary {
        &self.summaries[id.at()]
    }

    /// Whether a procedure calls bodies that may give scalars of their callers, or global ones, other values.
    pub fn any_writes(&self, caller: ProcedureId) -> bool {
        let writes = |target: &Target| match target {
            Target::Body(callee) => {
                let summary = self.summary(*callee);
                !summary.globals.is_empty() || summary.writes.contains(&true)
            }
            Target::Communication(interface) => interface.to_buffer.is_some(),
            _ => false,
        };
        self.targets[caller.at()].values().any(writes)
    }

    /// Whether a body does what its callers only see where it stands in place of its calls.
    pub fn works_in_callers(&self, id: ProcedureId) -> bool {
        self.working[id.at()]
    }

    fn template(&self, id: ProcedureId) -> Option<&Template> {
        self.templates[id.at()].as_ref()
    }

    /// What the names stand for that a procedure calls. A generic name behind which calls have different procedures is
    /// not known.
    fn called_names(&self, caller: ProcedureId) -> FxHashMap<&'u str, Target> {
        let mut calls: FxHashMap<&'u str, Vec<&'u [Value]>> = FxHashMap::default();
        let function = self.get(caller).function;
        ir::visit::statements(&function.body, ir::visit::InLoop::No, &mut |stmt, _| {
            if let Stmt::Call {
                name, arguments, ..
            } = stmt
            {
                calls.entry(name).or_default().push(arguments);
            }
            ir::visit::values_of(stmt, &mut |value| {
                if let Value::Call {
                    name, arguments, ..
                } = value
                {
                    calls.entry(name).or_default().push(arguments);
                }
            });
        });
        if calls.is_empty() {
            return FxHashMap::default();
        }
        let has_pointers = function.conventions.called_variables == CalledVariables::Pointers;
        let is_data = |v: &&ir::Variable| {
            v.role == Role::Argument || (has_pointers && v.role != Role::Undeclared)
        };
        let data: FxHashSet<&str> = function
            .variables
            .iter()
            .filter(is_data)
            .map(|v| v.name.as_str())
            .collect();
        let by_name = |name: &'u str, calls: &[&[Value]]| match self.resolve(caller, name) {
            Target::Unknown if self.generics.contains_key(name) => {
                let mut specific = calls
                    .iter()
                    .map(|arguments| self.specific(caller, name, arguments));
                let first = specific
                    .next()
                    .flatten()
                    .filter(|first| specific.all(|other| other == Some(*first)));
                first.map_or(Target::Unknown, Target::Body)
            }
            Target::Unknown => communication(name),
            target => target,
        };
        let target = |name: &'u str, arguments: &[&[Value]]| match function.callees.get(name) {
            Some(callee) => match self.of_module(caller, callee) {
                Some(id) => Target::Body(id),
                None => by_name(&callee.name, arguments),
            },
            // A pointer to a function, a dummy procedure.
            None if data.contains(name) => Target::Unknown,
            None => by_name(name, arguments),
        };
        calls
            .into_iter()
            .map(|(name, arguments)| (name, target(name, &arguments)))
            .collect()
    }

    /// The body of a procedure in the module that is named.
    fn of_module(&self, caller: ProcedureId, callee: &ir::Callee) -> Option<ProcedureId> {
        let bodies = self.by_name.get(callee.name.as_str())?.iter().copied();
        let of_module =
            bodies.filter(|id| self.get(*id).function.host.as_deref() == Some(&callee.module));
        self.nearest(caller, &of_module.collect::<Vec<_>>())
    }

    /// The procedure behind a generic name whose dummy arguments are of the types and ranks that are
    /// passed.
    fn specific(
        &self,
        caller: ProcedureId,
        name: &str,
        arguments: &[Value],
    ) -> Option<ProcedureId> {
        let function = self.get(caller).function;
        let fits = |id: &ProcedureId| {
            let callee = self.get(*id).function;
            let formals = formals(callee);
            let same = |(formal, actual): (&VarId, &Value)| {
                let formal = callee.variable(*formal);
                let rank = match actual {
                    Value::Variable(id) => function.variable(*id).dimensions.len(),
                    _ => 0,
                };
                // What is not declared may be of any type.
                let is_declared = match actual {
                    Value::Variable(id) | Value::Element { array: id, .. } => {
                        function.variable(*id).role != Role::Undeclared
                    }
                    _ => actual.ty(function) != ir::Type::Unknown,
                };
                is_declared
                    && formal.ty.is_same_kind(&actual.ty(function))
                    && (rank == formal.dimensions.len() || rank == 0)
            };
            formals.len() >= arguments.len() && formals.iter().zip(arguments).all(same)
        };
        let specific = self
            .generics
            .get(name)?
            .iter()
            .filter_map(|name| self.by_name.get(name))
            .flatten()
            .copied();
        let in_modules = specific.filter(|id| self.get(*id).function.host.is_some());
        self.nearest(caller, &in_modules.filter(fits).collect::<Vec<_>>())
    }

    fn resolve(&self, caller: ProcedureId, name: &str) -> Target {
        let conventions = self.conventions(caller);
        let own = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let hosts = self.hosts(caller);
        let own: Vec<ProcedureId> = own
            .iter()
            .copied()
            .filter(|id| self.is_visible(caller, &hosts, *id))
            .collect();
        let distance = |id: &ProcedureId| {
            let host = self.get(*id).function.host.as_deref();
            hosts
                .iter()
                .position(|known| Some(*known) == host)
                .unwrap_or(hosts.len())
        };
        if let Some(nearest) = own
            .iter()
            .copied()
            .filter(|id| self.is_beside(caller, *id))
            .min_by_key(distance)
        {
            return Target::Body(nearest);
        }
        if let Some(intrinsic) = Intrinsics::builtin().lookup(conventions.language, name) {
            return Target::Library(intrinsic.kind);
        }
        let same: Vec<ProcedureId> = own
            .iter()
            .copied()
            .filter(|id| self.conventions(*id) == conventions)
            .collect();
        self.nearest(caller, &same)
            .or_else(|| self.foreign(caller, name))
            .map_or(Target::Unknown, Target::Body)
    }

    /// The procedure itself and what contains it, from inside.
    fn hosts(&self, caller: ProcedureId) -> Vec<&'u str> {
        const DEEPEST: usize = 4;
        let mut hosts = vec![self.get(caller).function.name.as_str()];
        let mut host = self.get(caller).function.host.as_deref();
        while let Some(name) = host.filter(|_| hosts.len() < DEEPEST) {
            hosts.push(name);
            let around = self
                .by_name
                .get(name)
                .into_iter()
                .flatten()
                .find(|id| self.is_beside(caller, **id));
            host = around.and_then(|id| self.get(*id).function.host.as_deref());
        }
        hosts
    }

    /// Whether a procedure may be meant: not what another file or module keeps to itself.
    fn is_visible(&self, caller: ProcedureId, hosts: &[&str], other: ProcedureId) -> bool {
        let function = self.get(other).function;
        let is_own = || {
            function
                .host
                .as_deref()
                .is_none_or(|host| hosts.contains(&host))
        };
        !function.is_private || (self.is_beside(caller, other) && is_own())
    }

    fn is_beside(&self, caller: ProcedureId, other: ProcedureId) -> bool {
        let (caller, other) = (self.get(caller), self.get(other));
        caller.unit == other.unit
    }

    /// The one body in the directory that is nearest to the caller's, outside of modules if there are
    /// such, in the less deep of directories that are equally near, in the file that has its name.
    /// `None` if several are left.
    fn nearest(&self, caller: ProcedureId, candidates: &[ProcedureId]) -> Option<ProcedureId> {
        let file = |id: ProcedureId| &*self.get(id).function.place.file;
        let rank = |id: ProcedureId| {
            let is_external = self.get(id).function.host.is_none();
            let directories = shared_directories(file(caller), file(id));
            let depth = std::cmp::Reverse(file(id).matches('/').count());
            (
                is_external,
                directories,
                depth,
                is_named_after(file(id), &self.get(id).function.name),
            )
        };
        let best = candidates.iter().map(|id| rank(*id)).max()?;
        let mut nearest = candidates.iter().copied().filter(|id| rank(*id) == best);
        let first = nearest.next()?;
        // A function of a header is seen by every file that includes it.
        let place = |id: ProcedureId| &self.get(id).function.place;
        nearest
            .all(|other| place(other) == place(first))
            .then_some(first)
    }

    /// A body in another language, by the names that linkers see.
    fn foreign(&self, caller: ProcedureId, name: &str) -> Option<ProcedureId> {
        let conventions = self.conventions(caller);
        let names = match conventions.linkage {
            Linkage::Underscore => [name.to_string(), format!("{name}_")],
            Linkage::AsWritten => {
                let plain = name.strip_suffix('_').unwrap_or(name).to_ascii_lowercase();
                [name.to_string(), plain]
            }
        };
        names.iter().find_map(|name| {
            let found = self.by_name.get(name.as_str())?;
            let is_meant = |id: &ProcedureId| {
                self.conventions(*id) != conventions && !self.get(*id).function.is_private
            };
            let found: Vec<_> = found.iter().copied().filter(is_meant).collect();
            self.nearest(caller, &found)
        })
    }
}

/// A procedure that moves data between processes, or nothing that is known.
fn communication(name: &str) -> Target {
    Interfaces::builtin()
        .lookup(name)
        .map_or(Target::Unknown, Target::Communication)
}

/// How many leading directories two paths have in common.
fn shared_directories(a: &str, b: &str) -> usize {
    let directories = |path: &str| {
        path.rsplit_once('/')
            .map_or(String::new(), |(directory, _)| directory.to_string())
    };
    let (a, b) = (directories(a), directories(b));
    if a == b {
        return usize::MAX;
    }
    a.split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

/// Whether a file is called like a procedure: `dlamch.f`, `wtime.c` with `wtime_`.
fn is_named_after(file: &str, procedure: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split('.')
        .next()
        .is_some_and(|stem| stem.eq_ignore_ascii_case(procedure.trim_end_matches('_')))
}

/// The dummy arguments of a procedure in order, without the components that its body names.
fn formals(function: &ir::Function) -> Vec<VarId> {
    let is_component = |name: &str| name.contains(['.', '%', '>', '[', '(']);
    let numbered = (0..).map(VarId).zip(&function.variables);
    let arguments = numbered.filter(|(_, v)| v.role == Role::Argument && !is_component(&v.name));
    arguments.map(|(id, _)| id).collect()
}
