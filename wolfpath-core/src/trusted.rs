//! Access to folders and files that are trusted because only the user or root could have written them.
//!
//! Compiled programs, device figures and kept graphs are found by name alone. Another user could therefore place a file
//! with the right name, and a compiled program would even be executed. To prevent this, on Unix such files are read
//! only if both the folder and the file
//!
//! - belong to the effective user or to root, and
//! - cannot be written by their group or by others. (With POSIX access control lists, the group bits are the mask of
//!   everything that a list grants, so a list that lets another user write is also detected.)
//!
//! Both the folder and the file must be checked. Otherwise, a user who can write only to the folder could rename files
//! in it or link to other files, so that one of the victim's own files appears under the name of another. For the same
//! reason, a sticky folder such as `/tmp` is not trusted.
//!
//! The folders above the cache folder are not checked. A user who can write to one of them can replace the whole cache
//! folder. But the replacement is trusted only if it belongs to the victim or to root and others cannot write to it, so
//! it cannot contain the attacker's files. For the same reason the cache folder itself may be a symbolic link, but
//! nothing below it may.
//!
//! A file or folder is first opened, and then checked and read through the same descriptor. A file is opened relative
//! to the descriptor of its folder. Neither can therefore be exchanged between check and use. On network file systems,
//! the modes and owners are those that the server reports.
//!
//! On systems other than Unix nothing is checked: Windows' folder for local data is private by its access control list.

#[cfg_attr(unix, path = "trusted/unix.rs")]
#[cfg_attr(not(unix), path = "trusted/elsewhere.rs")]
mod platform;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::replace::{Readers, replace};

/// The reason why a folder or file is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// A system call failed. The file may not exist.
    #[error("{}: {source}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The folder or file belongs to another user.
    #[error(
        "{} belongs to another user (id {owner}), expected this one (id {user}) or root; remove it, or choose another folder",
        path.display()
    )]
    Owner {
        /// The folder or file.
        path: PathBuf,
        /// The id of its owner.
        owner: u32,
        /// The id of the effective user.
        user: u32,
    },
    /// Users other than the owner can write to it.
    #[error(
        "{path} can be written by others (mode {mode:04o}), expected only by its owner; run `chmod go-w {path}`",
        path = path.display()
    )]
    Writable {
        /// The folder or file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The folder or file is of an unexpected kind, such as a link or a pipe.
    #[error("{} is not {expected}; remove it, or choose another folder", path.display())]
    Kind {
        /// The folder or file.
        path: PathBuf,
        /// The expected kind.
        expected: &'static str,
    },
}

impl TrustError {
    /// Returns `true` if the error only means that the folder or file does not exist.
    pub fn is_absent(&self) -> bool {
        matches!(self, TrustError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    fn io(path: &Path) -> impl FnOnce(io::Error) -> TrustError {
        let path = path.to_owned();
        |source| TrustError::Io { path, source }
    }
}

/// An open folder that belongs to the user or to root, and that other users cannot write to.
#[derive(Debug)]
pub struct TrustedFolder {
    path: PathBuf,
    handle: platform::Handle,
}

/// A file in a trusted folder, as the folder lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name in the folder.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Time of the last modification.
    pub modified: SystemTime,
}

impl TrustedFolder {
    /// Opens a folder, which may be a symbolic link.
    ///
    /// # Errors
    /// Returns [`TrustError`] if the folder cannot be opened or is not trusted.
    pub fn open(path: impl AsRef<Path>) -> Result<TrustedFolder, TrustError> {
        let path = path.as_ref().to_owned();
        let handle = platform::open_folder(&path)?;
        Ok(TrustedFolder { path, handle })
    }

    /// Opens a folder. Creates it and the folders above it if necessary, accessible only to the user.
    ///
    /// # Errors
    /// Returns [`TrustError`] if the folder cannot be created or opened, or is not trusted.
    pub fn create(path: impl AsRef<Path>) -> Result<TrustedFolder, TrustError> {
        let path = path.as_ref();
        platform::create_folders(path).map_err(TrustError::io(path))?;
        TrustedFolder::open(path)
    }

    /// Opens a subfolder of this folder. The subfolder must not be a link.
    ///
    /// # Errors
    /// Returns [`TrustError`] if the folder cannot be opened or is not trusted.
    pub fn subfolder(&self, name: &str) -> Result<TrustedFolder, TrustError> {
        let path = self.path.join(name);
        let handle = platform::open_subfolder(&self.handle, name, &path)?;
        Ok(TrustedFolder { path, handle })
    }

    /// Opens a subfolder of this folder. Creates it if necessary, accessible only to the user.
    ///
    /// # Errors
    /// Returns [`TrustError`] if the folder cannot be created or opened, or is not trusted.
    pub fn create_subfolder(&self, name: &str) -> Result<TrustedFolder, TrustError> {
        let path = self.path.join(name);
        platform::create_subfolder(&self.handle, name, &path).map_err(TrustError::io(&path))?;
        self.subfolder(name)
    }

    /// Returns the path that the folder was opened with.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file of this folder for reading. The returned handle can also set the file's times.
    ///
    /// # Errors
    /// Returns [`TrustError`] if the file does not exist, is not a regular file, or is not trusted.
    pub fn open_file(&self, name: impl AsRef<OsStr>) -> Result<File, TrustError> {
        let name = name.as_ref();
        platform::open_file(&self.handle, name, &self.path.join(name))
    }

