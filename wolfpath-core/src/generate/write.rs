//! Edge lists as text: what the loader reads. Written beside the target and renamed, so that nobody ever finds half a
//! file.

use crate::edge_list::EdgeList;
use crate::weights::{WeightSlice, Weights};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Why edges were not written. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system refused.
    #[error("{}: cannot be written: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// `.wel` promises weights.
    #[error("{}: the edges have no weights; name the file .el, or give them weights", path.display())]
    NoWeights {
        /// The file.
        path: PathBuf,
    },
    /// `.el` promises none.
    #[error("{}: the edges have weights; name the file .wel to keep them", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
    },
}

/// Writes a line an edge, `source target` or `source target weight`, in order, after a comment that says how many. A
/// file called `.el` takes edges without weights, `.wel` those with weights, any other both. Vertices without edges
/// have no place in an edge list.
pub fn write_edge_list(path: impl AsRef<Path>, list: &EdgeList) -> Result<(), WriteError> {
    let path = path.as_ref();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match (ending, list.weights()) {
        ("el", Some(_)) => return Err(WriteError::Weights { path: path.to_owned() }),
        ("wel", None) => return Err(WriteError::NoWeights { path: path.to_owned() }),
        _ => {}
    }
    write_and_rename(path, list).map_err(|source| WriteError::Io { path: path.to_owned(), source })
}

fn write_and_rename(path: &Path, list: &EdgeList) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary =
        with_usual_permissions(&mut tempfile::Builder::new()).prefix(".wolfpath-").tempfile_in(folder)?;
    let mut file = BufWriter::with_capacity(1 << 20, temporary.as_file_mut());
    write_edges(&mut file, list)?;
    file.flush()?;
    drop(file);
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Temporary files are their owner's alone by default; this one becomes a file like any other.
fn with_usual_permissions<'a, 'b, 'c>(
    builder: &'a mut tempfile::Builder<'b, 'c>,
) -> &'a mut tempfile::Builder<'b, 'c> {
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

fn write_edges(file: &mut impl Write, list: &EdgeList) -> io::Result<()> {
    writeln!(file, "# {} vertices, {} edges, one a line", list.num_vertices(), list.num_edges())?;
    let weights = list.weights().map(Weights::slice);
    let mut buffer = itoa::Buffer::new();
    for (source, target, line) in list.edges() {
        file.write_all(buffer.format(list.ids().id(source)).as_bytes())?;
        file.write_all(b" ")?;
        file.write_all(buffer.format(list.ids().id(target)).as_bytes())?;
        if let Some(weights) = weights {
            write_weight(file, weights, line, &mut buffer)?;
        }
        file.write_all(b"\n")?;
    }
    Ok(())
}

fn write_weight(
    file: &mut impl Write,
    weights: WeightSlice<'_>,
    position: usize,
    buffer: &mut itoa::Buffer,
) -> io::Result<()> {
    file.write_all(b" ")?;
    match weights {
        WeightSlice::U32(column) => file.write_all(buffer.format(column[position]).as_bytes()),
        _ => file.write_all(weights.text(position).as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadOptions, load};

    fn there_and_back(name: &str, list: &EdgeList) -> EdgeList {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_edge_list(&path, list).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        load(&path, &LoadOptions::default()).unwrap()
    }

    #[test]
    fn edges_there_and_back() {
        let list = EdgeList::from_edges([(7, u64::MAX), (3, 3)]).unwrap();
        let read = there_and_back("g.el", &list);
        assert_eq!(
            (read.ids(), read.sources(), read.targets()),
            (list.ids(), list.sources(), list.targets())
        );
        for weights in [[1.0, 2.0], [-0.0, 1e300], [0.1, f64::INFINITY], [0.5, -3.0]] {
            let list = EdgeList::from_weighted_edges([(0, 1, weights[0]), (1, 0, weights[1])]).unwrap();
            assert_eq!(there_and_back("g.wel", &list).weights(), list.weights());
        }
    }

    #[test]
    fn refusals_name_the_file_and_leave_nothing() {
        let list = EdgeList::from_edges([(1, 2)]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let error = write_edge_list(folder.path().join("no/such/g.el"), &list).unwrap_err().to_string();
        assert!(error.contains("no/such/g.el: cannot be written"), "{error}");
        let error = write_edge_list(folder.path().join("g.wel"), &list).unwrap_err();
        assert!(matches!(error, WriteError::NoWeights { .. }));
        let taken = folder.path().join("taken");
        std::fs::create_dir(&taken).unwrap();
        assert!(write_edge_list(&taken, &list).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
