//! Two sides, set side by side.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use serde::Serialize;

use crate::flips::{self, Direction, Flip};
use crate::fusions;
use crate::guesses::{self, DifferingGuess};
use crate::left_out;
use crate::limits::{Budget, Exceeded, Limits, UnknownLevel};
use crate::matching::{self, NestRef};
use crate::nest::Nest;
use crate::parameters::{self, ParameterChange};
use crate::quantity::{Cost, Quantity, as_key};
use crate::report::Figure;
use crate::report::static_report::DiagnosticReport;
use crate::side::{Function, Side};

/// What differs between two sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// What the sides are called.
    pub old: String,
    pub new: String,
    /// Of both sides.
    pub machine: String,
    /// Those that differ; those that are the same last.
    pub nests: Vec<NestDifference>,
    pub totals: Vec<Row>,
    /// Sizes that the two sides do not have in common.
    pub parameters: Vec<ParameterChange>,
    pub exceeded: Vec<Exceeded>,
    /// Patterns of budgets that no nest fits.
    pub unused_budgets: Vec<String>,
    /// Of the new side.
    pub unread: Vec<DiagnosticReport>,
    /// How many regions of the old side could not be read.
    pub old_unread: usize,
    /// How many of the new side the old one does not have, or could be read there.
    pub newly_unread: usize,
    /// What was read otherwise than a compiler might, such as without a header that was not found.
    pub warnings: BySide<Vec<DiagnosticReport>>,
    /// Share of the time that rests on guessed sizes and trip counts.
    pub on_guesses: BySide<Figure>,
    pub notes: Vec<String>,
}

/// Something of both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BySide<T> {
    pub old: T,
    pub new: T,
}

/// A nest, or what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NestDifference {
    pub old: Option<NestPlace>,
    pub new: Option<NestPlace>,
    pub status: Status,
    /// Quantities that differ.
    pub rows: Vec<Row>,
    pub flipped: Vec<Flip>,
    /// Codes of what keeps it from being understood in full, or its figures from being exact, on either side.
    pub reasons: Vec<String>,
    /// Guesses behind what differs, as far as they are not the same on both sides.
    pub guesses: Vec<DifferingGuess>,
}

/// Where a nest stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NestPlace {
    /// Id of the loop that stands for it.
    pub name: String,
    pub function: String,
    pub file: String,
    pub line: u32,
}

/// What became of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Its figures are others.
    Changed,
    Added,
    Removed,
    /// It is in another function or file, and its figures are the same.
    Moved,
    Same,
}

impl Status {
    /// As reports write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Changed => "changed",
            Status::Added => "added",
            Status::Removed => "removed",
            Status::Moved => "moved",
            Status::Same => "same",
        }
    }
}

/// A quantity on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Row {
    #[serde(serialize_with = "as_key")]
    pub quantity: Quantity,
    pub old: Figure,
    pub new: Figure,
    /// What is added to the old one, in parts of it; unknown where that is zero.
    pub change: Figure,
}

/// Figures that are nearer are the same: sums may be in another order.
const TOLERANCE: f64 = 1e-9;

impl Row {
    fn of(quantity: Quantity, old: Figure, new: Figure) -> Row {
        let mut row = Row {
            quantity,
            old,
            new,
            change: Figure::UNKNOWN,
        };
        row.change = match (old.known(), new.known()) {
            (None, None) => Figure::UNKNOWN,
            _ if !row.has_changed() => 0.0.into(),
            (Some(old), Some(new)) if old != 0.0 => ((new - old) / old).into(),
            _ => Figure::UNKNOWN,
        };
        row
    }

    /// Whether the two are different.
    pub fn has_changed(&self) -> bool {
        match (self.old.known(), self.new.known()) {
            (Some(old), Some(new)) => (new - old).abs() > TOLERANCE * old.abs().max(new.abs()),
            (None, None) => false,
            _ => true,
        }
    }

    /// The new one less the old one; nothing counts as zero.
    pub fn added(&self) -> f64 {
        self.new.known().unwrap_or(0.0) - self.old.known().unwrap_or(0.0)
    }
}

impl NestPlace {
    fn of(function: &Function, nest: &Nest) -> NestPlace {
        NestPlace {
            name: nest.name.clone(),
            function: function.name.clone(),
            file: nest.file.clone(),
            line: nest.line,
        }
    }
}

