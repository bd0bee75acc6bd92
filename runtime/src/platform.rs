//! The system functions of a client: time, concurrent tasks, and randomness.
//!
//! Tokio and the standard library provide these functions. On `wasm32-unknown-unknown`, JavaScript provides them; its
//! only thread must not block. `native.rs` and `javascript.rs` have the same interface.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
#[path = "platform/native.rs"]
mod system;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[path = "platform/javascript.rs"]
mod system;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use system::{Instant, Runtime, Sleep, Task, now, random, sleep, timeout, timeout_at};

/// Locks a value, even if another thread has panicked while it held the lock. The value must be valid after each
/// statement that changes it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
