//! What is said of an input: which values it may have, what it is for, where its value comes from.

use std::collections::HashMap;

use crate::analysis::facts::Origin;
use crate::machine::MachineParameter;
use crate::machine::parameters::ParameterKind;
use crate::model::Model;
use crate::model::advice::words;
use crate::model::influence::{Influences, Standing};
use crate::model::parameters::{Kind, Row};
use crate::quantity::significant;

/// Allowed values in words.
pub(crate) fn allowed(parameter: &MachineParameter) -> String {
    let (least, most) = parameter.range;
    match parameter.kind {
        ParameterKind::Switch => "0 or 1".to_string(),
        ParameterKind::Real => format!("{} to {}", short(least), short(most)),
        ParameterKind::Integer | ParameterKind::Size => {
            format!("{} to {}, whole", short(least), short(most))
        }
    }
}

/// Powers of ten for what has many digits.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// What a parameter is for, in words.
pub(crate) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Block => "block size",
        Kind::Problem | Kind::Real | Kind::Processes | Kind::Neighbours => "problem",
        Kind::TripCount => "trip count",
        Kind::Probability => "probability",
    }
}

/// The parameters, each with its position in the model and what it is to a run, in an order that edits of values do not
/// change: sizes of blocks, what the program is given, how often loops run and branches are taken, what follows from others,
/// what data are apart, and what no calls from where a run begins lead to.
pub(crate) fn ordered<'m>(
    model: &'m Model,
    influences: &Influences<'m>,
) -> Vec<(usize, &'m Row, Option<Standing>)> {
    let standings = influences.all.iter();
    let standings: HashMap<&str, Option<Standing>> = standings
        .map(|found| (found.row.name.as_str(), found.standing))
        .collect();
    let standing = |row: &Row| standings.get(row.name.as_str()).copied().flatten();
    let rows = model.parameters.rows().iter().enumerate();
    let mut rows: Vec<(usize, &Row, Option<Standing>)> =
        rows.map(|(at, row)| (at, row, standing(row))).collect();
    rows.sort_by_key(|(_, row, standing)| {
        let group = Group::of(row.kind, *standing);
        (group != Group::Blocks, group)
    });
    rows
}

/// What inputs are listed together, in the order of a page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Given,
    TripCounts,
    Probabilities,
    Blocks,
    Following,
    OfData,
    Unreached,
}

impl Group {
    pub(crate) fn of(kind: Kind, standing: Option<Standing>) -> Group {
        match standing {
            Some(Standing::Root | Standing::Minor) => Group::Given,
            Some(Standing::OfData) => Group::OfData,
            Some(Standing::Unreached) => Group::Unreached,
            None => match kind {
                Kind::TripCount => Group::TripCounts,
                Kind::Probability => Group::Probabilities,
                Kind::Block => Group::Blocks,
                Kind::Problem | Kind::Real | Kind::Processes | Kind::Neighbours => Group::Following,
            },
        }
    }
}

/// What a parameter is for, in words, with why it is no root though the program is given it.
pub(crate) fn kind_of_given(kind: Kind, standing: Option<Standing>) -> &'static str {
    match standing {
        Some(Standing::OfData) => "place of data",
        Some(Standing::Unreached) => "not reached",
        Some(Standing::Root | Standing::Minor) | None => self::kind(kind),
    }
}

/// Of which nests' time what rests on parameters has its share, where a model is without some.
pub(crate) fn of_listed(model: &Model) -> &'static str {
    model.left_out.map_or("", |_| " of the listed nests")
}

/// How many guessed sizes are not in the share of the time that rests on guesses, in a sentence; nothing if none is.
pub(crate) fn idle_guesses(influences: &Influences) -> Option<String> {
    match influences.idle_guesses {
        0 => None,
        1 => Some("1 guessed size matters only in functions that are never called".to_string()),
        count => Some(format!(
            "{count} guessed sizes matter only in functions that are never called"
        )),
    }
}

/// The value of a parameter; probabilities that are long numbers are rounded.
pub(crate) fn short_value(row: &Row) -> String {
    match (row.kind, row.value.to_string()) {
        (Kind::Probability, text) if text.len() > 6 => significant(row.value),
        (_, text) => text,
    }
}

/// Where the value of a parameter comes from, in words.
pub(crate) fn origin_of(row: &Row) -> String {
    let decides = row.decides().then(|| DECIDES.to_string());
    let parts = [
        Some(origin(row.origin).to_string()),
        own_choice(row),
        decides,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ")
}

/// What is to be said of a size on which it depends which assignments are made.
pub(crate) const DECIDES: &str = "may decide which assignments are made, which only --set follows";

/// That a guess is one of several numbers that the program has.
pub(crate) fn own_choice(row: &Row) -> Option<String> {
    let choices: Vec<String> = row.choices.iter().map(f64::to_string).collect();
    match &choices[..] {
        _ if !row.is_guessed() => None,
        [] => None,
        [own] => Some(format!("guessed (default: {own})")),
        several => Some(format!(
            "guessed: the largest of its own {}",
            words::list(several)
        )),
    }
}

/// Where a value comes from, in words.
pub(crate) fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Constant => "constant of the source",
        Origin::Macro => "macro",
        Origin::Assigned => "assigned once, outside loops",
        Origin::Derived => "follows from other values of the program",
        Origin::Initial => "initial value",
        Origin::Given => "read from outside the program",
        Origin::Alone => "as on one process that runs alone",
        Origin::Words => "as few words on the command line as the program runs with",
        Origin::Assumed => "nothing is assumed to go wrong",
        Origin::Input => "read from the program's input",
        Origin::Caller => "what every call passes",
        Origin::Callers => "the largest of different values from calls or statements",
        Origin::Default => "default: the source gives no value",
        Origin::Set => "set with --set",
        Origin::Config => "loopsheet.toml",
        Origin::Traced => "taken from a run",
        Origin::Counted => "counted in native runs",
        Origin::CountedMean => "average over several calls, assumed the same in each",
    }
}
