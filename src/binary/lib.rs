//! What an ELF file says of a RISC-V program: where its code is, which loader it needs, where each function lies.

use object::elf;
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, SectionKind, SymbolKind,
};

/// A linked 64-bit RISC-V program. All addresses are as linked; where it is loaded is added to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// The lowest address of the executable segments.
    pub code: u64,
    /// Loaded wherever there is room: run-time addresses are those of the file plus a load base.
    pub position_independent: bool,
    /// The dynamic loader that it asks for; none in static programs.
    pub interpreter: Option<String>,
    /// The addresses of all segments, from the lowest to past the highest.
    pub image: (u64, u64),
    /// By address, then name.
    pub functions: Vec<Function>,
    /// Global variables with a size, by address, then name.
    pub variables: Vec<Variable>,
}

/// The bytes of a global variable: addresses `low..high`, as linked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variable {
    pub low: u64,
    pub high: u64,
    pub name: String,
}

/// The instructions of a function: addresses `low..high`, in bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    pub low: u64,
    pub high: u64,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BinaryError {
    #[error("it is a script, not a RISC-V program")]
    Script,
    #[error("it is not an ELF file: a program compiled for 64-bit RISC-V Linux is needed")]
    NotElf,
    #[error(
        "it is a program for {0}: compile it for 64-bit RISC-V, such as with riscv64-linux-gnu-gcc"
    )]
    Architecture(String),
    #[error("it is a 32-bit program: only 64-bit RISC-V is recorded")]
    Bits32,
    #[error("it is an object file: link it to a program")]
    Object,
    #[error("it has no code to run")]
    NoCode,
    #[error("it is a damaged ELF file: {0}")]
    Damaged(String),
}

impl Binary {
    /// Reads the headers and symbols of a program.
    ///
    /// # Errors
    /// It is not a linked 64-bit RISC-V program, or damaged.
    pub fn read(data: &[u8]) -> Result<Binary, BinaryError> {
        if data.starts_with(b"#!") {
            return Err(BinaryError::Script);
        }
        if !data.starts_with(&elf::ELFMAG) || data.len() < 20 {
            return Err(BinaryError::NotElf);
        }
        let machine = elf::Machine(u16::from_le_bytes([data[18], data[19]]));
        if data[5] != elf::ELFDATA2LSB.0 || machine != elf::EM_RISCV {
            return Err(BinaryError::Architecture(architecture(machine)));
        }
        if data[4] != elf::ELFCLASS64.0 {
            return Err(BinaryError::Bits32);
        }
        let file = ElfFile64::<Endianness>::parse(data).map_err(damaged)?;
        let endian = file.endian();
        let kind = file.elf_header().e_type(endian);
        if kind == elf::ET_REL {
            return Err(BinaryError::Object);
        }
        let segments = file.elf_program_headers();
        let code = segments
            .iter()
            .filter(|s| s.p_type(endian) == elf::PT_LOAD && s.p_flags(endian).contains(elf::PF_X))
            .map(|s| s.p_vaddr(endian))
            .min()
            .ok_or(BinaryError::NoCode)?;
        let loaded = || segments.iter().filter(|s| s.p_type(endian) == elf::PT_LOAD);
        let image = (
            loaded().map(|s| s.p_vaddr(endian)).min().unwrap_or(code),
            loaded()
                .map(|s| s.p_vaddr(endian).saturating_add(s.p_memsz(endian)))
                .max()
                .unwrap_or(code),
        );
        let mut interpreter = None;
        for segment in segments {
            if let Some(path) = segment.interpreter(endian, data).map_err(damaged)? {
                interpreter = Some(String::from_utf8_lossy(path).into_owned());
            }
        }
        let position_independent = kind == elf::ET_DYN;
        Ok(Binary {
            code,
            position_independent,
            interpreter,
            image,
            functions: functions(&file),
            variables: variables(&file),
        })
    }

