//! Tests of when a layered graph that was kept in the cache is used, and when it is not.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use wolfpath_core::cache::CacheFolder;
use wolfpath_core::graph::{LayeredGraph, Origin};
use wolfpath_core::progress::{Observer, Progress, Stage};
use wolfpath_io::load::LoadOptions;
use wolfpath_io::{OpenGraph, OpenOptions};

use support::names;

/// Input in its own folder, and a cache folder.
struct Setup {
    folder: tempfile::TempDir,
    input: PathBuf,
    options: OpenOptions,
}

impl Setup {
    fn of(text: &str) -> Setup {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("data").join("graph.el");
        fs::create_dir(folder.path().join("data")).unwrap();
        fs::write(&input, text).unwrap();
        let options = OpenOptions::new().cache_folder(folder.path().join("cache"));
        Setup { folder, input, options }
    }

    fn open(&self) -> LayeredGraph {
        LayeredGraph::open_with(&self.input, &self.options).unwrap()
    }

    /// Opens the graph. Also returns `true` if the content of the input was hashed.
    fn open_watched(&self) -> (LayeredGraph, bool) {
        let stages = Arc::new(Mutex::new(Vec::new()));
        let progress = Progress::to(Stages(stages.clone()));
        let options = self.options.clone().progress(progress);
        let graph = LayeredGraph::open_with(&self.input, &options).unwrap();
        let was_hashed = stages.lock().unwrap().contains(&Stage::Hash);
        (graph, was_hashed)
    }

    fn cache(&self) -> CacheFolder {
        CacheFolder::at(self.folder.path().join("cache"))
    }

    /// Sets the times of the graph's file and of its record, so that the graph appears to have been last used `seconds`
    /// seconds ago.
    fn used_before(&self, place: &Path, seconds: u64) {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        for path in [place.to_owned(), place.with_extension("used")] {
            fs::File::open(path).unwrap().set_modified(time).unwrap();
        }
    }
}

struct Stages(Arc<Mutex<Vec<Stage>>>);

impl Observer for Stages {
    fn begin(&self, stage: Stage, _: Option<u64>) {
        self.0.lock().unwrap().push(stage);
    }

    fn advance(&self, _: u64) {}
}

fn kept(graph: &LayeredGraph) -> Option<PathBuf> {
    match graph.opened_from() {
        Origin::Input { kept, .. } => kept.clone(),
        other => panic!("read from {other:?}"),
    }
}

fn is_cached(graph: &LayeredGraph) -> bool {
    matches!(graph.opened_from(), Origin::Cache(_))
}

/// Returns every edge as the ids of its source and target.
fn edges(graph: &LayeredGraph) -> Vec<(u64, u64)> {
    let mut edges = Vec::new();
    for vertex in 0..graph.num_vertices() {
        let ends = graph.out_edges().row(vertex);
        edges.extend(ends.iter().map(|&end| (graph.id_of(vertex), graph.id_of(end))));
    }
    edges.sort_unstable();
    edges
}

#[test]
fn kept_in_the_cache_folder_and_not_beside_the_input() {
    let setup = Setup::of("1 2\n2 3\n2 3\n3 3\n");
    let first = setup.open();
    let place = kept(&first).unwrap();
    assert!(place.starts_with(setup.folder.path().join("cache/graphs")), "{}", place.display());
    assert_eq!(names(setup.input.parent().unwrap()), ["graph.el"]);
    let second = setup.open();
    assert!(is_cached(&second));
    assert_eq!(second.notes(), first.notes(), "a cached graph must repeat the loader's notes");
    assert!(!second.notes().is_empty());
    assert_eq!(setup.options.kept(&setup.input), Some(place.clone()));

    other_options_are_kept_apart(&setup);
    a_damaged_file_is_replaced(&setup, &place);
    a_changed_input_is_read_again(&setup);
}

