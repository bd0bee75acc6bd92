//! Features of this crate as traits, so that a call of a method whose feature is not enabled is an error that names the
//! feature. If the methods did not exist without their feature, the compiler would report only that.

/// Declares a trait that every type implements if the feature is enabled, and otherwise no type.
macro_rules! feature {
    ($feature:literal, $trait:ident, $message:literal) => {
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(
                                    message = $message,
                                    label = "the feature is not enabled",
                                    note = "in Cargo.toml, add it to the `features` of the dependency on the client"
                                )]
        pub trait $trait {}

        #[cfg(feature = $feature)]
        impl<T> $trait for T {}
    };
}

feature!("blocking", BlockingFeature, "requests without `await` need the feature `blocking`");
feature!("http2", Http2Feature, "`http2` needs the feature `http2`");
feature!("proxy", ProxyFeature, "`proxy` and `env_proxy` need the feature `proxy`");
feature!("system-roots", SystemRootsFeature, "`system_roots` needs the feature `system-roots`");
