//! Language-neutral loop nests: what C and Fortran both become before anything is analysed.
//!
//! Invariants:
//! - Subscripts are in storage order, the contiguous dimension first, whatever the language.
//! - Loop bounds are inclusive, as values of the source; nothing is folded or simplified here.
//! - Nothing of the source is dropped: a statement or value that is not understood is an `Opaque`
//!   one with a reason and a place, and keeps what could be read below it.
//! - `**` is right-associative here, whatever the grammar made of it.

// The layers below, by their names.
use loopsheet_base::{attempt, diagnostic, interned, reason};
use loopsheet_source as source;
use serde::{Deserialize, Serialize};

mod addresses;
mod conventions;
mod directive;
mod element;
pub mod fold;
mod home;
mod lost;
mod name;
mod source_text;
pub mod stored;
pub mod text;
mod value;
pub mod visit;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Place};
use crate::reason::ReasonCode;
use crate::source::parallel::Parallel;
use crate::source::{Form, Language, Preprocessing};

pub use addresses::{
    POINTER_BYTES, address_bases, addressed, dimensions_behind, is_address, is_left_out,
    kept_addresses, passed_bases, passed_by_address, pointed_dimensions,
};
pub use conventions::{
    Aliasing, ArrayNames, CalledVariables, Conventions, DomainErrors, Handles, Linkage, LoopEnds,
    NotNumbers, Operands, Passing, Prototypes, Records, Results,
};
pub use directive::LoopDirective;
pub use element::ElementType;
pub use home::Home;
pub use lost::{is_lost, lost_loop, with_lost_loops};
pub use name::{Name, Step};
pub use source_text::source_text;
pub use value::{BinaryOp, Quantifier, UnaryOp, Value, wider};

/// One source file, lowered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unit {
    #[serde(with = "interned")]
    pub path: Arc<str>,
    pub language: Language,
    pub form: Form,
    pub lines: usize,
    /// What of the file runs on several cores, if that was looked at.
    pub parallel: Option<Parallel>,
    /// Whether a database of the build says how it is compiled.
    pub is_listed: bool,
    /// Whether a makefile or the like names the file.
    pub is_built: bool,
    pub preprocessing: Preprocessing,
    pub functions: Vec<Function>,
    /// Storage whose address something has before the program runs: `int *p = &n;` at file scope.
    pub addressed: Vec<Home>,
    /// Procedures that pointers have before the program runs: `void (*step)(int) = euler;` at file scope.
    pub named: Vec<String>,
    /// Generic names that the file defines, with the procedures behind them.
    pub generics: BTreeMap<String, Vec<String>>,
    pub diagnostics: Vec<Diagnostic>,
}

// Here, and not where they are needed, as what is made for a type is compiled with its crate.
impl Unit {
    /// As it is kept in a cache; `None` if it cannot be written.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    /// What [`Unit::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Unit> {
        postcard::from_bytes(bytes).ok()
    }
}

/// Values of elements, with their subscripts in storage order.
pub type Listed = Vec<(Box<[i64]>, Value)>;

