//! Declarations outside of functions.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::ctype::{CType, Declarator};
use super::fields::{self, Field, children, part, parts};
use super::names::{Names, Symbol};
use crate::diagnostic::{DiagnosticCode, Severity};
use crate::ir::Home;
use crate::syntax::Role;

/// What variables of file scope have before the program runs.
#[derive(Default)]
pub struct InitialValues {
    /// The variables of file scope whose address one of them has.
    pub addressed: Vec<Home>,
    /// The functions that they name.
    pub named: BTreeSet<String>,
}

impl<'t> Names<'t> {
    /// Enters every declaration outside of functions into the file's scope.
    pub fn declare_file_scope(&mut self) {
        for node in self.file_items() {
            match self.role(node) {
                Some(Role::Declaration) => self.declare_global(node),
                Some(Role::Typedef) => self.type_definition(node),
                Some(Role::TypeDefinition | Role::Union | Role::Enumeration) => {
                    self.define_specifier(node);
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
        let mut todo = vec![self.reading().tree().root()];
        while let Some(node) = todo.pop() {
            let mut below = match self.role(node) {
                Some(Role::PreprocessorIf) => self.branches(node).concat(),
                Some(Role::PreprocessorElse | Role::Scope) => children(node),
                _ if node.is_error() || node == self.reading().tree().root() => children(node),
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

    /// What the initial values of variables of file scope lead to.
    pub fn initial_values(&self) -> InitialValues {
        let mut found = InitialValues::default();
        for item in self.file_items() {
            let is_read_only = self.points_to_constants(item);
            for declarator in parts(item, Field::Declarator) {
                if let Some(value) = part(declarator, Field::Value) {
                    self.initial_value(value, &mut found, is_read_only);
                }
            }
        }
        found
    }

    fn initial_value(&self, value: Node<'t>, found: &mut InitialValues, is_read_only: bool) {
        let mut left = vec![value];
        while let Some(node) = left.pop() {
            match self.role(node) {
                Some(Role::Pointer) => {
                    if let Some(target) = part(node, Field::Argument) {
                        found
                            .addressed
                            .extend(self.stored_at(target).filter(|_| !is_read_only));
                    }
                }
                Some(Role::Name) => {
                    let name = self.text(node);
                    match self.symbol(name) {
                        Some(Symbol::Function(_)) => {
                            found.named.insert(name.to_string());
                        }
                        // An array stands for its address.
                        Some(Symbol::Global {
                            ty: CType::Array(..),
                            ..
                        }) if !is_read_only => found.addressed.extend(self.stored_at(node)),
                        _ => {}
                    }
                }
                _ => {}
            }
            left.extend(children(node));
        }
    }

    /// Whether what the pointers of a declaration lead to cannot be assigned through them: `const int *p`.
    fn points_to_constants(&self, declaration: Node<'t>) -> bool {
        let is_of_numbers = part(declaration, Field::Type).is_some_and(|specifier| {
            self.role(specifier) == Some(Role::TypeName)
                && match self.symbol(self.text(specifier)) {
                    Some(Symbol::Typedef(ty)) => matches!(ty, CType::Arithmetic(_)),
                    _ => true,
                }
        });
        is_of_numbers && self.has_qualifier(declaration, "const")
    }

    /// The storage of file scope whose address a value is: a variable, an array, a member of a structure.
    fn stored_at(&self, target: Node<'t>) -> Option<Home> {
        match self.role(target) {
            Some(Role::Subscript | Role::Parenthesised) => {
                let inner =
                    part(target, Field::Argument).or_else(|| children(target).first().copied());
                self.stored_at(inner?)
            }
            Some(Role::Member) => {
                let (ty, member) = self.member_of(target)?;
                self.component(&ty, member)
            }
            _ => {
                let Some(Symbol::Global {
                    is_static, name, ..
                }) = self.symbol(self.text(target))
                else {
                    return None;
                };
                let file = is_static.then(|| self.reading().place(*name).file);
                let name = self.text(target).into();
                Some(Home::File { file, name })
            }
        }
    }

    /// The structure that a member is of, and the member's name.
    fn member_of(&self, node: Node<'t>) -> Option<(CType<'t>, &'t str)> {
        let member = self.text(part(node, Field::Member)?);
        let base = part(node, Field::Argument)?;
        let ty = match self.role(base) {
            Some(Role::Member) => {
                let (outer, name) = self.member_of(base)?;
                self.member_type(&outer, name)
            }
            _ => self.variable_type(base)?,
        };
        Some((ty, member))
    }

    /// The type of a variable of file scope, or of its elements.
    fn variable_type(&self, node: Node<'t>) -> Option<CType<'t>> {
        match self.role(node) {
            Some(Role::Subscript) => {
                Some(self.variable_type(part(node, Field::Argument)?)?.element())
            }
            _ => match self.symbol(self.text(node)) {
                Some(Symbol::Global { ty, .. }) => Some(ty.clone()),
                _ => None,
            },
        }
    }

    fn declare_global(&mut self, node: Node<'t>) {
        let base = self.specified_type(node);
        let stored = |word: &str| {
            let is_it = |child: &Node| {
                self.role(*child) == Some(Role::Storage) && self.text(*child) == word
            };
            children(node).iter().any(is_it)
        };
        let (is_static, is_extern) = (stored("static"), stored("extern"));
        for declarator in parts(node, Field::Declarator) {
            let found = self.declarator(declarator, base.clone());
            let Some(name) = found.name else { continue };
            self.records.name_by_variable(&found.ty, self.text(name));
            let symbol = match found.ty {
                CType::Function(result) => Symbol::Function(*result),
                ty => {
                    let initial = part(declarator, Field::Value);
                    let ty = self.completed(ty, initial);
                    let constant = self.constant_initialiser(node, declarator, &ty);
                    Symbol::Global {
                        ty,
                        constant,
                        initial,
                        is_static,
                        is_extern: is_extern && initial.is_none(),
                        name,
                    }
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
            // A structure without a tag goes by its typedef.
            if let Some(name) = found.name {
                self.records.name_by_typedef(&found.ty, self.text(name));
                self.define(self.text(name), Symbol::Typedef(found.ty));
            }
        }
    }

    /// The initial value of a scalar `const`, if it is built of literals and named constants.
    pub fn constant_initialiser(
        &self,
        node: Node<'t>,
        declarator: Node<'t>,
        ty: &CType<'t>,
    ) -> Option<Node<'t>> {
        let value = part(declarator, Field::Value)?;
        let is_constant = matches!(ty, CType::Arithmetic(_)) && self.has_qualifier(node, "const");
        (is_constant && self.is_constant_expression(value)).then_some(value)
    }

    /// The branches of `#if` or `#ifdef`, the one that holds first, as far as this file can tell: a
    /// name that it does not define is not defined. The first is empty if none holds.
    pub fn branches(&self, node: Node<'t>) -> Vec<Vec<Node<'t>>> {
        let mut taken = None;
        let mut others = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next {
            let keyword = node.child(0).map_or("", |keyword| keyword.kind());
            let defined = part(node, Field::Name)
                .map(|name| self.reading().macro_named(self.text(name)).is_some());
            let holds = match (keyword, defined) {
                (fields::ELSE, _) => true,
                (fields::IFNDEF | fields::ELIFNDEF, Some(defined)) => !defined,
                (_, Some(defined)) => defined,
                _ => part(node, Field::Condition)
                    .and_then(|c| self.constant(c))
                    .is_some_and(|n| n != 0),
            };
            next = part(node, Field::Alternative);
            let controlling = [part(node, Field::Name), part(node, Field::Condition), next];
            let items = children(node)
                .into_iter()
                .filter(|child| !controlling.contains(&Some(*child)))
                .collect();
            if holds && taken.is_none() {
                taken = Some(items);
            } else {
                others.push(items);
            }
        }
        others.insert(0, taken.unwrap_or_default());
        others
    }

    /// Reports an `#if` that stands in the text.
    pub fn remark_branch(&mut self, node: Node<'t>) {
        let line = self.text(node).lines().next().unwrap_or("").trim();
        let message = format!("`{line}` was decided without a preprocessor");
        let help = "run with a C compiler for the preprocessor, or give -D options";
        self.remark(
            Severity::Note,
            DiagnosticCode::UndecidedBranch,
            node,
            message,
            help,
        );
    }

    /// Reports a type that nothing declares, once.
    pub fn unknown_type(&mut self, specifier: Node<'t>) {
        let name = self.original(specifier);
        let message = format!("type `{name}` is not declared in this file or what it includes");
        let help = "add the include path with -I, or give compile_commands.json";
        self.remark(
            Severity::Warning,
            DiagnosticCode::UnknownType,
            specifier,
            message,
            help,
        );
    }
}
