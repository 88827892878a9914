//! Conversion of numbers of any program type from and to f64, for heuristics and for sums of floats.

use wolfpath_core::program::{Datum, DatumKind};

/// Converts a number to f64. The result is exact except for large 64-bit integers.
#[inline]
pub(crate) fn to_f64<D: Datum>(datum: D) -> f64 {
    let bits = datum.to_bits();
    match D::KIND {
        DatumKind::I32 => f64::from(bits as u32 as i32),
        DatumKind::I64 => bits as i64 as f64,
        DatumKind::F32 => f64::from(f32::from_bits(bits as u32)),
        DatumKind::F64 => f64::from_bits(bits),
        _ => bits as f64,
    }
}

/// Returns the number of type `D` nearest to an f64, saturating at the limits of the type.
#[inline]
pub(crate) fn from_f64<D: Datum>(number: f64) -> D {
    D::from_bits(match D::KIND {
        DatumKind::U32 => u64::from(number as u32),
        DatumKind::I32 => u64::from(number as i32 as u32),
        DatumKind::I64 => number as i64 as u64,
        DatumKind::F32 => u64::from((number as f32).to_bits()),
        DatumKind::F64 => number.to_bits(),
        _ => number as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_way_there_and_back() {
        assert_eq!(from_f64::<i32>(to_f64(-7i32)), -7);
        assert_eq!(from_f64::<i64>(to_f64(-7i64)), -7);
        assert_eq!(from_f64::<f32>(to_f64(0.1f32)), 0.1f32);
        assert_eq!(from_f64::<u32>(f64::INFINITY), u32::MAX);
        assert_eq!(from_f64::<u64>(-1.0), 0);
    }
}
