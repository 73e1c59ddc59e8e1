//! A comparison made by hand, for the tests of what shows it: the matrix multiplication of `programs` beside a run.

use loopsheet_compare::{
    Apart, Cause, Comparison, Direction, FunctionShare, NestComparison, Object, Operation,
    Quantity, Reason, Row, State, Suggestion, Unjoined,
};
use loopsheet_metrics::formulas::EdagFigure;
use loopsheet_model::{Model, NestModel};

/// Iterations of the run.
pub const DONE: f64 = 1e6;

/// The nest of the matrix multiplication.
pub fn nest<'a>(model: &'a Model) -> &'a NestModel<'a> {
    model
        .nests
        .iter()
        .find(|nest| nest.nest.head().id.starts_with("matmul"))
        .expect("it is there")
}

/// Its iterations; a quantity that agrees, one that the model has no formula for, one that only the run has. `text` is
/// wherever a name or a sentence can be.
pub fn comparison(model: &Model, text: &str) -> Comparison {
    let row = |quantity: Quantity,
               predicted: Option<f64>,
               traced: Option<f64>,
               reason: Option<&str>| Row {
        quantity,
        predicted,
        traced,
        ratio: predicted
            .zip(traced)
            .map(|(predicted, traced)| traced / predicted),
        state: State::Differs,
        repeated: None,
        reason: reason.map(str::to_string),
        reasons: vec![Reason {
            code: Cause::Unexplained,
            amount: 1.0,
        }],
        unsure: None,
    };
    let head = nest(model).nest.head();
    let iterations = model.value(nest(model).iterations);
    let nobody = Object::Arrays {
        names: vec!["nobody".into()],
        range: None,
    };
    let rows = vec![
        row(
            Quantity::Iterations,
            Some(iterations),
            Some(DONE),
            Some(text),
        ),
        row(
            Quantity::Operations(Operation::Adds),
            Some(1.0),
            Some(1.0),
            None,
        ),
        row(
            Quantity::Object(Direction::Load, nobody),
            Some(12.0),
            Some(24.0),
            None,
        ),
        row(
            Quantity::Edag(EdagFigure::MemoryDepth),
            None,
            Some(7.0),
            None,
        ),
    ];
    Comparison {
        machine: "xeon-8380".into(),
        trace: text.into(),
        run_end: None,
        instructions: 1000,
        joined_share: 0.75,
        functions: vec![FunctionShare {
            name: text.into(),
            instructions: 800,
            joined: 600,
        }],
        nests: vec![NestComparison {
            id: head.id.clone(),
            function: "matmul".into(),
            file: head.file.to_string(),
            line: head.line,
            instructions: 750,
            rows,
        }],
        not_executed: vec![text.into()],
        unjoined: vec![Unjoined {
            what: text.into(),
            instructions: 200,
            reason: Apart::UnknownFile,
        }],
        parameters: vec![Suggestion {
            parameter: "m".into(),
            value: Some(64.0),
            fits: 50.0,
            seen_in: vec![text.into()],
            is_probability: false,
            is_mean: false,
            is_trip_count: false,
            is_of_sums: false,
        }],
        notes: vec![text.into()],
    }
}
