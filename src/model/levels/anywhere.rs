//! Lines that may be any of an array.

use super::number::Number;

/// Lines of which a share is hit less often than this by one draw are not told apart from those that never are.
const LEAST: f64 = 1e-12;

/// Lines that so many draws come to, each of some lines among all of these.
pub fn distinct<N: Number>(of_draw: &N, draws: &N, among: &N) -> N {
    let share = of_draw.over(&among.larger(&N::of(LEAST)));
    let left = N::of(1.0).minus(&share).larger(&N::of(LEAST));
    among.times(&N::of(1.0).minus(&left.power(draws)))
}

/// Lines among so many that are in one or more of several sets of them, each of which any lines are in.
pub fn together<N: Number>(sets: &[N], among: &N) -> N {
    let among = among.larger(&N::of(1.0));
    let none = sets.iter().fold(N::of(1.0), |none, lines| {
        none.times(&N::of(1.0).minus(&lines.over(&among)).not_negative())
    });
    among.times(&N::of(1.0).minus(&none))
}
