use std::sync::Arc;

use expect_test::expect;

use super::{check, lowered};
use crate::diagnostic::Place;
use crate::ir::{MemberLayout, VarId};
use crate::source::{MacroConstant, SourceText};

#[test]
fn types_have_the_sizes_of_64_bit_unix() {
    check(
        "void f(char a, short b, int c, long d, long long e, unsigned f, unsigned long int g, float h,
                double i, long double j, _Bool k, size_t l, int16_t m, _Float16 n, signed char o, long int unsigned p) {}",
        expect![[r#"
            function f @1
              argument a: integer1
              argument b: integer2
              argument c: integer4
              argument d: integer8
              argument e: integer8
              argument f: integer4
              argument g: integer8
              argument h: real4
              argument i: real8
              argument j: real16
              argument k: logical1
              argument l: integer8
              argument m: integer2
              argument n: real2
              argument o: integer1
              argument p: integer8
        "#]],
    );
}

#[test]
fn complex_is_both_parts() {
    check(
        "void f(double _Complex a, float complex *b, _Complex double c, long double _Complex d[3]) {
           double complex e = 1.0 * c;
           a = (double complex)b[0];
         }
         struct complex { double re, im; };
         double complex(int x) { double complex (*p)[3]; return x; }",
        expect![[r#"
            function f @1
              argument a: complex16
              argument b: complex8[:]
              argument c: complex16
              argument d: complex32[0:2]
              local e: complex16
              e := (1.0_8 * c)
              a := complex16(b[0])
            function complex @6
              argument x: integer4
              local p: complex16[0:2, :]
              evaluate x
              return
        "#]],
    );
}

#[test]
fn dimensions_are_in_storage_order() {
    check(
        "#define N 8
         double g[N][N + 2];
         void f(int n, int m, double a[n][m], double (*b)[n][m], double *c[3], double **d, double e[restrict][m],
                const double *restrict x, double (*op)(double), char *argv[]) {
           double v[n + 1][2];
           double w[] = {1.0, 2.0, 3.0};
           g[1][2] = v[0][1] + w[2] + (*b)[3][4] + c[1][5] + d[6][7];
         }",
        expect![[r#"
            function f @3
              argument n: integer4
              argument m: integer4
              argument a: real8[0:(m - 1), 0:(n - 1)]
              argument b: real8[0:(m - 1), 0:(n - 1), :]
              argument c: real8[:, 0:2]
              argument d: real8[:, :]
              argument e: real8[0:(m - 1), :]
              argument x: real8[:]
              argument op: ?
              argument argv: integer1[:, :]
              local v: real8[0:1, 0:((n + 1) - 1)]
              local w: real8[0:2]
              macro N: integer4 = 8
              global g: real8[0:((N + 2) - 1), 0:(N - 1)]
              g[2, 1] := ((((v[1, 0] + w[2]) + b[4, 3, 0]) + c[5, 1]) + d[7, 6])
        "#]],
    );
}

#[test]
fn typedefs_name_arrays_pointers_and_structures() {
    check(
        "typedef double real;
         typedef real plane[4][5];
         typedef struct { real re, im; } *pair;
         void f(plane p, pair q) {
           plane s[3];
           real (*t)[6];
           real (*u)[7] = t;
           s[2][1][0] = p[1][2] * q->re + t[0][1] + u[0][1];
         }",
        expect![[r#"
            function f @4
              argument p: real8[0:4, 0:3]
              argument q: pair[:]
              local s: real8[0:4, 0:3, 0:2]
              local t: real8[0:5, :]
              local u: real8[0:6, :]
              argument q->re: real8
              u := t
              s[0, 1, 2] := (((p[2, 1] * q->re) + t[1, 0]) + u[1, 0])
        "#]],
    );
}

#[test]
fn structures_are_laid_out_with_natural_alignment() {
    check(
        "struct a { char c; double x; int i; };              /* 1+7+8+4+4 = 24 */
         struct b { char c; short s; };                      /* 1+1+2 = 4 */
         union u { char c[5]; int i; };                      /* 8 */
         struct d { struct b b[3]; struct d *next; };        /* 12+4+8 = 24 */
         struct e { struct missing m; };
         struct s { struct { int p, q; }; int bits : 3; };    /* 8+4 = 12 */
         void f(struct a *a, struct b *b, union u *u, struct d *d, struct e *e, struct s *s) {
           int n = sizeof(struct a) + sizeof(struct b) + sizeof(union u) + sizeof *d + sizeof(struct e) + sizeof(struct s);
           s->q = sizeof(double *) + sizeof(n) + sizeof(long[4]) + d->next->b[2].s;
         }",
        expect![[r#"
            function f @7
              argument a: a[:]
              argument b: b[:]
              argument u: u[:]
              argument d: d[:]
              argument e: e[:]
              argument s: s[:]
              local n: integer4
              argument d->next->b.s: integer2[0:2]
              argument s->q: integer4
              n := (((((24 + 4) + 8) + 24) + opaque(unknown_size)) + 12)
              s->q := (((8 + 4) + 32) + d->next->b.s[2])
        "#]],
    );
}

#[test]
fn named_constants_have_values() {
    check(
        "#define N 100
         #define M (N + 2) // comment
         #define REAL double
         #define LOOP for (;;)
         static const int P = 3, Q = P * 2;
         const double h = 0.5;
         enum { A, B = 5, C, D = N, E, F = sizeof(double) };
         enum color { RED, GREEN } c;
         void f(int n) {
           const int k = 4, l = n;
           static const float w = 0.25f;
           n = M + Q + A + B + C + E + F + GREEN + k + l;
           n = h * w;
         }",
        expect![[r#"
            function f @9
              argument n: integer4
              const k: integer4 = 4
              local l: integer4
              const w: real4 = 0.25_4
              macro M: integer4 = (N + 2)
              macro N: integer4 = 100
              const Q: integer4 = (P * 2)
              const P: integer4 = 3
              enumerator A: integer4 = 0
              enumerator B: integer4 = 5
              enumerator C: integer4 = 6
              enumerator E: integer4 = 101
              enumerator F: integer4 = 8
              enumerator GREEN: integer4 = 1
              const h: real8 = 0.5_8
              l := n
              n := (((((((((M + Q) + A) + B) + C) + E) + F) + GREEN) + k) + l)
              n := integer4((h * w))
        "#]],
    );
}

#[test]
fn constants_defined_by_themselves_have_no_value() {
    check(
        "#define A (B + 1)
         #define B (A + 1)
         static const int x = x + 1;
         int f(void) { return A + x; }",
        expect![[r#"
            function f @4
              macro A: ? = (B + 1)
              macro B: ? = (A + 1)
              undeclared A: ?
              global x: integer4
              evaluate (A + x)
              return
        "#]],
    );
}

#[test]
fn macros_that_the_preprocessor_left_are_constants() {
    let path: Arc<str> = "test.c".into();
    let mut source = SourceText::verbatim(
        &path,
        "double f(double *a) { return a[N - 1] * H; }\n".into(),
    );
    for (name, text) in [
        ("N", "(1<<3)"),
        ("H", "(1.0 / N)"),
        ("UNUSED", "7"),
        ("BROKEN", "do {"),
    ] {
        let place = Place {
            file: "size.h".into(),
            line: 3,
            column: 9,
        };
        source.macros.push(MacroConstant {
            name: name.into(),
            text: text.into(),
            place,
        });
    }
    let unit = super::super::lower(&path, &source);
    expect![[r#"
        function f @1
          argument a: real8[:]
          macro N: integer4 = (1 * 8)
          macro H: real8 = (1.0_8 / N)
          evaluate (a[(N - 1)] * H)
          return
    "#]]
    .assert_eq(&unit.to_string());
    assert_eq!(
        unit.functions[0].variables[1].place.to_string(),
        "size.h:3:9"
    );
}

#[test]
fn shadowing_makes_variables_of_their_own() {
    check(
        "int i;
         void f(int n) {
           i = n;
           { double n = 2.0; { int i = 1; n = n * i; } }
           for (int i = 0; i < n; i++) { float i = 3; g(i); }
           { extern int j; j = i; }
         }",
        expect![[r#"
            function f @2
              argument n: integer4
              global i: integer4
              local n_2: real8
              local i_2: integer4
              local i: integer4
              local i_3: real4
              global j: integer4
              i := n
              n_2 := 2.0_8
              i_2 := 1
              n_2 := (n_2 * i_2)
              loop i = 0 .. (n - 1) by 1 @5
                i_3 := 3
                call g(i_3)
              j := i
        "#]],
    );
}

#[test]
fn initialisers_are_assignments() {
    check(
        "void f(int n, double x) {
           int i = n + 1, j, *p = &n;
           static int calls = 0;
           double v[3] = {x * x, 1.0, sqrt(x)}, table[2] = {1, 2};
           struct { double re, im; } z = {x, -x}, w = {.im = x};
           char s[] = \"text\";
           calls++;
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument x: real8
              local i: integer4
              local j: integer4
              local p: integer4[:]
              local calls: integer4
              local v: real8[0:2]
              local table: real8[0:1]
              local z: z
              local z.re: real8
              local z.im: real8
              local w: z
              local w.re: real8
              local w.im: real8
              local s: integer1[0:4]
              i := (n + 1)
              p := opaque(address_of; n)
              v[0] := (x * x)
              v[1] := 1.0_8
              v[2] := sqrt(x)
              z.re := x
              z.im := (-x)
              w.re := 0
              w.im := x
              calls := (calls + 1)
        "#]],
    );
}

#[test]
fn old_style_definitions_and_prototypes() {
    check(
        "double g();
         float h(int);
         extern double *rows(void);
         int f(n, a, m)
           int n;
           double a[];
         { return g(n) + h(m) + a[n] + sinf(1.0f) + unknown(1) + *rows(); }",
        expect![[r#"
            function f @4
              argument n: integer4
              argument a: real8[:]
              argument m: integer4
              evaluate integer4((((((g(n) + h(m)) + a[n]) + sinf(1.0_4)) + unknown(1)) + opaque(computed_base; rows(), 0)))
              return
        "#]],
    );
}

#[test]
fn functions_are_found_wherever_they_stand() {
    let unit = lowered(
        "extern \"C\" { void a(void) {} }
         #ifdef X
         void b(void) {}
         #else
         void c(void) {}
         #endif
         void d(void) { void e(void) {} }
         int *(f)(void) { return 0; }
         double (*g(int n))(double) { return 0; }
         static inline __attribute__((always_inline)) void h(void) {}",
    );
    let names = unit
        .functions
        .iter()
        .map(|function| function.name.as_str())
        .collect::<Vec<_>>();
    assert_eq!(names, ["a", "b", "c", "d", "e", "f", "g", "h"]);
}

#[test]
fn unknown_types_are_reported_once() {
    check(
        "missing_t a; void f(missing_t b) { missing_t c = a + b; }",
        expect![[r#"
        function f @1
          argument b: ?
          local c: ?
          global a: ?
          c := (a + b)
        test.c:1:1 unknown-type: type `missing_t` is not declared in this file or what it includes
    "#]],
    );
}

/// Bytes to a member and from one structure to the next, as gcc lays them out for 64-bit machines.
#[test]
fn attributes_change_the_layout_of_structures() {
    let unit = lowered(
        "typedef struct {
           int subtype;
           struct { int i, j, k; } dim;
           struct { int box, i, j, k, jStride, kStride; double *ptr; } read, write;
         } __attribute__((aligned(64))) block;
         struct __attribute__((aligned(32))) tagged { int a, b, c; };
         struct member { int a; int b __attribute__((aligned(16))); };
         struct c11 { _Alignas(32) int a; int b; };
         typedef struct { int v[3]; double x; } __attribute__((packed)) packed;
         struct plain { char c; double x; };
         long f(int n, block *b, struct tagged *t, struct member *m, struct c11 *c, packed *p, struct plain *q) {
           return b[n].dim.i + t[n].b + m[n].b + c[n].b + (long) p[n].x + (long) q[n].x;
         }",
    );
    let function = &unit.functions[0];
    let layout = |(id, layout): (&VarId, &MemberLayout)| {
        (
            function.variable(*id).name.to_string(),
            layout.offset,
            layout.record_bytes,
        )
    };
    let found: Vec<(String, i64, u32)> = function.members.iter().map(layout).collect();
    let expected = [
        ("b.dim.i", 4, 128),
        ("t.b", 4, 32),
        ("m.b", 16, 32),
        ("c.b", 4, 32),
        ("p.x", 12, 20),
        ("q.x", 8, 16),
    ];
    assert_eq!(
        found,
        expected.map(|(name, offset, bytes)| (name.to_string(), offset, bytes))
    );
}
