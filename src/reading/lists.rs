//! Values that a program reads from a file in order, as Fortran's `read (unit, *) list` does: words with blanks or commas
//! between them, from the next line on and over as many lines as the list needs; what is left of the last one is skipped.

use super::run_input::{repeated, value};
use crate::analysis::Item;

/// What the lists give names, with the lines where the values stand. Where the file ends, or a word of it cannot be what is
/// read, nothing more is known.
pub fn values<'l>(text: &str, lists: &'l [Vec<Item>]) -> Vec<(&'l str, u32, f64)> {
    let mut lines = text.lines().zip(1u32..);
    let mut found = Vec::new();
    for list in lists {
        let (mut words, mut line) = match lines.next() {
            Some((text, line)) => (words(text), line),
            None => return found,
        };
        for item in list {
            while words.is_empty() {
                let Some((text, next)) = lines.next() else {
                    return found;
                };
                (words, line) = (self::words(text), next);
            }
            match words.remove(0) {
                Word::End => break,
                Word::Nothing => {}
                Word::Text(text) => {
                    if let Item::Named(name) = item {
                        let Some(value) = value(&text) else {
                            return found;
                        };
                        found.push((name.as_str(), line, value));
                    }
                }
            }
        }
    }
    found
}

/// One value of a line.
#[derive(Clone, Debug, PartialEq)]
enum Word {
    Text(String),
    /// Between two commas: what is read keeps its value.
    Nothing,
    /// `/`: nothing more is read.
    End,
}

/// The values of a line, `3*0.5` as three.
fn words(line: &str) -> Vec<Word> {
    let (mut found, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut is_behind_comma = true;
    for c in line.chars().chain([' ']) {
        if let Some(open) = quote {
            word.push(c);
            quote = (c != open).then_some(open);
        } else if c.is_whitespace() || matches!(c, ',' | '/') {
            if !word.is_empty() {
                let (times, text) = repeated(&word);
                let one = match text {
                    "" => Word::Nothing,
                    text => Word::Text(text.to_string()),
                };
                found.extend(std::iter::repeat_n(one, times.min(MOST) as usize));
                is_behind_comma = false;
                word.clear();
            }
            match c {
                ',' if is_behind_comma => found.push(Word::Nothing),
                ',' => is_behind_comma = true,
                '/' => {
                    found.push(Word::End);
                    return found;
                }
                _ => {}
            }
        } else {
            quote = (word.is_empty() && matches!(c, '\'' | '"')).then_some(c);
            word.push(c);
        }
    }
    found
}

/// No list is longer.
const MOST: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Vec<Item> {
        names
            .iter()
            .map(|name| Item::Named((*name).to_string()))
            .collect()
    }

    #[test]
    fn lists_go_on_in_the_next_line_and_leave_the_rest_of_it() {
        let lists = [
            vec![Item::Other],
            named(&["n", "m"]),
            Vec::new(),
            named(&["k", "x", "y", "z"]),
        ];
        let text = "'a b' ! which\n 400 5 600\nskipped 7\n8, 2*0.5d0\n3 / 4\n";
        let found = values(text, &lists);
        let expected = [
            ("n", 2, 400.0),
            ("m", 2, 5.0),
            ("k", 4, 8.0),
            ("x", 4, 0.5),
            ("y", 4, 0.5),
            ("z", 5, 3.0),
        ];
        assert_eq!(found, expected);
        // What is left out keeps its value, and a slash ends the list.
        assert_eq!(
            values("1,,3 /", &[named(&["a", "b", "c", "d"])]),
            [("a", 1, 1.0), ("c", 1, 3.0)]
        );
        // A text where a number is read: nothing is known from there on.
        let wrong = [named(&["a", "b", "c"])];
        assert_eq!(values("1 two 3", &wrong), [("a", 1, 1.0)]);
        assert_eq!(
            values("1", &[named(&["a"]), named(&["b"])]),
            [("a", 1, 1.0)]
        );
    }
}
