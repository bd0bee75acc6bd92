//! Decodes random floats and edge cases, each written with seventeen digits and in the shortest form. Prints the number
//! of all floats and the number of floats that were decoded wrongly.
//!
//! Both ways of writing identify an `f64` exactly, so the decoded bits must equal the original bits.

use generated_client::decoding::NarrowRecord;
use generated_client::{Body, Series};

fn main() {
    let mut bits: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut numbers = edges();
    while numbers.len() < 1_000_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let any = f64::from_bits(bits ^ (bits >> 29));
        let unit = (bits >> 11) as f64 / (1_u64 << 53) as f64;
        numbers.extend([any, unit, unit * 1e6, unit * 1e-5].into_iter().filter(|number| number.is_finite()));
    }
    let mut misread = 0;
    for chunk in numbers.chunks(10_000) {
        for plain in [false, true] {
            let written = chunk.iter().map(|number| if plain { format!("{number}") } else { format!("{number:.16e}") });
            let records: Vec<_> = written.map(|text| format!(r#"{{"openDate":0,"volumeRatio":{text}}}"#)).collect();
            let text = format!(r#"{{"data":[{}]}}"#, records.join(","));
            let series = Series::<NarrowRecord>::decode(&text).unwrap_or_else(|error| panic!("{error}"));
            let pairs = series.iter().zip(chunk);
            misread += pairs.filter(|(read, number)| read.volume_ratio.to_bits() != number.to_bits()).count();
        }
    }
    println!("{} {misread}", numbers.len() * 2);
}

/// Returns powers of two and of ten, the largest and the smallest float, the smallest normal float, and the floats next
/// to all of these.
fn edges() -> Vec<f64> {
    let twos = (0..2_046_u64).map(|exponent| f64::from_bits((exponent + 1) << 52));
    let tens = (-320..308).map(|exponent| format!("1e{exponent}").parse().unwrap_or(0.0));
    let special = [f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.1, 9_007_199_254_740_993.0];
    let all: Vec<f64> = twos.chain(tens).chain(special).collect();
    let neighbours = all.iter().flat_map(|number| [number.next_down(), *number, number.next_up()]);
    neighbours.flat_map(|number| [number, -number]).filter(|number| number.is_finite()).collect()
}
