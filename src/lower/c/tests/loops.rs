use expect_test::expect;

use super::check;

/// Each line of `headers` as a loop of its own.
fn check_headers(headers: &[&str], expected: expect_test::Expect) {
    let mut source = String::from(
        "#define N 10\nvoid f(int n, int m, int *q, double *p, double t) {\nint i, j, b; unsigned u; long l;\n",
    );
    for header in headers {
        source.push_str(&format!("for ({header}) p[0] = 1;\n"));
    }
    source.push_str("}\n");
    let text = super::lowered(&source).to_string();
    let body = text
        .lines()
        .skip_while(|line| !line.contains(":=") && !line.contains("loop "));
    let shown = body
        .filter(|line| !line.contains("p[0] :="))
        .map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line)))
        .collect::<String>();
    expected.assert_eq(&shown);
}

#[test]
fn counted_headers() {
    check_headers(
        &[
            "i = 0; i < n; i++",
            "i = 0; i <= n; ++i",
            "i = n; i > 0; i--",
            "i = n - 1; i >= 0; i -= 2",
            "i = 0; i != n; i += 1",
            "i = n; i != m; i = i - 1",
            "i = 0; i < 10; i = 2 + i",
            "i = 0; i < N; i += N",
            "i = 1; n > i; i++",
            "i = 1; n >= (i); i++",
            "int k = 0; k < n; k++",
            "size_t k = 0, e = n; k < e; k++",
            "i = 0, j = n; i < j; i++, j--",
            "i = 0, j = i; i < n; i++",
            "i = 0; i < n; i += m",
            "i = n; i > 0; i -= m",
            "i = 0; i < (int)t; i++",
            "i = 0; (long)i < l; i++",
            "u = n; u; u--",
            "i = b = 0; i < n; i++",
            "i = 0; i < q[b] - 1; i++",
            "i = 0; i < n * sizeof(double) / 8; i++",
        ],
        expect![[r#"
            loop i = 0 .. (n - 1) by 1 @4
            loop i = 0 .. n by 1 @5
            loop i = n .. 1 by -1 @6
            loop i = (n - 1) .. 0 by -2 @7
            loop i = 0 .. (n - 1) by 1 @8
            loop i = n .. (m + 1) by -1 @9
            loop i = 0 .. 9 by 2 @10
            loop i = 0 .. (N - 1) by N @11
            loop i = 1 .. (n - 1) by 1 @12
            loop i = 1 .. n by 1 @13
            loop k = 0 .. (n - 1) by 1 @14
            e := n
            loop k = 0 .. (e - 1) by 1 @15
            j := n
            loop i = 0 .. (j - 1) by 1 @16
              j := (j - 1)
            i := 0
            j := i
            loop i = 0 .. (n - 1) by 1 @17
            loop i = 0 .. (n - 1) by m @18
            loop i = n .. 1 by (-m) @19
            loop i = 0 .. (integer4(t) - 1) by 1 @20
            loop i = 0 .. (l - 1) by 1 @21
            loop u = n .. 1 by -1 @22
            b := 0
            loop i = 0 .. (n - 1) by 1 @23
            loop i = 0 .. ((q[b] - 1) - 1) by 1 @24
            loop i = 0 .. (((integer8(n) * 8) / 8) - 1) by 1 @25
        "#]],
    );
}

#[test]
fn uncounted_headers() {
    check_headers(
        &[
            "i = 0; i < n && p[i] > 0; i++",
            "i = 1; i < n; i *= 2",
            "i = n; i > 0; i >>= 1",
            "i = 1; i < n; i = i * 2",
            "; i < n; i++",
            "j = 0; i < n; i++",
            "i = 0; ; i++",
            "i = 0; i < n; ",
            ";;",
            "i = 0; i > n; i++",
            "i = n; i < 0; i--",
            "i = 0; i != n; i += m",
            "i = 0; i == n; i++",
            "i = 0; i < n; i = next(i)",
            "i = 0; i < n; i++, i++",
            "i = n; i--; ",
            "i = 0; p[i] > 0; i++",
            "i = 0; i < 2 * i; i++",
            "t = 0.0; t < 1.0; t += 0.1",
            "double *r = p; r < p + n; r++",
            "i = 0; i < q[b++]; i++",
            "q[0] = 0; q[0] < n; q[0]++",
        ],
        expect![[r#"
              i := 0
              loop ((i < n) and (p[i] > 0)) (compound_condition) @4
                i := (i + 1)
              i := 1
              loop (i < n) (geometric_step) @5
                i := (i * 2)
              i := n
              loop (i > 0) (geometric_step) @6
                i := (i / 2)
              i := 1
              loop (i < n) (geometric_step) @7
                i := (i * 2)
              loop (i < n) (missing_initialiser) @8
                i := (i + 1)
              j := 0
              loop (i < n) (missing_initialiser) @9
                i := (i + 1)
              i := 0
              loop (missing_condition) @10
                i := (i + 1)
              i := 0
              loop (i < n) (missing_step) @11
              loop (missing_condition) @12
              i := 0
              loop (i > n) (step_direction) @13
                i := (i + 1)
              i := n
              loop (i < 0) (step_direction) @14
                i := (i - 1)
              i := 0
              loop (i /= n) (unknown_direction) @15
                i := (i + m)
              i := 0
              loop (i == n) (irregular_condition) @16
                i := (i + 1)
              i := 0
              loop (i < n) (irregular_step) @17
                i := next(i)
              i := 0
              loop (i < n) (irregular_step) @18
                i := (i + 1)
                i := (i + 1)
              i := n
              loop ((i - 1) + 1) (side_effect_in_condition) @19
                i := (i - 1)
              i := 0
              loop (p[i] > 0) (irregular_condition) @20
                i := (i + 1)
              i := 0
              loop (i < (2 * i)) (bound_depends_on_variable) @21
                i := (i + 1)
              t := 0.0_8
              loop (t < 1.0_8) (floating_variable) @22
                t := (t + 0.1_8)
              r := p
              loop (r < (p + n)) (pointer_variable) @23
                r := (r + 1)
              i := 0
              loop (i < q[((b + 1) - 1)]) (side_effect_in_condition) @24
                b := (b + 1)
                i := (i + 1)
              q[0] := 0
              loop (q[0] < n) (irregular_condition) @25
                q[0] := (q[0] + 1)
        "#]],
    );
}

#[test]
fn loops_that_change_their_variable_do_not_count() {
    check(
        "void f(int n, int m, double *a) {
           int i;
           for (i = 0; i < n; i++) { if (a[i] < 0) i++; }
           for (i = 0; i < n; i++) { for (i = 0; i < m; i++) a[i] = 0; }
           for (i = 0; i < n; i++) { scanf(\"%d\", &i); }
           for (i = 0; i < n; i++) { int i = 2; i++; n = 3; }
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument m: integer4
              argument a: real8[:]
              local i: integer4
              local i_2: integer4
              i := 0
              loop (i < n) (variable_modified) @3
                if (a[i] < 0) @3
                  i := (i + 1)
                i := (i + 1)
              i := 0
              loop (i < n) (variable_modified) @4
                loop i = 0 .. (m - 1) by 1 @4
                  a[i] := 0
                i := (i + 1)
              i := 0
              loop (i < n) (variable_modified) @5
                call scanf("%d", i)
                i := (i + 1)
              loop i = 0 .. (n - 1) by 1 @6
                i_2 := 2
                i_2 := (i_2 + 1)
                n := 3
        "#]],
    );
}

#[test]
fn while_and_do_keep_their_condition() {
    check(
        "struct node { struct node *next; double x; };
         void f(struct node *p, int n, double s) {
           while (p) { s += p->x; p = p->next; }
           while ((p = p->next) != 0) s += 1.0;
           do { n--; } while (n > 0 && s < 1.0);
           for (; p; p = p->next) s = s * p->x;
           do g(); while (0);
         }",
        expect![[r#"
            function f @2
              argument p: node[:]
              argument n: integer4
              argument s: real8
              argument p->x: real8
              argument p->next: node[:]
              loop p (while_loop) @3
                s := (s + p->x)
                p := p->next
              loop (p /= 0) (while_loop) @4
                p := p->next
                s := (s + 1.0_8)
              loop ((n > 0) and (s < 1.0_8)) (do_while_loop) @5
                n := (n - 1)
              loop p (pointer_variable) @6
                s := (s * p->x)
                p := p->next
              call g()
        "#]],
    );
}

#[test]
fn nests_keep_their_shape_and_places() {
    check(
        "void f(int n, double c[n][n], double a[n][n], double b[n][n]) {
           for (int i = 0; i < n; i++) {
             for (int j = 0; j < n; j++) {
               c[i][j] = 0.0;
               for (int k = 0; k < n; k++)
                 c[i][j] += a[i][k] * b[k][j];
             }
             if (i == 3) break;
             if (i > n / 2) continue;
             g(c[i]);
           }
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument c: real8[0:(n - 1), 0:(n - 1)]
              argument a: real8[0:(n - 1), 0:(n - 1)]
              argument b: real8[0:(n - 1), 0:(n - 1)]
              local i: integer4
              local j: integer4
              local k: integer4
              loop i = 0 .. (n - 1) by 1 @2
                loop j = 0 .. (n - 1) by 1 @3
                  c[j, i] := 0.0_8
                  loop k = 0 .. (n - 1) by 1 @5
                    c[j, i] := (c[j, i] + (a[k, i] * b[j, k]))
                if (i == 3) @8
                  exit
                if (i > (n / 2)) @9
                  cycle
                call g(c[opaque(partial_element), i])
        "#]],
    );
    let unit = super::lowered(
        "void f(int n, double *a) {\n  for (int i = 0; i < n; i++)\n  {\n    a[i] = 0;\n  }\n}\n",
    );
    let crate::ir::Stmt::Loop(outer) = &unit.functions[0].body[0] else {
        panic!("no loop")
    };
    assert_eq!(
        (outer.place.to_string().as_str(), outer.end_line),
        ("test.c:2:3", 5)
    );
}

#[test]
fn directives_belong_to_the_loop_behind_them() {
    check(
        "void f(int n, double *a, double s) {
           int i, j;
         #pragma omp parallel for private(j) \\
             reduction(+:s)
           // the outer loop
           for (i = 0; i < n; i++)
         #pragma omp simd
             for (j = 0; j < n; j++) s += a[j];
         #pragma omp parallel
           {
         #pragma omp for nowait
             for (i = 0; i < n; i++) a[i] = 1;
         #pragma omp barrier
             for (i = 0; i < n; i++) a[i] = 2;
           }
         #pragma scop
           for (i = 0; i < n; i++) a[i] = 3;
         #pragma endscop
           #pragma acc parallel loop collapse(2)
           for (i = 0; i < n; i++) a[i] = 4;
           _Pragma(\"omp target teams distribute parallel for simd map(to:a)\")
           for (i = 0; i < n; i++) a[i] = 5;
         #pragma omp for
           a[0] = 1;
           for (i = 0; i < n; i++) a[i] = 6;
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument a: real8[:]
              argument s: real8
              local i: integer4
              local j: integer4
              loop i = 0 .. (n - 1) by 1 parallel(omp parallel for) @6
                loop j = 0 .. (n - 1) by 1 parallel(omp simd) @8
                  s := (s + a[j])
              loop i = 0 .. (n - 1) by 1 parallel(omp for) @12
                a[i] := 1
              loop i = 0 .. (n - 1) by 1 @14
                a[i] := 2
              loop i = 0 .. (n - 1) by 1 @17
                a[i] := 3
              loop i = 0 .. (n - 1) by 1 parallel(acc parallel loop) @20
                a[i] := 4
              loop i = 0 .. (n - 1) by 1 parallel(omp target teams distribute parallel for simd) @22
                a[i] := 5
              a[0] := 1
              loop i = 0 .. (n - 1) by 1 @25
                a[i] := 6
        "#]],
    );
}
