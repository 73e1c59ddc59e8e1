//! `loopsheet validate` from outside: table, JSON, refusals.

use std::path::Path;

use crate::support::command;
use expect_test::expect;

fn loopsheet(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = command::loopsheet();
    let output = command
        .current_dir(directory)
        .args(arguments)
        .output()
        .expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Rows of 16 doubles are two lines: what the formulas say is what happens.
const KERNELS: &str = "void copy(int n, double a[n][16], double b[n][16]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 16; j++)
      a[i][j] = b[i][j];
}

void again(int n, double x[n], double y[n]) {
  for (int i = 0; i < n; i++)
    x[i] = 1;
  for (int i = 0; i < n; i++)
    y[i] = x[i];
}
";

fn project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("k.c"), KERNELS).expect("written");
    directory
}

#[test]
fn the_table() {
    let directory = project();
    let (status, table, errors) = loopsheet(
        directory.path(),
        &[
            "validate",
            "k.c",
            "--function",
            "copy",
            "--sizes",
            "n=32,64",
            "--cache",
            "4KiB,1way",
        ],
    );
    assert_eq!((status, errors.as_str()), (0, ""));
    // 32 rows: 4 KiB read, 4 KiB fetched and written. One array lies a multiple of the cache behind the other: every
    // access of one takes away the line of the other.
    expect![[r#"
        nest    sizes  level  capacity  predicted  simulated  ratio  set-assoc.  condition        explained
        copy@2  n=32   L1        4 KiB    12.3 kB    12.3 kB  1.000     98.3 kB  all reuse stays  conflicts
        copy@2  n=64   L1        4 KiB    24.6 kB    24.6 kB  1.000      197 kB  all reuse stays  conflicts

        cases: 2, within 5 % 2 (100.0 %), within 20 % 2 (100.0 %)
        cases more than a tenth from any step: 2, within 5 % 2 (100.0 %), within 20 % 2 (100.0 %)
    "#]]
    .assert_eq(&table);
}

#[test]
fn the_json() {
    let directory = project();
    let arguments = [
        "validate",
        "k.c",
        "--set",
        "n=512",
        "--cache",
        "1KiB,full",
        "--cache",
        "64KiB,full",
        "--json",
        "-",
    ];
    let (status, json, _) = loopsheet(
        directory.path(),
        &[&arguments[..], &["--function", "again"]].concat(),
    );
    assert_eq!(status, 0);
    expect![[r#"
        {
          "schema": "loopsheet/validate/1",
          "cases": [
            {"file":"k.c","function":"again","nest":"again@8","line":8,"sizes":{"n":512},"level":"L1","capacity":1024,"predicted_bytes":8192,"simulated_bytes":8192,"simulated_set_associative_bytes":null,"ratio":1,"condition":"all reuse stays","explained":"","accesses":512,"cold_bytes":4096,"sampled_share":1,"error":0,"error_parts":{"spread":0,"warm_up":0,"ends":0},"notes":[],"reasons":[]},
            {"file":"k.c","function":"again","nest":"again@8","line":8,"sizes":{"n":512},"level":"L2","capacity":65536,"predicted_bytes":8192,"simulated_bytes":8192,"simulated_set_associative_bytes":null,"ratio":1,"condition":"all reuse stays","explained":"","accesses":512,"cold_bytes":4096,"sampled_share":1,"error":0,"error_parts":{"spread":0,"warm_up":0,"ends":0},"notes":[],"reasons":[]},
            {"file":"k.c","function":"again","nest":"again@10","line":10,"sizes":{"n":512},"level":"L1","capacity":1024,"predicted_bytes":12288,"simulated_bytes":12288,"simulated_set_associative_bytes":null,"ratio":1,"condition":"all reuse stays","explained":"","accesses":1024,"cold_bytes":8192,"sampled_share":1,"error":0,"error_parts":{"spread":0,"warm_up":0,"ends":0},"notes":[],"reasons":[]},
            {"file":"k.c","function":"again","nest":"again@10","line":10,"sizes":{"n":512},"level":"L2","capacity":65536,"predicted_bytes":12288,"simulated_bytes":12288,"simulated_set_associative_bytes":null,"ratio":1,"condition":"all reuse stays","explained":"","accesses":1024,"cold_bytes":8192,"sampled_share":1,"error":0,"error_parts":{"spread":0,"warm_up":0,"ends":0},"notes":[],"reasons":[]}
          ],
          "skipped": [],
          "summary": {"cases":4,"within_5_percent":4,"within_20_percent":4,"outside_switch":{"cases":4,"within_5_percent":4,"within_20_percent":4}}
        }
    "#]].assert_eq(&json);
}

/// The second loop of `again` finds `x`, 4 KiB, in the larger cache.
#[test]
fn caches_stay_warm_in_a_whole_function() {
    let directory = project();
    let arguments = [
        "validate",
        "k.c",
        "--set",
        "n=512",
        "--cache",
        "1KiB,full",
        "--cache",
        "64KiB,full",
        "--json",
        "-",
    ];
    let (_, json, _) = loopsheet(
        directory.path(),
        &[&arguments[..], &["--function", "again", "--whole"]].concat(),
    );
    let document: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let simulated = |case: usize| {
        document["cases"][case]["simulated_bytes"]
            .as_u64()
            .expect("a number")
    };
    // By nest and level. Lines of `x` are written back for the nest that wrote them.
    assert_eq!([0, 1, 2, 3].map(simulated), [8192, 8192, 12288, 8192]);
}

#[test]
fn long_nests_are_sampled() {
    let directory = project();
    let text = "void f(int n, double a[n][n], double b[n][n]) {
                  for (int i = 1; i < n - 1; i++) for (int j = 0; j < n; j++) b[i][j] = a[i - 1][j] + a[i + 1][j]; }";
    std::fs::write(directory.path().join("s.c"), text).expect("written");
    let run = |most: &str| {
        let arguments = [
            "validate",
            "s.c",
            "--set",
            "n=1000",
            "--cache",
            "32KiB,full",
            "--json",
            "-",
            "--max-accesses",
            most,
        ];
        let (_, json, _) = loopsheet(directory.path(), &arguments);
        let document: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        document["cases"][0].clone()
    };
    let (whole, part) = (run("10000000"), run("400000"));
    assert_eq!(
        (&whole["explained"], &part["explained"]),
        (&"".into(), &"sampled".into())
    );
    let bytes = |case: &serde_json::Value| case["simulated_bytes"].as_f64().expect("a number");
    let share = part["sampled_share"].as_f64().expect("a number");
    assert!((0.03..0.15).contains(&share), "{share}");
    assert!(
        (bytes(&part) / bytes(&whole) - 1.0).abs() < 0.01,
        "{} for {}",
        bytes(&part),
        bytes(&whole)
    );
    assert_eq!(part["accesses"], whole["accesses"]);
}

#[test]
fn what_cannot_be_run_is_listed() {
    let directory = project();
    let text = "struct node { double x; struct node *next; }; void f(struct node *p) { while (p) { p->x = 1; p = p->next; } }";
    std::fs::write(directory.path().join("l.c"), text).expect("written");
    let (status, table, _) = loopsheet(directory.path(), &["validate", "l.c", "--cache", "4KiB"]);
    assert_eq!(status, 1);
    assert!(
        table.contains("not run:\n  l.c:1: f@1: member_of_pointer"),
        "{table}"
    );
}

#[test]
fn bad_usage_writes_nothing() {
    let directory = project();
    for (arguments, message) in [
        (&["--cache", "1000B,3way"][..], "--cache 1000B,3way"),
        (
            &["--cache", "4KiB", "--cache", "1KiB"],
            "smaller than level 1",
        ),
        (&["--sizes", "n"], "expected NAMES=LIST"),
        (&["--sizes", "n=1..x"], "not a whole number"),
        (&["--set", "nn=3"], "no parameter of that name"),
        (&["--function", "none"], "no function matches"),
        (&["--gap", "x"], "--gap"),
    ] {
        let all = [&["validate", "k.c", "--json", "out.json"], arguments].concat();
        let (status, output, errors) = loopsheet(directory.path(), &all);
        assert_eq!((status, output.as_str()), (2, ""), "{arguments:?}");
        assert!(errors.contains(message), "{arguments:?}: {errors}");
        assert!(!directory.path().join("out.json").exists(), "{arguments:?}");
    }
}
