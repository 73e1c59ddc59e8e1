//! What moves between processes, and how long that takes: latency and bandwidth of the network
//! interface (Hockney's model), T = messages · latency + bytes / bandwidth, in the time of one process.
//!
//! Ghost exchange: 2 messages per dimension, and both sides of every dimension are counted,
//! word · components · Σ_d 2·width · Π_{e≠d} n_e bytes sent; the same arrive.
//!
//! Collectives as in R. Thakur, R. Rabenseifner, W. Gropp, *Optimization of Collective Communication
//! Operations in MPICH*, Int. J. of High Performance Computing Applications 19(1), 2005, sections 3 and
//! 4; the time of the reduction's own arithmetic is left out. With p ranks, L = ⌈log₂ p⌉ and n bytes
//! of data (of every process or for every process, where they differ), messages and bytes are
//!
//! | | short | long |
//! |---|---|---|
//! | broadcast | L, L·n (binomial tree) | L + p − 1, 2·n·(p−1)/p (scatter, then allgather) |
//! | reduce, allreduce | L, L·n (tree, recursive doubling) | 2·L, 2·n·(p−1)/p (Rabenseifner) |
//! | scan | L, L·n | |
//! | gather, scatter, allgather, reduce-scatter | L, n·(p−1) (tree, recursive doubling or halving) | |
//! | all-to-all | L, L·n·p/2 (Bruck) | p − 1, n·(p−1) (pairwise) |
//! | barrier | L, 0 (dissemination) | |

use super::calls::{Calls, runs};
use super::catalogue::StaticFigure as F;
use super::figures::Figures;
use super::messages::MessageSite;
use super::nest_model::NestModel;
use super::parameters::ParameterTable;
use crate::analysis::facts::{Communication, Halo};
use crate::expr::{Comparison, Expr, FigureId, Symbol};
use crate::message_passing::InterfaceKind;

/// Figures of one call; `None` where the call moves no such or its size is unknown.
pub struct CommunicationFigures<'p> {
    pub site: MessageSite<'p>,
    /// Executions in all.
    pub times: FigureId,
    /// Components, and ghost cells on either side, of a ghost exchange.
    pub components: Option<FigureId>,
    pub width: Option<FigureId>,
    /// Elements of one process: of a ghost exchange, ghost cells times components.
    pub count: Option<FigureId>,
    pub element_bytes: Option<FigureId>,
    /// count · element bytes.
    pub data: Option<FigureId>,
    /// Messages and bytes of one execution that one process sends; of a receive, that it receives.
    pub messages: FigureId,
    pub bytes: Option<FigureId>,
    pub seconds: Option<FigureId>,
    /// All executions together.
    pub all_messages: FigureId,
    pub all_bytes: Option<FigureId>,
    pub all_seconds: Option<FigureId>,
}

impl CommunicationFigures<'_> {
    /// Whether the call moves data of unknown size.
    pub fn is_unknown(&self) -> bool {
        self.bytes.is_none()
    }
}

/// All communication of a program, in the time and with the bytes of one process.
pub struct CommunicationModel<'p> {
    pub calls: Vec<CommunicationFigures<'p>>,
    /// Sent in all, where the size is known.
    pub messages: FigureId,
    pub bytes: FigureId,
    pub seconds: FigureId,
}

