//! `trace --slices`: weighted sums of slices of a run.

use std::fs;
use std::path::Path;

use crate::support::command::{self, loopsheet};
use serde_json::Value;

/// The lines of a sample, cut into three parts, and a list of them with these weights.
fn cut(directory: &Path, weights: [&str; 3]) -> std::path::PathBuf {
    let whole = fs::read_to_string(command::root().join("samples/traces/factorial.edan"));
    let whole = whole.expect("a sample");
    let lines: Vec<&str> = whole.lines().collect();
    let parts = [&lines[..50], &lines[50..170], &lines[170..]];
    let mut list = String::from("# weight and trace\n");
    for ((name, part), weight) in ["a 1.edan", "b.edan", "c.edan"]
        .iter()
        .zip(parts)
        .zip(weights)
    {
        fs::write(directory.join(name), part.join("\n") + "\n").expect("a file");
        list.push_str(&format!("{weight} {name}\n"));
    }
    let path = directory.join("list");
    fs::write(&path, list).expect("a file");
    path
}

fn summed(list: &Path, arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    command.arg("trace").arg("--slices").arg(list);
    command::printed(command.args(["--json", "-"]).args(arguments))
}

fn alone(path: &Path) -> Value {
    let mut command = loopsheet();
    command.arg("trace").arg(path).args(["--json", "-"]);
    command::printed(command.args(["--epochs", "--reuse"]))
}

/// Parts that are the whole have the counts of the whole: instructions, work, accesses, bytes, classes.
#[test]
fn parts_of_a_trace_add_up() {
    let directory = tempfile::tempdir().expect("a directory");
    let list = cut(directory.path(), ["1", "1", "1"]);
    let parts = summed(&list, &[]);
    let whole = alone(&command::root().join("samples/traces/factorial.edan"));
    for key in ["work", "memory_work", "non_memory_cost", "bytes_moved"] {
        let number = |report: &Value| report["edag"][key].as_f64().expect("a number");
        assert_eq!(number(&parts), number(&whole), "{key}");
    }
    for (class, count) in whole["mix"].as_object().expect("classes") {
        assert_eq!(parts["mix"][class].as_f64(), count.as_f64(), "{class}");
    }
    // A path through all parts is no longer than the paths of the parts together.
    let depth = |report: &Value| report["edag"]["depth"].as_f64().expect("a depth");
    assert!(depth(&parts) >= depth(&whole));
    assert_eq!(parts["schema"], "loopsheet/slices/1");
    assert_eq!(parts["formula"], "Σ wᵢ·xᵢ");
}

#[test]
fn every_figure_is_the_weighted_sum() {
    let directory = tempfile::tempdir().expect("a directory");
    let weights = [0.25, 3.0, 0.5];
    let list = cut(directory.path(), ["0.25", "3", "5e-1"]);
    let summed = summed(&list, &["--epochs", "--reuse"]);
    let own: Vec<Value> = ["a 1.edan", "b.edan", "c.edan"]
        .iter()
        .map(|name| alone(&directory.path().join(name)))
        .collect();
    let sum = |of: &dyn Fn(&Value) -> f64| -> f64 {
        own.iter()
            .zip(weights)
            .map(|(own, weight)| weight * of(own))
            .sum()
    };
    let close = |one: &Value, other: f64, what: &str| {
        let one = one.as_f64().expect("a number");
        assert!(
            (one - other).abs() <= 1e-12 * other.abs(),
            "{what}: {one} {other}"
        );
    };
    let edag = |key: &'static str| sum(&move |own| own["edag"][key].as_f64().expect("a number"));
    for key in [
        "work",
        "depth",
        "edges",
        "memory_work",
        "memory_depth",
        "non_memory_cost",
    ] {
        close(&summed["edag"][key], edag(key), key);
    }
    // λ = (𝒲−𝒟)/m + 𝒟 with m = 4, of the sums.
    let (work, depth) = (edag("memory_work"), edag("memory_depth"));
    close(
        &summed["edag"]["lambda"],
        (work - depth) / 4.0 + depth,
        "lambda",
    );
    close(
        &summed["edag"]["parallelism"],
        edag("work") / edag("depth"),
        "parallelism",
    );
    assert_eq!(summed["formulas"]["lambda"], "(𝒲-𝒟)/m+𝒟");
    let epochs = |own: &Value| own["epochs"]["epochs"][0][3].as_f64().expect("a number");
    close(&summed["epochs"]["epochs"][0][3], sum(&epochs), "epochs");
    let instructions = sum(&|own| own["trace"]["instructions"].as_f64().expect("a number"));
    close(
        &summed["epochs"]["epki"][0][3],
        1000.0 * sum(&epochs) / instructions,
        "epki",
    );
    let cold = sum(&|own| own["reuse"]["cold"].as_f64().expect("a number"));
    close(&summed["reuse"]["cold"], cold, "cold");
}

