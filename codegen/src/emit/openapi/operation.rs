//! Emits the operations: one for each endpoint with a path, with its params and its responses. Every operation has one
//! error response for each status, with the schema of its body as far as it is known.

use serde_yaml::Value;

use super::description::{Description, described, operation_id, some};
use super::schema::{range, schema_ref, written_value};
use super::server_of_group;
use super::version::OpenApiVersion;
use crate::emit::json_object::{self, Object, typed};
use crate::emit::markdown::{self};
use crate::emit::sentences::{self, source};
use catalogue::model::{
    Body, BodyFormat, Builtin, Endpoint, EndpointParam, Group, ListFormat, Param, SharedParam, SharedUse, Status, Type,
};
use wording::Facts;

impl Description<'_> {
    /// The path of each endpoint, with its operation.
    pub(super) fn paths(&self) -> impl Iterator<Item = (String, Object)> {
        let groups = self.api.groups.iter();
        let endpoints = groups.flat_map(|group| group.endpoints.iter().map(move |endpoint| (group, endpoint)));
        endpoints.filter_map(|(group, endpoint)| {
            let path = endpoint.path.clone()?;
            let servers = group.base_url.iter().map(server_of_group);
            let item = Object::default().with_list("servers", servers);
            Some((path, item.with("get", self.operation(group, endpoint))))
        })
    }

    fn operation(&self, group: &Group, endpoint: &Endpoint) -> Object {
        let declared = &endpoint.declared;
        let params: Vec<_> = endpoint.params.iter().flatten().map(|param| self.endpoint_param(param)).collect();
        let data = if let Body::Series { data, .. } = &endpoint.body { data.as_deref() } else { None };
        let mut operation = Object::default()
            .with("operationId", operation_id(self.api, group, endpoint))
            .with("tags", vec![group.ident.as_str()])
            .with("summary", declared.name.as_str())
            .and(described(&declared.summary, operation_facts(endpoint), &declared.notes))
            .with("x-evidence", declared.evidence.word());
        if declared.deprecated.is_some() {
            operation = operation.with("deprecated", true);
        }
        operation = operation.with_list("parameters", params);
        if endpoint.params.is_none() {
            // From this key, `cargo xtask import` recognizes that the params are unknown. Without the key, the import
            // would interpret the missing `parameters` as an empty list.
            operation = operation.with("x-params", "unknown");
        }
        operation
            .with_some("x-data", data)
            .with_some("x-catalogue", some(self.catalogue_keys(endpoint)))
            .with_list("x-codeSamples", self.code_samples(group, endpoint))
            .with("responses", self.responses(endpoint))
    }

    /// The keys of an endpoint that OpenAPI cannot state. Version 3.0 cannot state the durations of values, so it gets
    /// no histories.
    fn catalogue_keys(&self, endpoint: &Endpoint) -> Object {
        let keys = Object::of_keys(&endpoint.declared.written(), "pages weight weight_by");
        if !endpoint.has_history || self.version == OpenApiVersion::V3_0 {
            return keys;
        }
        match self.api.history(endpoint) {
            Some(history) => keys.with("history", json_object::json(&history.written())),
            None => keys,
        }
    }

    /// A param of an endpoint. A shared param becomes a reference, unless the endpoint overrides one of its facts.
    fn endpoint_param(&self, param: &EndpointParam) -> Object {
        if let Some(SharedUse { index, is_overridden: false }) = param.shared
            && let Some(shared) = self.api.shared_params.get(index)
        {
            return Object::default().with("$ref", format!("#/components/parameters/{}", component(shared)));
        }
        self.param(&param.param)
    }

    /// The shared params that at least one endpoint uses without overrides.
    pub(super) fn shared_params(&self) -> Object {
        let mut params = Object::default();
        for shared in self.api.unchanged_params() {
            params = params.with(&component(shared), self.param(&shared.param));
        }
        params
    }

    fn param(&self, param: &Param) -> Object {
        let declared = &param.declared;
        let mut object = Object::default()
            .with("name", declared.name.as_str())
            .with("in", if param.in_path() { "path" } else { "query" })
            .and(described(&declared.summary, [param_facts(param)], &declared.notes))
            .with("x-evidence", param.evidence.word())
            .with_list("x-also-named", declared.also_named.iter().map(|name| name.as_str()))
            .with("required", param.is_argument() || declared.const_value.is_some());
        let schema = self.param_schema(param);
        if let ListFormat::Colons | ListFormat::Semicolons = declared.list_as {
            // OpenAPI has no `style` with these separators.
            let list = Object::default().with("as", declared.list_as.word()).with("schema", schema);
            object = object.with("schema", typed("string")).with("x-list", list);
        } else if declared.list_as == ListFormat::Json {
            object = object.with("content", json(schema));
        } else {
            if declared.list_setter.is_some() {
                object = object.with("style", style(param)).with("explode", declared.list_as == ListFormat::Repeated);
            }
            object = object.with("schema", schema);
        }
        match param.example() {
            Some(text) => object.with("example", param_example(param, text)),
            None => object,
        }
    }

    fn param_schema(&self, param: &Param) -> Object {
        let declared = &param.declared;
        if let Some(constant) = &declared.const_value {
            let ty = if is_named(param) { &Type::Builtin(Builtin::String) } else { &param.ty };
            return self.value(ty).with("enum", vec![written_value(&param.ty, constant)]);
        }
        let schema = self.value(&param.ty).and(range(&param.ty, param.range, param.evidence));
        let is_list = declared.list_setter.is_some();
        let schema = if is_list { typed("array").with("items", schema) } else { schema };
        match param.default_value() {
            Some(default) if is_list && !is_named(param) => {
                let values: Vec<_> = default.split(',').map(|text| written_value(&param.ty, text)).collect();
                schema.with("default", values)
            }
            Some(default) if !is_named(param) => schema.with("default", written_value(&param.ty, default)),
            _ => schema,
        }
    }

    fn responses(&self, endpoint: &Endpoint) -> Object {
        let mut responses = Object::default().with("200", self.body(&endpoint.body));
        // Every operation lists all errors.
        for status in &self.api.service.declared.errors {
            let reference = format!("#/components/responses/{}", response_name(status));
            responses = responses.with(&status.status.to_string(), Object::default().with("$ref", reference));
        }
        responses
    }

    fn body(&self, body: &Body) -> Object {
        let (description, schema) = match body {
            Body::Series { record, data: Some(data), .. } => {
                ("A series of records.", self.series(record.as_ref(), Some(data)))
            }
            Body::Series { record: Some(record), .. } => {
                ("A series of records.", schema_ref(self.names.series(record).unwrap_or_default()))
            }
            Body::Series { record: None, .. } => {
                ("A series of records whose fields are unknown.", self.series(None, None))
            }
            Body::Object { record, .. } => match self.api.whole(record) {
                Some(whole) => ("One value.", self.value(&whole.ty)),
                None => ("One object.", schema_ref(self.names.record(record))),
            },
            Body::Unknown => ("The body is unknown.", Object::default()),
        };
        let source = match body {
            Body::Series { evidence, .. } | Body::Object { evidence, .. } => source(*evidence),
            Body::Unknown => String::new(),
        };
        let format = if let Body::Series { format, .. } = body { *format } else { None };
        described(description, [source], "").with("content", content(format, schema))
    }
}

