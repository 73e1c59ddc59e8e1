//! Expressions of the source.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::{Function, Reason, Sign, Type, VarId};
use crate::diagnostic::Place;
use crate::reason::ReasonCode;

/// A typed expression of the source.
///
/// Two values are equal if they are the same expression of the same variables, wherever they stand: places of elements
/// are not compared. Floating literals are equal if their bits and sizes are, so that equality holds of every value
/// and itself, also of a literal that is not a number. Of values that are not understood the reasons, with their
/// details, and what could be read inside have to be the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Value {
    Integer(i64),
    /// A floating literal and its size in bytes.
    Real(f64, u32),
    Logical(bool),
    Text(String),
    Variable(VarId),
    /// An element; subscripts in storage order.
    Element {
        array: VarId,
        subscripts: Vec<Value>,
        place: Place,
    },
    Unary(UnaryOp, Box<Value>),
    Binary(BinaryOp, Box<Value>, Box<Value>),
    /// An intrinsic or a function; names of intrinsics are lower case in Fortran.
    Call {
        name: String,
        arguments: Vec<Value>,
        /// Type of the result; `Unknown` for a function that was not declared.
        ty: Type,
    },
    Convert(Type, Box<Value>),
    /// C's `c ? a : b`.
    Select(Box<Value>, Box<Value>, Box<Value>),
    /// Among subscripts: lower bound, upper bound and step of a section of one dimension.
    Section(Box<[Value; 3]>),
    /// Among subscripts: one that C leaves out, so that the element is a row, which is an address.
    Row,
    /// C's `&`, as written in `text`.
    Address {
        of: Box<Value>,
        text: String,
    },
    /// Not understood; what could be read inside is kept.
    Opaque {
        reason: Reason,
        inner: Vec<Value>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnaryOp {
    Negate,
    Not,
    /// C's `~`.
    Complement,
}

/// How many of several conditions have to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    All,
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// Of a whole number that may be negative, by a power of two, which is the other operand: `n >> 3` divides by eight
    /// and goes down.
    ShiftRight,
    Power,
    /// C's `%`.
    Remainder,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
    BitAnd,
    BitOr,
    BitExclusiveOr,
    /// Shifts by what is no number, string concatenation: never a flop.
    Other,
}

