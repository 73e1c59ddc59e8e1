//! What of a nest's memory traffic is one array's? The nest's bytes, by whatever rule, are shared out by the lines of its
//! arrays (`by_array`), so that these have what it moves in all, and no more.
//!
//! ```text
//! bytes of A = bytes of the nest · lines of A / Σ lines
//! ```

use super::NestLevels;
use super::by_array::ArrayLines;
use super::swept::ArrayPart;
use crate::catalogue::StaticFigure as F;
use crate::expr::{Comparison, Expr, FigureId};
use crate::figures::Figures;
use crate::label::Subject;

/// What of a nest's memory traffic is one array's.
#[derive(Clone, Debug)]
pub struct ArrayFigures {
    pub array: ArrayPart,
    /// Bytes between the last cache and memory.
    pub bytes: FigureId,
    /// Of these, the ones that no prefetcher predicts; `None` if the nest has none, or the machine does not say what they take.
    pub irregular: Option<FigureId>,
    /// Whether it has such lines, and the machine does not say what they take.
    pub is_unrated: bool,
    /// Bytes of its lines that the nest touches.
    pub touched: FigureId,
}

/// Bytes of every array; `total` are those that the nest moves, by whatever rule.
pub(crate) fn define_bytes(
    levels: &NestLevels,
    total: FigureId,
    figures: &mut Figures,
) -> Vec<ArrayFigures> {
    let all = Expr::sum(levels.arrays.iter().map(|own| Expr::from(own.moved)));
    let some = levels.arrays.iter().filter_map(|own| own.irregular);
    let all_irregular = Expr::sum(some.map(Expr::from));
    let irregular = levels.caches.last().and_then(|cache| cache.irregular);
    let values: Vec<bool> = (levels.arrays.iter())
        .map(|own| {
            own.irregular
                .is_some_and(|lines| figures.value(lines) > 0.0)
        })
        .collect();
    let part = |own: FigureId, all: &Expr, of: FigureId| {
        let none = || Expr::from(0.0);
        let share = Expr::from(own).quotient(all.clone());
        let part = Expr::from(of) * share;
        Expr::choose(Comparison::Greater, all.clone(), none(), part, none())
    };
    let one = |(own, has_irregular): (&ArrayLines, bool)| {
        let subject = Subject::Array(own.array.0.as_str().into());
        let bytes = part(own.moved, &all, total);
        let bytes = figures.define(F::ArrayMemoryTraffic.about(subject.clone()), bytes);
        let irregular = irregular.zip(own.irregular).map(|(irregular, lines)| {
            let own = Expr::min([part(lines, &all_irregular, irregular), bytes.into()]);
            figures.define(F::ArrayIrregular.about(subject), own)
        });
        ArrayFigures {
            array: own.array.clone(),
            bytes,
            irregular,
            is_unrated: levels.has_unrated_lines && has_irregular,
            touched: own.touched,
        }
    };
    levels.arrays.iter().zip(values).map(one).collect()
}
