//! What can be wrong with a trace, with the line.

use super::format::FormatName;
use super::isa::TextError;

/// What is wrong, and where.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {error}")]
pub struct TraceError {
    /// Counted from one.
    pub line: u64,
    pub error: LineError,
}

/// What is wrong with one line.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    #[error("the trace is empty: it has no instruction")]
    Empty,
    #[error(
        "`{0}` is no line of a trace: known formats are edan (`0;0x104be;lw a4,0(a5);0x4000800210`), edan-bare, QEMU's execlog, \
         Spike's --log-commits and gdb's disassembly; --format chooses one of them"
    )]
    UnknownFormat(String),
    #[error("`{text}` is no {format} line, as the lines before it are or --format says: {reason}")]
    OtherFormat {
        text: String,
        format: FormatName,
        reason: &'static str,
    },
    #[error(
        "unknown mnemonic `{mnemonic}` in `{text}`; --unknown=warn counts such instructions and goes on"
    )]
    UnknownMnemonic { mnemonic: String, text: String },
    #[error(
        "unknown machine word {word:#010x} (`{text}`); --unknown=warn counts such instructions and goes on"
    )]
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
    #[error("the trace has harts with more than {limit} different numbers")]
    TooManyHarts { limit: usize },
    #[error("the log has no committed instruction: run Spike with --log-commits")]
    NoCommits,
    #[error("not one line up to here has an instruction that is known: this is no {0} trace")]
    NothingKnown(FormatName),
    #[error("cannot read further: {0}")]
    Read(std::io::Error),
    #[error("the compressed trace is cut short or damaged: {0}")]
    Compression(std::io::Error),
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
