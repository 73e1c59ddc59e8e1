//! Configurations by input, problem and latency, and which of them is the best.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::columns::Column;
use crate::failure::{ComparedAt, Failure, missing};
pub use crate::latency::Latency;
use crate::row::{Row, RowKind};
use crate::swept::SweptSetting;

/// One input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputPart {
    pub name: String,
    pub kind: RowKind,
    pub configurations: std::ops::Range<usize>,
    /// Configurations that are compared with one another.
    pub groups: Vec<Group>,
}

/// Configurations for one problem at one latency of memory. Neither is chosen: the smallest problem would always be the best,
/// and so would the shortest latency, which is a property of the machine around the caches.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Program inputs: parameters that are not chosen, by position, with their values.
    pub problem: Vec<(usize, f64)>,
    /// None for sources, whose machines have theirs.
    pub latency: Option<Latency>,
    /// Positions, in the order of the plan. One may be in two groups: at a number of cycles that is also its machine's latency.
    pub configurations: Vec<usize>,
    /// How many more there would be, whose shards failed.
    pub missing: usize,
    /// What their times are compared in.
    pub unit: TimeUnit,
    /// The position of the fastest; of equal ones a full estimate, and of those that which takes less ([`by_size`]). None if no
    /// time is known, or nothing runs.
    pub best: Option<usize>,
    /// The fastest of those whose times are no lower bounds only, since their machines say all that would bound them.
    pub best_of_full: Option<usize>,
    /// What takes least ([`by_size`]) of those that take hardly longer than the best ([`HARDLY`]); none if that is the best.
    pub smallest_near: Option<usize>,
    /// What of them is compared where times are equal.
    pub areas: Areas,
}

/// Whether configurations may be compared by their areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Areas {
    /// All that have a time have an area, or none has.
    Known,
    /// Some have one: nobody knows whether the others are smaller.
    OfSome,
}

impl Areas {
    fn of<'r>(rows: impl Iterator<Item = &'r Row>) -> Areas {
        let mut known = rows.map(|row| row.number(Column::AreaMm2).is_some());
        let first = known.next();
        match known.all(|known| Some(known) == first) {
            true => Areas::Known,
            false => Areas::OfSome,
        }
    }
}

/// So many times as long is hardly longer.
pub const HARDLY: f64 = 1.01;

/// What times are compared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Seconds,
    /// Of one clock, which nothing says how fast it is.
    Cycles,
}

impl TimeUnit {
    /// What configurations are compared by.
    pub fn time(self, row: &Row) -> Option<f64> {
        match self {
            TimeUnit::Seconds => row.number(Column::TimeSeconds),
            TimeUnit::Cycles => row.number(Column::TimeUpperCycles),
        }
    }

    /// Cycles where no time in seconds is known, and all cycles are of one machine.
    fn of(rows: &[&Row]) -> TimeUnit {
        let in_seconds = rows.iter().any(|row| TimeUnit::Seconds.time(row).is_some());
        let mut machines = rows.iter().map(|row| row.text(Column::Machine));
        let first = machines.next();
        match !in_seconds && machines.all(|machine| Some(machine) == first) {
            true => TimeUnit::Cycles,
            false => TimeUnit::Seconds,
        }
    }
}

impl Group {
    /// What configurations are compared by.
    pub fn time(&self, row: &Row) -> Option<f64> {
        self.unit.time(row)
    }

    /// Whether its best is a lower bound.
    pub fn is_bound(&self, rows: &[Row]) -> bool {
        self.best.is_some_and(|best| rows[best].is_lower_bound())
    }

    /// Where it has no best: a configuration that takes no time; none if no time is known.
    pub fn idle<'r>(&self, rows: &'r [Row]) -> Option<&'r Row> {
        let mut own = self.configurations.iter().map(|number| &rows[*number]);
        own.find(|row| self.time(row).is_some())
    }

    fn compared_at(&self) -> ComparedAt {
        let problem = self.problem.iter();
        let problem = problem.map(|(_, value)| value.to_bits()).collect();
        (problem, self.latency.map(Latency::key))
    }

    /// What its best has a star for, beside what its own row says.
    pub fn doubt(&self) -> Option<String> {
        let all = self.configurations.len() + self.missing;
        (self.missing > 0)
            .then(|| format!("{} of {all} configurations were not computed", self.missing))
    }
}

/// The configurations of every input.
pub(crate) fn inputs(
    configurations: &[Row],
    settings: &[SweptSetting],
    failures: &[Failure],
) -> Vec<InputPart> {
    let mut inputs: Vec<InputPart> = Vec::new();
    for (number, row) in configurations.iter().enumerate() {
        let name = row.text(Column::Input).unwrap_or_default();
        let kind = row.kind();
        match inputs.last_mut() {
            Some(last) if last.name == name && last.kind == kind => {
                last.configurations.end = number + 1;
            }
            _ => inputs.push(InputPart {
                name: name.to_string(),
                kind,
                configurations: number..number + 1,
                groups: Vec::new(),
            }),
        }
    }
    let all = settings.iter().enumerate();
    let given = all.filter(|(_, setting)| !setting.role.is_choice());
    let given: Vec<usize> = given.map(|(position, _)| position).collect();
    for input in &mut inputs {
        let rows = (input.configurations.clone(), configurations);
        input.groups = groups(rows, &given, settings);
        let missing = missing(failures, (&input.name, input.kind), &given);
        for group in &mut input.groups {
            group.missing = missing.get(&group.compared_at()).copied().unwrap_or(0);
        }
    }
    inputs
}

