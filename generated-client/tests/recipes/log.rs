// The recipe that writes a log includes this file.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use generated_client::{Client, Error, Retry, transport};

/// The log of the recipe.
static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Writes to [`LOG`].
pub struct Log;

impl io::Write for Log {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        LOG.lock().unwrap_or_else(PoisonError::into_inner).write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends a request that succeeds at the second attempt, and a request that fails. Returns their log.
pub fn log_of_two_requests() -> String {
    let statuses = Arc::new(Mutex::new(vec![404, 200, 503]));
    let transport = transport::from_fn(move |_| {
        let status = statuses.lock().unwrap().pop().unwrap();
        async move { Ok(transport::HttpResponse::new(status, transport::Headers::new(), r#"{"data": []}"#)) }
    });
    let retry = Retry::default().backoff(Duration::ZERO, Duration::ZERO);
    let builder = Client::builder("https://example.com/v2").api_key("key").transport(transport).retry(retry);
    let client = builder.build().unwrap();
    let demo = async move {
        client.orderflow().volume_ratio().coin("BTC").limit(5).await?;
        client.orderflow().volume_ratio().coin("ABC").query("session", "key").await?;
        Ok::<(), Error>(())
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    assert!(runtime.block_on(demo).is_err());
    String::from_utf8(LOG.lock().unwrap().clone()).unwrap()
}
