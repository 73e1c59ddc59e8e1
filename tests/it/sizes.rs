//! Sizes that follow from what a program is given, and guesses that depend on nothing else.

use assert_cmd::cargo::CommandCargoExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::small::{analyse, c, fortran, iterations};

const PARTED: &str = "
module grid
  type box
    integer :: x_min, x_max
  end type
  integer :: cells = 40
  integer :: parts = 2
end module
module kernels
contains
  subroutine smooth(x_min, x_max, depth, a)
    integer :: x_min, x_max, depth, i
    real(8) :: a(x_min-depth:x_max+depth)
    do i = x_min - depth, x_max + depth
      a(i) = 2.0d0*a(i)
    end do
  end subroutine
end module
program p
  use grid
  use kernels
  type(box) :: b
  real(8) :: a(100)
  read *, cells
  b%x_min = 1
  b%x_max = cells/parts
  call smooth(b%x_min, b%x_max, 2, a)
end program";

/// Bounds in elements of components, which are copied from object to object.
const BOUNDED: &str = "
module fields
  implicit none
  type :: field
    integer :: lb(2), ub(2)
    integer :: dims(2)
    real(8), allocatable :: data(:,:)
  end type
  interface field
    module procedure :: new_field
  end interface
contains
  type(field) function new_field(name, dims) result(self)
    character(*), intent(in) :: name
    integer, intent(in) :: dims(2)
    integer :: tiles(4)
    self%dims = dims
    tiles = tile(dims)
    self%lb = tiles([1, 3])
    self%ub = tiles([2, 4])
    allocate(self%data(self%lb(1)-1:self%ub(1)+1, self%lb(2)-1:self%ub(2)+1))
    self%data = 0
  end function
  function tile(dims) result(found)
    integer, intent(in) :: dims(2)
    integer :: found(4)
    read *, found
  end function
  subroutine copy(target, source)
    type(field), intent(inout) :: target
    type(field), intent(in) :: source
    target%lb = source%lb
    target%ub = source%ub
    target%dims = source%dims
    target%data = source%data
  end subroutine
  subroutine smooth(self)
    type(field), intent(inout) :: self
    integer :: i, j
    do j = self%lb(2), self%ub(2)
      do i = self%lb(1), self%ub(1)
        self%data(i, j) = 0.5d0*self%data(i, j)
      end do
    end do
  end subroutine
  subroutine whole(self, out)
    type(field), intent(in) :: self
    real(8), intent(out) :: out(self%dims(1), self%dims(2))
    integer :: i, j
    do j = 1, self%dims(2)
      do i = 1, self%dims(1)
        out(i, j) = self%data(i, j)
      end do
    end do
  end subroutine
  function ddx(x) result(dx)
    real(8), intent(in) :: x(:,:)
    real(8) :: dx(size(x, 1), size(x, 2))
    integer :: i, im
    im = size(x, 1)
    dx = 0
    do i = 2, im - 1
      dx(i, :) = x(i+1, :) - x(i-1, :)
    end do
  end function
end module
program p
  use fields
  implicit none
  integer, parameter :: im = 201, jm = 101
  type(field) :: h, g
  real(8) :: all(im, jm)
  h = field('h', [im, jm])
  call copy(g, h)
  call smooth(h)
  h%data = ddx(h%data)
  call whole(h, all)
end program";

fn parameter(json: &Value, name: &str) -> (f64, String) {
    let parameter = &json["parameters"][name];
    let value = parameter["value"].as_f64().unwrap_or(f64::NAN);
    (
        value,
        parameter["detail"].as_str().unwrap_or("").to_string(),
    )
}

#[test]
fn a_bound_follows_through_calls_components_and_modules() {
    let json = fortran(PARTED);
    assert_eq!(iterations(&json, "smooth"), [24.0]);
    assert_eq!(parameter(&json, "cells"), (40.0, "given".to_string()));
    assert_eq!(json["roots"][0]["name"], "cells");
    assert_eq!(json["roots"][0]["influence"], 1.0);
    let json = analyse(&[("a.f90", PARTED)], &["cells=2000"]);
    assert_eq!(iterations(&json, "smooth"), [1004.0]);
    // What follows may be set as well.
    let json = analyse(&[("a.f90", PARTED)], &["cells=2000", "box%x_max=10"]);
    assert_eq!(iterations(&json, "smooth"), [14.0]);
}

