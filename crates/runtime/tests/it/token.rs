//! Tests of the token flow, with a transport in memory and a clock that the tests control.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
use runtime::{Error, ErrorKind, RateLimit};
use test_service::invented::{self, Client, RatioRecord, Series};

const KEY: &str = "canary-key";
const SECRET: &str = "canary secret/+";
const DATA: &str = r#"{"data": [{"openDate": 1700000000, "ratio": 0.25}]}"#;

/// A service in memory that issues tokens and requires them.
#[derive(Default)]
struct Service(Mutex<State>);

#[derive(Default)]
struct State {
    /// Additional members of a successful token response, for example ` "expires_in": 60`.
    reply: String,
    /// The status and body of token responses, if token requests fail.
    failure: Option<(u16, String)>,
    /// The tokens that are accepted.
    valid: HashSet<String>,
    /// True if no token is accepted.
    hostile: bool,
    tokens: Vec<HttpRequest>,
    data: Vec<HttpRequest>,
}

/// The duration of a response, which is long enough that other requests wait in the meantime.
const LATENCY: Duration = Duration::from_millis(50);

impl Transport for Service {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        Box::pin(async move {
            tokio::time::sleep(LATENCY).await;
            let reply = self.0.lock().unwrap().answer(request);
            tokio::time::sleep(LATENCY).await;
            Ok(reply)
        })
    }
}

impl State {
    fn answer(&mut self, request: HttpRequest) -> HttpResponse {
        let (status, body) = if request.form.is_some() { self.token(request) } else { self.data(request) };
        HttpResponse::new(status, Headers::new(), body)
    }

    fn token(&mut self, request: HttpRequest) -> (u16, String) {
        self.tokens.push(request);
        if let Some(failure) = &self.failure {
            return failure.clone();
        }
        let token = format!("canary-token-{}", self.tokens.len());
        let comma = if self.reply.is_empty() { "" } else { "," };
        let body = format!(r#"{{"access_token": "{token}"{comma}{}}}"#, self.reply);
        self.valid.insert(format!("Bearer {token}"));
        (200, body)
    }

    fn data(&mut self, request: HttpRequest) -> (u16, String) {
        let bearer = request.headers.get("authorization").unwrap_or_default().to_owned();
        self.data.push(request);
        if self.hostile || !self.valid.contains(&bearer) {
            return (401, format!(r#"{{"message": "{KEY} and {bearer} are refused"}}"#));
        }
        (200, DATA.to_owned())
    }
}

fn service(reply: &str) -> (Arc<Service>, Client) {
    let state = State { reply: reply.to_owned(), ..State::default() };
    let service = Arc::new(Service(Mutex::new(state)));
    let client = Client::builder("https://example.com/v2")
        .api_key(KEY)
        .client_credentials("my:id", SECRET)
        .transport(service.clone())
        .rate_limit(RateLimit::none())
        .build()
        .unwrap();
    (service, client)
}

async fn check(client: &Client) -> Result<Series<RatioRecord>, Error> {
    client.market().ratio().symbol("BTC").await
}

/// Sends a request from each of this number of concurrent tasks.
async fn check_all(client: &Client, count: usize) -> Vec<Result<(), Error>> {
    let calls: Vec<_> = (0..count)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { check(&client).await.map(drop) })
        })
        .collect();
    let mut outcomes = Vec::new();
    for call in calls {
        outcomes.push(call.await.unwrap());
    }
    outcomes
}

/// Returns the numbers of token requests and of data requests that arrived.
fn seen(service: &Service) -> (usize, usize) {
    let state = service.0.lock().unwrap();
    (state.tokens.len(), state.data.len())
}

