//! Calls a setter for a param that the endpoint does not have, which must not compile.

fn main() {
    let client = case_param_not_taken::Client::builder("https://service.test/v2").build();
    let _ = client.map(|client| client.market().health().limit(3));
}
