//! The record of a binary edge list: source, target and optionally a weight, little-endian, without gaps. The name of
//! the format specifies the layout: `bin32` or `bin64` for the width of the ids, followed by the type of the weights,
//! if any (`bin32f32`).

/// Layout of an edge in a binary edge list.
///
/// ```
/// use wolfpath::load::{Format, IdWidth, Record, RecordWeight};
///
/// let record = Record { ids: IdWidth::Four, weights: Some(RecordWeight::F32) };
/// assert_eq!((record.name(), record.bytes()), ("bin32f32", 12));
/// assert_eq!("bin32f32".parse(), Ok(Format::Binary(record)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Width of an id.
    pub ids: IdWidth,
    /// Type of the weight after the ids, if there is one.
    pub weights: Option<RecordWeight>,
}

/// Width of an id in a binary edge list.
///
/// ```
/// use wolfpath::load::{IdWidth, Record};
///
/// assert_eq!(Record { ids: IdWidth::Eight, weights: None }.bytes(), 16);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdWidth {
    /// `u32`.
    Four,
    /// `u64`.
    Eight,
}

/// Type of a weight in a binary edge list.
///
/// ```
/// use wolfpath::load::{Record, RecordWeight};
///
/// let record = Record::of_name("bin64i32");
/// assert_eq!(record.and_then(|record| record.weights), Some(RecordWeight::I32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the number type of its name")]
pub enum RecordWeight {
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

const WEIGHTS: [Option<RecordWeight>; 7] = [
    None,
    Some(RecordWeight::U32),
    Some(RecordWeight::I32),
    Some(RecordWeight::U64),
    Some(RecordWeight::I64),
    Some(RecordWeight::F32),
    Some(RecordWeight::F64),
];

const NAMES: [[&str; 7]; 2] = [
    ["bin32", "bin32u32", "bin32i32", "bin32u64", "bin32i64", "bin32f32", "bin32f64"],
    ["bin64", "bin64u32", "bin64i32", "bin64u64", "bin64i64", "bin64f32", "bin64f64"],
];

impl Record {
    /// All record layouts.
    pub const ALL: [Record; 14] = {
        let mut all = [Record { ids: IdWidth::Four, weights: None }; 14];
        let mut place = 0;
        while place < 14 {
            let ids = if place < 7 { IdWidth::Four } else { IdWidth::Eight };
            all[place] = Record { ids, weights: WEIGHTS[place % 7] };
            place += 1;
        }
        all
    };

    /// Returns the name of the format, which is also its file extension.
    pub const fn name(self) -> &'static str {
        let weights = match self.weights {
            None => 0,
            Some(weights) => weights as usize + 1,
        };
        NAMES[self.ids as usize][weights]
    }

    /// Returns the record layout with this name.
    ///
    /// ```
    /// use wolfpath::load::Record;
    ///
    /// assert_eq!(Record::of_name("bin64").map(Record::bytes), Some(16));
    /// assert_eq!(Record::of_name("bin16"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<Record> {
        Record::ALL.into_iter().find(|record| record.name() == name)
    }

    /// Returns the number of bytes per edge.
    pub fn bytes(self) -> usize {
        2 * self.ids.bytes() + self.weights.map_or(0, RecordWeight::bytes)
    }
}

impl IdWidth {
    /// Returns the number of bytes per id.
    pub fn bytes(self) -> usize {
        match self {
            IdWidth::Four => 4,
            IdWidth::Eight => 8,
        }
    }
}

impl RecordWeight {
    /// Returns the number of bytes per weight.
    pub fn bytes(self) -> usize {
        match self {
            RecordWeight::U32 | RecordWeight::I32 | RecordWeight::F32 => 4,
            RecordWeight::U64 | RecordWeight::I64 | RecordWeight::F64 => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_widths() {
        for record in Record::ALL {
            assert_eq!(Record::of_name(record.name()), Some(record));
        }
        let sizes = ["bin32", "bin64", "bin32f32", "bin64u32", "bin32i64"];
        assert_eq!(sizes.map(|name| Record::of_name(name).unwrap().bytes()), [8, 16, 12, 20, 16]);
    }
}
