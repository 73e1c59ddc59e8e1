//! Whatever figures rest on that the source does not say, or leave out, is in the marks of their rows.

use super::*;

const KERNEL: &str = "\
double a[1000], b[1000000];
void kernel(void) { for (int i = 0; i < 1000000; i++) b[i] = b[i] * 2 + 1; }
";

/// The rows of one source, with what `plan` says of it.
fn rows_of(name: &str, code: &str) -> (Vec<Row>, String, TempDir) {
    let project = project(&format!("sources = ['{name}']\n"));
    fs::write(project.path().join(name), code).expect("a file");
    let said = done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    done(
        project.path(),
        &["report", "--html", "r.html", "-o", "r.xlsx"],
    );
    (rows(project.path()), said, project)
}

fn program(rows: &[Row]) -> &Row {
    let mut all = rows.iter().filter(|row| text(row, "kind") == "program");
    all.next().expect("the program")
}

fn nest<'r>(rows: &'r [Row], function: &str) -> &'r Row {
    let mut nests = rows.iter().filter(|row| text(row, "kind") == "nest");
    let nest = nests.find(|row| text(row, "function") == function);
    nest.expect(function)
}

/// Whether the only time of the page, and the workbook's, has a star, with this among the reasons.
fn is_starred(project: &TempDir, why: &str) -> bool {
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    let book = fs::read(project.path().join("r.xlsx")).expect("a workbook");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(book)).expect("a workbook");
    let best = book.worksheet_range("Best").expect("the sheet");
    let mut cells = best.rows().flatten().filter_map(DataType::get_string);
    page.contains(" *</td>")
        && page.contains(why)
        && cells.any(|cell| cell.starts_with("* ") && cell.contains(why))
}

/// A branch of which nothing says how often it goes which way.
#[test]
fn assumed_probabilities_are_named() {
    let code = format!(
        "{KERNEL}int main(int c, char **v) {{\n\
         for (int i = 0; i < 1000; i++) a[i] = 1;\nif (a[7] > 3) kernel();\nreturn 0;\n}}\n"
    );
    let (rows, _, project) = rows_of("br.c", &code);
    assert_eq!(number(nest(&rows, "kernel"), "calls"), Some(0.5));
    let guess = "prob_main_5";
    for row in [program(&rows), nest(&rows, "kernel")] {
        assert_eq!(text(row, "guessed_sizes"), guess, "{row:?}");
    }
    assert_eq!(text(nest(&rows, "main"), "guessed_sizes"), "");
    assert!(is_starred(
        &project,
        &format!("depends on guesses: {guess}")
    ));
    // It is what `--set` takes.
    let set = format!("{guess}=1");
    let mut command = loopsheet();
    command.current_dir(project.path());
    let report = printed(command.args(["analyze", "br.c", "--json", "-", "-q", "--set", &set]));
    assert_eq!(report["functions"][0]["nests"][0]["calls"], 1);
    // Two branches, of which one has the nest.
    let read = "\
program p
  integer :: i, n
  real :: a(1000)
  read *, n
  if (n > 100) then
    do i = 1, 1000
      a(i) = a(i) + 1
    end do
  else
    do i = 1, 1000
      a(i) = a(i) * 2
    end do
  end if
  print *, a
end program
";
    let (rows, _, _) = rows_of("io.f90", read);
    let nests = rows.iter().filter(|row| text(row, "kind") == "nest");
    let guesses: Vec<&str> = nests.map(|row| text(row, "guessed_sizes")).collect();
    // The last one writes the array.
    assert_eq!(guesses, ["prob_p_5", "prob_p_5", ""]);
}

/// How often a function is called may rest on a guess, here and in the report of `analyze`.
#[test]
fn guesses_behind_calls_are_named() {
    let code = "\
program p
  integer :: k, n
  real :: a(100)
  read *, n
  do k = 1, n
    call work(a)
  end do
  print *, a
contains
  subroutine work(a)
    real :: a(100)
    integer :: i
    do i = 1, 100
      a(i) = a(i) + 1
    end do
  end subroutine
end program
";
    let (rows, _, project) = rows_of("h.f90", code);
    for row in [nest(&rows, "work"), program(&rows)] {
        assert_eq!(text(row, "guessed_sizes"), "n", "{row:?}");
    }
    let mut command = loopsheet();
    command.current_dir(project.path());
    let report = printed(command.args(["analyze", "h.f90", "--json", "-", "-q"]));
    let functions = report["functions"].as_array().expect("functions");
    let work = functions.iter().find(|function| function["name"] == "work");
    let guessed = &work.expect("the function")["nests"][0]["guessed"];
    assert_eq!(guessed, &serde_json::json!(["n"]));
}

