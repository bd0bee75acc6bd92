//! A server on a real socket that follows a list of steps, one for each request.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::Builder;
use test_service::invented::Client;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const KEY: &str = "canary-key";
pub(crate) const DATA: &str = r#"{"data": [{"openDate": 1700000000, "ratio": 0.25}]}"#;

/// The behaviour of the server for one request.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Writes bytes and keeps the connection open.
    Write(Vec<u8>),
    /// Writes bytes and closes the connection.
    Close(Vec<u8>),
    /// Writes bytes, lets them arrive, and resets the connection.
    Reset(Vec<u8>),
    /// Writes bytes one by one, with a pause after each byte.
    Trickle(Vec<u8>),
    /// Writes the first bytes once, and then the second bytes repeatedly.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends no response.
    NoResponse,
}

/// A server that executes one step per request, and repeats the last step.
pub(crate) struct Server {
    pub(crate) base_url: String,
    connections: Arc<AtomicUsize>,
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) async fn start(steps: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v2", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let server = Self { base_url, connections: connections.clone(), requests: requests.clone() };
        let steps = Arc::new(Mutex::new(steps));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, steps.clone(), requests.clone()));
            }
        });
        server
    }

    pub(crate) fn builder(&self) -> Builder<Client> {
        Client::builder(&*self.base_url).api_key(KEY)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(mut stream: TcpStream, steps: Arc<Mutex<Vec<Step>>>, requests: Arc<Mutex<Vec<String>>>) {
    while let Some(request) = read_request(&mut stream).await {
        requests.lock().unwrap().push(request);
        let step = {
            let mut steps = steps.lock().unwrap();
            if steps.len() > 1 { steps.remove(0) } else { steps[0].clone() }
        };
        if take(step, &mut stream).await.is_none() {
            return;
        }
    }
}

/// Executes a step; returns `None` if the step ends the connection.
async fn take(step: Step, stream: &mut TcpStream) -> Option<()> {
    match step {
        Step::Write(bytes) => stream.write_all(&bytes).await.ok(),
        Step::Close(bytes) => {
            stream.write_all(&bytes).await.ok()?;
            None
        }
        Step::Reset(bytes) => {
            stream.write_all(&bytes).await.ok()?;
            tokio::time::sleep(Duration::from_millis(20)).await;
            stream.set_zero_linger().ok()?;
            None
        }
        Step::Trickle(bytes) => {
            for byte in bytes {
                stream.write_all(&[byte]).await.ok()?;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Some(())
        }
        Step::Endless(first, again) => {
            stream.write_all(&first).await.ok()?;
            loop {
                stream.write_all(&again).await.ok()?;
            }
        }
        Step::NoResponse => std::future::pending().await,
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

/// Creates a response with a `Content-Length`.
pub(crate) fn reply(head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}
