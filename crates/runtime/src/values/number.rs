//! Numbers in a form that converts to any Rust number type.
//!
//! A number may also be the content of a string. Only JSON numbers are accepted, never infinities or NaN.

/// A number in the form in which it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// A number without fraction and exponent.
    Integer(i64),
    /// A number without fraction and exponent that is too large for [`Number::Integer`].
    Unsigned(u64),
    /// A number with a fraction, in the shortest form that reads as the same `f64`.
    Float(f64),
    /// Any other finite number. It may be written with other characters than it was read from, such as `1.50` as `1.5`.
    Other(f64),
}

/// An `f64` represents every integer below this limit exactly, and no other integer rounds to the same `f64`.
pub(crate) const EXACT: u64 = 1 << 53;

/// A smaller number is written with an exponent.
const SMALLEST: f64 = 1e-5;

impl Number {
    /// Reads a text that consists only of a number, such as the content of a string.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (number, length) = Self::begin(text.as_bytes())?;
        if length == text.len() { Some(number) } else { None }
    }

    /// Reads the JSON number at the beginning of a text, and returns its length; `None` if the text does not begin with
    /// a number, or if the number is outside the range of `f64`.
    #[inline(always)] // A body is mostly numbers, and a call would slow down decoding by 10 %.
    pub(crate) fn begin(text: &[u8]) -> Option<(Self, usize)> {
        let (decimal, length) = Decimal::begin(text)?;
        let number = match decimal.number() {
            Some(number) => number,
            None => Self::exact(std::str::from_utf8(text.get(..length)?).ok()?)?,
        };
        Some((number, length))
    }

    /// The length of the number at the beginning of a text, even if it is outside the range of `f64`.
    pub(crate) fn length(text: &str) -> Option<usize> {
        let (_, length) = Decimal::begin(text.as_bytes())?;
        Some(length)
    }

    /// The number that is nearest to the decimal number in the text, if it is finite.
    #[cold]
    fn exact(text: &str) -> Option<Self> {
        if !text.contains(['.', 'e', 'E']) {
            if let Ok(integer) = text.parse() {
                return Some(Self::Integer(integer));
            }
            if let Ok(unsigned) = text.parse() {
                return Some(Self::Unsigned(unsigned));
            }
        }
        let number: f64 = text.parse().ok()?;
        if number.is_finite() { Some(Self::Other(number)) } else { None }
    }

    /// The nearest `f64`.
    // The cast rounds a large integer, as this method promises.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn float(self) -> f64 {
        match self {
            Self::Integer(number) => number as f64,
            Self::Unsigned(number) => number as f64,
            Self::Float(number) | Self::Other(number) => number,
        }
    }

    /// The number as an integer; `None` if it has a fraction or may have been rounded when it was parsed.
    // The cast to `i64` is exact because of the comparison before it, and the cast of `EXACT` is exact too.
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    pub(crate) fn integer(self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(number),
            Self::Other(number) if number.fract() == 0.0 && number.abs() < EXACT as f64 => Some(number as i64),
            Self::Unsigned(_) | Self::Float(_) | Self::Other(_) => None,
        }
    }

    /// The number as an unsigned integer, unless the number is negative or the conversion would round.
    pub(crate) fn count(self) -> Option<u64> {
        match self {
            Self::Unsigned(number) => Some(number),
            other => u64::try_from(other.integer()?).ok(),
        }
    }
}

/// The parts of a decimal number. Its digits are stored in one machine word if they fit.
struct Decimal {
    is_negative: bool,
    /// The digits without the decimal point, as a number; wrong if there are more than [`WORD`] digits.
    digits: u64,
    /// The number of digits; without leading zeros if there are more than [`WORD`] digits.
    count: usize,
    fraction: usize,
    has_exponent: bool,
}

/// Number of digits that always fit into a word.
const WORD: usize = 18;

/// No two numbers with a fraction and fewer digits than this number are read as the same `f64`.
const FEW: u64 = 1_000_000_000_000_000;

/// Powers of ten that an `f64` represents exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

impl Decimal {
    /// Reads a JSON number, and returns its length.
    #[inline(always)] // See `Number::begin`.
    fn begin(text: &[u8]) -> Option<(Self, usize)> {
        let byte = |at: usize| text.get(at).copied();
        let is_negative = byte(0) == Some(b'-');
        let start = usize::from(is_negative);
        let mut digits = 0;
        let whole = read_few_digits(text, start, &mut digits);
        if whole == start || (whole > start + 1 && byte(start) == Some(b'0')) {
            return None;
        }
        let mut end = whole;
        let mut fraction = 0;
        if byte(end) == Some(b'.') {
            end = read_digits(text, end + 1, &mut digits);
            fraction = end - whole - 1;
            if fraction == 0 {
                return None;
            }
        }
        let mut count = whole - start + fraction;
        if count > WORD {
            count -= leading_zeros(text.get(start..end)?);
        }
        let has_exponent = matches!(byte(end), Some(b'e' | b'E'));
        if has_exponent {
            let exponent = end + 1 + usize::from(matches!(byte(end + 1), Some(b'+' | b'-')));
            end = read_few_digits(text, exponent, &mut 0);
            if end == exponent {
                return None;
            }
        }
        Some((Self { is_negative, digits, count, fraction, has_exponent }, end))
    }

