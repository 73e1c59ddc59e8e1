//! Which elements of arrays the iterations of one loop have in common.
//!
//! Subscripts are those that the streams have ([`Symbols`]), with temporaries and variables that the loop advances
//! replaced, but over the iterations of that loop alone: whatever the loops around it change stays the same for it, and
//! is a symbol, whether it has an expression over their variables or not.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::loaded::is_loaded;
use super::references::{Part, follow};
use super::symbols::{Known, Symbols};
use crate::expr::Expr;
use crate::ir::visit::{InLoop, statements, values_of};
use crate::ir::{self, Role, Stmt, Value, VarId, pointed_dimensions};

/// The depth of the loop whose iterations are compared, which is the only one.
pub const DEPTH: usize = 1;

/// What is known while the body of a loop without loops inside is walked.
pub struct Compared<'f> {
    /// Where the walk stands.
    pub symbols: Symbols<'f>,
    arrays: Arrays,
    /// By the addresses of the values in the body.
    places: FxHashMap<*const Value, Place>,
}

/// An element, by array and subscripts.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub array: VarId,
    pub subscripts: Vec<Subscript>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Subscript {
    Is(Expr),
    /// Loaded from memory.
    Data,
    /// A variable that the loop changes in another way.
    Unknown,
}

impl Subscript {
    /// By how much one more of each variable moves it, where that is a whole number; `None` if it is not known.
    pub fn moved_by<const N: usize>(&self, variables: [&str; N]) -> Option<[i64; N]> {
        let Subscript::Is(expr) = self else {
            return None;
        };
        let linear = expr.linear_in(&variables)?;
        let by = linear.coefficients.iter().map(Expr::as_integer);
        by.collect::<Option<Vec<i64>>>()?.try_into().ok()
    }
}

/// When an element is read that an iteration has stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// In no later iteration that is near.
    Never,
    /// So many iterations later.
    After(u32),
    /// It was read so many iterations before.
    Before(u32),
    /// In all of them: it is one element.
    Always,
    /// That depends on sizes, which compilers compare before the loop begins.
    BySizes,
    /// That depends on data.
    ByData,
    Unknown,
}

/// The variable that counts iterations, and by how much. Those of a loop without one cannot be told apart.
#[derive(Clone, Copy)]
pub struct Counter<'a> {
    /// Of a loop that counts with a variable.
    pub id: Option<VarId>,
    pub name: &'a str,
    pub step: &'a Expr,
    /// From where to where it counts.
    pub range: (&'a Expr, &'a Expr),
}

