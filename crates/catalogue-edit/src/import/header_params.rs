//! Reads params in headers. The catalogue has headers only for the entire service: those with a fixed value, and the one
//! that carries the API key.

use catalogue::may_carry_key;
use catalogue::spec::{ApiKey, Evidence, Header};
use serde_yaml::Value;

use super::Reader;
use super::document::{items, text, text_of};
use super::omissions::Weight;
use crate::editor::Editor;
use crate::observed_query::is_secret;

/// The headers of all operations.
#[derive(Debug, Default)]
pub(super) struct HeaderParams {
    fixed: Vec<(String, String)>,
    key: Option<String>,
}

impl Reader<'_> {
    /// Reads a param in a header. If the service cannot have it, the param is an omission.
    pub(super) fn header_param(&mut self, param: &Value, pointer: &str) {
        let name = text(param, "name").unwrap_or_default();
        // OpenAPI declares these headers in other parts, and ignores params of these names.
        if ["accept", "authorization", "content-type"].contains(&name.to_ascii_lowercase().as_str()) {
            return;
        }
        if is_secret(name) && may_carry_key(name) && self.headers.key.as_ref().is_none_or(|key| key == name) {
            self.headers.key = Some(name.to_owned());
            return;
        }
        let is_token = |character: char| character.is_ascii_alphanumeric() || "!#$%&'*+.^_`|~-".contains(character);
        if name.is_empty() || !name.chars().all(is_token) {
            return self.omissions.add(Weight::Missing, "params `in: header`", pointer);
        }
        let is_required = param.get("required").and_then(Value::as_bool) == Some(true);
        if let Some(value) = fixed_value(param).filter(|_| is_required && !is_secret(name)) {
            let known = self.headers.fixed.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            match known {
                None => return self.headers.fixed.push((name.to_owned(), value)),
                Some((_, known)) if *known == value => return,
                Some(_) => {}
            }
        }
        self.omissions.add(Weight::Missing, "params `in: header`", pointer);
    }
}

/// The only value of a header, if it has one.
fn fixed_value(param: &Value) -> Option<String> {
    let schema = param.get("schema")?;
    let value = match items(schema, "enum") {
        [one] => Some(one),
        _ => schema.get("const"),
    };
    let text = value.map(text_of)?;
    let is_visible = !text.is_empty() && text.chars().all(|character| (' '..='~').contains(&character));
    is_visible.then_some(text)
}

impl HeaderParams {
    /// Adds the headers to a new catalogue. For an existing catalogue, headers that it does not have are noted.
    pub(super) fn write(self, editor: &mut Editor, is_new: bool, evidence: Evidence) {
        for (name, value) in self.fixed {
            if editor.service.headers.iter().any(|known| known.name.eq_ignore_ascii_case(&name)) {
                continue;
            }
            editor.note(format!("every request is sent with the header `{name}: {value}`"));
            if is_new {
                editor.service.headers.push(Header { name: name.into(), value, evidence });
            }
        }
        let Some(key) = self.key.filter(|_| editor.service.credentials.api_key.is_none()) else { return };
        editor.note(format!("the header `{key}` looks like a key, so it carries the API key"));
        if is_new {
            editor.service.credentials.api_key =
                Some(ApiKey { header: Some(key.into()), optional: true, evidence, ..ApiKey::default() });
        }
    }
}
