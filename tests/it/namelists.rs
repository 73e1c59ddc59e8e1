//! What a namelist gives: elements of arrays and components of structures are as if the source assigned them.

use serde_json::Value;

use crate::small::iterations;
use crate::support::command;

/// The analysis of a source with an input file for it, and the remark on the input.
fn analysed(source: &str, input: &str) -> (Value, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let (program, given) = ("a.f90", directory.path().join("run.nml"));
    let sources = directory.path().join("src");
    std::fs::create_dir(&sources).expect("a directory");
    std::fs::write(sources.join(program), source).expect("a file");
    std::fs::write(&given, input).expect("a file");
    let given = given.to_str().expect("a path");
    let json = command::analysed(&sources, &["--machine", "exasat", "--input", given]);
    let files = json["files"].as_array().expect("files").iter();
    let diagnostics = files.flat_map(|file| file["diagnostics"].as_array().expect("diagnostics"));
    let mut remarks = diagnostics.filter(|one| one["code"] == "run-input");
    let remark = remarks.next().map(|one| one["message"].to_string());
    (json, remark.unwrap_or_default())
}

const SIZES: &str = "
module sizes
  type part
    integer :: count = 3, steps(2)
  end type
  type settings
    integer :: n = 4
    logical :: wide = .false.
    type(part) :: inner
  end type
  integer :: lp(4), three(0:2), table(2, 2), plain
  type(settings) :: cfg
  type(part) :: parts(3)
  namelist /g/ lp, three, table, plain, cfg, parts
end module
subroutine passed(n)
  integer :: n, i
  real(8) :: x(9999)
  do i = 1, n
    x(i) = 1
  end do
end subroutine
program p
  use sizes
  integer :: i, l
  real(8) :: x(9999)
";

/// How often the nests of a program run that has the group of sizes, by a `read` and the input, and by assignments.
fn check(uses: &str, input: &str, assigned: &str) {
    let bounds: Vec<&str> = uses.split(';').map(str::trim).collect();
    let nests: String = (bounds.iter())
        .map(|bound| format!("  do i = 1, {bound}\n    x(i) = 1\n  end do\n"))
        .collect();
    let program = |gives: &str| {
        format!(
            "{SIZES}  {gives}\n  call passed({})\n{nests}end program",
            bounds[0]
        )
    };
    let (read, _) = analysed(&program("read (*, nml = g)"), &format!("&g {input} /"));
    let (written, _) = analysed(&program(assigned), "&other nothing = 1 /");
    for function in ["p", "passed"] {
        assert_eq!(
            iterations(&read, function),
            iterations(&written, function),
            "{input} in {function}"
        );
    }
    let guessed = vec![128.0; bounds.len()];
    assert_ne!(iterations(&read, "p"), guessed, "{input}");
}

#[test]
fn elements_of_arrays() {
    let both = "lp(1); lp(2)";
    let assigned = "lp(1) = 600; lp(2) = 1600";
    for input in [
        "lp = 600, 1600",
        "lp = 600 1600",
        "lp(1) = 600, lp(2) = 1600",
        "LP( 1 ) = 600\n lp(2:4) = 1600, 3, 4\n",
        "lp = 600,\n 1600,\n plain = 7",
        "lp = 1, 2 lp(1) = 600 lp(2:2) = 1600",
        "lp(:) = 600, 1600, 2*9",
        "lp(1:2) = 2*600, lp(2) = 1600",
    ] {
        check(both, input, assigned);
    }
    check("lp(2); lp(4)", "lp = 3*70 900", "lp(2) = 70; lp(4) = 900");
    check("lp(1); lp(3)", "lp = 70,,900", "lp(1) = 70; lp(3) = 900");
    check("lp(1); lp(4)", "lp = 70 2* 900", "lp(1) = 70; lp(4) = 900");
}

/// Fortran 2018, 13.11.3.3: values go to the elements in the order in which they lie in memory.
#[test]
fn elements_are_counted_from_where_arrays_begin() {
    check("three(0)", "three = 40, 50, 60", "three(0) = 40");
    check("three(2)", "three = 40, 50, 60", "three(2) = 60");
    check("three(2)", "three(1:2) = 50, 60", "three(2) = 60");
    check("table(2, 1)", "table = 40, 50, 60, 70", "table(2, 1) = 50");
    check("table(1, 2)", "table = 40, 50, 60, 70", "table(1, 2) = 60");
    check(
        "table(2, 2)",
        "table(2, 1) = 50, 60, 70",
        "table(2, 2) = 70",
    );
}

