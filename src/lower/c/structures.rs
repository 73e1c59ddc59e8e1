//! Copies of small structures, member by member, so that `z = w` and `z.re = w.re` name the same
//! memory: what C codes without `_Complex` do all the time.

use tree_sitter::Node;

use super::super::draft::MOST_LISTED;
use super::super::fold;
use super::super::layout::Arrangement;
use super::context::Selected;
use super::ctype::CType;
use super::fields::{Field, children, part, parts};
use super::for_loop::mentions;
use super::lists::LONGEST;
use super::lowering::Lowering;
use super::names::Symbol;
use super::record::{Member, RecordId};
use crate::diagnostic::Place;
use crate::ir::{
    BinaryOp, MemberLayout, Role as Storage, Step, Stmt, Type, Value, VarId, Variable, wrapped_to,
};
use crate::reason::ReasonCode;
use crate::syntax::Role;

/// Structures of more members are copied as a whole.
const LIMIT: usize = 8;

impl<'t> Lowering<'t> {
    /// Emits `target = value` for structures of a few numbers, member by member. Gives the target
    /// back if that cannot be done.
    pub fn copy_structure(&mut self, place: &Place, target: &Value, right: Node<'t>) -> bool {
        let Some(record) = self.scalars_in(target) else {
            return false;
        };
        let members = self.positions(record);
        let values = match self.constructed(right) {
            Some(list) => self.member_values(list, record),
            None => {
                let is_path = matches!(
                    self.role(right),
                    Some(Role::Name | Role::Subscript | Role::Member | Role::Pointer)
                );
                let same = self.names.element_type(&self.type_of(right, 0))
                    == target.ty(self.draft.function());
                if !is_path || !same || self.has_effects(right) {
                    return false;
                }
                let value = self.value(right);
                members
                    .iter()
                    .map(|member| self.component(&value, member))
                    .collect()
            }
        };
        let Some(mut values) = values else {
            return false;
        };
        let targets = members
            .iter()
            .map(|member| self.component(target, member))
            .collect::<Option<Vec<_>>>();
        let Some(targets) = targets else { return false };
        // `z = (complex){z.re * w, z.im * z.re}` reads what it has already set.
        let overlaps = |at: usize| {
            targets[..at].iter().any(|target| {
                target
                    .variable()
                    .is_some_and(|id| mentions(&values[at], id))
            })
        };
        if (1..values.len()).any(overlaps) {
            for (value, target) in values.iter_mut().zip(&targets) {
                *value = self.temporary(place, target, std::mem::replace(value, Value::Integer(0)));
            }
        }
        for (target, value) in targets.into_iter().zip(values) {
            self.emit(Stmt::Assign {
                place: place.clone(),
                target,
                value,
            });
        }
        true
    }

    /// Notes what a variable has before the program runs: a number, or the whole numbers among the members of a structure
    /// that its list names.
    pub fn begin(&mut self, id: VarId, initial: Node<'t>) {
        match self.type_of_variable(id) {
            CType::Arithmetic(_) => {
                let value = self.value(initial);
                self.draft.set_initial(id, value);
            }
            CType::Pointer(_) if self.is_null(initial) => self.draft.set_zero(id),
            CType::Record(record) if self.role(initial) == Some(Role::ArrayConstructor) => {
                self.begin_numbers(id, record, initial);
                self.begin_pointers(id, record, initial);
                for (member, node) in self.inner_lists(record, initial) {
                    let component = self.component_variable(id, member);
                    self.begin(component, node);
                }
            }
            CType::Array(inner, _) => match *inner {
                CType::Record(record) => self.begin_members(id, record, initial),
                _ => self.begin_elements(id, initial),
            },
            _ => {}
        }
    }

    /// Notes what the structures begin with whose addresses an initial value has: pointers to the type lead to them.
    pub fn begin_behind(&mut self, initial: Node<'t>) {
        let mut found = Vec::new();
        let mut left = vec![initial];
        let mut seen = 0;
        while let Some(node) = left.pop() {
            seen += 1;
            if self.role(node) == Some(Role::Name) {
                let is_structure = match self.names.symbol(self.text(node)) {
                    Some(Symbol::Global { ty, constant, .. }) => {
                        let is_it = |ty: &CType| matches!(ty, CType::Record(_));
                        let is_among = matches!(ty, CType::Array(inner, _) if is_it(inner));
                        constant.is_none() && (is_it(ty) || is_among)
                    }
                    _ => false,
                };
                found.extend(is_structure.then_some(node));
            }
            left.extend(children(node));
            // Longer ones are tables, not sizes.
            if found.len() > MOST_LISTED || seen > LONGEST {
                return;
            }
        }
        if !found.is_empty() && self.variables.go_behind() {
            for node in found {
                self.value(node);
            }
            self.variables.come_back();
        }
    }

