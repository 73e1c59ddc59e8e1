//! The problem's parameters: every symbol that the model's formulas mention, under a name that is at
//! once the workbook's defined name and what `--set` takes (interface.md).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::calls::CallGraph;
use super::communication::{MessageSite, NEIGHBOURS, RANKS};
use super::dimension_name;
use super::nest::Nest;
use crate::analysis::facts::{Constant, File, Function, Origin, Program};
use crate::expr::{Expr, Lookup, Node};
use crate::machine::{MachineError, MachineModel};
use crate::source::Language;

/// `--set name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    pub value: String,
}

/// What is wrong with a setting.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    #[error("--set {name}: there is no parameter of that name{}", near_names(near))]
    Unknown { name: String, near: Vec<String> },
    #[error("--set {name}={value}: {why}")]
    BadValue { name: String, value: String, why: &'static str },
    #[error("--set {name}={value}: {why}")]
    Machine { name: String, value: String, why: Box<MachineError> },
}

fn near_names(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; near ones are {}", names.join(", ")) }
}

/// What a parameter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Iterations of a block of the x, y, z … loop; 0 is not blocked.
    Block,
    /// A symbol of the source.
    Problem,
    /// How often a loop of unknown trip count runs.
    TripCount,
    /// How often a branch is taken.
    Probability,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Defined name.
    pub name: String,
    /// As the source writes it, with its function if the row is for one function only.
    pub label: String,
    pub kind: Kind,
    pub value: f64,
    /// The value as an expression over other parameters, where the source defines it so.
    pub definition: Option<Expr>,
    pub origin: Origin,
    /// The functions that mention it, in program order.
    pub functions: Vec<String>,
    /// Whether `N` is not `n`: all functions that mention it are C.
    pub is_case_sensitive: bool,
}

impl Row {
    /// Whether it is the number of processes, of which there is at least one.
    pub fn is_process_count(&self) -> bool {
        self.label == RANKS
    }
}

/// All parameters of a model.
#[derive(Clone, Debug, Default)]
pub struct ParameterTable {
    rows: Vec<Row>,
    /// (function index, symbol) to row.
    resolved: HashMap<(usize, String), usize>,
}

/// Value of a symbol that nothing gives a value.
pub const DEFAULT_SIZE: f64 = 128.0;
/// Value of a symbol that only ever is the start of a range, or a step.
pub const DEFAULT_ORIGIN: f64 = 1.0;
/// Neighbours of a process in a topology that nothing is known of: the faces of a box.
pub const DEFAULT_NEIGHBOURS: f64 = 6.0;
/// Probability of a branch that nothing is known of.
pub const DEFAULT_PROBABILITY: f64 = 0.5;

impl ParameterTable {
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a symbol of a function.
    pub fn row(&self, function: usize, symbol: &str) -> Option<&Row> {
        self.resolved.get(&(function, symbol.to_string())).map(|row| &self.rows[*row])
    }

    /// The parameter that a symbol of a function stands for.
    pub fn symbol(&self, function: usize, symbol: &str) -> Expr {
        match self.resolved.get(&(function, symbol.to_string())) {
            Some(row) => Expr::symbol(&self.rows[*row].name),
            None => Expr::symbol(symbol),
        }
    }

    /// An expression of a function over defined names.
    pub fn resolve(&self, function: usize, expr: &Expr) -> Expr {
        expr.substitute(&|name| Some(self.symbol(function, name)))
    }

    pub(super) fn build(
        program: &Program,
        (nests, calls, messages): (&[Nest], &CallGraph, &[MessageSite]),
        mut machine: MachineModel,
        dimensions: usize,
        settings: &[Setting],
    ) -> Result<(MachineModel, ParameterTable), SettingError> {
        let mut table = ParameterTable::default();
        let mut names = Names::new(&machine, dimensions);
        for position in 0..dimensions {
            let name = format!("block_{}", dimension_name(position));
            table.rows.push(Row {
                label: name.clone(),
                name,
                kind: Kind::Block,
                value: 0.0,
                definition: None,
                origin: Origin::Default,
                functions: Vec::new(),
                is_case_sensitive: false,
            });
        }
        let usage = Usage::of(program, nests, calls, messages);
        table.add_symbols(program, &usage, settings, &mut names);
        table.mark_case(program);
        table.define_values(program, &usage);
        for setting in settings {
            table.apply(setting, &mut machine)?;
        }
        table.evaluate();
        Ok((machine, table))
    }

