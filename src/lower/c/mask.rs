//! What the C grammar does not read, replaced by text of the same length that it does: a pragma may
//! stand where the grammar wants a statement (`for (…)` newline `#pragma omp simd` newline `for`), and
//! the body of the outer loop would be lost in silence.
//!
//! Length and line breaks stay, so positions need no translation.

use tree_sitter::Node;

use super::lone_names;
use super::packing::Packing;

/// A directive of OpenMP or OpenACC that stood in the text.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Byte after its last character.
    end: usize,
    /// Directive words without clauses: `omp parallel for`.
    words: String,
}

/// Text that the grammar reads, and what was taken out of it.
pub struct Masked {
    pub text: String,
    pub directives: Vec<Directive>,
    pub packing: Packing,
}

/// Words of directives; the first word that is none starts the clauses.
const DIRECTIVE_WORDS: &[&str] = &[
    "parallel",
    "for",
    "simd",
    "target",
    "teams",
    "distribute",
    "loop",
    "taskloop",
    "sections",
    "section",
    "single",
    "master",
    "masked",
    "task",
    "barrier",
    "critical",
    "atomic",
    "flush",
    "ordered",
    "threadprivate",
    "declare",
    "enter",
    "exit",
    "data",
    "update",
    "kernels",
    "serial",
    "routine",
    "wait",
    "end",
];

/// Words that make the directive distribute the loop behind it.
const LOOP_WORDS: &[&str] = &["for", "simd", "loop", "distribute", "taskloop"];

/// `_Complex` becomes a qualifier of the same length, which the grammar allows wherever C allows
/// `_Complex`; the original text still tells them apart.
const COMPLEX_WORDS: &[(&str, &str)] = &[
    ("_Complex", "volatile"),
    ("__complex__", "volatile   "),
    ("complex", "const  "),
];

impl Masked {
    pub fn new(source: &str) -> Masked {
        let mut bytes = source.as_bytes().to_vec();
        let mut directives = Vec::new();
        let mut packing = Packing::default();
        mask_pragmas(source, &mut bytes, &mut directives, &mut packing);
        mask_complex(source, &mut bytes);
        lone_names::parentheses(source)
            .into_iter()
            .for_each(|at| bytes[at] = b' ');
        // Only whole characters were replaced by ASCII, so this is still UTF-8.
        let text = String::from_utf8(bytes).unwrap_or_else(|_| source.to_string());
        directives.sort_by_key(|directive| directive.end);
        Masked {
            text,
            directives,
            packing,
        }
    }

    /// The directives that stand directly before a loop, if they distribute it.
    pub fn parallel(&self, node: Node) -> Option<String> {
        let mut start = node.start_byte();
        let behind = self
            .directives
            .partition_point(|directive| directive.end <= start);
        let mut words = Vec::new();
        for directive in self.directives[..behind].iter().rev() {
            if !self.text.get(directive.end..start).is_some_and(is_blank) {
                break;
            }
            start = directive.end;
            if directive.distributes() {
                words.push(directive.words.as_str());
            }
        }
        words.reverse();
        if words.is_empty() {
            None
        } else {
            Some(words.join("; "))
        }
    }
}

impl Directive {
    fn parse(text: &str, end: usize) -> Option<Directive> {
        let mut words = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty());
        let family = words.next().filter(|word| matches!(*word, "omp" | "acc"))?;
        // A word before `(` is a clause or has an argument; neither belongs to the name.
        let name = text.split('(').next().unwrap_or("");
        let name = name
            .split_whitespace()
            .skip(1)
            .take_while(|word| DIRECTIVE_WORDS.contains(word));
        let words = std::iter::once(family)
            .chain(name)
            .collect::<Vec<_>>()
            .join(" ");
        Some(Directive { end, words })
    }

    fn distributes(&self) -> bool {
        let has = |wanted: &[&str]| self.words.split(' ').any(|word| wanted.contains(&word));
        has(LOOP_WORDS)
            || (self.words.starts_with("acc") && has(&["kernels", "parallel", "serial"]))
    }
}

/// Whether only white space and comments are left.
fn is_blank(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return rest.is_empty();
        };
        rest = after.trim_start();
    }
}

fn mask_pragmas(
    source: &str,
    bytes: &mut [u8],
    directives: &mut Vec<Directive>,
    packing: &mut Packing,
) {
    let mut start = 0;
    while start < source.len() {
        let mut end = line_end(source, start);
        let pragma = source[start..end]
            .trim_start()
            .strip_prefix('#')
            .and_then(|s| s.trim_start().strip_prefix("pragma"));
        if pragma.is_some() {
            while source[start..end].trim_end_matches('\r').ends_with('\\') && end < source.len() {
                end = line_end(source, end + 1);
            }
            let text = source[start..end].replace(['\\', '\n', '\r'], " ");
            let text = text.split_once("pragma").map_or("", |(_, text)| text);
            directives.extend(Directive::parse(text, end));
            packing.pragma(text, end);
            blank(&mut bytes[start..end]);
        }
        start = end + 1;
    }
    // The operator form of a pragma.
    for (at, _) in source.match_indices("_Pragma") {
        let Some(close) = source[at..].find("\")").map(|n| at + n) else {
            continue;
        };
        let Some((_, text)) = source[at..close].split_once('"') else {
            continue;
        };
        if !text.contains('\n') {
            directives.extend(Directive::parse(text, close + 2));
            blank(&mut bytes[at..close + 2]);
        }
    }
}

fn line_end(source: &str, start: usize) -> usize {
    source
        .get(start..)
        .and_then(|rest| rest.find('\n'))
        .map_or(source.len(), |n| start + n)
}

fn blank(bytes: &mut [u8]) {
    bytes
        .iter_mut()
        .filter(|byte| **byte != b'\n')
        .for_each(|byte| *byte = b' ');
}

fn mask_complex(source: &str, bytes: &mut [u8]) {
    for (word, replacement) in COMPLEX_WORDS {
        for (at, _) in source.match_indices(word) {
            let before = source[..at].trim_end_matches(is_word).len();
            let after = at + word.len();
            let whole = before == at && !source[after..].starts_with(is_word);
            // Plain `complex` is also a good name for a variable or a structure.
            let is_called = source[after..]
                .strip_prefix('(')
                .is_some_and(|rest| !rest.starts_with('*'));
            let typed = *word != "complex"
                || (!is_called && beside_floating(&source[..at], &source[after..]));
            if whole && typed {
                bytes[at..after].copy_from_slice(replacement.as_bytes());
            }
        }
    }
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn beside_floating(before: &str, after: &str) -> bool {
    let floating = |word: &str| matches!(word, "float" | "double");
    let before = before.trim_end();
    let last = &before[before.trim_end_matches(is_word).len()..];
    let after = after.trim_start();
    let next = &after[..after.len() - after.trim_start_matches(is_word).len()];
    floating(last) || floating(next) || (next == "long" && after.contains("double"))
}