    /// The number, if its digits fit into a word and it has no exponent.
    #[inline(always)]
    // See `Number::begin`.
    // The casts are exact: every integer up to 2^53 is an `f64`, and every integer of up to eighteen digits is an
    // `i64`.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_wrap)]
    fn number(&self) -> Option<Number> {
        if self.count > WORD || self.has_exponent {
            return None;
        }
        // An integer has no negative zero, so `-0` becomes a float.
        if self.fraction == 0 && (self.digits > 0 || !self.is_negative) {
            let number = self.digits as i64;
            return Some(Number::Integer(if self.is_negative { -number } else { number }));
        }
        let power = *POWERS.get(self.fraction)?;
        // Both operands are exact if there are few digits. The quotient is then rounded once, to the nearest `f64`.
        let quotient = self.digits as f64 / power;
        let (number, is_shortest) = match self.digits {
            ..FEW => (quotient, self.digits % 10 != 0),
            _ => self.nearest(quotient, power)?,
        };
        let signed = if self.is_negative { -number } else { number };
        Some(if is_shortest && number >= SMALLEST { Number::Float(signed) } else { Number::Other(signed) })
    }

    /// The `f64` that is nearest to the digits divided by `power`, and whether the digits are its shortest form.
    /// Returns `None` if that `f64` is not next to `guess`.
    // The products wrap, but their difference is small. All numbers of the comparisons are below 2^62.
    #[inline(never)] // It is the longest part of `number`.
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_precision_loss)]
    fn nearest(&self, guess: f64, power: f64) -> Option<(f64, bool)> {
        const MANTISSA: u64 = 1 << 52;
        let bits = guess.to_bits();
        let exponent = bits / MANTISSA;
        let fraction = self.fraction as u64;
        // An `f64` is its mantissa times `2^(exponent - 1075)`. Multiplied by `power * 2^scale`, it is an integer. The
        // distance to the next `f64` is then `ulp`, which is a power of five, and one in the last digit is `unit`.
        let scale = 1075_u64.checked_sub(exponent + fraction)?;
        let ulp = (power / (1_u64 << fraction) as f64) as i64;
        let unit = 1_i64 << scale;
        let written = (self.digits as i64).wrapping_mul(unit);
        let last_digit = (self.digits % 10) as i64;
        let of_guess = ((bits % MANTISSA + MANTISSA) as i64).wrapping_mul(ulp).wrapping_sub(written);
        let step = if 2 * of_guess.abs() < ulp { 0 } else { -of_guess.signum() };
        let nearest = bits.wrapping_add_signed(step);
        let error = of_guess + step * ulp;
        // The distance to the next `f64` is half as large below a power of two.
        let is_nearest = nearest > exponent * MANTISSA && 2 * error.abs() < ulp;
        // No other number with as many digits is nearer, and neither number around it that ends with a zero is as near.
        let is_shortest = 2 * error.abs() < unit && 2 * (error + (last_digit - 5) * unit).abs() < 10 * unit - ulp;
        if is_nearest { Some((f64::from_bits(nearest), is_shortest)) } else { None }
    }
}

/// The number of zeros before the first other digit of a number without sign and exponent.
#[cold]
fn leading_zeros(number: &[u8]) -> usize {
    let mut zeros = 0;
    for byte in number {
        match byte {
            b'0' => zeros += 1,
            b'.' => {}
            _ => break,
        }
    }
    zeros
}

/// Appends the digits that begin at `start` to `digits`, and returns the position after the last digit.
#[inline]
fn read_digits(text: &[u8], start: usize, digits: &mut u64) -> usize {
    let mut at = start;
    while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk).and_then(|chunk| eight(*chunk)) {
        *digits = digits.wrapping_mul(100_000_000).wrapping_add(eight);
        at += 8;
    }
    read_few_digits(text, at, digits)
}

/// Does the same as `read_digits`, but digit by digit, which is faster for a few digits.
#[inline]
fn read_few_digits(text: &[u8], start: usize, digits: &mut u64) -> usize {
    let mut end = start;
    while let Some(digit) = text.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        *digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit));
        end += 1;
    }
    end
}

