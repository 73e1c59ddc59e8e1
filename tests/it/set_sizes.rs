//! A value that is set replaces what the program gives a variable: the figures are those of the same source with the value
//! in place of what is assigned, in every procedure.

use serde_json::Value;

use crate::small::{analyse, function, iterations};
use crate::support::command::{loopsheet, settings};

/// A source in which `«…»` is what the program gives the variable that is set.
struct Case {
    file: &'static str,
    set: &'static str,
    source: &'static str,
}

const fn f(set: &'static str, source: &'static str) -> Case {
    Case {
        file: "a.f90",
        set,
        source,
    }
}

const fn c(set: &'static str, source: &'static str) -> Case {
    Case {
        file: "a.c",
        set,
        source,
    }
}

const VALUE: &str = "517";

/// The figures of every nest that sizes decide: iterations, operations, calls, bytes of every level.
fn figures(json: &Value) -> Vec<String> {
    let functions = json["functions"].as_array().expect("functions");
    let of = |function: &Value| {
        let name = function["name"].as_str().expect("a name").to_string();
        let nests = function["nests"].as_array().expect("nests").clone();
        nests.into_iter().map(move |nest| {
            let levels = nest["levels"].as_array().expect("levels");
            let bytes: Vec<[&Value; 2]> = levels
                .iter()
                .map(|level| [&level["fetched"], &level["written_back"]])
                .collect();
            format!(
                "{name}: {} iterations, {} flop, {} calls, {bytes:?}",
                nest["iterations"], nest["flops"], nest["calls"]
            )
        })
    };
    functions.iter().flat_map(of).collect()
}

fn with(case: &Case, value: Option<&str>) -> String {
    let (mut text, mut rest) = (String::new(), case.source);
    while let Some((before, behind)) = rest.split_once('«') {
        let (own, after) = behind.split_once('»').expect("an end");
        text += before;
        text += value.unwrap_or(own);
        rest = after;
    }
    text + rest
}

fn check(cases: &[Case]) {
    for case in cases {
        let Case { file, set, source } = case;
        let own = with(case, None);
        let setting = format!("{set}={VALUE}");
        let set_to = figures(&analyse(&[(file, &own)], &[&setting]));
        let replaced = figures(&analyse(&[(file, &with(case, Some(VALUE)))], &[]));
        let before = figures(&analyse(&[(file, &own)], &[]));
        assert_eq!(set_to, replaced, "--set {setting} of{source}");
        assert_ne!(set_to, before, "--set {setting} of{source}");
    }
}

#[test]
fn variables_of_modules_and_common_blocks() {
    check(&[
        f("k", MODULE_CHAIN),
        f(
            "n",
            "
module v
  integer :: n, m
  real(8) :: x(1000)
end module
subroutine s
  use v
  integer :: i
  do i = 1, m
    x(i) = x(i)*2
  end do
end subroutine
program p
  use v
  integer :: k
  k = 10
  n = «k + 2»
  m = n - 1
  call s
end program",
        ),
        f(
            "v.n",
            "
module v
  integer :: n = «12», m
  real(8) :: x(1000)
end module
subroutine s
  use v
  integer :: i
  do i = 1, m
    x(i) = x(i)*2
  end do
end subroutine
program p
  use v
  m = 2*n
  call s
end program",
        ),
        f(
            "nx",
            "
subroutine s
  common /grid/ nx, ny
  real(8) :: x(1000)
  common /data/ x
  do i = 1, ny
    x(i) = x(i)*2
  end do
end subroutine
program p
  common /grid/ nx, ny
  nx = «20»
  ny = nx + nx/2
  call s
end program",
        ),
    ]);
}

#[test]
fn what_data_statements_and_namelists_give() {
    check(&[
        f(
            "n",
            "
subroutine s(x, n)
  integer :: n, i
  real(8) :: x(n)
  do i = 1, n
    x(i) = x(i)*2
  end do
end subroutine
program p
  integer :: n, i
  real(8), allocatable :: x(:)
  data n /«20»/
  allocate (x(n))
  do i = 1, n
    x(i) = 0
  end do
  call s(x, n)
end program",
        ),
        f(
            "n",
            "
module v
  integer :: n, m
end module
subroutine setup
  use v
  namelist /sizes/ n
  n = «30»
  read (10, nml = sizes)
  m = n + 4
end subroutine
program p
  use v
  real(8), allocatable :: x(:)
  integer :: i
  call setup
  allocate (x(m))
  do i = 1, m
    x(i) = 0
  end do
end program",
        ),
    ]);
}

