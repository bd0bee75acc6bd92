//! Tests that any text in a catalogue results in an error or in valid Rust, and that nothing panics.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use crate::property::{self, check};

/// Texts with a special meaning in YAML, Rust, Markdown, HTML, paths or the catalogue, and a few ordinary texts.
const TEXTS: &[&str] = &[
    "plain",
    "two words",
    "camelCase",
    "anchoredCVD",
    "",
    " ",
    "\"",
    "\\",
    "*/",
    "/*",
    "//",
    "///",
    "\n",
    "\r\n",
    "a\nb",
    "{",
    "}",
    "{}",
    "{x}",
    "`",
    "``",
    "```",
    "<script>",
    "</code>",
    "&lt;",
    "[link](x)",
    "[`Client`]",
    "#",
    "# h",
    "- x",
    "1. x",
    "~~~",
    "../x",
    "/",
    "//",
    "/a",
    "/v2/a",
    "/{a}",
    "/a/{b}",
    "self",
    "Self",
    "crate",
    "super",
    "r#type",
    "type",
    "gen",
    "async",
    "_",
    "__",
    "1",
    "1h",
    "24h",
    "%",
    "$",
    "'",
    "' '",
    "\u{202e}",
    "\u{200b}",
    "\0",
    "\u{7}",
    "é",
    "日本",
    "🦀",
    "query",
    "raw",
    "history",
    "unknown",
    "unknown_fields",
    "Unknown",
    "none",
    "null",
    "true",
    "~",
    "42",
    "1e9",
    "Client",
    "Record",
    "Value",
    "Some",
    "Timeframe",
    "Level",
    "list<number>",
    "list<Level>",
    "list<list<any>>",
    "number",
    "timestamp",
    "openDate",
    "open_date",
    "data",
    "Takes",
    "TakesCoin",
    "MarketGroup",
    "macro_rules!",
    "#![allow(x)]",
    "'static",
    "\u{feff}",
    "\\u{1}",
    "%s",
    "{{",
    "}}",
    "]]>",
    "--",
    "@generated",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(TEXTS).prop_map(str::to_owned),
        2 => "[a-z]{1,8}( [A-Za-z]{1,6})?",
        1 => any::<String>(),
        1 => (prop::sample::select(TEXTS), prop::sample::select(TEXTS)).prop_map(|(a, b)| format!("{a}{b}")),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![6 => "[a-z]{1,6}([A-Z][a-z]{1,4}){0,2}", 1 => text()]
}

fn value_type() -> impl Strategy<Value = String> {
    let good =
        prop::sample::select(&["number", "string", "count", "any", "timestamp", "Mode", "Level", "list<Level>"][..]);
    prop_oneof![8 => good.prop_map(str::to_owned), 1 => text()]
}

/// Writes a text in double quotes, with escapes that YAML supports, so that any text can be part of a catalogue.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            ' '..='~' => json.push(character),
            _ => json += &format!("\\U{:08x}", u32::from(character)),
        }
    }
    json + "\""
}

fn field() -> impl Strategy<Value = String> {
    (name(), value_type(), text(), text(), any::<bool>()).prop_map(|(name, ty, summary, unit, optional)| {
        format!(
            "{{name: {}, type: {}, summary: {}, unit: {}, optional: {optional}, evidence: reported}}",
            quoted(&name),
            quoted(&ty),
            quoted(&summary),
            quoted(&unit)
        )
    })
}

fn param() -> impl Strategy<Value = String> {
    (name(), value_type(), text(), text(), prop::option::of(name()), 0..4_u8).prop_map(
        |(name, ty, summary, default, list, kind)| {
            let mut param = format!("{{name: {}, type: {}, summary: {}", quoted(&name), quoted(&ty), quoted(&summary));
            param += match kind {
                0 => ", in: path",
                1 => ", required: documented",
                2 => ", required: reported",
                _ => "",
            };
            if kind == 3 {
                param += &format!(", default: {}", quoted(&default));
            }
            if let Some(list) = list {
                param += &format!(", list_setter: {}", quoted(&list));
            }
            param + "}"
        },
    )
}

