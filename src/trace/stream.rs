//! Reading and analysing at the same time: a thread reads, the caller's works on what was read.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::{Batch, Options, ReadSummary, TraceError, read};

/// What works on a trace, batch by batch.
pub trait Consumer {
    /// Takes the next batch of the program order.
    fn take(&mut self, batch: &Batch);
}

/// Batches that may be under way: one being filled, one being worked on, and some to even out.
const UNDER_WAY: usize = 6;

/// Reads the whole trace through the consumer.
///
/// # Errors
/// The first line that is wrong. The consumer has seen what was before it: that is not a result.
pub fn stream(
    input: impl Read + Send,
    options: Options,
    consumer: &mut impl Consumer,
) -> Result<ReadSummary, TraceError> {
    let (full, batches) = sync_channel::<Batch>(UNDER_WAY);
    let (spent, spares) = sync_channel::<Batch>(UNDER_WAY);
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || read_into(input, options, full, spares));
        for batch in batches {
            consumer.take(&batch);
            // Nobody needs it any more when everything is read.
            let _ = spent.try_send(batch);
        }
        reader
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn read_into(
    input: impl Read + Send,
    options: Options,
    full: SyncSender<Batch>,
    spares: Receiver<Batch>,
) -> Result<ReadSummary, TraceError> {
    read(input, options, &mut |batch| {
        full.send(batch)
            .ok()
            .map(|()| spares.try_recv().unwrap_or_default())
    })
}
