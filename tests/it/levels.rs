//! Cache levels: the formulas of the workbook and the plain numbers are one rule; what goes through
//! caches of every capacity is held against literal enumeration in `level_oracle.rs`.

use crate::support::command::analysed_text;
use crate::support::programs::{self, matrix_multiply, mixed, program, settings, seven_point};
use loopsheet_analysis::facts::Program;
use loopsheet_machine::MachineModel;
use loopsheet_model::{Detail, Model};

fn bytes(
    program: &Program,
    machine: &str,
    pairs: &[(&str, &str)],
    detail: Detail,
) -> Vec<[f64; 3]> {
    let machine = MachineModel::preset(machine).expect("a preset");
    let model = Model::with(program, machine, &settings(pairs), detail).expect("sound settings");
    let caches = model.nests.iter().flat_map(|nest| &nest.levels.caches);
    caches
        .map(|cache| [cache.fetched, cache.written_back, cache.bytes].map(|id| model.value(id)))
        .collect()
}

#[test]
fn formulas_and_numbers_are_one_rule() {
    let star = program(vec![seven_point()]);
    let multiply = program(vec![matrix_multiply()]);
    let cases: [(&Program, &[(&str, &str)]); 6] = [
        (&star, programs::WORKED),
        (&star, &[("hi(1)", "60"), ("hi(2)", "70"), ("hi(3)", "80")]),
        (&star, &[("block_y", "24"), ("hi(1)", "100")]),
        (&multiply, &[("m", "50")]),
        (
            &multiply,
            &[("m", "333"), ("block_x", "32"), ("block_z", "50")],
        ),
        (&mixed(), &[]),
    ];
    for (program, pairs) in cases {
        for machine in ["exasat", "xeon-8380", "a64fx"] {
            let values = bytes(program, machine, pairs, Detail::Values);
            let formulas = bytes(program, machine, pairs, Detail::Formulas);
            assert_eq!(values.len(), formulas.len());
            for (value, formula) in values.iter().flatten().zip(formulas.iter().flatten()) {
                let both_unknown = value.is_nan() && formula.is_nan();
                let close = (value - formula).abs() <= 1e-9 * value.abs().max(1.0);
                assert!(
                    both_unknown || close,
                    "{machine} {pairs:?}: {value} and {formula}"
                );
            }
        }
    }
}

/// The worked example at the head of `src/model/levels/mod.rs`.
#[test]
fn the_worked_example_has_the_figures_that_its_page_says() {
    let star = "void star(int n, double a[n][n], double b[n][n]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i][j] = a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1] + a[i][j];
}
";
    let report = analysed_text(
        "star.c",
        star,
        &["--machine", "xeon-8380", "--set", "n=2000"],
    );
    let nest = &report["functions"][0]["nests"][0];
    let numbers = |rows: &str, keys: [&str; 3]| -> Vec<[u64; 3]> {
        let rows = nest[rows].as_array().expect("a list");
        let number = |row: &serde_json::Value, key: &str| row[key].as_f64().expect("a number");
        let row = |row| keys.map(|key| number(row, key) as u64);
        rows.iter().map(row).collect()
    };
    let reuse = numbers(
        "layer_conditions",
        ["working_set", "fetched_again", "written_back_again"],
    );
    let lines = |lines: u64| lines * 64;
    let expected = [
        [64_000, lines(998_500), 0],
        [272, lines(14_968_017), lines(3_492_504)],
    ];
    assert_eq!(reuse, expected);
    let caches = numbers("caches", ["capacity", "fetched", "written_back"]);
    let expected = [
        [49_152, lines(999_500 + 998_500), lines(499_500)],
        [1_310_720, lines(999_500), lines(499_500)],
    ];
    assert_eq!(caches[..2], expected);
    assert_eq!(
        nest["layer_conditions"][0]["caches"][0]["largest"]["n"],
        1536
    );
}