    /// Reads a file of this folder.
    ///
    /// # Errors
    /// Returns the errors from [`open_file`](Self::open_file), or an error if the file cannot be read.
    pub fn read(&self, name: impl AsRef<OsStr>) -> Result<Vec<u8>, TrustError> {
        let name = name.as_ref();
        let mut bytes = Vec::new();
        let read = self.open_file(name)?.read_to_end(&mut bytes);
        read.map_err(TrustError::io(&self.path.join(name)))?;
        Ok(bytes)
    }

    /// Writes a file that is accessible only to the user. The file is replaced atomically.
    ///
    /// # Errors
    /// Returns the system's error. The file is unchanged in this case.
    pub fn write(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<()> {
        replace(&self.path.join(name.as_ref()), Readers::User, |file| file.write_all(bytes))
    }

    /// Lists the regular files of this folder whose names are UTF-8, in no particular order. Links are neither followed
    /// nor listed.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn files(&self) -> io::Result<Vec<Listed>> {
        platform::files(&self.handle, &self.path)
    }

    /// Removes a file of this folder. If it is a link, removes the link.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        platform::remove(&self.handle, name, &self.path.join(name))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn set_mode(path: impl AsRef<Path>, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: impl AsRef<Path>) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn the_user_and_root_are_trusted_and_nobody_else() {
        let path = Path::new("/a/file");
        for (owner, mode) in [(7, 0o100600), (7, 0o100644), (0, 0o100644), (7, 0o40700), (7, 0o41755)] {
            platform::judge(path, owner, mode, 7).unwrap();
        }
        let refused = |owner, mode| platform::judge(path, owner, mode, 7).unwrap_err();
        assert!(matches!(refused(8, 0o100600), TrustError::Owner { owner: 8, user: 7, .. }));
        assert!(matches!(refused(7, 0o100620), TrustError::Writable { mode: 0o620, .. }));
        assert!(matches!(refused(0, 0o100602), TrustError::Writable { mode: 0o602, .. }));
        assert!(matches!(refused(7, 0o41777), TrustError::Writable { mode: 0o1777, .. }));
        // Even root does not trust files of other users.
        assert!(matches!(platform::judge(path, 7, 0o100600, 0), Err(TrustError::Owner { .. })));
        assert!(refused(7, 0o41777).to_string().contains("mode 1777"), "{}", refused(7, 0o41777));
    }

    #[test]
    fn what_is_made_is_for_the_user_alone() {
        let outer = tempfile::tempdir().unwrap();
        let folder = TrustedFolder::create(outer.path().join("made/when/needed")).unwrap();
        let below = folder.create_subfolder("below").unwrap();
        folder.create_subfolder("below").unwrap();
        below.write("file", b"text").unwrap();
        for made in ["made", "made/when", "made/when/needed", "made/when/needed/below"] {
            assert_eq!(mode(outer.path().join(made)), 0o700, "{made}");
        }
        assert_eq!(mode(below.path().join("file")), 0o600);
        assert_eq!(below.read("file").unwrap(), b"text");
        below.write("file", b"other").unwrap();
        assert_eq!(below.read("file").unwrap(), b"other");
        let [listed] = &below.files().unwrap()[..] else { panic!("{:?}", below.files()) };
        assert_eq!((listed.name.as_str(), listed.bytes), ("file", 5));
        below.remove("file").unwrap();
        assert!(below.read("file").unwrap_err().is_absent());
    }

    #[test]
    fn others_who_can_write_are_noticed() {
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("folder");
        let folder = TrustedFolder::create(&path).unwrap();
        let below = folder.create_subfolder("below").unwrap();
        below.write("file", b"text").unwrap();
        for wrong in [0o770, 0o707, 0o1777] {
            set_mode(&path, wrong);
            assert!(matches!(TrustedFolder::open(&path), Err(TrustError::Writable { .. })), "{wrong:o}");
            set_mode(&path, 0o700);
            set_mode(path.join("below"), wrong);
            assert!(matches!(folder.subfolder("below"), Err(TrustError::Writable { .. })), "{wrong:o}");
            assert!(folder.create_subfolder("below").is_err());
            set_mode(path.join("below"), 0o700);
        }
        for wrong in [0o660, 0o602] {
            set_mode(path.join("below/file"), wrong);
            assert!(matches!(below.read("file"), Err(TrustError::Writable { .. })), "{wrong:o}");
        }
        set_mode(path.join("below/file"), 0o644);
        assert_eq!(below.read("file").unwrap(), b"text");
    }

    #[test]
    fn only_the_folder_itself_may_be_a_link() {
        let outer = tempfile::tempdir().unwrap();
        let real = TrustedFolder::create(outer.path().join("real")).unwrap();
        real.create_subfolder("below").unwrap();
        real.write("file", b"text").unwrap();
        symlink("real", outer.path().join("link")).unwrap();
        let folder = TrustedFolder::open(outer.path().join("link")).unwrap();
        assert_eq!(folder.read("file").unwrap(), b"text");
        symlink("below", real.path().join("to-folder")).unwrap();
        symlink("file", real.path().join("to-file")).unwrap();
        let status = std::process::Command::new("mkfifo").arg(real.path().join("pipe")).status().unwrap();
        assert!(status.success());
        set_mode(real.path().join("pipe"), 0o600);
        assert!(matches!(folder.subfolder("to-folder"), Err(TrustError::Kind { .. })));
        for name in ["to-file", "pipe", "below"] {
            assert!(matches!(folder.read(name), Err(TrustError::Kind { .. })), "{name}");
        }
        let names: Vec<String> = folder.files().unwrap().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["file"]);
        folder.remove("to-file").unwrap();
        assert_eq!(folder.read("file").unwrap(), b"text");
    }
}
