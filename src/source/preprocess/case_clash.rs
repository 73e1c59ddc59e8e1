//! Constants of Fortran that must not keep their names: macro names are case-sensitive and Fortran
//! is not, so the name of a macro `N` would be read as a variable `n` of the same procedure.

use std::collections::{HashMap, HashSet};

use super::super::Language;
use super::token::{Kind, find_newline, token_end};

/// The names that stand beside another spelling of themselves in one program unit.
pub(super) fn case_clashes(text: &str, constants: &[&str]) -> Vec<String> {
    let spellings: HashMap<String, &str> = constants
        .iter()
        .map(|name| (name.to_ascii_lowercase(), *name))
        .collect();
    let (mut used, mut other) = (HashSet::new(), HashSet::new());
    let mut clashes = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'!' {
            at += find_newline(&bytes[at..]);
            continue;
        }
        let (kind, end) = token_end(bytes, at, Language::Fortran);
        let name = &text[at..end];
        at = end;
        if kind != Kind::Name {
            continue;
        }
        if begins_unit(name) {
            clashes.extend(
                used.intersection(&other)
                    .map(|name: &&str| name.to_string()),
            );
            used.clear();
            other.clear();
        } else if let Some(&constant) = spellings.get(&name.to_ascii_lowercase()) {
            if name == constant {
                used.insert(constant)
            } else {
                other.insert(constant)
            };
        }
    }
    clashes.extend(
        used.intersection(&other)
            .map(std::string::ToString::to_string),
    );
    clashes
}

/// Whether a word separates program units. Words that end one separate as well.
fn begins_unit(word: &str) -> bool {
    ["subroutine", "function", "program", "module", "contains"]
        .iter()
        .any(|unit| word.eq_ignore_ascii_case(unit))
}
