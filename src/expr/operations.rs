//! Expressions as a list of steps, each an operation on at most three values, for interpreters of pages whose figures
//! follow their inputs. Equal steps are there once, whichever expressions they come from.

use rustc_hash::FxHashMap;

use super::{Comparison, Expr, FigureId, Function, Node, Symbol};

/// What a step does. The number is that of the page's interpreter (`templates/report/evaluate.js`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    Add,
    Multiply,
    Divide,
    Power,
    /// The smaller one, unknown if one is unknown.
    Min,
    Max,
    Ceiling,
    Floor,
    Truncate,
    Absolute,
    TreeStages,
    /// 1 if it holds, 0 if it does not, unknown if one side is.
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    /// The second value if the first is 1, the third if it is 0, else unknown.
    Choose,
    /// The second value if the first is 1, zero if it is 0; unknown if one of both is.
    Count,
    CommonDivisor,
}

/// What a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// An input by its position.
    Input(u32),
    /// One of [`Operations::constants`].
    Constant(u32),
    /// The value of an earlier step.
    Step(u32),
}

/// An operation on its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    pub operation: Operation,
    /// As many as [`Operation::operands`] says; the others repeat the first.
    pub operands: [Operand; 3],
}

/// What expressions mention.
pub trait Leaves {
    /// Where a figure has its value; one that has none is unknown.
    fn figure(&self, id: FigureId) -> Option<Operand>;
    /// The position of an input; what is none has no value.
    fn input(&self, symbol: &Symbol) -> Option<u32>;
}

/// The steps of all expressions that were added. Sums and products are computed from left to right, as
/// [`Expr::evaluate`] does.
#[derive(Default)]
pub struct Operations {
    pub constants: Vec<f64>,
    pub steps: Vec<Step>,
    places: FxHashMap<u64, u32>,
    found: FxHashMap<Step, u32>,
    /// Operands of expressions by where they are; what was added lives as long as this.
    known: FxHashMap<usize, Operand>,
    kept: Vec<Expr>,
}

impl Operation {
    pub fn operands(self) -> usize {
        match self {
            Operation::Ceiling
            | Operation::Floor
            | Operation::Truncate
            | Operation::Absolute
            | Operation::TreeStages => 1,
            Operation::Choose => 3,
            _ => 2,
        }
    }
}

impl From<Comparison> for Operation {
    fn from(comparison: Comparison) -> Operation {
        match comparison {
            Comparison::Less => Operation::Less,
            Comparison::LessOrEqual => Operation::LessOrEqual,
            Comparison::Greater => Operation::Greater,
            Comparison::GreaterOrEqual => Operation::GreaterOrEqual,
            Comparison::Equal => Operation::Equal,
            Comparison::NotEqual => Operation::NotEqual,
        }
    }
}

impl Operations {
    /// Adds an expression; where its value is.
    pub fn add(&mut self, expr: &Expr, leaves: &dyn Leaves) -> Operand {
        self.kept.push(expr.clone());
        self.operand(expr, leaves)
    }

    /// A number, once.
    pub fn constant(&mut self, value: f64) -> Operand {
        let next = self.constants.len() as u32;
        let place = *self.places.entry(value.to_bits()).or_insert(next);
        if place == next {
            self.constants.push(value);
        }
        Operand::Constant(place)
    }

    /// Forgets which steps there are: what is added from now on takes no value of an earlier step, as inputs may have
    /// changed in between.
    pub fn separate(&mut self) {
        self.found.clear();
        self.known.clear();
    }

    fn operand(&mut self, expr: &Expr, leaves: &dyn Leaves) -> Operand {
        let place = expr.address();
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        let operand = self.computed(expr, leaves);
        self.known.insert(place, operand);
        operand
    }

    fn computed(&mut self, expr: &Expr, leaves: &dyn Leaves) -> Operand {
        let unknown = |operand: Option<Operand>, own: &mut Operations| {
            operand.unwrap_or_else(|| own.constant(f64::NAN))
        };
        match expr.node() {
            Node::Number(number) => self.constant(number.get()),
            Node::Symbol(symbol) => unknown(leaves.input(symbol).map(Operand::Input), self),
            Node::Figure(id) => unknown(leaves.figure(*id), self),
            Node::Sum(items) => self.folded(Operation::Add, items, leaves),
            Node::Product(items) => self.folded(Operation::Multiply, items, leaves),
            Node::Quotient(a, b) => self.pair(Operation::Divide, a, b, leaves),
            Node::Power(a, b) => self.pair(Operation::Power, a, b, leaves),
            Node::Call(function, items) => self.call(*function, items, leaves),
            Node::If(comparison, parts) => {
                let [left, right, then, otherwise] = &**parts;
                let holds = self.pair((*comparison).into(), left, right, leaves);
                let then = self.operand(then, leaves);
                let otherwise = self.operand(otherwise, leaves);
                self.step(Operation::Choose, [holds, then, otherwise])
            }
        }
    }

