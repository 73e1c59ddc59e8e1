//! `if` and `select`.

use tree_sitter::Node;

use super::expression::{Argument, Expr};
use super::names::kind;
use super::procedure::Lowering;
use super::statements::children;
use crate::diagnostic::Place;
use crate::ir::visit::each_value;
use crate::ir::{BinaryOp, If, Role, Stmt, UnaryOp, Value, Variable};
use crate::reason::ReasonCode;
use crate::syntax::{Role as Syntax, named_children};

/// Longer chains would nest too deeply.
const BRANCH_LIMIT: usize = 200;

/// One branch of a chain; no condition: else.
struct Branch<'t> {
    node: Node<'t>,
    /// Loops that compute what the condition takes.
    before: Vec<Stmt>,
    condition: Option<Value>,
    body: Vec<Stmt>,
}

const ALLOCATED: &str = "allocated";

/// The array of a condition `.not. allocated(array)`.
fn asked_for(condition: &Expr) -> Option<&Expr> {
    let Expr::Unary(UnaryOp::Not, inner) = condition else {
        return None;
    };
    let Expr::Apply(function, arguments, _) = &**inner else {
        return None;
    };
    match (&**function, &arguments[..]) {
        (Expr::Name(name), [Argument::Value(array)]) if **name == *ALLOCATED => Some(array),
        _ => None,
    }
}

impl Lowering<'_> {
    pub fn if_statement(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let mut branches = vec![self.branch(node)];
        for clause in named_children(node) {
            if matches!(clause.kind(), kind::ELSE_IF | kind::ELSE) {
                let branch = self.branch(clause);
                branches.push(branch);
            }
        }
        self.chain(node, branches, out);
    }

    /// Condition and statements of an `if`, `else if` or `else`.
    fn branch<'t>(&mut self, node: Node<'t>) -> Branch<'t> {
        let condition = named_children(node)
            .into_iter()
            .find(|n| self.reader.tree.role(*n) == Some(Syntax::Parenthesised));
        let condition = condition.map(|n| self.reader.read(n));
        let known = self.missing.len();
        if let Some(array) = condition.as_ref().and_then(asked_for) {
            let array = self.own_value(array);
            if let Value::Variable(id) = array {
                self.missing.push(id);
            }
        }
        let (condition, mut before) =
            self.with_before(|this| condition.map(|e| this.own_value(&e)));
        let place = self.place(node);
        let condition =
            condition.map(|condition| self.hoist_reductions(&place, condition, &mut before));
        let body = self.body(node);
        self.missing.truncate(known);
        Branch {
            node,
            before,
            condition,
            body,
        }
    }

    /// Branches tried one after the other as nested ifs.
    fn chain(&mut self, node: Node, mut branches: Vec<Branch>, out: &mut Vec<Stmt>) {
        let mut otherwise = Vec::new();
        if branches.len() > BRANCH_LIMIT {
            // As unlikely as the last of the branches before, side by side.
            let rest = branches.split_off(BRANCH_LIMIT);
            let inner = rest.into_iter().flat_map(|branch| branch.body).collect();
            otherwise = vec![self.opaque(node, ReasonCode::TooDeep, self.first_line(node), inner)];
        }
        for Branch {
            node,
            before,
            condition,
            body,
        } in branches.into_iter().rev()
        {
            otherwise = match condition {
                Some(condition) => {
                    let place = self.place(node);
                    let mut statements = before;
                    statements.push(Stmt::If(Box::new(If {
                        place,
                        condition,
                        then: body,
                        otherwise,
                    })));
                    statements
                }
                // `case default` may stand anywhere: it is tried last.
                None => body,
            };
        }
        out.extend(otherwise);
    }

    pub fn select(&mut self, node: Node, out: &mut Vec<Stmt>) {
        let is_case = node.kind() == kind::SELECT_CASE;
        let selector = named_children(node)
            .into_iter()
            .find(|n| n.kind() == kind::SELECTOR);
        let selector = selector
            .and_then(|n| named_children(n).into_iter().next())
            .map(|n| self.reader.read(n));
        let selector = selector.map_or(Value::opaque(ReasonCode::SyntaxError, ""), |e| {
            self.own_value(&e)
        });
        let place = self.place(node);
        let selector = self.hoist_reductions(&place, selector, out);
        let selector = if is_case {
            self.once(selector, &place, out)
        } else {
            selector
        };
        let (mut branches, mut default) = (Vec::new(), None);
        let mut clauses = children(node);
        clauses.reverse();
        while let Some(clause) = clauses.pop() {
            if self.reader.tree.role(clause) == Some(Syntax::Block) {
                clauses.extend(named_children(clause).into_iter().rev());
                continue;
            }
            if !matches!(
                clause.kind(),
                kind::CASE | kind::TYPE_STATEMENT | kind::RANK_STATEMENT
            ) {
                continue;
            }
            let body = self.body(clause);
            if named_children(clause)
                .iter()
                .any(|n| n.kind() == kind::DEFAULT)
            {
                default = Some(Branch {
                    node: clause,
                    before: Vec::new(),
                    condition: None,
                    body,
                });
                continue;
            }
            let condition = if is_case {
                self.case(clause, &selector)
            } else {
                None
            };
            let condition = condition
                .unwrap_or_else(|| Value::opaque(ReasonCode::SelectType, self.first_line(clause)));
            branches.push(Branch {
                node: clause,
                before: Vec::new(),
                condition: Some(condition),
                body,
            });
        }
        branches.extend(default);
        self.chain(node, branches, out);
    }

    /// A value that is used several times and evaluated once: a variable, unless it is one or a number.
    fn once(&mut self, value: Value, place: &Place, out: &mut Vec<Stmt>) -> Value {
        let mut is_simple = true;
        each_value(&value, &mut |part| {
            is_simple &= !part.has_no_number()
                && !matches!(part, Value::Element { .. } | Value::Call { .. });
        });
        if is_simple {
            return value;
        }
        let target = Value::Variable(self.draft.add(Variable {
            name: format!("select@{}", place.line).into(),
            ty: value.ty(self.draft.function()),
            dimensions: Vec::new(),
            role: Role::Local,
            constant: None,
            place: place.clone(),
        }));
        out.push(Stmt::Assign {
            place: place.clone(),
            target: target.clone(),
            value,
        });
        target
    }

    /// `case (1, 3:5)` as a comparison with the selector.
    fn case(&mut self, clause: Node, selector: &Value) -> Option<Value> {
        let list = named_children(clause)
            .into_iter()
            .find(|n| n.kind() == kind::CASE_VALUES)?;
        let mut tests = Vec::new();
        for argument in self.reader.arguments(list) {
            let compare = |op, bound| Value::binary(op, selector.clone(), bound);
            let test = match argument {
                Argument::Section(parts) => {
                    let [lower, upper, _] = *parts;
                    let lower =
                        lower.map(|e| compare(BinaryOp::GreaterOrEqual, self.own_value(&e)));
                    let upper = upper.map(|e| compare(BinaryOp::LessOrEqual, self.own_value(&e)));
                    match (lower, upper) {
                        (Some(lower), Some(upper)) => Value::binary(BinaryOp::And, lower, upper),
                        (Some(one), None) | (None, Some(one)) => one,
                        (None, None) => continue,
                    }
                }
                Argument::Value(e) | Argument::Keyword(_, e) => {
                    compare(BinaryOp::Equal, self.own_value(&e))
                }
                Argument::Star => continue,
            };
            tests.push(test);
        }
        Value::any(tests)
    }
}
