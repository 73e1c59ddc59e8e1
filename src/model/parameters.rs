//! The problem's parameters: every symbol that the model's formulas mention, under a name that is at
//! once the workbook's defined name and what `--set` takes (guide: sizes, "How to set a size").

mod apply;
mod effect;
mod evaluation;
mod names;
mod once;
mod shared;
mod usage;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

pub use effect::SettingRemark;
use names::Names;
use serde::{Deserialize, Serialize};
use shared::{Class, Classes};
use usage::Usage;

use super::calls::CallGraph;
use super::dimension_name;
use super::messages::MessageSite;
use super::nest::Nest;
use crate::analysis::facts::{Constant, Function, Origin, Place, Program};
use crate::analysis::guesses;
use crate::expr::spreadsheet::legal_name;
use crate::expr::{Expr, Node, Symbol, SymbolKind};
use crate::machine::{MachineError, MachineModel};

/// `--set name=value`, or the same from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    pub value: String,
    /// Who says so.
    pub origin: Origin,
}

impl Setting {
    /// What the user set.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Setting {
        Setting {
            name: name.into(),
            value: value.into(),
            origin: Origin::Set,
        }
    }

    /// Whether it sets that parameter of the machine.
    pub fn is_of_machine(&self, name: &str) -> bool {
        self.name.strip_prefix(OF_MACHINE).unwrap_or(&self.name) == name
    }
}

/// What is wrong with a setting.
#[derive(Debug)]
pub enum SettingError {
    Unknown {
        name: String,
        /// The functions that call a constant so, which no figure depends on.
        constant_of: Vec<String>,
        near: Vec<String>,
        /// The parameters that others follow from, where that is known.
        roots: Vec<String>,
    },
    BadValue {
        name: String,
        value: String,
        why: &'static str,
    },
    Machine {
        name: String,
        value: String,
        why: Box<MachineError>,
    },
}

/// What a parameter of the machine may be called, so that nothing else can be meant: `machine.cores`.
const OF_MACHINE: &str = "machine.";

/// A setting whose name is both that of a parameter of the machine, which it sets, and of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguous {
    pub name: String,
    /// What the source's parameters are called.
    pub of_source: Vec<String>,
}

impl fmt::Display for Ambiguous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ambiguous { name, of_source } = self;
        write!(
            f,
            "--set {name} sets the parameter of the machine, but the source has a variable of that name, too: for the machine \
             write --set {OF_MACHINE}{name}=…, for the source --set {}=…",
            of_source.join("=… or --set ")
        )
    }
}

impl SettingError {
    /// The name that was set.
    pub fn setting(&self) -> &str {
        match self {
            SettingError::Unknown { name, .. }
            | SettingError::BadValue { name, .. }
            | SettingError::Machine { name, .. } => name,
        }
    }

    /// The same, with what sets it in place of the option of the command line.
    pub fn said_of(&self, setter: &str) -> String {
        match self {
            SettingError::Unknown {
                name,
                constant_of,
                near,
                roots,
            } => {
                let remarks = [
                    listed("no figure depends on the constant of", constant_of),
                    listed("near ones are", near),
                    listed("the roots are", roots),
                ];
                let remarks = match remarks.concat() {
                    none if none.is_empty() => {
                        "; `loopsheet parameters` lists those that there are".to_string()
                    }
                    some => some,
                };
                format!("{setter}{name}: there is no parameter of that name{remarks}")
            }
            SettingError::BadValue { name, value, why } => format!("{setter}{name}={value}: {why}"),
            SettingError::Machine { name, value, why } => format!("{setter}{name}={value}: {why}"),
        }
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said_of("--set "))
    }
}

impl std::error::Error for SettingError {}

fn listed(what: &str, names: &[String]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!("; {what} {}", names.join(", "))
    }
}

/// What a parameter is for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Iterations of a block of the x, y, z … loop; 0 is not blocked.
    Block,
    /// A symbol of the source, or a length that nothing gives.
    #[default]
    Problem,
    /// A real number of the source, from which sizes follow.
    Real,
    /// The number of processes, of which there is at least one.
    Processes,
    /// The processes that one exchanges cells with.
    Neighbours,
    /// How often a loop of unknown trip count runs.
    TripCount,
    /// How often a branch is taken.
    Probability,
}

