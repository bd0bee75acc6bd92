//! Reads the extensions of our own export, which state what OpenAPI cannot: above all `x-catalogue`, with keys of the
//! catalogue.

use catalogue::spec::{Endpoint, Evidence, GroupBaseUrl, Service};
use catalogue::{Catalogue, Text, load_texts};
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::tree::{items, text};

/// The service of an endpoint that is read alone.
const SERVICE: &str = "{title: x, version: '1', env_prefix: X, time: {unit: seconds, evidence: reported}}";

impl DescriptionReader<'_> {
    /// The evidence that our own export states for a part, if it is weaker than the evidence of the import.
    pub(super) fn stated_evidence(&self, part: &Value) -> Option<Evidence> {
        if !self.document.is_own_export() {
            return None;
        }
        let stated = Evidence::of(text(part, "x-evidence")?)?;
        if stated > self.options.evidence { Some(stated) } else { None }
    }

    /// The other names that our own export states for a param or field.
    pub(super) fn also_named(&self, part: &Value) -> Vec<Text> {
        let mut names = Vec::new();
        if self.document.is_own_export() {
            for name in items(part, "x-also-named") {
                names.extend(name.as_str().map(Into::into));
            }
        }
        names
    }

    /// The keys of the service that our own export states.
    pub(super) fn exported_service(&mut self) -> Option<Service> {
        let keys = exported_keys(&self.document.root)?;
        let text = format!("{{title: x, version: '1', {keys}");
        let catalogue = self.exported_catalogue(&[("service.yaml", text.as_str())], "#")?;
        catalogue.into_spec().0
    }

    /// The base URL of a group on another host that our own export states in the tag of the group.
    pub(super) fn exported_base_url(&mut self, tag: &Value, pointer: &str) -> Option<GroupBaseUrl> {
        let keys = exported_keys(tag)?;
        let text = format!("{{title: x, endpoints: [], {keys}");
        let catalogue = self.exported_catalogue(&[("x.yaml", text.as_str()), ("service.yaml", SERVICE)], pointer)?;
        let mut groups = catalogue.into_spec().1;
        let (_, group) = groups.pop()?;
        group.base_url
    }

    /// The keys of an endpoint that our own export states.
    pub(super) fn exported_endpoint(&mut self, operation: &Value, pointer: &str) -> Option<Endpoint> {
        let keys = exported_keys(operation)?;
        let text = format!("{{title: x, endpoints: [{{name: x, path: unknown, evidence: reported, {keys}]}}");
        let catalogue = self.exported_catalogue(&[("x.yaml", text.as_str()), ("service.yaml", SERVICE)], pointer)?;
        let mut groups = catalogue.into_spec().1;
        let (_, mut group) = groups.pop()?;
        group.endpoints.pop()
    }

    /// The catalogue of these files. Invalid keys are noted.
    fn exported_catalogue(&mut self, files: &[(&str, &str)], pointer: &str) -> Option<Catalogue> {
        let catalogue = load_texts(files);
        if catalogue.is_valid() {
            return Some(catalogue);
        }
        self.omissions.add(Weight::Fact, "`x-catalogue`, which is not a part of a catalogue", pointer);
        None
    }
}

/// The keys under `x-catalogue` as the end of a map in YAML.
fn exported_keys(value: &Value) -> Option<String> {
    let keys = serde_json::to_string(value.get("x-catalogue")?).ok()?;
    Some(keys.trim_start_matches('{').to_owned())
}
