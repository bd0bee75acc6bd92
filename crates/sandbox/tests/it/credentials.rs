//! Tests of the API key, of each documented response of the token endpoint, and of data requests that need a key and a
//! token.

use std::time::Duration;

use runtime::registry::{Registry, ServiceInfo};
use sandbox::Sandbox;
use test_service::invented::{Client, REGISTRY, Timeframe};

use crate::support::{Response, Server};

/// `id:secret`.
const BASIC: &str = "Basic aWQ6c2VjcmV0";
const FORM: &str = "application/x-www-form-urlencoded";
const GRANT: &str = "grant_type=client_credentials";
type Headers = &'static [(&'static str, &'static str)];

const KEY: (&str, &str) = ("x-api-key", "key");
const AUTHORIZATION: (&str, &str) = ("authorization", BASIC);
const CONTENT_TYPE: (&str, &str) = ("content-type", FORM);

async fn token(server: &Server, headers: &[(&str, &str)], body: &str) -> Response {
    server.send("POST", "/oauth2/token", headers, body).await
}

#[tokio::test]
async fn every_path_needs_the_key() {
    let any = Server::start();
    let given = Server::with(Sandbox::of(&REGISTRY).api_key("key"));
    for path in ["/ratio", "/health", "/nothing"] {
        for (server, headers) in
            [(&any, &[] as &[_]), (&any, &[("x-api-key", "")]), (&given, &[("x-api-key", "other")])]
        {
            let response = server.send("GET", path, headers, "").await;
            assert_eq!((response.status, response.code().as_str()), (403, "invalid_api_key"), "{path} {headers:?}");
        }
    }
    assert_eq!(given.get("/health").await.status, 200);
}

#[tokio::test]
async fn the_token_endpoint_rejects_as_documented() {
    let server = Server::with(Sandbox::of(&REGISTRY).api_key("key").client_credentials("id", "secret"));
    let table: [(&str, Headers, &str, u16); 15] = [
        ("no key", &[AUTHORIZATION, CONTENT_TYPE], GRANT, 403),
        ("wrong key", &[("x-api-key", "other"), AUTHORIZATION, CONTENT_TYPE], GRANT, 403),
        ("no content type", &[KEY, AUTHORIZATION], GRANT, 415),
        ("JSON", &[KEY, AUTHORIZATION, ("content-type", "application/json")], "{}", 415),
        ("no credentials", &[KEY, CONTENT_TYPE], GRANT, 401),
        ("Bearer", &[KEY, CONTENT_TYPE, ("authorization", "Bearer aWQ6c2VjcmV0")], GRANT, 401),
        ("not base64", &[KEY, CONTENT_TYPE, ("authorization", "Basic id:secret")], GRANT, 401),
        ("no colon", &[KEY, CONTENT_TYPE, ("authorization", "Basic aWRzZWNyZXQ=")], GRANT, 401),
        ("not UTF-8", &[KEY, CONTENT_TYPE, ("authorization", "Basic //86/w==")], GRANT, 401),
        ("wrong secret", &[KEY, CONTENT_TYPE, ("authorization", "Basic aWQ6b3RoZXI=")], GRANT, 401),
        ("no grant", &[KEY, AUTHORIZATION, CONTENT_TYPE], "", 400),
        ("wrong grant", &[KEY, AUTHORIZATION, CONTENT_TYPE], "grant_type=password", 400),
        ("valid", &[KEY, AUTHORIZATION, CONTENT_TYPE], GRANT, 200),
        (
            "valid, with a charset",
            &[KEY, AUTHORIZATION, ("content-type", "Application/x-www-form-urlencoded; charset=utf-8")],
            GRANT,
            200,
        ),
        ("valid, in lower case", &[KEY, CONTENT_TYPE, ("authorization", "basic aWQ6c2VjcmV0")], GRANT, 200),
    ];
    for (what, headers, body, status) in table {
        let response = token(&server, headers, body).await;
        assert_eq!(response.status, status, "{what}: {}", response.text);
        if status == 200 {
            let json = response.json();
            assert!(!json["access_token"].as_str().unwrap().is_empty());
            assert_eq!((&json["expires_in"], &json["token_type"]), (&86_400.into(), &"Bearer".into()));
        } else {
            response.code();
        }
    }
}

#[tokio::test]
async fn body_too_large_is_rejected_with_an_error_body() {
    let server = Server::start();
    // The body is only one byte too long, because with more unread bytes, the connection might be reset before the
    // response is read.
    let body = "a".repeat((2 << 20) + 1);
    let response = token(&server, &[KEY, AUTHORIZATION, CONTENT_TYPE], &body).await;
    assert_eq!((response.status, response.code().as_str()), (413, "unread_body"));
    assert_eq!(response.headers["content-type"], "application/json");
}

