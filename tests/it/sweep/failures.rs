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
    assert!(said.contains("all shards that were missing fail"), "{said}");
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
        said.contains("have been computed, so that there is nothing to submit"),
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
