//! How often were source lines executed in a native run?
//!
//! What `gcov --json-format` and `llvm-cov export` write. Both count by line, whatever the machine, and with
//! every decision how it went; but gcov counts jumps of the machine code, which are without optimisation taken
//! to pass over what is guarded, and llvm-cov conditions of the source ([`Decision`]). Several outputs are
//! added up. `counted_lines` says what follows.

mod gcov;
mod llvm;

use std::collections::BTreeMap;

use serde_json::Value;

/// Executions by file and line; several outputs are added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineCounts {
    lines: BTreeMap<String, BTreeMap<u32, Line>>,
    /// Calls of the functions that begin on a line.
    functions: BTreeMap<String, BTreeMap<u32, u64>>,
    /// Where functions stood when they were compiled.
    compiled: BTreeMap<String, Vec<CompiledFunction>>,
    /// Whether they say of any branch how it went.
    has_branches: bool,
}

/// Where a function stood in its file when it was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledFunction {
    /// What the source may call it: compilers write other names into object files.
    names: Vec<String>,
    pub first: First,
    /// The line of its end.
    pub last: Option<u32>,
}

/// The line that a compiler gives for the beginning of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// That of its name.
    Name(u32),
    /// The first one of its body.
    Body(u32),
}

impl CompiledFunction {
    /// Of a name in an object file: gfortran has `m_MOD_f` behind two underscores or `f_` for `f` and `MAIN__` for a program,
    /// GCC `f.part.0` for what it split, and clang `a.c:f` for what is static.
    fn new(symbol: &str, first: First, last: Option<u32>) -> CompiledFunction {
        let own = symbol.rsplit_once(':').map_or(symbol, |(_, own)| own);
        let own = own.split_once('.').map_or(own, |(own, _)| own);
        let of_fortran = match own.rsplit_once("_MOD_") {
            Some((_, own)) => own,
            None => own.trim_end_matches('_'),
        };
        let names = [own, of_fortran].into_iter();
        CompiledFunction {
            names: names.map(str::to_string).collect(),
            first,
            last,
        }
    }

    pub fn may_be(&self, name: &str) -> bool {
        self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

impl First {
    /// Whether a function whose name is on this line may begin so.
    pub fn fits(self, line: u32) -> bool {
        match self {
            First::Name(first) => first == line,
            First::Body(first) => first >= line,
        }
    }

    pub fn line(self) -> u32 {
        match self {
            First::Name(line) | First::Body(line) => line,
        }
    }
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub executions: u64,
    /// In the order of the source.
    pub decisions: Vec<Decision>,
}

/// How a conditional branch went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// As gcov has it, of the compiler's own branches.
    Jump { jumps: u64, falls: u64 },
    /// The same where the code after it is reached by a jump, too: `first` is the way to what stands earlier in the source.
    Ways { first: u64, second: u64 },
    /// As llvm-cov has it, of the source's conditions.
    Condition { yes: u64, no: u64 },
}

/// Why counts cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CountsError {
    #[error("it is not valid JSON, as `gcov --json-format` and `llvm-cov export` write it")]
    Json(#[from] serde_json::Error),
    #[error(
        "it is JSON of something else: expected the output of `gcov --json-format` or `llvm-cov export`"
    )]
    Other,
    #[error("{0}: the file is damaged, or of a version that is not known")]
    Damaged(String),
    #[error(
        "the gcov output has no branch counts, which iterations and probabilities follow from: regenerate it with \
         `gcov --json-format --branch-probabilities`"
    )]
    NoBranches,
}

