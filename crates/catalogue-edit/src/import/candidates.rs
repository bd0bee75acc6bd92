//! Notes about endpoints that may have a history or pages, with the lines to add. A description does not state whether
//! records are a time series, or whether a response has only a part of them, so the author decides.

use std::collections::HashMap;

use catalogue::spec::{Endpoint, Evidence, Param};
use heck::ToSnakeCase;
use serde_yaml::Value;

use super::Reader;
use super::bodies::{json_of, success_response};
use super::schemas::type_of;
use crate::content::label;
use crate::editor::Editor;
use crate::history_params::history;

/// The number of endpoints that the notes of one kind list.
const MAX_CANDIDATES: usize = 20;

/// The names of params and of members of a response that divide records into pages, in snake case.
const CURSOR_PARAMS: [&str; 7] =
    ["continuation_token", "cursor", "next_cursor", "next_page_token", "next_token", "page_cursor", "page_token"];
const CURSOR_MEMBERS: [&str; 9] = [
    "continuation_token",
    "cursor",
    "end_cursor",
    "next",
    "next_cursor",
    "next_page_cursor",
    "next_page_token",
    "next_token",
    "page_token",
];
const LINK_MEMBERS: [&str; 5] = ["next", "next_link", "next_page", "next_page_url", "next_url"];
const OFFSET_PARAMS: [&str; 4] = ["offset", "skip", "start_index", "starting_index"];
const PAGE_PARAMS: [&str; 5] = ["page", "page_index", "page_no", "page_num", "page_number"];
const SIZE_PARAMS: [&str; 7] = ["count", "limit", "max_results", "page_limit", "page_size", "per_page", "size"];
const PAGES_MEMBERS: [&str; 5] = ["last_page", "num_pages", "page_count", "pages", "total_pages"];
const TOTAL_MEMBERS: [&str; 5] = ["total", "total_count", "total_items", "total_records", "total_results"];

/// A member of a response that is one value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The JSON path of the value.
    path: String,
    /// The last key of the path, in snake case.
    name: String,
    is_text: bool,
}

/// The members of a response beside its records.
#[derive(Clone, Debug)]
pub(super) struct ResponseMembers {
    values: Vec<Member>,
    /// `true` if the response is a list, or has one among its members.
    has_list: bool,
}

/// The members of the response of each path.
pub(super) type Members = HashMap<String, ResponseMembers>;

impl<'d> Reader<'d> {
    /// Remembers the members of a successful response that are one value, beside its records.
    pub(super) fn note_members(&mut self, path: &str, operation: &'d Value) {
        let Some(schema) = self.success_schema(operation) else { return };
        let has_list = self.document.follow(schema).is_some_and(|(schema, _)| type_of(schema) == "array");
        let mut found = ResponseMembers { has_list, values: Vec::new() };
        self.add_members(schema, "", &mut found);
        self.members.insert(path.to_owned(), found);
    }

