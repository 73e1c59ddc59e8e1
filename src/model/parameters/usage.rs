//! Which functions mention which symbols, and what for: from that follow default values.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{DEFAULT_ORIGIN, DEFAULT_SIZE};
use crate::analysis::facts::Program;
use crate::analysis::moving::is_unknown_stride;
use crate::calls::CallGraph;
use crate::expr::{Expr, Node, Symbol, SymbolKind};
use crate::messages::MessageSite;
use crate::nest::Nest;

/// Which functions mention which symbols, and how.
pub struct Usage {
    pub functions: BTreeMap<Symbol, Vec<usize>>,
    /// What figures mention themselves, by function.
    pub direct: BTreeSet<(usize, Symbol)>,
    /// What does more than to start a range or to be a step.
    sizes: HashSet<Variable>,
    /// Strides of flattened arrays, each with the next shorter one of the same array.
    strides: BTreeMap<Variable, Variable>,
    /// What is in exponents, with the number that is raised: `m` of `2^m`.
    exponents: BTreeMap<Variable, f64>,
}

/// A symbol of one function, or storage of the program: what functions do with theirs says nothing of what others call the
/// same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Variable {
    /// `None` for storage of the program.
    function: Option<usize>,
    symbol: Symbol,
}

impl Variable {
    /// What a function means by a symbol.
    fn of(function: usize, symbol: &Symbol) -> Variable {
        Variable {
            function: (symbol.kind() != SymbolKind::Place).then_some(function),
            symbol: symbol.clone(),
        }
    }
}

impl Usage {
    pub fn of(
        program: &Program,
        nests: &[Nest],
        calls: &CallGraph,
        messages: &[MessageSite],
    ) -> Usage {
        let mut usage = Usage {
            functions: BTreeMap::new(),
            direct: BTreeSet::new(),
            sizes: HashSet::new(),
            strides: BTreeMap::new(),
            exponents: BTreeMap::new(),
        };
        let (mut all_sizes, mut strides) = (HashSet::new(), BTreeMap::new());
        for nest in nests {
            let own = |symbol: &Symbol| Variable::of(nest.function, symbol);
            let mut sizes = HashSet::new();
            let variables: HashSet<&str> = nest
                .loops
                .iter()
                .map(|l| l.facts.variable.as_str())
                .collect();
            let mut exponents = BTreeMap::new();
            let mut mention = |expr: &Expr| {
                add_exponents(expr, &mut exponents);
                let is_variable =
                    |s: &Symbol| s.kind() == SymbolKind::Source && variables.contains(s.name());
                for symbol in expr.symbols().iter().filter(|s| !is_variable(s)) {
                    usage.add(program, nest.function, symbol);
                }
            };
            for chain_loop in &nest.loops {
                let facts = chain_loop.facts;
                [&facts.lower, &facts.upper, &facts.step]
                    .into_iter()
                    .for_each(&mut mention);
                chain_loop
                    .weight
                    .iter()
                    .for_each(|(branch, _)| mention(&Expr::from(branch.clone())));
                let (first, last) = facts.ends();
                add_sizes(first, -1.0, &mut sizes);
                add_sizes(last, 1.0, &mut sizes);
            }
            // Loads and stores take time wherever their data are.
            for branch in nest.branches() {
                mention(&Expr::from(branch.clone()));
            }
            let of_streams = nest.streams.iter().flat_map(|used| used.ranges());
            for range in nest.narrowed.iter().chain(of_streams) {
                let ends = [&range.lower, &range.upper].into_iter().flatten();
                ends.for_each(&mut mention);
            }
            // Where rows begin decides how many cache lines they touch.
            for used in &nest.streams {
                let ways = [&used.taken, &used.written].into_iter().flatten().flatten();
                let branches = ways.flatten().map(|(branch, _)| Expr::from(branch.clone()));
                branches.for_each(|branch| mention(&branch));
                for (lower, upper) in used.stream.own_extents().iter().flatten() {
                    if let Some((longer, shorter)) = ratio_of_strides(upper) {
                        strides.entry(own(&longer)).or_insert(own(&shorter));
                    }
                    [lower, upper].into_iter().for_each(&mut mention);
                    add_sizes(lower, -1.0, &mut sizes);
                    add_sizes(upper, 1.0, &mut sizes);
                }
                for subscript in &used.stream.subscripts {
                    mention(&subscript.base);
                    add_lengths(&subscript.base, &mut sizes);
                    let strides = subscript.terms.iter().map(|(_, stride)| stride);
                    let known = strides.filter(|stride| !is_unknown_stride(stride));
                    known.for_each(&mut mention);
                }
            }
            // The last value of a variable in an exponent is one too.
            for facts in nest.loops.iter().map(|chain_loop| chain_loop.facts) {
                if let Some(base) = exponents.remove(&Symbol::source(&facts.variable)) {
                    add_all(&facts.upper, base, &mut exponents);
                }
            }
            for (symbol, base) in exponents {
                add_exponent(own(&symbol), base, &mut usage.exponents);
            }
            all_sizes.extend(sizes.iter().map(own));
        }
        let mut sizes = all_sizes;
        for (function, symbol) in calls.symbols() {
            usage.add(program, function, symbol);
        }
        for site in messages {
            site.symbols(&mut |symbol, is_size| {
                usage.add(program, site.function, symbol);
                if is_size {
                    sizes.insert(Variable::of(site.function, symbol));
                }
            });
        }
        sizes_behind(program, &mut sizes);
        exponents_behind(program, &mut usage.exponents);
        usage.sizes = sizes;
        usage.strides = strides;
        usage
    }

