//! Loops that may be fused no longer, or may be now.

use std::collections::HashMap;

use crate::flips::{Direction, Flip};
use crate::matching::NestRef;
use crate::side::{Fusion, Side};

/// A loop: a nest that it is of, and at which depth.
type LoopPlace = (NestRef, usize);

/// What turned, each with the new nest of the first of the two loops.
pub(crate) fn flipped(
    old: &Side,
    new: &Side,
    pairs: &[(NestRef, NestRef)],
) -> Vec<(NestRef, Flip)> {
    let origin: HashMap<NestRef, NestRef> = pairs.iter().map(|(old, new)| (*new, *old)).collect();
    let before: HashMap<(LoopPlace, LoopPlace), &Fusion> = fusions(old).collect();
    let back = |(nest, depth): LoopPlace| Some((*origin.get(&nest)?, depth));
    let turned = |((first, second), fusion): ((LoopPlace, LoopPlace), &Fusion)| {
        let was = *before.get(&(back(first)?, back(second)?))?;
        let (is_legal, was_legal) = (fusion.prevented_by.is_none(), was.prevented_by.is_none());
        let why = if is_legal { was } else { fusion };
        (is_legal != was_legal).then(|| {
            let flip = Flip::Fusion {
                direction: match is_legal {
                    true => Direction::Better,
                    false => Direction::Worse,
                },
                first: fusion.first.clone(),
                second: fusion.second.clone(),
                prevented_by: why.prevented_by.clone(),
                arrays: fusion.arrays.clone(),
            };
            (first.0, flip)
        })
    };
    fusions(new).filter_map(turned).collect()
}

/// All pairs of loops that follow each other and have something in common.
fn fusions(side: &Side) -> impl Iterator<Item = ((LoopPlace, LoopPlace), &Fusion)> + '_ {
    let functions = side.functions.iter().enumerate();
    functions.flat_map(|(function, found)| {
        let mut places: HashMap<&str, LoopPlace> = HashMap::new();
        for (nest, own) in found.nests.iter().enumerate() {
            for (depth, id) in own.loops.iter().enumerate() {
                let place = (NestRef { function, nest }, depth);
                places.entry(id.as_str()).or_insert(place);
            }
        }
        found.fusions.iter().filter_map(move |fusion| {
            let place = |id: &String| places.get(id.as_str()).copied();
            Some((place(&fusion.first).zip(place(&fusion.second))?, fusion))
        })
    })
}
