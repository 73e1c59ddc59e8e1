//! Function definitions, and statements outside of them.

use tree_sitter::Node;

use super::ctype::{CType, Declarator};
use super::expressions::is_expression;
use super::fields::{Field, children, part, parts};
use super::lowering::Lowering;
use crate::ir::{Function, Role as Storage, Stmt};
use crate::syntax::Role;

impl<'t> Lowering<'t> {
    /// Every function definition of the file in source order, also those inside of unreadable
    /// regions, `#if` or other functions; then the statements outside of functions, if there are loops
    /// among them.
    pub fn functions(&mut self) -> Vec<Function> {
        let mut functions = Vec::new();
        let mut cursor = self.names.reading().tree().root().walk();
        'walk: loop {
            if self.role(cursor.node()) == Some(Role::Procedure) {
                functions.push(self.procedure(cursor.node()));
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
        self.outside(&mut functions);
        functions
    }

    fn procedure(&mut self, node: Node<'t>) -> Function {
        self.start_function("?".into(), self.place(node));
        let base = self.names.specified_type(node);
        let found =
            part(node, Field::Declarator).map(|declarator| self.names.declarator(declarator, base));
        self.scoped(|this| {
            if let Some(Declarator {
                name, parameters, ..
            }) = found
            {
                if let Some(name) = name {
                    let place = this.place(name);
                    // Every file that includes a header has its functions.
                    let in_header = place.file.ends_with(".h");
                    this.draft.set_name(this.text(name).to_string(), place);
                    let is_static = |part: &Node| {
                        this.role(*part) == Some(Role::Storage) && this.text(*part) == "static"
                    };
                    let is_private = !in_header && children(node).iter().any(is_static);
                    this.draft.set_private(is_private);
                }
                if let Some(parameters) = parameters {
                    this.parameters(node, parameters);
                }
            }
            if let Some(body) = part(node, Field::Body) {
                this.statement(body);
            }
        });
        let end = self.names.reading().end_line(node);
        self.draft.set_end_line(end);
        self.finish_function()
    }

    fn parameters(&mut self, node: Node<'t>, list: Node<'t>) {
        for parameter in children(list) {
            match self.role(parameter) {
                Some(Role::Declaration) if self.is_lone_name(parameter) => {
                    self.old_style_parameter(node, children(parameter)[0]);
                }
                Some(Role::Declaration) => {
                    let base = self.names.specified_type(parameter);
                    let Some(declarator) = part(parameter, Field::Declarator) else {
                        continue;
                    };
                    let found = self.names.declarator(declarator, base);
                    self.parameter(found);
                }
                Some(Role::Name) => self.old_style_parameter(node, parameter),
                _ => {}
            }
        }
    }

    /// Whether a parameter of a definition is a name without a type: the grammar reads `f(n) {…}` as one of a type `n`.
    fn is_lone_name(&self, parameter: Node<'t>) -> bool {
        let [name] = children(parameter)[..] else {
            return false;
        };
        self.role(name) == Some(Role::TypeName)
            && name.child_count() == 0
            && self.names.type_by_name(self.text(name)).is_none()
    }

    fn parameter(&mut self, found: Declarator<'t>) {
        let Some(name) = found.name else { return };
        let ty = match found.ty {
            function @ CType::Function(_) => CType::Pointer(Box::new(function)),
            ty => ty,
        };
        self.declare_local(name, ty, Storage::Argument);
    }

    /// `int f(a) double *a; {…}`: the types stand between the list and the body; without one, `int`.
    fn old_style_parameter(&mut self, node: Node<'t>, parameter: Node<'t>) {
        let name = self.text(parameter);
        for declaration in children(node) {
            if self.role(declaration) != Some(Role::Declaration) {
                continue;
            }
            let base = self.names.specified_type(declaration);
            for declarator in parts(declaration, Field::Declarator) {
                let found = self.names.declarator(declarator, base.clone());
                if found
                    .name
                    .is_some_and(|declared| self.text(declared) == name)
                {
                    self.parameter(found);
                    return;
                }
            }
        }
        let ty = self.names.type_by_name("int").unwrap_or(CType::Unknown);
        self.parameter(Declarator {
            name: Some(parameter),
            ty,
            parameters: None,
        });
    }

    fn outside(&mut self, functions: &mut Vec<Function>) {
        let is_statement = |node: &Node<'t>| {
            let role = self.role(*node);
            role.is_some_and(is_expression)
                || matches!(
                    role,
                    Some(
                        Role::Loop
                            | Role::WhileLoop
                            | Role::DoWhileLoop
                            | Role::If
                            | Role::Select
                            | Role::Block
                            | Role::ExpressionStatement
                            | Role::Labelled
                    )
                )
        };
        let statements = self
            .names
            .file_items()
            .into_iter()
            .filter(is_statement)
            .collect::<Vec<_>>();
        let mut rest = Vec::new();
        for statement in statements {
            let header = rest
                .last()
                .copied()
                .filter(|last| self.role(*last) == Some(Role::Call));
            match header.filter(|_| self.role(statement) == Some(Role::Block)) {
                // `main() {…}` without a type reads as a call and a block.
                Some(header) => {
                    rest.pop();
                    self.start_function(self.callee(header), self.place(header));
                    self.statement(statement);
                    functions.push(self.finish_function());
                }
                None => rest.push(statement),
            }
        }
        let Some(first) = rest.first() else { return };
        self.start_function("<file scope>".into(), self.place(*first));
        self.scoped(|this| this.statements(rest));
        let function = self.finish_function();
        if has_loop(&function.body) {
            functions.push(function);
        }
    }
}

fn has_loop(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Loop(_) => true,
        Stmt::If(branch) => has_loop(&branch.then) || has_loop(&branch.otherwise),
        Stmt::Opaque { inner, .. } => has_loop(inner),
        _ => false,
    })
}
