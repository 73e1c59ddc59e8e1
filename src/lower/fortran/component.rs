//! Which variable is `fab%p(i, j, k)`? An element of a variable named `fab%p`.
//!
//! Every component that is used is a variable of its own, so that streams of different components are different
//! arrays. Subscripts on the way belong to it, the component's own first, in storage order:
//!
//! ```text
//! grid(b)%u(i, j)%rho      variable grid%u%rho      element (i, j, b)
//! ```
//!
//! The variable also knows where it lies in the structure (`layouts`), from which the traffic model takes its
//! stride. The types on the way are looked up part by part, through what they extend. The last name may also be
//! a procedure that the type binds (`bound`), or one part of a complex number. Behind a type that no file
//! declares, only an assignment shows that a component has subscripts.

use std::sync::Arc;

use super::expression::Expr;
use super::modules::Found;
use super::path::{Owner, Path};
use super::procedure::{Lowering, Meaning};
use super::scope::{Bounds, Class, Component, DerivedType, Scope, TypeSpec};
use super::structures::Beginning;
use super::subscripts::section;
use crate::diagnostic::Place;
use crate::ir::{Extent, Home, MemberLayout, Name, Reason, Role, Type, Value, VarId, Variable};
use crate::reason::ReasonCode;

/// What is known of one part of a path.
struct Step<'a> {
    /// Bounds and the scope that their names belong to.
    bounds: &'a [Bounds],
    home: &'a Scope,
}

/// A path looked up in the types it goes through.
struct Lookup<'a> {
    steps: Vec<Step<'a>>,
    ty: Type,
    role: Role,
    place: Place,
    outcome: Outcome,
    /// The structures that the path ends in: those of an array, or an argument.
    record: Option<Record>,
    /// Bytes of what the path ends in, if that is a structure.
    record_bytes: Option<u32>,
    /// The component that the path ends in, by its type.
    component: Option<Home>,
    /// The type whose procedure the last name may be.
    owner: Option<Owner<'a>>,
    /// What the component that the path ends in has before the program runs.
    beginning: Beginning<'a>,
    /// Whether what the path has come to may be of a type that extends its own.
    polymorphic: bool,
}

/// Structures on the way.
struct Record {
    /// Whether they are the elements of an array.
    is_element: bool,
    /// Bytes of one, if known.
    bytes: Option<u32>,
    /// The first of the parts of the path that lie in them.
    first: usize,
    /// Bytes from the beginning of one to where the path has come to.
    offset: Option<u32>,
    /// Whether every element leads to one by a pointer.
    is_behind_pointers: bool,
}

impl Record {
    /// What a path is in that goes on to a component. Behind a pointer data lie elsewhere: an array there has its own
    /// elements beside each other, and of anything else nobody knows how far apart the targets lie.
    fn below(self, component: &Component) -> Option<Record> {
        let is_array = !component.dimensions.is_empty();
        match (component.indirect, self.is_behind_pointers) {
            (true, _) if is_array || !self.is_element => None,
            (true, _) => Some(Record {
                bytes: None,
                is_behind_pointers: true,
                ..self
            }),
            (false, true) if is_array => None,
            (false, _) => Some(self),
        }
    }
}

impl Lookup<'_> {
    fn new(place: Place) -> Self {
        Lookup {
            steps: Vec::new(),
            ty: Type::Unknown,
            role: Role::Undeclared,
            place,
            outcome: Outcome::UnknownType,
            record: None,
            record_bytes: None,
            component: None,
            owner: None,
            beginning: Beginning::Declared,
            polymorphic: false,
        }
    }
}

#[derive(PartialEq)]
enum Outcome {
    Known,
    /// A type on the way is not known.
    UnknownType,
    /// The last name is not a component: a procedure of the type.
    Procedure,
    /// `z%re`, `z%im`
    ComplexPart,
}

