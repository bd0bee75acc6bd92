use generated_client::KindOfMarket;

fn main() {
    assert_eq!(KindOfMarket::Perp as u8, 0);
}
