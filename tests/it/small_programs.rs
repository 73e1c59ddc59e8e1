//! Small programs, and what must be said of them, counted by hand.

use crate::support::command;
use serde_json::{Value, json};

use crate::small::{analyse, bytes, c, fortran, function, iterations, operations, reasons};

#[test]
fn loops_that_count_in_their_condition() {
    let json = c(
        "void down(double *a) { for (int i = 100; i-- > 0;) a[i] *= 2; }
        void until_zero(double *a) { for (int i = 100; i--;) a[i] *= 2; }
        void prefix(double *a) { for (int i = 100; --i >= 0;) a[i] *= 2; }
        void up(double *a) { int i; for (i = 0; i++ < 100;) a[i] *= 2; }
        void nonzero(double *a) { int i = 100; while (--i) a[i] *= 2; }
        void from(double *a, int n) { for (int i = n; i-- > 0;) a[i] *= 2; }
        void from_while(double *a, int n) { int i = n; while (i-- > 0) a[i] *= 2; }
        void ends(double *a, int n) { for (int i = 0, j = n - 1; i < j; i++, j--) a[i] += a[j]; }",
    );
    for name in ["down", "until_zero", "prefix", "up"] {
        assert_eq!(iterations(&json, name), [100.0], "{name}");
    }
    // 99 … 1.
    assert_eq!(iterations(&json, "nonzero"), [99.0]);
    for name in ["from", "from_while"] {
        assert_eq!(function(&json, name)["loops"][0]["upper"], "n", "{name}");
    }
    // i = k and j = n − 1 − k meet at k = (n − 1)/2: below that it runs.
    assert_eq!(
        function(&json, "ends")["loops"][0]["upper"],
        "floor((n - 2)/2)"
    );
}

#[test]
fn declared_extents_answer_inquiries() {
    let json = fortran(
        "subroutine s(v, z, w, n)
           integer n
           real(8) v(3,4), z(20), w(0:n)
           real(8) open(:)
           do i = 1, size(z)
             z(i) = z(i) + 1
           end do
           do i = 1, size(v, 2)
             z(i) = z(i) + 1
           end do
           do i = lbound(w, 1), ubound(w, dim = 1)
             w(i) = w(i) + 1
           end do
           do i = 1, size(v)
             z(i) = z(i) + 1
           end do
           do i = 1, size(z(3:9))
             z(i) = z(i) + 1
           end do
           do i = 1, size(open)
             open(i) = 1
           end do
         end subroutine",
    );
    let bounds: Vec<(&str, &str)> = (function(&json, "s")["loops"]
        .as_array()
        .expect("loops")
        .iter())
    .map(|l| (l["lower"].as_str().unwrap(), l["upper"].as_str().unwrap()))
    .collect();
    assert_eq!(
        bounds,
        [
            ("1", "20"),
            ("1", "4"),
            ("0", "n"),
            ("1", "12"),
            ("1", "7"),
            ("1", "size(open)")
        ]
    );
}

#[test]
fn a_parameter_as_step_costs_what_its_value_costs() {
    let source = "void k(double *a, int n, int s) { for (int i = 0; i < n; i += s) a[i] += 1; }";
    let moved = |s: &str| bytes(&analyse(&[("a.c", source)], &["n=1024", s]), "k")[0];
    // 1024 elements are 128 lines of 64 bytes, read and written.
    assert_eq!(moved("s=1"), 2.0 * 128.0 * 64.0);
    // Every second element: the same lines.
    assert_eq!(moved("s=2"), 2.0 * 128.0 * 64.0);
    assert_eq!(moved("s=8"), 2.0 * 128.0 * 64.0);
    // 64 elements, a line each.
    assert_eq!(moved("s=16"), 2.0 * 64.0 * 64.0);
}

#[test]
fn rows_of_sparse_matrices_follow_each_other() {
    let source = "double v(int n, const double *val, const int *rows) {
          double s = 0;
          for (int i = 0; i < n; i++)
            for (int k = rows[i]; k < rows[i + 1]; k++) s += val[k];
          return s;
        }
        double w(int n, const double *val, const int *rows) {
          double s = 0;
          for (int i = 0; i < n; i++) {
            int begin = rows[i], end = rows[i + 1];
            for (int k = begin; k < end; k++) s += val[k];
          }
          return s;
        }";
    let json = analyse(
        &[("a.c", source)],
        &["n=1000", "trip_v_4=10", "trip_w_11=10"],
    );
    // 1000 rows of 10 elements of 8 bytes and 1001 row pointers of 4 bytes, loaded by the bounds or in the body; where
    // the first row begins in its line is not known.
    for name in ["v", "w"] {
        assert!(
            (84_000.0..=84_192.0).contains(&bytes(&json, name)[0]),
            "{name}: {:?}",
            bytes(&json, name)
        );
    }
}

