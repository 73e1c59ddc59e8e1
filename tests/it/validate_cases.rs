//! Cases of `loopsheet validate` that simpler rules get wrong: arrays that an outer loop comes back to, random
//! places, blocks, and caches in which arrays meet in the same sets.

use std::path::Path;

use crate::support::command;
use serde_json::Value;

/// The cases of a source.
fn cases(text: &str, arguments: &[&str]) -> Vec<Value> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.c");
    std::fs::write(&path, text).expect("written");
    of_file(&path, arguments)
}

fn of_file(path: &Path, arguments: &[&str]) -> Vec<Value> {
    let cases = command::validated(path, arguments);
    assert!(!cases.is_empty(), "{}", path.display());
    cases
}

fn number(case: &Value, name: &str) -> f64 {
    case[name]
        .as_f64()
        .unwrap_or_else(|| panic!("no {name}: {case}"))
}

fn is_explained(case: &Value, by: &str) -> bool {
    case["explained"]
        .as_str()
        .is_some_and(|text| text.split(',').any(|one| one == by))
}

/// All cases are within 5 %, away from steps of the traffic; gives their simulated bytes.
fn within(cases: &[Value]) -> Vec<f64> {
    let of = |case: &Value| {
        let ratio = number(case, "ratio");
        assert!(
            (ratio - 1.0).abs() < 0.05 || is_explained(case, "switch"),
            "{case}"
        );
        number(case, "simulated_bytes")
    };
    cases.iter().map(of).collect()
}

/// The vector is 8 KB or 64 KB and comes again in every row.
#[test]
fn a_vector_stays_where_it_fits() {
    let text = "void f(int m, int n, double a[m][n], double x[n], double y[m]) {
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
          y[i] += a[i][j] * x[j];
    }";
    let caches = [
        "--cache",
        "32KiB,full",
        "--cache",
        "1MiB,full",
        "--set",
        "m=100",
        "--sizes",
        "n=1000,8000",
    ];
    let bytes = within(&cases(text, &caches));
    // a once, and x once or in every row; y is read and written.
    let (a, x, y) = (|n: f64| 100.0 * 8.0 * n, |n: f64| 8.0 * n, 2.0 * 832.0);
    let expected = [
        a(1e3) + x(1e3) + y,
        a(1e3) + x(1e3) + y,
        a(8e3) + 100.0 * x(8e3) + y,
        a(8e3) + x(8e3) + y,
    ];
    for (bytes, expected) in bytes.iter().zip(expected) {
        assert!(
            (bytes / expected - 1.0).abs() < 0.01,
            "{bytes} for {expected}"
        );
    }
}

/// Eight coefficients go through all caches; the plane that they are summed up in comes again for each.
#[test]
fn coefficients_of_an_outer_loop() {
    let text = "void f(int m, int n, double c[8], double a[8][m][n], double b[m][n]) {
      for (int k = 0; k < 8; k++)
        for (int j = 0; j < m; j++)
          for (int i = 0; i < n; i++)
            b[j][i] += c[k] * a[k][j][i];
    }";
    let caches = [
        "--cache",
        "16KiB,full",
        "--cache",
        "2MiB,full",
        "--sizes",
        "m,n=24,100,200",
    ];
    let bytes = within(&cases(text, &caches));
    let plane = |n: f64| 8.0 * n * n;
    let expected = [
        (24.0, 8.0 + 2.0),
        (24.0, 8.0 + 2.0),
        (100.0, 24.0),
        (100.0, 10.0),
        (200.0, 24.0),
        (200.0, 10.0),
    ];
    for (bytes, (n, planes)) in bytes.iter().zip(expected) {
        assert!(
            (bytes / (planes * plane(n)) - 1.0).abs() < 0.03,
            "{bytes} for {n}"
        );
    }
}

