#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    shared_rate_limit::fuzz::use_stored(text);
});
