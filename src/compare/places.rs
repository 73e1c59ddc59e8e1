//! Which loop, and which nest, of a static report is a line of the program in?
//!
//! Reports name files as `analyze` saw them, debug information as the compiler did: two paths mean the same
//! file if they agree from the end on, in more directories than any other. Lines are then looked up among the
//! ranges of the loops, the innermost first. Code of an inlined callee has the callee's lines; the calls that
//! it was inlined for say which procedure it is, where several share the lines (a header). What several files
//! may mean is [`Place::Ambiguous`], and is listed, not guessed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path};

use super::origins::Origins;
use crate::metrics::profile::{Site, SourceProfile};
use crate::report::static_report::LoopReport;
use crate::report::{Figure, StaticReport};

/// What lines belong to: a nest of the report, or a loop around several that has nothing of its own to count.
#[derive(Clone, Debug)]
pub struct Target {
    /// Id of the loop that stands for it.
    pub id: String,
    /// Index of the function.
    pub function: usize,
    /// Index among the function's nests.
    pub nest: Option<usize>,
    pub file: String,
    pub line: u32,
}

/// Place of a loop in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopRef {
    pub function: usize,
    /// Index among the function's loops.
    pub number: usize,
}

struct Span {
    line: u32,
    end_line: u32,
    depth: usize,
    found: LoopRef,
}

/// Where a line of the traced program lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'p> {
    Loop(LoopRef),
    /// Outside loops; the function around it if there is one.
    NoLoop(Option<&'p str>),
    /// The file was not analysed.
    UnknownFile,
    /// Several files of the report may be meant.
    Ambiguous,
}

/// The loops of a report by file and line.
pub struct Places<'r> {
    report: &'r StaticReport,
    /// By file as the report names it.
    files: BTreeMap<&'r str, Vec<Span>>,
    /// What [`Places::file`] has answered: a program has many lines of few files.
    asked: RefCell<HashMap<String, Meant<String>>>,
    /// Functions by file: line and name, ascending.
    functions: BTreeMap<&'r str, Vec<(u32, &'r str)>>,
    /// Source files of the program, in parts.
    of_program: BTreeSet<Vec<String>>,
    /// By loop of the machine code: the loop that it comes from.
    origins: Vec<Option<LoopRef>>,
    targets: Vec<Target>,
    target_of: HashMap<LoopRef, usize>,
    numbers: HashMap<(usize, &'r str), usize>,
}

