use generated_client::Client;

fn main() {
    // None of them is set, and the error names the one that is missed first.
    let error = Client::from_env().err().unwrap();
    assert!(error.to_string().contains("EXAMPLE_BASE_URL"), "{error}");
}
