//! What was computed is of what was planned: changed inputs are noticed.

use super::*;

#[test]
fn a_result_follows_all_that_was_read() {
    let project = project("sources = [\"own\"]\nmachines = [\"own.toml\"]\n");
    let write = |name: &str, text: &str| fs::write(project.path().join(name), text).expect(name);
    fs::create_dir(project.path().join("own")).expect("a directory");
    write("own/size.h", "#define N 100\n");
    write(
        "own/a.c",
        "#include \"size.h\"\nvoid f(double *a) { for (int i = 0; i < N; i++) a[i] = 0; }\n",
    );
    write("own.toml", "base = \"epyc-7763\"\n");
    let computed = |changed: &str| {
        done(project.path(), &["plan", "sweep.toml"]);
        let said = done(project.path(), &["run", "--all"]);
        assert!(said.contains(" 1 computed now"), "{changed}: {said}");
    };
    computed("nothing");
    write("own/size.h", "#define N 200\n");
    computed("an included file");
    write("own.toml", "base = \"sg2042\"\n");
    computed("the machine");
    write("loopsheet.toml", "[sizes]\nN = 300\n");
    computed("the project's settings");
    // A source that came after the plan.
    done(project.path(), &["plan", "sweep.toml"]);
    write(
        "own/b.c",
        "void g(double *a) { for (int i = 0; i < 9; i++) a[i] = 0; }\n",
    );
    fs::remove_dir_all(project.path().join("sweep/shards")).expect("removed");
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1);
    assert!(said.contains("b.c was not there"), "{said}");
}

/// What comes between plan and run and is read along spoils no result: its shard fails, and is good when it is gone again.
#[test]
fn a_file_that_comes_after_the_plan_is_noticed() {
    const CODE: &str = "\
#include \"k.h\"
#ifndef K
#define K 3
#endif
double a[100000];
void f(int n) { for (int i = 0; i < n * K; i++) a[i] += 1; }
";
    const READS: &str = "\
program p
  integer :: n, i
  real :: a(1000)
  open(10, file='size.in')
  read(10, *) n
  do i = 1, n
    a(i) = a(i) + 1
  end do
  print *, a
end program
";
    let project = project("sources = [\"src/f.c\", \"src/p.f90\", \"kernels/sum.c\"]\n");
    let at = |name: &str| project.path().join(name);
    fs::create_dir(at("src")).expect("a directory");
    fs::write(at("src/f.c"), CODE).expect("a file");
    fs::write(at("src/p.f90"), READS).expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all", "--jobs", "3"]);
    done(project.path(), &["merge"]);
    let whole = merged(project.path());
    for (name, text, spoiled) in [
        ("loopsheet.toml", "[sizes]\nn = 77\n", 3),
        ("src/loopsheet.toml", "[sizes]\nn = 77\n", 2),
        ("src/k.h", "#define K 5\n", 1),
        ("src/size.in", "500\n", 1),
        (
            "src/compile_commands.json",
            "[{\"directory\": \".\", \"file\": \"f.c\", \"command\": \"cc -DK=7 -c f.c\"}]",
            2,
        ),
    ] {
        // Where all is computed it is noticed, too: nothing is written, and a run says so.
        fs::write(at(name), text).expect(name);
        let noticed = format!("{name} is read now, and was not when the sweep was planned");
        for (arguments, expected) in [
            (&["run", "--all"][..], 1),
            (&["merge"], 2),
            (&["report", "--html", "r.html"], 2),
        ] {
            let (status, said) = sweep(project.path(), arguments);
            assert_eq!(status, expected, "{name}: {said}");
            assert!(said.contains(&noticed), "{name}: {said}");
        }
        fs::remove_dir_all(at("sweep/shards")).expect("removed");
        let (status, said) = sweep(project.path(), &["run", "--all", "--jobs", "3"]);
        assert_eq!(status, 1, "{name}: {said}");
        let read =
            format!("{name} is read now, and was not when the sweep was planned: plan again");
        assert!(said.contains(&read), "{name}: {said}");
        assert!(
            said.contains(&format!("{spoiled} of all failed")),
            "{name}: {said}"
        );
        fs::remove_file(at(name)).expect("removed");
        done(project.path(), &["run", "--all", "--retry", "--jobs", "3"]);
        done(project.path(), &["merge"]);
        assert_eq!(merged(project.path()), whole, "{name}");
    }
}

