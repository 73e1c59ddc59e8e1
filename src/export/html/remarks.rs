//! What the page says about its input: reasons, diagnostics, files.

use serde_json::{Value, json};

use super::tables;
use crate::analysis::coverage;
use crate::model::Model;

/// Counts that belong beside the totals: loops, and what is not understood.
pub(super) fn coverage(model: &Model) -> Vec<Value> {
    let program = model.program;
    let coverage = coverage::coverage(program);
    let mut lines = vec![
        json!(["files read", program.files.len()]),
        json!(["loops", coverage.loops]),
        json!(["loops fully understood", coverage.understood]),
        json!(["loops understood in part", coverage.partial]),
    ];
    lines.extend(
        coverage
            .reasons
            .iter()
            .map(|(code, count)| json!([format!("loops with {code}"), count])),
    );
    lines.extend(
        coverage
            .outside
            .iter()
            .map(|(code, count)| json!([format!("outside loops: {code}"), count])),
    );
    lines.extend(
        program
            .unread
            .iter()
            .map(|(extension, count)| json!([format!("files not read: .{extension}"), count])),
    );
    lines
}

pub(super) fn gaps(model: &Model) -> Value {
    let rows = coverage::gaps(model.program).into_iter().map(|gap| {
        let file = gap.inside.map_or(&gap.function.file, |inner| &inner.file);
        vec![
            json!(gap.inside.map_or("outside loops", |inner| &inner.id)),
            json!(gap.reason.code),
            json!(gap.reason.detail),
            json!(gap.function.name),
            json!(**file),
            json!([gap.reason.line]),
        ]
    });
    let headers = [
        ("Loop", "text"),
        ("Reason", "text"),
        ("Detail", "text"),
        ("Function", "text"),
        ("File", "text"),
        ("Line", "number"),
    ];
    let remark = "Omitted parts are not counted in the figures of their loop.";
    tables::plain(
        ("gaps", "What was not understood", remark),
        &headers,
        rows.collect(),
    )
}

pub(super) fn diagnostics(model: &Model) -> Value {
    let found = model
        .program
        .files
        .iter()
        .flat_map(|file| &file.diagnostics);
    let rows = found.map(|diagnostic| {
        vec![
            json!(diagnostic.code.as_str()),
            json!(diagnostic.severity.as_str()),
            json!(diagnostic.message),
            json!(diagnostic.help.as_deref().unwrap_or_default()),
            json!(*diagnostic.place.file),
            json!([diagnostic.place.line]),
            json!([diagnostic.place.column]),
        ]
    });
    let headers = [
        ("Code", "text"),
        ("Severity", "text"),
        ("Message", "text"),
        ("Help", "text"),
        ("File", "text"),
        ("Line", "number"),
        ("Column", "number"),
    ];
    tables::plain(("diagnostics", "Diagnostics", ""), &headers, rows.collect())
}

pub(super) fn files(model: &Model) -> Value {
    let rows = model.program.files.iter().map(|file| {
        let (language, form) = (file.language.title(), file.form.as_str());
        let preprocessing = file.preprocessing.in_words();
        vec![
            json!(*file.path),
            json!(language),
            json!(form),
            json!(preprocessing),
            json!([file.lines]),
        ]
    });
    let headers = [
        ("File", "text"),
        ("Language", "text"),
        ("Form", "text"),
        ("Preprocessed", "text"),
        ("Lines", "number"),
    ];
    tables::plain(("files", "Files read", ""), &headers, rows.collect())
}
