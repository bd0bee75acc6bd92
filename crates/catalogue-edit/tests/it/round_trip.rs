//! Tests that our own OpenAPI description, imported into an empty folder, becomes the same client again, except for facts
//! that OpenAPI cannot state.

use catalogue::{load_texts, resolve};
use catalogue_edit::diff::compare;
use catalogue_edit::{Evidence, Import, import};
use codegen::{OpenApiVersion, openapi};

const SERVICE: &str = "\
title: Tides
version: '1'
summary: Tides of harbours.
env_prefix: TIDES
base_url: {suffix: /v1, evidence: documented}
time: {unit: seconds, evidence: documented}
credentials:
  api_key: {header: x-api-key, evidence: documented}
envelope:
  data: data
  time: {name: openDate, type: timestamp, summary: Start., example: 1757937600}
  metadata:
    name: metadata
    fields:
    - {name: harbours, type: list<Harbour>, summary: The harbours., optional: true}
  evidence: documented
history: {from: startTime, to: endTime, limit: limit, step: interval, evidence: documented}
types:
- {name: Harbour, kind: identifier, summary: A harbour., evidence: documented, values: [{value: Brest}, {value: Cork}]}
- name: Interval
  kind: identifier
  summary: A length of time.
  evidence: documented
  values: [{value: 1h, duration: 1h}, {value: 1d, duration: 1d}]
params:
- {name: harbour, type: Harbour, required: documented, summary: Which., evidence: documented}
- {name: interval, type: Interval, summary: How long., evidence: documented}
- {name: startTime, type: timestamp, summary: From., example: 1757937600, evidence: documented}
- {name: endTime, type: timestamp, summary: To., example: 1758024000, evidence: documented}
- {name: limit, type: count, default: 50, summary: How many., evidence: documented}
records:
- name: Level
  summary: A level.
  evidence: documented
  fields:
  - {name: height, type: number, summary: In metres.}
  - {name: at, type: timestamp, format: iso8601, summary: When.}
";
const WATER: &str = "\
title: Water
summary: The water.
records:
- name: Wave
  summary: A wave.
  evidence: documented
  fields:
  - {name: openDate, type: timestamp, summary: Start., example: 1757937600}
  - {name: crest, type: number, summary: Its top.}
endpoints:
- name: Heights
  path: /heights
  evidence: documented
  summary: The heights.
  params: [harbour, interval, startTime, endTime, limit]
  body:
    series:
    - {name: high, type: Level, summary: The highest.}
    - {name: low, type: Level, summary: The lowest., optional: true}
    - {name: count, type: count, summary: How many.}
- name: Waves
  path: /waves
  evidence: documented
  summary: The waves.
  params: [harbour, interval, startTime, endTime, limit]
  body: {series: Wave}
- name: Swell
  path: /swell
  evidence: documented
  summary: The swell.
  params: [harbour]
  body: {series: Wave}
- name: Foam
  path: /foam
  evidence: documented
  summary: The foam.
  params: []
  body: {series: unknown}
- name: Tide
  path: '/tides/{id}'
  evidence: documented
  summary: A tide.
  params: [{name: id, type: string, in: path, summary: Which.}]
  body:
    object:
    - {name: level, type: Level, summary: How high.}
    - {name: names, type: list<string>, summary: Its names.}
";

/// A service without a key, whose numbers are in quotes, and most of whose facts OpenAPI cannot state.
const QUOTES: &str = "\
title: Quotes
version: '1'
summary: Prices for everyone.
env_prefix: QUOTES_DATA
time: {unit: milliseconds, evidence: documented}
headers:
- {name: x-format, value: json, evidence: documented}
errors:
- {status: 429, summary: Too many requests., evidence: documented}
error_body: {message: [msg], code: [code], success: ['0'], rate_limited: ['50011'], evidence: documented}
limits:
- {name: all, requests: 2400, seconds: 60, scope: An address., evidence: documented}
- {name: charts, requests: 30, seconds: 60, scope: An address., endpoints: [/chart, market], evidence: documented}
history: {from: start, to: end, limit: limit, step: interval, evidence: documented}
types:
- name: Interval
  kind: identifier
  summary: A length of time.
  evidence: documented
  values: [{value: 1h, duration: 1h}, {value: 1d, duration: 1d}]
params:
- {name: interval, type: Interval, summary: How long., evidence: documented}
- {name: start, type: timestamp, summary: Lower bound., evidence: documented}
- {name: end, type: timestamp, summary: Upper bound., evidence: documented}
- {name: limit, type: count, summary: How many., evidence: documented}
";
const MARKET: &str = "\
title: Market
summary: The market.
endpoints:
- name: Candles
  path: /candles
  evidence: documented
  summary: Prices of an interval.
  params: [interval, start, end, limit]
  weight: 5
  weight_by: {param: limit, steps: [{max: 100, weight: 1}]}
  body:
    data: data.rows
    positional: true
    time: time
    series:
    - {name: time, type: timestamp, quoted: true, summary: Start.}
    - {name: close, type: number, quoted: true, summary: The last price.}
    - {name: volume, type: decimal, summary: What was traded.}
    - {name: trades, type: count, quoted: true, summary: How many trades.}
