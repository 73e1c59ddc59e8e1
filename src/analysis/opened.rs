//! Files that the program opens by names that the source says, and what it reads from them in order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::scanned::scanned;
use crate::diagnostic::Place;
use crate::intrinsics::{IntrinsicKind, Intrinsics};
use crate::ir::visit::{InLoop, assigned_to, calls_of, statements};
use crate::ir::{
    FileAction, FileStatement, Function, ListItem, Stmt, Type, Unit, Value, VarId, addressed,
};
use crate::source::Language;

/// The names that `open (file = 'run.in')` and `fopen("run.in", "r")` mention, with the source files that do.
pub fn opened(units: &[Unit]) -> BTreeSet<(String, Arc<str>)> {
    let mut names = BTreeSet::new();
    for unit in units {
        for function in &unit.functions {
            let opens = |name: &str| {
                let intrinsic = Intrinsics::builtin().lookup(unit.language, name);
                intrinsic.is_some_and(|intrinsic| intrinsic.kind == IntrinsicKind::Open)
            };
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                calls_of(stmt, &mut |name, arguments| {
                    let file = arguments.first().and_then(|file| text(function, file));
                    let file = file.filter(|_| opens(name));
                    names.extend(file.map(|file| (file.to_string(), unit.path.clone())));
                });
            });
        }
    }
    names
}

/// The names of files that procedures open by them which read something, too.
pub fn opened_to_read(units: &[Unit]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for unit in units {
        for function in &unit.functions {
            let (mut names, mut reads) = (BTreeSet::new(), false);
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                calls_of(stmt, &mut |name, arguments| {
                    let intrinsic = Intrinsics::builtin().lookup(unit.language, name);
                    match intrinsic.map(|intrinsic| intrinsic.kind) {
                        Some(IntrinsicKind::Open) => {
                            let file = arguments.first().and_then(|file| text(function, file));
                            names.extend(file.map(str::to_string));
                        }
                        Some(IntrinsicKind::Input | IntrinsicKind::Read) => reads = true,
                        _ => {}
                    }
                });
            });
            found.extend(names.into_iter().filter(|_| reads));
        }
    }
    found
}

/// What a file is called: a literal, a constant, or the only literal that statements of the function give the variable,
/// whatever else a run may give it.
fn text<'v>(function: &'v Function, value: &'v Value) -> Option<&'v str> {
    match value {
        Value::Text(text) => Some(text.trim()),
        Value::Convert(_, inner) => text(function, inner),
        Value::Variable(id) => match function.variable(*id).constant.as_ref() {
            Some(Value::Text(text)) => Some(text.trim()),
            Some(_) => None,
            None => only_literal(function, *id),
        },
        // `trim(name)`
        Value::Call {
            name, arguments, ..
        } => {
            let language = function.conventions.language;
            let intrinsic = Intrinsics::builtin().lookup(language, name)?;
            match &arguments[..] {
                [only] if intrinsic.kind == IntrinsicKind::Character => text(function, only),
                _ => None,
            }
        }
        _ => None,
    }
}