#[test]
fn elements_that_hold_bounds_are_parameters_of_their_own() {
    let json = fortran(BOUNDED);
    let (lower, upper) = (
        parameter(&json, "field_lb_1").0,
        parameter(&json, "field_ub_2").0,
    );
    assert_eq!((lower, upper), (1.0, 128.0));
    assert_eq!(json["parameters"]["field_ub"], Value::Null);
    let json = analyse(&[("a.f90", BOUNDED)], &["field_ub_1=40", "field%ub(2)=10"]);
    assert_eq!(iterations(&json, "smooth"), [400.0]);
    assert_eq!(iterations(&json, "ddx"), [42.0 * 12.0, 40.0 * 12.0]);
}

#[test]
fn elements_follow_from_what_is_listed_and_copied() {
    assert_eq!(iterations(&fortran(BOUNDED), "whole"), [201.0 * 101.0]);
}

/// What is made of a named constant follows from it; a local variable of that name is another one.
#[test]
fn sizes_follow_from_a_constant_that_is_set() {
    let json = analyse(&[("a.f90", BOUNDED)], &["im=402"]);
    assert_eq!(iterations(&json, "whole"), [402.0 * 101.0]);
    assert_eq!(
        iterations(&json, "ddx"),
        iterations(&fortran(BOUNDED), "ddx")
    );
}

#[test]
fn a_constant_that_no_figure_depends_on_is_not_set_somewhere_else() {
    let directory = tempfile::tempdir().expect("a directory");
    let printed = BOUNDED
        .replace("im = 201, jm = 101", "im = 5, km = 201, jm = 101")
        .replace(
            "h = field('h', [im, jm])",
            "print *, im\n  h = field('h', [km, jm])",
        )
        .replace("all(im, jm)", "all(km, jm)");
    std::fs::write(directory.path().join("a.f90"), printed).expect("written");
    let mut program = Command::cargo_bin("loopsheet").expect("the program");
    let output = program
        .args(["analyze", "a.f90", "--set", "im=201"])
        .current_dir(directory.path())
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        told.contains("no figure depends on the constant of p"),
        "{told}"
    );
    // The same name is that of a local variable, which has no other meaning there.
    let alone = BOUNDED
        .replace("im = 201, jm = 101", "km = 201, jm = 101")
        .replace("[im, jm]", "[km, jm]");
    let alone = alone.replace("all(im, jm)", "all(km, jm)");
    let json = analyse(&[("a.f90", &alone)], &["im=12"]);
    assert_eq!(iterations(&json, "ddx"), [12.0 * 130.0, 10.0 * 130.0]);
}

/// Two functions of one name: set by it, both are, and the size that they share has nothing left to set.
#[test]
fn all_that_is_listed_can_be_set_at_once() {
    let counter = "module t
         type el
           integer, pointer :: nd
         contains
           procedure, public :: total
         end type
       contains
         integer function total(this)
           class(el), intent(inout) :: this
           total = this%nd
         end function
       end module";
    let user = |module: &str| {
        format!(
            "module {module}
               use t
             contains
               subroutine fill(this, a)
                 class(el), intent(inout) :: this
                 real(8) :: a(:)
                 integer :: i
                 do i = 1, this%total()
                   a(i) = 0
                 end do
               end subroutine
             end module"
        )
    };
    let [first, second] = ["a", "b"].map(user);
    let files = [("t.f90", counter), ("a.f90", &first), ("b.f90", &second)];
    let [own, shared] = ["fill.this_total_this=20", "this_total_this=30"];
    for settings in [[own, shared], [shared, own]] {
        assert_eq!(iterations(&analyse(&files, &settings), "fill"), [20.0]);
    }
    assert_eq!(iterations(&analyse(&files, &[shared]), "fill"), [30.0]);
}

