//! What each source line did: executions, operations, accesses, bytes and calls, by site (a line within a loop of the
//! machine code), and how often the loops were entered and went round.

mod blocks;
mod calls;
mod data;
mod meter;
mod origins;
mod rounds;
mod strides;
mod symbols;
mod vectors;

use serde::{Deserialize, Serialize};

use crate::cache::AccessKind;

pub use data::apart;
pub(super) use meter::ProfileMeter;
pub use symbols::{plain, takes_memory_back};

/// Everything by site, as in the JSON of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceProfile {
    /// Those that were executed, in the order of first execution.
    pub sites: Vec<Site>,
    /// Loops of the machine code of the functions that were executed.
    pub loops: Vec<MachineLoop>,
    /// What accesses went to: global variables, and ranges elsewhere that no global variable names.
    pub data: Vec<DataRange>,
    /// Source files of the program, executed or not.
    #[serde(default)]
    pub files: Vec<String>,
    /// How often statements were begun, by line, column and loop of the machine code, where the compiler records it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Begun>,
    /// How often the functions with lines were entered, by calls and by jumps from others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entered: Vec<Entered>,
}

/// How often the first instruction of a function was executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    /// As in the symbol table.
    pub function: String,
    /// Where the function begins.
    pub file: String,
    pub line: u32,
    pub times: u64,
}

/// Beginnings of a statement of the source in one loop of the machine code, all copies there taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// Index among the files.
    pub file: u32,
    pub line: u32,
    /// 0 where the compiler does not record it.
    pub column: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_loop: Option<u32>,
    /// Where the rounds of that loop begin: it may be of what comes before the loop, and then has its entries.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_header: bool,
    pub executions: u64,
    /// Executions of the copy that was executed most.
    pub most: u64,
    /// Of the executions, those that go on with one that another mark at the same place has begun, as where a macro with
    /// several statements is used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub continued: u64,
}

impl SourceProfile {
    /// What names a loop, site or range that is not there, or a loop that is not around; for profiles that were read.
    pub fn wrong_index(&self) -> Option<String> {
        let (sites, loops, data) = (self.sites.len(), self.loops.len(), self.data.len());
        let is_loop = |number: u32| (number as usize) < loops;
        let of_site = |(number, site): (usize, &Site)| {
            let is_right = site.machine_loop.is_none_or(is_loop)
                && site
                    .data
                    .iter()
                    .all(|accesses| (accesses.range as usize) < data)
                && site.on_behalf.iter().all(|one| (one.site as usize) < sites);
            (!is_right)
                .then(|| format!("site {number} names a loop, range or site that is not there"))
        };
        let of_loop = |(number, one): (usize, &MachineLoop)| {
            // Inner loops come after those around them.
            let is_right = one.parent.is_none_or(|parent| (parent as usize) < number)
                && one
                    .after
                    .iter()
                    .all(|after| is_loop(after.machine_loop) && (after.site as usize) < sites)
                && one.left.iter().all(|left| (left.site as usize) < sites);
            (!is_right).then(|| {
                format!("loop {number} names a loop or site that is not there or not before it")
            })
        };
        let of_statement = |(number, one): (usize, &Begun)| {
            let is_right =
                (one.file as usize) < self.files.len() && one.machine_loop.is_none_or(is_loop);
            (!is_right)
                .then(|| format!("statement {number} names a file or loop that is not there"))
        };
        let wrong = self.sites.iter().enumerate().find_map(of_site);
        wrong
            .or_else(|| self.loops.iter().enumerate().find_map(of_loop))
            .or_else(|| self.statements.iter().enumerate().find_map(of_statement))
    }
}

/// A source line of a function, in one of the function's loops or in none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// As in the symbol table; what is known of it where there is no symbol.
    pub function: String,
    /// Functions that were inlined there, outermost first.
    pub inlined: Vec<String>,
    /// Files and lines of the calls that these were inlined for, outermost first.
    #[serde(default)]
    pub called_from: Vec<(String, u32)>,
    /// Columns of these calls, 0 where the compiler does not record it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub call_columns: Vec<u32>,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Column, in a line that a loop of the machine code begins on: what stands there may be of several loops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Index of the innermost loop of the machine code.
    pub machine_loop: Option<u32>,
    pub instructions: u64,
    /// Executions of the instruction that was executed most.
    pub executions: u64,
    /// Executions of the instruction that was executed least, where these are fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u64>,
    /// Fewest and most executions of an instruction that is never executed in vain: a store, or floating-point arithmetic,
    /// which compilers do not move out of the arm of a condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<(u64, u64)>,
    /// Executions of the conditional branch that was executed most.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub decisions: u64,
    pub operations: Operations,
    /// Vector instructions, those that only configure or move registers left out.
    #[serde(default, skip_serializing_if = "Vectors::is_none")]
    pub vectors: Vectors,
    pub accesses: Accesses,
    /// Those relative to the stack pointer: values kept there for want of registers, saved registers, local arrays.
    pub stack: Accesses,
    /// Bytes that its accesses made each cache level move from and to what is behind it, nearest level first.
    pub levels: Vec<Moved>,
    /// Functions called from there.
    pub calls: Vec<Called>,
    /// Of a site without lines: how many of its instructions were executed on behalf of calls from sites that have some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_behalf: Vec<OnBehalf>,
    /// By what they went to; stack accesses are left out.
    pub data: Vec<DataAccesses>,
    /// By how many bytes the addresses of its instructions move from one round of the machine loop to the next, where
    /// most rounds agree: ascending, each once, 0 left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strides: Vec<i64>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Floating-point operations by kind. A fused multiply-add is an addition and a multiplication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    pub adds: u64,
    pub multiplies: u64,
    pub divides: u64,
    pub square_roots: u64,
    /// Of the additions and multiplications, how many pairs were fused.
    pub fused: u64,
    /// Executions of vector arithmetic of which the trace does not show how many elements it had; all others are among
    /// the counts above, element by element.
    pub vector: u64,
    /// Of the operations, those on elements that a mask may have left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub masked: u64,
}