/// A function, subroutine or main program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    pub place: Place,
    /// The line of its last statement, `end` or brace; not of one that contains others, whose own end compilers do not
    /// take for that.
    pub end_line: Option<u32>,
    /// What its language does in its own way.
    pub conventions: Conventions,
    pub variables: Vec<Variable>,
    /// Where the members of structures in arrays lie.
    pub members: BTreeMap<VarId, MemberLayout>,
    /// Where pointers lie that are members of structures in arrays: `p[i].row` of a variable for `p[i].row[j]`.
    pub pointers: BTreeMap<VarId, PointerLayout>,
    /// Where components of structures lie that are not elements of arrays, for the calls that get elements in their
    /// place.
    pub parts: BTreeMap<VarId, MemberLayout>,
    /// The array or pointer that a variable for a member was selected from, as other blocks may declare more of its name.
    pub selected_from: BTreeMap<VarId, VarId>,
    /// Bytes of the structures that variables hold, without what lies behind pointers.
    pub record_bytes: BTreeMap<VarId, u32>,
    /// What storage variables name that other functions can name too.
    pub homes: BTreeMap<VarId, Home>,
    /// Values that scalars of such storage have before the program runs.
    pub initial: BTreeMap<VarId, Value>,
    /// Values that elements of arrays of whole numbers have before the program runs, or, in arrays that the function has for
    /// itself, whenever it begins: with their subscripts, in storage order.
    pub listed: BTreeMap<VarId, Listed>,
    /// Variables that are zero before the program runs, as their definition gives them no value: C's `static int n;`.
    pub zero: BTreeSet<VarId>,
    /// Pairs of variables that may share storage: `equivalence`, members of a union, a pointer and its target.
    pub shared: Vec<(VarId, VarId)>,
    /// Pointers with arrays into which assignments let them point, where they cannot be followed as names.
    pub pointed: Vec<(VarId, VarId)>,
    /// Variables that statements may give values by other names: those whose address is taken, `target`, `equivalence` in a
    /// module.
    pub aliased: BTreeSet<VarId>,
    /// Dummy arguments that keep what is passed, as their declaration says: `intent(in)`.
    pub read_only: BTreeSet<VarId>,
    /// Dummy arguments that one statement of the procedure allocates, with the bounds that their dimensions have.
    pub allocated: BTreeSet<VarId>,
    /// Arrays that a statement gives another length than they were allocated with: `a = [a, x]`.
    pub grown: BTreeSet<VarId>,
    /// Arrays that a statement allocates whose declaration leaves their length to statements, with the bounds that their
    /// dimensions have.
    pub sized: BTreeSet<VarId>,
    /// Arrays that statements give more than one length, with each of them: their dimensions stay open.
    pub lengths: BTreeMap<VarId, Vec<Length>>,
    /// Arguments that statements allocate only where they are not allocated yet: what a caller has allocated stays as it is.
    pub kept: BTreeSet<VarId>,
    /// Scalars whose address is passed to procedures.
    pub passed: BTreeSet<VarId>,
    /// Variables that hold what is read for others before statements change it, with those.
    pub as_read: BTreeMap<VarId, VarId>,
    /// Common blocks, with the names that it has for their members, in order.
    pub commons: BTreeMap<String, Vec<String>>,
    /// The module or procedure that contains it: others know it only if they use that one.
    pub host: Option<String>,
    /// Known to its file only (C's `static`), or to the module that contains it (`private`).
    pub is_private: bool,
    /// A run of the program begins here: Fortran's main program, C's `main`.
    pub is_main: bool,
    /// Its statements that open files and read from them, in their order.
    pub file_statements: Vec<FileStatement>,
    /// Names of entries in the middle of the body.
    pub entries: Vec<String>,
    /// The variable that holds a function's result, in languages that have one.
    pub result: Option<VarId>,
    /// Names that it calls which a module or a type gives to a certain procedure, and calls by way of an object.
    pub callees: BTreeMap<String, Callee>,
    /// Tables of procedures that it calls through, by the name of the call: `steps[i]`, `solvers[i].solve`.
    pub tables: BTreeMap<String, CallTable>,
    /// Procedures that lists of values name: what structures and tables of its own have in the beginning, compound literals.
    pub named: BTreeSet<String>,
    pub body: Vec<Stmt>,
}

/// A statement that opens a file, or reads from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileStatement {
    pub place: Place,
    pub unit: FileUnit,
    pub action: FileAction,
}

/// What a statement names a file by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FileUnit {
    /// The standard input, which is open from the beginning.
    Standard,
    /// The number of the file, or what holds its handle.
    Is(Value),
}

/// What a statement does with a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FileAction {
    /// It opens the file of this name.
    Open(Value),
    /// A run begins with the file open, whatever its name.
    IsOpen,
    /// It reads values for these from the next line on, as they stand there: `read (unit, *) n, m`.
    List(Vec<ListItem>),
    /// It reads something else, or goes to another place of the file.
    Other,
}

