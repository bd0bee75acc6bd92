//! Lists the names that every emitted crate uses, by scope. A Rust name derived from a catalogue must differ from all
//! listed names of its scope.
//!
//! `reserved/tests.rs` compares the lists with the runtime and with our emitted files: every name that is used must be
//! listed, and every listed name must be used. Planned names are not used yet, so they have a separate list.

/// A scope in which every emitted crate already uses some names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Methods of `Client` that return a group, modules of the crate, and functions of the emitted tests.
    Groups,
    /// Methods of a request that set a param.
    Setters,
    /// Arguments of a method.
    Arguments,
    /// Fields of a record.
    Fields,
    /// Types at the root of the crate and in every group module.
    Types,
    /// Variants and constants of an enum.
    Variants,
    /// Methods and constants of an identifier type.
    Constants,
    /// Methods of a group's handle.
    Endpoints,
}

/// Returns `true` if a name is reserved in a scope.
pub fn is_taken(scope: Scope, ident: &str) -> bool {
    let lists: &[&[&str]] = match scope {
        Scope::Groups => &[MODULES, CLIENT, TEST_FUNCTIONS, EVERY_VALUE],
        Scope::Setters => &[REQUEST, PLANNED_FOR_REQUESTS, EVERY_VALUE, &["to_string"]],
        Scope::Arguments => &[],
        Scope::Fields => &[&["unknown_fields"]],
        Scope::Types => &[TYPES, PRELUDE, GENERICS],
        Scope::Variants => &[&["ALL", "Unknown", "as_str"]],
        Scope::Constants => &[EVERY_VALUE, &["as_str", "duration", "from", "is_known", "known", "to_string"]],
        Scope::Endpoints => &[EVERY_VALUE],
    };
    // A group module imports setter traits such as `TakesLimit`, so its types cannot have such names.
    lists.iter().any(|list| list.contains(&ident)) || (scope == Scope::Types && ident.starts_with("Takes"))
}

/// Methods of prelude traits that almost every type implements. An emitted method with one of these names would hide
/// the trait method.
const EVERY_VALUE: &[&str] = &["clone", "into", "to_owned", "try_into"];

/// Modules at the root of the crate, including modules that are re-exported from the runtime.
const MODULES: &[&str] = &[
    "examples",
    "generated",
    "history",
    "limits",
    "observer",
    "params",
    "rate_limit",
    "recipes",
    "record",
    "records",
    "registry",
    "requests",
    "service",
    "transport",
    "types",
    "wire",
];

/// Methods of `Client`.
const CLIENT: &[&str] = &["builder", "endpoint", "from_env", "raw", "service_time"];

/// Functions of the emitted request tests, including `every_setter`, the only test that is not named after a group.
const TEST_FUNCTIONS: &[&str] = &["client", "endpoint", "every_setter", "setter"];

/// Methods of `Request`.
const REQUEST: &[&str] = &[
    "attempt_timeout",
    "endpoint",
    "follow",
    "header",
    "history",
    "into_dynamic",
    "into_future",
    "new",
    "params",
    "path_and_query",
    "query",
    "query_list",
    "queue_timeout",
    "response",
    "response_blocking",
    "retry",
    "send_blocking",
    "skip_bad_records",
    "timeout",
    "with",
    "with_list",
];

/// Planned methods of requests. Their names are reserved now, because a later reservation would break catalogues that
/// have params with these names.
const PLANNED_FOR_REQUESTS: &[&str] = &["plan", "poll"];

/// Types at the root of the crate, including re-exports of the runtime, and names that emitted files import.
const TYPES: &[&str] = &[
    "AnyBody",
    "AnySeries",
    "BadRecord",
    "Body",
    "BodyInfo",
    "Client",
    "ClientCredentialsInfo",
    "Column",
    "Cow",
    "Decimal",
    "DecodeError",
    "Dynamic",
    "Endpoint",
    "EndpointInfo",
    "EnvelopeInfo",
    "Error",
    "ErrorBodyInfo",
    "ErrorKind",
    "Evidence",
    "FieldInfo",
    "GROUPS",
    "GroupInfo",
    "HasHistory",
    "HistoryInfo",
    "HistorySource",
    "IntoParam",
    "IntoParamList",
    "LimitInfo",
    "LimitWindow",
    "ListFormat",
    "Metadata",
    "NamedType",
    "OutOfRange",
    "ParamInfo",
    "ParamLocation",
    "ParseTimestampError",
    "REGISTRY",
    "Range",
    "RateLimit",
    "Raw",
    "Record",
    "RecordInfo",
    "RecordLayout",
    "Registry",
    "Request",
    "RequestKind",
    "Response",
    "ResponseFuture",
    "Retry",
    "SERVICE",
    "Secret",
    "Series",
    "ServiceInfo",
    "StatusInfo",
    "TimeUnit",
    "Timestamp",
    "ToWire",
    "TypeInfo",
    "UnknownFields",
    "UnknownValue",
    "Value",
    "ValueInfo",
    "ValueType",
];

/// Names of the prelude that emitted files use unqualified.
const PRELUDE: &[&str] = &["Into", "IntoIterator", "None", "Option", "Result", "Some", "String", "ToString", "Vec"];

/// Type parameters of generic code.
const GENERICS: &[&str] = &["E", "T", "Via"];

#[cfg(test)]
mod tests;
