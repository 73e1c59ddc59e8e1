//! The integers of a program, and what others ask of them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::collector::{Collected, Collector};
use super::dead::Seen;
use super::decisive::Decisive;
use super::definition::{Definition, Definitions};
use super::few::{self, Few};
use super::found::Found;
use super::levels::{self, LevelTable};
use super::meant::Unset;
use super::often::Often;
use super::once::{self, Turn};
use super::options::{Changes, option};
use super::own_readers::OwnReaders;
use super::periodic;
use super::places::{PlaceId, Places};
use super::pointing::Pointing;
use super::presence::Presence;
use super::resolver::Resolver;
use super::set::SetPlaces;
use super::starts::{Starts, starts};
use super::truth::begins_with;
use crate::calls::{ProcedureId, Procedures, Target};
use crate::diagnostic::Place;
use crate::expr::{Expr, Node, Symbol, SymbolKind};
use crate::facts::{self, Constant, Origin};
use crate::inputs::{Inputs, Used};
use crate::ir::visit::{InLoop, each_value, statements, values_of};
use crate::ir::{Function, Value, VarId, fold};
use crate::literal::DEPTH;

/// What is left where statements are not reached may show of others that they are not, so many times.
const ROUNDS: usize = 3;

/// The integers of a program and where their values come from.
pub struct Sizes {
    places: Places,
    symbols: Vec<Symbol>,
    numbers: FxHashMap<Symbol, PlaceId>,
    found: Vec<Found>,
    options: Vec<Option<i64>>,
    /// What they are where nothing changes them that is not followed.
    usual: Vec<Option<i64>>,
    /// The few numbers that places may have.
    few: Vec<Few>,
    /// Of every place, whether loops count it, those of callers included.
    counted: Vec<bool>,
    /// Of every place, whether statements give it values, none of which are read from outside.
    filled: Vec<bool>,
    /// The names of the input that places took their values from.
    used: Used,
    /// What the user sets.
    set: SetPlaces,
    /// Tables of sizes of levels, by their arrays; the largest level over places.
    levels: FxHashMap<PlaceId, LevelTable<Expr>>,
    /// What functions return where procedures call them.
    results: FxHashMap<(ProcedureId, String), PlaceId>,
    /// Of functions that give back what they read, or else an argument, the number of that, by who calls them.
    own_readers: FxHashMap<(ProcedureId, String), usize>,
    /// Of them those of functions that one place of the program calls.
    called_once: FxHashSet<PlaceId>,
    /// Whether a run begins somewhere: else anything may call what is passed to.
    has_entry: bool,
    /// What places begin with that may still have that where statements ask for them, if it is a number.
    begun: FxHashMap<PlaceId, Option<i64>>,
    /// What branches on switches do, by where these are.
    turns: FxHashMap<Place, Turn>,
    /// Which sizes decide statements under conditions.
    decisive: Decisive,
    /// Of every place, whether nothing but the input and literals gives it values.
    left_alone: Vec<bool>,
    /// Of every place, whether it has either what it begins with or what statements give it.
    given_once: Vec<bool>,
    starts: Starts,
    /// Which pointers and texts lead somewhere unless the input says otherwise.
    pub(super) pointing: Pointing,
    /// Which optional arguments calls pass.
    pub(super) presence: Presence,
}

