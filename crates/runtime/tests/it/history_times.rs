//! Tests of histories of endpoints whose params contain timestamps as text.

use std::time::Duration;

use runtime::registry::{
    BodyInfo, EndpointInfo, Evidence, HistoryInfo, HistorySource, ListFormat, ParamInfo, Step, TimeUnit, ValueType,
};
use runtime::transport::HttpRequest;
use runtime::{Endpoint, Timestamp, Value};
use test_service::invented::{Series, Timeframe};
use test_service::scripted::{MockResponse, Service, reply};
use tokio::time::Instant;

use crate::ranges::{HOUR, START, at, body, query};

const DAY: i64 = 24 * HOUR;

const fn params(unit: TimeUnit, required: Option<Evidence>) -> [ParamInfo; 5] {
    [
        ParamInfo { required, ..ParamInfo::new("after", "after", ValueType::Timestamp(unit), Evidence::Documented) },
        ParamInfo { required, ..ParamInfo::new("before", "before", ValueType::Timestamp(unit), Evidence::Documented) },
        ParamInfo::new("every", "every", ValueType::named::<Timeframe>(), Evidence::Documented),
        ParamInfo::new("limit", "limit", ValueType::Count, Evidence::Documented),
        ParamInfo { required, ..ParamInfo::new("order", "order", ValueType::String, Evidence::Documented) },
    ]
}

const OWN: HistorySource = HistorySource::Endpoint(&HistoryInfo {
    from: "after",
    to: "before",
    limit: "limit",
    step: "every",
    every: None,
    anchor: None,
    oldest: None,
    time_is_end: false,
    includes_start: false,
    evidence: Evidence::Documented,
    sort: Some(("order", "asc")),
});

/// No param sets the interval, and old records are deleted.
const PAYMENTS: HistoryInfo = HistoryInfo {
    from: "after",
    to: "before",
    limit: "limit",
    step: "",
    every: Some(Step::seconds(8 * 3600)),
    anchor: None,
    oldest: Some(Duration::from_secs(30 * 86_400)),
    time_is_end: false,
    includes_start: false,
    evidence: Evidence::Documented,
    sort: None,
};

/// The time of a record is the end of its interval.
const PAID_AT_END: HistoryInfo = HistoryInfo { oldest: None, time_is_end: true, ..PAYMENTS };

/// The service evaluates a query at the start of the range and then at each step, so the times depend on the start.
const EVALUATED: HistoryInfo =
    HistoryInfo { limit: "", every: Some(Step::seconds(3600)), oldest: None, includes_start: true, ..PAYMENTS };

/// The params are years, so a request for one month has the others of its year.
const MONTHS: HistoryInfo = HistoryInfo { limit: "", every: Some(Step::Months(1)), oldest: None, ..PAYMENTS };

/// The same without a regular step.
const RELEASES: HistoryInfo = HistoryInfo { every: None, ..MONTHS };

macro_rules! endpoint {
    ($marker:ident, $unit:ident, $required:expr, $history:expr) => {
        enum $marker {}

        impl ::runtime::emitted::Marker for $marker {}

        impl Endpoint for $marker {
            type Body = Series<Value>;
            const INFO: &'static EndpointInfo = &EndpointInfo {
                path: Some("/texts"),
                param_lists: Some(&[&params(TimeUnit::$unit, $required)]),
                body: BodyInfo::Series { record: None, time: Some("openDate"), evidence: Evidence::Documented },
                history_source: $history,
                ..EndpointInfo::new("market", "texts", "Texts")
            };
        }
    };
}

/// Events, which have any times.
const SINCE: HistoryInfo = HistoryInfo { to: "", limit: "", every: None, oldest: None, ..PAYMENTS };

/// No param sets the start of the range.
const UNTIL: HistoryInfo = HistoryInfo { from: "", limit: "limit", every: None, oldest: None, ..PAYMENTS };