#[tokio::test]
async fn data_requires_a_token_if_set() {
    let server = Server::with(Sandbox::of(&REGISTRY).bearer_required(true));
    let response = server.get("/health").await;
    assert_eq!((response.status, response.code().as_str()), (401, "missing_token"));
    let issued = token(&server, &[KEY, AUTHORIZATION, CONTENT_TYPE], GRANT).await.json();
    let bearer = format!("Bearer {}", issued["access_token"].as_str().unwrap());
    let get =
        async |authorization: &str| server.send("GET", "/health", &[KEY, ("authorization", authorization)], "").await;
    assert_eq!(get(&bearer).await.status, 200);
    assert_eq!(get("Bearer made-up").await.code(), "invalid_token");
    assert_eq!(get(BASIC).await.code(), "missing_token");
    assert_eq!(server.send("GET", "/health", &[("authorization", &bearer)], "").await.status, 403);
}

#[tokio::test]
async fn token_is_rejected_after_its_lifetime() {
    let server = Server::with(Sandbox::of(&REGISTRY).bearer_required(true).token_lifetime(Duration::ZERO));
    let issued = token(&server, &[KEY, AUTHORIZATION, CONTENT_TYPE], GRANT).await.json();
    let bearer = format!("Bearer {}", issued["access_token"].as_str().unwrap());
    let response = server.send("GET", "/health", &[KEY, ("authorization", &bearer)], "").await;
    assert_eq!((response.status, response.code().as_str()), (401, "invalid_token"));
    assert_eq!(issued["expires_in"], 0);
    for lifetime in [Duration::from_secs(3600), Duration::MAX] {
        let server = Server::with(Sandbox::of(&REGISTRY).bearer_required(true).token_lifetime(lifetime));
        let issued = token(&server, &[KEY, AUTHORIZATION, CONTENT_TYPE], GRANT).await.json();
        let bearer = format!("Bearer {}", issued["access_token"].as_str().unwrap());
        assert_eq!(issued["expires_in"], lifetime.as_secs());
        assert_eq!(server.send("GET", "/health", &[KEY, ("authorization", &bearer)], "").await.status, 200);
    }
}

#[tokio::test]
async fn revoked_token_is_rejected() {
    let server = Server::with(Sandbox::of(&REGISTRY).bearer_required(true));
    let mut bearers = Vec::new();
    for _ in 0..2 {
        let issued = token(&server, &[KEY, AUTHORIZATION, CONTENT_TYPE], GRANT).await.json();
        bearers.push(format!("Bearer {}", issued["access_token"].as_str().unwrap()));
    }
    let status = async |bearer: &str| server.send("GET", "/health", &[KEY, ("authorization", bearer)], "").await.status;
    assert_ne!(bearers[0], bearers[1]);
    assert_eq!((status(&bearers[0]).await, status(&bearers[1]).await), (200, 200));
    server.sandbox().revoke_tokens();
    assert_eq!((status(&bearers[0]).await, status(&bearers[1]).await), (401, 401));
    assert_eq!(server.sandbox().counts().tokens_issued, 2);
}

#[tokio::test]
async fn client_fetches_its_token_from_the_sandbox() {
    let server = Server::with(Sandbox::of(&REGISTRY).bearer_required(true).client_credentials("id", "secret"));
    let client = Client::builder(server.base_url()).api_key("key").client_credentials("id", "secret").build().unwrap();
    let ask =
        async || client.market().ratio().symbol("BTC").timeframe(Timeframe::H1).limit(5).await.unwrap().records.len();
    assert_eq!((ask().await, ask().await), (5, 5));
    assert_eq!(server.sandbox().counts().tokens_issued, 1);
    server.sandbox().revoke_tokens();
    assert_eq!((ask().await, ask().await), (5, 5));
    let counts = server.sandbox().counts();
    assert_eq!((counts.tokens_issued, counts.requests), (2, 7), "four responses, a 401 and two tokens");
}

#[tokio::test]
async fn key_in_the_query_is_not_a_param() {
    static QUERY: ServiceInfo = ServiceInfo { api_key_query: Some("apikey"), ..ServiceInfo::new("Keyed") };
    let server = Server::with(Sandbox::of(&registry_of(&QUERY)).api_key("a+b"));
    for (path, status) in [
        ("/health?apikey=a%2Bb", 200),
        ("/health?apikey=other", 403),
        ("/health?apikey=", 403),
        ("/health", 403),
        ("/ratio?symbol=BTC&exchange=north_spot&timeframe=1h&apikey=a%2Bb", 200),
        ("/ratio?symbol=BTC&exchange=north_spot&timeframe=1h&other=1&apikey=a%2Bb", 422),
    ] {
        assert_eq!(server.get(path).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn wrong_basic_credentials_are_rejected() {
    static BASIC_KEY: ServiceInfo = ServiceInfo {
        api_key_header: Some("authorization"),
        api_key_prefix: "Basic ",
        api_key_basic: true,
        ..ServiceInfo::new("Basic")
    };
    let server = Server::with(Sandbox::of(&registry_of(&BASIC_KEY)).api_key("id:secret"));
    for (value, status) in [(BASIC, 200), ("Basic aWQ6b3RoZXI=", 403), ("Bearer aWQ6c2VjcmV0", 403), ("", 403)] {
        assert_eq!(server.send("GET", "/health", &[("authorization", value)], "").await.status, status, "{value}");
    }
}

/// Returns a registry with the groups of the test service and the credentials of another service.
fn registry_of(service: &'static ServiceInfo) -> Registry {
    Registry::new(service, REGISTRY.groups, REGISTRY.metadata)
}
