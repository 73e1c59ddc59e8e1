//! What follows from the counts of an eDAG and the inputs: latency sensitivity, time bounds, Brent's
//! bounds, bandwidth (dynamic.md section 3). Each is one expression over the names below.

use crate::expr::{CellNames, Excel, Expr, FigureId, Lookup, Symbol};
use crate::metrics::report::{Edag, Inputs};

/// One derived figure.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The key in JSON and the defined name in the workbook.
    pub key: &'static str,
    /// The symbol of the publication.
    pub symbol: &'static str,
    pub label: &'static str,
    pub unit: &'static str,
    /// Over [`COUNTS`], [`INPUTS`] and the keys of earlier formulas.
    pub expr: Expr,
    /// Where the formula comes from.
    pub source: &'static str,
    /// Whether it needs the addresses of accesses.
    pub needs_addresses: bool,
}

/// A named leaf of the formulas.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    pub key: &'static str,
    pub symbol: &'static str,
    pub label: &'static str,
    pub unit: &'static str,
}

const fn name(
    key: &'static str,
    symbol: &'static str,
    label: &'static str,
    unit: &'static str,
) -> Name {
    Name {
        key,
        symbol,
        label,
        unit,
    }
}

/// What is counted; see [`Edag`].
pub const COUNTS: [Name; 9] = [
    name(
        "vertices",
        "|V|",
        "Vertices: executed instructions",
        "instructions",
    ),
    name("edges", "|E|", "Edges: true dependences", "edges"),
    name("work", "T₁", "Work", "cycles"),
    name("depth", "T∞", "Depth (span)", "cycles"),
    name(
        "memory_work",
        "𝒲",
        "Memory work: accesses that go to RAM",
        "accesses",
    ),
    name(
        "memory_depth",
        "𝒟",
        "Memory depth: most of them on one path",
        "accesses",
    ),
    name(
        "non_memory_cost",
        "C",
        "Cost of everything that does not go to RAM",
        "cycles",
    ),
    name(
        "non_memory_span",
        "C∞",
        "Longest path without the RAM accesses",
        "cycles",
    ),
    name("bytes_moved", "", "Bytes to and from RAM", "B"),
];

/// What a person may change.
pub const INPUTS: [Name; 5] = [
    name(
        "slots",
        "m",
        "Issue slots: RAM accesses under way at once",
        "accesses",
    ),
    name("latency", "α", "Latency of a RAM access", "cycles"),
    name(
        "base_latency",
        "α₀",
        "Latency at which relative sensitivity is taken",
        "cycles",
    ),
    name("ghz", "", "Clock", "GHz"),
    name("processors", "p", "Processors of Brent's bounds", ""),
];

const EDAN: &str = "EDAN (arXiv 2512.13176)";
const BRENT: &str = "Brent, J. ACM 21(2), 1974";

/// All derived figures; later ones may name earlier ones.
pub fn formulas() -> Vec<Formula> {
    let v = Expr::symbol;
    let of_memory = |key, symbol, label, unit, expr| {
        let (source, needs_addresses) = (EDAN, true);
        Formula {
            key,
            symbol,
            label,
            unit,
            expr,
            source,
            needs_addresses,
        }
    };
    let of_graph = |key, symbol, label, unit, expr| {
        let (source, needs_addresses) = (BRENT, false);
        Formula {
            key,
            symbol,
            label,
            unit,
            expr,
            source,
            needs_addresses,
        }
    };
    vec![
        of_graph(
            "parallelism",
            "T₁/T∞",
            "Parallelism",
            "",
            v("work").quotient(v("depth")),
        ),
        of_graph(
            "brent_lower",
            "T_p ≥",
            "Least time on p processors (work and depth laws)",
            "cycles",
            Expr::max([v("work").quotient(v("processors")), v("depth")]),
        ),
        of_graph(
            "brent_upper",
            "T_p ≤",
            "Most time on p processors (Brent)",
            "cycles",
            (v("work") - v("depth")).quotient(v("processors")) + v("depth"),
        ),
        of_memory(
            "lambda",
            "λ",
            "Latency sensitivity: growth of the upper bound per cycle of latency",
            "accesses",
            (v("memory_work") - v("memory_depth")).quotient(v("slots")) + v("memory_depth"),
        ),
        of_memory(
            "lambda_lower",
            "λ_lower",
            "Growth of the lower bound per cycle of latency",
            "accesses",
            Expr::max([v("memory_work").quotient(v("slots")), v("memory_depth")]),
        ),
        of_memory(
            "relative_lambda",
            "Λ(α₀)",
            "Relative sensitivity: share by which the upper bound grows per cycle",
            "1/cycle",
            v("lambda").quotient(v("lambda") * v("base_latency") + v("non_memory_cost")),
        ),
        of_memory(
            "time_lower",
            "T ≥",
            "Least time",
            "cycles",
            v("lambda_lower") * v("latency") + v("non_memory_cost"),
        ),
        of_memory(
            "time_upper",
            "T ≤",
            "Most time",
            "cycles",
            v("lambda") * v("latency") + v("non_memory_cost"),
        ),
        of_memory(
            "average_bandwidth",
            "",
            "Average bandwidth over the depth",
            "B/s",
            v("bytes_moved").quotient(v("depth").quotient(v("ghz") * 1e9)),
        ),
    ]
}

/// Counts, inputs and derived figures by name.
#[derive(Clone, Debug)]
pub struct Figures {
    values: Vec<(&'static str, Option<f64>)>,
}

/// What a formula calls its leaves in print: symbols where there are any, else the keys.
struct Symbols;

impl CellNames for Symbols {
    fn figure(&self, id: FigureId) -> String {
        format!("figure {}", id.0)
    }

