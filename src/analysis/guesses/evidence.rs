//! What loops and arrays say of the symbols that need a value.

use std::collections::BTreeSet;

use super::ranges::{Effect, Ranges};
use super::{Around, BEGINNING, FEW, Guesses, NOMINAL, SHORT, Unknown, depth, each_loop_of};
use rustc_hash::FxHashSet;

use crate::expr::{Expr, Node, Symbol};
use crate::facts::{Block, Item, Loop, Stream};

/// How far something widens a range: ghost cells.
const WIDTH: f64 = 2.0;
/// Loops weigh more than declarations of arrays.
const LOOP: u32 = 4;
const SHAPE: u32 = 1;
/// A loop of fewer iterations walks no grid.
const LEAST_OF_GRID: f64 = 32.0;

/// What loops say of an unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    /// Ranges that it makes longer, and shorter.
    pub longer: u32,
    pub shorter: u32,
    /// Ranges that it makes longer at both ends.
    pub wider: u32,
    /// Loops that walk one of the three contiguous dimensions of arrays, and others.
    inner: u32,
    outer: u32,
    /// Loops of nests of more than three loops: with three others inside, and others.
    pub far: u32,
    pub near: u32,
    /// Loops around two long ones; streams of real numbers that its loops walk alone, and what else speaks against kinds.
    around_grids: u32,
    alone: u32,
    joint: u32,
    /// Is in the exponent of this number.
    raised: Option<f64>,
    /// The smallest extent that is declared for what its loops walk through.
    declared: Option<f64>,
}

impl Evidence {
    /// Whether all that it does is to make dimensions of arrays longer that loops walk.
    pub fn is_of_array(&self) -> bool {
        let only_longer = self.longer > 0 && self.shorter == 0 && self.wider == 0;
        self.inner > 0 && only_longer && self.raised.is_none()
    }

    /// Whether no loop over arrays has it in its bounds.
    pub fn is_of_no_loop(&self) -> bool {
        self.inner + self.outer == 0
    }

    /// Whether it is in bounds of loops over arrays that do not become longer or shorter by it.
    pub fn is_mute(&self) -> bool {
        self.inner > 0 && self.longer + self.shorter + self.wider == 0
    }

    /// Whether the program says how long the arrays are that its loops walk: it is not what makes them long.
    pub fn has_declared(&self) -> bool {
        self.declared.is_some()
    }

    /// Whether it counts kinds of something, such as states of which each fills a part of a grid: tables have one value for
    /// each, and it goes through whole grids for each that have no such dimension.
    fn counts_kinds(&self) -> bool {
        self.around_grids > 0 && self.alone > 0 && self.joint == 0
    }

    /// What it asks for.
    pub fn value(&self) -> f64 {
        let Evidence {
            longer,
            shorter,
            wider,
            inner,
            outer,
            raised,
            declared,
            ..
        } = *self;
        if wider > 0 && 4 * wider >= longer + shorter {
            return WIDTH;
        }
        if longer == 0 || longer < shorter {
            return BEGINNING;
        }
        if let Some(base) = raised {
            return NOMINAL.log(base).round().max(1.0);
        }
        let size = if outer > 0 && inner == 0 {
            FEW
        } else if self.counts_kinds() {
            SHORT
        } else {
            NOMINAL
        };
        declared.map_or(size, |declared| size.min(declared))
    }
}

impl<'p> Guesses<'p> {
    /// Reads what one function says of its symbols.
    pub(super) fn read(&mut self, index: usize) {
        let program = self.program;
        self.ranges = Ranges::default();
        self.around.clear();
        self.block(index, &program.functions[index].body, &mut Vec::new());
    }

    fn block(&mut self, function: usize, block: &'p Block, around: &mut Vec<&'p Loop>) {
        for stream in &block.streams {
            self.stream(function, stream, around);
        }
        for item in &block.items {
            match item {
                Item::Loop(inner) => {
                    let effects = self.effects(function, inner.ends(), around);
                    self.range(function, (inner, &effects), around);
                    self.around.push(effects);
                    around.push(inner);
                    self.block(function, &inner.body, around);
                    around.pop();
                    self.around.pop();
                }
                Item::Branch(branch) => {
                    self.block(function, &branch.then, around);
                    if let Some(otherwise) = &branch.otherwise {
                        self.block(function, otherwise, around);
                    }
                }
            }
        }
    }

