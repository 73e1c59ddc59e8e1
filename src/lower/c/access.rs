//! What does an expression with a place in memory refer to: `a[k][j]`, `*(p + i)`, `level->box[b].v[i]`?
//!
//! A path is a variable, the members selected from it and the subscripts given on the way. Members make a
//! variable of their own, named like the source without the subscripts (`level->box.v`), whose dimensions are
//! those of the subscripts on the way and of the member itself.
//!
//! ```text
//! level->box[b].v[i]      variable level->box.v     subscripts b, i
//! *(p + i), p[i], i[p]    variable p                subscript i
//! (&a[2])[i]              variable a                subscript 2 + i
//! ```
//!
//! So however it is written, one place has one form, and streams of one array meet. What is not followed, such
//! as a pointer that a cast to another type makes, becomes an array of its own that shares the other's storage
//! (guide: languages, "C: pointers and arrays").

mod casts;

use tree_sitter::Node;

use super::super::fold;
use super::context::Selected;
use super::ctype::CType;
use super::effects::Use;
use super::fields::{Field, children, part};
use super::lowering::Lowering;
use crate::diagnostic::Place;
use crate::ir::{
    BinaryOp, Extent, Home, MemberLayout, Name, PointerLayout, Reason, Role as Storage, Step,
    UnaryOp, Value, VarId,
};
use crate::reason::ReasonCode;
use crate::syntax::Role;

/// What an expression refers to.
#[expect(
    clippy::large_enum_variant,
    reason = "lives on the stack while one expression is read, most are paths"
)]
pub enum Access<'t> {
    Path(Path<'t>),
    /// The result of a computation, such as a call: no variable to name.
    Computed(Value),
}

/// A place inside a structure that is an argument, or is reached by a subscript or a pointer.
#[derive(Clone, Copy)]
struct InRecord {
    /// Not the argument itself.
    is_element: bool,
    /// How many steps and subscripts lead to where the structure begins.
    steps: usize,
    subscripts: usize,
    offset: u32,
    bytes: u32,
}

/// How a variable that the members of a path make lies in a structure.
enum Laid {
    /// In an element of an array, or behind a pointer.
    Element(MemberLayout),
    /// In a structure that stands alone.
    Part(MemberLayout),
    /// Behind a pointer that is in an element of an array.
    Pointer(PointerLayout),
}

pub struct Path<'t> {
    root: VarId,
    /// `->box.v`.
    members: Name,
    /// In the order of the source, with the extents of the dimensions that they select from.
    subscripts: Vec<Value>,
    extents: Vec<Extent>,
    /// Added to the address: `(p + i)`.
    offset: Option<Value>,
    /// The structure that the path is inside of.
    record: Option<InRecord>,
    /// The member through which, as a pointer, the last subscripts lead out of that structure, which it is inside of, and
    /// how many subscripts lead to it.
    pointer: Option<(InRecord, usize)>,
    /// How many steps lead to the outermost union.
    union: Option<usize>,
    /// The expression is the address of the path.
    is_address: bool,
    /// The member of a structure that it ends in.
    component: Option<Home>,
    ty: CType<'t>,
    place: Place,
}

impl<'t> Lowering<'t> {
    /// Notes that something other than a call gets the address of a variable or of a member of one.
    fn note_address(&mut self, root: VarId, members: &Name) {
        self.draft.set_aliased(root);
        if let Some(component) = self.variables.component(root, members) {
            self.draft.set_aliased(component);
        }
    }

    /// The value of an expression with a place in memory.
    pub fn access_value(&mut self, node: Node<'t>) -> Value {
        let access = self.access(node);
        self.finish(access, node)
    }

