//! For which shapes of nests is the rule not shown to be right?
//!
//! Wrong without a mark is the worst defect. Everything below is counted all the same, but the nest carries a
//! star and a reason (guide: languages, "Reason codes"), because running the nest literally may come to
//! something else:
//!
//! ```text
//! gathered_elements    x[col[k]]
//! unknown_stride       a stride or extent of which nothing is known
//! conditional_step     if (…) n++;  y[n] = …      a position that moves in some iterations
//! unknown_rows         double **a, a[i][0]        little of rows of which nothing says how far apart they lie
//! uneven_bounds        for (k = 0; k < j*m; k++)  ends that outer loops move by something else than numbers
//! partly_empty         for (j = k; j < m; j++)    in a part of the range of k, beyond m, it never runs
//! few_rows             eight floats, and again    few short rows, of which it matters where in a line they begin: members too
//! implausible_size     a[9][8], a[i][j] to j = 20 rows or arrays are declared shorter than the nest walks
//! skewed_walk          a[j + i][j - i]            loops that shift what others walk, in another way than the rule knows
//! pointer_assignment   p(0:) => a; p[i], a[i]     an array beside a pointer to an unknown place in it
//! several_forms        a[i] beside a[n - i]       neither covers the other nor lies apart, or it has two types
//! condition_on_loops   if (i*i < n) u[i]          no range of a loop says when, or the loop is one further out
//! undecided_branch     if (flag) u[i]             always or never, and which is not known and makes a difference
//! ```
//!
//! Other shapes are compared with literal enumeration (`tests/it/level_oracle.rs`).

use std::collections::BTreeSet;

use super::domain::{Affine, Domain, Given, Tiles};
use super::ends;
use super::extents;
use super::few_rows::Few;
use super::followed;
use super::forms;
use super::geometry::{self, Geometry};
use super::order;
use super::overlap;
use super::reference::Reference;
use super::skew;
use super::small;
use super::undecided;
use crate::analysis::coverage;
use crate::analysis::facts::{Access, Decision, Guard, GuardRange, Loop, Stream, Subscript};
use crate::analysis::moving::is_unknown_stride;
use crate::analysis::packed;
use crate::expr::{Expr, Function, Lookup, Symbol};
use crate::nest::{self, ChainLoop, Decided, Nest, NestStream};
use crate::reason::ReasonCode;
use crate::trip_count;

