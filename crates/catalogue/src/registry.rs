//! Builds the registry of a catalogue, which is equal to the registry of the emitted client.
//!
//! The parts of a registry are `'static`. They are leaked; this is acceptable, because a program reads few catalogues.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

use crate::model::{
    self, Api, Body, Builtin, Endpoint, Field, Group, History, KeyCarrier, Known, Param, RecordRef, RecordTime,
    Service, Type,
};
use runtime::registry::{
    BodyInfo, ClientCredentialsInfo, EndpointInfo, EnvelopeInfo, ErrorBodyInfo, Evidence, FieldInfo, FieldSource,
    GroupInfo, HistoryInfo, HistorySource, LimitInfo, ListFormat, ParamInfo, ParamLocation, Range,
    RateLimitHeadersInfo, RecordInfo, RecordLayout, RecursiveRecord, Registry, ResetUnit, ServiceInfo, StatusInfo,
    TypeInfo, ValueInfo, ValueType,
};

/// Builds the registry of a catalogue.
pub fn registry(api: &Api) -> Registry {
    let mut tables =
        Tables { api, types: HashMap::new(), records: HashMap::new(), recursive: HashMap::new(), unset: Vec::new() };
    let service = leak(tables.service(&api.service));
    let groups = list(api.groups.iter().map(|group| leak(tables.group(group))));
    let metadata = tables.record(&RecordRef::shared("Metadata")).unwrap_or(&EMPTY);
    tables.set_recursive_records();
    Registry::new(service, groups, metadata)
}

static EMPTY: RecordInfo = RecordInfo::new("Metadata", &[]);

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn list<T>(items: impl IntoIterator<Item = T>) -> &'static [T] {
    Vec::leak(items.into_iter().collect())
}

fn text(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

fn texts(texts: &[impl ToString]) -> &'static [&'static str] {
    list(texts.iter().map(|it| text(&it.to_string())))
}

fn some(it: Option<&String>) -> Option<&'static str> {
    it.map(|it| text(it))
}

/// The description of a recursive record, which is set later.
type Description = OnceLock<&'static RecordInfo>;

/// The types and records that are already built, because several fields may refer to the same type or record.
struct Tables<'a> {
    api: &'a Api,
    types: HashMap<&'a str, &'static TypeInfo>,
    records: HashMap<RecordRef, &'static RecordInfo>,
    /// The descriptions of recursive records.
    recursive: HashMap<RecordRef, &'static Description>,
    /// The recursive records whose descriptions are not set yet, because they are built after all other records.
    unset: Vec<RecordRef>,
}

impl<'a> Tables<'a> {
    fn service(&mut self, service: &'a Service) -> ServiceInfo {
        let mut info = ServiceInfo::new(text(&service.title));
        info.version = text(&service.version);
        info.summary = text(&service.summary);
        info.env_prefix = text(&service.env_prefix);
        info.base_url_suffix = text(service.base_url_suffix());
        info.time_unit = service.time_form().in_registry();
        if let Some(key) = &service.api_key {
            match &key.carrier {
                KeyCarrier::Header { name, prefix } => {
                    info.api_key_header = Some(text(name));
                    info.api_key_prefix = text(prefix);
                }
                KeyCarrier::Basic => {
                    info.api_key_header = Some("authorization");
                    info.api_key_prefix = "Basic ";
                    info.api_key_basic = true;
                }
                KeyCarrier::Query(name) => info.api_key_query = Some(text(name)),
            }
            info.api_key_optional = key.optional;
        }
        info.headers =
            list(service.headers.iter().map(|header| (text(&header.name.to_ascii_lowercase()), text(&header.value))));
        info.client_credentials = service.credentials.client_credentials.as_ref().map(|flow| ClientCredentialsInfo {
            path: text(&flow.path),
            label: text(&flow.label),
            evidence: evidence(flow.evidence),
            reply: list(service.token_fields.iter().map(|field| self.field(field))),
            errors: list(flow.errors.iter().map(status)),
            notes: text(&flow.notes),
        });
        info.errors = list(service.errors.iter().map(status));
        let body = &service.error_body;
        info.error_body = ErrorBodyInfo {
            name: body.named().map(|(name, known)| (text(name), evidence(known))),
            message: texts(&body.message),
            code: texts(&body.code),
            success: texts(&body.success),
            rate_limited: texts(&body.rate_limited),
            no_data: texts(&body.no_data),
            no_data_statuses: list(
                body.no_data_statuses.iter().map(|status| u16::try_from(*status).unwrap_or_default()),
            ),
        };
        info.limits = list(service.limits.iter().map(limit));
        info.rate_limit_headers = service.rate_limit_headers.as_ref().map(|headers| RateLimitHeadersInfo {
            remaining: text(&headers.remaining.to_ascii_lowercase()),
            reset: text(&headers.reset.to_ascii_lowercase()),
            reset_is: match headers.reset_is {
                model::ResetUnit::Seconds => ResetUnit::Seconds,
                model::ResetUnit::EpochSeconds => ResetUnit::EpochSeconds,
                model::ResetUnit::EpochMilliseconds => ResetUnit::EpochMilliseconds,
            },
        });
        info.envelope = service.envelope.as_ref().map(|envelope| {
            let time = envelope.time.as_ref().map(|field| text(&field.name));
            EnvelopeInfo {
                data: text(&envelope.data),
                metadata: envelope.metadata.as_ref().map(|metadata| text(&metadata.name)),
                time,
            }
        });
        info.history = service.history.as_ref().map(history);
        info
    }

