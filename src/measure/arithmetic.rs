//! Clock, latencies and rates of arithmetic, and of loads and stores of the first cache.

use std::hint::black_box;

use pulp::{Simd, WithSimd};

use super::Figure;
use super::rounds::{Measured, nanoseconds};
use super::vectors::Vectors;

/// Operations of a chain.
const LINKS: usize = 1024;

/// Cycles a nanosecond: of a chain of integer additions and exclusive ors, each takes one.
pub fn clock() -> Figure {
    let (step, mask) = (
        black_box(0x9e37_79b9_7f4a_7c15_u64),
        black_box(0x5851_f42d_4c95_7f2d_u64),
    );
    let mut value = black_box(1_u64);
    let time = nanoseconds(|| {
        let mut x = value;
        for _ in 0..LINKS / 2 {
            x = x.wrapping_add(step) ^ mask;
        }
        value = black_box(x);
    });
    let how = "a chain of integer additions and exclusive ors, a cycle each";
    Figure::new("ghz", time.map(|time| LINKS as f64 / time), how)
}

/// Nanoseconds of one link of a chain that begins with `begin`.
fn link<T: Copy>(vectors: Vectors, begin: T, next: impl Fn(T) -> T + Copy) -> Measured {
    let mut value = black_box(begin);
    let time = nanoseconds(|| {
        let begin = value;
        value = black_box(vectors.dispatch(
            #[inline(always)]
            || {
                let mut x = begin;
                for _ in 0..LINKS {
                    x = next(x);
                }
                x
            },
        ));
    });
    time.map(|time| time / LINKS as f64)
}

/// Latencies of operations on whole numbers: of those of a cycle, of multiplications and divisions.
pub fn integer_latencies(vectors: Vectors, ghz: f64) -> Vec<Figure> {
    let (some, mask, factor, large) = (
        black_box(77_u32),
        black_box(0x5555_u32),
        black_box(1_664_525_u32),
        black_box(1_000_003_777_u32),
    );
    let two = link(
        vectors,
        1,
        #[inline(always)]
        move |x: u32| x.wrapping_add(some) ^ mask,
    );
    let one = two.map(|time| time / 2.0);
    let multiply = link(
        vectors,
        1,
        #[inline(always)]
        move |x: u32| (x ^ mask).wrapping_mul(factor),
    );
    let divide = link(
        vectors,
        30_011,
        #[inline(always)]
        move |x: u32| (large / x) | 1,
    );
    let cycles = |time: Measured| time.map(|time| time * ghz);
    let after = |time: Measured| cycles(time.map(|time| (time - one.value).max(0.1)));
    vec![
        Figure::new(
            "integer_latency",
            cycles(one),
            "a chain of additions and exclusive ors of integers in turn",
        ),
        Figure::new(
            "integer_multiply_latency",
            after(multiply),
            "a chain of multiplications and exclusive ors of integers, less the latter",
        ),
        Figure::new(
            "integer_divide_latency",
            after(divide),
            "a chain of divisions of 32-bit integers and an operation of a cycle, less the latter",
        ),
    ]
}

/// Latencies of additions, multiplications, fused ones, divisions and square roots.
pub fn latencies(vectors: Vectors, ghz: f64) -> Vec<Figure> {
    let (small, near_one, middle) = (black_box(1e-9), black_box(1.000_000_1), black_box(1.7));
    let cycles = |time: Measured| time.map(|time| time * ghz);
    let add = link(
        vectors,
        1.0,
        #[inline(always)]
        move |x| x + small,
    );
    let multiply = link(
        vectors,
        1.0,
        #[inline(always)]
        move |x| x * near_one,
    );
    let fma = link(
        vectors,
        1.0,
        #[inline(always)]
        move |x: f64| x.mul_add(near_one, small),
    );
    let divide = link(
        vectors,
        1.3,
        #[inline(always)]
        move |x| middle / x,
    );
    let root = link(
        vectors,
        1.3,
        #[inline(always)]
        move |x: f64| (x + middle).sqrt(),
    );
    let (least, most) = (black_box(0.9), black_box(1.8));
    let clamped = link(
        vectors,
        1.3,
        #[inline(always)]
        move |x| {
            let x = if x < least { least } else { x };
            if x > most { most } else { x }
        },
    );
    let root = Measured {
        value: root.value - add.value,
        spread: root.spread,
    };
    vec![
        Figure::new("add_latency", cycles(add), "a chain of additions"),
        Figure::new(
            "multiply_latency",
            cycles(multiply),
            "a chain of multiplications",
        ),
        Figure::new("fma_latency", cycles(fma), "a chain of fused multiply-adds"),
        Figure::new("divide_latency", cycles(divide), "a chain of divisions"),
        Figure::new(
            "root_latency",
            cycles(root),
            "a chain of additions and square roots, less the additions",
        ),
        Figure::new(
            "minimum_latency",
            cycles(clamped.map(|time| time / 2.0)),
            "a chain of minima and maxima in turn",
        ),
    ]
}

