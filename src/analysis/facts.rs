//! What is known of a program: the result of the analysis and the content of the XML file. The
//! model needs nothing else, so a description written by hand serves as well as a source.
//!
//! Counts belong to a block and exclude the loops and branches inside it (ExaSAT's convention).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use crate::constancy::{Constancy, Handed, Needs, needs_text, read_needs};
use crate::counted::counted;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, Symbol, SymbolKind};
use crate::in_core::InCore;
use crate::ir::Name;
pub use crate::ir::Quantifier;
use crate::loop_variable::LoopVariable;
use crate::message_passing::InterfaceKind;
pub use crate::object::{NamedObject, Object, Owner, OwnerKind};
use crate::reason::ReasonCode;
use crate::source::{Form, Language, Preprocessing};

pub use crate::ir::{ElementType, LoopDirective};

/// A set of analysed files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub files: Vec<File>,
    pub functions: Vec<Function>,
    /// Storage of the program that values of constants mention, and its own values, by symbol.
    pub places: BTreeMap<Symbol, Place>,
    /// Named whole numbers of functions that no expression of them mentions, with the functions.
    pub unmentioned: BTreeMap<String, BTreeSet<String>>,
    /// What settings set whose names the program gives to variables, by name.
    pub set: BTreeMap<String, SetVariables>,
    /// Files that are not read, by extension, with how many there were.
    pub unread: BTreeMap<String, usize>,
}

/// The variables that a setting gives a value in place of what the program does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetVariables {
    /// Of them those that values of constants mention.
    pub places: BTreeSet<Symbol>,
    /// What the source calls each, behind what it belongs to, and where it is declared.
    pub declared: Vec<String>,
    /// Others of that name, which keep what the program gives them.
    pub others: Vec<String>,
    /// Whether conditions of the program ask for one of them.
    pub is_asked: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct File {
    pub path: Arc<str>,
    pub language: Language,
    pub form: Form,
    pub lines: usize,
    /// Whether something in the file begins parallel work; `None` where that is not known, or nothing says who calls what
    /// is in it.
    pub is_parallel: Option<bool>,
    /// Whether its parallel work is processes alone, each with its own memory.
    pub is_of_processes: bool,
    pub preprocessing: Preprocessing,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    pub file: Arc<str>,
    pub line: u32,
    /// Its last one, where that is known.
    pub end_line: Option<u32>,
    /// A run begins here: a main program, or what is taken for one.
    pub is_entry: bool,
    /// Whether outputs are to list it; figures do not depend on that.
    pub is_shown: bool,
    /// The procedures whose statements give it to pointers, where no pointer has it from the beginning: without a call of
    /// one of these, no call through a pointer means it. Empty where that is not known.
    pub given_by: Vec<FunctionKey>,
    /// How it calls itself, if it does.
    pub recursion: Option<Recursion>,
    /// Named constants and known values of the symbols that expressions of this function mention.
    pub constants: Vec<Constant>,
    /// Arrays with storage that they may lie in: two that share some may be the same elements.
    pub shared: Vec<(Name, Name)>,
    /// Pointers with arrays into which they point, at unknown places: the elements of both are counted separately.
    pub pointed: Vec<(Name, Name)>,
    /// The arrays of the program that names of arrays stand for, by name; several where calls pass several.
    pub objects: Vec<NamedObject>,
    pub body: Block,
}

/// How deep a function calls itself, directly.
#[derive(Clone, Debug, PartialEq)]
pub struct Recursion {
    /// How many calls one below the other a call from elsewhere leads to.
    pub depth: Expr,
    /// The size of a call beside that of the one above it.
    pub size: Expr,
    /// A call from elsewhere leads to no more calls than this.
    pub most: Expr,
    /// Probabilities of branches that only ask how deep the calls have gone.
    pub ends: Vec<Symbol>,
}

/// A symbol whose value the source gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    pub symbol: Symbol,
    pub value: Expr,
    pub origin: Origin,
}

