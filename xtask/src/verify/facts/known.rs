//! The facts of `facts.yaml`, each with a name.

use serde_yaml::Value;

use super::{Facts, scalar};

/// The content of the file.
pub(super) struct Known {
    pub(super) facts: Facts,
    /// How many texts are left out as prose.
    pub(super) prose: usize,
}

/// Keys whose values are prose.
const PROSE: [&str; 4] = ["meaning", "meaning_evidence", "notes", "body"];

pub(super) fn read(text: &str) -> Result<Known, String> {
    let file: Value = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
    let endpoints = file.get("endpoints").and_then(Value::as_sequence).ok_or("there is no list `endpoints`")?;
    let mut known = Known { facts: Facts::new(), prose: prose(file.get("contradictions")) };
    if let Some(service) = file.get("service") {
        known.service(service);
    }
    for endpoint in endpoints {
        known.endpoint(endpoint);
    }
    Ok(known)
}

impl Known {
    fn say(&mut self, at: String, says: impl Into<String>) {
        self.facts.insert(at, says.into());
    }

    fn endpoint(&mut self, endpoint: &Value) {
        let text = |key: &str| endpoint.get(key).and_then(Value::as_str).unwrap_or_default();
        let path = text("path");
        let is_known = path != "unknown";
        let at = if is_known { path } else { text("name") };
        self.say(format!("{at} | endpoint"), "is");
        self.say(format!("{at} | group"), text("group"));
        if is_known {
            self.say(format!("{at} | name"), text("name"));
            self.say(format!("{at} | path"), text("path_evidence"));
        }
        self.prose += PROSE.iter().filter(|key| endpoint.get(**key).is_some()).count();
        for (kind, key) in [("param", "params"), ("field", "fields")] {
            for item in endpoint.get(key).and_then(Value::as_sequence).into_iter().flatten() {
                self.item(at, kind, item);
            }
        }
        for (field, value) in endpoint.get("example").and_then(Value::as_mapping).into_iter().flatten() {
            let field = field.as_str().unwrap_or_default();
            self.say(format!("{at} | field {field} | example"), scalar(value));
        }
    }

    /// A param or a field: its existence, and each fact about it.
    fn item(&mut self, endpoint: &str, kind: &str, item: &Value) {
        let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
        let at = format!("{endpoint} | {kind} {name}");
        self.say(at.clone(), "is");
        for (key, value) in item.as_mapping().into_iter().flatten() {
            match key.as_str().unwrap_or_default() {
                "name" => {}
                key if PROSE.contains(&key) => self.prose += 1,
                key => self.say(format!("{at} | {key}"), scalar(value)),
            }
        }
    }

    /// The lists of values of the service as a whole; the rest is prose.
    fn service(&mut self, service: &Value) {
        self.prose += prose(Some(service));
        for (key, kind) in [("exchanges", "Exchange"), ("coins", "Coin")] {
            let seen = service.get(key).and_then(|values| values.get("seen")).and_then(Value::as_sequence);
            let ids = seen.into_iter().flatten().map(|seen| scalar(seen.get("id").unwrap_or(seen)));
            for id in ids.collect::<Vec<_>>() {
                self.say(format!("{kind} | value {id}"), "is");
            }
        }
        for (section, fact, at) in [
            ("limits", "limit values", "limit | served"),
            ("limits", "limit default", "limit | default"),
            ("time", "timeframes", "timeframe | values"),
            ("parameters", "anchor parameter", "anchor | values"),
            ("parameters", "marketTypes", "marketTypes | values"),
        ] {
            let facts = service.get(section).and_then(Value::as_sequence).into_iter().flatten();
            let said = facts.filter(|said| said.get("fact").and_then(Value::as_str) == Some(fact));
            for said in said.filter_map(|said| said.get("value")).collect::<Vec<_>>() {
                self.say(format!("shared {at}"), values(&scalar(said)));
            }
        }
    }
}

/// The values that a text lists: the part before a semicolon, and after `=` or `only`.
fn values(text: &str) -> String {
    let text = text.split(';').next().unwrap_or_default();
    let text = text.rsplit(" = ").next().unwrap_or_default().trim_start_matches("only ");
    let text = text.split(", default").next().unwrap_or_default();
    let values = text.split([',', '|']).map(str::trim).filter(|value| !value.is_empty());
    values.collect::<Vec<_>>().join(", ")
}

/// How many texts there are below a value.
fn prose(value: Option<&Value>) -> usize {
    match value {
        Some(Value::String(_)) => 1,
        Some(Value::Sequence(items)) => items.iter().map(|item| prose(Some(item))).sum(),
        Some(Value::Mapping(entries)) => entries.values().map(|item| prose(Some(item))).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_in_sentences() {
        for (text, expected) in [
            ("only 5, 10, 20", "5, 10, 20"),
            ("anchor = 1h | 4h | 1d, default 1d", "1h, 4h, 1d"),
            ("all, spot, perpetuals; used without exchange", "all, spot, perpetuals"),
            ("50", "50"),
        ] {
            assert_eq!(values(text), expected);
        }
    }

    #[test]
    fn every_key_of_an_endpoint_is_a_fact() {
        let text = "endpoints:\n- {name: A, group: G, path: /a, path_evidence: document, notes: Prose.,\n  \
                    params: [{name: p, required: reported, enum: [x, y]}],\n  \
                    fields: [{name: f, type: number, meaning: Prose., evidence: former}], example: {f: 1.50}}\n";
        let known = read(text).unwrap_or_else(|error| panic!("{error}"));
        let facts: Vec<_> = known.facts.iter().map(|(at, says)| format!("{at}: {says}")).collect();
        assert_eq!(
            facts,
            [
                "/a | endpoint: is",
                "/a | field f: is",
                "/a | field f | evidence: former",
                "/a | field f | example: 1.5",
                "/a | field f | type: number",
                "/a | group: G",
                "/a | name: A",
                "/a | param p: is",
                "/a | param p | enum: x, y",
                "/a | param p | required: reported",
                "/a | path: document",
            ]
        );
        assert_eq!(known.prose, 2);
    }
}