/// What a statement reads from a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListItem {
    /// One value for a variable.
    Variable(VarId),
    /// One value for something else, such as an element.
    Single,
    /// As many as an array has elements.
    Several,
}

/// An array or structure of pointers to procedures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTable {
    /// The variable that holds it, if it is one.
    pub variable: Option<VarId>,
    /// The procedures that it has before the program runs.
    pub procedures: Vec<String>,
}

/// What a name stands for that is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    /// The procedure of a module.
    OfModule { module: String, name: String },
    /// A procedure that the type of an object has: `mf%fill_boundary`. The type is not known here.
    OfObject { object: String, name: String },
}

/// A variable that stands for a member of the structures of an array: `p[i].x`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberLayout {
    /// How many of the last steps of the variable's name lead to the member from the structure: one for `x`, two for
    /// `velocity.x`.
    pub steps: usize,
    /// Bytes from the beginning of the structure to the member's element whose subscripts are all zero.
    pub offset: i64,
    /// Bytes from one structure to the next; 0 if that is not known.
    pub record_bytes: u32,
    /// Extents of the member's own dimensions in storage order.
    pub extents: Vec<u32>,
}

/// A variable whose elements lie behind a pointer that is a member of the structures of an array: `p[i].row[j]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointerLayout {
    /// How many subscripts of the variable select what the pointer leads to; the others select the pointer.
    pub behind: usize,
    /// Where the pointer itself lies.
    pub layout: MemberLayout,
}

/// Index into the variables of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VarId(pub u32);

impl Function {
    /// Leaves the dimensions of an array open, with its bounds as one of its lengths, if they are known.
    pub fn open_length(&mut self, id: VarId) {
        let dimensions = &mut self.variables[id.0 as usize].dimensions;
        if dimensions.is_empty() || dimensions.iter().any(|extent| extent.upper.is_none()) {
            return;
        }
        let open = vec![Extent::default(); dimensions.len()];
        let known = Length::Bounds(std::mem::replace(dimensions, open));
        self.allocated.remove(&id);
        self.lengths.entry(id).or_default().push(known);
    }

    /// A function without anything in it.
    pub fn new(name: String, place: Place, conventions: Conventions) -> Function {
        Function {
            name,
            place,
            end_line: None,
            conventions,
            variables: Vec::new(),
            members: BTreeMap::new(),
            pointers: BTreeMap::new(),
            parts: BTreeMap::new(),
            selected_from: BTreeMap::new(),
            record_bytes: BTreeMap::new(),
            homes: BTreeMap::new(),
            initial: BTreeMap::new(),
            listed: BTreeMap::new(),
            zero: BTreeSet::new(),
            shared: Vec::new(),
            pointed: Vec::new(),
            aliased: BTreeSet::new(),
            read_only: BTreeSet::new(),
            allocated: BTreeSet::new(),
            grown: BTreeSet::new(),
            sized: BTreeSet::new(),
            lengths: BTreeMap::new(),
            kept: BTreeSet::new(),
            passed: BTreeSet::new(),
            as_read: BTreeMap::new(),
            commons: BTreeMap::new(),
            host: None,
            is_private: false,
            is_main: false,
            file_statements: Vec::new(),
            entries: Vec::new(),
            result: None,
            callees: BTreeMap::new(),
            tables: BTreeMap::new(),
            named: BTreeSet::new(),
            body: Vec::new(),
        }
    }

    /// The variable that one is in the source: of one that holds what is read for another, that.
    pub fn in_source(&self, id: VarId) -> VarId {
        self.as_read.get(&id).map_or(id, |of| self.in_source(*of))
    }

    /// Whether a variable is what the program is started with: the command line of C's `main`.
    pub fn is_command_line(&self, id: VarId) -> bool {
        self.is_main && self.variable(id).role == Role::Argument
    }