/// Why the bytes of a nest are only about right; `value` gives the value of a parameter.
pub fn doubts(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> BTreeSet<ReasonCode> {
    let streams = || nest.streams.iter().map(|used| &used.stream);
    let subscripts = || streams().flat_map(|stream| &stream.subscripts);
    let strides = || subscripts().flat_map(|subscript| &subscript.terms);
    // The rows of packed triangles have no one length, and are none that is unknown.
    let rows = || streams().filter(|stream| geometry::packed_rows(stream).is_none());
    let extents = || rows().flat_map(|stream| stream.own_extents().iter().flatten());
    let has_unknown = || {
        strides().any(|(_, by)| is_unknown_stride(by) && packed::between(by).is_none())
            || extents().any(|(_, last)| is_unknown_stride(last))
    };
    let few = Few::of(nest, Geometry::of(nest), value);
    let geometry = &few.geometry;
    let [overlap, are_apart_unknown] = doubtful_rows(nest, geometry, value);
    let found = [
        (
            ReasonCode::GatheredElements,
            subscripts().any(|s| s.gather.is_some()),
        ),
        (ReasonCode::ConditionalStep, has_conditional_step(nest)),
        (ReasonCode::UnknownStride, has_unknown()),
        (ReasonCode::UnknownRows, are_apart_unknown),
        (ReasonCode::UnevenBounds, has_uneven_bounds(nest)),
        (ReasonCode::PartlyEmpty, is_partly_empty(geometry, value)),
        (ReasonCode::FewRows, few.matter(value)),
        (ReasonCode::ImplausibleSize, overlap),
        (
            ReasonCode::SkewedWalk,
            skew::is_doubtful(nest, geometry, value),
        ),
        (ReasonCode::PointerAssignment, has_pointer_and_target(nest)),
        (
            ReasonCode::SeveralForms,
            has_several_forms(geometry, value)
                || are_perhaps_same(nest, value)
                || has_several_types(nest)
                || fixed_elements_matter(nest, geometry, value),
        ),
    ];
    let found = found.into_iter().filter(|(_, is_so)| *is_so);
    let mut all: BTreeSet<ReasonCode> = found
        .map(|(code, _)| code)
        .chain(branches(nest, geometry, value))
        .collect();
    let may_be_known = |all: &BTreeSet<ReasonCode>| {
        let mut shapes = all.iter();
        shapes.any(|code| OF_SHAPES.contains(code)) && !has_several_types(nest)
    };
    let is_known = may_be_known(&all)
        && (are_counted(nest, value) || followed::is_right(nest, geometry, value));
    if is_known {
        all.retain(|code| !OF_SHAPES.contains(code));
    }
    if all.is_empty() && !is_known && !are_counted(nest, value) && few.are_other_lines(value)
        || members_matter(nest, value)
    {
        all.insert(ReasonCode::FewRows);
    }
    all
}

/// Shapes of which the rule takes means, which says nothing of lines that are gone through one by one.
const OF_SHAPES: [ReasonCode; 4] = [
    ReasonCode::FewRows,
    ReasonCode::PartlyEmpty,
    ReasonCode::SeveralForms,
    ReasonCode::SkewedWalk,
];

/// Whether the lines of a nest are so few that they are gone through, and that any cache holds them.
fn are_counted(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let number = |expr: &Expr| expr.evaluate(&value as &dyn Lookup).unwrap_or(f64::NAN);
    small::lines(nest, &number).is_some_and(|counted| counted.touched <= small::HELD)
}

/// Whether a nest moves so few lines that it matters where in a line the members of a structure begin, which depends on where
/// that is.
fn members_matter(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let is_small = |stream: &Stream| {
        let length = |extent: &Option<(Expr, Expr)>| {
            let (first, last) = extent.as_ref()?;
            Some(last.as_number()? - first.as_number()? + 1.0)
        };
        let elements: Option<f64> = stream.extents.iter().map(length).product();
        let bytes = f64::from(stream.element_bytes.unwrap_or(8));
        !stream.extents.is_empty() && elements.is_some_and(|number| number * bytes <= MEMBER)
    };
    let streams = nest.streams.iter().chain(&nest.fixed);
    let members = streams.map(|used| &used.stream);
    let members = members.filter(|stream| stream.array.is_member() && is_small(stream));
    let members: BTreeSet<&str> = members.map(|stream| stream.array.as_str()).collect();
    !members.is_empty() && members.len() as f64 > FEW_LINES * undecided::cold(nest, value)
}

/// Bytes of a member that begins and ends in a few lines.
const MEMBER: f64 = 512.0;

/// Whether rows or arrays are declared shorter than the nest walks, and whether little is used of rows of which nothing says how
/// far apart they lie.
fn doubtful_rows(
    nest: &Nest,
    geometry: &Geometry,
    value: &dyn Fn(&Symbol) -> Option<f64>,
) -> [bool; 2] {
    let loops: Vec<&Loop> = nest.loops.iter().map(|chain| chain.facts).collect();
    let number = |expr: &Expr| expr.evaluate(&value as &dyn Lookup).ok();
    let (domain, begin) = (&geometry.domain, nest.first_index);
    [
        extents::overlap(domain, &nest.streams, &loops, &number),
        extents::are_rows_unknown(domain, &nest.streams, (&loops, begin), &number),
    ]
}

/// Whether a variable moves through an array in some iterations only.
fn has_conditional_step(nest: &Nest) -> bool {
    let estimates = nest
        .loops
        .iter()
        .flat_map(|chain| coverage::estimates(chain.facts));
    estimates
        .into_iter()
        .any(|reason| reason.code == ReasonCode::ConditionalStep)
}

/// The share of its runs in which a branch goes this way: a half where nothing says it.
fn share_of((branch, taken): &(Symbol, bool), value: &dyn Fn(&Symbol) -> Option<f64>) -> f64 {
    value(branch).map_or(0.5, |p| if *taken { p } else { 1.0 - p })
}

/// The ranges of loop variables that decide a branch.
fn ranges_of<'n>(nest: &'n Nest, (branch, _): &(Symbol, bool)) -> &'n [GuardRange] {
    Decided::find(&nest.decisions, branch).map_or(&[], |one| one.decision.ranges())
}

/// Whether a range is one iteration.
fn is_one(range: &GuardRange) -> bool {
    range.lower.is_some() && range.lower == range.upper
}

/// References outside of a box that loop variables span: bytes are those of all iterations, which is nearly right where
/// the box is small.
fn outside(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let is_vague = |hole: &[GuardRange], step: &(Symbol, bool)| {
        let (branch, taken) = step;
        let decided = Decided::find(&nest.decisions, branch);
        let Some(Decision::Guard(guard)) = decided.map(|one| &one.decision) else {
            return false;
        };
        let guard = match taken {
            true => guard.clone(),
            false => guard.clone().negated(),
        };
        let share = share_of(step, value);
        match guard {
            Guard::Outside(ranges) => share > 0.0 && share < NEARLY_ALL && ranges != hole,
            Guard::Inside(_) => false,
        }
    };
    let mut references = nest.references.iter();
    references.any(|used| {
        let hole = nest::hole_of(&nest.loops, used);
        used.weight.iter().any(|step| is_vague(&hole, step))
    })
}

/// What conditions leave of loops, as far as bytes are exactly those of it.
struct Ranges<'n, 'p> {
    nest: &'n Nest<'p>,
    domain: &'n Domain<Expr>,
}

