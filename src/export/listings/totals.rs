//! What a report sums up, in the order in which it is shown.

use super::Look;
use crate::expr::FigureId;
use crate::model::Model;

/// What a total is called, and which figure it is.
pub(crate) struct Total {
    pub name: String,
    pub figure: FigureId,
    pub look: Look,
}

impl Total {
    pub fn new(name: impl Into<String>, figure: FigureId, look: Look) -> Total {
        Total {
            name: name.into(),
            figure,
            look,
        }
    }

    pub fn unit(&self, model: &Model) -> &'static str {
        model.figures.get(self.figure).label.unit().symbol()
    }
}

/// The totals that stand for the report where there is room for few: with every call followed, where calls are.
pub(crate) fn headline(model: &Model) -> std::ops::Range<usize> {
    match (model.calls.is_some(), model.ranking.follows_calls) {
        (true, _) => ONCE..ONCE + 3,
        (false, true) => ONCE..ONCE + 1,
        (false, false) => 0..3,
    }
}

/// What is said of figures that do not have all nests.
pub(crate) const OF_LISTED: &str = ", listed nests";

/// Totals of each nest once, before those with every call followed.
const ONCE: usize = 5;

/// With the time of nests that are left out of a model; `None` where none are.
pub(crate) fn whole(model: &Model) -> Option<Total> {
    let whole = model.left_out.map(|_| model.ranking.whole)?;
    let name = "Time of all nests, others as written";
    Some(Total::new(name, whole, Look::Seconds))
}

/// Of all nests, each once, and with every call followed. Where some nests are left out, the names say so.
pub(crate) fn totals(model: &Model) -> Vec<Total> {
    let totals = &model.totals;
    let mut found = vec![
        Total::new("Time", totals.seconds, Look::Seconds),
        Total::new("Memory traffic", totals.traffic, Look::Bytes),
        Total::new("Flops", totals.flops, Look::Flops),
        Total::new("Weighted flops", totals.weighted_flops, Look::Flops),
        Total::new("Arithmetic intensity", totals.intensity, Look::Ratio),
    ];
    if let Some(calls) = &model.calls {
        let all = calls.executed;
        found.extend([
            Total::new("Time over all calls", all.seconds, Look::Seconds),
            Total::new("Memory traffic over all calls", all.traffic, Look::Bytes),
            Total::new("Flops over all calls", all.flops, Look::Flops),
        ]);
    } else if model.ranking.follows_calls {
        // Without calls, which some nests leave no room for, it is what the shares are parts of.
        let seconds = model.ranking.total;
        found.push(Total::new("Time over all calls", seconds, Look::Seconds));
    }
    if let Some(whole) = whole(model) {
        for total in &mut found {
            total.name.push_str(OF_LISTED);
        }
        found.push(whole);
    }
    found
}
