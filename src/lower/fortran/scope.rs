//! Scopes: what the declarations of a module or procedure say, by name, as written.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::expression::{Expr, Reader};
use super::implicit::Implicit;
use super::intrinsic_types::Shape;
use super::written_lists::listed_values;
use crate::diagnostic::Place;
use crate::interned;
use crate::interned_as_they_are;
use crate::ir::Role;
use crate::source::flags::Kinds;

/// Tells a scope from every other one, of other files too. Threads ask for numbers in any order: they are compared,
/// never ordered or shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopeId(u64);

impl Serialize for ScopeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        interned::number(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ScopeId {
    /// A number that no scope of this run has.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ScopeId, D::Error> {
        let position = u32::deserialize(deserializer)?;
        let new = || ScopeId::default().0;
        Ok(ScopeId(interned::renumbered(position, new)))
    }
}

interned_as_they_are!(Symbol, DerivedType);

impl Default for ScopeId {
    /// A number that no other scope has.
    fn default() -> ScopeId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ScopeId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Tells a derived type from every other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TypeId {
    scope: ScopeId,
    /// Among the types of the scope.
    index: u32,
}

/// The names of one module or procedure.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Scope {
    pub id: ScopeId,
    /// Sizes of types without a kind, as the file is compiled.
    pub kinds: Kinds,
    /// For messages and for names that clash.
    #[serde(with = "interned")]
    pub name: Arc<str>,
    #[serde(with = "interned")]
    pub symbols: FxHashMap<Arc<str>, Symbol>,
    #[serde(with = "interned")]
    pub types: FxHashMap<Arc<str>, DerivedType>,
    pub uses: Vec<Use>,
    /// The variables of every `namelist` group.
    #[serde(with = "interned")]
    pub groups: FxHashMap<Arc<str>, Vec<Arc<str>>>,
    /// The members of every common block, in order.
    #[serde(with = "interned")]
    pub commons: FxHashMap<Arc<str>, Vec<Arc<str>>>,
    /// `None`: the rules of the host.
    pub implicit: Option<Implicit>,
    pub visibility: Visibility,
    #[serde(with = "interned")]
    pub host: Option<Arc<Scope>>,
    /// The module that a submodule belongs to.
    #[serde(with = "interned")]
    pub ancestor: Option<Arc<str>>,
}

/// What the scope shows to those who use it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Visibility {
    pub private_by_default: bool,
    /// Names of `private :: x`.
    #[serde(with = "interned")]
    pub private: FxHashSet<Arc<str>>,
    /// Names of `public :: x`.
    #[serde(with = "interned")]
    pub public: FxHashSet<Arc<str>>,
}

/// A declared name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Symbol {
    pub class: Class,
    /// `None`: by the implicit rules.
    pub ty: Option<TypeSpec>,
    /// Declared bounds; empty for scalars.
    pub dimensions: Vec<Bounds>,
    /// Names of the dummy arguments of a procedure, in order.
    #[serde(with = "interned")]
    pub arguments: Vec<Arc<str>>,
    /// What is known of each of them; empty for a procedure outside of modules.
    pub dummies: Vec<Dummy>,
    /// Declared with `class`: may be of a type that extends its own.
    pub polymorphic: bool,
    pub optional: bool,
    /// Of a scalar variable that has a value before the program runs; of a structure its constructor.
    pub initial: Option<Expr>,
    /// Of an array of numbers that has values before the program runs: these, one for each element from the first on.
    pub listed: Vec<Expr>,
    /// What all elements of an array begin with.
    pub filled: Option<Expr>,
    /// Subscripts and values of elements that `data` names.
    pub elements: Vec<(Vec<Expr>, Expr)>,
    /// The common block that it is a member of; empty for the one without a name.
    #[serde(with = "interned")]
    pub common: Option<Arc<str>>,
    /// Whether statements may give it values by other names: `target`, `equivalence`.
    pub aliased: bool,
    /// Whether it keeps what is passed: `intent(in)`.
    pub read_only: bool,
    /// Whether it begins without what is passed: `intent(out)`.
    pub renewed: bool,
    /// Whether statements allocate it.
    pub allocatable: bool,
    pub place: Place,
}

/// A dummy argument, as far as it distinguishes one procedure from another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dummy {
    /// `None` for a procedure, and by the implicit rules.
    pub ty: Option<TypeSpec>,
    pub rank: usize,
    pub polymorphic: bool,
    pub optional: bool,
    /// Whether the procedure may allocate it anew.
    pub may_be_allocated: bool,
}

impl Symbol {
    /// Notes what the elements of an array begin with.
    pub fn begin_elements(&mut self, value: &Expr) {
        match (listed_values(value), value) {
            (Some(values), _) => self.listed = values,
            (None, Expr::Integer(_) | Expr::IntegerOf(..) | Expr::Unary(..) | Expr::Name(_)) => {
                self.filled = Some(value.clone());
            }
            _ => {}
        }
    }

