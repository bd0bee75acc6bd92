//! A text in TOML whose values are parsed one by one. Every error names the file, the line and the column.

use std::fmt::Display;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::failure::{Failure, Result};

pub(crate) type TomlTable<'t> = DeTable<'t>;
pub(crate) type TomlValue<'t> = Spanned<DeValue<'t>>;

/// A text in TOML, and its name in messages.
pub(crate) struct TomlText<'t> {
    pub(crate) name: String,
    pub(crate) text: &'t str,
}

impl<'t> TomlText<'t> {
    pub(crate) fn table(&self) -> Result<TomlTable<'t>> {
        match DeTable::parse(self.text) {
            Ok(table) => Ok(table.into_inner()),
            Err(error) => Err(self.error(error.span(), error.message())),
        }
    }

    /// Parses the value of a key, if the key is present.
    pub(crate) fn parsed<T>(
        &self,
        table: &TomlTable<'_>,
        key: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>> {
        let Some(value) = table.get(key) else {
            return Ok(None);
        };
        let parsed = self.one(value, &|text| {
            parse(text).map_err(|error| Failure::usage(format!("invalid `{key}` `{text}`: {error}")))
        })?;
        Ok(Some(parsed))
    }

    /// Parses every value of a list, or a single value.
    pub(crate) fn each<T>(&self, value: &TomlValue<'_>, parse: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
        match value.get_ref() {
            DeValue::Array(values) if values.is_empty() => Err(self.error(Some(value.span()), "the list is empty")),
            DeValue::Array(values) => values.iter().map(|value| self.one(value, &parse)).collect(),
            _ => Ok(vec![self.one(value, &parse)?]),
        }
    }

    fn one<T>(&self, value: &TomlValue<'_>, parse: &impl Fn(&str) -> Result<T>) -> Result<T> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.trim().to_owned(),
            DeValue::Array(_) | DeValue::Table(_) => String::new(),
            _ => self.text.get(value.span()).unwrap_or_default().to_owned(),
        };
        if text.is_empty() {
            return Err(self.error(Some(value.span()), "expected non-empty text"));
        }
        parse(&text).map_err(|failure| failure.at(&self.position(value.span())))
    }

    pub(crate) fn unknown_key(&self, key: &Spanned<impl AsRef<str>>, known: &[&str]) -> Failure {
        let name = key.get_ref().as_ref();
        self.error(Some(key.span()), format!("unknown key `{name}`"))
            .help_if(wording::did_you_mean(name, known.iter().copied()))
            .help(format!("accepted: {}", known.join(", ")))
    }

    pub(crate) fn error(&self, span: Option<Range<usize>>, message: impl Display) -> Failure {
        Failure::usage(message.to_string()).at(&self.position(span.unwrap_or_default()))
    }

    /// The file, line and column. Lines and columns are counted from one, as in editors.
    pub(crate) fn position(&self, span: Range<usize>) -> String {
        let before = self.text.get(..span.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let line_start = match before.rfind('\n') {
            Some(line_end) => line_end + 1,
            None => 0,
        };
        let column = before[line_start..].chars().count() + 1;
        format!("{}:{line}:{column}", self.name)
    }
}
