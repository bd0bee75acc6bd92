//! Reads the keys `x-catalogue` and `x-also-named` of our own export, which contain the keys of the catalogue that OpenAPI
//! cannot state.

use catalogue::spec::Evidence;
use catalogue::{Catalogue, Text, load_texts};
use serde_yaml::Value;

use super::Reader;
use super::document::text;
use super::omissions::Weight;

/// The name of the file with the keys of the service, and the text before and after the keys.
pub(super) const OF_SERVICE: [&str; 3] = ["service.yaml", "{title: x, version: '1', ", ""];
/// The same for the keys of an endpoint.
pub(super) const OF_ENDPOINT: [&str; 3] =
    ["x.yaml", "{title: x, endpoints: [{name: x, path: unknown, evidence: reported, ", "]}"];

/// The service of a group that is read alone.
const SERVICE: &str = "{title: x, version: '1', env_prefix: X, time: {unit: seconds, evidence: reported}}";

impl Reader<'_> {
    /// The evidence that our own export states for a part, if it is weaker than the evidence of the import.
    pub(super) fn own_evidence(&self, part: &Value) -> Option<Evidence> {
        let stated = text(part, "x-evidence").filter(|_| self.document.root.get("x-catalogue").is_some())?;
        Evidence::of(stated).filter(|stated| *stated > self.options.evidence)
    }

    /// The other names that our own export states for a param or field.
    pub(super) fn also_named(&self, part: &Value) -> Vec<Text> {
        let mut names = Vec::new();
        if self.document.root.get("x-catalogue").is_some() {
            let listed = part.get("x-also-named").and_then(Value::as_sequence);
            for name in listed.into_iter().flatten() {
                names.extend(name.as_str().map(Into::into));
            }
        }
        names
    }

    /// The content of a file of a catalogue: `start`, the keys of an export, and `end`. If the keys are invalid, adds a
    /// note and returns `None`.
    pub(super) fn kept(&mut self, value: &Value, [file, start, end]: [&str; 3], pointer: &str) -> Option<Catalogue> {
        let keys = serde_json::to_string(value.get("x-catalogue")?).ok()?;
        let text = format!("{start}{}{end}", keys.trim_start_matches('{'));
        let files = [(file, text.as_str()), ("service.yaml", SERVICE)];
        let catalogue = load_texts(if file == "service.yaml" { &files[..1] } else { &files });
        if !catalogue.is_valid() {
            self.omissions.add(Weight::Fact, "`x-catalogue`, which is not a part of a catalogue", pointer);
            return None;
        }
        Some(catalogue)
    }
}
