//! Who is blamed, by name: instructions, source lines, and what they accessed.

use loopsheet_regions::SourceLine;

/// Everything that is shared. Of each kind the parts add up to the totals exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// W of the epochs: instructions.
    pub window: u32,
    /// m: most misses that start in an epoch.
    pub slots: u32,
    /// E_m of the caches' own misses.
    pub epochs: u64,
    /// m of the nearest level, if there is a core.
    pub pure_miss_cycles: Option<u64>,
    /// By instruction and what it accessed; the most pure miss cycles first, then the most epochs.
    pub instructions: Vec<BlamedInstruction>,
    /// By source line, the same order; one without a place has all that has none.
    pub lines: Vec<BlamedLine>,
    /// By what was accessed, the same order.
    pub objects: Vec<BlamedObject>,
}

/// Units of both kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units {
    pub pure_miss_cycles: u64,
    pub epochs: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedInstruction {
    pub pc: Option<u64>,
    /// As the trace has it.
    pub text: Box<str>,
    /// As far as it is known.
    pub function: Option<String>,
    pub place: Option<SourceLine>,
    /// See [`BlamedObject::name`].
    pub object: Option<String>,
    pub units: Units,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedLine {
    pub function: Option<String>,
    pub place: Option<SourceLine>,
    pub units: Units,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedObject {
    /// A global variable, the stack, or a range of addresses without a name; of several that a line goes to, all. `None` if
    /// the program is not known.
    pub name: Option<String>,
    pub units: Units,
}

impl Units {
    pub(super) fn add(&mut self, other: Units) {
        self.pure_miss_cycles += other.pure_miss_cycles;
        self.epochs += other.epochs;
    }

    /// The most first.
    pub(super) fn order(self) -> std::cmp::Reverse<(u64, u64)> {
        std::cmp::Reverse((self.pure_miss_cycles, self.epochs))
    }
}
