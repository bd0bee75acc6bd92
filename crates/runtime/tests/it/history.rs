//! Tests of histories as users see them, with a service in memory that respects the requested range.

mod checkpoint;
mod failures;
mod service_time;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use runtime::history::Progress;
use runtime::transport::{HttpRequest, from_fn};
use runtime::{ErrorKind, RateLimit, Timestamp};
use test_service::invented::{self, Client, RatioRecord, Request, Timeframe};
use test_service::scripted::{MockResponse, Service, ok, reply};
use tokio::time::Instant;

use crate::ranges::{HOUR, START, answer, answer_every, at, number};

const SECOND: Duration = Duration::from_secs(1);

fn hours(client: &Client) -> Request<invented::Ratio> {
    client.market().ratio().symbol("B").timeframe(Timeframe::H1)
}

fn seconds(records: &[RatioRecord]) -> Vec<i64> {
    records.iter().map(|record| record.open_date.unix_seconds()).collect()
}

#[tokio::test(start_paused = true)]
async fn history_is_complete_and_in_order() {
    let service = Service::new(|request, _| answer(request, |_| true));
    let end = START + 2000 * HOUR;
    let all = hours(&service.client()).history(at(START)..at(end)).collect().await.unwrap();
    assert_eq!(seconds(&all.records), (START..end).step_by(3600).collect::<Vec<_>>());
    assert!(all.report.is_complete(), "{:?}", all.report);
    assert_eq!((all.times.len(), all.into_iter().count()), (2000, 2000));
    // A window has one step less than the maximum number of records of a page, so that a record outside the window also
    // fits on the page. The last window contains the remaining steps.
    let mut paths = service.paths();
    paths.sort();
    let line = |from: i64, to: i64| {
        let (from, to) = (START + from * HOUR - 1, START + to * HOUR);
        format!("ratio?symbol=B&timeframe=1h&limit=500&startTime={from}&endTime={to}&sort=asc")
    };
    let expected = [(0, 499), (499, 998), (998, 1497), (1497, 1996), (1996, 2000)].map(|(from, to)| line(from, to));
    assert_eq!(paths, expected);
}

#[tokio::test(start_paused = true)]
async fn page_size_can_be_set_and_records_untyped() {
    let service = Service::new(|request, _| answer(request, |_| true));
    let client = service.client();
    let levels = client.market().levels().symbol("B").timeframe(Timeframe::H1).limit(50);
    let history = levels.history(at(START)..at(START + 100 * HOUR));
    assert_eq!(history.plan().unwrap().requests, 3);
    let printed = format!("{history:?}");
    assert!(printed.contains("GET /levels?") && printed.contains("range: Timestamp(2023-11-14T22"), "{printed}");
    let mut records = history.records();
    assert_eq!(format!("{records:?}"), "Records(..)");
    let mut count = 0;
    while let Some(record) = records.next().await {
        assert_eq!(record.unwrap()["openDate"], START + count * HOUR);
        count += 1;
    }
    assert_eq!((count, service.seen().0), (100, 3));
    assert_eq!(records.progress().records, 100);
}