/// An integer of the program that several functions may know under different names.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Without what it belongs to.
    pub name: String,
    /// Where it is declared.
    pub file: Arc<str>,
    pub line: u32,
    /// Whether it is a named constant that a setting names: compilers know its value.
    pub is_constant: bool,
    /// Whether it holds a real number, from which whole ones are made.
    pub is_real: bool,
    /// Whether it depends on it which statements under conditions give others their numbers.
    pub decides: bool,
    /// Whether statements may give it another value than the one that is set, which it is read as.
    pub changes: bool,
    /// Whether it stands for all elements of a table that the program fills itself.
    pub is_table: bool,
    /// Over other places; `None` if nothing gives it a value that can be followed.
    pub value: Option<Expr>,
    /// The smallest of several values, of which `value` is the largest, until it is known which one counts.
    pub smallest: Option<Expr>,
    /// What is taken for a value where there is none.
    pub guess: Option<f64>,
    /// Several numbers of which the program gives it one where it is not told otherwise, in order. Where nothing says which,
    /// the largest is the guess. A single one is a placeholder, which does not count.
    pub choices: Vec<f64>,
    pub origin: Origin,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Fortran `parameter`, C `static const`, an enumerator.
    Constant,
    /// `#define`.
    Macro,
    /// Assigned once in the function, outside loops.
    Assigned,
    /// Of storage that statements of the program give this one value, through calls, modules and structures.
    Derived,
    /// What a variable has before the program runs, and nothing else gives it a value.
    Initial,
    /// Read from outside the program: a file, the command line, the environment. The value, if there is one, is what
    /// the program has without it.
    Given,
    /// What a process that runs alone learns: there is one process, of rank zero.
    Alone,
    /// How many words the command line has: as few as the program goes on with.
    Words,
    /// A dummy argument for which every call of the program passes this constant.
    Caller,
    /// Calls, loops or statements give it different values, of which the largest counts.
    #[serde(rename = "callers_differ")]
    Callers,
    /// `--input`: what the program would read.
    Input,
    /// That nothing goes wrong: a branch that only ends a procedure is not taken.
    Assumed,
    /// Nothing gives a value.
    Default,
    /// `--set`.
    Set,
    /// `loopsheet.toml`.
    Config,
    /// Seen in a run.
    Traced,
    /// Counted in native runs.
    Counted,
    /// The same of several calls together: the whole number that it was in each, if it was the same in each.
    #[serde(rename = "counted_mean")]
    CountedMean,
}

impl Origin {
    pub const ALL: [Origin; 18] = [
        Origin::Constant,
        Origin::Macro,
        Origin::Assigned,
        Origin::Derived,
        Origin::Initial,
        Origin::Given,
        Origin::Alone,
        Origin::Words,
        Origin::Input,
        Origin::Caller,
        Origin::Callers,
        Origin::Assumed,
        Origin::Default,
        Origin::Set,
        Origin::Config,
        Origin::Traced,
        Origin::Counted,
        Origin::CountedMean,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Constant => "constant",
            Origin::Macro => "macro",
            Origin::Assigned => "assigned",
            Origin::Derived => "derived",
            Origin::Initial => "initial",
            Origin::Given => "given",
            Origin::Alone => "alone",
            Origin::Words => "words",
            Origin::Input => "input",
            Origin::Caller => "caller",
            Origin::Callers => "callers_differ",
            Origin::Assumed => "assumed",
            Origin::Default => "default",
            Origin::Set => "set",
            Origin::Config => "config",
            Origin::Traced => "traced",
            Origin::Counted => "counted",
            Origin::CountedMean => "counted_mean",
        }
    }

    pub fn parse(text: &str) -> Option<Origin> {
        Origin::ALL
            .into_iter()
            .find(|origin| origin.as_str() == text)
    }
}

/// Straight-line code with the loops and branches inside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    pub flops: Flops,
    /// Numbers that are written as text.
    pub texts: u64,
    pub scalars: Vec<Scalar>,
    pub streams: Vec<Stream>,
    pub calls: Vec<Call>,
    /// Loops and branches in program order.
    pub items: Vec<Item>,
    /// What straight-line code around the items sets, in program order; only where there are loops to tell apart.
    pub settings: Vec<Setting>,
    pub reasons: Vec<Reason>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Loop(Box<Loop>),
    Branch(Box<Branch>),
}