impl BinaryOp {
    pub fn is_arithmetic(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            Add | Subtract | Multiply | Divide | ShiftRight | Power
        )
    }

    /// What `a && b`, or `a || b`, is by what is known of its sides.
    pub fn joined(self, sides: [Option<bool>; 2]) -> Option<bool> {
        let decides = self == BinaryOp::Or;
        match sides {
            _ if sides.contains(&Some(decides)) => Some(decides),
            [Some(_), Some(_)] => Some(!decides),
            _ => None,
        }
    }

    /// Whether it works on the bits of its operands, or is none of the others.
    pub fn is_bitwise(self) -> bool {
        use BinaryOp::*;
        matches!(self, BitAnd | BitOr | BitExclusiveOr | Other)
    }

    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            Less | LessOrEqual | Greater | GreaterOrEqual | Equal | NotEqual
        )
    }

    /// Whether it says which of two values is the larger one.
    pub fn is_order(self) -> bool {
        use BinaryOp::*;
        matches!(self, Less | LessOrEqual | Greater | GreaterOrEqual)
    }

    /// Whether a comparison holds of two values in this order; what compares nothing is taken for `NotEqual`.
    pub fn holds_of(self, order: Ordering) -> bool {
        match self {
            BinaryOp::Less => order.is_lt(),
            BinaryOp::LessOrEqual => order.is_le(),
            BinaryOp::Greater => order.is_gt(),
            BinaryOp::GreaterOrEqual => order.is_ge(),
            BinaryOp::Equal => order.is_eq(),
            _ => order.is_ne(),
        }
    }

    /// The comparison that holds with the sides exchanged, or times −1; what compares nothing stays as it is.
    #[must_use]
    pub fn mirrored(self) -> BinaryOp {
        use BinaryOp::*;
        match self {
            Less => Greater,
            LessOrEqual => GreaterOrEqual,
            Greater => Less,
            GreaterOrEqual => LessOrEqual,
            other => other,
        }
    }

    /// The comparison that holds where this one does not; what compares nothing stays as it is.
    #[must_use]
    pub fn negated(self) -> BinaryOp {
        use BinaryOp::*;
        match self {
            Less => GreaterOrEqual,
            LessOrEqual => Greater,
            Greater => LessOrEqual,
            GreaterOrEqual => Less,
            Equal => NotEqual,
            NotEqual => Equal,
            other => other,
        }
    }

    pub fn sign(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "+",
            Subtract => "-",
            Multiply => "*",
            Divide | ShiftRight => "/",
            Power => "**",
            Remainder => "%",
            Less => "<",
            LessOrEqual => "<=",
            Greater => ">",
            GreaterOrEqual => ">=",
            Equal => "==",
            NotEqual => "/=",
            And => "and",
            Or => "or",
            BitAnd => "&",
            BitOr => "|",
            BitExclusiveOr => "^",
            Other => "<op>",
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        use Value::*;
        match (self, other) {
            (Integer(a), Integer(b)) => a == b,
            (Real(a, size), Real(b, other)) => a.to_bits() == b.to_bits() && size == other,
            (Logical(a), Logical(b)) => a == b,
            (Text(a), Text(b)) => a == b,
            (Variable(a), Variable(b)) => a == b,
            (
                Element {
                    array: a,
                    subscripts,
                    place: _,
                },
                Element {
                    array: b,
                    subscripts: others,
                    place: _,
                },
            ) => a == b && subscripts == others,
            (Unary(op, a), Unary(other, b)) => op == other && a == b,
            (Binary(op, a, b), Binary(other, c, d)) => op == other && a == c && b == d,
            (
                Call {
                    name: a,
                    arguments,
                    ty,
                },
                Call {
                    name: b,
                    arguments: others,
                    ty: other,
                },
            ) => a == b && ty == other && arguments == others,
            (Convert(ty, a), Convert(other, b)) => ty == other && a == b,
            (Select(a, b, c), Select(x, y, z)) => a == x && b == y && c == z,
            (Address { of: a, text: _ }, Address { of: b, text: _ }) => a == b,
            (Section(a), Section(b)) => a == b,
            (Row, Row) => true,
            (
                Opaque { reason, inner },
                Opaque {
                    reason: other,
                    inner: others,
                },
            ) => reason == other && inner == others,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Value {
    pub fn binary(op: BinaryOp, left: Value, right: Value) -> Value {
        Value::Binary(op, Box::new(left), Box::new(right))
    }

    /// The value that conversions around it convert.
    pub fn unconverted(&self) -> &Value {
        match self {
            Value::Convert(_, inner) => inner.unconverted(),
            other => other,
        }
    }

    /// Whether it is the literal for a pointer that leads nowhere.
    pub fn is_null(&self) -> bool {
        matches!(self.unconverted(), Value::Integer(0))
    }

    /// The variable that it is, or that it is an element of.
    pub fn variable(&self) -> Option<VarId> {
        match self {
            Value::Variable(id) | Value::Element { array: id, .. } => Some(*id),
            _ => None,
        }
    }

    /// Whether one of several conditions holds; `None` if there are none. Thousands of them nest no deeper than a few.
    pub fn any(mut conditions: Vec<Value>) -> Option<Value> {
        /// So many stand in a row, as the source has them.
        const IN_A_ROW: usize = 32;
        if conditions.len() > IN_A_ROW {
            let rest = conditions.split_off(conditions.len() / 2);
            let (first, rest) = (Value::any(conditions)?, Value::any(rest)?);
            return Some(Value::binary(BinaryOp::Or, first, rest));
        }
        conditions
            .into_iter()
            .reduce(|before, next| Value::binary(BinaryOp::Or, before, next))
    }

    pub fn opaque(code: ReasonCode, detail: impl Into<String>) -> Value {
        Value::Opaque {
            reason: Reason {
                code,
                detail: detail.into(),
            },
            inner: Vec::new(),
        }
    }

    /// The type that the language gives the value.
    pub fn ty(&self, function: &Function) -> Type {
        match self {
            Value::Integer(number) if i32::try_from(*number).is_err() => Type::integer(8),
            Value::Integer(_) => Type::integer(4),
            Value::Real(_, bytes) => Type::Real(*bytes),
            Value::Logical(_) => Type::Logical(4),
            Value::Text(_) => Type::CHARACTER,
            Value::Variable(id) | Value::Element { array: id, .. } => {
                function.variable(*id).ty.clone()
            }
            Value::Unary(UnaryOp::Not, _) => Type::Logical(4),
            Value::Unary(_, operand) => promoted(operand.ty(function), function),
            Value::Binary(op, left, right) if op.is_arithmetic() || *op == BinaryOp::Remainder => {
                promoted(wider(left.ty(function), right.ty(function)), function)
            }
            Value::Binary(op, left, _) if op.is_bitwise() => promoted(left.ty(function), function),
            Value::Binary(..) => Type::Logical(4),
            Value::Call { ty, .. } | Value::Convert(ty, _) => ty.clone(),
            Value::Select(_, then, otherwise) => wider(then.ty(function), otherwise.ty(function)),
            Value::Section(_) | Value::Row | Value::Address { .. } | Value::Opaque { .. } => {
                Type::Unknown
            }
        }
    }

    /// Whether it stands for nothing that could be computed: a section, a row, an address, or what is not understood.
    pub fn has_no_number(&self) -> bool {
        matches!(
            self,
            Value::Section(_) | Value::Row | Value::Address { .. } | Value::Opaque { .. }
        )
    }

    /// The two operands of a minimum or maximum that is written as a choice: `a < b ? a : b`, in which a
    /// macro has put each of them twice.
    pub fn extremum(&self) -> Option<(&Value, &Value)> {
        let Value::Select(condition, then, otherwise) = self else {
            return None;
        };
        let Value::Binary(op, left, right) = condition.as_ref() else {
            return None;
        };
        let straight = || left == then && right == otherwise;
        let crossed = || left == otherwise && right == then;
        (op.is_order() && (straight() || crossed())).then_some((left, right))
    }

    /// Why it has no number.
    pub fn reason(&self) -> Option<Reason> {
        let (code, detail) = match self {
            Value::Opaque { reason, .. } => return Some(reason.clone()),
            Value::Section(_) => (ReasonCode::ArraySection, ""),
            Value::Row => (ReasonCode::ArraySection, "a row of an array"),
            Value::Address { text, .. } => (ReasonCode::AddressOf, text.as_str()),
            _ => return None,
        };
        let detail = detail.to_string();
        Some(Reason { code, detail })
    }
}

/// The type in which whole numbers are computed: C's integer promotions (C17, 6.3.1.1).
fn promoted(ty: Type, function: &Function) -> Type {
    match ty {
        Type::Integer(..4, _) if function.conventions.has_pointers() => Type::integer(4),
        ty => ty,
    }
}

/// The type of an arithmetic operation on two operands: complex over real over integer, then the
/// larger size. An unknown operand does not hide a known floating one.
pub fn wider(left: Type, right: Type) -> Type {
    use Type::*;
    match (left, right) {
        (Complex(a), Complex(b)) => Complex(a.max(b)),
        (Complex(a), Real(b)) | (Real(b), Complex(a)) => Complex(a.max(2 * b)),
        (Complex(a), _) | (_, Complex(a)) => Complex(a),
        (Real(a), Real(b)) => Real(a.max(b)),
        (Real(a), _) | (_, Real(a)) => Real(a),
        (Unknown, _) | (_, Unknown) => Unknown,
        (Integer(a, own), Integer(b, other)) => match a.cmp(&b) {
            Ordering::Less => Integer(b, other),
            Ordering::Greater => Integer(a, own),
            Ordering::Equal if own == Sign::Unsigned => Integer(a, own),
            Ordering::Equal => Integer(b, other),
        },
        (Integer(a, sign), _) | (_, Integer(a, sign)) => Integer(a, sign),
        (other, _) => other,
    }
}
