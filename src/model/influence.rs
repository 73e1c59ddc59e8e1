//! How much of the program's time rests on each parameter.

use std::collections::{BTreeSet, HashMap};

use fixedbitset::FixedBitSet;
use serde::Serialize;

use super::nest::Nest;
use super::parameters::{Kind, ParameterTable, Row};
use super::{Model, NestModel};
use crate::expr::{Expr, Symbol};

/// One parameter with what rests on it.
#[derive(Clone, Copy, Debug)]
pub struct Influence<'m> {
    pub row: &'m Row,
    /// Share of the estimated time of all nests in those whose figures, or whose number of calls, depend on it, 0 to 1.
    pub share: f64,
    /// Share of the work of all nests that is in those, 0 to 1: of the bytes of references and the operations, which no
    /// machine changes.
    pub work: f64,
    /// How many of the costliest nests depend on it, of how many.
    pub nests: (usize, usize),
    /// What it is to a run, if the program is given it; `None` of what the source says or what follows.
    pub standing: Option<Standing>,
}

/// What a parameter that the program is given is to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// A root: at least [`FELT`] of the time rests on it.
    Root,
    /// Less time rests on it.
    Minor,
    /// Where execution starts, no calls lead to what mentions it.
    Unreached,
    /// How far data lie apart that nothing describes, or where they begin.
    OfData,
}

impl Standing {
    fn of(row: &Row, is_reached: bool, share: f64) -> Option<Standing> {
        row.is_given().then(|| match row.is_of_data() {
            true => Standing::OfData,
            false if !is_reached => Standing::Unreached,
            false if share < FELT => Standing::Minor,
            false => Standing::Root,
        })
    }
}

/// On a root rests at least this share of the time.
pub const FELT: f64 = 0.001;

impl Influence<'_> {
    /// Whether the program is given it, and time to speak of rests on it.
    pub fn is_root(&self) -> bool {
        self.standing == Some(Standing::Root)
    }
}

/// So many nests are the costliest.
const COSTLIEST: usize = 40;

/// What rests on the parameters of a model.
#[derive(Clone, Debug)]
pub struct Influences<'m> {
    /// All parameters but sizes of blocks, those first that most time rests on, equal ones in the order of the table.
    pub all: Vec<Influence<'m>>,
    /// Share of the estimated time in nests whose figures, or whose number of calls, depend on guessed sizes or trip counts,
    /// 0 to 1.
    pub on_guesses: f64,
    /// The same of branches that are taken to go each way as often as the other, as nothing says how often they do.
    pub on_even_branches: f64,
    /// How many guessed sizes only matter to nests that a run never gets to: these are not in that share.
    pub idle_guesses: usize,
}

/// What rests on the parameters of a model.
pub fn influence<'m>(model: &'m Model) -> Influences<'m> {
    let rows = model.parameters.rows();
    let seconds = |nest: usize| {
        let seconds = model.ranking.seconds(nest);
        seconds.map_or(0.0, |seconds| model.value(seconds))
    };
    let total: f64 = (0..model.nests.len())
        .map(seconds)
        .filter(|seconds| seconds.is_finite())
        .sum();
    let costliest: BTreeSet<usize> = model
        .ranking
        .costliest(&model.nests, COSTLIEST, &model.figures)
        .into_iter()
        .collect();
    let (mut times, mut counts) = (vec![0.0; rows.len()], vec![0; rows.len()]);
    let (mut works, mut total_work) = (vec![0.0; rows.len()], 0.0);
    let mut mentioned = vec![false; rows.len()];
    let mut reached = vec![false; rows.len()];
    let (mut on_guesses, mut on_even_branches) = (0.0, 0.0);
    let calls = |number: usize| {
        model
            .ranking
            .of(number)
            .map(|ranked| ranked.calls.map(|id| model.value(id)))
    };
    for (number, nest) in model.nests.iter().enumerate() {
        let used = with_calls(model, number);
        let seconds = Some(seconds(number)).filter(|seconds| seconds.is_finite());
        let seconds = seconds.unwrap_or(0.0);
        let work = (model.ranking.work((nest, number), &model.figures))
            .filter(|work| work.is_finite())
            .unwrap_or(0.0);
        total_work += work;
        if used.iter().any(|row| is_guessed_size(&rows[*row])) {
            on_guesses += seconds;
        }
        if used.iter().any(|row| is_even_branch(&rows[*row])) {
            on_even_branches += seconds;
        }
        // By the call graph, or by what decides its branches: options of the program, counts of a run.
        let is_called = calls(number).is_some_and(|calls| calls != Some(0.0));
        for row in used {
            times[row] += seconds;
            works[row] += work;
            counts[row] += usize::from(costliest.contains(&number));
            reached[row] |= is_called;
            mentioned[row] = true;
        }
    }
    let idle_guesses = (rows.iter().zip(&mentioned).zip(&reached))
        .filter(|((row, is_mentioned), is_reached)| {
            is_guessed_size(row) && !row.is_of_data() && **is_mentioned && !**is_reached
        })
        .count();
    let part = |of: f64, all: f64| if all > 0.0 { of / all } else { 0.0 };
    let share = |time: f64| part(time, total);
    let mut found: Vec<Influence> = (rows.iter().enumerate())
        .filter(|(_, row)| row.kind != Kind::Block)
        .map(|(at, row)| Influence {
            row,
            share: share(times[at]),
            work: part(works[at], total_work),
            nests: (counts[at], costliest.len()),
            standing: Standing::of(row, reached[at], share(times[at])),
        })
        .collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    Influences {
        all: found,
        on_guesses: share(on_guesses),
        on_even_branches: share(on_even_branches),
        idle_guesses,
    }
}

