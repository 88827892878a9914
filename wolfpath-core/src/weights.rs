//! Edge weights: one column, stored once in the narrowest type that is exact, converted when a program asks.



/// A column of weights, one an edge.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// Integers from 0 that fit 32 bits.
    U32(Vec<u32>),
    /// Integers that fit 32 bits with a sign.
    I32(Vec<i32>),
    /// Integers from 0 that fit 64 bits.
    U64(Vec<u64>),
    /// Integers that fit 64 bits with a sign.
    I64(Vec<i64>),
    /// Numbers that single precision holds exactly.
    F32(Vec<f32>),
    /// Every other number.
    F64(Vec<f64>),
}

/// A borrowed column of weights, as a graph or a file holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightSlice<'a> {
    /// See [`Weights::U32`].
    U32(&'a [u32]),
    /// See [`Weights::I32`].
    I32(&'a [i32]),
    /// See [`Weights::U64`].
    U64(&'a [u64]),
    /// See [`Weights::I64`].
    I64(&'a [i64]),
    /// See [`Weights::F32`].
    F32(&'a [f32]),
    /// See [`Weights::F64`].
    F64(&'a [f64]),
}
