//! The system functions of a client: the clock and tasks of Tokio, randomness of the standard library, and locks.

#[cfg(feature = "client")]
mod tasks;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

#[cfg(feature = "client")]
pub(crate) use tasks::{Runtime, Task};
#[cfg(feature = "client")]
pub(crate) use tokio::time::{Instant, Sleep, sleep, timeout, timeout_at};

/// Locks a value, even if another thread has panicked while it held the lock. The value must be valid after each
/// statement that changes it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls code of the user, and catches a panic in it. The panic must neither end the connection that sends a request, nor
/// abort the process if the code is called during another panic. The panic hook has already reported the panic.
pub(crate) fn catch_panic(call: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(call));
}

/// The time of the system clock.
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

/// A random number that is at least zero and less than one. It is computed from the keys of a new hash map, which are
/// random enough to spread retries.
pub(crate) fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    f64::from(u32::try_from(bits).unwrap_or_default()) / (f64::from(u32::MAX) + 1.0)
}
