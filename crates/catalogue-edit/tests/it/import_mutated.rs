//! Imports several descriptions with missing keys and exchanged values into one catalogue. After each import, the
//! catalogue must be valid, and a second import of the same description must change nothing.
//!
//! The names of the cases are the seeds of the mutations, so that every run is the same, and a new case does not affect
//! other cases. `ROUNDS=300` runs more rounds.

use std::collections::BTreeMap;

use std::path::Path;

use catalogue::load_texts;
use catalogue_edit::{Evidence, Import, import};
use recorded_cases::{Archive, archives};
use serde_yaml::Value;

use crate::import_case::ImportCase;

/// A round tests a random selection of the pairs of cases: on average, one of every `PAIRS` pairs.
const PAIRS: usize = 128;

#[test]
fn mutated_description_yields_a_valid_catalogue_or_an_error() {
    let cases = cases();
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    let mut failures = Vec::new();
    for (round, first, second) in (0..rounds).flat_map(|round| pairs(&cases).map(move |(a, b)| (round, a, b))) {
        let mut draw = Draw::of(&first.name, &second.name, round);
        if draw.below(PAIRS) == 0
            && let Err(why) = import_mutated(first, second, &mut draw)
        {
            failures.push(format!("{} and {} in round {round}: {why}", first.name, second.name));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

fn pairs(cases: &[Case]) -> impl Iterator<Item = (&Case, &Case)> {
    cases.iter().flat_map(move |first| cases.iter().map(move |second| (first, second)))
}

/// Imports three mutated descriptions into the catalogue of the first case: the description of the first case, the
/// description of the second case, and the description of the first case with other mutations. Each is imported twice.
fn import_mutated(first: &Case, second: &Case, draw: &mut Draw) -> Result<(), String> {
    let values: Vec<&Value> = within(&first.description).into_iter().chain(within(&second.description)).collect();
    let mut catalogue = first.before.clone();
    for case in [first, second, first] {
        let mut description = case.description.clone();
        mutate(&mut description, draw, &values);
        let options = Import {
            text: serde_yaml::to_string(&description).map_err(|error| error.to_string())?,
            evidence: [Evidence::Documented, Evidence::Published, Evidence::Reported, Evidence::PreviousVersion]
                [draw.below(4)],
            summaries: draw.below(2) == 0,
            hosts: Vec::new(),
        };
        let is_new = catalogue.is_empty();
        import_into(&mut catalogue, &options)?;
        let (notes, diff) = import_into(&mut catalogue, &options)?;
        if !diff.is_empty() {
            return Err(format!("the second import changes the catalogue:\n{diff}"));
        }
        let contradicts = |line: &&String| !line.starts_with("not imported");
        if let Some(line) = notes.iter().find(contradicts).filter(|_| is_new) {
            return Err(format!("the second import reports a contradiction: {line}"));
        }
    }
    Ok(())
}

type Texts = BTreeMap<String, String>;

/// Imports a description into a catalogue, and returns the notes and the edit.
fn import_into(catalogue: &mut Texts, options: &Import) -> Result<(Vec<String>, String), String> {
    let texts: Vec<_> = catalogue.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let known = (!texts.is_empty()).then(|| load_texts(&texts));
    let change = match import(known, options).map_err(|refusal| refusal.to_string()) {
        // A mutation can remove all endpoints.
        Err(why) if why.starts_with("no endpoint is imported") => return Ok(Default::default()),
        change => change?,
    };
    let after: Vec<_> = change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    catalogue.extend(after);
    Ok((change.notes().to_vec(), change.diff("")))
}

/// A description, and the catalogue into which it is imported.
struct Case {
    name: String,
    description: Value,
    before: Texts,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in archives(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import")) {
        let mut archive = Archive::read(&path).expect("an archive");
        let case = ImportCase::take(&mut archive).expect("a case");
        let mut description: Value = serde_yaml::from_str(&case.description).expect("YAML");
        description.apply_merge().expect("anchors");
        if description.get("openapi").is_some() {
            cases.push(Case { name: archive.case_name(), description, before: case.before });
        }
    }
    cases
}

/// Returns a value and all values inside it.
fn within(value: &Value) -> Vec<&Value> {
    let inner: Vec<&Value> = match value {
        Value::Mapping(entries) => entries.values().collect(),
        Value::Sequence(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    std::iter::once(value).chain(inner.into_iter().flat_map(within)).collect()
}

/// Removes some keys, and replaces the values of some others.
fn mutate(value: &mut Value, draw: &mut Draw, values: &[&Value]) {
    match value {
        Value::Mapping(entries) => {
            let keys: Vec<Value> = entries.keys().filter(|key| key.as_str() != Some("openapi")).cloned().collect();
            for key in keys {
                match (draw.below(25), entries.get_mut(&key)) {
                    (0, _) => drop(entries.remove(&key)),
                    (1, _) => {
                        entries.insert(key, values[draw.below(values.len())].clone());
                    }
                    (_, Some(inner)) => mutate(inner, draw, values),
                    _ => {}
                }
            }
        }
        Value::Sequence(items) => items.iter_mut().for_each(|item| mutate(item, draw, values)),
        _ => {}
    }
}

/// Pseudorandom numbers that are the same on every machine.
struct Draw(u64);

impl Draw {
    /// Creates the sequence of numbers for two cases in a round. Other cases do not affect the sequence.
    fn of(first: &str, second: &str, round: u64) -> Self {
        let text = format!("{first}/{second}/{round}");
        Self(
            text.bytes()
                .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)),
        )
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 33;
        usize::try_from(mixed).unwrap_or_default() % limit.max(1)
    }
}
