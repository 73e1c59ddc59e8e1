//! Numbers that are read and changed before procedures get them.

use serde_json::Value;

use crate::small::{analyse, function, iterations};

/// The iterations of the first nest of `work`, with nothing set and where what is read is 500.
fn sizes(name: &str, text: &str) -> [f64; 2] {
    let first = |settings: &[&str]| iterations(&analyse(&[(name, text)], settings), "work")[0];
    [first(&[]), first(&["n=500"])]
}

fn c(rest: &str) -> [f64; 2] {
    let text = format!("#include <stdio.h>\n#include <stdlib.h>\ndouble x[100000];\n{rest}");
    sizes("a.c", &text)
}

#[test]
fn what_is_read_is_changed_before_it_is_passed() {
    let work = "void work(int k) { for (int i = 0; i < k; i++) x[i] = 1; }\n";
    let with = |main: &str| {
        c(&format!(
            "{work}int main(int argc, char **argv) {{ {main} return 0; }}"
        ))
    };
    assert_eq!(
        with("int n = atoi(argv[1]); n = n*4; work(n);"),
        [512.0, 2000.0]
    );
    assert_eq!(
        with("int n; scanf(\"%d\", &n); n *= 2; n += 1; work(n);"),
        [257.0, 1001.0]
    );
    // Its own default is changed likewise, and so is the word on the command line.
    let default = "int n = 600; if (argc > 1) n = atoi(argv[1]); n++; work(n);";
    assert_eq!(with(default), [601.0, 501.0]);
    let chosen = "int n = argc > 1 ? atoi(argv[1]) : 600; n = n/2; work(n);";
    assert_eq!(with(chosen), [300.0, 250.0]);
    // Before it is changed, it is as it was read.
    let before = "int n = atoi(argv[1]); work(n); n = 4*n;";
    assert_eq!(with(before), [128.0, 500.0]);
}

#[test]
fn storage_that_procedures_share_is_changed_likewise() {
    let global = "int n; void work(void) { for (int i = 0; i < n; i++) x[i] = 1; }
         int main(int argc, char **argv) { n = atoi(argv[1]); n = 4*n; work(); return 0; }";
    assert_eq!(c(global), [512.0, 2000.0]);
    let member = "struct s { int n; };
         void work(struct s *p) { for (int i = 0; i < p->n; i++) x[i] = 1; }
         int main(int argc, char **argv) { struct s a; a.n = atoi(argv[1]); a.n = 4*a.n; work(&a); return 0; }";
    assert_eq!(c(member), [512.0, 2000.0]);
    let module = "module m\n integer :: n\n real(8) :: x(100000)\ncontains\n subroutine work()
         integer :: i\n do i = 1, n\n x(i) = 1\n end do\n end subroutine\nend module
         program p\n use m\n integer :: ghost = 2\n read (*, *) n\n n = n + 2*ghost\n call work\nend program\n";
    assert_eq!(sizes("a.f90", module), [132.0, 504.0]);
    let common = "program p\n common /c/ n\n read (*, *) n\n n = 4*n\n call work\nend program
         subroutine work\n common /c/ n\n real(8) :: x(100000)\n do i = 1, n\n x(i) = 1\n end do
         print *, x(3)\nend subroutine\n";
    assert_eq!(sizes("a.f90", common), [512.0, 2000.0]);
}

/// The name of what is read is that of the root, and what is made of it a formula.
#[test]
fn what_is_made_of_a_root_follows_from_it() {
    let text = "#include <stdlib.h>\ndouble x[100000];\nvoid work(int k) { for (int i = 0; i < k; i++) x[i] = 1; }
         int main(int argc, char **argv) { int n = atoi(argv[1]); n = 4*n; work(n); return 0; }";
    let json = analyse(&[("a.c", text)], &["n=500"]);
    assert_eq!(json["parameters"]["n"]["value"], 500.0);
    assert_eq!(json["parameters"]["n"]["origin"], "set");
    assert_eq!(json["parameters"]["n_2"]["value"], 2000.0);
}

fn is_marked(json: &Value) -> bool {
    let reasons = &function(json, "work")["nests"][0]["reasons"];
    let mut codes = reasons.as_array().expect("reasons").iter();
    codes.any(|code| code == "several_sizes")
}

