//! `loopsheet diff`: nests are matched through what does not matter, what matters has rows, limits end with status 1, and
//! bad input is refused.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::expect_file;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::snapshots::keys;
use crate::support::command::{loopsheet, printed, root};

const OLD: &str = "samples/changes/old";
const NEW: &str = "samples/changes/new";

/// The JSON of a difference of the samples.
fn samples(arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    command
        .current_dir(root())
        .args(["diff", OLD, NEW, "--json", "-", "-q"]);
    printed(command.args(arguments))
}

/// The nest whose name on either side begins so.
fn nest<'d>(difference: &'d Value, name: &str) -> &'d Value {
    let nests = difference["nests"].as_array().expect("nests");
    let is_called = |side: &Value| {
        side["name"]
            .as_str()
            .is_some_and(|own| own.starts_with(name))
    };
    let mut found = nests.iter();
    let found = found.find(|nest| is_called(&nest["new"]) || is_called(&nest["old"]));
    found.unwrap_or_else(|| panic!("no nest {name} in {difference:#}"))
}

fn row<'d>(nest: &'d Value, quantity: &str) -> &'d Value {
    let rows = nest["rows"].as_array().expect("rows");
    let found = rows.iter().find(|row| row["quantity"] == quantity);
    found.unwrap_or_else(|| panic!("no {quantity} in {nest:#}"))
}

/// Kinds of what flipped, with directions.
fn flipped(nest: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_string();
    let flips = nest["flipped"].as_array().expect("flips").iter();
    flips
        .map(|flip| (text(&flip["kind"]), text(&flip["direction"])))
        .collect()
}

fn pair(kind: &str, direction: &str) -> (String, String) {
    (kind.to_string(), direction.to_string())
}

/// Files in a directory of their own.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), files);
    directory
}

fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
}

/// The difference of two trees.
fn between(old: &[(&str, &str)], new: &[(&str, &str)], arguments: &[&str]) -> Value {
    let (old, new) = (tree(old), tree(new));
    let mut command = loopsheet();
    command.arg("diff").args([old.path(), new.path()]);
    printed(command.args(["--json", "-", "-q"]).args(arguments))
}

fn statuses(difference: &Value) -> Vec<&str> {
    let nests = difference["nests"].as_array().expect("nests").iter();
    nests
        .map(|nest| nest["status"].as_str().expect("a status"))
        .collect()
}

/// Status and complaint of a command that is refused, and that nothing was printed.
fn refused(directory: &Path, arguments: &[&str]) -> String {
    let mut command = loopsheet();
    let output = command
        .current_dir(directory)
        .arg("diff")
        .args(arguments)
        .output();
    let output = output.expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    complaint
}

