//! What the tests of both crates use: the command, and programs, reports and documents made by hand.

#![allow(dead_code, reason = "each of the two crates uses a part")]

pub mod command;
pub mod page;
pub mod programs;
pub mod settings;
pub mod simulators;
pub mod sources;
pub mod studied;
pub mod sweeps;
pub mod trace_reports;
pub mod xml_programs;
