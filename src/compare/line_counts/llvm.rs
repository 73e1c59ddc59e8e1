//! `llvm-cov export`, of LLVM 12 and later: regions by line and column, and conditions with both ways.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{CompiledFunction, CountsError, Decision, First, Line, LineCounts};

pub fn add(counts: &mut LineCounts, document: &Value) -> Result<(), CountsError> {
    let list = |value: &Value, what: &str| match value.as_array() {
        Some(list) => Ok(list.clone()),
        None => Err(CountsError::Damaged(format!("there is no {what}"))),
    };
    for data in list(&document["data"], "data")? {
        for file in list(&data["files"], "files")? {
            let name = file["filename"].as_str();
            let name =
                name.ok_or_else(|| CountsError::Damaged("a file has no name".to_string()))?;
            let segments = list(&file["segments"], "segments")?;
            let mut lines = executions(&segments)?;
            for branch in file["branches"].as_array().into_iter().flatten() {
                let [line, .., yes, no] = numbers(branch, &[0, 4, 5])?[..] else {
                    continue;
                };
                let found = lines.entry(line as u32).or_default();
                found.decisions.push(Decision::Condition { yes, no });
            }
            lines
                .into_iter()
                .for_each(|(line, found)| counts.add_line(name, line, found));
        }
        for function in data["functions"].as_array().into_iter().flatten() {
            let file = function["filenames"][0].as_str();
            let line = function["regions"][0][0].as_u64();
            if let (Some(file), Some(line), Some(calls)) = (file, line, function["count"].as_u64())
            {
                let first = First::Body(line as u32);
                counts.add_function(file, first, calls);
                // The first region is the whole body.
                let last = function["regions"][0][2].as_u64().map(|line| line as u32);
                if let Some(symbol) = function["name"].as_str() {
                    counts.add_compiled(file, CompiledFunction::new(symbol, first, last));
                }
            }
        }
    }
    Ok(())
}

/// Executions of each line: of the region that reaches into it, or of one that begins there and is executed more often.
fn executions(segments: &[Value]) -> Result<BTreeMap<u32, Line>, CountsError> {
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    let (mut reaching, mut last): (Option<u64>, Option<u32>) = (None, None);
    for segment in segments {
        let [line, count] = numbers(segment, &[0, 2])?[..] else {
            continue;
        };
        let (line, has_count) = (line as u32, segment[3].as_bool() == Some(true));
        if let (Some(reaching), Some(last)) = (reaching, last) {
            for between in last + 1..=line {
                let own = lines.entry(between).or_default();
                own.executions = own.executions.max(reaching);
            }
        }
        let is_code =
            has_count && segment[4].as_bool() == Some(true) && segment[5].as_bool() != Some(true);
        if is_code {
            let own = lines.entry(line).or_default();
            own.executions = own.executions.max(count);
        }
        (reaching, last) = (has_count.then_some(count), Some(line));
    }
    Ok(lines)
}

/// The numbers at these places of a list.
fn numbers(list: &Value, places: &[usize]) -> Result<Vec<u64>, CountsError> {
    let number = |place: &usize| {
        let found = list.get(*place).and_then(Value::as_u64);
        found.ok_or_else(|| CountsError::Damaged(format!("{list} has no count at place {place}")))
    };
    places.iter().map(number).collect()
}
