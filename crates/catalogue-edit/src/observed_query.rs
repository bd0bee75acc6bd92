//! The query of a request: the names of its params, and the kinds of their values. The values themselves may be secrets,
//! so only times and steps are kept.

use std::collections::BTreeSet;
use std::fmt;

use catalogue::model::{TimeForm, TimeFormat};
use heck::ToSnakeCase;
use indexmap::IndexMap;
use percent_encoding::percent_decode_str;

use crate::exact_numbers::Number;
use crate::history_params::is_named_like_a_step;
use crate::long_ids::is_long_id;
use crate::record_step::is_step;
use crate::unix_time::{ENDS, is_named_like_a_time, unit_by_magnitude};
use crate::written_periods::period_of_param;

/// A param of a query as it was sent.
pub(crate) struct QueryParam {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// The value may be a secret, so it is omitted.
impl fmt::Debug for QueryParam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryParam").field("name", &self.name).finish_non_exhaustive()
    }
}

impl QueryParam {
    /// Reads a query string.
    pub(crate) fn all(query: &str) -> Vec<Self> {
        let mut params = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            params.push(Self { name: decoded(name), value: decoded(value) });
        }
        params
    }

    /// `true` if the value is a time, or both ends of a range.
    pub(crate) fn is_time(&self) -> bool {
        ValueKind::of(&self.name, &self.value).time_form().is_some()
    }

    /// `true` if the value is the step of a series, by the name of the param and as it is written.
    pub(crate) fn is_step(&self) -> bool {
        is_named_like_a_step(&self.name) && is_step(&self.value) && !is_secret(&self.name)
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// The params in the queries of an endpoint, each with the kind of its values.
#[derive(Clone, Debug, Default)]
pub struct ObservedQuery {
    params: IndexMap<String, ValueKind>,
    /// The names of the params that one request sends several times.
    repeated: BTreeSet<String>,
    /// `true` if a request sends a key in place of the name of a param.
    has_unnamed_key: bool,
}

/// The kind of the values of a param, which decides its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// A key or another secret by its name.
    Secret,
    Boolean,
    Count,
    Integer,
    Number,
    Time(TimeForm),
    /// Both ends of a range, separated by a colon.
    Range(TimeFormat),
    /// The format of the response.
    Format(&'static str),
    Text,
}

impl ObservedQuery {
    pub(crate) fn of(params: &[QueryParam]) -> Self {
        let mut query = Self::default();
        for param in params {
            if is_long_id(&param.name) {
                query.has_unnamed_key = true;
                continue;
            }
            if query.has(&param.name) {
                query.repeated.insert(param.name.clone());
            }
            query.merge(&param.name, ValueKind::of(&param.name, &param.value));
        }
        query
    }

    /// Adds the params of another request to the same endpoint.
    pub(crate) fn add(&mut self, other: &Self) {
        for (name, kind) in &other.params {
            self.merge(name, *kind);
        }
        self.repeated.extend(other.repeated.iter().cloned());
        self.has_unnamed_key |= other.has_unnamed_key;
    }

    /// The names of the params with the kinds of their values.
    pub(crate) fn params(&self) -> impl Iterator<Item = (&str, ValueKind)> {
        self.params.iter().map(|(name, kind)| (name.as_str(), *kind))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.params.contains_key(name)
    }

    /// `true` if one request sends several values of a param.
    pub(crate) fn is_repeated(&self, name: &str) -> bool {
        self.repeated.contains(name)
    }

    /// `true` if a request sends a key in place of the name of a param. Such a param is left out.
    pub(crate) fn has_unnamed_key(&self) -> bool {
        self.has_unnamed_key
    }

    /// Adds a param with values of a kind.
    pub(crate) fn merge(&mut self, name: &str, kind: ValueKind) {
        let known = self.params.entry(name.to_owned()).or_insert(kind);
        *known = known.or(kind);
    }
}

impl ValueKind {
    fn of(name: &str, value: &str) -> Self {
        if is_secret(name) {
            return Self::Secret;
        }
        if matches!(value, "true" | "false") {
            return Self::Boolean;
        }
        for format in [TimeFormat::Date, TimeFormat::Iso8601] {
            if TimeForm::Written(format).is_written(value) {
                return Self::Time(TimeForm::Written(format));
            }
        }
        if let Some(format) = period_of_param(name, value) {
            return Self::Time(TimeForm::Written(format));
        }
        if let Some(format) = format_of_range(name, value) {
            return Self::Range(format);
        }
        if let Some(format) = FORMATS.iter().find(|format| **format == value) {
            return Self::Format(format);
        }
        let Some(number) = Number::parse(value) else { return Self::Text };
        if let Some(unit) = unit_by_magnitude(number.float)
            && is_time_param(name)
        {
            return Self::Time(TimeForm::Counted(unit));
        }
        match number.integer {
            // An integer with leading zeros or many digits is a code.
            _ if !number.is_exact => Self::Text,
            Some(0..) => Self::Count,
            Some(_) => Self::Integer,
            None => Self::Number,
        }
    }

    /// The kind of all values of a param that has values of two kinds.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Secret, _) | (_, Self::Secret) => Self::Secret,
            (Self::Time(one), Self::Time(other)) if is_iso(one) && is_iso(other) => {
                Self::Time(TimeForm::Written(TimeFormat::Iso8601))
            }
            // Years contain all other periods.
            (Self::Range(TimeFormat::Year), Self::Range(_)) | (Self::Range(_), Self::Range(TimeFormat::Year)) => {
                Self::Range(TimeFormat::Year)
            }
            (Self::Range(format), Self::Time(form)) | (Self::Time(form), Self::Range(format))
                if form == TimeForm::Written(format) =>
            {
                Self::Range(format)
            }
            (Self::Number, other) if other.is_number() => Self::Number,
            (one, Self::Number) if one.is_number() => Self::Number,
            (one, other) if one.is_number() && other.is_number() => Self::Integer,
            _ => Self::Text,
        }
    }

    /// The type in the catalogue.
    pub(crate) fn ty(self) -> &'static str {
        match self {
            Self::Secret | Self::Format(_) | Self::Text => "string",
            Self::Boolean => "boolean",
            Self::Count => "count",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Time(_) | Self::Range(_) => "timestamp",
        }
    }

    /// The form of a timestamp.
    pub(crate) fn time_form(self) -> Option<TimeForm> {
        match self {
            Self::Time(form) => Some(form),
            Self::Range(format) => Some(TimeForm::Written(format)),
            _ => None,
        }
    }

    /// The value that every request sends, because the client reads no other format.
    pub(crate) fn const_value(self) -> Option<&'static str> {
        if let Self::Format(format) = self { Some(format) } else { None }
    }

    fn is_number(self) -> bool {
        matches!(self, Self::Count | Self::Integer | Self::Number)
    }
}

