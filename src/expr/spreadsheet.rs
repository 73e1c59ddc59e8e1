//! What spreadsheets allow: how long a formula may be, and what a name that formulas mention may look like.

use super::{Children, Expr, Function, Node};

/// Characters that a person can follow, and the most that any formula of a workbook has.
pub const FORMULA_LENGTH: u32 = 500;
/// Characters of a longer formula once parts of it have cells of their own, and of each part.
pub const PART_LENGTH: u32 = 250;

/// Characters of `IFERROR(…,"unknown")` with its equals sign, which a figure that some machines leave unknown stands in.
const AROUND: u32 = 20;
/// Characters of a figure that formulas mention: `'Working sets'!AB1234`.
const REFERENCE: u32 = 22;
/// Characters of a sum over ranges, without these.
const TWO_RANGES: u32 = "SUMPRODUCT((>)*)".len() as u32;

/// Whether a formula of so many characters is more than a person can follow in one cell.
pub(super) fn is_long(length: u32) -> bool {
    length.saturating_add(AROUND) > FORMULA_LENGTH
}

/// How many characters the formula of a node takes, or a few less; numbers are left to [`number_length`].
pub(super) fn length(node: &Node) -> u32 {
    match node {
        Node::Number(_) => 0,
        // With `.A` where it is one of the machine.
        Node::Symbol(symbol) => symbol.name().len() as u32 + 2,
        Node::Figure(_) => REFERENCE,
        // Two ranges, as in `Arrays!C5:C7`, whose figures stand in columns.
        Node::Call(Function::SumAbove, items) => {
            2 * (REFERENCE + 10) + items[0].formula_length() + TWO_RANGES
        }
        _ => {
            let children = Children::of_node(node).map(Expr::formula_length);
            children.fold(own_length(node), u32::saturating_add)
        }
    }
}

pub(super) fn number_length(value: f64) -> u32 {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => value.abs().max(1.0).log10() as u32 + 2,
        false => value.to_string().len().min(24) as u32,
    }
}

/// Of an operation without its operands, in parentheses.
fn own_length(node: &Node) -> u32 {
    let separators = Children::of_node(node).len() as u32 + 1;
    let name = match node {
        Node::If(..) => "IF(<=)",
        Node::Call(Function::TreeStages, _) => "ROUNDUP(ROUND(LOG(MAX(,1),2),9),0)",
        Node::Call(..) => "ROUNDUP(,0)",
        _ => "+",
    };
    separators + name.len() as u32
}

/// A defined name in Excel and LibreOffice: letters, digits, dots and underscores; never what a spreadsheet reads as a cell or a keyword.
pub fn legal_name(label: &str) -> String {
    let mut name = String::new();
    for c in label.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') => name.push(c),
            ')' | ']' => {}
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name.truncate(200);
    let last = name.rsplit('.').next().unwrap_or(&name);
    if starts_like_r1c1(&name) || name.to_lowercase().starts_with("_xl") {
        name.insert(0, '_');
    } else if is_reserved(&name) || is_reserved(last) {
        name.push('_');
    }
    name
}

/// `r1`, `c2max`, `rc3`: Excel ignores what follows the number, so nothing at the end makes it a name.
fn starts_like_r1c1(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["rc", "r", "c"].iter().any(|head| {
        lower
            .strip_prefix(head)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// What a spreadsheet reads as a cell (`N1`, `r`, `c`) or a keyword.
fn is_reserved(name: &str) -> bool {
    let lower = name.to_lowercase();
    let letters = lower.chars().take_while(char::is_ascii_alphabetic).count();
    let (head, tail) = lower.split_at(letters);
    let digits = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_digit());
    let is_a1 = (1..=3).contains(&letters) && digits(tail);
    let is_r1c1 = {
        let after_row = lower
            .strip_prefix('r')
            .unwrap_or(&lower)
            .trim_start_matches(|c: char| c.is_ascii_digit());
        let after_column = after_row.strip_prefix('c').unwrap_or(after_row);
        after_column.chars().all(|c| c.is_ascii_digit())
            && (lower.starts_with('r') || lower.starts_with('c'))
    };
    let keyword = [
        "true", "false", "and", "or", "not", "if", "pi", "na", "rand", "now", "today", "row",
        "column",
    ];
    is_a1
        || is_r1c1
        || (tail.is_empty() && keyword.contains(&head))
        || OF_EXCEL.contains(&lower.as_str())
}

/// Names that Excel gives a meaning: areas that it prints or filters, macros that it runs.
const OF_EXCEL: [&str; 14] = [
    "_filterdatabase",
    "auto_activate",
    "auto_close",
    "auto_deactivate",
    "auto_open",
    "consolidate_area",
    "criteria",
    "data_form",
    "database",
    "extract",
    "print_area",
    "print_titles",
    "recorder",
    "sheet_title",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_spreadsheet_would_misread_get_an_underscore() {
        for (label, name) in [
            ("n1", "n1_"),
            ("r", "r_"),
            ("C", "C_"),
            ("r1c1", "_r1c1"),
            ("c1", "_c1"),
            ("r2max", "_r2max"),
            ("rc3", "_rc3"),
            ("c1.n", "_c1.n"),
            ("crest1", "crest1"),
            ("true", "true_"),
            ("xfd1048576", "xfd1048576_"),
            ("nx", "nx"),
            ("hi(1)", "hi_1"),
            ("fab%lo(2)", "fab_lo_2"),
            ("n[0]", "n_0"),
            ("p->n", "p_n"),
            ("smooth.n1", "smooth.n1_"),
            ("ubound(x,2)", "ubound_x_2"),
            ("row", "row_"),
            ("abcd1", "abcd1"),
            ("Print_Area", "Print_Area_"),
            ("criteria", "criteria_"),
            ("_xlnm.n", "__xlnm.n"),
            ("_XLFN", "__XLFN"),
        ] {
            assert_eq!(legal_name(label), name, "{label}");
        }
    }
}
