//! Traffic of images, held against the simulation: rows of pixels of several channels, backwards walks, and windows that the
//! border of an image clamps, wraps or leaves out.

use crate::locality::{all_right, marked_in};
use crate::support::command::{fixture, validated};

fn is_right(functions: &[&str], sizes: &str) {
    let path = fixture("traffic").join("images.c");
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

/// With nothing set: rows are long enough for what is walked, and windows are small.
#[test]
fn none_is_marked() {
    let marked = marked_in("traffic", "images.c");
    assert!(marked.is_empty(), "{marked:?}");
}
