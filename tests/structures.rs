//! Arrays of structures, and pointers of other types into arrays, counted by hand.

mod small;

use small::{array, c, fortran};

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
    assert_eq!((p["element_bytes"].as_u64(), p["subscripts"][0].as_str()), (Some(8), Some("4*i")));
    // x is the first and y the second of four.
    let offsets = |a: &serde_json::Value| -> Vec<i64> {
        a["accesses"].as_array().expect("accesses").iter().map(|o| o["offset"][0].as_i64().expect("a number")).collect()
    };
    assert_eq!(offsets(p), [1, 0]);
    // 8 + 4 and 4 to align + 2 times 8 + an address of 8: 40 bytes; v(2) is the fourth number of 8 bytes.
    let cell = array(&json, "cells", "g%c");
    assert_eq!(cell["subscripts"][0].as_str(), Some("5*i"));
    assert_eq!(offsets(cell), [3, 0]);
    assert_eq!(array(&json, "whole", "g%c")["subscripts"][0].as_str().map(|s| s.starts_with("5*")), Some(true));
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
