//! Symbols: what an expression leaves open, each with what it stands for.
//!
//! What a symbol is, is decided where the symbol is made and never read from its name. The names of symbols that no source
//! has are all made here.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashSet;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// What a source calls by this name: a size of the problem, a variable, an element that stays the same.
    #[default]
    Source,
    /// Storage of the whole program, behind the name of what it belongs to: a variable of a certain procedure, module or
    /// type.
    Place,
    /// How often a branch is taken.
    Probability,
    /// How often a loop runs whose range says nothing.
    TripCount,
    /// How far a loop moves something, in a way that no expression says.
    Stride,
    /// The same where rows follow each other without a gap, however long each is.
    Packed,
    /// Where something begins that loops move in such a way.
    Start,
    /// What a variable was before a loop that counts with it.
    Earlier,
    /// Where a loop is that stands still while those inside of it run.
    Held,
    /// Elements, components or cells that a call moves between processes.
    MessageSize,
    /// The number of processes.
    Processes,
    /// The processes that one exchanges cells with.
    Neighbours,
    /// A parameter of the machine.
    Machine,
    /// Iterations of a block of a loop; 0 is not blocked.
    Block,
}

impl SymbolKind {
    pub const ALL: [SymbolKind; 14] = [
        SymbolKind::Source,
        SymbolKind::Place,
        SymbolKind::Probability,
        SymbolKind::TripCount,
        SymbolKind::Stride,
        SymbolKind::Packed,
        SymbolKind::Start,
        SymbolKind::Earlier,
        SymbolKind::Held,
        SymbolKind::MessageSize,
        SymbolKind::Processes,
        SymbolKind::Neighbours,
        SymbolKind::Machine,
        SymbolKind::Block,
    ];