endpoint!(Texts, Iso8601, None, OWN);
endpoint!(Days, Date, None, OWN);
endpoint!(Months, Year, None, HistorySource::Endpoint(&MONTHS));
endpoint!(Releases, Year, None, HistorySource::Endpoint(&RELEASES));
endpoint!(RequiredRange, Iso8601, Some(Evidence::Documented), OWN);
endpoint!(Payments, Iso8601, None, HistorySource::Endpoint(&PAYMENTS));
endpoint!(PaidAtEnd, Iso8601, None, HistorySource::Endpoint(&PAID_AT_END));
endpoint!(Evaluated, Iso8601, None, HistorySource::Endpoint(&EVALUATED));
endpoint!(Events, Iso8601, None, HistorySource::Endpoint(&SINCE));
endpoint!(OlderEvents, Iso8601, None, HistorySource::Endpoint(&UNTIL));

/// One param has both ends of the range.
const BETWEEN: HistoryInfo =
    HistoryInfo { from: "days", to: "days", limit: "", every: Some(Step::seconds(86_400)), oldest: None, ..PAYMENTS };

enum Between {}

impl ::runtime::emitted::Marker for Between {}

impl Endpoint for Between {
    type Body = Series<Value>;
    const INFO: &'static EndpointInfo = &EndpointInfo {
        path: Some("/between"),
        param_lists: Some(&[&[ParamInfo {
            list_setter: Some("all_days"),
            list_as: ListFormat::Colons,
            ..ParamInfo::new("days", "days", ValueType::Timestamp(TimeUnit::Date), Evidence::Documented)
        }]]),
        body: BodyInfo::Series { record: None, time: Some("openDate"), evidence: Evidence::Documented },
        history_source: HistorySource::Endpoint(&BETWEEN),
        ..EndpointInfo::new("market", "between", "Between")
    };
}

impl runtime::history::HasHistory for Between {}
impl runtime::history::HasHistory for Texts {}
impl runtime::history::HasHistory for Events {}
impl runtime::history::HasHistory for OlderEvents {}
impl runtime::history::HasHistory for Days {}
impl runtime::history::HasHistory for Months {}
impl runtime::history::HasHistory for Releases {}
impl runtime::history::HasHistory for RequiredRange {}
impl runtime::history::HasHistory for Payments {}
impl runtime::history::HasHistory for PaidAtEnd {}
impl runtime::history::HasHistory for Evaluated {}

/// Returns the first records of a range whose start and end are strings. Records up to `last` seconds after the end are
/// included.
fn answer(request: &HttpRequest, last: i64) -> MockResponse {
    let query = query(request);
    let time = |name: &str| TimeUnit::Iso8601.read(&query[name]).unwrap().unix_seconds();
    let first = (time("after") + HOUR - 1).div_euclid(HOUR) * HOUR;
    let times = (first..=time("before") + last).step_by(3600);
    reply(200, &[], &body(times.take(query["limit"].parse().unwrap())))
}

async fn check<E: runtime::history::HasHistory<Body = Series<Value>>>(
    last: i64,
    limit: u64,
    expected: usize,
) -> Vec<String> {
    let service = Service::new(move |request, _| answer(request, last));
    let request = test_service::invented::request::<E>(&service.client()).query("every", "1h").query("limit", limit);
    let all = request.history(at(START)..at(START + 10 * DAY)).collect().await.unwrap();
    let times: Vec<i64> = all.records.iter().map(|record| record["openDate"].as_i64().unwrap()).collect();
    assert_eq!(times, (START..START + 10 * DAY).step_by(3600).collect::<Vec<_>>());
    assert!(all.report.is_complete(), "{:?}", all.report);
    assert_eq!(service.seen().0, expected);
    service.paths()
}

#[tokio::test(start_paused = true)]
async fn range_ends_are_written_in_the_unit_of_their_param() {
    let paths = check::<Texts>(0, 300, 1).await;
    assert_eq!(paths, ["texts?after=2023-11-14T21:59:59Z&before=2023-11-24T22:00:00Z&every=1h&limit=300&order=asc"]);
    // The response may include the entire day that ends the range, or only the start of that day.
    for last in [0, DAY - 1] {
        let paths = check::<Days>(last, 500, 1).await;
        assert_eq!(paths, ["texts?after=2023-11-14&before=2023-11-25&every=1h&limit=500&order=asc"]);
        check::<Days>(last, 100, 9).await;
    }
}

