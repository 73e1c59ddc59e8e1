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
                if $unit == "s" && self.0 >= LONG {
                    return f.write_str(&long_time(self.0));
                }
                // There are no thousandths of a flop or a byte.
                if $unit != "s" && (1e-3..0.9995).contains(&self.0.abs()) {
                    let decimals = -self.0.abs().log10().floor() as usize + 2;
                    let text = format!("{:.decimals$}", self.0);
                    return write!(f, "{} {}", text.trim_end_matches('0'), $unit);
                }
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

/// Bytes as written by a person: a number, then an optional unit.
///
/// Units are exactly `B`, `KiB`, `MiB`, `GiB` (powers of 1024) and `kB`, `MB`, `GB` (powers of
/// 1000); no unit is bytes, and `1e9` is a number. Space around the number is allowed. `32K`, `32kb` and the like are
/// refused: nothing is guessed.
///
/// # Errors
/// What is wrong with the text: no number, a negative or fractional number of bytes, another unit.
pub fn parse_bytes(text: &str) -> Result<Bytes, String> {
    const UNITS: [(&str, f64); 8] = [
        ("", 1.0),
        ("B", 1.0),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
    ];
    let text = text.trim();
    if text.starts_with('-') {
        return Err(format!(
            "`{text}` is less than nothing; sizes are whole numbers of bytes, such as 32KiB"
        ));
    }
    let number_end = end_of_number(text);
    let (number, unit) = (&text[..number_end], text[number_end..].trim_start());
    let number: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` does not begin with a number of bytes, such as 32KiB"))?;
    let Some((_, factor)) = UNITS.into_iter().find(|(name, _)| *name == unit) else {
        return Err(format!(
            "`{unit}` is not a unit of bytes; units are B, KiB, MiB, GiB, kB, MB and GB"
        ));
    };
    let bytes = number * factor;
    if bytes.fract() != 0.0 || !bytes.is_finite() {
        return Err(format!("`{text}` is not a whole number of bytes"));
    }
    Ok(Bytes(bytes))
}

/// Where a number ends that a text begins with, its power of ten included: `1e9`.
fn end_of_number(text: &str) -> usize {
    let end_of = |from: usize, is_part: fn(char) -> bool| {
        let rest = &text[from..];
        from + rest.find(|c| !is_part(c)).unwrap_or(rest.len())
    };
    let end = end_of(0, |c| c.is_ascii_digit() || c == '.');
    let Some(power) = text[end..].strip_prefix(['e', 'E']) else {
        return end;
    };
    let from = text.len() - power.strip_prefix('+').unwrap_or(power).len();
    match end_of(from, |c| c.is_ascii_digit()) {
        to if to > from => to,
        _ => end,
    }
}

/// Bytes exactly, in the largest binary unit that leaves no fraction: `49152` is `48 KiB`.
pub fn binary_size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units
        .into_iter()
        .find(|(bits, _)| bytes > 0 && bytes.is_multiple_of(1 << bits));
    unit.map_or(format!("{bytes} B"), |(bits, name)| {
        format!("{} {name}", bytes >> bits)
    })
}

/// Seconds that are written in larger units from here on.
const LONG: f64 = 999.5;

/// Three significant digits of a long time in minutes, hours or days, or of seconds where nobody would wait.
fn long_time(seconds: f64) -> String {
    const MINUTE: f64 = 60.0;
    const HOUR: f64 = 60.0 * MINUTE;
    const DAY: f64 = 24.0 * HOUR;
    let units = [
        (2.0 * HOUR, MINUTE, "min"),
        (2.0 * DAY, HOUR, "h"),
        (1000.0 * DAY, DAY, "days"),
    ];
    match units.into_iter().find(|(end, ..)| seconds < *end) {
        Some((_, unit, name)) => format!("{} {name}", significant(seconds / unit)),
        None => format!("{} s", significant(seconds)),
    }
}

/// A number with three significant digits, `36.386` is `36.4`; a power of ten where that is shorter: `1.12e7`.
pub fn significant(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(0.9995e-3..99_950.0).contains(&size) {
        return format!("{value:.2e}");
    }
    // Rounding may carry into another digit: 9.996 is 10.0.
    let digits = (size * 1.0005).log10().floor() as i32;
    format!("{value:.*}", (2 - digits).max(0) as usize)
}

/// Three significant digits with a decimal (SI) prefix, `61079552` is `61.1 M`, or with a power of ten where no prefix goes.
pub fn with_prefix(value: f64) -> String {
    const PREFIXES: [(f64, &str); 11] = [
        (1e18, "E"),
        (1e15, "P"),
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
    let (scale, prefix) = PREFIXES
        .into_iter()
        .find(|(scale, _)| value.abs() >= *scale * 0.9995)
        .unwrap_or(PREFIXES[PREFIXES.len() - 1]);
    let scaled = value / scale;
    if !(1e-2..999.5).contains(&scaled.abs()) {
        return format!("{value:.2e} ");
    }
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
        assert_eq!(Flops(0.5).to_string(), "0.5 flop");
        assert_eq!(Bytes(0.012_345).to_string(), "0.0123 B");
        assert_eq!(Seconds(0.5).to_string(), "500 ms");
        assert_eq!(Bytes(1.25e17).to_string(), "125 PB");
        assert_eq!(Flops(2.5e25).to_string(), "2.50e25 flop");
    }

    #[test]
    fn long_times_are_in_units_of_people() {
        for (seconds, text) in [
            (999.0, "999 s"),
            (1000.0, "16.7 min"),
            (7199.0, "120 min"),
            (7200.0, "2.00 h"),
            (86_400.0, "24.0 h"),
            (1e6, "11.6 days"),
            (2.77e10, "2.77e10 s"),
        ] {
            assert_eq!(Seconds(seconds).to_string(), text);
        }
    }

    #[test]
    fn three_digits_are_enough() {
        for (value, text) in [
            (0.0, "0"),
            (0.083_333, "0.0833"),
            (0.000_123_4, "1.23e-4"),
            (0.000_999_7, "0.00100"),
            (8.0, "8.00"),
            (9.996, "10.0"),
            (36.386, "36.4"),
            (-124.6, "-125"),
            (12_345.0, "12345"),
            (11_184_810.667, "1.12e7"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn binary_sizes_are_exact() {
        let sizes = [
            (0, "0 B"),
            (64, "64 B"),
            (49_152, "48 KiB"),
            (1 << 20, "1 MiB"),
            ((1 << 30) + 1, "1073741825 B"),
        ];
        for (bytes, text) in sizes {
            assert_eq!(binary_size(bytes), text);
        }
    }

    #[test]
    fn bytes_are_read_strictly() {
        for (text, bytes) in [
            ("64", 64.0),
            ("64 B", 64.0),
            ("48KiB", 49_152.0),
            (" 1.5 MiB ", 1_572_864.0),
            ("2GiB", 2_147_483_648.0),
            ("32kB", 32e3),
            ("1 MB", 1e6),
            ("1GB", 1e9),
            ("1e9", 1e9),
            ("1.5E+3 kB", 1.5e6),
        ] {
            assert_eq!(parse_bytes(text), Ok(Bytes(bytes)), "{text}");
        }
        for text in [
            "", "KiB", "32K", "32kb", "32 KB", "-1 KiB", "1e", "1e3e", "1e-3", "0.3", "1.2.3 kB",
            "4 KiB x", "٣ KiB", "inf",
        ] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
