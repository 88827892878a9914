//! The key of a kept graph: a description of its input, as text at the end of its file.
//!
//! A key contains the version of wolfpath, the path, state and content hash of every file that was read, and the
//! options for reading and layering. [`Key::compare`] decides whether a kept graph still matches its input:
//!
//! | current files, compared with the key | the kept graph |
//! |---|---|
//! | different path, size, option or version | belongs to another input |
//! | same size, times and inode | matches |
//! | same size, but a different time or inode | matches if the content has the same hash |
//!
//! `changed` is the time of the last change to a file's content or attributes (Unix's ctime), which programs cannot
//! set. A rewritten file therefore has a different `changed`, even if its size and modification time are the old ones
//! (`touch -r`, `rsync -t`, `cp -p`). A file that replaced another has a different inode or, if it reuses the freed
//! inode, a later `changed`. [`State::wait_for_the_tick`] rules out a change within the same clock tick.
//!
//! Two kinds of changes cannot be detected. First, if the system clock was set back, a change may by chance get exactly
//! the old time, to the nanosecond. Second, if a program writes through a shared memory mapping, the system need not
//! update the time at each write.
//!
//! The device number is not compared, because it may differ after each mount. Network file systems may renumber inodes,
//! or report times from another clock or with a delay. (NFS caches attributes for some seconds, so a change on another
//! machine may be seen some seconds later.) If times or inodes differ although the content did not change, the only
//! consequence is that the content is hashed again.

use std::fmt::Write;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use super::open::map_file;

/// Everything that determines whether a kept graph is fresh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    version: String,
    files: Vec<InputFile>,
    options: String,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct InputFile {
    /// The path, as [`escaped`] writes it.
    path: String,
    state: State,
    /// The hash of the content, if it was hashed.
    hash: Option<u64>,
}

/// The metadata of a file by which changes to it are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    size: u64,
    /// Time of the last modification, in nanoseconds since 1970.
    modified: i128,
    /// Time of the last change to content or attributes on Unix; elsewhere, time of creation.
    changed: Option<i128>,
    /// Inode number, on Unix only.
    inode: Option<u64>,
}

/// The relation of a key to an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Nothing changed.
    Same,
    /// The files may or may not have the same content; their hashes decide.
    Unclear,
    /// The input, or the options for reading it, differ.
    Different,
}

impl Key {
    /// Returns the key of these files in their current state, the input first, without hashes.
    pub(crate) fn of(files: &[PathBuf], options: &str) -> io::Result<Key> {
        let file =
            |path: &PathBuf| Ok(InputFile { path: escaped(path), state: State::of(path)?, hash: None });
        Ok(Key {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: files.iter().map(file).collect::<io::Result<_>>()?,
            options: options.replace('\n', " "),
        })
    }

    /// Returns the state of each file.
    pub(crate) fn states(&self) -> impl Iterator<Item = State> {
        self.files.iter().map(|file| file.state)
    }

    /// Returns the same key with the hash of each file.
    pub(crate) fn with_hashes(mut self, hashes: &[u64]) -> Key {
        for (file, &hash) in self.files.iter_mut().zip(hashes) {
            file.hash = Some(hash);
        }
        self
    }

    /// Returns the same key with the hashes of `other`.
    pub(crate) fn with_hashes_of(self, other: &Key) -> Key {
        let hashes: Vec<u64> = other.files.iter().filter_map(|file| file.hash).collect();
        self.with_hashes(&hashes)
    }

    /// Compares this key with an older one.
    pub(crate) fn compare(&self, older: &Key) -> Relation {
        let files = || self.files.iter().zip(&older.files);
        let alike = self.version == older.version
            && self.options == older.options
            && self.files.len() == older.files.len()
            && files().all(|(new, old)| new.path == old.path && new.state.size == old.state.size);
        match alike {
            false => Relation::Different,
            true if files().all(|(new, old)| new.state == old.state) => Relation::Same,
            true => Relation::Unclear,
        }
    }

    /// Returns `true` if both keys have hashes and the hashes are equal.
    pub(crate) fn has_hashes_of(&self, other: &Key) -> bool {
        let hashes = |key: &Key| key.files.iter().map(|file| file.hash).collect::<Option<Vec<u64>>>();
        hashes(self).is_some_and(|own| Some(own) == hashes(other))
    }

    /// Returns the input's path, [`escaped`].
    pub(crate) fn input(&self) -> &str {
        self.files.first().map_or("", |file| &file.path)
    }

