//! The current boot of the machine, and the time since then.

use std::fs;
use std::io;
use std::time::Duration;

use runtime::rate_limit::rules::LimiterTime;

use super::private_file;

/// A container or a changed root may have no `/proc`.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// The random id of the current boot.
pub(super) fn id() -> io::Result<String> {
    let text = fs::read_to_string(BOOT_ID).map_err(|error| private_file::with_path(BOOT_ID.as_ref(), &error))?;
    let id = text.trim();
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_id { Ok(id.to_owned()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "the boot has no id")) }
}

/// The time since the boot. It counts suspended time, is the same for all processes, and is never set.
pub(super) fn now() -> LimiterTime {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}
