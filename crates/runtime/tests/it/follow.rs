//! Tests of the records, the reports and the number of requests of `follow`, with a service in memory. The tests of
//! `history::schedule` simulate a month.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::ErrorKind;
use runtime::history::{Checkpoint, CheckpointKind, Follow, Update};
use runtime::transport::HttpRequest;
use runtime::{RateLimit, Timestamp, observer::Event};
use test_service::invented::{Ratio, Request, Timeframe};
use test_service::scripted::{MockResponse, Service, failure, reply, silence};
use tokio::time::{Instant, timeout};

use crate::ranges::{HOUR, START, answer, answer_every, at};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: i64 = 60;

/// The time of the service, and the time of this machine, which may be wrong.
#[derive(Clone)]
struct Clock {
    begun: Instant,
    error: Arc<AtomicI64>,
}

impl Clock {
    fn new() -> Self {
        Self { begun: Instant::now(), error: Arc::default() }
    }

    fn service(&self) -> Timestamp {
        at(START) + self.begun.elapsed()
    }

    fn seconds(&self) -> i64 {
        self.service().unix_seconds() - START
    }

    fn machine(&self) -> Timestamp {
        at(self.service().unix_seconds() + self.error.load(Ordering::Relaxed))
    }
}

/// Creates a service that publishes the record of each minute some seconds after the end of the minute, and also
/// returns the record of the minute that is still open.
fn service(clock: &Clock, late: impl Fn(i64) -> i64 + Send + 'static) -> Arc<Service> {
    let clock = clock.clone();
    Service::new(move |request, _| respond(request, &clock, &late))
}

fn respond(request: &HttpRequest, clock: &Clock, late: &dyn Fn(i64) -> i64) -> MockResponse {
    let now = START + clock.seconds();
    let mut mock = answer_every(request, MINUTE, |time| {
        let published = time + MINUTE + late((time - START) / MINUTE);
        published <= now || (time..time + MINUTE).contains(&now)
    });
    if let Ok(response) = &mut mock.outcome {
        let date = httpdate::fmt_http_date(clock.service().try_into().unwrap());
        response.headers.insert("date", &date).unwrap();
    }
    mock
}

/// Creates a request on a machine with this clock.
fn request(service: &Arc<Service>, clock: &Clock) -> Request<Ratio> {
    let clock = clock.clone();
    let client = service.builder().rate_limit(RateLimit::none()).clock(move || clock.machine()).build().unwrap();
    client.market().ratio().symbol("B").timeframe(Timeframe::M1)
}

fn follow(service: &Arc<Service>, clock: &Clock) -> Follow<Ratio> {
    request(service, clock).follow(at(START))
}

/// The minutes of the received records, the minutes of gaps, and all other updates.
#[derive(Debug, Default, PartialEq, Eq)]
struct Received {
    records: Vec<i64>,
    late: Vec<i64>,
    gaps: Vec<i64>,
    others: Vec<String>,
}

impl Received {
    fn add(&mut self, update: &Update<test_service::invented::RatioRecord>, clock: &Clock) {
        let minute = |time: Timestamp| (time.unix_seconds() - START) / MINUTE;
        let records = update.records().iter().map(|record| minute(record.open_date));
        match update {
            Update::Records(_) => self.records.extend(records),
            Update::Late(page) => {
                assert!(page.times.iter().all(|time| page.range.contains(time)), "{page:?}");
                self.late.extend(records);
            }
            Update::Outage { error, .. } => self.others.push(format!("outage {:?}", error.kind())),
            Update::Recovered { .. } => self.others.push("recovered".to_owned()),
            Update::Silent { since, .. } => self.others.push(format!("silent {}", minute(*since))),
            _ => unreachable!("{update:?}"),
        }
        for gap in update.page().into_iter().flat_map(|page| &page.report.gaps) {
            self.gaps.extend(minute(gap.range.start)..minute(gap.range.end));
        }
        let last = self.records.iter().max().copied().unwrap_or(-1);
        assert!((last + 1) * MINUTE <= clock.seconds(), "minute {last} is delivered before it is closed");
    }
}

/// Returns everything that is received until `seconds` after the start.
async fn until(seconds: i64, poller: &mut Follow<Ratio>, clock: &Clock) -> Received {
    let mut received = Received::default();
    let end = clock.begun + Duration::from_secs(seconds.unsigned_abs());
    while let Ok(update) = tokio::time::timeout_at(end, poller.next()).await {
        received.add(&update.unwrap(), clock);
    }
    received
}

