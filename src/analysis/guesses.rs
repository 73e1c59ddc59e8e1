//! Values for sizes that nothing in the program gives: such that loops run, whichever symbols their bounds are made of.
//!
//! Every loop says what its bounds' symbols are for: a symbol that makes the range longer is a size, one that makes it
//! shorter is where it begins, one that makes it longer at both ends only widens it. What is guessed depends on the
//! functions that share a symbol, through calls and modules, and on nothing else: neither on other files nor on names.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

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
    /// Loops of nests of more than three loops: with three others inside, and others.
    far: u32,
    near: u32,
    /// Is in the exponent of this number.
    raised: Option<f64>,
    /// The smallest extent that is declared for what its loops walk through.
    declared: Option<f64>,
}

/// Strides of an array that are multiples of each other.
const MOST_STRIDES: usize = 3;
/// Loops weigh more than declarations of arrays.
const LOOP: u32 = 4;
const SHAPE: u32 = 1;

/// Gives every symbol of bounds, shapes and subscripts a value that the program leaves open.
pub fn complete(program: &mut Program) {
    let mut guesses = Guesses {
        program,
        choices: BTreeMap::new(),
        evidence: BTreeMap::new(),
        strides: BTreeMap::new(),
        values: BTreeMap::new(),
    };
    for index in 0..program.functions.len() {
        guesses.read(index);
    }
    let choices = std::mem::take(&mut guesses.choices);
    if choices.values().any(|votes| *votes < 0) {
        choose_smallest(program, &choices);
        return complete(program);
    }
    guesses.decide();
    for _ in 0..ROUNDS {
        if !guesses.stretch() {
            break;
        }
    }
    guesses.shrink();
    let values = guesses.values;
    for place in program.places.values_mut() {
        place.smallest = None;
    }
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

/// Of places that several statements or calls give values, the smallest is where a range begins.
fn choose_smallest(program: &mut Program, choices: &BTreeMap<Symbol, i64>) {
    for (symbol, _) in choices.iter().filter(|(_, votes)| **votes < 0) {
        if let Some(place) = program.places.get_mut(symbol) {
            place.value = place.smallest.take();
        }
    }
}

/// The loops around a place of a function, outermost first.
type Around<'l, 'p> = &'l [&'p Loop];