    /// One row a name; a function with a value of its own, or set on its own, gets its own row.
    fn add_symbols(&mut self, program: &Program, usage: &Usage, settings: &[Setting], names: &mut Names) {
        for (symbol, functions) in &usage.functions {
            let value = |f: usize| {
                let constant = constant(&program.functions[f], symbol)?;
                (constant.origin != Origin::Callers).then_some(&constant.value)
            };
            let first = value(functions[0]);
            let agree = functions.iter().all(|f| value(*f) == first);
            let is_set = |f: usize| {
                let own = format!("{}.{symbol}", program.functions[f].name);
                settings.iter().any(|s| s.name == own || s.name == names.legal(&own))
            };
            let (own, shared): (Vec<usize>, Vec<usize>) =
                functions.iter().partition(|f| is_set(**f) || (!agree && value(**f).is_some()));
            if !shared.is_empty() {
                let used_by = shared.iter().map(|f| program.functions[*f].name.clone()).collect();
                self.add_row(symbol.clone(), used_by, symbol, &shared, names);
            }
            let mut by_name: BTreeMap<(&str, Option<&Expr>), Vec<usize>> = BTreeMap::new();
            for function in own {
                let name = program.functions[function].name.as_str();
                by_name.entry((name, value(function))).or_default().push(function);
            }
            for ((name, _), functions) in by_name {
                self.add_row(format!("{name}.{symbol}"), vec![name.to_string()], symbol, &functions, names);
            }
        }
    }

    fn add_row(&mut self, label: String, used_by: Vec<String>, symbol: &str, functions: &[usize], names: &mut Names) {
        let kind = match symbol {
            _ if symbol.starts_with("prob_") => Kind::Probability,
            _ if symbol.starts_with("trip_") => Kind::TripCount,
            _ => Kind::Problem,
        };
        for function in functions {
            self.resolved.insert((*function, symbol.to_string()), self.rows.len());
        }
        let mut used_by = used_by;
        used_by.dedup();
        let name = names.unique(&label);
        let origin = Origin::Default;
        let row = Row {
            name,
            label,
            kind,
            value: 0.0,
            definition: None,
            origin,
            functions: used_by,
            is_case_sensitive: kind == Kind::Problem,
        };
        self.rows.push(row);
    }

    /// Symbols that a function of another language than C mentions have no case.
    fn mark_case(&mut self, program: &Program) {
        let is_c = |file: &File| file.language == Language::C;
        let c: HashSet<&str> = program.files.iter().filter(|file| is_c(file)).map(|file| &*file.path).collect();
        for ((function, _), row) in &self.resolved {
            self.rows[*row].is_case_sensitive &= c.contains(&*program.functions[*function].file);
        }
    }

    fn define_values(&mut self, program: &Program, usage: &Usage) {
        let mut entries: Vec<(usize, usize, String)> =
            self.resolved.iter().map(|((function, symbol), row)| (*row, *function, symbol.clone())).collect();
        entries.sort();
        for (row, function, symbol) in entries {
            let found = constant(&program.functions[function], &symbol);
            let definition = found.map(|c| self.resolve(function, &c.value));
            let entry = &mut self.rows[row];
            entry.value = match entry.kind {
                Kind::Probability => DEFAULT_PROBABILITY,
                Kind::Problem if symbol == NEIGHBOURS => DEFAULT_NEIGHBOURS,
                Kind::Problem if usage.origins.contains(&symbol) => DEFAULT_ORIGIN,
                _ => usage.default_size(&symbol),
            };
            match (found, &entry.definition) {
                (Some(constant), None) if constant.origin == Origin::Callers => entry.origin = Origin::Callers,
                (Some(constant), None) => (entry.origin, entry.definition) = (constant.origin, definition),
                _ => {}
            }
        }
    }