/// The format of both ends of a range, such as `2020:2023`; `None` for any other value.
fn format_of_range(name: &str, value: &str) -> Option<TimeFormat> {
    let (from, to) = value.split_once(':')?;
    let are_dates = [from, to].iter().all(|end| TimeForm::Written(TimeFormat::Date).is_written(end));
    if are_dates {
        return Some(TimeFormat::Date);
    }
    let format = period_of_param(name, from)?;
    if period_of_param(name, to) == Some(format) { Some(format) } else { None }
}

/// `true` for a date or a time of ISO 8601.
fn is_iso(form: TimeForm) -> bool {
    matches!(form, TimeForm::Written(TimeFormat::Date | TimeFormat::Iso8601))
}

/// The names of the formats that bodies have.
const FORMATS: [&str; 8] = ["JSON", "json", "CSV", "csv", "tsv", "ndjson", "jsonl", "jsonlines"];

/// Words in the names of params for a key, a token or a signature.
const SECRETS: [&str; 15] = [
    "apikey",
    "appid",
    "auth",
    "authorization",
    "credential",
    "jwt",
    "key",
    "pass",
    "passwd",
    "password",
    "secret",
    "sig",
    "sign",
    "signature",
    "token",
];
/// Words in the names of params that select a page, of which one may be a token.
const PAGING: [&str; 5] = ["cursor", "next", "page", "prev", "continuation"];

/// `true` if a param is a time by its name. Params for the ends of a range are often called `start` or `from`.
fn is_time_param(name: &str) -> bool {
    is_named_like_a_time(name) || has_word(name, &ENDS)
}

