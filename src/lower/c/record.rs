//! Structures and unions of C.

use std::sync::Arc;

use super::super::layout::{Arrangement, BitField, Layout, Room};
use super::ctype::CType;
use crate::diagnostic::Place;

/// Index into the structures and unions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordId(usize);

/// A structure or union.
#[derive(Clone, Debug)]
pub struct Record<'t> {
    pub name: String,
    named_by: NamedBy,
    /// Where it is defined.
    place: Place,
    pub members: Vec<Member<'t>>,
    pub is_complete: bool,
    pub arrangement: Arrangement,
    /// Size and alignment, if every member's are known.
    pub room: Option<Room>,
}

/// What gives a structure its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NamedBy {
    /// Nothing but its line.
    Line,
    /// The first variable or member that is one, as the type has no name: `struct { int n; } limits;`.
    Variable,
    /// Its tag or a typedef.
    Itself,
}

impl Record<'_> {
    /// What its name is known in: everywhere, or where it is defined.
    pub fn scope(&self) -> Arc<str> {
        let Place { file, line, .. } = &self.place;
        match self.named_by {
            NamedBy::Itself => "".into(),
            NamedBy::Line | NamedBy::Variable => format!("{file}:{line}").into(),
        }
    }
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

/// What is asked of one structure or member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// Without padding.
    pub is_packed: bool,
    /// At a multiple of so many bytes, if it is not 0.
    pub least: u32,
    /// At any multiple of so many bytes, if it is not 0: `#pragma pack`.
    pub most: u32,
}

impl Alignment {
    /// The alignment of something that has `natural` alignment without attributes.
    pub fn of(self, natural: u32) -> u32 {
        let asked = if self.is_packed {
            self.least.max(1)
        } else {
            self.least.max(natural)
        };
        if self.most > 0 {
            asked.min(self.most)
        } else {
            asked
        }
    }
}

impl Member<'_> {
    /// Places the member of a type that takes so much room; gives the byte that it, or the unit of a bit-field,
    /// begins at.
    pub fn place(&self, layout: &mut Layout, room: Room) -> Option<u32> {
        let alignment = self.alignment.of(room.alignment).max(1);
        match self.bits {
            None => layout.place(Room { alignment, ..room }),
            Some(width) => {
                let field = BitField {
                    width,
                    unit: room,
                    is_packed: self.alignment.is_packed,
                    is_named: !self.name.is_empty(),
                };
                layout.place_bits(field, alignment)
            }
        }
    }
}

/// The structures and unions of a file.
#[derive(Default)]
pub struct Records<'t> {
    known: Vec<Record<'t>>,
}

impl<'t> Records<'t> {
    pub fn get(&self, id: RecordId) -> &Record<'t> {
        &self.known[id.0]
    }

    /// Adds one of which nothing but its tag and its place are known.
    pub fn add(&mut self, tag: Option<&str>, place: &Place) -> RecordId {
        let (name, named_by) = match tag {
            Some(tag) => (tag.to_string(), NamedBy::Itself),
            None => (format!("struct@{}", place.line), NamedBy::Line),
        };
        self.known.push(Record {
            name,
            named_by,
            place: place.clone(),
            members: Vec::new(),
            is_complete: false,
            arrangement: Arrangement::Structure,
            room: None,
        });
        RecordId(self.known.len() - 1)
    }

    /// Notes that the members of one are being read: a member of its own type has no size yet.
    pub fn begin(&mut self, id: RecordId) {
        self.known[id.0].is_complete = true;
    }

    pub fn complete(
        &mut self,
        id: RecordId,
        members: Vec<Member<'t>>,
        arrangement: Arrangement,
        room: Option<Room>,
    ) {
        let record = &mut self.known[id.0];
        record.members = members;
        record.arrangement = arrangement;
        record.room = room;
    }

    /// Gives one without a tag the name of a typedef.
    pub fn name_by_typedef(&mut self, ty: &CType, name: &str) {
        self.name_by(NamedBy::Itself, ty, name);
    }

    /// Gives one that nothing names so far the name of a variable, or member, that is such a structure.
    pub fn name_by_variable(&mut self, ty: &CType, name: &str) {
        self.name_by(NamedBy::Variable, ty, name);
    }

    fn name_by(&mut self, by: NamedBy, mut ty: &CType, name: &str) {
        while let CType::Pointer(inner) | CType::Array(inner, _) = ty {
            ty = inner;
        }
        let CType::Record(id) = ty else { return };
        let record = &mut self.known[id.0];
        if record.named_by < by {
            record.named_by = by;
            record.name = name.to_string();
        }
    }
}
