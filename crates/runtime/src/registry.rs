//! The types of the emitted registry, which describes the service.
//!
//! The types are written by hand. The data is emitted from the catalogue, as `SERVICE` and `GROUPS`; `REGISTRY`
//! contains both. The registry is static, so no client is needed to read it: tools list its endpoints, a mock server
//! uses it to route requests, and errors contain names from it.

/// Declares the struct of an entry, its constructor `new`, and a setter for each field. The arguments of `new` are the
/// fields before `..`; the other fields have the declared values, which stand for unknown, until they are set.
///
/// Emitted code calls the setters, because the compiler takes longer to check struct literals with
/// `..EntryInfo::new(…)`: `cargo check` of a client with 130 endpoints took 1.5 s with such literals, and 0.9 s with
/// setters.
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

// The modules, lowest layer first, as in `lib.rs`.
mod evidence;

mod step;

mod time_unit;

mod value;

mod pages;

mod endpoint;

mod service;

pub use endpoint::{
    BodyFormat, BodyInfo, EndpointInfo, GroupInfo, HistoryInfo, HistorySource, ListFormat, ParamInfo, ParamLocation,
};
pub use evidence::Evidence;
pub use pages::{NextPage, PagesInfo};
pub use service::{
    BaseUrlInfo, ClientCredentialsInfo, EnvelopeInfo, ErrorBodyInfo, LimitInfo, RateLimitHeadersInfo, ResetUnit,
    ServiceInfo, StatusInfo,
};
pub use step::Step;
pub use time_unit::TimeUnit;
pub use value::{
    FieldInfo, FieldSource, Range, RecordInfo, RecordLayout, RecursiveRecord, TypeInfo, ValueInfo, ValueType,
};

entry! {
    /// The complete catalogue of a client as one value, for example for a mock server or for a tool that works with any
    /// client.
    #[derive(Clone, Copy, Debug)]
    pub struct Registry {
        /// Facts that all endpoints share.
        pub service: &'static ServiceInfo,
        /// Every group with its endpoints.
        pub groups: &'static [&'static GroupInfo],
        /// The description of the metadata of a series.
        pub metadata: &'static RecordInfo,
    }
}

impl Registry {
    /// Returns the endpoints of all groups.
    pub fn endpoints(&self) -> impl Iterator<Item = &'static EndpointInfo> + use<> {
        self.groups.iter().flat_map(|group| group.endpoints).copied()
    }

    /// Returns the endpoint with this name: its group and its method, for example `market.ratio`, as the endpoint is
    /// displayed.
    pub fn endpoint(&self, name: &str) -> Option<&'static EndpointInfo> {
        self.endpoints().find(|endpoint| name.split_once('.') == Some((endpoint.group, endpoint.ident)))
    }
}
