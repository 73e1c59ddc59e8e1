//! Advice against programs in which it is followed by hand, and where it must not be given.

use crate::support::command::{analysed, analysed_text, fixture, loopsheet};
use crate::support::programs::figures_with_inputs_of;
use crate::support::sources;
use loopsheet_analysis as analysis;
use loopsheet_machine::MachineModel;
use loopsheet_model::{AdviceKind, Change, Model, Setting};
use serde_json::Value;

fn run(file: &str, arguments: &[&str]) -> Value {
    analysed(fixture("advice").join(file), arguments)
}

/// All advice of a kind.
fn of_kind<'j>(json: &'j Value, kind: &str) -> Vec<&'j Value> {
    let advice = json["advice"].as_array().expect("a list");
    let is_it = |one: &&Value| one["change"]["kind"] == kind;
    advice.iter().filter(is_it).collect()
}

/// The only one of a kind.
fn only<'j>(json: &'j Value, kind: &str) -> &'j Value {
    match of_kind(json, kind).as_slice() {
        [one] => one,
        other => panic!("{kind}: {other:?}"),
    }
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn seconds(json: &Value) -> f64 {
    number(&json["totals"]["seconds"])
}

#[track_caller]
fn assert_near(value: f64, expected: f64, tolerance: f64) {
    let difference = (value - expected).abs();
    assert!(
        difference <= tolerance * expected.abs(),
        "{value} is not {expected}"
    );
}

/// As exact as sums in another order are.
const ROUNDING: f64 = 1e-12;

/// What advice says of its nests, and what it saves of the whole, fit each other and the totals.
#[track_caller]
fn check_arithmetic(json: &Value, one: &Value) {
    let [before, after, saved] =
        ["seconds_before", "seconds_after", "seconds_saved"].map(|key| number(&one[key]));
    assert_near(saved, before - after, ROUNDING);
    assert_near(number(&one["share"]), saved / seconds(json), ROUNDING);
    assert_near(number(&one["speedup"]), before / after, ROUNDING);
}

#[test]
fn blocks_give_what_the_parameters_give() {
    let files = [
        ("planes.c", "n=1000", "epyc-7763", 1),
        ("update.c", "n=40000", "exasat", 2),
        ("product.c", "n=6000,reorder_sums=1", "xeon-8380", 2),
    ];
    for (file, size, machine, loops) in files {
        let on = ["--machine", machine, "--set", size];
        let json = run(file, &on);
        let advice = only(&json, "block");
        check_arithmetic(&json, advice);
        let blocked = advice["change"]["loops"].as_array().expect("loops");
        assert_eq!(blocked.len(), loops, "{file}");
        let sizes = blocked.iter().map(|one| {
            let name = one["parameter"].as_str().expect("a name");
            format!("{name}={}", one["size"])
        });
        let sizes: Vec<String> = sizes.collect();
        let with = run(file, &[&on[..], &["--set", &sizes.join(",")]].concat());
        let id = &advice["nests"][0]["loop"];
        let functions = with["functions"].as_array().expect("functions");
        let mut nests = functions
            .iter()
            .flat_map(|f| f["nests"].as_array().expect("nests"));
        let nest = nests.find(|nest| nest["loop"] == *id).expect("the nest");
        assert_eq!(
            nest["seconds"], advice["seconds_after"],
            "{file}: {sizes:?}"
        );
    }
}

#[test]
fn blocks_written_by_hand_give_what_advice_says() {
    let json = run("planes.c", &["--set", "n=1000"]);
    let advice = only(&json, "block");
    assert_eq!(advice["change"]["loops"][0]["variable"], "j");
    assert_eq!(advice["legality"], "proven");
    let size = format!("SIZE={}", advice["change"]["loops"][0]["size"]);
    let changed = run("planes_changed.c", &["--set", "n=1000", "-D", &size]);
    // The last block is not whole: the trip count of its loop is a mean.
    assert_near(number(&advice["seconds_after"]), seconds(&changed), 0.02);
}