    /// Where an element lies whose first subscripts are left out so often, if that is a member of the structures of an
    /// array: a number, or a pointer to what the variable's elements are.
    pub fn layout_of(&self, id: VarId, left_out: usize) -> Option<&MemberLayout> {
        match left_out {
            0 => self.members.get(&id),
            _ => {
                let pointer = self.pointers.get(&id);
                let pointer = pointer.filter(|pointer| pointer.behind == left_out);
                pointer.map(|pointer| &pointer.layout)
            }
        }
    }

    /// The variable whose storage another one is, read as another type.
    pub fn viewed(&self, id: VarId) -> Option<VarId> {
        let name = &self.variable(id).name;
        let viewed = self.selected_from.get(&id).copied();
        viewed.filter(|_| name.is_view() && !name.is_member())
    }

    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }
}

/// Arithmetic types with their size in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    Integer(u32, Sign),
    Real(u32),
    /// Size of both parts together.
    Complex(u32),
    Logical(u32),
    /// A string of so many characters, if that is known. Of a scalar the elements are its characters.
    Character(Option<u32>),
    /// A structure or derived type, by name; its size in bytes if known.
    Derived(String, Option<u32>),
    Unknown,
}

/// Whether whole numbers of a type may be less than zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sign {
    Signed,
    /// Numbers beyond the largest one begin again at zero.
    Unsigned,
}

impl Type {
    /// A whole number that may be negative.
    pub const fn integer(bytes: u32) -> Type {
        Type::Integer(bytes, Sign::Signed)
    }

    /// Whether numbers of the type are computed with and compared without a sign: narrower ones become `int` before.
    pub fn is_unsigned(&self) -> bool {
        matches!(self, Type::Integer(4.., Sign::Unsigned))
    }

    /// A number as an operation or a comparison of the type has it: of those without a sign, none is negative. `None` of one
    /// that is more than a whole number of ours holds, and of one that overflows, as no language says what that is.
    pub fn computed(&self, number: i64) -> Option<i64> {
        match self {
            _ if self.is_unsigned() => self.wrapped(number),
            Type::Integer(4..=7, Sign::Signed) => {
                self.wrapped(number).filter(|left| *left == number)
            }
            _ => Some(number),
        }
    }

    /// What is left of a whole number that is stored in this type; `None` if the type does not hold whole numbers of a known size.
    pub fn wrapped(&self, number: i64) -> Option<i64> {
        match self {
            Type::Logical(_) => Some(i64::from(number != 0)),
            Type::Integer(bytes @ 1..=7, sign) => Some(wrapped_to(8 * bytes, *sign, number)),
            Type::Integer(8, Sign::Signed) => Some(number),
            Type::Integer(8, Sign::Unsigned) => Some(number).filter(|number| *number >= 0),
            _ => None,
        }
    }

    /// One character.
    pub const CHARACTER: Type = Type::Character(Some(1));

    /// The type of the elements: those of a string that stands alone are its characters.
    pub fn of_elements(self, is_array: bool) -> Type {
        match self {
            Type::Character(_) if !is_array => Type::CHARACTER,
            ty => ty,
        }
    }

    /// Whether both are the same but for the length of strings.
    pub fn is_same_kind(&self, other: &Type) -> bool {
        matches!((self, other), (Type::Character(_), Type::Character(_))) || self == other
    }

    /// Whether arithmetic on it counts as floating-point operations.
    pub fn is_floating(&self) -> bool {
        matches!(self, Type::Real(_) | Type::Complex(_))
    }

    /// Size of one element, if known.
    pub fn bytes(&self) -> Option<u32> {
        match self {
            Type::Integer(n, _) | Type::Real(n) | Type::Complex(n) | Type::Logical(n) => Some(*n),
            Type::Character(size) | Type::Derived(_, size) => *size,
            Type::Unknown => None,
        }
    }
}

/// A name that a function uses: scalar or array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// As written (Fortran: lower case); of a member with the way to it: `fab%p`, `p->x`.
    pub name: Name,
    pub ty: Type,
    /// Declared bounds in storage order; empty for a scalar.
    pub dimensions: Vec<Extent>,
    pub role: Role,
    /// Value of a named constant.
    pub constant: Option<Value>,
    pub place: Place,
}