impl Ranges<'_, '_> {
    /// Whether a range narrows its loop for all that the nest refers to, or its loop is cut into pieces.
    fn are_exact(&self, range: &GuardRange) -> bool {
        let loops = &self.nest.loops;
        let own = |chain: &ChainLoop| chain.facts.variable == range.variable;
        let is_cut = || {
            let at = loops.iter().rposition(own);
            at.is_some_and(|at| !self.domain.loops[at].cuts.is_empty())
        };
        let moves = |chain: &ChainLoop| {
            let mut ends = [&range.lower, &range.upper].into_iter().flatten();
            ends.any(|end| end.mentions(&chain.facts.variable))
        };
        self.nest.narrowed.contains(range) || is_cut() && !loops.iter().any(moves)
    }
}

/// Conditions around a loop that bytes are not exactly those of: where they move its ends, its iterations are exact, but bytes
/// are those of mean ones.
fn narrows_others(ranges: &Ranges, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let nest = ranges.nest;
    let is_partly = |step: &(Symbol, bool)| {
        let share = share_of(step, value);
        share > 0.0 && share < NEARLY_ALL
    };
    let is_inexact = |chain: &ChainLoop| {
        chain.weight.iter().any(is_partly) && !chain.guards.iter().all(|own| ranges.are_exact(own))
    };
    let has_outside = |chain: &ChainLoop| {
        let mut conditions = chain.conditions.iter();
        let is_left = |guard: &Guard| match guard {
            Guard::Outside(ranges) => *ranges != chain.hole,
            Guard::Inside(_) => false,
        };
        chain.weight.iter().any(is_partly) && conditions.any(is_left)
    };
    let is_narrowed = |at: usize| {
        let around = &nest.loops[..=at];
        around.iter().any(has_outside) && trip_count::is_narrowed(around)
    };
    nest.loops.iter().any(is_inexact) || (0..nest.loops.len()).any(is_narrowed)
}

/// References that only some iterations of a loop further out come to, which is not cut into pieces: what lies between two
/// uses is taken as the mean over all of its iterations, while there is more of it in these and less in the others.
fn holds_in_some_rounds(ranges: &Ranges, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let nest = ranges.nest;
    let Some((innermost, outer)) = nest.loops.split_last() else {
        return false;
    };
    let is_outer = |range: &GuardRange| {
        let moves = |chain: &ChainLoop| {
            let mut ends = [&range.lower, &range.upper].into_iter().flatten();
            ends.any(|end| end.mentions(&chain.facts.variable))
        };
        range.variable != *innermost.facts.variable
            && outer
                .iter()
                .any(|chain| *chain.facts.variable == range.variable)
            && !nest.loops.iter().any(moves)
    };
    // From the loop of the range inwards, something comes to the same elements again.
    let is_used_again = |range: &GuardRange| {
        let of_range = outer
            .iter()
            .position(|chain| *chain.facts.variable == range.variable);
        let inner = &outer[of_range.unwrap_or(0)..];
        let mut streams = nest.streams.iter().map(|used| &used.stream);
        streams.any(|stream| {
            inner
                .iter()
                .any(|chain| meets_again(stream, &chain.facts.variable))
        })
    };
    let is_left = |range: &GuardRange| {
        let mut guards = nest.streams.iter().flat_map(NestStream::ranges);
        let is_vague = !ranges.are_exact(range);
        is_vague && guards.any(|guard| guard.variable == range.variable) && is_used_again(range)
    };
    let is_partly = |step: &(Symbol, bool)| {
        let share = share_of(step, value);
        // One iteration of many makes little difference to the others.
        let is_rare = |range: &GuardRange| is_one(range) && share < 1.0 - NEARLY_ALL;
        let counts = |range: &GuardRange| is_outer(range) && is_left(range) && !is_rare(range);
        share > 0.0 && share < NEARLY_ALL && ranges_of(nest, step).iter().any(counts)
    };
    let mut ways = nest.references.iter().flat_map(|used| &used.weight);
    ways.any(is_partly)
}

/// All that a nest refers to is in a loop that runs in one iteration of another one: bytes are a share of those of all.
fn runs_in_one_round(exact: &Ranges, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let nest = exact.nest;
    let is_rare = |step: &(Symbol, bool)| {
        let share = share_of(step, value);
        let mut ranges = ranges_of(nest, step).iter();
        let is_vague = |range: &GuardRange| is_one(range) && !exact.are_exact(range);
        share > 0.0 && share < 1.0 - NEARLY_ALL && ranges.any(is_vague)
    };
    (1..nest.loops.len()).any(|at| {
        nest.loops[at].weight.iter().any(is_rare)
            && nest.references.iter().all(|used| used.level > at)
    })
}