    /// Returns the options that differ from the defaults, in words.
    pub(crate) fn options(&self) -> &str {
        &self.options
    }

    /// Returns the text that [`parse`](Key::parse) reads, in whole lines.
    pub(crate) fn text(&self) -> String {
        let number =
            |number: Option<i128>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let mut text = format!("wolfpath {}\n", self.version);
        for (index, InputFile { path, state, hash }) in self.files.iter().enumerate() {
            let State { size, modified, changed, inode } = state;
            let role = if index == 0 { "input" } else { "beside" };
            let (changed, inode) = (number(*changed), number(inode.map(i128::from)));
            let hash = hash.map_or_else(|| "-".to_owned(), |hash| format!("{hash:016x}"));
            // Writing to a String cannot fail.
            let _ = write!(text, "{role} {path}\nsize {size}\nmodified {modified}\nchanged {changed}\n");
            let _ = write!(text, "inode {inode}\ncontent {hash}\n");
        }
        text + &format!("options {}\n", self.options)
    }

    /// Parses the text that [`text`](Key::text) returns. Returns `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Key> {
        let mut lines = text.lines().peekable();
        let version = lines.next()?.strip_prefix("wolfpath ")?.to_owned();
        let mut files = Vec::new();
        while lines.peek().is_some_and(|line| !line.starts_with("options ")) {
            let role = if files.is_empty() { "input" } else { "beside" };
            let mut field =
                |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ').map(str::to_owned);
            let path = field(role)?;
            let (size, modified) = (field("size")?.parse().ok()?, field("modified")?.parse().ok()?);
            let changed = optional(&field("changed")?, |text| text.parse().ok())?;
            let inode = optional(&field("inode")?, |text| text.parse().ok())?;
            let hash = optional(&field("content")?, |text| u64::from_str_radix(text, 16).ok())?;
            files.push(InputFile { path, state: State { size, modified, changed, inode }, hash });
        }
        let options = lines.next()?.strip_prefix("options ")?.to_owned();
        (lines.next().is_none() && !files.is_empty()).then_some(Key { version, files, options })
    }
}

/// Parses a field that may be absent. `-` yields `Some(None)`, and invalid text yields `None`.
fn optional<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    if text == "-" { Some(None) } else { parse(text).map(Some) }
}

impl State {
    fn of(path: &Path) -> io::Result<State> {
        State::from(&fs::metadata(path)?)
    }

    /// Returns the state of a regular file. Rejects anything else: the metadata of a pipe or device do not describe its
    /// content.
    pub(crate) fn from(metadata: &Metadata) -> io::Result<State> {
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let (changed, inode) = platform::changed_and_inode(metadata);
        let modified = nanoseconds(metadata.modified()?);
        Ok(State { size: metadata.len(), modified, changed, inode })
    }

    /// Returns the file's length in bytes.
    pub(crate) fn size(self) -> u64 {
        self.size
    }

    /// Waits until any further change to the file would be visible in its times.
    ///
    /// File times have the resolution of the system clock's tick. If a file was changed in the current tick, another
    /// change in the same tick would be invisible if it kept the inode and the size. Changes in later ticks are always
    /// visible. A tick of a system clock is at most 10 ms long. On file systems that store whole seconds, a tick is one
    /// second (ext3, HFS+) or two seconds (FAT).
    pub(crate) fn wait_for_the_tick(&self) {
        const FINE: i128 = 20_000_000;
        const COARSE: i128 = 2_000_000_000;
        let last = self.changed.unwrap_or(self.modified);
        let tick = if last % 1_000_000_000 == 0 { COARSE } else { FINE };
        let age = nanoseconds(SystemTime::now()) - last;
        // A time in the future comes from another machine's clock or, on systems without `changed`, was set by a
        // program. In these cases the next change will have a different time, so there is no need to wait.
        if (0..tick).contains(&age) {
            thread::sleep(Duration::from_nanos((tick - age) as u64));
        }
    }
}

fn nanoseconds(time: SystemTime) -> i128 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt;

    pub(crate) fn changed_and_inode(metadata: &Metadata) -> (Option<i128>, Option<u64>) {
        let changed = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
        (Some(changed), Some(metadata.ino()))
    }
}

/// On other systems, a change is not detected if the size, the modification time and the time of creation are the same
/// as before.
#[cfg(not(unix))]
mod platform {
    use std::fs::Metadata;

