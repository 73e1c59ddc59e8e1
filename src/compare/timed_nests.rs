//! Which nests measured times belong to: that around a line, or those of a function.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::inlined;
use super::places::{Place, Places, is_function};
use super::timings::{Region, Timing};
use crate::model::Model;
use crate::model::measured::{Amounts, Measurement, Measurements, NotJoined, UnjoinedTime};
use crate::report::StaticReport;

/// Joins the rows of tables, each with the name of its table, to the nests of a model; `report` is the model's. Rows of
/// one nest add up. A function that was measured as a whole has one measurement for all of its nests.
pub fn measurements(model: &Model, report: &StaticReport, rows: &[(&str, Timing)]) -> Measurements {
    let files = rows.iter().filter_map(|(_, row)| match &row.region {
        Region::Line { file, .. } => Some(file.as_str()),
        Region::Function { file, .. } => file.as_deref(),
    });
    let places = Places::of_program(report, files);
    let in_place = model.nests_of_bodies_in_place();
    let whole = Whole {
        model,
        report,
        places,
        in_place,
    };
    let mut by_nest: BTreeMap<usize, Amounts> = BTreeMap::new();
    let mut by_function: BTreeMap<usize, Vec<&(&str, Timing)>> = BTreeMap::new();
    let mut unjoined = Vec::new();
    for row in rows {
        match whole.owner(&row.1.region) {
            Ok(Owner::Nest(nest)) => add(by_nest.entry(nest), row.1.amounts),
            Ok(Owner::Function(function)) => by_function.entry(function).or_default().push(row),
            Err(reason) => unjoined.push(left(row, reason)),
        }
    }
    let by_line: BTreeSet<usize> = by_nest
        .keys()
        .map(|nest| model.nests[*nest].nest.function)
        .collect();
    let mut joined: Vec<Measurement> = by_nest
        .into_iter()
        .map(|(nest, amounts)| Measurement {
            nests: vec![nest],
            amounts,
        })
        .collect();
    let (also_by_line, by_function): (BTreeMap<_, _>, BTreeMap<_, _>) =
        (by_function.into_iter()).partition(|(function, _)| by_line.contains(function));
    for rows in also_by_line.values() {
        unjoined.extend(rows.iter().map(|row| left(row, NotJoined::AlsoByLine)));
    }
    let measured: BTreeSet<usize> = by_line.iter().chain(by_function.keys()).copied().collect();
    let (together, inlined) = inlined::with_callers(model, &measured, by_function.keys().copied());
    for (function, rows) in by_function {
        let is_own = |nest: &usize| {
            let of = model.nests[*nest].nest.function;
            of == function || together.get(&of) == Some(&function)
        };
        let nests = (0..model.nests.len()).filter(is_own).collect();
        let amounts = rows.iter().map(|row| row.1.amounts).reduce(sum);
        joined.extend(amounts.map(|amounts| Measurement { nests, amounts }));
    }
    unjoined.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    Measurements {
        joined,
        unjoined,
        inlined,
    }
}

/// What a measured time is of.
enum Owner {
    /// By index in the model.
    Nest(usize),
    Function(usize),
}

/// The nests that times may belong to.
struct Whole<'m, 'p, 'r> {
    model: &'m Model<'p>,
    report: &'r StaticReport,
    places: Places<'r>,
    in_place: BTreeMap<&'p str, Option<usize>>,
}

impl Whole<'_, '_, '_> {
    fn owner(&self, region: &Region) -> Result<Owner, NotJoined> {
        let Whole {
            model,
            report,
            places,
            ..
        } = self;
        match region {
            Region::Line {
                file,
                line,
                function,
            } => {
                let around: Vec<&str> = function.iter().map(String::as_str).collect();
                let found = match places.find(file, *line, &around) {
                    Place::Loop(found) => found,
                    Place::NoLoop(function) => {
                        let function = function.ok_or(NotJoined::OutsideLoops)?;
                        return self.caller(function, NotJoined::OutsideLoops);
                    }
                    Place::UnknownFile => return Err(NotJoined::UnknownFile),
                    Place::Ambiguous => return Err(NotJoined::AmbiguousFile),
                };
                let target = &places.targets()[places.target(found)];
                let nest = target
                    .nest
                    .and_then(|nest| model.nest_of(target.function, nest));
                nest.map(Owner::Nest).ok_or(NotJoined::SeveralNests)
            }
            Region::Function { name, file } => {
                let file = match file.as_deref() {
                    Some(file) => Some(places.file_of_report(file).ok_or(NotJoined::UnknownFile)?),
                    None => None,
                };
                let function = named(report, name, file)?;
                match report.functions[function].nests.is_empty() {
                    true => self.caller(&report.functions[function].name, NotJoined::NoNests),
                    false => Ok(Owner::Function(function)),
                }
            }
        }
    }

    /// The nest that does the work of a function without loops, whose body stands in place of its calls, or that of another one
    /// outside its loops.
    fn caller(&self, function: &str, otherwise: NotJoined) -> Result<Owner, NotJoined> {
        let named = (self.report.functions.iter()).filter(|known| known.name == function);
        let mut named = named.take(2);
        let is_known = named.next().is_some();
        match self.in_place.get(function) {
            Some(nest) if is_known && named.next().is_none() => {
                nest.map(Owner::Nest).ok_or(NotJoined::InSeveralNests)
            }
            _ => Err(otherwise),
        }
    }
}

/// The function of the report with this name, which compilers may have changed; in one file, if that is given.
fn named(report: &StaticReport, name: &str, file: Option<&str>) -> Result<usize, NotJoined> {
    let functions = report.functions.iter().enumerate();
    let fits = functions.filter(|(_, function)| {
        file.is_none_or(|file| function.file == file) && is_function(name, &function.name)
    });
    let found: Vec<usize> = fits.map(|(index, _)| index).collect();
    let is_exact = |index: &usize| report.functions[*index].name == name;
    let exact: Vec<usize> = found.iter().copied().filter(is_exact).collect();
    match (&found[..], &exact[..]) {
        ([], _) => Err(NotJoined::UnknownFunction),
        ([one], _) | (_, [one]) => Ok(*one),
        _ => Err(NotJoined::AmbiguousFunction),
    }
}

fn add(entry: Entry<usize, Amounts>, amounts: Amounts) {
    entry
        .and_modify(|known| *known = sum(*known, amounts))
        .or_insert(amounts);
}

/// Of both together; bytes and operations where both have them.
fn sum(one: Amounts, other: Amounts) -> Amounts {
    let both = |one: Option<f64>, other: Option<f64>| Some(one? + other?);
    Amounts {
        seconds: one.seconds + other.seconds,
        bytes: both(one.bytes, other.bytes),
        flops: both(one.flops, other.flops),
    }
}

fn left((table, row): &(&str, Timing), reason: NotJoined) -> UnjoinedTime {
    UnjoinedTime {
        what: match &row.region {
            Region::Line { file, line, .. } => format!("{file}:{line}"),
            Region::Function { name, .. } => name.clone(),
        },
        place: format!("{table}:{}", row.row),
        seconds: row.amounts.seconds,
        reason,
    }
}