/// What a statement outside of the items of a block does with what loops may have computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// How many items of the block come before it.
    pub position: usize,
    pub kind: SettingKind,
    /// The scalar or array that gets a value; empty if none does.
    pub name: String,
    /// The scalars and arrays that it is made from.
    pub from: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// The old value is gone.
    Whole,
    /// An element of an array, or a scalar that may keep its value.
    Part,
    /// The condition of the branch that follows.
    Condition,
    /// What follows in the loop or function may not run.
    End,
}

impl SettingKind {
    pub const ALL: [SettingKind; 4] = [
        SettingKind::Whole,
        SettingKind::Part,
        SettingKind::Condition,
        SettingKind::End,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            SettingKind::Whole => "whole",
            SettingKind::Part => "part",
            SettingKind::Condition => "condition",
            SettingKind::End => "end",
        }
    }

    pub fn parse(text: &str) -> Option<SettingKind> {
        SettingKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

/// Why a loop is not fully understood.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    pub code: ReasonCode,
    pub line: u32,
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// `function@line`, made unique with `#2`, `#3` … where one line has several.
    pub id: String,
    pub file: Arc<str>,
    pub line: u32,
    pub end_line: u32,
    pub variable: LoopVariable,
    pub lower: Expr,
    /// Inclusive. For a loop of unknown trip count this is a symbol of its own, counted from one.
    pub upper: Expr,
    pub step: Expr,
    pub parallel: Option<LoopDirective>,
    /// What it does outside loops inside runs on one core of a program that uses several: this is proven.
    pub is_serial: bool,
    /// What decides which storage it touches outside loops inside, and how often; of an outermost loop, also whether it runs.
    pub needs: Needs,
    /// Something in the body may leave the loop: the range holds the iterations that it has at most.
    pub exits_early: bool,
    /// Its test comes after each iteration, and none before the first (`do` … `while`).
    pub tests_last: bool,
    /// A time ends it to which it adds steps (`analysis/walk/times.rs`).
    pub steps_time: bool,
    /// Lines of statements that are executed as often as the loop (`analysis/walk/beside.rs`).
    pub beside: Beside,
    /// Of a loop without loops inside: what an iteration keeps in registers, where that is known.
    pub registers: Option<Registers>,
    /// Of a loop without loops inside: what an iteration waits for, and which functions it calls, where that is known.
    pub in_core: Option<InCore>,
    /// Additions, multiplications, divisions and specials of the loop's own code that do again what it has done in the same
    /// iteration, so that a compiler may do them once (`analysis/repeated.rs`); counted in `flops` all the same.
    pub repeated: OperationCounts,
    pub body: Block,
}

/// Lines of simple statements in the same block as a loop, those nearest to it first: nothing between them and the loop
/// leads elsewhere, and nothing else begins on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<u32>,
}

impl Beside {
    pub fn is_none(&self) -> bool {
        self.before.is_empty() && self.behind.is_empty()
    }
}

/// Values that an iteration keeps in registers, by kind of register; what each means is described in
/// `analysis/registers.rs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    pub integer: RegisterUse,
    pub floating: RegisterUse,
}

counted! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct RegisterUse: [u32; 5] {
        /// Loop variable and bound.
        pub counters,
        /// Scalars that are live throughout the loop.
        pub scalars,
        /// Addresses and strides of arrays.
        pub pointers,
        /// Array elements, literals and constants that stay the same in the loop.
        pub invariants,
        /// The most values of one iteration that live at once.
        pub temporaries,
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    pub line: u32,
    pub condition: String,
    /// The symbol that holds the probability of `then`.
    pub probability: Symbol,
    pub decision: Decision,
    /// The loops around it, counted from the outermost one, which may give its condition another answer in each iteration;
    /// `None` if all of them may.
    pub loops: Option<BTreeSet<u32>>,
    /// Parts of its condition, where some may change in other loops than others.
    pub parts: Option<Parted>,
    pub asks: Asks,
    pub then: Block,
    pub otherwise: Option<Block>,
    /// First and last line of the statements of `then`, where known.
    pub then_lines: Option<(u32, u32)>,
    /// The same of `otherwise`.
    pub otherwise_lines: Option<(u32, u32)>,
}

/// A condition of parts that may change in other loops than each other: `row[i] && column[j]`. Nothing says how often each
/// of them holds, so that all of them are assumed to hold equally often, whatever the others do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parted {
    /// How many have to hold.
    pub holds: Quantifier,
    /// The loops that may change each part, counted from the outermost one.
    pub loops: Vec<BTreeSet<u32>>,
}