    /// The functions of this name, without repeats: those called exactly so; the parts and copies that compilers
    /// make of them (`name.constprop.0`, `name.isra.0`, `name.part.0`, `name.cold`); and where there is none, the
    /// names that gfortran gives to a procedure (`name_`, `__module_MOD_name`), whatever the case of `name`.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<&Function> {
        let found: Vec<_> = self
            .functions
            .iter()
            .filter(|f| is_or_is_made_from(&f.name, name))
            .collect();
        let mut found = if found.is_empty() {
            let name = name.to_lowercase();
            let fortran = |f: &&Function| {
                f.name == format!("{name}_") || f.name.ends_with(&format!("_MOD_{name}"))
            };
            self.functions.iter().filter(fortran).collect()
        } else {
            found
        };
        found.dedup_by_key(|f| (f.low, f.high));
        found
    }

    /// Up to five function names like this one, the nearest first.
    #[must_use]
    pub fn names_near(&self, name: &str) -> Vec<&str> {
        let mut near: Vec<(f64, &str)> = self
            .functions
            .iter()
            .map(|f| (strsim::jaro_winkler(name, &f.name), f.name.as_str()))
            .filter(|(likeness, _)| *likeness > 0.8)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        near.dedup();
        near.into_iter().map(|(_, name)| name).take(5).collect()
    }
}

fn is_or_is_made_from(symbol: &str, name: &str) -> bool {
    let Some(rest) = symbol.strip_prefix(name) else {
        return false;
    };
    let mut parts = rest.split('.');
    parts.next() == Some("")
        && parts.all(|part| {
            ["constprop", "isra", "part", "cold", "lto_priv"].contains(&part)
                || part.bytes().all(|b| b.is_ascii_digit())
        })
}

fn functions(file: &ElfFile64<'_, Endianness>) -> Vec<Function> {
    let mut functions: Vec<Function> = file
        .symbols()
        .chain(file.dynamic_symbols())
        .filter(|s| is_function(file, s))
        .filter_map(|s| {
            let name = s.name().ok()?.to_string();
            // Labels in assembly code have no size: they reach to the end of their section, at most.
            let section = s
                .section_index()
                .and_then(|i| file.section_by_index(i).ok());
            let end = section.map_or(s.address(), |section| section.address() + section.size());
            let high = if s.size() > 0 {
                s.address() + s.size()
            } else {
                end
            };
            (high > s.address()).then_some(Function {
                low: s.address(),
                high,
                name,
            })
        })
        .collect();
    functions.extend(stubs(file));
    functions.sort();
    functions.dedup();
    let starts: Vec<u64> = functions.iter().map(|f| f.low).collect();
    for function in &mut functions {
        let next = starts.partition_point(|&low| low <= function.low);
        if let Some(&next) = starts.get(next) {
            function.high = function.high.min(next);
        }
    }
    functions.dedup();
    functions
}

/// The stubs through which functions of shared libraries are called, as `name@plt`: the psABI lays them out as 32 bytes
/// of their own and then 16 for each function, in the order of the relocations.
fn stubs(file: &ElfFile64<'_, Endianness>) -> Vec<Function> {
    const HEADER: u64 = 32;
    const STUB: u64 = 16;
    let Some(section) = file.section_by_name(".plt") else {
        return Vec::new();
    };
    let symbols = file.dynamic_symbol_table();
    let slots = file
        .dynamic_relocations()
        .into_iter()
        .flatten()
        .filter(|(_, relocation)| {
            relocation.flags()
                == object::RelocationFlags::Elf {
                    r_type: elf::R_RISCV_JUMP_SLOT,
                }
        });
    let names: Vec<Option<String>> = slots
        .map(|(_, relocation)| match relocation.target() {
            object::RelocationTarget::Symbol(index) => {
                let symbol = symbols.as_ref()?.symbol_by_index(index).ok()?;
                symbol.name().ok().map(str::to_string)
            }
            _ => None,
        })
        .collect();
    if section.size() != HEADER + STUB * names.len() as u64 {
        return Vec::new();
    }
    let lows = (0..).map(|number| section.address() + HEADER + STUB * number);
    let stub = |(low, name): (u64, Option<String>)| {
        Some(Function {
            low,
            high: low + STUB,
            name: format!("{}@plt", name?),
        })
    };
    lows.zip(names).filter_map(stub).collect()
}

