//! Figures as people read them, where a cell's number format cannot scale them: no format shows 0.0364 as 36.4 ms.

use super::page::UNKNOWN;

/// Units of time, from the largest, with what a second has of them.
const UNITS: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)];

/// The formula of the seconds in a cell as text in the unit that suits them, and its value.
pub(super) fn seconds(cell: &str, value: f64) -> (String, String) {
    let [larger @ .., (smallest, most)] = &UNITS;
    let mut formula = format!("ROUND({cell}*{most},2)&\" {smallest}\"");
    for (unit, count) in larger.iter().rev() {
        let limit = 1.0 / count;
        formula = format!("IF({cell}>={limit},ROUND({cell}*{count},2)&\" {unit}\",{formula})");
    }
    for (unit, from, size) in LONG.iter().rev() {
        let from = format!("{from:E}").replace('E', "E+");
        formula = format!("IF({cell}>={from},ROUND({cell}/{size},1)&\" {unit}\",{formula})");
    }
    let formula = format!("IF(ISNUMBER({cell}),IF({cell}=0,\"0 s\",{formula}),\"{UNKNOWN}\")");
    (formula, shown(value))
}

/// Longer times: the unit, from so many seconds on, and its seconds.
const LONG: [(&str, f64, f64); 3] = [
    ("years", 1e8, 31_557_600.0),
    ("days", 2e5, 86_400.0),
    ("h", 1e4, 3600.0),
];

/// Units of bytes, from the largest.
const BYTES: [(&str, f64); 6] = [
    ("PB", 1e15),
    ("TB", 1e12),
    ("GB", 1e9),
    ("MB", 1e6),
    ("kB", 1e3),
    ("B", 1.0),
];

/// The formula of the bytes in a cell as text in the unit that suits them, and its value.
pub(super) fn bytes(cell: &str, value: f64) -> (String, String) {
    let [larger @ .., (smallest, _)] = &BYTES;
    let mut formula = format!("ROUND({cell},2)&\" {smallest}\"");
    for (unit, size) in larger.iter().rev() {
        let size = format!("{size:E}").replace('E', "E+");
        formula = format!("IF({cell}>={size},ROUND({cell}/{size},2)&\" {unit}\",{formula})");
    }
    let formula = format!("IF(ISNUMBER({cell}),{formula},\"{UNKNOWN}\")");
    (formula, shown_bytes(value))
}

fn shown_bytes(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_string();
    }
    let [.., last] = BYTES;
    let fits = |(_, size): &(&str, f64)| value >= *size;
    let (unit, size) = BYTES.into_iter().find(fits).unwrap_or(last);
    format!("{} {unit}", (value / size * 100.0).round() / 100.0)
}

/// The formula of the size in a cell as text, in binary units if it is a whole number of them, and its value. It is known.
pub(super) fn size(cell: &str, value: f64) -> (String, String) {
    let (mut formula, mut shown) = bytes(cell, value);
    for (unit, size) in [("KiB", 1024.0), ("MiB", 1_048_576.0)] {
        formula = format!(
            "IF(AND({cell}>={size},MOD({cell},{size})=0),{cell}/{size}&\" {unit}\",{formula})"
        );
        if value >= size && value % size == 0.0 {
            shown = format!("{} {unit}", value / size);
        }
    }
    (formula, shown)
}

fn shown(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_string();
    }
    if value == 0.0 {
        return "0 s".to_string();
    }
    if let Some((unit, _, size)) = LONG.iter().find(|(_, from, _)| value >= *from) {
        return format!("{} {unit}", (value / size * 10.0).round() / 10.0);
    }
    let [.., last] = UNITS;
    let fits = |(_, count): &(&str, f64)| value >= 1.0 / count;
    let (unit, count) = UNITS.into_iter().find(fits).unwrap_or(last);
    format!("{} {unit}", (value * count * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_bytes_have_the_unit_that_suits_them() {
        for (value, text) in [
            (0.0, "0 s"),
            (12.3456, "12.35 s"),
            (2.8125e12, "89122.7 years"),
            (214_201.57, "2.5 days"),
            (115_950.0, "32.2 h"),
            (301.35, "301.35 s"),
            (1.0, "1 s"),
            (0.036_41, "36.41 ms"),
            (0.001, "1 ms"),
            (4.4e-5, "44 µs"),
            (3.125e-10, "0.31 ns"),
            (f64::NAN, "unknown"),
        ] {
            assert_eq!(shown(value), text);
        }
        for (value, text) in [
            (0.0, "0 B"),
            (64.0, "64 B"),
            (24_668.0, "24.67 kB"),
            (1e6, "1 MB"),
            (2.5e12, "2.5 TB"),
            (5.764e16, "57.64 PB"),
            (f64::NAN, "unknown"),
        ] {
            assert_eq!(shown_bytes(value), text);
        }
        for (value, text) in [
            (32_768.0, "32 KiB"),
            (33_554_432.0, "32 MiB"),
            (1_536.0, "1.54 kB"),
            (100.0, "100 B"),
            (f64::NAN, "unknown"),
        ] {
            assert_eq!(size("", value).1, text);
        }
        let (formula, _) = bytes("B7", 1.0);
        assert_eq!(
            formula,
            "IF(ISNUMBER(B7),IF(B7>=1E+15,ROUND(B7/1E+15,2)&\" PB\",IF(B7>=1E+12,ROUND(B7/1E+12,2)&\" TB\",IF(B7>=1E+9,ROUND(B7/1E+9,2)&\" GB\",\
             IF(B7>=1E+6,ROUND(B7/1E+6,2)&\" MB\",IF(B7>=1E+3,ROUND(B7/1E+3,2)&\" kB\",ROUND(B7,2)&\" B\"))))),\"unknown\")"
        );
        let (formula, _) = seconds("B7", 1.0);
        assert_eq!(
            formula,
            "IF(ISNUMBER(B7),IF(B7=0,\"0 s\",IF(B7>=1E+8,\
             ROUND(B7/31557600,1)&\" years\",IF(B7>=2E+5,ROUND(B7/86400,1)&\" days\",IF(B7>=1E+4,ROUND(B7/3600,1)&\" h\",IF(B7>=1,ROUND(B7*1,2)&\" s\",IF(B7>=0.001,ROUND(B7*1000,2)&\" ms\",\
             IF(B7>=0.000001,ROUND(B7*1000000,2)&\" µs\",ROUND(B7*1000000000,2)&\" ns\"))))))),\"unknown\")"
        );
    }
}
