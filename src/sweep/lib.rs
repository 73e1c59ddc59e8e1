//! Sweeps: the product of sources or traces, machines, sizes, caches, latencies and so on, cut into shards that can be
//! computed anywhere and in any order.
//!
//! A [`spec::SweepSpec`] is what a person writes. [`plan`] makes of it a [`manifest::Manifest`]: shards, each with the hash
//! of all that its result depends on. The result of a shard are [`row::Row`]s, one a configuration and place; [`columns`]
//! says what their columns are called, in which unit, and what they mean. [`merge`] puts the rows of all shards into files,
//! one per input, in the order of the manifest.

// The layers below, by their names.
use loopsheet_base::{quantity, wording};
use loopsheet_cache as cache;

pub mod axis;
pub mod best;
mod cache_entry;
pub mod columns;
mod counts;
pub mod described;
pub mod failure;
pub mod groups;
pub mod hash;
pub mod latency;
pub mod manifest;
pub mod map;
pub mod merge;
mod one_or_many;
pub mod plan;
pub mod ranges;
pub mod remark;
pub mod report;
pub mod row;
pub mod sensitive;
pub mod spec;
pub mod submit;
pub mod swept;
mod trace_axes;
