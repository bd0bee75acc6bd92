//! Skips the value of an unknown field.
//!
//! The value only has to be valid JSON. The grammar allows numbers that are too large for an `f64`, half of a surrogate
//! pair, and deep nesting, so these must not make the response an error. No string is unescaped, no number computed.

use std::borrow::Cow;

use serde_core::de::IgnoredAny;

use super::{DecodeError, Scanner, ends_early};
use crate::values::Number;

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