- name: Chart
  path: /chart
  evidence: documented
  summary: Prices as lists.
  params: [interval, start, end, limit]
  body:
    data: result
    columns: true
    time: ticks
    series:
    - {name: ticks, type: timestamp, summary: Start.}
    - {name: price, type: number, summary: Last trade., range: {min: 0}}
    - {name: volume, type: number, quoted: true, summary: What was traded., optional: true}
- name: Funding
  path: /funding
  evidence: documented
  summary: The rates.
  params: [start, end]
  history: {from: start, to: end, every: 8h, oldest: 90d, time_is: end, includes_start: true, evidence: documented}
  body:
    data: data
    time: at
    series:
    - {name: at, type: timestamp, unit: seconds, summary: Due time.}
    - {name: sequence, type: integer, quoted: true, summary: Number of the payment.}
";

/// Returns the catalogue that an import creates from the description of a catalogue.
fn exported_and_imported(texts: &[(&str, &str)], version: OpenApiVersion) -> (Vec<(String, String)>, String) {
    let api = resolve(&load_texts(texts)).expect("a catalogue");
    let text = openapi(&api, version);
    let options = Import { text, evidence: Evidence::Documented, summaries: true, hosts: Vec::new() };
    let change = import(None, &options).expect("a description");
    assert!(change.notes().iter().all(|note| !note.contains("x-catalogue")), "{:?}", change.notes());
    let files: Vec<_> = change.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let again = borrowed(&files);
    let difference = compare(&api, &resolve(&load_texts(&again)).expect("a catalogue")).to_string();
    (files, difference)
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
}

#[test]
fn exported_description_becomes_the_same_client() {
    let (files, difference) =
        exported_and_imported(&[("service.yaml", SERVICE), ("water.yaml", WATER)], OpenApiVersion::V3_1);
    // OpenAPI cannot state the file that lists a record, so a record that only one group uses is listed there.
    let expected = "\
major (breaks existing programs):
  - `Level` is now `water::Level`

verdict: major
";
    assert_eq!(difference, expected, "{files:#?}");
}

#[test]
fn facts_that_openapi_cannot_state_are_kept() {
    let texts = [("service.yaml", QUOTES), ("market.yaml", MARKET)];
    let (files, difference) = exported_and_imported(&texts, OpenApiVersion::V3_1);
    assert_eq!(difference, "no changes: the emitted files are equal\n", "{files:#?}");
    // In version 3.0 the interval is a string without known values, so no endpoint has a history with this step.
    let (files, _) = exported_and_imported(&texts, OpenApiVersion::V3_0);
    let (_, service) = &files[1];
    assert!(service.contains("limits:") && files.iter().all(|(_, text)| !text.contains("history:")), "{files:#?}");
}

#[test]
fn updated_description_of_a_catalogue_changes_only_what_is_new() {
    let history = "history: {from: startTime, to: endTime, limit: limit, step: interval, evidence: documented}";
    let water = &WATER.replace(
        "  body: {series: Wave}\n- name: Swell",
        &format!("  body: {{series: Wave}}\n  {history}\n- name: Swell"),
    );
    let known = [("service.yaml", SERVICE), ("water.yaml", water)];
    let more = "\
- name: Currents
  path: /currents
  evidence: documented
  summary: Speed of the water.
  params: [harbour, interval, startTime, endTime, limit]
  body:
    series:
    - {name: speed, type: number, summary: In knots.}
";
    let gone = water.replace("- name: Foam\n  path: /foam\n", "- name: Foam\n  path: unknown\n") + more;
    let api = resolve(&load_texts(&[("service.yaml", SERVICE), ("water.yaml", &gone)])).expect("a catalogue");
    let text = openapi(&api, OpenApiVersion::V3_1);
    let options = Import { text, evidence: Evidence::Documented, summaries: true, hosts: Vec::new() };
    let change = import(Some(load_texts(&known)), &options).expect("a description");
    let texts: Vec<_> = change.texts().collect();
    assert_eq!(texts, [("water.yaml", format!("{water}{more}").as_str())]);
    let contradictions: Vec<_> = change.notes().iter().filter(|note| !note.starts_with("not imported")).collect();
    assert_eq!(contradictions, ["endpoints that are not in the description: `/foam`"]);
}

#[test]
fn groups_on_another_host_are_imported_from_our_own_export() {
    const BROKER: &str = "\
title: Broker
summary: The broker.
base_url: {name: broker, suffix: /v9, evidence: reported}
endpoints:
- name: Orders
  path: /orders
  evidence: documented
  summary: All orders.
  params: []
  body: unknown
";
    let service = QUOTES.replace("time: {", "base_url: {suffix: /v3, evidence: documented}\ntime: {");
    let texts = [("service.yaml", service.as_str()), ("market.yaml", MARKET), ("broker.yaml", BROKER)];
    for version in [OpenApiVersion::V3_0, OpenApiVersion::V3_1] {
        let (files, _) = exported_and_imported(&texts, version);
        let broker = files.iter().find(|(name, _)| name == "broker.yaml").map(|(_, text)| text.as_str());
        let broker = broker.unwrap_or_default();
        assert!(broker.contains("base_url: {name: broker, suffix: /v9, evidence: reported}"), "{broker}");
        assert!(broker.contains("path: /orders\n"), "{broker}");
    }
}
