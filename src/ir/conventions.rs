//! What languages do differently with the same nest. Lowering notes it with every function; who reads the IR asks for
//! the convention, and for the language only to print in it and to look names up in its library.

use crate::source::Language;
use serde::{Deserialize, Serialize};

/// The conventions of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Conventions {
    /// What values are printed in, and whose library is called.
    pub language: Language,
    pub names: ArrayNames,
    /// Index of an array's first element where the declaration does not give one.
    pub first_index: i64,
    pub passing: Passing,
    pub results: Results,
    pub aliasing: Aliasing,
    pub loop_ends: LoopEnds,
    pub records: Records,
    pub prototypes: Prototypes,
    pub called_variables: CalledVariables,
    pub linkage: Linkage,
    pub handles: Handles,
    pub domain_errors: DomainErrors,
    pub not_numbers: NotNumbers,
    pub operands: Operands,
}

impl Conventions {
    pub const C: Conventions = Conventions {
        language: Language::C,
        names: ArrayNames::Addresses,
        first_index: 0,
        passing: Passing::Values,
        results: Results::Returned,
        aliasing: Aliasing::SameType,
        loop_ends: LoopEnds::EachIteration,
        records: Records::Fixed,
        prototypes: Prototypes::Fixed,
        called_variables: CalledVariables::Pointers,
        linkage: Linkage::AsWritten,
        handles: Handles::Addresses,
        domain_errors: DomainErrors::Noted,
        not_numbers: NotNumbers::Defined,
        operands: Operands::AsNeeded,
    };

    pub const FORTRAN: Conventions = Conventions {
        language: Language::Fortran,
        names: ArrayNames::Elements,
        first_index: 1,
        passing: Passing::Places,
        results: Results::Variable,
        aliasing: Aliasing::Declared,
        loop_ends: LoopEnds::AtEntry,
        records: Records::Extensible,
        prototypes: Prototypes::Generic,
        called_variables: CalledVariables::Declarations,
        linkage: Linkage::Underscore,
        handles: Handles::Descriptors,
        domain_errors: DomainErrors::Unseen,
        not_numbers: NotNumbers::Open,
        operands: Operands::All,
    };

    /// Those of every function in a language.
    pub fn of(language: Language) -> Conventions {
        match language {
            Language::C => Conventions::C,
            Language::Fortran => Conventions::FORTRAN,
        }
    }

    /// Whether values may be addresses, and variables with dimensions pointers that move.
    pub fn has_pointers(&self) -> bool {
        self.names == ArrayNames::Addresses
    }

    /// Whether a scalar that is passed may get another value.
    pub fn passes_places(&self) -> bool {
        self.passing == Passing::Places
    }
}

/// What the name of an array, or an element without all its subscripts, stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArrayNames {
    /// Where it begins: a pointer.
    Addresses,
    /// All its elements.
    Elements,
}

/// What a call passes for a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Passing {
    Values,
    /// Where it lies: assignments to the dummy argument are assignments to what is passed.
    Places,
}

/// How a function gives its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Results {
    /// What is evaluated before a return.
    Returned,
    /// The value of a variable.
    Variable,
}

/// Which names may stand for the same storage without a declaration that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Aliasing {
    /// Those of one type, and of characters with any.
    SameType,
    Declared,
}

/// When the end and the step of a loop are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LoopEnds {
    EachIteration,
    AtEntry,
}

/// Whether a structure that is passed is as long as the dummy argument says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Records {
    Fixed,
    /// It may be of a type that extends the argument's.
    Extensible,
}

/// In which type a function of the library computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Prototypes {
    /// Its own: arguments are converted.
    Fixed,
    /// That of its arguments.
    Generic,
}

/// What a variable is whose name is called, if it is not a dummy argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CalledVariables {
    /// A pointer to a function.
    Pointers,
    /// The declaration of the function's type.
    Declarations,
}

/// The names that linkers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Linkage {
    AsWritten,
    /// In lower case, with `_` behind.
    Underscore,
}

/// What a variable holds that only says where an array lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Handles {
    Addresses,
    /// The address with bounds and strides.
    Descriptors,
}

/// Whether the language says what the minimum and the maximum are where NaN is among the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NotNumbers {
    Defined,
    /// It does not: compilers may compare in any order.
    Open,
}

/// What a function such as the square root does with an argument that it is not defined for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DomainErrors {
    /// It sets a variable (`errno`): unless compilers may leave that out, an instruction cannot take its place alone.
    Noted,
    Unseen,
}

/// Which operands of a logical operation are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operands {
    /// The second one where the first one does not decide.
    AsNeeded,
    /// Compilers may evaluate both.
    All,
}