/// A line per access where the gathered array is longer than the cache, the array once where it fits.
#[test]
fn places_from_data() {
    let text = "void f(int n, int m, int c[n][16], double x[m], double y[n]) {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < 16; j++)
          y[i] += x[c[i][j]];
    }";
    let caches = [
        "--cache",
        "32KiB,full",
        "--cache",
        "1MiB,full",
        "--cache",
        "8MiB,full",
    ];
    let bytes = within(&cases(
        text,
        &[&caches[..], &["--set", "n=4000", "--sizes", "m=1000,20000"]].concat(),
    ));
    let (c, y) = (4000.0 * 64.0, 2.0 * 4000.0 * 8.0);
    for (bytes, expected) in bytes.iter().zip([c + y + 8e3, c + y + 8e3, c + y + 8e3]) {
        assert!(
            (bytes / expected - 1.0).abs() < 0.05,
            "{bytes} for {expected}"
        );
    }
    assert!(
        bytes[3] > 0.7 * 64e3 * 64.0 && bytes[5] < c + y + 2e5,
        "{bytes:?}"
    );
}

/// Blocks of eight rows keep what the planes beside them need.
#[test]
fn blocks_are_run_as_blocks() {
    let path = command::fixture("stencils/stencils.f90");
    let run = |block: &str| {
        let arguments = [
            "--function",
            "star3d2",
            "--cache",
            "128KiB,full",
            "--set",
            block,
            "--sizes",
            "nx,ny,nz=90",
        ];
        within(&of_file(&path, &arguments))[0]
    };
    let (whole, blocked) = (run("block_y=0"), run("block_y=10"));
    assert!(blocked < 0.7 * whole, "{blocked} and {whole}");
}

#[test]
fn arrays_that_meet_in_the_same_sets() {
    let path = command::fixture("stencils/conflicts.c");
    let run = |sizes: &str| {
        of_file(
            &path,
            &[
                "--cache",
                "32KiB,4way",
                "--cache",
                "512KiB,4way",
                "--sizes",
                sizes,
            ],
        )
    };
    for case in run("n=32,64") {
        let (full, sets) = (
            number(&case, "simulated_bytes"),
            number(&case, "simulated_set_associative_bytes"),
        );
        assert!(
            is_explained(&case, "conflicts") && sets > 2.0 * full,
            "{case}"
        );
    }
    within(&run("n=32,64"));
}

/// Members of records longer than a line: what lies in the same line is moved once.
#[test]
fn lines_of_records_are_those_that_their_members_lie_in() {
    let text = "typedef struct { double r[3]; double rest[13]; } Wide;
    typedef struct { double pos[3], vel[3], f[3], m; } Atom;
    void columns(int n, double a[n][32]) { for (int i = 0; i < n; i++) a[i][0] += a[i][1] + a[i][2] + a[i][3]; }
    void flat(int n, double *a) { for (int i = 0; i < n; i++) a[32*i] += a[32*i+1] + a[32*i+2] + a[32*i+3]; }
    void gap(int n, double *a) { for (int i = 0; i < n; i++) for (int d = 0; d < 3; d++) a[16*i+d] *= 2; }
    void member(int n, Wide a[n]) { for (int i = 0; i < n; i++) for (int d = 0; d < 3; d++) a[i].r[d] *= 2; }
    void atoms(int n, Atom a[n]) {
      for (int i = 0; i < n; i++) for (int d = 0; d < 3; d++) a[i].pos[d] += a[i].vel[d];
    }
    void short_gap(int n, float *a) { for (int i = 0; i < n; i++) for (int c = 0; c < 3; c++) a[4*i+c] *= 2; }
    void edges(int n, double l[n][n][3][25]) {
      for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
          l[i][k][0][0] = 0; l[i][k][0][24] = 0; l[i][k][1][0] = 0;
          l[i][k][1][24] = 0; l[i][k][2][0] = 0; l[i][k][2][24] = 0;
        }
    }";
    let of = |name: &str, size: &str| {
        within(&cases(
            text,
            &["--cache", "16KiB,full", "--function", name, "--set", size],
        ))[0]
    };
    // Each record of 256 or 128 bytes begins with a line; that is read and written.
    for name in ["columns", "flat", "gap", "member"] {
        assert_eq!(of(name, "n=1000"), 1000.0 * 2.0 * 64.0, "{name}");
    }
    // 4 · 4 bytes a record: all lines.
    assert_eq!(of("short_gap", "n=1000"), 250.0 * 2.0 * 64.0);
    // Of 80 bytes, positions and velocities are the first 48: five lines of four records are all that there are.
    assert_eq!(of("atoms", "n=1000"), 1250.0 * 2.0 * 64.0);
    // Of 75 numbers, 0 lies beside the 74 of the record before, 24 beside 25, and 49 beside 50: two neighbours are in
    // different lines one time in eight, so that the three pairs are in 3.375 lines.
    let edges = of("edges", "n=64");
    assert!(
        (edges / (64.0 * 64.0 * 3.375 * 2.0 * 64.0) - 1.0).abs() < 0.3,
        "{edges}"
    );
}

