//! Reads a machine file: TOML with one key a parameter, every complaint with its line.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::parameters::{Fallback, all_parameters, level_name};
use super::{CoresUsed, MachineError, MachineModel, MachineParameter, ParameterError};
use crate::diagnostic::Place;

/// See `MachineModel::parse_with_base`.
pub(super) fn parse(
    text: &str,
    origin: &str,
    find_base: &dyn Fn(&str) -> Result<MachineModel, String>,
) -> Result<MachineModel, MachineError> {
    let file = File {
        text,
        origin: Arc::from(origin),
    };
    let table = DeTable::parse(text).map_err(|error| {
        file.malformed(error.span().unwrap_or(0..0), error.message().to_string())
    })?;
    let base = file.base(table.get_ref(), find_base)?;
    let mut model = base.clone().unwrap_or_else(empty_model);
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "base" => {}
            "name" => model.name = file.text(value, "name")?,
            "title" => model.title = file.text(value, "title")?,
            "about" => model.about = file.text(value, "about")?,
            name => {
                let parameter = model
                    .find(name)
                    .map_err(|error| file.at(key.span(), error))?;
                file.fill(parameter, value)?;
            }
        }
    }
    if let Some(base) = &base {
        let gives = |name: &str| table.get_ref().contains_key(name);
        file.follow_base(&mut model, base, &gives);
    }
    file.complete(model)
}

/// All parameters of the table, nothing known.
fn empty_model() -> MachineModel {
    let parameter = |(name, level, row): (
        String,
        Option<usize>,
        &'static super::parameters::ParameterRow,
    )| {
        let label = match level {
            Some(level) => format!("L{level} {}", row.label),
            None => row.label.to_string(),
        };
        MachineParameter {
            name,
            value: None,
            unit: row.unit,
            label,
            description: row.description,
            kind: row.kind,
            range: row.range,
            source: String::new(),
            note: String::new(),
        }
    };
    MachineModel {
        name: String::new(),
        title: String::new(),
        about: String::new(),
        parameters: all_parameters().map(parameter).collect(),
        used: CoresUsed::All,
    }
}

/// A machine of which only `cache_bytes` is known has one level of that size.
fn only_level(model: &mut MachineModel) {
    let Some(bytes) = model.get("cache_bytes") else {
        return;
    };
    if !model.level_sizes().is_empty() {
        return;
    }
    let name = level_name(1, "bytes");
    let first = model.parameters.iter_mut().find(|known| known.name == name);
    if let Some(first) = first {
        first.value = Some(bytes);
        first.source = "derived".to_string();
        first.note = "cache_bytes: the only level".to_string();
    }
}

/// The text being read, to say where in it something is.
struct File<'t> {
    text: &'t str,
    origin: Arc<str>,
}

