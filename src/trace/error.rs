//! What can be wrong with a trace, with the line.

use std::fmt;

use super::format_name::FormatName;
use super::isa::TextError;

/// What is wrong, and where.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {error}{}", error.remedy().unwrap_or_default())]
pub struct TraceError {
    pub place: Place,
    pub error: LineError,
}

impl TraceError {
    /// Whether not even the first line of a text could be read.
    pub fn is_in_first_line(&self) -> bool {
        matches!(self.place, Place::Line(1))
    }

    /// The same without the options of `loopsheet trace` that may help, for who has no such options.
    pub fn without_remedy(&self) -> String {
        format!("{}: {}", self.place, self.error)
    }
}

/// Where in a trace something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Of a text, counted from one.
    Line(u64),
    /// Of records, after decompression, counted from zero; so many instructions were executed before it.
    Byte { offset: u64, instructions: u64 },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte {
                offset,
                instructions,
            } => write!(
                f,
                "byte {offset} of the unpacked trace, after {instructions} instruction{}",
                if *instructions == 1 { "" } else { "s" }
            ),
        }
    }
}

/// What is wrong with one line or record.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    #[error("the trace is empty: it has no instruction")]
    Empty,
    #[error(
        "`{0}` is not a line of a trace: known formats are edan (`0;0x104be;lw a4,0(a5);0x4000800210`), edan-bare, QEMU's execlog, \
         Spike's --log-commits, gdb's disassembly, gem5's Exec, Whisper's CSV, STF, ChampSim's records, and the compact format of \
         this program"
    )]
    UnknownFormat(String),
    #[error(
        "`{text}` is not a line of the format {format}, which the trace was taken to have: {reason}"
    )]
    OtherFormat {
        text: String,
        format: FormatName,
        reason: &'static str,
    },
    #[error("unknown mnemonic `{mnemonic}` in `{text}`")]
    UnknownMnemonic { mnemonic: String, text: String },
    #[error("unknown machine word {word:#010x}{}", in_parentheses(text))]
    UnknownWord { word: u32, text: String },
    #[error("`{text}`: {error}")]
    Operands { text: String, error: TextError },
    #[error("`{0}` is not an address: expected 0x and up to 16 hexadecimal digits")]
    Address(String),
    #[error("`{0}` accesses memory, but the line has no address")]
    NoAddress(String),
    #[error("`{0}`, read as `{1}`, does not access memory, but the line has an address")]
    UnexpectedAddress(String, &'static str),
    #[error("`{0}` accesses memory once, but the line has several addresses")]
    SeveralAddresses(String),
    #[error(
        "the last line has no end (`{0}`): the trace was cut short; a whole trace ends with a newline"
    )]
    Cut(String),
    #[error("the line is longer than {limit} bytes: this is not a trace, or it is damaged")]
    TooLong { limit: usize },
    #[error(
        "`{0}` is part of an instruction that the trace does not show: the debug flag ExecMacro, which Exec has, shows it"
    )]
    WithoutMacro(String),
    #[error("the trace has harts with more than {limit} different numbers")]
    TooManyHarts { limit: usize },
    #[error("the log has no committed instruction: run Spike with --log-commits")]
    NoCommits,
    #[error("no line up to here has a known instruction: this is not a trace in the format {0}")]
    NothingKnown(FormatName),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("cannot read further: {0}")]
    Read(std::io::Error),
    #[error("the compressed trace is cut short or damaged: {0}")]
    Compression(std::io::Error),
}

impl LineError {
    /// What options do about it.
    fn remedy(&self) -> Option<&'static str> {
        match self {
            LineError::UnknownFormat(_) => Some("; --format chooses one of them"),
            LineError::OtherFormat { .. } => Some("; --format says which lines they are"),
            LineError::UnknownMnemonic { .. } | LineError::UnknownWord { .. } => {
                Some("; --unknown=warn counts such instructions and continues")
            }
            _ => None,
        }
    }

    /// Why reading failed: decompressors report damage as these kinds.
    pub(super) fn of_io(error: std::io::Error) -> LineError {
        use std::io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
        match error.kind() {
            UnexpectedEof | InvalidData | InvalidInput | Other => LineError::Compression(error),
            _ => LineError::Read(error),
        }
    }
}

/// What is wrong with a record of a binary trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error(
        "{0} is not the number of a record of STF 1.6: the trace is damaged, or of a later version"
    )]
    Unknown(u8),
    #[error("a record of timed transactions: only traces of instructions are read")]
    Transaction,
    #[error("the record is longer than {limit} bytes: the trace is damaged")]
    TooLong { limit: usize },
    #[error("the trace does not begin with the record that identifies STF")]
    NotIdentified,
    #[error("STF version {0}.{1}: versions 1.2 to 1.6 are read")]
    Version(u32, u32),
    #[error("the trace is of {0}: only RISC-V is read")]
    Isa(&'static str),
    #[error("the trace is of a 32-bit program (RV32): only 64-bit RISC-V (RV64) is read")]
    Bits32,
    #[error("instruction encoding {0} is not known: the trace is damaged")]
    Encoding(u16),
    #[error("an instruction before {0}: the trace is damaged")]
    TooEarly(&'static str),
    #[error("{0:#x} cannot be a pc: the trace is damaged")]
    Pc(u64),
    #[error(
        "{word:#x} in a record for {bytes} bytes is not an instruction of that length: the trace is damaged"
    )]
    Length { word: u32, bytes: u64 },
    #[error("kind {0} of an access is neither a load nor a store: the trace is damaged")]
    AccessKind(u8),
    #[error(
        "the branch flags of the record are not 0 or 1, or mark as taken what is not a branch: the trace is damaged"
    )]
    Branch,
    #[error("the trace has more than {limit} different registers")]
    TooManyRegisters { limit: usize },
    #[error(
        "the trace is in version {0} of the compact format, and version 1 is read: it was written by a later loopsheet"
    )]
    NativeVersion(u8),
    #[error("the checksum of the chunk that begins here is wrong: the trace is damaged")]
    Checksum,
    #[error("{0}: the trace is damaged")]
    Chunk(&'static str),
    #[error("an access has an address, but the first accesses of the trace have none")]
    LateAddress,
    #[error(
        "the trace ends within a record, or with records that belong to no instruction: it was cut short"
    )]
    Cut,
}

/// The text of an instruction behind its machine word, if there is any.
fn in_parentheses(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!(" (`{text}`)"),
    }
}

/// The beginning of a line for a message: as it is if it is text, else its bytes written out.
pub(super) fn excerpt(line: &[u8]) -> String {
    const MOST_TEXT: usize = 80;
    const MOST_BYTES: usize = 16;
    let is_text = |text: &&str| !text.chars().any(|c| c.is_control() && c != '\t');
    let start = |most: usize| &line[..line.len().min(most)];
    match std::str::from_utf8(start(MOST_TEXT)).ok().filter(is_text) {
        Some(text) if line.len() > MOST_TEXT => format!("{text}…"),
        Some(text) => text.to_string(),
        None => format!("{}…", start(MOST_BYTES).escape_ascii()),
    }
}
