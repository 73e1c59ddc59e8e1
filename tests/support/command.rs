//! Runs the program as its users do.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// Where `Cargo.toml` is.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file below `tests/fixtures`.
pub fn fixture(path: impl AsRef<Path>) -> PathBuf {
    root().join("tests/fixtures").join(path)
}

/// The files of a directory of the repository, sorted; or the one that it is.
pub fn files(directory: &str) -> Vec<PathBuf> {
    let directory = root().join(directory);
    if directory.is_file() {
        return vec![directory];
    }
    let entries = std::fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable directory").path())
        .collect();
    files.sort();
    files
}

/// Options of `trace` for everything that is counted of one.
pub const EVERYTHING: [&str; 8] = [
    "--cache",
    "1KiB,2way",
    "--cache",
    "8KiB",
    "--reuse",
    "--epochs",
    "--memory-chain",
    "--quiet",
];

pub fn loopsheet() -> Command {
    Command::cargo_bin("loopsheet").expect("the program is built")
}

/// The program with a cache of its own, for what records.
pub fn recorder(cache: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    command
        .env("XDG_CACHE_HOME", cache)
        .env_remove("QEMU_LD_PREFIX");
    command
}

/// The JSON that a command prints. Status 1 is fine: some of the input was not understood.
pub fn printed(command: &mut Command) -> Value {
    let output = command.output().expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{complaint}"
    );
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{complaint}"))
}

/// What `analyze` reports of a file of the repository or elsewhere.
pub fn analysed(path: impl AsRef<Path>, arguments: &[&str]) -> Value {
    let mut command = loopsheet();
    command.arg("analyze").arg(root().join(path));
    printed(command.args(["--json", "-", "--quiet"]).args(arguments))
}

/// The same of a text in a file of this name.
pub fn analysed_text(name: &str, text: &str, arguments: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    std::fs::write(&path, text).expect("a file");
    analysed(&path, arguments)
}

/// The cases of `validate`.
pub fn validated(path: &Path, arguments: &[&str]) -> Vec<Value> {
    let mut command = loopsheet();
    command.arg("validate").arg(path);
    let mut document = printed(command.args(["--json", "-", "-q"]).args(arguments));
    let Value::Array(cases) = document["cases"].take() else {
        panic!("no cases")
    };
    cases
}

/// `name=value` of each as arguments.
pub fn settings<'s>(settings: &[&'s str]) -> Vec<&'s str> {
    settings
        .iter()
        .flat_map(|setting| ["--set", setting])
        .collect()
}

/// A report in a file.
pub fn json(path: &Path) -> Value {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}
