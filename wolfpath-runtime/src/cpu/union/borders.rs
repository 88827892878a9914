//! Union-find over parts of a graph: joins the trees of several processes at the vertices that they share.
//!
//! Each process has joined the edges that it knows, among its own vertices and its mirrors. A tree is named by the rank of its
//! root, which is an own vertex: a mirror has a neighbour among the own vertices, and these have smaller numbers. Every process
//! then tells the others the names of the trees of those of its vertices that they mirror. So each learns which trees of others
//! meet one of its own, and process 0 joins these pairs and finds the best value of each component.

use std::collections::HashMap;

use super::{Best, Forest};
use crate::cpu::halt::Halt;
use crate::cpu::mirrors::Mirrors;
use crate::cpu::words::{Bits, Word};
use crate::part::{Message, put};

/// Name of a tree: the rank of its root in the whole graph.
type Name = u32;

/// Message of a process to process 0.
#[derive(Default)]
struct Told {
    /// Trees with a vertex that another process knows too, with their best values.
    trees: Vec<(Name, Value)>,
    /// Pairs of trees that meet.
    pairs: Vec<(Name, Name)>,
}

/// Best value of a tree as [`Best`] stores it: a word, and `true` if a value has the word 0.
#[derive(Clone, Copy, Default)]
struct Value {
    word: u64,
    is_present: bool,
}

impl Value {
    fn better(self, other: Value) -> Value {
        Value { word: self.word.max(other.word), is_present: self.is_present | other.is_present }
    }

    fn put(self, message: &mut Vec<u8>) {
        put(message, self.word);
        message.push(u8::from(self.is_present));
    }

    fn read(message: &mut Message<'_>) -> Option<Value> {
        Some(Value { word: message.u64()?, is_present: message.byte()? != 0 })
    }
}

/// Joins the trees of all processes, and gives each tree the best value of its component. All processes must call this together,
/// with compressed paths. If `is_nan` is `true` in one of them, joins nothing and returns `true` in all.
pub(super) fn join<W: Word + bytemuck::Zeroable>(
    mirrors: &Mirrors<'_>,
    forest: &Forest<'_>,
    best: &Best<W>,
    is_nan: bool,
) -> Result<bool, Halt> {
    let part = mirrors.part;
    let name = |v: u32| part.ranks[forest.parent(v) as usize];
    let messages = part.mirrored.iter().map(|mirrored| {
        let mut message = Vec::with_capacity(1 + 4 * mirrored.len());
        message.push(u8::from(is_nan));
        mirrored.iter().for_each(|&v| message.extend(name(v).to_le_bytes()));
        message
    });
    let mut told = Told::default();
    let mut is_nan = false;
    for (process, message) in mirrors.exchange(messages.collect())?.iter().enumerate() {
        let mut message = Message(message);
        is_nan |= message.byte().ok_or_else(|| mirrors.unreadable(process))? != 0;
        let names = message.0.as_chunks().0.iter().map(|&name| Name::from_le_bytes(name));
        let ours = &part.mirrors[process];
        if message.0.len() != 4 * ours.len() {
            return Err(mirrors.unreadable(process));
        }
        let mut last = None;
        for pair in names.zip(ours.iter().map(|&mirror| name(mirror))) {
            // Most pairs are those of the largest trees.
            if last.replace(pair) != Some(pair) {
                told.pairs.push(pair);
            }
        }
    }
    if is_nan {
        return Ok(true);
    }
    told.pairs.sort_unstable();
    told.pairs.dedup();
    let roots = shared_roots(mirrors, forest);
    told.trees = roots.iter().map(|&root| (part.ranks[root as usize], best.stored(root))).collect();
    let mut messages = vec![Vec::new(); mirrors.processes()];
    messages[0] = told.message();
    let heard = mirrors.exchange(messages)?;
    let answers = match mirrors.process() {
        0 => answers(mirrors, &heard)?,
        _ => vec![Vec::new(); mirrors.processes()],
    };
    let answer = mirrors.exchange(answers)?;
    let mut answer = Message(&answer[0]);
    for root in roots {
        let value = Value::read(&mut answer).ok_or_else(|| mirrors.unreadable(0))?;
        best.raise(root, value);
    }
    Ok(false)
}

