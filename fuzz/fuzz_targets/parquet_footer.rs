#![no_main]

// A decoder may panic on a damaged footer, which the caller catches. The hook of the fuzzer would abort.
static QUIET: std::sync::Once = std::sync::Once::new();

libfuzzer_sys::fuzz_target!(|footer: &[u8]| {
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    dataset::fuzz::use_footer(footer);
});
