//! C-AMAT of timelines: a published figure, a timeline worked out by hand, a brute force, the identities, bad files.

use crate::slow_camat;
use crate::support::command::loopsheet;
use loopsheet_base::formula::Catalogue;
use loopsheet_metrics::camat::file::Timeline;
use loopsheet_metrics::camat::formulas::{LevelFigure, ProgramFigure};
use loopsheet_metrics::camat::identities::identities;
use loopsheet_metrics::camat::{Camat, Figures, Program};
use proptest::prelude::*;
use serde_json::Value;

const NOTHING: Program = Program {
    instructions: None,
    cpi_exe: None,
    hart_cycles: None,
    stall_target: 0.1,
};

fn counted(csv: &str, program: Program) -> Camat {
    Timeline::read(csv.as_bytes())
        .expect("a timeline")
        .counted(None)
        .finish(program, None)
}

/// What the figures of a level are, by key.
fn assert_level(camat: &Camat, level: usize, expected: &[(&str, f64)]) {
    let figures = Figures::of(camat);
    for (key, value) in expected {
        let figure = LevelFigure::named(key).expect("a figure");
        let found = figures
            .at(figure, level)
            .unwrap_or_else(|| panic!("{key} of level {level} is unknown"));
        assert!(
            (found - value).abs() <= 1e-12 * value.abs(),
            "{key} of level {level} is {found}, not {value}"
        );
    }
}

const WANG_SUN: &str = "id,start,h1,m1\nA1,1,3,0\nA2,1,3,0\nA3,3,3,3\nA4,3,3,1\nA5,4,3,0\n";

/// Wang and Sun 2012, Figure 1: five accesses, H = 3. A3 misses for cycles 6 to 8, A4 for cycle 6, in which A5 still
/// looks up. Hit concurrency by cycle 2 2 4 3 3 1, then two pure miss cycles.
#[test]
fn the_figure_of_wang_and_sun() {
    let camat = counted(WANG_SUN, NOTHING);
    assert_eq!(camat.run, (1, 8));
    let expected = [
        ("alpha", 5.0),
        ("alpha_h", 3.0),
        ("alpha_m", 2.0),
        ("alpha_pure", 1.0),
        ("e", 0.0),
        ("h", 5.0),
        ("m", 2.0),
        ("x", 1.0),
        ("omega", 8.0),
        ("n", 8.0),
        ("hit_cycles", 15.0),
        ("miss_cycles", 4.0),
        ("pure_miss_cycles", 2.0),
        ("H", 3.0),
        ("AMP", 2.0),
        ("pAMP", 2.0),
        ("rho_m", 0.4),
        ("rho_pure", 0.2),
        ("C_H", 2.5),
        ("C_M", 1.0),
        ("AMAT", 3.8),
        ("CAMAT", 1.6),
        ("APC", 0.625),
        ("MST", 0.4),
    ];
    assert_level(&camat, 1, &expected);
    let panels = loopsheet_metrics::camat::cells::panels(&camat).expect("short");
    let hits: Vec<u64> = panels[0].cycles.iter().map(|cycle| cycle.hits).collect();
    let misses: Vec<u64> = panels[0].cycles.iter().map(|cycle| cycle.misses).collect();
    assert_eq!(hits, [2, 2, 4, 3, 3, 1, 0, 0]);
    assert_eq!(misses, [0, 0, 0, 0, 0, 2, 1, 1]);
}

