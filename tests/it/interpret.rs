//! The accesses of literally run nests against lists written by hand, or made by the same loops in Rust.

use std::sync::Arc;

use loopsheet_analysis::{ProcedureBody, analyze_with_bodies};
use loopsheet_cache::AccessKind;
use loopsheet_interpret::blocks::Blocks;
use loopsheet_interpret::code::Code;
use loopsheet_interpret::compile::compile;
use loopsheet_interpret::compiler::{Chance, Part, Source};
use loopsheet_interpret::run::run;
use loopsheet_interpret::{Access, Refusal, Sink};
use loopsheet_ir::Loop;
use loopsheet_lower as lower;
use loopsheet_source::{Form, SourceText};

/// Accesses one by one, as `r a 8`: kind, array, bytes from its first element.
struct Listing<'c> {
    code: &'c Code,
    lines: Vec<String>,
}

impl Sink for Listing<'_> {
    fn take(&mut self, accesses: &[Access], times: u64) {
        assert_eq!(times, 1, "lines of one byte");
        for access in accesses {
            let start = |array: usize| self.code.initial[self.code.arrays[array].base.0 as usize];
            let address = access.address as i64;
            let array = (0..self.code.arrays.len())
                .filter(|a| start(*a) <= address)
                .max_by_key(|a| start(*a));
            let array = array.unwrap_or_else(|| panic!("nothing lies at {address}"));
            let kind = if access.kind == AccessKind::Load {
                'r'
            } else {
                'w'
            };
            self.lines.push(format!(
                "{kind} {} {}",
                self.code.arrays[array].name,
                address - start(array)
            ));
        }
    }
}

fn bodies(file: &str, text: &str) -> Vec<ProcedureBody> {
    let path: Arc<str> = file.into();
    let source = SourceText::verbatim(&path, text.to_string());
    let unit = match file.ends_with(".c") {
        true => lower::c::lower(&path, &source),
        false => lower::fortran::lower(
            &path,
            Form::Free,
            &source,
            &lower::fortran::Modules::default(),
        ),
    };
    analyze_with_bodies(&[unit]).1
}

/// The loops of a function that stand inside each other from the first one on.
fn chain(body: &ProcedureBody) -> Vec<&Loop> {
    body.loops()
}

fn compiled(body: &ProcedureBody, sizes: &[(&str, i64)], own: usize) -> Result<Code, Vec<Refusal>> {
    let symbol = |name: &str| {
        sizes
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value as f64)
    };
    compile(&Source {
        function: &body.function,
        part: Part::Nest {
            chain: chain(body),
            own,
            blocks: Blocks::default(),
        },
        symbol: &symbol,
        trips: &|_| 3,
        chance: &|_| Chance::of_all(0.25),
        passed: &|name, at| body.passed(name, at),
        most_probed: 5_000_000,
        gap: 0,
    })
}

fn listed(code: &Code) -> Vec<String> {
    let mut listing = Listing {
        code,
        lines: Vec::new(),
    };
    let done = run(code, 1, 1_000_000, &mut listing);
    assert!(!done.cut);
    assert_eq!(done.accesses, listing.lines.len() as u64);
    listing.lines
}

#[track_caller]
fn accesses(file: &str, text: &str, sizes: &[(&str, i64)]) -> Vec<String> {
    let bodies = bodies(file, text);
    let code = compiled(&bodies[0], sizes, 0).unwrap_or_else(|refusals| panic!("{refusals:?}"));
    listed(&code)
}

#[test]
fn two_by_three() {
    let text = "void f(double a[2][3], float b[3][2], double s) {
                  for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = s * b[j][i] + a[i][j]; }";
    let expected = [
        "r b 0", "r a 0", "w a 0", "r b 8", "r a 8", "w a 8", "r b 16", "r a 16", "w a 16", //
        "r b 4", "r a 24", "w a 24", "r b 12", "r a 32", "w a 32", "r b 20", "r a 40", "w a 40",
    ];
    assert_eq!(accesses("t.c", text, &[]), expected);
}

#[test]
fn triangles_strides_and_counting_down() {
    let text = "void f(int n, double a[n][n]) {
                  for (int i = 0; i < n; i++) for (int j = i; j >= 0; j -= 2) a[i][j] += a[j][i]; }";
    let mut expected = Vec::new();
    for i in 0..7i64 {
        let mut j = i;
        while j >= 0 {
            expected.extend(
                [("r", i, j), ("r", j, i), ("w", i, j)]
                    .map(|(k, i, j)| format!("{k} a {}", 8 * (7 * i + j))),
            );
            j -= 2;
        }
    }
    assert_eq!(accesses("t.c", text, &[("n", 7)]), expected);
}