/// What was computed is of what was planned: an input that changed since is named, whatever its time says.
#[test]
fn an_input_that_changed_after_its_shard_is_noticed() {
    let project = project("traces = [\"traces/*\"]\n");
    let at = |name: &str| project.path().join(name);
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let whole = merged(project.path());
    let (axpy, list) = (at("traces/axpy.execlog.zst"), at("traces/list.execlog.zst"));
    // Touched, it holds the same.
    let touch = |path: &Path, when: std::time::SystemTime| {
        let file = fs::File::options()
            .append(true)
            .open(path)
            .expect("a trace");
        file.set_modified(when).expect("a time");
    };
    touch(&axpy, std::time::SystemTime::now());
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let before = fs::metadata(&axpy)
        .and_then(|file| file.modified())
        .expect("a time");
    fs::copy(&list, &axpy).expect("copied");
    touch(&axpy, before);
    let changed = "traces/axpy.execlog.zst is not what it was when the sweep was planned";
    let (status, said) = sweep(project.path(), &["run", "--all"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains(changed) && said.contains("plans again"),
        "{said}"
    );
    for arguments in [&["merge"][..], &["report", "--html", "r.html"]] {
        let (status, said) = sweep(project.path(), arguments);
        assert_eq!(status, 2, "{said}");
        assert!(
            said.contains(changed) && said.contains("plans again"),
            "{said}"
        );
    }
    assert_eq!(merged(project.path()), whole, "nothing was written");
    assert!(!at("r.html").exists());
    let said = done(project.path(), &["plan", "sweep.toml"]);
    let same = "traces/list.execlog.zst holds the same as traces/axpy.execlog.zst";
    assert!(said.contains(same), "{said}");
    let said = done(project.path(), &["run", "--all"]);
    assert!(said.contains(" 1 computed now, 1 there before"), "{said}");
    done(project.path(), &["merge"]);
    // What is gone cannot be computed again, but was computed.
    fs::remove_file(&axpy).expect("removed");
    let said = done(project.path(), &["merge"]);
    assert!(said.contains("is no longer there"), "{said}");
}

/// A link that leads elsewhere, and a source that came to a directory.
#[test]
fn inputs_may_change_without_a_file_that_changed() {
    let project = project("traces = [\"link\"]\nsources = [\"kernels\"]\n");
    let at = |name: &str| project.path().join(name);
    let link = |to: &str| {
        let _ = fs::remove_file(at("link"));
        std::os::unix::fs::symlink(at(to), at("link")).expect("a link");
    };
    link("traces/axpy.execlog.zst");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    link("traces/list.execlog.zst");
    let (status, said) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("link is not what it was"), "{said}");
    link("traces/axpy.execlog.zst");
    done(project.path(), &["merge"]);
    fs::write(at("kernels/new.c"), SUM.replace("sum(", "another(")).expect("a file");
    let (status, said) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("kernels/new.c was not there"), "{said}");
}

