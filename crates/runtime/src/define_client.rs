//! Macros that define types in an emitted crate: `Client` and `Request`, which are thin wrappers of the runtime's
//! types, and aliases for other types of the runtime.
//!
//! An emitted crate defines these types itself, so that its groups and setters are inherent methods, without a trait to
//! import. The types are written once, in these macros, and contain no behaviour: each method calls the runtime.

mod client;
mod request;

/// Defines `Client`, `Request<E>` and `Series<T>` in the calling crate; `Series<T>` is an alias of the runtime's type.
///
/// `crate` is the crate's name in Rust, for the examples in its docs. `env` is the prefix of its environment variables,
/// also for the docs. `service` is a static [`ServiceInfo`](crate::registry::ServiceInfo), which describes the service.
/// `metadata` is the record type of the metadata that the service sends with a series.
#[macro_export]
macro_rules! define_client {
    (crate $name:literal, env $env:literal, service $service:path, metadata $metadata:path) => {
        $crate::__client!($name, $env, $service);
        $crate::__request!($name, "Client");

        /// A list of records, usually one per timestamp, with the service's metadata.
        pub type Series<T> = $crate::Series<T, $metadata>;

        impl $crate::emitted::MetadataRecord for $metadata {
            const SERVICE: &'static $crate::registry::ServiceInfo = &$service;

            fn unsupported(&self) -> ::std::vec::Vec<::std::string::String> {
                <$metadata>::unsupported(self)
            }
        }
    };
}

/// Adds setters to the requests of an endpoint. If a param has different types at different endpoints, the input
/// declares its type at this endpoint.
#[doc(hidden)]
#[macro_export]
macro_rules! takes {
    ($endpoint:ident => $($takes:path $({ type $name:ident = $ty:ty; })?),+) => {
        $(impl $takes for $endpoint { $(type $name = $ty;)? })+
    };
}

/// Defines the marker type of an endpoint. The input is the type of the group and `Marker method`, or `Marker method :
/// HasHistory` if the endpoint has a history.
#[doc(hidden)]
#[macro_export]
macro_rules! marker {
    ($group:ident: $marker:ident $method:ident $(: $history:path)?) => {
        #[doc = ::std::concat!("The endpoint of [`", ::std::stringify!($group), "::", ::std::stringify!($method), "`].")]
        // The type has no values, so nothing is derived; for 130 endpoints derives would cost build time.
        #[allow(missing_debug_implementations)]
        pub enum $marker {}

        impl $crate::emitted::Marker for $marker {}
        $(impl $history for $marker {})?
    };
}
