//! What does a name mean where it stands: the modules of all files, and how names are looked up through `use`
//! and host association.
//!
//! From the procedure outwards: its own declarations, what its `use` statements bring, with `only` and
//! renaming, then the same of its host, or of the module that a submodule belongs to. If nothing is found and a
//! module on the way is not among the files, the answer is [`Found::Elsewhere`], so that the name is marked and
//! not taken for a new variable. Chains of `use` that are longer than [`CHAIN_LIMIT`] are taken for circles.

use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::allocations::Allocations;
use super::scope::{Class, DerivedType, Scope, Symbol};
use crate::interned;
use crate::ir::Callee;

/// `use` chains and type chains longer than this are taken for circles.
const CHAIN_LIMIT: usize = 30;

/// So many interfaces of one name are looked at.
const MOST_GENERICS: usize = 64;

/// The declarations of modules by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Modules {
    #[serde(with = "interned")]
    scopes: FxHashMap<Arc<str>, Arc<Scope>>,
    pub(super) allocations: Allocations,
}

impl Modules {
    /// Adds the modules of another file; of two modules of one name the first stays.
    pub fn merge(&mut self, other: Modules) {
        let Modules {
            scopes,
            allocations,
        } = other;
        self.allocations.merge(allocations);
        for (name, scope) in scopes {
            self.scopes.entry(name).or_insert(scope);
        }
    }

    pub(super) fn insert(&mut self, scope: Arc<Scope>) {
        self.scopes.entry(scope.name.clone()).or_insert(scope);
    }
}

impl Modules {
    /// As they are kept in a cache; `None` if they cannot be written.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    /// What [`Modules::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Modules> {
        postcard::from_bytes(bytes).ok()
    }

    /// The modules.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.scopes.keys().map(|name| &**name)
    }

    /// What procedures of their files allocate.
    pub fn allocated(&self) -> impl Iterator<Item = &str> {
        self.allocations.names()
    }
}

/// The modules that a file sees: its own before those of other files.
#[derive(Clone, Copy)]
pub struct World<'a> {
    own: &'a Modules,
    others: &'a Modules,
    asked: &'a RefCell<Asked>,
}

/// What the lowering of a file asked of the modules of other files: as long as the answers are the same, its result is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    pub modules: BTreeSet<String>,
    /// Variables whose allocations were looked for.
    pub allocations: BTreeSet<String>,
    /// Whether types were looked for in all modules.
    pub all_types: bool,
}

impl Asked {
    fn module(&mut self, name: &str) {
        if !self.modules.contains(name) {
            self.modules.insert(name.to_string());
        }
    }
}

/// A symbol where it is declared.
#[derive(Clone, Copy)]
pub struct Declared<'a> {
    /// The name that its own scope gives it.
    pub name: &'a Arc<str>,
    pub symbol: &'a Symbol,
    pub home: &'a Scope,
}

impl PartialEq for Declared<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.home.id == other.home.id && self.name == other.name
    }
}

impl<'a> Declared<'a> {
    /// What a scope itself declares under a name.
    fn within(home: &'a Scope, name: &str) -> Option<Declared<'a>> {
        let (name, symbol) = home.symbols.get_key_value(name)?;
        Some(Declared { name, symbol, home })
    }

    fn is_procedure(&self) -> bool {
        matches!(self.symbol.class, Class::Procedure(_))
    }
}

/// The procedure of a module.
pub fn callee(home: &Scope, name: &str) -> Callee {
    Callee::OfModule {
        module: home.name.to_string(),
        name: name.to_string(),
    }
}

/// What a name is.
pub enum Found<'a> {
    Symbol(&'a Symbol, &'a Scope),
    /// A constant of an intrinsic module.
    Builtin(i64),
    /// Not declared, but the named module, which was not read, may declare it.
    Elsewhere(Arc<str>),
    /// Declared nowhere.
    Nowhere,
}

/// What `look` found, symbol or type.
enum Hit<T> {
    Found(T),
    Builtin(i64),
    Elsewhere(Arc<str>),
    Nowhere,
}

impl<'a> World<'a> {
    /// `asked` takes what is asked of the others.
    pub fn new(own: &'a Modules, others: &'a Modules, asked: &'a RefCell<Asked>) -> World<'a> {
        World { own, others, asked }
    }

    fn module(&self, name: &str) -> Option<&'a Arc<Scope>> {
        let others = || {
            self.asked.borrow_mut().module(name);
            self.others.scopes.get(name)
        };
        self.own.scopes.get(name).or_else(others)
    }