/// How long a statement makes an array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Length {
    /// As long as it is allocated.
    Bounds(Vec<Extent>),
    /// As long as what is assigned to it as a whole.
    Shape(Value),
}

/// Declared bounds of one dimension; `None` where the declaration leaves them open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extent {
    pub lower: Option<Value>,
    /// Inclusive.
    pub upper: Option<Value>,
}

impl Extent {
    /// Whether bounds hold as much as others, as they are written.
    pub fn are_as_long(these: &[Extent], others: &[Extent]) -> bool {
        let is_as_long = |(this, other): (&Extent, &Extent)| this.size() == other.size();
        these.len() == others.len() && these.iter().zip(others).all(is_as_long)
    }

    /// What it holds, alike for bounds that hold as much: a number, or the bounds themselves.
    fn size(&self) -> (Option<i64>, Option<&Value>, Option<&Value>) {
        let first = match &self.lower {
            Some(Value::Integer(first)) => Some(*first),
            Some(_) => None,
            None => Some(1),
        };
        match (first, &self.upper) {
            (Some(first), Some(Value::Integer(last))) => (Some(last - first + 1), None, None),
            (Some(1), last) => (None, None, last.as_ref()),
            (_, last) => (None, self.lower.as_ref(), last.as_ref()),
        }
    }
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    Argument,
    Local,
    /// Module variable, common block, file scope.
    Global,
    /// `parameter`, `#define`, `enum`, `static const`.
    Constant(ConstantOrigin),
    /// Never declared where we could see it.
    Undeclared,
}

/// What kind of declaration gave a named constant its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConstantOrigin {
    Parameter,
    Macro,
    Enumerator,
    Const,
    /// The square root of minus one, which has no other value.
    ImaginaryUnit,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Stmt {
    Assign {
        place: Place,
        target: Value,
        value: Value,
    },
    Loop(Box<Loop>),
    If(Box<If>),
    Call {
        place: Place,
        name: String,
        arguments: Vec<Value>,
    },
    /// `exit`, `break`, `return`, `goto`, `stop`: leaves the straight line.
    Jump {
        place: Place,
        kind: Jump,
    },
    /// Where a label stands, or a jump to labels; only while a function is lowered.
    Mark {
        place: Place,
        mark: Mark,
    },
    /// Evaluated for its operators and references only: the condition of a `switch`, a `print` list.
    Evaluate {
        place: Place,
        values: Vec<Value>,
        printed: Printed,
    },
    /// Not understood; statements that could be read inside it are kept.
    Opaque {
        place: Place,
        reason: Reason,
        inner: Vec<Stmt>,
    },
}

/// Whether values that are evaluated for nothing else are written as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Printed {
    #[default]
    No,
    AsText,
}

impl Stmt {
    /// Where it begins.
    pub fn place(&self) -> &Place {
        match self {
            Stmt::Assign { place, .. }
            | Stmt::Call { place, .. }
            | Stmt::Jump { place, .. }
            | Stmt::Mark { place, .. }
            | Stmt::Evaluate { place, .. }
            | Stmt::Opaque { place, .. } => place,
            Stmt::Loop(inner) => &inner.place,
            Stmt::If(inner) => &inner.place,
        }
    }
}

/// First and last line on which these statements, or those inside them, begin or loops end; those of the first one's
/// file.
pub fn lines(statements: &[Stmt]) -> Option<(u32, u32)> {
    let file = &statements.first()?.place().file;
    let own = statements
        .iter()
        .filter(|statement| statement.place().file == *file);
    own.map(|statement| {
        let first = statement.place().line;
        let last = match statement {
            Stmt::Loop(inner) => inner.end_line,
            Stmt::If(inner) => [&inner.then, &inner.otherwise]
                .iter()
                .filter_map(|arm| lines(arm))
                .map(|arm| arm.1)
                .max()
                .unwrap_or(first),
            _ => first,
        };
        (first, last.max(first))
    })
    .reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Jump {
    /// Leaves the innermost loop.
    Exit,
    /// Next iteration.
    Cycle,
    Return,
    Goto,
    Stop,
}

/// What lowering leaves in a function's body until its jumps have become loops and branches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mark {
    Label(Label),
    /// A jump to one of several labels; `may_pass` if it may also go on behind itself.
    Goto {
        labels: Vec<Label>,
        may_pass: bool,
    },
}

