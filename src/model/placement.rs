//! Which arrays may go to memory that is farther away? What each array moves between the last cache and memory in a run, and
//! what the run takes with some of its pages, or all, in far memory (guide: static-model, "Arrays in far memory").
//!
//! Of every nest, with b bytes of its arrays in far memory that arrive in order, and r bytes of irregular lines:
//!
//! ```text
//! ordered lines   max(near bytes / near bandwidth, b / far bandwidth)   both memories deliver side by side
//! irregular lines as in RAM + r·(latency per line in flight in far memory − that in RAM)
//! time            as ever: core, caches and memory overlap
//! ```

use super::calls::Revisits;
use super::nest_model::NestModel;
use super::time::{self, LevelKind, whole};
use super::traffic::is_on;
use super::{ArrayFigures, Model, bandwidth, irregular};
use crate::analysis::facts::{Object, Owner};
use crate::expr::{Expr, FigureId, Lookup, Symbol};
use crate::machine::parameters::{IRREGULAR, SCENARIOS};

/// Names that the formulas are over, beside figures of the model and of the machine.
pub const FAR_LATENCY: &str = "far_latency_ns";
pub const FAR_GBS: &str = "far_gbs";
/// What the run may lose, in the workbook.
pub const FAR_BUDGET: &str = "far_loss_budget";
/// Bytes of a nest in far memory: of lines that arrive in order, and of irregular ones.
pub const FAR_ORDERED: &str = "far_ordered_bytes";
pub const FAR_IRREGULAR: &str = "far_irregular_bytes";

/// The memory behind a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FarMemory {
    pub latency_ns: f64,
    /// 10⁹ bytes per second, of all cores together.
    pub gbs: f64,
    /// By how much the run may take longer, as a share of its time.
    pub budget: f64,
}

/// All arrays of a run.
#[derive(Clone, Debug)]
pub struct Placement {
    pub memory: FarMemory,
    /// Those that may go first come first: the least loss for a byte.
    pub objects: Vec<PlacedObject>,
    /// Those whose time and bytes are known, in the order of the program.
    pub nests: Vec<PlacedNest>,
    /// Seconds of the run with all in RAM.
    pub seconds: f64,
    /// By what share it takes longer with all that go.
    pub together: f64,
    /// Nests whose time or whose bytes are not known: what is said leaves them out.
    pub unknown_nests: usize,
    /// Pages of all arrays in both memories: shares, and by what share the run takes longer.
    pub interleaved: Vec<(f64, f64)>,
    /// The largest such share within the budget, and the one with the least time.
    pub largest_share: f64,
    pub fastest_share: f64,
    pub fastest_loss: f64,
}

/// An array of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedObject {
    /// The arrays that it may be: one, or several that calls pass for one name.
    pub objects: Vec<Object>,
    /// Bytes of the lines that a nest touches, the most of all nests.
    pub touched: f64,
    /// Bytes between the last cache and memory in the run.
    pub bytes: f64,
    /// Of these, lines that no prefetcher predicts; `None` where there are some, and the machine does not say what they take:
    /// then they are not told apart from lines in order.
    pub irregular: Option<f64>,
    /// By what share the run takes longer with this one alone in far memory; `None` where it has lines that no prefetcher
    /// predicts, and the machine does not say what these take.
    pub loss: Option<f64>,
    /// Whether it goes when arrays are taken one after the other within the budget.
    pub goes: bool,
    /// Whether it is of the set with most bytes within the budget; unknown where arrays are many.
    pub best: Option<bool>,
    /// The share of its pages that goes if those of arrays that do not fit are interleaved.
    pub share: f64,
    /// Whether the bytes of all nests that touch it are exact as far as is known.
    pub is_sure: bool,
}

/// A nest, with what it moves of arrays.
#[derive(Clone, Debug)]
pub struct PlacedNest {
    /// Its position among the model's nests.
    pub nest: usize,
    /// Of one execution with some of its bytes in far memory, as [`seconds`] has it, and with none.
    pub seconds: Expr,
    now: f64,
    /// How often it moves its bytes in the run.
    pub executions: f64,
    pub moved: Vec<Moved>,
}