/// A range whose ends other loops move, of a loop of which another range leaves a part as well: what lies between two uses is
/// another part of both in every iteration.
fn shapes_with_others(exact: &Ranges) -> bool {
    let nest = exact.nest;
    let all: Vec<&GuardRange> = (nest.streams.iter().flat_map(NestStream::ranges)).collect();
    let moves = |range: &GuardRange| {
        let mut ends = [&range.lower, &range.upper].into_iter().flatten();
        ends.any(|end| {
            let mut chain = nest.loops.iter();
            chain.any(|chain| end.mentions(&chain.facts.variable))
        })
    };
    let is_shared = |range: &GuardRange| {
        let mut others = all.iter();
        others.any(|other| other.variable == range.variable && !moves(other))
    };
    nest.loops.len() > 2 && all.iter().any(|range| moves(range) && is_shared(range))
}

/// A range that ends where another loop says or at a place that stands still, whichever comes first, as `k <= j + 3 &&
/// k < 9` leaves: the part in which the one counts has another form than the part in which the other does. In nests of two
/// loops rows that are walked in their order come out right all the same.
fn has_mixed_ends(nest: &Nest) -> bool {
    let is_moved = |end: &Expr| {
        let mut chain = nest.loops.iter();
        chain.any(|chain| end.mentions(&chain.facts.variable))
    };
    let is_mixed = |range: &GuardRange| {
        let lowers = range
            .lower
            .iter()
            .map(|low| low.alternatives(Function::Max));
        let uppers = range
            .upper
            .iter()
            .map(|high| high.alternatives(Function::Min));
        lowers.chain(uppers).any(|ends| {
            let moved = ends.iter().filter(|end| is_moved(end)).count();
            moved > 0 && moved < ends.len()
        })
    };
    // The loops that move elements, from one subscript to the next.
    let order = |stream: &Stream| -> Vec<usize> {
        let loops = stream.subscripts.iter().filter_map(|subscript| {
            let mut terms = subscript.terms.iter();
            terms.find_map(|(name, _)| {
                let mut chain = nest.loops.iter();
                chain.rposition(|chain| *chain.facts.variable == *name)
            })
        });
        loops.collect()
    };
    let orders: Vec<Vec<usize>> = (nest.streams.iter())
        .map(|used| order(&used.stream))
        .collect();
    // Some rows are walked as columns, or always the same element of them.
    let is_turned = orders.iter().any(|order| order.len() < 2)
        || orders.iter().any(|order| *order != orders[0]);
    let mut ranges = nest.decisions.iter().flat_map(|one| one.decision.ranges());
    ranges.any(is_mixed) && (nest.loops.len() > 2 || is_turned)
}

/// References to elements of one array that are two or more apart, in a nest of planes around a hole: the planes before and
/// behind it that one of them walks in full are counted again with the borders that the other walks.
fn comes_back_beside_a_hole(nest: &Nest) -> bool {
    let is_around = |used: &&NestStream| used.when.hole.len() > 1;
    let is_same = |a: &Stream, b: &Stream| a.array == b.array && a.component == b.component;
    let is_far = |used: &NestStream| {
        let same = (nest.streams.iter()).filter(|other| is_same(&other.stream, &used.stream));
        let accesses: Vec<&Access> = same.flat_map(|other| &other.stream.accesses).collect();
        (0..used.stream.subscripts.len()).any(|at| {
            let along = || accesses.iter().filter_map(|access| access.offset.get(at));
            let ends = along().min().zip(along().max());
            ends.is_some_and(|(first, last)| last - first > 1)
        })
    };
    nest.loops.len() > 2 && nest.streams.iter().filter(is_around).any(is_far)
}

/// A hole along several loops of which one moves the ends of another one, or of which another condition leaves a part: slabs
/// around it are counted that no iteration may be in.
fn cuts_into_a_hole(nest: &Nest) -> bool {
    let (chain, narrowed) = (&nest.loops, &nest.narrowed);
    let cuts = |used: &NestStream| {
        let hole = &used.when.hole;
        let is_in = |variable: &str| hole.iter().any(|range| range.variable == variable);
        let moves = |end: &Expr| hole.iter().any(|range| end.mentions(&*range.variable));
        let own = chain.iter().filter(|one| is_in(&one.facts.variable));
        let mut ends = own.flat_map(|one| [&one.facts.lower, &one.facts.upper]);
        let mut ranges = used.when.ranges.iter().chain(narrowed);
        let is_part = |range: &GuardRange| {
            let mut ends = [&range.lower, &range.upper].into_iter().flatten();
            is_in(&range.variable) || ends.any(moves)
        };
        // `!(i > 0 && j > 0)`: of one end of each, a triangle may leave nothing.
        let mut sides = hole.iter();
        let is_corner = sides.all(|range| range.lower.is_none() || range.upper.is_none());
        hole.len() > 1 && (is_corner && ends.any(moves) || ranges.any(is_part))
    };
    nest.streams.iter().any(cuts)
}

/// Whether iterations of a loop use elements that others have used.
fn meets_again(stream: &Stream, variable: &str) -> bool {
    let mut moves = false;
    let mut differs = false;
    for (at, subscript) in stream.subscripts.iter().enumerate() {
        if subscript.terms.iter().any(|(name, _)| name == variable) {
            moves = true;
            let mut offsets = stream.accesses.iter().map(|access| access.offset.get(at));
            let first = offsets.next();
            differs |= offsets.any(|offset| Some(offset) != first);
        }
    }
    !moves || differs
}

