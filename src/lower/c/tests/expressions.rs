use expect_test::expect;

use super::check;

#[test]
fn assignments_inside_expressions_come_before() {
    check(
        "void f(double *a, double *b, int i, int j, double x) {
           a[i] = b[i] = x * 2.0;
           i = j = 0;
           a[i] += b[j] *= x;
           x = (i = 3, a[i]);
           i <<= 1, j %= 3;
         }",
        expect![[r#"
            function f @1
              argument a: real8[:]
              argument b: real8[:]
              argument i: integer4
              argument j: integer4
              argument x: real8
              local b (new): real8
              local b (new): real8
              b (new) := (x * 2.0_8)
              b[i] := b (new)
              a[i] := b (new)
              j := 0
              i := 0
              b (new) := (b[j] * x)
              b[j] := b (new)
              a[i] := (a[i] + b (new))
              i := 3
              x := a[i]
              i := (i * 2)
              j := (j % 3)
        "#]],
    );
}

/// What was written to an element is in a register: one load and one store each.
#[test]
fn elements_that_were_written_are_not_read_back() {
    check(
        "void f(int *next, double *a, int i, int j) {
           i = next[j]++;
           j = ++next[i];
           a[next[i]++] = 1.0;
           next[j]++;
           if ((a[i] = a[j]) > 0.0) i = 1;
         }",
        expect![[r#"
            function f @1
              argument next: integer4[:]
              argument a: real8[:]
              argument i: integer4
              argument j: integer4
              local next (new): integer4
              local next (new): integer4
              local next (new): integer4
              local a (new): real8
              next (new) := next[j]
              next[j] := (next (new) + 1)
              i := next (new)
              next (new) := (next[i] + 1)
              next[i] := next (new)
              j := next (new)
              next (new) := next[i]
              next[i] := (next (new) + 1)
              a[next (new)] := 1.0_8
              next[j] := (next[j] + 1)
              a (new) := a[j]
              a[i] := a (new)
              if (a (new) > 0.0_8) @6
                i := 1
        "#]],
    );
}

#[test]
fn increments_come_before_or_after() {
    check(
        "void f(double *x, double *y, double *p, int i, int n) {
           x[i++] = y[--n];
           *p++ = *x++ + *--y;
           i = n++ + 1;
           if (i++ < n) i--;
           while (n-- > 0) ++i;
           return x[i++];
         }",
        expect![[r#"
            function f @1
              argument x: real8[:]
              argument y: real8[:]
              argument p: real8[:]
              argument i: integer4
              argument n: integer4
              n := (n - 1)
              x[i] := y[n]
              i := (i + 1)
              y := (y - 1)
              p[0] := (x[0] + y[0])
              x := (x + 1)
              p := (p + 1)
              i := (n + 1)
              n := (n + 1)
              i := (i + 1)
              if ((i - 1) < n) @5
                i := (i - 1)
              loop (((n - 1) + 1) > 0) (while_loop) @6
                n := (n - 1)
                i := (i + 1)
              n := (n - 1)
              i := (i + 1)
              evaluate x[(i - 1)]
              return
        "#]],
    );
}

#[test]
fn what_is_evaluated_sometimes_stays_conditional() {
    check(
        "void f(int a, int b, int c, double x, double y) {
           if (a && (b = c) || c++) a = 1;
           x = a > b ? x * y : (c = 2, y);
           a ? g(x) : (b = 1);
           x = a ?: y;
           !a || ~b;
         }",
        expect![[r#"
            function f @1
              argument a: integer4
              argument b: integer4
              argument c: integer4
              argument x: real8
              argument y: real8
              if a @2
                b := c
              if (not (a and b)) @2
                c := (c + 1)
              if ((a and b) or (c - 1)) @2
                a := 1
              if (not (a > b)) @3
                c := 2
              x := ((a > b) ? (x * y) : y)
              if a @4
                call g(x)
              else
                b := 1
              x := ((a /= 0) ? a : y)
              evaluate ((not a) or (~b))
        "#]],
    );
}

#[test]
fn casts_convert() {
    check(
        "typedef float real;
         void f(int i, double x, real y) {
           y = (real)x + (real)(i + 1) + (real)-x + (float)i + (int)x;
           (void)i;
           x = (double)(long)y + -2 + -1.5f + +x - -x;
           i = sizeof(real) + sizeof x + sizeof(int[3]) + 'a' + 0x1F;
         }",
        expect![[r#"
            function f @2
              argument i: integer4
              argument x: real8
              argument y: real4
              y := ((((real4(x) + real4((i + 1))) + real4((-x))) + real4(i)) + integer4(x))
              x := ((((real8(integer8(y)) + -2) + -1.5_4) + x) - (-x))
              i := ((((4 + 8) + 12) + 97) + 31)
        "#]],
    );
}

#[test]
fn parentheses_round_variables_are_no_casts() {
    check(
        "typedef double real;
         #define SIZE ((M) + (M) * 2)
         #define M 3
         void f(int i, int j, int n, double *u, double a, double b, unknown_t *c) {
           u[(i) + (j) * n] = (a) - (b) * (a) / (u[i]) - (real)(a) * -(real)b + (SIZE);
           a = 2 * (a) - (b) * 3 - (i) * (j) - -(a) - b * (double)(a) - b * 2;
           b = (real)-a * b + (unknown_t)-a * (real)*u + (real)(a + b) * a;
           i = (i) & (j) << 2;
           a = (u[i]) - (g(i)) * b + (g(a)) - b * b;
           a = ((u[i]) - (b) * 2) * ((double (*)[4])u)[i][1] - (*u) * b;
         }",
        expect![[r#"
            function f @4
              argument i: integer4
              argument j: integer4
              argument n: integer4
              argument u: real8[:]
              argument a: real8
              argument b: real8
              argument c: ?[:]
              macro SIZE: integer4 = (M + (M * 2))
              macro M: integer4 = 3
              argument u(real8 **): real8[0:3, :]
              u[(i + (j * n))] := (((a - ((b * a) / u[i])) - (real8(a) * (-real8(b)))) + SIZE)
              a := ((((((2 * a) - (b * 3)) - (i * j)) - (-a)) - (b * real8(a))) - (b * 2))
              b := (((real8((-a)) * b) + ((-a) * real8(u[0]))) + (real8((a + b)) * a))
              i := (i & (j * 4))
              a := (((u[i] - (g(i) * b)) + g(a)) - (b * b))
              a := (((u[i] - (b * 2)) * u(real8 **)[1, i]) - (u[0] * b))
            test.c:4:69 unknown-type: type `unknown_t` is not declared in this file or what it includes
        "#]],
    );
}

#[test]
fn casts_and_calls_keep_their_parentheses() {
    check(
        "typedef struct { double u; } part;
         double g(double u, double y, double *p, double z, double (*f[3])(double), int i) {
           number r = y * (u) + z * (u);
           r = (number)-1 + (number) *p;
           r = g(u) + f[0](u) * 2;
           i = sizeof (u) * 2 + 'x' * (i) - z;
           if (u) *p = 1; else (u) *y;
           i = (i)&1, i = (i /* comment */ ) - i * 2;
           return (u)
             *y;
         }",
        expect![[r#"
            function g @2
              argument u: real8
              argument y: real8
              argument p: real8[:]
              argument z: real8
              argument f: ?[0:2]
              argument i: integer4
              local r: ?
              r := ((y * u) + (z * u))
              r := (-1 + p[0])
              r := (g(u) + (f[0](u) * 2))
              i := integer4((((integer8(8) * 2) + (120 * i)) - z))
              if u @7
                p[0] := 1
              else
                evaluate (u * y)
              i := (i & 1)
              i := (i - (i * 2))
              evaluate (u * y)
              return
            test.c:3:12 unknown-type: type `number` is not declared in this file or what it includes
        "#]],
    );
}

#[test]
fn calls_know_their_result() {
    check(
        "double mine(double);
         struct ops { float (*apply)(int); };
         void f(struct ops *ops, double (*fn)(double), double x, int n) {
           x = mine(x) + sqrt(x) + sqrtf(x) + powl(x, 2) + fabs(x) + other(x) + ops->apply(n) + fn(x) + (*fn)(x);
           mine(x), other(n);
           printf(\"%d %s\\n\", n, NULL);
           n = __builtin_expect(n > 0, 1);
         }",
        expect![[r#"
            function f @3
              argument ops: ops[:]
              argument fn: ?
              argument x: real8
              argument n: integer4
              x := ((((((((mine(x) + sqrt(x)) + sqrtf(x)) + powl(x, 2)) + fabs(x)) + other(x)) + ops->apply(n)) + fn(x)) + fn(x))
              call mine(x)
              call other(n)
              call printf("%d %s\\n", n, 0)
              n := (n > 0)
        "#]],
    );
}

#[test]
fn results_have_the_types_of_declarations_or_of_the_library() {
    use crate::ir::{Stmt, Type, Value};
    let result = |call: &str| {
        let unit = super::lowered(&format!(
            "float mine(int); double *rows(int); struct ops {{ float (*apply)(int); }};
             void f(struct ops *ops, double (*fn)(int), double x) {{ x = {call}; }}"
        ));
        match &unit.functions[0].body[..] {
            [
                Stmt::Assign {
                    value: Value::Call { ty, .. },
                    ..
                },
            ] => ty.clone(),
            other => panic!("{call}: {other:?}"),
        }
    };
    assert_eq!(result("mine(1)"), Type::Real(4));
    assert_eq!(result("rows(1)"), Type::Unknown);
    assert_eq!(result("ops->apply(1)"), Type::Real(4));
    assert_eq!(result("fn(1)"), Type::Real(8));
    assert_eq!(result("(*fn)(1)"), Type::Real(8));
    assert_eq!(result("sqrt(1)"), Type::Real(8));
    assert_eq!(result("sqrtf(1)"), Type::Real(4));
    assert_eq!(result("sqrtl(1)"), Type::Real(16));
    assert_eq!(result("nobody(1)"), Type::Unknown);
}

#[test]
fn statements_in_expressions_come_before() {
    check(
        "void f(int a, int b, double *x) {
           int m = ({ int t = a; if (t < b) t = b; t; });
           x[m] = ({ b; }) * 2;
         }",
        expect![[r#"
            function f @1
              argument a: integer4
              argument b: integer4
              argument x: real8[:]
              local m: integer4
              local t: integer4
              t := a
              if (t < b) @2
                t := b
              m := t
              x[m] := (b * 2)
        "#]],
    );
}