impl<'a> Lowering<'a> {
    /// The value of a designator with at least one component.
    pub fn component(&mut self, path: &Path, scope: &'a Scope) -> Value {
        let shown = path.name();
        let text: Arc<str> = shown.as_str().into();
        let found = self.look_up(path, scope);
        let last = path.parts.last().and_then(|part| part.applied);
        match found.outcome {
            Outcome::Known | Outcome::UnknownType => {}
            Outcome::ComplexPart => {
                let base = Path {
                    parts: path
                        .parts
                        .iter()
                        .take(path.parts.len() - 1)
                        .copied()
                        .collect(),
                    substring: None,
                };
                let whole = self.path_or_name(&base, scope);
                let name = if path.parts.last().is_some_and(|part| &**part.name == "re") {
                    "real"
                } else {
                    "aimag"
                };
                return Value::Call {
                    name: name.into(),
                    arguments: vec![whole],
                    ty: found.ty,
                };
            }
            Outcome::Procedure => return self.bound_call(path, found.owner, scope),
        }
        let id = self.path_variable(shown, &text, &found, scope);
        // Subscripts of a component whose bounds nothing declares: an element only if it is assigned to.
        let known_rank = self.draft.variable(id).dimensions.len();
        let applied: usize = path
            .parts
            .iter()
            .filter_map(|p| p.applied.map(|(a, _)| a.len()))
            .sum();
        if applied > 0 && known_rank == 0 {
            let arguments = last.map_or(&[][..], |(arguments, _)| arguments);
            if found.outcome == Outcome::UnknownType
                && !self.is_assigned(&text, arguments)
                && last.is_some()
            {
                let inner = path
                    .parts
                    .iter()
                    .flat_map(|p| p.applied.map_or(&[][..], |(a, _)| a))
                    .cloned();
                let inner = inner.collect::<Vec<_>>();
                let inner = self.bounds_of(&inner, scope);
                return Value::Opaque {
                    reason: Reason {
                        code: ReasonCode::UnknownType,
                        detail: text.to_string(),
                    },
                    inner,
                };
            }
            self.open(id, applied);
        }
        if applied == 0 {
            return Value::Variable(id);
        }
        self.path_element(path, id, &found, scope)
    }

    /// The reference of `call object%name(…)`, if the type of the object is known and has no component of that name.
    pub fn bound_subroutine(&mut self, designator: &Expr) -> Option<Value> {
        let path = Path::of(designator)?;
        let found = self.look_up(&path, self.scope);
        (found.outcome == Outcome::Procedure)
            .then(|| self.bound_call(&path, found.owner, self.scope))
    }

    pub fn path_or_name(&mut self, path: &Path, scope: &'a Scope) -> Value {
        match &path.parts[..] {
            [only] => match only.applied {
                Some((arguments, place)) => match self.meaning(only.name, scope) {
                    Meaning::Variable(id) => self.element(id, arguments, place, scope),
                    _ => Value::opaque(ReasonCode::UnknownExpression, ""),
                },
                None => self.value(&Expr::Name(only.name.clone()), scope),
            },
            _ => self.component(path, scope),
        }
    }

    /// Own subscripts first, then those further to the left.
    fn path_element(
        &mut self,
        path: &Path,
        id: VarId,
        found: &Lookup<'a>,
        scope: &'a Scope,
    ) -> Value {
        let mut subscripts = Vec::new();
        let mut place = None;
        for (at, part) in path.parts.iter().enumerate().rev() {
            let rank = found.steps.get(at).map_or(0, |step| step.bounds.len());
            match part.applied {
                Some((arguments, at)) => {
                    place = place.or(Some(at));
                    subscripts.extend(self.subscripts(id, subscripts.len(), arguments, scope));
                }
                // A whole array on the way: `tile%field` of an array of tiles.
                None => {
                    for _ in 0..rank {
                        let at = subscripts.len();
                        subscripts.push(section(
                            self.lower_bound(id, at),
                            self.upper_bound(id, at),
                            Value::Integer(1),
                        ));
                    }
                }
            }
        }
        match place {
            Some(place) => Value::Element {
                array: id,
                subscripts,
                place: place.clone(),
            },
            None => Value::Variable(id),
        }
    }

