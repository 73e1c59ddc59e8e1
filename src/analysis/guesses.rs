//! Values for sizes that nothing in the program gives: such that loops run, whichever symbols their bounds are made of.
//!
//! Every loop says what its bounds' symbols are for: a symbol that makes the range longer is a size, one that makes it
//! shorter is where it begins, one that makes it longer at both ends only widens it. What is guessed depends on the
//! functions that share a symbol, through calls and modules, and on nothing else: neither on other files nor on names.

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::{Expr, Node, Symbol, SymbolKind};
use crate::facts::{Block, Constant, Function, Item, Loop, Origin, Program, Stream};

/// Iterations of a loop of which nothing is known.
pub const NOMINAL: f64 = 128.0;
/// Where a range begins that nothing else says.
const BEGINNING: f64 = 1.0;
/// How far something widens a range: ghost cells.
const WIDTH: f64 = 2.0;
/// What counts components, or loops around three others.
const FEW: f64 = 4.0;
/// A nest of more iterations has loops that count components.
const MOST_ITERATIONS: f64 = 1e9;
/// Values are followed through so many others.
const DEPTH: u32 = 40;
/// Times that ranges are looked at again after values have changed.
const ROUNDS: usize = 4;

/// Something that needs a value: a symbol of one function, or storage of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Unknown {
    /// `None` for storage of the program.
    function: Option<usize>,
    symbol: Symbol,
}

/// What loops say of an unknown.
#[derive(Clone, Debug, Default)]
struct Evidence {
    /// Ranges that it makes longer, and shorter.
    longer: u32,
    shorter: u32,
    /// Ranges that it makes longer at both ends.
    wider: u32,
    /// Loops that walk one of the three contiguous dimensions of arrays, and others.
    inner: u32,
    outer: u32,
    /// Loops with three others inside, and others.
    far: u32,
    near: u32,
    /// Is in the exponent of this number.
    raised: Option<f64>,
    /// The smallest extent that is declared for what its loops walk through.
    declared: Option<f64>,
}

/// Loops weigh more than declarations of arrays.
const LOOP: u32 = 4;
const SHAPE: u32 = 1;

/// Gives every symbol of bounds, shapes and subscripts a value that the program leaves open.
pub fn complete(program: &mut Program) {
    let mut guesses = Guesses {
        program,
        evidence: BTreeMap::new(),
        values: BTreeMap::new(),
    };
    for index in 0..program.functions.len() {
        guesses.read(index);
    }
    guesses.decide();
    for _ in 0..ROUNDS {
        if !guesses.stretch() {
            break;
        }
    }
    guesses.shrink();
    let values = guesses.values;
    for (Unknown { function, symbol }, value) in values {
        match function {
            None => {
                if let Some(place) = program.places.get_mut(&symbol) {
                    place.guess.get_or_insert(value);
                }
            }
            Some(index) => program.functions[index].constants.push(Constant {
                symbol,
                value: Expr::from(value),
                origin: Origin::Default,
            }),
        }
    }
}

/// The loops around a place of a function, outermost first.
type Around<'l, 'p> = &'l [&'p Loop];

struct Guesses<'p> {
    program: &'p Program,
    evidence: BTreeMap<Unknown, Evidence>,
    values: BTreeMap<Unknown, f64>,
}

impl<'p> Guesses<'p> {
    /// Reads what one function says of its symbols.
    fn read(&mut self, index: usize) {
        let program = self.program;
        self.block(index, &program.functions[index].body, &mut Vec::new());
    }

