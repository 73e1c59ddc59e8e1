//! Procedures that are called once a level, with sizes that fall from level to level.

use serde_json::Value;

use crate::small::{fortran, function};

/// The time of all calls of the only nest of a procedure, over that of one of the largest size.
fn full_calls(json: &Value, name: &str) -> f64 {
    let nest = &function(json, name)["nests"][0];
    nest["all_calls_seconds"].as_f64().expect("a time")
        / nest["one_call_seconds"].as_f64().expect("a time")
}

/// `given` gives the levels their sizes, `calls` calls the smoother, whose loops end at its second argument.
fn program(given: &str, calls: &str) -> Value {
    fortran(&format!(
        "
module grids
  integer :: n(10), m(10), top = 6
end module
subroutine smooth(u, k)
  integer :: k, i, j
  real(8) :: u(k, k)
  do j = 1, k
    do i = 1, k
      u(i, j) = 2 * u(i, j)
    end do
  end do
end subroutine
program p
  use grids
  real(8) :: u(100000)
  integer :: k, j
  {given}
  {calls}
end program"
    ))
}

const HALVED: &str = "n(top) = 64
  do k = top - 1, 1, -1
    n(k) = n(k + 1) / 2
  end do
  do k = 1, top
    m(k) = n(k) + 2
  end do";

/// Areas of the levels, the largest one as one, from the level `first` below it on.
fn areas(first: i32, levels: i32) -> f64 {
    (first..first + levels)
        .map(|below| 0.25_f64.powi(below))
        .sum()
}

#[test]
fn calls_once_a_level_count_by_their_sizes() {
    let near = |json: &Value, expected: f64| {
        let found = full_calls(json, "smooth");
        assert!(
            (found - expected).abs() < 1e-9 * expected,
            "{found} {expected}"
        );
        let calls = function(json, "smooth")["nests"][0]["calls_reasons"].clone();
        assert_eq!(calls, serde_json::json!(["approximate_trip_count"]));
    };
    let down = "do k = top, 1, -1\n call smooth(u, m(k))\n end do";
    near(&program(HALVED, down), areas(0, 6));
    let up = "do k = 2, top\n call smooth(u, m(k))\n end do";
    near(&program(HALVED, up), areas(0, 5));
    // Each level with the next smaller one.
    let coarse = "do k = top, 2, -1\n j = k - 1\n call smooth(u, n(j))\n end do";
    near(&program(HALVED, coarse), areas(1, 5));
    // And once more the largest.
    near(
        &program(HALVED, &format!("{down}\n call smooth(u, m(top))")),
        areas(0, 6) + 1.0,
    );
}

/// Sizes that do not fall count once for each call.
#[test]
fn sizes_that_do_not_fall_count_alike() {
    let json = program(
        "n(:) = 64\n m(:) = 66",
        "do k = 1, 6\n call smooth(u, m(k))\n end do",
    );
    let found = full_calls(&json, "smooth");
    assert!((found - 6.0).abs() < 1e-9, "{found}");
}
