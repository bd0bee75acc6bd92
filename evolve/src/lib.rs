//! Evidence in, edits of the catalogue out; and what an edit means for those who depend on the client.
//!
//! Nothing here writes of its own accord: what comes out is a [`CatalogueChange`], to be looked at first.

mod add;
mod change;
mod checked;
pub mod diff;
mod edit;
mod import;
mod keys;
mod learn;
mod merge;
mod naming;
mod place;
mod question;
mod reply;
mod seen;
mod tree;

pub use add::{Addition, add};
pub use change::{CatalogueChange, Refusal};
pub use import::{Import, import};
pub use learn::{Learning, Lesson, learn};
pub use question::Question;
