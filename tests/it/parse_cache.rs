//! What earlier runs made of sources: the same bytes with and without, whatever happens to the sources or to the cache.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::command::{loopsheet, printed};

const SIZES: &str = "\
module sizes
  implicit none
  integer, parameter :: n = 100
  real :: a(n)
  real, allocatable :: grid(:, :)
  type shape
    real :: side
  contains
    procedure :: area => area_of_shape
  end type
contains
  function area_of_shape(this) result(area)
    class(shape), intent(in) :: this
    real :: area
    area = this%side * this%side
  end function
end module
";

const SCALE: &str = "\
subroutine scale
  use sizes
  integer :: i
  do i = 1, n
    a(i) = a(i) * 2.0
  end do
end subroutine
";

const BEGIN: &str = "\
subroutine begin
  use sizes
  allocate (grid(8, 16))
end subroutine
";

const CLEAR: &str = "\
subroutine clear
  use sizes
  grid = 0.0
end subroutine
";

const SHAPES: &str = "\
subroutine shapes(m, s, r)
  use sizes
  integer :: m, i
  class(shape) :: s
  real :: r(m)
  do i = 1, m
    r(i) = s%area()
  end do
end subroutine
";

const KERNEL: &str = "\
#include \"kernel.h\"
void kernel(double *u) {
  for (int i = 0; i < N; i++) u[i] += 1.0;
}
";

/// Sources in a directory, and a cache beside them.
struct Tree {
    directory: TempDir,
}

impl Tree {
    fn new() -> Tree {
        let tree = Tree {
            directory: tempfile::tempdir().expect("a directory"),
        };
        for (name, text) in [
            ("sizes.f90", SIZES),
            ("scale.f90", SCALE),
            ("begin.f90", BEGIN),
            ("clear.f90", CLEAR),
            ("shapes.f90", SHAPES),
            ("kernel.c", KERNEL),
            ("kernel.h", "#define N 10\n"),
        ] {
            tree.write(name, text);
        }
        tree
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.directory.path().join("src").join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    fn cache(&self) -> PathBuf {
        self.directory.path().join("parses")
    }

    fn arguments(&self) -> Vec<String> {
        let cache = self.cache().display().to_string();
        let words = [
            "analyze",
            "src",
            "--json",
            "-",
            "--quiet",
            "--cache-dir",
            &cache,
        ];
        words.map(str::to_string).to_vec()
    }

    fn output(&self, arguments: &[String]) -> Vec<u8> {
        let mut command = loopsheet();
        let command = command.current_dir(self.directory.path());
        let output = command.args(arguments).output().expect("it runs");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code().is_some_and(|code| code < 2),
            "{complaint}"
        );
        output.stdout
    }

    /// What is printed with the cache, which has to be what is printed without.
    fn report(&self) -> Value {
        let mut without = self.arguments();
        without.truncate(5);
        without.push("--no-cache".to_string());
        let (cached, plain) = (self.output(&self.arguments()), self.output(&without));
        assert_eq!(
            String::from_utf8_lossy(&cached),
            String::from_utf8_lossy(&plain)
        );
        serde_json::from_slice(&cached).expect("JSON")
    }

    /// Entries with the times at which they were written.
    fn entries(&self) -> BTreeMap<PathBuf, SystemTime> {
        entries(&self.cache())
    }
}

fn entries(cache: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let mut found = BTreeMap::new();
    for directory in fs::read_dir(cache).expect("a cache").flatten() {
        for entry in fs::read_dir(directory.path())
            .into_iter()
            .flatten()
            .flatten()
        {
            let written = entry.metadata().and_then(|metadata| metadata.modified());
            found.insert(entry.path(), written.expect("a time"));
        }
    }
    found
}

/// Iterations of the first nest of a function.
fn iterations(report: &Value, function: &str) -> Value {
    let functions = report["functions"].as_array().expect("functions");
    let mut found = functions.iter().filter(|found| found["name"] == function);
    found.next().expect("the function")["nests"][0]["iterations"].clone()
}

