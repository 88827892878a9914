//! The messages of processes that share a run over parts of a graph: the values of vertices that send, for their mirrors,
//! and the few numbers on which every process must agree.

use std::sync::{Arc, Mutex};

use wolfpath_core::program::{Datum, Fault};

use super::halt::{Halt, Place};
use super::stepwise::FEW;
use super::tasks::{Blocks, for_each_task, lock};
use super::words::Bits;
use crate::part::{GraphPart, KeptState, Message, PeerError, Peers, peer_error, put_number, unreadable};

/// The mirrors of a part's vertices, and the processes that have them.
pub(crate) struct Mirrors<'a> {
    pub(crate) part: &'a GraphPart,
    peers: &'a dyn Peers,
    /// The error that ended an exchange.
    failure: Mutex<Option<PeerError>>,
}

/// The places of the mirrors of each own vertex.
#[derive(Debug)]
pub(crate) struct Places {
    /// Start of the places of each own vertex, then their number.
    offsets: Vec<usize>,
    /// Process, and position in the list of vertices that it mirrors.
    places: Vec<(u32, u32)>,
}

impl Places {
    fn new(part: &GraphPart) -> Places {
        let mut offsets = vec![0; part.own as usize + 1];
        part.mirrored.iter().flatten().for_each(|&v| offsets[v as usize + 1] += 1);
        (0..part.own as usize).for_each(|v| offsets[v + 1] += offsets[v]);
        let mut next = offsets.clone();
        let mut places = vec![(0, 0); offsets[part.own as usize]];
        for (process, mirrored) in part.mirrored.iter().enumerate() {
            for (position, &v) in mirrored.iter().enumerate() {
                let slot = &mut next[v as usize];
                places[*slot] = (process as u32, position as u32);
                *slot += 1;
            }
        }
        Places { offsets, places }
    }

    /// Returns the bytes of the places of `mirrored` mirrors of `own` vertices.
    pub(crate) fn bytes(own: u64, mirrored: u64) -> u64 {
        (own + 1) * size_of::<usize>() as u64 + mirrored * size_of::<(u32, u32)>() as u64
    }

    fn of(&self, v: u32) -> &[(u32, u32)] {
        &self.places[self.offsets[v as usize]..self.offsets[v as usize + 1]]
    }
}

/// Number of values that a thread packs or unpacks at a time.
const AT_ONCE: usize = 1 << 13;

/// Form of the positions of those vertices of a list whose values follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// No vertices.
    None = 0,
    /// All vertices of the list.
    All = 1,
    /// A bit per vertex of the list.
    Marks = 2,
    /// The number of vertices, and the distance of each from the one before, in groups of 7 bits.
    Distances = 3,
}

impl Form {
    /// Returns the form that takes the fewest bytes, about.
    fn of(told: usize, listed: usize) -> Form {
        match told {
            0 => Form::None,
            _ if told == listed => Form::All,
            // A distance takes one byte or two.
            _ if told <= listed / 8 => Form::Distances,
            _ => Form::Marks,
        }
    }
}

