//! Adds facts to the items of a client: facts that do not appear in its names and types. Each fact has a location, a
//! text, a value, and the verdict for a change of the value.

use std::fmt;

use catalogue::model::{
    Body, BodyFormat, Field, FieldSource, History, NextPage, Pages, Param, Range, Record, RecordLayout, Type, Value,
};
use runtime::registry::Step;

use super::Verdict::{self, Patch};
use super::public_items::{Items, Kind};

impl Items<'_> {
    /// Adds the facts of a history that change no code of users: the param that sorts it, because `history` returns the
    /// records in ascending time in any case, the interval of its records, their maximum age and the meaning of their
    /// times.
    pub(super) fn history(&mut self, location: &str, history: &History) {
        if let Some((param, oldest_first)) = history.order() {
            self.fact(location, "a history sorts by", Patch, format!("`{param}={oldest_first}`"));
        }
        let part = format!("the {} of its interval", history.time_is.word());
        self.fact(location, "the time of a record is", Patch, part);
        let start = if history.includes_start { "is included" } else { "may be excluded" };
        self.fact(location, "the start of a range", Patch, start.to_owned());
        for (what, time) in [
            ("a history has a record every", &history.every),
            ("an interval begins at", &history.anchor),
            ("a history has the last", &history.oldest),
        ] {
            if let Some(time) = time {
                self.fact(location, what, Patch, format!("`{time}`"));
            }
        }
    }

    /// Adds the layout of a record.
    pub(super) fn layout(&mut self, location: &str, record: &Record) {
        self.fact(location, "a record is", Patch, shown_layout(record));
    }

    /// Adds the order of the fields of a positional record. The text contains the sorted names, and only facts with equal
    /// texts are compared. So the order is compared only between records with the same fields.
    pub(super) fn order(&mut self, location: &str, record: &Record) {
        if record.layout != RecordLayout::Positional {
            return;
        }
        let mut names = Vec::new();
        for field in &record.fields {
            names.push(format!("`{}`", field.wire_name));
        }
        let order = names.join(", ");
        let mut sorted = names;
        sorted.sort();
        self.fact(location, &format!("the order of {} is", sorted.join(", ")), Patch, order);
    }

    /// Adds the unit or format of a value. A change is a patch, because the names and types of the client do not depend
    /// on the unit.
    pub(super) fn unit(&mut self, location: &str, ty: &Type, unit: &str) {
        let value = match ty.time_form() {
            Some(form) if form == self.api.service.declared.time_form() => "that of the service".to_owned(),
            Some(form) => format!("`{}`", form.word()),
            None if unit.is_empty() => "unspecified".to_owned(),
            None => format!("`{unit}`"),
        };
        if let Some(form) = ty.time_form() {
            self.fact(location, "the time zone is", Patch, format!("`{}`", form.zone().unwrap_or("UTC")));
        }
        self.fact(location, "the unit or format is", Patch, value);
    }

    /// Adds the part of a response that contains a value, and the texts that stand for a missing value.
    pub(super) fn missing(&mut self, location: &str, field: &Field) {
        let part = match &field.source {
            FieldSource::Record => "the record".to_owned(),
            FieldSource::Group(path) => format!("`{path}` of the group"),
            FieldSource::Period(year, period) => format!("the fields `{year}` and `{period}`"),
            FieldSource::Others => "the members that are not listed".to_owned(),
        };
        self.fact(location, "the value is read from", Patch, part);
        let nulls = if field.nulls.is_empty() { "none".to_owned() } else { format!("`{}`", field.nulls.join("`, `")) };
        self.fact(location, "the texts of a missing value are", Patch, nulls);
    }

    /// Adds the format of the body, the path of the records, and whether they can be missing.
    pub(super) fn records_of(&mut self, location: &str, body: &Body) {
        let Body::Series { format, data, is_optional, .. } = body else { return };
        let format = format.map_or("json", BodyFormat::word);
        self.fact(location, "the format of the body is", Patch, format!("`{format}`"));
        let path = match data {
            Some(path) => format!("`{path}`"),
            None => "that of the envelope".to_owned(),
        };
        self.fact(location, "the path of the records is", Patch, path);
        let missing = if *is_optional { "an empty series" } else { "an error" };
        self.fact(location, "a response without a list of records is", Patch, missing);
    }

    /// Adds the fact that leads to the next page.
    pub(super) fn pages(&mut self, location: &str, pages: Option<&Pages>) {
        let next = match pages {
            Some(pages) => way_to(&pages.next),
            None => "unknown".to_owned(),
        };
        self.fact(location, "the way to the next page is", Patch, next);
    }

    /// Adds the facts of a param that change the documents and the behaviour of the service, but no code of users.
    pub(super) fn param(&mut self, location: &str, param: &Param) {
        let lists = [
            ("the only values known to work are", &param.declared.allowed_values),
            ("values known to work are", &param.declared.tested_values),
            ("values known to be rejected are", &param.declared.rejected_values),
        ];
        for (what, values) in lists {
            self.fact(location, what, Patch, listed(values, "unknown"));
        }
        self.fact(location, "the earlier names are", Patch, listed(&param.declared.also_named, "none"));
        self.fact(location, "the default is", Patch, listed(&param.declared.default, "unknown"));
        if param.declared.list_setter.is_some() {
            self.fact(location, "several values are sent as", Patch, format!("`{}`", param.declared.list_as.word()));
        }
        // An argument is part of the signature of the method.
        if !param.is_argument() {
            let required = if param.declared.required.is_some() { "probably required" } else { "optional" };
            self.fact(location, "the param is", Patch, required);
        }
        if !param.evidence.is_enforced() {
            self.fact(location, "the range is", Patch, range(param.range));
        }
    }

    /// Adds the facts of a field that change no code of users.
    pub(super) fn field(&mut self, location: &str, field: &Field) {
        self.fact(location, "the range is", Patch, range(field.range));
        self.fact(location, "the other names on the wire are", Patch, listed(&field.also_named, "none"));
        let form = if field.quoted { "in quotes" } else { "without quotes" };
        self.fact(location, "the number is written", Patch, form);
    }

    /// Adds the facts of a value of a type: its length of time and its attributes.
    pub(super) fn value(&mut self, location: &str, value: &Value) {
        self.fact(location, "the duration is", Patch, listed(&value.step.map(written), "unknown"));
        self.fact(location, "the attributes are", Patch, listed(&value.attributes, "unknown"));
    }

    pub(super) fn fact(&mut self, location: &str, what: &str, verdict: Verdict, value: impl Into<String>) {
        self.add(Kind::Fact, location, what, "", &value.into()).verdict = verdict;
    }
}