#[test]
fn second_runs_print_the_same_and_write_nothing() {
    let tree = Tree::new();
    let first = tree.report();
    assert_eq!(iterations(&first, "scale"), json!(100));
    assert_eq!(iterations(&first, "clear"), json!(8 * 16));
    assert_eq!(iterations(&first, "kernel"), json!(10));
    let entries = tree.entries();
    // One for each source; the header is a part of what includes it, and a source of its own.
    assert_eq!(entries.len(), 7);
    assert_eq!(tree.report(), first);
    assert_eq!(tree.entries(), entries);
}

/// Each of these edits is one file of a kind; what is read again is that file and what depends on it.
#[test]
fn edits_are_seen_wherever_they_matter() {
    let tree = Tree::new();
    tree.report();
    let is_written = |edit: &dyn Fn()| {
        let before = tree.entries();
        edit();
        let report = tree.report();
        let after = tree.entries();
        let is_new = |(path, time): &(&PathBuf, &SystemTime)| before.get(*path) != Some(*time);
        (report, after.iter().filter(is_new).count())
    };
    // A subroutine, which nothing depends on.
    let edited = SCALE.replace("a(i) * 2.0", "a(i) * 2.0 + 1.0");
    let (_, written) = is_written(&|| tree.write("scale.f90", &edited));
    assert_eq!(written, 1);
    // An allocation in one file gives the extents in another.
    let edited = BEGIN.replace("16", "32");
    let (report, _) = is_written(&|| tree.write("begin.f90", &edited));
    assert_eq!(iterations(&report, "clear"), json!(8 * 32));
    // A header: what includes it. Of the header itself nothing is left after preprocessing, as before.
    let (report, written) = is_written(&|| tree.write("kernel.h", "#define N 20\n"));
    assert_eq!(iterations(&report, "kernel"), json!(20));
    assert_eq!(written, 1);
    // A module: what uses it.
    let edited = SIZES.replace("n = 100", "n = 300");
    let (report, _) = is_written(&|| tree.write("sizes.f90", &edited));
    assert_eq!(iterations(&report, "scale"), json!(300));
    // A new file, with a type that has another procedure: which one is called is open now.
    let square = "\
module squares
  use sizes
  type, extends(shape) :: square
  contains
    procedure :: area => area_of_square
  end type
contains
  function area_of_square(this) result(area)
    class(square), intent(in) :: this
    real :: area
    area = 1.0
  end function
end module
";
    let before = tree.report();
    let (after, _) = is_written(&|| tree.write("squares.f90", square));
    let reasons = |report: &Value| {
        let functions = report["functions"].as_array().expect("functions");
        let mut found = functions.iter().filter(|found| found["name"] == "shapes");
        found.next().expect("the function")["nests"][0]["reasons"].clone()
    };
    assert_eq!(
        (reasons(&before), reasons(&after)),
        (json!([]), json!(["call"]))
    );
    // And back again.
    fs::remove_file(tree.directory.path().join("src/squares.f90")).expect("a file");
    assert_eq!(tree.report(), before);
}

#[test]
fn damaged_entries_are_replaced() {
    let tree = Tree::new();
    let first = tree.report();
    let paths: Vec<PathBuf> = tree.entries().into_keys().collect();
    let whole: Vec<Vec<u8>> = paths
        .iter()
        .map(|path| fs::read(path).expect("an entry"))
        .collect();
    let damage: [&dyn Fn(usize) -> Vec<u8>; 5] = [
        &|_| Vec::new(),
        &|entry| whole[entry][..whole[entry].len() / 2].to_vec(),
        &|_| vec![0xff; 10_000],
        &|entry| [&whole[entry][..], b"more"].concat(),
        // Another one's.
        &|entry| whole[(entry + 1) % whole.len()].clone(),
    ];
    for damaged in damage {
        for (entry, path) in paths.iter().enumerate() {
            fs::write(path, damaged(entry)).expect("an entry");
        }
        assert_eq!(tree.report(), first);
        for (path, whole) in paths.iter().zip(&whole) {
            assert_eq!(&fs::read(path).expect("an entry"), whole, "as before");
        }
    }
}

