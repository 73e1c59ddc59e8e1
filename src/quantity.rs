//! Quantities with units, so that bytes are never added to seconds.

use std::fmt;

macro_rules! quantity {
    ($($(#[$doc:meta])* $name:ident, $unit:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
        pub struct $name(pub f64);

        impl $name {
            /// The unit's symbol.
            pub const UNIT: &'static str = $unit;
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", with_prefix(self.0), $unit)
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = $name>>(items: I) -> $name {
                $name(items.map(|item| item.0).sum())
            }
        }
    )*};
}

quantity! {
    /// Bytes moved or held.
    Bytes, "B";
    /// Floating-point operations.
    Flops, "flop";
    /// Wall-clock time.
    Seconds, "s";
}

/// Three significant digits with a decimal (SI) prefix: `61079552` is `61.1 M`.
fn with_prefix(value: f64) -> String {
    const PREFIXES: [(f64, &str); 9] = [
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "µ"),
        (1e-9, "n"),
        (1e-12, "p"),
    ];
    if value == 0.0 || !value.is_finite() {
        return format!("{value} ");
    }
    let (scale, prefix) =
        PREFIXES.into_iter().find(|(scale, _)| value.abs() >= *scale * 0.9995).unwrap_or(PREFIXES[PREFIXES.len() - 1]);
    let scaled = value / scale;
    let decimals = if scaled.abs() >= 99.95 {
        0
    } else if scaled.abs() >= 9.995 {
        1
    } else {
        2
    };
    format!("{scaled:.decimals$} {prefix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_prefix() {
        assert_eq!(Bytes(61_079_552.0).to_string(), "61.1 MB");
        assert_eq!(Seconds(5.9648e-5).to_string(), "59.6 µs");
        assert_eq!(Flops(0.0).to_string(), "0 flop");
    }
}
