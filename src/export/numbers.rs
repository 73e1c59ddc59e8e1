//! How the figures of a run are printed in tables.

/// The part of a whole, in percent.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        "unknown (of nothing)".into()
    } else {
        format!("{:.1} %", 100.0 * part as f64 / whole as f64)
    }
}

/// Whole numbers in full, others with six digits.
pub(crate) fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else if value.abs() >= 1e15 || value.abs() < 1e-3 {
        format!("{value:.5e}")
    } else {
        let digits = value.abs().log10().floor().max(0.0) as usize + 1;
        let text = format!("{value:.*}", 6usize.saturating_sub(digits).max(1));
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    }
}

/// Three digits are enough to compare.
pub(crate) fn rate(value: f64) -> String {
    match value {
        _ if !value.is_finite() => "unknown".to_string(),
        _ if value == 0.0 => "0".to_string(),
        _ if value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ if value >= 0.01 => format!("{value:.2}"),
        _ => format!("{value:.0e}"),
    }
}
