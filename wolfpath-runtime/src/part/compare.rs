//! Settings that must be the same in all processes.

/// Number of characters of another process's setting that an error shows.
const MOST_SHOWN: usize = 100;

/// A setting that differs between two processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The other process.
    pub process: usize,
    /// Name of the setting.
    pub what: String,
    /// Its value there (the start of it, if it is long) and here.
    pub theirs: String,
    pub own: String,
}

/// Settings of this process, each a name and a value of one line. All processes must list the same names in the same order.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a>(pub &'a [(&'a str, String)]);

impl Settings<'_> {
    /// Returns the message that tells the settings to other processes.
    pub fn message(self) -> Vec<u8> {
        self.0.iter().flat_map(|(_, value)| [value.as_bytes(), b"\n"].concat()).collect()
    }

    /// Returns the first difference from what the processes have told, in their order. If there is one, every process finds
    /// one.
    pub fn difference(self, heard: &[Vec<u8>]) -> Option<Difference> {
        for (process, message) in heard.iter().enumerate() {
            let message = String::from_utf8_lossy(message);
            let mut theirs = message.lines();
            for (what, own) in self.0 {
                let theirs = theirs.next().unwrap_or("nothing");
                if theirs != own {
                    let (what, theirs, own) = ((*what).to_owned(), start_of(theirs), own.clone());
                    return Some(Difference { process, what, theirs, own });
                }
            }
        }
        None
    }
}

/// Returns the start of a text that may be long.
fn start_of(text: &str) -> String {
    let start: String = text.chars().take(MOST_SHOWN).collect();
    if start.len() < text.len() { start + ".." } else { start }
}
