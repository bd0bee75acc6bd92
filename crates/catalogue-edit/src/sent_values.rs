//! The values that recorded requests have sent. A key of a response that is one of them is data, not the name of a field.

use std::collections::BTreeSet;
use std::fmt;

use heck::ToSnakeCase;

use crate::word_lists::is_among_or_singular;

/// The words in the names of params whose values are names of fields, such as `fields=open,close`.
const SELECTORS: &str = "attribute column field include measure metric property return select value";

/// Names of members around records. A param may have such a word as its value by chance.
const GENERIC: &str = "body data item payload record response result value";

/// The values of params in the requests of one endpoint, in lower case.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SentValues {
    values: BTreeSet<String>,
}

/// The values may be secrets, so they are omitted.
impl fmt::Debug for SentValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SentValues").finish_non_exhaustive()
    }
}

impl SentValues {
    /// Adds the value of a param, which may be several values separated by commas.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        let selects_fields = name.to_snake_case().split('_').any(|word| is_among_or_singular(SELECTORS, word));
        if selects_fields {
            return;
        }
        for part in value.split(',') {
            let part = part.to_lowercase();
            if !part.is_empty() && !is_among_or_singular(GENERIC, &part) {
                self.values.insert(part);
            }
        }
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.values.contains(&key.to_lowercase())
    }
}
