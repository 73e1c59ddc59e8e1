//! Results do not depend on who computes them, when, how often or how many at once; what is damaged is noticed.

use super::*;

#[test]
fn bytes_do_not_depend_on_order_or_parts() {
    let expected = merged(undisturbed().path());
    let project = project(SWEEP);
    // From elsewhere, in parts, one of them first, twice.
    let elsewhere = tempfile::tempdir().expect("a directory");
    let place = project.path().join("sweep");
    let place = ["--dir", place.to_str().expect("a path")];
    let file = project.path().join("sweep.toml");
    let with = |arguments: &[&str]| done(elsewhere.path(), &[arguments, &place].concat());
    with(&["plan", file.to_str().expect("a path")]);
    for part in ["3", "1", "2", "1"] {
        with(&["run", part, "--of", "3"]);
    }
    let said = with(&["run", "--all"]);
    assert!(said.contains(" 0 computed now"), "{said}");
    with(&["merge"]);
    assert_eq!(merged(project.path()), expected);
    with(&["merge"]);
    assert_eq!(merged(project.path()), expected, "merged twice");
}

/// Kills runs at some moments, and lets two run at once.
#[test]
fn bytes_do_not_depend_on_what_was_killed() {
    let expected = merged(undisturbed().path());
    let project = project(SWEEP);
    done(project.path(), &["plan", "sweep.toml"]);
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
        command
            .current_dir(project.path())
            .args(["sweep", "run", "--all", "--jobs", "1"]);
        command.stderr(Stdio::null()).spawn().expect("it runs")
    };
    // From before the first result to behind some.
    for milliseconds in [1, 20, 40, 80, 120, 30, 60] {
        let mut one = start();
        std::thread::sleep(Duration::from_millis(milliseconds));
        // SIGKILL: nothing can be tidied up.
        one.kill().expect("killed");
        one.wait().expect("ended");
    }
    let (mut one, mut other) = (start(), start());
    assert!(one.wait().expect("ended").success());
    assert!(other.wait().expect("ended").success());
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 0);
    assert!(said.contains(" 0 computed now"), "{said}");
    done(project.path(), &["merge"]);
    assert_eq!(merged(project.path()), expected);
}

/// The result file of a shard that has most bytes.
fn largest_result(project: &Path) -> std::path::PathBuf {
    let shards = fs::read_dir(project.join("sweep/shards")).expect("results");
    let paths = shards.map(|entry| entry.expect("a result").path());
    let size = |path: &std::path::PathBuf| fs::metadata(path).map_or(0, |file| file.len());
    paths.max_by_key(size).expect("a shard")
}

#[test]
fn a_result_that_was_cut_is_computed_again() {
    let project = project(SWEEP);
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let whole = merged(project.path());
    let path = largest_result(project.path());
    let text = fs::read_to_string(&path).expect("rows");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let cuts = [0, 1, lines.len() - 1];
    for cut in cuts {
        fs::write(&path, lines[..cut].concat()).expect("written");
        let (status, said) = sweep(project.path(), &["merge"]);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains("1 of "), "{said}");
        let said = done(project.path(), &["run", "--all"]);
        assert!(said.contains(" 1 computed now"), "{said}");
    }
    // A line is missing in the middle: no file of the merged data changes.
    fs::write(&path, [&lines[..1], &lines[2..]].concat().concat()).expect("written");
    let (status, said) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains(" rows of "), "{said}");
    assert!(
        said.contains("sweep run --all --dir sweep` recomputes it"),
        "{said}"
    );
    assert_eq!(merged(project.path()), whole);
    let left = fs::read_dir(project.path().join("sweep/data")).expect("data");
    assert_eq!(left.count(), whole.len(), "nothing unfinished is left");
}

/// Other tables beside the merged ones stay; those of inputs that are in the sweep no more go.
#[test]
fn merging_removes_its_own_files_only() {
    let project = project("traces = [\"traces/*\"]\n");
    let data = |name: &str| project.path().join("sweep/data").join(name);
    fs::create_dir_all(data("")).expect("a directory");
    fs::write(data("mine.parquet"), "mine").expect("a file");
    let again = |sweep: &str| {
        fs::write(project.path().join("sweep.toml"), sweep).expect("written");
        done(project.path(), &["plan", "sweep.toml"]);
        done(project.path(), &["run", "--all"]);
        done(project.path(), &["merge"]);
    };
    again("traces = [\"traces/*\"]\n");
    assert!(data("list.execlog.zst.parquet").exists());
    again("traces = [\"traces/axpy*\"]\n");
    assert!(data("axpy.execlog.zst.parquet").exists());
    assert!(!data("list.execlog.zst.parquet").exists());
    assert_eq!(
        fs::read_to_string(data("mine.parquet")).expect("a file"),
        "mine"
    );
}

