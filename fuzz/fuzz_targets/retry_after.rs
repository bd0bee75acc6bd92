#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| runtime::properties::retry_after(text));
