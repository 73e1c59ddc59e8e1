//! Subscripts of arrays, as reports print them.

use serde::{Deserialize, Serialize};

use crate::expr::Expr;

/// A subscript. Where data says which element is meant, `gather(TEXT)` is printed, with the text of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum SubscriptReport {
    /// An expression of loop variables and parameters.
    Affine(String),
    /// The text of the data.
    Gather(String),
}

use SubscriptReport::{Affine, Gather};

impl SubscriptReport {
    /// The expression, if no data stands in its place.
    pub fn value(&self) -> Option<Expr> {
        match self {
            Affine(text) => Expr::parse(text).ok(),
            Gather(_) => None,
        }
    }

    pub fn is_gather(&self) -> bool {
        matches!(self, Gather(_))
    }

    /// Whether the data of a gather is an element or what a function gives, as in `idx(i)`: where it stands for the same
    /// whatever a variable is, that does not stand in it.
    pub fn is_of_call(&self) -> bool {
        matches!(self, Gather(text) if text.contains('('))
    }

    /// Whether a variable stands in it.
    pub fn mentions(&self, variable: &str) -> bool {
        let (Affine(text) | Gather(text)) = self;
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == variable)
    }
}

/// How a subscript begins that data gives, and how it ends.
const GATHER: (&str, char) = ("gather(", ')');

impl From<String> for SubscriptReport {
    fn from(text: String) -> SubscriptReport {
        let data = text.strip_prefix(GATHER.0);
        match data.and_then(|data| data.strip_suffix(GATHER.1)) {
            Some(data) => Gather(data.to_string()),
            None => Affine(text),
        }
    }
}

impl From<SubscriptReport> for String {
    fn from(subscript: SubscriptReport) -> String {
        match subscript {
            Affine(text) => text,
            Gather(data) => format!("{}{data}{}", GATHER.0, GATHER.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscripts_are_read_as_they_were_printed() {
        for (text, is_gather, has_i) in [
            ("i + 2*n", false, true),
            ("gather(idx(i))", true, true),
            ("gather(k)", true, false),
            ("gathered", false, false),
            ("ii", false, false),
        ] {
            let read = SubscriptReport::from(text.to_string());
            assert_eq!(read.is_gather(), is_gather, "{text}");
            assert_eq!(read.mentions("i"), has_i, "{text}");
            assert_eq!(String::from(read), text);
        }
    }
}
