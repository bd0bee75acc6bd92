//! What our catalogue says of each thing is more than its name: a summary has a word that neither the name has nor
//! every sentence, and what nobody knows is said in one form.

use std::path::Path;

use codegen::{OpenApiFormat, OpenApiVersion, openapi};
use serde_json::Value;

/// Words that explain nothing where nothing else is said.
const FILLERS: &str = "a all an and are as at be between by called data difference each every for from how in index \
    interval intervals is it its like metric metrics named number of on one or other over record records series \
    service than that the their them these this time to value values variant what when where which with";

fn description() -> Value {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec");
    let api = codegen::read(&spec).expect("our catalogue has no finding");
    serde_json::from_str(&openapi(&api, OpenApiVersion::V3_0, OpenApiFormat::Json)).expect("JSON")
}

/// Every name with the first paragraph of its description.
fn summaries(description: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut add = |name: &str, described: &Value| {
        let text = described["description"].as_str().unwrap_or_default();
        found.push((name.to_owned(), text.split("\n\n").next().unwrap_or_default().to_owned()));
    };
    let entries = |value: &'static str| description["components"][value].as_object().into_iter().flatten();
    for operation in description["paths"].as_object().into_iter().flatten().map(|(_, item)| &item["get"]) {
        add(operation["summary"].as_str().unwrap_or_default(), operation);
        for param in operation["parameters"].as_array().into_iter().flatten().filter(|param| param["name"].is_string())
        {
            add(param["name"].as_str().unwrap_or_default(), param);
        }
    }
    for endpoint in description["x-known-by-name"].as_array().into_iter().flatten() {
        add(endpoint["summary"].as_str().unwrap_or_default(), endpoint);
    }
    for (_, param) in entries("parameters") {
        add(param["name"].as_str().unwrap_or_default(), param);
    }
    for (_, schema) in entries("schemas") {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            if field["description"].is_string() {
                add(name, field);
            }
        }
    }
    for tag in description["tags"].as_array().into_iter().flatten() {
        add(tag["x-displayName"].as_str().unwrap_or_default(), tag);
    }
    found
}

/// The words of a text or of a name in camel case, in one form: `Leaderboards` and `leaderboard` are one.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    for character in text.chars() {
        if character.is_uppercase() && !spaced.ends_with(char::is_uppercase) {
            spaced.push(' ');
        }
        spaced.push(character);
    }
    let words = spaced.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let stem = |word: &str| {
        let word = word.to_lowercase();
        ["ed", "ing", "es", "s", "e"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(&word).to_owned()
    };
    words.map(stem).collect()
}

/// What a summary says beyond a name.
fn said(name: &str, summary: &str) -> Vec<String> {
    let known: Vec<_> = words(name).into_iter().chain(words(FILLERS)).collect();
    words(summary).into_iter().filter(|word| !known.contains(word)).collect()
}

#[test]
fn a_summary_says_more_than_its_name() {
    let all = summaries(&description());
    assert!(all.len() > 300, "only {} summaries are there", all.len());
    let empty: Vec<_> = all.iter().filter(|(name, summary)| said(name, summary).is_empty()).collect();
    assert!(empty.is_empty(), "{empty:#?}");
}

#[test]
fn words_of_the_name_are_not_counted() {
    for (name, summary, more) in [
        ("fundingRate", "The funding rate.", false),
        ("Squeeze Intensity", "Intensity of squeezes.", false),
        ("Liquidation Levels TV", "The TV variant of the liquidation levels.", false),
        ("Bvol", "The index called Bvol.", false),
        ("limit", "How many of them are wanted.", true),
    ] {
        assert_eq!(!said(name, summary).is_empty(), more, "{name}: {summary}");
    }
}

/// Ways to say that nobody knows, other than the one.
const OTHER_WAYS: [&str; 6] =
    ["not known", "not documented", "not described", "nobody knows", "is unknown", "are unknown"];

#[test]
fn what_nobody_knows_is_said_in_one_form() {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec");
    for file in std::fs::read_dir(spec).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if file.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("text").split_whitespace().collect::<Vec<_>>().join(" ");
        for way in OTHER_WAYS {
            assert!(!text.contains(way), "{} says “{way}”; write `Unknown: …` as the last sentence", file.display());
        }
    }
}
