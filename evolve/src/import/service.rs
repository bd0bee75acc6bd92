//! The facts of a description about the service as a whole.

use std::collections::HashSet;

use codegen::model::UNKNOWN_MEANING;
use codegen::model::{TimeFormat, TimeUnit};
use codegen::names::{self, Case};
use codegen::{is_line, is_prose, path};
use serde_yaml::Value;

use super::document::{entries, evidence_of, is_evidence, items, text, text_of};
use super::notes::Weight;
use super::{Envelope, Reader};
use crate::change::Editor;
use crate::keys::SERVICE;
use crate::place::Place;
use crate::tree::Tree;

impl Reader<'_> {
    /// A `service.yaml` for a new catalogue.
    pub(super) fn service(&mut self) -> Tree {
        let root = self.document.root();
        let info = root.get("info").unwrap_or(&Value::Null);
        let said = |key: &str, other: &str| head(info, key).unwrap_or_else(|| other.to_owned());
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
        let credentials = self.credentials(&evidence, &base);
        let headers = self.headers(&evidence, credentials.as_ref());
        Tree::map()
            .with("title", title.as_str())
            .with("version", said("version", "1"))
            .with("summary", summary.unwrap_or_else(|| "unknown".to_owned()))
            .with("env_prefix", prefix)
            .with_some("base_url", base_url)
            .with("time", time)
            .with_some("credentials", credentials)
            .with_some("headers", some(headers))
            .with_some("errors", some(self.errors(&evidence)))
            .with_some("error_body", self.error_body())
            .with_some("limits", some(limits(root)))
            .with_some("envelope", self.envelope(&evidence))
            .with_some("history", self.history())
    }

    /// How a range of time is walked, if all of its params are shared ones.
    fn history(&self) -> Option<Tree> {
        let root = self.document.root();
        let shared: Vec<String> = entries(root.get("components")?, "parameters")
            .filter_map(|(_, param)| text(param, "name").map(str::to_owned))
            .collect();
        history(root.get("x-history")?, &shared)
    }

    /// Takes paths, envelope and modules from the known catalogue.
    pub(super) fn surroundings(&mut self, editor: &Editor, said: &Tree) {
        let service = editor.tree(SERVICE);
        let at = |path: &[&str]| {
            path.iter().try_fold(service, |tree, key| tree.get(key)).and_then(Tree::as_text).map(str::to_owned)
        };
        self.suffix = at(&["base_url", "suffix"]).unwrap_or_default();
        if self.suffix.is_empty() {
            self.draft.prefix = prefix(editor, said).unwrap_or_default();
        }
        if self.suffix.is_empty() && self.draft.prefix.is_empty() {
            // Base URLs are going to end in it.
            said_suffix(said).unwrap_or_default().clone_into(&mut self.suffix);
        }
        self.envelope =
            at(&["envelope", "data"]).map(|data| Envelope { data, metadata: at(&["envelope", "metadata", "name"]) });
        for (module, title) in editor.modules() {
            self.modules.note(module.as_str());
            self.groups.push((module.clone(), module.clone()));
            self.groups.push((title, module));
        }
        self.old_groups = self.groups.len();
    }

    /// The path that base URLs end in; users give the host.
    fn base_url(&mut self, evidence: &str) -> Option<Tree> {
        let root = self.document.root();
        let server = items(root, "servers").first()?;
        let mut url = text(server, "url")?.to_owned();
        for (name, variable) in entries(server, "variables") {
            let path = text(server, "url").and_then(|url| url.split("://").last()?.split_once('/'));
            if path.is_some_and(|(_, path)| path.contains(&format!("{{{name}}}"))) {
                let why = "a variable of the server's path, which stands as its default";
                self.notes.add(Weight::Fact, why.to_owned(), &format!("#/servers/variables/{name}"));
            }
            url = url.replace(&format!("{{{name}}}"), &variable.get("default").map(text_of).unwrap_or_default());
        }
        let path = match url.split_once("://").map(|(_, rest)| rest).or(url.strip_prefix("//")) {
            Some(rest) => {
                let why = "the host of the server, which users give themselves";
                self.notes.add(Weight::Aside, why.to_owned(), "#/servers");
                rest.find('/').map_or("", |slash| &rest[slash..]).to_owned()
            }
            None => url,
        };
        let suffix = path.trim_end_matches('/').split(['?', '#']).next().unwrap_or_default();
        let is_suffix = path::check(suffix, false).is_ok();
        if !is_suffix && !suffix.is_empty() {
            let why = format!("`{suffix}` of the server, which base URLs cannot end in");
            self.notes.add(Weight::Fact, why, "#/servers");
        }
        let evidence = evidence_of(server).unwrap_or(evidence);
        is_suffix.then(|| Tree::map().with("suffix", suffix).with("evidence", evidence))
    }
}

/// The path that base URLs end in.
fn said_suffix(service: &Tree) -> Option<&str> {
    service.get("base_url")?.text("suffix")
}

/// The path of the description's server, if the catalogue has it in its paths.
fn prefix(editor: &Editor, service: &Tree) -> Option<String> {
    let suffix = said_suffix(service)?;
    let mut endpoints = editor.groups().flat_map(|file| editor.tree(file).entries("endpoints"));
    let is_within = |endpoint: &Tree| endpoint.text("path").is_some_and(|path| path.starts_with(&format!("{suffix}/")));
    endpoints.any(is_within).then(|| suffix.to_owned())
}

