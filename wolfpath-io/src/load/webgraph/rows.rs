//! Decoder of the rows of successors. A row consists of:
//!
//! 1. Its degree.
//! 2. The distance to the earlier row from which part of the row is copied: 1 for the previous row, 0 for none. The
//!    earlier row is divided into blocks, which are alternately copied and skipped; the lengths of the blocks follow.
//! 3. Intervals of consecutive successors.
//! 4. The remaining successors, each encoded as the difference from the previous one.

use super::properties::Properties;
use crate::load::whole::Whole;
use dsi_bitstream::dispatch::{CodesRead, DispatchError, FuncCodeReader, StaticCodeRead};
use dsi_bitstream::impls::{BufBitReader, MemWordReader};
use dsi_bitstream::traits::{BitRead, BitSeek, Endianness, WordError};

/// Reader of the file's bits.
pub(super) type Bits<'a, E> = BufBitReader<E, MemWordReader<u32, &'a [u32]>>;

/// An error, and the position of the bit at which it was detected.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) bit: u64,
    pub(super) found: String,
    pub(super) expected: String,
}

/// Error in a row.
enum Fault {
    /// The file ends inside the row.
    Ends,
    /// A number of the row is invalid.
    Number { found: String, expected: String },
}

impl From<WordError> for Fault {
    fn from(_: WordError) -> Fault {
        Fault::Ends
    }
}

#[cold]
fn fault(found: String, expected: String) -> Fault {
    Fault::Number { found, expected }
}

/// Decoder of rows.
pub(super) struct RowDecoder<'a, E: Endianness>
where
    Bits<'a, E>: CodesRead<E>,
{
    properties: &'a Properties,
    bits: Bits<'a, E>,
    /// Number of bits in the file.
    length: u64,
    degrees: FuncCodeReader<E, Bits<'a, E>>,
    references: FuncCodeReader<E, Bits<'a, E>>,
    blocks: FuncCodeReader<E, Bits<'a, E>>,
    intervals: FuncCodeReader<E, Bits<'a, E>>,
    residuals: FuncCodeReader<E, Bits<'a, E>>,
    /// The most recent rows. The row of vertex v is at index v modulo their number.
    last: Vec<Vec<u32>>,
}

