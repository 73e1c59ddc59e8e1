//! The formats of traces by name.

use std::fmt;

/// The formats by name (guide: traces, "Formats").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatName {
    /// `0;0x104be;lw a4,0(a5);0x4000800210`, the pc may be absent.
    Edan,
    /// `lw a4,0(a5);0x40080290`
    EdanBare,
    /// `0, 0x104be, 0x4398, "lw a4,0(a5)", load, 0x4000800210`
    Execlog,
    /// `core   0: 3 0x00000000000104be (0x4398) x14 0x… mem 0x4000800210`
    Spike,
    /// `0x10490 <main>: addi sp,sp,-64`, with tabs
    Gdb,
    /// `1000: system.cpu: T0 : 0x104be @main+4    : c_lw a4, 0(a5)   : MemRead :  D=0x… A=0x800210`
    Gem5,
    /// `104be,4398,x14=…,x15;i0,4000800210,l,u,,c.lw x14;0(x15),0`
    Whisper,
    /// Records of the Simulation Trace Format, plain or in chunks that are compressed (ZSTF).
    Stf,
    /// The 64-byte records of ChampSim, which have no opcodes.
    Champsim,
    /// The compact format of this program.
    Native,
}

impl FormatName {
    pub const ALL: [FormatName; 10] = [
        FormatName::Edan,
        FormatName::EdanBare,
        FormatName::Execlog,
        FormatName::Spike,
        FormatName::Gdb,
        FormatName::Gem5,
        FormatName::Whisper,
        FormatName::Stf,
        FormatName::Champsim,
        FormatName::Native,
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FormatName::Edan => "edan",
            FormatName::EdanBare => "edan-bare",
            FormatName::Execlog => "execlog",
            FormatName::Spike => "spike",
            FormatName::Gdb => "gdb",
            FormatName::Gem5 => "gem5",
            FormatName::Whisper => "whisper",
            FormatName::Stf => "stf",
            FormatName::Champsim => "champsim",
            FormatName::Native => "native",
        }
    }

    /// Whether a line says which addresses are accessed, if it is of a text.
    pub(crate) fn lines_have_addresses(self) -> bool {
        self != FormatName::Gdb
    }

    /// Whether an instruction says what it does; without, operations and the widths of accesses are not known.
    pub fn has_opcodes(self) -> bool {
        self != FormatName::Champsim
    }

    /// Whether it is one of records, not of lines.
    pub(crate) fn is_records(self) -> bool {
        matches!(
            self,
            FormatName::Stf | FormatName::Champsim | FormatName::Native
        )
    }
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
