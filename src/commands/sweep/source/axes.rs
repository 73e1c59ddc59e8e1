//! Whether a source takes the settings of a sweep, what they are, and which of them leave nothing to run.

use std::collections::{BTreeMap, BTreeSet};

use super::Source;
use crate::commands::Voice;
use crate::commands::parameters::idle_nests;
use crate::machine::MachineModel;
use crate::model::parameters::Kind;
use crate::model::{Detail, Model, Setting, SettingCheck, SettingError};
use crate::sweep::ranges::{Unit, plain as plain_number};
use crate::sweep::spec::{SpecError, SweepSpec};
use crate::sweep::swept::{Ambiguous, SettingOf, SettingRole};

/// So many values of a size are tried.
const MOST_TRIED: usize = 50;

impl Source {
    /// Whether every value of every setting would do, on all machines, and what these set.
    ///
    /// # Errors
    /// There is no such machine, or a setting names nothing or is out of range.
    pub fn check(&self, spec: &SweepSpec) -> anyhow::Result<Vec<SettingRole>> {
        let check = SettingCheck::of(&self.program);
        let axes = axes(spec)?;
        let most = axes.iter().map(|(_, values)| values.len()).max();
        let machines: Vec<Option<&str>> = match &spec.machines[..] {
            [] => vec![None],
            names => names.iter().map(|name| Some(name.as_str())).collect(),
        };
        let names: Vec<String> = spec.set.keys().cloned().collect();
        for machine in machines {
            let machine = self.machine(machine, &names)?;
            for number in 0..most.unwrap_or(0) {
                let setting = |(name, values): &(&String, Vec<f64>)| {
                    let value = values[number.min(values.len() - 1)];
                    Setting::new(name.as_str(), plain_number(value))
                };
                let of_axes: Vec<Setting> = axes.iter().map(setting).collect();
                let built = self.project.build(Voice::silent(), |settings| {
                    let is_set = |setting: &&Setting| spec.set.contains_key(&setting.name);
                    let others = settings.iter().filter(|setting| !is_set(setting)).cloned();
                    let all: Vec<Setting> = others.chain(of_axes.iter().cloned()).collect();
                    check.check(machine.clone(), &all)
                });
                // Where it is written it is called otherwise.
                let named = |error: anyhow::Error| match error.downcast_ref::<SettingError>() {
                    Some(own) if spec.set.contains_key(own.setting()) => {
                        anyhow::anyhow!("{}", own.said_of("set."))
                    }
                    _ => error,
                };
                built.map_err(named)?;
            }
        }
        let machine = &self.project.machine;
        let roles = axes.iter().map(|(name, values)| {
            let setting = Setting::new(name.as_str(), plain_number(values[0]));
            Ok(role(
                name,
                machine,
                &check.set_by(machine.clone(), &setting)?,
            ))
        });
        let roles = roles.collect::<anyhow::Result<Vec<SettingRole>>>()?;
        self.refuse_twice(&check, &axes)?;
        Ok(roles)
    }

    /// The settings that set the machine, though the source has variables of that name, too.
    ///
    /// # Errors
    /// A setting names nothing or is out of range.
    pub fn ambiguous(&self, spec: &SweepSpec) -> anyhow::Result<Vec<Ambiguous>> {
        let check = SettingCheck::of(&self.program);
        let settings = axes(spec)?.into_iter();
        let settings = settings.map(|(name, values)| Setting::new(name, plain_number(values[0])));
        let settings: Vec<Setting> = settings.collect();
        let found = check.ambiguous(self.project.machine.clone(), &settings)?;
        let found = found.into_iter().map(|found| Ambiguous {
            input: self.name.clone(),
            setting: found.name,
            variables: found.of_source,
        });
        Ok(found.collect())
    }

    /// # Errors
    /// Two names set the same: values of one would be lost.
    fn refuse_twice(
        &self,
        check: &SettingCheck,
        axes: &[(&String, Vec<f64>)],
    ) -> anyhow::Result<()> {
        let mut known: Vec<(&str, BTreeSet<String>)> = Vec::new();
        for (name, values) in axes {
            let setting = Setting::new(name.as_str(), plain_number(values[0]));
            let set = check.set_by(self.project.machine.clone(), &setting)?;
            let mut set: BTreeSet<String> =
                set.into_iter().map(|(parameter, _)| parameter).collect();
            if set.is_empty() {
                set.insert(format!("machine.{}", of_machine(name)));
            }
            if let Some((first, _)) = known.iter().find(|(_, other)| *other == set) {
                anyhow::bail!(
                    "`set`: {first} is named twice: {name} is the same parameter; leave one of them out"
                );
            }
            known.push((name.as_str(), set));
        }
        Ok(())
    }

