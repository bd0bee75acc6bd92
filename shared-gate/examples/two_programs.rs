//! Two programs with one API key and one limit: `two_programs redis://127.0.0.1:6379`.
//!
//! A sandbox stands for the service and enforces set A, ten requests a second. The program starts itself twice; each asks as
//! fast as it may for half a minute. In the end the sandbox says what it has seen.

#![allow(clippy::print_stdout)] // What it is for.

use std::error::Error;
use std::process::Command;
use std::time::{Duration, Instant};

use generated_client::{Client, Timeframe, limits};
use sandbox::Sandbox;
use shared_gate::SharedGate;

const TIME: Duration = Duration::from_secs(30);

/// One of the programs: a client as anywhere, but for its gate.
async fn program(name: &str, server: &str, base_url: &str) -> Result<(), Box<dyn Error>> {
    let gate = SharedGate::builder(server, limits::SET_A).name("two-programs").build()?;
    let client = Client::builder(base_url).api_key("the-same-key").allow_http(true).gate(gate.clone()).build()?;
    let begun = Instant::now();
    let mut replies = 0;
    while begun.elapsed() < TIME {
        client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(50).await?;
        replies += 1;
    }
    gate.leave().await;
    println!("program {name}: {replies} replies, {:.1} a second", f64::from(replies) / TIME.as_secs_f64());
    Ok(())
}

/// Starts a service and both programs, and says what the service has seen.
async fn both(server: &str) -> Result<(), Box<dyn Error>> {
    let sandbox = Sandbox::builder().limit_set("A").start().await?;
    let this = std::env::current_exe()?;
    let start = |name| Command::new(&this).args([name, server, sandbox.base_url()]).spawn();
    let programs = [start("one")?, start("two")?];
    for mut program in programs {
        tokio::task::spawn_blocking(move || program.wait()).await??;
    }
    let counts = sandbox.counts();
    let peak = counts.peak("A").unwrap_or_default();
    println!("the service: {} requests, {peak} in the fullest second, {} refused", counts.requests, counts.refused);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [server] => both(server).await,
        [name, server, base_url] => program(name, server, base_url).await,
        _ => Err("say where the server is, redis://127.0.0.1:6379 for example".into()),
    }
}
