//! Reads params in headers. The catalogue has headers only for the entire service: those with a fixed value, and the one
//! that carries the API key.

use catalogue::may_carry_key;
use catalogue::spec::{ApiKey, Evidence, Header};
use serde_yaml::Value;

use super::tree::{is_true, items, text_of};
use crate::editor::Editor;
use crate::observed_query::is_secret;

/// A header that every request sends.
#[derive(Debug)]
struct FixedHeader {
    name: String,
    value: String,
}

/// The headers of all operations.
#[derive(Debug, Default)]
pub(super) struct HeaderParams {
    fixed: Vec<FixedHeader>,
    /// The name of the header that carries the API key.
    key: Option<String>,
}

impl HeaderParams {
    /// Adds a header; `false` if the service cannot have it.
    pub(super) fn add(&mut self, name: &str, declaration: &Value) -> bool {
        if is_secret(name) && may_carry_key(name) && self.key.as_ref().is_none_or(|key| key == name) {
            self.key = Some(name.to_owned());
            return true;
        }
        if !is_header_name(name) || !is_true(declaration, "required") || is_secret(name) {
            return false;
        }
        let Some(value) = fixed_value(declaration) else { return false };
        for known in &self.fixed {
            if known.name.eq_ignore_ascii_case(name) {
                return known.value == value;
            }
        }
        self.fixed.push(FixedHeader { name: name.to_owned(), value });
        true
    }

    /// Adds the headers to a new catalogue. For an existing catalogue, headers that it does not have are noted.
    pub(super) fn write(self, editor: &mut Editor, is_new: bool, evidence: Evidence) {
        for FixedHeader { name, value } in self.fixed {
            if editor.content.service.headers.iter().any(|known| known.name.eq_ignore_ascii_case(&name)) {
                continue;
            }
            editor.note(format!("every request is sent with the header `{name}: {value}`"));
            if is_new {
                editor.content.service.headers.push(Header { name: name.into(), value, evidence });
            }
        }
        let Some(key) = self.key else { return };
        if editor.content.service.credentials.api_key.is_some() {
            return;
        }
        editor.note(format!("the header `{key}` looks like a key, so it carries the API key"));
        if is_new {
            let api_key = ApiKey { header: Some(key.into()), optional: true, evidence, ..ApiKey::default() };
            editor.content.service.credentials.api_key = Some(api_key);
        }
    }
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+.^_`|~-".contains(&byte))
}

/// The only value of a header, if it has one.
fn fixed_value(declaration: &Value) -> Option<String> {
    let schema = declaration.get("schema")?;
    let value = match items(schema, "enum") {
        [only] => only,
        _ => schema.get("const")?,
    };
    let text = text_of(value);
    let is_visible = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if text.is_empty() || !is_visible { None } else { Some(text) }
}