    /// Notes the whole numbers among the members of a structure.
    fn begin_numbers(&mut self, id: VarId, record: RecordId, list: Node<'t>) {
        for (member, value) in self.numbers_of(record, list) {
            let component = self.component_variable(id, member);
            self.draft.set_initial(component, value);
        }
    }

    /// Whether a pointer that leads nowhere stands there, `0`, `NULL` or `(char *)0`: evaluating anything else may note whose
    /// address is taken.
    fn is_null(&mut self, node: Node<'t>) -> bool {
        let node = self.unconverted(node);
        matches!(self.role(node), Some(Role::Number | Role::Null)) && self.value(node).is_null()
    }

    /// Notes the pointers among the members of a structure that lead nowhere, as its list says so or leaves them out.
    fn begin_pointers(&mut self, id: VarId, record: RecordId, list: Node<'t>) {
        let given = self.placed(record, list);
        if given.iter().any(|(member, _)| member.is_none()) {
            return;
        }
        let given: Vec<(&'t str, Node<'t>)> = (given.iter())
            .filter_map(|(member, value)| Some((member.as_ref()?.name, *value)))
            .collect();
        for member in self.pointers_in(record) {
            let value = given.iter().rfind(|(name, _)| *name == member);
            if value.is_none_or(|(_, value)| self.is_null(*value)) {
                let component = self.component_variable(id, member);
                self.draft.set_zero(component);
            }
        }
    }

