//! Emits the catalogue as an OpenAPI description, for viewers, validators and other generators.
//!
//! One builder emits both versions of OpenAPI; the differences are in `version.rs`. A fact for which OpenAPI has no
//! keyword is emitted as an extension, but only if some tool reads that extension.

// The modules, lowest layer first.
mod version;

mod component_names;

mod description;

mod schema;

mod operation;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::json_object::{LargeObject, Object, typed};
use super::markdown::{self};
use super::render::MARKER;
use super::sentences::{self, source};
use super::snippets::Snippets;
use catalogue::model::{Api, ApiKey, ClientCredentials, Group, GroupBaseUrl, KeyCarrier, ListFormat};
use description::{Description, described, some};
pub use version::OpenApiVersion;

/// Returns the OpenAPI description of a catalogue, as JSON that is indented by two spaces.
pub fn openapi(api: &Api, version: OpenApiVersion) -> String {
    printed(&Description::new(api, version, None))
}

/// The same description with samples of the call of each operation.
pub(super) fn openapi_with_samples(api: &Api, version: OpenApiVersion, snippets: &Snippets<'_>) -> String {
    printed(&Description::new(api, version, Some(snippets)))
}

fn printed(description: &Description<'_>) -> String {
    // Writing cannot fail, because all keys are strings.
    serde_json::to_string_pretty(description).unwrap_or_default() + "\n"
}

const SOURCES: &str = "The source of a fact is the API document, unless its description names another source: published \
     (the provider's public documentation), reported (public clients agree) or previous version (the provider's \
     documentation of the previous API version).";

/// The keys of the service that OpenAPI cannot state. `cargo xtask import` reads them as a part of a catalogue.
const SERVICE_KEYS: &str = "summary env_prefix time headers error_body limits rate_limit_headers";

/// A note for users of `openapi-python-client`, which deviates from the standard.
const PYTHON_CLIENT: &str = "openapi-python-client ignores `explode: false`: pass several values as one string, \
     separated by commas, as in `[\"a,b\"]`.";

impl Serialize for Description<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_map(None)?;
        for (key, value) in self.head().members() {
            document.serialize_entry(key, value)?;
        }
        document.serialize_entry("paths", &LargeObject(|| self.paths()))?;
        document.serialize_entry("components", &Components(self))?;
        document.end()
    }
}

/// The parts of a description to which operations refer.
struct Components<'d>(&'d Description<'d>);

impl Serialize for Components<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(description) = self;
        let mut components = serializer.serialize_map(None)?;
        components.serialize_entry("schemas", &LargeObject(|| description.schemas()))?;
        for (key, value) in description.other_components().members() {
            components.serialize_entry(key, value)?;
        }
        components.end()
    }
}

impl Description<'_> {
    /// What precedes the operations.
    fn head(&self) -> Object {
        Object::default()
            .with("x-generated", format!("{MARKER} from spec/. Do not edit."))
            .with("openapi", self.version.number())
            .with("info", self.info())
            .with("x-catalogue", Object::of_keys(&self.api.service.declared.written(), SERVICE_KEYS))
            .with("servers", vec![self.server()])
            .with_list("security", self.security())
            .with_list("tags", self.api.groups.iter().map(tag))
    }

    fn info(&self) -> Object {
        let service = &self.api.service.declared;
        let mut facts = vec![markdown::prose(&service.summary), sentences::timestamps(service.time_form())];
        let limits: Vec<_> = service.limits.iter().map(|limit| markdown::joined(sentences::limit(limit))).collect();
        facts.push(markdown::joined(limits));
        facts.push(SOURCES.to_owned());
        if self.has_lists_with_commas() {
            facts.push(PYTHON_CLIENT.to_owned());
        }
        Object::default()
            .with("title", service.title.as_str())
            .with("version", service.version.as_str())
            .with("description", markdown::joined_by("\n\n", facts))
    }

    fn has_lists_with_commas(&self) -> bool {
        let mut setters = self.api.setters.iter();
        setters.any(|setter| setter.several && setter.list_as == Some(ListFormat::Commas))
    }

    fn server(&self) -> Object {
        server("base_url", "The base URL of the service.", self.api.service.declared.base_url_suffix())
    }

    /// The components that are not schemas.
    fn other_components(&self) -> Object {
        Object::default()
            .with_some("parameters", some(self.shared_params()))
            .with_some("responses", some(self.error_responses()))
            .with_some("securitySchemes", some(self.security_schemes()))
    }
}