    fn call(&mut self, function: Function, items: &[Expr], leaves: &dyn Leaves) -> Operand {
        let operation = match function {
            Function::Min => return self.folded(Operation::Min, items, leaves),
            Function::Max => return self.folded(Operation::Max, items, leaves),
            Function::SumAbove => return self.sum_above(items, leaves),
            Function::CommonDivisor => {
                return self.pair(Operation::CommonDivisor, &items[0], &items[1], leaves);
            }
            Function::Ceiling => Operation::Ceiling,
            Function::Floor => Operation::Floor,
            Function::Truncate => Operation::Truncate,
            Function::Absolute => Operation::Absolute,
            Function::TreeStages => Operation::TreeStages,
        };
        let operand = self.operand(&items[0], leaves);
        self.step(operation, [operand; 3])
    }

    fn pair(&mut self, operation: Operation, a: &Expr, b: &Expr, leaves: &dyn Leaves) -> Operand {
        let a = self.operand(a, leaves);
        let b = self.operand(b, leaves);
        self.step(operation, [a, b, a])
    }

    fn folded(&mut self, operation: Operation, items: &[Expr], leaves: &dyn Leaves) -> Operand {
        let mut sum = self.operand(&items[0], leaves);
        for item in &items[1..] {
            let item = self.operand(item, leaves);
            sum = self.step(operation, [sum, item, sum]);
        }
        sum
    }

    /// Of a limit, sizes and as many amounts: the sum of the amounts whose size is above the limit.
    fn sum_above(&mut self, items: &[Expr], leaves: &dyn Leaves) -> Operand {
        let limit = self.operand(&items[0], leaves);
        let (sizes, amounts) = items[1..].split_at(items.len() / 2);
        let mut sum = self.constant(0.0);
        for (size, amount) in sizes.iter().zip(amounts) {
            let size = self.operand(size, leaves);
            let amount = self.operand(amount, leaves);
            let is_above = self.step(Operation::Greater, [size, limit, size]);
            let counted = self.step(Operation::Count, [is_above, amount, is_above]);
            sum = self.step(Operation::Add, [sum, counted, sum]);
        }
        sum
    }

    fn step(&mut self, operation: Operation, operands: [Operand; 3]) -> Operand {
        let step = Step {
            operation,
            operands,
        };
        let next = self.steps.len() as u32;
        let place = *self.found.entry(step).or_insert(next);
        if place == next {
            self.steps.push(step);
        }
        Operand::Step(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Letters;

    impl Leaves for Letters {
        fn figure(&self, _: FigureId) -> Option<Operand> {
            None
        }
        fn input(&self, symbol: &Symbol) -> Option<u32> {
            Some(u32::from(*symbol.name().as_bytes().first()?) - u32::from(b'a'))
        }
    }

    fn steps(texts: &[&str]) -> Operations {
        let mut operations = Operations::default();
        for text in texts {
            operations.add(&Expr::parse(text).unwrap(), &Letters);
        }
        operations
    }

    #[test]
    fn sums_and_products_go_from_left_to_right() {
        let Operations { steps, .. } = steps(&["a + b + c"]);
        let [first, second] = &steps[..] else {
            panic!("{steps:?}")
        };
        assert_eq!(first.operands[..2], [Operand::Input(0), Operand::Input(1)]);
        assert_eq!(second.operands[..2], [Operand::Step(0), Operand::Input(2)]);
        assert_eq!(second.operation, Operation::Add);
    }

    #[test]
    fn equal_steps_are_there_once() {
        let operations = steps(&["(a + b)*c", "(a + b)/c", "max(a + b, 3)", "max(a + b, 3)"]);
        assert_eq!(operations.steps.len(), 4);
        assert_eq!(operations.constants, [3.0]);
    }

    #[test]
    fn separated_steps_take_nothing_from_earlier_ones() {
        let mut operations = steps(&["a*b"]);
        operations.separate();
        let again = operations.add(&Expr::parse("a*b").unwrap(), &Letters);
        assert_eq!(
            (operations.steps.len(), again),
            (2, Operand::Step(1)),
            "{:?}",
            operations.steps
        );
    }

    #[test]
    fn conditions_and_sums_of_amounts_are_comparisons_and_choices() {
        let kinds = |operations: &Operations| -> Vec<Operation> {
            operations.steps.iter().map(|step| step.operation).collect()
        };
        assert_eq!(
            kinds(&steps(&["if(a<b, c, d)"])),
            [Operation::Less, Operation::Choose]
        );
        let member = (Expr::symbol("b"), Expr::symbol("c"));
        let mut operations = Operations::default();
        operations.add(&Expr::sum_above(Expr::symbol("a"), &[member]), &Letters);
        assert_eq!(
            kinds(&operations),
            [Operation::Greater, Operation::Count, Operation::Add]
        );
    }
}
