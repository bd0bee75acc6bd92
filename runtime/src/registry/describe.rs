//! How emitted code builds the registry: what a fact needs first, then one call for each thing known besides.
//!
//! Everything is evaluated at compile time. What is not set keeps the value that stands for unknown.

use std::time::Duration;

use super::{
    BodyInfo, ClientCredentialsInfo, EndpointInfo, EnvelopeInfo, ErrorBodyInfo, Evidence, FieldInfo, GroupInfo,
    HistoryInfo, HistoryOf, LimitInfo, ListStyle, ParamInfo, ParamList, ParamLocation, Range, RecordForm, RecordInfo,
    ServiceInfo, StatusInfo, SuffixInfo, TimeUnit, TypeInfo, ValueInfo, ValueType,
};

impl ServiceInfo {
    /// A service of which only the title is known; its timestamps count seconds.
    #[doc(hidden)]
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

    #[doc(hidden)]
    pub const fn version(mut self, version: &'static str) -> Self {
        self.version = version;
        self
    }

    #[doc(hidden)]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    #[doc(hidden)]
    pub const fn env_prefix(mut self, env_prefix: &'static str) -> Self {
        self.env_prefix = env_prefix;
        self
    }

    #[doc(hidden)]
    pub const fn base_url_suffix(mut self, base_url_suffix: &'static str) -> Self {
        self.base_url_suffix = base_url_suffix;
        self
    }

    #[doc(hidden)]
    pub const fn time_unit(mut self, time_unit: TimeUnit) -> Self {
        self.time_unit = time_unit;
        self
    }

    #[doc(hidden)]
    pub const fn api_key_header(mut self, api_key_header: &'static str) -> Self {
        self.api_key_header = Some(api_key_header);
        self
    }

    #[doc(hidden)]
    pub const fn api_key_prefix(mut self, api_key_prefix: &'static str) -> Self {
        self.api_key_prefix = api_key_prefix;
        self
    }

    #[doc(hidden)]
    pub const fn api_key_optional(mut self) -> Self {
        self.api_key_optional = true;
        self
    }

    #[doc(hidden)]
    pub const fn headers(mut self, headers: &'static [(&'static str, &'static str)]) -> Self {
        self.headers = headers;
        self
    }

    #[doc(hidden)]
    pub const fn errors(mut self, errors: &'static [StatusInfo]) -> Self {
        self.errors = errors;
        self
    }

    #[doc(hidden)]
    pub const fn limits(mut self, limits: &'static [LimitInfo]) -> Self {
        self.limits = limits;
        self
    }

    #[doc(hidden)]
    pub const fn envelope(mut self, envelope: EnvelopeInfo) -> Self {
        self.envelope = Some(envelope);
        self
    }

    #[doc(hidden)]
    pub const fn history(mut self, history: HistoryInfo) -> Self {
        self.history = Some(history);
        self
    }

    #[doc(hidden)]
    pub const fn error_body(mut self, message: &'static [&'static str], code: &'static [&'static str]) -> Self {
        self.error_body = ErrorBodyInfo::new(message, code);
        self
    }

    #[doc(hidden)]
    pub const fn error_name(mut self, name: &'static str, evidence: Evidence) -> Self {
        self.error_body = ErrorBodyInfo { name: Some((name, evidence)), ..self.error_body };
        self
    }

    #[doc(hidden)]
    pub const fn client_credentials(mut self, client_credentials: ClientCredentialsInfo) -> Self {
        self.client_credentials = Some(client_credentials);
        self
    }
}

impl ClientCredentialsInfo {
    /// A flow by the path of its token endpoint.
    #[doc(hidden)]
    pub const fn new(path: &'static str, label: &'static str, evidence: Evidence) -> Self {
        Self { path, label, evidence, reply: &[], errors: &[], notes: "" }
    }

    #[doc(hidden)]
    pub const fn notes(mut self, notes: &'static str) -> Self {
        self.notes = notes;
        self
    }

