//! The samples, carried inside the program so that `demo` needs nothing else.

/// Path under `samples/` and text.
pub const KERNELS: &[(&str, &str)] = &[
    (
        "kernels/box27.c",
        include_str!("../../samples/kernels/box27.c"),
    ),
    (
        "kernels/euler.f90",
        include_str!("../../samples/kernels/euler.f90"),
    ),
    (
        "kernels/flow8.f90",
        include_str!("../../samples/kernels/flow8.f90"),
    ),
    (
        "kernels/gas.f90",
        include_str!("../../samples/kernels/gas.f90"),
    ),
    (
        "kernels/heat5.f",
        include_str!("../../samples/kernels/heat5.f"),
    ),
    (
        "kernels/laplace7.f90",
        include_str!("../../samples/kernels/laplace7.f90"),
    ),
    (
        "kernels/matmul.c",
        include_str!("../../samples/kernels/matmul.c"),
    ),
    (
        "kernels/redblack.f90",
        include_str!("../../samples/kernels/redblack.f90"),
    ),
    (
        "kernels/spmv.c",
        include_str!("../../samples/kernels/spmv.c"),
    ),
    (
        "kernels/triad.c",
        include_str!("../../samples/kernels/triad.c"),
    ),
];

/// Path under `samples/` and content of the traces that the demo shows.
pub const TRACES: &[(&str, &[u8])] = &[
    (
        "traces/factorial.execlog",
        include_bytes!("../../samples/traces/factorial.execlog"),
    ),
    (
        "traces/jacobi.execlog.zst",
        include_bytes!("../../samples/traces/jacobi.execlog.zst"),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_in_the_tree_is_carried() {
        let there =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/kernels")).unwrap();
        let mut there: Vec<String> = there
            .map(|e| format!("kernels/{}", e.unwrap().file_name().to_string_lossy()))
            .collect();
        there.sort();
        assert_eq!(
            there,
            KERNELS
                .iter()
                .map(|(name, _)| name.to_string())
                .collect::<Vec<_>>()
        );
    }
}
