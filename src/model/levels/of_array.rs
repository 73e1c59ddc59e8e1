//! Lines of one array of a nest.

/// Lines of one array.
#[derive(Clone, Debug)]
pub struct OfArray<N> {
    /// The first reference that goes to it.
    pub first: usize,
    pub fetched: N,
    pub written: N,
    /// Of those that are fetched, the ones that no prefetcher predicts.
    pub unforeseen: N,
}

impl<N> OfArray<N> {
    /// The same over another kind of number.
    pub fn map<M>(&self, value: &dyn Fn(&N) -> M) -> OfArray<M> {
        OfArray {
            first: self.first,
            fetched: value(&self.fetched),
            written: value(&self.written),
            unforeseen: value(&self.unforeseen),
        }
    }
}