impl Sizes {
    /// Reads what all statements of the program give integers.
    pub fn new(known: &Procedures, inputs: &Inputs) -> Sizes {
        let often = Often::new(known);
        let presence = Presence::new(known, &often);
        let mut collector = Collector::new(known, inputs, &presence);
        collector.program();
        let Collected {
            mut places,
            mut definitions,
            readers,
        } = collector.finish();
        places.tell_apart();
        let symbols = symbols(&places);
        let numbers: FxHashMap<&Symbol, usize> = symbols.iter().zip(0..).collect();
        let all = |definitions: &[Definitions], set: &SetPlaces| {
            let inputs = (inputs, set);
            Resolver::all(known, (&places, definitions), (&symbols, &numbers), inputs)
        };
        let (mut found, mut used) = all(&definitions, &SetPlaces::default());
        let mut set = Unset {
            known,
            places: &places,
            definitions: &definitions,
            found: &found,
            symbols: &symbols,
        }
        .set(&inputs.sizes);
        if !set.is_empty() {
            (found, used) = all(&definitions, &set);
            if set.add_newly_known(&places, &inputs.sizes, &found) {
                (found, used) = all(&definitions, &set);
            }
        }
        let switches = once::switches(known, (&places, &set), &definitions);
        let decisive = Decisive::of(known, &places, &definitions);
        for _ in 0..ROUNDS {
            let unreached = Seen {
                known,
                places: &places,
                definitions: &definitions,
                found: &found,
                numbers: &numbers,
                set: &set,
                switches: &switches.places,
            }
            .unreached();
            if unreached.is_empty() {
                break;
            }
            for (place, value) in unreached {
                definitions[place.at()].leave_out(value);
            }
            (found, used) = all(&definitions, &set);
        }
        let option = |changes: Changes, place: PlaceId, found: &Found| match &found.value {
            Some(value) if found.origin == Origin::Input => value.as_integer(),
            _ if set.value(place).is_some() => set.value(place),
            _ if switches.places.contains(&place) => None,
            _ => option(known, &places, &definitions, &readers, (place, changes)),
        };
        let each = |changes| {
            let numbered = (0..).map(PlaceId).zip(&found);
            numbered.map(move |(place, found)| option(changes, place, found))
        };
        let options = each(Changes::Followed).collect();
        let usual = each(Changes::Others).collect();
        let numbers = symbols.iter().cloned().zip((0..).map(PlaceId)).collect();
        let begun = begun((known, &places), &definitions, (&switches.places, &set));
        let levels = levels::tables(known, &places);
        let starts = starts(known, &places, &definitions);
        let (results, called_once) = results(known, &places);
        let has_entry = known.ids().any(|id| known.get(id).function.is_main);
        let few = few::few((known, &often), &places, &definitions, has_entry);
        let mut sizes = Sizes {
            counted: periodic::counted(known, &places, &definitions),
            left_alone: definitions.iter().map(gets_no_more).collect(),
            given_once: given_once(known, &definitions, &places),
            places,
            symbols,
            numbers,
            found,
            options,
            usual,
            few,
            filled: definitions.iter().map(Definitions::is_filled).collect(),
            used,
            set,
            levels: FxHashMap::default(),
            results,
            own_readers: OwnReaders::of(known).by_name(known),
            called_once,
            has_entry,
            begun,
            turns: switches.turns,
            decisive,
            starts,
            pointing: Pointing::new(known, &often),
            presence,
        };
        sizes.levels = sizes.all_over_places(known, levels);
        sizes
    }

    /// The tables of sizes of levels, with the largest of each as an expression over places.
    fn all_over_places(
        &self,
        known: &Procedures,
        tables: FxHashMap<PlaceId, LevelTable<(ProcedureId, &Value)>>,
    ) -> FxHashMap<PlaceId, LevelTable<Expr>> {
        let tables = tables.into_iter();
        tables
            .map(|(place, table)| (place, self.over_places(known, table)))
            .collect()
    }

    /// The table of the sizes of levels, with the largest as an expression over places.
    fn over_places(
        &self,
        known: &Procedures,
        table: LevelTable<(ProcedureId, &Value)>,
    ) -> LevelTable<Expr> {
        let LevelTable {
            factor,
            dimension,
            rises,
            largest,
        } = table;
        let largest = largest.and_then(|(id, level)| match level {
            Value::Integer(level) => Some(Expr::from(*level)),
            level => Some(self.value(id, known.get(id).function, level)?.0),
        });
        LevelTable {
            factor,
            dimension,
            rises,
            largest,
        }
    }

    pub fn has_levels(&self) -> bool {
        !self.levels.is_empty()
    }

    /// The table of the sizes of levels that an element is of.
    pub fn level_table(
        &self,
        procedure: ProcedureId,
        function: &Function,
        element: &Value,
    ) -> Option<&LevelTable<Expr>> {
        let place = self.places.find_array(function, procedure, element)?;
        self.levels.get(&place)
    }

