//! Reads packed rows.

use std::ops::Range;

use super::layout::{BAND, BLOCK, POSITION, SEGMENT, first_bits};

/// The edges of every vertex, packed: the same ends as in [`Rows`](crate::graph::Rows), in about half the space.
///
/// All ends of a row can be read in order, stopping anywhere, and each block of 32 ends by itself.
/// `docs/file-format.md` specifies the arrays, which are copied to a device as they are.
///
/// ```
/// use wolfpath::edge_list::EdgeList;
/// use wolfpath::graph::{Direction, PackedRows};
/// use wolfpath::prelude::*;
///
/// let list = EdgeList::from_edges((0..100).map(|v| (v, v * v % 100)))?;
/// let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().packed(true))?;
/// let packed: PackedRows<'_> = graph.packed_rows(Direction::Out)?.expect("requested");
/// for vertex in 0..graph.num_vertices() {
///     assert!(packed.row(vertex).eq(graph.out_edges().row(vertex).iter().copied()));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PackedRows<'a> {
    offsets: &'a [u64],
    bands: &'a [u64],
    starts: &'a [u16],
    words: &'a [u32],
    first_bits: u32,
}

impl<'a> PackedRows<'a> {
    /// Number of ends per block; only the last block of a row may have fewer.
    pub const BLOCK: usize = BLOCK;
    /// Number of ends per segment; only the last segment of a row may have fewer. A row with more ends has an index.
    pub const SEGMENT: usize = SEGMENT;
    /// Number of rows per band.
    pub const BAND: usize = BAND;

