//! Configurations by input, problem and latency, and which of them is the best.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use crate::columns::Column;
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
    /// What the program is given: parameters that are not chosen, by position, with their values.
    pub problem: Vec<(usize, f64)>,
    /// None for sources, whose machines have theirs.
    pub latency: Option<Latency>,
    /// Positions, in the order of the plan.
    pub configurations: Vec<usize>,
    /// The position of the fastest; of equal ones that which takes less ([`by_size`]). None if no time is known, or nothing runs.
    pub best: Option<usize>,
    /// The fastest of those whose times are no lower bounds only, since their machines say all that would bound them.
    pub best_of_full: Option<usize>,
}

/// A latency of memory that configurations have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Latency {
    /// Of every machine.
    Cycles(f64),
    /// Every machine has its own.
    OfMachine,
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Latency::Cycles(cycles) => write!(f, "a latency of {cycles} cycles"),
            Latency::OfMachine => f.write_str("the latency of each machine"),
        }
    }
}

/// What configurations are compared by.
pub fn time(row: &Row) -> Option<f64> {
    row.number(Column::TimeSeconds)
}

/// The configurations of every input.
pub(crate) fn inputs(configurations: &[Row], settings: &[SweptSetting]) -> Vec<InputPart> {
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
    for input in &mut inputs {
        input.groups = groups(input.configurations.clone(), configurations, settings);
    }
    inputs
}

/// The configurations of one input by problem and latency, in the order of the plan.
fn groups(
    of_input: std::ops::Range<usize>,
    configurations: &[Row],
    settings: &[SweptSetting],
) -> Vec<Group> {
    let cycles = |number: usize| configurations[number].number(Column::LatencyCycles);
    let mut by_machine: BTreeMap<&str, HashSet<u64>> = BTreeMap::new();
    for number in of_input.clone() {
        let machine = configurations[number]
            .text(Column::Machine)
            .unwrap_or_default();
        let known = by_machine.entry(machine).or_default();
        known.extend(cycles(number).map(f64::to_bits));
    }
    let is_of_all = |cycles: f64| {
        let mut all = by_machine.values();
        all.all(|known| known.contains(&cycles.to_bits()))
    };
    let given = settings.iter().enumerate();
    let given: Vec<usize> = given
        .filter(|(_, setting)| !setting.role.is_choice())
        .map(|(position, _)| position)
        .collect();
    let problem = |number: usize| -> Vec<(usize, f64)> {
        let row = &configurations[number];
        let value = |position: &usize| Some((*position, row.setting(*position)?));
        given.iter().filter_map(value).collect()
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<(Vec<u64>, Option<u64>), usize> = HashMap::new();
    for number in of_input {
        let latency = cycles(number).map(|cycles| match is_of_all(cycles) {
            true => Latency::Cycles(cycles),
            false => Latency::OfMachine,
        });
        let problem = problem(number);
        let bits = problem.iter().map(|(_, value)| value.to_bits()).collect();
        let key = latency.map(|latency| match latency {
            Latency::Cycles(cycles) => cycles.to_bits(),
            Latency::OfMachine => u64::MAX,
        });
        let at = *known.entry((bits, key)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group {
                problem,
                latency,
                configurations: Vec::new(),
                best: None,
                best_of_full: None,
            });
        }
        groups[at].configurations.push(number);
    }
    for group in &mut groups {
        let known = group.configurations.iter().copied();
        let known = known.filter(|number| is_comparable(&configurations[*number]));
        let fastest = |numbers: &mut dyn Iterator<Item = usize>| {
            numbers.min_by(|one, other| {
                let (one, other) = (&configurations[*one], &configurations[*other]);
                let [t, u] = [one, other].map(|row| time(row).unwrap_or(f64::INFINITY));
                t.total_cmp(&u).then_with(|| by_size(one, other, settings))
            })
        };
        group.best = fastest(&mut known.clone());
        let is_full = |number: &usize| !configurations[*number].is_lower_bound();
        group.best_of_full = fastest(&mut known.filter(is_full));
    }
    groups
}

/// Whether it says how long something takes: a source that runs nothing takes no time on any machine.
fn is_comparable(row: &Row) -> bool {
    time(row).is_some_and(|time| time > 0.0 || !row.is(RowKind::Program))
}

/// Which of two configurations takes less: the smaller area, one that is known first; then less cache in fewer levels, fewer
/// slots, and smaller parameters that are chosen.
pub fn by_size(one: &Row, other: &Row, settings: &[SweptSetting]) -> Ordering {
    let key = |row: &Row| -> Vec<f64> {
        let size = |column| row.number(column).unwrap_or(0.0);
        let caches = row.text(Column::Caches).unwrap_or_default();
        let chosen = settings.iter().enumerate();
        let chosen = chosen.filter(|(_, setting)| setting.role.is_choice());
        let chosen = chosen.filter_map(|(position, _)| row.setting(position));
        [
            area(row),
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

/// A configuration without an area comes behind those that have one.
pub(crate) fn area(row: &Row) -> f64 {
    row.number(Column::AreaMm2).unwrap_or(f64::INFINITY)
}