    #[doc(hidden)]
    pub const fn reply(mut self, reply: &'static [FieldInfo]) -> Self {
        self.reply = reply;
        self
    }

    #[doc(hidden)]
    pub const fn errors(mut self, errors: &'static [StatusInfo]) -> Self {
        self.errors = errors;
        self
    }
}

impl ErrorBodyInfo {
    /// Where message and code stand.
    #[doc(hidden)]
    pub const fn new(message: &'static [&'static str], code: &'static [&'static str]) -> Self {
        Self { name: None, message, code }
    }
}

impl LimitInfo {
    /// A set of limits for whatever it applies to.
    #[doc(hidden)]
    pub const fn new(name: &'static str, requests: u32, seconds: u32, concurrent: u32, evidence: Evidence) -> Self {
        Self { concurrent: Some(concurrent), ..Self::of_window(name, requests, seconds, evidence) }
    }

    /// The same where the number of requests under way is unknown or unlimited.
    #[doc(hidden)]
    pub const fn of_window(name: &'static str, requests: u32, seconds: u32, evidence: Evidence) -> Self {
        Self { name, requests, seconds, concurrent: None, applies_to: None, endpoints: &[], evidence }
    }

    #[doc(hidden)]
    pub const fn applies_to(mut self, applies_to: &'static str) -> Self {
        self.applies_to = Some(applies_to);
        self
    }

    #[doc(hidden)]
    pub const fn endpoints(mut self, endpoints: &'static [&'static str]) -> Self {
        self.endpoints = endpoints;
        self
    }
}

impl EnvelopeInfo {
    /// An envelope by the place of its records.
    #[doc(hidden)]
    pub const fn new(data: &'static str) -> Self {
        Self { data, metadata: None, time: None }
    }

    #[doc(hidden)]
    pub const fn metadata(mut self, metadata: &'static str) -> Self {
        self.metadata = Some(metadata);
        self
    }

    #[doc(hidden)]
    pub const fn time(mut self, time: &'static str) -> Self {
        self.time = Some(time);
        self
    }
}

impl RecordInfo {
    /// A record by its name and fields.
    #[doc(hidden)]
    pub const fn new(name: &'static str, fields: &'static [FieldInfo]) -> Self {
        Self { name, summary: "", fields, form: RecordForm::Object }
    }

    /// Written as a list, each field at its place.
    #[doc(hidden)]
    pub const fn positional(mut self) -> Self {
        self.form = RecordForm::Positional;
        self
    }

    /// Written as the value of its one field.
    #[doc(hidden)]
    pub const fn value(mut self) -> Self {
        self.form = RecordForm::Value;
        self
    }

    #[doc(hidden)]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }
}

impl TypeInfo {
    /// A type by its name and the values that are known.
    #[doc(hidden)]
    pub const fn new(name: &'static str, values: &'static [ValueInfo]) -> Self {
        Self { name, summary: "", open: false, values, suffixes: &[] }
    }

    #[doc(hidden)]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Open to values that are not known.
    #[doc(hidden)]
    pub const fn open(mut self) -> Self {
        self.open = true;
        self
    }

    #[doc(hidden)]
    pub const fn suffixes(mut self, suffixes: &'static [SuffixInfo]) -> Self {
        self.suffixes = suffixes;
        self
    }
}

impl GroupInfo {
    /// A group without endpoints.
    #[doc(hidden)]
    pub const fn new(ident: &'static str, title: &'static str) -> Self {
        Self { ident, title, summary: "", aliases: &[], notes: "", endpoints: &[] }
    }

    #[doc(hidden)]
    pub const fn notes(mut self, notes: &'static str) -> Self {
        self.notes = notes;
        self
    }

    #[doc(hidden)]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    #[doc(hidden)]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    #[doc(hidden)]
    pub const fn endpoints(mut self, endpoints: &'static [&'static EndpointInfo]) -> Self {
        self.endpoints = endpoints;
        self
    }
}

