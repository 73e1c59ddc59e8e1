//! The variables of the function at hand. A name of file scope becomes one when the function uses it.

use tree_sitter::Node;

use super::ctype::{CType, Size};
use super::lowering::Lowering;
use super::macros::Macro;
use super::names::{Enumerator, EnumeratorValue, Symbol};
use crate::diagnostic::Place;
use crate::ir::{
    BinaryOp, ConstantOrigin, Extent, Home, Name, Role as Storage, Type, Value, VarId, Variable,
};
use crate::reason::ReasonCode;

/// Members of the structures that POSIX clocks fill, whose header may be out of reach.
const TIME_MEMBERS: [&str; 3] = [".tv_sec", ".tv_usec", ".tv_nsec"];

impl<'t> Lowering<'t> {
    /// The variable that a name stands for; a name that was never declared becomes a variable too.
    pub fn variable(&mut self, node: Node<'t>) -> VarId {
        let name = self.text(node);
        if let Some(Symbol::Local(id) | Symbol::LocalConstant { id, .. }) = self.names.symbol(name)
        {
            return *id;
        }
        if self.variables.is_expanding(name) {
            // A constant defined in terms of itself has no value.
            let place = self.place(node);
            return self.add_variable(name, CType::Unknown, Storage::Undeclared, place);
        }
        let enumerator = self.names.enumerator(name);
        if let Some(id) = self.variables.imported(name, enumerator) {
            return id;
        }
        if let Some(found) = self.names.reading().macro_named(name) {
            return self.import_macro(name, found);
        }
        match self.names.symbol(name).cloned() {
            Some(Symbol::Global {
                ty,
                constant: None,
                initial,
                is_static,
                is_extern,
                name: declared,
                ..
            }) => {
                let place = self.place(declared);
                let file = is_static.then(|| place.file.clone());
                let id =
                    self.at_file_scope(|this| this.add_variable(name, ty, Storage::Global, place));
                self.variables.import(name, None, id);
                let name = name.into();
                self.draft.set_home(id, Home::File { file, name });
                self.begin_global(id, initial, is_extern);
                id
            }
            Some(Symbol::Global {
                ty,
                constant: Some(value),
                name: declared,
                ..
            }) => {
                let place = self.place(declared);
                let id = self.import_constant((name, None), place, ConstantOrigin::Const, |this| {
                    this.value(value)
                });
                self.declare_constant(id, ty);
                id
            }
            Some(Symbol::Enumerator {
                value,
                name: declared,
            }) => {
                let place = self.place(declared);
                self.import_constant(
                    (name, enumerator),
                    place,
                    ConstantOrigin::Enumerator,
                    |this| match value {
                        EnumeratorValue::Known(n) => Value::Integer(n),
                        EnumeratorValue::Expression(value) => this.value(value),
                        EnumeratorValue::Unknown => {
                            Value::opaque(ReasonCode::UnsupportedExpression, name)
                        }
                    },
                )
            }
            // `<complex.h>` defines it; its value has no other name.
            None if matches!(name, "I" | "_Complex_I")
                && self.names.reading().mentions("omplex") =>
            {
                let ty = CType::Arithmetic(Type::Complex(8));
                let place = self.place(node);
                let id = self.add_variable(
                    name,
                    ty,
                    Storage::Constant(ConstantOrigin::ImaginaryUnit),
                    place,
                );
                self.variables.import(name, None, id);
                id
            }
            other => {
                // A function that is named without a call is not a variable.
                let is_variable =
                    other.is_some_and(|symbol| !matches!(symbol, Symbol::Function(_)));
                let storage = if is_variable {
                    Storage::Global
                } else {
                    Storage::Undeclared
                };
                let place = self.place(node);
                let id = self.add_variable(name, CType::Unknown, storage, place);
                self.variables.import(name, None, id);
                id
            }
        }
    }

    /// What a variable of the file begins with: its initialiser, or zero where it is defined without one.
    fn begin_global(&mut self, id: VarId, initial: Option<Node<'t>>, is_extern: bool) {
        match initial {
            Some(initial) => {
                self.captured(|this| {
                    this.at_file_scope(|this| {
                        this.begin(id, initial);
                        this.begin_behind(initial);
                    });
                });
            }
            None if !is_extern => self.draft.set_zero(id),
            None => {}
        }
    }