/// A share of the iterations that stands for all.
const NEARLY_ALL: f64 = 0.9;

/// Branches that no data decide and that may go either way: around inner loops, or so that it makes a difference to the
/// bytes or to the operations.
fn branches(
    nest: &Nest,
    geometry: &Geometry,
    value: &dyn Fn(&Symbol) -> Option<f64>,
) -> Vec<ReasonCode> {
    let is_open = |branch: &Symbol| value(branch).is_none_or(|p| p > 0.0 && p < 1.0);
    let code = |branch: &Symbol| {
        match Decided::find(&nest.decisions, branch)?.decision {
            Decision::Loops(_) => Some(ReasonCode::ConditionOnLoops),
            Decision::Fixed => Some(ReasonCode::UndecidedBranch),
            // In one of the iterations; how many these are is known where calls are followed.
            Decision::Once(_) => Some(match nest.has_entry() {
                true => ReasonCode::ConditionOnLoops,
                false => ReasonCode::UndecidedBranch,
            }),
            Decision::PerhapsOnce(_) => Some(ReasonCode::UndecidedBranch),
            Decision::Data | Decision::Guard(_) => None,
        }
    };
    let open = |(branch, _): &'_ (Symbol, bool)| is_open(branch).then(|| code(branch)).flatten();
    let inner = nest.loops.iter().skip(1).flat_map(|chain| &chain.weight);
    let mut found: Vec<ReasonCode> = inner.filter_map(open).collect();
    let ways = nest.references.iter().flat_map(|used| &used.weight);
    let around: BTreeSet<&Symbol> = ways
        .filter(|step| open(step).is_some())
        .map(|(branch, _)| branch)
        .collect();
    if found.is_empty() && !around.is_empty() && undecided::matters(nest, &around, value) {
        found.extend(around.into_iter().filter_map(code));
    }
    if found.is_empty() {
        let is_open = |branch: &Symbol| is_open(branch) && code(branch).is_some();
        let deciding = undecided::deciding_operations(nest, &is_open, value);
        found.extend(deciding.into_iter().filter_map(code));
    }
    found.extend(adds_what_is_never_met(nest, value).then_some(ReasonCode::UndecidedBranch));
    found.extend(
        nest.is_uncertain_turn()
            .then_some(ReasonCode::UndecidedBranch),
    );
    let mut decisions = nest.decisions.iter();
    if decisions.any(|one| matches!(one.decision, Decision::Guard(_))) {
        let ranges = Ranges {
            nest,
            domain: &geometry.domain,
        };
        let is_vague = outside(nest, value)
            || narrows_others(&ranges, value)
            || holds_in_some_rounds(&ranges, value)
            || runs_in_one_round(&ranges, value)
            || shapes_with_others(&ranges)
            || has_mixed_ends(nest)
            || joins_a_part_with_rare_data(nest, value)
            || comes_back_beside_a_hole(nest)
            || cuts_into_a_hole(nest);
        found.extend(is_vague.then_some(ReasonCode::ConditionOnLoops));
    }
    found
}

/// A branch that is taken less often leaves lines out: eight elements are in one.
const RARE: f64 = 0.125;

/// Whether what loops alone lead to is counted with what data do rarely beside it: `k < 10 || b[k] > 0`. All lines of both
/// count.
fn joins_a_part_with_rare_data(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let is_of_data = |(branch, _): &(Symbol, bool)| {
        let mut decisions = nest.decisions.iter();
        decisions.any(|one| one.branch == *branch && one.decision == Decision::Data)
    };
    let is_rare = |step: &(Symbol, bool)| {
        let share = value(&step.0).map(|p| if step.1 { p } else { 1.0 - p });
        share.is_some_and(|share| share < RARE) && is_of_data(step)
    };
    let (rare, others): (Vec<_>, Vec<_>) =
        (nest.references.iter()).partition(|used| used.weight.iter().any(is_rare));
    rare.into_iter().any(|used| {
        let is_same = |other: &&&nest::Reference| {
            other.stream.array == used.stream.array
                && other.stream.subscripts == used.stream.subscripts
                && !other.weight.iter().any(is_of_data)
        };
        let mut certain = others.iter().filter(is_same).peekable();
        certain.peek().is_some()
            && certain.all(|other| !other.guards.is_empty() || !other.hole.is_empty())
    })
}

