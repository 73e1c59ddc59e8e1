//! The table of weighted slices on standard output: the slices, and the sums with their formulas.

use super::camat_table;
use super::columns::{Align, aligned};
use super::numbers::number;
use super::trace_table::rates;
use crate::formula::Catalogue;
use crate::metrics::formulas::EdagFigure;
use crate::metrics::slices::{FORMULA, NOTES, Slice, Slices};
use crate::quantity::Bytes;
use crate::wording::counted;
use Align::{Left, Right};

pub fn render(slices: &Slices) -> String {
    let mut parts = vec![listed(slices), mix(slices)];
    if slices
        .slices
        .first()
        .is_some_and(|slice| !slice.cache.is_empty())
    {
        parts.push(cache(slices));
    }
    parts.push(edag(slices));
    parts.extend(slices.reuse().map(|reuse| {
        let cold = [["  first touches".to_string(), number(reuse.cold)]];
        let bins = reuse.bins.iter();
        let bins = bins.map(|((lo, hi), count)| [format!("  {lo} to {}", hi - 1), number(*count)]);
        let rows: Vec<_> = cold.into_iter().chain(bins).collect();
        format!("reuse distances, lines\n{}", aligned(&rows, [Left, Right]))
    }));
    parts.extend(epochs(slices));
    let camat = slices.slices.first().and_then(|slice| slice.camat.as_ref());
    parts.extend(camat.zip(slices.camat()).map(|(camat, figures)| {
        let table = camat_table::summed(camat, &figures);
        format!("C-AMAT; counts are {FORMULA}, the rest follows from these\n{table}")
    }));
    parts.push(notes(slices));
    parts.join("\n")
}

fn listed(slices: &Slices) -> String {
    let row = |slice: &Slice| {
        [
            format!("  {}", slice.path),
            number(slice.weight),
            slice.instructions.to_string(),
        ]
    };
    let mut rows = vec![["  slice", "w", "instructions"].map(String::from)];
    rows.extend(slices.slices.iter().map(row));
    let sums = [
        "  sum, and instructions".to_string(),
        number(slices.weights()),
        number(slices.instructions()),
    ];
    rows.push(sums);
    let text = aligned(&rows, [Left, Right, Right]);
    format!(
        "{}; every count is {FORMULA}, the rest follows from these\n{text}",
        counted(slices.slices.len(), "slice")
    )
}

fn mix(slices: &Slices) -> String {
    let classes = slices.mix().into_iter();
    let mut classes: Vec<_> = classes
        .map(|(class, count)| (class.name(), count))
        .collect();
    classes.sort_by(|a, b| b.1.total_cmp(&a.1));
    let row = |(class, count): (&str, f64)| [format!("  {class}"), number(count)];
    let rows: Vec<_> = classes.into_iter().map(row).collect();
    format!("instruction mix\n{}", aligned(&rows, [Left, Right]))
}

fn cache(slices: &Slices) -> String {
    let specs = slices.slices.iter().take(1).flat_map(|slice| &slice.cache);
    let accesses = slices.of_levels(|level| level.accesses());
    let misses = slices.of_levels(|level| level.misses);
    let bytes_in = slices.of_levels(|level| level.bytes_in);
    let bytes_out = slices.of_levels(|level| level.bytes_out);
    let headings = ["  cache", "", "accesses", "misses", "in", "out"];
    let mut rows = vec![headings.map(String::from)];
    rows.extend(specs.enumerate().map(|(place, level)| {
        [
            format!("  level {}", place + 1),
            level.spec.to_string(),
            number(accesses[place]),
            number(misses[place]),
            Bytes(bytes_in[place]).to_string(),
            Bytes(bytes_out[place]).to_string(),
        ]
    }));
    aligned(&rows, [Left, Left, Right, Right, Right, Right])
}

fn edag(slices: &Slices) -> String {
    let figures = slices.figures();
    let mut own = slices.slices.iter();
    let lacks_addresses = own.any(|slice| slice.edag.memory.is_none());
    let row = |figure: &EdagFigure| {
        let entry = figure.entry();
        let value = figures.get(*figure);
        let formula = match figure.expr() {
            Some(_) => figure.text(),
            None if figure.is_input() => String::new(),
            None => FORMULA.to_string(),
        };
        let unit = match value {
            Some(_) => entry.unit.symbol(),
            None if figure.needs_addresses() && lacks_addresses => {
                "unknown (a slice has no addresses)"
            }
            None if figure.needs_widths() => "unknown (a slice has no widths of accesses)",
            None => "unknown (division by zero)",
        };
        [
            format!("  {}", entry.meaning),
            entry.symbol.to_string(),
            value.map(number).unwrap_or_default(),
            unit.to_string(),
            formula,
        ]
    };
    let rows: Vec<_> = EdagFigure::ALL.iter().map(row).collect();
    let aligns = [Left, Left, Right, Left, Left];
    format!("eDAG\n{}", aligned(&rows, aligns))
}

fn epochs(slices: &Slices) -> Vec<String> {
    let first = slices
        .slices
        .first()
        .and_then(|slice| slice.epochs.as_ref());
    let Some(first) = first else {
        return Vec::new();
    };
    let table = |(limit, table): (&Option<u32>, &Vec<Vec<f64>>)| {
        let limit = limit.map_or(String::new(), |limit| {
            format!(" of at most {limit} misses each")
        });
        let heading = format!("epochs{limit} per 1,000 instructions, 1000·Σ wᵢ·eᵢ / Σ wᵢ·Iᵢ");
        rates(&heading, first, slices.per_thousand(table))
    };
    slices.epochs().iter().map(table).collect()
}

fn notes(slices: &Slices) -> String {
    let own = slices.slices.iter().flat_map(|slice| {
        let notes = slice.notes.iter();
        notes.map(move |note| format!("  {}: {note}\n", slice.path))
    });
    let all = NOTES.iter().map(|note| format!("  {note}\n")).chain(own);
    format!("notes\n{}", all.collect::<String>())
}
