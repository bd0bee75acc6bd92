//! Properties of every text that a service may send.
//!
//! Each property takes one text and panics if it is violated. The fuzz targets in `fuzz/` search for such a text; their
//! corpus is kept there and tested here. Built for tests and `cargo fuzz` only, not for users.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a violated property panics")]

mod envelope;
mod number;
mod retry_after;
mod token_reply;

pub use envelope::envelope;
pub use number::number;
pub use retry_after::retry_after;
pub use token_reply::token_reply;

/// The reference reads numbers exactly only without the features that keep their text.
#[cfg(all(test, not(feature = "__json-features")))]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Tries every text that is kept for a target.
    fn check(target: &str, property: fn(&[u8])) {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
        let texts: Vec<_> =
            fs::read_dir(corpus).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
        assert!(texts.len() > 10, "the texts of {target} are gone");
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
