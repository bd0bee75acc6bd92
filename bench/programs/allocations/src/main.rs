//! Prints the number of allocations when 1,024 and when 65,536 records of two numbers are decoded.

use generated_client::decoding::NarrowRecord;
use generated_client::{Body, Series};

fn main() {
    println!("{} {}", allocations(1_024), allocations(65_536));
}

fn allocations(records: usize) -> u64 {
    let record = r#"{"openDate":1700000000,"volumeRatio":0.12345678901234568}"#;
    let text = format!(r#"{{"data":[{}]}}"#, vec![record; records].join(","));
    let counted = allocation_counter::measure(|| {
        assert!(Series::<NarrowRecord>::decode(&text).is_ok_and(|series| series.len() == records));
    });
    counted.count_total
}
