//! What a compiler's flags let it do with floating-point operations: the order of sums, functions in vectors, vectors at all.

/// What code is compiled with, as far as its time depends on it; nothing where no flag says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Optimisation {
    /// Sums may be added in another order.
    pub reorders_sums: bool,
    /// `exp`, `sqrt` … may come in vectors.
    pub vector_functions: bool,
    /// Functions of C need not note errors.
    pub ignores_errors: bool,
    /// All numbers are finite, so that a minimum is a comparison.
    pub is_finite: bool,
    /// Loops are not vectorised, as the level says, or a flag of its own, which counts more.
    level_is_scalar: bool,
    is_scalar: Option<bool>,
}

impl Optimisation {
    /// Names in the order of [`Optimisation::values`], as the machine's switches are called where there are such.
    pub const NAMES: [&'static str; 5] = [
        "reorder_sums",
        "vector_functions",
        "no_math_errno",
        "finite_math",
        "no_vectorise",
    ];

    pub fn values(self) -> [bool; 5] {
        [
            self.reorders_sums,
            self.vector_functions,
            self.ignores_errors,
            self.is_finite,
            self.is_scalar(),
        ]
    }

    pub fn from_values(values: [bool; 5]) -> Optimisation {
        let [
            reorders_sums,
            vector_functions,
            ignores_errors,
            is_finite,
            is_scalar,
        ] = values;
        Optimisation {
            reorders_sums,
            vector_functions,
            ignores_errors,
            is_finite,
            level_is_scalar: false,
            is_scalar: is_scalar.then_some(true),
        }
    }

    /// The same without how it came about.
    #[must_use]
    pub fn settled(self) -> Optimisation {
        Optimisation::from_values(self.values())
    }

    /// The names of what holds.
    pub fn names(self) -> Vec<&'static str> {
        let both = Optimisation::NAMES.into_iter().zip(self.values());
        both.filter(|(_, holds)| *holds)
            .map(|(name, _)| name)
            .collect()
    }

    /// Whether loops are not vectorised.
    pub fn is_scalar(self) -> bool {
        self.is_scalar.unwrap_or(self.level_is_scalar)
    }

    /// Heeds a flag; of several the last one counts.
    pub fn read(&mut self, flag: &str) {
        match flag {
            "-Ofast" => {
                self.level_is_scalar = false;
                self.set_fast(true);
            }
            "-ffast-math" | "-ffp-model=fast" => self.set_fast(true),
            "-fno-fast-math" => self.set_fast(false),
            "-fassociative-math" | "-funsafe-math-optimizations" => self.reorders_sums = true,
            "-fno-associative-math" | "-fno-unsafe-math-optimizations" => {
                self.reorders_sums = false
            }
            "-fno-math-errno" => self.ignores_errors = true,
            "-ffinite-math-only" => self.is_finite = true,
            "-fno-finite-math-only" => self.is_finite = false,
            "-fmath-errno" => self.ignores_errors = false,
            "-O0" | "-O" | "-O1" | "-Og" => self.level_is_scalar = true,
            "-O2" | "-O3" | "-O4" | "-Os" => self.level_is_scalar = false,
            "-ftree-vectorize" | "-ftree-loop-vectorize" | "-fvectorize" => {
                self.is_scalar = Some(false);
            }
            "-fno-tree-vectorize" | "-fno-tree-loop-vectorize" | "-fno-vectorize" | "-no-vec" => {
                self.is_scalar = Some(true);
            }
            _ => {}
        }
    }

    fn set_fast(&mut self, is_fast: bool) {
        self.reorders_sums = is_fast;
        self.vector_functions = is_fast;
        self.ignores_errors = is_fast;
        self.is_finite = is_fast;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(flags: &str) -> Vec<&'static str> {
        let mut found = Optimisation::default();
        flags.split_whitespace().for_each(|flag| found.read(flag));
        found.names()
    }

    #[test]
    fn the_last_flag_counts() {
        let fast = [
            "reorder_sums",
            "vector_functions",
            "no_math_errno",
            "finite_math",
        ];
        assert_eq!(read("-O3 -march=native"), [""; 0]);
        assert_eq!(read("-Ofast"), fast);
        assert_eq!(read("-O2 -ffast-math"), fast);
        assert_eq!(read("-Ofast -fno-fast-math"), [""; 0]);
        assert_eq!(read("-ffast-math -fno-associative-math"), fast[1..]);
        assert_eq!(read("-O2 -ffinite-math-only"), ["finite_math"]);
        assert_eq!(read("-Ofast -fno-finite-math-only"), fast[..3]);
        assert_eq!(read("-O2 -fno-math-errno"), ["no_math_errno"]);
        assert_eq!(read("-O1"), ["no_vectorise"]);
        assert_eq!(read("-O1 -O3"), [""; 0]);
        assert_eq!(read("-O1 -ftree-vectorize"), [""; 0]);
        assert_eq!(read("-fno-tree-vectorize -O3"), ["no_vectorise"]);
    }

    #[test]
    fn values_come_back() {
        for number in 0..32_u32 {
            let values = [0, 1, 2, 3, 4].map(|bit| number >> bit & 1 == 1);
            assert_eq!(Optimisation::from_values(values).values(), values);
        }
    }
}