fn shown_layout(record: &Record) -> String {
    match record.layout {
        RecordLayout::Object => "an object".to_owned(),
        RecordLayout::Positional => "a list".to_owned(),
        RecordLayout::Columns => "in columns".to_owned(),
        RecordLayout::Named => format!("a list with names at `{}`", record.column_names),
        RecordLayout::Value => "one value".to_owned(),
    }
}

/// Values as a report shows them; `without` if there are none.
fn listed<'v, T: fmt::Display + 'v>(values: impl IntoIterator<Item = &'v T>, without: &str) -> String {
    let mut shown = Vec::new();
    for value in values {
        shown.push(format!("`{value}`"));
    }
    if shown.is_empty() { without.to_owned() } else { shown.join(", ") }
}

fn way_to(next: &NextPage) -> String {
    match next {
        NextPage::Cursor { path, param } => format!("the cursor `{path}`, sent as `{param}`"),
        NextPage::Link { path } => format!("the link `{path}`"),
        NextPage::Offset { param, .. } => format!("the offset `{param}`"),
        NextPage::Number { param, .. } => format!("the page number `{param}`"),
    }
}

/// A step as text, a length in seconds.
fn written(step: Step) -> String {
    match step.length() {
        Some(length) => format!("{} s", length.as_secs()),
        None => step.to_string(),
    }
}

fn range(Range { min, max }: Range) -> String {
    match (min, max) {
        (None, None) => "unknown".to_owned(),
        (Some(min), None) => format!("at least `{min}`"),
        (None, Some(max)) => format!("at most `{max}`"),
        (Some(min), Some(max)) => format!("`{min}` to `{max}`"),
    }
}
