//! The decision how an input is read, in one place: by the format that the user names, else by the file's name and its
//! neighbours, else by the text. The banner of Matrix Market beats the name, since no other format begins with it.

use super::format::Format;
use super::record::Record;
use std::path::Path;
use wolfpath_core::store::is_wolf;

/// An input that a graph is opened from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A `.wolf` file, which is opened as it is.
    Layered,
    /// A file of edges, which are read and layered.
    Edges(Told),
}

/// The knowledge of an input's format before its text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// The user names it.
    ByUser(Format),
    /// The name says it.
    ByName(Format),
    /// Only the text can tell.
    Nothing,
}

/// The kind of reader for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As lines, each of which can be read independently of the others.
    Lines(Lines),
    /// From front to back.
    Whole(WholeFormat),
}

/// The format of a text's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Those of this format.
    Certain(LineFormat),
    /// Those of this format, unless the text begins with the banner of Matrix Market.
    UnlessBanner(LineFormat),
    /// Those of the format that the text looks like.
    OfText,
}

/// A format of which each line can be read independently of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineFormat {
    EdgeList,
    MatrixMarket,
    Gr,
}

/// A format that is read from front to back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WholeFormat {
    Metis,
    Serialized,
    SerializedWeighted,
    Binary(Record),
    Parquet,
    WebGraph,
}

impl Input {
    /// Returns what a path names; `asked` is the format that the user names for a file of edges.
    pub(crate) fn of(asked: Option<Format>, path: &Path) -> Input {
        if is_wolf(path) { Input::Layered } else { Input::Edges(Told::of_file(asked, path)) }
    }
}

impl Told {
    /// Returns what is known of bytes that have a name.
    pub(crate) fn of_name(asked: Option<Format>, name: &Path) -> Told {
        Told::or(asked, || Format::of_name(name))
    }

    /// Returns what is known of a file, by its name and its neighbours.
    pub(crate) fn of_file(asked: Option<Format>, path: &Path) -> Told {
        Told::or(asked, || Format::of_file(path))
    }

    fn or(asked: Option<Format>, named: impl FnOnce() -> Option<Format>) -> Told {
        match asked {
            Some(format) => Told::ByUser(format),
            None => named().map_or(Told::Nothing, Told::ByName),
        }
    }

    /// Decides how the input is read. Every format is named here, so that a new one cannot fall to the reader of another.
    pub(crate) fn decide(self) -> Reading {
        let (format, lines): (Format, fn(LineFormat) -> Lines) = match self {
            Told::ByUser(format) => (format, Lines::Certain),
            Told::ByName(format) => (format, Lines::UnlessBanner),
            Told::Nothing => return Reading::Lines(Lines::OfText),
        };
        match format {
            Format::EdgeList => Reading::Lines(lines(LineFormat::EdgeList)),
            Format::MatrixMarket => Reading::Lines(lines(LineFormat::MatrixMarket)),
            Format::Gr => Reading::Lines(lines(LineFormat::Gr)),
            Format::Metis => Reading::Whole(WholeFormat::Metis),
            Format::Serialized => Reading::Whole(WholeFormat::Serialized),
            Format::SerializedWeighted => Reading::Whole(WholeFormat::SerializedWeighted),
            Format::Binary(record) => Reading::Whole(WholeFormat::Binary(record)),
            Format::Parquet => Reading::Whole(WholeFormat::Parquet),
            Format::WebGraph => Reading::Whole(WholeFormat::WebGraph),
        }
    }
}

impl Lines {
    /// Returns the format of lines, now that the first of them are there.
    pub(crate) fn format(self, text: &[u8]) -> LineFormat {
        match self {
            Lines::Certain(format) => format,
            Lines::UnlessBanner(_) if has_matrix_market_banner(text) => LineFormat::MatrixMarket,
            Lines::UnlessBanner(format) => format,
            Lines::OfText => of_text(text),
        }
    }
}

