//! Properties that hold for every text that a service may send.
//!
//! Each property is a function that panics if a text violates the property. The fuzz targets in `fuzz/` search for such
//! texts. The tests here check the texts in the corpus, which is stored in `fuzz/`. This module is built only for tests
//! and `cargo fuzz`.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a violated property panics")]

mod envelope;
mod number;
mod retry_after;
mod token_reply;

pub use envelope::envelope;
pub use number::number;
pub use retry_after::retry_after;
pub use token_reply::token_reply;

/// The tests are omitted with `__json-features`, because `serde_json`, which is the reference, then keeps the text of
/// numbers and does not read them exactly.
#[cfg(all(test, not(feature = "__json-features")))]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Checks a property for every text in the corpus of a fuzz target.
    fn check(target: &str, property: fn(&[u8])) {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
        let texts: Vec<_> =
            fs::read_dir(corpus).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
        assert!(texts.len() > 10, "most texts of {target} are missing");
        for text in &texts {
            property(text);
        }
    }

    #[test]
    fn envelope() {
        check("envelope", super::envelope);
    }

    #[test]
    fn number() {
        check("number", super::number);
    }

    #[test]
    fn retry_after() {
        check("retry_after", super::retry_after);
    }

    #[test]
    fn token_reply() {
        check("token_reply", super::token_reply);
    }
}
