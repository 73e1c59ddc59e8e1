//! Arrays of structures, and pointers of other types into arrays, counted by hand.

use crate::small::{self, array, c, fortran};

/// Four real components of 8 bytes: 32 bytes from one structure to the next.
#[test]
fn components_of_fortran_arrays_of_structures_are_a_structure_apart() {
    let json = fortran(
        "module m
           type pt
             real(8) :: x, y, z, w
           end type
           type cell
             real(8) :: rho
             integer :: id
             real(8) :: v(2)
             type(pt), pointer :: link
           end type
           type grid
             integer :: n
             type(cell), allocatable :: c(:)
           end type
         contains
           subroutine points(p, n)
             type(pt) :: p(n)
             do i = 1, n
               p(i)%x = p(i)%y * 2
             end do
           end subroutine
           subroutine cells(g, n)
             type(grid) :: g
             do i = 1, n
               g%c(i)%rho = g%c(i)%v(2)
             end do
           end subroutine
           subroutine whole(g)
             type(grid) :: g
             g%c(:)%rho = 0
           end subroutine
         end module",
    );
    let p = array(&json, "points", "p");
    assert_eq!(
        (p["element_bytes"].as_u64(), p["subscripts"][0].as_str()),
        (Some(8), Some("4*i"))
    );
    // x is the first and y the second of four.
    let offsets = |a: &serde_json::Value| -> Vec<i64> {
        a["accesses"]
            .as_array()
            .expect("accesses")
            .iter()
            .map(|o| o["offset"][0].as_i64().expect("a number"))
            .collect()
    };
    assert_eq!(offsets(p), [1, 0]);
    // 8 + 4 and 4 to align + 2 times 8 + an address of 8: 40 bytes; v(2) is the fourth number of 8 bytes.
    let cell = array(&json, "cells", "g%c");
    assert_eq!(cell["subscripts"][0].as_str(), Some("5*i"));
    assert_eq!(offsets(cell), [3, 0]);
    assert_eq!(
        array(&json, "whole", "g%c")["subscripts"][0]
            .as_str()
            .map(|s| s.starts_with("5*")),
        Some(true)
    );
}

#[test]
fn structures_of_unknown_size_have_a_reason() {
    let json = fortran(
        "subroutine s(p, n)
           use elsewhere, only: k
           type odd
             real(8) :: x
             real(8) :: y(k)
           end type
           type(odd) :: p(n)
           do i = 1, n
             p(i)%x = 0
           end do
         end subroutine",
    );
    assert_eq!(small::reasons(&json, "s"), ["unknown_layout"]);
}