/// Whether elements to which only a branch leads that is never taken are counted with others of their array: `a[n + 9]` under
/// a condition that does not hold, beside `a[n]`.
fn adds_what_is_never_met(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let is_never =
        |(branch, taken): &(Symbol, bool)| value(branch) == Some(if *taken { 0.0 } else { 1.0 });
    let (never, met): (Vec<_>, Vec<_>) =
        (nest.references.iter()).partition(|used| used.open.iter().any(is_never));
    let is_same = |a: &Stream, b: &Stream| {
        let mut subscripts = a.subscripts.iter().zip(&b.subscripts);
        a.array == b.array && subscripts.all(|(a, b)| a.terms == b.terms && a.base == b.base)
    };
    let is_beside = |a: &[i64], b: &[i64]| {
        let mut pairs = a.iter().zip(b).enumerate();
        pairs.all(|(d, (a, b))| a == b || d == 0 && (a - b).abs() <= BESIDE)
    };
    never.into_iter().any(|used| {
        let mut same = met
            .iter()
            .filter(|m| is_same(&m.stream, &used.stream))
            .peekable();
        let is_joined = same.peek().is_some();
        let others: Vec<&Access> = same.flat_map(|m| &m.stream.accesses).collect();
        let is_further = |access: &Access| {
            let mut others = others.iter();
            !others.any(|other| is_beside(&other.offset, &access.offset))
        };
        is_joined && used.stream.accesses.iter().any(is_further)
    })
}

/// Elements along a row that make no difference to its lines, nearly.
const BESIDE: i64 = 4;

/// A pointer beside an array into which it points: the elements of both are counted, though they may be the same.
fn has_pointer_and_target(nest: &Nest) -> bool {
    let pointed = nest
        .program
        .map_or(&[][..], |program| &program.functions[nest.function].pointed);
    let has = |variable: &str| {
        let mut streams = nest.streams.iter();
        streams.any(|used| used.stream.array.variable() == variable)
    };
    pointed
        .iter()
        .any(|(pointer, target)| has(pointer.variable()) && has(target.variable()))
}

/// Arrays that may lie in the same storage, of which the elements differ: `double *d = (double *)bytes`.
fn has_several_types(nest: &Nest) -> bool {
    let shared = nest
        .program
        .map_or(&[][..], |program| &program.functions[nest.function].shared);
    let may_share = |a: &str, b: &str| {
        let mut pairs = shared.iter();
        pairs.any(|(view, of)| {
            let pair = [view.variable(), of.variable()];
            pair.contains(&a) && pair.contains(&b)
        })
    };
    let share = |a: &Stream, b: &Stream| match (a.array.variable(), b.array.variable()) {
        (one, other) if one == other => a.array.is_view() || b.array.is_view(),
        (one, other) => may_share(one, other),
    };
    let streams: Vec<&Stream> = nest.streams.iter().map(|used| &used.stream).collect();
    let differ = |(at, a): (usize, &&Stream)| {
        let mut others = streams[at + 1..].iter();
        others.any(|b| a.array != b.array && a.ty != b.ty && share(a, b))
    };
    streams.iter().enumerate().any(differ)
}

/// Whether the loops around move the ends of a loop in another way than by whole numbers.
fn has_uneven_bounds(nest: &Nest) -> bool {
    let loops: Vec<&Loop> = nest.loops.iter().map(|chain| chain.facts).collect();
    let is_uneven = |at: usize| {
        let names: Vec<&str> = loops[..at].iter().map(|l| l.variable.as_str()).collect();
        let is_even = |end: &Expr| {
            let linear = end.linear_in(&names);
            linear.is_some_and(|linear| {
                linear
                    .coefficients
                    .iter()
                    .all(|by| by.as_number().is_some())
            })
        };
        let facts = loops[at];
        let (low, high) = match facts.step.as_number() {
            Some(step) if step < 0.0 => (&facts.upper, &facts.lower),
            _ => (&facts.lower, &facts.upper),
        };
        let mut ends = low.alternatives(Function::Max);
        ends.extend(high.alternatives(Function::Min));
        let is_moved = names.iter().any(|name| facts.step.mentions(*name));
        is_moved || !ends.iter().all(is_even)
    };
    (1..loops.len()).any(is_uneven)
}

/// Whether a loop whose ends others move runs in a part of their iterations only, so that neither the middle of that range
/// nor the box around it says what it touches.
fn is_partly_empty(geometry: &Geometry, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let is_moved = |bounds: &[Affine<Expr>]| bounds.iter().any(|bound| !bound.terms.is_empty());
    let mut loops = geometry.domain.loops.iter();
    if !loops.any(|range| is_moved(&range.lowers) || is_moved(&range.uppers)) {
        return false;
    }
    let number = |expr: &Expr| expr.evaluate(&value as &dyn Lookup).unwrap_or(f64::NAN);
    let (domain, _) = geometry.map(&number);
    let given = vec![Given::Free; domain.loops.len()];
    let spans = domain.spans(&given, Tiles::Full);
    let is_cut = |low: &Affine<f64>, high: &Affine<f64>| {
        let (least, most) = domain.extremes(&high.less(low), &spans, &given);
        least < -EMPTY && most >= 0.0
    };
    let mut loops = domain.loops.iter();
    loops.any(|range| {
        let mut highs = range.uppers.iter();
        highs.any(|high| range.lowers.iter().any(|low| is_cut(low, high)))
    })
}

