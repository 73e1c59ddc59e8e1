//! Names of parameters: each one once, without regard to case, and such as a formula can mention.

use std::collections::HashSet;

use crate::dimension_name;
use crate::expr::Symbol;
use crate::expr::spreadsheet::legal_name;
use crate::machine::MachineModel;
use crate::scenarios::{GOAL, IN_FORCE, SCENARIOS, SWING, in_scenario};

/// Gives out names.
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    pub fn new(machine: &MachineModel, dimensions: usize) -> Names {
        let suffixed = |name: String| {
            let scenarios = (0..SCENARIOS.len()).map(|number| in_scenario(&name, number));
            let beside = [format!("{name}.a"), format!("{name}.b"), name.clone()];
            let all: Vec<String> = scenarios.chain(beside).collect();
            all
        };
        let machine = machine
            .parameters
            .iter()
            .flat_map(|p| suffixed(p.name.to_lowercase()));
        let own = [SWING, IN_FORCE, GOAL].map(str::to_string);
        let machine = machine.chain(suffixed("preset".to_string())).chain(own);
        let blocks = (0..dimensions)
            .map(|position| Symbol::block(&dimension_name(position)).name().to_string());
        Names {
            taken: machine.chain(blocks).collect(),
        }
    }

    pub fn unique(&mut self, label: &str) -> String {
        let mut name = legal_name(label);
        while !self.taken.insert(name.to_lowercase()) {
            name.push('_');
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_in_more_than_case() {
        let mut names = Names {
            taken: HashSet::from(["cores".to_string()]),
        };
        assert_eq!(names.unique("N"), "N");
        assert_eq!(names.unique("n"), "n_");
        assert_eq!(names.unique("cores"), "cores_");
    }
}