#[test]
fn several_processes_share_a_cache() {
    let tree = Tree::new();
    let begin = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopsheet"));
        let command = command.current_dir(tree.directory.path());
        let command = command.args(tree.arguments()).stdout(Stdio::piped());
        command.spawn().expect("it runs")
    };
    let running: Vec<_> = (0..4).map(|_| begin()).collect();
    let outputs: Vec<Vec<u8>> = running
        .into_iter()
        .map(|process| process.wait_with_output().expect("it ends").stdout)
        .collect();
    let first = serde_json::to_vec(&tree.report()).expect("JSON");
    for output in outputs {
        let output: Value = serde_json::from_slice(&output).expect("JSON");
        assert_eq!(serde_json::to_vec(&output).expect("JSON"), first);
    }
    assert_eq!(tree.entries().len(), 7);
}

/// Revisions lie in a new directory in each run.
#[test]
fn revisions_are_found_again() {
    let tree = Tree::new();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(tree.directory.path()).args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
        ]);
        let output = command.args(arguments).output().expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "src"]);
    git(&["commit", "-qm", "first"]);
    tree.write(
        "scale.f90",
        &SCALE.replace("a(i) * 2.0", "a(i) * 2.0 + 1.0"),
    );
    git(&["commit", "-qam", "second"]);
    let difference = |arguments: &[&str]| {
        let mut command = loopsheet();
        let command = command.current_dir(tree.directory.path());
        let command = command.args(["diff", "HEAD~..HEAD", "--json", "-", "-q"]);
        printed(command.args(arguments))
    };
    let cache = tree.cache().display().to_string();
    let first = difference(&["--cache-dir", &cache]);
    let nests = first["nests"].as_array().expect("nests").iter();
    let has_rows = |nest: &&Value| nest["rows"].as_array().is_some_and(|rows| !rows.is_empty());
    assert_eq!(nests.filter(has_rows).count(), 1);
    // Seven sources, one of them in two versions; outlines and figures of both revisions.
    let entries = tree.entries();
    assert_eq!(entries.len(), 8 + 4);
    assert_eq!(difference(&["--cache-dir", &cache]), first);
    assert_eq!(tree.entries(), entries);
    assert_eq!(difference(&["--no-cache"]), first);
}

/// What `loopsheet diff` prints of `src` and `new`; with the cache the same as without.
fn difference(tree: &Tree, arguments: &[&str]) -> Value {
    let run = |caching: &[&str]| {
        let words = ["diff", "src", "new", "--json", "-", "-q"];
        let words = words.iter().chain(caching).chain(arguments);
        let words: Vec<String> = words.map(|word| (*word).to_string()).collect();
        String::from_utf8(tree.output(&words)).expect("text")
    };
    let cache = tree.cache().display().to_string();
    let cached = run(&["--cache-dir", &cache]);
    assert_eq!(cached, run(&["--no-cache"]), "{arguments:?}");
    serde_json::from_str(&cached).expect("JSON")
}

/// A tree with a second version of it in `new`, which prints another sum.
fn two_versions() -> Tree {
    let tree = Tree::new();
    for entry in fs::read_dir(tree.directory.path().join("src")).expect("a directory") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy();
        tree.write(&format!("../new/{name}"), &text);
    }
    let wider = SCALE.replace("a(i) * 2.0", "a(i) * 2.0 + 1.0");
    tree.write("../new/scale.f90", &wider);
    tree
}

#[test]
fn figures_of_both_versions_are_found_again() {
    let tree = two_versions();
    let first = difference(&tree, &[]);
    let flops = &first["nests"][0]["rows"][0];
    assert_eq!((&flops["old"], &flops["new"]), (&json!(100), &json!(200)));
    let all = tree.entries();
    // Without what was read of the sources: nothing of it is needed, and nothing is written.
    let reread = |path: &Path| {
        let bytes = fs::read(path).expect("an entry");
        fs::remove_file(path).expect("an entry");
        (difference(&tree, &[]), bytes)
    };
    let mut of_sources = 0;
    for path in all.keys() {
        let (found, bytes) = reread(path);
        assert_eq!(found, first);
        of_sources += usize::from(!path.exists());
        fs::write(path, bytes).expect("an entry");
    }
    // Seven sources each, under two names, and of each version an outline and figures.
    assert_eq!((all.len(), of_sources), (18, 14));
    // Damaged ones are made again.
    for damage in [&b""[..], b"loopsheet parse\n", &[7; 1000]] {
        for path in all.keys() {
            fs::write(path, damage).expect("an entry");
        }
        assert_eq!(difference(&tree, &[]), first);
    }
}

