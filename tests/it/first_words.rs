//! What a first run takes for granted of the command line, of other programs in the tree, and of numbers that come as bytes.

use std::fs;

use crate::small::{c, calls, iterations, run};
use crate::support::command;

/// A program that works on 1,000 numbers a hundred times in `work`.
fn program(main: &str) -> String {
    format!(
        "
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static double a[1000];
static int is_loud;
static void work(const char *name)
{{
    for (int k = 0; k < 100; k++)
        for (int i = 0; i < 1000; i++)
            a[i] += i;
}}
static void show(void)
{{
    for (int i = 0; i < 1000; i++)
        printf(\"%g\\n\", a[i]);
}}
static void usage(void) {{ printf(\"usage\\n\"); }}
int main(int argc, char **argv)
{{
{main}
    return 0;
}}"
    )
}

/// How often `work` is called.
fn works(main: &str) -> f64 {
    calls(&c(&program(main)), "work")
}

#[test]
fn a_program_is_given_the_words_that_it_cannot_do_without() {
    let demanding = "
    if (argc < 2) { fprintf(stderr, \"which file?\\n\"); return 1; }
    for (int i = 1; i < argc; i++) work(argv[i]);";
    assert_eq!(works(demanding), 1.0);
    let three = "
    if (argc != 4) { usage(); exit(1); }
    for (int i = 1; i < argc; i++) work(argv[i]);";
    assert_eq!(works(three), 3.0);
    // Without a word it does nothing, though it does not say so.
    assert_eq!(works("for (int i = 1; i < argc; i++) work(argv[i]);"), 1.0);
    let json = c(&program(demanding));
    let words = &json["parameters"]["argc"];
    assert_eq!(
        (&words["value"], &words["detail"]),
        (&2.into(), &"words".into())
    );
}

#[test]
fn a_program_that_does_without_words_gets_none() {
    let standard = "
    if (argc < 2) work(NULL);
    else for (int i = 1; i < argc; i++) { work(argv[i]); work(argv[i]); }";
    assert_eq!(works(standard), 1.0);
    // An option that asks for more output is not given.
    let json = c(&program(
        "work(NULL); if (argc > 2) show(); if (argc == 4 && a[7] > 0) show();",
    ));
    assert_eq!((calls(&json, "work"), calls(&json, "show")), (1.0, 0.0));
}

/// The number of words is another one behind `argc -= optind`, whatever the branch that asks for it does with it.
#[test]
fn what_is_left_of_the_words_decides_with_what_is_left() {
    let counts_down = "
    argc -= 1;
    if (argc <= 0) work(NULL);
    else while (argc--) { work(*argv++); work(NULL); }";
    assert_eq!(works(counts_down), 1.0);
}

#[test]
fn options_that_end_the_program_are_not_given() {
    let main = "
    int option;
    while ((option = getopt(argc, argv, \"lvh\")) != -1)
        switch (option) {
        case 'l': is_loud = 1; break;
        case 'v': printf(\"1.0\\n\"); exit(0);
        case 'h': usage(); exit(0);
        default: exit(1);
        }
    argc -= optind;
    if (argc <= 0) work(NULL);
    else while (argc--) work(*argv++);";
    assert_eq!(works(main), 1.0);
    let by_hand = "
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], \"-h\")) { usage(); exit(0); }
        if (!strcmp(argv[i], \"-l\")) is_loud = 1;
    }
    work(NULL);";
    assert_eq!(works(by_hand), 1.0);
}

/// What an option is given, a procedure makes of its word: without it, nothing changes.
#[test]
fn options_whose_values_are_computed_are_not_given() {
    let with = |begin: &str, word: &str| {
        format!(
            "
    int option, many = 1;
    {begin}
    while ((option = getopt(argc, argv, \"n:l\")) != -1)
        switch (option) {{
        case 'n': many = strtok(optarg, \",\") ? (int) strlen(optarg) : 2; break;
        case 'l': is_loud = 1; break;
        }}
    {word}
    if (many == 1) work(NULL);
    else show();"
        )
    };
    let counted = |main: &str| {
        let json = c(&program(main));
        (calls(&json, "work"), calls(&json, "show"))
    };
    assert_eq!(counted(&with("", "")), (1.0, 0.0));
    let by_hand = "if (argc > 1 && !strcmp(argv[1], \"-n\")) many = (int) strlen(argv[2]);";
    assert_eq!(counted(&with("", by_hand)), (1.0, 0.0));
    // What the program makes of its own is no option.
    assert_eq!(counted(&with("", "many = getpid() % 2;")).0, 0.5);
    // Nor is what it makes where there is no word.
    let missing = "if (argv[1] == NULL) many = (int) strlen(argv[0]);";
    assert_eq!(counted(&with("", missing)).0, 0.5);
}

/// A width that is put together from bytes is one size, not one of so many times 256.
#[test]
fn numbers_that_come_as_bytes_are_sizes_like_others() {
    let json = c("
#include <stdio.h>
#include <stdlib.h>
struct stream { unsigned char *at; };
static int get8(struct stream *s) { return *s->at++; }
static int get16(struct stream *s) { int high = get8(s); return (high << 8) + get8(s); }
static unsigned get32(struct stream *s) { unsigned high = get16(s); return (high << 16) + get16(s); }
void turn(int width, int height, const float *in, float *out)
{
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            out[i*height + j] = in[j*width + i];
}
int main(void)
{
    unsigned char buffer[4096];
    struct stream s = { buffer };
    fread(buffer, 1, sizeof buffer, stdin);
    int width = get32(&s), height = get32(&s);
    float *in = malloc(sizeof(float)*width*height), *out = malloc(sizeof(float)*width*height);
    fread(in, sizeof(float), (size_t)width*height, stdin);
    turn(width, height, in, out);
    fwrite(out, sizeof(float), (size_t)width*height, stdout);
}");
    assert_eq!(iterations(&json, "turn"), [128.0 * 128.0]);
    // So many blocks of 256 are a number of their own.
    let json = c("
#include <stdio.h>
void clear(int blocks, int rest, float *x)
{
    for (int i = 0; i < blocks*256 + rest; i++) x[i] = 0;
}
float x[100000];
int main(void) { clear(100, 3, x); printf(\"%g\\n\", x[3]); }");
    assert_eq!(iterations(&json, "clear"), [100.0 * 256.0 + 3.0]);
}

#[test]
fn the_example_of_a_library_is_not_of_the_run() {
    let tree = |example: &str| {
        let directory = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
            fs::write(path, text).expect("a file");
        };
        write(
            "library/solve.c",
            "void solve(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 0.5; }",
        );
        write(
            example,
            "
void solve(double *x, int n);
static double y[50];
void many(void) { for (int k = 0; k < 50; k++) y[k] += k; }
int main(void) { for (int t = 0; t < 1000; t++) { many(); solve(y, 50); } }",
        );
        write(
            "main.c",
            "
void solve(double *x, int n);
static double x[400];
int main(void) { for (int t = 0; t < 10; t++) solve(x, 400); }",
        );
        run(directory.path(), &[])
    };
    let json = tree("library/example.c");
    assert_eq!(calls(&json, "solve"), 10.0);
    assert_eq!(iterations(&json, "solve"), [400.0]);
    let codes = |json: &serde_json::Value| {
        let files = json["files"].as_array().expect("files").iter();
        let all = files.flat_map(|file| file["diagnostics"].as_array().expect("remarks"));
        all.filter(|one| one["code"] == "other-program").count()
    };
    assert_eq!(codes(&json), 1);
    // Side by side, either may be meant.
    let json = tree("other.c");
    assert_eq!(calls(&json, "solve"), 1010.0);
    assert_eq!(codes(&json), 0);
}

/// What waits at one of many things is few, as the list that hangs on it is.
#[test]
fn a_list_of_what_a_procedure_is_called_with_is_short() {
    let json = c("
#include <stdlib.h>
struct patient { int id; struct patient *next; };
struct house { struct patient *waiting; double load; };
static struct house all[100];
void treat(struct patient *p) { for (int k = 0; k < 3; k++) p->id += k; }
void drain(struct house *house)
{
    while (house->waiting != NULL) {
        struct patient *p = house->waiting;
        house->waiting = p->next;
        treat(p);
        house->load += 1.0;
    }
}
int main(void) { for (int i = 0; i < 100; i++) drain(&all[i]); }");
    assert_eq!(calls(&json, "treat"), 800.0);
}

/// What a procedure counts down is what calls pass.
#[test]
fn an_argument_that_is_counted_down_begins_as_it_is_passed() {
    let runs = |body: &str| {
        let json = c(&format!(
            "
#include <stdio.h>
static double a[1000];
static void f(int n, double *x) {{ {body} }}
int main(void) {{ f(13, a); f(120, a + 13); printf(\"%g\\n\", a[7]); }}"
        ));
        iterations(&json, "f")
    };
    for body in [
        "for (; n--; x++) *x += 1;",
        "while (n-- > 0) *x++ += 1;",
        "while (n > 0) { x[n] += 1; n--; }",
        "for (; n > 0; n--) x[n] += 1;",
    ] {
        assert_eq!(runs(body), [120.0], "{body}");
    }
    // Where it is counted up, what calls pass is where it begins.
    assert!(runs("while (n < 500) { x[n] += 1; n++; }")[0] > 100.0);
}

/// The table of `analyze` with these settings.
fn table(source: &str, settings: &[&str]) -> std::process::Output {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("a.c"), source).expect("a file");
    let set = settings.iter().flat_map(|set| ["--set", set]);
    let arguments: Vec<&str> = ["analyze", "--no-config", "a.c"]
        .into_iter()
        .chain(set)
        .collect();
    command::loopsheet()
        .current_dir(directory.path())
        .args(arguments)
        .output()
        .expect("a run")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[test]
fn a_name_has_one_value() {
    let source = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }";
    for settings in [&["n=100,n=200"][..], &["n=100", "n=200"]] {
        let output = table(source, settings);
        assert!(!output.status.success());
        let message = text(&output.stderr);
        assert!(message.contains("--set n: given twice"), "{message}");
    }
    assert!(table(source, &["n=100", "n=100"]).status.success());
}

#[test]
fn what_is_set_is_not_called_guessed() {
    let source = "
void f(int n, int m, double *a)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            a[j*n + i] = 0;
}";
    let output = table(source, &["n=0"]);
    let said = text(&output.stdout);
    assert!(!said.contains("at most one iteration"), "{said}");
}

#[test]
fn the_star_is_explained_where_one_is_shown() {
    let star = "* part of this nest";
    let shown = "void f(int n, double *a) { while (a[n] > 1) { a[n] *= 0.5; n += 3; } }";
    assert!(text(&table(shown, &[]).stdout).contains(star));
    // The nest with the star takes no time to speak of.
    let hidden = "
static double x[3000][3000], y[8];
int main(void)
{
    for (int k = 0; k < 100; k++)
        for (int j = 0; j < 3000; j++)
            for (int i = 0; i < 3000; i++)
                x[j][i] = x[j][i]*0.5 + 1.0;
    int n = 0;
    while (y[n] > 1.0) { y[n] *= 0.5; n++; }
}";
    let output = table(hidden, &[]);
    let said = text(&output.stdout);
    assert!(
        !said.contains(star) && said.contains("1 nest that the table leaves out is"),
        "{said}"
    );
}
