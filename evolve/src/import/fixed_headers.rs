//! Headers with a fixed value: params that every operation requires with the same value.

use std::collections::HashSet;

use codegen::{is_line, may_be_fixed};
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, items, text};
use super::params::fixed;
use crate::yaml_tree::Tree;

impl<'d> Reader<'d> {
    /// Fixed headers other than those of the credentials, each once.
    pub(super) fn headers(&self, evidence: &str, credentials: Option<&Tree>) -> Vec<Tree> {
        let mut used: HashSet<String> = key_header(credentials).into_iter().collect();
        let is_free = |header: &Tree| {
            let name = header.text("name").unwrap_or_default();
            may_be_fixed(name) && header.text("value").is_some_and(is_value) && used.insert(name.to_ascii_lowercase())
        };
        self.common_headers(evidence).into_iter().filter(is_free).collect()
    }

    fn common_headers(&self, evidence: &str) -> Vec<Tree> {
        let mut operations = self.fixed_headers().into_iter();
        let Some(mut common) = operations.next() else { return Vec::new() };
        operations.for_each(|other| common.retain(|header| other.contains(header)));
        let fixed = common
            .into_iter()
            .map(|(name, value)| Tree::map().with("name", name).with("value", value).with("evidence", evidence));
        fixed.collect()
    }

    /// The headers that each operation requires with a fixed value.
    fn fixed_headers(&self) -> Vec<Vec<(&'d str, String)>> {
        let paths = entries(self.document.root(), "paths").filter_map(|(_, item)| self.document.follow(item));
        let reading = paths.filter_map(|(item, _)| Some((item, self.document.operation(item)?)));
        let of_one = |(item, operation): (&'d Value, &'d Value)| {
            let all = items(item, "parameters").iter().chain(items(operation, "parameters"));
            let headers = all.filter_map(|param| self.document.follow(param)).filter_map(|(param, _)| {
                let name = text(param, "name").filter(|name| text(param, "in") == Some("header") && is_line(name))?;
                Some((name, fixed(param, param.get("schema")?)?))
            });
            headers.collect()
        };
        reading.map(of_one).collect()
    }
}

/// The header of the API key in lower case, as header names are case-insensitive.
fn key_header(credentials: Option<&Tree>) -> Option<String> {
    Some(credentials?.get("api_key")?.text("header")?.to_ascii_lowercase())
}

/// Returns whether a text is valid as the value of a header.
fn is_value(text: &str) -> bool {
    text.chars().all(|c| c == ' ' || c.is_ascii_graphic())
}
