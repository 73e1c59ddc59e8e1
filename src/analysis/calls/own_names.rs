//! What are procedures called in the names of parameters that no source has: `trip_smooth_12`?
//!
//! By their name. If functions of several files share it, and they have loops, branches or calls on lines of
//! the same number, both would have the parameter; then the file goes in front, with as many directories as it
//! takes.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::procedures::Procedure;
use crate::ir::visit::{InLoop, statements};
use crate::ir::{self, Stmt};

/// Procedures of one name whose lines could be taken for each other's, with their files in the name: `static` functions
/// of C in several files.
#[derive(Default)]
pub struct OwnNames(FxHashMap<(Arc<str>, String), String>);

impl OwnNames {
    pub fn of<'a>(procedures: impl Iterator<Item = &'a Procedure<'a>>) -> OwnNames {
        let mut by_name: FxHashMap<&str, Vec<&ir::Function>> = FxHashMap::default();
        for procedure in procedures {
            let function = procedure.function;
            by_name.entry(&function.name).or_default().push(function);
        }
        let mut names = FxHashMap::default();
        for (name, namesakes) in by_name {
            let files = namesakes.iter().map(|function| &function.place.file);
            if files.collect::<BTreeSet<_>>().len() < 2 {
                continue;
            }
            let places: Vec<(&Arc<str>, BTreeSet<u32>)> = (namesakes.iter())
                .map(|function| (&function.place.file, lines(function)))
                .collect();
            for (file, own) in &places {
                let others = (places.iter())
                    .filter(|(other, lines)| other != file && !lines.is_disjoint(own));
                let others: Vec<&str> = others.map(|(other, _)| &***other).collect();
                if !others.is_empty() {
                    let own = format!("{}_{name}", distinct_end(file, &others));
                    names.insert(((*file).clone(), name.to_string()), own);
                }
            }
        }
        OwnNames(names)
    }

    /// The name of a function, if no other one can be meant, or the one with its file.
    pub fn name<'s>(&'s self, function: &'s ir::Function) -> &'s str {
        if self.0.is_empty() {
            return &function.name;
        }
        let key = (function.place.file.clone(), function.name.clone());
        self.0.get(&key).unwrap_or(&function.name)
    }
}

/// The lines that parameters may be named by: those of loops, branches and calls.
fn lines(function: &ir::Function) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    statements(&function.body, InLoop::No, &mut |statement, _| {
        if let Stmt::Loop(_) | Stmt::If(_) | Stmt::Call { .. } = statement {
            found.insert(statement.place().line);
        }
    });
    found
}

/// As much of the end of a path as no other one has: `a.c`, or `left/a.c`.
fn distinct_end<'p>(path: &'p str, others: &[&str]) -> &'p str {
    let starts = path.rmatch_indices('/').map(|(at, _)| at + 1);
    starts
        .map(|start| &path[start..])
        .find(|end| !others.iter().any(|other| Path::new(other).ends_with(end)))
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::distinct_end;

    #[test]
    fn paths_keep_what_tells_them_apart() {
        assert_eq!(distinct_end("src/a.c", &["src/b.c"]), "a.c");
        assert_eq!(distinct_end("left/a.c", &["right/a.c"]), "left/a.c");
        assert_eq!(distinct_end("a.c", &["right/a.c"]), "a.c");
        assert_eq!(distinct_end("right/a.c", &["a.c"]), "right/a.c");
    }
}
