//! Tests that a response and a description fill in an unknown body in the same way: the fields, types, nesting and time
//! are the same, and only the evidence differs. This also applies to an endpoint that a user has added, which keeps the
//! evidence of its path.

use catalogue::{Catalogue, load_texts};
use catalogue_edit::{
    Addition, CatalogueChange, EndpointResponses, Evidence, Import, LearnOptions, add, import, learn,
};

const SERVICE: &str = "\
title: Shop
version: '1'
summary: A shop.
env_prefix: SHOP
time: {unit: seconds, evidence: documented}
";
const SHELF: &str = "\
title: Shelf
summary: Books.
endpoints:
- name: Sales
  path: /sales
  evidence: documented
  summary: All sales.
  params: []
  body: unknown
";
const RESPONSE: &str = r#"[
    {"openTime": "2026-01-02T03:04:05Z", "price": 9.5, "copies": 2, "book": {"title": "A", "tags": ["x"]}},
    {"openTime": "2026-01-02T03:04:06Z", "price": 7.25, "copies": 1, "book": {"title": "B", "tags": ["y"]}}
]"#;
const DESCRIPTION: &str = r#"{
    "openapi": "3.0.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {"/sales": {"get": {"tags": ["shelf"], "responses": {"200": {"content": {"application/json": {"schema": {
        "type": "array",
        "items": {"type": "object", "required": ["openTime", "price", "copies", "book"], "properties": {
            "openTime": {"type": "string", "format": "date-time"},
            "price": {"type": "number"},
            "copies": {"type": "integer"},
            "book": {"type": "object", "required": ["title", "tags"], "properties": {
                "title": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}}
            }}
        }}
    }}}}}}}}
}"#;

fn catalogue() -> Catalogue {
    load_texts(&[("service.yaml", SERVICE), ("shelf.yaml", SHELF)])
}

/// Returns the file of the group after a user has added the endpoint of `SHELF`.
fn typed() -> String {
    let (head, _) = SHELF.split_once("- name").expect("an endpoint");
    let catalogue =
        load_texts(&[("service.yaml", SERVICE), ("shelf.yaml", &head.replace("endpoints:", "endpoints: []"))]);
    let addition = Addition {
        service: String::new(),
        path: "/sales".to_owned(),
        group: "shelf".to_owned(),
        name: None,
        rust_name: None,
        summary: Some("All sales.".to_owned()),
        params: Some(Vec::new()),
        evidence: Evidence::Documented,
    };
    shelf(&add(Some(catalogue), &addition).expect("an endpoint"))
}

fn learned(catalogue: Catalogue) -> String {
    let response = ("sales.json".to_owned(), RESPONSE.as_bytes().to_vec());
    let options = LearnOptions {
        endpoints: vec![EndpointResponses {
            endpoint: "/sales".to_owned(),
            responses: vec![response],
            ..EndpointResponses::default()
        }],
        evidence: Evidence::Reported,
        enums: Vec::new(),
        accept_mock: false,
    };
    shelf(&learn(catalogue, &options).expect("a response"))
}

fn imported(catalogue: Catalogue) -> String {
    let options =
        Import { text: DESCRIPTION.to_owned(), evidence: Evidence::Published, summaries: false, hosts: Vec::new() };
    shelf(&import(Some(catalogue), &options).expect("a description"))
}

fn shelf(change: &CatalogueChange) -> String {
    change.texts().filter(|(name, _)| *name == "shelf.yaml").map(|(_, text)| text.to_owned()).collect()
}

#[test]
fn response_and_description_fill_an_unknown_body_alike() {
    let learned = learned(catalogue());
    assert!(learned.contains("time: openTime"), "{learned}");
    assert!(learned.contains("evidence: reported"), "{learned}");
    assert_eq!(learned.replace("evidence: reported", "evidence: published"), imported(catalogue()));
}

#[test]
fn typed_endpoint_is_filled_like_any_other() {
    let typed = typed();
    let catalogue = || load_texts(&[("service.yaml", SERVICE), ("shelf.yaml", &typed)]);
    let same = |filled: String| filled.replace("evidence: reported", "evidence: published");
    assert_eq!(same(learned(catalogue())), imported(catalogue()));
    assert_eq!(typed, SHELF);
}
