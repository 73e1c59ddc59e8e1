//! Statements.

use tree_sitter::Node;

use super::super::stored;
use super::context::Breaks;
use super::ctype::CType;
use super::expressions::is_expression;
use super::fields::{self, Field, children, part};
use super::lowering::Lowering;
use super::names::Symbol;
use crate::diagnostic::Place;
use crate::ir::{
    BinaryOp, Control, Evaluation, If, Jump, Loop, Printed, Reason, Stmt, Tested, Type, Value,
    VarId,
};
use crate::reason::ReasonCode;
use crate::syntax::Role;

/// Chains of `else if` that are longer would nest too deeply.
pub(super) const MOST_ARMS: usize = 200;

/// One `if` of a chain.
struct Arm {
    place: Place,
    condition: Value,
    /// What the condition does besides giving a value.
    effects: Vec<Stmt>,
    then: Vec<Stmt>,
}

impl<'t> Lowering<'t> {
    pub fn statement(&mut self, node: Node<'t>) {
        if self.deeper(|this| this.statement_within(node)).is_none() {
            let inner = self.loops_below(node);
            let stmt = Stmt::Opaque {
                place: self.place(node),
                reason: self.reason(ReasonCode::TooDeep, node),
                inner,
            };
            self.emit(stmt);
        }
    }

