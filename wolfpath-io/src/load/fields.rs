//! Reads the numbers of a line, in two ways. Functions whose names start with `plain_` parse ordinary lines in one pass
//! over the bytes, without splitting them. They return `None` for every other line. The slow path then splits that line
//! into fields, parses each, and reports errors.

use super::error::{FieldCount, LineProblem, shown};
use wolfpath_core::assemble::Number;

/// Maximum number of fields of a valid line, plus one, so that extra fields are detected.
const MOST: usize = 5;

/// Fields of one line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    fields: [&'a [u8]; MOST],
    len: usize,
}

impl<'a> Fields<'a> {
    /// Splits a line like [`cut`]. Anything after the fifth field is ignored.
    #[inline]
    pub(super) fn cut(line: &'a [u8]) -> Result<Fields<'a>, LineProblem> {
        let mut fields = Fields { fields: [&[]; MOST], len: 0 };
        for field in cut(line).take(MOST) {
            fields.fields[fields.len] = field?;
            fields.len += 1;
        }
        Ok(fields)
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[&'a [u8]] {
        &self.fields[..self.len]
    }

    /// Returns the fields if there are exactly `N`. `expected` describes them in the error.
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

/// Returns all fields of a line, split like [`cut`].
pub(super) fn cut_all(line: &[u8]) -> Result<Vec<&[u8]>, LineProblem> {
    cut(line).collect()
}

/// Splits a line at white space, commas and semicolons. Two commas or semicolons in a row are an error, because the
/// field between them is missing.
#[inline]
fn cut(line: &[u8]) -> Cut<'_> {
    Cut { line, at: skip_space(line, 0) }
}

/// Iterator over the fields of a line. It must not be used after an error.
struct Cut<'a> {
    line: &'a [u8],
    /// Start of the next field, or the end of the line.
    at: usize,
}

impl<'a> Iterator for Cut<'a> {
    type Item = Result<&'a [u8], LineProblem>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (line, start) = (self.line, self.at);
        if start == line.len() {
            return None;
        }
        let mut end = start;
        while end < line.len() && !separates(line[end]) {
            end += 1;
        }
        if start == end {
            return Some(Err(LineProblem::EmptyField));
        }
        self.at = skip_space(line, end);
        if self.at < line.len() && is_punctuation(line[self.at]) {
            self.at = skip_space(line, self.at + 1);
            if self.at == line.len() {
                return Some(Err(LineProblem::EmptyField));
            }
        }
        Some(Ok(&line[start..end]))
    }
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

/// Returns the number that a field represents, if the field consists of at most 19 digits.
#[inline]
fn digits(field: &[u8]) -> Option<u64> {
    // A number of 19 digits cannot overflow a `u64`.
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

/// Parses a vertex id.
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

/// Parses a count in a header. `expected` describes the header in the error.
pub(super) fn count(field: &[u8], expected: &'static str) -> Result<u64, LineProblem> {
    text(field).parse().map_err(|_| LineProblem::NotACount { field: shown(field), expected })
}

/// Parses a weight: an integer if it is written as one, otherwise the nearest f64.
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

/// Parses digits at `at`. Returns the number and the position after it, or `None` if there is no digit or the number
/// may overflow.
#[inline(always)]
pub(super) fn plain_number(text: &[u8], mut at: usize) -> Option<(u64, usize)> {
    let begin = at;
    let mut number = 0u64;
    // Reads eight bytes at once: most ids fit in them.
    if let Some(bytes) = text.get(at..at + 8) {
        let (value, digits) = leading_digits(u64::from_le_bytes(bytes.try_into().ok()?));
        if digits < 8 {
            return (digits > 0).then_some((value, at + digits));
        }
        number = value;
        at += 8;
    }
    while let Some(&byte) = text.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(digit.into());
        at += 1;
    }
    // A number of 19 digits cannot overflow a `u64`.
    (at > begin && at - begin <= 19).then_some((number, at))
}

/// Returns the number that the leading digits of eight bytes represent, and the number of these digits. The first byte
/// is the least significant. Digits are combined into pairs, pairs into groups of four, and these into eight digits (a
/// well-known technique; Lemire 2018).
#[inline(always)]
fn leading_digits(bytes: u64) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let values = bytes ^ (ONES * u64::from(b'0'));
    // Set the high bit of every byte that is not a digit. A carry can make later bytes wrong, but only after a byte
    // that is not a digit, and only the first such byte is used.
    let others = (values.wrapping_add(ONES * 0x76) | values) & (ONES * 0x80);
    let digits = others.trailing_zeros() as usize / 8;
    if digits == 0 {
        return (0, 0);
    }
    // Shift the digits up, so that the last digit is in the highest byte. The bytes below become leading zeros.
    let values = values << (64 - 8 * digits);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let even = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let odd = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (even.wrapping_add(odd) >> 32, digits)
}