fn operation_facts(endpoint: &Endpoint) -> Vec<String> {
    let declared = &endpoint.declared;
    let mut facts = Vec::new();
    if endpoint.params.is_none() {
        facts.push("The params are unknown.".to_owned());
    }
    if let Some(reason) = &declared.deprecated {
        facts.push(markdown::prose(&markdown::sentence(&format!("Deprecated: {reason}"))));
    }
    facts.push(source(declared.evidence));
    facts.push(sentences::unknown(&declared.unknown));
    facts
}

fn param_facts(param: &Param) -> String {
    let declared = &param.declared;
    // Tools ignore the keyword `default` next to a reference, so the description contains the default.
    let default = if is_named(param) { param.default_value() } else { None };
    let required = match declared.required {
        Some(evidence) if !param.is_argument() => Some(evidence.label()),
        _ => None,
    };
    sentences::stated(&Facts {
        required,
        default,
        unknown: sentences::unknown_texts(&declared.unknown),
        ..sentences::param_facts(param)
    })
}

/// The example is a list if the param accepts several values.
fn param_example(param: &Param, text: &str) -> Value {
    let value = written_value(&param.ty, text);
    if param.declared.list_setter.is_some() { Value::Sequence(vec![value]) } else { value }
}

impl Description<'_> {
    /// The calls of an operation, as Redoc and similar viewers read them.
    fn code_samples(&self, group: &Group, endpoint: &Endpoint) -> Vec<Object> {
        let Some(snippets) = self.snippets else { return Vec::new() };
        let mut samples = Vec::new();
        for snippet in snippets.get(group, endpoint) {
            let sample = Object::default()
                .with("lang", snippet.language)
                .with("label", snippet.title)
                .with("source", snippet.text.as_str());
            samples.push(sample);
        }
        samples
    }
}

