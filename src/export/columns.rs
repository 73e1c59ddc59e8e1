//! Rows of text in aligned columns.

use std::borrow::Cow;

/// On which side the cells of a column are flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Characters that a name keeps at least.
const LEAST: usize = 12;

/// Cuts names in the middle until lines are no longer than `width`: those of the columns that `names` says, the widest
/// first. What is not a name stays whole.
pub(super) fn shorten<R: AsMut<[String]>>(rows: &mut [R], width: Option<usize>, names: &[usize]) {
    let Some(width) = width else { return };
    let mut widths: Vec<usize> = Vec::new();
    for row in rows.iter_mut() {
        let row = row.as_mut();
        widths.resize(row.len(), 0);
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(cell.chars().count());
        }
    }
    let between = 2 * widths.len().saturating_sub(1);
    let mut over = (widths.iter().sum::<usize>() + between).saturating_sub(width);
    while over > 0 {
        let Some(widest) = names
            .iter()
            .copied()
            .filter(|name| widths[*name] > LEAST)
            .max_by_key(|name| widths[*name])
        else {
            break;
        };
        widths[widest] -= 1;
        over -= 1;
    }
    for row in rows {
        let row = row.as_mut();
        for name in names {
            row[*name] = cut(&row[*name], widths[*name]);
        }
    }
}

/// Without characters that move the cursor or end the line, as names of files may have them.
pub(crate) fn visible(cell: &str) -> Cow<'_, str> {
    match cell.contains(char::is_control) {
        true => Cow::Owned(cell.replace(char::is_control, "\u{fffd}")),
        false => Cow::Borrowed(cell),
    }
}

/// How many characters of its beginning and of its end stand for a text of which there is room for `most`.
pub(crate) fn ends(most: usize) -> (usize, usize) {
    let kept = most.saturating_sub(1);
    (kept - kept / 2, kept / 2)
}

/// At most `most` characters, with `…` for those in the middle.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_string();
    }
    let (head, tail) = ends(most);
    let begin: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{begin}…{end}")
}

/// One line a row, columns two spaces apart, as wide as their widest cell.
pub(super) fn aligned<R: AsRef<[String]>>(rows: &[R], align: impl AsRef<[Align]>) -> String {
    let align = align.as_ref();
    let length = |s: &str| s.chars().count();
    let width = |column: usize| {
        rows.iter()
            .map(|row| length(&row.as_ref()[column]))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..align.len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let padded = row.as_ref().iter().enumerate().map(|(column, cell)| {
            let fill = " ".repeat(widths[column] - length(cell));
            match align[column] {
                Align::Left => format!("{}{fill}", visible(cell)),
                Align::Right => format!("{fill}{}", visible(cell)),
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
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|s| length(s))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let padded = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                let (fill, cell) = (" ".repeat(width - length(cell)), visible(cell));
                if column == 0 {
                    format!("{cell}{fill}")
                } else {
                    format!("{fill}{cell}")
                }
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
        let rows = [
            ["a".to_string(), "1".into(), "µ".into()],
            ["bc".to_string(), "10".into(), String::new()],
        ];
        assert_eq!(
            aligned(&rows, [Align::Left, Align::Right, Align::Left]),
            "a    1  µ\nbc  10\n"
        );
    }

    #[test]
    fn characters_that_move_the_cursor_are_not_written() {
        let rows = [["a\u{1b}[31m\nb".to_string(), "1".into()]];
        let expected = "a\u{fffd}[31m\u{fffd}b  1\n";
        assert_eq!(aligned(&rows, [Align::Left, Align::Right]), expected);
        assert_eq!(grid(&rows.map(Vec::from)), expected);
    }

    #[test]
    fn names_are_cut_in_the_middle_and_numbers_never() {
        let row = |name: &str| [name.to_string(), "123456".to_string()];
        let mut rows = [row("short"), row("a_long_name_that_ends_in_ü")];
        shorten(&mut rows, Some(24), &[0]);
        assert_eq!(rows, [row("short"), row("a_long_n…ds_in_ü")]);
        assert_eq!(rows[1][0].chars().count() + 2 + 6, 24);
        shorten(&mut rows, Some(3), &[0]);
        assert_eq!(rows[1][0].chars().count(), LEAST);
        let whole = rows.clone();
        shorten(&mut rows, None, &[0]);
        assert_eq!(rows, whole);
    }
}
