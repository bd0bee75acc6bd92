//! Tests of the parts that are specific to this crate: its name and version, its limits and its setters.

use std::sync::{Arc, Mutex};

use generated_client::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
use generated_client::{Bucket, Client, Exchange, SERVICE, Timeframe, Timestamp, limits};

/// A request, and the name of the thread that sent it.
type Asked = (HttpRequest, Option<String>);

/// A transport that stores each request, and the name of the thread that sent it.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<Asked>>>);

impl Transport for Memory {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        let thread = std::thread::current().name().map(str::to_owned);
        self.0.lock().unwrap().push((request, thread));
        Box::pin(async { Ok(HttpResponse::new(200, Headers::new(), "{}")) })
    }
}

fn client(memory: &Memory) -> Client {
    Client::builder("https://example.com/v2").api_key("key").transport(memory.clone()).build().unwrap()
}

#[tokio::test]
async fn the_user_agent_is_this_crate() {
    let memory = Memory::default();
    client(&memory).raw("/health").await.unwrap();
    let agent = memory.0.lock().unwrap()[0].0.headers.get("user-agent").map(str::to_owned);
    assert_eq!(agent, Some(format!("generated-client/{}", env!("CARGO_PKG_VERSION"))));
}

#[cfg(feature = "blocking")]
#[test]
fn blocking_thread_is_named_after_the_crate() {
    let memory = Memory::default();
    client(&memory).raw("/health").send_blocking().unwrap();
    assert_eq!(memory.0.lock().unwrap()[0].1.as_deref(), Some("generated-client"));
}

#[test]
fn values_are_written_as_the_service_reads_them() {
    let ratio = client(&Memory::default()).orderflow().volume_ratio();
    let table = [
        (ratio.clone().timeframe(Timeframe::H1), "timeframe=1h"),
        (ratio.clone().start_time(Timestamp::from_unix_seconds(1_700_000_000)), "startTime=1700000000"),
        (ratio.clone().end_time(Timestamp::from_unix_seconds(1_700_000_000)), "endTime=1700000000"),
        (ratio.clone().exchanges(["a", "b"]), "exchange=a,b"),
        (ratio.clone().exchange(Exchange::BINANCE_PERP_STABLE), "exchange=binance_perp_stable"),
    ];
    for (request, expected) in table {
        assert_eq!(request.path_and_query(), format!("/volumeRatio?{expected}"));
    }
    assert_eq!(Bucket::from("9").as_str(), "9");
}

#[test]
fn the_limits_are_those_of_the_service() {
    for limit in SERVICE.limits {
        assert!(limits::named(limit.name).is_ok(), "{}", limit.name);
    }
    assert!(limits::named("another").is_err());
}
