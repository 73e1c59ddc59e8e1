//! Counts that the source fixes: what overflows or divides by nothing has none, real numbers are added up as programs add
//! them, and functions of texts that are constant are numbers. GCC's programs count how often each loop runs.

use serde_json::Value;

use crate::small::{c, fortran, iterations, reasons};
use crate::support::command;

fn is_guessed(json: &Value) -> bool {
    let parameters = json["parameters"].as_object().expect("parameters");
    parameters.values().any(|one| one["origin"] == "guessed")
}

/// The iterations of a loop of C up to a bound; nothing where they are guessed.
fn up_to(before: &str, bound: &str) -> Option<f64> {
    let json = c(&format!(
        "#include <string.h>\ndouble t;
int main(void) {{ {before} for (long i = 0; i < {bound}; i++) t += 1; return 0; }}\n"
    ));
    let count = *iterations(&json, "main").last().expect("a nest");
    (!is_guessed(&json) && reasons(&json, "main").is_empty()).then_some(count)
}

#[test]
fn what_overflows_has_no_number() {
    let unknown = [
        ("int n = 2147483647;", "n + 1"),
        ("", "65536 * 65536 + 5"),
        ("int w = 65536;", "w * w + 5"),
        ("int w = 65536; long x = 65536 * w;", "x + 7"),
        ("", "1000000 * 5000 / 1000000"),
        ("", "5 % 0"),
        ("int z = 0;", "5 / z + 3"),
    ];
    for (before, bound) in unknown {
        assert_eq!(up_to(before, bound), None, "{before} {bound}");
    }
    let known = [
        ("", "50000L * 50000 / 50000", 50000.0),
        ("int n = 60000;", "n * 60000LL / 600000000", 6.0),
        ("", "sizeof(int) * 1000000000 / 1000000000", 4.0),
        ("", "(1 << 31) / (1 << 29) + 10", 6.0),
        ("", "1L << 33 >> 30", 8.0),
        ("unsigned u = 4294967295u;", "u + 6", 5.0),
        ("int m = 46340;", "m * m / 100000000", 21.0),
    ];
    for (before, bound, count) in known {
        assert_eq!(up_to(before, bound), Some(count), "{before} {bound}");
    }
}

#[test]
fn conditions_are_one_or_nothing() {
    let known = [
        ("", "(3>2&&0)+4", 4.0),
        ("", "(0 || 2) + 4", 5.0),
        (
            "int n = 60000;",
            "(n > 5 && n < 10) + (n > 5 || n < 10) + 1",
            2.0,
        ),
    ];
    for (before, bound, count) in known {
        assert_eq!(up_to(before, bound), Some(count), "{before} {bound}");
    }
}

