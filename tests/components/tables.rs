//! Tables of `--tables` in what they are written for: pandas, polars and DuckDB read them as the guide says.

use std::process::Command;

use loopsheet::guide::Topic;

use crate::support::command::root;
use crate::support::tools::tool;

/// The examples of the guide, each by its first line.
#[test]
fn the_examples_of_the_guide_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let written = Command::new(env!("CARGO_BIN_EXE_loopsheet"))
        .args(["analyze", "-q"])
        .arg(root().join("samples/kernels"))
        .args(["--tables", "tables", "--tables-format", "parquet"])
        .current_dir(directory.path())
        .status();
    assert!(written.expect("it runs").success());
    let guide = Topic::Outputs.text();
    let examples = guide.split("```python\n").skip(1);
    let examples: Vec<&str> = examples
        .map(|rest| rest.split("```").next().expect("an end"))
        .collect();
    let printed = |example: &str| {
        let run = Command::new(tool("python/bin/python"))
            .args(["-c", example])
            .env("PYTHONIOENCODING", "UTF-8")
            .current_dir(directory.path())
            .output();
        let run = run.expect("python");
        let errors = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success(), "{example}\n{errors}");
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    let [pandas, polars, duckdb] = examples[..] else {
        panic!("three examples");
    };
    // The costliest nests of the samples, as the table of `analyze` has them, too.
    let text = printed(pandas);
    assert!(
        text.contains("time_call_s") && text.contains("triad@8"),
        "{text}"
    );
    let text = printed(polars);
    assert!(
        ["L1", "L2", "L3"].iter().all(|level| text.contains(level)),
        "{text}"
    );
    let text = printed(duckdb);
    assert!(
        text.contains("moved_again_bytes") && text.contains('@'),
        "{text}"
    );
    // Every column of every table needs no quotes.
    let all = "import duckdb, glob\n\
        for file in glob.glob('tables/*.parquet'):\n    \
        for name in duckdb.sql(f\"SELECT * FROM '{file}'\").columns:\n        \
        duckdb.sql(f\"SELECT {name} FROM '{file}'\").fetchall()\n\
        print(duckdb.sql(\"SELECT decode(value) FROM parquet_kv_metadata('tables/loops.parquet') WHERE decode(key) = 'loopsheet.schema'\").fetchall())";
    assert!(printed(all).contains("loopsheet/tables/2"));
}
