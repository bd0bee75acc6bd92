//! Notes about endpoints that may have a history or pages, with the lines to add. A description does not state whether
//! records are a time series, or whether a response has only a part of them, so the author decides.

use std::collections::HashMap;

use catalogue::spec::{Endpoint, Evidence, Pages, Param, Text};
use heck::ToSnakeCase;
use serde_yaml::Value;

use super::Reader;
use super::bodies::{json_of, success_response};
use super::schemas::type_of;
use crate::content::label;
use crate::editor::Editor;
use crate::history_params::history;
use crate::pages::{
    LINKS, NUMBERS, OFFSETS, PAGE_COUNTS, SIZES, TOTALS, cursor_param, is_among, line, named, names_cursor,
};

/// The number of endpoints that the notes of one kind list.
const MAX_CANDIDATES: usize = 20;

/// A member of a response that is one value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The JSON path of the value.
    path: String,
    /// The last key of the path, in snake case.
    name: String,
    is_text: bool,
}

impl Member {
    fn path(&self) -> Text {
        self.path.as_str().into()
    }
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
    let mut pages = Pages::default();
    let mut counts = Vec::new();
    let cursor = members.iter().find(|member| member.is_text && names_cursor(&member.name));
    let cursor_and_param = cursor.and_then(|cursor| Some((cursor, cursor_param(params, &cursor.name)?)));
    if let Some((cursor, param)) = cursor_and_param {
        pages.cursor = Some(cursor.path());
        pages.param = Some(param);
    } else if let Some(offset) = number(params, OFFSETS) {
        pages.offset = Some(offset.name.clone());
        pages.total = member(members, TOTALS).map(Member::path);
        counts.push(offset);
    } else if let Some(page) = number(params, NUMBERS) {
        pages.page = Some(page.name.clone());
        pages.pages = member(members, PAGE_COUNTS).map(Member::path);
        if pages.pages.is_none() {
            pages.total = member(members, TOTALS).map(Member::path);
        }
        counts.push(page);
    } else {
        let link = members.iter().find(|member| member.is_text && is_among(LINKS, &member.name))?;
        pages.next = Some(link.path());
    }
    if let Some(size) = number(params, SIZES) {
        pages.size = Some(size.name.clone());
        counts.push(size);
    }
    let mut line = format!("`{}`", line(&pages));
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

/// Returns the first param with one of these names that is a number and no time.
fn number<'p>(params: &'p [Param], words: &str) -> Option<&'p Param> {
    let is_sent = |param: &&Param| param.const_value.is_none();
    let param = named(params, words).into_iter().find(is_sent)?;
    ["count", "integer", "number"].contains(&param.ty.as_str()).then_some(param)
}

fn member<'m>(members: &'m [Member], words: &str) -> Option<&'m Member> {
    members.iter().find(|member| is_among(words, &member.name))
}
