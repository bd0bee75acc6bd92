//! A damaged file of a table.

use crate::error::Error;

/// A damaged file.
pub(crate) struct Damage {
    /// The path in the storage, and the name for messages.
    pub(crate) path: String,
    pub(crate) name: String,
    /// Description of the damage.
    pub(crate) why: String,
}

impl Damage {
    pub(crate) fn error(&self) -> Error {
        Error::damaged(&self.name, &self.why)
    }
}
