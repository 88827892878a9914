//! The plan's choices for graphs whose runs were timed on an H200 with every schedule (`docs/performance.md`, commit
//! `5c4b7fa`). The layers are those of the graphs, summed by class; the costs are those that the device measured.

use super::*;

/// USA-road-NE, made symmetric, in layers from its default root.
pub(super) fn usa_road_ne() -> Known {
    Known::of(&[
        (3, 5, 8),
        (2, 5, 11),
        (6, 22, 53),
        (9, 81, 177),
        (9, 150, 392),
        (33, 1_307, 2_964),
        (62, 4_972, 11_445),
        (78, 11_191, 27_900),
        (159, 50_655, 127_394),
        (428, 260_172, 637_916),
        (958, 1_008_979, 2_577_525),
        (102, 186_914, 482_235),
    ])
}

/// USA-road-NE in layers from vertex 1000.
pub(super) fn usa_road_ne_from_1000() -> Known {
    Known::of(&[
        (2, 4, 6),
        (3, 15, 35),
        (9, 101, 224),
        (12, 250, 577),
        (14, 569, 1_291),
        (33, 2_549, 5_872),
        (48, 7_675, 17_831),
        (37, 11_213, 27_184),
        (233, 145_253, 353_834),
        (225, 267_215, 668_745),
        (470, 1_089_609, 2_792_421),
    ])
}

/// osm-moscow, made symmetric.
pub(super) fn osm_moscow() -> Known {
    Known::of(&[
        (2, 2, 2),
        (92, 94, 187),
        (29, 75, 157),
        (34, 167, 343),
        (45, 480, 1_008),
        (17, 383, 800),
        (20, 913, 1_973),
        (92, 7_546, 16_346),
        (79, 12_709, 27_487),
        (97, 34_476, 75_482),
        (132, 93_587, 204_837),
        (225, 261_560, 573_648),
    ])
}

/// dblp-2010, which is symmetric.
pub(super) fn dblp_2010() -> Known {
    Known::of(&[
        (1, 1, 2),
        (2, 4, 11),
        (2, 34, 104),
        (3, 126, 644),
        (1, 125, 477),
        (2, 712, 2_391),
        (1, 902, 2_882),
        (1, 1_529, 4_922),
        (2, 3_293, 21_316),
        (2, 18_868, 62_366),
        (2, 24_873, 86_141),
        (3, 74_597, 309_812),
        (3, 175_583, 1_124_332),
    ])
}

/// cnr-2000, which is directed.
pub(super) fn cnr_2000() -> Known {
    Known::of(&[
        (2, 2_716, 5),
        (1, 2, 7),
        (2, 14, 19),
        (1, 2, 26),
        (1, 42, 44),
        (1, 44, 90),
        (1, 25, 223),
        (1, 33, 366),
        (1, 87, 856),
        (2, 118, 5_677),
        (2, 1_464, 10_820),
        (1, 537, 9_880),
        (1, 1_113, 24_556),
        (3, 9_385, 155_929),
        (9, 108_197, 895_634),
        (4, 110_685, 712_296),
        (2, 48_127, 672_216),
        (1, 42_966, 727_508),
    ])
    .directed()
}

/// R-MAT of scale 22 with 16 edges per vertex, made symmetric.
pub(super) fn rmat_22() -> Known {
    Known::of(&[
        (1, 1_797_915, 0),
        (1, 3, 3),
        (1, 5, 5),
        (3, 2_212, 2_221),
        (2, 184_858, 385_863),
        (1, 2_046_335, 43_125_067),
        (1, 162_976, 84_794_635),
    ])
}

/// Path of a million vertices in both directions.
pub(super) fn path_1m() -> Known {
    Known::of(&[(2, 2, 2), (999_998, 999_998, 1_999_996)])
}

/// Star with ten million leaves, which have no edges.
pub(super) fn star_10m() -> Known {
    Known::of(&[(1, 1, 10_000_000), (1, 10_000_000, 0)]).directed()
}

/// A program over a graph, and its times by frontier, buckets and sweep in milliseconds. A time is infinite if the
/// schedule cannot run the program, or if the run was stopped after a second.
struct Line {
    name: &'static str,
    graph: Known,
    shape: Shape,
    at_root: bool,
    ms: [f64; 3],
}

impl Line {
    fn new(name: &'static str, graph: Known, shape: Shape, ms: [f64; 3]) -> Line {
        Line { name, graph, shape, at_root: false, ms }
    }

