//! Calls between processes: what they move and what that costs, against figures counted by hand.

use crate::support::command;
use serde_json::{Value, json};

fn analysed(file: &str, options: &[&str]) -> Value {
    let arguments = [&["--machine", "exasat"], options].concat();
    command::analysed(command::fixture("communication").join(file), &arguments)
}

fn calls<'j>(json: &'j Value, function: &str) -> &'j Vec<Value> {
    let functions = json["functions"].as_array().expect("functions");
    let found = functions
        .iter()
        .find(|f| f["name"] == function)
        .unwrap_or_else(|| panic!("no function {function}"));
    found["communication"]
        .as_array()
        .unwrap_or_else(|| panic!("{function} does not communicate"))
}

/// Kind, elements, bytes of one, messages, bytes, executions.
fn figures(call: &Value) -> Value {
    [
        "kind",
        "count",
        "element_bytes",
        "messages",
        "bytes",
        "executions",
    ]
    .map(|key| call[key].clone())
    .into()
}

fn seconds(call: &Value) -> f64 {
    call["seconds"].as_f64().expect("a time")
}

fn near(value: f64, expected: f64) {
    assert!(
        (value - expected).abs() <= 1e-12 * expected.abs(),
        "{value} is not {expected}"
    );
}

const SETTINGS: [&str; 8] = [
    "--set", "nx=100", "--set", "ny=50", "--set", "steps=10", "--set", "ranks=16",
];

#[test]
fn point_to_point_is_counted_where_it_stands_and_as_often_as_it_runs() {
    let json = analysed("halo.c", &SETTINGS);
    let found = calls(&json, "exchange");
    let receive = json!(["receive", 100, 8, 1, 800, 10]);
    let send = json!(["send", 100, 8, 1, 800, 10]);
    let wait = json!(["wait", null, null, 0, 0, 10]);
    assert_eq!(
        found.iter().map(figures).collect::<Vec<_>>(),
        [&receive, &receive, &send, &send, &wait].map(Value::clone)
    );
    assert_eq!(found[3]["arrays"], json!(["u"]));
    // 0.4 µs and 800 B at 100 GB/s; what a process receives another sends.
    near(seconds(&found[2]), 0.4e-6 + 8e-9);
    assert_eq!(found[0]["seconds"], json!(0));
    // Once for every step: 2 · 800 B.
    assert_eq!(found[2]["bytes_in_all"], json!(8000));
}

#[test]
fn receiving_takes_its_turn_where_the_network_does_one_thing_at_a_time() {
    let json = analysed("halo.c", &["--set", "nx=100", "--set", "nic_full_duplex=0"]);
    let found = calls(&json, "exchange");
    near(seconds(&found[0]), seconds(&found[2]));
}

#[test]
fn collectives_follow_the_algorithms_of_mpich() {
    let json = analysed("halo.c", &SETTINGS);
    let found = calls(&json, "solve");
    // 16 ranks: 4 stages of 8 B, in every one of 10 steps.
    assert_eq!(figures(&found[0]), json!(["allreduce", 1, 8, 4, 32, 10]));
    assert_eq!(found[0]["loop"], json!("solve@34"));
    near(seconds(&found[0]), 4.0 * 0.4e-6 + 32.0 / 100e9);
    // 40,000 B are a long message: scatter, then allgather, 4 + 15 messages, 2 · 15/16 of the data; every second step.
    assert_eq!(
        figures(&found[1]),
        json!(["broadcast", 5000, 8, 19, 75000, 5])
    );
    let short = analysed(
        "halo.c",
        &[&SETTINGS[..], &["--set", "long_message_bytes=1MB"]].concat(),
    );
    // A binomial tree: 4 stages of all of it.
    assert_eq!(
        figures(&calls(&short, "solve")[1]),
        json!(["broadcast", 5000, 8, 4, 160_000, 5])
    );
}

#[test]
fn types_that_the_function_makes_are_known_and_others_are_not() {
    let json = analysed("halo.c", &SETTINGS);
    let found = calls(&json, "types");
    // 3 of 100 · 2 floats.
    assert_eq!(figures(&found[0]), json!(["send", 3, 800, 1, 2400, 1]));
    assert_eq!(figures(&found[1]), json!(["send", 1, null, 1, null, 1]));
    assert_eq!(
        (&found[1]["datatype"], &found[1]["seconds"]),
        (&json!("row_type"), &Value::Null)
    );
    assert_eq!(figures(&found[2]), json!(["send", 100, 8, 1, 800, 1]));
    assert_eq!(json["communication"]["calls_of_unknown_size"], json!(1));
}

