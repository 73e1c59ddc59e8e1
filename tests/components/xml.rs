//! The schema with libxml2 as a second witness: `xmllint` accepts everything that we write and refuses
//! the same damage as the validator of `tests/it/xml.rs`.

use std::path::PathBuf;
use std::process::Command;

use crate::support::command;
use crate::support::xml_programs::{DAMAGE, DAMAGE_IN_OURS, NEWER, OLDER, program};
use loopsheet_export::xml::{read, write};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// Exit status and messages of `xmllint` for these files: 0 if all are valid, 3 if one is not.
fn xmllint(files: &[PathBuf]) -> (Option<i32>, String) {
    let schema = command::root().join("templates/loopsheet.xsd");
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(schema)
        .args(files)
        .output()
        .expect("xmllint can be run (Debian: libxml2-utils)");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn put(directory: &tempfile::TempDir, number: usize, text: &str) -> PathBuf {
    let path = directory.path().join(format!("{number}.xml"));
    std::fs::write(&path, text).expect("the directory can be written to");
    path
}

#[test]
fn accepts_what_we_write() {
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    let mut runner = TestRunner::deterministic();
    let mut texts: Vec<String> = [NEWER, OLDER]
        .iter()
        .map(|text| write(&read(text, "m.xml").unwrap()))
        .collect();
    for _ in 0..100 {
        texts.push(write(
            &program()
                .new_tree(&mut runner)
                .expect("a program")
                .current(),
        ));
    }
    let files: Vec<PathBuf> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| put(&directory, n, text))
        .collect();
    let (status, messages) = xmllint(&files);
    assert_eq!(status, Some(0), "{messages}");
}

#[test]
fn refuses_deliberate_damage() {
    let directory = tempfile::tempdir().expect("there is a temporary directory");
    let text = write(&read(OLDER, "m.xml").unwrap());
    for (number, (from, to)) in DAMAGE.iter().chain(DAMAGE_IN_OURS).enumerate() {
        let damaged = text.replacen(from, to, 1);
        assert_ne!(damaged, text, "{from} is not there");
        let file = put(&directory, number, &damaged);
        let (status, messages) = xmllint(&[file]);
        assert_eq!(status, Some(3), "{to} instead of {from}: {messages}");
    }
}