impl Parted {
    /// How often each part holds where all together hold in a share of the iterations.
    pub fn share_of_each(&self, whole: f64) -> f64 {
        let root = |share: f64| share.powf(1.0 / self.loops.len() as f64);
        match self.holds {
            Quantifier::All => root(whole),
            Quantifier::Any => 1.0 - root(1.0 - whole),
        }
    }
}

/// Which part of the condition in the source a branch asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    #[default]
    All,
    /// What it asks of loops, or else of options: `k < 10` of `k < 10 && b[k] > 0`. A branch inside asks for the rest, or only what the rest
    /// reads is inside. What is done otherwise is an arm of the branch inside, too.
    Loops,
}

/// What decides which way a branch goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Decision {
    /// Data, as far as is known.
    #[default]
    Data,
    /// What stays the same in all loops around: it goes the same way in all iterations.
    Fixed,
    /// Variables of the loops around, in a way that no range of them says.
    Loops(Share),
    /// Variables of the loops around: where they have certain values, and the probability is their share.
    Guard(Guard),
    /// What a run does once: the first side, or the other one, is taken the first time and never again.
    Once(bool),
    /// The same, unless something has set the flag before: of several procedures that ask for it, only the first takes the
    /// side, and which one that is, is not known.
    PerhapsOnce(bool),
}

/// How well it is known in how many iterations a condition on variables of loops holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Counted: in 7 of 20 iterations `k % 3 == 0`.
    Counted,
    /// A guess, or once in so many times.
    Estimated,
}

impl Decision {
    /// The side that a run takes once, at most.
    pub fn once(&self) -> Option<bool> {
        match self {
            Decision::Once(taken) | Decision::PerhapsOnce(taken) => Some(*taken),
            _ => None,
        }
    }

    /// The ranges of loop variables that decide.
    pub fn ranges(&self) -> &[GuardRange] {
        match self {
            Decision::Guard(Guard::Inside(ranges) | Guard::Outside(ranges)) => ranges,
            _ => &[],
        }
    }
}

/// Where a condition on variables of the loops around holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Where every variable is in its range.
    Inside(Vec<GuardRange>),
    /// Everywhere else.
    Outside(Vec<GuardRange>),
}

/// Values of a loop variable, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardRange {
    pub variable: String,
    /// Over symbols and variables of loops further out; `None` is where the loop itself ends.
    pub lower: Option<Expr>,
    pub upper: Option<Expr>,
}

counted! {
    /// Operations by kind. Only the first four are floating-point operations; fused pairs are adds and
    /// multiplies that are counted there already.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct OperationCounts: [u64; 9] {
        pub adds,
        pub multiplies,
        pub divides,
        pub specials,
        /// Adds that have a multiply as an operand, each multiply used once.
        pub fma_pairs,
        pub comparisons,
        /// min, max, abs, sign.
        pub selections,
        pub conversions,
        pub negations,
    }
}

impl OperationCounts {
    pub fn add(&mut self, other: OperationCounts) {
        let (mine, theirs) = (self.values(), other.values());
        *self = OperationCounts::from_values(std::array::from_fn(|i| {
            mine[i].saturating_add(theirs[i])
        }));
    }

    /// adds + multiplies + divides + specials.
    pub fn flops(self) -> u64 {
        self.adds + self.multiplies + self.divides + self.specials
    }
}

/// Operations kept apart by the floating type they are done in.
/// Complex operations are counted as the real operations they consist of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flops {
    pub by_type: BTreeMap<ElementType, OperationCounts>,
}

impl Flops {
    pub fn add(&mut self, other: &Flops) {
        for (ty, counts) in &other.by_type {
            self.by_type.entry(ty.clone()).or_default().add(*counts);
        }
    }

    pub fn total(&self) -> OperationCounts {
        let mut total = OperationCounts::default();
        self.by_type.values().for_each(|counts| total.add(*counts));
        total
    }
}

/// How an array or a scalar is used, in program order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessClass {
    ReadOnly,
    WriteOnly,
    /// Read before it is written.
    ReadWrite,
    /// Written, then read.
    WriteRead,
}

