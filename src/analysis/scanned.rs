//! What programs of C read in order: numbers and words by `scanf` and `fscanf`.
//!
//! ```text
//! in = fopen("run.in", "r");
//! fscanf(in, "%d %lf", &n, &dt);      two numbers, over the ends of lines
//! fscanf(in, "%*s %d", &m);           what a word is before, too
//! ```

use crate::diagnostic::Place;
use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::ir::visit::{InLoop, calls_of, statements};
use crate::ir::{FileAction, FileStatement, FileUnit, Function, ListItem, Stmt, Value, addressed};

/// The statements of a function of C that open files and read numbers from them, and from its standard input, which is open from
/// the beginning.
pub(super) fn scanned(function: &Function) -> Vec<FileStatement> {
    let language = function.conventions.language;
    let kind = |name: &str| Some(Intrinsics::builtin().lookup(language, name)?.kind);
    let Some(first) = function.body.first() else {
        return Vec::new();
    };
    let on = |place: &Place, unit, action| FileStatement {
        place: place.clone(),
        unit,
        action,
    };
    let of = |place: &Place, unit: &Value, action| on(place, FileUnit::Is(unit.clone()), action);
    let mut found = vec![on(first.place(), FileUnit::Standard, FileAction::IsOpen)];
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::Assign { target, value, .. } = stmt
            && let Value::Call {
                name, arguments, ..
            } = value.unconverted()
            && kind(name) == Some(IntrinsicKind::Open)
            && let Some(file) = arguments.first()
        {
            found.push(of(stmt.place(), target, FileAction::Open(file.clone())));
        }
        calls_of(stmt, &mut |name, arguments| match (kind(name), arguments) {
            (Some(IntrinsicKind::Input), [Value::Text(format), read @ ..]) => {
                found.push(on(stmt.place(), FileUnit::Standard, numbers(format, read)));
            }
            (Some(IntrinsicKind::Input), [unit, Value::Text(format), read @ ..]) => {
                found.push(of(stmt.place(), unit, numbers(format, read)));
            }
            (Some(IntrinsicKind::Input | IntrinsicKind::Read | IntrinsicKind::Io), others) => {
                let units = others.iter().filter(|unit| unit.variable().is_some());
                found.extend(units.map(|unit| of(stmt.place(), unit, FileAction::Other)));
            }
            _ => {}
        });
    });
    found
}

/// What stands in a format between the sign and the letter that says what is read.
const LENGTHS: [char; 7] = ['h', 'l', 'L', 'q', 'j', 'z', 't'];

/// What is read by a format that has nothing but numbers and words, `%d %lf %*s`.
fn numbers(format: &str, read: &[Value]) -> FileAction {
    let (mut items, mut read) = (Vec::new(), read.iter());
    let mut letters = format
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .peekable();
    while let Some(begins) = letters.next() {
        if begins != '%' {
            return FileAction::Other;
        }
        let is_skipped = letters.next_if_eq(&'*').is_some();
        while letters.next_if(|letter| LENGTHS.contains(letter)).is_some() {}
        let is_number = match letters.next() {
            Some('d' | 'i' | 'u' | 'f' | 'e' | 'g' | 'E' | 'G') => true,
            Some('s') => false,
            _ => return FileAction::Other,
        };
        let to = match is_skipped {
            true => None,
            false => read.next().map(|to| addressed(to).unwrap_or(to)),
        };
        items.push(match to {
            Some(Value::Variable(id)) if is_number => ListItem::Variable(*id),
            _ => ListItem::Single,
        });
    }
    FileAction::List(items)
}
