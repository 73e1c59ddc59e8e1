//! Which calls code without lines is executed on behalf of.

use rustc_hash::FxHashMap;

use super::Accesses;
use crate::trace::isa::Access;
use loopsheet_regions::{CallKind, Spot};

/// What was counted for calls.
#[derive(Default)]
pub struct CallCounts {
    /// By the site of the call and the first site of the callee, which stands for it.
    pub calls: FxHashMap<(u32, u32), Calls>,
    /// Instructions of a site without lines, by the site that the call stands at.
    pub on_behalf: FxHashMap<(u32, u32), u64>,
}

#[derive(Clone, Copy, Default)]
pub struct Calls {
    pub times: u64,
    pub instructions: u64,
    pub accesses: Accesses,
}

/// Calls of one hart that have not returned.
#[derive(Clone, Default)]
pub struct CallStack {
    open: Vec<Open>,
    /// Of these, calls that are too deep to be kept.
    beyond: u64,
    /// The function that the last instruction, a return, should go back to.
    returns_to: Option<u32>,
}

#[derive(Clone, Copy)]
struct Open {
    from: u32,
    function: Option<u32>,
    is_from_lines: bool,
    kind: CallKind,
    /// Whether its first instruction was executed.
    has_begun: bool,
    /// The innermost call from code that has lines, up to this one.
    owner: Option<(u32, u32)>,
}

/// Calls beyond this depth are not followed.
const DEEPEST: usize = 10_000;

impl CallStack {
    /// An instruction is executed. A call's callee is known by its first instruction; what has no line is executed on
    /// behalf of the innermost call from code that has.
    #[inline]
    pub fn step(&mut self, counts: &mut CallCounts, spot: &Spot, access: Option<Access>) {
        if let Some(expected) = self.returns_to.take() {
            self.catch_up(expected, spot);
        }
        self.begin(counts, spot);
        if !spot.has_line
            && let Some(call) = self.open.last().and_then(|open| open.owner)
        {
            *counts.on_behalf.entry((spot.site, call.0)).or_default() += 1;
            let call = counts.calls.entry(call).or_default();
            call.instructions += 1;
            if let Some(access) = access {
                call.accesses.count(access.kind, 1, u64::from(access.bytes));
            }
        }
        if spot.is_return {
            self.close();
        }
        if let Some(kind) = spot.call {
            self.open(spot, kind);
        }
    }

    /// Calls that have not returned.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The site of the innermost call from code that has lines.
    pub fn last_with_line(&self) -> Option<u32> {
        let mut from = self.open.iter().rev().filter(|open| open.is_from_lines);
        from.next().map(|open| open.from)
    }

    /// What went back elsewhere than to the last call left several at once (`longjmp`): back to the innermost call from
    /// the function that it is in now.
    fn catch_up(&mut self, expected: u32, spot: &Spot) {
        if let Some(function) = spot.function.filter(|function| *function != expected)
            && let Some(left) = self
                .open
                .iter()
                .rposition(|open| open.function == Some(function))
        {
            self.open.truncate(left);
        }
    }

    fn begin(&mut self, counts: &mut CallCounts, spot: &Spot) {
        let around = self
            .open
            .len()
            .checked_sub(2)
            .and_then(|around| self.open[around].owner);
        let Some(last) = self.open.last_mut().filter(|last| !last.has_begun) else {
            return;
        };
        last.has_begun = true;
        last.owner = match last.is_from_lines {
            true => Some((last.from, spot.site)),
            false => around,
        };
        if last.is_from_lines {
            counts
                .calls
                .entry((last.from, spot.site))
                .or_default()
                .times += 1;
        }
    }

    fn open(&mut self, spot: &Spot, kind: CallKind) {
        if self.open.len() >= DEEPEST {
            self.beyond += u64::from(kind == CallKind::Call);
            return;
        }
        self.open.push(Open {
            from: spot.site,
            function: spot.function,
            is_from_lines: spot.has_line,
            kind,
            has_begun: false,
            owner: None,
        });
    }

    /// A function returns, to the caller of those that it was called by in their last instruction.
    fn close(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        while let Some(open) = self.open.pop() {
            self.returns_to = open.function;
            if open.kind == CallKind::Call {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(site: u32, has_line: bool) -> Spot {
        Spot {
            site,
            function: None,
            innermost: None,
            opens: None,
            tests: None,
            has_line,
            is_first_of_function: false,
            call: None,
            is_return: false,
        }
    }

    fn counts(spots: &[Spot]) -> Vec<((u32, u32), u64, u64)> {
        let (mut stack, mut counts) = (CallStack::default(), CallCounts::default());
        spots
            .iter()
            .for_each(|spot| stack.step(&mut counts, spot, None));
        let mut found: Vec<_> = counts
            .calls
            .iter()
            .map(|(call, did)| (*call, did.times, did.instructions))
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn calls_inside_of_a_library_are_on_behalf_of_the_call_of_it() {
        let call = |spot: Spot| Spot {
            call: Some(CallKind::Call),
            ..spot
        };
        let back = |spot: Spot| Spot {
            is_return: true,
            ..spot
        };
        let library = [
            call(spot(2, false)),
            back(spot(3, false)),
            back(spot(2, false)),
        ];
        let run = [
            &[call(spot(1, true))],
            &library[..],
            &[spot(1, true), spot(4, false)],
        ]
        .concat();
        assert_eq!(counts(&run), [((1, 2), 1, 3)]);
    }

    #[test]
    fn what_goes_back_past_several_calls_leaves_them_all() {
        let of = |function, spot: Spot| Spot {
            function: Some(function),
            ..spot
        };
        let call = |spot: Spot| Spot {
            call: Some(CallKind::Call),
            ..spot
        };
        let back = |spot: Spot| Spot {
            is_return: true,
            ..spot
        };
        // Function 1 calls 2, which calls 3, which calls 4, which goes back to 1; then 1 calls 5.
        let run = [
            call(of(1, spot(1, true))),
            call(of(2, spot(2, true))),
            call(of(3, spot(3, true))),
            back(of(4, spot(4, false))),
            of(1, spot(1, true)),
            call(of(1, spot(1, true))),
            back(of(5, spot(5, false))),
            of(1, spot(1, true)),
        ];
        let (mut stack, mut found) = (CallStack::default(), CallCounts::default());
        let depths: Vec<usize> = run
            .iter()
            .map(|spot| {
                stack.step(&mut found, spot, None);
                stack.depth()
            })
            .collect();
        assert_eq!(depths, [1, 2, 3, 2, 0, 1, 0, 0]);
        assert_eq!(
            counts(&run),
            [
                ((1, 2), 1, 0),
                ((1, 5), 1, 1),
                ((2, 3), 1, 0),
                ((3, 4), 1, 1)
            ]
        );
    }

    #[test]
    fn a_function_that_is_jumped_to_returns_for_both() {
        let call = |kind, spot: Spot| Spot {
            call: Some(kind),
            ..spot
        };
        let back = |spot: Spot| Spot {
            is_return: true,
            ..spot
        };
        // 1 calls 2, which ends with a jump to 3; then 1 calls 4.
        let run = [
            call(CallKind::Call, spot(1, true)),
            call(CallKind::Tail, spot(2, true)),
            spot(3, false),
            back(spot(3, false)),
            call(CallKind::Call, spot(1, true)),
            back(spot(4, false)),
            spot(5, false),
        ];
        assert_eq!(
            counts(&run),
            [((1, 2), 1, 0), ((1, 4), 1, 1), ((2, 3), 1, 2)]
        );
    }
}