/// Where a jump goes to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Label {
    /// A label of the source, before the statement that carries it.
    Statement(#[serde(with = "interned")] Arc<str>),
    /// The end of the body of the loop of that name: what `cycle` of it goes to.
    Cycle(#[serde(with = "interned")] Arc<str>),
    /// Behind the loop of that name: what `exit` of it goes to.
    Exit(#[serde(with = "interned")] Arc<str>),
}

/// The jump as the source writes it.
impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Label::Statement(name) => write!(f, "go to {name}"),
            Label::Cycle(name) => write!(f, "cycle {name}"),
            Label::Exit(name) => write!(f, "exit {name}"),
        }
    }
}

/// Why something is not understood: a code that reports count, and detail for a person.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reason {
    pub code: ReasonCode,
    pub detail: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loop {
    pub place: Place,
    pub end_line: u32,
    /// A directive that makes the loop parallel.
    pub parallel: Option<LoopDirective>,
    pub evaluation: Evaluation,
    pub control: Control,
    pub body: Vec<Stmt>,
}

/// When the iterations of a loop compute what they store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Evaluation {
    /// Each after those before it have stored theirs.
    #[default]
    InTurn,
    /// All before any is stored: the loop is that of a statement on whole arrays.
    BeforeStores,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Control {
    /// `do i = lower, upper, step` or the C loop that is the same; `upper` inclusive.
    Counted {
        variable: VarId,
        lower: Value,
        upper: Value,
        step: Value,
    },
    /// `while`, `do while`, bare `do`, or a `for` of another shape.
    Uncounted {
        condition: Option<Value>,
        tested: Tested,
        reason: Reason,
    },
}

impl Control {
    /// Whether the condition is evaluated after each iteration, and not before the first.
    pub fn is_tested_last(&self) -> bool {
        let after = Tested::AfterBody;
        matches!(self, Control::Uncounted { tested, .. } if *tested == after)
    }
}

/// When the condition of an uncounted loop is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tested {
    BeforeBody,
    AfterBody,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct If {
    pub place: Place,
    pub condition: Value,
    pub then: Vec<Stmt>,
    pub otherwise: Vec<Stmt>,
}

/// `if (value > target) target = value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremum<'i> {
    pub target: &'i Value,
    pub value: &'i Value,
    /// Whether nothing else is done where it is a new one.
    pub is_alone: bool,
}

impl If {
    /// The minimum or maximum that it keeps.
    pub fn extremum(&self) -> Option<Extremum<'_>> {
        let body = match (self.then.is_empty(), self.otherwise.is_empty()) {
            (false, true) => &self.then,
            (true, false) => &self.otherwise,
            _ => return None,
        };
        let Value::Binary(op, left, right) = &self.condition else {
            return None;
        };
        let sides = [left.as_ref(), right.as_ref()];
        let kept = body.iter().find_map(|statement| match statement {
            Stmt::Assign { target, value, .. } => {
                let is_kept = sides == [target, value] || sides == [value, target];
                is_kept.then_some((target, value))
            }
            _ => None,
        });
        let (target, value) = kept.filter(|_| op.is_order())?;
        Some(Extremum {
            target,
            value,
            is_alone: body.len() == 1,
        })
    }
}

/// What so many bits hold of a whole number, fewer than 64 of them.
pub fn wrapped_to(bits: u32, sign: Sign, number: i64) -> i64 {
    let modulus = 1_i64 << bits;
    let rest = number.rem_euclid(modulus);
    match sign {
        Sign::Signed if rest >= modulus / 2 => rest - modulus,
        _ => rest,
    }
}
