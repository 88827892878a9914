//! What a long operation says while it goes on: which stage it is in and how far it has come.

use std::fmt;
use std::sync::Arc;

/// A stage on the way from an input to a graph in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading the input, in bytes of the file (compressed ones where it is compressed).
    Read,
    /// Making up edges.
    Generate,
    /// Turning ids into ranks, looking for both directions, dropping what is not wanted; in edges.
    Number,
    /// Grouping edges by their source, in edges.
    Group,
    /// Breadth-first order, in vertices.
    Order,
    /// Rows in that order, in edges.
    Rows,
    /// Writing a file, in bytes.
    Write,
    /// Verifying a file, in bytes.
    Verify,
    /// Hashing the content of an input, by which a kept graph is recognized, in bytes.
    Hash,
}

/// Someone who is told how an operation goes on. Calls come from several threads, one for about ten thousand edges.
pub trait Observer: Send + Sync {
    /// A stage begins; the one before has ended. `total` is how much it has to do, where that is known.
    fn begin(&self, stage: Stage, total: Option<u64>);
    /// So much more of the stage is done.
    fn advance(&self, amount: u64);
}

/// A way to an observer, or to nobody.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Observer>>);

impl Progress {
    /// Tells nobody.
    pub const NONE: Progress = Progress(None);

    /// Tells this observer.
    pub fn to(observer: impl Observer + 'static) -> Progress {
        Progress(Some(Arc::new(observer)))
    }

    /// A stage begins.
    pub fn begin(&self, stage: Stage, total: Option<u64>) {
        if let Some(observer) = &self.0 {
            observer.begin(stage, total);
        }
    }

    /// So much more of the stage is done.
    pub fn advance(&self, amount: u64) {
        if let Some(observer) = &self.0 {
            observer.advance(amount);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(watched)" } else { "Progress(unwatched)" })
    }
}
