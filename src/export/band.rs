//! Times of nests if what the source leaves open goes well, and if it does not, in words. They are no bounds of a run.

use crate::model::{Model, NestModel, Open, Question, TotalBand};
use crate::quantity::Seconds;

/// Ends closer than this are shown as one time.
const WORTH_A_LINE: f64 = 1.01;

/// Of one nest; `None` where both ends are its time.
pub(crate) fn of_nest(model: &Model, nest: &NestModel) -> Option<String> {
    let band = nest.time.band?;
    in_words((model.value(band.low), model.value(band.high)), band.open)
}

/// Of all nests, those that are left out of the model among them, as often as they are called where calls are followed.
pub(crate) fn of_all(model: &Model) -> Option<String> {
    let nests: Vec<usize> = (0..model.nests.len()).collect();
    let here = TotalBand::of((&model.nests, &nests), &model.ranking, &model.figures);
    let others = model.left_out.map(|others| others.band);
    let TotalBand { low, high, open } = here.with(others.unwrap_or_default());
    let whole = match model.ranking.follows_calls {
        true => "all calls",
        false => "total",
    };
    let words = in_words((low, high), open)?;
    Some(format!(
        "{whole}: {words}; the actual run time may fall outside this range"
    ))
}

fn in_words((low, high): (f64, f64), open: Open) -> Option<String> {
    let is_wide = high > low * WORTH_A_LINE && high.is_finite();
    let names: Vec<&str> = open.all().map(Question::if_it_goes_well).collect();
    let all = match names.split_last()? {
        (last, []) => (*last).to_string(),
        (last, others) => format!("{} and {last}", others.join(", ")),
    };
    let (low, high) = (Seconds(low), Seconds(high));
    is_wide.then(|| format!("between {low} (if {all}) and {high} (otherwise)"))
}
