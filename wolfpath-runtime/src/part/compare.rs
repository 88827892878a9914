//! Settings that must be the same in all processes.

use super::{Message, put};

/// Number of characters of a setting that an error shows.
const MOST_SHOWN: usize = 100;

/// A setting that differs between two processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The other process.
    pub process: usize,
    /// Name of the setting.
    pub what: String,
    /// Its values there and here; only their start if they are long.
    pub theirs: String,
    pub own: String,
}

/// Settings of this process, each a name and a value. All processes must list the same names in the same order.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a>(pub &'a [(&'a str, String)]);

impl Settings<'_> {
    /// Returns the message that tells the settings to other processes.
    pub fn message(self) -> Vec<u8> {
        let mut message = Vec::new();
        for (_, value) in self.0 {
            put(&mut message, value.len() as u64);
            message.extend(value.as_bytes());
        }
        message
    }

    /// Returns `true` if a message of a process tells as many settings, and nothing else.
    pub fn are_as_many_as_in(self, message: &[u8]) -> bool {
        let mut message = Message(message);
        let mut take = || message.u64().and_then(|length| message.take(usize::try_from(length).ok()?));
        self.0.iter().all(|_| take().is_some()) && message.0.is_empty()
    }

    /// Returns the first difference from what the processes have told, in their order. If there is one, every process finds
    /// one.
    pub fn difference(self, heard: &[Vec<u8>]) -> Option<Difference> {
        for (process, message) in heard.iter().enumerate() {
            let mut message = Message(message);
            for (what, own) in self.0 {
                let theirs = message.u64().and_then(|length| message.take(usize::try_from(length).ok()?));
                if theirs != Some(own.as_bytes()) {
                    let theirs = theirs.map_or("nothing".into(), String::from_utf8_lossy);
                    let (what, theirs, own) = ((*what).to_owned(), start_of(&theirs), start_of(own));
                    return Some(Difference { process, what, theirs, own });
                }
            }
        }
        None
    }
}

/// Returns the start of a text that may be long, in one line.
fn start_of(text: &str) -> String {
    let start: String = text.chars().take(MOST_SHOWN).collect();
    let shown = start.escape_debug().to_string();
    if start.len() < text.len() { shown + ".." } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_process_finds_a_difference() {
        let settings = |name: &str, number: &str| [("name", name.to_owned()), ("number", number.to_owned())];
        let long = "x".repeat(2 * MOST_SHOWN);
        let all = [settings("a\nb\r", "1"), settings("a\nb\r", "1"), settings("a\nb\r", &long)];
        let heard: Vec<Vec<u8>> = all.iter().map(|settings| Settings(settings).message()).collect();
        assert_eq!(Settings(&all[0]).difference(&heard[..2]), None);
        let shown = "x".repeat(MOST_SHOWN) + "..";
        for (own, process, theirs, ours) in [(0, 2, &*shown, "1"), (1, 2, &shown, "1"), (2, 0, "1", &shown)] {
            let found = Settings(&all[own]).difference(&heard).expect("a process differs");
            assert_eq!((found.process, &*found.what), (process, "number"));
            assert_eq!((&*found.theirs, &*found.own), (theirs, ours));
        }
        let found = Settings(&all[0]).difference(&[vec![255; 9]]).expect("a message that is not a list");
        assert_eq!((&*found.what, &*found.theirs), ("name", "nothing"));
    }
}
