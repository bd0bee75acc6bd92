//! Implementations of `Debug`.

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

/// Implements `Debug` with the text of `Display`, because a `main` that returns an error prints its `Debug` form.
macro_rules! debug_as_display {
    ($error:ident) => {
        impl ::std::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    };
}

pub(crate) use debug_as_display;
