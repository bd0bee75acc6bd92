//! Builders with which emitted code creates the registry: one call for the required facts, and one for each other fact.
//!
//! Everything is evaluated at compile time. A value that is not set stays unknown.

/// Defines setters of facts, each with the name of its field.
macro_rules! set {
    ($($fact:ident: $ty:ty),+ $(,)?) => {$(
        pub const fn $fact(mut self, $fact: $ty) -> Self {
            self.$fact = $fact;
            self
        }
    )+};
}

/// Defines setters of facts that may be unknown.
macro_rules! set_some {
    ($($fact:ident: $ty:ty),+ $(,)?) => {$(
        pub const fn $fact(mut self, $fact: $ty) -> Self {
            self.$fact = Some($fact);
            self
        }
    )+};
}

mod endpoint;
mod service;
mod value;