impl<'r> Places<'r> {
    /// For a run.
    pub fn of_run(report: &'r StaticReport, profile: &SourceProfile) -> Places<'r> {
        let executed = profile.sites.iter().filter_map(|site| site.file.as_deref());
        let mut places = Places::of_program(
            report,
            executed.chain(profile.files.iter().map(String::as_str)),
        );
        let origins = Origins::of(&places, profile).all();
        places.origins = origins;
        places
    }

    /// For a program with these source files.
    pub fn of_program<'f>(
        report: &'r StaticReport,
        files: impl Iterator<Item = &'f str>,
    ) -> Places<'r> {
        let mut places = Places {
            report,
            files: BTreeMap::new(),
            asked: RefCell::default(),
            functions: BTreeMap::new(),
            of_program: files
                .collect::<BTreeSet<&str>>()
                .into_iter()
                .map(parts)
                .collect(),
            origins: Vec::new(),
            targets: Vec::new(),
            target_of: HashMap::new(),
            numbers: HashMap::new(),
        };
        for (index, function) in report.functions.iter().enumerate() {
            places
                .functions
                .entry(&function.file)
                .or_default()
                .push((function.line, &function.name));
            places.files.entry(&function.file).or_default();
            for (number, one) in function.loops.iter().enumerate() {
                let file = one.file.as_deref().unwrap_or(&function.file);
                let found = LoopRef {
                    function: index,
                    number,
                };
                let span = Span {
                    line: one.line,
                    end_line: one.end_line.max(one.line),
                    depth: one.depth,
                    found,
                };
                places.files.entry(file).or_default().push(span);
                places.numbers.entry((index, &one.id)).or_insert(number);
            }
            places.add_targets(index);
        }
        places
            .functions
            .values_mut()
            .for_each(|functions| functions.sort_unstable());
        places
    }

    /// The nests, each with the loops that are its own, then the loops that are left.
    fn add_targets(&mut self, function: usize) {
        let facts = &self.report.functions[function];
        for (index, nest) in facts.nests.iter().enumerate() {
            let own = nest
                .loops
                .iter()
                .position(|id| *id == nest.head)
                .unwrap_or(0);
            let target = self.add_target(function, &nest.head, Some(index));
            for id in &nest.loops[own..] {
                if let Some(&number) = self.numbers.get(&(function, id.as_str())) {
                    self.target_of
                        .entry(LoopRef { function, number })
                        .or_insert(target);
                }
            }
        }
        for (number, one) in facts.loops.iter().enumerate() {
            let found = LoopRef { function, number };
            if !self.target_of.contains_key(&found) {
                let target = self.add_target(function, &one.id, None);
                self.target_of.insert(found, target);
            }
        }
    }

    fn add_target(&mut self, function: usize, id: &str, nest: Option<usize>) -> usize {
        let facts = &self.report.functions[function];
        let head = facts.loops.iter().find(|one| one.id == id);
        self.targets.push(Target {
            id: id.to_string(),
            function,
            nest,
            file: head
                .and_then(|one| one.file.clone())
                .unwrap_or_else(|| facts.file.clone()),
            line: head.map_or(facts.line, |one| one.line),
        });
        self.targets.len() - 1
    }

    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Index of the target that a loop belongs to.
    pub fn target(&self, found: LoopRef) -> usize {
        self.target_of[&found]
    }

    pub fn facts(&self, found: LoopRef) -> &'r LoopReport {
        &self.report.functions[found.function].loops[found.number]
    }

    /// The file that a loop begins in, as the report names it.
    pub fn file_of_loop(&self, found: LoopRef) -> &'r str {
        let file = self.facts(found).file.as_deref();
        file.unwrap_or(&self.report.functions[found.function].file)
    }

    /// Rounds of a loop in the whole run, according to the report; of nests that share it the first.
    pub fn rounds(&self, found: LoopRef) -> Option<f64> {
        let function = &self.report.functions[found.function];
        let id = &function.loops[found.number].id;
        let rounds = function.nests.iter().find_map(|nest| {
            let position = nest.loops.iter().position(|one| one == id)?;
            nest.loop_iterations
                .get(position)
                .copied()
                .and_then(Figure::known)
        })?;
        Some(rounds * function.calls())
    }

    /// A loop and those around it, the innermost first.
    pub fn chain(&self, found: LoopRef) -> impl Iterator<Item = LoopRef> + '_ {
        let outer =
            |one: &LoopRef| self.loop_by_id(one.function, self.facts(*one).parent.as_deref()?);
        std::iter::successors(Some(found), outer)
    }

    /// The loops directly inside a loop.
    pub fn children(&self, found: LoopRef) -> impl Iterator<Item = LoopRef> + '_ {
        let loops = self.report.functions[found.function]
            .loops
            .iter()
            .enumerate();
        let id = &self.facts(found).id;
        let inner = loops.filter(move |(_, one)| one.parent.as_ref() == Some(id));
        inner.map(move |(number, _)| LoopRef {
            function: found.function,
            number,
        })
    }

    /// The loop of a function with this id.
    pub fn loop_by_id(&self, function: usize, id: &str) -> Option<LoopRef> {
        self.numbers
            .get(&(function, id))
            .map(|&number| LoopRef { function, number })
    }

    /// The loop that a site's machine loop comes from.
    pub fn origin(&self, site: &Site) -> Option<LoopRef> {
        site.machine_loop.and_then(|number| self.origin_of(number))
    }

    /// The loop that a machine loop comes from.
    pub fn origin_of(&self, machine_loop: u32) -> Option<LoopRef> {
        *self.origins.get(machine_loop as usize)?
    }

    /// Whether a machine loop comes from one around a loop: code of the latter was moved out there.
    pub fn is_around(&self, machine_loop: u32, found: LoopRef) -> bool {
        let origin = self.origin_of(machine_loop);
        origin.is_some_and(|origin| self.is_outer(origin, found))
    }

    /// Whether a loop is around another one.
    pub fn is_outer(&self, outer: LoopRef, inner: LoopRef) -> bool {
        self.chain(inner).skip(1).any(|one| one == outer)
    }

    /// Whether another loop of the function has code on the line where this one begins.
    pub fn shares_line(&self, found: LoopRef) -> bool {
        let facts = self.facts(found);
        let loops = &self.report.functions[found.function].loops;
        loops
            .iter()
            .filter(|other| other.line == facts.line && other.file == facts.file)
            .count()
            > 1
    }

    /// A loop, and those around it and inside that begin on the same line, the outermost first.
    pub fn nest_on_line(&self, found: LoopRef) -> Vec<LoopRef> {
        let facts = self.facts(found);
        let is_there = |other: &LoopRef| {
            let other = self.facts(*other);
            other.line == facts.line && other.file == facts.file
        };
        let mut all: Vec<LoopRef> = self
            .chain(found)
            .filter(is_there)
            .last()
            .into_iter()
            .collect();
        let mut next = 0;
        while let Some(outer) = all.get(next).copied() {
            all.extend(self.children(outer).filter(is_there));
            next += 1;
        }
        all
    }

    /// Where the line of a site lies: of loops one after the other on one line, in that which its machine loop comes from.
    pub fn own(&self, site: &Site) -> Place<'r> {
        let Some((file, line)) = site.file.as_deref().zip(site.line) else {
            return Place::UnknownFile;
        };
        let place = self.find(file, line, &functions(site));
        let Place::Loop(found) = place else {
            return place;
        };
        let origin = self.origin(site);
        let is_beside = |origin: &LoopRef| {
            let facts = self.facts(*origin);
            let around = self.chain(found).any(|outer| outer == *origin);
            !around
                && origin.function == found.function
                && (facts.line, facts.end_line) == (line, line)
        };
        Place::Loop(origin.filter(is_beside).unwrap_or(found))
    }

    /// Where a line lies: in the innermost loop around it. `functions` are those around the line, the innermost first:
    /// code that is included, or written by a macro, has the same lines in several.
    pub fn find(&self, file: &str, line: u32, functions: &[&str]) -> Place<'r> {
        let known = match self.file(file) {
            Ok(Some(known)) => known,
            Ok(None) => return Place::UnknownFile,
            Err(()) => return Place::Ambiguous,
        };
        let spans = self.files[known]
            .iter()
            .filter(|span| (span.line..=span.end_line).contains(&line));
        match self
            .of_functions(spans.collect(), functions)
            .into_iter()
            .max_by_key(|span| (span.depth, span.line))
        {
            Some(span) => Place::Loop(span.found),
            None => {
                let functions = self.functions.get(known).map_or(&[][..], Vec::as_slice);
                let before = functions.partition_point(|(first, _)| *first <= line);
                Place::NoLoop(before.checked_sub(1).map(|index| functions[index].1))
            }
        }
    }

    /// Loops that begin on this line, outermost first.
    pub fn beginning_at(&self, file: &str, line: u32, functions: &[&str]) -> Vec<LoopRef> {
        let Ok(Some(known)) = self.file(file) else {
            return Vec::new();
        };
        let spans = self.files[known]
            .iter()
            .filter(|span| span.line == line)
            .collect();
        let mut spans = self.of_functions(spans, functions);
        spans.sort_by_key(|span| span.depth);
        spans.into_iter().map(|span| span.found).collect()
    }

    /// Of loops in several functions those in the innermost of `functions` that has some; all if none has.
    fn of_functions<'s>(&self, spans: Vec<&'s Span>, functions: &[&str]) -> Vec<&'s Span> {
        if spans
            .windows(2)
            .all(|pair| pair[0].found.function == pair[1].found.function)
        {
            return spans;
        }
        let is_in = |span: &&&Span, symbol: &str| {
            is_function(symbol, &self.report.functions[span.found.function].name)
        };
        let own = functions
            .iter()
            .find(|symbol| spans.iter().any(|span| is_in(&span, symbol)));
        match own {
            Some(symbol) => spans
                .iter()
                .filter(|span| is_in(span, symbol))
                .copied()
                .collect(),
            None => spans,
        }
    }

    /// The file of the report that a file of the program is, if only one may be meant.
    pub fn file_of_report(&self, file: &str) -> Option<&'r str> {
        self.file(file).ok().flatten()
    }

    /// The file of the report that is meant.
    fn file(&self, file: &str) -> Meant<&'r str> {
        if let Some(known) = self.asked.borrow().get(file) {
            return match known {
                Ok(name) => Ok(name
                    .as_deref()
                    .and_then(|name| self.files.get_key_value(name))
                    .map(|(key, _)| *key)),
                Err(()) => Err(()),
            };
        }
        let found = self.likeliest(file);
        self.asked
            .borrow_mut()
            .insert(file.to_string(), found.map(|name| name.map(str::to_string)));
        found
    }

    /// The file with the most directories in common from the end on, unless another file of the program has more with
    /// that one.
    fn likeliest(&self, file: &str) -> Meant<&'r str> {
        let wanted = parts(file);
        let found: Vec<(usize, &'r str)> = self
            .files
            .keys()
            .map(|known| (likeness(&wanted, &parts(known)), *known))
            .collect();
        let Some(most) = found
            .iter()
            .map(|(common, _)| *common)
            .max()
            .filter(|most| *most > 0)
        else {
            return Ok(None);
        };
        let mut best = found
            .iter()
            .filter(|(common, _)| *common == most)
            .map(|(_, known)| *known);
        let (Some(known), None) = (best.next(), best.next()) else {
            return Err(());
        };
        // One name may be the end of another: then they are the same file.
        let is_other =
            |other: &&Vec<String>| likeness(&wanted, other) < wanted.len().min(other.len());
        let others = self.of_program.iter().filter(is_other);
        match others.map(|other| likeness(other, &parts(known))).max() {
            Some(other) if other > most => Ok(None),
            Some(other) if other == most => Err(()),
            _ => Ok(Some(known)),
        }
    }
}