    pub fn own_allocations(&self) -> &'a Allocations {
        &self.own.allocations
    }

    /// Those of the other files that may be of a variable of this name.
    pub fn other_allocations(&self, name: &str) -> &'a Allocations {
        let mut asked = self.asked.borrow_mut();
        asked.allocations.insert(name.to_string());
        &self.others.allocations
    }

    /// The types that modules define; of modules of one name, those of the file's own.
    pub fn all_types(&self) -> impl Iterator<Item = (&'a Arc<str>, &'a DerivedType, &'a Scope)> {
        self.asked.borrow_mut().all_types = true;
        let own = &self.own.scopes;
        let others = self
            .others
            .scopes
            .iter()
            .filter(|(name, _)| !own.contains_key(*name));
        let scopes = own.values().chain(others.map(|(_, scope)| scope));
        scopes.flat_map(|scope| {
            scope
                .types
                .iter()
                .map(move |(name, ty)| (name, ty, &**scope))
        })
    }

    /// The procedure that a name stands for, under the name that its module gives it; nothing for those of the scope's
    /// own hosts.
    pub fn module_procedure(&self, scope: &'a Scope, name: &str) -> Option<(&'a str, &'a Scope)> {
        let Hit::Found(Declared { name, symbol, home }) =
            self.chain(scope, name, 0, &Declared::within)
        else {
            return None;
        };
        let is_procedure = matches!(symbol.class, Class::Procedure(_) | Class::Generic(_));
        let is_module = || {
            self.module(&home.name)
                .is_some_and(|module| module.id == home.id)
        };
        let mut hosts = std::iter::successors(Some(scope), |scope| scope.host.as_deref());
        (is_procedure && is_module() && !hosts.any(|host| host.id == home.id))
            .then_some((&**name, home))
    }

    pub fn symbol(&self, scope: &'a Scope, name: &str) -> Found<'a> {
        let own =
            |scope: &'a Scope, name: &str| scope.symbols.get(name).map(|symbol| (symbol, scope));
        match self.chain(scope, name, 0, &own) {
            Hit::Found((symbol, scope)) => Found::Symbol(symbol, scope),
            Hit::Builtin(value) => Found::Builtin(value),
            Hit::Elsewhere(module) => Found::Elsewhere(module),
            Hit::Nowhere => Found::Nowhere,
        }
    }

    /// The variables of a `namelist` group, and the scope that their names belong to.
    pub fn group(&self, scope: &'a Scope, name: &str) -> Option<(&'a [Arc<str>], &'a Scope)> {
        let own = |scope: &'a Scope, name: &str| {
            let names = scope.groups.get(name);
            names.map(|names| (names.as_slice(), scope))
        };
        match self.chain(scope, name, 0, &own) {
            Hit::Found(found) => Some(found),
            Hit::Builtin(_) | Hit::Elsewhere(_) | Hit::Nowhere => None,
        }
    }

    /// All generic interfaces of a name that a scope sees: those of several modules make one.
    pub fn generics(&self, scope: &'a Scope, name: &str) -> Vec<Declared<'a>> {
        let mut found: Vec<Declared> = Vec::new();
        let mut next = Some(scope);
        while let Some(scope) = next {
            self.gather(scope, name, 0, &mut found);
            let ancestor = scope
                .ancestor
                .as_ref()
                .and_then(|ancestor| self.module(ancestor));
            next = ancestor.map(|module| &**module).or(scope.host.as_deref());
        }
        found
    }

    fn gather(&self, scope: &'a Scope, name: &str, depth: usize, found: &mut Vec<Declared<'a>>) {
        if depth > CHAIN_LIMIT || found.len() >= MOST_GENERICS {
            return;
        }
        if let Some(declared) = Declared::within(scope, name) {
            if matches!(declared.symbol.class, Class::Generic(_)) && !found.contains(&declared) {
                found.push(declared);
            } else {
                return;
            }
        }
        for import in &scope.uses {
            let Some(remote) = import.remote(name) else {
                continue;
            };
            if let Some(module) = self
                .module(&import.module)
                .filter(|module| module.shows(remote))
            {
                self.gather(module, remote, depth + 1, found);
            }
        }
    }

    /// A procedure by its name.
    pub fn procedure(&self, scope: &'a Scope, name: &str) -> Option<Declared<'a>> {
        match self.chain(scope, name, 0, &Declared::within) {
            Hit::Found(declared) => Some(declared).filter(Declared::is_procedure),
            _ => None,
        }
    }

    pub fn derived_type(
        &self,
        scope: &'a Scope,
        name: &str,
    ) -> Option<(&'a DerivedType, &'a Scope)> {
        let own = |scope: &'a Scope, name: &str| scope.types.get(name).map(|ty| (ty, scope));
        match self.chain(scope, name, 0, &own) {
            Hit::Found(found) => Some(found),
            _ => None,
        }
    }

    /// The scope, what it uses, then its hosts.
    fn chain<T>(
        &self,
        scope: &'a Scope,
        name: &str,
        depth: usize,
        own: &impl Fn(&'a Scope, &str) -> Option<T>,
    ) -> Hit<T> {
        let mut next = Some(scope);
        let mut elsewhere = None;
        while let Some(scope) = next {
            match self.one(scope, name, depth, own) {
                Hit::Elsewhere(module) => elsewhere = elsewhere.or(Some(module)),
                Hit::Nowhere => {}
                found => return found,
            }
            next = match scope
                .ancestor
                .as_ref()
                .map(|ancestor| (ancestor, self.module(ancestor)))
            {
                Some((_, Some(module))) => Some(module),
                Some((ancestor, None)) => {
                    elsewhere = elsewhere.or(Some(ancestor.clone()));
                    scope.host.as_deref()
                }
                None => scope.host.as_deref(),
            };
        }
        elsewhere.map_or(Hit::Nowhere, Hit::Elsewhere)
    }

    /// The scope and what it uses.
    fn one<T>(
        &self,
        scope: &'a Scope,
        name: &str,
        depth: usize,
        own: &impl Fn(&'a Scope, &str) -> Option<T>,
    ) -> Hit<T> {
        if let Some(found) = own(scope, name) {
            return Hit::Found(found);
        }
        if depth > CHAIN_LIMIT {
            return Hit::Nowhere;
        }
        let mut elsewhere = None;
        for import in &scope.uses {
            let Some(remote) = import.remote(name) else {
                continue;
            };
            if let Some(module) = self.module(&import.module) {
                if !module.shows(remote) {
                    continue;
                }
                match self.one(module, remote, depth + 1, own) {
                    Hit::Elsewhere(module) => elsewhere = elsewhere.or(Some(module)),
                    Hit::Nowhere => {}
                    found => return found,
                }
            } else if is_intrinsic_module(&import.module) {
                if let Some(value) = intrinsic_constant(remote) {
                    return Hit::Builtin(value);
                }
            } else if may_declare(&import.module, remote) {
                elsewhere = elsewhere.or(Some(import.module.clone()));
            }
        }
        elsewhere.map_or(Hit::Nowhere, Hit::Elsewhere)
    }

    /// The symbol of a procedure behind a generic name, if all specific ones agree on a type: the
    /// first of them.
    pub fn specific(
        &self,
        symbol: &'a Symbol,
        scope: &'a Scope,
    ) -> Option<(&'a Symbol, &'a Scope)> {
        let Class::Generic(names) = &symbol.class else {
            return Some((symbol, scope));
        };
        let declared = names.iter().find_map(|name| self.procedure(scope, name))?;
        Some((declared.symbol, declared.home))
    }
}

fn is_intrinsic_module(name: &str) -> bool {
    matches!(
        name,
        "iso_c_binding"
            | "iso_fortran_env"
            | "ieee_arithmetic"
            | "ieee_exceptions"
            | "ieee_features"
            | "omp_lib"
            | "omp_lib_kinds"
            | "openacc"
    )
}

/// Whether a module that was not read may declare a name. Those of MPI keep to their prefix.
fn may_declare(module: &str, name: &str) -> bool {
    match module {
        "mpi" | "mpi_f08" => name.starts_with("mpi_") || name.starts_with("pmpi_"),
        _ => true,
    }
}

/// Kind constants of `iso_fortran_env`, `iso_c_binding`, `omp_lib` and MPI with their values on 64-bit machines.
pub fn intrinsic_constant(name: &str) -> Option<i64> {
    Some(match name {
        "int8" | "c_int8_t" | "c_signed_char" | "c_char" | "c_bool" | "logical8" => 1,
        "int16" | "c_int16_t" | "c_short" | "logical16" => 2,
        "int32" | "c_int32_t" | "c_int" | "logical32" | "real32" | "c_float"
        | "c_float_complex" => 4,
        "int64" | "c_int64_t" | "c_long" | "c_long_long" | "c_size_t" | "c_intptr_t"
        | "c_intmax_t" | "c_ptrdiff_t" => 8,
        "logical64" | "real64" | "c_double" | "c_double_complex" | "omp_lock_kind" => 8,
        "mpi_address_kind" | "mpi_offset_kind" | "mpi_count_kind" => 8,
        "mpi_integer_kind" => 4,
        "real128" | "c_long_double" | "c_long_double_complex" | "c_float128" => 16,
        _ => return None,
    })
}