/// Elements of a short sum.
const SHORT: usize = 64;

/// Instructions that a core holds while it waits, of short sums of products: an addition waits for the one before it, but
/// the sums do not wait for each other, so that as many are under way as the core holds.
pub fn window(ghz: f64, add_latency: f64) -> Figure {
    const SUMS: usize = 12;
    // Of an element: a load, a multiplication of what is loaded, an addition.
    const INSTRUCTIONS: f64 = (3 * SHORT) as f64;
    let (a, b) = (vec![1e-3; SHORT * SUMS], vec![1.1; SHORT * SUMS]);
    let mut sums = vec![0.0; SUMS];
    let time = nanoseconds(|| {
        for _ in 0..SWEEPS {
            let pairs = (black_box(&a).as_chunks::<SHORT>().0.iter())
                .zip(black_box(&b).as_chunks::<SHORT>().0);
            for (sum, (a, b)) in sums.iter_mut().zip(pairs) {
                *sum = a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b);
            }
            black_box(&mut sums);
        }
    });
    let alone = SHORT as f64 * add_latency / ghz;
    let held = |time: f64| alone / (time / (SUMS * SWEEPS) as f64);
    Figure::new(
        "window",
        time.map(|time| ((held(time) - 1.0) * INSTRUCTIONS).max(0.0).round()),
        "sums of 64 products that do not wait for each other, against additions that do",
    )
}

/// Elements of arrays that fit every first cache, twice.
const ELEMENTS: usize = 1024;
/// Elements of the longest vectors.
const WIDE: usize = 8;

/// An array, and where in it an element begins a line of 64 bytes.
fn aligned(elements: usize, value: f64) -> (Vec<f64>, usize) {
    let array = vec![value; elements + 2 * WIDE];
    let begin = array.as_ptr() as usize;
    let at = (64 - begin % 64) % 64 / size_of::<f64>();
    (array, at)
}

/// Nanoseconds of one operation on `WIDE` elements: on as many at once as eight to twelve registers hold, of the sixteen or more
/// that there are.
fn wide(vectors: Vectors, operation: impl Fn(f64, usize) -> f64 + Copy) -> Measured {
    match vectors.bytes() / size_of::<f64>() {
        WIDE => at_once::<12>(vectors, operation),
        4 => at_once::<6>(vectors, operation),
        _ => at_once::<2>(vectors, operation),
    }
}

fn at_once<const COUNT: usize>(
    vectors: Vectors,
    operation: impl Fn(f64, usize) -> f64 + Copy,
) -> Measured {
    let mut registers = black_box([[1.0_f64; WIDE]; COUNT]);
    let time = nanoseconds(|| {
        registers = black_box(vectors.dispatch(Steps {
            registers,
            operation,
        }));
    });
    time.map(|time| time / (STEPS * COUNT) as f64)
}

const STEPS: usize = 128;

/// One operation after another on every register. No closure: what the compiler puts around one is not always compiled
/// for the vectors that it is for.
struct Steps<Operation, const COUNT: usize> {
    registers: [[f64; WIDE]; COUNT],
    operation: Operation,
}