    fn symbol(&self, key: &str) -> String {
        let leaves = COUNTS
            .iter()
            .chain(&INPUTS)
            .map(|name| (name.key, name.symbol));
        let known = leaves.chain([("lambda", "λ"), ("lambda_lower", "λ_lower")]);
        let symbol = known
            .filter(|(_, symbol)| !symbol.is_empty())
            .find(|(name, _)| *name == key);
        symbol.map_or(key, |(_, symbol)| symbol).to_string()
    }

    fn range(&self, _: &[FigureId]) -> Option<String> {
        None
    }
}

impl Formula {
    /// The formula as it is printed in the publications: `(𝒲-𝒟)/m+𝒟`.
    pub fn text(&self) -> String {
        Excel {
            expr: &self.expr,
            names: &Symbols,
        }
        .to_string()
    }
}

impl Figures {
    /// Evaluates every formula. What cannot be known without addresses has no value, nor has a division by zero.
    pub fn of(edag: &Edag, inputs: &Inputs) -> Figures {
        let memory = |part: fn(&crate::metrics::report::EdagMemory) -> u64| {
            edag.memory.as_ref().map(|m| part(m) as f64)
        };
        let mut values = vec![
            ("vertices", Some(edag.vertices as f64)),
            ("edges", Some(edag.edges as f64)),
            ("work", Some(edag.work as f64)),
            ("depth", Some(edag.depth as f64)),
            ("memory_work", memory(|m| m.work)),
            ("memory_depth", memory(|m| m.depth)),
            ("non_memory_cost", memory(|m| m.non_memory_cost)),
            ("non_memory_span", memory(|m| m.non_memory_span)),
            ("bytes_moved", memory(|m| m.bytes_moved)),
            ("slots", Some(inputs.slots)),
            ("latency", Some(inputs.latency)),
            ("base_latency", Some(inputs.base_latency)),
            ("ghz", Some(inputs.ghz)),
            ("processors", Some(inputs.processors)),
        ];
        for formula in formulas() {
            let known = |symbol: &Symbol| {
                values
                    .iter()
                    .find(|(key, _)| *key == symbol.name())
                    .and_then(|(_, value)| *value)
            };
            let value = formula
                .expr
                .evaluate(&known as &dyn Lookup)
                .ok()
                .filter(|value| value.is_finite());
            values.push((formula.key, value));
        }
        Figures { values }
    }

    /// The value under a key of [`COUNTS`], [`INPUTS`] or [`formulas`]; `None` if it is not known.
    pub fn get(&self, key: &str) -> Option<f64> {
        self.values
            .iter()
            .find(|(name, _)| *name == key)
            .and_then(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::report::EdagMemory;

    fn figures(work: u64, depth: u64, cost: u64, slots: f64) -> Figures {
        let memory = EdagMemory {
            work,
            depth,
            non_memory_cost: cost,
            non_memory_span: cost,
            bytes_moved: 0,
        };
        let edag = Edag {
            vertices: 10,
            edges: 0,
            work: 10,
            depth: 5,
            memory: Some(memory),
        };
        let inputs = Inputs {
            slots,
            latency: 100.0,
            base_latency: 50.0,
            ghz: 1.0,
            processors: 4.0,
        };
        Figures::of(&edag, &inputs)
    }

    /// EDAN slides, "Case Studies: HPCG": memory work and depth, four slots, and the λ printed there.
    #[test]
    fn published_latency_sensitivity() {
        for (work, depth, lambda) in [
            (106_151_255, 73_703, 26_593_091.0),
            (11_200_012, 45_102, 2_833_829.5),
            (10_833_505, 43_502, 2_741_002.75),
        ] {
            assert_eq!(figures(work, depth, 0, 4.0).get("lambda"), Some(lambda));
        }
    }

    /// EDAN slides, "Memory Latency Sensitivity Metrics": three misses, chained or not, three slots.
    #[test]
    fn three_misses_chained_or_independent() {
        let chained = figures(3, 3, 1, 3.0);
        assert_eq!(
            (chained.get("lambda"), chained.get("lambda_lower")),
            (Some(3.0), Some(3.0))
        );
        let independent = figures(3, 1, 1, 3.0);
        assert_eq!(independent.get("lambda_lower"), Some(1.0));
        assert!((independent.get("lambda").expect("known") - 5.0 / 3.0).abs() < 1e-15);
        // λ·α₀ + C = 5/3·50 + 1
        let relative = independent.get("relative_lambda").expect("known");
        assert!((relative - (5.0 / 3.0) / (250.0 / 3.0 + 1.0)).abs() < 1e-15);
        assert_eq!(chained.get("time_upper"), Some(301.0));
    }

    #[test]
    fn formulas_are_printed_with_their_symbols() {
        let text = |key| {
            formulas()
                .into_iter()
                .find(|formula| formula.key == key)
                .expect("a formula")
                .text()
        };
        assert_eq!(text("lambda"), "(𝒲-𝒟)/m+𝒟");
        assert_eq!(text("lambda_lower"), "MAX(𝒲/m,𝒟)");
        assert_eq!(text("parallelism"), "T₁/T∞");
    }

    #[test]
    fn without_addresses_memory_figures_are_unknown() {
        let edag = Edag {
            vertices: 3,
            edges: 2,
            work: 3,
            depth: 2,
            memory: None,
        };
        let inputs = Inputs {
            slots: 4.0,
            latency: 1.0,
            base_latency: 1.0,
            ghz: 1.0,
            processors: 1.0,
        };
        let figures = Figures::of(&edag, &inputs);
        assert_eq!(figures.get("parallelism"), Some(1.5));
        assert_eq!(figures.get("lambda"), None);
    }
}
