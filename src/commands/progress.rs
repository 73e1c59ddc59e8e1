//! A progress bar over the files that are read.

use indicatif::{ProgressBar, ProgressStyle};

use super::Voice;
use crate::reading::Watch;

/// Fewer files need no bar.
const FEWEST: usize = 20;

/// Draws on standard error, and only on a terminal.
pub struct FileBar(Option<ProgressBar>);

impl FileBar {
    pub fn new(voice: Voice) -> FileBar {
        FileBar((!voice.quiet).then(ProgressBar::hidden))
    }
}

impl Watch for FileBar {
    fn begin(&self, files: usize) {
        let Some(bar) = self.0.as_ref().filter(|_| files >= FEWEST) else {
            return;
        };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files  {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_length(files as u64);
        bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        bar.reset_elapsed();
    }

    fn advance(&self) {
        self.0.iter().for_each(|bar| bar.inc(1));
    }

    fn finish(&self) {
        self.0.iter().for_each(ProgressBar::finish_and_clear);
    }
}
