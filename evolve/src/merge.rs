//! Merges a draft into a catalogue: new endpoints are added, and unknown parts of known endpoints are filled in. Known
//! facts are preserved, and each contradiction to a known fact is noted.

mod bodies;
mod contradictions;
mod draft_names;
mod name_index;
mod params;
mod setters;
mod values;

use std::collections::{BTreeMap, HashMap, HashSet};

use codegen::catalogue_format::GROUP;
use codegen::spec::ENDPOINT;
use codegen::url_path::template;

use crate::editor::Editor;
use crate::rust_names::ident_of;
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;
use draft_names::{ClientNames, NewNames};
pub(crate) use name_index::Index;
use setters::Setters;
pub(crate) use values::{add_values, is_within};

/// New facts, written as a separate catalogue, in which types and records have provisional names with numbers.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) editor: Editor,
    /// The names that the drafted types and records should get.
    pub(crate) names: BTreeMap<String, WantedName>,
    /// Known lists of fields, with types that were widened. These lists replace the lists in the catalogue.
    pub(crate) lists: BTreeMap<YamlPath, Vec<Tree>>,
    pub(crate) source: Source,
}

/// The origin of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// An OpenAPI description, which lists all params and fields of an endpoint. If a name is already in use, another
    /// name is chosen.
    Description,
    /// User input. Names are not changed.
    Person,
    /// Responses, which may lack some of the fields. New types, records and fields are noted.
    Responses,
}

/// The name that a type or record should get.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedName {
    pub(crate) name: String,
    /// The name of the field or endpoint that contains the type or record. If `name` is in use, `owner` is prepended to
    /// `name`.
    pub(crate) owner: String,
    /// `true` if the user chose the name. The drafted type is then merged into the known type with this name, even if
    /// the two have no value in common.
    pub(crate) is_chosen: bool,
}

/// Merges a draft into a catalogue.
pub(crate) fn merge(editor: &mut Editor, draft: &Draft) {
    let mut merger = Merger {
        known: Index::of(editor),
        source: Index::of(&draft.editor),
        setters: Setters::of(editor),
        client: ClientNames::of(editor),
        names: NewNames::default(),
        compared: HashSet::new(),
        editor,
        draft,
    };
    let pairs = merger.pairs();
    let idents = merger.name_endpoints(&pairs);
    // Gaps are determined before the first edit, because an edit fills gaps.
    let gaps: Vec<Gap> = pairs.into_iter().map(|(new, known)| merger.gap(new, known)).collect();
    merger.name_types_and_records(&gaps);
    merger.write_shared_params(&gaps);
    merger.write_records();
    merger.note_metadata();
    merger.write_metadata();
    merger.write_lists();
    let mut added: BTreeMap<String, Vec<Tree>> = BTreeMap::new();
    for (gap, ident) in gaps.iter().zip(idents) {
        match &gap.known {
            Some(known) => {
                merger.complete(known, gap);
                merger.note_contradictions(known, gap);
            }
            None => added.entry(gap.new.file.clone()).or_default().push(merger.endpoint(gap, ident)),
        }
    }
    merger.write_groups(added);
}

/// Returns all endpoints of the catalogue, each with its YAML path.
pub(crate) fn endpoints(editor: &Editor) -> Vec<(YamlPath, &Tree)> {
    editor.groups().flat_map(|file| YamlPath::file(file).key("endpoints").items(editor)).collect()
}

/// Returns the value of a key, unless it is missing or `unknown`.
fn known_value<'t>(tree: &'t Tree, key: &str) -> Option<&'t Tree> {
    tree.get(key).filter(|value| value.as_text() != Some("unknown"))
}

/// Returns the text of a key, unless it is missing or `unknown`.
pub(crate) fn known_text<'t>(tree: &'t Tree, key: &str) -> Option<&'t str> {
    known_value(tree, key).and_then(Tree::as_text)
}

/// The path of an endpoint in the draft (`new`) and, if the catalogue has the endpoint, in the catalogue (`known`).
/// `params` is `true` if the draft contains the params and the catalogue does not; the same applies to `body`.
#[derive(Debug)]
struct Gap {
    new: YamlPath,
    known: Option<YamlPath>,
    params: bool,
    body: bool,
}

impl Gap {
    /// Returns the file to which the records of the endpoint are written.
    fn file(&self) -> &str {
        &self.known.as_ref().unwrap_or(&self.new).file
    }
}

struct Merger<'a> {
    editor: &'a mut Editor,
    draft: &'a Draft,
    /// The catalogue before the first edit.
    known: Index,
    source: Index,
    client: ClientNames,
    names: NewNames,
    setters: Setters,
    /// The records of the catalogue and the draft that were already compared with each other.
    compared: HashSet<(YamlPath, YamlPath)>,
}