#[test]
fn conditions_on_integers_are_exact() {
    let text = "void f(int n, double a[n], double b[n]) {
                  for (int i = 0; i < n; i++) { if (i % 3 == 1 && i > 1) a[i] = 0; else if (i / 2 == 1) continue;
                                                else b[n - 1 - i] = a[i]; if (i == 5) break; } }";
    // i = 0, 1: else; 2, 3: continue; 4: then; 5: else, and the end.
    let expected = [
        "r a 0", "w b 56", "r a 8", "w b 48", "w a 32", "r a 40", "w b 16",
    ];
    assert_eq!(accesses("t.c", text, &[("n", 8)]), expected);
}

#[test]
fn conditions_on_data_hold_as_often_as_their_probability_says() {
    let text = "void f(int n, double a[n], double b[n]) {
                  for (int i = 0; i < n; i++) if (a[i] > 0) b[i] = 1; }";
    let listed = accesses("t.c", text, &[("n", 1000)]);
    let written = listed.iter().filter(|line| line.starts_with('w')).count();
    assert_eq!(listed.len() - written, 1000);
    assert!(
        (249..=251).contains(&written),
        "a quarter of 1000: {written}"
    );
    let first = listed
        .iter()
        .take(500)
        .filter(|line| line.starts_with('w'))
        .count();
    assert!(
        (95..=105).contains(&first),
        "spread evenly: {first} of the first 400"
    );
}

#[test]
fn loops_without_a_counter() {
    let text = "void f(int n, double *a) { int i = n; while (i > 0) { a[i] = 0; i = i / 2; } }";
    assert_eq!(
        accesses("t.c", text, &[("n", 10)]),
        ["w a 80", "w a 40", "w a 16", "w a 8"]
    );
    let text =
        "void f(int n, double *a) { int i = 3; do { a[i] = 0; i--; } while (i > 0 && a[i] > 0); }";
    // The condition reads, and is not known: three iterations, then i is 0.
    assert_eq!(
        accesses("t.c", text, &[]),
        ["w a 24", "r a 16", "w a 16", "r a 8", "w a 8"]
    );
}

#[test]
fn fortran_bounds_and_storage_order() {
    let text = "subroutine f(n, a, b)\n integer :: n, i, j\n real(8) :: a(-1:n, 2:4), b(3)\n do j = 2, 4, 2\n do i = n, -1, -2\n \
                a(i, j) = a(i, j) + b(j - 1)\n end do\n end do\n end subroutine\n";
    let mut expected = Vec::new();
    for j in [2, 4] {
        for i in [3, 1, -1] {
            let a = 8 * ((i + 1) + 5 * (j - 2));
            expected.extend([
                format!("r a {a}"),
                format!("r b {}", 8 * (j - 2)),
                format!("w a {a}"),
            ]);
        }
    }
    assert_eq!(accesses("t.f90", text, &[("n", 3)]), expected);
}

#[test]
fn members_lie_in_their_structures() {
    let text = "struct particle { double x, y, z; int kind; };
                void f(int n, struct particle *p) { for (int i = 0; i < n; i++) p[i].z = p[i].x * 2; }";
    assert_eq!(
        accesses("t.c", text, &[("n", 2)]),
        ["r p 0", "w p 16", "r p 32", "w p 48"]
    );
}

#[test]
fn pointers_are_followed() {
    let text = "void f(int n, double u[n][n], double *out) {
                  for (int j = 1; j < n; j++) { double *up = u[j - 1]; double *here = &u[j][1]; double *to = out + 2 * j;
                    for (int i = 0; i < 2; i++) *to++ = up[i] + here[i]; } }";
    let mut expected = Vec::new();
    for j in 1..4 {
        for i in 0..2 {
            let u = |j: i64, i: i64| format!("r u {}", 8 * (4 * j + i));
            expected.extend([
                u(j - 1, i),
                u(j, 1 + i),
                format!("w out {}", 16 * (j - 1) + 8 * i),
            ]);
        }
    }
    let listed = accesses("t.c", text, &[("n", 4)]);
    // The first element of `out` that is used is its third.
    let shift = |line: &String| {
        line.strip_prefix("w out ")
            .map(|n| format!("w out {}", n.parse::<i64>().unwrap() - 16))
    };
    let listed: Vec<String> = listed
        .iter()
        .map(|line| shift(line).unwrap_or_else(|| line.clone()))
        .collect();
    assert_eq!(listed, expected);
}

#[test]
fn extents_that_are_not_declared_are_what_is_seen() {
    let text = "subroutine f(n, a, s)\n integer :: n, i, j\n real(8) :: a(:,:), s\n do j = 1, 3\n do i = 1, n\n \
                s = s + a(i + 1, j)\n end do\n end do\n end subroutine\n";
    let expected: Vec<String> = (0..3)
        .flat_map(|j| (1..=4).map(move |i| format!("r a {}", 8 * (5 * j + i))))
        .collect();
    assert_eq!(accesses("t.f90", text, &[("n", 4)]), expected);
}

