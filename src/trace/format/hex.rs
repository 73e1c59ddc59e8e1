//! Hexadecimal addresses, of which a trace has one every few instructions.

/// The value of each character, 0xff if it is not a digit.
const DIGITS: [u8; 256] = {
    let mut digits = [0xff; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value] as usize] = value as u8;
        digits[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    digits
};

/// The number after `0x` at the front, and how many bytes it and `0x` take: one to sixteen digits.
#[inline(always)]
pub(crate) fn prefix(bytes: &[u8]) -> Option<(u64, usize)> {
    if bytes.len() < 3 || bytes[0] != b'0' || bytes[1] != b'x' {
        return None;
    }
    let mut value = 0u64;
    let mut length = 2;
    while length < bytes.len() {
        let digit = DIGITS[bytes[length] as usize];
        if digit == 0xff {
            break;
        }
        value = value << 4 | u64::from(digit);
        length += 1;
    }
    (3..=18).contains(&length).then_some((value, length))
}

/// The number if the bytes are one and nothing else.
pub(crate) fn whole(bytes: &[u8]) -> Option<u64> {
    prefix(bytes)
        .filter(|(_, length)| *length == bytes.len())
        .map(|(value, _)| value)
}
