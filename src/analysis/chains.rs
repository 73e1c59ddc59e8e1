//! What the iterations of an innermost loop wait for: chains of operations from a value to the same value of a later
//! iteration, through scalars that an iteration reads before it writes them, and through elements that an earlier
//! iteration has stored (`x[i - 1]`).
//!
//! Statements are followed in their order, with the longest way from every carried value to every other one. Elements
//! are the same where their subscripts differ by a multiple of what an iteration moves them by ([`Place::meets`]).
//! A structure that is given as a whole (`z = add(mul(z, z), c)`) passes on what its members wait for.
//! Stored values are taken to stay in registers, as compilers keep them. Two values that lead into each other are one
//! chain; longer rings are not looked for. Of whole numbers, sums and their like make no chain, as compilers order them
//! as they like.

mod addresses;
mod integers;

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::arms;
use super::compared::{Compared, Counter, Meeting, Place, Subscript};
use super::in_core::{Carried, Chain, ChainKind, Functions, InCore, Order, Steps};
use super::integer_divisions;
use crate::expr::Expr;
use crate::intrinsics::{Elementary, IntrinsicKind, Intrinsics};
use crate::ir::visit::{InLoop, each_value, statements, values_of};
use crate::ir::{
    BinaryOp, DomainErrors, Extremum, Function, If, Jump, Name, NotNumbers, Step, Stmt, Type,
    UnaryOp, Value, VarId,
};

/// What is asked of the code that calls, and is around, a loop.
pub struct Asked<'a> {
    /// What a call statement comes to.
    pub called: &'a dyn Fn(&Stmt) -> Called,
    /// As in [`Chain::set_around`], of a scalar.
    pub set_around: &'a dyn Fn(VarId) -> u32,
}

/// What the core does in the statements of a loop without loops inside, which advances some variables by the same in every
/// iteration; `outer` count the loops around it.
pub fn in_core<'c>(
    function: &Function,
    body: &[Stmt],
    (counter, outer): (Counter<'c>, &[Counter<'c>]),
    (compared, advanced): (Option<&Compared>, &BTreeSet<VarId>),
    Asked { called, set_around }: Asked,
) -> InCore {
    let walked = |counter, around, moved: Option<Moved<'c>>| {
        let mut walk = Walk {
            moved,
            function,
            advanced,
            counter,
            compared,
            called,
            set_around,
            order: Order::Shown,
            at_once: None,
            stores: Vec::new(),
            sources: Vec::new(),
            values: FxHashMap::default(),
            wholes: FxHashMap::default(),
            stored: Vec::new(),
            functions: Functions::default(),
        };
        walk.find_carried(body, around);
        walk.block(body);
        let carried = Carried {
            chains: walk.chains(),
            order: walk.order,
            at_once: walk.at_once,
        };
        (carried, walk.functions)
    };
    let (carried, mut functions) = walked(counter, outer, None);
    let changing: BTreeSet<VarId> = advanced.iter().copied().chain(counter.id).collect();
    functions.choices = arms::count(function, body);
    functions.integer_divisions = integer_divisions::count(function, body, changing);
    let by_name = |outer: &Counter<'c>| {
        let mut carried = walked(*outer, &[], None).0;
        let moved = compared.and_then(|known| Moved::of(body, known, (counter, *outer)));
        if let Some(moved) = moved {
            let mut more = walked(*outer, &[], Some(moved)).0.chains;
            more.retain(|one| carried.chains.iter().all(|known| known.name != one.name));
            carried.chains.append(&mut more);
        }
        (outer.name.to_string(), carried)
    };
    InCore {
        carried,
        outer: outer.iter().map(by_name).collect(),
        functions,
        compiled: Default::default(),
        notes_errors: function.conventions.domain_errors == DomainErrors::Noted,
    }
}

/// Stores that are told apart; what more of them a loop has is taken to lead nowhere.
const MOST_STORES: usize = 64;
/// Chains that are kept.
const MOST_CHAINS: usize = 4;