impl<'a, E: Endianness> RowDecoder<'a, E>
where
    Bits<'a, E>: CodesRead<E> + BitRead<E, Error = WordError> + BitSeek<Error = WordError>,
{
    /// Creates a decoder of the file in `words`.
    pub(super) fn new(
        properties: &'a Properties,
        words: &'a [u32],
        length: u64,
    ) -> Result<RowDecoder<'a, E>, Wrong> {
        let flags = &properties.flags;
        let unknown = |error: DispatchError| {
            let found = format!("codes that are not known ({error})");
            Wrong {
                bit: 0,
                found,
                expected: format!("those that WebGraph writes; see {}", properties.name()),
            }
        };
        let reader = |code| FuncCodeReader::new(code).map_err(unknown);
        Ok(RowDecoder {
            properties,
            bits: BufBitReader::new(MemWordReader::new(words)),
            length: length * 8,
            degrees: reader(flags.outdegrees)?,
            references: reader(flags.references)?,
            blocks: reader(flags.blocks)?,
            intervals: reader(flags.intervals)?,
            residuals: reader(flags.residuals)?,
            last: vec![Vec::new(); flags.compression_window + 1],
        })
    }

    /// Reads all rows. Returns the number of bits that they occupy.
    pub(super) fn read(mut self, parsed: &mut Whole) -> Result<u64, Wrong> {
        let (vertices, edges) = (self.properties.vertices, self.properties.edges);
        let mut left = edges;
        for vertex in 0..vertices {
            let begin = self.position();
            let row = self.row(vertex, left).map_err(|fault| self.wrong(vertex, begin, fault))?;
            if self.position() > self.length {
                return Err(self.wrong(vertex, begin, Fault::Ends));
            }
            row.iter().for_each(|&end| parsed.edges.push(vertex, end.into()));
            left -= row.len() as u64;
            let place = self.place(vertex);
            self.last[place] = row;
        }
        if left > 0 {
            let found = format!("{} edges in all", edges - left);
            let expected = format!("{edges}, by {}", self.properties.name());
            return Err(Wrong { bit: self.position(), found, expected });
        }
        Ok(self.position())
    }

    /// Returns the number of bits that were read.
    fn position(&mut self) -> u64 {
        // `bit_pos` cannot fail; only setting the position can.
        self.bits.bit_pos().unwrap_or(self.length)
    }

    fn place(&self, vertex: u64) -> usize {
        (vertex % self.last.len() as u64) as usize
    }

    /// Returns the error for a fault in the row of a vertex that starts at `bit`.
    #[cold]
    fn wrong(&self, vertex: u64, bit: u64, fault: Fault) -> Wrong {
        match fault {
            Fault::Ends => Wrong {
                bit: self.length,
                found: "the end of the file".to_owned(),
                expected: format!(
                    "the row of vertex {vertex} of {}: the file was cut short; fetch or make it again",
                    self.properties.vertices
                ),
            },
            Fault::Number { found, expected } => Wrong {
                bit,
                found: format!("a row of vertex {vertex} with {found}"),
                expected: format!("{expected}, in {}", self.properties.codes()),
            },
        }
    }

    /// Reads the row of a vertex, and returns it in ascending order. `edges` is the maximum number of edges in the row.
    fn row(&mut self, vertex: u64, edges: u64) -> Result<Vec<u32>, Fault> {
        let place = self.place(vertex);
        let mut row = std::mem::take(&mut self.last[place]);
        row.clear();
        let degree = self.degrees.read(&mut self.bits)?;
        let most = edges.min(self.properties.vertices);
        if degree > most {
            return Err(fault(format!("{degree} edges"), format!("at most {most}")));
        }
        if degree == 0 {
            return Ok(row);
        }
        self.copy(vertex, degree, &mut row)?;
        self.add_intervals(vertex, degree, &mut row)?;
        self.add_residuals(vertex, degree, &mut row)?;
        // The row consists of a few ascending runs, which this sort detects and merges.
        row.sort();
        match row.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => Err(fault(format!("the edge to {} twice", pair[0]), "every edge once".to_owned())),
            None => Ok(row),
        }
    }

    /// Copies the part of the row that is encoded as blocks of an earlier row.
    fn copy(&mut self, vertex: u64, degree: u64, row: &mut Vec<u32>) -> Result<(), Fault> {
        let window = self.properties.flags.compression_window as u64;
        let back = if window == 0 { 0 } else { self.references.read(&mut self.bits)? };
        if back == 0 {
            return Ok(());
        }
        if back > window.min(vertex) {
            let found = format!("a copy of the row {back} before it");
            return Err(fault(found, format!("one of the {} before it", window.min(vertex))));
        }
        let copied = &self.last[self.place(vertex - back)];
        let blocks = self.blocks.read(&mut self.bits)?;
        let mut rest = &copied[..];
        for block in 0..blocks {
            // Only the first block may be empty, so the lengths of the others are stored minus 1.
            let length = self.blocks.read(&mut self.bits)?.saturating_add(u64::from(block > 0));
            let taken = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
            let Some((taken, others)) = taken else {
                let found = format!("a block of {length} to copy or leave out");
                return Err(fault(found, format!("at most the {} that are left", rest.len())));
            };
            if block.is_multiple_of(2) {
                row.extend_from_slice(taken);
            }
            rest = others;
        }
        if blocks.is_multiple_of(2) {
            row.extend_from_slice(rest);
        }
        if row.len() as u64 > degree {
            return Err(fault(format!("{} copied edges", row.len()), format!("at most its {degree} edges")));
        }
        Ok(())
    }

    fn add_intervals(&mut self, vertex: u64, degree: u64, row: &mut Vec<u32>) -> Result<(), Fault> {
        let (least, mut left) = (self.properties.flags.min_interval_length as u64, degree - row.len() as u64);
        if left == 0 || least == 0 {
            return Ok(());
        }
        let mut before = None;
        for _ in 0..self.intervals.read(&mut self.bits)? {
            let step = self.intervals.read(&mut self.bits)?;
            let start = self.after(vertex, before, step)?;
            let length = self.intervals.read(&mut self.bits)?.saturating_add(least);
            let most = left.min(self.properties.vertices - u64::from(start));
            if length > most {
                let found = format!("an interval of {length} edges from {start} on");
                return Err(fault(found, format!("at most {most}")));
            }
            let end = u64::from(start) + length;
            row.extend((u64::from(start)..end).map(|id| id as u32));
            left -= length;
            before = Some(end);
        }
        Ok(())
    }

    fn add_residuals(&mut self, vertex: u64, degree: u64, row: &mut Vec<u32>) -> Result<(), Fault> {
        let mut before = None;
        while (row.len() as u64) < degree {
            let step = self.residuals.read(&mut self.bits)?;
            let id = self.after(vertex, before, step)?;
            row.push(id);
            before = Some(id.into());
        }
        Ok(())
    }

    /// Returns the next id of a row: `step` ids are skipped after the id `before`. If there is no id before it, `step`
    /// encodes a signed distance from the vertex itself.
    #[inline]
    fn after(&self, vertex: u64, before: Option<u64>, step: u64) -> Result<u32, Fault> {
        let id = match before {
            Some(before) => (before + 1).checked_add(step),
            // Signed distances alternate between both sides: 0, -1, 1, -2, 2 and so on.
            None if step.is_multiple_of(2) => vertex.checked_add(step / 2),
            None => vertex.checked_sub(step / 2 + 1),
        };
        match id {
            // There are fewer than 2^32 vertices.
            Some(id) if id < self.properties.vertices => Ok(id as u32),
            _ => {
                let expected = format!("ids from 0 to {}", self.properties.vertices.saturating_sub(1));
                Err(fault("an edge to an id out of range".to_owned(), expected))
            }
        }
    }
}
