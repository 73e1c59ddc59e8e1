//! Time of a nest: arithmetic, every cache level, memory; what bounds it (ExaSAT report, section 2.3.3).

use std::collections::BTreeMap;

use super::bandwidth;
use super::catalogue::StaticFigure as F;
use super::figures::{Detail, Figures};
use super::in_core::{BranchFigures, InCoreFigures, Values};
use super::irregular::IrregularFigures;
use super::label::Subject;
use super::levels::{CacheFigures, ConflictFigures, NestLevels};
use super::nest::Nest;
use super::open::Band;
use super::operations::OperationFigures;
use super::stream::StreamFigures;
use super::traffic::NestTraffic;
use crate::expr::{Comparison, Expr, FigureId};
use crate::machine::MachineModel;

/// Traffic and time at one level of the memory hierarchy.
#[derive(Clone)]
pub struct LevelFigures {
    pub kind: LevelKind,
    /// `L1`, `L2` … serve the level above them; `DRAM` serves the last cache.
    pub name: String,
    /// The cache whose lines it fetches and takes back, by its position; `None` of what serves the core.
    pub behind: Option<usize>,
    pub bytes: FigureId,
    pub seconds: FigureId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelKind {
    Cache,
    Memory,
}

/// What is added to the time of memory.
#[derive(Clone, Copy, Default)]
pub(super) struct Behind {
    /// Loads and stores that wait for it.
    pub waiting: Option<FigureId>,
    /// Lines that no prefetcher predicts, of all levels: they hold others up.
    pub irregular: Option<FigureId>,
}

impl Behind {
    pub fn all(self) -> impl Iterator<Item = FigureId> {
        self.waiting.into_iter().chain(self.irregular)
    }
}

impl LevelFigures {
    /// Seconds until it has moved everything: of memory, with what is added to it.
    pub(super) fn taken(&self, behind: Behind) -> Expr {
        Expr::sum(self.parts(behind).map(Expr::from))
    }

    /// The figures whose sum that is.
    pub(super) fn parts(&self, behind: Behind) -> impl Iterator<Item = FigureId> {
        let added = match self.kind {
            LevelKind::Cache => Behind::default(),
            LevelKind::Memory => behind,
        };
        std::iter::once(self.seconds).chain(added.all())
    }
}

/// What takes longest part of a nest's time, in the order in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoundBy {
    /// Arithmetic at peak.
    Arithmetic,
    /// A level, by its position among [`TimeFigures::levels`].
    Level(usize),
    /// Iterations that wait for earlier ones.
    Chains,
    /// Issuing loads, stores and arithmetic.
    Ports,
    /// Lines that no prefetcher predicts.
    Irregular,
    /// Writing numbers as text, and reading them.
    Text,
    /// Branches that are predicted wrongly.
    Branches,
}

/// Time figures of a nest.
#[derive(Clone)]
pub struct TimeFigures {
    /// Seconds of arithmetic at peak.
    pub cpu: FigureId,
    /// What the core takes: that, or what takes its place.
    pub core: FigureId,
    /// Takes the place of that where the machine says what its cores do in a cycle.
    pub in_core: Option<InCoreFigures>,
    /// Seconds in which loads and stores wait for lines of memory, where the machine says what its cores do in a cycle.
    pub waiting: Option<FigureId>,
    /// Lines that no prefetcher predicts: the levels' times are those of all others then.
    pub irregular: Option<IrregularFigures>,
    /// Levels whose bandwidth is known, nearest first, or all that a machine may have if formulas are to hold for
    /// any; memory is the last.
    pub levels: Vec<LevelFigures>,
    /// Seconds in which numbers are written or read as text, where any are.
    pub text: Option<FigureId>,
    /// Flops per byte of memory traffic.
    pub intensity: FigureId,
    /// Bytes of memory traffic per flop; zero for a nest without flops.
    pub balance: FigureId,
    /// The longest of the core, all levels and text.
    pub slowest: FigureId,
    pub seconds: FigureId,
    /// Between which times it lies; set once it is known how often functions are called.
    pub band: Option<Band>,
    /// What takes longest: 1 is arithmetic at peak, 2 the first of `levels`, and so on; then chains and ports, where the
    /// machine has them; then irregular lines, then text, then branches.
    pub bound: FigureId,
}

