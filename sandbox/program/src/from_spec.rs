//! Builds the registry of a catalogue at run time. It is equal to the registry of the emitted client.
//!
//! The parts of a registry are `'static`. They are leaked, because the program serves one catalogue until it ends.

use std::collections::HashMap;
use std::time::Duration;

use codegen::model::{
    self, Api, Body, Endpoint, Field, Group, History, KeyCarrier, ListFormat, Param, RecordRef, Service, Type,
};
use runtime::registry::{
    ClientCredentialsInfo, EndpointInfo, EnvelopeInfo, Evidence, FieldInfo, GroupInfo, HistoryInfo, HistorySource,
    LimitInfo, ParamInfo, ParamLocation, Range, RecordInfo, RecordLayout, Registry, ServiceInfo, StatusInfo, TimeUnit,
    TypeInfo, ValueInfo, ValueType,
};

/// Builds the registry of a catalogue.
pub(crate) fn registry(api: &Api) -> Registry {
    let mut tables = Tables { api, types: HashMap::new(), records: HashMap::new() };
    let service = leak(tables.service(&api.service));
    let groups = list(api.groups.iter().map(|group| leak(tables.group(group))));
    Registry::new(service, groups, tables.record(&RecordRef::shared("Metadata")).unwrap_or(leak(EMPTY)))
}

const EMPTY: RecordInfo = RecordInfo::new("Metadata", &[]);

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn list<T>(items: impl IntoIterator<Item = T>) -> &'static [T] {
    Vec::leak(items.into_iter().collect())
}

fn text(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

fn texts(texts: &[String]) -> &'static [&'static str] {
    list(texts.iter().map(|it| text(it)))
}

fn some(it: Option<&String>) -> Option<&'static str> {
    it.map(|it| text(it))
}

/// The types and records that are already built, because several fields may refer to the same one.
struct Tables<'a> {
    api: &'a Api,
    types: HashMap<&'a str, &'static TypeInfo>,
    records: HashMap<RecordRef, &'static RecordInfo>,
}

impl<'a> Tables<'a> {
    fn service(&mut self, service: &'a Service) -> ServiceInfo {
        let mut info = ServiceInfo::new(text(&service.title));
        info.version = text(&service.version);
        info.summary = text(&service.summary);
        info.env_prefix = text(&service.env_prefix);
        info.base_url_suffix = text(&service.base_url_suffix);
        info.time_unit = time_unit(service.time_form);
        if let Some(key) = &service.api_key {
            match &key.carrier {
                KeyCarrier::Header { name, prefix } => {
                    info.api_key_header = Some(text(name));
                    info.api_key_prefix = text(prefix);
                }
                KeyCarrier::Basic => info = info.api_key_basic(),
                KeyCarrier::Query(name) => info.api_key_query = Some(text(name)),
            }
            info.api_key_optional = key.optional;
        }
        info.headers = list(service.headers.iter().map(|header| (text(&header.name), text(&header.value))));
        info.client_credentials = service.client_credentials.as_ref().map(|flow| {
            let mut info = ClientCredentialsInfo::new(text(&flow.path), text(&flow.label), evidence(flow.evidence));
            info.reply = list(flow.reply.iter().map(|field| self.field(field)));
            info.errors = list(flow.errors.iter().map(status));
            info.notes = text(&flow.notes);
            info
        });
        info.errors = list(service.errors.iter().map(status));
        let body = &service.error_body;
        info = info.error_body(texts(&body.message), texts(&body.code));
        info.error_body.name = body.name.as_ref().map(|(name, known)| (text(name), evidence(*known)));
        info.limits = list(service.limits.iter().map(limit));
        info.envelope = service.envelope.as_ref().map(|envelope| {
            let mut info = EnvelopeInfo::new(text(&envelope.data));
            info.metadata = some(envelope.metadata.as_ref());
            info.time = envelope.time.as_ref().map(|field| text(&field.wire_name));
            info
        });
        info.history = service.history.as_ref().map(history);
        info
    }

    fn group(&mut self, group: &'a Group) -> GroupInfo {
        let mut info = GroupInfo::new(text(&group.ident), text(&group.title));
        info.summary = text(&group.summary);
        info.aliases = texts(&group.aliases);
        info.notes = text(&group.notes);
        info.endpoints = list(group.endpoints.iter().map(|endpoint| leak(self.endpoint(group, endpoint))));
        info
    }

