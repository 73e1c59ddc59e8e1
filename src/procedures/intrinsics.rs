//! What the languages bring along: intrinsic procedures of Fortran, library functions of C.
//!
//! The facts are in `templates/intrinsics.toml`, one row a function. A name with arguments that the
//! source does not declare is one of these, or a function of the program; it is never an array.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::source::Language;

/// What a call costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntrinsicKind {
    /// One special operation on floating operands: `sqrt`, `exp`, `mod` …
    Special,
    /// One special operation, or multiplications when the exponent is a small constant integer: `pow`.
    Power,
    /// Comparison or copy, no flop: `abs`, `min`, `max`, `sign`.
    MinMaxAbs,
    /// One addition: `dim`.
    Add,
    /// One multiplication: `dprod`.
    Multiply,
    /// One addition and one multiplication: `fma`.
    Fma,
    /// Change of type, rounding, parts of a number; no flop.
    Conversion,
    /// Neither flops nor memory: `size`, `present`, `huge`.
    Inquiry,
    /// Array to scalar or smaller array: `sum`, `matmul`; its flops depend on extents.
    Reduction,
    /// Array to array: `reshape`, `cshift`; moves data, no flop.
    Array,
    /// Bit operations on integers.
    Integer,
    /// Text.
    Character,
    /// Moves as many bytes as an argument says: `memcpy`.
    Memory,
    /// Storage comes and goes: `malloc`.
    Allocation,
    /// A name means other storage, which costs nothing to speak of: `c_f_pointer`, `alloca`.
    Association,
    /// Between images or processes.
    Communication,
    /// Gives variables values from a file or text: `read`, `scanf`.
    Input,
    /// Fills the storage that it gets the address of with what a file has: `fread`.
    Read,
    /// Opens a file: its name is the first argument.
    Open,
    /// Writes what follows its format as text: `printf`.
    Text,
    /// Other input and output.
    Io,
    /// Reads a clock.
    Timer,
    /// How a statement went, or what it finds there: `iostat=`, `exist=`.
    Status,
    /// Takes the next option from the command line: `getopt`.
    Options,
    /// Arguments, random numbers.
    System,
    /// Waits for other threads, or lets them go on: `omp_set_lock`.
    Lock,
    /// Ends the program: `exit`.
    Termination,
    /// A number from text: `atoi`; no flop.
    Parsing,
}

impl IntrinsicKind {
    /// Whether what a library function gives comes from outside the program: a file, the command line, text.
    pub fn gives_from_outside(self) -> bool {
        matches!(
            self,
            IntrinsicKind::Input
                | IntrinsicKind::Read
                | IntrinsicKind::Io
                | IntrinsicKind::Text
                | IntrinsicKind::Options
                | IntrinsicKind::System
                | IntrinsicKind::Lock
                | IntrinsicKind::Termination
                | IntrinsicKind::Parsing
        )
    }

    /// Whether a library function touches no more than what is passed to it by value and a little of its own.
    pub fn touches_little(self) -> bool {
        use IntrinsicKind::*;
        matches!(
            self,
            Special
                | Power
                | MinMaxAbs
                | Add
                | Multiply
                | Fma
                | Conversion
                | Inquiry
                | Integer
                | Timer
                | Lock
                | Termination
        )
    }

    /// Whether a library function may give its arguments values.
    pub fn may_write(self) -> bool {
        use IntrinsicKind::*;
        matches!(
            self,
            Memory
                | Allocation
                | Association
                | Communication
                | Input
                | Read
                | Io
                | Text
                | Timer
                | Status
                | Options
                | System
                | Lock
                | Termination
        )
    }

    /// Whether a library function gives what it gets the place of another value that nothing in the program says.
    pub fn gives_state(self) -> bool {
        matches!(self, IntrinsicKind::Timer | IntrinsicKind::Status)
    }
}

/// Functions whose time machines give apart from that of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Elementary {
    Root,
    Exponential,
    Logarithm,
    /// Sine, cosine, tangent.
    Trigonometric,
    /// Powers that are not products.
    Power,
    /// The smaller or larger of two numbers as C has it: a number beside what is none.
    Minimum,
}