    /// What a variable or element of a procedure is, over places; a place that nothing gives a value is itself. Of a
    /// function with bodies in place of calls, `function` has the variables.
    pub fn value(
        &self,
        procedure: ProcedureId,
        function: &Function,
        value: &Value,
    ) -> Option<(Expr, Origin)> {
        if let Value::Call {
            name, arguments, ..
        } = value
            && let Some(position) = self.own_readers.get(&(procedure, name.clone()))
        {
            let default = arguments.get(*position)?.unconverted();
            return match default {
                Value::Integer(n) => Some((Expr::from(*n), Origin::Given)),
                default => Some((self.value(procedure, function, default)?.0, Origin::Given)),
            };
        }
        if let Value::Call { name, .. } = value
            && let Some(place) = self.results.get(&(procedure, name.clone()))
        {
            return self.returned(*place);
        }
        let place = self.place(procedure, function, value)?;
        let found = &self.found[place.at()];
        if self.places.get(place).is_real && found.value.is_none() {
            return None;
        }
        let name = self.name_of(place).cloned();
        Some((name.unwrap_or_else(|| self.symbol(place)), found.origin))
    }

    /// The one number that a variable has, if it is known, or what the input gives it.
    pub fn real_number(
        &self,
        procedure: ProcedureId,
        function: &Function,
        value: &Value,
    ) -> Option<f64> {
        self.number_at(self.place(procedure, function, value)?, DEPTH)
    }