    fn endpoint(&mut self, group: &Group, endpoint: &'a Endpoint) -> EndpointInfo {
        let mut info = EndpointInfo::new(text(&group.ident), text(&endpoint.ident), text(&endpoint.name));
        info.aliases = texts(&endpoint.aliases);
        info.summary = text(&endpoint.summary);
        info.path = some(endpoint.path.as_ref());
        info.evidence = evidence(endpoint.evidence);
        if let Some(params) = &endpoint.params {
            let params = params.iter().map(|param| self.param(&param.param)).collect::<Vec<_>>();
            info = info.params(&[], list(params.iter().copied()));
        }
        info = match &endpoint.body {
            Body::Series { record, time, time_form, evidence: known } => {
                let record = record.as_ref().and_then(|record| self.record(record));
                let info = info.series(record, some(time.as_ref()), evidence(*known));
                match time_form {
                    Some(form) => info.time_unit(time_unit(*form)),
                    None => info,
                }
            }
            Body::Object { record, evidence: known } => match self.record(record) {
                Some(record) => info.object(record, evidence(*known)),
                None => info,
            },
            Body::Unknown => info,
        };
        info.history = match &endpoint.history {
            model::HistorySource::Service => HistorySource::Service,
            model::HistorySource::Endpoint(own) => HistorySource::Endpoint(leak(history(own))),
            model::HistorySource::Unknown => HistorySource::Unknown,
        };
        info.weight = endpoint.weight;
        info.notes = text(&endpoint.notes);
        info.deprecated = some(endpoint.deprecated.as_ref());
        info
    }

    fn param(&mut self, param: &'a Param) -> ParamInfo {
        let ty = self.ty(&param.ty);
        let mut info = ParamInfo::new(text(&param.ident), text(&param.wire_name), ty, evidence(param.evidence));
        if param.in_path {
            info.location = ParamLocation::Path;
        }
        info.list_setter = some(param.list_setter.as_ref());
        info = match param.list_as {
            ListFormat::Commas => info,
            ListFormat::Repeated => info.repeated(),
            ListFormat::Json => info.as_json(),
        };
        info.const_value = some(param.const_value.as_ref());
        info.required = param.required.map(evidence);
        info.default = some(param.default.as_ref());
        info.allowed_values = texts(&param.allowed_values);
        info.tested_values = texts(&param.tested_values);
        info.rejected_values = texts(&param.rejected_values);
        info.example = some(param.example.as_ref());
        info.single_value = param.single_value.map(evidence);
        info.range = range(param.range);
        info.unit = text(&param.unit);
        info.summary = text(&param.summary);
        info.notes = text(&param.notes);
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
            model::RecordLayout::Value => RecordLayout::Value,
        };
        Some(self.records.entry(reference.clone()).or_insert(leak(info)))
    }

    fn field(&mut self, field: &'a Field) -> FieldInfo {
        let ty = self.ty(&field.ty);
        let mut info = FieldInfo::new(text(&field.ident), text(&field.wire_name), ty, evidence(field.evidence));
        info.optional = field.optional;
        info.range = range(field.range);
        info.example = some(field.example.as_ref());
        info.unit = text(&field.unit);
        info.summary = text(&field.summary);
        info.notes = text(&field.notes);
        info
    }

    fn ty(&mut self, ty: &'a Type) -> ValueType {
        match ty {
            Type::String => ValueType::String,
            Type::Integer => ValueType::Integer,
            Type::Count => ValueType::Count,
            Type::Number => ValueType::Number,
            Type::Boolean => ValueType::Boolean,
            Type::Timestamp(form) => ValueType::Timestamp(time_unit(*form)),
            Type::Any => ValueType::Any,
            Type::Named(name) => self.named(name).map_or(ValueType::String, ValueType::Named),
            Type::Record(record) => self.record(record).map_or(ValueType::Any, ValueType::Record),
            // The sandbox sends empty lists and maps of such records, so it needs no table of them.
            Type::Recursive(_) => ValueType::Recursive(|| const { &RecordInfo::new("", &[]) }),
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
    let mut info = LimitInfo::of_window(text(&limit.name), limit.requests, limit.seconds, evidence(limit.evidence));
    info.concurrent = limit.concurrent;
    info.scope = some(limit.scope.as_ref());
    info.endpoints = texts(&limit.endpoints);
    info
}

fn status(status: &model::Status) -> StatusInfo {
    let mut info = StatusInfo::new(status.status, evidence(status.evidence));
    info.label = some(status.label.as_ref());
    info.summary = some(status.summary.as_ref()).unwrap_or_default();
    info.advice = text(&status.advice);
    info.notes = text(&status.notes);
    info
}

fn history(history: &History) -> HistoryInfo {
    let [from, to, limit, step] = [&history.from, &history.to, &history.limit, &history.step].map(|name| text(name));
    let mut info = HistoryInfo::new(from, to, limit, step, evidence(history.evidence));
    info.sort = history.sort.as_ref().map(|(param, oldest_first)| (text(param), text(oldest_first)));
    info
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

const fn time_unit(form: model::TimeForm) -> TimeUnit {
    match form {
        model::TimeForm::Counted(model::TimeUnit::Seconds) => TimeUnit::Seconds,
        model::TimeForm::Counted(model::TimeUnit::Milliseconds) => TimeUnit::Milliseconds,
        model::TimeForm::Counted(model::TimeUnit::Microseconds) => TimeUnit::Microseconds,
        model::TimeForm::Counted(model::TimeUnit::Nanoseconds) => TimeUnit::Nanoseconds,
        model::TimeForm::Written(model::TimeFormat::Iso8601) => TimeUnit::Iso8601,
        model::TimeForm::Written(model::TimeFormat::Date) => TimeUnit::Date,
    }
}