/// Returns the format that a text looks like.
fn of_text(text: &[u8]) -> LineFormat {
    if has_matrix_market_banner(text) {
        return LineFormat::MatrixMarket;
    }
    let significant = |line: &&[u8]| !matches!(line.first(), None | Some(b'#' | b'%'));
    let first = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).find(significant);
    let is_gr = first.is_some_and(|line| {
        matches!(line, b"c" | b"a" | b"p") || matches!(line, [b'c' | b'a' | b'p', b' ' | b'\t', ..])
    });
    if is_gr { LineFormat::Gr } else { LineFormat::EdgeList }
}

/// Returns `true` if the text begins with the banner of every Matrix Market file, which no other format begins with.
pub(super) fn has_matrix_market_banner(text: &[u8]) -> bool {
    const BANNER: &[u8] = b"%%MatrixMarket";
    text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

impl LineFormat {
    /// Returns `true` if a file without bytes is a graph without vertices.
    pub(super) fn may_be_empty(self) -> bool {
        match self {
            LineFormat::EdgeList => true,
            LineFormat::MatrixMarket | LineFormat::Gr => false,
        }
    }
}

impl WholeFormat {
    /// Returns `true` if a file without bytes is a graph without vertices.
    pub(super) fn may_be_empty(self) -> bool {
        self == WholeFormat::WebGraph
    }
}

impl From<LineFormat> for Format {
    fn from(format: LineFormat) -> Format {
        match format {
            LineFormat::EdgeList => Format::EdgeList,
            LineFormat::MatrixMarket => Format::MatrixMarket,
            LineFormat::Gr => Format::Gr,
        }
    }
}

impl From<WholeFormat> for Format {
    fn from(format: WholeFormat) -> Format {
        match format {
            WholeFormat::Metis => Format::Metis,
            WholeFormat::Serialized => Format::Serialized,
            WholeFormat::SerializedWeighted => Format::SerializedWeighted,
            WholeFormat::Binary(record) => Format::Binary(record),
            WholeFormat::Parquet => Format::Parquet,
            WholeFormat::WebGraph => Format::WebGraph,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format in which a text is read.
    fn read_as(told: Told, text: &[u8]) -> Format {
        match told.decide() {
            Reading::Lines(lines) => lines.format(text).into(),
            Reading::Whole(whole) => whole.into(),
        }
    }

    #[test]
    fn content() {
        let of = |text: &[u8]| read_as(Told::Nothing, text);
        assert_eq!(of(b"%%matrixmarket matrix"), Format::MatrixMarket);
        assert_eq!(of(b"\n# hello\n1 2\n"), Format::EdgeList);
        assert_eq!(of(b"c roads\np sp 3 2\n"), Format::Gr);
        assert_eq!(of(b"a 0 1 5\n"), Format::Gr);
        assert_eq!(of(b"\xff\x00"), Format::EdgeList);
    }

    #[test]
    fn every_format_goes_to_its_own_reader() {
        for format in Format::ALL.into_iter().chain(Record::ALL.map(Format::Binary)) {
            assert_eq!(read_as(Told::ByUser(format), b"1 2\n"), format);
            assert_eq!(read_as(Told::ByName(format), b"1 2\n"), format);
        }
    }

    #[test]
    fn the_banner_beats_the_name_but_not_the_user() {
        let banner = b"%%MatrixMarket matrix";
        assert_eq!(read_as(Told::ByName(Format::Gr), banner), Format::MatrixMarket);
        assert_eq!(read_as(Told::ByUser(Format::Gr), banner), Format::Gr);
        assert_eq!(read_as(Told::ByName(Format::Metis), banner), Format::Metis);
    }

    #[test]
    fn the_user_beats_the_name() {
        let path = Path::new("roads.gr");
        assert_eq!(Told::of_name(Some(Format::EdgeList), path), Told::ByUser(Format::EdgeList));
        assert_eq!(Told::of_name(None, path), Told::ByName(Format::Gr));
        assert_eq!(Told::of_file(None, Path::new("roads")), Told::Nothing);
    }
}
