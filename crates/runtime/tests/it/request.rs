//! Tests of requests as values and of the client's builder, without a network.

use std::collections::HashSet;
use std::future::IntoFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::registry::TimeUnit;
use runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture};
use runtime::wire::ToWire;
use runtime::{Builder, Error, Timestamp, transport::Transport};
use test_service::invented::{Client, Exchange, Timeframe};

/// A transport that must not be called.
struct NeverCalled;

impl Transport for NeverCalled {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        panic!("it was sent: {request:?}")
    }
}

fn client() -> Client {
    Client::builder("https://example.com/v2").api_key("canary-key").transport(NeverCalled).build().unwrap()
}

#[test]
fn request_can_be_inspected() {
    let client = client();
    let request = client.market().ratio().limit(10).query("depth", 5).symbol("BTC").limit(100);
    assert_eq!(request.path_and_query(), "/ratio?symbol=BTC&limit=100&depth=5");
    assert_eq!(request.to_string(), "GET /ratio?symbol=BTC&limit=100&depth=5");
    assert_eq!(request.endpoint().to_string(), "market.ratio");
    assert_eq!(format!("{request:?}"), "Request(market.ratio GET /ratio?symbol=BTC&limit=100&depth=5)");
    let same = client.market().ratio().symbol("BTC").query("limit", 100).query("depth", "5");
    assert_eq!(request, same);
    assert_ne!(request, request.clone().symbol("ETH"));
}

#[test]
fn values_are_written_as_the_service_reads_them() {
    let ratio = client().market().ratio();
    let table = [
        (ratio.clone().timeframe(Timeframe::H1), "timeframe=1h"),
        (ratio.clone().timeframe("3h"), "timeframe=3h"),
        (ratio.clone().start_time(Timestamp::from_unix_seconds(1_700_000_000)), "startTime=1700000000"),
        (ratio.clone().end_time(Timestamp::from_unix_seconds(1_700_000_000)), "endTime=1700000000"),
        (ratio.clone().exchanges(["a", "b"]), "exchange=a,b"),
        (ratio.clone().exchanges(["", "a"]), "exchange=,a"),
        (ratio.clone().exchange(Exchange::NORTH_SPOT), "exchange=north_spot"),
        (ratio.clone().symbol("A&B ü"), "symbol=A%26B%20%C3%BC"),
    ];
    for (request, expected) in table {
        assert_eq!(request.path_and_query(), format!("/ratio?{expected}"));
    }
}

#[test]
fn unset_params_are_omitted() {
    let ratio = client().market().ratio();
    let symbol = |symbol: Option<&str>| ratio.clone().symbol("ETH").symbol(symbol).path_and_query();
    assert_eq!((symbol(Some("BTC")).as_str(), symbol(None).as_str()), ("/ratio?symbol=BTC", "/ratio"));
    let limit = |limit: Option<u64>| ratio.clone().limit(5).limit(limit).path_and_query();
    assert_eq!((limit(Some(7)).as_str(), limit(None).as_str()), ("/ratio?limit=7", "/ratio"));
    let start = |start: Option<Timestamp>| {
        ratio.clone().start_time(Timestamp::from_unix_seconds(7)).start_time(start).path_and_query()
    };
    assert_eq!(
        (start(Some(Timestamp::from_unix_seconds(8))).as_str(), start(None).as_str()),
        ("/ratio?startTime=8", "/ratio")
    );
    let exchanges = |exchanges: Option<Vec<&str>>| ratio.clone().exchange("x").exchanges(exchanges).path_and_query();
    assert_eq!((exchanges(Some(vec!["a", "b"])).as_str(), exchanges(None).as_str()), ("/ratio?exchange=a,b", "/ratio"));
    let depth = |depth: Option<u8>| ratio.clone().query("depth", 1).query("depth", depth).path_and_query();
    assert_eq!((depth(Some(2)).as_str(), depth(None).as_str()), ("/ratio?depth=2", "/ratio"));
}

#[test]
fn setters_accept_references_and_small_integers() {
    let (name, venue) = (String::from("BTC"), Exchange::NORTH_SPOT);
    let request = client().raw("/x").query("a", &name).query("b", 7_u8).query("c", -7_i16).query("d", &venue);
    assert_eq!(request.query("e", Some(&name)).path_and_query(), "/x?a=BTC&b=7&c=-7&d=north_spot&e=BTC");
}