#[test]
fn every_status_is_in_the_samples() {
    let found = samples(&[]);
    let status = |name: &str| nest(&found, name)["status"].clone();
    assert_eq!(found["nests"].as_array().map(Vec::len), Some(5));
    assert_eq!(status("step"), "changed");
    assert_eq!(status("scale"), "changed");
    assert_eq!(status("energy"), "moved");
    assert_eq!(status("clear"), "removed");
    assert_eq!(status("source"), "added");
    // 106^3 iterations: 5 flops and 3 more; two more planes of 110 x 110 cells have to fit.
    let step = nest(&found, "step");
    let iterations = 106 * 106 * 106;
    assert_eq!(row(step, "flops")["old"], 5 * iterations);
    assert_eq!(row(step, "flops")["new"], 8 * iterations);
    assert_eq!(row(step, "flops")["change"], 0.6);
    assert!(
        flipped(step).contains(&pair("layer_condition", "worse")),
        "{step:#}"
    );
    let texts = step["flipped"].to_string();
    assert!(texts.contains("no longer fits L2"), "{texts}");
    assert_eq!(
        flipped(nest(&found, "scale")),
        [pair("unit_stride", "worse")]
    );
    let energy = nest(&found, "energy");
    assert_eq!(
        (&energy["rows"], &energy["flipped"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(found["nests"][0], *step, "the costliest change is first");
}

#[test]
fn the_other_way_round_everything_is_the_opposite() {
    let mut command = loopsheet();
    command
        .current_dir(root())
        .args(["diff", NEW, OLD, "--json", "-", "-q"]);
    let found = printed(&mut command);
    assert_eq!(nest(&found, "source")["status"], "removed");
    assert!(flipped(nest(&found, "step")).contains(&pair("layer_condition", "better")));
    assert_eq!(
        flipped(nest(&found, "scale")),
        [pair("unit_stride", "better")]
    );
}

const SWEEPS: &str = "
subroutine sweeps(a, b, c, idx, n)
  integer :: n, idx(n), i
  real(8) :: a(n), b(n), c(n)
  do i = 2, n - 1
    a(i) = b(i) + b(i + 1)
  end do
  do i = 2, n - 1
    c(i) = 2 * a(i)
  end do
end subroutine sweeps
";

#[test]
fn what_does_not_matter_has_no_rows() {
    let renamed = SWEEPS
        .replace("(i", "(p")
        .replace("i =", "p =")
        .replace(", i\n", ", p\n");
    let commented = format!("! A remark.\n\n{renamed}");
    let second = "subroutine second(x, n)\n  integer :: n, i\n  real(8) :: x(n)\n  do i = 1, n\n    x(i) = x(i) / 3\n  end do\nend subroutine second\n";
    let old = format!("{SWEEPS}\n{second}");
    let new = format!("{second}\n{commented}");
    let reordered = between(&[("a.f90", &old)], &[("a.f90", &new)], &[]);
    assert_eq!(statuses(&reordered), ["same"; 3]);
    let moved = between(
        &[("a.f90", &old)],
        &[("b/second.f90", second), ("a.f90", &commented)],
        &[],
    );
    assert_eq!(statuses(&moved), ["moved", "same", "same"]);
    let called = SWEEPS.replace("sweeps", "strokes");
    let renamed = between(&[("a.f90", SWEEPS)], &[("a.f90", &called)], &[]);
    assert_eq!(statuses(&renamed), ["moved", "moved"]);
}

/// The same text with another meaning in each function, and other names in one of them.
#[test]
fn names_of_locals_have_no_rows_wherever_others_use_them() {
    let part = |name: &str, local: &str, value: &str| {
        format!(
            "subroutine {name}(a, m)\n  integer :: m, {local}, k, i\n  real(8) :: a(*)\n  {local} = {value}\n  k = min(m, {local})\n  do i = 1, k\n    a(i) = 2 * a(i)\n  end do\nend subroutine {name}\n"
        )
    };
    let file = |locals: [&str; 3]| {
        let [one, two, three] = locals;
        [
            part("first", one, "3 * m"),
            part("second", two, "m / 8"),
            part("third", three, "m / 4"),
        ]
        .concat()
    };
    let old = file(["n"; 3]);
    for locals in [
        ["n", "p", "n"],
        ["p", "n", "n"],
        ["z", "y", "x"],
        ["a1", "n", "n"],
    ] {
        let found = between(&[("a.f90", &old)], &[("a.f90", &file(locals))], &[]);
        assert_eq!(statuses(&found), ["same"; 3], "{locals:?}: {found:#}");
        assert_eq!(found["parameters"], json!([]), "{locals:?}");
    }
}

/// A size of one function is not that of another one which calls it the same.
#[test]
fn parameters_are_paired_by_functions() {
    let constant = |name: &str, size: u32| {
        format!(
            "subroutine {name}(a)\n  integer, parameter :: n = {size}\n  real(8) :: a(n)\n  integer :: i\n  do i = 1, n\n    a(i) = 1\n  end do\nend subroutine\n"
        )
    };
    let (one, two) = (constant("one", 10), constant("two", 20));
    let both = format!("{one}{two}");
    let size = |found: &Value| found["parameters"][0]["new"].clone();
    let found = between(
        &[("a.f90", &one)],
        &[("a.f90", &two.replace("a(i) = 1", "a(i) = a(i) / 3"))],
        &[],
    );
    assert_eq!(statuses(&found).len(), 2, "{found:#}");
    assert_eq!(found["parameters"], json!([]), "{found:#}");
    let other = both.replace("20", "30");
    let found = between(&[("a.f90", &both)], &[("a.f90", &other)], &[]);
    assert_eq!(size(&found), 30, "{found:#}");
    assert_eq!(found["parameters"].as_array().map(Vec::len), Some(1));
}

#[test]
fn gathers_and_fusions_flip() {
    let gathered = SWEEPS.replace("2 * a(i)", "2 * a(idx(i))");
    let found = between(&[("a.f90", SWEEPS)], &[("a.f90", &gathered)], &[]);
    let nests = found["nests"].as_array().expect("nests");
    let flips: Vec<(String, String)> = nests.iter().flat_map(flipped).collect();
    assert!(flips.contains(&pair("gather", "worse")), "{found:#}");
    // a(i + 1) of the second loop is what the first one writes an iteration later.
    let shifted = SWEEPS.replace("c(i) = 2 * a(i)", "c(i) = 2 * a(i + 1)");
    for (old, new, direction) in [(SWEEPS, &*shifted, "worse"), (&shifted, SWEEPS, "better")] {
        let found = between(&[("a.f90", old)], &[("a.f90", new)], &[]);
        let first = nest(&found, "sweeps@5");
        assert!(
            flipped(first).contains(&pair("fusion", direction)),
            "{found:#}"
        );
    }
}

#[test]
fn both_sides_have_the_same_sizes() {
    let wider = SWEEPS.replace("real(8)", "real(4)");
    let set = ["--set", "n=1000002"];
    let found = between(&[("a.f90", SWEEPS)], &[("a.f90", &wider)], &set);
    let first = nest(&found, "sweeps@5");
    let bytes = row(first, "dram_bytes");
    assert!(bytes["old"].as_f64() > Some(1e7), "{bytes}");
    assert!(
        (bytes["change"].as_f64().expect("a share") + 0.5).abs() < 1e-3,
        "{bytes}"
    );
    assert_eq!(found["parameters"], json!([]));
    // Only one side has it: nothing is set on the other one, which is said.
    let other = SWEEPS
        .replace(", n)", ", m)")
        .replace("(n)", "(m)")
        .replace("n - 1", "m - 1")
        .replace(":: n,", ":: m,");
    let found = between(&[("a.f90", SWEEPS)], &[("a.f90", &other)], &set);
    let notes = found["notes"].to_string();
    assert!(notes.contains("n is set, but only"), "{notes}");
    // The program's own constants are its own.
    let constant = |size: u32| {
        SWEEPS
            .replace(
                "integer :: n, idx(n)",
                &format!("integer, parameter :: n = {size}\n  integer :: idx(n)"),
            )
            .replace(", n)\n  integer", ")\n  integer")
    };
    let found = between(
        &[("a.f90", &constant(100))],
        &[("a.f90", &constant(200))],
        &[],
    );
    assert_eq!(found["parameters"][0]["name"], "n");
    assert_eq!(found["parameters"][0]["new"], 200);
}

#[test]
fn thresholds_and_budgets_end_with_status_1() {
    let status = |arguments: &[&str]| {
        let mut command = loopsheet();
        command.current_dir(root()).args(["diff", OLD, NEW, "-q"]);
        command
            .args(arguments)
            .output()
            .expect("it runs")
            .status
            .code()
    };
    assert_eq!(status(&[]), Some(0));
    assert_eq!(status(&["--fail-above", "10000%"]), Some(0));
    assert_eq!(status(&["--fail-above", "59%:flops"]), Some(1));
    let found = samples(&["--fail-above", "59%:flops"]);
    let exceeded = &found["exceeded"];
    assert!(exceeded.to_string().contains("step@13"), "{exceeded:#}");
    assert_eq!(
        exceeded[0]["limit"],
        json!({ "kind": "threshold", "percent": 59.0 })
    );

    let directory = tree(&[(
        "budgets.toml",
        "[[budget]]\nnest = \"st*\"\ndram_bytes = \"40 MB\"\nflops = 8e6\n\n[[budget]]\nnest = \"nobody*\"\nseconds = 1\n",
    )]);
    let config = directory.path().join("budgets.toml");
    let config = ["--config", config.to_str().expect("a path")];
    assert_eq!(status(&config), Some(1));
    let found = samples(&config);
    let broken: Vec<&Value> = found["exceeded"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| &found["quantity"])
        .collect();
    assert_eq!(broken, ["flops"]);
    assert_eq!(found["exceeded"][0]["most"], 8_000_000);
    assert_eq!(found["unused_budgets"], json!(["nobody*"]));
}

#[test]
fn budgets_bound_the_levels_that_the_machine_has() {
    let directory = tree(&[
        ("level.toml", "[[budget]]\nnest = \"*\"\nl7_bytes = 4\n"),
        ("none.c", "int next(int a)\n{\n    return a + 1;\n}\n"),
    ]);
    let none = directory.path().join("none.c");
    for machine in ["epyc-7763", "a64fx", "sg2042", "exasat", "edan", "camat"] {
        let run = |source: &Path, arguments: &[&str]| {
            let mut command = loopsheet();
            let asked = ["analyze", "-q", "--no-config", "--machine", machine];
            command.current_dir(root()).args(asked).arg(source);
            command.args(arguments).output().expect("it runs")
        };
        let matmul = Path::new("samples/kernels/matmul.c");
        let report: Value =
            serde_json::from_slice(&run(matmul, &["--json", "-"]).stdout).expect("a report");
        let levels = report["functions"][0]["nests"][0]["levels"].as_array();
        let names = levels.expect("a list").iter();
        let names: Vec<String> = names
            .map(|level| format!("{} bytes", level["name"].as_str().expect("a name")))
            .collect();
        let expected = format!("has only {}", names.join(", "));
        for source in [matmul, &none] {
            let mut command = loopsheet();
            command.current_dir(root()).args(["analyze", "-q"]);
            command.args(["--machine", machine, "--check-budgets", "--config"]);
            command.arg(directory.path().join("level.toml")).arg(source);
            let output = command.output().expect("it runs");
            let said = String::from_utf8(output.stderr).expect("text");
            assert_eq!(output.status.code(), Some(2), "{machine}: {said}");
            assert!(said.trim_end().ends_with(&expected), "{machine}: {said}");
        }
    }
}

#[test]
fn one_version_is_held_against_budgets() {
    let directory = tree(&[
        (
            "loopsheet.toml",
            "[[budget]]\nnest = \"st*\"\ndram_bytes = \"40 MB\"\nflops = 8e6\n\n[[budget]]\nnest = \"nobody*\"\nseconds = 1\n",
        ),
        ("none.toml", "machine = \"exasat\"\n"),
        ("level.toml", "[[budget]]\nnest = \"*\"\nl7_bytes = 4\n"),
        ("enough.toml", "[[budget]]\nnest = \"*\"\nflops = 1e12\n"),
    ]);
    let run = |config: &str, arguments: &[&str]| {
        let mut command = loopsheet();
        command
            .current_dir(root())
            .args(["analyze", NEW, "-q", "--config"])
            .arg(directory.path().join(config))
            .args(arguments);
        let output = command.output().expect("it runs");
        let said = String::from_utf8(output.stderr).expect("text");
        (output.status.code(), said)
    };
    assert_eq!(run("loopsheet.toml", &[]).0, Some(0));
    let (status, said) = run("loopsheet.toml", &["--check-budgets"]);
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    let exceeded = "the budget of st* is 8.00 Mflop";
    assert!(
        said.contains("exceeded: step@13") && said.contains(exceeded),
        "{said}"
    );
    assert_eq!(
        run("enough.toml", &["--check-budgets"]),
        (Some(0), String::new())
    );
    let report = directory.path().join("report.json");
    let report = report.to_str().expect("a path");
    for (config, why) in [
        ("none.toml", "no [[budget]]"),
        ("level.toml", "has only L1 bytes"),
    ] {
        let (status, said) = run(config, &["--check-budgets", "--json", report]);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(why), "{said}");
        assert!(!Path::new(report).exists(), "{config}");
    }
}

#[test]
fn reports_are_compared_as_trees_are() {
    let directory = tempfile::tempdir().expect("a directory");
    let report = |name: &str, source: &str, arguments: &[&str]| {
        let path = directory.path().join(name);
        let mut command = loopsheet();
        command
            .current_dir(root())
            .args(["analyze", source, "-q", "--json"])
            .arg(&path);
        command.args(arguments).assert().success();
        path
    };
    let (old, new) = (report("old.json", OLD, &[]), report("new.json", NEW, &[]));
    let mut command = loopsheet();
    command
        .arg("diff")
        .args([&old, &new])
        .args(["--json", "-", "-q"]);
    let (found, expected) = (printed(&mut command), samples(&[]));
    assert_eq!(
        (&found["nests"], &found["totals"]),
        (&expected["nests"], &expected["totals"])
    );

    let other = report("other.json", NEW, &["--machine", "a64fx"]);
    let names = [&old, &other, &new].map(|path| path.to_str().expect("a path"));
    let complaint = refused(root(), &names[..2]);
    assert!(
        complaint.contains("machine epyc-7763") && complaint.contains("--machine"),
        "{complaint}"
    );
    let complaint = refused(root(), &[names[0], names[2], "--set", "n=4"]);
    assert!(complaint.contains("--set is for source"), "{complaint}");
}

#[test]
fn outputs_are_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let mut command = loopsheet();
    command
        .current_dir(root())
        .args(["diff", OLD, NEW, "-q", "--fail-above", "5%"]);
    command.args([
        "-o",
        &path("a.xlsx"),
        "--markdown",
        &path("a.md"),
        "--sarif",
        &path("a.sarif"),
    ]);
    assert_eq!(command.output().expect("it runs").status.code(), Some(1));
    let markdown = fs::read_to_string(path("a.md")).expect("Markdown");
    assert!(
        markdown.contains("**Exceeded**") && markdown.contains("| DRAM bytes |"),
        "{markdown}"
    );
    let sarif: Value =
        serde_json::from_str(&fs::read_to_string(path("a.sarif")).expect("SARIF")).expect("JSON");
    let run = &sarif["runs"][0];
    assert_eq!(
        (&sarif["version"], &run["tool"]["driver"]["name"]),
        (&json!("2.1.0"), &json!("loopsheet"))
    );
    let places: Vec<&Value> = run["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        .collect();
    assert!(
        places.contains(&&json!("samples/changes/new/heat.f90")),
        "{places:?}"
    );
    let workbook = fs::read(path("a.xlsx")).expect("a workbook");
    assert!(workbook.starts_with(b"PK"));
}

/// What a change makes unreadable is an error with its line, and status 1; what was unreadable already is not.
#[test]
fn regions_that_cannot_be_read_any_more_end_with_status_1() {
    let broken = format!("{SWEEPS}\nsubroutine worse(\n  do i = \nend subroutine\n");
    let (sound, unsound) = (tree(&[("a.f90", SWEEPS)]), tree(&[("a.f90", &broken)]));
    let also = tree(&[("a.f90", &broken)]);
    let run = |old: &TempDir, new: &TempDir| {
        let mut command = loopsheet();
        command
            .arg("diff")
            .args([old.path(), new.path()])
            .args(["-q", "--sarif", "-"]);
        let output = command.output().expect("it runs");
        let sarif: Value = serde_json::from_slice(&output.stdout).expect("SARIF");
        (output.status.code(), sarif)
    };
    let (status, sarif) = run(&sound, &unsound);
    assert_eq!(status, Some(1));
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&json!("syntax-error"), &json!("error"))
    );
    assert_eq!(run(&unsound, &also).0, Some(0));
}