impl<Operation: Fn(f64, usize) -> f64, const COUNT: usize> WithSimd for Steps<Operation, COUNT> {
    type Output = [[f64; WIDE]; COUNT];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let mut registers = self.registers;
        for _ in 0..STEPS {
            for [even, odd] in registers.as_chunks_mut::<2>().0 {
                for element in even {
                    *element = (self.operation)(*element, 0);
                }
                for element in odd {
                    *element = (self.operation)(*element, 1);
                }
            }
        }
        registers
    }
}

/// Sweeps over an array in a run, so that beginning one costs little.
const SWEEPS: usize = 16;

/// Nanoseconds of loading `WIDE` elements, from so many elements behind the beginning of a line: sums of four arrays, so
/// that there are far more loads than stores.
fn load(vectors: Vectors, behind: usize) -> Measured {
    const ARRAYS: usize = 4;
    // No multiple of 4096 bytes: loads do not wait for stores to addresses that end alike.
    const LENGTH: usize = ELEMENTS / 2 - 2 * WIDE;
    let (from, at) = aligned(ARRAYS * LENGTH + WIDE, 1e-3);
    let from = &from[at + behind..at + behind + ARRAYS * LENGTH];
    let (mut to, at) = aligned(LENGTH, 0.0);
    let to = &mut to[at..at + LENGTH];
    let (arrays, _) = from.as_chunks::<LENGTH>();
    let time = nanoseconds(|| {
        for _ in 0..SWEEPS {
            if let [a, b, c, d] = black_box(arrays) {
                sum(vectors, to, [a, b, c, d]);
            }
            black_box(&mut *to);
        }
    });
    time.map(|time| time * WIDE as f64 / (ARRAYS * LENGTH * SWEEPS) as f64)
}

fn sum(vectors: Vectors, to: &mut [f64], [a, b, c, d]: [&[f64]; 4]) {
    vectors.dispatch(
        #[inline(always)]
        || {
            let sums = a.iter().zip(b).zip(c.iter().zip(d));
            for (to, ((a, b), (c, d))) in to.iter_mut().zip(sums) {
                *to = (a + b) + (c + d);
            }
        },
    );
}

/// Nanoseconds of storing `WIDE` elements.
fn store(vectors: Vectors) -> Measured {
    let (mut array, at) = aligned(ELEMENTS, 0.0);
    let mut value = black_box(1.0);
    let time = nanoseconds(|| {
        let array = &mut array[at..at + ELEMENTS];
        vectors.dispatch(
            #[inline(always)]
            || {
                for _ in 0..SWEEPS {
                    value += 1.0;
                    black_box(&mut *array)
                        .iter_mut()
                        .for_each(|element| *element = value);
                }
            },
        );
    });
    time.map(|time| time * WIDE as f64 / (ELEMENTS * SWEEPS) as f64)
}

/// Nanoseconds of a scalar load with an addition, of elements so far apart that no vector is made of them.
fn scalar() -> Measured {
    const APART: usize = 9;
    const SUMS: usize = 8;
    const BLOCKS: usize = 32;
    let (array, _) = aligned(SUMS * APART * BLOCKS, 1e-3);
    let array = &array[..SUMS * APART * BLOCKS];
    let time = nanoseconds(|| {
        let mut sums = [0.0_f64; SUMS];
        for _ in 0..SWEEPS {
            for block in black_box(array).as_chunks::<{ SUMS * APART }>().0 {
                for (at, sum) in sums.iter_mut().enumerate() {
                    *sum += block[at * APART];
                }
            }
        }
        black_box(sums);
    });
    time.map(|time| time / (SUMS * BLOCKS * SWEEPS) as f64)
}

/// Nanoseconds of one application to an element of an array.
fn each(vectors: Vectors, operation: impl Fn(f64) -> f64 + Copy) -> Measured {
    let (from, _) = aligned(ELEMENTS, 1.3);
    let mut to = vec![0.0; ELEMENTS];
    let time = nanoseconds(|| {
        let from = &black_box(&from)[..ELEMENTS];
        vectors.dispatch(
            #[inline(always)]
            || {
                for (to, from) in to.iter_mut().zip(from) {
                    *to = operation(*from);
                }
            },
        );
        black_box(&mut to);
    });
    time.map(|time| time / ELEMENTS as f64)
}

