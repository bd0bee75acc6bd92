//! The unit that a point in time is counted in.

use crate::format::words;

words! {
    /// What moments are counted in.
    TimeUnit {
        /// Seconds since 1970.
        Seconds = "seconds",
        /// Milliseconds since 1970.
        Milliseconds = "milliseconds",
    }
}
