//! Setters for the facts of registry entries that are not arguments of `new`.
//!
//! Emitted code calls the setters, because the compiler takes longer to check struct literals with
//! `..EntryInfo::new(…)`: `cargo check` of a client with 130 endpoints took 1.5 s with such literals, and 0.9 s with
//! setters.

use std::time::Duration;

use crate::record::Record;

use super::{
    BodyInfo, ClientCredentialsInfo, EndpointInfo, EnvelopeInfo, ErrorBodyInfo, Evidence, FieldInfo, HistoryInfo,
    HistorySource, LimitInfo, ListFormat, ParamInfo, ParamList, ParamLocation, Range, RecordInfo, RecordLayout,
    ServiceInfo, StatusInfo, TimeUnit, TypeInfo, ValueInfo,
};

type Text = &'static str;
type Texts = &'static [&'static str];

macro_rules! setters {
    ($($entry:ident { $($fact:ident: $type:ty),* })*) => {
        $(
            #[doc(hidden)]
            impl $entry {
                $(
                    #[must_use]
                    pub const fn $fact(mut self, $fact: $type) -> Self {
                        self.$fact = $fact;
                        self
                    }
                )*
            }
        )*
    };
}

setters! {
    ServiceInfo {
        version: Text, summary: Text, env_prefix: Text, base_url_suffix: Text, time_unit: TimeUnit,
        api_key_header: Option<Text>, api_key_prefix: Text, api_key_query: Option<Text>, api_key_basic: bool,
        api_key_optional: bool, headers: &'static [(Text, Text)], client_credentials: Option<ClientCredentialsInfo>,
        errors: &'static [StatusInfo], error_body: ErrorBodyInfo, limits: &'static [LimitInfo],
        envelope: Option<EnvelopeInfo>, history: Option<HistoryInfo>
    }
    StatusInfo { label: Option<Text>, summary: Text, advice: Text, notes: Text }
    EndpointInfo {
        name: Text, aliases: Texts, summary: Text, path: Option<Text>, evidence: Evidence,
        body: BodyInfo, data: Option<Text>, history_source: HistorySource, weight: u32, notes: Text, unknown: Texts, deprecated: Option<Text>
    }
    ParamInfo {
        location: ParamLocation, list_setter: Option<Text>, list_as: ListFormat, const_value: Option<Text>,
        required: Option<Evidence>, single_value: Option<Evidence>, default: Option<Text>, range: Range,
        allowed_values: Texts, tested_values: Texts, rejected_values: Texts, example: Option<Text>, unit: Text,
        summary: Text, notes: Text, unknown: Texts, evidence: Evidence
    }
    RecordInfo { summary: Text, form: RecordLayout }
    FieldInfo {
        is_escaped: bool, quoted: bool, optional: bool, range: Range, example: Option<Text>, unit: Text, summary: Text, notes: Text,
        unknown: Texts
    }
    TypeInfo { summary: Text, open: bool, attributes: Texts }
    ValueInfo { duration: Option<Duration>, attributes: Texts }
}

/// A call of one of these setters takes one line of emitted code; a struct literal as the value of the field would take
/// six lines.
#[doc(hidden)]
impl EndpointInfo {
    /// Sets the params to these shared params. Call this setter before `overrides` and `specific_params`.
    #[must_use]
    pub const fn shared_params(mut self, shared: &'static [ParamInfo]) -> Self {
        self.params = Some(ParamList { shared, overrides: &[], specific: &[] });
        self
    }

    /// Sets the descriptions that replace those of shared params. Call `shared_params` first.
    #[must_use]
    pub const fn overrides(mut self, overrides: &'static [ParamInfo]) -> Self {
        if let Some(params) = &mut self.params {
            params.overrides = overrides;
        }
        self
    }

    /// Sets the params that only this endpoint has. Call `shared_params` first.
    #[must_use]
    pub const fn specific_params(mut self, specific: &'static [ParamInfo]) -> Self {
        if let Some(params) = &mut self.params {
            params.specific = specific;
        }
        self
    }

    /// Sets the body to a series whose times have the unit of the service.
    #[must_use]
    pub const fn series<R: Record>(mut self, time: Text, evidence: Evidence) -> Self {
        let record = Some(RecordInfo::of::<R>());
        self.body = BodyInfo::Series { record, time: Some(time), time_unit: None, evidence };
        self
    }

    /// Sets the body to a series of unknown records, whose times have the unit of the service.
    #[must_use]
    pub const fn unknown_series(mut self, time: Text, evidence: Evidence) -> Self {
        self.body = BodyInfo::Series { record: None, time: Some(time), time_unit: None, evidence };
        self
    }
}
