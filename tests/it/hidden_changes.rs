//! Sizes that change where no statement names them: through addresses that something has or keeps, in storage that has other
//! names, in procedures without a body. The last loop of each program runs to such a size, which must be marked.

use serde_json::Value;

use crate::small::{analyse, c, fortran, function, iterations};

fn last_reasons<'j>(json: &'j Value, name: &str) -> &'j Vec<Value> {
    let nests = function(json, name)["nests"].as_array().unwrap();
    nests.last().unwrap()["reasons"].as_array().unwrap()
}

#[test]
fn what_addresses_lead_to_is_marked() {
    for (what, source) in MARKED_IN_C {
        assert!(!last_reasons(&c(source), "main").is_empty(), "{what}");
    }
}

#[test]
fn storage_with_other_names_is_marked() {
    for (what, source) in MARKED_IN_FORTRAN {
        assert!(!last_reasons(&fortran(source), "t").is_empty(), "{what}");
    }
}

/// What is only read through an address of constants, what `intent(in)` keeps, and what is known again behind the call.
#[test]
fn what_cannot_change_is_not_marked() {
    let json = c("double a[1000];
int n = 5;
static const int *const known = &n;
int main(void) {
  for (int i = 0; i < n; i++) a[i] += *known;
  return 0;
}
");
    assert!(last_reasons(&json, "main").is_empty());
    let json = fortran(
        "subroutine s(n, x)
  implicit none
  integer, intent(in) :: n
  integer :: i, m
  real(8) :: x(*)
  m = 7
  call other(n, m)
  m = 8
  do i = 1, m
    x(i) = x(i) + 1
  end do
end subroutine
program t
  implicit none
  integer :: n, i
  real(8) :: x(100) = 0
  n = 5
  call s(n, x)
  do i = 1, n
    x(i) = x(i) + 1
  end do
end program
",
    );
    assert!(last_reasons(&json, "s").is_empty());
    assert!(last_reasons(&json, "t").is_empty());
}

/// Of what is defined without a value, what runs use before a statement sets it is zero; an option is no such thing.
#[test]
fn zeros_that_are_used_first_are_marked() {
    let json = c("double a[1000];
int late, nx;
static void other(void) {
  for (int i = 0; i < nx; i++) a[i] += 3;
}
int main(void) {
  if (nx == 0) nx = 10;
  other();
  for (int i = 0; i < late; i++) a[i] += 1;
  late = 18;
  return 0;
}
");
    assert!(!last_reasons(&json, "main").is_empty());
    assert!(last_reasons(&json, "other").is_empty());
    assert_eq!(iterations(&json, "other"), [10.0]);
}

/// What constants keep from running gives no sizes, but where nothing else does.
#[test]
fn calls_that_never_run_give_no_sizes() {
    let json = c("double a[1000];
static void smooth(double *u, int n) {
  for (int i = 0; i < n; i++) u[i] += 1;
}
static void only(double *u, int n) {
  for (int i = 0; i < n; i++) u[i] += 1;
}
int main(void) {
  const int test = 0;
  int n = 7;
  if (test) smooth(a, 1000);
  if (0) { n = 100; only(a, 50); }
  smooth(a, 2);
  for (int i = 0; i < n; i++) a[i] += 1;
  return 0;
}
");
    assert_eq!(iterations(&json, "smooth"), [2.0]);
    assert_eq!(iterations(&json, "only"), [50.0]);
    assert_eq!(iterations(&json, "main"), [7.0]);
    assert!(last_reasons(&json, "smooth").is_empty());
}

/// Each construct has constants of its own.
#[test]
fn blocks_have_constants_of_their_own() {
    let json = fortran(BLOCKS);
    assert_eq!(iterations(&json, "t"), [5.0, 20.0, 3.0]);
}

#[test]
fn elements_begin_with_what_lists_say() {
    assert_eq!(
        iterations(&c(LISTS_OF_C), "main"),
        [5.0, 9.0, 0.0, 4.0, 3.0, 6.0, 0.0, 4.0, 0.0, 13.0, 5.0, 7.0]
    );
    assert_eq!(
        iterations(&fortran(LISTS_OF_FORTRAN), "t"),
        [5.0, 7.0, 15.0, 9.0, 9.0, 17.0, 11.0, 12.0, 14.0, 8.0, 10.0]
    );
}

/// Structures of one type begin with different values; of some only the language says which.
#[test]
fn structures_that_begin_differently_are_marked() {
    let json = c(STRUCTURES);
    let nests = function(&json, "main")["nests"].as_array().unwrap();
    for nest in nests {
        assert!(!nest["reasons"].as_array().unwrap().is_empty(), "{nest}");
    }
}

/// A string fills a member or an array of characters, and what comes behind it is for the next member.
#[test]
fn strings_in_lists_fill_arrays_of_characters() {
    let json = c(STRINGS_IN_LISTS);
    assert_eq!(
        iterations(&json, "main"),
        [100.0, 2000.0, 900.0, 3.0, 17.0, 18.0]
    );
    let json = c("double a[1000];
char d[8] = {\"A\" \"B\"};
int main(void) {
  for (int i = 0; i < d[1]; i++) a[i] += 1;
  return 0;
}
");
    // The value of a character in a string is not followed.
    assert_ne!(iterations(&json, "main"), [0.0]);
}

/// What a list leaves out is zero, not what another structure of the type has.
#[test]
fn members_that_a_list_leaves_out_are_zero() {
    let json = c("double a[1000];
struct P { int n, m; };
const struct P one = {11, 12};
struct P two = {.m = 9};
int main(void) {
  for (int i = 0; i < one.n; i++) a[i] += 1;
  for (int i = 0; i < two.n; i++) a[i] += 1;
  return 0;
}
");
    assert!(!last_reasons(&json, "main").is_empty());
}

/// What statements give one structure is not what another one of the type begins with.
#[test]
fn structures_that_constructors_give_values_are_told_apart_or_marked() {
    for assigned in ["other = t(51)", "other%n = 51"] {
        let json = fortran(&CONSTRUCTORS.replace("ASSIGNED", assigned));
        let nests = function(&json, "p")["nests"].as_array().unwrap();
        for nest in nests {
            assert!(!nest["reasons"].as_array().unwrap().is_empty(), "{nest}");
        }
    }
}

/// What literals pass is among what calls pass, or keeps the rest from being all.
#[test]
fn what_compound_literals_pass_is_not_left_out() {
    for (formal, size, calls) in [
        (
            "struct P p",
            "p.n",
            "f((struct P){5, 6}); struct P x = {.m = 9}; f(x);",
        ),
        (
            "struct P *p",
            "p->n",
            "struct P x = {.m = 9}; f(&x); f(&(struct P){.n = 400});",
        ),
        (
            "struct Q q",
            "q.n",
            "f((struct Q){{0}, 5}); f((struct Q){.n = 6});",
        ),
    ] {
        let json = c(&format!(
            "double a[1000];
struct P {{ int n, m; }};
struct Q {{ int *p[2]; int n; }};
static void f({formal}) {{
  for (int i = 0; i < {size}; i++) a[i] += 1;
}}
int main(void) {{ {calls} return 0; }}
"
        ));
        assert!(!last_reasons(&json, "f").is_empty(), "{calls}");
        assert_ne!(iterations(&json, "f"), [0.0], "{calls}");
    }
    let json = c("double a[1000];
static void f(const int *d) {
  for (int i = 0; i < d[1]; i++) a[i] += 1;
}
int main(void) { f((int[]){5, 6}); int x[2] = {7}; f(x); return 0; }
");
    assert_ne!(iterations(&json, "f"), [0.0]);
}

const CONSTRUCTORS: &str = "module m
  type t
    integer :: n
  end type
  type(t) :: x = t(n=21), w(2) = [t(31), t(41)]
  real(8) :: a(1000)
end module
program p
  use m
  integer :: i
  type(t) :: other
  ASSIGNED
  do i = 1, x%n
    a(i) = 1
  end do
  do i = 1, w(2)%n
    a(i) = 1
  end do
  print *, other%n
end program
";

/// Nothing but the address of another one names the structure that the size is of.
#[test]
fn structures_that_only_addresses_lead_to_are_among_those_of_the_type() {
    for begun in [
        "struct P first = {10, &last};",
        "struct P q = {20, &last}, first = {10, &q};",
    ] {
        let json = c(&format!(
            "double a[10000];
struct P {{ int n; struct P *next; }};
struct P last = {{2000, 0}};
{begun}
int main(void) {{
  for (int i = 0; i < first.n; i++) a[i] += 1;
  for (int i = 0; i < first.next->n; i++) a[i] += 1;
  return 0;
}}
"
        ));
        assert!(!last_reasons(&json, "main").is_empty(), "{begun}");
    }
}

const STRINGS_IN_LISTS: &str = r#"double a[10000];
struct B { char name[8]; int n; };
static const struct B tests[] = {{"small", 100}, {"large", 2000}};
typedef struct { char name[16]; int n, reps; } T;
static const T cfg[3] = {{"S", 100, 5}, {"M", 300, 4}, {"L", 900, 3}};
struct V { int v[2][2]; int k; };
static const struct V flat[2] = {{1, 2, 3, 4, 17}, {.v = {{1}}, 18}};
int main(void) {
  for (int i = 0; i < tests[0].n; i++) a[i] += 1;
  for (int i = 0; i < tests[1].n; i++) a[i] += 1;
  for (int i = 0; i < cfg[2].n; i++) a[i] += 1;
  for (int i = 0; i < cfg[2].reps; i++) a[i] += 1;
  for (int i = 0; i < flat[0].k; i++) a[i] += 1;
  for (int i = 0; i < flat[1].k; i++) a[i] += 1;
  return 0;
}
"#;

const MARKED_IN_C: [(&str, &str); 12] = [
    (
        "a table of addresses",
        r#"double a[1000];
int nx = 5, ny = 7;
int *tab[2] = {&nx, &ny};
static void set(int v) {
  for (int q = 0; q < 2; q++)
    *tab[q] = v;
}
int main(void) {
  set(20);
  for (int i = 0; i < nx; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "an address from the beginning",
        r#"double a[1000];
int nn = 5;
static int *pn = &nn;
int main(void) {
  *pn = 20;
  for (int i = 0; i < nn; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "addresses in a table of structures",
        r#"double a[1000];
struct opt { const char *name; int *to; };
int nx = 5, ny = 7;
static struct opt table[] = {{"nx", &nx}, {"ny", &ny}};
static void set(int k, int v) { *table[k].to = v; }
int main(void) {
  set(0, 20);
  for (int i = 0; i < nx; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "an address behind the first element",
        r#"double a[1000];
int g[3] = {5, 6, 7};
static int *pn = g + 1;
int main(void) {
  pn[0] = 20;
  for (int i = 0; i < g[1]; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "a static address",
        r#"double a[1000];
int main(void) {
  static int nn = 5;
  static int *pn = &nn;
  *pn = 20;
  for (int i = 0; i < nn; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "a table that is passed on",
        r#"double a[1000];
int nx = 5, ny = 7;
int *tab[2] = {&nx, &ny};
static void put(int **t, int v) { *t[0] = v; }
int main(void) {
  put(tab, 20);
  for (int i = 0; i < nx; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "an address that is kept",
        r#"double a[1000];
static int *kept;
static void keep(int *p) { kept = p; }
static void change(int v) { *kept = v; }
int main(void) {
  int n = 5;
  keep(&n);
  change(20);
  for (int i = 0; i < n; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "one that a structure keeps",
        r#"double a[1000];
struct box { int *at; };
static struct box b;
static void keep(struct box *to, int *p) { to->at = p; }
static void change(struct box *of, int v) { *of->at = v; }
int main(void) {
  int n = 5;
  keep(&b, &n);
  change(&b, 20);
  for (int i = 0; i < n; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "one that is returned",
        r#"double a[1000];
static int *same(int *p) { return p; }
int main(void) {
  int n = 5;
  int *q = same(&n);
  *q = 20;
  for (int i = 0; i < n; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "one that is passed on and kept",
        r#"double a[1000];
static int *kept;
static void inner(int *p) { kept = p; }
static void keep(int *p) { inner(p); }
static void change(int v) { *kept = v; }
int main(void) {
  int n = 5;
  keep(&n);
  change(20);
  for (int i = 0; i < n; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "that of a structure",
        r#"double a[1000];
struct grid { int n; };
static struct grid *kept;
static void keep(struct grid *p) { kept = p; }
static void change(int v) { kept->n = v; }
int main(void) {
  struct grid g = {5};
  keep(&g);
  change(20);
  for (int i = 0; i < g.n; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
    (
        "one that an array keeps",
        r#"double a[1000];
static int *kept[2];
static void keep(int at, int *p) { kept[at] = p; }
static void change(int v) { *kept[1] += v; }
int n = 5;
int main(void) {
  keep(1, &n);
  change(20);
  for (int i = 0; i < n; i++)
    a[i] += 1;
  return 0;
}
"#,
    ),
];

const MARKED_IN_FORTRAN: [(&str, &str); 8] = [
    (
        "a procedure without a body in a loop",
        r#"program t
  implicit none
  real(8) :: x(1000) = 0
  integer :: i, j, m
  m = 23
  do j = 1, 3
    x(j) = x(j) + 1
    call chg(m)
  end do
  i = 0
  do while (i < m)
    x(i + 1) = x(i + 1) + 1
    i = i + 1
  end do
  print *, x(1)
end program
"#,
    ),
    (
        "a function without a body",
        r#"program t
  implicit none
  real(8) :: x(1000) = 0
  integer :: i, n, k
  integer, external :: chg
  n = 5
  k = chg(n)
  do i = 1, n
    x(i) = x(i) + 1
  end do
  print *, x(1)
end program
"#,
    ),
    (
        "a pointer to an element",
        r#"program t
  implicit none
  integer, target :: a(5) = (/ 3, 4, 5, 6, 7 /)
  integer, pointer :: p
  real(8) :: x(1000) = 0
  integer :: i
  p => a(3)
  p = 20
  do i = 1, a(3)
    x(i) = x(i) + 1
  end do
  print *, x(1)
end program
"#,
    ),
    (
        "equivalence with an element",
        r#"program t
  implicit none
  integer :: e1, e2(3)
  real(8) :: x(1000) = 0
  integer :: i
  equivalence (e1, e2(2))
  e1 = 5
  e2(2) = 20
  do i = 1, e1
    x(i) = x(i) + 1
  end do
  print *, x(1)
end program
"#,
    ),
    (
        "equivalence over a common block",
        r#"program t
  implicit none
  integer :: e1, e2, e3
  real(8) :: x(1000) = 0
  integer :: i, k
  common /blk/ e1, e2, e3
  integer :: v(3)
  equivalence (v(1), e1)
  e2 = 5
  do k = 1, 3
    v(k) = 20 + k
  end do
  do i = 1, e2
    x(i) = x(i) + 1
  end do
  print *, x(1)
end program
"#,
    ),
    (
        "a common block with other names",
        r#"program t
  implicit none
  integer :: n, m
  real(8) :: x(1000) = 0
  integer :: i
  common /blk/ n, m
  n = 5
  m = 6
  call change
  do i = 1, n
    x(i) = x(i) + 1
  end do
  print *, x(1)
end program
subroutine change
  implicit none
  integer :: k, l
  common /blk/ k, l
  k = 20
end subroutine
"#,
    ),
    (
        "the same with an array",
        r#"program t
  implicit none
  integer :: n, m
  real(8) :: x(1000) = 0
  integer :: i
  common n, m
  n = 5
  m = 6
  call change
  do i = 1, m
    x(i) = x(i) + 1
  end do
  print *, x(1)
end program
subroutine change
  implicit none
  integer :: n(2)
  common n
  n(2) = 20
end subroutine
"#,
    ),
    (
        "a procedure without a body",
        r#"program t
  implicit none
  real(8) :: x(1000) = 0
  integer :: i, n
  external chg
  n = 5
  call chg(n)
  do i = 1, n
    x(i) = x(i) + 1
  end do
  print *, x(1)
end program
"#,
    ),
];

const BLOCKS: &str = "program t
  implicit none
  real(8) :: x(1000) = 0
  integer :: i
  integer, parameter :: n = 3
  block
    integer, parameter :: n = 5, m(2) = [n, 2]
    do i = 1, m(1)
      x(i) = x(i) + 1
    end do
  end block
  block
    integer, parameter :: m(2) = [20, 2]
    do i = 1, m(1)
      x(i) = x(i) + 1
    end do
    do i = 1, n
      x(i) = x(i) + 1
    end do
  end block
  print *, x(1)
end program
";

const LISTS_OF_C: &str = "double a[1000];

int main(void) { int td[4] = {[2] = 5, [1] = 9}, flat[2][3] = {1, 2, 3, 4, 5, 6}, nested[2][3] = {{1, 2}, {4, 5, 6}};
const int ct[3] = {4, 7, 12};
int part[5] = {3, 4};


 int größe = 13;
int ranges[6] = {[1 ... 3] = 7, 5};

  for (int i = 0; i < td[2]; i++) a[i] += 1;
  for (int i = 0; i < td[1]; i++) a[i] += 1;
  for (int i = 0; i < td[0]; i++) a[i] += 1;
  for (int i = 0; i < flat[1][0]; i++) a[i] += 1;
  for (int i = 0; i < flat[0][2]; i++) a[i] += 1;
  for (int i = 0; i < nested[1][2]; i++) a[i] += 1;
  for (int i = 0; i < nested[0][2]; i++) a[i] += 1;
  for (int i = 0; i < part[1]; i++) a[i] += 1;
  for (int i = 0; i < part[3]; i++) a[i] += 1;
  for (int i = 0; i < größe; i++) a[i] += 1;
  for (int i = 0; i < ranges[4]; i++) a[i] += 1;
  for (int i = 0; i < ranges[2]; i++) a[i] += 1;
  return 0;
}
";

const LISTS_OF_FORTRAN: &str = "program t
  implicit none
  integer :: k, l
  integer :: u(-1:1) = (/ 5, 6, 7 /), v(3), w(2,2) = reshape((/ 1, 2, 3, 9 /), (/ 2, 2 /))
  integer :: z(4) = (/ (k * 3, k = 1, 4) /), y(4), q(3) = 11
  integer, parameter :: c(-1:1) = [12, 13, 14], d(2,2) = reshape([1, 2, 3, 8], [2, 2]), e(3) = [(2 * k, k = 4, 6)]
  integer :: i
  real(8) :: x(1000) = 0
  data v(2) /15/, v(1) /3/
  data (y(l), l = 1, 4) /1, 2, 3, 17/
  do i = 1, u(-1)
    x(i) = x(i) + 1
  end do
  do i = 1, u(1)
    x(i) = x(i) + 1
  end do
  do i = 1, v(2)
    x(i) = x(i) + 1
  end do
  do i = 1, w(2,2)
    x(i) = x(i) + 1
  end do
  do i = 1, z(3)
    x(i) = x(i) + 1
  end do
  do i = 1, y(4)
    x(i) = x(i) + 1
  end do
  do i = 1, q(2)
    x(i) = x(i) + 1
  end do
  do i = 1, c(-1)
    x(i) = x(i) + 1
  end do
  do i = 1, c(1)
    x(i) = x(i) + 1
  end do
  do i = 1, d(2,2)
    x(i) = x(i) + 1
  end do
  do i = 1, e(2)
    x(i) = x(i) + 1
  end do
  print *, x(1)
end program
";

const STRUCTURES: &str = "double a[1000];
typedef struct { int n, m; } P;
struct W { P in; int k; };
P q = {3, 4};
P z;
struct W w = {{5, 6}, 7};
int main(void) {
  for (int i = 0; i < w.in.n; i++)
    a[i] += 1;
  for (int i = 0; i < z.n; i++)
    a[i] += 1;
  for (int i = 0; i < q.m; i++)
    a[i] += 1;
  return 0;
}
";

/// A structure whose address a procedure gets is what that makes of it, whatever it begins with.
#[test]
fn a_structure_that_is_passed_has_what_the_procedure_gives_it() {
    let with = |init: &str, call: &str| {
        let json = c(&format!(
            "void setv(void *); double a[100000];
struct ctx {{ int n; int m; }};
static void init(struct ctx *c) {{ c->n = 300; }}
static void all(struct ctx *c) {{ *c = (struct ctx){{300, 400}}; }}
static void deep(struct ctx *c) {{ init(c); }}
static void hands(struct ctx *c) {{ setv(c); }}
int main(void) {{ struct ctx c = {init}; {call}; for (int i = 0; i < c.n; i++) a[i] += 1; }}"
        ));
        (
            iterations(&json, "main"),
            last_reasons(&json, "main").clone(),
        )
    };
    for call in ["init(&c)", "all(&c)", "deep(&c)"] {
        for init in ["{0}", "{10, 20}"] {
            let (found, marks) = with(init, call);
            assert!(
                found == [300.0] || !marks.is_empty(),
                "{init} {call}: {found:?}"
            );
        }
    }
    for call in ["setv(&c)", "hands(&c)"] {
        assert!(!with("{10, 20}", call).1.is_empty(), "{call}");
    }
    // What only gets a copy changes nothing.
    let json = c("
double a[100];
struct ctx { int n; };
static int use(struct ctx c) { c.n = 300; return c.n; }
int main(void) { struct ctx c = {10}; use(c); for (int i = 0; i < c.n; i++) a[i] += 1; }");
    assert_eq!(iterations(&json, "main"), [10.0]);
    assert!(last_reasons(&json, "main").is_empty());
}

/// A host's own variables get values in the procedures that it contains. (gfortran: 11.)
#[test]
fn what_internal_procedures_change_is_marked() {
    let with = |inner: &str| {
        fortran(&format!(
            "program t
 integer :: i, n
 real :: x(100)
 n = 6
 call inner()
 do i = 1, n
  x(i) = x(i) + 1
 end do
contains
 subroutine inner()
  {inner}
 end subroutine
end program
"
        ))
    };
    for value in ["11", "n + 5"] {
        let json = with(&format!("n = {value}"));
        let guessed = json["parameters"]["n"]["origin"] == "guessed";
        assert!(guessed || !last_reasons(&json, "t").is_empty(), "{value}");
    }
    // What they only read stays.
    let json = with("print *, n");
    assert_eq!(iterations(&json, "t"), [6.0]);
    assert!(last_reasons(&json, "t").is_empty());
}

/// Members of a union lie in the same place: the count is 3.
#[test]
fn members_of_unions_change_each_other() {
    for (what, declaration) in [
        ("u", "union { int n; int m; } u"),
        ("u", "struct { int kind; union { int n; int m; }; } u"),
        ("u.v", "struct { int kind; union { int n; int m; } v; } u"),
    ] {
        let json = c(&format!(
            "double a[100];
int main(void) {{
  {declaration};
  {what}.n = 14;
  {what}.m = 3;
  for (int i = 0; i < {what}.n; i++) a[i] += 1;
}}"
        ));
        assert!(!last_reasons(&json, "main").is_empty(), "{declaration}");
    }
    // One of them alone keeps its value, and so does what lies beside an anonymous union.
    let json = c("double a[100];
int main(void) {
  struct { int n; union { int k; double x; }; } u;
  u.n = 14;
  u.k = 3;
  for (int i = 0; i < u.n; i++) a[i] += u.k;
}");
    assert_eq!(iterations(&json, "main"), [14.0]);
    assert!(last_reasons(&json, "main").is_empty());
}

/// A header's `static int n` is a variable of its own in each file that includes it: 5 in `other`, 7 in `main`.
#[test]
fn statics_of_headers_belong_to_each_file() {
    let header = ("h.h", "static int n = 5; extern double a[100];");
    let reading = "#include \"h.h\"\nvoid other(void) { for (int i = 0; i < n; i++) a[i] += 1; }";
    let setting = "#include \"h.h\"
double a[100]; void other(void);
int main(void) { n = 7; other(); for (int i = 0; i < n; i++) a[i] += 1; }";
    let json = analyse(&[header, ("a.c", setting), ("b.c", reading)], &[]);
    assert!(!last_reasons(&json, "other").is_empty());
    // Of one file alone it is one variable.
    let json = analyse(
        &[
            header,
            (
                "a.c",
                &setting.replace("void other(void);", "void other(void) {}"),
            ),
        ],
        &[],
    );
    assert_eq!(iterations(&json, "main"), [7.0]);
    assert!(last_reasons(&json, "main").is_empty());
}

/// Each object has other length parameters, which its declaration gives: neither they nor what has their length is known.
#[test]
fn length_parameters_of_types_are_guessed() {
    let json = fortran(
        "module lengths
  implicit none
  type v(n)
    integer, len :: n = 2
    real :: x(n), y(4)
  end type
end module
subroutine t
  use lengths
  implicit none
  type(v(n=3)) :: a
  integer :: i
  do i = 1, a%n
    a%y(1) = a%y(1) + a%x(i)
  end do
  a%y = 1.0
end subroutine
",
    );
    assert_eq!(json["parameters"]["v_n"]["origin"], "guessed");
    // An extent that is a number stays one.
    assert_eq!(iterations(&json, "t")[1], 4.0);
}
