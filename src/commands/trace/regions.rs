//! `--by`: the figures by function, line or loop of the program that `--elf` names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::address::address;
use super::libraries::{self, LibraryFile};
use crate::cli::{RegionBy, TraceArgs};
use crate::compare::{NestFinder, StaticReport};
use crate::metrics::counted::{CountedRegion, RegionId};
use crate::metrics::report::{Region, RegionKind};
use crate::reading::files;
use crate::regions::{Granularity, Place, Placement, RegionError, Sites, SourceLine};
use crate::trace::Instruction;

/// Tells the analysis the region of each instruction, and names the regions afterwards.
pub struct Regions<'r> {
    placement: Placement,
    kind: RegionKind,
    path: PathBuf,
    nests: Option<NestRegions<'r>>,
}

/// Lines put together to nests of a static report.
struct NestRegions<'r> {
    finder: NestFinder<'r>,
    /// By number of the line's region: number of the nest's.
    of_lines: Vec<RegionId>,
    numbers: HashMap<Option<NestPlace>, RegionId>,
    /// By number; `None` is what is in no nest.
    places: Vec<Option<NestPlace>>,
}

/// Id, file and line.
type NestPlace = (String, String, u32);

impl NestRegions<'_> {
    fn region_of(&mut self, line: RegionId, place: &Place) -> RegionId {
        if let Some(known) = self.of_lines.get(line as usize) {
            return *known;
        }
        let functions: Vec<&str> = place.functions.iter().map(String::as_str).collect();
        let lines = place.line.iter().chain(&place.called_from);
        let mut found = lines.enumerate().map(|(depth, line)| {
            let around = functions.get(depth..).unwrap_or_default();
            self.finder.find(&line.file, line.line, around)
        });
        let found = found.find_map(|found| found);
        let found = found.map(|(id, file, line)| (id.to_string(), file.to_string(), line));
        let next = self.places.len() as RegionId;
        let number = *self.numbers.entry(found.clone()).or_insert(next);
        if number == next {
            self.places.push(found);
        }
        self.of_lines.push(number);
        number
    }
}

/// The report of `--static`.
///
/// # Errors
/// It cannot be read, or is not a static report.
pub fn static_report(args: &TraceArgs) -> anyhow::Result<Option<StaticReport>> {
    let Some(path) = &args.predicted else {
        return Ok(None);
    };
    let what = || format!("--static {}", path.display());
    let text = files::read_text(path).with_context(what)?;
    Ok(Some(StaticReport::parse(&text).with_context(what)?))
}

/// The program of `--elf`, as file content, and where `--elf-base` says that it was loaded.
struct Elf<'a> {
    path: &'a Path,
    data: Vec<u8>,
    base: Option<u64>,
}

impl Elf<'_> {
    fn read(args: &TraceArgs) -> anyhow::Result<Option<Elf<'_>>> {
        let Some(path) = args.elf.as_deref() else {
            return Ok(None);
        };
        anyhow::ensure!(
            !path.is_dir(),
            "--elf {}: it is a directory",
            path.display()
        );
        let data = files::read(path).with_context(|| format!("--elf {}", path.display()))?;
        Ok(Some(Elf {
            path,
            data,
            base: (args.elf_base.as_deref().map(address).transpose()).context("--elf-base")?,
        }))
    }
}

/// What counts by source line are made with; `None` without `--elf`, or if the program has no line information.
///
/// # Errors
/// It is not a RISC-V program, or `--elf-base` is not an address or not for it.
pub fn sites(args: &TraceArgs, libraries: &[LibraryFile]) -> anyhow::Result<Option<Sites>> {
    let Some(elf) = Elf::read(args)? else {
        return Ok(None);
    };
    match Sites::new(&elf.data, elf.base) {
        Err(RegionError::NoLines) => Ok(None),
        sites => {
            let sites = sites.with_context(|| format!("--elf {}", elf.path.display()))?;
            Ok(Some(sites.with_libraries(libraries::open(libraries)?)))
        }
    }
}

impl<'r> Regions<'r> {
    /// `None` without `--by`.
    ///
    /// # Errors
    /// There is no `--elf`, it is not a RISC-V program, it lacks symbols or lines, or `--elf-base` is not an address or
    /// not for it; nests are asked for without the report that has them.
    pub fn of(
        args: &TraceArgs,
        predicted: Option<&'r StaticReport>,
        libraries: &[LibraryFile],
    ) -> anyhow::Result<Option<Regions<'r>>> {
        let Some(by) = args.by else { return Ok(None) };
        let Elf { path, data, base } =
            Elf::read(args)?.context("--by needs --elf, the program that was traced")?;
        let (granularity, kind) = match by {
            RegionBy::Function => (Granularity::Function, RegionKind::Function),
            RegionBy::Line => (Granularity::Line, RegionKind::Line),
            RegionBy::Loop => (Granularity::Loop, RegionKind::Loop),
            RegionBy::Nest => (Granularity::Site, RegionKind::Nest),
        };
        let placement = Placement::new(&data, &name(path), granularity, base)
            .with_context(|| format!("--elf {}", path.display()))?
            .with_libraries(libraries::open(libraries)?);
        let nests = match (by, predicted) {
            (RegionBy::Nest, None) => {
                anyhow::bail!("--by nest needs --static, the report that has the nests")
            }
            (RegionBy::Nest, Some(report)) => Some(NestRegions {
                finder: NestFinder::new(report, &placement.files()),
                of_lines: Vec::new(),
                numbers: HashMap::new(),
                places: Vec::new(),
            }),
            _ => None,
        };
        Ok(Some(Regions {
            placement,
            kind,
            path: path.to_path_buf(),
            nests,
        }))
    }

    /// To be asked once for each instruction.
    pub fn region_of(&mut self, instruction: &Instruction) -> RegionId {
        let region = self.placement.region_of(instruction);
        match &mut self.nests {
            Some(nests) => nests.region_of(region, self.placement.region(region)),
            None => region,
        }
    }

    /// What was counted, with names: by instructions, the most first, then by name.
    ///
    /// # Errors
    /// The trace is not one of this program, or it was loaded elsewhere.
    pub fn finish(self, counted: Vec<CountedRegion>) -> anyhow::Result<Vec<Region>> {
        let mut places = self.placement.finish().map_err(|error| {
            libraries::in_words(error, &format!("--elf {}", self.path.display()))
        })?;
        if let Some(nests) = self.nests {
            places = nests.places.into_iter().map(nest_place).collect();
        }
        let region = |(place, counted): (Place, CountedRegion)| Region {
            kind: self.kind,
            name: place.name,
            file: place.line.as_ref().map(|line| line.file.clone()),
            line: place.line.map(|line| line.line),
            instructions: counted.instructions,
            mix: counted.mix,
            edag: counted.edag,
            detail: counted.detail,
        };
        let mut regions: Vec<Region> = places.into_iter().zip(counted).map(region).collect();
        regions.sort_by(|a, b| {
            let order = |r: &Region| {
                (
                    std::cmp::Reverse(r.instructions),
                    r.name.clone(),
                    r.file.clone(),
                    r.line,
                )
            };
            order(a).cmp(&order(b))
        });
        Ok(regions)
    }
}

fn nest_place(found: Option<NestPlace>) -> Place {
    match found {
        Some((name, file, line)) => Place {
            name,
            line: Some(SourceLine { file, line }),
            ..Place::default()
        },
        None => Place {
            name: "in no nest".to_string(),
            ..Place::default()
        },
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}
