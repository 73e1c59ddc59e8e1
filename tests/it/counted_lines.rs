//! Counts of lines from native runs: what gcov and llvm-cov write gives the run's sizes and probabilities.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::command;

/// What has its value from the counts.
fn taken(source: &str, counts: &Path) -> BTreeMap<String, f64> {
    let counts = counts.to_str().expect("UTF-8");
    let arguments = ["--no-config", "--counts", counts];
    let report = command::analysed(command::fixture("counts").join(source), &arguments);
    let parameters = report["parameters"].as_object().expect("parameters");
    let of_run = parameters
        .iter()
        .filter(|(_, parameter)| parameter["origin"] == "counted");
    of_run
        .map(|(name, parameter)| (name.clone(), parameter["value"].as_f64().expect("a number")))
        .collect()
}

/// The report of a fixture with its counts.
fn with_counts(source: &str) -> Value {
    let fixture = command::fixture("counts");
    let counts = fixture.join(format!("{source}.gcov.json.gz"));
    let counts = counts.to_str().expect("UTF-8");
    command::analysed(fixture.join(source), &["--no-config", "--counts", counts])
}

/// Which of these have another value, or none.
fn others<'n>(found: &BTreeMap<String, f64>, wanted: &[(&'n str, f64)]) -> Vec<&'n str> {
    let is_other = |(name, value): &&(&str, f64)| {
        found
            .get(*name)
            .is_none_or(|found| (found - value).abs() > 1e-12)
    };
    wanted
        .iter()
        .filter(is_other)
        .map(|(name, _)| *name)
        .collect()
}

/// Counted by hand from the text that gcov shows beside the source.
const OF_C: [(&str, f64); 9] = [
    ("iterations", 7.0),
    ("trip_list_159", 50.0),
    ("trip_quicksort_46", 2747.0 / 879.0),
    ("trip_search_23", 2001.0 / 200.0),
    ("prob_timed_14", 1.0 / 8.0),
    ("prob_oneline_125", 0.666),
    ("prob_oneline_127", 0.666),
    ("prob_guarded_144", 149.0 / 300.0),
    ("prob_quicksort_51", 2498.0 / 2747.0),
];

#[test]
fn gcov_gives_sizes_trip_counts_and_probabilities_of_c() {
    let packed = command::fixture("counts").join("shapes.c.gcov.json.gz");
    let found = taken("shapes.c", &packed);
    assert_eq!(others(&found, &OF_C), [""; 0], "{found:?}");
    // The source fixes it.
    assert_eq!(found.get("N"), None);
    // Two calls, of 100 and of 103.
    assert_eq!(found.get("sum1.n"), None);

    let mut text = String::new();
    let bytes = std::fs::read(&packed).expect("readable");
    flate2::read::MultiGzDecoder::new(&bytes[..])
        .read_to_string(&mut text)
        .expect("text");
    let directory = tempfile::tempdir().expect("a directory");
    let plain = directory.path().join("plain.json");
    std::fs::write(&plain, text).expect("written");
    assert_eq!(taken("shapes.c", &plain), found);
}

#[test]
fn gcov_gives_them_of_fortran() {
    let found = taken(
        "shapes.f90",
        &command::fixture("counts").join("shapes.f90.gcov.json.gz"),
    );
    let wanted = [
        ("steps", 5.0),
        ("clip.n", 500.0),
        ("trip_bisect_29", 538.0 / 60.0),
        ("prob_clip_58", 247.0 / 500.0),
        ("prob_clip_59", 129.0 / 500.0),
    ];
    assert_eq!(others(&found, &wanted), [""; 0], "{found:?}");
}

/// Of `rows` with 3 to 6 elements each: 45 of 10 in C, 47 in Fortran.
#[test]
fn loops_without_a_count_go_round_once_less_than_their_test_is_done() {
    let of_c = [
        ("trip_gather_43", 4.5),
        ("trip_follow_54", 4.5),
        ("trip_follow_58", 4.5),
        ("trip_follow_63", 2.5),
        ("rows", 10.0),
    ];
    let counts = command::fixture("counts").join("sizes.c.gcov.json.gz");
    let found = taken("sizes.c", &counts);
    assert_eq!(others(&found, &of_c), [""; 0], "{found:?}");
    let counts = command::fixture("counts").join("sizes.f90.gcov.json.gz");
    let found = taken("sizes.f90", &counts);
    let of_fortran = [
        ("trip_gather_23", 4.7),
        ("trip_gather_26", 3.7),
        ("prob_limits_39", 0.3),
        ("prob_limits_41", 4.0 / 7.0),
    ];
    assert_eq!(others(&found, &of_fortran), [""; 0], "{found:?}");
}