impl Kind {
    fn of(symbol: &Symbol) -> Kind {
        match symbol.kind() {
            SymbolKind::Block => Kind::Block,
            SymbolKind::TripCount => Kind::TripCount,
            SymbolKind::Probability => Kind::Probability,
            SymbolKind::Processes => Kind::Processes,
            SymbolKind::Neighbours => Kind::Neighbours,
            SymbolKind::Source
            | SymbolKind::Place
            | SymbolKind::Stride
            | SymbolKind::Packed
            | SymbolKind::Start
            | SymbolKind::Earlier
            | SymbolKind::Held
            | SymbolKind::MessageSize
            | SymbolKind::Machine => Kind::Problem,
        }
    }
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Defined name.
    pub name: String,
    /// As the source writes it, with its function if the row is for one function only. No two rows of one function have
    /// the same: what no source names gives way to what one does.
    pub label: String,
    /// As the source writes it, without a function.
    pub symbol: String,
    pub kind: Kind,
    pub stands_for: SymbolKind,
    pub value: f64,
    /// The value as an expression over other parameters, where the source defines it so.
    pub definition: Option<Expr>,
    pub origin: Origin,
    /// Where it is declared, if that is known: file and line.
    pub place: Option<String>,
    /// The functions that mention it, in program order.
    pub functions: Vec<String>,
    /// Whether `N` is not `n`: all functions that mention it are C.
    pub is_case_sensitive: bool,
    /// Whether the value is guessed, or follows from one that is.
    pub rests_on_guess: bool,
    /// Several numbers of which the program gives it one where it is not told otherwise.
    pub choices: Vec<f64>,
    /// Whether it depends on it which assignments of the program are made: figures are those of the ones that its value
    /// lets happen, until it is set anew.
    pub decides_assignments: bool,
    /// Whether statements may give it another value than the one that is set.
    pub may_change: bool,
}

/// Where the value of a parameter comes from, in a word; [`Origin`] says it in detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueSource {
    /// The source says it: a constant, an initial value, what the program has unless its input says otherwise.
    Source,
    /// The input of a run, `--input`.
    Input,
    /// `loopsheet.toml`.
    Config,
    /// `--set`.
    Set,
    /// A recorded run.
    Traced,
    /// Counts of native runs.
    Counted,
    /// Other values.
    Derived,
    /// Nothing says it.
    Guessed,
}

impl Row {
    /// Where the value comes from, in a word.
    pub fn value_source(&self) -> ValueSource {
        let follows = self
            .definition
            .as_ref()
            .is_some_and(|value| value.as_number().is_none());
        match self.origin {
            Origin::Set => ValueSource::Set,
            Origin::Config => ValueSource::Config,
            Origin::Traced => ValueSource::Traced,
            Origin::Counted | Origin::CountedMean => ValueSource::Counted,
            Origin::Input => ValueSource::Input,
            Origin::Assumed => ValueSource::Guessed,
            _ if self.kind != Kind::Block && self.is_guessed() => ValueSource::Guessed,
            Origin::Derived | Origin::Callers => ValueSource::Derived,
            _ if follows => ValueSource::Derived,
            _ => ValueSource::Source,
        }
    }

    /// Whether it says how far data lie apart that nothing describes, or where they begin: no size of a run.
    pub fn is_of_data(&self) -> bool {
        matches!(
            self.stands_for,
            SymbolKind::Stride
                | SymbolKind::Packed
                | SymbolKind::Start
                | SymbolKind::Earlier
                | SymbolKind::Held
        )
    }

    /// Whether it is what the program is given: a size that the source gives no value, or reads, and that no other
    /// parameter defines.
    pub fn is_given(&self) -> bool {
        let is_size = matches!(
            self.kind,
            Kind::Problem | Kind::Real | Kind::Processes | Kind::Neighbours
        );
        let is_open = match self.origin {
            Origin::Given | Origin::Alone | Origin::Words | Origin::Input => true,
            Origin::Default
            | Origin::Assumed
            | Origin::Initial
            | Origin::Set
            | Origin::Config
            | Origin::Traced
            | Origin::Counted
            | Origin::CountedMean => {
                (self.definition.as_ref()).is_none_or(|value| value.as_number().is_some())
            }
            Origin::Constant
            | Origin::Macro
            | Origin::Assigned
            | Origin::Derived
            | Origin::Caller
            | Origin::Callers => false,
        };
        is_size && is_open
    }