/// Skips the separator between two numbers: any number of blanks and at most one comma. Returns `None` if there is no
/// separator.
#[inline(always)]
pub(super) fn plain_separator(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b' ' | b'\t' | b',' => {}
        _ => return None,
    }
    if text.get(at + 1)?.is_ascii_digit() {
        return Some(at + 1);
    }
    let mut commas = usize::from(text[at] == b',');
    let mut next = at + 1;
    while let Some(byte) = text.get(next) {
        match byte {
            b' ' | b'\t' => next += 1,
            b',' if commas == 0 => {
                commas = 1;
                next += 1;
            }
            _ => break,
        }
    }
    Some(next)
}

/// Returns the start of the next line if a line ends at `at`, with or without a carriage return.
#[inline(always)]
pub(super) fn plain_line_end(text: &[u8], at: usize) -> Option<usize> {
    match (text.get(at)?, text.get(at + 1)) {
        (b'\n', _) => Some(at + 1),
        (b'\r', Some(b'\n')) => Some(at + 2),
        _ => None,
    }
}

/// Parses a line `source target`.
#[inline(always)]
pub(super) fn plain_pair(text: &[u8], at: usize) -> Option<(u64, u64, usize)> {
    let (source, at) = plain_number(text, at)?;
    let (target, at) = plain_number(text, plain_separator(text, at)?)?;
    Some((source, target, at))
}

/// Parses a line `source target weight` whose weight fits in 32 bits.
#[inline(always)]
pub(super) fn plain_triple(text: &[u8], at: usize) -> Option<(u64, u64, u32, usize)> {
    let (source, target, at) = plain_pair(text, at)?;
    let (weight, at) = plain_number(text, plain_separator(text, at)?)?;
    Some((source, target, u32::try_from(weight).ok()?, at))
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

    #[test]
    fn plain_lines() {
        assert_eq!(plain_pair(b"12 7\n", 0), Some((12, 7, 4)));
        assert_eq!(plain_pair(b"12\t , \t7\r\n", 0), Some((12, 7, 8)));
        assert_eq!(plain_triple(b"x1,2,4294967295\n", 1), Some((1, 2, u32::MAX, 15)));
        assert_eq!(
            (plain_line_end(b"7\r\n", 1), plain_line_end(b"7\n", 1), plain_line_end(b"7 \n", 1)),
            (Some(3), Some(2), None)
        );
    }

    #[test]
    fn numbers_of_every_length_and_whatever_follows() {
        let digits = "1234567890123456789";
        for length in 1..=19 {
            for behind in
                ["\n", " 7\n", "\t\t\t\t\t\t\t\t\t\n", ",9999999999\n", "\u{ff}\u{ff}\u{ff}\u{ff}\n"]
            {
                let text = format!("{}{behind}", &digits[..length]);
                let expected = Some((digits[..length].parse().unwrap(), length));
                assert_eq!(plain_number(text.as_bytes(), 0), expected, "{text:?}");
            }
        }
        for byte in (0..=255u8).filter(|byte| !byte.is_ascii_digit()) {
            let text = [b'4', b'2', byte, b'5', byte, b'6', b'7', b'8', b'9', b'\n'];
            assert_eq!(plain_number(&text, 0), Some((42, 2)), "{byte}");
            assert_eq!(plain_number(&text, 2), None, "{byte}");
        }
    }

    #[test]
    fn anything_else_is_left_to_the_slow_way() {
        for text in ["", "1", "1 ", "-1 2\n", "1;2\n", "1,,2\n", "1 x\n", "12345678901234567890 1\n", "\n"] {
            assert_eq!(plain_pair(text.as_bytes(), 0), None, "{text}");
        }
        assert_eq!(plain_triple(b"1 2 4294967296\n", 0), None);
        assert_eq!(
            plain_triple(b"1 2 1.5\n", 0).map(|triple| plain_line_end(b"1 2 1.5\n", triple.3)),
            Some(None)
        );
    }
}
