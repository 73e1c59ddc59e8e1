//! Parameters of sources that a sweep sets: which of them are the problem, and which an architect or programmer may choose.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A parameter with what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweptSetting {
    pub name: String,
    pub role: SettingRole,
    /// Sources that have a variable of this name, though it sets the machine.
    pub also_of: Vec<String>,
}

impl SweptSetting {
    /// What it is.
    pub fn meaning(&self) -> String {
        let of = match self.role.of {
            SettingOf::Problem => "parameter",
            SettingOf::Machine => "parameter of the machine",
            SettingOf::Block => "size of a block of loops",
        };
        format!("{of} {}{}", self.name, self.star())
    }

    /// Whose variable it does not set; empty if there is none.
    pub fn star(&self) -> String {
        match &self.also_of[..] {
            [] => String::new(),
            sources => format!(
                ", * not the variable of that name in {}",
                sources.join(", ")
            ),
        }
    }
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingRole {
    pub of: SettingOf,
    /// Whether values are bytes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bytes: bool,
}

/// What a parameter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SettingOf {
    /// The problem that is solved, such as its size: configurations are compared where it is the same.
    Problem,
    /// The machine.
    Machine,
    /// Blocks of loops, which change the way and not the result.
    Block,
}

impl SettingRole {
    /// A parameter of the problem.
    pub const PROBLEM: SettingRole = SettingRole {
        of: SettingOf::Problem,
        bytes: false,
    };

    /// Whether somebody may choose it for the same problem.
    pub fn is_choice(self) -> bool {
        self.of != SettingOf::Problem
    }

    /// What a parameter is that is this for one source and that for another: the problem, if it is so for one.
    #[must_use]
    pub fn of_both(self, other: SettingRole) -> SettingRole {
        match self == other {
            true => self,
            false => SettingRole::PROBLEM,
        }
    }
}

/// A setting that sets a machine, though a source has variables of that name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ambiguous {
    /// The source, as it was named.
    pub input: String,
    pub setting: String,
    /// By what names they would be set.
    pub variables: Vec<String>,
}

impl fmt::Display for Ambiguous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ambiguous {
            input,
            setting,
            variables,
        } = self;
        let named: Vec<String> = variables.iter().map(|name| format!("`{name}`")).collect();
        write!(
            f,
            "`set.{setting}` sets the parameter of the machine, but {input} has a variable of that name, too: for the machine write \
             `machine.{setting}`, for the source {}",
            named.join(" or ")
        )
    }
}
