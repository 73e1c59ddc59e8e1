//! Lists of values as a person writes them: `64`, `64..256:64` (64, 128, 192, 256), `16KiB..1MiB:x2` (each twice the one
//! before).

use crate::quantity::parse_bytes;

/// Values of one list, at most.
pub const MOST_VALUES: usize = 100_000;

/// Whether values may be sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number without a unit, or bytes with one.
    Bytes,
    None,
}

/// Why a text is not a list of values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    #[error("`{text}` is not a number{}{}", if *unit == Unit::Bytes { " or a size such as 16KiB" } else { "" }, in_range(text, whole))]
    Number {
        text: String,
        unit: Unit,
        whole: String,
    },
    #[error(
        "`{text}` is a size, and a number without a unit is expected{}",
        in_range(text, whole)
    )]
    Size { text: String, whole: String },
    #[error("{reason}{}", in_range(text, whole))]
    Bytes {
        text: String,
        reason: String,
        whole: String,
    },
    #[error("`{text}`: say by which step or factor, as in 16KiB..64KiB:16KiB or 16KiB..1MiB:x2")]
    NoStep { text: String },
    #[error("`{text}`: the step must be more than 0")]
    Step { text: String },
    #[error(
        "`{text}`: the factor must be more than 1, and the first value more than 0, as in 16KiB..1MiB:x2"
    )]
    Factor { text: String },
    #[error("`{text}`: the first value is larger than the last one")]
    Order { text: String },
    #[error(
        "`{text}`: more than {MOST_VALUES} values; a step such as :64 or a factor such as :x2 makes them fewer"
    )]
    TooMany { text: String },
}

impl RangeError {
    /// What is wrong: all of the text, or a part of it.
    pub fn text(&self) -> &str {
        match self {
            RangeError::Number { text, .. }
            | RangeError::Size { text, .. }
            | RangeError::Bytes { text, .. }
            | RangeError::NoStep { text }
            | RangeError::Step { text }
            | RangeError::Factor { text }
            | RangeError::Order { text }
            | RangeError::TooMany { text } => text,
        }
    }
}

