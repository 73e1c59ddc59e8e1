//! Dependences through scalars: a sum that one loop makes and another uses, directly or by way of straight-line code
//! between them (`alpha = rho / pq`), and the conditions that decide whether a loop runs.
//!
//! What straight-line code computes may stand anywhere, so only values flow through it. A scalar that a loop writes
//! before it reads it, and that nothing reads afterwards, is the loop's own and orders nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::shared::Sharing;
use super::{Arms, Kind, exclude_each_other};
use crate::expr::{Expr, Node, SymbolKind};
use crate::facts::{AccessClass, Block, Item, Loop, SettingKind};

/// For every loop of a sequence, the earlier ones that it depends on, how, and through which scalars.
pub type ScalarEdges = Vec<BTreeMap<(usize, Kind), BTreeSet<String>>>;

/// Uses of one name that are looked back upon; older ones are taken to be behind one of these.
const MOST_USES: usize = 64;

/// Loops that a value comes from.
type Sources = BTreeSet<usize>;

/// How a loop or statement uses a scalar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Usage {
    /// It takes a value from before.
    reads: bool,
    writes: bool,
    /// Nothing of what was there before is left.
    is_whole: bool,
    is_array: bool,
}

/// A loop of the sequence, or a statement between.
struct Event<'p> {
    /// Its number, if it is a loop.
    number: Option<usize>,
    arms: Arms,
    uses: BTreeMap<&'p str, Usage>,
    /// Conditions that it stands under.
    conditions: Vec<usize>,
    kind: Option<SettingKind>,
}

pub fn edges<'p>(block: &'p Block, sharing: &Sharing<'p>) -> ScalarEdges {
    let mut order = Order::default();
    order.walk(block);
    let mut events = order.events;
    add_pointed_to(&mut events, sharing);
    drop_private(&mut events);
    drop_untouched(&mut events);
    connect(&events)
}

#[derive(Default)]
struct Order<'p> {
    events: Vec<Event<'p>>,
    arms: Arms,
    branches: usize,
    loops: usize,
    conditions: Vec<usize>,
}

impl<'p> Order<'p> {
    fn walk(&mut self, block: &'p Block) {
        let mut settings = block.settings.iter().peekable();
        for position in 0..=block.items.len() {
            let mut condition = None;
            while let Some(setting) = settings.next_if(|setting| setting.position <= position) {
                let mut uses: BTreeMap<&str, Usage> = BTreeMap::new();
                for name in &setting.from {
                    uses.entry(name).or_default().reads = true;
                }
                if !setting.name.is_empty() {
                    let usage = uses.entry(&setting.name).or_default();
                    usage.writes = true;
                    usage.is_whole = setting.kind == SettingKind::Whole;
                }
                if setting.kind == SettingKind::Condition {
                    condition = Some(self.events.len());
                }
                self.push(None, uses, Some(setting.kind));
            }
            match block.items.get(position) {
                Some(Item::Loop(facts)) => {
                    self.push(Some(self.loops), uses_of(facts), None);
                    self.loops += 1;
                }
                Some(Item::Branch(branch)) => {
                    let number = self.branches;
                    self.branches += 1;
                    let around = self.conditions.len();
                    self.conditions.extend(condition);
                    for (arm, taken) in [
                        (Some(&branch.then), true),
                        (branch.otherwise.as_ref(), false),
                    ] {
                        let Some(arm) = arm else { continue };
                        self.arms.push((number, taken));
                        self.walk(arm);
                        self.arms.pop();
                    }
                    self.conditions.truncate(around);
                }
                None => {}
            }
        }
    }

    fn push(
        &mut self,
        number: Option<usize>,
        uses: BTreeMap<&'p str, Usage>,
        kind: Option<SettingKind>,
    ) {
        let (arms, conditions) = (self.arms.clone(), self.conditions.clone());
        self.events.push(Event {
            number,
            arms,
            uses,
            conditions,
            kind,
        });
    }
}

