//! Whether the gate holds against a real server and a real clock.

use super::{Check, call};

pub(super) const CHECK: Check = Check {
    name: "gate",
    shows: "a real server never counts more than the limits allow, in more than a minute at full speed by either transport",
    needs: &[],
    run: |_| {
        let test = ["cargo", "test", "--release", "--package", "generated-client-runtime", "--test", "it"];
        // One test after the other: each needs the machine to itself.
        let options = ["--features", "reqwest", "full_speed", "--", "--ignored", "--nocapture", "--test-threads", "1"];
        call(&[&test[..], &options].concat())
    },
};
