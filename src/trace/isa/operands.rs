//! Operands as text: splitting them, and reading each in its role.

use super::facts::Values;
use super::names::{float, integer, vector};
use super::table::{Field, Syntax, csr};

/// The operands of one instruction, without the blanks around them.
pub struct OperandTexts<'a> {
    texts: [&'a str; OperandTexts::MOST],
    count: usize,
}

impl<'a> OperandTexts<'a> {
    /// More than any instruction has.
    const MOST: usize = 8;

    /// At commas. Text beyond the most operands counts, but is not kept.
    pub fn split(text: &'a str) -> Self {
        let mut operands = OperandTexts {
            texts: [""; Self::MOST],
            count: 0,
        };
        if text.trim().is_empty() {
            return operands;
        }
        for operand in text.split(',') {
            if let Some(place) = operands.texts.get_mut(operands.count) {
                *place = operand.trim();
            }
            operands.count += 1;
        }
        operands
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn get(&self, index: usize) -> Option<&'a str> {
        self.texts
            .get(index)
            .copied()
            .filter(|_| index < self.count)
    }
}

/// Why operands do not fit a syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    Count,
    /// Index of the operand that does not fit.
    Operand(usize),
}

/// Reads operands as a syntax says.
pub fn values(syntax: &Syntax, texts: &OperandTexts) -> Result<Values, Mismatch> {
    if texts.count > OperandTexts::MOST {
        return Err(Mismatch::Count);
    }
    // From here on no index is out of range.
    let (first, end) = without_rounding(syntax, texts);
    let required = syntax
        .operands
        .iter()
        .filter(|field| field.is_required())
        .count();
    let most = if syntax.operands.contains(&Field::VectorType) {
        OperandTexts::MOST
    } else {
        required + usize::from(syntax.operands.contains(&Field::Mask))
    };
    if !(required..=most).contains(&(end - first)) {
        return Err(Mismatch::Count);
    }
    let mut values = Values::default();
    for (slot, value) in syntax.fixed {
        values.set(*slot, *value);
    }
    let mut next = first;
    for field in syntax
        .operands
        .iter()
        .filter(|field| field.is_written_out())
    {
        match field {
            Field::Rounding => {}
            Field::Mask if next == end => {}
            Field::VectorType => {
                values.immediate =
                    vector_type(&texts.texts[next..end]).ok_or(Mismatch::Operand(next))?;
                next = end;
            }
            _ => {
                read(*field, texts.texts[next], &mut values).ok_or(Mismatch::Operand(next))?;
                next += 1;
            }
        }
    }
    Ok(values)
}

/// The operands but for a rounding mode, which stands first (QEMU) or last.
fn without_rounding(syntax: &Syntax, texts: &OperandTexts) -> (usize, usize) {
    const MODES: [&str; 8] = ["rne", "rtz", "rdn", "rup", "rmm", "dyn", "unknown", "inv"];
    let is_mode = |index: usize| texts.get(index).is_some_and(|text| MODES.contains(&text));
    match (0, texts.count) {
        (first, end) if !syntax.operands.contains(&Field::Rounding) => (first, end),
        (first, end) if is_mode(first) => (first + 1, end),
        (first, end) if end > 0 && is_mode(end - 1) => (first, end - 1),
        all => all,
    }
}

/// Reads one operand; `None` if the text does not fit the role.
fn read(field: Field, text: &str, values: &mut Values) -> Option<()> {
    let register = match field {
        Field::Rd | Field::Rs1 | Field::Rs2 | Field::RdRs1 => integer(text)?,
        Field::Fd | Field::Fs1 | Field::Fs2 | Field::Fs3 | Field::Fs1Fs2 => float(text)?,
        Field::Vd(_)
        | Field::VdAlso(_)
        | Field::Vs1(_)
        | Field::Vs2(_)
        | Field::Vs3(_)
        | Field::Vs1Vs2
        | Field::VdVs1Vs2 => vector(text)?,
        Field::Offset => based(text)?.1,
        Field::Base => based(text).filter(|(offset, _)| *offset == 0)?.1,
        Field::JumpOffset => {
            let (offset, base) = based(text)?;
            values.immediate = offset;
            base
        }
        Field::JumpImmediate | Field::Zimm => {
            values.immediate = number(text)?;
            return Some(());
        }
        Field::Number => return number(text).map(|_| ()),
        Field::CsrNumber => {
            values.csr = control_register(text)?;
            return Some(());
        }
        Field::Mask => {
            values.masked = text == "v0.t";
            return values.masked.then_some(());
        }
        Field::V0 => return (text == "v0").then_some(()),
        Field::Target => return is_target(text).then_some(()),
        Field::FenceSet => return is_fence_set(text).then_some(()),
        Field::VectorType | Field::Rounding | Field::ReadsConfig | Field::WritesConfig => {
            return None;
        }
    };
    for slot in field.slots() {
        values.set(*slot, u16::from(register));
    }
    Some(())
}

/// `-8(sp)`, `(sp)`: offset and base.
fn based(text: &str) -> Option<(i64, u8)> {
    let (offset, base) = text.strip_suffix(')')?.split_once('(')?;
    let offset = if offset.is_empty() {
        0
    } else {
        number(offset.trim())?
    };
    Some((offset, integer(base.trim())?))
}

/// Decimal or hexadecimal, with or without a sign; as large as 64 bits allow, with or without a sign.
fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let magnitude = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(digits) if digits.starts_with('+') => return None,
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative {
        (magnitude as i64).wrapping_neg()
    } else {
        magnitude as i64
    })
}

/// A name, or a number of twelve bits.
fn control_register(text: &str) -> Option<u16> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return number(text)
            .and_then(|number| u16::try_from(number).ok())
            .filter(|number| *number < 0x1000);
    }
    let is_name = text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    is_name.then(|| csr::number(text))
}

/// An address with or without `0x`, a distance, `pc + 8`, or a symbol.
fn is_target(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_.$@+- ".contains(c))
}

/// Nothing, letters of `iorw`, or what tools print instead for reserved sets.
fn is_fence_set(text: &str) -> bool {
    text == "unknown" || number(text).is_some() || text.chars().all(|c| "iorw".contains(c))
}

/// `e32,m1,ta,ma`, with LMUL 1 if none is given, or a number; as the bits of `vtype` without its
/// agnosticism.
fn vector_type(texts: &[&str]) -> Option<i64> {
    let (sew, rest) = texts.split_first()?;
    if let Some(number) = number(sew) {
        return rest.is_empty().then_some(number);
    }
    let sew = match *sew {
        "e8" => 0,
        "e16" => 1,
        "e32" => 2,
        "e64" => 3,
        "e128" => 4,
        "e256" => 5,
        "e512" => 6,
        "e1024" => 7,
        _ => return None,
    };
    let mut lmul = 0;
    for text in rest {
        lmul = match *text {
            "m1" => 0,
            "m2" => 1,
            "m4" => 2,
            "m8" => 3,
            "mf8" => 5,
            "mf4" => 6,
            "mf2" => 7,
            "ta" | "tu" | "ma" | "mu" => lmul,
            _ => return None,
        };
    }
    Some(sew << 3 | lmul)
}