/// What one execution of a nest moves of an array of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Position among the objects.
    pub object: usize,
    /// Positions among the nest's arrays: it may have several names.
    pub arrays: Vec<usize>,
    /// Bytes of lines that arrive in order, and of irregular ones.
    pub ordered: f64,
    pub irregular: f64,
    /// Whether there are irregular lines among those in order, as the machine does not say what they take.
    pub is_unrated: bool,
}

impl Moved {
    /// Bytes of lines that arrive in order, and of irregular ones, where they are told apart.
    pub fn told_apart(&self) -> Option<(f64, f64)> {
        (!self.is_unrated).then_some((self.ordered, self.irregular))
    }
}

/// Shares of all pages that are looked at.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Arrays up to which all sets are tried.
const MOST_TRIED: usize = 12;

impl PlacedObject {
    /// What it is called; `of_owner` where another one has the same name.
    pub fn name(&self, all: &[PlacedObject]) -> String {
        let is_shared = |object: &Object| {
            let others = all.iter().flat_map(|other| &other.objects);
            let mut same = others.filter(|other| other.name == object.name);
            same.any(|other| other.owner != object.owner)
        };
        let one = |object: &Object| match is_shared(object) {
            true => format!("{} ({})", object.name, owner(object)),
            false => object.name.clone(),
        };
        let names: Vec<String> = self.objects.iter().map(one).collect();
        names.join(" or ")
    }
}

fn owner(object: &Object) -> String {
    match &object.owner {
        Owner::Program => "program".to_string(),
        Owner::File(file) => file.to_string(),
        Owner::Scope { name, .. } | Owner::Procedure { name, .. } => name.clone(),
        Owner::Common(name) => format!("/{name}/"),
        Owner::Structure(name) => format!("struct {name}"),
    }
}

/// Bytes of an array's lines that arrive in order.
pub fn ordered(array: &ArrayFigures) -> Expr {
    let irregular = array.irregular.map_or(Expr::from(0.0), Expr::from);
    Expr::from(array.bytes) - irregular
}

/// How often a nest moves its bytes in the run; `None` where no call leads to it.
pub fn executions(model: &Model, nest: usize) -> Option<Expr> {
    let calls = match model.ranking.of(nest)?.full {
        None => return Some(Expr::from(1.0)),
        Some(full) => Expr::from(full),
    };
    let cold = model.ranking.revisits(nest);
    let cold = cold.and_then(|Revisits { cold }| cold.last().copied());
    Some(match cold {
        None => calls,
        Some(cold) => is_on(SCENARIOS, calls, cold.into()),
    })
}

/// Seconds of one execution of a nest with some of its bytes in far memory; `None` if its time has no memory in it.
pub fn seconds(model: &Model, nest: &NestModel) -> Option<Expr> {
    let taken = &nest.time;
    let memory = taken
        .levels
        .iter()
        .find(|own| own.kind == LevelKind::Memory)?;
    let on = nest.nest.runs_on();
    let near = bandwidth::memory_of(on, &model.figures);
    let far_latency = || Expr::symbol(FAR_LATENCY);
    let far = bandwidth::behind_latency(on, (Expr::symbol(FAR_GBS), far_latency()));
    let [ordered, irregular] = [FAR_ORDERED, FAR_IRREGULAR].map(Expr::symbol);
    let stays = Expr::from(memory.seconds) - ordered.clone().quotient(near.clone());
    let lines = Expr::max([stays, ordered.quotient(far.clone())]);
    let waiting = taken.in_core.filter(|_| taken.waiting.is_some());
    let waiting = waiting.map(|core| time::waiting_for(core.accesses, lines.clone()));
    let late = taken.irregular.map(|found| {
        let [latency, _] = IRREGULAR.map(Expr::machine);
        let longer = irregular::seconds_of_byte(on, (far_latency(), far))
            - irregular::seconds_of_byte(on, (latency, near));
        let found = Expr::from(found.seconds) + irregular * longer;
        Expr::max([found, 0.0.into()])
    });
    let memory = Expr::sum([lines].into_iter().chain(waiting).chain(late));
    let caches = taken
        .levels
        .iter()
        .filter(|own| own.kind == LevelKind::Cache);
    let data = caches.map(|own| Expr::from(own.seconds)).chain([memory]);
    let parts = (
        taken.core.into(),
        taken.text.map(Expr::from),
        data.collect(),
    );
    Some(whole(parts))
}

