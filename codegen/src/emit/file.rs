//! An emitted file.

/// An emitted file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path relative to the output folder, with `/` as the separator.
    pub path: String,
    /// The complete text.
    pub text: String,
}
