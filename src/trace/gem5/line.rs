//! One line taken apart.

use memchr::memmem;

use crate::format::hexadecimal;

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// An instruction, and what it did.
    Whole,
    /// An instruction whose micro-operations follow.
    Macro,
    /// A micro-operation.
    Micro,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'l> {
    /// Name of the cpu's object.
    pub cpu: &'l [u8],
    pub thread: u64,
    pub pc: u64,
    pub part: Part,
    pub text: &'l [u8],
    /// From the cpu to the end of the disassembly: lines of the same instruction have the same.
    pub key: &'l [u8],
    /// What it did.
    pub effects: &'l [u8],
}

const WRONG: &str =
    "expected TICK: CPU: T0 : 0xPC @SYMBOL    : disassembly : what it did, as gem5 prints it";

/// Whether a line looks like one of gem5's, by its beginning.
pub(crate) fn is_line(line: &[u8]) -> bool {
    start(line).is_some_and(|start| start.behind.starts_with(b"0x"))
}

struct Start<'l> {
    cpu: &'l [u8],
    thread: u64,
    /// Where the cpu's name begins.
    from: usize,
    /// From the pc on.
    behind: &'l [u8],
}

fn start(line: &[u8]) -> Option<Start<'_>> {
    let mut behind = line.trim_ascii_start();
    // Without a tick with the flag FmtTicksOff.
    let digits = digits(behind);
    if digits > 0 {
        behind = behind[digits..].strip_prefix(b": ")?;
    }
    behind = behind.strip_prefix(b"ExecEnable: ").unwrap_or(behind);
    let from = line.len() - behind.len();
    if !behind.first()?.is_ascii_alphabetic() {
        return None;
    }
    let colon = memchr::memchr2(b':', b' ', behind)?;
    let cpu = &behind[..colon];
    behind = behind[colon..].strip_prefix(b": ")?;
    behind = numbered(behind, b'A', b" ").map_or(behind, |(_, rest)| rest);
    let (thread, behind) = numbered(behind, b'T', b" : ").unwrap_or((0, behind));
    Some(Start {
        cpu,
        thread,
        from,
        behind,
    })
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|c| c.is_ascii_digit()).count()
}

/// The number between a letter and what follows it, and the rest.
fn numbered<'l>(text: &'l [u8], letter: u8, after: &[u8]) -> Option<(u64, &'l [u8])> {
    let text = text.strip_prefix(&[letter])?;
    let (number, rest) = text.split_at(digits(text));
    let number = std::str::from_utf8(number).ok()?.parse().ok()?;
    Some((number, rest.strip_prefix(after)?))
}

impl<'l> Line<'l> {
    pub fn parse(line: &'l [u8]) -> Result<Line<'l>, &'static str> {
        let Start {
            cpu,
            thread,
            from,
            behind,
        } = start(line).ok_or(WRONG)?;
        let (pc, length) = hexadecimal(behind).ok_or(WRONG)?;
        let place = &behind[length..];
        let colon = memmem::find(place, b" : ").ok_or(WRONG)?;
        let is_micro = is_micro(&place[..colon]).ok_or(WRONG)?;
        let shown = &place[colon + 3..];
        // Nothing but the disassembly is shown of an instruction whose micro-operations follow.
        let (text, effects) = match memmem::find(shown, b" : ") {
            Some(end) => (&shown[..end], Some(&shown[end + 3..])),
            None => match shown.trim_ascii_end().strip_suffix(b" :") {
                Some(text) => (text, Some(&shown[shown.len()..])),
                None => (shown, None),
            },
        };
        let part = match (is_micro, effects) {
            (true, Some(_)) => Part::Micro,
            (true, None) => return Err("a micro-operation without what it did"),
            (false, Some(_)) => Part::Whole,
            (false, None) => Part::Macro,
        };
        let end = line.len() - shown.len() + text.len();
        Ok(Line {
            cpu,
            thread,
            pc,
            part,
            text: text.trim_ascii(),
            key: &line[from..end],
            effects: effects.unwrap_or_default(),
        })
    }
}

