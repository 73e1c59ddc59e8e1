//! What follows from the counts of an eDAG and the inputs: latency sensitivity, time bounds, Brent's
//! bounds, bandwidth (guide: dynamic-model, "Memory work, memory depth and λ"). Each is one expression over the
//! names of the catalogue.

use crate::expr::{CellNames, Excel, Expr, FigureId, Lookup, Symbol};
use crate::formula::{Catalogue, Source};
use crate::report::{Edag, EdagMemory, Inputs};

loopsheet_base::catalogue! {
    /// Counts (see [`Edag`]), inputs and what follows from them; formulas name what stands before them.
    pub enum EdagFigure {
        Vertices "vertices" "|V|" Instructions "Vertices: executed instructions" Source::Counted;
        Edges "edges" "|E|" Edges "Edges: true dependences" Source::Counted;
        Work "work" "T₁" Cycles "Work" Source::Counted;
        Depth "depth" "T∞" Cycles "Depth (span)" Source::Counted;
        MemoryWork "memory_work" "𝒲" Accesses "Memory work: accesses that go to RAM" Source::Counted;
        MemoryDepth "memory_depth" "𝒟" Accesses "Memory depth: most of them on one path" Source::Counted;
        NonMemoryCost "non_memory_cost" "C" Cycles "Cost of everything that does not go to RAM" Source::Counted;
        NonMemorySpan "non_memory_span" "C∞" Cycles "Longest path without the RAM accesses" Source::Counted;
        BytesMoved "bytes_moved" "" Bytes "Bytes to and from RAM" Source::Counted;
        Slots "slots" "m" Accesses "Issue slots: outstanding RAM accesses" Source::Given;
        Latency "latency" "α" Cycles "Latency of a RAM access" Source::Given;
        BaseLatency "base_latency" "α₀" Cycles "Latency at which relative sensitivity is taken" Source::Given;
        Ghz "ghz" "" Gigahertz "Clock" Source::Given;
        Processors "processors" "p" Count "Processors of Brent's bounds" Source::Given;
        Parallelism "parallelism" "T₁/T∞" Ratio "Parallelism" Source::Brent;
        BrentLower "brent_lower" "T_p ≥" Cycles "Minimum time on p processors (work and depth laws)" Source::Brent;
        BrentUpper "brent_upper" "T_p ≤" Cycles "Maximum time on p processors (Brent)" Source::Brent;
        Lambda "lambda" "λ" Accesses "Latency sensitivity: growth of the upper bound per cycle of latency" Source::Edan;
        LambdaLower "lambda_lower" "λ_lower" Accesses "Growth of the lower bound per cycle of latency" Source::Edan;
        RelativeLambda "relative_lambda" "Λ(α₀)" PerCycle "Relative sensitivity: share by which the upper bound grows per cycle" Source::Edan;
        TimeLower "time_lower" "T ≥" Cycles "Minimum time, all but RAM accesses one at a time" Source::Edan;
        TimeUpper "time_upper" "T ≤" Cycles "Maximum time, all but RAM accesses one at a time" Source::Edan;
        AverageBandwidth "average_bandwidth" "" BytesPerSecond "Bandwidth of an ideal machine that takes only the depth" Source::Edan;
    }
}

use EdagFigure as F;

impl EdagFigure {
    /// Whether it needs the addresses of accesses.
    pub fn needs_addresses(self) -> bool {
        match self.entry().source {
            Source::Edan => true,
            Source::Counted => !matches!(self, F::Vertices | F::Edges | F::Work | F::Depth),
            _ => false,
        }
    }

    /// Whether it needs the widths of accesses where there is no cache.
    pub fn needs_widths(self) -> bool {
        matches!(self, F::BytesMoved | F::AverageBandwidth)
    }

    /// Whether it is an input.
    pub fn is_input(self) -> bool {
        self.entry().source == Source::Given
    }

    /// The figure as a leaf of formulas.
    fn leaf(self) -> Expr {
        Expr::symbol(self.entry().name)
    }

    /// Its formula; `None` for counts and inputs.
    pub fn expr(self) -> Option<Expr> {
        let v = EdagFigure::leaf;
        Some(match self {
            F::Parallelism => v(F::Work).quotient(v(F::Depth)),
            F::BrentLower => Expr::max([v(F::Work).quotient(v(F::Processors)), v(F::Depth)]),
            F::BrentUpper => (v(F::Work) - v(F::Depth)).quotient(v(F::Processors)) + v(F::Depth),
            F::Lambda => {
                let others = v(F::MemoryWork) - v(F::MemoryDepth);
                others.quotient(v(F::Slots)) + v(F::MemoryDepth)
            }
            F::LambdaLower => {
                Expr::max([v(F::MemoryWork).quotient(v(F::Slots)), v(F::MemoryDepth)])
            }
            F::RelativeLambda => {
                let time = v(F::Lambda) * v(F::BaseLatency) + v(F::NonMemoryCost);
                v(F::Lambda).quotient(time)
            }
            F::TimeLower => v(F::LambdaLower) * v(F::Latency) + v(F::NonMemoryCost),
            F::TimeUpper => v(F::Lambda) * v(F::Latency) + v(F::NonMemoryCost),
            F::AverageBandwidth => v(F::BytesMoved).quotient(v(F::Depth).quotient(v(F::Ghz) * 1e9)),
            _ => return None,
        })
    }

