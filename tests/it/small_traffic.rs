//! Traffic of nests that move few lines, held against the simulation: elements that no loop moves, columns of short rows; and
//! what decides operations, but no bytes.

use crate::locality::{all_right, marked_in};
use crate::support::command;
use serde_json::{Value, json};
use std::collections::HashMap;

const DIRECTORY: &str = "traffic";

fn is_right(file: &str, functions: &str, arguments: &[&str]) {
    let path = command::fixture(DIRECTORY).join(file);
    let caches = ["--cache", "2KiB,full", "--cache", "1MiB,full"];
    let all = [&["--function", functions], &caches[..], arguments].concat();
    all_right(&command::validated(&path, &all));
}

#[test]
fn elements_that_no_loop_moves_are_fetched_once() {
    for function in ["beside", "alone", "three"] {
        is_right("fixed.c", function, &["--sizes", "n=17,64,203"]);
    }
    let marked = marked_in(DIRECTORY, "fixed.c");
    let expected = ["one_array", "among_others"];
    assert!(
        expected.iter().all(|name| marked.contains(*name)),
        "{marked:?}"
    );
    assert_eq!(marked.len(), expected.len(), "{marked:?}");
}

#[test]
fn columns_of_rows_shorter_than_a_line() {
    let rows = ["--sizes", "n=1,2,3,5,8,16", "--sizes", "m=17,64"];
    is_right(
        "columns.f90",
        "column",
        &[&rows[..], &["--set", "is=1"]].concat(),
    );
    is_right("columns.f90", "columns", &rows);
    is_right("columns.f90", "named", &["--sizes", "m=5,17,64,120"]);
    for size in ["m=17", "m=64"] {
        assert_eq!(reasons("columns.f90", "named", size), json!([]));
    }
}

#[test]
fn sizes_that_methods_return() {
    is_right(
        "returned.f90",
        "integrate",
        &["--sizes", "e_get_points_e=17,64"],
    );
}

#[test]
fn operations_that_an_undecided_branch_decides_are_marked() {
    let marked = marked_in(DIRECTORY, "undecided.c");
    assert_eq!(marked.into_iter().collect::<Vec<_>>(), ["more"]);
}

/// Between two iterations of `i` there are 550·1.25 lines, 44,000 B, with all of the diagonal, and 26,400 B with half of it: of
/// the sizes only one has 32 KiB between the two. It is half of the diagonal where the iterations of `i` do not decide.
#[test]
fn what_a_cache_holds_by_chance_is_marked() {
    is_right("chance.c", "same", &["--sizes", "n=300,550,900"]);
    for (function, expected) in [("same", false), ("others", true)] {
        let is_marked = |size: &str| {
            let found = reasons("chance.c", function, size);
            let mut codes = found.as_array().expect("reasons").iter();
            codes.any(|code| code == "undecided_branch")
        };
        assert_eq!(
            ["n=300", "n=550", "n=900"].map(is_marked),
            [false, expected, false],
            "{function}"
        );
    }
}

/// What is read for the bounds of a loop belongs to what is around it.
#[test]
fn bounds_that_are_read() {
    is_right("bounds.c", "first", &["--sizes", "last_k=17,64,203"]);
}

/// Reasons of the nests of a function, with a size set.
fn reasons(file: &str, function: &str, size: &str) -> Value {
    let report = command::analysed(command::fixture(DIRECTORY).join(file), &["--set", size]);
    let mut functions = report["functions"].as_array().expect("functions").iter();
    let found = functions.find(|one| one["name"] == function);
    found.expect("the function")["nests"][0]["reasons"].clone()
}

