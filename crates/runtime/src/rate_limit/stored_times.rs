//! The format of times in the stored state of a rate limiter. Each time is stored as the number of microseconds since
//! the previous time, so that the numbers are short.
//!
//! Invalid text is an error. Microseconds suffice, because the clocks of servers are not finer.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(times: &VecDeque<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut differences = Vec::with_capacity(times.len());
    let mut before = 0;
    for time in times {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        differences.push(micros.saturating_sub(before));
        before = micros;
    }
    differences.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<VecDeque<Duration>, D::Error> {
    let mut times = VecDeque::new();
    let mut micros = 0_u64;
    for difference in Vec::<u64>::deserialize(deserializer)? {
        micros = micros.saturating_add(difference);
        times.push_back(Duration::from_micros(micros));
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::RateLimit;
    use crate::rate_limit::limiter_time::LimiterTime;
    use crate::rate_limit::state::State;

    /// Applies a step to a state, and returns whether a request passed.
    fn act(state: &mut State, now: LimiterTime, step: u64) -> bool {
        let has_passed = state.enter(now, 1).is_ok();
        if has_passed {
            state.sent(now, 1);
            state.ended();
        }
        if step % 30 == 29 {
            state.rate_limited(now, Duration::from_micros(400_001));
        }
        has_passed
    }

    /// A state that is stored and restored at each step makes the same decisions as a state in memory, also after 429s.
    #[test]
    fn written_state_is_read_back() {
        let second = Duration::from_secs(1);
        let limit = RateLimit::new(3, second, 2).and(RateLimit::new(600, 60 * second, 2));
        let mut state = State::new(limit);
        let mut written = serde_json::to_string(&state).unwrap();
        let mut passed = 0;
        let mut now = Duration::from_micros(1_700_000_000_000_123);
        for step in 0..100 {
            now += Duration::from_micros(311_007);
            let mut read: State = serde_json::from_str(&written).unwrap();
            let has_passed = [&mut state, &mut read].map(|state| act(state, now, step));
            assert_eq!(has_passed[0], has_passed[1], "at step {step}: {written}");
            passed += u32::from(has_passed[0]);
            written = serde_json::to_string(&read).unwrap();
        }
        assert!((20..90).contains(&passed), "{passed} passed");
    }
}