/// Parts that are equal from the end on.
fn likeness(one: &[String], other: &[String]) -> usize {
    one.iter()
        .rev()
        .zip(other.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
}

/// The functions around a site, the innermost first.
pub fn functions(site: &Site) -> Vec<&str> {
    site.inlined
        .iter()
        .rev()
        .chain([&site.function])
        .map(String::as_str)
        .collect()
}

/// Whether a symbol of the program is this function of the source: compilers add underscores, modules, and endings for
/// copies that they made.
pub fn is_function(symbol: &str, name: &str) -> bool {
    let plain = symbol.split('.').next().unwrap_or(symbol);
    let plain = plain.rsplit("_MOD_").next().unwrap_or(plain);
    plain == name
        || plain
            .trim_end_matches('_')
            .eq_ignore_ascii_case(name.rsplit("::").next().unwrap_or(name))
}

/// Whether a symbol is of a copy or a part of a function, as compilers name those: `f.part.0`, `f.constprop.0`.
pub fn is_copy(symbol: &str) -> bool {
    symbol.contains('.')
}

/// Whether a symbol has all that its function does, if only for certain arguments: it is no part of it.
pub fn is_whole(symbol: &str) -> bool {
    let mut endings = symbol.split('.').skip(1);
    endings.all(|one| ["constprop", "isra"].contains(&one) || one.parse::<u32>().is_ok())
}

/// A file of the report; none, or an error if it may be several.
type Meant<T> = Result<Option<T>, ()>;

/// Names of directories and file, `.` and what `..` takes back left out.
fn parts(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => {
                parts.pop();
            }
            _ => {}
        }
    }
    parts
}
