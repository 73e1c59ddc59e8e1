//! Who follows how far a long reading has come.

/// Is told how far it has come, from several threads.
pub trait Watch: Sync {
    /// So many files are to be read.
    fn begin(&self, _files: usize) {}

    /// One of them is.
    fn advance(&self) {}

    /// All of them are.
    fn finish(&self) {}
}

/// Nobody.
pub struct Unwatched;

impl Watch for Unwatched {}
