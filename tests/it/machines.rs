//! Machines: which one is the default, files that change a preset, and files to edit.

use loopsheet_machine::MachineModel;
use loopsheet_machine::parameters::IN_CORE;
use serde_json::Value;

use crate::support::command::{analysed_text, loopsheet, printed, root};

fn text(arguments: &[&str]) -> String {
    let output = loopsheet().args(arguments).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8")
}

fn report(arguments: &[&str]) -> Value {
    let samples = root().join("samples/kernels");
    printed(
        loopsheet()
            .args(["analyze", "--json", "-", "--quiet"])
            .arg(samples)
            .args(arguments),
    )
}

#[test]
fn the_default_is_a_server() {
    assert_eq!(report(&[]), report(&["--machine", "epyc-7763"]));
    let listed = text(&["machines"]);
    let [real, papers] = ["Real machines:", "Machines of papers:"].map(|heading| {
        let lines = listed.lines().skip_while(|line| *line != heading).skip(1);
        lines
            .take_while(|line| !line.is_empty())
            .map(|line| line.trim().to_string())
            .collect::<Vec<_>>()
    });
    let default: Vec<&String> = real
        .iter()
        .filter(|line| line.ends_with("(default)"))
        .collect();
    assert!(default.len() == 1 && default[0].starts_with("epyc-7763 "));
    let names = |lines: &[String]| {
        let name = |line: &String| line.split(' ').next().unwrap_or("").to_string();
        lines.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(&papers), ["exasat", "edan", "camat"]);
    assert!(names(&real).contains(&"grace".to_string()));
}

#[test]
fn a_printed_file_is_the_same_machine() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("copy.toml");
    std::fs::write(&path, text(&["machines", "grace", "--toml"])).expect("a file");
    let path = path.to_str().expect("UTF-8");
    assert_eq!(
        report(&["--machine", path]),
        report(&["--machine", "grace"])
    );
    assert_eq!(text(&["machines", path]), text(&["machines", "grace"]));
}

#[test]
fn files_may_be_based_on_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_string()
    };
    write(
        "ours.toml",
        "base = \"xeon-8380\"\ndram_gbs = 150\nghz = 2.0\n",
    );
    let node = write(
        "nodes/big.toml",
        "base = \"../ours.toml\"\ndram_gbs = 300\n",
    );
    let machine = report(&["--machine", &node])["machine"].clone();
    let value = |name: &str| machine[name].clone();
    assert_eq!(machine["name"], "big");
    assert_eq!(
        (value("dram_gbs"), value("ghz"), value("cores")),
        (300.into(), 2.into(), 40.into())
    );

    let refused = |path: &str| {
        let output = loopsheet()
            .args(["analyze", "samples", "--machine", path])
            .current_dir(root())
            .assert()
            .code(2);
        String::from_utf8(output.get_output().stderr.clone()).expect("UTF-8")
    };
    let circle = write("one.toml", "cores = 4\nbase = \"two.toml\"\n");
    write("two.toml", "base = \"one.toml\"\n");
    let message = refused(&circle);
    assert!(
        message.contains("one.toml:2:8: base = \"two.toml\"")
            && message.contains("one.toml is based on itself"),
        "{message}"
    );
    let message = refused(&write("lost.toml", "base = \"nowhere.toml\"\n"));
    assert!(
        message.contains("lost.toml:1:8: base = \"nowhere.toml\": cannot read the machine file"),
        "{message}"
    );
    let message = refused(&write("wrong.toml", "base = \"grace\"\ndram_gb = 4\n"));
    assert!(
        message.contains("wrong.toml:2:1: no machine parameter is called `dram_gb`"),
        "{message}"
    );
}

