// A recipe includes this file, which runs it with a client of the sandbox, in an empty folder.

use std::fmt::Debug;
use std::time::Duration;

use generated_client::{Client, REGISTRY, RateLimit};
use sandbox::Sandbox;
use tokio::time::sleep;

/// Runs a recipe to its end.
#[allow(dead_code, reason = "a recipe includes this file and calls one of the functions")]
pub fn run<E: Debug>(recipe: impl AsyncFnOnce(&Client) -> Result<(), E>) {
    let outcome = run_until(recipe, async |_| sleep(Duration::from_secs(60)).await);
    outcome.expect("the recipe ends").unwrap();
}

/// Runs a recipe that waits for new data, and stops it one second after its first request.
#[allow(dead_code, reason = "a recipe includes this file and calls one of the functions")]
pub fn run_endless<E: Debug>(recipe: impl AsyncFnOnce(&Client) -> Result<(), E>) {
    let outcome = run_until(recipe, async |sandbox| {
        while sandbox.counts().requests == 0 {
            sleep(Duration::from_millis(50)).await;
        }
        sleep(Duration::from_secs(1)).await;
    });
    assert!(outcome.is_none(), "the recipe ended: {outcome:?}");
}

fn run_until<T>(recipe: impl AsyncFnOnce(&Client) -> T, stop: impl AsyncFnOnce(&Sandbox)) -> Option<T> {
    // A recipe shows the error of an unknown coin.
    let sandbox = Sandbox::of(&REGISTRY).fault("coin=NONE status=404".parse().unwrap()).start().unwrap();
    let fast = RateLimit::new(10_000, Duration::from_secs(1), 100);
    let client = Client::builder(sandbox.base_url()).api_key("any").rate_limit(fast).build().unwrap();
    let folder = std::env::temp_dir().join(format!("recipe-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    std::env::set_current_dir(&folder).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = recipe(&client) => Some(outcome),
            () = stop(&sandbox) => None,
        }
    });
    assert!(sandbox.counts().requests > 0, "the recipe has sent no request");
    std::env::set_current_dir("/").unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    outcome
}
