//! What writing numbers as text costs, against counts by hand: 150 ns each unless the machine says otherwise.

use serde_json::Value;

use crate::small::function;
use crate::support::command::analysed_text;

/// On the default machine: ExaSAT counts no output.
fn fortran(text: &str) -> Value {
    analysed_text("a.f90", text, &["--no-config"])
}

fn only_nest(json: &Value, name: &str) -> Value {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    assert_eq!(nests.len(), 1, "{name}");
    nests[0].clone()
}

/// Numbers written, seconds of that and of all, what bounds it.
fn check(nest: &Value, numbers: f64) {
    let figure = |key: &str| nest[key].as_f64().unwrap_or_else(|| panic!("no {key}"));
    let seconds = numbers * 150e-9;
    assert!(
        (figure("texts") - numbers).abs() < 1e-9,
        "{}",
        nest["texts"]
    );
    assert!((figure("text_seconds") - seconds).abs() < 1e-12);
    assert!((figure("seconds") - seconds).abs() < 1e-12);
    assert_eq!(nest["bound"], "text");
}

#[test]
fn numbers_of_formatted_statements_count_and_texts_and_unformatted_ones_do_not() {
    let json = fortran(
        "
subroutine lines(u)
  real(8) :: u(1000)
  integer :: i
  do i = 1, 1000
    write (10, *) i, u(i), 'metres'
    write (10, 100) u(i)
    write (unit=10, fmt='(f12.5)') u(i) + 1
    write (11) u(i)
    write (12, rec=i) u(i)
    print *, u(i)
  end do
100 format (es12.4)
end subroutine
subroutine whole(u)
  real(8) :: u(20, 50)
  write (10, *) u
end subroutine
subroutine listed(u)
  real(8) :: u(1000)
  integer :: i
  write (10, '(4f8.3)') (u(i), i = 1, 1000, 2)
end subroutine
subroutine binary(u)
  real(8) :: u(1000)
  write (10) u
end subroutine",
    );
    // i and u(i); u(i); u(i) + 1; u(i).
    check(&only_nest(&json, "lines"), 5.0 * 1000.0);
    check(&only_nest(&json, "whole"), 20.0 * 50.0);
    check(&only_nest(&json, "listed"), 500.0);
    let binary = only_nest(&json, "binary");
    assert!(binary.get("texts").is_none() && binary["bound"] != "text");
}

#[test]
fn what_follows_a_format_counts_with_the_branches_around_it() {
    let json = analysed_text(
        "a.c",
        "
#include <stdio.h>
void table(FILE *f, const double *x, const char *unit)
{
    char line[80];
    for (int i = 0; i < 1000; i++) {
        fprintf(f, \"%d %g %s\\n\", i, x[i], unit);
        if (i % 10 == 0) printf(\"%g\\n\", x[i]);
        snprintf(line, sizeof line, \"%g\", x[i]);
        fputs(line, f);
        printf(\"\\n\");
    }
}",
        &["--no-config"],
    );
    // Two, a tenth, and one; the text is none.
    check(&only_nest(&json, "table"), 3.1 * 1000.0);
}

#[test]
fn the_machine_says_how_long_a_number_takes() {
    let source = "
subroutine lines(u)
  real(8) :: u(1000)
  integer :: i
  do i = 1, 1000
    write (10, *) u(i)
  end do
end subroutine";
    let with = |setting| analysed_text("lines.f90", source, &["--no-config", "--set", setting]);
    let json = with("text_ns=400");
    let nest = only_nest(&json, "lines");
    assert_eq!(nest["seconds"].as_f64(), Some(400e-6));
    let json = with("text_ns=0");
    let nest = only_nest(&json, "lines");
    assert!(nest["seconds"].as_f64().expect("seconds") < 1e-6);
    assert_ne!(nest["bound"], "text");
}

/// A line that a loop around several others prints makes no nest of it.
#[test]
fn progress_of_a_loop_around_others_is_no_nest() {
    let json = fortran(
        "
subroutine steps(u, v)
  real(8) :: u(1000), v(1000)
  integer :: i, step
  do step = 1, 10
    print *, step
    do i = 1, 1000
      u(i) = u(i) + 1
    end do
    do i = 1, 1000
      v(i) = v(i) + u(i)
    end do
  end do
end subroutine",
    );
    let nests = function(&json, "steps")["nests"].as_array().expect("nests");
    assert_eq!(nests.len(), 2);
    assert!(nests.iter().all(|nest| nest.get("texts").is_none()));
}
