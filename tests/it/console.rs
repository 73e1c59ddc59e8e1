//! What the terminal shows: the costliest nests, what was left out, repeated remarks once.

use std::path::Path;

use crate::support::command::{loopsheet, root};

/// Standard output and standard error of `analyze`.
fn analyse(directory: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = loopsheet();
    let output = command
        .current_dir(directory)
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .arg("analyze")
        .args(arguments)
        .output()
        .expect("it runs");
    assert!(output.status.code().is_some_and(|code| code < 2));
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

/// The rows of the table, without its head.
fn rows(table: &str) -> Vec<&str> {
    let lines = table.lines().skip_while(|line| !line.starts_with("nest "));
    lines
        .skip(1)
        .take_while(|line| !line.is_empty() && !line.starts_with('…'))
        .collect()
}

/// `loops` loops of a file that cost the same.
fn equal_loops(loops: usize) -> String {
    let each = |n: usize| {
        format!("void f{n}(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] += 1.0; }}\n")
    };
    (0..loops).map(each).collect()
}

#[test]
fn the_costliest_are_shown_and_what_is_left_out_is_said() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("k.c"), equal_loops(50)).expect("a file");
    let table =
        |arguments: &[&str]| analyse(directory.path(), &[&["k.c", "-q"], arguments].concat()).0;
    let default = table(&[]);
    assert_eq!(rows(&default).len(), 20);
    assert!(
        default.contains("… and 30 more nests with 60.0 % of the time in all"),
        "{default}"
    );
    assert_eq!(rows(&table(&["--top", "3"])).len(), 3);
    let all = table(&["--all"]);
    assert_eq!(rows(&all).len(), 50);
    assert!(!all.contains('…'));
    let total = |table: &str| {
        table
            .lines()
            .find(|line| line.starts_with("total"))
            .map(str::to_string)
    };
    assert_eq!(total(&default), total(&all));
}

/// A thousandth of the time is the least that has a row; the sums have it all the same.
#[test]
fn what_costs_next_to_nothing_has_no_row() {
    let (table, _) = analyse(root(), &["samples/kernels", "-q"]);
    let (all, _) = analyse(root(), &["samples/kernels", "-q", "--all"]);
    assert!(rows(&table).len() < rows(&all).len());
    assert_eq!(rows(&all)[..rows(&table).len()], rows(&table)[..]);
    assert!(table.contains("20 nests, "), "{table}");
}

#[test]
fn a_nest_with_an_unknown_figure_leaves_the_totals_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "\
void known(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1.0; }
void lost(int m, int s, double *a) { for (int i = 0; i < m; i += s) a[i] += 1.0; }
";
    std::fs::write(directory.path().join("k.c"), text).expect("a file");
    let (table, _) = analyse(directory.path(), &["k.c", "-q", "--set", "s=0,n=1000"]);
    assert!(table.contains("total: 1.00 kflop in 1 nest, "), "{table}");
    assert!(
        table.contains("not in the total, because a figure is unknown (division by zero?): lost@2"),
        "{table}"
    );
}

/// Each nest as often as it is called, those of unknown figures left out.
#[test]
fn a_nest_with_an_unknown_figure_leaves_the_totals_of_calls_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "\
static void known(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1.0; }
static void lost(int m, int s, double *a) { for (int i = 0; i < m; i += s) a[i] += 1.0; }
int main(int argc, char **argv) {
  double a[4000]; int n = 1000, s = atoi(argv[1]), k;
  for (k = 0; k < 3; k++) known(n, a);
  lost(n, s, a);
}
";
    std::fs::write(directory.path().join("k.c"), text).expect("a file");
    let followed = |step: &str| {
        let set = format!("n=1000,s={step}");
        let table = analyse(directory.path(), &["k.c", "-q", "--set", &set]).0;
        let line = table
            .lines()
            .find(|line| line.starts_with("over all calls: "));
        line.expect("a line").to_string()
    };
    assert!(
        followed("1").contains(": 4.00 kflop, "),
        "{}",
        followed("1")
    );
    assert!(
        followed("0").contains(": 3.00 kflop, "),
        "{}",
        followed("0")
    );
}

#[test]
fn no_figure_has_more_digits_than_it_deserves() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "void f(int n, int m, double *a) { for (int k = 0; k < m; k++) for (int i = 0; i < n; i++) a[i] = a[i] * 2.0; }\n";
    std::fs::write(directory.path().join("k.c"), text).expect("a file");
    let set = ["k.c", "-q", "--machine", "exasat", "--set"];
    let row = |sizes: &str| {
        let table = analyse(directory.path(), &[&set[..], &[sizes]].concat()).0;
        let row = rows(&table)[0].to_string();
        (row.split_whitespace().map(str::to_string)).collect::<Vec<String>>()
    };
    // Bytes of one sweep, operations of all of them.
    let often = row("n=1024,m=100000000000");
    assert_eq!(often[2..4], ["102400000000000", "102"]);
    assert_eq!((often[6].as_str(), often[7].as_str()), ("kB", "6.25e9"));
    assert_eq!((often[8].as_str(), often[9].as_str()), ("10.0", "s"));
    let longer = row("n=1024,m=100000000000000");
    assert_eq!(longer[2], "1.02e17");
    assert_eq!(
        (
            longer[longer.len() - 3].as_str(),
            longer[longer.len() - 2].as_str()
        ),
        ("2.78", "h")
    );
}

#[test]
fn a_remark_that_repeats_itself_has_one_line() {
    let directory = tempfile::tempdir().expect("a directory");
    for n in 0..9 {
        let text = format!("#include \"gone{}.h\"\n{}", n / 3, equal_loops(1));
        std::fs::write(directory.path().join(format!("k{n}.c")), text).expect("a file");
    }
    for n in 0..5 {
        std::fs::write(directory.path().join(format!("b{n}.c")), "int f( {{{ \n").expect("a file");
    }
    let (_, short) = analyse(directory.path(), &["."]);
    let (_, long) = analyse(directory.path(), &[".", "--verbose"]);
    let warnings = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("warning["))
            .count()
    };
    assert_eq!(warnings(&long), 9, "{long}");
    assert_eq!(warnings(&short), 3, "{short}");
    assert!(
        short.lines().any(|line| line.starts_with("warning[")
            && line.contains(", 3 times in 3 files: ")
            && line.contains("gone0.h")),
        "{short}"
    );
    let errors = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("error["))
            .count()
    };
    assert!(
        errors(&long) >= 5 && errors(&short) < errors(&long),
        "{short}"
    );
    assert!(short.contains("--verbose shows each of them"), "{short}");
}

#[test]
fn names_of_files_neither_move_the_cursor_nor_become_formulas() {
    let dir = tempfile::tempdir().expect("a directory");
    for name in ["=1+1.c", "a\u{1b}[31m\nb.c"] {
        let text = equal_loops(1);
        std::fs::write(dir.path().join(name), text).expect("written");
    }
    let (table, _) = analyse(dir.path(), &[".", "--all", "--tables", "tables"]);
    assert!(!table.contains('\u{1b}'), "{table}");
    assert_eq!(rows(&table).len(), 2, "{table}");
    assert!(table.contains("a\u{fffd}[31m\u{fffd}b.c:1"), "{table}");
    let loops = std::fs::read_to_string(dir.path().join("tables/loops.csv")).expect("written");
    assert!(loops.contains(",'=1+1.c,"), "{loops}");
    assert!(!loops.contains(",=1+1.c,"), "{loops}");
}
