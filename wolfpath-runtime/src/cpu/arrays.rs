//! The arrays of a run on the CPU, as plans list them.

use super::{bucket, frequent, order, proxies};
use crate::plan::{ArrayName, Budget, PlannedArray, Schedule, word_bytes};
use crate::shape::{Computes, Shape};

/// Numbers that determine the sizes of a run's arrays.
#[derive(Clone, Copy)]
pub(crate) struct RunSize {
    /// Number of vertices of the graph.
    pub(crate) vertices: u64,
    /// Number of vertices that receive and compute: all, or a part's own.
    pub(crate) receivers: u64,
    /// Number of vertices that send: all or, in a part, those with mirrors.
    pub(crate) senders: u64,
    /// Number of edges of the graph or the part.
    pub(crate) edges: u64,
}

/// Returns the arrays that a run on the CPU needs in addition to the graph's.
pub(crate) fn arrays(budget: &Budget<'_>) -> Vec<PlannedArray> {
    let (n, edges) = (budget.graph.vertices, budget.graph.edges);
    let size = RunSize { vertices: n, receivers: n, senders: n, edges };
    let mut arrays =
        arrays_of(budget.shape, budget.schedule, (budget.uniform, budget.techniques.direction), size);
    if budget.shape.accumulates && budget.techniques.shared_window {
        arrays.extend(proxies::array(edges, budget.shape.portion_words, budget.threads));
    }
    arrays
}

/// Returns the arrays of a run of this size. `uniform` is `true` if all messages of a step are equal, and `direction` if
/// steps may gather.
pub(crate) fn arrays_of(
    shape: &Shape,
    schedule: Schedule,
    (uniform, direction): (bool, bool),
    size: RunSize,
) -> Vec<PlannedArray> {
    let RunSize { vertices, receivers: n, senders, edges } = size;
    let (value, message) = (shape.value, shape.message.size() as u64);
    let of = |name, each| PlannedArray::new(name, n, each);
    let of_senders = |name, each| PlannedArray::new(name, senders, each);
    let bits_of = |name, vertices: u64| PlannedArray::of_bytes(name, vertices, vertices.div_ceil(64) * 8);
    let bits = |name| bits_of(name, senders);
    let frontier_bits = [bits(ArrayName::FrontierBits), bits(ArrayName::NextFrontierBits)];
    let words = of(ArrayName::Values, word_bytes(value));
    let values = of_senders(ArrayName::Values, value.size() as u64);
    let result = of(ArrayName::ResultValues, value.size() as u64);
    let frontiers = of_senders(ArrayName::Frontiers, 8);
    let mut arrays = vec![bits(ArrayName::PresenceBits)];
    arrays.extend((shape.computes() == Computes::Awake).then(|| bits_of(ArrayName::AwakeBits, n)));
    // A value that may be missing takes the space of at most two.
    let before = PlannedArray::new(ArrayName::ValuesBefore, vertices, 2 * value.size().max(4) as u64);
    arrays.extend(shape.model.reads.vertex_values.then_some(before));
    if shape.model.has_priority {
        let elements = order::MOST_ENTRIES as u64 * n;
        let waiting = PlannedArray::new(ArrayName::WaitingVertices, elements, 4);
        arrays.extend([of(ArrayName::Priorities, 8), waiting]);
    }
    if shape.model.reads.vertex_before && !shape.everyone_sends() {
        // The values before the last step, each of which may be missing: the space of at most two.
        arrays.push(of(ArrayName::Aggregates, 2 * value.size() as u64));
    }
    arrays.extend(shape.combines_at_once().then(|| frequent::array(edges)));
    match schedule {
        Schedule::Relax | Schedule::Sweep => {
            arrays.extend([words, result, frontiers]);
            arrays.extend((!uniform).then(|| of(ArrayName::Marks, 4)));
            arrays.extend(frontier_bits.into_iter().filter(|_| direction));
        }
        Schedule::Bucket => {
            let elements = bucket::MOST_ENTRIES as u64 * n;
            let waiting = PlannedArray::new(ArrayName::WaitingVertices, elements, 4);
            arrays.extend([words, result, frontiers, of(ArrayName::Marks, 4), waiting]);
            arrays.push(of(ArrayName::UnsentFlags, 1));
        }
        Schedule::Frontier => {
            let word = word_bytes(shape.message).max(word_bytes(value));
            let incoming = of(ArrayName::IncomingMessages, word);
            arrays.extend([values, incoming, frontiers, of(ArrayName::Marks, 4)]);
            arrays.extend(frontier_bits);
        }
        Schedule::Pull if shape.everyone_sends() => {
            arrays.push(values);
            if shape.message_depends_on_sender_alone() {
                // Those of this step and those of the next one.
                arrays.push(of_senders(ArrayName::SenderMessages, 2 * message));
                // Also those of the vertices with edges.
                let sent = bits(ArrayName::SentBits);
                let with_edges = bits_of(ArrayName::SentBits, n);
                arrays.push(PlannedArray {
                    elements: 2 * senders + n,
                    bytes: 2 * sent.bytes + with_edges.bytes,
                    ..sent
                });
            } else {
                arrays.push(of_senders(ArrayName::NextValues, value.size() as u64));
                arrays.push(bits(ArrayName::NextPresenceBits));
            }
        }
        Schedule::Pull => {
            // A message that may be missing takes the space of at most two.
            let incoming = of(ArrayName::IncomingMessages, 2 * message.max(4));
            let marks = [of_senders(ArrayName::ActiveMarks, 4), of(ArrayName::ReceiverMarks, 4)];
            arrays.extend([values, incoming, frontiers]);
            arrays.extend(marks.into_iter().chain(frontier_bits));
        }
        Schedule::Paths | Schedule::Accumulate => {
            let sums = |name| of(name, 8 * shape.portion_words as u64);
            arrays.extend(match shape.accumulates {
                true => vec![sums(ArrayName::HeldSums), sums(ArrayName::PendingSums)],
                false => vec![words],
            });
            // The vertices that have a first value are listed until the run begins.
            arrays.extend([result, of(ArrayName::Frontiers, 4)]);
            let one_each = 1 + usize::from(schedule == Schedule::Accumulate);
            arrays.extend(frontier_bits.into_iter().take(one_each));
        }
        Schedule::Union => {
            let best = of_senders(ArrayName::BestValues, word_bytes(value));
            arrays.extend([result, of_senders(ArrayName::Parents, 4), best]);
        }
    }
    arrays
}