    /// Whether another value of what the program is given may let it make other assignments, which formulas do not follow.
    pub fn decides(&self) -> bool {
        self.decides_assignments && self.is_given()
    }

    /// Whether it is the largest of several values, or is set and may get another.
    pub fn has_several(&self) -> bool {
        self.may_change || self.origin == Origin::Callers
    }

    /// Whether the source calls it so, whichever function or module it belongs to; or a workbook, as far as it can.
    fn is_called(&self, name: &str) -> bool {
        let is_same = |own: &str| match self.is_case_sensitive {
            true => own == name,
            false => own.eq_ignore_ascii_case(name),
        };
        is_same(&self.symbol) || is_same(&legal_name(&self.symbol))
    }

    /// Whether nothing says what its value is.
    pub fn is_guessed(&self) -> bool {
        match self.origin {
            Origin::Default => true,
            Origin::Given => self.definition.is_none(),
            _ => false,
        }
    }
}

/// All parameters of a model.
#[derive(Clone, Debug, Default)]
pub struct ParameterTable {
    rows: Vec<Row>,
    /// (function index, symbol) to row.
    resolved: HashMap<(usize, Symbol), usize>,
    /// Places of the program to rows.
    places: HashMap<Symbol, usize>,
    /// Constants of functions that no figure depends on.
    unmentioned: BTreeMap<String, BTreeSet<String>>,
    /// Symbols that no source names, where one has the same name for something else: what they are called instead.
    renamed: HashMap<Symbol, Symbol>,
    /// The rows of what settings set whose names the program gives to variables, by name.
    set: BTreeMap<String, Vec<usize>>,
    /// The rows that each setting of the source gave a value.
    applied: BTreeMap<String, Vec<usize>>,
    /// What settings say of names that only conditions ask for, which have no row.
    decided_by: BTreeMap<String, f64>,
    /// The rows that figures depend on.
    used: BTreeSet<usize>,
}

/// Value of a symbol that nothing gives a value.
pub const DEFAULT_SIZE: f64 = guesses::NOMINAL;
/// Value of a symbol that only ever is the start of a range, or a step.
pub const DEFAULT_ORIGIN: f64 = guesses::BEGINNING;
/// Neighbours of a process in a topology that nothing is known of: the faces of a box.
pub const DEFAULT_NEIGHBOURS: f64 = 6.0;
/// Probability of a branch that nothing is known of.
pub const DEFAULT_PROBABILITY: f64 = 0.5;

impl ParameterTable {
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a symbol of a function.
    pub fn row(&self, function: usize, symbol: &Symbol) -> Option<&Row> {
        self.row_of(function, symbol).map(|row| &self.rows[row])
    }

    fn row_of(&self, function: usize, symbol: &Symbol) -> Option<usize> {
        match symbol.kind() {
            SymbolKind::Place => self.places.get(symbol).copied(),
            _ => self.resolved.get(&(function, symbol.clone())).copied(),
        }
    }

    /// The parameter that a symbol of a function stands for.
    pub fn symbol(&self, function: usize, symbol: &Symbol) -> Expr {
        Expr::from(match self.row(function, symbol) {
            Some(row) => symbol.renamed(&row.name),
            None => symbol.clone(),
        })
    }

    /// An expression of a function as text, in which no two symbols have the same name.
    pub fn text(&self, expr: &Expr) -> String {
        match self.renamed.is_empty() {
            true => expr.to_string(),
            false => expr
                .substitute(&|symbol| self.renamed.get(symbol).cloned().map(Expr::from))
                .to_string(),
        }
    }

    /// An expression of a function over defined names.
    pub fn resolve(&self, function: usize, expr: &Expr) -> Expr {
        expr.substitute(&|symbol| Some(self.symbol(function, symbol)))
    }

