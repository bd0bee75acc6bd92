//! Types that a setter accepts: a value, or an `Option` of a value, where `None` omits the param.
//!
//! The type parameter `Via` distinguishes the two cases, so that the implementations do not overlap. `Via` is always
//! inferred.

/// A value of a param, or an `Option` of a value.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be converted to `{T}`, the type of the param")]
pub trait IntoParam<T, Via = Given> {
    /// Returns the value; `None` omits the param.
    fn into_param(self) -> Option<T>;
}

/// Several values of a param, or an `Option` of several values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of values that convert to `{T}`, the type of the param"
)]
pub trait IntoParamList<T, Via = Given> {
    /// Returns the values; `None` omits the param.
    fn into_param_list(self) -> Option<impl Iterator<Item = T>>;
}

/// Marks the implementation for a value, so that implementations do not overlap.
#[doc(hidden)]
#[derive(Debug)]
pub enum Given {}

/// Marks the implementation for an `Option`.
#[doc(hidden)]
#[derive(Debug)]
pub enum Optional {}

impl<T, V: Into<T>> IntoParam<T> for V {
    fn into_param(self) -> Option<T> {
        Some(self.into())
    }
}

impl<T, V: Into<T>> IntoParam<T, Optional> for Option<V> {
    fn into_param(self) -> Option<T> {
        self.map(V::into)
    }
}

impl<T, I: IntoIterator<Item: Into<T>>> IntoParamList<T> for I {
    fn into_param_list(self) -> Option<impl Iterator<Item = T>> {
        Some(self.into_iter().map(Into::into))
    }
}

impl<T, I: IntoIterator<Item: Into<T>>> IntoParamList<T, Optional> for Option<I> {
    fn into_param_list(self) -> Option<impl Iterator<Item = T>> {
        self.map(|values| values.into_iter().map(Into::into))
    }
}
