//! Finds calls of endpoints in pages and examples for users, so that `cargo xtask check` can report calls of endpoints
//! that are not in the catalogue.

use std::fs;
use std::path::{Path, PathBuf};

use codegen::Api;
use codegen::names::{self, Case, Scope, is_taken};

/// The names of folders without pages for users.
const SKIPPED: &[&str] = &["bench", "docs", "programs", "src", "target", "tests"];

/// Commands of `derivs` whose first argument is an endpoint.
const VERBS: &[&str] = &["backfill", "describe", "get", "plot", "poll"];

/// The number of a line, and the name of an endpoint that the line calls.
type Mention = (usize, String);

/// Returns the errors about unknown endpoints in the pages and examples below a folder; empty if there are none.
pub(crate) fn unknown(root: &Path, api: &Api) -> String {
    let mut pages = Vec::new();
    collect(root, &mut pages);
    pages.sort();
    let mut errors = String::new();
    for path in pages {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let shown = path.strip_prefix(root).unwrap_or(&path).display();
        let is_new = |name: &str| defined(&text).any(|defined| name.split('.').next_back() == Some(&defined));
        for (line, name) in mentions(&text).into_iter().filter(|(_, name)| !is_known(api, name) && !is_new(name)) {
            errors += &format!("error[unknown-endpoint]: the catalogue has no endpoint `{name}`\n");
            errors += &format!(
                "  --> {shown}:{line}\n  = help: keep the endpoint in the catalogue, or use another endpoint here\n"
            );
        }
    }
    errors
}

/// Adds the paths of all pages, and of all programs in folders of examples.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let is_example = path.components().any(|part| part.as_os_str() == "examples");
        if path.is_dir() {
            let is_skipped = SKIPPED.contains(&name.as_ref()) && !(is_example && name == "src");
            // An example with a catalogue of its own calls its own endpoints.
            let is_skipped = is_skipped || path.join("spec/service.yaml").is_file();
            if !is_skipped && !name.starts_with('.') {
                collect(&path, pages);
            }
        } else if (name.ends_with(".md") && name != "CHANGELOG.md") || (name.ends_with(".rs") && is_example) {
            pages.push(path);
        }
    }
}

/// Finds the endpoints that a text calls with `client.group().endpoint(`, which may span lines, or with
/// `derivs VERB ENDPOINT`.
fn mentions(text: &str) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for (start, _) in text.match_indices("client") {
        let line = text[..start].matches('\n').count() + 1;
        let chain = method(&text[start + "client".len()..], "()").and_then(|(group, rest)| {
            let (endpoint, _) = method(rest, "(")?;
            // A call such as `client.builder()` calls a method of `Client`, not a group. The names of these methods are
            // reserved, so no group has such a name.
            (!is_taken(Scope::Groups, group)).then(|| format!("{group}.{endpoint}"))
        });
        mentions.extend(chain.map(|name| (line, name)));
    }
    for (index, line) in text.lines().enumerate() {
        let words: Vec<_> = line.split([' ', '`', '"']).collect();
        let calls = words.windows(3).filter(|words| words[0] == "derivs" && VERBS.contains(&words[1]));
        let names = calls.map(|words| words[2]).filter(|name| name.starts_with(|first: char| first.is_lowercase()));
        mentions.extend(names.map(|name| (index + 1, name.to_owned())));
    }
    mentions
}

/// Returns the method names of endpoints that a page defines in a YAML entry. The page may call these endpoints.
fn defined(text: &str) -> impl Iterator<Item = String> {
    let names = text.lines().filter_map(|line| line.trim_start().strip_prefix("- name: "));
    names.filter_map(|name| names::ident(name, Case::Snake).ok())
}

/// Returns the name of the method that is called at the start of a text, and the text after `call`, for example `()`.
fn method<'a>(text: &'a str, call: &str) -> Option<(&'a str, &'a str)> {
    let text = text.trim_start().strip_prefix('.')?;
    let end = text.find(|character: char| !character.is_alphanumeric() && character != '_')?;
    Some((&text[..end], text[end..].strip_prefix(call)?))
}

/// Reads the first YAML block of a page as an endpoint of a catalogue with this `service.yaml`, and returns its errors;
/// `None` if there are none.
pub(crate) fn errors_of_entry(page: &str, service: &str) -> Option<String> {
    let (_, block) = page.split_once("```yaml\n")?;
    let indent = block.len() - block.trim_start_matches(' ').len();
    let entry = block.split("```").next()?.lines().map(|line| format!("{}\n", line.get(indent..).unwrap_or_default()));
    let group = format!("title: Page\nsummary: The entry of a page.\nendpoints:\n{}", entry.collect::<String>());
    let catalogue = codegen::load_texts(&[("page.yaml", &group), ("service.yaml", service)]);
    codegen::resolve(&catalogue).err().map(|errors| errors.to_string())
}

/// Returns `true` if a name is a known group, or an endpoint with a path, written as `ENDPOINT` or `GROUP.ENDPOINT`.
fn is_known(api: &Api, name: &str) -> bool {
    api.groups.iter().any(|group| {
        let endpoints = group.methods().map(|endpoint| endpoint.ident.as_str());
        match name.split_once('.') {
            Some((of_group, name)) => of_group == group.ident && endpoints.into_iter().any(|ident| ident == name),
            None => name == group.ident || endpoints.into_iter().any(|ident| ident == name),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project_paths;

    #[test]
    fn calls_are_found_with_their_lines() {
        let text = "`derivs plot ratio.value --coin A`\nlet value = client\n    .ratio()\n    .now(1).await?;\nclient.builder().x();";
        let expected = [(2, "ratio.now".to_owned()), (1, "ratio.value".to_owned())];
        assert_eq!(mentions(text), expected);
    }

    #[test]
    fn entry_of_the_front_page_fits_the_service() {
        let read =
            |path: &str| fs::read_to_string(project_paths::root().join(path)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(errors_of_entry(&read("README.md"), &read("spec/service.yaml")), None);
        let other = "```yaml\n- name: A\n  path: a\n```";
        assert!(errors_of_entry(other, &read("spec/service.yaml")).is_some_and(|errors| errors.contains("path-start")));
    }

    #[test]
    fn pages_and_examples_call_endpoints_that_exist() {
        let api = codegen::read(&project_paths::spec()).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(unknown(project_paths::root(), &api), "");
    }
}
