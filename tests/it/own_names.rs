//! Names that the program gives a meaning of its own, and names that two things have.

use crate::small::{analyse, c, function, iterations};
use crate::support::command::loopsheet;
use serde_json::{Value, json};

/// What `analyze` prints, and what it complains about.
fn analysed(files: &[(&str, &str)], arguments: &[&str]) -> (Value, String) {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
    let mut command = loopsheet();
    command.arg("analyze").arg(directory.path());
    let output = command.args(["--json", "-"]).args(arguments).output();
    let output = output.expect("it runs");
    let complaint = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    let report = serde_json::from_slice(&output.stdout).expect("JSON");
    (report, complaint)
}

#[test]
fn true_false_and_null_are_what_the_program_defines() {
    let text = "
        #define TRUE 5
        #define NULL 9
        #define MANY (TRUE + NULL)
        enum { FALSE = 3, false = 7 };
        static const int true = 4;
        void f(double *a) {
            for (int i = FALSE; i < TRUE; i++) a[i] += 1;
            for (int i = 0; i < false; i++) a[i] += 1;
            for (int i = 0; i < true; i++) a[i] += 1;
            for (int i = 0; i < NULL; i++) a[i] += 1;
            for (int i = 0; i < MANY; i++) a[i] += 1;
        }
        void g(double *a, int TRUE) { for (int i = 0; i < TRUE; i++) a[i] += 1; }";
    for preprocessing in ["auto", "never"] {
        let (report, _) = analysed(&[("a.c", text)], &["--cpp", preprocessing]);
        assert_eq!(iterations(&report, "f"), [2.0, 7.0, 4.0, 9.0, 14.0]);
        assert_eq!(function(&report, "g")["loops"][0]["upper"], "TRUE - 1");
    }
    // Defined as usual, or not at all, they are what they are in C.
    let usual = "
        #define TRUE 1
        #define NULL ((void *)0)
        void f(double *a) { for (int i = FALSE; i < 10 * TRUE; i++) if (a != NULL) a[i] += 1; }";
    assert_eq!(iterations(&c(usual), "f"), [10.0]);
}

#[test]
fn a_name_of_the_machine_and_of_the_source_is_told_apart() {
    let source = [(
        "a.c",
        "void f(int cores, int n, double *a) { for (int i = 0; i < cores; i++) a[i] += n; }",
    )];
    let cores = |report: &Value| report["machine"]["cores"].clone();
    let (report, complaint) = analysed(&source, &["--set", "cores=10"]);
    assert_eq!(
        (cores(&report), iterations(&report, "f")),
        (json!(10), vec![128.0])
    );
    for part in ["--set cores ", "machine.cores=", "--set cores_="] {
        assert!(complaint.contains(part), "{part}: {complaint}");
    }
    let named = ["--set", "machine.cores=3", "--set", "cores_=20"];
    let (report, complaint) = analysed(&source, &named);
    assert_eq!(
        (cores(&report), iterations(&report, "f")),
        (json!(3), vec![20.0])
    );
    assert_eq!(complaint, "");
    // Where the source has no such name, nothing is ambiguous.
    let (_, complaint) = analysed(&source, &["--set", "dram_gbs=10"]);
    assert_eq!(complaint, "");
}

/// Two static functions of one name in the same lines of two files, each with a loop and a branch of unknown extent.
#[test]
fn parameters_of_namesakes_are_parameters_of_their_own() {
    let text = "
        static int work(double *a) {
            int i = 0;
            while (a[i] > 0) {
                if (a[i] > 5) a[i] -= 1;
                i++;
            }
            return i;
        }
        int NAME(double *a) { int s = 0; for (int k = 0; k < 10; k++) s += work(a); return s; }";
    let [left, right] = ["left", "right"].map(|name| text.replace("NAME", name));
    let files = [("left/work.c", left.as_str()), ("right/work.c", &right)];
    let (report, _) = analysed(&files, &[]);
    let parameters = report["parameters"].as_object().expect("parameters");
    for name in [
        "trip_left_work_c_work_4",
        "trip_right_work_c_work_4",
        "prob_left_work_c_work_5",
        "prob_right_work_c_work_5",
    ] {
        assert!(parameters.contains_key(name), "{name}: {parameters:?}");
    }
    let (report, _) = analysed(&files, &["--set", "trip_left_work_c_work_4=7"]);
    let functions = report["functions"].as_array().expect("functions");
    let work = functions
        .iter()
        .filter(|function| function["name"] == "work");
    let runs: Vec<&Value> = work.map(|work| &work["nests"][0]["iterations"]).collect();
    assert_eq!(runs, [&json!(7), &json!(8)]);
    // One name, one function: nothing is added.
    let (report, _) = analysed(&files[..1], &[]);
    assert!(report["parameters"]["trip_work_4"].is_object(), "{report}");
}

/// Every value is defined by the one before: none may be forgotten, however many there are.
#[test]
fn long_chains_of_values_are_followed() {
    let steps: String = (0..60)
        .map(|k| format!("int m{} = m{k} + 1;", k + 1))
        .collect();
    let chain = format!(
        "void f(double *a, int n) {{ int m0 = n; {steps} for (int i = 0; i < m60; i++) a[i] += 1; }}"
    );
    let largest = |name: &str| {
        (0..60).fold("n".to_string(), |inner, k| {
            format!("{name}({inner}, {})", 200 + k)
        })
    };
    let nested = |name: &str| {
        format!(
            "#include <math.h>\nvoid f(double *a, int n) {{ for (int i = 0; i < {}; i++) a[i] += 1; }}",
            largest(name)
        )
    };
    let run = |text: &str| iterations(&analyse(&[("a.c", text)], &["n=10"]), "f");
    assert_eq!(run(&chain), [70.0]);
    for name in ["max", "fmax"] {
        assert_eq!(run(&nested(name)), [259.0], "{name}");
    }
}