impl<'a> Mirrors<'a> {
    pub(crate) fn new(part: &'a GraphPart, peers: &'a dyn Peers) -> Mirrors<'a> {
        Mirrors { part, peers, failure: Mutex::new(None) }
    }

    /// Returns the error that ended an exchange, if one did.
    pub(crate) fn failure(&self) -> Option<PeerError> {
        lock(&self.failure).clone()
    }

    pub(crate) fn process(&self) -> usize {
        self.peers.process()
    }

    pub(crate) fn processes(&self) -> usize {
        self.peers.processes()
    }

    /// Sends a message to each process, and returns those of all processes, in the order of their numbers.
    pub(crate) fn exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Halt> {
        self.peers.exchange(outgoing).map_err(|error| self.fails(error))
    }

    /// Sends the same message to all processes.
    pub(crate) fn tell_all(&self, message: Vec<u8>) -> Result<Vec<Vec<u8>>, Halt> {
        self.exchange(vec![message; self.processes()])
    }

    /// Returns the state from which the run continues; `None` if it starts over.
    pub(crate) fn resumed(&self) -> Option<Arc<KeptState>> {
        self.peers.resumed()
    }

    /// Lets the processes keep the state after some steps, which `state` returns.
    pub(crate) fn after_step(
        &self,
        steps: u64,
        mut state: impl FnMut() -> KeptState,
    ) -> Result<(), PeerError> {
        self.peers.after_step(steps, &mut state)
    }

    /// Returns the halt of a run whose state was kept by a run of another program.
    #[cold]
    pub(crate) fn cannot_resume(&self) -> Halt {
        self.fails(peer_error("the checkpoint does not contain the state of this program".to_owned()))
    }

    fn fails(&self, error: PeerError) -> Halt {
        *lock(&self.failure) = Some(error);
        Halt::new(Fault { site: Fault::STOPPED }, Place::Step(0))
    }

    /// Returns the halt of a process whose message cannot be read.
    #[cold]
    pub(crate) fn unreadable(&self, process: usize) -> Halt {
        self.fails(unreadable(process, "this step"))
    }

    /// Appends to the message of each process the values of the vertices that it mirrors; of those with a mark, if there are
    /// `marks`.
    pub(crate) fn add_values<V: Datum>(
        &self,
        messages: &mut [Vec<u8>],
        marks: Option<&Bits>,
        value: impl Fn(u32) -> V + Sync,
    ) {
        let is_told = |v: u32| marks.is_none_or(|marks| marks.get(v));
        let all = Blocks::new(messages, 1);
        for_each_task(all.len(), &|process| {
            let (message, mirrored) = (&mut all.take(process)[0], &self.part.mirrored[process]);
            let told = match marks {
                Some(_) => mirrored.iter().filter(|&&v| is_told(v)).count(),
                None => mirrored.len(),
            };
            let form = Form::of(told, mirrored.len());
            if form == Form::All {
                message.push(form as u8);
                return put_all(message, mirrored, &value);
            }
            let positions = || mirrored.iter().enumerate().filter(|&(_, &v)| is_told(v));
            put_positions(message, form, told, mirrored.len(), positions().map(|(at, _)| at as u32));
            put_values(message, told, positions().map(|(_, &v)| value(v)));
        });
    }

    /// Like [`add_values`](Self::add_values), for these own vertices, which are few.
    pub(crate) fn add_some<V: Datum>(
        &self,
        messages: &mut [Vec<u8>],
        vertices: impl Iterator<Item = u32>,
        value: impl Fn(u32) -> V,
    ) {
        let places = self.part.cache.places.get_or_init(|| Places::new(self.part));
        let mut told: Vec<Vec<(u32, u32)>> = vec![Vec::new(); messages.len()];
        for v in vertices {
            for &(process, position) in places.of(v) {
                told[process as usize].push((position, v));
            }
        }
        for ((message, told), mirrored) in messages.iter_mut().zip(&mut told).zip(&self.part.mirrored) {
            told.sort_unstable();
            let form = Form::of(told.len(), mirrored.len());
            put_positions(message, form, told.len(), mirrored.len(), told.iter().map(|&(at, _)| at));
            put_values(message, told.len(), told.iter().map(|&(_, v)| value(v)));
        }
    }

    /// Like [`add_values`](Self::add_values), for a list of own vertices of any length.
    pub(crate) fn add_listed<V: Datum>(
        &self,
        messages: &mut [Vec<u8>],
        vertices: &[u32],
        value: impl Fn(u32) -> V + Sync,
    ) {
        if (vertices.len() as u64) < u64::from(self.part.own) / FEW {
            return self.add_some(messages, vertices.iter().copied(), value);
        }
        let marks = Bits::new(self.part.own);
        for &v in vertices {
            marks.set(v);
        }
        self.add_values(messages, Some(&marks), value);
    }

    /// Like [`add_values`](Self::add_values), for any number of marked own vertices.
    pub(crate) fn add_marked<V: Datum>(
        &self,
        messages: &mut [Vec<u8>],
        marks: &Bits,
        value: impl Fn(u32) -> V + Sync,
    ) {
        let words = 0..marks.words();
        let marked: u64 = words.clone().map(|word| u64::from(marks.word(word).count_ones())).sum();
        if marked < u64::from(self.part.own) / FEW {
            self.add_some(messages, marks.marked(words), value);
        } else {
            self.add_values(messages, Some(marks), value);
        }
    }

    /// Reads what [`add_values`](Self::add_values) of a process appended, and calls `heard` for each mirror with its vertex's
    /// value.
    pub(crate) fn hear<V: Datum>(
        &self,
        process: usize,
        message: &mut Message<'_>,
        mut heard: impl FnMut(u32, V),
    ) -> Result<(), Halt> {
        let mirrors = &self.part.mirrors[process];
        let mut read = || {
            let form = message.byte()?;
            if form == Form::None as u8 {
                return Some(());
            }
            if form == Form::All as u8 {
                let values = message.take(mirrors.len().checked_mul(V::KIND.size())?)?;
                mirrors
                    .iter()
                    .zip(each::<V>(values, mirrors.len()))
                    .for_each(|(&mirror, value)| heard(mirror, value));
                return Some(());
            }
            let mut positions = Vec::new();
            if form == Form::Marks as u8 {
                let marks = message.take(mirrors.len().div_ceil(8))?;
                for (byte, &bits) in marks.iter().enumerate() {
                    positions
                        .extend((0..8).filter(|bit| bits >> bit & 1 != 0).map(|bit| 8 * byte as u32 + bit));
                }
            } else if form == Form::Distances as u8 {
                let (told, mut next) = (message.number()?, 0u64);
                for _ in 0..told {
                    let position = next.checked_add(message.number()?)?;
                    positions.push(u32::try_from(position).ok()?);
                    next = position + 1;
                }
            } else {
                return None;
            }
            let values = message.take(positions.len().checked_mul(V::KIND.size())?)?;
            let values = each::<V>(values, positions.len());
            for (position, value) in positions.into_iter().zip(values) {
                heard(*mirrors.get(position as usize)?, value);
            }
            Some(())
        };
        read().ok_or_else(|| self.unreadable(process))
    }

    /// Like [`hear`](Self::hear), but puts the values in the places of the mirrors, and sets the mirrors' `marks`, if there are
    /// any.
    pub(crate) fn hear_into<V: Datum>(
        &self,
        process: usize,
        message: &mut Message<'_>,
        values: &mut [V],
        marks: Option<&Bits>,
    ) -> Result<(), Halt> {
        let mark = |mirror: u32| {
            if let Some(marks) = marks {
                marks.set(mirror);
            }
        };
        if message.0.first() != Some(&(Form::All as u8)) {
            return self.hear(process, message, |mirror, value| {
                values[mirror as usize] = value;
                mark(mirror);
            });
        }
        let mirrors = &self.part.mirrors[process];
        let bytes = message.take(1).and_then(|_| message.take(mirrors.len().checked_mul(V::KIND.size())?));
        let bytes = bytes.ok_or_else(|| self.unreadable(process))?;
        scatter(mirrors, bytes, values, &mark);
        Ok(())
    }

    /// Returns the sum of a number over all processes.
    fn sum(&self, own: u64) -> Result<u64, Halt> {
        let heard = self.tell_all(own.to_le_bytes().to_vec())?;
        heard.iter().enumerate().try_fold(0, |sum, (process, message)| {
            let number = Message(message).u64().ok_or_else(|| self.unreadable(process))?;
            Ok(number.wrapping_add(sum))
        })
    }
}

