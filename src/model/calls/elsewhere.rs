//! Calls of a run that cannot be followed: of procedures without a body here, which may call what they are given, and any
//! function that they know by its name.

use std::collections::{BTreeSet, HashMap};

use super::each_call;
use crate::analysis::facts::{Body, Call, Function, FunctionKey, Program};
use crate::nest::Weight;
use crate::reason::{Effect, ReasonCode};

/// What a run comes to, bodies in place of their calls included, and what it may come to beside that.
pub(super) struct Elsewhere {
    /// By function: whether the run comes to it.
    pub met: Vec<bool>,
    /// Functions that are handed to procedures without a body here, or to the library: they may be called from there.
    pub handed: BTreeSet<usize>,
    /// Whether there is a call that may lead anywhere.
    pub is_open: bool,
}

impl Elsewhere {
    /// Of the runs that begin with these functions.
    pub fn of(program: &Program, entries: &[usize]) -> Elsewhere {
        let names = Names::of(program);
        let mut found = Elsewhere {
            met: vec![false; program.functions.len()],
            handed: BTreeSet::new(),
            is_open: false,
        };
        found.follow(program, &names, entries);
        found
    }

    /// The functions that may be called beside those of `met`: all if a call may lead anywhere, else those that are handed
    /// over, with what they call.
    pub fn possible(&self, program: &Program) -> Vec<bool> {
        let all = match self.is_open {
            true => vec![true; self.met.len()],
            false => {
                let handed: Vec<usize> = self.handed.iter().copied().collect();
                let beyond = Elsewhere::of(program, &handed);
                match beyond.is_open {
                    true => vec![true; self.met.len()],
                    false => {
                        let mut met = beyond.met;
                        beyond.handed.iter().for_each(|other| met[*other] = true);
                        met
                    }
                }
            }
        };
        let others = all.into_iter().zip(&self.met);
        others.map(|(may, is_met)| may && !is_met).collect()
    }

    fn follow(&mut self, program: &Program, names: &Names, from: &[usize]) {
        let mut pending = from.to_vec();
        while let Some(function) = pending.pop() {
            if std::mem::replace(&mut self.met[function], true) {
                continue;
            }
            let body = &program.functions[function].body;
            each_call(body, None, &Weight::new(), &mut |call, _, _| {
                self.call((function, call), names, &mut pending);
            });
        }
    }

    fn call(&mut self, (caller, call): (usize, &Call), names: &Names, pending: &mut Vec<usize>) {
        match &call.body {
            Body::Function(key) | Body::Recursive(Some(key)) => pending.extend(names.keyed(key)),
            Body::OneOf(keys) => pending.extend(keys.iter().flat_map(|key| names.keyed(key))),
            // In place of the call, wherever that is.
            Body::Expanded | Body::Recursive(None) => pending.extend(names.named(&call.name)),
            Body::Unknown | Body::Library => {
                self.is_open |= call.body == Body::Unknown;
                let handed = call.arguments.iter().flat_map(|argument| {
                    let name = argument.trim_start_matches(['&', '(', ' ']);
                    names.named(name.trim_end_matches([')', ' ']))
                });
                // In a function of Fortran its own name is its result.
                self.handed
                    .extend(handed.copied().filter(|handed| *handed != caller));
            }
            Body::Communication(_) => {}
        }
    }
}

/// Codes of what code outside of loops leaves out of the figures, of some functions.
pub(crate) fn left_out<'p>(functions: impl Iterator<Item = &'p Function>) -> BTreeSet<ReasonCode> {
    let mut found = BTreeSet::new();
    for function in functions {
        function.body.with_branches(&mut |block| {
            let codes = block.reasons.iter().map(|reason| reason.code);
            found.extend(codes.filter(|code| code.effect() == Effect::LeavesOut));
        });
    }
    found
}

/// The functions of a program by key and by name.
struct Names {
    by_key: HashMap<FunctionKey, usize>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Names {
    fn of(program: &Program) -> Names {
        let mut names = Names {
            by_key: HashMap::new(),
            by_name: HashMap::new(),
        };
        for (index, function) in program.functions.iter().enumerate() {
            names.by_key.entry(function.key()).or_insert(index);
            let name = function.name.to_ascii_lowercase();
            names.by_name.entry(name).or_default().push(index);
        }
        names
    }

    fn keyed(&self, key: &FunctionKey) -> Vec<usize> {
        match self.by_key.get(key) {
            Some(index) => vec![*index],
            // Another copy of it was kept.
            None => self.named(&key.name).to_vec(),
        }
    }

    fn named(&self, name: &str) -> &[usize] {
        let found = self.by_name.get(&name.to_ascii_lowercase());
        found.map_or(&[], Vec::as_slice)
    }
}
