//! What causes are called, and what is shared by these names.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::causes::{Cause, Causes};
use super::own_depth::OwnDepths;
use super::parts::{Blame, BlamedInstruction, BlamedLine, BlamedObject, Units};
use super::settings::BlameSettings;
use super::touched::Touches;
use crate::binary::Variable;
use crate::counted::Counted;
use crate::metric::Run;
use crate::objects::Object;
use crate::profile::{DataAccesses, DataRange, Site, SourceProfile};
use crate::trace::InstructionId;
use loopsheet_regions::SourceLine;

/// What causes are called: by the profile by source line, if there is one.
pub(super) struct Names<'a> {
    run: &'a Run<'a>,
    profile: Option<&'a SourceProfile>,
    /// By instruction.
    sites: &'a [u32],
    /// By instruction, too.
    data: &'a [Vec<DataAccesses>],
    settings: &'a BlameSettings,
}

impl<'a> Names<'a> {
    pub fn of(run: &'a Run<'a>, counted: &'a Counted, settings: &'a BlameSettings) -> Names<'a> {
        let profile = counted.profile.as_ref();
        Names {
            run,
            profile: profile.and_then(|profile| profile.as_ref().ok()),
            sites: &counted.sites_of_instructions,
            data: &counted.data_of_instructions,
            settings,
        }
    }

    /// Everything that is shared, by name.
    pub fn blame(&self, pure: Option<&Causes>, epochs: &Causes) -> Blame {
        let mut units: BTreeMap<Cause, Units> = BTreeMap::new();
        for (cause, count) in epochs.sorted() {
            units.entry(cause).or_default().epochs += count;
        }
        for (cause, count) in pure.into_iter().flat_map(Causes::sorted) {
            units.entry(cause).or_default().pure_miss_cycles += count;
        }
        let settings = self.settings;
        let mut instructions: Vec<BlamedInstruction> = units
            .iter()
            .map(|(cause, units)| self.instruction(*cause, *units))
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

    /// Accesses by object, by name; epochs are not known yet.
    pub fn objects(&self, touched: &[(Cause, Touches)], depths: &OwnDepths) -> Vec<Object> {
        let mut objects: BTreeMap<Option<String>, (Touches, Option<u32>)> = BTreeMap::new();
        for ((id, variable), touches) in touched {
            let name = self.object(*id, *variable);
            match objects.entry(name) {
                Entry::Vacant(own) => {
                    own.insert((touches.clone(), *variable));
                }
                Entry::Occupied(mut own) => {
                    let (all, _) = own.get_mut();
                    all.accesses += touches.accesses;
                    all.loads += touches.loads;
                    all.misses += touches.misses;
                    all.spans.add_all(&touches.spans);
                }
            }
        }
        let whole = |number: u32| {
            let Variable { low, high, .. } = &self.settings.variables[number as usize];
            high - low
        };
        let blocks = self.bytes_of_blocks();
        let object =
            |(name, (touches, variable)): (Option<String>, (Touches, Option<u32>))| Object {
                bytes: match variable {
                    Some(variable) => whole(variable),
                    None => {
                        let own = name.as_ref().and_then(|name| blocks.get(name));
                        own.copied().unwrap_or_else(|| touches.spans.bytes())
                    }
                },
                accesses: touches.accesses,
                loads: touches.loads,
                misses: touches.misses,
                memory_depth: variable.and_then(|variable| depths.of(variable)),
                epochs: 0,
                name,
            };
        objects.into_iter().map(object).collect()
    }

    fn instruction(&self, (id, variable): Cause, units: Units) -> BlamedInstruction {
        let instruction = &self.run.program.instructions[id.0 as usize];
        let site = self.site(id);
        let place = site.and_then(|site| {
            Some(SourceLine {
                file: site.file.clone()?,
                line: site.line?,
            })
        });
        BlamedInstruction {
            pc: instruction.pc,
            text: instruction.text.clone(),
            function: site.map(|site| site.inlined.last().unwrap_or(&site.function).clone()),
            place,
            object: self.object(id, variable),
            units,
        }
    }

    fn site(&self, id: InstructionId) -> Option<&Site> {
        let site = self.profile.zip(self.sites.get(id.0 as usize));
        site.map(|(profile, site)| &profile.sites[*site as usize])
    }

    /// What an instruction accesses.
    fn object(&self, id: InstructionId, variable: Option<u32>) -> Option<String> {
        let instruction = &self.run.program.instructions[id.0 as usize];
        match variable {
            Some(variable) => Some(self.settings.variables[variable as usize].name.clone()),
            None if self.profile.is_none() => None,
            None if instruction.is_relative_to_stack() => Some(DataRange::STACK.to_string()),
            None => self.site(id).map(|site| self.elsewhere(id, site)),
        }
    }

    /// Where an instruction goes that is no variable: what it accessed, or else all that its line did.
    fn elsewhere(&self, id: InstructionId, site: &Site) -> String {
        let own = self.data.get(id.0 as usize).map_or(&[][..], Vec::as_slice);
        let found = self.objects_of(own);
        let found = found.or_else(|| self.objects_of(&site.data));
        found.unwrap_or_else(|| "no name".to_string())
    }

    fn objects_of(&self, data: &[DataAccesses]) -> Option<String> {
        let ranges = self
            .profile
            .map(|profile| &profile.data[..])
            .unwrap_or_default();
        let own = data.iter().map(|own| &ranges[own.range as usize]);
        let names = own.filter(|range| !range.is_variable);
        let mut names: Vec<String> = names.map(DataRange::object).collect();
        names.dedup();
        (!names.is_empty()).then(|| names.join(" or "))
    }

    /// By name the bytes of blocks whose call is known: the sum of their lengths.
    fn bytes_of_blocks(&self) -> BTreeMap<String, u64> {
        let mut bytes = BTreeMap::new();
        let ranges = self.profile.iter().flat_map(|profile| &profile.data);
        for range in ranges.filter(|range| !range.allocated.is_empty()) {
            *bytes.entry(range.object()).or_default() += range.high - range.low;
        }
        bytes
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
