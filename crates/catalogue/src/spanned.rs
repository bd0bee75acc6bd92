//! A value with its location in the catalogue, for errors about the value.
//!
//! A spanned value dereferences to the value, and is compared and printed like the value.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::diagnostic::Location;

/// A value and its location in the catalogue.
#[derive(Clone, Debug, Default)]
pub struct Spanned<T> {
    value: T,
    at: Location,
}

/// Text and its location in the catalogue.
pub type Text = Spanned<String>;

impl<T> Spanned<T> {
    pub(crate) fn new(value: T, at: Location) -> Self {
        Self { value, at }
    }

    /// Returns the number of the line with the value, counted from one.
    pub fn line(&self) -> usize {
        self.at.position().0
    }

    /// The location of the value.
    pub(crate) fn at(&self) -> &Location {
        &self.at
    }
}

/// The texts without their locations.
pub(crate) fn strings(texts: &[Text]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// The text without its location; empty if there is none.
pub(crate) fn string_or_empty(text: Option<&Text>) -> String {
    match text {
        Some(text) => text.to_string(),
        None => String::new(),
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Spanned<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// Wraps a value that has no location, because it was not read from a file.
impl<T> From<T> for Spanned<T> {
    fn from(value: T) -> Self {
        Self { value, at: Location::default() }
    }
}

impl From<&str> for Text {
    fn from(value: &str) -> Self {
        value.to_owned().into()
    }
}

impl<T: PartialEq> PartialEq<T> for Spanned<T> {
    fn eq(&self, other: &T) -> bool {
        self.value == *other
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Display> fmt::Display for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