impl fmt::Display for NestPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}:{})", self.name, self.file, self.line)
    }
}

impl Difference {
    /// Of this status.
    pub fn count(&self, status: Status) -> usize {
        let nests = self.nests.iter();
        nests.filter(|nest| nest.status == status).count()
    }

    /// Those that are not the same as they were, wherever they are.
    pub fn differing(&self) -> impl Iterator<Item = &NestDifference> {
        let nests = self.nests.iter();
        nests.filter(|nest| nest.status < Status::Moved)
    }

    /// Whether regions of the new side could not be read that the old one does not have, or that could be read there.
    pub fn reads_less(&self) -> bool {
        self.newly_unread > 0
    }

    /// Warnings of the new side that the old one does not have.
    pub fn gained_warnings(&self) -> Vec<&DiagnosticReport> {
        left_out::gained(&self.warnings.old, &self.warnings.new)
    }
}

impl NestDifference {
    /// Where it is, or was.
    pub fn place(&self) -> Option<&NestPlace> {
        self.new.as_ref().or(self.old.as_ref())
    }

    /// Why what differs is not exact, or not of the program alone.
    pub fn marks(&self) -> impl Iterator<Item = String> {
        let codes = (!self.reasons.is_empty() && !self.rows.is_empty()).then(|| {
            format!(
                "only estimated, or not fully understood: {}",
                self.reasons.join(", ")
            )
        });
        let guesses = self.guesses.iter().map(ToString::to_string);
        codes.into_iter().chain(guesses)
    }

    /// The row of a quantity, if it differs.
    pub fn row(&self, quantity: &Quantity) -> Option<&Row> {
        self.rows.iter().find(|row| row.quantity == *quantity)
    }

    /// Those first that cost the most time more or less, then bytes, then flops; then those that got worse.
    fn weight(&self) -> [f64; 5] {
        let added = |quantity: &Quantity| self.row(quantity).map_or(0.0, |row| row.added().abs());
        let is_worse = |flip: &&Flip| flip.direction() == Direction::Worse;
        [
            added(&Quantity::AllCalls(Cost::Seconds)),
            added(&Quantity::Seconds),
            added(&Quantity::memory_bytes()),
            added(&Quantity::Flops),
            self.flipped.iter().filter(is_worse).count() as f64,
        ]
    }
}

/// Sets the sides side by side, and says what exceeds the limits.
pub fn compare(old: &Side, new: &Side, limits: &Limits) -> Difference {
    let pairs = matching::matched(old, new);
    let mut nests = differences(old, new, &pairs);
    for (place, flip) in fusions::flipped(old, new, &pairs) {
        let nest = nests.iter_mut().find(|(both, _)| both.1 == Some(place));
        if let Some((_, nest)) = nest {
            nest.flipped.push(flip);
        }
    }
    let mut nests: Vec<NestDifference> = nests
        .into_iter()
        .map(|(both, nest)| settled(old, new, both, nest))
        .collect();
    nests.sort_by(|a, b| {
        let rank = |nest: &NestDifference| nest.status.max(Status::Removed);
        let by_weight = b.weight().partial_cmp(&a.weight());
        (rank(a).cmp(&rank(b))).then(by_weight.unwrap_or(std::cmp::Ordering::Equal))
    });
    let totals = totals(old, new);
    let mut exceeded = limits.exceeded_by(&nests, &totals);
    let origin: HashMap<NestRef, NestRef> = pairs.iter().map(|(old, new)| (*new, *old)).collect();
    let before = |place: NestRef| Some(nest_at(old, *origin.get(&place)?).1);
    let over = check_budgets(new, &limits.budgets, before);
    exceeded.extend(over.exceeded);
    Difference {
        old: old.name.clone(),
        new: new.name.clone(),
        machine: new.machine.name.clone(),
        nests,
        totals,
        parameters: parameters::changes(old, new),
        exceeded,
        unused_budgets: over.unused,
        unread: new.unread.clone(),
        old_unread: old.unread.len(),
        newly_unread: left_out::gained(&old.unread, &new.unread).len(),
        warnings: BySide {
            old: old.warnings.clone(),
            new: new.warnings.clone(),
        },
        on_guesses: BySide {
            old: old.on_guesses,
            new: new.on_guesses,
        },
        notes: left_out::notes(old, new),
    }
}

