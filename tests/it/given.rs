//! What a program is given: what it reads, and where its sources are read.

use std::path::Path;

use serde_json::Value;

use crate::small::{analyse, c, fortran, function, iterations};
use crate::support::command;

/// The names of the roots that the program reads.
fn read(json: &Value) -> Vec<&str> {
    let parameters = json["parameters"].as_object().expect("parameters");
    let is_read = |parameter: &Value| parameter["detail"] == "given";
    let mut names: Vec<&str> = parameters
        .iter()
        .filter(|(_, parameter)| is_read(parameter))
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn every_variable_of_a_list_is_given() {
    let json = fortran(
        "
program p
  integer :: a, b, i, j
  real(8) :: x(1000, 1000)
  read *, a, b
  do j = 1, b
    do i = 1, a
      x(i, j) = 1
    end do
  end do
end program",
    );
    assert_eq!(read(&json), ["a", "b"]);
    let json = c("
#include <stdio.h>
double x[1000][1000];
int main(void)
{
    int a, b, c = 5;
    scanf(\"%d %d\", &a, &b);
    printf(\"%d\\n\", c);
    for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++)
            x[i][j] = c;
}");
    assert_eq!(read(&json), ["a", "b"]);
}

#[test]
fn the_variables_of_a_namelist_are_given() {
    let source = "
module grid
  integer :: nx = 10, ny = 20, steps = 3
  namelist /sizes/ nx, ny
end module
subroutine setup
  use grid
  open (10, file = 'grid.nml')
  read (10, nml = sizes)
end subroutine
program p
  use grid
  integer :: i, j, t
  real(8), allocatable :: u(:, :)
  call setup
  allocate (u(nx, ny))
  do t = 1, steps
    do j = 1, ny
      do i = 1, nx
        u(i, j) = 1
      end do
    end do
  end do
end program";
    for source in [source.to_string(), source.replace("nml = sizes", "sizes")] {
        let json = analyse(&[("p.f90", &source)], &["nx=300", "ny=400"]);
        assert_eq!(iterations(&json, "p"), [360_000.0]);
        let json = fortran(&source);
        // A few elements are there until the input says more; the steps are nothing that it says.
        assert_eq!(read(&json), ["nx", "ny"]);
        assert_eq!(json["parameters"]["steps"]["value"], 3.0);
    }
}

#[test]
fn a_source_that_another_includes_is_read_there() {
    let part = "void f(double *a) { for (int i = 0; i < N; i++) a[i] = WEIGHT; }";
    let whole = "#define N 100\n#define WEIGHT 2\n#include \"part.c\"\n";
    let json = analyse(&[("whole.c", whole), ("part.c", part)], &[]);
    let functions = json["functions"].as_array().expect("functions");
    assert_eq!(functions.len(), 1, "{functions:?}");
    assert_eq!(iterations(&json, "f"), [100.0]);
    assert!(json.to_string().contains("included-source"), "{json}");
}

/// Of files that include the same part, it is read as the one that the build names has it.
#[test]
fn a_part_is_as_the_file_that_is_built_has_it() {
    let part = "void f(double *a) { for (int i = 0; i < N; i++) a[i] = 1; }";
    let whole = |n: u32| format!("#define N {n}\n#include \"part.c\"\n");
    let (one, two) = (whole(100), whole(200));
    let files = [
        (
            "main.c",
            "void f(double *); double a[999]; int main(void) { f(a); }",
        ),
        ("part.c", part),
        ("whole.1.c", &one),
        ("whole.2.c", &two),
    ];
    assert_eq!(iterations(&analyse(&files, &[]), "f"), [100.0]);
    let build = [("prog.mk", "prog_SOURCES = main.c \\\n  whole.2.c\n")];
    let json = analyse(&[&files[..], &build].concat(), &[]);
    assert_eq!(iterations(&json, "f"), [200.0]);
}

/// A program of two files: `run.in`, which it opens, has lines of `key = value`.
fn with_input(input: &str) -> Vec<(&str, &str)> {
    let source = "
subroutine setup(n)
  integer :: n
  character(len=20) :: word
  open (unit=10, file='run.in', status='old')
  read (10, *) word, n
end subroutine
program p
  integer :: n, i
  real(8), allocatable :: x(:)
  call setup(n)
  allocate (x(n))
  do i = 1, n
    x(i) = 1
  end do
end program";
    vec![("p.f90", source), ("run.in", input)]
}

#[test]
fn the_input_that_the_program_opens_is_read() {
    let json = analyse(&with_input("n = 700\n"), &[]);
    assert_eq!(iterations(&json, "p"), [700.0]);
    assert_eq!(json["parameters"]["n"]["detail"], "input");
    // What the user says counts, whatever lies there.
    let json = analyse(&with_input("n = 700\n"), &["n=90"]);
    assert_eq!(iterations(&json, "p"), [90.0]);
    // It has no name that the program reads: it is something else.
    let json = analyse(&with_input("m = 700\n"), &[]);
    assert_eq!(iterations(&json, "p"), [128.0]);
    assert!(!json.to_string().contains("run-input"), "{json}");
}

/// What `analyze` takes from an input that a program reads word by word: `nx` and `ny`, and what it warns of.
fn of_words(input: &str) -> ([Value; 2], Vec<(u64, String)>) {
    let source = "
module sizes
  integer :: nx = 10, ny = 20
  logical :: wide = .false.
end module
subroutine setup
  use sizes
  character(len=20) :: word
  integer :: status
  open (10, file='run.in', status='old')
  do
    read (10, *, iostat=status) word
    if (status /= 0) exit
    select case (word)
    case ('nx')
      read (10, *) nx
    case ('ny')
      read (10, *) ny
    case ('wide')
      wide = .true.
    end select
  end do
end subroutine
program p
  use sizes
  real(8), allocatable :: x(:)
  integer :: i
  call setup
  allocate (x(nx * ny))
  do i = 1, nx * ny
    x(i) = 1
  end do
end program";
    let json = analyse(&[("p.f90", source), ("run.in", input)], &[]);
    let size = |name: &str| match &json["parameters"][name] {
        own if own["detail"] == "input" => own["value"].clone(),
        _ => Value::Null,
    };
    let files = json["files"].as_array().expect("files").iter();
    let all = files.flat_map(|file| file["diagnostics"].as_array().expect("diagnostics"));
    let warnings = all.filter(|one| one["severity"] == "warning" && one["code"] == "run-input");
    let said = |one: &Value| {
        let message = one["message"].as_str().expect("a message");
        (one["line"].as_u64().expect("a line"), message.to_string())
    };
    ([size("nx"), size("ny")], warnings.map(said).collect())
}

/// A key on a line and its value on the next one; what has no value is no number, and a warning names its line.
#[test]
fn a_key_has_its_value_on_the_next_line() {
    let (none, number) = (Value::Null, |value: i64| Value::from(value));
    for (input, expected, lines) in [
        ("nx\n300\nny\n200\n", [number(300), number(200)], &[][..]),
        ("nx\n\n  300\nny = 200\n", [number(300), number(200)], &[]),
        ("wide\nnx\n300\n", [number(300), none.clone()], &[]),
        (
            "nx # how wide\nny\n200\n",
            [none.clone(), number(200)],
            &[1],
        ),
        ("nx\n", [none.clone(), none.clone()], &[1]),
        // Which of them 300 is for is not clear, nor whether a value comes before its key.
        ("nx\nny\n300\n200\n", [none.clone(), none.clone()], &[1, 2]),
        ("300\nnx\n200\nny\n", [none.clone(), none.clone()], &[2, 4]),
        ("nx\n300 200\nny 7\n", [none.clone(), number(7)], &[1]),
    ] {
        let (found, warnings) = of_words(input);
        assert_eq!(found, expected, "{input:?}");
        let named: Vec<u64> = warnings.iter().map(|(line, _)| *line).collect();
        assert_eq!(named, lines, "{input:?}: {warnings:?}");
        let says_why = |(_, message): &(u64, String)| message.contains("nothing is taken for it");
        assert!(warnings.iter().all(says_why), "{warnings:?}");
    }
}

/// A word alone is true, of what holds true or false.
#[test]
fn a_word_alone_is_true_of_a_logical_variable() {
    let source = "
subroutine setup(wide, n)
  logical :: wide
  integer :: n
  namelist /unused/ n
  open (10, file='run.in', status='old')
  read (10, *) wide, n
end subroutine
program p
  logical :: wide
  integer :: i, n
  real(8) :: x(9999)
  call setup(wide, n)
  if (wide) then
    do i = 1, 77
      x(i) = 1
    end do
  end if
end program";
    for (input, iterations) in [("wide\n", 77), ("wide\nF\n", 0), ("wide\ntrue\n", 77)] {
        let json = analyse(&[("p.f90", source), ("run.in", input)], &[]);
        let nest = &function(&json, "p")["nests"][0];
        assert_eq!(nest["iterations"], iterations, "{input:?}");
    }
}

/// Beside the source that opens it, if no other source has one of its own: that would be another program.
#[test]
fn the_input_lies_beside_the_source_that_opens_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |below: &str, name: &str, text: &str| {
        let below = directory.path().join(below);
        std::fs::create_dir_all(&below).expect("a directory");
        std::fs::write(below.join(name), text).expect("a file");
    };
    for (name, text) in with_input("n = 700\n") {
        write("problem/a", name, text);
    }
    let found = command::analysed(directory.path(), &[]);
    assert_eq!(iterations(&found, "p"), [700.0]);
    let other = "
subroutine other
  integer :: k
  open (unit=10, file='run.in', status='old')
  read (10, *) k
end subroutine";
    write("b", "other.f90", other);
    write("b", "run.in", "k = 9\n");
    let several = command::analysed(directory.path(), &[]);
    assert_eq!(iterations(&several, "p"), [128.0]);
}

/// What `analyze` says of a directory.
fn table(directory: &Path, more: &[&str]) -> String {
    let output = command::loopsheet()
        .arg("analyze")
        .arg(directory)
        .args(more)
        .output()
        .expect("loopsheet runs");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_input_that_the_program_opens_is_named_and_can_be_left_out() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in with_input("n = 700\n") {
        std::fs::write(directory.path().join(name), text).expect("a file");
    }
    let table = |more: &[&str]| table(directory.path(), more);
    let found = table(&[]);
    assert!(found.contains("/run.in: n = 700"), "{found}");
    let without = table(&["--no-input"]);
    assert!(!without.contains("run.in"), "{without}");
    assert!(without.contains("sizes guessed"), "{without}");
}

/// The name is that of a variable which the command line may change.
#[test]
fn the_input_may_be_named_by_a_variable() {
    for file in ["name", "trim(name)"] {
        let source = format!(
            "
program p
  integer :: n, i
  character(80) :: name, other
  real(8) :: x(1000)
  namelist /grid/ n
  name = 'run.in'
  if (command_argument_count() == 1) then
    call get_command_argument(1, other)
    name = trim(other)
  end if
  open (10, file={file}, status='old')
  read (10, nml=grid)
  do i = 1, n
    x(i) = i
  end do
end program"
        );
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("p.f90"), &source).expect("a file");
        std::fs::write(directory.path().join("run.in"), "&grid n = 700 /\n").expect("a file");
        let found = command::analysed(directory.path(), &[]);
        assert_eq!(iterations(&found, "p"), [700.0], "{file}");
        // Which of two it is, is not known.
        let several = source.replace("name = trim(other)", "name = 'other.in'");
        std::fs::write(directory.path().join("p.f90"), several).expect("a file");
        let found = command::analysed(directory.path(), &[]);
        assert_eq!(iterations(&found, "p"), [128.0], "{file}");
    }
}

/// Zero that an input may leave as it is, and that the program goes on with; where it ends instead, it must be given.
#[test]
fn what_the_program_does_without_has_its_own_zero() {
    let nests = |asks: &str| {
        let source = format!(
            "
program p
  integer :: n, scalars, i, k
  real(8) :: x(1000)
  namelist /grid/ n, scalars
  n = 64
  scalars = 0
  open (10, file='run.nml')
  read (10, nml=grid)
  {asks}
  do k = 1, scalars
    do i = 1, n
      x(i) = x(i) + k
    end do
  end do
end program"
        );
        iterations(&fortran(&source), "p")
    };
    assert_eq!(nests("if (scalars > 0) print *, scalars"), [0.0]);
    assert_eq!(nests("if (0 /= scalars) print *, scalars"), [0.0]);
    let ends = "if (scalars > 0) then; print *, scalars; else; stop 'none'; end if";
    assert_eq!(nests(ends), [128.0 * 64.0]);
    assert_eq!(nests("print *, scalars"), [128.0 * 64.0]);
    let json = c("
#include <stdio.h>
#include <stdlib.h>
static double x[1000];
int main(int argc, char **argv)
{
    int n = 0, quiet = 0;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) quiet = 1;
    if (n > 0) {
        for (int i = 0; i < n; i++) x[i] = 2.0 * i;
    } else {
        fprintf(stderr, \"usage\");
        return 1;
    }
    if (!quiet)
        for (int i = 0; i < 20; i++) x[i] += 1.0;
    return 0;
}");
    assert_eq!(iterations(&json, "main"), [128.0, 20.0]);
}

/// What merely mentions them, what is mostly something else, and sources are no inputs; nor is one asked for that is there.
#[test]
fn an_input_that_names_guessed_sizes_is_pointed_out() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(&path, text).expect("a file");
        path
    };
    let source = "
program p
  integer :: nx, ny, i, j
  real(8) :: x(1000, 1000)
  character(80) :: name
  namelist /grid/ nx, ny
  call get_command_argument(1, name)
  open (10, file=name)
  read (10, grid)
  do j = 1, ny
    do i = 1, nx
      x(i, j) = i
    end do
  end do
end program";
    write("src/p.f90", source);
    write(
        "README.md",
        "Write\n&grid nx = 1, ny = 2 /\ninto a file\nand name\nit\n",
    );
    write("one.in", "&grid\n nx = 40\n/\n");
    let table = |more: &[&str]| table(directory.path(), more);
    assert!(!table(&[]).contains("--input"), "{}", table(&[]));
    let small = write("runs/a/small.in", "&grid\n nx = 40, ny = 50\n/\n");
    let file = small.to_str().expect("a path").replace('\\', "/");
    let found = table(&[]);
    let said = format!("{file} names 2 of the guessed sizes: --input {file} takes");
    assert!(found.contains(&said), "{found}");
    write(
        "runs/b/large.in",
        "&grid\n nx = 400\n ny = 500 ! cells\n/\n",
    );
    let found = table(&[]);
    let said = format!("{file} names 2 of the guessed sizes (so does another file)");
    assert!(found.contains(&said), "{found}");
    for options in [
        ["--input", &file].as_slice(),
        &["--no-input"],
        &["--set", "nx=3"],
    ] {
        let found = table(options);
        assert!(!found.contains("of the guessed sizes"), "{found}");
    }
}

