//! A small catalogue with every form of body, for registries built at run time.

use runtime::registry::Registry;

use crate::from_spec;

/// The files of the catalogue.
pub(crate) const FILES: [(&str, &str); 2] = [
    (
        "service.yaml",
        "
title: Weather
version: v1
summary: Stations and what they measure.
env_prefix: WEATHER
base_url: {suffix: /v1, evidence: documented}
time: {unit: seconds, evidence: documented}
credentials: {api_key: {header: x-station-key, evidence: documented}}
error_body: {message: [error.text], code: [error.code], evidence: documented}
limits:
- {name: free, requests: 2, seconds: 60, evidence: documented}
envelope:
  data: result.rows
  time: {name: at, type: timestamp, summary: When it was measured., evidence: documented}
  metadata:
    name: result.about
    fields:
    - {name: stations, type: list<Station>, summary: Where it was measured., optional: true}
    - {name: unknown, type: list<Station>, summary: Where nothing is measured., optional: true}
  evidence: documented
history: {from: since, to: until, limit: limit, step: step, sort: order, oldest_first: up, evidence: documented}
types:
- name: Step
  kind: enum
  summary: How far apart records are.
  evidence: documented
  values:
  - {value: 1h, duration: 1h, summary: An hour.}
  - {value: 1d, duration: 1d, summary: A day.}
- name: Order
  kind: enum
  summary: An order.
  evidence: documented
  values:
  - {value: up, summary: The oldest first.}
  - {value: down, summary: The newest first.}
- name: Station
  kind: identifier
  summary: A station.
  evidence: documented
  values:
  - {value: north, summary: In the north.}
  - {value: south, summary: In the south.}
params:
- {id: stations, name: station, type: Station, list_setter: stations, summary: The stations., evidence: documented}
- {name: step, type: Step, required: reported, summary: How far apart records are., evidence: documented}
- {name: since, type: timestamp, summary: Where the range begins., evidence: documented}
- {name: until, type: timestamp, summary: Where the range ends., evidence: documented}
- {name: limit, type: count, default: 5, range: {max: 1000}, summary: How many records., evidence: documented}
- {name: order, type: Order, default: up, summary: Which record is first., evidence: documented}
param_sets:
- {name: range, params: [stations, step, since, until, limit, order]}
",
    ),
    (
        "measures.yaml",
        "
title: Measures
summary: What is measured.
endpoints:
- name: Rain
  path: /rain
  evidence: documented
  summary: How much it rains.
  params: [range]
  body:
    series:
    - {name: depth, type: number, summary: How deep., unit: mm, range: {min: 0, max: 20}}
    - {name: sky, type: string, example: grey, summary: Its colour.}
- name: Pressure
  path: /pressure
  evidence: documented
  summary: The pressure of the air.
  params: [range]
  body: series
- name: Report
  path: /stations/{code}/report
  evidence: documented
  summary: What a station reports.
  params:
  - {name: code, type: Station, in: path, summary: The station.}
  - {name: colour, type: string, rejected_values: [red], summary: Of the page., evidence: reported}
  - {name: level, type: count, allowed_values: [1, 2], summary: How detailed., evidence: reported}
  body:
    object:
    - {name: online, type: boolean, summary: Whether it measures.}
    - {name: levels, type: list<number>, summary: What it measures.}
- name: Legend
  path: /legend
  evidence: documented
  summary: What the names mean.
  params: []
  body: unknown
- {name: Lightning, path: unknown, summary: Strokes of lightning., evidence: documented}
",
    ),
];

/// Its registry.
pub(crate) fn registry() -> Registry {
    let api = codegen::check(&codegen::load_texts(&FILES)).unwrap_or_else(|findings| panic!("{findings}"));
    from_spec::registry(&api)
}
