//! Shared libraries that a program uses: their functions by the symbols that they export.

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
}

impl Library {
    /// From its file's content; it is loaded at this address more than it is linked to.
    ///
    /// # Errors
    /// It is not a RISC-V library, or damaged.
    pub fn read(data: &[u8], name: &str, base: u64) -> Result<Library, BinaryError> {
        Ok(Library {
            name: name.to_string(),
            map: RegionMap::read(data)?,
            base,
            fit: Fit::at(base),
        })
    }

    /// The address as linked, if the instruction lies in the library.
    pub(super) fn address(&mut self, instruction: &Instruction) -> Option<u64> {
        let address = instruction.pc?.checked_sub(self.base)?;
        self.map.code().word(address)?;
        self.fit.address(instruction, self.map.code())
    }

    /// Whether the instructions that lie in it are those of its file.
    pub(super) fn judge(&self) -> Result<(), RegionError> {
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
