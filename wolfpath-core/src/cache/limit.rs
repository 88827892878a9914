//! The limit on the size of kept graphs: a line in the file `limit.txt` of the cache folder.

use std::path::PathBuf;

use super::{CacheError, CacheFolder};
use crate::trusted::TrustedFolder;

/// The default limit on the size of all kept graphs: 20 GB.
pub const DEFAULT_LIMIT: u64 = 20_000_000_000;

/// Name of the limit's file in the cache folder.
const FILE: &str = "limit.txt";

/// Error from an invalid line in the limit's file. To repair the file, call [`CacheFolder::set_limit`], which rewrites
/// it.
///
/// ```
/// use wolfpath::cache::{CacheError, CacheFolder};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("limit.txt"), "graphs many\n")?;
/// match CacheFolder::at(folder.path()).limit() {
///     Err(CacheError::Limit(error)) => assert_eq!((error.line, &*error.found), (1, "`graphs many`")),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[error(
    "{}, line {line}: found {found}, expected one line with `graphs` and a number of bytes; set the limit again",
    path.display()
)]
#[non_exhaustive]
pub struct LimitError {
    /// The file.
    pub path: PathBuf,
    /// Number of the line, from 1. If the line is missing, the number after the last line.
    pub line: usize,
    /// The text found there.
    pub found: String,
}

impl CacheFolder {
    /// Returns the maximum size of all kept graphs, in bytes. Defaults to [`DEFAULT_LIMIT`].
    ///
    /// # Errors
    /// Returns [`CacheError`] if the file with the limit cannot be read, is not trusted or is invalid.
    pub fn limit(&self) -> Result<u64, CacheError> {
        let bytes = match TrustedFolder::open(&self.path).and_then(|folder| folder.read(FILE)) {
            Ok(bytes) => bytes,
            Err(error) if error.is_absent() => return Ok(DEFAULT_LIMIT),
            Err(error) => return Err(error.into()),
        };
        let wrong = |(line, found)| LimitError { path: self.path.join(FILE), line, found };
        Ok(parse(&bytes).map_err(wrong)?)
    }

    /// Sets the maximum size of all kept graphs, in bytes. It is enforced when the next graph is kept.
    ///
    /// # Errors
    /// Returns [`CacheError`] if the file cannot be written.
    ///
    /// ```
    /// use wolfpath::cache::CacheFolder;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let cache = CacheFolder::at(folder.path().join("cache"));
    /// cache.set_limit(5_000_000_000)?;
    /// assert_eq!(cache.contents()?.limit, 5_000_000_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_limit(&self, bytes: u64) -> Result<(), CacheError> {
        let text = format!("# Maximum size of all kept graphs, in bytes.\ngraphs {bytes}\n");
        let written = TrustedFolder::create(&self.path)?.write(FILE, text.as_bytes());
        let path = || self.path.join(FILE);
        written.map_err(|source| CacheError::Io { path: path(), action: "written", source })
    }
}

/// Returns the limit in the file, or the number and text of the first invalid line.
fn parse(bytes: &[u8]) -> Result<u64, (usize, String)> {
    let mut limit = None;
    let mut last = 0;
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        last = index + 1;
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let stated = std::str::from_utf8(line).ok().and_then(|line| {
            let (name, number) = line.split_once(' ')?;
            let number = number.trim_start();
            (name == "graphs" && number.bytes().all(|c| c.is_ascii_digit())).then(|| number.parse().ok())?
        });
        match stated {
            Some(number) if limit.is_none() => limit = Some(number),
            Some(_) => return Err((last, "a second limit".to_owned())),
            None => {
                let shown: String = String::from_utf8_lossy(line).escape_debug().take(60).collect();
                return Err((last, format!("`{shown}`")));
            }
        }
    }
    limit.ok_or_else(|| (last + 1, "the end of the file".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_they_are_written() {
        let outer = tempfile::tempdir().unwrap();
        let cache = CacheFolder::at(outer.path().join("made"));
        assert_eq!(cache.limit().unwrap(), DEFAULT_LIMIT);
        for bytes in [1, 50_000_000_000, u64::MAX] {
            cache.set_limit(bytes).unwrap();
            assert_eq!(cache.limit().unwrap(), bytes);
        }
    }

    #[test]
    fn what_is_no_limit_is_named_with_its_line() {
        assert_eq!(parse(b"\n# all\n  graphs   7 \r\n"), Ok(7));
        for (text, line, found) in [
            ("", 1, "the end of the file"),
            ("# none\n", 2, "the end of the file"),
            ("graphs 20G\n", 1, "`graphs 20G`"),
            ("graphs -1", 1, "`graphs -1`"),
            ("graphs 99999999999999999999\n", 1, "`graphs 99999999999999999999`"),
            ("#\nprograms 7\n", 2, "`programs 7`"),
            ("graphs 7\ngraphs 8\n", 2, "a second limit"),
            ("graphs 7\n8\n", 2, "`8`"),
        ] {
            assert_eq!(parse(text.as_bytes()), Err((line, found.to_owned())), "{text:?}");
        }
        assert!(parse(b"graphs \xff").is_err());
    }

    #[test]
    fn a_wrong_file_is_an_error_and_can_be_written_anew() {
        let outer = tempfile::tempdir().unwrap();
        let cache = CacheFolder::at(outer.path());
        cache.set_limit(7).unwrap();
        std::fs::write(outer.path().join(FILE), "graphs many\n").unwrap();
        let error = cache.limit().unwrap_err().to_string();
        assert!(error.contains("limit.txt, line 1: found `graphs many`"), "{error}");
        cache.set_limit(8).unwrap();
        assert_eq!(cache.limit().unwrap(), 8);
    }
}
