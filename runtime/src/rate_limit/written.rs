//! Serialization of times in the stored state of a rate limiter: as whole microseconds.
//!
//! Points in time that follow each other are written as differences, which are short. Text that does not parse is an
//! error for the reader. Parts finer than a microsecond are cut off, as no clock of a server is finer.

/// A duration.
pub(super) mod duration {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(in crate::rate_limit) fn micros(duration: Duration) -> u64 {
        u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
    }

    pub(in crate::rate_limit) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(micros(*duration))
    }

    pub(in crate::rate_limit) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_micros)
    }
}

/// Durations.
pub(super) mod durations {
    use std::collections::VecDeque;
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::duration::micros;

    pub(in crate::rate_limit) fn serialize<S: Serializer>(
        all: &VecDeque<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(all.iter().copied().map(micros))
    }

    pub(in crate::rate_limit) fn deserialize<'de, D>(deserializer: D) -> Result<VecDeque<Duration>, D::Error>
    where
        D: Deserializer<'de>,
    {
        Ok(Vec::deserialize(deserializer)?.into_iter().map(Duration::from_micros).collect())
    }
}

/// Points in time in their order: the first from the origin, each other from the one before.
pub(super) mod moments {
    use std::collections::VecDeque;
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::duration::micros;
    use crate::rate_limit::moment::Moment;

    pub(in crate::rate_limit) fn serialize<S: Serializer>(
        all: &VecDeque<Moment>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut before = 0;
        serializer.collect_seq(all.iter().map(|moment| {
            let now = micros(moment.since_origin());
            now.saturating_sub(std::mem::replace(&mut before, now))
        }))
    }

    pub(in crate::rate_limit) fn deserialize<'de, D>(deserializer: D) -> Result<VecDeque<Moment>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let mut now = 0_u64;
        let steps = Vec::<u64>::deserialize(deserializer)?.into_iter();
        let moments = steps.map(|step| {
            now = now.saturating_add(step);
            Moment::after_origin(Duration::from_micros(now))
        });
        Ok(moments.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::RateLimit;
    use crate::rate_limit::moment::Moment;
    use crate::rate_limit::state::State;

    /// Returns the state after a step, and whether a request passed.
    fn act(state: &mut State, now: Moment, step: u64) -> bool {
        let has_passed = state.enter(now, 1).is_ok();
        if has_passed {
            state.departed(now, 1);
            state.answered(Duration::from_micros(50_000 + 7_001 * (step % 13)));
            state.ended();
        }
        if step % 30 == 29 {
            state.refused(now, Duration::from_micros(400_001));
        }
        has_passed
    }

    /// A state that is written and read at each step decides as one that is not, also once it has learned.
    #[test]
    fn what_is_written_is_read() {
        let second = Duration::from_secs(1);
        let limit = RateLimit::new(3, second, 2).and(RateLimit::new(600, 60 * second, 2));
        let mut state = State::new(limit);
        let mut written = serde_json::to_string(&state).unwrap();
        let mut passed = 0;
        let mut now = Moment::after_origin(Duration::from_micros(1_700_000_000_000_123));
        for step in 0..100 {
            now = now + Duration::from_micros(311_007);
            let mut read: State = serde_json::from_str(&written).unwrap();
            let has_passed = [&mut state, &mut read].map(|state| act(state, now, step));
            assert_eq!(has_passed[0], has_passed[1], "at step {step}: {written}");
            passed += u32::from(has_passed[0]);
            written = serde_json::to_string(&read).unwrap();
        }
        assert!((20..90).contains(&passed), "{passed} passed");
    }
}
