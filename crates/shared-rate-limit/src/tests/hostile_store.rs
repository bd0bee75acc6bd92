//! Tests of a store that returns anything: a broken or hostile server. A process neither panics nor hangs, and continues
//! as soon as the store works again.

use std::fs;
use std::path::Path;

use fastrand::Rng;

use super::*;
use crate::failure::Failure;
use crate::state_store::{Offer, Response};

/// A store that returns random responses until a time, and works from then on.
struct HostileStore {
    honest: Arc<MemoryStore>,
    honest_from: Instant,
    random: std::sync::Mutex<Rng>,
}

/// Numbers at the limits of the types that a state contains.
const NUMBERS: [&str; 7] =
    ["0", "1", "999999999", "18446744073709551615", "9223372036854775807", "4294967296", "1700007300"];

/// Replaces some numbers and texts of a text by others.
fn mutate(text: &str, random: &mut Rng) -> String {
    let mut mutated = String::new();
    for part in text.split_inclusive([':', ',', '[', '{', '}', ']']) {
        let value = part.trim_end_matches([':', ',', '[', '{', '}', ']']);
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        match random.u8(0..20) {
            0..2 if is_number => {
                mutated.push_str(NUMBERS[random.usize(..NUMBERS.len())]);
                mutated.push_str(&part[value.len()..]);
            }
            2 if value == "null" => {
                mutated.push_str(r#"{"secs":18446744073709551615,"nanos":999999999}"#);
                mutated.push_str(&part[value.len()..]);
            }
            3 if random.u8(..) == 0 => {}
            _ => mutated.push_str(part),
        }
    }
    mutated
}

impl HostileStore {
    /// Changes an honest response.
    fn spoil(&self, mut response: Response, text: Option<String>) -> Response {
        let mut random = self.random.lock().unwrap();
        match random.u8(0..10) {
            0 => response.now = Duration::MAX,
            1 => response.now = Duration::from_secs(random.u64(..)),
            2 => response.now = Duration::ZERO,
            3 => response.version = String::new(),
            4 => response.version = format!("{}:{}", response.run, random.u64(..)),
            5 => response.run = random.u8(..).to_string(),
            6 => response.text = None,
            _ => {}
        }
        if let Some(text) = text.filter(|_| random.bool()) {
            response.text = Some(mutate(&text, &mut random));
        }
        response
    }
}

impl StateStore for Arc<HostileStore> {
    const RENEWAL: Duration = SECOND;
    const IS_PRIVATE: bool = false;
    const NAME: &'static str = "the server";

    async fn exchange(&self, offer: Offer) -> Result<Response, Failure> {
        let text = offer.next.as_ref().map(|next| next.text.clone());
        let response = self.honest.exchange(offer).await?;
        if Instant::now() >= self.honest_from {
            return Ok(response);
        }
        let text = text.or_else(|| response.text.clone());
        Ok(self.spoil(response, text))
    }
}

/// Runs a process with a hostile store, and checks that it works once the store does.
async fn check(seed: u64) {
    let service = service(20 * MILLISECOND);
    let store = Arc::new(HostileStore {
        honest: MemoryStore::new(),
        honest_from: Instant::now() + 20 * SECOND,
        random: std::sync::Mutex::new(Rng::with_seed(seed)),
    });
    let honest = store.honest.clone();
    let mut process = TestProcess::of(&service, settings(set_a()), move |_| store.clone());
    let mut tasks = Vec::new();
    for index in 0..5 {
        let client = process.client.clone();
        tasks.push(tokio::spawn(async move {
            // Errors are allowed as long as the store is hostile.
            while Instant::now().elapsed() < SECOND {
                let request = client.raw("/x").retry(runtime::Retry::none()).into_future();
                drop(tokio::time::timeout((index + 1) * SECOND, request).await);
                tokio::time::sleep(10 * MILLISECOND).await;
            }
        }));
    }
    tokio::time::sleep(20 * SECOND).await;
    for task in tasks {
        task.abort();
    }
    // The hostile store may have stored any state, so the honest store begins with none.
    honest.server().forget();
    honest.server().start();
    tokio::time::sleep(15 * SECOND).await;
    let begun = Instant::now();
    process.run("/y", 3, begun + 10 * SECOND);
    tokio::time::sleep(12 * SECOND).await;
    let calls = process.finish().await;
    assert!(calls > 60, "seed {seed}: {calls} calls");
    assert!(!process.worker.is_finished(), "seed {seed}");
}

#[tokio::test(start_paused = true)]
async fn hostile_store_makes_no_panic_and_no_hang() {
    for seed in 0..3 {
        check(seed).await;
    }
}

/// The texts in the corpus of the fuzz target.
fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/shared_state");
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        texts.push(fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    texts
}

#[test]
fn corpus_contains_states() {
    for text in corpus() {
        assert!(crate::fuzz::use_stored(&text), "{text}");
    }
}

/// Every text of a hostile store can be read, used and written.
#[test]
fn hostile_text_is_no_panic() {
    let mut random = Rng::with_seed(1);
    let mut accepted = 0;
    for text in corpus() {
        let (_, state) = text.split_once('\n').unwrap();
        for _ in 0..5_000 {
            let changed = mutate(state, &mut random);
            let seconds = random.u64(0..1 << 41);
            accepted += u32::from(crate::fuzz::use_stored(&format!("{seconds}\n{changed}")));
        }
    }
    assert!(accepted > 1000, "{accepted}");
}
