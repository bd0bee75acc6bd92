#![no_main]

#[path = "../../crates/catalogue-edit/tests/it/untrusted.rs"]
#[allow(dead_code, reason = "each target uses one of the functions")]
mod untrusted;

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    untrusted::check_openapi(text);
});
