//! Dealing consecutive vertices to devices or machines.

use std::cmp::Reverse;

/// Deals units of consecutive vertices to owners in rounds, and returns the owner of each unit. Of as many consecutive units as
/// there are owners, each owner gets one, so that all have a part of every large layer. The unit with the most edges goes to
/// the owner with the fewest so far. There must be an owner.
#[doc(hidden)]
pub fn deal_in_rounds(units: usize, owners: u16, edges_of: impl Fn(usize) -> u64) -> Vec<u16> {
    let mut owner_of = vec![0; units];
    let mut edges = vec![0u64; owners.into()];
    for first in (0..units).step_by(owners.into()) {
        let mut round: Vec<usize> = (first..(first + usize::from(owners)).min(units)).collect();
        round.sort_by_key(|&unit| Reverse(edges_of(unit)));
        let mut order: Vec<u16> = (0..owners).collect();
        order.sort_by_key(|&owner| edges[usize::from(owner)]);
        for (unit, owner) in round.into_iter().zip(order) {
            owner_of[unit] = owner;
            edges[usize::from(owner)] += edges_of(unit);
        }
    }
    owner_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_owner_gets_one_unit_per_round() {
        let edges = [5, 9, 1, 8, 3, 3, 7, 7];
        assert_eq!(deal_in_rounds(8, 3, |unit| edges[unit]), [1, 0, 2, 2, 1, 0, 1, 2]);
        assert_eq!(deal_in_rounds(2, 3, |unit| edges[unit]), [1, 0]);
        assert!(deal_in_rounds(0, 3, |_| 0).is_empty());
    }
}