/// The nest on either side.
type Both = (Option<NestRef>, Option<NestRef>);

/// All nests, those of the new side in their order, then those that are gone.
fn differences(
    old: &Side,
    new: &Side,
    pairs: &[(NestRef, NestRef)],
) -> Vec<(Both, NestDifference)> {
    let from: HashMap<NestRef, NestRef> = pairs.iter().map(|(old, new)| (*new, *old)).collect();
    let gone: BTreeSet<NestRef> = {
        let taken: BTreeSet<NestRef> = pairs.iter().map(|(old, _)| *old).collect();
        let is_left = |place: &NestRef| !taken.contains(place);
        places(old).filter(is_left).collect()
    };
    let kept = places(new).map(|place| (from.get(&place).copied(), Some(place)));
    let all = kept.chain(gone.into_iter().map(|place| (Some(place), None)));
    let entry = old.has_entry || new.has_entry;
    all.map(|both| (both, difference(old, new, both, entry)))
        .collect()
}

fn places(side: &Side) -> impl Iterator<Item = NestRef> + '_ {
    let functions = side.functions.iter().enumerate();
    functions.flat_map(|(function, found)| {
        (0..found.nests.len()).map(move |nest| NestRef { function, nest })
    })
}

fn nest_at(side: &Side, place: NestRef) -> (&Function, &Nest) {
    let function = &side.functions[place.function];
    (function, &function.nests[place.nest])
}

fn difference(old: &Side, new: &Side, both: Both, has_entry: bool) -> NestDifference {
    let before = both.0.map(|place| nest_at(old, place));
    let after = both.1.map(|place| nest_at(new, place));
    let mut rows = Vec::new();
    let quantities = [after, before].into_iter().flatten();
    for (quantity, _) in quantities.flat_map(|(_, nest)| &nest.figures) {
        let is_of_calls = matches!(
            quantity,
            Quantity::Calls | Quantity::AllCalls(_) | Quantity::Warm(_)
        );
        if is_of_calls && !has_entry || rows.iter().any(|row: &Row| row.quantity == *quantity) {
            continue;
        }
        let figure = |side: Option<(&Function, &Nest)>| {
            let found = side.map_or(Figure::UNKNOWN, |(_, nest)| nest.figure(quantity));
            match (quantity, side, found.known()) {
                // None are shown to be.
                (Quantity::Warm(_), Some(_), None) => 0.0.into(),
                _ => found,
            }
        };
        let row = Row::of(quantity.clone(), figure(before), figure(after));
        if row.has_changed() {
            rows.push(row);
        }
    }
    let flipped = match (before, after) {
        (Some((_, before)), Some((_, after))) => flips::of_nests(before, after),
        _ => Vec::new(),
    };
    let place = |side: Option<(&Function, &Nest)>| {
        side.map(|(function, nest)| NestPlace::of(function, nest))
    };
    let reasons = [before, after].into_iter().flatten();
    let reasons: BTreeSet<&String> = reasons.flat_map(|(_, nest)| &nest.reasons).collect();
    let guesses = match rows.is_empty() {
        true => Vec::new(),
        false => guesses::differing(
            before.map(|(_, nest)| (old, nest)),
            after.map(|(_, nest)| (new, nest)),
        ),
    };
    NestDifference {
        old: place(before),
        new: place(after),
        status: Status::Same,
        rows,
        flipped,
        reasons: reasons.into_iter().cloned().collect(),
        guesses,
    }
}

/// With what became of it.
fn settled(old: &Side, new: &Side, both: Both, mut nest: NestDifference) -> NestDifference {
    nest.status = match both {
        (None, _) => Status::Added,
        (_, None) => Status::Removed,
        (Some(before), Some(after)) => {
            let (before, after) = (nest_at(old, before), nest_at(new, after));
            let is_unknown = [&Quantity::Seconds, &Quantity::Flops]
                .into_iter()
                .any(|quantity| {
                    let is_unknown = |nest: &Nest| nest.figure(quantity).known().is_none();
                    is_unknown(before.1) && is_unknown(after.1)
                });
            let has_rows = !nest.rows.is_empty() || !nest.flipped.is_empty();
            if is_unknown && !has_rows && before.1.structure != after.1.structure {
                nest.flipped.push(Flip::Unknown);
            }
            let is_elsewhere = before.0.place != after.0.place
                || !before.0.name.eq_ignore_ascii_case(&after.0.name);
            match (
                nest.rows.is_empty() && nest.flipped.is_empty(),
                is_elsewhere,
            ) {
                (false, _) => Status::Changed,
                (true, true) => Status::Moved,
                (true, false) => Status::Same,
            }
        }
    };
    nest
}

