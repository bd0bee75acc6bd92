//! An endpoint out of the registry gives what its method gives, over a real socket.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use generated_client::registry::{BodyInfo, EndpointInfo, ParamLocation};
use generated_client::{AnyBody, Body, Client, Endpoint, Exchange, GROUPS, RateLimit, Request, Timeframe, Value};
use sandbox::Sandbox;
use serde::Serialize;
use support::NOW;

async fn start() -> (Sandbox, Client) {
    let sandbox = Sandbox::builder().stop_clock_at(NOW).start().await.unwrap();
    let client = Client::builder(sandbox.base_url()).api_key("any").rate_limit(RateLimit::none()).build().unwrap();
    (sandbox, client)
}

/// Asks the same twice, by a method and by the registry.
async fn check<E: Endpoint<Body: Serialize>>(client: &Client, typed: Request<E>) {
    let params = typed.params().map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>();
    let empty = client.endpoint(typed.endpoint());
    let listed = params.iter().fold(empty, |request, (name, value)| request.query(name, value));
    assert_eq!(listed, typed.clone().into_listed());
    let (typed, listed) = (typed.await.unwrap(), listed.await.unwrap());
    let [mut typed, mut listed] = [serde_json::to_value(&typed), serde_json::to_value(&listed)].map(Result::unwrap);
    // What the service says of a series has a table in the emitted client alone, by which nothing is absent.
    let [_, said] = [&mut typed, &mut listed].map(|body| body.as_object_mut().and_then(|body| body.remove("metadata")));
    assert!(typed.to_string().len() > 100, "{typed}");
    assert_eq!((typed, said.is_none_or(|said| said["exchanges"].is_array())), (listed, true));
}

#[tokio::test]
async fn methods_and_the_registry_give_equal_values() {
    let (_sandbox, client) = start().await;
    let (coin, step, venue) = ("BTC", Timeframe::H1, Exchange::BINANCE_PERP_STABLE);
    check(&client, client.orderflow().volume_ratio().coin(coin).timeframe(step.clone()).exchange(venue.clone())).await;
    check(&client, client.orderflow().buy_volume().coin(coin).timeframe(step.clone()).exchanges([venue.clone()])).await;
    check(&client, client.open_interest().open_interest().coin(coin).timeframe(step.clone()).limit(7)).await;
    check(&client, client.global_metrics().global_bid_ask().timeframe(step.clone())).await;
    check(&client, client.catalog().catalog()).await;
}

/// With the required params and the values that the catalogue has for them, as the emitted examples ask.
fn example(client: &Client, endpoint: &'static EndpointInfo) -> Request<generated_client::Listed> {
    let needed = endpoint
        .params
        .unwrap_or_default()
        .iter()
        .filter(|param| param.required.is_some() || param.location == ParamLocation::Path);
    needed.fold(client.endpoint(endpoint), |request, param| {
        request.query(param.wire_name, param.example.or(param.default).unwrap_or("x"))
    })
}

#[tokio::test]
async fn every_endpoint_is_read_by_its_table() {
    let (_sandbox, client) = start().await;
    let all = GROUPS.iter().flat_map(|group| group.endpoints).filter(|endpoint| endpoint.path.is_some());
    let (mut series, mut others) = (0, 0);
    for endpoint in all {
        let request = example(&client, endpoint);
        let raw = request.clone().response().await;
        let Ok(response) = raw else { panic!("{endpoint}: {}", raw.unwrap_err()) };
        match (response.body, endpoint.body) {
            (AnyBody::Series(read), BodyInfo::Series { record, .. }) => {
                assert!(!read.data.is_empty(), "{endpoint}");
                let known = record.map_or(0, |record| record.fields.len());
                assert!(read.data.iter().all(|record| record.values().len() == known), "{endpoint}");
                series += 1;
            }
            (AnyBody::Record(read), BodyInfo::Object { record, .. }) => {
                assert_eq!(read.values().len(), record.fields.len(), "{endpoint}");
                others += 1;
            }
            (AnyBody::Any(value), BodyInfo::Unknown) => {
                assert_eq!(Value::decode(&value.to_string()), Ok(value));
                others += 1;
            }
            (read, _) => panic!("{endpoint} is no {read:?}"),
        }
    }
    assert!(series > 50 && others > 0, "{series} and {others}");
}