impl File<'_> {
    /// The machine that the file begins with, if it says one.
    fn base(
        &self,
        table: &DeTable<'_>,
        find_base: &dyn Fn(&str) -> Result<MachineModel, String>,
    ) -> Result<Option<MachineModel>, MachineError> {
        let Some(value) = table.get("base") else {
            return Ok(None);
        };
        let base = self.text(value, "base")?;
        match find_base(&base) {
            Ok(machine) => Ok(Some(machine)),
            Err(error) => Err(MachineError::Base {
                place: self.place(value.span()),
                base,
                error,
            }),
        }
    }

    /// What a changed machine is called where the file does not say, and the share of the last level where it was one
    /// core's share of the base's.
    fn follow_base(
        &self,
        model: &mut MachineModel,
        base: &MachineModel,
        gives: &dyn Fn(&str) -> bool,
    ) {
        if !gives("name") {
            let stem = std::path::Path::new(&*self.origin).file_stem();
            model.name = stem.map_or_else(
                || base.name.clone(),
                |stem| stem.to_string_lossy().into_owned(),
            );
        }
        if !gives("title") {
            model.title = format!("{}, changed", base.title);
        }
        let share =
            |machine: &MachineModel| machine.levels().last().map(|level| level.share().floor());
        let (before, after) = (share(base), share(model));
        if !gives("cache_bytes") && before != after && base.get("cache_bytes") == before {
            let cache = model
                .parameters
                .iter_mut()
                .find(|known| known.name == "cache_bytes");
            // `complete` derives it again.
            if let Some(cache) = cache {
                cache.value = None;
            }
        }
    }

    /// Puts value, source and note of one key into its parameter.
    fn fill(
        &self,
        parameter: &mut MachineParameter,
        given: &Spanned<DeValue<'_>>,
    ) -> Result<(), MachineError> {
        parameter.source = self.origin.to_string();
        parameter.note.clear();
        let Some(fields) = given.get_ref().as_table() else {
            return self.fill_value(parameter, given);
        };
        let mut has_value = false;
        for (key, field) in fields {
            match key.get_ref().as_ref() {
                "value" => {
                    self.fill_value(parameter, field)?;
                    has_value = true;
                }
                "source" => parameter.source = self.text(field, "source")?,
                "note" => parameter.note = self.text(field, "note")?,
                other => {
                    let message = format!("`{other}`: only value, source and note are known here");
                    return Err(self.malformed(key.span(), message));
                }
            }
        }
        if has_value {
            Ok(())
        } else {
            Err(self.malformed(given.span(), format!("`{}` has no value", parameter.name)))
        }
    }

    fn fill_value(
        &self,
        parameter: &mut MachineParameter,
        given: &Spanned<DeValue<'_>>,
    ) -> Result<(), MachineError> {
        let at = |error: ParameterError| self.at(given.span(), error);
        let value = match given.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => parameter.read(number.as_str()),
            DeValue::Float(number) => number
                .as_str()
                .parse()
                .map_err(|_| self.wrong_type(parameter, given)),
            DeValue::String(text) => parameter.read(text),
            DeValue::Boolean(value) => parameter.read(if *value { "true" } else { "false" }),
            _ => Err(self.wrong_type(parameter, given)),
        }
        .map_err(at)?;
        parameter.check(value).map_err(at)?;
        parameter.value = Some(value);
        Ok(())
    }

    fn wrong_type(
        &self,
        parameter: &MachineParameter,
        given: &Spanned<DeValue<'_>>,
    ) -> ParameterError {
        ParameterError::NotANumber {
            name: parameter.name.clone(),
            text: self.text[given.span()].to_string(),
            reason: parameter.not_a_number(),
        }
    }

    /// Fills what the file leaves out from the table, and refuses what it must not leave out.
    fn complete(&self, mut model: MachineModel) -> Result<MachineModel, MachineError> {
        let mut missing: Vec<String> = Vec::new();
        for key in [("name", &model.name), ("title", &model.title)] {
            if key.1.is_empty() {
                missing.push(key.0.to_string());
            }
        }
        only_level(&mut model);
        let sizes = model.level_sizes();
        for (parameter, (name, level, row)) in model.parameters.iter_mut().zip(all_parameters()) {
            let absent_level =
                level.is_some_and(|level| sizes.iter().all(|(known, ..)| *known != level));
            if parameter.value.is_some() || (absent_level && row.name != "bytes") {
                continue;
            }
            match (row.fallback, sizes.last()) {
                (Fallback::Unknown, _) => {}
                (Fallback::Value(value), _) => {
                    parameter.value = Some(value);
                    parameter.source = "default of the program, see the description".to_string();
                }
                (Fallback::ShareOfLastLevel, Some((level, bytes, shared_by))) => {
                    parameter.value = Some((bytes / shared_by).floor());
                    parameter.source = "derived".to_string();
                    parameter.note = format!("L{level} size over the cores that share it");
                }
                (Fallback::Required | Fallback::ShareOfLastLevel, _) => missing.push(name),
            }
        }
        if missing.is_empty() {
            Ok(model)
        } else {
            Err(MachineError::Missing {
                origin: self.origin.to_string(),
                names: missing,
            })
        }
    }

    fn text(&self, value: &Spanned<DeValue<'_>>, key: &str) -> Result<String, MachineError> {
        match value.get_ref().as_str() {
            Some(text) => Ok(text.trim().to_string()),
            None => Err(self.malformed(value.span(), format!("`{key}` must be a text in quotes"))),
        }
    }

    fn malformed(&self, span: Range<usize>, message: String) -> MachineError {
        MachineError::Malformed {
            place: self.place(span),
            message,
        }
    }

    fn at(&self, span: Range<usize>, error: ParameterError) -> MachineError {
        MachineError::ParameterInFile {
            place: self.place(span),
            error,
        }
    }

    fn place(&self, span: Range<usize>) -> Place {
        Place::at(&self.origin, self.text, span.start)
    }
}
