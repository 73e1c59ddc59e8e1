//! Structures, unions and enumerations. Sizes follow natural alignment and what attributes say of it.

use tree_sitter::Node;

use super::alignment::Alignment;
use super::fields::{Field, children, part, parts};
use super::scope::{EnumeratorValue, Lowering, Symbol};
use super::types::CType;
use crate::syntax::Role;

/// Deeper nesting is not followed.
const DEPTH: u32 = 8;

/// Index into the structures and unions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordId(pub usize);

/// A structure or union.
#[derive(Clone, Debug)]
pub struct Record<'t> {
    pub name: String,
    pub members: Vec<Member<'t>>,
    pub is_complete: bool,
    pub is_union: bool,
    /// Size and alignment, if every member's are known.
    pub layout: Option<(u32, u32)>,
}

#[derive(Clone, Debug)]
pub struct Member<'t> {
    /// Empty for an anonymous structure or union, whose members count as members of the outer one.
    pub name: &'t str,
    pub ty: CType<'t>,
    /// Its own, or that of the whole structure if it is packed.
    pub alignment: Alignment,
    /// Bits of a bit-field.
    pub bits: Option<u32>,
}

/// Where members lie, as far as one comes after the other.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    /// Bits up to the end of the last member.
    end: u64,
    /// Bytes.
    alignment: u32,
}

impl Layout {
    /// Places a member of so many bytes and such an alignment by the rules of the System V ABI, and gives
    /// the bit that it begins at. A bit-field does not cross a boundary of its type, unless it is packed; one
    /// without bits goes on to that boundary.
    fn place(
        &mut self,
        member: &Member,
        (bytes, natural): (u32, u32),
        is_union: bool,
    ) -> Option<u64> {
        let aligned = member.alignment.of(natural).max(1);
        let unit = u64::from(aligned) * 8;
        let from = if is_union { 0 } else { self.end };
        let (start, length) = match member.bits {
            None => (from.checked_next_multiple_of(unit)?, u64::from(bytes) * 8),
            Some(0) => (from.checked_next_multiple_of(u64::from(natural) * 8)?, 0),
            Some(width) => {
                let width = u64::from(width);
                let crosses = (from % unit + width).next_multiple_of(unit) > u64::from(bytes) * 8;
                let moves = crosses && !member.alignment.is_packed;
                (
                    if moves {
                        from.checked_next_multiple_of(unit)?
                    } else {
                        from
                    },
                    width,
                )
            }
        };
        // A bit-field without a name aligns nothing.
        if member.bits.is_none() || !member.name.is_empty() {
            self.alignment = self.alignment.max(aligned);
        }
        self.end = self.end.max(start.checked_add(length)?);
        Some(start)
    }
}

impl Record<'_> {
    /// Whether only its place in the file names it.
    pub fn is_anonymous(&self) -> bool {
        self.name.contains('@')
    }
}

impl<'t> Lowering<'t> {
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
            Some(id) if body.is_none() || !self.records[id.0].is_complete => id,
            _ => {
                let id = RecordId(self.records.len());
                let name = tag.map_or_else(
                    || format!("struct@{}", self.place(specifier).line),
                    str::to_string,
                );
                self.records.push(Record {
                    name,
                    members: Vec::new(),
                    is_complete: false,
                    is_union: false,
                    layout: None,
                });
                if let Some(tag) = tag {
                    self.define_tag(tag, id);
                }
                id
            }
        };
        if let Some(body) = body {
            // Complete before its members are read: a member of its own type has no size yet.
            self.records[id.0].is_complete = true;
            let mut members = Vec::new();
            let mut sized = true;
            self.members(body, &mut members, &mut sized, 0);
            let whole = self.alignment(specifier).filter(|_| sized);
            if whole.is_some_and(|whole| whole.is_packed) {
                members
                    .iter_mut()
                    .for_each(|member| member.alignment.is_packed = true);
            }
            let layout =
                whole.and_then(|whole| self.record_layout(&members, self.role(specifier), whole));
            let is_union = self.role(specifier) == Some(Role::Union);
            let record = &mut self.records[id.0];
            record.members = members;
            record.layout = layout;
            record.is_union = is_union;
        }
        id
    }

    fn members(
        &mut self,
        body: Node<'t>,
        members: &mut Vec<Member<'t>>,
        sized: &mut bool,
        depth: u32,
    ) {
        for child in children(body) {
            match self.role(child) {
                Some(Role::Declaration) => {
                    let base = self.specified_type(child);
                    let alignment = self.alignment(child);
                    *sized &= alignment.is_some();
                    let mut alignment = alignment.unwrap_or_default();
                    if self.expansion.is_none() {
                        alignment.most = self.masked.packing.at(child.start_byte());
                    }
                    let declarators = parts(child, Field::Declarator);
                    let first = members.len();
                    for part in children(child) {
                        if declarators.contains(&part) {
                            let found = self.declarator(part, base.clone());
                            let name = found.name.map_or("", |name| self.text(name));
                            members.push(Member {
                                name,
                                ty: found.ty,
                                alignment,
                                bits: None,
                            });
                        } else if self.role(part) == Some(Role::BitField) {
                            let width = children(part)
                                .first()
                                .and_then(|width| self.constant(*width));
                            let bits = width.and_then(|width| u32::try_from(width).ok());
                            *sized &= bits.is_some();
                            match members
                                .last_mut()
                                .filter(|last| last.bits.is_none() && !declarators.is_empty())
                            {
                                Some(last) => last.bits = bits,
                                None => members.push(Member {
                                    name: "",
                                    ty: base.clone(),
                                    alignment,
                                    bits,
                                }),
                            }
                        }
                    }
                    if members.len() == first {
                        members.push(Member {
                            name: "",
                            ty: base.clone(),
                            alignment,
                            bits: None,
                        });
                    }
                }
                Some(Role::PreprocessorIf | Role::PreprocessorElse) if depth < DEPTH => {
                    // Which branch holds is not known here, so the size is not either.
                    *sized = false;
                    self.members(child, members, sized, depth + 1);
                }
                _ => {}
            }
        }
    }

    /// Each member at the next multiple of its alignment, the whole rounded up to the largest one.
    fn record_layout(
        &self,
        members: &[Member<'t>],
        kind: Option<Role>,
        whole: Alignment,
    ) -> Option<(u32, u32)> {
        let mut layout = Layout {
            end: 0,
            alignment: whole.least.max(1),
        };
        for member in members {
            layout.place(
                member,
                self.layout_of(&member.ty)?,
                kind == Some(Role::Union),
            )?;
        }
        let bytes = u32::try_from(layout.end.div_ceil(8)).ok()?;
        Some((
            bytes.checked_next_multiple_of(layout.alignment)?,
            layout.alignment,
        ))
    }

    /// Bytes from the beginning of a structure to a member of it, to its unit for a bit-field; `None` for a member
    /// of an anonymous one inside, or if some size is not known.
    pub fn member_offset(&self, ty: &CType<'t>, name: &str) -> Option<u32> {
        let CType::Record(id) = ty else { return None };
        let record = &self.records[id.0];
        record.layout?;
        let mut layout = Layout::default();
        for member in &record.members {
            let (bytes, natural) = self.layout_of(&member.ty)?;
            let start = layout.place(member, (bytes, natural), record.is_union)? / 8;
            if member.name == name && !name.is_empty() {
                let unit = if member.bits.is_some() {
                    u64::from(member.alignment.of(natural))
                } else {
                    1
                };
                return u32::try_from(start / unit * unit).ok();
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
        let members = &self.records[id.0].members;
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