impl Merger<'_> {
    /// Returns every endpoint of the draft, and for each the known endpoint with the same path, if there is one. A
    /// known endpoint without a path is found by its name.
    fn pairs(&self) -> Vec<(YamlPath, Option<YamlPath>)> {
        let path = |endpoint: &Tree| known_text(endpoint, "path").map(template);
        let (mut by_path, mut by_name) = (HashMap::new(), HashMap::new());
        for (at, endpoint) in endpoints(self.editor) {
            match path(endpoint) {
                Some(path) => drop(by_path.insert(path, at)),
                None => drop(by_name.insert((at.file.clone(), ident_of(endpoint)), at)),
            }
        }
        let pair = |(new, endpoint): (YamlPath, &Tree)| {
            let known = path(endpoint).and_then(|path| by_path.get(&path).cloned());
            // The entry is removed, so that only one endpoint of the draft completes the known endpoint.
            let known = known.or_else(|| by_name.remove(&(new.file.clone(), ident_of(endpoint))));
            (new, known)
        };
        endpoints(&self.draft.editor).into_iter().map(pair).collect()
    }

    fn gap(&self, new: YamlPath, known: Option<YamlPath>) -> Gap {
        let is_drafted = |key: &str| known_value(new.tree(&self.draft.editor), key).is_some();
        let here = known.as_ref().map(|known| known.tree(self.editor));
        // A description without params does not prove that there are none, so unknown params stay unknown.
        let lists_params =
            self.draft.source != Source::Description || !new.tree(&self.draft.editor).entries("params").is_empty();
        let is_open = |here: &Tree| lists_params && known_value(here, "params").is_none();
        let params = is_drafted("params") && here.is_none_or(is_open);
        let body = is_drafted("body") && here.is_none_or(|here| self.is_body_open(here, &new));
        Gap { new, known, params, body }
    }

    /// Fills in the unknown parts of an endpoint.
    fn complete(&mut self, known: &YamlPath, gap: &Gap) {
        let here = known.tree(self.editor).clone();
        let new = gap.new.tree(&self.draft.editor);
        let mut evidence = here.text("evidence").unwrap_or_default().to_owned();
        if let (None, Some(path)) = (known_text(&here, "path"), known_text(new, "path")) {
            // The endpoint gets the evidence of the new path. Its own params and its body keep the old evidence.
            let own = std::mem::replace(&mut evidence, new.text("evidence").unwrap_or_default().to_owned());
            let params =
                known.key("params").items(self.editor).into_iter().filter(|(_, param)| param.get("use").is_none());
            let inheriting = params.map(|(at, _)| at).chain([known.key("body")]).filter(|at| {
                let tree = at.tree(self.editor);
                own != evidence && matches!(tree, Tree::Map(_)) && tree.get("evidence").is_none()
            });
            for at in inheriting.collect::<Vec<_>>() {
                self.editor.set(&at, "evidence", own.as_str());
            }
            self.editor.set(known, "path", path);
            self.editor.set(known, "evidence", evidence.as_str());
            let name = here.text("name").unwrap_or_default();
            self.editor.note(format!("the path of `{name}` was unknown and is now set"));
            if !gap.params {
                let in_path = self.new_params_in_path(known, &gap.new);
                self.editor.extend(&known.key("params"), in_path);
            }
        }
        if let (None, Some(summary)) = (known_text(&here, "summary"), known_text(new, "summary")) {
            self.editor.set(known, "summary", summary);
        }
        if gap.params {
            let params = self.params(&gap.new, &evidence);
            self.editor.set(known, "params", params);
        }
        if gap.body {
            let mut body = self.body(&gap.new, here.get("body"), &evidence);
            self.keep_time(&here, &mut body, gap);
            self.editor.set(known, "body", body);
        }
        // An endpoint with a path needs all keys, so a missing key is set to `unknown`.
        for key in ["params", "body"] {
            let here = known.tree(self.editor);
            if here.get(key).is_none() && known_text(here, "path").is_some() {
                self.editor.set(known, key, "unknown");
            }
        }
    }

    /// Returns the entry for a new endpoint, with names that are valid in the catalogue.
    fn endpoint(&mut self, gap: &Gap, ident: Option<String>) -> Tree {
        let mut tree = gap.new.tree(&self.draft.editor).clone();
        let evidence = tree.text("evidence").unwrap_or_default().to_owned();
        tree.set(&ENDPOINT, "rust_name", ident);
        if gap.params {
            let params = self.params(&gap.new, &evidence);
            tree.set(&ENDPOINT, "params", Some(params));
        }
        let body = self.body(&gap.new, None, &evidence);
        tree.set(&ENDPOINT, "body", Some(body));
        tree
    }

    fn write_groups(&mut self, mut added: BTreeMap<String, Vec<Tree>>) {
        for file in self.draft.editor.groups() {
            let endpoints = added.remove(file).unwrap_or_default();
            let drafted = self.draft.editor.tree(file);
            if self.editor.tree(file).get("title").is_some() {
                self.editor.extend(&YamlPath::file(file).key("endpoints"), endpoints);
            } else if !endpoints.is_empty() || drafted.entries("endpoints").is_empty() {
                // Adds a new group, unless all of its endpoints are already in other groups. The file may already contain
                // the records of the group, because `write_records` runs first.
                let records = self.editor.tree(file).entries("records").to_vec();
                let mut head = drafted.clone();
                head.set(GROUP, "records", (!records.is_empty()).then_some(records));
                head.set(GROUP, "endpoints", Some(endpoints));
                self.editor.create(file, head);
            }
        }
    }
}