/// What a loop does to scalars, and to arrays as far as straight-line code may take elements of them.
fn uses_of(facts: &Loop) -> BTreeMap<&str, Usage> {
    let mut uses = BTreeMap::new();
    of_loop(facts, false, &mut uses);
    uses
}

fn of_loop<'p>(facts: &'p Loop, is_conditional: bool, uses: &mut BTreeMap<&'p str, Usage>) {
    for bound in [&facts.lower, &facts.upper, &facts.step] {
        symbols_in(bound, &mut |name| {
            add(uses, name, AccessClass::ReadOnly, is_conditional);
        });
    }
    add(
        uses,
        &facts.variable,
        AccessClass::WriteRead,
        is_conditional,
    );
    of_block(&facts.body, is_conditional, uses);
}

/// The names of the source in an expression, each as often as it stands there.
fn symbols_in<'p>(expr: &'p Expr, found: &mut dyn FnMut(&'p str)) {
    match expr.node() {
        Node::Symbol(symbol) if symbol.kind() == SymbolKind::Source => found(symbol.name()),
        _ => expr.children().for_each(|child| symbols_in(child, found)),
    }
}

fn of_block<'p>(block: &'p Block, is_conditional: bool, uses: &mut BTreeMap<&'p str, Usage>) {
    for scalar in block.scalars.iter().filter(|scalar| !scalar.is_constant) {
        add(uses, &scalar.name, scalar.class, is_conditional);
    }
    for stream in &block.streams {
        let usage = uses.entry(&stream.array).or_default();
        usage.is_array = true;
        usage.reads |= stream.class != AccessClass::WriteOnly;
        usage.writes |= stream.class != AccessClass::ReadOnly;
    }
    for item in &block.items {
        match item {
            Item::Loop(inner) => of_loop(inner, is_conditional, uses),
            Item::Branch(branch) => {
                of_block(&branch.then, true, uses);
                branch
                    .otherwise
                    .iter()
                    .for_each(|block| of_block(block, true, uses));
            }
        }
    }
}

/// A use after those that are known already.
fn add<'p>(
    uses: &mut BTreeMap<&'p str, Usage>,
    name: &'p str,
    class: AccessClass,
    is_conditional: bool,
) {
    use AccessClass::{ReadOnly, ReadWrite};
    if name.is_empty() {
        return;
    }
    let usage = uses.entry(name).or_default();
    let writes = class != ReadOnly;
    // Where it is written on a condition only, the value from before may go on.
    usage.reads |=
        !usage.is_whole && (matches!(class, ReadOnly | ReadWrite) || (writes && is_conditional));
    usage.writes |= writes;
    usage.is_whole |= writes && !is_conditional;
}

/// What loops do to scalars through pointers: `p = &s` before, `*p` inside.
fn add_pointed_to<'p>(events: &mut [Event<'p>], sharing: &Sharing<'p>) {
    let is_array = |(name, usage): (&&'p str, &Usage)| usage.is_array.then_some(*name);
    let arrays: BTreeSet<&str> = events
        .iter()
        .flat_map(|event| event.uses.iter().filter_map(is_array))
        .collect();
    for event in events {
        let through: Vec<(&str, Usage)> = event
            .uses
            .iter()
            .filter(|(_, u)| u.is_array)
            .map(|(n, u)| (*n, *u))
            .collect();
        for (pointer, usage) in through {
            for scalar in sharing
                .partners(pointer)
                .filter(|name| !arrays.contains(name))
            {
                let known = event.uses.entry(scalar).or_default();
                known.reads |= usage.reads;
                known.writes |= usage.writes;
            }
        }
    }
}

/// Takes away what a loop leaves in scalars that nothing reads any more, if it has not taken their values either.
fn drop_private(events: &mut [Event]) {
    let mut needed: BTreeSet<&str> = BTreeSet::new();
    for event in events.iter_mut().rev() {
        let is_loop = event.number.is_some();
        let is_private = |name: &&str, usage: &Usage| {
            is_loop && usage.is_whole && !usage.reads && !usage.is_array && !needed.contains(*name)
        };
        event.uses.retain(|name, usage| !is_private(name, usage));
        for (name, usage) in &event.uses {
            if usage.is_whole && event.arms.is_empty() {
                needed.remove(name);
            }
        }
        needed.extend(
            event
                .uses
                .iter()
                .filter(|(_, usage)| usage.reads)
                .map(|(name, _)| *name),
        );
    }
}