    /// The same, if all of its symbols are parameters.
    pub fn resolved(&self, function: usize, expr: &Expr) -> Option<Expr> {
        let mut symbols = expr.symbols().into_iter();
        (symbols.all(|symbol| self.row(function, &symbol).is_some()))
            .then(|| self.resolve(function, expr))
    }

    /// The rows by which loops of some nests begin, end and go on, and those from which their values follow.
    pub fn of_loops<'n>(&self, nests: impl Iterator<Item = &'n Nest<'n>>) -> BTreeSet<usize> {
        let mut found: BTreeSet<(usize, Symbol)> = BTreeSet::new();
        for nest in nests {
            for facts in nest.loops.iter().map(|chain| chain.facts) {
                let bounds = [&facts.lower, &facts.upper, &facts.step];
                let symbols = bounds.into_iter().flat_map(Expr::symbols);
                found.extend(symbols.map(|symbol| (nest.function, symbol)));
            }
        }
        self.behind(found.iter().map(|(function, symbol)| (*function, symbol)))
    }

    /// The same parameters with no size of loops, [`of_loops`](Self::of_loops), above `most`; what follows from others
    /// follows from these. Rows that are longer than loops walk stay so, of whole multiples of that: shorter ones would
    /// overlap.
    pub fn at_most(&self, most: f64, of_loops: &BTreeSet<usize>) -> ParameterTable {
        let mut table = self.clone();
        for (number, row) in table.rows.iter_mut().enumerate() {
            let is_number = (row.definition.as_ref()).is_none_or(|it| it.as_number().is_some());
            if row.kind == Kind::Problem && is_number && row.value > most {
                let value = match of_loops.contains(&number) {
                    true => most,
                    false => (row.value / most).ceil() * most,
                };
                (row.value, row.definition) = (value, None);
            }
        }
        table.evaluate();
        table
    }

    /// The program with the values that were set as its own; the same where none was.
    pub fn settled<'p>(&self, program: &'p Program) -> Cow<'p, Program> {
        let is_set = |row: usize| {
            let row = &self.rows[row];
            let by = [
                Origin::Set,
                Origin::Config,
                Origin::Traced,
                Origin::Counted,
                Origin::CountedMean,
            ];
            row.kind != Kind::Block && by.contains(&row.origin) && row.definition.is_none()
        };
        let mut program = Cow::Borrowed(program);
        for (symbol, row) in self.places.iter().filter(|(_, row)| is_set(**row)) {
            if let Some(place) = program.to_mut().places.get_mut(symbol) {
                (place.value, place.smallest) = (Some(Expr::from(self.rows[*row].value)), None);
                place.origin = self.rows[*row].origin;
            }
        }
        let of_places: HashSet<usize> = self.places.values().copied().collect();
        let mut own: Vec<_> = (self.resolved.iter())
            .filter(|(_, row)| is_set(**row) && !of_places.contains(row))
            .collect();
        own.sort();
        for ((function, symbol), row) in own {
            let constants = &mut program.to_mut().functions[*function].constants;
            constants.retain(|constant| constant.symbol != *symbol);
            constants.push(Constant {
                symbol: symbol.clone(),
                value: Expr::from(self.rows[*row].value),
                origin: self.rows[*row].origin,
            });
            constants.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        }
        program
    }

    pub(super) fn build(
        program: &Program,
        (nests, calls, messages): (&[Nest], &CallGraph, &[MessageSite]),
        mut machine: MachineModel,
        dimensions: usize,
        settings: &[Setting],
    ) -> Result<(MachineModel, ParameterTable), SettingError> {
        let mut table = ParameterTable {
            unmentioned: program.unmentioned.clone(),
            ..ParameterTable::default()
        };
        let mut names = Names::new(&machine, dimensions);
        for position in 0..dimensions {
            let name = Symbol::block(&dimension_name(position)).name().to_string();
            table.rows.push(Row {
                label: name.clone(),
                symbol: name.clone(),
                name,
                kind: Kind::Block,
                stands_for: SymbolKind::Block,
                value: 0.0,
                definition: None,
                origin: Origin::Default,
                place: None,
                functions: Vec::new(),
                is_case_sensitive: false,
                rests_on_guess: false,
                choices: Vec::new(),
                decides_assignments: false,
                may_change: false,
            });
        }
        let usage = Usage::of(program, nests, calls, messages);
        table.add_symbols(program, &usage, settings, &mut names);
        table.mark_case(program);
        table.define_values(program, &usage);
        table.define_places(program, &usage);
        table.define_once(program, nests, calls);
        for setting in settings {
            table.apply(setting, &mut machine)?;
        }
        table.evaluate();
        table.find_used(&usage);
        Ok((machine, table))
    }

    /// One row a name; a function with a value of its own, or set on its own, gets its own row.
    fn add_symbols(
        &mut self,
        program: &Program,
        usage: &Usage,
        settings: &[Setting],
        names: &mut Names,
    ) {
        self.add_places(program, usage, names);
        // What conditions are decided by, and what no figure depends on, which is said.
        let is_known = |name: &String| !program.unmentioned.contains_key(name);
        for (name, _) in (program.set.iter()).filter(|(name, set)| set.is_asked || is_known(name)) {
            self.set.entry(name.clone()).or_default();
        }
        let classes = Classes::of(program, usage, settings);
        for (symbol, functions) in &usage.functions {
            if symbol.kind() == SymbolKind::Place {
                continue;
            }
            let written = written(symbol, usage);
            if written != symbol.name() {
                let renamed = symbol.renamed(&written);
                self.renamed.insert(symbol.clone(), renamed);
            }
            let is_set = |f: usize| shared::is_set(settings, &program.functions[f].name, &written);
            let (aliases, functions): (Vec<usize>, Vec<usize>) = functions.iter().partition(|f| {
                let row = self.alias(&program.functions[**f], symbol);
                row.is_some_and(|row| !is_set(**f) || self.is_set(row))
            });
            for function in aliases {
                let row = self.alias(&program.functions[function], symbol);
                let name = &program.functions[function].name;
                if let Some(row) = row {
                    self.resolved.insert((function, symbol.clone()), row);
                    let users = &mut self.rows[row].functions;
                    if !users.contains(name) {
                        users.push(name.clone());
                    }
                }
            }
            if functions.is_empty() {
                continue;
            }
            let class = |f: usize| classes.at(f, symbol);
            let each = functions.iter();
            let usual = usual(each.map(|f| (class(*f), classes.is_open(class(*f)))));
            let is_usual = |f: usize| Some(class(f)) == usual;
            let (own, shared): (Vec<usize>, Vec<usize>) = functions
                .iter()
                .partition(|f| is_set(**f) || !is_usual(**f));
            // A plain name that is set is that of what it sets.
            let (shared, own) = match self.set.get(&written).is_some_and(|rows| !rows.is_empty()) {
                true => (Vec::new(), [own, shared].concat()),
                false => (shared, own),
            };
            if !shared.is_empty() {
                let used_by = shared
                    .iter()
                    .map(|f| program.functions[*f].name.clone())
                    .collect();
                self.add_row((&written, &written), used_by, symbol, &shared, names);
            }
            let mut by_name: BTreeMap<(&str, Class), Vec<usize>> = BTreeMap::new();
            for function in own {
                let name = program.functions[function].name.as_str();
                by_name
                    .entry((name, class(function)))
                    .or_default()
                    .push(function);
            }
            for ((name, _), functions) in by_name {
                self.add_row(
                    (&format!("{name}.{written}"), &written),
                    vec![name.to_string()],
                    symbol,
                    &functions,
                    names,
                );
            }
        }
    }

    /// One row for each storage of the program.
    fn add_places(&mut self, program: &Program, usage: &Usage, names: &mut Names) {
        let places = usage
            .functions
            .keys()
            .filter_map(|symbol| Some((symbol, program.place(symbol)?)));
        let places: Vec<(&Symbol, &Place)> = places.collect();
        let mut with_name: HashMap<&str, u32> = HashMap::new();
        for (_, place) in &places {
            *with_name.entry(&place.name).or_default() += 1;
        }
        for (symbol, place) in places {
            let name = place.name.as_str();
            let is_named = || {
                program
                    .set
                    .get(name)
                    .is_some_and(|set| set.places.contains(symbol))
            };
            let label = match with_name[name] {
                1 if is_named() => name,
                1 if usage.means_only(program, name, symbol) => name,
                _ => symbol.name(),
            };
            for (name, _) in (program.set.iter()).filter(|(_, set)| set.places.contains(symbol)) {
                self.set
                    .entry(name.clone())
                    .or_default()
                    .push(self.rows.len());
            }
            self.places.insert(symbol.clone(), self.rows.len());
            self.add_row((label, name), Vec::new(), symbol, &[], names);
            if let Some(row) = self.rows.last_mut() {
                row.decides_assignments = place.decides;
                row.may_change = place.changes;
                if place.is_real {
                    row.kind = Kind::Real;
                }
            }
        }
    }

    /// Whether a setting means the row of a place.
    fn is_set(&self, row: usize) -> bool {
        self.set.values().any(|rows| rows.contains(&row))
    }

    /// The row of a place that a symbol of a function is another name for.
    fn alias(&self, function: &Function, symbol: &Symbol) -> Option<usize> {
        match function.constant(symbol)?.value.node() {
            Node::Symbol(place) if place.kind() == SymbolKind::Place => {
                self.places.get(place).copied()
            }
            _ => None,
        }
    }

    fn add_row(
        &mut self,
        (label, symbol_name): (&str, &str),
        used_by: Vec<String>,
        symbol: &Symbol,
        functions: &[usize],
        names: &mut Names,
    ) {
        let kind = Kind::of(symbol);
        for function in functions {
            self.resolved
                .insert((*function, symbol.clone()), self.rows.len());
        }
        let mut used_by = used_by;
        used_by.dedup();
        let name = names.unique(label);
        let origin = Origin::Default;
        let row = Row {
            name,
            label: label.to_string(),
            symbol: symbol_name.to_string(),
            kind,
            stands_for: symbol.kind(),
            value: 0.0,
            definition: None,
            origin,
            place: None,
            functions: used_by,
            is_case_sensitive: !matches!(kind, Kind::TripCount | Kind::Probability),
            rests_on_guess: false,
            choices: Vec::new(),
            decides_assignments: false,
            may_change: false,
        };
        self.rows.push(row);
    }

    /// Symbols that a function of a language without case mentions have none.
    fn mark_case(&mut self, program: &Program) {
        let with_case: HashSet<&str> = program
            .files
            .iter()
            .filter(|file| file.language.has_case())
            .map(|file| &*file.path)
            .collect();
        for ((function, _), row) in &self.resolved {
            self.rows[*row].is_case_sensitive &=
                with_case.contains(&*program.functions[*function].file);
        }
    }

    fn define_values(&mut self, program: &Program, usage: &Usage) {
        let mut entries: Vec<(usize, usize, Symbol)> = self
            .resolved
            .iter()
            .map(|((function, symbol), row)| (*row, *function, symbol.clone()))
            .collect();
        entries.sort();
        let places: HashSet<usize> = self.places.values().copied().collect();
        entries.retain(|(row, ..)| !places.contains(row));
        for (row, function, symbol) in entries {
            let found = program.functions[function].constant(&symbol);
            let definition = found.map(|c| self.resolve(function, &c.value));
            let entry = &mut self.rows[row];
            entry.value = default_value(usage, function, &symbol).max(entry.value);
            match (found, &entry.definition) {
                (Some(constant), None) if constant.value.is_symbol(&symbol) => {
                    entry.origin = Origin::Callers;
                }
                (Some(constant), None) if constant.origin == Origin::Default => {
                    match constant.value.as_number() {
                        Some(value) => entry.value = value,
                        None => entry.definition = definition,
                    }
                }
                (Some(constant), None) => {
                    (entry.origin, entry.definition) = (constant.origin, definition);
                }
                _ => {}
            }
        }
    }

    fn define_places(&mut self, program: &Program, usage: &Usage) {
        let rows: Vec<(Symbol, usize)> = self
            .places
            .iter()
            .map(|(symbol, row)| (symbol.clone(), *row))
            .collect();
        for (symbol, row) in rows {
            let Some(place) = program.place(&symbol) else {
                continue;
            };
            let definition = place.value.as_ref().map(|value| self.resolve(0, value));
            let entry = &mut self.rows[row];
            entry.value = place
                .guess
                .unwrap_or_else(|| usage.default_value(0, &symbol));
            (entry.definition, entry.origin) = (definition, place.origin);
            entry.choices.clone_from(&place.choices);
            entry.place = Some(format!("{}:{}", place.file, place.line));
        }
    }

    /// The settings whose names the source gives to variables, too: they set the machine.
    pub fn ambiguous(&self, settings: &[Setting], machine: &MachineModel) -> Vec<Ambiguous> {
        let of_machine = (settings.iter()).filter(|s| machine.parameter(&s.name).is_some());
        let found = of_machine.map(|setting| {
            let rows = (self.rows.iter()).filter(|row| row.is_called(&setting.name));
            Ambiguous {
                name: setting.name.clone(),
                of_source: rows.map(|row| row.name.clone()).collect(),
            }
        });
        found.filter(|found| !found.of_source.is_empty()).collect()
    }

    /// The same with another size of a block; `None` if no parameter of a block is called so.
    pub(super) fn with_block(&self, symbol: &Symbol, size: f64) -> Option<ParameterTable> {
        let is_it = |row: &Row| row.kind == Kind::Block && row.name == symbol.name();
        let at = self.rows.iter().position(is_it)?;
        let mut table = self.clone();
        table.rows[at].value = size;
        Some(table)
    }
}

