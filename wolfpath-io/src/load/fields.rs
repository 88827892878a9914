//! Cutting a line into fields, and reading ids and weights from them, without a copy and without a surprise.

use super::error::{FieldCount, LineProblem, shown};
use wolfpath_core::assemble::Number;

/// The most fields that any line may have, and one more to notice that there are too many.
const MOST: usize = 5;

/// The fields of one line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    fields: [&'a [u8]; MOST],
    len: usize,
}

impl<'a> Fields<'a> {
    /// Cuts at white space, at commas and at semicolons. Between two fields stands at most one comma or semicolon,
    /// else a field is missing; what follows the fifth field is not looked at.
    #[inline]
    pub(super) fn cut(line: &'a [u8]) -> Result<Fields<'a>, LineProblem> {
        let mut fields = Fields { fields: [&[]; MOST], len: 0 };
        let mut at = skip_space(line, 0);
        while at < line.len() && fields.len < MOST {
            let start = at;
            while at < line.len() && !separates(line[at]) {
                at += 1;
            }
            if start == at {
                return Err(LineProblem::EmptyField);
            }
            fields.fields[fields.len] = &line[start..at];
            fields.len += 1;
            at = skip_space(line, at);
            if at < line.len() && is_punctuation(line[at]) {
                at = skip_space(line, at + 1);
                if at == line.len() {
                    return Err(LineProblem::EmptyField);
                }
            }
        }
        Ok(fields)
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[&'a [u8]] {
        &self.fields[..self.len]
    }

    /// Exactly `N` fields; `expected` shows them in the error.
    #[inline]
    pub(super) fn exactly<const N: usize>(
        &self,
        expected: &'static str,
    ) -> Result<[&'a [u8]; N], LineProblem> {
        let found = FieldCount(self.len);
        let fields: [&'a [u8]; N] = self.as_slice().try_into().map_err(|_| {
            if self.len < N {
                LineProblem::TooFewFields { found, expected }
            } else {
                LineProblem::TooManyFields { found, expected }
            }
        })?;
        Ok(fields)
    }
}

/// All fields of a line, however many, cut as [`Fields::cut`] cuts them.
pub(super) fn cut_all(line: &[u8]) -> Result<Vec<&[u8]>, LineProblem> {
    let mut fields = Vec::new();
    let mut at = skip_space(line, 0);
    while at < line.len() {
        let length = line[at..].iter().position(|&byte| separates(byte)).unwrap_or(line.len() - at);
        if length == 0 {
            return Err(LineProblem::EmptyField);
        }
        fields.push(&line[at..at + length]);
        at = skip_space(line, at + length);
        if at < line.len() && is_punctuation(line[at]) {
            at = skip_space(line, at + 1);
            if at == line.len() {
                return Err(LineProblem::EmptyField);
            }
        }
    }
    Ok(fields)
}

#[inline]
fn skip_space(line: &[u8], mut at: usize) -> usize {
    while at < line.len() && is_space(line[at]) {
        at += 1;
    }
    at
}

#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[inline]
fn is_punctuation(byte: u8) -> bool {
    matches!(byte, b',' | b';')
}

#[inline]
fn separates(byte: u8) -> bool {
    is_space(byte) || is_punctuation(byte)
}

/// Digits only, and not too many: the number they write.
#[inline]
fn digits(field: &[u8]) -> Option<u64> {
    // 19 digits cannot overflow.
    if field.is_empty() || field.len() > 19 {
        return None;
    }
    let mut number = 0u64;
    for &byte in field {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = 10 * number + u64::from(digit);
    }
    Some(number)
}

fn text(field: &[u8]) -> &str {
    std::str::from_utf8(field).unwrap_or("?")
}

/// A vertex id.
#[inline]
pub(super) fn id(field: &[u8]) -> Result<u64, LineProblem> {
    match digits(field) {
        Some(id) => Ok(id),
        None => unusual_id(field),
    }
}

#[cold]
fn unusual_id(field: &[u8]) -> Result<u64, LineProblem> {
    let all_digits = |field: &[u8]| !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    match field {
        [b'-', rest @ ..] if all_digits(rest) => Err(LineProblem::NegativeId { field: shown(field) }),
        _ if all_digits(field) => {
            text(field).parse().map_err(|_| LineProblem::IdTooLarge { field: shown(field) })
        }
        b"a" | b"p" | b"c" => Err(LineProblem::StartOfGr { field: shown(field) }),
        _ => Err(LineProblem::NotAnId { field: shown(field) }),
    }
}

/// A count in a header; `expected` shows the header.
pub(super) fn count(field: &[u8], expected: &'static str) -> Result<u64, LineProblem> {
    text(field).parse().map_err(|_| LineProblem::NotACount { field: shown(field), expected })
}

/// A weight: an integer where it is written as one, else the nearest f64.
#[inline]
pub(super) fn weight(field: &[u8]) -> Result<Number, LineProblem> {
    match digits(field) {
        Some(weight) => Ok(Number::Integer(weight.into())),
        None => unusual_weight(field),
    }
}

fn unusual_weight(field: &[u8]) -> Result<Number, LineProblem> {
    if let Ok(integer) = text(field).parse::<i128>() {
        return Ok(Number::Integer(integer));
    }
    let float: f64 = text(field).parse().map_err(|_| LineProblem::NotAWeight { field: shown(field) })?;
    let mantissa = field.split(|byte| byte.eq_ignore_ascii_case(&b'e')).next().unwrap_or_default();
    let is_nonzero = mantissa.iter().any(|byte| matches!(byte, b'1'..=b'9'));
    let spelled_out = field.iter().any(|byte| byte.eq_ignore_ascii_case(&b'i'));
    match float {
        _ if float.is_nan() => Err(LineProblem::NanWeight),
        _ if float.is_infinite() && !spelled_out => Err(LineProblem::WeightOverflow { field: shown(field) }),
        _ if float == 0.0 && is_nonzero => Err(LineProblem::WeightUnderflow { field: shown(field) }),
        _ => Ok(Number::Float(float)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str) -> Result<Vec<&str>, LineProblem> {
        let fields = Fields::cut(line.as_bytes())?;
        Ok(fields.as_slice().iter().map(|field| std::str::from_utf8(field).unwrap()).collect())
    }

    #[test]
    fn separators_mix() {
        assert_eq!(cut(" 1\t2 ,3\r"), Ok(vec!["1", "2", "3"]));
        assert_eq!(cut("1;2;0.5"), Ok(vec!["1", "2", "0.5"]));
        assert_eq!(cut("  "), Ok(vec![]));
        assert_eq!(cut("1 2 3 4 5 6 7").map(|fields| fields.len()), Ok(5));
    }

    #[test]
    fn fields_are_never_skipped() {
        for line in ["1,,3", ",1,2", "1, ;2", "1,2,", "1,2, "] {
            assert_eq!(cut(line), Err(LineProblem::EmptyField), "{line}");
            assert_eq!(cut_all(line.as_bytes()), Err(LineProblem::EmptyField), "{line}");
        }
        for line in [" 1\t2 ,3\r", "1;2;0.5", "  ", "1 2 3 4 5"] {
            let fields = Fields::cut(line.as_bytes()).unwrap();
            assert_eq!(cut_all(line.as_bytes()).unwrap(), fields.as_slice(), "{line}");
        }
        assert_eq!(cut_all(b"1 2 3,4;5 6 7\r").map(|fields| fields.len()), Ok(7));
    }

    #[test]
    fn ids() {
        assert_eq!(id(b"18446744073709551615"), Ok(u64::MAX));
        assert_eq!(id(b"007"), Ok(7));
        assert_eq!(
            id(b"18446744073709551616"),
            Err(LineProblem::IdTooLarge { field: "18446744073709551616".into() })
        );
        assert_eq!(id(b"-3"), Err(LineProblem::NegativeId { field: "-3".into() }));
        for field in ["1.0", "+1", "x", "0x1f", "-", "1e3", "\"1\""] {
            assert!(matches!(id(field.as_bytes()), Err(LineProblem::NotAnId { .. })), "{field}");
        }
    }

    #[test]
    fn weights() {
        assert_eq!(weight(b"12"), Ok(Number::Integer(12)));
        assert_eq!(weight(b"-12"), Ok(Number::Integer(-12)));
        assert_eq!(weight(b"1e3"), Ok(Number::Float(1000.0)));
        assert_eq!(weight(b"0e-400"), Ok(Number::Float(0.0)));
        assert_eq!(weight(b"5e-324"), Ok(Number::Float(5e-324)));
        for field in ["1e-400", "-0.2E-999"] {
            assert_eq!(weight(field.as_bytes()), Err(LineProblem::WeightUnderflow { field: field.into() }));
        }
        assert_eq!(weight(b"-Infinity"), Ok(Number::Float(f64::NEG_INFINITY)));
        assert_eq!(weight(b"NaN"), Err(LineProblem::NanWeight));
        assert!(matches!(weight(b"1e999"), Err(LineProblem::WeightOverflow { .. })));
        assert!(matches!(weight(b"-1e999"), Err(LineProblem::WeightOverflow { .. })));
        assert!(matches!(weight(b"five"), Err(LineProblem::NotAWeight { .. })));
        assert!(matches!(weight(b"\xff"), Err(LineProblem::NotAWeight { .. })));
        let digits = "9".repeat(400);
        assert!(matches!(weight(digits.as_bytes()), Err(LineProblem::WeightOverflow { .. })));
    }
}
