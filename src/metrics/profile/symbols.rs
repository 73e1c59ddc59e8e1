//! Functions of the C library by their names in a program.

/// A function's name without what stubs of shared libraries and versions add: `free` of `free@plt`.
pub fn plain(function: &str) -> &str {
    function.split('@').next().unwrap_or(function)
}

/// Whether a function takes memory back.
pub fn takes_memory_back(function: &str) -> bool {
    matches!(plain(function), "free" | "realloc")
}

/// Whether a function returns memory that it hands out.
pub(super) fn returns_memory(function: &str) -> bool {
    hands_out_memory(function)
        && !["free", "posix_memalign"].iter().any(|other| {
            let name = plain(function).trim_start_matches('_');
            name.trim_start_matches("libc_") == *other
        })
}

/// Whether a function hands out memory or takes it back.
pub(super) fn hands_out_memory(function: &str) -> bool {
    let name = plain(function).trim_start_matches('_');
    let known = [
        "malloc",
        "calloc",
        "realloc",
        "reallocarray",
        "free",
        "memalign",
        "aligned_alloc",
        "posix_memalign",
    ];
    known.contains(&name.trim_start_matches("libc_"))
}