#[tokio::test(start_paused = true)]
async fn times_that_are_counted_from_the_start_are_those_of_the_range() {
    let service = Service::new(|request, _| {
        let query = query(request);
        let time = |name: &str| TimeUnit::Iso8601.read(&query[name]).unwrap().unix_seconds();
        reply(200, &[], &body((time("after")..=time("before")).step_by(3600).take(10)))
    });
    let request = test_service::invented::request::<Evaluated>(&service.client());
    let all = request.history(at(START)..at(START + DAY)).collect().await.unwrap();
    let times: Vec<i64> = all.records.iter().map(|record| record["openDate"].as_i64().unwrap()).collect();
    assert_eq!(times, (START..START + DAY).step_by(3600).collect::<Vec<_>>());
    assert!(all.report.is_complete(), "{:?}", all.report);
}

/// The service has two records of each time, and the interval that is open now has only its first time so far. A request
/// from another time than the start of an interval would have records of that time.
#[tokio::test(start_paused = true)]
async fn several_records_of_an_open_interval_are_no_full_page() {
    let service = Service::new(|request, _| {
        let query = query(request);
        let time = |name: &str| TimeUnit::Iso8601.read(&query[name]).unwrap().unix_seconds();
        let until = time("before").min(START + HOUR + 60);
        reply(200, &[], &body((time("after")..=until).step_by(3600).flat_map(|time| [time, time])))
    });
    let request = test_service::invented::request::<Evaluated>(&service.client());
    let all = request.history(at(START + HOUR)..at(START + 3 * HOUR)).collect().await.unwrap();
    let times: Vec<i64> = all.records.iter().map(|record| record["openDate"].as_i64().unwrap()).collect();
    assert_eq!(times, [START + HOUR; 2]);
    assert_eq!(service.paths().len(), 2, "{:?}", service.paths());
}

