//! What cannot be computed, or would do nothing, is said by the plan.

use super::*;

/// Many values are no reason to take long: a quadratic step took minutes for these.
#[test]
fn many_latencies_are_planned_at_once() {
    let project = project("traces = [\"traces/axpy*\"]\n[trace]\nlatencies = \"1..100000\"\n");
    let begun = std::time::Instant::now();
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(
        said.contains("100,000 configurations") || said.contains("100000 configurations"),
        "{said}"
    );
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}

/// The same cycles are another time on another clock.
#[test]
fn different_clocks_are_named() {
    let project = project(SWEEP);
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(said.contains("50 cycles are 25.0 ns on sg2042"), "{said}");
    let text = SWEEP.replace(", \"sg2042\"", "");
    fs::write(project.path().join("sweep.toml"), text).expect("a file");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(!said.contains("own clock"), "{said}");
}

/// One that runs nothing is not named for another's sake.
#[test]
fn idle_sizes_are_named_each_for_itself() {
    let sweep_toml = "sources = [\"kernels/two.c\"]\n[set]\nn = [0, 64]\nm = [0, 2]\n";
    let project = project(sweep_toml);
    let code = "double a[1000];\nvoid f(int n, int m) { for (int i = 0; i < n; i++) a[i] += m; }\n";
    fs::write(project.path().join("kernels/two.c"), code).expect("a file");
    let (_, said) = sweep(project.path(), &["plan", "sweep.toml"]);
    assert!(!said.contains("set.m = 0"), "{said}");
}

#[test]
fn what_is_missing_is_said() {
    let project = project(SWEEP);
    let refused = |arguments: &[&str], why: &str| {
        let (status, said) = sweep(project.path(), arguments);
        assert_eq!(status, 2, "{arguments:?}: {said}");
        assert!(said.contains(why), "{arguments:?}: {said}");
    };
    refused(&["run", "--all"], "sweep plan");
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "2"]);
    refused(&["merge"], "have not been computed: 1, 3");
    assert!(!project.path().join("sweep/data").exists());
    refused(&["run", "0"], "counted from 1");
    refused(&["run", "1000"], "counted from 1");
    refused(&["run", "--from-slurm"], "SLURM_ARRAY_TASK_ID is not set");
    refused(&["run"], "required");
}

