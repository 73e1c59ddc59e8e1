//! Control and status registers that matter: those that carry a dependence, and the one of `unimp`.

pub const FFLAGS: u16 = 0x001;
pub const FRM: u16 = 0x002;
pub const FCSR: u16 = 0x003;
pub const CYCLE: u16 = 0xc00;
pub const TIME: u16 = 0xc01;
pub const INSTRET: u16 = 0xc02;
pub const VL: u16 = 0xc20;
pub const VTYPE: u16 = 0xc21;

/// Not a number that the encoding can hold: a name that is not told apart.
const OTHER: u16 = 0x1000;

/// The number of a register from its name; all names without meaning for dependences are one.
pub fn number(name: &str) -> u16 {
    match name {
        "fflags" => FFLAGS,
        "frm" => FRM,
        "fcsr" => FCSR,
        "cycle" => CYCLE,
        "vl" => VL,
        "vtype" => VTYPE,
        _ => OTHER,
    }
}
