//! Branches that open a file and write to it.
//!
//! ```text
//! if (found) then; call save(part); end if          open (unit, file = …); write …; close (unit)
//! ```
//!
//! A file takes longer to open than most of what is around such a branch, and no run leaves a file for each of its
//! iterations.

use std::collections::BTreeSet;

use super::Walker;
use crate::calls::{ProcedureId, Procedures, Target};
use crate::expr::Expr;
use crate::guesses::NOMINAL;
use crate::intrinsics::IntrinsicKind;
use crate::ir::Stmt;
use crate::ir::visit::calls_of;

/// Calls are followed so far.
const DEPTH: u32 = 6;

/// What statements do with files whatever is decided in them.
#[derive(Clone, Copy, Default)]
struct Files {
    opens: bool,
    reads: bool,
}

impl Walker<'_> {
    /// How often a branch is taken of which one arm opens a file to write: once in as many iterations as a loop usually has.
    /// Where the main program stands outside of its loops, it is asked once.
    pub(super) fn share_of_output(&self, [then, otherwise]: [&[Stmt]; 2]) -> Option<Expr> {
        if self.function().is_main && self.depth() == 0 {
            return None;
        }
        let writes = |arm| {
            let files = Files::of(self.procedures, self.procedure, arm);
            files.opens && !files.reads
        };
        match (writes(then), writes(otherwise)) {
            (true, false) => Some(Expr::from(1.0 / NOMINAL)),
            (false, true) => Some(Expr::from(1.0 - 1.0 / NOMINAL)),
            _ => None,
        }
    }
}

impl Files {
    fn of(known: &Procedures, id: ProcedureId, block: &[Stmt]) -> Files {
        let mut files = Files::default();
        let mut next = BTreeSet::new();
        files.look(known, id, block, &mut next);
        let mut seen = BTreeSet::new();
        for _ in 1..DEPTH {
            for id in std::mem::take(&mut next) {
                if seen.insert(id) {
                    files.look(known, id, &known.get(id).function.body, &mut next);
                }
            }
        }
        files
    }

    /// Adds what statements do themselves, and whom they call.
    fn look(
        &mut self,
        known: &Procedures,
        id: ProcedureId,
        block: &[Stmt],
        called: &mut BTreeSet<ProcedureId>,
    ) {
        for stmt in block {
            match stmt {
                Stmt::Loop(inner) => self.look(known, id, &inner.body, called),
                Stmt::Opaque { inner, .. } => self.look(known, id, inner, called),
                Stmt::If(_) => continue,
                _ => {}
            }
            calls_of(stmt, &mut |name, _| match known.target(id, name) {
                Target::Body(callee) => {
                    called.insert(callee);
                }
                Target::Library(library) => match library.kind {
                    IntrinsicKind::Open => self.opens = true,
                    IntrinsicKind::Input | IntrinsicKind::Read => self.reads = true,
                    _ => {}
                },
                _ => {}
            });
        }
    }
}
