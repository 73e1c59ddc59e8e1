//! Big programs: what the workbook costs beside the same tables as CSV, and how big it is.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::support::programs::{flops, function, model, nest, program, stream};
use loopsheet_analysis::facts::{AccessClass, Block, Program};
use loopsheet_export::{tables, xlsx};

/// So many functions of one stencil and one sum each.
fn many(functions: usize) -> Program {
    let star: &[&[i64]] = &[&[0, 0], &[1, 0], &[-1, 0], &[0, 1], &[0, -1]];
    let of = |index: usize| {
        let name = format!("f{index}_");
        let stencil = Block {
            flops: flops(4, 1, 0, 0),
            streams: vec![
                stream("a", AccessClass::ReadOnly, &["i", "j"], star),
                stream("b", AccessClass::WriteOnly, &["i", "j"], &[&[0, 0]]),
            ],
            ..Block::default()
        };
        let sum = Block {
            flops: flops(1, 0, 0, 0),
            streams: vec![stream("a", AccessClass::ReadOnly, &["i"], &[&[0]])],
            ..Block::default()
        };
        let loops = vec![
            nest(
                &name,
                "many.f90",
                3,
                &[("j", "2", "m"), ("i", "2", "n")],
                stencil,
            ),
            nest(&name, "many.f90", 13, &[("i", "1", "n")], sum),
        ];
        function(&name, "many.f90", &[], loops)
    };
    program((0..functions).map(of).collect())
}

/// What this thread computed so far: other tests run beside this one.
fn computed() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("times are not negative")
}

/// How long it took, and what came of it.
fn timed<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let start = computed();
    let result = work();
    (computed() - start, result)
}

#[test]
fn a_big_workbook_takes_no_ten_times_its_tables() {
    let program = many(400);
    let model = model(&program, "xeon-8380", &[]).for_any_machine(xlsx::ROOM);
    // The tables, and the place of every figure in them.
    let tables = || {
        let files = tables::files(&model, tables::TablesFormat::Csv).unwrap();
        (files, xlsx::figure_cells(&model))
    };
    // What else runs slows both: five times the tables before the workbook and five times behind it take about as long.
    const HALF: u32 = 5;
    let repeated = || (0..HALF).for_each(|_| drop(tables()));
    let some_tables = || timed(repeated).0;
    let round = || {
        let before = some_tables();
        let (workbook, bytes) = timed(|| xlsx::workbook(&model).unwrap());
        (workbook, before + some_tables(), bytes)
    };
    // The best of three rounds counts; after one that is good enough, no other could change the answer.
    let ratio = |(workbook, tables, _): &(Duration, Duration, Vec<u8>)| {
        workbook.as_secs_f64() / tables.as_secs_f64()
    };
    let mut best = round();
    for _ in 1..3 {
        if ratio(&best) < 1.0 {
            break;
        }
        best = std::cmp::min_by(best, round(), |one, other| {
            ratio(one).total_cmp(&ratio(other))
        });
    }
    let (workbook_took, ten_tables_took, bytes) = best;
    let csv: usize = tables().0.iter().map(|(_, content)| content.len()).sum();
    eprintln!(
        "{} nests: CSV {ten_tables_took:?} ten times, {csv} bytes; workbook {workbook_took:?}, {} bytes",
        model.nests.len(),
        bytes.len()
    );
    assert!(
        workbook_took < ten_tables_took,
        "{workbook_took:?} for the workbook, {ten_tables_took:?} for ten times the tables"
    );
    // A workbook has at most 1,500 nests, however many the program has: it stays below 20 MB.
    assert!(
        bytes.len() < model.nests.len() * (20_000_000 / 1_500),
        "{} bytes",
        bytes.len()
    );
}
