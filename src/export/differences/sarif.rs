//! SARIF 2.1.0, by which code hosts put remarks beside lines: regions of the new side that could not be read, warnings that
//! the old side does not have, and limits that were exceeded.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::diagnostic::Severity;
use crate::diff::{Difference, Exceeded, Limit};
use crate::report::static_report::DiagnosticReport;

/// Where the format is described.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The results of the new side.
pub fn render(difference: &Difference) -> String {
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    let mut results = Vec::new();
    for found in &difference.unread {
        let what = format!("A region could not be read: {}", found.code);
        rules.insert(found.code.clone(), what);
        results.push(located(found));
    }
    for found in difference.gained_warnings() {
        let what = format!("Figures may not be those of the program: {}", found.code);
        rules.insert(found.code.clone(), what);
        results.push(located(found));
    }
    for found in &difference.exceeded {
        let (rule, what) = rule(&found.limit);
        rules.insert(rule.to_string(), what.to_string());
        results.push(exceeded(found));
    }
    let rules = rules
        .into_iter()
        .map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }));
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "loopsheet",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<Value>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let text = serde_json::to_string_pretty(&document);
    text.expect("it has no maps with keys that are not text") + "\n"
}

fn rule(limit: &Limit) -> (&'static str, &'static str) {
    match limit {
        Limit::Threshold { .. } => ("fail-above", "A figure grew more than --fail-above allows"),
        Limit::Budget { .. } => ("budget", "A nest costs more than its budget"),
    }
}

fn located(found: &DiagnosticReport) -> Value {
    let region = json!({ "startLine": found.line.max(1), "startColumn": found.column.max(1) });
    result(
        &found.code,
        found.severity,
        &found.message,
        Some(location(&found.file, &region)),
    )
}

fn exceeded(found: &Exceeded) -> Value {
    let place = found.nest.as_ref().map(|nest| {
        let region = json!({ "startLine": nest.line.max(1) });
        location(&nest.file, &region)
    });
    result(
        rule(&found.limit).0,
        Severity::Error,
        &found.to_string(),
        place,
    )
}

fn result(rule: &str, level: Severity, text: &str, location: Option<Value>) -> Value {
    json!({
        "ruleId": rule,
        // Both have the same words for it.
        "level": level.as_str(),
        "message": { "text": text },
        "locations": location.into_iter().collect::<Vec<Value>>(),
    })
}

fn location(file: &str, region: &Value) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(file) },
        "region": region,
    } })
}

/// A path as a reference: characters that mean something in one are written as their codes.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=@".contains(&byte);
    let mut text = if path.starts_with('/') { "file://" } else { "" }.to_string();
    for byte in path.bytes() {
        match is_plain(byte) {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_are_references() {
        assert_eq!(super::uri("src/a b#1.f90"), "src/a%20b%231.f90");
        assert_eq!(super::uri("/ü.c"), "file:///%C3%BC.c");
    }
}
