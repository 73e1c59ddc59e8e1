//! Recording