#[test]
fn integers_that_the_nest_wrote_are_indices() {
    let text = "void f(int n, int perm[n], double a[n], double b[n]) {
                  for (int i = 0; i < n; i++) { perm[i] = n - 1 - i; a[i] = b[perm[i]]; } }";
    let expected = [
        "w perm 0", "r perm 0", "r b 8", "w a 0", "w perm 4", "r perm 4", "r b 0", "w a 8",
    ];
    assert_eq!(accesses("t.c", text, &[("n", 2)]), expected);
}

#[test]
fn indices_from_data_stay_within_the_array() {
    let text = "void f(int n, int col[n], double x[n], double y[n]) {
                  for (int i = 0; i < n; i++) y[i] = x[col[i]]; }";
    let bodies = bodies("t.c", text);
    let code = compiled(&bodies[0], &[("n", 500)], 0).expect("it can be run");
    assert!(
        code.notes.iter().any(|note| note.contains("`col`")),
        "{:?}",
        code.notes
    );
    let listed = listed(&code);
    let places: Vec<i64> = listed
        .iter()
        .filter_map(|line| line.strip_prefix("r x ")?.parse().ok())
        .collect();
    assert!(
        places.len() == 500
            && places
                .iter()
                .all(|place| (0..4000).contains(place) && place % 8 == 0)
    );
    let distinct: std::collections::BTreeSet<i64> = places.iter().copied().collect();
    assert!(
        (270..360).contains(&distinct.len()),
        "500 draws from 500 places hit {}",
        distinct.len()
    );
}

#[test]
fn what_belongs_to_other_nests_is_not_told() {
    // Two inner loops: the second nest repeats the outer loop, whose own statements only give it values.
    let text = "void f(int n, double a[n], double b[n]) {
                  for (int i = 0; i < n; i++) { int k = n - i; a[i] = 0; for (int j = 0; j < 2; j++) b[k - j] += a[i]; } }";
    let bodies = bodies("t.c", text);
    let code = compiled(&bodies[0], &[("n", 2)], 1).expect("it can be run");
    let expected = [
        "r b 16", "r a 0", "w b 16", "r b 8", "r a 0", "w b 8", "r b 8", "r a 8", "w b 8", "r b 0",
        "r a 8", "w b 0",
    ];
    assert_eq!(listed(&code), expected);
}

/// Lines of 64 bytes: what is told at once is what is told one by one.
#[test]
fn iterations_told_at_once_touch_the_same_lines() {
    struct Lines(Vec<(u64, u64, AccessKind)>);
    impl Sink for Lines {
        fn take(&mut self, accesses: &[Access], times: u64) {
            let line = |a: &Access| {
                (
                    a.address / 64,
                    (a.address + u64::from(a.bytes) - 1) / 64,
                    a.kind,
                )
            };
            (0..times).for_each(|_| self.0.extend(accesses.iter().map(line)));
        }
    }
    for text in [
        "void f(int n, double a[n], float b[n], double c[n]) { for (int i = 1; i < n; i++) a[i] = b[i - 1] + c[n - i]; }",
        "struct s { char tag; float x[6]; }; void f(int n, struct s *p, double *q) {
           for (int i = 0; i < n; i++) q[5 * i] = p[i].x[2] + p[n - i].x[5]; }",
        "void f(int n, double a[n][n], double x[n]) { for (int i = 0; i < n; i++) for (int j = i; j < n; j += 3) x[i] += a[j][i] * x[j]; }",
    ] {
        let bodies = bodies("t.c", text);
        let code = compiled(&bodies[0], &[("n", 77)], 0).expect("it can be run");
        let [mut one, mut many] = [Lines(Vec::new()), Lines(Vec::new())];
        run(&code, 1, u64::MAX, &mut one);
        run(&code, 64, u64::MAX, &mut many);
        assert!(one.0.len() > 100 && one.0 == many.0, "{text}");
    }
}

#[test]
fn what_cannot_be_run_says_why() {
    for (text, code) in [
        (
            "struct node { double x; struct node *next; }; void f(struct node *p) { while (p) { p->x = 1; p = p->next; } }",
            "member_of_pointer",
        ),
        (
            "void f(struct node *p) { while (p) { p->x = 1; p = p->next; } }",
            "pointer_from_data",
        ),
        (
            "void f(int n, double *a) { for (int i = 0; i < n; i++) { if (a[i] > 2) goto in; for (int j = 0; j < 3; j++) { \
             a[i] = a[i] / 2; in: a[i] = a[i] + 1; } } }",
            "goto",
        ),
    ] {
        let bodies = bodies("t.c", text);
        let refusals = compiled(&bodies[0], &[], 0).expect_err(text);
        assert!(
            refusals
                .iter()
                .any(|refusal| refusal.code.as_str() == code && refusal.line == 1),
            "{text}: {refusals:?}"
        );
    }
}
