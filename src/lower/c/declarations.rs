//! Declarations, at file scope and in blocks.

use tree_sitter::Node;

use super::fields::{Field, children, part, parts};
use super::scope::{Lowering, Symbol};
use super::types::{CType, Declarator};
use crate::diagnostic::Severity;
use crate::ir::{ConstantOrigin, Extent, Role as Storage, Stmt, Value, VarId};
use crate::reason::ReasonCode;
use crate::syntax::Role;

impl<'t> Lowering<'t> {
    /// Enters every declaration outside of functions into the file's scope.
    pub fn declare_file_scope(&mut self) {
        for node in self.file_items() {
            match self.role(node) {
                Some(Role::Declaration) => self.declare_global(node),
                Some(Role::Typedef) => self.type_definition(node),
                Some(Role::TypeDefinition | Role::Union | Role::Enumeration) => {
                    self.define_specifier(node)
                }
                Some(Role::Procedure) => self.declare_procedure(node),
                _ => {}
            }
        }
    }

    /// What stands outside of functions, also in `extern "C"`, `#if` and unreadable regions. Of the
    /// branches of an `#if`, the one that holds comes first: the first meaning of a name stays.
    pub fn file_items(&self) -> Vec<Node<'t>> {
        let mut items = Vec::new();
        let mut todo = vec![self.tree.root()];
        while let Some(node) = todo.pop() {
            let mut below = match self.role(node) {
                Some(Role::PreprocessorIf) => self.branches(node).concat(),
                Some(Role::PreprocessorElse | Role::Scope) => children(node),
                _ if node.is_error() || node == self.tree.root() => children(node),
                _ => {
                    items.push(node);
                    continue;
                }
            };
            below.reverse();
            todo.append(&mut below);
        }
        items
    }

    fn declare_global(&mut self, node: Node<'t>) {
        let base = self.specified_type(node);
        for declarator in parts(node, Field::Declarator) {
            let found = self.declarator(declarator, base.clone());
            let Some(name) = found.name else { continue };
            let symbol = match found.ty {
                CType::Function(result) => Symbol::Function(*result),
                ty => {
                    let constant = self.constant_initialiser(node, declarator, &ty);
                    Symbol::Global { ty, constant, name }
                }
            };
            self.define(self.text(name), symbol);
        }
    }

    fn declare_procedure(&mut self, node: Node<'t>) {
        let base = self.specified_type(node);
        let Some(declarator) = part(node, Field::Declarator) else {
            return;
        };
        let Declarator {
            name: Some(name),
            ty: CType::Function(result),
            ..
        } = self.declarator(declarator, base)
        else {
            return;
        };
        self.define(self.text(name), Symbol::Function(*result));
    }

    pub fn type_definition(&mut self, node: Node<'t>) {
        let base = self.specified_type(node);
        for declarator in parts(node, Field::Declarator) {
            let found = self.declarator(declarator, base.clone());
            // An anonymous structure goes by its typedef name.
            if let (CType::Record(id), Some(name)) = (&found.ty, found.name) {
                let record = &mut self.records[id.0];
                if record.is_anonymous() {
                    record.name = self.tree.text(name).to_string();
                }
            }
            if let Some(name) = found.name {
                self.define(self.text(name), Symbol::Typedef(found.ty));
            }
        }
    }

    /// The initial value of a scalar `const`, if it is built of literals and named constants.
    fn constant_initialiser(
        &self,
        node: Node<'t>,
        declarator: Node<'t>,
        ty: &CType<'t>,
    ) -> Option<Node<'t>> {
        let value = part(declarator, Field::Value)?;
        let is_constant = matches!(ty, CType::Arithmetic(_)) && self.has_qualifier(node, "const");
        (is_constant && self.is_constant_expression(value)).then_some(value)
    }

    /// A declaration in a block: variables of the function, with their initial values as assignments.
    pub fn declaration(&mut self, node: Node<'t>) {
        let has_type = part(node, Field::Type).is_some_and(|ty| self.role(ty).is_some());
        if !has_type {
            // A macro on a line of its own has swallowed the next statement.
            self.opaque_statement(ReasonCode::UnreadableDeclaration, node);
            return;
        }
        let base = self.specified_type(node);
        let stored = |word: &str| {
            let is_it = |child: &Node<'t>| {
                self.role(*child) == Some(Role::Storage) && self.text(*child) == word
            };
            children(node).iter().any(is_it)
        };
        let (is_extern, is_static) = (stored("extern"), stored("static"));
        for declarator in parts(node, Field::Declarator) {
            let Declarator { name, ty, .. } = self.declarator(declarator, base.clone());
            let Some(name) = name else { continue };
            if let CType::Function(result) = ty {
                self.define(self.text(name), Symbol::Function(*result));
                continue;
            }
            let value = part(declarator, Field::Value);
            let constant = self.constant_initialiser(node, declarator, &ty);
            let storage = match constant {
                Some(_) => Storage::Constant(ConstantOrigin::Const),
                None if is_extern => Storage::Global,
                None => Storage::Local,
            };
            let id = self.declare_local(name, ty, storage);
            match (constant, value) {
                (Some(constant), _) => {
                    let constant = self.value(constant);
                    self.function.variables[id.0 as usize].constant = Some(constant);
                }
                // A static variable is initialised before the program runs.
                (None, Some(value)) if is_static => self.complete_extent(id, value),
                (None, Some(value)) if !is_extern => self.initialise(id, value),
                _ => {}
            }
        }
    }

    /// Adds a variable to the function under a name of the source.
    pub fn declare_local(&mut self, name: Node<'t>, ty: CType<'t>, storage: Storage) -> VarId {
        let place = self.place(name);
        let text = self.text(name);
        let id = self.add_variable(text, ty, storage, place);
        self.define(text, Symbol::Local(id));
        id
    }

    /// `a[] = {1, 2, 3}` has as many elements as the list.
    fn complete_extent(&mut self, id: VarId, value: Node<'t>) {
        let is_open = matches!(self.type_of_variable(id), CType::Array(_, None));
        if is_open && self.role(value) == Some(Role::ArrayConstructor) {
            let last = Value::Integer(children(value).len() as i64 - 1);
            let outermost = self.function.variables[id.0 as usize].dimensions.last_mut();
            outermost.into_iter().for_each(|extent| {
                *extent = Extent {
                    lower: Some(Value::Integer(0)),
                    upper: Some(last.clone()),
                };
            });
        }
    }

    fn initialise(&mut self, id: VarId, value: Node<'t>) {
        self.complete_extent(id, value);
        let place = self.place(value);
        if self.copy_structure(&place, &Value::Variable(id), value) {
            return;
        }
        let outer = self.deferred.replace(Vec::new());
        let mut values = Vec::new();
        if self.role(value) == Some(Role::ArrayConstructor) {
            if self.initialise_elements(id, value) {
                self.flush_deferred();
                self.deferred = outer;
                return;
            }
            self.values_below(value, &mut values, 0);
        } else {
            values.push(self.value(value));
        }
        let is_array = matches!(self.type_of_variable(id), CType::Array(..));
        match (&values[..], self.role(value)) {
            // Literals and strings are there before the program runs.
            ([], _) => {}
            ([Value::Text(_)], _) if is_array => {}
            ([..], Some(Role::ArrayConstructor)) => self.emit(Stmt::Evaluate { place, values }),
            ([..], _) if is_array => self.emit(Stmt::Evaluate { place, values }),
            ([..], _) => {
                let value = values.swap_remove(0);
                self.emit(Stmt::Assign {
                    place,
                    target: Value::Variable(id),
                    value,
                });
            }
        }
        self.flush_deferred();
        self.deferred = outer;
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

    /// Reports a type that nothing declares, once.
    pub fn unknown_type(&mut self, specifier: Node<'t>) {
        let name = self.original(specifier);
        let message = format!("type `{name}` is not declared in this file or what it includes");
        let help = "add the include path with -I, or give compile_commands.json";
        self.remark(Severity::Warning, "unknown-type", specifier, message, help);
    }
}
