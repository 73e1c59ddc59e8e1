//! Innermost loops whose addresses move evenly: iterations that stay in the same lines are reported as one.

use super::Access;
use super::code::{Slot, Strided};
use super::run::Run;

/// An access on its way.
struct Moving {
    /// Bytes from one iteration to the next.
    stride: i64,
    /// Iterations, this one included, until another line is touched.
    left: u64,
}

impl Run<'_> {
    /// `trips` iterations, the loop variable moving by `step` from the value that its slot has.
    pub fn strided(&mut self, accesses: &[Strided], variable: Slot, step: i64, trips: u64) {
        if trips == 0 {
            return;
        }
        self.accesses += trips * accesses.len() as u64;
        if self.only_count {
            return;
        }
        self.flush();
        let line = self.line as i64;
        let mut now: Vec<Access> = Vec::with_capacity(accesses.len());
        let mut moving: Vec<Moving> = Vec::with_capacity(accesses.len());
        for access in accesses {
            let address = self.sum(&access.address);
            let stride = access.address.coefficient(variable).wrapping_mul(step);
            now.push(Access {
                address: address as u64,
                bytes: access.bytes,
                kind: access.kind,
            });
            moving.push(Moving {
                stride,
                left: staying(address, access.bytes, stride, line),
            });
        }
        let mut remaining = trips;
        loop {
            let times = moving.iter().fold(remaining, |least, m| least.min(m.left));
            self.sink.take(&now, times);
            remaining -= times;
            if remaining == 0 {
                return;
            }
            for (access, moving) in now.iter_mut().zip(&mut moving) {
                let address =
                    (access.address as i64).wrapping_add(moving.stride.wrapping_mul(times as i64));
                access.address = address as u64;
                moving.left -= times;
                if moving.left == 0 {
                    moving.left = staying(address, access.bytes, moving.stride, line);
                }
            }
        }
    }
}

/// Iterations from one at `address` on whose first and last byte stay in the same lines.
#[inline]
fn staying(address: i64, bytes: u32, stride: i64, line: i64) -> u64 {
    if stride == 0 {
        return u64::MAX;
    }
    if stride.unsigned_abs() >= line as u64 {
        return 1;
    }
    let within = |byte: i64| byte & (line - 1);
    let (first, last) = (within(address), within(address + i64::from(bytes) - 1));
    // Lines and strides are below 2³¹, where division is faster.
    let steps = |room: i64| u64::from(room as u32 / stride.unsigned_abs() as u32) + 1;
    match stride > 0 {
        true => steps(line - 1 - first).min(steps(line - 1 - last)),
        false => steps(first).min(steps(last)),
    }
}
