//! What the preprocessor makes of hand-written inputs. Expected token streams of standard C are
//! those of the C standard's own examples (C11 6.10.3) or of a compiler's preprocessor.

use std::collections::BTreeMap;

use super::*;

/// Files by name; paths are the names without brackets.
#[derive(Default)]
struct Files(BTreeMap<&'static str, &'static str>);

impl ReadFile for Files {
    fn read_included(&self, _from: &str, name: &str) -> Option<(Arc<str>, String)> {
        let text = self.0.get(name)?;
        Some((name.trim_matches(['<', '>']).into(), text.to_string()))
    }
}

fn run_with(
    text: &str,
    language: Language,
    defines: &[(&str, Option<&str>)],
    files: &Files,
) -> SourceText {
    let defines = defines
        .iter()
        .map(|(name, value)| (name.to_string(), value.map(str::to_string)))
        .collect();
    let source = SourceText::verbatim(&"main".into(), text.to_string());
    let options = Options { defines, language };
    let result = preprocess(source.clone(), &options, files);
    // Shared with others that begin so, it is the same.
    let shared = SharedHeaders::default();
    for _ in 0..2 {
        let again = preprocess_apart(source.clone(), &options, files, &shared).joined();
        assert_eq!(format!("{again:#?}"), format!("{result:#?}"));
    }
    assert_eq!(
        result.origins.len(),
        result.text.split('\n').count(),
        "one origin a line:\n{}",
        result.text
    );
    result
}

fn c(text: &str) -> SourceText {
    run_with(text, Language::C, &[], &Files::default())
}

fn fortran(text: &str) -> SourceText {
    run_with(text, Language::Fortran, &[], &Files::default())
}

/// The lines that are not blank, their white space collapsed.
fn lines(result: &SourceText) -> Vec<String> {
    let collapse = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    result
        .text
        .lines()
        .map(collapse)
        .filter(|line| !line.is_empty())
        .collect()
}

fn macros(result: &SourceText) -> Vec<(&str, &str)> {
    result
        .macros
        .iter()
        .map(|constant| (constant.name.as_str(), constant.text.as_str()))
        .collect()
}

fn codes(result: &SourceText) -> Vec<&str> {
    result
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.as_str())
        .collect()
}

fn origins(result: &SourceText) -> Vec<String> {
    let name = |(line, origin): (&str, &crate::LineOrigin)| {
        format!("{}:{} {line}", origin.file, origin.line)
    };
    result
        .text
        .split('\n')
        .zip(&result.origins)
        .map(name)
        .collect()
}

