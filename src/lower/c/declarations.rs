//! Declarations in blocks.

use tree_sitter::Node;

use super::super::fold;
use super::ctype::{CType, Declarator};
use super::fields::{Field, children, part, parts};
use super::lowering::Lowering;
use super::names::Symbol;
use crate::ir::{
    ConstantOrigin, Printed, Role as Storage, Stmt, Type, Value, VarId, address_bases,
};
use crate::reason::ReasonCode;
use crate::syntax::Role;

impl<'t> Lowering<'t> {
    /// A declaration in a block: variables of the function, with their initial values as assignments.
    pub fn declaration(&mut self, node: Node<'t>) {
        let has_type = part(node, Field::Type).is_some_and(|ty| self.role(ty).is_some());
        if !has_type {
            // A macro on a line of its own has swallowed the next statement.
            self.opaque_statement(ReasonCode::UnreadableDeclaration, node);
            return;
        }
        let base = self.names.specified_type(node);
        let stored = |word: &str| {
            let is_it = |child: &Node<'t>| {
                self.role(*child) == Some(Role::Storage) && self.text(*child) == word
            };
            children(node).iter().any(is_it)
        };
        let (is_extern, is_static) = (stored("extern"), stored("static"));
        for declarator in parts(node, Field::Declarator) {
            let Declarator { name, ty, .. } = self.names.declarator(declarator, base.clone());
            let Some(name) = name else { continue };
            self.names.records.name_by_variable(&ty, self.text(name));
            if let CType::Function(result) = ty {
                self.names
                    .define(self.text(name), Symbol::Function(*result));
                continue;
            }
            let value = part(declarator, Field::Value);
            let ty = self.names.completed(ty, value);
            let constant = self.names.constant_initialiser(node, declarator, &ty);
            let storage = match constant {
                Some(_) => Storage::Constant(ConstantOrigin::Const),
                None if is_extern => Storage::Global,
                None => Storage::Local,
            };
            let is_number = matches!(self.names.element_type(&ty), Type::Integer(..));
            // Variables of loops may share a name: what they count is known by the loop.
            let is_of_loop = || is_header(node) || value.is_none() && self.is_counted(node, name);
            let is_another = self.draft.has_name(self.text(name))
                && (matches!(ty, CType::Record(_)) || is_number && !is_of_loop());
            let id = match is_another {
                true => self.declare_another(name, ty, storage),
                false => self.declare_local(name, ty, storage),
            };
            match (constant, value) {
                (Some(constant), _) => {
                    let constant = self.value(constant);
                    let value = fold::value(self.draft.function(), &constant);
                    let symbol = Symbol::LocalConstant { id, value };
                    self.names.define(self.text(name), symbol);
                    self.draft.set_constant(id, constant);
                }
                // A static variable is initialised before the program runs.
                (None, Some(value)) if is_static => self.initialise_static(id, value),
                (None, None) if is_static => self.draft.set_zero(id),
                (None, Some(value)) if !is_extern => self.initialise(id, value),
                _ => {}
            }
        }
    }

    /// Adds a variable to the function under a name of the source.
    pub fn declare_local(&mut self, name: Node<'t>, ty: CType<'t>, storage: Storage) -> VarId {
        let text = self.text(name);
        if self.names.is_local(text) {
            return self.declare_another(name, ty, storage);
        }
        let id = self.add_variable(text, ty, storage, self.place(name));
        self.names.define(text, Symbol::Local(id));
        id
    }

    /// Whether a `for` beside a declaration, or within what is beside it, counts the variable.
    fn is_counted(&self, declaration: Node<'t>, name: Node<'t>) -> bool {
        let is_it = |node: Node<'t>| {
            self.role(node) == Some(Role::Assignment)
                && part(node, Field::Left)
                    .is_some_and(|target| self.text(target) == self.text(name))
        };
        let mut left: Vec<(Node, bool)> = declaration
            .parent()
            .map(|block| (block, false))
            .into_iter()
            .collect();
        while let Some((node, begins)) = left.pop() {
            if begins && is_it(node) {
                return true;
            }
            let header = part(node, Field::Initializer);
            let inner = children(node).into_iter();
            left.extend(inner.map(|inner| (inner, begins || header == Some(inner))));
        }
        false
    }

    /// The same where another variable has the name: of a block around, or beside it.
    fn declare_another(&mut self, name: Node<'t>, ty: CType<'t>, storage: Storage) -> VarId {
        let text = self.text(name);
        let id = self.add_variable(self.free_name(text), ty, storage, self.place(name));
        self.names.define(text, Symbol::Local(id));
        id
    }

    /// A name that no other variable has, as all that is computed goes by names.
    pub fn free_name(&self, name: &str) -> String {
        let numbered = |number: usize| format!("{name}_{number}");
        let is_free =
            |name: &String| self.names.symbol(name).is_none() && !self.draft.has_name(name);
        (2..).map(numbered).find(is_free).unwrap_or_default()
    }

    /// What a static variable has before the program runs, if it is a number.
    fn initialise_static(&mut self, id: VarId, value: Node<'t>) {
        self.note_list(value);
        self.captured(|this| {
            this.begin(id, value);
            this.note_addresses(value);
        });
    }

    /// Notes the variables whose addresses a static pointer has before the program runs: `static int *p = &n;`.
    fn note_addresses(&mut self, value: Node<'t>) {
        if self.role(value) == Some(Role::ArrayConstructor) {
            for item in children(value) {
                self.note_addresses(item);
            }
            return;
        }
        let value = self.value(value);
        let mut found = Vec::new();
        address_bases(&value, self.draft.function(), &mut found);
        let variable = |value: &&Value| match value {
            Value::Variable(id) | Value::Element { array: id, .. } => Some(*id),
            _ => None,
        };
        let variables: Vec<VarId> = found.iter().filter_map(variable).collect();
        for id in variables {
            self.draft.set_aliased(id);
        }
    }

    fn initialise(&mut self, id: VarId, value: Node<'t>) {
        self.note_list(value);
        let place = self.place(value);
        if self.copy_structure(&place, &Value::Variable(id), value) {
            return;
        }
        if matches!(self.type_of_variable(id), CType::Record(_)) {
            self.captured(|this| this.begin(id, value));
        }
        let outer = self.code.begin_waiting();
        let mut values = Vec::new();
        if self.role(value) == Some(Role::ArrayConstructor) {
            if self.initialise_elements(id, value) {
                self.code.flush();
                self.code.restore(outer);
                return;
            }
            self.values_below(value, &mut values, 0);
        } else {
            values.push(self.value(value));
        }
        let is_array = matches!(self.type_of_variable(id), CType::Array(..));
        match (&values[..], self.role(value)) {
            // Literals and strings are there before the program runs.
            ([], _) => self.begin_elements(id, value),
            ([Value::Text(_)], _) if is_array => {}
            ([..], Some(Role::ArrayConstructor)) => self.emit(Stmt::Evaluate {
                place,
                values,
                printed: Printed::No,
            }),
            ([..], _) if is_array => self.emit(Stmt::Evaluate {
                place,
                values,
                printed: Printed::No,
            }),
            ([..], _) => {
                let value = values.swap_remove(0);
                self.emit(Stmt::Assign {
                    place,
                    target: Value::Variable(id),
                    value,
                });
            }
        }
        self.code.flush();
        self.code.restore(outer);
    }

    /// Stores every value of a plain list, `{a[i], b[i], 0}`, unless all are literals, which are there before the
    /// program runs. Says whether it has done so.
    fn initialise_elements(&mut self, id: VarId, list: Node<'t>) -> bool {
        let of_numbers = matches!(self.type_of_variable(id), CType::Array(inner, _) if matches!(*inner, CType::Arithmetic(_)));
        let plain = |node: &Node<'t>| {
            !matches!(
                self.role(*node),
                Some(Role::ArrayConstructor | Role::Keyword) | None
            )
        };
        let is_literal = |node: &Node<'t>| matches!(self.role(*node), Some(Role::Number));
        let items = children(list);
        if !of_numbers || !items.iter().all(plain) || items.iter().all(is_literal) {
            return false;
        }
        for (at, item) in (0..).zip(items) {
            let (place, value) = (self.place(item), self.value(item));
            let target = Value::Element {
                array: id,
                subscripts: vec![Value::Integer(at)],
                place: place.clone(),
            };
            self.emit(Stmt::Assign {
                place,
                target,
                value,
            });
        }
        true
    }
}

/// Whether a declaration stands in the header of a loop.
fn is_header(node: Node) -> bool {
    let around = node.parent();
    around.is_some_and(|around| part(around, Field::Initializer) == Some(node))
}
