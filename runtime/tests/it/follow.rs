//! A poller over simulated days: every interval once, none before it is over, whatever happens meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use runtime::history::Follow;
use runtime::transport::{HttpRequest, Phase};
use runtime::{RateLimit, Timestamp};
use tokio::time::Instant;

use crate::invented::{Ratio, Timeframe};
use crate::ranges::{START, answer_every};
use crate::scripted::{Fate, Service, failure, reply};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: i64 = 60;
const DAY: i64 = 24 * 60 * MINUTE;

/// A clock that runs with Tokio's, and jumps when it is told to.
#[derive(Clone)]
struct Clock {
    begun: Instant,
    jumped: Arc<AtomicI64>,
}

impl Clock {
    fn new() -> Self {
        Self { begun: Instant::now(), jumped: Arc::default() }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from(START + self.jumped.load(Ordering::Relaxed)) + self.begun.elapsed()
    }

    fn seconds(&self) -> i64 {
        self.now().unix_seconds()
    }

    fn jump(&self, seconds: i64) {
        self.jumped.fetch_add(seconds, Ordering::Relaxed);
    }
}

/// A service that has each minute's record some seconds after its end.
fn service(clock: &Clock, late: impl Fn(i64) -> i64 + Send + 'static) -> Arc<Service> {
    let clock = clock.clone();
    Service::new(move |request, _| answer_now(request, &clock, &late))
}

fn answer_now(request: &HttpRequest, clock: &Clock, late: &dyn Fn(i64) -> i64) -> Fate {
    let now = clock.seconds();
    answer_every(request, MINUTE, |time| time + MINUTE + late(time) <= now)
}

fn follow(service: &Arc<Service>, clock: &Clock) -> Follow<Ratio> {
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let clock = clock.clone();
    client.market().ratio().coin("B").timeframe(Timeframe::M1).follow(START).clock(move || clock.now())
}

/// Takes what comes until a time is given, each interval after its end; what was told to be missing comes back.
async fn check(poller: &mut Follow<Ratio>, clock: &Clock, until: i64) -> Vec<i64> {
    let (mut next, mut missing) = (poller.position().unix_seconds(), Vec::new());
    while next < until {
        let page = poller.next().await.unwrap();
        assert!(!page.records.is_empty() || !page.findings.gaps.is_empty(), "a page has a record or a gap");
        for gap in &page.findings.gaps {
            missing.extend((gap.range.start.unix_seconds()..gap.range.end.unix_seconds()).step_by(60));
        }
        let mut records = page.records.iter().map(|record| record.open_date.unix_seconds());
        while next < page.range.end.unix_seconds() {
            if !missing.contains(&next) {
                assert_eq!(records.next(), Some(next));
                assert!(next + MINUTE <= clock.seconds(), "an interval is given when it is over");
            }
            next += MINUTE;
        }
        assert_eq!(records.next(), None);
        assert_eq!(poller.position(), page.range.end);
    }
    missing
}

#[tokio::test(start_paused = true)]
async fn where_nothing_goes_wrong_there_is_one_request_an_interval() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let mut poller = follow(&service, &clock);
    assert!(check(&mut poller, &clock, START + DAY).await.is_empty());
    assert_eq!(service.seen().0, 1440);
    // Right after the end of the interval and the delay.
    assert!((START + DAY + 2..START + DAY + 4).contains(&clock.seconds()), "{}", clock.seconds() - START - DAY);
}

#[tokio::test(start_paused = true)]
async fn late_records_are_asked_for_again() {
    let clock = Clock::new();
    // Every tenth comes three seconds later, every hundredth after some minutes, with all that follow.
    let late = |time: i64| match (time - START) / MINUTE {
        minute if minute % 100 >= 90 => (100 - minute % 100) * MINUTE,
        minute if minute % 10 == 5 => 3,
        _ => 0,
    };
    let service = service(&clock, late);
    let mut poller = follow(&service, &clock);
    assert!(check(&mut poller, &clock, START + DAY).await.is_empty());
    let requests = service.seen().0;
    assert!((1440..=1440 + 144 + 3 * 150).contains(&requests), "{requests}");
}

#[tokio::test(start_paused = true)]
async fn an_interval_is_not_asked_for_before_its_end_and_the_delay() {
    let clock = Clock::new();
    clock.jump(MINUTE - 1);
    let service = service(&clock, |_| 0);
    let mut poller = follow(&service, &clock);
    check(&mut poller, &clock, START + MINUTE).await;
    assert_eq!((service.seen().0, clock.seconds()), (1, START + MINUTE + 2));
    let expected = format!("position: {:?}", poller.position());
    assert!(format!("{poller:?}").contains(&expected), "{poller:?}");
}

