//! Lines that may be any of an array.

use super::number::Number;

/// Lines among so many that this many lines, each of which may be any of them, come to.
pub fn distinct<N: Number>(lines: &N, among: &N) -> N {
    let among = among.larger(&N::of(1.0));
    let left = N::of(std::f64::consts::E).power(&lines.over(&among).scaled(-1.0));
    among.times(&N::of(1.0).minus(&left))
}

/// Lines among so many that are in one or more of several sets of them, each of which any lines are in.
pub fn together<N: Number>(sets: &[N], among: &N) -> N {
    let among = among.larger(&N::of(1.0));
    let none = sets.iter().fold(N::of(1.0), |none, lines| {
        none.times(&N::of(1.0).minus(&lines.over(&among)))
    });
    among.times(&N::of(1.0).minus(&none))
}