impl<'p> CommunicationModel<'p> {
    /// Calls that move data of unknown size: they are in no total but that of the messages.
    pub fn unknown(&self) -> impl Iterator<Item = &CommunicationFigures<'p>> {
        self.calls.iter().filter(|call| call.is_unknown())
    }

    /// Defines the figures; `None` if nothing communicates.
    pub(super) fn define(
        sites: Vec<MessageSite<'p>>,
        (nests, calls): (&[NestModel], Option<&Calls>),
        parameters: &ParameterTable,
        figures: &mut Figures,
    ) -> Option<CommunicationModel<'p>> {
        if sites.is_empty() {
            return None;
        }
        let calls: Vec<CommunicationFigures> = (sites.into_iter())
            .map(|site| {
                let runs = runs((site.function, site.loops, &site.weight), nests, parameters);
                let called = calls.map_or(Expr::from(1.0), |calls| {
                    calls.functions[site.function].times.into()
                });
                let times = figures.define(F::Executions, called * runs);
                define_call(site, times, parameters, figures)
            })
            .collect();
        let sends = |call: &&CommunicationFigures| call.site.moved.kind != InterfaceKind::Receive;
        let messages = calls.iter().filter(sends).map(|call| call.all_messages);
        let messages = total(F::MessagesSent, messages, figures);
        let bytes = calls.iter().filter(sends).filter_map(|call| call.all_bytes);
        let bytes = total(F::BytesSent, bytes, figures);
        let seconds = calls.iter().filter_map(|call| call.all_seconds);
        let seconds = total(F::CommunicationTime, seconds, figures);
        Some(CommunicationModel {
            calls,
            messages,
            bytes,
            seconds,
        })
    }
}

fn total(kind: F, members: impl Iterator<Item = FigureId>, figures: &mut Figures) -> FigureId {
    figures.define(kind, Expr::sum(members.map(Expr::from)))
}

fn define_call<'p>(
    site: MessageSite<'p>,
    times: FigureId,
    parameters: &ParameterTable,
    figures: &mut Figures,
) -> CommunicationFigures<'p> {
    let Communication {
        kind,
        count,
        element_bytes,
        halo,
        ..
    } = site.moved;
    let resolve = |expr: &Expr| parameters.resolve(site.function, expr);
    let components = halo.as_ref().map(|halo| resolve(&halo.components));
    let components = components.map(|expr| figures.define(F::Components, expr));
    let width = halo
        .as_ref()
        .map(|halo| figures.define(F::GhostWidth, resolve(&halo.width)));
    let filled = halo.as_ref().zip(components.zip(width));
    let elements = filled
        .map(|(halo, of)| faces(halo, of, &resolve))
        .or_else(|| count.as_ref().map(resolve));
    let count = elements.map(|elements| figures.define(F::MessageElements, elements));
    let element_bytes = element_bytes.as_ref().filter(|_| count.is_some());
    let element_bytes =
        element_bytes.map(|bytes| figures.define(F::MessageElementSize, resolve(bytes)));
    let data = count.zip(element_bytes).map(|(count, bytes)| {
        figures.define(F::MessageData, Expr::from(count) * Expr::from(bytes))
    });
    let parameter = |symbol: Symbol| parameters.symbol(site.function, &symbol);
    let (messages, bytes) = moved(site.moved, data.map(Expr::from), &parameter);
    let messages = messages.unwrap_or_else(|| halo_messages(halo, &resolve));
    let messages = figures.define(F::Messages, messages);
    let bytes = bytes.map(|bytes| figures.define(F::MessageBytes, bytes));
    let seconds = bytes.map(|bytes| {
        let latency = Expr::product([
            messages.into(),
            Expr::machine("nic_latency_us"),
            Expr::from(1e-6),
        ]);
        let rate = Expr::machine("nic_gbs") * Expr::from(1e9);
        let time = latency + Expr::from(bytes).quotient(rate);
        figures.define(F::MessageTime, directions(*kind) * time)
    });
    let mut all = |kind: F, id: FigureId| figures.define(kind, Expr::from(times) * Expr::from(id));
    let all_messages = all(F::AllMessages, messages);
    let all_bytes = bytes.map(|bytes| all(F::AllMessageBytes, bytes));
    let all_seconds = seconds.map(|seconds| all(F::AllMessageTime, seconds));
    CommunicationFigures {
        site,
        times,
        components,
        width,
        count,
        element_bytes,
        data,
        messages,
        bytes,
        seconds,
        all_messages,
        all_bytes,
        all_seconds,
    }
}