    fn block(&mut self, function: usize, block: &'p Block, around: &mut Vec<&'p Loop>) {
        for stream in &block.streams {
            self.stream(function, stream, around);
        }
        for item in &block.items {
            match item {
                Item::Loop(inner) => {
                    self.range(function, inner, around);
                    around.push(inner);
                    self.block(function, &inner.body, around);
                    around.pop();
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

    fn range(&mut self, function: usize, inner: &'p Loop, around: Around<'_, 'p>) {
        let (first, last) = ends(inner);
        let is_far = depth(&inner.body) >= 3;
        self.interval(function, (first, last), around, LOOP);
        for unknown in self.unknowns(function, &[first, last], around) {
            let evidence = self.evidence.entry(unknown).or_default();
            if is_far {
                evidence.far += 1;
            } else {
                evidence.near += 1;
            }
        }
        for unknown in self.unknowns(function, &[&inner.step], around) {
            self.evidence.entry(unknown).or_default();
        }
    }

    fn stream(&mut self, function: usize, stream: &'p Stream, around: Around<'_, 'p>) {
        for (lower, upper) in stream.extents.iter().flatten() {
            self.interval(function, (lower, upper), around, SHAPE);
        }
        let rank = stream.subscripts.len();
        for (dimension, subscript) in stream.subscripts.iter().enumerate() {
            for unknown in self.unknowns(function, &[&subscript.base], around) {
                let is_length = self.is_factor(function, &subscript.base, &unknown, around);
                let evidence = self.evidence.entry(unknown).or_default();
                evidence.longer += if is_length { SHAPE } else { 0 };
            }
            let declared = stream.extents.get(dimension).and_then(|extent| {
                let (lower, upper) = extent.as_ref()?;
                let extent = upper.as_number()? - lower.as_number()? + 1.0;
                (extent > 1.0).then_some(extent)
            });
            for (variable, _) in &subscript.terms {
                let Some(at) = around.iter().rposition(|l| l.variable == *variable) else {
                    continue;
                };
                let (first, last) = ends(around[at]);
                for unknown in self.unknowns(function, &[first, last], &around[..at]) {
                    let evidence = self.evidence.entry(unknown).or_default();
                    if rank >= 4 && dimension >= 3 {
                        evidence.outer += 1;
                    } else {
                        evidence.inner += 1;
                    }
                    let known = evidence.declared.unwrap_or(f64::INFINITY);
                    evidence.declared = declared.map(|n| n.min(known)).or(evidence.declared);
                }
            }
        }
    }

    /// What a range from `first` to `last` says of the symbols of its ends.
    fn interval(
        &mut self,
        function: usize,
        (first, last): (&Expr, &Expr),
        around: Around<'_, 'p>,
        weight: u32,
    ) {
        let unknowns = self.unknowns(function, &[first, last], around);
        let change = |expr: &Expr, unknown: &Unknown| {
            let at = |value: f64| self.evaluate(function, expr, around, &Some((unknown, value)));
            at(1.5 * NOMINAL) - at(NOMINAL)
        };
        let changes: Vec<(f64, f64)> = unknowns
            .iter()
            .map(|unknown| (change(first, unknown), change(last, unknown)))
            .collect();
        let exponents = |expr: &Expr, unknown: &Unknown| self.base(function, expr, unknown, around);
        let raised: Vec<Option<f64>> = unknowns
            .iter()
            .map(|unknown| exponents(last, unknown).or_else(|| exponents(first, unknown)))
            .collect();
        let lengthening = changes
            .iter()
            .filter(|(low, high)| high - low > 0.0)
            .count();
        for ((unknown, (low, high)), raised) in unknowns.into_iter().zip(changes).zip(raised) {
            let evidence = self.evidence.entry(unknown).or_default();
            let longer = high - low;
            if low < 0.0 && high > 0.0 && lengthening > 1 {
                evidence.wider += weight;
            } else if longer > 0.0 {
                evidence.longer += weight;
            } else if longer < 0.0 {
                evidence.shorter += weight;
            }
            evidence.raised = evidence.raised.or(raised);
        }
    }

    /// Whether other symbols are multiplied by an unknown.
    fn is_factor(
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
                .into_iter()
                .any(|child| self.is_factor(function, child, unknown, around)),
        }
    }

    /// The number that an unknown is the exponent of.
    fn base(
        &self,
        function: usize,
        expr: &Expr,
        unknown: &Unknown,
        around: Around<'_, 'p>,
    ) -> Option<f64> {
        if let Node::Power(base, exponent) = expr.node()
            && self
                .unknowns(function, &[exponent], around)
                .contains(unknown)
        {
            return base.as_number().filter(|base| *base > 1.0);
        }
        if let Node::Symbol(symbol) = expr.node()
            && let Some(value) = self.known(function, symbol)
            && value != expr
        {
            return match value.node() {
                Node::Power(..) => self.base(function, value, unknown, around),
                _ => None,
            };
        }
        expr.children()
            .into_iter()
            .find_map(|child| self.base(function, child, unknown, around))
    }

    /// The value that the program gives a symbol of a function.
    fn known(&self, function: usize, symbol: &Symbol) -> Option<&'p Expr> {
        let program = self.program;
        match symbol.kind() {
            SymbolKind::Place => program.place(symbol)?.value.as_ref(),
            _ => constant(&program.functions[function], symbol),
        }
    }

    fn unknown(function: usize, symbol: &Symbol) -> Option<Unknown> {
        let function = match symbol.kind() {
            SymbolKind::Place => None,
            SymbolKind::Source => Some(function),
            _ => return None,
        };
        let symbol = symbol.clone();
        Some(Unknown { function, symbol })
    }

    /// What expressions of a function come down to that has no value, in order.
    fn unknowns(&self, function: usize, of: &[&Expr], around: Around<'_, 'p>) -> Vec<Unknown> {
        let mut found = BTreeSet::new();
        of.iter()
            .for_each(|expr| self.gather(function, expr, around, DEPTH, &mut found));
        found.into_iter().collect()
    }

    fn gather(
        &self,
        function: usize,
        expr: &Expr,
        around: Around<'_, 'p>,
        depth: u32,
        found: &mut BTreeSet<Unknown>,
    ) {
        if depth == 0 {
            return;
        }
        for symbol in expr.symbols() {
            let is_variable = |l: &&Loop| symbol.is_source(&l.variable);
            if around.iter().any(is_variable) {
                continue;
            }
            match self.known(function, &symbol) {
                Some(value) if *value != Expr::from(symbol.clone()) => {
                    self.gather(function, value, &[], depth - 1, found);
                }
                _ => found.extend(Self::unknown(function, &symbol)),
            }
        }
    }

    /// A number for an expression of a function: loops stand at their beginnings.
    fn evaluate(
        &self,
        function: usize,
        expr: &Expr,
        around: Around<'_, 'p>,
        changed: &Option<(&Unknown, f64)>,
    ) -> f64 {
        self.number(function, expr, around, changed, DEPTH)
    }

    fn number(
        &self,
        function: usize,
        expr: &Expr,
        around: Around<'_, 'p>,
        changed: &Option<(&Unknown, f64)>,
        depth: u32,
    ) -> f64 {
        let lookup = |symbol: &Symbol| {
            if depth == 0 {
                return Some(NOMINAL);
            }
            if let Some(at) = around.iter().rposition(|l| symbol.is_source(&l.variable)) {
                let (outer, first) = (&around[..at], ends(around[at]).0);
                return Some(self.number(function, first, outer, changed, depth - 1));
            }
            if let Some(value) = self.known(function, symbol)
                && *value != Expr::from(symbol.clone())
            {
                return Some(self.number(function, value, &[], changed, depth - 1));
            }
            let Some(unknown) = Self::unknown(function, symbol) else {
                return Some(NOMINAL);
            };
            let changed = changed.and_then(|(other, value)| (*other == unknown).then_some(value));
            Some(changed.unwrap_or_else(|| *self.values.get(&unknown).unwrap_or(&NOMINAL)))
        };
        expr.evaluate(&lookup).unwrap_or(f64::NAN)
    }

    fn decide(&mut self) {
        let value = |evidence: &Evidence| {
            let Evidence {
                longer,
                shorter,
                wider,
                inner,
                outer,
                raised,
                declared,
                ..
            } = *evidence;
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
            } else {
                NOMINAL
            };
            declared.map_or(size, |declared| size.min(declared))
        };
        let values = self.evidence.iter();
        self.values = values
            .map(|(unknown, evidence)| (unknown.clone(), value(evidence)))
            .collect();
    }

    /// Makes loops run that have no iterations, or one, by the values so far; whether any did not.
    fn stretch(&mut self) -> bool {
        let mut any = false;
        for function in 0..self.program.functions.len() {
            let mut loops = Vec::new();
            each_loop(
                &self.program.functions[function].body,
                &mut Vec::new(),
                &mut |around, l| {
                    loops.push((around.to_vec(), l));
                },
            );
            for (around, inner) in loops {
                any |= self.stretch_loop(function, inner, &around);
            }
        }
        any
    }

    fn stretch_loop(&mut self, function: usize, inner: &'p Loop, around: Around<'_, 'p>) -> bool {
        let (first, last) = ends(inner);
        let extent = |guesses: &Self, changed: &Option<(&Unknown, f64)>| {
            let at = |expr: &Expr| guesses.evaluate(function, expr, around, changed);
            at(last) - at(first) + 1.0
        };
        let before = extent(self, &None);
        if before.is_nan() || before > 1.0 {
            return false;
        }
        for unknown in self.unknowns(function, &[first, last], around) {
            let Some(evidence) = self.evidence.get(&unknown) else {
                continue;
            };
            if evidence.wider > 0 || evidence.longer <= evidence.shorter {
                continue;
            }
            let value = self.values.get(&unknown).copied().unwrap_or(NOMINAL);
            let raised = extent(self, &Some((&unknown, value + NOMINAL)));
            let slope = (raised - before) / NOMINAL;
            if slope > 0.0 {
                let more = ((NOMINAL - before) / slope).ceil().min(64.0 * NOMINAL);
                self.values.insert(unknown, value + more);
                return true;
            }
        }
        false
    }

    /// Lets loops around three others count few, where a nest would never end else.
    fn shrink(&mut self) {
        for function in 0..self.program.functions.len() {
            let mut loops = Vec::new();
            each_loop(
                &self.program.functions[function].body,
                &mut Vec::new(),
                &mut |around, l| {
                    loops.push((around.to_vec(), l));
                },
            );
            for (around, inner) in loops {
                let mut chain = around;
                chain.push(inner);
                self.shrink_nest(function, &chain);
            }
        }
    }

    fn shrink_nest(&mut self, function: usize, chain: &[&'p Loop]) {
        for at in 0..chain.len() {
            let extent = |guesses: &Self, at: usize| {
                let (first, last) = ends(chain[at]);
                let value = |expr| guesses.evaluate(function, expr, &chain[..at], &None);
                (value(last) - value(first) + 1.0).max(1.0)
            };
            let all: f64 = (0..chain.len()).map(|at| extent(self, at)).product();
            if all.is_nan() || all <= MOST_ITERATIONS {
                return;
            }
            let (first, last) = ends(chain[at]);
            for unknown in self.unknowns(function, &[first, last], &chain[..at]) {
                let is_far = self.evidence.get(&unknown).is_some_and(|e| e.near == 0);
                if is_far && self.values.get(&unknown).is_some_and(|value| *value > FEW) {
                    self.values.insert(unknown, FEW);
                }
            }
        }
    }
}

/// First and last value of a loop's variable.
fn ends(inner: &Loop) -> (&Expr, &Expr) {
    let counts_down = inner.step.as_number().is_some_and(|step| step < 0.0);
    match counts_down {
        true => (&inner.upper, &inner.lower),
        false => (&inner.lower, &inner.upper),
    }
}

/// How many loops are inside one another in a block.
fn depth(block: &Block) -> usize {
    let loops = block.loops();
    let inner = loops.iter().map(|inner| 1 + depth(&inner.body));
    inner.max().unwrap_or(0)
}

fn each_loop<'p>(
    block: &'p Block,
    around: &mut Vec<&'p Loop>,
    visit: &mut dyn FnMut(&[&'p Loop], &'p Loop),
) {
    for inner in block.loops() {
        visit(around, inner);
        around.push(inner);
        each_loop(&inner.body, around, visit);
        around.pop();
    }
}

fn constant<'p>(function: &'p Function, symbol: &Symbol) -> Option<&'p Expr> {
    let mut constants = function.constants.iter();
    constants.find(|c| c.symbol == *symbol).map(|c| &c.value)
}