/// Nothing says how long rows are that pointers lead to, and those of `a(:, :)` of which one element is used.
#[test]
fn rows_of_unknown_length_are_apart_where_little_of_them_is_used() {
    let lines = |file: &str, function: &str| {
        let path = command::fixture(DIRECTORY).join(file);
        let report = command::analysed(&path, &["--function", function, "--set", "n=64"]);
        let nest = &report["functions"][0]["nests"][0];
        let is_marked = nest["reasons"]
            .as_array()
            .expect("reasons")
            .contains(&json!("unknown_rows"));
        let bytes = nest["traffic"]["actual"].as_f64().expect("bytes");
        (bytes / 64.0, is_marked)
    };
    for (file, function, expected) in [
        ("unknown_rows.c", "first", (64.0, true)),
        ("unknown_rows.c", "any", (64.0, true)),
        ("unknown_rows.c", "of_member", (64.0, true)),
        ("unknown_rows.c", "points", (24.0, true)),
        ("unknown_rows.c", "whole", (512.0, false)),
        ("unknown_rows.c", "declared", (32.0, false)),
        ("unknown_rows.f90", "first", (64.0, true)),
        ("unknown_rows.f90", "points", (24.0, false)),
        ("unknown_rows.f90", "allocated", (24.0, false)),
    ] {
        assert_eq!(lines(file, function), expected, "{file} {function}");
        is_right(file, function, &["--sizes", "n=17,64,203"]);
    }
}

/// Where a loop in the middle of a part of a triangle has less than one iteration, and where there is none at all.
#[test]
fn few_iterations_move_no_less_than_nothing() {
    let file = command::fixture(DIRECTORY).join("few_iterations.f90");
    for size in ["n=0", "n=1", "n=2", "n=3", "n=4", "n=5", "n=6"] {
        let report = command::analysed(&file, &["--no-check", "--set", size]);
        let functions = report["functions"].as_array().expect("functions");
        assert_eq!(functions.len(), 4);
        for nest in functions.iter().map(|function| &function["nests"][0]) {
            let executes = nest["iterations"].as_f64().expect("a number") > 0.0;
            let levels = nest["levels"].as_array().expect("levels");
            let streams = nest["streams"].as_array().expect("streams");
            let all = (levels.iter())
                .flat_map(|level| ["bytes", "fetched", "written_back"].map(|what| &level[what]))
                .chain(nest["traffic"].as_object().expect("traffic").values())
                .chain(levels.iter().map(|level| &level["scenario_bytes"]))
                .chain(
                    nest["working_set"]["actual"]
                        .as_object()
                        .expect("sets")
                        .values(),
                )
                .chain(streams.iter().map(|stream| &stream["footprint"]));
            for bytes in all.filter_map(Value::as_f64) {
                assert!(bytes >= 0.0, "{size} {nest}");
            }
            let memory = levels.last().expect("memory");
            let bytes = memory["refined_bytes"].as_f64().expect("bytes");
            assert_eq!(bytes > 0.0, executes, "{size} {nest}");
        }
    }
}

/// Columns that share lines are counted one by one, which is marked where that matters.
#[test]
fn short_columns_that_share_lines_are_marked() {
    is_right("columns.f90", "short", &["--sizes", "n=203"]);
    assert_eq!(reasons("columns.f90", "short", "n=1003"), json!([]));
    assert_eq!(reasons("columns.f90", "short", "n=5"), json!(["few_rows"]));
}

/// Sizes that let rows overlap make a difference that no rule knows.
#[test]
fn rows_that_are_declared_too_short_are_marked() {
    let is_marked = |size: &str| {
        let reasons = reasons("beyond.f90", "beyond", size);
        let mut reasons = reasons.as_array().expect("reasons").iter();
        reasons.any(|reason| reason == "implausible_size")
    };
    assert!(!is_marked("n=50"));
    assert!(is_marked("n=60"));
}

/// Which column a symbol means decides where in a line it begins: short ones are marked, long ones right whichever it is.
#[test]
fn columns_that_symbols_name() {
    is_right("components.f90", "chosen", &["--set", "n=1404"]);
    is_right("components.f90", "whole", &["--sizes", "n=16,100,144"]);
    for (function, expected) in [("chosen", json!(["few_rows"])), ("whole", json!([]))] {
        assert_eq!(reasons("components.f90", function, "n=16"), expected);
    }
    assert_eq!(reasons("components.f90", "chosen", "n=1404"), json!([]));
}

/// The length of a column, and the number of the first one, may be names, too.
#[test]
fn columns_whose_length_has_a_name() {
    is_right("components.f90", "lengths", &["--sizes", "n=16,60,64,132"]);
}

/// Sizes beyond the end of an array are marked; but an array of one element is one of any number of them.
#[test]
fn arrays_that_are_declared_too_short_are_marked() {
    assert_eq!(reasons("components.f90", "past", "n=140"), json!([]));
    let marked = json!(["implausible_size"]);
    assert_eq!(reasons("components.f90", "past", "n=203"), marked);
    assert_eq!(reasons("components.f90", "old", "n=203"), json!([]));
    is_right("components.f90", "old", &["--sizes", "n=17,203"]);
}