#[test]
fn equal_requests_hash_equally() {
    let ratio = client().market().ratio();
    let requests =
        [ratio.clone().symbol("BTC").limit(5), ratio.clone().limit(5).symbol("BTC"), ratio.clone().symbol("BTC")];
    assert_eq!(requests.into_iter().collect::<HashSet<_>>().len(), 2);
    assert_ne!(ratio.clone().skip_bad_records(), ratio);
    assert_eq!(format!("{:?}", ratio.skip_bad_records()), "Request(market.ratio GET /ratio, skip_bad_records)");
}

#[test]
fn requests_and_clients_are_send_and_sync() {
    fn check<T: Send + Sync + Clone + 'static>(_: &T) {}
    fn check_future<T: Send + 'static>(_: &T) {}
    fn check_error<T: std::error::Error + Send + Sync + 'static>() {}
    let client = client();
    check(&client);
    let request = client.market().ratio();
    check(&request);
    check_future(&request.clone().response());
    check_future(&request.into_future());
    check_error::<Error>();
}

/// Returns the error of a request that is not sent.
async fn error_text<T>(request: impl IntoFuture<Output = Result<T, Error>>) -> String {
    request.await.map(drop).unwrap_err().to_string()
}

#[tokio::test]
async fn implausible_requests_are_not_sent() {
    let client = client();
    let ratio = client.market().ratio();
    let expected = "market.ratio (GET /ratio?exchange=): \
        `exchange` is empty; set a value or omit it";
    assert_eq!(error_text(ratio.clone().exchanges(Vec::<Exchange>::new())).await, expected);
    assert_eq!(error_text(ratio.clone().exchange("")).await, expected);
    let expected = "market.ratio (GET /ratio?limit=many): `limit` is not a number: \"many\"";
    assert_eq!(error_text(ratio.query("limit", "many")).await, expected);
    let expected = "client.raw (GET x): the path \"x\" does not begin with `/`";
    assert_eq!(error_text(client.raw("x")).await, expected);
    let expected = "client.raw (GET /x?y=z): the path \"/x?y=z\" has a `?`; add params with `query`";
    assert_eq!(error_text(client.raw("/x?y=z")).await, expected);
}

#[test]
fn settings_are_checked() {
    let check = |builder: Builder<Client>| builder.build().map(drop).unwrap_err().to_string();
    let url = "https://example.com/v2";
    assert_eq!(check(Client::builder(url)), "the API key is missing; set it with `api_key`");
    let expected = "the API key is empty; set it with `api_key`";
    assert_eq!(check(Client::builder(url).api_key("")), expected);
    assert_eq!(check(Client::builder(url).api_key(" \n")), expected);
    let flow = |id, secret| check(Client::builder(url).api_key("key").client_credentials(id, secret));
    assert_eq!(flow("", "canary"), "the client id is empty");
    assert_eq!(flow("canary", " "), "the client secret is empty");
    let expected = "invalid API key: the header `x-api-key` contains characters that HTTP does not allow";
    assert_eq!(check(Client::builder(url).api_key("can\nary")), expected);
    let expected = "`connect_timeout` has no effect with a custom `transport`; set it on that transport";
    let both = Client::builder(url).api_key("key").transport(NeverCalled);
    assert_eq!(check(both.connect_timeout(Duration::from_secs(1))), expected);
    let header = |name, value| check(Client::builder(url).api_key("key").header(name, value));
    assert_eq!(header("x-own", "can\nary"), "the header `x-own` contains characters that HTTP does not allow");
    assert_eq!(header("X-Api-Key", "canary"), "the header `x-api-key` is reserved for the credentials; use `api_key`");
    for name in ["Host", "connection", "content-length", "transfer-encoding", "accept-encoding"] {
        let expected = format!("the header `{}` is set by the transport; omit it", name.to_lowercase());
        assert_eq!(header(name, "1"), expected);
    }
    let timeout = check(Client::builder(url).api_key("key").attempt_timeout(Duration::ZERO));
    assert_eq!(timeout, "`attempt_timeout` must be longer than zero");
    let both = Client::builder(url).api_key("key").client_credentials("id", "canary").header("authorization", "x");
    let expected =
        "the header `authorization` is reserved for the credentials; omit either this header or `client_credentials`";
    assert_eq!(check(both), expected);
}

/// A transport that stores the headers of each request.
#[derive(Clone, Default)]
struct Remembering(Arc<Mutex<Vec<Headers>>>);

impl Transport for Remembering {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        self.0.lock().unwrap().push(request.headers);
        Box::pin(async { Ok(HttpResponse::new(200, Headers::new(), "{}")) })
    }
}