/// Title or version, which may be written as a number.
fn head(info: &Value, key: &str) -> Option<String> {
    let said = text_of(info.get(key)?);
    Some(said.trim().to_owned()).filter(|said| is_line(said))
}

fn limits(root: &Value) -> Vec<Tree> {
    let limit = |limit: &Value| {
        let keys = ["name", "requests", "seconds", "concurrent", "applies_to", "endpoints", "evidence"];
        keys.iter().fold(Tree::map(), |tree, key| match limit.get(key) {
            Some(Value::Number(number)) => tree.with(key, Tree::Number(number.to_string())),
            Some(Value::Sequence(names)) => {
                tree.with(key, names.iter().map(|name| text_of(name).into()).collect::<Vec<_>>())
            }
            Some(value) => tree.with(key, text_of(value)),
            None => tree,
        })
    };
    let mut taken = HashSet::new();
    let is_own = |limit: &Tree| constant(limit).is_some_and(|constant| taken.insert(constant));
    items(root, "x-limits").iter().filter(|limit| is_limit(limit)).map(limit).filter(is_own).collect()
}

/// Notes the facts about the service in which a description differs from the catalogue.
pub(super) fn note_differences(described: &Tree, has_prefix: bool, editor: &mut Editor) {
    for key in ["base_url", "credentials", "headers", "history"] {
        let here = editor.tree(SERVICE).get(key);
        if key == "base_url" && has_prefix {
            continue;
        }
        if described.get(key).is_some_and(|described| here.is_none_or(|here| !includes(here, described))) {
            let how = if here.is_some() { "differs in the description" } else { "is not here" };
            editor.note(format!("`{key}` of the service {how}"));
        }
    }
}

/// Whether the catalogue has a fact of a description, with any evidence and texts.
fn includes(here: &Tree, described: &Tree) -> bool {
    match (described, here) {
        (Tree::Map(described), here) => described.iter().all(|(key, described)| {
            matches!(key.as_str(), "evidence" | "summary" | "notes" | "label" | "advice")
                || here.get(key).is_some_and(|here| includes(here, described))
        }),
        (Tree::List(described), Tree::List(here)) => {
            described.iter().all(|described| here.iter().any(|here| includes(here, described)))
        }
        _ => described.scalar().is_none_or(|text| here.scalar().is_some_and(|here| here.eq_ignore_ascii_case(text))),
    }
}

/// What a limit set is called in Rust.
fn constant(limit: &Tree) -> Option<String> {
    names::ident(&names::limit(limit.text("name")?), Case::Shouty).ok()
}

/// Removes limit sets whose endpoints are not imported: without endpoints they would count every request.
pub(super) fn drop_limits_of_others(editor: &mut Editor) {
    let files: Vec<&str> = editor.groups().collect();
    let modules = files.iter().filter_map(|file| file.strip_suffix(".yaml"));
    let endpoints = files.iter().flat_map(|file| editor.tree(file).entries("endpoints"));
    let names: HashSet<&str> = modules.chain(endpoints.filter_map(|endpoint| endpoint.text("path"))).collect();
    let is_there = |name: &Tree| name.as_text().is_some_and(|name| names.contains(name));
    let known = editor.tree(SERVICE).entries("limits");
    let kept: Vec<_> = known.iter().filter(|limit| limit.entries("endpoints").iter().all(is_there)).cloned().collect();
    match kept.len() {
        all if all == known.len() => {}
        0 => editor.remove(&Place::service(), "limits"),
        _ => editor.replace(&Place::service().key("limits"), kept),
    }
}

/// How a range of time is walked, by params with these names.
pub(super) fn history(history: &Value, params: &[String]) -> Option<Tree> {
    let is_param = |key: &str| text(history, key).is_some_and(|name| params.iter().any(|param| param == name));
    let is_told = ["from", "to", "limit", "step"].into_iter().all(is_param)
        && text(history, "evidence").is_some_and(is_evidence)
        && text(history, "sort").is_some() == text(history, "oldest_first").is_some()
        && (text(history, "sort").is_none() || is_param("sort"));
    let keys = ["from", "to", "limit", "step", "sort", "oldest_first", "evidence"];
    let said = keys.iter().filter_map(|key| Some((key, text(history, key)?)));
    is_told.then(|| said.fold(Tree::map(), |tree, (key, text)| tree.with(key, text)))
}

/// Whether a limit has the catalogue's form.
fn is_limit(limit: &Value) -> bool {
    let is_number = |key: &str| {
        let number = limit.get(key).and_then(Value::as_u64);
        number.is_some_and(|number| number > 0 && u32::try_from(number).is_ok())
    };
    let is_absent = |key: &str| limit.get(key).is_none();
    let names = limit.get("endpoints").and_then(Value::as_sequence);
    let is_named = names.is_some_and(|names| !names.is_empty() && names.iter().all(Value::is_string));
    ["requests", "seconds"].into_iter().all(is_number)
        && (is_number("concurrent") || is_absent("concurrent"))
        && (is_absent("endpoints") || (is_named && is_absent("concurrent")))
        && text(limit, "name").is_some_and(is_line)
        && text(limit, "evidence").is_some_and(is_evidence)
        && limit.get("applies_to").is_none_or(|of| of.as_str().is_some_and(is_prose))
}

/// The text, or `unknown` if it is empty.
pub(super) fn or_unknown(said: String) -> String {
    if said.is_empty() || said == UNKNOWN_MEANING { "unknown".to_owned() } else { said }
}

pub(super) fn some(items: Vec<Tree>) -> Option<Vec<Tree>> {
    (!items.is_empty()).then_some(items)
}

fn ascii(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect()
}