impl<'f> Compared<'f> {
    /// For a loop without loops inside that both stores elements of arrays and reads elements of these.
    pub fn of(inner: &ir::Loop, symbols: &Symbols<'f>) -> Option<Compared<'f>> {
        let arrays = Arrays::of(&inner.body, symbols)?;
        // What has no expression stays the same, but for what the loop itself changes.
        let is_expression = |known: &Known| !matches!(known, Known::Changes { .. });
        let known: BTreeMap<VarId, Known> = (symbols.known.iter())
            .filter(|(_, known)| is_expression(known))
            .map(|(id, known)| (*id, known.clone()))
            .collect();
        let symbols = Symbols {
            known,
            assigned_once: symbols.assigned_once.clone(),
            set: symbols.set.clone(),
            roots: symbols.roots.clone(),
            chased: symbols.chased.clone(),
            has_alternatives: symbols.has_alternatives,
            ..Symbols::outside_loops(symbols.function, symbols.effects, symbols.own_name)
        };
        Some(Compared {
            symbols,
            arrays,
            places: FxHashMap::default(),
        })
    }

    /// Notes where an element is, which the walk has come to.
    pub fn reach(&mut self, element: &Value) {
        let Value::Element {
            array, subscripts, ..
        } = element
        else {
            return;
        };
        let has_pointers = self.symbols.function.conventions.has_pointers();
        let is_pointer = has_pointers && pointed_dimensions(subscripts).is_some();
        if is_pointer || !self.arrays.include(*array) {
            return;
        }
        let place = self.place_of(*array, subscripts);
        self.places.insert(std::ptr::from_ref(element), place);
    }

    /// Where an element is that the walk has come to; `None` of arrays that are not both stored to and read.
    pub fn place(&self, element: &Value) -> Option<&Place> {
        self.places.get(&std::ptr::from_ref(element))
    }

    fn place_of(&mut self, array: VarId, subscripts: &[Value]) -> Place {
        let followed = follow(&self.symbols, array, subscripts);
        let array = followed.array;
        let subscripts = match followed.pointer {
            Some(pointer) if pointer.loaded => vec![Subscript::Data],
            Some(_) => vec![Subscript::Unknown],
            None => {
                let parts = followed.parts.into_iter();
                parts.map(|part| self.subscript(part)).collect()
            }
        };
        Place { array, subscripts }
    }

    fn subscript(&mut self, part: Part) -> Subscript {
        let (value, plus) = match part {
            Part::Given(value) => (value, None),
            Part::Last(value, plus) => (value, plus),
            Part::Of(expr) => return Subscript::Is(expr),
        };
        let Some(expr) = self.symbols.expression(value) else {
            return match is_loaded(&self.symbols, value) {
                true => Subscript::Data,
                false => Subscript::Unknown,
            };
        };
        let expr = plus.iter().fold(expr, |sum, plus| sum + plus.clone());
        Subscript::Is(self.with_constants(expr))
    }

    /// Named constants are their numbers.
    pub fn with_constants(&self, expr: Expr) -> Expr {
        let named = |id: &ir::Variable| matches!(id.role, Role::Constant(_));
        let function = self.symbols.function;
        let mut result = expr;
        for symbol in result.symbols() {
            let constant = self.symbols.constants.get(&symbol);
            let variable = (function.variables.iter()).find(|v| v.name.as_str() == symbol.name());
            if let Some(number) = constant.filter(|known| known.value.as_number().is_some())
                && variable.is_some_and(named)
            {
                result = result.with(symbol.name(), &number.value);
            }
        }
        result
    }

    /// Keeps what the side of a branch that the walk is behind and its other side say alike.
    pub fn join(&mut self, then: &BTreeMap<VarId, Known>) {
        let otherwise = std::mem::take(&mut self.symbols.known);
        let is_loaded =
            |known: Option<&Known>| matches!(known, Some(Known::Changes { loaded: true, .. }));
        let ids: BTreeSet<VarId> = then.keys().chain(otherwise.keys()).copied().collect();
        let joined = ids.into_iter().map(|id| {
            let sides = [then.get(&id), otherwise.get(&id)];
            let known = match sides {
                [Some(one), Some(other)] if one == other => one.clone(),
                _ => Known::Changes {
                    depth: DEPTH,
                    loaded: sides.into_iter().any(is_loaded),
                },
            };
            (id, known)
        });
        self.symbols.known = joined.collect();
    }
}

/// Arrays with elements that are worth a comparison.
enum Arrays {
    /// Pointers may lead from one to another.
    All,
    These(BTreeSet<VarId>),
}

impl Arrays {
    /// `None` if no element can be both stored and read.
    fn of(body: &[Stmt], symbols: &Symbols) -> Option<Arrays> {
        let (mut stored, mut read) = (BTreeSet::new(), BTreeSet::new());
        let (mut assigned, mut has_loop) = (BTreeSet::new(), false);
        statements(body, InLoop::Yes, &mut |statement, _| {
            has_loop |= matches!(statement, Stmt::Loop(_));
            let target = match statement {
                Stmt::Assign { target, .. } => Some(target),
                _ => None,
            };
            match target {
                Some(Value::Element { array, .. }) => drop(stored.insert(*array)),
                Some(Value::Variable(id)) => drop(assigned.insert(*id)),
                _ => {}
            }
            values_of(statement, &mut |value| {
                if let Value::Element { array, .. } = value
                    && target.is_none_or(|target| !std::ptr::eq(target, value))
                {
                    read.insert(*array);
                }
            });
        });
        let is_moved = |id: &VarId| {
            let root = symbols.roots.get(id).unwrap_or(id);
            symbols.known.contains_key(root) || assigned.contains(root)
        };
        if has_loop || stored.is_empty() || read.is_empty() {
            return None;
        }
        let has_pointers = symbols.function.conventions.has_pointers();
        if has_pointers && stored.iter().chain(&read).any(is_moved) {
            return Some(Arrays::All);
        }
        stored.retain(|array| read.contains(array));
        (!stored.is_empty()).then_some(Arrays::These(stored))
    }