/// Converts eight digits into a number; `None` if any byte is not a digit.
///
/// All digits are converted at once: adjacent digits are combined into numbers of two digits, those into numbers of
/// four digits, and those into one number.
#[inline]
fn eight(chunk: [u8; 8]) -> Option<u64> {
    let are_digits = chunk.iter().fold(true, |all, byte| all & byte.is_ascii_digit());
    let digits = u64::from_le_bytes(chunk) & 0x0F0F_0F0F_0F0F_0F0F;
    let twos = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_FFFF_0000_FFFF;
    are_digits.then_some((fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse() {
        let table = [
            ("0", Some(Number::Integer(0))),
            ("-12", Some(Number::Integer(-12))),
            ("9223372036854775807", Some(Number::Integer(i64::MAX))),
            ("9223372036854775808", Some(Number::Unsigned(1 << 63))),
            ("18446744073709551616", Some(Number::Other(18_446_744_073_709_551_616.0))),
            ("1.7e9", Some(Number::Other(1.7e9))),
            ("0.1", Some(Number::Float(0.1))),
            ("0.10", Some(Number::Other(0.1))),
            ("0.30000000000000004", Some(Number::Float(0.1 + 0.2))),
            ("0.30000000000000003", Some(Number::Other(0.1 + 0.2))),
            ("1E-7", Some(Number::Other(1e-7))),
            ("", None),
            ("-", None),
            ("+1", None),
            (".5", None),
            ("1 ", None),
            ("1,5", None),
            ("1.", None),
            ("007", None),
            ("0x10", None),
            ("1-2", None),
            ("NaN", None),
            ("inf", None),
            ("-infinity", None),
            ("1e999", None),
            (&"9".repeat(309), None),
            (&"9".repeat(308), Some(Number::Other(1e308))),
        ];
        for (text, expected) in table {
            assert_eq!(Number::parse(text), expected, "{text}");
            if let Some((_, length)) = Number::begin(text.as_bytes()) {
                assert_eq!(Number::length(text), Some(length), "{text}");
            }
        }
    }

    #[test]
    fn number_out_of_range_has_a_length() {
        for text in ["1e999", "-1E999", &"9".repeat(309)] {
            assert_eq!((Number::begin(text.as_bytes()), Number::length(text)), (None, Some(text.len())), "{text}");
        }
        for text in ["", "-", "+1", ".5", "1.", "007", "1e", "NaN", "inf"] {
            assert_eq!((Number::begin(text.as_bytes()), Number::length(text)), (None, None), "{text}");
        }
    }

    #[test]
    fn shortest_numbers_are_recognized() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut missed = 0;
        for round in 0..200_000 {
            let (digits, fraction) = (random.u64(..) >> random.u32(0..64), random.usize(1..24));
            let (near, places) = (random.f64() * 10_f64.powi(random.i32(-5..16)), random.usize(1..20));
            let text = match round % 4 {
                0 => {
                    let mut text = format!("{digits:0>width$}", width = fraction + 1);
                    text.insert(text.len() - fraction, '.');
                    text
                }
                1 => near.to_string(),
                2 => format!("{near:.places$}"),
                _ => format!("{:.places$}", f64::from_bits(near.to_bits() >> 45 << 45)),
            };
            let (number, expected) = (Number::parse(&text), text.parse::<f64>().unwrap());
            assert_eq!(number.map(|number| number.float().to_bits()), Some(expected.to_bits()), "{text}");
            let is_written = serde_json::to_string(&expected).is_ok_and(|written| written == text);
            let is_shortest = matches!(number, Some(Number::Float(_)));
            assert!(is_written || !is_shortest, "{text}");
            missed += usize::from(is_written && !is_shortest && expected.fract() != 0.0);
        }
        // A number is missed if the first guess is not next to it.
        assert!(missed < 500, "{missed}");
    }

    #[test]
    fn zeros_after_a_number_are_not_part_of_it() {
        let number = "0.0000000000000000000";
        for next in [",\"limit\":0", ".0", "}000", "-0", "e", ""] {
            let text = format!("{number}{next}");
            assert_eq!(Number::length(&text), if next == "e" { None } else { Some(number.len()) }, "{text}");
        }
    }

    #[test]
    fn negative_zero_is_kept() {
        assert!(Number::parse("-0").is_some_and(|zero| zero.float().is_sign_negative()));
    }

    #[test]
    fn integer_never_rounds() {
        let table = [
            ("1.7e9", Some(1_700_000_000)),
            ("-0", Some(0)),
            ("9007199254740991.0", Some(9_007_199_254_740_991)),
            ("9007199254740993.0", None),
            ("1.5", None),
            ("1e300", None),
            ("9223372036854775808", None),
        ];
        for (text, expected) in table {
            assert_eq!(Number::parse(text).and_then(Number::integer), expected, "{text}");
        }
    }

    #[test]
    fn count_is_not_negative_and_never_rounds() {
        let table = [
            ("5000000000", Some(5_000_000_000)),
            ("5e9", Some(5_000_000_000)),
            ("-0", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("-1", None),
            ("1.5", None),
        ];
        for (text, expected) in table {
            assert_eq!(Number::parse(text).and_then(Number::count), expected, "{text}");
        }
    }
}