fn other_options_are_kept_apart(setup: &Setup) {
    let open = |options: &OpenOptions| LayeredGraph::open_with(&setup.input, options).unwrap();
    let load = LoadOptions::new().undirected(true);
    let undirected = setup.options.clone().load(load);
    let both = open(&undirected);
    assert_eq!((both.num_edges(), kept(&both).is_some()), (7, true));
    let rooted = setup.options.clone().root(3);
    assert_eq!(open(&rooted).root(), Some(3));
    assert!(is_cached(&open(&undirected)));
    assert!(is_cached(&setup.open()));
    let bare = setup.options.clone().cache(false);
    assert_eq!(kept(&open(&bare)), None);
    let rebuilt = setup.options.clone().rebuild(true);
    assert!(kept(&open(&rebuilt)).is_some());
}

fn a_damaged_file_is_replaced(setup: &Setup, place: &Path) {
    let whole = fs::read(place).unwrap();
    fs::write(place, &whole[..whole.len() / 2]).unwrap();
    let graph = setup.open();
    assert!(graph.notes()[0].contains("built again"), "{:?}", graph.notes());
    assert!(fs::read(place).unwrap() == whole);

    // Damage inside a section is detected when the file is opened.
    let mut damaged = whole.clone();
    damaged[4096 * 4] ^= 1;
    fs::write(place, damaged).unwrap();
    let graph = setup.open();
    assert!(!is_cached(&graph) && graph.out_edges().ends.len() == 4);
    assert!(graph.notes()[0].contains("built again"), "{:?}", graph.notes());
    assert!(fs::read(place).unwrap() == whole);
}

fn a_changed_input_is_read_again(setup: &Setup) {
    fs::write(&setup.input, "1 2\n2 3\n3 4\n").unwrap();
    let graph = setup.open();
    assert_eq!((graph.num_vertices(), is_cached(&graph)), (4, false));
    assert!(is_cached(&setup.open()));
}

/// The input is changed, but keeps its size and modification time. Commands such as `touch -r`, `rsync -t` and `cp -p`
/// have this effect.
#[cfg(unix)]
#[test]
fn an_input_rewritten_with_its_size_and_time_is_read_again() {
    let setup = Setup::of("1 2\n2 3\n");
    setup.open();
    let time = fs::metadata(&setup.input).unwrap().modified().unwrap();
    let restore = || fs::File::options().write(true).open(&setup.input).unwrap().set_modified(time).unwrap();
    // First change the file in place, then replace it.
    fs::write(&setup.input, "1 2\n1 3\n").unwrap();
    restore();
    let graph = setup.open();
    assert_eq!((edges(&graph), is_cached(&graph)), (vec![(1, 2), (1, 3)], false));
    let other = setup.input.with_extension("other");
    fs::write(&other, "3 2\n1 3\n").unwrap();
    fs::rename(&other, &setup.input).unwrap();
    restore();
    let graph = setup.open();
    assert_eq!((edges(&graph), is_cached(&graph)), (vec![(1, 3), (3, 2)], false));
    assert!(is_cached(&setup.open()));
}

#[test]
fn an_input_with_the_same_content_is_not_layered_again() {
    let setup = Setup::of("1 2\n2 3\n");
    setup.open();
    assert!(!setup.open_watched().1, "nothing changed");
    let touch = || {
        let file = fs::File::options().write(true).open(&setup.input).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)).unwrap();
    };
    let copy = || {
        let other = setup.input.with_extension("other");
        fs::copy(&setup.input, &other).unwrap();
        fs::rename(&other, &setup.input).unwrap();
    };
    let rewrite = || fs::write(&setup.input, "1 2\n2 3\n").unwrap();
    let changes: [&dyn Fn(); 3] = [&touch, &copy, &rewrite];
    for change in changes {
        change();
        let (graph, was_hashed) = setup.open_watched();
        assert!(is_cached(&graph) && was_hashed);
        let (graph, was_hashed) = setup.open_watched();
        assert!(is_cached(&graph) && !was_hashed, "the second run must use the recorded hash");
    }
    // Without the record, the input is hashed again.
    fs::remove_file(setup.open_place().with_extension("used")).unwrap();
    let (graph, was_hashed) = setup.open_watched();
    assert!(is_cached(&graph) && was_hashed);
}