#[test]
fn rows_of_structures_are_one_run() {
    let sizes = ["--sizes", "print_width,print_height=5,7,11,21,64"];
    is_right("records.c", "reached", &sizes);
    is_right("records.c", "beside", &sizes);
    is_right("records.c", "declared", &["--sizes", "w,h=5,7,11,21,64"]);
    is_right("records.c", "from_one", &["--sizes", "n=5,17,64"]);
}

#[test]
fn arrays_that_are_reached_through_casts() {
    let functions = "words,moved,in_place,fetched,stepped,rows,points,halves";
    for function in functions.split(',') {
        is_right("casts.c", function, &["--sizes", "n=17,100,1000"]);
    }
    assert_eq!(
        marked_in(DIRECTORY, "casts.c")
            .into_iter()
            .collect::<Vec<_>>(),
        ["both"]
    );
}

/// Sizes of the loops in a branch decide whether it is taken; of others nothing is known.
#[test]
fn branches_around_nests() {
    let iterations = |function: &str, sizes: &str| {
        let path = command::fixture(DIRECTORY).join("around.c");
        let report = command::analysed(path, &["--set", sizes]);
        let mut functions = report["functions"].as_array().expect("functions").iter();
        let found = functions.find(|one| one["name"] == function);
        let nests = found.expect("the function")["nests"]
            .as_array()
            .expect("nests");
        let iterations = nests
            .iter()
            .map(|nest| nest["iterations"].as_f64().expect("a number"));
        iterations.collect::<Vec<_>>()
    };
    assert_eq!(iterations("some", "n=7"), [7.0]);
    assert_eq!(iterations("some", "n=0"), [0.0]);
    assert_eq!(iterations("large", "n=100,m=3"), [300.0, 0.0]);
    assert_eq!(iterations("large", "n=100,m=4"), [0.0, 400.0]);
    assert_eq!(iterations("large", "n=99,m=4"), [396.0, 0.0]);
    assert_eq!(iterations("large", "n=100,m=77"), [7700.0, 0.0]);
    assert_eq!(iterations("returned", "n=100"), [50.0]);
    assert_eq!(iterations("flagged", "n=100"), [50.0]);
}

/// A condition on a loop variable leaves rows that begin and end where it says.
#[test]
fn conditions_that_leave_a_part_of_a_loop() {
    is_right(
        "parts.c",
        "up_to",
        &["--sizes", "n=64,203", "--sizes", "m=17,64"],
    );
    is_right("parts.c", "inner", &["--sizes", "n=17,64"]);
    let sizes = [
        "--sizes",
        "h=40",
        "--sizes",
        "x=3,10,30",
        "--sizes",
        "w=20,100",
    ];
    is_right("parts.c", "around_zero", &sizes);
}

#[test]
fn parts_of_other_forms_are_marked() {
    let marked = marked_in(DIRECTORY, "parts_apart.c");
    let mut marked: Vec<String> = marked.into_iter().collect();
    marked.sort();
    assert_eq!(marked, ["every_other", "mixed_ends", "planes_apart"]);
    for function in ["planes_beside", "inside"] {
        is_right("parts_apart.c", function, &[]);
    }
}

/// Formulas allow for blocks of the loop, numbers do not: both leave the same part of it.
#[test]
fn formulas_of_conditions_are_the_numbers() {
    formulas_are_the_numbers("parts.c", "h=40,x=10,w=100,n=64,m=40");
    formulas_are_the_numbers("pieces.c", "n=150,m=40");
    formulas_are_the_numbers("pieces.c", "n=64,m=64");
}

#[test]
fn formulas_of_packed_triangles_are_the_numbers() {
    for file in ["packed.c", "packed.f90"] {
        formulas_are_the_numbers(file, "n=17");
        formulas_are_the_numbers(file, "n=150");
    }
}

