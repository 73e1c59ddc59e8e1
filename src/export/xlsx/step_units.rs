//! What each step of a formula is measured in: of a part of one, that follows from the units of what it is made of.

use rustc_hash::FxHashMap;

use crate::expr::{Expr, FigureId, Function, Node, Symbol, SymbolKind};
use crate::formula::Unit;
use crate::machine::parameters::all_parameters;
use crate::model::scenarios::{SCENARIOS, SWING, in_scenario};
use crate::model::{Figures, Model, Part};

/// Powers of what things are measured in: bytes, flops, seconds and cycles; and of a milliard of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Dimensions {
    bytes: i8,
    flops: i8,
    seconds: i8,
    cycles: i8,
    milliards: i8,
}

/// What an expression is measured in, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// A plain number, which takes any unit.
    Number,
    Of(Dimensions),
    Unknown,
}

/// Units of steps; those that were asked for are remembered.
pub(super) struct StepUnits<'f> {
    figures: &'f Figures,
    machine: FxHashMap<String, Measure>,
    known: FxHashMap<FigureId, Measure>,
}

impl<'f> StepUnits<'f> {
    pub fn new(figures: &'f Figures) -> StepUnits<'f> {
        let machine = all_parameters().flat_map(|(name, _, row)| {
            let measure = of_parameter(row.unit);
            let scenarios = (0..SCENARIOS.len()).map(|number| in_scenario(&name, number));
            let elsewhere = scenarios.chain([Model::on_other(&name), name.clone()]);
            let all: Vec<(String, Measure)> = elsewhere.map(|name| (name, measure)).collect();
            all
        });
        let share = Measure::Of(Dimensions::default());
        StepUnits {
            figures,
            machine: machine.chain([(SWING.to_string(), share)]).collect(),
            known: FxHashMap::default(),
        }
    }

    /// The unit of a figure as its column shows it: empty for a count, and where it does not follow.
    pub fn unit(&mut self, id: FigureId) -> String {
        let label = &self.figures.get(id).label;
        match label.part {
            Part::Whole | Part::Summand => label.unit().symbol().to_string(),
            Part::Operand => match self.of_figure(id) {
                Measure::Of(dimensions) => dimensions.symbol(),
                Measure::Number | Measure::Unknown => String::new(),
            },
        }
    }

    fn of_figure(&mut self, id: FigureId) -> Measure {
        let figure = self.figures.get(id);
        if figure.label.part != Part::Operand {
            return of_unit(figure.label.unit());
        }
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let found = self.of(&figure.expr);
        self.known.insert(id, found);
        found
    }

    fn of(&mut self, expr: &Expr) -> Measure {
        match expr.node() {
            Node::Number(n) if n.get() == 1e9 => Measure::Of(Dimensions {
                milliards: -1,
                ..Dimensions::default()
            }),
            Node::Number(_) => Measure::Number,
            Node::Symbol(symbol) => self.of_symbol(symbol),
            Node::Figure(id) => self.of_figure(*id),
            Node::Sum(items) => self.alike(items),
            Node::Call(Function::TreeStages, _) => Measure::Of(Dimensions::default()),
            Node::Call(_, items) => self.alike(items),
            Node::Product(items) => items
                .iter()
                .fold(Measure::Number, |all, item| all.times(self.of(item), 1)),
            Node::Quotient(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                a.times(b, -1)
            }
            Node::Power(base, _) => match self.of(base) {
                Measure::Of(dimensions) if dimensions != Dimensions::default() => Measure::Unknown,
                plain => plain,
            },
            Node::If(_, parts) => self.alike(&parts[2..]),
        }
    }

    fn of_symbol(&self, symbol: &Symbol) -> Measure {
        let name = symbol.name();
        match symbol.kind() {
            SymbolKind::Machine => {
                let known = self.machine.get(name).copied();
                known.unwrap_or(Measure::Unknown)
            }
            _ => Measure::Of(Dimensions::default()),
        }
    }

    /// Of things that are added or compared.
    fn alike(&mut self, items: &[Expr]) -> Measure {
        let measures: Vec<Measure> = items.iter().map(|item| self.of(item)).collect();
        let join = |a: Measure, b: Measure| match (a, b) {
            (Measure::Number, other) | (other, Measure::Number) => other,
            (a, b) if a == b => a,
            _ => Measure::Unknown,
        };
        measures.into_iter().fold(Measure::Number, join)
    }
}

impl Measure {
    fn times(self, other: Measure, power: i8) -> Measure {
        match (self, other) {
            (Measure::Unknown, _) | (_, Measure::Unknown) => Measure::Unknown,
            (all, Measure::Number) => all,
            (Measure::Number, Measure::Of(b)) => Measure::Of(Dimensions::default().times(b, power)),
            (Measure::Of(a), Measure::Of(b)) => Measure::Of(a.times(b, power)),
        }
    }
}

impl Dimensions {
    fn times(self, other: Dimensions, power: i8) -> Dimensions {
        Dimensions {
            bytes: self.bytes + power * other.bytes,
            flops: self.flops + power * other.flops,
            seconds: self.seconds + power * other.seconds,
            cycles: self.cycles + power * other.cycles,
            milliards: self.milliards + power * other.milliards,
        }
    }

