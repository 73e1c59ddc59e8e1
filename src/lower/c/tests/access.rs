use expect_test::expect;

use super::check;

#[test]
fn pointers_and_subscripts_are_the_same() {
    check(
        "void f(int n, int i, int j, double *p, double a[][8], double (*b)[4]) {
           *p = p[i] + *(p + i) + *(i + p) + *(p + i - 1) + (p + i)[j] + i[p];
           a[i][j] = *a[i] + *(*(a + i) + j) + (*b)[j] + **a + (&a[i])[1][j];
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument i: integer4
              argument j: integer4
              argument p: real8[:]
              argument a: real8[0:7, :]
              argument b: real8[0:3, :]
              p[0] := (((((p[i] + p[i]) + p[i]) + p[(i - 1)]) + p[(i + j)]) + p[i])
              a[j, i] := ((((a[0, i] + a[j, i]) + b[j, 0]) + a[0, 0]) + a[j, (i + 1)])
        "#]],
    );
}

#[test]
fn members_make_variables_named_like_the_source() {
    check(
        "typedef struct { double *v[3]; double w; } box_type;
         typedef struct { int n; box_type *box; double z[5]; struct { int lo, hi; } range; } level_type;
         struct particle { double x, y; };
         void f(level_type *level, level_type top, struct particle *p, struct particle q[10][20], int b, int i) {
           level->box[b].v[1][i] = level->box->w + (*level).z[i] + top.z[i] + level->range.lo;
           p[i].x = p->y + (*p).y + q[b][i].x + (p + i)->x + (&q[b][i])->y;
           (&top)->n = level[2].n;
         }",
        expect![[r#"
            function f @4
              argument level: level_type[:]
              argument top: level_type
              argument p: particle[:]
              argument q: particle[0:19, 0:9]
              argument b: integer4
              argument i: integer4
              argument level->box->w: real8
              argument level->z: real8[0:4]
              argument top.z: real8[0:4]
              argument level->range.lo: integer4
              argument level->box.v: real8[:, 0:2, :]
              argument p->y: real8
              argument q.x: real8[0:19, 0:9]
              argument p.x: real8[:]
              argument q.y: real8[0:19, 0:9]
              argument level.n: integer4[:]
              argument top.n: integer4
              level->box.v[i, 1, b] := (((level->box->w + level->z[i]) + top.z[i]) + level->range.lo)
              p.x[i] := ((((p->y + p->y) + q.x[i, b]) + p.x[i]) + q.y[i, b])
              top.n := level.n[2]
        "#]],
    );
}

#[test]
fn rows_are_partial_elements_and_addresses_are_marked() {
    check(
        "void f(int n, double u[n][n][n], int i, int j, int k) {
           double *up = u[k - 1][j];
           double *dn = &u[k + 1][j][0];
           double *mid = u[k][j] + 1;
           work(u[k], &u[k][j][i], &n, u, (double *)&u[k][j][i]);
           up++;
           u[k][j][i] = up[i] + dn[i];
         }",
        expect![[r#"
            function f @1
              argument n: integer4
              argument u: real8[0:(n - 1), 0:(n - 1), 0:(n - 1)]
              argument i: integer4
              argument j: integer4
              argument k: integer4
              local up: real8[:]
              local dn: real8[:]
              local mid: real8[:]
              up := u[opaque(partial_element), j, (k - 1)]
              dn := opaque(address_of; u[0, j, (k + 1)])
              mid := (u[opaque(partial_element), j, k] + 1)
              call work(u[opaque(partial_element), opaque(partial_element), k], opaque(address_of; u[i, j, k]), n, u, opaque(address_of; u[i, j, k]))
              up := (up + 1)
              u[i, j, k] := (up[i] + dn[i])
        "#]],
    );
}

#[test]
fn casts_of_pointers_change_the_element() {
    check(
        "void f(void *buffer, double *d, float *g, int n, int i) {
           double (*a)[n] = (double (*)[n])buffer;
           ((double *)buffer)[i] = ((float *)d)[i] + ((double (*)[n])d)[1][i] + a[1][i];
           g = (float *)malloc(n * sizeof(float));
         }",
        expect![[r#"
            function f @1
              argument buffer: real8[:]
              argument d: real8[:]
              argument g: real4[:]
              argument n: integer4
              argument i: integer4
              local a: real8[0:(n - 1), :]
              argument d(real4 *): real4[:]
              argument d(real8 **): real8[0:(n - 1), :]
              a := buffer
              buffer[i] := ((d(real4 *)[i] + d(real8 **)[i, 1]) + a[i, 1])
              g := malloc((integer8(n) * 4))
        "#]],
    );
}

#[test]
fn undeclared_arrays_have_as_many_dimensions_as_subscripts() {
    check(
        "void f(int i, int j) { u[i] = u[i][j][0] + s.t[i].x + s.t[i].y[j]; g(u); }",
        expect![[r#"
        function f @1
          argument i: integer4
          argument j: integer4
          undeclared u: ?[:, :, :]
          undeclared s: ?
          undeclared s.t.x: ?[:]
          undeclared s.t.y: ?[:, :]
          u[opaque(partial_element), opaque(partial_element), i] := ((u[0, j, i] + s.t.x[i]) + s.t.y[j, i])
          call g(u)
    "#]],
    );
}

#[test]
fn what_has_no_name_is_computed() {
    check(
        "struct s { double x; }; struct s *g(int); void f(int i, double *p, double *q) { p[0] = g(i)->x + (i ? p : q)[i]; }",
        expect![[r#"
            function f @1
              argument i: integer4
              argument p: real8[:]
              argument q: real8[:]
              p[0] := (opaque(computed_base; g(i)) + opaque(computed_base; ((i /= 0) ? p : q), i))
        "#]],
    );
}

#[test]
fn small_structures_are_copied_by_member() {
    check(
        "typedef struct { double re, im; } complex_t;
         #define N 4
         void f(int n, complex_t x[n], complex_t *y, int i) {
           complex_t z = x[i], w = {1.0, z.im};
           y[i] = (complex_t){z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re};
           z = (complex_t){z.im, z.re};
           *y = x[0];
           double d = ((complex_t){z.re + 1.0, z.im}).re;
           y = x;
         }",
        expect![[r#"
            function f @3
              argument n: integer4
              argument x: complex_t[0:(n - 1)]
              argument y: complex_t[:]
              argument i: integer4
              local z: complex_t
              argument x.re: real8[0:(n - 1)]
              argument x.im: real8[0:(n - 1)]
              local z.re: real8
              local z.im: real8
              local w: complex_t
              local w.re: real8
              local w.im: real8
              argument y.re: real8[:]
              argument y.im: real8[:]
              local z.re (new): real8
              local z.im (new): real8
              local d: real8
              z.re := x.re[i]
              z.im := x.im[i]
              w.re := 1.0_8
              w.im := z.im
              y.re[i] := ((z.re * w.re) - (z.im * w.im))
              y.im[i] := ((z.re * w.im) + (z.im * w.re))
              z.re (new) := z.im
              z.im (new) := z.re
              z.re := z.re (new)
              z.im := z.im (new)
              y.re[0] := x.re[0]
              y.im[0] := x.im[0]
              d := (z.re + 1.0_8)
              y := x
        "#]],
    );
}