fn minutes(range: std::ops::Range<i64>) -> Vec<i64> {
    range.collect()
}

/// The record of the first step is before the start, so nothing is missing there.
#[tokio::test(start_paused = true)]
async fn a_follower_that_begins_within_a_step_needs_no_further_request() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let mut poller = request(&service, &clock).follow(at(START - 300 * MINUTE - 7));
    let received = until(30, &mut poller, &clock).await;
    assert_eq!((received.records, received.gaps), ((-300..0).collect(), vec![]));
    assert_eq!(service.seen().0, 1);
}

/// A response may arrive long before the consumer asks for the update.
#[tokio::test(start_paused = true)]
async fn the_date_of_a_response_belongs_to_its_arrival() {
    let clock = Clock::new();
    let of_service = clock.clone();
    let service =
        Service::new(move |request, _| MockResponse { duration: 3 * SECOND, ..respond(request, &of_service, &|_| 0) });
    let mut poller = follow(&service, &clock);
    until(630, &mut poller, &clock).await;
    // The request for a new minute is in flight when the consumer pauses for half an hour.
    let requests = service.seen().0;
    while service.seen().0 == requests {
        assert!(tokio::time::timeout(SECOND, poller.next()).await.is_err());
    }
    tokio::time::sleep(1800 * SECOND).await;
    let received = until(clock.seconds() + 5, &mut poller, &clock).await;
    assert_eq!((received.records, service.seen().0), (minutes(10..41), requests + 2));
}

#[tokio::test(start_paused = true)]
async fn follow_sends_one_request_per_interval() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let mut poller = follow(&service, &clock);
    let received = until(3 * 3600 + 5, &mut poller, &clock).await;
    assert_eq!(received, Received { records: minutes(0..180), ..Received::default() });
    // There is one request per minute, and a first request that returns the service's time.
    assert_eq!(service.seen().0, 181);
    assert_eq!(poller.checkpoint().unwrap().next_time(), at(START + 180 * MINUTE));
}

#[tokio::test(start_paused = true)]
async fn local_clock_does_not_affect_follow() {
    for error in [3, 30, -30, 86_400, -86_400] {
        let clock = Clock::new();
        clock.error.store(error, Ordering::Relaxed);
        let service = service(&clock, |_| 0);
        let mut poller = follow(&service, &clock);
        assert_eq!(until(605, &mut poller, &clock).await.records, minutes(0..10), "{error}");
        // The local clock jumps while `follow` waits.
        clock.error.store(-7 * error, Ordering::Relaxed);
        assert_eq!(until(1205, &mut poller, &clock).await.records, minutes(10..20), "{error}");
        assert!(service.seen().0 <= 30, "{error}: {:?}", service.seen());
    }
}