fn formulas_are_the_numbers(file: &str, sizes: &str) {
    let path = command::fixture(DIRECTORY).join(file);
    let directory = tempfile::tempdir().expect("a directory");
    let sizes = ["--set", sizes];
    let report = command::analysed(&path, &sizes);
    let mut command = command::loopsheet();
    let run = command.arg("analyze").arg(&path).args(sizes);
    let run = run.arg("--tables").arg(directory.path().join("tables"));
    assert!(run.output().expect("a run").status.success());
    let loops = csv::Reader::from_path(directory.path().join("tables/loops.csv"));
    let rows = loops.expect("a table").into_deserialize();
    let rows: Vec<HashMap<String, String>> = rows.map(|row| row.expect("a row")).collect();
    let functions = report["functions"].as_array().expect("functions").iter();
    let nests: Vec<&Value> = functions
        .flat_map(|function| function["nests"].as_array().expect("nests"))
        .collect();
    assert_eq!(nests.len(), rows.len());
    for nest in nests {
        let mut rows = rows.iter();
        let row = rows.find(|row| nest["loop"] == row["loop"]);
        let row = row.expect("its row");
        for level in nest["levels"].as_array().expect("levels") {
            let name = level["name"].as_str().expect("a name").to_lowercase();
            if let Some(formula) = row.get(&format!("cache_traffic_{name}")) {
                let formula: f64 = formula.parse().expect("a number");
                let number = level["bytes"].as_f64().expect("a number");
                assert!((formula - number).abs() <= 1e-9 * number, "{nest} {name}");
            }
        }
    }
}

/// Loops that move an array along two dimensions at once shift what others walk.
#[test]
fn diagonals() {
    for function in ["behind", "down", "up", "across", "apart"] {
        is_right("skew.c", function, &["--sizes", "n=17,64,100"]);
    }
    // Rows of whole lines, of half of them, and others; also those that begin at one place of a line, with one more.
    for rows in ["m=96", "m=100", "m=117", "m=119"] {
        is_right("skew.c", "rows", &["--sizes", "n=17,64,100", "--set", rows]);
    }
    for function in ["both", "planes", "outside"] {
        let sizes = ["--sizes", "n=9,30", "--sizes", "m=17,64"];
        is_right("skew.c", function, &sizes);
    }
}

#[test]
fn diagonals_that_no_rule_knows_are_marked() {
    for function in ["turned", "several", "forms", "twice"] {
        let reasons = reasons("skew.c", function, "n=100");
        let mut reasons = reasons.as_array().expect("reasons").iter();
        assert!(reasons.any(|reason| reason == "skewed_walk" || reason == "several_forms"));
    }
    for function in ["behind", "down", "across", "apart"] {
        let reasons = reasons("skew.c", function, "n=100");
        let mut reasons = reasons.as_array().expect("reasons").iter();
        assert!(
            !reasons.any(|reason| reason != "unknown_latency"),
            "{function}"
        );
    }
}

#[test]
fn rows_beside_columns_of_planes() {
    is_right("planes.c", "each", &["--sizes", "n=40,64"]);
}

/// Records at a distance that a parameter says: in one line each, if it is a whole number of them.
#[test]
fn strides_that_parameters_say() {
    for function in ["written", "walked", "later"] {
        is_right("strides.c", function, &["--sizes", "d=17,64,72,100"]);
    }
    assert_eq!(
        reasons("strides.c", "beyond", "d=64"),
        json!(["implausible_size"])
    );
}

/// Both halves of a square are no more than the square.
#[test]
fn small_triangles() {
    is_right("strides.c", "turned", &["--sizes", "n=17"]);
    is_right("strides.c", "corner", &[]);
    assert_eq!(reasons("strides.c", "corner", "n=3"), json!([]));
}

/// An element that says where an array begins is not read by the call; others are what the procedure makes of them.
#[test]
fn elements_that_procedures_get_the_place_of() {
    is_right("passed.f90", "begins", &["--sizes", "n=17,64"]);
    is_right(
        "passed.f90",
        "filled",
        &["--sizes", "n=17,64", "--set", "k=1"],
    );
}

/// Ten characters that begin in a line may end in the next one.
#[test]
fn elements_across_the_ends_of_lines() {
    is_right("passed.f90", "texts", &["--sizes", "n=17,64,203"]);
}