#[test]
fn interchanged_fused_and_split_programs_take_what_advice_says() {
    let programs = [
        ("columns", "f90", "interchange", "n=6000,m=40000", "proven"),
        ("pair", "c", "fuse", "n=10000000", "proven"),
        ("particles", "c", "split_records", "n=10000000", "check"),
    ];
    for (name, extension, kind, sizes, legality) in programs {
        let json = run(&format!("{name}.{extension}"), &["--set", sizes]);
        let advice = only(&json, kind);
        check_arithmetic(&json, advice);
        assert_eq!(advice["legality"], legality, "{name}");
        let changed = run(&format!("{name}_changed.{extension}"), &["--set", sizes]);
        assert_near(
            number(&advice["seconds_after"]),
            seconds(&changed),
            ROUNDING,
        );
        let saved = number(&json["totals"]["bytes"]) - number(&changed["totals"]["bytes"]);
        assert_near(number(&advice["bytes_saved"]), saved, ROUNDING);
        assert!(of_kind(&changed, kind).is_empty(), "{name}: still {kind}");
    }
    let json = run("particles.c", &["--set", "n=10000000"]);
    let change = &only(&json, "split_records")["change"]["records"][0];
    assert_eq!(
        (&change["elements"], &change["used"]),
        (&8.into(), &2.into())
    );
}

/// What an interchanged nest takes in the core counts, too: a division that becomes no faster, a sum that waits for itself
/// only in one of the orders.
#[test]
fn interchanged_loops_take_what_the_core_takes_for_that_order() {
    let machine = ["--machine", "epyc-7763", "--no-config"];
    let estimate = |outer: &str, inner: &str, body: &str| {
        let text = format!(
            "static double u[200][200], v[200][200], x[200], y[200];
             void f(void) {{
               for (int {outer} = 0; {outer} < 200; {outer}++)
                 for (int {inner} = 0; {inner} < 200; {inner}++)
                   {body};
             }}
             int main(void) {{ f(); return 0; }}"
        );
        analysed_text("f.c", &text, &machine)
    };
    let mut advised = 0;
    for body in [
        "v[i][j] = x[i] / u[i][j]",
        "y[i] += u[i][j] * x[j]",
        "y[i] = y[i] * u[i][j] + x[j]",
        "v[j][i] = sqrt(u[j][i])",
    ] {
        let both = [("i", "j"), ("j", "i")];
        let [one, other] = both.map(|(outer, inner)| estimate(outer, inner, body));
        for (own, changed) in [(&one, &other), (&other, &one)] {
            if let [found] = of_kind(own, "interchange").as_slice() {
                assert_near(number(&found["seconds_after"]), seconds(changed), ROUNDING);
                advised += 1;
            } else {
                // A hundredth is not worth a line.
                assert!(seconds(changed) > 0.98 * seconds(own), "{body}");
            }
        }
    }
    assert!(advised >= 2, "{advised}");
}

#[test]
fn streaming_stores_save_the_fourth_word_of_triad() {
    let json = run("triad.c", &["--set", "n=10000000"]);
    let advice = only(&json, "streaming_stores");
    check_arithmetic(&json, advice);
    assert_eq!(number(&advice["bytes_saved"]), 8e7);
    assert_near(number(&advice["speedup"]), 4.0 / 3.0, 1e-6);
    assert_eq!(advice["change"]["arrays"], serde_json::json!(["a"]));
    // The array stays in a cache, or the machine fetches nothing before it writes.
    for setting in ["n=1000", "n=10000000,cost_w=1"] {
        let json = run("triad.c", &["--set", setting]);
        assert!(of_kind(&json, "streaming_stores").is_empty(), "{setting}");
    }
}

