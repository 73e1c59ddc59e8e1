//! JSON, schema `loopsheet/validate/1` (the keys are a promise).

use serde_json::{Map, Value, json};

use super::json::number;
use crate::validate::{Case, Report, Skipped, Summary};

/// All cases, a line each.
pub fn render(report: &Report) -> String {
    let lines = |values: Vec<Value>| match values.is_empty() {
        true => "[]".to_string(),
        false => {
            let lines: Vec<String> = values.iter().map(|value| format!("    {value}")).collect();
            format!("[\n{}\n  ]", lines.join(",\n"))
        }
    };
    let cases = lines(report.cases.iter().map(case).collect());
    let skipped = lines(report.skipped.iter().map(skip).collect());
    let summary = summary(&Summary::of(&report.cases));
    format!(
        "{{\n  \"schema\": \"loopsheet/validate/1\",\n  \"cases\": {cases},\n  \"skipped\": {skipped},\n  \
         \"summary\": {summary}\n}}\n"
    )
}

fn case(case: &Case) -> Value {
    let sizes: Map<String, Value> = case
        .sizes
        .iter()
        .map(|(name, value)| (name.clone(), number(*value)))
        .collect();
    let explained: Vec<&str> = case.explained.iter().map(|e| e.as_str()).collect();
    json!({
        "file": &*case.file,
        "function": case.function,
        "nest": case.nest,
        "line": case.line,
        "sizes": sizes,
        "level": case.level,
        "capacity": case.capacity,
        "predicted_bytes": number(case.predicted_bytes),
        "simulated_bytes": number(case.simulated_bytes),
        "simulated_set_associative_bytes": case.simulated_set_associative_bytes.map_or(Value::Null, number),
        "ratio": number(case.ratio()),
        "condition": case.condition,
        "explained": explained.join(","),
        "accesses": case.accesses,
        "cold_bytes": case.cold_bytes.map_or(Value::Null, number),
        "sampled_share": number(case.sampled_share),
        "error": number(case.error.all()),
        "error_parts": {
            "spread": number(case.error.spread),
            "warm_up": number(case.error.warm_up),
            "ends": number(case.error.ends),
        },
        "notes": case.notes,
    })
}

fn skip(skipped: &Skipped) -> Value {
    let Skipped {
        file,
        function,
        nest,
        line,
        code,
        detail,
    } = skipped;
    json!({ "file": &**file, "function": function, "nest": nest, "line": line, "code": code, "detail": detail })
}

fn summary(summary: &Summary) -> Value {
    json!({
        "cases": summary.cases,
        "within_5_percent": summary.within_5_percent,
        "within_20_percent": summary.within_20_percent,
        "outside_switch": {
            "cases": summary.outside_switch,
            "within_5_percent": summary.outside_switch_within_5_percent,
            "within_20_percent": summary.outside_switch_within_20_percent,
        },
    })
}
