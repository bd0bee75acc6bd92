//! How emitted code builds the registry: what a fact needs first, then one call for each thing known besides.
//!
//! Everything is evaluated at compile time. What is not said keeps the value that means it is not known.

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
    pub const fn version(self, version: &'static str) -> Self {
        Self { version, ..self }
    }

    #[doc(hidden)]
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    #[doc(hidden)]
    pub const fn env_prefix(self, env_prefix: &'static str) -> Self {
        Self { env_prefix, ..self }
    }

    #[doc(hidden)]
    pub const fn base_url_suffix(self, base_url_suffix: &'static str) -> Self {
        Self { base_url_suffix, ..self }
    }

    #[doc(hidden)]
    pub const fn time_unit(self, time_unit: TimeUnit) -> Self {
        Self { time_unit, ..self }
    }

    #[doc(hidden)]
    pub const fn api_key_header(self, api_key_header: &'static str) -> Self {
        Self { api_key_header: Some(api_key_header), ..self }
    }

    #[doc(hidden)]
    pub const fn api_key_prefix(self, api_key_prefix: &'static str) -> Self {
        Self { api_key_prefix, ..self }
    }

    #[doc(hidden)]
    pub const fn api_key_optional(self) -> Self {
        Self { api_key_optional: true, ..self }
    }

    #[doc(hidden)]
    pub const fn headers(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { headers, ..self }
    }

    #[doc(hidden)]
    pub const fn errors(self, errors: &'static [StatusInfo]) -> Self {
        Self { errors, ..self }
    }

    #[doc(hidden)]
    pub const fn limits(self, limits: &'static [LimitInfo]) -> Self {
        Self { limits, ..self }
    }

    #[doc(hidden)]
    pub const fn envelope(self, envelope: EnvelopeInfo) -> Self {
        Self { envelope: Some(envelope), ..self }
    }

    #[doc(hidden)]
    pub const fn history(self, history: HistoryInfo) -> Self {
        Self { history: Some(history), ..self }
    }

    #[doc(hidden)]
    pub const fn error_body(self, message: &'static [&'static str], code: &'static [&'static str]) -> Self {
        Self { error_body: ErrorBodyInfo::new(message, code), ..self }
    }

    #[doc(hidden)]
    pub const fn error_name(self, name: &'static str, evidence: Evidence) -> Self {
        Self { error_body: ErrorBodyInfo { name: Some((name, evidence)), ..self.error_body }, ..self }
    }

    #[doc(hidden)]
    pub const fn client_credentials(self, client_credentials: ClientCredentialsInfo) -> Self {
        Self { client_credentials: Some(client_credentials), ..self }
    }
}

impl ClientCredentialsInfo {
    /// A flow by the path of its token endpoint.
    #[doc(hidden)]
    pub const fn new(path: &'static str, label: &'static str, evidence: Evidence) -> Self {
        Self { path, label, evidence, reply: &[], errors: &[], notes: "" }
    }

    #[doc(hidden)]
    pub const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }

    #[doc(hidden)]
    pub const fn reply(self, reply: &'static [FieldInfo]) -> Self {
        Self { reply, ..self }
    }

    #[doc(hidden)]
    pub const fn errors(self, errors: &'static [StatusInfo]) -> Self {
        Self { errors, ..self }
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

    /// The same where nothing is known of how many may be under way at once.
    #[doc(hidden)]
    pub const fn of_window(name: &'static str, requests: u32, seconds: u32, evidence: Evidence) -> Self {
        Self { name, requests, seconds, concurrent: None, applies_to: None, evidence }
    }

    #[doc(hidden)]
    pub const fn applies_to(self, applies_to: &'static str) -> Self {
        Self { applies_to: Some(applies_to), ..self }
    }
}

impl EnvelopeInfo {
    /// An envelope by the key of its records.
    #[doc(hidden)]
    pub const fn new(data: &'static str) -> Self {
        Self { data, metadata: None, time: None }
    }

    #[doc(hidden)]
    pub const fn metadata(self, metadata: &'static str) -> Self {
        Self { metadata: Some(metadata), ..self }
    }

    #[doc(hidden)]
    pub const fn time(self, time: &'static str) -> Self {
        Self { time: Some(time), ..self }
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
    pub const fn positional(self) -> Self {
        Self { form: RecordForm::Positional, ..self }
    }

    /// Written as the value of its one field.
    #[doc(hidden)]
    pub const fn value(self) -> Self {
        Self { form: RecordForm::Value, ..self }
    }

    #[doc(hidden)]
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }
}

impl TypeInfo {
    /// A type by its name and the values that are known.
    #[doc(hidden)]
    pub const fn new(name: &'static str, values: &'static [ValueInfo]) -> Self {
        Self { name, summary: "", open: false, values, suffixes: &[] }
    }

    #[doc(hidden)]
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Open to values that are not known.
    #[doc(hidden)]
    pub const fn open(self) -> Self {
        Self { open: true, ..self }
    }

    #[doc(hidden)]
    pub const fn suffixes(self, suffixes: &'static [SuffixInfo]) -> Self {
        Self { suffixes, ..self }
    }
}

impl GroupInfo {
    /// A group without endpoints.
    #[doc(hidden)]
    pub const fn new(ident: &'static str, title: &'static str) -> Self {
        Self { ident, title, summary: "", aliases: &[], notes: "", endpoints: &[] }
    }

