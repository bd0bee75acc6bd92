fn main() {
    let read = generated_client::SERVICE.env_prefix;
    assert_eq!(read, "EXAMPLE", "the variables that are set are not read");
}
