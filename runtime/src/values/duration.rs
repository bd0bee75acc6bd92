//! Durations in settings, as text or as a number of seconds.

use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::Value;

/// Deserializes a duration such as `"1m 30s"` or a number of seconds.
pub(crate) fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let duration = match &value {
        Value::String(text) => humantime::parse_duration(text).ok(),
        _ => value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
    };
    // The error does not repeat the value, which may be a secret.
    duration.ok_or_else(|| D::Error::custom("expected a duration such as \"1m 30s\" or a number of seconds"))
}
