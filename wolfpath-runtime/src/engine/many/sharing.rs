//! Decides which runs can share reads of the graph, and groups them into batches.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use wolfpath_core::program::{Datum, EdgeProgram, Starts};

use crate::cuda::most_abreast;
use crate::options::RunOptions;
use crate::shape::Shape;
use crate::start::Sources;

/// Maximum number of runs of a bits batch: the number of bits of a word.
pub(super) const MOST_BITS: usize = 64;

/// Number of runs of the smallest kernel for runs abreast.
pub(super) const LEAST_ABREAST: u32 = 4;

/// Reason for running a shareable run alone.
const LONELY: &str = "there is no other run to share with";

/// Way in which runs share reads of the graph.
///
/// # Examples
///
/// ```
/// use wolfpath::Sharing;
///
/// assert_eq!(Sharing::Bits.to_string(), "at once, one bit per run");
/// assert_eq!(Sharing::Alone("only one was requested").to_string(), "each by itself: only one was requested");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sharing {
    /// As bits. All messages of a step are equal, so a run is defined by the set of vertices that it first reached in
    /// each step.
    Bits,
    /// Abreast. Each vertex stores the values of all runs contiguously, and an edge is read once for all runs in which
    /// its sender's value changed.
    Abreast,
    /// Not at all. Each run executes by itself, for the given reason.
    Alone(&'static str),
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sharing::Bits => write!(f, "at once, one bit per run"),
            Sharing::Abreast => write!(f, "at once, values stored together"),
            Sharing::Alone(reason) => write!(f, "each by itself: {reason}"),
        }
    }
}

/// Runs that form a batch, or that each execute by themselves, by their indices in the list.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) members: Vec<usize>,
    pub(super) sharing: Sharing,
}

/// Reasons why a program's runs cannot share as bits, and why they cannot share abreast; `None` if they can.
#[derive(Clone, Copy)]
struct Obstacles {
    bits: Option<&'static str>,
    abreast: Option<&'static str>,
}

impl Obstacles {
    fn of<P: EdgeProgram>(on_device: bool, options: &RunOptions) -> Obstacles {
        let shape = Shape::of::<P>();
        let (model, reads) = (shape.model, &shape.model.reads);
        let reads_more = reads.edge_load()
            || reads.edge_position()
            || reads.ids()
            || reads.ranks()
            || reads.edge_out_degree
            || reads.edge_source_inputs
            || reads.edge_target_inputs
            || !model.inputs.is_empty();
        if model.starts != Starts::Sources || !shape.may_be_seen_early() {
            let both = Some(
                "sharing requires a program that starts from sources, combines messages by `min`, `max`, `or` or `and`, \
                 and has no apply, changed or aggregate function of its own",
            );
            return Obstacles { bits: both, abreast: both };
        }
        if !options.settle.is_empty() {
            let both = Some("each run ends as soon as its own values are settled");
            return Obstacles { bits: both, abreast: both };
        }
        if options.schedule.is_some() {
            let both = Some("a schedule was requested");
            return Obstacles { bits: both, abreast: both };
        }
        let bits = if reads_more {
            Some("messages depend on more than the sender's value")
        } else if model.has_loops {
            Some("the program contains loops, and a loop cannot be interrupted while runs share as bits")
        } else {
            None
        };
        let abreast = if reads.edge_position() {
            Some("messages depend on the places of edges, which runs that share do not look up")
        } else if !on_device {
            Some(
                "on the CPU, runs can share only if they all start with the same value and their messages depend on nothing but the sender's value",
            )
        } else if options.steps.is_some() {
            Some("a fixed number of steps was requested, so values must not be seen before a step is over")
        } else {
            None
        };
        Obstacles { bits, abreast }
    }
}

/// Parameters and inputs of a run's program. They must be equal for all runs of a batch.
type Kind = (Vec<u8>, Vec<u64>);

/// Groups runs by key.
fn grouped<K: std::hash::Hash + Eq>(runs: impl Iterator<Item = (usize, K)>) -> Vec<Vec<usize>> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (run, key) in runs {
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups
}

/// Deals runs out, one after the other, to as few batches of at most `size` runs as possible.
fn dealt_out(runs: &[usize], size: usize) -> Vec<Vec<usize>> {
    let batches = runs.len().div_ceil(size);
    (0..batches).map(|first| runs[first..].iter().step_by(batches).copied().collect()).collect()
}

/// Divides runs into batches and runs that run alone.
pub(super) struct Divider<'a, P: EdgeProgram> {
    pub(super) programs: &'a [P],
    pub(super) sources: &'a [Sources<P::Value>],
    /// Number of devices that execute the runs; 0 if the CPU does.
    pub(super) devices: usize,
    pub(super) options: &'a RunOptions,
}

