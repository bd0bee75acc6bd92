#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| runtime::properties::number(text));