#[test]
fn a_count_that_follows_a_loop_is_a_parameter() {
    let json = analysed(
        "halo.c",
        &["--set", "n=6", "--set", "count_neighbours_45=32"],
    );
    let found = calls(&json, "neighbours");
    assert_eq!(figures(&found[0]), json!(["send", 32, 8, 1, 256, 6]));
}

#[test]
fn loops_around_communication_are_understood() {
    let json = analysed("halo.c", &[]);
    assert_eq!(
        json["coverage"]["partial"],
        json!(0),
        "{}",
        json["coverage"]
    );
    assert_eq!(json["calls"]["unknown"], json!({}));
    let functions = json["functions"].as_array().expect("functions");
    let solve = functions
        .iter()
        .find(|f| f["name"] == "solve")
        .expect("solve");
    let listed = solve["loops"][0]["calls"].as_array().expect("calls");
    assert!(
        listed
            .iter()
            .any(|c| c["name"] == "MPI_Allreduce" && c["body"] == "communication"),
        "{listed:?}"
    );
}

#[test]
fn ghost_cells_are_counted_on_both_sides_of_every_dimension() {
    let boxes = [
        "box_x=32",
        "box_y=16",
        "box_z=8",
        "n=12",
        "ranks=5",
        "ghost_u=3",
        "components_u=2",
        "ghost_q=1",
    ];
    let settings: Vec<&str> = boxes
        .iter()
        .flat_map(|setting| ["--set", *setting])
        .collect();
    let json = analysed("halo.f90", &settings);
    let found = calls(&json, "advance");
    // 5 components, 2 cells on either side: 2·2·5·(16·8 + 32·8 + 32·16) = 17,920 values, 6 messages; 20 steps.
    assert_eq!(
        figures(&found[0]),
        json!(["halo", 17_920, 8, 6, 143_360, 20])
    );
    near(seconds(&found[0]), 6.0 * 0.4e-6 + 143_360.0 / 100e9);
    assert_eq!(figures(&found[1]), json!(["exchange", 120, 8, 1, 960, 20]));
    // A type-bound call says neither components nor width: 2·3·2·896.
    assert_eq!(figures(&found[2]), json!(["halo", 10_752, 8, 6, 86_016, 1]));
    // Of an array the declaration says the cells: 2·1·(12·10 + 12·10 + 12·12), one component.
    assert_eq!(figures(&found[3]), json!(["halo", 768, 8, 6, 6144, 1]));
    // Bruck for 5 ranks: 3 stages of half of 5 · 4 B.
    assert_eq!(figures(&found[4]), json!(["alltoall", 1, 4, 3, 30, 1]));
    // Recursive doubling: every process sends 16 B to 4 others, in 3 stages.
    assert_eq!(figures(&found[5]), json!(["allgather", 4, 4, 3, 64, 1]));
    assert_eq!(figures(&found[6]), json!(["barrier", null, null, 3, 0, 1]));
}

#[test]
fn two_dimensions_have_four_faces() {
    let json = analysed(
        "halo.f90",
        &["--set", "box_x=32", "--set", "box_y=16", "--set", "box_z=0"],
    );
    // 2·2·5·(16 + 32) values, 4 messages.
    assert_eq!(
        figures(&calls(&json, "advance")[0]),
        json!(["halo", 960, 8, 4, 7680, 20])
    );
}

#[test]
fn a_type_in_a_common_block_is_as_long_as_the_elements_of_the_buffer() {
    let json = analysed("halo.f90", &["--set", "n=10", "--set", "ranks=8"]);
    assert_eq!(
        figures(&calls(&json, "share")[0]),
        json!(["reduce", 10, 8, 3, 240, 1])
    );
}

/// The sums of all executions; receives are no part of what is sent.
#[test]
fn totals_are_those_of_one_process() {
    let json = analysed("halo.c", &SETTINGS);
    let functions = json["functions"].as_array().expect("functions");
    let all = functions
        .iter()
        .filter_map(|f| f["communication"].as_array())
        .flatten();
    let sent = all.filter(|call| call["kind"] != "receive");
    let bytes: f64 = sent.filter_map(|call| call["bytes_in_all"].as_f64()).sum();
    near(
        json["communication"]["bytes"].as_f64().expect("bytes"),
        bytes,
    );
}

#[test]
fn xml_and_source_give_the_same_communication() {
    let directory = tempfile::tempdir().expect("a directory");
    for file in ["halo.c", "halo.f90"] {
        let xml = directory.path().join("model.xml");
        let path = command::fixture("communication").join(file);
        // What XML describes cannot be run.
        let options = ["--no-check", "--xml", xml.to_str().expect("a path")];
        let source = command::analysed(path, &options);
        let read = command::analysed(&xml, &[]);
        assert_eq!(read["functions"], source["functions"]);
    }
}
