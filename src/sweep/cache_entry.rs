//! An entry of `trace.caches`: a hierarchy, or a range of such.

use crate::cache::{CacheSpec, Hierarchy};
use crate::ranges::{self, Unit, plain};
use crate::spec::{MACHINE, SpecError, is_area};

/// One hierarchy or a range of such.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheEntry {
    Text(String),
    WithArea { levels: String, area_mm2: f64 },
}

/// What caches an entry stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Caches {
    /// Nearest first; none is no cache.
    Levels(Vec<CacheSpec>),
    /// Those of the machine.
    Machine,
}

impl CacheEntry {
    fn text(&self) -> &str {
        match self {
            CacheEntry::Text(text) => text,
            CacheEntry::WithArea { levels, .. } => levels,
        }
    }

    /// Its own area.
    pub fn area_mm2(&self) -> Option<f64> {
        match self {
            CacheEntry::Text(_) => None,
            CacheEntry::WithArea { area_mm2, .. } => Some(*area_mm2),
        }
    }

    /// The sizes of its levels, or the ranges of them, as they are written.
    pub fn sizes(&self) -> impl Iterator<Item = &str> {
        let levels = self.text().split('+');
        levels.map(|level| level.split(',').next().unwrap_or_default().trim())
    }

    /// How many hierarchies it stands for, which takes no time, however many there are.
    ///
    /// # Errors
    /// A level is not a cache.
    pub fn count(&self) -> Result<usize, SpecError> {
        match self.text().trim() {
            MACHINE | "none" => Ok(1),
            _ => {
                let counts = self.levels()?.into_iter().map(|level| level.len());
                Ok(counts.fold(1, usize::saturating_mul))
            }
        }
    }

    fn wrong(&self, reason: String) -> SpecError {
        SpecError::Cache {
            text: self.text().trim().to_string(),
            reason,
        }
    }

    /// The caches that each level may be, nearest first.
    fn levels(&self) -> Result<Vec<Vec<CacheSpec>>, SpecError> {
        let text = self.text().trim();
        let level = |level: &str| {
            let (size, shape) = level.split_once(',').unwrap_or((level, ""));
            let sizes = ranges::values(size.trim(), Unit::Bytes);
            let sizes = sizes.map_err(|error| SpecError::CacheSize {
                text: text.to_string(),
                error,
            })?;
            let comma = if shape.is_empty() { "" } else { "," };
            let specs = sizes.into_iter().map(|size| {
                let spec = format!("{size}{comma}{shape}");
                let spec = spec.trim().parse::<CacheSpec>();
                spec.map_err(|error| self.wrong(format!("{error}")))
            });
            specs.collect()
        };
        text.split('+').map(level).collect()
    }

    /// Every hierarchy that it stands for: all combinations of the ranges of its levels.
    ///
    /// # Errors
    /// A level is not a cache, or the entry has one area for several hierarchies.
    pub fn caches(&self) -> Result<Vec<Caches>, SpecError> {
        let text = self.text().trim();
        let wrong = |reason: String| self.wrong(reason);
        if let Some(area) = self.area_mm2()
            && !is_area(area)
        {
            return Err(wrong(format!("{} mm² is not an area", plain(area))));
        }
        match text {
            MACHINE => return Ok(vec![Caches::Machine]),
            "none" => return Ok(vec![Caches::Levels(Vec::new())]),
            _ => {}
        }
        let mut all: Vec<Vec<CacheSpec>> = vec![Vec::new()];
        for specs in self.levels()? {
            let with = |levels: &Vec<CacheSpec>| {
                let levels = levels.clone();
                let more = specs
                    .iter()
                    .map(move |spec| [&levels[..], &[*spec]].concat());
                more.collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
        }
        for levels in &all {
            Hierarchy::validate(levels).map_err(|error| {
                let shown: Vec<String> = levels.iter().map(ToString::to_string).collect();
                wrong(format!("{}: {error}", shown.join(" + ")))
            })?;
        }
        if all.len() > 1 && self.area_mm2().is_some() {
            return Err(wrong(
                "one area cannot be that of several hierarchies".into(),
            ));
        }
        Ok(all.into_iter().map(Caches::Levels).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_hierarchies_or_ranges_of_them() {
        let caches = |text: &str| CacheEntry::Text(text.into()).caches().expect(text);
        assert_eq!(caches("none"), [Caches::Levels(Vec::new())]);
        assert_eq!(caches("machine"), [Caches::Machine]);
        assert_eq!(caches("1KiB..4KiB:x2,4way + 1MiB").len(), 3);
        let Caches::Levels(levels) = &caches("1KiB,4way + 64KiB,16way,fifo")[0] else {
            panic!("levels");
        };
        assert_eq!(
            levels.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "1KiB,4way,64B,lru,write-back",
                "64KiB,16way,64B,fifo,write-back"
            ]
        );
    }
}