fn git(directory: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(directory)
        .args(["-c", "user.name=a", "-c", "user.email=a@b"]);
    let output = command.args(arguments).output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// A repository with two commits and a branch.
fn repository() -> TempDir {
    let directory = tree(&[
        ("src/heat.f90", SWEEPS),
        ("loopsheet.toml", "[sizes]\nn = 5000\n"),
    ]);
    let git = |arguments: &[&str]| git(directory.path(), arguments);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    git(&["checkout", "-qb", "wider"]);
    write(
        directory.path(),
        &[(
            "src/heat.f90",
            &SWEEPS.replace("b(i) + b(i + 1)", "b(i) + b(i + 1) + c(i)"),
        )],
    );
    git(&["commit", "-qam", "second"]);
    // Not committed: nothing of it is read or touched.
    write(directory.path(), &[("src/heat.f90", "! nothing\n")]);
    directory
}

#[test]
fn revisions_are_read_and_nothing_is_touched() {
    let directory = repository();
    let run = |place: &str, arguments: &[&str]| {
        let mut command = loopsheet();
        command
            .current_dir(directory.path().join(place))
            .arg("diff")
            .args(["--json", "-", "-q"]);
        printed(command.args(arguments))
    };
    let whole = run("", &["main..wider"]);
    let first = nest(&whole, "sweeps@5");
    assert_eq!(row(first, "flops")["change"], 1.0);
    // The size of the project's settings: 4998 iterations with a flop more.
    assert_eq!(row(first, "flops")["new"], 2 * 4998);
    assert_eq!(
        (&whole["old"], &whole["new"]),
        (&json!("main"), &json!("wider"))
    );
    assert_eq!(first["new"]["file"], "src/heat.f90");
    for (place, arguments) in [
        ("", &["main..", "--", "src"][..]),
        ("src", &["main...wider"]),
        ("src", &["main..wider", "--", "heat.f90"]),
    ] {
        let part = run(place, arguments);
        assert_eq!(part["nests"], whole["nests"], "{arguments:?}");
    }
    let text = fs::read_to_string(directory.path().join("src/heat.f90")).expect("a file");
    assert_eq!(text, "! nothing\n");
    assert_eq!(run("", &["main..main"])["nests"][0]["status"], "same");

    let complaint = refused(
        directory.path(),
        &["main..wider", "--markdown", "src/heat.f90"],
    );
    assert!(
        complaint.contains("a file of the repository"),
        "{complaint}"
    );

    let complaint = refused(directory.path(), &["main..nowhere"]);
    assert!(complaint.contains("no revision nowhere"), "{complaint}");
    let complaint = refused(directory.path(), &["main..wider", "--", "lib"]);
    assert!(
        complaint.contains("neither main nor wider has lib"),
        "{complaint}"
    );
    let complaint = refused(directory.path(), &["main..wider", "--", "../other"]);
    assert!(complaint.contains("outside the repository"), "{complaint}");
}

/// What one revision lacks was added or removed, with the settings of the project on both sides.
#[test]
fn paths_of_one_revision_were_added_or_removed() {
    let directory = repository();
    write(directory.path(), &[("more/heat.f90", SWEEPS)]);
    git(directory.path(), &["add", "more"]);
    git(directory.path(), &["commit", "-qm", "third"]);
    for (range, status, remark) in [
        ("main..wider", "added", "main has no more"),
        ("wider..main", "removed", "main has no more"),
    ] {
        let mut command = loopsheet();
        command.current_dir(directory.path()).arg("diff");
        command.args([range, "--json", "-", "-q", "--", "more"]);
        let found = printed(&mut command);
        assert_eq!(found["nests"][0]["status"], status);
        assert_eq!(found["notes"][0], remark);
        let [known, absent] = match status {
            "added" => ["new", "old"],
            _ => ["old", "new"],
        };
        let rows = found["totals"].as_array().expect("a list").iter();
        let flops: Vec<&Value> = rows.filter(|row| row["quantity"] == "flops").collect();
        // Two loops of 4998 iterations, each with one operation.
        assert_eq!(flops[0][known], 2 * 4998, "{range}");
        assert_eq!(flops[0][absent], 0, "{range}");
    }
}

/// What another repository has is not in a revision, which is said.
#[test]
fn submodules_are_not_read() {
    let (directory, other) = (repository(), repository());
    let from = other.path().to_str().expect("a path");
    let allowed = ["-c", "protocol.file.allow=always"];
    let add = ["submodule", "--quiet", "add", from, "lib/other"];
    git(directory.path(), &["checkout", "-q", "src"]);
    git(directory.path(), &[&allowed[..], &add].concat());
    git(directory.path(), &["commit", "-qm", "third"]);
    let mut command = loopsheet();
    command.current_dir(directory.path());
    let found = printed(command.args(["diff", "main..wider", "--json", "-", "-q"]));
    let note = "the submodule lib/other of wider is not read: it is another repository";
    assert_eq!(found["notes"], json!([note]));
    for path in ["lib/other", "lib/other/src"] {
        let complaint = refused(directory.path(), &["main..wider", "--", path]);
        let why = format!("{path} is of the submodule lib/other");
        assert!(complaint.contains(&why), "{complaint}");
    }
}

/// Headers, settings and what they name are of the revision, wherever the paths are.
#[cfg(unix)]
#[test]
fn what_lies_beside_the_paths_is_of_the_revision() {
    let kernel = "#include \"../../inc/defs.h\"\n#include \"other.h\"\n\
        void k(double *x, double *y) {\n  for (int i = 0; i < N; i++) y[i] += x[i];\n  \
        for (int i = 0; i < M; i++) y[i] += x[i];\n}\n";
    let directory = tree(&[
        ("src/k/k.c", kernel),
        ("inc/defs.h", "#define N 1000\n"),
        ("inc/other.h", "#define M 500\n"),
        ("loopsheet.toml", "include = [\"inc\"]\n"),
        (".gitattributes", "src/k export-ignore\n"),
    ]);
    let link = |target: &str, name: &str| {
        let name = directory.path().join(name);
        std::os::unix::fs::symlink(target, name).expect("a link");
    };
    link("/etc/hostname", "outside");
    link("nowhere", "dangling");
    link("inc", "inside");
    let git = |arguments: &[&str]| git(directory.path(), arguments);
    git(&["init", "-q", "-b", "main"]);
    for (file, text) in [
        ("inc/defs.h", "#define N 1000\n"),
        ("inc/defs.h", "#define N 4000\n"),
        ("inc/other.h", ""),
    ] {
        match text {
            "" => fs::remove_file(directory.path().join(file)).expect("it is there"),
            text => write(directory.path(), &[(file, text)]),
        }
        git(&["add", "-A"]);
        git(&["commit", "-qm", "next"]);
    }
    let run = |place: &str, arguments: &[&str]| {
        let mut command = loopsheet();
        command.current_dir(directory.path().join(place));
        command.args(["diff", "-q"]).args(arguments);
        command
    };
    let links = |name: &str| {
        format!(
            "the link dangling and 1 other link of {name} cannot be followed: it leads out of the revision, or nowhere"
        )
    };
    for (place, arguments) in [
        ("", &["HEAD~2..HEAD~1", "--json", "-"][..]),
        ("", &["HEAD~2..HEAD~1", "--json", "-", "--", "src/k"]),
        ("src", &["HEAD~2..HEAD~1", "--json", "-"]),
        ("src", &["HEAD~2..HEAD~1", "--json", "-", "--", "k/k.c"]),
    ] {
        let found = printed(&mut run(place, arguments));
        assert_eq!(statuses(&found), ["changed", "same"], "{arguments:?}");
        let iterations = row(&found["nests"][0], "iterations");
        assert_eq!(
            (&iterations["old"], &iterations["new"]),
            (&json!(1000), &json!(4000))
        );
        assert_eq!(found["notes"], json!([links("HEAD~2"), links("HEAD~1")]));
        assert_eq!(found["warnings"], json!({ "old": [], "new": [] }));
    }
    let gone = ["HEAD~1..HEAD", "--json", "-", "--", "src"];
    let gone = printed(&mut run("", &gone));
    let warning = &gone["warnings"]["new"][0];
    assert_eq!(warning["code"], "include-not-found");
    assert_eq!(
        (&warning["file"], &warning["line"]),
        (&json!("src/k/k.c"), &json!(2))
    );
    let guesses = &gone["nests"][0]["guesses"];
    assert_eq!(
        guesses[0]["text"],
        "depends on a guess of the new side: M = 128"
    );
    assert_eq!(
        (&guesses[0]["old"], &guesses[0]["new"]),
        (&Value::Null, &json!(128))
    );
    let sarif = printed(&mut run("", &["HEAD~1..HEAD", "--sarif", "-"]));
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(
        (&result["level"], &result["ruleId"]),
        (&json!("warning"), &json!("include-not-found"))
    );
    let table = run("", &["HEAD~1..HEAD"]).output().expect("it runs");
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    for part in [
        "* depends on a guess of the new side: M = 128",
        "0 in HEAD~1, 1 in HEAD; new: src/k/k.c:2: `other.h` was not found",
    ] {
        assert!(table.contains(part), "{table}");
    }
}

/// Errors name files of a revision by its name, not by where they lie for the moment.
#[test]
fn messages_name_revisions() {
    let directory = repository();
    write(directory.path(), &[("loopsheet.toml", "include = [\n")]);
    git(directory.path(), &["commit", "-qam", "third"]);
    let complaint = refused(directory.path(), &["main..wider"]);
    assert!(complaint.contains("wider:loopsheet.toml:"), "{complaint}");
    let complaint = refused(directory.path(), &["main", "wider"]);
    assert!(
        complaint.contains("cannot read main; for revisions: main..wider"),
        "{complaint}"
    );
}

/// What differs because of a guess says so; what differs with the same guesses on both sides does not.
#[test]
fn guesses_of_one_side_are_marked() {
    let code = |bound: &str, sum: &str| {
        format!(
            "void k(int n, double *x, double *y) {{\n  for (int i = 0; i < {bound}; i++) y[i] += {sum};\n}}\n"
        )
    };
    let marks = |old: &str, new: &str, arguments: &[&str]| {
        let found = between(&[("k.c", old)], &[("k.c", new)], arguments);
        assert_eq!(statuses(&found), ["changed"]);
        let guesses = found["nests"][0]["guesses"]
            .as_array()
            .expect("guesses")
            .clone();
        let texts = guesses
            .iter()
            .map(|guess| guess["text"].as_str().expect("a text").to_string());
        (texts.collect::<Vec<String>>(), found["on_guesses"].clone())
    };
    let old = code("n", "x[i]");
    let (found, shares) = marks(&old, &code("8", "x[i]"), &[]);
    assert_eq!(found, ["depends on a guess of the old side: n = 128"]);
    assert_eq!(shares, json!({ "old": 1, "new": 0 }));
    let (found, _) = marks(&code("8", "x[i]"), &old, &[]);
    assert_eq!(found, ["depends on a guess of the new side: n = 128"]);
    let (found, shares) = marks(&old, &code("n", "x[i] * x[i]"), &[]);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(shares, json!({ "old": 1, "new": 1 }));
    // Renamed, it is the same guess.
    let renamed = code("n", "x[i] * x[i]")
        .replace("int n", "int m")
        .replace("< n", "< m");
    assert!(marks(&old, &renamed, &[]).0.is_empty());
    // What is set is no guess.
    let (found, shares) = marks(&old, &code("8", "x[i]"), &["--set", "n=64"]);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(shares, json!({ "old": 0, "new": 0 }));
}

/// Files of a revision are compiled as those that are checked out, and are what the repository keeps: neither attributes
/// nor filters of the directory as it is now have a say.
#[cfg(unix)]
#[test]
fn files_of_revisions_are_compiled_as_those_that_are_checked_out() {
    let kernel = "#include \"size.h\"\nvoid k(double *x) {\n  for (int i = 0; i < SIZE; i++) x[i] += 1;\n}\n";
    let directory = tree(&[
        ("src/k.c", kernel),
        ("inc/size.h", "#define SIZE (FACTOR * 100)\n"),
    ]);
    let git = |arguments: &[&str]| git(directory.path(), arguments);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    write(
        directory.path(),
        &[("inc/size.h", "#define SIZE (FACTOR * 300)\n")],
    );
    git(&["commit", "-qam", "second"]);
    let top = directory.path().canonicalize().expect("a path");
    let commands = json!([{
        "directory": top, "file": "src/k.c",
        "command": format!("cc -DFACTOR=7 -I{}/inc -c src/k.c", top.display()),
    }]);
    write(
        directory.path(),
        &[
            ("build/compile_commands.json", &commands.to_string()),
            (
                ".gitattributes",
                "*.c text working-tree-encoding=UTF-16\n*.h filter=shout\n",
            ),
        ],
    );
    git(&["config", "filter.shout.smudge", "false"]);
    let run = |arguments: &[&str]| {
        let mut command = loopsheet();
        command.current_dir(directory.path());
        printed(
            command
                .args(["diff", "HEAD~1..HEAD", "--json", "-", "-q"])
                .args(arguments),
        )
    };
    let expected = |found: &Value| {
        let iterations = row(&found["nests"][0], "iterations");
        assert_eq!(iterations["old"], 700, "{found:#}");
        assert_eq!(iterations["new"], 2100);
    };
    expected(&run(&["-p", "build"]));
    fs::rename(
        top.join("build/compile_commands.json"),
        top.join("compile_commands.json"),
    )
    .expect("it is there");
    expected(&run(&[]));
    expected(&run(&["--", "src"]));
}

/// Totals of all calls are there where nothing is called, too: a nest in `main` is as good as one that `main` calls.
#[test]
fn totals_follow_calls_that_come_and_go() {
    let nest = "for (int i = 0; i < 1000; i++) x[i] += 1;";
    let head = "static double x[1000], y[1000];\n";
    let inline = format!("{head}int main(void) {{\n  {nest}\n}}\n");
    let called = format!("{head}void f(void) {{\n  {nest}\n}}\nint main(void) {{ f(); }}\n");
    let total = |found: &Value, quantity: &str| {
        let rows = found["totals"].as_array().expect("a list").iter();
        let row = rows
            .clone()
            .find(|row| row["quantity"] == quantity)
            .expect("a row")
            .clone();
        (
            row["old"].clone(),
            row["new"].clone(),
            row["change"].clone(),
        )
    };
    for (old, new) in [(&inline, &called), (&called, &inline)] {
        let found = between(&[("k.c", old)], &[("k.c", new)], &["--fail-above", "5%"]);
        assert_eq!(statuses(&found), ["moved"]);
        assert_eq!(found["exceeded"], json!([]));
        assert_eq!(
            total(&found, "all_calls_flops"),
            (json!(1000), json!(1000), json!(0))
        );
    }
    // A nest that is cheap once and is called a million times.
    let often = inline.replace(
        "int main(void) {",
        "void g(void) {\n  for (int i = 0; i < 10; i++) y[i] *= 2;\n}\n\
         int main(void) {\n  for (int t = 0; t < 1000000; t++) g();",
    );
    let (old, new) = (tree(&[("k.c", &inline)]), tree(&[("k.c", &often)]));
    let mut command = loopsheet();
    command.arg("diff").args([old.path(), new.path()]);
    let output = command
        .args(["--json", "-", "-q", "--fail-above", "5%:time"])
        .output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let (before, after, _) = total(&found, "all_calls_flops");
    assert_eq!((before, after), (json!(1000), json!(10_001_000)));
}

/// What no nest has is named: code outside loops, and procedures without a body.
#[test]
fn what_is_left_out_is_noted() {
    let code = |more: &str| {
        format!(
            "#include <string.h>\nextern void heavy(double *);\nstatic double x[1000];\nint main(void) {{\n  \
             for (int i = 0; i < 1000; i++) x[i] += 1;\n  {more}\n}}\n"
        )
    };
    let notes = |old: &str, new: &str| {
        let found = between(&[("k.c", &code(old))], &[("k.c", &code(new))], &[]);
        assert_eq!(statuses(&found), ["same"]);
        found["notes"].to_string()
    };
    assert_eq!(notes("", ""), "[]");
    let found = notes("", "memset(x, 0, sizeof x);");
    assert!(
        found.contains("outside loops and not counted: memory_intrinsic 0, 1"),
        "{found}"
    );
    let found = notes("", "heavy(x);");
    assert!(
        found.contains("whose work is not counted: heavy 0, 1"),
        "{found}"
    );
    let found = notes("heavy(x);", "heavy(x);");
    assert!(found.contains("is not counted: heavy 1 calls"), "{found}");
}

/// Each side has the cores that `analyze` gives it: what gets a parallel loop becomes faster, nothing else does.
#[test]
fn each_side_has_the_cores_that_it_uses() {
    let code = |pragma: &str| {
        format!(
            "#define N 2000\nstatic double a[N][N], b[N][N], c[N][N];\nvoid f(void) {{\n{pragma}\n  \
             for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) a[i][j] = 2 * b[i][j];\n}}\n\
             void g(void) {{\n  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) c[i][j] += b[i][j];\n}}\n\
             int main(void) {{\n  f();\n  g();\n}}\n"
        )
    };
    let (serial, parallel) = (code(""), code("#pragma omp parallel for"));
    let run = |old: &str, new: &str, arguments: &[&str]| {
        between(&[("k.c", old)], &[("k.c", new)], arguments)
    };
    let change = |found: &Value| {
        let name = |nest: &Value| nest["new"]["function"].clone();
        let nests = found["nests"].as_array().expect("nests").iter();
        let nests = nests.map(|nest| (name(nest), nest["status"].clone()));
        let nests: Vec<(Value, Value)> = nests.collect();
        assert_eq!(nests[0], (json!("f"), json!("changed")), "{found:#}");
        assert_eq!(nests[1], (json!("g"), json!("same")));
        row(&found["nests"][0], "seconds")["change"]
            .as_f64()
            .expect("a number")
    };
    let found = run(&serial, &parallel, &[]);
    assert!(change(&found) < -0.1, "{found:#}");
    assert!(
        found["notes"].to_string().contains("runs on one core"),
        "{found:#}"
    );
    assert!(change(&run(&parallel, &serial, &[])) > 0.1);
    let same = run(&serial, &parallel, &["--set", "machine.cores=1"]);
    assert_eq!(statuses(&same), ["same", "same"]);
    assert_eq!(same["notes"], json!([]));
}

/// Guesses of how often a branch is taken are guesses, too.
#[test]
fn guessed_branches_are_marked() {
    let code = |guard: &str| {
        format!(
            "void k(double *x, double s) {{\n  {guard}\n  for (int i = 0; i < 100; i++) x[i] += s;\n}}\n"
        )
    };
    let found = between(&[("k.c", &code(""))], &[("k.c", &code("if (s > 1)"))], &[]);
    assert_eq!(row(&found["nests"][0], "iterations")["new"], 50);
    let text = &found["nests"][0]["guesses"][0]["text"];
    assert_eq!(text, "depends on a guess of the new side: prob_k_2 = 0.5");
}

/// A region that cannot be read any more counts where another one can be read now.
#[test]
fn regions_are_not_set_off_against_each_other() {
    let good = "void f(double *x) {\n  for (int i = 0; i < 9; i++) x[i] = 1;\n}\n";
    let bad = "void f({for(int i=0;i<9;i++) x[i]=1;}\n";
    let (old, new) = (
        tree(&[("a.c", bad), ("b.c", good)]),
        tree(&[("a.c", good), ("b.c", bad)]),
    );
    let mut command = loopsheet();
    let output = command.arg("diff").args([old.path(), new.path()]).output();
    assert_eq!(output.expect("it runs").status.code(), Some(1));
}

/// Names of files are text in what Git makes of a revision.
#[cfg(target_os = "linux")]
#[test]
fn paths_of_revisions_are_text() {
    use std::os::unix::ffi::OsStrExt;
    let directory = repository();
    let mut command = loopsheet();
    command.current_dir(directory.path());
    command.args(["diff", "main..wider", "--"]);
    command.arg(std::ffi::OsStr::from_bytes(b"src/\xff.f90"));
    let output = command.output().expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(complaint.contains("is not UTF-8"), "{complaint}");
}

#[test]
fn a_shallow_clone_says_that_it_lacks_history() {
    let directory = repository();
    let place = TempDir::new().expect("a directory");
    let from = format!("file://{}", directory.path().display());
    let to = place.path().join("clone");
    let to = to.to_str().expect("a path");
    git(place.path(), &["clone", "-q", "--depth", "1", &from, to]);
    let complaint = refused(Path::new(to), &["HEAD~1..HEAD"]);
    assert!(complaint.contains("no revision HEAD~1"), "{complaint}");
    assert!(complaint.contains("git fetch --unshallow"), "{complaint}");
}

/// The commands of the workflow, as they stand.
#[test]
fn the_workflow_runs() {
    let workflow = root().join("samples/ci/merge-request.yml");
    let workflow = fs::read_to_string(workflow).expect("a workflow");
    let mut lines = workflow.lines();
    let mut commands = Vec::new();
    while let Some(line) = lines.next() {
        if line.trim() == "run: |" {
            commands.extend(lines.next().map(str::trim));
        }
    }
    assert_eq!(commands.len(), 2);
    let directory = repository();
    let program = Path::new(env!("CARGO_BIN_EXE_loopsheet"));
    let path = std::env::var("PATH").expect("a path");
    let path = format!(
        "{}:{path}",
        program.parent().expect("a directory").display()
    );
    let summary = directory.path().join("summary.md");
    let run = |command: &str| {
        let mut shell = Command::new("sh");
        shell.current_dir(directory.path()).args(["-c", command]);
        shell.env("PATH", &path).env("BASE", "main");
        shell.env("GITHUB_STEP_SUMMARY", &summary);
        shell.status().expect("a shell").code()
    };
    // A flop more in every iteration is more than 5 %.
    assert_eq!([run(commands[0]), run(commands[1])], [Some(1), Some(0)]);
    let summary = fs::read_to_string(summary).expect("a summary");
    assert!(summary.contains("**Exceeded**"), "{summary}");
    for name in ["loopsheet.sarif", "loopsheet.json"] {
        assert!(directory.path().join(name).is_file(), "{name}");
    }
}

#[test]
fn bad_input_is_refused_with_what_to_do() {
    let directory = tree(&[
        ("a.f90", SWEEPS),
        ("b.f90", SWEEPS),
        ("a.json", "{\"schema\": \"loopsheet/trace/1\"}"),
        ("b.json", "{}"),
        ("c.json", "{\"schema\": \"loopsheet/static/1\"}"),
        ("bad.toml", "[[budget]]\nnest = \"a*\"\ndram_byte = 4\n"),
        ("empty.toml", "[[budget]]\nnest = \"\"\nflops = 4\n"),
        ("level.toml", "[[budget]]\nnest = \"*\"\nl7_bytes = 4\n"),
    ]);
    for (arguments, complaint) in [
        (&["main..HEAD"][..], "needs a Git repository"),
        (&["a.f90"], "also give what to compare it with"),
        (
            &["nothing.f90"],
            "give OLD and NEW, or revisions as REV1..REV2",
        ),
        (&["a.f90", "a.f90"], "OLD and NEW are the same"),
        (&["a.f90", "./a.f90"], "OLD and NEW are the same"),
        (&["a.f90", "nothing.f90"], "cannot read nothing.f90"),
        (&["a.f90", "a.json"], "one is a report, the other source"),
        (
            &["a.json", "b.json"],
            "a.json: it has the schema loopsheet/trace/1",
        ),
        (
            &["c.json", "b.json"],
            "c.json: it does not have what is needed",
        ),
        (&["a.f90", "b.f90", "--", "src"], "paths after --"),
        (&["a.f90", "b.f90", "--fail-above", "5"], "expected N%"),
        (&["a.f90", "b.f90", "--set", "nn=4"], "--set nn"),
        (
            &["a.f90", "b.f90", "--config", "bad.toml"],
            "bad.toml:3:1: unknown key `dram_byte`",
        ),
        (
            &["a.f90", "b.f90", "--config", "empty.toml"],
            "empty.toml:2:8: `nest` is empty",
        ),
        (
            &["a.f90", "b.f90", "--config", "level.toml"],
            "the budget of * bounds L7 bytes, but epyc-7763 has only L1 bytes, L2 bytes, L3 bytes, DRAM bytes",
        ),
        (
            &["a.f90", "b.f90", "-o", "out.pdf"],
            "the extension says what to write",
        ),
        (
            &["a.f90", "b.f90", "--json", "a.f90"],
            "it is one of the files to compare",
        ),
    ] {
        let found = refused(directory.path(), arguments);
        assert!(found.contains(complaint), "{arguments:?}: {found}");
    }
}

#[test]
fn keys_of_differences() {
    let config = tree(&[("budgets.toml", "[[budget]]\nnest = \"s*\"\nflops = 1\n")]);
    let path = config.path().join("budgets.toml");
    let budgets = ["--config", path.to_str().expect("a path")];
    let exceeded = samples(&[&budgets[..], &["--fail-above", "1%"]].concat());
    let broken = format!("{SWEEPS}\nsubroutine worse(\n  do i = \nend subroutine\n")
        .replace("c(i) = 2 * a(i)", "c(i) = 2 * a(i + 1) + b(idx(i))");
    let constant = |size: u32| {
        format!(
            "module m\n  integer, parameter :: k = {size}\nend module\nsubroutine g(a)\n  use m\n  real(8) :: a(k)\n  integer :: i\n  do i = 1, k\n    a(i) = 1\n  end do\nend subroutine\n"
        )
    };
    let others = between(
        &[("a.f90", SWEEPS), ("b.f90", &constant(10))],
        &[("a.f90", &broken), ("b.f90", &constant(20))],
        &[],
    );
    let swapped = |outer: &str, inner: &str| {
        format!(
            "subroutine h(a)\n  real(8) :: a(9, 50, 50)\n  integer :: i, j\n  do {outer} = 1, 50\n    do {inner} = 1, 50\n      a(1, i, j) = 0\n    end do\n  end do\nend subroutine\n"
        )
    };
    let (old, new) = (swapped("j", "i"), swapped("i", "j"));
    let order = between(&[("a.f90", &old)], &[("a.f90", &new)], &[]);
    assert!(
        flipped(&order["nests"][0]).contains(&pair("loop_order", "worse")),
        "{order:#}"
    );
    let keys = keys("loopsheet/diff/1", &[exceeded, others, order]);
    expect_file!["../golden/keys/diff.txt"].assert_eq(&keys);
}
