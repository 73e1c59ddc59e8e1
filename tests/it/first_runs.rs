//! What first runs on programs of others had got wrong, as small programs; figures by hand.

use serde_json::{Value, json};

use crate::small::{analyse, c, calls, fortran, function, iterations};

/// Why the figures of a function's first nest are not exact.
fn reasons<'j>(json: &'j Value, name: &str) -> &'j Value {
    &function(json, name)["nests"][0]["reasons"]
}

/// The nests of a loop over steps with output once in so many, by what is asked.
fn stepped(asks: &str) -> Vec<f64> {
    let source = format!(
        "
program p
  integer :: n, most
  n = 150
  most = 30000
  call run(n, most)
contains
  subroutine run(n, most)
    integer, intent(in) :: n, most
    integer :: step, i, begin
    real :: a(n)
    step = 0
    begin = 100
    do while (step < most)
      step = step + 1
      a = a + 1.0
      if ({asks}) then
        do i = 1, n
          a(i) = a(i)*2.0
        end do
      end if
    end do
    print *, a
  end subroutine
end program"
    );
    iterations(&fortran(&source), "run")
}

#[test]
fn a_period_may_be_computed() {
    let runs = |asks: &str, iterations: f64| {
        let nests = stepped(asks);
        let is_it = |nest: &f64| (nest - iterations).abs() < 1e-6;
        assert!(nests.iter().any(is_it), "{asks}: {nests:?}");
    };
    // 30,000 steps, once in 1,500.
    runs("mod(step, 10*n) == 0", 20.0 * 150.0);
    // The other part is taken to hold.
    runs("step > begin .and. mod(step, 10*n) == 0", 20.0 * 150.0);
    runs("mod(step, n) == 0 .and. a(1) > 0", 200.0 * 150.0);
}

/// One that loops count is none.
#[test]
fn what_changes_in_loops_is_no_period() {
    let json = fortran(
        "
program p
  integer :: i, j
  real :: a(1000) = 1.0
  do j = 1, 1000
    do i = 1, 1000
      if (a(i) > 0.5 .and. mod(i, 2*j) == 0) a(i) = a(i) + sqrt(a(j))
    end do
  end do
  print *, a
end program",
    );
    let branches = json["parameters"].as_object().expect("parameters").iter();
    let probability = branches.filter(|(name, _)| name.starts_with("prob_"));
    let values: Vec<f64> = probability
        .map(|(_, value)| value["value"].as_f64().expect("a number"))
        .collect();
    assert_eq!(values, [0.5]);
}

#[test]
fn a_size_that_many_loops_of_a_nest_share_is_small() {
    let nest = |loops: usize| {
        let names = ["i", "j", "k", "l", "m", "n", "o", "q"];
        let begin: String = names[..loops]
            .iter()
            .map(|name| format!("do {name} = 1, size\n"))
            .collect();
        let end = "end do\n".repeat(loops);
        let source = format!(
            "
program p
  integer :: size, i, j, k, l, m, n, o, q
  real :: s
  read *, size
  s = 0
  {begin}
    s = s + 1.0/(i + j + k)
  {end}
  print *, s
end program"
        );
        iterations(&fortran(&source), "p")[0]
    };
    assert_eq!(nest(3), 128f64.powi(3));
    assert_eq!(nest(4), 128f64.powi(4));
    // The whole numbers below the roots of 5e8.
    assert_eq!(nest(5), 54f64.powi(5));
    assert_eq!(nest(8), 12f64.powi(8));
}

