//! Several runs in one launch: `bits` stores one bit for each of up to 64 runs at each vertex; `abreast` stores the
//! values of up to 16 runs contiguously at each vertex.

mod abreast;
mod bits;
mod reached;

pub(crate) use self::abreast::{Abreast, AbreastBatch, abreast_arrays, most_abreast};
pub(super) use self::bits::{BatchState, BitsBatch};
pub(crate) use self::bits::{Bits, bits_arrays, digits_of, is_plane};
pub(crate) use self::reached::Reached;
