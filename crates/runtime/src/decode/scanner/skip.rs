//! Skips the value of an unknown field.
//!
//! The value only has to be valid JSON. The grammar allows numbers that are too large for an `f64`, half of a surrogate
//! pair, and deep nesting, so these must not make the response an error. No string is unescaped, no number computed.

use std::borrow::Cow;

use serde_core::de::IgnoredAny;

use super::{DecodeError, Scanner, ends_early};
use crate::values::{Number, Value};

impl<'a> Scanner<'a> {
    /// Skips a value of any kind.
    #[inline]
    pub(in crate::decode) fn skip(&mut self, next: u8) -> Result<(), DecodeError> {
        match next {
            b'"' if self.plain_text().is_some() => Ok(()),
            b'"' | b'{' | b'[' => self.skip_nested(),
            b'-' | b'0'..=b'9' => {
                self.at += Number::length(self.rest()).ok_or_else(|| self.expected("a number"))?;
                Ok(())
            }
            _ => self.literal().map(drop),
        }
    }

    /// Skips a value, or a text in its place that is not JSON, such as `NaN`. Returns whether the value is JSON. The text
    /// ends before a comma or a closing bracket, or after the bracket that closes its first one.
    #[cold]
    pub(in crate::decode) fn skip_text(&mut self, next: u8) -> Result<bool, DecodeError> {
        let start = self.at;
        let Err(error) = self.skip(next) else { return Ok(true) };
        self.at = start;
        let Some(length) = length_of_text(self.rest()) else { return Err(error) };
        self.at += length;
        Ok(false)
    }

    /// The text since `start` as JSON: a text that is not JSON becomes a string.
    pub(in crate::decode) fn json_since(&self, start: usize, is_json: bool) -> Cow<'a, str> {
        let text = self.since(start);
        if is_json { text.into() } else { Value::from(text.trim_end()).to_string().into() }
    }

    /// Skips a list, an object or a string with escapes.
    fn skip_nested(&mut self) -> Result<(), DecodeError> {
        let rest = self.rest();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        let outcome = values.next();
        self.at += values.byte_offset();
        let Some(Err(error)) = outcome else { return Ok(()) };
        if ends_early(rest.as_bytes()) {
            return Err(self.early_end());
        }
        // The line and column of the error are counted from the beginning of `rest`.
        let lines = rest.split_inclusive('\n').take(error.line().saturating_sub(1));
        self.at += lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        let problem = error.to_string();
        Err(self.error(problem.split(" at line ").next().unwrap_or_default()))
    }

    /// Reads a key and its colon. A key that cannot be decoded, such as half of a surrogate pair, keeps its escapes.
    #[inline]
    pub(in crate::decode) fn any_key(&mut self) -> Result<(Cow<'a, str>, u8), DecodeError> {
        let start = self.at;
        let key = if let Ok(key) = self.text() {
            key
        } else {
            self.skip_nested()?;
            Cow::Borrowed(self.text.get(start + 1..self.at - 1).unwrap_or_default())
        };
        Ok((key, self.colon()?))
    }
}

/// The length of a text that is not JSON and stands for a value; `None` if it has no end, or is empty.
fn length_of_text(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut is_string = false;
    let mut is_escape = false;
    for (index, byte) in text.bytes().enumerate() {
        if is_string {
            is_string = is_escape || byte != b'"';
            is_escape = byte == b'\\' && !is_escape;
            continue;
        }
        match byte {
            b'"' => is_string = true,
            b'{' | b'[' => depth += 1,
            b',' | b'}' | b']' if depth == 0 => return (index > 0).then_some(index),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_not_json_ends_with_its_value() {
        for (text, expected) in [
            ("NaN,1", Some("NaN")),
            ("-Infinity }", Some("-Infinity ")),
            ("{\"a\": NaN, \"b\": \"}\\\"\"}, 1", Some("{\"a\": NaN, \"b\": \"}\\\"\"}")),
            ("[1, None]]", Some("[1, None]")),
            ("[1, None", None),
            ("NaN", None),
            (",", None),
        ] {
            assert_eq!(length_of_text(text).map(|length| &text[..length]), expected, "{text}");
        }
    }
}