    /// Values of sizes that leave loops without an iteration, sentences for each size. A program that runs nothing takes no
    /// time, which is not what anybody wants to know. Values are tried from the least on, up to one with which all loops run.
    ///
    /// # Errors
    /// A setting names nothing or is out of range.
    pub fn idle(&self, spec: &SweepSpec, roles: &[SettingRole]) -> anyhow::Result<Vec<String>> {
        let axes = axes(spec)?;
        let mut sentences = Vec::new();
        for (number, (name, values)) in axes.iter().enumerate() {
            if roles[number].is_choice() {
                continue;
            }
            let mut values = values.clone();
            values.sort_by(f64::total_cmp);
            // How many nests are idle of how many, and with which values.
            let mut found: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
            let mut tried = 0;
            for value in values.iter().take(MOST_TRIED) {
                tried += 1;
                let nests = self.idle_with(spec, &axes, (name, *value))?;
                if nests.0 == 0 {
                    break;
                }
                found.entry(nests).or_default().push(*value);
            }
            let all_are_idle = tried == MOST_TRIED && values.len() > MOST_TRIED;
            for ((idle, nests), idle_values) in found {
                sentences.push(format!(
                    "{}: with set.{name} = {}{} {}, which takes no time",
                    self.name,
                    listed_values(&idle_values),
                    match all_are_idle {
                        true => format!(" (the least {MOST_TRIED} values were tried)"),
                        false => String::new(),
                    },
                    idle_nests(idle, nests)
                ));
            }
        }
        Ok(sentences)
    }

    /// How many nests run no iteration with a value of a size, of how many.
    fn idle_with(
        &self,
        spec: &SweepSpec,
        axes: &[(&String, Vec<f64>)],
        (name, value): (&String, f64),
    ) -> anyhow::Result<(usize, usize)> {
        let all = axes.iter().map(|(other, values)| {
            // That others run nothing, too, is not for this one to say.
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let value = if *other == name { value } else { most };
            Setting::new(other.as_str(), plain_number(value))
        });
        let all: Vec<Setting> = all.collect();
        let built = self.project.build(Voice::silent(), |settings| {
            let is_set = |setting: &&Setting| spec.set.contains_key(&setting.name);
            let others = settings.iter().filter(|setting| !is_set(setting)).cloned();
            let all: Vec<Setting> = others.chain(all.iter().cloned()).collect();
            let machine = self.project.machine.clone();
            Model::with(&self.program, machine, &all, Detail::Least)
        });
        let model = built?.0;
        Ok((model.idle_nests(), model.nests.len()))
    }
}

/// All of few.
fn listed_values(values: &[f64]) -> String {
    const MOST_NAMED: usize = 8;
    let named = values.iter().take(MOST_NAMED);
    let named: Vec<String> = named.map(|value| plain_number(*value)).collect();
    let more = values.len().saturating_sub(MOST_NAMED);
    match (&named[..], more) {
        ([first @ .., last], 0) if !first.is_empty() => format!("{} or {last},", first.join(", ")),
        (all, 0) => all.concat(),
        (all, more) => format!("{} or {more} more,", all.join(", ")),
    }
}

/// The settings with their values.
fn axes(spec: &SweepSpec) -> Result<Vec<(&String, Vec<f64>)>, SpecError> {
    let axes = spec.set.iter().map(|(name, axis)| {
        let values = axis.values(&format!("set.{name}"), Unit::Bytes)?;
        Ok((name, values))
    });
    axes.collect()
}

/// The parameter of a machine that a setting may name.
fn of_machine(name: &str) -> &str {
    name.strip_prefix("machine.").unwrap_or(name)
}

/// What a setting sets, of which the source has these parameters.
fn role(name: &str, machine: &MachineModel, set: &[(String, Kind)]) -> SettingRole {
    let of_machine = machine
        .parameter(of_machine(name))
        .filter(|_| set.is_empty());
    let of = match (of_machine, set) {
        (Some(_), _) => SettingOf::Machine,
        (None, [_, ..]) if set.iter().all(|(_, kind)| *kind == Kind::Block) => SettingOf::Block,
        (None, _) => SettingOf::Problem,
    };
    SettingRole {
        of,
        bytes: of_machine.is_some_and(|parameter| parameter.unit == "B"),
    }
}
