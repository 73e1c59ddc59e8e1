//! Where programs and libraries are loaded, as options give it.

use anyhow::Context;

/// Hexadecimal after `0x`, else decimal; a multiple of the page.
pub fn address(text: &str) -> anyhow::Result<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = match digits {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let number =
        number.with_context(|| format!("{text}: expected an address, such as 0x4000000000"))?;
    anyhow::ensure!(
        number % 4096 == 0,
        "{text}: programs and libraries are loaded at multiples of 4096"
    );
    Ok(number)
}
