//! Statements to IR. What is not understood stays as an opaque statement with what is inside it.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::super::flow::Falls;
use super::allocations::sized;
use super::assigned::grown;
use super::directives::Pending;
use super::expression::{Argument, Expr};
use super::generic::{Choice, arranged};
use super::modules::Found;
use super::names::{field, kind};
use super::path::Path;
use super::procedure::Lowering;
use super::scope::{Class, Symbol};
use crate::diagnostic::{DiagnosticCode, Place, Severity};
use crate::ir::visit::variables_of;
use crate::ir::{
    BinaryOp, Control, Evaluation, Extent, If, Jump, Label, Loop, LoopDirective, Printed, Reason,
    Role as Storage, Stmt, Tested, Type, Value, VarId, Variable,
};
use crate::reason::ReasonCode;
use crate::syntax::{Role, named_children};

/// The children of a node, comments included: directives are comments.
pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .filter(tree_sitter::Node::is_named)
        .collect()
}

impl Lowering<'_> {
    /// The statements among `nodes`; everything else among them is passed over.
    pub fn block(&mut self, nodes: &[Node]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(nodes.len());
        if !self.nesting.enter_statement() {
            if let Some(first) = nodes.first() {
                let inner = self.loops_below(nodes);
                out.push(self.opaque(*first, ReasonCode::TooDeep, "", inner));
            }
            return out;
        }
        let mut pending = Pending::default();
        let known = self.aliases.count();
        for node in nodes {
            if node.kind() == kind::STATEMENT_LABEL
                && let Some(label) = self.label(*node)
            {
                let mark = self.marks.label(self.place(*node), label);
                out.push(mark);
                continue;
            }
            match self.reader.tree.role(*node) {
                Some(Role::Directive) => pending.add(self.reader.tree.text(*node)),
                _ if node.is_extra() => {}
                _ => {
                    let parallel = pending.take();
                    self.statement(*node, parallel, &mut out);
                }
            }
        }
        self.aliases.truncate(known);
        self.nesting.leave_statement();
        out
    }

    /// The loops of what is nested too deeply, side by side and without their bodies.
    fn loops_below(&self, nodes: &[Node]) -> Vec<Stmt> {
        let mut found = Vec::new();
        let mut left: Vec<Node> = nodes.iter().rev().copied().collect();
        while let Some(node) = left.pop() {
            if let Some(Role::Loop | Role::ConcurrentLoop) = self.reader.tree.role(node) {
                let reason = Reason {
                    code: ReasonCode::TooDeep,
                    detail: self.first_line(node),
                };
                let control = Control::Uncounted {
                    condition: None,
                    tested: Tested::BeforeBody,
                    reason,
                };
                let (place, end_line) = (self.place(node), self.end_line(node));
                found.push(Stmt::Loop(Box::new(Loop {
                    place,
                    end_line,
                    parallel: None,
                    evaluation: Evaluation::InTurn,
                    control,
                    body: Vec::new(),
                })));
            }
            left.extend(named_children(node).into_iter().rev());
        }
        found
    }

    /// The statements below a node.
    pub fn body(&mut self, node: Node) -> Vec<Stmt> {
        self.block(&children(node))
    }

    fn statement(&mut self, node: Node, parallel: Option<LoopDirective>, out: &mut Vec<Stmt>) {
        let Some(role) = self.reader.tree.role(node) else {
            if node.is_error() {
                let inner = self.body(node);
                out.push(self.opaque(node, ReasonCode::SyntaxError, self.first_line(node), inner));
            }
            return;
        };
        let place = self.place(node);
        self.statement.move_to(place.clone());
        let from = out.len();
        self.statement_with_role((node, role), place.clone(), parallel, out);
        // The loops of a statement on whole arrays end with it.
        if let Role::Assignment | Role::CallStatement | Role::InputOutput | Role::Where = role {
            let end_line = self.end_line(node);
            let made = out.get_mut(from..).unwrap_or_default();
            reach(made, place.line, end_line);
        }
    }

    fn statement_with_role(
        &mut self,
        (node, role): (Node, Role),
        place: Place,
        parallel: Option<LoopDirective>,
        out: &mut Vec<Stmt>,
    ) {
        match role {
            Role::Assignment => self.assignment(node, out),
            Role::Loop => self.do_loop(node, parallel, out),
            Role::ConcurrentLoop => self.forall(node, parallel, out),
            Role::If => self.if_statement(node, out),
            Role::Select => self.select(node, out),
            Role::Where => self.where_statement(node, out),
            Role::CallStatement => self.call_statement(node, out),
            Role::Exit => out.push(self.leave(node, Jump::Exit)),
            Role::Cycle => out.push(self.leave(node, Jump::Cycle)),
            Role::Return => out.push(Stmt::Jump {
                place,
                kind: Jump::Return,
            }),
            Role::Stop => out.push(Stmt::Jump {
                place,
                kind: Jump::Stop,
            }),
            Role::Goto => self.goto(node, out),
            Role::InputOutput => self.input_output(node, out),
            Role::Allocation => self.allocation(node, out),
            Role::Scope => self.construct(node, out),
            Role::Block | Role::Labelled => out.extend(self.body(node)),
            Role::PointerAssignment => self.pointer_assignment(node, out),
            Role::Entry => self.entry(node, out),
            Role::Equivalence => {
                for set in named_children(node) {
                    let items: Vec<Expr> = named_children(set)
                        .into_iter()
                        .map(|item| self.reader.read(item))
                        .collect();
                    let items: Vec<Value> = items.iter().map(|item| self.own_value(item)).collect();
                    let set = self.share(&items);
                    let is_global = |id: &VarId| self.draft.variable(*id).role == Storage::Global;
                    if set.iter().any(is_global) {
                        let overlays = set.into_iter().filter(|id| !is_global(id));
                        self.variables.add_overlays(overlays);
                    }
                }
                let message = "variables share storage here: dependences follow it, footprints count each separately";
                let what = self.first_line(node);
                self.remark(
                    Severity::Note,
                    DiagnosticCode::Equivalence,
                    &what,
                    message.to_string(),
                    None,
                );
            }
            Role::Call => {
                let value = self.reader.read(node);
                let inner = vec![Stmt::Evaluate {
                    place,
                    values: vec![self.own_value(&value)],
                    printed: Printed::No,
                }];
                out.push(self.opaque(
                    node,
                    ReasonCode::UnknownStatement,
                    self.first_line(node),
                    inner,
                ));
            }
            // Parts of the statement that `nodes` are the children of, and declarations.
            _ => {}
        }
    }

    /// What lies over a member of a common block may reach into all others.
    pub fn share_overlays(&mut self) {
        let all = (0..).map(VarId).zip(&self.draft.function().variables);
        let is_global = |v: &Variable| v.role == Storage::Global && !v.dimensions.is_empty();
        let globals: Vec<VarId> = all
            .filter(|(_, v)| is_global(v))
            .map(|(id, _)| id)
            .collect();
        for overlay in self.variables.overlays() {
            self.draft
                .share(globals.iter().map(|global| (*overlay, *global)));
        }
    }

    /// Notes that the variables of some values share storage; returns them.
    fn share(&mut self, values: &[Value]) -> Vec<VarId> {
        let ids: Vec<VarId> = values.iter().filter_map(Value::variable).collect();
        let pairs = ids.windows(2).map(|pair| (pair[0], pair[1]));
        self.draft.share(pairs.filter(|(a, b)| a != b));
        ids
    }

    /// `p => a(:, k)`.
    fn pointer_assignment(&mut self, node: Node, out: &mut Vec<Stmt>) {
        if self.name_target(node) {
            return;
        }
        let sides: Vec<Expr> = named_children(node)
            .into_iter()
            .map(|side| self.reader.read(side))
            .collect();
        let sides: Vec<Value> = sides.iter().map(|side| self.own_value(side)).collect();
        if let [target, value] = &sides[..]
            && is_procedure(value)
        {
            let (target, value) = (target.clone(), value.clone());
            out.push(Stmt::Assign {
                place: self.place(node),
                target,
                value,
            });
            return;
        }
        self.share(&sides);
        self.note_target(node, &sides);
        out.push(self.opaque(
            node,
            ReasonCode::PointerAssignment,
            self.first_line(node),
            vec![],
        ));
    }

    fn assignment(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let (sides, before) = self.with_before(|this| this.sides(node));
        out.extend(before);
        match sides {
            Some([target, value]) => {
                let constructed = self.constructed(node, &target);
                self.assign(node, target, value, out);
                out.extend(constructed);
            }
            None => out.push(self.opaque(
                node,
                ReasonCode::SyntaxError,
                self.first_line(node),
                Vec::new(),
            )),
        }
    }

    /// Target and value of an assignment.
    pub fn sides(&mut self, node: Node) -> Option<[Value; 2]> {
        let [left, right] = [field::LEFT, field::RIGHT].map(|part| node.child_by_field_name(part));
        let (left, right) = (self.reader.read(left?), self.reader.read(right?));
        Some([self.own_value(&left), self.own_value(&right)])
    }

    fn call_statement(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let Some(subroutine) = node.child_by_field_name(field::SUBROUTINE) else {
            return;
        };
        if let Some(array) = grown(self.reader, node)
            && let Value::Variable(id) | Value::Element { array: id, .. } = self.own_value(&array)
        {
            self.draft.note_grown(id);
        }
        let mut name = self.reader.tree.text(subroutine).to_ascii_lowercase();
        name.retain(|c| !c.is_whitespace());
        let list = named_children(node)
            .into_iter()
            .find(|n| n.kind() == kind::ARGUMENT_LIST);
        let arguments = list
            .map(|list| self.reader.arguments(list))
            .unwrap_or_default();
        let designator = self.reader.read(subroutine);
        if let Expr::Member(_, last) = &designator {
            let last = last.clone();
            let target = Expr::Apply(Box::new(designator), arguments.clone(), self.place(node));
            if let Some(Value::Call {
                name, arguments, ..
            }) = self.bound_subroutine(&target)
            {
                return self.push_call(self.place(node), name, arguments, out);
            }
            if let Some(object) = name.strip_suffix(&*last) {
                let object = object.trim_end_matches('%').to_string();
                self.draft.note_object(&name, object, &last);
            }
        }
        if let Found::Symbol(
            Symbol {
                class: Class::Generic(_),
                ..
            },
            _,
        ) = self.world.symbol(self.scope, &name)
        {
            return self.generic_call(node, &name, &arguments, out);
        }
        let arguments = self.world.in_order(&name, arguments.into(), self.scope);
        let mut values = Vec::with_capacity(arguments.len());
        for argument in &*arguments {
            match argument {
                Argument::Value(e) | Argument::Keyword(_, e) => values.push(self.own_value(e)),
                // Alternate returns.
                Argument::Section(_) | Argument::Star => {}
            }
        }
        let place = self.place(node);
        if name == "random_number" && values.len() == 1 && self.is_intrinsic(&name) {
            values
                .into_iter()
                .for_each(|value| self.filled_by(&place, &name, value, out));
            return;
        }
        self.note_callee(&name, self.scope);
        self.note_allocated_there(&name, &values);
        self.push_call(place, name, values, out);
    }

    /// A call of the procedure behind a generic name.
    fn generic_call(
        &mut self,
        node: Node,
        name: &str,
        arguments: &[Argument],
        out: &mut Vec<Stmt>,
    ) {
        let candidates = self.candidates(self.scope, name);
        let given = self.given(arguments, self.scope);
        let (name, values) = match self.choose(&candidates, &given) {
            Choice::One(candidate) => {
                let name = self.name_of(&candidate, candidate.name.to_string());
                (name, arranged(&candidate.dummies(), given))
            }
            Choice::None | Choice::Several => {
                self.note_callee(name, self.scope);
                (
                    name.to_string(),
                    given.into_iter().map(|(_, value)| value).collect(),
                )
            }
        };
        self.push_call(self.place(node), name, values, out);
    }

    fn push_call(
        &mut self,
        place: Place,
        name: String,
        arguments: Vec<Value>,
        out: &mut Vec<Stmt>,
    ) {
        let arguments = arguments
            .into_iter()
            .map(|v| self.hoist_reductions(&place, v, out))
            .collect::<Vec<Value>>();
        self.open_shared(&name, &arguments);
        self.call_subroutine(&place, name, arguments, out);
    }

    /// `exit` and `cycle` of a loop that is not the innermost go further than those of the IR.
    fn leave(&mut self, node: Node, kind: Jump) -> Stmt {
        let place = self.place(node);
        let named = named_children(node).first().map(|n| self.reader.name(*n));
        match (named, self.loops.innermost()) {
            (Some(name), Some(innermost)) if innermost != Some(&name) => {
                let label = match kind {
                    Jump::Exit => Label::Exit(name),
                    _ => Label::Cycle(name),
                };
                self.marks.jump(place, vec![label], Falls::Never)
            }
            _ => Stmt::Jump { place, kind },
        }
    }

    /// Plain, computed and assigned `go to`, and the arithmetic if.
    fn goto(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        let parts = named_children(node);
        let labels: Vec<Label> = parts.iter().filter_map(|n| self.label(*n)).collect();
        let values: Vec<Value> = self.values_below(node);
        if let ([value], [below, at, above], kind::ARITHMETIC_IF) =
            (&values[..], &labels[..], node.kind())
            && (matches!(value, Value::Variable(_))
                || matches!(value.ty(self.draft.function()), Type::Integer(..)))
        {
            out.extend(self.compared_with_zero(&place, value, [below, at, above]));
            return;
        }
        let falls = match node.kind() {
            kind::ARITHMETIC_IF => Falls::Never,
            _ if values.is_empty() => Falls::Never,
            // A computed go to whose index is out of range goes on.
            _ => Falls::Sometimes,
        };
        let first = if values.is_empty() {
            Vec::new()
        } else {
            vec![Stmt::Evaluate {
                place: place.clone(),
                values,
                printed: Printed::No,
            }]
        };
        if labels.is_empty() {
            out.push(self.opaque(node, ReasonCode::AssignedGoto, self.first_line(node), first));
            return;
        }
        out.extend(first);
        out.push(self.marks.jump(place, labels, falls));
    }

    /// The arithmetic if of a value whose comparisons cost nothing, as branches: below zero, zero, above.
    fn compared_with_zero(
        &mut self,
        place: &Place,
        value: &Value,
        labels: [&Label; 3],
    ) -> Vec<Stmt> {
        let [below, at, above] = labels;
        let zero = match value.ty(self.draft.function()) {
            Type::Real(bytes) => Value::Real(0.0, bytes),
            _ => Value::Integer(0),
        };
        let asked = |op| Value::Binary(op, Box::new(value.clone()), Box::new(zero.clone()));
        let mut jump = |label: &Label| {
            vec![(self.marks).jump(place.clone(), vec![label.clone()], Falls::Never)]
        };
        let branch = |condition, then, otherwise| {
            Stmt::If(Box::new(If {
                place: place.clone(),
                condition,
                then,
                otherwise,
            }))
        };
        if below == at {
            return vec![branch(
                asked(BinaryOp::LessOrEqual),
                jump(below),
                jump(above),
            )];
        }
        if below == above {
            return vec![branch(asked(BinaryOp::Equal), jump(at), jump(below))];
        }
        if at == above {
            return vec![branch(asked(BinaryOp::Less), jump(below), jump(at))];
        }
        // Side by side, as where jumps go is followed through one branch.
        vec![
            branch(asked(BinaryOp::Less), jump(below), Vec::new()),
            branch(asked(BinaryOp::Equal), jump(at), jump(above)),
        ]
    }

    /// The number of a statement label, without leading zeros.
    fn label(&self, node: Node) -> Option<Label> {
        if !matches!(
            node.kind(),
            kind::STATEMENT_LABEL | kind::STATEMENT_LABEL_REFERENCE
        ) {
            return None;
        }
        let digits: String = self
            .reader
            .tree
            .text(node)
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        let digits = digits.trim_start_matches('0');
        (!digits.is_empty()).then(|| Label::Statement(digits.into()))
    }

    /// The expressions among the children of a node.
    fn values_below(&mut self, node: Node) -> Vec<Value> {
        let mut values = Vec::new();
        for child in named_children(node) {
            if self
                .reader
                .tree
                .role(child)
                .is_some_and(|role| role != Role::Nothing)
            {
                let value = self.reader.read(child);
                values.push(self.own_value(&value));
            }
        }
        values
    }

    /// `allocate` gives the bounds that a declaration left open. What is deallocated is allocated anew.
    fn allocation(&mut self, node: Node, out: &mut Vec<Stmt>) {
        if node.kind() == kind::DEALLOCATE {
            for part in named_children(node) {
                let freed = (part.kind() == kind::IDENTIFIER).then(|| self.reader.read(part));
                if let Some(Value::Variable(id)) = freed.map(|freed| self.own_value(&freed)) {
                    self.draft.note_anew(id);
                }
            }
        }
        for [object, size] in sized(node) {
            let bounds = super::declarators::bounds(self.reader, size);
            let object = self.reader.read(object);
            if Path::of(&object).is_some_and(|path| self.grows(&path.text())) {
                continue;
            }
            let extents = self.extents(&bounds, self.scope);
            // What begins with no elements gets them elsewhere, or nobody would allocate it.
            if extents.iter().any(is_empty) {
                continue;
            }
            let id = match self.own_value(&object) {
                Value::Variable(id) | Value::Element { array: id, .. } => id,
                _ => continue,
            };
            match self.missing.contains(&id) {
                true => self.draft.note_kept(id),
                false => self.draft.note_anew(id),
            }
            let extents = (extents.into_iter())
                .map(|extent| Extent {
                    lower: extent.lower.map(|end| self.kept_end(node, end, out)),
                    upper: extent.upper.map(|end| self.kept_end(node, end, out)),
                })
                .collect();
            self.draft.complete_dimensions(id, extents);
        }
    }

    /// The bound of an array that is allocated: what it is made from, kept as it is now where it changes later.
    fn kept_end(&mut self, node: Node, end: Value, out: &mut Vec<Stmt>) -> Value {
        let mut used = BTreeSet::new();
        variables_of(&end, &mut used);
        let changes = used.into_iter().any(|id| {
            let name = self.draft.variable(id).name.as_str().to_string();
            self.changes_behind(&name, node)
        });
        let ty = end.ty(self.draft.function());
        if !changes || !matches!(ty, Type::Integer(..)) {
            return end;
        }
        let kept = Value::Variable(self.result_variable("bound", ty));
        out.push(Stmt::Assign {
            place: self.place(node),
            target: kept.clone(),
            value: end,
        });
        kept
    }
}

