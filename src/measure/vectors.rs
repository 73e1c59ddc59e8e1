//! Which vectors loops are compiled for.

use pulp::{Arch, WithSimd};

/// Vectors of a number of bytes that this core has.
#[derive(Clone, Copy, Debug)]
pub struct Vectors(Arch);

impl Vectors {
    /// The widest that there are.
    pub fn widest() -> Vectors {
        Vectors(Arch::new())
    }

    /// Those of so many bytes, if the core has them.
    pub fn of(bytes: usize) -> Option<Vectors> {
        Vectors::all().find(|vectors| vectors.bytes() == bytes)
    }

    /// Those that compilers use by themselves. On Intel's cores with vectors of 64 bytes these are of 32: GCC
    /// (`-mprefer-vector-width`, manual, "x86 Options") and LLVM (`TuningPrefer256Bit`) have that as their default, since
    /// the wide ones lower the clock of some of them.
    pub fn usual() -> Vectors {
        match is_intel() {
            true => Vectors::of(32).unwrap_or_else(Vectors::widest),
            false => Vectors::widest(),
        }
    }

    /// All that there are, the widest first.
    pub fn all() -> impl Iterator<Item = Vectors> {
        #[cfg(target_arch = "x86_64")]
        let narrower = pulp::x86::V3::try_new().map(Arch::V3);
        #[cfg(not(target_arch = "x86_64"))]
        let narrower = None;
        let all = [Some(Arch::new()), narrower, Some(Arch::Scalar)];
        let mut last = usize::MAX;
        (all.into_iter().flatten().map(Vectors)).filter(move |vectors| {
            let is_narrower = vectors.bytes() < last;
            last = vectors.bytes();
            is_narrower
        })
    }

    pub fn bytes(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Arch::V4(_) => 64,
            #[cfg(target_arch = "x86_64")]
            Arch::V3(_) => 32,
            _ => 16,
        }
    }

    /// Runs what is compiled for these.
    #[inline(always)]
    pub(crate) fn dispatch<Op: WithSimd>(self, op: Op) -> Op::Output {
        self.0.dispatch(op)
    }
}

#[cfg(target_arch = "x86_64")]
fn is_intel() -> bool {
    let vendor = raw_cpuid::CpuId::new().get_vendor_info();
    vendor.is_some_and(|vendor| vendor.as_str() == "GenuineIntel")
}

#[cfg(not(target_arch = "x86_64"))]
fn is_intel() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_found_by_their_bytes() {
        let all: Vec<usize> = Vectors::all().map(Vectors::bytes).collect();
        assert!(all.is_sorted_by(|one, other| one > other), "{all:?}");
        assert_eq!(all.last(), Some(&16));
        for bytes in all {
            assert_eq!(Vectors::of(bytes).map(Vectors::bytes), Some(bytes));
        }
        assert!(Vectors::of(48).is_none());
        assert!(Vectors::usual().bytes() <= Vectors::widest().bytes());
    }
}