struct Guesses<'p> {
    program: &'p Program,
    /// Ranges that places of several values make longer, less those that they make shorter.
    choices: BTreeMap<Symbol, i64>,
    evidence: BTreeMap<Unknown, Evidence>,
    /// Strides of flattened arrays, each with the next shorter one of the same array.
    strides: BTreeMap<Unknown, Unknown>,
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
        let inside = depth(&inner.body);
        let (is_far, is_deep) = (inside >= 3, around.len() + 1 + inside > 3);
        self.interval(function, (first, last), around, LOOP);
        self.vote(function, (first, last), around);
        for unknown in self.unknowns(function, &[first, last], around) {
            let evidence = self.evidence.entry(unknown).or_default();
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

    fn stream(&mut self, function: usize, stream: &'p Stream, around: Around<'_, 'p>) {
        for (lower, upper) in stream.extents.iter().flatten() {
            self.ratio(function, upper, around);
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

    /// An extent that is the quotient of two strides, `ks/js`: were they the same, the array's rows would be one.
    fn ratio(&mut self, function: usize, upper: &Expr, around: Around<'_, 'p>) {
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

    /// What a range says of places of several values that its ends mention.
    fn vote(&mut self, function: usize, (first, last): (&Expr, &Expr), around: Around<'_, 'p>) {
        for (end, vote) in [(first, -1), (last, 1)] {
            for symbol in end.symbols() {
                let linear = end.linear_in(&[&symbol]);
                let slope = linear.and_then(|linear| linear.coefficients[0].as_number());
                let is_variable = around.iter().any(|l| symbol.is_source(&l.variable));
                if let Some(slope) = slope.filter(|_| !is_variable)
                    && let Some(place) = self.choice(function, &symbol)
                {
                    *self.choices.entry(place).or_default() += vote * slope.signum() as i64;
                }
            }
        }
    }

    /// The place of several values that a symbol of a function is another name for.
    fn choice(&self, function: usize, symbol: &Symbol) -> Option<Symbol> {
        let program = self.program;
        let symbol = match symbol.kind() {
            SymbolKind::Place => symbol.clone(),
            _ => match constant(&program.functions[function], symbol)?.node() {
                Node::Symbol(place) => place.clone(),
                _ => return None,
            },
        };
        let place = program.place(&symbol)?;
        place.smallest.is_some().then_some(symbol)
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
                Node::Power(base, exponent) => base.as_number().filter(|base| {
                    *base > 1.0 && self.unknowns(function, &[exponent], &[]).contains(unknown)
                }),
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
        let is_variable = |symbol: &Symbol| around.iter().any(|l| symbol.is_source(&l.variable));
        let mut pending: Vec<Symbol> = of.iter().flat_map(|expr| expr.symbols()).collect();
        pending.retain(|symbol| !is_variable(symbol));
        let (mut seen, mut found) = (FxHashSet::default(), BTreeSet::new());
        while let Some(symbol) = pending.pop() {
            if !seen.insert(symbol.clone()) {
                continue;
            }
            match self.known(function, &symbol) {
                Some(value) if *value != Expr::from(symbol.clone()) => {
                    pending.extend(value.symbols());
                }
                _ => found.extend(Self::unknown(function, &symbol)),
            }
        }
        found.into_iter().collect()
    }

    /// A number for an expression of a function: loops stand at their beginnings.
    fn evaluate(
        &self,
        function: usize,
        expr: &Expr,
        around: Around<'_, 'p>,
        changed: &Option<(&Unknown, f64)>,
    ) -> f64 {
        let seen = RefCell::new(FxHashMap::default());
        self.number((function, &seen), expr, around, changed)
    }

    /// The same with the values of symbols that have been met so far; those that lead back to themselves are nominal.
    fn number(
        &self,
        (function, seen): (usize, &RefCell<FxHashMap<Symbol, f64>>),
        expr: &Expr,
        around: Around<'_, 'p>,
        changed: &Option<(&Unknown, f64)>,
    ) -> f64 {
        let lookup = |symbol: &Symbol| {
            if let Some(at) = around.iter().rposition(|l| symbol.is_source(&l.variable)) {
                let (outer, first) = (&around[..at], ends(around[at]).0);
                return Some(self.number((function, seen), first, outer, changed));
            }
            let met = seen.borrow().get(symbol).copied();
            if met.is_some() {
                return met;
            }
            seen.borrow_mut().insert(symbol.clone(), NOMINAL);
            let value = match self.known(function, symbol) {
                Some(value) if *value != Expr::from(symbol.clone()) => {
                    self.number((function, seen), value, &[], changed)
                }
                _ => self.open(function, symbol, changed),
            };
            seen.borrow_mut().insert(symbol.clone(), value);
            Some(value)
        };
        expr.evaluate(&lookup).unwrap_or(f64::NAN)
    }

    /// The value so far of a symbol that the program gives none.
    fn open(&self, function: usize, symbol: &Symbol, changed: &Option<(&Unknown, f64)>) -> f64 {
        let Some(unknown) = Self::unknown(function, symbol) else {
            return NOMINAL;
        };
        match changed {
            Some((other, value)) if **other == unknown => *value,
            _ => self.values.get(&unknown).copied().unwrap_or(NOMINAL),
        }
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
        for longer in self.strides.keys() {
            let (mut size, mut stride) = (NOMINAL, longer);
            for _ in 0..MOST_STRIDES {
                let Some(shorter) = self.strides.get(stride) else {
                    break;
                };
                (size, stride) = (size * NOMINAL, shorter);
            }
            self.values.insert(longer.clone(), size);
        }
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
                let is_far = (self.evidence.get(&unknown)).is_some_and(|e| e.far > e.near);
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
