//! What a description says of the service as a whole.

use serde_yaml::Value;

use super::document::{entries, items, text, text_of};
use super::plan::{PlannedField, Ty};
use super::{Envelope, Reader};
use crate::evolve::change::Desk;
use crate::evolve::tree::Tree;
use crate::names::{self, Case};

/// Keys of the whole description that something here reads.
const KEYS: &[&str] = &[
    "components",
    "info",
    "openapi",
    "paths",
    "security",
    "servers",
    "tags",
    "webhooks",
    "x-envelope",
    "x-env-prefix",
    "x-generated",
    "x-known-by-name",
    "x-limits",
    "x-time",
];

const PARTS: &[&str] = &["parameters", "responses", "schemas", "securitySchemes"];

impl<'d> Reader<'d> {
    /// A `service.yaml` for a catalogue that has none.
    pub(super) fn service(&mut self) -> Tree {
        let root = self.document.root();
        let info = root.get("info").unwrap_or(&Value::Null);
        let said = |key: &str, other: &str| {
            let said = text(info, key).map(str::trim).filter(|said| super::is_writable(said));
            said.unwrap_or(other).to_owned()
        };
        let title = said("title", "Service");
        let prefix = text(root, "x-env-prefix").map(str::to_owned);
        let prefix = prefix.or_else(|| names::ident(&ascii(&title), Case::Shouty).ok());
        let prefix =
            prefix.filter(|prefix| names::is_ident(prefix, Case::Shouty)).unwrap_or_else(|| "SERVICE".to_owned());
        let summary = text(info, "description").map(|text| self.prose(text)).filter(|text| !text.is_empty());
        let time = root.get("x-time");
        if time.is_none() {
            self.guessed_time = true;
        }
        let time = |key: &str, other: &str| time.and_then(|time| text(time, key)).unwrap_or(other).to_owned();
        let evidence = self.options.evidence.clone();
        Tree::map()
            .with("title", title.as_str())
            .with("version", said("version", "1"))
            .with("summary", summary.unwrap_or_else(|| "unknown".to_owned()))
            .with("env_prefix", prefix)
            .with_some("base_url", self.base_url(&evidence))
            .with(
                "time",
                Tree::map().with("unit", time("unit", "seconds")).with("evidence", time("evidence", "reported")),
            )
            .with_some("credentials", self.credentials(&evidence))
            .with_some("errors", some(self.errors(&evidence)))
            .with_some("error_body", self.error_body())
            .with_some("limits", some(limits(root)))
            .with_some("envelope", self.envelope(&evidence))
    }

    /// What the catalogue as it is says of paths, envelope and modules.
    pub(super) fn surroundings(&mut self, desk: &Desk) {
        let service = desk.service_tree();
        let at = |path: &[&str]| {
            path.iter().try_fold(&service, |tree, key| tree.get(key)).and_then(Tree::as_text).map(str::to_owned)
        };
        self.suffix = at(&["base_url", "suffix"]).unwrap_or_default();
        self.envelope =
            at(&["envelope", "data"]).map(|data| Envelope { data, metadata: at(&["envelope", "metadata", "name"]) });
        for (module, title) in desk.modules() {
            self.modules.note(module.as_str());
            self.groups.push((module.clone(), module.clone()));
            self.groups.push((title, module));
        }
        let metadata = self.document.root().get("x-envelope").filter(|_| desk.is_new());
        let name = metadata.and_then(|envelope| text(envelope, "metadata"));
        let schemas = self.document.root().get("components").and_then(|components| components.get("schemas"));
        if let (Some(_), Some(schema)) = (name, schemas.and_then(|schemas| schemas.get("Metadata"))) {
            self.plan.metadata = self.object(schema, "Metadata", "#/components/schemas/Metadata");
            self.unsupported();
        }
    }

    /// The field of the metadata that lists what is not covered.
    fn unsupported(&mut self) {
        let envelope = self.document.root().get("x-envelope").unwrap_or(&Value::Null);
        let Some(said) = text(envelope, "unsupported") else { return };
        let fields = self.plan.metadata.map(|metadata| self.plan.records[metadata].fields.as_slice());
        let is_list = |field: &&PlannedField| field.name == said && matches!(field.ty, Ty::List(_));
        match fields.unwrap_or_default().iter().find(is_list) {
            Some(field) => self.plan.unsupported = Some(field.name.clone()),
            None => self.notes.add("`unsupported` that names no list of the metadata", "#/x-envelope"),
        }
    }

