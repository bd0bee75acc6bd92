//! A mock service, so that the runtime is tested without a catalogue.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::trivially_copy_pass_by_ref,
    reason = "each test uses only some of the items"
)]

include!("service.rs");
