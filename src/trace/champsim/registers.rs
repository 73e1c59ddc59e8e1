//! Registers of records as those that dependences are followed through.

use super::record::STACK_POINTER;
use crate::error::RecordError;
use crate::isa::Register;

/// Numbers for the registers of a trace, in the order in which they appear.
pub struct Registers {
    places: [Option<Register>; 256],
    next: usize,
}

/// Holds what one instruction loads and stores elsewhere at once.
const BETWEEN: Register = Register::FLOAT_STATUS;

impl Registers {
    pub fn new() -> Registers {
        let mut places = [None; 256];
        places[usize::from(STACK_POINTER)] = Some(Register::STACK_POINTER);
        Registers { places, next: 1 }
    }

    /// # Errors
    /// There are more different ones than can be followed.
    pub fn get(&mut self, number: u8) -> Result<Register, RecordError> {
        let place = &mut self.places[usize::from(number)];
        if let Some(register) = *place {
            return Ok(register);
        }
        if self.next == Register::STACK_POINTER.index() {
            self.next += 1;
        }
        let register = Register::numbered(self.next)
            .filter(|register| *register < BETWEEN)
            .ok_or(RecordError::TooManyRegisters {
                limit: BETWEEN.index() - 1,
            })?;
        *place = Some(register);
        self.next += 1;
        Ok(register)
    }

    /// What is loaded, on its way to where the same instruction stores it.
    pub fn between() -> Register {
        BETWEEN
    }
}
