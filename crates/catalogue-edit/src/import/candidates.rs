//! Notes about endpoints that may have a history or pages, with the lines to add. A description does not state whether
//! records are a time series, or whether a response has only a part of them, so the author decides.

use catalogue::spec::{Endpoint, Evidence, Known, Pages, Param, Text};
use heck::ToSnakeCase;
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::response_members::{Member, Members, ResponseMembers};
use super::schema_facts::type_of;
use crate::content::label;
use crate::editor::Editor;
use crate::history_params::history;
use crate::page_names::{LINKS, NUMBERS, OFFSETS, PAGE_COUNTS, SIZES, TOTALS, cursor_param, named, names_cursor};
use crate::pages::line;
use crate::word_lists::is_among;

/// The number of endpoints that the notes of one kind list.
const MAX_CANDIDATES: usize = 20;

impl<'d> DescriptionReader<'d> {
    /// Remembers the members of a successful response that are one value, beside its records.
    pub(super) fn note_members(&mut self, path: &str, operation: &'d Value) {
        let Some(schema) = self.document.success_schema(operation) else { return };
        let mut found = ResponseMembers::default();
        if let Some(resolved) = self.document.follow(schema) {
            found.has_list = type_of(resolved.value) == "array";
        }
        self.add_members(schema, "", &mut found);
        self.members.insert(path.to_owned(), found);
    }

    /// Adds the members of an object, and those of the objects in it, but not those of further objects.
    fn add_members(&self, schema: &'d Value, parent: &str, found: &mut ResponseMembers) {
        for property in self.document.properties(schema, "") {
            let key = property.name;
            let Some(resolved) = self.document.follow(property.schema) else { continue };
            // A key with a dot has no path.
            if key.contains(['.', '*']) || key.is_empty() {
                continue;
            }
            match type_of(resolved.value) {
                "array" => found.has_list = true,
                "object" if parent.is_empty() => self.add_members(resolved.value, &format!("{key}."), found),
                "object" => {}
                ty => {
                    let name = key.to_snake_case();
                    found.values.push(Member { path: format!("{parent}{key}"), name, is_text: ty == "string" });
                }
            }
        }
    }
}

/// Adds the notes for the endpoints of a new catalogue.
pub(super) fn note_candidates(editor: &mut Editor, members: &Members, evidence: Evidence) {
    let mut histories = Vec::new();
    let mut pages = Vec::new();
    for (at, endpoint) in editor.content.endpoints() {
        let params = editor.content.params_of(endpoint).unwrap_or_default();
        let name = label(&at, endpoint);
        if let Some(line) = history_line(editor, endpoint, &params, evidence) {
            histories.push(format!("`{name}` may have a history; if its records are a time series, add `{line}`"));
        }
        let Some(path) = endpoint.path.known() else { continue };
        let Some(response) = members.get(path.as_str()) else { continue };
        if !response.has_list {
            continue;
        }
        if let Some(line) = pages_line(endpoint, &params, &response.values) {
            pages.push(format!("`{name}` may have pages; if a response has only a part of its records, add {line}"));
        }
    }
    add_notes(editor, histories, "a history");
    add_notes(editor, pages, "pages");
}

/// Adds the first notes, and the number of the others.
fn add_notes(editor: &mut Editor, mut notes: Vec<String>, what: &str) {
    let others = notes.len().saturating_sub(MAX_CANDIDATES);
    notes.truncate(MAX_CANDIDATES);
    if others > 0 {
        notes.push(format!("{others} more endpoints may have {what}"));
    }
    editor.note_all(notes);
}

/// The line for the history of an endpoint, unless the endpoint, the service or the body decides about it.
fn history_line(editor: &Editor, endpoint: &Endpoint, params: &[Param], evidence: Evidence) -> Option<String> {
    if endpoint.history.is_some() || editor.content.service.history.is_some() {
        return None;
    }
    if let Known::Known(body) = &endpoint.body
        && body.object.is_some()
    {
        return None;
    }
    let found = history(params, &editor.content.service.types, evidence)?;
    let mut keys = Vec::new();
    for (key, param) in [("from", found.from), ("to", found.to), ("limit", found.limit), ("step", found.step)] {
        if let Some(param) = param {
            keys.push(format!("{key}: {}", param.as_str()));
        }
    }
    Some(format!("history: {{{}, evidence: {}}}", keys.join(", "), evidence.word()))
}