/// Each is executed five times; a `continue` leads back to the beginning, too, so that nothing shows the rounds there.
#[test]
fn loops_without_a_test_on_their_first_line_are_counted_by_their_bodies() {
    let fixture = command::fixture("counts").join("endless.c.gcov.json.gz");
    let found = taken("endless.c", &fixture);
    let wanted = [
        ("trip_find_9", 26.0),
        ("trip_either_30", 15.0),
        ("trip_leave_40", 6.0),
    ];
    assert_eq!(others(&found, &wanted), [""; 0]);
    assert_eq!(found.get("trip_skip_52"), None);
}

#[test]
fn a_size_that_is_the_same_in_each_call_is_taken_also_of_members() {
    let report = with_counts("sizes.c");
    for (name, value) in [("Input_cells", 96.0), ("in.groups", 24.0), ("n", 20.0)] {
        let found = &report["parameters"][name];
        assert_eq!(found["value"].as_f64(), Some(value), "{name}");
        assert_eq!(found["origin"], "counted", "{name}");
        assert_eq!(found["detail"], "counted_mean", "{name}");
    }
    // One call has no mean.
    assert_eq!(report["parameters"]["limits.n"]["detail"], "counted");
}

/// The mean of 300 and 100 is whole, and no size of a call; that of 4, 3, 2 and 1 is not.
#[test]
fn what_counts_contradict_has_a_mark_and_both_numbers() {
    let report = with_counts("sizes.c");
    let functions = report["functions"].as_array().expect("functions");
    let nests = functions
        .iter()
        .flat_map(|function| function["nests"].as_array().expect("nests"));
    let mut found = BTreeMap::new();
    for nest in nests {
        let reasons = nest["reasons"].as_array().expect("reasons");
        let is_marked = reasons.iter().any(|code| code == "counts_differ");
        let counted = &nest["counted"];
        assert_eq!(is_marked, counted.is_object(), "{nest}");
        if is_marked {
            let number = |key: &str| counted[key].as_f64().expect("a number");
            let both = (number("iterations"), number("modelled_iterations"));
            found.insert(counted["loop"].as_str().expect("an id").to_string(), both);
        }
    }
    let wanted = [
        ("falling@34".to_string(), (10.0, 16.0)),
        ("level@27".to_string(), (400.0, 600.0)),
    ];
    assert_eq!(found, BTreeMap::from(wanted));

    let fixture = command::fixture("counts");
    let output = command::loopsheet()
        .arg("analyze")
        .arg(fixture.join("sizes.c"))
        .args(["--no-config", "--quiet", "--counts"])
        .arg(fixture.join("sizes.c.gcov.json.gz"))
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = "level@27: 400 counted, 600 in the model, in all calls";
    assert!(text.contains(line), "{text}");
}

/// A chain outside loops, whose arms end in loops, and one of conditions with two parts.
#[test]
fn each_condition_of_a_chain_is_counted_where_it_is_reached() {
    let counts = command::fixture("counts").join("sizes.c.gcov.json.gz");
    let found = taken("sizes.c", &counts);
    let wanted = [
        ("prob_edges_74", 2.0 / 8.0),
        ("prob_edges_78", 2.0 / 6.0),
        ("prob_limits_92", 0.2),
        ("prob_limits_94", 0.2 / 0.8),
    ];
    assert_eq!(others(&found, &wanted), [""; 0], "{found:?}");
}

#[test]
fn parameters_lists_what_a_run_sets() {
    let fixture = command::fixture("counts");
    let output = command::loopsheet()
        .arg("parameters")
        .arg(fixture.join("sizes.c"))
        .args(["--no-config", "--json", "-", "--counts"])
        .arg(fixture.join("sizes.c.gcov.json.gz"))
        .output()
        .expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let cells = &report["parameters"]["Input_cells"];
    assert_eq!(cells["value"].as_f64(), Some(96.0), "{cells}");
    assert_eq!(cells["origin"], "counted", "{cells}");
}