    pub(crate) fn changed_and_inode(metadata: &Metadata) -> (Option<i128>, Option<u64>) {
        (metadata.created().ok().map(super::nanoseconds), None)
    }
}

/// Returns a path as one unambiguous line of text: control characters, `%` and bytes that are not UTF-8 become `%` and
/// two hexadecimal digits.
pub(crate) fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '%' | '\0'..='\x1f' | '\x7f' => {
                    let _ = write!(text, "%{:02x}", u32::from(character));
                }
                other => text.push(other),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "%{byte:02x}");
        }
    }
    text
}

/// Returns the key in a file, if the file has this version of the format and contains the key of a kept graph.
pub(crate) fn key_of(path: &Path, file: File) -> Option<Key> {
    Key::parse(&map_file(path, file).ok()?.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(size: u64, modified: i128, changed: i128, inode: u64, hash: Option<u64>) -> Key {
        let state = State { size, modified, changed: Some(changed), inode: Some(inode) };
        let files = vec![InputFile { path: "/a b/g.el".to_owned(), state, hash }];
        Key { version: "1".to_owned(), files, options: "undirected".to_owned() }
    }

    #[test]
    fn keys_are_read_as_they_are_written() {
        let one = key(7, -5, 1 << 80, u64::MAX, Some(0xabc));
        let mut two = one.clone();
        let bare = State { size: 0, modified: 0, changed: None, inode: None };
        two.files.push(InputFile { path: "/x".to_owned(), state: bare, hash: None });
        for key in [one, two] {
            let text = key.text();
            assert_eq!(Key::parse(&text).as_ref(), Some(&key), "{text}");
            for (index, _) in text.match_indices('\n') {
                assert_eq!(Key::parse(&text[..index]).filter(|_| index + 1 < text.len()), None, "{text}");
            }
            assert_eq!(Key::parse(&format!("{text}more\n")), None);
            assert_eq!(Key::parse(&text.replace("size ", "size x")), None);
        }
        assert_eq!(Key::parse("wolfpath 1\noptions \n"), None);
    }

    #[test]
    fn every_field_counts() {
        let old = key(7, 1, 2, 3, Some(9));
        assert_eq!(key(7, 1, 2, 3, None).compare(&old), Relation::Same);
        for other in [key(7, 0, 2, 3, None), key(7, 1, 0, 3, None), key(7, 1, 2, 0, None)] {
            assert_eq!(other.compare(&old), Relation::Unclear);
        }
        let mut others = vec![key(8, 1, 2, 3, None); 4];
        others[1].options = "other".to_owned();
        others[2].version = "2".to_owned();
        others[3].files[0].path = "/b".to_owned();
        for other in others {
            assert_eq!(other.compare(&old), Relation::Different);
        }
        let mut longer = old.clone();
        longer.files.push(old.files[0].clone());
        assert_eq!(longer.compare(&old), Relation::Different);
        assert!(key(7, 0, 0, 0, None).with_hashes(&[9]).has_hashes_of(&old));
        assert!(!key(7, 0, 0, 0, None).with_hashes(&[8]).has_hashes_of(&old));
        assert!(!key(7, 0, 0, 0, None).has_hashes_of(&key(7, 0, 0, 0, None)), "neither key has hashes");
    }

    #[cfg(unix)]
    #[test]
    fn paths_of_any_bytes_are_lines() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let of = |bytes: &[u8]| escaped(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(of("/straße/100 %\n".as_bytes()), "/straße/100 %25%0a");
        assert_eq!(of(b"/\xff\xfe"), "/%ff%fe");
    }

    #[test]
    fn a_change_after_the_wait_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.el");
        for turn in 0..20u8 {
            let file = |byte: u8| {
                fs::write(&path, [byte]).unwrap();
                // Any program can set a modification time in the future. The wait must not depend on it.
                let ahead = UNIX_EPOCH + Duration::from_secs(4_000_000_000);
                fs::File::options().write(true).open(&path).unwrap().set_modified(ahead).unwrap();
            };
            file(b'a' + turn);
            State::of(&path).unwrap().wait_for_the_tick();
            let before = State::of(&path).unwrap();
            file(b'A' + turn);
            assert_ne!(State::of(&path).unwrap(), before);
        }
    }

    #[test]
    fn folders_have_no_state() {
        assert!(State::of(Path::new("/")).is_err());
    }
}