impl<P: EdgeProgram> Divider<'_, P> {
    /// Divides all runs into parts.
    pub(super) fn divide(&self) -> Vec<Part> {
        let all: Vec<usize> = (0..self.programs.len()).collect();
        let obstacles = Obstacles::of::<P>(self.devices > 0, self.options);
        if obstacles.bits.is_some() {
            return self.divide_abreast(&all, obstacles.abreast);
        }
        let (alike, others): (Vec<usize>, Vec<usize>) = all
            .iter()
            .partition(|&&run| !self.sources[run].values.is_empty() && self.sources[run].are_alike());
        let keys =
            alike.into_iter().map(|run| (run, (self.kind(run), self.sources[run].values[0].to_bits())));
        let mut groups = grouped(keys);
        let batches = groups.iter_mut().flat_map(|group| self.batches(group, MOST_BITS));
        let (batches, single): (Vec<_>, Vec<_>) = batches.partition(|batch| batch.len() > 1);
        let part = |members| Part { members, sharing: Sharing::Bits };
        let mut parts: Vec<Part> = batches.into_iter().map(part).collect();
        let single: Vec<usize> = single.into_iter().flatten().collect();
        let (lonely, left) = match obstacles.abreast {
            // These runs could share as bits but found no partner, and they cannot run abreast.
            Some(_) => (single, others),
            None => (Vec::new(), single.into_iter().chain(others).collect()),
        };
        if !lonely.is_empty() {
            parts.push(Part { members: lonely, sharing: Sharing::Alone(LONELY) });
        }
        parts.extend(self.divide_abreast(&left, None));
        parts
    }

    /// Divides runs that cannot be represented as bits. `obstacle` is the reason why the runs also cannot execute
    /// abreast, if such a reason is already known.
    pub(super) fn divide_abreast(&self, runs: &[usize], obstacle: Option<&'static str>) -> Vec<Part> {
        if runs.is_empty() {
            return Vec::new();
        }
        let alone = |members: Vec<usize>, reason| Part { members, sharing: Sharing::Alone(reason) };
        let obstacle = obstacle.or(Obstacles::of::<P>(self.devices > 0, self.options).abreast);
        if let Some(obstacle) = obstacle {
            return vec![alone(runs.to_vec(), obstacle)];
        }
        let mut groups = grouped(runs.iter().map(|&run| (run, self.kind(run))));
        // Runs from the same layer send more often at the same time, and the runs of a batch share an edge only if they do:
        // 64 runs of SSSP over R-MAT 24 take 0.85 of the time (H200).
        groups.iter_mut().for_each(|group| self.sort_by_layer(group));
        let most = most_abreast(P::Value::KIND) as usize;
        let size = |runs: usize| match self.devices {
            0 | 1 => most,
            devices => {
                // If there are few runs, each device gets some, and about as many as the others.
                let batches = runs.div_ceil(runs.div_ceil(devices).clamp(LEAST_ABREAST as usize, most));
                runs.div_ceil(batches)
            }
        };
        let batches = groups.iter_mut().flat_map(|group| {
            let size = size(group.len());
            self.batches(group, size)
        });
        let (batches, single): (Vec<_>, Vec<_>) = batches.partition(|batch| batch.len() > 1);
        let part = |members| Part { members, sharing: Sharing::Abreast };
        let mut parts: Vec<Part> = batches.into_iter().map(part).collect();
        if !single.is_empty() {
            parts.push(alone(single.into_iter().flatten().collect(), LONELY));
        }
        parts
    }

    fn sort_by_layer(&self, group: &mut [usize]) {
        group.sort_by_key(|&run| self.sources[run].vertices.first());
    }

    /// Divides runs into as few batches of at most `size` runs as possible.
    ///
    /// If several devices execute them, all batches have about as many runs, from all layers: batches of runs from one layer can
    /// take twice as long as others, so that the devices would wait for one of them.
    fn batches(&self, group: &mut [usize], size: usize) -> Vec<Vec<usize>> {
        if self.devices < 2 {
            return group.chunks(size).map(<[usize]>::to_vec).collect();
        }
        self.sort_by_layer(group);
        dealt_out(group, size)
    }

    fn kind(&self, run: usize) -> Kind {
        let program = &self.programs[run];
        (program.parameters(), program.inputs().iter().map(|input| input.number()).collect())
    }

    /// Returns the sources of a bits batch, without duplicates, in ascending order, and the runs that start at each
    /// source. Bit `i` stands for the batch's `i`th run.
    pub(super) fn sources_of_bits(&self, members: &[usize]) -> (Sources<P::Value>, Vec<u64>) {
        let mut runs: BTreeMap<u32, (P::Value, u64)> = BTreeMap::new();
        for (bit, &member) in members.iter().enumerate() {
            let sources = &self.sources[member];
            for (&vertex, &value) in sources.vertices.iter().zip(&sources.values) {
                runs.entry(vertex).or_insert((value, 0)).1 |= 1 << bit;
            }
        }
        let mut sources = Sources::none();
        let mut bits = Vec::new();
        for (vertex, (value, runs)) in runs {
            sources.vertices.push(vertex);
            sources.values.push(value);
            bits.push(runs);
        }
        (sources, bits)
    }

    /// Returns the sources of all runs of a batch abreast, and the run to which each source belongs.
    pub(super) fn sources_abreast(&self, members: &[usize]) -> (Sources<P::Value>, Vec<u32>) {
        let mut all = Sources::none();
        let mut runs = Vec::new();
        for (run, &member) in (0..).zip(members) {
            let sources = &self.sources[member];
            all.vertices.extend(&sources.vertices);
            all.values.extend(&sources.values);
            runs.extend(sources.vertices.iter().map(|_| run));
        }
        (all, runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_equally_large_and_have_runs_from_everywhere() {
        for (count, size, sizes) in
            [(100, 64, vec![50, 50]), (130, 64, vec![44, 43, 43]), (10, 3, vec![3, 3, 2, 2])]
        {
            let batches = dealt_out(&(0..count).collect::<Vec<_>>(), size);
            assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), sizes);
            for batch in &batches {
                assert!(batch[0] < batches.len() && batch[batch.len() - 1] >= count - batches.len());
            }
            let mut all = batches.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count));
        }
        assert!(dealt_out(&[], 64).is_empty());
    }
}
