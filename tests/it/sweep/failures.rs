//! A shard that fails stops no other.

use super::*;

/// The pilot is the largest shard that can be computed; what fails is a row of the data that the script leaves.
#[test]
fn scripts_merge_what_failed_and_what_did_not() {
    let project = project("traces = [\"traces/*\"]\n");
    let bad = project.path().join("traces/bad.execlog");
    let line = "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n";
    fs::write(&bad, line.repeat(100_000)).expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    let (status, said) = sweep(project.path(), &["submit", "--engine", "local", "--now"]);
    assert_eq!(status, 1, "{said}");
    let kinds: Vec<String> = rows(project.path())
        .iter()
        .map(|row| text(row, "kind").to_string())
        .collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "error").count(), 1);
    assert_eq!(kinds.iter().filter(|kind| *kind == "trace").count(), 2);
}

/// There is nothing to learn a limit from.
#[test]
fn nothing_is_submitted_where_everything_fails() {
    let project = project("traces = [\"traces/bad.execlog\"]\n");
    let bad = project.path().join("traces/bad.execlog");
    fs::write(&bad, "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n").expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    let (status, said) = sweep(project.path(), &["submit"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("all missing shards fail"), "{said}");
    assert!(!project.path().join("sweep/run.sbatch").exists());
}

#[test]
fn a_shard_that_fails_is_a_row_and_stops_no_other() {
    let project = project("traces = [\"traces/*\"]\n");
    let bad = project.path().join("traces/bad.execlog");
    fs::write(&bad, "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n").expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("traces/bad.execlog") && said.contains("--retry"),
        "{said}"
    );
    let (status, _) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 1);
    let errors: Vec<Row> = rows(project.path())
        .into_iter()
        .filter(|row| text(row, "kind") == "error")
        .collect();
    let [error] = &errors[..] else {
        panic!("{errors:?}")
    };
    assert_eq!(text(error, "input"), "traces/bad.execlog");
    assert!(text(error, "error").contains("frobnicate"), "{error:?}");
    assert_eq!(rows(project.path()).len(), 3, "the others have theirs");

    // A failure is not tried again by itself. What it reads changed: the plan holds no more.
    let said = sweep(project.path(), &["run", "--all"]).1;
    assert!(said.contains(" 0 computed now"), "{said}");
    fs::copy(project.path().join("traces/axpy.execlog.zst"), &bad).expect("a trace");
    let (status, said) = sweep(project.path(), &["run", "--all", "--retry"]);
    assert_eq!(status, 1);
    assert!(
        said.contains(" 1 computed now") && said.contains("plan again"),
        "{said}"
    );
    done(project.path(), &["plan", "sweep.toml"]);
    let said = done(project.path(), &["run", "--all"]);
    assert!(
        said.contains(" 1 computed now"),
        "only what changed: {said}"
    );
    done(project.path(), &["merge"]);
    // What is in the sweep no more is not in its data.
    fs::remove_file(&bad).expect("removed");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    assert_eq!(merged(project.path()).len(), 2);
}

#[test]
fn scripts_compute_and_merge() {
    let expected = merged(undisturbed().path());
    let project = project(SWEEP);
    done(project.path(), &["plan", "sweep.toml"]);
    let said = done(project.path(), &["submit", "--engine", "local", "--now"]);
    assert!(said.contains("sh sweep/submit.sh"), "{said}");
    assert_eq!(merged(project.path()), expected);
    let said = done(project.path(), &["submit"]);
    assert!(
        said.contains("have been computed, so there is nothing to submit"),
        "{said}"
    );
    assert!(!project.path().join("sweep/run.sbatch").exists());
}

#[test]
fn hints_are_about_what_there_is() {
    let project = project("traces = [\"traces/*\"]\n");
    let line = "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n";
    fs::write(project.path().join("traces/bad.execlog"), line).expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("frobnicate") && !said.contains("--unknown"),
        "{said}"
    );
}