/// A value that one iteration has from an earlier one.
struct Source {
    carrier: Carrier,
    /// Whether something else is made from it than its next value.
    is_used: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Carrier {
    Scalar(VarId),
    /// What a store left so many iterations ago.
    Store {
        store: usize,
        distance: u32,
        moves: bool,
    },
}

/// What has been done to a carried value on the way to another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Done {
    Nothing,
    Added,
    Multiplied,
    Compared,
    /// By a minimum or maximum of the language.
    Extremum,
    /// Bit by bit, by one operation.
    Bits(BinaryOp),
    /// Something in which the order counts.
    More,
}

#[derive(Clone, Copy)]
struct Way {
    source: usize,
    steps: Steps,
    done: Done,
}

/// The longest way from every carried value.
type Ways = Vec<Way>;

/// What a call statement comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// The body that it calls stands behind it.
    Replaced,
    /// It ends the program: it has its place between the stores of two iterations.
    Ends,
    Other,
}

/// Executions of the innermost loop that go to the elements of the one before from another iteration on: `y[j + i]`, which
/// the next `j` has an `i` earlier. Counted from where they meet, the elements are the same.
struct Moved<'f> {
    innermost: &'f str,
    /// The innermost variable from which the elements of an execution are those of the first one.
    from: Expr,
    /// How many iterations earlier each execution meets the elements of the one before.
    iterations: i64,
}

impl<'f> Moved<'f> {
    /// By the first element that is stored where both loops move; `None` if there is none, or it is not by whole iterations.
    fn of(
        body: &[Stmt],
        compared: &Compared,
        (innermost, outer): (Counter<'f>, Counter<'f>),
    ) -> Option<Moved<'f>> {
        let steps = innermost.step.as_integer().zip(outer.step.as_integer());
        let (step, outer_step) = steps.filter(|(step, _)| *step != 0)?;
        if innermost.name.is_empty() || outer.name.is_empty() {
            return None;
        }
        let mut found = None;
        statements(body, InLoop::No, &mut |statement, _| {
            let Stmt::Assign { target, .. } = statement else {
                return;
            };
            let place = compared.place(target).filter(|place| place.is_known());
            for subscript in place.iter().flat_map(|place| &place.subscripts) {
                let by = subscript.moved_by([innermost.name, outer.name]);
                let Some([by, outer_by]) = by.filter(|by| by.iter().all(|one| *one != 0)) else {
                    continue;
                };
                let moved = outer_by / by;
                let iterations = moved * outer_step / step;
                if [outer_by % by, moved * outer_step % step] == [0, 0] {
                    found = found.or(Some((moved, iterations)));
                }
            }
        });
        let (moved, iterations) = found?;
        let back = Expr::symbol(outer.name) * moved as f64;
        Some(Moved {
            innermost: innermost.name,
            from: Expr::symbol(innermost.name) - back,
            iterations,
        })
    }

    fn place(&self, place: &Place) -> Place {
        let moved = |subscript: &Subscript| match subscript {
            Subscript::Is(expr) => Subscript::Is(expr.with(self.innermost, &self.from).expand()),
            other => other.clone(),
        };
        Place {
            array: place.array,
            subscripts: place.subscripts.iter().map(moved).collect(),
        }
    }
}

struct Walk<'f> {
    function: &'f Function,
    counter: Counter<'f>,
    moved: Option<Moved<'f>>,
    compared: Option<&'f Compared<'f>>,
    /// Whole numbers that follow from that of the iteration.
    advanced: &'f BTreeSet<VarId>,
    /// What call statements come to.
    called: &'f dyn Fn(&Stmt) -> Called,
    /// As in [`Chain::set_around`].
    set_around: &'f dyn Fn(VarId) -> u32,
    order: Order,
    at_once: Option<u32>,
    stores: Vec<Place>,
    sources: Vec<Source>,
    /// Of scalars that the loop gives values.
    values: FxHashMap<VarId, Ways>,
    /// Of structures that this iteration has given as a whole, by the way to each member.
    wholes: FxHashMap<VarId, Vec<(Name, Ways)>>,
    /// What this iteration has stored so far.
    stored: Vec<(Place, Ways)>,
    functions: Functions,
}

