//! Loads that wait for an earlier iteration to say where they go: elements whose subscripts are carried (`i = next[i]`),
//! and members behind a pointer that is (`p = p->next`).

use super::{Done, Walk, Ways, longest, stepped};
use crate::ir::visit::{InLoop, statements};
use crate::ir::{If, Name, Step, Stmt, Value, VarId, dimensions_behind};

/// The pointers behind which a member is, the nearest first, each with the loads from there.
fn pointers(name: &Name) -> impl Iterator<Item = (u32, &str)> {
    let steps = name.steps().enumerate();
    let targets: Vec<usize> = steps
        .filter(|(_, (step, _))| *step == Step::Target)
        .map(|(at, _)| at)
        .collect();
    let of = |at: usize| name.text_without_last(name.len_of_way() - at);
    (1..).zip(targets.into_iter().rev().map(of))
}

impl Walk<'_> {
    /// Whether it is a member behind one of these pointers: an iteration that sets the pointer has another one.
    pub(super) fn is_behind(&self, member: VarId, set: &[VarId]) -> bool {
        let name = &self.function.variable(member).name;
        let is_set = |text: &str| {
            let mut names = set
                .iter()
                .map(|id| self.function.variable(*id).name.as_str());
            names.any(|pointer| pointer == text)
        };
        name.is_behind_pointer() && pointers(name).any(|(_, text)| is_set(text))
    }

    /// Whether it holds an address. Only what statements set as a whole is asked for.
    pub(super) fn is_pointer(&self, id: VarId) -> bool {
        !self.function.variable(id).dimensions.is_empty()
    }

    /// What a variable waits for that pointers lead to.
    pub(super) fn pointed(&mut self, id: VarId) -> Ways {
        let name = &self.function.variable(id).name;
        if !name.is_behind_pointer() {
            return Ways::new();
        }
        let carried = |text: &str| {
            let mut known = self.values.iter();
            let found = known.find(|(id, _)| self.function.variable(**id).name.as_str() == text);
            Some(found?.1.clone())
        };
        let found = pointers(name).find_map(|(loads, text)| Some((loads, carried(text)?)));
        let (loads, ways) = found.unwrap_or_default();
        self.use_up(&ways, None);
        stepped(ways, |steps| steps.loads += loads, Done::More)
    }

    /// What a load of an element waits for before it can begin, with that load.
    pub(super) fn loaded(&mut self, array: VarId, subscripts: &[Value]) -> Ways {
        let pointed = self.pointed(array);
        let mut address = self.address(subscripts);
        let pointer = self.function.viewed(array).unwrap_or(array);
        if let Some(known) = self.values.get(&pointer) {
            let known = known.clone();
            self.use_up(&known, None);
            address = longest(address, known);
        }
        let ways = longest(stepped(pointed, |_| {}, Done::More), address.clone());
        // A row is where it is without a load, unless it is a pointer.
        let is_row = subscripts.iter().any(|one| matches!(one, Value::Row));
        if is_row && dimensions_behind(self.function.variable(array), subscripts).is_none() {
            return ways;
        }
        let loaded = stepped(address, |steps| steps.loads += 1, Done::More);
        longest(ways, loaded)
    }

    /// What an address waits for.
    pub(super) fn address(&mut self, subscripts: &[Value]) -> Ways {
        // Functions in subscripts are not counted, here as elsewhere.
        let functions = self.functions;
        let mut ways = Ways::new();
        for subscript in subscripts {
            ways = longest(ways, self.value(subscript));
        }
        self.functions = functions;
        ways
    }

    /// A branch whose two ways give whole numbers or pointers, by data that have to be loaded first, is a choice: whether the
    /// processor waits or guesses, it goes on once the data are there.
    pub(super) fn choose(&mut self, branch: &If, condition: &Ways) {
        let given = |body: &[Stmt]| {
            let mut given = Vec::new();
            statements(body, InLoop::No, &mut |statement, _| {
                if let Stmt::Assign {
                    target: Value::Variable(id),
                    ..
                } = statement
                    && self.values.contains_key(id)
                    && !self.function.variable(*id).ty.is_floating()
                {
                    given.push(*id);
                }
            });
            given
        };
        let (then, otherwise) = (given(&branch.then), given(&branch.otherwise));
        // Compilers choose between values; to store or not takes a branch, which the core predicts.
        let is_choice = !then.is_empty()
            && !otherwise.is_empty()
            && !stores(&branch.then)
            && !stores(&branch.otherwise);
        let mut waits = condition.clone();
        waits.retain(|way| way.steps.loads > 0);
        if !is_choice || waits.is_empty() {
            return;
        }
        let waits = stepped(waits, |steps| steps.integer_adds += 2, Done::More);
        for id in then.into_iter().chain(otherwise) {
            let known = self.values.entry(id).or_default();
            *known = longest(std::mem::take(known), waits.clone());
        }
    }
}

/// Whether statements give something other than variables a value, or call what may.
fn stores(body: &[Stmt]) -> bool {
    let mut found = false;
    statements(body, InLoop::No, &mut |statement, _| {
        found |= match statement {
            Stmt::Assign { target, .. } => !matches!(target, Value::Variable(_)),
            _ => matches!(statement, Stmt::Call { .. }),
        };
    });
    found
}