/// What is measured is a machine with in-core time, whatever else runs meanwhile.
#[cfg(target_os = "linux")]
#[test]
fn this_machine_can_be_measured() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("here.toml");
    let path = path.to_str().expect("a path");
    text(&[
        "machine",
        "measure",
        "--base",
        "epyc-7763",
        "-o",
        path,
        "--quiet",
    ]);
    let read = std::fs::read_to_string(path).expect("a file");
    let machine = MachineModel::parse(&read, path).expect("a machine");
    for name in IN_CORE {
        assert!(machine.get(name).is_some_and(|value| value > 0.0), "{name}");
    }
    assert_eq!(machine.get("cores"), Some(1.0));
    // An addition takes a whole number of cycles, if the clock is right.
    let addition = machine.get("add_latency").expect("measured");
    assert!((0.5..20.0).contains(&addition), "{addition}");
}

const SERIAL: &str = "\
static double a[1000000], b[1000000];
int main(void) {
  for (int i = 0; i < 1000000; i++) a[i] += 2.0 * b[i];
  return 0;
}
";

/// A program that does nothing in parallel has one core, however its machine came to be chosen.
#[test]
fn the_same_machine_gives_the_same_figures() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).expect("a file");
    };
    here("p.c", SERIAL);
    here("copy.toml", &text(&["machines", "epyc-7763", "--toml"]));
    here("own.toml", "base = \"epyc-7763\"\nname = \"own\"\n");
    let report = |arguments: &[&str]| {
        let mut command = loopsheet();
        command.current_dir(directory.path());
        printed(
            command
                .args(["analyze", "p.c", "--json", "-", "-q"])
                .args(arguments),
        )
    };
    let default = report(&["--no-config"]);
    let title = |report: &Value| {
        report["machine"]["title"]
            .as_str()
            .expect("a title")
            .to_string()
    };
    assert!(title(&default).ends_with("one core: nothing in the sources runs in parallel"));
    assert_eq!(default["machine"]["cores"], 1.0);
    for named in ["epyc-7763", "copy.toml"] {
        assert_eq!(
            report(&["--no-config", "--machine", named]),
            default,
            "{named}"
        );
    }
    let seconds = |report: &Value| report["totals"]["seconds"].as_f64().expect("seconds");
    assert_eq!(
        seconds(&report(&["--no-config", "--machine", "own.toml"])),
        seconds(&default)
    );
    let graced = report(&["--no-config", "--machine", "grace"]);
    here("loopsheet.toml", "machine = \"grace\"\n");
    assert_eq!(report(&[]), graced);
    assert_eq!(graced["machine"]["cores"], 1.0);
    // What is set counts, on the command line or in the file.
    here(
        "loopsheet.toml",
        "machine = \"grace\"\n[sizes]\ncores = 8\n",
    );
    for report in [
        report(&[]),
        report(&["--no-config", "--machine", "grace", "--set", "cores=8"]),
    ] {
        assert_eq!(report["machine"]["cores"], 8.0);
        assert!(!title(&report).contains("one core"), "{}", title(&report));
        assert!(seconds(&report) < seconds(&graced));
    }
}

/// All others have all cores.
#[test]
fn programs_with_openmp_have_all_cores() {
    let parallel = SERIAL.replace("  for", "#pragma omp parallel for\n  for");
    for named in [&["--machine", "grace"][..], &[]] {
        let report = analysed_text("p.c", &parallel, &[named, &["--no-config"]].concat());
        assert!(report["machine"]["cores"].as_f64().expect("cores") > 8.0);
    }
}

/// What the macros leave out does not run.
#[test]
fn calls_that_are_not_compiled_begin_nothing() {
    let optional = SERIAL.replace(
        "int main(void) {",
        "int main(void) {\n#ifdef DISTRIBUTED\n  MPI_Init(0, 0);\n#endif\n  // calls MPI_Init (if there is one)",
    );
    assert_ne!(optional, SERIAL);
    let cores = |more: &[&str]| {
        let report = analysed_text("p.c", &optional, &[&["--no-config"], more].concat());
        report["machine"]["cores"].as_f64().expect("cores")
    };
    assert_eq!(cores(&[]), 1.0);
    assert!(cores(&["-D", "DISTRIBUTED"]) > 8.0);
}