    fn access(&mut self, node: Node<'t>) -> Access<'t> {
        match self.deeper(|this| this.access_within(node)) {
            Some(access) => access,
            None => Access::Computed(Value::Opaque {
                reason: self.reason(ReasonCode::TooDeep, node),
                inner: Vec::new(),
            }),
        }
    }

    fn access_within(&mut self, node: Node<'t>) -> Access<'t> {
        match self.role(node) {
            Some(Role::Name) => {
                let root = self.variable(node);
                let ty = self.type_of_variable(root);
                let record = match (&ty, self.draft.variable(root).role) {
                    (CType::Record(_), Storage::Argument) => {
                        self.names.size_of(&ty).map(|bytes| InRecord {
                            is_element: false,
                            steps: 0,
                            subscripts: 0,
                            offset: 0,
                            bytes,
                        })
                    }
                    _ => None,
                };
                Access::Path(Path {
                    root,
                    members: Name::default(),
                    subscripts: Vec::new(),
                    extents: Vec::new(),
                    offset: None,
                    record,
                    pointer: None,
                    union: None,
                    is_address: false,
                    component: None,
                    ty,
                    place: self.place(node),
                })
            }
            Some(Role::Parenthesised) => match children(node).first() {
                Some(inner) if self.role(*inner) != Some(Role::Block) => self.access(*inner),
                _ => Access::Computed(self.value(node)),
            },
            Some(Role::Subscript) => {
                let of =
                    |field| part(node, field).map_or(CType::Unknown, |part| self.type_of(part, 0));
                // `i[p]` is `p[i]`.
                let swapped = !of(Field::Argument).is_address() && of(Field::Index).is_address();
                let (base, index) = if swapped {
                    (Field::Index, Field::Argument)
                } else {
                    (Field::Argument, Field::Index)
                };
                let base = self.part_access(node, base);
                let index = self.part_value(node, index);
                self.subscript(base, index)
            }
            Some(Role::Pointer) => {
                let base = self.part_access(node, Field::Argument);
                if self.operator(node) == "*" {
                    self.subscript(base, Value::Integer(0))
                } else {
                    if let Access::Path(path) = &base {
                        self.note_address(path.root, &path.members);
                    }
                    address(base)
                }
            }
            Some(Role::Member) => self.member(node),
            Some(Role::Binary) => self.moved_pointer(node),
            // These look at their target twice.
            Some(Role::Update) if self.part_is_pure(node, Field::Argument) => {
                // `*p++`: the increment is a statement, before or after this one.
                let value = self.update(node, Use::Effect);
                let base = self.part_access(node, Field::Argument);
                match (value, base) {
                    (Value::Binary(op, _, amount), Access::Path(path)) => {
                        Access::Path(path.moved(op, *amount))
                    }
                    (_, base) => base,
                }
            }
            Some(Role::AssignmentExpression) if self.part_is_pure(node, Field::Left) => {
                self.assignment(node, Use::Effect);
                self.part_access(node, Field::Left)
            }
            Some(Role::Cast) => self.cast_access(node),
            _ => Access::Computed(self.value(node)),
        }
    }

    fn part_is_pure(&self, node: Node<'t>, field: Field) -> bool {
        part(node, field).is_some_and(|part| !self.has_effects(part))
    }

    fn part_access(&mut self, node: Node<'t>, field: Field) -> Access<'t> {
        match part(node, field) {
            Some(part) => self.access(part),
            None => Access::Computed(Value::opaque(ReasonCode::SyntaxError, self.text(node))),
        }
    }

    /// `p + i` and `i + p` as places; anything else is computed.
    fn moved_pointer(&mut self, node: Node<'t>) -> Access<'t> {
        let operator = self.operator(node);
        let (Some(left), Some(right), "+" | "-") =
            (part(node, Field::Left), part(node, Field::Right), operator)
        else {
            return Access::Computed(self.value(node));
        };
        let swapped = operator == "+"
            && self.type_of(right, 0).is_address()
            && !self.type_of(left, 0).is_address();
        let (pointer, amount) = if swapped {
            (right, left)
        } else {
            (left, right)
        };
        let base = self.access(pointer);
        let amount = self.value(amount);
        let op = if operator == "-" {
            BinaryOp::Subtract
        } else {
            BinaryOp::Add
        };
        match base {
            Access::Path(path) => Access::Path(path.moved(op, amount)),
            Access::Computed(value) => Access::Computed(Value::binary(op, value, amount)),
        }
    }

    /// `base[index]`; `*base` is `base[0]`.
    fn subscript(&mut self, base: Access<'t>, index: Value) -> Access<'t> {
        let mut path = match base {
            Access::Path(path) => path,
            Access::Computed(value) => {
                let reason = Reason {
                    code: ReasonCode::ComputedBase,
                    detail: String::new(),
                };
                return Access::Computed(Value::Opaque {
                    reason,
                    inner: vec![value, index],
                });
            }
        };
        let index = match path.offset.take() {
            Some(offset) => add(offset, index),
            None => index,
        };
        if std::mem::take(&mut path.is_address) {
            path.ty = path.ty.element();
            match path.subscripts.last_mut() {
                Some(last) => *last = add(std::mem::replace(last, Value::Integer(0)), index),
                None if matches!(index, Value::Integer(0)) => {}
                None => path.select(Extent::default(), index),
            }
            return Access::Path(path);
        }
        let root = self.draft.variable(path.root);
        let extent = if path.members.is_plain() && path.subscripts.len() < root.dimensions.len() {
            root.dimensions[root.dimensions.len() - 1 - path.subscripts.len()].clone()
        } else if let CType::Array(_, size) = &path.ty {
            let size = *size;
            if path.is_local() {
                self.extent(size)
            } else {
                self.at_file_scope(|this| this.extent(size))
            }
        } else {
            Extent::default()
        };
        if matches!(path.ty, CType::Pointer(_))
            && let Some(record) = path.record.take()
        {
            path.pointer = Some((record, path.subscripts.len()));
        }
        if path.ty.is_address() {
            path.ty = path.ty.element();
        }
        path.select(extent, index);
        self.enter_record(&mut path);
        Access::Path(path)
    }

    /// `base.name`, `base->name`; `(*p).name` is `p->name`.
    fn member(&mut self, node: Node<'t>) -> Access<'t> {
        let (Some(argument), Some(name)) = (part(node, Field::Argument), part(node, Field::Member))
        else {
            return Access::Computed(Value::opaque(ReasonCode::SyntaxError, self.text(node)));
        };
        let name = self.text(name);
        if let Some(value) = self.constructed_member(argument, name) {
            return Access::Computed(value);
        }
        let dereferenced = self
            .dereferenced(argument)
            .filter(|_| self.operator(node) == ".");
        let mut through_pointer = self.operator(node) == "->" || dereferenced.is_some();
        let mut path = match self.access(dereferenced.unwrap_or(argument)) {
            Access::Path(path) => path,
            Access::Computed(value) => {
                let reason = Reason {
                    code: ReasonCode::ComputedBase,
                    detail: name.to_string(),
                };
                return Access::Computed(Value::Opaque {
                    reason,
                    inner: vec![value],
                });
            }
        };
        if through_pointer && (path.offset.is_some() || path.is_address) {
            // `(p + i)->x` is `p[i].x`, `(&a)->x` is `a.x`.
            through_pointer = false;
            path = match self.subscript(Access::Path(path), Value::Integer(0)) {
                Access::Path(path) => path,
                computed => return computed,
            };
        } else if through_pointer {
            path.ty = path.ty.element();
            self.enter_record(&mut path);
        }
        let offset = self.names.member_offset(&path.ty, name);
        path.pointer = None;
        path.record = path.record.take().zip(offset).and_then(|(record, more)| {
            Some(InRecord {
                offset: record.offset.checked_add(more)?,
                ..record
            })
        });
        if self.names.overlaps_others(&path.ty, name) {
            path.union.get_or_insert(path.members.len_of_way());
        }
        let step = if through_pointer {
            Step::Target
        } else {
            Step::Member
        };
        path.members.push(step, name);
        path.component = self.names.component(&path.ty, name);
        path.ty = self.names.member_type(&path.ty, name);
        Access::Path(path)
    }

    /// `p` of `(*p)`.
    fn dereferenced(&self, mut node: Node<'t>) -> Option<Node<'t>> {
        while self.role(node) == Some(Role::Parenthesised) {
            node = *children(node).first()?;
        }
        (self.role(node) == Some(Role::Pointer) && self.operator(node) == "*")
            .then(|| part(node, Field::Argument))?
    }

    /// Notes that a path has come to a structure.
    fn enter_record(&self, path: &mut Path<'t>) {
        if let (CType::Record(_), Some(bytes)) = (&path.ty, self.names.size_of(&path.ty)) {
            let (steps, subscripts) = (path.members.len_of_way(), path.subscripts.len());
            path.record = Some(InRecord {
                is_element: true,
                steps,
                subscripts,
                offset: 0,
                bytes,
            });
        }
    }

    /// Where the variable that a path's members make lies in its structure: numbers and arrays of them do, what a
    /// pointer leads to does not, but the pointer.
    fn member_layout(&mut self, path: &Path<'t>) -> Option<Laid> {
        let (record, led) = match (path.record, path.pointer) {
            (Some(record), _) => (record, path.extents.len()),
            (None, pointer) => pointer?,
        };
        let InRecord {
            is_element,
            steps,
            subscripts,
            offset,
            bytes,
        } = record;
        let inside = path.members.steps().skip(steps);
        let steps = path.members.len_of_way() - steps;
        if steps == 0 || inside.skip(1).any(|(step, _)| step == Step::Target) {
            return None;
        }
        // The first use may leave out subscripts: `copy(p->x)`, `&p->x`.
        let mut ty = if path.is_address {
            path.ty.element()
        } else {
            path.ty.clone()
        };
        let mut extents = path.extents[subscripts..led].to_vec();
        if path.record.is_some() {
            while let CType::Array(inner, size) = ty {
                let size = size?;
                extents.push(self.at_file_scope(|this| this.extent(Some(size))));
                ty = *inner;
            }
        }
        let size = |extent: &Extent| {
            fold::value(self.draft.function(), extent.upper.as_ref()?)?
                .checked_add(1)?
                .try_into()
                .ok()
        };
        let layout = MemberLayout {
            steps,
            offset: i64::from(offset),
            record_bytes: bytes,
            extents: (extents.iter().rev())
                .map(size)
                .collect::<Option<Vec<u32>>>()?,
        };
        let behind = path.extents.len() - led + ty.extents().len();
        match (behind, is_element) {
            (0, _) if ty.is_address() => None,
            (0, true) => Some(Laid::Element(layout)),
            (0, false) => Some(Laid::Part(layout)),
            (_, true) => Some(Laid::Pointer(PointerLayout { behind, layout })),
            (_, false) => None,
        }
    }

    fn finish(&mut self, access: Access<'t>, node: Node<'t>) -> Value {
        let path = match access {
            Access::Path(path) => path,
            Access::Computed(value) => return value,
        };
        let array = self.path_variable(&path);
        let Path {
            subscripts,
            offset,
            is_address,
            ty,
            place,
            ..
        } = path;
        let rank = subscripts.len();
        // Where nothing, or something else, is known of its type.
        self.draft.extend_rank(array, rank);
        let value = if rank == 0 {
            Value::Variable(array)
        } else {
            let missing = ty.extents().len() - usize::from(is_address);
            let subscripts = std::iter::repeat_n(Value::Row, missing)
                .chain(subscripts.into_iter().rev())
                .collect();
            Value::Element {
                array,
                subscripts,
                place,
            }
        };
        let value = match offset {
            Some(offset) => Value::binary(BinaryOp::Add, value, offset),
            None => value,
        };
        if is_address {
            return self.address_of(value, node);
        }
        value
    }

    /// The variable that a path's members make.
    fn path_variable(&mut self, path: &Path<'t>) -> VarId {
        if path.members.is_plain() {
            return path.root;
        }
        if let Some(id) = self.variables.component(path.root, &path.members) {
            return id;
        }
        let root = self.draft.variable(path.root);
        let name = root.name.along(&path.members);
        let (role, place) = (root.role, path.place.clone());
        let role = if matches!(role, Storage::Constant(_)) {
            Storage::Global
        } else {
            role
        };
        let ty = if path.is_address {
            path.ty.element()
        } else {
            path.ty.clone()
        };
        let id = if path.is_local() {
            self.add_variable(name, ty, role, place)
        } else {
            self.at_file_scope(|this| this.add_variable(name, ty, role, place))
        };
        self.draft
            .add_dimensions(id, path.extents.iter().rev().cloned());
        match self.member_layout(path) {
            Some(Laid::Element(layout)) => self.draft.set_member(id, layout),
            Some(Laid::Part(layout)) => self.draft.set_part(id, layout),
            Some(Laid::Pointer(layout)) => self.draft.set_pointer(id, layout),
            None => {}
        }
        if let Some(component) = path.component.clone() {
            self.draft.set_home(id, component);
        }
        let selected = Selected {
            root: path.root,
            members: path.members.clone(),
        };
        self.draft.set_selected(id, selected.root);
        self.variables.add_component(selected, id);
        if let Some(union) = path.union {
            let union = path.members.without_last(path.members.len_of_way() - union);
            let first = self.variables.first_of_union(path.root, union, id);
            if first != id {
                self.draft.share([(first, id)]);
                // What one of them is given the other has.
                [first, id]
                    .into_iter()
                    .for_each(|member| self.draft.set_aliased(member));
            }
        }
        id
    }
}

impl<'t> Path<'t> {
    /// Whether the types on the way were written in the function, not with a structure's members.
    fn is_local(&self) -> bool {
        !self.members.is_member()
    }

    fn select(&mut self, extent: Extent, index: Value) {
        self.extents.push(extent);
        self.subscripts.push(index);
    }

    fn moved(mut self, op: BinaryOp, amount: Value) -> Path<'t> {
        self.offset = Some(match self.offset.take() {
            Some(offset) => Value::binary(op, offset, amount),
            None if op == BinaryOp::Subtract => negate(amount),
            None => amount,
        });
        self
    }
}

fn address(access: Access) -> Access {
    match access {
        Access::Path(path) => {
            let ty = CType::Pointer(Box::new(path.ty));
            Access::Path(Path {
                is_address: true,
                ty,
                ..path
            })
        }
        computed => computed,
    }
}

fn add(left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Integer(0), other) | (other, Value::Integer(0)) => other,
        (left, right) => Value::binary(BinaryOp::Add, left, right),
    }
}

/// `-value`; of a literal, the literal.
pub fn negate(value: Value) -> Value {
    match value {
        Value::Integer(n) if n > i64::MIN => Value::Integer(-n),
        Value::Real(x, bytes) => Value::Real(-x, bytes),
        value => Value::Unary(UnaryOp::Negate, Box::new(value)),
    }
}
