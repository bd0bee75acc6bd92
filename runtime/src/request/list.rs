//! Several values of one param, in the format that the catalogue declares.
//!
//! The values of a list are written as one string, or as one string per value for a repeated param.

use crate::registry::{ListFormat, ParamInfo, ParamLocation, TimeUnit, ValueType};
use crate::values::Value;
use crate::values::wire::ToWire;

/// Several values for a query, in their wire form.
pub(crate) struct ListText {
    style: ListFormat,
    unit: TimeUnit,
    /// True if the values are written as JSON strings.
    is_quoted: bool,
    values: Vec<String>,
}

impl ListText {
    /// Creates a list for a param; `info` is `None` for an unknown param.
    pub(super) fn new(info: Option<&ParamInfo>, unit: TimeUnit) -> Self {
        let bare = |ty| match ty {
            ValueType::Integer | ValueType::Count | ValueType::Number | ValueType::Boolean => true,
            ValueType::Timestamp(unit) => !unit.is_text(),
            _ => false,
        };
        // In a path, the values of a list are always separated by commas, like the style `simple` of OpenAPI.
        let of_query = info.filter(|info| info.location == ParamLocation::Query);
        let style = of_query.map_or(ListFormat::Commas, |info| info.list_as);
        let is_quoted = style == ListFormat::Json && !info.is_some_and(|info| bare(info.ty));
        Self { style, unit, is_quoted, values: Vec::new() }
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, value: &dyn ToWire) {
        let value = value.to_wire(self.unit);
        self.values.push(if self.is_quoted { Value::from(value).to_string() } else { value });
    }

    /// Returns whether a value contains the separator, so that the service would read it as two values.
    pub(super) fn has_separator(&self) -> bool {
        self.style == ListFormat::Commas && self.values.iter().any(|value| value.contains(','))
    }

    /// Returns the strings to send: one for each value if each is sent as a separate param, otherwise one string for
    /// all values. A list without values becomes an empty string, which `check` rejects.
    pub(super) fn into_texts(self) -> Vec<String> {
        match self.style {
            _ if self.values.is_empty() => vec![String::new()],
            ListFormat::Repeated => self.values,
            ListFormat::Commas => vec![self.values.join(",")],
            ListFormat::Json => vec![format!("[{}]", self.values.join(","))],
        }
    }
}