/// The same in scalar code: a loop that may end early is not vectorised.
fn each_alone(operation: impl Fn(f64) -> f64 + Copy) -> Measured {
    let (from, _) = aligned(ELEMENTS, 1.3);
    let most = black_box(1e9);
    let time = nanoseconds(|| {
        let found = black_box(&from)[..ELEMENTS]
            .iter()
            .position(|from| operation(*from) > most);
        black_box(found);
    });
    time.map(|time| time / ELEMENTS as f64)
}

/// Nanoseconds of a minimum or maximum of an element, and of a choice between two values by a comparison.
fn compared(vectors: Vectors) -> [Measured; 2] {
    const OF_EACH: usize = 8;
    let limits: [f64; OF_EACH] = black_box([0.9, 1.8, 0.8, 1.7, 0.7, 1.6, 0.6, 1.5]);
    let others: [f64; OF_EACH] = black_box([1.1, 1.2, 1.3, 1.4, 1.1, 1.2, 1.3, 1.4]);
    let minima = each(
        vectors,
        #[inline(always)]
        move |x| {
            let pairs = limits.as_chunks::<2>().0.iter();
            pairs.fold(x, |x, [least, most]| {
                let x = if x < *least { *least } else { x };
                if x > *most { *most } else { x }
            })
        },
    );
    let choices = each(
        vectors,
        #[inline(always)]
        move |x| {
            let pairs = limits.iter().zip(&others);
            pairs.fold(x, |x, (limit, other)| if x < *limit { *other } else { x })
        },
    );
    [minima, choices].map(|time| time.map(|time| time / OF_EACH as f64))
}

/// How many minima and choices begin in a cycle, in scalar instructions, of which a vector takes so many. Of the widest
/// vectors: narrower ones of the same core have the same masks in code of compilers, but not here.
pub fn rates_of_comparisons(ghz: f64, vector_slots: f64) -> Vec<Figure> {
    let vectors = Vectors::widest();
    let lanes = (vectors.bytes() / size_of::<f64>()) as f64;
    let [minima, choices] =
        compared(vectors).map(|time| time.map(|time| vector_slots / (time * lanes * ghz)));
    vec![
        Figure::new(
            "minima_per_cycle",
            minima,
            "minima and maxima, eight of each element in L1, times vector_slots",
        ),
        Figure::new(
            "choices_per_cycle",
            choices,
            "one of two values by a comparison, eight of each element in L1, times vector_slots",
        ),
    ]
}