/// A source that includes another is another one when that one is.
#[test]
fn figures_of_included_lines_are_theirs() {
    let tree = two_versions();
    let part =
        |word: &str| format!("subroutine part(x)\n  real :: x(50)\n  {word}\nend subroutine\n");
    let body = |ends: u32| format!("  do i = 1, {ends}\n    x(i) = x(i) + 1.0\n  end do\n");
    for word in [
        "include 'body.inc'",
        "INCLUDE  \"body.inc\"",
        "#include <body.inc>",
    ] {
        for side in ["", "../new/"] {
            tree.write(&format!("{side}part.f90"), &part(word));
            tree.write(&format!("{side}body.inc"), &body(10));
        }
        let without = difference(&tree, &[]);
        for ends in [20, 30] {
            tree.write("../new/body.inc", &body(ends));
            let with = difference(&tree, &[]);
            let count = |found: &Value| {
                let nests = found["nests"].as_array().expect("nests").iter();
                nests
                    .filter(|nest| nest["rows"].as_array().is_some_and(|rows| !rows.is_empty()))
                    .count()
            };
            assert_eq!(count(&with), count(&without) + 1, "{word}, {ends}");
        }
    }
}

/// Whatever figures depend on beside the sources makes others of them.
#[test]
fn figures_of_other_options_are_others() {
    let tree = two_versions();
    let open = "\
subroutine start(n, x)
  integer :: n, i, m
  real :: x(n)
  open (10, file='run.in')
  read (10, *) m
  do i = 1, m
    x(i) = 1.0
  end do
end subroutine
";
    tree.write("open.f90", open);
    tree.write("../new/open.f90", &open.replace("1.0", "x(i) + 1.0"));
    let of_start = |difference: &Value| {
        let nests = difference["nests"].as_array().expect("nests");
        let is_it = |nest: &&Value| nest["new"]["function"] == "start";
        let nest = nests.iter().find(is_it).expect("a nest");
        nest["rows"][0]["new"].clone()
    };
    let first = difference(&tree, &[]);
    assert_eq!(of_start(&difference(&tree, &["--set", "m=7"])), json!(7));
    assert_eq!(of_start(&difference(&tree, &["--set", "m=9"])), json!(9));
    let other = difference(&tree, &["--machine", "a64fx"]);
    assert_ne!(other["totals"], first["totals"]);
    // What the program opens by name.
    for (input, expected) in [("m = 11\n", 11), ("m = 12\n", 12)] {
        tree.write("run.in", input);
        tree.write("../new/run.in", input);
        assert_eq!(
            of_start(&difference(&tree, &[])),
            json!(expected),
            "{input}"
        );
    }
    assert_eq!(
        of_start(&difference(&tree, &["--no-input"])),
        of_start(&first)
    );
    // A header, and what the program includes.
    tree.write("../new/kernel.h", "#define N 40\n");
    let kernel = difference(&tree, &["--no-input"]);
    let nests = kernel["nests"].as_array().expect("nests").iter();
    let mut kernels = nests.filter(|nest| nest["new"]["function"] == "kernel");
    let rows = &kernels.next().expect("a nest")["rows"];
    assert_eq!((&rows[0]["old"], &rows[0]["new"]), (&json!(10), &json!(40)));
}

#[test]
fn what_is_no_directory_is_refused() {
    let tree = Tree::new();
    fs::write(tree.cache(), "a file").expect("a file");
    let mut command = loopsheet();
    let command = command.current_dir(tree.directory.path());
    let output = command.args(tree.arguments()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.contains("--cache-dir"), "{complaint}");
    assert!(
        complaint.contains(" is a file") && !complaint.contains("os error"),
        "{complaint}"
    );
}