    fn number_at(&self, place: PlaceId, depth: u32) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        let found = &self.found[place.at()];
        if !found.is_one_value() && !found.is_given() {
            return None;
        }
        let lookup = |symbol: &Symbol| self.number_at(self.numbered(symbol)?, depth);
        found.value.as_ref()?.evaluate(&lookup).ok()
    }

    /// What a function returns, if that is a number, or where it ends to count something up, or the default of what it reads.
    /// What one reads that is called several times is another value in each.
    fn returned(&self, result: PlaceId) -> Option<(Expr, Origin)> {
        let name = self.name_of(result)?;
        match name.node() {
            Node::Number(_) => Some((name.clone(), self.found[result.at()].origin)),
            Node::Symbol(symbol) => {
                let found = &self.found[self.numbered(symbol)?.at()];
                let is_number = || {
                    found
                        .value
                        .as_ref()
                        .is_some_and(|own| own.as_number().is_some())
                };
                let is_read = found.origin == Origin::Given && self.called_once.contains(&result);
                (found.is_count || is_read && is_number()).then(|| (name.clone(), found.origin))
            }
            _ => None,
        }
    }

    /// What a function returns that a procedure calls.
    pub(super) fn result(&self, procedure: ProcedureId, name: &str) -> Option<PlaceId> {
        self.results.get(&(procedure, name.to_string())).copied()
    }

    /// The place of a variable or element of a procedure.
    pub(super) fn place(
        &self,
        procedure: ProcedureId,
        function: &Function,
        value: &Value,
    ) -> Option<PlaceId> {
        self.places.find(function, procedure, value)
    }

    /// Whether a place has the number of the only process, or of the only thread.
    pub(super) fn is_number_alone(&self, place: PlaceId) -> bool {
        let found = &self.found[place.at()];
        let value = found.value.as_ref().and_then(Expr::as_integer);
        found.origin == Origin::Alone && value == Some(0)
    }

    /// The number or other place that a place is just another name for.
    pub(super) fn name_of(&self, place: PlaceId) -> Option<&Expr> {
        let found = &self.found[place.at()];
        found.value.as_ref().filter(|_| found.is_plain())
    }

    /// The largest and the smallest value that a place is given, where all that gives it values is followed. Without a
    /// main program, calls may come from anywhere.
    pub(super) fn ends(&self, place: PlaceId) -> Option<[&Expr; 2]> {
        let Found {
            value,
            smallest,
            origin,
            is_complete,
            is_count: _,
            choices: _,
            about: _,
            may_change: _,
        } = &self.found[place.at()];
        let is_followed = matches!(origin, Origin::Derived | Origin::Caller | Origin::Callers);
        let largest = value.as_ref().filter(|_| *is_complete && is_followed)?;
        let is_name = matches!(largest.node(), Node::Symbol(_));
        if !self.has_entry && !is_name {
            return None;
        }
        Some([largest, smallest.as_ref().unwrap_or(largest)])
    }

    /// How often a condition of a procedure holds that asks whether a pointer leads somewhere, or an optional argument is
    /// passed, which some calls leave out.
    pub fn share_of_pointing(
        &self,
        procedure: ProcedureId,
        function: &Function,
        condition: &Value,
    ) -> Option<f64> {
        let presence = self.presence.share(procedure, function, condition);
        presence.or_else(|| self.pointing.share(procedure, function, condition))
    }

    /// The few numbers that a value of a procedure may have, if all of the program gives it no others.
    pub fn few_numbers(&self, procedure: ProcedureId, function: &Function, value: &Value) -> Few {
        let of_place = |value: &Value| {
            let place = self.place(procedure, function, value)?;
            self.few[place.at()].clone()
        };
        few::numbers(function, value, &of_place, DEPTH)
    }

    /// Where a procedure ends to count a variable up, or what the variable is a copy of, over places.
    pub fn count(
        &self,
        procedure: ProcedureId,
        function: &Function,
        value: &Value,
    ) -> Option<Expr> {
        let mut place = self.place(procedure, function, value)?;
        if let Some(Node::Symbol(symbol)) = self.name_of(place).map(Expr::node) {
            place = self.numbered(symbol)?;
        }
        let found = &self.found[place.at()];
        found.value.clone().filter(|_| found.is_count)
    }

    /// The one value that statements give elements of an array, whichever these are, where all of that is followed. Elements
    /// may have none.
    pub fn of_elements(
        &self,
        procedure: ProcedureId,
        function: &Function,
        element: &Value,
    ) -> Option<Expr> {
        let array = self.places.find_array(function, procedure, element)?;
        let name = self.name_of(array)?;
        self.found[array.at()].is_complete.then(|| name.clone())
    }

    /// Which way a branch goes, by where it is, if a switch of the program decides that.
    pub fn turn(&self, branch: &Place) -> Option<Turn> {
        self.turns.get(branch).copied()
    }

    /// Whether a place may still have something else than this value where statements ask for it: what it begins with.
    pub(super) fn may_begin_otherwise(&self, place: PlaceId, value: i64) -> bool {
        let begun = self.begun.get(&place);
        begun.is_some_and(|begun| *begun != Some(value))
    }

    /// What is known of the real number in a place that is no part of an array, has no value before the one that is followed, and gets all of its values by what a main program shows; of what
    /// is read, only where statements leave it alone.
    pub(super) fn certain_real(&self, place: PlaceId) -> Option<&Expr> {
        let (known, found) = (self.places.get(place), &self.found[place.at()]);
        let is_scalar = known.is_real && !known.is_array && known.array.is_none();
        let is_certain = match found.is_given() {
            true => self.left_alone[place.at()] || self.set.value(place).is_some(),
            false => found.is_one_value(),
        };
        let is_only = is_scalar && self.is_given_once(place) && is_certain && self.has_entry;
        let value = found.value.as_ref()?;
        (is_only && !self.begun.contains_key(&place)).then_some(value)
    }

    /// The value that a place has unless the input says otherwise.
    pub(super) fn option(&self, place: PlaceId, changes: Changes) -> Option<i64> {
        match changes {
            Changes::Followed => self.options[place.at()],
            Changes::Others => self.usual[place.at()],
        }
    }

    /// The number that a counter of the program has when the loop of a procedure begins that counts it.
    pub fn start(
        &self,
        procedure: ProcedureId,
        function: &Function,
        counter: VarId,
    ) -> Option<i64> {
        let place = self.place(procedure, function, &Value::Variable(counter))?;
        let is_set = self.set.value(place).is_some();
        let start = self.starts.get(&(procedure, place)).filter(|_| !is_set)?;
        Some(*start)
    }

    pub(super) fn is_real(&self, place: PlaceId) -> bool {
        self.places.get(place).is_real
    }

    /// Whether it has either what it begins with or what statements give it; of a member, what it begins with is not followed.
    pub(super) fn is_given_once(&self, place: PlaceId) -> bool {
        self.given_once[place.at()]
    }

    pub(super) fn is_counted(&self, place: PlaceId) -> bool {
        self.counted[place.at()]
    }

    /// The value of a place, if something gives it one, and where that comes from.
    pub(super) fn known(&self, place: PlaceId) -> Option<(&Expr, Origin)> {
        let found = &self.found[place.at()];
        Some((found.value.as_ref()?, found.origin))
    }

    /// The place of a symbol.
    pub(super) fn numbered(&self, symbol: &Symbol) -> Option<PlaceId> {
        self.numbers.get(symbol).copied()
    }

    /// Whether a value is nothing but a variable that one procedure has for itself and nothing gives a value.
    fn is_itself(&self, value: &Expr) -> bool {
        let Node::Symbol(symbol) = value.node() else {
            return false;
        };
        self.numbered(symbol).is_some_and(|place| {
            self.places.get(place).is_own && self.found[place.at()] == Found::NOTHING
        })
    }

    /// Drops the values of symbols that are nothing but themselves and that no other function knows of, and collects the
    /// places that the others mention.
    pub fn settle(&self, functions: &mut [facts::Function]) -> BTreeMap<Symbol, facts::Place> {
        let is_itself = |constant: &Constant| self.is_itself(&constant.value);
        let constants = functions.iter().flat_map(|function| &function.constants);
        let places = self.places_of(
            constants
                .filter(|constant| !is_itself(constant))
                .map(|constant| &constant.value),
        );
        let is_known = |value: &Expr| match value.node() {
            Node::Symbol(symbol) => places.contains_key(symbol),
            _ => false,
        };
        for function in functions {
            let constants = &mut function.constants;
            constants.retain(|constant| !is_itself(constant) || is_known(&constant.value));
        }
        places
    }

    /// The names of the input that places took their values from.
    pub fn used(&self) -> Used {
        self.used.clone()
    }

    /// What the settings set whose names the program gives to variables. The `mentioned` places stand in values of
    /// constants.
    pub fn set_variables(
        &self,
        known: &Procedures,
        mentioned: &BTreeMap<Symbol, facts::Place>,
    ) -> BTreeMap<String, facts::SetVariables> {
        let places = (&self.places, &self.symbols[..]);
        let is_mentioned = |symbol: &Symbol| mentioned.contains_key(symbol);
        self.set.variables(known, places, &is_mentioned)
    }

    /// The scalars of a procedure that the user sets: what its statements give these counts for nothing.
    pub fn set_scalars(&self, procedure: ProcedureId, function: &Function) -> BTreeSet<VarId> {
        if self.set.is_empty() {
            return BTreeSet::new();
        }
        let is_set = |id: &VarId| {
            let place = self.place(procedure, function, &Value::Variable(*id));
            place.is_some_and(|place| self.set.replaces(place))
        };
        let all = (0..function.variables.len() as u32).map(VarId);
        all.filter(is_set).collect()
    }

    /// Whether something outside the program gives a variable its value: input, or who starts the main program.
    pub fn is_from_outside(&self, procedure: ProcedureId, function: &Function, id: VarId) -> bool {
        let place = self.place(procedure, function, &Value::Variable(id));
        function.is_command_line(id) || place.is_some_and(|place| self.found[place.at()].is_given())
    }

    /// Whether a variable is a named constant that the user sets.
    pub(super) fn is_set_constant(&self, function: &Function, id: VarId) -> bool {
        self.places.is_set(function, id)
    }

    fn symbol(&self, place: PlaceId) -> Expr {
        Expr::from(self.symbols[place.at()].clone())
    }

    /// Whether statements give an array its elements, none of which are read from outside.
    fn is_filled(&self, place: PlaceId) -> bool {
        self.filled[place.at()]
    }

    /// The places that expressions mention, and those that their values do.
    fn places_of<'e>(
        &self,
        expressions: impl Iterator<Item = &'e Expr>,
    ) -> BTreeMap<Symbol, facts::Place> {
        let mut found: BTreeMap<Symbol, facts::Place> = BTreeMap::new();
        let mut pending: Vec<Symbol> = expressions.flat_map(Expr::symbols).collect();
        while let Some(symbol) = pending.pop() {
            let Some(number) = self.numbered(&symbol) else {
                continue;
            };
            if found.contains_key(&symbol) {
                continue;
            }
            let place = self.places.get(number);
            let Found {
                value,
                smallest,
                origin,
                is_complete: _,
                is_count: _,
                choices,
                about,
                may_change,
            } = self.found[number.at()].clone();
            let values = value.iter().chain(&smallest);
            pending.extend(values.flat_map(Expr::symbols));
            let place = facts::Place {
                name: place.name.clone(),
                file: place.file.clone(),
                line: place.line,
                is_constant: place.is_constant,
                is_real: place.is_real,
                decides: false,
                changes: may_change,
                is_table: place.is_array && place.elements.is_empty() && self.is_filled(number),
                guess: match value {
                    Some(_) => None,
                    None => choices.last().copied().or(about),
                },
                value,
                smallest,
                choices,
                origin,
            };
            found.insert(symbol, place);
        }
        self.decisive
            .mark(&mut found, &|symbol| self.numbered(symbol));
        found
    }
}

