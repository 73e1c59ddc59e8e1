//! The output of a compiler's preprocessor: text with line markers (`# 12 "mesh.h" 1`) that say where
//! the next line came from.

use std::collections::HashSet;
use std::sync::Arc;

use super::flags::Kinds;
use super::{LineOrigin, Preprocessing, SourceText};

/// The flag of a marker that announces text of a system header.
const SYSTEM_HEADER: &str = "3";

/// The text without its markers, every line with its origin. Text of system headers and of the
/// compiler itself is left out, as our own preprocessor leaves it out. `rename` gives the name under
/// which reports know a file.
pub fn read(output: &str, path: &Arc<str>, rename: &dyn Fn(&str) -> Arc<str>) -> SourceText {
    let mut text = String::with_capacity(output.len());
    let mut origins = Vec::new();
    let mut origin = LineOrigin {
        file: path.clone(),
        line: 1,
    };
    let mut is_kept = true;
    let mut own = HashSet::from([path.to_string()]);
    for line in output.lines() {
        if let Some(marker) = marker(line) {
            // What a macro of a system header makes of our own line is marked as the system's too.
            is_kept =
                (!marker.is_system || own.contains(&marker.file)) && !marker.file.starts_with('<');
            if is_kept {
                own.insert(marker.file.clone());
                origin = LineOrigin {
                    file: rename(&marker.file),
                    line: marker.line,
                };
            }
            continue;
        }
        if is_kept {
            text.push_str(line);
            text.push('\n');
            origins.push(origin.clone());
            origin.line = origin.line.saturating_add(1);
        }
    }
    origins.push(origin);
    SourceText {
        text,
        origins,
        preprocessing: Preprocessing::External,
        macros: Vec::new(),
        kinds: Kinds::default(),
        diagnostics: Vec::new(),
    }
}

struct Marker {
    line: u32,
    file: String,
    is_system: bool,
}

/// `# 12 "file" 1 3` or `#line 12 "file"`; a directive of another kind is none.
fn marker(line: &str) -> Option<Marker> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let line = rest[..digits].parse().ok()?;
    let (file, flags) = quoted(rest[digits..].trim_start())?;
    Some(Marker {
        line,
        file,
        is_system: flags.split_whitespace().any(|flag| flag == SYSTEM_HEADER),
    })
}

/// A string in quotes, without its escapes, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut value = String::new();
    let mut letters = inner.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &inner[at + 1..])),
            '\\' => value.push(letters.next()?.1),
            _ => value.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(output: &str) -> Vec<String> {
        let source = read(output, &"a.c".into(), &|file| file.into());
        assert_eq!(source.text.split('\n').count(), source.origins.len());
        (source.text.lines().zip(&source.origins))
            .map(|(t, o)| format!("{}:{} {t}", o.file, o.line))
            .collect()
    }

    #[test]
    fn lines_are_mapped_to_where_they_came_from() {
        let output = "# 0 \"a.c\"\n# 0 \"<built-in>\"\n# 1 \"a.c\"\nint x;\n# 1 \"dir/b.h\" 1\nint y;\n\n# 7 \"a.c\" 2\nint z;\n#pragma omp for\n";
        let expected = [
            "a.c:1 int x;",
            "dir/b.h:1 int y;",
            "dir/b.h:2 ",
            "a.c:7 int z;",
            "a.c:8 #pragma omp for",
        ];
        assert_eq!(lines(output), expected);
    }

    #[test]
    fn system_headers_are_left_out() {
        let output = "# 1 \"a.c\"\n# 1 \"/usr/include/stdio.h\" 1 3 4\nextern int printf();\n# 2 \"a.c\" 2\nint x;\n";
        assert_eq!(lines(output), ["a.c:2 int x;"]);
    }

    #[test]
    fn system_macros_in_our_own_lines_stay() {
        let output = "# 1 \"a.c\"\nf(\n# 1 \"a.c\" 3 4\n stderr\n# 1 \"a.c\"\n );\n";
        assert_eq!(lines(output), ["a.c:1 f(", "a.c:1  stderr", "a.c:1  );"]);
    }

    #[test]
    fn any_text_is_read() {
        for output in [
            "",
            "#",
            "# 1",
            "# 1 \"",
            "# 99999999999 \"f\"",
            "#line 3 \"a\\\"b.c\"\nx",
            "# 4294967295 \"f\"\na\nb\n",
        ] {
            lines(output);
        }
        assert_eq!(lines("#line 3 \"a\\\"b.c\"\nx"), ["a\"b.c:3 x"]);
    }
}