/// Each is late anew, so each is asked for anew, and none waits for the next.
#[tokio::test(start_paused = true)]
async fn a_late_record_comes_before_the_next_interval_is_over() {
    let clock = Clock::new();
    let service = service(&clock, |time| if time < START + 5 * MINUTE { 0 } else { 3 });
    let mut poller = follow(&service, &clock);
    for minute in 1..=20 {
        check(&mut poller, &clock, START + minute * MINUTE).await;
        assert!(clock.seconds() < START + minute * MINUTE + 6, "{minute}: {}", clock.seconds() - START);
    }
    assert_eq!(service.seen().0, 5 + 2 * 15);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_never_comes_is_told_when_a_later_one_is_there() {
    let clock = Clock::new();
    let hole = START + 100 * MINUTE;
    let service = service(&clock, move |time| if time == hole { DAY } else { 0 });
    let mut poller = follow(&service, &clock);
    assert_eq!(check(&mut poller, &clock, START + 110 * MINUTE).await, [hole]);
    assert!(service.seen().0 <= 110 + 3, "{:?}", service.seen());
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_caught_up_with() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let (down_from, down_to) = (START + 200 * MINUTE, START + 1000 * MINUTE);
    let times = clock.clone();
    service.becomes(move |request, before| {
        let is_down = (down_from..down_to).contains(&times.seconds());
        match before % 3 {
            _ if !is_down => answer_now(request, &times, &|_| 0),
            0 => reply(503, &[], ""),
            1 => failure(Phase::Connect),
            _ => reply(502, &[], "<html>"),
        }
    });
    let mut poller = follow(&service, &clock);
    assert!(check(&mut poller, &clock, START + DAY).await.is_empty());
    assert!(clock.seconds() < START + DAY + 10);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_makes_no_difference() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let mut poller = follow(&service, &clock);
    check(&mut poller, &clock, START + 60 * MINUTE).await;
    // A machine was suspended for two days, while it waited.
    let waiting = tokio::time::timeout(20 * SECOND, poller.next());
    assert!(waiting.await.is_err());
    clock.jump(2 * DAY);
    assert!(check(&mut poller, &clock, START + 2 * DAY).await.is_empty());
    // The clock is set back, and nothing comes twice.
    let position = poller.position();
    clock.jump(-30 * MINUTE);
    assert!(tokio::time::timeout(60 * SECOND, poller.next()).await.is_err());
    assert_eq!(poller.position(), position);
    assert!(check(&mut poller, &clock, START + 2 * DAY + 120 * MINUTE).await.is_empty());
}

/// What is late lies in several pages, of which the first ends with records.
#[tokio::test(start_paused = true)]
async fn records_that_are_late_by_days_are_waited_for() {
    let clock = Clock::new();
    clock.jump(4 * DAY);
    let service = service(&clock, |time| if time < START + DAY + 7 * MINUTE { 0 } else { 4 * DAY });
    let mut poller = follow(&service, &clock);
    assert!(check(&mut poller, &clock, START + DAY + 7 * MINUTE).await.is_empty());
    assert!(tokio::time::timeout(60 * 60 * SECOND, poller.next()).await.is_err());
    assert_eq!(poller.position(), Timestamp::from(START + DAY + 7 * MINUTE));
    let times = clock.clone();
    service.becomes(move |request, _| answer_now(request, &times, &|_| 0));
    assert!(check(&mut poller, &clock, START + 4 * DAY).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_was_ahead_for_a_while_makes_no_difference() {
    let (clock, right) = (Clock::new(), Clock::new());
    let service = service(&right, |_| 0);
    let mut poller = follow(&service, &clock);
    check(&mut poller, &right, START + 60 * MINUTE).await;
    clock.jump(2 * DAY);
    check(&mut poller, &right, START + 70 * MINUTE).await;
    // It has asked again for what is missing, and waits for the next interval.
    assert!(tokio::time::timeout(30 * SECOND, poller.next()).await.is_err());
    clock.jump(-2 * DAY);
    assert!(check(&mut poller, &right, START + 80 * MINUTE).await.is_empty());
    assert!(right.seconds() < START + 80 * MINUTE + 10, "{}", right.seconds() - START);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_followed_is_told_again_after_a_pause() {
    let client = Service::new(|_, _| reply(200, &[], "{}")).builder().build().unwrap();
    let mut poller = client.market().ratio().coin("B").follow(START);
    let begun = Instant::now();
    for pause in [0, 1, 2, 4] {
        let before = Instant::now();
        let error = poller.next().await.unwrap_err().to_string();
        assert!(error.contains("a history has to know how far apart records are"), "{error}");
        assert_eq!(before.elapsed(), pause * SECOND, "{:?}", begun.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_that_does_not_pass_comes_back_and_the_poller_goes_on() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let mut poller = follow(&service, &clock);
    check(&mut poller, &clock, START + 3 * MINUTE).await;
    service.becomes(|_, _| reply(403, &[], "{}"));
    assert_eq!(poller.next().await.unwrap_err().status(), Some(403));
    let times = clock.clone();
    service.becomes(move |request, _| answer_now(request, &times, &|_| 0));
    assert!(check(&mut poller, &clock, START + 6 * MINUTE).await.is_empty());
}