    /// Views packed rows that were written or verified by this program.
    pub(crate) fn new(
        offsets: &'a [u64],
        bands: &'a [u64],
        starts: &'a [u16],
        words: &'a [u32],
    ) -> PackedRows<'a> {
        assert_eq!(starts.len() + 1, offsets.len(), "packed rows have the offsets of the rows");
        PackedRows { offsets, bands, starts, words, first_bits: first_bits(starts.len() as u32) }
    }

    /// Views those packed rows that one of several devices has.
    #[doc(hidden)]
    pub fn of_device(
        offsets: &'a [u64],
        bands: &'a [u64],
        starts: &'a [u16],
        words: &'a [u32],
    ) -> PackedRows<'a> {
        PackedRows::new(offsets, bands, starts, words)
    }

    /// Returns the same rows, read as if the graph had another number of vertices.
    #[cfg(test)]
    pub(super) fn with_first_bits(self, first_bits: u32) -> PackedRows<'a> {
        PackedRows { first_bits, ..self }
    }

    /// Returns the number of vertices, and thus of rows.
    pub fn num_vertices(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Returns the number of edges.
    pub fn num_edges(&self) -> u64 {
        self.offsets[self.starts.len()]
    }

    /// Returns the number of edges of a vertex.
    ///
    /// # Panics
    /// Panics if there is no such vertex.
    ///
    /// ```
    /// # use wolfpath::edge_list::EdgeList;
    /// # use wolfpath::graph::Direction;
    /// # use wolfpath::prelude::*;
    /// # let list = EdgeList::from_edges([(0, 1), (0, 2)])?;
    /// # let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0).packed(true))?;
    /// let packed = graph.packed_rows(Direction::Out)?.expect("requested when the graph was built");
    /// assert_eq!(packed.degree(0), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn degree(&self, vertex: u32) -> u64 {
        self.offsets[vertex as usize + 1] - self.offsets[vertex as usize]
    }

    /// Returns the number of blocks of a row.
    ///
    /// # Panics
    /// Panics if there is no such vertex.
    ///
    /// ```
    /// # use wolfpath::edge_list::EdgeList;
    /// # use wolfpath::graph::Direction;
    /// # use wolfpath::prelude::*;
    /// # let list = EdgeList::from_edges((1..=70).map(|id| (0, id)))?;
    /// # let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0).packed(true))?;
    /// let packed = graph.packed_rows(Direction::Out)?.expect("requested when the graph was built");
    /// assert_eq!((packed.degree(0), packed.blocks(0)), (70, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn blocks(&self, vertex: u32) -> u64 {
        self.degree(vertex).div_ceil(BLOCK as u64)
    }

    /// Returns the ends of a row, ascending.
    ///
    /// # Panics
    /// Panics if there is no such vertex.
    ///
    /// ```
    /// # use wolfpath::edge_list::EdgeList;
    /// # use wolfpath::graph::Direction;
    /// # use wolfpath::prelude::*;
    /// # let list = EdgeList::from_edges([(0, 1), (0, 2), (0, 3)])?;
    /// # let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0).packed(true))?;
    /// let packed = graph.packed_rows(Direction::Out)?.expect("requested when the graph was built");
    /// // The search stops at the first match, and unpacks nothing behind it.
    /// assert_eq!(packed.row(0).find(|&end| end >= 2), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn row(&self, vertex: u32) -> PackedEnds<'a> {
        self.ends(vertex, 0, self.degree(vertex))
    }

    /// Returns the ends of one block of a row, ascending: those from position `32 * block` on, and at most 32 of them.
    /// No other block is unpacked.
    ///
    /// # Panics
    /// Panics if there is no such vertex, or if its row has no such block.
    ///
    /// ```
    /// # use wolfpath::edge_list::EdgeList;
    /// # use wolfpath::graph::Direction;
    /// # use wolfpath::prelude::*;
    /// # let list = EdgeList::from_edges((1..=70).map(|id| (0, id)))?;
    /// # let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0).packed(true))?;
    /// let packed = graph.packed_rows(Direction::Out)?.expect("requested when the graph was built");
    /// assert!(packed.block(0, 2).eq(65..=70));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn block(&self, vertex: u32, block: u64) -> PackedEnds<'a> {
        let (degree, blocks) = (self.degree(vertex), self.blocks(vertex));
        assert!(block < blocks, "vertex {vertex} has {blocks} blocks, so there is no block {block}");
        self.ends(vertex, block, (degree - block * BLOCK as u64).min(BLOCK as u64))
    }

    /// Returns the number of bits in which the first end of every block is stored.
    pub fn first_bits(&self) -> u32 {
        self.first_bits
    }

    /// Returns the positions of all rows in the array of ends, as in [`Rows::offsets`](crate::graph::Rows::offsets).
    /// Degrees are their differences.
    pub fn offsets(&self) -> &'a [u64] {
        self.offsets
    }

    /// Returns the position of each band, in bytes from the start of [`words`](Self::words), followed by the end of the
    /// last band.
    pub fn bands(&self) -> &'a [u64] {
        self.bands
    }

    /// Returns the position of each row, in bytes from the start of its band.
    pub fn starts(&self) -> &'a [u16] {
        self.starts
    }

    /// Returns the packed ends as 32-bit words. Bit *b* of the text in the specification is bit *b* mod 32 of word
    /// *b*/32.
    pub fn words(&self) -> &'a [u32] {
        self.words
    }

    /// Returns the widths of the blocks of a row: the number of bits of each end but the first of the block.
    ///
    /// # Panics
    /// Panics if there is no such vertex.
    ///
    /// ```
    /// # use wolfpath::edge_list::EdgeList;
    /// # use wolfpath::graph::Direction;
    /// # use wolfpath::prelude::*;
    /// # let list = EdgeList::from_edges((1..=70).map(|id| (0, id)))?;
    /// # let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0).packed(true))?;
    /// let packed = graph.packed_rows(Direction::Out)?.expect("requested when the graph was built");
    /// assert!(packed.widths(0).eq([1, 1, 1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn widths(&self, vertex: u32) -> impl Iterator<Item = u8> + use<'a> {
        let (degree, words) = (self.degree(vertex), self.words);
        let ends = self.row(vertex);
        let bytes: &[u8] = bytemuck::cast_slice(words);
        (0..degree.div_ceil(SEGMENT as u64)).flat_map(move |segment| {
            let at = match degree > SEGMENT as u64 {
                // `ends` has begun the first segment, and its index leads to the next one.
                true => ends.position_at(ends.index - POSITION + segment * POSITION),
                false => ends.widths,
            } as usize;
            let number = (degree - segment * SEGMENT as u64).min(SEGMENT as u64).div_ceil(BLOCK as u64);
            bytes[at..at + number as usize].iter().copied()
        })
    }

    /// Returns the size in bytes of the array of all widths in the form in which a device reads them: those of vertex
    /// *v* begin at offset / 32 + *v*.
    #[doc(hidden)]
    pub fn width_slots(vertices: u64, edges: u64) -> u64 {
        // A device reads 16 bytes at a time.
        (vertices + edges / BLOCK as u64 + 1).next_multiple_of(8) + 8
    }

    /// Writes a part of the array of the widths of the rows that a device has. `offset` returns their offsets there; other
    /// rows are empty. Bytes between rows are 0.
    #[doc(hidden)]
    pub fn fill_width_slots(&self, offset: impl Fn(usize) -> u64, range: Range<usize>, to: &mut [u8]) {
        to.fill(0);
        let slot = |vertex: usize| offset(vertex) as usize / BLOCK + vertex;
        // The row before may reach into the range.
        let (mut low, mut high) = (0, self.starts.len());
        while low < high {
            let middle = low.midpoint(high);
            if slot(middle) < range.start { low = middle + 1 } else { high = middle }
        }
        let vertices = low.saturating_sub(1)..self.starts.len();
        let has_edges = |vertex: &usize| offset(*vertex) < offset(vertex + 1);
        for vertex in vertices.take_while(|&vertex| slot(vertex) < range.end).filter(has_edges) {
            for (at, width) in (slot(vertex)..).zip(self.widths(vertex as u32)) {
                if range.contains(&at) {
                    to[at - range.start] = width;
                }
            }
        }
    }

    /// Returns the size of the packed rows in bytes, with the positions of bands and rows, but without the offsets.
    ///
    /// ```
    /// # use wolfpath::edge_list::EdgeList;
    /// # use wolfpath::graph::Direction;
    /// # use wolfpath::prelude::*;
    /// # let list = EdgeList::from_edges([(0, 1), (0, 2), (1, 0)])?;
    /// # let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0).packed(true))?;
    /// let packed = graph.packed_rows(Direction::Out)?.expect("requested when the graph was built");
    /// // Two positions of bands, three of rows, a band of 8 bytes, and 128 bytes after it.
    /// assert_eq!(packed.bytes(), 2 * 8 + 3 * 2 + 8 + 128);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bytes(&self) -> u64 {
        (size_of_val(self.bands) + size_of_val(self.starts) + size_of_val(self.words)) as u64
    }

    /// Returns the average number of bits per edge: the [size](Self::bytes) in bits, divided by the number of edges. Row
    /// ends that are not packed take 32 bits.
    ///
    /// ```
    /// # use wolfpath::edge_list::EdgeList;
    /// # use wolfpath::graph::Direction;
    /// # use wolfpath::prelude::*;
    /// # let list = EdgeList::from_edges((1..10_000).map(|id| (0, id)))?;
    /// # let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0).packed(true))?;
    /// let packed = graph.packed_rows(Direction::Out)?.expect("requested when the graph was built");
    /// assert!(packed.bits_per_edge() < 32.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bits_per_edge(&self) -> f64 {
        8.0 * self.bytes() as f64 / self.num_edges().max(1) as f64
    }

    /// Returns `number` ends of a row, from the start of a block.
    fn ends(&self, vertex: u32, block: u64, number: u64) -> PackedEnds<'a> {
        let place = self.bands[vertex as usize / BAND] + u64::from(self.starts[vertex as usize]);
        let (degree, blocks_each) = (self.degree(vertex), (SEGMENT / BLOCK) as u64);
        let segment = block / blocks_each;
        let mut ends = PackedEnds {
            words: self.words,
            first_bits: self.first_bits,
            left: number,
            row_left: degree - segment * SEGMENT as u64,
            index: 0,
            widths: 0,
            at: 0,
            width: 0,
            end: 0,
            in_segment: 0,
            in_block: 0,
        };
        if number > 0 {
            if degree > SEGMENT as u64 {
                ends.index = ends.position_at(place) + segment * size_of::<u64>() as u64;
                ends.begin_indexed();
            } else {
                ends.begin_segment(place);
            }
            ends.skip_blocks((block % blocks_each) as u32);
        }
        ends
    }
}