/// Of every function, the rows that the number of its calls depends on: those of the loops and branches around its calls,
/// and of the calls of the functions that these stand in.
fn rows_of_calls(model: &Model) -> Vec<FixedBitSet> {
    let index = index(&model.parameters);
    let behind = behind(model.parameters.rows(), &index);
    let functions = model.program.functions.len();
    let mut found = vec![FixedBitSet::new(); functions];
    let graph = &model.call_graph;
    let arriving = graph.by_callee(functions);
    // Calls from where no run gets to are none.
    let is_reached = |caller: usize| {
        let reached = graph.reached.as_ref();
        reached.is_none_or(|reached| reached.includes(caller))
    };
    for function in graph.top_down(functions) {
        let mut own = std::mem::take(&mut found[function]);
        let sites = arriving[function].iter().map(|site| &graph.sites[*site]);
        for site in sites.filter(|site| is_reached(site.caller)) {
            own.union_with(&found[site.caller]);
            for symbol in site.symbols() {
                if let Some(row) = own_row(&model.parameters, site.caller, symbol, &index) {
                    own.extend(behind[row].iter().copied());
                }
            }
        }
        for symbol in graph.symbols_of_recursion(function) {
            if let Some(row) = own_row(&model.parameters, function, symbol, &index) {
                own.extend(behind[row].iter().copied());
            }
        }
        found[function] = own;
    }
    found
}

/// Whether nothing says what a size or trip count is.
fn is_guessed_size(row: &Row) -> bool {
    !matches!(row.kind, Kind::Block | Kind::Probability) && row.is_guessed()
}

/// Whether a branch is taken to go each way as often as the other, as nothing says how often it does.
fn is_even_branch(row: &Row) -> bool {
    row.kind == Kind::Probability && row.is_guessed() && row.value == EVEN
}

const EVEN: f64 = 0.5;

/// The sizes that a nest's figures rest on and that nothing gives, as the source calls them.
pub fn guessed(nest: &Nest, parameters: &ParameterTable) -> Vec<String> {
    let (rows, index) = (parameters.rows(), index(parameters));
    let used = rows_of(nest, parameters, &index, &behind(rows, &index));
    let used = used.into_iter().map(|row| &rows[row]);
    used.filter(|row| is_guessed_size(row))
        .map(|row| row.label.clone())
        .collect()
}

/// The sizes, trip counts and probabilities that the figures of the nest with this number, or the number of its calls, rest
/// on and that nothing gives.
pub fn guesses<'m>(model: &'m Model, nest: usize) -> impl Iterator<Item = &'m Row> + use<'m> {
    let rows = model.parameters.rows();
    let used = with_calls(model, nest).into_iter().map(|row| &rows[row]);
    used.filter(|row| row.kind != Kind::Block && row.is_guessed())
}