/// Runs of a loop over what a procedure has read, where it returns if that is nothing.
fn read_there(head: &str, returns: &str) -> f64 {
    let source = format!(
        "
#include <stdio.h>
#include <stdlib.h>
{head} input(int *steps, char **argv)
{{
    *steps = (int)strtol(argv[1], NULL, 10);
    if (*steps == 0) {{
        printf(\"none\\n\");
        {returns};
    }}
    printf(\"%d steps\\n\", *steps);
    return{};
}}
int main(int argc, char **argv)
{{
    int steps = 0;
    double a[50];
    input(&steps, argv);
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < 50; i++)
            a[i] += t;
    printf(\"%g\\n\", a[7]);
    return 0;
}}",
        if head == "int" { " 1" } else { "" }
    );
    iterations(&c(&source), "main")[0]
}

#[test]
fn what_its_reader_hands_back_as_missing_is_given() {
    assert_eq!(read_there("int", "return 0"), 128.0 * 50.0);
    // It may be fine that there are none.
    assert_eq!(read_there("void", "return"), 0.0);
}

/// The nests of a procedure that gets arrays which another one allocates.
fn allocated(declared: &str, before: &str) -> f64 {
    let source = format!(
        "
program p
  integer :: n
  {declared}
  {before}
  call make(x, n)
  call use_all(x)
contains
  subroutine make(x, n)
    real, allocatable, intent(inout) :: x(:, :)
    integer, intent(out) :: n
    n = 1000
    if (.not. allocated(x)) allocate (x(3, n))
    x = 1.0
  end subroutine
  subroutine use_all(x)
    real, intent(inout) :: x(:, :)
    x = x + 2.0
  end subroutine
end program"
    );
    iterations(&fortran(&source), "use_all")[0]
}

#[test]
fn an_array_has_the_extents_that_a_called_procedure_allocates() {
    let declared = "real, allocatable :: x(:, :)";
    assert_eq!(allocated(declared, ""), 3000.0);
    // Its own come first.
    assert_eq!(allocated(declared, "allocate (x(5, 7))"), 35.0);
    let anew = |intent: &str, condition: &str| {
        let source = format!(
            "
program p
  real, allocatable :: x(:)
  allocate (x(5))
  call make(x)
  call use_all(x)
contains
  subroutine make(x)
    real, allocatable, intent({intent}) :: x(:)
    if ({condition}) deallocate (x)
    if (.not. allocated(x)) allocate (x(9))
    x = 1.0
  end subroutine
  subroutine use_all(x)
    real, intent(inout) :: x(:)
    x = x + 2.0
  end subroutine
end program"
        );
        let json = fortran(&source);
        let marks = reasons(&json, "use_all").clone();
        (iterations(&json, "use_all")[0], marks)
    };
    let several = json!(["several_sizes"]);
    assert_eq!(anew("inout", ".false."), (9.0, several.clone()));
    assert_eq!(anew("out", "allocated(x)"), (9.0, several));
}

#[test]
fn what_all_elements_are_given_is_how_far_loops_over_one_go() {
    let scored = |other: &str| {
        let source = format!(
            "
#include <stdio.h>
#include <stdlib.h>
struct one {{ int *genes; int length; }};
static void score(struct one *all, int count, double *sum)
{{
    for (int i = 0; i < count; i++) {{
        double s = 0;
        for (int j = 0; j < all[i].length; j++)
            s += all[i].genes[j];
        sum[i] = s;
    }}
}}
int main(void)
{{
    int n = 300;
    struct one *all = calloc(n, sizeof *all);
    double *sum = calloc(n, sizeof *sum);
    for (int i = 0; i < n; i++) {{
        all[i].genes = calloc(n, sizeof(int));
        all[i].length = n;
        {other}
    }}
    score(all, n, sum);
    printf(\"%g\\n\", sum[n - 1]);
    return 0;
}}"
        );
        let json = c(&source);
        let trips = json["parameters"].as_object().expect("parameters").iter();
        let mut trips = trips.filter(|(name, _)| name.starts_with("trip_score"));
        let (_, trips) = trips.next().expect("a trip count");
        assert_eq!(trips["origin"], "guessed");
        iterations(&json, "score")[0]
    };
    assert_eq!(scored(""), 300.0 * 300.0);
    // Which one an element has is not known.
    assert_eq!(scored("if (i % 2) all[i].length = 7;"), 300.0 * 8.0);
    assert_eq!(scored("all[rand() % n].length++;"), 300.0 * 8.0);
}

/// Which of several statements has allocated an array the caller does not know: the longest is taken, with a mark.
#[test]
fn arrays_that_several_statements_allocate_are_the_longest() {
    let program = |otherwise: &str| {
        let json = fortran(&format!(
            "
program p
  real, allocatable :: a(:)
  integer :: i
  call make(a, 3)
  do i = 1, size(a)
    a(i) = a(i) + 1.0
  end do
contains
  subroutine make(a, n)
    real, allocatable, intent(out) :: a(:)
    integer, intent(in) :: n
    if (n > 1) then
      allocate (a(n))
    {otherwise}
    end if
  end subroutine
end program"
        ));
        (iterations(&json, "p"), reasons(&json, "p").clone())
    };
    assert_eq!(program(""), (vec![3.0], json!([])));
    let otherwise = "else\n      allocate (a(10*n))";
    let several = json!(["several_sizes"]);
    assert_eq!(program(otherwise), (vec![30.0], several));
}

/// A table of 64 numbers is filled again when all of them are used, and a buffer written when it is full.
#[test]
fn what_a_counter_has_used_up_is_filled_again_once_in_so_many_times() {
    let filled = |condition: &str, first: &str, other: &str| {
        let json = c(&format!(
            "
#include <stdio.h>
static unsigned words[64];
static int next = 64;
static void use(unsigned *to)
{{
    if ({condition}) {{
        for (int k = 0; k < 64; k++)
            words[k] = words[k] * 1664525u + 1013904223u;
        next = {first};
    }}
    {other}
    *to += words[next++];
}}
int main(void)
{{
    static unsigned sums[1000];
    for (int i = 0; i < 1000; i++) use(&sums[i]);
    printf(\"%u\\n\", sums[7]);
    return 0;
}}"
        ));
        iterations(&json, "use")[0]
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
    near(filled("next >= 64", "0", ""), 1.0);
    near(filled("next > 63", "0", ""), 1.0);
    near(filled("64 <= next", "32", ""), 2.0);
    // It moves on in other ways, too: nothing is known.
    near(filled("next >= 64", "0", "if (*to > 9) next += 3;"), 32.0);
}

/// Steps of a time are many, but for those of a part of a step; what repeats something inside of two loops that do is short,
/// also where calls lead there, but for those that no run makes.
#[test]
fn steps_of_a_time_are_many_and_what_they_repeat_is_short() {
    let program = |before: &str, inside: &str, behind: &str, others: &str| {
        format!(
            "
extern double residual(void), limit(void), next(void);
double a[100], t, dt, end, s;
void smooth(void) {{ for (int i = 0; i < 100; i++) a[i] *= 0.5; }}
void solve(void) {{ while (residual() > 1) smooth(); }}
void part(void) {{ while (limit() > 1) solve(); }}
{others}
int main(void)
{{
    {before}
        {inside}
    {behind}
    return 0;
}}"
        )
    };
    let smooth = |before: &str, inside: &str, behind: &str, others: &str| {
        calls(&c(&program(before, inside, behind, others)), "smooth")
    };
    let stepped = "while (t < end) { t += dt;";
    assert_eq!(smooth(stepped, "smooth();", "}", ""), 1024.0);
    assert_eq!(
        smooth(
            "for (;;) { t = t + dt;",
            "smooth();",
            "if (t >= end) break; }",
            ""
        ),
        1024.0
    );
    // Its steps are other numbers, or its end moves: it is any loop that repeats something.
    assert_eq!(
        smooth("while (t < end) { t = next();", "smooth();", "}", ""),
        128.0
    );
    assert_eq!(
        smooth(
            "while (t < end) { t += dt; end = next();",
            "smooth();",
            "}",
            ""
        ),
        128.0
    );
    // It is inside of another one.
    let inside = "for (int k = 0; k < 10; k++) { t = 0; while (t < end) { t += dt;";
    assert_eq!(smooth(inside, "smooth();", "} }", ""), 1280.0);
    // Of solvers, the first level is as long as without anything around, the second is not.
    assert_eq!(smooth(stepped, "solve();", "}", ""), 1024.0 * 128.0);
    assert_eq!(smooth(stepped, "part();", "}", ""), 1024.0 * 128.0 * 8.0);
    let uncalled = "void other(void) { solve(); }";
    assert_eq!(
        smooth(stepped, "part();", "}", uncalled),
        1024.0 * 128.0 * 8.0
    );
}

/// How long a row is, nothing says that is known of the table's elements: also where an argument says which row it is.
#[test]
fn rows_of_a_table_are_data_wherever_their_number_comes_from() {
    let rows = |bounds: &str| {
        let json = c(&format!(
            "
#include <stdlib.h>
struct matrix {{ int n, *p, *i; double *x; }};
static double apply(const struct matrix *v, int i, double *x)
{{
    double sum = 0;
    int k, *first = v->p, *column = v->i;
    for (k = {bounds}; k++) sum += v->x[k]*x[column[k]];
    return sum;
}}
int main(void)
{{
    struct matrix v;
    int j, n = 1000;
    double *x = calloc(n, 8), s = 0;
    v.n = n;
    v.p = malloc((n + 1)*4);
    v.i = malloc(8*n*4);
    v.x = malloc(8*n*8);
    v.p[0] = 0;
    for (j = 0; j < n; j++) v.p[j + 1] = v.p[j] + rand() % 16;
    for (j = 0; j < n; j++) s += apply(&v, j, x);
    return s > 1;
}}"
        ));
        (calls(&json, "apply"), iterations(&json, "apply"))
    };
    assert_eq!(rows("first[i]; k < first[i + 1]"), (1000.0, vec![8.0]));
    assert_eq!(
        rows("first[i] + 1; k <= first[i + 1] - 1"),
        (1000.0, vec![8.0])
    );
    assert_eq!(rows("v->p[i]; k < v->p[i + 1]"), (1000.0, vec![8.0]));
}

/// Output at times that steps come to is rare.
#[test]
fn times_that_steps_come_to_are_rare() {
    let written = |before: &str, asks: &str, behind: &str| {
        let json = fortran(&format!(
            "
program p
  real(8) :: a(100), t, dt, every, next
  integer :: step, i
  read *, dt, every
  a = 0
  t = 0
  next = every
  do step = 1, 1280
    t = t + dt
    a = a + t
    {before}
    if ({asks}) then
      do i = 1, 100
        a(i) = a(i)*0.5d0
      end do
      {behind}
    end if
  end do
  print *, a
end program"
        ));
        let found = iterations(&json, "p");
        let is_rare = |nest: &f64| (nest - 10.0 * 100.0).abs() < 1e-6;
        found.iter().any(is_rare)
    };
    assert!(written("", "mod(t, every) < dt", ""));
    assert!(written("", "t >= next", "next = next + every"));
    assert!(written("", "t > next", "next = t + every"));
    // The end of a period lies between two times.
    assert!(written("", "mod(t - dt, every) > mod(t, every)", ""));
    assert!(written("", "mod(t + dt, every) < mod(t, every)", ""));
    assert!(written("", "int(t/every) > int((t - dt)/every)", ""));
    assert!(written("", "int(t/every) /= int((t - dt)/every)", ""));
    assert!(written("", "floor((t + dt)/every) > floor(t/every)", ""));
    assert!(written(
        "",
        "every > 0 .and. mod(t - dt, every) > mod(t, every)",
        ""
    ));
    // It does not, or these are two periods.
    assert!(!written("", "mod(t - dt, every) < mod(t, every)", ""));
    assert!(!written("", "mod(t - dt, every) > mod(t, dt)", ""));
    assert!(!written("", "int(t/every) < int((t - dt)/every)", ""));
    // The period changes, or nothing is set.
    assert!(!written("every = every*2", "mod(t, every) < dt", ""));
    assert!(!written("", "t >= next", ""));
}

/// What is drawn again is mostly taken at once; what goes through something is not.
#[test]
fn loops_that_try_again_run_twice() {
    let drawn = |body: &str| {
        let json = c(&format!(
            "
#include <stdio.h>
#include <stdlib.h>
static double a[1000];
static long draw(long top)
{{
    long r = 0, n = 0;
    {body}
    return r % top + n;
}}
int main(void)
{{
    for (int i = 0; i < 1000; i++) a[i] += draw(i + 5);
    printf(\"%g\\n\", a[3]);
    return 0;
}}"
        ));
        let trips = json["parameters"].as_object().expect("parameters").iter();
        let mut trips = trips.filter(|(name, _)| name.starts_with("trip_draw"));
        trips.next().expect("a trip count").1["value"].as_f64()
    };
    assert_eq!(drawn("do { r = lrand48(); } while (r >= top);"), Some(2.0));
    assert_eq!(
        drawn("while (1) { r = lrand48(); if (r < 99 * top) break; }"),
        Some(2.0)
    );
    // It counts, or goes up to an end.
    assert_ne!(drawn("do { r += lrand48(); } while (r < top);"), Some(2.0));
    assert_ne!(drawn("do { r = lrand48(); } while (r != top);"), Some(2.0));
}

/// Of loops that repeat others until something happens, those inside are not as long as the outermost.
#[test]
fn repetitions_inside_repetitions_are_short() {
    let json = c("
#include <stdio.h>
double a[1000], left;
int done(void);
int main(void)
{
    while (!done()) {
        while (left > 1e-9) {
            left = 0;
            for (int i = 0; i < 1000; i++) left += a[i] *= 0.5;
        }
    }
    printf(\"%g\\n\", left);
    return 0;
}");
    let parameters = json["parameters"].as_object().expect("parameters").iter();
    let trips = parameters.filter(|(name, _)| name.starts_with("trip_main"));
    let trips: Vec<f64> = trips
        .filter_map(|(_, trip)| trip["value"].as_f64())
        .collect();
    assert_eq!(trips, [128.0, 8.0]);
}

/// A range begins at an element of a table that is shuffled: nothing is known of it, and the loop runs.
#[test]
fn ranges_that_begin_at_the_largest_of_several_numbers_run() {
    let json = c("
#include <stdio.h>
#include <stdlib.h>
static void pairs(double *x, int a, int n)
{
    for (int i = a + 1; i < n; i++) x[i] += x[a];
}
int main(void)
{
    int n = 500;
    double *x = calloc(n, sizeof *x);
    int *order = calloc(n, sizeof *order);
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = 0; i < n; i++) {
        int other = rand() % n, kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (int i = 0; i < n; i++) pairs(x, order[i], n);
    printf(\"%g\\n\", x[7]);
    return 0;
}");
    assert!(iterations(&json, "pairs")[0] > 100.0);
}

/// A procedure that negates its argument to say that something is wrong leaves it the size that is passed.
#[test]
fn sizes_that_a_procedure_may_negate_come_from_outside() {
    let json = fortran(
        "
subroutine prepare(n, m, x)
  integer :: n, m
  real(8) :: x(40)
  m = n/2
  if (x(1) > 3) n = -abs(n)
end subroutine
subroutine solve(n, x)
  integer :: n, m, i
  real(8) :: x(40)
  call prepare(n, m, x)
  do i = 1, m
    x(i) = x(i) + 1
  end do
end subroutine
program p
  real(8) :: x(40) = 1
  integer :: n
  n = 20
  call solve(n, x)
  print *, x
end program",
    );
    assert_eq!(iterations(&json, "solve"), [10.0]);
}

/// The library compares n·⌈log₂ n⌉ pairs to sort, and ⌈log₂ n⌉ to find one.
#[test]
fn libraries_call_what_they_are_given_as_often_as_they_compare() {
    let json = c("
#include <stdlib.h>
double a[1000], w[64];
int compare(const void *x, const void *y) {
  double s = 0;
  for (int i = 0; i < 64; i++) s += w[i];
  double p = *(const double *)x + s, q = *(const double *)y;
  return (p > q) - (p < q);
}
int main(void) {
  for (int t = 0; t < 5; t++) qsort(a, 1000, sizeof *a, compare);
  double *p = bsearch(&a[3], a, 1000, sizeof *a, compare);
  return p != a;
}
");
    let nest = &function(&json, "compare")["nests"][0];
    assert_eq!(nest["calls"], 5.0 * 1000.0 * 10.0 + 10.0);
    let reasons = nest["calls_reasons"].to_string();
    assert!(reasons.contains("approximate_trip_count"), "{reasons}");
}

/// Loops that run once where a condition holds, at the end of a main program of C.
fn written_if(declared: &str, given: &str, condition: &str) -> f64 {
    let source = format!(
        "
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct options {{ char *file; int verbose; }};
static double a[1000];
static struct fixed {{ char *file; int verbose; }} fixed;
static void parse(int argc, char **argv, struct options *to)
{{
    for (int i = 1; i < argc; i++) {{
        if (strcmp(argv[i], \"-v\") == 0) to->verbose = 1;
        else if (strcmp(argv[i], \"-f\") == 0) to->file = argv[++i];
    }}
}}
static void results(void)
{{
    for (int i = 0; i < 1000; i++) a[i] = 2*a[i];
}}
int main(int argc, char **argv)
{{
    int c;
    {declared}
    {given}
    if ({condition}) results();
    printf(\"%g\\n\", a[7]);
    return 0;
}}"
    );
    let json = c(&source);
    calls(&json, "results")
}

/// Pointers that only options set lead nowhere in a run without any.
#[test]
fn pointers_that_only_options_set_lead_nowhere() {
    let opened = "if (argc > 3) out = fopen(argv[3], \"w\");";
    assert_eq!(written_if("FILE *out = NULL;", opened, "out"), 0.0);
    assert_eq!(written_if("FILE *out = NULL;", opened, "!out"), 1.0);
    assert_eq!(written_if("FILE *out = NULL;", opened, "out == NULL"), 1.0);
    let named = "while ((c = getopt(argc, argv, \"o:\")) != -1)
        switch (c) { case 'o': name = optarg; break; default: return 1; }";
    assert_eq!(written_if("char *name = 0;", named, "name != NULL"), 0.0);
    // Something else may set it.
    let measured = "if (a[3] > 0.5) name = \"positive\";";
    assert_eq!(written_if("char *name = 0;", measured, "name"), 0.5);
    let always = "out = stdout;";
    assert_ne!(written_if("FILE *out = NULL;", always, "out"), 0.0);
}

/// So do members of structures that their lists leave out or begin with nothing, and switches in them are off.
#[test]
fn members_that_only_options_set_are_off() {
    let parsed = "parse(argc, argv, &o);";
    for list in ["{NULL, 0}", "{0}", "{.verbose = 0}"] {
        let declared = format!("struct options o = {list};");
        assert_eq!(written_if(&declared, parsed, "o.verbose"), 0.0, "{list}");
        assert_eq!(written_if(&declared, parsed, "o.file"), 0.0, "{list}");
    }
    assert_eq!(written_if("", "", "fixed.verbose"), 0.0);
    assert_eq!(written_if("", "", "fixed.file"), 0.0);
}

/// Loops that run once where a condition of Fortran holds.
fn fortran_if(condition: &str) -> f64 {
    let source = format!(
        "
program p
  implicit none
  character(len=80) :: file = '', mode = '', made = ''
  logical :: verbose = .false.
  real :: a(1000) = 1.0
  integer :: words
  words = command_argument_count()
  if (command_argument_count() > 0) call get_command_argument(1, file)
  if (words > 1) then
    call get_command_argument(2, mode)
    if (mode == 'v') verbose = .true.
  end if
  if (a(3) > 0.5) made = 'made'
  if ({condition}) call results(a)
  print *, a(7)
contains
  subroutine results(a)
    real, intent(inout) :: a(1000)
    integer :: i
    do i = 1, 1000
      a(i) = 2*a(i)
    end do
  end subroutine
end program"
    );
    calls(&fortran(&source), "results")
}

#[test]
fn texts_and_switches_that_only_the_command_line_sets_are_empty_and_off() {
    assert_eq!(fortran_if("file /= ''"), 0.0);
    assert_eq!(fortran_if("file == ' '"), 1.0);
    assert_eq!(fortran_if("len_trim(file) > 0"), 0.0);
    assert_eq!(fortran_if("trim(file) /= ''"), 0.0);
    assert_eq!(fortran_if("verbose"), 0.0);
    assert_eq!(fortran_if("command_argument_count() >= 1"), 0.0);
    assert_eq!(fortran_if("words == 0"), 1.0);
    // Data may set it.
    assert_eq!(fortran_if("made /= ''"), 0.5);
}

/// What all calls pass decides whether an arithmetic if goes the way of negative values, and another where the rest goes
/// one way.
#[test]
fn an_arithmetic_if_goes_the_way_that_its_value_decides() {
    let source = |stride: &str, labels: &str| {
        format!(
            "
      program p
      real a(1000), b(1000)
      integer i
      do 10 i = 1, 1000
        a(i) = i
10    continue
      call move(500, a, {stride}, b, {stride})
      print *, b(1)
      end
      subroutine move(n, x, incx, y, incy)
      integer n, incx, incy, i, ix
      real x(*), y(*)
      if (incx-1) {labels}
5     ix = 1
      do 15 i = 1, n
        y(ix) = x(ix)
        ix = ix + incx
15    continue
      return
20    do 30 i = 1, n
        y(i) = 2*x(i)
30    continue
      return
60    do 70 i = 1, n*incx, incx
        y(i) = 3*x(i)
70    continue
      return
      end"
        )
    };
    let of = |stride: &str, labels: &str| {
        let json = analyse(&[("a.f", &source(stride, labels))], &[]);
        iterations(&json, "move")
    };
    assert_eq!(of("1", "5,20,20"), [0.0, 500.0, 0.0]);
    assert_eq!(of("1", "5,20,60")[0], 0.0);
}

/// A function of the program that looks for an option, or else gives back its last argument.
#[test]
fn functions_that_read_options_give_back_their_defaults() {
    let json = c("
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int option(int argc, char **argv, const char *key, int other)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], key) == 0) return atoi(argv[i + 1]);
    return other;
}
int main(int argc, char **argv)
{
    int n = option(argc, argv, \"-n\", 700);
    int steps = option(argc, argv, \"-m\", 30);
    int prints = option(argc, argv, \"-v\", 0);
    double *a = malloc(n * sizeof(double)), s = 0;
    for (int k = 0; k < steps; k++)
        for (int i = 0; i < n; i++) s += a[i];
    if (prints) for (int i = 0; i < n; i++) s += a[i];
    printf(\"%g\\n\", s);
    return 0;
}");
    assert_eq!(iterations(&json, "main"), [21_000.0, 0.0]);
}

/// How many pairs a row has is the difference of two elements of an array that a counter fills: not of one with itself.
#[test]
fn differences_of_elements_are_not_nothing() {
    let json = fortran(
        "
program p
  implicit none
  integer :: ends(0:100), near(10000), i, k, count, pairs
  real :: x(100), s
  x = 1.0
  call pair_up(ends, near, x)
  s = 0
  do i = 1, 99
    count = ends(i) - ends(i - 1)
    if (count > 0) then
      do k = 1, count
        pairs = pairs + 1
        s = s + x(near(k))
      end do
    end if
  end do
  print *, s
contains
  subroutine pair_up(ends, near, x)
    integer, intent(out) :: ends(0:100), near(10000)
    real, intent(in) :: x(100)
    integer :: i, j, n
    n = 0
    ends(0) = 0
    do i = 1, 99
      do j = i + 1, 100
        if (x(i)*x(j) > 0.5) then
          n = n + 1
          near(n) = j
        end if
      end do
      ends(i) = n
    end do
  end subroutine
end program",
    );
    let found = iterations(&json, "p");
    assert!(
        found.iter().all(|iterations| *iterations > 0.0),
        "{found:?}"
    );
}

/// A number that a procedure counts up for its caller is no option, whatever it was set to before.
#[test]
fn what_a_procedure_counts_for_its_caller_is_no_option() {
    let json = fortran(
        "
program p
  implicit none
  integer :: found, i
  real :: x(1000)
  found = 0
  do i = 1, 1000
    x(i) = i
  end do
  call search(x, found)
  if (found /= 0) call results(x)
  print *, x(1)
contains
  subroutine search(x, found)
    real, intent(in) :: x(1000)
    integer, intent(inout) :: found
    integer :: i
    do i = 1, 1000
      if (x(i)*x(i) > 500.0) found = found + 1
    end do
  end subroutine
  subroutine results(x)
    real, intent(inout) :: x(1000)
    integer :: i
    do i = 1, 1000
      x(i) = 2*x(i)
    end do
  end subroutine
end program",
    );
    assert!(calls(&json, "results") > 0.0);
}

/// A list that hangs on one of many cells is short, also where something is called for each of its members.
#[test]
fn lists_of_one_of_many_are_short() {
    let walk = |begin: &str| {
        let json = c(&format!(
            "
#include <math.h>
struct edge {{ double length; struct edge *next; }};
struct cell {{ struct edge *edges; }};
static double of(double x) {{ return sqrt(x) + 1; }}
double around(struct cell *cell, struct edge *all)
{{
    double sum = 0;
    struct edge *e = {begin};
    while (e) {{ sum += of(e->length); e = e->next; }}
    return sum;
}}"
        ));
        iterations(&json, "around")
    };
    assert_eq!(walk("cell->edges"), [8.0]);
    assert_eq!(walk("all"), [128.0]);
    let copied =
        "cell->edges; struct edge *least = e; while (least->next) least = least->next; e = least";
    assert_eq!(walk(copied), [8.0, 8.0]);
    let smallest = "cell->edges, *least = e; if (e && e->length < 3) least = e; e = least";
    assert_eq!(walk(smallest), [8.0]);
}

/// How long a list is does not depend on what is done with its members.
#[test]
fn lists_of_all_there_are_have_one_length() {
    let json = c("
#include <stdio.h>
struct node { double v; struct node *next; };
double sum(struct node *p) { double s = 0; while (p) { s += p->v; p = p->next; } return s; }
int count(struct node *p) { int n = 0; while (p) { n++; p = p->next; } return n; }
void scale(struct node *p, double a) { for (; p; p = p->next) p->v *= a; }
void show(struct node *p) { while (p != NULL) { printf(\"%g\\n\", p->v); p = p->next; } }
struct node *find(struct node *p, double v) { while (p && p->v != v) p = p->next; return p; }
struct node *last(struct node *p) { while (p->next) p = p->next; return p; }
");
    for name in ["sum", "count", "scale", "show", "find", "last"] {
        assert_eq!(iterations(&json, name), [128.0], "{name}");
    }
}

/// A time from which, to which and by how much is known says how many steps there are.
#[test]
fn steps_of_a_known_time_are_known() {
    let steps = |begin: &str, test: &str, step: &str| {
        let directory = tempfile::tempdir().expect("a directory");
        let source = format!(
            "
program p
  real(8) :: dt, tend, t, x(10)
  integer :: i
  open (1, file = 'd.dat')
  read (1, *) dt, tend
  t = {begin}
  do while ({test})
    do i = 1, 10
      x(i) = x(i) + dt
    end do
    {step}
  end do
  print *, x
end program"
        );
        std::fs::write(directory.path().join("a.f90"), source).expect("a file");
        std::fs::write(directory.path().join("d.dat"), "0.01 0.4\n").expect("a file");
        iterations(&crate::small::run(directory.path(), &[]), "p")[0]
    };
    assert_eq!(steps("0", "t < tend", "t = t + dt"), 400.0);
    assert_eq!(steps("0.2", "t < tend", "t = t + dt"), 200.0);
    // Forty times 0.01 is more than 0.4, as it is added up.
    assert_eq!(steps("0", "t <= tend", "t = dt + t"), 400.0);
    assert_eq!(steps("0", "tend > t", "t = t + 0.1d0"), 40.0);
    // The step is another one each time.
    assert_eq!(steps("0", "t < tend", "dt = x(1); t = t + dt"), 10240.0);
}

/// The largest of each of two numbers that every call passes others of does not say how far apart they are.
#[test]
fn ranges_between_what_calls_pass_are_not_empty() {
    let json = fortran(
        "
real(8) function between(first, last, x)
  integer :: first, last, k
  real(8) :: x(200)
  between = 0
  do k = first + 1, last - 1
    between = between + x(k)
  end do
end function
program p
  integer :: j, first, reach
  real(8) :: x(200), total, between
  read *, x
  total = 0
  reach = 1
  do j = 1, 200
    if (x(j) > 0.1) reach = reach + 1
  end do
  if (x(1) > 0) then
    do j = 1, 200
      first = min(j + reach, 200)
      total = total + between(j, first, x)
    end do
  else
    do j = 200, 1, -1
      first = max(j - reach, 1)
      total = total + between(first, j, x)
    end do
  end if
  print *, total
end program",
    );
    assert_eq!(iterations(&json, "between"), [100.0]);
    let parameter = &json["parameters"]["trip_between_6"];
    assert_eq!(parameter["origin"], "guessed", "{parameter}");
}

/// Lists that begin empty and that a procedure lengthens have a length that nothing says, not none.
#[test]
fn what_is_allocated_without_elements_gets_some() {
    let json = fortran(
        "
module m
  type list
    integer, allocatable :: v(:)
  end type
contains
  subroutine add(v, j)
    integer, allocatable, intent(inout) :: v(:)
    integer, intent(in) :: j
    integer, allocatable :: w(:)
    integer :: n
    n = size(v)
    allocate(w(n+1))
    w(1:n) = v
    w(n+1) = j
    call move_alloc(w, v)
  end subroutine
  subroutine walk(near, n, x)
    integer, intent(in) :: n
    type(list), allocatable :: near(:)
    real :: x(n)
    integer :: i, k
    do i = 1, n
      do k = 1, size(near(i)%v)
        x(i) = x(i) + near(i)%v(k)
      end do
    end do
  end subroutine
end module
program p
  use m
  type(list), allocatable :: near(:)
  real :: x(100)
  integer :: i, j
  allocate(near(100))
  do i = 1, 100
    allocate(near(i)%v(0))
    do j = 1, 100
      if (mod(i*j, 7) == 3) call add(near(i)%v, j)
    end do
  end do
  x = 0
  call walk(near, 100, x)
  print *, x(3)
end program",
    );
    assert!(iterations(&json, "walk")[0] > 100.0);
}

/// A search that halves what is left takes as many steps as the whole can be halved.
#[test]
fn searches_halve_what_is_left() {
    let steps = |begin: &str, test: &str, body: &str| {
        let json = c(&format!(
            "
int find(const double *x, double wanted)
{{
    int low = 0, high = {begin}, middle, length = high - low;
    while ({test}) {{ {body} }}
    return low;
}}"
        ));
        iterations(&json, "find")[0]
    };
    let halves = "middle = low + length/2; if (x[middle] > wanted) high = middle; else low = middle; \
                  length = high - low;";
    assert_eq!(steps("1000000", "length > 1", halves), 20.0);
    let ends = "middle = (low + high) >> 1; if (x[middle] == wanted) return middle; \
                if (x[middle] > wanted) { high = middle - 1; } else { low = middle + 1; }";
    assert_eq!(steps("1023", "low <= high", ends), 10.0);
    // It goes on by one.
    let walk = "middle = low + 1; if (x[middle] > wanted) high = middle; else low = middle;";
    assert_eq!(steps("1023", "low < high - 1", walk), 8.0);
}
