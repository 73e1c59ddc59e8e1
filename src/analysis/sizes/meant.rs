//! Which variables does the user mean by the name of a setting?
//!
//! What is set replaces what the program gives a variable, and whatever is made of it follows. So a name means
//! variables that the program gives values itself: those first that it gives numbers, or reads; else those that
//! it computes; and dummy arguments, which have what calls pass, only where nothing else has the name.
//!
//! ```text
//! k = 10; n = k + 2; call solve(n - 1)        subroutine solve(n)
//!
//! --set k=500          k of the program, and n and the dummy argument follow
//! --set n=500          n of the program, not the dummy argument: that is 499
//! --set solve.n=500    the dummy argument alone
//! ```
//!
//! A dummy argument or a variable of one procedure that is just another name for something else means that. Storage of
//! the program (module variables, COMMON, globals, components, named constants) comes before variables that a procedure
//! has for itself, and a component that is given a number, by its own name, before a variable that is computed.
//! Variables of loops are none of these. Real numbers are meant where nothing else has the name, and whole ones are made
//! from them (`n = int(length/dx)`).

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::{Definition, Definitions};
use super::found::Found;
use super::places::{PlaceId, Places, is_called};
use super::set::SetPlaces;
use crate::calls::{ProcedureId, Procedures};
use crate::expr::{Expr, Node, Symbol};
use crate::inputs::SetSize;
use crate::ir::visit::each_value;
use crate::ir::{Value, VarId};

/// In which order what has a name is meant by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The program gives it a number, reads it, or gives it nothing that can be followed.
    Given,
    /// The program computes it.
    Computed,
    /// Calls pass it.
    Passed,
    /// A real number, from which whole ones may be made.
    Real,
}

/// What has a name is meant by it before what comes behind in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Precedence {
    is_real: bool,
    is_unqualified: bool,
    rank: Rank,
    called: Called,
    is_private: bool,
}

/// What is known of places before anything is set.
pub(super) struct Unset<'a, 'u> {
    pub known: &'a Procedures<'u>,
    pub places: &'a Places,
    pub definitions: &'a [Definitions<'u>],
    pub found: &'a [Found],
    pub symbols: &'a [Symbol],
}

impl Unset<'_, '_> {
    pub fn set(&self, sizes: &[SetSize]) -> SetPlaces {
        let mut set = SetPlaces::default();
        if sizes.is_empty() {
            return set;
        }
        let (names, sizing) = (self.names(), self.sizing());
        for size in sizes {
            let (meant, others) = self.meant(size, (&names, &sizing));
            if meant.is_empty() {
                continue;
            }
            for place in &meant {
                set.add(self.places, *place, size, &self.found[place.at()]);
            }
            set.by_name.insert(size.name.clone(), meant);
            set.others.insert(size.name.clone(), others);
        }
        set
    }

    /// The places that a setting means, and others of that name that the program gives numbers, or reads.
    fn meant(
        &self,
        size: &SetSize,
        (names, sizing): (&FxHashMap<PlaceId, Names>, &FxHashSet<PlaceId>),
    ) -> (Vec<PlaceId>, Vec<PlaceId>) {
        let set = normal(&size.name);
        let places = (0..self.places.len() as u32).map(PlaceId);
        let ranked = places.filter_map(|place| {
            let called = names.get(&place)?.called(&set)?;
            let is_private = self.places.get(place).is_own || self.places.get(place).is_local;
            let is_real = self.places.get(place).is_real;
            let rank = self
                .rank(place)
                .filter(|_| !is_real || sizing.contains(&place))?;
            // What a procedure has under a name of its own, by a call or as a copy, is meant by the name that all know.
            let place = match (rank, called) {
                (Rank::Passed | Rank::Real, Called::Plainly) => self.original(place),
                (Rank::Computed, Called::Plainly) if is_private => self.original(place),
                _ => place,
            };
            let precedence = Precedence {
                is_real,
                is_unqualified: called != Called::Behind,
                rank,
                called,
                is_private,
            };
            Some((precedence, place))
        });
        let ranked: Vec<(Precedence, PlaceId)> = ranked.collect();
        let first = ranked.iter().map(|(precedence, _)| *precedence).min();
        let meant: BTreeSet<PlaceId> = (ranked.iter())
            .filter(|(precedence, _)| Some(*precedence) == first)
            .map(|(_, place)| *place)
            .collect();
        let others: BTreeSet<PlaceId> = (ranked.iter())
            .filter(|(own, place)| own.rank == Rank::Given && !meant.contains(place))
            .map(|(_, place)| *place)
            .collect();
        (meant.into_iter().collect(), others.into_iter().collect())
    }

    /// The place that a variable is another name for; itself if it is none.
    fn original(&self, copy: PlaceId) -> PlaceId {
        let value = self.found[copy.at()].value.as_ref().map(Expr::node);
        let other = match value {
            Some(Node::Symbol(symbol)) => self.symbols.iter().position(|own| own == symbol),
            _ => None,
        };
        other.map_or(copy, |other| PlaceId(other as u32))
    }