/// Where one reference shows that a flattened array has rows, others to it come to places of these.
#[test]
fn flattened_arrays_have_rows_in_all_of_a_nest() {
    for function in ["neighbours", "covered", "begins", "walked"] {
        let sizes = ["--sizes", "w=17,64,203", "--sizes", "h=17,64"];
        is_right("flat.c", function, &sizes);
    }
    is_right(
        "flat.c",
        "vector",
        &["--sizes", "n=17,203", "--sizes", "inc=1,3,64"],
    );
    let marked = marked_in(DIRECTORY, "flat.c");
    assert!(marked.is_empty(), "{marked:?}");
}

#[test]
fn what_is_further_apart_than_loops_go_has_nothing_in_common() {
    for function in ["next_but_one", "closed", "pieces"] {
        is_right("far.c", function, &["--cache", "64KiB,full"]);
    }
    for function in ["last", "column", "diagonal", "later", "kept"] {
        is_right("far.c", function, &["--sizes", "n=17,64,150"]);
    }
    let rows = ["--sizes", "n=5,30,31,100", "--sizes", "m=17,64"];
    is_right("far.c", "blocks", &rows);
    assert!(marked_in(DIRECTORY, "far.c").is_empty());
}

#[test]
fn planes_shorter_than_a_line_are_one_run() {
    for function in ["whole", "several", "allocated"] {
        is_right("small_planes.f90", function, &["--sizes", "n=1,2,3,9,64"]);
    }
    let sizes = ["--sizes", "n=1,2,4", "--sizes", "l=1,16,64"];
    is_right("small_planes.f90", "corner", &sizes);
}

/// Where a loop moves several dimensions, the next row is not the one behind; and while loops go through planes, no row finds
/// the line that it shares with the one before.
#[test]
fn rows_of_a_few_elements() {
    let sizes = ["--sizes", "m=2,3,5,8", "--sizes", "n=16,64"];
    for function in ["layer", "fresnel", "start"] {
        is_right("few_in_rows.f90", function, &sizes);
    }
    is_right("few_in_rows.f90", "diagonal", &["--sizes", "n=16,64"]);
    let sizes = [&sizes[..], &["--set", "l=64"]].concat();
    for function in ["ijk", "jik", "ikj"] {
        is_right("few_in_rows.f90", function, &sizes);
    }
    assert_eq!(
        reasons("named_rows.f90", "extinct", "n=9"),
        json!(["few_rows"])
    );
}

/// A length behind a pointer is that of the parameter, for the simulation as well, however often it is copied.
#[test]
fn lengths_behind_pointers() {
    is_right("pointed.c", "*", &["--sizes", "n_0,m_0=9,17,203"]);
    assert!(marked_in(DIRECTORY, "pointed.c").is_empty());
}

/// A variable of a module has the only value that any procedure gives it, for the simulation as well; what is never met is
/// marked where it is counted.
#[test]
fn conditions_that_are_known() {
    is_right("known.f90", "master", &[]);
    is_right("known.f90", "beside", &[]);
    let marked = marked_in(DIRECTORY, "known.f90");
    assert_eq!(marked.into_iter().collect::<Vec<_>>(), ["never", "signs"]);
}

/// The mean of 1 and -1 is no step: nothing is known between two iterations.
#[test]
fn steps_that_change_their_sign() {
    let path = command::fixture(DIRECTORY).join("known.f90");
    let report = command::analysed(path, &["--set", "m=40"]);
    let mut functions = report["functions"].as_array().expect("functions").iter();
    let signs = functions.find(|one| one["name"] == "signs");
    let nest = &signs.expect("the function")["nests"][0];
    assert_eq!(nest["iterations"], json!(82), "{nest}");
}

#[test]
fn forms_that_may_have_something_in_common_are_marked() {
    let marked = marked_in(DIRECTORY, "forms.c");
    let expected = ["column", "diagonals", "last", "lines"];
    assert_eq!(marked.into_iter().collect::<Vec<_>>(), expected);
}

/// Conditions around loops narrow these, or cut them into parts: bytes are those of the iterations that are left.
#[test]
fn conditions_around_loops() {
    is_right("pieces.c", "last", &["--sizes", "n=17,64,150"]);
    for function in ["half", "triangle", "corner", "longer", "longer_part"] {
        is_right("pieces.c", function, &["--sizes", "n=17,64,150"]);
    }
    for function in ["part", "product", "down", "some"] {
        is_right("pieces.c", function, &["--sizes", "n=17,64,150"]);
    }
    let sizes = ["--sizes", "n=64,150", "--sizes", "m=5,40,64"];
    is_right("pieces.c", "parts", &sizes);
    let marked = marked_in(DIRECTORY, "pieces.c");
    assert_eq!(marked.into_iter().collect::<Vec<_>>(), ["moving"]);
}

