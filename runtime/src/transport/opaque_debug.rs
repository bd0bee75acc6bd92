//! A macro for types whose contents are secret or unreadable.

/// Implements `Debug` for a type; the output contains only the name of the type.
macro_rules! opaque_debug {
    ($type:ident $(<$param:ident $(: $bound:path)?>)?) => {
        impl$(<$param $(: $bound)?>)? ::std::fmt::Debug for $type$(<$param>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(concat!(stringify!($type), "(..)"))
            }
        }
    };
}

pub(crate) use opaque_debug;
