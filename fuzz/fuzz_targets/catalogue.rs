#![no_main]

#[path = "../../codegen/tests/it/property.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    property::check_one(text);
});