#[test]
fn a_report_of_failures_only_is_refused() {
    let project = project("traces = [\"bad.execlog\"]\n");
    let line = "0, 0x1000, 0x4398, \"frobnicate a4,0(a5)\"\n";
    fs::write(project.path().join("bad.execlog"), line).expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    sweep(project.path(), &["run", "--all"]);
    let (status, said) = sweep(project.path(), &["report", "-o", "r.xlsx"]);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("the only shard failed") && said.contains("frobnicate"),
        "{said}"
    );
    assert!(!project.path().join("r.xlsx").exists());
}

/// More parts than shards are nothing wrong.
#[test]
fn a_part_may_be_empty() {
    let project = project("traces = [\"traces/*\"]\n");
    done(project.path(), &["plan", "sweep.toml"]);
    let said = done(project.path(), &["run", "5", "--of", "10"]);
    assert!(
        said.contains("part 5 of 10 is empty, since the sweep has only 2 shards"),
        "{said}"
    );
    assert!(!said.contains("0 shards"), "{said}");
}

/// One pilot says enough.
#[test]
fn submitting_again_computes_no_other_pilot() {
    let project = project(SWEEP);
    done(project.path(), &["plan", "sweep.toml"]);
    let count = || {
        fs::read_dir(project.path().join("sweep/shards"))
            .expect("shards")
            .count()
    };
    done(project.path(), &["submit"]);
    assert_eq!(count(), 1);
    let script = || fs::read_to_string(project.path().join("sweep/run.sbatch")).expect("a script");
    let first = script();
    let said = done(project.path(), &["submit"]);
    assert!(said.contains("as the pilot of an earlier submit"), "{said}");
    assert_eq!(count(), 1);
    assert_eq!(script(), first);
    // Of another sweep it says nothing.
    fs::write(
        project.path().join("sweep.toml"),
        SWEEP.replace("64..128", "65..129"),
    )
    .expect("written");
    fs::remove_dir_all(project.path().join("sweep/shards")).expect("removed");
    done(project.path(), &["plan", "sweep.toml"]);
    fs::write(project.path().join("sweep/pilot.json"), "{}").expect("written");
    let said = done(project.path(), &["submit"]);
    assert!(!said.contains("earlier submit"), "{said}");
    assert_eq!(count(), 1);
}

/// A note that names something else removes nothing, and tables that somebody else put there stay.
#[test]
fn merges_remove_their_own_tables_only() {
    let project = project("traces = [\"traces/*\"]\n");
    let at = |name: &str| project.path().join(name);
    for arguments in [&["plan", "sweep.toml"][..], &["run", "--all"], &["merge"]] {
        done(project.path(), arguments);
    }
    let note = fs::read_to_string(at("sweep/merged.txt")).expect("a note");
    fs::write(at("precious.parquet"), "mine").expect("a file");
    let absolute = at("precious.parquet").display().to_string();
    let hash = note.split_whitespace().next().expect("a hash");
    for name in [
        "../../precious.parquet",
        &absolute,
        "../manifest.jsonl",
        ".parquet",
        "a b",
    ] {
        for line in [name.to_string(), format!("{hash}  {name}")] {
            fs::write(at("sweep/merged.txt"), format!("{note}{line}\n")).expect("a file");
            let (status, said) = sweep(project.path(), &["merge"]);
            assert_eq!(status, 2, "{line}: {said}");
            assert!(said.contains("merged.txt, line 3"), "{line}: {said}");
        }
    }
    assert!(at("precious.parquet").exists() && at("sweep/manifest.jsonl").exists());
    // A plain name of a file that is another's.
    fs::write(at("sweep/data/mine.parquet"), "mine").expect("a file");
    fs::write(
        at("sweep/merged.txt"),
        format!("{note}{hash}  mine.parquet\n"),
    )
    .expect("a file");
    let said = done(project.path(), &["merge"]);
    assert!(
        said.contains("mine.parquet") && said.contains("it stays"),
        "{said}"
    );
    assert!(at("sweep/data/mine.parquet").exists());
    // Its own goes with its input.
    fs::write(at("sweep.toml"), "traces = [\"traces/list*\"]\n").expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["merge"]);
    assert!(!at("sweep/data/axpy.execlog.zst.parquet").exists());
    assert!(at("sweep/data/list.execlog.zst.parquet").exists());
}

