//! Operations that repeat: the same operation on the same operands was done before in the same iteration, and nothing in
//! between can have changed them. A compiler may do them once.
//!
//! Values get numbers, equal ones the same number: operands of sums and products in any order, scalars until they are
//! assigned, elements until a store that may reach them. Such a store is one to the same array, unless the subscripts
//! differ by a constant; in C also one to another array of the same type, for pointers may meet. Loops, branches, calls
//! of procedures and what is not understood end a run of statements: what is behind them is not compared with what is before.

use rustc_hash::FxHashMap;

use super::facts::OperationCounts;
use super::flops::FlopCounter;
use crate::intrinsics::Intrinsics;
use crate::ir::{BinaryOp, Function, Role, Stmt, Type, UnaryOp, Value, VarId};
use crate::source::Language;

/// Additions, multiplications, divisions and specials in the statements' own code that repeat others of it.
pub fn repeated(statements: &[Stmt], function: &Function, language: Language) -> OperationCounts {
    let mut run = Run {
        function,
        language,
        counts: OperationCounts::default(),
        numbers: FxHashMap::default(),
        scalars: FxHashMap::default(),
        stores: Vec::new(),
        next: 0,
    };
    statements
        .iter()
        .for_each(|statement| run.statement(statement));
    let OperationCounts {
        adds,
        multiplies,
        divides,
        specials,
        ..
    } = run.counts;
    OperationCounts {
        adds,
        multiplies,
        divides,
        specials,
        ..OperationCounts::default()
    }
}

/// Stores that are told apart; behind more of them any element may have changed.
const MOST_STORES: usize = 32;

/// A subscript: a value, and the constant that is added to it.
type Place = (u32, i64);

/// What a value is, by the numbers of its parts.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Integer(i64),
    Real(u64, u32),
    /// The array, where it begins, the subscripts, and the last store that may have changed it.
    Element(VarId, u32, Box<[Place]>, usize),
    Unary(UnaryOp, u32),
    Binary(BinaryOp, u32, u32),
    Convert(Type, u32),
    Call(String, Box<[u32]>),
}

struct Store {
    array: VarId,
    /// `None` for a scalar that is in memory.
    places: Option<Box<[Place]>>,
}

/// A run of statements with nothing else between them.
struct Run<'f> {
    function: &'f Function,
    language: Language,
    counts: OperationCounts,
    numbers: FxHashMap<Key, u32>,
    scalars: FxHashMap<VarId, u32>,
    stores: Vec<Store>,
    next: u32,
}

