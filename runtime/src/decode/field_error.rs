//! A value that does not fit its field: the path, the expectation and the value found.
//!
//! Created where the value is checked; callers add the path on the way out. It is part of [`Error`](crate::Error),
//! which users see.

use std::fmt;

use super::json_path::JsonPath;

/// Why a value does not fit its field.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError(Box<Misfit>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Misfit {
    path: JsonPath,
    expected: &'static str,
    found: String,
}

impl FieldError {
    pub(crate) fn new(expected: &'static str, found: String) -> Self {
        Self(Box::new(Misfit { path: JsonPath::default(), expected, found }))
    }

    /// Path of the value in its record, by wire names: `levels[3].price`.
    pub fn path(&self) -> &str {
        self.0.path.as_str()
    }

    /// What is wrong with it.
    pub(crate) fn problem(&self) -> String {
        format!("expected {}, found {}", self.0.expected, self.0.found)
    }

    /// The same error, seen from the record around it.
    #[cold]
    pub(crate) fn in_field(mut self, wire_name: &str) -> Self {
        self.0.path.enter_field(wire_name);
        self
    }

    /// The same error, seen from the list around it.
    #[cold]
    pub(crate) fn at_index(mut self, index: usize) -> Self {
        self.0.path.enter_item(index);
        self
    }

    /// What a body's refusal is made of.
    pub(super) fn into_parts(self) -> (JsonPath, String) {
        let problem = self.problem();
        (self.0.path, problem)
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.path(), self.problem())
    }
}

impl std::error::Error for FieldError {}
