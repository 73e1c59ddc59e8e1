//! What the crates of tests share: the command, and programs, reports and documents made by hand.

#![allow(dead_code, reason = "each crate uses a part")]

pub mod command;
pub mod page;
pub mod programs;
pub mod settings;
pub mod simulators;
pub mod sources;
pub mod studied;
pub mod sweeps;
pub mod tools;
pub mod trace_reports;
pub mod xml_programs;