    fn at_root(self) -> Line {
        Line { at_root: true, ..self }
    }
}

fn lines() -> Vec<Line> {
    let never = f64::INFINITY;
    vec![
        Line::new("R-MAT 22, bfs", rmat_22(), bfs(), [0.240, 1.156, 0.879]).at_root(),
        Line::new("R-MAT 22, sssp", rmat_22(), sssp(), [2.479, 1.997, 7.316]).at_root(),
        Line::new("R-MAT 22, components", rmat_22().unweighted(), components(), [3.640, 1.960, 6.113]),
        Line::new("R-MAT 22, widest", rmat_22(), widest(), [2.300, 2.429, 7.976]).at_root(),
        Line::new("R-MAT 22, reach", rmat_22(), reach(), [0.242, never, 0.876]).at_root(),
        Line::new("USA-road-NE, bfs", usa_road_ne(), bfs(), [1.984, 2.200, 30.138]),
        Line::new("USA-road-NE, bfs", usa_road_ne(), bfs(), [3.249, 3.572, 2.268]).at_root(),
        Line::new("USA-road-NE, sssp", usa_road_ne(), sssp(), [3.604, 3.401, 33.861]),
        Line::new("USA-road-NE, widest", usa_road_ne(), widest(), [5.103, 5.270, 32.605]),
        Line::new("USA-road-NE, reach", usa_road_ne(), reach(), [1.929, never, 7.034]),
        Line::new("USA-road-NE from 1000, bfs", usa_road_ne_from_1000(), bfs(), [1.932, 2.140, 1.642])
            .at_root(),
        Line::new("osm-moscow, bfs", osm_moscow(), bfs(), [0.994, 1.078, 4.103]),
        Line::new("osm-moscow, sssp", osm_moscow(), sssp(), [1.694, 2.410, 7.971]),
        Line::new("dblp-2010, bfs", dblp_2010(), bfs(), [0.129, 0.169, 0.247]),
        Line::new("dblp-2010, sssp", dblp_2010(), sssp(), [0.445, 0.433, 1.186]),
        Line::new("cnr-2000, bfs", cnr_2000(), bfs(), [0.245, 0.306, 0.146]).at_root(),
        Line::new("cnr-2000, sssp", cnr_2000(), sssp(), [0.905, 0.810, 2.012]).at_root(),
        Line::new("path 1M, bfs", path_1m(), bfs(), [never, never, 935.055]).at_root(),
        Line::new("star 10M, bfs", star_10m(), bfs(), [0.208, 0.346, 0.203]).at_root(),
    ]
}

#[test]
fn the_choice_is_at_most_a_tenth_slower_than_the_best() {
    for Line { name, graph, shape, at_root, ms } in lines() {
        let decision = decide(&shape, &graph, &RunOptions::new(), at_root, H200).expect("it can be planned");
        let chosen = match decision.schedule {
            Schedule::Relax => ms[0],
            Schedule::Bucket => ms[1],
            Schedule::Sweep => ms[2],
            other => panic!("{name}: {other:?} is not in place"),
        };
        let best = ms.into_iter().fold(f64::INFINITY, f64::min);
        assert!(chosen <= 1.1 * best, "{name}: {chosen} ms, best {best} ms: {}", decision.reason);
    }
}

/// Checks that an optimization which changed the time by more than a tenth is used if it saved time, and only then. The
/// times are those with it and without it.
#[test]
fn techniques_are_used_where_they_saved_time() {
    const LOCAL: Techniques = Techniques { local_rounds: true, ..Techniques::NONE };
    const DIRECTION: Techniques = Techniques { direction: true, ..Techniques::NONE };
    let rows = [
        ("R-MAT 22, bfs", DIRECTION, 0.241, 0.874),
        ("R-MAT 22, reach", DIRECTION, 0.240, 0.872),
        ("USA-road-NE, bfs", LOCAL, 1.981, 6.088),
        ("USA-road-NE, sssp", LOCAL, 3.406, 11.473),
        ("osm-moscow, bfs", LOCAL, 0.993, 3.608),
        ("osm-moscow, sssp", LOCAL, 1.701, 5.753),
        ("path 1M, bfs", LOCAL, 934.959, f64::INFINITY),
        // On an H100, with the kernels of November 21.
        ("dblp-2010, bfs", DIRECTION, 0.19, 0.15),
        ("dblp-2010, bfs", LOCAL, 5.3, 0.13),
    ];
    for (name, technique, with, without) in rows {
        for line in lines().into_iter().filter(|line| line.name == name) {
            let decision = decide(&line.shape, &line.graph, &RunOptions::new(), line.at_root, H200);
            let used = decision.expect("it can be planned").techniques;
            let uses = if technique == LOCAL { used.local_rounds } else { used.direction };
            assert_eq!(uses, with < without, "{name}: {technique:?}");
        }
    }
    // The star was 7% faster without direction, in which the pass over ten million leaves costs more than it saves.
    assert!(!from_root(&bfs(), &star_10m()).techniques.direction);
}