    /// The members of a structure that are pointers; none of a union.
    fn pointers_in(&self, record: RecordId) -> Vec<&'t str> {
        let record = self.names.records.get(record);
        let pointers = (record.members.iter())
            .filter(|member| matches!(member.ty, CType::Pointer(_)) && !member.name.is_empty());
        match record.arrangement {
            Arrangement::Union => Vec::new(),
            _ => pointers.map(|member| member.name).collect(),
        }
    }

    /// The whole numbers among the members of a structure: what its list says, and zero where it says nothing.
    fn numbers_of(&mut self, record: RecordId, list: Node<'t>) -> Vec<(&'t str, Value)> {
        let listed = self.listed(record, list);
        let mut found = Vec::new();
        for member in self.whole_numbers(record) {
            let value = match &listed {
                Some(listed) => match listed.iter().find(|(name, _)| *name == member) {
                    Some((_, node)) => {
                        let value = self.value(*node);
                        self.in_bits(record, member, value)
                    }
                    None => Value::Integer(0),
                },
                // What other structures of the type have does not count for this one.
                None => Value::opaque(ReasonCode::UnsupportedExpression, member),
            };
            found.push((member, value));
        }
        found
    }

    /// What the bits of a member hold of a value, if it has a number of them.
    pub fn in_bits(&self, record: RecordId, member: &str, value: Value) -> Value {
        let members = &self.names.records.get(record).members;
        let own = members.iter().find(|own| own.name == member);
        let Some((bits @ 1..=31, CType::Arithmetic(Type::Integer(_, sign)))) =
            own.and_then(|own| Some((own.bits?, &own.ty)))
        else {
            return value;
        };
        if let Some(number) = fold::value(self.draft.function(), &value) {
            return Value::Integer(wrapped_to(bits, *sign, number));
        }
        // From the lowest number on, what is left of a division by as many numbers as there are.
        let lowest = wrapped_to(bits, *sign, 1 << (bits - 1)).min(0);
        let moved = Value::binary(BinaryOp::Subtract, value, Value::Integer(lowest));
        let mask = Value::Integer((1 << bits) - 1);
        let left = Value::binary(BinaryOp::BitAnd, moved, mask);
        Value::binary(BinaryOp::Add, left, Value::Integer(lowest))
    }

    /// The whole numbers among the members of a structure that a list gives values; `None` where it is not known which
    /// members some of its values are for.
    pub fn listed(&self, record: RecordId, list: Node<'t>) -> Option<Vec<(&'t str, Node<'t>)>> {
        let mut found: Vec<(&'t str, Node<'t>)> = Vec::new();
        if self.names.records.get(record).arrangement == Arrangement::Union {
            return Some(found);
        }
        for (member, value) in self.placed(record, list) {
            let member = member?;
            let is_list = self.role(value) == Some(Role::ArrayConstructor);
            if matches!(member.ty, CType::Arithmetic(Type::Integer(..))) && !is_list {
                found.retain(|(name, _)| *name != member.name);
                found.push((member.name, value));
            }
        }
        Some(found)
    }

    /// The lists for members that are structures or arrays.
    fn inner_lists(&self, record: RecordId, list: Node<'t>) -> Vec<(&'t str, Node<'t>)> {
        let placed = self.placed(record, list).into_iter();
        let is_inner = |member: &Member| {
            !member.name.is_empty() && matches!(member.ty, CType::Record(_) | CType::Array(..))
        };
        placed
            .filter(|(_, value)| self.role(*value) == Some(Role::ArrayConstructor))
            .filter_map(|(member, value)| {
                Some((member.filter(|member| is_inner(member))?.name, value))
            })
            .collect()
    }

    /// The values of a list, each with the member of a structure that it is for, by its name or behind the one before;
    /// `None` where that is not known.
    pub fn placed(&self, record: RecordId, list: Node<'t>) -> Vec<(Option<&Member<'t>>, Node<'t>)> {
        let members = &self.names.records.get(record).members;
        let mut next = Some(0);
        // How many values the member has had that takes several.
        let mut taken = 0;
        let mut found = Vec::new();
        for child in children(list) {
            let (at, value) = match self.role(child) {
                Some(Role::Keyword) => {
                    let name = part(child, Field::Designator).map(|node| self.text(node));
                    let name = name.map(|name| name.trim_start_matches('.').trim());
                    let at = members.iter().position(|member| Some(member.name) == name);
                    (at, part(child, Field::Value))
                }
                _ => (next, Some(child)),
            };
            let member = at.and_then(|at| members.get(at));
            let Some(value) = value else {
                next = None;
                continue;
            };
            let is_whole = matches!(self.role(value), Some(Role::ArrayConstructor | Role::Text));
            taken = if next == at { taken + 1 } else { 1 };
            let is_designated = self.role(child) == Some(Role::Keyword);
            // Without braces of its own, a member that is an array takes several values.
            let room = match member {
                Some(_) if is_whole => Some(1),
                Some(_) if is_designated && self.is_part(child) => None,
                Some(member) => self.values_without_braces(&member.ty),
                None => None,
            };
            next = match room {
                Some(room) if taken >= room => at.map(|at| at + 1),
                Some(_) => at,
                None => None,
            };
            if next != at {
                taken = 0;
            }
            found.push((member, value));
        }
        found
    }

    /// Whether a designator names a part of a member: `.v[1] = 5`, `.in.n = 5`.
    fn is_part(&self, pair: Node<'t>) -> bool {
        parts(pair, Field::Designator).len() > 1
    }

    /// How many values a member takes from a list without braces of its own.
    fn values_without_braces(&self, ty: &CType<'t>) -> Option<i64> {
        match ty {
            CType::Array(inner, extent) => {
                let extent = self.names.number_of((*extent)?).filter(|n| *n > 0)?;
                self.values_without_braces(inner)?.checked_mul(extent)
            }
            CType::Record(_) => None,
            _ => Some(1),
        }
    }

    /// Keeps a value in a new scalar.
    pub fn temporary(&mut self, place: &Place, target: &Value, value: Value) -> Value {
        let name = target
            .variable()
            .map_or("", |id| self.draft.variable(id).name.as_str());
        let (name, ty) = (
            format!("{name} (new)"),
            CType::Arithmetic(target.ty(self.draft.function())),
        );
        let id = self.add_variable(name, ty, Storage::Local, place.clone());
        self.emit(Stmt::Assign {
            place: place.clone(),
            target: Value::Variable(id),
            value,
        });
        Value::Variable(id)
    }

    /// `(type){a, b}.name` without making the structure.
    pub fn constructed_member(&mut self, argument: Node<'t>, name: &str) -> Option<Value> {
        let list = self.constructed(argument)?;
        let literal = self.unwrapped(argument);
        let ty = self.names.described_type(part(literal, Field::Type)?);
        let record = self.of_scalars(&ty)?;
        let given = self.scalars_given(record, list)?;
        let (_, initialiser) = given.into_iter().rfind(|(member, _)| *member == name)?;
        let value = self.value(initialiser);
        Some(self.in_bits(record, name, value))
    }

    /// A new variable that is the structure that a literal makes, `(type){a, b}`, if it makes one.
    pub fn literal_structure(&mut self, node: Node<'t>) -> Option<VarId> {
        let literal = self.unwrapped(node);
        if self.role(literal) != Some(Role::CompoundLiteral) {
            return None;
        }
        let (ty, list) = (part(literal, Field::Type)?, part(literal, Field::Value)?);
        let CType::Record(record) = self.names.described_type(ty) else {
            return None;
        };
        let name = self.free_name(&self.names.records.get(record).name);
        let place = self.place(literal);
        let ty = CType::Record(record);
        let id = self.add_variable(name, ty, Storage::Local, place.clone());
        if self.copy_structure(&place, &Value::Variable(id), literal) {
            return Some(id);
        }
        self.note_named(literal);
        for (member, value) in self.numbers_of(record, list) {
            let target = Value::Variable(self.component_variable(id, member));
            self.emit(Stmt::Assign {
                place: place.clone(),
                target,
                value,
            });
        }
        Some(id)
    }

    /// The type of a structure that holds nothing but a few numbers.
    fn scalars_in(&self, target: &Value) -> Option<RecordId> {
        let Type::Derived(..) = target.ty(self.draft.function()) else {
            return None;
        };
        let mut ty = self.type_of_variable(target.variable()?);
        let is_whole = matches!(target, Value::Element { subscripts, .. } if subscripts.iter().all(|s| !is_partial(s)));
        while ty.is_address() && is_whole {
            ty = ty.element();
        }
        self.of_scalars(&ty)
    }

    fn of_scalars(&self, ty: &CType<'t>) -> Option<RecordId> {
        let CType::Record(id) = ty else { return None };
        let members = &self.names.records.get(*id).members;
        let is_scalar = |member: &Member| matches!(member.ty, CType::Arithmetic(_));
        let is_small = (1..=LIMIT).contains(&members.len());
        (is_small && members.iter().all(is_scalar)).then_some(*id)
    }

    /// Names of the members of a structure, in order.
    fn positions(&self, record: RecordId) -> Vec<&'t str> {
        let members = &self.names.records.get(record).members;
        members.iter().map(|member| member.name).collect()
    }

    fn unwrapped(&self, mut node: Node<'t>) -> Node<'t> {
        while let (Some(Role::Parenthesised), Some(inner)) =
            (self.role(node), children(node).first())
        {
            node = *inner;
        }
        node
    }

    /// The list of `{a, b}` or `(type){a, b}`.
    fn constructed(&self, node: Node<'t>) -> Option<Node<'t>> {
        let node = self.unwrapped(node);
        match self.role(node) {
            Some(Role::ArrayConstructor) => Some(node),
            Some(Role::CompoundLiteral) => part(node, Field::Value),
            _ => None,
        }
    }

    fn member_values(&mut self, list: Node<'t>, record: RecordId) -> Option<Vec<Value>> {
        let given = self.scalars_given(record, list)?;
        let mut values = Vec::new();
        for member in self.positions(record) {
            let initialiser = given.iter().rfind(|(name, _)| *name == member);
            let value = initialiser.map_or(Value::Integer(0), |(_, node)| self.value(*node));
            values.push(self.in_bits(record, member, value));
        }
        Some(values)
    }

    /// Which member each value of a list is for; `None` where that is not known of all, or one is a list itself.
    fn scalars_given(&self, record: RecordId, list: Node<'t>) -> Option<Vec<(&'t str, Node<'t>)>> {
        let given = self.placed(record, list).into_iter();
        given
            .map(|(member, value)| {
                let is_list = self.role(value) == Some(Role::ArrayConstructor);
                Some((member.filter(|_| !is_list)?.name, value))
            })
            .collect()
    }

    /// The member of a variable or element that is a structure.
    fn component(&mut self, value: &Value, member: &str) -> Option<Value> {
        let id = self.component_variable(value.variable()?, member);
        Some(match value {
            Value::Element {
                subscripts, place, ..
            } => Value::Element {
                array: id,
                subscripts: subscripts.clone(),
                place: place.clone(),
            },
            _ => Value::Variable(id),
        })
    }

    pub fn component_variable(&mut self, array: VarId, member: &str) -> VarId {
        // The variable may itself be made of members.
        let made = self.variables.selection(array);
        let selected = Selected {
            members: made.members.clone().then(Step::Member, member),
            ..made
        };
        if let Some(id) = self.variables.component(selected.root, &selected.members) {
            return id;
        }
        let Variable {
            name,
            dimensions,
            role,
            place,
            ..
        } = self.draft.variable(array).clone();
        let mut ty = self.type_of_variable(array);
        while ty.is_address() {
            ty = ty.element();
        }
        let (offset, bytes) = (
            self.names.member_offset(&ty, member),
            self.names.size_of(&ty),
        );
        let home = self.names.component(&ty, member);
        let ty = self.names.member_type(&ty, member);
        let is_counted = matches!(ty, CType::Arithmetic(Type::Integer(..)));
        let is_pointer = matches!(ty, CType::Pointer(_));
        let id = self.add_variable(name.then(Step::Member, member), ty, role, place);
        if let (Some(offset), Some(record_bytes)) = (offset, bytes) {
            let layout = MemberLayout {
                steps: 1,
                offset: i64::from(offset),
                record_bytes,
                extents: Vec::new(),
            };
            self.draft.set_member(id, layout);
        }
        match is_pointer {
            true => self.draft.add_dimensions(id, dimensions),
            false => self.draft.set_dimensions(id, dimensions),
        }
        if let Some(home) = home.filter(|_| is_counted || is_pointer) {
            self.draft.set_home(id, home);
        }
        self.variables.add_component(selected, id);
        id
    }
}

fn is_partial(subscript: &Value) -> bool {
    matches!(subscript, Value::Row)
}
