//! What a description says of the service as a whole.

use codegen::model::UNKNOWN_MEANING;
use codegen::model::{TimeFormat, TimeUnit};
use codegen::names::{self, Case};
use codegen::{is_line, is_prose};
use serde_yaml::Value;

use super::document::{entries, evidence_of, is_evidence, items, text, text_of};
use super::{Envelope, Reader};
use crate::change::Desk;
use crate::keys::SERVICE;
use crate::tree::Tree;

/// Keys of the whole description that something here reads.
const KEYS: &str = "\
    components info openapi paths security servers tags webhooks x-envelope x-env-prefix x-generated \
    x-known-by-name x-limits x-time";

const PARTS: &str = "parameters pathItems responses schemas securitySchemes";

impl Reader<'_> {
    /// A `service.yaml` for a catalogue that has none.
    pub(super) fn service(&mut self) -> Tree {
        let root = self.document.root();
        let info = root.get("info").unwrap_or(&Value::Null);
        let said = |key: &str, other: &str| head(info, key).unwrap_or_else(|| other.to_owned());
        self.sweep(info, "description title version", "#/info");
        let title = said("title", "Service");
        let prefix = text(root, "x-env-prefix").map(str::to_owned);
        let prefix = prefix.or_else(|| names::ident(&ascii(&title), Case::Shouty).ok());
        let prefix =
            prefix.filter(|prefix| names::is_ident(prefix, Case::Shouty)).unwrap_or_else(|| "SERVICE".to_owned());
        let summary = text(info, "description").map(|text| self.prose(text)).filter(|text| !text.is_empty());
        let is_form = |time: &&Value| {
            let [unit, format] = ["unit", "format"].map(|key| text(time, key));
            unit.and_then(TimeUnit::of).is_some() || format.and_then(TimeFormat::of).is_some()
        };
        let time = root.get("x-time").filter(is_form);
        if time.is_none() {
            self.guessed_time = true;
        }
        let format = time.and_then(|time| text(time, "format"));
        let unit = time.and_then(|time| text(time, "unit")).unwrap_or("seconds");
        let known = time.and_then(|time| text(time, "evidence")).filter(|said| is_evidence(said)).unwrap_or("reported");
        let time = Tree::map()
            .with_some("unit", Some(unit).filter(|_| format.is_none()))
            .with_some("format", format)
            .with("evidence", known);
        let evidence = self.options.evidence.clone();
        let base_url = self.base_url(&evidence);
        let base = base_url.as_ref().and_then(|base_url| base_url.get("suffix")?.as_text()).unwrap_or_default();
        let base = base.to_owned();
        Tree::map()
            .with("title", title.as_str())
            .with("version", said("version", "1"))
            .with("summary", summary.unwrap_or_else(|| "unknown".to_owned()))
            .with("env_prefix", prefix)
            .with_some("base_url", base_url)
            .with("time", time)
            .with_some("credentials", self.credentials(&evidence, &base))
            .with_some("errors", some(self.errors(&evidence)))
            .with_some("error_body", self.error_body())
            .with_some("limits", some(limits(root)))
            .with_some("envelope", self.envelope(&evidence))
    }

    /// What the catalogue as it is says of paths, envelope and modules.
    pub(super) fn surroundings(&mut self, desk: &Desk, said: &Tree) {
        let service = desk.tree(SERVICE);
        let at = |path: &[&str]| {
            path.iter().try_fold(service, |tree, key| tree.get(key)).and_then(Tree::as_text).map(str::to_owned)
        };
        self.suffix = at(&["base_url", "suffix"]).unwrap_or_default();
        if self.suffix.is_empty() {
            self.plan.prefix = prefix(desk, said).unwrap_or_default();
        }
        if self.suffix.is_empty() && self.plan.prefix.is_empty() {
            // It is what base URLs are going to end in.
            said_suffix(said).unwrap_or_default().clone_into(&mut self.suffix);
        }
        self.envelope =
            at(&["envelope", "data"]).map(|data| Envelope { data, metadata: at(&["envelope", "metadata", "name"]) });
        for (module, title) in desk.modules() {
            self.modules.note(module.as_str());
            self.groups.push((module.clone(), module.clone()));
            self.groups.push((title, module));
        }
        self.old_groups = self.groups.len();
    }

    /// What a description says of a service that the catalogue has already, without what had to be made up.
    pub(super) fn said_of_service(&self, service: &Tree) -> Tree {
        let root = self.document.root();
        let info = root.get("info").unwrap_or(&Value::Null);
        let is_said = |key: &str| match key {
            "title" | "version" => head(info, key).is_some(),
            "env_prefix" => root.get("x-env-prefix").is_some(),
            "time" => !self.guessed_time,
            _ => true,
        };
        match service {
            Tree::Map(entries) => Tree::Map(entries.iter().filter(|(key, _)| is_said(key)).cloned().collect()),
            _ => Tree::Null,
        }
    }

    /// Notes what nothing has read in the end.
    pub(super) fn unused(&mut self) {
        let root = self.document.root();
        self.sweep(root, KEYS, "#");
        // In a response it names a field.
        if root.get("x-time").is_some_and(|time| !time.is_mapping()) {
            self.notes.add("`x-time`", "#");
        }
        if let Some(components) = root.get("components") {
            self.sweep(components, PARTS, "#/components");
        }
        let used: Vec<String> = self.plan.records.iter().map(|record| record.origin.clone()).collect();
        for (name, _) in entries(root.get("components").unwrap_or(&Value::Null), "schemas") {
            let place = format!("#/components/schemas/{name}");
            let is_read = self.swept.contains(&place) || used.contains(&place);
            if !is_read {
                self.notes.aside("schemas of nothing that is taken over", &place);
            }
        }
        for kind in ["parameters", "pathItems", "responses"] {
            for (name, _) in entries(root.get("components").unwrap_or(&Value::Null), kind) {
                let place = format!("#/components/{kind}/{name}");
                if !self.swept.contains(&place) {
                    self.notes.aside(format!("{kind} of nothing that is taken over"), &place);
                }
            }
        }
        for name in items(root, "tags").iter().filter_map(|tag| text(tag, "name")) {
            if !self.tags.contains(name) && !self.document.is_ours() {
                self.notes.aside("tags of no endpoint that is taken over", &format!("#/tags/{name}"));
            }
        }
        if root.get("security").is_some() && !self.document.is_ours() {
            self.notes.aside("`security`, as every request carries all credentials that there are", "#");
        }
    }

    /// The path that base URLs end in; hosts are the user's to know.
    fn base_url(&mut self, evidence: &str) -> Option<Tree> {
        let root = self.document.root();
        let server = items(root, "servers").first()?;
        if items(root, "servers").len() > 1 {
            self.notes.aside("servers beyond the first", "#/servers");
        }
        if !self.document.is_ours() {
            self.sweep(server, "url variables x-evidence", "#/servers");
        }
        let mut url = text(server, "url")?.to_owned();
        for (name, variable) in entries(server, "variables") {
            if !self.document.is_ours() {
                let place = format!("#/servers/variables/{name}");
                self.sweep(variable, "default", &place);
                let path = text(server, "url").and_then(|url| url.split("://").last()?.split_once('/'));
                if path.is_some_and(|(_, path)| path.contains(&format!("{{{name}}}"))) {
                    self.notes.add("a variable of the server's path, which stands as its default", &place);
                }
            }
            url = url.replace(&format!("{{{name}}}"), &variable.get("default").map(text_of).unwrap_or_default());
        }
        let path = match url.split_once("://").map(|(_, rest)| rest).or(url.strip_prefix("//")) {
            Some(rest) => {
                self.notes.aside("the host of the server, which users give themselves", "#/servers");
                rest.find('/').map_or("", |slash| &rest[slash..]).to_owned()
            }
            None => url,
        };
        let suffix = path.trim_end_matches('/').split(['?', '#']).next().unwrap_or_default();
        let is_legal = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
        let is_suffix = suffix.starts_with('/')
            && suffix.chars().all(is_legal)
            && !suffix.split('/').skip(1).any(|segment| matches!(segment, "" | "." | ".."));
        if !is_suffix && !suffix.is_empty() {
            self.notes.add(format!("`{suffix}` of the server, which base URLs cannot end in"), "#/servers");
        }
        let evidence = evidence_of(server).unwrap_or(evidence);
        is_suffix.then(|| Tree::map().with("suffix", suffix).with("evidence", evidence))
    }
}