impl Walk<'_> {
    fn find_carried(&mut self, body: &[Stmt], outer: &[Counter]) {
        let (mut scalars, mut stored, mut read) = (Vec::new(), Vec::new(), Vec::new());
        statements(body, InLoop::Yes, &mut |statement, _| {
            let target = match statement {
                Stmt::Assign { target, .. } => Some(target),
                _ => None,
            };
            if let Some(Value::Variable(id)) = target {
                scalars.push(*id);
                scalars.extend(self.members(*id).into_iter().map(|(member, _)| member));
            }
            values_of(statement, &mut |part| {
                let Some(place) = self.compared.and_then(|known| known.place(part)) else {
                    return;
                };
                let place = self.seen(place);
                let is_target = target.is_some_and(|target| std::ptr::eq(target, part));
                let places: &mut Vec<Cow<Place>> = match is_target {
                    true => &mut stored,
                    false => &mut read,
                };
                if !places.contains(&place) {
                    places.push(place);
                }
            });
        });
        let pointers: Vec<VarId> = (scalars.iter().copied())
            .filter(|id| self.is_pointer(*id))
            .collect();
        scalars.retain(|id| self.is_carrier(*id) && !self.is_behind(*id, &pointers));
        scalars.sort_unstable_by_key(|id| id.0);
        scalars.dedup();
        for id in scalars {
            let way = self.way_from(Carrier::Scalar(id));
            self.values.insert(id, vec![way]);
        }
        stored.retain(|one| read.iter().any(|other| other.array == one.array));
        let ranges: Vec<(Expr, Expr)> = (std::iter::once(&self.counter).chain(outer))
            .map(|counter| self.range(counter))
            .collect();
        let mut counters = (std::iter::once(&self.counter).chain(outer).zip(&ranges))
            .map(|(counter, (from, to))| counter.over((from, to)));
        let counter = counters.next().expect("the loop's own");
        let outer: Vec<Counter> = counters.collect();
        for (one, other) in stored.iter().flat_map(|s| read.iter().map(move |r| (s, r))) {
            let order = match one.meets(other, self.counter) {
                Meeting::Unknown => Order::Unknown,
                Meeting::ByData => Order::ByData,
                // Compilers that look whether it lies among those that are stored find that it does.
                _ if one.passes(other, counter, &outer) => Order::Carried,
                _ => Order::Shown,
            };
            self.order = self.order.max(order);
        }
        let known = stored.into_iter().filter(|place| place.is_known());
        self.stores = known.take(MOST_STORES).map(Cow::into_owned).collect();
    }

    /// From where to where a counter counts, as subscripts have it.
    fn range(&self, counter: &Counter) -> (Expr, Expr) {
        let (from, to) = counter.range;
        let named = |end: &Expr| match self.compared {
            Some(compared) => compared.with_constants(end.clone()),
            None => end.clone(),
        };
        (named(from), named(to))
    }

    /// Numbers and addresses that are not known before the loop begins.
    fn is_carrier(&self, id: VarId) -> bool {
        let variable = self.function.variable(id);
        let follows = self.advanced.contains(&id);
        match self.is_pointer(id) {
            true => !follows,
            false if variable.ty.is_floating() => true,
            false => matches!(variable.ty, Type::Integer(..)) && !follows,
        }
    }

    /// Where an element is, if it can be compared.
    fn place(&self, value: &Value) -> Option<Place> {
        let place = self.compared?.place(value)?;
        place.is_known().then(|| self.seen(place).into_owned())
    }

    /// An element as the iterations that are compared have it.
    fn seen<'p>(&self, place: &'p Place) -> Cow<'p, Place> {
        match &self.moved {
            Some(moved) => Cow::Owned(moved.place(place)),
            None => Cow::Borrowed(place),
        }
    }

    fn way_from(&mut self, carrier: Carrier) -> Way {
        let known = self.sources.iter().position(|s| s.carrier == carrier);
        let source = known.unwrap_or_else(|| {
            self.sources.push(Source {
                carrier,
                is_used: false,
            });
            self.sources.len() - 1
        });
        Way {
            source,
            steps: Steps::default(),
            done: Done::Nothing,
        }
    }

    fn block(&mut self, body: &[Stmt]) {
        for statement in body {
            match statement {
                Stmt::Assign { target, value, .. } => self.assign(target, value),
                Stmt::If(branch) => self.branch(branch),
                Stmt::Opaque { inner, .. } => self.block(inner),
                Stmt::Call { .. } | Stmt::Evaluate { .. } => {
                    match (self.called)(statement) {
                        Called::Replaced => continue,
                        Called::Ends => self.order = self.order.max(Order::Carried),
                        Called::Other => {}
                    }
                    let mut used = Ways::new();
                    values_of(statement, &mut |value| {
                        if let Value::Variable(id) = value {
                            used.extend(self.variable(*id));
                        }
                    });
                    self.use_up(&used, None);
                }
                // What may end the program has its place between the stores of two iterations.
                Stmt::Jump {
                    kind: Jump::Stop, ..
                } => self.order = self.order.max(Order::Carried),
                Stmt::Loop(_) | Stmt::Jump { .. } | Stmt::Mark { .. } => {}
            }
        }
    }

    fn branch(&mut self, branch: &If) {
        let extremum = branch.extremum();
        if let Some(Extremum {
            target,
            value,
            is_alone: true,
        }) = extremum
        {
            let sides = longest(self.value(target), self.value(value));
            let found = self.chosen(sides, target, Done::Compared);
            return self.give(target, found);
        }
        let ways = self.value(&branch.condition);
        self.use_up(&ways, None);
        let before = (
            self.values.clone(),
            self.stored.clone(),
            self.wholes.clone(),
        );
        self.block(&branch.then);
        let values = std::mem::replace(&mut self.values, before.0);
        let stored = std::mem::replace(&mut self.stored, before.1);
        let wholes = std::mem::replace(&mut self.wholes, before.2);
        self.block(&branch.otherwise);
        for (id, members) in wholes {
            let known = self.wholes.entry(id).or_default();
            for (way, ways) in members {
                join(known, way, ways);
            }
        }
        for (id, ways) in values {
            let known = self.values.entry(id).or_default();
            *known = longest(std::mem::take(known), ways);
        }
        for (place, ways) in stored {
            match self.stored.iter_mut().find(|(known, _)| *known == place) {
                Some((_, known)) => *known = longest(std::mem::take(known), ways),
                None => self.stored.push((place, ways)),
            }
        }
        self.choose(branch, &ways);
        // What else is kept of the iteration that has it, such as its number, cannot wait for the end.
        if let Some(Extremum {
            target: Value::Variable(id),
            ..
        }) = extremum
            && let Some(known) = self.values.get_mut(id)
        {
            let found = std::mem::take(known);
            *known = stepped(found, |steps| steps.selections += 1, Done::More);
        }
    }

    /// Something other than the next value of `except` is made from these.
    fn use_up(&mut self, ways: &Ways, except: Option<&Carrier>) {
        for way in ways {
            let source = &mut self.sources[way.source];
            source.is_used |= except != Some(&source.carrier);
        }
    }

    /// Numbers that say which element it is: whole ones that are carried must be known one after the other.
    fn use_as_subscripts(&mut self, subscripts: &[Value]) {
        for subscript in subscripts {
            let mut carried = Ways::new();
            each_value(subscript, &mut |part| {
                if let Value::Variable(id) = part {
                    carried.extend(self.values.get(id).into_iter().flatten().copied());
                }
            });
            self.use_up(&carried, None);
        }
    }

    fn assign(&mut self, target: &Value, value: &Value) {
        match target {
            Value::Variable(id) if self.is_structure(*id) => self.give_whole(*id, value),
            _ => {
                let ways = self.value(value);
                self.give(target, ways);
            }
        }
    }

    /// Gives a structure what another one has, member by member; what is no structure here leaves nothing to wait for.
    fn give_whole(&mut self, target: VarId, value: &Value) {
        let given = match value.unconverted() {
            Value::Variable(from) => self.parts(*from),
            other => {
                let ways = self.value(other);
                self.use_up(&ways, None);
                Vec::new()
            }
        };
        for (member, way) in self.members(target) {
            if let Some(ways) = self.values.get_mut(&member) {
                let found = given.iter().find(|(other, _)| *other == way);
                *ways = found.map(|(_, ways)| ways.clone()).unwrap_or_default();
            }
        }
        self.wholes.insert(target, given);
    }

    fn is_structure(&self, id: VarId) -> bool {
        let variable = self.function.variable(id);
        matches!(variable.ty, Type::Derived(..)) && variable.dimensions.is_empty()
    }

    /// The variables that stand for members of a structure, and the ways to them.
    fn members(&self, structure: VarId) -> Vec<(VarId, Name)> {
        if !self.is_structure(structure) {
            return Vec::new();
        }
        let name = &self.function.variable(structure).name;
        let ids = (0..).map(VarId).zip(&self.function.variables);
        ids.filter_map(|(id, variable)| Some((id, way_to(&variable.name, name)?)))
            .collect()
    }

    /// What the members of a structure wait for.
    fn parts(&self, structure: VarId) -> Vec<(Name, Ways)> {
        let mut parts = self.wholes.get(&structure).cloned().unwrap_or_default();
        for (member, way) in self.members(structure) {
            if let Some(ways) = self.values.get(&member) {
                parts.retain(|(other, _)| *other != way);
                parts.push((way, ways.clone()));
            }
        }
        parts
    }

    fn variable(&self, id: VarId) -> Ways {
        match self.values.get(&id) {
            Some(ways) => ways.clone(),
            None => {
                let parts = self.parts(id).into_iter();
                parts.fold(Ways::new(), |ways, (_, other)| longest(ways, other))
            }
        }
    }

    fn give(&mut self, target: &Value, ways: Ways) {
        match target {
            Value::Variable(id) if self.values.contains_key(id) => {
                self.values.insert(*id, ways);
            }
            Value::Element { subscripts, .. } => {
                self.use_as_subscripts(subscripts);
                let place = self.place(target);
                let store = place
                    .as_ref()
                    .and_then(|place| self.stores.iter().position(|known| known == place));
                // An element that stays the same is as good as a scalar.
                let own = store.map(|store| Carrier::Store {
                    store,
                    distance: 1,
                    moves: false,
                });
                self.use_up(&ways, own.as_ref());
                if let Some(place) = place.filter(|_| store.is_some()) {
                    self.stored.retain(|(known, _)| *known != place);
                    self.stored.push((place, ways));
                }
            }
            _ => self.use_up(&ways, None),
        }
    }

    fn value(&mut self, value: &Value) -> Ways {
        if let Some(ways) = self.divided(value) {
            return ways;
        }
        match value {
            Value::Variable(id) => longest(self.variable(*id), self.pointed(*id)),
            Value::Element {
                array, subscripts, ..
            } => {
                self.use_as_subscripts(subscripts);
                let (found, is_loaded) = self.element(value);
                match is_loaded {
                    true => longest(found, self.loaded(*array, subscripts)),
                    false => found,
                }
            }
            Value::Address { of, .. } => match &**of {
                Value::Element { subscripts, .. } => self.address(subscripts),
                _ => Ways::new(),
            },
            Value::Unary(op, operand) => {
                let ways = self.value(operand);
                match op {
                    _ if self.is_whole(value) => self.integer(ways, Done::More),
                    UnaryOp::Negate => stepped(ways, |_| {}, Done::More),
                    _ => ways,
                }
            }
            Value::Convert(_, operand) => self.value(operand),
            Value::Binary(op, left, right) => self.binary(value, *op, left, right),
            Value::Call {
                name, arguments, ..
            } => {
                let mut ways = Ways::new();
                for argument in arguments {
                    ways = longest(ways, self.value(argument));
                }
                self.call(value, name, ways)
            }
            Value::Select(condition, then, otherwise) => {
                let (decides, done) = match value.extremum() {
                    Some(_) => (Ways::new(), Done::Compared),
                    None => {
                        let ways = self.value(condition);
                        self.use_up(&ways, None);
                        (ways, Done::More)
                    }
                };
                // Of two values that a comparison chooses from, it reads both.
                let (one, other) = value.extremum().unwrap_or((then, otherwise));
                let mut sides = longest(self.value(one), self.value(other));
                if self.is_whole(value) {
                    sides = longest(sides, stepped(decides, |_| {}, Done::More));
                }
                self.chosen(sides, value, done)
            }
            Value::Opaque { inner, .. } => {
                let mut ways = Ways::new();
                for part in inner {
                    ways = longest(ways, self.value(part));
                }
                stepped(ways, |_| {}, Done::More)
            }
            _ => Ways::new(),
        }
    }

    /// What an element waits for as a value, and whether it is loaded: what this iteration has stored is still there.
    fn element(&mut self, value: &Value) -> (Ways, bool) {
        let Some(place) = self.place(value) else {
            return (Ways::new(), true);
        };
        if let Some((_, ways)) = self.stored.iter().find(|(known, _)| *known == place) {
            return (ways.clone(), false);
        }
        self.limit(&place);
        let carrier = |store: usize| {
            let (distance, moves) = match self.stores[store].meets(&place, self.counter) {
                Meeting::After(distance) => (distance, true),
                Meeting::Always => (1, false),
                _ => return None,
            };
            Some(Carrier::Store {
                store,
                distance,
                moves,
            })
        };
        let found =
            (0..self.stores.len())
                .filter_map(carrier)
                .min_by_key(|carrier| match carrier {
                    Carrier::Store { distance, .. } => *distance,
                    Carrier::Scalar(_) => 0,
                });
        let is_kept = found.is_some();
        let ways = found.map(|carrier| self.way_from(carrier));
        (ways.into_iter().collect(), !is_kept)
    }

    /// Vectors do a statement in several iterations before the next statement. Of two that have an element in common, so
    /// many iterations apart, the one of the earlier iteration must then be the first of the body.
    fn limit(&mut self, read: &Place) {
        for store in &self.stores {
            let is_behind = self.stored.iter().any(|(known, _)| known == store);
            let apart = match store.meets(read, self.counter) {
                Meeting::After(apart) if !is_behind => apart,
                Meeting::Before(apart) if is_behind => apart,
                _ => continue,
            };
            self.at_once = Some(self.at_once.map_or(apart, |known| known.min(apart)));
        }
    }

    fn binary(&mut self, value: &Value, op: BinaryOp, left: &Value, right: &Value) -> Ways {
        let is_floating = value.ty(self.function).is_floating();
        if !is_floating {
            let ways = longest(self.value(left), self.value(right));
            if op.is_comparison() {
                self.use_up(&ways, None);
                return stepped(ways, |_| {}, Done::More);
            }
            return self.whole(ways, op, [left, right]);
        }
        match op {
            BinaryOp::Add | BinaryOp::Subtract => {
                let is_product =
                    |side: &Value| matches!(side, Value::Binary(BinaryOp::Multiply, ..));
                let products = (is_product(left), is_product(right));
                let after = match op {
                    BinaryOp::Subtract => Done::More,
                    _ => Done::Added,
                };
                // Of two products, compilers fuse the first one.
                let added = self.added(left, products, Done::Added);
                let other = self.added(right, (products.1 && !products.0, products.0), after);
                longest(added, other)
            }
            BinaryOp::Multiply => {
                let ways = longest(self.value(left), self.value(right));
                stepped(ways, |steps| steps.multiplies += 1, Done::Multiplied)
            }
            BinaryOp::Divide => {
                let ways = longest(self.value(left), self.value(right));
                stepped(ways, |steps| steps.divides += 1, Done::More)
            }
            BinaryOp::Power => {
                let ways = longest(self.value(left), self.value(right));
                match right {
                    Value::Integer(_) => stepped(ways, |steps| steps.multiplies += 1, Done::More),
                    _ => {
                        self.functions.powers += 1;
                        stepped(ways, |steps| steps.specials += 1, Done::More)
                    }
                }
            }
            _ => longest(self.value(left), self.value(right)),
        }
    }

    /// What an addition does to one of its sides, which may be a product that is fused with it, or added to such a one.
    fn added(&mut self, side: &Value, (is_fused, to_product): (bool, bool), done: Done) -> Ways {
        let ways = self.value(side);
        match (is_fused, to_product) {
            (true, _) => stepped(ways, fuse, Done::More),
            (false, true) => added_to_product(ways, done),
            (false, false) => stepped(ways, |steps| steps.adds += 1, done),
        }
    }

    fn call(&mut self, value: &Value, name: &str, ways: Ways) -> Ways {
        let language = self.function.conventions.language;
        let known = Intrinsics::builtin().lookup(language, name);
        let is_floating = value.ty(self.function).is_floating();
        match known.map(|known| known.kind) {
            Some(IntrinsicKind::MinMaxAbs) => {
                if let Some(function) = known.and_then(|known| known.elementary) {
                    *self.functions.counter(function) += 1;
                }
                let done = match self.function.conventions.not_numbers {
                    NotNumbers::Open => Done::Extremum,
                    NotNumbers::Defined => Done::Compared,
                };
                self.chosen(ways, value, done)
            }
            Some(IntrinsicKind::Add) => stepped(ways, |steps| steps.adds += 1, Done::More),
            Some(IntrinsicKind::Multiply) => {
                stepped(ways, |steps| steps.multiplies += 1, Done::Multiplied)
            }
            Some(IntrinsicKind::Fma) => stepped(ways, |steps| steps.fused += 1, Done::More),
            Some(IntrinsicKind::Conversion) => {
                stepped(ways, |steps| steps.selections += 1, Done::More)
            }
            Some(IntrinsicKind::Special | IntrinsicKind::Power) if is_floating => {
                let elementary = known.and_then(|known| known.elementary);
                if let Some(function) = elementary {
                    *self.functions.counter(function) += 1;
                }
                let step = |steps: &mut Steps| match elementary {
                    Some(Elementary::Root) => steps.roots += 1,
                    _ => steps.specials += 1,
                };
                stepped(ways, step, Done::More)
            }
            _ => {
                self.use_up(&ways, None);
                Ways::new()
            }
        }
    }

    /// What leads from a carried value to its next one.
    fn chains(&mut self) -> Vec<Chain> {
        let next = |source: usize| match self.sources[source].carrier {
            Carrier::Scalar(id) => self.values.get(&id),
            Carrier::Store { store, .. } => {
                let place = &self.stores[store];
                let stored = self.stored.iter().find(|(known, _)| known == place);
                stored.map(|(_, ways)| ways)
            }
        };
        let way = |from: usize, to: usize| {
            let ways = next(to)?;
            ways.iter().find(|way| way.source == from)
        };
        // What leads into a value that is carried itself, is used by that.
        let all = 0..self.sources.len();
        let lives =
            |at: usize| self.sources[at].is_used || all.clone().any(|to| way(at, to).is_some());
        let lives: Vec<bool> = all.clone().map(lives).collect();
        let leads_on = |at: usize| {
            all.clone()
                .any(|to| to != at && lives[to] && way(at, to).is_some())
        };
        let leads_on: Vec<bool> = all.clone().map(leads_on).collect();
        let (mut chains, mut passes_on) = (Vec::new(), false);
        for (at, source) in self.sources.iter().enumerate() {
            let (array, distance, moves) = match source.carrier {
                Carrier::Scalar(id) => (id, 1, false),
                Carrier::Store {
                    store,
                    distance,
                    moves,
                } => (self.stores[store].array, distance, moves),
            };
            let chain = |kind, distance, steps| Chain {
                name: self.function.variable(array).name.to_string(),
                kind,
                distance,
                iterations_apart: self.moved.as_ref().map_or(0, |moved| moved.iterations),
                set_around: match source.carrier {
                    Carrier::Scalar(id) => (self.set_around)(id),
                    Carrier::Store { .. } => 0,
                },
                steps,
            };
            let own = way(at, at);
            // Compilers put no value of one iteration into the vector of the next one.
            let is_scalar = matches!(source.carrier, Carrier::Scalar(_));
            passes_on |=
                is_scalar && source.is_used && own.is_none_or(|way| way.steps == Steps::default());
            if let Some(way) = own {
                let is_used = source.is_used || leads_on[at];
                let is_reduction = !moves && !is_used && way.done != Done::More;
                let kind = match way.done {
                    _ if !is_reduction => ChainKind::Recurrence,
                    Done::Extremum => ChainKind::Extremum,
                    _ => ChainKind::Reduction,
                };
                let is_whole = self.is_pointer(array) && is_scalar
                    || !self.function.variable(array).ty.is_floating();
                let is_free = is_whole || way.steps == Steps::default();
                passes_on |= is_free
                    && kind == ChainKind::Recurrence
                    && (moves || way.done != Done::Nothing);
                if !is_whole || kind == ChainKind::Recurrence {
                    chains.push(chain(kind, distance, way.steps));
                }
            }
            let is_scalar = |at: usize| matches!(self.sources[at].carrier, Carrier::Scalar(_));
            for other in
                (at + 1..self.sources.len()).filter(|other| is_scalar(at) && is_scalar(*other))
            {
                if let (Some(there), Some(back)) = (way(at, other), way(other, at)) {
                    chains.push(chain(
                        ChainKind::Recurrence,
                        2,
                        there.steps.then(back.steps),
                    ));
                }
            }
        }
        if passes_on {
            self.order = self.order.max(Order::Carried);
        }
        chains.retain(|chain| chain.steps != Steps::default());
        let length = |chain: &Chain| chain.steps.length() * 64 / u64::from(chain.distance);
        chains.sort_by_key(|chain| std::cmp::Reverse(length(chain)));
        let mut kept: Vec<Chain> = Vec::new();
        for chain in chains {
            let is_new = |known: &Chain| {
                (known.kind, known.distance, known.steps)
                    != (chain.kind, chain.distance, chain.steps)
            };
            if kept.len() < MOST_CHAINS && kept.iter().all(is_new) {
                kept.push(chain);
            }
        }
        kept
    }
}