/// On SIGINT a run says what is kept and how to go on; what it was about is not half there.
#[test]
#[cfg(target_os = "linux")]
fn a_run_that_is_interrupted_says_how_to_go_on() {
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;

    let project = project("traces = ['traces/axpy.execlog.zst', 'long.edan']\n");
    let long = fs::File::create(project.path().join("long.edan")).expect("a file");
    let mut long = std::io::BufWriter::new(long);
    for number in 0..2_000_000_u64 {
        let line = format!("0;0x104be;lw a4,0(a5);{:#x}\n", 0x40_0000 + number * 8);
        long.write_all(line.as_bytes()).expect("written");
    }
    drop(long.into_inner().expect("written"));
    done(project.path(), &["plan", "sweep.toml"]);
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT")
        .arg(env!("CARGO_BIN_EXE_loopsheet"))
        .args(["sweep", "run", "--all", "--jobs", "1"])
        .current_dir(project.path())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("it runs");
    let shards = project.path().join("sweep/shards");
    let names = || {
        let files = fs::read_dir(&shards).expect("shards");
        files.map(|file| file.expect("a file").file_name())
    };
    // A file has its name once it is whole.
    let is_result = |name: std::ffi::OsString| !name.as_encoded_bytes().starts_with(b".");
    while !names().any(is_result) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let sent = Command::new("kill")
        .args(["-s", "INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    // What a shell calls status 130.
    assert_eq!(output.status.signal(), Some(2), "{said}");
    let expected = "stopped: 1 of 2 shards finished and kept; `loopsheet sweep run --all --dir sweep` computes the others";
    assert!(said.contains(expected), "{said}");
    assert_eq!(names().count(), 1, "nothing half-written is left");
}

/// The result files of a sweep, by name.
fn results(project: &Path) -> Vec<std::path::PathBuf> {
    let shards = fs::read_dir(project.join("sweep/shards")).expect("results");
    let mut paths: Vec<_> = shards
        .map(|entry| entry.expect("a result").path())
        .collect();
    paths.sort();
    paths
}

/// A file under the name of another shard, or with other figures, is not its result.
#[test]
fn a_result_is_of_its_shard_and_as_it_was_written() {
    let project = undisturbed();
    let whole = merged(project.path());
    let refused = |arguments: &[&str], why: &str| {
        let (status, said) = sweep(project.path(), arguments);
        assert_eq!(status, 2, "{arguments:?}: {said}");
        assert!(said.contains(why), "{arguments:?}: {said}");
    };
    let again = || {
        let said = done(project.path(), &["run", "--all"]);
        assert!(
            said.contains("is not its whole result: it is computed again"),
            "{said}"
        );
        assert!(said.contains(": 1 computed now"), "{said}");
        done(project.path(), &["merge"]);
        assert_eq!(merged(project.path()), whole);
    };
    let paths = results(project.path());
    fs::copy(&paths[0], &paths[1]).expect("copied");
    refused(&["merge"], "1 of ");
    refused(&["report", "-o", "r.xlsx"], "the result file of 1 of ");
    again();
    // Another figure of the same length.
    let path = largest_result(project.path());
    let text = fs::read_to_string(&path).expect("rows");
    let at = text
        .find("\"flops\":")
        .or_else(|| text.find("\"instructions\":"));
    let at = at.expect("a figure");
    let digit = at
        + text[at..]
            .find(|c: char| c.is_ascii_digit())
            .expect("a digit");
    let other = if &text[digit..=digit] == "7" {
        "8"
    } else {
        "7"
    };
    let changed = format!("{}{other}{}", &text[..digit], &text[digit + 1..]);
    fs::write(&path, changed).expect("written");
    for arguments in [&["merge"][..], &["report", "-o", "r.xlsx"]] {
        refused(
            arguments,
            "was altered (its rows are not those that were written)",
        );
        refused(arguments, "recomputes it");
    }
    let (_, said) = sweep(project.path(), &["merge"]);
    assert!(!said.contains("cannot write"), "{said}");
    assert_eq!(merged(project.path()), whole);
    assert!(!project.path().join("r.xlsx").exists());
    again();
}

/// Names of files are made of hashes, and a shard's is that of what stands in the manifest.
#[test]
fn a_manifest_that_was_edited_is_refused() {
    let project = project("traces = [\"traces/*\"]\n");
    done(project.path(), &["plan", "sweep.toml"]);
    let path = project.path().join("sweep/manifest.jsonl");
    let text = fs::read_to_string(&path).expect("a manifest");
    let line = text.lines().nth(1).expect("a shard");
    let shard: Value = serde_json::from_str(line).expect("JSON");
    let hash = shard["hash"].as_str().expect("a hash");
    for (changed, why) in [
        (
            text.replace(hash, "../../evil"),
            "`../../evil` is not a hash",
        ),
        (
            text.replace(hash, &hash.replace(['0', '1'], "2")),
            "line 2: its hash is not that",
        ),
        (
            text.replace("[100.0]", "[101.0]"),
            "line 2: its hash is not that",
        ),
        (
            text[..text.len() - 20].to_string(),
            "it ends in the middle of line 3: plan again",
        ),
        (
            text.replace("\"files\":[", "\"files\":[,"),
            "line 2, column ",
        ),
    ] {
        assert_ne!(changed, text, "{why}");
        fs::write(&path, changed).expect("written");
        for arguments in [&["run", "--all"][..], &["merge"], &["submit"]] {
            let (status, said) = sweep(project.path(), arguments);
            assert_eq!(status, 2, "{said}");
            assert!(said.contains(why), "{why}: {said}");
            assert_eq!(said.matches("line ").count(), 1, "{said}");
        }
    }
    assert!(results(project.path()).is_empty());
    assert!(!project.path().join("evil.jsonl").exists());
}

/// Nothing is computed and then lost.
#[test]
fn a_result_that_cannot_be_read_is_said_at_once() {
    let project = project("traces = [\"traces/*\"]\n");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    // Whoever runs the tests may be allowed to read everything.
    let path = largest_result(project.path());
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("a directory");
    for arguments in [
        &["run", "--all"][..],
        &["merge"],
        &["report", "--html", "r.html"],
    ] {
        let (status, said) = sweep(project.path(), arguments);
        assert_eq!(status, 2, "{said}");
        assert!(
            said.contains("cannot be read: ") && said.contains("make it readable"),
            "{said}"
        );
    }
}

/// What a killed merge left goes with the next one, which waits for one that is running.
#[test]
fn merging_removes_what_killed_merges_left() {
    let project = project("traces = [\"traces/*\"]\n");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    let at = |name: &str| project.path().join("sweep").join(name);
    for name in ["data/.loopsheet-Ab12cD", "data/.loopsheet-of-mine"] {
        fs::create_dir_all(at(name)).expect("a directory");
        fs::write(at(name).join("half.parquet"), "half").expect("a file");
    }
    // Somebody may be about to name a new one.
    for (name, age) in [
        ("shards/.loopsheet-000old", 4000),
        ("shards/.loopsheet-000new", 0),
    ] {
        let file = fs::File::create(at(name)).expect("a file");
        let then = std::time::SystemTime::now() - Duration::from_secs(age);
        file.set_modified(then).expect("a time");
    }
    let lock = fs::File::create(at("merge.lock")).expect("a file");
    lock.lock().expect("locked");
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    command.current_dir(project.path()).args(["sweep", "merge"]);
    let mut other = command.stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(500));
    assert!(other.try_wait().expect("it runs").is_none(), "it waits");
    assert!(
        at("data/.loopsheet-Ab12cD").exists(),
        "of a merge that runs"
    );
    drop(lock);
    let output = other.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("another merge of this sweep is running"),
        "{said}"
    );
    assert!(!at("data/.loopsheet-Ab12cD").exists());
    assert!(at("data/.loopsheet-of-mine").exists());
    assert!(!at("shards/.loopsheet-000old").exists());
    assert!(at("shards/.loopsheet-000new").exists());
}