/// Iterator over the ends of a packed row, or of one block of it. Unpacks one end at a time.
///
/// ```
/// # use wolfpath::edge_list::EdgeList;
/// # use wolfpath::graph::Direction;
/// # use wolfpath::prelude::*;
/// # let list = EdgeList::from_edges([(0, 1), (0, 2)])?;
/// # let graph = LayeredGraph::from_edge_list(list, &LayerOptions::new().root(0).packed(true))?;
/// let packed = graph.packed_rows(Direction::Out)?.expect("requested when the graph was built");
/// let ends: wolfpath::graph::PackedEnds<'_> = packed.row(0);
/// assert_eq!(ends.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PackedEnds<'a> {
    words: &'a [u32],
    first_bits: u32,
    /// Number of ends that are still to be returned.
    left: u64,
    /// Number of ends from the start of the next segment to the end of the row.
    row_left: u64,
    /// Position of the next segment's entry in the index of a long row, in bytes.
    index: u64,
    /// Position of the next block's width, in bytes.
    widths: u64,
    /// Position of the next number, in bits.
    at: u64,
    /// Number of bits of each difference in the current block.
    width: u32,
    /// The last end that was returned.
    end: u32,
    /// Number of ends that are left in the segment, and in the current block.
    in_segment: u32,
    in_block: u32,
}

