//! Traffic of images, held against the simulation: rows of pixels of several channels, backwards walks, and windows that the
//! border of an image clamps, wraps or leaves out.

use crate::locality::{all_right, marked_in};
use crate::support::command::{analysed, fixture, validated};

fn is_right(functions: &[&str], sizes: &str) {
    is_right_in("images.c", functions, sizes);
}

fn is_right_in(file: &str, functions: &[&str], sizes: &str) {
    let path = fixture("traffic").join(file);
    for capacity in ["8KiB,full", "64KiB,full"] {
        for function in functions {
            let of = ["--function", function, "--cache", capacity, "--set", sizes];
            all_right(&validated(&path, &of));
        }
    }
}

#[test]
fn rows_are_as_long_as_all_their_pixels() {
    let functions = ["blur", "grey"];
    is_right(&functions, "w=200,h=90");
    is_right(&functions, "w=96,h=64");
    is_right(&["volume"], "n=40");
    // Two rows at once: the line that both share counts twice where rows are not whole lines.
    is_right(&["halved"], "w=320,h=90");
}

#[test]
fn rows_may_be_longer_than_what_is_walked() {
    is_right(&["edges"], "w=200,h=90,stride=640");
    is_right(&["cropped"], "w=300,wide=170,high=90");
}

#[test]
fn backwards_is_from_the_end_of_the_same_row() {
    for sizes in ["w=200,h=90", "w=96,h=64"] {
        is_right(&["flipped", "mirrored", "turned"], sizes);
    }
}

#[test]
fn windows_find_what_is_beside_them_at_borders_too() {
    let windows = [
        "window_if",
        "window_macro",
        "window_choice",
        "window_returns",
        "window_wraps",
    ];
    is_right(&windows, "w=200,h=90,r=2");
    is_right(&windows, "w=96,h=64,r=1");
}

/// Beyond the border, a window finds what it finds inside of it anyway: also where it is as large as the image nearly.
#[test]
fn windows_of_any_radius_stay_within_the_border() {
    let windows = ["window_if", "window_choice", "window_skips"];
    is_right(&windows, "w=64,h=40,r=6");
    is_right(&windows, "w=48,h=20,r=9");
    let along_one = ["window_reflects", "window_repeats", "first_of_columns"];
    is_right(&along_one, "w=200,h=90,r=2");
    is_right(&along_one, "w=96,h=40,r=15");
}

/// Through caches of a few lines, where each line of a window's rows is fetched again: as many rows as are inside.
#[test]
fn small_windows_have_only_the_rows_inside() {
    let path = fixture("traffic").join("images.c");
    for sizes in ["w=640,h=24,r=10", "w=640,h=48,r=4"] {
        let of = [
            "--function",
            "window_skips",
            "--cache",
            "2KiB,full",
            "--set",
            sizes,
        ];
        all_right(&validated(&path, &of));
    }
}

#[test]
fn pairs_of_rows_follow_each_other() {
    for sizes in ["w=200,h=90", "w=101,h=77", "w=333,h=211", "w=61,h=41"] {
        is_right(&["half_size"], sizes);
    }
}

/// What a workbook computes, which allows for blocks, knows as well where rows begin that are walked backwards.
#[test]
fn formulas_know_where_rows_begin_that_are_walked_backwards() {
    for sizes in ["w=640,h=32", "w=640,h=96", "w=640,h=480"] {
        is_right(&["rotated"], sizes);
        let caches = "l1_bytes=4096,l2_bytes=65536,l3_bytes=81920";
        let of_levels = |blocks: &str| {
            let sizes = format!("{sizes},{caches}{blocks}");
            let path = fixture("traffic").join("images.c");
            let report = analysed(&path, &["--function", "rotated", "--set", &sizes]);
            let function = (report["functions"].as_array().expect("functions").iter())
                .find(|function| function["name"] == "rotated")
                .expect("the function");
            let levels = function["nests"][0]["levels"].as_array().expect("levels");
            let bytes = levels.iter().map(|level| level["bytes"].as_f64());
            bytes.collect::<Vec<_>>()
        };
        // Blocks as long as the loops are none.
        assert_eq!(
            of_levels(""),
            of_levels(",block_x=100000,block_y=100000"),
            "{sizes}"
        );
    }
}

#[test]
fn members_that_enumerators_number_are_in_the_same_records() {
    is_right_in("enumerators.c", &["bordered", "streamed"], "WIDE=50");
    is_right_in("enumerators.c", &["bordered", "streamed"], "WIDE=133");
}

/// What the source calls by two names is two places, also where nothing says which.
#[test]
fn levels_of_two_names_are_two() {
    is_right_in("time_levels.f90", &["keep"], "nx=90,ny=70");
}

/// With nothing set: rows are long enough for what is walked, and windows are small.
#[test]
fn none_is_marked() {
    let marked = marked_in("traffic", "images.c");
    assert!(marked.is_empty(), "{marked:?}");
}