/// Runs at once share the shards: none is computed twice, and each run ends when all are there.
#[test]
fn runs_at_once_share_the_shards() {
    let sweep_toml =
        "traces = ['traces/*']\n[trace]\ncaches = '1KiB..512KiB:x2'\n[shards]\ncaches = 1\n";
    let project = project(sweep_toml);
    done(project.path(), &["plan", "sweep.toml"]);
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
        command
            .current_dir(project.path())
            .args(["sweep", "run", "--all", "--jobs", "1"]);
        command.stderr(Stdio::piped()).spawn().expect("it runs")
    };
    // What a killed run claimed is free again.
    let mut killed = start();
    std::thread::sleep(Duration::from_millis(30));
    killed.kill().expect("killed");
    killed.wait().expect("ended");
    let there = results(project.path());
    let there = there.iter().filter(|path| {
        let name = path.file_name().expect("a name");
        !name.as_encoded_bytes().starts_with(b".")
    });
    let there = there.count();
    let runs = [start(), start(), start()];
    let computed = runs.map(|run| {
        let output = run.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let words: Vec<&str> = said.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "computed");
        let count = words[at.expect("what was computed") - 1];
        count.parse::<usize>().expect("a number")
    });
    assert_eq!(there + computed.iter().sum::<usize>(), 20, "{computed:?}");
    assert!(!project.path().join("sweep/claims").exists());
    let said = done(project.path(), &["run", "--all"]);
    assert!(said.contains(" 0 computed now, 20 there before"), "{said}");
}
