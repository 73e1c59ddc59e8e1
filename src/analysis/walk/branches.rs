//! Branches, and what is known of variables where their sides meet again.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Undecided, Walker, leaving, parts, records, refills};
use crate::alternatives::either;
use crate::calls::Target;
use crate::counted_loop::Counted;
use crate::coverage;
use crate::diagnostic::Place;
use crate::expr::{Expr, Symbol};
use crate::facts::{Asks, Block, Branch, Constant, Decision, Guard, Item, Origin, Parted, Share};
use crate::gathers::{self, Loops};
use crate::guards;
use crate::ir::visit::{each_part_mut, each_value, variables_of};
use crate::ir::{
    self, BinaryOp, Function, Operands, Printed, Quantifier, Role, Stmt, Type, UnaryOp, Value,
    VarId,
};
use crate::sizes::Turn;
use crate::symbolic::{compared_by, limited};
use crate::symbols::Known;
use crate::wrapped;

/// How often a branch is taken as a rule, and whether that is assumed or a guess.
pub(super) type Usual<'u> = &'u dyn Fn(&Walker) -> Option<(Expr, Origin)>;

impl Walker<'_> {
    /// Adds a branch; how often control gets behind it.
    pub(super) fn branch(
        &mut self,
        branch: &ir::If,
        then: &[Stmt],
        otherwise: &[Stmt],
        block: &mut Block,
    ) -> Expr {
        let arms = [then, otherwise];
        if let Some(parts) = self.parts_of(branch, arms) {
            return self.branch_in_parts(branch, parts, arms, block);
        }
        let then_cycles = std::mem::take(&mut self.then_cycles);
        self.read(&branch.place, &branch.condition, block);
        self.then_cycles = then_cycles;
        self.branch_that_is_read(branch, arms, block)
    }

    /// The same where what the condition reads is counted already.
    pub(super) fn branch_that_is_read(
        &mut self,
        branch: &ir::If,
        arms: [&[Stmt]; 2],
        block: &mut Block,
    ) -> Expr {
        let choice = self.guessed_choice(branch);
        let rare = self.rare_share(branch, arms);
        let usual = |walker: &Walker| {
            let expected = || Some((walker.expected_to_pass_over(branch, arms)?, Origin::Assumed));
            let usual = walker.usual(branch, arms).or_else(expected);
            usual.or_else(|| rare.clone()).or_else(|| choice.clone())
        };
        self.branch_as(branch, arms, &usual, block)
    }

    /// Adds what `c ? a : b` evaluates: the condition, and one of the other two.
    pub(super) fn choice(
        &mut self,
        place: &Place,
        (value, [condition, then, otherwise]): (&Value, [&Value; 3]),
        block: &mut Block,
    ) {
        let ty = value.ty(self.function());
        let arm = |arm: &Value| {
            let is_converted = ty.is_floating() && arm.ty(self.function()) != ty;
            let value = match is_converted {
                true => Value::Convert(ty.clone(), Box::new(arm.clone())),
                false => arm.clone(),
            };
            evaluated(place, value)
        };
        let branch = ir::If {
            place: place.clone(),
            condition: condition.clone(),
            then: arm(then),
            otherwise: arm(otherwise),
        };
        // The branch has copies of its elements.
        if let Some(compared) = &mut self.compared {
            each_value(value, &mut |part| compared.reach(part));
        }
        self.branch(&branch, &branch.then, &branch.otherwise, block);
        if let Some(Item::Branch(added)) = block.items.last_mut() {
            // Lines do not tell its arms apart.
            (added.then_lines, added.otherwise_lines) = (None, None);
        }
    }

    /// Adds what `a && b` and `a || b` evaluate behind `a`, where that is read already.
    pub(super) fn perhaps(
        &mut self,
        place: &Place,
        (op, left, right): (BinaryOp, &Value, &Value),
        block: &mut Block,
    ) {
        let arm = evaluated(place, right.clone());
        let [then, otherwise] = match op {
            BinaryOp::And => [arm, Vec::new()],
            _ => [Vec::new(), arm],
        };
        let branch = ir::If {
            place: place.clone(),
            condition: left.clone(),
            then,
            otherwise,
        };
        self.parts_asked += 1;
        self.branch_that_is_read(&branch, [&branch.then, &branch.otherwise], block);
        self.parts_asked -= 1;
        if let Some(Item::Branch(added)) = block.items.last_mut() {
            (added.then_lines, added.otherwise_lines) = (None, None);
        }
    }

    /// Whether the right side of an operator calls procedures of the program only where the left side says so.
    pub(super) fn depends_on_left(&self, op: BinaryOp, right: &Value) -> bool {
        matches!(op, BinaryOp::And | BinaryOp::Or) && self.calls_bodies(right)
    }

    /// Whether a value that is not always evaluated calls procedures of the program.
    pub(super) fn calls_bodies(&self, value: &Value) -> bool {
        if self.function().conventions.operands == Operands::All {
            return false;
        }
        let mut found = false;
        each_value(value, &mut |part| {
            if let Value::Call { name, .. } = part {
                found |= match self.effects.target(name) {
                    Target::Body(_) | Target::Recursive(_) => true,
                    Target::Unknown => !self.effects.candidates(name).is_empty(),
                    Target::Library(_) | Target::Communication(_) => false,
                };
            }
        });
        found
    }

    /// What of a value is evaluated in any case: without what [`perhaps`](Self::perhaps) counts apart.
    pub(super) fn always_evaluated<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        let mut holds_apart = false;
        each_value(value, &mut |part| {
            if let Value::Binary(op, _, right) = part {
                holds_apart |= self.depends_on_left(*op, right);
            }
        });
        match holds_apart {
            true => Cow::Owned(without(value, &|op, right| self.depends_on_left(op, right))),
            false => Cow::Borrowed(value),
        }
    }

    /// The same of one of which an arm leaves the procedure: the other one holds what is behind the branch.
    pub(super) fn leaving_branch(
        &mut self,
        branch: &ir::If,
        arms: [&[Stmt]; 2],
        rest: &[Stmt],
        block: &mut Block,
    ) -> Expr {
        let choice = self.guessed_choice(branch);
        self.read(&branch.place, &branch.condition, block);
        let usual = |walker: &Walker| {
            let own = [&branch.then[..], &branch.otherwise[..]];
            let expected = || Some((walker.expected(branch, rest)?, Origin::Assumed));
            let usual = walker.usual(branch, own).or_else(expected);
            usual.or_else(|| choice.clone())
        };
        self.branch_as(branch, arms, &usual, block)
    }

    /// Adds what is behind a branch or a loop in which the procedure may return, so that only a share of its runs gets there.
    pub(super) fn guarded(
        &mut self,
        share: Expr,
        origin: Origin,
        rest: &[Stmt],
        block: &mut Block,
    ) -> Expr {
        let line = rest.first().map_or(0, |first| first.place().line);
        let usual = Symbol::probability(self.symbols.own_name, line, None);
        let probability = self.free_probability(&usual, &share);
        let constant = Constant {
            symbol: probability.clone(),
            value: share.clone(),
            origin,
        };
        self.symbols.constants.insert(probability.clone(), constant);
        let (then, stays) = self.block_and_share(rest);
        block.items.push(Item::Branch(Box::new(Branch {
            line,
            condition: "the procedure has not returned".to_string(),
            probability,
            decision: Decision::Data,
            loops: None,
            parts: None,
            asks: Asks::All,
            then,
            otherwise: None,
            // The branch has no line of its own with which to compare them.
            then_lines: None,
            otherwise_lines: None,
        })));
        share * stays
    }

    /// How often a branch is taken as a rule, by what its arms do.
    fn usual(&self, branch: &ir::If, [then, otherwise]: [&[Stmt]; 2]) -> Option<(Expr, Origin)> {
        let arms = (then, otherwise);
        if let Some(holds) = self.expected_of_numbers(&branch.condition) {
            return Some((Expr::from(f64::from(u8::from(holds))), Origin::Assumed));
        }
        let origin = match self.depth() {
            0 => Origin::Assumed,
            _ => Origin::Default,
        };
        let ends = |name: &str| self.effects.ends_program(name);
        if let Some(taken) = leaving::ends_program(arms, &self.symbols.levels, &ends)
            && self.asks_for_option(&branch.condition)
        {
            return Some((Expr::from(f64::from(u8::from(!taken))), Origin::Assumed));
        }
        let around = (&self.symbols.levels[..], self.function().is_main);
        leaving::share(arms, around, &ends)
            .map(|share| (share, origin))
            .or_else(|| {
                let share = records::share(&self.symbols, &branch.condition, arms)?;
                Some((share, Origin::Default))
            })
    }

    /// The share of a branch on options that nothing seems to change, or that is one of several on one number, which is a
    /// guess; not the one that any branch gets.
    fn guessed_choice(&mut self, branch: &ir::If) -> Option<(Expr, Origin)> {
        let (procedure, function) = (self.procedure, self.function());
        let usual = self
            .sizes
            .usual_truth(procedure, function, &branch.condition);
        if let Some(holds) = usual {
            return Some((Expr::from(f64::from(u8::from(holds))), Origin::Default));
        }
        let condition = &branch.condition;
        let pointing = self.sizes.share_of_pointing(procedure, function, condition);
        let share = match pointing {
            Some(share) => Expr::from(share),
            None => self.share_of_choice(branch)?,
        };
        (share.as_number() != Some(0.5)).then_some((share, Origin::Default))
    }

    /// The share of a branch that is taken from time to time, which is a guess.
    fn rare_share(
        &mut self,
        branch: &ir::If,
        [then, otherwise]: [&[Stmt]; 2],
    ) -> Option<(Expr, Origin)> {
        let function = self.function();
        let meaning = |name: &str| self.effects.target(name).meaning();
        let is_real = |value: &Value| value.ty(function).is_floating();
        let changes = |id: VarId| self.changes_in_loops(id);
        let of_time = refills::share_of_time(&branch.condition, &meaning, &is_real, &changes);
        let arms = (then, otherwise);
        let share = of_time
            .or_else(|| refills::share(&mut self.symbols, &branch.condition, arms, &function.body));
        let share = share.or_else(|| self.share_of_output([then, otherwise]))?;
        Some((share, Origin::Default))
    }

    fn branch_as(
        &mut self,
        branch: &ir::If,
        [then, otherwise]: [&[Stmt]; 2],
        usual: Usual,
        block: &mut Block,
    ) -> Expr {
        let then_cycles = std::mem::take(&mut self.then_cycles);
        self.decides(&branch.condition, block);
        let before = self.symbols.known.clone();
        let compared_before = self.compared_known();
        let answered = self.answered(&branch.condition);
        let answers = self.answer(&branch.condition, true, then);
        let asked = match self.asks_for_turns(&branch.condition) {
            true => None,
            false => guards::asked(&mut self.symbols, &branch.condition),
        };
        let conditions = self.conditions.len();
        let on_data = match &asked {
            Some(guard) => self.asks_open_counter(&branch.condition, guard),
            None => true,
        };
        let on_data = u32::from(on_data);
        if let Some(branches) = self.on_data.last_mut() {
            *branches += on_data;
        }
        self.conditions.extend(asked.clone());
        let unexpected = [true, false].map(|holds| self.is_unexpected(branch, holds));
        self.unexpected += u32::from(unexpected[0]);
        let (then_block, after_then_share) = self.block_and_share(then);
        self.unexpected -= u32::from(unexpected[0]);
        self.conditions.truncate(conditions);
        self.forget(answers);
        let after_then = std::mem::replace(&mut self.symbols.known, before.clone());
        let compared_then = self.compared_from(compared_before);
        let (otherwise_block, after_otherwise_share) = match otherwise.is_empty() {
            true => (None, Expr::from(1.0)),
            false => {
                let answers = self.answer(&branch.condition, false, otherwise);
                self.conditions.extend(asked.map(Guard::negated));
                self.unexpected += u32::from(unexpected[1]);
                let (block, share) = self.block_and_share(otherwise);
                self.unexpected -= u32::from(unexpected[1]);
                self.conditions.truncate(conditions);
                self.forget(answers);
                (Some(block), share)
            }
        };
        if let Some(branches) = self.on_data.last_mut() {
            *branches -= on_data;
        }
        let after_otherwise = std::mem::replace(&mut self.symbols.known, before);
        let clamps = self.clamps(&branch.condition, &after_then, &after_otherwise);
        let blocks = [Some(&then_block), otherwise_block.as_ref()];
        // Outside of loops, whatever its arms do with what the condition asks for comes later.
        let is_decided_first = self.depth() == 0;
        let asked = (answered, usual);
        let decided =
            is_decided_first.then(|| self.decision(branch, ([then, otherwise], asked), blocks));
        self.vary(then, self.depth());
        self.vary(otherwise, self.depth());
        self.join(after_then, after_otherwise, clamps);
        self.join_compared(compared_then);
        let (probability, decision) = match decided {
            Some(decided) => decided,
            None => self.decision(branch, ([then, otherwise], asked), blocks),
        };
        let after_then_share = match then_cycles {
            true => Expr::from(0.0),
            false => after_then_share,
        };
        let shares = [after_then_share, after_otherwise_share];
        let stays = leaving::stays(&probability, shares);
        let (decision, loops) = self.decided_in(&branch.condition, decision);
        let parts = self.parts_changed_in(&branch.condition, &decision);
        block.items.push(Item::Branch(Box::new(Branch {
            line: branch.place.line,
            condition: self.symbols.text(&branch.condition),
            probability,
            decision,
            loops,
            parts,
            asks: Asks::All,
            then: then_block,
            otherwise: otherwise_block,
            then_lines: ir::lines(then),
            otherwise_lines: ir::lines(otherwise),
        })));
        stays
    }

    /// The loops around that may give a condition another answer in each iteration, where some of them do not. What none of
    /// them changes goes one way in all iterations.
    pub(super) fn decided_in(
        &self,
        condition: &Value,
        decision: Decision,
    ) -> (Decision, Option<Loops>) {
        if !matches!(decision, Decision::Data | Decision::Loops(_)) || self.depth() == 0 {
            return (decision, None);
        }
        let loops = gathers::changes(&self.symbols, condition);
        match decision {
            Decision::Data if loops.is_empty() => (Decision::Fixed, None),
            decision => (decision, (loops.len() < self.depth()).then_some(loops)),
        }
    }

    /// The parts of a condition on data, if they do not all change in the same loops. One that nothing changes is left to the
    /// others.
    pub(super) fn parts_changed_in(
        &self,
        condition: &Value,
        decision: &Decision,
    ) -> Option<Parted> {
        if *decision != Decision::Data {
            return None;
        }
        let loops = |(part, _): &parts::Part| gathers::changes(&self.symbols, part);
        let of = |holds: Quantifier| {
            let parts = parts::all_of(condition, holds == Quantifier::All);
            let loops: Vec<Loops> = parts.iter().map(loops).filter(|l| !l.is_empty()).collect();
            let differ = loops.windows(2).any(|two| two[0] != two[1]);
            differ.then_some(Parted { holds, loops })
        };
        of(Quantifier::All).or_else(|| of(Quantifier::Any))
    }

    /// The parameter that holds how often a branch is taken, and what decides that.
    pub(super) fn decision(
        &mut self,
        branch: &ir::If,
        ([then, otherwise], (answered, usual_share)): ([&[Stmt]; 2], (Option<bool>, Usual)),
        blocks: [Option<&Block>; 2],
    ) -> (Symbol, Decision) {
        let written_in = self
            .effects
            .origins
            .written_in(&branch.place)
            .unwrap_or(self.symbols.own_name);
        let outcome = answered.or_else(|| truth(&branch.condition, self.function(), 32));
        let usual = Symbol::probability(written_in, branch.place.line, outcome);
        let turn = self.sizes.turn(&branch.place).filter(|_| outcome.is_none());
        if let Some(Turn::Once(taken) | Turn::Perhaps(taken)) = turn {
            let probability = self.own_probability(&usual);
            if matches!(turn, Some(Turn::Perhaps(_))) {
                self.guess(&probability);
                return (probability, Decision::PerhapsOnce(taken));
            }
            return (probability, Decision::Once(taken));
        }
        let mut decision = match outcome {
            Some(_) => Decision::Fixed,
            None if self.asks_for_turns(&branch.condition) => Decision::Data,
            None => guards::decision(&mut self.symbols, &branch.condition),
        };
        let excluded = self.excluded(&branch.condition);
        let share = match (&decision, outcome) {
            (_, Some(is_taken)) => Some(Expr::from(f64::from(u8::from(is_taken)))),
            (Decision::Guard(guard), None) => self.share_of_guard(guard),
            (
                Decision::Data | Decision::Loops(_) | Decision::Once(_) | Decision::PerhapsOnce(_),
                None,
            ) => {
                let asked = (&branch.condition, excluded, &decision);
                let share = guards::periodic_share(&mut self.symbols, asked);
                if let (Decision::Loops(how), Some((_, known))) = (&mut decision, &share) {
                    *how = *known;
                }
                share.map(|(share, _)| share)
            }
            // Whatever its sizes are, nobody expects a run to go wrong.
            (Decision::Fixed, None) if self.ends_with_failure(branch) => None,
            (Decision::Fixed, None) => {
                let sizes = sizes_in(blocks.into_iter().flatten());
                let is_size = |symbol: &Symbol| sizes.contains(symbol);
                let share = guards::share_of_sizes(&mut self.symbols, &branch.condition, &is_size);
                share.filter(|_| !self.may_be_reset(&branch.condition))
            }
        };
        let Some(value) = share else {
            let truth = match turn {
                Some(Turn::Always(truth)) => Some(truth),
                _ => (self.sizes).truth(self.procedure, self.function(), &branch.condition),
            };
            let probability = self.undecided_probability(&usual, truth);
            let of_line = usual;
            let arms = (then, otherwise);
            let usual = usual_share(self).or_else(|| {
                let share = self.guessed_period(&branch.condition, &decision)?;
                (share.as_number() != Some(0.5)).then_some((share, Origin::Default))
            });
            self.undecided.push(Undecided {
                probability: probability.clone(),
                of_line,
                condition: branch.condition.clone(),
                excluded,
                truth,
                decision: decision.clone(),
                usual,
            });
            let ends = |name: &str| self.effects.ends_program(name);
            let ended = leaving::ends_program(arms, &self.symbols.levels, &ends);
            let decision = match (ended, decision) {
                (Some(taken), _) if truth.is_none() => Decision::Once(taken),
                (_, Decision::Guard(_)) => Decision::Loops(Share::Estimated),
                (_, other) => other,
            };
            return (probability, decision);
        };
        let origin = match outcome.filter(|_| answered.is_none()) {
            Some(_) => Origin::Constant,
            // That data leave each remainder as often is a guess.
            None if decision == Decision::Data => Origin::Default,
            None => Origin::Derived,
        };
        (self.known_probability(&usual, value, origin), decision)
    }

    /// The parameter of a branch of which it is known how often it is taken.
    fn known_probability(&mut self, usual: &Symbol, value: Expr, origin: Origin) -> Symbol {
        let probability = self.free_probability(usual, &value);
        let constant = Constant {
            symbol: probability.clone(),
            value,
            origin,
        };
        self.symbols.constants.insert(probability.clone(), constant);
        probability
    }

    /// The parameter of a part of a condition that is the same in all iterations, which no other branch has: with a value if it
    /// asks for the sizes of loops around it or in it.
    pub(super) fn decision_of_option(
        &mut self,
        branch: &ir::If,
        then: &Block,
    ) -> (Symbol, Decision) {
        let mut sizes = sizes_in(std::iter::once(then));
        for level in &self.symbols.levels {
            sizes.extend(level.counted.lower.symbols());
            sizes.extend(level.counted.upper.symbols());
        }
        let is_size = |symbol: &Symbol| sizes.contains(symbol);
        let share = guards::share_of_sizes(&mut self.symbols, &branch.condition, &is_size);
        if let Some(share) = share.filter(|_| !self.may_be_reset(&branch.condition)) {
            let written_in = self.effects.origins.written_in(&branch.place);
            let written_in = written_in.unwrap_or(self.symbols.own_name);
            let usual = Symbol::probability(written_in, branch.place.line, None);
            let probability = self.known_probability(&usual, share, Origin::Derived);
            return (probability, Decision::Fixed);
        }
        let others: Vec<Symbol> = (self.undecided.iter())
            .map(|other| &other.probability)
            .filter(|other| !self.once.contains(*other))
            .cloned()
            .collect();
        self.once.extend(others.iter().cloned());
        let choice = self.guessed_choice(branch);
        let usual = |_: &Walker| choice.clone();
        let found = self.decision(branch, ([&[], &[]], (None, &usual)), [Some(then), None]);
        others.iter().for_each(|other| {
            self.once.remove(other);
        });
        self.once.insert(found.0.clone());
        found
    }

    /// In how many of the iterations that conditions around leave a condition on loops holds.
    pub(super) fn share_of_guard(&self, guard: &Guard) -> Option<Expr> {
        let loops: Vec<&Counted> = self.symbols.levels.iter().map(|l| &l.counted).collect();
        let around = guard.related(&self.conditions, &loops);
        match around.is_empty() {
            true => guard.share(&loops),
            false => guard.share_where(&around, &loops),
        }
    }

    /// Whether a condition asks for a counter of which it is not known where it stands.
    fn asks_open_counter(&self, condition: &Value, guard: &Guard) -> bool {
        let mut used = BTreeSet::new();
        variables_of(condition, &mut used);
        let is_counter = |id: &VarId| {
            let mut levels = self.symbols.levels.iter();
            !self.symbols.loops.contains(id) && levels.any(|level| level.advanced.contains(id))
        };
        let is_known = || {
            let share = self.share_of_guard(guard);
            share.is_some_and(|share| self.known_number(&share).is_some())
        };
        used.iter().any(is_counter) && !is_known()
    }

    /// Notes that a probability is nothing but a guess.
    fn guess(&mut self, probability: &Symbol) {
        let guess = Constant {
            symbol: probability.clone(),
            value: Expr::from(0.5),
            origin: Origin::Default,
        };
        self.symbols.constants.insert(probability.clone(), guess);
    }

    /// Whether a value rests on variables that take turns in the loops around.
    pub(super) fn asks_for_turns(&self, value: &Value) -> bool {
        let mut used = BTreeSet::new();
        if !self.turns.is_empty() {
            variables_of(value, &mut used);
        }
        used.into_iter().any(|id| self.turns.contains(&id))
    }

    /// Whether a value rests on the last one that the function itself gives a variable, and a procedure without a body may
    /// give it another one.
    fn may_be_reset(&mut self, value: &Value) -> bool {
        let mut used = BTreeSet::new();
        variables_of(value, &mut used);
        used.into_iter().any(|id| {
            let known = |known: Expr| known.symbols().is_empty();
            self.handed_out.contains(&id)
                && self
                    .symbols
                    .expression(&Value::Variable(id))
                    .is_some_and(known)
        })
    }

    /// The name of a probability, or the same with a number where another branch of the line has another value.
    fn free_probability(&self, usual: &Symbol, value: &Expr) -> Symbol {
        self.first_free(usual, |symbol| {
            let known = self.symbols.constants.get(symbol).map(|known| &known.value);
            known == Some(value) || self.is_free(symbol)
        })
    }

    /// The same of a branch that neither literals nor loops decide: others of the line that the options of the program
    /// decide in the same way, or not at all, have its probability.
    fn undecided_probability(&self, usual: &Symbol, truth: Option<bool>) -> Symbol {
        let is_alike = |other: &&Undecided| {
            other.of_line == *usual && other.truth == truth && self.is_own(&other.probability)
        };
        match self.undecided.iter().find(is_alike) {
            Some(alike) => alike.probability.clone(),
            None => self.first_free(usual, |symbol| self.is_free(symbol)),
        }
    }

    /// The same of a branch whose probability no other one has.
    fn own_probability(&mut self, usual: &Symbol) -> Symbol {
        let found = self.first_free(usual, |symbol| self.is_free(symbol));
        self.once.insert(found.clone());
        found
    }

    /// Whether a name is none of a probability that is known, or that one branch has alone.
    fn is_own(&self, symbol: &Symbol) -> bool {
        !self.symbols.constants.contains_key(symbol) && !self.once.contains(symbol)
    }

    /// Whether no branch has a probability of that name.
    fn is_free(&self, symbol: &Symbol) -> bool {
        self.is_own(symbol) && (self.undecided.iter()).all(|other| other.probability != *symbol)
    }

    fn first_free(&self, usual: &Symbol, is_free: impl Fn(&Symbol) -> bool) -> Symbol {
        let others = (2..).map(|number| usual.renamed(&format!("{}_{number}", usual.name())));
        // That of the line is for the whole condition, whose parts come first.
        let of_line = (self.parts_asked == 0).then(|| usual.clone());
        let mut names = of_line.into_iter().chain(others);
        names
            .find(|symbol| is_free(symbol))
            .unwrap_or_else(|| usual.clone())
    }

    /// Keeps what the branches say of a variable: the value if they agree, else the few values that it
    /// may have, and that a value was loaded in either. What only one branch advances counts as advanced.
    fn join(
        &mut self,
        mut then: BTreeMap<VarId, Known>,
        mut otherwise: BTreeMap<VarId, Known>,
        mut clamps: BTreeMap<VarId, Expr>,
    ) {
        self.branches += 1;
        for (id, known) in &mut self.symbols.known {
            let Known::Changes { loaded, .. } = known else {
                continue;
            };
            let sides = [then.remove(id), otherwise.remove(id)];
            *loaded |= sides
                .iter()
                .flatten()
                .any(|k| matches!(k, Known::Changes { loaded: true, .. }));
            if let [Some(a), Some(b)] = sides {
                match (a, b) {
                    (a, _)
                        if self.conditional.contains(id) && !matches!(a, Known::Changes { .. }) =>
                    {
                        *known = a;
                    }
                    (a, b) if a == b => *known = a,
                    (a, b) => {
                        if let Some(clamped) = clamps.remove(id) {
                            *known = Known::Is(clamped);
                        } else if let Some(values) = either(self.branches, a, b) {
                            *known = values;
                            self.symbols.has_alternatives = true;
                        }
                    }
                }
            }
        }
    }
}

