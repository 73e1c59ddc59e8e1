//! Operations and streams of known kernels against counts by hand.
//!
//! A fixture explains its counts in a comment and states them in lines with `@`, for the innermost
//! loops in the order of the source:
//!
//!     @ <loop> adds multiplies divides specials fused pairs
//!     @ <loop> array[component] class shape ghosts cells

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::command;
use serde_json::Value;

/// Facts by loop, sorted: the operations and one line a stream.
type Table = BTreeMap<usize, Vec<String>>;

fn expected(path: &Path) -> Table {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut table = Table::new();
    for line in text
        .lines()
        .filter_map(|line| line.split_once("@ ").map(|(_, facts)| facts.trim()))
    {
        let (number, facts) = line.split_once(' ').expect("a loop and its facts");
        table
            .entry(number.parse().expect("a number"))
            .or_default()
            .push(facts.to_string());
    }
    table.values_mut().for_each(|facts| facts.sort());
    table
}

fn counted(path: &Path, with_streams: impl Fn(usize) -> bool) -> Table {
    let json = command::analysed(path, &["--machine", "exasat"]);
    let functions = json["functions"].as_array().expect("functions");
    let loops = functions
        .iter()
        .flat_map(|function| function["loops"].as_array().expect("loops"));
    let innermost = loops.filter(|l| l["children"].as_array().expect("children").is_empty());
    (1..)
        .zip(innermost)
        .map(|(number, l)| (number, facts(l, with_streams(number))))
        .collect()
}

fn facts(innermost: &Value, with_streams: bool) -> Vec<String> {
    assert_eq!(
        innermost["reasons"],
        Value::Array(Vec::new()),
        "{}",
        innermost["id"]
    );
    let names = ["adds", "multiplies", "divides", "specials", "fma_pairs"];
    let mut facts = vec![
        names
            .map(|name| innermost["flops"][name].to_string())
            .join(" "),
    ];
    if with_streams {
        facts.extend(
            innermost["arrays"]
                .as_array()
                .expect("arrays")
                .iter()
                .map(stream),
        );
    }
    facts.sort();
    facts
}

fn stream(array: &Value) -> String {
    let text = |key: &str| array[key].as_str().unwrap_or_default();
    let component = match text("component") {
        "" => String::new(),
        component => format!("[{component}]"),
    };
    let ghosts = array["ghost"]
        .as_array()
        .expect("ghosts")
        .iter()
        .map(|g| format!("{}:{}", g[0], g[1]));
    let ghosts = ghosts.collect::<Vec<_>>().join(",");
    format!(
        "{}{component} {} {} {ghosts} {}",
        text("name"),
        text("class"),
        text("shape"),
        array["cells"]
    )
}

#[test]
fn kernels_have_the_counts_that_their_comments_explain() {
    for path in command::files("tests/fixtures/kernels") {
        let expected = expected(&path);
        assert!(!expected.is_empty(), "{} states no counts", path.display());
        // A loop of which no stream is stated is there for its operations.
        let has_streams =
            |number: usize| expected.get(&number).is_some_and(|facts| facts.len() > 1);
        assert_eq!(counted(&path, has_streams), expected, "{}", path.display());
    }
}