/// What may be called from where nobody can follow is called nobody knows how often, not never.
#[test]
fn calls_that_cannot_be_followed_leave_numbers_unknown() {
    let begin = "int main(int c, char **v) {\nfor (int i = 0; i < 1000; i++) a[i] = 1;\n";
    for (what, code) in [
        (
            "by a procedure without a body",
            format!("{KERNEL}void go(void);\n{begin}go();\nreturn 0;\n}}\n"),
        ),
        (
            "through a table of which nothing is known",
            format!("{KERNEL}extern void (**tab)(void);\n{begin}tab[c & 1]();\nreturn 0;\n}}\n"),
        ),
    ] {
        let (rows, _, project) = rows_of("cb.c", &code);
        let kernel = nest(&rows, "kernel");
        for column in ["calls", "all_calls_seconds"] {
            assert_eq!(number(kernel, column), None, "{what}: {kernel:?}");
        }
        assert_eq!(text(kernel, "reasons"), "call", "{what}");
        let whole = program(&rows);
        assert_eq!(number(whole, "unknown_nests"), Some(1.0), "{what}");
        assert_eq!(text(whole, "reasons"), "call", "{what}");
        assert!(is_starred(&project, "not exact: call"), "{what}");
        let mut command = loopsheet();
        command.current_dir(project.path());
        let report = printed(command.args(["analyze", "cb.c", "--json", "-", "-q"]));
        let nest = &report["functions"][0]["nests"][0];
        assert!(nest["calls"].is_null() && nest["all_calls_seconds"].is_null());
        assert_eq!(nest["calls_reasons"], serde_json::json!(["call"]), "{what}");
    }
    // What is handed over, and what a table has, is taken to be called.
    for (what, code, reasons) in [
        (
            "handed over",
            format!("{KERNEL}void run(void (*f)(void));\n{begin}run(kernel);\nreturn 0;\n}}\n"),
            "ambiguous_call call",
        ),
        (
            "in a table",
            format!(
                "{KERNEL}void (*tab[2])(void) = {{kernel, kernel}};\n{begin}tab[c & 1]();\nreturn 0;\n}}\n"
            ),
            "ambiguous_call",
        ),
    ] {
        let (rows, _, project) = rows_of("cb.c", &code);
        let kernel = nest(&rows, "kernel");
        assert_eq!(number(kernel, "calls"), Some(1.0), "{what}");
        assert_eq!(text(kernel, "reasons"), reasons, "{what}");
        assert_eq!(text(program(&rows), "reasons"), reasons, "{what}");
        assert!(is_starred(&project, reasons), "{what}");
    }
    // What no call can lead to is not called.
    let code = format!("{KERNEL}{begin}return 0;\n}}\n");
    let (rows, _, project) = rows_of("dead.c", &code);
    assert_eq!(number(nest(&rows, "kernel"), "calls"), Some(0.0));
    assert_eq!(number(program(&rows), "unknown_nests"), Some(0.0));
    assert_eq!(text(program(&rows), "reasons"), "");
    assert!(!is_starred(&project, ""));
    // The library calls what it is given, and nothing else.
    let code = format!(
        "#include <stdlib.h>\n{KERNEL}\
         int other(const void *x, const void *y) {{ double s = 0; for (int i = 0; i < 9; i++) s += a[i]; return s > 0; }}\n\
         {begin}qsort(a, 1000, sizeof(double), other);\nreturn 0;\n}}\n"
    );
    let (rows, _, _) = rows_of("lib.c", &code);
    assert_eq!(number(nest(&rows, "other"), "calls"), Some(10_000.0));
    assert_eq!(
        text(nest(&rows, "other"), "reasons"),
        "ambiguous_call approximate_trip_count"
    );
    assert_eq!(number(nest(&rows, "kernel"), "calls"), Some(0.0));
}

/// What a function is called directly, and may be called otherwise, too, is not exact.
#[test]
fn a_function_that_is_handed_over_may_be_called_more_often() {
    let code = format!(
        "{KERNEL}void run(void (*f)(void));\nint main(void) {{\nkernel();\nrun(kernel);\nreturn 0;\n}}\n"
    );
    let (rows, _, _) = rows_of("cb.c", &code);
    let kernel = nest(&rows, "kernel");
    assert_eq!(number(kernel, "calls"), Some(2.0));
    assert_eq!(text(kernel, "reasons"), "ambiguous_call call");
}

/// What a procedure without a body takes is in no figure, also outside of loops and behind a body that stands in place of
/// its call.
#[test]
fn what_is_left_out_outside_of_loops_is_a_reason() {
    for call in ["solve(b, 1000000);", "through(b);"] {
        let code = format!(
            "double a[1000], b[1000000];\nvoid solve(double *b, int n);\n\
             void through(double *b) {{ solve(b, 7); }}\n\
             int main(void) {{\nfor (int i = 0; i < 1000; i++) a[i] = 1;\n{call}\nreturn 0;\n}}\n"
        );
        let (rows, _, project) = rows_of("lib.c", &code);
        let reasons = text(program(&rows), "reasons");
        assert!(reasons.split(' ').any(|code| code == "call"), "{reasons}");
        assert_eq!(text(nest(&rows, "main"), "reasons"), "");
        assert!(is_starred(&project, "not exact: call"), "{call}");
    }
}

/// Of no loop no time is known.
#[test]
fn a_program_without_loops_has_no_time() {
    let code = "void solve(void);\nint main(void) { solve(); return 0; }\n";
    let (rows, said, project) = rows_of("a.c", code);
    assert!(said.contains("a.c: no loop was found"), "{said}");
    let whole = program(&rows);
    for column in ["time_seconds", "flops", "traffic_bytes"] {
        assert_eq!(number(whole, column), None, "{whole:?}");
    }
    assert_eq!(text(whole, "reasons"), "call");
    let page = fs::read_to_string(project.path().join("r.html")).expect("a page");
    assert!(page.contains("no time is known"), "{page}");
}
