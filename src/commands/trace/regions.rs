//! `--by`: the figures by function, line or loop of the program that `--elf` names.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cli::{RegionBy, TraceArgs};
use crate::metrics::analysis::{CountedRegion, RegionId};
use crate::metrics::report::{Region, RegionKind};
use crate::regions::{Granularity, Placement, RegionError, Sites};
use crate::trace::Instruction;

/// Tells the analysis the region of each instruction, and names the regions afterwards.
pub struct Regions {
    placement: Placement,
    kind: RegionKind,
    path: PathBuf,
}

/// The program of `--elf`, as file content, and where `--elf-base` says that it was loaded.
struct Elf<'a> {
    path: &'a Path,
    data: Vec<u8>,
    base: Option<u64>,
}

impl Elf<'_> {
    fn read(args: &TraceArgs) -> anyhow::Result<Option<Elf<'_>>> {
        let Some(path) = args.elf.as_deref() else { return Ok(None) };
        anyhow::ensure!(!path.is_dir(), "--elf {}: it is a directory", path.display());
        let data = std::fs::read(path).with_context(|| format!("--elf {}", path.display()))?;
        Ok(Some(Elf { path, data, base: args.elf_base.as_deref().map(address).transpose()? }))
    }
}

/// What counts by source line are made with; `None` without `--elf`, or if the program has no line information.
///
/// # Errors
/// It is no RISC-V program, or `--elf-base` is no address or not for it.
pub fn sites(args: &TraceArgs) -> anyhow::Result<Option<Sites>> {
    let Some(elf) = Elf::read(args)? else { return Ok(None) };
    match Sites::new(&elf.data, elf.base) {
        Err(RegionError::NoLines) => Ok(None),
        sites => Ok(Some(sites.with_context(|| format!("--elf {}", elf.path.display()))?)),
    }
}

impl Regions {
    /// `None` without `--by`.
    ///
    /// # Errors
    /// There is no `--elf`, it is no RISC-V program, it lacks symbols or lines, or `--elf-base` is no address or
    /// not for it.
    pub fn of(args: &TraceArgs) -> anyhow::Result<Option<Regions>> {
        let Some(by) = args.by else { return Ok(None) };
        let Elf { path, data, base } = Elf::read(args)?.context("--by needs --elf, the program that was traced")?;
        let (granularity, kind) = match by {
            RegionBy::Function => (Granularity::Function, RegionKind::Function),
            RegionBy::Line => (Granularity::Line, RegionKind::Line),
            RegionBy::Loop => (Granularity::Loop, RegionKind::Loop),
        };
        let placement = Placement::new(&data, &name(path), granularity, base)
            .with_context(|| format!("--elf {}", path.display()))?;
        Ok(Some(Regions { placement, kind, path: path.to_path_buf() }))
    }

    /// To be asked once for each instruction.
    pub fn region_of(&mut self, instruction: &Instruction) -> RegionId {
        self.placement.region_of(instruction)
    }

    /// What was counted, with names: by instructions, the most first, then by name.
    ///
    /// # Errors
    /// The trace is not one of this program, or it was loaded elsewhere.
    pub fn finish(self, counted: Vec<CountedRegion>) -> anyhow::Result<Vec<Region>> {
        let places = self.placement.finish().with_context(|| format!("--elf {}", self.path.display()))?;
        let region = |(place, counted): (crate::regions::Place, CountedRegion)| Region {
            kind: self.kind,
            name: place.name,
            file: place.line.as_ref().map(|line| line.file.clone()),
            line: place.line.map(|line| line.line),
            instructions: counted.instructions,
            mix: counted.mix,
            edag: counted.edag,
        };
        let mut regions: Vec<Region> = places.into_iter().zip(counted).map(region).collect();
        regions.sort_by(|a, b| {
            let order = |r: &Region| (std::cmp::Reverse(r.instructions), r.name.clone(), r.file.clone(), r.line);
            order(a).cmp(&order(b))
        });
        Ok(regions)
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Hexadecimal after `0x`, else decimal; a multiple of the page.
fn address(text: &str) -> anyhow::Result<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = match digits {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let number = number.with_context(|| format!("--elf-base {text}: an address is wanted, such as 0x4000000000"))?;
    anyhow::ensure!(number % 4096 == 0, "--elf-base {text}: programs are loaded at multiples of 4096");
    Ok(number)
}
