//! The quick way through lines that hold nothing but plain numbers: one pass over the bytes, no line cut first, no
//! field cut out. It knows nothing of mistakes: whatever it does not understand is read again, slowly.

/// Reads digits at `at`: the number, and where it ends. `None` where there is none, or one that may not fit.
#[inline(always)]
pub(super) fn number(text: &[u8], mut at: usize) -> Option<(u64, usize)> {
    let begin = at;
    let mut number = 0u64;
    // Eight bytes at once: most ids end within them.
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
    // 19 digits cannot overflow.
    (at > begin && at - begin <= 19).then_some((number, at))
}

/// The number that the leading digits among eight bytes write, the first byte in the lowest place; and how many digits
/// they are. Digits are added up in pairs, pairs in fours, fours in eight (a well-known exercise; Lemire 2018).
#[inline(always)]
fn leading_digits(bytes: u64) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let values = bytes ^ (ONES * u64::from(b'0'));
    // The high bit of every byte that is no digit; a carry only ever disturbs bytes behind one that is none.
    let others = (values.wrapping_add(ONES * 0x76) | values) & (ONES * 0x80);
    let digits = others.trailing_zeros() as usize / 8;
    if digits == 0 {
        return (0, 0);
    }
    // The last digit goes to the highest byte; zeros come in before the first.
    let values = values << (64 - 8 * digits);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let even = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let odd = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (even.wrapping_add(odd) >> 32, digits)
}

/// Passes blanks between two numbers: any of them, and at most one comma. `None` where there are none.
#[inline(always)]
pub(super) fn separator(text: &[u8], at: usize) -> Option<usize> {
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

/// The end of a line, with a carriage return or without: where the next one begins.
#[inline(always)]
pub(super) fn line_end(text: &[u8], at: usize) -> Option<usize> {
    match (text.get(at)?, text.get(at + 1)) {
        (b'\n', _) => Some(at + 1),
        (b'\r', Some(b'\n')) => Some(at + 2),
        _ => None,
    }
}

/// A line `source target`.
#[inline(always)]
pub(super) fn pair(text: &[u8], at: usize) -> Option<(u64, u64, usize)> {
    let (source, at) = number(text, at)?;
    let (target, at) = number(text, separator(text, at)?)?;
    Some((source, target, at))
}

/// A line `source target weight`, with a weight that fits 32 bits.
#[inline(always)]
pub(super) fn triple(text: &[u8], at: usize) -> Option<(u64, u64, u32, usize)> {
    let (source, target, at) = pair(text, at)?;
    let (weight, at) = number(text, separator(text, at)?)?;
    Some((source, target, u32::try_from(weight).ok()?, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines() {
        assert_eq!(pair(b"12 7\n", 0), Some((12, 7, 4)));
        assert_eq!(pair(b"12\t , \t7\r\n", 0), Some((12, 7, 8)));
        assert_eq!(triple(b"x1,2,4294967295\n", 1), Some((1, 2, u32::MAX, 15)));
        assert_eq!(
            (line_end(b"7\r\n", 1), line_end(b"7\n", 1), line_end(b"7 \n", 1)),
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
                assert_eq!(number(text.as_bytes(), 0), expected, "{text:?}");
            }
        }
        for byte in (0..=255u8).filter(|byte| !byte.is_ascii_digit()) {
            let text = [b'4', b'2', byte, b'5', byte, b'6', b'7', b'8', b'9', b'\n'];
            assert_eq!(number(&text, 0), Some((42, 2)), "{byte}");
            assert_eq!(number(&text, 2), None, "{byte}");
        }
    }

    #[test]
    fn anything_else_is_left_to_the_slow_way() {
        for text in ["", "1", "1 ", "-1 2\n", "1;2\n", "1,,2\n", "1 x\n", "12345678901234567890 1\n", "\n"] {
            assert_eq!(pair(text.as_bytes(), 0), None, "{text}");
        }
        assert_eq!(triple(b"1 2 4294967296\n", 0), None);
        assert_eq!(triple(b"1 2 1.5\n", 0).map(|triple| line_end(b"1 2 1.5\n", triple.3)), Some(None));
    }
}