/// How much of everything begins in a cycle, in scalar instructions; a vector takes `vector_slots` of them.
pub fn rates(vectors: Vectors, ghz: f64) -> Vec<Figure> {
    let lanes = vectors.bytes() / size_of::<f64>();
    let of_wide = (WIDE / lanes) as f64;
    let (small, near_one, middle) = (black_box(1e-9), black_box(1.000_000_1), black_box(1.7));
    let a_cycle = |time: Measured| time.map(|time| of_wide / (time * ghz));
    let loads = a_cycle(load(vectors, 0));
    let alone = scalar().map(|time| 1.0 / (time * ghz));
    let slots = alone.over(loads).map(|slots| slots.max(1.0));
    let scaled = |rate: Measured| rate.map(|rate| rate * slots.value);
    let adds = wide(
        vectors,
        #[inline(always)]
        move |x, _| x + small,
    );
    let fused_in = |vectors: Vectors| {
        wide(
            vectors,
            #[inline(always)]
            move |x, _| x.mul_add(near_one, small),
        )
    };
    let fused = fused_in(vectors);
    let fused_widest = fused_in(Vectors::widest());
    let both = wide(
        vectors,
        #[inline(always)]
        move |x, at| if at == 0 { x + small } else { x * near_one },
    );
    let split = load(vectors, 1).over(load(vectors, 0)).map(|ratio| {
        // Of vectors that begin anywhere but at their own size, so many lie in two lines.
        let lines = vectors.bytes() as f64 / 64.0;
        ((ratio - 1.0).max(0.0) / lines) * slots.value
    });
    let cycles = |time: Measured| time.map(|time| time * ghz);
    let divide = move |x: f64| middle / x;
    vec![
        Figure::new(
            "vector_slots",
            slots,
            "scalar loads per cycle over vector loads per cycle",
        ),
        Figure::new(
            "loads_per_cycle",
            scaled(loads),
            "vectors loaded from L1, times vector_slots",
        ),
        Figure::new(
            "stores_per_cycle",
            scaled(a_cycle(store(vectors))),
            "vectors stored to L1, times vector_slots",
        ),
        Figure::new(
            "adds_per_cycle",
            scaled(a_cycle(adds)),
            "additions in registers, times vector_slots",
        ),
        Figure::new(
            "multiplies_per_cycle",
            scaled(a_cycle(fused)),
            "fused multiply-adds in registers, times vector_slots",
        ),
        Figure::new(
            "arithmetic_per_cycle",
            scaled(a_cycle(both)),
            "as many additions as multiplications, times vector_slots",
        ),
        Figure::new(
            "split_slots",
            split,
            "vectors loaded from one element behind the beginning of a line, against aligned ones",
        ),
        Figure::new(
            "divide_cycles",
            cycles(each_alone(divide)),
            "divisions of elements in L1, scalar",
        ),
        Figure::new(
            "root_cycles",
            cycles(each_alone(f64::sqrt)),
            "square roots of elements in L1, scalar",
        ),
        Figure::new(
            "divide_vector_cycles",
            cycles(each(vectors, divide)),
            "divisions of elements in L1, in vectors",
        ),
        Figure::new(
            "root_vector_cycles",
            cycles(each(vectors, f64::sqrt)),
            "square roots of elements in L1, in vectors",
        ),
        Figure::new(
            "gflops_per_core",
            fused_widest.map(|time| 2.0 * WIDE as f64 / time),
            "fused multiply-adds in registers, in the widest vectors",
        ),
    ]
}

/// Nanoseconds of one call of a function of the library, from scalar code: of wide vectors, the upper parts would have to be
/// cleared before each call.
fn each_call(function: impl Fn(f64) -> f64) -> Measured {
    let (from, _) = aligned(ELEMENTS, 1.3);
    let mut to = vec![0.0; ELEMENTS];
    let time = nanoseconds(|| {
        for (to, from) in to.iter_mut().zip(black_box(&from)) {
            *to = function(*from);
        }
        black_box(&mut to);
    });
    time.map(|time| time / ELEMENTS as f64)
}

/// Functions of the system's library.
pub fn functions(ghz: f64) -> Vec<Figure> {
    let cycles = |time: Measured| time.map(|time| time * ghz);
    let exponent = black_box(1.1);
    vec![
        Figure::new(
            "exp_cycles",
            cycles(each_call(f64::exp)),
            "exp of elements in L1",
        ),
        Figure::new(
            "log_cycles",
            cycles(each_call(f64::ln)),
            "log of elements in L1",
        ),
        Figure::new(
            "trig_cycles",
            cycles(each_call(f64::sin)),
            "sin of elements in L1",
        ),
        Figure::new(
            "pow_cycles",
            cycles(each_call(move |x| x.powf(exponent))),
            "pow of elements in L1",
        ),
        Figure::new(
            "integer_divide_cycles",
            cycles(whole_quotients()),
            "divisions of whole numbers in L1",
        ),
    ]
}

/// Nanoseconds of one division of 32-bit whole numbers by one that only the run knows.
fn whole_quotients() -> Measured {
    let from: Vec<i32> = (0..ELEMENTS as i32)
        .map(|i| 1_000_003 * (i % 977))
        .collect();
    let mut to = vec![0; ELEMENTS];
    let divisor = black_box(7);
    let time = nanoseconds(|| {
        for (to, from) in to.iter_mut().zip(black_box(&from)) {
            *to = from / divisor;
        }
        black_box(&mut to);
    });
    time.map(|time| time / ELEMENTS as f64)
}