/// As `llvm-cov export` has a function of eight lines, with regions and conditions.
fn of_llvm(file: &str) -> Value {
    json!({
        "type": "llvm.coverage.json.export",
        "version": "2.0.1",
        "data": [{
            "files": [{
                "filename": file,
                "segments": [
                    [1, 41, 1, true, true, false],
                    [2, 19, 91, true, true, false], [2, 24, 1, true, false, false],
                    [2, 26, 90, true, true, false], [2, 29, 1, true, false, false],
                    [2, 30, 90, true, true, true], [3, 5, 90, true, true, false],
                    [3, 9, 90, true, true, false], [3, 19, 90, true, false, false], [3, 20, 30, true, true, true],
                    [4, 7, 30, true, true, false], [4, 22, 90, true, false, false],
                    [5, 1, 1, true, false, false], [6, 2, 0, false, false, false]
                ],
                "branches": [
                    [2, 19, 2, 24, 90, 1, 0, 0, 4],
                    [3, 9, 3, 19, 30, 60, 0, 0, 4]
                ],
            }],
            "functions": [
                {"name": "f", "count": 1, "filenames": [file], "regions": [[1, 41, 6, 2, 1, 0, 0, 0]]}
            ],
        }],
    })
}

#[test]
fn llvm_cov_gives_them_too() {
    let source = "void f(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    if (x[i] > 0.5)
      y[i] = x[i] * 2.0;

}
";
    let directory = tempfile::tempdir().expect("a directory");
    let (file, counts) = (
        directory.path().join("kernel.c"),
        directory.path().join("counts.json"),
    );
    std::fs::write(&file, source).expect("written");
    let text = of_llvm(file.to_str().expect("UTF-8")).to_string();
    std::fs::write(&counts, text).expect("written");
    let counts = counts.to_str().expect("UTF-8");
    let report = command::analysed(&file, &["--no-config", "--counts", counts]);
    let value = |name: &str| &report["parameters"][name]["value"];
    assert_eq!(value("n").as_f64(), Some(90.0));
    let probability = value("prob_f_3").as_f64().expect("a number");
    assert!((probability - 30.0 / 90.0).abs() < 1e-12, "{probability}");
}

#[test]
fn a_project_may_name_its_counts_and_what_is_set_counts_more() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let fixture = command::fixture("counts");
    std::fs::copy(fixture.join("shapes.c"), path("shapes.c")).expect("copied");
    std::fs::copy(fixture.join("shapes.c.gcov.json.gz"), path("run.json.gz")).expect("copied");
    std::fs::write(path("loopsheet.toml"), "counts = \"run.json.gz\"\n").expect("written");
    let report = command::analysed(path("shapes.c"), &["--set", "trip_list_159=3"]);
    let parameters = &report["parameters"];
    assert_eq!(parameters["iterations"]["value"].as_f64(), Some(7.0));
    assert_eq!(parameters["trip_list_159"]["value"].as_f64(), Some(3.0));
}

#[test]
fn what_is_no_count_of_lines_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let counts = directory.path().join("counts.json");
    let no_branches = json!({"gcc_version": "12", "files": [{"file": "shapes.c", "lines": [
        {"line_number": 13, "count": 9}
    ]}]});
    let empty_branches = json!({"gcc_version": "12", "files": [{"file": "shapes.c",
        "functions": [{"name": "countdown", "start_line": 10, "execution_count": 1}],
        "lines": [{"line_number": 13, "count": 9, "branches": []}]
    }]});
    let of_others = json!({"gcc_version": "12", "files": [{"file": "other.c", "lines": [
        {"line_number": 13, "count": 9, "branches": []}
    ]}]});
    for (text, complaint) in [
        ("hello", "is not valid JSON"),
        ("{\"a\": 1}", "it is JSON of something else"),
        (&no_branches.to_string(), "gcov output has no branch counts"),
        (
            &empty_branches.to_string(),
            "gcov output has no branch counts",
        ),
        (
            r#"{"gcc_version": "12", "files": []}"#,
            "there are no counts in it",
        ),
        (
            &of_others.to_string(),
            "none of the sources is in it; it has other.c",
        ),
    ] {
        std::fs::write(&counts, text).expect("written");
        let output = command::loopsheet()
            .arg("analyze")
            .arg(command::fixture("counts").join("shapes.c"))
            .args(["--no-config", "--counts"])
            .arg(&counts)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(complaint), "{said}");
    }
}

#[test]
fn a_file_of_counts_is_read_once() {
    let fixture = command::fixture("counts");
    let counts = fixture.join("shapes.c.gcov.json.gz");
    let output = command::loopsheet()
        .arg("analyze")
        .arg(fixture.join("shapes.c"))
        .args(["--no-config", "--counts"])
        .arg(&counts)
        .arg("--counts")
        .arg(&counts)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("it is named twice"), "{said}");
}

