//! A value that does not fit its field: where, what was expected, what stood there.
//!
//! It is made where the value is looked at, and learns its place on the way out.
//! It is a part of an error, not the error that users meet: that one is [`Error`](crate::Error).

use std::fmt;

/// Why a value does not fit its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError(Box<Misfit>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Misfit {
    /// `levels[3].price`, built from its end.
    place: String,
    expected: &'static str,
    found: String,
}

impl FieldError {
    pub(crate) fn new(expected: &'static str, found: String) -> Self {
        Self(Box::new(Misfit { place: String::new(), expected, found }))
    }

    /// Where the value stands in its record, by wire names: `levels[3].price`.
    pub fn place(&self) -> &str {
        &self.0.place
    }

    /// What is wrong with it.
    pub(crate) fn problem(&self) -> String {
        format!("expected {}, found {}", self.0.expected, self.0.found)
    }

    /// The same error, seen from the record around it.
    #[cold]
    pub(crate) fn in_field(self, wire_name: &str) -> Self {
        self.inside(wire_name)
    }

    /// The same error, seen from the list around it.
    #[cold]
    pub(crate) fn at_index(self, index: usize) -> Self {
        self.inside(&format!("[{index}]"))
    }

    fn inside(mut self, outer: &str) -> Self {
        let place = &mut self.0.place;
        if !place.is_empty() && !place.starts_with('[') {
            place.insert(0, '.');
        }
        place.insert_str(0, outer);
        self
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.place(), self.problem())
    }
}

impl std::error::Error for FieldError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_grows_outwards() {
        let error = FieldError::new("a number", "`null`".to_owned());
        let error = error.in_field("price").at_index(3).at_index(1).in_field("levels").at_index(7);
        assert_eq!(error.to_string(), "`[7].levels[1][3].price`: expected a number, found `null`");
    }
}
