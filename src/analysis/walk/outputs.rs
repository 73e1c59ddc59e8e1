//! Branches that open a file and write to it.
//!
//! ```text
//! if (found) then; call save(part); end if          open (unit, file = …); write …; close (unit)
//! ```
//!
//! A file takes longer to open than most of what is around such a branch, and no run leaves a file for each of its
//! iterations.

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
            let mut files = Files::default();
            look(self.procedures, self.procedure, arm, &mut files, DEPTH);
            files.opens && !files.reads
        };
        match (writes(then), writes(otherwise)) {
            (true, false) => Some(Expr::from(1.0 / NOMINAL)),
            (false, true) => Some(Expr::from(1.0 - 1.0 / NOMINAL)),
            _ => None,
        }
    }
}

fn look(known: &Procedures, id: ProcedureId, block: &[Stmt], files: &mut Files, depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    for stmt in block {
        match stmt {
            Stmt::Loop(inner) => look(known, id, &inner.body, files, depth + 1),
            Stmt::Opaque { inner, .. } => look(known, id, inner, files, depth + 1),
            Stmt::If(_) => continue,
            _ => {}
        }
        calls_of(stmt, &mut |name, _| match known.target(id, name) {
            Target::Body(callee) => {
                look(
                    known,
                    callee,
                    &known.get(callee).function.body,
                    files,
                    depth,
                );
            }
            Target::Library(called) => match called.kind {
                IntrinsicKind::Open => files.opens = true,
                IntrinsicKind::Input | IntrinsicKind::Read => files.reads = true,
                _ => {}
            },
            _ => {}
        });
    }
}