    #[doc(hidden)]
    pub const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }

    #[doc(hidden)]
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    #[doc(hidden)]
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    #[doc(hidden)]
    pub const fn endpoints(self, endpoints: &'static [&'static EndpointInfo]) -> Self {
        Self { endpoints, ..self }
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
            notes: "",
            deprecated: None,
        }
    }

    #[doc(hidden)]
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    #[doc(hidden)]
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// How the name is known.
    #[doc(hidden)]
    pub const fn named_by(self, evidence: Evidence) -> Self {
        Self { evidence, ..self }
    }

    #[doc(hidden)]
    pub const fn path(self, path: &'static str, evidence: Evidence) -> Self {
        Self { path: Some(path), evidence, ..self }
    }

    #[doc(hidden)]
    pub const fn params(self, set: &'static [ParamInfo], own: &'static [ParamInfo]) -> Self {
        Self { params: Some(ParamList { set, own }), ..self }
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

    /// The unit of a series' time, where the catalogue knows no other field that says it.
    #[doc(hidden)]
    pub const fn time_unit(self, unit: TimeUnit) -> Self {
        match self.body {
            BodyInfo::Series { record, time, evidence, .. } => {
                Self { body: BodyInfo::Series { record, time, time_unit: Some(unit), evidence }, ..self }
            }
            _ => self,
        }
    }

    /// How its history is walked, where that differs from the service.
    #[doc(hidden)]
    pub const fn walked(self, history: HistoryOf) -> Self {
        Self { history, ..self }
    }

    #[doc(hidden)]
    pub const fn object(self, record: &'static RecordInfo, evidence: Evidence) -> Self {
        Self { body: BodyInfo::Object { record, evidence }, ..self }
    }

    #[doc(hidden)]
    pub const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }

    #[doc(hidden)]
    pub const fn deprecated(self, deprecated: &'static str) -> Self {
        Self { deprecated: Some(deprecated), ..self }
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
    pub const fn in_path(self) -> Self {
        Self { location: ParamLocation::Path, ..self }
    }

    #[doc(hidden)]
    pub const fn list(self, setter: &'static str) -> Self {
        Self { list: Some(setter), ..self }
    }

    /// Several values are each sent as a param of their own.
    #[doc(hidden)]
    pub const fn repeated(self) -> Self {
        Self { list_as: ListStyle::Repeated, ..self }
    }

    /// Several values are sent as a list in JSON.
    #[doc(hidden)]
    pub const fn as_json(self) -> Self {
        Self { list_as: ListStyle::Json, ..self }
    }

    #[doc(hidden)]
    pub const fn fixed(self, fixed: &'static str) -> Self {
        Self { fixed: Some(fixed), ..self }
    }

    #[doc(hidden)]
    pub const fn required(self, evidence: Evidence) -> Self {
        Self { required: Some(evidence), ..self }
    }

    #[doc(hidden)]
    pub const fn default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    #[doc(hidden)]
    pub const fn range(self, range: Range) -> Self {
        Self { range, ..self }
    }

    #[doc(hidden)]
    pub const fn served(self, served: &'static [&'static str]) -> Self {
        Self { served, ..self }
    }

    #[doc(hidden)]
    pub const fn works(self, works: &'static [&'static str]) -> Self {
        Self { works, ..self }
    }

    #[doc(hidden)]
    pub const fn refused(self, refused: &'static [&'static str]) -> Self {
        Self { refused, ..self }
    }

    #[doc(hidden)]
    pub const fn example(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }

    #[doc(hidden)]
    pub const fn single(self, evidence: Evidence) -> Self {
        Self { single: Some(evidence), ..self }
    }

    #[doc(hidden)]
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    #[doc(hidden)]
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    #[doc(hidden)]
    pub const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }

    /// How it is known that this endpoint takes it.
    #[doc(hidden)]
    pub const fn known_by(self, evidence: Evidence) -> Self {
        Self { evidence, ..self }
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
    pub const fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    #[doc(hidden)]
    pub const fn example(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }

    #[doc(hidden)]
    pub const fn range(self, range: Range) -> Self {
        Self { range, ..self }
    }

    #[doc(hidden)]
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    #[doc(hidden)]
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    #[doc(hidden)]
    pub const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }
}

impl StatusInfo {
    /// A status without a label.
    #[doc(hidden)]
    pub const fn new(status: u16, evidence: Evidence) -> Self {
        Self { status, label: None, summary: "", advice: "", notes: "", evidence }
    }

    #[doc(hidden)]
    pub const fn label(self, label: &'static str) -> Self {
        Self { label: Some(label), ..self }
    }

    #[doc(hidden)]
    pub const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    #[doc(hidden)]
    pub const fn advice(self, advice: &'static str) -> Self {
        Self { advice, ..self }
    }

    #[doc(hidden)]
    pub const fn notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
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
    pub const fn duration(self, seconds: u64) -> Self {
        Self { duration: Some(Duration::from_secs(seconds)), ..self }
    }
}

impl SuffixInfo {
    /// An ending and what it says.
    #[doc(hidden)]
    pub const fn new(suffix: &'static str, summary: &'static str, evidence: Evidence) -> Self {
        Self { suffix, summary, evidence }
    }
}
