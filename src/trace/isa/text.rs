//! Decoding assembler text as objdump, gdb, QEMU and Spike print it.

use thiserror::Error;

use super::Decoded;
use super::facts::facts;
use super::operands::{Mismatch, OperandTexts, values};
use super::table::{self, Syntax};
use super::{Class, Facts};

/// Why text is not an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextError {
    #[error("there is no instruction")]
    Empty,
    #[error("unknown mnemonic `{mnemonic}`")]
    UnknownMnemonic { mnemonic: String },
    /// Operands count from 1.
    #[error("operand {number} of `{mnemonic}`, `{operand}`, has no meaning there")]
    Operand {
        mnemonic: String,
        number: usize,
        operand: String,
    },
    #[error("`{mnemonic}` takes {expected} operands, not {found}")]
    OperandCount {
        mnemonic: String,
        expected: usize,
        found: usize,
    },
}

/// The instruction that a line of disassembly shows.
///
/// Blanks between mnemonic and operands do not matter. What follows `#` is a comment, and `<` starts the
/// symbol that some tools print after an address; both are passed over. Ordering suffixes of atomics are
/// known (QEMU writes `.aq.rl`), but no part of the mnemonic that is returned.
///
/// Errors: see [`TextError`]; a mnemonic that is not in the table is told apart from operands that do not
/// fit.
pub fn decode_text(text: &str) -> Result<Decoded, TextError> {
    let text = text.split(['#', '<']).next().unwrap_or_default().trim();
    let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if mnemonic.is_empty() {
        return Err(TextError::Empty);
    }
    let syntaxes = syntaxes(mnemonic);
    let Some(usual) = syntaxes.first() else {
        return Err(TextError::UnknownMnemonic {
            mnemonic: shortened(mnemonic),
        });
    };
    let texts = OperandTexts::split(operands);
    let mut refused = None;
    for syntax in syntaxes {
        match values(syntax, &texts) {
            Ok(values) => {
                return Ok(Decoded {
                    mnemonic: syntax.mnemonic,
                    facts: facts(syntax.row, &values),
                    has_opcode: true,
                });
            }
            Err(Mismatch::Operand(index)) => refused = refused.or(Some(index)),
            Err(Mismatch::Count) => {}
        }
    }
    Err(match refused {
        Some(index) => TextError::Operand {
            mnemonic: usual.mnemonic.to_owned(),
            number: index + 1,
            operand: shortened(texts.get(index).unwrap_or_default()),
        },
        None => TextError::OperandCount {
            mnemonic: usual.mnemonic.to_owned(),
            expected: usual
                .operands
                .iter()
                .filter(|field| field.is_required())
                .count(),
            found: texts.count(),
        },
    })
}

/// The ways to write operands after a mnemonic.
fn syntaxes(mnemonic: &str) -> &'static [Syntax] {
    let exact = table::syntaxes(mnemonic);
    if !exact.is_empty() {
        return exact;
    }
    let unordered = [".aqrl", ".aq.rl", ".aq", ".rl"]
        .iter()
        .find_map(|suffix| mnemonic.strip_suffix(suffix));
    let atomic = unordered.map_or(&[][..], table::syntaxes);
    if atomic
        .first()
        .is_some_and(|syntax| syntax.row.class == Class::Atomic)
    {
        atomic
    } else {
        &[]
    }
}

/// As much of the input as a message should show.
fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What `--unknown=warn` takes an instruction for that is not in the table.
pub fn unknown() -> Facts {
    Facts {
        class: Class::Unknown,
        reads: Default::default(),
        writes: Default::default(),
        access: None,
        sets_vector_type: None,
        edan_omits: false,
    }
}