#[test]
fn coarrays_have_the_extents_that_they_are_allocated_with() {
    let json = fortran(
        "program p
           integer, parameter :: m = 40
           integer :: k
           real(8), allocatable :: e(:,:)[:], f(:,:)
           k = 3*m
           allocate(e(k, 4)[*], f(k, 4))
           e = 1.0d0
           f = 2.0d0
         end program",
    );
    assert_eq!(iterations(&json, "p"), [480.0, 480.0]);
}

#[test]
fn one_image_runs_alone_unless_there_are_said_to_be_more() {
    let source = "program p
          integer, parameter :: total = 400
          integer :: part, first
          real(8), allocatable :: u(:)[:]
          part = total/num_images()
          first = (this_image() - 1)*part + 1
          allocate(u(first:first + part - 1)[*])
          u = 1.0d0
          call scale(u)
        contains
          subroutine scale(a)
            real(8) :: a(:)
            integer :: i
            do i = 1, size(a)
              a(i) = 2*a(i)
            end do
          end subroutine
        end program";
    let json = fortran(source);
    assert_eq!(iterations(&json, "scale"), [400.0]);
    assert_eq!(iterations(&json, "p"), [400.0]);
    assert_eq!(parameter(&json, "num_images_"), (1.0, "alone".to_string()));
    let json = analyse(&[("a.f90", source)], &["num_images()=4"]);
    assert_eq!(iterations(&json, "scale"), [100.0]);
    assert_eq!(iterations(&json, "p"), [100.0]);
}