#[test]
fn larger_caches_give_what_such_a_machine_gives() {
    let sizes = "n=6000,m=40000";
    let json = run("columns.f90", &["--set", sizes]);
    let advice = only(&json, "larger_cache");
    check_arithmetic(&json, advice);
    assert_eq!(advice["change"]["level"], "L3");
    let machine = MachineModel::preset("epyc-7763").expect("a preset");
    let twice = |name: &str| format!("{name}={}", 2.0 * machine.get(name).expect("a size"));
    let larger = [twice("l3_bytes"), twice("cache_bytes")].join(",");
    let with = run("columns.f90", &["--set", sizes, "--set", &larger]);
    assert_eq!(with["totals"]["seconds"], advice["seconds_after"]);
}

/// A function of a fixture by itself.
fn alone(file: &str, function: &str, sizes: &str) -> Value {
    let text = std::fs::read_to_string(fixture("advice").join(file)).expect("text");
    let begin = text.find(&format!("{function}(")).expect("the function");
    let begin = text[..begin].rfind('\n').map_or(0, |end| end + 1);
    let end = text[begin..].find("\n}").expect("its end") + begin;
    analysed_text(file, &text[begin..end + 2], &["--set", sizes])
}

/// Sums in another order give what the switch gives; whatever else waits has a bound of what could be gained.
#[test]
fn what_waits_is_advised() {
    let sizes = "n=1000,m=1000";
    let json = alone("waiting.c", "dot", sizes);
    let advice = only(&json, "reorder_sums");
    check_arithmetic(&json, advice);
    assert_eq!(advice["change"]["sums"], serde_json::json!(["s"]));
    assert_eq!(advice["legality"], "check");
    let switched = format!("{sizes},reorder_sums=1");
    let with = alone("waiting.c", "dot", &switched);
    assert_eq!(with["totals"]["seconds"], advice["seconds_after"]);
    assert!(of_kind(&with, "reorder_sums").is_empty());
    // Loops in another order leave the sum in one scalar.
    assert!(of_kind(&json, "interchange").is_empty());
    // The ports are busy for so long, whatever waits.
    let sizes = "n=1000,cores=1";
    let json = alone("waiting.c", "prefix", sizes);
    let advice = only(&json, "independent_work");
    check_arithmetic(&json, advice);
    assert_eq!(advice["change"]["waits"], serde_json::json!(["a"]));
    let nest = &json["functions"][0]["nests"][0];
    let ports = number(&nest["in_core"]["ports_seconds"]);
    assert_near(number(&advice["seconds_after"]), ports, ROUNDING);
    // Columns wait for each other along rows only, and rows for columns and rows.
    let sizes = "n=100,cores=1";
    let json = alone("waiting.c", "rows", sizes);
    assert_eq!(of_kind(&json, "interchange").len(), 1);
    let json = alone("waiting.c", "both", sizes);
    assert!(of_kind(&json, "interchange").is_empty());
}

#[test]
fn what_dependences_forbid_is_not_advised() {
    let sizes = "n=20000,steps=10";
    let json = run("forbidden.c", &["--set", sizes]);
    for kind in ["block", "interchange", "fuse", "split_records"] {
        assert_eq!(of_kind(&json, kind), [&Value::Null; 0], "{kind}");
    }
    // Each by itself has all of the time.
    let nests = "--function";
    for function in ["skewed", "ahead", "sweeps", "read_again"] {
        let json = run("forbidden.c", &["--set", "n=20000", nests, function]);
        for kind in ["block", "interchange", "fuse"] {
            assert!(of_kind(&json, kind).is_empty(), "{function}: {kind}");
        }
    }
}

/// Lines of output come in the order of the loops.
#[test]
fn loops_that_write_text_keep_their_order() {
    let with = |statement: &str| {
        let text = format!(
            "subroutine columns(a, b, n, m)
  integer :: n, m, i, j
  real(8) :: a(n, m), b(n, m)
  do i = 1, n
    do j = 1, m
      a(i, j) = a(i, j) + 2.0d0*b(i, j)
      {statement}
    end do
  end do
end subroutine"
        );
        let sizes = ["--set", "n=6000,m=40000", "--no-config"];
        analysed_text("a.f90", &text, &sizes)
    };
    assert_eq!(of_kind(&with(""), "interchange").len(), 1);
    for statement in ["print *, a(i, j)", "write (10, *) a(i, j)"] {
        for kind in ["interchange", "block", "fuse"] {
            let json = with(statement);
            assert!(of_kind(&json, kind).is_empty(), "{statement}: {kind}");
        }
    }
}