    /// `B/s`.
    fn symbol(self) -> String {
        let all = [
            ("10⁹", self.milliards),
            ("B", self.bytes),
            ("flop", self.flops),
            ("cycles", self.cycles),
            ("s", self.seconds),
        ];
        let side = |sign: i8| -> Vec<String> {
            let on_it = all.iter().filter(|(_, power)| power * sign > 0);
            on_it
                .map(|(unit, power)| match power * sign {
                    1 => (*unit).to_string(),
                    more => format!("{unit}^{more}"),
                })
                .collect()
        };
        let (above, below) = (side(1).join("·"), side(-1).join("·"));
        match (above.as_str(), below.as_str()) {
            (above, "") => above.to_string(),
            ("", below) => format!("1/{below}"),
            (above, below) => format!("{above}/{below}"),
        }
    }
}

fn of_unit(unit: Unit) -> Measure {
    let none = Dimensions::default();
    let (bytes, flops, seconds, cycles) = match unit {
        Unit::Bytes => (1, 0, 0, 0),
        Unit::Flops => (0, 1, 0, 0),
        Unit::Seconds => (0, 0, 1, 0),
        Unit::Cycles => (0, 0, 0, 1),
        Unit::PerCycle => (0, 0, 0, -1),
        Unit::FlopsPerByte => (-1, 1, 0, 0),
        Unit::BytesPerFlop => (1, -1, 0, 0),
        Unit::FlopsPerSecond => (0, 1, -1, 0),
        Unit::BytesPerSecond => (1, 0, -1, 0),
        Unit::Gigahertz => return of_parameter("GHz"),
        _ => (0, 0, 0, 0),
    };
    Measure::Of(Dimensions {
        bytes,
        flops,
        seconds,
        cycles,
        ..none
    })
}

/// Of a machine's parameter, by its unit there.
fn of_parameter(unit: &str) -> Measure {
    let none = Dimensions::default();
    let found = match unit {
        "" | "B/B" | "cores" | "registers" | "lines" | "ways" | "instructions" => none,
        "B" => Dimensions { bytes: 1, ..none },
        "flop" => Dimensions { flops: 1, ..none },
        "cycles" => Dimensions { cycles: 1, ..none },
        "1/cycle" => Dimensions { cycles: -1, ..none },
        "GB/s" => Dimensions {
            bytes: 1,
            seconds: -1,
            milliards: 1,
            ..none
        },
        "Gflop/s" => Dimensions {
            flops: 1,
            seconds: -1,
            milliards: 1,
            ..none
        },
        "GHz" => Dimensions {
            cycles: 1,
            seconds: -1,
            milliards: 1,
            ..none
        },
        "ns" => Dimensions {
            seconds: 1,
            milliards: -1,
            ..none
        },
        _ => return Measure::Unknown,
    };
    Measure::Of(found)
}
