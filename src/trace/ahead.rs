//! Reading ahead: a thread unpacks what this one decodes.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Bytes of a block.
const BLOCK: usize = 128 << 10;
/// Blocks that may be under way.
const UNDER_WAY: usize = 4;

/// Lets `work` read the input, which a thread of its own reads. What could not be read is an error behind what was read
/// before.
pub(super) fn ahead<R: Read + Send, T>(input: R, work: impl FnOnce(Ahead) -> T) -> T {
    let (full, blocks) = sync_channel(UNDER_WAY);
    std::thread::scope(|scope| {
        scope.spawn(move || send(input, &full));
        // Dropped by `work`, whereupon nobody takes blocks and the thread ends.
        work(Ahead {
            blocks,
            block: Vec::new(),
            taken: 0,
        })
    })
}

fn send(mut input: impl Read, full: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut block = Vec::with_capacity(BLOCK);
        let read = input.by_ref().take(BLOCK as u64).read_to_end(&mut block);
        let is_last = block.len() < BLOCK;
        let mut goes_on = block.is_empty() || full.send(Ok(block)).is_ok();
        if let Err(error) = read {
            let _ = full.send(Err(error));
            goes_on = false;
        }
        if is_last || !goes_on {
            return;
        }
    }
}

/// The input, block by block.
pub(super) struct Ahead {
    blocks: Receiver<io::Result<Vec<u8>>>,
    block: Vec<u8>,
    taken: usize,
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.block.len() {
            self.block = match self.blocks.recv() {
                Ok(block) => block?,
                // The end.
                Err(_) => return Ok(0),
            };
            self.taken = 0;
        }
        let read = (&self.block[self.taken..]).read(buffer)?;
        self.taken += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some bytes, and then an error.
    struct Broken(usize);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::Error::other("broken"));
            }
            let read = buffer.len().min(self.0);
            buffer[..read].fill(7);
            self.0 -= read;
            Ok(read)
        }
    }

    #[test]
    fn all_bytes_come_and_then_the_end_or_the_error() {
        for length in [0, 1, BLOCK - 1, BLOCK, 10 * BLOCK + 5] {
            let bytes: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
            let mut found = Vec::new();
            let read = ahead(&bytes[..], |mut input| input.read_to_end(&mut found));
            assert_eq!((read.expect("memory"), found == bytes), (length, true));
            let mut found = Vec::new();
            let read = ahead(Broken(length), |mut input| input.read_to_end(&mut found));
            assert_eq!(read.expect_err("broken").to_string(), "broken");
            assert_eq!(found.len(), length);
        }
    }

    #[test]
    fn nobody_has_to_read_to_the_end() {
        let first = ahead(io::repeat(3), |mut input| {
            let mut byte = [0];
            input.read_exact(&mut byte).map(|()| byte[0])
        });
        assert_eq!(first.expect("a byte"), 3);
    }
}
