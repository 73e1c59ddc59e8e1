//! What a setting does: which rows it means, and whether it may give them its value.

use super::{Kind, OF_MACHINE, ParameterTable, Row, Setting, SettingError};
use crate::machine::MachineModel;

/// So many roots are named where a name is wrong.
const MOST_ROOTS: usize = 12;

impl ParameterTable {
    pub(super) fn apply(
        &mut self,
        setting: &Setting,
        machine: &mut MachineModel,
    ) -> Result<(), SettingError> {
        let Setting {
            name,
            value,
            origin,
        } = setting;
        let of_machine = |machine: &mut MachineModel, parameter: &str| {
            let wrap = |why| SettingError::Machine {
                name: name.clone(),
                value: value.clone(),
                why: Box::new(why),
            };
            machine.set_text(parameter, value).map_err(wrap)
        };
        if machine.parameter(name).is_some() {
            return of_machine(machine, name);
        }
        let compact = name.replace(char::is_whitespace, "");
        let rows = match self.set.get(name) {
            Some(rows) if !rows.is_empty() => rows.clone(),
            set => match self.named(&compact) {
                Some(row) => vec![row],
                // Conditions are decided by it, or nothing is.
                None if set.is_some() => Vec::new(),
                None => {
                    let parameter = name.strip_prefix(OF_MACHINE);
                    // All functions that have it are set on their own, which leaves nothing open for it to set.
                    let mut set = self.rows.iter().filter(|row| row.origin == *origin);
                    let is_superseded = set.any(|row| row.is_called(&compact));
                    return match parameter.filter(|name| machine.parameter(name).is_some()) {
                        Some(parameter) => of_machine(machine, parameter),
                        None if is_superseded => Ok(()),
                        None => Err(self.unknown(name, machine)),
                    };
                }
            },
        };
        let bad = |why| SettingError::BadValue {
            name: name.clone(),
            value: value.clone(),
            why,
        };
        let number: f64 = value.trim().parse().map_err(|_| bad("not a number"))?;
        if !number.is_finite() {
            return Err(bad("not a finite number"));
        }
        if rows.is_empty() && number.fract() != 0.0 {
            return Err(bad(WHOLE));
        }
        if rows.is_empty() {
            self.decided_by.insert(name.clone(), number);
        }
        let mut applied = rows.clone();
        for row in rows {
            let row = &mut self.rows[row];
            in_range(row.kind, number).map_err(bad)?;
            (row.value, row.definition, row.origin) = (number, None, *origin);
            // A name without a function means all functions that leave its value open.
            let (symbol, is_plain) = (row.symbol.clone(), row.is_called(&compact));
            let same = |other: &Row| is_plain && other.symbol == symbol && other.is_guessed();
            for (at, other) in self.rows.iter_mut().enumerate() {
                if same(other) {
                    (other.value, other.definition, other.origin) = (number, None, *origin);
                    applied.push(at);
                }
            }
        }
        self.applied.insert(name.clone(), applied);
        Ok(())
    }

    /// What a setting says of a variable of a function that only conditions ask for.
    pub fn decided_by(&self, function: &str, name: &str) -> Option<f64> {
        let own = self.decided_by.get(&format!("{function}.{name}"));
        own.or_else(|| self.decided_by.get(name)).copied()
    }

    /// The row that has a name.
    fn named(&self, compact: &str) -> Option<usize> {
        let lower = compact.to_lowercase();
        let find = |is_meant: &dyn Fn(&Row) -> bool| self.rows.iter().position(is_meant);
        find(&|row| row.name == compact)
            .or_else(|| find(&|row| row.label == compact))
            // Fortran ignores case.
            .or_else(|| find(&|row| !row.is_case_sensitive && row.name.to_lowercase() == lower))
            .or_else(|| self.only_named(compact))
            .or_else(|| find(&|row| row.is_guessed() && row.is_called(compact)))
    }

    /// The row that all functions know that have a symbol of that name; none if it is also that of a constant.
    fn only_named(&self, name: &str) -> Option<usize> {
        if self.unmentioned.contains_key(name) {
            return None;
        }
        let mut rows = self
            .resolved
            .iter()
            .filter(|((_, symbol), _)| symbol.is_source(name))
            .map(|(_, row)| *row);
        let first = rows.next()?;
        rows.all(|row| row == first).then_some(first)
    }

    /// Names of the sizes that the program is given.
    fn roots(&self) -> Vec<String> {
        let roots = (self.rows.iter()).filter(|row| row.is_given() && !row.is_of_data());
        roots.map(|row| row.name.clone()).take(MOST_ROOTS).collect()
    }

    fn unknown(&self, name: &str, machine: &MachineModel) -> SettingError {
        let all = machine
            .parameters
            .iter()
            .map(|p| p.name.as_str())
            .chain(self.rows.iter().map(|r| r.label.as_str()));
        let suffix = format!(".{name}");
        let mut scored: Vec<(i64, &str)> = all
            .map(|other| {
                let likeness = strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
                let score = if other.ends_with(&suffix) {
                    2.0
                } else {
                    likeness
                };
                (-(score * 1000.0) as i64, other)
            })
            .filter(|(score, _)| *score <= -750)
            .collect();
        scored.sort();
        let constant_of = self.unmentioned.get(name).into_iter().flatten();
        SettingError::Unknown {
            name: name.to_string(),
            constant_of: constant_of.cloned().collect(),
            near: scored
                .into_iter()
                .take(5)
                .map(|(_, n)| n.to_string())
                .collect(),
            roots: self.roots(),
        }
    }
}

/// What a size is that is not one.
const WHOLE: &str = "a problem size is a whole number";

/// Whether a parameter of a kind may have a value.
fn in_range(kind: Kind, number: f64) -> Result<(), &'static str> {
    match kind {
        Kind::Probability if !(0.0..=1.0).contains(&number) => {
            Err("a probability is between 0 and 1")
        }
        Kind::Block if number < 0.0 || number.fract() != 0.0 => {
            Err("a block size is a whole number; 0 is not blocked")
        }
        // A trip count may be a mean.
        Kind::Problem | Kind::Processes | Kind::Neighbours if number.fract() != 0.0 => Err(WHOLE),
        Kind::TripCount | Kind::Neighbours if number < 0.0 => {
            Err("a number of iterations or neighbours is not negative")
        }
        Kind::Processes if number < 1.0 => Err("a number of processes is at least 1"),
        Kind::Problem | Kind::Real | Kind::Processes | Kind::Neighbours | Kind::TripCount
            if number.abs() > 1e15 =>
        {
            Err("larger than 1e15")
        }
        _ => Ok(()),
    }
}
