//! JSON path of a value in a body, by wire names: `data[3].levels[0].price`.
//!
//! The path is built from its end: each function that returns an error to its caller puts a key or index in front. Long
//! keys are shortened, and line breaks in keys are replaced.

use crate::error::{excerpt, one_line};

/// A JSON path; empty for the whole body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonPath(String);

/// Maximum number of bytes quoted from a key.
const MAX_KEY_BYTES: usize = 60;

impl JsonPath {
    /// Returns the path as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Puts a key in front of the path.
    #[cold]
    pub(crate) fn enter_field(&mut self, key: &str) {
        self.enter(&one_line(&excerpt(key, MAX_KEY_BYTES)));
    }

    /// Puts an index in front of the path.
    #[cold]
    pub(crate) fn enter_item(&mut self, index: usize) {
        self.enter(&format!("[{index}]"));
    }

    fn enter(&mut self, outer: &str) {
        if !self.0.is_empty() && !self.0.starts_with('[') {
            self.0.insert(0, '.');
        }
        self.0.insert_str(0, outer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_path_grows_outwards() {
        let mut path = JsonPath::default();
        path.enter_field("price");
        path.enter_item(3);
        path.enter_item(1);
        path.enter_field("levels");
        path.enter_item(7);
        assert_eq!(path.as_str(), "[7].levels[1][3].price");
    }

    #[test]
    fn long_key_is_shortened_in_a_path() {
        let mut path = JsonPath::default();
        path.enter_field(&"a\n".repeat(100));
        assert_eq!(path.as_str(), format!("{}… (200 bytes)", "a ".repeat(30)));
    }
}