/// By so much less than nothing a triangle ends with its corner.
const EMPTY: f64 = 4.0;

/// Whether references to one array, of which none covers the other, may go to the same elements.
fn has_several_forms(geometry: &Geometry, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let Geometry {
        domain,
        references,
        assumed,
        ..
    } = geometry;
    let is_so = |zero: &Expr| {
        zero.evaluate(&value as &dyn Lookup)
            .is_ok_and(|value| value == 0.0)
    };
    if !assumed.iter().all(is_so) {
        return true;
    }
    let shared = |r: &Reference<Expr>| references.iter().filter(|o| o.array == r.array).count() > 1;
    let is_affine = |r: &&Reference<Expr>| r.gathered.is_none();
    let all: Vec<&Reference<Expr>> = references
        .iter()
        .filter(is_affine)
        .filter(|r| shared(r))
        .collect();
    if all.is_empty() {
        return false;
    }
    let opposed = |(at, a): (usize, &&Reference<Expr>)| {
        let mut others = all[at + 1..].iter();
        others.any(|b| {
            let may_meet = |from: usize| may_meet(domain, (a, b), from);
            a.array == b.array
                && (are_opposed(a, b) && may_meet(0) || share_ends(a, b, value) && may_meet(1))
        })
    };
    if all.iter().enumerate().any(opposed) || forms::are_doubtful(domain, &all) {
        return true;
    }
    let counted = overlap::counted(domain, &all, 0);
    let left: Vec<&Reference<Expr>> = all
        .into_iter()
        .zip(&counted)
        .filter(|(_, counted)| !counted.offsets.is_empty())
        .map(|(reference, _)| reference)
        .collect();
    left.iter().enumerate().any(|(at, a)| {
        left[at + 1..]
            .iter()
            .any(|b| a.array == b.array && !are_apart(domain, a, b))
    })
}

/// Whether two symbols that say where a nest goes in an array have one value: the plane `f(i, j, kb)` beside `f(i, j, kbm1)`.
/// What the source calls by two names is taken to be two places, and so it is unless such a value is a guess.
fn are_perhaps_same(nest: &Nest, value: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    let is_same = |a: &Expr, b: &Expr| {
        a == b || {
            let apart = (a - b).expand();
            apart
                .evaluate(&value as &dyn Lookup)
                .is_ok_and(|apart| apart == 0.0)
        }
    };
    let are_same = |a: &Stream, b: &Stream| {
        let bases = a.subscripts.iter().zip(&b.subscripts);
        let places = bases.map(|(a, b)| (&a.base, &b.base));
        let components = a.component.0.iter().zip(&b.component.0);
        let mut all = places.chain(components);
        let is_alike = a.array == b.array
            && a.subscripts.len() == b.subscripts.len()
            && a.component.0.len() == b.component.0.len()
            && a.accesses
                .iter()
                .any(|one| b.accesses.iter().any(|other| one.offset == other.offset))
            && a.subscripts
                .iter()
                .zip(&b.subscripts)
                .all(|(a, b)| a.terms == b.terms && a.gather == b.gather);
        let other_base = |(a, b): &(&Subscript, &Subscript)| a.base != b.base;
        let mut others = a
            .subscripts
            .iter()
            .zip(&b.subscripts)
            .filter(other_base)
            .peekable();
        let differ = a.component != b.component || others.peek().is_some();
        // What loops move as well meets in part, which is counted.
        let stands = others.all(|(a, _)| a.terms.is_empty());
        is_alike && differ && stands && all.all(|(a, b)| is_same(a, b))
    };
    let streams: Vec<&Stream> = nest.streams.iter().map(|used| &used.stream).collect();
    (streams.iter().enumerate()).any(|(at, a)| streams[at + 1..].iter().any(|b| are_same(a, b)))
}

/// Whether a nest moves so few lines that it matters whether elements that no loop moves are in lines of their own: `b[p]`
/// beside `b[i]`, or beside `b[q]`.
fn fixed_elements_matter(
    nest: &Nest,
    geometry: &Geometry,
    value: &dyn Fn(&Symbol) -> Option<f64>,
) -> bool {
    let Geometry {
        domain,
        references,
        beside,
        ..
    } = geometry;
    let left = |references: Vec<&Reference<Expr>>, from: usize| {
        let counted = overlap::counted(domain, &references, 0);
        let left = counted.iter().skip(from);
        left.filter(|counted| !counted.offsets.is_empty()).count()
    };
    let all = references.iter().chain(beside).collect();
    let unsure = left(all, references.len()) + more_forms(nest);
    unsure > 0 && unsure as f64 > FEW_LINES * undecided::cold(nest, value)
}

