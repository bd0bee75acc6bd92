//! Whether the catalogue agrees with `facts.yaml`, which has the publicly known facts, key by key.
//!
//! Both become lists of named facts, and the lists are compared. `facts/differences.yaml` explains intended
//! differences; an entry without a difference is an error. Prose is not compared, since the catalogue uses other words;
//! it is only counted.

mod catalogue;
mod known;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_yaml::Value;

use super::{Check, Verify};
use crate::files;
use crate::paths;
use crate::terminal::say;

pub(super) const CHECK: Check = Check {
    name: "facts",
    shows: "the catalogue says what `facts.yaml` does, but for the differences that are explained",
    needs: &[],
    run,
};

/// Facts by name.
type Facts = BTreeMap<String, String>;

/// The word for a fact that only the other side has.
const ABSENT: &str = "nothing";

/// One intended difference.
#[derive(Debug, PartialEq)]
struct Difference {
    /// The fact, and its value on each side; `*` stands for any text.
    at: String,
    facts: String,
    here: String,
    reason: String,
}

/// The file that is compared unless another is named.
fn default_file() -> PathBuf {
    paths::root().join("../shared/interface/facts.yaml")
}

fn run(wanted: &Verify) -> Result<(), String> {
    let file = wanted.file.clone().unwrap_or_else(default_file);
    let text =
        files::read(&file).map_err(|why| format!("{why}\n  help: name the file: `cargo xtask verify facts FILE`"))?;
    let differences = differences(include_str!("facts/differences.yaml"))?;
    let known = known::read(&text).map_err(|why| files::named(&file, why))?;
    let here = catalogue::read(&paths::spec())?;
    say(&format!("{} facts compared, {} texts are prose\n", known.facts.len(), known.prose));
    let told = judge(&known.facts, &here, &differences);
    if told.is_empty() { Ok(()) } else { Err(format!("{} facts\n{}", told.len(), told.concat())) }
}

/// All faults, one line each.
fn judge(known: &Facts, here: &Facts, differences: &[Difference]) -> Vec<String> {
    let mut met = vec![false; differences.len()];
    let mut told = Vec::new();
    for (at, facts, here) in differing(known, here) {
        let is_it =
            |meant: &&Difference| matches(&meant.at, at) && matches(&meant.facts, facts) && matches(&meant.here, here);
        let meant: Vec<_> = differences.iter().enumerate().filter(|(_, meant)| is_it(meant)).collect();
        if meant.is_empty() {
            told.push(format!("  {at}: {facts} in the file, {here} in the catalogue\n"));
        }
        for (index, _) in meant {
            met[index] = true;
        }
    }
    let dead = differences.iter().zip(met).filter(|(_, met)| !met);
    told.extend(dead.map(|(dead, _)| format!("  {}: explained, and no difference any more; delete it\n", dead.at)));
    told
}

/// The facts that differ, with both values.
fn differing<'a>(known: &'a Facts, here: &'a Facts) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
    let of_known = known.iter().map(|(at, facts)| (at.as_str(), facts.as_str(), get(here, at)));
    let of_here = here.iter().filter(|(at, _)| !known.contains_key(*at));
    // A fact that only the catalogue has about a thing of both may be known from the document.
    let of_here = of_here.filter(|(at, _)| is_thing(at)).map(|(at, here)| (at.as_str(), ABSENT, here.as_str()));
    of_known.chain(of_here).filter(|(_, facts, here)| facts != here)
}

/// Whether a name is that of an endpoint, a param or a field, and not of a fact about one.
fn is_thing(at: &str) -> bool {
    let words: Vec<_> = at.split(" | ").collect();
    match words.as_slice() {
        [_, "endpoint"] => true,
        [_, thing] => thing.starts_with("param ") || thing.starts_with("field "),
        _ => false,
    }
}

fn get<'a>(facts: &'a Facts, at: &str) -> &'a str {
    facts.get(at).map_or(ABSENT, String::as_str)
}

/// Whether a pattern matches a name: `*` stands for any text.
fn matches(pattern: &str, at: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == at,
        Some((start, rest)) => at.strip_prefix(start).is_some_and(|at| {
            at.char_indices().map(|(index, _)| index).chain([at.len()]).any(|index| matches(rest, &at[index..]))
        }),
    }
}

fn differences(text: &str) -> Result<Vec<Difference>, String> {
    let list: Value = serde_yaml::from_str(text).map_err(|error| format!("differences.yaml: {error}"))?;
    let entries = list.as_sequence().cloned().unwrap_or_default();
    let entry = |entry: &Value| {
        let text = |key: &str| {
            let value = entry.get(key).map(scalar).filter(|text| !text.is_empty());
            value.ok_or_else(|| format!("differences.yaml: an entry has no `{key}`: {entry:?}"))
        };
        Ok(Difference { at: text("at")?, facts: text("facts")?, here: text("here")?, reason: text("reason")? })
    };
    entries.iter().map(entry).collect()
}

/// A plain value as text; numbers in one form, however they are written.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        Value::Bool(flag) => flag.to_string(),
        Value::Sequence(items) => items.iter().map(scalar).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

/// Whether an argument is the path of a file.
pub(super) fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(list: &[(&str, &str)]) -> Facts {
        list.iter().map(|(at, says)| ((*at).to_owned(), (*says).to_owned())).collect()
    }

    #[test]
    fn what_differs_is_told_unless_it_is_explained_and_what_is_explained_must_differ() {
        let known =
            facts(&[("/a | path", "document"), ("/a | field x | evidence", "reported"), ("/b | param y", "is")]);
        let here = facts(&[("/a | path", "reported"), ("/a | field x | evidence", "document"), ("/a | field z", "is")]);
        let meant = "- {at: '* | field x | evidence', facts: reported, here: document, reason: stated for all}\n\
                     - {at: /c | path, facts: document, here: reported, reason: gone}\n";
        let told = judge(&known, &here, &differences(meant).unwrap_or_default());
        assert_eq!(
            told,
            [
                "  /a | path: document in the file, reported in the catalogue\n",
                "  /b | param y: is in the file, nothing in the catalogue\n",
                "  /a | field z: nothing in the file, is in the catalogue\n",
                "  /c | path: explained, and no difference any more; delete it\n",
            ]
        );
    }

    #[test]
    fn a_pattern_means_any_text_by_a_star() {
        for (pattern, at, expected) in [
            ("* | field x", "/a | field x", true),
            ("/a | *", "/a | field x", true),
            ("*a*x", "/a | field x", true),
            ("/a | field x", "/a | field xy", false),
            ("*y", "/a | field x", false),
        ] {
            assert_eq!(matches(pattern, at), expected, "{pattern} {at}");
        }
    }

    #[test]
    fn a_difference_without_a_reason_is_refused() {
        let told = differences("- {at: /a | path, facts: document, here: reported}\n");
        assert!(told.is_err_and(|told| told.contains("no `reason`")));
    }
}
