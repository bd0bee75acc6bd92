//! Tests of API keys that are replaced while the client is in use.

use std::sync::{Arc, Mutex};

use runtime::{ErrorKind, Retry, Secret};
use test_service::invented::Client;
use test_service::scripted::{Service, ok, reply};

/// Creates a service that accepts the key in `accepted`, rejects others with a status, and collects the keys of all
/// requests.
fn service(accepted: &Arc<Mutex<String>>, rejection: u16) -> (Arc<Service>, Arc<Mutex<Vec<String>>>) {
    let accepted = accepted.clone();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keys = seen.clone();
    let service = Service::new(move |request, _| {
        let key = request.headers.get("x-api-key").unwrap_or_default().to_owned();
        let is_accepted = key == *accepted.lock().unwrap();
        keys.lock().unwrap().push(key.clone());
        if is_accepted { ok() } else { reply(rejection, &[], &format!(r#"{{"message": "{key} is wrong"}}"#)) }
    });
    (service, seen)
}

#[tokio::test(start_paused = true)]
async fn key_of_a_source_is_read_for_each_request() {
    let key = Arc::new(Mutex::new("canary-one".to_owned()));
    let (service, seen) = service(&key, 401);
    let current = key.clone();
    let source = move || Ok::<_, String>(Secret::from(current.lock().unwrap().as_str()));
    let client = Client::builder("https://example.com/v2").api_key_source(source).transport(service).build().unwrap();
    client.raw("/x").await.unwrap();
    "canary-two".clone_into(&mut key.lock().unwrap());
    client.raw("/x").await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["canary-one", "canary-two"]);
}

/// The key is replaced while the request is in flight.
#[tokio::test(start_paused = true)]
async fn rejected_key_is_replaced_once() {
    for rejection in [401, 403] {
        let accepted = Arc::new(Mutex::new("canary-two".to_owned()));
        let (service, seen) = service(&accepted, rejection);
        let reads = Mutex::new(0);
        let source = move || {
            let mut reads = reads.lock().unwrap();
            *reads += 1;
            // The first read is that of `build`.
            Ok::<_, String>(Secret::from(if *reads <= 2 { "canary-one" } else { "canary-two" }))
        };
        let client =
            Client::builder("https://example.com/v2").api_key_source(source).transport(service).build().unwrap();
        client.raw("/x").await.unwrap();
        assert_eq!(*seen.lock().unwrap(), ["canary-one", "canary-two"]);
        "canary-three".clone_into(&mut accepted.lock().unwrap());
        let error = client.raw("/x").await.unwrap_err();
        assert!(error.is_auth() && !format!("{error:#} {error:?} {:?}", error.body()).contains("canary"), "{error:#}");
        assert_eq!(seen.lock().unwrap().len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn key_of_a_file_is_read_for_each_request() {
    let key = Arc::new(Mutex::new("canary-one".to_owned()));
    let (service, seen) = service(&key, 401);
    let path = std::env::temp_dir().join(format!("rotated-key-{}", std::process::id()));
    let builder = || {
        let builder = Client::builder("https://example.com/v2").transport(service.clone());
        builder.api_key_file(&path).retry(Retry::none())
    };
    let error = builder().build().map(drop).unwrap_err();
    assert!(error.to_string().starts_with("cannot read the file of the API key "), "{error}");
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Builder, false));
    std::fs::write(&path, "k".repeat(65_537)).unwrap();
    let error = builder().build().map(drop).unwrap_err();
    assert!(error.to_string().ends_with(" exceeds 65536 bytes"), "{error}");
    std::fs::write(&path, "canary-one\n").unwrap();
    let client = builder().build().unwrap();
    client.raw("/x").await.unwrap();
    "canary-two".clone_into(&mut key.lock().unwrap());
    std::fs::write(&path, "\u{feff} canary-two\r\n").unwrap();
    client.raw("/x").await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["canary-one", "canary-two"]);
    std::fs::write(&path, "").unwrap();
    let error = client.raw("/x").await.unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Send, true));
    assert!(error.to_string().contains(" is empty") && error.is_missing_setting(), "{error}");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[test]
fn key_is_not_read_from_a_pipe_or_a_directory() {
    let mut paths = vec![std::env::temp_dir()];
    if cfg!(unix) {
        paths.push("/dev/zero".into());
    }
    for path in paths {
        let error = Client::builder("https://example.com/v2").api_key_file(path).build().map(drop).unwrap_err();
        assert!(error.to_string().ends_with(" is not a regular file"), "{error}");
        assert_eq!(error.kind(), ErrorKind::Builder);
    }
}