#[test]
fn c_programs_take_sizes_from_the_command_line_and_through_pointers() {
    let json = c("#include <stdlib.h>
        struct mesh { int rows; double *v; };
        static int steps = 30;
        void halve(int *n) { *n = 64; }
        void kernel(struct mesh *m, int k) {
          for (int s = 0; s < steps; s++)
            for (int i = 0; i < m->rows; i++) m->v[i] += k;
        }
        int main(int argc, char **argv) {
          struct mesh m; int n = 100, k; m.v = malloc(8);
          if (argc > 1) n = atoi(argv[1]);
          halve(&k);
          m.rows = 2 * n;
          kernel(&m, k);
          for (int i = 0; i < k; i++) m.v[i] = 0;
          return 0;
        }");
    assert_eq!(iterations(&json, "kernel"), [30.0 * 200.0]);
    assert_eq!(iterations(&json, "main"), [64.0]);
    assert_eq!(parameter(&json, "n"), (100.0, "given".to_string()));
    assert_eq!(parameter(&json, "steps").1, "initial");
}

/// Three times three neighbours, of which one procedure makes a list and others walk it.
#[test]
fn what_a_procedure_counts_in_loops_is_as_many_as_they_run() {
    let source = "void middle(int box, int *x, int *y);
        int neighbours(int box, int *list) {
          int x, y;
          middle(box, &x, &y);
          int count = 0;
          for (int i = x - 1; i <= x + 1; i++)
            for (int j = y - 1; j <= y + 1; j++) { list[count] = i + j; count++; }
          return count;
        }
        int main(void) {
          int list[64]; double a[64];
          int n = neighbours(3, list);
          for (int i = 0; i < n; i++) a[i] = list[i];
          return 0;
        }";
    let json = c(source);
    assert_eq!(iterations(&json, "main"), [9.0]);
    // Each time another call gives the variable its value.
    let many = source.replace(
        "int n = neighbours(3, list);",
        "int n; for (int b = 0; b < 10; b++) { n = neighbours(b, list);",
    );
    let many = many.replace("a[i] = list[i];", "a[i] = list[i]; }");
    assert_eq!(iterations(&c(&many), "main"), [90.0]);
    // Under a condition or where the loops may be left, it is not known.
    for (statement, other) in [
        ("count++;", "if (list[count] > 7) count++;"),
        ("count++;", "count++; if (list[count] > 7) return count;"),
    ] {
        let json = c(&source.replace(statement, other));
        let [found] = iterations(&json, "main")[..] else {
            panic!("one nest");
        };
        assert_ne!(found, 9.0, "{other}");
    }
}

/// Levels that halve the size of the one before, whose size is that of the structure that is made from it.
#[test]
fn sizes_that_only_shrink_in_a_circle_are_at_most_what_comes_from_outside() {
    let source = "struct level { int box; double *v; };
        void create(struct level *l, int box) { l->box = box; }
        void build(struct level *fine, struct level *levels, int n) {
          int box[9];
          box[0] = fine->box;
          for (int l = 1; l < n; l++) { int before = box[l - 1]; box[l] = before / 2; }
          for (int l = 1; l < n; l++) create(&levels[l], box[l]);
        }
        void smooth(struct level *l) { for (int i = 0; i < l->box; i++) l->v[i] = 0; }
        int main(int argc, char **argv) {
          struct level fine, levels[9];
          create(&fine, 1 << 6);
          build(&fine, levels, 5);
          smooth(&fine);
          return 0;
        }";
    assert_eq!(iterations(&c(source), "smooth"), [64.0]);
}

#[test]
fn ranges_run_whichever_symbols_their_bounds_are_made_of() {
    let json = fortran(
        "subroutine s(x_min, x_max, y_min, y_max, depth, nc, colour, a, q)
           integer :: x_min, x_max, y_min, y_max, depth, nc, colour, j, k, m
           real(8) :: a(x_min-depth:x_max+depth, y_min-depth:y_max+depth), q(x_max, y_max, y_max, nc)
           do k = y_min - depth, y_max + depth
             do j = x_min, x_max
               a(j, k) = 1.0d0
             end do
           end do
           do j = x_max + 1, x_max + depth
             a(j, y_min) = 0.0d0
           end do
           do j = 1 + mod(colour, 2), x_max, 2
             a(j, y_min) = 3.0d0
           end do
           do m = 1, nc
             do j = 1, x_max
               q(j, 1, 1, m) = 0.0d0
             end do
           end do
         end subroutine",
    );
    assert_eq!(
        iterations(&json, "s"),
        [132.0 * 128.0, 2.0, 64.0, 4.0 * 128.0]
    );
    for (name, value) in [
        ("x_min", 1.0),
        ("x_max", 128.0),
        ("y_min", 1.0),
        ("depth", 2.0),
        ("nc", 4.0),
    ] {
        assert_eq!(
            parameter(&json, name),
            (value, "default".to_string()),
            "{name}"
        );
    }
}

#[test]
fn a_range_whose_ends_both_are_sizes_is_stretched() {
    let json = c("void s(int k, int n, double *a) {
          for (int i = 0; i < k; i++) a[i] = 0;
          for (int i = k; i < n; i++) a[i] = 1;
        }");
    assert_eq!(iterations(&json, "s"), [128.0, 128.0]);
}

/// Two procedures that need a size to be larger, in an order, and a name for one of their variables.
fn apart(is_first: bool, other: &str) -> Value {
    let grid = "module grid\n integer :: n, m, OTHER\nend module\n";
    let one = "subroutine one(x)
          use grid
          real(8) :: x(*)
          do i = 1, n - m
            x(i) = 0
          end do
          do i = 1, m
            x(i) = 1
          end do
          do i = 1, m
            x(i) = 2
          end do
          do i = 1, m
            x(i) = 3
          end do
        end subroutine";
    let two = "subroutine two(x)
          use grid
          real(8) :: x(*)
          do i = 1, n + OTHER - 2*m
            x(i) = 0
          end do
        end subroutine";
    let [grid, two] = [grid, two].map(|text| text.replace("OTHER", other));
    let names = if is_first {
        ["b.f90", "c.f90"]
    } else {
        ["c.f90", "b.f90"]
    };
    let files = [("a.f90", &*grid), (names[0], one), (names[1], &*two)];
    analyse(&files, &[])
}

#[test]
fn neither_the_order_of_procedures_nor_names_say_which_size_is_stretched() {
    // By 128 for each, n - m and n + z - 2*m are 0: n, which more ranges need, has to be 256, and nothing else.
    for is_first in [true, false] {
        for other in ["z", "k"] {
            let json = apart(is_first, other);
            let case = format!("{is_first} {other}");
            assert_eq!(iterations(&json, "one"), [128.0; 4], "{case}");
            assert_eq!(iterations(&json, "two"), [128.0], "{case}");
            assert_eq!(parameter(&json, "n").0, 256.0, "{case}");
            assert_eq!(parameter(&json, other).0, 128.0, "{case}");
        }
    }
}

#[test]
fn of_sizes_that_do_the_same_each_is_stretched_alike() {
    for names in ["p q", "q p", "z a"] {
        let (one, other) = names.split_once(' ').expect("two");
        let json = c(&format!(
            "void s(int {one}, int {other}, int m, double *x) {{
               for (int i = 0; i < m; i++) x[i] = 1;
               for (int i = 0; i < {one} + {other} - 2*m; i++) x[i] = 0;
             }}"
        ));
        assert_eq!(iterations(&json, "s"), [128.0, 128.0], "{names}");
        for name in [one, other] {
            assert_eq!(parameter(&json, name).0, 192.0, "{names}");
        }
    }
}

