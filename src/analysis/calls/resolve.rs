//! Which body does a name stand for where it is called?
//!
//! A tree of sources may hold several programs, each with a `main` and an `init`, and the linker that would say
//! which belongs to which is not at hand. So a name is looked for from near to far:
//!
//! 1. the module that `use` says;
//! 2. a procedure of the same file, in the innermost of the hosts around the caller;
//! 3. the library of the language (`templates/intrinsics.toml`), for C behind a function of the same directory that has
//!    the name;
//! 4. of the same language anywhere: the *nearest* one, by whether the build lists its file, whether it is
//!    outside of modules, by the directories that its path shares with the caller's, whether a makefile names
//!    it, how deep it lies, and whether its file has its name ([`Procedures::nearest`]);
//! 5. of the other language, by the names that linkers see: `smooth` in Fortran is `smooth_` in C;
//! 6. of a generic name the procedure whose dummy arguments have the types and ranks of what is passed;
//! 7. what moves data between processes (`templates/communication.toml`).
//!
//! If several are equally near, none is taken: the call is [`Target::Unknown`], and whoever may be meant is
//! among the `candidates`. What another file or module keeps to itself (`static`, `private`) is never meant.

use rustc_hash::{FxHashMap, FxHashSet};

use super::procedures::{Procedures, communication, formals};
use super::target::{ProcedureId, Target};
use crate::intrinsics::Intrinsics;
use crate::ir::{self, CalledVariables, Callee, Linkage, Role, Value, VarId};

impl<'u> Procedures<'u> {
    /// What the names stand for that a procedure calls. A generic name behind which calls have different procedures is
    /// not known.
    pub(super) fn called_names(&self, caller: ProcedureId) -> FxHashMap<&'u str, Target> {
        let mut calls: FxHashMap<&'u str, Vec<&'u [Value]>> = FxHashMap::default();
        let function = self.get(caller).function;
        ir::visit::statements(&function.body, ir::visit::InLoop::No, &mut |stmt, _| {
            ir::visit::calls_of(stmt, &mut |name, arguments| {
                calls.entry(name).or_default().push(arguments);
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
            Target::Unknown => communication(function, name),
            target => target,
        };
        let target = |name: &'u str, arguments: &[&[Value]]| match function.callees.get(name) {
            Some(Callee::OfModule { module, name }) => match self.of_module(caller, module, name) {
                Some(id) => Target::Body(id),
                None => by_name(name, arguments),
            },
            // A pointer to a function, a dummy procedure.
            _ if data.contains(name) => Target::Unknown,
            _ => by_name(name, arguments),
        };
        calls
            .into_iter()
            .map(|(name, arguments)| (name, target(name, &arguments)))
            .collect()
    }

    /// The body of a procedure in the module that is named.
    fn of_module(&self, caller: ProcedureId, module: &str, name: &str) -> Option<ProcedureId> {
        let bodies = self.by_name.get(name)?.iter().copied();
        let of_module = bodies.filter(|id| self.get(*id).function.host.as_deref() == Some(module));
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

    pub(super) fn resolve(&self, caller: ProcedureId, name: &str) -> Target {
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
        let same: Vec<ProcedureId> = own
            .iter()
            .copied()
            .filter(|id| self.conventions(*id) == conventions)
            .collect();
        if let Some(intrinsic) = Intrinsics::builtin().lookup(conventions.language, name) {
            return match self.instead_of_library(caller, &same) {
                Some(own) => Target::Body(own),
                None => Target::Library(intrinsic),
            };
        }
        self.nearest(caller, &same)
            .or_else(|| self.foreign(caller, name))
            .map(Target::Body)
            .or_else(|| {
                let known = Intrinsics::builtin().of_headers(conventions.language, name);
                known.map(Target::Library)
            })
            .unwrap_or(Target::Unknown)
    }

    /// The body that a linker takes instead of a library's, where it asks by the name alone: one beside the caller, in a file
    /// that is no program of its own.
    fn instead_of_library(&self, caller: ProcedureId, same: &[ProcedureId]) -> Option<ProcedureId> {
        if self.conventions(caller).passes_places() || same.is_empty() {
            return None;
        }
        let found = self.nearest(caller, same)?;
        let file = |id: ProcedureId| &*self.get(id).function.place.file;
        let is_program = |unit: usize| {
            let mut all = self.all.iter().filter(|other| other.unit == unit);
            all.any(|other| other.function.is_main)
        };
        let is_beside = shared_directories(file(caller), file(found)) == usize::MAX;
        (is_beside && !is_program(self.get(found).unit)).then_some(found)
    }

    /// The procedures outside of modules that may be meant by a name; none if they are too many to be one program's.
    pub(super) fn visible(&self, caller: ProcedureId, name: &str) -> Vec<ProcedureId> {
        const MOST: usize = 16;
        let conventions = self.conventions(caller);
        let is_meant = |id: &ProcedureId| {
            let function = self.get(*id).function;
            function.host.is_none() && !function.is_private && function.conventions == conventions
        };
        let found = self.by_name.get(name).into_iter().flatten().copied();
        let mut found: Vec<ProcedureId> = found.filter(is_meant).collect();
        if found.iter().any(|id| self.get(*id).is_listed) {
            found.retain(|id| self.get(*id).is_listed);
        }
        if found.len() > MOST {
            Vec::new()
        } else {
            found
        }
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
    /// such, in a file that the build names, in the less deep of directories that are equally near, in the file that has
    /// its name.
    /// `None` if several are left.
    pub(super) fn nearest(
        &self,
        caller: ProcedureId,
        candidates: &[ProcedureId],
    ) -> Option<ProcedureId> {
        let file = |id: ProcedureId| &*self.get(id).function.place.file;
        let rank = |id: ProcedureId| {
            let is_external = self.get(id).function.host.is_none();
            let directories = shared_directories(file(caller), file(id));
            let depth = std::cmp::Reverse(file(id).matches('/').count());
            (
                // What the build leaves out is in no program of it.
                self.get(id).is_listed,
                is_external,
                directories,
                self.get(id).is_built,
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