#[test]
fn components_of_structures() {
    check("cfg%n", "cfg%n = 70", "cfg%n = 70");
    check(
        "cfg%inner%count",
        "plain = 9 cfg%inner%count = 70",
        "cfg%inner%count = 70",
    );
    check(
        "cfg%inner%steps(2)",
        "cfg%inner%steps = 60, 70",
        "cfg%inner%steps(2) = 70",
    );
    check(
        "parts(2)%count",
        "parts(2)%count = 70",
        "parts(2)%count = 70",
    );
}

/// A variable of the group that has the name of a component is not the component.
#[test]
fn a_variable_is_not_a_component_of_its_name() {
    let source = SIZES.replace(":: n = 4", ":: plain = 40")
        + "
  read (*, nml = g)
  do i = 1, cfg%plain
    x(i) = 1
  end do
  do i = 1, plain
    x(i) = 1
  end do
end program";
    let (json, _) = analysed(&source, "&g plain = 600 /");
    assert_eq!(iterations(&json, "p"), [40.0, 600.0]);
}

/// Two structures of one type are not told apart: what differs between them is not taken.
#[test]
fn structures_of_one_type_that_differ_are_left_alone() {
    let source = "
program p
  type part
    integer :: n
  end type
  type(part) :: a, b
  integer :: i
  real(8) :: x(9999)
  namelist /g/ a, b
  read (*, nml = g)
  do i = 1, a%n
    x(i) = 1
  end do
end program";
    let (json, remark) = analysed(source, "&g a%n = 600 b%n = 700 /");
    assert_eq!(iterations(&json, "p"), [128.0]);
    assert!(remark.contains("reads: a%n, b%n"), "{remark}");
    let (json, _) = analysed(source, "&g a%n = 600 b%n = 600 /");
    assert_eq!(iterations(&json, "p"), [600.0]);
}

/// What is known of some element is not what any has: the guess stays, and the note names what was not taken.
#[test]
fn an_element_whose_number_is_not_known_is_guessed() {
    let source = format!(
        "{SIZES}
  read (*, nml = g)
  do l = 1, 2
    do i = 1, lp(l)
      x(i) = 1
    end do
  end do
  do i = 1, plain
    x(i) = 1
  end do
end program"
    );
    let (json, remark) = analysed(&source, "&g lp = 600, 1600, plain = 70 /");
    assert_ne!(iterations(&json, "p")[0], 1200.0);
    assert_eq!(iterations(&json, "p")[1], 70.0);
    assert!(remark.contains("taken from this input: plain;"), "{remark}");
    assert!(remark.contains("reads: lp, lp(2)"), "{remark}");
    let guessed = json["parameters"].as_object().expect("parameters");
    let is_guess = |(_, parameter): (&String, &Value)| parameter["origin"] == "guessed";
    assert!(guessed.iter().any(is_guess), "{guessed:?}");
}

/// Options are decided by elements and components as by scalars.
#[test]
fn options_in_arrays_and_structures() {
    let source = format!(
        "{SIZES}
  read (*, nml = g)
  if (lp(2) == 3 .and. cfg%wide) call passed(10)
  if (lp(2) /= 3 .or. .not. cfg%wide) call passed(20)
end program"
    );
    let (json, _) = analysed(&source, "&g lp = 1, 3, cfg%wide = T /");
    assert_eq!(crate::small::calls(&json, "passed"), 1.0);
}

/// An array of which nothing says where it begins may begin anywhere.
#[test]
fn an_array_that_begins_somewhere_has_no_elements_by_position() {
    let source = "
module sizes
  integer, allocatable :: lp(:)
  namelist /g/ lp
end module
program p
  use sizes
  integer :: i
  real(8) :: x(9999)
  read (*, nml = g)
  do i = 1, lp(1)
    x(i) = 1
  end do
end program";
    let (json, _) = analysed(source, "&g lp = 600, 1600 /");
    assert_eq!(iterations(&json, "p"), [128.0]);
    let (json, _) = analysed(source, "&g lp(1) = 600, 1600 /");
    assert_eq!(iterations(&json, "p"), [600.0]);
}
