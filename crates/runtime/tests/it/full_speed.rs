//! Sends requests at full speed to a real server for more than a minute; `cargo xtask verify rate-limit` runs this test.
//!
//! The server has a thread for each connection and records when each request arrives. The test fails if a window has
//! more requests than the limit. The share of the limit that the client uses depends on the machine, so the test only
//! prints this share. A thread that only sleeps measures the delay with which this machine wakes threads, because this
//! delay limits the accuracy of the arrival times.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use runtime::Builder;
use test_service::invented::{Client, SERVICE};

const BODY: &str = r#"{"data": [{"openDate": 1700000000, "ratio": 0.25}]}"#;

/// The duration of the test, which is longer than the longest window.
const TIME: Duration = Duration::from_secs(75);

/// The maximum delay in waking a thread. With a longer delay, the measurement is invalid.
const LATEST: Duration = Duration::from_millis(200);

type Arrivals = Arc<Mutex<Vec<Instant>>>;

/// Measures the maximum delay in waking a thread while the metronome runs.
struct Metronome {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Duration>,
}

impl Metronome {
    fn start() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = is_over.clone();
        let thread = std::thread::spawn(move || {
            let (beat, mut latest) = (Duration::from_millis(1), Duration::ZERO);
            while !seen.load(Ordering::Relaxed) {
                let begun = Instant::now();
                std::thread::sleep(beat);
                latest = latest.max(begun.elapsed().saturating_sub(beat));
            }
            latest
        });
        Self { is_over, thread }
    }

    fn end(self) -> Duration {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Responds to each request of one connection after a delay.
fn serve(mut stream: TcpStream, arrivals: &Arrivals) -> std::io::Result<()> {
    let (mut head, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        head.extend_from_slice(&buffer[..length]);
        if head.ends_with(b"\r\n\r\n") {
            arrivals.lock().unwrap().push(Instant::now());
            head.clear();
            std::thread::sleep(Duration::from_millis(20));
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{BODY}", BODY.len())?;
        }
    }
}

/// Starts a server on a separate thread; returns its base URL and its list of arrivals.
fn server() -> (String, Arrivals) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v2", listener.local_addr().unwrap());
    let arrivals = Arrivals::default();
    let seen = arrivals.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let seen = seen.clone();
            std::thread::spawn(move || serve(stream, &seen));
        }
    });
    (base_url, arrivals)
}

/// Returns the maximum number of requests that arrived within any window of this length.
fn peak(arrivals: &[Instant], length: Duration) -> usize {
    let count = |(index, first): (usize, &Instant)| {
        arrivals[index..].iter().take_while(|arrival| **arrival - *first < length).count()
    };
    arrivals.iter().enumerate().map(count).max().unwrap_or(0)
}

/// Sends at full speed, through the built-in transport unless `settings` sets another.
async fn check(settings: impl FnOnce(Builder<Client>) -> Builder<Client>) {
    let (base_url, arrivals) = server();
    let client = settings(Client::builder(base_url).api_key("any").allow_http(true)).build().unwrap();
    let (start, metronome) = (Instant::now(), Metronome::start());
    let task = |client: Client| async move {
        while start.elapsed() < TIME {
            client.market().ratio().symbol("BTC").await.unwrap();
        }
    };
    let tasks: Vec<_> = (0..50).map(|_| tokio::spawn(task(client.clone()))).collect();
    for task in tasks {
        task.await.unwrap();
    }
    let arrivals = arrivals.lock().unwrap();
    let late = metronome.end();
    println!("{} requests in {:.1?}; threads were woken up to {late:.1?} late", arrivals.len(), start.elapsed());
    assert!(late <= LATEST, "this machine is too busy to measure");
    assert!(!SERVICE.limits.is_empty());
    for limit in SERVICE.limits {
        let peak = peak(&arrivals, Duration::from_secs(limit.seconds.into()).saturating_sub(late));
        println!("set {}: {peak} of {} in the fullest {} s", limit.name, limit.requests, limit.seconds);
        assert!(peak <= usize::try_from(limit.requests).unwrap(), "the limit was exceeded");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes more than a minute; `cargo xtask verify rate-limit` runs it"]
async fn built_in_transport_stays_within_the_limit() {
    check(|builder| builder).await;
}

#[cfg(feature = "reqwest")]
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes more than a minute; `cargo xtask verify rate-limit` runs it"]
async fn reqwest_transport_stays_within_the_limit() {
    use runtime::transport::ReqwestTransport;
    check(|builder| builder.transport(ReqwestTransport::from_builder(reqwest::Client::builder()).unwrap())).await;
}
