fn main() {}

#[allow(unused)]
fn uses(depth: generated_client::market::DepthRecord) {}