fn variables(file: &ElfFile64<'_, Endianness>) -> Vec<Variable> {
    let mut variables: Vec<Variable> = file
        .symbols()
        .chain(file.dynamic_symbols())
        .filter(|symbol| {
            symbol.is_definition() && symbol.kind() == SymbolKind::Data && symbol.size() > 0
        })
        .filter_map(|symbol| {
            let (low, name) = (symbol.address(), symbol.name().ok()?.to_string());
            Some(Variable {
                low,
                high: low.checked_add(symbol.size())?,
                name,
            })
        })
        .collect();
    variables.sort();
    variables.dedup();
    variables
}

/// Functions, and what assembly code calls one without saying so: global labels in executable sections.
/// The mapping symbols `$x` and `$d` and local labels are none.
fn is_function<'d>(file: &ElfFile64<'d, Endianness>, symbol: &impl ObjectSymbol<'d>) -> bool {
    if !symbol.is_definition() {
        return false;
    }
    let is_label = |name: &str| !name.is_empty() && !name.starts_with(['$', '.']);
    let is_code = || {
        let section = symbol
            .section_index()
            .and_then(|index| file.section_by_index(index).ok());
        section.is_some_and(|section| section.kind() == SectionKind::Text)
    };
    match symbol.kind() {
        SymbolKind::Text => true,
        SymbolKind::Unknown | SymbolKind::Label => {
            symbol.is_global() && symbol.name().is_ok_and(is_label) && is_code()
        }
        _ => false,
    }
}

fn damaged(error: object::Error) -> BinaryError {
    BinaryError::Damaged(error.to_string())
}

fn architecture(machine: elf::Machine) -> String {
    match machine {
        elf::EM_X86_64 => "x86-64".to_string(),
        elf::EM_386 => "x86".to_string(),
        elf::EM_AARCH64 => "AArch64".to_string(),
        elf::EM_ARM => "Arm".to_string(),
        elf::EM_PPC64 => "PowerPC".to_string(),
        elf::EM_RISCV => "big-endian RISC-V".to_string(),
        other => format!("another machine (ELF number {})", other.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_riscv_program_is_told_apart() {
        let own = std::fs::read(std::env::current_exe().expect("a path")).expect("readable");
        assert!(matches!(
            Binary::read(&own),
            Err(BinaryError::Architecture(_) | BinaryError::NoCode)
        ));
        assert_eq!(Binary::read(b"#!/bin/sh\n"), Err(BinaryError::Script));
        assert_eq!(Binary::read(b"text"), Err(BinaryError::NotElf));
        assert_eq!(Binary::read(b""), Err(BinaryError::NotElf));
        let mut header = [0u8; 64];
        header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        header[18] = 243; // EM_RISCV in the ELF psABI
        assert!(matches!(
            Binary::read(&header[..30]),
            Err(BinaryError::Damaged(_))
        ));
        header[4] = 1;
        assert_eq!(Binary::read(&header), Err(BinaryError::Bits32));
    }

    #[test]
    fn copies_and_parts_of_a_function_are_the_function() {
        for symbol in [
            "f",
            "f.constprop.0",
            "f.isra.0.part.1",
            "f.cold",
            "f.lto_priv.3.cold",
        ] {
            assert!(is_or_is_made_from(symbol, "f"), "{symbol}");
        }
        for symbol in ["f2", "g", "f._omp_fn.0", "ff.cold", "f_"] {
            assert!(!is_or_is_made_from(symbol, "f"), "{symbol}");
        }
    }
}
