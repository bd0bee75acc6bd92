//! Descriptions in which keys are missing or have the values of others, imported one after the other into what the
//! last one left: whatever they say, the catalogue stays without a mistake, and the same once more adds nothing.
//!
//! The mutations are drawn from a fixed seed, so that every run is the same. `ROUNDS=3000` looks further.

#![expect(clippy::expect_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use codegen::load_texts;
use evolve::{Import, import};
use serde_yaml::Value;

#[test]
fn whatever_a_description_says_the_catalogue_is_sound() {
    let sources = sources();
    let values: Vec<&Value> = sources.iter().flat_map(|(description, _)| within(description)).collect();
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(60);
    for seed in 0..rounds {
        let mut draw = Draw(seed);
        let (first, before) = &sources[draw.below(sources.len())];
        let mut catalogue = before.clone();
        for description in [first, &sources[draw.below(sources.len())].0, first] {
            let mut description = description.clone();
            mutate(&mut description, &mut draw, &values);
            let options = Import {
                text: serde_yaml::to_string(&description).expect("YAML"),
                evidence: ["document", "published", "reported", "former"][draw.below(4)].to_owned(),
                summaries: draw.below(2) == 0,
                places: false,
            };
            let is_new = catalogue.is_empty();
            take_over(&mut catalogue, &options, seed);
            let (said, diff) = take_over(&mut catalogue, &options, seed);
            assert_eq!(diff, "", "seed {seed}: once more it edits");
            let contradicts = |line: &&String| !line.starts_with("beyond") && line.contains(" stay");
            assert_eq!(said.iter().find(contradicts).filter(|_| is_new), None, "seed {seed}: it contradicts itself");
        }
    }
}

type Texts = BTreeMap<String, String>;

/// Imports into a catalogue; what is said, and the edit.
fn take_over(catalogue: &mut Texts, options: &Import, seed: u64) -> (Vec<String>, String) {
    let texts: Vec<_> = catalogue.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let change = import((!texts.is_empty()).then(|| load_texts(&texts)), options);
    let change = change.map_err(|refusal| format!("seed {seed}: {refusal}")).expect("a sound catalogue");
    let after: Vec<_> = change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    catalogue.extend(after);
    (change.said().to_vec(), change.diff(""))
}

/// The descriptions of the cases, each with the catalogue that it is imported into.
fn sources() -> Vec<(Value, Texts)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import");
    let mut cases: Vec<_> = fs::read_dir(folder).expect("cases").map(|case| case.expect("a case").path()).collect();
    cases.sort();
    let sources = cases.iter().filter_map(|case| {
        let text = ["openapi.yaml", "openapi.json"].iter().find_map(|name| fs::read_to_string(case.join(name)).ok())?;
        let mut description: Value = serde_yaml::from_str(&text).expect("YAML");
        description.apply_merge().expect("anchors");
        description.get("openapi")?;
        let files = fs::read_dir(case.join("before")).into_iter().flatten().map(|file| file.expect("a file").path());
        let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
        Some((description, files.map(|file| (name(&file), fs::read_to_string(&file).expect("text"))).collect()))
    });
    sources.collect()
}

/// A value and all that it is made of.
fn within(value: &Value) -> Vec<&Value> {
    let inner: Vec<&Value> = match value {
        Value::Mapping(entries) => entries.values().collect(),
        Value::Sequence(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    std::iter::once(value).chain(inner.into_iter().flat_map(within)).collect()
}

/// Takes some keys away and gives some the value of another.
fn mutate(value: &mut Value, draw: &mut Draw, values: &[&Value]) {
    match value {
        Value::Mapping(entries) => {
            let keys: Vec<Value> = entries.keys().filter(|key| key.as_str() != Some("openapi")).cloned().collect();
            for key in keys {
                match (draw.below(25), entries.get_mut(&key)) {
                    (0, _) => drop(entries.remove(&key)),
                    (1, _) => drop(entries.insert(key, values[draw.below(values.len())].clone())),
                    (_, Some(inner)) => mutate(inner, draw, values),
                    _ => {}
                }
            }
        }
        Value::Sequence(items) => items.iter_mut().for_each(|item| mutate(item, draw, values)),
        _ => {}
    }
}

/// Numbers that look drawn by lot and are the same on every machine.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 33;
        usize::try_from(mixed).unwrap_or_default() % limit.max(1)
    }
}