/// Takes away what no loop has a part in: most of what straight-line code does.
fn drop_untouched(events: &mut [Event]) {
    let mut touched: BTreeSet<&str> = BTreeSet::new();
    for event in events.iter().filter(|event| event.number.is_some()) {
        touched.extend(
            event
                .uses
                .iter()
                .filter(|(_, usage)| usage.writes)
                .map(|(name, _)| *name),
        );
    }
    // What is made from such values, and from that in turn.
    let mut known = usize::MAX;
    while known != touched.len() {
        known = touched.len();
        for event in events.iter().filter(|event| event.number.is_none()) {
            if event
                .uses
                .iter()
                .any(|(name, usage)| usage.reads && touched.contains(name))
            {
                touched.extend(
                    event
                        .uses
                        .iter()
                        .filter(|(_, usage)| usage.writes)
                        .map(|(name, _)| *name),
                );
            }
        }
    }
    events
        .iter_mut()
        .for_each(|event| event.uses.retain(|name, _| touched.contains(name)));
}

fn connect(events: &[Event]) -> ScalarEdges {
    let mut edges = ScalarEdges::new();
    // Where the values of statements come from; nothing for loops.
    let mut sources: Vec<BTreeMap<&str, Sources>> = Vec::with_capacity(events.len());
    let mut history: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut ends: BTreeMap<&str, Sources> = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        let mut found: BTreeMap<(usize, Kind), BTreeSet<String>> = BTreeMap::new();
        let is_end = event.kind == Some(SettingKind::End);
        let may_not_run = event.number.is_some() || is_end;
        let mut taken: BTreeMap<&str, Sources> = if may_not_run {
            ends.clone()
        } else {
            BTreeMap::new()
        };
        for condition in &event.conditions {
            for (name, loops) in &sources[*condition] {
                taken.entry(name).or_default().extend(loops);
            }
        }
        for (name, usage) in &event.uses {
            let behind = history.get(name).map_or(&[][..], Vec::as_slice);
            for before in behind.iter().rev().take(MOST_USES).copied() {
                let (other, earlier) = (&events[before], events[before].uses[name]);
                if exclude_each_other(&other.arms, &event.arms) {
                    continue;
                }
                if usage.reads && earlier.writes {
                    let from = taken.entry(name).or_default();
                    match other.number {
                        // Between two loops, regions of arrays are compared.
                        Some(_) if event.number.is_some() && usage.is_array => {}
                        Some(number) => from.extend([number]),
                        None => from.extend(sources[before].values().flatten()),
                    }
                }
                if let (Some(number), Some(_), false) = (other.number, event.number, usage.is_array)
                {
                    let kinds = [(earlier.reads, Kind::Anti), (earlier.writes, Kind::Output)];
                    for (_, kind) in kinds
                        .into_iter()
                        .filter(|(applies, _)| *applies && usage.writes)
                    {
                        found
                            .entry((number, kind))
                            .or_default()
                            .insert(name.to_string());
                    }
                }
                if earlier.writes
                    && earlier.is_whole
                    && other.arms.iter().all(|arm| event.arms.contains(arm))
                {
                    break;
                }
            }
        }
        for name in event.uses.keys() {
            history.entry(name).or_default().push(at);
        }
        taken.retain(|_, loops| !loops.is_empty());
        if is_end {
            ends = taken.clone();
        }
        if event.number.is_some() {
            for (name, loops) in std::mem::take(&mut taken) {
                for from in loops {
                    found
                        .entry((from, Kind::Flow))
                        .or_default()
                        .insert(name.to_string());
                }
            }
            edges.push(found);
        }
        sources.push(taken);
    }
    edges
}
