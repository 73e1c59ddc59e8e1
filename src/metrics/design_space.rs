//! Which cores and how much cache make the best processor for a program: the microarchitecture analysis
//! over epochs (Carlson, Nilakantan, Hempstead, Heirman, "Epoch Profiles", Table 1). Each relation is one
//! expression over the constants below and the counts of an epoch profile.
//!
//! Three relations stand in Table 1 in another form; [`SLIPS`] says why they are as they are here.

use crate::expr::{Comparison, Expr};

/// A named input.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    pub key: &'static str,
    pub symbol: &'static str,
    pub label: &'static str,
    pub unit: &'static str,
}

/// A constant of the model that a person may change.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    pub name: Name,
    pub value: f64,
    /// Smallest and largest value that makes sense.
    pub range: (f64, f64),
}

const fn constant(
    key: &'static str,
    symbol: &'static str,
    label: &'static str,
    unit: &'static str,
    value: f64,
    range: (f64, f64),
) -> Constant {
    Constant {
        name: Name {
            key,
            symbol,
            label,
            unit,
        },
        value,
        range,
    }
}

/// The constants with the values of the publication; the line, in bytes, is that of the profile.
pub fn constants(line: u64) -> [Constant; 10] {
    let positive = (1e-6, 1e12);
    [
        constant(
            "processor_area",
            "A_proc",
            "Area of the processor",
            "mm²",
            700.0,
            positive,
        ),
        constant(
            "core_area_factor",
            "",
            "Area of a core: factor",
            "mm²",
            2.0609,
            positive,
        ),
        constant(
            "core_area_exponent",
            "",
            "Area of a core: exponent of the window",
            "",
            0.3851,
            (0.0, 10.0),
        ),
        constant(
            "llc_area_per_kib",
            "",
            "Area of 1 KiB of the last-level cache",
            "mm²",
            3.2305e-3,
            positive,
        ),
        constant(
            "core_ghz",
            "freq",
            "Clock of the cores",
            "GHz",
            1.0,
            positive,
        ),
        constant(
            "chip_gbs",
            "BW",
            "Memory bandwidth of the processor",
            "GB/s",
            32.0,
            positive,
        ),
        constant(
            "memory_ns",
            "t_mem",
            "Latency of memory",
            "ns",
            45.0,
            (0.0, 1e12),
        ),
        constant(
            "fetched_line",
            "L",
            "Bytes fetched by a miss: a line",
            "B",
            line as f64,
            positive,
        ),
        constant(
            "base_cpi_factor",
            "",
            "Base CPI: factor",
            "cycles",
            0.5,
            positive,
        ),
        constant(
            "base_cpi_window",
            "",
            "Base CPI: window at which it is the factor",
            "instructions",
            160.0,
            positive,
        ),
    ]
}

/// Numbers of cores that are compared.
pub const CORES: [u32; 16] = [
    1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 320,
];

/// Where Table 1 cannot be meant as it is printed.
pub const SLIPS: [&str; 5] = [
    "Base CPI: the paper prints ½·√(W/160), but says that IPC is 1.0 at W = 32 and up to 5.0 at W = 1024; only \
     ½·√(160/W) gives that.",
    "Memory CPI: the paper prints e·freq/t_mem, which is not a number of cycles; each of the e/I epochs of an \
     instruction takes t_mem·freq cycles.",
    "Bandwidth bound: the paper prints a factor N. The bandwidth is shared by all cores, so that N cores retire as much \
     as it lets through, however many they are: BW·I/(m·L·freq).",
    "Processor area: the paper prints A_core + A_LLC; there are N cores.",
    "Line size: the paper prints 64 KiB; 64 bytes are meant.",
];

fn v(name: &str) -> Expr {
    Expr::symbol(name)
}

/// mm² of a core with a reorder window of `window` instructions.
pub fn core_area() -> Expr {
    v("core_area_factor") * v("window").power(v("core_area_exponent"))
}

/// mm² of a last-level cache of `capacity` bytes.
pub fn llc_area() -> Expr {
    v("capacity").quotient(Expr::from(1024.0)) * v("llc_area_per_kib")
}

/// Cycles of an instruction without misses, with a reorder window of `window` instructions.
pub fn base_cpi() -> Expr {
    v("base_cpi_factor")
        * v("base_cpi_window")
            .quotient(v("window"))
            .power(Expr::from(0.5))
}

/// Cycles that an instruction waits for memory: `epochs` in `instructions`.
pub fn memory_cpi() -> Expr {
    v("epochs").quotient(v("instructions")) * v("memory_ns") * v("core_ghz")
}

/// Cycles of an instruction, over [`base_cpi`] under that name.
pub fn core_cpi() -> Expr {
    v("base_cpi") + memory_cpi()
}

/// Instructions per cycle of all cores together where no access leaves the cache: no bound.
pub const NO_BOUND: f64 = 1e9;

/// Instructions per cycle of all cores together that the bandwidth lets through, `off_chip` lines fetched in
/// `instructions`.
pub fn bandwidth_ipc() -> Expr {
    let bytes = v("off_chip") * v("fetched_line");
    let bound = (v("chip_gbs") * v("instructions")).quotient(bytes * v("core_ghz"));
    Expr::choose(
        Comparison::Greater,
        v("off_chip"),
        Expr::from(0.0),
        bound,
        Expr::from(NO_BOUND),
    )
}

/// Names of the area and the CPI of a core with window number `index`.
pub fn of_window(index: usize) -> [String; 2] {
    [format!("core_area_{index}"), format!("core_cpi_{index}")]
}

