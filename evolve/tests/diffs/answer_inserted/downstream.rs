use generated_client::KindOfMarket;

fn main() {
    assert_eq!(KindOfMarket::Spot as u8, 0);
}
