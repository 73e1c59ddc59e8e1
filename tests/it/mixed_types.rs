//! Random small programs of C with arithmetic of mixed types and narrow variables of loops: what the C compiler's program
//! counts is what `analyze` says, or the count is marked.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::Value;

use crate::random_programs::Random;
use crate::small::{c, function, iterations};
use crate::support::tools::printed;

const PROGRAMS: u64 = 150;
/// A loop that runs longer is taken for one that does not end.
const LONGEST: f64 = 100_000.0;

const NARROW: [&str; 4] = ["unsigned char", "signed char", "short", "unsigned short"];
const WIDE: [&str; 3] = ["unsigned", "long", "unsigned long"];
const LITERALS: [&str; 14] = [
    "0", "1", "3", "7", "20", "100", "300", "40000", "70000", "-3", "5u", "9L", "6ul", "0x2f",
];

/// Variables so far; those of narrow types first in what they may be made into without leaving `int`.
#[derive(Default)]
struct Variables {
    narrow: Vec<String>,
    all: Vec<String>,
}

/// An expression. Of narrow operands alone, `int` holds it.
fn expression(random: &mut Random, from: &[String], depth: u32) -> String {
    let operand = |random: &mut Random| match from.len() {
        0 => random.pick(&LITERALS).to_string(),
        _ if random.below(3) == 0 => random.pick(&LITERALS).to_string(),
        length => from[random.below(length as u64) as usize].clone(),
    };
    if depth == 0 || random.below(3) == 0 {
        return operand(random);
    }
    let left = expression(random, from, depth - 1);
    match random.below(6) {
        0 | 1 => format!("({left} + {})", operand(random)),
        2 => format!("({left} - {})", operand(random)),
        3 => format!("({left} / {})", random.pick(&["3", "4u", "7L"])),
        4 => format!("({left} % {})", random.pick(&["3", "4u", "10ul"])),
        _ => format!("({left} & {})", random.pick(&["7", "15", "63"])),
    }
}

/// The statements of a program, but for the body of the loop.
fn statements(random: &mut Random) -> String {
    let mut variables = Variables::default();
    let mut text = String::new();
    for number in 0..2 + random.below(3) {
        let name = format!("v{number}");
        let (ty, value) = match random.below(5) {
            0 | 1 => (random.pick(&NARROW), expression(random, &variables.all, 2)),
            2 => ("int", expression(random, &variables.narrow, 2)),
            _ => (random.pick(&WIDE), expression(random, &variables.all, 2)),
        };
        if NARROW.contains(&ty) {
            variables.narrow.push(name.clone());
        }
        variables.all.push(name.clone());
        let _ = writeln!(text, "  {ty} {name} = {value};");
    }
    let ty = random.pick(&[
        "int",
        "int",
        "unsigned char",
        "signed char",
        "short",
        "unsigned",
        "unsigned long",
    ]);
    let end = expression(random, &variables.all, 1);
    let first = random.pick(&["0", "0", "1", "-3"]);
    let sign = random.pick(&["<", "<="]);
    let step = random.pick(&["i++", "i++", "i += 3", "i += 7", "i += 100"]);
    let _ = write!(text, "  for ({ty} i = {first}; i {sign} {end}; {step})");
    text
}

/// How often the loops of the programs run.
fn counted(programs: &[String]) -> Vec<f64> {
    let directory = tempfile::tempdir().expect("a directory");
    let mut text = "#include <stdio.h>\n".to_string();
    for (number, program) in programs.iter().enumerate() {
        let _ = writeln!(
            text,
            "static void p{number}(void) {{\n  long n = 0;\n{program} if (++n > {LONGEST}) break;\n  printf(\"%ld\\n\", n);\n}}"
        );
    }
    let calls: Vec<String> = (0..programs.len()).map(|n| format!("p{n}();")).collect();
    let _ = writeln!(text, "int main(void) {{ {} return 0; }}", calls.join(" "));
    let (source, made) = (directory.path().join("all.c"), directory.path().join("all"));
    std::fs::write(&source, text).expect("a file");
    printed(
        Command::new("cc")
            .args(["-w", "-O0", "-fwrapv", "-o"])
            .args([&made, &source]),
    );
    let counts = printed(&mut Command::new(&made));
    counts
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect()
}

/// What is said of the loop of a program, and whether that is marked.
fn said(json: &Value) -> (f64, bool) {
    let parameters = json["parameters"].as_object().expect("parameters");
    let is_guess = parameters.values().any(|one| one["origin"] == "guessed");
    let reasons = function(json, "main")["nests"][0]["reasons"].as_array();
    let is_marked = is_guess || !reasons.expect("reasons").is_empty();
    (iterations(json, "main")[0], is_marked)
}

#[test]
fn what_mixed_types_make_of_numbers_is_exact_or_marked() {
    let mut random = Random::new(7);
    let programs: Vec<String> = (0..PROGRAMS).map(|_| statements(&mut random)).collect();
    let mut exact = 0;
    for (program, count) in programs.iter().zip(counted(&programs)) {
        let source = format!("double t;\nint main(void) {{\n{program} t += 1;\n  return 0;\n}}\n");
        let (found, is_marked) = said(&c(&source));
        let is_right = found == count || count > LONGEST && found > LONGEST;
        assert!(is_right || is_marked, "{found} for {count} of\n{source}");
        exact += u64::from(is_right && !is_marked);
    }
    assert!(exact > PROGRAMS / 2, "{exact} of {PROGRAMS} are exact");
}
