//! What the figures of a program rest on: sizes, probabilities and trip counts by influence, as table, JSON and TOML.

use std::collections::HashMap;
use std::fmt::Write;

use indexmap::IndexMap;
use serde::Serialize;

use super::columns::{self, Align};
use super::listings::inputs;
use super::table::Screen;
use crate::analysis::facts::{Block, Item, Origin, Program};
use crate::model::Model;
use crate::model::influence::{FELT, Influence, Standing, influence};
use crate::model::parameters::{Kind, ValueSource};

/// Conditions of branches by the name of their probability, with their places.
type Conditions = HashMap<String, (String, String)>;

fn conditions(program: &Program) -> Conditions {
    let mut found = HashMap::new();
    for function in &program.functions {
        gather(&function.body, &function.file, &mut found);
    }
    found
}

fn gather(block: &Block, file: &str, found: &mut Conditions) {
    for item in &block.items {
        match item {
            Item::Loop(inner) => gather(&inner.body, &inner.file, found),
            Item::Branch(branch) => {
                let place = format!("{file}:{}", branch.line);
                let name = branch.probability.name().to_string();
                found.insert(name, (branch.condition.clone(), place));
                gather(&branch.then, file, found);
                if let Some(otherwise) = &branch.otherwise {
                    gather(otherwise, file, found);
                }
            }
        }
    }
}

/// One parameter in JSON.
#[derive(Serialize)]
struct Parameter {
    value: f64,
    #[serde(rename = "origin")]
    source: ValueSource,
    #[serde(rename = "detail")]
    origin: Origin,
    kind: Kind,
    /// Whether it is what the program is given, and time to speak of rests on it.
    root: bool,
    /// What it is to a run, if the program is given it.
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<Standing>,
    guessed: bool,
    /// Share of the estimated time of all nests in those that depend on it.
    influence: f64,
    source_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    functions: Vec<String>,
    /// Whether another value may let the program make other assignments.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    decides_assignments: bool,
}

#[derive(Serialize)]
struct Report {
    schema: &'static str,
    /// By influence.
    parameters: IndexMap<String, Parameter>,
}

/// All parameters as JSON, schema `loopsheet/parameters/1`.
///
/// # Errors
/// As for `serde_json`.
pub fn json(model: &Model) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(&report(model))?;
    text.push('\n');
    Ok(text)
}

fn report(model: &Model) -> Report {
    let (all, conditions) = (influence(model).all, conditions(model.program));
    let parameter = |parameter: &Influence| {
        let row = parameter.row;
        let branch = conditions.get(&row.symbol);
        let report = Parameter {
            value: row.value,
            source: row.value_source(),
            origin: row.origin,
            kind: row.kind,
            root: parameter.is_root(),
            given: parameter.standing,
            guessed: parameter.row.is_guessed(),
            influence: parameter.share,
            source_name: row.label.clone(),
            definition: row.definition.as_ref().map(ToString::to_string),
            condition: branch.map(|(condition, _)| condition.clone()),
            place: row
                .place
                .clone()
                .or_else(|| branch.map(|(_, place)| place.clone())),
            functions: row.functions.clone(),
            decides_assignments: row.decides(),
        };
        (row.name.clone(), report)
    };
    Report {
        schema: "loopsheet/parameters/1",
        parameters: all.iter().map(parameter).collect(),
    }
}

/// A group of parameters in the table and the file.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    Given(Standing),
    Probabilities,
    TripCounts,
    Others,
}

impl Group {
    const ALL: [Group; 7] = [
        Group::Given(Standing::Root),
        Group::Probabilities,
        Group::TripCounts,
        Group::Given(Standing::Minor),
        Group::Given(Standing::OfData),
        Group::Given(Standing::Unreached),
        Group::Others,
    ];

    fn of(parameter: &Influence) -> Group {
        match (parameter.row.kind, parameter.standing) {
            (Kind::Probability, _) => Group::Probabilities,
            (Kind::TripCount, _) => Group::TripCounts,
            (_, Some(standing)) => Group::Given(standing),
            (_, None) => Group::Others,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Group::Given(Standing::Root) => "Program inputs",
            Group::Given(Standing::Minor) => {
                "The same, with less than 0.1 % of the time depending on it"
            }
            Group::Given(Standing::OfData) => "Data whose layout is unknown",
            Group::Given(Standing::Unreached) => "Sizes of unreachable code",
            Group::Probabilities => "Probabilities of branches",
            Group::TripCounts => "Trip counts of loops whose bounds do not give one",
            Group::Others => "Given by the source, and what follows from it",
        }
    }
}