/// Whether nothing but the input and literals gives a place values.
fn gets_no_more(of: &Definitions) -> bool {
    let is_literal = |definition: &Definition| match definition {
        Definition::Given => true,
        Definition::Value(_, value) => fold::literal(value).is_some(),
        _ => false,
    };
    let is_followed = !of.is_handed_out && !of.is_aliased && of.passed.is_empty();
    is_followed && !of.is_always_read && of.assigned.iter().all(is_literal)
}

/// Which places have either what they begin with or what statements and calls give them; real ones are so only if all that they
/// are made of is, too.
fn given_once(known: &Procedures, definitions: &[Definitions], places: &Places) -> Vec<bool> {
    let is_member = |place| places.get(place).structure.is_some();
    let mut once: Vec<bool> = each_place(definitions)
        .map(|(place, of)| !is_member(place) && of.is_given_once(places, place))
        .collect();
    loop {
        let is_one = |definition: &Definition| match definition {
            Definition::Value(procedure, value) => {
                let mut is_one = true;
                each_value(value, &mut |part| {
                    let place = places.find(known.get(*procedure).function, *procedure, part);
                    is_one &= place.is_none_or(|place| once[place.at()]);
                });
                is_one
            }
            _ => true,
        };
        let is_lost = |place: PlaceId, of: &Definitions| {
            let mut all = of.assigned.iter().chain(&of.passed);
            places.get(place).is_real && once[place.at()] && !all.all(is_one)
        };
        let lost = each_place(definitions).filter(|(place, of)| is_lost(*place, of));
        let lost: Vec<PlaceId> = lost.map(|(place, _)| place).collect();
        if lost.is_empty() {
            return once;
        }
        lost.into_iter().for_each(|place| once[place.at()] = false);
    }
}

