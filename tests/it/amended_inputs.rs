//! What becomes of the values in a program's input: statements change them, procedures read them under other names.

use serde_json::Value;

use crate::small::iterations;
use crate::support::command;

/// The analysis of a program that reads sizes and changes them, beside the files that it opens.
fn analysed(statements: &str, files: &[(&str, &str)]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let source = format!(
        "
program p
  implicit none
  integer :: n = 10, m = 20, mode = 2, i
  real(8) :: x(100000)
  namelist /run/ n, m
  {statements}
  do i = 1, n
    x(i) = 1
  end do
  do i = 1, m
    x(i) = 2
  end do
  print *, x(3)
contains
  subroutine first(cells)
    integer, intent(out) :: cells
    open (10, file = 'one.dat')
    read (10, *) cells
    close (10)
  end subroutine
  subroutine second(rows)
    integer, intent(out) :: rows
    open (10, file = 'two.dat')
    read (10, *) rows
    close (10)
  end subroutine
end program"
    );
    std::fs::write(directory.path().join("a.f90"), source).expect("a file");
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).expect("a file");
    }
    command::analysed(directory.path(), &["--machine", "exasat"])
}

const NAMELIST: &str = "open (1, file = 'run.nml')\n read (1, nml = run)\n close (1)\n";

fn given(behind: &str, input: &str) -> (Vec<f64>, Value) {
    let json = analysed(&format!("{NAMELIST} {behind}"), &[("run.nml", input)]);
    let origin = json["parameters"]["n"]["origin"].clone();
    (iterations(&json, "p"), origin)
}

#[test]
fn what_a_branch_makes_of_a_number_counts() {
    let input = "&run n = 40, m = 700 /\n";
    let larger = |behind: &str| given(behind, input);
    assert_eq!(larger(""), (vec![40.0, 700.0], "input".into()));
    assert_eq!(larger("if (n > 5) n = 5000").0, [5000.0, 700.0]);
    assert_eq!(
        larger("if (n > 50) n = 5000"),
        (vec![40.0, 700.0], "input".into())
    );
    assert_eq!(larger("if (n > 5 .and. m > 500) n = n/4").0, [10.0, 700.0]);
    assert_eq!(larger("n = n + 1\n if (n == 41) n = 2*n").0, [82.0, 700.0]);
    assert_eq!(larger("if (n > 30) n = min(n, 30)").0[0], 30.0);
}

/// What every run does is done once; of two arms, and of procedures that change an argument, it is not known what comes out.
#[test]
fn numbers_are_changed_once() {
    let input = "&run n = 40, m = 700 /\n";
    let changed = |behind: &str| given(behind, input);
    assert_eq!(changed("n = n + 1").0, [41.0, 700.0]);
    assert_eq!(changed("n = 2*n\n n = n + 1").0, [81.0, 700.0]);
    let two = "if (n > 5) then\n n = 5\n else\n n = 3*n\n end if";
    assert_ne!(changed(two).0[0], 15.0);
    let (_, origin) = changed("if (n > m) then\n n = m\n else if (n > 5) then\n n = 5\n end if");
    assert_ne!(origin, "input");
}

/// Nothing says which of two numbers counts.
#[test]
fn what_a_branch_may_make_of_a_number_is_no_certain_one() {
    let open = "read *, mode\n if (mode < 1) n = 5000";
    let (_, origin) = given(open, "&run n = 40, m = 700 /\n");
    assert_ne!(origin, "input");
}

#[test]
fn lists_are_read_likewise() {
    let reads = "open (1, file = 'run.dat')\n read (1, *) n, m\n if (n > 50) n = 50";
    let read = |text: &str| iterations(&analysed(reads, &[("run.dat", text)]), "p");
    assert_eq!(read("40 7\n"), [40.0, 7.0]);
    assert_eq!(read("400 7\n"), [50.0, 7.0]);
}

/// Each procedure reads a file of its own, and has another name for what it reads.
#[test]
fn arguments_are_read_under_the_names_that_procedures_have_for_them() {
    let files = [("one.dat", "300\n"), ("two.dat", "700\n")];
    let json = analysed("call first(n)\n call second(m)", &files);
    assert_eq!(iterations(&json, "p"), [300.0, 700.0]);
    // Only one of the files is there.
    let json = analysed("call first(n)\n call second(m)", &files[..1]);
    assert_eq!(iterations(&json, "p")[0], 300.0);
}

/// The reasons why nothing is taken from files that the program opens.
fn reasons(json: &Value) -> Vec<String> {
    let files = json["files"].as_array().expect("files").iter();
    let all = files.flat_map(|file| file["diagnostics"].as_array().expect("diagnostics"));
    let unused = all.filter(|one| one["code"] == "input-not-taken");
    unused.map(|one| one["message"].to_string()).collect()
}

#[test]
fn files_that_give_nothing_are_named_with_the_reason() {
    let read = |reads: &str, text: &str| reasons(&analysed(reads, &[("run.dat", text)]));
    let open = "open (1, file = 'run.dat')\n";
    let formatted = read(&format!("{open} read (1, '(i4)') n"), "  40\n");
    assert!(formatted[0].contains("neither a namelist"), "{formatted:?}");
    let other = read(
        &format!("{open} read (1, '(i4)') n"),
        "points = 40\nlines = 3\n",
    );
    assert!(other[0].contains("lines, points"), "{other:?}");
    assert!(read(&format!("{open} read (1, *) n"), "40\n").is_empty());
    // What is only written is no input.
    assert!(read(&format!("{open} write (1, *) n"), "40\n").is_empty());
}
