//! Declares the entries of the registry: each fact once, with its description and the value that stands for unknown.
//!
//! Emitted code calls the setters, because the compiler takes longer to check struct literals with
//! `..EntryInfo::new(…)`: `cargo check` of a client with 130 endpoints took 1.5 s with such literals, and 0.9 s with
//! setters.

/// Declares the struct of an entry, its constructor `new`, and a setter for each field. The arguments of `new` are the
/// fields before `..`; the other fields have the declared values until they are set.
macro_rules! entry {
    (
        $(#[$about:meta])*
        pub struct $entry:ident {
            $($(#[$about_given:meta])* pub $given:ident: $given_type:ty,)+
            $(.. $($(#[$about_fact:meta])* pub $fact:ident: $type:ty = $value:expr,)+)?
        }
    ) => {
        $(#[$about])*
        pub struct $entry {
            $($(#[$about_given])* pub $given: $given_type,)+
            $($($(#[$about_fact])* pub $fact: $type,)+)?
        }

        #[doc(hidden)]
        impl $entry {
            pub const fn new($($given: $given_type),+) -> Self {
                Self { $($given,)+ $($($fact: $value,)+)? }
            }

            entry!(setters $($given: $given_type,)+ $($($fact: $type,)+)?);
        }
    };
    (setters $($fact:ident: $type:ty,)+) => {
        $(
            #[must_use]
            pub const fn $fact(mut self, $fact: $type) -> Self {
                self.$fact = $fact;
                self
            }
        )+
    };
}

pub(super) use entry;