/// `true` if the schema of a param is a reference. Many tools ignore or reject keywords next to a reference.
fn is_named(param: &Param) -> bool {
    matches!(param.ty, Type::Named(_))
}

/// The `content` of a JSON body.
fn json(schema: Object) -> Object {
    Object::default().with("application/json", Object::default().with("schema", schema))
}

/// The `content` of a body in the format of an endpoint.
fn content(format: Option<BodyFormat>, schema: Object) -> Object {
    match format {
        None => json(schema),
        Some(format) => {
            Object::default().with(format.in_registry().media_type(), Object::default().with("schema", schema))
        }
    }
}

/// The component name of a shared param. It is derived from the Rust constant, which is unique.
fn component(shared: &SharedParam) -> String {
    shared.constant.to_ascii_lowercase()
}

impl Description<'_> {
    pub(super) fn error_responses(&self) -> Object {
        let has_schema = self.error_schema().is_some();
        let mut responses = Object::default();
        for status in &self.api.service.declared.errors {
            let mut response = status_facts(status);
            if has_schema {
                response = response.with("content", json(schema_ref(&self.names.error)));
            }
            responses = responses.with(&response_name(status), response);
        }
        responses
    }

    /// The schema of error bodies: an object that contains the message and the code at their JSON paths.
    pub(super) fn error_schema(&self) -> Option<Object> {
        let body = &self.api.service.declared.error_body;
        let evidence = body.evidence?;
        let text = self.value(&Type::Option(Type::Builtin(Builtin::String).into()));
        let description = "The cause of the failure. The members that are present depend on the failure.";
        let mut schema = typed("object").and(described(description, [source(evidence)], ""));
        for path in &body.message {
            schema = self.inserted(schema, path, text.clone(), false);
        }
        for path in &body.code {
            schema = self.inserted(schema, path, Object::default(), false);
        }
        Some(schema)
    }
}

/// A description with the meaning, the advice and the source of a status.
fn status_facts(status: &Status) -> Object {
    let facts = [markdown::prose(&markdown::sentence(&status.advice)), source(status.evidence)];
    let described = described(&status.summary, facts, &status.notes);
    if status.rate_limited { described.with("x-rate-limited", true) } else { described }
}

fn response_name(status: &Status) -> String {
    format!("Status{}", status.status)
}

/// The `style` of a param with several values.
fn style(param: &Param) -> &'static str {
    match param.declared.list_as {
        _ if param.in_path() => "simple",
        ListFormat::Spaces => "spaceDelimited",
        ListFormat::Pipes => "pipeDelimited",
        ListFormat::Commas | ListFormat::Repeated | ListFormat::Json | ListFormat::Colons | ListFormat::Semicolons => {
            "form"
        }
    }
}