fn each_place<'d, 'u>(
    definitions: &'d [Definitions<'u>],
) -> impl Iterator<Item = (PlaceId, &'d Definitions<'u>)> {
    (0..).map(PlaceId).zip(definitions)
}

/// What places begin with that may still have that where statements ask for them, if it is a number.
fn begun(
    (known, places): (&Procedures, &Places),
    definitions: &[Definitions],
    (switches, set): (&FxHashSet<PlaceId>, &SetPlaces),
) -> FxHashMap<PlaceId, Option<i64>> {
    let is_begun = |place: &PlaceId, of: &Definitions| {
        let keeps_first = !of.assigned.is_empty() && of.keeps_first(places, *place);
        of.is_aliased || keeps_first || switches.contains(place)
    };
    let found = each_place(definitions)
        .filter(|(place, definitions)| is_begun(place, definitions) && set.value(*place).is_none());
    found
        .map(|(place, of)| {
            let number = begins_with(known, places, of, place);
            (place, number.filter(|_| !of.is_aliased))
        })
        .collect()
}

/// The places that hold what functions of whole numbers return, by the procedures and names that call them; and those that
/// are called once.
fn results(
    known: &Procedures,
    places: &Places,
) -> (
    FxHashMap<(ProcedureId, String), PlaceId>,
    FxHashSet<PlaceId>,
) {
    let mut found = FxHashMap::default();
    let mut calls: FxHashMap<PlaceId, u32> = FxHashMap::default();
    for id in known.ids() {
        statements(&known.get(id).function.body, InLoop::No, &mut |stmt, _| {
            values_of(stmt, &mut |value| {
                if let Value::Call { name, .. } = value
                    && let Target::Body(callee) = known.target(id, name)
                    && let function = known.get(callee).function
                    && let Some(place) = places.find_result(function, callee)
                    && !places.get(place).is_real
                {
                    found.insert((id, name.clone()), place);
                    *calls.entry(place).or_default() += 1;
                }
            });
        });
    }
    let once = calls.into_iter().filter(|(_, calls)| *calls == 1);
    (found, once.map(|(place, _)| place).collect())
}

/// A symbol for every place: its name, behind what it belongs to.
fn symbols(places: &Places) -> Vec<Symbol> {
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    let name = |number: usize| {
        let place = places.get(PlaceId(number as u32));
        let name = match place.scope.as_str() {
            "" => place.name.clone(),
            scope => format!("{scope}.{}", place.name),
        };
        let count = taken.entry(name.clone()).or_insert(0);
        *count += 1;
        let name = match *count {
            1 => name,
            count => format!("{name}#{count}"),
        };
        Symbol::new(SymbolKind::Place, &name)
    };
    (0..places.len()).map(name).collect()
}
