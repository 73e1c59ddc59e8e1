//! What a page was written with, unpacked.

use std::io::Read;

use flate2::read::ZlibDecoder;
use serde_json::Value;

/// What the page's scripts show.
pub fn data(page: &str) -> Value {
    serde_json::from_str(&unpacked(page, "data")).expect("JSON")
}

/// The script with the formulas.
pub fn formulas(page: &str) -> String {
    unpacked(page, "formulas")
}

fn unpacked(page: &str, id: &str) -> String {
    let (_, rest) = page.split_once(&format!("id=\"{id}\">")).expect(id);
    let (packed, _) = rest.split_once("</script>").expect("an end");
    let mut text = String::new();
    let bytes = bytes(packed);
    ZlibDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .expect("deflated text");
    text
}

/// The bytes of a text in base64.
fn bytes(text: &str) -> Vec<u8> {
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} is no digit"),
    };
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::new();
    for four in digits.as_bytes().chunks(4) {
        let bits = four
            .iter()
            .fold(0u32, |bits, digit| (bits << 6) | u32::from(value(*digit)));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}