    /// Of the longer one of two strides of an array, so many of the shorter one: were they the same, its rows would be
    /// one row.
    ///
    /// Of an exponent, what makes the power about as large: 7, of two.
    pub fn default_size(&self, function: usize, symbol: &Symbol) -> f64 {
        self.size(&Variable::of(function, symbol))
    }

    fn size(&self, variable: &Variable) -> f64 {
        if let Some(base) = self.exponents.get(variable) {
            return DEFAULT_SIZE.log(*base).round().max(1.0);
        }
        let (mut size, mut variable) = (DEFAULT_SIZE, variable);
        for _ in 0..MOST_STRIDES {
            let Some(shorter) = self.strides.get(variable) else {
                break;
            };
            (size, variable) = (size * DEFAULT_SIZE, shorter);
        }
        size
    }

    /// The symbol, and what its value mentions, and what that mentions.
    fn add(&mut self, program: &Program, function: usize, symbol: &Symbol) {
        if !self.direct.insert((function, symbol.clone())) {
            return;
        }
        let mut todo = vec![symbol.clone()];
        while let Some(symbol) = todo.pop() {
            let users = self.functions.entry(symbol.clone()).or_default();
            // Functions come one after another.
            if users.last() == Some(&function) || users.contains(&function) {
                continue;
            }
            users.push(function);
            if let Some(value) = value(program, function, &symbol) {
                let mut found = BTreeMap::new();
                add_exponents(value, &mut found);
                for (symbol, base) in found {
                    let variable = Variable::of(function, &symbol);
                    add_exponent(variable, base, &mut self.exponents);
                }
                todo.extend(value.symbols());
            }
        }
    }

    /// Whether all functions that know a symbol of that name mean a place by it.
    pub fn means_only(&self, program: &Program, name: &str, place: &Symbol) -> bool {
        let source = Symbol::source(name);
        let is_it = |function: &usize| {
            program.functions[*function]
                .constant(&source)
                .is_some_and(|constant| constant.value == Expr::from(place.clone()))
        };
        let users = self.functions.get(&source);
        users.is_none_or(|users| users.iter().all(is_it))
    }

    /// The value of what nothing gives one.
    pub fn default_value(&self, function: usize, symbol: &Symbol) -> f64 {
        let variable = Variable::of(function, symbol);
        if self.sizes.contains(&variable) {
            self.size(&variable)
        } else {
            DEFAULT_ORIGIN
        }
    }
}