    /// The formula as it is printed in the publications: `(𝒲-𝒟)/m+𝒟`.
    pub fn text(self) -> String {
        let text = |expr| {
            Excel {
                expr: &expr,
                names: &Symbols,
            }
            .to_string()
        };
        self.expr().map(text).unwrap_or_default()
    }
}

/// Counts, inputs and derived figures.
#[derive(Clone, Debug)]
pub struct Figures {
    /// By position in the catalogue.
    values: Vec<Option<f64>>,
}

/// What a formula calls its leaves in print.
struct Symbols;

impl CellNames for Symbols {
    fn figure(&self, id: FigureId) -> String {
        format!("figure {}", id.0)
    }

    fn symbol(&self, name: &str) -> String {
        let known = EdagFigure::named(name);
        known
            .map_or(name, |figure| figure.entry().printed())
            .to_string()
    }

    fn range(&self, _: &[FigureId]) -> Option<String> {
        None
    }
}

impl Figures {
    /// Evaluates every formula. What cannot be known without addresses has no value, nor has a division by zero.
    pub fn of(edag: &Edag, inputs: &Inputs) -> Figures {
        Figures::of_counts(&|figure| counted(figure, edag), inputs)
    }

    /// The same of counts that are not those of one graph.
    pub fn of_counts(count: &dyn Fn(EdagFigure) -> Option<f64>, inputs: &Inputs) -> Figures {
        let mut figures = Figures { values: Vec::new() };
        for figure in EdagFigure::ALL {
            let value = match figure.expr() {
                None => input(*figure, inputs).or_else(|| count(*figure)),
                Some(expr) => expr.evaluate(&figures).ok(),
            };
            figures.values.push(value.filter(|value| value.is_finite()));
        }
        figures
    }

    /// `None` if it is not known.
    pub fn get(&self, figure: EdagFigure) -> Option<f64> {
        self.values.get(figure as usize).copied().flatten()
    }
}

impl Lookup for Figures {
    fn symbol(&self, symbol: &Symbol) -> Option<f64> {
        self.get(EdagFigure::named(symbol.name())?)
    }

    fn figure(&self, _: FigureId) -> Option<f64> {
        None
    }
}

/// A count of a graph.
pub(super) fn counted(figure: EdagFigure, edag: &Edag) -> Option<f64> {
    let memory = |part: fn(&EdagMemory) -> u64| edag.memory.as_ref().map(|m| part(m) as f64);
    match figure {
        F::Vertices => Some(edag.vertices as f64),
        F::Edges => Some(edag.edges as f64),
        F::Work => Some(edag.work as f64),
        F::Depth => Some(edag.depth as f64),
        F::MemoryWork => memory(|m| m.work),
        F::MemoryDepth => memory(|m| m.depth),
        F::NonMemoryCost => memory(|m| m.non_memory_cost),
        F::NonMemorySpan => memory(|m| m.non_memory_span),
        F::BytesMoved => {
            let memory = edag.memory.as_ref();
            memory.and_then(|m| m.bytes_moved).map(|bytes| bytes as f64)
        }
        _ => None,
    }
}

/// An input.
fn input(figure: EdagFigure, inputs: &Inputs) -> Option<f64> {
    match figure {
        F::Slots => Some(inputs.slots),
        F::Latency => Some(inputs.latency),
        F::BaseLatency => Some(inputs.base_latency),
        F::Ghz => Some(inputs.ghz),
        F::Processors => Some(inputs.processors),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::EdagMemory;

    fn figures(work: u64, depth: u64, cost: u64, slots: f64) -> Figures {
        let memory = EdagMemory {
            work,
            depth,
            non_memory_cost: cost,
            non_memory_span: cost,
            bytes_moved: Some(0),
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
            assert_eq!(figures(work, depth, 0, 4.0).get(F::Lambda), Some(lambda));
        }
    }

    /// EDAN slides, "Memory Latency Sensitivity Metrics": three misses, chained or not, three slots.
    #[test]
    fn three_misses_chained_or_independent() {
        let chained = figures(3, 3, 1, 3.0);
        assert_eq!(
            (chained.get(F::Lambda), chained.get(F::LambdaLower)),
            (Some(3.0), Some(3.0))
        );
        let independent = figures(3, 1, 1, 3.0);
        assert_eq!(independent.get(F::LambdaLower), Some(1.0));
        assert!((independent.get(F::Lambda).expect("known") - 5.0 / 3.0).abs() < 1e-15);
        // λ·α₀ + C = 5/3·50 + 1
        let relative = independent.get(F::RelativeLambda).expect("known");
        assert!((relative - (5.0 / 3.0) / (250.0 / 3.0 + 1.0)).abs() < 1e-15);
        assert_eq!(chained.get(F::TimeUpper), Some(301.0));
    }

    #[test]
    fn formulas_are_printed_with_their_symbols() {
        assert_eq!(F::Lambda.text(), "(𝒲-𝒟)/m+𝒟");
        assert_eq!(F::LambdaLower.text(), "MAX(𝒲/m,𝒟)");
        assert_eq!(F::Parallelism.text(), "T₁/T∞");
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
        assert_eq!(figures.get(F::Parallelism), Some(1.5));
        assert_eq!(figures.get(F::Lambda), None);
    }
}
