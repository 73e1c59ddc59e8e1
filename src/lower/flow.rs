//! Where statements go on: through to the next one, or elsewhere by a jump.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ir::Stmt;

/// A statement label, `exit name` or `cycle name`.
pub type Label = Arc<str>;

/// Whether control reaches what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Falls {
    Always,
    Sometimes,
    Never,
}

/// How control leaves statements.
#[derive(Clone, Debug)]
pub struct Flow {
    pub falls: Falls,
    /// Labels that are jumped to and that lie further on.
    pub jumps: BTreeSet<Label>,
}

impl Flow {
    pub fn through() -> Flow {
        Flow { falls: Falls::Always, jumps: BTreeSet::new() }
    }

    pub fn jump(labels: impl IntoIterator<Item = Label>, falls: Falls) -> Flow {
        Flow { falls, jumps: labels.into_iter().collect() }
    }

    /// The label is reached: jumps to it go on from here.
    fn land(&mut self, label: &Label) {
        if self.jumps.remove(label) {
            self.falls = if self.jumps.is_empty() { Falls::Always } else { Falls::Sometimes };
        }
    }

    /// Either of two ways.
    fn or(&self, other: &Flow) -> Flow {
        let falls = if self.falls == other.falls { self.falls } else { Falls::Sometimes };
        Flow { falls, jumps: self.jumps.union(&other.jumps).cloned().collect() }
    }
}

/// How control leaves one statement: an `if` tells its branches apart.
#[derive(Clone, Debug)]
pub enum Exits {
    Plain(Flow),
    Branches(Flow, Flow),
}

impl Exits {
    pub fn total(&self) -> Flow {
        match self {
            Exits::Plain(flow) => flow.clone(),
            Exits::Branches(then, otherwise) => then.or(otherwise),
        }
    }

    pub fn jumps_to(&self, label: &Label) -> bool {
        match self {
            Exits::Plain(flow) => flow.jumps.contains(label),
            Exits::Branches(then, otherwise) => then.jumps.contains(label) || otherwise.jumps.contains(label),
        }
    }

    pub fn has_jumps(&self) -> bool {
        match self {
            Exits::Plain(flow) => !flow.jumps.is_empty(),
            Exits::Branches(then, otherwise) => !then.jumps.is_empty() || !otherwise.jumps.is_empty(),
        }
    }

    pub fn land(&mut self, label: &Label) {
        match self {
            Exits::Plain(flow) => flow.land(label),
            Exits::Branches(then, otherwise) => {
                then.land(label);
                otherwise.land(label);
            }
        }
    }
}

/// A piece of a block.
#[derive(Debug)]
pub enum Part {
    Label(Label),
    /// No statement: a jump that says all.
    Statement(Option<Stmt>, Box<Exits>),
}

impl Part {
    pub fn statement(statement: Option<Stmt>, exits: Exits) -> Part {
        Part::Statement(statement, Box::new(exits))
    }

    pub fn is_label(&self) -> bool {
        matches!(self, Part::Label(_))
    }
}
