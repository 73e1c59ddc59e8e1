//! `gcov --json-format`, of GCC 9 and later.

use serde::Deserialize;
use serde_json::Value;

use super::{CompiledFunction, CountsError, Decision, First, Line, LineCounts};

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    current_working_directory: String,
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    file: String,
    #[serde(default)]
    functions: Vec<Function>,
    lines: Vec<GcovLine>,
}

#[derive(Deserialize)]
struct Function {
    #[serde(default)]
    name: Option<String>,
    start_line: u32,
    #[serde(default)]
    end_line: Option<u32>,
    execution_count: u64,
}

#[derive(Deserialize)]
struct GcovLine {
    line_number: u32,
    count: u64,
    #[serde(default)]
    branches: Option<Vec<Branch>>,
}

#[derive(Deserialize)]
struct Branch {
    count: u64,
    fallthrough: bool,
    #[serde(default)]
    throw: bool,
}

pub fn add(counts: &mut LineCounts, document: &Value) -> Result<(), CountsError> {
    let damaged = |error: serde_json::Error| CountsError::Damaged(error.to_string());
    let Document {
        current_working_directory,
        files,
    } = Document::deserialize(document).map_err(damaged)?;
    let mut lines = files.iter().flat_map(|file| &file.lines).peekable();
    if lines.peek().is_some() && lines.all(|line| line.branches.is_none()) {
        return Err(CountsError::NoBranches);
    }
    for File {
        file,
        functions,
        lines,
    } in files
    {
        let name = match file.starts_with('/') || current_working_directory.is_empty() {
            true => file,
            false => format!("{current_working_directory}/{file}"),
        };
        for function in functions {
            let first = First::Name(function.start_line);
            counts.add_function(&name, first, function.execution_count);
            if let Some(symbol) = &function.name {
                let compiled = CompiledFunction::new(symbol, first, function.end_line);
                counts.add_compiled(&name, compiled);
            }
        }
        for line in lines {
            let branches = line.branches.unwrap_or_default();
            counts.has_branches |= !branches.is_empty();
            let found = Line {
                executions: line.count,
                decisions: decisions(&branches),
            };
            counts.add_line(&name, line.line_number, found);
        }
    }
    Ok(())
}

/// Two ways each; what has more, as a `switch`, is left out, and the line is not understood.
fn decisions(branches: &[Branch]) -> Vec<Decision> {
    let own: Vec<&Branch> = branches.iter().filter(|branch| !branch.throw).collect();
    let pairs = own.chunks(2).map(|pair| match pair {
        [one, other] if one.fallthrough != other.fallthrough => {
            let (falls, jumps) = if one.fallthrough {
                (one, other)
            } else {
                (other, one)
            };
            Some(Decision::Jump {
                jumps: jumps.count,
                falls: falls.count,
            })
        }
        // gcov lists the ways in the order of the code that they lead to.
        [first, second] if !first.fallthrough => Some(Decision::Ways {
            first: first.count,
            second: second.count,
        }),
        _ => None,
    });
    pairs.collect::<Option<Vec<Decision>>>().unwrap_or_default()
}
