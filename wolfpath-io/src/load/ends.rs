//! Finds, by their names, the two columns of a table that contain the ends of its edges: the source and the target. The
//! rules are the same for text and Parquet.
//!
//! Names take precedence over positions. If no column has a known name, the first two columns are source and target.
//! Ambiguous names are an error, because an edge read in the wrong direction would silently give a wrong answer.

use std::fmt;
use wolfpath_core::weights::WEIGHT;

/// Names of the source column, in any letter case. Writers use the first one.
const SOURCES: [&str; 6] = ["source", "src", "from", "tail", "u", "fromnodeid"];
/// Names of the target column, in any letter case. Writers use the first one.
const TARGETS: [&str; 7] = ["target", "dst", "to", "head", "v", "tonodeid", "destination"];

/// Indices of the two ends among the columns, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) source: usize,
    pub(super) target: usize,
}

impl Ends {
    /// The ends are in the first two columns.
    pub(super) const FIRST: Ends = Ends { source: 0, target: 1 };

    /// Returns `true` if the column is one of the ends.
    pub(super) fn contains(self, column: usize) -> bool {
        column == self.source || column == self.target
    }

    /// Returns a note on which columns are the ends, if they are not the first two.
    pub(super) fn note(self, names: &[impl AsRef<str>], told_by: &str) -> Option<String> {
        let Ends { source, target } = self;
        let name = |at: usize| names[at].as_ref();
        (self != Ends::FIRST).then(|| {
            format!(
                "{told_by} names the columns: edges lead from column {} (`{}`) to column {} (`{}`)",
                source + 1,
                name(source),
                target + 1,
                name(target)
            )
        })
    }
}

/// Reasons why names do not identify the ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EndsProblem {
    /// The names of two columns both mean the same end.
    Twice { first: String, second: String, end: &'static str },
    /// Only one end has a known name. Either its column is not in its default position, or the default position of the
    /// other end holds the weight.
    Alone { name: String, end: &'static str, other: &'static str },
}

impl fmt::Display for EndsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndsProblem::Twice { first, second, end } => write!(
                f,
                "both `{first}` and `{second}` name the {end} of an edge; rename one of them, or request the one that is \
                 an ordinary column by its name"
            ),
            EndsProblem::Alone { name, end, other } => write!(
                f,
                "`{name}` names the {end} of an edge, and no column is called `{other}`; give the {other} that name, or \
                 rename `{name}`"
            ),
        }
    }
}

/// Finds the ends by the names of all columns. A requested column (in `asked`) cannot be an end. Returns `None` if no
/// column has the name of an end, or if the only such column is in its default position (the first for the source, the
/// second for the target).
pub(super) fn find(
    names: &[impl AsRef<str>],
    asked: &[impl AsRef<str>],
) -> Result<Option<Ends>, EndsProblem> {
    let sources = places(names, &SOURCES, asked);
    let targets = places(names, &TARGETS, asked);
    // If there are columns called `source` and `target`, they are the ends, even if another column is called, for
    // example, `from`: our writers use these two names, and may write other columns of any name next to them.
    let plain = (places(names, &SOURCES[..1], asked), places(names, &TARGETS[..1], asked));
    match (plain.0.as_slice(), plain.1.as_slice()) {
        ([0, ..], [1, ..]) => return Ok(Some(Ends::FIRST)),
        ([source], [target]) => return Ok(Some(Ends { source: *source, target: *target })),
        _ => {}
    }
    let name = |at: usize| names[at].as_ref().to_owned();
    let is_weight = |at: usize| names.get(at).is_none_or(|name| name.as_ref().eq_ignore_ascii_case(WEIGHT));
    match (sources.as_slice(), targets.as_slice()) {
        ([], []) => Ok(None),
        ([source], [target]) => Ok(Some(Ends { source: *source, target: *target })),
        ([first, second, ..], _) => {
            Err(EndsProblem::Twice { first: name(*first), second: name(*second), end: "source" })
        }
        (_, [first, second, ..]) => {
            Err(EndsProblem::Twice { first: name(*first), second: name(*second), end: "target" })
        }
        ([0], []) if !is_weight(1) => Ok(None),
        ([], [1]) if !is_weight(0) => Ok(None),
        ([only], []) => Err(EndsProblem::Alone { name: name(*only), end: "source", other: "target" }),
        ([], [only]) => Err(EndsProblem::Alone { name: name(*only), end: "target", other: "source" }),
    }
}

/// Returns `true` if any of the names is a name of an end.
pub(super) fn any(names: &[impl AsRef<str>]) -> bool {
    has(names, &SOURCES) || has(names, &TARGETS)
}

/// Returns `true` if both ends have known names.
pub(super) fn both(names: &[impl AsRef<str>]) -> bool {
    has(names, &SOURCES) && has(names, &TARGETS)
}

fn has(names: &[impl AsRef<str>], known: &[&str]) -> bool {
    !places(names, known, &[] as &[&str]).is_empty()
}

/// Returns the indices of the columns that have one of the `known` names and were not requested.
fn places(names: &[impl AsRef<str>], known: &[&str], asked: &[impl AsRef<str>]) -> Vec<usize> {
    let is_known = |name: &str| known.iter().any(|known| known.eq_ignore_ascii_case(name));
    let is_asked = |name: &str| asked.iter().any(|asked| asked.as_ref().eq_ignore_ascii_case(name));
    let named = names.iter().map(AsRef::as_ref).enumerate();
    named.filter(|(_, name)| is_known(name) && !is_asked(name)).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &str) -> Result<Option<(usize, usize)>, EndsProblem> {
        let names: Vec<&str> = names.split(' ').collect();
        Ok(find(&names, &[] as &[&str])?.map(|ends| (ends.source, ends.target)))
    }

    #[test]
    fn every_name_of_either_end_in_any_case_and_place() {
        for source in ["source", "SRC", "From", "tail", "u", "FromNodeId"] {
            for target in ["target", "dst", "TO", "head", "V", "ToNodeId", "destination"] {
                assert_eq!(found(&format!("{target} {source}")), Ok(Some((1, 0))), "{source} {target}");
                assert_eq!(found(&format!("a {source} weight {target}")), Ok(Some((1, 3))));
            }
        }
    }

    #[test]
    fn whole_words_only() {
        for names in ["target_id source_id", "a b", "sources targets", "fromage tomato", "x w"] {
            assert_eq!(found(names), Ok(None), "{names}");
        }
    }

    #[test]
    fn one_name_must_agree_with_the_order() {
        for names in ["id target", "source id", "from other weight"] {
            assert_eq!(found(names), Ok(None), "{names}");
        }
        for names in ["target id", "id source", "a b v", "weight target", "source weight id"] {
            assert!(matches!(found(names), Err(EndsProblem::Alone { .. })), "{names}");
        }
    }

    #[test]
    fn two_names_of_one_end_are_refused_unless_source_and_target_decide() {
        for names in ["src source dst", "from to v", "u v tail head", "source source target", "a to head"] {
            assert!(matches!(found(names), Err(EndsProblem::Twice { .. })), "{names}");
        }
        assert_eq!(found("u v target source"), Ok(Some((3, 2))));
        assert_eq!(found("source target u source"), Ok(Some((0, 1))));
        let ends = find(&["from", "to", "u", "v"], &["V", "u"]);
        assert_eq!(ends, Ok(Some(Ends { source: 0, target: 1 })));
    }
}
