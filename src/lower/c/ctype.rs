//! Types of C as declarations build them, before they become the IR's element type with dimensions.
//! Sizes are those of the 64-bit Unix ABIs (LP64).

use tree_sitter::Node;

use super::record::RecordId;
use crate::ir::{Sign, Type};

/// What `complex`, `_Complex` and `__complex__` have in common.
pub const COMPLEX: &str = "omplex";
/// Deeper nesting than this is not followed.
pub const DEPTH: u32 = 100;

#[derive(Clone, Debug)]
pub enum CType<'t> {
    Unknown,
    Void,
    Arithmetic(Type),
    Record(RecordId),
    Pointer(Box<CType<'t>>),
    /// Element and extent; `None` where open.
    Array(Box<CType<'t>>, Option<Size<'t>>),
    /// Result.
    Function(Box<CType<'t>>),
}

/// How many elements an array has.
#[derive(Clone, Copy, Debug)]
pub enum Size<'t> {
    /// The value of an expression.
    Written(Node<'t>),
    /// As many as what it begins with: `int a[] = {1, 2, 3};`.
    Counted(i64),
}

/// A declarator taken apart: what it declares and with which type.
pub struct Declarator<'t> {
    pub name: Option<Node<'t>>,
    pub ty: CType<'t>,
    /// Parameter list of a function.
    pub parameters: Option<Node<'t>>,
}

/// Types by name where no declaration says otherwise. `signed` and `unsigned` are removed and
/// `int` beside `short` and `long` too before the table is read.
const NAMES: &[(&str, CType<'static>)] = &[
    ("void", CType::Void),
    ("__builtin_va_list", CType::Void),
    // What only the library looks into, for files whose headers are out of reach.
    ("va_list", CType::Void),
    ("FILE", CType::Void),
    ("DIR", CType::Void),
    ("fpos_t", CType::Void),
    ("jmp_buf", CType::Void),
    ("mbstate_t", CType::Void),
    ("sigset_t", CType::Void),
    ("pthread_attr_t", CType::Void),
    ("pthread_barrier_t", CType::Void),
    ("pthread_cond_t", CType::Void),
    ("pthread_mutex_t", CType::Void),
    ("char", integer(1)),
    ("short", integer(2)),
    ("int", integer(4)),
    ("", integer(4)),
    ("long", integer(8)),
    ("long long", integer(8)),
    ("float", real(4)),
    ("double", real(8)),
    ("long double", real(16)),
    ("_Bool", CType::Arithmetic(Type::Logical(1))),
    ("bool", CType::Arithmetic(Type::Logical(1))),
    ("size_t", unsigned(8)),
    ("ssize_t", integer(8)),
    ("ptrdiff_t", integer(8)),
    ("intptr_t", integer(8)),
    ("uintptr_t", unsigned(8)),
    ("intmax_t", integer(8)),
    ("uintmax_t", unsigned(8)),
    ("off_t", integer(8)),
    ("time_t", integer(8)),
    ("clock_t", integer(8)),
    ("pthread_t", integer(8)),
    ("pid_t", integer(4)),
    ("mode_t", unsigned(4)),
    ("int8_t", integer(1)),
    ("uint8_t", unsigned(1)),
    ("char8_t", unsigned(1)),
    ("int16_t", integer(2)),
    ("uint16_t", unsigned(2)),
    ("char16_t", unsigned(2)),
    ("int32_t", integer(4)),
    ("uint32_t", unsigned(4)),
    ("char32_t", unsigned(4)),
    ("wchar_t", integer(4)),
    ("int64_t", integer(8)),
    ("uint64_t", unsigned(8)),
    ("u_int32_t", unsigned(4)),
    ("u_int64_t", unsigned(8)),
    ("uint", unsigned(4)),
    ("ushort", unsigned(2)),
    ("ulong", unsigned(8)),
    // Handles as in MPI's own ABI, for files whose `mpi.h` is out of reach.
    ("MPI_Comm", integer(8)),
    ("MPI_Datatype", integer(8)),
    ("MPI_Errhandler", integer(8)),
    ("MPI_File", integer(8)),
    ("MPI_Group", integer(8)),
    ("MPI_Info", integer(8)),
    ("MPI_Message", integer(8)),
    ("MPI_Op", integer(8)),
    ("MPI_Request", integer(8)),
    ("MPI_Win", integer(8)),
    ("MPI_Aint", integer(8)),
    ("MPI_Count", integer(8)),
    ("MPI_Offset", integer(8)),
    ("MPI_Fint", integer(4)),
    ("__int128", integer(16)),
    ("__int128_t", integer(16)),
    ("__uint128_t", integer(16)),
    ("__fp16", real(2)),
    ("_Float16", real(2)),
    ("__bf16", real(2)),
    ("_Float32", real(4)),
    ("_Float64", real(8)),
    ("_Float32x", real(8)),
    ("_Float64x", real(16)),
    ("_Float128", real(16)),
    ("__float128", real(16)),
    // `_Complex` and its real type as the preprocessor joins them.
    ("float_Complex", complex(8)),
    ("double_Complex", complex(16)),
    ("_Complex", complex(16)),
    ("long_double_Complex", complex(32)),
];

pub const fn integer(bytes: u32) -> CType<'static> {
    CType::Arithmetic(Type::integer(bytes))
}

const fn unsigned(bytes: u32) -> CType<'static> {
    CType::Arithmetic(Type::Integer(bytes, Sign::Unsigned))
}

/// Of both parts together.
const fn complex(bytes: u32) -> CType<'static> {
    CType::Arithmetic(Type::Complex(bytes))
}

const fn real(bytes: u32) -> CType<'static> {
    CType::Arithmetic(Type::Real(bytes))
}

impl<'t> CType<'t> {
    /// What a pointer points to, or the element of an array.
    pub fn element(&self) -> CType<'t> {
        match self {
            CType::Pointer(inner) | CType::Array(inner, _) => (**inner).clone(),
            _ => CType::Unknown,
        }
    }

    pub fn is_address(&self) -> bool {
        matches!(self, CType::Pointer(_) | CType::Array(..))
    }

    /// The extents of all levels of pointers and arrays, outermost first; `None` where open.
    pub fn extents(&self) -> Vec<Option<Size<'t>>> {
        let mut extents = Vec::new();
        let mut ty = self;
        loop {
            match ty {
                CType::Pointer(inner) if matches!(**inner, CType::Function(_)) => return extents,
                CType::Pointer(inner) => {
                    extents.push(None);
                    ty = inner;
                }
                CType::Array(inner, size) => {
                    extents.push(*size);
                    ty = inner;
                }
                _ => return extents,
            }
        }
    }
}

/// Whether the language or its library declares a type of that name.
pub fn is_library_type(name: &str) -> bool {
    library_type(name).is_some()
}

/// A type that the language or its library declares.
pub fn library_type(text: &str) -> Option<CType<'static>> {
    let words = || {
        text.split_whitespace()
            .filter(|word| !matches!(*word, "signed" | "unsigned" | "const" | "volatile"))
    };
    let has = |wanted: &str| text.split_whitespace().any(|word| word == wanted);
    let has_size = words().any(|word| matches!(word, "long" | "short"));
    let mut words = words()
        .filter(|word| !(has_size && *word == "int"))
        .collect::<Vec<_>>();
    words.sort_by_key(|word| *word != "long");
    let name = words.join(" ");
    let (_, ty) = NAMES.iter().find(|(known, _)| *known == name)?;
    Some(match ty {
        CType::Arithmetic(Type::Integer(bytes, _)) if has("unsigned") => unsigned(*bytes),
        ty => ty.clone(),
    })
}