/// MPI 4.0, sections 7.4 and 8.5: of one process there is no other, and its rank and coordinates are zero.
#[test]
fn a_process_that_runs_alone_has_all_of_the_grid() {
    let json = fortran(
        "
program p
  use mpi
  integer :: dims(2), coords(2), size, rank, err, i, first, last
  real(8) :: x(1000000)
  call mpi_init(err)
  call mpi_comm_size(mpi_comm_world, size, err)
  call mpi_comm_rank(mpi_comm_world, rank, err)
  dims = 0
  call mpi_dims_create(size, 2, dims, err)
  call mpi_cart_coords(mpi_comm_world, rank, 2, coords, err)
  first = coords(1) * 1000 / dims(1)
  last = first + 1000 / dims(1) - 1
  do i = first, last
    x(i + 1) = rank
  end do
end program",
    );
    assert_eq!(iterations(&json, "p")[1], 1000.0);
    assert_eq!(json["parameters"]["dims_1"]["detail"], "alone");
    assert_eq!(json["parameters"]["coords_1"]["value"], 0.0);
}

/// Times that nests of a function run.
fn calls(json: &Value, name: &str) -> Vec<f64> {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    let calls = |nest: &Value| nest["calls"].as_f64().expect("calls");
    nests.iter().map(calls).collect()
}