impl AccessClass {
    pub const ALL: [AccessClass; 4] = [
        AccessClass::ReadOnly,
        AccessClass::WriteOnly,
        AccessClass::ReadWrite,
        AccessClass::WriteRead,
    ];

    /// Whether what was there before is never read.
    pub fn is_written_first(self) -> bool {
        matches!(self, AccessClass::WriteOnly | AccessClass::WriteRead)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            AccessClass::ReadOnly => "readonly",
            AccessClass::WriteOnly => "writeonly",
            AccessClass::ReadWrite => "readwrite",
            AccessClass::WriteRead => "writeread",
        }
    }

    pub fn parse(text: &str) -> Option<AccessClass> {
        AccessClass::ALL
            .into_iter()
            .find(|class| class.as_str() == text)
    }

    /// The class of a use followed by another use.
    pub fn then(self, later: AccessClass) -> AccessClass {
        use AccessClass::*;
        match (self, later) {
            (ReadOnly, ReadOnly) => ReadOnly,
            (WriteOnly, WriteOnly) => WriteOnly,
            (ReadOnly | ReadWrite, _) => ReadWrite,
            (WriteOnly | WriteRead, _) => WriteRead,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    pub name: String,
    pub ty: ElementType,
    pub is_constant: bool,
    pub class: AccessClass,
    pub reads: u64,
    pub writes: u64,
}

/// Subscripts of the component dimensions of an array; empty if it has none. Printed with commas between them, and with
/// `#` as expressions are that are read back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Component(pub Vec<Expr>);

impl Component {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its number, if it is one.
    pub fn number(&self) -> Option<i64> {
        match &self.0[..] {
            [only] => only.as_integer(),
            _ => None,
        }
    }
}

impl Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, subscript) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            f.write_str(comma)?;
            Display::fmt(subscript, f)?;
        }
        Ok(())
    }
}

/// References to one array that differ by constants only, component apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    pub array: Name,
    pub component: Component,
    pub ty: ElementType,
    /// `None` where the type is unknown.
    pub element_bytes: Option<u32>,
    pub class: AccessClass,
    /// Subscripts in storage order (contiguous first) without their integer offsets.
    pub subscripts: Vec<Subscript>,
    /// Distinct offsets in order of first appearance; one entry per subscript.
    pub accesses: Vec<Access>,
    /// Declared extents in storage order, where known: inclusive lower and upper bounds; at last those of component
    /// dimensions. Of an array that is flattened by hand, ratios of strides.
    pub extents: Vec<Option<(Expr, Expr)>>,
    /// Ranges of loops outside of which a window stays at the border of an array, `max(y + dy, 0)`: it goes to nothing there
    /// to which it does not go inside.
    pub held: Vec<GuardRange>,
}

impl Stream {
    /// Extents of all dimensions but the last one, components being the last: what leads from
    /// subscripts to a place in memory.
    pub fn shape(&self) -> impl Iterator<Item = &Option<(Expr, Expr)>> {
        let rank = self.subscripts.len() + self.component.0.len();
        self.extents.iter().take(rank.saturating_sub(1))
    }

    /// Extents of the dimensions that subscripts go along.
    pub fn own_extents(&self) -> &[Option<(Expr, Expr)>] {
        &self.extents[..self.subscripts.len().min(self.extents.len())]
    }

    /// Whether the same subscripts lead to the same element of an array.
    pub fn has_shape_of(&self, other: &Stream) -> bool {
        self.subscripts.len() == other.subscripts.len() && self.shape().eq(other.shape())
    }
}

/// One dimension of a reference: `Σ coefficient·variable + base`, the integer constant being the
/// offset of the single access.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subscript {
    /// Loop variables with their coefficients, outermost loop first.
    pub terms: Vec<(String, Expr)>,
    /// Symbolic constant without integer part.
    pub base: Expr,
    /// What data add to it: it is not affine, but an indirect one such as `col(k)` or `3*col(k) + i`.
    pub gather: Option<Gather>,
}

/// The part of a subscript that is data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    pub text: String,
    /// The loops around the reference, counted from the outermost one, which may give it another value in each iteration;
    /// `None` if all of them may.
    pub loops: Option<BTreeSet<u32>>,
    /// It is a whole multiple of so many places of its dimension, or elements where nothing says how long these are.
    pub multiple: u32,
}

