//! The facts about a setter that must be the same on all endpoints.

/// The facts about a setter that must be the same on all endpoints.
#[derive(Clone, PartialEq)]
pub(super) struct SetterFacts {
    pub(super) ident: String,
    pub(super) several: bool,
    pub(super) wire_name: String,
}