impl TimeFigures {
    pub(super) fn define(
        machine: &MachineModel,
        operations: &OperationFigures,
        nest: &Nest,
        streams: &[StreamFigures],
        (caches_moved, traffic): (&NestLevels, &NestTraffic),
        known: Values,
        figures: &mut Figures,
    ) -> TimeFigures {
        let cpu = Expr::from(operations.weighted).quotient(bandwidth::peak(figures.runs_on()));
        let cpu = figures.define(F::CpuTime, cpu);
        let iterations = known.iterations;
        let in_core = InCoreFigures::define(machine, nest, operations, known, figures);
        let irregular = IrregularFigures::define(machine, caches_moved, in_core, figures);
        let moved = (caches_moved, traffic, irregular.is_some());
        let registers = register_traffic(nest, streams, iterations);
        let accessed = (registers, in_core.map(|found| found.bytes));
        let levels = define_levels(machine, accessed, moved, figures);
        let any_machine = figures.detail() == Detail::AnyMachine;
        let core = in_core.map_or(cpu, |found| {
            let larger = Expr::max([found.chains, found.ports].map(Expr::from));
            let in_all = match found.branches {
                Some(branches) => larger.clone() + Expr::from(branches.seconds),
                None => larger.clone(),
            };
            let core = match any_machine {
                true => bandwidth::where_positive(larger, in_all, cpu.into()),
                false => in_all,
            };
            figures.define(F::CoreTime, core)
        });
        let text = operations.texts.map(|texts| {
            let seconds = Expr::from(texts) * Expr::machine("text_ns") * 1e-9;
            figures.define(F::TextTime, seconds)
        });
        let behind = Behind {
            waiting: in_core.map(|found| define_waiting(found, &levels, figures)),
            irregular: irregular.map(|found| found.seconds),
        };
        let data = levels.iter().map(|level| level.taken(behind)).collect();
        let parts = (core.into(), text.map(Expr::from), data);
        let slowest = figures.define(F::SlowestPart, slowest_of(&parts));
        let seconds = estimate(slowest.into(), parts);
        let seconds = figures.define(F::Time, seconds);
        let longest = Longest {
            core,
            text,
            behind,
            slowest,
        };
        let bound = bound(longest, in_core, &levels);
        let bound = figures.define(F::Bound, bound);
        let (flops, bytes) = (Expr::from(operations.flops), Expr::from(traffic.actual));
        let intensity = figures.define(F::Intensity, ratio(flops.clone(), bytes.clone()));
        let balance = figures.define(F::Balance, ratio(bytes, flops));
        TimeFigures {
            cpu,
            core,
            in_core,
            waiting: behind.waiting,
            irregular,
            levels,
            text,
            intensity,
            balance,
            slowest,
            seconds,
            band: None,
            bound,
        }
    }

    /// Time of lines that others of their sets evict.
    pub(super) fn conflicts(&self) -> Option<ConflictFigures> {
        self.irregular?.conflicts
    }

    /// Branches that data decide.
    pub fn branches(&self) -> Option<BranchFigures> {
        self.in_core?.branches
    }

    /// What is added to the time of memory.
    pub(super) fn behind(&self) -> Behind {
        Behind {
            waiting: self.waiting,
            irregular: self.irregular.map(|found| found.seconds),
        }
    }

    /// The name that a value of `bound` counts.
    pub fn bound_name(&self, value: f64) -> Option<&str> {
        let position = (value as usize).checked_sub(1)?;
        self.bound_names().get(position).copied()
    }

    /// What a value of `bound` counts.
    pub fn bound_by(&self, value: f64) -> Option<BoundBy> {
        let levels = (0..self.levels.len()).map(BoundBy::Level);
        let core = (self.in_core.iter()).flat_map(|_| [BoundBy::Chains, BoundBy::Ports]);
        let position = (value as usize).checked_sub(1)?;
        let irregular = self.irregular.iter().map(|_| BoundBy::Irregular);
        let mut all = std::iter::once(BoundBy::Arithmetic)
            .chain(levels)
            .chain(core)
            .chain(irregular)
            .chain(self.text.map(|_| BoundBy::Text))
            .chain(self.branches().map(|_| BoundBy::Branches));
        all.nth(position)
    }

    /// Names that `bound` counts.
    pub fn bound_names(&self) -> Vec<&str> {
        std::iter::once("CPU")
            .chain(self.levels.iter().map(|l| l.name.as_str()))
            .chain(self.in_core.iter().flat_map(|_| IN_CORE_NAMES))
            .chain(self.irregular.iter().map(|_| IRREGULAR_NAME))
            .chain(self.text.map(|_| TEXT_NAME))
            .chain(self.branches().map(|_| BRANCHES_NAME))
            .collect()
    }
}

