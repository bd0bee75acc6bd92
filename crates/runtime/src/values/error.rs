//! The error of a conversion to or from a value.

use std::borrow::Cow;
use std::fmt;

/// The error for a text that cannot be parsed, for example as a [`Timestamp`](crate::Timestamp), and for a timestamp
/// outside the range of the type that it is converted to.
#[derive(Clone, PartialEq, Eq)]
pub struct ConversionError(pub(crate) Cow<'static, str>);

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConversionError {}

crate::debug::debug_as_display!(ConversionError);
