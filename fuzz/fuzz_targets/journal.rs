#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    dataset::fuzz::use_journal(text);
});
