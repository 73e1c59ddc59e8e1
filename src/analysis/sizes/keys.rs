//! What does the input call a variable?
//!
//! Many programs read pairs of words and values. The word that is compared before the variable is read is its
//! name for `--input`, besides its own:
//!
//! ```text
//! case ('max_iters'); limit = get_integer(next_word())        max_iters ► limit
//! if (!strcmp(key, "nx")) n = atoi(value)                     nx        ► n
//! ```
//!
//! Only a branch that reads one variable and nothing else names it; a literal that is assigned there is no
//! reading.

use crate::intrinsics::{Intrinsics, Meaning};
use crate::ir::visit::{InLoop, statements};
use crate::ir::{BinaryOp, Function, If, Stmt, UnaryOp, Value};
use crate::source::Language;

/// The branches of a function that are taken for some words of the input, with a word: what one of them reads has its name.
pub(super) fn keyed(function: &Function) -> Vec<(&str, &[Stmt])> {
    let mut found = Vec::new();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::If(branch) = stmt {
            of_branch(branch, function.conventions.language, &mut found);
        }
    });
    found
}

fn of_branch<'u>(branch: &'u If, language: Language, found: &mut Vec<(&'u str, &'u [Stmt])>) {
    let mut asked = Vec::new();
    if words(&branch.condition, language, &mut asked) {
        found.extend(asked.into_iter().map(|word| (word, &branch.then[..])));
    } else if let Some(word) = differing(&branch.condition, language) {
        found.push((word, &branch.otherwise));
    }
}

/// The words that a condition asks for, and whether it asks for nothing else: `word == 'n' .or. word == 'm'`,
/// `strcmp(word, "n") == 0`, `!strcmp(word, "n")`.
fn words<'u>(condition: &'u Value, language: Language, found: &mut Vec<&'u str>) -> bool {
    let word = match condition {
        Value::Binary(BinaryOp::Or, left, right) => {
            return words(left, language, found) && words(right, language, found);
        }
        Value::Binary(BinaryOp::Equal, left, right) => match (&**left, &**right) {
            (Value::Text(word), other) | (other, Value::Text(word)) if is_variable(other) => {
                Some(name(word))
            }
            (call, Value::Integer(0)) | (Value::Integer(0), call) => compared(call, language),
            _ => None,
        },
        Value::Unary(UnaryOp::Not, call) => compared(call, language),
        _ => None,
    };
    found.extend(word);
    word.is_some()
}

/// The word that a condition asks the absence of: `strcmp(word, "n")`.
fn differing(condition: &Value, language: Language) -> Option<&str> {
    match condition {
        Value::Binary(BinaryOp::NotEqual, call, zero) if **zero == Value::Integer(0) => {
            compared(call, language)
        }
        call => compared(call, language),
    }
}

/// The literal that a call compares a text with.
fn compared(call: &Value, language: Language) -> Option<&str> {
    let Value::Call {
        name: function,
        arguments,
        ..
    } = call
    else {
        return None;
    };
    let intrinsic = Intrinsics::builtin().lookup(language, function)?;
    if intrinsic.meaning != Some(Meaning::TextComparison) {
        return None;
    }
    match &arguments[..] {
        [Value::Text(word), other, ..] | [other, Value::Text(word), ..]
            if !matches!(other, Value::Text(_)) =>
        {
            Some(name(word))
        }
        _ => None,
    }
}

fn is_variable(value: &Value) -> bool {
    matches!(
        value,
        Value::Variable(_) | Value::Element { .. } | Value::Call { .. }
    )
}

/// Options of a command line have dashes in front, keys of some files a colon or an equals sign behind.
fn name(word: &str) -> &str {
    let word = word.trim().trim_start_matches('-');
    word.trim_end_matches([':', '=']).trim_end()
}

/// Whether a value is written in the source: it is not what the input gives.
pub(super) fn is_literal(value: &Value) -> bool {
    match value {
        Value::Integer(_) | Value::Real(..) | Value::Logical(_) | Value::Text(_) => true,
        Value::Unary(_, operand) | Value::Convert(_, operand) => is_literal(operand),
        _ => false,
    }
}