/// Sums over all nests, and over all calls where something says where a run begins.
fn totals(old: &Side, new: &Side) -> Vec<Row> {
    let (before, after) = (&old.totals, &new.totals);
    let count = |count: usize| Figure::from(count as f64);
    let mut rows = vec![
        Row::of(Quantity::Nests, count(before.nests), count(after.nests)),
        Row::of(Quantity::Flops, before.flops, after.flops),
        Row::of(Quantity::memory_bytes(), before.bytes, after.bytes),
        Row::of(Quantity::Seconds, before.seconds, after.seconds),
    ];
    if old.has_entry || new.has_entry {
        let executed = |side: &Side, cost: Cost| match (&side.totals.executed, cost) {
            // Where no function calls another one.
            (None, _) => over_calls(side, cost),
            (Some(costs), Cost::Flops) => costs.flops,
            (Some(costs), Cost::Bytes) => costs.bytes,
            (Some(costs), Cost::Seconds) => costs.seconds,
        };
        let costs = [Cost::Flops, Cost::Bytes, Cost::Seconds].into_iter();
        rows.extend(costs.map(|cost| {
            let quantity = Quantity::AllCalls(cost);
            Row::of(quantity, executed(old, cost), executed(new, cost))
        }));
    }
    let unknown = [before, after].map(|totals| count(totals.unknown.len()));
    rows.push(Row::of(Quantity::UnknownNests, unknown[0], unknown[1]));
    rows
}

/// The known costs of all nests of a side, as often as they are called.
fn over_calls(side: &Side, cost: Cost) -> Figure {
    let quantity = match cost {
        Cost::Flops => Quantity::Flops,
        Cost::Bytes => Quantity::memory_bytes(),
        Cost::Seconds => Quantity::Seconds,
    };
    let nests = side.functions.iter().flat_map(|function| &function.nests);
    let costs = nests.filter_map(|nest| {
        let calls = match side.has_entry {
            true => nest.figure(&Quantity::Calls).known(),
            false => Some(1.0),
        };
        Some(calls? * nest.figure(&quantity).known()?)
    });
    Figure::from(costs.sum::<f64>())
}

/// What of a side exceeds budgets.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct OverBudget {
    pub exceeded: Vec<Exceeded>,
    /// Patterns of budgets that no nest fits.
    pub unused: Vec<String>,
}

/// What of one version exceeds budgets, with nothing to compare it with.
///
/// # Errors
/// A budget bounds the bytes of a level that the machine lacks.
pub fn over_budget(side: &Side, budgets: Vec<Budget>) -> Result<OverBudget, UnknownLevel> {
    let limits = Limits {
        thresholds: Vec::new(),
        budgets,
    };
    limits.fit(side)?;
    Ok(check_budgets(side, &limits.budgets, |_| None))
}

/// What of a side exceeds budgets. `before` is what a nest was on the old side.
fn check_budgets<'o>(
    side: &Side,
    budgets: &[Budget],
    before: impl Fn(NestRef) -> Option<&'o Nest>,
) -> OverBudget {
    let mut over = OverBudget::default();
    for budget in budgets {
        let pattern = budget.nests.compile_matcher();
        let is_meant = |place: &NestRef| pattern.is_match(&nest_at(side, *place).1.name);
        let meant: Vec<NestRef> = places(side).filter(is_meant).collect();
        if meant.is_empty() {
            over.unused.push(budget.nests.to_string());
        }
        for place in meant {
            let (function, nest) = nest_at(side, place);
            let before = before(place);
            let exceeded = budget.check(&NestPlace::of(function, nest), |quantity| {
                let old = before.map_or(Figure::UNKNOWN, |nest| nest.figure(quantity));
                (old, nest.figure(quantity))
            });
            over.exceeded.extend(exceeded);
        }
    }
    over
}