/// A checkpoint proves that the service has reached its time.
#[tokio::test(start_paused = true)]
async fn a_resumed_follower_needs_no_right_clock() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let mut poller = follow(&service, &clock);
    until(605, &mut poller, &clock).await;
    let checkpoint = poller.checkpoint().unwrap().clone();
    for error in [-3 * 86_400, -300 * 86_400, 3 * 86_400] {
        clock.error.store(error, Ordering::Relaxed);
        let mut resumed = request(&service, &clock).follow(at(START)).resume(checkpoint.clone());
        let last = clock.seconds() / MINUTE;
        let received = until(clock.seconds() + 300, &mut resumed, &clock).await;
        assert_eq!(received.records, minutes(10..last + 5), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn burst_of_failures_does_not_end_follow() {
    for status in [500, 502, 503] {
        let clock = Clock::new();
        let service = service(&clock, |_| 0);
        let times = clock.clone();
        service.becomes(move |request, _| match times.seconds() {
            122 | 302..310 => reply(status, &[], "{}"),
            _ => respond(request, &times, &|_| 0),
        });
        let received = until(605, &mut follow(&service, &clock), &clock).await;
        assert_eq!(received, Received { records: minutes(0..10), ..Received::default() }, "{status}");
    }
    let service = Service::new(|_, _| reply(500, &[], "{}"));
    assert!(request(&service, &Clock::new()).await.unwrap_err().is_retryable());
}

/// An error that is not retryable is returned at once. If an outage follows that error, the outage is still an update.
#[tokio::test(start_paused = true)]
async fn an_outage_after_final_errors_is_an_update() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let mut poller = follow(&service, &clock).outage_after(Duration::from_secs(60));
    assert_eq!(until(125, &mut poller, &clock).await.records, minutes(0..2));
    service.becomes(|_, _| reply(404, &[], "{}"));
    let end = clock.begun + Duration::from_secs(600);
    while let Ok(update) = tokio::time::timeout_at(end, poller.next()).await {
        assert_eq!(update.unwrap_err().status(), Some(404));
    }
    service.becomes(|_, _| reply(503, &[], "{}"));
    assert_eq!(until(1200, &mut poller, &clock).await.others, ["outage Status"]);
}

/// The pause is an update at once, and no follower of the client sends a request before its end.
#[tokio::test(start_paused = true)]
async fn a_long_pause_is_returned_at_once_and_kept() {
    for status in [429, 503] {
        let clock = Clock::new();
        let times = clock.clone();
        let service = Service::new(move |request, _| match times.seconds() {
            300..3900 => reply(status, &[("retry-after", "3600")], "{}"),
            _ => respond(request, &times, &|_| 0),
        });
        let request = request(&service, &clock);
        let (mut one, mut two) = (request.clone().follow(at(START)), request.follow(at(START)));
        let (first, second) = tokio::join!(until(340, &mut one, &clock), until(340, &mut two, &clock));
        let outages = [first.others, second.others].concat();
        assert!(outages.iter().all(|outage| outage == "outage Status") && !outages.is_empty(), "{outages:?}");
        let (first, second) = tokio::join!(until(4000, &mut one, &clock), until(4000, &mut two, &clock));
        assert_eq!((first.records.last(), second.records.last()), (Some(&65), Some(&65)), "{status}");
        let arrivals = service.arrivals();
        let seconds = arrivals.iter().map(|at| (*at - clock.begun).as_secs());
        let during = seconds.filter(|second| (310..3900).contains(second)).count();
        assert_eq!(during, 0, "{status}");
    }
}

/// An observer that counts outages.
struct Count(Arc<AtomicUsize>);

impl runtime::observer::Observer for Count {
    fn observe(&self, event: &Event) {
        self.0.fetch_add(usize::from(matches!(event, Event::Outage { .. })), Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_reported_and_caught_up_with() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let times = clock.clone();
    service.becomes(move |request, _| match times.seconds() {
        300..36_000 => failure(ErrorKind::Connect),
        _ => respond(request, &times, &|_| 0),
    });
    let outages = Arc::new(AtomicUsize::new(0));
    let (observer, own) = (outages.clone(), clock.clone());
    let builder = service.builder().rate_limit(RateLimit::none()).clock(move || own.machine());
    let client = builder.observer(Count(observer)).build().unwrap();
    let minutes_of_b = client.market().ratio().symbol("B").timeframe(Timeframe::M1);
    let mut poller = minutes_of_b.follow(at(START)).outage_after(120 * SECOND);
    let down = until(300 + 100, &mut poller, &clock).await;
    assert_eq!(down, Received { records: minutes(0..4), ..Received::default() });
    assert!(outages.load(Ordering::Relaxed) > 3);
    let down = until(35_900, &mut poller, &clock).await;
    assert_eq!(down.others, ["outage Connect"]);
    let expected = Received { records: minutes(4..601), others: vec!["recovered".to_owned()], ..Received::default() };
    assert_eq!(until(36_100, &mut poller, &clock).await, expected);
}

/// The service responds again long before the first record is due.
#[tokio::test(start_paused = true)]
async fn recovery_is_reported_although_no_record_is_due() {
    let clock = Clock::new();
    let times = clock.clone();
    let service = Service::new(move |request, _| {
        let now = START + times.seconds();
        if now < START + 300 { failure(ErrorKind::Connect) } else { answer(request, |time| time + HOUR <= now) }
    });
    let machine = clock.clone();
    let client = service.builder().clock(move || machine.machine()).build().unwrap();
    let mut poller = client.market().ratio().symbol("B").timeframe(Timeframe::H1).follow(at(START));
    assert_eq!((poller.state().caught_up_to, poller.state().next_interval), (at(START), None));
    assert!(!poller.state().is_healthy());
    assert!(matches!(poller.next().await.unwrap(), Update::Outage { .. }));
    let state = poller.state();
    let since = state.failing_since.unwrap().seconds_since(at(START));
    assert!(!state.is_healthy() && (-1.0..30.0).contains(&since), "{since}");
    assert_eq!(state.next_interval, Some(at(START)..at(START + HOUR)));
    let Update::Recovered { elapsed, .. } = poller.next().await.unwrap() else { panic!("no recovery") };
    assert!((290..320).contains(&elapsed.as_secs()), "{elapsed:?}");
    assert!(clock.seconds() < 320 && poller.state().is_healthy());
    assert_eq!(poller.next().await.unwrap().records().len(), 1);
    assert_eq!(poller.state().caught_up_to, at(START + HOUR));
}

/// A health check can stop awaiting an update to read the state.
#[tokio::test(start_paused = true)]
async fn a_follower_is_not_healthy_before_its_first_response() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    service.becomes(move |_, _| silence());
    let own = clock.clone();
    let client = service.builder().clock(move || own.machine()).build().unwrap();
    let minutes_of_b = client.market().ratio().symbol("B").timeframe(Timeframe::M1);
    let mut poller = minutes_of_b.follow(at(START - 600));
    assert!(!poller.state().is_healthy());
    assert!(timeout(SECOND, poller.next()).await.is_err());
    let state = poller.state();
    assert!(state.next_interval.is_some() && state.failing_since.is_none() && !state.is_healthy(), "{state:?}");
    let times = clock.clone();
    service.becomes(move |request, _| respond(request, &times, &|_| 0));
    assert!(!poller.next().await.unwrap().records().is_empty());
    assert!(poller.state().is_healthy());
}

/// A restart of a service with daily series does not last a day.
#[tokio::test(start_paused = true)]
async fn a_follower_without_a_due_record_is_healthy() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let own = clock.clone();
    let client = service.builder().clock(move || own.machine()).build().unwrap();
    let hours_of_b = client.market().ratio().symbol("B").timeframe(Timeframe::H1);
    let mut poller = hours_of_b.follow(at(START));
    assert!(timeout(SECOND, poller.next()).await.is_err());
    assert!(poller.state().is_healthy(), "{:?}", poller.state());
}

/// The followers of a client take turns while the service fails, and all continue after the first response.
#[tokio::test(start_paused = true)]
async fn an_outage_costs_few_requests_for_all_followers_together() {
    let clock = Clock::new();
    let times = clock.clone();
    let service = Service::new(move |request, _| match times.seconds() {
        300..2100 => reply(503, &[], "{}"),
        _ => respond(request, &times, &|_| 0),
    });
    let machine = clock.clone();
    let client = service.builder().clock(move || machine.machine()).build().unwrap();
    let received = Arc::new(AtomicUsize::new(0));
    let outages: Arc<Mutex<Vec<i64>>> = Arc::default();
    let recoveries: Arc<Mutex<Vec<i64>>> = Arc::default();
    let mut tasks = Vec::new();
    for number in 0..15 {
        let received = received.clone();
        let outages = outages.clone();
        let recoveries = recoveries.clone();
        let clock = clock.clone();
        let request = client.market().ratio().symbol(format!("S{number}")).timeframe(Timeframe::M1);
        tasks.push(tokio::spawn(async move {
            let mut poller = request.follow(at(START));
            loop {
                let update = poller.next().await.unwrap();
                received.fetch_add(update.records().len(), Ordering::Relaxed);
                match update {
                    Update::Outage { .. } => outages.lock().unwrap().push(clock.seconds()),
                    Update::Recovered { .. } => recoveries.lock().unwrap().push(clock.seconds()),
                    _ => {}
                }
            }
        }));
    }
    tokio::time::sleep(Duration::from_secs(2170)).await;
    let outages = outages.lock().unwrap().clone();
    assert!(outages.len() == 15 && outages.iter().all(|second| (362..375).contains(second)), "{outages:?}");
    let recoveries = recoveries.lock().unwrap().clone();
    assert!(recoveries.len() == 15 && recoveries.iter().all(|second| (2100..2170).contains(second)), "{recoveries:?}");
    let during = service.arrivals().iter().filter(|at| (310..2100).contains(&(**at - clock.begun).as_secs())).count();
    assert!(during < 300, "{during}");
    assert_eq!(received.load(Ordering::Relaxed), 15 * 36);
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
}

/// One call is for the first run and for later ones.
#[tokio::test(start_paused = true)]
async fn a_follower_begins_with_a_history_or_with_its_checkpoint() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    tokio::time::advance(600 * SECOND).await;
    let run = |saved: Option<Checkpoint>| request(&service, &clock).follow_last(300 * SECOND).resume_if_saved(saved);
    let mut first = run(None);
    let update = first.next().await.unwrap();
    assert_eq!(update.records().first().map(|record| record.open_date), Some(at(START + 300)));
    let saved = first.checkpoint().cloned().unwrap();
    assert_eq!(saved.kind(), CheckpointKind::Follow);
    tokio::time::advance(600 * SECOND).await;
    let update = run(Some(saved.clone())).next().await.unwrap();
    assert_eq!(update.records().first().map(|record| record.open_date), Some(saved.next_time()));
    let elsewhere = saved.with_base_url("https://example.org/v2/");
    let error = run(Some(elsewhere.clone())).next().await.unwrap_err().to_string();
    assert!(
        error.contains("if the service has moved, change the checkpoint with `Checkpoint::with_base_url`"),
        "{error}"
    );
    run(Some(elsewhere.with_base_url("https://example.com/v2"))).next().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn late_records_are_marked_and_later_ones_are_gaps() {
    let clock = Clock::new();
    let late = |minute| match minute {
        10 | 12 => 80,
        20 => 599,
        30 => 700,
        40 => 1_000_000,
        _ => 0,
    };
    let service = service(&clock, late);
    let received = until(3620, &mut follow(&service, &clock), &clock).await;
    let in_time = minutes(0..60).into_iter().filter(|minute| late(*minute) == 0);
    assert_eq!(received.records, in_time.collect::<Vec<_>>());
    assert_eq!((received.late, received.gaps), (vec![10, 12, 20], vec![30, 40]));
    // Nearly all late records are returned by the requests for later minutes, so there are few additional requests.
    assert!(service.seen().0 <= 61 + 20, "{:?}", service.seen());
}

#[tokio::test(start_paused = true)]
async fn a_restart_neither_loses_nor_repeats_a_record() {
    let clock = Clock::new();
    let service = service(&clock, |minute| if minute % 7 == 3 { 200 } else { 0 });
    let (mut all, mut saved) = (Received::default(), None::<String>);
    for run in 1..40 {
        let mut poller = follow(&service, &clock);
        if let Some(text) = &saved {
            poller = poller.resume(text.parse::<Checkpoint>().unwrap());
        }
        let end = clock.begun + run * 83 * SECOND;
        while let Ok(update) = tokio::time::timeout_at(end, poller.next()).await {
            all.add(&update.unwrap(), &clock);
            saved = poller.checkpoint().map(ToString::to_string);
        }
    }
    assert!(all.gaps.is_empty() && all.others.is_empty(), "{all:?}");
    all.records.extend(all.late);
    all.records.sort_unstable();
    assert_eq!(all.records, minutes(0..all.records.len().try_into().unwrap()));
    assert!(all.records.len() >= 45);
    // `follow` for another symbol cannot continue from this checkpoint.
    let other =
        request(&service, &clock).symbol("C").follow(at(START)).resume(saved.unwrap().parse().unwrap()).next().await;
    assert!(other.unwrap_err().to_string().contains("instead of GET /ratio?symbol=C"));
}

#[tokio::test(start_paused = true)]
async fn a_series_that_ended_is_reported_once_and_costs_little() {
    let clock = Clock::new();
    let ended = 30;
    let times = clock.clone();
    let service = Service::new(move |request, _| {
        let mut mock = respond(request, &times, &|_| 0);
        let last = START + ended * MINUTE;
        if let (Ok(response), Ok(data)) = (&mut mock.outcome, answer_every(request, MINUTE, |time| time < last).outcome)
        {
            response.body = if START + times.seconds() >= last { data.body } else { response.body.clone() };
        }
        mock
    });
    let mut poller = follow(&service, &clock);
    let received = until(2 * 86_400, &mut poller, &clock).await;
    assert_eq!((received.records.len(), received.others), (30, vec!["silent 30".to_owned()]));
    let before = service.seen().0;
    until(7 * 86_400, &mut poller, &clock).await;
    assert!(service.seen().0 - before < 150, "{:?}", service.seen());
}

#[tokio::test(start_paused = true)]
async fn permanent_errors_are_returned_and_follow_continues() {
    let client = Service::new(|_, _| reply(200, &[], "{}")).builder().build().unwrap();
    let mut poller = client.market().ratio().symbol("B").follow(at(START));
    for pause in [0, 1, 1] {
        let before = Instant::now();
        let error = poller.next().await.unwrap_err().to_string();
        assert!(error.contains("the interval between its records"), "{error}");
        assert_eq!(before.elapsed(), pause * SECOND);
    }
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let mut poller = follow(&service, &clock);
    until(185, &mut poller, &clock).await;
    service.becomes(|_, _| reply(403, &[], "{}"));
    assert_eq!(poller.next().await.unwrap_err().status(), Some(403));
    let times = clock.clone();
    service.becomes(move |request, _| respond(request, &times, &|_| 0));
    assert_eq!(until(365, &mut poller, &clock).await.records, minutes(3..6));
    let error = request(&service, &clock).follow(at(START * 1000)).next().await.unwrap_err().to_string();
    assert!(
        error.contains("the start was read as 1699999200000 Unix seconds, which is after the year 3000"),
        "{error}"
    );
}

/// A dropped future loses no record, even if a page of late records is followed by a page of new records.
#[tokio::test(start_paused = true)]
async fn dropped_next_future_loses_no_record() {
    let clock = Clock::new();
    let service = service(&clock, |minute| if minute == 5 { 80 } else { 0 });
    let mut poller = follow(&service, &clock);
    let seen = Mutex::new(Received::default());
    while clock.seconds() < 605 {
        if let Ok(update) = tokio::time::timeout(7 * SECOND / 3, poller.next()).await {
            seen.lock().unwrap().add(&update.unwrap(), &clock);
        }
    }
    let received = seen.into_inner().unwrap();
    assert_eq!((received.records.len(), received.late), (9, vec![5]));
}

/// A bad record is requested again for as long as a missing record would be, and is reported once.
#[tokio::test(start_paused = true)]
async fn a_bad_record_is_reported_once() {
    let clock = Clock::new();
    let times = clock.clone();
    let service = Service::new(move |request, _| {
        let mut mock = respond(request, &times, &|_| 0);
        let good = format!(r#"{{"openDate": {}, "ratio": 0.5}}"#, START + 5 * MINUTE);
        if let Ok(response) = &mut mock.outcome {
            let body = String::from_utf8(response.body.to_vec()).unwrap();
            response.body = body.replace(&good, &good.replace("0.5", "true")).into();
        }
        mock
    });
    let mut poller = request(&service, &clock).skip_bad_records().follow(at(START));
    let (mut received, mut bad) = (Received::default(), Vec::new());
    let end = clock.begun + 3600 * SECOND;
    while let Ok(update) = tokio::time::timeout_at(end, poller.next()).await {
        let update = update.unwrap();
        received.add(&update, &clock);
        let reported = update.page().into_iter().flat_map(|page| &page.report.bad_records);
        bad.extend(reported.filter_map(|bad| bad.path().rsplit('.').next().map(str::to_owned)));
    }
    assert_eq!((bad, received.gaps), (vec!["ratio".to_owned()], vec![5]));
}

/// The service has no valid record for a day, and the first interval of that day stays missing.
#[tokio::test(start_paused = true)]
async fn each_of_many_bad_records_is_reported_once() {
    let clock = Clock::new();
    let times = clock.clone();
    let service = Service::new(move |request, _| {
        let mut mock = respond(request, &times, &|minute| if minute == 0 { 1_000_000 } else { 0 });
        if let Ok(response) = &mut mock.outcome {
            response.body = String::from_utf8(response.body.to_vec()).unwrap().replace("0.5", "true").into();
        }
        mock
    });
    tokio::time::advance(1440 * 60 * SECOND).await;
    let mut poller = request(&service, &clock).skip_bad_records().follow(at(START)).allowed_lateness(10_000);
    let mut bad = Vec::new();
    let end = clock.begun + 1500 * 60 * SECOND;
    while let Ok(update) = tokio::time::timeout_at(end, poller.next()).await {
        let update = update.unwrap();
        let reported = update.page().into_iter().flat_map(|page| &page.report.bad_records);
        bad.extend(reported.map(|bad| bad.text.clone()));
    }
    let all = bad.len();
    bad.sort();
    bad.dedup();
    assert_eq!((all, (1497..1501).contains(&all)), (bad.len(), true), "{all}");
}

/// The record of an interval that is still open may change, so it is requested again.
#[tokio::test(start_paused = true)]
async fn the_open_interval_of_a_history_is_requested_again() {
    let service = Service::new(|request, _| answer(request, |_| true));
    let hours = service.client().market().ratio().symbol("B").timeframe(Timeframe::H1);
    let from = Timestamp::now().floor(3600 * SECOND) - 3 * 3600 * SECOND;
    let history = || hours.clone().history(from..at(i64::MAX)).include_partial();
    let all = history().collect().await.unwrap();
    let (open, checkpoint) = (*all.times.last().unwrap(), all.checkpoint.unwrap());
    assert!(open + 3600 * SECOND > from + 3 * 3600 * SECOND);
    assert_eq!((checkpoint.next_time(), checkpoint.records()), (open, 3));
    let again = history().resume(checkpoint.clone()).collect().await.unwrap();
    assert_eq!((again.times.first(), again.checkpoint.unwrap().records()), (Some(&open), 3));
    let later = open + Duration::from_secs(HOUR.unsigned_abs()) + 60 * SECOND;
    let client = service.builder().clock(move || later).build().unwrap();
    let hours = client.market().ratio().symbol("B").timeframe(Timeframe::H1);
    let mut poller = hours.follow(from).resume(checkpoint);
    assert_eq!(poller.next().await.unwrap().records()[0].open_date, open);
}

/// Two followers share a client with histories of a year. Their requests go first, so their records are not later than
/// alone.
#[tokio::test(start_paused = true)]
async fn followers_go_before_histories() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let machine = clock.clone();
    let limit = RateLimit::new(10, SECOND, 20);
    let client = service.builder().rate_limit(limit).clock(move || machine.machine()).build().unwrap();
    let minutes = |symbol| client.market().ratio().symbol(symbol).timeframe(Timeframe::M1);
    let year = START - 365 * 24 * HOUR;
    let histories: Vec<_> = (0..30)
        .map(|_| {
            let mut pages = minutes("H").history(at(year)..at(START)).no_first_record_search().pages();
            tokio::spawn(async move { while pages.next().await.is_some() {} })
        })
        .collect();
    let mut poller = minutes("B").follow(at(START));
    let end = clock.begun + 600 * SECOND;
    let mut count = 0;
    while let Ok(update) = tokio::time::timeout_at(end, poller.next()).await {
        for record in update.unwrap().records() {
            let late = clock.seconds() - (record.open_date.unix_seconds() - START + MINUTE);
            assert!((2..4).contains(&late), "{late}");
            count += 1;
        }
        // A single request goes before the further pages of the histories, too.
        let begun = Instant::now();
        minutes("S").start_time(at(START)).end_time(at(START)).limit(1).await.unwrap();
        assert!(begun.elapsed() < 2 * SECOND, "{:?}", begun.elapsed());
    }
    assert_eq!(count, 9);
    // The histories use the rest of the limit.
    assert!(service.seen().0 > 5900, "{:?}", service.seen());
    histories.iter().for_each(tokio::task::JoinHandle::abort);
}

/// A follower that starts a year ago has hundreds of pages to fetch. They go after the new bars of other followers and
/// after single requests.
#[tokio::test(start_paused = true)]
async fn the_backlog_of_a_follower_goes_after_others() {
    let clock = Clock::new();
    let service = service(&clock, |_| 0);
    let machine = clock.clone();
    let limit = RateLimit::new(1, SECOND, 20);
    let client = service.builder().rate_limit(limit).clock(move || machine.machine()).build().unwrap();
    let minutes = |symbol| client.market().ratio().symbol(symbol).timeframe(Timeframe::M1);
    let mut backlog = minutes("C").follow(at(START - 365 * 24 * HOUR));
    let backlog = tokio::spawn(async move { while backlog.next().await.is_ok() {} });
    let mut poller = minutes("B").follow(at(START));
    for _ in 0..8 {
        let update = poller.next().await.unwrap();
        let end = |record: &test_service::invented::RatioRecord| record.open_date.unix_seconds() - START + MINUTE;
        let late: Vec<_> = update.records().iter().map(|record| clock.seconds() - end(record)).collect();
        assert!(late.iter().all(|late| (2..6).contains(late)), "{late:?}");
        let begun = Instant::now();
        minutes("S").start_time(at(START)).end_time(at(START)).limit(1).await.unwrap();
        assert!(begun.elapsed() < 3 * SECOND, "{:?}", begun.elapsed());
    }
    // The backlog uses the rest of the limit.
    assert!(service.seen().0 > 450, "{:?}", service.seen());
    backlog.abort();
}