    fn apply(&mut self, setting: &Setting, machine: &mut MachineModel) -> Result<(), SettingError> {
        let Setting { name, value } = setting;
        if machine.parameter(name).is_some() {
            let wrap = |why| SettingError::Machine { name: name.clone(), value: value.clone(), why: Box::new(why) };
            return machine.set_text(name, value).map_err(wrap);
        }
        let compact = name.replace(char::is_whitespace, "");
        let matches = |row: &&mut Row| row.name == compact || row.label == compact;
        let lower = compact.to_lowercase();
        let row = match self.rows.iter_mut().find(matches) {
            Some(row) => row,
            // Fortran ignores case.
            None => match self.rows.iter_mut().find(|row| !row.is_case_sensitive && row.name.to_lowercase() == lower) {
                Some(row) => row,
                None => return Err(self.unknown(name, machine)),
            },
        };
        let bad = |why| SettingError::BadValue { name: name.clone(), value: value.clone(), why };
        let number: f64 = value.trim().parse().map_err(|_| bad("not a number"))?;
        if !number.is_finite() {
            return Err(bad("not a finite number"));
        }
        match row.kind {
            Kind::Probability if !(0.0..=1.0).contains(&number) => return Err(bad("a probability is between 0 and 1")),
            Kind::Block if number < 0.0 || number.fract() != 0.0 => {
                return Err(bad("a block size is a whole number; 0 is not blocked"));
            }
            // A trip count may be a mean.
            Kind::Problem if number.fract() != 0.0 => {
                return Err(bad("a problem size is a whole number"));
            }
            Kind::Problem if row.is_process_count() && number < 1.0 => {
                return Err(bad("a number of processes is at least 1"));
            }
            Kind::Problem | Kind::TripCount if number.abs() > 1e15 => return Err(bad("larger than 1e15")),
            _ => {}
        }
        (row.value, row.definition, row.origin) = (number, None, Origin::Set);
        Ok(())
    }

    /// Says where the values of the parameters with these defined names come from.
    pub fn mark(&mut self, is_meant: &dyn Fn(&str) -> bool, origin: Origin) {
        self.rows.iter_mut().filter(|row| is_meant(&row.name)).for_each(|row| row.origin = origin);
    }

    fn unknown(&self, name: &str, machine: &MachineModel) -> SettingError {
        let all = machine.parameters.iter().map(|p| p.name.as_str()).chain(self.rows.iter().map(|r| r.label.as_str()));
        let suffix = format!(".{name}");
        let mut scored: Vec<(i64, &str)> = all
            .map(|other| {
                let likeness = strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
                let score = if other.ends_with(&suffix) { 2.0 } else { likeness };
                (-(score * 1000.0) as i64, other)
            })
            .filter(|(score, _)| *score <= -750)
            .collect();
        scored.sort();
        SettingError::Unknown {
            name: name.to_string(),
            near: scored.into_iter().take(5).map(|(_, n)| n.to_string()).collect(),
        }
    }

    /// Evaluates defined rows in the order of their dependence; a definition in a circle is dropped.
    fn evaluate(&mut self) {
        let index: HashMap<String, usize> = self.rows.iter().enumerate().map(|(i, r)| (r.name.clone(), i)).collect();
        let mut state = vec![State::Waiting; self.rows.len()];
        for row in 0..self.rows.len() {
            self.evaluate_row(row, &index, &mut state);
        }
    }

    fn evaluate_row(&mut self, row: usize, index: &HashMap<String, usize>, state: &mut [State]) -> bool {
        match state[row] {
            State::Done => return true,
            State::Busy => return false,
            State::Waiting => state[row] = State::Busy,
        }
        if let Some(definition) = self.rows[row].definition.clone() {
            let sound = (definition.symbols().iter())
                .all(|s| index.get(&**s).is_some_and(|other| self.evaluate_row(*other, index, state)));
            let rows = &self.rows;
            let values = |name: &str| index.get(name).map(|i| rows[*i].value);
            let value = definition.evaluate(&values as &dyn Lookup).ok().filter(|v| sound && v.is_finite());
            match value {
                Some(value) => self.rows[row].value = value,
                None => (self.rows[row].definition, self.rows[row].origin) = (None, Origin::Default),
            }
        }
        state[row] = State::Done;
        true
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Waiting,
    Busy,
    Done,
}

fn constant<'p>(function: &'p Function, symbol: &str) -> Option<&'p Constant> {
    function.constants.iter().find(|c| c.name == symbol)
}

/// Which functions mention which symbols, and how.
struct Usage {
    functions: BTreeMap<String, Vec<usize>>,
    /// Symbols that only ever start a range or are a step.
    origins: HashSet<String>,
    /// Strides of flattened arrays, each with the next shorter one of the same array.
    strides: BTreeMap<String, String>,
}

