//! Every endpoint of the registry that has a path answers as the registry says.

#![allow(clippy::panic, clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod support;

use generated_client::registry::{BodyInfo, EndpointInfo, FieldInfo, ParamInfo, ParamLocation, Range, ValueType};
use generated_client::{GROUPS, SERVICE};
use serde_json::Value;
use support::{NOW, Server};

fn endpoints() -> impl Iterator<Item = (&'static str, &'static EndpointInfo)> {
    let all = GROUPS.iter().flat_map(|group| group.endpoints);
    all.filter_map(|endpoint| Some((endpoint.path?, *endpoint)))
}

/// What the emitted example asks: what is required, with the values that the catalogue has.
fn query(endpoint: &EndpointInfo) -> String {
    let params = endpoint.params.unwrap_or_default();
    let required = params.iter().filter(|param| param.required.is_some() && param.location == ParamLocation::Query);
    let pairs = required.map(|param| format!("{}={}", param.wire_name, sample(param)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The path with something for each of its params.
fn filled(path: &str) -> String {
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "x" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

fn sample(param: &ParamInfo) -> &'static str {
    param.example.or(param.default).unwrap_or_else(|| panic!("`{}` has no example", param.wire_name))
}

#[tokio::test]
async fn every_endpoint_answers_with_its_fields() {
    let server = Server::start().await;
    let mut answered = 0;
    for (path, endpoint) in endpoints() {
        let reply = server.get(&format!("{}?{}", filled(path), query(endpoint))).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        assert_eq!(reply.headers["content-type"], "application/json");
        let invented = reply.headers.get("x-sandbox-invented").map(String::as_str);
        match endpoint.body {
            BodyInfo::Series { record, time, .. } => {
                let json = reply.json();
                let data = json["data"].as_array().unwrap();
                assert!(!data.is_empty(), "{path} has no records");
                let keys = json.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>();
                let marked: &[&str] = if record.is_none() { &["x-sandbox-invented"] } else { &[] };
                assert_eq!(keys, [&["data", "metadata"], marked].concat());
                assert_eq!(json["x-sandbox-invented"].as_str(), invented);
                let venues = json["metadata"]["exchanges"].as_array().unwrap();
                assert!(!venues.is_empty() && venues.iter().all(Value::is_string), "{path}: {}", json["metadata"]);
                let fields = record.map_or(&[] as &[FieldInfo], |record| record.fields);
                for row in data {
                    for field in fields {
                        check(path, field.wire_name, &row[field.wire_name], field.ty, field.range);
                    }
                    let time = i64::from(time.is_some_and(|time| fields.iter().all(|field| field.wire_name != time)));
                    let extra = i64::try_from(row.as_object().unwrap().len() - fields.len()).unwrap() - time;
                    assert_eq!(extra > 0, record.is_none(), "{path}: {row}");
                }
                if let (Some(time), Some(_)) = (time, endpoint.param("timeframe")) {
                    let limit = endpoint.param("limit").and_then(|limit| limit.default).unwrap_or("50");
                    assert_eq!(data.len().to_string(), limit, "{path}");
                    let times = data.iter().map(|row| row[time].as_i64().unwrap()).collect::<Vec<_>>();
                    let example = endpoint.param("timeframe").and_then(|timeframe| timeframe.example);
                    let seconds = if example == Some("1d") { 86_400 } else { 3_600 };
                    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == seconds), "{path} is not by {example:?}");
                    let latest = NOW - NOW % seconds - seconds;
                    assert_eq!(times.last(), Some(&latest), "{path} does not end with the latest full interval");
                }
                assert_eq!(invented, record.is_none().then_some("fields"), "{path}");
            }
            BodyInfo::Object { record, .. } => {
                let json = reply.json();
                for field in record.fields {
                    check(path, field.wire_name, &json[field.wire_name], field.ty, field.range);
                }
                assert_eq!(invented, None, "{path}");
            }
            _ => {
                let body = reply.json();
                assert!(body.is_array() || body["x-sandbox-invented"] == "body", "{path}");
                assert_eq!(invented, Some("body"), "{path}");
            }
        }
        answered += 1;
    }
    assert!(answered > 37, "the interface document alone has 37 paths");
}

fn check(path: &str, name: &str, value: &Value, ty: ValueType, range: Range) {
    let fits = match ty {
        ValueType::Integer | ValueType::Timestamp(_) => value.is_i64(),
        ValueType::Count => value.is_u64(),
        ValueType::Number => value.as_f64().is_some_and(f64::is_finite),
        ValueType::Boolean => value.is_boolean(),
        ValueType::String => value.is_string(),
        ValueType::Named(named) => {
            value.as_str().is_some_and(|value| named.open || named.values.iter().any(|known| known.value == value))
        }
        ValueType::List(item) => value.as_array().is_some_and(|items| {
            items.iter().all(|value| {
                check(path, name, value, *item, Range::ALL);
                true
            })
        }),
        ValueType::Record(record) => record.fields.iter().all(|field| {
            check(path, field.wire_name, &value[field.wire_name], field.ty, field.range);
            true
        }),
        _ => true,
    };
    assert!(fits, "{path}: `{name}` is no {ty:?}: {value}");
    assert!(value.as_f64().is_none_or(|value| range.contains(value)), "{path}: `{name}` is out of range: {value}");
}

#[tokio::test]
async fn the_client_decodes_what_comes() {
    let server = Server::start().await;
    let client = generated_client::Client::builder(server.base_url()).api_key("any").build().unwrap();
    let levels = client.liquidity().liquidation_levels().coin("BTC").await.unwrap();
    // How many stand open differs from hour to hour.
    assert!(levels.data.len() > 100, "{} levels", levels.data.len());
    let candles = client.orderflow().kline().coin("BTC").await.unwrap();
    assert_eq!(candles.data.len(), 50);
    let accounts = client.longs_shorts().global_accounts().coin("BTC").await.unwrap();
    assert_eq!(accounts.metadata.exchanges.len(), 1);
    client.system().health_check().await.unwrap();
}

#[tokio::test]
async fn other_paths_and_methods_are_refused() {
    let server = Server::start().await;
    let key = [("x-api-key", "key")];
    for path in ["/nothing", "/volumeRatio/more", "/volumeRatio/", "/", ""] {
        let reply = server.send("GET", path, &key, "").await;
        assert_eq!((reply.status, reply.code().as_str()), (404, "unknown_path"), "{path}");
    }
    for (path, expected) in [
        ("/volumeRato", "there is no path `/v2/volumeRato`; did you mean `/v2/volumeRatio`?"),
        ("/Klines", "there is no path `/v2/Klines`; did you mean `/v2/klines`?"),
    ] {
        assert_eq!(server.get(path).await.json()["detail"]["message"], expected);
    }
    for (method, path) in
        [("POST", "/volumeRatio"), ("DELETE", "/ping"), ("OPTIONS", "/klines"), ("GET", "/oauth2/token")]
    {
        let reply = server.send(method, path, &key, "").await;
        assert_eq!((reply.status, reply.code().as_str()), (405, "unknown_method"), "{method} {path}");
        assert!(reply.headers.contains_key("allow"), "{method} {path}");
    }
}

#[tokio::test]
async fn every_path_takes_get_alone() {
    let server = Server::start().await;
    for (path, endpoint) in endpoints() {
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] {
            let reply = server.send(method, &filled(path), &[("x-api-key", "key")], "").await;
            assert_eq!((reply.status, reply.code().as_str()), (405, "unknown_method"), "{method} {path}");
            assert!(reply.headers["allow"].split(',').any(|allowed| allowed == "GET"), "{:?}", reply.headers);
        }
        // As HTTP wants it wherever there is a GET.
        let head =
            server.send("HEAD", &format!("{}?{}", filled(path), query(endpoint)), &[("x-api-key", "key")], "").await;
        assert_eq!((head.status, head.text.as_str()), (200, ""), "{path}");
    }
}

