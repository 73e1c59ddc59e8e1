//! No decision by text: what something is stands in its type, not in how its name begins or what its label contains.
//!
//! Searched are the layers between what reads input and what writes output. Files that read text there for a reason are
//! listed with it.

use std::path::{Path, PathBuf};

/// Directories of `src` that neither read input nor write output.
const LAYERS: [&str; 13] = [
    "ir",
    "analysis",
    "model",
    "cache",
    "interpret",
    "validate",
    "dataflow",
    "metrics",
    "report",
    "compare",
    "diff",
    "graph",
    "regions",
];

/// Files that take text apart, and what that text is.
const READERS: [(&str, &str); 24] = [
    ("ir/name.rs", "names that it prints itself"),
    ("ir/element.rs", "types that it prints itself"),
    ("analysis/calls/resolve.rs", "paths, names of linkers"),
    ("analysis/constancy.rs", "what it prints itself into files"),
    ("analysis/loop_variable.rs", "names that it prints itself"),
    ("model/parameters.rs", "what users write after --set"),
    ("model/parameters/apply.rs", "what users write after --set"),
    ("cache/spec.rs", "what users write after --cache"),
    ("metrics/costs.rs", "keys of a file of users"),
    ("metrics/profile/symbols.rs", "names of linkers"),
    ("compare/line_counts.rs", "a file of llvm-cov"),
    ("compare/line_counts/gcov.rs", "a file of gcov"),
    ("compare/names.rs", "names of linkers"),
    ("compare/places.rs", "names of linkers"),
    ("compare/timings.rs", "a table of users"),
    ("compare/timings/likwid.rs", "what LIKWID prints"),
    ("compare/timings/perf.rs", "what perf prints"),
    ("compare/traced.rs", "names of linkers"),
    ("diff/limits.rs", "what users write after --fail-above"),
    ("diff/matching.rs", "paths"),
    ("diff/side.rs", "paths"),
    (
        "report/static_report/subscripts.rs",
        "subscripts that it prints itself",
    ),
    ("regions/placement.rs", "paths"),
    ("regions/statements.rs", "paths"),
];

/// Functions that look for a part of a text.
const SEARCHES: [&str; 13] = [
    ".starts_with(",
    ".ends_with(",
    ".strip_prefix(",
    ".strip_suffix(",
    ".split(",
    ".rsplit(",
    ".split_once(",
    ".rsplit_once(",
    ".splitn(",
    ".rsplitn(",
    ".find(",
    ".rfind(",
    ".contains(",
];

#[test]
fn nothing_is_told_by_how_its_name_begins() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut readers = Vec::new();
    for layer in LAYERS {
        for path in files(&source.join(layer)) {
            let name = path.strip_prefix(&source).unwrap().to_str().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let found: Vec<String> = (searching(&text).into_iter())
                .map(|(line, code)| format!("src/{name}:{line}: {code}"))
                .collect();
            match READERS.iter().find(|(reader, _)| *reader == name) {
                Some((reader, _)) if !found.is_empty() => readers.push(*reader),
                _ => wrong.extend(found),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "these decide by text; give what they ask for a type of its own:\n{}",
        wrong.join("\n")
    );
    for (reader, _) in READERS {
        let reads = readers.contains(&reader);
        assert!(reads, "{reader} reads no text: take it from the list");
    }
}

#[test]
fn searches_are_found_and_other_calls_are_not() {
    let decides = [
        "let is_share = name.starts_with(\"prob_\");",
        "match name.split_once('.') {",
        "let end = array.find(['%', '.'])?;",
        "if label.ends_with(&format!(\".{name}\")) {",
        "name.strip_prefix(OF_MACHINE)",
        "if level.name == \"DRAM\" {",
        "if kind != \"real8\" {",
        "\"min\" | \"min0\" => Expr::min(values),",
        "(\"mod\" | \"modulo\", [_, divisor]) => divisor,",
        "if matches!(name.as_str(), \"fmin\" | \"fmax\") {",
    ];
    for line in decides {
        assert_eq!(searching(line), [(1, line)], "{line}");
    }
    let others = [
        "if names.contains(&name) {",
        "all.iter().find(|one| one.is_known())",
        "// names.starts_with(\"prob_\")",
        "FEW.contains(&own)",
        "Origin::Macro => \"macro\",",
        "#[cfg(test)]\nmod tests { assert!(text.contains(\"n\")); }",
    ];
    for text in others {
        assert_eq!(searching(text), [], "{text}");
    }
}

/// Lines of code that look for a certain text, with their numbers. Tests at the end of a file are left out.
fn searching(text: &str) -> Vec<(usize, &str)> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = (1..).zip(code.lines().map(str::trim));
    lines
        .filter(|(_, line)| !line.starts_with("//") && looks_for_text(line))
        .collect()
}

fn looks_for_text(line: &str) -> bool {
    let after = |search: &str| -> Vec<&str> {
        let found = line.match_indices(search);
        found.map(|(at, _)| &line[at + search.len()..]).collect()
    };
    let searches = SEARCHES.iter().flat_map(|search| after(search));
    let compares = ["== ", "!= "].iter().flat_map(|sign| after(sign));
    searches.into_iter().any(is_fixed_text)
        || compares.into_iter().any(|rest| rest.starts_with('"'))
        || is_arm(line)
}

/// Whether a line is an arm of a `match` on texts, `"min" | "max" =>` or `("abs", [x]) =>`, or asks for one of several.
fn is_arm(line: &str) -> bool {
    let is_pattern = |pattern: &str| {
        let pattern = pattern.trim_start_matches(['(', '|', ' ']);
        pattern.starts_with('"') && !pattern.starts_with("\"\"")
    };
    let arm = line.split_once(" =>").map(|(pattern, _)| pattern);
    let asked = line.split_once("matches!(").map(|(_, asked)| asked);
    let pattern = asked.and_then(|asked| asked.split_once(", "));
    arm.is_some_and(is_pattern) || pattern.is_some_and(|(_, pattern)| is_pattern(pattern))
}

/// Whether an argument is a certain text, characters, or a constant.
fn is_fixed_text(argument: &str) -> bool {
    let is_constant = || {
        let name = argument.split(')').next().unwrap_or_default();
        let is_upper = |c: char| c.is_ascii_uppercase() || c == '_';
        !name.is_empty() && name.chars().all(is_upper)
    };
    let literals = ["\"", "'", "[\"", "['", "&format!"];
    literals.iter().any(|literal| argument.starts_with(literal)) || is_constant()
}

/// The Rust files in a directory and below, but for those of tests.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap_or_default().to_os_string();
        if stem == "tests" {
            continue;
        }
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.extension().is_some_and(|e| e == "rs") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}