impl PackedEnds<'_> {
    /// Returns the number of `width` bits at bit `at`.
    #[inline]
    fn bits(&self, at: u64, width: u32) -> u32 {
        let (word, shift) = ((at / 32) as usize, at % 32);
        let pair = u64::from(self.words[word]) | u64::from(self.words[word + 1]) << 32;
        (pair >> shift & ((1 << width) - 1)) as u32
    }

    /// Returns the position that is stored at byte `at`.
    fn position_at(&self, at: u64) -> u64 {
        let word = (at / 4) as usize;
        u64::from(self.words[word]) | u64::from(self.words[word + 1]) << 32
    }

    /// Begins the next segment of a long row.
    fn begin_indexed(&mut self) {
        self.begin_segment(self.position_at(self.index));
        self.index += size_of::<u64>() as u64;
    }

    /// Begins the next segment, which is at byte `at`.
    fn begin_segment(&mut self, at: u64) {
        self.in_segment = self.row_left.min(SEGMENT as u64) as u32;
        self.row_left -= u64::from(self.in_segment);
        self.widths = at;
        self.at = 8 * (at + u64::from(self.in_segment.div_ceil(BLOCK as u32)));
    }

    /// Skips full blocks at the start of a segment.
    fn skip_blocks(&mut self, blocks: u32) {
        for _ in 0..blocks {
            let width = self.bits(8 * self.widths, 8);
            self.widths += 1;
            self.at += u64::from(self.first_bits + (BLOCK as u32 - 1) * width);
            self.in_segment -= BLOCK as u32;
        }
    }

    /// Begins the next block, and returns its first end.
    fn begin_block(&mut self) -> u32 {
        if self.in_segment == 0 {
            self.begin_indexed();
        }
        self.width = self.bits(8 * self.widths, 8);
        self.widths += 1;
        self.in_block = self.in_segment.min(BLOCK as u32);
        self.in_segment -= self.in_block;
        let first = self.bits(self.at, self.first_bits);
        self.at += u64::from(self.first_bits);
        first
    }
}

impl Iterator for PackedEnds<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        if self.in_block == 0 {
            self.end = self.begin_block();
        } else {
            self.end += self.bits(self.at, self.width);
            self.at += u64::from(self.width);
        }
        self.in_block -= 1;
        Some(self.end)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for PackedEnds<'_> {}
