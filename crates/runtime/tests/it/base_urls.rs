//! Tests of groups whose endpoints are on another host than those of the service.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::registry::{
    BaseUrlInfo, BodyInfo, ClientCredentialsInfo, EndpointInfo, Evidence, HistoryInfo, HistorySource, NextPage,
    PagesInfo, ParamInfo, ServiceInfo, Step, TimeUnit, ValueType,
};
use runtime::transport::{HttpRequest, HttpResponse, SendFuture, Transport};
use runtime::{AnyClient, Builder, ErrorKind, RateLimit, Retry, Timestamp};
use test_service::scripted::{MockResponse, failure, reply};

static SERVICE: ServiceInfo = ServiceInfo {
    env_prefix: "INVENTED",
    base_url_suffix: "/v2",
    base_urls: &[BaseUrlInfo { name: "broker", suffix: "/v1", groups: &["orders"] }],
    api_key_header: Some("x-api-key"),
    client_credentials: Some(ClientCredentialsInfo {
        path: "/token",
        label: "",
        evidence: Evidence::Documented,
        reply: &[],
        errors: &[],
        notes: "",
    }),
    ..ServiceInfo::new("Invented")
};

static HISTORY: HistoryInfo = HistoryInfo {
    from: "from",
    to: "to",
    limit: "",
    step: "",
    every: Some(Step::seconds(3600)),
    anchor: None,
    oldest: None,
    time_is_end: false,
    includes_start: false,
    sort: None,
    evidence: Evidence::Documented,
};

const PARAMS: &[ParamInfo] = &[
    ParamInfo::new("from", "from", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
    ParamInfo::new("to", "to", ValueType::Timestamp(TimeUnit::Seconds), Evidence::Documented),
];

const fn endpoint(group: &'static str) -> EndpointInfo {
    EndpointInfo {
        path: Some("/list"),
        param_lists: Some(&[PARAMS]),
        body: BodyInfo::Series { record: None, time: Some("time"), evidence: Evidence::Documented },
        history_source: HistorySource::Endpoint(&HISTORY),
        ..EndpointInfo::new(group, "list", "List")
    }
}

static MARKET: EndpointInfo = endpoint("market");
static ORDERS: EndpointInfo = endpoint("orders");
static LINKED_ORDERS: EndpointInfo = EndpointInfo {
    data: Some("data"),
    pages: Some(PagesInfo { next: NextPage::Link { path: "next_url" }, size: None }),
    ..endpoint("orders")
};

const DATA_URL: &str = "https://data.test/v2";
const BROKER_URL: &str = "https://broker.test/api/v1";

/// A transport that stores the requests, and responds with the outcome of a script.
#[derive(Clone)]
struct Hosts {
    sent: Arc<Mutex<Vec<HttpRequest>>>,
    script: fn(&str) -> MockResponse,
}

impl Hosts {
    fn new(script: fn(&str) -> MockResponse) -> Self {
        Self { sent: Arc::default(), script }
    }

    fn builder(&self) -> Builder<AnyClient> {
        let builder = AnyClient::builder(&SERVICE, DATA_URL).api_key("canary-key").retry(Retry::none());
        builder.rate_limit(RateLimit::none()).transport(self.clone())
    }

    fn client(&self) -> AnyClient {
        self.builder().base_url("broker", BROKER_URL).build().unwrap()
    }

    fn urls(&self) -> Vec<String> {
        self.sent.lock().unwrap().iter().map(|request| request.url.clone()).collect()
    }
}

impl Transport for Hosts {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        let outcome: Result<HttpResponse, _> = (self.script)(&request.url).outcome;
        self.sent.lock().unwrap().push(request);
        Box::pin(async move { outcome })
    }
}

fn empty(_: &str) -> MockResponse {
    reply(200, &[], "[]")
}

#[tokio::test(start_paused = true)]
async fn requests_go_to_the_host_of_their_group_with_the_key() {
    let hosts = Hosts::new(empty);
    let client = hosts.client();
    client.endpoint(&MARKET).await.unwrap();
    client.endpoint(&ORDERS).await.unwrap();
    client.raw("/v2/other").await.unwrap();
    assert_eq!(
        hosts.urls(),
        ["https://data.test/v2/list", "https://broker.test/api/v1/list", "https://data.test/v2/other"]
    );
    for request in hosts.sent.lock().unwrap().iter() {
        assert_eq!(request.headers.get("x-api-key"), Some("canary-key"));
    }
}

