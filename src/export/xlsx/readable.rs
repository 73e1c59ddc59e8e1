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
    let formula = format!("IF(ISNUMBER({cell}),IF({cell}=0,\"0 s\",{formula}),\"{UNKNOWN}\")");
    (formula, shown(value))
}

fn shown(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_string();
    }
    if value == 0.0 {
        return "0 s".to_string();
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
    fn seconds_have_the_unit_that_suits_them() {
        for (value, text) in [
            (0.0, "0 s"),
            (12.3456, "12.35 s"),
            (1.0, "1 s"),
            (0.036_41, "36.41 ms"),
            (0.001, "1 ms"),
            (4.4e-5, "44 µs"),
            (3.125e-10, "0.31 ns"),
            (f64::NAN, "unknown"),
        ] {
            assert_eq!(shown(value), text);
        }
        let (formula, _) = seconds("B7", 1.0);
        assert_eq!(
            formula,
            "IF(ISNUMBER(B7),IF(B7=0,\"0 s\",IF(B7>=1,ROUND(B7*1,2)&\" s\",IF(B7>=0.001,ROUND(B7*1000,2)&\" ms\",\
             IF(B7>=0.000001,ROUND(B7*1000000,2)&\" µs\",ROUND(B7*1000000000,2)&\" ns\")))),\"unknown\")"
        );
    }
}