    fn group(&mut self, group: &'a Group) -> GroupInfo {
        GroupInfo {
            ident: text(&group.ident),
            title: text(&group.title),
            summary: text(&group.summary),
            aliases: texts(&group.aliases),
            notes: text(&group.notes),
            endpoints: list(group.endpoints.iter().map(|endpoint| leak(self.endpoint(group, endpoint)))),
        }
    }

    fn endpoint(&mut self, group: &Group, endpoint: &'a Endpoint) -> EndpointInfo {
        let mut info = EndpointInfo::new(text(&group.ident), text(&endpoint.ident), text(&endpoint.name));
        info.aliases = texts(&endpoint.aliases);
        info.summary = text(&endpoint.summary);
        info.path = some(endpoint.path.as_ref());
        info.evidence = evidence(endpoint.evidence);
        info.param_lists = endpoint.params.as_ref().map(|params| {
            let params = params.iter().map(|param| self.param(&param.param)).collect::<Vec<_>>();
            list([list(params)])
        });
        info.body = match &endpoint.body {
            Body::Series { record, data, is_optional, time, key, evidence: known } => {
                info.data = some(data.as_ref());
                info.key = texts(key);
                info.data_optional = *is_optional;
                BodyInfo::Series {
                    record: record.as_ref().and_then(|record| self.record(record)),
                    time: some(time.as_ref()),
                    evidence: evidence(*known),
                }
            }
            Body::Object { record, evidence: known } => self
                .record(record)
                .map_or(BodyInfo::Unknown, |record| BodyInfo::Object { record, evidence: evidence(*known) }),
            Body::Unknown => BodyInfo::Unknown,
        };
        info.history_source = match &endpoint.history {
            None => HistorySource::Service,
            Some(Known::Known(own)) => HistorySource::Endpoint(leak(history(own))),
            Some(Known::Unknown) => HistorySource::Unknown,
        };
        info.is_example = endpoint.is_example;
        info.weight = endpoint.weight;
        info.weight_by = endpoint.weight_by.as_ref().map(|by| {
            let steps = by.steps.iter().map(|step| (step.max, step.weight));
            (text(&by.param), list(steps))
        });
        info.notes = text(&endpoint.notes);
        info.unknown = list(endpoint.unknown.iter().map(|fact| text(fact.text())));
        info.deprecated = some(endpoint.deprecated.as_ref());
        info
    }

    fn param(&mut self, param: &'a Param) -> ParamInfo {
        let ty = self.ty(&param.ty);
        let mut info = ParamInfo::new(text(&param.ident), text(&param.name), ty, evidence(param.evidence));
        if param.in_path() {
            info.location = ParamLocation::Path;
        }
        info.list_setter = some(param.list_setter.as_deref());
        info.list_as = match param.list_as {
            model::ListFormat::Commas => ListFormat::Commas,
            model::ListFormat::Repeated => ListFormat::Repeated,
            model::ListFormat::Json => ListFormat::Json,
        };
        info.const_value = some(param.const_value.as_deref());
        info.required = param.required.map(evidence);
        info.default = some(param.default.as_deref());
        info.allowed_values = texts(&param.allowed_values);
        info.tested_values = texts(&param.tested_values);
        info.rejected_values = texts(&param.rejected_values);
        info.example = some(param.example.as_deref());
        info.single_value = param.single_value.map(evidence);
        info.range = range(param.range);
        info.unit = text(&param.unit);
        info.summary = text(&param.summary);
        info.notes = text(&param.notes);
        info.unknown = list(param.unknown.iter().map(|fact| text(fact.text())));
        info
    }

