//! How operators and the names of generic interfaces are spelled.

use std::sync::Arc;

use crate::ir::BinaryOp;

/// A generic name without spaces, operators in one spelling.
pub fn generic_name(text: &str) -> Arc<str> {
    let mut name = text.to_ascii_lowercase();
    name.retain(|c| !c.is_whitespace());
    let Some(operator) = name
        .strip_prefix("operator(")
        .and_then(|rest| rest.strip_suffix(')'))
    else {
        return name.into();
    };
    let symbol = match operator {
        ".lt." => "<",
        ".le." => "<=",
        ".gt." => ">",
        ".ge." => ">=",
        ".eq." => "==",
        ".ne." => "/=",
        other => other,
    };
    format!("operator({symbol})").into()
}

/// An operator in that spelling.
pub fn spelled(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => ".and.",
        BinaryOp::Or => ".or.",
        BinaryOp::Other => "//",
        op => op.sign(),
    }
}
