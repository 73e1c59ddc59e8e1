//! Values for sizes that nothing in the program gives: such that loops run, whichever symbols their bounds are made of.
//!
//! Every loop says what its bounds' symbols are for: a symbol that makes the range longer is a size, one that makes it
//! shorter is where it begins, one that makes it longer at both ends only widens it. What is guessed depends on the
//! functions that share a symbol, through calls and modules, and on nothing else: neither on other files nor on names.

mod apart;
mod choices;
mod evidence;
mod extents;
mod known;
mod placeholders;
mod ranges;
mod repeated;
mod rows;
mod trips;
mod values;

use std::collections::BTreeMap;
use std::rc::Rc;

use self::evidence::Evidence;
use self::known::Known;
use self::ranges::{Effect, Ranges};
use crate::expr::{Expr, Symbol};
use crate::facts::{Block, Constant, Loop, Origin, Program};

/// Iterations of a loop of which nothing is known.
pub const NOMINAL: f64 = 128.0;

/// Where a range begins that nothing else says.
pub const BEGINNING: f64 = 1.0;
/// What counts components, or loops around three others.
const FEW: f64 = 4.0;
/// Iterations of a loop over what one element of data counts, or over kinds of something.
const SHORT: f64 = 8.0;
/// Times that ranges are looked at again after values have changed.
const ROUNDS: usize = 4;

/// Something that needs a value: a symbol of one function, or storage of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Unknown {
    /// `None` for storage of the program.
    function: Option<usize>,
    symbol: Symbol,
}

/// Strides of an array that are multiples of each other.
const MOST_STRIDES: usize = 3;

/// Gives every symbol of bounds, shapes and subscripts a value that the program leaves open.
pub fn complete(program: &mut Program) {
    let own = choices::take_own(program);
    choices::choose_smallest(program);
    trips::give(program);
    let mut guesses = Guesses::new(program);
    guesses.weigh();
    guesses.weigh_mute();
    for _ in 0..ROUNDS {
        if !guesses.stretch() {
            break;
        }
    }
    guesses.shrink();
    guesses.widen_rows();
    let apart = apart::found(&guesses);
    let (values, placeholders) = (guesses.values, guesses.placeholders);
    for (symbol, place) in &mut program.places {
        place.smallest = None;
        if own.contains(symbol) {
            place.value = None;
        }
    }
    for (Unknown { function, symbol }, value) in values {
        match function {
            None => {
                let own = placeholders.get(&symbol).copied();
                if let Some(place) = program.places.get_mut(&symbol)
                    // Too small to be meant: not where the guess is smaller still.
                    && own.is_none_or(|own| own < value)
                {
                    place.value = None;
                    match place.choices.is_empty() {
                        true => {
                            place.choices.extend(own);
                            place.guess.get_or_insert(value);
                        }
                        // What it has before it is read is no more than a hint.
                        false => place.guess = Some(value),
                    }
                }
            }
            Some(index) => program.functions[index].constants.push(Constant {
                symbol,
                value: Expr::from(value),
                origin: Origin::Default,
            }),
        }
    }
    apart::give(program, apart);
}

/// The loops around a place of a function, outermost first.
type Around<'l, 'p> = &'l [&'p Loop];

struct Guesses<'p> {
    program: &'p Program,
    /// What the program has for sizes that it reads, too small to be meant.
    placeholders: BTreeMap<Symbol, f64>,
    known: Known<'p>,
    evidence: BTreeMap<Unknown, Evidence>,
    /// What the ranges of the function at hand come down to.
    ranges: Ranges,
    /// What the ranges of the loops do that are around what is read, outermost first.
    around: Vec<Rc<[Effect]>>,
    /// Strides of flattened arrays, each with the next shorter one of the same array.
    strides: BTreeMap<Unknown, Unknown>,
    values: BTreeMap<Unknown, f64>,
    /// What the function at hand made of values, with what they were before.
    changed: BTreeMap<Unknown, Option<f64>>,
}

impl<'p> Guesses<'p> {
    fn new(program: &'p Program) -> Guesses<'p> {
        let placeholders = placeholders::of(program);
        Guesses {
            program,
            known: Known::new(program, &placeholders),
            placeholders,
            evidence: BTreeMap::new(),
            ranges: Ranges::default(),
            around: Vec::new(),
            strides: BTreeMap::new(),
            values: BTreeMap::new(),
            changed: BTreeMap::new(),
        }
    }

    /// Collects what loops say, by the values so far, and decides.
    fn weigh(&mut self) {
        for index in 0..self.program.functions.len() {
            self.read(index);
        }
        self.decide();
    }

    /// What is divided by others shows what it does once these have values.
    fn weigh_mute(&mut self) {
        let first = self.evidence.clone();
        if !first.values().any(Evidence::is_mute) {
            return;
        }
        self.evidence.clear();
        self.weigh();
        let others = first
            .into_iter()
            .filter(|(_, evidence)| !evidence.is_mute());
        self.evidence.extend(others);
        self.decide();
    }

    fn decide(&mut self) {
        for (unknown, evidence) in &self.evidence {
            let value = match self.own_default(unknown) {
                Some(own) if !evidence.is_of_array() || evidence.has_declared() => own,
                _ => self.of_table(unknown, evidence.value()),
            };
            self.values.insert(unknown.clone(), value);
        }
        for longer in self.strides.keys() {
            let (mut size, mut stride) = (NOMINAL, longer);
            for _ in 0..MOST_STRIDES {
                let Some(shorter) = self.strides.get(stride) else {
                    break;
                };
                (size, stride) = (size * NOMINAL, shorter);
            }
            self.values.insert(longer.clone(), size);
        }
    }

    /// How many there are of something is data where a table says it for each thing, such as atoms by cell.
    fn of_table(&self, unknown: &Unknown, size: f64) -> f64 {
        let place = match unknown.function {
            None => self.program.place(&unknown.symbol),
            Some(_) => None,
        };
        match place {
            Some(place) if place.is_table => size.min(SHORT),
            _ => size,
        }
    }
}

/// How many loops are inside one another in a block.
fn depth(block: &Block) -> usize {
    let loops = block.loops();
    let inner = loops.iter().map(|inner| 1 + depth(&inner.body));
    inner.max().unwrap_or(0)
}

/// Visits all loops with the number of their function and the loops around them.
fn each_loop<'p>(program: &'p Program, visit: &mut dyn FnMut(usize, Around<'_, 'p>, &'p Loop)) {
    for (number, function) in program.functions.iter().enumerate() {
        each_loop_of(&function.body, &mut Vec::new(), &mut |around, inner| {
            visit(number, around, inner);
        });
    }
}

/// Visits all loops of a block with the loops around them.
fn each_loop_of<'p>(
    block: &'p Block,
    around: &mut Vec<&'p Loop>,
    visit: &mut dyn FnMut(Around<'_, 'p>, &'p Loop),
) {
    for inner in block.loops() {
        visit(around, inner);
        around.push(inner);
        each_loop_of(&inner.body, around, visit);
        around.pop();
    }
}
