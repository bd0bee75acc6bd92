//! Adds facts to the items of a client: facts that do not appear in its names and types. Each fact has a location, a
//! text, a value, and the verdict for a change of the value.

use catalogue::model::{
    Body, ErrorBody, Field, FieldSource, History, KeyCarrier, NextPage, Pages, Param, Range, Record, RecordLayout,
    Type, Value,
};
use catalogue::spec::Spanned;
use runtime::registry::Step;

use super::Verdict::{self, Major, Minor, Patch};
use super::public_items::{Items, Kind};

impl Items<'_> {
    /// Adds the facts of the service, and the constants of its limits.
    pub(super) fn service(&mut self) {
        let service = &self.api.service;
        self.fact("", "the environment variables begin with", Major, format!("`{}_`", service.declared.env_prefix));
        let unit = format!("`{}`", service.declared.time_form().word());
        self.fact("", "timestamps without their own unit or format are in", Patch, unit);
        if let Some(envelope) = &service.declared.envelope {
            self.fact("", "the records of a series are read from", Patch, format!("`{}`", envelope.data));
        }
        let ErrorBody { message, code, success, rate_limited, no_data, no_data_statuses, .. } =
            &service.declared.error_body;
        let texts = |values: &[Spanned<String>]| values.iter().map(ToString::to_string).collect();
        let without_data: Vec<_> = no_data_statuses.iter().map(ToString::to_string).collect();
        let of_errors: [(&str, Vec<String>); 6] = [
            ("the message of an error is read from", message.clone()),
            ("the code of an error is read from", code.clone()),
            ("a response is a success if its status is", texts(success)),
            ("a response is treated as one with status 429 if its status is", texts(rate_limited)),
            ("a series has no records if the status in the body is", texts(no_data)),
            ("a series has no records if the HTTP status is", without_data),
        ];
        for (what, values) in of_errors {
            let listed = format!("`{}`", values.join("`, `"));
            self.fact("", what, Patch, if values.is_empty() { "unknown".to_owned() } else { listed });
        }
        let rate_limited = service.declared.errors.iter().filter(|status| status.rate_limited);
        let rate_limited: Vec<_> = rate_limited.map(|status| status.status.to_string()).collect();
        if !rate_limited.is_empty() {
            self.fact("", "statuses that are treated like 429 are", Patch, rate_limited.join(", "));
        }
        if let Some(headers) = &service.declared.rate_limit_headers {
            let value = format!("`{}` and `{}` ({})", headers.remaining, headers.reset, headers.reset_is.word());
            self.fact("", "the rest of a rate limit is read from", Patch, value);
        }
        let (verdict, value) = match service.api_key.as_ref().map(|key| key.optional) {
            Some(true) => (Minor, "optional"),
            Some(false) => (Major, "required"),
            None => (Major, "an error (the service has no API key)"),
        };
        self.fact("", "`Builder::api_key` is", verdict, value);
        if let Some(key) = &service.api_key {
            let form = if key.carrier == KeyCarrier::Basic { "`name:password`" } else { "a single string" };
            self.fact("", "the API key has the form", Major, form);
            self.fact("", "the API key is sent", Patch, carrier(&key.carrier));
        }
        let (verdict, value) = match service.declared.credentials.client_credentials {
            Some(_) => (Minor, "optional"),
            None => (Major, "an error (because no token is fetched)"),
        };
        self.fact("", "`Builder::client_credentials` is", verdict, value);
        for limit in &service.declared.limits {
            let name = format!("limits::{}", limit.constant());
            let value = format!("{} requests in {} s", limit.requests, limit.seconds);
            self.fact(&name, "the limit is", Patch, value);
            self.add(Kind::Other, "", &name, "", "");
        }
        service.declared.history.iter().for_each(|history| self.history("", history));
    }

    /// Adds the facts of a history that change no code of users: the param that sorts it, because `history` returns the
    /// records in ascending time in any case, the interval of its records, their maximum age and the meaning of their
    /// times.
    pub(super) fn history(&mut self, location: &str, history: &History) {
        if let Some((param, oldest_first)) = history.order() {
            self.fact(location, "a history sorts by", Patch, format!("`{param}={oldest_first}`"));
        }
        let part = format!("the {} of its interval", history.time_is.word());
        self.fact(location, "the time of a record is", Patch, part);
        let times = [
            ("a history has a record every", &history.every),
            ("an interval begins at", &history.anchor),
            ("a history has the last", &history.oldest),
        ];
        for (what, time) in times.into_iter().filter_map(|(what, time)| Some((what, time.as_ref()?))) {
            self.fact(location, what, Patch, format!("`{time}`"));
        }
    }

    /// Adds the layout of a record, and the order of the fields of a positional record. The text contains the sorted names, and only facts with
    /// equal texts are compared. So the order is compared only between records with the same fields.
    pub(super) fn order(&mut self, location: &str, record: &Record) {
        let layout = match record.form {
            RecordLayout::Object => "an object".to_owned(),
            RecordLayout::Positional => "a list".to_owned(),
            RecordLayout::Columns => "in columns".to_owned(),
            RecordLayout::Named => format!("a list with names at `{}`", record.column_names),
            RecordLayout::Value => "one value".to_owned(),
        };
        self.fact(location, "a record is", Patch, layout);
        if record.form == RecordLayout::Positional {
            let mut sorted: Vec<_> = record.fields.iter().map(|field| format!("`{}`", field.wire_name)).collect();
            let order = sorted.join(", ");
            sorted.sort();
            self.fact(location, &format!("the order of {} is", sorted.join(", ")), Patch, order);
        }
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

    /// Adds the path of the records, and whether they can be missing.
    pub(super) fn records_of(&mut self, location: &str, body: &Body) {
        let Body::Series { data, is_optional, .. } = body else { return };
        let path = data.as_ref().map_or("that of the envelope".to_owned(), |path| format!("`{path}`"));
        self.fact(location, "the path of the records is", Patch, path);
        let missing = if *is_optional { "an empty series" } else { "an error" };
        self.fact(location, "a response without a list of records is", Patch, missing);
    }

    /// Adds the fact that leads to the next page.
    pub(super) fn pages(&mut self, location: &str, pages: Option<&Pages>) {
        let next = match pages.map(|pages| &pages.next) {
            None => "unknown".to_owned(),
            Some(NextPage::Cursor { path, param }) => format!("the cursor `{path}`, sent as `{param}`"),
            Some(NextPage::Link { path }) => format!("the link `{path}`"),
            Some(NextPage::Offset { param, .. }) => format!("the offset `{param}`"),
            Some(NextPage::Number { param, .. }) => format!("the page number `{param}`"),
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
            self.fact(location, what, Patch, listed(values.iter().map(ToString::to_string)));
        }
        let earlier = param.declared.also_named.iter().map(ToString::to_string);
        self.fact(location, "the earlier names are", Patch, listed_or_none(earlier));
        let default = param.declared.default.as_ref().map(ToString::to_string);
        self.fact(location, "the default is", Patch, listed(default));
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
        let names = field.also_named.iter().cloned();
        self.fact(location, "the other names on the wire are", Patch, listed_or_none(names));
        let form = if field.quoted { "in quotes" } else { "without quotes" };
        self.fact(location, "the number is written", Patch, form);
    }

    /// Adds the facts of a value of a type: its length of time and its attributes.
    pub(super) fn value(&mut self, location: &str, value: &Value) {
        self.fact(location, "the duration is", Patch, listed(value.step.map(written)));
        self.fact(location, "the attributes are", Patch, listed(value.attributes.iter().cloned()));
    }

    fn fact(&mut self, location: &str, what: &str, verdict: Verdict, value: impl Into<String>) {
        self.add(Kind::Fact, location, what, "", &value.into()).verdict = verdict;
    }
}

