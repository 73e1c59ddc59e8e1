//! Storage that functions share.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::interned;

/// What storage of the program a variable names: variables of two functions with the same home are the same storage.
///
/// A component is that of every structure of its type: an assignment to one of them is an assignment to all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Home {
    /// A variable of a module or of a host procedure, by the place of its declaration.
    Declaration {
        #[serde(with = "interned")]
        file: Arc<str>,
        line: u32,
        /// The name of the module or procedure.
        #[serde(with = "interned")]
        scope: Arc<str>,
        #[serde(with = "interned")]
        name: Arc<str>,
    },
    /// A member of a common block.
    Common {
        #[serde(with = "interned")]
        block: Arc<str>,
        #[serde(with = "interned")]
        name: Arc<str>,
    },
    /// A variable of file scope that all files share, or that only `file` knows.
    File {
        #[serde(with = "interned")]
        file: Option<Arc<str>>,
        #[serde(with = "interned")]
        name: Arc<str>,
    },
    /// A component of structures, by the name of their type and of the module that defines it.
    Component {
        #[serde(with = "interned")]
        scope: Arc<str>,
        #[serde(with = "interned")]
        of: Arc<str>,
        #[serde(with = "interned")]
        name: Arc<str>,
    },
}
