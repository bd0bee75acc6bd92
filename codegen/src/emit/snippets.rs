//! Emits a request of an endpoint in each way in which users send it: Rust, the command line, Python and curl.
//!
//! All of them send the same values: a sample of each required param, and of each optional one that the catalogue marks
//! for examples.

mod rust;

use std::collections::HashMap;

use catalogue::model::{Api, Endpoint, Group, KeyCarrier, Param};
use wording::ParamNames;

use super::Package;
use super::command_names::{EndpointNames, param_names};
use super::json_object::quoted;
use super::package::Program;
use super::requests::{sample, sample_path};

/// A request in one language.
pub(super) struct Snippet {
    /// The language, as users call it.
    pub(super) title: &'static str,
    /// The language of the text, as OpenAPI viewers and Markdown name it.
    pub(super) language: &'static str,
    pub(super) text: String,
}

/// The snippets of all endpoints. Several documents show them, so each is composed once.
pub(super) struct Snippets<'a> {
    /// By the name of the group, and the name of the endpoint.
    groups: HashMap<&'a str, HashMap<&'a str, Vec<Snippet>>>,
}

impl<'a> Snippets<'a> {
    pub(super) fn of(api: &'a Api, package: &Package) -> Self {
        let names = EndpointNames::of(api);
        let params = param_names(api);
        let mut groups = HashMap::new();
        for group in &api.groups {
            let mut endpoints = HashMap::new();
            for endpoint in group.methods() {
                let mut snippets = vec![rust(api, package, group, endpoint)];
                if let Some(program) = &package.program {
                    let name = names.shortest(group, endpoint);
                    snippets.push(command(api, program, &name, &params, endpoint));
                    if program.has_python_module {
                        snippets.push(python_call(api, program, &name, &params, endpoint));
                    }
                }
                snippets.push(curl(api, group, endpoint));
                endpoints.insert(endpoint.ident.as_str(), snippets);
            }
            groups.insert(group.ident.as_str(), endpoints);
        }
        Self { groups }
    }

    /// The snippets of an endpoint, first that in Rust.
    pub(super) fn get(&self, group: &Group, endpoint: &Endpoint) -> &[Snippet] {
        if let Some(endpoints) = self.groups.get(group.ident.as_str())
            && let Some(snippets) = endpoints.get(endpoint.ident.as_str())
        {
            return snippets;
        }
        &[]
    }
}

impl Snippet {
    /// The language as the fence of a code block in Markdown.
    pub(super) fn fence(&self) -> &'static str {
        // The doctests of the client compile a program in Rust, and do not run it.
        if self.language == "rust" { "rust,no_run" } else { self.language }
    }
}

/// A complete program that sends a request and prints the response.
fn rust(api: &Api, package: &Package, group: &Group, endpoint: &Endpoint) -> Snippet {
    Snippet { title: "Rust", language: "rust", text: rust::program(api, package, group, endpoint) }
}

fn command(api: &Api, program: &Program, name: &str, params: &ParamNames, endpoint: &Endpoint) -> Snippet {
    let mut text = format!("{} get {}", program.name, shell_word(name));
    for (param, value) in sent_values(api, endpoint) {
        if param.declared.const_value.is_none() {
            text.push_str(&format!(" --{} {}", params.option(&param.declared.name), shell_word(&value)));
        }
    }
    Snippet { title: "Command line", language: "shell", text: text + "\n" }
}

fn python_call(api: &Api, program: &Program, name: &str, params: &ParamNames, endpoint: &Endpoint) -> Snippet {
    let module = &program.name;
    let mut arguments = vec![quoted(name)];
    for (param, value) in sent_values(api, endpoint) {
        if param.declared.const_value.is_none() {
            arguments.push(format!("{}={}", params.python_argument(&param.declared.name), quoted(&value)));
        }
    }
    let text = format!("import {module}\n\nprint({module}.get({}))\n", arguments.join(", "));
    Snippet { title: "Python", language: "python", text }
}

/// The command of curl reads the base URL and the key from the variables that the client reads.
fn curl(api: &Api, group: &Group, endpoint: &Endpoint) -> Snippet {
    let service = &api.service;
    let prefix = &service.declared.env_prefix;
    let path = sample_path(api, endpoint);
    let mut query = Vec::new();
    for (param, value) in sent_values(api, endpoint) {
        if !param.in_path() {
            query.push(format!("--data-urlencode {}", shell_word(&format!("{}={value}", param.declared.name))));
        }
    }
    let quoted_path = shell_word(&path);
    let base_url = api.base_url_variable(group.base_url.as_ref());
    let url =
        if quoted_path == path { format!("\"${base_url}{path}\"") } else { format!("\"${base_url}\"{quoted_path}") };
    let mut lines = vec![format!("curl --get {url}")];
    if let Some(key) = &service.api_key {
        lines.push(match &key.carrier {
            KeyCarrier::Header { name, prefix: before } => format!("--header \"{name}: {before}${prefix}_API_KEY\""),
            KeyCarrier::Basic => format!("--user \"${prefix}_API_KEY\""),
            KeyCarrier::Query(name) => format!("--data-urlencode \"{name}=${prefix}_API_KEY\""),
        });
    }
    for header in &service.declared.headers {
        lines.push(format!("--header {}", shell_word(&format!("{}: {}", header.name, header.value))));
    }
    lines.extend(query);
    Snippet { title: "curl", language: "shell", text: lines.join(" \\\n    ") + "\n" }
}

/// The params that the example of an endpoint sends, with the text that is sent.
fn sent_values<'a>(api: &'a Api, endpoint: &'a Endpoint) -> Vec<(&'a Param, String)> {
    let mut values = Vec::new();
    for param in endpoint.known_params() {
        if let Some(value) = &param.declared.const_value {
            values.push((param, value.to_string()));
        } else if param.is_in_examples() {
            values.push((param, sample(api, param, param.passing()).wire));
        }
    }
    values
}

/// Quotes a word for a shell, if it has characters that a shell interprets.
fn shell_word(text: &str) -> String {
    if !text.is_empty() && text.chars().all(is_plain_in_shell) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn is_plain_in_shell(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-_./:,=+@".contains(character)
}