    fn path_variable(
        &mut self,
        name: Name,
        text: &Arc<str>,
        found: &Lookup<'a>,
        scope: &'a Scope,
    ) -> VarId {
        if let Some(id) = self.variables.get(scope.id, text) {
            return id;
        }
        let mut dimensions: Vec<Extent> = Vec::new();
        for step in found.steps.iter().rev() {
            dimensions.extend(self.extents(step.bounds, step.home));
        }
        let is_open = |step: &Step| {
            let mut bounds = step.bounds.iter();
            !step.bounds.is_empty() && bounds.all(|one| one.lower.is_none() && one.upper.is_none())
        };
        let is_deferred =
            found.outcome == Outcome::Known && found.steps.last().is_some_and(is_open);
        let ty = found.ty.clone().of_elements(!dimensions.is_empty());
        let parts = name.len_of_way() + 1;
        let id = self.draft.add(Variable {
            name,
            ty,
            dimensions,
            role: found.role,
            constant: None,
            place: found.place.clone(),
        });
        if let Some((layout, is_element)) = self.member_layout(parts, found) {
            if is_element {
                self.draft.set_member(id, layout);
            } else {
                self.draft.set_part(id, layout);
            }
        }
        if let Some(component) = found.component.clone() {
            self.draft.set_home(id, component);
        }
        if let Some(bytes) = found.record_bytes {
            self.draft.set_record_bytes(id, bytes);
        }
        if is_deferred {
            self.draft.note_deferred(id);
        }
        self.begin(id, found);
        if found.polymorphic {
            self.variables.set_polymorphic(id);
        }
        self.variables.insert(scope.id, text, id);
        id
    }

    /// Notes what a scalar has before the program runs: a component of a named constant has that for ever.
    fn begin(&mut self, id: VarId, found: &Lookup<'a>) {
        let Variable {
            ty,
            dimensions,
            role,
            ..
        } = self.draft.variable(id);
        let is_followed = matches!(
            ty,
            Type::Integer(..) | Type::Logical(_) | Type::Character(_)
        );
        if !is_followed || found.outcome != Outcome::Known {
            return;
        }
        let is_constant = matches!(role, Role::Constant(_));
        let is_scalar = dimensions.is_empty();
        let is_open = matches!(found.beginning, Beginning::Unknown);
        if is_open && !is_constant {
            let value = Value::opaque(ReasonCode::UnsupportedExpression, "");
            self.draft.set_initial(id, value);
        }
        if !is_scalar {
            return;
        }
        if let Beginning::Given(value, home) = found.beginning {
            let value = self.value(value, home);
            match is_constant {
                true => self.draft.set_constant(id, value),
                false => self.draft.set_initial(id, value),
            }
        }
    }

    /// Where a component lies that a path of so many parts names, and whether its structures are the elements of an
    /// array.
    fn member_layout(&self, parts: usize, found: &Lookup<'a>) -> Option<(MemberLayout, bool)> {
        let record = found
            .record
            .as_ref()
            .filter(|_| found.outcome == Outcome::Known)?;
        let steps = parts.saturating_sub(record.first);
        let unknown = MemberLayout {
            steps,
            offset: 0,
            record_bytes: 0,
            extents: Vec::new(),
        };
        let known = || {
            let (bytes, mut offset) = (record.bytes?, i64::from(record.offset?));
            let mut stride = i64::from(found.ty.bytes().or(found.record_bytes)?);
            let mut extents = Vec::new();
            let last = found.steps.last()?;
            for bounds in last.bounds {
                let lower = self.world.lower(bounds, last.home)?;
                let extent = self.world.extent(bounds, last.home)?;
                offset = offset.checked_sub(lower.checked_mul(stride)?)?;
                stride = stride.checked_mul(extent)?;
                extents.push(u32::try_from(extent).ok()?);
            }
            Some(MemberLayout {
                steps,
                offset,
                record_bytes: bytes,
                extents,
            })
        };
        Some((known().unwrap_or(unknown), record.is_element))
    }