/// What a function has for a symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known<'p> {
    /// Nothing, for which this is taken.
    Open(Positive),
    /// Its callers give it several values, for which this is taken.
    Callers(Positive),
    Given(&'p Expr),
}

/// The bits of a number that is not negative, which are in the order of the numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Positive(u64);

impl<'p> Known<'p> {
    fn of(program: &'p Program, usage: &Usage, function: usize, symbol: &Symbol) -> Known<'p> {
        let default = || Positive(default_value(usage, function, symbol).to_bits());
        match program.functions[function].constant(symbol) {
            None => Known::Open(default()),
            Some(constant) if constant.value.is_symbol(symbol) => Known::Callers(default()),
            Some(constant) => {
                let guess = constant.value.as_number();
                match guess.filter(|guess| constant.origin == Origin::Default && *guess >= 0.0) {
                    Some(guess) => Known::Open(Positive(guess.to_bits())),
                    None => Known::Given(&constant.value),
                }
            }
        }
    }
}

/// The value of a symbol of a function that nothing gives one.
fn default_value(usage: &Usage, function: usize, symbol: &Symbol) -> f64 {
    match Kind::of(symbol) {
        Kind::Probability => DEFAULT_PROBABILITY,
        Kind::Neighbours => DEFAULT_NEIGHBOURS,
        Kind::Problem | Kind::Processes => usage.default_value(function, symbol),
        Kind::Block | Kind::Real | Kind::TripCount => usage.default_size(function, symbol),
    }
}

/// The name of a symbol that no source gives to another.
fn written(symbol: &Symbol, usage: &Usage) -> String {
    let is_taken = |name: &str| usage.functions.contains_key(&Symbol::source(name));
    let mut written = symbol.name().to_string();
    if symbol.kind() != SymbolKind::Source {
        while is_taken(&written) {
            written.push('_');
        }
    }
    written
}

/// What most functions have, before all others what nothing gives, which is said beside each. Of equally common ones the
/// first.
fn usual(all: impl Iterator<Item = (Class, bool)>) -> Option<Class> {
    let mut counts: Vec<(Class, bool, usize)> = Vec::new();
    for (class, is_open) in all {
        match counts.iter_mut().find(|(other, ..)| *other == class) {
            Some((.., count)) => *count += 1,
            None => counts.push((class, is_open, 1)),
        }
    }
    let usual = (counts.into_iter().rev()).max_by_key(|(_, is_open, count)| (*is_open, *count));
    Some(usual?.0)
}
