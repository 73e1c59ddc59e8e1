//! Times of the nests with other figures of the machine, beside those in force: scenarios side by side, and each input a
//! little less and a little more. What a cache fetches again follows from its capacity by the rows of *Layer conditions*,
//! so that the machine can change without a second model; sizes and blocks change these rows themselves.

use super::Model;
use super::catalogue::StaticFigure as F;
use super::compact::{Compact, Dependence};
use super::figures::Figures;
use super::goals::NestGoals;
use super::growth;
use super::influence::{Influence, influence};
use super::label::{Instead, Label, Subject, Swings};
use super::nest_model::NestModel;
use super::parameters::Kind;
use super::ranking::Ranking;
use super::scenarios::{INPUTS, SCENARIOS, SWING, SWUNG, SWUNG_BY, in_scenario};
use crate::expr::{Expr, FigureId};

/// Times of the nests that are compared with other inputs.
pub struct Alternatives {
    /// Positions of these nests, in program order.
    pub nests: Vec<usize>,
    /// Their times with the inputs in force.
    pub own: Times,
    /// In the order of [`SCENARIOS`].
    pub scenarios: Vec<Times>,
    pub swings: Vec<Swing>,
    /// In the order of the nests.
    pub goals: Vec<NestGoals>,
}

/// A time for each nest, and all together.
pub struct Times {
    pub seconds: Vec<FigureId>,
    pub total: FigureId,
}

/// Times with one input less and more than it is.
pub struct Swing {
    pub input: &'static str,
    pub less: Times,
    pub more: Times,
}

/// Nests that are compared: each has formulas of its own for every scenario and swing.
const MOST: usize = 48;

/// The nests that are compared: those with the most work whose time is known.
pub(super) fn compared(nests: &[NestModel], ranking: &Ranking, figures: &Figures) -> Vec<usize> {
    let mut found = ranking.busiest(nests, MOST, figures);
    let is_known = |nest: &usize| {
        let seconds = ranking.seconds(*nest);
        seconds.is_some_and(|seconds| figures.value(seconds).is_finite())
    };
    found.retain(is_known);
    found.sort_unstable();
    found
}

impl Alternatives {
    pub(super) fn define(
        compared: &[usize],
        (nests, ranking): (&[NestModel], &Ranking),
        dependence: &Dependence,
        figures: &mut Figures,
    ) -> Option<Alternatives> {
        if compared.is_empty() {
            return None;
        }
        let times: Vec<FigureId> = (compared.iter())
            .filter_map(|nest| ranking.seconds(*nest))
            .collect();
        let alias = |time: &FigureId| {
            let label = figures.get(*time).label.clone();
            figures.define(label, Expr::from(*time))
        };
        let own = times.iter().map(alias).collect();
        let own = Times::together(own, F::ChangedTotal.into(), figures);
        let of = |number: usize, figures: &mut Figures| {
            let replace = |name: &str| {
                let is_input = INPUTS.contains(&name);
                is_input.then(|| Expr::machine(&in_scenario(name, number)))
            };
            let compact = Compact::new(
                Instead::Scenario(number),
                (dependence, dependence.on(&INPUTS)),
                &replace,
            );
            Times::of(compact, Subject::Whole, &times, figures)
        };
        let scenarios = (0..SCENARIOS.len()).map(|number| of(number, figures));
        let scenarios = scenarios.collect();
        let swing = |input: &'static str, figures: &mut Figures| {
            let mut to = |side: Swings| {
                let share = Expr::machine(SWING);
                let factor = match side {
                    Swings::Less => Expr::from(1.0) - share,
                    Swings::More => Expr::from(1.0) + share,
                };
                let replace =
                    |name: &str| (name == input).then(|| factor.clone() * Expr::machine(name));
                let compact = Compact::new(
                    Instead::Swing(input, side),
                    (dependence, dependence.on(&[input])),
                    &replace,
                );
                Times::of(compact, Subject::Input(input.into()), &times, figures)
            };
            let (less, more) = (to(Swings::Less), to(Swings::More));
            Swing { input, less, more }
        };
        let swings = INPUTS[..SWUNG].iter().map(|input| swing(input, figures));
        let swings = swings.collect();
        let goals = (compared.iter()).map(|nest| NestGoals::define(&nests[*nest], figures));
        let goals = goals.collect();
        Some(Alternatives {
            nests: compared.to_vec(),
            own,
            scenarios,
            swings,
            goals,
        })
    }
}

/// What a size makes of the time if it is less or more.
pub struct SizeSwing {
    pub name: String,
    pub label: String,
    /// Its value, and the time over what it is, less one.
    pub less: (f64, f64),
    pub more: (f64, f64),
}

/// Sizes that are tried.
const SIZES: usize = 6;

/// The sizes with the most influence a little less and more, at the inputs that the model has.
pub fn size_swings(model: &Model) -> Vec<SizeSwing> {
    let total = model.ranking.total;
    let own = model.value(total);
    let influences = influence(model).all;
    let is_size = |found: &&Influence| {
        let definition = found.row.definition.as_ref();
        found.share > 0.0 && definition.is_none_or(|definition| definition.as_number().is_some())
    };
    let sizes = influences.iter().filter(is_size).take(2 * SIZES);
    let swing = |found: &Influence| {
        let (name, value) = (found.row.name.as_str(), found.row.value);
        let to = |factor: f64| {
            let changed = match found.row.kind {
                Kind::Problem | Kind::Processes | Kind::Neighbours => (value * factor).round(),
                Kind::Probability => (value * factor).min(1.0),
                _ => value * factor,
            };
            (
                changed,
                growth::with_size(model, name, changed, total) / own - 1.0,
            )
        };
        SizeSwing {
            name: name.to_string(),
            label: found.row.label.clone(),
            less: to(1.0 - SWUNG_BY),
            more: to(1.0 + SWUNG_BY),
        }
    };
    // Small whole numbers stay what they are.
    let is_swung = |swing: &SizeSwing| swing.less.0 != swing.more.0;
    sizes.map(swing).filter(is_swung).take(SIZES).collect()
}

impl Times {
    fn of(
        mut compact: Compact,
        subject: Subject,
        times: &[FigureId],
        figures: &mut Figures,
    ) -> Times {
        let seconds = times.iter().map(|time| {
            compact.forget();
            compact.define(*time, figures)
        });
        let seconds = seconds.collect();
        let label = compact.label(F::ChangedTotal.about(subject));
        Times::together(seconds, label, figures)
    }

    fn together(seconds: Vec<FigureId>, label: Label, figures: &mut Figures) -> Times {
        let total = figures.define_total(label, seconds.iter().copied());
        Times { seconds, total }
    }
}