/// A figure of `cores` cores with window number `index`, 0 if they do not fit beside the cache.
fn if_it_fits(index: usize, figure: Expr) -> Expr {
    let area = v("cores") * v(&of_window(index)[0]) + v("llc_area");
    Expr::choose(
        Comparison::LessOrEqual,
        area,
        v("processor_area"),
        figure,
        Expr::from(0.0),
    )
}

/// Instructions per cycle of all cores together with the best window that fits: the smaller of what the
/// cores and what the bandwidth allow; 0 if none fits.
pub fn best_ipc(windows: usize) -> Expr {
    let computed = |index: usize| if_it_fits(index, v("cores").quotient(v(&of_window(index)[1])));
    Expr::min([v("bandwidth_ipc"), Expr::max((0..windows).map(computed))])
}

/// The smallest window with which [`best_ipc`] is reached; 0 if none fits. A larger one would take area and
/// give nothing.
pub fn best_window(windows: &[u32]) -> Expr {
    const BEYOND: f64 = 1e9;
    let reached = |index: usize, window: u32| {
        let computed = v("cores").quotient(v(&of_window(index)[1]));
        // Cells are rounded to 15 digits where spreadsheets compare.
        let enough = v("best_ipc") * (1.0 - 1e-12);
        let window = Expr::from(f64::from(window));
        let area = v("cores") * v(&of_window(index)[0]) + v("llc_area");
        let reaches = Expr::choose(
            Comparison::GreaterOrEqual,
            computed,
            enough,
            window,
            Expr::from(BEYOND),
        );
        Expr::choose(
            Comparison::LessOrEqual,
            area,
            v("processor_area"),
            reaches,
            Expr::from(BEYOND),
        )
    };
    let smallest = Expr::min(
        windows
            .iter()
            .enumerate()
            .map(|(index, window)| reached(index, *window)),
    );
    Expr::choose(
        Comparison::Greater,
        v("best_ipc"),
        Expr::from(0.0),
        smallest,
        Expr::from(0.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epoch::Stores;
    use crate::expr::Lookup;
    use crate::report::Epochs;

    fn profile() -> Epochs {
        Epochs {
            windows: vec![32, 256],
            capacities: vec![1 << 20],
            epochs: vec![vec![20, 5]],
            slots: Default::default(),
            caches: None,
            instructions: 1000,
            off_chip: vec![40],
            line: 64,
            stores: Stores::Buffered,
        }
    }

    fn value(expr: &Expr, more: &[(&str, f64)]) -> f64 {
        let known = |symbol: &crate::expr::Symbol| {
            let name = symbol.name();
            let own = more
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| *value);
            own.or_else(|| {
                constants(profile().line)
                    .iter()
                    .find(|c| c.name.key == name)
                    .map(|c| c.value)
            })
        };
        expr.evaluate(&known as &dyn Lookup)
            .expect("all names are known")
    }

    /// The text of the paper: IPC 1.0 at a window of 32 (0.894 by the relation) and up to 5.0 at 1,024.
    #[test]
    fn base_ipc_is_what_the_text_says() {
        let ipc = |window: f64| 1.0 / value(&base_cpi(), &[("window", window)]);
        assert!(
            (ipc(32.0) - 1.0).abs() < 0.11 && (ipc(1024.0) - 5.0).abs() < 0.06,
            "{} {}",
            ipc(32.0),
            ipc(1024.0)
        );
    }

    /// By hand: a core with a window of 256 takes 17.43 mm², 40 of them and 1 MiB 700.7 mm²; 39 fit.
    #[test]
    fn what_fits_and_what_binds() {
        let area = |window: f64| value(&core_area(), &[("window", window)]);
        assert!((area(256.0) - 17.436).abs() < 2e-3, "{}", area(256.0));
        let llc = value(&llc_area(), &[("capacity", 1048576.0)]);
        assert!((llc - 3.308).abs() < 1e-3);
        let cpi = |window: f64, epochs: f64| {
            let base = value(&base_cpi(), &[("window", window)]);
            value(
                &core_cpi(),
                &[
                    ("base_cpi", base),
                    ("epochs", epochs),
                    ("instructions", 1000.0),
                ],
            )
        };
        // ½·√(160/256) + 0.005·45 = 0.3953 + 0.225
        assert!((cpi(256.0, 5.0) - 0.6203).abs() < 1e-4);
        // 32·1000/(40·64·1)
        let bound = value(
            &bandwidth_ipc(),
            &[("off_chip", 40.0), ("instructions", 1000.0)],
        );
        assert_eq!(bound, 12.5);
        assert_eq!(
            value(
                &bandwidth_ipc(),
                &[("off_chip", 0.0), ("instructions", 1000.0)]
            ),
            NO_BOUND
        );
        let best = |cores: f64| {
            let mut known = vec![
                ("cores", cores),
                ("llc_area", llc),
                ("bandwidth_ipc", bound),
                ("core_area_0", area(32.0)),
                ("core_area_1", area(256.0)),
                ("core_cpi_0", cpi(32.0, 20.0)),
                ("core_cpi_1", cpi(256.0, 5.0)),
            ];
            let ipc = value(&best_ipc(2), &known);
            known.push(("best_ipc", ipc));
            (ipc, value(&best_window(&[32, 256]), &known))
        };
        let (ipc, window) = best(4.0);
        assert!((ipc - 4.0 / 0.6203).abs() < 1e-2 && window == 256.0);
        // 39 cores of 256 reach the bandwidth, and so do 39 of 32: 39/(1.118+0.9) = 19.3.
        assert_eq!(best(39.0), (12.5, 32.0));
        // 8 cores: 12.9 with windows of 256, 4 with 32.
        assert_eq!(best(8.0), (12.5, 256.0));
        assert_eq!(best(400.0), (0.0, 0.0));
    }
}