/// The record of the first step is before the range. Its request has this record too, so no other request has to show that
/// its page begins in time.
#[tokio::test(start_paused = true)]
async fn a_range_that_begins_within_a_step_needs_no_further_request() {
    for hours_long in [1, 2, 499, 500, 600] {
        for to in [START + hours_long * HOUR, START + hours_long * HOUR - 7] {
            let service = Service::new(|request, _| answer(request, |_| true));
            let history = hours(&service.client()).history(at(START - 1001)..at(to));
            let plan = history.plan().unwrap();
            let all = history.collect().await.unwrap();
            let expected: Vec<_> = (START..to).step_by(3600).collect();
            assert_eq!(seconds(&all.records), expected);
            assert_eq!(
                (plan.records, plan.requests),
                (all.records.len() as u64, service.seen().0 as u64),
                "{hours_long}"
            );
            assert!(all.report.is_complete(), "{:?}", all.report);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_history_fails_before_sending() {
    let service = Service::new(|_, _| ok());
    let client = service.client();
    let ratio = || client.market().ratio().symbol("B");
    let range = at(START)..at(START + HOUR);
    let day = Timeframe::from("1d");
    let table = [
        (ratio(), "a history needs `timeframe`, the interval between its records; known values: `1m`, `1h`"),
        (ratio().timeframe(day), "`timeframe` is `1d`, an interval of unknown length; known values: `1m`, `1h`"),
        (hours(&client).start_time(at(START)), "`startTime` is set, but a history sets this param itself; do not"),
        (hours(&client).end_time(at(START)), "`endTime` is set, but a history sets this param itself"),
        (hours(&client).sort("desc"), "`sort` is set, but a history sets this param itself"),
        (hours(&client).limit(1), "`limit` is too small for a history; set it to at least 2, or omit it"),
    ];
    for (request, expected) in table {
        let error = request.clone().history(range.clone()).plan().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!((error.kind(), error.endpoint().is_some()), (ErrorKind::Builder, true));
        let mut pages = request.history(range.clone()).pages();
        assert_eq!(pages.next().await.unwrap().unwrap_err().to_string(), error.to_string());
        assert!(pages.next().await.is_none());
    }
    let (early, late) = (START, START + 1);
    let error = hours(&client).history(at(late)..at(early)).collect().await.unwrap_err().error;
    assert!(error.to_string().contains("the range ends at 2023-11-14T22:00:00Z, before its start"), "{error}");
    assert!(hours(&client).history(at(START)..at(START)).collect().await.unwrap().records.is_empty());
    assert_eq!(service.seen(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn plan_lists_the_requests_to_send() {
    let service = Service::new(|_, _| ok());
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 20)).build().unwrap();
    let minutes = client.market().ratio().symbol("B").timeframe(Timeframe::M1);
    let plan = minutes.history(at(START)..at(START + 365 * 24 * HOUR)).plan().unwrap();
    assert_eq!((plan.records, plan.requests, plan.page_size), (525_600, 1054, 500));
    assert_eq!((plan.interval.shortest(), plan.min_duration), (60 * SECOND, Some(105 * SECOND)));
    // The open interval is included only with `include_partial`.
    let open = hours(&client).history(at(START)..at(i64::MAX));
    let now = Timestamp::now().floor(3600 * SECOND);
    let [plan, with_open] = [open.clone(), open.include_partial()].map(|history| history.plan().unwrap());
    assert_eq!((plan.range.end, with_open.range.end), (now, now + 3600 * SECOND));
    assert_eq!(service.seen(), (0, 0));
}

/// Sixty pages whose responses take a second and a half are requested at ten requests a second, so fifteen requests are
/// in flight at a time.
#[tokio::test(start_paused = true)]
async fn pages_are_fetched_concurrently_at_the_rate_limit() {
    let service = Service::new(|request, _| MockResponse { duration: 3 * SECOND / 2, ..answer(request, |_| true) });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 20)).build().unwrap();
    let history = hours(&client).history(at(START - 1000 * 499 * HOUR)..at(START));
    let plan = history.plan().unwrap();
    assert_eq!((plan.requests, plan.min_duration), (1000, Some(99 * SECOND)));
    let begun = Instant::now();
    let all = history.collect().await.unwrap();
    let elapsed = begun.elapsed();
    assert!(all.report.is_complete());
    assert!(elapsed.as_secs_f64() <= 100.0 / 0.98 + 1.6, "{elapsed:?}");
    assert_eq!(service.seen().0, 1000);
}

/// The history has ten million records. Only a limited number of its pages may be in memory at a time.
#[tokio::test(start_paused = true)]
async fn slow_consumer_pauses_the_fetching() {
    let service = Service::new(|request, _| answer(request, |_| true));
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let mut pages = hours(&client).limit(50).history(at(START - 49 * 400 * HOUR)..at(START)).prefetch(8).pages();
    for given in 0..400 {
        assert_eq!(pages.next().await.unwrap().unwrap().records.len(), 49);
        tokio::time::sleep(60 * SECOND).await;
        assert!(service.seen().0 <= given + 1 + 8, "{given}: {:?}", service.seen());
    }
    assert!(pages.next().await.is_none());
}

/// The first record follows seven years without a record. With one record per minute, these are 7,380 pages, of which
/// about thirty are requested.
#[tokio::test(start_paused = true)]
async fn the_first_record_is_searched_for() {
    let (start, begin) = (START - 7 * 365 * 24 * HOUR, START + 7 * HOUR);
    let service = Service::new(move |request, _| answer_every(request, 60, |time| time >= begin));
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let minutes = client.market().ratio().symbol("B").timeframe(Timeframe::M1);
    let all = minutes.clone().history(at(start)..at(begin + 48 * HOUR)).collect().await.unwrap();
    assert_eq!((all.len(), all.times[0]), (48 * 60, at(begin)));
    let [gap] = all.report.gaps.as_slice() else { panic!("{:?}", all.report.gaps) };
    assert_eq!(gap.range, at(start)..at(begin));
    let [search] = all.report.searches.as_slice() else { panic!("{:?}", all.report.searches) };
    assert!(search.range.end <= at(begin) && search.range.end > at(begin - 499 * 60), "{search:?}");
    assert!((20..32).contains(&search.requested.len()), "{}", search.requested.len());
    assert!(service.seen().0 <= 45, "{:?}", service.seen());
    // The search also ends if there are no records; without a search, every page is requested.
    let nothing = minutes.clone().history(at(start)..at(start + 365 * 24 * HOUR)).collect().await.unwrap();
    assert!(nothing.is_empty() && service.seen().0 < 90, "{:?}", service.seen());
    let before = service.seen().0;
    let nothing =
        minutes.history(at(start)..at(start + 365 * 24 * HOUR)).no_first_record_search().collect().await.unwrap();
    assert!(nothing.report.searches.is_empty() && service.seen().0 - before == 1054, "{:?}", service.seen());
}

#[tokio::test(start_paused = true)]
async fn gaps_are_reported_as_data() {
    let has = |time: i64| {
        let hour = (time - START) / HOUR;
        (20..970).contains(&hour) && hour != 300 && !(500..600).contains(&hour)
    };
    let service = Service::new(move |request, _| answer(request, has));
    let history = hours(&service.client()).limit(50).history(at(START)..at(START + 1000 * HOUR));
    let all = history.collect().await.unwrap();
    assert_eq!(all.records.len(), 849);
    let hour = |time: Timestamp| (time.unix_seconds() - START) / HOUR;
    let gaps: Vec<_> = all.report.gaps.iter().map(|gap| (hour(gap.range.start), hour(gap.range.end))).collect();
    assert_eq!(gaps, [(0, 20), (300, 301), (500, 600), (970, 1000)]);
    assert!(!all.report.is_complete());
}

/// A full page with a record for each step may still lack records between two steps.
#[tokio::test(start_paused = true)]
async fn records_between_steps_after_a_full_page_are_kept() {
    let has = |time: i64| {
        let last = START + 48 * HOUR;
        time % HOUR == START % HOUR || (last..=last + 1800).contains(&time)
    };
    let service = Service::new(move |request, _| answer_every(request, 600, has));
    let all = hours(&service.client()).limit(50).history(at(START)..at(START + 490 * HOUR)).collect().await.unwrap();
    let expected = (START..START + 490 * HOUR).step_by(600).filter(|time| has(*time));
    assert_eq!(seconds(&all.records), expected.collect::<Vec<_>>());
    assert_eq!(all.records.len(), 493);
}

#[tokio::test(start_paused = true)]
async fn a_step_whose_records_do_not_fit_on_a_page_is_an_error() {
    let has = |time: i64| time % HOUR == START % HOUR || (START + HOUR..START + 2 * HOUR).contains(&time);
    let service = Service::new(move |request, _| answer_every(request, 600, has));
    let history = hours(&service.client()).history(at(START)..at(START + 4 * HOUR));
    assert_eq!(history.collect().await.unwrap().records.len(), 9);
    let error =
        hours(&service.client()).limit(5).history(at(START)..at(START + 4 * HOUR)).collect().await.unwrap_err().error;
    let expected = "sort=asc): one step has at least as many records as fit on a page (5)";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!((error.kind(), error.endpoint().is_some()), (ErrorKind::Incomplete, true));
}

#[tokio::test(start_paused = true)]
async fn metadata_is_reported_with_its_range() {
    let (left_out, back) = (START + 98 * HOUR, START + 294 * HOUR);
    let service = Service::new(move |request, _| {
        let body = String::from_utf8(answer(request, |_| true).outcome.unwrap().body.to_vec()).unwrap();
        let start = number(request, "startTime") + 1;
        let metadata = match (left_out..back).contains(&start) {
            true => r#""metadata": {"exchanges": ["a"], "unsupportedExchanges": ["b"], "fee": 1}, "took": 7"#,
            false if start >= back => r#""metadata": {"exchanges": ["a", "b"]}"#,
            false => r#""metadata": {}"#,
        };
        reply(200, &[], &body.replacen('{', &format!("{{{metadata}, "), 1))
    });
    let history = hours(&service.client()).limit(50).history(at(START)..at(START + 490 * HOUR));
    let all = history.collect().await.unwrap();
    let [without, with] = all.report.metadata.as_slice() else { panic!("{:?}", all.report) };
    assert_eq!(without.range, at(left_out)..at(back));
    assert_eq!((without.unsupported.as_slice(), &without.metadata["fee"]), (&["b".to_owned()][..], &1.into()));
    assert_eq!(without.unknown_fields.get("took"), Some(7.into()));
    assert_eq!(with.range, at(back)..at(START + 490 * HOUR));
    assert_eq!((with.unsupported.len(), with.metadata["exchanges"][1].as_str()), (0, Some("b")));
    assert!(all.report.gaps.is_empty() && !all.report.is_complete());
}

/// Milliseconds that are read as seconds result in a start in the far future.
#[tokio::test(start_paused = true)]
async fn a_start_that_can_only_be_a_mistake_is_an_error() {
    let service = Service::new(|_, _| ok());
    let client = service.client();
    let millis = 1_760_000_000_000;
    let error = hours(&client).history(at(millis)..at(i64::MAX)).collect().await.unwrap_err().error.to_string();
    assert!(
        error.contains("the start was read as 1760000000000 Unix seconds, which is after the year 3000"),
        "{error}"
    );
    let soon = Timestamp::now() + 25 * 3600 * SECOND;
    let error = hours(&client).history(soon..soon + SECOND).plan().unwrap_err().to_string();
    assert!(error.contains(&format!("read as {soon}, which is more than one day in the future")), "{error}");
    // No other clock differs from that of this machine, so the start is probably wrong.
    assert!(!error.contains("check the clock"), "{error}");
    assert_eq!(service.seen(), (0, 0));
    // A range that begins in the near future has no records yet, which is not an error. One request is sent, because the
    // clock of this machine may be behind.
    let now = Timestamp::now() + 3600 * SECOND;
    assert!(hours(&client).history(now..now + SECOND).collect().await.unwrap().records.is_empty());
    assert_eq!(service.paths().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn progress_is_reported_after_every_page() {
    let service = Service::new(|request, _| MockResponse { duration: SECOND, ..answer(request, |_| true) });
    let client = service.builder().rate_limit(RateLimit::new(1, SECOND, 1)).build().unwrap();
    let reported: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let watcher = reported.clone();
    let history = hours(&client).limit(50).history(at(START)..at(START + 490 * HOUR));
    history.on_progress(move |progress| watcher.lock().unwrap().push(progress.clone())).collect().await.unwrap();
    let reported = reported.lock().unwrap();
    let counts: Vec<_> = reported.iter().map(|progress| (progress.records, progress.pages_left)).collect();
    assert_eq!(counts, (1..=10).map(|page| (49 * page, 10 - page)).collect::<Vec<_>>());
    let half = &reported[4];
    assert!(half.waited > 5 * SECOND && half.requests == 10, "{half:?}");
    assert!(half.time_left().unwrap().abs_diff(5 * SECOND) < 2 * SECOND, "{half:?}");
}

/// Whether a task was woken since the last poll.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Outside of a runtime, no event would wake the task later. A poll that lasts long, because the machine is busy, wakes
/// the task itself.
#[test]
fn history_outside_of_a_runtime_is_an_error() {
    let service = Service::new(|_, _| ok());
    let mut pages = hours(&service.client()).history(at(START)..at(START + 5000 * HOUR)).pages();
    let mut next = std::pin::pin!(pages.next());
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(woken.clone());
    let mut context = Context::from_waker(&waker);
    let mut polled = next.as_mut().poll(&mut context);
    while polled.is_pending() && woken.0.swap(false, Ordering::Relaxed) {
        polled = next.as_mut().poll(&mut context);
    }
    let Poll::Ready(Some(Err(error))) = polled else { panic!("{polled:?}") };
    assert!(error.to_string().contains("no Tokio runtime is running"), "{error}");
}

/// On several threads, a response may arrive before the history waits for a response.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn immediate_responses_are_processed() {
    let transport = from_fn(async |request: HttpRequest| {
        let mock = answer(&request, |_| true);
        mock.outcome
    });
    let builder = Client::builder("https://example.com/v2").api_key("any").transport(transport);
    let client = builder.rate_limit(RateLimit::none()).build().unwrap();
    let all = hours(&client).limit(50).history(at(START - 49 * 3000 * HOUR)..at(START)).collect().await.unwrap();
    assert_eq!(all.records.len(), 49 * 3000);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_history_ends_its_requests() {
    let service = Service::new(|request, _| MockResponse { duration: 60 * SECOND, ..answer(request, |_| true) });
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let mut pages = hours(&client).history(at(START)..at(START + 5000 * HOUR)).pages();
    assert!(tokio::time::timeout(SECOND, pages.next()).await.is_err());
    assert_eq!(service.in_flight(), 11);
    drop(pages);
    tokio::task::yield_now().await;
    assert_eq!(service.in_flight(), 0);
}