impl EndpointInfo {
    /// An endpoint of which only the name is known.
    #[doc(hidden)]
    pub const fn new(group: &'static str, ident: &'static str, name: &'static str) -> Self {
        Self {
            group,
            ident,
            name,
            aliases: &[],
            summary: "",
            path: None,
            evidence: Evidence::Document,
            params: None,
            body: BodyInfo::Unknown,
            history: HistoryOf::Service,
            weight: 1,
            notes: "",
            deprecated: None,
        }
    }

    #[doc(hidden)]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    #[doc(hidden)]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// How the name is known.
    #[doc(hidden)]
    pub const fn named_by(mut self, evidence: Evidence) -> Self {
        self.evidence = evidence;
        self
    }

    #[doc(hidden)]
    pub const fn path(mut self, path: &'static str, evidence: Evidence) -> Self {
        self.path = Some(path);
        self.evidence = evidence;
        self
    }

    #[doc(hidden)]
    pub const fn params(mut self, set: &'static [ParamInfo], own: &'static [ParamInfo]) -> Self {
        self.params = Some(ParamList { set, own });
        self
    }

    #[doc(hidden)]
    pub const fn series(
        self,
        record: Option<&'static RecordInfo>,
        time: Option<&'static str>,
        evidence: Evidence,
    ) -> Self {
        Self { body: BodyInfo::Series { record, time, time_unit: None, evidence }, ..self }
    }

    /// The unit of a series' time, where no known field names it.
    #[doc(hidden)]
    pub const fn time_unit(self, unit: TimeUnit) -> Self {
        match self.body {
            BodyInfo::Series { record, time, evidence, .. } => {
                Self { body: BodyInfo::Series { record, time, time_unit: Some(unit), evidence }, ..self }
            }
            _ => self,
        }
    }

    #[doc(hidden)]
    pub const fn weight(self, weight: u32) -> Self {
        Self { weight, ..self }
    }

    /// How its history is walked, where that differs from the service.
    #[doc(hidden)]
    pub const fn walked(mut self, history: HistoryOf) -> Self {
        self.history = history;
        self
    }

    #[doc(hidden)]
    pub const fn object(mut self, record: &'static RecordInfo, evidence: Evidence) -> Self {
        self.body = BodyInfo::Object { record, evidence };
        self
    }

    #[doc(hidden)]
    pub const fn notes(mut self, notes: &'static str) -> Self {
        self.notes = notes;
        self
    }

    #[doc(hidden)]
    pub const fn deprecated(mut self, deprecated: &'static str) -> Self {
        self.deprecated = Some(deprecated);
        self
    }
}

impl ParamInfo {
    /// An optional query param of any value.
    #[doc(hidden)]
    pub const fn new(ident: &'static str, wire_name: &'static str, ty: ValueType, evidence: Evidence) -> Self {
        Self {
            ident,
            wire_name,
            location: ParamLocation::Query,
            ty,
            list: None,
            list_as: ListStyle::Commas,
            fixed: None,
            required: None,
            default: None,
            served: &[],
            works: &[],
            refused: &[],
            example: None,
            single: None,
            range: Range::ALL,
            unit: "",
            summary: "",
            notes: "",
            evidence,
        }
    }

    #[doc(hidden)]
    pub const fn in_path(mut self) -> Self {
        self.location = ParamLocation::Path;
        self
    }

    #[doc(hidden)]
    pub const fn list(mut self, setter: &'static str) -> Self {
        self.list = Some(setter);
        self
    }

    /// Several values are each sent as a param of their own.
    #[doc(hidden)]
    pub const fn repeated(mut self) -> Self {
        self.list_as = ListStyle::Repeated;
        self
    }

    /// Several values are sent as a list in JSON.
    #[doc(hidden)]
    pub const fn as_json(mut self) -> Self {
        self.list_as = ListStyle::Json;
        self
    }

    #[doc(hidden)]
    pub const fn fixed(mut self, fixed: &'static str) -> Self {
        self.fixed = Some(fixed);
        self
    }

    #[doc(hidden)]
    pub const fn required(mut self, evidence: Evidence) -> Self {
        self.required = Some(evidence);
        self
    }

