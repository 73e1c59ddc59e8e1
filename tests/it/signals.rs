//! A signal that ends the program leaves no unfinished files behind.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A trace that waits for its input, with an output file begun in the directory.
fn begun(directory: &std::path::Path) -> Child {
    // Whoever runs the tests may ignore signals, as `nohup` does.
    let child = Command::new("env")
        .arg("--default-signal=HUP,INT,TERM")
        .arg(env!("CARGO_BIN_EXE_loopsheet"))
        .current_dir(directory)
        .args(["trace", "-", "--json", "out.json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let start = Instant::now();
    while files(directory).is_empty() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no file is begun"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn files(directory: &std::path::Path) -> Vec<std::ffi::OsString> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    entries
        .map(|entry| entry.expect("readable").file_name())
        .collect()
}

#[test]
fn signals_remove_what_is_not_finished() {
    for (name, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
        let dir = tempfile::tempdir().expect("a directory");
        let mut child = begun(dir.path());
        // Waiting would close it, and the end of its input may come before the signal.
        let input = child.stdin.take();
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("kill is there").success());
        let status = child.wait().expect("it ends");
        drop(input);
        assert_eq!(status.signal(), Some(number), "{name}");
        assert_eq!(
            files(dir.path()),
            Vec::<std::ffi::OsString>::new(),
            "{name}"
        );
    }
}

#[test]
fn signals_that_are_ignored_stay_so() {
    let dir = tempfile::tempdir().expect("a directory");
    let script = format!(
        "trap '' INT; '{}' trace - --json out.json < wait > /dev/null 2>&1 & echo $!; wait $!",
        env!("CARGO_BIN_EXE_loopsheet")
    );
    let status = Command::new("mkfifo").arg(dir.path().join("wait")).status();
    assert!(status.expect("mkfifo is there").success());
    let mut shell = Command::new("sh")
        .current_dir(dir.path())
        .args(["-c", &script])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let input = std::fs::OpenOptions::new()
        .write(true)
        .open(dir.path().join("wait"))
        .expect("the trace has opened it");
    let mut out = std::io::BufReader::new(shell.stdout.take().expect("a pipe"));
    let mut id = String::new();
    std::io::BufRead::read_line(&mut out, &mut id).expect("its number");
    let start = Instant::now();
    while files(dir.path()).len() < 2 {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no file is begun"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-s", "INT", id.trim()]).status();
    assert!(sent.expect("kill is there").success());
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(files(dir.path()).len(), 2, "it goes on");
    drop(input);
    shell.wait().expect("it ends");
}