/// A number as people write it: without three hundred digits.
pub fn plain(value: f64) -> String {
    const LONG: f64 = 1e15;
    match value == 0.0 || (1.0 / LONG..LONG).contains(&value.abs()) || !value.is_finite() {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}

/// What a part is of, if it is one.
fn in_range(text: &str, whole: &str) -> String {
    match text == whole.trim() {
        true => String::new(),
        false => format!(", in `{whole}`"),
    }
}

/// A number, which may have a unit of bytes.
fn number(text: &str, unit: Unit, whole: &str) -> Result<f64, RangeError> {
    let (text, whole) = (text.trim().to_string(), whole.to_string());
    if let Ok(value) = text.parse::<f64>()
        && value.is_finite()
    {
        return Ok(value);
    }
    let is_size = text.starts_with(|c: char| c.is_ascii_digit());
    match (parse_bytes(&text), unit) {
        (Ok(bytes), Unit::Bytes) => Ok(bytes.0),
        (Ok(_), Unit::None) => Err(RangeError::Size { text, whole }),
        (Err(reason), Unit::Bytes) if is_size => Err(RangeError::Bytes {
            text,
            reason,
            whole,
        }),
        (Err(_), unit) => Err(RangeError::Number { text, unit, whole }),
    }
}

/// The values of one entry. A range without a step goes by 1, unless its values are sizes.
///
/// # Errors
/// It is neither a number nor a range of such.
pub fn values(whole: &str, unit: Unit) -> Result<Vec<f64>, RangeError> {
    let Some((first, rest)) = whole.split_once("..") else {
        return Ok(vec![number(whole, unit, whole)?]);
    };
    let text = || whole.to_string();
    let (last, step) = match rest.split_once(':') {
        Some((last, step)) => (last, Some(step)),
        None => (rest, None),
    };
    let is_plain = [first, last]
        .iter()
        .all(|text| text.trim().parse::<f64>().is_ok());
    let (first, last) = (number(first, unit, whole)?, number(last, unit, whole)?);
    if first > last {
        return Err(RangeError::Order { text: text() });
    }
    let step = match step {
        Some(step) => step,
        None if is_plain => "1",
        None => return Err(RangeError::NoStep { text: text() }),
    };
    let mut values = Vec::new();
    let mut next: Box<dyn FnMut(usize) -> f64> = match step.trim().strip_prefix('x') {
        Some(factor) => {
            let factor = number(factor, Unit::None, whole)?;
            if factor <= 1.0 || first <= 0.0 {
                return Err(RangeError::Factor { text: text() });
            }
            Box::new(move |index| first * factor.powi(index as i32))
        }
        None => {
            let step = number(step, unit, whole)?;
            if step <= 0.0 {
                return Err(RangeError::Step { text: text() });
            }
            Box::new(move |index| first + index as f64 * step)
        }
    };
    for index in 0.. {
        let value = next(index);
        // Steps such as 0.1 have no exact sum.
        if value > last + last.abs() * 1e-9 {
            break;
        }
        if values.len() == MOST_VALUES {
            return Err(RangeError::TooMany { text: text() });
        }
        values.push(value.min(last));
    }
    Ok(values)
}

/// The end of a range; none of what is no range, and of one value.
pub fn end(whole: &str, unit: Unit) -> Option<f64> {
    let (_, rest) = whole.split_once("..")?;
    let (last, _) = rest.split_once(':').unwrap_or((rest, ""));
    number(last, unit, whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_by_steps_and_by_factors() {
        let values = |text| values(text, Unit::Bytes);
        assert_eq!(values("64").unwrap(), [64.0]);
        assert_eq!(values("64..200:64").unwrap(), [64.0, 128.0, 192.0]);
        assert_eq!(values("1KiB..4KiB:x2").unwrap(), [1024.0, 2048.0, 4096.0]);
        assert_eq!(values("3..5").unwrap(), [3.0, 4.0, 5.0]);
        let end = |text| end(text, Unit::Bytes);
        assert_eq!((end("64..200:64"), end("64")), (Some(200.0), None));
        assert_eq!(values("0.1..0.3:0.1").unwrap(), [0.1, 0.2, 0.3]);
    }

    #[test]
    fn long_numbers_are_short_and_the_same() {
        for (value, text) in [
            (0.0, "0"),
            (1e300, "1e300"),
            (-1e-300, "-1e-300"),
            (0.5, "0.5"),
        ] {
            assert_eq!(plain(value), text);
        }
        assert_eq!(
            plain(123_456_789_012_345_680.0).parse(),
            Ok(123_456_789_012_345_680.0)
        );
    }

    #[test]
    fn what_is_no_range_says_why() {
        let says = |text: &str, unit: Unit, why: &str| {
            let error = values(text, unit).expect_err(text).to_string();
            assert!(error.contains(why), "{text}: {error}");
            assert!(error.matches(text).count() <= 1, "{text} twice: {error}");
        };
        let bytes = Unit::Bytes;
        says("4..2", bytes, "larger");
        says("1..4:0", bytes, "more than 0");
        says("1..4:x1", bytes, "more than 1");
        says("1..1e9", bytes, "100000");
        says("many", bytes, "`many` is not a number or a size");
        says("-1KiB", bytes, "`-1KiB` is not a number or a size");
        says("16Kib", bytes, "`Kib` is not a unit of bytes");
        says("1KiB..4KiB", bytes, "by which step");
        says(
            "1..many",
            bytes,
            "`many` is not a number or a size such as 16KiB, in `1..many`",
        );
        says("abc", Unit::None, "`abc` is not a number");
        says("16KiB", Unit::None, "without a unit");
        let error = values("abc", Unit::None).expect_err("a word").to_string();
        assert!(
            !error.contains("size") && !error.contains("bytes"),
            "{error}"
        );
    }
}