#[tokio::test(start_paused = true)]
async fn token_and_data_requests_match_the_document() {
    let (service, client) = service(r#""expires_in": 84706, "token_type": "Bearer""#);
    check(&client).await.unwrap();
    check(&client).await.unwrap();
    assert_eq!(seen(&service), (1, 2));
    let state = service.0.lock().unwrap();
    let token = &state.tokens[0];
    assert_eq!(token.url, "https://example.com/v2/oauth2/token");
    assert_eq!(token.form.as_deref(), Some("grant_type=client_credentials"));
    assert_eq!(token.headers.get("x-api-key"), Some(KEY));
    assert_eq!(token.headers.get("content-type"), Some("application/x-www-form-urlencoded"));
    // The base64 of `my:id:canary secret/+`.
    let basic = "Basic bXk6aWQ6Y2FuYXJ5IHNlY3JldC8r";
    assert_eq!(token.headers.get("authorization"), Some(basic));
    let data = &state.data[0];
    assert_eq!(data.url, "https://example.com/v2/ratio?symbol=BTC");
    assert_eq!(data.headers.get("x-api-key"), Some(KEY));
    assert_eq!(data.headers.get("authorization"), Some("Bearer canary-token-1"));
    assert_eq!(data.form, None);
}

#[tokio::test(start_paused = true)]
async fn callers_share_one_request_for_a_token() {
    let (service, client) = service(r#""expires_in": 600"#);
    assert!(check_all(&client, 200).await.iter().all(Result::is_ok));
    assert_eq!(seen(&service), (1, 200));
    tokio::time::advance(Duration::from_secs(1000)).await;
    service.0.lock().unwrap().valid.clear();
    assert!(check_all(&client, 200).await.iter().all(Result::is_ok));
    assert_eq!(seen(&service), (2, 400));
}

#[tokio::test(start_paused = true)]
async fn a_token_is_replaced_shortly_before_it_expires() {
    let (service, client) = service(r#""expires_in": 600"#);
    check(&client).await.unwrap();
    tokio::time::advance(Duration::from_secs(530)).await;
    check(&client).await.unwrap();
    assert_eq!(seen(&service), (1, 2));
    tokio::time::advance(Duration::from_secs(20)).await;
    check(&client).await.unwrap();
    assert_eq!(seen(&service), (2, 3));
}

#[tokio::test(start_paused = true)]
async fn token_without_lifetime_lasts_until_it_is_rejected() {
    let (service, client) = service("");
    check(&client).await.unwrap();
    tokio::time::advance(Duration::from_secs(1_000_000)).await;
    check(&client).await.unwrap();
    assert_eq!(seen(&service), (1, 2));
    service.0.lock().unwrap().valid.clear();
    check(&client).await.unwrap();
    assert_eq!(seen(&service), (2, 4));
}

#[tokio::test(start_paused = true)]
async fn token_with_zero_lifetime_lasts_until_it_is_rejected() {
    let (service, client) = service(r#""expires_in": 0"#);
    assert!(check_all(&client, 20).await.iter().all(Result::is_ok));
    assert_eq!(seen(&service), (1, 20));
    check(&client).await.unwrap();
    assert_eq!(seen(&service), (1, 21));
}

#[tokio::test(start_paused = true)]
async fn late_rejections_cost_one_refresh() {
    let (service, client) = service(r#""expires_in": 600"#);
    check(&client).await.unwrap();
    service.0.lock().unwrap().valid.clear();
    assert!(check_all(&client, 100).await.iter().all(Result::is_ok));
    assert_eq!(seen(&service), (2, 201));
}

#[tokio::test(start_paused = true)]
async fn second_rejection_is_final() {
    let (service, client) = service(r#""expires_in": 600"#);
    service.0.lock().unwrap().hostile = true;
    let error = check(&client).await.unwrap_err();
    assert_eq!(seen(&service), (2, 2));
    assert_eq!((error.kind(), error.status()), (ErrorKind::Status, Some(401)));
    assert!(error.is_auth() && !error.is_token() && !error.is_retryable());
}

#[tokio::test(start_paused = true)]
async fn rejected_token_request_has_help() {
    for status in [401, 403, 415, 418] {
        let (service, client) = service("");
        let echo = format!("{KEY} {SECRET} bXk6aWQ6Y2FuYXJ5IHNlY3JldC8r");
        service.0.lock().unwrap().failure = Some((status, format!(r#"{{"message": "{echo}"}}"#)));
        let outcomes = check_all(&client, 20).await;
        assert_eq!(seen(&service), (1, 0));
        for outcome in outcomes {
            let error = outcome.unwrap_err();
            assert_eq!(error.status(), Some(status));
            assert!(error.is_token());
            let text = format!("{error} {error:?} {error:#?}");
            assert!(text.contains("market.ratio (GET /ratio?symbol=BTC): token request failed: "));
            assert!(!text.contains("canary") && !text.contains("bXk6aWQ6"), "{text}");
            let known = invented::SERVICE.client_credentials.as_ref().unwrap().errors;
            if let Some(info) = known.iter().find(|info| info.status == status) {
                let advice = info.advice.trim_end_matches('.');
                assert!(text.contains(&advice[1..]), "{text}");
            }
        }
        service.0.lock().unwrap().failure = None;
        check(&client).await.unwrap();
        assert_eq!(seen(&service), (2, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn unusable_token_response_is_not_shown() {
    let (service, client) = service(r#""token_type": "canary""#);
    let error = check(&client).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(!format!("{error:?}").contains("canary"));
    assert_eq!(error.body(), None);
    assert_eq!(seen(&service), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn cancelled_caller_does_not_cancel_the_token_request() {
    let (service, client) = service(r#""expires_in": 600"#);
    let waiting = tokio::spawn({
        let client = client.clone();
        async move {
            tokio::time::sleep(LATENCY / 10).await;
            check(&client).await
        }
    });
    let leader = tokio::time::timeout(LATENCY + LATENCY / 2, check(&client)).await;
    assert!(leader.is_err());
    waiting.await.unwrap().unwrap();
    assert_eq!(seen(&service), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn no_output_contains_a_secret() {
    let (service, client) = service(r#""expires_in": 600"#);
    let builder = Client::builder("https://example.com/v2").api_key(KEY);
    let builder = builder.client_credentials("canary-id", SECRET);
    let request = client.market().ratio().symbol("BTC");
    service.0.lock().unwrap().hostile = true;
    let error = check(&client).await.unwrap_err();
    let body = String::from_utf8_lossy(error.body().unwrap());
    let state = service.0.lock().unwrap();
    let sent = (&state.data, &state.tokens);
    let seen = format!("{client:?} {client:#?} {builder:?} {request:?} {request} {error} {error:?} {body} {sent:?}");
    assert!(!seen.contains("canary"), "{seen}");
}

#[tokio::test(start_paused = true)]
async fn without_client_credentials_only_the_key_is_sent() {
    let service = Arc::new(Service::default());
    service.0.lock().unwrap().valid.insert(String::new());
    let client = Client::builder("https://example.com/v2").api_key(KEY);
    let client = client.transport(service.clone()).build().unwrap();
    check(&client).await.unwrap();
    assert_eq!(seen(&service), (0, 1));
    let state = service.0.lock().unwrap();
    assert_eq!(state.data[0].headers.get("x-api-key"), Some(KEY));
    assert_eq!(state.data[0].headers.get("authorization"), None);
}