/// Returns the least number of all processes; that of this one if the graph is not a part.
pub(crate) fn least(mirrors: Option<&Mirrors<'_>>, own: Option<u64>) -> Result<Option<u64>, Halt> {
    let Some(mirrors) = mirrors else { return Ok(own) };
    let heard = mirrors.tell_all(own.map_or(Vec::new(), |own| own.to_le_bytes().to_vec()))?;
    let mut least = None;
    for (process, message) in heard.iter().enumerate().filter(|(_, message)| !message.is_empty()) {
        let number = Message(message).u64().ok_or_else(|| mirrors.unreadable(process))?;
        least = Some(least.map_or(number, |least: u64| least.min(number)));
    }
    Ok(least)
}

/// Returns the sum of the numbers of all processes; that of this one if the graph is not a part.
pub(crate) fn sum(mirrors: Option<&Mirrors<'_>>, own: u64) -> Result<u64, Halt> {
    mirrors.map_or(Ok(own), |mirrors| mirrors.sum(own))
}

/// Returns the sum of each number over all processes; the numbers themselves if the graph is not a part. Numbers are added in
/// the order of processes, so that all of them get the same sums of floats.
pub(crate) fn sums<const N: usize>(mirrors: Option<&Mirrors<'_>>, own: [f64; N]) -> Result<[f64; N], Halt> {
    let Some(mirrors) = mirrors else { return Ok(own) };
    let mut told = Vec::new();
    put_values(&mut told, N, own.into_iter());
    let mut sums = [0.0; N];
    for (process, message) in mirrors.tell_all(told)?.iter().enumerate() {
        let numbers = Message(message).take(8 * N).ok_or_else(|| mirrors.unreadable(process))?;
        sums.iter_mut().zip(each::<f64>(numbers, N)).for_each(|(sum, number)| *sum += number);
    }
    Ok(sums)
}