/// What vector instructions worked on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vectors {
    /// Executions whose length is known.
    pub instructions: u64,
    /// Elements of these.
    pub elements: u64,
    /// Executions whose length the trace does not show.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unknown: u64,
}

impl Vectors {
    pub fn is_none(&self) -> bool {
        *self == Vectors::default()
    }

    pub fn add(&mut self, other: &Vectors) {
        let Vectors {
            instructions,
            elements,
            unknown,
        } = other;
        self.instructions += instructions;
        self.elements += elements;
        self.unknown += unknown;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accesses {
    pub loads: u64,
    pub stores: u64,
    pub loaded_bytes: u64,
    pub stored_bytes: u64,
}

impl Accesses {
    /// Bytes both ways.
    pub fn bytes(&self) -> u64 {
        self.loaded_bytes + self.stored_bytes
    }

    pub fn add(&mut self, other: &Accesses) {
        self.loads += other.loads;
        self.stores += other.stores;
        self.loaded_bytes += other.loaded_bytes;
        self.stored_bytes += other.stored_bytes;
    }

    pub(super) fn count(&mut self, kind: AccessKind, accesses: u64, bytes: u64) {
        if kind != AccessKind::Store {
            self.loads += accesses;
            self.loaded_bytes += bytes;
        }
        if kind != AccessKind::Load {
            self.stores += accesses;
            self.stored_bytes += bytes;
        }
    }
}

/// Bytes between a cache level and what is behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    pub bytes_in: u64,
    pub bytes_out: u64,
}

/// Calls of one function from one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    pub function: String,
    pub times: u64,
    /// Instructions without line information that were executed on behalf of these calls, in what they call too.
    pub instructions: u64,
    /// What these accessed, registers saved on the stack left out.
    #[serde(default)]
    pub accesses: Accesses,
}

/// Instructions without lines on behalf of the calls at one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnBehalf {
    /// Index of the site with the calls.
    pub site: u32,
    pub instructions: u64,
}

/// A loop of the machine code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineLoop {
    pub name: String,
    pub function: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// Index of the loop around it.
    pub parent: Option<u32>,
    /// Whether the loop around it begins with the same instruction. That one's rounds are then those of both.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_header: bool,
    /// How often it was entered from outside.
    pub entries: u64,
    /// How often its body was begun.
    pub rounds: u64,
    /// How often it was left by a test at the top instead; these are not rounds.
    #[serde(default)]
    pub refused: u64,
    /// Of the entries, those from another loop at the same place of the nest, or from one inside that, which was the last
    /// to be left in the same round of the loop around.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<After>,
    /// Where it was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
    /// The fewest and the most rounds of one execution, from an entry to the next.
    #[serde(default)]
    pub fewest: Option<u64>,
    #[serde(default)]
    pub most: Option<u64>,
}

impl MachineLoop {
    /// Whether it did anything.
    pub fn was_executed(&self) -> bool {
        self.entries > 0 || self.rounds > 0
    }
}

/// Entries of a loop from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct After {
    /// Index of that one.
    pub machine_loop: u32,
    /// Index of the site where it was left.
    pub site: u32,
    pub entries: u64,
}

/// Where a loop was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Index of the site.
    pub site: u32,
    pub times: u64,
}

/// Bytes `low..high` of memory at run time that accesses went to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataRange {
    /// The global variable, or `heap 1`, `heap 2` … for what no variable names, by address.
    pub name: String,
    pub low: u64,
    pub high: u64,
    pub is_variable: bool,
    /// Where the calls stand that handed it out (`malloc` and its kin), as far as that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocated: Vec<AllocatedAt>,
}

/// Where a call stands that handed out memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AllocatedAt {
    pub file: String,
    pub line: u32,
}

/// What a range of addresses is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeKind {
    Variable,
    Stack,
    /// In the program's file, and no variable.
    Constants,
    Heap,
    /// What only code without lines touches, wherever it lies: other ranges may be among it.
    Others,
}

impl DataRange {
    /// Names of ranges that are not variables. A variable may have such a name, too.
    pub const STACK: &str = "stack";
    pub const CONSTANTS: &str = "constants";
    pub const OTHERS: &str = "data of code without lines";

    /// What an object is called that lies there: by where it was handed out, if that is known.
    pub fn object(&self) -> String {
        match self.allocated.is_empty() {
            true => self.name.clone(),
            false => {
                let at = |own: &AllocatedAt| format!("{}:{}", own.file, own.line);
                let all: Vec<String> = self.allocated.iter().map(at).collect();
                format!("allocated at {}", all.join(" or "))
            }
        }
    }

    pub fn kind(&self) -> RangeKind {
        match self.name.as_str() {
            _ if self.is_variable => RangeKind::Variable,
            DataRange::STACK => RangeKind::Stack,
            DataRange::CONSTANTS => RangeKind::Constants,
            DataRange::OTHERS => RangeKind::Others,
            _ => RangeKind::Heap,
        }
    }
}

/// Accesses of a site to one range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataAccesses {
    /// Index of the range.
    pub range: u32,
    #[serde(flatten)]
    pub accesses: Accesses,
}