/// A number that is set, and that a branch or a loop may change before it is passed.
#[test]
fn what_a_branch_may_change_is_marked() {
    let marked = |behind: &str| {
        let text = format!(
            "#include <stdlib.h>\ndouble x[100000];\nint mode(void);
             void work(int k) {{ for (int i = 0; i < k; i++) x[i] = 1; }}
             int main(int argc, char **argv) {{ int n = atoi(argv[1]); {behind} work(n); return 0; }}"
        );
        is_marked(&analyse(&[("a.c", &text)], &["n=500"]))
    };
    assert!(!marked(""));
    assert!(!marked("n = 4*n;"));
    assert!(marked("if (mode() > 3) n = 4*n;"));
    assert!(marked("for (int i = 0; i < 3; i++) n += 2;"));
    assert!(marked("if (n > 5) n = 5000;"));
    assert!(!marked("if (n > 600) n = 5000;"));
    assert!(marked("n = n + 1; if (mode() > 3) n = 2*n;"));
    assert!(!marked("n = n + 1; if (n > 600) n = 2*n;"));
}

/// Other procedures may see what was read before it is changed.
#[test]
fn what_others_see_before_the_change_is_no_certain_size() {
    let text = "#include <stdlib.h>\ndouble x[100000];\nint n;
         void work(void) { for (int i = 0; i < n; i++) x[i] = 1; }
         int main(int argc, char **argv) { n = atoi(argv[1]); work(); n = 4*n; work(); return 0; }";
    assert!(is_marked(&analyse(&[("a.c", text)], &["n=500"])));
    let elsewhere = "#include <stdlib.h>\ndouble x[100000];\nint n;
         void work(void) { for (int i = 0; i < n; i++) x[i] = 1; }
         void widen(void) { n = n + 4; }
         int main(int argc, char **argv) { n = atoi(argv[1]); widen(); work(); return 0; }";
    assert!(is_marked(&analyse(&[("a.c", elsewhere)], &["n=500"])));
}

/// A default is changed by what every run does with it.
#[test]
fn defaults_are_changed_by_what_they_decide() {
    let first = |behind: &str| {
        let text = format!(
            "program p\n integer :: n = 40\n real(8) :: x(100000)\n namelist /c/ n
             read (1, nml = c)\n {behind}\n call work(n)\ncontains\n subroutine work(k)
             integer :: k, i\n do i = 1, k\n x(i) = 1\n end do\n end subroutine\nend program\n"
        );
        iterations(&analyse(&[("a.f90", &text)], &[]), "work")[0]
    };
    assert_eq!(first("if (n > 50) n = 5000"), 40.0);
    assert_eq!(first("if (n > 5) n = 5000"), 5000.0);
    assert_eq!(first("n = n + 20"), 60.0);
    assert_eq!(first("n = n + 20\n if (n > 50) n = 5000"), 5000.0);
    // The arms of a branch are chosen by what the number is in front of it.
    assert_eq!(
        first("if (n > 50) then\n n = 4*n\n else\n n = n + 20\n end if"),
        60.0
    );
    assert_eq!(
        first("if (n > 5) then\n n = 3\n else\n n = 700\n end if"),
        3.0
    );
    let cases = "select case (n)\n case (40)\n n = 3\n case (3)\n n = 700\n end select";
    assert_eq!(first(cases), 3.0);
}

/// A default that another procedure changes, or the one that reads it.
#[test]
fn defaults_that_procedures_change_are_marked() {
    let marked = |text: &str| {
        let text = format!(
            "#include <stdlib.h>\ndouble x[100000];
             void work(int k) {{ for (int i = 0; i < k; i++) x[i] = 1; }}\n{text}"
        );
        is_marked(&analyse(&[("a.c", &text)], &[]))
    };
    let other = |change: &str| {
        marked(&format!(
            "static void change(int *n) {{ {change} }}
             int main(int argc, char **argv) {{
               int n = 10; if (argc > 1) n = atoi(argv[1]); change(&n); work(n); return 0; }}"
        ))
    };
    assert!(other("*n *= 2;"));
    assert!(!other("work(*n);"));
    assert!(marked(
        "static void set(int argc, char **argv, int *n) {
           *n = 1000; if (argc > 1) *n = atoi(argv[1]); *n *= 2; }
         int main(int argc, char **argv) { int n; set(argc, argv, &n); work(n); return 0; }"
    ));
}

/// What is changed again and again is not taken apart; a number with a default in what changes it is not, either.
#[test]
fn changes_that_are_not_taken_apart_are_marked() {
    let marked = |change: &str| {
        let text = format!(
            "#include <stdlib.h>\ndouble x[100000];
             void work(int k) {{ for (int i = 0; i < k; i++) x[i] = 1; }}
             int main(int argc, char **argv) {{ int n = atoi(argv[1]); {change} work(n); return 0; }}"
        );
        is_marked(&analyse(&[("a.c", &text)], &["n=500"]))
    };
    assert!(!marked(&"n = n + 1;".repeat(8)));
    assert!(marked(&"n = n + 1;".repeat(9)));
    assert!(marked("n = n % 2 ? n + 1 : 3*n;"));
}