/// The value of a formula with so many bytes in far memory: those that arrive in order, and irregular ones.
pub fn value(
    model: &Model,
    memory: FarMemory,
    formula: &Expr,
    (ordered, irregular): (f64, f64),
) -> f64 {
    let far = [
        (FAR_LATENCY, memory.latency_ns),
        (FAR_GBS, memory.gbs),
        (FAR_ORDERED, ordered),
        (FAR_IRREGULAR, irregular),
    ];
    formula.evaluate(&Known { model, far }).unwrap_or(f64::NAN)
}

/// Numbers of a model, with those of far memory.
struct Known<'k, 'p> {
    model: &'k Model<'p>,
    far: [(&'static str, f64); 4],
}

impl Lookup for Known<'_, '_> {
    fn symbol(&self, symbol: &Symbol) -> Option<f64> {
        let mut far = self.far.iter();
        let far = far.find(|(name, _)| *name == symbol.name());
        far.map_or_else(
            || self.model.figures.symbol(symbol),
            |(_, value)| Some(*value),
        )
    }

    fn figure(&self, id: FigureId) -> Option<f64> {
        self.model.figures.figure(id)
    }
}

/// What tries shares.
struct Search<'s, 'p> {
    model: &'s Model<'p>,
    memory: FarMemory,
    nests: Vec<PlacedNest>,
    total: f64,
}

impl Search<'_, '_> {
    /// By what share the run takes longer with these shares of the objects in far memory.
    fn loss(&self, shares: &[f64]) -> f64 {
        let longer = |nest: &PlacedNest| {
            let far = nest.moved.iter().map(|own| {
                let share = shares[own.object];
                (share * own.ordered, share * own.irregular)
            });
            let (ordered, irregular) = far.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            if ordered + irregular == 0.0 {
                return 0.0;
            }
            let seconds = value(self.model, self.memory, &nest.seconds, (ordered, irregular));
            nest.executions * (seconds - nest.now)
        };
        let longer: f64 = self.nests.iter().map(longer).sum();
        // A run without loops that take time is not longer.
        if longer == 0.0 {
            0.0
        } else {
            longer / self.total
        }
    }

    fn fits(&self, shares: &[f64]) -> bool {
        self.loss(shares) <= self.memory.budget
    }

    /// The largest number from 0 to 1 that fits, of shares that it makes; with 0 they fit.
    fn largest(&self, shares: &dyn Fn(f64) -> Vec<f64>) -> f64 {
        const STEPS: usize = 30;
        if self.fits(&shares(1.0)) {
            return 1.0;
        }
        let (mut fits, mut does_not) = (0.0, 1.0);
        for _ in 0..STEPS {
            let middle = (fits + does_not) / 2.0;
            match self.fits(&shares(middle)) {
                true => fits = middle,
                false => does_not = middle,
            }
        }
        // A step of the search is no share of pages.
        if fits < 1e-6 { 0.0 } else { fits }
    }

    /// The number from 0 to 1 with the least loss, which falls before it and rises behind.
    fn fastest(&self, shares: &dyn Fn(f64) -> Vec<f64>) -> f64 {
        const STEPS: usize = 60;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..STEPS {
            let [a, b] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
            match self.loss(&shares(a)) <= self.loss(&shares(b)) {
                true => high = b,
                false => low = a,
            }
        }
        // Where nothing is gained, all stays.
        let found: f64 = (low + high) / 2.0;
        match self.loss(&shares(found)) < -1e-9 {
            true => found,
            false => 0.0,
        }
    }

    fn place(&self, objects: &mut [PlacedObject]) -> f64 {
        let none = vec![0.0; objects.len()];
        let (mut goes, mut shares) = (none.clone(), none.clone());
        for at in (0..objects.len()).filter(|at| objects[*at].loss.is_some()) {
            goes[at] = 1.0;
            if !self.fits(&goes) {
                goes[at] = 0.0;
            }
            let with = |share: f64| {
                let mut with = shares.clone();
                with[at] = share;
                with
            };
            shares[at] = self.largest(&with);
        }
        let best = (objects.len() <= MOST_TRIED).then(|| self.most_bytes(objects));
        for (at, object) in objects.iter_mut().enumerate() {
            object.goes = goes[at] > 0.0;
            object.share = shares[at];
            object.best = best.map(|set| set >> at & 1 == 1);
        }
        self.loss(&goes)
    }

    /// Of all sets within the budget the one with most bytes.
    fn most_bytes(&self, objects: &[PlacedObject]) -> u32 {
        let mut best = (0.0, 0);
        for set in 0..1_u32 << objects.len() {
            let has = |at: usize| f64::from(set >> at & 1);
            let shares: Vec<f64> = (0..objects.len()).map(has).collect();
            let is_unknown = |at: usize| objects[at].loss.is_none() && shares[at] > 0.0;
            if (0..objects.len()).any(is_unknown) {
                continue;
            }
            let sizes = objects.iter().map(|own| own.touched);
            let bytes: f64 = shares.iter().zip(sizes).map(|(a, b)| a * b).sum();
            if bytes > best.0 && self.fits(&shares) {
                best = (bytes, set);
            }
        }
        best.1
    }
}

/// Places the arrays of a model whose nests tell them apart.
pub fn place(model: &Model, memory: FarMemory) -> Placement {
    let value = |expr: &Expr| expr.evaluate(&model.figures).unwrap_or(f64::NAN);
    let mut objects: Vec<PlacedObject> = Vec::new();
    let (mut nests, mut unknown_nests) = (Vec::new(), 0);
    for (index, nest) in model.nests.iter().enumerate() {
        let Some(executions) = executions(model, index).map(|expr| value(&expr)) else {
            continue;
        };
        let now = model.value(nest.time.seconds);
        let all = || nest.arrays.iter().map(|own| model.value(own.bytes));
        let is_known = now.is_finite() && executions.is_finite() && all().all(f64::is_finite);
        let Some(seconds) = seconds(model, nest).filter(|_| is_known) else {
            unknown_nests += 1;
            continue;
        };
        let is_exact = nest.mark().is_empty();
        let mut touched: Vec<(usize, f64)> = Vec::new();
        let mut moved: Vec<Moved> = Vec::new();
        for (array, own) in nest.arrays.iter().enumerate() {
            let object = object_of(model, nest, own, &mut objects);
            let (bytes, ordered) = (model.value(own.bytes), value(&ordered(own)));
            let found = &mut objects[object];
            found.bytes += executions * bytes;
            if let Some(irregular) = &mut found.irregular {
                *irregular += executions * (bytes - ordered);
            }
            found.is_sure &= is_exact;
            found.is_sure &= executions <= 1.0 || stays(nest, own);
            if own.is_unrated {
                (found.loss, found.irregular) = (None, None);
            }
            let lines = model.value(own.touched);
            match touched.iter_mut().find(|(known, _)| *known == object) {
                Some((_, bytes)) => *bytes += lines,
                None => touched.push((object, lines)),
            }
            let (irregular, array_is_unrated) = (bytes - ordered, own.is_unrated);
            match moved.iter_mut().find(|own| own.object == object) {
                Some(own) => {
                    own.arrays.push(array);
                    own.ordered += ordered;
                    own.irregular += irregular;
                    own.is_unrated |= array_is_unrated;
                }
                None => moved.push(Moved {
                    object,
                    arrays: vec![array],
                    ordered,
                    irregular,
                    is_unrated: array_is_unrated,
                }),
            }
        }
        for (object, bytes) in touched {
            objects[object].touched = objects[object].touched.max(bytes);
        }
        nests.push(PlacedNest {
            nest: index,
            seconds,
            now,
            executions,
            moved,
        });
    }
    mark_shared(&mut objects);
    let total = model.value(model.ranking.total);
    let search = Search {
        model,
        memory,
        nests,
        total,
    };
    finish(search, objects, unknown_nests)
}

/// Whether all executions of a nest touch the same elements of an array: nothing but its loops moves along it.
fn stays(nest: &NestModel, own: &ArrayFigures) -> bool {
    let facts = &nest.nest;
    let mut streams = facts.streams.iter().chain(&facts.fixed);
    streams.all(|used| {
        let stream = &used.stream;
        let mut subscripts = stream.subscripts.iter();
        stream.array.as_str() != own.array.0
            || subscripts.all(|subscript| subscript.base.symbols().is_empty())
    })
}

/// An array that one name stands for, and another one for it or a second array: what it moves is not known in either row.
fn mark_shared(objects: &mut [PlacedObject]) {
    let shares = |own: &PlacedObject, other: &PlacedObject| {
        let mut arrays = own.objects.iter();
        own.objects != other.objects && arrays.any(|array| other.objects.contains(array))
    };
    let is_shared = |own: &PlacedObject| objects.iter().any(|other| shares(own, other));
    let shared: Vec<bool> = objects.iter().map(is_shared).collect();
    for (object, is_shared) in objects.iter_mut().zip(shared) {
        object.is_sure &= !is_shared;
    }
}

/// Chooses, and brings objects into their order.
fn finish(mut search: Search, mut objects: Vec<PlacedObject>, unknown_nests: usize) -> Placement {
    for at in 0..objects.len() {
        let mut alone = vec![0.0; objects.len()];
        alone[at] = 1.0;
        objects[at].loss = objects[at].loss.map(|_| search.loss(&alone));
    }
    let mut order: Vec<usize> = (0..objects.len()).collect();
    let each = |at: &usize| {
        let loss = objects[*at]
            .loss
            .map_or(f64::INFINITY, |loss| loss.max(0.0));
        loss / objects[*at].touched.max(1.0)
    };
    order.sort_by(|a, b| {
        let larger_first = objects[*b].touched.total_cmp(&objects[*a].touched);
        each(a).total_cmp(&each(b)).then(larger_first)
    });
    let mut new = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(old, now)| new[*old] = now);
    objects = order.iter().map(|old| objects[*old].clone()).collect();
    let moved = search.nests.iter_mut().flat_map(|nest| &mut nest.moved);
    moved.for_each(|own| own.object = new[own.object]);
    let together = search.place(&mut objects);
    let all = |share: f64| vec![share; new.len()];
    let fastest_share = search.fastest(&all);
    Placement {
        memory: search.memory,
        seconds: search.total,
        together,
        unknown_nests,
        interleaved: SHARES
            .map(|share| (share, search.loss(&all(share))))
            .to_vec(),
        largest_share: search.largest(&all),
        fastest_share,
        fastest_loss: search.loss(&all(fastest_share)),
        objects,
        nests: search.nests,
    }
}

/// The object that a nest's array stands for; a new one if it was not met before.
fn object_of(
    model: &Model,
    nest: &NestModel,
    own: &ArrayFigures,
    objects: &mut Vec<PlacedObject>,
) -> usize {
    let function = &model.program.functions[nest.nest.function];
    let named = function.objects.iter();
    let named = named.filter(|named| named.name.as_str() == own.array.0);
    let is_whole = named.clone().all(|named| named.is_whole);
    let mut found: Vec<Object> = named.map(|named| named.object.clone()).collect();
    if found.is_empty() {
        found.push(Object {
            name: own.array.0.clone(),
            owner: Owner::Procedure {
                name: function.name.clone(),
                file: function.file.clone(),
            },
        });
    }
    let known = objects.iter().position(|known| known.objects == found);
    let known = known.unwrap_or_else(|| {
        objects.push(PlacedObject {
            objects: found,
            touched: 0.0,
            bytes: 0.0,
            irregular: Some(0.0),
            loss: Some(0.0),
            goes: false,
            best: None,
            share: 0.0,
            is_sure: true,
        });
        objects.len() - 1
    });
    objects[known].is_sure &= is_whole;
    known
}
