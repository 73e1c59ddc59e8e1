//! What the core does in an iteration of an innermost loop that its operations and streams do not show: what it waits
//! for from earlier iterations, and which functions it calls.

use crate::counted::counted;
use crate::intrinsics::Elementary;
use crate::source::optimisation::Optimisation;

/// Of a loop without loops inside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InCore {
    pub carried: Carried,
    /// The same if one of the loops around were the innermost one, by its variable.
    pub outer: Vec<(String, Carried)>,
    pub functions: Functions,
    /// Whether a square root of a negative number has to be noted, as C wants it: then it is not an instruction of
    /// vectors.
    pub notes_errors: bool,
    /// What the flags of its file let the compiler do.
    pub compiled: Optimisation,
}

/// What iterations of a loop have from earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Each from one iteration to a later one, the longest first.
    pub chains: Vec<Chain>,
    pub order: Order,
    /// So many iterations can be done side by side, where elements that are stored and read in another order than the
    /// iterations have them set a limit.
    pub at_once: Option<u32>,
}

impl InCore {
    /// With the loop of this variable as the innermost one, `own` is the one that is; `None` where that is not known.
    pub fn carried_by(&self, variable: &str, own: &str) -> Option<&Carried> {
        if variable == own {
            return Some(&self.carried);
        }
        let mut outer = self.outer.iter();
        outer.find_map(|(known, carried)| (known == variable).then_some(carried))
    }
}

/// Whether iterations can be done side by side as far as elements of arrays go that are both stored and read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// The chains are all that one iteration waits for another in, or sizes say, which compilers look at before the loop.
    #[default]
    Shown,
    /// An iteration has whole numbers, or elements that are only passed on, from an earlier one: no chain counts that.
    Carried,
    /// Data say which elements these are: compilers take one iteration after the other.
    ByData,
    /// Subscripts could not be compared: there may be chains that are not known.
    Unknown,
}

impl Order {
    pub const ALL: [Order; 4] = [Order::Shown, Order::Carried, Order::ByData, Order::Unknown];

    pub fn as_str(self) -> &'static str {
        match self {
            Order::Shown => "shown",
            Order::Carried => "carried",
            Order::ByData => "by_data",
            Order::Unknown => "unknown",
        }
    }

    pub fn parse(text: &str) -> Option<Order> {
        Order::ALL.into_iter().find(|order| order.as_str() == text)
    }
}

/// Operations that wait for each other, from a value to the same value of a later iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The scalar or array that carries the value.
    pub name: String,
    pub kind: ChainKind,
    /// So many iterations later; two chains that lead into each other are one over two iterations.
    pub distance: u32,
    /// Of a loop around: by how many of its iterations an execution of the innermost loop comes to these elements earlier
    /// than the one before, by one in `y[j + i]`; 0 where it comes to the same in the same iteration.
    pub iterations_apart: i64,
    /// The loop that sets the scalar anew before those inside begin, by how many loops it is around the innermost one; 0 where
    /// none does.
    pub set_around: u32,
    pub steps: Steps,
}

/// Whether a compiler may change the order of a chain's operations if it is allowed to reorder sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainKind {
    /// It may: a sum, product, minimum or maximum of which only the last value is used.
    Reduction,
    /// It always may: a minimum or maximum of the language, which says nothing of NaN.
    Extremum,
    /// It may not.
    Recurrence,
}

impl ChainKind {
    pub const ALL: [ChainKind; 3] = [
        ChainKind::Reduction,
        ChainKind::Extremum,
        ChainKind::Recurrence,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ChainKind::Reduction => "reduction",
            ChainKind::Extremum => "extremum",
            ChainKind::Recurrence => "recurrence",
        }
    }

    pub fn parse(text: &str) -> Option<ChainKind> {
        ChainKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

counted! {
    /// Operations on the way of a chain.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Steps: [u32; 11] {
        /// Additions, also those of a product to the value that is carried: fusing them gains nothing.
        pub adds,
        pub multiplies,
        /// Multiplications of the value that is carried, with the addition that follows.
        pub fused,
        pub divides,
        pub roots,
        /// All other functions of the language.
        pub specials,
        /// min, max, choices, conversions.
        pub selections,
        /// Loads from where the value that is carried says.
        pub loads,
        /// Of whole numbers: additions, logic, shifts, choices.
        pub integer_adds,
        pub integer_multiplies,
        /// Quotients and remainders whose divisor no literal gives.
        pub integer_divides,
    }
}

impl Steps {
    /// These and others after them.
    #[must_use]
    pub fn then(self, others: Steps) -> Steps {
        let (mine, theirs) = (self.values(), others.values());
        Steps::from_values(std::array::from_fn(|i| mine[i].saturating_add(theirs[i])))
    }

    /// About how long they take, to choose the longest of several ways: what is common to most cores.
    pub fn length(self) -> u64 {
        const CYCLES: [u64; 11] = [4, 4, 4, 14, 20, 40, 2, 20, 1, 3, 15];
        let steps = self.values().into_iter().zip(CYCLES);
        steps.map(|(count, cycles)| u64::from(count) * cycles).sum()
    }
}

counted! {
    /// Functions of the language in an iteration, as far as machines differ in them: those up to powers are among the
    /// specials; the others are no floating-point operations.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Functions: [u32; 8] {
        pub roots,
        pub exponentials,
        pub logarithms,
        /// Sine, cosine, tangent.
        pub trigonometric,
        /// Powers that are not products.
        pub powers,
        /// C's `fmin` and `fmax`: on some machines calls of the library.
        pub minima,
        /// Quotients and remainders of whole numbers whose divisor no literal gives, the same one counted once.
        pub integer_divisions,
        /// Choices between three or more ways by a whole number.
        pub choices,
    }
}

impl Functions {
    /// The number of calls of such functions.
    pub fn counter(&mut self, function: Elementary) -> &mut u32 {
        match function {
            Elementary::Root => &mut self.roots,
            Elementary::Exponential => &mut self.exponentials,
            Elementary::Logarithm => &mut self.logarithms,
            Elementary::Trigonometric => &mut self.trigonometric,
            Elementary::Power => &mut self.powers,
            Elementary::Minimum => &mut self.minima,
        }
    }
}