/// Without a param for an end of the range, a response has records behind this end although the service works as it
/// should.
#[tokio::test(start_paused = true)]
async fn records_behind_an_end_that_no_param_sets_are_not_distant() {
    let service = Service::new(|request, _| {
        let query = query(request);
        let time = |name: &str| TimeUnit::Iso8601.read(&query[name]).unwrap().unix_seconds();
        if query.contains_key("after") {
            let first = (time("after") + HOUR - 1).div_euclid(HOUR) * HOUR;
            return reply(200, &[], &body((first..=START + 40 * DAY).step_by(3600)));
        }
        let last = time("before").div_euclid(HOUR) * HOUR;
        let limit: usize = query["limit"].parse().unwrap();
        let mut times: Vec<i64> = (START - 40 * DAY..=last).rev().step_by(3600).take(limit).collect();
        times.reverse();
        reply(200, &[], &body(times.into_iter()))
    });
    let until = test_service::invented::request::<OlderEvents>(&service.client()).query("limit", 100);
    let until = until.history(at(START)..at(START + DAY)).collect().await.unwrap();
    let since = test_service::invented::request::<Events>(&service.client());
    let since = since.history(at(START)..at(START + DAY)).collect().await.unwrap();
    for all in [until, since] {
        let account = all.report.account;
        assert_eq!(all.records.len(), 24);
        assert!(account.outside > 50 && account.distant == 0, "{account:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn page_has_room_for_records_outside_of_its_range() {
    let service = Service::new(|request, _| answer(request, 0));
    let request = test_service::invented::request::<Days>(&service.client()).query("every", "1h").query("limit", 72);
    let error = request.history(at(START)..at(START + DAY)).plan().unwrap_err();
    assert!(error.to_string().contains("`limit` is too small for a history; set it to at least 73"), "{error}");
}

/// If an endpoint requires the start, the end and the order, its emitted method takes them as arguments.
#[tokio::test(start_paused = true)]
async fn a_history_replaces_the_required_start_end_and_order() {
    let service = Service::new(|request, _| answer(request, 0));
    let request =
        test_service::invented::request::<RequiredRange>(&service.client()).query("every", "1h").query("limit", 300);
    let set = |after: &str| {
        let request = request.clone().query("after", after).query("before", "2020-01-02T00:00:00Z");
        request.query("order", "desc")
    };
    for request in [request.clone(), set("2020-01-01T00:00:00Z")] {
        let all = request.history(at(START)..at(START + 2 * HOUR)).collect().await.unwrap();
        assert_eq!(all.records.len(), 2);
        let range = "after=2023-11-14T21:59:59Z&before=2023-11-15T00:00:00Z";
        assert_eq!(service.paths().pop().unwrap(), format!("texts?{range}&every=1h&limit=300&order=asc"));
    }
    let mut pages = set("2020-01-01T00:00:00Z").history(at(START)..at(START + 2 * HOUR)).pages();
    let checkpoint = pages.next().await.unwrap().unwrap().checkpoint;
    let resumed = set("2021-01-01T00:00:00Z").history(at(START)..at(START + 3 * HOUR)).resume(checkpoint);
    assert_eq!(resumed.collect().await.unwrap().records.len(), 1);
}

#[tokio::test]
async fn events_are_fetched_with_only_a_start() {
    // Three events at each time, on pages of ten.
    let events = || (START..START + 1000).step_by(10).flat_map(|time| [time; 3]);
    let service = Service::new(move |request, _| {
        let after = TimeUnit::Iso8601.read(&query(request)["after"]).unwrap().unix_seconds();
        reply(200, &[], &body(events().filter(|time| *time > after).take(10)))
    });
    let request = test_service::invented::request::<Events>(&service.client());
    let all = request.history(at(START + 100)..at(START + 800)).collect().await.unwrap();
    let times: Vec<i64> = all.times.iter().map(|time| time.unix_seconds()).collect();
    assert_eq!(times, events().skip(30).take(210).collect::<Vec<_>>());
    assert!(all.report.is_complete(), "{:?}", all.report);
    let mut updates = test_service::invented::request::<Events>(&service.client()).follow(at(START));
    let error = updates.next().await.unwrap_err();
    assert!(error.to_string().contains("have no interval"), "{error}");
}

/// The service rejects a start before its oldest records.
#[tokio::test(start_paused = true)]
async fn a_history_begins_with_the_oldest_records_at_the_interval_of_the_catalogue() {
    const STEP: i64 = 8 * HOUR;
    let now = Timestamp::now().unix_seconds();
    let service = Service::new(move |request, _| {
        let query = query(request);
        let time = |name: &str| TimeUnit::Iso8601.read(&query[name]).unwrap().unix_seconds();
        if time("after") < now - 30 * DAY {
            return reply(400, &[], "too old");
        }
        let first = (time("after") + STEP - 1).div_euclid(STEP) * STEP;
        reply(200, &[], &body((first..=time("before")).step_by(8 * 3600).take(query["limit"].parse().unwrap())))
    });
    let request = test_service::invented::request::<Payments>(&service.client()).query("limit", 20);
    let history = || request.clone().history(at(now - 60 * DAY)..at(now));
    let planned = history().plan().unwrap().range.start;
    assert!(at(now - 30 * DAY) < planned && planned < at(now - 29 * DAY), "{planned}");
    let all = history().collect().await.unwrap();
    let times: Vec<i64> = all.records.iter().map(|record| record["openDate"].as_i64().unwrap()).collect();
    assert!((88..=90).contains(&times.len()) && times.windows(2).all(|two| two[1] - two[0] == STEP), "{times:?}");
    assert!(all.report.is_complete() && all.report.gaps.is_empty(), "{:?}", all.report);
    // A run that resumes later has the same start, although the service has deleted older records in the meantime.
    let checkpoint = history().pages().next().await.unwrap().unwrap().checkpoint;
    assert_eq!(history().resume(checkpoint).collect().await.unwrap().records.last(), all.records.last());
}

/// A record is final once its time has come, if its time is the end of its interval.
#[tokio::test(start_paused = true)]
async fn a_record_at_the_end_of_its_interval_is_returned_at_its_time() {
    const STEP: i64 = 8 * HOUR;
    let start = START.div_euclid(STEP) * STEP;
    let begun = Instant::now();
    let time = move || at(start + 2 * STEP - 30) + begun.elapsed();
    let service = Service::new(move |request, _| {
        let query = query(request);
        let time = |name: &str| TimeUnit::Iso8601.read(&query[name]).unwrap().unix_seconds();
        let last = (start + 2 * STEP - 30 + i64::try_from(begun.elapsed().as_secs()).unwrap()).min(time("before"));
        let first = (time("after") + STEP - 1).div_euclid(STEP) * STEP;
        reply(200, &[], &body((first..=last).step_by(8 * 3600).take(query["limit"].parse().unwrap())))
    });
    let client = service.builder().clock(time).build().unwrap();
    let request = test_service::invented::request::<PaidAtEnd>(&client).query("limit", 20);
    let history = || request.clone().history(at(start)..at(start + 9 * STEP));
    let before = history().collect().await.unwrap();
    assert_eq!(before.times, [at(start), at(start + STEP)]);
    let mut follow = request.clone().follow(at(start + STEP));
    assert_eq!(follow.next().await.unwrap().page().unwrap().times, [at(start + STEP)]);
    let due = follow.next().await.unwrap();
    assert_eq!(due.page().unwrap().times, [at(start + 2 * STEP)]);
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    let rest = history().resume(before.checkpoint.unwrap()).collect().await.unwrap();
    assert_eq!((rest.times, rest.report.is_complete()), (vec![at(start + 2 * STEP)], true));
}

#[tokio::test(start_paused = true)]
async fn one_param_sends_both_ends_of_a_range() {
    let service = Service::new(|request, _| {
        let query = query(request);
        let (from, to) = query["days"].split_once(':').expect("both ends");
        let day = |text: &str| TimeUnit::Date.read(text).unwrap().unix_seconds();
        reply(200, &[], &body((day(from)..=day(to)).step_by(86_400)))
    });
    let start = at(1_704_067_200);
    let end = start + Duration::from_secs(10 * 86_400);
    let request = test_service::invented::request::<Between>(&service.client());
    let all = request.clone().history(start..end).collect().await.unwrap();
    assert_eq!(all.records.len(), 10);
    let set = request.query("days", "2024-01-01");
    let error = set.history(start..end).collect().await.unwrap_err().to_string();
    assert!(error.contains("`days` is set, but a history sets this param itself"), "{error}");
}

/// The months before a range that has no record yet are no page that was cut.
#[tokio::test(start_paused = true)]
async fn other_months_of_a_year_are_no_full_page() {
    let service = Service::new(|_, _| {
        let months = (1..=8).map(|month| format!("2023-{month:02}-01").parse::<Timestamp>().unwrap().unix_seconds());
        reply(200, &[], &body(months))
    });
    let request = test_service::invented::request::<Months>(&service.client());
    let from: Timestamp = "2023-09-01".parse().unwrap();
    let to: Timestamp = "2023-11-01".parse().unwrap();
    let all = request.history(from..to).collect().await.unwrap();
    assert!(all.records.is_empty(), "{:?}", all.report);
}

/// A request for one release has the others of its year, which may be a full page. That a request for two years has more
/// records shows that it is none.
#[tokio::test(start_paused = true)]
async fn a_year_with_fewer_records_than_two_is_no_full_page() {
    let releases = |max: usize| {
        Service::new(move |request: &HttpRequest, _| {
            let query = query(request);
            let [after, before] = ["after", "before"].map(|name| query[name].parse::<i32>().unwrap());
            let months = (2020..2025).filter(|year| (after..=before).contains(year));
            let months = months.flat_map(|year| (1..=12).map(move |month| format!("{year}-{month:02}-01")));
            let times = months.map(|month| month.parse::<Timestamp>().unwrap().unix_seconds());
            reply(200, &[], &body(times.take(max)))
        })
    };
    let range = || {
        let [from, to] = ["2024-12-01", "2025-01-01"].map(|day| day.parse::<Timestamp>().unwrap());
        from..to
    };
    let service = releases(usize::MAX);
    let request = test_service::invented::request::<Releases>(&service.client());
    let all = request.history(range()).collect().await.unwrap();
    // The records before the range were requested.
    assert_eq!((all.records.len(), all.report.account.distant), (1, 0));
    // The service has at most the records of a year on a page.
    let service = releases(12);
    let request = test_service::invented::request::<Releases>(&service.client());
    let error = request.history(range()).collect().await.unwrap_err().to_string();
    assert!(error.contains("one timestamp has at least as many records as fit on a page (12)"), "{error}");
}
