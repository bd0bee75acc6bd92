//! The facts about a setter that must be the same on all endpoints.

use crate::diagnostic::Location;

/// The facts about a setter that must be the same on all endpoints.
#[derive(PartialEq)]
pub(super) struct SetterFacts {
    pub(super) ident: String,
    pub(super) several: bool,
    pub(super) wire_name: String,
}

/// A setter as it is at its first location.
pub(super) struct FirstSetter {
    pub(super) facts: SetterFacts,
    pub(super) at: Location,
}