impl Walker<'_> {
    /// Whole numbers that a branch keeps from passing a limit, with what they are behind it: the smaller value in
    /// `last = first + size - 1; if (last > n) last = n`, one of two in `next = i + 1; if (next == n) next = 0`. What is known of variables must be that from before the branch.
    fn clamps(
        &mut self,
        condition: &Value,
        then: &BTreeMap<VarId, Known>,
        otherwise: &BTreeMap<VarId, Known>,
    ) -> BTreeMap<VarId, Expr> {
        let Value::Binary(op, left, right) = condition.unconverted() else {
            return BTreeMap::new();
        };
        let Some(comparison) = compared_by(*op) else {
            return BTreeMap::new();
        };
        let both = |(id, known): (&VarId, &Known)| match (known, otherwise.get(id)) {
            (Known::Is(a), Some(Known::Is(b))) if a != b => Some((*id, a.clone(), b.clone())),
            _ => None,
        };
        let differing: Vec<(VarId, Expr, Expr)> = then.iter().filter_map(both).collect();
        if differing.is_empty() {
            return BTreeMap::new();
        }
        let is_whole = |value: &Value| matches!(value.ty(self.function()), Type::Integer(..));
        if !is_whole(left) || !is_whole(right) {
            return BTreeMap::new();
        }
        let sides = [left, right].map(|side| self.symbols.expression(side));
        let [Some(left), Some(right)] = sides else {
            return BTreeMap::new();
        };
        let apart = (&left - &right).expand();
        let levels = self.symbols.levels.iter();
        let around: Vec<&Counted> = levels.map(|level| &level.counted).collect();
        if wrapped::usual(comparison, &apart, &around).is_some() {
            let value = |(id, a, b)| {
                (
                    id,
                    Expr::choose(comparison, left.clone(), right.clone(), a, b),
                )
            };
            return differing.into_iter().map(value).collect();
        }
        let clamped =
            |(id, a, b): (VarId, Expr, Expr)| Some((id, limited(comparison, &apart, [&a, &b])?));
        differing.into_iter().filter_map(clamped).collect()
    }
}

