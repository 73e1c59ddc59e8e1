//! Whisper's log with `--logfile F --csv` (`printInstCsvTrace` there): a line of titles, then a line an instruction, with
//! hexadecimal numbers without `0x`:
//!
//! ```text
//! pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
//! 104be,4398,x14=2a,x15;i0,800210,l,m,,c.lw     x14; 0x0(x15),0
//! ```
//!
//! An access is `ADDRESS:PHYSICAL=STORED`, several are separated by semicolons, and `m` marks elements that a mask leaves
//! out.

use std::io::Read;

use super::batch::Batch;
use super::error::{LineError, TraceError, excerpt};
use super::expected::Addresses;
use super::lines::{Blocks, each_line};
use super::words::{Site, Words};
use super::{FormatName, Options, ReadSummary};

const TITLES: &[u8] = b"pc, inst, modified regs, source operands, memory";

/// Whether a line has the titles.
pub(super) fn is_header(line: &[u8]) -> bool {
    line.starts_with(TITLES)
}

/// Reads a whole trace.
///
/// # Errors
/// The first line that is wrong.
pub(super) fn read(
    blocks: Blocks<impl Read>,
    options: Options,
    sink: &mut dyn FnMut(Batch) -> Option<Batch>,
) -> Result<ReadSummary, TraceError> {
    let mut reader = Reader {
        words: Words::new(options.unknown, sink),
        columns: None,
        trapped: 0,
    };
    let text = each_line(blocks, &mut |line| reader.line(line))?;
    let ended = reader
        .words
        .ended(FormatName::Whisper, text.bytes, (reader.trapped, None));
    ended.map_err(|error| text.failed(error))
}

/// Where the columns are whose place depends on Whisper's version and options.
#[derive(Clone, Copy)]
struct Columns {
    count: usize,
    trap: Option<usize>,
    disassembly: Option<usize>,
    hart: Option<usize>,
}

const MEMORY: usize = 4;
/// More than Whisper writes.
const MOST_COLUMNS: usize = 16;

struct Reader<'s> {
    words: Words<'s>,
    columns: Option<Columns>,
    trapped: u64,
}

impl Reader<'_> {
    /// Takes a line; `false` if nobody wants more.
    fn line(&mut self, line: &[u8]) -> Result<bool, LineError> {
        let other = |reason| LineError::OtherFormat {
            text: excerpt(line),
            format: FormatName::Whisper,
            reason,
        };
        if is_header(line) {
            self.columns = Some(columns(line));
            return Ok(true);
        }
        let columns = self.columns.ok_or_else(|| {
            other("no line of titles, `pc, inst, modified regs, …`, is before it")
        })?;
        let mut fields: [&[u8]; MOST_COLUMNS] = [b""; MOST_COLUMNS];
        let mut count = 0;
        for field in line.split(|c| *c == b',') {
            if let Some(own) = fields.get_mut(count) {
                *own = field;
            }
            count += 1;
        }
        if count != columns.count {
            return Err(other("it has not as many fields as there are titles"));
        }
        let pc = number(first(fields[0])).ok_or_else(|| other("the pc is not a number"))?;
        let word = number(fields[1]).and_then(|word| u32::try_from(word).ok());
        let word = word.ok_or_else(|| other("the machine word is not a 32-bit number"))?;
        let hart = columns
            .hart
            .map_or(Some(0), |column| number(fields[column]));
        let hart = hart.and_then(|hart| u32::try_from(hart).ok());
        let hart = hart.ok_or_else(|| other("the hart is not a number"))?;
        let trap = columns.trap.map_or(&b""[..], |column| fields[column]);
        if !trap.is_empty() {
            let cause =
                number(trap).ok_or_else(|| other("the cause of the trap is not a number"))?;
            if !is_call(word, cause) {
                self.trapped += 1;
                return Ok(true);
            }
        }
        let text = columns
            .disassembly
            .map_or(&b""[..], |column| fields[column]);
        let text = || String::from_utf8_lossy(text).replace(';', ",");
        let id = self.words.find(Site { hart, pc, word }, text)?;
        let is_conditional = self.words.expects(id).0 == Addresses::AtMostOne;
        for access in fields[MEMORY]
            .split(|c| *c == b';')
            .filter(|access| !access.is_empty())
        {
            let address = first(access);
            let rest = &access[address.len()..];
            let address = number(address).ok_or_else(|| LineError::Address(excerpt(access)))?;
            // A store-conditional that failed shows no value.
            let is_stored = rest.contains(&b'=');
            if !rest.contains(&b'm') && (is_stored || !is_conditional) {
                self.words.address(address);
            }
        }
        self.words.execute(id)
    }
}

fn columns(titles: &[u8]) -> Columns {
    let titles: Vec<&[u8]> = titles
        .split(|c| *c == b',')
        .map(<[u8]>::trim_ascii)
        .collect();
    let column = |title: &[u8]| {
        let place = titles.iter().position(|own| *own == title);
        place.filter(|place| *place < MOST_COLUMNS)
    };
    Columns {
        count: titles.len(),
        trap: column(b"trap"),
        disassembly: column(b"disassembly"),
        hart: column(b"hartid"),
    }
}

/// Whether the instruction caused the trap by what it does: system calls and breakpoints. Others are executed again.
fn is_call(word: u32, cause: u64) -> bool {
    const ECALL: u32 = 0x73;
    const EBREAK: [u32; 2] = [0x0010_0073, 0x9002];
    match cause {
        3 => EBREAK.contains(&word),
        8..=11 => word == ECALL,
        _ => false,
    }
}

/// The digits at the beginning.
fn first(field: &[u8]) -> &[u8] {
    let digits = field.iter().take_while(|c| c.is_ascii_hexdigit()).count();
    &field[..digits]
}

/// A hexadecimal number without `0x`.
fn number(digits: &[u8]) -> Option<u64> {
    let is_number = digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    u64::from_str_radix(text, 16).ok()
}
