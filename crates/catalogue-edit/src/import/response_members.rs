//! The members of responses beside their records, by which pages are recognized.

use std::collections::HashMap;

use catalogue::spec::Text;

/// A member of a response that is one value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The JSON path of the value.
    pub(super) path: String,
    /// The last key of the path, in snake case.
    pub(super) name: String,
    pub(super) is_text: bool,
}

impl Member {
    pub(super) fn path(&self) -> Text {
        self.path.as_str().into()
    }
}

/// The members of a response beside its records.
#[derive(Clone, Debug, Default)]
pub(super) struct ResponseMembers {
    pub(super) values: Vec<Member>,
    /// `true` if the response is a list, or has one among its members.
    pub(super) has_list: bool,
}

/// The members of the response of each path.
pub(super) type Members = HashMap<String, ResponseMembers>;