    fn look_up(&mut self, path: &Path, scope: &'a Scope) -> Lookup<'a> {
        let mut found = Lookup::new(self.draft.place().clone());
        let Some((first, rest)) = path.parts.split_first() else {
            return found;
        };
        let Found::Symbol(symbol, mut home) = self.world.symbol(scope, first.name) else {
            return found;
        };
        found.place = symbol.place.clone();
        found.role = match &symbol.class {
            Class::Variable(_) if home.id != self.scope.id => Role::Global,
            Class::Variable(role) => *role,
            Class::Constant(_) => Role::Constant(crate::ir::ConstantOrigin::Parameter),
            _ => return found,
        };
        found.steps.push(Step {
            bounds: &symbol.dimensions,
            home,
        });
        found.polymorphic = symbol.polymorphic;
        found.beginning = match (&symbol.class, &symbol.initial) {
            (Class::Constant(value), _) | (_, Some(value)) => Beginning::Given(value, home),
            _ => Beginning::Declared,
        };
        let mut spec = symbol.ty.clone().or_else(|| home.implicit_type(first.name));
        for (at, part) in rest.iter().enumerate() {
            let is_last = at + 1 == rest.len();
            let name = match &spec {
                Some(TypeSpec::Derived(name)) => name.clone(),
                Some(spec @ TypeSpec::Intrinsic(..))
                    if is_last && matches!(&**part.name, "re" | "im") =>
                {
                    if let Type::Complex(size) = self.world.resolve(spec, home).ty {
                        found.ty = Type::Real(size / 2);
                        found.outcome = Outcome::ComplexPart;
                    }
                    return found;
                }
                _ => return found,
            };
            // What a type extends is a component too, and comes first in it.
            if let Some(parent) = self.world.parent(&name, home, part.name) {
                self.enter_record(&mut found, &name, home, at);
                found.steps.push(Step {
                    bounds: &[],
                    home: parent,
                });
                found.polymorphic = false;
                if !matches!(found.beginning, Beginning::Declared) {
                    found.beginning = Beginning::Unknown;
                }
                spec = Some(TypeSpec::Derived(part.name.clone()));
                home = parent;
                continue;
            }
            match self.world.component(&name, home, part.name) {
                Some(Some((component, scope))) => {
                    self.enter_record(&mut found, &name, home, at);
                    if let Some(record) = &mut found.record {
                        let offset = self
                            .layouts
                            .record(self.world, &name, home)
                            .and_then(|layout| layout.offsets.get(part.name).copied());
                        record.offset =
                            record.offset.and_then(|so_far| so_far.checked_add(offset?));
                    }
                    found.record = found
                        .record
                        .take()
                        .and_then(|record| record.below(component));
                    found.steps.push(Step {
                        bounds: &component.dimensions,
                        home: scope,
                    });
                    found.polymorphic = component.polymorphic;
                    found.beginning = self.beginning_of(found.beginning, (&name, home), component);
                    found.component = Some(Home::Component {
                        scope: scope.name.clone(),
                        of: name,
                        name: part.name.clone(),
                    });
                    spec = Some(component.ty.clone());
                    home = scope;
                }
                Some(None) if is_last && part.applied.is_some() => {
                    found.outcome = Outcome::Procedure;
                    found.owner = Some(Owner {
                        ty: name,
                        home,
                        is_exact: !found.polymorphic,
                    });
                    return found;
                }
                _ => return found,
            }
        }
        if let Some(spec) = spec {
            found.ty = self.resolve(&spec, home);
            found.outcome = Outcome::Known;
            found.record_bytes = self.layouts.bytes(self.world, &spec, home);
        }
        found
    }

    /// What a component of a structure of a type has before the program runs, by what the structure has.
    fn beginning_of(
        &self,
        structure: Beginning<'a>,
        (ty, home): (&str, &'a Scope),
        component: &'a Component,
    ) -> Beginning<'a> {
        let defines = |(ty, _): &(&'a DerivedType, &'a Scope)| {
            let mut components = ty.components.iter();
            components.any(|own| own.name == component.name)
        };
        match self.world.ancestry(ty, home).find(defines) {
            Some(definition) => structure.of_component(definition, (ty, component)),
            None => Beginning::Unknown,
        }
    }

    /// Notes that a path goes into structures of a type: the elements of an array, or an argument.
    fn enter_record(&mut self, found: &mut Lookup<'a>, ty: &str, home: &'a Scope, at: usize) {
        let is_element = found
            .steps
            .last()
            .is_some_and(|step| !step.bounds.is_empty());
        if is_element || at == 0 && found.role == Role::Argument {
            let layout = self.layouts.record(self.world, ty, home);
            let bytes = layout.and_then(|layout| layout.bytes);
            found.record = Some(Record {
                is_element,
                bytes,
                first: at + 1,
                offset: Some(0),
                is_behind_pointers: false,
            });
        }
    }
}