/// What a symbol of a function is, if that is known.
fn value<'p>(program: &'p Program, function: usize, symbol: &Symbol) -> Option<&'p Expr> {
    match symbol.kind() {
        SymbolKind::Place => program.place(symbol)?.value.as_ref(),
        _ => program.functions[function]
            .constant(symbol)
            .map(|constant| &constant.value),
    }
}

/// Strides of an array that are multiples of each other by default.
const MOST_STRIDES: usize = 3;

/// Of an extent that is the quotient of two strides, `ks/js`, both.
fn ratio_of_strides(upper: &Expr) -> Option<(Symbol, Symbol)> {
    let length = (upper.clone() + 1.0).expand();
    match length.node() {
        Node::Quotient(longer, shorter) => match (longer.node(), shorter.node()) {
            (Node::Symbol(longer), Node::Symbol(shorter)) if longer != shorter => {
                Some((longer.clone(), shorter.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Adds the symbols of exponents of numbers.
fn add_exponents(expr: &Expr, exponents: &mut BTreeMap<Symbol, f64>) {
    if let Node::Power(base, exponent) = expr.node()
        && let Some(base) = base.as_number().filter(|base| *base > 1.0)
    {
        add_all(exponent, base, exponents);
    }
    expr.children()
        .for_each(|child| add_exponents(child, exponents));
}

fn add_all(exponent: &Expr, base: f64, exponents: &mut BTreeMap<Symbol, f64>) {
    exponent
        .symbols()
        .into_iter()
        .for_each(|symbol| add_exponent(symbol, base, exponents));
}

/// Of several numbers that a symbol raises the largest counts.
fn add_exponent<K: Ord>(raises: K, base: f64, exponents: &mut BTreeMap<K, f64>) {
    let known = exponents.entry(raises).or_insert(base);
    *known = known.max(base);
}

/// Adds what the values of known sizes are made from: `m`, where the source says `n = 2*m`.
fn sizes_behind(program: &Program, sizes: &mut HashSet<Variable>) {
    loop {
        let before = sizes.len();
        let mut add = |function: usize, symbol: &Symbol, value: &Expr| {
            if sizes.contains(&Variable::of(function, symbol)) {
                let mut behind = HashSet::new();
                add_sizes(value, 1.0, &mut behind);
                sizes.extend(behind.iter().map(|symbol| Variable::of(function, symbol)));
            }
        };
        for (number, function) in program.functions.iter().enumerate() {
            for constant in &function.constants {
                add(number, &constant.symbol, &constant.value);
            }
        }
        for (symbol, place) in &program.places {
            if let Some(value) = &place.value {
                add(0, symbol, value);
            }
        }
        if sizes.len() == before {
            return;
        }
    }
}

/// Adds what the values of known exponents are made from.
fn exponents_behind(program: &Program, exponents: &mut BTreeMap<Variable, f64>) {
    loop {
        let before = exponents.len();
        for (number, function) in program.functions.iter().enumerate() {
            for constant in &function.constants {
                let variable = Variable::of(number, &constant.symbol);
                let Some(base) = exponents.get(&variable).copied() else {
                    continue;
                };
                for symbol in constant.value.symbols() {
                    add_exponent(Variable::of(number, &symbol), base, exponents);
                }
            }
        }
        if exponents.len() == before {
            return;
        }
    }
}

/// Symbols that make a range longer when they grow, or whose effect is not plain; `sign` is that of
/// the bound in `last - first`.
fn add_sizes(bound: &Expr, sign: f64, sizes: &mut HashSet<Symbol>) {
    for symbol in bound.symbols() {
        let slope = bound
            .linear_in(&[&symbol])
            .and_then(|linear| linear.coefficients[0].as_number());
        if slope.is_none_or(|slope| slope * sign > 0.0) {
            sizes.insert(symbol.clone());
        }
    }
}

/// Symbols of a subscript that others are multiplied by: lengths of what lies before an element.
fn add_lengths(subscript: &Expr, sizes: &mut HashSet<Symbol>) {
    for symbol in subscript.symbols() {
        let slope = subscript
            .linear_in(&[&symbol])
            .and_then(|linear| linear.coefficients[0].as_number());
        if slope.is_none() {
            sizes.insert(symbol.clone());
        }
    }
}
