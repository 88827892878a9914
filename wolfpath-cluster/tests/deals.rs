//! Deals and forecasts of graphs of several kinds, compared with slow and obvious counts.

mod graphs;

use std::collections::BTreeSet;

use rayon::ThreadPoolBuilder;
use wolfpath::cluster::{Deal, Forecast, Machine};
use wolfpath::generate;
use wolfpath::graph::{Direction, LayeredGraph};

use graphs::{DIRECTIONS, graphs, layered, number, rows};

/// Returns the shard that has an edge of a row.
fn shard_of(deal: &Deal, direction: Direction, vertex: u32, at: u64) -> u16 {
    let guests = deal.guests(direction);
    let guest = guests.iter().find(|guest| guest.vertex == vertex && guest.edges.contains(&at));
    guest.map_or(deal.owner_of(vertex), |guest| guest.shard)
}

#[test]
fn every_edge_has_one_shard() {
    for (name, graph) in graphs() {
        for shards in [1, 2, 3, 8, 64, 1000] {
            let deal = Deal::new(&graph, number(shards)).expect("there is memory");
            assert!(deal.owners().iter().all(|&owner| owner < shards), "{name}");
            for direction in DIRECTIONS {
                let rows = rows(&graph, direction);
                let edges = deal.edges(direction);
                assert_eq!((edges.len(), edges.iter().sum()), (shards.into(), graph.num_edges()), "{name}");
                let mut found = vec![0; shards.into()];
                let has_guests: BTreeSet<u32> =
                    deal.guests(direction).iter().map(|guest| guest.vertex).collect();
                for v in 0..graph.num_vertices() {
                    if has_guests.contains(&v) {
                        let shard = |at| usize::from(shard_of(&deal, direction, v, at));
                        (0..rows.degree(v)).for_each(|at| found[shard(at)] += 1);
                    } else {
                        found[usize::from(deal.owner_of(v))] += rows.degree(v);
                    }
                }
                assert_eq!(found, edges, "{name}, {shards}, {direction:?}");
            }
        }
    }
}

#[test]
fn guests_are_whole_pieces() {
    for (name, graph) in graphs() {
        let deal = Deal::new(&graph, number(8)).expect("there is memory");
        for direction in DIRECTIONS {
            let (rows, guests) = (rows(&graph, direction), deal.guests(direction));
            let has_hubs =
                ["R-MAT", "directed R-MAT"].contains(&name) || (name, direction) == ("star", Direction::Out);
            assert!(!guests.is_empty() || !has_hubs, "{name}, {direction:?}");
            let share = graph.num_edges().div_ceil(8);
            for guest in guests {
                assert!(
                    deal.edges(direction)[usize::from(guest.shard)] <= share + share / 32,
                    "{name}: {guest:?}"
                );
                assert!(guest.edges.end - guest.edges.start >= 16, "{name}: {guest:?}");
                let degree = rows.degree(guest.vertex);
                assert!(guest.edges.start % 16_384 == 0 && guest.edges.end <= degree, "{name}: {guest:?}");
                assert!(guest.edges.end % 16_384 == 0 || guest.edges.end == degree, "{name}: {guest:?}");
                assert!(guest.shard != deal.owner_of(guest.vertex), "{name}: {guest:?}");
            }
            let follows = |pair: &[_]| {
                let (before, after): (&wolfpath::cluster::Guest, _) = (&pair[0], &pair[1]);
                (before.vertex, before.edges.end) <= (after.vertex, after.edges.start)
            };
            assert!(guests.windows(2).all(follows), "{name}");
        }
    }
}

/// Large layers are spread, and so are the edges of hubs.
#[test]
fn shards_are_even() {
    let rmat = layered(generate::rmat(16, 16, 1).expect("a valid recipe"));
    let roads = layered(generate::road(400, 500, true, 1).expect("a valid recipe"));
    for (name, graph, shards) in [("R-MAT", &rmat, 16), ("roads", &roads, 16)] {
        let deal = Deal::new(graph, number(shards)).expect("there is memory");
        for machines in [2, 4, 8, 16] {
            let forecast = Forecast::new(graph, &deal, number(machines)).expect("there is memory");
            let (mean, most) =
                (forecast.mean(|machine| machine.edges), forecast.most(|machine| machine.edges));
            assert!(most as f64 <= 1.05 * mean, "{name} on {machines}: {mean} {most}");
        }
    }
    let layers = rmat.layer_offsets();
    let large =
        (0..layers.len() - 1).max_by_key(|&at| layers[at + 1] - layers[at]).expect("there are layers");
    let deal = Deal::new(&rmat, number(16)).expect("there is memory");
    let owners: BTreeSet<u16> = (layers[large]..layers[large + 1]).map(|v| deal.owner_of(v)).collect();
    assert_eq!(owners.len(), 16, "every shard has a part of the largest layer");
}

