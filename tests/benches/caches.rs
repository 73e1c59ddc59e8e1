//! What one access costs, in nanoseconds: cache levels and stack distances, each on streams of its own
//! kind. Only printed; figures depend on the machine.
//!
//!     cargo bench --bench caches [-- FILTER]
//!
//! Streams are made before the clock starts; the state of a cache goes on from one run to the next.

use std::time::Instant;

use loopsheet_cache::{AccessKind, CacheSpec, Hierarchy, ReuseHistogram, Served, StackDistances};

const ACCESSES: usize = 4_000_000;
/// Addresses timed together.
const STRETCH: usize = 1 << 16;
const RUNS: usize = 7;

fn main() {
    let filter = std::env::args()
        .skip(1)
        .find(|argument| argument != "--bench")
        .unwrap_or_default();
    let streams: [(&str, Vec<u64>); 6] = [
        (
            "sum of an array",
            (0..ACCESSES as u64).map(|n| n * 8 % (1 << 26)).collect(),
        ),
        ("matrix multiply 64", matrix_multiply(64)),
        ("five-point stencil", five_points(1000)),
        ("random in 16 KiB", random(16 << 10)),
        ("random in 4 MiB", random(4 << 20)),
        ("random in 64 MiB", random(64 << 20)),
    ];
    let caches: [&[&str]; 11] = [
        &["32KiB,2way"],
        &["32KiB,8way"],
        &["48KiB,12way"],
        &["96000B,3way,32B"],
        &["64KiB,32way"],
        &["32KiB,8way,fifo"],
        &["32KiB,8way,plru"],
        &["32KiB,8way,random"],
        &["32KiB,8way", "1MiB,16way", "32MiB,16way"],
        &["32KiB,full"],
        &["4MiB,full"],
    ];
    println!(
        "{:<40}{:<22}{:>10}{:>12}",
        "", "stream", "ns/access", "L1 hits %"
    );
    for texts in caches {
        let name = texts.join(" ");
        for (stream, addresses) in &streams {
            if name.contains(&filter) {
                hierarchy(&name, texts, stream, addresses);
            }
        }
    }
    for (stream, addresses) in &streams {
        if "stack distances".contains(&filter) {
            distances(stream, addresses);
        }
    }
}

/// Nanoseconds an address. Every stretch counts with the fastest of its runs, so that other work on the
/// machine counts little.
fn best(addresses: &[u64], mut run: impl FnMut(&[u64])) -> f64 {
    let mut fastest = vec![f64::INFINITY; addresses.len().div_ceil(STRETCH)];
    for _ in 0..RUNS {
        for (stretch, fastest) in addresses.chunks(STRETCH).zip(&mut fastest) {
            let start = Instant::now();
            run(stretch);
            *fastest = fastest.min(start.elapsed().as_nanos() as f64);
        }
    }
    fastest.iter().sum::<f64>() / addresses.len() as f64
}

fn hierarchy(name: &str, texts: &[&str], stream: &str, addresses: &[u64]) {
    let specs: Vec<CacheSpec> = texts
        .iter()
        .map(|text| text.parse().expect("a legal level"))
        .collect();
    let mut caches = Hierarchy::new(&specs).expect("legal levels");
    let mut nearest = 0;
    let time = best(addresses, |stretch| {
        for (number, address) in stretch.iter().enumerate() {
            let kind = if number % 4 == 3 {
                AccessKind::Store
            } else {
                AccessKind::Load
            };
            nearest += u64::from(caches.access(*address, 8, kind).served == Served::Level(0));
        }
    });
    let share = 100.0 * nearest as f64 / (RUNS * addresses.len()) as f64;
    println!("{name:<40}{stream:<22}{time:>10.1}{share:>12.1}");
}

fn distances(stream: &str, addresses: &[u64]) {
    let mut distances = StackDistances::new(64).expect("a line");
    let mut histogram = ReuseHistogram::default();
    let mut sum = 0;
    let touching = best(addresses, |stretch| {
        for address in stretch {
            sum += distances.touch(address >> 6).unwrap_or(0);
        }
    });
    let recording = best(addresses, |stretch| {
        for address in stretch {
            histogram.record(distances.touch(address >> 6));
        }
    });
    assert!(sum > 0);
    println!("{:<40}{stream:<22}{touching:>10.1}", "stack distances");
    println!(
        "{:<40}{stream:<22}{recording:>10.1}",
        "stack distances, histogram"
    );
}

fn random(bytes: u64) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bytes) & !7
    };
    (0..ACCESSES).map(|_| next()).collect()
}

/// c[i][j] += a[i][k] · b[k][j]: per step a, b, c, and c again, which is stored.
fn matrix_multiply(n: u64) -> Vec<u64> {
    let element = |array: u64, row: u64, column: u64| (array << 20) + (row * n + column) * 8;
    let mut addresses = Vec::new();
    while addresses.len() < ACCESSES {
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    addresses.extend([
                        element(1, i, k),
                        element(2, k, j),
                        element(3, i, j),
                        element(3, i, j),
                    ]);
                }
            }
        }
    }
    addresses
}

/// b[i][j] from five elements of a, of n × n elements each.
fn five_points(n: u64) -> Vec<u64> {
    let element = |array: u64, row: u64, column: u64| (array << 30) + (row * n + column) * 8;
    let mut addresses = Vec::new();
    while addresses.len() < ACCESSES {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let around = [(i - 1, j), (i, j - 1), (i, j), (i, j + 1), (i + 1, j)];
                addresses.extend(around.map(|(row, column)| element(1, row, column)));
                addresses.push(element(2, i, j));
            }
        }
    }
    addresses
}
