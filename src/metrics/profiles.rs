//! Epoch profiles of several programs together, as in the paper's Figure 4.

use super::report::Epochs;

/// Profiles over the same windows and capacities.
#[derive(Clone, Debug)]
pub struct Profiles {
    /// With the path of each trace.
    pub traces: Vec<(String, Epochs)>,
}

impl Profiles {
    /// The arithmetic mean over the traces of epochs per 1,000 instructions, capacity first, then window. Every
    /// trace counts the same, however long it is. Not a number where one has no instructions.
    pub fn mean_epki(&self) -> Vec<Vec<f64>> {
        let rates: Vec<Vec<Vec<f64>>> = self
            .traces
            .iter()
            .map(|(_, epochs)| epochs.epki())
            .collect();
        let mean = |c: usize, w: usize| {
            rates.iter().map(|rates| rates[c][w]).sum::<f64>() / rates.len() as f64
        };
        let Some((_, first)) = self.traces.first() else {
            return Vec::new();
        };
        (0..first.capacities.len())
            .map(|c| (0..first.windows.len()).map(|w| mean(c, w)).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epoch::Stores;

    /// 20 in 1,000 and 1 in 500, that is 20 and 2: 11, whichever is longer.
    #[test]
    fn every_trace_counts_the_same() {
        let profile = |epochs, instructions| Epochs {
            windows: vec![1],
            capacities: vec![1024],
            epochs: vec![vec![epochs]],
            slots: Default::default(),
            caches: None,
            instructions,
            off_chip: vec![epochs],
            line: 64,
            stores: Stores::Buffered,
        };
        let profiles = Profiles {
            traces: vec![
                ("a".into(), profile(20, 1000)),
                ("b".into(), profile(1, 500)),
            ],
        };
        assert_eq!(profiles.mean_epki(), [[11.0]]);
    }
}
