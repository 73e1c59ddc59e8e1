//! Cache levels: the formulas of the workbook and the plain numbers are one rule; what goes through
//! caches of every capacity is held against literal enumeration in `level_oracle.rs`.

use crate::support::programs::{self, matrix_multiply, mixed, program, settings, seven_point};
use loopsheet::analysis::facts::Program;
use loopsheet::machine::MachineModel;
use loopsheet::model::{Detail, Model};

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