    /// The loops of what is nested too deeply, side by side and without their bodies.
    fn loops_below(&mut self, node: Node<'t>) -> Vec<Stmt> {
        let mut found = Vec::new();
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            if let Some(Role::Loop | Role::WhileLoop | Role::DoWhileLoop) = self.role(node) {
                let control = Control::Uncounted {
                    condition: None,
                    tested: Tested::BeforeBody,
                    reason: self.reason(ReasonCode::TooDeep, node),
                };
                let ((), stmt) = self.captured(|this| this.emit_loop(node, control, Vec::new()));
                found.extend(stmt);
            }
            left.extend(children(node).into_iter().rev());
        }
        found
    }

    fn statement_within(&mut self, node: Node<'t>) {
        match self.role(node) {
            Some(Role::Block) => self.scoped(|this| this.statements(children(node))),
            Some(Role::Scope) => self.statements(children(node)),
            Some(Role::Declaration) => self.declaration(node),
            Some(Role::Typedef) => self.names.type_definition(node),
            Some(Role::TypeDefinition | Role::Union | Role::Enumeration) => {
                self.names.define_specifier(node);
            }
            Some(Role::ExpressionStatement) => {
                children(node)
                    .into_iter()
                    .for_each(|expression| self.expression_statement(expression));
            }
            Some(Role::If) => self.branch(node),
            Some(Role::Loop) => self.scoped(|this| this.for_loop(node)),
            Some(Role::WhileLoop | Role::DoWhileLoop) => self.while_loop(node),
            Some(Role::Select) => self.switch(node),
            Some(Role::Case) => self.statements(fields::case_statements(node)),
            Some(Role::Labelled) => self.labelled(node),
            Some(Role::Goto) => self.goto(node),
            Some(Role::Cycle) => self.jump(node, Jump::Cycle),
            Some(Role::Exit) => {
                // Of a `switch`, it only ends the case.
                if self.jumps.breaks() == Breaks::Loop {
                    self.jump(node, Jump::Exit);
                }
            }
            Some(Role::Return) => {
                for expression in children(node) {
                    let mut value = self.value(expression);
                    if let Some(ty) = self.returned_type() {
                        stored::convert_to(self.draft.function(), &ty, None, &mut value);
                    }
                    let place = self.place(node);
                    self.emit(Stmt::Evaluate {
                        place,
                        values: vec![value],
                        printed: Printed::No,
                    });
                }
                self.jump(node, Jump::Return);
            }
            Some(Role::PreprocessorIf) => {
                let taken = self.names.branches(node).swap_remove(0);
                self.names.remark_branch(node);
                self.statements(taken);
            }
            // Definitions are lowered on their own, macros were collected.
            Some(Role::Nothing | Role::Attribute | Role::Macro | Role::Procedure) => {}
            Some(role) if is_expression(role) => self.expression_statement(node),
            _ if node.is_error() => self.opaque_statement(ReasonCode::SyntaxError, node),
            _ => self.opaque_statement(ReasonCode::UnsupportedStatement, node),
        }
    }

    pub fn statements(&mut self, nodes: Vec<Node<'t>>) {
        nodes.into_iter().for_each(|node| self.statement(node));
    }

    pub fn jump(&mut self, node: Node<'t>, kind: Jump) {
        let place = self.place(node);
        self.emit(Stmt::Jump { place, kind });
    }

    /// An opaque statement with the statements below the node.
    pub fn opaque_statement(&mut self, code: ReasonCode, node: Node<'t>) {
        let reason = self.reason(code, node);
        let ((), inner) = self.captured(|this| {
            for child in children(node) {
                // Without their surroundings, bare names and literals are noise.
                match this.role(child) {
                    None if !child.is_error() => {}
                    Some(
                        Role::Name
                        | Role::Number
                        | Role::Text
                        | Role::TypeName
                        | Role::Qualifier
                        | Role::Storage,
                    ) => {}
                    _ => this.statement(child),
                }
            }
        });
        let place = self.place(node);
        self.emit(Stmt::Opaque {
            place,
            reason,
            inner,
        });
    }

    /// `if … else if … else`, however long: the grammar nests every arm in the one before.
    fn branch(&mut self, node: Node<'t>) {
        let mut arms = Vec::new();
        let mut next = Some(node);
        let mut last = Vec::new();
        while let Some(node) = next.take() {
            let (condition, effects) =
                self.captured(|this| this.part_value(node, Field::Condition));
            let then =
                part(node, Field::Consequence).map_or(Vec::new(), |then| self.block_of(then));
            arms.push(Arm {
                place: self.place(node),
                condition,
                effects,
                then,
            });
            let clause = part(node, Field::Alternative).map_or(Vec::new(), children);
            match clause[..] {
                [inner] if self.role(inner) == Some(Role::If) => next = Some(inner),
                _ => {
                    last = self
                        .captured(|this| this.scoped(|this| this.statements(clause)))
                        .1;
                }
            }
        }
        if arms.len() > MOST_ARMS {
            // As unlikely as the last of the arms before, side by side.
            let rest = arms.split_off(MOST_ARMS);
            let mut inner: Vec<Stmt> = rest.into_iter().flat_map(|arm| arm.then).collect();
            inner.append(&mut last);
            last = vec![Stmt::Opaque {
                place: self.place(node),
                reason: self.reason(ReasonCode::TooDeep, node),
                inner,
            }];
        }
        for arm in arms.into_iter().rev() {
            let branch = Stmt::If(Box::new(If {
                place: arm.place,
                condition: arm.condition,
                then: arm.then,
                otherwise: last,
            }));
            last = arm.effects;
            last.push(branch);
        }
        self.code.append(last);
    }

    /// A statement as a block of its own.
    pub fn block_of(&mut self, node: Node<'t>) -> Vec<Stmt> {
        self.captured(|this| this.scoped(|this| this.statement(node)))
            .1
    }

    /// The body of a loop, in which `break` leaves the loop.
    pub fn loop_body(&mut self, node: Node<'t>) -> Vec<Stmt> {
        let outer = self.jumps.set_breaks(Breaks::Loop);
        self.jumps.enter_loop(node.byte_range());
        let body = part(node, Field::Body).map_or(Vec::new(), |body| self.block_of(body));
        self.jumps.leave_loop();
        self.jumps.set_breaks(outer);
        body
    }

    /// What a condition does besides giving a value happens in every iteration: it joins the body.
    fn while_loop(&mut self, node: Node<'t>) {
        let is_do = self.role(node) == Some(Role::DoWhileLoop);
        if is_do
            && part(node, Field::Condition).and_then(|condition| self.names.constant(condition))
                == Some(0)
        {
            // The `do { … } while (0)` of macros is not a loop.
            let outer = self.jumps.set_breaks(Breaks::Switch);
            part(node, Field::Body)
                .into_iter()
                .for_each(|body| self.statement(body));
            self.jumps.set_breaks(outer);
            return;
        }
        let (condition, mut effects) = self.captured(|this| match part(node, Field::Condition) {
            Some(condition) => this.ending(condition),
            None => this.part_value(node, Field::Condition),
        });
        let condition = if is_do {
            condition
        } else {
            self.before(condition, &effects)
        };
        let mut body = self.loop_body(node);
        // Where the condition does not hold, it has counted once more.
        let last = match is_do || leaves_loop(&body) || !effects.iter().all(|one| self.counts(one))
        {
            true => Vec::new(),
            false => effects.clone(),
        };
        let (code, tested) = if is_do {
            (ReasonCode::DoWhileLoop, Tested::AfterBody)
        } else {
            std::mem::swap(&mut body, &mut effects);
            (ReasonCode::WhileLoop, Tested::BeforeBody)
        };
        body.append(&mut effects);
        let detail = part(node, Field::Condition).map_or(String::new(), |condition| {
            self.names.original(condition).to_string()
        });
        let control = Control::Uncounted {
            condition: Some(condition),
            tested,
            reason: Reason { code, detail },
        };
        self.emit_loop(node, control, body);
        self.code.append(last);
    }

    /// The condition of a loop, which ends where it does not hold: what `a && i++ < n` counts only where `a` holds, all
    /// iterations count but the last.
    fn ending(&mut self, condition: Node<'t>) -> Value {
        let mut inner = condition;
        while let (Some(Role::Parenthesised), [only]) = (self.role(inner), &children(inner)[..]) {
            inner = *only;
        }
        let is_conjunction = self.role(inner) == Some(Role::Binary) && self.operator(inner) == "&&";
        let counts = part(inner, Field::Right).is_some_and(|right| self.only_counts(right));
        match part(inner, Field::Left).filter(|_| is_conjunction && counts) {
            Some(left) => {
                let left = self.settled(|this| this.ending(left));
                let right = self.part_value(inner, Field::Right);
                Value::binary(BinaryOp::And, left, right)
            }
            None => self.value(condition),
        }
    }

    /// The type of what the function at hand returns, if that is a number.
    fn returned_type(&self) -> Option<Type> {
        match self.names.symbol(&self.draft.function().name)? {
            Symbol::Function(CType::Arithmetic(ty)) => Some(ty.clone()),
            _ => None,
        }
    }

    pub fn emit_loop(&mut self, node: Node<'t>, control: Control, body: Vec<Stmt>) {
        let end_line = self.names.reading().end_line(node);
        let parallel = self.names.reading().parallel(node);
        let place = self.place(node);
        self.emit(Stmt::Loop(Box::new(Loop {
            place,
            end_line,
            parallel,
            evaluation: Evaluation::InTurn,
            control,
            body,
        })));
    }

    /// A value of a statement whose side effects come before it.
    pub fn captured_value(&mut self, node: Node<'t>) -> (Value, Vec<Stmt>) {
        self.captured(|this| this.settled(|this| this.value(node)))
    }
}

