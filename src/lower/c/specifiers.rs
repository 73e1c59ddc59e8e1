//! The structures, unions and enumerations that specifiers define. Sizes follow natural alignment and what attributes
//! say of it.

use tree_sitter::Node;

use super::super::layout::{Arrangement, Layout};
use super::ctype::CType;
use super::fields::{Field, children, part, parts};
use super::names::{EnumeratorValue, Names, Symbol};
use super::record::{Alignment, Member, Record, RecordId};
use crate::ir::Home;
use crate::syntax::Role;

/// Deeper nesting is not followed.
const DEPTH: u32 = 8;

/// The members of a structure as far as they have been read.
struct Members<'t> {
    members: Vec<Member<'t>>,
    /// Whether the size of the whole can be known.
    are_sized: bool,
}

impl<'t> Names<'t> {
    /// Defines what a specifier without a variable defines.
    pub fn define_specifier(&mut self, specifier: Node<'t>) {
        match self.role(specifier) {
            Some(Role::Enumeration) => self.enumeration(specifier),
            _ => {
                self.record(specifier);
            }
        }
    }

    /// A structure or union by its specifier; defines it if the specifier has a body.
    pub fn record(&mut self, specifier: Node<'t>) -> RecordId {
        let tag = part(specifier, Field::Name).map(|name| self.text(name));
        let body = part(specifier, Field::Body);
        let known = tag.and_then(|tag| self.tag(tag));
        let id = match known {
            Some(id) if body.is_none() || !self.records.get(id).is_complete => id,
            _ => {
                let place = self.place(specifier);
                let id = self.records.add(tag, &place);
                if let Some(tag) = tag {
                    self.define_tag(tag, id);
                }
                id
            }
        };
        if let Some(body) = body {
            self.complete_record(id, specifier, body);
        }
        id
    }

    fn complete_record(&mut self, id: RecordId, specifier: Node<'t>, body: Node<'t>) {
        self.records.begin(id);
        let mut read = Members {
            members: Vec::new(),
            are_sized: true,
        };
        self.members(body, &mut read, 0);
        let Members {
            mut members,
            are_sized,
        } = read;
        let whole = self.alignment(specifier).filter(|_| are_sized);
        if whole.is_some_and(|whole| whole.is_packed) {
            members
                .iter_mut()
                .for_each(|member| member.alignment.is_packed = true);
        }
        let arrangement = match self.role(specifier) {
            Some(Role::Union) => Arrangement::Union,
            _ => Arrangement::Structure,
        };
        let room = whole.and_then(|whole| {
            let mut layout = Layout::new(arrangement, whole.least);
            for member in &members {
                member.place(&mut layout, self.room_of(&member.ty)?)?;
            }
            layout.room()
        });
        self.records.complete(id, members, arrangement, room);
    }

    fn members(&mut self, body: Node<'t>, read: &mut Members<'t>, depth: u32) {
        for child in children(body) {
            match self.role(child) {
                Some(Role::Declaration) => self.member_declaration(child, read),
                Some(Role::PreprocessorIf | Role::PreprocessorElse) if depth < DEPTH => {
                    // Which branch holds is not known here, so the size is not either.
                    read.are_sized = false;
                    self.members(child, read, depth + 1);
                }
                _ => {}
            }
        }
    }