    #[doc(hidden)]
    pub const fn default(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    #[doc(hidden)]
    pub const fn range(mut self, range: Range) -> Self {
        self.range = range;
        self
    }

    #[doc(hidden)]
    pub const fn served(mut self, served: &'static [&'static str]) -> Self {
        self.served = served;
        self
    }

    #[doc(hidden)]
    pub const fn works(mut self, works: &'static [&'static str]) -> Self {
        self.works = works;
        self
    }

    #[doc(hidden)]
    pub const fn refused(mut self, refused: &'static [&'static str]) -> Self {
        self.refused = refused;
        self
    }

    #[doc(hidden)]
    pub const fn example(mut self, example: &'static str) -> Self {
        self.example = Some(example);
        self
    }

    #[doc(hidden)]
    pub const fn single(mut self, evidence: Evidence) -> Self {
        self.single = Some(evidence);
        self
    }

    #[doc(hidden)]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    #[doc(hidden)]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    #[doc(hidden)]
    pub const fn notes(mut self, notes: &'static str) -> Self {
        self.notes = notes;
        self
    }

    /// How it is known that this endpoint takes it.
    #[doc(hidden)]
    pub const fn known_by(mut self, evidence: Evidence) -> Self {
        self.evidence = evidence;
        self
    }
}

/// Whether a key needs no escapes in JSON.
const fn is_plain(wire_name: &str) -> bool {
    let mut rest = wire_name.as_bytes();
    while let [byte, others @ ..] = rest {
        if matches!(byte, b'"' | b'\\' | ..0x20) {
            return false;
        }
        rest = others;
    }
    true
}

impl FieldInfo {
    /// A field that is always there, of any value.
    #[doc(hidden)]
    pub const fn new(ident: &'static str, wire_name: &'static str, ty: ValueType, evidence: Evidence) -> Self {
        let plain = is_plain(wire_name);
        Self {
            ident,
            wire_name,
            plain,
            ty,
            optional: false,
            range: Range::ALL,
            example: None,
            unit: "",
            summary: "",
            notes: "",
            evidence,
        }
    }

    /// Absent or null at times.
    #[doc(hidden)]
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    #[doc(hidden)]
    pub const fn example(mut self, example: &'static str) -> Self {
        self.example = Some(example);
        self
    }

    #[doc(hidden)]
    pub const fn range(mut self, range: Range) -> Self {
        self.range = range;
        self
    }

    #[doc(hidden)]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    #[doc(hidden)]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    #[doc(hidden)]
    pub const fn notes(mut self, notes: &'static str) -> Self {
        self.notes = notes;
        self
    }
}

impl StatusInfo {
    /// A status without a label.
    #[doc(hidden)]
    pub const fn new(status: u16, evidence: Evidence) -> Self {
        Self { status, label: None, summary: "", advice: "", notes: "", evidence }
    }

    #[doc(hidden)]
    pub const fn label(mut self, label: &'static str) -> Self {
        self.label = Some(label);
        self
    }

    #[doc(hidden)]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    #[doc(hidden)]
    pub const fn advice(mut self, advice: &'static str) -> Self {
        self.advice = advice;
        self
    }

    #[doc(hidden)]
    pub const fn notes(mut self, notes: &'static str) -> Self {
        self.notes = notes;
        self
    }
}

impl ValueInfo {
    /// A value and what it means.
    #[doc(hidden)]
    pub const fn new(value: &'static str, summary: &'static str, evidence: Evidence) -> Self {
        Self { value, summary, duration: None, evidence }
    }

    /// How long the step is that it names.
    #[doc(hidden)]
    pub const fn duration(mut self, seconds: u64) -> Self {
        self.duration = Some(Duration::from_secs(seconds));
        self
    }
}

impl SuffixInfo {
    /// An ending and what it says.
    #[doc(hidden)]
    pub const fn new(suffix: &'static str, summary: &'static str, evidence: Evidence) -> Self {
        Self { suffix, summary, evidence }
    }
}
