//! `do`, `do while`, `do concurrent` and `forall`.

use std::sync::Arc;

use tree_sitter::Node;

use super::names::{field, kind};
use super::procedure::{Lowering, Meaning};
use super::scope::TypeSpec;
use super::statements::children;
use super::types::type_spec;
use super::visit;
use crate::ir::{
    Control, Evaluation, If, Label, Loop, LoopDirective, Reason, Role as Storage, Stmt, Tested,
    Value, VarId,
};
use crate::reason::ReasonCode;
use crate::syntax::{Role, named_children};

/// One index of `do concurrent` or `forall`.
struct Index {
    variable: VarId,
    lower: Value,
    upper: Value,
    step: Value,
}

impl Lowering<'_> {
    pub fn do_loop(&mut self, node: Node, parallel: Option<LoopDirective>, out: &mut Vec<Stmt>) {
        let parts = children(node);
        let head = parts.iter().find(|n| n.kind() == kind::DO_STATEMENT);
        let control = head.and_then(|head| {
            let is_control = |n: &Node| {
                matches!(
                    n.kind(),
                    kind::LOOP_CONTROL | kind::WHILE | kind::CONCURRENT
                )
            };
            named_children(*head).into_iter().find(is_control)
        });
        let name = self.loop_name(node);
        let mut first = Vec::new();
        let control = match control {
            Some(control) if control.kind() == kind::CONCURRENT => {
                let (indices, mask) = self.concurrent_header(control);
                let body = self.loop_body(&parts, name);
                out.push(self.nest(node, indices, mask, body, parallel));
                return;
            }
            Some(control) if control.kind() == kind::WHILE => {
                let condition = named_children(control)
                    .first()
                    .map(|n| self.reader.read(*n));
                let condition = condition.map(|e| self.own_value(&e));
                let place = self.place(node);
                // Tried before every iteration.
                let condition =
                    condition.map(|value| self.hoist_reductions(&place, value, &mut first));
                Control::Uncounted {
                    condition,
                    tested: Tested::BeforeBody,
                    reason: reason(ReasonCode::WhileLoop, self.first_line(node)),
                }
            }
            Some(control) => {
                let place = self.place(node);
                match self.counted(control) {
                    Control::Counted {
                        variable,
                        lower,
                        upper,
                        step,
                    } => {
                        let [lower, upper, step] = [lower, upper, step]
                            .map(|bound| self.hoist_reductions(&place, bound, out));
                        Control::Counted {
                            variable,
                            lower,
                            upper,
                            step,
                        }
                    }
                    control => control,
                }
            }
            None => Control::Uncounted {
                condition: None,
                tested: Tested::BeforeBody,
                reason: reason(ReasonCode::InfiniteLoop, self.first_line(node)),
            },
        };
        let mut body = first;
        body.extend(self.loop_body(&parts, name.clone()));
        let (place, end_line) = (self.place(node), self.end_line(node));
        // What `exit name` and `cycle name` inside of inner loops go to.
        let mut mark = |label: fn(Arc<str>) -> Label| {
            let name = name.clone()?;
            Some(self.marks.label(place.clone(), label(name)))
        };
        body.extend(mark(Label::Cycle));
        let after = mark(Label::Exit);
        out.push(Stmt::Loop(Box::new(Loop {
            place,
            end_line,
            parallel,
            evaluation: Evaluation::InTurn,
            control,
            body,
        })));
        out.extend(after);
    }

    /// A loop that stands inside a statement: an implied do.
    pub fn loop_over(&mut self, statement: Node, control: Node, body: Vec<Stmt>) -> Stmt {
        let control = self.counted(control);
        let (place, end_line) = (self.place(statement), self.end_line(statement));
        Stmt::Loop(Box::new(Loop {
            place,
            end_line,
            parallel: None,
            evaluation: Evaluation::InTurn,
            control,
            body,
        }))
    }

    fn loop_body(&mut self, parts: &[Node], name: Option<Arc<str>>) -> Vec<Stmt> {
        self.loops.enter(name);
        let body = self.block(parts);
        self.loops.leave();
        body
    }

    /// `name: do …`
    fn loop_name(&self, node: Node) -> Option<Arc<str>> {
        let first = named_children(node)
            .into_iter()
            .next()
            .filter(|n| n.kind() == kind::BLOCK_LABEL_START)?;
        Some(
            self.reader
                .tree
                .text(first)
                .trim_end_matches(':')
                .trim_end()
                .to_ascii_lowercase()
                .into(),
        )
    }

    pub fn end_line(&self, node: Node) -> u32 {
        let last = named_children(node)
            .last()
            .map_or_else(|| node.end_position(), tree_sitter::Node::end_position);
        self.reader.source.place(last.row, last.column).line
    }

    /// `i = lower, upper, step`
    fn counted(&mut self, control: Node) -> Control {
        let parts = named_children(control);
        let text = self.reader.tree.text(control).to_string();
        let [variable, lower, upper, ..] = parts[..] else {
            return Control::Uncounted {
                condition: None,
                tested: Tested::BeforeBody,
                reason: reason(ReasonCode::SyntaxError, text),
            };
        };
        let [lower, upper] = [lower, upper].map(|n| self.reader.read(n));
        let (lower, upper) = (self.own_value(&lower), self.own_value(&upper));
        let step = match parts.get(3) {
            Some(step) => {
                let step = self.reader.read(*step);
                self.own_value(&step)
            }
            None => Value::Integer(1),
        };
        let Some(variable) = self.index_variable(variable) else {
            return Control::Uncounted {
                condition: None,
                tested: Tested::BeforeBody,
                reason: reason(ReasonCode::LoopVariable, text),
            };
        };
        if self.draft.variable(variable).ty.is_floating() {
            return Control::Uncounted {
                condition: None,
                tested: Tested::BeforeBody,
                reason: reason(ReasonCode::RealLoopVariable, text),
            };
        }
        Control::Counted {
            variable,
            lower,
            upper,
            step,
        }
    }

    fn index_variable(&mut self, node: Node) -> Option<VarId> {
        let name = self.reader.name(node);
        match self.meaning(&name, self.scope) {
            Meaning::Variable(id) => Some(id),
            Meaning::Elsewhere(_) => Some(self.undeclared(&name, self.scope, Storage::Undeclared)),
            Meaning::Nowhere => Some(self.undeclared(&name, self.scope, Storage::Local)),
            Meaning::Procedure(..) | Meaning::StatementFunction(..) => None,
        }
    }

    /// Indices and mask of `do concurrent (i = 1:n, j = 1:m, mask)`.
    fn concurrent_header(&mut self, node: Node) -> (Vec<Index>, Option<Value>) {
        let header = named_children(node)
            .into_iter()
            .find(|n| n.kind() == kind::CONCURRENT_HEADER);
        let (mut indices, mut mask) = (Vec::new(), None);
        let ty = header.and_then(|header| header.child_by_field_name(field::TYPE));
        let ty = ty.and_then(|ty| type_spec(self.reader, ty));
        for part in header.map(named_children).unwrap_or_default() {
            match part.kind() {
                kind::CONCURRENT_CONTROL => {
                    let name = named_children(part).into_iter().next();
                    let bounds = [field::INITIAL, field::FINAL, field::STEP]
                        .map(|f| part.child_by_field_name(f));
                    if let (Some(name), Some(ty)) = (name, &ty) {
                        self.declare_index(name, ty);
                    }
                    indices.extend(name.and_then(|name| self.index(name, bounds)));
                }
                kind::CONCURRENT_MASK => {
                    if let Some(condition) = named_children(part).first() {
                        let condition = self.reader.read(*condition);
                        mask = Some(self.own_value(&condition));
                    }
                }
                _ => {}
            }
        }
        (indices, mask)
    }

    /// `do concurrent (integer :: i = 1:n)` declares its index.
    fn declare_index(&mut self, node: Node, ty: &TypeSpec) {
        let name = self.reader.name(node);
        if matches!(
            self.meaning(&name, self.scope),
            Meaning::Elsewhere(_) | Meaning::Nowhere
        ) {
            let ty = self.resolve(ty, self.scope);
            self.add(self.scope, &name, ty, Storage::Local, None);
        }
    }

    pub fn forall(&mut self, node: Node, parallel: Option<LoopDirective>, out: &mut Vec<Stmt>) {
        let (mut indices, mut mask) = (Vec::new(), None);
        for part in named_children(node) {
            match self.reader.tree.role(part) {
                None if part.kind() == kind::TRIPLET => {
                    if let [name, lower, upper, ref step @ ..] = named_children(part)[..] {
                        indices.extend(
                            self.index(name, [Some(lower), Some(upper), step.first().copied()]),
                        );
                    }
                }
                Some(Role::Binary | Role::Unary) if mask.is_none() => {
                    let condition = self.reader.read(part);
                    mask = Some(self.own_value(&condition));
                }
                _ => {}
            }
        }
        let body = self.body(node);
        out.push(self.nest(node, indices, mask, body, parallel));
    }

    fn index(&mut self, name: Node, [lower, upper, step]: [Option<Node>; 3]) -> Option<Index> {
        let mut bound = |node: Node| {
            let bound = self.reader.read(node);
            self.own_value(&bound)
        };
        let (lower, upper) = (bound(lower?), bound(upper?));
        let step = step.map_or(Value::Integer(1), bound);
        Some(Index {
            variable: self.index_variable(name)?,
            lower,
            upper,
            step,
        })
    }

    /// Loops around a body. The language leaves the order of the indices open; as compilers do, the
    /// index that runs through memory contiguously becomes the innermost loop.
    fn nest(
        &self,
        node: Node,
        mut indices: Vec<Index>,
        mask: Option<Value>,
        body: Vec<Stmt>,
        parallel: Option<LoopDirective>,
    ) -> Stmt {
        let place = self.place(node);
        let mut body = match mask {
            Some(condition) => {
                let place = place.clone();
                vec![Stmt::If(Box::new(If {
                    place,
                    condition,
                    then: body,
                    otherwise: Vec::new(),
                }))]
            }
            None => body,
        };
        let end_line = self.end_line(node);
        let order: Vec<VarId> = indices.iter().map(|index| index.variable).collect();
        let positions = contiguity(&order, &body);
        // As written, the last index is the innermost.
        let position = |index: &Index| {
            order
                .iter()
                .position(|v| *v == index.variable)
                .map_or(0.0, |at| positions[at])
        };
        indices.sort_by(|a, b| position(b).total_cmp(&position(a)));
        let count = indices.len();
        for (
            at,
            Index {
                variable,
                lower,
                upper,
                step,
            },
        ) in indices.into_iter().rev().enumerate()
        {
            let parallel = if at + 1 == count {
                parallel.clone()
            } else {
                None
            };
            let control = Control::Counted {
                variable,
                lower,
                upper,
                step,
            };
            body = vec![Stmt::Loop(Box::new(Loop {
                place: place.clone(),
                end_line,
                parallel,
                evaluation: Evaluation::InTurn,
                control,
                body,
            }))];
        }
        match body.pop() {
            Some(only @ Stmt::Loop(_)) if count > 0 => only,
            last => {
                body.extend(last);
                self.opaque(node, ReasonCode::SyntaxError, self.first_line(node), body)
            }
        }
    }
}

/// For each index the mean position of the subscripts that it stands in; 0 is contiguous.
fn contiguity(indices: &[VarId], body: &[Stmt]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); indices.len()];
    visit::elements(body, &mut |subscripts| {
        for (position, subscript) in subscripts.iter().enumerate() {
            for (index, (sum, count)) in indices.iter().zip(&mut sums) {
                if visit::mentions(subscript, *index) {
                    *sum += position as f64;
                    *count += 1.0;
                }
            }
        }
    });
    sums.into_iter()
        .map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 })
        .collect()
}

pub fn reason(code: ReasonCode, detail: String) -> Reason {
    Reason { code, detail }
}