/// Ten accesses of two levels, H(1) = 2, H(2) = 3. By cycle, in the order of the lines:
///
/// ```text
/// cycle    0        1         2         3
///          1234567890123456789012345678901234
/// P1       hh                                  hit
/// P2       hhmmm                               L2: 3-5 look-up, hits
/// P3         hhmmmmmmmm                        L2: 5-7 look-up, 8-12 RAM
/// P4          hh                               hit
/// P5            hhmmmm                         secondary miss on P3's line: 8-11
/// P6                   hh                      (15-16) hit
/// P7                   hhmmmmmmmm              L2: 17-19 look-up, 20-24 RAM
/// P8                       hh                  (19-20) hit
/// P9                        hhmm               (20-21), secondary: 22-23
/// P10                               hhmmm      (28-29) L2: 30-32 look-up, hits
/// ```
///
/// L1 look-ups: 1,2 | 1,2 | 3,4 | 4,5 | 6,7 | 15,16 | 15,16 | 19,20 | 20,21 | 28,29.
/// L1 waits: 3-5 (P2), 5-12 (P3), 8-11 (P5), 17-24 (P7), 22-23 (P9), 30-32 (P10).
/// h: 1 2 15 16 28 29 = 6; x: 3 4 5 6 7 19 20 21 = 8; m: 8-12, 17 18, 22-24, 30-32 = 13; e: 13 14 25 26 27 = 5;
/// n = 32, ω = 27. Misses 6: P2 P3 P5 P7 P9 P10; pure: P3 P5 P7 P9 P10 (P2's cycles are all mixed) = 5; secondary 2.
/// Hit cycles 20; miss cycles 3+8+4+8+2+3 = 28; in pure cycles: 8-11 two each, 12 one: 9; 17 18: 2; 22 23: 4; 24: 1;
/// 30-32: 3; 19 in all. L2 sees P2 P3 P7 P10, 3-5, 5-7, 17-19, 30-32 looking up (12 hit cycles, 5 shared by P2 and P3),
/// waits 8-12 and 20-24. h: 3 4 5 6 7 17 18 19 30 31 32 = 11; m: 10; x: 0; ω = 21; e = 11.
#[test]
#[expect(
    clippy::too_many_lines,
    reason = "the figures of one example in a table"
)]
fn two_levels_by_hand() {
    let csv = "id,start,h1,m1,h2,m2\nP1,1,2,0,,\nP2,1,2,3,3,0\nP3,3,2,8,3,5\nP4,4,2,0,,\nP5,6,2,4,,\nP6,15,2,0,,\n\
               P7,15,2,8,3,5\nP8,19,2,0,,\nP9,20,2,2,,\nP10,28,2,3,3,0\n";
    // 20 instructions of 0.8 cycles: 16 cycles of compute time; target 50 %.
    let camat = counted(
        csv,
        Program {
            instructions: Some(20),
            cpi_exe: Some(0.8),
            hart_cycles: None,
            stall_target: 0.5,
        },
    );
    let first = [
        ("alpha", 10.0),
        ("alpha_h", 4.0),
        ("alpha_m", 6.0),
        ("alpha_pure", 5.0),
        ("secondary", 2.0),
        ("n", 32.0),
        ("e", 5.0),
        ("h", 6.0),
        ("m", 13.0),
        ("x", 8.0),
        ("omega", 27.0),
        // 9-11 belong to P3 too, 22 and 23 to P7: no cycle has secondary misses alone.
        ("onward", 21.0),
        ("hit_cycles", 20.0),
        ("miss_cycles", 28.0),
        ("pure_miss_cycles", 19.0),
        ("secondary_cycles", 6.0),
        ("rho_h", 0.4),
        ("rho_m", 0.6),
        ("rho_pure", 0.5),
        ("phi", 14.0 / 27.0),
        ("mu", 21.0 / 27.0),
        ("kappa", 13.0 / 21.0),
        ("H", 2.0),
        ("AMP", 28.0 / 6.0),
        ("pAMP", 3.8),
        ("C", 48.0 / 27.0),
        ("C_H", 20.0 / 14.0),
        ("C_m", 28.0 / 21.0),
        ("C_M", 19.0 / 13.0),
        ("AMAT", 4.8),
        ("CAMAT", 2.7),
        ("APC", 10.0 / 27.0),
        ("MST", 1.3),
        ("request_rate", 0.625),
        ("supply_rate", 10.0 / 27.0),
        ("LPMR", 27.0 / 16.0),
        // 0.5 / (21/27 · 13/21) = 0.5 · 27/13
        ("LPMR_target", 13.5 / 13.0),
    ];
    assert_level(&camat, 1, &first);
    let second = [
        ("alpha", 4.0),
        ("alpha_h", 2.0),
        ("alpha_m", 2.0),
        ("alpha_pure", 2.0),
        ("n", 32.0),
        ("e", 11.0),
        ("h", 11.0),
        ("m", 10.0),
        ("x", 0.0),
        ("omega", 21.0),
        ("hit_cycles", 12.0),
        ("miss_cycles", 10.0),
        ("pure_miss_cycles", 10.0),
        ("phi", 11.0 / 21.0),
        ("mu", 10.0 / 21.0),
        ("kappa", 1.0),
        ("H", 3.0),
        ("AMP", 5.0),
        ("pAMP", 5.0),
        ("C", 22.0 / 21.0),
        ("C_H", 12.0 / 11.0),
        ("C_m", 1.0),
        ("C_M", 1.0),
        ("AMAT", 5.5),
        ("CAMAT", 5.25),
        ("APC", 4.0 / 21.0),
        ("MST", 2.5),
        ("request_rate", 0.25),
        ("LPMR", 21.0 / 16.0),
        // 0.5 / κ(1)
        ("LPMR_target", 10.5 / 13.0),
    ];
    assert_level(&camat, 2, &second);
    let figures = Figures::of(&camat);
    // A log does not tell whether what misses the last level waits for RAM or for another miss.
    assert_eq!(figures.at(LevelFigure::Secondary, 2), None);
    for (key, value) in [
        ("f_mem", 0.5),
        ("IPC_exe", 1.25),
        ("compute_cycles", 16.0),
        ("run_cycles", 29.0),
        ("Delta", 0.8125),
        ("MSE", 16.0 / 29.0),
    ] {
        let figure = ProgramFigure::named(key).expect("a figure");
        let found = figures.get(figure).expect("known");
        assert!(
            (found - value).abs() < 1e-12,
            "{key} is {found}, not {value}"
        );
    }
    let advice = loopsheet_metrics::camat::matching::advice(&camat, &figures).join("\n");
    assert!(
        advice.contains("81.25 %")
            && advice.contains("L1 misses")
            && advice.contains("Work on L1, L2"),
        "{advice}"
    );
}