impl Gather {
    /// What any loop may change.
    pub fn anywhere(text: String) -> Gather {
        Gather {
            text,
            loops: None,
            multiple: 1,
        }
    }

    /// Whether the loop at `level`, counted from the outermost one, may give it another value in each iteration.
    pub fn changes_at(&self, level: usize) -> bool {
        let is_one =
            |loops: &BTreeSet<u32>| u32::try_from(level).is_ok_and(|level| loops.contains(&level));
        self.loops.as_ref().is_none_or(is_one)
    }
}

impl Subscript {
    /// Does not change in the nest.
    pub fn is_invariant(&self) -> bool {
        self.terms.is_empty() && self.gather.is_none()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    #[serde(default)]
    pub offset: Vec<i64>,
    pub reads: u64,
    pub writes: u64,
}

impl Access {
    pub fn is_read(&self) -> bool {
        self.reads > 0
    }

    pub fn is_written(&self) -> bool {
        self.writes > 0
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub line: u32,
    pub name: String,
    pub arguments: Vec<String>,
    pub body: Body,
    /// Of calls once a level, with sizes that fall from level to level: their mean size over that of the largest. `None` where
    /// all have one size.
    pub share: Option<Expr>,
    /// How often a library calls the body for one call of this: `None` where that is once, or not known.
    pub times: Option<Expr>,
    /// What it hands over, by position.
    pub handed: Vec<Handed>,
    /// Of a body that has nests of its own: where the rest of its work counts.
    pub rest: Rest,
}

/// Where the work counts that a body does outside its loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// With the body, by the number of its calls.
    #[default]
    WithBody,
    /// In front of the call: its operations and accesses are those of the block that calls it.
    InFront,
    /// Where the work of the caller outside its own loops does: in front of calls of the caller, or with it.
    WithCaller,
}

impl Rest {
    /// A word for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Rest::WithBody => "with_body",
            Rest::InFront => "in_front",
            Rest::WithCaller => "with_caller",
        }
    }

    pub fn parse(text: &str) -> Option<Rest> {
        let all = [Rest::WithBody, Rest::InFront, Rest::WithCaller];
        all.into_iter().find(|rest| rest.as_str() == text)
    }
}

/// What is known of the body that a call runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// Nothing: it is not among the files, or a pointer says which it is.
    #[default]
    Unknown,
    /// The language brings it along.
    Library,
    /// It has no loops and stands in place of the call: its operations and accesses are those of the
    /// block that calls it.
    Expanded,
    /// It is a function of the program, whose loops are its own.
    Function(FunctionKey),
    /// One of these: a pointer means it at the time, or it is linked of several with the name.
    OneOf(Vec<FunctionKey>),
    /// It leads back to the caller: not followed further.
    Recursive(Option<FunctionKey>),
    /// It moves data between processes.
    Communication(Box<Communication>),
}

/// What one call moves between processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communication {
    /// `mpi`, `boxlib` …
    pub library: String,
    pub kind: InterfaceKind,
    /// Buffers or arrays as written, the one that is sent first.
    pub arrays: Vec<String>,
    /// Elements that one process sends in one call, in a collective to each of the others where they get
    /// different ones; of a call that only receives, those that it receives. `None`: it moves no such.
    pub count: Option<Expr>,
    /// The type of the elements as the call names it; empty where it names none.
    pub datatype: String,
    /// Bytes of an element; `None` is unknown.
    pub element_bytes: Option<Expr>,
    /// Of a halo exchange: what is filled.
    pub halo: Option<Halo>,
}

/// The ghost cells that a halo exchange fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halo {
    /// Components of every cell.
    pub components: Expr,
    /// Ghost cells on either side.
    pub width: Expr,
    /// Cells of one process in every dimension, in storage order.
    pub extents: Vec<Expr>,
}

/// A function by name and place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionKey {
    pub name: String,
    pub file: Arc<str>,
    pub line: u32,
}

impl Body {
    /// A word for reports.
    pub fn as_str(&self) -> &'static str {
        match self {
            Body::Unknown => "unknown",
            Body::Library => "library",
            Body::Expanded => "expanded",
            Body::Function(_) => "known",
            Body::OneOf(_) => "one_of",
            Body::Recursive(_) => "recursive",
            Body::Communication(_) => "communication",
        }
    }
}