/// Returns names as a report shows them, `none` if there are none.
fn listed_or_none(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Returns a step as text, a length in seconds.
fn written(step: Step) -> String {
    step.length().map_or_else(|| step.to_string(), |length| format!("{} s", length.as_secs()))
}

/// Returns values as a report shows them, `unknown` if there are none.
fn listed(values: impl IntoIterator<Item = String>) -> String {
    let values: Vec<_> = values.into_iter().map(|value| format!("`{value}`")).collect();
    if values.is_empty() { "unknown".to_owned() } else { values.join(", ") }
}

fn range(Range { min, max }: Range) -> String {
    match (min, max) {
        (None, None) => "unknown".to_owned(),
        (Some(min), None) => format!("at least `{min}`"),
        (None, Some(max)) => format!("at most `{max}`"),
        (Some(min), Some(max)) => format!("`{min}` to `{max}`"),
    }
}

fn carrier(carrier: &KeyCarrier) -> String {
    match carrier {
        KeyCarrier::Header { name, prefix } if prefix.is_empty() => format!("in the header `{name}`"),
        KeyCarrier::Header { name, prefix } => format!("in the header `{name}` after `{prefix}`"),
        KeyCarrier::Basic => "as HTTP Basic".to_owned(),
        KeyCarrier::Query(name) => format!("in the query as `{name}`"),
    }
}