/// Tables of two merges are no data set.
#[test]
fn a_stopped_merge_is_said_until_the_next_one() {
    let project = project("traces = [\"traces/*\"]\n");
    let at = |name: &str| project.path().join(name);
    for arguments in [&["plan", "sweep.toml"][..], &["run", "--all"], &["merge"]] {
        done(project.path(), arguments);
    }
    done(project.path(), &["report", "--html", "r.html"]);
    let note = fs::read_to_string(at("sweep/merged.txt")).expect("a note");
    let refused = |why: &str| {
        let (status, said) = sweep(project.path(), &["report", "--html", "r.html"]);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(why) && said.contains("sweep merge"), "{said}");
        done(project.path(), &["merge"]);
        done(project.path(), &["report", "--html", "r.html"]);
    };
    // A directory in the way of the last table stops a merge between two tables.
    let last = at("sweep/data/list.execlog.zst.parquet");
    fs::remove_file(&last).expect("removed");
    fs::create_dir(&last).expect("a directory");
    let (status, said) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 2, "{said}");
    fs::remove_dir(&last).expect("removed");
    refused("was stopped");
    fs::copy(at("sweep/data/axpy.execlog.zst.parquet"), &last).expect("copied");
    refused("is not what the last merge wrote");
    assert_eq!(
        fs::read_to_string(at("sweep/merged.txt")).expect("a note"),
        note
    );
}

/// Opening a pipe would wait for ever.
#[test]
fn pipes_are_no_results() {
    let project = project("traces = [\"traces/axpy*\"]\n");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    let shards = fs::read_dir(project.path().join("sweep/shards")).expect("results");
    let result = shards.flatten().next().expect("a result").path();
    fs::remove_file(&result).expect("removed");
    let made = Command::new("mkfifo")
        .arg(&result)
        .status()
        .expect("mkfifo");
    assert!(made.success());
    for arguments in [
        &["run", "--all"][..],
        &["merge"],
        &["report", "--html", "r.html"],
    ] {
        let (status, said) = sweep(project.path(), arguments);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains("not a regular file"), "{said}");
    }
}

