//! Fixed or free form where the extension is not to be trusted: many codes keep free-form text in
//! `.F` files.

use super::Form;

/// The form that the text is in, given what its extension says. Only clear evidence overrules the
/// extension: statements that start in columns 1 to 5, or lines continued by a trailing `&`.
pub fn sniff(text: &str, by_extension: Form) -> Form {
    if by_extension == Form::Free {
        return Form::Free;
    }
    let (mut free, mut fixed) = (0u32, 0u32);
    for line in text.lines() {
        let bytes = line.as_bytes();
        let Some(first) = bytes.first() else { continue };
        if matches!(
            first,
            b'c' | b'C' | b'*' | b'd' | b'D' | b'!' | b'#' | b'\t'
        ) {
            continue;
        }
        let code = line.split('!').next().unwrap_or("").trim_end();
        let label_field = &bytes[..bytes.len().min(5)];
        let continued = bytes.len() > 5
            && !matches!(bytes[5], b' ' | b'0')
            && label_field.iter().all(|b| *b == b' ');
        if continued {
            fixed += 1;
        } else if label_field.iter().any(u8::is_ascii_alphabetic) {
            free += 1;
        }
        if code.ends_with('&') && code.len() < 72 {
            free += 1;
        }
    }
    if free > 2 && free > 2 * fixed {
        Form::Free
    } else {
        Form::Fixed
    }
}

/// Whether a header is Fortran: declarations for `include`, which C's `.h` is often used for too.
pub fn is_fortran_header(text: &str) -> bool {
    const WORDS: [&str; 9] = [
        "implicit",
        "integer",
        "real",
        "double precision",
        "complex",
        "logical",
        "common",
        "parameter",
        "include '",
    ];
    let mut declarations = 0;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty()
            || line.starts_with(['!', '*', '#'])
            || line.starts_with("c ")
            || line.starts_with("C ")
        {
            continue;
        }
        if line.ends_with([';', '{', '}']) || line.starts_with("/*") || line.starts_with("//") {
            return false;
        }
        let lower = line.to_ascii_lowercase();
        if WORDS.iter().any(|word| lower.starts_with(word)) {
            declarations += 1;
        }
    }
    declarations > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_decides() {
        let fixed =
            "      program p\n      x = 1 +\n     &    2\nc comment\n 10   continue\n      end\n";
        assert_eq!(sniff(fixed, Form::Fixed), Form::Fixed);
        let free = "program p\n  integer :: i\n  x = 1 + &\n      2\nif (x > 1) then\nend if\nend program\n";
        assert_eq!(sniff(free, Form::Fixed), Form::Free);
        assert_eq!(sniff(fixed, Form::Free), Form::Free);
    }

    #[test]
    fn headers_of_both_languages() {
        assert!(is_fortran_header(
            "c  header\n\n      integer n\n      common /a/ n\n"
        ));
        assert!(!is_fortran_header(
            "/* header */\n#define N 1\nextern int n;\n"
        ));
        assert!(!is_fortran_header("#define N 1\n"));
    }
}
