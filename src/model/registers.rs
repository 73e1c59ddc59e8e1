//! Registers: what the innermost loop of every nest keeps in them, and whether that is more than there are.
//!
//! live = counters + scalars + pointers + invariants + temporaries, integer and floating-point apart;
//! spilled = max(0, live − registers), of the integer ones those that are reserved taken off first.

use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::label::{RegisterFile, Subject};
use super::nest_model::NestModel;
use crate::analysis::facts::RegisterUse;
use crate::expr::{Comparison, Expr, FigureId};

/// Names that [`RegisterFigures::spills`] counts.
pub const VERDICTS: [&str; 2] = ["spills", "fits"];

/// Registers of one kind.
#[derive(Clone, Copy)]
pub struct FileFigures {
    /// In the order of [`RegisterUse::NAMES`].
    pub parts: [FigureId; 5],
    /// Their sum.
    pub live: FigureId,
    /// Values for which no register is left.
    pub spilled: FigureId,
}

/// Registers of the innermost loop of a nest.
#[derive(Clone, Copy)]
pub struct RegisterFigures {
    pub integer: FileFigures,
    pub floating: FileFigures,
    /// 1: some value is spilled, 2: all fit.
    pub spills: FigureId,
}

/// The figures of every nest whose innermost loop has no loops inside and says what it needs.
pub(super) fn define(nests: &[NestModel], figures: &mut Figures) -> Vec<Option<RegisterFigures>> {
    let mut one = |nest: &NestModel| {
        let needed = nest.nest.loops.last()?.facts.registers?;
        let free = Expr::machine("int_registers") - Expr::machine("int_reserved");
        let integer = define_file(RegisterFile::Integer, needed.integer, free, figures);
        let floating = define_file(
            RegisterFile::Floating,
            needed.floating,
            Expr::machine("fp_registers"),
            figures,
        );
        let all = Expr::from(integer.spilled) + Expr::from(floating.spilled);
        let none = Expr::from(0.0);
        let spills = Expr::choose(
            Comparison::Greater,
            all,
            none,
            Expr::from(1.0),
            Expr::from(2.0),
        );
        let spills = figures.define(F::Spills, spills);
        Some(RegisterFigures {
            integer,
            floating,
            spills,
        })
    };
    nests.iter().map(&mut one).collect()
}

fn define_file(
    file: RegisterFile,
    needed: RegisterUse,
    free: Expr,
    figures: &mut Figures,
) -> FileFigures {
    const PARTS: [F; 5] = [
        F::Counters,
        F::Scalars,
        F::Pointers,
        F::Invariants,
        F::Temporaries,
    ];
    let values = needed.values();
    let file = Subject::Registers(file);
    let parts = std::array::from_fn(|index| {
        figures.define(
            PARTS[index].about(file.clone()),
            Expr::from(f64::from(values[index])),
        )
    });
    let live = figures.define_total(F::LiveRegisters.about(file.clone()), parts.into_iter());
    let over = Expr::max([Expr::from(live) - free, Expr::from(0.0)]);
    let spilled = figures.define(F::SpilledRegisters.about(file), over);
    FileFigures {
        parts,
        live,
        spilled,
    }
}
