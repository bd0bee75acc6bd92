//! Requests the endpoints of a catalogue from a mock server of another version of that catalogue.

#![allow(clippy::expect_used, reason = "a test may panic")]

use catalogue_edit::{EndpointResponses, Evidence, LearnOptions, drift};
use live_responses::{Answer, Answered, Selection, request_all};
use runtime::AnyClient;
use runtime::transport::{Headers, HttpResponse, from_fn};
use sandbox::Sandbox;
use test_service::ClosedPort;

const SERVICE: &str = "\
title: Example
version: v1
summary: An example service.
env_prefix: EXAMPLE
time: {unit: seconds, evidence: documented}
credentials: {api_key: {header: x-api-key, evidence: documented}}
";

/// The catalogue of the client.
const MARKET: &str = "\
title: Market
summary: Market data.
endpoints:
- name: Same
  path: /same/{coin}
  evidence: documented
  summary: An endpoint.
  params: [{name: coin, type: string, in: path, example: BTC, summary: The coin.}]
  body: {object: [{name: price, type: number, summary: The price.}]}
- name: Grown
  path: /grown
  evidence: documented
  summary: An endpoint.
  params: []
  body: {object: [{name: price, type: number, summary: The price.}]}
- name: Shrunk
  path: /shrunk
  evidence: documented
  summary: An endpoint.
  params: []
  body: {object: [{name: price, type: number, summary: The price.}, {name: rate, type: number, summary: The rate.}]}
- name: Gone
  path: /gone
  evidence: documented
  summary: An endpoint.
  params: []
  body: {object: [{name: price, type: number, summary: The price.}]}
- name: Nameless value
  path: /value
  evidence: documented
  summary: An endpoint.
  params: [{name: id, type: string, required: documented, summary: The id.}]
  body: unknown
- name: Unknown path
  path: unknown
  evidence: reported
  summary: An endpoint.
  params: unknown
  body: unknown
";

fn api(market: &str) -> catalogue::Api {
    let files = [("market.yaml", market), ("service.yaml", SERVICE)];
    catalogue::resolve(&catalogue::load_texts(&files)).expect("a valid catalogue")
}

/// The catalogue of the server: one field is new, one has vanished, and so has an endpoint.
fn served() -> Sandbox {
    let price = "{name: price, type: number, summary: The price.}";
    let rate = ", {name: rate, type: number, summary: The rate.}";
    let grown = format!(
        "path: /grown\n  evidence: documented\n  summary: An endpoint.\n  params: []\n  body: {{object: [{price}"
    );
    let market =
        MARKET.replace(rate, "").replace(&grown, &format!("{grown}{rate}")).replace("path: /gone", "path: /moved");
    Sandbox::of(&catalogue::registry(&api(&market))).api_key("right").start().expect("a server")
}

async fn answers(url: &str, key: &str, params: &[(String, String)]) -> Vec<Answered> {
    let registry = catalogue::registry(&api(MARKET));
    let client = AnyClient::builder(registry.service, url).api_key(key).build().expect("a client");
    let endpoints = Selection::All.endpoints(&registry).expect("endpoints");
    request_all(&client, &endpoints, params).await
}

/// The differences of a response, or the reason why there is none.
fn difference(answered: &Answered) -> String {
    let body = match &answered.answer {
        Answer::Body(body) => body,
        Answer::Failed(why) | Answer::Skipped(why) => return why.clone(),
    };
    let sample = EndpointResponses {
        endpoint: answered.endpoint.clone(),
        responses: vec![("the response".to_owned(), body.clone().into_bytes())],
        ..EndpointResponses::default()
    };
    let options =
        LearnOptions { endpoints: vec![sample], evidence: Evidence::Reported, enums: Vec::new(), accept_mock: true };
    let files = [("market.yaml", MARKET), ("service.yaml", SERVICE)];
    drift(catalogue::load_texts(&files), &options).expect("a comparison").remove(0).differences.join("; ")
}