/// The rows of packed triangles share their lines.
#[test]
fn packed_triangles_are_one_run() {
    for function in ["run", "placed", "stepped", "strict"] {
        is_right("packed.c", function, &["--sizes", "n=17,64,150"]);
    }
    for function in ["up", "low", "stepped", "down", "at"] {
        is_right("packed.f90", function, &["--sizes", "n=17,64,150"]);
    }
    assert!(marked_in(DIRECTORY, "packed.c").is_empty());
    let marked = marked_in(DIRECTORY, "packed.f90");
    assert_eq!(marked.into_iter().collect::<Vec<_>>(), ["cross"]);
}

/// Pointers in structures lie in these: bytes of all lines that hold one, and as many again where one is stored.
#[test]
fn pointers_that_are_members_of_structures() {
    let bytes = |function: &str| {
        let path = command::fixture(DIRECTORY).join("pointer_members.c");
        let report = command::analysed(path, &["--function", function, "--set", "n=64"]);
        let nest = &report["functions"][0]["nests"][0];
        nest["levels"][3]["bytes"].as_f64().expect("bytes")
    };
    let (rows, tables, parts) = (64. * 24., 64. * 32., 64. * 32.);
    assert_eq!(bytes("clear"), 2. * rows);
    assert_eq!(bytes("clear_cells"), 2. * rows);
    assert_eq!(bytes("empty"), rows);
    assert_eq!(bytes("copy"), 3. * rows);
    assert_eq!(bytes("shift"), 2. * tables);
    assert_eq!(bytes("reset_all"), 2. * parts);
    assert_eq!(bytes("unset"), 64. * 8.);
    // Eight bytes of the table, and the line of each row, which is elsewhere.
    assert_eq!(bytes("set_up"), 2. * (64. * 8. + 64. * 64.));
    for function in ["clear", "clear_cells", "empty", "copy", "shift", "unset"] {
        is_right("pointer_members.c", function, &["--sizes", "n=17,64,203"]);
    }
}

/// Dimensions of one place make no rows of one element.
#[test]
fn dimensions_of_one_place() {
    is_right("single.f90", "*", &["--sizes", "n=9,17,64,203"]);
    assert!(marked_in(DIRECTORY, "single.f90").is_empty());
}

/// Conditions that leave a box, all but a box, or nothing of the loops, and that only what writes stands under.
#[test]
fn conditions_on_several_loops() {
    let sizes = ["--sizes", "n=64,150,203", "--cache", "8KiB,full"];
    let squares = ["border", "filled", "rows", "columns", "last", "arms"];
    for function in squares.into_iter().chain(["shifted"]) {
        is_right("boxes.c", function, &sizes);
    }
    let caches = ["--cache", "8KiB,full", "--cache", "1MiB,full"];
    let path = command::fixture(DIRECTORY).join("boxes.c");
    for function in ["hidden", "wedge"] {
        let of = ["--function", function, "--sizes", "n=64,150"];
        all_right(&command::validated(&path, &[of, caches].concat()));
    }
    is_right("boxes.c", "faces", &["--sizes", "n=24,61"]);
    for function in ["few", "upper", "back", "diagonal"] {
        is_right("boxes.c", function, &["--sizes", "n=150,203"]);
    }
    is_right(
        "boxes.c",
        "descending",
        &["--sizes", "n=24,61", "--cache", "4KiB,full"],
    );
    is_right(
        "boxes.c",
        "ragged",
        &["--sizes", "n=44,61", "--cache", "4MiB,full"],
    );
    for function in ["third", "halves", "first", "inner"] {
        is_right("boxes.c", function, &sizes);
    }
    for function in ["empty", "passed_over", "passed_by", "twice"] {
        is_right("boxes.c", function, &["--sizes", "n=64,150"]);
    }
    assert!(marked_in(DIRECTORY, "boxes.c").is_empty());
}

/// Formulas come to the same bytes as numbers where conditions leave parts of loops.
#[test]
fn formulas_of_conditions_on_several_loops() {
    for size in ["n=64", "n=150", "n=301"] {
        formulas_are_the_numbers("boxes.c", size);
    }
}

