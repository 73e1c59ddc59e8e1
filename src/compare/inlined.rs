//! Functions that a profile by function does not show: compilers put them in place of their calls, and their time is in
//! that of their callers.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Model;
use crate::model::measured::Inlined;

/// For the functions in which something was `measured`, of which `whole` were measured as a whole: the functions with nests
/// of which nothing was, and whose only callers are these, each with the one that has its time; and what is to be said of
/// those and others.
pub fn with_callers(
    model: &Model,
    measured: &BTreeSet<usize>,
    whole: impl Iterator<Item = usize>,
) -> (BTreeMap<usize, usize>, Vec<Inlined>) {
    let mut owners: BTreeMap<usize, usize> = whole.map(|function| (function, function)).collect();
    let unseen: BTreeSet<usize> = (model.nests.iter())
        .map(|nest| nest.nest.function)
        .filter(|function| !measured.contains(function))
        .collect();
    let mut callers: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for site in &model.call_graph.sites {
        callers.entry(site.callee).or_default().insert(site.caller);
    }
    // A function that was not seen itself may have callers that were not seen, either.
    loop {
        let owner = |function: &usize| {
            let of_callers = callers.get(function)?.iter();
            let mut of_callers = of_callers.map(|caller| owners.get(caller));
            let first = of_callers.next()??;
            of_callers
                .all(|other| other == Some(first))
                .then_some(*first)
        };
        let found = unseen
            .iter()
            .filter(|function| !owners.contains_key(function));
        let found: Vec<(usize, usize)> = found
            .filter_map(|function| Some((*function, owner(function)?)))
            .collect();
        if found.is_empty() {
            break;
        }
        owners.extend(found);
    }
    let name = |function: &usize| model.program.functions[*function].name.clone();
    let said = |function: &usize| {
        let all = callers.get(function)?;
        let of_owner = |caller: &&usize| owners.contains_key(*caller);
        let callers: BTreeSet<usize> = all
            .iter()
            .filter(of_owner)
            .map(|caller| owners[caller])
            .collect();
        (!callers.is_empty()).then(|| Inlined {
            function: name(function),
            callers: callers.iter().map(name).collect(),
            is_joined: owners.contains_key(function),
        })
    };
    let inlined = unseen.iter().filter_map(said).collect();
    owners.retain(|function, owner| function != owner);
    (owners, inlined)
}
