//! What the levels of the memory hierarchy do for a nest.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Figure;
use crate::expr::FigureId;
use crate::model::{CacheFigures, LevelFigures, LevelKind, Model, NestModel, ReuseFigures};

/// A level that serves a nest. What it serves goes through the cache before it, which the nearest one does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LevelReport {
    pub name: String,
    pub bytes: Figure,
    pub seconds: Figure,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetched: Option<Figure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_back: Option<Figure>,
    /// What the cache before it holds, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Memory has two answers, of which `bytes` and `seconds` take one: that of ExaSAT's scenarios, and that of the last
    /// cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario_bytes: Option<Figure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refined_bytes: Option<Figure>,
}

pub(super) fn levels(model: &Model, nest: &NestModel) -> Vec<LevelReport> {
    let figure = |id: FigureId| Figure::of(model, id);
    let caches = &nest.levels.caches;
    let report = |level: &LevelFigures| {
        let before = match caches.iter().position(|cache| cache.name == level.name) {
            Some(position) => position.checked_sub(1),
            None => caches.len().checked_sub(1),
        };
        let before = before.map(|position| &caches[position]);
        let of_memory = before.filter(|_| level.kind == LevelKind::Memory);
        LevelReport {
            name: level.name.clone(),
            bytes: figure(level.bytes),
            seconds: figure(level.seconds),
            fetched: before.map(|cache| figure(cache.fetched)),
            written_back: before.map(|cache| figure(cache.written_back)),
            condition: before.map(|cache| cache.condition_text.clone()),
            scenario_bytes: of_memory.map(|_| figure(nest.traffic.by_scenarios)),
            refined_bytes: of_memory.map(|cache| figure(cache.bytes)),
        }
    };
    nest.time.levels.iter().map(report).collect()
}

/// What a cache moves for a nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CacheReport {
    pub name: String,
    /// One core's share, in bytes.
    pub capacity: Figure,
    #[serde(default)]
    pub fetched: Figure,
    #[serde(default)]
    pub written_back: Figure,
    /// Of the bytes fetched, those of lines that no prefetcher predicts; absent where the machine does not say what these
    /// take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irregular: Option<Figure>,
    /// Fetched and written back together.
    pub bytes: Figure,
    /// Bytes that it need not fetch, and bytes that are to be written back anyway, because of earlier nests.
    #[serde(default)]
    pub left_by_earlier_nests: Option<LeftReport>,
    #[serde(default)]
    pub seconds: Figure,
    /// What stays in it, in words.
    #[serde(default)]
    pub condition: String,
}

/// What earlier nests of a function leave in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftReport {
    pub fetched: Figure,
    pub written_back: Figure,
}

impl CacheReport {
    pub(super) fn of(model: &Model, cache: &CacheFigures) -> CacheReport {
        let figure = |id: FigureId| Figure::of(model, id);
        CacheReport {
            name: cache.name.clone(),
            capacity: figure(cache.capacity),
            fetched: figure(cache.fetched),
            written_back: figure(cache.written_back),
            irregular: cache.irregular.map(figure),
            bytes: figure(cache.bytes),
            left_by_earlier_nests: cache.left.map(|(lines, dirty)| LeftReport {
                fetched: figure(lines),
                written_back: figure(dirty),
            }),
            seconds: cache.seconds.map_or(Figure::UNKNOWN, figure),
            condition: cache.condition_text.clone(),
        }
    }
}

/// One reuse: what has to fit, what it costs otherwise, and up to which sizes it fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LayerConditionReport {
    pub carried_by: String,
    pub in_between: String,
    pub arrays: Vec<String>,
    pub working_set: Figure,
    pub fetched_again: Figure,
    pub written_back_again: Figure,
    pub caches: Vec<CacheFitReport>,
}

/// Whether a cache holds what a reuse needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CacheFitReport {
    pub name: String,
    pub fits: bool,
    /// By symbol, the largest value with which it fits.
    pub largest: IndexMap<String, Figure>,
}

impl LayerConditionReport {
    pub(super) fn of(
        model: &Model,
        nest: &NestModel,
        reuse: &ReuseFigures,
    ) -> LayerConditionReport {
        let figure = |id: FigureId| Figure::of(model, id);
        let fit = |(position, cache): (usize, &CacheFigures)| CacheFitReport {
            name: cache.name.clone(),
            fits: model.value(reuse.distance) <= model.value(cache.capacity),
            largest: (reuse.sizes.iter())
                .map(|(name, largest)| (name.clone(), figure(largest[position])))
                .collect(),
        };
        LayerConditionReport {
            carried_by: reuse.carrier.clone(),
            in_between: reuse.between.clone(),
            arrays: reuse.arrays.clone(),
            working_set: figure(reuse.distance),
            fetched_again: figure(reuse.fetched),
            written_back_again: figure(reuse.written_back),
            caches: nest.levels.caches.iter().enumerate().map(fit).collect(),
        }
    }
}
