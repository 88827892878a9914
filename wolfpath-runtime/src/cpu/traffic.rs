//! The bytes that the processes of a run over parts tell each other.

use wolfpath_core::program::{AggregateOf, Aggregator, Datum, EdgeProgram};

use super::folds::BLOCK as FOLDS_BLOCK;
use super::stepwise::BLOCK;
use crate::shape::Shape;

/// Returns the bytes of a fold; 0 if the program has no aggregate.
pub(crate) fn fold_bytes<P: EdgeProgram>() -> u64 {
    P::Aggregate::KIND.map_or(0, |_| AggregateOf::<P>::KIND.size() as u64)
}

/// Returns the number of blocks whose folds a run keeps, if a graph is dealt in this number of blocks.
pub(crate) fn folded_blocks<P: EdgeProgram>(dealt: u64) -> u64 {
    let per_dealt = if const { Shape::of::<P>().everyone_sends() } { 1 } else { BLOCK / FOLDS_BLOCK };
    dealt * per_dealt as u64
}

/// Returns the bytes that a process with `own` vertices tells another one, which has mirrors of `mirrored` of them, in a step
/// in which all vertices take part. If the program has a `priority`, the level rises once.
pub(crate) fn step_bytes<P: EdgeProgram>(own: u64, mirrored: u64) -> u64 {
    let (reads, shape) = (P::MODEL.reads, const { Shape::of::<P>() });
    let (value, fold) = (P::Value::KIND.size() as u64, fold_bytes::<P>());
    if shape.accumulates {
        // `Portions::exchange`: the form of the list, and what each vertex has taken. Then three sums.
        return 1 + mirrored * value + 3 * 8;
    }
    // `Stepwise::hear_all`: a rank with each value.
    let among = if reads.vertex_values { own * (4 + value) } else { 0 };
    if shape.everyone_sends() {
        // `Everyone::tell`: two flags, the folds of blocks, and the form of the list of those that send.
        let told =
            if shape.message_depends_on_sender_alone() { P::Message::KIND.size() as u64 } else { value };
        let folds = own.div_ceil(BLOCK as u64) * fold;
        let values = 3 + mirrored * told;
        return among
            + match P::MODEL.has_loops {
                false => folds + values,
                // What the next step needs is told before it, rather than at the end of this one. Before that, `finished`
                // needs the folds.
                true => folds * (1 + u64::from(P::MODEL.has_finished && !reads.vertex_before)) + values + 2,
            };
    }
    // `Folds`: the place of each block with its fold.
    let folds = if fold > 0 { own.div_ceil(FOLDS_BLOCK as u64) * (4 + fold) } else { 0 };
    // `Stepwise::tell`: a flag, the number of vertices that send, and the form of their list. If the level rises, this is
    // told once more, after the least priority and the number of vertices that have it.
    let raise = if P::MODEL.has_priority { 10 + 8 + 8 } else { 0 };
    among + folds + 10 + mirrored * value + raise
}
