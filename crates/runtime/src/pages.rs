//! Returns all pages of a request, one after the other.
//!
//! The registry names the fact in a response that leads to the next page. `walk` decides which request follows a
//! response, and `link` checks the link to a page. Neither sends anything.

// The modules, lowest layer first, as in `lib.rs`.
mod link;

mod walk;

mod all_pages;

pub use all_pages::{AllPages, PagesAccount};
pub(crate) use walk::{PageFacts, PageWalk};
