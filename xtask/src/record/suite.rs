//! Reads the output of the test runner.

/// Results of one test suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suite {
    /// Names of the tests that passed.
    pub(crate) passed: Vec<String>,
    /// Names of the tests that failed.
    pub(crate) failed: Vec<String>,
    /// Number of tests that were started, according to the runner.
    pub(crate) announced: usize,
    /// `true` if the runner printed its last line.
    pub(crate) is_complete: bool,
}

impl Suite {
    /// Parses the output of a runner.
    pub(crate) fn read(text: &str) -> Suite {
        let mut suite = Suite::default();
        for line in text.lines() {
            if let Some((name, result)) =
                line.strip_prefix("test ").and_then(|line| line.rsplit_once(" ... "))
            {
                match result.split_whitespace().next() {
                    Some("ok") => suite.passed.push(name.to_owned()),
                    Some("FAILED") => suite.failed.push(name.to_owned()),
                    _ => {}
                }
            } else if let Some(rest) = line.strip_prefix("running ") {
                suite.announced += rest.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
            } else if line.starts_with("test result: ") {
                suite.is_complete = true;
            }
        }
        suite.passed.sort();
        suite.failed.sort();
        suite
    }

    /// Returns a suite whose runner left nothing.
    pub(crate) fn missing() -> Suite {
        Suite { announced: 1, ..Suite::default() }
    }

    /// Adds the results of another part of the same suite.
    pub(crate) fn add(&mut self, part: Suite) {
        self.passed.extend(part.passed);
        self.failed.extend(part.failed);
        self.passed.sort();
        self.failed.sort();
        self.announced += part.announced;
        self.is_complete &= part.is_complete;
    }

    /// Returns the number of tests without a result.
    pub(crate) fn unfinished(&self) -> usize {
        self.announced.saturating_sub(self.passed.len() + self.failed.len())
    }

    /// Returns `true` if all tests finished and passed.
    pub(crate) fn is_good(&self) -> bool {
        self.is_complete && self.failed.is_empty() && !self.passed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runners_text_is_read() {
        let text = "\nrunning 4 tests\ntest cuda::b ... ok\ntest cuda::a ... FAILED\n\
                    test cuda::c has been running for over 60 seconds\ntest cuda::d ... ignored, no\n\n\
                    failures:\n    cuda::a\n\ntest result: FAILED. 1 passed; 1 failed; 1 ignored";
        let suite = Suite::read(text);
        assert_eq!((suite.passed.len(), suite.failed.as_slice()), (1, &["cuda::a".to_owned()][..]));
        assert!(suite.is_complete && !suite.is_good());
        assert_eq!(suite.unfinished(), 2);
    }

    #[test]
    fn a_runner_that_was_stopped_is_not_good() {
        let suite = Suite::read("running 2 tests\ntest cuda::b ... ok\nstopped after 420 seconds\n");
        assert!(!suite.is_good());
        assert_eq!(suite.unfinished(), 1);
    }
}
