//! Fortran to IR.