#[test]
fn planes_beyond_the_only_one_are_marked() {
    let path = command::fixture(DIRECTORY).join("short_of.f90");
    let report = command::analysed(path, &["--set", "k=2", "--set", "m=2"]);
    let reasons = &report["functions"][0]["nests"][0]["reasons"];
    assert_eq!(reasons, &json!(["implausible_size"]));
}

/// `k < 16 && b[i][k] > 0`: what loops decide says where the rest is done, and in C where data are asked for at all.
#[test]
fn conditions_that_join_loops_and_data() {
    let all = [
        "both",
        "data_first",
        "either",
        "passed_over",
        "other_arm",
        "triangle",
        "around_a_loop",
    ];
    for function in all {
        is_right("joined.c", function, &["--sizes", "n=96,160"]);
    }
    // How many lines every 32nd element comes to is not followed.
    let marked = marked_in(DIRECTORY, "joined.c");
    assert!(marked.contains("every_other"), "{marked:?}");
    assert!(
        !all[..6].iter().any(|name| marked.contains(*name)),
        "{marked:?}"
    );
}

/// `flag == 1 && b[i] > 0`: whether anything is done at all is not known, and how often data let it is another question.
#[test]
fn conditions_that_join_options_and_data() {
    let undecided = ["both", "data_first", "either", "passed_over"];
    let marked = marked_in(DIRECTORY, "options.c");
    for name in undecided {
        assert!(marked.contains(name), "{name}: {marked:?}");
    }
    assert!(!marked.contains("size"), "{marked:?}");
    assert!(!marked.contains("pointer"), "{marked:?}");
    assert!(marked_in(DIRECTORY, "options.f90").contains("both"));
}

/// Both probabilities together say how often; an option that is set is exact.
#[test]
fn operations_under_options_and_data() {
    let adds = |file: &str, function: usize, settings: &[&str]| {
        let path = command::fixture(DIRECTORY).join(file);
        let all: Vec<&str> = (["n=160"].iter().chain(settings))
            .flat_map(|one| ["--set", one])
            .collect();
        // A check runs the guessed value of the option, which may go the other way.
        let all = [&all[..], &["--no-check"]].concat();
        let report = command::analysed(path, &all);
        let nest = &report["functions"][function]["nests"][0];
        assert_eq!(nest["reasons"], json!([]), "{file} {settings:?}");
        nest["adds"].as_f64().expect("a number")
    };
    for (file, function, branch, expected) in [
        ("options.f90", 0, "prob_both_6", [0.0, 40.0]),
        ("options.c", 2, "prob_either_14", [160.0, 40.0]),
        ("options.c", 3, "prob_passed_over_19", [160.0, 120.0]),
    ] {
        let data = format!("{branch}=0.25");
        let found = [0, 1].map(|taken| {
            let option = format!("{branch}_2={taken}");
            adds(file, function, &[&data, &option])
        });
        assert_eq!(found, expected, "{branch}");
    }
}

/// Additions in the part of a condition that asks for data: only where the part before it holds, in Fortran as gfortran does it.
#[test]
fn operations_of_the_part_behind_another_one() {
    let of = |file: &str| {
        let path = command::fixture(DIRECTORY).join(file);
        let report = command::analysed(path, &["--set", "n=160"]);
        let functions = report["functions"].as_array().expect("functions").clone();
        let adds = |function: Value| {
            let name = function["name"].as_str().expect("a name").to_string();
            (
                name,
                function["nests"][0]["adds"].as_f64().expect("a number"),
            )
        };
        functions
            .into_iter()
            .map(adds)
            .collect::<HashMap<String, f64>>()
    };
    let n = 160.0;
    let expected = [
        ("both", n * (16.0 + 80.0)),
        ("data_first", n * n),
        ("either", n * 16.0),
        ("passed_over", n * 16.0),
        ("other_arm", n * 16.0),
        ("triangle", n * (n - 1.0) / 2.0),
        ("around_a_loop", 10.0),
        ("every_other", n * n / 32.0),
    ];
    let found = of("joined.c");
    for (name, adds) in expected {
        assert_eq!(found[name], adds, "{name}");
    }
    assert_eq!(of("joined.f90")["both"], n * 16.0);
}

