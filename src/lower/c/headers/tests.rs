//! A unit is the same with and without the declarations that it does not use.

use std::sync::Arc;

use super::super::lower;
use super::Declarations;
use crate::source::{LineOrigin, SourceText};

/// A file behind a header, as a preprocessor joins them.
fn behind(header: &str, file: &str) -> SourceText {
    let (own, other): (Arc<str>, Arc<str>) = ("file.c".into(), "header.h".into());
    let mut source = SourceText::verbatim(&own, format!("\n{header}\n{file}"));
    let of_header = 1..=header.split('\n').count();
    for (row, origin) in source.origins.iter_mut().enumerate() {
        *origin = match of_header.contains(&row) {
            true => LineOrigin {
                file: other.clone(),
                line: row as u32,
            },
            false => LineOrigin {
                file: own.clone(),
                line: row.saturating_sub(of_header.end() - 1).max(1) as u32,
            },
        };
    }
    source
}

/// The header's lines that stay for a file; checks that the unit is that of the whole text.
fn left(declarations: &Declarations, header: &str, file: &str) -> Vec<String> {
    let path: Arc<str> = "file.c".into();
    let whole = behind(header, file);
    let pruned = declarations.without_unused("file.c", whole.clone().into());
    assert_eq!(pruned.text.split('\n').count(), pruned.origins.len());
    assert_eq!(
        format!("{:#?}", lower(&path, &pruned)),
        format!("{:#?}", lower(&path, &whole)),
        "{header}\n{file}\nleft:\n{}",
        pruned.text
    );
    let lines = pruned.text.split('\n').zip(&pruned.origins);
    lines
        .filter(|(_, origin)| &*origin.file == "header.h")
        .map(|(line, _)| line.to_string())
        .collect()
}

/// Declarations that nothing uses, so that neighbours of other things are not kept by chance.
fn filler(name: &str) -> String {
    (0..6)
        .map(|n| format!("int {name}{n}(double x);\n"))
        .collect()
}

fn check(header: &str, file: &str, expected: &[&str]) {
    let declarations = Declarations::default();
    let header = format!("{}{header}\n{}", filler("before"), filler("behind"));
    for _ in 0..2 {
        let mut found = left(&declarations, &header, file);
        found.retain(|line| {
            !line.is_empty() && !line.contains("before") && !line.contains("behind")
        });
        assert_eq!(found, expected, "{header}");
    }
}

const LOOP: &str = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n";

#[test]
fn what_nothing_names_goes() {
    check(
        "typedef struct { int n; } grid;\nextern double table[12];\nenum { A, B };\nint g(grid *u);",
        LOOP,
        &[],
    );
}

#[test]
fn what_is_named_stays_with_all_that_it_names() {
    check(
        "enum { A = 3, B };\ntypedef double real;\n/* a grid */ typedef struct grid { real u[B]; } grid;\nstruct other { int n; };\nint g(grid *v);",
        "void f(grid *v) { for (int i = 0; i < 4; i++) v->u[i] = 0; }\n",
        &[
            "enum { A = 3, B };",
            "typedef double real;",
            "/* a grid */ typedef struct grid { real u[B]; } grid;",
        ],
    );
}

#[test]
fn columns_and_lines_stay() {
    let header =
        "int g(void);\n/* one\n   two */ typedef\n\n float real; int h(void);\nint k(void);";
    check(
        header,
        "void f(real *a) { for (int i = 0; i < 4; i++) a[i] = 0; }\n",
        &["          typedef", " float real;"],
    );
}

#[test]
fn bodies_stay_with_what_they_use() {
    check(
        "typedef float real;\nint unused(void);\nint u2(void);\nint u3(void);\nint u4(void);\nstatic inline real twice(real x) { return x + x; }\nint u5(void);\nint u6(void);\nint u7(void);\nint u8(void);",
        LOOP,
        &[
            "typedef float real;",
            "int u2(void);",
            "int u3(void);",
            "int u4(void);",
            "static inline real twice(real x) { return x + x; }",
            "int u5(void);",
            "int u6(void);",
            "int u7(void);",
        ],
    );
}

#[test]
fn remarks_stay() {
    check(
        "unknown_thing g(int n);\nint h(void);",
        LOOP,
        &["unknown_thing g(int n);"],
    );
    // Its name is said once, where it stands first.
    check(
        "int h(void);\nextern unknown_thing *g;",
        "unknown_thing x;\n",
        &["extern unknown_thing *g;"],
    );
    check(
        "int g(int n) ) ;\nint h(void);",
        LOOP,
        &["int g(int n) ) ;", "int h(void);"],
    );
}

#[test]
fn witnesses_show_how_an_expression_is_read() {
    // `real` is known to be a type only by what the header does with it.
    check(
        "int g(real x);\nint h(real y);",
        "double f(double x) { double s = 0; for (int i = 0; i < 4; i++) s += (real)(x) * 2; return s; }\n",
        &["int g(real x);"],
    );
    check(
        "extern double table[N];\nint h(double x[N]);\ntypedef int whole;",
        "double f(double x) { double s = 0; for (int i = 0; i < 4; i++) s += x*(N)+1; return s; }\n",
        &["extern double table[N];"],
    );
    check(
        "typedef double real;\nint h(double real);",
        "double f(double x) { double s = 0; for (int i = 0; i < 4; i++) s += x*(real)+1; return s; }\n",
        &["typedef double real;"],
    );
}

#[test]
fn the_imaginary_unit_stays_one() {
    let declarations = Declarations::default();
    let header = format!("{}/* complex numbers */\n{}", filler("b"), filler("c"));
    let file =
        "double f(void) { double s = 0; for (int i = 0; i < 4; i++) s += I * 2; return s; }\n";
    assert_eq!(left(&declarations, &header, file).len(), 14);
    // The neighbours of the file, and the line between.
    assert_eq!(left(&declarations, &header, LOOP).len(), 4);
}

#[test]
fn pragmas_and_unfinished_things_stay() {
    check(
        "#pragma pack(push, 1)\nstruct tight { char a; double b; };\n#pragma pack(pop)\nstruct wide { char a; double b; };",
        "void f(struct tight *t) { for (int i = 0; i < 4; i++) t[i].b = 0; }\n",
        &[
            "#pragma pack(push, 1)",
            "struct tight { char a; double b; };",
            "#pragma pack(pop)",
        ],
    );
    let declarations = Declarations::default();
    let header = format!("{}double list[] = {{", filler("b"));
    let rest = "1, 2 };\nvoid f(void) { for (int i = 0; i < 2; i++) list[i] = 0; }\n";
    left(&declarations, &header, rest);
    left(&declarations, "int g(void); /* open", "*/ int n;");
    left(
        &declarations,
        "int f(a) double *a;",
        "{ for (int i = 0; i < 2; i++) a[i] = 0; }",
    );
    left(
        &declarations,
        "int f(a)\ndouble *a;\n{ for (int i = 0; i < 2; i++) a[i] = 0; }",
        LOOP,
    );
}

#[test]
fn names_of_other_letters_stay() {
    check(
        "typedef double größe;\ntypedef int caf\\u00e9;",
        "void f(größe *a) { for (int i = 0; i < 4; i++) a[i] = 0; }\n",
        &["typedef double größe;", "typedef int caf\\u00e9;"],
    );
}