impl Lowering<'_> {
    /// A condition in the values that its variables have before its effects, which stand in front of it in the
    /// body: `i-- > 0` is `i - 1` with one added, compared. Only loops that count are recognised in that way.
    pub fn before(&self, condition: Value, effects: &[Stmt]) -> Value {
        if !effects.iter().all(|effect| self.counts(effect)) {
            return condition;
        }
        effects
            .iter()
            .rev()
            .fold(condition, |condition, effect| match effect {
                Stmt::Assign {
                    target: Value::Variable(id),
                    value,
                    ..
                } => replaced(condition, *id, value),
                _ => condition,
            })
    }
}

impl Lowering<'_> {
    /// Whether a statement adds a number to a variable.
    fn counts(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Assign {
                target: Value::Variable(id),
                value: Value::Binary(_, left, right),
                ..
            } => {
                let is_index = matches!(self.draft.variable(*id).ty, Type::Integer(..));
                let is_own = matches!(**left, Value::Variable(own) if own == *id);
                is_index
                    && is_own
                    && matches!(**right, Value::Integer(_))
                    && self.draft.variable(*id).dimensions.is_empty()
            }
            _ => false,
        }
    }
}

/// Whether jumps leave a loop from its body.
fn leaves_loop(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Jump { kind, .. } => !matches!(kind, Jump::Cycle),
        Stmt::If(branch) => leaves_loop(&branch.then) || leaves_loop(&branch.otherwise),
        Stmt::Opaque { .. } | Stmt::Mark { .. } => true,
        // What leaves a loop inside may be any jump out of this one.
        Stmt::Loop(inner) => leaves_loop(&inner.body),
        Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Evaluate { .. } => false,
    })
}

fn replaced(value: Value, id: VarId, by: &Value) -> Value {
    match value {
        Value::Variable(own) if own == id => by.clone(),
        Value::Element {
            array,
            subscripts,
            place,
        } => {
            let subscripts = subscripts
                .into_iter()
                .map(|subscript| replaced(subscript, id, by))
                .collect();
            Value::Element {
                array,
                subscripts,
                place,
            }
        }
        Value::Unary(op, operand) => Value::Unary(op, Box::new(replaced(*operand, id, by))),
        Value::Convert(ty, operand) => Value::Convert(ty, Box::new(replaced(*operand, id, by))),
        Value::Binary(op, left, right) => {
            Value::binary(op, replaced(*left, id, by), replaced(*right, id, by))
        }
        other => other,
    }
}