#[test]
fn what_dependences_leave_open_is_to_be_checked() {
    let json = run("sum_of_columns.c", &["--set", "n=100000"]);
    let advice = only(&json, "interchange");
    assert_eq!(advice["legality"], "check");
    assert_eq!(advice["checks"][0]["kind"], "carried_scalar");
    assert_eq!(advice["checks"][0]["scalar"], "sum");
    let json = run("update.c", &["--machine", "exasat", "--set", "n=40000"]);
    let advice = only(&json, "block");
    assert_eq!(advice["checks"][0]["kind"], "split_first");
    assert_eq!(advice["checks"][0]["variable"], "i");
}

#[test]
fn guessed_sizes_are_marked() {
    let arguments = [
        "--set",
        "cache_bytes=8192,l1_bytes=1024,l2_bytes=4096,l3_bytes=65536",
    ];
    let json = run("columns.f90", &arguments);
    let all = json["advice"].as_array().expect("a list");
    assert!(!all.is_empty());
    for one in all {
        assert_eq!(one["guessed"], serde_json::json!(["m", "n"]));
    }
    let known = run("columns.f90", &["--set", "n=6000,m=40000"]);
    assert_eq!(
        only(&known, "interchange")["guessed"],
        serde_json::json!([])
    );
}

#[test]
fn the_console_says_what_helps_or_that_nothing_does() {
    let table = |size: &str| {
        let mut command = loopsheet();
        command.arg("analyze").arg(fixture("advice/triad.c"));
        let output = command.args(["--set", size]).output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    let line =
        "  25.0 %  triad@3: use streaming stores to a: 1.56 ms → 1.17 ms (1.33 ×), −80.0 MB\n";
    let text = table("n=10000000");
    assert!(text.contains(line), "{text}");
    let text = table("n=1000");
    assert!(
        text.contains("advice: no known change saves 1 % of the time\n"),
        "{text}"
    );
}

/// Every figure of the workbook's advice, with the inputs of another model, is what that model says.
#[test]
fn advice_follows_the_inputs() {
    let program = analysis::analyze(&sources::units(&["tests/fixtures/advice"]));
    let model = |sizes: [&str; 6]| {
        let machine = MachineModel::preset("epyc-7763").expect("a preset");
        let names = [
            "planes.n",
            "columns.n",
            "columns.m",
            "pair.n",
            "triad.n",
            "move.n",
        ];
        let settings = names.into_iter().zip(sizes);
        let settings: Vec<Setting> = settings
            .map(|(name, size)| Setting::new(name, size))
            .collect();
        Model::build(&program, machine, &settings).expect("sound")
    };
    let small = model([
        "1000",
        "600",
        "40000",
        "1000000000",
        "300000000",
        "50000000",
    ]);
    let large = model(["900", "700", "50000", "1200000000", "350000000", "60000000"]);
    let mut kinds: Vec<AdviceKind> = Vec::new();
    let values = figures_with_inputs_of(&small, &large);
    for one in &small.advice {
        let same = large.advice.iter().find(|other| {
            let is_same = match (&one.change, &other.change) {
                (Change::Block(a), Change::Block(b)) => a == b,
                (a, b) => a.kind() == b.kind(),
            };
            is_same && one.nests == other.nests
        });
        let Some(same) = same else { continue };
        for (a, b) in [
            (one.figures.before, same.figures.before),
            (one.figures.after, same.figures.after),
            (one.figures.bytes, same.figures.bytes),
        ] {
            assert_near(values[&a], large.figures.value(b), 1e-9);
        }
        kinds.push(one.change.kind());
    }
    kinds.dedup();
    assert!(kinds.len() > 2, "only {kinds:?} in common");
}
