//! Which simple statements are executed as often as a loop?
//!
//! Those of its own block with nothing between them and the loop that leads elsewhere:
//!
//! ```text
//! if (n < 2) return 0;      leads elsewhere
//! count = 0;                as often as the loop
//! if (a) b = 1;             comes back
//! for (…) { … }
//! *out = count;             as often as the loop, unless something in it returns
//! ```
//!
//! Statements that lowering has written twice, and lines on which a condition or a loop begins, are left out.

use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use crate::facts::{Beside, Block, Item};
use crate::ir::visit::{self, InLoop};
use crate::ir::{self, Jump, Stmt};

/// So many lines before and behind each loop.
const NEAREST: usize = 3;

/// Where something begins.
type Line = (Arc<str>, u32);

/// Notes these lines in the facts of a function.
pub(super) fn note(function: &ir::Function, block: &mut Block) {
    let mut lines = Lines::default();
    visit::statements(&function.body, InLoop::No, &mut |statement, _| {
        lines.add(statement);
    });
    let mut found = BTreeMap::new();
    lines.in_block(&function.body, &mut found);
    set(block, &found);
}

fn set(block: &mut Block, found: &BTreeMap<Line, Option<Beside>>) {
    for item in &mut block.items {
        match item {
            Item::Loop(inner) => {
                if let Some(Some(beside)) = found.get(&(inner.file.clone(), inner.line)) {
                    inner.beside = beside.clone();
                }
                set(&mut inner.body, found);
            }
            Item::Branch(branch) => {
                set(&mut branch.then, found);
                if let Some(otherwise) = &mut branch.otherwise {
                    set(otherwise, found);
                }
            }
        }
    }
}

/// How many simple statements begin on each line of a function; `None` where anything else does.
#[derive(Default)]
struct Lines(BTreeMap<Line, Option<usize>>);

impl Lines {
    fn add(&mut self, statement: &Stmt) {
        let simple = self.0.entry(line(statement)).or_insert(Some(0));
        *simple = simple.filter(|_| is_simple(statement)).map(|all| all + 1);
    }

    /// The lines beside the loops of a block, and of those inside; none for lines with several loops.
    fn in_block(&self, block: &[Stmt], found: &mut BTreeMap<Line, Option<Beside>>) {
        for (index, statement) in block.iter().enumerate() {
            match statement {
                Stmt::Loop(inner) => {
                    let (before, behind) = (&block[..index], &block[index + 1..]);
                    let own = |line: &Line| {
                        let is_inside = (inner.place.line..=inner.end_line).contains(&line.1);
                        line.0 == inner.place.file && !is_inside
                    };
                    let beside = Beside {
                        before: self.nearest(before.iter().rev(), block, &own),
                        behind: match jumps_out(statement) {
                            true => Vec::new(),
                            false => self.nearest(behind.iter(), block, &own),
                        },
                    };
                    found
                        .entry(line(statement))
                        .and_modify(|other| *other = None)
                        .or_insert(Some(beside));
                    self.in_block(&inner.body, found);
                }
                Stmt::If(branch) => {
                    self.in_block(&branch.then, found);
                    self.in_block(&branch.otherwise, found);
                }
                Stmt::Opaque { inner, .. } => self.in_block(inner, found),
                _ => {}
            }
        }
    }

    /// The lines of simple statements up to the first one that leads elsewhere.
    fn nearest<'s>(
        &self,
        statements: impl Iterator<Item = &'s Stmt>,
        block: &[Stmt],
        is_own: &dyn Fn(&Line) -> bool,
    ) -> Vec<u32> {
        let mut lines = Vec::new();
        for statement in statements.take_while(|one| !jumps_out(one)) {
            let line = line(statement);
            if is_simple(statement)
                && is_own(&line)
                && self.are_all_in(block, &line)
                && !lines.contains(&line.1)
            {
                lines.push(line.1);
                if lines.len() == NEAREST {
                    break;
                }
            }
        }
        lines
    }

    /// Whether all that begins on a line is simple, and in one block.
    fn are_all_in(&self, block: &[Stmt], wanted: &Line) -> bool {
        let here = block.iter().filter(|one| line(one) == *wanted).count();
        self.0.get(wanted).copied().flatten() == Some(here)
    }
}

fn line(statement: &Stmt) -> Line {
    let place = statement.place();
    (place.file.clone(), place.line)
}

fn is_simple(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::Assign { .. } | Stmt::Call { .. } | Stmt::Evaluate { .. }
    )
}

/// Whether control may get from a statement to another place than behind it: what leaves or goes on with a loop in it does not.
fn jumps_out(statement: &Stmt) -> bool {
    let mut found = false;
    visit::statements(
        slice::from_ref(statement),
        InLoop::No,
        &mut |one, in_loop| {
            found |= match one {
                Stmt::Jump { kind, .. } => {
                    let is_of_loop = matches!(kind, Jump::Exit | Jump::Cycle);
                    !is_of_loop || in_loop == InLoop::No
                }
                Stmt::Mark { .. } | Stmt::Opaque { .. } => true,
                _ => false,
            };
        },
    );
    found
}
