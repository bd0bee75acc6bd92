//! Reads JSON token by token, and reports errors with line and column.
//!
//! `serde_json`'s visitors are not used here: most of a body is numbers and keys, and reading them with generic
//! visitors would take 50 % more instructions; `bench/RESULTS.md` contains the figures. Strings with escapes are rare
//! and are read by `serde_json`. In every function, the argument `next` is the first byte of the value at the current
//! position; this byte is not consumed yet.

mod any_value;
mod skip;

use std::borrow::Cow;
use std::fmt;

use serde_core::de::IgnoredAny;

use super::error::{DecodeError, ENDS_EARLY};
use crate::error::excerpt;
use crate::values::Number;

pub(crate) use any_value::any;

/// Maximum nesting of lists and objects, as in `serde_json`.
pub(super) const DEPTH: u8 = 127;

/// A flag of [`Scanner::forms`]: a number or a timestamp is in quotes.
pub(super) const QUOTED: u8 = 1;
/// A flag of [`Scanner::forms`]: a number is not in quotes.
pub(super) const UNQUOTED: u8 = 4;
/// A flag of [`Scanner::forms`]: a value would be written with other characters, such as `0.10` as `0.1`.
pub(super) const INEXACT: u8 = 2;

/// A text and the current position in the text.
pub(super) struct Scanner<'a> {
    text: &'a str,
    /// The position of the next byte.
    pub(super) at: usize,
    /// The forms in which the values of the current field are written, as flags.
    pub(super) forms: u8,
    /// The number of values so far that do not fit their fields and were kept among the unknown fields.
    pub(super) misfits: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, forms: 0, misfits: 0 }
    }

    /// Creates an error at the current position.
    #[cold]
    pub(super) fn error(&self, problem: impl fmt::Display) -> DecodeError {
        DecodeError::at_byte(problem.to_string(), self.at)
    }

    #[cold]
    pub(super) fn expected(&self, what: &str) -> DecodeError {
        if ends_early(self.rest().as_bytes()) {
            return self.early_end();
        }
        self.error(format_args!("expected {what}, found {}", found(self.rest())))
    }

    /// Creates the error for a text that ends within its JSON value.
    #[cold]
    fn early_end(&self) -> DecodeError {
        DecodeError::at_byte(ENDS_EARLY.to_owned(), self.text.len())
    }

    /// Creates the error for a key that occurs twice in one object, because either value may be the right one.
    #[cold]
    pub(super) fn duplicate(&self, key: &str) -> DecodeError {
        self.error(format_args!("duplicate key `{key}` in one object"))
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The text that has not been read yet.
    #[inline]
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The text read since `start`.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Skips white space, and returns the byte at the new position.
    #[inline]
    fn token(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                byte => return byte,
            }
        }
    }

    /// Skips white space, and returns the first byte of the next value, or an error at the end of the text.
    #[inline]
    pub(super) fn next_value(&mut self) -> Result<u8, DecodeError> {
        self.token().ok_or_else(|| self.expected("a value"))
    }

    /// Returns an error if anything except white space follows.
    pub(super) fn end(&mut self) -> Result<(), DecodeError> {
        match self.token() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the body")),
        }
    }

    /// Begins a nested list or object when `depth` more levels are allowed. Returns the number of levels allowed inside
    /// it, or an error if `depth` is zero.
    pub(super) fn deeper(&self, depth: u8) -> Result<u8, DecodeError> {
        depth.checked_sub(1).ok_or_else(|| self.error("lists and objects are nested too deeply"))
    }

    /// Reads a list; `item` reads each of its values.
    #[inline]
    pub(super) fn list(
        &mut self,
        item: impl FnMut(&mut Self, u8) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        self.sequence(b']', "`,` or `]`", item)
    }

    /// Reads an object; `entry` reads each of its keys and values.
    #[inline]
    pub(super) fn object(
        &mut self,
        mut entry: impl FnMut(&mut Self) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        self.sequence(b'}', "`,` or `}`", |json, next| match next {
            b'"' => entry(json),
            _ => Err(json.expected("a key")),
        })
    }

    /// Reads a key and its colon if the key is `name`, and returns the first byte of the value. Any other key remains
    /// unread, and the result is `None`.
    ///
    /// `name` must not contain a character that JSON escapes.
    #[inline]
    pub(super) fn key_if(&mut self, name: &str) -> Result<Option<u8>, DecodeError> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let end = start + name.len();
        // Compares the closing quote first: it distinguishes most keys without a full comparison.
        if bytes.get(end) == Some(&b'"') && bytes.get(start..end) == Some(name.as_bytes()) {
            self.at = end + 1;
            return self.colon().map(Some);
        }
        Ok(None)
    }

    /// Reads the colon after a key, and returns the first byte of the value.
    #[inline]
    pub(super) fn colon(&mut self) -> Result<u8, DecodeError> {
        if self.token() != Some(b':') {
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        self.next_value()
    }

    /// Reads the items between two brackets, separated by commas.
    #[inline]
    fn sequence(
        &mut self,
        close: u8,
        separator: &'static str,
        mut element: impl FnMut(&mut Self, u8) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        self.at += 1;
        let mut next = self.next_value()?;
        if next == close {
            self.at += 1;
            return Ok(());
        }
        loop {
            element(self, next)?;
            match self.token() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.expected(separator)),
            }
            next = self.next_value()?;
        }
    }

    /// Reads an empty string, if that is the next value.
    pub(super) fn empty_text(&mut self) -> bool {
        let is_empty = self.rest().starts_with("\"\"");
        self.at += if is_empty { 2 } else { 0 };
        is_empty
    }

    /// Reads a string.
    #[inline]
    pub(super) fn text(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        match self.plain_text() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.escaped().map(Cow::Owned).ok_or_else(|| self.invalid_text()),
        }
    }

    /// Reads a string if it has no escapes.
    #[inline]
    pub(super) fn plain_text(&mut self) -> Option<&'a str> {
        let start = self.at + 1;
        let end = plain_end(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        self.text.get(start..end)
    }

    /// Reads a string that contains escapes.
    #[cold]
    fn escaped(&mut self) -> Option<String> {
        let mut texts = serde_json::Deserializer::from_str(self.rest()).into_iter();
        let text = texts.next()?.ok()?;
        self.at += texts.byte_offset();
        Some(text)
    }

    /// Reads a number.
    #[inline(always)] // See `DecodedValue::set_usual`.
    pub(super) fn number(&mut self) -> Result<Number, DecodeError> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let (number, length) = Number::begin(rest).ok_or_else(|| self.no_number())?;
        self.at += length;
        Ok(number)
    }

    #[cold]
    fn invalid_text(&self) -> DecodeError {
        if ends_early(self.rest().as_bytes()) { self.early_end() } else { self.error("invalid string") }
    }

    #[cold]
    fn no_number(&self) -> DecodeError {
        match Number::length(self.rest()) {
            Some(_) => self.error(format_args!("the number {} is out of range", found(self.rest()))),
            None => self.expected("a number"),
        }
    }

    /// Reads `null`, `true` or `false`.
    pub(super) fn literal(&mut self) -> Result<Option<bool>, DecodeError> {
        let rest = self.rest();
        for (word, value) in [("null", None), ("true", Some(true)), ("false", Some(false))] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.expected("a value"))
    }
}