    /// A word for files.
    pub fn as_str(self) -> &'static str {
        match self {
            SymbolKind::Source => "source",
            SymbolKind::Place => "place",
            SymbolKind::Probability => "probability",
            SymbolKind::TripCount => "trip_count",
            SymbolKind::Stride => "stride",
            SymbolKind::Packed => "packed",
            SymbolKind::Start => "start",
            SymbolKind::Earlier => "earlier",
            SymbolKind::Held => "held",
            SymbolKind::MessageSize => "message_size",
            SymbolKind::Processes => "processes",
            SymbolKind::Neighbours => "neighbours",
            SymbolKind::Machine => "machine",
            SymbolKind::Block => "block",
        }
    }

    pub fn parse(text: &str) -> Option<SymbolKind> {
        SymbolKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

/// What an expression leaves open: two are the same if they stand for the same kind of thing under the same name.
/// Cheap to clone; ordered by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol(Arc<(SymbolKind, Box<str>)>);

impl Symbol {
    /// Each thread makes the symbols of one name once, as long as there are not too many: sources repeat their names.
    pub fn new(kind: SymbolKind, name: &str) -> Symbol {
        const MOST: usize = 1 << 16;
        thread_local! {
            static KNOWN: RefCell<FxHashSet<ByName>> = RefCell::default();
        }
        KNOWN.with_borrow_mut(|known| {
            let wanted: &dyn Named = &(kind, name);
            if let Some(ByName(symbol)) = known.get(wanted) {
                return symbol.clone();
            }
            if known.len() >= MOST {
                known.clear();
            }
            let symbol = Symbol(Arc::new((kind, name.into())));
            known.insert(ByName(symbol.clone()));
            symbol
        })
    }

    /// What a source calls by this name.
    pub fn source(name: &str) -> Symbol {
        Symbol::new(SymbolKind::Source, name)
    }

    /// How often the branch in this line of a function is taken; `outcome` if its condition is known.
    pub fn probability(function: &str, line: u32, outcome: Option<bool>) -> Symbol {
        let known = match outcome {
            None => "",
            Some(true) => "_always",
            Some(false) => "_never",
        };
        let name = format!("prob_{}_{line}{known}", word(function));
        Symbol::new(SymbolKind::Probability, &name)
    }

    /// How often a loop in this line of a function runs, the first one there or another.
    pub fn trip_count(function: &str, line: u32, position: usize) -> Symbol {
        let number = match position {
            0 => String::new(),
            _ => format!("_{}", position + 1),
        };
        let name = format!("trip_{}_{line}{number}", word(function));
        Symbol::new(SymbolKind::TripCount, &name)
    }

    /// How many calls of itself a function makes one below the other.
    pub fn depth(function: &str) -> Symbol {
        Symbol::new(SymbolKind::TripCount, &format!("depth_{}", word(function)))
    }

    /// How far a loop moves what has this text: the one of this counter, where others move it too.
    pub fn stride(of: &str, counter: Option<&str>) -> Symbol {
        let name = match counter {
            None => format!("stride of {of}"),
            Some(counter) => format!("stride of {of} in {counter}"),
        };
        Symbol::new(SymbolKind::Stride, &name)
    }

    /// From one row to the next of what has this text, where each begins behind the one before it.
    pub fn packed(of: &str) -> Symbol {
        Symbol::new(SymbolKind::Packed, &format!("rows of {of}"))
    }

    /// Where something with this text begins that loops move.
    pub fn start(of: &str) -> Symbol {
        Symbol::new(SymbolKind::Start, of)
    }

    /// What a variable was before the loop in this line.
    pub fn earlier(variable: &str, line: u32) -> Symbol {
        let name = format!("{variable} before line {line}");
        Symbol::new(SymbolKind::Earlier, &name)
    }

    /// Where the loop at a position of a nest is while those inside of it run.
    pub fn held(position: usize) -> Symbol {
        Symbol::new(SymbolKind::Held, &format!("loop {position} stands"))
    }

    /// Elements that the call in this line of a function moves.
    pub fn message_count(function: &str, line: u32) -> Symbol {
        let name = format!("count_{}_{line}", word(function));
        Symbol::new(SymbolKind::MessageSize, &name)
    }

    /// `what` of an array whose ghost cells are filled.
    pub fn halo(what: &str, array: &str) -> Symbol {
        let name = format!("{what}_{}", word(array));
        Symbol::new(SymbolKind::MessageSize, &name)
    }

    /// Cells of one process in the dimension of this name.
    pub fn cells(dimension: &str) -> Symbol {
        Symbol::new(SymbolKind::MessageSize, &format!("box_{dimension}"))
    }

    /// The number of processes.
    pub fn processes() -> Symbol {
        Symbol::new(SymbolKind::Processes, "ranks")
    }

    /// The processes that one exchanges cells with.
    pub fn neighbours() -> Symbol {
        Symbol::new(SymbolKind::Neighbours, "neighbours")
    }

    /// A parameter of the machine.
    pub fn machine(name: &str) -> Symbol {
        Symbol::new(SymbolKind::Machine, name)
    }

    /// Iterations of a block of the loops of the dimension of this name.
    pub fn block(dimension: &str) -> Symbol {
        Symbol::new(SymbolKind::Block, &format!("block_{dimension}"))
    }

    pub fn kind(&self) -> SymbolKind {
        self.0.0
    }

    pub fn name(&self) -> &str {
        &self.0.1
    }

    /// Whether a source calls it by this name.
    pub fn is_source(&self, name: &str) -> bool {
        self.kind() == SymbolKind::Source && self.name() == name
    }

    /// The same under another name.
    pub fn renamed(&self, name: &str) -> Symbol {
        Symbol::new(self.kind(), name)
    }
}

/// A symbol in a table that is asked by kind and name.
struct ByName(Symbol);

/// Kind and name of a symbol, whether there is one or not.
trait Named {
    fn named(&self) -> (SymbolKind, &str);
}

impl Named for ByName {
    fn named(&self) -> (SymbolKind, &str) {
        (self.0.kind(), self.0.name())
    }
}

impl Named for (SymbolKind, &str) {
    fn named(&self) -> (SymbolKind, &str) {
        *self
    }
}

impl<'n> Borrow<dyn Named + 'n> for ByName {
    fn borrow(&self) -> &(dyn Named + 'n) {
        self
    }
}

impl Hash for dyn Named + '_ {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.named().hash(state);
    }
}

impl PartialEq for dyn Named + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.named() == other.named()
    }
}

impl Eq for dyn Named + '_ {}

impl Hash for ByName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.named().hash(state);
    }
}

impl PartialEq for ByName {
    fn eq(&self, other: &Self) -> bool {
        self.named() == other.named()
    }
}

impl Eq for ByName {}

/// A part of a name: what is not a letter, digit or underscore is replaced.
fn word(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect()
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Symbol) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Symbol {
    fn cmp(&self, other: &Symbol) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ordering::Equal;
        }
        (self.name(), self.kind()).cmp(&(other.name(), other.kind()))
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What linear parts and mentions are asked for: a name of the source, or any symbol.
pub trait Names {
    fn names(&self, symbol: &Symbol) -> bool;
}

impl Names for str {
    fn names(&self, symbol: &Symbol) -> bool {
        symbol.is_source(self)
    }
}

impl Names for String {
    fn names(&self, symbol: &Symbol) -> bool {
        symbol.is_source(self)
    }
}

impl Names for Symbol {
    fn names(&self, symbol: &Symbol) -> bool {
        symbol == self
    }
}

impl<N: Names + ?Sized> Names for &N {
    fn names(&self, symbol: &Symbol) -> bool {
        (**self).names(symbol)
    }
}