/// Returns the bytes of the message that names the trees of so many vertices.
pub(crate) const fn name_message_bytes(mirrored: u64) -> u64 {
    1 + mirrored * size_of::<Name>() as u64
}

/// Returns the roots of the trees with a vertex that another process knows, too.
fn shared_roots(mirrors: &Mirrors<'_>, forest: &Forest<'_>) -> Vec<u32> {
    let part = mirrors.part;
    let shared = Bits::new(part.own);
    for &v in part.mirrored.iter().chain(&part.mirrors).flatten() {
        let root = forest.parent(v);
        if !shared.get(root) {
            shared.set(root);
        }
    }
    shared.marked(0..shared.words()).collect()
}

/// Returns the answer of process 0 to each process: the best value of the component of each tree that it has told.
fn answers(mirrors: &Mirrors<'_>, heard: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Halt> {
    let told = heard.iter().enumerate().map(|(process, message)| {
        let told = Told::read(&mut Message(message));
        told.ok_or_else(|| mirrors.unreadable(process))
    });
    let told = told.collect::<Result<Vec<Told>, Halt>>()?;
    // Trees are numbered as they are told, and a tree's parent has a smaller number.
    let names = told.iter().flat_map(|told| &told.trees).map(|&(name, _)| name);
    let numbers: HashMap<Name, usize> = names.zip(0..).collect();
    let mut best: Vec<Value> = told.iter().flat_map(|told| &told.trees).map(|&(_, value)| value).collect();
    let mut parents: Vec<usize> = (0..best.len()).collect();
    for (process, told) in told.iter().enumerate() {
        for (a, b) in &told.pairs {
            let both = numbers.get(a).zip(numbers.get(b));
            let (&a, &b) = both.ok_or_else(|| mirrors.unreadable(process))?;
            let (a, b) = (root(&mut parents, a), root(&mut parents, b));
            let (low, high) = (a.min(b), a.max(b));
            parents[high] = low;
            best[low] = best[low].better(best[high]);
        }
    }
    let answer = |told: &Told| {
        let mut message = Vec::new();
        for (name, _) in &told.trees {
            best[root(&mut parents, numbers[name])].put(&mut message);
        }
        message
    };
    Ok(told.iter().map(answer).collect())
}

/// Returns the root of a tree, and halves the path to it.
fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

impl Told {
    fn message(&self) -> Vec<u8> {
        let mut message = Vec::new();
        put(&mut message, self.trees.len() as u64);
        for &(name, value) in &self.trees {
            put(&mut message, name);
            value.put(&mut message);
        }
        for &(theirs, ours) in &self.pairs {
            put(&mut message, theirs);
            put(&mut message, ours);
        }
        message
    }

    fn read(message: &mut Message<'_>) -> Option<Told> {
        let mut told = Told::default();
        for _ in 0..message.u64()? {
            told.trees.push((message.u32()?, Value::read(message)?));
        }
        while !message.0.is_empty() {
            told.pairs.push((message.u32()?, message.u32()?));
        }
        Some(told)
    }
}

impl<W: Word + bytemuck::Zeroable> Best<W> {
    /// Returns the value of the tree with this root as it is stored.
    fn stored(&self, root: u32) -> Value {
        Value { word: self.words[root as usize].load(), is_present: self.present.get(root) }
    }

    /// Raises the value of the tree with this root to another one.
    fn raise(&self, root: u32, value: Value) {
        self.words[root as usize].fetch_max(value.word);
        if value.is_present {
            self.present.set(root);
        }
    }
}