impl Setup {
    /// Opens the graph, and returns the file in which it is kept.
    fn open_place(&self) -> PathBuf {
        match self.open().opened_from() {
            Origin::Cache(place) | Origin::Input { kept: Some(place), .. } => place.clone(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn beside_the_input_where_that_is_asked_for() {
    let mut setup = Setup::of("1 2\n2 3\n");
    setup.options = setup.options.cache_beside(true);
    let place = kept(&setup.open()).unwrap();
    assert_eq!(place.parent(), setup.input.canonicalize().unwrap().parent());
    assert_eq!(names(setup.input.parent().unwrap()).len(), 2);
    assert!(is_cached(&setup.open()));
    // Graphs next to the input are used only if that is requested.
    setup.options = setup.options.cache_beside(false);
    assert!(kept(&setup.open()).unwrap().starts_with(setup.folder.path().join("cache")));
    // If there is no graph next to the input, the one in the cache folder is used.
    fs::remove_file(&place).unwrap();
    setup.options = setup.options.cache_beside(true);
    assert!(is_cached(&setup.open()));
}

#[test]
fn the_least_recently_used_are_removed() {
    let setup = Setup::of("1 2\n2 3\n");
    let (a, mut others) = (setup.open_place(), Vec::new());
    for name in ["b.el", "c.el"] {
        let input = setup.input.with_file_name(name);
        fs::write(&input, "4 5\n5 6\n").unwrap();
        others.push((kept(&LayeredGraph::open_with(&input, &setup.options).unwrap()).unwrap(), input));
    }
    let [(b, _), (c, input_of_c)] = &others[..] else { panic!("two") };
    setup.used_before(&a, 3000);
    setup.used_before(b, 2000);
    setup.used_before(c, 1000);
    // The first graph is used now. The second is then the least recently used graph, and is removed first.
    assert!(is_cached(&setup.open()));
    let listed: Vec<String> =
        setup.cache().contents().unwrap().graphs.into_iter().map(|graph| graph.name).collect();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(listed, [name(&a), name(c), name(b)]);

    let size = fs::metadata(&a).unwrap().len();
    setup.cache().set_limit(3 * size + size / 2).unwrap();
    let (d, e) = (setup.input.with_file_name("d.el"), setup.input.with_file_name("e.el"));
    for input in [&d, &e] {
        fs::write(input, "7 8\n8 9\n").unwrap();
    }
    let graph = LayeredGraph::open_with(&d, &setup.options).unwrap();
    assert!(
        [&a, c].into_iter().all(|path| path.exists()) && !b.exists() && !b.with_extension("used").exists()
    );
    assert!(
        graph.notes().iter().any(|note| note.contains("the 1 least recently used")),
        "{:?}",
        graph.notes()
    );
    let in_use = LayeredGraph::open_with(input_of_c, &setup.options).unwrap();

    // The graph that was just kept is not removed, even if the limit is exceeded. A graph whose file is removed stays
    // usable, because the file is mapped.
    setup.cache().set_limit(1).unwrap();
    let place = kept(&LayeredGraph::open_with(&e, &setup.options).unwrap()).unwrap();
    assert_eq!(names(place.parent().unwrap()), [name(&place.with_extension("used")), name(&place)]);
    assert_eq!(edges(&in_use), [(4, 5), (5, 6)]);
}

#[test]
fn clearing_removes_what_is_kept_and_nothing_else() {
    let setup = Setup::of("1 2\n2 3\n");
    let place = setup.open_place();
    let graphs = place.parent().unwrap();
    fs::write(graphs.join("mine.wolf"), "mine").unwrap();
    fs::write(graphs.join(".wolfpath-part-123.tmp"), "left over").unwrap();
    fs::create_dir(graphs.join("folder.0123456789abcdef.wolf")).unwrap();
    fs::write(setup.cache().path().join("notes.txt"), "mine").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&setup.input, graphs.join("link.0123456789abcdef.wolf")).unwrap();
    setup.cache().set_limit(1_000_000).unwrap();
    let size = fs::metadata(&place).unwrap().len();
    let cleared = setup.cache().clear().unwrap();
    assert_eq!((cleared.graphs.files, cleared.graphs.bytes), (1, size));
    let expected: &[&str] = match cfg!(unix) {
        true => &["folder.0123456789abcdef.wolf", "link.0123456789abcdef.wolf", "mine.wolf"],
        false => &["folder.0123456789abcdef.wolf", "mine.wolf"],
    };
    assert_eq!(names(graphs), expected);
    assert_eq!(names(setup.cache().path()), ["graphs", "limit.txt", "notes.txt"]);
    assert_eq!(setup.cache().limit().unwrap(), 1_000_000);
    assert!(setup.input.exists() && kept(&setup.open()).is_some());

    // If a link replaces the folder of kept graphs, the link is not followed.
    #[cfg(unix)]
    {
        fs::rename(graphs, setup.folder.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(setup.folder.path().join("elsewhere"), graphs).unwrap();
        assert!(setup.cache().clear().is_err());
        assert!(setup.folder.path().join("elsewhere").join(place.file_name().unwrap()).exists());
    }
}

#[test]
fn a_limit_that_cannot_be_meant_is_a_note() {
    let setup = Setup::of("1 2\n2 3\n");
    setup.cache().set_limit(7).unwrap();
    fs::write(setup.cache().path().join("limit.txt"), "# mine\ngraphs 20G\n").unwrap();
    let graph = setup.open();
    assert!(kept(&graph).is_some());
    let note = graph.notes().join("\n");
    assert!(note.contains("limit.txt, line 2: found `graphs 20G`"), "{note}");
    assert!(setup.cache().contents().is_err());
}

#[cfg(unix)]
mod planted {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// Replaces the kept graph by another graph with the same key.
    fn plant(setup: &Setup, place: &Path) {
        let twin = Setup::of("1 2\n1 3\n");
        let other = twin.open_place();
        let (ours, theirs) = (fs::read(place).unwrap(), fs::read(&other).unwrap());
        let key_at = |bytes: &[u8]| u64::from_ne_bytes(bytes[64..72].try_into().unwrap()) as usize;
        fs::write(place, [&theirs[..key_at(&theirs)], &ours[key_at(&ours)..]].concat()).unwrap();
        // First check the attack itself: if folder and file are trusted, the planted graph is used.
        assert_eq!(edges(&setup.open()), [(1, 2), (1, 3)]);
    }

    #[test]
    fn kept_graphs_are_private() {
        let setup = Setup::of("1 2\n2 3\n");
        let place = setup.open_place();
        for folder in [setup.folder.path().join("cache"), place.parent().unwrap().to_owned()] {
            assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        }
        assert_eq!((mode(&place), mode(&place.with_extension("used"))), (0o600, 0o600));
    }

    #[test]
    fn a_graph_in_a_folder_that_others_may_write_is_not_used() {
        let setup = Setup::of("1 2\n2 3\n");
        let place = setup.open_place();
        plant(&setup, &place);
        for wrong in [place.parent().unwrap(), setup.cache().path()] {
            for bits in [0o770, 0o707, 0o1777] {
                set_mode(wrong, bits);
                let graph = setup.open();
                assert_eq!((edges(&graph), kept(&graph)), (vec![(1, 2), (2, 3)], None));
                let notes = graph.notes().join("\n");
                assert!(
                    notes.contains("was not used") && notes.contains("can be written by others"),
                    "{notes}"
                );
                assert!(notes.contains("could not be kept"), "{notes}");
                assert!(setup.cache().contents().is_err() && setup.cache().clear().is_err());
                set_mode(wrong, 0o700);
            }
        }
        assert_eq!(edges(&setup.open()), [(1, 2), (1, 3)]);
    }

    #[test]
    fn a_file_that_others_may_write_is_replaced() {
        let setup = Setup::of("1 2\n2 3\n");
        let place = setup.open_place();
        plant(&setup, &place);
        set_mode(&place, 0o620);
        let graph = setup.open();
        assert_eq!((edges(&graph), kept(&graph)), (vec![(1, 2), (2, 3)], Some(place.clone())));
        assert!(graph.notes()[0].contains("mode 0620"), "{:?}", graph.notes());
        assert_eq!(mode(&place), 0o600);
        assert!(is_cached(&setup.open()) && setup.open().notes().is_empty());
        // If the file is a link, the link is replaced, but the file that it leads to is not changed.
        let elsewhere = setup.folder.path().join("elsewhere.wolf");
        fs::rename(&place, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &place).unwrap();
        let before = fs::read(&elsewhere).unwrap();
        let graph = setup.open();
        assert!(graph.notes()[0].contains("is not a regular file"), "{:?}", graph.notes());
        assert!(!place.is_symlink() && fs::read(&elsewhere).unwrap() == before);
    }

    #[test]
    fn beside_the_input_the_same_holds() {
        let mut setup = Setup::of("1 2\n2 3\n");
        setup.options = setup.options.cache_beside(true);
        let (place, data) = (setup.open_place(), setup.input.parent().unwrap().to_owned());
        assert_eq!(mode(&place), 0o600);
        plant(&setup, &place);
        set_mode(&data, 0o775);
        let graph = setup.open();
        assert_eq!(edges(&graph), [(1, 2), (2, 3)]);
        assert!(kept(&graph).unwrap().starts_with(setup.cache().path()));
        let notes = graph.notes().join("\n");
        assert!(
            notes.contains("was not used") && notes.contains("can be written by others (mode 0775)"),
            "{notes}"
        );
        assert!(notes.contains("not beside its input"), "{notes}");
        // From now on, the graph in the cache folder is used.
        let graph = setup.open();
        assert!(is_cached(&graph) && graph.notes().len() == 1, "{:?}", graph.notes());
        assert_eq!(edges(&graph), [(1, 2), (2, 3)]);
    }

    /// Only root can change the owner of files.
    #[test]
    fn another_users_file_is_not_used() {
        let setup = Setup::of("1 2\n2 3\n");
        let place = setup.open_place();
        plant(&setup, &place);
        if std::os::unix::fs::chown(&place, Some(4_000_000), None).is_err() {
            return;
        }
        let graph = setup.open();
        assert_eq!((edges(&graph), kept(&graph)), (vec![(1, 2), (2, 3)], Some(place)));
        assert!(graph.notes()[0].contains("belongs to another user (id 4000000)"), "{:?}", graph.notes());
    }
}

#[test]
fn several_at_a_time_do_not_break_each_other() {
    let setup = Setup::of(&(0..200).map(|id| format!("{id} {}\n", id + 1)).collect::<String>());
    let inputs: Vec<PathBuf> =
        (0..4).map(|index| setup.input.with_file_name(format!("{index}.el"))).collect();
    inputs.iter().for_each(|input| fs::copy(&setup.input, input).map(|_| ()).unwrap());
    let expected = edges(&setup.open());
    setup.cache().set_limit(fs::metadata(setup.open_place()).unwrap().len() * 2).unwrap();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (inputs, setup, expected) = (&inputs, &setup, &expected);
            scope.spawn(move || {
                for turn in 0..40 {
                    let input = &inputs[(worker * 7 + turn) % inputs.len()];
                    let graph = LayeredGraph::open_with(input, &setup.options).unwrap();
                    assert_eq!(&edges(&graph), expected);
                    match turn % 10 {
                        7 => drop(setup.cache().clear().unwrap()),
                        3 => drop(setup.cache().contents().unwrap()),
                        _ => {}
                    }
                }
            });
        }
    });
    assert!(setup.cache().contents().unwrap().graphs.len() <= 5);
}