    fn include(&self, array: VarId) -> bool {
        match self {
            Arrays::All => true,
            Arrays::These(some) => some.contains(&array),
        }
    }
}

impl Place {
    /// Whether its subscripts are all known.
    pub fn is_known(&self) -> bool {
        let is_known = |subscript: &Subscript| matches!(subscript, Subscript::Is(_));
        self.subscripts.iter().all(is_known)
    }

    /// When this element, which an iteration stores, is the one that a later iteration reads.
    pub fn meets(&self, read: &Place, counter: Counter) -> Meeting {
        if self.array != read.array {
            return Meeting::Never;
        }
        if self.subscripts.len() != read.subscripts.len() {
            return Meeting::Unknown;
        }
        let pairs = self.subscripts.iter().zip(&read.subscripts);
        let all: Vec<Meeting> = pairs.map(|(s, r)| dimension(s, r, counter)).collect();
        all.iter().copied().fold(Meeting::Always, Meeting::and)
    }
}

impl Place {
    /// Whether it is certain that some iteration stores an element which others read and which moves on differently: one
    /// that all of them read, such as `a[i][k]` beside `a[i][j]` in a loop over all `j`, where the variable of a loop
    /// around or a constant says which it is, or one on the way back, such as `a[n - 1 - j]` beside `a[j]`.
    pub fn passes(&self, read: &Place, counter: Counter, outer: &[Counter]) -> bool {
        let mut moves = false;
        let is_passed = |(stored, read): (&Subscript, &Subscript)| {
            let (Subscript::Is(stored), Subscript::Is(read)) = (stored, read) else {
                return false;
            };
            let apart = (stored.clone() - read.clone()).expand();
            if !apart.mentions(counter.name) {
                return apart.is_zero() && !read.mentions(counter.name);
            }
            moves = true;
            // The iteration that stores it, if each moves on by one element.
            let variable = Expr::symbol(counter.name);
            let at = (variable.clone() - apart).expand();
            if !read.mentions(counter.name) {
                return !at.mentions(counter.name) && is_within(&at, counter, outer);
            }
            // The sum of the iterations that store and read an element, if one moves on and the other one back.
            let moved = |place: &Expr| (place.clone() - variable.clone()).expand();
            let (there, back) = (moved(stored), (read.clone() + variable.clone()).expand());
            let both = (back - there).expand();
            !both.mentions(counter.name) && is_crossed(&both, counter)
        };
        let has_steps = counter
            .step
            .as_integer()
            .is_some_and(|step| step.abs() == 1);
        has_steps
            && !counter.name.is_empty()
            && self.array == read.array
            && self.subscripts.len() == read.subscripts.len()
            && (self.subscripts.iter().zip(&read.subscripts)).all(is_passed)
            && moves
    }
}

/// Whether the variable of one of the loops around, moved by a constant, is always a value of the counter, or a value that
/// stays the same is one whatever the sizes are.
fn is_within(at: &Expr, counter: Counter, outer: &[Counter]) -> bool {
    let (first, last) = counter.ends();
    let is_between = is_never_negative(&(at.clone() - first.clone()))
        && is_never_negative(&(last.clone() - at.clone()));
    let is_at_least = |one: Expr, other: &Expr| {
        let apart = (one - other.clone()).expand().as_number();
        apart.is_some_and(|apart| apart >= 0.0)
    };
    is_between
        || outer.iter().any(|around| {
            let by = (at.clone() - Expr::symbol(around.name)).expand();
            let (lower, upper) = around.ends();
            by.as_number().is_some()
                && around.step.as_integer().is_some_and(|step| step.abs() == 1)
                && is_at_least(lower.clone() + by.clone(), first)
                && is_at_least(last.clone(), &(upper.clone() + by))
        })
}

/// Whether two different iterations of the counter have this sum, whatever the sizes are.
fn is_crossed(sum: &Expr, counter: Counter) -> bool {
    let (first, last) = counter.ends();
    is_never_negative(&(sum.clone() - first.clone() * 2.0 - 1.0))
        && is_never_negative(&(last.clone() * 2.0 - sum.clone() - 1.0))
}

/// Whether an expression is not negative where none of its symbols is below 2: sums of sizes are found, nothing else.
fn is_never_negative(expr: &Expr) -> bool {
    let expr = expr.expand();
    let symbols = expr.symbols();
    let mut least = expr.clone();
    for symbol in &symbols {
        let next = Expr::symbol(symbol.name()) + 1.0;
        let by = (expr.with(symbol.name(), &next) - expr.clone()).expand();
        if by.as_number().is_none_or(|by| by < 0.0) {
            return false;
        }
        least = least.with(symbol.name(), &2.0.into());
    }
    let least = least.expand().as_number();
    least.is_some_and(|least| least >= 0.0)
}

impl<'a> Counter<'a> {
    /// With other expressions of the same range.
    pub fn over<'b>(&self, range: (&'b Expr, &'b Expr)) -> Counter<'b>
    where
        'a: 'b,
    {
        Counter { range, ..*self }
    }

