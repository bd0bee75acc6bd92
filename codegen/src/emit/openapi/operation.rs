//! Emits the operations: one for each endpoint with a path, with its params and its responses. Every operation has one
//! error response for each status, with the schema of its body as far as it is known.

use serde_yaml::Value;

use super::description::{Description, described, operation_id, some};
use super::schema::{range, schema_ref, written_value};
use super::version::OpenApiVersion;
use crate::emit::docs::{self, source};
use crate::emit::json_object::{self, Object, typed};
use catalogue::model::{
    Body, Builtin, Endpoint, EndpointParam, Evidence, Group, Known, ListFormat, Param, SharedParam, Status, Type,
    UnknownFact,
};
use wording::Facts;

impl Description<'_> {
    pub(super) fn paths(&self) -> Object {
        let paths = self.api.groups.iter().flat_map(|group| {
            group.endpoints.iter().filter_map(move |endpoint| {
                let operation = Object::default().with("get", self.operation(group, endpoint));
                Some((endpoint.path.clone()?, operation))
            })
        });
        paths.collect()
    }

    fn operation(&self, group: &Group, endpoint: &Endpoint) -> Object {
        let deprecated =
            endpoint.deprecated.as_ref().map(|how| docs::prose(&docs::sentence(&format!("Deprecated: {how}"))));
        let unknown = if endpoint.params.is_none() { "The params are unknown." } else { "" };
        let facts = [
            unknown.to_owned(),
            deprecated.unwrap_or_default(),
            source(endpoint.evidence),
            docs::unknown(&endpoint.unknown),
        ];
        let params = endpoint.params.iter().flatten().map(|param| self.endpoint_param(param));
        let data = if let Body::Series { data, .. } = &endpoint.body { data.as_deref() } else { None };
        Object::default()
            .with("operationId", operation_id(self.api, group, endpoint))
            .with("tags", vec![group.ident.as_str()])
            .with("summary", endpoint.name.as_str())
            .and(described(&endpoint.summary, facts, &endpoint.notes))
            .with("x-evidence", endpoint.evidence.word())
            .with_some("deprecated", endpoint.deprecated.as_ref().map(|_| true))
            .with_list("parameters", params)
            // From this key, `cargo xtask import` recognizes that the params are unknown. Without the key, the import
            // would interpret the missing `parameters` as an empty list.
            .with_some("x-params", endpoint.params.is_none().then_some("unknown"))
            .with_some("x-data", data)
            .with_some("x-catalogue", some(self.kept(endpoint)))
            .with("responses", self.responses(endpoint))
    }

    /// Returns the keys of an endpoint that OpenAPI cannot state. Version 3.0 cannot state the durations of values, so it
    /// gets no histories.
    fn kept(&self, endpoint: &Endpoint) -> Object {
        let kept = Object::of_keys(&endpoint.declared.written(), "weight weight_by");
        let own = endpoint.history.as_ref().and_then(Known::known);
        let history = own.or(self.api.service.history.as_ref()).filter(|_| endpoint.has_history);
        let history = history.filter(|_| self.version == OpenApiVersion::V3_1);
        kept.with_some("history", history.map(|history| json_object::json(&history.written())))
    }

    /// Returns a param of an endpoint. A shared param becomes a reference, unless the endpoint overrides one of its
    /// facts.
    fn endpoint_param(&self, param: &EndpointParam) -> Object {
        match param.shared.and_then(|(index, anew)| self.api.shared_params.get(index).filter(|_| !anew)) {
            Some(shared) => Object::default().with("$ref", format!("#/components/parameters/{}", component(shared))),
            None => self.param(&param.param),
        }
    }

    /// Returns the shared params that at least one endpoint uses without overrides.
    pub(super) fn shared_params(&self) -> Object {
        self.api.unchanged_params().into_iter().map(|shared| (component(shared), self.param(&shared.param))).collect()
    }

    fn param(&self, param: &Param) -> Object {
        let facts = docs::stated(&Facts {
            required: param.required.filter(|_| !param.is_argument()).map(Evidence::label),
            // Tools ignore the keyword `default` next to a reference, so the description contains the default.
            default: param.default.as_deref().map(String::as_str).filter(|_| is_named(param)),
            unknown: param.unknown.iter().map(UnknownFact::text).collect(),
            ..docs::param_facts(param)
        });
        let is_json = param.list_as == ListFormat::Json;
        let list = param.list_setter.as_ref().filter(|_| !is_json);
        let schema = self.param_schema(param);
        let (key, schema) = if is_json { ("content", json(schema)) } else { ("schema", schema) };
        let (part, style) = if param.in_path() { ("path", "simple") } else { ("query", "form") };
        Object::default()
            .with("name", param.name.as_str())
            .with("in", part)
            .and(described(&param.summary, [facts], &param.notes))
            .with("x-evidence", param.evidence.word())
            .with("required", param.is_argument() || param.const_value.is_some())
            .with_some("style", list.map(|_| style))
            .with_some("explode", list.map(|_| param.list_as == ListFormat::Repeated))
            .with(key, schema)
            .with_some("example", param.example.as_ref().map(|text| Self::param_example(param, text)))
    }

    /// Returns the example of a param. The example is a list if the param accepts several values.
    fn param_example(param: &Param, text: &str) -> Value {
        let value = written_value(&param.ty, text);
        if param.list_setter.is_some() { Value::Sequence(vec![value]) } else { value }
    }

    fn param_schema(&self, param: &Param) -> Object {
        let written = |text: &str| written_value(&param.ty, text);
        if let Some(fixed) = &param.const_value {
            let ty = if is_named(param) { &Type::Builtin(Builtin::String) } else { &param.ty };
            return self.value(ty).with("enum", vec![written(fixed)]);
        }
        let schema = self.value(&param.ty).and(range(&param.ty, param.range, param.evidence));
        let default = param.default.as_ref().filter(|_| !is_named(param));
        if param.list_setter.is_none() {
            return schema.with_some("default", default.map(|text| written(text)));
        }
        let default = default.map(|text| text.split(',').map(written).collect::<Vec<_>>());
        typed("array").with("items", schema).with_some("default", default)
    }

    fn responses(&self, endpoint: &Endpoint) -> Object {
        std::iter::once(("200".to_owned(), self.body(&endpoint.body))).chain(self.error_refs()).collect()
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
        described(description, [source], "").with("content", json(schema))
    }
}

