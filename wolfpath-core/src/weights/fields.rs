//! A column in the type of one field of a program's weight struct.

use super::number::Stored;
use super::{ConvertError, WeightSlice, with_column};
use crate::graph::WeightError;
use crate::program::{Datum, DatumKind, WeightField};
use rayon::prelude::*;
use std::borrow::Cow;

/// The numbers of a column in the type of a field.
#[derive(Debug)]
#[doc(hidden)]
pub enum FieldNumbers<'a> {
    Bool(Vec<bool>),
    U32(Cow<'a, [u32]>),
    I32(Cow<'a, [i32]>),
    U64(Cow<'a, [u64]>),
    I64(Cow<'a, [i64]>),
    F32(Cow<'a, [f32]>),
    F64(Cow<'a, [f64]>),
}

/// Builds the structs of `edges` edges, whose fields come from columns. `numbers_of` returns the numbers of a field, and
/// `position` the position of an edge in them.
#[doc(hidden)]
pub fn structs_of<'a, W: Datum>(
    fields: &[WeightField],
    edges: usize,
    numbers_of: impl Fn(&WeightField) -> Result<FieldNumbers<'a>, WeightError>,
    position: impl Fn(usize) -> usize + Sync,
) -> Result<Vec<W>, WeightError> {
    let size = W::KIND.size();
    if fields.iter().any(|field| field.offset.saturating_add(field.kind.size()) > size) {
        // Only a faulty `Datum` implementation in another crate, which contradicts its own table of fields, leads here.
        return Err(WeightError::NotANumber { to: W::KIND });
    }
    let columns = fields.iter().map(|field| Ok((field.offset, numbers_of(field)?)));
    let columns = columns.collect::<Result<Vec<_>, WeightError>>()?;
    Ok(structs_from(&columns, edges, &position))
}

/// Implements [`structs_of`]. It is compiled once per type of structs and not once per program.
fn structs_from<W: Datum>(
    columns: &[(usize, FieldNumbers<'_>)],
    edges: usize,
    position: &(dyn Fn(usize) -> usize + Sync),
) -> Vec<W> {
    let structs = (0..edges).into_par_iter().with_min_len(1 << 10).map_init(
        || vec![0; W::KIND.size()],
        |bytes, edge| {
            let position = position(edge);
            columns.iter().for_each(|(offset, numbers)| numbers.write(position, &mut bytes[*offset..]));
            W::read(bytes)
        },
    );
    structs.collect()
}

impl<'a> FieldNumbers<'a> {
    /// Converts a column for a field. `edge_ids` returns the ids of the edge at a position of the column, for errors.
    #[doc(hidden)]
    pub fn of_field(
        column: WeightSlice<'a>,
        field: &WeightField,
        lossy: bool,
        edge_ids: impl FnOnce(usize) -> (u64, u64),
    ) -> Result<FieldNumbers<'a>, WeightError> {
        FieldNumbers::of(column, field.kind, lossy).map_err(|error| match error {
            ConvertError::NotANumber { to } => WeightError::NotANumber { to },
            ConvertError::Inexact { position, value, from, to } => {
                let (source_id, target_id) = edge_ids(position);
                let column = field.name.to_owned();
                WeightError::InexactColumn { column, source_id, target_id, value, from, to }
            }
        })
    }

    /// Converts a column like [`WeightSlice::convert`]. A `bool` is also a possible type: 0 is false and 1 is true, and
    /// if `lossy` is `true`, every other number is true.
    fn of(column: WeightSlice<'a>, kind: DatumKind, lossy: bool) -> Result<FieldNumbers<'a>, ConvertError> {
        Ok(match kind {
            DatumKind::Bool => FieldNumbers::Bool(bools(column, lossy)?),
            DatumKind::U32 => FieldNumbers::U32(column.convert(lossy)?),
            DatumKind::I32 => FieldNumbers::I32(column.convert(lossy)?),
            DatumKind::U64 => FieldNumbers::U64(column.convert(lossy)?),
            DatumKind::I64 => FieldNumbers::I64(column.convert(lossy)?),
            DatumKind::F32 => FieldNumbers::F32(column.convert(lossy)?),
            DatumKind::F64 => FieldNumbers::F64(column.convert(lossy)?),
            _ => return Err(ConvertError::NotANumber { to: kind }),
        })
    }

    /// Writes the number at a position to the start of `bytes`.
    #[inline]
    fn write(&self, position: usize, bytes: &mut [u8]) {
        match self {
            FieldNumbers::Bool(column) => column[position].write(&mut bytes[..1]),
            FieldNumbers::U32(column) => column[position].write(&mut bytes[..4]),
            FieldNumbers::I32(column) => column[position].write(&mut bytes[..4]),
            FieldNumbers::U64(column) => column[position].write(&mut bytes[..8]),
            FieldNumbers::I64(column) => column[position].write(&mut bytes[..8]),
            FieldNumbers::F32(column) => column[position].write(&mut bytes[..4]),
            FieldNumbers::F64(column) => column[position].write(&mut bytes[..8]),
        }
    }
}

fn bools(column: WeightSlice<'_>, lossy: bool) -> Result<Vec<bool>, ConvertError> {
    let numbers = || (0..column.len()).into_par_iter().with_min_len(1 << 12);
    let truth = |position: usize| {
        with_column!(WeightSlice, column, column => {
            let number = column[position];
            match u32::exact(number.number()) {
                Some(0) => Some(false),
                Some(1) => Some(true),
                _ => lossy.then_some(true),
            }
        })
    };
    let all: Option<Vec<bool>> = numbers().map(truth).collect();
    all.ok_or_else(|| {
        let position = numbers().position_first(|position| truth(position).is_none()).expect("one failed");
        let (value, from) = (column.text(position), column.kind().of_programs());
        ConvertError::Inexact { position, value, from, to: DatumKind::Bool }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_is_zero_or_one() {
        let column = WeightSlice::F32(&[0.0, 1.0, -0.0]);
        assert!(
            matches!(FieldNumbers::of(column, DatumKind::Bool, false), Ok(FieldNumbers::Bool(all)) if all == [false, true, false])
        );
        let column = WeightSlice::U32(&[0, 2]);
        let refused = FieldNumbers::of(column, DatumKind::Bool, false).unwrap_err();
        assert!(refused.to_string().contains("the weight 2 of edge 1"), "{refused}");
        assert!(
            matches!(FieldNumbers::of(column, DatumKind::Bool, true), Ok(FieldNumbers::Bool(all)) if all == [false, true])
        );
    }

    #[test]
    fn numbers_are_written_as_their_type() {
        let mut bytes = [0xff; 10];
        FieldNumbers::of(WeightSlice::U32(&[5, 7]), DatumKind::I64, false).unwrap().write(1, &mut bytes);
        assert_eq!(bytes[..8], 7i64.to_ne_bytes());
        assert_eq!(bytes[8..], [0xff; 2]);
        assert!(FieldNumbers::of(WeightSlice::U32(&[5]), DatumKind::Unit, false).is_err());
    }
}