#[tokio::test]
async fn every_endpoint_with_a_path_is_requested_and_compared() {
    let server = served();
    let answered = answers(server.base_url(), "right", &[]).await;
    let found: Vec<_> = answered.iter().map(|one| (one.endpoint.as_str(), difference(one))).collect();
    let [same, grown, shrunk, gone, value] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(*same, ("market.same", String::new()));
    assert_eq!(*grown, ("market.grown", "market.grown: `rate` is new (number)".to_owned()));
    assert_eq!(*shrunk, ("market.shrunk", "market.shrunk: `rate` can be missing or null".to_owned()));
    assert!(gone.1.contains("404"), "{gone:?}");
    assert!(value.1.starts_with("no value of its param `id` is known"), "{value:?}");
    let given = [("id".to_owned(), "7".to_owned())];
    let answered = answers(server.base_url(), "right", &given).await;
    assert!(matches!(answered[4].answer, Answer::Body(_)), "{answered:?}");
}

#[tokio::test]
async fn rejected_key_fails_each_endpoint_without_showing_the_key() {
    let server = served();
    for one in answers(server.base_url(), "wrong-key", &[]).await.iter().take(4) {
        let Answer::Failed(why) = &one.answer else { panic!("{one:?}") };
        assert!(why.contains("403") && !why.contains("wrong-key"), "{why}");
    }
}

#[tokio::test]
async fn nothing_more_is_requested_from_a_service_that_cannot_be_reached() {
    let closed = ClosedPort::occupy().unwrap();
    let answered = answers(&format!("http://{}", closed.address()), "right", &[]).await;
    assert!(matches!(&answered[0].answer, Answer::Failed(_)), "{answered:?}");
    assert!(answered[1..].iter().all(|one| matches!(&one.answer, Answer::Skipped(_))), "{answered:?}");
}

#[tokio::test]
async fn body_is_saved_as_it_was_sent() {
    let registry = catalogue::registry(&api(MARKET));
    for (media_type, sent) in [
        ("application/json", r#"{"rate": 0.10, "price":  123456789012345678901.50, "fee": 1e-7}"#),
        ("text/csv", "day;rate\n2024-01-01;1.50\n"),
        ("application/octet-stream", "day,rate\n2024-01-01,1.50\n"),
        ("application/x-ndjson", "{\"rate\":1}\n{\"rate\":2}\n"),
    ] {
        let mut headers = Headers::new();
        headers.insert("content-type", media_type).expect("a header");
        let transport = from_fn(move |_| {
            let headers = headers.clone();
            async move { Ok(HttpResponse::new(200, headers, sent)) }
        });
        let builder = AnyClient::builder(registry.service, "https://example.com").api_key("key").transport(transport);
        let client = builder.build().expect("a client");
        let endpoints = Selection::One("/grown".to_owned()).endpoints(&registry).expect("an endpoint");
        let answered = request_all(&client, &endpoints, &[]).await;
        let expected = Answered { endpoint: "market.grown".to_owned(), answer: Answer::Body(sent.to_owned()) };
        assert_eq!(answered, [expected], "{media_type}");
    }
}

#[test]
fn endpoints_are_selected_by_path_or_name() {
    let registry = catalogue::registry(&api(MARKET));
    let selected = |selection: Selection| {
        let found = selection.endpoints(&registry)?;
        Ok(found.iter().map(|endpoint| endpoint.ident).collect::<Vec<_>>().join(" "))
    };
    let one = |wanted: &str| selected(Selection::One(wanted.to_owned()));
    assert_eq!(selected(Selection::All).as_deref(), Ok("same grown shrunk gone nameless_value"));
    assert_eq!(selected(Selection::Untyped).as_deref(), Ok("nameless_value"));
    for wanted in ["market.grown", "Grown", "grown"] {
        assert_eq!(one(wanted).as_deref(), Ok("grown"));
    }
    assert_eq!(one("/other"), Err("the catalogue has no endpoint `/other`".to_owned()));
    let without_path =
        "`unknown_path` has no path; `cargo xtask add PATH --group market --name \"Unknown path\"` adds one";
    assert_eq!(one("unknown_path"), Err(without_path.to_owned()));
}
