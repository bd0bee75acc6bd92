//! An emitted file.

/// An emitted file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path relative to the output folder, with `/` as the separator.
    pub path: String,
    /// The complete text.
    pub text: String,
}

impl File {
    pub(super) fn new(path: impl Into<String>, mut text: String) -> Self {
        // A text that was built piece by piece has up to twice the memory that it needs.
        text.shrink_to_fit();
        Self { path: path.into(), text }
    }
}
