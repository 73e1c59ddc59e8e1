//! Lists of values as a person writes them: `64`, `64..256:64` (64, 128, 192, 256), `16KiB..1MiB:x2` (each twice the one
//! before).

use crate::quantity::parse_bytes;

/// Values of one list, at most.
pub const MOST_VALUES: usize = 100_000;

/// Why a text is not a list of values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    #[error("`{text}`: {reason}")]
    Number { text: String, reason: String },
    #[error("`{text}`: the step must be more than 0")]
    Step { text: String },
    #[error("`{text}`: the factor must be more than 1, as in 16KiB..1MiB:x2")]
    Factor { text: String },
    #[error("`{text}`: the first value is larger than the last one")]
    Order { text: String },
    #[error("`{text}`: more than {MOST_VALUES} values")]
    TooMany { text: String },
}

/// A number, which may have a unit of bytes.
///
/// # Errors
/// It is neither.
pub fn number(text: &str) -> Result<f64, RangeError> {
    let text = text.trim();
    if let Ok(value) = text.parse::<f64>()
        && value.is_finite()
    {
        return Ok(value);
    }
    let bytes = parse_bytes(text).map_err(|reason| RangeError::Number {
        text: text.to_string(),
        reason,
    })?;
    Ok(bytes.0)
}

/// The values of one entry.
///
/// # Errors
/// It is neither a number nor a range of such.
pub fn values(text: &str) -> Result<Vec<f64>, RangeError> {
    let Some((first, rest)) = text.split_once("..") else {
        return Ok(vec![number(text)?]);
    };
    let text = || text.to_string();
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let (first, last) = (number(first)?, number(last)?);
    if first > last {
        return Err(RangeError::Order { text: text() });
    }
    let mut values = Vec::new();
    let mut next: Box<dyn FnMut(usize) -> f64> = match step.trim().strip_prefix('x') {
        Some(factor) => {
            let factor = number(factor)?;
            if factor <= 1.0 || first <= 0.0 {
                return Err(RangeError::Factor { text: text() });
            }
            Box::new(move |index| first * factor.powi(index as i32))
        }
        None => {
            let step = number(step)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_go_by_steps_and_by_factors() {
        assert_eq!(values("64").unwrap(), [64.0]);
        assert_eq!(values("64..200:64").unwrap(), [64.0, 128.0, 192.0]);
        assert_eq!(values("1KiB..4KiB:x2").unwrap(), [1024.0, 2048.0, 4096.0]);
        assert_eq!(values("3..5").unwrap(), [3.0, 4.0, 5.0]);
        assert_eq!(values("0.1..0.3:0.1").unwrap(), [0.1, 0.2, 0.3]);
    }

    #[test]
    fn what_is_no_range_says_why() {
        let says = |text: &str, why: &str| {
            let error = values(text).expect_err(text).to_string();
            assert!(error.contains(why), "{text}: {error}");
        };
        says("4..2", "larger");
        says("1..4:0", "more than 0");
        says("1..4:x1", "more than 1");
        says("1..1e9", "100000");
        says("many", "`many`");
    }
}
