//! The types that specifiers and declarators of the source name.

use tree_sitter::Node;

use super::super::layout::Room;
use super::ctype::{COMPLEX, CType, DEPTH, Declarator, Size, integer, library_type};
use super::fields::{Field, children, part};
use super::names::Names;
use crate::ir::Type;
use crate::syntax::Role;

const POINTER: Room = Room {
    bytes: 8,
    alignment: 8,
};

impl<'t> Names<'t> {
    /// The IR's type of the elements below all pointers and arrays.
    pub fn element_type(&self, ty: &CType<'t>) -> Type {
        match ty {
            CType::Pointer(inner) | CType::Array(inner, _) => self.element_type(inner),
            CType::Arithmetic(ty) => ty.clone(),
            CType::Record(id) => {
                let record = self.records.get(*id);
                Type::Derived(record.name.clone(), record.room.map(|room| room.bytes))
            }
            CType::Unknown | CType::Void | CType::Function(_) => Type::Unknown,
        }
    }

    /// The IR's type of a value of this type; an address is `Unknown`.
    pub fn value_type(&self, ty: &CType<'t>) -> Type {
        if ty.is_address() {
            Type::Unknown
        } else {
            self.element_type(ty)
        }
    }

    /// Size in bytes.
    pub fn size_of(&self, ty: &CType<'t>) -> Option<u32> {
        self.room_of(ty).map(|room| room.bytes)
    }

    /// Size and alignment.
    pub fn room_of(&self, ty: &CType<'t>) -> Option<Room> {
        match ty {
            CType::Arithmetic(ty) => Room::of(ty),
            CType::Pointer(_) => Some(POINTER),
            CType::Array(element, size) => {
                let element = self.room_of(element)?;
                element.times(u32::try_from(self.number_of((*size)?)?).ok()?)
            }
            CType::Record(id) => self.records.get(*id).room,
            CType::Unknown | CType::Void | CType::Function(_) => None,
        }
    }

    /// The type that the specifiers of a declaration name; defines structures, unions and
    /// enumerations on the way.
    pub fn specified_type(&mut self, declaration: Node<'t>) -> CType<'t> {
        self.deeper(|this| this.specified_type_within(declaration))
            .unwrap_or(CType::Unknown)
    }

    fn specified_type_within(&mut self, declaration: Node<'t>) -> CType<'t> {
        let Some(specifier) = part(declaration, Field::Type) else {
            return CType::Unknown;
        };
        let base = match self.role(specifier) {
            Some(Role::TypeName) => self.named_type(specifier),
            Some(Role::TypeDefinition | Role::Union) => CType::Record(self.record(specifier)),
            Some(Role::Enumeration) => {
                self.enumeration(specifier);
                integer(4)
            }
            _ => CType::Unknown,
        };
        match base {
            CType::Arithmetic(Type::Real(bytes)) if self.has_qualifier(declaration, COMPLEX) => {
                CType::Arithmetic(Type::Complex(2 * bytes))
            }
            _ => base,
        }
    }

    /// Whether a qualifier of a declaration contains a word, in the text before masking.
    pub fn has_qualifier(&self, declaration: Node<'t>, word: &str) -> bool {
        let is_it = |child: &Node<'t>| {
            self.role(*child) == Some(Role::Qualifier) && self.original(*child).contains(word)
        };
        children(declaration).iter().any(is_it)
    }

    fn named_type(&mut self, specifier: Node<'t>) -> CType<'t> {
        let text = self.original(specifier);
        self.type_by_name(text).unwrap_or_else(|| {
            self.unknown_type(specifier);
            CType::Unknown
        })
    }

    /// A typedef name in scope, or a type of the language or its library.
    pub fn type_by_name(&self, text: &str) -> Option<CType<'t>> {
        if let Some(ty) = self.typedef(text) {
            return Some(ty.clone());
        }
        library_type(text)
    }

    /// The type of a cast or `sizeof`.
    pub fn described_type(&mut self, descriptor: Node<'t>) -> CType<'t> {
        let base = self.specified_type(descriptor);
        match part(descriptor, Field::Declarator) {
            Some(declarator) => self.declarator(declarator, base).ty,
            None => base,
        }
    }

    /// The type of a cast or `sizeof` if that needs no new definition.
    pub fn known_description(&self, descriptor: Node<'t>) -> Option<CType<'t>> {
        let specifier = part(descriptor, Field::Type)?;
        let base = match self.role(specifier)? {
            Role::TypeName => self.type_by_name(self.original(specifier))?,
            Role::TypeDefinition | Role::Union => {
                CType::Record(self.tag(self.text(part(specifier, Field::Name)?))?)
            }
            Role::Enumeration => integer(4),
            _ => return None,
        };
        let base = match base {
            CType::Arithmetic(Type::Real(bytes)) if self.has_qualifier(descriptor, COMPLEX) => {
                CType::Arithmetic(Type::Complex(2 * bytes))
            }
            other => other,
        };
        Some(match part(descriptor, Field::Declarator) {
            Some(declarator) => self.declarator(declarator, base).ty,
            None => base,
        })
    }

    /// Takes a declarator apart, from the outside in.
    pub fn declarator(&self, declarator: Node<'t>, base: CType<'t>) -> Declarator<'t> {
        let mut found = Declarator {
            name: None,
            ty: base,
            parameters: None,
        };
        let mut node = Some(declarator);
        for _ in 0..DEPTH {
            let Some(current) = node else { break };
            let ty = std::mem::replace(&mut found.ty, CType::Unknown);
            node = part(current, Field::Declarator);
            found.ty = match self.role(current) {
                Some(Role::PointerDeclarator) => CType::Pointer(Box::new(ty)),
                Some(Role::ArrayDeclarator) => {
                    let size = part(current, Field::Size).filter(tree_sitter::Node::is_named);
                    CType::Array(Box::new(ty), size.map(Size::Written))
                }
                Some(Role::FunctionDeclarator) => {
                    found.parameters = part(current, Field::Parameters);
                    CType::Function(Box::new(ty))
                }
                Some(Role::WrappedDeclarator) => {
                    node = children(current).first().copied();
                    ty
                }
                Some(Role::Name | Role::TypeName) => {
                    found.name = Some(current);
                    ty
                }
                _ => ty,
            };
        }
        found
    }
}
