//! The format of the catalogue, and what its author wrote: YAML's words, defaults not filled in, references not
//! followed.
//!
//! Each map is declared once: its keys, their values, the findings about others, and its documentation. Only `load`
//! makes these and only `resolve` reads them.

mod credentials;
mod group;
mod named_type;
mod service;
mod value;

pub use crate::evidence::Evidence;
pub use crate::spanned::{Spanned, Text};
pub use credentials::*;
pub use group::*;
pub use named_type::*;
pub use service::*;
pub use value::*;