/// A base URL is a variable, because the user configures it and only the suffix is known.
fn server(variable: &str, summary: &str, suffix: &str) -> Object {
    let suffix = if suffix.is_empty() { "/" } else { suffix };
    let default = Object::default().with("default", suffix);
    Object::default()
        .with("url", format!("{{{variable}}}"))
        .with("description", format!("{summary} It ends in `{suffix}`."))
        .with("variables", Object::default().with(variable, default))
}

/// The server of a group on another host.
fn server_of_group(base_url: &GroupBaseUrl) -> Object {
    let name = &base_url.name;
    server(&format!("{name}_base_url"), &format!("The base URL `{name}`, on another host."), base_url.suffix())
}

fn tag(group: &Group) -> Object {
    let base_url = group.base_url.as_ref().map(|base_url| Object::of_keys(&base_url.written(), "name suffix evidence"));
    let keys = base_url.map(|base_url| Object::default().with("base_url", base_url));
    Object::default()
        .with("name", group.ident.as_str())
        .and(described(&group.summary, [], &group.notes))
        .with("x-displayName", group.title.as_str())
        .with_some("x-catalogue", keys)
}

const API_KEY: &str = "api_key";
const TOKEN: &str = "client_credentials";
const TOKEN_SUMMARY: &str = "A bearer token, requested with the client id and secret, and sent in addition to the key.";

impl Description<'_> {
    /// The alternative sets of credentials: the key alone, the key with a token, and none if the key is optional.
    fn security(&self) -> Vec<Object> {
        let service = &self.api.service;
        let mut key = Object::default();
        let mut alternatives = Vec::new();
        if service.api_key.is_some() {
            key = key.with(API_KEY, Vec::<String>::new());
            alternatives.push(key.clone());
        }
        if service.declared.credentials.client_credentials.is_some() {
            alternatives.push(key.with(TOKEN, Vec::<String>::new()));
        }
        if service.api_key.as_ref().is_some_and(|key| key.optional) {
            // An empty requirement means that a request without credentials is accepted.
            alternatives.push(Object::default());
        }
        alternatives
    }

    fn security_schemes(&self) -> Object {
        let service = &self.api.service;
        let token = service.declared.credentials.client_credentials.as_ref();
        Object::default()
            .with_some(API_KEY, service.api_key.as_ref().map(key_scheme))
            .with_some(TOKEN, token.map(|flow| self.token_scheme(flow)))
    }

    fn token_scheme(&self, flow: &ClientCredentials) -> Object {
        // The URL is relative, because only the user knows the host.
        let url = format!("{}{}", self.api.service.declared.base_url_suffix(), flow.path);
        let client_credentials = Object::default().with("tokenUrl", url).with("scopes", Object::default());
        typed("oauth2")
            .and(described(TOKEN_SUMMARY, [source(flow.evidence)], &flow.notes))
            .with("flows", Object::default().with("clientCredentials", client_credentials))
    }
}

fn key_scheme(key: &ApiKey) -> Object {
    let scheme = match &key.carrier {
        KeyCarrier::Header { name, prefix } if name == "authorization" && prefix == "Bearer " => http("bearer"),
        KeyCarrier::Basic => http("basic"),
        KeyCarrier::Header { name, .. } => key_in("header", name),
        KeyCarrier::Query(name) => key_in("query", name),
    };
    let summary = if key.optional { "An optional API key." } else { "The API key, sent with every request." };
    scheme.and(described(summary, [source(key.evidence)], ""))
}

fn http(scheme: &str) -> Object {
    typed("http").with("scheme", scheme)
}

fn key_in(part: &str, name: &str) -> Object {
    typed("apiKey").with("in", part).with("name", name)
}
