//! Calls `history` on endpoints without a history, which must not compile.

fn main() {
    let client = case_history::Client::builder("https://service.test/v2").build();
    let _ = client.map(|client| {
        drop(client.market().ratio().history(0..1));
        drop(client.market().own().history(0..1));
        drop(client.market().latest().history(0..1));
        drop(client.market().odd().history(0..1));
    });
}
