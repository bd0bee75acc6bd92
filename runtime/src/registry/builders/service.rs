//! Builders of the facts that all endpoints of a service share.
//!
//! `new` takes the required facts; each optional fact has a setter.

use std::borrow::Cow;

use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::registry::{
    ClientCredentialsInfo, EnvelopeInfo, ErrorBodyInfo, Evidence, FieldInfo, HistoryInfo, LimitInfo, ServiceInfo,
    StatusInfo, TimeUnit,
};

#[doc(hidden)]
impl ServiceInfo {
    /// Creates a service for which only the title is known; its timestamps are in seconds.
    pub const fn new(title: &'static str) -> Self {
        Self {
            title,
            version: "",
            summary: "",
            env_prefix: "",
            base_url_suffix: "",
            time_unit: TimeUnit::Seconds,
            api_key_header: None,
            api_key_prefix: "",
            api_key_query: None,
            api_key_basic: false,
            api_key_optional: false,
            headers: &[],
            client_credentials: None,
            errors: &[],
            error_body: ErrorBodyInfo::new(&[], &[]),
            limits: &[],
            envelope: None,
            history: None,
        }
    }

    pub const fn api_key_basic(mut self) -> Self {
        self.api_key_header = Some("authorization");
        self.api_key_prefix = "Basic ";
        self.api_key_basic = true;
        self
    }

    /// Returns whether requests can carry an API key, in a header or in the query.
    pub const fn takes_api_key(&self) -> bool {
        self.api_key_header.is_some() || self.api_key_query.is_some()
    }

    /// Returns the value of the header with an API key.
    pub fn api_key_value(&self, key: &str) -> String {
        let key = if self.api_key_basic { Cow::Owned(BASE64_STANDARD.encode(key)) } else { Cow::Borrowed(key) };
        format!("{}{key}", self.api_key_prefix)
    }

    pub const fn api_key_optional(mut self) -> Self {
        self.api_key_optional = true;
        self
    }

    pub const fn error_body(mut self, message: &'static [&'static str], code: &'static [&'static str]) -> Self {
        self.error_body = ErrorBodyInfo::new(message, code);
        self
    }

    pub const fn error_name(mut self, name: &'static str, evidence: Evidence) -> Self {
        self.error_body = ErrorBodyInfo { name: Some((name, evidence)), ..self.error_body };
        self
    }

    set! {
        version: &'static str,
        summary: &'static str,
        env_prefix: &'static str,
        base_url_suffix: &'static str,
        time_unit: TimeUnit,
        api_key_prefix: &'static str,
        headers: &'static [(&'static str, &'static str)],
        errors: &'static [StatusInfo],
        limits: &'static [LimitInfo],
    }

    set_some! {
        api_key_header: &'static str,
        api_key_query: &'static str,
        envelope: EnvelopeInfo,
        history: HistoryInfo,
        client_credentials: ClientCredentialsInfo,
    }
}

#[doc(hidden)]
impl ClientCredentialsInfo {
    /// Creates the description of a token flow from the path of its token endpoint.
    pub const fn new(path: &'static str, label: &'static str, evidence: Evidence) -> Self {
        Self { path, label, evidence, reply: &[], errors: &[], notes: "" }
    }

    set! {
        notes: &'static str,
        reply: &'static [FieldInfo],
        errors: &'static [StatusInfo],
    }
}

#[doc(hidden)]
impl ErrorBodyInfo {
    /// Creates the description of an error body from the JSON paths of its message and its code.
    pub const fn new(message: &'static [&'static str], code: &'static [&'static str]) -> Self {
        Self { name: None, message, code }
    }
}

#[doc(hidden)]
impl LimitInfo {
    /// Creates a rate limit without a known scope.
    pub const fn new(name: &'static str, requests: u32, seconds: u32, concurrent: u32, evidence: Evidence) -> Self {
        Self { concurrent: Some(concurrent), ..Self::of_window(name, requests, seconds, evidence) }
    }

    /// Creates a rate limit whose number of requests in flight is unknown or unlimited.
    pub const fn of_window(name: &'static str, requests: u32, seconds: u32, evidence: Evidence) -> Self {
        Self { name, requests, seconds, concurrent: None, scope: None, endpoints: &[], evidence }
    }

    set! { endpoints: &'static [&'static str] }

    set_some! { scope: &'static str }
}

#[doc(hidden)]
impl EnvelopeInfo {
    /// Creates an envelope from the JSON path of its records.
    pub const fn new(data: &'static str) -> Self {
        Self { data, metadata: None, time: None }
    }

    set_some! {
        metadata: &'static str,
        time: &'static str,
    }
}

#[doc(hidden)]
impl StatusInfo {
    /// Creates a status without a label.
    pub const fn new(status: u16, evidence: Evidence) -> Self {
        Self { status, label: None, summary: "", advice: "", notes: "", evidence }
    }

    set! {
        summary: &'static str,
        advice: &'static str,
        notes: &'static str,
    }

    set_some! { label: &'static str }
}
