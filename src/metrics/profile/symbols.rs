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
    hands_out_memory(function) && !matches!(own(function), "free" | "posix_memalign")
}

/// A function's name without what the library's own names for it begin with: `malloc` of `__libc_malloc`.
fn own(function: &str) -> &str {
    let name = plain(function).trim_start_matches('_');
    name.trim_start_matches("libc_")
}

/// Whether a function hands out memory or takes it back.
pub(super) fn hands_out_memory(function: &str) -> bool {
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
    known.contains(&own(function))
}