#[tokio::test(start_paused = true)]
async fn tokens_are_requested_from_the_service_and_sent_to_both_hosts() {
    let hosts = Hosts::new(|url| {
        let token = r#"{"access_token": "t", "expires_in": 600}"#;
        reply(200, &[], if url.ends_with("/token") { token } else { "[]" })
    });
    let builder = hosts.builder().base_url("broker", BROKER_URL).client_credentials("id", "secret");
    let client = builder.build().unwrap();
    client.endpoint(&ORDERS).await.unwrap();
    client.endpoint(&MARKET).await.unwrap();
    let expected = ["https://data.test/v2/token", "https://broker.test/api/v1/list", "https://data.test/v2/list"];
    assert_eq!(hosts.urls(), expected);
    let sent = hosts.sent.lock().unwrap();
    assert!(sent[1..].iter().all(|request| request.headers.get("authorization") == Some("Bearer t")));
}

#[tokio::test(start_paused = true)]
async fn a_request_without_its_base_url_is_not_sent() {
    let hosts = Hosts::new(empty);
    let client = hosts.builder().client_credentials("id", "secret").build().unwrap();
    let error = client.endpoint(&ORDERS).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Builder);
    assert!(error.is_missing_setting());
    assert!(error.to_string().contains("set INVENTED_BROKER_BASE_URL"), "{error}");
    let range = Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(7200);
    let error = client.endpoint(&ORDERS).history(range).collect().await.unwrap_err();
    assert!(error.to_string().contains("set INVENTED_BROKER_BASE_URL"), "{error}");
    assert_eq!(hosts.urls(), [""; 0]);
}

#[cfg(feature = "settings")]
#[test]
fn a_settings_file_has_the_base_urls_of_groups() {
    let check = |urls: &str| {
        let path = std::env::temp_dir().join(format!("base-urls-{}.toml", std::process::id()));
        std::fs::write(&path, format!("base_url = \"{DATA_URL}\"\n\n[base_urls]\n{urls}\n")).unwrap();
        let builder = AnyClient::builder_from_file(AnyClient::builder(&SERVICE, "").api_key("key"), &path);
        std::fs::remove_file(path).unwrap();
        builder.and_then(Builder::build).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(check("broker = \"https://broker.test/v1\""), Ok(()));
    assert_eq!(check(""), Ok(()));
    for (urls, expected) in [
        ("brokr = \"https://broker.test/v1\"", "no group has the base URL `brokr`; known names: `broker`"),
        ("broker = \"https://user:canary@broker.test/v1\"", "the base URL of `broker` must not contain credentials"),
        ("broker = 5", "expected a quoted string"),
    ] {
        let error = check(urls).unwrap_err();
        assert!(error.contains(expected) && !error.contains("canary"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_leads_only_to_the_host_of_the_group() {
    let hosts = Hosts::new(|url| match url {
        "https://broker.test/api/v1/list" => {
            reply(200, &[], r#"{"data": [], "next_url": "https://broker.test/api/v1/list?page=2"}"#)
        }
        _ => reply(200, &[], r#"{"data": [], "next_url": "https://data.test/v2/list?page=3"}"#),
    });
    let mut pages = hosts.client().endpoint(&LINKED_ORDERS).all_pages();
    let mut bodies = Vec::new();
    let error = pages.collect_into(&mut bodies).await.unwrap_err().to_string();
    assert!(error.contains("is on another host; requests and the API key are sent only to broker.test"), "{error}");
    assert_eq!(hosts.urls(), ["https://broker.test/api/v1/list", "https://broker.test/api/v1/list?page=2"]);
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_belongs_to_the_host_of_the_group() {
    let hosts = Hosts::new(empty);
    let range = Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(7200);
    let mut pages = hosts.client().endpoint(&ORDERS).history(range.clone()).pages();
    let checkpoint = pages.next().await.unwrap().unwrap().checkpoint;
    assert_eq!(checkpoint.base_url(), BROKER_URL);
    let moved = hosts.builder().base_url("broker", "https://moved.test/v1").build().unwrap();
    let resumed = moved.endpoint(&ORDERS).history(range).resume(checkpoint);
    let error = resumed.collect().await.unwrap_err().to_string();
    assert!(error.contains("the checkpoint belongs to another host: https://broker.test/api/v1"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_a_host_does_not_delay_the_followers_of_another() {
    let hosts = Hosts::new(|url| if url.starts_with(BROKER_URL) { failure(ErrorKind::Connect) } else { empty(url) });
    let client = hosts.client();
    let from = client.endpoint(&MARKET).service_time() - Duration::from_secs(7200);
    let mut orders = client.endpoint(&ORDERS).follow(from);
    let mut market = client.endpoint(&MARKET).follow(from);
    let begun = tokio::time::Instant::now();
    tokio::select! {
        () = async { while orders.next().await.is_ok() {} } => {}
        () = tokio::time::sleep(Duration::from_secs(60)) => {}
    }
    let before = hosts.urls().len();
    assert!(begun.elapsed() >= Duration::from_secs(60) && before > 1, "{before}");
    let first = tokio::time::timeout(Duration::from_millis(900), market.next()).await;
    assert!(hosts.urls().len() > before, "{first:?}");
}
