//! C to IR.
