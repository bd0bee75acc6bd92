// Recipes include this file. Its functions run a recipe in an empty folder, with a client of the sandbox.

use std::fmt::Debug;
use std::time::Duration;

use generated_client::{Client, REGISTRY, RateLimit};
use sandbox::Sandbox;

/// Runs a recipe to its end.
#[allow(dead_code, reason = "a recipe includes this file and calls one of the functions")]
pub fn run<E: Debug>(recipe: impl AsyncFnOnce(&Client) -> Result<(), E>) {
    run_for(Duration::from_secs(60), recipe).expect("the recipe ends").unwrap();
}

/// Runs a recipe that waits for new data, and stops it after one second. In this time, the recipe receives the data
/// that already exists.
#[allow(dead_code, reason = "a recipe includes this file and calls one of the functions")]
pub fn run_endless<E: Debug>(recipe: impl AsyncFnOnce(&Client) -> Result<(), E>) {
    let ended = run_for(Duration::from_secs(1), recipe);
    assert!(ended.is_none(), "{ended:?}");
}

fn run_for<T>(time: Duration, recipe: impl AsyncFnOnce(&Client) -> T) -> Option<T> {
    let sandbox = Sandbox::of(&REGISTRY).start().unwrap();
    let fast = RateLimit::new(10_000, Duration::from_secs(1), 100);
    let client = Client::builder(sandbox.base_url()).api_key("any").rate_limit(fast).build().unwrap();
    let folder = std::env::temp_dir().join(format!("recipe-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    std::env::set_current_dir(&folder).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(async { tokio::time::timeout(time, recipe(&client)).await });
    assert!(sandbox.counts().requests > 0, "the recipe has sent no request");
    std::env::set_current_dir("/").unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    outcome.ok()
}