#[test]
fn bad_plans_are_refused_and_write_nothing() {
    for (text, why) in [
        ("traces = [\"traces/*.gz\"]\n", "no file matches"),
        (
            "traces = [\"traces/none.zst\"]\n",
            "there is no traces/none.zst",
        ),
        ("traces = [\"traces\"]\n", "is not a file"),
        (
            "sources = [\"kernels/*.c\"]\n[set]\nl2_bytes = \"1MiB\"\n\"machine.l2_bytes\" = \"2MiB\"\n",
            "is named twice",
        ),
        (
            "sources = [\"kernels/loop.f90\"]\n[set]\nnx = 64\nNX = 128\n",
            "is named twice",
        ),
        (
            "traces = [\"traces/*\"]\n[trace]\nwindows = [16, 20000]\n",
            "a window of 20000 instructions: from 1 to 16384",
        ),
        (
            "traces = [\"traces/*\"]\n[trace]\nwindows = 16\ncapacities = [16, 1024]\n",
            "a capacity of 16 bytes is less than one line",
        ),
        (
            "traces = [\"traces/*\"]\n[trace]\nwindows = 1.5\n",
            "1.5 is not possible",
        ),
        (
            "traces = [\"traces/*\"]\n[trace]\nlatencies = 1e300\n",
            "1e300 is not possible",
        ),
        (
            "sources = [\"kernels/*.c\"]\nmachines = [\"epic\"]\n",
            "epyc-7763",
        ),
        (
            "sources = [\"kernels/*.c\"]\n[set]\nn = \"8..4\"\n",
            "larger than the last",
        ),
        (
            "traces = [\"traces/*\"]\n[trace]\ncaches = [\"1KiB,3legs\"]\n",
            "not an option",
        ),
        ("traces = [\"traces/*\"]\ncaches = []\n", "unknown field"),
    ] {
        let project = project(text);
        let code = "subroutine s(nx, a)\ninteger :: nx, i\nreal :: a(nx)\ndo i = 1, nx\na(i) = 0\nend do\nend subroutine\n";
        fs::write(project.path().join("kernels/loop.f90"), code).expect("a file");
        let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
        assert_eq!(status, 2, "{text}: {said}");
        assert!(said.contains(why), "{text}: {said}");
        assert!(
            !project.path().join("sweep/manifest.jsonl").exists(),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_cache_or_area_is_refused_at_once() {
    for (caches, area, reason) in [
        ("\"8KiB..64KiB:x2 + 16KiB\"", "2", "is smaller than level 1"),
        ("\"1MiB + 32KiB\"", "2", "is smaller than level 1"),
        ("\"32KiB\"", "-3", "0 or more"),
        ("\"32KiB\"", "nan", "0 or more"),
        (
            "{ levels = \"32KiB\", area_mm2 = -1 }",
            "2",
            "is not an area",
        ),
    ] {
        let project = project(&format!(
            "traces = [\"traces/*.zst\"]\n[trace]\ncaches = [{caches}]\n[area]\nmm2_per_mib = {area}\n"
        ));
        let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
        assert_eq!(status, 2, "{caches} {area}: {said}");
        assert!(said.contains(reason), "{caches} {area}: {said}");
    }
}

/// A machine counts once under all its names; what of a source cannot be read is said.
#[test]
fn plans_say_what_they_leave_out() {
    let project =
        project("sources = [\"kernels\"]\nmachines = [\"epyc-7763\", \"grace\", \"epyc-7763\"]\n");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(
        said.contains("machine epyc-7763 is named twice, and counts once"),
        "{said}"
    );
    assert!(said.contains("2 configurations"), "{said}");
    let link = project.path().join("kernels/lost");
    std::os::unix::fs::symlink("nowhere", link).expect("a link");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(
        said.contains("cannot read a part of this directory"),
        "{said}"
    );
}

#[test]
fn a_file_counts_once_under_all_its_names() {
    let own = "traces = [\"./traces/*\", \"traces/list.execlog.zst\", \"./traces/axpy.execlog.zst\", \"link\"]\n";
    let project = project(own);
    let target = project.path().join("traces/list.execlog.zst");
    std::os::unix::fs::symlink(&target, project.path().join("link")).expect("a link");
    fs::hard_link(&target, project.path().join("traces/also.execlog.zst")).expect("a link");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(said.contains("2 configurations of 2 inputs"), "{said}");
    for (again, first) in [("link", "also"), ("traces/list.execlog.zst", "also")] {
        let same =
            format!("{again} is the same file as traces/{first}.execlog.zst, and counts once");
        assert!(said.contains(&same), "{said}");
    }
}

/// What no shard could compute is said before any is computed.
#[test]
fn bad_inputs_are_refused_by_the_plan() {
    for (text, why) in [
        (
            "sources = [\"empty.c\"]\n",
            "empty.c: nothing could be analysed",
        ),
        (
            "sources = [\"kernels/*.c\"]\n[set]\nnn = 4\n",
            "set.nn: there is no parameter of that name",
        ),
        (
            "sources = [\"kernels/sum.c\"]\n[set]\nl2_bytes = [4096, -5]\n",
            "set.l2_bytes=-5: ",
        ),
        (
            "sources = [\"traces/axpy.execlog.zst\"]\n",
            "is a trace; `traces` names those",
        ),
        ("traces = [\"nothing\"]\n", "the trace is empty"),
        (
            "traces = [\"kernels/matmul.c\"]\n",
            "is not a line of a trace",
        ),
        ("traces = [\"no/*.zst\"]\n", "there is no directory no"),
    ] {
        let project = project(text);
        fs::write(project.path().join("empty.c"), "int x;\n").expect("a file");
        fs::write(project.path().join("nothing"), "").expect("a file");
        let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
        assert_eq!(status, 2, "{text}: {said}");
        assert!(said.contains(why), "{text}: {said}");
        assert!(
            !said.contains("--format") && !said.contains("IO error"),
            "{said}"
        );
        assert!(!project.path().join("sweep").exists(), "{text}");
    }
}

/// Messages say what is wrong once, where it stands, and in the words of the file.
#[test]
fn wrong_values_are_said_where_they_stand() {
    for (axes, said, unsaid) in [
        (
            "latencies = ['abc']",
            "`trace.latencies`: `abc` is not a number",
            "bytes",
        ),
        (
            "latencies = '16KiB'",
            "is a size, and a number without a unit",
            "whole number",
        ),
        (
            "caches = []",
            "`trace.caches`: the list is empty",
            "expected",
        ),
        (
            "caches = ['-1KiB']",
            "`trace.caches`: `-1KiB` is not a number",
            "`-1KiB`:",
        ),
        ("caches = '1KiB..4KiB'", "by which step or factor", "sets"),
        (
            "slots = [1, true, 3]",
            " ^^^^\ninvalid type: boolean",
            "^^^^^",
        ),
    ] {
        let project = project(&format!("traces = 'traces/*.zst'\n[trace]\n{axes}\n"));
        let (status, text) = sweep(project.path(), &["plan", "sweep.toml"]);
        assert_eq!(status, 2, "{axes}: {text}");
        assert!(
            text.contains(said) && !text.contains(unsaid),
            "{axes}: {text}"
        );
    }
    let project = project("traces = 'traces/*.zst'\n");
    done(project.path(), &["plan", "sweep.toml"]);
    fs::write(project.path().join("sweep/data"), "").expect("a file");
    done(project.path(), &["run", "--all"]);
    let (status, said) = sweep(project.path(), &["merge"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("sweep/data is a file"), "{said}");
}

/// What a trace without addresses can have, it has; the rest is named before anything is computed.
#[test]
fn traces_without_addresses_have_what_needs_none() {
    let own = "traces = ['traces/*']\n[trace]\ncaches = ['none', '1KiB', '2KiB']\n";
    let project = project(own);
    let gdb = project.path().join("traces/factorial.gdb");
    fs::copy(root().join("samples/traces/factorial.gdb"), gdb).expect("a sample");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    let remark =
        "traces/factorial.gdb is a trace without addresses of accesses: 2 of its 3 configurations";
    assert!(
        said.contains(remark) && said.contains("7 configurations of 3 inputs"),
        "{said}"
    );
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let all = rows(project.path());
    let of_gdb: Vec<&Row> = (all.iter())
        .filter(|row| text(row, "input").ends_with(".gdb"))
        .collect();
    let [row] = of_gdb[..] else {
        panic!("{of_gdb:?}");
    };
    assert_eq!((text(row, "kind"), text(row, "caches")), ("trace", "none"));
    assert!(number(row, "instructions").expect("counted") > 0.0);
    assert_eq!(number(row, "time_seconds"), None);
    // Nor is it left out of the report in silence.
    done(
        project.path(),
        &["report", "--html", "r.html", "-o", "r.xlsx"],
    );
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    let unranked = "* Not ranked: traces/factorial.gdb (no time and no λ is known where accesses have no addresses).";
    assert!(page.contains(unranked), "{page}");
    let book = fs::read(project.path().join("r.xlsx")).expect("a workbook");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    let says = |book: &mut Xlsx<_>, sheet: &str, text: &str| {
        let range = book.worksheet_range(sheet).expect("the sheet");
        let mut cells = range.cells();
        cells.any(|(_, _, cell)| cell.get_string().is_some_and(|cell| cell.contains(text)))
    };
    assert!(says(&mut book, "Ranking", unranked));
    assert!(says(&mut book, "Best", "no time is known"));
    // None is left.
    fs::write(
        project.path().join("sweep.toml"),
        own.replace("'none', ", ""),
    )
    .expect("written");
    let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("traces/factorial.gdb without addresses"),
        "{said}"
    );
}

/// The same hierarchy, latency or machine under another name is one, or is named.
#[test]
fn what_is_the_same_counts_once_or_is_named() {
    let project = project(
        "traces = 'traces/axpy*'\nsources = 'kernels/sum.c'\nmachines = ['epyc-7763', 'own.toml']\n\
         [trace]\ncaches = ['32KiB', '32768,lru', '16KiB..32KiB:x2,8way']\nlatencies = [100, '1e2']\n",
    );
    fs::write(project.path().join("own.toml"), "base = \"epyc-7763\"\n").expect("a file");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    let remark =
        "machines epyc-7763 and own.toml have the same figures: their rows differ in the name only";
    assert!(said.contains(remark), "{said}");
    // Two machines, each with a model and two hierarchies.
    assert!(said.contains("(2 of sources, 4 of traces)"), "{said}");
}

/// Sizes with which no loop runs are named by the plan, counted in the rows, and are problems of their own.
#[test]
fn sizes_that_leave_nothing_to_run_are_named() {
    let project = project(
        "sources = 'kernels/sum.c'\nmachines = ['epyc-7763', 'sg2042']\n[set]\nn = [-5, 64]\n",
    );
    let said = done(project.path(), &["plan", "sweep.toml"]);
    let remark =
        "kernels/sum.c: with set.n = -5 the only nest runs no iteration, which takes no time";
    assert!(said.contains(remark), "{said}");
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    for row in rows(project.path()) {
        if text(&row, "kind") == "program" {
            let idle = if number(&row, "set_n") == Some(-5.0) {
                1.0
            } else {
                0.0
            };
            assert_eq!(number(&row, "idle_nests"), Some(idle), "{row:?}");
        }
    }
    done(project.path(), &["report", "--html", "r.html"]);
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    let lines = [
        "n = -5</td><td class=\"t\">takes no time on any machine: 0 s, 1 nest without iterations<",
        "n = 64</td><td class=\"t\">epyc-7763<",
    ];
    for line in lines {
        assert!(page.contains(line), "{line}: {page}");
    }
    // The same with the command that takes one size.
    let mut command = loopsheet();
    let output =
        command
            .current_dir(project.path())
            .args(["analyze", "kernels/sum.c", "--set", "n=-5"]);
    let output = output.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("with n = -5 the only nest runs no iteration"),
        "{said}"
    );
}

/// Lists that stand for tables would be taken by position.
#[test]
fn lists_in_the_place_of_tables_are_refused() {
    for (text, why) in [
        (
            "trace = ['32KiB']\n",
            "expected a table of axes, as in `[trace]`",
        ),
        (
            "trace = [['32KiB'], [100]]\n",
            "expected a table of axes, as in `[trace]`",
        ),
        ("area = [2]\n", "expected a table, as in `[area]`"),
        ("shards = [1, 2]\n", "expected a table, as in `[shards]`"),
        (
            "machines = []\n",
            "the list is empty: name something, or leave the line out",
        ),
    ] {
        let project = project(&format!("traces = 'traces/*.zst'\n{text}"));
        let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
        assert_eq!(status, 2, "{text}: {said}");
        assert!(
            said.contains(why) && said.contains("line 2"),
            "{text}: {said}"
        );
    }
}

/// A directory that fits a pattern is a program, as where it is named; one that cannot be an input is named.
#[test]
fn directories_that_fit_a_pattern_are_programs() {
    let project = project("sources = 'apps/*'\ntraces = 'traces/*'\n");
    let at = |name: &str| project.path().join(name);
    for (name, content) in [
        ("apps/one/a.c", SUM),
        ("apps/one/b.c", "void b(void);\n"),
        ("apps/two/deep/c.c", SUM),
        ("apps/docs/readme.md", "none\n"),
        ("apps/alone.c", SUM),
        ("traces/old/readme.md", "none\n"),
    ] {
        fs::create_dir_all(at(name).parent().expect("a parent")).expect("a directory");
        fs::write(at(name), content).expect("a file");
    }
    let said = done(project.path(), &["plan", "sweep.toml"]);
    for remark in [
        "`sources`: apps/docs is left out: no C or Fortran source is in it",
        "`traces`: traces/old is left out: it is a directory, and a trace is a file",
        "5 configurations of 5 inputs",
    ] {
        assert!(said.contains(remark), "{remark}: {said}");
    }
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let all = rows(project.path());
    let programs = all.iter().filter(|row| text(row, "kind") == "program");
    let programs: Vec<&str> = programs.map(|row| text(row, "input")).collect();
    assert_eq!(programs, ["apps/alone.c", "apps/one", "apps/two"]);
    // Behind `**` files are meant, at any depth.
    let of_files = "sources = 'apps/**'\n";
    fs::write(at("sweep.toml"), of_files).expect("a file");
    fs::remove_dir_all(at("apps/docs")).expect("a directory");
    fs::remove_file(at("apps/one/b.c")).expect("a file");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(said.contains("3 configurations of 3 inputs"), "{said}");
    // Nothing is left.
    fs::write(at("sweep.toml"), "traces = 'traces/o*'\n").expect("a file");
    let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("traces/old is left out"), "{said}");
}

/// As `analyze` does, a plan says that a name is that of a variable, too; so do the data set and the reports.
#[test]
fn settings_that_mean_the_machine_are_named() {
    let project = project("sources = 'kernels/*.c'\n[set]\ncores = [1, 2]\n");
    let source = SUM
        .replace("int n", "int cores")
        .replace("i < n", "i < cores");
    fs::write(project.path().join("kernels/sum.c"), source).expect("a file");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    let remark = "`set.cores` sets the parameter of the machine, but kernels/sum.c has a variable of that name, too: for the machine \
                  write `machine.cores`, for the source `cores_`";
    assert!(said.contains(remark), "{said}");
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    done(
        project.path(),
        &["report", "--html", "r.html", "-o", "r.xlsx"],
    );
    let meaning =
        "parameter of the machine cores, * not the variable of that name in kernels/sum.c";
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    assert!(page.contains(&format!("set_cores: {meaning}")), "{page}");
    for content in merged(project.path()).into_values() {
        let reader = SerializedFileReader::new(bytes::Bytes::from(content)).expect("Parquet");
        let pairs = reader.metadata().file_metadata().key_value_metadata();
        let mut pairs = pairs.expect("metadata").iter();
        assert!(
            pairs.any(|pair| pair.key == "set_cores" && pair.value.as_deref() == Some(meaning))
        );
    }
}

/// What fits a pattern and is no file does not vanish.
#[test]
fn links_to_nothing_and_pipes_are_named() {
    let project = project("sources = ['kernels/*.c']\ntraces = ['traces/**/*.zst']\n");
    let at = |name: &str| project.path().join(name);
    for name in ["kernels/gone.c", "traces/gone.zst"] {
        std::os::unix::fs::symlink("nowhere", at(name)).expect("a link");
    }
    let made = Command::new("mkfifo").arg(at("kernels/pipe.c")).status();
    assert!(made.expect("mkfifo").success());
    let said = done(project.path(), &["plan", "sweep.toml"]);
    for expected in [
        "`sources`: kernels/gone.c is left out: it is a link to something that is not there",
        "`sources`: kernels/pipe.c is left out: it is not a regular file",
        "`traces`: traces/gone.zst is left out: it is a link to something that is not there",
        "of 4 inputs",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    fs::write(at("sweep.toml"), "sources = ['kernels/g*.c']\n").expect("a file");
    let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("kernels/gone.c is left out"), "{said}");
}

/// Not even counted out: it would take minutes and all memory.
#[test]
fn too_many_hierarchies_are_refused_at_once() {
    let project = project(
        "traces = ['traces/*']\n[trace]\ncaches = '1KiB..10000KiB:1KiB + 20000KiB..30000KiB:1KiB'\n",
    );
    let begun = std::time::Instant::now();
    let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("more than 10000000 configurations"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// A text that is no trace is refused by the plan, and not by its shard.
#[test]
fn other_texts_are_no_traces() {
    let project = project("traces = ['traces/*']\n");
    let text = "import sys,struct\nassert f[:4]==b'ZSTF'\nn,=struct.unpack_from('<Q',f,end)\n";
    fs::write(project.path().join("traces/decode.py"), text).expect("a file");
    let (status, said) = sweep(project.path(), &["plan", "sweep.toml"]);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("traces/decode.py: line 1: unknown mnemonic `import`"),
        "{said}"
    );
}

/// A machine that has two names is one, and both are said.
#[test]
fn other_names_of_machine_files_are_named() {
    let project = project(
        "sources = ['kernels/sum.c']\nmachines = ['own.toml', 'link.toml', 'own.toml']\n[set]\nmachine.l2_bytes = '1MiB..2MiB:x2'\n",
    );
    let at = |name: &str| project.path().join(name);
    fs::write(at("own.toml"), "base = \"epyc-7763\"\n").expect("a file");
    std::os::unix::fs::symlink("own.toml", at("link.toml")).expect("a link");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    assert!(
        said.contains("machine link.toml is the same file as own.toml, and counts once"),
        "{said}"
    );
    assert!(
        said.contains("machine own.toml is named twice, and counts once"),
        "{said}"
    );
    // Names with dots need no quotes.
    assert!(said.contains("2 configurations"), "{said}");
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    let rows = rows(project.path());
    let sizes: BTreeSet<String> = rows
        .iter()
        .map(|row| format!("{:?}", number(row, "set_machine.l2_bytes")))
        .collect();
    assert_eq!(sizes.len(), 2, "{sizes:?}");
}
