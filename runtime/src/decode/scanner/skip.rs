//! Skips the value of an unknown field.
//!
//! The value only has to be valid JSON: numbers beyond every `f64`, half of a surrogate pair and deep nesting are
//! allowed by the grammar, and must not make the response an error. No text is unescaped and no number is computed.

use std::borrow::Cow;

use super::{DecodeError, Scanner};
use crate::values::Number;

impl<'a> Scanner<'a> {
    /// Skips a value of any kind.
    #[inline]
    pub(in crate::decode) fn skip(&mut self, next: u8) -> Result<(), DecodeError> {
        match next {
            b'{' | b'[' => self.skip_nested(next),
            _ => self.skip_flat(next),
        }
    }

    fn skip_flat(&mut self, next: u8) -> Result<(), DecodeError> {
        match next {
            b'"' => self.skip_text(),
            b'-' | b'0'..=b'9' => self.skip_number(),
            _ => self.literal().map(drop),
        }
    }

    /// Skips a list or an object.
    ///
    /// Works without recursion, since the body decides how deep its values are nested.
    fn skip_nested(&mut self, mut next: u8) -> Result<(), DecodeError> {
        // Closing bracket of each open list and object.
        let mut open: Vec<u8> = Vec::new();
        loop {
            match next {
                b'{' | b'[' => {
                    let close = if next == b'{' { b'}' } else { b']' };
                    self.at += 1;
                    next = self.next_value()?;
                    if next != close {
                        open.push(close);
                        next = self.element(close, next)?;
                        continue;
                    }
                    self.at += 1;
                }
                _ => self.skip_flat(next)?,
            }
            // When a value ends, every list or object of which it is the last value ends too.
            loop {
                let Some(close) = open.last().copied() else { return Ok(()) };
                match self.token() {
                    Some(b',') => break self.at += 1,
                    Some(byte) if byte == close => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return Err(self.expected(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" })),
                }
            }
            let close = open.last().copied().unwrap_or_default();
            next = self.next_value()?;
            next = self.element(close, next)?;
        }
    }

    /// Skips the key of an element in an object; returns the first byte of the element's value.
    fn element(&mut self, close: u8, next: u8) -> Result<u8, DecodeError> {
        match (close, next) {
            (b'}', b'"') => {
                self.skip_text()?;
                self.colon()
            }
            (b'}', _) => Err(self.expected("a key")),
            _ => Ok(next),
        }
    }

    /// Reads a key as far as it can be decoded, and its colon; half of a surrogate pair stays an escape.
    #[inline]
    pub(in crate::decode) fn any_key(&mut self) -> Result<(Cow<'a, str>, u8), DecodeError> {
        let key = match self.plain_text() {
            Some(key) => Cow::Borrowed(key),
            None => match self.escaped() {
                Some(key) => Cow::Owned(key),
                None => Cow::Borrowed(self.skip_escaped()?),
            },
        };
        Ok((key, self.colon()?))
    }

    /// Skips a text.
    #[inline]
    fn skip_text(&mut self) -> Result<(), DecodeError> {
        if self.plain_text().is_some() { Ok(()) } else { self.skip_escaped().map(drop) }
    }

    /// Skips a text with escapes, and returns the text between its quotes.
    #[cold]
    fn skip_escaped(&mut self) -> Result<&'a str, DecodeError> {
        let (text, start) = (self.text.as_bytes(), self.at + 1);
        let byte = |at: usize| text.get(at).copied();
        let mut at = start;
        loop {
            at += match (byte(at), byte(at + 1)) {
                (Some(b'"'), _) => break,
                (Some(b'\\'), Some(b'u')) => {
                    let digits = text.get(at + 2..at + 6);
                    if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                        return Err(self.invalid_text());
                    }
                    6
                }
                (Some(b'\\'), Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => 2,
                (None | Some(b'\\' | ..0x20), _) => return Err(self.invalid_text()),
                _ => 1,
            };
        }
        self.at = at + 1;
        Ok(self.text.get(start..at).unwrap_or_default())
    }

    fn skip_number(&mut self) -> Result<(), DecodeError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += Number::length(rest).ok_or_else(|| self.expected("a number"))?;
        Ok(())
    }
}