/// A loop that does not run moves nothing, whatever is around it or beside it.
#[test]
fn sizes_without_iterations_move_nothing() {
    let text = "void star(int n, int m, double a[n][m], double b[n][m]) {
      for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++)
        b[i][j] = a[i][j] + a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1];
    }
    void gather(int n, int x[n], double a[n], double b[n]) { for (int i = 0; i < n; i++) b[i] = a[x[i]]; }
    void multiples(int n, char a[n]) { for (int i = 2; i < n; i++) for (int j = 2*i; j < n; j += i) a[j] = 1; }";
    for (name, size) in [
        ("star", "n=0"),
        ("star", "m=2"),
        ("star", "n=-7"),
        ("gather", "n=-5"),
        ("multiples", "n=-3"),
    ] {
        let cases = cases(
            text,
            &["--cache", "4KiB,full", "--function", name, "--set", size],
        );
        let [predicted, simulated] =
            ["predicted_bytes", "simulated_bytes"].map(|side| number(&cases[0], side));
        assert_eq!((predicted, simulated), (0.0, 0.0), "{name}, {size}");
    }
    // A step that another loop chooses is a number all the same: 320 bytes are five lines, read and written.
    let multiples = &cases(
        text,
        &[
            "--cache",
            "4KiB,full",
            "--function",
            "multiples",
            "--set",
            "n=320",
        ],
    )[0];
    assert_eq!(number(multiples, "simulated_bytes"), 5.0 * 2.0 * 64.0);
    assert!(
        (64.0..=640.0).contains(&number(multiples, "predicted_bytes")),
        "{multiples}"
    );
}

/// Diagonals of a square: as many elements as it has, not as many as their lengths times their number.
#[test]
fn wavefronts_touch_a_square() {
    let text = "void wave(int n, double a[n][n]) {
      for (int d = 2; d < 2*n-1; d++)
        for (int i = d-n+1 > 1 ? d-n+1 : 1; i < (d < n ? d : n); i++)
          a[i][d-i] = a[i-1][d-i] + a[i][d-i-1];
    }
    void records(int n, double a[n][n][16]) {
      for (int d = 0; d < 2*n-1; d++)
        for (int i = d-n+1 > 0 ? d-n+1 : 0; i < (d < n-1 ? d : n-1) + 1; i++)
          a[d-i][i][0] *= 2;
    }";
    // 16 lines in each of 128 rows, the first row read only; each record's line, read and written.
    for (name, lines) in [("wave", (128 + 127) * 16), ("records", 2 * 128 * 128)] {
        let bytes = within(&cases(
            text,
            &["--cache", "4MiB,full", "--function", name, "--set", "n=128"],
        ));
        assert_eq!(bytes, [f64::from(lines) * 64.0], "{name}");
    }
}

