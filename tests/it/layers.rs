//! The map in `src/lib.rs` is kept: a module names only modules before it.

use std::path::{Path, PathBuf};

/// Modules in reading order.
const ORDER: [&str; 28] = [
    "quantity",
    "diagnostic",
    "reason",
    "expr",
    "formula",
    "source",
    "intrinsics",
    "message_passing",
    "machine",
    "syntax",
    "ir",
    "lower",
    "analysis",
    "model",
    "cache",
    "interpret",
    "validate",
    "binary",
    "trace",
    "regions",
    "dataflow",
    "metrics",
    "report",
    "compare",
    "graph",
    "export",
    "cli",
    "commands",
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("src can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn module(path: &Path, root: &Path) -> String {
    let inside = path.strip_prefix(root).expect("below src");
    let first = inside
        .components()
        .next()
        .expect("a component")
        .as_os_str()
        .to_string_lossy();
    first.trim_end_matches(".rs").to_string()
}

#[test]
fn modules_name_only_modules_before_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 30, "only {} files found", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let module = module(&path, &root);
        let Some(own) = ORDER.iter().position(|m| *m == module) else {
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("source text");
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            for (place, _) in code.match_indices("crate::") {
                let rest = &code[place + "crate::".len()..];
                let named: String = rest
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                if ORDER
                    .iter()
                    .position(|m| *m == named)
                    .is_some_and(|other| other > own)
                {
                    wrong.push(format!(
                        "{}:{}: {module} names {named}",
                        path.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_commands_and_main_touch_files_and_terminals() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for path in files {
        if ["commands", "main"].contains(&module(&path, &root).as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("source text");
        // Unit tests may read what they check.
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        for forbidden in [
            "std::fs",
            "std::env::",
            "println!",
            "eprintln!",
            "std::process",
        ] {
            if code.contains(forbidden) && !path.ends_with("tests.rs") {
                wrong.push(format!("{}: {forbidden}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_syntax_and_lower_know_tree_sitter() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    for path in files {
        let module = module(&path, &root);
        let text = std::fs::read_to_string(&path).expect("source text");
        let knows = text.contains("tree_sitter");
        let may = ["syntax", "lower"].contains(&module.as_str());
        assert!(may || !knows, "{} names tree-sitter", path.display());
    }
}

#[test]
fn only_the_workbook_knows_its_format() {
    let export = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/export");
    let mut files = Vec::new();
    sources(&export, &mut files);
    for path in files {
        let inside = path.strip_prefix(&export).expect("below export");
        let text = std::fs::read_to_string(&path).expect("source text");
        let is_workbook = inside.starts_with("xlsx");
        let knows = text.contains("rust_xlsxwriter");
        assert!(is_workbook || !knows, "{} knows workbooks", path.display());
        let names = inside.starts_with("listings") && text.contains("xlsx");
        assert!(!names, "{} names the workbook", path.display());
    }
}
