//! Invented names for fields that are not known.
//!
//! A series of unknown records has one value, named after the endpoint, unless it has a line here; either way the reply
//! says that its fields are invented. The catalogue takes no name from here. A line whose endpoint has become known, or
//! is gone, fails a test.

use std::borrow::Cow;

use generated_client::registry::EndpointInfo;

use crate::known;

/// The header of a reply in which something is invented; its value says what.
///
/// The body has a key of that name too, since a saved reply may have lost its headers and must not be taken for a reply
/// of the service.
pub(crate) const MARK: &str = "x-sandbox-invented";
pub(crate) const FIELDS: &str = "fields";
pub(crate) const BODY: &str = "body";

/// Endpoints whose records have more than one value, by path.
const NAMES: &[(&str, &[&str])] = &[("/bestBidAsk", &["ask", "bid"]), ("/globalBidAsk", &["ask", "bid"])];

/// The names of the values in the endpoint's unknown records.
pub(crate) fn names(endpoint: &EndpointInfo) -> Vec<Cow<'static, str>> {
    let path = endpoint.path.unwrap_or_default();
    match NAMES.iter().find(|(known, _)| *known == path) {
        Some((_, names)) => names.iter().map(|name| Cow::Borrowed(*name)).collect(),
        None => vec![Cow::Owned(camel_case(known::last_segment(path)))],
    }
}

fn camel_case(segment: &str) -> String {
    let mut name = String::with_capacity(segment.len());
    for character in segment.chars() {
        match character {
            '-' | '_' | '.' | '~' => name.push('-'),
            _ if name.ends_with('-') => {
                name.pop();
                name.extend(character.to_uppercase());
            }
            _ => name.push(character),
        }
    }
    name.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use generated_client::registry::BodyInfo;

    use super::*;

    #[test]
    fn every_line_is_needed() {
        for (path, _) in NAMES {
            let endpoint = known::endpoint(path).unwrap_or_else(|| panic!("no endpoint has the path {path}"));
            let unknown = matches!(endpoint.body, BodyInfo::Series { record: None, .. });
            assert!(unknown, "the fields of {path} are known now: its line is dead");
        }
    }

    #[test]
    fn a_value_is_named_after_its_endpoint() {
        let table = [("buyVolume", "buyVolume"), ("open-interest", "openInterest"), ("a_b.c", "aBC"), ("-x-", "X")];
        for (segment, expected) in table {
            assert_eq!(camel_case(segment), expected);
        }
    }
}
