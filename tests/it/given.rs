//! What a program is given: what it reads, and where its sources are read.

use serde_json::Value;

use crate::small::{analyse, c, fortran, iterations};

/// The names of the roots that the program reads.
fn read(json: &Value) -> Vec<&str> {
    let parameters = json["parameters"].as_object().expect("parameters");
    let is_read = |parameter: &Value| parameter["origin"] == "given";
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