impl Run<'_> {
    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assign { target, value, .. } => self.assign(target, value),
            Stmt::Evaluate { values, .. } => {
                for value in values {
                    self.number(value);
                }
            }
            Stmt::If(branch) => {
                self.number(&branch.condition);
                self.forget();
            }
            Stmt::Loop(_) | Stmt::Call { .. } | Stmt::Opaque { .. } => self.forget(),
            Stmt::Jump { .. } | Stmt::Mark { .. } => {}
        }
    }

    /// Nothing is known from here on.
    fn forget(&mut self) {
        self.numbers.clear();
        self.scalars.clear();
        self.stores.clear();
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn assign(&mut self, target: &Value, value: &Value) {
        let number = self.number(value);
        match target {
            Value::Variable(id) => {
                let is_same = value.ty(self.function) == self.function.variable(*id).ty;
                let number = if is_same { number } else { self.fresh() };
                if self.is_in_memory(*id) {
                    self.store(Store {
                        array: *id,
                        places: None,
                    });
                }
                self.scalars.insert(*id, number);
            }
            Value::Element {
                array, subscripts, ..
            } => {
                let places = Some(self.places(subscripts));
                self.store(Store {
                    array: *array,
                    places,
                });
            }
            _ => self.forget(),
        }
    }

    fn store(&mut self, store: Store) {
        let mut scalars = std::mem::take(&mut self.scalars);
        scalars.retain(|id, _| !(self.is_in_memory(*id) && self.may_meet(store.array, *id)));
        self.scalars = scalars;
        self.stores.push(store);
    }

    /// Whether a store through another name may change it. Where an array begins is not changed by stores to elements.
    fn is_in_memory(&self, id: VarId) -> bool {
        let variable = self.function.variable(id);
        let is_global = matches!(variable.role, Role::Global | Role::Undeclared);
        let is_shared = || {
            self.function
                .shared
                .iter()
                .any(|(one, other)| *one == id || *other == id)
        };
        variable.dimensions.is_empty()
            && (is_global || variable.name.contains(['.', '>', '%']) || is_shared())
    }

    /// Whether two names may stand for the same storage.
    fn may_meet(&self, one: VarId, other: VarId) -> bool {
        let is_pair =
            |(a, b): &(VarId, VarId)| (*a, *b) == (one, other) || (*b, *a) == (one, other);
        let ty = |id: VarId| &self.function.variable(id).ty;
        one == other
            || self.function.shared.iter().any(is_pair)
            || (self.language == Language::C
                && (ty(one) == ty(other)
                    || ty(one).bytes() == Some(1)
                    || ty(one).bytes().is_none()))
    }

    fn may_change(&self, store: &Store, array: VarId, places: &[Place]) -> bool {
        match &store.places {
            Some(stored) if store.array == array => !stored
                .iter()
                .zip(places)
                .any(|((base, at), (other, place))| base == other && at != place),
            _ => self.may_meet(store.array, array),
        }
    }

    fn places(&mut self, subscripts: &[Value]) -> Box<[Place]> {
        subscripts
            .iter()
            .map(|subscript| self.place(subscript))
            .collect()
    }

    fn place(&mut self, subscript: &Value) -> Place {
        let moved = |(base, at): Place, by: i64| Some((base, at.checked_add(by)?));
        let found = match subscript {
            Value::Integer(at) => Some((0, *at)),
            Value::Binary(BinaryOp::Add, value, by) | Value::Binary(BinaryOp::Add, by, value)
                if matches!(**by, Value::Integer(_)) =>
            {
                let Value::Integer(by) = **by else {
                    unreachable!("as matched")
                };
                let place = self.place(value);
                moved(place, by)
            }
            Value::Binary(BinaryOp::Subtract, value, by) if matches!(**by, Value::Integer(_)) => {
                let Value::Integer(by) = **by else {
                    unreachable!("as matched")
                };
                let place = self.place(value);
                by.checked_neg().and_then(|by| moved(place, by))
            }
            _ => None,
        };
        found.unwrap_or_else(|| (self.number(subscript), 0))
    }

    /// The number of a value; counts what repeats in it.
    fn number(&mut self, value: &Value) -> u32 {
        let key = match value {
            Value::Integer(number) => Key::Integer(*number),
            Value::Real(number, bytes) => Key::Real(number.to_bits(), *bytes),
            Value::Variable(id) => return self.scalar(*id),
            Value::Element {
                array, subscripts, ..
            } => {
                let (base, places) = (self.scalar(*array), self.places(subscripts));
                let changed = match self.stores.len() {
                    many if many > MOST_STORES => many,
                    _ => self
                        .stores
                        .iter()
                        .rposition(|s| self.may_change(s, *array, &places))
                        .map_or(0, |at| at + 1),
                };
                Key::Element(*array, base, places, changed)
            }
            Value::Unary(op, operand) => Key::Unary(*op, self.number(operand)),
            // The right side is not always evaluated.
            Value::Binary(BinaryOp::And | BinaryOp::Or, left, _) => {
                self.number(left);
                return self.fresh();
            }
            Value::Binary(op, left, right) => {
                let (one, other) = (self.number(left), self.number(right));
                let is_commutative = matches!(op, BinaryOp::Add | BinaryOp::Multiply);
                match is_commutative && other < one {
                    true => Key::Binary(*op, other, one),
                    false => Key::Binary(*op, one, other),
                }
            }
            Value::Convert(ty, operand) => Key::Convert(ty.clone(), self.number(operand)),
            Value::Call {
                name, arguments, ..
            } => {
                let numbers = arguments
                    .iter()
                    .map(|argument| self.number(argument))
                    .collect();
                if Intrinsics::builtin().lookup(self.language, name).is_none() {
                    self.forget();
                    return self.fresh();
                }
                Key::Call(name.clone(), numbers)
            }
            // One of its sides is not evaluated.
            Value::Select(condition, ..) => {
                self.number(condition);
                return self.fresh();
            }
            Value::Logical(_) | Value::Text(_) => return self.fresh(),
            Value::Section(_) | Value::Row | Value::Address { .. } | Value::Opaque { .. } => {
                self.forget();
                return self.fresh();
            }
        };
        if let Some(number) = self.numbers.get(&key) {
            let number = *number;
            self.count(value);
            return number;
        }
        let number = self.fresh();
        self.numbers.insert(key, number);
        number
    }

    fn scalar(&mut self, id: VarId) -> u32 {
        if let Some(number) = self.scalars.get(&id) {
            return *number;
        }
        let number = self.fresh();
        self.scalars.insert(id, number);
        number
    }

    /// Counts an operation, without those of its operands.
    fn count(&mut self, value: &Value) {
        if matches!(value, Value::Binary(..) | Value::Call { .. }) {
            let mut counter = FlopCounter::new(self.function, self.language);
            counter.count_own(value);
            self.counts.add(counter.flops.total());
        }
    }
}
