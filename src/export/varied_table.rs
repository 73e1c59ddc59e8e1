//! Cores with one parameter varied, as a table.

use super::columns::Align::{Left, Right};
use super::columns::aligned;
use super::numbers::number;
use crate::metrics::varied_core::VariedCore;

/// A row for each core; `None` if none was asked for.
pub(super) fn render(cores: &[VariedCore]) -> Option<String> {
    if cores.is_empty() {
        return None;
    }
    let shown = |value: Option<f64>| value.map_or_else(|| "unknown".to_string(), number);
    let head = [
        "  varied", "value", "cycles", "CPI", "AMAT", "C-AMAT", "C_H", "C_M",
    ];
    let mut rows = vec![head.map(String::from)];
    rows.extend(cores.iter().map(|core| {
        [
            format!("  {}", core.parameter.name()),
            core.value.to_string(),
            core.cycles.to_string(),
            shown(core.cycles_per_instruction()),
            shown(core.amat),
            shown(core.camat),
            shown(core.hit_concurrency),
            shown(core.pure_miss_concurrency),
        ]
    }));
    let align = [Left, Right, Right, Right, Right, Right, Right, Right];
    let table = aligned(&rows, align);
    Some(format!(
        "cores with one parameter varied; figures of the nearest level; CPI is of this core, see the notes\n{table}"
    ))
}