impl Block {
    /// Walks this block and the branches inside it, but no loops; each statement of the source once.
    pub fn with_branches<'a>(&'a self, visit: &mut dyn FnMut(&'a Block)) {
        visit(self);
        for item in &self.items {
            if let Item::Branch(branch) = item {
                branch.then.with_branches(visit);
                // The same statements are an arm of the branch inside of a part of a condition.
                let otherwise = branch.otherwise.as_ref();
                if let Some(otherwise) = otherwise.filter(|_| branch.asks == Asks::All) {
                    otherwise.with_branches(visit);
                }
            }
        }
    }

    /// The loops directly inside this block or inside its branches, in program order.
    pub fn loops(&self) -> Vec<&Loop> {
        let mut found = Vec::new();
        for item in &self.items {
            match item {
                Item::Loop(inner) => found.push(&**inner),
                Item::Branch(branch) => {
                    found.extend(branch.then.loops());
                    found.extend(branch.otherwise.iter().flat_map(|block| block.loops()));
                }
            }
        }
        found
    }
}

impl Loop {
    /// First and last value of the variable.
    pub fn ends(&self) -> (&Expr, &Expr) {
        let counts_down = self.step.as_number().is_some_and(|step| step < 0.0);
        match counts_down {
            true => (&self.upper, &self.lower),
            false => (&self.lower, &self.upper),
        }
    }

    /// Whether its iterations are an upper bound, because something leaves it early, or a parameter, because nothing gives
    /// them.
    pub fn is_estimated(&self) -> bool {
        let symbols = self.upper.symbols();
        let is_parameter = |symbol: &Symbol| symbol.kind() == SymbolKind::TripCount;
        self.exits_early || symbols.iter().any(is_parameter)
    }
}

impl Function {
    /// What the program says of the value of a symbol.
    pub fn constant(&self, symbol: &Symbol) -> Option<&Constant> {
        self.constants.iter().find(|c| c.symbol == *symbol)
    }

    pub fn key(&self) -> FunctionKey {
        FunctionKey {
            name: self.name.clone(),
            file: self.file.clone(),
            line: self.line,
        }
    }
}

impl Program {
    /// Runs begin with the functions of these names, whatever the case of their letters, and no more with main programs.
    pub fn begin_with(&mut self, names: &[String]) {
        for function in &mut self.functions {
            function.is_entry = names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&function.name));
        }
    }

    /// Whether outputs are to list any function.
    pub fn shows_some(&self) -> bool {
        self.functions.iter().any(|function| function.is_shown)
    }

    /// Whether outputs are to leave out functions.
    pub fn hides_some(&self) -> bool {
        self.functions.iter().any(|function| !function.is_shown)
    }

    /// The place that a symbol of the kind [`SymbolKind::Place`] stands for.
    pub fn place(&self, symbol: &Symbol) -> Option<&Place> {
        self.places.get(symbol)
    }

    /// Gives every file another name, wherever it is mentioned.
    pub fn rename_files(&mut self, rename: &dyn Fn(&str) -> Arc<str>) {
        for file in &mut self.files {
            file.path = rename(&file.path);
            file.diagnostics
                .iter_mut()
                .for_each(|d| d.place.file = rename(&d.place.file));
        }
        for function in &mut self.functions {
            function.file = rename(&function.file);
            let givers = function.given_by.iter_mut();
            givers.for_each(|giver| giver.file = rename(&giver.file));
            function.body.rename_files(rename);
        }
    }
}

impl Block {
    fn rename_files(&mut self, rename: &dyn Fn(&str) -> Arc<str>) {
        for call in &mut self.calls {
            match &mut call.body {
                Body::Function(key) | Body::Recursive(Some(key)) => key.file = rename(&key.file),
                Body::OneOf(keys) => keys.iter_mut().for_each(|key| key.file = rename(&key.file)),
                _ => {}
            }
        }
        for item in &mut self.items {
            match item {
                Item::Loop(inner) => {
                    inner.file = rename(&inner.file);
                    inner.body.rename_files(rename);
                }
                Item::Branch(branch) => {
                    branch.then.rename_files(rename);
                    branch
                        .otherwise
                        .iter_mut()
                        .for_each(|block| block.rename_files(rename));
                }
            }
        }
    }
}
