//! Calls `history` on endpoints without a history, and methods whose feature is not enabled, which must not compile.

use case_history::{Builder, Client, Timestamp};

fn main() {
    let (from, to) = (Timestamp::from_unix_seconds(0), Timestamp::from_unix_seconds(1));
    let _ = Client::builder("https://service.test/v2").build().map(|client| {
        drop(client.market().ratio().history(from..to));
        drop(client.market().own().history(from..to));
        drop(client.market().latest().history(from..to));
        drop(client.market().odd().history(from..to));
        drop(client.market().ratio().send_blocking());
        drop(client.market().ratio().history(from..to).records_blocking());
        drop(client.market().ratio().history(from..to).pages_blocking());
        drop(client.market().ratio().follow(from).updates_blocking());
    });
    drop(Builder::from_file("client.toml"));
}