/// Whether an extent holds no elements, whatever runs: `allocate (a(0))`.
fn is_empty(extent: &Extent) -> bool {
    let first = match &extent.lower {
        Some(Value::Integer(first)) => *first,
        Some(_) => return false,
        None => 1,
    };
    matches!(extent.upper, Some(Value::Integer(last)) if last < first)
}

/// Whether a value is the name of a procedure.
fn is_procedure(value: &Value) -> bool {
    matches!(value, Value::Opaque { reason, .. } if reason.code == ReasonCode::ProcedureName)
}

/// Moves the ends of the loops that have a line only, where a statement begins, to where it ends.
fn reach(statements: &mut [Stmt], line: u32, end_line: u32) {
    for statement in statements {
        match statement {
            Stmt::Loop(inner) => {
                if inner.place.line == line && inner.end_line == line {
                    inner.end_line = end_line.max(line);
                }
                reach(&mut inner.body, line, end_line);
            }
            Stmt::If(branch) => {
                reach(&mut branch.then, line, end_line);
                reach(&mut branch.otherwise, line, end_line);
            }
            Stmt::Opaque { inner, .. } => reach(inner, line, end_line),
            Stmt::Assign { .. }
            | Stmt::Call { .. }
            | Stmt::Jump { .. }
            | Stmt::Mark { .. }
            | Stmt::Evaluate { .. } => {}
        }
    }
}
