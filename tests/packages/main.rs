//! What `templates/packaging` makes can be installed, and runs where nothing else of the repository is. Apart from the other
//! tests: what makes a wheel takes the program that they run away for a while.
#![cfg(target_os = "linux")]

#[path = "../support/mod.rs"]
mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use support::command;
use support::tools::{printed, tool};

/// One package is made at a time: what makes a wheel takes the program away for a while.
static MAKING: Mutex<()> = Mutex::new(());

/// Makes a package of the program in the profile that tests run in, and gives the file with that extension.
fn package(kind: &str, extension: &str) -> PathBuf {
    let _alone = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let packages = command::root().join("target/packages");
    let made = |directory: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(directory).into_iter().flatten();
        let paths = entries.map(|entry| entry.expect("a readable directory").path());
        paths
            .filter(|path| path.extension().is_some_and(|own| own == extension))
            .collect()
    };
    for old in made(&packages) {
        std::fs::remove_file(old).expect("an old package can be removed");
    }
    printed(
        Command::new(command::root().join("templates/packaging/build"))
            .args([kind, "dev"])
            .env("MATURIN", tool("python/bin/maturin"))
            // Small packages are not what is tested.
            .env("DPKG_DEB_COMPRESSOR_LEVEL", "1"),
    );
    let [file] = &made(&packages)[..] else {
        panic!("one {extension} in {}", packages.display());
    };
    file.clone()
}

/// Runs an installed program away from the repository, and prints how large it is and how fast it starts.
fn runs(program: &Path) {
    let directory = tempfile::tempdir().expect("a directory");
    let begun = Instant::now();
    let version = printed(Command::new(program).arg("--version"));
    let start = begun.elapsed();
    let bytes = std::fs::metadata(program).expect("the program").len();
    // Also shown where the test passes, which hides what tests print by macros.
    let shown = format!(
        "{}: {:.1} MB, starts in {start:.1?}\n",
        program.display(),
        bytes as f64 / 1e6
    );
    std::io::stderr()
        .write_all(shown.as_bytes())
        .expect("standard error");
    assert_eq!(
        version.trim_end(),
        format!("loopsheet {}", env!("CARGO_PKG_VERSION"))
    );
    printed(
        Command::new(program)
            .args(["demo", "out"])
            .current_dir(directory.path()),
    );
    let made = std::fs::read_dir(directory.path().join("out")).expect("the demo's directory");
    assert!(made.count() > 5);
}

#[test]
fn a_wheel_installs_into_an_empty_environment() {
    let wheel = package("wheel", "whl");
    let environment = tempfile::tempdir().expect("a directory");
    printed(
        Command::new("/usr/bin/python3")
            .args(["-m", "venv"])
            .arg(environment.path()),
    );
    printed(
        Command::new(environment.path().join("bin/pip"))
            .args([
                "install",
                "--quiet",
                "--no-index",
                "--disable-pip-version-check",
            ])
            .arg(wheel),
    );
    runs(&environment.path().join("bin/loopsheet"));
}

#[test]
fn a_debian_package_installs_and_lintian_finds_nothing() {
    let package = package("deb", "deb");
    let lintian = printed(
        Command::new("lintian")
            .args(["--allow-root", "--fail-on", "error,warning"])
            .arg(&package),
    );
    assert_eq!(lintian, "");
    // Its own database of packages, so that nobody needs to be root.
    let root = tempfile::tempdir().expect("a directory");
    let database = root.path().join("var/lib/dpkg");
    for directory in ["info", "updates", "triggers"] {
        std::fs::create_dir_all(database.join(directory)).expect("a directory");
    }
    std::fs::write(database.join("status"), "").expect("a file");
    printed(
        Command::new("dpkg")
            .arg(format!("--root={}", root.path().display()))
            .args(["--force-not-root", "--force-depends", "--force-bad-path"])
            .arg("--install")
            .arg(package),
    );
    runs(&root.path().join("usr/bin/loopsheet"));
    for installed in [
        "usr/share/man/man1/loopsheet-analyze.1.gz",
        "usr/share/bash-completion/completions/loopsheet",
        "usr/share/doc/loopsheet/copyright",
    ] {
        assert!(root.path().join(installed).is_file(), "{installed}");
    }
}

#[test]
fn the_crate_holds_the_program_and_no_tests() {
    let list = printed(
        Command::new(env!("CARGO"))
            .args(["package", "--list", "--allow-dirty", "--offline"])
            .current_dir(command::root()),
    );
    let files: Vec<&Path> = list.lines().map(Path::new).collect();
    for needed in [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "src/main.rs",
        "samples/kernels/laplace7.f90",
    ] {
        assert!(files.contains(&Path::new(needed)), "{needed}");
    }
    let foreign = |file: &&&Path| file.starts_with("tests") || file.starts_with(".ci");
    assert_eq!(files.iter().find(foreign), None);
}

#[test]
fn the_library_alone_needs_nothing_of_the_command_line() {
    let depends_on = |features: &str| {
        let mut tree = Command::new(env!("CARGO"));
        tree.args(["tree", "--package", "loopsheet", "--edges", "normal"])
            .args(["--prefix", "none", "--offline"])
            .args(["--no-default-features", "--features", features])
            .current_dir(command::root());
        let list = printed(&mut tree);
        let names = list.lines().filter_map(|line| line.split(' ').next());
        names.map(String::from).collect::<Vec<String>>()
    };
    let library = depends_on("");
    for foreign in ["clap", "indicatif", "mimalloc", "rust_xlsxwriter", "zip"] {
        assert!(!library.iter().any(|name| name == foreign), "{foreign}");
    }
    assert!(
        depends_on("xlsx")
            .iter()
            .any(|name| name == "rust_xlsxwriter")
    );
    assert!(depends_on("cli").iter().any(|name| name == "clap"));
}