/// All that may bound one of several nests, with its name: some have lines that no prefetcher predicts, and some write text.
pub fn bounds<'t>(times: impl Iterator<Item = &'t TimeFigures>) -> BTreeMap<BoundBy, &'t str> {
    let mut names = BTreeMap::new();
    for time in times {
        for (position, name) in (1u32..).zip(time.bound_names()) {
            let bound = time.bound_by(f64::from(position));
            names.extend(bound.map(|bound| (bound, name)));
        }
    }
    names
}

/// Times of the core, of writing text, and of data.
type Parts = (Expr, Option<Expr>, Vec<Expr>);

/// The longest of all.
fn slowest_of((core, text, data): &Parts) -> Expr {
    let parts = std::iter::once(core).chain(text).chain(data);
    Expr::max(parts.cloned())
}

/// Overlapped: the slowest part hides the rest. Not overlapped: the core and data take turns.
fn estimate(slowest: Expr, (core, text, data): Parts) -> Expr {
    let in_turn = core + Expr::max(data);
    let in_turn = match text {
        None => in_turn,
        Some(text) => Expr::max([in_turn, text]),
    };
    let overlap = Expr::machine("overlap");
    overlap.clone() * slowest + (Expr::from(1.0) - overlap) * in_turn
}

/// The whole time from these parts.
pub(super) fn whole(parts: Parts) -> Expr {
    estimate(slowest_of(&parts), parts)
}

/// Nothing where there is nothing to divide by.
fn ratio(above: Expr, below: Expr) -> Expr {
    let none = || Expr::from(0.0);
    let quotient = above.quotient(below.clone());
    Expr::choose(Comparison::Greater, below, none(), quotient, none())
}

/// Seconds in which loads and stores wait for lines of memory: while these arrive, the first cache serves only some of them.
fn define_waiting(core: InCoreFigures, levels: &[LevelFigures], figures: &mut Figures) -> FigureId {
    figures.define(F::WaitingTime, waiting(core.accesses, levels))
}

/// Seconds in which accesses that take so long alone wait for lines of memory.
pub(super) fn waiting(accesses: FigureId, levels: &[LevelFigures]) -> Expr {
    let memory = (levels.iter()).filter(|level| level.kind == LevelKind::Memory);
    let memory = Expr::max(memory.map(|level| Expr::from(level.seconds)));
    waiting_for(accesses, memory)
}

/// The same for lines that arrive in so many seconds.
pub(super) fn waiting_for(accesses: FigureId, memory: Expr) -> Expr {
    let both = Expr::min([Expr::from(accesses), memory]);
    (Expr::from(1.0) - Expr::machine("access_overlap")) * both
}

/// Bytes and times of all levels whose bandwidth is known; without lines that do not come at it, where these are apart. The
/// first one serves all references, in the time of those that are loaded and stored, where that is known.
fn define_levels(
    machine: &MachineModel,
    (registers, accessed): (Expr, Option<FigureId>),
    (caches_moved, traffic, is_apart): (&NestLevels, &NestTraffic, bool),
    figures: &mut Figures,
) -> Vec<LevelFigures> {
    let regular = |bytes: FigureId, cache: Option<&CacheFigures>| {
        let apart = cache.and_then(|cache| cache.irregular);
        match apart.filter(|_| is_apart) {
            Some(others) => Expr::max([Expr::from(bytes) - Expr::from(others), 0.0.into()]),
            None => Expr::from(bytes),
        }
    };
    let mut levels = Vec::new();
    let caches = super::levels_of(machine, figures.detail());
    let any_machine = figures.detail() == Detail::AnyMachine;
    for (position, cache) in caches.iter().enumerate() {
        if cache.gbs.is_none() && !any_machine {
            continue;
        }
        let before = position.checked_sub(1);
        let bytes = match before {
            None => figures.define(F::RegisterTraffic, registers.clone()),
            Some(before) => caches_moved.caches[before].bytes,
        };
        let cache_before = before.and_then(|at| caches_moved.caches.get(at));
        let served = match (before, accessed) {
            (None, Some(accessed)) if any_machine => {
                bandwidth::where_positive(accessed.into(), accessed.into(), bytes.into())
            }
            (None, Some(accessed)) => accessed.into(),
            _ => regular(bytes, cache_before),
        };
        let mut seconds = served.quotient(bandwidth::cache(cache, figures.runs_on()));
        if any_machine {
            seconds = bandwidth::where_known(cache, seconds, Expr::from(0.0));
        }
        let seconds = figures.define(
            F::LevelTime.about(Subject::Level(cache.name.as_str().into())),
            seconds,
        );
        levels.push(LevelFigures {
            kind: LevelKind::Cache,
            name: cache.name.clone(),
            behind: before,
            bytes,
            seconds,
        });
    }
    let last = caches_moved.caches.last();
    let memory = regular(traffic.actual, last).quotient(bandwidth::memory(figures));
    let memory = figures.define(F::MemoryTime, memory);
    levels.push(LevelFigures {
        kind: LevelKind::Memory,
        name: "DRAM".into(),
        behind: caches_moved.caches.len().checked_sub(1),
        bytes: traffic.actual,
        seconds: memory,
    });
    levels
}