    /// Gives a constant the type that it is declared with.
    fn declare_constant(&mut self, id: VarId, ty: CType<'t>) {
        self.set_type(id, ty);
        if let Some(value) = self.draft.variable(id).constant.clone() {
            self.draft.set_constant(id, value);
        }
    }

    /// A macro as a constant: of whole numbers, the suffix says of which type, `5u`.
    fn import_macro(&mut self, name: &'t str, found: &'t Macro<'t>) -> VarId {
        let mut own = CType::Unknown;
        let place = found.place.clone();
        let id = self.import_constant((name, None), place, ConstantOrigin::Macro, |this| {
            let (value, ty) = this.macro_value(found);
            own = ty;
            value
        });
        let is_whole = matches!(self.draft.variable(id).ty, Type::Integer(..));
        if is_whole && matches!(own, CType::Arithmetic(Type::Integer(..))) {
            self.declare_constant(id, own);
        }
        id
    }

    /// The value of a macro and its type, read in the macro's own tree.
    fn macro_value(&mut self, found: &'t Macro<'t>) -> (Value, CType<'t>) {
        let Some(node) = found.value() else {
            let value = Value::opaque(ReasonCode::UnsupportedExpression, "");
            return (value, CType::Unknown);
        };
        let outer = self.names.enter_macro(found);
        let (value, ty) = (self.value(node), self.type_of(node, 0));
        self.names.leave_macro(outer);
        (value, ty)
    }

    fn import_constant(
        &mut self,
        (name, enumerator): (&'t str, Enumerator),
        place: Place,
        origin: ConstantOrigin,
        value: impl FnOnce(&mut Self) -> Value,
    ) -> VarId {
        let own_name = match enumerator.is_some() && self.draft.has_name(name) {
            true => self.free_name(name),
            false => name.to_string(),
        };
        let id = self.add_variable(own_name, CType::Unknown, Storage::Constant(origin), place);
        self.variables.import(name, enumerator, id);
        self.variables.begin_expansion(name);
        let (value, _) = self.captured(|this| this.at_file_scope(value));
        self.variables.end_expansion();
        let ty = value.ty(self.draft.function());
        self.set_type(id, CType::Arithmetic(ty));
        self.draft.set_constant(id, value);
        id
    }

    /// Adds a variable to the function; its extents are read in the current scope.
    pub fn add_variable(
        &mut self,
        name: impl Into<Name>,
        ty: CType<'t>,
        role: Storage,
        place: Place,
    ) -> VarId {
        let name = name.into();
        let is_time = matches!(ty, CType::Unknown)
            && TIME_MEMBERS.iter().any(|member| name.ends_with(member));
        let ty = if is_time {
            CType::Arithmetic(Type::integer(8))
        } else {
            ty
        };
        let mut dimensions = self.extents(&ty);
        dimensions.reverse();
        let element = self.names.element_type(&ty);
        let id = self.draft.add(Variable {
            name,
            ty: element,
            dimensions,
            role,
            constant: None,
            place,
        });
        self.variables.add_type(ty);
        id
    }

    /// Gives a variable another type than it was declared with.
    pub fn set_type(&mut self, id: VarId, ty: CType<'t>) {
        let mut dimensions = self.extents(&ty);
        dimensions.reverse();
        let element = self.names.element_type(&ty);
        self.draft.set_type(id, element);
        self.draft.set_dimensions(id, dimensions);
        self.variables.set_type(id, ty);
    }

    /// The bounds of all dimensions of a type, outermost first.
    pub fn extents(&mut self, ty: &CType<'t>) -> Vec<Extent> {
        ty.extents()
            .into_iter()
            .map(|size| self.extent(size))
            .collect()
    }

    pub fn extent(&mut self, size: Option<Size<'t>>) -> Extent {
        let size = match size {
            None => return Extent::default(),
            Some(Size::Written(size)) => self.value(size),
            Some(Size::Counted(count)) => Value::Integer(count),
        };
        Extent {
            lower: Some(Value::Integer(0)),
            upper: Some(one_less(size)),
        }
    }
}

/// `value - 1`, the inclusive end of `0 .. value`.
pub fn one_less(value: Value) -> Value {
    match value {
        Value::Integer(n) if n > i64::MIN => Value::Integer(n - 1),
        value => Value::binary(BinaryOp::Subtract, value, Value::Integer(1)),
    }
}
