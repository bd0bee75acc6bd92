//! Copies values of the model to values that are valid until the program ends.

use std::fmt::Display;

pub(super) fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Converts each item.
pub(super) fn list<'a, T, E>(items: &'a [T], convert: impl FnMut(&'a T) -> E) -> &'static [E] {
    Vec::leak(items.iter().map(convert).collect())
}

pub(super) fn text(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

pub(super) fn optional_text(optional: Option<&(impl Display + ?Sized)>) -> Option<&'static str> {
    Some(text(&optional?.to_string()))
}

pub(super) fn texts(texts: &[impl Display]) -> &'static [&'static str] {
    list(texts, |item| text(&item.to_string()))
}
