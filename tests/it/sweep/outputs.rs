//! Reports take the place of nothing that the sweep needs, and files that may not grow leave nothing half-written.

use super::*;

/// Sources, traces, machines and the files of the sweep itself stay as they are.
#[test]
fn a_report_replaces_no_file_of_the_sweep() {
    let project = project(
        "sources = ['kernels/sum.c', 'own']\ntraces = 'traces/axpy*'\nmachines = 'own.toml'\n",
    );
    let at = |name: &str| project.path().join(name);
    fs::create_dir(at("own")).expect("a directory");
    fs::write(at("own/a.h"), "#define N 9\n").expect("a file");
    fs::write(at("own/a.c"), format!("#include \"a.h\"\n{SUM}")).expect("a file");
    fs::write(at("own.toml"), "base = \"epyc-7763\"\n").expect("a file");
    for arguments in [&["plan", "sweep.toml"][..], &["run", "--all"], &["merge"]] {
        done(project.path(), arguments);
    }
    let content = |name: &str| fs::read(at(name)).expect(name);
    for name in [
        "kernels/sum.c",
        "own/a.c",
        "own/a.h",
        "traces/axpy.execlog.zst",
        "own.toml",
        "sweep.toml",
        "sweep/manifest.jsonl",
        "sweep/merged.txt",
        "sweep/contents.jsonl",
        "sweep/data/sum.c.parquet",
    ] {
        let before = content(name);
        // The name is that of a page, and what is behind it is not.
        std::os::unix::fs::symlink(at(name), at("link.html")).expect("a link");
        for (output, why) in [
            (name, "must be .html or .htm"),
            ("link.html", "cannot write"),
        ] {
            let (status, said) = sweep(project.path(), &["report", "--html", output]);
            assert_eq!(status, 2, "{name}: {said}");
            assert!(said.contains(why), "{name}: {said}");
            assert_eq!(content(name), before, "{name}");
        }
        fs::remove_file(at("link.html")).expect("a link");
    }
    // What is not there yet would be read by later commands.
    for name in ["own/loopsheet.toml", "loopsheet.toml", "sweep/pilot.json"] {
        let (status, said) = sweep(project.path(), &["report", "--html", name]);
        assert_eq!(status, 2, "{name}: {said}");
        assert!(!at(name).exists(), "{name}");
    }
    let (status, said) = sweep(project.path(), &["report", "-o", "sweep/data/new.xlsx"]);
    assert_eq!(status, 2, "{said}");
    assert!(!at("sweep/data/new.xlsx").exists());
    done(project.path(), &["report", "--html", "sweep/r.html"]);
    done(project.path(), &["report", "--html", "sweep/r.html"]);
}

/// Nor do plans and merges take the place of what they did not write.
#[test]
fn plans_and_merges_replace_no_file_of_others() {
    let project = project("sources = 'kernels/sum.c'\n");
    let at = |name: &str| project.path().join(name);
    let stays = |name: &str, content: &str, arguments: &[&str]| {
        fs::create_dir_all(at(name).parent().expect("a parent")).expect("a directory");
        fs::write(at(name), content).expect("a file");
        let (status, said) = sweep(project.path(), arguments);
        assert_eq!(status, 2, "{name}: {said}");
        assert!(said.contains("it would be lost"), "{name}: {said}");
        assert_eq!(fs::read_to_string(at(name)).expect(name), content);
        fs::remove_file(at(name)).expect("a file");
    };
    for (name, content) in [
        ("sweep/manifest.jsonl", "sources = 'a.c'\n"),
        ("sweep/manifest.jsonl", "{\"schema\": \"another\"}\n"),
        ("sweep/contents.jsonl", "precious\n"),
    ] {
        stays(name, content, &["plan", "sweep.toml"]);
    }
    for arguments in [
        &["plan", "sweep.toml"][..],
        &["plan", "sweep.toml"],
        &["run", "--all"],
    ] {
        done(project.path(), arguments);
    }
    stays("sweep/data/sum.c.parquet", "precious\n", &["merge"]);
    for name in ["run.sbatch", "merge.sbatch", "submit.sh", "pilot.json"] {
        for engine in ["slurm", "local"] {
            let name = format!("sweep/{name}");
            stays(&name, "precious\n", &["submit", "--engine", engine]);
        }
    }
    done(project.path(), &["merge"]);
    done(project.path(), &["merge"]);
}

/// Where files may not grow (`ulimit -f`) a command says so.
#[test]
#[cfg(target_os = "linux")]
fn a_limit_on_files_is_an_error() {
    let project = project("traces = 'traces/axpy*'\n[trace]\nlatencies = '1..1000'\n");
    done(project.path(), &["plan", "sweep.toml"]);
    let limited = |arguments: &str| {
        let program = env!("CARGO_BIN_EXE_loopsheet");
        let script = format!("ulimit -f 8; exec '{program}' {arguments}");
        let mut command = Command::new("bash");
        let command = command.current_dir(project.path()).args(["-c", &script]);
        let output = command.output().expect("bash");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains("cannot write"), "{arguments}: {said}");
    };
    limited("sweep run --all --jobs 1");
    limited("analyze kernels/matmul.c --html r.html");
    limited("analyze kernels/matmul.c -o r.xlsx");
    for directory in [".", "sweep", "sweep/shards"] {
        let entries = fs::read_dir(project.path().join(directory)).expect("entries");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let left: Vec<_> = names
            .filter(|name| name.to_string_lossy().starts_with(".loopsheet"))
            .collect();
        assert!(left.is_empty(), "{directory}: {left:?}");
    }
    for name in ["r.html", "r.xlsx"] {
        assert!(!project.path().join(name).exists(), "{name}");
    }
    done(project.path(), &["run", "--all"]);
}

/// A name that no text can have is refused by name.
#[test]
#[cfg(target_os = "linux")]
fn names_that_are_not_text_are_named() {
    use std::os::unix::ffi::OsStrExt;

    let project = project("traces = 'traces/*'\n");
    let name = std::ffi::OsStr::from_bytes(b"traces/b\xff.zst");
    let from = project.path().join("traces/axpy.execlog.zst");
    fs::copy(from, project.path().join(name)).expect("copied");
    let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("is not UTF-8: rename it"), "{said}");
    let project = self::project("traces = 'traces/*'\nmachines = 'own/*.toml'\n");
    let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("`machines` takes no patterns"), "{said}");
}
