//! Where statements go on: through to the next one, or elsewhere by a jump.

use std::collections::BTreeSet;

use crate::ir::{Label, Stmt};

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
        Flow {
            falls: Falls::Always,
            jumps: BTreeSet::new(),
        }
    }

    /// The procedure ends.
    pub fn end() -> Flow {
        Flow {
            falls: Falls::Never,
            jumps: BTreeSet::new(),
        }
    }

    pub fn jump(labels: impl IntoIterator<Item = Label>, falls: Falls) -> Flow {
        Flow {
            falls,
            jumps: labels.into_iter().collect(),
        }
    }

    /// The label is reached: jumps to it go on from here.
    fn land(&mut self, label: &Label) {
        if self.jumps.remove(label) {
            self.falls = if self.jumps.is_empty() {
                Falls::Always
            } else {
                Falls::Sometimes
            };
        }
    }

    /// Either of two ways.
    fn or(&self, other: &Flow) -> Flow {
        let falls = if self.falls == other.falls {
            self.falls
        } else {
            Falls::Sometimes
        };
        Flow {
            falls,
            jumps: self.jumps.union(&other.jumps).cloned().collect(),
        }
    }
}

/// How control leaves one statement: an `if` tells its branches apart, the last `if` of a branch its own.
#[derive(Clone, Debug)]
pub enum Exits {
    Plain(Flow),
    Branches(Box<Exits>, Box<Exits>),
}

impl Exits {
    pub fn branches(then: Flow, otherwise: Flow) -> Exits {
        Exits::Branches(
            Box::new(Exits::Plain(then)),
            Box::new(Exits::Plain(otherwise)),
        )
    }

    pub fn total(&self) -> Flow {
        match self {
            Exits::Plain(flow) => flow.clone(),
            Exits::Branches(then, otherwise) => then.total().or(&otherwise.total()),
        }
    }

    /// Whether control reaches what follows.
    pub fn falls(&self) -> Falls {
        match self {
            Exits::Plain(flow) => flow.falls,
            Exits::Branches(then, otherwise) => match (then.falls(), otherwise.falls()) {
                (then, otherwise) if then == otherwise => then,
                _ => Falls::Sometimes,
            },
        }
    }

    pub fn jumps_to(&self, label: &Label) -> bool {
        match self {
            Exits::Plain(flow) => flow.jumps.contains(label),
            Exits::Branches(then, otherwise) => then.jumps_to(label) || otherwise.jumps_to(label),
        }
    }

    pub fn has_jumps(&self) -> bool {
        match self {
            Exits::Plain(flow) => !flow.jumps.is_empty(),
            Exits::Branches(then, otherwise) => then.has_jumps() || otherwise.has_jumps(),
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