#[tokio::test]
async fn every_known_value_is_accepted_and_no_other() {
    let server = Server::start().await;
    let (mut values, mut params) = (0, 0);
    for (path, endpoint) in endpoints() {
        for param in endpoint.params.unwrap_or_default() {
            let ValueType::Named(named) = param.ty else { continue };
            if param.location != ParamLocation::Query {
                continue;
            }
            let others = query(endpoint);
            let others = others.split('&').filter(|pair| !pair.starts_with(&format!("{}=", param.wire_name)));
            let others = others.collect::<Vec<_>>().join("&");
            let ask =
                async |value: &str| server.get(&format!("{path}?{others}&{}={value}&limit=1", param.wire_name)).await;
            for known in named.values {
                let reply = ask(known.value).await;
                assert_eq!(reply.status, 200, "{path}: {}={}: {}", param.wire_name, known.value, reply.text);
                values += 1;
            }
            if param.list.is_some() {
                let all = named.values.iter().map(|known| known.value).collect::<Vec<_>>().join(",");
                assert_eq!(ask(&all).await.status, 200, "{path}: {}={all}", param.wire_name);
            }
            if !named.open {
                let reply = ask("nobody_knows_it").await;
                assert_eq!(
                    (reply.status, reply.code().as_str()),
                    (422, "invalid_param"),
                    "{path}: {}",
                    param.wire_name
                );
                params += 1;
            }
        }
    }
    assert!(values > 1000 && params > 100, "{values} values and {params} params");
}

