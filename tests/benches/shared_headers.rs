//! Whether C files behind a large header take the time of the files, not of the header, in one run.
//!
//!     cargo bench --bench shared_headers -- [limit]
//!
//! A header of 1.5 MB, 10,000 declarations, is written to a temporary directory with copies of a small file
//! behind it: once, 1, 2, 4 and 8 times fifty. What each fifty more take is set beside the first file, which
//! reads the header. The limit is the largest allowed share of one more file in that, 0.1 if it is left out;
//! above it the exit status is 1.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Files of the smallest tree but one.
const FILES: usize = 50;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let limit: f64 = arguments
        .first()
        .map_or(0.1, |text| text.parse().expect("the limit is a number"));
    let first = time(1);
    println!("{:4} file   {:8.3} s", 1, first.as_secs_f64());
    let mut before = (1, first);
    let mut worst = 0.0_f64;
    for times in [1, 2, 4, 8] {
        let files = FILES * times;
        let taken = time(files);
        let more = taken.saturating_sub(before.1).as_secs_f64() / (files - before.0) as f64;
        let share = more / first.as_secs_f64();
        worst = worst.max(share);
        println!(
            "{files:4} files  {:8.3} s, {:.2} ms for one more, {:.1} % of the first",
            taken.as_secs_f64(),
            1e3 * more,
            100.0 * share
        );
        before = (files, taken);
    }
    if worst > limit {
        println!("more than {:.1} %", 100.0 * limit);
        std::process::exit(1);
    }
}

/// The least time of three that the analysis of so many files behind the header takes.
fn time(files: usize) -> Duration {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("source");
    let include = directory.path().join("include");
    for directory in [&source, &include] {
        std::fs::create_dir(directory).expect("made");
    }
    std::fs::write(include.join("large.h"), header()).expect("written");
    for number in 0..files {
        let file = source.join(format!("file{number}.c"));
        std::fs::write(file, small_file(number)).expect("written");
    }
    (0..3)
        .map(|_| analysis(&source, &include))
        .min()
        .expect("three")
}

fn analysis(source: &Path, include: &Path) -> Duration {
    let start = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_loopsheet"))
        .args(["analyze", "--quiet", "-I"])
        .args([include, source])
        .stdout(std::process::Stdio::null())
        .status()
        .expect("it runs");
    assert!(status.success(), "{status}");
    start.elapsed()
}

/// 1.5 MB of types, constants and prototypes.
fn header() -> String {
    let mut text = "#ifndef LARGE_H\n#define LARGE_H\ntypedef double real;\n".to_string();
    for number in 0..2500 {
        write!(
            text,
            "#define SIZE_{number} {}\n\
             /* What the procedures of part {number} work on: its extents, the values and what is known of them. */\n\
             typedef struct part_{number} {{ int rows, columns; real values[SIZE_{number}]; struct part_{number} *next; }} part_{number};\n\
             extern real table_{number}[SIZE_{number}];\n\
             int solve_{number}(int order, int rows, int columns, const part_{number} *matrix, real *right, int stride, real tolerance);\n\
             void update_{number}(part_{number} *matrix, const real *left, const real *right, int rows, int columns, real factor);\n\n",
            number % 97 + 2
        )
        .expect("text");
    }
    text + "#endif\n"
}

fn small_file(number: usize) -> String {
    format!(
        "#include <stdio.h>\n#include \"large.h\"\n\n\
         void scale_{number}(part_{number} *part, real factor) {{\n\
         \x20 for (int i = 0; i < SIZE_{number}; i++)\n    part->values[i] *= factor * table_{number}[i];\n}}\n"
    )
}