/// Lines that were added or taken away at the end of a function leave it where it began.
#[test]
fn counts_of_a_function_that_ended_elsewhere_are_not_taken() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("w.c");
    std::fs::write(
        &source,
        "void f(int n, double *a)\n{\n  // new\n  for (int i = 0; i < n; i++)\n    a[i] *= 2;\n}\n",
    )
    .expect("written");
    let counts = |end: u32| {
        let line = |number: u32, count: u32, branches: Value| json!({"line_number": number, "count": count, "branches": branches});
        let ways = json!([{"count": 7, "fallthrough": false, "throw": false},
                          {"count": 1, "fallthrough": true, "throw": false}]);
        let function = json!({"name": "f", "start_line": 1, "end_line": end, "execution_count": 1});
        json!({"gcc_version": "12", "files": [{"file": "w.c", "functions": [function],
            "lines": [line(1, 1, json!([])), line(4, 8, ways), line(5, 7, json!([]))]}]})
    };
    let said = |end: u32| {
        let path = directory.path().join("counts.json");
        std::fs::write(&path, counts(end).to_string()).expect("written");
        let output = command::loopsheet()
            .args(["parameters", "--no-config"])
            .arg(&source)
            .arg("--counts")
            .arg(&path)
            .output()
            .expect("it runs");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(!said(6).contains("is not as it was"), "{}", said(6));
    assert!(
        said(5)
            .contains("f ended on line 5 then, and ends on line 6 now; no counts are taken of f"),
        "{}",
        said(5)
    );
}

/// Lines that were added since move everything behind them: no count may be taken for another line's.
#[test]
fn counts_of_another_version_of_a_file_are_not_taken() {
    let fixture = command::fixture("counts");
    let directory = tempfile::tempdir().expect("a directory");
    let moved = directory.path().join("shapes.c");
    let text = std::fs::read_to_string(fixture.join("shapes.c")).expect("readable");
    std::fs::write(&moved, format!("\n{text}")).expect("written");
    let kept = fixture.join("shapes.f90");
    let run = |sources: &[&Path]| {
        command::loopsheet()
            .args(["analyze", "--no-config", "--json", "-"])
            .args(sources)
            .arg("--counts")
            .arg(fixture.join("shapes.c.gcov.json.gz"))
            .arg("--counts")
            .arg(fixture.join("shapes.f90.gcov.json.gz"))
            .output()
            .expect("it runs")
    };
    let both = run(&[&moved, &kept]);
    let said = String::from_utf8_lossy(&both.stderr);
    let wanted = "shapes.c is not as it was when it was counted: wt began on line 6 then, and begins on line 7 now; no counts are \
                  taken of wt, timed, search, probe and ";
    assert!(said.contains(wanted), "{said}");
    let report: Value = serde_json::from_slice(&both.stdout).expect("JSON");
    let parameters = report["parameters"].as_object().expect("parameters");
    let counted = |name: &str| parameters[name]["origin"] == "counted";
    assert!(counted("clip.n") && !counted("iterations"));

    // What stands before the change and before what precedes it is where it was.
    let (before, behind) = text.split_once("void quicksort").expect("a function");
    std::fs::write(&moved, format!("{before}\nvoid quicksort{behind}")).expect("written");
    let part = run(&[&moved]);
    let said = String::from_utf8_lossy(&part.stderr);
    assert!(
        said.contains("no counts are taken of probe, quicksort"),
        "{said}"
    );
    let report: Value = serde_json::from_slice(&part.stdout).expect("JSON");
    let parameters = report["parameters"].as_object().expect("parameters");
    let counted = |name: &str| parameters[name]["origin"] == "counted";
    assert!(counted("iterations") && counted("trip_search_23"));
    assert!(
        !parameters
            .keys()
            .any(|name| name.starts_with("trip_quicksort") && counted(name))
    );
}

#[test]
fn parameters_are_not_written_over_what_they_are_read_from() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("shapes.c");
    std::fs::copy(command::fixture("counts").join("shapes.c"), &source).expect("copied");
    let before = std::fs::read(&source).expect("readable");
    for option in ["--json", "--write"] {
        let output = command::loopsheet()
            .args(["parameters", "--no-config"])
            .arg(&source)
            .arg(option)
            .arg(&source)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("it is one of the files to read"), "{said}");
        assert!(std::fs::read(&source).expect("readable") == before);
    }
}