/// What a function computes whose value sizes and conditions of a program are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    Minimum,
    Maximum,
    Absolute,
    /// What is left of a division, with the sign of the dividend.
    Remainder,
    /// The same with the sign of the divisor.
    Modulo,
    Floor,
    Ceiling,
    /// Rounded to the nearest whole number.
    Nearest,
    /// Rounded towards zero.
    Truncated,
    /// The same number in another type.
    Unchanged,
    /// How many elements an array has.
    Extent,
    /// The largest subscript of an array.
    UpperBound,
    /// How many images of the program run.
    Images,
    /// Which of them this one is, counted from one.
    Image,
    /// How many threads run.
    Threads,
    /// Which of them this one is, counted from zero.
    Thread,
    /// A text without the blanks behind it, or how long that is.
    Trimmed,
    /// Whether texts differ: zero if they are the same.
    TextComparison,
    /// Whether a variable has storage.
    HasStorage,
    /// Whether a call passes something for a dummy argument.
    Present,
    /// Whether a number is a finite one.
    Finite,
    /// Whether it is none, or infinite.
    NotFinite,
    /// The bits that two whole numbers have in common.
    CommonBits,
    /// Whether a whole number has a bit, counted from zero.
    Bit,
    /// What a text says.
    FromText,
}

/// What a function of the library does with one that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallsBack {
    /// It sorts so many elements, the second argument, by comparing two.
    Sort,
    /// It looks for one among so many elements that are sorted, the third argument, by halves.
    Search,
}

impl CallsBack {
    /// The position of the argument that is the number of elements.
    pub fn elements(self) -> usize {
        match self {
            CallsBack::Sort => 1,
            CallsBack::Search => 2,
        }
    }
}

/// How the type of a call's value follows from its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultType {
    /// Type of the first argument; element type of an array.
    Same,
    /// As `Same`, but the real type of equal precision for a complex argument.
    SameReal,
    /// Type of the last argument.
    Last,
    /// The KIND argument's; without one, a complex argument's precision, else default real.
    Real,
    /// The KIND argument's, else default complex.
    Complex,
    Real4,
    Real8,
    /// C's `long double`.
    #[serde(rename = "longdouble")]
    LongDouble,
    /// Two `Real4`.
    Complex8,
    /// Two `Real8`.
    Complex16,
    /// Two `LongDouble`.
    Complex32,
    Integer,
    Logical,
    Character,
    Pointer,
    /// A subroutine, or `void`.
    Nothing,
}

/// One function that a language brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intrinsic {
    pub kind: IntrinsicKind,
    pub elementary: Option<Elementary>,
    pub meaning: Option<Meaning>,
    /// Roughly what it sets an integer argument to, where that is a small count.
    pub about: Option<u32>,
    /// What it does with the function that it is given.
    pub calls_back: Option<CallsBack>,
    pub result: ResultType,
}

/// Floating-point operations of one call with floating scalar arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CallFlops {
    pub adds: u32,
    pub multiplies: u32,
    pub specials: u32,
}

impl Intrinsic {
    /// Operations of one call with real scalar arguments; for integer arguments there are none.
    ///
    /// `Power` is given as one special: the caller knows whether the exponent is a small constant.
    /// `Reduction` is `None`: its operations depend on the extents of its arguments.
    pub fn flops(self) -> Option<CallFlops> {
        let none = CallFlops::default();
        match self.kind {
            IntrinsicKind::Special | IntrinsicKind::Power => Some(CallFlops {
                specials: 1,
                ..none
            }),
            IntrinsicKind::Add => Some(CallFlops { adds: 1, ..none }),
            IntrinsicKind::Multiply => Some(CallFlops {
                multiplies: 1,
                ..none
            }),
            IntrinsicKind::Fma => Some(CallFlops {
                adds: 1,
                multiplies: 1,
                ..none
            }),
            IntrinsicKind::Reduction => None,
            _ => Some(none),
        }
    }
}

/// The functions of both languages by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intrinsics {
    c: BTreeMap<String, Intrinsic>,
    headers: BTreeMap<String, Intrinsic>,
    fortran: BTreeMap<String, Intrinsic>,
}

