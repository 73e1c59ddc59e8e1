//! What a program has unless its input says otherwise: sizes and choices with defaults that it sets itself.

use serde_json::Value;

use crate::small::{c, calls, iterations};

const HEAD: &str = "#include <stdlib.h>
#include <string.h>
typedef struct { int cells; int method; } Inputs;
";

/// A loop over the cells, of one method only.
const REST: &str = "
void run(Inputs in, double *a) { for (int i = 0; i < in.cells; i++) a[i] = 2.0*a[i]; }
void other(double *a) { for (int i = 0; i < 77; i++) a[i] = 3.0*a[i]; }
int main(int argc, char **argv)
{
  Inputs in = read_options(argc, argv);
  double *a = malloc(8 * 1000000);
  if (in.method == 2) other(a); else run(in, a);
}";

/// The report, and how often the loops of `run` and `other` run in all their calls.
fn runs(options: &str) -> (Value, [f64; 2]) {
    let report = c(&format!("{HEAD}{options}{REST}"));
    let all = ["run", "other"].map(|name| calls(&report, name) * iterations(&report, name)[0]);
    (report, all)
}

/// One that is set before anything is read stands for all that conditions set, and words of the command line decide
/// conditions whatever name they are kept under.
#[test]
fn what_is_set_first_is_the_default() {
    let (report, all) = runs(
        "Inputs read_options(int argc, char **argv)
         {
           Inputs in;
           in.cells = 5000;
           in.method = 1;
           for (int i = 1; i < argc; i++) {
             char *word = argv[i];
             if (strcmp(word, \"-n\") == 0) { in.cells = atoi(argv[++i]); }
             else if (strcmp(word, \"-m\") == 0) { in.method = 2; in.cells = 0; }
           }
           return in;
         }",
    );
    assert_eq!(all, [5000.0, 0.0]);
    assert_eq!(report["parameters"]["Inputs_cells"]["detail"], "given");
}

/// A function that is called on demand sets no defaults.
#[test]
fn what_every_run_sets_comes_before_what_options_ask_for() {
    let (report, all) = runs(
        "Inputs set_large(void) { Inputs in; in.cells = 5000; in.method = 1; return in; }
         void set_small(Inputs *in) { in->cells = 50; }
         Inputs read_options(int argc, char **argv)
         {
           Inputs in = set_large();
           for (int i = 1; i < argc; i++) {
             if (strcmp(argv[i], \"-s\") == 0) set_small(&in);
             if (strcmp(argv[i], \"-n\") == 0) in.cells = atoi(argv[++i]);
           }
           return in;
         }",
    );
    assert_eq!(all[0], 5000.0);
    assert_eq!(report["parameters"]["Inputs_cells"]["detail"], "given");
}

/// Two values without a condition: neither is the default, and the larger one is a guess.
#[test]
fn of_two_defaults_the_larger_one_is_guessed() {
    let (report, all) = runs(
        "Inputs read_options(int argc, char **argv)
         {
           Inputs in;
           in.method = 1;
           in.cells = 5000;
           in.cells = 6000;
           if (argc > 1) in.cells = atoi(argv[1]);
           return in;
         }",
    );
    assert_eq!(all[0], 6000.0);
    assert_eq!(report["parameters"]["Inputs_cells"]["origin"], "guessed");
}

/// Small numbers are no placeholders where the program has several.
#[test]
fn of_small_defaults_the_largest_is_guessed() {
    let (report, all) = runs(
        "Inputs read_options(int argc, char **argv)
         {
           Inputs in;
           in.method = 1;
           if (rand() % 2) in.cells = 5;
           else in.cells = 10;
           if (argc > 1) in.cells = atoi(argv[1]);
           return in;
         }",
    );
    assert_eq!(all[0], 10.0);
    assert_eq!(report["parameters"]["Inputs_cells"]["detail"], "given");
}

#[test]
fn a_choice_has_its_other_arm_where_nothing_is_read() {
    let (report, all) = runs(
        "Inputs read_options(int argc, char **argv)
         {
           Inputs in;
           in.method = 1;
           in.cells = argc > 1 ? atoi(argv[1]) : 4000;
           return in;
         }",
    );
    assert_eq!(all[0], 4000.0);
    assert_eq!(report["parameters"]["Inputs_cells"]["detail"], "given");
}

/// A function that reads, or returns what it is passed: each call has a default of its own.
#[test]
fn functions_return_the_defaults_that_they_are_passed() {
    let (report, all) = runs(
        "static int number(int argc, char **argv, const char *name)
         {
           for (int i = 1; i + 1 < argc; i++)
             if (strcmp(argv[i], name) == 0) return atoi(argv[i + 1]);
           return 0;
         }
         static int is_there(int argc, char **argv, const char *name)
         {
           for (int i = 1; i < argc; i++)
             if (strcmp(argv[i], name) == 0) return 1;
           return 0;
         }
         static int number_or(int argc, char **argv, const char *name, int otherwise)
         {
           return is_there(argc, argv, name) ? number(argc, argv, name) : otherwise;
         }
         Inputs read_options(int argc, char **argv)
         {
           Inputs in;
           in.method = number_or(argc, argv, \"-m\", 1);
           in.cells = number_or(argc, argv, \"-n\", 3000);
           return in;
         }",
    );
    assert_eq!(iterations(&report, "run"), [3000.0]);
    assert!(all[0] > 0.0);
    assert_eq!(report["parameters"]["Inputs_cells"]["detail"], "given");
}
