//! Fixed or free form where the extension is not to be trusted: many codes keep free-form text in
//! `.F` files. The layout decides where it is clear; where it is not, the text is parsed in both forms.

use super::Form;

/// What the layout of a text says of its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Everything speaks for one form.
    Of(Form),
    /// Some lines speak for one, some for the other.
    Mixed,
    /// It may be either.
    None,
}

/// What the layout of a text says whose extension says fixed form.
pub fn evidence(text: &str) -> Evidence {
    let (mut free, mut fixed, mut either) = (0u32, 0u32, 0u32);
    let mut is_continued = false;
    for line in text.lines() {
        let bytes = line.as_bytes();
        let code = line.split('!').next().unwrap_or("").trim_end();
        match bytes {
            [] | [b'#' | b'!' | b'\t', ..] => continue,
            [b'*', ..] => {
                fixed += 1;
                continue;
            }
            // A comment, or `call`, `contains`, `do`, `x` …
            [b'c' | b'C' | b'd' | b'D', rest @ ..] => {
                match rest.iter().find(|byte| **byte != b' ') {
                    Some(b'=' | b'(' | b'%') => either += 1,
                    _ if rest.first().is_some_and(is_in_name) => either += 1,
                    _ => fixed += 1,
                }
                // Where only the columns show it, an end of line that goes on does not.
                continue;
            }
            _ => {}
        }
        let label_field = &bytes[..bytes.len().min(5)];
        if label_field.iter().any(u8::is_ascii_alphabetic) {
            free += 1;
        } else if label_field.iter().all(|byte| *byte == b' ')
            && let Some(mark) = bytes.get(5).filter(|mark| !matches!(mark, b' ' | b'0'))
        {
            match mark {
                b'&' if is_continued => {}
                b'!' => either += 1,
                _ if mark.is_ascii_alphabetic() => either += 1,
                _ => fixed += 1,
            }
        }
        is_continued = code.ends_with('&') && code.len() <= 72;
        free += u32::from(is_continued);
    }
    match (free, fixed, either) {
        (0, 0, 0) => Evidence::None,
        (0, 1.., _) => Evidence::Of(Form::Fixed),
        (3.., 0, _) => Evidence::Of(Form::Free),
        // What speaks for free form is an error in fixed form, line by line.
        (20.., ..) if free / 20 >= fixed => Evidence::Of(Form::Free),
        _ => Evidence::Mixed,
    }
}

fn is_in_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// What a file with the extension `.h` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    C,
    /// Declarations for `include`.
    Fortran,
    CPlusPlus,
}

/// Beginnings of lines that only Fortran has.
const FORTRAN: [&str; 22] = [
    "implicit ",
    "integer",
    "real",
    "double precision",
    "complex",
    "logical",
    "character",
    "common",
    "parameter",
    "dimension",
    "external ",
    "intrinsic ",
    "save",
    "equivalence",
    "namelist",
    "include '",
    "use ",
    "call ",
    "subroutine ",
    "end subroutine",
    "type(",
    "end if",
];

/// Beginnings of lines that only C++ has.
const C_PLUS_PLUS: [&str; 8] = [
    "namespace ",
    "template<",
    "template <",
    "using ",
    "public:",
    "private:",
    "protected:",
    "class ",
];

/// What a header holds, by the beginnings and ends of its lines. What only C++ compilers see does not count as C++.
pub fn header(text: &str) -> Header {
    let (mut declarations, mut is_c_plus_plus, mut is_c) = (0, false, false);
    // Conditions around the line; whether each is about the compiler being one of C++.
    let mut conditions: Vec<bool> = Vec::new();
    let mut in_comment = false;
    for line in text.lines() {
        let line = line.trim();
        if in_comment || line.starts_with("/*") {
            in_comment = !line.contains("*/");
            continue;
        }
        if let Some(directive) = line.strip_prefix('#') {
            let directive = directive.trim_start();
            if directive.starts_with("if") {
                conditions.push(directive.contains("__cplusplus"));
            } else if directive.starts_with("endif") {
                conditions.pop();
            }
            continue;
        }
        // A part of a statement, which goes on.
        declarations += u32::from(line.starts_with('!') || line.ends_with('&'));
        if line.is_empty()
            || line.starts_with(['!', '*'])
            || line.starts_with("c ")
            || line.starts_with("C ")
        {
            continue;
        }
        let lower = line.to_ascii_lowercase();
        let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
        is_c_plus_plus |= !conditions.contains(&true) && begins(&C_PLUS_PLUS);
        is_c |= line.ends_with([';', '{', '}']) || line.starts_with("//");
        declarations += u32::from(begins(&FORTRAN));
    }
    match (is_c, is_c_plus_plus, declarations) {
        (true, true, _) => Header::CPlusPlus,
        (false, false, 1..) => Header::Fortran,
        _ => Header::C,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_gives_evidence() {
        let fixed =
            "      program p\n      x = 1 +\n     &    2\nc comment\n 10   continue\n      end\n";
        assert_eq!(evidence(fixed), Evidence::Of(Form::Fixed));
        let free = "program p\n  integer :: i\n  x = 1 + &\n      2\nif (x > 1) then\nend if\nend program\n";
        assert_eq!(evidence(free), Evidence::Of(Form::Free));
        let indented_by_five = "     subroutine s\n     x = 1 + &\n          2\n     end\n";
        assert_eq!(evidence(indented_by_five), Evidence::Mixed);
        assert_eq!(evidence("      x = 1\n      end\n"), Evidence::None);
        let both = "      x = 1 + &\n     &    2\nc comment\n";
        assert_eq!(evidence(both), Evidence::Mixed);
        let letters = "      x = 1 +\n     a    2\nC\n";
        assert_eq!(evidence(letters), Evidence::Of(Form::Fixed));
    }

    #[test]
    fn headers_of_all_languages() {
        let fortran = [
            "c  header\n\n      integer n\n      common /a/ n\n",
            "/* for the\n preprocessor; */\n#define N 3\n      external f\n",
            "  use constants\n  call begin(n)\n",
            "  ,first, &\n  last\n",
        ];
        for text in fortran {
            assert_eq!(header(text), Header::Fortran, "{text}");
        }
        let c = [
            "/* header */\n#define N 1\nextern int n;\n",
            "#define N 1\n",
            "typedef int integer;\ninteger f(\n  real *x);\n",
            "#ifdef __cplusplus\nnamespace a {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n",
        ];
        for text in c {
            assert_eq!(header(text), Header::C, "{text}");
        }
        let text = "#ifndef A\n#define A\nnamespace a {\nint f();\n}\n#endif\n";
        assert_eq!(header(text), Header::CPlusPlus);
    }
}
