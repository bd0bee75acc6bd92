//! Reads several groups of records in one body, each with its labels.
//!
//! A group is an item of a list or a member of an object, and `*` in the path of the records stands for it. The labels of
//! its records are its key, or values next to the list of its records, which may be after this list. So a group is first
//! skipped, then its labels are found, and then its records are read. A body with one group may be the group itself.

use super::envelope::RemainingPaths;
use super::envelope_rest::{Group, Groups, GroupsForm};
use super::error::DecodeError;
use super::json_path::at_path;
use super::scanner::Scanner;
use super::series_reader::{LastRecords, SeriesReader};
use super::unknown_fields::UnknownText;
use crate::registry::FieldSource;

/// The key of a group.
struct Key<'a, 'k> {
    /// The key in its object, or the index in its list.
    name: &'k str,
    /// The JSON text of the key; `None` in a list.
    text: Option<&'a str>,
    /// The JSON text of the key and a colon.
    entry: &'k str,
}

impl<'a> SeriesReader<'_, 'a> {
    /// Reads the groups, and returns their other members. `path` begins with `*`.
    pub(super) fn groups(
        &mut self,
        json: &mut Scanner<'a>,
        next: u8,
        depth: u8,
        path: &'static str,
    ) -> Result<UnknownText, DecodeError> {
        let (_, path) = path.split_once('.').unwrap_or_default();
        if next == b'{' && is_group(json.rest(), path) {
            return self.only_group(json, next, depth, path);
        }
        let depth = json.deeper(depth)?;
        let mut others = UnknownText::default();
        let form = if next == b'[' { GroupsForm::Items } else { GroupsForm::Members };
        self.rest.groups = Some(Groups { form, groups: Vec::new() });
        match next {
            b'{' => json.object(|json| {
                let start = json.at;
                json.text()?;
                let text = Some(json.since(start));
                json.at = start;
                let (name, next) = json.any_key()?;
                let key = Key { name: &name, text, entry: json.since(start) };
                self.group(json, next, depth, path, &key, &mut others)
            })?,
            b'[' => {
                let mut index = 0;
                json.list(|json, next| {
                    let name = index.to_string();
                    let key = Key { name: &name, text: None, entry: &format!("\"{name}\":") };
                    index += 1;
                    self.group(json, next, depth, path, &key, &mut others)
                })?;
            }
            _ => return Err(json.expected("groups of records").without_data()),
        }
        self.has_data = true;
        self.rest.key = None;
        self.rest.is_empty = self.rest.bad_records.is_empty();
        for group in self.rest.groups.iter().flat_map(|groups| &groups.groups) {
            self.rest.is_empty &= group.records == 0;
        }
        Ok(others)
    }

    /// Reads an object that is a group itself, and returns its other members.
    fn only_group(
        &mut self,
        json: &mut Scanner<'a>,
        next: u8,
        depth: u8,
        path: &'static str,
    ) -> Result<UnknownText, DecodeError> {
        let start = json.at;
        json.skip(next)?;
        let text = json.since(start);
        json.at = start;
        self.label(text, &Key { name: "", text: None, entry: "" });
        self.find_column_names(text)?;
        let others = self.level(json, next, depth, RemainingPaths { records: Some(path), metadata: None })?;
        let group = Group { key: String::new(), records: self.last.kept, is_single: self.last.is_single };
        self.rest.groups = Some(Groups { form: GroupsForm::One, groups: vec![group] });
        Ok(others)
    }

    /// Reads a group, and adds its other members to `others`. `path` is the path from the group to its records.
    fn group(
        &mut self,
        json: &mut Scanner<'a>,
        next: u8,
        depth: u8,
        path: &'static str,
        key: &Key<'a, '_>,
        others: &mut UnknownText,
    ) -> Result<(), DecodeError> {
        let start = json.at;
        json.skip(next)?;
        let text = json.since(start);
        self.has_data = false;
        self.last = LastRecords::default();
        if next == b'n' {
            // `null` in place of a group means that it has no records.
            others.push(&[key.entry, text].concat());
        } else {
            self.label(text, key);
            self.find_column_names(text).map_err(|error| error.in_field(key.name))?;
            self.rest.key = Some(key.name.to_owned());
            let end = std::mem::replace(&mut json.at, start);
            let paths = RemainingPaths { records: Some(path), metadata: None };
            let inner = self.level(json, next, depth, paths).map_err(|error| error.in_field(key.name))?;
            debug_assert_eq!(json.at, end, "the records are read to the end of the group");
            self.require_data(json, path).map_err(|error| error.in_field(key.name))?;
            others.push_object(key.entry, &inner);
        }
        let group = Group { key: key.name.to_owned(), records: self.last.kept, is_single: self.last.is_single };
        if let Some(groups) = &mut self.rest.groups {
            groups.groups.push(group);
        }
        Ok(())
    }

    /// Sets the labels of the records of a group, whose text is `group`.
    fn label(&mut self, group: &'a str, key: &Key<'a, '_>) {
        self.row.labels.clear();
        for (index, field) in self.row.record.fields.iter().enumerate() {
            let FieldSource::Group(path) = field.source else { continue };
            let value = if path == "*" { key.text } else { at_path(group, path) };
            if let Some(value) = value {
                self.row.labels.push((index, value));
            }
        }
    }
}

/// `true` if a value that begins here is a group: it has a list of records at this path.
fn is_group(value: &str, path: &str) -> bool {
    !path.is_empty() && at_path(value, path).is_some_and(|records| records.starts_with('['))
}
