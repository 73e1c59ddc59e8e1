//! Tests beside programs that must be installed: compilers and an emulator for RISC-V, LibreOffice, a browser, xmllint, a validator of workbooks,
//! pandas. `tests/run` installs these and turns on the feature `components`.

#[path = "../support/mod.rs"]
mod support;

mod compare;
mod control;
mod isa;
mod libraries;
mod memory_depth;
mod objects;
mod page;
mod places;
mod record;
mod regions;
mod studies;
mod study;
mod sweep;
mod tables;
mod validity;
mod workbook;
mod xml;