    /// The members that one declaration in a structure declares.
    fn member_declaration(&mut self, declaration: Node<'t>, read: &mut Members<'t>) {
        let base = self.specified_type(declaration);
        let alignment = self.alignment(declaration);
        read.are_sized &= alignment.is_some();
        let alignment = Alignment {
            most: self.reading().most_aligned(declaration),
            ..alignment.unwrap_or_default()
        };
        let unnamed = |ty: &CType<'t>, bits| Member {
            name: "",
            ty: ty.clone(),
            alignment,
            bits,
        };
        let declarators = parts(declaration, Field::Declarator);
        let first = read.members.len();
        for part in children(declaration) {
            if declarators.contains(&part) {
                let found = self.declarator(part, base.clone());
                let name = found.name.map_or("", |name| self.text(name));
                self.records.name_by_variable(&found.ty, name);
                read.members.push(Member {
                    name,
                    ..unnamed(&found.ty, None)
                });
            } else if self.role(part) == Some(Role::BitField) {
                let width = children(part)
                    .first()
                    .and_then(|width| self.constant(*width));
                let bits = width.and_then(|width| u32::try_from(width).ok());
                read.are_sized &= bits.is_some();
                let last = read.members.last_mut();
                match last.filter(|last| last.bits.is_none() && !declarators.is_empty()) {
                    Some(last) => last.bits = bits,
                    None => read.members.push(unnamed(&base, bits)),
                }
            }
        }
        if read.members.len() == first {
            read.members.push(unnamed(&base, None));
        }
    }

    /// The storage of a member of all structures of a type.
    pub fn component(&self, ty: &CType<'t>, member: &str) -> Option<Home> {
        let CType::Record(id) = ty else { return None };
        let record = self.records.get(*id);
        Some(Home::Component {
            scope: record.scope(),
            of: record.name.as_str().into(),
            name: member.into(),
        })
    }

    /// Bytes from the beginning of a structure to a member of it, to its unit for a bit-field; `None` for a member
    /// of an anonymous one inside, or if some size is not known.
    pub fn member_offset(&self, ty: &CType<'t>, name: &str) -> Option<u32> {
        let CType::Record(id) = ty else { return None };
        let record = self.records.get(*id);
        record.room?;
        let mut layout = Layout::new(record.arrangement, 1);
        for member in &record.members {
            let offset = member.place(&mut layout, self.room_of(&member.ty)?)?;
            if member.name == name && !name.is_empty() {
                return Some(offset);
            }
        }
        None
    }

    /// The type of a member, looked for in anonymous members too.
    pub fn member_type(&self, ty: &CType<'t>, name: &str) -> CType<'t> {
        self.find_member(ty, name, 0).unwrap_or(CType::Unknown)
    }

    fn find_member(&self, ty: &CType<'t>, name: &str, depth: u32) -> Option<CType<'t>> {
        let CType::Record(id) = ty else { return None };
        let members = &self.records.get(*id).members;
        let direct = members
            .iter()
            .find(|member| member.name == name)
            .map(|member| member.ty.clone());
        if direct.is_some() || depth > DEPTH {
            return direct;
        }
        members
            .iter()
            .filter(|member| member.name.is_empty())
            .find_map(|m| self.find_member(&m.ty, name, depth + 1))
    }

    /// Whether a member is one of a union, or of an anonymous one inside a structure.
    pub fn overlaps_others(&self, ty: &CType<'t>, name: &str) -> bool {
        self.is_of_union(ty, name, 0).unwrap_or(false)
    }

    fn is_of_union(&self, ty: &CType<'t>, name: &str, depth: u32) -> Option<bool> {
        let CType::Record(id) = ty else { return None };
        let Record {
            members,
            arrangement,
            ..
        } = self.records.get(*id);
        let is_union = *arrangement == Arrangement::Union;
        if members.iter().any(|member| member.name == name) {
            return Some(is_union);
        }
        let mut inner = members
            .iter()
            .filter(|member| member.name.is_empty() && depth < DEPTH);
        let found = inner.find_map(|member| self.is_of_union(&member.ty, name, depth + 1))?;
        Some(is_union || found)
    }

    /// Enters the names of an enumeration into the current scope.
    pub fn enumeration(&mut self, specifier: Node<'t>) {
        let Some(body) = part(specifier, Field::Body) else {
            return;
        };
        let mut next = Some(0);
        for child in children(body) {
            if self.role(child) != Some(Role::Enumerator) {
                continue;
            }
            let value = part(child, Field::Value);
            next = match value {
                Some(value) => self.constant(value),
                None => next,
            };
            if let Some(name) = part(child, Field::Name) {
                let constant = match (next, value) {
                    (Some(n), _) => EnumeratorValue::Known(n),
                    (None, Some(value)) => EnumeratorValue::Expression(value),
                    (None, None) => EnumeratorValue::Unknown,
                };
                self.define(
                    self.text(name),
                    Symbol::Enumerator {
                        value: constant,
                        name,
                    },
                );
            }
            next = next.and_then(|n| n.checked_add(1));
        }
    }
}
