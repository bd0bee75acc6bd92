//! Builders of groups, endpoints and params.
//!
//! `new` takes the required facts; each optional fact has a setter.

use crate::registry::{
    BodyInfo, EndpointInfo, Evidence, GroupInfo, HistorySource, ListFormat, ParamInfo, ParamList, ParamLocation, Range,
    RecordInfo, TimeUnit, ValueType,
};

#[doc(hidden)]
impl GroupInfo {
    /// Creates a group without endpoints.
    pub const fn new(ident: &'static str, title: &'static str) -> Self {
        Self { ident, title, summary: "", aliases: &[], notes: "", endpoints: &[] }
    }

    set! {
        notes: &'static str,
        summary: &'static str,
        aliases: &'static [&'static str],
        endpoints: &'static [&'static EndpointInfo],
    }
}

#[doc(hidden)]
impl EndpointInfo {
    /// Creates an endpoint for which only the name is known.
    pub const fn new(group: &'static str, ident: &'static str, name: &'static str) -> Self {
        Self {
            group,
            ident,
            name,
            aliases: &[],
            summary: "",
            path: None,
            evidence: Evidence::Documented,
            params: None,
            body: BodyInfo::Unknown,
            history: HistorySource::Service,
            weight: 1,
            notes: "",
            deprecated: None,
        }
    }

    /// Sets the source of the name.
    pub const fn name_evidence(mut self, evidence: Evidence) -> Self {
        self.evidence = evidence;
        self
    }

    pub const fn path(mut self, path: &'static str, evidence: Evidence) -> Self {
        self.path = Some(path);
        self.evidence = evidence;
        self
    }

    pub const fn params(mut self, shared: &'static [ParamInfo], specific: &'static [ParamInfo]) -> Self {
        self.params = Some(ParamList { shared, overrides: &[], specific });
        self
    }

    /// Sets the descriptions that replace those of shared params whose facts differ on this endpoint.
    pub const fn param_overrides(mut self, overrides: &'static [ParamInfo]) -> Self {
        if let Some(params) = &mut self.params {
            params.overrides = overrides;
        }
        self
    }

    pub const fn series(
        self,
        record: Option<&'static RecordInfo>,
        time: Option<&'static str>,
        evidence: Evidence,
    ) -> Self {
        Self { body: BodyInfo::Series { record, time, time_unit: None, evidence }, ..self }
    }

    /// Sets the unit of the time field of a series whose fields are unknown.
    pub const fn time_unit(self, unit: TimeUnit) -> Self {
        match self.body {
            BodyInfo::Series { record, time, evidence, .. } => {
                Self { body: BodyInfo::Series { record, time, time_unit: Some(unit), evidence }, ..self }
            }
            _ => self,
        }
    }

    /// Sets the params of the endpoint's history, if they differ from those of the service.
    pub const fn history_source(mut self, history: HistorySource) -> Self {
        self.history = history;
        self
    }

    pub const fn object(mut self, record: &'static RecordInfo, evidence: Evidence) -> Self {
        self.body = BodyInfo::Object { record, evidence };
        self
    }

    set! {
        aliases: &'static [&'static str],
        summary: &'static str,
        weight: u32,
        notes: &'static str,
    }

    set_some! { deprecated: &'static str }
}

#[doc(hidden)]
impl ParamInfo {
    /// Creates an optional query param without further facts.
    pub const fn new(ident: &'static str, wire_name: &'static str, ty: ValueType, evidence: Evidence) -> Self {
        Self {
            ident,
            wire_name,
            location: ParamLocation::Query,
            ty,
            list_setter: None,
            list_as: ListFormat::Commas,
            const_value: None,
            required: None,
            default: None,
            allowed_values: &[],
            tested_values: &[],
            rejected_values: &[],
            example: None,
            single_value: None,
            range: Range::ALL,
            unit: "",
            summary: "",
            notes: "",
            evidence,
        }
    }

    pub const fn in_path(mut self) -> Self {
        self.location = ParamLocation::Path;
        self
    }

    /// Sets that each of several values is sent as a separate param.
    pub const fn repeated(mut self) -> Self {
        self.list_as = ListFormat::Repeated;
        self
    }

    /// Sets that several values are sent as a JSON list.
    pub const fn as_json(mut self) -> Self {
        self.list_as = ListFormat::Json;
        self
    }

    /// Sets the source of the fact that this endpoint accepts the param.
    pub const fn known_by(mut self, evidence: Evidence) -> Self {
        self.evidence = evidence;
        self
    }

    set! {
        range: Range,
        allowed_values: &'static [&'static str],
        tested_values: &'static [&'static str],
        rejected_values: &'static [&'static str],
        unit: &'static str,
        summary: &'static str,
        notes: &'static str,
    }

    set_some! {
        list_setter: &'static str,
        const_value: &'static str,
        required: Evidence,
        default: &'static str,
        example: &'static str,
        single_value: Evidence,
    }
}
