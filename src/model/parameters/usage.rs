//! Which functions mention which symbols, and what for: from that follow default values.

use std::collections::{BTreeMap, HashSet};

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
    /// Symbols that only ever start a range or are a step.
    pub origins: HashSet<Symbol>,
    /// Strides of flattened arrays, each with the next shorter one of the same array.
    strides: BTreeMap<Symbol, Symbol>,
    /// Symbols in exponents, with the number that is raised: `m` of `2^m`.
    exponents: BTreeMap<Symbol, f64>,
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
            origins: HashSet::new(),
            strides: BTreeMap::new(),
            exponents: BTreeMap::new(),
        };
        let (mut sizes, mut strides) = (HashSet::new(), BTreeMap::new());
        for nest in nests {
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
            for content in &nest.contents {
                content
                    .weight
                    .iter()
                    .for_each(|(branch, _)| mention(&Expr::from(branch.clone())));
            }
            // Loads and stores take time wherever their data are.
            for reference in &nest.references {
                let branches = reference.weight.iter();
                branches.for_each(|(branch, _)| mention(&Expr::from(branch.clone())));
            }
            // Where rows begin decides how many cache lines they touch.
            for used in &nest.streams {
                for range in &used.guards {
                    let ends = [&range.lower, &range.upper].into_iter().flatten();
                    ends.for_each(&mut mention);
                }
                let ways = [&used.taken, &used.written].into_iter().flatten().flatten();
                let branches = ways.flatten().map(|(branch, _)| Expr::from(branch.clone()));
                branches.for_each(|branch| mention(&branch));
                for (lower, upper) in used.stream.extents.iter().flatten() {
                    if let Some((longer, shorter)) = ratio_of_strides(upper) {
                        strides.entry(longer).or_insert(shorter);
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
            exponents
                .into_iter()
                .for_each(|(symbol, base)| add_exponent(symbol, base, &mut usage.exponents));
        }
        for (function, symbol) in calls.symbols() {
            usage.add(program, function, symbol);
        }
        for site in messages {
            site.symbols(&mut |symbol, is_size| {
                usage.add(program, site.function, symbol);
                if is_size {
                    sizes.insert(symbol.clone());
                }
            });
        }
        sizes_behind(program, &mut sizes);
        exponents_behind(program, &mut usage.exponents);
        usage.origins = usage
            .functions
            .keys()
            .filter(|symbol| !sizes.contains(*symbol))
            .cloned()
            .collect();
        usage.strides = strides;
        usage
    }

    /// Of the longer one of two strides of an array, so many of the shorter one: were they the same, its rows would be
    /// one row.
    ///
    /// Of an exponent, what makes the power about as large: 7, of two.
    pub fn default_size(&self, symbol: &Symbol) -> f64 {
        if let Some(base) = self.exponents.get(symbol) {
            return DEFAULT_SIZE.log(*base).round().max(1.0);
        }
        let (mut size, mut symbol) = (DEFAULT_SIZE, symbol);
        for _ in 0..MOST_STRIDES {
            let Some(shorter) = self.strides.get(symbol) else {
                break;
            };
            (size, symbol) = (size * DEFAULT_SIZE, shorter);
        }
        size
    }

    /// The symbol, and what its value mentions, and what that mentions.
    fn add(&mut self, program: &Program, function: usize, symbol: &Symbol) {
        let mut todo = vec![symbol.clone()];
        while let Some(symbol) = todo.pop() {
            let users = self.functions.entry(symbol.clone()).or_default();
            // Functions come one after another.
            if users.last() == Some(&function) || users.contains(&function) {
                continue;
            }
            users.push(function);
            if let Some(value) = value(program, function, &symbol) {
                add_exponents(value, &mut self.exponents);
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

    /// The value of a place that nothing gives one.
    pub fn default_value(&self, symbol: &Symbol) -> f64 {
        if self.origins.contains(symbol) {
            DEFAULT_ORIGIN
        } else {
            self.default_size(symbol)
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
        .into_iter()
        .for_each(|child| add_exponents(child, exponents));
}

fn add_all(exponent: &Expr, base: f64, exponents: &mut BTreeMap<Symbol, f64>) {
    exponent
        .symbols()
        .into_iter()
        .for_each(|symbol| add_exponent(symbol, base, exponents));
}

/// Of several numbers that a symbol raises the largest counts.
fn add_exponent(symbol: Symbol, base: f64, exponents: &mut BTreeMap<Symbol, f64>) {
    let known = exponents.entry(symbol).or_insert(base);
    *known = known.max(base);
}

/// Adds what the values of known sizes are made from: `m`, where the source says `n = 2*m`.
fn sizes_behind(program: &Program, sizes: &mut HashSet<Symbol>) {
    let constants = || {
        let own = program.functions.iter().flat_map(|function| {
            let constants = function.constants.iter();
            constants.map(|constant| (&constant.symbol, &constant.value))
        });
        let places = program.places.iter();
        own.chain(places.filter_map(|(symbol, place)| Some((symbol, place.value.as_ref()?))))
    };
    loop {
        let before = sizes.len();
        for (symbol, value) in constants() {
            if sizes.contains(symbol) {
                add_sizes(value, 1.0, sizes);
            }
        }
        if sizes.len() == before {
            return;
        }
    }
}

/// Adds what the values of known exponents are made from.
fn exponents_behind(program: &Program, exponents: &mut BTreeMap<Symbol, f64>) {
    loop {
        let before = exponents.len();
        for constant in program
            .functions
            .iter()
            .flat_map(|function| &function.constants)
        {
            if let Some(base) = exponents.get(&constant.symbol).copied() {
                add_all(&constant.value, base, exponents);
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
