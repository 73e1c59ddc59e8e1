//! Threads with room for deeply nested expressions.

/// Threads that have more stack than usual.
///
/// # Errors
/// The system has no more threads.
pub fn deep_threads() -> anyhow::Result<rayon::ThreadPool> {
    let threads = rayon::ThreadPoolBuilder::new();
    Ok(threads.stack_size(64 << 20).build()?)
}