/// Whoever reads what is said may go away.
#[test]
fn a_closed_standard_error_stops_nothing() {
    let project = project("traces = [\"traces/*\"]\n");
    done(project.path(), &["plan", "sweep.toml"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
    command
        .current_dir(project.path())
        .args(["sweep", "run", "--all"]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = command.stderr(writer).status().expect("it runs");
    assert_eq!(status.code(), Some(0));
    done(project.path(), &["merge"]);
}

/// What was undone needs no other plan.
#[test]
fn a_change_that_was_undone_needs_no_plan() {
    let project = project("sources = [\"kernels/sum.c\"]\n");
    let path = project.path().join("kernels/sum.c");
    done(project.path(), &["plan", "sweep.toml"]);
    fs::write(&path, SUM.replace("s += a[i]", "s -= a[i]")).expect("a file");
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("needs `loopsheet sweep plan` first: kernels/sum.c is not"),
        "{said}"
    );
    fs::write(&path, SUM).expect("a file");
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("--retry computes again") && !said.contains("needs `loopsheet"),
        "{said}"
    );
    done(project.path(), &["run", "--all", "--retry"]);
}

/// After a part failed what is left is not compared as if it were all.
#[test]
fn what_failed_is_missing_from_comparisons() {
    let sweep_toml =
        "traces = ['traces/*']\n[trace]\ncaches = ['1KiB', '64KiB']\n[shards]\ncaches = 1\n";
    let project = project(sweep_toml);
    done(project.path(), &["plan", "sweep.toml"]);
    // Of axpy the large caches fail, of list the small ones.
    let run = |shard: &str, trace: &str| {
        let path = project.path().join(trace);
        let content = fs::read(&path).expect("a trace");
        fs::write(&path, "changed").expect("written");
        let (status, said) = sweep(project.path(), &["run", shard]);
        assert_eq!(status, 1, "{said}");
        fs::write(&path, content).expect("written");
    };
    run("2", "traces/axpy.execlog.zst");
    run("3", "traces/list.execlog.zst");
    assert_eq!(sweep(project.path(), &["run", "--all"]).0, 1);
    assert_eq!(sweep(project.path(), &["merge"]).0, 1);
    let rows = rows(project.path());
    let errors = rows.iter().filter(|row| text(row, "kind") == "error");
    let missing: Vec<&str> = errors.map(|row| text(row, "not_computed")).collect();
    assert_eq!(missing.len(), 2);
    for (text, caches) in missing.iter().zip(["64KiB", "1KiB"]) {
        let start = format!("1 configuration: caches {caches},8way");
        assert!(text.starts_with(&start), "{text}");
    }
    let report = ["report", "--html", "r.html", "-o", "r.xlsx"];
    assert_eq!(sweep(project.path(), &report).0, 1);
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    for input in ["axpy", "list"] {
        let doubt = format!("{input}.execlog.zst: 1 of 2 configurations were not computed")
            .replace("zst:", "zst, α = 100:");
        assert!(page.contains(&doubt), "{doubt}: {page}");
    }
    assert_eq!(page.matches(" cycles *</td>").count(), 2, "{page}");
    assert!(
        page.contains("traces/axpy.execlog.zst, 1 configuration: caches 64KiB"),
        "{page}"
    );
    // No configuration is of both: one of them is not ranked.
    assert!(
        page.contains(
            "* Not ranked: traces/axpy.execlog.zst (that configuration was not computed)."
        ),
        "{page}"
    );
    let book = fs::read(project.path().join("r.xlsx")).expect("a workbook");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    let best = book.worksheet_range("Best").expect("the sheet");
    let marked = best.rows().filter(|row| {
        let mut cells = row.iter().filter_map(DataType::get_string);
        cells.any(|cell| cell.starts_with("* 1 of 2 configurations were not computed"))
    });
    assert_eq!(marked.count(), 2);
    let ranking = book.worksheet_range("Ranking").expect("the sheet");
    let ranked = ranking.rows().skip(4);
    assert_eq!(ranked.count(), 1);
}

/// Scripts of another engine would submit what is computed otherwise now.
#[test]
fn scripts_of_another_engine_go() {
    let project = project("traces = ['traces/*']\n");
    let has = |name: &str| project.path().join("sweep").join(name).exists();
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["submit"]);
    assert!(has("run.sbatch") && has("merge.sbatch"));
    done(project.path(), &["submit", "--engine", "local"]);
    assert!(has("submit.sh") && !has("run.sbatch") && !has("merge.sbatch"));
}

/// Scripts may be started from anywhere, and directories may have any name.
#[test]
fn scripts_find_their_sweep() {
    let project = project("traces = [\"traces/*\"]\n");
    let directory = "a{}b {#}/sw";
    done(project.path(), &["plan", "sweep.toml", "--dir", directory]);
    done(
        project.path(),
        &["submit", "--engine", "gnu-parallel", "--dir", directory],
    );
    let script = project.path().join(directory).join("submit.sh");
    let text = fs::read_to_string(&script).expect("a script");
    let line = text.lines().find(|line| line.contains("parallel"));
    let line = line.expect("the line");
    assert!(!line.contains("a{}b"), "{line}");
    done(
        project.path(),
        &["submit", "--engine", "local", "--dir", directory],
    );
    let mut command = Command::new("sh");
    command
        .arg("submit.sh")
        .current_dir(project.path().join(directory));
    command.env("LOOPSHEET", env!("CARGO_BIN_EXE_loopsheet"));
    let output = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(project.path().join(directory).join("data").exists());
}