#[test]
fn no_size_is_stretched_without_end() {
    // One loop runs where n is larger, the other where m is.
    let json = c("void s(int n, int m, double *a) {
          for (int i = 0; i < n; i++) a[i] = 0;
          for (int i = 0; i < m; i++) a[i] = 0;
          for (int i = 0; i < (n - m) / 64; i++) a[i] = 1;
          for (int i = 0; i < (m - n) / 64; i++) a[i] = 2;
        }");
    for name in ["n", "m"] {
        let (value, _) = parameter(&json, name);
        assert!((128.0..=8192.0).contains(&value), "{name} = {value}");
    }
}

#[test]
fn of_several_values_a_range_begins_at_the_smallest_and_ends_at_the_largest() {
    let json = c(
        "void s(int first, int last, double *a) { for (int i = first; i <= last; i++) a[i] = 0; }
        void both(double *a) { s(1, 10, a); s(5, 20, a); }",
    );
    assert_eq!(iterations(&json, "s"), [20.0]);
    assert_eq!(
        parameter(&json, "first"),
        (1.0, "callers_differ".to_string())
    );
}

/// `k` is written alike in both, and is another number in each.
#[test]
fn a_value_is_made_of_what_its_own_function_calls_so() {
    let json = |local: &str| {
        let second = "subroutine second(a, m)
  integer :: m, n, k, i
  real(8) :: a(*)
  n = m / 2
  k = min(100, n)
  do i = 1, k
    a(i) = a(i) + 1
  end do
end subroutine
";
        let first = second.replace("second", "first").replace("m / 2", "3 * m");
        let second = second.replace(" n", local);
        analyse(&[("a.f90", &format!("{first}{second}"))], &["m=10"])
    };
    for local in [" n", " p", " a_name"] {
        let json = json(local);
        assert_eq!(iterations(&json, "first"), [30.0], "{local}");
        assert_eq!(iterations(&json, "second"), [5.0], "{local}");
    }
}

