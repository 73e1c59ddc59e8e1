//! What to share, and among what.

use crate::binary::Variable;

/// What to share, and among what.
#[derive(Clone, Debug)]
pub struct BlameSettings {
    /// W of the epochs: instructions.
    pub window: u32,
    /// m: most misses that start in an epoch.
    pub slots: u32,
    /// Global variables by address at run time, none inside another; empty if the program is not known.
    pub variables: Vec<Variable>,
    /// Count accesses and misses by object, too.
    pub with_objects: bool,
}
