//! Methods whose feature is not enabled. A call is an error that names the feature; without these declarations, the
//! compiler would report only that there is no such method.

/// Declares a trait that no type implements, and setters that require it.
macro_rules! missing {
    ($feature:literal, $trait:ident, $message:literal, $note:literal, [$($setter:ident($($value:ident)?)),*]) => {
        #[cfg(not(feature = $feature))]
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(message = $message, label = "the feature is not enabled", note = $note)]
        pub trait $trait: Sized {
            fn missing<T>() -> T;
        }

        #[cfg(not(feature = $feature))]
        #[doc(hidden)]
        impl<C> crate::client::Builder<C> {
            $(pub fn $setter(self $(, $value: impl Sized)?) -> Self
            where
                C: $trait,
            {
                $(let _ = $value;)?
                C::missing()
            })*
        }
    };
}

missing!(
    "blocking",
    Blocking,
    "requests without `await` need the feature `blocking`",
    "in Cargo.toml, add `features = [\"blocking\"]` to the dependency on the client",
    []
);
missing!(
    "http2",
    Http2,
    "`http2` needs the feature `http2`",
    "in Cargo.toml, add `features = [\"http2\"]` to the dependency on the client",
    [http2(is_used)]
);
missing!(
    "proxy",
    Proxy,
    "`proxy` and `env_proxy` need the feature `proxy`",
    "in Cargo.toml, add `features = [\"proxy\"]` to the dependency on the client",
    [proxy(url), env_proxy(is_used)]
);
missing!(
    "system-roots",
    SystemRoots,
    "`system_roots` needs the feature `system-roots`",
    "in Cargo.toml, add `features = [\"system-roots\"]` to the dependency on the client",
    [system_roots()]
);