/// C-AMAT and AMAT follow from the sums of cycles and accesses.
#[test]
fn camat_follows_from_sums() {
    let directory = tempfile::tempdir().expect("a directory");
    let weights = [0.25, 3.0, 0.5];
    let list = cut(directory.path(), ["0.25", "3", "5e-1"]);
    let report = summed(&list, &["--camat"]);
    let own = ["a 1.edan", "b.edan", "c.edan"].map(|name| {
        let mut command = loopsheet();
        command.arg("trace").arg(directory.path().join(name));
        command::printed(command.args(["--camat", "--json", "-"]))
    });
    for level in 0..2 {
        let sum = |key: &str| -> f64 {
            let of = |report: &Value| report["camat"]["levels"][level][key].as_f64();
            let parts = own.iter().zip(weights);
            parts
                .map(|(own, weight)| weight * of(own).expect(key))
                .sum()
        };
        let found = &report["camat"][level];
        let close = |key: &str, expected: f64| {
            let found = found[key].as_f64().expect(key);
            assert!(
                (found - expected).abs() <= 1e-12 * expected.abs(),
                "{key}: {found} {expected}"
            );
        };
        for key in ["alpha", "omega", "m", "hit_cycles"] {
            close(key, sum(key));
        }
        close("CAMAT", sum("omega") / sum("alpha"));
        close(
            "AMAT",
            (sum("hit_cycles") + sum("miss_cycles")) / sum("alpha"),
        );
    }
}

#[test]
fn bad_lists_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let list = cut(directory.path(), ["1", "1", "1"]);
    let refused = |text: &str, arguments: &[&str], said: &str| {
        fs::write(&list, text).expect("a file");
        let mut command = loopsheet();
        command
            .arg("trace")
            .arg("--slices")
            .arg(&list)
            .args(arguments);
        let output = command.output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(output.stdout.is_empty() && error.contains(said), "{error}");
    };
    refused("", &[], "no slices");
    refused("b.edan 1\n", &[], "line 1: `b.edan 1` is not a weight");
    refused("-1 b.edan\n", &[], "the weight -1 is not from 0");
    refused("1 none.edan\n", &[], "none.edan");
    refused("1 b.edan\n1 none.edan\n", &[], "list, line 2: cannot read ");
    refused("1 b.edan\n2 b.edan\n", &[], "listed twice");
    refused("1 b.edan\n2 ./b.edan\n", &[], "listed twice: line 1 has it");
    std::os::unix::fs::symlink("b.edan", directory.path().join("link")).expect("a link");
    refused(
        "1 b.edan\n2 link\n",
        &[],
        "listed twice: line 1 has it, as ",
    );
    refused(
        "1 b.edan\n",
        &["--camat", "--vary", "window=8"],
        "--vary takes one trace",
    );
    refused(
        "1 b.edan\n",
        &["-o", "a.xlsx"],
        "a workbook takes one trace",
    );
}

/// Names may be in quotes, with remarks behind them; copies may be meant.
#[test]
fn lists_have_quotes_and_remarks() {
    let directory = tempfile::tempdir().expect("a directory");
    let list = cut(directory.path(), ["1", "1", "1"]);
    let plain = summed(&list, &[]);
    fs::write(
        &list,
        "1 \"a 1.edan\"\n1 b.edan # the second\n1 'c.edan' # and last\n",
    )
    .expect("a file");
    assert_eq!(summed(&list, &[]), plain);
    fs::copy(
        directory.path().join("b.edan"),
        directory.path().join("d.edan"),
    )
    .expect("a copy");
    fs::write(&list, "1 b.edan\n2 d.edan\n").expect("a file");
    let output = loopsheet()
        .arg("trace")
        .arg("--slices")
        .arg(&list)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("lines 1 and 2 name files that hold the same"),
        "{said}"
    );
}
