//! Finds names in pages, examples, programs and tests that the client does not have: endpoints that are not in the
//! catalogue, and other names that the client of the last commit has and the emitted files no longer have.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use catalogue::Api;
use catalogue::names::{self, Case, Scope, is_taken};
use codegen::File;

/// The names of folders in which hand-written code and pages do not use the client of our catalogue.
const SKIPPED: &[&str] = &["bench", "docs", "generated", "target"];

/// The text that Rust files contain if they use the client. It is joined, so that this file does not contain it.
const IMPORT: &str = concat!("generated_client", "::");

/// Commands of `derivs` whose first argument is an endpoint.
const VERBS: &[&str] = &["backfill", "describe", "get", "plot", "poll"];

/// A name that the client does not have, and the place that uses it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StaleName {
    /// The path of the file, relative to the project.
    pub(crate) path: PathBuf,
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// A name in a page or a program.
#[derive(Debug, PartialEq, Eq)]
struct Mention {
    line: usize,
    name: String,
}

/// Finds the stale names in all files of a project, sorted by path.
pub(crate) fn find(root: &Path, api: &Api, emitted: &[File]) -> Vec<StaleName> {
    let endpoints = endpoint_names(api);
    let removed = removed_names(root, emitted);
    let mut paths = Vec::new();
    collect(root, &mut paths);
    paths.sort();
    let mut stale = Vec::new();
    for path in paths {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if path.extension().is_some_and(|kind| kind == "rs") && !text.contains(IMPORT) {
            continue;
        }
        let path = path.strip_prefix(root).unwrap_or(&path);
        for Mention { line, name } in unknown_endpoints(&text, &endpoints) {
            let message = format!("the catalogue has no endpoint `{name}`");
            stale.push(StaleName { path: path.to_owned(), line, message });
        }
        for Mention { line, name } in members(&text, &removed) {
            if !is_of_stale_endpoint(&stale, path, &name) {
                let message = format!("the client no longer has `{name}`");
                stale.push(StaleName { path: path.to_owned(), line, message });
            }
        }
    }
    stale
}

/// The text of warnings or errors about stale names; `level` is the word at their beginning.
pub(crate) fn text(stale: &[StaleName], level: &str) -> String {
    let mut text = String::new();
    for StaleName { path, line, message } in stale {
        let path = path.display();
        text += &format!(
            "{level}[unknown-name]: {message}\n  --> {path}:{line}\n  = help: keep it, or use another one here\n"
        );
    }
    text
}

/// `true` if the name of a method is already reported as an endpoint of this file.
fn is_of_stale_endpoint(stale: &[StaleName], path: &Path, name: &str) -> bool {
    for known in stale {
        let message = known.message.as_str();
        let is_named = message.ends_with(&format!("`{name}`")) || message.ends_with(&format!(".{name}`"));
        if known.path == path && is_named {
            return true;
        }
    }
    false
}

/// The endpoints that a text calls and that neither the catalogue nor a YAML entry in the text defines.
fn unknown_endpoints(text: &str, known: &BTreeSet<String>) -> Vec<Mention> {
    let defined = defined_endpoints(text);
    let mut unknown = endpoint_mentions(text);
    unknown.retain(|Mention { name, .. }| {
        let method = name.rsplit('.').next().unwrap_or(name);
        !known.contains(name) && !defined.contains(method)
    });
    unknown
}

/// The names in the client of the last commit that the emitted files do not contain; none without git.
fn removed_names(root: &Path, emitted: &[File]) -> BTreeSet<String> {
    let mut git = Command::new("git");
    git.args(["grep", "-h", "-e", "", "HEAD", "--", "generated-client/src/generated"]).current_dir(root);
    let committed = git.output().map(|output| output.stdout).unwrap_or_default();
    let mut new = BTreeSet::new();
    for file in emitted {
        new.extend(words(&file.text));
    }
    let committed = String::from_utf8_lossy(&committed);
    let mut removed = BTreeSet::new();
    for name in words(&committed) {
        if !new.contains(name) {
            removed.insert(name.to_owned());
        }
    }
    removed
}

/// The words of Rust code, without comments.
fn words(code: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for line in code.lines() {
        if !line.trim_start().starts_with("//") {
            words.extend(line.split(|character: char| !is_part_of_name(character)));
        }
    }
    words
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Finds the names after a `.` or `::` that are in a set.
fn members(text: &str, names: &BTreeSet<String>) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for member in line.split(['.', ':']).skip(1) {
            let end = member.find(|character| !is_part_of_name(character)).unwrap_or(member.len());
            let name = &member[..end];
            if names.contains(name) {
                mentions.push(Mention { line: index + 1, name: name.to_owned() });
            }
        }
    }
    mentions
}