/// What the in-core time is called where it is the longest.
const IN_CORE_NAMES: [&str; 2] = ["chain", "ports"];
/// The same of writing text.
const TEXT_NAME: &str = "text";

/// The same of branches that are predicted wrongly.
const BRANCHES_NAME: &str = "branches";

/// What irregular lines are called where they take the longest.
const IRREGULAR_NAME: &str = "latency";

/// What the longest part of a nest is found from.
#[derive(Clone, Copy)]
struct Longest {
    core: FigureId,
    text: Option<FigureId>,
    behind: Behind,
    slowest: FigureId,
}

/// Counts what takes longest: arithmetic at peak, the levels, chains, ports, irregular lines, text, branches. The first of several that
/// take as long is it, those in the core before all others.
fn bound(
    Longest {
        core,
        text,
        behind,
        slowest,
    }: Longest,
    in_core: Option<InCoreFigures>,
    levels: &[LevelFigures],
) -> Expr {
    let where_slowest = |time: Expr, then: Expr, otherwise: Expr| {
        let slowest = Expr::from(slowest);
        Expr::choose(Comparison::GreaterOrEqual, time, slowest, then, otherwise)
    };
    let cores = in_core.map_or(0, |_| IN_CORE_NAMES.len());
    let latency = levels.len() + cores + 2;
    let last = match (text, behind.irregular) {
        (None, _) => levels.len() + 1,
        (Some(_), None) => latency,
        (Some(_), Some(_)) => latency + 1,
    };
    let data =
        (levels.iter().enumerate().rev()).fold(Expr::from(last as f64), |otherwise, (i, level)| {
            let own = Expr::from(i as f64 + 2.0);
            let then = match (level.kind, behind.irregular) {
                (LevelKind::Memory, Some(irregular)) => {
                    let others = level.taken(Behind {
                        irregular: None,
                        ..behind
                    });
                    let latency = Expr::from(latency as f64);
                    Expr::choose(Comparison::Greater, irregular.into(), others, latency, own)
                }
                _ => own,
            };
            where_slowest(level.taken(behind), then, otherwise)
        });
    let Some(found) = in_core else {
        return where_slowest(core.into(), Expr::from(1.0), data);
    };
    let [chains, ports] = [2.0, 3.0].map(|at| Expr::from(levels.len() as f64 + at));
    let (chain_time, port_time) = (Expr::from(found.chains), Expr::from(found.ports));
    let larger = Expr::choose(
        Comparison::GreaterOrEqual,
        chain_time,
        port_time.clone(),
        chains,
        ports,
    );
    let of_core = Expr::max([Expr::from(found.chains), port_time]);
    let larger = match found.branches {
        None => larger,
        Some(branches) => {
            let others = [text.is_some(), behind.irregular.is_some()];
            let others = others.into_iter().filter(|is_there| *is_there).count();
            let own = Expr::from((levels.len() + cores + others + 2) as f64);
            let lost = Expr::from(branches.seconds);
            Expr::choose(Comparison::Greater, lost, of_core.clone(), own, larger)
        }
    };
    // Of a machine that does not say, the core's time is that of arithmetic at peak.
    let core_bound = bandwidth::where_positive(of_core, larger, Expr::from(1.0));
    where_slowest(core.into(), core_bound, data)
}

/// Bytes between registers and the first level: every reference, every time.
fn register_traffic(nest: &Nest, streams: &[StreamFigures], iterations: &[Expr]) -> Expr {
    Expr::sum(streams.iter().map(|figures| {
        let used = &nest.streams[figures.index];
        let references: u64 = used
            .stream
            .accesses
            .iter()
            .map(|a| a.reads + a.writes)
            .sum();
        Expr::product([
            Expr::from(references as f64),
            Expr::from(figures.width),
            iterations[used.level].clone(),
        ])
    }))
}
