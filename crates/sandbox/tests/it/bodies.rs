//! Tests of every layout of bodies: fields, types and ranges are those of the registry.

use sandbox::{Builder, Sandbox};
use serde_json::{Value, json};

use crate::catalogue;
use crate::support::{DAY, HOUR, NOW, Server};

fn builder() -> Builder {
    Sandbox::of(&catalogue::registry()).stop_clock_at(NOW)
}

async fn get(server: &Server, path: &str) -> Value {
    let response = server.send("GET", path, &[("x-station-key", "any")], "").await;
    assert_eq!(response.status, 200, "{path}: {}", response.text);
    response.json()
}

async fn rows(server: &Server, path: &str) -> Vec<Value> {
    get(server, path).await["result"]["rows"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_series_has_its_fields_in_its_envelope() {
    let server = Server::with(builder());
    let body = get(&server, "/rain?step=1h&station=south").await;
    assert_eq!(body["result"]["about"], json!({ "stations": ["south"], "unknown": [] }));
    let rows = body["result"]["rows"].as_array().unwrap();
    let times = rows.iter().map(|row| row["at"].as_i64().unwrap()).collect::<Vec<_>>();
    let last = NOW - NOW % HOUR - HOUR;
    assert_eq!(times, [4, 3, 2, 1, 0].map(|ago| last - ago * HOUR));
    for row in rows {
        assert_eq!((row.as_object().unwrap().len(), &row["sky"]), (4, &json!("grey")), "{row}");
        assert!((0.0..=20.0).contains(&row["depth"].as_f64().unwrap()), "{row}");
    }
}

#[tokio::test]
async fn unknown_records_and_bodies_are_marked() {
    let server = Server::with(builder());
    let body = get(&server, "/pressure?step=1d&limit=2").await;
    assert_eq!(body["x-sandbox-invented"], "fields");
    let row = &body["result"]["rows"][1];
    assert!(row["pressure"].is_number() && row["at"] == NOW - NOW % DAY - DAY, "{row}");
    let response = server.send("GET", "/legend", &[("x-station-key", "any")], "").await;
    assert_eq!(response.headers["x-sandbox-invented"], "body");
    assert_eq!((&response.json()["x-sandbox-invented"], response.json()["legend"].is_number()), (&json!("body"), true));
}

#[tokio::test]
async fn an_object_depends_on_its_path() {
    let server = Server::with(builder());
    let [north, south] = [get(&server, "/stations/north/report").await, get(&server, "/stations/south/report").await];
    assert!(north["online"].is_boolean() && north["levels"].as_array().unwrap().iter().all(Value::is_number));
    assert_eq!(north.as_object().unwrap().len(), 4, "{north}");
    assert_ne!(north, south);
    assert_eq!(get(&server, "/stations/north/report").await, north);
}

#[tokio::test]
async fn fields_have_the_requested_value_of_the_param_of_their_name() {
    let server = Server::with(builder());
    let rain = rows(&server, "/rain?step=1h&station=south").await;
    assert!(rain.len() == 5 && rain.iter().all(|row| row["station"] == "south"), "{rain:?}");
    let wind = rows(&server, "/wind?step=1h&limit=4&station=south,north").await;
    let stations = wind.iter().map(|row| row[2].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(stations, ["south", "north", "south", "north"]);
    let report = get(&server, "/stations/south/report?level=2").await;
    assert_eq!((&report["code"], &report["level"]), (&json!("south"), &json!(2)));
    let open = rows(&server, "/wind?step=1h&limit=500").await;
    assert!(["north", "south"].iter().all(|name| open.iter().any(|row| row[2] == *name)), "without a requested value");
}

#[tokio::test]
async fn a_record_is_the_same_in_every_page() {
    let server = Server::with(builder());
    let whole = rows(&server, "/rain?step=1h&limit=100").await;
    let mut pages = Vec::new();
    for page in whole.chunks(30) {
        let (first, last) = (&page[0]["at"], &page[page.len() - 1]["at"]);
        pages.extend(rows(&server, &format!("/rain?step=1h&since={first}&until={last}&limit=1000")).await);
    }
    assert_eq!(pages, whole);
    let later = Server::with(builder().stop_clock_at(NOW + HOUR));
    assert_eq!(rows(&later, "/rain?step=1h&limit=3").await[..2], whole[98..]);
    let mut newest_first = rows(&server, "/rain?step=1h&limit=100&order=down").await;
    newest_first.reverse();
    assert_eq!(newest_first, whole);
}

#[tokio::test]
async fn values_differ_by_seed_and_params() {
    let server = Server::with(builder());
    let of_north = rows(&server, "/rain?step=1h&station=north").await;
    assert_eq!(rows(&server, "/rain?step=1h&station=north").await, of_north);
    assert_ne!(rows(&server, "/rain?step=1h&station=south").await, of_north);
    assert_ne!(rows(&Server::with(builder().seed(1)), "/rain?step=1h&station=north").await, of_north);
}

#[tokio::test]
async fn unknown_values_are_listed_without_records() {
    let server = Server::with(builder());
    let about = async |path: &str| get(&server, path).await["result"]["about"].clone();
    assert_eq!(about("/rain?step=1h").await, json!({ "stations": ["north", "south"], "unknown": [] }));
    let expected = json!({ "stations": ["south"], "unknown": ["west"] });
    assert_eq!(about("/rain?step=1h&station=west,south").await, expected);
    assert_eq!(rows(&server, "/rain?step=1h&station=west").await, [] as [Value; 0]);
}

#[tokio::test]
async fn endpoints_on_one_path_are_selected_by_fixed_params() {
    let server = Server::with(builder());
    let [sun, moon] = [get(&server, "/sky?of=sun").await, get(&server, "/sky?of=moon").await];
    assert!(sun["height"].is_number() && moon == json!({ "phase": "full" }), "{sun} {moon}");
}
