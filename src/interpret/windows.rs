//! Sampling: windows of iterations that stand for all. Each begins with cold caches, warms them up, and is
//! measured after that.

use super::code::{Body, Code, Op};
use super::run::Counted;

/// Windows of the iterations of one loop, counted over all its executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Number of the loop.
    pub number: usize,
    /// How often it is executed.
    pub executions: u64,
    pub windows: Vec<Window>,
}

/// Iterations from `start` to before `end`; those from `measured` on count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub start: u64,
    pub measured: u64,
    pub end: u64,
}

/// What begins in a run of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// With cold caches.
    WarmUp,
    Measured,
    /// Nothing counts until the next window.
    End,
}

/// Windows of a nest.
const WINDOWS: u64 = 8;
/// Its multiples, less whole numbers, are spread evenly over 0 to 1.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// Windows spread over a nest so that they make about `budget` accesses, half of them to warm up. `None` if the nest
/// is not made of counted loops whose iterations can be left out.
pub fn plan(code: &Code, counted: &Counted, budget: u64) -> Option<Plan> {
    let each = budget / WINDOWS;
    let mut units = 1;
    for number in samplable(code) {
        let executions = units;
        units = *counted.iterations.get(number)?;
        let per_unit = counted.accesses.checked_div(units).unwrap_or(0).max(1);
        let length = (each / per_unit).min(units / WINDOWS);
        if length < 2 {
            continue;
        }
        // Each anywhere in its share of the iterations: at equal distances, all might be at the same place of rows.
        let window = |index: u64| {
            let place = ((index + 1) as f64 * GOLDEN).fract();
            let start =
                (units / WINDOWS) * index + ((units / WINDOWS - length) as f64 * place) as u64;
            Window {
                start,
                measured: start + length / 2,
                end: start + length,
            }
        };
        return Some(Plan {
            number,
            executions,
            windows: (0..WINDOWS).map(window).collect(),
        });
    }
    None
}

/// Loops whose iterations can be left out, outermost first: around them are only such.
fn samplable(code: &Code) -> Vec<usize> {
    let mut found = Vec::new();
    let mut body = code.body.as_slice();
    loop {
        let inner = body.iter().find_map(|op| {
            if let Op::Loop(inner) = op {
                Some(inner)
            } else {
                None
            }
        });
        let Some(inner) = inner else { return found };
        match &inner.body {
            Body::Strided(_) => {
                found.push(inner.number);
                return found;
            }
            Body::Statements(_) if inner.carries => return found,
            Body::Statements(statements) => {
                found.push(inner.number);
                body = statements;
            }
        }
    }
}