#[test]
fn example_3_of_the_standard_rescans_and_nests() {
    let result = c("#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
");
    // The constant x keeps its name where the standard has 2.
    let text = lines(&result).join(" ");
    let expected = "f(x * (y+1)) + f(x * (f(x * (z[0])))) % f(x * (0)) + t(1); \
                    f(x * (x+(3,4)-0,1)) | f(x * (~ 5)) & f(x * (0,1)) ^m(0,1); \
                    int i[] = { 1, 23, 4, 5, }; \
                    char c[2][6] = { \"hello\", \"\" };";
    let squeeze = |text: &str| text.replace(' ', "");
    assert_eq!(squeeze(&text), squeeze(expected));
    assert_eq!(macros(&result), [("x", "2")]);
}

#[test]
fn example_4_of_the_standard_quotes_and_pastes() {
    let result = c(r##"#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
               x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
  == 0) str(: @\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
"##);
    assert_eq!(
        lines(&result),
        [
            r#"printf("x" "1" "= %d, x" "2" "= %s", x1, x2);"#,
            r#"fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0""#,
            r#"": @\n", s);"#,
            r#""vers2.h""#,
            r#""hello";"#,
            r#""hello" ", world""#,
        ]
    );
}

#[test]
fn examples_5_to_7_of_the_standard() {
    let result = c("#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
char p[] = join(x, y);
#define t(x,y,z) x ## y ## z
int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),
  t(10,,), t(,11,), t(,,12), t(,,) };
#define debug(...) fprintf(stderr, __VA_ARGS__)
#define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))
debug(\"X = %d\\n\", x);
report(x>y, \"x is %d but y is %d\", x, y);
");
    assert_eq!(
        lines(&result),
        [
            "char p[] = \"x ## y\";",
            "int j[] = { 123, 45, 67, 89,",
            "10, 11, 12, };",
            "fprintf(stderr, \"X = %d\\n\", x);",
            "((x>y)?puts(\"x>y\"): printf(\"x is %d but y is %d\", x, y));",
        ]
    );
}

#[test]
fn expansion_follows_compilers_where_the_standard_leaves_it_open() {
    for (text, expected) in [
        ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2*9*g"),
        (
            "#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)",
            "42",
        ),
        ("#define EMPTY\n+EMPTY+EMPTY-EMPTY-", "+ +- -"),
        ("#define M -one\n-M", "- -one"),
        (
            "#define log(f, ...) printf(f, ## __VA_ARGS__)\nlog(a); log(a, b);",
            "printf(a); printf(a, b);",
        ),
        (
            "#define log(f, args...) printf(f, args)\nlog(a, b, c);",
            "printf(a, b, c);",
        ),
        ("#define f(x) [x]\nf (1) f\n(2) f", "[1] [2] f"),
        ("#define foo foo + a\nfoo", "foo + a"),
        ("#define a b\n#define b a\na b", "a b"),
        (
            "#define id(x) x\nid((a,b)) id(\"),(\") id(')')",
            "(a,b) \"),(\" ')'",
        ),
        (
            "#define s(x) #x\ns( a  b /* c */ d ) s(\"\\n\")",
            "\"a b d\" \"\\\"\\\\n\\\"\"",
        ),
        ("int line = __LINE__;", "int line = 1;"),
        ("x = a\\\n  + b;", "x = a\\ + b;"),
    ] {
        assert_eq!(lines(&c(text)).join(" "), expected, "{text}");
    }
}

#[test]
fn constants_keep_their_names_and_are_listed_if_used() {
    let result = c("#define N 128
#define N2 (N+2)
#define ALPHA 1.5
#define UNUSED 7
#define MINUS -1
#define DATA double
DATA a[N2]; int k = MINUS;
#pragma omp parallel num_threads(THREADS)
#define THREADS 4
#pragma omp parallel num_threads(THREADS)
x = ALPHA * a[N];
");
    assert_eq!(
        lines(&result),
        [
            "double a[N2]; int k = MINUS;",
            "#pragma omp parallel num_threads(THREADS)",
            "#pragma omp parallel num_threads(THREADS)",
            "x = ALPHA * a[N];"
        ]
    );
    let expected = [
        ("N", "128"),
        ("N2", "(N+2)"),
        ("ALPHA", "1.5"),
        ("MINUS", "-1"),
        ("THREADS", "4"),
    ];
    assert_eq!(macros(&result), expected);
    assert_eq!(
        (result.macros[1].place.line, &*result.macros[1].place.file),
        (2, "main")
    );
}

#[test]
fn constants_are_expanded_where_only_their_value_will_do() {
    for (text, expected) in [
        ("#define N 4\n#if N * 2 == 8\nyes N\n#endif", "yes N"),
        (
            "#define N 4\n#define CAT(a,b) CAT2(a,b)\n#define CAT2(a,b) a##b\nCAT(x_,N) CAT2(x_,N) N",
            "x_4 x_N N",
        ),
        (
            "#define N 4\n#define STR(a) STR2(a)\n#define STR2(a) #a\nSTR(N) STR2(N)",
            "\"4\" \"N\"",
        ),
        // Two values: no parameter.
        (
            "#define N 4\na N;\n#undef N\n#define N 5\nb N;",
            "a 4; b 5;",
        ),
        (
            "#define N 4\n#define M (N)\na M;\n#undef N\n#define N 5\nb M;",
            "a (4); b (5);",
        ),
        // Not used before it changes.
        ("#define N 4\n#undef N\n#define N 5\nb N;", "b N;"),
        ("#define N 4\na N;\n#define N 4\nb N;", "a N; b N;"),
        // Replacement that would regroup.
        ("#define S 8*1024\na = n/S;", "a = n/8*1024;"),
        (
            "#define S 8*1024\ndouble a[S]; if (i < S) b(S, S);",
            "double a[S]; if (i < S) b(S, S);",
        ),
    ] {
        assert_eq!(lines(&c(text)).join(" "), expected, "{text}");
    }
    for not_constant in [
        "",
        "'A'",
        "n",
        "(double)1",
        "f(1)",
        "1 2",
        "3.3.1",
        "0x",
        "1e",
        "sizeof(int)",
        "{1}",
        "()",
    ] {
        let result = c(&format!("#define N {not_constant}\nN;"));
        assert!(result.macros.is_empty(), "{not_constant}");
    }
    // A circle of constants would have no value.
    assert!(
        macros(&c(
            "#define A 1\n#define B (A)\n#undef A\n#define A (B)\nB A\n"
        ))
        .is_empty()
    );
}

#[test]
fn command_line_definitions_come_first() {
    let defines = [
        ("N", Some("64")),
        ("USE_IT", None),
        ("SQ(x)", Some("((x)*(x))")),
    ];
    let text = "#ifndef N\n#define N 8\n#endif\n#if USE_IT\nN SQ(y)\n#endif\n";
    let result = run_with(text, Language::C, &defines, &Files::default());
    assert_eq!(lines(&result), ["N ((y)*(y))"]);
    assert_eq!(macros(&result), [("N", "64")]);
    assert_eq!(&*result.macros[0].place.file, "<command line>");
}

#[test]
fn conditions_choose_lines_and_leave_blank_ones() {
    let result = c("#if 0
#if 1
a don't
b /* look
#endif */
#else
b
#endif
#elif defined(X) || !defined Y && 2 > 1
c
#else
d
#endif
e");
    assert_eq!(result.text, "\n\n\n\n\n\n\n\n\nc\n\n\n\ne");
    assert_eq!(
        result
            .origins
            .iter()
            .map(|origin| origin.line)
            .collect::<Vec<_>>(),
        (1..=14).collect::<Vec<_>>()
    );
    assert!(result.diagnostics.is_empty());
    let broken = c("#endif\n#if 1 +\na\n#else\nb\n#else\nc\n#endif\n#ifdef X\n");
    assert_eq!(lines(&broken), ["b", "c"]);
    assert_eq!(
        codes(&broken),
        [
            "unbalanced-conditional",
            "bad-condition",
            "unbalanced-conditional",
            "unbalanced-conditional"
        ]
    );
    let error = c("#ifndef SIZE\n#  error no \"SIZE\"\n#endif\n");
    assert_eq!(codes(&error), ["error-directive"]);
    assert_eq!(
        (
            error.diagnostics[0].severity,
            error.diagnostics[0].place.to_string()
        ),
        (Severity::Note, "main:2:1".into())
    );
}

#[test]
fn the_first_of_several_groups_stands_where_only_an_error_is_left() {
    let chain = |first: &str| {
        format!(
            "{first}\nint one;\n#elif WAY_2\nint two;\n#else\n  #error choose a way\n#endif\nint z;\n"
        )
    };
    for first in ["#ifdef WAY_1", "#if defined(WAY_1)", "#if WAY_1"] {
        let result = c(&chain(first));
        assert_eq!(lines(&result), ["int one;", "int z;"], "{first}");
        assert_eq!(codes(&result), ["error-directive"]);
        let origin = |at: usize| result.origins[at].line;
        let at = |text: &str| {
            result
                .text
                .lines()
                .position(|line| line == text)
                .expect(text)
        };
        assert_eq!((origin(at("int one;")), origin(at("int z;"))), (2, 8));
    }
    let chosen = [("WAY_2", Some("1"))];
    let result = run_with(
        &chain("#ifdef WAY_1"),
        Language::C,
        &chosen,
        &Files::default(),
    );
    assert_eq!(lines(&result), ["int two;", "int z;"]);
    // What compilers define, and what says more than whether there is a macro, is left alone.
    for first in [
        "#ifdef __other_compiler",
        "#if WAY_1 > 3",
        "#ifndef __STDC__",
    ] {
        let result = c(&format!("#define __STDC__ 1\n{}", chain(first)));
        assert_eq!(lines(&result), ["int z;"], "{first}");
    }
    // In an included file, and around another chain.
    let files = Files([("a.h", "#ifdef A\nint a;\n#ifdef B\nint b;\n#else\n#error B\n#endif\n#else\n#error A\n#endif\n")].into());
    let result = run_with("#include \"a.h\"\nint c;\n", Language::C, &[], &files);
    assert_eq!(lines(&result), ["int a;", "int b;", "int c;"]);
}

#[test]
fn included_files_are_inlined_with_their_origins() {
    let files = Files(BTreeMap::from([
        (
            "a.h",
            "#ifndef A_H\n#define A_H\n#include \"b.h\"\ntypedef REAL real;\n#endif\n",
        ),
        ("b.h", "#pragma once\n#define REAL double\nint f(int);"),
        ("<lib.h>", "#define LIB(x) lib_ ## x\n"),
    ]));
    let text = "#include \"a.h\"\n#include <lib.h>\n#include \"b.h\"\n#include \"a.h\"\n#include <stdio.h>\n#include \"none.h\"\n\
                #define WHERE \"b.h\"\n#include WHERE\nreal LIB(x);\n";
    let result = run_with(text, Language::C, &[], &files);
    let kept: Vec<String> = origins(&result)
        .into_iter()
        .filter(|line| !line.ends_with(' '))
        .collect();
    assert_eq!(
        kept,
        [
            "b.h:3 int f(int);",
            "a.h:4 typedef double real;",
            "main:9 real lib_x;"
        ]
    );
    assert_eq!(codes(&result), ["include-not-found"]);
    let missing = &result.diagnostics[0];
    assert_eq!(
        (
            missing.place.line,
            missing.severity,
            missing.help.as_deref()
        ),
        (6, Severity::Warning, Some("pass -I DIR"))
    );
    assert!(missing.message.contains("none.h"));
}

#[test]
fn files_that_include_each_other_end() {
    let files = Files(BTreeMap::from([("a.h", "int a;\n#include \"a.h\"\n")]));
    let result = run_with("#include \"a.h\"\n", Language::C, &[], &files);
    assert_eq!(codes(&result), ["include-depth"]);
    assert_eq!(lines(&result).len(), 200);
    let twice = Files(BTreeMap::from([(
        "a.h",
        "#include \"a.h\"\n#include \"a.h\"\n",
    )]));
    assert!(
        codes(&run_with("#include \"a.h\"\n", Language::C, &[], &twice)).contains(&"include-depth")
    );
}

#[test]
fn invocations_over_several_lines_keep_the_lines_below_in_place() {
    let result =
        c("#define ADD(a,b) ((a)+(b))\nx = ADD(1,\n        2 /* two\n lines */) * 3;\ny = 4;\n");
    assert_eq!(
        origins(&result),
        [
            "main:1 ",
            "main:2 x = ((1)+(2))",
            "main:3 ",
            "main:4  * 3;",
            "main:5 y = 4;",
            "main:6 "
        ]
    );
    // A conditional group between arguments.
    let split = c("#define F(a,b) a-b\nF(1,\n#if 0\n2\n#else\n3\n#endif\n) ;\nz\n");
    assert_eq!(lines(&split), ["1-3", ";", "z"]);
    assert_eq!(origins(&split)[8], "main:9 z");
}

#[test]
fn malformed_invocations_stay_as_they_are() {
    let result = c("#define F(a,b) a b\nF(1) F(1,2,3) F;\nF(1, (2;\n");
    assert_eq!(lines(&result), ["F(1) F(1,2,3) F;", "F(1, (2;"]);
    assert_eq!(codes(&result), ["macro-arguments"; 3]);
    assert_eq!(
        codes(&c("#define 3\n#define F(a,,b) c\n")),
        ["bad-definition"; 2]
    );
}

#[test]
fn pragma_operators_become_lines() {
    let result = c("#define PRAGMA(x) _Pragma(#x)
#define PARALLEL(n) PRAGMA(omp parallel for if(n>1) schedule(static,1))
{
  PARALLEL(boxes)
  for (;;) { _Pragma(\"omp simd\") for (;;) ; }
  x = y _Pragma(\"nothing\") + z;
}
");
    let kept: Vec<String> = origins(&result)
        .into_iter()
        .filter(|line| line.trim_end().contains(' '))
        .collect();
    assert_eq!(
        kept,
        [
            "main:3 {",
            "main:4   #pragma omp parallel for if(boxes>1) schedule(static,1)",
            "main:5   for (;;) { ",
            "main:5 #pragma omp simd",
            "main:5  for (;;) ; }",
            "main:6   x = y  + z;",
            "main:7 }",
        ]
    );
}

#[test]
fn attributes_that_lay_out_structures_stay() {
    let tidied = |text: &str| {
        let mut source = SourceText::verbatim(&"t.c".into(), text.to_string());
        super::tidy::tidy(&mut source);
        source.text
    };
    let kept = [
        "struct __attribute__((aligned(64))) s { float x; };",
        "struct s { float x; } __attribute__((aligned(64)));",
        "typedef union { char c; double d; } __attribute__((packed)) u;",
    ];
    for text in kept {
        assert_eq!(tidied(text), text);
    }
    for text in [
        "double *p __attribute__((aligned(64)));",
        "struct __attribute__((unused)) s { float x; };",
    ] {
        assert!(!tidied(text).contains("attribute"), "{text}");
    }
}

#[test]
fn unknown_macros_and_extensions_are_made_readable_in_place() {
    let text = "double * __restrict__ p __attribute__((aligned(64)));
static __inline__ int f(int n) {
  START_TIMER(n)
  n = 2;
  if (n) TRACE(\"a;b\")
  n = 3;
  STOP_TIMER(n);
  if (n)
    CHECK(n)
  n = CALL(n)
    + 1;
  MACRO(n)
    .field = 1;
  /* COMMENT(n)
  */ LAST(n) // end
}
EXPORT(int)
g(void) { }
HANDLER(name) { }
";
    let result = c(text);
    let kept: Vec<&str> = result.text.lines().collect();
    let original: Vec<&str> = text.lines().collect();
    assert_eq!(
        kept[0],
        "double * restrict     p                             ;"
    );
    assert_eq!(kept[1], "static inline     int f(int n) {");
    assert_eq!((kept[2], kept[8]), ("                ", "    ;       "));
    assert_eq!(kept[14], "  */         // end");
    for line in [3, 4, 5, 6, 7, 9, 10, 11, 12, 15, 16, 17, 18] {
        assert_eq!(kept[line], original[line]);
    }
    let places: Vec<_> = result
        .diagnostics
        .iter()
        .map(|note| (note.code.as_str(), note.place.line, note.place.column))
        .collect();
    assert_eq!(
        places,
        [
            ("unknown-macro", 3, 3),
            ("unknown-macro", 9, 5),
            ("unknown-macro", 15, 6)
        ]
    );
}

#[test]
fn complex_types_are_one_name() {
    for (text, expected) in [
        (
            "double _Complex *f(float complex x);",
            "double_Complex *f(float_Complex x);",
        ),
        (
            "long double  _Complex z; complex double w;",
            "long_double_Complex z; double_Complex w;",
        ),
        (
            "double complex = 1; complex = 2;",
            "double complex = 1; complex = 2;",
        ),
        (
            "#define cplx double _Complex\nint g(const cplx*, cplx);",
            "int g(const double_Complex *, double_Complex );",
        ),
    ] {
        assert_eq!(lines(&c(text)), [expected], "{text}");
    }
}

#[test]
fn fortran_is_left_its_own_syntax() {
    let text = "#define NX 10
#define EMPTY
#define IDX(i,j) i+NX*j
program p ! don't expand IDX(1,2) here
c isn't IDX(1,
  print *, 'a' // 'IDX(1,2) /* ' // \"it's\", IDX(i,j)
!$omp parallel num_threads(IDX(1,2))
      a = b
     # + c
EMPTY
  if (i.eq.NX.and.j.lt.1.or.NX.gt.3.) x = 1.0_NX
  real*NX y
end
";
    let result = fortran(text);
    assert_eq!(
        lines(&result),
        [
            "program p ! don't expand IDX(1,2) here",
            "c isn't IDX(1,",
            "print *, 'a' // 'IDX(1,2) /* ' // \"it's\", i+NX*j",
            "!$omp parallel num_threads(1+NX*2)",
            "a = b",
            "# + c",
            "if (i.eq.NX.and.j.lt.1.or.NX.gt.3.) x = 1.0_NX",
            "real*10 y",
            "end",
        ]
    );
    assert_eq!(macros(&result), [("NX", "10")]);
    assert_eq!(result.text.lines().count(), 9, "removed lines are dropped");
}

#[test]
fn fortran_conditions_inside_a_statement_leave_no_line() {
    let result = fortran(
        "call f(a, & ! first\n#ifdef MORE\n       b, &\n#else\n  /* a comment\n of C */\n       c, &\n#endif\n       d)\nend\n",
    );
    assert_eq!(
        origins(&result),
        [
            "main:1 call f(a, & ! first",
            "main:7        c, &",
            "main:9        d)",
            "main:10 end",
            "main:11 "
        ]
    );
}

#[test]
fn fortran_macros_are_traditional() {
    for (text, expected) in [
        (
            "#define CAT(a,b) a/**/b\ncall CAT(sub,_r8)(x)",
            "call sub_r8(x)",
        ),
        (
            "#define MSG(x) print *, 'x is', x\nMSG(n)",
            "print *, 'n is', n",
        ),
        (
            "#define DIMS(a) a/**/_l1, a/**/_h1\nreal q(DIMS(q))",
            "real q(q_l1, q_h1)",
        ),
        (
            "#define BOTH(a,b) a; b\nBOTH(x = 1, y = &\n  & 2)\nend",
            "x = 1; y = 2 end",
        ),
        (
            "#define FMT \"(f0.2)\", advance='no'\nwrite(0, FMT) x",
            "write(0, \"(f0.2)\", advance='no') x",
        ),
        // The name of the macro would be read as the variable.
        (
            "#define N 3\nsubroutine s(n)\nx(N) = n ! N\nend",
            "subroutine s(n) x(3) = n ! N end",
        ),
        (
            "#define N 3\ncall s(N)\ncontains\nsubroutine s(n)\nend",
            "call s(N) contains subroutine s(n) end",
        ),
    ] {
        assert_eq!(lines(&fortran(text)).join(" "), expected, "{text}");
    }
}

#[test]
fn work_is_bounded() {
    // 2^40 tokens if it were carried out.
    let mut text = String::from("#define X0 y y\n");
    for level in 1..40 {
        text += &format!("#define X{level} X{0} X{0}\n", level - 1);
    }
    let result = c(&(text + "X39 ;\nafter\n"));
    assert_eq!(codes(&result), ["macro-limit"]);
    assert_eq!(result.diagnostics[0].severity, Severity::Error);
    assert!(result.text.ends_with("\nafter\n"));
    // Doubling by pasting, quoting, nested calls, and invocations that never close.
    let mut doubling = String::from("#define D(x) x##x\n#define E(x) D(x)\n");
    doubling += &format!("{}a{};\n", "E(".repeat(60), ")".repeat(60));
    c(&doubling);
    let mut quoting = String::from("#define Q(x) #x #x #x #x\n#define R(x) Q(x)\n");
    quoting += &format!("{}a{};\n", "R(".repeat(60), ")".repeat(60));
    c(&quoting);
    c(&format!(
        "#define F(x) x x\n{}1{};\n",
        "F(".repeat(50_000),
        ")".repeat(50_000)
    ));
    c(&format!("#define F(x) x\n{}\n", "F(\n".repeat(50_000)));
    c(&"#if 1\n".repeat(100_000));
    c(&format!("#if {}1\n", "-".repeat(1_000_000)));
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Text made of what preprocessors care about.
    fn soup() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "#define ",
            "#undef ",
            "#if ",
            "#ifdef ",
            "#else",
            "#elif ",
            "#endif",
            "#include \"a.h\"",
            "#pragma x",
            "#",
            "##",
            "A",
            "B(x)",
            "B",
            "F",
            "F(x,y)",
            "(",
            ")",
            ",",
            "\n",
            "\\\n",
            "/*",
            "*/",
            "//",
            "\"",
            "'",
            " ",
            "1",
            "1.5e+3",
            "...",
            "__VA_ARGS__",
            "defined",
            "_Pragma(\"x\")",
            "!",
            "&",
            "&\n",
            "é",
            "\r\n",
            "__attribute__((x))",
            "FOO(x)\n",
            "{",
            "}",
            ";",
            "+",
            "-",
            "c ",
            "!$omp ",
            "N",
            "\t",
            "\0",
            "_",
            "__LINE__",
            "real*",
            "?",
            ":",
            "<",
            "<<",
        ]);
        prop::collection::vec(pieces, 0..80).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn nothing_panics_and_every_line_has_an_origin(text in soup(), other in soup(), c in any::<bool>()) {
            struct One(String);
            impl ReadFile for One {
                fn read_included(&self, _: &str, name: &str) -> Option<(Arc<str>, String)> {
                    (name == "a.h").then(|| ("a.h".into(), self.0.clone()))
                }
            }
            let language = if c { Language::C } else { Language::Fortran };
            let source = SourceText::verbatim(&"main".into(), text);
            let result = preprocess(source, &Options { defines: Vec::new(), language }, &One(other));
            prop_assert_eq!(result.origins.len(), result.text.split('\n').count());
        }

        #[test]
        fn text_without_directives_is_left_alone(text in "[a-z0-9 =;(){}\n\"'/*.+<&é-]{0,200}") {
            let result = run_with(&text, Language::C, &[], &Files::default());
            prop_assert_eq!(&result.text, &text);
            let same = SourceText::verbatim(&"main".into(), text);
            prop_assert_eq!(result.origins, same.origins);
        }
    }
}

/// What files that begin with the same headers become, alone and together, and how many headers were shared.
fn shared_by(mains: &[&str], files: &Files) -> usize {
    let shared = SharedHeaders::default();
    let options = Options {
        defines: Vec::new(),
        language: Language::C,
    };
    let mut known: Vec<Arc<HeaderText>> = Vec::new();
    let mut hits = 0;
    for (number, main) in mains.iter().enumerate() {
        let source = SourceText::verbatim(&format!("main{number}").into(), main.to_string());
        let alone = preprocess(source.clone(), &options, files);
        let apart = preprocess_apart(source, &options, files, &shared);
        for placed in &apart.headers {
            match known.iter().any(|known| Arc::ptr_eq(known, &placed.header)) {
                true => hits += 1,
                false => known.push(placed.header.clone()),
            }
        }
        assert_eq!(format!("{:#?}", apart.joined()), format!("{alone:#?}"));
    }
    hits
}

const SHARED: [(&str, &str); 6] = [
    (
        "a.h",
        "#ifndef A\n#define A 3\n#define TWICE(x) (2 * (x))\nint a[A];\n#endif\n",
    ),
    (
        "b.h",
        "#include \"a.h\"\n#ifdef WIDE\nlong b[TWICE(A)];\n#else\nint b[TWICE(A)];\n#endif\n",
    ),
    (
        "loose.h",
        "#define LOOSE 3 + 4\nint l = LOOSE;\nBOTHER(1)\nint m;\n",
    ),
    ("once.h", "#pragma once\nint once;\n#error no\n"),
    ("open.h", "int list[] = {\n"),
    ("part.c", "int part;\n"),
];

#[test]
fn files_that_begin_alike_share_their_headers() {
    let files = Files(SHARED.into_iter().collect());
    let text = "/* one */\n#include <stdio.h>\n#include \"a.h\"\n\n#include \"b.h\"\nint x = A * TWICE(A);\n";
    let other = "#include <stdio.h>\n// two\n#include \"a.h\"\n#include \"b.h\"\ndouble y[A];\n";
    assert_eq!(shared_by(&[text, other, text], &files), 4);
    // With another value behind them the constant is expanded in all of the file.
    let varies = &format!("{text}#define A 4\nint z = A;\n");
    assert_eq!(shared_by(&[text, varies, text, varies], &files), 4);
    let once = "#include \"once.h\"\n#include \"once.h\"\nint x;\n";
    assert_eq!(shared_by(&[once, once], &files), 1);
    let conditional =
        "#ifdef NOTHING\n#include \"b.h\"\n#else\n#include \"a.h\"\n#endif\nint c[A];\n";
    assert_eq!(shared_by(&[conditional, text, conditional], &files), 1);
}

#[test]
fn what_else_stands_before_a_header_keeps_it_from_being_shared() {
    let files = Files(SHARED.into_iter().collect());
    for main in [
        "#define WIDE\n#include \"b.h\"\nint x;\n",
        "int WIDE;\n#include \"b.h\"\nint x;\n",
        "#pragma omp simd\n#include \"b.h\"\nint x;\n",
        "#include \"part.c\"\n#include \"b.h\"\nint x;\n",
        "#include \"open.h\"\n1, 2 };\nint x;\n",
    ] {
        assert_eq!(
            shared_by(&[main, main, "#include \"b.h\"\n"], &files),
            0,
            "{main}"
        );
    }
}

#[test]
fn a_constant_that_varies_is_expanded_in_shared_headers_too() {
    let files = Files(SHARED.into_iter().collect());
    let kept = "#include \"loose.h\"\nint x = LOOSE;\n";
    let expanded = "#include \"loose.h\"\nint x = 2 * LOOSE;\n";
    assert!(shared_by(&[kept, expanded, kept, expanded, expanded], &files) > 2);
}