const MODULE_CHAIN: &str = "
module v
  integer :: n, m
  real(8), allocatable :: x(:)
end module
subroutine s
  use v
  integer :: i
  do i = 1, m
    x(i) = x(i)*2
  end do
end subroutine
program p
  use v
  integer :: k, i
  k = «10»
  n = k + 2
  m = n - 1
  allocate (x(n))
  do i = 1, n
    x(i) = 0
  end do
  call s
end program";

#[test]
fn globals_of_c() {
    check(&[
        c(
            "k",
            "
int n, m; double x[1000];
void s(void) { for (int i = 0; i < m; i++) x[i] *= 2; }
int main(void) { int k = «10»; n = k + 2; m = n - 1; for (int i = 0; i < n; i++) x[i] = 0; s(); }",
        ),
        c(
            "n",
            "
int n = «100», m; double x[1000];
void s(void) { for (int i = 0; i < m; i++) x[i] *= 2; }
int main(void) { m = n/2; s(); }",
        ),
        c(
            "n",
            "
static int n = «100»; double x[1000];
static int half(void) { return n/2; }
void s(int m) { for (int i = 0; i < m; i++) x[i] *= 2; }
int main(void) { s(half()); }",
        ),
        c(
            "n",
            "
double x[1000];
int main(void) { static int n = «100»; int m = n - 3; for (int i = 0; i < m; i++) x[i] *= 2; }",
        ),
        c(
            "main.n",
            "
double x[1000];
void s(int n) { for (int i = 0; i < n; i++) x[i] *= 2; }
int main(void) { int n = «100»; s(n - 1); }",
        ),
        c(
            "n",
            "
double x[1000];
void s(int n) { for (int i = 0; i < n; i++) x[i] *= 2; }
int main(void) { int n = «100»; s(n - 1); }",
        ),
        c(
            "n",
            "
#include <stdlib.h>
double x[1000];
void s(int m) { for (int i = 0; i < m; i++) x[i] *= 2; }
int main(int argc, char **argv) { int n = «40»; if (argc > 1) n = atoi(argv[1]); s(n + 7); }",
        ),
        c(
            "n",
            "
#include <stdio.h>
double x[1000];
void s(int m) { for (int i = 0; i < m; i++) x[i] *= 2; }
int main(void) { int n = «40»; scanf(\"%d\", &n); int m = 2*n; s(m); }",
        ),
        c(
            "rows",
            "
int rows, columns; double x[1000][1000];
void setup(int *r, int *c) { *r = «60»; *c = *r + 1; }
void s(void) { for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) x[i][j] = 1; }
int main(void) { setup(&rows, &columns); s(); }",
        ),
        c(
            "n",
            "
int n; double x[1000];
void s(void) { for (int i = 0; i < n; i++) x[i] *= 2; }
int main(void) { if (x[0] > 1) n = «10»; else n = «20»; s(); }",
        ),
        c(
            "mode",
            "
int mode = «1»; double x[1000];
void a(void) { for (int i = 0; i < 10; i++) x[i] *= 2; }
void b(void) { for (int i = 0; i < 20; i++) x[i] *= 3; }
int main(void) { if (mode == 1) a(); else b(); }",
        ),
    ]);
}

#[test]
fn members_of_structures() {
    check(&[
        f(
            "chunk%x_max",
            "
module v
  type :: chunk_type
    integer :: x_min, x_max
  end type
  type(chunk_type) :: chunk
end module
subroutine s(x, first, last)
  integer :: first, last, i
  real(8) :: x(last)
  do i = first, last
    x(i) = x(i)*2
  end do
end subroutine
program p
  use v
  real(8), allocatable :: x(:)
  chunk%x_min = 1
  chunk%x_max = «20»
  allocate (x(chunk%x_max))
  call s(x, chunk%x_min, chunk%x_max - 1)
end program",
        ),
        c(
            "g.nx",
            "
struct grid { int nx, ny; } g; double x[1000];
void s(void) { for (int i = 0; i < g.ny; i++) x[i] *= 2; }
int main(void) { g.nx = «30»; g.ny = g.nx + 1; s(); }",
        ),
        c(
            "nx",
            "
struct grid { int nx, ny; }; double x[1000];
void s(struct grid *g) { for (int i = 0; i < g->ny; i++) x[i] *= 2; }
int main(void) { struct grid g; g.nx = «30»; g.ny = g.nx + 1; s(&g); }",
        ),
        c(
            "g->nx",
            "
struct grid { int nx, ny; }; double x[1000];
void setup(struct grid *g) { g->nx = «30»; g->ny = 2*g->nx; }
void s(struct grid *g) { for (int i = 0; i < g->ny; i++) x[i] *= 2; }
int main(void) { struct grid g; setup(&g); s(&g); }",
        ),
        f(
            "hi(1)",
            "
program p
  integer :: hi(2), m, i
  real(8) :: x(1000)
  hi(1) = «20»
  hi(2) = 30
  m = hi(1) + 1
  do i = 1, m
    x(i) = 0
  end do
  do i = 1, hi(2)
    x(i) = 0
  end do
end program",
        ),
    ]);
}

#[test]
fn constants() {
    check(&[
        f(
            "n",
            "
module v
  integer, parameter :: n = «50», m = n + 1
  real(8) :: x(1000)
end module
subroutine s
  use v
  integer :: i
  do i = 1, m
    x(i) = x(i)*2
  end do
end subroutine
program p
  use v
  call s
end program",
        ),
        f(
            "n",
            "
module v
  integer, parameter :: n = «50»
  integer :: m
  real(8) :: x(1000)
end module
subroutine s
  use v
  integer :: i
  do i = 1, m
    x(i) = x(i)*2
  end do
end subroutine
program p
  use v
  m = n + 3
  call s
end program",
        ),
        c(
            "N",
            "
#define N «50»
#define M (N + 1)
double x[1000];
void s(void) { for (int i = 0; i < M; i++) x[i] *= 2; }
int main(void) { s(); }",
        ),
        c(
            "N",
            "
#define N «50»
int m; double x[1000];
void s(void) { for (int i = 0; i < m; i++) x[i] *= 2; }
int main(void) { m = N - 1; s(); }",
        ),
        c(
            "N",
            "
enum { N = «50» };
double x[1000];
void s(int m) { for (int i = 0; i < m; i++) x[i] *= 2; }
int main(void) { s(2*N); }",
        ),
        c(
            "N",
            "
static const int N = «50»;
double x[1000];
void s(int m) { for (int i = 0; i < m; i++) x[i] *= 2; }
int main(void) { s(2*N); }",
        ),
    ]);
}

#[test]
fn what_is_made_step_by_step() {
    check(&[
        f(
            "n",
            "
program p
  integer :: n, t, i
  real(8) :: x(1000)
  do t = 1, 5
    n = «10»
    do i = 1, n
      x(i) = x(i)*2
    end do
  end do
end program",
        ),
        f(
            "n",
            "
program p
  integer :: n, cells
  n = «10»
  cells = n*n
  call s(cells)
end program
subroutine s(cells)
  integer :: cells, nodes
  nodes = cells + 1
  call t(nodes)
end subroutine
subroutine t(n)
  integer :: n, i
  real(8) :: x(n)
  do i = 1, n
    x(i) = 1
  end do
end subroutine",
        ),
        f(
            "ncells",
            "
module v
  integer :: ncells = «10», nhalo = 2
end module
subroutine s(x)
  use v
  real(8) :: x(1 - nhalo:ncells + nhalo)
  integer :: i
  do i = 1 - nhalo, ncells + nhalo
    x(i) = 1
  end do
end subroutine
program p
  use v
  real(8), allocatable :: x(:)
  allocate (x(1 - nhalo:ncells + nhalo))
  call s(x)
end program",
        ),
        f(
            "n",
            "
program p
  integer :: n
  real(8), allocatable :: x(:)
  read *, n
  n = «25»
  allocate (x(n))
  call s(x)
contains
  subroutine s(x)
    real(8) :: x(:)
    integer :: i
    do i = 1, size(x)
      x(i) = 1
    end do
  end subroutine
end program",
        ),
    ]);
}

/// What is made of a size that is set is a formula over it, in every procedure.
#[test]
fn what_follows_is_a_formula() {
    let source = MODULE_CHAIN.replace(['«', '»'], "");
    let json = analyse(&[("a.f90", &source)], &["k=500"]);
    let parameters = &json["parameters"];
    assert_eq!(parameters["k"]["origin"], "set");
    assert_eq!(parameters["m"]["value"], 501.0);
    assert_eq!(parameters["m"]["definition"], "v.n - 1");
    assert_eq!(parameters["v.n"]["definition"], "k + 2");
}

/// A name means what the program gives a value, and a dummy argument what calls pass.
#[test]
fn a_dummy_argument_has_what_calls_pass() {
    let source = "
double x[4000];
void s(int n) { for (int i = 0; i < n; i++) x[i] *= 2; }
void t(int n) { for (int i = 0; i < n; i++) x[i] *= 3; }
int nx = 100;
int main(void) { s(nx); t(nx); }";
    let with = |setting: &str| {
        let json = analyse(&[("a.c", source)], &[setting]);
        [iterations(&json, "s")[0], iterations(&json, "t")[0]]
    };
    assert_eq!(with("nx=500"), [500.0, 500.0]);
    assert_eq!(with("s.n=500"), [500.0, 100.0]);
    let source = &source.replace("t(nx)", "t(nx - 1)");
    let json = analyse(&[("a.c", source)], &["nx=500"]);
    assert_eq!(iterations(&json, "t"), [499.0]);
}

#[test]
fn a_member_is_meant_by_its_name_alone_only_if_nothing_else_is() {
    let source = "
struct grid { int n; } g; double x[4000];
void s(void) { for (int i = 0; i < g.n; i++) x[i] *= 2; }
int main(void) { int n = 10; g.n = 20; for (int i = 0; i < n; i++) x[i] = 0; s(); }";
    let with = |setting: &str| {
        let json = analyse(&[("a.c", source)], &[setting]);
        [iterations(&json, "main")[0], iterations(&json, "s")[0]]
    };
    assert_eq!(with("n=500"), [500.0, 20.0]);
    assert_eq!(with("g.n=500"), [10.0, 500.0]);
    // What is computed from it is not meant.
    let source = &source.replace(
        "int n = 10; g.n = 20;",
        "scanf(\"%d\", &g.n); int n = g.n / 2;",
    );
    let json = analyse(&[("a.c", source)], &["n=500"]);
    assert_eq!(iterations(&json, "main"), [250.0]);
    assert_eq!(iterations(&json, "s"), [500.0]);
}

/// A setting that decides a branch counts, though no figure mentions it.
#[test]
fn options_are_set() {
    let source = "
#include <stdio.h>
int mode; double x[100];
void a(void) { for (int i = 0; i < 10; i++) x[i] *= 2; }
int main(void) { scanf(\"%d\", &mode); if (mode == 1) a(); }";
    let calls = |setting: &str| {
        let json = analyse(&[("a.c", source)], &[setting]);
        function(&json, "a")["nests"][0]["calls"].as_f64()
    };
    assert_eq!([calls("mode=1"), calls("mode=2")], [Some(1.0), Some(0.0)]);
}

/// What is said of settings beside the figures.
#[test]
fn settings_that_change_nothing_or_several_variables_are_named() {
    let said = |source: &str, set: &[&str]| {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.c");
        std::fs::write(&path, source).expect("a file");
        let run = loopsheet()
            .arg("analyze")
            .arg(&path)
            .args(settings(set))
            .output()
            .expect("a run");
        String::from_utf8(run.stderr).expect("text")
    };
    let chain = "
int n, m; double x[1000];
void s(void) { for (int i = 0; i < m; i++) x[i] *= 2; }
int main(void) { int k = 10; n = k + 2; m = n - 1; s(); }";
    assert!(said(chain, &["k=500", "m=20"]).contains("--set k=500 has no effect"));
    assert!(!said(chain, &["k=500"]).contains("has no effect"));
    assert!(!said(chain, &["block_x=8"]).contains("has no effect"));
    let several = "
double x[1000];
void s(void) { int n = 10; for (int i = 0; i < n; i++) x[i] *= 2; }
void t(void) { int n = 20; for (int i = 0; i < n; i++) x[i] *= 3; }
int main(void) { s(); t(); }";
    let both = said(several, &["n=500"]);
    assert!(
        both.contains("--set n sets 2 variables of that name: s.n"),
        "{both}"
    );
    let member = "
struct grid { int n; } g; double x[4000];
void s(void) { for (int i = 0; i < g.n; i++) x[i] *= 2; }
int main(void) { int n = 10; g.n = 20; for (int i = 0; i < n; i++) x[i] = 0; s(); }";
    let other = said(member, &["n=500"]);
    assert!(other.contains("--set n sets main.n"), "{other}");
    assert!(other.contains("not grid%n"), "{other}");
    assert!(!said(member, &["g.n=500"]).contains("not main.n"));
}

/// Lengths that sizes are made from: assigned, read, named constants, passed, in structures.
#[test]
fn real_numbers_that_sizes_are_made_from() {
    let fortran = |declared: &str, gives: &str, size: &str| {
        format!(
            "
program p
  {declared}
  real(8), parameter :: length = 2d0
  integer :: i, n
  real(8) :: x(100000)
  {gives}
  {size}
  do i = 1, n
    x(i) = 1
  end do
contains
  integer function cells(h)
    real(8), intent(in) :: h
    cells = nint(length/h)
  end function
end program"
        )
    };
    let ways = [
        ("real(8) :: dx", "dx = «0.01d0»", "n = nint(length/dx)"),
        (
            "real(8) :: dx",
            "dx = «0.01d0»",
            "n = int(length/(2*dx)) + 1",
        ),
        (
            "real(8) :: dx, h",
            "dx = «0.01d0»; h = 2*dx",
            "n = ceiling(1.0d0/h)",
        ),
        ("real(8) :: dx", "dx = «0.01d0»", "n = cells(dx)"),
        (
            "real(8), parameter :: dx = «0.01d0»",
            "",
            "n = nint(length/dx)",
        ),
    ];
    for (declared, gives, size) in ways {
        let source = fortran(declared, gives, size);
        let bare = source.replace(['«', '»'], "");
        let replaced = source.replace("«0.01d0»", "0.004d0");
        let of =
            |source: &str, settings: &[&str]| figures(&analyse(&[("a.f90", source)], settings));
        let set = of(&bare, &["dx=0.004"]);
        assert_eq!(set, of(&replaced, &[]), "{source}");
        assert_ne!(set, of(&bare, &[]), "{source}");
    }
    // What is read has no value before.
    let read = fortran("real(8) :: dx", "read *, dx", "n = nint(length/dx)");
    let json = analyse(&[("a.f90", &read)], &["dx=0.004"]);
    assert_eq!(iterations(&json, "p"), [500.0]);
    let c = "
#include <math.h>
struct grid { double dx; int nx; };
double x[100000];
int main(void)
{
    struct grid g;
    double length = 3.0;
    g.dx = 0.01;
    g.nx = (int)floor(length / g.dx);
    for (int i = 0; i < g.nx; i++) x[i] = 1;
}";
    for (setting, expected) in [("g.dx=0.125", 24.0), ("length=1.5", 150.0)] {
        let json = analyse(&[("a.c", c)], &[setting]);
        assert_eq!(iterations(&json, "main"), [expected], "{setting}");
    }
}

/// A real number that no size is made from is no parameter.
#[test]
fn a_real_number_that_no_size_is_made_from_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.f90");
    let source = "
program p
  real(8) :: weight, x(1000)
  integer :: i
  weight = 0.5d0
  do i = 1, 1000
    x(i) = weight*x(i)
  end do
end program";
    std::fs::write(&path, source).expect("a file");
    let mut command = loopsheet();
    let output = command
        .arg("analyze")
        .arg(&path)
        .args(["--set", "weight=0.25"]);
    let output = output.output().expect("loopsheet runs");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("no parameter of that name"), "{text}");
}

/// A size on which it depends which assignments are made is said to be one, in the table, in JSON and in the workbook; others
/// are not.
#[test]
fn sizes_that_decide_assignments() {
    let source = "program p
        integer n, parts, m, extra, i
        real :: a(100000)
        read (*, *) n, parts, m
        extra = 0
        if (1 <= mod(n, parts)) extra = 1
        call sweep(n/parts + extra, m, a)
      end program
      subroutine sweep(k, m, a)
        integer k, m, i, j
        real :: a(*)
        do j = 1, m
          do i = 1, k
            a(i) = a(i) + 1
          end do
        end do
      end subroutine";
    let json = analyse(&[("a.f90", source)], &[]);
    let decides = |name: &str| json["parameters"][name]["decides_assignments"] == true;
    let found = ["n", "parts", "m"].map(decides);
    assert_eq!(found, [true, true, false], "{}", json["parameters"]);
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.f90");
    std::fs::write(&path, source).expect("written");
    let mut command = loopsheet();
    let command = command.arg("parameters").arg(&path);
    let output = String::from_utf8(command.output().expect("runs").stdout).expect("text");
    let line = |name: &str| {
        let mut lines = output.lines();
        lines
            .find(|line| line.starts_with(name))
            .map(str::to_string)
    };
    let says = |name: &str| {
        line(name)
            .expect("a line")
            .contains("which assignments are made")
    };
    assert_eq!(["parts", "m "].map(says), [true, false], "{output}");
}