/// Pointers of other types into an array are arrays of their own type that share its storage.
#[test]
fn pointers_that_are_cast_have_elements_of_their_own_type() {
    let json = c("#include <complex.h>
        struct quad { float a, b, c, d; };
        void parts(double complex *z, int n) { double *d = (double *)z; for (int i = 0; i < n; i++) d[i] = 0; }
        void floats(double *x, int n) { float *f = (float *)x; for (int i = 0; i < n; i++) f[i] = 0; }
        void bytes(double *a, int n) { char *c = (char *)a; for (int i = 0; i < n; i++) c[i] = 0; }
        void raw(char *raw, int n) { double *e = (double *)(raw + 64); for (int i = 0; i < n; i++) e[i] = 0; }
        void quads(struct quad *p, int n) { float *f = (float *)p; for (int i = 0; i < n; i++) f[i] = 0; }
        void same(double *a, int n) { double *d = a + 2; for (int i = 0; i < n; i++) d[i] = 0; }
        void both(double *x, int n) {
          float *f = (float *)x;
          for (int i = 0; i < n; i++) f[i] = 0;
          for (int i = 0; i < n; i++) x[i] += 1;
        }");
    for (name, pointer, ty, size) in [
        ("parts", "d", "real8", 8),
        ("floats", "f", "real4", 4),
        ("raw", "e", "real8", 8),
        ("quads", "f", "real4", 4),
    ] {
        let array = array(&json, name, pointer);
        assert_eq!(
            (array["type"].as_str(), array["element_bytes"].as_u64()),
            (Some(ty), Some(size)),
            "{name}"
        );
        assert_eq!(array["subscripts"][0], "i", "{name}");
        assert_eq!(
            small::bytes(&json, name),
            [2.0 * 128.0 * size as f64],
            "{name}"
        );
    }
    assert_eq!(
        array(&json, "bytes", "c")["element_bytes"].as_u64(),
        Some(1)
    );
    // The same type: an element of the array itself.
    assert_eq!(
        array(&json, "same", "a")["accesses"][0]["offset"][0].as_i64(),
        Some(2)
    );
    // The second loop comes after the first.
    let edges = small::function(&json, "both")["dependencies"]
        .as_array()
        .map(|all| all.len());
    assert!(
        edges.is_some_and(|count| count > 0),
        "{:?}",
        small::function(&json, "both")
    );
}

#[test]
fn lists_of_values_are_stored() {
    let json = c("double use(double *);
        void s(double *a, double *b, double *o, int n) {
          for (int i = 0; i < n; i++) { double v[3] = {a[i], b[i], 0}; o[i] = v[0] + v[1] + v[2]; }
        }
        void table(double *o, int n) {
          for (int i = 0; i < n; i++) { double v[3] = {1, 2, 3}; o[i] = v[i % 3]; }
        }");
    assert_eq!(small::accesses(&json, "s", "v"), [3, 3]);
    assert_eq!(small::accesses(&json, "s", "a"), [1, 0]);
    // There before the program runs.
    assert_eq!(small::accesses(&json, "table", "v"), [1, 0]);
}

/// Every element leads elsewhere by a pointer: nobody knows how far apart these places lie. Arrays behind pointers have
/// their elements beside each other.
#[test]
fn scalars_behind_pointers_have_an_unknown_layout() {
    let json = crate::small::fortran(
        "
module m
  type node
    real(8) :: x, y, z
    integer :: ident
    real(8), allocatable :: of(:)
  end type
  type holder
    type(node), pointer :: p
  end type
end module
subroutine count(c, n, k, s)
  use m
  type(holder) :: c(:)
  integer :: n, k, s, j
  do j = 1, n
    if (c(j)%p%ident == k) s = s + 1
  end do
end subroutine
subroutine scale(c, n, k)
  use m
  type(holder) :: c(:)
  integer :: n, k, j
  do j = 1, n
    c(k)%p%of(j) = 2*c(k)%p%of(j)
  end do
end subroutine",
    );
    let reasons = |name: &str| {
        let functions = json["functions"].as_array().expect("functions");
        let found = functions.iter().find(|f| f["name"] == name);
        found.expect("the function")["nests"][0]["reasons"].clone()
    };
    assert!(
        reasons("count").to_string().contains("unknown_layout"),
        "{}",
        reasons("count")
    );
    assert_eq!(reasons("scale"), serde_json::json!([]));
}

/// A structure without a name goes by its variable, and one of another file is another one.
#[test]
fn structures_without_names_go_by_their_variables() {
    let limits = "#include <stdlib.h>
static struct { int n; } limits;
static double v[9000];
void a(char *x) {
  limits.n = atoi(x);
  for (int i = 0; i < limits.n; i++) v[i] += 1;
}";
    let other = "#include <stdlib.h>
static struct { int n; struct { int m; } inner; } other;
static double v[9000];
void a(char *);
int main(int argc, char **argv) {
  other.n = 300;
  other.inner.m = atoi(argv[1]);
  for (int i = 0; i < other.n; i++) v[i] += 1;
  for (int i = 0; i < other.inner.m; i++) v[i] += 1;
  a(argv[2]);
}";
    let json = small::analyse(&[("a.c", limits), ("b.c", other)], &[]);
    assert_eq!(small::iterations(&json, "a"), [128.0]);
    assert_eq!(small::iterations(&json, "main"), [300.0, 128.0]);
    let parameters = json["parameters"].as_object().expect("parameters");
    for name in ["limits_n", "inner_m"] {
        assert!(parameters.contains_key(name), "{name} of {parameters:?}");
    }
}

/// Blocks side by side may have structures, and numbers, of one name.
#[test]
fn variables_of_other_blocks_are_others() {
    let json = c("double a[100];
int n;
int main(void) {
  int i;
  { struct { int n; } s = {8}; for (i = 0; i < s.n; i++) a[i] += 1; }
  { struct { int n; } s = {9}; for (i = 0; i < s.n; i++) a[i] += 1; }
  { int n; n = 10; for (i = 0; i < n; i++) a[i] += 1; }
  { int n; n = 11; for (int i = 0; i < n; i++) a[i] += 1; }
  { int i; for (i = 0; i < 12; i++) a[i] += 1; }
  return 0;
}");
    let counts = [8.0, 9.0, 10.0, 11.0, 12.0];
    assert_eq!(small::iterations(&json, "main"), counts);
}
