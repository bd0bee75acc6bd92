//! The regular expressions of the catalogue format.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use regex_lite::Regex;

/// `true` if a text matches a regular expression of the format, which is compiled once.
pub(crate) fn is_like(pattern: &'static str, text: &str) -> bool {
    static COMPILED: Mutex<BTreeMap<&str, Option<Regex>>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let regex = compiled.entry(pattern).or_insert_with(|| Regex::new(pattern).ok());
    match regex {
        Some(regex) => regex.is_match(text),
        None => false,
    }
}