    fn record(&mut self, reference: &RecordRef) -> Option<&'static RecordInfo> {
        if let Some(known) = self.records.get(reference) {
            return Some(known);
        }
        let record = self.api.record(reference)?;
        let fields = list(record.fields.iter().map(|field| self.field(field)).collect::<Vec<_>>());
        let mut info = RecordInfo::new(text(&record.ident), fields);
        info.summary = text(&record.summary);
        info.form = match record.form {
            model::RecordLayout::Object => RecordLayout::Object,
            model::RecordLayout::Positional => RecordLayout::Positional,
            model::RecordLayout::Columns => RecordLayout::Columns,
            model::RecordLayout::Value => RecordLayout::Value,
        };
        Some(self.records.entry(reference.clone()).or_insert(leak(info)))
    }

    fn recursive(&mut self, record: &RecordRef) -> RecursiveRecord {
        let description = match self.recursive.get(record) {
            Some(known) => known,
            None => self.new_recursive(record),
        };
        RecursiveRecord::new(leak(move || description.get().copied().unwrap_or(&EMPTY)))
    }

    fn new_recursive(&mut self, record: &RecordRef) -> &'static Description {
        let description = leak(Description::new());
        self.recursive.insert(record.clone(), description);
        self.unset.push(record.clone());
        description
    }

    /// Builds the recursive records, and the recursive records in them.
    fn set_recursive_records(&mut self) {
        while let Some(record) = self.unset.pop() {
            if let (Some(info), Some(description)) = (self.record(&record), self.recursive.get(&record)) {
                description.get_or_init(|| info);
            }
        }
    }

    fn field(&mut self, field: &'a Field) -> FieldInfo {
        let ty = self.ty(&field.ty);
        let mut info = FieldInfo::new(text(&field.ident), text(&field.wire_name), ty, evidence(field.evidence));
        info.source = match &field.source {
            model::FieldSource::Record => FieldSource::Record,
            model::FieldSource::Group(path) => FieldSource::Group(text(path)),
            model::FieldSource::Period(year, period) => FieldSource::Period(text(year), text(period)),
        };
        info.nulls = texts(&field.nulls);
        info.optional = field.optional;
        info.quoted = field.quoted;
        info.range = range(field.range);
        info.example = some(field.example.as_ref());
        info.unit = text(&field.unit);
        info.summary = text(&field.summary);
        info.notes = text(&field.notes);
        info.unknown = list(field.unknown.iter().map(|fact| text(fact.text())));
        info
    }

    fn ty(&mut self, ty: &'a Type) -> ValueType {
        match ty {
            Type::Builtin(builtin) => match builtin {
                Builtin::String => ValueType::String,
                Builtin::Integer => ValueType::Integer,
                Builtin::Count => ValueType::Count,
                Builtin::Number => ValueType::Number,
                Builtin::Decimal => ValueType::Decimal,
                Builtin::Boolean => ValueType::Boolean,
                Builtin::Timestamp(form) => ValueType::Timestamp(form.in_registry()),
                Builtin::Any => ValueType::Any,
            },
            Type::Named(name) => self.named(name).map_or(ValueType::String, ValueType::Named),
            Type::Record(record) => self.record(record).map_or(ValueType::Any, ValueType::Record),
            Type::Recursive(record) => ValueType::Recursive(self.recursive(record)),
            Type::List(item) => ValueType::List(leak(self.ty(item))),
            Type::Map(item) => ValueType::Map(leak(self.ty(item))),
            Type::Option(item) => ValueType::Option(leak(self.ty(item))),
        }
    }

    fn named(&mut self, name: &str) -> Option<&'static TypeInfo> {
        let ty = self.api.types.iter().find(|ty| ty.ident == name)?;
        Some(self.types.entry(&ty.ident).or_insert_with(|| {
            let values = ty.values.iter().map(|value| {
                let mut info = ValueInfo::new(text(&value.value), text(&value.summary), evidence(value.evidence));
                info.duration = value.seconds.map(Duration::from_secs);
                info.attributes = texts(&value.attributes);
                info
            });
            let mut info = TypeInfo::new(text(&ty.ident), list(values));
            info.summary = text(&ty.summary);
            info.open = ty.open;
            info.attributes = texts(&ty.attributes);
            leak(info)
        }))
    }
}

fn limit(limit: &model::Limit) -> LimitInfo {
    LimitInfo {
        name: text(&limit.name),
        requests: limit.requests,
        seconds: limit.seconds,
        concurrent: limit.concurrent.known().copied(),
        scope: some(limit.scope.known()),
        endpoints: texts(&limit.endpoints),
        evidence: evidence(limit.evidence),
    }
}

fn status(status: &model::Status) -> StatusInfo {
    let mut info = StatusInfo::new(u16::try_from(*status.status).unwrap_or_default(), evidence(status.evidence));
    info.label = some(status.label.known());
    info.summary = text(&status.summary);
    info.advice = text(&status.advice);
    info.notes = text(&status.notes);
    info.rate_limited = status.rate_limited;
    info
}

fn history(history: &History) -> HistoryInfo {
    let [from, to, limit, step] = [&history.from, &history.to, &history.limit, &history.step]
        .map(|name| name.as_ref().map_or("", |name| text(name)));
    let sort = history.order().map(|(param, oldest_first)| (text(param), text(oldest_first)));
    let [every, oldest] = history.seconds().map(|time| time.map(Duration::from_secs));
    let (time_is_end, evidence) = (history.time_is == RecordTime::End, evidence(history.evidence));
    HistoryInfo { from, to, limit, step, every, oldest, time_is_end, sort, evidence }
}

const fn range(range: model::Range) -> Range {
    Range { min: range.min, max: range.max }
}

const fn evidence(known: model::Evidence) -> Evidence {
    match known {
        model::Evidence::Documented => Evidence::Documented,
        model::Evidence::Published => Evidence::Published,
        model::Evidence::Reported => Evidence::Reported,
        model::Evidence::PreviousVersion => Evidence::PreviousVersion,
    }
}
