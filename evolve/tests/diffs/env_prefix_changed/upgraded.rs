use generated_client::Client;

fn main() {
    let error = Client::from_env().err().unwrap();
    assert!(error.to_string().contains("SAMPLE_BASE_URL"), "{error}");
}