#[test]
fn private_procedures_are_nobody_elses() {
    let a = (
        "a.c",
        "double f(double x); void user(double *a, int n) { for (int i = 0; i < n; i++) a[i] = f(a[i]); }",
    );
    let hidden = (
        "b.c",
        "static double f(double x) { return x * x * x * x; } double g(double x) { return f(x); }",
    );
    let meant = ("c.c", "double f(double x) { return x + 1.0; }");
    // The function of the other file adds once; the static one multiplies three times.
    assert_eq!(
        operations(&analyse(&[a, hidden, meant], &[]), "user"),
        [[1, 0, 0]]
    );
    assert_eq!(operations(&analyse(&[a, hidden], &[]), "user"), [[0, 0, 0]]);
    let json = fortran(
        "module first
           private :: f
         contains
           real(8) function f(x)
             real(8) x
             f = x*x*x
           end function
         end module
         module second
           private :: f
         contains
           real(8) function f(x)
             real(8) x
             f = x + 1
           end function
           subroutine user(a, n)
             real(8) a(n)
             do i = 1, n
               a(i) = f(a(i))
             end do
           end subroutine
         end module",
    );
    assert_eq!(operations(&json, "user"), [[1, 0, 0]]);
}

/// The scalars of the dependences of a function's first sequence.
fn through(json: &Value, name: &str) -> Vec<String> {
    let found = function(json, name)["dependencies"]
        .as_array()
        .expect("dependences");
    found.iter().map(|edge| edge.to_string()).collect()
}

#[test]
fn bounds_and_pointers_carry_scalars_from_loop_to_loop() {
    let json = c("void bound(double *a, double *b, int n) {
          int m = 0;
          for (int i = 0; i < n; i++) if (a[i] > 0) m++;
          for (int j = 0; j < m; j++) b[j] = 1;
        }
        void pointed(double *a, double *b, int n) {
          double s = 0, *p = &s;
          for (int i = 0; i < n; i++) *p += a[i];
          for (int j = 0; j < n; j++) b[j] = s;
        }
        void apart(double *a, double *b, int n) {
          for (int i = 0; i < n; i++) a[i] = 1;
          for (int j = 0; j < n; j++) b[j] = 1;
        }");
    assert!(
        through(&json, "bound")
            .iter()
            .any(|edge| edge.contains("flow") && edge.contains("\"m\"")),
        "{json}"
    );
    assert!(
        through(&json, "pointed")
            .iter()
            .any(|edge| edge.contains("flow") && edge.contains("\"s\"")),
        "{json}"
    );
    assert!(through(&json, "apart").is_empty());
}