/// The path that base URLs end in.
fn said_suffix(service: &Tree) -> Option<&str> {
    service.get("base_url")?.text("suffix")
}

/// What the server of the description ends in, if the catalogue has it in its paths.
fn prefix(desk: &Desk, service: &Tree) -> Option<String> {
    let suffix = said_suffix(service)?;
    let mut endpoints = desk.groups().flat_map(|file| desk.tree(file).entries("endpoints"));
    let is_within = |endpoint: &Tree| endpoint.text("path").is_some_and(|path| path.starts_with(&format!("{suffix}/")));
    endpoints.any(is_within).then(|| suffix.to_owned())
}

/// Title or version, which is often written as a number.
fn head(info: &Value, key: &str) -> Option<String> {
    let said = text_of(info.get(key)?);
    Some(said.trim().to_owned()).filter(|said| is_line(said))
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
    items(root, "x-limits").iter().filter(|limit| is_limit(limit)).map(limit).collect()
}

/// Whether a limit is told as the catalogue tells it.
pub(super) fn is_limit(limit: &Value) -> bool {
    let is_number = |key: &str| {
        let number = limit.get(key).and_then(Value::as_u64);
        number.is_some_and(|number| number > 0 && u32::try_from(number).is_ok())
    };
    ["requests", "seconds", "concurrent"].into_iter().all(is_number)
        && text(limit, "name").is_some_and(is_line)
        && text(limit, "evidence").is_some_and(is_evidence)
        && limit.get("applies_to").is_none_or(|of| of.as_str().is_some_and(is_prose))
}

/// What is said, or that nobody knows.
pub(super) fn or_unknown(said: String) -> String {
    if said.is_empty() || said == UNKNOWN_MEANING { "unknown".to_owned() } else { said }
}

pub(super) fn some(items: Vec<Tree>) -> Option<Vec<Tree>> {
    (!items.is_empty()).then_some(items)
}

fn ascii(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect()
}
