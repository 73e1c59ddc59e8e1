//! Functions whose bodies stand in place of their calls, or what they do outside loops in front of them: which nest does
//! that work.

use std::collections::{BTreeMap, HashSet};

use super::{Homes, Weight, each_call, expanded_names};
use crate::analysis::facts::{Body, Program, Rest};
use crate::nest::Nest;

/// The nest with all calls of each function whose body stands in their place, or its work outside of loops in front of them;
/// `None` where these are in several nests, or outside of nests.
pub fn nests<'p>(program: &'p Program, nests: &[&Nest]) -> BTreeMap<&'p str, Option<usize>> {
    let homes = Homes::of(nests.iter().copied());
    let mut expanded = HashSet::new();
    for function in &program.functions {
        expanded_names(&function.body, &mut expanded);
    }
    let mut in_front = HashSet::new();
    for function in &program.functions {
        each_call(&function.body, None, &Weight::new(), &mut |call, _, _| {
            if call.rest == Rest::InFront {
                in_front.insert(call.name.as_str());
            }
        });
    }
    let mut found: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for function in &program.functions {
        // What such a body calls stands in the callers, too.
        let is_in_place = expanded.contains(function.name.as_str())
            && function.body.loops().is_empty()
            && !function.is_entry;
        if is_in_place {
            continue;
        }
        each_call(
            &function.body,
            None,
            &Weight::new(),
            &mut |call, inside, _| {
                let is_in_front = call.rest == Rest::InFront;
                if call.body != Body::Expanded && !in_front.contains(call.name.as_str()) {
                    return;
                }
                let home = homes.of_loop(inside);
                let own = home.filter(|(nest, level)| {
                    *level > nests[*nest].own && (is_in_front || call.body == Body::Expanded)
                });
                let nest = own.map(|(nest, _)| nest);
                let known = found.entry(call.name.as_str()).or_insert(nest);
                if *known != nest {
                    *known = None;
                }
            },
        );
    }
    found
}