#[test]
fn real_operands_of_complex_operations_have_one_part() {
    let json = c("#include <complex.h>
        void z(double complex *z, double complex *w, double *a) {
          for (int i = 0; i < 9; i++) z[i] = a[i] * w[i];
          for (int i = 0; i < 9; i++) z[i] = z[i] * w[i] + a[i];
          for (int i = 0; i < 9; i++) z[i] = w[i] / a[i];
          for (int i = 0; i < 9; i++) z[i] = w[i] - z[i];
        }");
    assert_eq!(
        operations(&json, "z"),
        [[0, 2, 0], [3, 4, 0], [0, 0, 2], [2, 0, 0]]
    );
    let json = fortran(
        "subroutine z(z1, a)
           complex(8) z1(9)
           real(8) a(9)
           do i = 1, 9
             z1(i) = a(i)*z1(i) + a(i)
           end do
         end subroutine",
    );
    assert_eq!(operations(&json, "z"), [[1, 2, 0]]);
}

#[test]
fn bit_fields_and_packing_size_structures() {
    // In bits: 8 + 64; 8, then a double at 64; 8, 16 … 80, 9 more; 30 bits at 32 … 62, 9 at 64, a short at 80; 8 + 30 +
    // 22 is 60, so that the short is at 64; 8 + 33 fit in a unit of 64, the double is at 64.
    let json = c("#pragma pack(push, 1)
        struct P { char c; double a; };
        #pragma pack(pop)
        struct B { int x : 3; int y : 5; double a; };
        #pragma pack(2)
        struct C { char c; double a; int x : 9; };
        #pragma pack()
        struct D { char c; int x : 30; int : 0; short s : 9; short a; };
        struct __attribute__((packed)) E { char c; int x : 30; int y : 22; short a; };
        struct F { char c; long long x : 33; double a; };
        void sizes(double *a) {
          for (int i = 0; i < sizeof(struct P); i++) a[i] = 1;
          for (int i = 0; i < sizeof(struct B); i++) a[i] = 1;
          for (int i = 0; i < sizeof(struct C); i++) a[i] = 1;
          for (int i = 0; i < sizeof(struct D); i++) a[i] = 1;
          for (int i = 0; i < sizeof(struct E); i++) a[i] = 1;
          for (int i = 0; i < sizeof(struct F); i++) a[i] = 1;
        }
        double walk(struct P *s) { double t = 0; for (int i = 0; i < 6400; i++) t += s[i].a; return t; }");
    assert_eq!(
        iterations(&json, "sizes"),
        [9.0, 16.0, 12.0, 12.0, 10.0, 16.0]
    );
    // 6400 structures of 9 bytes: 57,600 bytes are 900 lines.
    assert!(
        (57_600.0..=57_728.0).contains(&bytes(&json, "walk")[0]),
        "{:?}",
        bytes(&json, "walk")
    );
}

#[test]
fn constants_of_callers_reach_wrappers_and_keywords() {
    let json = c("#include <mpi.h>
        void wrap(double *b, int n) { MPI_Send(b, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); }
        void user(double *d) { wrap(d, 77); }");
    assert_eq!(json["parameters"]["n"]["value"], 77.0);
    let json = fortran(
        "module m
         contains
           subroutine work(a, n, k)
             real(8) a(*)
             integer n, k
             do i = 1, n
               a(i) = k
             end do
           end subroutine
           subroutine user(a)
             real(8) a(*)
             call work(a, k = 3, n = 50)
           end subroutine
         end module",
    );
    assert_eq!(iterations(&json, "work"), [50.0]);
}

#[test]
fn conditions_that_never_change_have_no_half_probability() {
    let json = c("void f(double *a, int n) {
          for (int i = 0; i < 10; i++) {
            if (0) a[i] += 1;
            if (1) a[i] += 2; else a[i] *= 2;
          }
        }");
    let nest = &function(&json, "f")["nests"][0];
    assert_eq!(
        (nest["adds"].as_f64(), nest["multiplies"].as_f64()),
        (Some(10.0), Some(0.0))
    );
    let json = fortran(
        "subroutine f(a)
           real(8) a(10)
           logical, parameter :: debug = .false.
           do i = 1, 10
             if (debug) a(i) = a(i) + 1
             if (.not. debug) a(i) = a(i)*2
           end do
         end subroutine",
    );
    let nest = &function(&json, "f")["nests"][0];
    assert_eq!(
        (nest["adds"].as_f64(), nest["multiplies"].as_f64()),
        (Some(0.0), Some(10.0))
    );
}

#[test]
fn calls_of_mpi_stay_calls() {
    let json = c("#include <mpi.h>
        void f(double *a, int n) {
          void *s = MPI_Send;
          MPI_Request r[4];
          for (int i = 0; i < 4; i++) MPI_Isend(a, 10, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &r[i]);
          MPI_Send(a, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        }
        void g(double *loc) { for (int i = 0; i < 3; i++) MPI_Send(loc); }");
    // Four messages of 80 bytes and one of 800; none for the call without arguments.
    assert_eq!(
        json["communication"]["bytes"]
            .as_f64()
            .or(json["calls"]["bytes"].as_f64()),
        Some(1120.0),
        "{json}"
    );
    assert!(reasons(&json, "f").is_empty(), "{:?}", reasons(&json, "f"));
    assert!(reasons(&json, "g").contains(&"missing_arguments".to_string()));
}

#[test]
fn ranks_are_positive() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.c");
    let text = "#include <mpi.h>\nvoid f(double *a, double *b) { MPI_Allreduce(a, b, 9, MPI_DOUBLE, MPI_SUM, 0); }";
    std::fs::write(&file, text).expect("a file");
    for (ranks, status) in [("0", 2), ("-4", 2), ("1", 0)] {
        let mut command = command::loopsheet();
        let setting = format!("ranks={ranks}");
        let output = command
            .arg("analyze")
            .arg(&file)
            .args(["--set", &setting, "--json", "-"])
            .output()
            .expect("runs");
        assert_eq!(output.status.code(), Some(status), "{ranks}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(status == 0 || told.contains("at least 1"), "{told}");
    }
}

#[test]
fn cases_run_on_and_jumps_back_repeat() {
    let json = c("void cases(double *a, int k) {
          for (int i = 0; i < 8; i++)
            switch (k) {
              case 1: a[i] += 1;
              case 2: a[i] *= 2; break;
              default: a[i] /= 3;
            }
        }
        void outside(double *a, int k) {
          switch (k) {
            case 1: for (int i = 0; i < 8; i++) a[i] += 1;
            case 2: for (int i = 0; i < 8; i++) a[i] *= 2;
          }
        }
        void back(double *a, int n) {
          int i = 0;
        again:
          a[i] += 1;
          i++;
          if (i < n) goto again;
        }");
    assert!(
        reasons(&json, "cases").is_empty(),
        "{:?}",
        reasons(&json, "cases")
    );
    assert_eq!(operations(&json, "cases"), [[1, 1, 1]]);
    assert_eq!(operations(&json, "outside"), [[1, 0, 0], [0, 1, 0]]);
    let loops = function(&json, "back")["loops"].as_array().expect("loops");
    assert_eq!(loops.len(), 1);
    assert_eq!(loops[0]["upper"], "trip_back_18");
}

/// `n` arms of which each adds once.
fn arms(n: usize) -> f64 {
    let arms: Vec<String> = (0..n)
        .map(|k| format!("if (k[i] == {k}) a[i] += 1;"))
        .collect();
    let text = format!(
        "void f(double *a, int *k) {{ for (int i = 0; i < 128; i++) {{ {} }} }}",
        arms.join(" else ")
    );
    function(&c(&text), "f")["nests"][0]["adds"]
        .as_f64()
        .expect("a number")
}

#[test]
fn long_chains_of_arms_take_one_of_them() {
    // 1/2 + 1/4 + … + 1/2^n of 128 iterations take an arm.
    assert_eq!(arms(3), 112.0);
    assert!((arms(1000) - 128.0).abs() < 1e-9);
}

#[test]
fn long_sums_are_counted() {
    let terms = |sign: &str, text: &dyn Fn(usize) -> String| {
        (1..=5000).map(text).collect::<Vec<_>>().join(sign)
    };
    for sign in [" + ", " - "] {
        let text = terms(sign, &|k| format!("a[i + {k}]"));
        let json = c(&format!(
            "void f(double *a, double *b) {{ for (int i = 0; i < 8; i++) b[i] = {text}; }}"
        ));
        assert_eq!(operations(&json, "f"), [[4999, 0, 0]]);
        assert!(reasons(&json, "f").is_empty());
    }
    let text = terms(" &\n + ", &|k| format!("a(i + {k})"));
    let json = fortran(&format!(
        "subroutine f(a, b)\nreal(8) a(*), b(*)\ndo i = 1, 8\nb(i) = {text}\nend do\nend\n"
    ));
    assert_eq!(operations(&json, "f"), [[4999, 0, 0]]);
}

#[test]
fn sizes_to_validate_are_given_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.c");
    std::fs::write(
        &file,
        "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 1; }",
    )
    .expect("a file");
    let validate = |arguments: &[&str]| {
        let mut command = command::loopsheet();
        let output = command
            .arg("validate")
            .arg(&file)
            .args(arguments)
            .output()
            .expect("runs");
        let told = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .concat();
        (output.status.code(), told)
    };
    for arguments in [
        &["--cache", "0"][..],
        &["--sizes", "zz"],
        &["--sizes", "n=8", "--sizes", "n=16"],
        &["--sizes", "n,n=8"],
        &["--sizes", "=8"],
        &["--max-accesses", "0"],
    ] {
        assert_eq!(validate(arguments).0, Some(2), "{arguments:?}");
    }
    // One case for each cache of the machine.
    let (status, told) = validate(&["--sizes", "n=8,8"]);
    assert_eq!(
        (status, told.contains("cases: 3,")),
        (Some(0), true),
        "{told}"
    );
    let (status, told) = validate(&["--max-accesses", "1"]);
    assert_eq!(
        (status, told.contains("too_long")),
        (Some(1), true),
        "{told}"
    );
}

/// Two grids that take turns are two grids: in a cache that holds them nothing moves but their first fetch and the
/// last write-back; in a smaller one, one is read, one fetched and written back in every step.
#[test]
fn grids_that_take_turns() {
    let swapped = c("void heat(int n, int nt, double *a, double *b) {
                       for (int t = 0; t < nt; t++) {
                         for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
                         double *tmp = a; a = b; b = tmp;
                       }
                     }
                     void planes(int n, int nt, double u[2][128]) {
                       int nw = 1, old = 0;
                       for (int t = 0; t < nt; t++) {
                         for (int i = 1; i < n - 1; i++) u[nw][i] = (u[old][i - 1] + u[old][i] + u[old][i + 1]) / 3.0;
                         old = nw; nw = 1 - nw;
                       }
                     }");
    let turns = fortran(
        "subroutine turns(n, nt, u)
           integer :: n, nt, i, t, old, new
           real(8) :: u(n, 2)
           old = 1
           do t = 1, nt
             new = 3 - old
             do i = 2, n - 1
               u(i, new) = (u(i - 1, old) + u(i, old) + u(i + 1, old)) / 3
             end do
             old = new
           end do
         end subroutine",
    );
    for (json, name) in [(&swapped, "heat"), (&swapped, "planes"), (&turns, "turns")] {
        // 126 elements of one grid, 128 of the other: 16 lines each; one of the grids is written back.
        assert_eq!(bytes(json, name), [3.0 * 16.0 * 64.0], "{name}");
    }
}

/// Whole rows and planes behind a pointer to a row are neighbours of it in the array.
#[test]
fn rows_that_pointers_reach() {
    let json = c(
        "void rows(int ny, int nx, double v[ny][nx], double u[ny][nx]) {
  for (int j = 1; j < ny - 1; j++) {
    double *r = v[j];
    for (int i = 0; i < nx; i++) u[j][i] = r[i] + r[i+nx] + r[i-nx];
  }
}
void fixed(double v[50][100], double u[50][100]) {
  for (int j = 1; j < 49; j++) {
    double *r = v[j];
    for (int i = 0; i < 100; i++) u[j][i] = r[i] + r[i+100] + r[i-100];
  }
}
void cube(int nz, int ny, int nx, double v[nz][ny][nx], double u[nz][ny][nx]) {
  for (int k = 1; k < nz-1; k++) for (int j = 1; j < ny - 1; j++) for (int i = 0; i < nx; i++) {
    double *c = &v[k][j][i];
    u[k][j][i] = c[0] + c[nx] + c[-nx] + c[nx*ny] + c[-nx*ny];
  }
}
void backwards(int n, double a[n][n]) {
  for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) a[j][n-1-i] += a[j][n-1];
}
",
    );
    let offsets = |name: &str| -> Vec<Value> {
        let array = |a: &&Value| a["name"] == "v" || a["name"] == "a";
        let loops = function(&json, name)["loops"].as_array().expect("loops");
        let arrays = loops
            .iter()
            .flat_map(|l| l["arrays"].as_array().expect("arrays"))
            .filter(array);
        arrays
            .flat_map(|a| a["accesses"].as_array().expect("accesses"))
            .map(|x| x["offset"].clone())
            .collect()
    };
    assert_eq!(
        offsets("rows"),
        [json!([0, 0]), json!([0, 1]), json!([0, -1])]
    );
    assert_eq!(
        offsets("fixed"),
        [json!([0, 0]), json!([0, 1]), json!([0, -1])]
    );
    let star = [[0, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
    assert_eq!(offsets("cube"), star.map(|offset| json!(offset)));
    // The last element of a row, and what goes backwards from there, stay in it.
    assert_eq!(offsets("backwards"), [json!([-1, 0]), json!([-1, 0])]);
}

#[test]
fn bounds_of_wavefronts_are_counted_on_the_way_up_and_down() {
    let json = analyse(
        &[(
            "a.c",
            "void wave(int n, double *a) {
               for (int d = 2; d < 2*n-1; d++)
                 for (int i = (d-n+1 > 1 ? d-n+1 : 1); i < (d < n ? d : n); i++) a[i*n+d-i] += 1;
             }
             void multiples(int n, char *a) { for (int i = 2; i < n; i++) for (int j = 2*i; j < n; j += i) a[j] = 1; }",
        )],
        &["n=128"],
    );
    // 127 diagonals of a square of 127: 1 + 2 + … + 127 + … + 1.
    assert_eq!(iterations(&json, "wave")[0].round(), 127.0 * 127.0);
    // Σ ⌊127/i⌋ − 1 over i = 2 … 127: 466.
    let exact: i64 = (2..128).map(|i| 127 / i - 1).sum();
    let counted = iterations(&json, "multiples")[0];
    assert!(
        (0.5..2.0).contains(&(counted / exact as f64)),
        "{counted} and {exact}"
    );
}

#[test]
fn loops_of_one_line_have_trip_counts_of_their_own() {
    let json = c(
        "void f(int n, double *a) { while (a[0] > 1) while (a[1] > 2) a[2] += 1; while (a[3] > 0) a[3] -= 1; }",
    );
    let uppers: Vec<&str> = (function(&json, "f")["loops"]
        .as_array()
        .expect("loops")
        .iter())
    .map(|l| l["upper"].as_str().expect("a bound"))
    .collect();
    assert_eq!(uppers, ["trip_f_1", "trip_f_1_2", "trip_f_1_3"]);
}

/// Both move `i`: how far the outer loop has moved it by then is not known, and no reason for an inner loop without an
/// iteration.
#[test]
fn loops_that_share_an_index_are_counted_by_a_parameter() {
    let json = c("void f(int n, double *a) {
        int i = 0;
        while (i < n) {
            while (i < n && a[i] < 2.0) { a[i] += 3.0; i++; }
            i += 2;
        }
    }");
    let uppers: Vec<&str> = (function(&json, "f")["loops"]
        .as_array()
        .expect("loops")
        .iter())
    .map(|l| l["upper"].as_str().expect("a bound"))
    .collect();
    assert_eq!(uppers, ["trip_f_3", "trip_f_4"]);
    assert!(iterations(&json, "f")[0] > 0.0);
}

/// No loop of 2¹²⁸ iterations where nothing is known of the exponent.
#[test]
fn exponents_are_small_by_default() {
    let json = analyse(
        &[
            (
                "a.f90",
                "subroutine s(a, m)\n integer :: m, i\n real(8) :: a(2**m)\n do i = 1, 2**m\n a(i) = 2*a(i)\n end do\nend",
            ),
            (
                "b.c",
                "void f(int l, int d, double *a) { for (int i = 0; i < (1 << l); i++) for (int j = 0; j < d; j++) a[i*d + j] = 1; }",
            ),
        ],
        &[],
    );
    assert_eq!(iterations(&json, "s"), [128.0]);
    assert_eq!(iterations(&json, "f"), [128.0 * 128.0]);
}

/// Nor where nothing is known of the number that it is the exponent of: `n` points in each of `d` dimensions.
#[test]
fn exponents_of_unknown_numbers_are_small_by_default() {
    let json = fortran(
        "subroutine s(a, n, d, m)
           integer :: n, d, m, i, j
           real(8) :: a(n**d, d, m)
           do j = 1, m
             do i = 1, n**d
               a(i, d, j) = 2*a(i, 1, j)
             end do
           end do
         end",
    );
    let [iterations] = iterations(&json, "s")[..] else {
        panic!("one nest");
    };
    assert!(
        (128.0..=128.0f64.powi(3)).contains(&iterations),
        "{iterations}"
    );
}

/// Which structure is meant decides what a generic name and an assignment stand for; arrays are passed to elemental
/// subroutines element by element.
#[test]
fn structures_choose_and_elemental_subroutines_are_loops() {
    let json = analyse(
        &[(
            "a.f90",
            "module shapes
               type :: v3
                 real(8) :: x, y, z
               end type
               type :: box
                 real(8) :: lo, hi
               end type
               interface assignment(=)
                 module procedure from_box
               end interface
               interface stretch
                 module procedure stretch_v3, stretch_box
               end interface
             contains
               pure subroutine from_box(v, b)
                 type(v3), intent(out) :: v
                 type(box), intent(in) :: b
                 v%x = b%hi - b%lo
               end subroutine
               subroutine stretch_v3(v)
                 type(v3), intent(inout) :: v
                 v%x = v%x*2
               end subroutine
               subroutine stretch_box(b)
                 type(box), intent(inout) :: b
                 b%lo = b%lo*2 + 1
                 b%hi = b%hi*2 + 1
               end subroutine
               elemental subroutine halve(a, by)
                 real(8), intent(inout) :: a
                 real(8), intent(in) :: by
                 a = a*0.5d0 + by
               end subroutine
               subroutine run(a, d, b, u, w, n)
                 integer, intent(in) :: n
                 type(v3), intent(inout) :: a(n), d(n)
                 type(box), intent(inout) :: b(n)
                 real(8) :: u(n, n), w(n)
                 integer :: i
                 do i = 1, n
                   d(i) = a(i)
                 end do
                 do i = 1, n
                   d(i) = b(i)
                 end do
                 do i = 1, n
                   call stretch(a(i))
                 end do
                 do i = 1, n
                   call stretch(b(i))
                 end do
                 call halve(u, 1d0)
                 call halve(w(2:n), u(1:n-1, 1))
               end subroutine
             end module",
        )],
        &["n=10"],
    );
    let nests = function(&json, "run")["nests"].as_array().expect("nests");
    let found: Vec<_> = nests
        .iter()
        .map(|n| [&n["iterations"], &n["flops"]].map(|v| v.as_f64()))
        .collect();
    let expected = [[10, 0], [10, 10], [10, 10], [10, 40], [100, 200], [9, 18]];
    assert_eq!(
        found,
        expected.map(|pair| pair.map(|n: u32| Some(f64::from(n))))
    );
    assert_eq!(json["coverage"]["loops"], json["coverage"]["understood"]);
}

/// What a variable was before it counts a loop is not what it counts.
#[test]
fn a_bound_made_from_the_loop_variable_is_that_from_before() {
    let json = analyse(
        &[(
            "a.f90",
            "subroutine copied(a, n)
               integer :: n, i, j, nb
               real(8) :: a(n, n)
               nb = 0
               i = 1
               do while (a(i, 1) > 0)
                 i = i + 1
               end do
               nb = i
               do i = 1, nb - 1
                 do j = 1, nb
                   a(j, i) = 2*a(j, i)
                 end do
               end do
             end subroutine
             subroutine rest(a, n, i)
               integer :: n, i
               real(8) :: a(n)
               do i = i, n
                 a(i) = 2*a(i)
               end do
             end subroutine",
        )],
        &["nb=11", "i_before_line_19=4", "n=10"],
    );
    let bounds = |name: &str| {
        let loops = function(&json, name)["loops"].as_array().expect("loops");
        loops
            .iter()
            .map(|l| [&l["lower"], &l["upper"]].map(|bound| bound.to_string()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        bounds("copied")[1..],
        [["\"1\"", "\"nb - 1\""], ["\"1\"", "\"nb\""]]
    );
    assert_eq!(iterations(&json, "copied")[1], 110.0);
    assert_eq!(bounds("rest"), [["\"`i before line 19`\"", "\"n\""]]);
    assert_eq!(iterations(&json, "rest"), [7.0]);
}

#[test]
fn loops_whose_variable_doubles_or_halves_are_counted() {
    let json = analyse(
        &[(
            "a.c",
            "void up(int n, double *a) { for (int h = 1; h < n; h *= 2) a[h] += 1; }
             void up_to(int n, double *a) { for (int h = 3; h <= n; h = 2 * h) a[h] += 1; }
             void down(int n, double *a) { for (int h = n; h > 0; h /= 2) a[h] += 1; }
             void down_to(int n, double *a) { for (int h = n; h > 1; h /= 2) a[h] += 1; }
             void turned(int n, double *a) { int h = 4; while (100 > h) { a[h] += 1; h *= 2; } }
             void three(int n, double *a) { for (int h = 1; h < n; h *= 3) a[h] += 1; }
             void changed(int n, double *a) { for (int h = 1; h < n; h *= 2) { a[h] += 1; if (a[h] > 0) h += 1; } }",
        )],
        &["n=100"],
    );
    // 1 … 64; 3 … 96; 100, 50, 25, 12, 6, 3, 1; the same without 1; 4 … 64.
    for (name, rounds) in [
        ("up", 7.0),
        ("up_to", 6.0),
        ("down", 7.0),
        ("down_to", 6.0),
        ("turned", 5.0),
    ] {
        assert_eq!(iterations(&json, name), [rounds], "{name}");
    }
    for name in ["three", "changed"] {
        let upper = function(&json, name)["loops"][0]["upper"]
            .as_str()
            .expect("a bound");
        assert!(upper.starts_with("trip_"), "{name}: {upper}");
    }
    // 3 · 2^k ≤ 96 has six powers, 3 · 2^k ≤ 95 five; 1 … 64 is below 65 and not below 64.
    let json = analyse(
        &[(
            "a.c",
            "void up_to(int n, double *a) { for (int h = 3; h <= n; h *= 2) a[h] += 1; }",
        )],
        &["n=95"],
    );
    assert_eq!(iterations(&json, "up_to"), [5.0]);
    let json = analyse(
        &[(
            "a.c",
            "void up(int n, double *a) { for (int h = 1; h < n; h *= 2) a[h] += 1; }",
        )],
        &["n=64"],
    );
    assert_eq!(iterations(&json, "up"), [6.0]);
    // Sizes that nothing gives let them run.
    let json = c(
        "void up(int n, double *a) { for (int h = 1; h < n; h *= 2) a[h] += 1; }
      void down(int n, double *a) { for (int h = n; h > 0; h /= 2) a[h] += 1; }
      void down_to(int n, double *a) { int h = n; while (h > 1) { a[h] += 1; h /= 2; } }",
    );
    for (name, rounds) in [("up", 7.0), ("down", 8.0), ("down_to", 7.0)] {
        assert_eq!(iterations(&json, name), [rounds], "{name}");
    }
}

#[test]
fn strides_of_one_array_are_not_the_same() {
    let json = c("void f(int nk, int nj, double *w, int js, int ks) {
      for (int k = 0; k < nk; k++) for (int j = 0; j < nj; j++) w[j*js+k*ks] *= 2;
    }");
    let value = |name: &str| json["parameters"][name]["value"].as_f64().expect("a value");
    assert_eq!((value("js"), value("ks")), (128.0, 128.0 * 128.0));
    // Every element in a line of its own, read and written.
    assert_eq!(bytes(&json, "f"), [2.0 * 64.0 * 128.0 * 128.0]);
}

/// Steps and counters that the body changes itself, or by what it calls, give no count without a mark.
#[test]
fn what_moves_on_unevenly_is_not_counted_as_if_it_did_not() {
    for (what, text) in [
        (
            "a step that doubles",
            "void f(double *a) { int s = 1; for (int i = 0; i < 200; i += s) { a[i] += 1; s *= 2; } }",
        ),
        (
            "a step that grows",
            "void f(double *a) { int s = 1; for (int i = 0; i < 200; i += s) { a[i] += 1; s++; } }",
        ),
        (
            "a counter that a callee moves",
            "int g; void skip(void) { g += 3; } void f(double *a) { for (g = 0; g < 20; g++) { a[g] += 1; skip(); } }",
        ),
        (
            "a value asked for before the one assignment",
            "int n = 50; void f(double *a) { for (int k = 0; k < n; k++) a[k] += 1; n = 500; } int main(void) { double a[500]; f(a); }",
        ),
    ] {
        let json = c(text);
        let marks = &function(&json, "f")["nests"][0]["reasons"];
        assert_ne!(*marks, json!([]), "{what}");
    }
}

/// The body runs before the condition is asked.
#[test]
fn a_loop_whose_condition_is_behind_it_runs_once_at_least() {
    let json = c("void f(double *a) { int it = 30; do { a[it] += 1; it++; } while (it < 20); }");
    assert_eq!(iterations(&json, "f"), [1.0]);
}

/// Not a thousand times.
#[test]
fn what_stands_behind_a_continue_counts_some_iterations_only() {
    let json = c(
        "void f(double *a) { int n = 0; for (int i = 0; i < 1000; i++) { if (i < 900) continue; n++; }
           for (int k = 0; k < n; k++) a[k] += 1; }",
    );
    assert_eq!(json["parameters"]["n"]["origin"], "guessed");
}

/// Up to the end time, or so many steps: no iteration that stops when it is good enough.
#[test]
fn time_that_adds_up_does_not_cut_a_loop_short() {
    let json = fortran(
        "program p
           real(8) :: u(100), time = 0, dt, last
           integer :: step, i
           read *, last, u
           step = 0
           do
             step = step + 1
             dt = 0.1d0 / maxval(u)
             do i = 2, 99
               u(i) = u(i) + dt*(u(i - 1) - 2*u(i) + u(i + 1))
             end do
             time = time + dt
             if (time > last .or. step >= 87) exit
           end do
           print *, u
         end",
    );
    assert!(iterations(&json, "p").contains(&(87.0 * 98.0)));
}

/// `sizeof` of what is computed: nothing smaller than `int`, literals as large as they need to be. (GCC.)
#[test]
fn sizes_of_expressions_follow_their_types() {
    for (what, bytes) in [
        ("(1L)", 8),
        ("(c + 0)", 4),
        ("(-s)", 4),
        ("(+c)", 4),
        ("(c)", 1),
        ("(c++)", 1),
        ("(s = 3)", 2),
        (" 'a'", 4),
        (" \"abc\"", 4),
        ("(\"a\\n\")", 3),
        ("(1ULL)", 8),
        ("(1.0f)", 4),
        ("(c * 2.0)", 8),
        ("(x[0] > 1)", 4),
        ("(!x[0])", 4),
        ("(c << 3L)", 4),
        ("(1 ? c : s)", 4),
        ("(0x100000000)", 8),
        ("(4000000000)", 8),
        ("(0xffffffff)", 4),
        ("(c, s)", 2),
        ("(&x[3] - x)", 8),
        ("(sizeof c)", 8),
    ] {
        let source = format!(
            "double x[100];
int main(void) {{ char c = 1; short s = 2; for (int i = 0; i < sizeof{what}; i++) x[i] += c + s; }}"
        );
        let json = c(&source);
        assert_eq!(iterations(&json, "main"), [f64::from(bytes)], "{what}");
    }
}

/// What a whole number is given is cut off. (gcov: 3, −2 + 9, 2.)
#[test]
fn real_literals_are_cut_off() {
    let json = c("double x[100];
void f(void) { int n = 3.99; for (int i = 0; i < n; i++) x[i] += 1; }
void g(void) { int n; n = -2.5; for (int i = 0; i < n + 9; i++) x[i] += 1; }");
    assert_eq!(iterations(&json, "f"), [3.0]);
    assert_eq!(iterations(&json, "g"), [7.0]);
    let json = fortran(
        "subroutine s(x)
           real(8) x(*)
           n = 2.9
           do i = 1, n
             x(i) = x(i) + 1
           end do
         end subroutine",
    );
    assert_eq!(iterations(&json, "s"), [2.0]);
}

/// Arrays of one type of structures have lengths of their own, also where their components are named. (gfortran: 3, 4, 2.)
#[test]
fn components_are_as_many_as_their_structures() {
    let json = fortran(
        "program s
           type t
             integer :: n
           end type
           type(t), allocatable :: q(:)
           type(t) :: p(4)
           allocate(q(3))
           q(:)%n = 2
           p%n = 2
           p(2:3)%n = 7
           print *, q(1)%n, p(1)%n
         end program",
    );
    assert_eq!(iterations(&json, "s"), [3.0, 4.0, 2.0]);
}

/// What the source fixes is not guessed: arithmetic of literals, lengths of texts, bits of numbers, conditions that are
/// literals.
#[test]
fn literals_that_functions_are_given_are_known() {
    let json = c("#include <string.h>
        void share(double *a) { for (int i = 0; i < (int)(0.7 * 10); i++) a[i] = 1; }
        void length(double *a) { for (size_t i = 0; i < strlen(\"hello\"); i++) a[i] = 2; }
        void bits(double *a) { int n = __builtin_popcount(255); for (int i = 0; i < n; i++) a[i] = 2; }
        void zeros(double *a) { for (int i = 0; i < __builtin_ctz(64); i++) a[i] = 2; }
        void never(double *a) { int i = 0; while (0) { a[i] = 1; i++; } }
        void once(double *a) { for (;;) { a[0] = 1; break; } }
        void also_once(double *a) { while (1) { a[1] = 2; break; } }");
    let known = [
        ("share", 7.0),
        ("length", 5.0),
        ("bits", 8.0),
        ("zeros", 6.0),
        ("never", 0.0),
        ("once", 1.0),
        ("also_once", 1.0),
    ];
    for (name, wanted) in known {
        assert_eq!(iterations(&json, name), [wanted], "{name}");
    }
    let json = fortran(
        "subroutine s(a)
           real :: a(100)
           integer :: i, n
           integer, parameter :: k = ibits(14, 1, 3)
           do i = 1, ibits(14, 1, 3); a(i) = 1; end do
           do i = 1, popcnt(255); a(i) = 2; end do
           do i = 1, leadz(1); a(i) = 3; end do
           do i = 1, trailz(8); a(i) = 4; end do
           do i = 1, merge(5, 7, .true.); a(i) = 5; end do
           do i = 1, merge(5, 7, k > 7); a(i) = 6; end do
           do i = 1, k; a(i) = 7; end do
           n = int(0.7 * 10)
           do i = 1, n; a(i) = 8; end do
           do i = 1, nint(0.7 * 10); a(i) = 9; end do
           do i = 1, len('hello'); a(i) = 10; end do
           do i = 1, len_trim('hello  '); a(i) = 11; end do
         end subroutine",
    );
    let wanted = [7.0, 8.0, 31.0, 3.0, 5.0, 7.0, 7.0, 7.0, 7.0, 5.0, 5.0];
    assert_eq!(iterations(&json, "s"), wanted);
}

/// Literals have kinds, and other bits come into what is negative from the left.
#[test]
fn functions_on_bits_keep_to_the_kinds_of_literals() {
    let json = fortran(
        "subroutine s(a)
           real :: a(100)
           integer :: i
           do i = 1, huge(1_1); a(1) = i; end do
           do i = 1, popcnt(-1_1); a(2) = i; end do
           do i = 1, popcnt(-1_8); a(3) = i; end do
           do i = 1, leadz(1_2); a(4) = i; end do
           do i = 1, ishft(-1, -29); a(5) = i; end do
           do i = 1, shiftr(-1, 28); a(6) = i; end do
           do i = 1, kind(1_8); a(7) = i; end do
           do i = 1, shiftr(64, 3); a(8) = i; end do
         end subroutine",
    );
    let wanted = [127.0, 8.0, 64.0, 15.0, 7.0, 15.0, 8.0, 8.0];
    assert_eq!(iterations(&json, "s"), wanted);
}

/// Another iteration may follow, or the condition may not be a literal: these are not one iteration.
#[test]
fn bodies_that_may_go_on_are_not_one_iteration() {
    let json = c("int more(int *a, int n) {
          int i = 0;
          for (;;) { i++; if (a[i] > n) continue; break; }
          return i;
        }");
    assert_ne!(iterations(&json, "more"), [1.0]);
}
