//! Layout of data in memory, by the rules of `repr(C)` and CUDA.

use super::{Enum, Field, Float, Phase, Struct, Ty};

/// Returns size and alignment in bytes.
pub(crate) fn layout<P: Phase>(ty: &Ty<P>, structs: &[Struct<P>]) -> (usize, usize) {
    match ty {
        Ty::Bool => (1, 1),
        Ty::Int(int) => ((int.bits() / 8) as usize, (int.bits() / 8) as usize),
        Ty::Float(Float::F32) => (4, 4),
        Ty::Float(Float::F64) => (8, 8),
        Ty::Enum(_) => (Enum::SIZE, Enum::SIZE),
        Ty::Array(of, length) => {
            let (size, align) = layout(of, structs);
            (size.saturating_mul(usize::try_from(*length).unwrap_or(usize::MAX)), align)
        }
        Ty::Struct(index) => {
            let (_, size, align) = offsets(&structs[*index].fields, structs);
            (size, align)
        }
        Ty::Tuple(parts) => parts_layout(parts, structs),
        // An address on the device.
        Ty::PerVertex(_) | Ty::VertexSet => (8, 8),
        _ => (0, 1),
    }
}

/// Returns size and alignment of a tuple: those of a struct of its parts. Only folds are stored as tuples.
fn parts_layout<P: Phase>(parts: &[Ty<P>], structs: &[Struct<P>]) -> (usize, usize) {
    let (mut end, mut align) = (0usize, 1);
    for part in parts {
        let (size, alignment) = layout(part, structs);
        end = end.next_multiple_of(alignment) + size;
        align = align.max(alignment);
    }
    (end.next_multiple_of(align), align)
}

/// Returns the offset of each field, then the size and alignment of the whole struct.
pub(crate) fn offsets<P: Phase>(fields: &[Field<P>], structs: &[Struct<P>]) -> (Vec<usize>, usize, usize) {
    let (mut offsets, mut end, mut align) = (Vec::new(), 0usize, 1);
    for field in fields {
        let (size, alignment) = layout(&field.ty, structs);
        end = end.next_multiple_of(alignment);
        offsets.push(end);
        end += size;
        align = align.max(alignment);
    }
    (offsets, end.next_multiple_of(align), align)
}

/// Returns the number of bytes of a type without padding.
pub(crate) fn held<P: Phase>(ty: &Ty<P>, structs: &[Struct<P>]) -> usize {
    match ty {
        Ty::Struct(index) => structs[*index].fields.iter().map(|field| held(&field.ty, structs)).sum(),
        Ty::Array(of, length) => {
            held(of, structs).saturating_mul(usize::try_from(*length).unwrap_or(usize::MAX))
        }
        other => layout(other, structs).0,
    }
}

/// Returns `true` if Rust and the device lay out a type identically. The types of values, messages, weights and
/// parameters must meet this condition. Other structs can only be the types of locals.
pub(crate) fn is_plain_data<P: Phase>(ty: &Ty<P>, structs: &[Struct<P>]) -> bool {
    // `depth` ends the recursion for a struct that contains itself; `check` rejects it.
    fn within<P: Phase>(ty: &Ty<P>, structs: &[Struct<P>], depth: usize) -> bool {
        match ty {
            Ty::Array(of, _) => within(of, structs, depth),
            Ty::Struct(index) => {
                let fields = &structs[*index].fields;
                depth == 0 || fields.iter().all(|field| within(&field.ty, structs, depth - 1))
            }
            other => other.is_datum(),
        }
    }
    within(ty, structs, structs.len())
}

/// Returns the structs that a value of this type contains directly, without those nested in them.
pub(crate) fn structs_in<P: Phase>(ty: &Ty<P>) -> Vec<usize> {
    match ty {
        Ty::Struct(index) => vec![*index],
        Ty::Array(of, _) | Ty::Option(of) => structs_in(of),
        Ty::Tuple(parts) => parts.iter().flat_map(structs_in).collect(),
        _ => Vec::new(),
    }
}
