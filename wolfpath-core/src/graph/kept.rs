//! Graphs that are made from files and kept for the next time. What reads the files is handed in, so nothing here knows
//! a format but `.wolf`.

use std::path::PathBuf;

use super::build::{LayerOptions, layer};
use super::error::LayerError;
use super::layered_graph::{LayeredGraph, Origin};
use crate::edge_list::EdgeList;
use crate::progress::Progress;
use crate::resources::Resources;
use crate::store::{self, Cache, Found, Kept, NotKept};

/// The files that a graph is made from, the way it is made, and where it may be kept.
#[derive(Clone, Debug)]
pub struct MadeFrom {
    /// The files that are read, the input first.
    pub files: Vec<PathBuf>,
    /// The options with which they are read, as one line of text that is another one if the edges may be others.
    pub reading: String,
    /// The way in which the edges are layered.
    pub layering: LayerOptions,
    /// The place in which the graph may be kept.
    pub keeping: Keeping,
}

/// The place in which graphs are kept for the next time.
#[derive(Clone, Debug)]
pub enum Keeping {
    /// Nowhere.
    Off,
    /// In the cache folder.
    On {
        /// The cache folder; `None` for the user's.
        folder: Option<PathBuf>,
        /// Keeps the graph beside its input, if possible.
        beside: bool,
        /// Makes the graph anew even if a fresh one is kept.
        rebuild: bool,
    },
}

impl MadeFrom {
    /// Returns where an earlier run kept the graph, if it did and the graph is still fresh.
    pub fn kept(&self, progress: &Progress) -> Option<PathBuf> {
        match self.find(&mut self.cache()?, &mut Vec::new(), progress) {
            Found::Fresh(place, _) => Some(place),
            Found::Broken(_) | Found::Nothing => None,
        }
    }

    /// Opens what an earlier run kept; else layers what `read` returns, and keeps it.
    ///
    /// # Errors
    /// Those of `read`, and [`LayerError`]. If the graph cannot be kept, a note says so.
    pub fn open<E: From<LayerError>>(
        &self,
        resources: &Resources,
        read: impl FnOnce() -> Result<EdgeList, E>,
    ) -> Result<LayeredGraph, E> {
        let Some(mut cache) = self.cache() else {
            let layered = layer(read()?, &self.layering, resources)?;
            return Ok(LayeredGraph::made(layered, Origin::Input { input: self.input(), kept: None }));
        };
        let (mut notes, progress) = (Vec::new(), &resources.progress);
        let damaged = match self.find(&mut cache, &mut notes, progress) {
            Found::Fresh(place, kept) => match kept.verify(progress) {
                Ok(mut stored) => {
                    notes.append(&mut stored.notes);
                    stored.notes = notes;
                    return Ok(LayeredGraph::stored(stored, Origin::Cache(place)));
                }
                Err(error) => Some(error),
            },
            Found::Broken(error) => Some(error),
            Found::Nothing => None,
        };
        notes.extend(damaged.map(|error| format!("built again what an earlier run had kept: {error}")));
        // If a file is gone by now, reading it reports that.
        let _ = cache.before_reading();
        let mut layered = layer(read()?, &self.layering, resources)?;
        let kept = self.keep(cache.keep(&layered.contents, &layered.notes, progress), &mut notes);
        notes.append(&mut layered.notes);
        layered.notes = notes;
        Ok(LayeredGraph::made(layered, Origin::Input { input: self.input(), kept }))
    }

    /// Returns the place in which the graph was kept, and adds notes to the user about it.
    fn keep(&self, kept: Result<Kept, NotKept>, notes: &mut Vec<String>) -> Option<PathBuf> {
        match kept {
            Ok(Kept { place, notes: more }) => {
                notes.extend(more);
                return Some(place);
            }
            Err(NotKept::Changed) => notes.push(format!(
                "{} changed while it was read: this graph may be neither the old nor the new, and is not kept; \
                 read it again when it is at rest",
                self.input().display()
            )),
            Err(NotKept::Failed(reason)) => {
                notes.push(format!("the layered graph could not be kept for the next time: {reason}"));
            }
        }
        None
    }

    /// Looks for the graph, unless it is to be made anew.
    fn find(&self, cache: &mut Cache, notes: &mut Vec<String>, progress: &Progress) -> Found {
        match self.keeping {
            Keeping::On { rebuild: false, .. } => cache.find(notes, progress),
            Keeping::On { rebuild: true, .. } | Keeping::Off => Found::Nothing,
        }
    }

    /// Returns the cache of the graph, or `None` if none is wanted or the input is not a regular file. Errors are reported
    /// when the input is read.
    fn cache(&self) -> Option<Cache> {
        let Keeping::On { folder, beside, .. } = &self.keeping else { return None };
        let folder = store::folder_or_user(folder.as_deref());
        Cache::of(&self.files, &self.words(), folder, *beside).ok()
    }

    /// Returns the options that differ from the defaults and change the graph, as one line; empty if none does.
    fn words(&self) -> String {
        // Destructured in full, so this does not compile until a new option is dealt with.
        let LayerOptions { root, in_edges, shuffled } = self.layering;
        let mut words: Vec<String> = Vec::new();
        words.extend((!self.reading.is_empty()).then(|| self.reading.clone()));
        words.extend(root.map(|root| format!("root {root}")));
        words.extend((!in_edges).then(|| "no in-edges".to_owned()));
        words.extend(shuffled.map(|seed| format!("shuffled {seed}")));
        words.join(", ")
    }

    fn input(&self) -> PathBuf {
        self.files.first().cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_layering_is_in_the_key() {
        let words = |reading: &str, layering| {
            let (files, reading) = (Vec::new(), reading.to_owned());
            MadeFrom { files, reading, layering, keeping: Keeping::Off }.words()
        };
        let plain = LayerOptions::default();
        assert_eq!(words("", plain), "");
        assert_eq!(words("undirected", plain), "undirected");
        assert_eq!(words("undirected", plain.root(7)), "undirected, root 7");
        assert_eq!(words("", plain.in_edges(false)), "no in-edges");
        assert_eq!(words("", plain.shuffled(3)), "shuffled 3");
    }
}
