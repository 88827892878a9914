//! What the test runner printed, read.

/// One suite's results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suite {
    /// Tests that passed, by name.
    pub(crate) passed: Vec<String>,
    /// Tests that failed.
    pub(crate) failed: Vec<String>,
    /// Tests that began to run, by the runner's count.
    pub(crate) announced: usize,
    /// The runner came to its closing line.
    pub(crate) is_complete: bool,
}

impl Suite {
    /// Reads a runner's text.
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

    /// Tests of which nothing was heard.
    pub(crate) fn unheard(&self) -> usize {
        self.announced.saturating_sub(self.passed.len() + self.failed.len())
    }

    /// All tests were heard of and passed.
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
        assert_eq!(suite.unheard(), 2);
    }

    #[test]
    fn a_runner_that_was_stopped_is_not_good() {
        let suite = Suite::read("running 2 tests\ntest cuda::b ... ok\nstopped after 420 seconds\n");
        assert!(!suite.is_good());
        assert_eq!(suite.unheard(), 1);
    }
}
