fn main() {
    let read = generated_client::SERVICE.env_prefix;
    assert_eq!(read, "SAMPLE", "the variables that are set are not read");
}
