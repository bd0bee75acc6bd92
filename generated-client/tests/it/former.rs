//! Tests of responses whose field names differ from those of the previous API version: typed fields are `None`, no value
//! is lost, and one event reports each response.

use std::sync::{Arc, Mutex};

use generated_client::observer::{Event, Observer};
use generated_client::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
use generated_client::{Client, Value};

/// A transport that responds to every request with this body.
struct Answer(&'static str);

impl Transport for Answer {
    fn send(&self, _: HttpRequest) -> SendFuture<'_> {
        Box::pin(async { Ok(HttpResponse::new(200, Headers::new(), self.0)) })
    }
}

/// An observer that collects each endpoint whose records had no known field, with the number of these records.
#[derive(Default)]
struct Strange(Mutex<Vec<String>>);

impl Observer for Strange {
    fn observe(&self, event: &Event) {
        if let Event::UnrecognizedRecords { request, records, .. } = event {
            self.0.lock().unwrap().push(format!("{request}: {records}"));
        }
    }
}

fn client(body: &'static str) -> (Client, Arc<Strange>) {
    let strange = Arc::new(Strange::default());
    let builder = Client::builder("https://example.com/v2").api_key("key").transport(Answer(body));
    (builder.observer(strange.clone()).build().unwrap(), strange)
}

#[tokio::test]
async fn records_with_other_names_are_kept_and_reported_once() {
    let (client, strange) = client(
        r#"{"data": [
            {"openDate": 1757937600, "liquidatedLongs": 1.5, "liquidatedShorts": 2.5, "delta": -1},
            {"openDate": 1757941200, "liquidatedLongs": 3.5, "liquidatedShorts": 4.5, "delta": -1}
        ], "metadata": {"exchanges": ["binance_perp_stable"]}}"#,
    );
    let series = client.liquidity().liquidation().coin("BTC").await.unwrap();
    let first = &series.records[0];
    assert_eq!((first.long_liquidation, first.short_liquidation), (None, None));
    assert_eq!(first.unknown_fields.get("liquidatedLongs"), Some(Value::from(1.5)));
    assert_eq!(series.records[1].unknown_fields.len(), 3);
    assert_eq!(*strange.0.lock().unwrap(), ["liquidity.liquidation: 2"]);
}

#[tokio::test]
async fn records_with_one_known_field_are_not_reported() {
    for body in [
        r#"{"data": [{"openDate": 1757937600, "longLiquidation": 1.5, "more": 1}, {"openDate": 1757941200, "more": 1}]}"#,
        r#"{"data": [{"openDate": 1757937600, "more": 1}, {"openDate": 1757941200, "shortLiquidation": null}]}"#,
        r#"{"data": [{"openDate": 1757937600}]}"#,
        r#"{"data": []}"#,
    ] {
        let (client, strange) = client(body);
        client.liquidity().liquidation().coin("BTC").await.unwrap();
        assert!(strange.0.lock().unwrap().is_empty(), "{body}");
    }
}