#[test]
fn buckets_are_for_weights_that_differ() {
    for graph in [rmat_22(), usa_road_ne(), dblp_2010()] {
        assert_eq!(on_device(&sssp(), &graph).schedule, Schedule::Bucket);
    }
    assert_eq!(on_device(&sssp(), &osm_moscow()).schedule, Schedule::Relax);
    // If every edge weighs 1, the first value that a frontier finds is final.
    let alike = on_device(&sssp(), &rmat_22().unweighted());
    assert_eq!(alike.schedule, Schedule::Relax);
    assert!(alike.reason.contains("estimated: frontier "), "{}", alike.reason);
    // The values of a program without weights can also differ, for example the labels of components.
    let labels = shape(CombineKind::Min, DatumKind::U64, false);
    assert_eq!(on_device(&labels, &rmat_22()).schedule, Schedule::Bucket);
}

#[test]
fn the_largest_is_taken_by_frontier() {
    for graph in [rmat_22(), usa_road_ne()] {
        let decision = on_device(&widest(), &graph);
        assert_eq!(decision.schedule, Schedule::Relax, "{}", decision.reason);
    }
}

#[test]
fn estimates_are_near_what_was_measured() {
    let near = |shape: Shape, graph: Known, choice, techniques, ms: f64| {
        let options = RunOptions::new().schedule(choice).techniques(techniques);
        let decision = decide(&shape, &graph, &options, true, H200).expect("a plan");
        let found = decision.estimates.iter().find(|estimate| estimate.schedule == choice);
        let found = found.expect("it is estimated").time.as_secs_f64() * 1e3;
        assert!(found < ms * 1.5 && found > ms / 1.5, "{choice:?}: {found} ms, measured {ms} ms");
    };
    let (all, none) = (Techniques::ALL, Techniques::NONE);
    near(bfs(), rmat_22(), Frontier, all, 0.240);
    near(bfs(), rmat_22(), Frontier, none, 0.874);
    near(bfs(), usa_road_ne(), Frontier, all, 3.249);
    near(bfs(), usa_road_ne_from_1000(), Frontier, all, 1.932);
    near(bfs(), usa_road_ne_from_1000(), Frontier, none, 6.088);
    near(bfs(), dblp_2010(), Frontier, all, 0.129);
    near(bfs(), cnr_2000(), Frontier, all, 0.245);
    near(bfs(), star_10m(), Frontier, all, 0.208);
    near(sssp(), rmat_22(), Frontier, all, 2.479);
    near(sssp(), rmat_22(), Bucket, all, 1.997);
    near(sssp(), osm_moscow(), Frontier, all, 1.694);
    near(sssp(), osm_moscow(), Bucket, all, 2.410);
    near(widest(), rmat_22(), Frontier, all, 2.300);
    near(widest(), rmat_22(), Bucket, all, 2.429);
    near(bfs(), usa_road_ne(), Sweep, all, 2.268);
    near(bfs(), usa_road_ne_from_1000(), Sweep, all, 1.642);
    near(bfs(), cnr_2000(), Sweep, all, 0.146);
    near(bfs(), rmat_22(), Sweep, all, 0.879);
    near(bfs(), path_1m(), Sweep, all, 935.0);
    near(sssp(), rmat_22(), Sweep, all, 7.316);
}

#[test]
fn the_first_bucket_is_as_wide_as_measured_best() {
    let factor = |graph: Known| on_device(&sssp(), &graph).bucket_factor;
    assert!((3..=8).contains(&factor(rmat_22())), "{}", factor(rmat_22()));
    assert!((12..=32).contains(&factor(dblp_2010())), "{}", factor(dblp_2010()));
    assert_eq!(factor(Known::of(&[])), 32);
}
