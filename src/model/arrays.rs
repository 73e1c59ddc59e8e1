//! Whether a nest's bytes are told apart by array.

/// Whether lines are told apart by array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrays {
    Apart,
    Together,
}

impl Arrays {
    pub fn apart_if(is_asked: bool) -> Arrays {
        match is_asked {
            true => Arrays::Apart,
            false => Arrays::Together,
        }
    }
}
