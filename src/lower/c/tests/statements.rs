use expect_test::expect;

use super::check;

#[test]
fn conditions_and_jumps() {
    check(
        "int f(int n, double x) {
           if (n < 0) return -1;
           else if (n == 0) { x = 1.0; goto end; }
           else x = 2.0;
           while (1) { if (x > n) break; x = x * x; continue; }
         end: x++;
           return x * 2.0;
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument x: real8
              if (n < 0) @2
                evaluate -1
                return
              else
                if (n == 0) @3
                  x := 1.0_8
                  return
                else
                  x := 2.0_8
              loop 1 (while_loop) @5
                if (x > n) @5
                  exit
                x := (x * x)
                cycle
              x := (x + 1)
              evaluate integer4((x * 2.0_8))
              return
        "#]],
    );
}

#[test]
fn switch_is_nested_conditionals() {
    check(
        "void f(int n, int m, double x) {
           switch (n + m) {
             case 0: x = 1; break;
             case 1: case 2: { x = 2; break; }
             default: x = 0; break;
             case 3: return;
             case 4: for (;;) break;
           }
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument m: integer4
              argument x: real8
              evaluate (n + m)
              if ((n + m) == 0) @3
                x := 1
              else
                if (((n + m) == 1) or ((n + m) == 2)) @4
                  x := 2
                else
                  if ((n + m) == 3) @6
                    return
                  else
                    if ((n + m) == 4) @7
                      loop (missing_condition) @7
                        exit
                    else
                      x := 0
        "#]],
    );
}

#[test]
fn an_arm_runs_for_the_labels_that_fall_through_to_it() {
    check(
        "void f(int n, double x) {
           switch (n) { case 1: x = 1; case 2: x = x * 2; break; default: x = 3; }
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument x: real8
              evaluate n
              if ((n == 1) or (n == 2)) @2
                if (n == 1) @2
                  x := 1
                x := (x * 2)
              else
                x := 3
        "#]],
    );
}

#[test]
fn branches_of_the_preprocessor_are_decided_by_what_the_file_defines() {
    check(
        "#define USE_A 1
         #define LEVEL 3
         void f(double x) {
         #ifdef USE_A
           x = 1;
         #else
           x = 2;
         #endif
         #ifndef USE_A
           x = 3;
         #elif LEVEL > 2 && !0
           x = 4;
         #endif
         #if defined(MISSING)
           x = 5;
         #endif
         }",
        expect![[r#"
            function f @3
              argument x: real8
              x := 1
              x := 4
            test.c:4:10 undecided-branch: `#ifdef USE_A` was decided without a preprocessor
            test.c:9:10 undecided-branch: `#ifndef USE_A` was decided without a preprocessor
            test.c:14:10 undecided-branch: `#if defined(MISSING)` was decided without a preprocessor
        "#]],
    );
}

#[test]
fn loops_outside_of_functions_are_kept() {
    check(
        "double a[10];\nint i;\nfor (i = 0; i < 10; i++) a[i] = 2.0 * a[i];\n",
        expect![[r#"
        function <file scope> @3
          global i: integer4
          global a: real8[0:9]
          loop i = 0 .. 9 by 1 @3
            a[i] := (2.0_8 * a[i])
    "#]],
    );
    check(
        "main() { int i; for (i = 0; i < 3; i++) g(i); }\n",
        expect![[r#"
            function main @1
              local i: integer4
              loop i = 0 .. 2 by 1 @1
                call g(i)
        "#]],
    );
}

#[test]
fn unreadable_regions_keep_what_can_be_read() {
    check(
        "void f(int n, double *a) {
           int i;
           @@ garbage ((( ;
           for (i = 0; i < n; i++) a[i] = 0;
           asm(\"nop\" : : \"r\"(n));
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument a: real8[:]
              local i: integer4
              opaque syntax_error @@ garbage (((
                opaque syntax_error @@
              loop i = 0 .. (n - 1) by 1 @4
                a[i] := 0
              evaluate opaque(unsupported_expression; n)
            test.c:3:12 syntax-error: cannot read this
        "#]],
    );
}
