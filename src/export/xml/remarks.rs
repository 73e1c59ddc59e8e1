//! What is to be said about an XML file that could be read: one diagnostic a kind of remark, at its
//! first place, with how often it applies.

use std::cell::RefCell;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};

/// Remarks in order of their first appearance.
#[derive(Default)]
pub(super) struct Remarks {
    seen: RefCell<Vec<(Diagnostic, usize)>>,
}

impl Remarks {
    pub fn add(
        &self,
        severity: Severity,
        code: DiagnosticCode,
        place: impl Fn() -> Place,
        message: String,
        help: &str,
    ) {
        let mut seen = self.seen.borrow_mut();
        if let Some((_, count)) = seen
            .iter_mut()
            .find(|(d, _)| d.code == code && d.message == message)
        {
            *count += 1;
            return;
        }
        let help = Some(help.to_string());
        seen.push((
            Diagnostic {
                severity,
                code,
                place: place(),
                width: 1,
                message,
                help,
            },
            1,
        ));
    }

    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let counted = |(mut diagnostic, count): (Diagnostic, usize)| {
            if count > 1 {
                diagnostic.message += &format!(" ({count} times, first here)");
            }
            diagnostic
        };
        self.seen.into_inner().into_iter().map(counted).collect()
    }
}
