//! Which symbols of which functions are one parameter: those of the same name and the same value, made of the same
//! parameters. What a value is made of counts, and not how it is written: `m = n + 1` of two functions is one parameter
//! only if their `n` is.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::usage::Usage;
use super::{Known, Setting, written};
use crate::analysis::facts::Program;
use crate::expr::spreadsheet::legal_name;
use crate::expr::{Symbol, SymbolKind};

/// A parameter before it has a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Class(usize);

/// The parameters that the symbols of functions are.
pub(super) struct Classes {
    of: HashMap<(usize, Symbol), Class>,
    /// Those that nothing gives a value.
    open: HashSet<Class>,
}

/// A symbol of a function, and what it is by itself.
struct Entry<'p> {
    function: usize,
    symbol: &'p Symbol,
    /// Whether the user sets it for the functions of this name.
    set_for: Option<&'p str>,
    known: Known<'p>,
}

/// What a value mentions: storage of the program, or another parameter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Place(Symbol),
    Own(Class),
}

impl Classes {
    /// Of all symbols but storage of the program.
    pub fn of(program: &Program, usage: &Usage, settings: &[Setting]) -> Classes {
        let mut entries = Vec::new();
        for (symbol, functions) in &usage.functions {
            if symbol.kind() == SymbolKind::Place {
                continue;
            }
            let written = written(symbol, usage);
            entries.extend(functions.iter().map(|function| {
                let name = program.functions[*function].name.as_str();
                Entry {
                    function: *function,
                    symbol,
                    set_for: is_set(settings, name, &written).then_some(name),
                    known: Known::of(program, usage, *function, symbol),
                }
            }));
        }
        let mut classes = Classes {
            of: HashMap::new(),
            open: HashSet::new(),
        };
        let mut count = classes.divide(&entries, |entry, _| {
            (entry.symbol, entry.set_for, entry.known)
        });
        loop {
            let finer = classes.divide(&entries, |entry, classes| {
                (
                    classes.at(entry.function, entry.symbol),
                    classes.parts(entry),
                )
            });
            if finer == count {
                break;
            }
            count = finer;
        }
        let is_open = |entry: &&Entry| matches!(entry.known, Known::Open(_));
        let open = entries.iter().filter(is_open);
        classes.open = open
            .map(|entry| classes.at(entry.function, entry.symbol))
            .collect();
        classes
    }

    /// Whether nothing gives it a value.
    pub fn is_open(&self, class: Class) -> bool {
        self.open.contains(&class)
    }

    /// The parameter of a symbol of a function.
    pub fn at(&self, function: usize, symbol: &Symbol) -> Class {
        let found = self.of.get(&(function, symbol.clone()));
        found.copied().unwrap_or_default()
    }

    /// Makes one class of those entries that have the same key; gives the number of classes.
    fn divide<'e, 'p, K: Ord>(
        &mut self,
        entries: &'e [Entry<'p>],
        key: impl Fn(&'e Entry<'p>, &Classes) -> K,
    ) -> usize {
        let mut numbers: BTreeMap<K, usize> = BTreeMap::new();
        let mut of = HashMap::with_capacity(entries.len());
        for entry in entries {
            let next = numbers.len() + 1;
            let number = *numbers.entry(key(entry, self)).or_insert(next);
            of.insert((entry.function, entry.symbol.clone()), Class(number));
        }
        self.of = of;
        numbers.len()
    }

    fn parts(&self, entry: &Entry) -> Vec<Part> {
        let Known::Given(value) = entry.known else {
            return Vec::new();
        };
        let symbols = value.symbols().into_iter();
        let part = |symbol: Symbol| match symbol.kind() {
            SymbolKind::Place => Part::Place(symbol),
            _ => Part::Own(self.at(entry.function, &symbol)),
        };
        symbols.map(part).collect()
    }
}

/// Whether the user sets a parameter for the functions of one name.
pub(super) fn is_set(settings: &[Setting], function: &str, written: &str) -> bool {
    let own = format!("{function}.{written}");
    let mut settings = settings.iter();
    settings.any(|setting| setting.name == own || setting.name == legal_name(&own))
}