    /// Its smallest and its largest value.
    fn ends(&self) -> (&'a Expr, &'a Expr) {
        let (from, to) = self.range;
        match self.step.as_integer() {
            Some(step) if step < 0 => (to, from),
            _ => (from, to),
        }
    }
}

impl Meeting {
    /// In both of two dimensions.
    fn and(self, other: Meeting) -> Meeting {
        use Meeting::{After, Always, Before, ByData, BySizes, Never, Unknown};
        match (self, other) {
            (Never, _) | (_, Never) => Never,
            (After(one), After(another)) | (Before(one), Before(another)) if one != another => {
                Never
            }
            (After(_), Before(_)) | (Before(_), After(_)) => Never,
            (Unknown, _) | (_, Unknown) => Unknown,
            (ByData, _) | (_, ByData) => ByData,
            (BySizes, _) | (_, BySizes) => BySizes,
            (After(one), _) | (_, After(one)) => After(one),
            (Before(one), _) | (_, Before(one)) => Before(one),
            (Always, Always) => Always,
        }
    }
}

/// An element that is read more iterations later causes no stall: no vectors are longer.
const MOST_APART: u32 = 64;

fn dimension(stored: &Subscript, read: &Subscript, counter: Counter) -> Meeting {
    let (stored, read) = match (stored, read) {
        (Subscript::Is(stored), Subscript::Is(read)) => (stored, read),
        (Subscript::Unknown, _) | (_, Subscript::Unknown) => return Meeting::Unknown,
        _ => return Meeting::ByData,
    };
    let apart = (stored.clone() - read.clone()).expand();
    let moves = |place: &Expr| !counter.name.is_empty() && place.mentions(counter.name);
    if !moves(stored) && !moves(read) {
        return match apart.as_number() {
            Some(0.0) => Meeting::Always,
            Some(_) => Meeting::Never,
            None => Meeting::BySizes,
        };
    }
    let next = Expr::symbol(counter.name) + counter.step.clone();
    let moved_by = |place: &Expr| (place.with(counter.name, &next) - place.clone()).expand();
    let moved = moved_by(read);
    if moved.mentions(counter.name) || moved_by(stored).mentions(counter.name) {
        // An element that moves by another distance in each iteration, such as one of a ring.
        return Meeting::Unknown;
    }
    if apart.mentions(counter.name) {
        // They move by different distances: in some iterations they may meet.
        return Meeting::BySizes;
    }
    match (apart.as_number(), moved.as_number()) {
        (Some(apart), Some(0.0)) => match apart == 0.0 {
            true => Meeting::Always,
            false => Meeting::Never,
        },
        (Some(apart), Some(moved)) => {
            let iterations = apart / moved;
            let is_near = (1.0..=f64::from(MOST_APART)).contains(&iterations.abs());
            match is_near && iterations.fract() == 0.0 {
                true if iterations > 0.0 => Meeting::After(iterations as u32),
                true => Meeting::Before(-iterations as u32),
                false => Meeting::Never,
            }
        }
        (Some(0.0), None) => Meeting::Never,
        _ => {
            let is_so_many = |n: &u32| {
                (apart.clone() - moved.clone() * f64::from(*n))
                    .expand()
                    .is_zero()
            };
            let is_ahead = || (apart.clone() + moved.clone()).expand().is_zero();
            match (1..=MOST_APART / 16).find(is_so_many) {
                Some(found) if !moved.is_zero() => Meeting::After(found),
                _ if !moved.is_zero() && is_ahead() => Meeting::Before(1),
                _ => Meeting::BySizes,
            }
        }
    }
}
