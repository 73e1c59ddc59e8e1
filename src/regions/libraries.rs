//! Shared libraries that a program uses: their functions by the symbols that they export.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::base;
use super::error::RegionError;
use super::fit::{Fit, Verdict};
use super::map::RegionMap;
use crate::binary::BinaryError;
use crate::trace::Instruction;

/// A library where it was loaded.
pub struct Library {
    pub(super) name: String,
    pub(super) map: RegionMap,
    base: u64,
    fit: Fit,
    was_executed: Arc<OnceLock<bool>>,
}

impl Library {
    /// From its file's content; it is loaded at this address more than it is linked to. When it is judged, it says whether
    /// any of it was executed.
    ///
    /// # Errors
    /// It is not a RISC-V library, or damaged.
    pub fn read(
        data: &[u8],
        name: &str,
        base: u64,
        was_executed: Arc<OnceLock<bool>>,
    ) -> Result<Library, BinaryError> {
        Ok(Library {
            name: name.to_string(),
            map: RegionMap::read(data)?,
            base,
            fit: Fit::at(base),
            was_executed,
        })
    }

    /// Where its code lies: from the first address to the one after the last.
    pub fn addresses(&self) -> Option<Range<u64>> {
        let code = self.map.code().addresses()?;
        Some(self.base.wrapping_add(code.start)..self.base.wrapping_add(code.end))
    }

    /// The address as linked, if the instruction lies in the library.
    fn address(&mut self, instruction: &Instruction) -> Option<u64> {
        let address = instruction.pc?.checked_sub(self.base)?;
        self.map.code().word(address)?;
        self.fit.address(instruction, self.map.code())
    }

    /// Whether the instructions that lie in it are those of its file.
    fn judge(&self) -> Result<(), RegionError> {
        self.was_executed.get_or_init(|| self.fit.has_any());
        match self.fit.verdict() {
            Verdict::Fits | Verdict::NothingInside => Ok(()),
            Verdict::Differs(difference) => Err(RegionError::LibraryDiffers {
                library: self.name.clone(),
                base: self.base,
                difference,
            }),
        }
    }

    /// What a region of it is called.
    pub(super) fn qualified(&self, name: &str) -> String {
        format!("{name} ({})", self.name)
    }
}

/// The library that an instruction lies in, by its number, and the address as linked.
pub(super) fn holding(
    libraries: &mut [Library],
    instruction: &Instruction,
) -> Option<(usize, u64)> {
    let mut numbered = libraries.iter_mut().enumerate();
    numbered.find_map(|(number, library)| Some((number, library.address(instruction)?)))
}

/// Whether the instructions that were looked at are those of a program at its base, and of its libraries.
pub(super) fn judge(
    (fit, map, base): (&Fit, &RegionMap, u64),
    libraries: &[Library],
) -> Result<(), RegionError> {
    let is_movable = map.binary().position_independent;
    base::judge(fit, (map.code(), is_movable), base)?;
    libraries.iter().try_for_each(Library::judge)
}

/// Finds where libraries were loaded, from the machine words of a trace.
#[derive(Default)]
pub struct BaseFinder(Fit);

impl BaseFinder {
    pub fn see(&mut self, instruction: &Instruction) {
        self.0.see(instruction);
    }

    /// Where the library with this content was loaded; `None` if too few of its instructions were executed to say, or
    /// several places fit.
    ///
    /// # Errors
    /// It is not a RISC-V library, or damaged.
    pub fn base_of(&self, data: &[u8]) -> Result<Option<u64>, BinaryError> {
        let map = RegionMap::read(data)?;
        Ok(self.0.likely_base(map.code()))
    }
}
