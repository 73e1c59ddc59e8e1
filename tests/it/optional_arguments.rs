//! Optional arguments that calls pass or leave out, and pointers to what begins with zero.

use crate::small::{analyse, c, fortran, iterations};

fn program(calls: &str) -> String {
    format!(
        "module m\n real(8) :: x(1000)\ncontains\n subroutine work(n, w, k)
         integer, intent(in) :: n\n real(8), intent(in), optional :: w\n integer, intent(in), optional :: k
         integer :: i\n if (present(w)) then\n do i = 1, n\n x(i) = w\n end do\n end if
         if (.not. present(k)) then\n do i = 1, n\n x(i) = 2\n end do\n end if
         if (present(k)) then\n do i = 1, k\n x(i) = 3\n end do\n end if\n end subroutine
         subroutine pass(n, w)\n integer, intent(in) :: n\n real(8), intent(in), optional :: w
         call work(n, w)\n end subroutine\nend module\nprogram p\n use m\n {calls}\n print *, x(1)\nend program\n"
    )
}

/// The shares of the three branches, in order; how often each nest runs in a call.
fn shares(calls: &str) -> Vec<f64> {
    let json = fortran(&program(calls));
    let parameters = json["parameters"].as_object().expect("parameters");
    let mut shares: Vec<(u64, f64)> = parameters
        .iter()
        .filter_map(|(name, parameter)| {
            let line = name.strip_prefix("prob_work_")?.parse().ok()?;
            Some((line, parameter["value"].as_f64()?))
        })
        .collect();
    shares.sort_by_key(|(line, _)| *line);
    shares.into_iter().map(|(_, share)| share).collect()
}

#[test]
fn all_calls_say_whether_an_argument_is_present() {
    assert_eq!(shares("call work(500, 1d0, 7)"), [1.0, 0.0, 1.0]);
    assert_eq!(shares("call work(500)\n call work(300)"), [0.0, 1.0, 0.0]);
    assert_eq!(shares("call pass(500)\n call work(300)"), [0.0, 1.0, 0.0]);
    assert_eq!(shares("call pass(500, 1d0)"), [1.0, 1.0, 0.0]);
    assert_eq!(
        shares("call work(500)\n call work(300, 1d0)"),
        [0.5, 1.0, 0.0]
    );
}

/// What stands behind an argument that is left out is not passed in its place.
#[test]
fn names_pass_arguments_behind_those_that_are_left_out() {
    assert_eq!(shares("call work(500, k = 7)"), [0.0, 0.0, 1.0]);
    let json = fortran(&program("call work(500, k = 7)"));
    assert_eq!(iterations(&json, "work")[2], 7.0);
}

/// Without a main program, others may call.
#[test]
fn a_library_does_not_know_what_is_passed() {
    let text = program("call work(500)");
    let module = text.split("program p").next().expect("a module");
    let caller = format!("{module}\nsubroutine f\n use m\n call work(500)\nend subroutine\n");
    let json = analyse(&[("a.f90", &caller)], &[]);
    let parameters = json["parameters"].as_object().expect("parameters");
    let mut shares = parameters
        .iter()
        .filter(|(name, _)| name.starts_with("prob_work"));
    assert!(shares.all(|(_, parameter)| parameter["value"] == 0.5));
}

/// The address of something is none of the values that it has.
#[test]
fn addresses_lead_somewhere() {
    let json = c("#include <stdlib.h>\ndouble x[1000];
         void f(double *p) { if (p != NULL) for (int i = 0; i < 100; i++) x[i] = *p; }
         void g(int **p) { if (p != NULL) for (int i = 0; i < 100; i++) x[i] = **p; }
         void h(const int *p) { int is_there = p != NULL; if (is_there) for (int i = 0; i < 100; i++) x[i] = 1; }
         int main(void) { double s = 0; int *q = NULL; int k = 0; f(&s); g(&q); h(&k); f(&s); h(&k); return 0; }");
    for function in ["f", "g", "h"] {
        let parameters = json["parameters"].as_object().expect("parameters");
        let name = format!("prob_{function}_");
        let mut shares = parameters.iter().filter(|(own, _)| own.starts_with(&name));
        assert!(shares.all(|(_, share)| share["value"] == 1.0), "{function}");
    }
}