/// What evaluates a value.
fn evaluated(place: &Place, value: Value) -> Vec<Stmt> {
    vec![Stmt::Evaluate {
        place: place.clone(),
        values: vec![value],
        printed: Printed::No,
    }]
}

/// A value without the right sides of operators of which something holds.
fn without(value: &Value, is_apart: &dyn Fn(BinaryOp, &Value) -> bool) -> Value {
    match value {
        Value::Binary(op, left, right) if is_apart(*op, right) => without(left, is_apart),
        _ => {
            let mut value = value.clone();
            each_part_mut(&mut value, &mut |part| *part = without(part, is_apart));
            value
        }
    }
}

/// What the bounds of the loops in some blocks mention.
fn sizes_in<'b>(blocks: impl Iterator<Item = &'b Block>) -> BTreeSet<Symbol> {
    let mut sizes = BTreeSet::new();
    for block in blocks {
        coverage::each_loop(block, &mut |inner| {
            sizes.extend(inner.lower.symbols());
            sizes.extend(inner.upper.symbols());
        });
    }
    sizes
}

/// What a condition is that literals and named constants decide: `if (0)`, `if (debug)`.
fn truth(condition: &Value, function: &Function, depth: u32) -> Option<bool> {
    let again = |value: &Value| truth(value, function, depth.checked_sub(1)?);
    match condition {
        Value::Integer(n) => Some(*n != 0),
        Value::Logical(is_true) => Some(*is_true),
        Value::Convert(_, operand) => again(operand),
        Value::Unary(UnaryOp::Not, operand) => again(operand).map(|is_true| !is_true),
        Value::Binary(BinaryOp::And, left, right) => match (again(left), again(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Value::Binary(BinaryOp::Or, left, right) => match (again(left), again(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Value::Variable(id) => {
            let variable = function.variable(*id);
            let is_constant = matches!(variable.role, Role::Constant(_));
            again(variable.constant.as_ref().filter(|_| is_constant)?)
        }
        _ => None,
    }
}
