//! Tests of connections that have worked and then stop responding, as after a suspend or a change of network, or if a
//! NAT has dropped them.
//!
//! The tests use real sockets, so they assert outcomes and order, never durations.

use std::future::IntoFuture;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::observer::{Event, Observer};
use runtime::{ErrorKind, RateLimit, Retry};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;

use crate::invented::Client;
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
}

impl Server {
    async fn start(failure: Failure) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v2", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let (count, warm) = (connections.clone(), Arc::new(Barrier::new(WARM)));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, failure, (number < WARM).then(|| warm.clone())));
            }
        });
        Self { base_url, connections }
    }
}

/// Responds to every request of one connection. On each of the first connections, only the first request gets a
/// response, once all of these connections have sent a request.
async fn serve(mut stream: TcpStream, failure: Failure, warm: Option<Arc<Barrier>>) {
    let mut has_answered = false;
    while read_request(&mut stream).await.is_some() {
        if let Some(warm) = &warm {
            if has_answered {
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

async fn read_request(stream: &mut TcpStream) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(())
}

/// The outcomes of attempts and of requests.
#[derive(Default)]
struct Account {
    lost: AtomicUsize,
    most_attempts: AtomicUsize,
    is_warm: AtomicBool,
    kinds: Mutex<Vec<ErrorKind>>,
}

impl Observer for Account {
    fn observe(&self, event: &Event) {
        match event {
            Event::Attempt { outcome: Err(kind), .. } => {
                self.lost.fetch_add(1, Ordering::SeqCst);
                self.kinds.lock().unwrap().push(*kind);
            }
            Event::End { attempts, .. } if self.is_warm.load(Ordering::SeqCst) => {
                self.most_attempts.fetch_max(usize::try_from(*attempts).unwrap(), Ordering::SeqCst);
            }
            _ => {}
        }
    }
}

async fn all_at_once(client: &Client, count: usize) {
    let requests: Vec<_> = (0..count).map(|_| tokio::spawn(client.raw("/x").into_future())).collect();
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
    let client = builder.attempt_timeout(Duration::from_millis(500)).retry(retry).build().unwrap();
    all_at_once(&client, WARM).await;
    assert_eq!(server.connections.load(Ordering::SeqCst), WARM);
    account.is_warm.store(true, Ordering::SeqCst);
    (server, client, account)
}

#[tokio::test]
async fn sequential_requests_lose_one_attempt() {
    for failure in [Failure::Silent, Failure::Reset] {
        let (_server, client, account) = warmed(failure).await;
        for _ in 0..WARM {
            client.raw("/x").await.unwrap();
        }
        assert_eq!(account.lost.load(Ordering::SeqCst), 1, "{failure:?}");
        assert_eq!(*account.kinds.lock().unwrap(), [ErrorKind::Headers]);
    }
}

#[tokio::test]
async fn concurrent_requests_lose_at_most_one_attempt_each() {
    for failure in [Failure::Silent, Failure::Reset] {
        let (_server, client, account) = warmed(failure).await;
        all_at_once(&client, 10 * WARM).await;
        assert!(account.lost.load(Ordering::SeqCst) <= WARM, "{failure:?}");
        assert_eq!(account.most_attempts.load(Ordering::SeqCst), 2, "{failure:?}");
    }
}
