//! Tests of connections that have worked and then stop responding, as after a suspend or a change of network, or if a
//! NAT has dropped them.
//!
//! The tests use real sockets, so they assert which requests the server received on dead connections, never durations.

use std::future::IntoFuture;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::observer::{Event, Observer};
use runtime::{ErrorKind, RateLimit, Retry};
use test_service::invented::Client;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;

use crate::socket::{DATA, KEY, reply};

/// The number of connections that are opened before all of them fail.
const WARM: usize = 20;

/// The way in which the open connections fail.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Failure {
    /// No further response arrives.
    Silent,
    /// The server resets the connection after every request.
    Reset,
}

/// A server whose first connections fail after one response each, while later connections work.
struct Server {
    base_url: String,
    connections: Arc<AtomicUsize>,
    lost: Lost,
}

/// The first lines of the requests that were sent on dead connections.
type Lost = Arc<Mutex<Vec<String>>>;

impl Server {
    async fn start(failure: Failure) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v2", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let (count, warm, lost) = (connections.clone(), Arc::new(Barrier::new(WARM)), Lost::default());
        let server = Self { base_url, connections, lost: lost.clone() };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, failure, (number < WARM).then(|| warm.clone()), lost.clone()));
            }
        });
        server
    }
}

/// Responds to every request of one connection. On each of the first connections, only the first request gets a
/// response, once all of these connections have sent a request.
async fn serve(mut stream: TcpStream, failure: Failure, warm: Option<Arc<Barrier>>, lost: Lost) {
    let mut has_answered = false;
    while let Some(request) = read_request(&mut stream).await {
        if let Some(warm) = &warm {
            if has_answered {
                lost.lock().unwrap().push(request);
                match failure {
                    Failure::Silent => return std::future::pending().await,
                    Failure::Reset => return stream.set_zero_linger().unwrap(),
                }
            }
            warm.wait().await;
        }
        stream.write_all(&reply("200 OK", DATA)).await.unwrap();
        has_answered = true;
    }
}

/// Reads the next request and returns its first line.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()?.lines().next().map(str::to_owned)
}

/// Collects the error kinds of the failed attempts.
#[derive(Default)]
struct Account(Mutex<Vec<ErrorKind>>);

impl Observer for Account {
    fn observe(&self, event: &Event) {
        if let Event::Attempt { outcome: Err(kind), .. } = event {
            self.0.lock().unwrap().push(*kind);
        }
    }
}

/// The time after which an attempt on a dead connection fails: far more than a response takes.
const ATTEMPT: Duration = Duration::from_secs(3);

async fn all_at_once(client: &Client, count: usize, attempt_timeout: Duration) {
    let request = |number| client.raw(format!("/{number}")).attempt_timeout(attempt_timeout);
    let requests: Vec<_> = (0..count).map(|number| tokio::spawn(request(number).into_future())).collect();
    for request in requests {
        request.await.unwrap().unwrap();
    }
}

/// Creates a client with [`WARM`] connections that have worked once and will fail.
async fn warmed(failure: Failure) -> (Server, Client, Arc<Account>) {
    let server = Server::start(failure).await;
    let account = Arc::new(Account::default());
    let limit = RateLimit::new(10_000, Duration::from_secs(1), u32::try_from(WARM).unwrap());
    let builder = Client::builder(&*server.base_url).api_key(KEY).rate_limit(limit).observer(account.clone());
    // Retries after dead connections do not use up the budget.
    let retry = Retry::default().budget(0).backoff(Duration::ZERO, Duration::ZERO);
    let client = builder.retry(retry).build().unwrap();
    all_at_once(&client, WARM, Duration::from_secs(600)).await;
    assert_eq!(server.connections.load(Ordering::SeqCst), WARM);
    (server, client, account)
}

#[tokio::test]
async fn sequential_requests_lose_one_attempt() {
    for failure in [Failure::Silent, Failure::Reset] {
        let (server, client, account) = warmed(failure).await;
        for _ in 0..WARM {
            client.raw("/x").attempt_timeout(ATTEMPT).await.unwrap();
        }
        assert_eq!(server.lost.lock().unwrap().len(), 1, "{failure:?}");
        assert_eq!(account.0.lock().unwrap().first(), Some(&ErrorKind::Headers));
    }
}

#[tokio::test]
async fn concurrent_requests_lose_at_most_one_attempt_each() {
    for failure in [Failure::Silent, Failure::Reset] {
        let (server, client, _) = warmed(failure).await;
        all_at_once(&client, 10 * WARM, ATTEMPT).await;
        let mut lost = server.lost.lock().unwrap().clone();
        assert!((1..=WARM).contains(&lost.len()), "{failure:?}: {lost:?}");
        let all = lost.len();
        lost.sort();
        lost.dedup();
        assert_eq!(lost.len(), all, "{failure:?}");
    }
}