/// Whether the number of a micro-operation stands behind pc and symbol: a dot and at least two characters, in place of
/// three blanks. `None` if neither does.
fn is_micro(place: &[u8]) -> Option<bool> {
    if place.ends_with(b"   ") {
        return Some(false);
    }
    let dot = memchr::memrchr(b'.', place)?;
    let number = &place[dot + 1..];
    let digits = number.trim_ascii_start();
    (number.len() >= 2 && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
        .then_some(true)
}

/// The value behind `A=` or `D=` among what an instruction did, if it is there.
pub(super) fn value<'l>(effects: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let mut fields = effects.split(u8::is_ascii_whitespace);
    fields.find_map(|field| field.strip_prefix(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> (String, u64, u64, Part, String) {
        let parsed = Line::parse(line.as_bytes()).unwrap_or_else(|why| panic!("{line}: {why}"));
        assert!(is_line(line.as_bytes()), "{line}");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let Line {
            cpu, thread, pc, ..
        } = parsed;
        (text(cpu), thread, pc, parsed.part, text(parsed.text))
    }

    #[test]
    fn flags_add_and_remove_parts() {
        let expected = |thread, part| {
            (
                "system.cpu".into(),
                thread,
                0x104be,
                part,
                "c_lw a4, 0(a5)".into(),
            )
        };
        for line in [
            "   1000: system.cpu: A0 T0 : 0x104be @main+4    : c_lw a4, 0(a5)             : MemRead :  D=0x2a A=0x800210  flags=(IsLoad)",
            "   1000: system.cpu: T0 : 0x104be @main+4    : c_lw a4, 0(a5)             : MemRead :  D=0x2a A=0x800210",
            "system.cpu: T0 : 0x104be    : c_lw a4, 0(a5)             : MemRead :  D=0x2a A=0x800210",
            "1000: ExecEnable: system.cpu: 0x104be    : c_lw a4, 0(a5)             :  A=0x800210",
            "60855388500: system.cpu: 0x104be    : c_lw a4, 0(a5)             :",
            "60855388500: system.cpu: 0x104be    : c_lw a4, 0(a5)             : ",
        ] {
            assert_eq!(parsed(line), expected(0, Part::Whole), "{line}");
        }
        let line =
            "9: system.cpu: A3 T1 : 0x104be @f.constprop.0. 0 : c_lw a4, 0(a5) : MemRead :  A=0x10";
        assert_eq!(parsed(line), expected(1, Part::Micro));
        let line = "9: system.cpu: 0x104be @f.10    : c_lw a4, 0(a5)            ";
        assert_eq!(parsed(line), expected(0, Part::Macro));
    }

    #[test]
    fn the_key_is_the_same_at_other_ticks() {
        let key = |line: &'static str| Line::parse(line.as_bytes()).expect(line).key;
        assert_eq!(
            key(
                "1: board.cores0.core: T0 : 0x10 @f    : add a0, a1, a2             : IntAlu :  D=0x1"
            ),
            key(
                "99999: board.cores0.core: T0 : 0x10 @f    : add a0, a1, a2             : IntAlu :  D=0x2"
            ),
        );
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "",
            "1000: system.cpu: Fetch: Inst PC:0x000014, Fetch PC:0x000014",
            "gem5 Simulator System.  https://www.gem5.org",
            "0;0x104be;lw a4,0(a5);0x4000800210",
            "lw a4,0(a5);0x40080290",
            "0x10490 <main>:\taddi\tsp,sp,-64",
            "core   0: 3 0x00000000000104be (0x4398) x14 0x2a mem 0x4000800210",
        ] {
            assert!(!is_line(line.as_bytes()), "{line}");
            assert!(Line::parse(line.as_bytes()).is_err(), "{line}");
        }
        for line in [
            "1: system.cpu: T0 : 0x104be @main+4 : c_lw a4, 0(a5) : MemRead",
            "1: system.cpu: T0 : 0x104be @main+4. x : c_lw a4, 0(a5) : MemRead",
            "1: system.cpu: T0 : 0x104be @main+4    c_lw a4, 0(a5)",
        ] {
            assert!(Line::parse(line.as_bytes()).is_err(), "{line}");
        }
    }
}
