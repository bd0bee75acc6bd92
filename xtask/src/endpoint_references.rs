//! Finds uses of the client in pages, examples, programs and tests, so that `cargo xtask check` and `cargo xtask codegen`
//! can report names that the client does not have.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use catalogue::Api;
use catalogue::model::Group;
use catalogue::names::{self, Case, Scope, is_taken};
use codegen::File;

/// The names of folders in which hand-written code and pages do not use the client of our catalogue.
const SKIPPED: &[&str] = &["bench", "docs", "generated", "target"];

/// The text that Rust files contain if they use the client. It is joined, so that this file does not contain it.
const IMPORT: &str = concat!("generated_client", "::");

/// Commands of `derivs` whose first argument is an endpoint.
const VERBS: &[&str] = &["backfill", "describe", "get", "plot", "poll"];

/// The number of a line, and the name of an item that the line uses.
type Mention = (usize, String);

/// Returns the errors about endpoints that are not in the catalogue, and about names that the committed client has and
/// the emitted files no longer have; empty if no file below a folder uses any of them.
pub(crate) fn unknown(root: &Path, api: &Api, emitted: &[File]) -> String {
    let (mut pages, mut errors, known, removed) = (Vec::new(), String::new(), known(api), removed(root, emitted));
    collect(root, &mut pages);
    pages.sort();
    for path in pages {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if path.extension().is_some_and(|kind| kind == "rs") && !text.contains(IMPORT) {
            continue;
        }
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let defined: BTreeSet<String> = defined(&text).collect();
        let mut found = mentions(&text);
        found.retain(|(_, name)| !known.contains(name) && !defined.contains(&last(name)));
        let is_listed = |name: &str| found.iter().any(|(_, known)| last(known) == name);
        let others: Vec<_> = uses(&text, &removed).filter(|(_, name)| !is_listed(name)).collect();
        let endpoints = found.into_iter().map(|(line, name)| (line, format!("the catalogue has no endpoint `{name}`")));
        let others = others.into_iter().map(|(line, name)| (line, format!("the client no longer has `{name}`")));
        for (line, what) in endpoints.chain(others) {
            let shown = path.strip_prefix(root).unwrap_or(&path).display();
            errors += &format!(
                "error[unknown-name]: {what}\n  --> {shown}:{line}\n  = help: keep it, or use another one here\n"
            );
        }
    }
    errors
}

/// Returns the names in the client of the last commit that the emitted files do not contain; none without git.
fn removed(root: &Path, emitted: &[File]) -> BTreeSet<String> {
    let mut git = Command::new("git");
    git.args(["grep", "-h", "-e", "", "HEAD", "--", "generated-client/src/generated"]).current_dir(root);
    let committed = git.output().map(|output| output.stdout).unwrap_or_default();
    let new: BTreeSet<&str> = emitted.iter().flat_map(|file| words(&file.text)).collect();
    words(&String::from_utf8_lossy(&committed)).filter(|name| !new.contains(name)).map(str::to_owned).collect()
}

/// Returns the words of Rust code, without comments.
fn words(code: &str) -> impl Iterator<Item = &str> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| line.split(|character: char| !is_part_of_name(character)))
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Finds the names after a `.` or `::` that are in a set.
fn uses<'t>(text: &'t str, names: &'t BTreeSet<String>) -> impl Iterator<Item = Mention> + 't {
    text.lines().enumerate().flat_map(move |(index, line)| {
        let members = line.split(['.', ':']).skip(1).filter_map(|rest| rest.split(|c| !is_part_of_name(c)).next());
        members.filter(|name| names.contains(*name)).map(move |name| (index + 1, name.to_owned()))
    })
}

/// Adds the paths of all pages and Rust files.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            // An example with a catalogue of its own calls its own endpoints.
            let is_skipped = SKIPPED.contains(&name.as_ref()) || path.join("spec/service.yaml").is_file();
            if !is_skipped && !name.starts_with('.') {
                collect(&path, pages);
            }
        } else if name.ends_with(".md") && name != "CHANGELOG.md" || name.ends_with(".rs") {
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
    let end = text.find(|character| !is_part_of_name(character))?;
    Some((&text[..end], text[end..].strip_prefix(call)?))
}

/// Returns the names of groups, and of endpoints with a path, written as `ENDPOINT` or `GROUP.ENDPOINT`.
fn known(api: &Api) -> BTreeSet<String> {
    let of_group = |group: &Group| {
        let endpoints = group.methods().map(|endpoint| endpoint.ident.clone());
        let names = endpoints.flat_map(|ident| [format!("{}.{ident}", group.ident), ident]);
        names.chain([group.ident.clone()]).collect::<Vec<_>>()
    };
    api.groups.iter().flat_map(of_group).collect()
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

    /// Reads the first YAML block of a page as an endpoint of a catalogue with this `service.yaml`, and returns its errors;
    /// `None` if there are none.
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

    #[test]
    fn pages_and_examples_call_endpoints_that_exist() {
        let api = catalogue::read(&project_paths::own_spec()).unwrap_or_else(|errors| panic!("{errors}"));
        let emitted = codegen::emit(&api, &crate::crate_folder::CrateFolder::ours().package);
        assert_eq!(unknown(project_paths::root(), &api, &emitted), "");
    }
}
