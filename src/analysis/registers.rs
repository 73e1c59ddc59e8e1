//! Values that one iteration of an innermost loop keeps in registers, as an estimate of what a compiler
//! makes of it.
//!
//! - *Scalars*: those that the loop reads and does not write, or reads before it writes them: they live
//!   through the whole loop. Scalars that only subscripts read are part of addresses.
//! - *Counters*: the loop variable and an upper bound that is not a number.
//! - *Pointers*: after strength reduction every array has one address for all references that differ by a
//!   known number of bytes; rows at a distance that only a symbol gives have one each. A stride that only
//!   a symbol gives takes one more.
//! - *Invariants*: array elements that stay the same in the loop, and floating literals and constants.
//! - *Temporaries*: the most values of one iteration that live at once: scalars from where they are
//!   written to where they are last read, array elements from the first to the last of several reads with
//!   no store to the array between them, and what the deepest expression there needs (Sethi and Ullman,
//!   *The Generation of Optimal Code for Arithmetic Expressions*, J. ACM 17(4), 1970), operands that are
//!   in registers already needing none.
//!
//! A complex value takes two. Vectorisation, unrolling and what calls must save are not modelled.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::facts::{Block, RegisterUse, Registers, Stream};
use crate::expr::Expr;
use crate::ir::visit::{InLoop, each_value, statements};
use crate::ir::{Control, Function, Loop, Name, Role, Stmt, Type, Value, VarId};

/// The registers of one iteration of a loop without loops inside, whose facts are `block`; `variable` is
/// the loop variable's name in them.
pub fn needed(function: &Function, facts: &Loop, block: &Block, variable: &str) -> Registers {
    let mut scan = Scan::new(function);
    if let Control::Counted {
        variable, upper, ..
    } = &facts.control
    {
        scan.counter = Some(*variable);
        scan.registers.integer.counters = 1 + u32::from(!is_number(upper, function));
    }
    statements(&facts.body, InLoop::Yes, &mut |statement, _| {
        if let Stmt::Assign {
            target: Value::Variable(id),
            ..
        } = statement
        {
            scan.assigned.insert(*id);
        }
    });
    scan.block(&facts.body, 0);
    if let Control::Uncounted {
        condition: Some(condition),
        ..
    } = &facts.control
    {
        scan.evaluate([condition], 0);
    }
    let mut registers = scan.finish();
    addresses(function, block, variable, &mut registers);
    registers
}

fn is_number(value: &Value, function: &Function) -> bool {
    match value {
        Value::Integer(_) => true,
        Value::Variable(id) => matches!(function.variable(*id).role, Role::Constant(_)),
        Value::Binary(_, left, right) => is_number(left, function) && is_number(right, function),
        Value::Unary(_, operand) | Value::Convert(_, operand) => is_number(operand, function),
        _ => false,
    }
}

/// The two files of registers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum File {
    Integer,
    Floating,
}

/// The file that holds values of a type, and how many of its registers one takes.
fn home(ty: &Type) -> Option<(File, u32)> {
    match ty {
        Type::Real(_) => Some((File::Floating, 1)),
        Type::Complex(_) => Some((File::Floating, 2)),
        Type::Integer(..) | Type::Logical(_) => Some((File::Integer, 1)),
        Type::Character(_) | Type::Derived(..) | Type::Unknown => None,
    }
}

/// Registers of both files.
#[derive(Clone, Copy, Default)]
struct Need {
    integer: u32,
    floating: u32,
}

impl Need {
    fn of(file: File, registers: u32) -> Need {
        match file {
            File::Integer => Need {
                integer: registers,
                floating: 0,
            },
            File::Floating => Need {
                integer: 0,
                floating: registers,
            },
        }
    }

    /// Sethi and Ullman: what needs more is done first, and its result, of `size` registers, kept meanwhile.
    fn with(self, other: Need, size: u32) -> Need {
        let both = |a: u32, b: u32| {
            if a > 0 && b > 0 {
                a.max(b).max(a.min(b) + size)
            } else {
                a.max(b)
            }
        };
        Need {
            integer: both(self.integer, other.integer),
            floating: both(self.floating, other.floating),
        }
    }

    fn at_least(self, other: Need) -> Need {
        Need {
            integer: self.integer.max(other.integer),
            floating: self.floating.max(other.floating),
        }
    }
}

/// Where a scalar that the loop writes is live.
struct Life {
    written: u32,
    /// Branches around the write.
    depth: u32,
    read: u32,
}