/// The position of the first byte at or after `at` that ends a string or is not allowed in it without an escape.
#[inline]
fn plain_end(text: &[u8], mut at: usize) -> usize {
    // Fast path: most strings and keys have several bytes, and eight of them are compared at once.
    while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let special = special_bytes(u64::from_le_bytes(*eight));
        if special != 0 {
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20)).unwrap_or(rest.len())
}

/// Marks the bytes of a word that are a quote, a backslash or a control character, each by its highest bit. Only the
/// lowest mark is exact, because a subtraction borrows from the bytes above.
#[inline]
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let quotes = quote.wrapping_sub(ONES) & !quote;
    let backslashes = backslash.wrapping_sub(ONES) & !backslash;
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    (quotes | backslashes | controls) & (ONES * 0x80)
}

/// Reads the JSON value in a text; anything after the value is an error.
pub(super) fn read<'a, T>(
    text: &'a str,
    value: impl FnOnce(&mut Scanner<'a>, u8) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    read_whole(&mut Scanner::new(text), value).map_err(|error| error.located(text))
}

fn read_whole<'a, T>(
    json: &mut Scanner<'a>,
    value: impl FnOnce(&mut Scanner<'a>, u8) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let next = json.next_value()?;
    let value = value(json, next)?;
    json.end()?;
    Ok(value)
}

/// `true` if a text ends within the value at its beginning. Anything after that value is not read.
pub(crate) fn ends_early(text: &[u8]) -> bool {
    match first_value(text) {
        Some(Ok(_)) => false,
        // The parser reports a truncated number such as `1.` as invalid, so a digit is appended.
        Some(Err(error)) if !error.is_eof() => match first_value(&[text, b"0"].concat()) {
            Some(Ok(_)) => true,
            Some(Err(error)) => error.is_eof(),
            None => false,
        },
        _ => true,
    }
}

fn first_value(text: &[u8]) -> Option<serde_json::Result<IgnoredAny>> {
    serde_json::Deserializer::from_slice(text).into_iter().next()
}

/// Maximum number of bytes quoted from a text.
const MAX_TEXT_BYTES: usize = 60;

/// Describes the value at the beginning of a text.
pub(super) fn found(rest: &str) -> Cow<'static, str> {
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || "<!-+.".contains(*c)).take(40).collect();
    match rest.chars().next() {
        None => "the end of the body".into(),
        Some('[') => "a list".into(),
        Some('{') => "an object".into(),
        Some('"') => match Scanner::new(rest).text() {
            Ok(text) => format!("the string {:?}", excerpt(&text, MAX_TEXT_BYTES)).into(),
            Err(_) => "a string".into(),
        },
        Some(other) if word.is_empty() => format!("{other:?}").into(),
        Some(_) => format!("`{word}`").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_of_a_plain_text_is_found_at_every_position() {
        for special in ['"', '\\', '\n', '\0', '\u{1f}'] {
            for before in 0..20 {
                for after in 0..20 {
                    let text = format!("{}{special}{}", "é~".repeat(before), "a\"".repeat(after));
                    assert_eq!(plain_end(text.as_bytes(), 0), before * 3, "{text:?}");
                }
            }
        }
        assert_eq!(plain_end("without an end".as_bytes(), 0), "without an end".len());
    }
}
