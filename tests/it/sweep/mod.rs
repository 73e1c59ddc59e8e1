//! `loopsheet sweep`: figures are those of `analyze` and `trace`, results do not depend on who computes them, when, how
//! often or how many at once, and what is missing or wrong is said.

mod changes;
mod failures;
mod figures;
mod marks;
mod outputs;
mod plans;
mod reports;
mod requests;
mod results;
mod unread;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use calamine::{DataType, Reader, Xlsx};
use loopsheet::guide::Topic;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::command::{loopsheet, printed, root};
use crate::support::sweeps::merged;

const SWEEP: &str = "\
sources = [\"kernels/*.c\"]
traces = [\"traces/*.zst\"]
machines = [\"epyc-7763\", \"sg2042\"]

[set]
n = \"64..128:64\"

[trace]
caches = [\"none\", \"1KiB..4KiB:x2,4way\", \"machine\", \"1KiB,full + 16KiB,8way,fifo\"]
latencies = [50, 100]
slots = [4, 8]
windows = [16, 64]
capacities = \"1KiB..4KiB:x2\"
epoch_slots = 8

[area]
mm2_per_mib = 2

[shards]
models = 3
caches = 3
";

const SUM: &str = "\
double sum(int n, const double *a) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}

";

/// Two kernels, two traces and `sweep.toml`.
fn project(sweep: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    for kind in ["kernels", "traces"] {
        fs::create_dir(at(kind)).expect("a directory");
    }
    for name in [
        "kernels/matmul.c",
        "traces/axpy.execlog.zst",
        "traces/list.execlog.zst",
    ] {
        fs::copy(root().join("samples").join(name), at(name)).expect("a sample");
    }
    fs::write(at("kernels/sum.c"), SUM).expect("a file");
    fs::write(directory.path().join("sweep.toml"), sweep).expect("a file");
    directory
}

/// Runs a sub-command in a project; the exit status and what it says.
fn sweep(project: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = loopsheet();
    command.current_dir(project).arg("sweep").args(arguments);
    let output = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().expect("a status"), said)
}

fn done(project: &Path, arguments: &[&str]) -> String {
    let (status, said) = sweep(project, arguments);
    assert_eq!(status, 0, "{arguments:?}: {said}");
    said
}

type Row = BTreeMap<String, Field>;

/// All rows, as any reader of Parquet has them.
fn rows(project: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for content in merged(project).into_values() {
        let reader = SerializedFileReader::new(bytes::Bytes::from(content)).expect("Parquet");
        for row in reader.get_row_iter(None).expect("rows") {
            let row = row.expect("a row");
            let cells = row.get_column_iter();
            rows.push(
                cells
                    .map(|(name, field)| (name.clone(), field.clone()))
                    .collect(),
            );
        }
    }
    rows
}

fn number(row: &Row, column: &str) -> Option<f64> {
    match &row[column] {
        Field::Null => None,
        Field::Long(value) => Some(*value as f64),
        Field::Double(value) => Some(*value),
        other => panic!("{column}: {other:?}"),
    }
}

fn text<'r>(row: &'r Row, column: &str) -> &'r str {
    match &row[column] {
        Field::Str(text) => text,
        Field::Null => "",
        other => panic!("{column}: {other:?}"),
    }
}

/// A sweep that ran undisturbed.
fn undisturbed() -> TempDir {
    let project = project(SWEEP);
    done(project.path(), &["plan", "sweep.toml"]);
    done(project.path(), &["run", "--all"]);
    done(project.path(), &["merge"]);
    project
}
