#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u64, &str)| {
    let (seconds, text) = input;
    shared_rate_limit::fuzz::use_text(text, std::time::Duration::from_secs(seconds));
});
