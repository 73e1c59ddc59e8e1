//! Storage that functions share.

use std::sync::Arc;

/// What storage of the program a variable names: variables of two functions with the same home are the same storage.
///
/// A component is that of every structure of its type: an assignment to one of them is an assignment to all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Home {
    /// A variable of a module or of a host procedure, by the place of its declaration.
    Declaration {
        file: Arc<str>,
        line: u32,
        /// The name of the module or procedure.
        scope: Arc<str>,
        name: Arc<str>,
    },
    /// A member of a common block.
    Common { block: Arc<str>, name: Arc<str> },
    /// A variable of file scope that all files share, or that only `file` knows.
    File {
        file: Option<Arc<str>>,
        name: Arc<str>,
    },
    /// A component of structures, by the name of their type and of the module that defines it.
    Component {
        scope: Arc<str>,
        of: Arc<str>,
        name: Arc<str>,
    },
}
