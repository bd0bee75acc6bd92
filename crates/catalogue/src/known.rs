//! Facts of the catalogue that may be unknown.

/// A value of the catalogue, or the word `unknown`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Known<T> {
    #[default]
    Unknown,
    Known(T),
}

impl<T> Known<T> {
    pub fn known(&self) -> Option<&T> {
        if let Self::Known(value) = self { Some(value) } else { None }
    }
}