#[test]
fn a_sweep_that_moved_says_so() {
    let project = project("traces = [\"traces/*\"]\n");
    done(project.path(), &["plan", "sweep.toml"]);
    fs::create_dir(project.path().join("deep")).expect("a directory");
    let at = |name: &str| project.path().join(name);
    fs::rename(at("sweep"), at("deep/sweep")).expect("moved");
    let (status, said) = sweep(project.path(), &["run", "--all", "--dir", "deep/sweep"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("no longer there") && said.contains("plan again"),
        "{said}"
    );
}

/// The content decides, wherever it is now: what moved and is found by a link is what was planned.
#[test]
fn inputs_that_moved_behind_links_are_the_same() {
    let project = project("traces = [\"traces/axpy*\", \"link\"]\nsources = [\"kernels/sum.c\"]\n");
    let at = |name: &str| project.path().join(name);
    let link = |to: &str, name: &str| {
        let _ = fs::remove_file(at(name));
        std::os::unix::fs::symlink(at(to), at(name)).expect("a link");
    };
    link("traces/list.execlog.zst", "link");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let whole = merged(project.path());
    fs::create_dir(at("store")).expect("a directory");
    for name in ["traces/axpy.execlog.zst", "kernels/sum.c"] {
        let moved = at("store").join(Path::new(name).file_name().expect("a name"));
        fs::rename(at(name), &moved).expect("moved");
        link(moved.to_str().expect("UTF-8"), name);
    }
    // The target of the link has another name now.
    fs::rename(at("traces/list.execlog.zst"), at("store/other.zst")).expect("moved");
    link("store/other.zst", "link");
    done(project.path(), &["run", "--all"]);
    fs::remove_dir_all(at("sweep/shards")).expect("removed");
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    assert_eq!(merged(project.path()), whole);
}

/// What `sweep.toml` would plan otherwise now is a remark: what was planned stays good.
#[test]
fn a_plan_that_is_behind_is_said() {
    let project = project("sources = ['kernels/s*.c']\n");
    let at = |name: &str| project.path().join(name);
    done(project.path(), &["plan", "sweep.toml"]);
    let commands = [
        &["run", "--all"][..],
        &["merge"],
        &["report", "--html", "r.html"],
    ];
    let said = |what: Option<&str>| {
        for arguments in commands {
            let said = done(project.path(), arguments);
            match what {
                Some(what) => assert!(said.contains(what), "{arguments:?}: {said}"),
                None => assert!(!said.contains("planned"), "{arguments:?}: {said}"),
            }
        }
    };
    said(None);
    fs::write(at("kernels/second.c"), SUM.replace("sum(", "second(")).expect("a file");
    said(Some(
        "kernels/second.c fits what sweep.toml names, and was not there when the sweep was planned",
    ));
    let quiet = done(project.path(), &["run", "--all", "--quiet"]);
    assert_eq!(quiet, "");
    fs::remove_file(at("kernels/second.c")).expect("removed");
    let text = fs::read_to_string(at("sweep.toml")).expect("a file");
    fs::write(at("sweep.toml"), format!("{text}machines = 'sg2042'\n")).expect("a file");
    said(Some(
        "sweep.toml is not what it was when the sweep was planned",
    ));
    fs::remove_file(at("sweep.toml")).expect("removed");
    said(Some("sweep.toml cannot be read"));
    fs::write(at("sweep.toml"), text).expect("a file");
    said(None);
}

/// A source without a file that it read would be another one.
#[test]
fn a_file_that_a_source_has_no_more_is_a_change() {
    let project = project("sources = ['kernels']\n");
    let at = |name: &str| project.path().join(name);
    fs::write(at("loopsheet.toml"), "[sizes]\nn = 77\n").expect("a file");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let whole = merged(project.path());
    for name in ["kernels/sum.c", "loopsheet.toml"] {
        let text = fs::read_to_string(at(name)).expect(name);
        fs::remove_file(at(name)).expect("removed");
        for (arguments, expected) in [
            (&["run", "--all"][..], 1),
            (&["merge"], 2),
            (&["report", "--html", "r.html"], 2),
        ] {
            let (status, said) = sweep(project.path(), arguments);
            assert_eq!(status, expected, "{name}: {said}");
            let gone = format!("{name} is no longer there");
            assert!(said.contains(&gone), "{name}: {said}");
        }
        fs::write(at(name), text).expect(name);
        done(project.path(), &["run", "--all"]);
    }
    assert_eq!(merged(project.path()), whole);
    // Without the input itself nothing can be computed again, but was computed.
    fs::remove_dir_all(at("kernels")).expect("removed");
    done(project.path(), &["merge"]);
    assert_eq!(merged(project.path()), whole);
}

/// An input that cannot be read any more keeps nothing else from being computed, and the status says so.
#[test]
fn an_input_that_cannot_be_read_is_said() {
    let project = project("sources = ['kernels/*.c']\ntraces = ['traces/*']\n");
    let at = |name: &str| project.path().join(name);
    done(project.path(), &["plan", "sweep.toml"]);
    // Whoever runs the tests may be allowed to read everything.
    let spoil = |name: &str| {
        fs::rename(at(name), at("kept")).expect("moved");
        fs::create_dir(at(name)).expect("a directory");
    };
    let mend = |name: &str| {
        fs::remove_dir(at(name)).expect("removed");
        fs::rename(at("kept"), at(name)).expect("moved");
    };
    for name in ["kernels/sum.c", "traces/list.execlog.zst"] {
        let _ = fs::remove_dir_all(at("sweep/shards"));
        spoil(name);
        let unread = format!("{name} cannot be read now, and could be read when");
        for arguments in [&["run", "--all"][..], &["run", "--all", "--retry"]] {
            let (status, said) = sweep(project.path(), arguments);
            assert_eq!(status, 1, "{said}");
            assert!(said.contains(&unread), "{said}");
            assert!(said.contains("once it can be read"), "{said}");
        }
        mend(name);
        done(project.path(), &["run", "--all", "--retry"]);
        // The same where it was computed before.
        spoil(name);
        for (arguments, expected) in [
            (&["run", "--all"][..], 1),
            (&["merge"], 2),
            (&["report", "--html", "r.html"], 2),
        ] {
            let (status, said) = sweep(project.path(), arguments);
            assert_eq!(status, expected, "{said}");
            assert!(said.contains(&unread), "{said}");
            assert!(said.contains("readable again"), "{said}");
        }
        mend(name);
    }
    done(project.path(), &["merge"]);
}

/// A report does not need the merged tables, and says which are gone.
#[test]
fn a_table_that_is_gone_is_said() {
    let project = project("sources = ['kernels/sum.c']\n");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let table = fs::read_dir(project.path().join("sweep/data")).expect("tables");
    let table = table.map(|entry| entry.expect("a table").path()).next();
    fs::remove_file(table.expect("a table")).expect("removed");
    let said = done(project.path(), &["report", "--html", "r.html"]);
    assert!(
        said.contains("of the last merge is no longer there"),
        "{said}"
    );
    done(project.path(), &["merge"]);
    let said = done(project.path(), &["report", "--html", "r.html"]);
    assert!(!said.contains("no longer there"), "{said}");
}