/// Whatever order tasks come in, at once, again, or after one was killed: everything is in the cache then, and the report
/// is that of one process.
#[test]
fn shards_together_are_one_analysis() {
    for (of, order) in [(1, vec![1]), (3, vec![2, 3, 1, 2]), (9, (1..=9).collect())] {
        let tree = Tree::new();
        let cache = tree.cache().display().to_string();
        let shard = |number: usize| {
            let mut command = loopsheet();
            let command = command.current_dir(tree.directory.path());
            let command = command.args(["analyze", "src", "--cache-dir", &cache, "--shards"]);
            let output = command
                .args([&of.to_string(), "--shard", &number.to_string()])
                .output();
            let output = output.expect("it runs");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b""[..]));
            said
        };
        let said: Vec<String> = order.iter().map(|number| shard(*number)).collect();
        // Seven sources; what comes a second time finds all of its share.
        let files = |said: &str| -> Vec<usize> {
            let words = said.split([' ', ':']);
            words.filter_map(|word| word.parse().ok()).collect()
        };
        let mut all = 0;
        for (position, (number, said)) in order.iter().zip(&said).enumerate() {
            let [named, shards, own, of_all, there] = files(said)[..] else {
                panic!("{said}");
            };
            assert_eq!((named, shards, of_all), (*number, of, 7), "{said}");
            let is_again = order[..position].contains(number);
            assert_eq!(there, if is_again { own } else { 0 }, "{said}");
            all += if is_again { 0 } else { own };
        }
        assert_eq!(all, 7);
        let entries = tree.entries();
        assert_eq!(entries.len(), 7);
        // Which is compared with a run without a cache.
        assert_eq!(iterations(&tree.report(), "clear"), json!(8 * 16));
        assert_eq!(tree.entries(), entries, "nothing was left to read");
    }
}

/// Tasks of a Slurm array have their number from there; without one there is nothing to do.
#[test]
fn a_shard_says_which_it_is() {
    let tree = Tree::new();
    let cache = tree.cache().display().to_string();
    let run = |arguments: &[&str], task: Option<&str>| {
        let mut command = loopsheet();
        let command = command.current_dir(tree.directory.path());
        match task {
            Some(task) => command.env("SLURM_ARRAY_TASK_ID", task),
            None => command.env_remove("SLURM_ARRAY_TASK_ID"),
        };
        let output = command.args(["analyze", "src"]).args(arguments).output();
        let output = output.expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().expect("a status"), said)
    };
    let cached = |more: &[&'static str]| [&["--cache-dir", &cache], more].concat();
    for (arguments, task, expected) in [
        (
            cached(&["--shards", "2"]),
            None,
            "SLURM_ARRAY_TASK_ID is not set",
        ),
        (cached(&["--shards", "2"]), Some("x"), "`x`"),
        (cached(&["--shards", "2"]), Some("0"), "counted from 1 to 2"),
        (
            cached(&["--shards", "2", "--shard", "3"]),
            None,
            "counted from 1 to 2",
        ),
        (cached(&["--shards", "0", "--shard", "1"]), None, "--shards"),
        (cached(&["--shard", "1"]), None, "--shards"),
        (vec!["--shards", "2", "--shard", "1"], None, "--cache-dir"),
        (
            cached(&["--shards", "2", "--shard", "1", "--json", "x.json"]),
            None,
            "--json",
        ),
    ] {
        let (status, said) = run(&arguments, task);
        assert_eq!(status, 2, "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    assert!(!tree.directory.path().join("x.json").exists());
    for task in ["1", "2"] {
        assert_eq!(run(&cached(&["--shards", "2"]), Some(task)).0, 0);
    }
    assert_eq!(tree.entries().len(), 7);
}

/// A shard whose cache cannot be written did nothing.
#[test]
fn a_shard_that_cannot_keep_what_it_read_fails() {
    let tree = Tree::new();
    let cache = tree.cache();
    fs::create_dir(&cache).expect("a directory");
    // Files where directories of entries would be.
    for first in 0..=255 {
        fs::write(cache.join(format!("{first:02x}")), "").expect("a file");
    }
    let mut command = loopsheet();
    let command = command.current_dir(tree.directory.path());
    let command = command.args([
        "analyze",
        "src",
        "--shards",
        "1",
        "--shard",
        "1",
        "--cache-dir",
    ]);
    let output = command.arg(&cache).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("--cache-dir") && said.contains(" is a file"),
        "{said}"
    );
    assert!(!said.contains("os error"), "{said}");
}
