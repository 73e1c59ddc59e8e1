//! Lines that may be any of an array.
//!
//! Of powers, LibreOffice gives an error where the result is too small for a number. So what is left after many draws is
//! written with an exponent that has an end, and ln(1 − s) as −s/(1 − s/2), which is exact where it matters: for small
//! shares, and for all of the first draw.

use super::number::Number;

/// Less than any place has, and than what all have.
const LEAST: f64 = 1e-9;

/// Beyond it, e to this power is nothing.
const END: f64 = 300.0;

/// The chance that one or more of so many draws, at least one, hit what each hits with this share.
pub fn hit<N: Number>(share: &N, draws: &N) -> N {
    let one = N::of(1.0);
    let further = draws.minus(&one).not_negative();
    let each = share.over(&one.minus(&share.scaled(0.5)));
    let left = nothing_after(&further.times(&each));
    one.minus(&one.minus(share).times(&left))
}

/// e to the power of what is given, taken negative.
pub fn nothing_after<N: Number>(amount: &N) -> N {
    let exponent = amount.smaller(&N::of(END)).scaled(-1.0);
    N::of(std::f64::consts::E).power(&exponent)
}

/// Lines that draws of some of these lines each come to, which have so many altogether if each is another one.
pub fn distinct<N: Number>(lines: &N, of_draw: &N, among: &N) -> N {
    let share = of_draw.over(&among.larger(&N::of(LEAST)));
    let share = share.smaller(&N::of(1.0));
    let draws = lines.over(&of_draw.larger(&N::of(LEAST)));
    (among.times(&hit(&share, &draws)).smaller(lines)).not_negative()
}

/// Lines among so many that are in one or more of several sets of them, each of which any lines are in.
pub fn together<N: Number>(sets: &[N], among: &N) -> N {
    let among = among.larger(&N::of(1.0));
    let none = sets.iter().fold(N::of(1.0), |none, lines| {
        none.times(&N::of(1.0).minus(&lines.over(&among)).not_negative())
    });
    among.times(&N::of(1.0).minus(&none))
}
