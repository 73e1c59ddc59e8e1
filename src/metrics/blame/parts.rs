//! Who is blamed, by name: instructions, source lines, and what they accessed.

use std::collections::BTreeMap;

use super::BlameSettings;
use super::causes::{Cause, Causes};
use crate::counted::Counted;
use crate::metric::Run;
use crate::profile::{DataRange, Site, SourceProfile};
use loopsheet_regions::SourceLine;

/// Everything that is shared. Of each kind the parts add up to the totals exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// W of the epochs: instructions.
    pub window: u32,
    /// m: most misses that start in an epoch.
    pub slots: u32,
    /// E_m of the caches' own misses.
    pub epochs: u64,
    /// m of the nearest level, if there is a core.
    pub pure_miss_cycles: Option<u64>,
    /// By instruction and what it accessed; the most pure miss cycles first, then the most epochs.
    pub instructions: Vec<BlamedInstruction>,
    /// By source line, the same order; one without a place has all that has none.
    pub lines: Vec<BlamedLine>,
    /// By what was accessed, the same order.
    pub objects: Vec<BlamedObject>,
}

/// Units of both kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units {
    pub pure_miss_cycles: u64,
    pub epochs: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedInstruction {
    pub pc: Option<u64>,
    /// As the trace has it.
    pub text: Box<str>,
    /// As far as it is known.
    pub function: Option<String>,
    pub place: Option<SourceLine>,
    /// See [`BlamedObject::name`].
    pub object: Option<String>,
    pub units: Units,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedLine {
    pub function: Option<String>,
    pub place: Option<SourceLine>,
    pub units: Units,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedObject {
    /// A global variable, the stack, or a range of addresses without a name; of several that a line goes to, all. `None` if
    /// the program is not known.
    pub name: Option<String>,
    pub units: Units,
}

impl Units {
    fn add(&mut self, other: Units) {
        self.pure_miss_cycles += other.pure_miss_cycles;
        self.epochs += other.epochs;
    }

    fn order(self) -> std::cmp::Reverse<(u64, u64)> {
        std::cmp::Reverse((self.pure_miss_cycles, self.epochs))
    }
}

impl Blame {
    /// The names are those of the profile by source line, if there is one.
    pub(super) fn of(
        run: &Run<'_>,
        counted: &Counted,
        settings: &BlameSettings,
        epochs: &Causes,
    ) -> Blame {
        let mut units: BTreeMap<Cause, Units> = BTreeMap::new();
        for (cause, count) in epochs.sorted() {
            units.entry(cause).or_default().epochs += count;
        }
        let pure = counted.pure_misses.as_ref();
        for (cause, count) in pure.iter().flat_map(|causes| causes.sorted()) {
            units.entry(cause).or_default().pure_miss_cycles += count;
        }
        let profile = counted.profile.as_ref();
        let profile = profile.and_then(|profile| profile.as_ref().ok());
        let names = Names {
            run,
            profile,
            sites: &counted.sites_of_instructions,
            settings,
        };
        let mut instructions: Vec<BlamedInstruction> = units
            .iter()
            .map(|(cause, units)| names.instruction(*cause, *units))
            .collect();
        instructions.sort_by_key(|own| own.units.order());
        let sum = |part: fn(&Units) -> u64| instructions.iter().map(|own| part(&own.units)).sum();
        Blame {
            window: settings.window,
            slots: settings.slots,
            epochs: sum(|units| units.epochs),
            pure_miss_cycles: pure.map(|_| sum(|units| units.pure_miss_cycles)),
            lines: lines(&instructions),
            objects: objects(&instructions),
            instructions,
        }
    }
}

struct Names<'a> {
    run: &'a Run<'a>,
    profile: Option<&'a SourceProfile>,
    /// By instruction.
    sites: &'a [u32],
    settings: &'a BlameSettings,
}

impl Names<'_> {
    fn instruction(&self, (id, variable): Cause, units: Units) -> BlamedInstruction {
        let number = id.0 as usize;
        let instruction = &self.run.program.instructions[number];
        let site = self.profile.zip(self.sites.get(number));
        let site = site.map(|(profile, site)| &profile.sites[*site as usize]);
        let place = site.and_then(|site| {
            Some(SourceLine {
                file: site.file.clone()?,
                line: site.line?,
            })
        });
        let object = match variable {
            Some(variable) => Some(self.settings.variables[variable as usize].name.clone()),
            None if self.profile.is_none() => None,
            None if instruction.is_relative_to_stack() => Some(DataRange::STACK.to_string()),
            None => site.map(|site| self.elsewhere(site)),
        };
        BlamedInstruction {
            pc: instruction.pc,
            text: instruction.text.clone(),
            function: site.map(|site| site.inlined.last().unwrap_or(&site.function).clone()),
            place,
            object,
            units,
        }
    }

    /// What a line goes to that is no variable.
    fn elsewhere(&self, site: &Site) -> String {
        let ranges = self
            .profile
            .map(|profile| &profile.data[..])
            .unwrap_or_default();
        let own = site
            .data
            .iter()
            .map(|accesses| &ranges[accesses.range as usize]);
        let names: Vec<&str> = own
            .filter(|range| !range.is_variable)
            .map(|range| range.name.as_str())
            .collect();
        match names.is_empty() {
            true => "no name".to_string(),
            false => names.join(" or "),
        }
    }
}

fn lines(instructions: &[BlamedInstruction]) -> Vec<BlamedLine> {
    let mut lines: Vec<BlamedLine> = Vec::new();
    for own in instructions {
        let is_same =
            |line: &&mut BlamedLine| line.function == own.function && line.place == own.place;
        match lines.iter_mut().find(is_same) {
            Some(line) => line.units.add(own.units),
            None => lines.push(BlamedLine {
                function: own.function.clone(),
                place: own.place.clone(),
                units: own.units,
            }),
        }
    }
    lines.sort_by_key(|line| line.units.order());
    lines
}

fn objects(instructions: &[BlamedInstruction]) -> Vec<BlamedObject> {
    let mut objects: Vec<BlamedObject> = Vec::new();
    for own in instructions {
        match objects.iter_mut().find(|object| object.name == own.object) {
            Some(object) => object.units.add(own.units),
            None => objects.push(BlamedObject {
                name: own.object.clone(),
                units: own.units,
            }),
        }
    }
    objects.sort_by_key(|object| object.units.order());
    objects
}