fn only_literal(function: &Function, variable: VarId) -> Option<&str> {
    let values = assigned_to(&function.body, variable).into_iter();
    let literals = values.filter_map(|value| match value {
        Value::Text(text) => Some(text.trim()),
        _ => None,
    });
    let mut found: Vec<&str> = Vec::new();
    for text in literals {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    match found[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// A file that the program reads from its beginning, one list of values after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadInOrder {
    /// As the source calls the file, unless that is known only when it runs; and which source reads it.
    pub file: Option<String>,
    pub source: Arc<str>,
    /// What each statement reads, from the next line on.
    pub lists: Vec<Vec<Item>>,
}

/// One value of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A number or truth value for a variable or component of that name, which nothing else in the program is read for.
    Named(String),
    Other,
}

/// What procedures read in order from files that they open by name, as far as nothing decides whether they do.
pub fn read_in_order(units: &[Unit]) -> Vec<ReadInOrder> {
    let read = times_read(units);
    let mut found = Vec::new();
    for unit in units {
        for function in &unit.functions {
            let all = match function.conventions.has_pointers() {
                true => scanned(function),
                false => function.file_statements.clone(),
            };
            for (at, statement) in all.iter().enumerate() {
                let file = match &statement.action {
                    FileAction::Open(file) => Some(file),
                    FileAction::IsOpen => None,
                    FileAction::List(_) | FileAction::Other => continue,
                };
                let lists = lists_of(function, &all[at..], &read);
                if !lists.is_empty() {
                    found.push(ReadInOrder {
                        file: file
                            .and_then(|file| text(function, file))
                            .map(str::to_string),
                        source: unit.path.clone(),
                        lists,
                    });
                }
            }
        }
    }
    found
}

/// What is read behind the first of these statements, which opens a file, from that file.
fn lists_of(
    function: &Function,
    statements: &[FileStatement],
    read: &BTreeMap<String, u32>,
) -> Vec<Vec<Item>> {
    let mut lists = Vec::new();
    let Some((opens, others)) = statements.split_first() else {
        return lists;
    };
    let is_number = |id: VarId| {
        let ty = &function.variable(id).ty;
        matches!(ty, Type::Integer(..) | Type::Real(_) | Type::Logical(_))
    };
    let mut from = &opens.place;
    for statement in others.iter().filter(|other| other.unit == opens.unit) {
        let FileAction::List(items) = &statement.action else {
            break;
        };
        if !follows(
            function.conventions.language,
            &function.body,
            [from, &statement.place],
        ) {
            break;
        }
        from = &statement.place;
        // C goes on where it was, in the middle of a line, too.
        let mut list = match function.conventions.has_pointers() {
            true => lists.pop().unwrap_or_default(),
            false => Vec::new(),
        };
        for item in items {
            list.push(match item {
                ListItem::Variable(id) => match own_name(function, *id) {
                    name if is_number(*id) && read.get(&name) == Some(&1) => Item::Named(name),
                    _ => Item::Other,
                },
                ListItem::Single => Item::Other,
                ListItem::Several => {
                    lists.push(list);
                    return lists;
                }
            });
        }
        lists.push(list);
    }
    lists
}

/// In how many statements variables are read that the source calls so, without what holds them.
fn times_read(units: &[Unit]) -> BTreeMap<String, u32> {
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    for unit in units {
        let reads = |name: &str| {
            let intrinsic = Intrinsics::builtin().lookup(unit.language, name);
            intrinsic.is_some_and(|intrinsic| intrinsic.kind == IntrinsicKind::Input)
        };
        for function in &unit.functions {
            let mut note = |id| *found.entry(own_name(function, id)).or_default() += 1;
            statements(&function.body, InLoop::No, &mut |stmt, _| {
                if let Stmt::Assign { target, value, .. } = stmt
                    && let Value::Call { name, .. } = value
                    && reads(name)
                {
                    target.variable().into_iter().for_each(&mut note);
                }
                calls_of(stmt, &mut |name, arguments| {
                    if reads(name) {
                        let read = arguments
                            .iter()
                            .filter_map(|one| addressed(one).unwrap_or(one).variable());
                        read.for_each(&mut note);
                    }
                });
            });
        }
    }
    found
}

/// What the source calls a variable or component, in lower case.
fn own_name(function: &Function, id: VarId) -> String {
    let name = &function.variable(id).name;
    let own = name.members().last().unwrap_or_else(|| name.variable());
    own.to_lowercase()
}

/// Whether the second of two places is reached from the first one whatever is decided, and nothing that the program has a
/// body for is called in between: it may read on.
fn follows(language: Language, block: &[Stmt], [first, second]: [&Place; 2]) -> bool {
    let is_at = |stmt: &Stmt, place: &Place| stmt.place() == place;
    let Some(at) = block.iter().position(|stmt| is_at(stmt, first)) else {
        return block.iter().any(|stmt| match stmt {
            Stmt::If(branch) => {
                let mut arms = [&branch.then, &branch.otherwise].into_iter();
                arms.any(|arm| follows(language, arm, [first, second]))
            }
            _ => false,
        });
    };
    let behind = &block[at..];
    let end = behind.iter().position(|stmt| is_at(stmt, second));
    end.is_some_and(|end| !behind[..end].iter().any(|stmt| may_read_on(language, stmt)))
}

/// Whether a statement calls something that is not of the language.
fn may_read_on(language: Language, stmt: &Stmt) -> bool {
    let mut found = false;
    let is_known = |name: &str| {
        let known = Intrinsics::builtin().lookup(language, name);
        known.is_some()
    };
    statements(std::slice::from_ref(stmt), InLoop::No, &mut |inner, _| {
        calls_of(inner, &mut |name, _| found |= !is_known(name));
    });
    found
}