/// Where data decide whether an element is met, as many lines count as are likely to be.
#[test]
fn elements_under_conditions_on_data() {
    let sizes = ["--sizes", "n=160,301"];
    for function in ["every_eighth", "joined", "along", "column", "first_row"] {
        is_right("met.c", function, &sizes);
    }
    is_right("met.c", "borders", &["--sizes", "n=160,301"]);
    // More lines than a small cache holds: some are still there.
    is_right(
        "met_turned.c",
        "turned",
        &["--sizes", "n=160", "--cache", "4KiB,full"],
    );
    for (share, lines) in [("0.125", 0.125f64), ("0.5", 0.5), ("1", 1.0), ("0", 0.0)] {
        let read: f64 = 1000.0 / 8.0;
        let (of_all, of_eighth) = (2.0 * (8.0 * lines * read).min(read), 2.0 * 1000.0 * lines);
        for (function, written, line) in [("every_eighth", of_eighth, 4), ("along", of_all, 12)] {
            let branch = format!("prob_{function}_{line}={share}");
            assert_eq!(
                bytes_of("met.c", function, &["n=1000", &branch]),
                64.0 * (read + written),
                "{function} {share}"
            );
        }
    }
    formulas_are_the_numbers("met.c", "n=301");
}

/// Of an array of m elements, places that data say are met as often as the condition holds.
#[test]
fn random_places_under_conditions_on_data() {
    let all = |share: &str| {
        let branch = format!("prob_gathered_30={share}");
        bytes_of("met.c", "gathered", &["n=1000", "m=1000000", &branch])
    };
    let plain = 64.0 * 3.0 * 125.0;
    let (half, whole) = (all("0.5"), all("1"));
    assert!(
        (whole - half - 64.0 * 500.0).abs() < 0.02 * whole,
        "{half} {whole} {plain}"
    );
}

/// Bytes that memory sees of the one nest of a function.
fn bytes_of(file: &str, function: &str, settings: &[&str]) -> f64 {
    let settings: Vec<&str> = settings.iter().flat_map(|set| ["--set", set]).collect();
    let report = command::analysed(command::fixture(DIRECTORY).join(file), &settings);
    let mut functions = report["functions"].as_array().expect("functions").iter();
    let found = functions.find(|one| one["name"] == function);
    let levels = found.expect("the function")["nests"][0]["levels"].clone();
    let last = levels.as_array().and_then(|levels| levels.last());
    last.expect("a level")["bytes"].as_f64().expect("a number")
}

/// `i <= 16 .and. b(i) > 0`: gfortran branches on one after the other.
#[test]
fn operands_of_fortran_are_read_one_after_the_other() {
    is_right("joined.f90", "both", &["--sizes", "n=96,160"]);
}

/// Nests of a few lines of which numbers say everything are gone through.
#[test]
fn nests_of_few_lines_are_counted() {
    for function in ["triangle", "product", "parts", "last"] {
        is_right("constant.c", function, &[]);
    }
    let marked = marked_in(DIRECTORY, "constant.c");
    assert!(marked.is_empty(), "{marked:?}");
    formulas_are_the_numbers("constant.c", "line_bytes=64");
}

/// A few elements of a structure lie in as many lines as its place says, which is not known.
#[test]
fn members_in_few_lines_are_marked() {
    let marked = marked_in(DIRECTORY, "members.c");
    assert_eq!(marked.into_iter().collect::<Vec<_>>(), ["moved"]);
}

/// Places that two symbols name are two, and marked where their values are the same.
#[test]
fn places_with_two_names() {
    let settings = |before| {
        [
            "--set", "im=40", "--set", before, "--set", "m=41", "--set", "n=64",
        ]
    };
    is_right("named_planes.f90", "side", &settings("imm1=39"));
    let reasons = |before| {
        let path = command::fixture(DIRECTORY).join("named_planes.f90");
        let report = command::analysed(path, &settings(before));
        report["functions"][0]["nests"][0]["reasons"].clone()
    };
    assert_eq!(reasons("imm1=39"), json!([]));
    assert_eq!(reasons("imm1=40"), json!(["several_forms"]));
}

#[test]
fn holes_into_which_conditions_cut_are_marked() {
    let marked = marked_in(DIRECTORY, "corners.c");
    assert_eq!(
        marked.into_iter().collect::<Vec<_>>(),
        ["nothing", "of_a_triangle"]
    );
}
