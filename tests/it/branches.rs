//! Branches of which one runs, counted by hand.

use serde_json::json;

use crate::small::{accesses, c, calls, fortran, function};

/// Accesses of one array in all iterations of the nests of a function, weighted by how often branches are taken.
fn weighted(json: &serde_json::Value, name: &str, way: &str) -> f64 {
    let nests = function(json, name)["nests"].as_array().expect("nests");
    nests
        .iter()
        .map(|nest| nest[way].as_f64().expect("a number"))
        .sum()
}

#[test]
fn one_arm_of_an_arithmetic_if_runs() {
    let json = fortran(
        "      subroutine arithmetic(x, a, n)
      real(8) x(n), a(n)
      do 40 i = 1, n
      if (x(i)) 31, 32, 33
   31 a(i) = sin(x(i))
      go to 40
   32 a(i) = cos(x(i))
      go to 40
   33 a(i) = exp(x(i))
   40 continue
      end subroutine
      subroutine computed(k, x, a, n)
      integer k(n)
      real(8) x(n), a(n)
      do 40 i = 1, n
      go to (31, 32, 33), k(i)
      a(i) = tan(x(i))
      go to 40
   31 a(i) = sin(x(i))
      go to 40
   32 a(i) = cos(x(i))
      go to 40
   33 a(i) = exp(x(i))
   40 continue
      end subroutine",
    );
    assert_eq!(weighted(&json, "arithmetic", "specials"), 128.0);
    assert_eq!(weighted(&json, "computed", "specials"), 128.0);
}

#[test]
fn subjects_are_evaluated_once() {
    let json = c("void s(int *k, double *a, int n) {
          for (int i = 0; i < n; i++)
            switch (k[i]) { case 0: a[i] = 0; break; case 1: a[i] = 1; break; case 2: a[i] = 2; break; default: a[i] = 3; }
        }
        #include <math.h>
        void on(int *k, double *a, int n) {
          for (int i = 0; i < n; i++)
            switch (k[i]) { case 0: a[i] = sin(a[i]); case 1: a[i] = cos(a[i]); case 2: a[i] = exp(a[i]); }
        }");
    assert_eq!(accesses(&json, "s", "k"), [1, 0]);
    assert_eq!(accesses(&json, "on", "k"), [1, 0]);
    // The group in half of the iterations; of these all run the last arm, half the second, half of those the first.
    assert_eq!(weighted(&json, "on", "specials"), 64.0 + 32.0 + 16.0);
    let json = fortran(
        "subroutine s(k, a, n)
           integer k(n)
           real(8) a(n)
           do i = 1, n
             select case (k(i))
             case (0)
               a(i) = 0
             case (1, 4)
               a(i) = 1
             case (2:3)
               a(i) = 2
             case default
               a(i) = 3
             end select
           end do
         end subroutine",
    );
    assert_eq!(accesses(&json, "s", "k"), [1, 0]);
}

#[test]
fn arguments_of_statement_functions_are_evaluated_once() {
    let json = fortran(
        "      subroutine s(x, y, n)
      real(8) x(n), y(n), f, t
      f(t) = t*t + t
      do i = 1, n
      x(i) = f(exp(y(i)))
      end do
      end subroutine",
    );
    assert_eq!(weighted(&json, "s", "specials"), 128.0);
    // A product, a sum and the function.
    assert_eq!(weighted(&json, "s", "flops"), 3.0 * 128.0);
    assert_eq!(accesses(&json, "s", "y"), [1, 0]);
}