    fn success_schema(&self, operation: &'d Value) -> Option<&'d Value> {
        let (_, response) = success_response(operation.get("responses")?)?;
        let (response, _) = self.document.follow(response)?;
        let (_, content) = json_of(response)?;
        self.document.follow(content)?.0.get("schema")
    }

    /// Adds the members of an object, and those of the objects in it, but not those of further objects.
    fn add_members(&self, schema: &'d Value, parent: &str, found: &mut ResponseMembers) {
        for (key, property, _, _) in self.document.properties(schema, "") {
            let Some((property, _)) = self.document.follow(property) else { continue };
            // A key with a dot has no path.
            if key.contains(['.', '*']) || key.is_empty() {
                continue;
            }
            match type_of(property) {
                "array" => found.has_list = true,
                "object" if parent.is_empty() => self.add_members(property, &format!("{key}."), found),
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
    for (at, endpoint) in editor.endpoints() {
        let params = editor.params_of(endpoint).unwrap_or_default();
        let name = label(&at, endpoint);
        if let Some(line) = history_line(editor, endpoint, &params, evidence) {
            histories.push(format!("`{name}` may have a history; if its records are a time series, add `{line}`"));
        }
        let response = endpoint.path.known().and_then(|path| members.get(path.as_str()));
        let Some(response) = response.filter(|response| response.has_list) else { continue };
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

/// Returns the line for the history of an endpoint, unless the endpoint, the service or the body decides about it.
fn history_line(editor: &Editor, endpoint: &Endpoint, params: &[Param], evidence: Evidence) -> Option<String> {
    let is_object = endpoint.body.known().is_some_and(|body| body.object.is_some());
    if endpoint.history.is_some() || editor.service.history.is_some() || is_object {
        return None;
    }
    let found = history(params, &editor.service.types, evidence)?;
    let mut keys = Vec::new();
    for (key, param) in [("from", found.from), ("to", found.to), ("limit", found.limit), ("step", found.step)] {
        if let Some(param) = param {
            keys.push(format!("{key}: {}", param.as_str()));
        }
    }
    Some(format!("history: {{{}, evidence: {}}}", keys.join(", "), evidence.word()))
}

/// Returns the line for the pages of an endpoint, in a code span, and what else has to change for it.
fn pages_line(endpoint: &Endpoint, params: &[Param], members: &[Member]) -> Option<String> {
    if endpoint.pages.is_some() || endpoint.body.known().is_some_and(|body| body.ty.is_some()) {
        return None;
    }
    let mut keys = Vec::new();
    let mut counts = Vec::new();
    if let (Some(param), Some(cursor)) = (named(params, &CURSOR_PARAMS), text_member(members, &CURSOR_MEMBERS)) {
        keys.extend([format!("cursor: {}", cursor.path), format!("param: {}", param.name)]);
    } else if let Some(offset) = number(params, &OFFSET_PARAMS) {
        keys.push(format!("offset: {}", offset.name));
        keys.extend(member(members, &TOTAL_MEMBERS).map(|total| format!("total: {}", total.path)));
        counts.push(offset);
    } else if let Some(page) = number(params, &PAGE_PARAMS) {
        keys.push(format!("page: {}", page.name));
        let pages = member(members, &PAGES_MEMBERS).map(|pages| format!("pages: {}", pages.path));
        let total = member(members, &TOTAL_MEMBERS).map(|total| format!("total: {}", total.path));
        keys.extend(pages.or(total));
        counts.push(page);
    } else {
        keys.push(format!("next: {}", text_member(members, &LINK_MEMBERS)?.path));
    }
    if let Some(size) = number(params, &SIZE_PARAMS) {
        keys.push(format!("size: {}", size.name));
        counts.push(size);
    }
    let mut line = format!("`pages: {{{}}}`", keys.join(", "));
    counts.retain(|param| param.ty.as_str() != "count");
    if !counts.is_empty() {
        let names: Vec<_> = counts.iter().map(|param| format!("`{}`", param.name)).collect();
        line += &format!(", set `type: count` on {}", names.join(" and "));
    }
    if endpoint.body.known().is_none_or(|body| body.series.is_none()) {
        line += ", and describe the list of records as a `series`";
    }
    Some(line)
}

/// Returns the first param with one of these names.
fn named<'p>(params: &'p [Param], names: &[&str]) -> Option<&'p Param> {
    let is_named = |param: &&Param| names.contains(&param.name.to_snake_case().as_str());
    params.iter().filter(|param| param.const_value.is_none()).find(is_named)
}

/// Returns the first param with one of these names that is a number and no time.
fn number<'p>(params: &'p [Param], names: &[&str]) -> Option<&'p Param> {
    let param = named(params, names)?;
    ["count", "integer", "number"].contains(&param.ty.as_str()).then_some(param)
}

fn member<'m>(members: &'m [Member], names: &[&str]) -> Option<&'m Member> {
    members.iter().find(|member| names.contains(&member.name.as_str()))
}

fn text_member<'m>(members: &'m [Member], names: &[&str]) -> Option<&'m Member> {
    members.iter().find(|member| member.is_text && names.contains(&member.name.as_str()))
}