#[tokio::test]
async fn request_headers_override_those_of_the_client() {
    let transport = Remembering::default();
    let builder = || Client::builder("https://example.com/v2").api_key("canary").transport(transport.clone());
    builder().build().unwrap().raw("/x").await.unwrap();
    let client = builder().user_agent("mine/1").header("x-team", "red").header("accept", "text/json").build().unwrap();
    client.raw("/x").await.unwrap();
    client.raw("/x").header("X-Team", "blue").header("x-one", "1").await.unwrap();
    let sent = transport.0.lock().unwrap().clone();
    let seen = |name: &str| sent.iter().map(|headers| headers.get(name)).collect::<Vec<_>>();
    // The crate that defines the client.
    let ours = concat!("test-service/", env!("CARGO_PKG_VERSION"));
    assert_eq!(seen("user-agent"), [Some(ours), Some("mine/1"), Some("mine/1")]);
    assert_eq!(seen("x-team"), [None, Some("red"), Some("blue")]);
    assert_eq!(seen("accept"), [Some("application/json"), Some("text/json"), Some("text/json")]);
    assert_eq!(seen("x-one"), [None, None, Some("1")]);
    let request = client.raw("/x");
    let expected = "client.raw (GET /x): the header `x-api-key` is reserved for the credentials; use `api_key`";
    assert_eq!(error_text(request.clone().header("x-api-key", "canary")).await, expected);
    let expected = "client.raw (GET /x): the header `a b` contains characters that HTTP does not allow";
    assert_eq!(error_text(request.clone().header("a b", "c").header("d", "e")).await, expected);
    let expected = "client.raw (GET /x): the header `host` is set by the transport; omit it";
    assert_eq!(error_text(request.clone().header("host", "example.com")).await, expected);
    let expected = "client.raw (GET /x): `attempt_timeout` must be longer than zero";
    assert_eq!(error_text(request.clone().attempt_timeout(Duration::ZERO)).await, expected);
    let expected = "client.raw (GET /x): timed out before the first attempt (`timeout`)";
    assert_eq!(error_text(request.timeout(Duration::ZERO)).await, expected);
    assert_eq!(transport.0.lock().unwrap().len(), 3);
}

#[test]
fn integers_are_unix_seconds() {
    // Years with more than four digits have no text.
    for seconds in [-62_167_219_201, 253_402_300_800, i64::MIN, i64::MAX] {
        assert_eq!(Timestamp::from_unix_seconds(seconds).to_string(), seconds.to_string());
    }
    assert_eq!(Timestamp::from_unix_seconds(-1).to_string(), "1969-12-31T23:59:59Z");
    assert_eq!(Timestamp::from_unix_seconds(-1).to_wire(TimeUnit::Seconds), "-1");
    assert_eq!(Timestamp::from_unix_seconds(1_700_000_000).to_wire(TimeUnit::Seconds), "1700000000");
}

#[test]
fn unknown_values_are_kept() {
    assert_eq!(Timeframe::from("15m").to_wire(TimeUnit::Seconds), "15m");
    assert_eq!(Exchange::from("new_venue").to_wire(TimeUnit::Seconds), "new_venue");
    assert_eq!(Timeframe::from("3h").as_str(), "3h");
}

#[test]
fn an_unknown_value_has_no_text_to_match() {
    let known = |text| matches!(Timeframe::from(text), Timeframe::M1 | Timeframe::H1);
    assert!(known("1m") && known("1h") && !known("3h"));
    assert!(Timeframe::H1.is_known() && !Timeframe::from("3h").is_known());
    assert!(Exchange::NORTH_SPOT.is_known() && !Exchange::from("new_venue").is_known());
    let known: &'static Timeframe = Timeframe::from("1h").known().unwrap();
    let copy = known;
    assert_eq!((known.as_str(), Timeframe::from(copy)), ("1h", Timeframe::H1));
    assert_eq!(client().market().ratio().timeframe(known).path_and_query(), "/ratio?timeframe=1h");
    assert!(Timeframe::from("3h").known().is_none());
}

#[test]
fn timeframe_has_a_duration() {
    let seconds = Timeframe::ALL.iter().map(|step| step.duration().map(|length| length.as_secs()));
    assert_eq!(seconds.collect::<Vec<_>>(), [Some(60), Some(3600)]);
    assert_eq!(Timeframe::from("3h").duration(), None);
    let (time, hour) = (Timestamp::from_unix_seconds(7300), Timeframe::H1.duration().unwrap());
    assert_eq!(time.floor(hour), Timestamp::from_unix_seconds(7200));
}
