//! Whatever the input, lowering returns.

use super::lowered;

const SAMPLE: &str = "\
#define N (8 + 1)
typedef struct { double re, im; double (*f)(int); } c_t;
enum e { A, B = N };
static const int K = 3;
#pragma omp parallel for
void f(int n, double a[restrict n][N], c_t *p, const char *s) {
  for (int i = 0, j = n; i < n && j; i += 2, --j) {
#ifdef X
    a[i][j] = b[i++] = (double)K * sqrt(p[i].re) + ({ int t = A; t; }) - *(*(a + 1) + j);
#else
    switch (i) { case 1: case B: p->im = 0x1p-3f; break; default: goto out; }
#endif
    do { p[i] = (c_t){1.0, -2.5e3, 0}; } while (x ? y : ~z);
  out: ;
  }
  double _Complex w = n ? 'x' : \"é\\n\"[0];
  return;
}
int g(a, b) double *a; int b; { return a[b], sizeof(c_t) + sizeof a[0]; }
";

#[test]
fn every_prefix_lowers() {
    for end in (0..=SAMPLE.len()).filter(|end| SAMPLE.is_char_boundary(*end)) {
        lowered(&SAMPLE[..end]).to_string();
    }
}

#[test]
fn every_suffix_and_every_gap_lowers() {
    let boundaries = (0..=SAMPLE.len())
        .filter(|at| SAMPLE.is_char_boundary(*at))
        .collect::<Vec<_>>();
    for start in &boundaries {
        lowered(&SAMPLE[*start..]).to_string();
        let end = (start + 7).min(SAMPLE.len());
        if SAMPLE.is_char_boundary(end) {
            lowered(&format!("{}{}", &SAMPLE[..*start], &SAMPLE[end..])).to_string();
        }
    }
}

fn reasons(input: &str) -> String {
    lowered(input).to_string()
}

#[test]
fn deep_nesting_becomes_opaque() {
    let deep = 20_000;
    let nested = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(deep), close.repeat(deep))
    };
    let body = |body: String| format!("void f(int *p, int i) {{ {body} }}");
    for input in [
        body(format!("i = {};", nested("(", "i", ")"))),
        body(format!("i = {}i;", "-".repeat(deep))),
        body(format!("i = {};", nested("p[", "i", "]"))),
        body(nested("{", ";", "}")),
        body(nested("if (i) {", ";", "}")),
        body(nested("for (;;) {", ";", "}")),
        body(format!("i = i{};", " * i".repeat(deep))),
        body(format!("i = {}p;", "*".repeat(deep))),
        body(format!("i = p{};", "->q".repeat(deep))),
        body(format!("i = {}i;", "(int)".repeat(deep))),
        body(format!("i = {}0;", "i ? 1 : ".repeat(deep))),
        body(format!("p{} = 0;", "[0]".repeat(deep))),
    ] {
        let text = reasons(&input);
        assert!(
            text.contains("too_deep"),
            "{}",
            &text[..text.len().min(200)]
        );
    }
    // What is looked at twice must not be so at every level.
    for (open, close) in [
        ("(", "[0] = 1)"),
        ("(*(", ")++)"),
        ("(", " ?: i)"),
        ("(", " && (i = 2))"),
        ("i ? i = ", " : 1"),
        ("(p = ", ")->q"),
        ("(", ")[i++] += 1"),
        ("f(1, &", ")"),
        ("({ ", "; })"),
    ] {
        let nested = format!("{}i{}", open.repeat(60), close.repeat(60));
        reasons(&body(format!("{nested};")));
        reasons(&body(format!("p[i] = {nested};")));
    }
    reasons(&format!(
        "{}int x;\n{}",
        "#ifdef A\n#else\n".repeat(60),
        "#endif\n".repeat(60)
    ));
    // Nesting of types and blocks at file scope has its own limits.
    reasons(&format!("int {}x;", "*".repeat(deep)));
    reasons(&format!(
        "int f({}x) {{ return *x; }}",
        "int *(".repeat(deep)
    ));
    reasons(&nested("struct s { ", "int x;", "} y;"));
    reasons(&nested("{", "for (;;) ;", "}"));
    reasons(&format!("enum {{ A = {} }};", nested("(", "1", ")")));
    reasons(&format!("int x[{}];", nested("(", "1", ")")));
}

#[test]
fn text_that_is_no_program_lowers() {
    for input in [
        "",
        "\n",
        "\u{feff}",
        "#pragma",
        "#pragma omp",
        "#define",
        "#define A",
        "_Pragma(",
        "é",
        "{",
        "}",
        "for",
        "\0",
    ] {
        lowered(input).to_string();
    }
}