    fn range(
        &mut self,
        function: usize,
        (inner, effects): (&'p Loop, &[Effect]),
        around: Around<'_, 'p>,
    ) {
        let (first, last) = inner.ends();
        let inside = depth(&inner.body);
        let (is_far, is_deep) = (inside >= 3, around.len() + 1 + inside > 3);
        self.interval(function, effects, around, LOOP);
        let is_around_grid = self.holds_grid(function, inner, around);
        let of_grid = match is_around_grid {
            true => self.unknowns_inside(function, inner, around),
            false => BTreeSet::new(),
        };
        for unknown in self.unknowns(function, &[first, last], around) {
            let is_of_grid = of_grid.contains(&unknown);
            let evidence = self.evidence.entry(unknown).or_default();
            evidence.around_grids += u32::from(is_around_grid);
            evidence.joint += u32::from(is_of_grid);
            if is_far {
                evidence.far += 1;
            } else if is_deep {
                evidence.near += 1;
            }
        }
        for unknown in self.unknowns(function, &[&inner.step], around) {
            self.evidence.entry(unknown).or_default();
        }
    }

    /// Whether two long loops are inside of a loop, one in the other.
    fn holds_grid(&self, function: usize, inner: &'p Loop, around: Around<'_, 'p>) -> bool {
        let mut chain = around.to_vec();
        chain.push(inner);
        let mut found = false;
        each_loop_of(&inner.body, &mut chain, &mut |around, within| {
            let is_long = |at: usize| {
                let of = around.get(at).copied().unwrap_or(within);
                let (first, last) = of.ends();
                let value = |expr| self.evaluate(function, expr, &around[..at], &None);
                let extent = value(last) - value(first) + 1.0;
                extent.is_nan() || extent >= LEAST_OF_GRID
            };
            let own = around.iter().position(|of| std::ptr::eq(*of, inner));
            let long = own.map_or(0, |own| {
                (own + 1..=around.len()).filter(|at| is_long(*at)).count()
            });
            found |= long >= 2;
        });
        found
    }

    /// What is in the bounds of the loops inside of a loop.
    fn unknowns_inside(
        &self,
        function: usize,
        inner: &'p Loop,
        around: Around<'_, 'p>,
    ) -> BTreeSet<Unknown> {
        let mut chain = around.to_vec();
        chain.push(inner);
        let mut found = BTreeSet::new();
        each_loop_of(&inner.body, &mut chain, &mut |around, within| {
            let (first, last) = within.ends();
            found.extend(self.unknowns(function, &[first, last], around));
        });
        found
    }

    fn stream(&mut self, function: usize, stream: &'p Stream, around: Around<'_, 'p>) {
        for (lower, upper) in stream.own_extents().iter().flatten() {
            self.ratio(function, upper, around);
            let effects = self.effects(function, (lower, upper), around);
            self.interval(function, &effects, around, SHAPE);
        }
        let variables: BTreeSet<&String> = stream
            .subscripts
            .iter()
            .flat_map(|subscript| subscript.terms.iter().map(|(variable, _)| variable))
            .filter(|variable| around.iter().any(|l| l.variable == **variable))
            .collect();
        self.chosen_places(stream);
        let rank = stream.subscripts.len();
        for (dimension, subscript) in stream.subscripts.iter().enumerate() {
            for (unknown, is_length) in &*self.lengths(function, &subscript.base, around) {
                let evidence = self.evidence_of(unknown);
                evidence.longer += if *is_length { SHAPE } else { 0 };
            }
            let extent = stream.extents.get(dimension).and_then(Option::as_ref);
            let declared =
                extent.and_then(|(lower, upper)| self.declared(function, (lower, upper), around));
            for (variable, _) in &subscript.terms {
                let Some(at) = around.iter().rposition(|l| l.variable == *variable) else {
                    continue;
                };
                for Effect { unknown, .. } in &*self.around[at].clone() {
                    let evidence = self.evidence_of(unknown);
                    if rank >= 4 && dimension >= 3 {
                        evidence.outer += 1;
                    } else {
                        evidence.inner += 1;
                    }
                    match variables.len() {
                        1 => evidence.alone += u32::from(stream.ty.is_floating()),
                        _ => evidence.joint += 1,
                    }
                    let known = evidence.declared.unwrap_or(f64::INFINITY);
                    evidence.declared = declared.map(|n| n.min(known)).or(evidence.declared);
                }
            }
        }
    }

    /// Of loops that choose places of an array by data there may be many, each of which has its own.
    fn chosen_places(&mut self, stream: &Stream) {
        for gather in stream
            .subscripts
            .iter()
            .filter_map(|one| one.gather.as_ref())
        {
            for level in (0..self.around.len()).filter(|level| gather.changes_at(*level)) {
                for Effect { unknown, .. } in &*self.around[level].clone() {
                    self.evidence_of(unknown).joint += 1;
                }
            }
        }
    }

    /// An extent that is the quotient of two strides, `ks/js`: were they the same, the array's rows would be one.
    fn ratio(&mut self, function: usize, upper: &Expr, around: Around<'_, 'p>) {
        if !self.is_new_length(upper, around) {
            return;
        }
        let length = (upper.clone() + 1.0).expand();
        let Node::Quotient(longer, shorter) = length.node() else {
            return;
        };
        let only = |expr: &Expr| {
            let is_symbol = matches!(expr.node(), Node::Symbol(_));
            let mut unknowns = self.unknowns(function, &[expr], around);
            unknowns.pop().filter(|_| is_symbol && unknowns.is_empty())
        };
        if let (Some(longer), Some(shorter)) = (only(longer), only(shorter))
            && longer != shorter
        {
            self.strides.entry(longer).or_insert(shorter);
        }
    }

    /// What a range says of the symbols of its ends, by what these do to it.
    fn interval(
        &mut self,
        function: usize,
        effects: &[Effect],
        around: Around<'_, 'p>,
        weight: u32,
    ) {
        let lengthens = |effect: &&Effect| effect.moves.1 - effect.moves.0 > 0.0;
        let lengthening = effects.iter().filter(lengthens).count();
        // `for (a = -r; a <= r; a++)` and `for (y = i - r; y <= i + r; y++)`, inside of loops over what it goes around.
        let begins = |l: &&Loop| self.evaluate(function, l.ends().0, &[], &None) >= 0.0;
        let is_window = weight == LOOP && around.iter().any(begins);
        for effect in effects {
            let is_radius = is_window && effect.moves.0 == -effect.moves.1;
            let evidence = self.evidence_of(&effect.unknown);
            let (low, high) = effect.moves;
            let longer = high - low;
            if low < 0.0 && high > 0.0 && (lengthening > 1 || is_radius) {
                evidence.wider += weight;
            } else if longer > 0.0 {
                evidence.longer += weight;
            } else if longer < 0.0 {
                evidence.shorter += weight;
            }
            evidence.raised = evidence.raised.or(effect.raised);
        }
    }

    fn evidence_of(&mut self, unknown: &Unknown) -> &mut Evidence {
        self.evidence.entry(unknown.clone()).or_default()
    }

    /// Whether other symbols are multiplied by an unknown.
    pub(super) fn is_factor(
        &self,
        function: usize,
        expr: &Expr,
        unknown: &Unknown,
        around: Around<'_, 'p>,
    ) -> bool {
        match expr.node() {
            Node::Product(items) => {
                let holds = |item: &Expr| {
                    item.as_number().is_none()
                        && self.unknowns(function, &[item], around).contains(unknown)
                };
                items.iter().any(holds)
                    && items
                        .iter()
                        .filter(|item| item.as_number().is_none())
                        .count()
                        > 1
            }
            _ => expr
                .children()
                .any(|child| self.is_factor(function, child, unknown, around)),
        }
    }

    /// The number that an unknown is the exponent of, in an expression or the values behind it.
    pub(super) fn base(
        &self,
        function: usize,
        expr: &Expr,
        unknown: &Unknown,
        (around, seen): (Around<'_, 'p>, &mut FxHashSet<Symbol>),
    ) -> Option<f64> {
        match expr.node() {
            Node::Power(base, exponent)
                if (self.unknowns(function, &[exponent], around)).contains(unknown) =>
            {
                let base = self.evaluate(function, base, around, &None);
                (base > 1.0).then_some(base)
            }
            Node::Symbol(symbol) => {
                let value = self.known(function, symbol)?;
                let is_new = seen.insert(symbol.clone());
                is_new.then(|| self.base(function, value, unknown, (&[], seen)))?
            }
            _ => expr
                .children()
                .find_map(|child| self.base(function, child, unknown, (around, seen))),
        }
    }
}