fn put_positions(
    message: &mut Vec<u8>,
    form: Form,
    told: usize,
    listed: usize,
    positions: impl Iterator<Item = u32>,
) {
    message.push(form as u8);
    match form {
        Form::None | Form::All => {}
        Form::Marks => {
            let first = message.len();
            message.resize(first + listed.div_ceil(8), 0);
            positions.for_each(|at| message[first + at as usize / 8] |= 1 << (at % 8));
        }
        Form::Distances => {
            put_number(message, told as u64);
            let mut next = 0;
            for at in positions {
                put_number(message, u64::from(at) - next);
                next = u64::from(at) + 1;
            }
        }
    }
}

/// Appends so many values to a message.
pub(super) fn put_values<V: Datum>(message: &mut Vec<u8>, told: usize, values: impl Iterator<Item = V>) {
    let (first, size) = (message.len(), V::KIND.size());
    message.resize(first + told * size, 0);
    let slots = message[first..].chunks_exact_mut(size.max(1));
    slots.zip(values).for_each(|(slot, value)| value.write(slot));
}

/// Appends the values of all these vertices to a message.
fn put_all<V: Datum>(message: &mut Vec<u8>, vertices: &[u32], value: &(impl Fn(u32) -> V + Sync)) {
    let (first, size) = (message.len(), V::KIND.size());
    message.resize(first + vertices.len() * size, 0);
    let blocks = Blocks::new(&mut message[first..], (AT_ONCE * size).max(1));
    for_each_task(blocks.len(), &|block| {
        let (mut slots, vertices) = (blocks.take(block), &vertices[block * AT_ONCE..]);
        slots.chunks_exact_mut(size.max(1)).zip(vertices).for_each(|(slot, &v)| value(v).write(slot));
    });
}

/// Puts values from bytes in the places of these mirrors, which ascend.
fn scatter<V: Datum>(mirrors: &[u32], bytes: &[u8], places: &mut [V], mark: &(impl Fn(u32) + Sync)) {
    // A task has the places after the last mirror of the task before it, up to its own last one.
    let (mut rest, mut first) = (places, 0);
    let parts = mirrors.chunks(AT_ONCE).map(|mirrors| {
        let end = mirrors[mirrors.len() - 1] + 1;
        let places = rest.split_off_mut(..(end - first) as usize).expect("every mirror has a place");
        let part = (first, places);
        first = end;
        Mutex::new(part)
    });
    let parts: Vec<Mutex<(u32, &mut [V])>> = parts.collect();
    for_each_task(parts.len(), &|task| {
        let begin = task * AT_ONCE;
        let mirrors = &mirrors[begin..mirrors.len().min(begin + AT_ONCE)];
        let (first, places) = &mut *lock(&parts[task]);
        for (&mirror, value) in mirrors.iter().zip(each(&bytes[begin * V::KIND.size()..], mirrors.len())) {
            places[(mirror - *first) as usize] = value;
            mark(mirror);
        }
    });
}

/// Returns so many values from bytes.
pub(crate) fn each<V: Datum>(bytes: &[u8], values: usize) -> impl Iterator<Item = V> {
    let size = V::KIND.size();
    (0..values).map(move |at| V::read(&bytes[at * size..][..size]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_form_is_chosen() {
        let length = |told: usize| {
            let (mut message, form) = (Vec::new(), Form::of(told, 1000));
            put_positions(&mut message, form, told, 1000, (0..told as u32).map(|at| at * 1000 / told as u32));
            message.len()
        };
        assert_eq!((length(0), length(1000), length(999), length(500)), (1, 1, 126, 126));
        assert!(length(1) <= 4 && length(100) <= 103 && length(130) == 126);
    }

    #[test]
    fn values_of_any_number_of_mirrors_are_put_in_their_places() {
        for number in [0, 1, AT_ONCE, 3 * AT_ONCE + 1] {
            // Every third place is a mirror's.
            let mirrors: Vec<u32> = (0..number as u32).map(|at| 3 * at + 1).collect();
            let mut message = vec![7];
            put_all(&mut message, &mirrors, &|v| u64::from(v));
            let mut places = vec![u64::MAX; 3 * number];
            let marks = Bits::new(3 * number as u32);
            scatter(&mirrors, &message[1..], &mut places, &|mirror| {
                marks.set(mirror);
            });
            let is_right = |(at, &value): (usize, &u64)| match at % 3 == 1 {
                true => value == at as u64 && marks.get(at as u32),
                false => value == u64::MAX && !marks.get(at as u32),
            };
            assert!(places.iter().enumerate().all(is_right), "{number}");
        }
    }
}