struct Scan<'f> {
    function: &'f Function,
    counter: Option<VarId>,
    /// Scalars that the loop assigns.
    assigned: FxHashSet<VarId>,
    registers: Registers,
    /// Number of the statement.
    position: u32,
    /// What the expressions of every statement need.
    needs: Vec<Need>,
    /// Scalars that are live throughout the loop.
    throughout: FxHashSet<VarId>,
    written: FxHashMap<VarId, Life>,
    /// Elements that have been read, by array and by what their subscripts look like.
    loaded: FxHashMap<VarId, FxHashMap<u64, Life>>,
    /// Lives that are over: of scalars that are written again, of elements of an array that is.
    ended: Vec<(VarId, Life)>,
    literals: FxHashSet<(u64, u32)>,
    constants: FxHashSet<VarId>,
}

impl<'f> Scan<'f> {
    fn new(function: &'f Function) -> Scan<'f> {
        Scan {
            function,
            counter: None,
            assigned: FxHashSet::default(),
            registers: Registers::default(),
            position: 0,
            needs: Vec::new(),
            throughout: FxHashSet::default(),
            written: FxHashMap::default(),
            loaded: FxHashMap::default(),
            ended: Vec::new(),
            literals: FxHashSet::default(),
            constants: FxHashSet::default(),
        }
    }

    fn block(&mut self, statements: &'f [Stmt], depth: u32) {
        for statement in statements {
            match statement {
                Stmt::Assign { target, value, .. } => self.assign(target, value, depth),
                Stmt::If(branch) => {
                    self.evaluate([&branch.condition], depth);
                    self.block(&branch.then, depth + 1);
                    self.block(&branch.otherwise, depth + 1);
                }
                Stmt::Call {
                    arguments: values, ..
                }
                | Stmt::Evaluate { values, .. } => {
                    self.evaluate(values, depth);
                }
                Stmt::Opaque { inner, .. } => self.block(inner, depth),
                Stmt::Loop(_) | Stmt::Jump { .. } | Stmt::Mark { .. } => {}
            }
        }
    }

    /// An assignment; a target that is a scalar is not read.
    fn assign(&mut self, target: &'f Value, value: &'f Value, depth: u32) {
        self.position += 1;
        let mut need = self.need(value, depth);
        if let Value::Element {
            array, subscripts, ..
        } = target
        {
            need = need.at_least(self.subscripts(subscripts, depth));
            // Any of its elements may have another value now.
            let over = self.loaded.remove(array).into_iter().flatten();
            self.ended.extend(over.map(|(_, life)| (*array, life)));
        }
        self.needs.push(need);
        if let Value::Variable(id) = target {
            self.write(*id, depth);
        }
    }

    /// Values that one statement evaluates one after another.
    fn evaluate(&mut self, values: impl IntoIterator<Item = &'f Value>, depth: u32) {
        self.position += 1;
        let need = values.into_iter().fold(Need::default(), |need, value| {
            need.at_least(self.need(value, depth))
        });
        self.needs.push(need);
    }

    /// Registers that evaluating a value takes beyond those that hold scalars and invariants.
    fn need(&mut self, value: &'f Value, depth: u32) -> Need {
        let result = |scan: &Scan, need: Need| match home(&value.ty(scan.function)) {
            Some((file, registers)) => need.at_least(Need::of(file, registers)),
            None => need,
        };
        match value {
            Value::Real(number, bytes) => {
                self.literals.insert((number.to_bits(), *bytes));
                Need::default()
            }
            Value::Integer(_) | Value::Logical(_) | Value::Text(_) => Need::default(),
            Value::Variable(id) => {
                self.read(*id, depth);
                Need::default()
            }
            // It is loaded before the loop.
            Value::Element { subscripts, .. } if self.stay(subscripts) => Need::default(),
            Value::Element {
                array, subscripts, ..
            } => {
                if self.load(*array, subscripts, depth) {
                    return Need::default();
                }
                let need = self.subscripts(subscripts, depth);
                result(self, need)
            }
            Value::Unary(_, operand) | Value::Convert(_, operand) => {
                let need = self.need(operand, depth);
                result(self, need)
            }
            Value::Binary(_, left, right) => {
                let size = home(&left.ty(self.function)).map_or(1, |(_, size)| size);
                let need = self.need(left, depth).with(self.need(right, depth), size);
                result(self, need)
            }
            Value::Call {
                arguments: parts, ..
            }
            | Value::Opaque { inner: parts, .. } => {
                let need = parts.iter().fold(Need::default(), |need, part| {
                    need.with(self.need(part, depth), 1)
                });
                result(self, need)
            }
            Value::Section(parts) => {
                let need = parts.iter().fold(Need::default(), |need, part| {
                    need.with(self.need(part, depth), 1)
                });
                result(self, need)
            }
            Value::Address { of, .. } => {
                let need = Need::default().with(self.need(of, depth), 1);
                result(self, need)
            }
            Value::Row => result(self, Need::default()),
            Value::Select(condition, then, otherwise) => {
                let sides = self.need(then, depth).with(self.need(otherwise, depth), 1);
                let need = self.need(condition, depth).at_least(sides);
                result(self, need)
            }
        }
    }

    /// Whether subscripts are the same in all iterations.
    fn stay(&self, subscripts: &[Value]) -> bool {
        let mut stay = true;
        subscripts.iter().for_each(|subscript| {
            each_value(subscript, &mut |part| match part {
                Value::Variable(id) => {
                    stay &= Some(*id) != self.counter && !self.assigned.contains(id);
                }
                Value::Element { .. } | Value::Call { .. } => stay = false,
                part if part.has_no_number() => stay = false,
                _ => {}
            });
        });
        stay
    }

    fn subscripts(&mut self, subscripts: &'f [Value], depth: u32) -> Need {
        subscripts.iter().fold(Need::default(), |need, subscript| {
            need.at_least(self.subscript(subscript, depth))
        })
    }

    /// What a subscript needs that is not part of an address that moves with the loop: an index that is
    /// loaded.
    fn subscript(&mut self, value: &'f Value, depth: u32) -> Need {
        let mut loads = false;
        each_value(value, &mut |part| {
            loads |= matches!(part, Value::Element { .. } | Value::Call { .. });
        });
        if loads {
            return self.need(value, depth).at_least(Need::of(File::Integer, 1));
        }
        // A scalar that the iteration has computed.
        let (written, position) = (&mut self.written, self.position);
        each_value(value, &mut |part| {
            if let Value::Variable(id) = part
                && let Some(life) = written.get_mut(id)
            {
                life.read = position;
            }
        });
        Need::default()
    }

    /// Notes that an element is read; whether it is in a register from an earlier read.
    fn load(&mut self, array: VarId, subscripts: &[Value], depth: u32) -> bool {
        let mut hasher = FxHasher::default();
        subscripts
            .iter()
            .for_each(|subscript| hash(subscript, &mut hasher));
        let position = self.position;
        let elements = self.loaded.entry(array).or_default();
        let life = elements.entry(hasher.finish()).or_insert(Life {
            written: position,
            depth,
            read: position,
        });
        if depth >= life.depth && life.written < position {
            life.read = position;
            return true;
        }
        if depth < life.depth {
            // Only some iterations have read it.
            let before = std::mem::replace(
                life,
                Life {
                    written: position,
                    depth,
                    read: position,
                },
            );
            self.ended.push((array, before));
        }
        false
    }

    fn is_scalar(&self, id: VarId) -> bool {
        self.function.variable(id).dimensions.is_empty() && Some(id) != self.counter
    }

    fn read(&mut self, id: VarId, depth: u32) {
        if !self.is_scalar(id) {
            return;
        }
        if matches!(self.function.variable(id).role, Role::Constant(_)) {
            self.constants.insert(id);
            return;
        }
        match self.written.get_mut(&id) {
            Some(life) if depth >= life.depth => life.read = self.position,
            // Some iterations do not write it.
            _ => {
                self.throughout.insert(id);
            }
        }
    }

    fn write(&mut self, id: VarId, depth: u32) {
        if !self.is_scalar(id) || self.throughout.contains(&id) {
            return;
        }
        if matches!(self.function.variable(id).ty, Type::Integer(..)) {
            // Subscripts that look the same may mean other elements from here on.
            let over = self
                .loaded
                .drain()
                .flat_map(|(array, elements)| elements.into_values().map(move |l| (array, l)));
            self.ended.extend(over);
        }
        let life = Life {
            written: self.position,
            depth,
            read: self.position,
        };
        match self.written.get_mut(&id) {
            // It may keep the value that it had.
            Some(known) if depth > known.depth => known.read = known.read.max(self.position),
            _ => {
                if let Some(known) = self.written.insert(id, life) {
                    self.ended.push((id, known));
                }
            }
        }
    }

    fn finish(mut self) -> Registers {
        let scalars = self.throughout.iter();
        let constants = self.constants.iter();
        let mut registers = self.registers;
        for id in scalars {
            if let Some((file, count)) = home(&self.function.variable(*id).ty) {
                file_of(&mut registers, file).scalars += count;
            }
        }
        for id in constants {
            if let Some((File::Floating, count)) = home(&self.function.variable(*id).ty) {
                registers.floating.invariants += count;
            }
        }
        registers.floating.invariants += self.literals.len() as u32;
        let most = self.most_at_once();
        registers.integer.temporaries = most.integer;
        registers.floating.temporaries = most.floating;
        registers
    }

    /// The largest sum of what lives across a statement and what the statement needs.
    fn most_at_once(&mut self) -> Need {
        let mut changes = vec![(0i64, 0i64); self.needs.len() + 2];
        let throughout = &self.throughout;
        let loaded = self
            .loaded
            .drain()
            .flat_map(|(array, elements)| elements.into_values().map(move |l| (array, l)));
        let lives = self
            .ended
            .drain(..)
            .chain(self.written.drain())
            .chain(loaded);
        for (id, life) in lives.filter(|(id, _)| !throughout.contains(id)) {
            let Some((file, count)) = home(&self.function.variable(id).ty) else {
                continue;
            };
            if life.read <= life.written {
                continue;
            }
            let count = i64::from(count);
            let (integer, floating) = if file == File::Integer {
                (count, 0)
            } else {
                (0, count)
            };
            for (at, sign) in [(life.written + 1, 1), (life.read + 1, -1)] {
                let change = &mut changes[at as usize];
                *change = (change.0 + sign * integer, change.1 + sign * floating);
            }
        }
        let (mut integer, mut floating) = (0, 0);
        let mut most = Need::default();
        for (need, change) in self.needs.iter().zip(&changes[1..]) {
            (integer, floating) = (integer + change.0, floating + change.1);
            let live = Need {
                integer: integer as u32 + need.integer,
                floating: floating as u32 + need.floating,
            };
            most = most.at_least(live);
        }
        most
    }
}

/// What a subscript looks like.
fn hash(value: &Value, hasher: &mut FxHasher) {
    each_value(value, &mut |part| match part {
        Value::Integer(number) => (0u8, number).hash(hasher),
        Value::Variable(id) | Value::Element { array: id, .. } => (1u8, id).hash(hasher),
        Value::Unary(operator, _) => (2u8, operator).hash(hasher),
        Value::Binary(operator, ..) => (3u8, operator).hash(hasher),
        Value::Call { name, .. } => (4u8, name).hash(hasher),
        Value::Convert(ty, _) => (5u8, ty).hash(hasher),
        Value::Real(number, _) => (6u8, number.to_bits()).hash(hasher),
        Value::Logical(truth) => (7u8, truth).hash(hasher),
        Value::Text(text) => (8u8, text).hash(hasher),
        Value::Select(..) => 9u8.hash(hasher),
        Value::Section(_) | Value::Row | Value::Address { .. } | Value::Opaque { .. } => {
            10u8.hash(hasher);
        }
    });
}

fn file_of(registers: &mut Registers, file: File) -> &mut RegisterUse {
    match file {
        File::Integer => &mut registers.integer,
        File::Floating => &mut registers.floating,
    }
}

/// Pointers, strides, and elements that stay the same.
fn addresses(function: &Function, block: &Block, variable: &str, registers: &mut Registers) {
    let mut pointers = FxHashSet::default();
    let mut strides = FxHashSet::default();
    block.with_branches(&mut |block| {
        for stream in &block.streams {
            let moves = stream
                .subscripts
                .iter()
                .any(|s| s.gather.is_some() || s.terms.iter().any(|t| t.0 == variable));
            if !moves {
                let file = if stream.ty.is_floating() {
                    &mut registers.floating
                } else {
                    &mut registers.integer
                };
                file.invariants += stream.ty.parts() * stream.accesses.len() as u32;
                continue;
            }
            let known = known_strides(stream);
            for access in &stream.accesses {
                let apart: Vec<i64> = (access.offset.iter().enumerate())
                    .map(|(d, offset)| if d < known { 0 } else { *offset })
                    .collect();
                let bases: Vec<&Expr> = stream.subscripts.iter().map(|s| &s.base).collect();
                let moving: Vec<_> = stream
                    .subscripts
                    .iter()
                    .map(|s| (&s.terms, &s.gather))
                    .collect();
                pointers.insert((structure(function, &stream.array), bases, moving, apart));
            }
            for (d, subscript) in stream.subscripts.iter().enumerate() {
                let Some((_, coefficient)) = subscript.terms.iter().find(|t| t.0 == variable)
                else {
                    continue;
                };
                if d >= known.max(1) || coefficient.as_number().is_none() {
                    let extents: Vec<_> = stream.extents.iter().take(d).collect();
                    strides.insert((extents, coefficient));
                }
            }
        }
    });
    registers.integer.pointers = (pointers.len() + strides.len()) as u32;
}

/// How many dimensions, from the contiguous one, lie at a known number of elements from each other.
fn known_strides(stream: &Stream) -> usize {
    let is_known = |extent: &Option<(Expr, Expr)>| {
        extent.as_ref().is_some_and(|(lower, upper)| {
            (upper.clone() - lower.clone())
                .expand()
                .as_number()
                .is_some()
        })
    };
    1 + stream
        .own_extents()
        .iter()
        .take_while(|extent| is_known(extent))
        .count()
}

/// The array that a reference shares its address with: members of the structures of one array do.
fn structure<'s>(function: &Function, array: &'s Name) -> &'s str {
    let mut layouts = function.members.iter();
    let layout =
        layouts.find(|(id, _)| array.is_member() && function.variable(**id).name == *array);
    array.text_without_last(layout.map_or(0, |(_, layout)| layout.steps))
}