/// Numbers of the rows that the figures of a nest, or the number of its calls, rest on.
fn with_calls(model: &Model, nest: usize) -> BTreeSet<usize> {
    let mut used: BTreeSet<usize> = foundations(model)[nest].iter().copied().collect();
    if model.ranking.follows_calls && model.ranking.of(nest).is_some() {
        let of_calls = model.rows_of_calls.get_or_init(|| rows_of_calls(model));
        used.extend(of_calls[model.nests[nest].nest.function].ones());
    }
    used
}

/// Whether the nest with this number has the largest of several sizes that its function is called with, or that a variable
/// is given.
pub(super) fn has_several_sizes(model: &Model, nest: usize) -> bool {
    foundation(model, nest).any(Row::has_several)
}

/// Whether the number of calls of a function rests on the largest of several sizes.
pub(super) fn are_calls_of_several_sizes(model: &Model, function: usize) -> bool {
    let of_calls = model.rows_of_calls.get_or_init(|| rows_of_calls(model));
    let rows = model.parameters.rows();
    (of_calls[function].ones()).any(|row| rows[row].has_several())
}

/// The parameters that the figures of the nest with this number rest on.
fn foundation<'m>(model: &'m Model, nest: usize) -> impl Iterator<Item = &'m Row> + use<'m> {
    let rows = model.parameters.rows();
    foundations(model)[nest].iter().map(|row| &rows[*row])
}

/// Numbers of the rows that the figures of each nest rest on.
fn foundations<'m>(model: &'m Model) -> &'m [Vec<usize>] {
    model.foundations.get_or_init(|| {
        let index = index(&model.parameters);
        let behind = behind(model.parameters.rows(), &index);
        let of = |nest: &NestModel| rows_of(&nest.nest, &model.parameters, &index, &behind);
        let nests = model.nests.iter();
        nests.map(|nest| of(nest).into_iter().collect()).collect()
    })
}

/// Numbers of the rows that a nest's figures rest on.
fn rows_of(
    nest: &Nest,
    parameters: &ParameterTable,
    index: &HashMap<&str, usize>,
    behind: &[Vec<usize>],
) -> BTreeSet<usize> {
    let mut used = BTreeSet::new();
    each_symbol(nest, &mut |symbol| {
        if let Some(row) = own_row(parameters, nest.function, symbol, index) {
            used.extend(behind[row].iter().copied());
        }
    });
    used
}

/// Numbers of rows by their names.
fn index(parameters: &ParameterTable) -> HashMap<&str, usize> {
    let names = parameters.rows().iter().map(|row| row.name.as_str());
    names.zip(0..).collect()
}

fn own_row(
    parameters: &ParameterTable,
    function: usize,
    symbol: &Symbol,
    index: &HashMap<&str, usize>,
) -> Option<usize> {
    let row = parameters.row(function, symbol)?;
    index.get(row.name.as_str()).copied()
}

/// Of every row, the rows that its value depends on, itself among them.
fn behind(rows: &[Row], index: &HashMap<&str, usize>) -> Vec<Vec<usize>> {
    let of = |row: usize| {
        let mut found = vec![row];
        let mut next = 0;
        while let Some(row) = found.get(next).copied() {
            next += 1;
            let definition = rows[row].definition.iter();
            for symbol in definition.flat_map(Expr::symbols) {
                if let Some(other) = index.get(symbol.name())
                    && !found.contains(other)
                {
                    found.push(*other);
                }
            }
        }
        found
    };
    (0..rows.len()).map(of).collect()
}

/// The symbols that the figures of a nest mention.
fn each_symbol(nest: &Nest, visit: &mut dyn FnMut(&Symbol)) {
    let mut expression = |expr: &Expr| expr.symbols().iter().for_each(&mut *visit);
    for chain_loop in &nest.loops {
        let facts = chain_loop.facts;
        [&facts.lower, &facts.upper, &facts.step]
            .into_iter()
            .for_each(&mut expression);
    }
    for used in &nest.streams {
        for (lower, upper) in used.stream.own_extents().iter().flatten() {
            [lower, upper].into_iter().for_each(&mut expression);
        }
        for subscript in &used.stream.subscripts {
            expression(&subscript.base);
            let terms = subscript.terms.iter();
            terms.for_each(|(_, step)| expression(step));
        }
    }
    let around = nest.loops.iter().flat_map(|l| &l.weight);
    let inside = nest.contents.iter().flat_map(|content| &content.weight);
    around.chain(inside).for_each(|(branch, _)| visit(branch));
}
