//! Loops: their ranges, and what moves from iteration to iteration.

use std::collections::BTreeSet;

use super::counted_exits::Cut;
use super::headers::Header;
use super::iterations::Ends;
use super::settings::holds_sequence;
use super::values::MOST_SYMBOLS;
use super::{Ended, Walker, bodies};
use crate::calls::Target;
use crate::chains::{Asked, Called};
use crate::compared::{Compared, Counter};
use crate::counted_loop::Counted;
use crate::diagnostic::Place;
use crate::expr::{Expr, Symbol};
use crate::facts::{Beside, Block, Item, Loop};
use crate::in_core::InCore;
use crate::inductions::{advanced, exchanged, growing, inductions, per_iteration};
use crate::ir::visit::{self, InLoop, variables_of};
use crate::ir::{self, BinaryOp, Control, Evaluation, LoopEnds, Role, Stmt, Type, Value, VarId};
use crate::iterations::mentions;
use crate::loop_variable::LoopVariable;
use crate::reason::ReasonCode;
use crate::steady::{Around, sets_around};
use crate::symbols::{Address, Known, Level, Start};
use crate::{chains, gathers, references, registers, repeated, wide_rows};

impl Walker<'_> {
    pub(super) fn enter_loop(&mut self, inner: &ir::Loop, block: &mut Block) {
        let counter = self.counter(inner);
        self.start_counters(inner);
        self.read_bounds(inner, block);
        let before = self.symbols.known.clone();
        let mut header = self.header(inner, counter);
        let mut compared = self.comparison(inner, counter, header.counts());
        let (advancing, conditional) = self.advancing(inner, counter, header.counts());
        let halting: Vec<VarId> = conditional.iter().copied().collect();
        let moved: Vec<(VarId, Known)> = advancing
            .iter()
            .filter(|(id, _)| !conditional.contains(id))
            .map(|(id, known)| (*id, known.clone()))
            .collect();
        self.vary(&inner.body, self.depth() + 1);
        let outer_turns = self.turns.clone();
        for id in exchanged(&inner.body, self.effects) {
            if self.is_index(id) {
                self.turns.insert(id);
            }
            match before.get(&id) {
                Some(known) => self.symbols.known.insert(id, known.clone()),
                None => self.symbols.known.remove(&id),
            };
        }
        self.symbols.known.extend(advancing);
        let outer_halting = self.symbols.halting.clone();
        self.symbols.halting.extend(&conditional);
        let outer_conditional = std::mem::replace(&mut self.conditional, conditional);
        let ends = self.find_end(inner, &mut header, &before);
        let cut = self.end_at_exits((inner, &before), &mut header);
        self.forget_wrapped(&moved, &header);
        self.drop_estimates(inner, &mut header, ends);
        self.cut_short(inner, &mut header, ends);
        let Header {
            variable,
            lower,
            upper,
            step,
            has_range,
            start,
            mut reasons,
            ..
        } = header;
        for id in halting
            .into_iter()
            .filter(|id| moves_through_arrays(&inner.body, *id))
        {
            let detail = format!("`{}`", self.function().variable(id).name);
            reasons.push((ReasonCode::ConditionalStep, detail));
        }
        let bounds = (variable, lower, upper, step);
        let started = counter.zip(start);
        if let Some((id, start)) = &started {
            self.symbols.starts.insert(*id, start.clone());
            if let Some(compared) = &mut compared {
                compared.symbols.starts.insert(*id, start.clone());
            }
        }
        let begins = match &started {
            Some((_, Start::Exact(by))) => by.clone(),
            _ => Expr::from(0.0),
        };
        let left = if (has_range || counts_rounds(inner)) && ends == Ends::AtBound {
            let left = after(&inner.control, &bounds, (counter, begins), moved);
            self.fitted(left)
        } else {
            Vec::new()
        };
        self.compared = compared;
        if cut != Cut::Nothing {
            let is_sure = self.on_data.iter().all(|branches| *branches == 0);
            self.leave_all_loops(if is_sure {
                Ended::Surely
            } else {
                Ended::Perhaps
            });
        }
        let is_left = ends == Ends::AtBoundOrBefore || cut == Cut::InIteration;
        let exits_early = self.loop_body(inner, counter, bounds, (&reasons, is_left), block);
        if let Some((id, _)) = started {
            self.symbols.starts.remove(&id);
        }
        self.symbols.halting = outer_halting;
        self.conditional = outer_conditional;
        self.turns = outer_turns;
        self.symbols.known = before;
        self.vary(&inner.body, self.depth());
        if let Control::Counted { variable, .. } = &inner.control {
            self.changes(*variable, self.depth());
        }
        if !exits_early {
            self.symbols.known.extend(left);
        }
    }

    pub(super) fn stored_in(&self, body: &[ir::Stmt]) -> BTreeSet<VarId> {
        gathers::stored_in(body, (self.symbols.function, self.effects), &self.changing)
    }

    /// Values of variables as their types hold them.
    fn fitted(&self, mut values: Vec<(VarId, Known)>) -> Vec<(VarId, Known)> {
        for (id, known) in &mut values {
            if let Known::Is(expr) = known
                && self.is_index(*id)
            {
                let ty = &self.function().variable(*id).ty;
                *expr = self.symbols.fitted(ty, expr.clone());
            }
        }
        values
    }

    /// Variables that begin again in a loop, as their types do not hold what it adds, have no expression over its iterations.
    fn forget_wrapped(&mut self, moved: &[(VarId, Known)], header: &Header) {
        if !header.has_range {
            return;
        }
        let counted = Counted {
            variable: header.variable.clone(),
            lower: header.lower.clone(),
            upper: header.upper.clone(),
            step: header.step.clone(),
        };
        for (id, known) in moved {
            let ty = &self.function().variable(*id).ty;
            if let (Known::Is(expr), Type::Integer(1..=2, _)) = (known, ty)
                && !self.symbols.holds_all(ty, expr, &counted)
            {
                self.changes(*id, self.depth() + 1);
            }
        }
    }

    /// What the bounds of a loop load and call when it begins.
    fn read_bounds(&mut self, inner: &ir::Loop, block: &mut Block) {
        let Control::Counted {
            lower, upper, step, ..
        } = &inner.control
        else {
            return;
        };
        [lower, upper, step]
            .into_iter()
            .for_each(|bound| self.reads_in_bound(&inner.place, bound, block));
        // In C, what the end calls stands before the loop and in its body.
        let at_entry = match self.function().conventions.loop_ends {
            LoopEnds::AtEntry => &[lower, upper, step][..],
            LoopEnds::EachIteration => &[lower],
        };
        for bound in at_entry {
            self.calls_in_bound(&inner.place, bound, block);
        }
    }

    /// What a bound loads again whenever the loop begins: elements that the loops around choose, `rows[i + 1]`.
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

    /// The procedures that a bound calls when the loop begins.
    fn calls_in_bound(&mut self, place: &Place, bound: &Value, block: &mut Block) {
        match bound {
            Value::Call { name, .. }
                if matches!(
                    self.effects.target(name),
                    Target::Body(_) | Target::Recursive(_)
                ) =>
            {
                self.reads_in(place, bound, block);
            }
            _ => visit::each_part(bound, &mut |part| self.calls_in_bound(place, part, block)),
        }
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

    /// Where counters of the program stand before the one loop of a run that counts them.
    fn start_counters(&mut self, inner: &ir::Loop) {
        if self.depth() > 0 {
            return;
        }
        for induction in inductions(&inner.body, self.effects) {
            let id = induction.variable;
            let is_known = matches!(self.symbols.known.get(&id), Some(Known::Is(_)));
            if !is_known && let Some(start) = self.sizes.start(self.procedure, self.function(), id)
            {
                let start = Known::Is(Expr::from(start));
                self.symbols.known.insert(id, start);
            }
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
    pub(super) fn advancing(
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
        for induction in inductions(&inner.body, self.effects) {
            let id = induction.variable;
            let grows = induction.amounts.iter().any(counts_on);
            let amounts = induction
                .amounts
                .iter()
                .map(|amount| self.symbols.expression(amount));
            let Some(amounts) = amounts.collect::<Option<Vec<Expr>>>() else {
                continue;
            };
            let grows = grows || amounts.iter().any(|amount| amount.mentions(counter));
            let amount = Expr::sum(amounts).expand();
            let moved = match grows {
                false => per_iteration(&amount, counter, lower, step),
                // Those of the rows of packed triangles.
                true if !induction.conditional => growing(&amount, counter, lower, step),
                true => None,
            };
            let Some(moved) = moved else {
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

    /// The variables that every iteration of a loop advances by the same.
    fn advanced_evenly(&self, inner: &ir::Loop, counter: Option<VarId>) -> BTreeSet<VarId> {
        let is_same = |amount: &Value| {
            let mut used = BTreeSet::new();
            variables_of(amount, &mut used);
            counter.is_none_or(|counter| !used.contains(&counter))
        };
        let all = inductions(&inner.body, self.effects).into_iter();
        let evenly = all.filter(|one| !one.conditional && one.amounts.iter().all(is_same));
        evenly.map(|one| one.variable).collect()
    }

    /// An induction variable that the loop has moved by an amount since it was entered.
    fn entry(&mut self, id: VarId, moved: Expr) -> Option<Known> {
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
        let symbol = Symbol::source(&variable.name);
        let entry = match (known, stride) {
            (Some(Known::Is(expr)), _) => expr.clone(),
            (Some(_), Some(stride)) => Expr::from(symbol) + stride,
            (Some(_), None) => Expr::from(symbol),
            // It still has what calls pass.
            (None, _) => {
                if variable.role == Role::Argument {
                    let mentioned = self.symbols.mentioned.entry(symbol.clone());
                    mentioned.or_insert(Value::Variable(id));
                }
                Expr::from(symbol)
            }
        };
        Some(Known::Is(entry + moved))
    }

    /// What a call statement comes to.
    fn called(&self, statement: &ir::Stmt) -> Called {
        match statement {
            ir::Stmt::Call { place, name, .. } => {
                match self.effects.origins.is_expanded(place, name) {
                    true => Called::Replaced,
                    false if self.effects.ends_program(name) => Called::Ends,
                    false => Called::Other,
                }
            }
            _ => Called::Other,
        }
    }

    /// What the core does in the loop that is walked, which has none inside.
    fn in_core(
        &self,
        inner: &ir::Loop,
        counter: Counter,
        (compared, advanced): (Option<&Compared>, &BTreeSet<VarId>),
    ) -> InCore {
        // A statement on whole arrays waits for none of its own values: compilers reverse it, or keep them apart.
        let compared = compared.filter(|_| inner.evaluation == Evaluation::InTurn);
        let (_, around) = self.symbols.levels.split_last().expect("this loop");
        let outer = counters(around);
        chains::in_core(
            self.function(),
            &inner.body,
            (counter, &outer),
            (compared, advanced),
            Asked {
                called: &|statement| self.called(statement),
                set_around: &|id| sets_around(id, &self.around),
            },
        )
    }

    fn loop_body(
        &mut self,
        inner: &ir::Loop,
        counter: Option<VarId>,
        (variable, lower, upper, step): (String, Expr, Expr, Expr),
        (reasons, is_left): (&[(ReasonCode, String)], bool),
        block: &mut Block,
    ) -> bool {
        self.symbols.loops.extend(counter);
        // Procedures that get its place must not change it.
        if let Some(id) = counter.filter(|id| self.handed_to_unknown.contains(id)) {
            self.symbols.known.remove(&id);
        }
        let has_unit_step = step.as_integer().is_some_and(|step| step.abs() == 1);
        let counted = Counted {
            variable: variable.clone(),
            lower: lower.clone(),
            upper: upper.clone(),
            step: step.clone(),
        };
        self.symbols.levels.push(Level {
            counter,
            has_unit_step,
            counted,
            advanced: advanced(&inner.body, self.effects),
            stored: self.stored_in(&inner.body),
        });
        self.around
            .push(Around::of(inner, self.symbols.function, self.effects));
        self.exits.push(is_left);
        self.on_data.push(0);
        let mut body = Block::default();
        for (code, detail) in reasons {
            self.reason(&mut body, &inner.place, *code, detail.clone());
        }
        if let Control::Uncounted {
            condition: Some(condition),
            ..
        } = &inner.control
        {
            // Evaluated once per iteration: part of the body.
            self.read(&inner.place, condition, &mut body);
        }
        let in_sequence = std::mem::replace(&mut self.in_sequence, holds_sequence(&inner.body));
        self.statements(&inner.body, &mut body);
        self.in_sequence = in_sequence;
        let run = bodies::without_replaced(inner, &self.effects.origins);
        let compared = self.compared.take();
        let advanced = self.advanced_evenly(inner, counter);
        let in_core = (body.loops().is_empty()).then(|| {
            let counter = Counter {
                id: counter,
                name: &variable,
                step: &step,
                range: (&lower, &upper),
            };
            self.in_core(inner, counter, (compared.as_deref(), &advanced))
        });
        self.symbols.levels.pop();
        self.around.pop();
        self.on_data.pop();
        if counter.is_some() {
            self.symbols.loops.pop();
        }
        let exits_early = self.exits.pop().unwrap_or(false);
        let variable = match inner.control {
            Control::Counted { .. } => LoopVariable::of_source(variable),
            _ if mentions(&body, &variable) => LoopVariable::of_iterations(variable),
            _ => LoopVariable::default(),
        };
        if self.depth() == 0 {
            self.shape_streams(&mut body);
        }
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
            is_serial: false,
            needs: self.steady.needs_of_loop(inner, &self.around),
            exits_early,
            tests_last: inner.control.is_tested_last(),
            steps_time: self.steps_time(inner),
            beside: Beside::default(),
            registers,
            in_core,
            repeated,
            body,
        })));
        exits_early
    }

    /// Rows and components of the streams of an outermost loop.
    fn shape_streams(&self, body: &mut Block) {
        wide_rows::widen(body, &self.symbols.flattened);
        references::split_components(body);
    }
}

/// Whether a variable says which elements statements access: it stands in their subscripts, or is a pointer to them.
fn moves_through_arrays(body: &[ir::Stmt], id: VarId) -> bool {
    let mut found = false;
    visit::statements(body, visit::InLoop::Yes, &mut |statement, _| {
        visit::values_of(statement, &mut |value| {
            if let Value::Element {
                array, subscripts, ..
            } = value
            {
                let mut used = BTreeSet::from([*array]);
                subscripts.iter().for_each(|s| variables_of(s, &mut used));
                found |= used.contains(&id);
            }
        });
    });
    found
}

/// Whether a number is less the larger some symbol in it is.
fn falls_with_a_size(number: &Expr) -> bool {
    let symbols = number.symbols();
    let names: Vec<&Symbol> = symbols.iter().collect();
    let coefficients = number.linear_in(&names).map(|linear| linear.coefficients);
    coefficients.is_some_and(|all| {
        let mut numbers = all.iter().filter_map(Expr::as_number);
        numbers.any(|number| number < 0.0)
    })
}

/// What the variable of a loop and those that it advances hold after its last iteration. A loop from zero or one on is
/// taken to run as far as its end, any other to run or not; so is one that only its body counts and whose rounds are
/// fewer the larger something is, as those of `while (len < 2)` are.
fn after(
    control: &Control,
    (variable, lower, upper, step): &(String, Expr, Expr, Expr),
    (counter, begins): (Option<VarId>, Expr),
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
    let begins_low = matches!((lower.as_integer(), by), (Some(0 | 1), 1..));
    let may_not_run = matches!(control, Control::Uncounted { .. }) && falls_with_a_size(&rounds);
    let runs = begins_low && !may_not_run || rounds.as_number().is_some_and(|n| n >= 0.0);
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
    let last_value = (end.clone() + begins).expand();
    let counted = counter.map(|id| (id, Known::Is(last_value.clone())));
    let all = moved
        .into_iter()
        .filter_map(|(id, known)| Some((id, last(known)?)));
    all.chain(counted.filter(|_| last_value.symbols().len() <= MOST_SYMBOLS))
        .collect()
}

/// Whether a loop that ends by data computes with scalars alone, so that what it counts are its rounds, as many as it has:
/// `do while (x >= 0.1); n = n + 1; x = x/4`. What reads or walks through data may have counted these to say how many there are.
fn counts_rounds(inner: &ir::Loop) -> bool {
    let Control::Uncounted {
        condition: Some(condition),
        ..
    } = &inner.control
    else {
        return false;
    };
    let mut is_plain = true;
    let mut look = |value: &Value| is_plain &= !matches!(value, Value::Element { .. });
    visit::each_value(condition, &mut look);
    visit::statements(&inner.body, InLoop::No, &mut |stmt, _| {
        visit::values_of(stmt, &mut look);
    });
    visit::statements(&inner.body, InLoop::No, &mut |stmt, _| {
        is_plain &= matches!(stmt, Stmt::Assign { .. } | Stmt::If(_));
        visit::calls_of(stmt, &mut |_, _| is_plain = false);
    });
    is_plain
}

/// The variables that loops count with, outermost first.
fn counters(levels: &[Level]) -> Vec<Counter<'_>> {
    (levels.iter())
        .filter(|level| level.counter.is_some())
        .map(|level| Counter {
            id: level.counter,
            name: &level.counted.variable,
            step: &level.counted.step,
            range: (&level.counted.lower, &level.counted.upper),
        })
        .collect()
}