/// Returns `true` if the schema of a param is a reference. Many tools ignore or reject keywords next to a reference.
fn is_named(param: &Param) -> bool {
    matches!(param.ty, Type::Named(_))
}

/// Returns the `content` of a JSON body.
pub(super) fn json(schema: Object) -> Object {
    Object::default().with("application/json", Object::default().with("schema", schema))
}

/// Returns the component name of a shared param. The name is derived from the Rust constant, which is unique.
fn component(shared: &SharedParam) -> String {
    shared.constant.to_ascii_lowercase()
}

impl Description<'_> {
    /// Returns a reference to each error response. Every operation lists all of them.
    pub(super) fn error_refs(&self) -> impl Iterator<Item = (String, Object)> {
        self.api.service.errors.iter().map(|status| {
            let reference = format!("#/components/responses/{}", response_name(status));
            (status.status.to_string(), Object::default().with("$ref", reference))
        })
    }

    pub(super) fn error_responses(&self) -> Object {
        let content = self.error_schema().map(|_| json(schema_ref(&self.names.error)));
        let errors = self.api.service.errors.iter();
        errors
            .map(|status| (response_name(status), status_facts(status).with_some("content", content.clone())))
            .collect()
    }

    /// Returns the schema of error bodies: an object that contains the message and the code at their JSON paths.
    pub(super) fn error_schema(&self) -> Option<Object> {
        let body = &self.api.service.error_body;
        let known = body.evidence?;
        let text = self.value(&Type::Option(Type::Builtin(Builtin::String).into()));
        let message = body.message.iter().map(|path| (path, text.clone()));
        let code = body.code.iter().map(|path| (path, Object::default()));
        let description = "The cause of the failure. The members that are present depend on the failure.";
        let schema = typed("object").and(described(description, [source(known)], ""));
        Some(message.chain(code).fold(schema, |schema, (path, value)| self.inserted(schema, path, value, false)))
    }
}

/// Returns a description with the meaning, the advice and the source of a status.
fn status_facts(status: &Status) -> Object {
    let facts = [docs::prose(&docs::sentence(&status.advice)), source(status.evidence)];
    described(&status.summary, facts, &status.notes).with_some("x-rate-limited", status.rate_limited.then_some(true))
}

fn response_name(status: &Status) -> String {
    format!("Status{}", status.status)
}