/// The configurations of one input by problem and latency, in the order of the plan.
fn groups(
    (of_input, configurations): (std::ops::Range<usize>, &[Row]),
    given: &[usize],
    settings: &[SweptSetting],
) -> Vec<Group> {
    let problem = |number: usize| -> Vec<(usize, f64)> {
        let row = &configurations[number];
        let value = |position: &usize| Some((*position, row.setting(*position)?));
        given.iter().filter_map(value).collect()
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<ComparedAt, usize> = HashMap::new();
    for number in of_input {
        let latencies: Vec<Option<Latency>> = match configurations[number].latency() {
            None => vec![None],
            Some(latency) => Latency::of(latency).map(Some).collect(),
        };
        for latency in latencies {
            let mut group = Group {
                problem: problem(number),
                latency,
                configurations: vec![number],
                missing: 0,
                unit: TimeUnit::Seconds,
                best: None,
                best_of_full: None,
                smallest_near: None,
                areas: Areas::Known,
            };
            let at = *known.entry(group.compared_at()).or_insert(groups.len());
            match groups.get_mut(at) {
                None => groups.push(group),
                Some(same) => same.configurations.append(&mut group.configurations),
            }
        }
    }
    for group in &mut groups {
        find_best(group, configurations, settings);
    }
    groups
}

fn find_best(group: &mut Group, configurations: &[Row], settings: &[SweptSetting]) {
    let own = group.configurations.iter();
    let own: Vec<&Row> = own.map(|number| &configurations[*number]).collect();
    let unit = TimeUnit::of(&own);
    let known = group.configurations.iter().copied();
    let known = known.filter(|number| is_comparable(&configurations[*number], unit));
    let areas = Areas::of(known.clone().map(|number| &configurations[number]));
    let fastest = |numbers: &mut dyn Iterator<Item = usize>| {
        numbers.min_by(|one, other| {
            let (one, other) = (&configurations[*one], &configurations[*other]);
            let [t, u] = [one, other].map(|row| unit.time(row).unwrap_or(f64::INFINITY));
            t.total_cmp(&u)
                .then_with(|| full_first(one, other, (settings, areas)))
        })
    };
    let best = fastest(&mut known.clone());
    let is_full = |number: &usize| !configurations[*number].is_lower_bound();
    let best_of_full = fastest(&mut known.clone().filter(is_full));
    let time = |number: usize| unit.time(&configurations[number]);
    let least = best.and_then(time).unwrap_or(0.0);
    let near = known.filter(|number| time(*number).is_some_and(|time| time <= HARDLY * least));
    let smallest = near.min_by(|one, other| {
        let order = by_size(
            &configurations[*one],
            &configurations[*other],
            (settings, areas),
        );
        order.then_with(|| {
            time(*one)
                .unwrap_or(0.0)
                .total_cmp(&time(*other).unwrap_or(0.0))
        })
    });
    group.smallest_near = smallest.filter(|smallest| Some(*smallest) != best);
    (group.unit, group.best, group.best_of_full) = (unit, best, best_of_full);
    group.areas = areas;
}

/// Whether it says how long something takes: a source that runs nothing takes no time on any machine.
fn is_comparable(row: &Row, unit: TimeUnit) -> bool {
    unit.time(row)
        .is_some_and(|time| time > 0.0 || !row.is(RowKind::Program))
}

/// Which of two configurations takes less: the smaller area, where areas are known; then less cache in fewer levels, fewer
/// slots, and smaller parameters that are chosen.
pub fn by_size(one: &Row, other: &Row, (settings, areas): (&[SweptSetting], Areas)) -> Ordering {
    let key = |row: &Row| -> Vec<f64> {
        let size = |column| row.number(column).unwrap_or(0.0);
        let caches = row.text(Column::Caches).unwrap_or_default();
        let chosen = settings.iter().enumerate();
        let chosen = chosen.filter(|(_, setting)| setting.role.is_choice());
        let chosen = chosen.filter_map(|(position, _)| row.setting(position));
        let area = match areas {
            Areas::Known => area(row),
            Areas::OfSome => 0.0,
        };
        [
            area,
            size(Column::LastCacheBytes),
            caches.split(" + ").count() as f64,
            size(Column::FirstCacheBytes),
            size(Column::Slots),
        ]
        .into_iter()
        .chain(chosen)
        .collect()
    };
    let (one, other) = (key(one), key(other));
    let pairs = one.iter().zip(&other);
    let orders = pairs.map(|(one, other)| one.total_cmp(other));
    orders.fold(Ordering::Equal, Ordering::then)
}

/// What is a full estimate, and of those what takes less.
pub fn full_first(one: &Row, other: &Row, (settings, areas): (&[SweptSetting], Areas)) -> Ordering {
    let [first, second] = [one, other].map(Row::is_lower_bound);
    first
        .cmp(&second)
        .then_with(|| by_size(one, other, (settings, areas)))
}

/// A configuration without an area comes behind those that have one.
pub(crate) fn area(row: &Row) -> f64 {
    row.number(Column::AreaMm2).unwrap_or(f64::INFINITY)
}