/// The line for the pages of an endpoint, in a code span, and what else has to change for it.
fn pages_line(endpoint: &Endpoint, params: &[Param], members: &[Member]) -> Option<String> {
    let body = endpoint.body.known();
    if endpoint.pages.is_some() || body.is_some_and(|body| body.ty.is_some()) {
        return None;
    }
    let candidate = PagesCandidate::find(params, members)?;
    let mut line = format!("`{}`", line(&candidate.pages));
    let mut uncounted = Vec::new();
    for param in candidate.counts {
        if param.ty.as_str() != "count" {
            uncounted.push(format!("`{}`", param.name));
        }
    }
    if !uncounted.is_empty() {
        line += &format!(", set `type: count` on {}", uncounted.join(" and "));
    }
    if body.is_none_or(|body| body.series.is_none()) {
        line += ", and describe the list of records as a `series`";
    }
    Some(line)
}

/// The pages that an endpoint may have.
#[derive(Debug)]
struct PagesCandidate<'p> {
    pages: Pages,
    /// The params that the client counts, so that their type has to be `count`.
    counts: Vec<&'p Param>,
}

impl<'p> PagesCandidate<'p> {
    fn find(params: &'p [Param], members: &[Member]) -> Option<Self> {
        let mut found = Self { pages: Pages::default(), counts: Vec::new() };
        let has_next = found.set_cursor(params, members)
            || found.set_offset(params, members)
            || found.set_page(params, members)
            || found.set_link(members);
        if !has_next {
            return None;
        }
        if let Some(size) = number(params, SIZES) {
            found.pages.size = Some(size.name.clone());
            found.counts.push(size);
        }
        Some(found)
    }

    fn set_cursor(&mut self, params: &[Param], members: &[Member]) -> bool {
        let cursor = members.iter().find(|member| member.is_text && names_cursor(&member.name));
        let Some(cursor) = cursor else { return false };
        self.pages.param = cursor_param(params, &cursor.name);
        if self.pages.param.is_some() {
            self.pages.cursor = Some(cursor.path());
        }
        self.pages.param.is_some()
    }

    fn set_offset(&mut self, params: &'p [Param], members: &[Member]) -> bool {
        let Some(offset) = number(params, OFFSETS) else { return false };
        self.pages.offset = Some(offset.name.clone());
        self.pages.total = path_of(members, TOTALS);
        self.counts.push(offset);
        true
    }

    fn set_page(&mut self, params: &'p [Param], members: &[Member]) -> bool {
        let Some(page) = number(params, NUMBERS) else { return false };
        self.pages.page = Some(page.name.clone());
        self.pages.pages = path_of(members, PAGE_COUNTS);
        if self.pages.pages.is_none() {
            self.pages.total = path_of(members, TOTALS);
        }
        self.counts.push(page);
        true
    }

    fn set_link(&mut self, members: &[Member]) -> bool {
        let link = members.iter().find(|member| member.is_text && is_among(LINKS, &member.name));
        self.pages.next = link.map(Member::path);
        link.is_some()
    }
}

/// The first param with one of these names, if it is a number and no time.
fn number<'p>(params: &'p [Param], words: &str) -> Option<&'p Param> {
    let mut named = named(params, words);
    named.retain(|param| param.const_value.is_none());
    let first = named.first()?;
    if ["count", "integer", "number"].contains(&first.ty.as_str()) { Some(first) } else { None }
}

/// The path of the first member with one of these names.
fn path_of(members: &[Member], words: &str) -> Option<Text> {
    let member = members.iter().find(|member| is_among(words, &member.name))?;
    Some(member.path())
}