impl Usage {
    fn of(program: &Program, nests: &[Nest], calls: &CallGraph, messages: &[MessageSite]) -> Usage {
        let mut usage = Usage { functions: BTreeMap::new(), origins: HashSet::new(), strides: BTreeMap::new() };
        let (mut sizes, mut strides) = (HashSet::new(), BTreeMap::new());
        for nest in nests {
            let variables: HashSet<&str> = nest.loops.iter().map(|l| l.facts.variable.as_str()).collect();
            let mut mention = |expr: &Expr| {
                for symbol in expr.symbols().iter().filter(|s| !variables.contains(&***s)) {
                    usage.add(program, nest.function, symbol, 0);
                }
            };
            for chain_loop in &nest.loops {
                let facts = chain_loop.facts;
                [&facts.lower, &facts.upper, &facts.step].into_iter().for_each(&mut mention);
                chain_loop.weight.iter().for_each(|(symbol, _)| mention(&Expr::symbol(symbol)));
                let counts_down = facts.step.as_number().is_some_and(|s| s < 0.0);
                let (first, last) =
                    if counts_down { (&facts.upper, &facts.lower) } else { (&facts.lower, &facts.upper) };
                add_sizes(first, -1.0, &mut sizes);
                add_sizes(last, 1.0, &mut sizes);
            }
            for content in &nest.contents {
                content.weight.iter().for_each(|(symbol, _)| mention(&Expr::symbol(symbol)));
            }
            // Where rows begin decides how many cache lines they touch.
            for used in &nest.streams {
                for (lower, upper) in used.stream.extents.iter().flatten() {
                    if let Some((longer, shorter)) = ratio_of_strides(upper) {
                        strides.entry(longer).or_insert(shorter);
                    }
                    [lower, upper].into_iter().for_each(&mut mention);
                    add_sizes(lower, -1.0, &mut sizes);
                    add_sizes(upper, 1.0, &mut sizes);
                }
                for subscript in &used.stream.subscripts {
                    mention(&subscript.base);
                    add_lengths(&subscript.base, &mut sizes);
                }
            }
        }
        for (function, symbol) in calls.symbols() {
            usage.add(program, function, symbol, 0);
        }
        for site in messages {
            site.symbols(&mut |symbol, is_size| {
                usage.add(program, site.function, symbol, 0);
                if is_size {
                    sizes.insert(symbol.to_string());
                }
            });
        }
        sizes_behind(program, &mut sizes);
        usage.origins = usage.functions.keys().filter(|symbol| !sizes.contains(*symbol)).cloned().collect();
        usage.strides = strides;
        usage
    }

    /// Of the longer one of two strides of an array, so many of the shorter one: were they the same, its rows would be
    /// one row.
    fn default_size(&self, symbol: &str) -> f64 {
        let (mut size, mut symbol) = (DEFAULT_SIZE, symbol);
        for _ in 0..MOST_STRIDES {
            let Some(shorter) = self.strides.get(symbol) else { break };
            (size, symbol) = (size * DEFAULT_SIZE, shorter);
        }
        size
    }

    /// The symbol, and what its value mentions.
    fn add(&mut self, program: &Program, function: usize, symbol: &str, depth: u32) {
        let users = self.functions.entry(symbol.to_string()).or_default();
        // Functions come one after another.
        if users.last() == Some(&function) || users.contains(&function) || depth > 32 {
            return;
        }
        users.push(function);
        if let Some(constant) = constant(&program.functions[function], symbol) {
            for inner in constant.value.symbols() {
                self.add(program, function, &inner, depth + 1);
            }
        }
    }
}

/// Strides of an array that are multiples of each other by default.
const MOST_STRIDES: usize = 3;