#[test]
fn values_that_go_round_in_circles_end() {
    let json = c("struct g { int n, m; };
        void f(struct g *p, int *v) { p->n = p->m; p->m = p->n + 1; v[0] = v[1]; v[1] = v[0] + v[2]; v[2] = v[v[0]]; }
        void h(struct g *p, double *a, int *v) {
          f(p, v);
          for (int i = 0; i < p->n; i++) a[i] = v[2];
          for (int i = 0; i < v[1]; i++) a[i] = 0;
        }");
    assert_eq!(iterations(&json, "h").len(), 2);
}

/// The figures of functions, as text.
fn figures(json: &Value, names: &[&str]) -> Vec<String> {
    let functions = json["functions"].as_array().expect("functions");
    let found = names.iter().map(|name| {
        let function = functions.iter().find(|f| f["name"] == *name);
        function.expect("the function")["nests"].to_string()
    });
    found.collect()
}

#[test]
fn other_files_and_the_functions_shown_change_no_figure() {
    let kernel = ("k.f90", PARTED);
    let own = (
        "own.c",
        "void own(int cells, int x_max, double *a) { for (int i = x_max; i < cells; i++) a[i] = 0; }",
    );
    let unrelated = (
        "zz.c",
        "void zz(int x_min, int cells, double *a) { for (int i = cells; i < 9; i++) for (int j = 0; j < x_min; j++) a[j] = 0; }",
    );
    let names = ["smooth", "own"];
    let first = figures(&analyse(&[kernel, own], &[]), &names);
    assert_eq!(first, figures(&analyse(&[own, kernel], &[]), &names));
    assert_eq!(
        first,
        figures(&analyse(&[unrelated, own, kernel], &[]), &names)
    );
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in [kernel, own] {
        std::fs::write(directory.path().join(name), text).expect("written");
    }
    let shown = run(
        directory.path(),
        &[
            "analyze",
            ".",
            "--function",
            "smooth",
            "--machine",
            "exasat",
            "--json",
            "-",
        ],
    );
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(figures(&shown, &["smooth"])[0], first[0]);
}

/// The samples under names that put them in another order each time.
#[test]
fn the_order_of_files_changes_no_figure() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/kernels");
    let files = std::fs::read_dir(samples).expect("samples");
    let files = files.map(|file| file.expect("a file").path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
    files.sort();
    let texts: Vec<(String, String)> = files
        .iter()
        .map(|file| {
            let name = file.file_name().and_then(|name| name.to_str());
            let text = std::fs::read_to_string(file).expect("text");
            (name.expect("a name").to_string(), text)
        })
        .collect();
    let in_order = |position: &dyn Fn(usize) -> usize| {
        let named: Vec<(String, &str)> = texts
            .iter()
            .enumerate()
            .map(|(at, (name, text))| {
                let is_header = name.ends_with(".h");
                let prefix = format!("{:03}_", position(at));
                let prefix = if is_header { "" } else { &prefix };
                (format!("{prefix}{name}"), text.as_str())
            })
            .collect();
        let named: Vec<(&str, &str)> = named.iter().map(|(name, text)| (&**name, *text)).collect();
        analyse(&named, &[])
    };
    // Two of the files have a function of one name; shares are of a sum, whose last digits depend on the order.
    let figures = |json: &Value| {
        let functions = json["functions"].as_array().expect("functions");
        let nests = functions.iter().map(|function| {
            let mut nests = function["nests"].clone();
            for nest in nests.as_array_mut().expect("nests") {
                nest.as_object_mut().expect("a nest").remove("share");
            }
            nests.to_string()
        });
        let mut nests: Vec<String> = nests.collect();
        nests.sort();
        nests
    };
    let expected = figures(&in_order(&|at| at));
    let count = texts.len();
    for other in [
        in_order(&|at| count - at),
        in_order(&|at| (7 * at + 3) % 101),
        in_order(&|at| (13 * at + 5) % 101),
    ] {
        assert_eq!(figures(&other), expected);
    }
}

fn ran(directory: &Path, arguments: &[&str]) -> std::process::Output {
    let mut program = Command::cargo_bin("loopsheet").expect("the program");
    program
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("runs")
}

fn run(directory: &Path, arguments: &[&str]) -> String {
    let output = ran(directory, arguments);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A size on which hardly any time rests, and one of a procedure that no call leads to, are no roots.
#[test]
fn roots_are_what_time_rests_on() {
    let json = |name: &str, text: &str| {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join(name), text).expect("written");
        let json = run(directory.path(), &["parameters", name, "--json", "-"]);
        let json: Value = serde_json::from_str(&json).expect("JSON");
        json["parameters"].clone()
    };
    let found = json(
        "a.c",
        "#include <stdlib.h>
        void unused(int depth, double *a) { for (int i = 0; i < depth; i++) a[i] = 0; }
        int main(int argc, char **argv) {
          int large = 4000, few = 4; double *a = malloc(8);
          if (argc > 2) { large = atoi(argv[1]); few = atoi(argv[2]); }
          for (int i = 0; i < large; i++) for (int j = 0; j < large; j++) a[j] += a[i];
          for (int i = 0; i < few; i++) a[i] = 1;
          return 0;
        }",
    );
    let standing = |name: &str| (found[name]["root"].clone(), found[name]["given"].clone());
    assert_eq!(standing("large"), (true.into(), "root".into()));
    assert_eq!(standing("few"), (false.into(), "minor".into()));
    assert_eq!(standing("depth"), (false.into(), "unreached".into()));
}

#[test]
fn parameters_are_listed_by_influence_and_written_as_a_file_that_is_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = PARTED.replace(
        "      a(i) = 2.0d0*a(i)",
        "      if (a(i) > 0.0d0) a(i) = 2.0d0*a(i)",
    );
    std::fs::write(directory.path().join("a.f90"), source).expect("written");
    let table = run(directory.path(), &["parameters", "a.f90"]);
    assert!(
        table.contains("cells") && table.contains("read by the program"),
        "{table}"
    );
    assert!(table.contains("if (a(i)"), "{table}");
    let json = run(directory.path(), &["parameters", "a.f90", "--json", "-"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["schema"], "loopsheet/parameters/1");
    assert_eq!(json["parameters"]["cells"]["root"], true);
    run(
        directory.path(),
        &["parameters", "a.f90", "--write", "loopsheet.toml"],
    );
    let file = directory.path().join("loopsheet.toml");
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, text.replace("\"cells\" = 40", "\"cells\" = 2000")).expect("written");
    let json = run(directory.path(), &["analyze", "a.f90", "--json", "-"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(iterations(&json, "smooth"), [1004.0]);
    assert_eq!(parameter(&json, "cells"), (2000.0, "config".to_string()));

    // Values that were set are written again; what such a list does not have is not lost.
    let write = ["parameters", "a.f90", "--write", "loopsheet.toml"];
    run(directory.path(), &write);
    let again = std::fs::read_to_string(&file).expect("a file");
    assert!(again.contains("\"cells\" = 2000"), "{again}");
    let more = format!("machine = \"grace\"\n{again}");
    std::fs::write(&file, &more).expect("written");
    let output = ran(directory.path(), &write);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("it has `machine`, which would be lost"),
        "{message}"
    );
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), more);
}