fn endpoint() -> impl Strategy<Value = String> {
    let path = prop_oneof![4 => "/[a-z]{3,9}(/[a-z]{2,5})?", 1 => text(), 1 => Just("unknown".to_owned())];
    let fields = prop::collection::vec(field(), 0..4);
    let params = prop::collection::vec(param(), 0..4);
    (name(), path, text(), text(), params, fields, prop::collection::vec(text(), 0..2), 0..4_u8).prop_map(
        |(name, path, summary, notes, params, fields, aliases, body)| {
            let fields = fields.join(", ");
            let body = match body {
                0 => "unknown".to_owned(),
                1 => "{series: unknown}".to_owned(),
                2 => format!("{{object: [{fields}]}}"),
                _ => format!("{{series: [{fields}]}}"),
            };
            let aliases: Vec<_> = aliases.iter().map(|alias| quoted(alias)).collect();
            format!(
                "{{name: {}, path: {}, evidence: documented, summary: {}, notes: {}, deprecated: {}, aliases: [{}], \
                 params: [{}], body: {body}}}",
                quoted(&name),
                quoted(&path),
                quoted(&summary),
                quoted(&notes),
                quoted(&notes),
                aliases.join(", "),
                params.join(", "),
            )
        },
    )
}

fn service(value: &str, summary: &str, title: &str) -> String {
    format!(
        "{{title: {title}, version: {title}, summary: {summary}, env_prefix: X, time: {{unit: seconds, evidence: documented}}, \
         envelope: {{data: {title}, time: {{name: openDate, type: timestamp, summary: {summary}}}, evidence: documented}}, \
         types: [{{name: Mode, kind: enum, summary: {summary}, evidence: documented, values: [{{value: a}}, \
         {{value: {value}, summary: {summary}}}]}}, {{name: Id, kind: identifier, summary: {summary}, evidence: documented, \
         values: [{{value: {value}}}]}}], \
         records: [{{name: Level, summary: {summary}, evidence: documented, fields: []}}]}}",
        title = quoted(title),
        summary = quoted(summary),
        value = quoted(value),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { ..ProptestConfig::default() })]

    #[test]
    fn random_catalogue_yields_errors_or_rust(
        endpoints in prop::collection::vec(endpoint(), 0..3),
        (value, summary, title) in (text(), text(), text()),
        (group_title, group_summary) in (text(), text()),
    ) {
        let group = format!(
            "{{title: {}, summary: {}, endpoints: [{}]}}",
            quoted(&group_title), quoted(&group_summary), endpoints.join(", "),
        );
        check(&service(&value, &summary, &title), &group);
    }

    #[test]
    fn random_text_of_a_value_is_escaped(text in text(), index in 0..5_usize) {
        let mut texts = ["a", "b", "c", "d", "e"].map(str::to_owned);
        texts[index] = text;
        let [summary, notes, unit, alias, value] = texts.map(|text| quoted(&text));
        let group = format!(
            "{{title: T, summary: {summary}, endpoints: [{{name: Basis, path: /basis, evidence: reported, summary: {summary}, \
             notes: {notes}, aliases: [{alias}], params: [{{name: mode, type: string, default: {value}, summary: {notes}}}], \
             body: {{series: [{{name: basis, type: number, summary: {summary}, unit: {unit}}}]}}}}]}}"
        );
        check(&service("other", "s", "t"), &group);
    }

    #[test]
    fn random_bytes_yield_an_error_or_a_catalogue(text in any::<String>()) {
        check(&text, &text);
    }
}

#[test]
fn strategies_also_produce_valid_catalogues() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let valid = (0..300)
        .filter(|_| {
            let endpoint = endpoint().new_tree(&mut runner).expect("a value").current();
            check(&service("other", "s", "t"), &format!("{{title: T, summary: S, endpoints: [{endpoint}]}}"))
        })
        .count();
    assert!(valid > 5, "only {valid} of 300 random catalogues are valid, so the property tests hardly test valid ones");
}

/// Checks all texts in the corpus of the fuzz target.
#[test]
fn stored_texts_yield_errors_or_rust() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/catalogue");
    let entries = fs::read_dir(corpus).expect("the folder of the corpus");
    let texts: Vec<_> = entries.map(|entry| fs::read(entry.expect("an entry").path()).expect("a file")).collect();
    assert!(texts.len() > 10, "most texts of the corpus are missing");
    let valid = texts.iter().filter(|text| property::check_one(text)).count();
    assert!(valid > 0, "no text of the corpus is a valid catalogue");
}
