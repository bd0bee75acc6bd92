#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| generated_client::properties::retry_after(text));