/// Arrays without an extent have as many elements as what they begin with; gcov counts the same.
#[test]
fn arrays_have_as_many_elements_as_they_begin_with() {
    let json = c("#define COUNT(x) (sizeof(x)/sizeof((x)[0]))
const char *words[] = { \"one\", \"two\", \"three\" };
static double g[] = {1, 2, 3, 4};
int t[][3] = {{1, 2, 3}, {4, 5, 6}};
int flat[][2] = {1, 2, 3, 4, 5, 6};
double s;
int sum(int *a, int n) { int r = 0; for (int i = 0; i < n; i++) r += a[i]; return r; }
int main(void) {
  int x[] = {1, 2, 1, 4, 5, 2, 15, 1, 3, 4}, y[] = {[5] = 3, 7};
  char text[] = \"two\\n\\x41\";
  int n = sizeof(x)/sizeof(x[0]);
  for (int i = 0; i < n; i++) s += x[i];
  for (int i = 0; i < sizeof x / sizeof *x; i++) s += x[i];
  for (int i = 0; i < COUNT(y); i++) s += y[i];
  for (int i = 0; i < COUNT(g); i++) s += g[i];
  for (int i = 0; i < COUNT(t); i++) s += t[i][1];
  for (int i = 0; i < COUNT(words); i++) s += words[i][0];
  char parts[] = \"one\" \"four\", braced[] = {\"braces\"};
  for (int i = 0; i < sizeof text - 1; i++) s += text[i];
  for (int i = 0; i < sizeof parts; i++) s += parts[i];
  for (int i = 0; i < sizeof braced; i++) s += braced[i];
  return sum(x, COUNT(x));
}");
    let counts = [10.0, 10.0, 7.0, 4.0, 2.0, 3.0, 5.0, 8.0, 7.0];
    assert_eq!(iterations(&json, "main"), counts);
    assert_eq!(iterations(&json, "sum"), [10.0]);
    // Where a list leaves out braces, how many rows it makes is left open.
    let json = c("int flat[][2] = {1, 2, 3, 4, 5, 6};
double s;
void f(void) { for (int i = 0; i < sizeof flat / sizeof flat[0]; i++) s += flat[i][0]; }");
    let nest = &crate::small::function(&json, "f")["nests"][0];
    assert_ne!(nest["reasons"], serde_json::json!([]));
}
