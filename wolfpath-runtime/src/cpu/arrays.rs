//! The arrays of a run on the CPU, as plans list them.

use super::{bucket, frequent, order};
use crate::plan::{ArrayName, Budget, PlannedArray, Schedule, word_bytes};
use crate::shape::Computes;

/// Returns the arrays that a run on the CPU needs in addition to the graph's.
pub(crate) fn arrays(budget: &Budget<'_>) -> Vec<PlannedArray> {
    let n = budget.graph.vertices;
    let (value, message) = (budget.shape.value, budget.shape.message.size() as u64);
    let of = |name, each| PlannedArray::new(name, n, each);
    let bits = |name| PlannedArray::of_bytes(name, n, n.div_ceil(64) * 8);
    let frontier_bits = [bits(ArrayName::FrontierBits), bits(ArrayName::NextFrontierBits)];
    let words = of(ArrayName::Values, word_bytes(value));
    let values = of(ArrayName::Values, value.size() as u64);
    let result = of(ArrayName::ResultValues, value.size() as u64);
    let frontiers = of(ArrayName::Frontiers, 8);
    let mut arrays = vec![bits(ArrayName::PresenceBits)];
    arrays.extend((budget.shape.computes() == Computes::Awake).then(|| bits(ArrayName::AwakeBits)));
    // A value that may be missing takes the space of at most two.
    let before = of(ArrayName::ValuesBefore, 2 * value.size().max(4) as u64);
    arrays.extend(budget.shape.model.reads.vertex_values.then_some(before));
    if budget.shape.model.has_priority {
        let elements = order::MOST_ENTRIES as u64 * n;
        let waiting = PlannedArray::new(ArrayName::WaitingVertices, elements, 4);
        arrays.extend([of(ArrayName::Priorities, 8), waiting]);
    }
    if budget.shape.model.reads.vertex_before && !budget.shape.everyone_sends() {
        // The values before the last step, each of which may be missing: the space of at most two.
        arrays.push(of(ArrayName::Aggregates, 2 * value.size() as u64));
    }
    arrays.extend(budget.shape.combines_at_once().then(|| frequent::array(budget.graph.edges)));
    match budget.schedule {
        Schedule::Relax | Schedule::Sweep => {
            arrays.extend([words, result, frontiers]);
            arrays.extend((!budget.uniform).then(|| of(ArrayName::Marks, 4)));
            arrays.extend(frontier_bits.into_iter().filter(|_| budget.techniques.direction));
        }
        Schedule::Bucket => {
            let elements = bucket::MOST_ENTRIES as u64 * n;
            let waiting = PlannedArray::new(ArrayName::WaitingVertices, elements, 4);
            arrays.extend([words, result, frontiers, of(ArrayName::Marks, 4), waiting]);
            arrays.push(of(ArrayName::UnsentFlags, 1));
        }
        Schedule::Frontier => {
            let incoming = of(ArrayName::IncomingMessages, word_bytes(budget.shape.message));
            arrays.extend([values, incoming, frontiers, of(ArrayName::Marks, 4)]);
            arrays.extend(frontier_bits);
        }
        Schedule::Pull if budget.shape.everyone_sends() => {
            arrays.push(values);
            if budget.shape.message_depends_on_sender_alone() {
                // Those of this step and those of the next one.
                arrays.push(of(ArrayName::SenderMessages, 2 * message));
                // Also those of the vertices with edges.
                let sent = bits(ArrayName::SentBits);
                arrays.push(PlannedArray { elements: 3 * n, bytes: 3 * sent.bytes, ..sent });
            } else {
                arrays.push(of(ArrayName::NextValues, value.size() as u64));
                arrays.push(bits(ArrayName::NextPresenceBits));
            }
        }
        Schedule::Pull => {
            // A message that may be missing takes the space of at most two.
            let incoming = of(ArrayName::IncomingMessages, 2 * message.max(4));
            let marks = [of(ArrayName::ActiveMarks, 4), of(ArrayName::ReceiverMarks, 4)];
            arrays.extend([values, incoming, frontiers]);
            arrays.extend(marks.into_iter().chain(frontier_bits));
        }
        Schedule::Paths | Schedule::Accumulate => {
            let sums = |name| of(name, 8 * budget.shape.portion_words as u64);
            arrays.extend(match budget.shape.accumulates {
                true => vec![sums(ArrayName::HeldSums), sums(ArrayName::PendingSums)],
                false => vec![words],
            });
            // The vertices that have a first value are listed until the run begins.
            arrays.extend([result, of(ArrayName::Frontiers, 4)]);
            let one_each = 1 + usize::from(budget.schedule == Schedule::Accumulate);
            arrays.extend(frontier_bits.into_iter().take(one_each));
        }
        Schedule::Union => {
            let best = of(ArrayName::BestValues, word_bytes(value));
            arrays.extend([result, of(ArrayName::Parents, 4), best]);
        }
    }
    arrays
}