#[test]
fn texts_of_c_have_their_lengths() {
    let known = [
        (r#"strlen("a\n\tb")"#, 4.0),
        (r#"strlen("a\0b")"#, 1.0),
        (r#"strlen("\x41\102\\" "xyz")"#, 6.0),
        (r#"strlen("\u00e9a")"#, 3.0),
        (r#"strlen("de\"")"#, 3.0),
    ];
    for (bound, count) in known {
        assert_eq!(up_to("", bound), Some(count), "{bound}");
    }
}

/// Rounds of a loop of C over real numbers, with a body that moves them.
fn rounds(before: &str, condition: &str, body: &str) -> f64 {
    let json = c(&format!(
        "volatile double v;
int main(void) {{ {before} while ({condition}) {{ {body} v = 1; }} return 0; }}\n"
    ));
    assert!(!is_guessed(&json), "{before} {condition} {body}");
    *iterations(&json, "main").last().expect("a nest")
}

#[test]
fn real_numbers_are_added_up_as_programs_do() {
    let cases = [
        ("double t = 0, dt = 0.1;", "t < 1", "t += dt; t += dt;", 6.0),
        ("double t = 0;", "t < 1", "t += 0.1f;", 10.0),
        ("double t = 0;", "t < 1", "t += 0.1;", 11.0),
        ("float t = 0;", "t < 1", "t += 0.1;", 10.0),
        ("double t = 1;", "t < 1000", "t *= 1.1;", 73.0),
        ("double t = 1;", "t > 1e-6", "t /= 2;", 20.0),
        ("double e = 1;", "1 + e > 1", "e /= 2;", 53.0),
        ("double a = 10, b = 1;", "a > b", "a -= 0.7; b += 0.4;", 9.0),
        ("double t = 2;", "t < 1", "t += 0.1;", 0.0),
    ];
    for (before, condition, body, count) in cases {
        assert_eq!(
            rounds(before, condition, body),
            count,
            "{before} {condition} {body}"
        );
    }
    let of_fortran = |step: &str| {
        let json = fortran(&format!(
            "program p
  double precision :: t
  real :: s
  t = 0
  do while (t < 1)
    t = t + {step}
    s = s + 1
  end do
  print *, s
end program p\n"
        ));
        assert!(!is_guessed(&json), "{step}");
        iterations(&json, "p")[0]
    };
    assert_eq!([of_fortran("0.1"), of_fortran("0.1d0")], [10.0, 11.0]);
}

#[test]
fn functions_of_constants_are_numbers_in_fortran() {
    let cases = [
        ("int(0.7*10)", 7.0),
        ("nint(1.0/dx)", 10.0),
        ("ceiling(2.05/dx)", 21.0),
        ("len(text)", 4.0),
        ("len(cut) + len_trim(cut)", 6.0),
        ("len(text // 'ab') + len(text(2:3))", 8.0),
        ("index(text, 's') + index('banana', 'an', .true.)", 8.0),
        ("ichar('a') - ichar(text(1:1))", -8.0),
        ("sign(5, -3) + 8", 3.0),
        ("dim(8, 3) + dim(3, 8)", 5.0),
        ("storage_size(1.0d0) + storage_size('abc')", 88.0),
        ("scan(text, 'st') + verify(text, 'it')", 5.0),
        ("range(1) + precision(1.0d0)", 24.0),
        ("selected_real_kind(15)", 8.0),
        ("3_8 * 1000000000_8 / 1000000000", 3.0),
    ];
    for (bound, count) in cases {
        let json = fortran(&format!(
            "program p
  real, parameter :: dx = 0.1
  character(*), parameter :: text = 'it''s'
  character(3), parameter :: cut = 'abcdef'
  integer, parameter :: n = {bound}
  integer :: i, s
  do i = 1, n
    s = s + 1
  end do
  do i = 1, {bound}
    s = s + 1
  end do
  print *, s
end program p\n"
        ));
        assert!(!is_guessed(&json), "{bound}");
        let count = f64::max(count, 0.0);
        assert_eq!(iterations(&json, "p"), [count, count], "{bound}");
    }
}

#[test]
fn a_change_sees_what_was_changed_before_it() {
    let source = "program p
  integer :: n, m, i, s
  namelist /run/ n, m
  read (*, nml=run)
  if (n > m) n = m
  m = m + 1
  do i = 1, n
    s = s + 1
  end do
  print *, s
end program p\n";
    let directory = tempfile::tempdir().expect("a directory");
    let input = directory.path().join("run.nml");
    std::fs::write(&input, "&run\n n = 100\n m = 50\n/\n").expect("a file");
    std::fs::write(directory.path().join("a.f90"), source).expect("a file");
    let input = input.to_str().expect("UTF-8");
    let path = directory.path().join("a.f90");
    let json = command::analysed(path.clone(), &["--input", input]);
    assert_eq!(iterations(&json, "p"), [50.0]);
    // Where that comes first, too, under a condition, what is asked for is not followed.
    let before = "  if (n > m) n = m\n  m = m + 1\n";
    let under = "  if (m > 5) m = m + 1\n  if (n > m) n = m\n";
    std::fs::write(&path, source.replace(before, under)).expect("a file");
    let json = command::analysed(path, &["--input", input]);
    assert_eq!(json["parameters"]["n"]["detail"], "callers_differ");
}

#[test]
fn a_number_close_behind_the_size_of_a_type_is_added_to_it() {
    let typedef = "typedef int T; int x = 7;";
    let cases = [
        ("", "sizeof(int[5])-1", 19.0),
        ("", "sizeof(int)+1", 5.0),
        ("", "sizeof(int[5])/sizeof(int)-1", 4.0),
        ("", "sizeof(int) -1", 3.0),
        ("", "sizeof(int[5])-1*2", 18.0),
        ("", "sizeof(int[5])-2*3-1*4/2", 12.0),
        ("", "100/sizeof(int)-6*2/3+5", 26.0),
        ("", "30-sizeof(int)-1", 25.0),
        ("", "30-2*sizeof(int)-1", 21.0),
        ("", "30-80/sizeof(int)-1*2", 8.0),
        ("", "sizeof(int)*sizeof(int)-1", 15.0),
        ("", "(int)sizeof(double)-1", 7.0),
        ("", "(sizeof(char[8])-1 > 3)", 1.0),
        ("", "(sizeof(int)-1)*5", 15.0),
        ("", "sizeof(int)*3", 12.0),
        ("", "(sizeof(int)&6)", 4.0),
        (typedef, "sizeof(T)-1*2", 2.0),
        (typedef, "sizeof(T)*x+1", 29.0),
        (typedef, "(sizeof(T)&x)", 4.0),
        (typedef, "sizeof(double)-x", 1.0),
        ("enum { N = 80/sizeof(int)-1*2 };", "N", 18.0),
        ("char a[30-2*sizeof(int)-1];", "sizeof a", 21.0),
        ("enum { M = sizeof(int[5])+1 };", "M - 1", 20.0),
    ];
    for (before, bound, count) in cases {
        assert_eq!(up_to(before, bound), Some(count), "{before} {bound}");
    }
    assert_eq!(up_to("", "30 + -sizeof(int)-1"), None);
}

#[test]
fn constants_are_rounded_to_what_their_types_hold() {
    let of = |before: &str| {
        let json = c(&format!(
            "volatile double v; const float whole = 0.01; static const float own = 0.01;
int main(void) {{ {before} for (double t = 0; t < 1; t += dt) v = 1; return 0; }}\n"
        ));
        assert!(!is_guessed(&json), "{before}");
        *iterations(&json, "main").last().expect("a nest")
    };
    let cases = [
        ("const float dt = 0.01;", 101.0),
        ("static const float dt = 0.01;", 101.0),
        ("const double dt = whole;", 101.0),
        ("const double dt = own;", 101.0),
        ("const double dt = 0.01;", 100.0),
    ];
    for (before, count) in cases {
        assert_eq!(of(before), count, "{before}");
    }
    let end = rounds(
        "const float end = 0.3; double s = 0;",
        "s < end",
        "s += 0.1;",
    );
    assert_eq!(end, 4.0);
    let json = fortran(
        "program p
  real, parameter :: dt = 0.01d0
  double precision :: t
  real :: s
  t = 0
  do while (t < 1)
    t = t + dt
    s = s + 1
  end do
  print *, s
end program p\n",
    );
    assert_eq!(iterations(&json, "p")[0], 101.0);
}
