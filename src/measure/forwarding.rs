//! Loads of what has just been stored.

use std::hint::black_box;

use pulp::{Simd, WithSimd};

use super::Figure;
use super::rounds::{Measured, nanoseconds};
use super::vectors::Vectors;

/// Stores and loads of a run.
const STEPS: usize = 1024;
/// Elements of an array that fits the buffer of stores.
const ELEMENTS: usize = 64;

/// Figures of a clock of so many cycles a nanosecond; an addition takes so many cycles.
pub fn figures(vectors: Vectors, ghz: f64, add_latency: f64) -> Vec<Figure> {
    let less_addition = |time: Measured| time.map(|time| (time * ghz - add_latency).max(0.0));
    vec![
        Figure::new(
            "forward_cycles",
            less_addition(forwarded()),
            "elements that are each the one stored just before and an addition, less the addition",
        ),
        Figure::new(
            "blocked_load_cycles",
            less_addition(blocked(vectors)),
            "vectors of which each lies one element beside the one stored just before, and an addition, less the addition",
        ),
    ]
}

/// Nanoseconds from an element that is stored to the next, which is loaded from it, and an addition.
fn forwarded() -> Measured {
    let mut array = [1.0_f64; ELEMENTS];
    let step = black_box(1e-9);
    let time = nanoseconds(|| {
        for at in 0..STEPS {
            // The compiler knows nothing of what is in the array, so that it is stored and loaded again.
            let array = black_box(&mut array);
            array[(at + 1) % ELEMENTS] = array[at % ELEMENTS] + step;
        }
    });
    time.map(|time| time / STEPS as f64)
}

/// The same of a vector that lies across the end of the one stored just before.
fn blocked(vectors: Vectors) -> Measured {
    match vectors.bytes() / size_of::<f64>() {
        8 => across::<8>(vectors),
        4 => across::<4>(vectors),
        _ => across::<2>(vectors),
    }
}

fn across<const LANES: usize>(vectors: Vectors) -> Measured {
    let mut array = [1.0_f64; ELEMENTS];
    let time = nanoseconds(|| {
        vectors.dispatch(Across::<LANES>(&mut array));
    });
    time.map(|time| time / STEPS as f64)
}

struct Across<'a, const LANES: usize>(&'a mut [f64; ELEMENTS]);

impl<const LANES: usize> WithSimd for Across<'_, LANES> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Across(array) = self;
        let step = black_box(1e-9);
        for at in 0..STEPS {
            let array = black_box(&mut *array);
            if let Some(vector) = array[at % (ELEMENTS / 2)..].first_chunk_mut::<LANES>() {
                *vector = vector.map(
                    #[inline(always)]
                    |x| x + step,
                );
            }
        }
    }
}
