//! Loops: their ranges, and what moves from iteration to iteration.

use std::collections::BTreeSet;

use super::iterations::Ends;
use super::settings::holds_sequence;
use super::values::MOST_SYMBOLS;
use super::{Walker, bodies};
use crate::assignments::assigns_any_of;
use crate::diagnostic::Place;
use crate::expr::{Expr, Symbol};
use crate::facts::{Block, Item, Loop};
use crate::inductions::{advanced, exchanged, inductions, per_iteration};
use crate::ir::visit::variables_of;
use crate::ir::{self, BinaryOp, Control, LoopEnds, Value, VarId};
use crate::iterations::mentions;
use crate::moving::is_unknown_stride;
use crate::reason::{Effect, ReasonCode};
use crate::symbols::{Address, Known, Level};
use crate::{references, registers, repeated};

impl Walker<'_> {
    pub(super) fn enter_loop(&mut self, inner: &ir::Loop, block: &mut Block) {
        let function = self.function();
        let mut reasons = Vec::new();
        let mut has_range = false;
        let mut end_moves = false;
        let mut start = None;
        let counter = self.counter(inner);
        let counter_name =
            counter.map_or(String::new(), |id| function.variable(id).name.to_string());
        if let Control::Counted {
            lower, upper, step, ..
        } = &inner.control
        {
            [lower, upper, step]
                .into_iter()
                .for_each(|bound| self.reads_in_bound(&inner.place, bound, block));
        }
        let before = self.symbols.known.clone();
        let (variable, lower, mut upper, step) = match &inner.control {
            Control::Counted {
                variable,
                lower,
                upper,
                step,
            } => {
                let name = function.variable(*variable).name.to_string();
                self.becomes_counter(*variable);
                // `do i = i, n`: what it was is something else than what it counts.
                let earlier = Expr::from(Symbol::earlier(&name, inner.place.line));
                let bounds = [lower, upper, step]
                    .map(|bound| Some(self.symbols.bound(bound)?.with(&name, &earlier)));
                let zero_step = bounds[2].as_ref().is_some_and(Expr::is_zero);
                if zero_step {
                    reasons.push((ReasonCode::ZeroStep, "a step of zero".to_string()));
                }
                let moves = function.conventions.loop_ends == LoopEnds::EachIteration
                    && assigns_any_of(&inner.body, &self.effects, [upper, step]);
                end_moves = moves;
                if moves {
                    reasons.push((
                        ReasonCode::BoundModified,
                        "the loop changes what its end depends on".to_string(),
                    ));
                }
                match bounds {
                    [Some(lower), Some(upper), Some(step)] if !zero_step && !moves => {
                        has_range = true;
                        (name, lower, upper, step)
                    }
                    // The end moves: how fast is seen below.
                    [Some(lower), _, Some(step)]
                        if moves && step.as_integer().is_some_and(|s| s != 0) =>
                    {
                        let last =
                            (self.trip_count(&inner.place) - 1.0) * step.clone() + lower.clone();
                        (name, lower, last.expand(), step)
                    }
                    // Bounds that change in the enclosing loops: the trip count is a parameter.
                    [lower_bound, _, step] => {
                        let is_data = lower_bound.is_none() && step.as_ref().is_some_and(is_one);
                        let trips = self.trip_count(&inner.place);
                        start = if is_data {
                            self.begins((lower, upper), &trips)
                        } else {
                            None
                        };
                        let step = step.filter(|s| s.as_integer().is_some_and(|s| s != 0));
                        let step = step.unwrap_or(Expr::from(1.0));
                        let last = (trips - 1.0) * step.clone() + 1.0;
                        (name, Expr::from(1.0), last.expand(), step)
                    }
                }
            }
            Control::Uncounted { reason, .. } => {
                reasons.push((reason.code, reason.detail.clone()));
                (
                    counter_name,
                    Expr::from(1.0),
                    self.trip_count(&inner.place),
                    Expr::from(1.0),
                )
            }
        };
        let (advancing, conditional) = self.advancing(inner, counter, (&variable, &lower, &step));
        let moved = advancing.clone();
        self.vary(&inner.body, self.depth() + 1);
        for id in exchanged(&inner.body, &self.effects) {
            match before.get(&id) {
                Some(known) => self.symbols.known.insert(id, known.clone()),
                None => self.symbols.known.remove(&id),
            };
        }
        self.symbols.known.extend(advancing);
        let moved: Vec<(VarId, Known)> = moved
            .into_iter()
            .filter(|(id, _)| !conditional.contains(id))
            .collect();
        let outer_conditional = std::mem::replace(&mut self.conditional, conditional);
        let mut ends = Ends::AtBound;
        match &inner.control {
            Control::Uncounted {
                condition: Some(condition),
                ..
            } => {
                // What another loop moves by an unknown amount says nothing about how far it is to the end.
                let counted = self.iterations(inner, condition, &variable);
                if let Some((trips, found)) = counted.filter(|(trips, _)| !is_unknown_stride(trips))
                {
                    (upper, ends, has_range) = (trips, found, true);
                } else if let Some(trips) = self.doublings(inner, condition, &before) {
                    upper = trips;
                }
            }
            Control::Counted {
                variable: own,
                upper: bound,
                ..
            } if end_moves => {
                let counted = self.towards(*own, bound, (&variable, &lower, &step));
                if let Some(trips) = counted.filter(|trips| !is_unknown_stride(trips)) {
                    upper = ((trips - 1.0) * step.clone() + lower.clone()).expand();
                }
            }
            Control::Uncounted {
                condition: None, ..
            }
            | Control::Counted { .. } => {}
        }
        if reasons.iter().any(|r| r.0.effect() == Effect::Estimates) {
            let parameter = self.trip_count(&inner.place);
            let is_parameter = parameter.symbols().iter().any(|name| upper.mentions(name));
            if !is_parameter && ends == Ends::AtBound {
                // What the body does gives the iterations after all.
                reasons.retain(|r| r.0.effect() != Effect::Estimates);
            }
        }
        let bounds = (variable, lower, upper, step);
        let started = counter.zip(start);
        if let Some((id, start)) = &started {
            self.symbols.starts.insert(*id, start.clone());
        }
        let left = has_range && ends == Ends::AtBound;
        let left = if left {
            after(&bounds, counter, moved)
        } else {
            Vec::new()
        };
        let exits_early = self.loop_body(inner, counter, bounds, (&reasons, ends), block);
        if let Some((id, _)) = started {
            self.symbols.starts.remove(&id);
        }
        self.conditional = outer_conditional;
        self.symbols.known = before;
        self.vary(&inner.body, self.depth());
        if let Control::Counted { variable, .. } = &inner.control {
            self.changes(*variable, self.depth());
        }
        if !exits_early {
            self.symbols.known.extend(left);
        }
    }

    /// The parameter that stands for how often a loop runs: one for every loop, also of those in one line.
    fn trip_count(&mut self, place: &Place) -> Expr {
        let columns = self.trip_counts.entry(place.line).or_default();
        let at = columns
            .iter()
            .position(|column| *column == place.column)
            .unwrap_or_else(|| {
                columns.push(place.column);
                columns.len() - 1
            });
        Expr::from(Symbol::trip_count(self.symbols.own_name, place.line, at))
    }

    /// What a bound loads anew whenever the loop begins: elements that the loops around choose, `rows[i + 1]`.
    fn reads_in_bound(&mut self, place: &Place, bound: &Value, block: &mut Block) {
        match bound {
            Value::Element { .. }
                if self.depth() > 0 && self.symbols.expression(bound).is_none() =>
            {
                self.reads_in(place, bound, block);
            }
            Value::Unary(_, inner) | Value::Convert(_, inner) => {
                self.reads_in_bound(place, inner, block);
            }
            Value::Binary(_, left, right) => {
                [left, right]
                    .into_iter()
                    .for_each(|side| self.reads_in_bound(place, side, block));
            }
            Value::Call { arguments, .. } => {
                arguments
                    .iter()
                    .for_each(|argument| self.reads_in_bound(place, argument, block));
            }
            _ => {}
        }
    }

    /// Where a loop begins that walks through one row after another, `for (k = rows[i]; k < rows[i + 1]; k++)`: behind
    /// what the rows before have walked through, all taken to be as long.
    fn begins(&mut self, (lower, upper): (&Value, &Value), trips: &Expr) -> Option<Expr> {
        let ((row, here), (next_row, next)) = (self.row(lower)?, self.row(upper)?);
        let apart = (next - here.clone()).expand().as_integer()?;
        if row != next_row || apart.abs() != 1 {
            return None;
        }
        let function = self.function();
        let around: Vec<&str> = self
            .symbols
            .loops
            .iter()
            .map(|id| function.variable(*id).name.as_str())
            .collect();
        let linear = here.linear_in(&around)?;
        let terms = around
            .iter()
            .zip(linear.coefficients)
            .map(|(name, by)| by * Expr::symbol(name) * trips.clone());
        Some(Expr::sum(terms).expand()).filter(|start| !start.is_zero())
    }

    /// The element of an array of one dimension that a bound is, or is so many off.
    pub(super) fn row(&mut self, bound: &Value) -> Option<(VarId, Expr)> {
        match bound {
            Value::Convert(_, inner) => self.row(inner),
            Value::Binary(BinaryOp::Add | BinaryOp::Subtract, inner, by)
                if matches!(**by, Value::Integer(_)) =>
            {
                self.row(inner)
            }
            Value::Element {
                array, subscripts, ..
            } => match subscripts.as_slice() {
                [place] => Some((*array, self.symbols.expression(place)?)),
                _ => None,
            },
            Value::Variable(id) => match self.symbols.known.get(id)? {
                Known::Changes {
                    depth,
                    loaded: true,
                } if *depth == self.depth() => self.loaded.get(id).cloned(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The variable that counts the iterations.
    fn counter(&mut self, inner: &ir::Loop) -> Option<VarId> {
        match &inner.control {
            Control::Counted { variable, .. } => Some(*variable),
            Control::Uncounted { .. } => {
                let id = VarId(self.next_iteration);
                self.next_iteration += 1;
                ((id.0 as usize) < self.function().variables.len()).then_some(id)
            }
        }
    }

    /// What is known of the induction variables of a loop when an iteration starts:
    /// entry + amount · (variable − lower)/step, and which of them some iterations may not advance. The
    /// entry value is an unknown multiple of the loop around if that changes it too.
    fn advancing(
        &mut self,
        inner: &ir::Loop,
        id: Option<VarId>,
        (counter, lower, step): (&str, &Expr, &Expr),
    ) -> (Vec<(VarId, Known)>, BTreeSet<VarId>) {
        let (mut found, mut conditional) = (Vec::new(), BTreeSet::new());
        if counter.is_empty() {
            return (found, conditional);
        }
        let counts_on = |amount: &Value| {
            let mut used = BTreeSet::new();
            variables_of(amount, &mut used);
            id.is_some_and(|counter| used.contains(&counter))
        };
        for induction in inductions(&inner.body, &self.effects) {
            let id = induction.variable;
            if induction.amounts.iter().any(counts_on) {
                continue;
            }
            let amounts = induction
                .amounts
                .iter()
                .map(|amount| self.symbols.expression(amount));
            let amounts = amounts.collect::<Option<Vec<Expr>>>();
            let Some(amounts) = amounts.filter(|all| !all.iter().any(|a| a.mentions(counter)))
            else {
                continue;
            };
            let Some(moved) = per_iteration(&Expr::sum(amounts).expand(), counter, lower, step)
            else {
                continue;
            };
            let Some(known) = self.entry(id, moved) else {
                continue;
            };
            found.push((id, known));
            if induction.conditional {
                conditional.insert(id);
            }
        }
        (found, conditional)
    }

    /// An induction variable that the loop has moved by an amount since it was entered.
    fn entry(&self, id: VarId, moved: Expr) -> Option<Known> {
        let variable = self.function().variable(id);
        let is_pointer =
            self.function().conventions.has_pointers() && !variable.dimensions.is_empty();
        let known = self.symbols.known.get(&id);
        let depth = if let Some(Known::Changes { depth, .. }) = known {
            *depth
        } else {
            self.depth()
        };
        let stride = self.symbols.moved_by(id, depth);
        if is_pointer {
            let mut address = match known {
                Some(Known::Points(address)) => address.clone(),
                Some(_) => Address {
                    array: id,
                    subscripts: vec![stride?],
                },
                None => Address {
                    array: id,
                    subscripts: vec![Expr::from(0.0)],
                },
            };
            let first = address.subscripts.first_mut()?;
            *first = first.clone() + moved;
            return Some(Known::Points(address));
        }
        let entry = match (known, stride) {
            (Some(Known::Is(expr)), _) => expr.clone(),
            (Some(_), Some(stride)) => Expr::symbol(&variable.name) + stride,
            _ => Expr::symbol(&variable.name),
        };
        Some(Known::Is(entry + moved))
    }

    fn loop_body(
        &mut self,
        inner: &ir::Loop,
        counter: Option<VarId>,
        (variable, lower, upper, step): (String, Expr, Expr, Expr),
        (reasons, ends): (&[(ReasonCode, String)], Ends),
        block: &mut Block,
    ) -> bool {
        self.symbols.loops.extend(counter);
        let has_unit_step = step.as_integer().is_some_and(|step| step.abs() == 1);
        self.symbols.levels.push(Level {
            counter,
            has_unit_step,
            advanced: advanced(&inner.body, &self.effects),
        });
        self.exits.push(ends == Ends::AtBoundOrBefore);
        let mut body = Block::default();
        for (code, detail) in reasons {
            self.reason(&mut body, &inner.place, *code, detail.clone());
        }
        if let Control::Uncounted {
            condition: Some(condition),
            ..
        } = &inner.control
        {
            // Evaluated once an iteration: part of the body.
            self.read(&inner.place, condition, &mut body);
        }
        let in_sequence = std::mem::replace(&mut self.in_sequence, holds_sequence(&inner.body));
        self.statements(&inner.body, &mut body);
        self.in_sequence = in_sequence;
        self.symbols.levels.pop();
        if counter.is_some() {
            self.symbols.loops.pop();
        }
        let exits_early = self.exits.pop().unwrap_or(false);
        let is_counted = matches!(inner.control, Control::Counted { .. });
        let variable = if is_counted || mentions(&body, &variable) {
            variable
        } else {
            String::new()
        };
        if self.depth() == 0 {
            references::split_components(&mut body);
        }
        let run = bodies::without_replaced(inner, &self.effects.origins);
        let registers = body
            .loops()
            .is_empty()
            .then(|| registers::needed(self.function(), &run, &body, &variable));
        let repeated = repeated::repeated(&run.body, self.function());
        block.items.push(Item::Loop(Box::new(Loop {
            id: String::new(),
            file: inner.place.file.clone(),
            line: inner.place.line,
            end_line: inner.end_line,
            variable,
            lower,
            upper,
            step,
            parallel: inner.parallel.clone(),
            exits_early,
            registers,
            repeated,
            body,
        })));
        exits_early
    }
}

/// What the variable of a loop and those that it advances hold after its last iteration. A loop from zero or one on is
/// taken to run as far as its end, any other to run or not.
fn after(
    (variable, lower, upper, step): &(String, Expr, Expr, Expr),
    counter: Option<VarId>,
    moved: Vec<(VarId, Known)>,
) -> Vec<(VarId, Known)> {
    let Some(by) = step.as_integer() else {
        return Vec::new();
    };
    let rounds = match by {
        1 => (upper.clone() - lower.clone() + 1.0).expand(),
        -1 => (lower.clone() - upper.clone() + 1.0).expand(),
        _ => ((upper.clone() - lower.clone() + step.clone())
            .expand()
            .quotient(step.clone()))
        .floor(),
    };
    let runs = matches!((lower.as_integer(), by), (Some(0 | 1), 1..))
        || rounds.as_number().is_some_and(|n| n >= 0.0);
    let rounds = if runs {
        rounds
    } else {
        Expr::max([Expr::from(0.0), rounds])
    };
    let end = (lower.clone() + rounds * step.clone()).expand();
    let last = |known: Known| match known {
        Known::Is(expr) => {
            let expr = expr.with(variable, &end).expand();
            (expr.symbols().len() <= MOST_SYMBOLS).then_some(Known::Is(expr))
        }
        _ => None,
    };
    let counted = counter.map(|id| (id, Known::Is(end.clone())));
    let all = moved
        .into_iter()
        .filter_map(|(id, known)| Some((id, last(known)?)));
    all.chain(counted.filter(|_| end.symbols().len() <= MOST_SYMBOLS))
        .collect()
}

/// By one, up or down.
fn is_one(step: &Expr) -> bool {
    step.as_integer().is_some_and(|step| step.abs() == 1)
}
