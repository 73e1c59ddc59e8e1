//! JSON, schema `loopsheet/compare/1` (the keys are a promise).

use serde_json::{Value, json};

use crate::compare::Comparison;

/// The whole comparison. What is not known is null.
pub fn render(comparison: &Comparison) -> String {
    let mut value = json!({ "schema": "loopsheet/compare/1" });
    if let (Value::Object(all), Value::Object(own)) = (&mut value, json!(comparison)) {
        all.extend(own);
    }
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}
