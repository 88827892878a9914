//! Bytes of a graph that are read in parts, from its file but not through the map.

use std::ops::Range;

use super::container::Mapping;
use super::error::StoreError;

/// Bytes of a graph: a part of its file, or of memory. On Unix, a part of a file is read without the map, so that the process
/// does not keep pages of the file, and so that a file that was truncated in the meantime is an error instead of a signal.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct StoredBytes<'a> {
    bytes: &'a [u8],
    /// The file, and the position of the bytes in it.
    file: Option<(&'a Mapping, u64)>,
}

impl<'a> StoredBytes<'a> {
    /// Returns bytes that are in `mapping` or elsewhere in memory.
    pub(super) fn new(bytes: &'a [u8], mapping: Option<&'a Mapping>) -> StoredBytes<'a> {
        let file = mapping.and_then(|mapping| {
            let at = (bytes.as_ptr() as usize).checked_sub(mapping.bytes.as_ptr() as usize)?;
            (at + bytes.len() <= mapping.bytes.len()).then_some((mapping, at as u64))
        });
        StoredBytes { bytes, file }
    }

    /// Reads the bytes in `range` to `to`, which has the same length.
    ///
    /// # Errors
    /// Returns the system's error if the file cannot be read, and an error that names the byte if the file ends too early.
    ///
    /// # Panics
    /// Panics if `range` and `to` differ in length, or if `range` ends behind the bytes.
    ///
    /// ```
    /// use wolfpath_core::graph::LayeredGraph;
    ///
    /// let graph = LayeredGraph::from_edges([(1, 2)])?;
    /// let mut second = [0];
    /// graph.stored_bytes(&[7, 8]).read(1..2, &mut second)?;
    /// assert_eq!(second, [8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(&self, range: Range<usize>, to: &mut [u8]) -> Result<(), StoreError> {
        let bytes = &self.bytes[range.clone()];
        assert_eq!(bytes.len(), to.len(), "the range has another length than the space for its bytes");
        match self.file {
            #[cfg(unix)]
            Some((mapping, at)) => read_at(mapping, at + range.start as u64, to),
            _ => {
                to.copy_from_slice(bytes);
                Ok(())
            }
        }
    }
}

/// Fills `to` with the bytes of a file from position `at` on.
#[cfg(unix)]
fn read_at(mapping: &Mapping, mut at: u64, mut to: &mut [u8]) -> Result<(), StoreError> {
    use std::io::ErrorKind;
    use std::os::unix::fs::FileExt;

    while !to.is_empty() {
        match mapping.file.read_at(to, at) {
            Ok(0) => {
                let expected = format!("{} bytes, as when it was opened", mapping.bytes.len());
                return Err(StoreError::broken(&mapping.path, at, "the file ends", expected));
            }
            Ok(read) => {
                at += read as u64;
                to = &mut to[read..];
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(StoreError::io(&mapping.path, "read", error)),
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::OpenOptions;

    use crate::graph::LayeredGraph;
    use crate::store::StoreError;

    #[test]
    fn parts_are_read_from_the_file_or_from_memory() {
        let graph = LayeredGraph::from_edges([(1, 2), (1, 3), (2, 3)]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.wolf");
        graph.write(&path).unwrap();
        let opened = LayeredGraph::open_wolf(&path).unwrap();
        for (graph, is_in_file) in [(&graph, false), (&opened, true)] {
            let ends: &[u8] = bytemuck::cast_slice(graph.out_edges().ends);
            let stored = graph.stored_bytes(ends);
            assert_eq!((stored.bytes.len(), stored.file.is_some()), (12, is_in_file));
            let mut part = [0; 8];
            stored.read(4..12, &mut part).unwrap();
            assert_eq!(part, ends[4..]);
        }
        let mine = [1, 2, 3];
        assert!(opened.stored_bytes(&mine).file.is_none());
    }

    #[test]
    fn a_file_that_was_truncated_is_an_error_with_the_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.wolf");
        LayeredGraph::from_edges((0..3000).map(|v| (v, v + 1))).unwrap().write(&path).unwrap();
        let graph = LayeredGraph::open_wolf(&path).unwrap();
        let ends: &[u8] = bytemuck::cast_slice(graph.out_edges().ends);
        let (_, at) = graph.stored_bytes(ends).file.expect("the graph is in a file");
        OpenOptions::new().write(true).open(&path).unwrap().set_len(at + 1000).unwrap();
        let error = graph.stored_bytes(ends).read(0..2000, &mut [0; 2000]).unwrap_err();
        let StoreError::Broken { byte, .. } = &error else { panic!("{error}") };
        assert_eq!(*byte, at + 1000);
        assert!(error.to_string().contains("the file ends, expected"), "{error}");
    }
}
