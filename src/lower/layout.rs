//! Where the members of a structure lie, by the rules that C and Fortran compilers share on 64-bit Unix (System V ABI).

use crate::ir::Type;

/// The room that something takes in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    pub bytes: u32,
    pub alignment: u32,
}

impl Room {
    /// A value of an intrinsic type, if its size is known: aligned to itself, a complex number to its parts.
    pub fn of(ty: &Type) -> Option<Room> {
        let bytes = ty.bytes()?;
        let alignment = match ty {
            Type::Complex(_) => bytes / 2,
            _ => bytes,
        };
        Some(Room {
            bytes,
            alignment: alignment.max(1),
        })
    }

    /// So many of them, one after the other.
    pub fn times(self, count: u32) -> Option<Room> {
        Some(Room {
            bytes: self.bytes.checked_mul(count)?,
            ..self
        })
    }
}

/// The bits of a bit-field.
#[derive(Clone, Copy, Debug)]
pub struct BitField {
    pub width: u32,
    /// Bytes of its type, and their natural alignment.
    pub unit: Room,
    /// Whether it may cross a boundary of its type.
    pub is_packed: bool,
    /// One without a name aligns nothing.
    pub is_named: bool,
}

/// Whether members come one after the other or lie over each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    Structure,
    Union,
}

/// The members of a structure as far as they have been placed.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    arrangement: Arrangement,
    /// Bits up to the end of the last member.
    end: u64,
    /// Bytes.
    alignment: u32,
}

impl Layout {
    /// No member so far; the whole is aligned to `least` bytes at least.
    pub fn new(arrangement: Arrangement, least: u32) -> Layout {
        Layout {
            arrangement,
            end: 0,
            alignment: least.max(1),
        }
    }

    /// Members that follow those of another structure.
    pub fn after(first: Room) -> Layout {
        Layout {
            arrangement: Arrangement::Structure,
            end: u64::from(first.bytes) * 8,
            alignment: first.alignment,
        }
    }

    /// The bit that the next member may begin at.
    fn next(&self) -> u64 {
        match self.arrangement {
            Arrangement::Structure => self.end,
            Arrangement::Union => 0,
        }
    }

    /// Places a member at the next multiple of its alignment; gives the byte that it begins at.
    pub fn place(&mut self, member: Room) -> Option<u32> {
        let unit = u64::from(member.alignment) * 8;
        let start = self.next().checked_next_multiple_of(unit)?;
        self.alignment = self.alignment.max(member.alignment);
        self.end = self
            .end
            .max(start.checked_add(u64::from(member.bytes) * 8)?);
        u32::try_from(start / 8).ok()
    }

    /// Places a bit-field that is aligned to so many bytes; gives the byte that its unit begins at. It does not cross a
    /// boundary of its type, unless it is packed; one without bits goes on to that boundary.
    pub fn place_bits(&mut self, field: BitField, alignment: u32) -> Option<u32> {
        let aligned = u64::from(alignment) * 8;
        let from = self.next();
        let width = u64::from(field.width);
        let start = if width == 0 {
            from.checked_next_multiple_of(u64::from(field.unit.alignment) * 8)?
        } else {
            let end = (from % aligned + width).next_multiple_of(aligned);
            let crosses = end > u64::from(field.unit.bytes) * 8;
            if crosses && !field.is_packed {
                from.checked_next_multiple_of(aligned)?
            } else {
                from
            }
        };
        if field.is_named {
            self.alignment = self.alignment.max(alignment);
        }
        self.end = self.end.max(start.checked_add(width)?);
        let alignment = u64::from(alignment);
        u32::try_from(start / 8 / alignment * alignment).ok()
    }

    /// The room of the whole: rounded up to the largest alignment.
    pub fn room(&self) -> Option<Room> {
        let bytes = u32::try_from(self.end.div_ceil(8)).ok()?;
        Some(Room {
            bytes: bytes.checked_next_multiple_of(self.alignment)?,
            alignment: self.alignment,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAR: Room = Room {
        bytes: 1,
        alignment: 1,
    };
    const INT: Room = Room {
        bytes: 4,
        alignment: 4,
    };
    const DOUBLE: Room = Room {
        bytes: 8,
        alignment: 8,
    };

    #[test]
    fn members_stand_at_multiples_of_their_alignment() {
        let mut layout = Layout::new(Arrangement::Structure, 1);
        let offsets = [CHAR, DOUBLE, INT].map(|member| layout.place(member));
        assert_eq!(offsets, [Some(0), Some(8), Some(16)]);
        assert_eq!(layout.room(), DOUBLE.times(3));
    }

    #[test]
    fn members_of_a_union_begin_together() {
        let mut layout = Layout::new(Arrangement::Union, 1);
        assert_eq!([INT, DOUBLE].map(|m| layout.place(m)), [Some(0), Some(0)]);
        assert_eq!(layout.room(), Some(DOUBLE));
    }

    #[test]
    fn an_extension_follows_its_padded_parent() {
        let mut layout = Layout::after(DOUBLE.times(2).unwrap());
        assert_eq!(layout.place(INT), Some(16));
        assert_eq!(layout.room().map(|room| room.bytes), Some(24));
    }

    #[test]
    fn bit_fields_do_not_cross_their_unit() {
        let mut layout = Layout::new(Arrangement::Structure, 1);
        let offsets = [3, 30, 2].map(|width| {
            let field = BitField {
                width,
                unit: INT,
                is_packed: false,
                is_named: true,
            };
            layout.place_bits(field, INT.alignment)
        });
        assert_eq!(offsets, [Some(0), Some(4), Some(4)]);
        assert_eq!(layout.room(), INT.times(2));
    }
}