    /// Notes what nothing has read in the end.
    pub(super) fn unused(&mut self) {
        let root = self.document.root();
        self.sweep(root, KEYS, "#");
        if let Some(components) = root.get("components") {
            self.sweep(components, PARTS, "#/components");
        }
        let used: Vec<String> = self.plan.records.iter().map(|record| record.origin.clone()).collect();
        for (name, _) in entries(root.get("components").unwrap_or(&Value::Null), "schemas") {
            let place = format!("#/components/schemas/{name}");
            let is_read = self.swept.contains(&place) || used.contains(&place);
            if !is_read {
                self.notes.add("schemas that no GET reaches", &place);
            }
        }
    }

    /// The path that base URLs end in; hosts are the user's to know.
    fn base_url(&mut self, evidence: &str) -> Option<Tree> {
        let root = self.document.root();
        let server = items(root, "servers").first()?;
        if items(root, "servers").len() > 1 {
            self.notes.add("servers beyond the first", "#/servers");
        }
        let mut url = text(server, "url")?.to_owned();
        for (name, variable) in entries(server, "variables") {
            url = url.replace(&format!("{{{name}}}"), &variable.get("default").map(text_of).unwrap_or_default());
        }
        let path = match url.split_once("://") {
            Some((_, rest)) => {
                self.notes.add("the host of the server, which users give themselves", "#/servers");
                rest.find('/').map_or("", |slash| &rest[slash..]).to_owned()
            }
            None => url,
        };
        let suffix = path.trim_end_matches('/').split(['?', '#']).next().unwrap_or_default();
        let is_legal = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
        let is_suffix = suffix.starts_with('/')
            && suffix.chars().all(is_legal)
            && !suffix.split('/').skip(1).any(|segment| matches!(segment, "" | "." | ".."));
        let evidence = text(server, "x-evidence").unwrap_or(evidence);
        is_suffix.then(|| Tree::map().with("suffix", suffix).with("evidence", evidence))
    }

    fn credentials(&mut self, evidence: &str) -> Option<Tree> {
        let components = self.document.root().get("components")?;
        let (mut key, mut token) = (None, None);
        for (name, scheme) in entries(components, "securitySchemes") {
            let place = format!("#/components/securitySchemes/{name}");
            let evidence = text(scheme, "x-evidence").unwrap_or(evidence).to_owned();
            let header = text(scheme, "name").unwrap_or_default();
            let is_key = text(scheme, "type") == Some("apiKey") && text(scheme, "in") == Some("header");
            let is_free = !header.is_empty()
                && header.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
                && !header.eq_ignore_ascii_case("authorization");
            let flow = scheme.get("flows").and_then(|flows| flows.get("clientCredentials"));
            if is_key && is_free && key.is_none() {
                key = Some(Tree::map().with("header", header).with("evidence", evidence));
            } else if let (Some(flow), None) = (flow, &token) {
                token = self.flow(scheme, flow, &evidence);
                if token.is_none() {
                    self.notes.add("a token path that is not below the base URL", &place);
                }
            } else {
                self.notes.add("a security scheme that the client does not know", &place);
            }
        }
        let credentials = Tree::map().with_some("api_key", key).with_some("client_credentials", token);
        (credentials != Tree::map()).then_some(credentials)
    }

    fn flow(&mut self, scheme: &'d Value, flow: &'d Value, evidence: &str) -> Option<Tree> {
        let url = text(scheme, "x-path").or(text(flow, "tokenUrl")).filter(|url| url.starts_with('/'))?;
        let mut reply = Vec::new();
        for (name, field) in entries(scheme, "x-reply") {
            let value = self.value(field, name, &format!("#/components/securitySchemes/x-reply/{name}"));
            let Ty::Builtin(ty) = value.ty else { continue };
            let said = self.said(field);
            reply.push(
                Tree::map()
                    .with("name", name)
                    .with("type", ty)
                    .with("summary", or_unknown(said.summary))
                    .with_some("unit", said.unit),
            );
        }
        let errors = items(scheme, "x-errors").iter().map(|error| {
            let status = error.get("status").map(text_of).unwrap_or_default();
            self.status(&status, error, evidence)
        });
        let errors: Vec<Tree> = errors.collect();
        let tree = Tree::map()
            .with("path", url)
            .with("label", text(scheme, "x-label").unwrap_or("Token"))
            .with("evidence", evidence)
            .with_some("reply", some(reply))
            .with_some("errors", some(errors));
        Some(tree)
    }