fn origin(parameter: &Influence) -> String {
    let row = parameter.row;
    let origin = match (row.origin, &row.definition) {
        (Origin::Default, _) => "guessed".to_string(),
        (Origin::Given, None) => match inputs::own_choice(row) {
            Some(choice) => format!("read by the program; {choice}"),
            None => "read by the program; guessed".to_string(),
        },
        (Origin::Given, Some(_)) => "read by the program; its own default".to_string(),
        (_, Some(value)) if value.as_number().is_none() => format!("= {value}"),
        (origin, _) => inputs::origin(origin).to_string(),
    };
    match row.decides() {
        true => format!("{origin}; {}", inputs::DECIDES),
        false => origin,
    }
}

/// The parameters by influence; those that hardly anything rests on, and what follows from others, only with `shows_all`.
pub fn table(model: &Model, shows_all: bool, screen: Screen) -> String {
    let (all, conditions) = (influence(model).all, conditions(model.program));
    let mut text = String::new();
    for group in Group::ALL {
        let members = all.iter().filter(|parameter| Group::of(parameter) == group);
        let members: Vec<&Influence> = members.collect();
        let shown: Vec<&&Influence> = members
            .iter()
            .filter(|parameter| shows_all || parameter.share >= FELT)
            .filter(|_| shows_all || group != Group::Others)
            .collect();
        if !shown.is_empty() {
            let mut rows =
                vec![["name", "value", "share of time", "where it comes from"].map(String::from)];
            rows.extend(shown.iter().map(|parameter| {
                let row = parameter.row;
                let from = match conditions.get(&row.symbol) {
                    Some((condition, place)) => {
                        let guessed = if row.is_guessed() { "guessed: " } else { "" };
                        format!("{guessed}if ({condition})  {place}")
                    }
                    None => match &row.place {
                        Some(place) => format!("{}  {place}", origin(parameter)),
                        None => origin(parameter),
                    },
                };
                let share = format!("{:.1} %", 100.0 * parameter.share);
                [row.name.clone(), row.value.to_string(), share, from]
            }));
            columns::shorten(&mut rows, screen.width, &[3, 0]);
            use Align::{Left, Right};
            let table = columns::aligned(&rows, [Left, Right, Right, Left]);
            let _ = writeln!(text, "{}\n\n{table}", group.title());
        }
        let left = members.len() - shown.len();
        if left > 0 {
            let _ = writeln!(text, "{}: {left} more with --all\n", group.title());
        }
    }
    text
}

/// The parameters that a person may set, as `loopsheet.toml` has them.
pub fn toml(model: &Model) -> String {
    let (all, conditions) = (influence(model).all, conditions(model.program));
    let mut text = String::from(
        "# What the figures of this program depend on, by influence. Values that are only guessed are commented out:\n\
         # remove the # of a line once its value is right. Delete a line, and the value is again the one that follows\n\
         # from the source.\n",
    );
    for (group, head) in [
        (Group::Given(Standing::Root), "\n[sizes]\n"),
        (Group::TripCounts, ""),
        (Group::Given(Standing::Minor), ""),
        (
            Group::Given(Standing::OfData),
            "\n# Data whose layout is unknown.\n",
        ),
        (Group::Probabilities, "\n[probabilities]\n"),
    ] {
        let members = all.iter().filter(|parameter| Group::of(parameter) == group);
        let members: Vec<&Influence> = members.filter(|p| p.share > 0.0).collect();
        if group != Group::Given(Standing::OfData) || !members.is_empty() {
            text.push_str(head);
        }
        for parameter in members {
            let row = parameter.row;
            let about = match conditions.get(&row.symbol) {
                Some((condition, place)) => {
                    format!("if ({}), {place}", condition.replace('\n', " "))
                }
                None => origin(parameter),
            };
            let share = 100.0 * parameter.share;
            let off = if row.is_guessed() { "# " } else { "" };
            let _ = writeln!(
                text,
                "{off}\"{}\" = {}  # {about}; {share:.1} % of the time",
                row.name, row.value
            );
        }
    }
    text
}