/// `true` if a param presumably carries a key, a token or a signature.
pub(crate) fn is_secret(name: &str) -> bool {
    let is_named = has_word(name, &SECRETS) || name.to_snake_case().split('_').any(is_joined_secret);
    is_named && !has_word(name, &PAGING)
}

/// `true` if a word is a key or a token with its purpose, such as `registrationkey`.
fn is_joined_secret(word: &str) -> bool {
    const PURPOSES: [&str; 9] =
        ["access", "app", "auth", "client", "consumer", "license", "registration", "subscription", "user"];
    let purpose = word.strip_suffix("key").or(word.strip_suffix("token"));
    purpose.is_some_and(|purpose| PURPOSES.contains(&purpose))
}

fn has_word(name: &str, words: &[&str]) -> bool {
    name.to_snake_case().split('_').any(|word| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use catalogue::model::TimeUnit;

    use super::*;

    #[test]
    fn values_are_classified_by_name_and_form() {
        let counted = |unit| ValueKind::Time(TimeForm::Counted(unit));
        for (name, value, expected) in [
            ("limit", "100", ValueKind::Count),
            ("offset", "-5", ValueKind::Integer),
            ("min", "0.5", ValueKind::Number),
            ("symbol", "BTC", ValueKind::Text),
            ("id", "00012", ValueKind::Text),
            ("full", "true", ValueKind::Boolean),
            ("startTime", "1700000000000", counted(TimeUnit::Milliseconds)),
            ("from", "1700000000", counted(TimeUnit::Seconds)),
            ("limit", "1700000000", ValueKind::Count),
            ("day", "2024-01-31", ValueKind::Time(TimeForm::Written(TimeFormat::Date))),
            ("day", "2024-02-30", ValueKind::Text),
            ("period", "2024-01-01:2024-01-31", ValueKind::Range(TimeFormat::Date)),
            ("date", "2020:2023", ValueKind::Range(TimeFormat::Year)),
            ("date", "2020Q1:2020Q4", ValueKind::Range(TimeFormat::Quarter)),
            ("date", "2020:2023Q1", ValueKind::Text),
            ("pair", "2020:2023", ValueKind::Text),
            ("date", "10:30", ValueKind::Text),
            ("apiKey", "1", ValueKind::Secret),
            ("api_key", "1", ValueKind::Secret),
            ("access_token", "x", ValueKind::Secret),
            ("registrationkey", "x", ValueKind::Secret),
            ("Authtoken", "x", ValueKind::Secret),
            ("usertype", "x", ValueKind::Text),
            ("monkey", "x", ValueKind::Text),
            ("X-Signature", "x", ValueKind::Secret),
            ("pageToken", "x", ValueKind::Text),
            ("keyword", "x", ValueKind::Text),
            ("file_type", "json", ValueKind::Format("json")),
        ] {
            assert_eq!(ValueKind::of(name, value), expected, "{name}={value}");
        }
    }

    #[test]
    fn a_secret_is_no_step() {
        for (name, value, is_step) in [
            ("interval", "1h", true),
            ("bar", "ONE_DAY", true),
            ("interval_key", "1h", false),
            ("interval", "a b", false),
        ] {
            let param = QueryParam { name: name.to_owned(), value: value.to_owned() };
            assert_eq!(param.is_step(), is_step, "{name}={value}");
        }
    }

    #[test]
    fn several_values_get_one_kind() {
        for (values, expected) in [
            (["1", "-1"], ValueKind::Integer),
            (["1", "0.5"], ValueKind::Number),
            (["1", "a"], ValueKind::Text),
            (["2024-01-31", "2024-01-01:2024-01-31"], ValueKind::Range(TimeFormat::Date)),
            (["2024-01-31", "2024-01-31T10:00Z"], ValueKind::Time(TimeForm::Written(TimeFormat::Iso8601))),
        ] {
            assert_eq!(ValueKind::of("x", values[0]).or(ValueKind::of("x", values[1])), expected, "{values:?}");
        }
        let day = ValueKind::of("start", "20260701");
        let hour = ValueKind::of("start", "2026070100");
        assert!(day.time_form().is_some() && hour.time_form().is_some());
        assert_eq!((day.or(day), day.or(hour)), (day, ValueKind::Text));
    }
}