    /// Every status that a failure has somewhere, once.
    fn errors(&mut self, evidence: &str) -> Vec<Tree> {
        let root = self.document.root();
        let mut errors: Vec<(u16, Tree)> = Vec::new();
        for (_, item) in entries(root, "paths") {
            for (status, response) in item.get("get").into_iter().flat_map(|operation| entries(operation, "responses"))
            {
                let Ok(number) = status.parse::<u16>() else {
                    if !status.starts_with('2') {
                        self.notes.add(format!("the response `{status}`"), "#/paths");
                    }
                    continue;
                };
                if !(400..600).contains(&number) || errors.iter().any(|(known, _)| *known == number) {
                    continue;
                }
                let response = self.document.follow(response).map_or(response, |(response, _)| response);
                let error = self.status(status, response, evidence);
                errors.push((number, error));
            }
        }
        errors.sort_by_key(|(number, _)| *number);
        errors.into_iter().map(|(_, error)| error).collect()
    }

    fn status(&mut self, status: &str, response: &'d Value, evidence: &str) -> Tree {
        let said = self.said(response);
        Tree::map()
            .with("status", Tree::Number(status.to_owned()))
            .with("label", text(response, "x-label").unwrap_or("unknown"))
            .with("summary", or_unknown(said.summary))
            .with_some("advice", text(response, "x-advice").filter(|_| self.options.summaries))
            .with_some("notes", said.notes)
            .with("evidence", text(response, "x-evidence").unwrap_or(evidence))
    }

    /// Where a failure says what went wrong, as our own descriptions tell it.
    fn error_body(&mut self) -> Option<Tree> {
        let schemas = self.document.root().get("components")?;
        let (name, body) = entries(schemas, "schemas").find(|(_, schema)| schema.get("x-message").is_some())?;
        self.swept.insert(format!("#/components/schemas/{name}"));
        let texts = |key: &str| some(items(body, key).iter().map(|text| Tree::Text(text_of(text))).collect());
        let evidence = text(body, "x-evidence").unwrap_or(&self.options.evidence);
        let tree = Tree::map().with_some("message", texts("x-message")).with_some("code", texts("x-code"));
        Some(tree.with("evidence", evidence))
    }

    fn envelope(&mut self, evidence: &str) -> Option<Tree> {
        let root = self.document.root();
        let envelope = root.get("x-envelope")?;
        let evidence = text(envelope, "evidence").unwrap_or(evidence).to_owned();
        let time = text(envelope, "time").map(|name| self.envelope_time(name, &evidence));
        let metadata = text(envelope, "metadata").map(str::to_owned);
        let tree = Tree::map().with("data", text(envelope, "data")?).with_some("time", time);
        // Its fields come with the other types, since they need their names.
        let metadata = metadata.map(|name| Tree::map().with("name", name).with("fields", Vec::new()));
        Some(tree.with_some("metadata", metadata).with("evidence", evidence))
    }

    /// The time of all records, as the first record that has it says.
    fn envelope_time(&mut self, name: &str, evidence: &str) -> Tree {
        let schemas = self.document.root().get("components").unwrap_or(&Value::Null);
        let field = entries(schemas, "schemas").find_map(|(_, schema)| schema.get("properties")?.get(name));
        let said = field.map(|field| self.said(field)).unwrap_or_default();
        let own = said.evidence.filter(|own| own != evidence);
        Tree::map()
            .with("name", name)
            .with_some("ident", said.ident)
            .with("type", "timestamp")
            .with("summary", or_unknown(said.summary))
            .with_some("unit", said.unit)
            .with_some("evidence", own)
            .with_some("notes", said.notes)
    }
}

fn limits(root: &Value) -> Vec<Tree> {
    let limit = |limit: &Value| {
        let keys = ["name", "requests", "seconds", "concurrent", "applies_to", "evidence"];
        keys.iter().fold(Tree::map(), |tree, key| match limit.get(key) {
            Some(Value::Number(number)) => tree.with(key, Tree::Number(number.to_string())),
            Some(value) => tree.with(key, text_of(value)),
            None => tree,
        })
    };
    items(root, "x-limits").iter().map(limit).collect()
}

/// What is said, or that nobody knows.
pub(super) fn or_unknown(said: String) -> String {
    if said.is_empty() { "unknown".to_owned() } else { said }
}

pub(super) fn some(items: Vec<Tree>) -> Option<Vec<Tree>> {
    (!items.is_empty()).then_some(items)
}

fn ascii(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect()
}