/// Adds the paths of all pages and Rust files.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            // An example with a catalogue of its own calls its own endpoints.
            let is_skipped = SKIPPED.contains(&name.as_str()) || path.join("spec/service.yaml").is_file();
            if !is_skipped && !name.starts_with('.') {
                collect(&path, paths);
            }
            continue;
        }
        match path.extension().and_then(OsStr::to_str) {
            Some("md") if name != "CHANGELOG.md" => paths.push(path),
            Some("rs") => paths.push(path),
            _ => {}
        }
    }
}

/// Finds the endpoints that a text calls with `client.group().endpoint(`, which may span lines, or with
/// `derivs VERB ENDPOINT`.
fn endpoint_mentions(text: &str) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for (start, client) in text.match_indices("client") {
        if let Some(name) = called_endpoint(&text[start + client.len()..]) {
            mentions.push(Mention { line: text[..start].matches('\n').count() + 1, name });
        }
    }
    for (index, line) in text.lines().enumerate() {
        let words: Vec<_> = line.split([' ', '`', '"']).collect();
        for call in words.windows(3) {
            let [program, verb, name] = call else { continue };
            if *program == "derivs" && VERBS.contains(verb) && may_be_endpoint(name) {
                mentions.push(Mention { line: index + 1, name: (*name).to_owned() });
            }
        }
    }
    mentions
}

/// `true` if an argument can be an endpoint, and is neither an option nor a file or folder.
fn may_be_endpoint(argument: &str) -> bool {
    let is_name = argument.chars().all(|character| is_part_of_name(character) || character == '.');
    let is_file = [".csv", ".jsonl", ".parquet"].iter().any(|end| argument.ends_with(end));
    argument.starts_with(|first: char| first.is_lowercase()) && is_name && !is_file
}

/// The endpoint that the code after `client` calls.
fn called_endpoint(code: &str) -> Option<String> {
    let (group, rest) = method(code, "()")?;
    let (endpoint, _) = method(rest, "(")?;
    // A call such as `client.builder()` calls a method of `Client`, not a group. The names of these methods are reserved,
    // so no group has such a name.
    if is_taken(Scope::Groups, group) { None } else { Some(format!("{group}.{endpoint}")) }
}

/// The method names of endpoints that a page defines in a YAML entry. The page may call these endpoints.
fn defined_endpoints(text: &str) -> BTreeSet<String> {
    let mut defined = BTreeSet::new();
    for line in text.lines() {
        if let Some(name) = line.trim_start().strip_prefix("- name: ") {
            defined.extend(names::ident(name, Case::Snake));
        }
    }
    defined
}

/// The name of the method that is called at the start of a text, and the text after `call`, for example `()`.
fn method<'a>(text: &'a str, call: &str) -> Option<(&'a str, &'a str)> {
    let text = text.trim_start().strip_prefix('.')?;
    let end = text.find(|character| !is_part_of_name(character))?;
    Some((&text[..end], text[end..].strip_prefix(call)?))
}

/// The names of groups, and of endpoints with a path, written as `ENDPOINT` or `GROUP.ENDPOINT`.
fn endpoint_names(api: &Api) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for group in &api.groups {
        names.insert(group.ident.clone());
        for endpoint in group.methods() {
            names.insert(format!("{}.{}", group.ident, endpoint.ident));
            names.insert(endpoint.ident.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project_paths;

    #[test]
    fn calls_are_found_with_their_lines() {
        let text = "`derivs plot ratio.value --coin A`\nlet value = client\n    .ratio()\n    .now(1).await?;\nclient.builder().x();";
        let expected = [(2, "ratio.now"), (1, "ratio.value")];
        let expected = expected.map(|(line, name)| Mention { line, name: name.to_owned() });
        assert_eq!(endpoint_mentions(text), expected);
    }

    /// Reads the first YAML block of a page as an endpoint of a catalogue with this `service.yaml`, and returns its
    /// errors; `None` if there are none.
    fn errors_of_entry(page: &str, service: &str) -> Option<String> {
        let (_, block) = page.split_once("```yaml\n")?;
        let indent = block.len() - block.trim_start_matches(' ').len();
        let entry =
            block.split("```").next()?.lines().map(|line| format!("{}\n", line.get(indent..).unwrap_or_default()));
        let group = format!("title: Page\nsummary: The entry of a page.\nendpoints:\n{}", entry.collect::<String>());
        let catalogue = catalogue::load_texts(&[("page.yaml", &group), ("service.yaml", service)]);
        catalogue::resolve(&catalogue).err().map(|errors| errors.render("", false))
    }

    #[test]
    fn entry_of_the_front_page_fits_the_service() {
        let read =
            |path: &str| fs::read_to_string(project_paths::root().join(path)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(errors_of_entry(&read("README.md"), &read("spec/service.yaml")), None);
        let other = "```yaml\n- name: A\n  path: a\n```";
        assert!(errors_of_entry(other, &read("spec/service.yaml")).is_some_and(|errors| errors.contains("path-start")));
    }
}