/// The way from a structure to one of its members, by their names.
fn way_to(member: &Name, structure: &Name) -> Option<Name> {
    let known = structure.len_of_way();
    let more = member.len_of_way().checked_sub(known)?;
    if more == 0 || member.text_without_last(more) != structure.as_str() {
        return None;
    }
    let mut steps = member.steps().skip(known);
    steps.try_fold(Name::default(), |way, (step, to)| match step {
        Step::Member | Step::Component => Some(way.then(step, to)),
        Step::Target | Step::View => None,
    })
}

/// Adds what a member waits for in one of two branches.
fn join(known: &mut Vec<(Name, Ways)>, way: Name, ways: Ways) {
    match known.iter_mut().find(|(other, _)| *other == way) {
        Some((_, before)) => *before = longest(std::mem::take(before), ways),
        None => known.push((way, ways)),
    }
}

/// The multiplication of a value and the addition that follows are one operation.
fn fuse(steps: &mut Steps) {
    match steps.multiplies.checked_sub(1) {
        Some(rest) => {
            steps.multiplies = rest;
            steps.fused += 1;
        }
        None => steps.adds += 1,
    }
}

/// The addition of a product: compilers fuse the two, but for sums, which that would make slower.
fn added_to_product(mut ways: Ways, done: Done) -> Ways {
    for way in &mut ways {
        match way.done {
            Done::Nothing | Done::Added => way.steps.adds += 1,
            _ => way.steps.fused += 1,
        }
    }
    stepped(ways, |_| {}, done)
}

/// One step more on all ways.
fn stepped(mut ways: Ways, step: impl Fn(&mut Steps), done: Done) -> Ways {
    for way in &mut ways {
        step(&mut way.steps);
        way.done = match way.done {
            Done::Nothing => done,
            before if before == done => done,
            _ => Done::More,
        };
    }
    ways
}

/// The longer way from each source; where both sides have one, the order of what was done counts.
fn longest(mut ways: Ways, others: Ways) -> Ways {
    for other in others {
        match ways.iter_mut().find(|way| way.source == other.source) {
            None => ways.push(other),
            Some(way) => {
                let done = match (way.done, other.done) {
                    (one, same) if one == same => one,
                    (Done::Nothing, one) | (one, Done::Nothing) => one,
                    _ => Done::More,
                };
                if other.steps.length() > way.steps.length() {
                    *way = other;
                }
                way.done = done;
            }
        }
    }
    ways
}