/// Of elements that no loop moves, how many more there are than arrays to which nothing else goes.
fn more_forms(nest: &Nest) -> usize {
    let is_same = |a: &Stream, b: &Stream| a.array == b.array && a.component == b.component;
    let is_alone = |stream: &&Stream| {
        let mut moved = nest.streams.iter();
        !moved.any(|used| is_same(&used.stream, stream))
    };
    let alone: Vec<&Stream> = (nest.fixed.iter().map(|used| &used.stream))
        .filter(is_alone)
        .collect();
    let is_first = |at: usize, same: &dyn Fn(&Stream) -> bool| !alone[..at].iter().any(|a| same(a));
    let is_more = |(at, one): &(usize, &&Stream)| {
        let is_known = |other: &Stream| is_same(other, one) && other.subscripts == one.subscripts;
        is_first(*at, &is_known) && !is_first(*at, &|other| is_same(other, one))
    };
    alone.iter().enumerate().filter(is_more).count()
}

/// A share of a nest's lines that makes no difference.
const FEW_LINES: f64 = 0.1;

/// Whether a loop moves two references in opposite directions, so that the distance between them is another one in
/// every iteration: `a[i]` beside `a[n - i]`.
fn are_opposed(a: &Reference<Expr>, b: &Reference<Expr>) -> bool {
    let mut dimensions = a.dimensions.iter().zip(&b.dimensions);
    dimensions.any(|(terms, others)| {
        let mut turned = terms.iter().map(|(v, by)| (*v, -by));
        turned.any(|term| others.contains(&term))
    })
}

/// Whether two references stay at other places of their rows, of which one's end may be beside the next one's beginning:
/// `field(1, j)` beside `field(m, j)`. Lines that rows share that way are known only where rows are surely so long.
fn share_ends(
    a: &Reference<Expr>,
    b: &Reference<Expr>,
    value: &dyn Fn(&Symbol) -> Option<f64>,
) -> bool {
    let (Some(([], [])), Some(pitch)) = (
        (a.dimensions.first().map(Vec::as_slice)).zip(b.dimensions.first().map(Vec::as_slice)),
        a.pitches.get(1),
    ) else {
        return false;
    };
    let is_alike =
        a.dimensions.len() == b.dimensions.len() && a.dimensions[1..] == b.dimensions[1..];
    let moves = a.dimensions[1..].iter().any(|terms| !terms.is_empty());
    if !is_alike || !moves || a.bases[0] == b.bases[0] || ends::apart(a, b).is_some() {
        return false;
    }
    let number = |expr: &Expr| expr.evaluate(&value as &dyn Lookup).ok();
    let apart = number(&(a.bases[0].clone() - b.bases[0].clone()));
    let known = apart.zip(pitch.as_ref().and_then(number));
    known.is_none_or(|(apart, pitch)| {
        let rest = apart.rem_euclid(pitch);
        rest != 0.0 && rest.min(pitch - rest) * a.width < LINE
    })
}

/// Bytes that two elements of one line are less apart.
const LINE: f64 = 64.0;

/// Whether two references go to other places along some dimension, or come to the same ones on other ways: rows as
/// columns, whose common elements the rule knows.
fn are_apart(domain: &Domain<Expr>, a: &Reference<Expr>, b: &Reference<Expr>) -> bool {
    if a.dimensions.len() != b.dimensions.len() {
        return false;
    }
    let all = vec![Given::Free; domain.loops.len()];
    let spans = domain.spans(&all, Tiles::Full);
    let is_box = [a, b].iter().all(|r| r.shears(&spans).is_empty());
    let turned = is_box
        && (0..a.dimensions.len()).any(|d| {
            let (terms, others) = (&a.dimensions[d], &b.dimensions[d]);
            let mut pairs = terms
                .iter()
                .flat_map(|(v, _)| others.iter().map(|(u, _)| (*v, *u)));
            // Triangles of rows and of columns, which meet at most where both begin.
            terms != others && pairs.any(|(v, u)| v != u && domain.coupled(v, u))
        });
    turned || !may_meet(domain, (a, b), 0)
}

/// Whether there is no dimension, from one on, along which two references go to other places.
fn may_meet(
    domain: &Domain<Expr>,
    (a, b): (&Reference<Expr>, &Reference<Expr>),
    from: usize,
) -> bool {
    let given = vec![Given::Free; domain.loops.len()];
    let spans = domain.spans(&given, Tiles::Full);
    let reach = |r: &Reference<Expr>, d: usize| {
        let (low, high) = domain.extremes(&r.place(d), &spans, &given);
        let along = || r.offsets.iter().map(|offset| offset[d]);
        (
            low + along().min().unwrap_or(0) as f64,
            high + along().max().unwrap_or(0) as f64,
        )
    };
    let is_apart = |d: usize| {
        if a.dimensions[d].is_empty() && b.dimensions[d].is_empty() {
            return a.bases[d] != b.bases[d];
        }
        let ((low, high), (other_low, other_high)) = (reach(a, d), reach(b, d));
        order::is_above(&other_low, &high) || order::is_above(&low, &other_high)
    };
    a.dimensions.len() != b.dimensions.len() || !(from..a.dimensions.len()).any(is_apart)
}
