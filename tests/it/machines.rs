//! Machines: which one is the default, files that change a preset, and files to edit.

use loopsheet_machine::MachineModel;
use loopsheet_machine::parameters::IN_CORE;
use serde_json::Value;

use crate::support::command::{loopsheet, printed, root};

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