/// Of an extent that is the quotient of two strides, `ks/js`, both.
fn ratio_of_strides(upper: &Expr) -> Option<(String, String)> {
    let length = (upper.clone() + 1.0).expand();
    match length.node() {
        Node::Quotient(longer, shorter) => match (longer.node(), shorter.node()) {
            (Node::Symbol(longer), Node::Symbol(shorter)) if longer != shorter => {
                Some((longer.to_string(), shorter.to_string()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Adds what the values of known sizes are made from: `m`, where the source says `n = 2*m`.
fn sizes_behind(program: &Program, sizes: &mut HashSet<String>) {
    let constants = || program.functions.iter().flat_map(|function| &function.constants);
    loop {
        let before = sizes.len();
        for constant in constants() {
            if sizes.contains(&constant.name) {
                add_sizes(&constant.value, 1.0, sizes);
            }
        }
        if sizes.len() == before {
            return;
        }
    }
}

/// Symbols that make a range longer when they grow, or whose effect is not plain; `sign` is that of
/// the bound in `last - first`.
fn add_sizes(bound: &Expr, sign: f64, sizes: &mut HashSet<String>) {
    for symbol in bound.symbols() {
        let slope = bound.linear_in(&[&symbol]).and_then(|linear| linear.coefficients[0].as_number());
        if slope.is_none_or(|slope| slope * sign > 0.0) {
            sizes.insert(symbol.to_string());
        }
    }
}

/// Symbols of a subscript that others are multiplied by: lengths of what lies before an element.
fn add_lengths(subscript: &Expr, sizes: &mut HashSet<String>) {
    for symbol in subscript.symbols() {
        let slope = subscript.linear_in(&[&symbol]).and_then(|linear| linear.coefficients[0].as_number());
        if slope.is_none() {
            sizes.insert(symbol.to_string());
        }
    }
}

/// Gives out defined names: legal in Excel and LibreOffice, unique without regard to case.
struct Names {
    taken: HashSet<String>,
}

impl Names {
    fn new(machine: &MachineModel, dimensions: usize) -> Names {
        let suffixed = |name: String| [format!("{name}.a"), format!("{name}.b"), name];
        let machine = machine.parameters.iter().flat_map(|p| suffixed(p.name.to_lowercase()));
        let machine = machine.chain(suffixed("preset".to_string()));
        let blocks = (0..dimensions).map(|position| format!("block_{}", dimension_name(position)));
        Names { taken: machine.chain(blocks).collect() }
    }

    fn unique(&mut self, label: &str) -> String {
        let mut name = self.legal(label);
        while !self.taken.insert(name.to_lowercase()) {
            name.push('_');
        }
        name
    }

    /// Letters, digits, dots and underscores; never what a spreadsheet reads as a cell or a keyword.
    fn legal(&self, label: &str) -> String {
        let mut name = String::new();
        for c in label.chars() {
            match c {
                c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') => name.push(c),
                ')' | ']' => {}
                _ if name.ends_with('_') => {}
                _ => name.push('_'),
            }
        }
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name.insert(0, '_');
        }
        name.truncate(200);
        let last = name.rsplit('.').next().unwrap_or(&name);
        if starts_like_r1c1(&name) {
            name.insert(0, '_');
        } else if is_reserved(&name) || is_reserved(last) {
            name.push('_');
        }
        name
    }
}

/// `r1`, `c2max`, `rc3`: Excel ignores what follows the number, so nothing at the end makes it a name.
fn starts_like_r1c1(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["rc", "r", "c"]
        .iter()
        .any(|head| lower.strip_prefix(head).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())))
}

/// What a spreadsheet reads as a cell (`N1`, `r`, `c`) or a keyword.
fn is_reserved(name: &str) -> bool {
    let lower = name.to_lowercase();
    let letters = lower.chars().take_while(char::is_ascii_alphabetic).count();
    let (head, tail) = lower.split_at(letters);
    let digits = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_digit());
    let is_a1 = (1..=3).contains(&letters) && digits(tail);
    let is_r1c1 = {
        let after_row = lower.strip_prefix('r').unwrap_or(&lower).trim_start_matches(|c: char| c.is_ascii_digit());
        let after_column = after_row.strip_prefix('c').unwrap_or(after_row);
        after_column.chars().all(|c| c.is_ascii_digit()) && (lower.starts_with('r') || lower.starts_with('c'))
    };
    let keyword = ["true", "false", "and", "or", "not", "if", "pi", "na", "rand", "now", "today", "row", "column"];
    is_a1 || is_r1c1 || (tail.is_empty() && keyword.contains(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_spreadsheet_would_misread_get_an_underscore() {
        let names = Names { taken: HashSet::new() };
        for (label, name) in [
            ("n1", "n1_"),
            ("r", "r_"),
            ("C", "C_"),
            ("r1c1", "_r1c1"),
            ("c1", "_c1"),
            ("r2max", "_r2max"),
            ("rc3", "_rc3"),
            ("c1.n", "_c1.n"),
            ("crest1", "crest1"),
            ("true", "true_"),
            ("xfd1048576", "xfd1048576_"),
            ("nx", "nx"),
            ("hi(1)", "hi_1"),
            ("fab%lo(2)", "fab_lo_2"),
            ("n[0]", "n_0"),
            ("p->n", "p_n"),
            ("smooth.n1", "smooth.n1_"),
            ("ubound(x,2)", "ubound_x_2"),
            ("row", "row_"),
            ("abcd1", "abcd1"),
        ] {
            assert_eq!(names.legal(label), name, "{label}");
        }
    }

    #[test]
    fn names_differ_in_more_than_case() {
        let mut names = Names { taken: HashSet::from(["cores".to_string()]) };
        assert_eq!(names.unique("N"), "N");
        assert_eq!(names.unique("n"), "n_");
        assert_eq!(names.unique("cores"), "cores_");
    }
}