impl Intrinsics {
    /// The table that is part of the program.
    pub fn builtin() -> &'static Intrinsics {
        static TABLE: OnceLock<Intrinsics> = OnceLock::new();
        TABLE.get_or_init(|| {
            toml::from_str(include_str!("intrinsics.toml"))
                .expect("templates/intrinsics.toml is sound")
        })
    }

    /// The function of that name; Fortran names in lower case, C names as written.
    pub fn lookup(&self, language: Language, name: &str) -> Option<&Intrinsic> {
        match language {
            Language::C => self.c.get(name),
            Language::Fortran => self.fortran.get(name),
        }
    }

    /// What a name stands for that headers of C may define and no function of the program has.
    pub fn of_headers(&self, language: Language, name: &str) -> Option<&Intrinsic> {
        match language {
            Language::C => self.headers.get(name),
            Language::Fortran => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(language: Language, name: &str) -> Option<IntrinsicKind> {
        Intrinsics::builtin()
            .lookup(language, name)
            .map(|intrinsic| intrinsic.kind)
    }

    /// ExaSAT's own list, but for the power operator.
    #[test]
    fn exasats_specials_are_specials() {
        let names = "sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh mod";
        for name in names.split_whitespace() {
            assert_eq!(
                kind(Language::Fortran, name),
                Some(IntrinsicKind::Special),
                "{name}"
            );
            let in_c = if name == "mod" { "fmod" } else { name };
            assert_eq!(
                kind(Language::C, in_c),
                Some(IntrinsicKind::Special),
                "{in_c}"
            );
        }
        for name in ["pow", "powf", "powl"] {
            assert_eq!(
                kind(Language::C, name),
                Some(IntrinsicKind::Power),
                "{name}"
            );
        }
    }

    #[test]
    fn fortran_names_are_lower_case_and_no_row_repeats() {
        // A repeated key is an error of the TOML reader, so reading is the test of that.
        let table = Intrinsics::builtin();
        for name in table.fortran.keys() {
            assert_eq!(*name, name.to_lowercase());
        }
        assert!(table.lookup(Language::Fortran, "SQRT").is_none());
    }

    #[test]
    fn specific_names_have_their_types() {
        let result = |language, name| {
            Intrinsics::builtin()
                .lookup(language, name)
                .map(|intrinsic| intrinsic.result)
        };
        assert_eq!(result(Language::Fortran, "dsqrt"), Some(ResultType::Real8));
        assert_eq!(result(Language::Fortran, "alog"), Some(ResultType::Real4));
        assert_eq!(result(Language::Fortran, "max0"), Some(ResultType::Integer));
        assert_eq!(result(Language::C, "sqrtf"), Some(ResultType::Real4));
        assert_eq!(result(Language::C, "fabsl"), Some(ResultType::LongDouble));
        assert_eq!(result(Language::C, "abs"), Some(ResultType::Integer));
    }

    /// Machines time the specific and the complex names as they do the generic ones.
    #[test]
    fn specific_names_are_timed_as_generic_ones() {
        use Elementary::{Exponential, Logarithm, Root, Trigonometric};
        let of = |language, name| {
            let known = Intrinsics::builtin().lookup(language, name);
            known.and_then(|known| known.elementary)
        };
        for (names, function) in [
            (
                "log alog dlog clog cdlog zlog log10 alog10 dlog10",
                Logarithm,
            ),
            ("sqrt dsqrt csqrt cdsqrt zsqrt", Root),
            ("exp dexp cexp cdexp zexp", Exponential),
            (
                "sin cos tan dsin dcos dtan csin ccos cdsin cdcos zsin zcos",
                Trigonometric,
            ),
        ] {
            for name in names.split_whitespace() {
                assert_eq!(of(Language::Fortran, name), Some(function), "{name}");
            }
        }
        for (names, function) in [
            ("log logf logl clog clogf clogl __builtin_log", Logarithm),
            ("sqrt sqrtf sqrtl csqrt csqrtf csqrtl __builtin_sqrt", Root),
            (
                "exp expf expl cexp cexpf cexpl exp10 __builtin_expf",
                Exponential,
            ),
            (
                "sin cosf tanl csin ccosf ctanl __builtin_sin",
                Trigonometric,
            ),
            ("pow powf powl cpow cpowf cpowl", Elementary::Power),
            ("fmin fmaxf fminl __builtin_fmax", Elementary::Minimum),
        ] {
            for name in names.split_whitespace() {
                assert_eq!(of(Language::C, name), Some(function), "{name}");
            }
        }
    }

    #[test]
    fn what_a_call_counts() {
        let flops = |language, name| {
            Intrinsics::builtin()
                .lookup(language, name)
                .and_then(|i| i.flops())
        };
        assert_eq!(
            flops(Language::C, "fma"),
            Some(CallFlops {
                adds: 1,
                multiplies: 1,
                specials: 0
            })
        );
        assert_eq!(flops(Language::Fortran, "max"), Some(CallFlops::default()));
        assert_eq!(
            flops(Language::Fortran, "exp"),
            Some(CallFlops {
                adds: 0,
                multiplies: 0,
                specials: 1
            })
        );
        assert_eq!(flops(Language::Fortran, "matmul"), None);
    }
}