#[test]
fn options_of_the_command_line_are_off_until_they_are_given() {
    let source = "
#include <stdlib.h>
#include <unistd.h>
struct problem { int n; int filter; };
static void setup(struct problem *p, int n, int filter) { p->n = n; p->filter = filter; }
static void smooth(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2; }
int main(int argc, char **argv)
{
    int filter = 0, n = 1000, option, found = 0;
    while ((option = getopt(argc, argv, \"n:f\")) != -1) {
        switch (option) {
        case 'n': n = atoi(optarg); break;
        case 'f': filter = 1; break;
        }
    }
    struct problem p;
    setup(&p, n, filter);
    double *x = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) if (x[i] > 3) found = 1;
    for (int t = 0; t < 100; t++) if (p.filter == 1) smooth(x, p.n);
    if (found) smooth(x, p.n);
}"
    .replace("\\\"", "\"");
    // What the program finds out by itself is not known: half of the one call.
    assert_eq!(calls(&c(&source), "smooth"), [0.5]);
}

#[test]
fn an_option_is_the_same_through_dummy_arguments() {
    let json = fortran(
        "
module options
  integer, parameter :: plain = 1, diagonal = 2, block = 3
  integer :: kind = plain
end module
subroutine setup
  use options
  character(len=20) :: word
  read (*, *) word
  if (word == 'diagonal') kind = diagonal
  if (word == 'block') kind = block
end subroutine
subroutine plainly(x, n)
  integer :: n, i
  real(8) :: x(n)
  do i = 1, n
    x(i) = 1
  end do
end subroutine
subroutine specially(x, n)
  integer :: n, i
  real(8) :: x(n)
  do i = 1, n
    x(i) = 2
  end do
end subroutine
subroutine solve(x, n, which)
  use options
  integer :: n, which
  real(8) :: x(n)
  if (which == diagonal) then
    call specially(x, n)
  else
    call plainly(x, n)
  end if
end subroutine
program p
  use options
  real(8) :: x(1000)
  call setup
  call solve(x, 1000, kind)
end program",
    );
    assert_eq!(calls(&json, "plainly"), [1.0]);
    assert_eq!(calls(&json, "specially"), [0.0]);
}

/// What calls pass decides a branch only where all of it agrees.
#[test]
fn calls_that_pass_different_options_decide_nothing() {
    let source = |other: &str| {
        format!(
            "
double x[1000];
static void work(void) {{ for (int i = 0; i < 1000; i++) x[i] += 1; }}
static void choose(int which) {{ if (which == 1) work(); }}
int main(void) {{ choose(1); choose({other}); }}"
        )
    };
    assert_eq!(calls(&c(&source("1")), "work"), [2.0]);
    assert_eq!(calls(&c(&source("0")), "work"), [1.0]);
}

/// `nx = length / dx`: real numbers that the program has are followed to the whole ones that are made from them.
#[test]
fn sizes_are_made_from_real_numbers() {
    let source = "
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct grid { double length, dx; int nx, ny; };
static void size(struct grid *g, double h)
{
    g->length = 15.0;
    g->dx = h;
    g->nx = g->length / g->dx;
    g->ny = (int)ceil(fmin(1.0, g->length) / g->dx);
}
static void fill(struct grid *g, double *x)
{
    for (int j = 0; j < g->ny; j++)
        for (int i = 0; i < g->nx; i++)
            x[j * g->nx + i] = 1;
}
int main(int argc, char **argv)
{
    double h = 0.02;
    int option;
    struct grid g;
    while ((option = getopt(argc, argv, \"h:\")) != -1)
        switch (option) {
        case 'h': sscanf(optarg, \"%lf\", &h); break;
        }
    size(&g, h);
    double *x = malloc(sizeof(double) * g.nx * g.ny);
    fill(&g, x);
}"
    .replace("\\\"", "\"");
    let json = c(&source);
    assert_eq!(iterations(&json, "fill"), [37_500.0]);
    assert_eq!(json["parameters"]["h"]["value"], 0.02);
    assert_eq!(json["parameters"]["h"]["detail"], "given");
    let json = analyse(&[("a.c", &source)], &["h=0.04"]);
    assert_eq!(iterations(&json, "fill"), [375.0 * 25.0]);
    let json = fortran(
        "
program p
  implicit none
  real(8), parameter :: length = 2d0
  real(8) :: dx, unknown
  integer :: i, n, m
  real(8) :: x(100000)
  dx = 0.001d0
  n = nint(length / dx)
  unknown = x(7)
  m = int(length / unknown)
  do i = 1, n
    x(i) = 1
  end do
  do i = 1, m
    x(i) = 1
  end do
end program",
    );
    // What data decide is no number that is known.
    assert_eq!(iterations(&json, "p"), [2000.0, 128.0]);
    let json = c("
#include <math.h>
#include <stdio.h>
double x[100000];
int main(void)
{
    double width = 21.42, apart = 0.05;
    int n = 32 * (width * sqrt(2) / apart);
    int m = pow(width, 2.0);
    int k = exp(width);
    for (int i = 0; i < n; i++) x[i] = 1;
    for (int i = 0; i < m; i++) x[i] = 1;
    for (int i = 0; i < k; i++) x[i] = 1;
}");
    // Roots and powers are; exponentials are not followed.
    assert_eq!(iterations(&json, "main"), [19387.0, 458.0, 128.0]);
}

/// Of several bodies of one name, the build has those that its database lists, or that its makefile names.
#[test]
fn a_database_says_which_body_is_meant() {
    let body = |factor: u32| {
        format!("void work(double *a, int n) {{ for (int i = 0; i < n; i++) a[i] *= {factor}; }}")
    };
    let main =
        "void work(double *, int);\ndouble a[1000];\nint main(void) { work(a, 1000); return 0; }";
    let (fast, slow) = (body(2), body(3));
    let calls = |build: Option<(&'static str, &'static str)>| {
        let mut files = vec![
            ("main.c", main),
            ("fast.c", fast.as_str()),
            ("slow.c", slow.as_str()),
        ];
        files.extend(build);
        let json = analyse(&files, &[]);
        let functions = json["functions"].as_array().expect("functions");
        let of_file = |name: &str| {
            let mut functions = functions.iter();
            let file = |f: &&Value| f["file"].as_str().is_some_and(|file| file.ends_with(name));
            let function = functions.find(file).expect("a function");
            function["nests"][0]["calls"].as_f64().unwrap_or(0.0)
        };
        (of_file("fast.c"), of_file("slow.c"))
    };
    // Either may be meant.
    assert_eq!(calls(None), (1.0, 1.0));
    let commands = r#"[
        {"directory": ".", "file": "main.c", "arguments": ["cc", "-c", "main.c"]},
        {"directory": ".", "file": "slow.c", "arguments": ["cc", "-c", "slow.c"]}
    ]"#;
    let database = Some(("compile_commands.json", commands));
    assert_eq!(calls(database), (0.0, 1.0));
    // So does a makefile that names one of them; a pattern names all.
    let makefile = Some((
        "Makefile",
        "prog: main.o slow.o\n\tcc -o prog main.o slow.o\n",
    ));
    assert_eq!(calls(makefile), (0.0, 1.0));
    let pattern = Some(("Makefile", "OBJ = $(patsubst %.c,%.o,$(wildcard *.c))\n"));
    assert_eq!(calls(pattern), (1.0, 1.0));
}

/// Blocks that get smaller: of `m = n - j + 1`, the largest is that of the first `j`.
#[test]
fn what_a_loop_makes_smaller_is_that_of_its_beginning() {
    let json = fortran(
        "
subroutine update(m, k, a, lda)
  integer :: m, k, lda, i, j
  real(8) :: a(lda, *)
  do j = 1, k
    do i = 1, m
      a(i, j) = 2 * a(i, j)
    end do
  end do
end subroutine
program p
  integer :: j, n
  real(8) :: a(1000, 1000)
  n = 1000
  do j = 1, n, 10
    call update(n - j + 1, 10, a(j, j), 1000)
  end do
end program",
    );
    assert_eq!(iterations(&json, "update"), [10_000.0]);
}

/// A size has no value before it is read: neither is it what it is declared with, nor does that decide branches.
#[test]
fn what_is_read_is_not_what_it_begins_with() {
    for statement in [
        "n = atoi(argv[1]);",
        "scanf(\"%d\", &n);",
        "if (scanf(\"%d\", &n) != 1) return 1;",
        "sscanf(argv[1], \"%d\", &n);",
        "read_size(&n);",
    ] {
        for guard in ["", "if (argc < 2) { printf(\"usage\\n\"); return 1; }"] {
            for check in [
                "",
                "if (n <= 0) return 1;",
                "if (n < 1) { fprintf(stderr, \"n\"); exit(1); }",
            ] {
                let json = c(&format!(
                    "
#include <stdio.h>
#include <stdlib.h>
static void read_size(int *size) {{ scanf(\"%d\", size); }}
int main(int argc, char **argv)
{{
    int n = 0;
    double sum = 0, *a;
    {guard}
    {statement}
    {check}
    a = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        sum += a[i];
    printf(\"%g\\n\", sum);
    return 0;
}}"
                ));
                let case = format!("{guard} {statement} {check}");
                assert_eq!(iterations(&json, "main"), [128.0], "{case}");
                assert_eq!(crate::small::calls(&json, "main"), 1.0, "{case}");
                assert_eq!(read(&json), ["n"], "{case}");
            }
        }
    }
}

/// What is read only where the command line has it, and printed, is still an option with its default.
#[test]
fn what_is_printed_is_not_read() {
    let json = c("
#include <stdio.h>
#include <stdlib.h>
double x[100], y[100];
int main(int argc, char **argv)
{
    int clusters = 0;
    if (argc == 3)
        clusters = atoi(argv[2]);
    printf(\"%d\\n\", clusters);
    if (clusters > 0)
        for (int i = 0; i < 100; i++) x[i] = 1;
    else
        for (int i = 0; i < 100; i++) y[i] = 1;
    return 0;
}");
    assert_eq!(iterations(&json, "main"), [0.0, 100.0]);
}

/// A function without a body that gets the address of a variable gives it a value.
#[test]
fn what_a_function_without_a_body_gets_the_address_of_is_given() {
    let json = c("
int more(const char *f, int *n);
void by_statement(double *a) { int n = 0; more(\"x\", &n); for (int i = 0; i < n; i++) a[i] = 1; }
void by_condition(double *a) { int n = 0; if (!more(\"x\", &n)) return; for (int i = 0; i < n; i++) a[i] = 1; }
void by_value(double *a) { int n = 5; int k = more(\"x\", &n); for (int i = 0; i < n; i++) a[i] = k; }
void in_loop(double *a, int m) {
  for (int j = 0; j < m; j++) { int n = 0; more(\"x\", &n); for (int i = 0; i < n; i++) a[i] = 1; }
}");
    for name in ["by_statement", "by_condition", "by_value", "in_loop"] {
        let found = iterations(&json, name);
        assert!(found.iter().all(|n| *n > 63.0), "{name}: {found:?}");
    }
    assert_eq!(json["parameters"]["by_value.n"]["origin"], "guessed");
}

/// A component that a procedure reads which does not always run keeps what it is set to before.
#[test]
fn a_component_that_an_input_may_give_has_its_own_value() {
    let json = c("
#include <stdio.h>
typedef struct { int n; int order; } Input;
Input defaults(void) { Input in; in.n = 1000; in.order = 2; return in; }
void read_file(Input *in, char *name) { FILE *f = fopen(name, \"r\"); fscanf(f, \"%d\", &in->n); fscanf(f, \"%d\", &in->order); }
double a[1000];
void second(int n) { for (int i = 0; i < n; i++) a[i] *= 2; }
void none(int n) { for (int i = 0; i < n; i++) a[i] = 1; }
void run(Input *in) { if (in->order == 2) second(in->n); else if (in->order == 0) none(in->n); }
int main(int argc, char **argv) {
  Input in = defaults();
  if (argc > 1) read_file(&in, argv[1]);
  run(&in);
}");
    assert_eq!(
        ["second", "none"].map(|name| crate::small::calls(&json, name)),
        [1.0, 0.0]
    );
    assert_eq!(iterations(&json, "second"), [1000.0]);
    // One that every run reads has nothing of its own.
    let json = c("
#include <stdio.h>
typedef struct { int order; } Input;
double a[1000];
void second(void) { for (int i = 0; i < 1000; i++) a[i] *= 2; }
void read_file(Input *in) { FILE *f = fopen(\"in\", \"r\"); in->order = 2; fscanf(f, \"%d\", &in->order); }
int main(void) { Input in; read_file(&in); if (in.order == 1) second(); }");
    assert_eq!(crate::small::calls(&json, "second"), 0.5);
}

/// What threads share out among them is what all do together: a loop over one thread's share has all iterations.
#[test]
fn the_share_of_a_thread_is_that_of_one() {
    let json = c("
#include <omp.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = 4000;
  double *a = malloc(n * sizeof(double));
  #pragma omp parallel
  {
    int threads = omp_get_num_threads(), me = omp_get_thread_num();
    int each = n / threads;
    for (int i = me * each; i < (me + 1) * each; i++) a[i] = 1;
    for (int i = me; i < n; i += threads) a[i] += 1;
  }
}");
    assert_eq!(iterations(&json, "main"), [4000.0, 4000.0]);
}

/// Zero says that the program has yet to be told: what it chooses then is its own default.
#[test]
fn what_stands_in_for_a_missing_option_is_the_default() {
    let program = |begin: &str, choose: &str| {
        let json = c(&format!(
            "
#include <stdlib.h>
#include <string.h>
double *a;
int parts, cells;
int main(int argc, char **argv) {{
  {begin}
  cells = 40;
  for (int i = 1; i < argc; i++) {{
    if (!strcmp(argv[i], \"--parts\")) parts = atoi(argv[++i]);
    else if (!strcmp(argv[i], \"--cells\")) cells = atoi(argv[++i]);
  }}
  {choose}
  a = malloc(parts * sizeof(double));
  for (int i = 0; i < parts; i++) a[i] = i;
}}"
        ));
        iterations(&json, "main")[1]
    };
    assert_eq!(program("parts = 0;", "if (!parts) parts = 2*cells;"), 80.0);
    assert_eq!(program("parts = -1;", "if (parts < 0) parts = 700;"), 700.0);
    let limited = "if (parts == 0 || parts > cells) parts = cells;";
    assert_eq!(program("parts = 0;", limited), 40.0);
    // What asks for anything else says nothing.
    assert_eq!(
        program("parts = 0;", "if (cells < 9) parts = 3*cells;"),
        128.0
    );
}

/// What the program gives a variable instead of reading it counts, not what it had before.
#[test]
fn what_is_set_instead_of_reading_is_the_default() {
    let program = |otherwise: &str| {
        let json = fortran(&format!(
            "
program p
  implicit none
  integer :: n, ios, i
  real(8) :: a(1000)
  n = 3
  open(10, file='in.txt', iostat=ios, status='old')
  if (ios == 0) then
    read(10, *) n
  else
    {otherwise}
  end if
  do i = 1, n
    a(i) = i
  end do
end program"
        ));
        iterations(&json, "p")
    };
    assert_eq!(program("n = 11"), [11.0]);
    assert_eq!(program("print *, 'no input'"), [3.0]);
    // An option that sets it, too, does not count where nothing is given.
    let json = c("
#include <stdlib.h>
double a[1000];
int main(int argc, char **argv) {
  int n = 10;
  for (int i = 1; i < argc; i++) {
    if (argv[i][1] == 'n') n = atoi(argv[++i]);
    else if (argv[i][1] == 'd') n = 100;
  }
  for (int i = 0; i < n; i++) a[i] = i;
}");
    assert_eq!(iterations(&json, "main")[1], 10.0);
}

/// What begins with -1 or nothing and is counted up by what is read is not known: its loops run.
#[test]
fn numbers_that_have_yet_to_be_counted_are_guessed() {
    let program = |call: &str| {
        let json = fortran(&format!(
            "
module m
  type sizes
    integer :: cells
  end type
  integer, allocatable :: parts(:)
contains
  subroutine begin(s)
    type(sizes), intent(out) :: s
    s%cells = -1
  end subroutine
  subroutine count(n, cells)
    integer, intent(in) :: n
    integer, intent(out) :: cells
    integer :: i
    cells = 0
    do i = 1, n
      cells = cells + parts(i)
    end do
  end subroutine
  subroutine work(cells, a)
    integer, intent(in) :: cells
    real(8) :: a(cells)
    integer :: i
    do i = 1, cells
      a(i) = a(i)*2
    end do
  end subroutine
end module
program p
  use m
  type(sizes) :: s
  integer :: n
  real(8), allocatable :: a(:)
  call begin(s)
  read *, n
  allocate(parts(n))
  read *, parts
  {call}
  allocate(a(s%cells))
  call work(s%cells, a)
end program"
        ));
        iterations(&json, "work")
    };
    assert_eq!(program("call count(n, s%cells)"), [128.0]);
    assert_eq!(program("s%cells = 40"), [40.0]);
}

/// What is used before and behind another value has two, which the nest says.
#[test]
fn what_is_set_again_behind_is_marked() {
    let json = c("
#include <stdlib.h>
double a[1000];
static void use(int n) { for (int i = 0; i < n; i++) a[i] += 1; }
int main(int argc, char **argv) {
  int n;
  if (argc > 1) n = atoi(argv[1]); else n = 11;
  use(n);
  n = 59;
  use(n);
}");
    let nest = &function(&json, "use")["nests"][0];
    assert_eq!(nest["reasons"], serde_json::json!(["several_sizes"]));
}
