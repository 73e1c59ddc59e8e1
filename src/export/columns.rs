//! Rows of text in aligned columns.

/// On which side the cells of a column are flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// One line a row, columns two spaces apart, as wide as their widest cell.
pub(super) fn aligned<R: AsRef<[String]>>(rows: &[R], align: impl AsRef<[Align]>) -> String {
    let align = align.as_ref();
    let length = |s: &str| s.chars().count();
    let width = |column: usize| rows.iter().map(|row| length(&row.as_ref()[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..align.len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let padded = row.as_ref().iter().enumerate().map(|(column, cell)| {
            let fill = " ".repeat(widths[column] - length(cell));
            match align[column] {
                Align::Left => format!("{cell}{fill}"),
                Align::Right => format!("{fill}{cell}"),
            }
        });
        let line = padded.collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The same for as many columns as the rows have: the first flush left, all others right.
pub(super) fn grid(rows: &[Vec<String>]) -> String {
    let length = |s: &str| s.chars().count();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|s| length(s)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let padded = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let fill = " ".repeat(width - length(cell));
            if column == 0 { format!("{cell}{fill}") } else { format!("{fill}{cell}") }
        });
        text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_flush_and_lines_have_no_tail() {
        let rows = [["a".to_string(), "1".into(), "µ".into()], ["bc".to_string(), "10".into(), String::new()]];
        assert_eq!(aligned(&rows, [Align::Left, Align::Right, Align::Left]), "a    1  µ\nbc  10\n");
    }
}