    /// A name of which only its class is known.
    pub fn new(class: Class, place: Place) -> Symbol {
        Symbol {
            class,
            ty: None,
            dimensions: Vec::new(),
            arguments: Vec::new(),
            dummies: Vec::new(),
            polymorphic: false,
            optional: false,
            initial: None,
            listed: Vec::new(),
            filled: None,
            elements: Vec::new(),
            common: None,
            aliased: false,
            read_only: false,
            renewed: false,
            allocatable: false,
            place,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Class {
    Variable(Role),
    /// `parameter` or enumerator with its value.
    Constant(Expr),
    /// A function or subroutine; the type of its result, if it has one, is the symbol's.
    Procedure(Shape),
    /// A generic name and the specific procedures behind it.
    Generic(#[serde(with = "interned")] Vec<Arc<str>>),
    /// `f(x) = …` among the declarations.
    StatementFunction(#[serde(with = "interned")] Vec<Arc<str>>, Box<Expr>),
}

/// Bounds of a dimension; `None` where they are left open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bounds {
    pub lower: Option<Expr>,
    pub upper: Option<Expr>,
}

/// A type as declared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TypeSpec {
    Intrinsic(Base, Option<KindSpec>),
    /// A derived type by name.
    Derived(#[serde(with = "interned")] Arc<str>),
    /// `class(*)`, `type(*)`.
    Anything,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Base {
    Byte,
    Integer,
    Real,
    DoublePrecision,
    Complex,
    DoubleComplex,
    Logical,
    Character,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum KindSpec {
    /// `real*8`: bytes.
    Bytes(Expr),
    /// `real(8)`, `real(kind=dp)`.
    Kind(Expr),
}

/// A derived type.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DerivedType {
    pub id: TypeId,
    #[serde(with = "interned")]
    pub parent: Option<Arc<str>>,
    /// In order of declaration.
    pub components: Vec<Component>,
    pub bindings: Vec<Binding>,
}

/// A type-bound procedure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Binding {
    #[serde(with = "interned")]
    pub name: Arc<str>,
    pub target: Target,
}

/// What a binding leads to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Target {
    /// A procedure of the module that defines the type.
    Procedure {
        #[serde(with = "interned")]
        name: Arc<str>,
        passed: Passed,
    },
    /// `generic`: other bindings of the type.
    Generic(#[serde(with = "interned")] Vec<Arc<str>>),
    /// Only extensions of the type have a procedure.
    Deferred,
}

/// Which dummy argument the object becomes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Passed {
    First,
    Named(#[serde(with = "interned")] Arc<str>),
    Nowhere,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Component {
    #[serde(with = "interned")]
    pub name: Arc<str>,
    pub ty: TypeSpec,
    pub dimensions: Vec<Bounds>,
    /// Of a whole number or truth value, or a structure: what objects of the type have unless their declaration says otherwise.
    pub initial: Option<Expr>,
    /// A pointer, an allocatable or a procedure: its data is not inside the object.
    pub indirect: bool,
    /// Declared with `class`: carries the address of its dynamic type.
    pub polymorphic: bool,
}

/// One `use` statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Use {
    #[serde(with = "interned")]
    pub module: Arc<str>,
    /// `only`: nothing but `renames`.
    pub only: bool,
    /// Local name and name in the module; the same for a plain `only` item.
    #[serde(with = "interned")]
    pub renames: Vec<(Arc<str>, Arc<str>)>,
}

impl TypeSpec {
    pub fn intrinsic(base: Base) -> TypeSpec {
        TypeSpec::Intrinsic(base, None)
    }
}

impl Use {
    /// The name in the module of what is called `name` here.
    pub fn remote<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        match self.renames.iter().find(|(local, _)| **local == *name) {
            Some((_, remote)) => Some(remote),
            None if self.only || self.renames.iter().any(|(_, remote)| **remote == *name) => None,
            None => Some(name),
        }
    }
}

impl Scope {
    /// An empty scope in the file of `reader`.
    pub fn new(reader: &Reader) -> Scope {
        Scope {
            kinds: reader.source.kinds,
            ..Scope::default()
        }
    }

    pub fn shows(&self, name: &str) -> bool {
        let visibility = &self.visibility;
        if visibility.private_by_default {
            visibility.public.contains(name)
        } else {
            !visibility.private.contains(name)
        }
    }

    /// Whether a name that is not declared here can come from a module or host.
    pub fn declares_elsewhere(&self, name: &str) -> bool {
        self.uses.iter().any(|import| import.remote(name).is_some())
            || self.host.as_ref().is_some_and(|host| {
                host.symbols.contains_key(name) || host.declares_elsewhere(name)
            })
    }

    /// The symbol of that name, made if there is none.
    pub fn symbol(&mut self, name: &Arc<str>, place: &Place) -> &mut Symbol {
        let new = || Symbol::new(Class::Variable(Role::Local), place.clone());
        self.symbols.entry(name.clone()).or_insert_with(new)
    }

    /// The number of a type that is defined under that name; a second definition takes the place of the first.
    pub fn type_id(&self, name: &str) -> TypeId {
        let new = || TypeId {
            scope: self.id,
            index: self.types.len() as u32,
        };
        self.types.get(name).map_or_else(new, |known| known.id)
    }

    /// The type that the implicit rules in force here give a name; `None` under `implicit none`.
    pub fn implicit_type(&self, name: &str) -> Option<TypeSpec> {
        let mut scope = self;
        loop {
            match (&scope.implicit, &scope.host) {
                (Some(rules), _) => return rules.type_of(name),
                (None, Some(host)) => scope = host,
                (None, None) => return Implicit::default().type_of(name),
            }
        }
    }
}

/// Whether what a variable or component has before the program runs is of interest: sizes and options are made from it, and
/// real numbers decide branches.
pub fn has_initial(spec: &Option<TypeSpec>) -> bool {
    use Base::{Character, DoublePrecision, Integer, Logical, Real};
    matches!(
        spec,
        Some(
            TypeSpec::Intrinsic(Integer | Real | DoublePrecision | Logical | Character, _)
                | TypeSpec::Derived(_)
        )
    )
}