/// Whatever says what a cache is says it to the model and to the simulation, or is refused.
#[test]
fn model_and_simulation_have_the_same_caches() {
    let text = "void f(int n, double a[n][n], double b[n][n]) {
      for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) b[i][j] = a[i][j];
    }";
    // Down 64 columns of 512 bytes: 64 lines of each array at a time, 8 KiB; if they do not fit, a line an element.
    let whole = |line: f64| 3.0 * 64.0 * 512.0 / line * line;
    let each = |line: f64| 3.0 * 64.0 * 64.0 * line;
    let caches: [(&[&str], f64); 4] = [
        (
            &[
                "--machine",
                "xeon-8380",
                "--set",
                "l1_bytes=4096",
                "--set",
                "l1_ways=8",
            ],
            each(64.0),
        ),
        (
            &[
                "--machine",
                "xeon-8380",
                "--set",
                "line_bytes=128",
                "--set",
                "l1_ways=12",
            ],
            whole(128.0),
        ),
        (&["--cache", "4KiB,full,128B"], each(128.0)),
        (
            &["--cache", "2KiB,full,32B", "--set", "line_bytes=32"],
            each(32.0),
        ),
    ];
    for (arguments, expected) in caches {
        let case = &cases(text, &[arguments, &["--set", "n=64"]].concat())[0];
        assert_eq!(number(case, "simulated_bytes"), expected, "{arguments:?}");
        assert_eq!(number(case, "predicted_bytes"), expected, "{arguments:?}");
    }
    let refused: [(&[&str], &str); 4] = [
        (&["--set", "cache_bytes=4096"], "cache_bytes"),
        (
            &["--cache", "4KiB,full", "--set", "l1_bytes=8192"],
            "those of --cache",
        ),
        (
            &["--cache", "4KiB,full", "--sizes", "line_bytes=128"],
            "have 64 bytes",
        ),
        (
            &["--cache", "4KiB,full,64B", "--cache", "8KiB,full,128B"],
            "different lengths",
        ),
    ];
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.c");
    std::fs::write(&path, text).expect("written");
    for (arguments, why) in refused {
        let mut command = command::loopsheet();
        let output = command
            .arg("validate")
            .arg(&path)
            .args(arguments)
            .output()
            .expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(why), "{arguments:?}: {errors}");
    }
}

/// A loop that goes on where another one ended begins there, also when it is run by itself.
#[test]
fn remainders_begin_where_the_unrolled_loop_ended() {
    let text = "void unrolled(int n, double a[n], double b[n]) {
      int i;
      for (i = 0; i + 3 < n; i += 4) { b[i] = a[i]; b[i+1] = a[i+1]; b[i+2] = a[i+2]; b[i+3] = a[i+3]; }
      for (; i < n; i++) b[i] = a[i];
    }
    void halves(int n, double a[n]) {
      int i = 0;
      while (i < n/2) { a[i] = 1; i++; }
      while (i < n) { a[i] = 2; i++; }
    }";
    let simulated = |name: &str, size: &str| {
        let cases = cases(
            text,
            &["--cache", "4KiB,full", "--function", name, "--set", size],
        );
        cases
            .iter()
            .map(|case| number(case, "simulated_bytes") / 64.0)
            .collect::<Vec<f64>>()
    };
    // 200 is fifty times four, in 25 lines of each array; three more are in one line.
    assert_eq!(simulated("unrolled", "n=200"), [3.0 * 25.0, 0.0]);
    assert_eq!(simulated("unrolled", "n=203"), [3.0 * 25.0, 3.0]);
    // 0 … 99 is in 12.5 lines, as is 100 … 199.
    assert_eq!(simulated("halves", "n=200"), [2.0 * 13.0, 2.0 * 13.0]);
}

/// What the model only estimates is told, and every branch on data may be given its probability.
#[test]
fn estimates_are_marked_and_probabilities_can_be_set() {
    let text = "void clamp(int n, double a[n], double b[n][8]) {
      for (int i = 0; i < n; i++) if (a[i] > 0) b[i][0] = 0;
    }
    void search(int n, double a[n]) { for (int i = 0; i < n; i++) if (a[i] < 0) break; }";
    let of = |name: &str, settings: &[&str]| {
        let arguments = [
            &[
                "--cache",
                "4KiB,full",
                "--function",
                name,
                "--set",
                "n=1000",
            ],
            settings,
        ]
        .concat();
        cases(text, &arguments).remove(0)
    };
    assert!(is_explained(&of("search", &[]), "trip_count"));
    assert!(!is_explained(&of("clamp", &[]), "trip_count"));
    // 125 lines of a, and one of b, read and written, for every element that passes.
    for (probability, passes) in [("0", 0.0), ("0.25", 250.0), ("1", 1000.0)] {
        let case = of("clamp", &["--set", &format!("prob_clamp_2={probability}")]);
        // Spread evenly, a quarter of a thousand is one more or less.
        let lines = number(&case, "simulated_bytes") / 64.0;
        assert!(
            (lines - (125.0 + 2.0 * passes)).abs() <= 2.0,
            "{probability}: {lines}"
        );
    }
}
