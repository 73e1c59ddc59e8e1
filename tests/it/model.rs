//! The static model against the worked figures of its specification.

use crate::support::programs::{WORKED, matrix_multiply, mixed, model, program, seven_point};
use loopsheet_analysis::coverage::gaps;
use loopsheet_expr::{Comparison, Expr, FigureId};
use loopsheet_model::{Model, StaticFigure};

fn values(model: &Model, ids: &[FigureId]) -> Vec<f64> {
    ids.iter().map(|id| model.value(*id)).collect()
}

#[test]
fn the_seven_point_star() {
    let program = program(vec![seven_point()]);
    let model = model(&program, "exasat", WORKED);
    assert_eq!(model.nests.len(), 1);
    let nest = &model.nests[0];
    let star = &nest.streams[0];
    assert_eq!(model.value(star.elements[3]), 53_760.0, "F(S)");
    assert_eq!(model.value(nest.blocks), 64.0);
    assert_eq!(
        values(&model, &star.groups),
        [7.0, 5.0, 3.0],
        "cells, pencils, planes"
    );
    let traffic = values(&model, &nest.traffic.scenarios);
    assert_eq!(
        traffic,
        [150_994_944.0, 125_829_120.0, 94_371_840.0, 61_079_552.0]
    );
    assert_eq!(
        values(&model, &nest.working_sets.naive.levels),
        [64.0, 832.0, 9472.0],
        "cell, pencil, plane"
    );
    assert_eq!(model.value(nest.traffic.actual), 61_079_552.0);
    assert_eq!(
        values(
            &model,
            &[
                nest.operations.iteration.adds,
                nest.operations.iteration.multiplies
            ]
        ),
        [6.0, 2.0]
    );
    assert_eq!(model.value(nest.operations.flops), 16_777_216.0);
    let (cpu, dram) = (nest.time.cpu, nest.time.levels[0].seconds);
    assert!((model.value(cpu) / 1.638_4e-6 - 1.0).abs() < 1e-12);
    assert!((model.value(dram) / 5.9648e-5 - 1.0).abs() < 1e-12);
    assert_eq!(model.value(nest.time.seconds), model.value(dram));
    assert_eq!(
        nest.time.bound_names()[model.value(nest.time.bound) as usize - 1],
        "DRAM"
    );
}

#[test]
fn totals_and_shares_are_sums_over_the_nests() {
    let program = mixed();
    let model = model(&program, "xeon-8380", &[]);
    let sum: f64 = model
        .nests
        .iter()
        .map(|nest| model.value(nest.time.seconds))
        .sum();
    assert_eq!(model.value(model.totals.seconds), sum);
    let nests = 0..model.nests.len();
    let shares = nests.filter_map(|nest| Some(model.value(model.ranking.of(nest)?.share)));
    let shares: f64 = shares.sum();
    assert!((shares - 1.0).abs() < 1e-12);
}

#[test]
fn a_parameter_follows_the_one_that_defines_it() {
    let program = program(vec![matrix_multiply()]);
    let model = model(&program, "exasat", &[("m", "50")]);
    assert_eq!(model.value(model.nests[0].iterations), 1e6);
    assert_eq!(model.value(model.nests[0].operations.flops), 2e6);
}

#[test]
fn loops_that_are_not_understood_are_listed_with_their_reasons() {
    let program = mixed();
    let gaps = gaps(&program);
    let codes: Vec<(&str, Option<u32>)> = gaps
        .iter()
        .map(|g| (g.reason.code.as_str(), g.inside.map(|l| l.line)))
        .collect();
    assert_eq!(
        codes,
        [("zero_step", Some(30)), ("call", Some(30)), ("goto", None)]
    );
    let model = model(&program, "exasat", &[]);
    let partial: Vec<_> = model
        .nests
        .iter()
        .filter(|nest| !nest.nest.reason_codes().is_empty())
        .collect();
    assert_eq!(partial.len(), 1);
    let codes = partial[0].nest.reason_codes();
    let codes: Vec<&str> = codes.into_iter().map(|code| code.as_str()).collect();
    // Its iterations are a parameter, which is a guess until it is set.
    assert_eq!(codes, ["approximate_trip_count", "call", "zero_step"]);
}

/// An unknown figure is not-a-number, and so is everything that depends on it, extrema included.
#[test]
fn the_unknown_spreads() {
    let program = program(vec![seven_point()]);
    let mut model = model(&program, "exasat", &[]);
    let unknown = Expr::from(
        model
            .figures
            .define(StaticFigure::TripCount, Expr::symbol("nobody knows this")),
    );
    let one = || Expr::from(1.0);
    for dependent in [
        Expr::max([unknown.clone(), one()]),
        Expr::min([unknown.clone(), one()]),
        Expr::choose(
            Comparison::Less,
            unknown.clone(),
            one(),
            one(),
            Expr::from(2.0),
        ),
    ] {
        let dependent = model.figures.define(StaticFigure::Blocks, dependent);
        assert!(model.value(dependent).is_nan());
    }
}

/// A spreadsheet cell holds 8,192 characters of formula.
#[test]
fn a_formula_too_long_for_one_cell_is_split_into_figures() {
    let program = program(vec![seven_point()]);
    let mut model = model(&program, "exasat", &[]);
    let before = model.figures.len();
    let base = Expr::from(model.nests[0].iterations);
    let terms = |n: i64| {
        Expr::sum(
            (1..=n).map(|i| Expr::symbol("hi_1").power(Expr::from(i as f64 / 1e4)) * base.clone()),
        )
    };
    let long = (terms(3000) + Expr::from(1.0)).quotient(terms(2000));
    let value = long.evaluate(&model.figures).unwrap();
    let split = model.figures.define(StaticFigure::Iterations, long);
    assert!((model.value(split) / value - 1.0).abs() < 1e-12);
    assert!(model.figures.len() > before + 50);
    assert!(
        model
            .figures
            .iter()
            .all(|(_, figure)| figure.expr.to_string().len() < 8000)
    );
}