/// One is made, a call or not: GCC takes both and chooses only with `-ffast-math`. A condition that loops decide says how often.
#[test]
fn one_of_two_calls_to_choose_from_is_made() {
    let json = c("#include <math.h>
        void calls(int k, double *w, double *o, int n) {
          for (int i = 0; i < n; i++) o[i] = k ? exp(w[i]) : log(w[i]);
        }
        void sums(int k, double *w, double *o, int n) {
          for (int i = 0; i < n; i++) o[i] = k ? w[i] + 1 : w[i] * 2;
        }
        void larger(double *w, double *o, int n) {
          for (int i = 0; i < n; i++) o[i] = fabs(w[i]) > fabs(o[i]) ? fabs(w[i]) : fabs(o[i]);
        }
        void first(double *w, double *o) {
          for (int i = 0; i < 128; i++) o[i] = i == 0 ? 0 : w[i - 1] * 2 + 1;
        }
        void sign(double *w, double *o, int n) {
          for (int i = 0; i < n; i++) o[i] = w[i] > 0 ? 1 : w[i] < 0 ? -1 : 0;
        }");
    assert_eq!(weighted(&json, "calls", "specials"), 128.0);
    assert_eq!(weighted(&json, "sums", "flops"), 128.0);
    assert_eq!(weighted(&json, "first", "flops"), 127.0 * 2.0);
    // Numbers without work of their own are no branch.
    let branches = &function(&json, "sign")["loops"][0]["branches"];
    assert_eq!(branches.as_array().map_or(0, Vec::len), 0);
    assert_eq!(accesses(&json, "larger", "w"), [1, 0]);
}

/// What a condition before has left over decides how often the next one holds.
#[test]
fn chains_ask_for_what_is_left() {
    let json = c("void thirds(int n, double *a) {
          for (int k = 0; k < 300; k++) {
            if (k % 3 == 0) a[k] = a[k] + 1;
            else if (k % 3 == 1) a[k] = a[k] * 2 + 1;
            else a[k] = 1 / a[k] / 3 + 2;
          }
        }
        void within(const int *key, double *a) {
          for (int i = 0; i < 100; i++) {
            int k = key[i];
            if (k >= 3 && k < 10) {
              a[i] = a[i] + 1;
              if (k < 12) a[i] = a[i] + 1;
              if (k > 9) a[i] = a[i] + 1;
              if (k != 2) a[i] = a[i] + 1;
            }
          }
        }
        double fmod(double, double);
        void outputs(double *a) {
          int every = 10;
          for (int step = 0; step < 100; step++) {
            if (fmod(step, every) == 0) a[step] = a[step] + 1;
            if (fmod(step, 4) == 0.0) a[step] = a[step] + 1;
          }
        }
        void bits(const int *key, double *a) {
          for (int i = 0; i < 100; i++) {
            int k = key[i];
            if ((k & 1) == 1) a[i] = a[i] + 1;
            else if ((k | 1) == 4) a[i] = a[i] * 2 + 1;
          }
        }");
    assert_eq!(weighted(&json, "thirds", "flops"), 100.0 + 200.0 + 300.0);
    assert_eq!(weighted(&json, "within", "flops"), 50.0 * 3.0);
    // `fmod` is a special each time.
    assert_eq!(weighted(&json, "outputs", "flops"), 200.0 + 10.0 + 25.0);
    // Two conditions that say nothing of each other.
    assert_eq!(weighted(&json, "bits", "flops"), 50.0 + 25.0 * 2.0);
    let json = fortran(
        "subroutine thirds(a)
           real(8) a(300)
           do k = 1, 300
             if (mod(k, 3) == 0) then
               a(k) = a(k) + 1
             else if (mod(k, 3) == 1) then
               a(k) = a(k)*2 + 1
             else
               if (mod(k, 3) == 0) a(k) = 1/a(k)
               a(k) = 1/a(k)/3 + 2
             end if
           end do
         end subroutine",
    );
    assert_eq!(weighted(&json, "thirds", "flops"), 100.0 + 200.0 + 300.0);
}

#[test]
fn a_loop_of_jumps_with_two_ways_back_is_one_loop() {
    // Each way advances the index by one: one element an iteration, whether the last jump leads out or past the other way.
    let json = fortran(
        "      subroutine jumps(a, n)
      integer n, i
      real(8) a(n)
      i = 1
   10 if (a(i) .gt. 0d0) go to 30
      a(i) = a(i) + 1d0
      i = i + 1
      if (i .le. n) go to 10
      go to 40
   30 a(i) = a(i) * 3d0
      i = i + 1
      if (i .le. n) go to 10
   40 return
      end
      subroutine returns(a, n)
      integer n, i
      real(8) a(n)
      i = 1
   10 if (a(i) .gt. 0d0) go to 30
      a(i) = a(i) + 1d0
      i = i + 1
      if (i .le. n) go to 10
      return
   30 a(i) = a(i) * 3d0
      i = i + 1
      if (i .le. n) go to 10
      end",
    );
    for name in ["jumps", "returns"] {
        let facts = &function(&json, name)["loops"][0];
        let subscript = facts["arrays"][0]["subscripts"][0]
            .as_str()
            .expect("a subscript");
        assert!(subscript.starts_with("iteration@"), "{name}: {subscript}");
        assert_eq!(facts["flops"]["adds"], 1, "{name}");
        let conditions = facts["branches"].as_array().expect("branches").iter();
        let written = conditions.filter(|branch| {
            branch["condition"]
                .as_str()
                .is_some_and(|c| c.contains("go to"))
        });
        assert_eq!(written.count(), 0, "{name}");
    }
}

#[test]
fn comparisons_of_characters_are_written_as_in_the_source() {
    let json = fortran(
        "subroutine s(name, a)
  character(8) :: name
  real(8) :: a(100)
  integer :: i
  do i = 1, 100
    if (name == 'hot') a(i) = 1.0d0
  end do
end subroutine",
    );
    let branches = function(&json, "s")["loops"][0]["branches"].clone();
    let conditions: Vec<&str> = branches
        .as_array()
        .expect("branches")
        .iter()
        .map(|branch| branch["condition"].as_str().expect("a condition"))
        .collect();
    assert_eq!(conditions, ["name == \"hot\""]);
    let json = c("void s(const char *mode, char c, double *a) {
  for (int i = 0; i < 100; i++) {
    if (c == 'x') a[i] = 1.0;
    if (mode[0] != '\\n') a[i] += 1.0;
  }
}");
    let branches = function(&json, "s")["loops"][0]["branches"].clone();
    let conditions: Vec<&str> = branches
        .as_array()
        .expect("branches")
        .iter()
        .map(|branch| branch["condition"].as_str().expect("a condition"))
        .collect();
    // Characters of C are numbers.
    assert_eq!(conditions, ["c == 120", "mode[0] != 10"]);
}

/// Numbers that change from one iteration to the next say which plane of an array is meant, and decide something else each time.
#[test]
fn numbers_that_take_turns_decide_nothing_for_good() {
    let shares = |step: &str| {
        let json = c(&format!(
            "
double s, u[3][64];
void g(void) {{ for (int q = 0; q < 3; q++) s += 1.5; }}
void h(void) {{ for (int q = 0; q < 3; q++) s += 2.5; }}
int main(void) {{
    int a = 1, b = 2, t;
    for (int it = 0; it < 20; it++) {{
        if (a == 1)
            g();
        else
            h();
        for (int q = 0; q < 64; q++)
            u[a][q] = s;
        {step}
    }}
    return 0;
}}"
        ));
        ["g", "h"].map(|name| calls(&json, name))
    };
    for step in ["a = 3 - a;", "t = a; a = b; b = t;"] {
        assert_eq!(shares(step), [10.0, 10.0], "{step}");
    }
    let json = c("
double u[20][20];
void sweep(void) {
    int from = 1;
    for (int j = 1; j < 19; j++) {
        for (int i = from + 1; i < 19; i += 2)
            u[j][i] += 1.5;
        from = 3 - from;
    }
}");
    let reasons = &function(&json, "sweep")["nests"][0]["reasons"];
    assert_eq!(reasons, &json!(["approximate_trip_count"]));
}
