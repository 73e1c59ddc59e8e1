//! Which variable of the caller is a component of a structure that is passed?
//!
//! Members are variables of their own here, named by the way to them: `level->box.v` of the callee, with
//! `&grid[k]` passed for `level`, is `grid.box.v` under the subscript k of the caller. The caller may not know
//! that member; then it gets a variable for it that lies where the callee's declarations say.
//!
//! ```text
//! callee  p->x, p a dummy argument        caller  step(&particle[i])     particle.x under i
//!         p->u[j]                                                        particle.u under j and i
//!         s%a(j), s a dummy argument               call step(t(i))       t%a under j and i
//! ```
//!
//! Pointers need care: what a pointer in an array of pointers leads to is not next to what its neighbour leads
//! to ([`Place::is_behind`]). What cannot be named in the caller is `None`, and the call stays.

use super::instance::Instance;
use crate::ir::{
    BinaryOp, MemberLayout, Name, PointerLayout, Records, Step, Type, Value, VarId, Variable,
    addressed, is_left_out,
};

/// The structure of the caller that a component is in.
struct Place {
    base: VarId,
    /// Those of the array that it is an element of.
    subscripts: Vec<Value>,
    /// Whether a pointer in that element leads to it.
    is_behind: bool,
}

impl Instance<'_, '_, '_> {
    /// The caller's place for a component of a structure that is passed, under the subscripts of the body;
    /// `Some(None)` if it is no such component.
    pub fn component(&mut self, id: VarId, mut own: Vec<Value>) -> Option<Option<Value>> {
        let template = self.template;
        let variable = template.function.variable(id);
        let Some((root, way)) = variable.name.split() else {
            return Some(None);
        };
        let root_of = |formal: &&VarId| template.function.variable(**formal).name == root;
        let Some(formal) = template.formals.iter().find(root_of) else {
            return Some(None);
        };
        let dummy = template.function.variable(*formal);
        // A pointer to one structure; else the structures of an array have their subscripts behind the component's.
        let is_target = way.first_step() == Some(Step::Target);
        let rank = if is_target { 0 } else { dummy.dimensions.len() };
        let inside = variable.dimensions.len().checked_sub(rank)?;
        let is_whole = own.is_empty();
        let outer = if is_whole {
            Vec::new()
        } else {
            own.split_off(inside.min(own.len()))
        };
        let place = if rank > 0 {
            self.elements(dummy, *formal, outer)?
        } else {
            self.structure(*formal)?
        };
        if place.subscripts.iter().any(Value::has_no_number) {
            return None;
        }
        let base = self.caller.function.variable(place.base);
        let is_element = !place.subscripts.is_empty();
        let way = match is_target {
            true if place.is_behind => way,
            _ if place.is_behind => return None,
            true if !is_element && !base.dimensions.is_empty() => way,
            true => way.by(Step::Member),
            false
                if template.function.conventions.has_pointers()
                    && rank == 0
                    && !is_element
                    && !base.dimensions.is_empty() =>
            {
                return None;
            }
            false => way,
        };
        let found = self.component_variable(id, &way, &place, inside, is_target)?;
        let rank = self.caller.function.variable(found).dimensions.len();
        if is_whole && inside > 0 && is_element {
            own = self.whole(variable, inside)?;
        }
        own.extend(place.subscripts);
        Some(match own.is_empty() {
            true => Some(Value::Variable(found)),
            false => (own.len() == rank).then(|| {
                Some(Value::Element {
                    array: found,
                    subscripts: own,
                    place: self.place.clone(),
                })
            })?,
        })
    }

    /// The structure that is passed for a dummy argument that is one, or points to one.
    fn structure(&self, formal: VarId) -> Option<Place> {
        let actual = self.passed.get(&formal)?;
        Some(match addressed(actual).unwrap_or(actual) {
            Value::Variable(base) => Place {
                base: *base,
                subscripts: Vec::new(),
                is_behind: false,
            },
            // `list[i]` of an array of pointers.
            Value::Element {
                array, subscripts, ..
            } if subscripts.first().is_some_and(is_left_out) => Place {
                base: *array,
                subscripts: subscripts[1..].to_vec(),
                is_behind: true,
            },
            Value::Element {
                array, subscripts, ..
            } => Place {
                base: *array,
                subscripts: subscripts.clone(),
                is_behind: false,
            },
            // `s + i`
            Value::Binary(BinaryOp::Add, pointer, offset) => match **pointer {
                Value::Variable(base)
                    if self.caller.function.variable(base).dimensions.len() == 1 =>
                {
                    Place {
                        base,
                        subscripts: vec![(**offset).clone()],
                        is_behind: false,
                    }
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The structures that are passed for a dummy array, under its subscripts.
    fn elements(
        &mut self,
        dummy: &Variable,
        formal: VarId,
        subscripts: Vec<Value>,
    ) -> Option<Place> {
        let actual = self.passed.get(&formal)?.clone();
        let actual = addressed(&actual).unwrap_or(&actual);
        if subscripts.is_empty() {
            let Value::Variable(base) = actual else {
                return None;
            };
            let same =
                self.caller.function.variable(*base).dimensions.len() == dummy.dimensions.len();
            return same.then_some(Place {
                base: *base,
                subscripts,
                is_behind: false,
            });
        }
        let view = self.view(dummy, dummy.dimensions.len(), actual)?;
        Some(Place {
            base: view.array,
            subscripts: view.subscripts(&subscripts)?,
            is_behind: false,
        })
    }

    /// An element of a dummy array of structures, or what a pointer to structures leads to.
    pub fn structure_element(&mut self, formal: VarId, subscripts: &[Value]) -> Option<Value> {
        let dummy = self.template.function.variable(formal);
        let Place {
            base, subscripts, ..
        } = self.elements(dummy, formal, subscripts.to_vec())?;
        Some(Value::Element {
            array: base,
            subscripts,
            place: self.place.clone(),
        })
    }

    /// The subscripts of a whole array that is a component of an element.
    fn whole(&mut self, variable: &Variable, rank: usize) -> Option<Vec<Value>> {
        if self.template.function.conventions.has_pointers() {
            return Some(vec![Value::Row; rank]);
        }
        let mut subscripts = Vec::with_capacity(rank);
        for extent in &variable.dimensions[..rank] {
            let lower = match &extent.lower {
                Some(lower) => self.value(lower)?,
                None => self.first(),
            };
            let upper = self.value(extent.upper.as_ref()?)?;
            subscripts.push(Value::Section(Box::new([lower, upper, Value::Integer(1)])));
        }
        Some(subscripts)
    }

    /// The caller's variable for a component, made if it has none.
    fn component_variable(
        &mut self,
        id: VarId,
        way: &Name,
        place: &Place,
        inside: usize,
        is_target: bool,
    ) -> Option<VarId> {
        let variable = self.template.function.variable(id);
        let base = self.caller.function.variable(place.base);
        let (role, is_pointer) = (base.role, is_target && place.subscripts.is_empty());
        let outer = match place.is_behind {
            true => base.dimensions.get(1..)?.to_vec(),
            false if is_pointer => Vec::new(),
            false => base.dimensions.clone(),
        };
        let (name, rank) = (base.name.along(way), inside + outer.len());
        if let Some(found) = self.caller.names.get(&name).copied() {
            return (self.caller.function.variable(found).dimensions.len() == rank)
                .then_some(found);
        }
        let is_in_array = !outer.is_empty();
        let mut dimensions = self.extents(&variable.dimensions[..inside]);
        dimensions.extend(outer);
        let added = self.add(Variable {
            name,
            dimensions,
            role,
            constant: None,
            ..variable.clone()
        });
        self.lay_out(id, added, place.base, way, is_in_array);
        if let Some(home) = self.template.function.homes.get(&id) {
            self.caller.function.homes.insert(added, home.clone());
        }
        Some(added)
    }

    /// Notes where a component lies in the caller's structures.
    fn lay_out(&mut self, id: VarId, added: VarId, base: VarId, way: &Name, is_in_array: bool) {
        let template = self.template;
        let (members, parts) = (&template.function.members, &template.function.parts);
        if let Some(bytes) = template.function.record_bytes.get(&id) {
            self.caller.function.record_bytes.insert(added, *bytes);
        }
        let name = &template.function.variable(id).name;
        let is_own = |layout: &MemberLayout| {
            let way = name.split().map(|(_, way)| way.len_of_way());
            way == Some(layout.steps)
        };
        // In the elements of an array that is itself a component, it lies where it did.
        let moved = |this: &Self, layout: &MemberLayout| match is_own(layout) {
            true => this.moved(layout, base, way),
            false => layout.clone(),
        };
        if let Some(PointerLayout { behind, layout }) = template.function.pointers.get(&id) {
            let (behind, layout) = (*behind, moved(self, layout));
            let pointers = &mut self.caller.function.pointers;
            pointers.insert(added, PointerLayout { behind, layout });
        }
        let Some(layout) = members.get(&id).or_else(|| parts.get(&id)) else {
            return;
        };
        let (is_own, moved) = (is_own(layout), moved(self, layout));
        let is_in_array = is_in_array
            || !is_own
            || template.function.conventions.has_pointers() && members.contains_key(&id);
        let function = &mut self.caller.function;
        let layouts = if is_in_array {
            &mut function.members
        } else {
            &mut function.parts
        };
        layouts.insert(added, moved);
    }

    /// The layout of a component in the caller's structures, whose beginning may be inside others, and which may be
    /// larger than the dummy argument says: of a type that extends its own.
    fn moved(&self, layout: &MemberLayout, base: VarId, way: &Name) -> MemberLayout {
        let function = &self.caller.function;
        let outer = function
            .members
            .get(&base)
            .or_else(|| function.parts.get(&base));
        let bytes = |known: Option<u32>| match known {
            Some(bytes) if layout.record_bytes > 0 => bytes,
            _ => 0,
        };
        if let Some(outer) = outer.filter(|outer| outer.extents.is_empty()) {
            let record_bytes = bytes(Some(outer.record_bytes));
            let offset = if record_bytes > 0 {
                outer.offset.saturating_add(layout.offset)
            } else {
                0
            };
            let extents = if record_bytes > 0 {
                layout.extents.clone()
            } else {
                Vec::new()
            };
            return MemberLayout {
                steps: outer.steps + way.len_of_way(),
                offset,
                record_bytes,
                extents,
            };
        }
        let is_array = !function.variable(base).dimensions.is_empty();
        let record_bytes = match self.template.function.conventions.records {
            Records::Extensible if is_array => bytes(function.record_bytes.get(&base).copied()),
            _ => layout.record_bytes,
        };
        let known = layout.clone();
        match record_bytes {
            0 => MemberLayout {
                offset: 0,
                extents: Vec::new(),
                record_bytes,
                ..known
            },
            _ => MemberLayout {
                record_bytes,
                ..known
            },
        }
    }

    /// Whether a dummy argument can stand for the structure that is passed: it may be a copy, or a pointer that moves.
    pub fn binds_structure(&self, formal: VarId) -> bool {
        let function = &self.template.function;
        let dummy = function.variable(formal);
        if function.conventions.passes_places() {
            return true;
        }
        let is_part = |id: &VarId| {
            function
                .variable(*id)
                .name
                .structure()
                .is_some_and(|structure| dummy.name == structure)
        };
        let is_copy = dummy.dimensions.is_empty();
        let mut given_values = self.template.assigned.iter().chain(&self.template.stored);
        !(self.template.assigned.contains(&formal) || is_copy && given_values.any(is_part))
    }

    /// A structure as it is passed, where the body names it as a whole.
    pub fn whole_structure(&self, id: VarId) -> Option<Value> {
        let variable = self.template.function.variable(id);
        let is_structure = matches!(variable.ty, Type::Derived(..));
        self.passed.get(&id).filter(|_| is_structure).cloned()
    }
}