#[tokio::test]
async fn by_name_only_is_not_served() {
    let server = Server::start().await;
    let unknown = GROUPS.iter().flat_map(|group| group.endpoints).filter(|endpoint| endpoint.path.is_none());
    assert_ne!(unknown.count(), 0);
    assert_eq!(server.get("/squeezeIntensity").await.status, 404);
    assert_eq!(SERVICE.base_url_suffix, "/v2");
    assert!(server.base_url().ends_with("/v2"));
}

#[tokio::test]
async fn what_is_made_up_is_useful() {
    let server = Server::start().await;
    let catalog = server.get("/catalog").await.json();
    assert!(catalog["coins"].as_array().unwrap().contains(&"BTC".into()));
    assert!(catalog["exchanges"].as_array().unwrap().contains(&"binance_perp_stable".into()));
    let mut range = server.get("/dataAvailability?endpointName=klines&coin=BTC").await.json();
    assert!(range.as_object_mut().unwrap().remove("x-sandbox-invented").is_some());
    assert_eq!((&range["endpointName"], &range["endTime"]), (&"klines".into(), &NOW.into()));
    let all = server.get("/dataAvailability").await.json();
    assert_eq!(all.as_array().unwrap().len(), endpoints().count());
    assert!(all.as_array().unwrap().contains(&range), "{range} is not in {all}");
    assert!(server.get("/dataAvailability?endpointName=nothing").await.json()["endTime"].is_null());
    assert_eq!(server.get("/ping").await.json()["status"], "ok");
}

#[tokio::test]
async fn every_example_is_answered_where_all_that_is_reported_is_asked_for() {
    let server = Server::with(sandbox::Sandbox::builder().stop_clock_at(NOW).strict(true)).await;
    for (path, endpoint) in endpoints() {
        let path = format!("{}?{}", filled(path), query(endpoint));
        let reply = server.get(&path).await;
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        if let BodyInfo::Series { .. } = endpoint.body {
            assert!(!reply.data().is_empty(), "{path} brings no record");
        }
    }
}

#[tokio::test]
async fn what_is_known_to_be_refused_is_refused_where_it_is_asked_for() {
    let strict = Server::with(sandbox::Sandbox::builder().stop_clock_at(NOW).strict(true)).await;
    for (path, status) in [
        ("/averageLeverageUsed?coin=BTC&timeframe=1h&exchange=okx_perp_coin", 200),
        ("/averageLeverageUsed?coin=BTC&timeframe=1h&exchange=binance_perp_stable", 422),
        ("/averageLeverageUsed?coin=BTC&timeframe=1h&exchange=bybit_perp_coin", 422),
        ("/liqLevelsCount?coin=BTC&timeframe=1h&exchange=binance_perp_stable", 422),
        ("/liqLevelsCount?coin=BTC&timeframe=1h&exchange=okx_perp_coin", 200),
        ("/liquidationHeatmap?coin=BTC", 200),
        ("/liquidationHeatmap?coin=BTC&exchange=okx_perp_stable", 422),
        ("/globalAccounts?coin=BTC&timeframe=1h&exchange=binance_perp_stable,bybit_perp_coin", 422),
    ] {
        assert_eq!(strict.get(path).await.status, status, "{path}");
    }
    let default = strict.get("/liquidationHeatmap?coin=BTC").await;
    let venues = serde_json::json!(["binance_perp_stable", "bitmex_perp_coin", "bybit_perp_coin"]);
    assert_eq!(default.json()["metadata"]["exchanges"], venues);
}
