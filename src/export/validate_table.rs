//! The table of `loopsheet validate` on standard output.

use std::fmt::Write;

use super::columns::{Align, aligned};
use crate::quantity::{Bytes, binary_size};
use crate::validate::{Case, Explained, Report, Summary};

/// The table; `worst` limits the cases to that many, those farthest from the simulation first.
pub fn render(report: &Report, worst: Option<usize>) -> String {
    let mut cases: Vec<&Case> = report.cases.iter().collect();
    if let Some(worst) = worst {
        cases.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        cases.truncate(worst);
    }
    let header = [
        "nest",
        "sizes",
        "level",
        "capacity",
        "predicted",
        "simulated",
        "ratio",
        "set-assoc.",
        "condition",
        "explained",
    ];
    let mut rows = vec![header.map(str::to_string)];
    rows.extend(cases.iter().map(|case| row(case)));
    let align = [
        Align::Left,
        Align::Left,
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
        Align::Left,
    ];
    let mut text = aligned(&rows, align);
    let left_out = report.cases.len() - cases.len();
    if left_out > 0 {
        let _ = writeln!(text, "… and {left_out} more cases");
    }
    text.push('\n');
    text.push_str(&summary(&Summary::of(&report.cases)));
    if !report.skipped.is_empty() {
        let _ = writeln!(text, "\nnot run:");
        for skipped in &report.skipped {
            let _ = writeln!(
                text,
                "  {}:{}: {}: {}: {}",
                skipped.file, skipped.line, skipped.nest, skipped.code, skipped.detail
            );
        }
    }
    text
}

/// How far the prediction is off, as a factor; what is unknown comes first.
fn distance(case: &Case) -> f64 {
    let off = case.ratio().ln().abs();
    if off.is_nan() { f64::INFINITY } else { off }
}

fn row(case: &Case) -> [String; 10] {
    let sizes: Vec<String> = case
        .sizes
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let explain = |explained: &Explained| match explained {
        Explained::Sampled => format!("sampled ±{:.2} %", 100.0 * case.error.all()),
        other => other.as_str().to_string(),
    };
    let explained: Vec<String> = case.explained.iter().map(explain).collect();
    [
        case.nest.clone(),
        sizes.join(" "),
        case.level.clone(),
        binary_size(case.capacity),
        Bytes(case.predicted_bytes).to_string(),
        Bytes(case.simulated_bytes).to_string(),
        format!("{:.3}", case.ratio()),
        case.simulated_set_associative_bytes
            .map_or(String::new(), |bytes| Bytes(bytes).to_string()),
        case.condition.clone(),
        explained.join(", "),
    ]
}

fn summary(summary: &Summary) -> String {
    let line = |what: &str, cases: usize, five: usize, twenty: usize| {
        let share = |part: usize| {
            if cases == 0 {
                0.0
            } else {
                100.0 * part as f64 / cases as f64
            }
        };
        format!(
            "{what}: {cases}, within 5 % {five} ({:.1} %), within 20 % {twenty} ({:.1} %)\n",
            share(five),
            share(twenty)
        )
    };
    let Summary {
        cases,
        within_5_percent,
        within_20_percent,
        ..
    } = *summary;
    let mut text = line("cases", cases, within_5_percent, within_20_percent);
    if summary.outside_switch > 0 {
        text += &line(
            "cases more than a tenth from any step",
            summary.outside_switch,
            summary.outside_switch_within_5_percent,
            summary.outside_switch_within_20_percent,
        );
    }
    text
}
