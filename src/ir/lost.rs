//! What is left of a procedure or a file that a defect of ours keeps from being worked on.

use super::visit::{InLoop, statements};
use super::{Control, Evaluation, Function, Loop, Reason, Stmt, Tested};
use crate::attempt::Defect;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Place, Severity};
use crate::reason::ReasonCode;

/// A loop of which nothing is known but where it is.
pub fn lost_loop(place: Place, end_line: u32) -> Stmt {
    Stmt::Loop(Box::new(Loop {
        place,
        end_line,
        parallel: None,
        evaluation: Evaluation::InTurn,
        control: Control::Uncounted {
            condition: None,
            tested: Tested::BeforeBody,
            reason: Reason {
                code: ReasonCode::InternalError,
                detail: String::new(),
            },
        },
        body: Vec::new(),
    }))
}

/// The function with its loops side by side, of which nothing is known.
pub fn with_lost_loops(function: &Function) -> Function {
    let mut loops = Vec::new();
    statements(&function.body, InLoop::No, &mut |stmt, _| {
        if let Stmt::Loop(inner) = stmt {
            loops.push(lost_loop(inner.place.clone(), inner.end_line));
        }
    });
    let (name, place) = (function.name.clone(), function.place.clone());
    Function {
        is_main: function.is_main,
        body: loops,
        ..Function::new(name, place, function.conventions)
    }
}

/// The remark that the loops of a procedure or a file are lost.
pub fn is_lost(what: &str, place: Place, defect: &Defect) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: DiagnosticCode::InternalError,
        message: format!(
            "a defect of loopsheet stopped the work on {what}, whose loops have no figures: {defect}"
        ),
        help: Some(format!(
            "leave the file out with --ignore '{}', and report this message",
            place.file
        )),
        place,
        width: 1,
    }
}
