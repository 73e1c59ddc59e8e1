//! Source lines of addresses, from DWARF.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

use gimli::{EndianArcSlice, LittleEndian};
use object::read::CompressionFormat;
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection};

use super::common_blocks;
use super::statements::{self, Statement, Statements};
use crate::binary::Variable;

type Bytes = EndianArcSlice<LittleEndian>;

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLine {
    /// As the compiler was given it, after its directory.
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// A function that an instruction belongs to, itself or by inlining.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// As in the symbol table, if it has an entry there.
    pub function: Option<String>,
    /// In this function's own text: of the call, if the instruction is that of an inlined callee.
    pub place: Option<SourceLine>,
    /// The column in that line, where the compiler records it.
    pub column: Option<u32>,
}

/// What the debug sections say.
pub struct Debug {
    context: addr2line::Context<Bytes>,
    common_blocks: Vec<common_blocks::Layout>,
    statements: Statements,
}

impl Debug {
    /// `None` if there are no line tables.
    ///
    /// # Errors
    /// The sections are damaged, or compressed in an unknown way.
    pub(super) fn read(file: &ElfFile64<'_, Endianness>) -> Result<Option<Debug>, String> {
        if file
            .section_by_name(".debug_line")
            .is_none_or(|section| section.size() == 0)
        {
            return Ok(None);
        }
        let section = |id: gimli::SectionId| section(file, id.name());
        let dwarf = gimli::Dwarf::load(section)?;
        let common_blocks = common_blocks::layouts(&dwarf);
        let statements = statements::find(&dwarf);
        let context = addr2line::Context::from_dwarf(dwarf).map_err(|e| e.to_string())?;
        Ok(Some(Debug {
            context,
            common_blocks,
            statements,
        }))
    }

    /// Variables of the symbol table, with COMMON blocks divided into their members.
    pub fn divided(&self, variables: &[Variable]) -> Vec<Variable> {
        common_blocks::divide(variables, &self.common_blocks)
    }

    /// Files that have lines, ascending.
    pub fn files(&self) -> Vec<String> {
        let Ok(locations) = self.context.find_location_range(0, u64::MAX) else {
            return Vec::new();
        };
        let files: BTreeSet<&str> = locations
            .filter_map(|(_, _, location)| location.file)
            .collect();
        files.into_iter().map(str::to_string).collect()
    }

    /// The line that an instruction was written at: inside the callee where a call was inlined.
    pub fn line(&self, address: u64) -> Option<SourceLine> {
        source_line(self.context.find_location(address).ok()??)
    }

    /// The statements that begin at an address, as far as the compiler records them.
    pub fn statements(&self, address: u64) -> &[Arc<Statement>] {
        self.statements.get(&address).map_or(&[], Vec::as_slice)
    }

    /// The function that an instruction lies in, then those inlined there, the innermost last.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let mut found = Vec::new();
        let Ok(mut frames) = self.context.find_frames(address).skip_all_loads() else {
            return found;
        };
        while let Ok(Some(frame)) = frames.next() {
            let function = frame
                .function
                .and_then(|name| Some(name.raw_name().ok()?.into_owned()));
            let column = frame
                .location
                .as_ref()
                .and_then(|location| location.column)
                .filter(|&column| column > 0);
            found.push(Frame {
                function,
                place: frame.location.and_then(source_line),
                column,
            });
        }
        found.reverse();
        found
    }
}

/// Line 0 stands for code that belongs to no line.
fn source_line(location: addr2line::Location<'_>) -> Option<SourceLine> {
    let line = location.line.filter(|&line| line > 0)?;
    Some(SourceLine {
        file: location.file?.to_string(),
        line,
    })
}

fn section(file: &ElfFile64<'_, Endianness>, name: &str) -> Result<Bytes, String> {
    let Some(section) = file.section_by_name(name) else {
        return Ok(Bytes::new(Arc::from([]), LittleEndian));
    };
    let packed = section
        .compressed_data()
        .map_err(|error| format!("{name}: {error}"))?;
    let mut bytes = Vec::new();
    let unpacked = match packed.format {
        CompressionFormat::None => {
            bytes.extend_from_slice(packed.data);
            Ok(0)
        }
        CompressionFormat::Zlib => {
            flate2::read::ZlibDecoder::new(packed.data).read_to_end(&mut bytes)
        }
        CompressionFormat::Zstandard => zstd::Decoder::with_buffer(packed.data)
            .and_then(|mut decoder| decoder.read_to_end(&mut bytes)),
        _ => return Err(format!("{name} is compressed in an unknown way")),
    };
    unpacked.map_err(|error| format!("{name}: {error}"))?;
    Ok(Bytes::new(Arc::from(bytes), LittleEndian))
}