    fn rank(&self, id: PlaceId) -> Option<Rank> {
        let (place, definitions) = (self.places.get(id), &self.definitions[id.at()]);
        let found = &self.found[id.at()];
        let counts = |definition: &Definition| {
            matches!(
                definition,
                Definition::Counted(..) | Definition::CountedUp(..)
            )
        };
        if place.is_array || definitions.assigned.iter().any(counts) {
            return None;
        }
        if place.is_real {
            return Some(Rank::Real);
        }
        let is_passed = !definitions.passed.is_empty();
        let is_assigned = !definitions.assigned.is_empty() || definitions.initial.is_some();
        Some(match &found.value {
            _ if is_passed && !is_assigned => Rank::Passed,
            None => Rank::Given,
            Some(value) if found.is_given() || value.as_number().is_some() => Rank::Given,
            Some(_) => Rank::Computed,
        })
    }

    /// The real numbers that whole ones are made from, also through others.
    fn sizing(&self) -> FxHashSet<PlaceId> {
        let is_real = |place: PlaceId| self.places.get(place).is_real;
        let mut made: Vec<(PlaceId, PlaceId)> = Vec::new();
        for (to, definitions) in (0..).map(PlaceId).zip(self.definitions) {
            for definition in definitions.assigned.iter().chain(&definitions.passed) {
                let Definition::Value(id, value) = definition else {
                    continue;
                };
                let function = self.known.get(*id).function;
                each_value(value, &mut |part| {
                    let is_variable = matches!(part, Value::Variable(_));
                    let from = is_variable.then(|| self.places.find(function, *id, part));
                    let from = from.flatten().filter(|from| is_real(*from));
                    made.extend(from.map(|from| (from, to)));
                });
            }
        }
        let mut found = FxHashSet::default();
        loop {
            let before = found.len();
            for (from, to) in &made {
                if !is_real(*to) || found.contains(to) {
                    found.insert(*from);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Whether statements of a procedure give a place a value.
    fn gives(&self, id: ProcedureId, place: PlaceId) -> bool {
        let assigned = &self.definitions[place.at()].assigned;
        (assigned.iter())
            .any(|definition| matches!(definition, Definition::Value(by, _) if *by == id))
    }

    /// What the source calls places that settings may name.
    fn names(&self) -> FxHashMap<PlaceId, Names> {
        let mut names: FxHashMap<PlaceId, Names> = FxHashMap::default();
        for id in self.known.ids() {
            let function = self.known.get(id).function;
            let has_case = function.conventions.language.has_case();
            for number in (0..function.variables.len() as u32).map(VarId) {
                let value = Value::Variable(number);
                let Some(place) = self.places.find(function, id, &value) else {
                    continue;
                };
                let written = function
                    .variable(function.in_source(number))
                    .name
                    .to_string();
                let behind = format!("{}.{written}", function.name);
                // What all procedures share is also that of those that give it its value.
                let is_own = !self.places.is_shared(place)
                    || self.places.is_set(function, number)
                    || self.gives(id, place);
                let mut add = |place: PlaceId, written: String, behind: String| {
                    let own = names.entry(place).or_default();
                    let place_of = self.places.get(place);
                    own.has_case |= has_case;
                    own.plain.insert(written);
                    own.plain.insert(place_of.name.clone());
                    own.short.insert(place_of.own_name.clone());
                    own.behind
                        .insert(self.symbols[place.at()].name().to_string());
                    own.behind.extend(is_own.then_some(behind));
                };
                add(place, written.clone(), behind.clone());
                for element in &self.places.get(place).elements {
                    let at: Vec<String> = (self.places.get(*element).subscripts.iter())
                        .map(i64::to_string)
                        .collect();
                    let at = at.join(",");
                    add(
                        *element,
                        format!("{written}({at})"),
                        format!("{behind}({at})"),
                    );
                }
            }
        }
        names
    }
}

/// In which way the user names a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Called {
    /// Behind the procedure, module or structure that it belongs to.
    Behind,
    /// As the source does.
    Plainly,
    /// A component, without the structure.
    Shortly,
}

/// What one place is called.
#[derive(Default)]
struct Names {
    has_case: bool,
    behind: BTreeSet<String>,
    plain: BTreeSet<String>,
    short: BTreeSet<String>,
}

impl Names {
    fn called(&self, set: &str) -> Option<Called> {
        let is_among = |names: &BTreeSet<String>| {
            let mut names = names.iter();
            names.any(|name| is_called(name, set, self.has_case))
        };
        if is_among(&self.plain) {
            Some(Called::Plainly)
        } else if is_among(&self.behind) {
            Some(Called::Behind)
        } else {
            is_among(&self.short).then_some(Called::Shortly)
        }
    }
}

/// Without blanks, and subscripts as Fortran writes them.
fn normal(name: &str) -> String {
    let name = name.replace(char::is_whitespace, "").replace("][", ",");
    name.replace('[', "(").replace(']', ")")
}
