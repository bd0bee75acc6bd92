//! The state of the conversion of a description to a draft. The other files of this folder add the steps.

use std::collections::{HashMap, HashSet};

use catalogue::spec::{Evidence, Service};
use catalogue::{is_invisible, url_path};
use serde_yaml::Value;

use super::document::{Document, Resolved};
use super::header_params::HeaderParams;
use super::omissions::{Omissions, Weight};
use super::options::Import;
use super::response_members::Members;
use super::server_address::{OtherServer, ServerAddress};
use super::tree::text;
use crate::content::Content;
use crate::draft::{Draft, DraftOrigin};

/// The state of the conversion.
pub(super) struct DescriptionReader<'d> {
    pub(super) document: &'d Document,
    pub(super) options: &'d Import,
    pub(super) draft: Draft,
    pub(super) omissions: Omissions,
    /// The catalogue before the import.
    pub(super) catalogue: Content,
    /// The suffix of every base URL, as a path.
    pub(super) base_url_suffix: String,
    /// The server of the service.
    pub(super) server: Option<ServerAddress>,
    /// The servers on other hosts whose endpoints are imported too.
    pub(super) other_servers: Vec<OtherServer>,
    /// The path of the description's server. It precedes the path of each operation.
    pub(super) server_path: String,
    /// The paths that were read so far, without the names of their params.
    pub(super) path_templates: HashSet<String>,
    /// The names of the base URLs of known and read paths, without the names of params; `None` is that of the service.
    pub(super) path_hosts: HashMap<String, Option<String>>,
    /// The headers that operations send: those with one value, and the one that carries a key.
    pub(super) headers: HeaderParams,
    /// The members of the response of each path, beside its records.
    pub(super) members: Members,
    /// The provisional names of named types by their values.
    pub(super) types_by_values: HashMap<Vec<String>, Vec<String>>,
    /// The indices of records by their paths or references.
    pub(super) records: HashMap<String, usize>,
    /// The indices of the records whose fields are being read, the innermost last.
    pub(super) open_records: Vec<usize>,
    /// The number of open records at the start of the innermost list or map.
    pub(super) open_around_list: usize,
    /// The number of schemas between the innermost open record and the current schema.
    pub(super) schemas_in_record: usize,
}

impl<'d> DescriptionReader<'d> {
    /// Starts a conversion. A host in the options that no server has is an error.
    pub(super) fn new(document: &'d Document, options: &'d Import) -> Result<Self, String> {
        let mut reader = Self {
            document,
            options,
            draft: Draft::new(DraftOrigin::Description),
            omissions: Omissions::default(),
            catalogue: Content::default(),
            base_url_suffix: String::new(),
            server: None,
            other_servers: Vec::new(),
            server_path: String::new(),
            path_templates: HashSet::new(),
            path_hosts: HashMap::new(),
            headers: HeaderParams::default(),
            members: Members::new(),
            types_by_values: HashMap::new(),
            records: HashMap::new(),
            open_records: Vec::new(),
            open_around_list: 0,
            schemas_in_record: 0,
        };
        reader.server = reader.imported_server()?;
        Ok(reader)
    }

    /// Sets the catalogue on which the operations of the description depend.
    pub(super) fn set_catalogue(&mut self, catalogue: &Content, described: &Service) {
        self.catalogue = catalogue.clone();
        catalogue.service.base_url_suffix().clone_into(&mut self.base_url_suffix);
        described.base_url_suffix().clone_into(&mut self.server_path);
        // If the catalogue has no suffix and its paths do not include the server's path, the server's path is the suffix.
        if self.base_url_suffix.is_empty() && !self.has_path_below_server() {
            self.base_url_suffix.clone_from(&self.server_path);
        }
        self.set_other_servers();
        for group in catalogue.groups.values() {
            let host = group.base_url.as_ref().map(|base_url| base_url.name.to_string());
            for endpoint in &group.endpoints {
                if let Some(path) = endpoint.path.known() {
                    self.path_hosts.insert(url_path::template(path), host.clone());
                }
            }
        }
    }

    /// `true` if a path of the catalogue includes the server's path.
    fn has_path_below_server(&self) -> bool {
        let start = format!("{}/", self.server_path);
        for (_, endpoint) in self.catalogue.endpoints() {
            if let Some(path) = endpoint.path.known()
                && path.starts_with(&start)
            {
                return true;
            }
        }
        false
    }

    /// Resolves references. A reference without a definition is noted.
    pub(super) fn resolve(&mut self, value: &'d Value, pointer: &str) -> Option<Resolved<'d>> {
        let resolved = self.document.follow(value);
        if let (None, Some(reference)) = (resolved, text(value, "$ref")) {
            let why = format!("`$ref: {reference}`, which leads to no definition");
            self.omissions.add(Weight::Missing, why, pointer);
        }
        resolved
    }

    /// The first paragraph of the text under one of these keys, if summaries are imported; otherwise an empty text.
    pub(super) fn summary(&self, value: &Value, keys: &[&str]) -> String {
        if !self.options.summaries {
            return String::new();
        }
        for key in keys {
            for paragraph in text(value, key).unwrap_or_default().split("\n\n") {
                let visible = visible_words(paragraph);
                if visible.is_empty() {
                    continue;
                }
                // In our own export, notes follow the sources, so a paragraph after them is no summary either.
                return if is_source(&visible) { String::new() } else { visible };
            }
        }
        String::new()
    }
}

/// The words of a paragraph on one line, without invisible characters.
fn visible_words(paragraph: &str) -> String {
    let mut visible = paragraph.to_owned();
    visible.retain(|character| character.is_whitespace() || !is_invisible(character));
    let words: Vec<&str> = visible.split_whitespace().collect();
    words.join(" ")
}

/// `true` if a paragraph states sources, as in our own export: `In percent, reported. Undocumented: the order.`
fn is_source(paragraph: &str) -> bool {
    let first = paragraph.split(". ").next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    let source = first.rsplit(", ").next().unwrap_or_default().replace(' ', "_");
    first.starts_with("undocumented: ") || Evidence::of(&source).is_some()
}
