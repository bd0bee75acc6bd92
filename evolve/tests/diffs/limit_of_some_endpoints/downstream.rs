fn main() {
    let _ = generated_client::limits::SET_A;
}