/// Private levels are counted hart by hart and added, a shared one once: two harts that do the same at the same time.
#[test]
fn private_and_shared_levels() {
    let csv = "id,hart,start,h1,m1,h2,m2\na,0,1,1,4,2,2\nb,1,1,1,4,2,2\n";
    let read = Timeline::read(csv.as_bytes()).expect("a timeline");
    let shared = read.counted(Some(1)).finish(NOTHING, None);
    let cycles = |camat: &Camat, level: usize| {
        let level = &camat.levels[level];
        [level.n, level.h, level.m, level.omega, level.sharers]
    };
    assert_eq!(cycles(&shared, 0), [10, 2, 8, 10, 1]);
    assert_eq!(cycles(&shared, 1), [5, 2, 2, 4, 2]);
    let private = read.counted(None).finish(NOTHING, None);
    assert_eq!(cycles(&private, 1), [10, 4, 4, 8, 1]);
    assert_level(&private, 1, &[("CAMAT", 5.0)]);
    assert_level(&shared, 2, &[("CAMAT", 2.0), ("C_H", 2.0)]);
    for camat in [shared, private] {
        assert!(
            identities(&camat).iter().all(|identity| identity.holds()),
            "{:?}",
            identities(&camat)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Streaming counts are those of the brute force, every identity holds, and a reader of the CSV finds the same.
    #[test]
    fn streaming_is_brute_force_and_identities_hold(timeline in slow_camat::timeline()) {
        let camat = timeline.streamed();
        prop_assert_eq!(&camat.levels, &timeline.brute_force());
        let found = identities(&camat);
        for identity in &found {
            prop_assert!(identity.holds(), "{:?}", identity);
            prop_assert!(!identity.exact || identity.left == identity.right, "{:?}", identity);
        }
        let names: Vec<&str> = found.iter().map(|identity| identity.name).collect();
        for always in ["L 12", "L 16, as φ + μκ = 1", "L 29 = L 28", "L 31", "L 33 = L 30", "L 35 = L 18", "L 52"] {
            prop_assert!(names.contains(&always), "{always}");
        }
        if timeline.all_misses_go_on() && camat.levels.len() > 1 && camat.levels[0].m > 0 && camat.levels[1].alpha > 0 {
            for also in ["L 38", "L 39", "L 40", "L 41", "L 42", "L 52, recursion", "L 53 = L 52", "L 55 = L 52"] {
                prop_assert!(names.contains(&also), "{also}");
            }
        }
        let read = Timeline::read(timeline.csv().as_bytes()).expect("a timeline");
        prop_assert_eq!(read.counted(timeline.first_shared).finish(timeline.program, None).levels, camat.levels);
    }
}

fn in_file(csv: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.csv");
    std::fs::write(&path, csv).expect("written");
    let path = path.display().to_string();
    (dir, path)
}

/// The keys of the promise, without a trace and beside one.
#[test]
fn a_timeline_needs_no_trace() {
    let (_dir, path) = in_file(WANG_SUN);
    let json = |arguments: &[&str]| -> Value {
        let output = loopsheet()
            .args(["trace", "--timeline", &path, "--json", "-"])
            .args(arguments)
            .output()
            .expect("runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let alone = json(&[]);
    let keys = "name alpha alpha_h alpha_m alpha_pure e h m x omega phi mu kappa C C_H C_m C_M H AMP pAMP AMAT CAMAT APC \
                MST request_rate supply_rate LPMR";
    for key in keys.split_whitespace() {
        assert!(
            alone["camat"]["levels"][0].get(key).is_some(),
            "no key {key}"
        );
    }
    assert!(alone.get("edag").is_none() && alone["camat"]["program"]["Delta"].is_null());
    let given = json(&["--instructions", "10", "--cpi-exe", "0.5"]);
    // MST 0.4, half an access per instruction, 0.5 cycles.
    assert_eq!(given["camat"]["program"]["Delta"], 0.4);
    let trace = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/samples/traces/matmul.execlog.zst"
    );
    let beside = json(&[trace]);
    assert_eq!(
        beside["camat"]["program"]["instructions"],
        beside["trace"]["instructions"]
    );
    assert_eq!(beside["camat"]["levels"], alone["camat"]["levels"]);
    assert_eq!(
        loopsheet()
            .arg("trace")
            .output()
            .expect("runs")
            .status
            .code(),
        Some(2)
    );
    let refused = loopsheet()
        .args(["trace", "--timeline", &path, "--graph", "g.svg"])
        .output()
        .expect("runs");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn bad_timelines_are_refused_with_their_line() {
    for (csv, says) in [
        ("", "line 1: the file is empty"),
        ("id,start,h1,m1\n", "line 2: no access"),
        (
            "A1,1,3,0\n",
            "line 1, column 1: `A1` in the header, not `id`",
        ),
        (
            "id,start,h1\nA,1,2\n",
            "line 1, column 4: `` in the header, not `m1`",
        ),
        (
            "id,start,h1,m1,h3,m3\n",
            "line 1, column 5: `h3` in the header, not `h2`",
        ),
        (
            "id,start,h1,m1\nA,1,3,0\nB,2,3\n",
            "line 3: 3 fields, not 4",
        ),
        (
            "id,start,h1,m1\nA,1,3,0\n\nB,2,3,0,1\n",
            "line 4: 5 fields, not 4",
        ),
        (
            "id,start,h1,m1\nA,1,three,0\n",
            "line 2, column 3 (h1): `three`",
        ),
        (
            "id,start,h1,m1\nA,-1,3,0\n",
            "line 2, column 2 (start): `-1`",
        ),
        (
            "id,start,h1,m1\nA,1.5,3,0\n",
            "line 2, column 2 (start): `1.5`",
        ),
        (
            "id,start,h1,m1\nA,1,0,3\n",
            "line 2, column 3 (h1): a look-up takes at least one cycle",
        ),
        (
            "id,start,h1,m1,hart\nA,1,3,0,0\n",
            "a column hart may follow id",
        ),
        (
            "id,start,h1,m1\nA,1,,0\n",
            "line 2, column 3 (h1): the field is empty",
        ),
        (
            "id,start,h1,m1,h2,m2\nA,1,3,4,2,\n",
            "line 2, column 6 (m2): the field is empty",
        ),
        (
            "id,start,h1,m1,h2,m2\nA,1,3,4,2,2\nB,1,3,4,2,3\n",
            "line 3: h2 + m2 is 5, but m1 is 4",
        ),
        (
            "id,start,h1,m1,h2,m2\nA,1,3,0,2,3\n",
            "line 2: h2 + m2 is 5, but m1 is 0",
        ),
        (
            "id,start,h1,m1,h2,m2,h3,m3\nA,1,3,4,,,2,2\n",
            "line 2: level 3 is reached, but level 2 is not",
        ),
        (
            "id,start,h1,m1\nA,1,18446744073709551616,0\n",
            "line 2: cycles beyond 2^53",
        ),
        (
            "id,start,h1,m1\nA,9007199254740992,1,0\n",
            "line 2: cycles beyond 2^53",
        ),
        (
            "id,start,h1,m1\nA,1,9007199254740000,0\nB,1,9007199254740000,0\n",
            "line 3: cycles beyond 2^53",
        ),
        (
            "id,hart,start,h1,m1\nA,70000,1,3,0\n",
            "line 2, column 2 (hart): `70000`",
        ),
    ] {
        let (_dir, path) = in_file(csv);
        let output = loopsheet()
            .args(["trace", "--timeline", &path, "--json", "-"])
            .output()
            .expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{csv:?}: {stderr}");
        assert!(
            stderr.contains(says) && stderr.contains("t.csv"),
            "{csv:?}: {stderr}"
        );
        assert!(output.stdout.is_empty());
    }
}

/// Lines in any order, spaces, Windows line ends and a byte-order mark change nothing; nor do zeros for empty fields.
#[test]
fn how_a_file_is_written_does_not_matter() {
    let plain = counted("id,start,h1,m1,h2,m2\nA,1,2,0,,\nB,5,2,3,3,0\n", NOTHING);
    for csv in [
        "id,start,h1,m1,h2,m2\nB,5,2,3,3,0\nA,1,2,0,,\n",
        "\u{feff}id, start, h1, m1, h2, m2\r\nA, 1, 2, 0, , \r\nB, 5, 2, 3, 3, 0\r\n",
        "id,start,h1,m1,h2,m2\nA,1,2,0,0,0\nB,5,2,3,3,0",
    ] {
        assert_eq!(counted(csv, NOTHING), plain, "{csv:?}");
    }
}

/// Every sum is a number, every figure and both sides of every identity a formula whose kept value is that of Rust.
#[test]
fn the_sheet_is_live_and_its_identities_agree() {
    use calamine::{Data, Reader, Xlsx};
    let csv = "id,start,h1,m1,h2,m2\nA,1,2,0,,\nB,1,2,3,3,0\nC,3,2,8,3,5\nD,4,2,9,3,6\n";
    let camat = counted(
        csv,
        Program {
            instructions: Some(20),
            cpi_exe: Some(0.8),
            hart_cycles: None,
            stall_target: 0.5,
        },
    );
    let figures = Figures::of(&camat);
    let identities = identities(&camat).len();
    let report = loopsheet_metrics::report::TimelineReport {
        path: "t.csv".into(),
        camat,
    };
    let bytes = loopsheet_export::xlsx::timeline_workbook(&report).expect("a workbook");
    let mut book: Xlsx<_> = Xlsx::new(std::io::Cursor::new(bytes)).expect("opened");
    assert_eq!(book.sheet_names(), ["C-AMAT"]);
    let names: Vec<String> = book
        .defined_names()
        .iter()
        .map(|(name, _)| name.to_string())
        .collect();
    assert!(
        ["instructions", "cpi_exe", "stall_target"]
            .iter()
            .all(|name| names.contains(&name.to_string()))
    );
    let values = book.worksheet_range("C-AMAT").expect("values");
    let formulas = book.worksheet_formula("C-AMAT").expect("formulas");
    let text = |row: u32, column: u32| {
        values
            .get_value((row, column))
            .map(|cell| cell.to_string())
            .unwrap_or_default()
    };
    let rows = values.end().expect("cells").0;
    let row = |label: &str| {
        (0..=rows)
            .find(|row| text(*row, 0) == label)
            .unwrap_or_else(|| panic!("no {label}"))
    };
    let formula = |row, column| {
        formulas
            .get_value((row, column))
            .cloned()
            .unwrap_or_default()
    };
    for (label, key) in [
        ("Concurrent average access time", "CAMAT"),
        ("Hit concurrency", "C_H"),
        ("Matching ratio", "LPMR"),
    ] {
        for (level, column) in [(1, 2), (2, 3)] {
            let figure = LevelFigure::named(key).expect("a figure");
            let value = figures.at(figure, level).expect("known");
            assert_eq!(
                values.get_value((row(label), column)),
                Some(&Data::Float(value)),
                "{key}"
            );
            assert!(!formula(row(label), column).is_empty(), "{key}");
        }
    }
    let (omega, alpha) = (row("Memory active cycles") + 1, row("Accesses") + 1);
    assert_eq!(
        formula(row("Concurrent average access time"), 2),
        format!("C{omega}/C{alpha}")
    );
    assert_eq!(formula(omega - 1, 2), "");
    let first = row("Identity (Liu, Espina, Sun 2021)") + 1;
    let equal = (first..=rows)
        .filter(|row| text(*row, 5) == "equal" && !formula(*row, 5).is_empty())
        .count();
    assert_eq!(equal, identities);
    assert!((first..=rows).all(|row| text(row, 5) != "differs"));
}