#[test]
fn machines_have_consecutive_shards() {
    let graph = LayeredGraph::from_edges([(1, 2)]).expect("an edge is a graph");
    for (shards, machines) in [(1, 1), (1, 65_535), (3, 8), (8, 3), (65_535, 65_535), (65_535, 7)] {
        let deal = Deal::new(&graph, number(shards)).expect("there is memory");
        let found: Vec<u16> = (0..shards).map(|shard| deal.machine_of(shard, number(machines))).collect();
        assert!(found.is_sorted() && found.iter().all(|&machine| machine < machines), "{shards} {machines}");
        let used = found.iter().collect::<BTreeSet<_>>().len();
        assert_eq!(used, usize::from(shards.min(machines)), "{shards} {machines}");
    }
}

#[test]
fn deals_do_not_depend_on_threads() {
    let graph = layered(generate::rmat_directed(14, 16, 5).expect("a valid recipe"));
    let deals = [1, 2, 7].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        pool.install(|| Deal::new(&graph, number(6)).expect("there is memory"))
    });
    for deal in &deals[1..] {
        assert_eq!(deal.owners(), deals[0].owners());
        for direction in DIRECTIONS {
            assert!(!deal.guests(direction).is_empty());
            assert_eq!(deal.guests(direction), deals[0].guests(direction));
            assert_eq!(deal.edges(direction), deals[0].edges(direction));
        }
    }
}

#[test]
fn forecasts_agree_with_counts() {
    for (name, graph) in graphs() {
        for (shards, machines) in [(1, 1), (8, 2), (8, 3), (3, 8), (64, 5)] {
            let deal = Deal::new(&graph, number(shards)).expect("there is memory");
            let forecast = Forecast::new(&graph, &deal, number(machines)).expect("there is memory");
            assert_eq!(forecast.machines(), counted(&graph, &deal, machines), "{name} {shards} {machines}");
        }
    }
}

/// Counts edge by edge.
fn counted(graph: &LayeredGraph, deal: &Deal, machines: u16) -> Vec<Machine> {
    let mut counts = vec![Machine::default(); machines.into()];
    let machine = |shard: u16| usize::from(deal.machine_of(shard, number(machines)));
    let home = |v: u32| machine(deal.owner_of(v));
    (0..graph.num_vertices()).for_each(|v| counts[home(v)].vertices += 1);
    for direction in DIRECTIONS {
        let rows = rows(graph, direction);
        let is_counted = direction == Direction::Out || deal.has_in_rows();
        let mut others = vec![BTreeSet::new(); machines.into()];
        let guests = deal.guests(direction);
        for v in 0..graph.num_vertices() {
            let has_guests = guests.iter().any(|guest| guest.vertex == v);
            for (at, &end) in (0..).zip(rows.row(v)) {
                let shard = if has_guests { shard_of(deal, direction, v, at) } else { deal.owner_of(v) };
                let here = machine(shard);
                let is_cut = home(end) != here;
                if is_cut {
                    others[here].insert(end);
                }
                if is_counted {
                    counts[here].edges += 1;
                    counts[here].cut += u64::from(is_cut);
                }
            }
        }
        for guest in guests.iter().filter(|guest| machine(guest.shard) != home(guest.vertex)) {
            counts[machine(guest.shard)].guests += u64::from(is_counted);
            counts[home(guest.vertex)].parts += u64::from(direction == Direction::In);
        }
        for (count, others) in counts.iter_mut().zip(others) {
            match direction {
                Direction::Out => count.receivers = others.len() as u64,
                Direction::In => count.mirrors = others.len() as u64,
            }
        }
    }
    counts
}
