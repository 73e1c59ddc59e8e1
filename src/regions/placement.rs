//! Instructions of a trace, each to its region.

use rustc_hash::FxHashMap;

use super::base::load_base;
use super::debug::SourceLine;
use super::error::RegionError;
use super::fit::Fit;
use super::libraries::{self, Library};
use super::map::RegionMap;
use crate::trace::Instruction;

/// What regions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    Function,
    Line,
    /// Lines, apart by the functions that they were written in and inlined into.
    Site,
    /// Innermost loops; what is in none, by function.
    Loop,
}

/// A region that has instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// A function, `file:line`, a loop as in [`super::LoopName`], `function (no loop)`; or why it is none of these.
    pub name: String,
    pub line: Option<SourceLine>,
    /// Name of the next loop around a loop.
    pub parent: Option<String>,
    /// Of a site: the function that it was written in, then those that this one was inlined into.
    pub functions: Vec<String>,
    /// Of a site: where the calls stand that were inlined, the innermost first.
    pub called_from: Vec<SourceLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Function(usize),
    Line(SourceLine),
    Site {
        line: SourceLine,
        functions: Vec<String>,
        called_from: Vec<SourceLine>,
    },
    Loop {
        function: usize,
        number: usize,
    },
    NoLoop(usize),
    /// In one of the libraries.
    Library(usize, Box<Key>),
    Outside,
    NoAddress,
    NoSymbol,
    NoLine,
}

/// Places the instructions of a trace.
pub struct Placement {
    map: RegionMap,
    /// For messages and the region of what lies elsewhere.
    program: String,
    by: Granularity,
    base: u64,
    fit: Fit,
    libraries: Vec<Library>,
    numbers: FxHashMap<Key, u32>,
    places: Vec<Place>,
}

impl Placement {
    /// For a program, its file's content and the address that was added to those in the file when it was loaded:
    /// 0 if it is not position-independent, else [`super::QEMU_BASE`] if none is given.
    ///
    /// # Errors
    /// It is not a RISC-V program, it lacks the symbols or lines that are needed, or it cannot have a base.
    pub fn new(
        data: &[u8],
        program: &str,
        by: Granularity,
        base: Option<u64>,
    ) -> Result<Placement, RegionError> {
        let map = RegionMap::read(data)?;
        match by {
            Granularity::Line | Granularity::Site if !map.has_lines() => {
                return Err(RegionError::NoLines);
            }
            Granularity::Function | Granularity::Loop if map.binary().functions.is_empty() => {
                return Err(RegionError::NoSymbols);
            }
            _ => {}
        }
        let base = load_base(map.binary().position_independent, base)?;
        let (numbers, places) = (FxHashMap::default(), Vec::new());
        Ok(Placement {
            map,
            program: program.to_string(),
            by,
            base,
            fit: Fit::at(base),
            libraries: Vec::new(),
            numbers,
            places,
        })
    }

    /// With libraries that the program uses.
    #[must_use]
    pub fn with_libraries(mut self, libraries: Vec<Library>) -> Placement {
        self.libraries = libraries;
        self
    }

    /// The number of an instruction's region, in the order in which regions appear. Every instruction has one.
    pub fn region_of(&mut self, instruction: &Instruction) -> u32 {
        let address = self.fit.address(instruction, self.map.code());
        let key = match (instruction.pc, address) {
            (None, _) => Key::NoAddress,
            (_, None) => self.in_library(instruction).unwrap_or(Key::Outside),
            (_, Some(address)) => key(&mut self.map, self.by, address),
        };
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.places.len() as u32;
        let place = self.place(&key);
        self.places.push(place);
        self.numbers.insert(key, number);
        number
    }

    /// Source files of the program.
    pub fn files(&self) -> Vec<String> {
        self.map.files()
    }

    /// The regions by number.
    ///
    /// # Errors
    /// The trace is not one of this program at this base.
    pub fn finish(self) -> Result<Vec<Place>, RegionError> {
        libraries::judge((&self.fit, &self.map, self.base), &self.libraries)?;
        Ok(self.places)
    }

    /// The region with a number that [`Placement::region_of`] has given.
    pub fn region(&self, number: u32) -> &Place {
        &self.places[number as usize]
    }

    fn in_library(&mut self, instruction: &Instruction) -> Option<Key> {
        let (number, address) = libraries::holding(&mut self.libraries, instruction)?;
        let own = key(&mut self.libraries[number].map, self.by, address);
        Some(Key::Library(number, Box::new(own)))
    }

    fn place(&mut self, key: &Key) -> Place {
        match key {
            Key::Library(number, own) => {
                let library = &mut self.libraries[*number];
                let place = place(&mut library.map, own);
                Place {
                    name: library.qualified(&place.name),
                    parent: place.parent.map(|parent| library.qualified(&parent)),
                    ..place
                }
            }
            Key::Outside => Place {
                name: format!("outside {}", self.program),
                ..Place::default()
            },
            key => place(&mut self.map, key),
        }
    }
}

fn key(map: &mut RegionMap, by: Granularity, address: u64) -> Key {
    if by == Granularity::Line {
        return map.line_at(address).map_or(Key::NoLine, Key::Line);
    }
    if by == Granularity::Site {
        return site(map, address).unwrap_or(Key::NoLine);
    }
    let Some(function) = map.function_at(address) else {
        return Key::NoSymbol;
    };
    if by == Granularity::Function {
        return Key::Function(function);
    }
    let number = map.nest(function).whole_loop_at(address);
    number.map_or(Key::NoLoop(function), |number| Key::Loop {
        function,
        number,
    })
}

fn site(map: &RegionMap, address: u64) -> Option<Key> {
    let mut frames = map.frames_at(address);
    frames.reverse();
    let line = frames.first()?.place.clone()?;
    let called_from = frames[1..]
        .iter()
        .filter_map(|frame| frame.place.clone())
        .collect();
    let symbol = map
        .function_at(address)
        .map(|number| map.function(number).name.clone());
    let functions = frames
        .into_iter()
        .filter_map(|frame| frame.function)
        .chain(symbol)
        .collect();
    Some(Key::Site {
        line,
        functions,
        called_from,
    })
}

fn place(map: &mut RegionMap, key: &Key) -> Place {
    let plain = |name: &str| Place {
        name: name.to_string(),
        ..Place::default()
    };
    match *key {
        Key::Function(number) => Place {
            line: map.place_of(number),
            ..plain(&map.function(number).name)
        },
        Key::NoLoop(number) => Place {
            line: map.place_of(number),
            ..plain(&format!("{} (no loop)", map.function(number).name))
        },
        Key::Loop { function, number } => {
            let nest = map.nest(function);
            let name = &nest.names[number];
            let parent = nest.loops[number]
                .parent
                .map(|parent| nest.names[parent].name.clone());
            Place {
                name: name.name.clone(),
                line: name.place.clone(),
                parent,
                ..Place::default()
            }
        }
        Key::Line(ref line) => {
            let file = line.file.rsplit('/').next().unwrap_or(&line.file);
            Place {
                line: Some(line.clone()),
                ..plain(&format!("{file}:{}", line.line))
            }
        }
        Key::Site {
            ref line,
            ref functions,
            ref called_from,
        } => Place {
            line: Some(line.clone()),
            functions: functions.clone(),
            called_from: called_from.clone(),
            ..plain(&format!("{}:{}", line.file, line.line))
        },
        Key::NoAddress => plain("no instruction addresses in the trace"),
        Key::NoSymbol => plain("no symbol"),
        Key::NoLine => plain("no line information"),
        Key::Library(..) | Key::Outside => unreachable!("not of one file"),
    }
}