/// Messages and bytes of one execution, for `n` bytes of data; no messages for a ghost exchange, whose
/// dimensions say, and no bytes where `n` is unknown.
fn moved(
    moved: &Communication,
    n: Option<Expr>,
    parameter: &dyn Fn(Symbol) -> Expr,
) -> (Option<Expr>, Option<Expr>) {
    use InterfaceKind::*;
    let (one, none) = (Expr::from(1.0), Expr::from(0.0));
    let ranks = || parameter(Symbol::processes());
    let neighbours = || parameter(Symbol::neighbours());
    let others = || ranks() - Expr::from(1.0);
    let stages = || ranks().tree_stages();
    let by_length = |short: Expr, long: Expr| match &n {
        Some(n) => Expr::choose(
            Comparison::LessOrEqual,
            n.clone(),
            Expr::machine("long_message_bytes"),
            short,
            long,
        ),
        None => short,
    };
    let times = |factor: Expr| n.clone().map(|n| factor * n);
    // All but a process's own part of the data, there and back.
    let twice_others = || (others() * 2.0).quotient(ranks());
    match moved.kind {
        Halo => (None, n),
        Send | Receive | Exchange | Put | Get => (Some(one), n),
        Neighbours => (Some(neighbours()), times(neighbours())),
        Broadcast => {
            let messages = by_length(stages(), stages() + others());
            (Some(messages), times(by_length(stages(), twice_others())))
        }
        Reduce | Allreduce => {
            let messages = by_length(stages(), stages() * 2.0);
            (Some(messages), times(by_length(stages(), twice_others())))
        }
        Scan => (Some(stages()), times(stages())),
        Gather | Scatter | Allgather | ReduceScatter => (Some(stages()), times(others())),
        Alltoall => {
            let short = (stages() * ranks()).quotient(Expr::from(2.0));
            (
                Some(by_length(stages(), others())),
                times(by_length(short, others())),
            )
        }
        Barrier => (Some(stages()), Some(none)),
        Wait | Setup => (Some(none.clone()), Some(none)),
    }
}

/// How often the time of one direction is counted: a process that sends and receives as much does both
/// at once where the network does, and what it only receives another process sends.
fn directions(kind: InterfaceKind) -> Expr {
    let duplex = Expr::machine("nic_full_duplex");
    match kind {
        InterfaceKind::Receive => Expr::from(1.0) - duplex,
        InterfaceKind::Exchange | InterfaceKind::Halo | InterfaceKind::Neighbours => {
            Expr::from(2.0) - duplex
        }
        _ => Expr::from(1.0),
    }
}

/// Elements on the faces of a box: components · Σ_d 2·width · Π_{e≠d} n_e. A dimension of no cells is none.
fn faces(
    halo: &Halo,
    (components, width): (FigureId, FigureId),
    resolve: &dyn Fn(&Expr) -> Expr,
) -> Expr {
    let cells: Vec<Expr> = halo.extents.iter().map(resolve).collect();
    let face = |d: usize| {
        let others = cells.iter().enumerate().filter(|(e, _)| *e != d);
        let others = others.map(|(_, cells)| Expr::max([cells.clone(), Expr::from(1.0)]));
        where_any(&cells[d], Expr::product(others))
    };
    let area = Expr::sum((0..cells.len()).map(face));
    Expr::product([
        Expr::from(2.0),
        Expr::from(components),
        Expr::from(width),
        area,
    ])
}

/// Two messages per dimension that has cells.
fn halo_messages(halo: &Option<Halo>, resolve: &dyn Fn(&Expr) -> Expr) -> Expr {
    let extents = halo.iter().flat_map(|halo| &halo.extents);
    Expr::sum(extents.map(|cells| where_any(&resolve(cells), Expr::from(2.0))))
}

fn where_any(cells: &Expr, then: Expr) -> Expr {
    Expr::choose(
        Comparison::Greater,
        cells.clone(),
        Expr::from(0.0),
        then,
        Expr::from(0.0),
    )
}
