//! A function for fuzzing: reads and uses a state that a hostile store could return.

use std::time::Duration;

use runtime::RateLimit;
use runtime::rate_limit::rules::LimiterTime;
use tokio::time::Instant;

use crate::clock::{Clock, MAX_TIME};
use crate::event::Event;
use crate::shared_state::{Origin, SharedState};

/// Uses a text of a store. Its first line is the time of the store in seconds, and the rest is the state. Returns `true`
/// if it is a state.
pub fn use_stored(text: &str) -> bool {
    let Some((seconds, state)) = text.split_once('\n') else { return false };
    let Ok(seconds) = seconds.parse() else { return false };
    use_state(state, Duration::from_secs(seconds).min(MAX_TIME))
}

/// Applies every kind of event and every question to a state.
fn use_state(text: &str, now: LimiterTime) -> bool {
    let limit = RateLimit::new(10, Duration::from_secs(1), 20);
    let origin = Origin { limit: &limit, run: "1", now, renewal: Duration::from_secs(1) };
    let Ok(mut shared) = SharedState::read(text, origin) else { return false };
    let present = Instant::now();
    let mut clock = Clock::new(present);
    clock.learn(present, present, now);
    let mut time = now;
    for exchange in 0..5 {
        let in_flight = shared.in_flight("own");
        shared.open("own", in_flight, time);
        shared.note("own", Event::Admitted(present, 1), &clock, time);
        shared.note("own", Event::Sent(present, 1), &clock, time);
        shared.note("own", Event::Ended, &clock, time);
        shared.note("own", Event::RateLimited(present, Duration::from_secs(1)), &clock, time);
        shared.note("own", Event::Exhausted(present, Duration::MAX), &clock, time);
        let outcome = shared.pass("own", usize::MAX, time, Duration::from_millis(20));
        shared.finish("own", outcome.is_err(), exchange, time);
        let ended: Vec<String> = shared.others_in_flight("own").into_iter().take(1).map(str::to_owned).collect();
        shared.bury(&ended, time);
        let gap = shared.gap(time);
        let status = shared.status(time);
        drop((shared.text(), status, clock.instant(time + gap)));
        time += Duration::from_secs(3 * exchange);
    }
    true
}