impl LineCounts {
    /// Adds those of one file, by what it looks like. gcov writes one document a line where it has several.
    ///
    /// # Errors
    /// It is neither.
    pub fn add(&mut self, text: &str) -> Result<(), CountsError> {
        for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
            let document = document?;
            match () {
                () if document.get("gcc_version").is_some() => gcov::add(self, &document)?,
                () if document["type"] == "llvm.coverage.json.export" => {
                    llvm::add(self, &document)?;
                    self.has_branches = true;
                }
                () => return Err(CountsError::Other),
            }
        }
        Ok(())
    }

    /// These, if they say how branches went where code has any.
    ///
    /// # Errors
    /// They do not: a line was executed more often than any function of its file, and nothing says what led there.
    pub fn with_branches(self) -> Result<LineCounts, CountsError> {
        let repeats = |(file, lines): (&String, &BTreeMap<u32, Line>)| {
            let functions = self.functions.get(file).into_iter().flatten();
            let most = functions.map(|(_, calls)| *calls).max();
            most.is_some_and(|most| lines.values().any(|line| line.executions > most))
        };
        match !self.has_branches && self.lines.iter().any(repeats) {
            true => Err(CountsError::NoBranches),
            false => Ok(self),
        }
    }

    /// Files with executions, as the compiler names them, ascending.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.lines.keys().map(String::as_str)
    }

    pub fn line(&self, file: &str, line: u32) -> Option<&Line> {
        self.lines.get(file)?.get(&line)
    }

    /// Lines of a range that have code.
    pub fn lines(&self, file: &str, first: u32, last: u32) -> impl Iterator<Item = (u32, &Line)> {
        // Of a loop that ends on its first line there is no body behind it.
        let range = first..=last.max(first);
        let lines = self.lines.get(file).filter(|_| first <= last);
        (lines.into_iter())
            .flat_map(move |lines| lines.range(range.clone()).map(|(line, one)| (*line, one)))
    }

    /// How often the function was called that begins on a line.
    pub fn calls(&self, file: &str, line: u32) -> Option<u64> {
        self.functions.get(file)?.get(&line).copied()
    }

    fn add_line(&mut self, file: &str, line: u32, found: Line) {
        let Line {
            executions,
            decisions,
        } = found;
        let lines = self.lines.entry(file.to_string()).or_default();
        match lines.get_mut(&line) {
            None => {
                lines.insert(
                    line,
                    Line {
                        executions,
                        decisions,
                    },
                );
            }
            Some(known) => {
                known.executions += executions;
                let both = || known.decisions.iter().zip(&decisions);
                // Of different code on one line nothing shows which is which.
                known.decisions = match known.decisions.len() == decisions.len() {
                    true => both().map(|(one, other)| one.sum(other)).collect(),
                    false => None,
                }
                .unwrap_or_default();
            }
        }
    }

    /// Functions of a file, where they stood when they were compiled.
    pub fn compiled(&self, file: &str) -> &[CompiledFunction] {
        self.compiled.get(file).map_or(&[], Vec::as_slice)
    }

    fn add_function(&mut self, file: &str, first: First, calls: u64) {
        let functions = self.functions.entry(file.to_string()).or_default();
        *functions.entry(first.line()).or_default() += calls;
    }

    fn add_compiled(&mut self, file: &str, function: CompiledFunction) {
        let compiled = self.compiled.entry(file.to_string()).or_default();
        compiled.push(function);
    }
}

impl Decision {
    /// Both ways, in the order in which they are named.
    pub fn ways(self) -> [u64; 2] {
        match self {
            Decision::Jump { jumps, falls } => [jumps, falls],
            Decision::Condition { yes, no } => [yes, no],
            Decision::Ways { first, second } => [first, second],
        }
    }

    /// Both ways together.
    pub fn all(self) -> u64 {
        self.ways().into_iter().sum()
    }

    /// How often the condition of an `if` held: without optimisation, compilers jump over what it guards.
    pub fn held(self) -> u64 {
        match self {
            Decision::Jump { falls, .. } => falls,
            Decision::Condition { yes, .. } => yes,
            Decision::Ways { first, .. } => first,
        }
    }

    /// What both say together; `None` if they are not of the same code.
    fn sum(self, other: &Decision) -> Option<Decision> {
        let [[one, two], [more, less]] = [self.ways(), other.ways()];
        let [one, two] = [one + more, two + less];
        Some(match (self, other) {
            (Decision::Jump { .. }, Decision::Jump { .. }) => Decision::Jump {
                jumps: one,
                falls: two,
            },
            (Decision::Condition { .. }, Decision::Condition { .. }) => {
                Decision::Condition { yes: one, no: two }
            }
            (Decision::Ways { .. }, Decision::Ways { .. }) => Decision::Ways {
                first: one,
                second: two,
            },
            _ => return None,
        })
    }
}
