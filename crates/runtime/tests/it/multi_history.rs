//! Tests of several histories that share one rate limiter and are joined into one table.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_core::Stream;
use runtime::history::MultiHistory;
use runtime::{RateLimit, Timestamp};
use test_service::invented::{Client, Timeframe};
use test_service::scripted::{MockResponse, Service};
use test_service::{invented, scripted};
use tokio::time::Instant;

use crate::ranges::{self, HOUR, START, answer, at, number, query};

const SECOND: Duration = Duration::from_secs(1);

fn symbol(client: &Client, symbol: &str) -> invented::Request<invented::Ratio> {
    client.market().ratio().symbol(symbol).timeframe(Timeframe::H1).limit(50)
}

#[tokio::test(start_paused = true)]
async fn no_history_gets_far_ahead_of_another() {
    // One history has ten times the latency of the others.
    let service = Service::new(|request, _| {
        let reply = if query(request)["symbol"] == "slow" { 2 * SECOND } else { SECOND / 5 };
        MockResponse { duration: reply, ..answer(request, |_| true) }
    });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 20)).build().unwrap();
    let names = ["a", "b", "slow", "d"];
    let mut all = MultiHistory::new();
    for name in names {
        all =
            all.add(name, symbol(&client, name).history(at(START)..at(START + 49 * 100 * HOUR)), |record| record.ratio);
    }
    let begun = Instant::now();
    let mut given: BTreeMap<&str, u32> = names.map(|name| (name, 0)).into();
    let mut last: BTreeMap<&str, i64> = BTreeMap::new();
    while let Some((name, page)) = all.next().await {
        let page = page.unwrap();
        let before = last.insert(name, page.range.end.unix_seconds()).unwrap_or(START);
        assert_eq!((page.range.start.unix_seconds(), page.records.len()), (before, 49));
        *given.get_mut(name).unwrap() += 1;
        let (min, max) = (given.values().min().unwrap(), given.values().max().unwrap());
        assert!(max - min <= 2, "{given:?}");
    }
    assert_eq!(given.values().copied().collect::<Vec<_>>(), [100; 4]);
    // The four histories send four hundred requests, ten a second. The slow history has eight requests in flight at a
    // time.
    let elapsed = begun.elapsed();
    assert!(elapsed < 48 * SECOND, "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn error_ends_one_history_and_not_the_others() {
    let service = Service::new(|request, _| match query(request)["symbol"].as_str() {
        "bad" => scripted::reply(404, &[], "{}"),
        _ => answer(request, |_| true),
    });
    let client = service.client();
    let mut all = MultiHistory::new();
    for name in ["good", "bad"] {
        all = all.add(name, symbol(&client, name).history(at(START)..at(START + 490 * HOUR)), |_| ());
    }
    let (mut good, mut bad) = (0, 0);
    while let Some((name, page)) = all.next().await {
        match (name, page) {
            ("good", Ok(page)) => good += page.records.len(),
            ("bad", Err(error)) => bad += u32::from(error.status() == Some(404)),
            (name, page) => panic!("{name}: {page:?}"),
        }
    }
    assert_eq!((good, bad), (490, 1));
}

#[tokio::test(start_paused = true)]
async fn series_of_different_steps_and_endpoints_are_one_table() {
    let service = Service::new(|request, _| {
        let (symbol, is_hour) = (query(request)["symbol"].clone(), query(request)["timeframe"] == "1h");
        let step = if is_hour { HOUR } else { 60 };
        ranges::answer_every(request, step, |time| match symbol.as_str() {
            "late" => time >= START + 10 * HOUR,
            _ => time != START + 5 * HOUR,
        })
    });
    let client = service.client();
    let end = START + 40 * HOUR;
    let minutes = client.market().ratio().symbol("a").timeframe(Timeframe::M1);
    let levels = client.market().levels().symbol("late").timeframe(Timeframe::H1).limit(5);
    let mut table = MultiHistory::new()
        .add("minutes", minutes.history(at(START)..at(end)), |record| Some(record.open_date.unix_seconds()))
        .add("hours", levels.history(at(START)..at(end)), |record| record["openDate"].as_i64())
        .align();
    let mut expected = (START..end).step_by(60).filter(|time| *time != START + 5 * HOUR);
    while let Some(row) = table.next().await {
        let row = row.unwrap();
        let time = expected.next().unwrap();
        let hour = (time % HOUR == 0 && time >= START + 10 * HOUR).then_some(time);
        assert_eq!((row.time.unix_seconds(), row.cells.as_slice()), (time, [Some(time), hour].as_slice()));
        assert_eq!(row.is_complete(), hour.is_some());
    }
    assert_eq!(expected.next(), None);
    let hour = |time: Timestamp| (time.unix_seconds() - START) / HOUR;
    let gaps: Vec<_> = table.reports().map(|(key, report)| (*key, report.gaps.as_slice())).collect();
    let [("minutes", [minute]), ("hours", [hours])] = gaps.as_slice() else { panic!("{gaps:?}") };
    assert_eq!([minute, hours].map(|gap| (hour(gap.range.start), hour(gap.range.end))), [(5, 5), (0, 10)]);
}

/// The short history ends with its first page, and the pages of the long history arrive at intervals of a second.
#[tokio::test(start_paused = true)]
async fn rows_do_not_wait_for_an_ended_series() {
    let service = Service::new(|request, _| {
        let pages = (number(request, "startTime") + 1 - START) / (49 * HOUR);
        MockResponse { duration: SECOND * u32::try_from(pages).unwrap(), ..answer(request, |_| true) }
    });
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let history = |name, hours| symbol(&client, name).history(at(START)..at(START + hours * HOUR));
    let table =
        MultiHistory::new()
            .add("short", history("short", 10), |_| Some(()))
            .add("long", history("long", 490), |_| Some(()));
    let mut table = table.align();
    assert_eq!(format!("{table:?}"), r#"["short", "long"]"#);
    let begun = Instant::now();
    for second in 0..10 {
        for _ in 0..49 {
            table.next().await.unwrap().unwrap();
        }
        assert_eq!(begun.elapsed().as_secs(), second);
    }
    assert!(table.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn reports_of_a_table_stay_after_an_error() {
    let service = Service::new(|request, _| match number(request, "startTime") {
        ..1_700_700_000 => answer(request, |time| time != START + 5 * HOUR),
        _ => scripted::reply(404, &[], "{}"),
    });
    let client = service.client();
    let history = symbol(&client, "a").history(at(START)..at(START + 490 * HOUR));
    let mut table = MultiHistory::new().add("a", history, |_| Some(())).align();
    let mut rows = 0;
    let error = loop {
        match table.next().await.unwrap() {
            Ok(_) => rows += 1,
            Err(error) => break error,
        }
    };
    assert!(error.status() == Some(404) && rows > 0, "{error}");
    let reports: Vec<_> = table.reports().map(|(key, report)| (*key, report.gaps.len())).collect();
    assert_eq!(reports, [("a", 1)]);
    assert!(table.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn missing_column_is_an_error() {
    let service = Service::new(
        |request, before| {
            if before > 5 { scripted::reply(404, &[], "{}") } else { answer(request, |_| true) }
        },
    );
    let client = service.client();
    let history = |name| symbol(&client, name).history(at(START)..at(START + 4900 * HOUR));
    let mut table =
        MultiHistory::new().add("a", history("a"), |_| Some(())).add("b", history("b"), |_| Some(())).align();
    let mut rows = 0;
    let error = loop {
        match table.next().await.unwrap() {
            Ok(_) => rows += 1,
            Err(error) => break error,
        }
    };
    assert_eq!((error.status(), rows % 49), (Some(404), 0));
    assert!(table.next().await.is_none());
}

/// When fifteen series with one page each have ended, the sixteenth series gets their share of concurrent requests.
#[tokio::test(start_paused = true)]
async fn ended_series_releases_its_capacity() {
    let service = Service::new(|request, _| MockResponse { duration: SECOND, ..answer(request, |_| true) });
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let mut all = MultiHistory::new();
    for name in 0..15 {
        all = all.add(name, symbol(&client, "short").history(at(START)..at(START + 40 * HOUR)), |_| ());
    }
    all = all.add(15, symbol(&client, "long").history(at(START)..at(START + 64 * 49 * HOUR)), |_| ());
    let begun = Instant::now();
    while let Some((_, page)) = all.next().await {
        page.unwrap();
    }
    assert!(begun.elapsed() < 4 * SECOND, "{:?}", begun.elapsed());
}

/// The series together prefetch as many pages as a single history.
#[tokio::test(start_paused = true)]
async fn several_histories_share_the_request_capacity() {
    let service = Service::new(|request, _| MockResponse { duration: 20 * SECOND, ..answer(request, |_| true) });
    let client = service.builder().rate_limit(RateLimit::none()).build().unwrap();
    let names = ["a", "b", "c", "d"];
    let mut all = MultiHistory::new();
    for name in names {
        all = all.add(name, symbol(&client, name).history(at(START)..at(START + 4900 * HOUR)).prefetch(12), |_| ());
    }
    assert_eq!(format!("{all:?}"), r#"["a", "b", "c", "d"]"#);
    assert!(tokio::time::timeout(SECOND, all.next()).await.is_err());
    assert_eq!(service.in_flight(), 12);
    // `MultiHistory` implements `Stream`.
    let mut stream = std::pin::pin!(all);
    let (_, page) = std::future::poll_fn(|cx| stream.as_mut().poll_next(cx)).await.unwrap();
    assert_eq!(page.unwrap().records.len(), 49);
}

/// The first pages of all series go before further pages.
#[tokio::test(start_paused = true)]
async fn every_series_begins_early() {
    let service = Service::new(|request, _| MockResponse { duration: SECOND, ..answer(request, |_| true) });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 1)).build().unwrap();
    let mut all = MultiHistory::new();
    for name in ["a", "b", "c", "d"] {
        all = all.add(name, symbol(&client, name).history(at(START)..at(START + 490 * HOUR)), |_| ());
    }
    assert!(tokio::time::timeout(5 * SECOND, async { while all.next().await.is_some() {} }).await.is_err());
    let symbols: Vec<_> =
        service.paths().iter().map(|path| path.split(['=', '&']).nth(1).unwrap().to_owned()).collect();
    assert_eq!(symbols[..4], ["a", "b", "c", "d"]);
}

#[tokio::test(start_paused = true)]
async fn row_has_no_value_of_an_ended_series() {
    let service = Service::new(|request, _| answer(request, |_| true));
    let client = service.client();
    let of = |name, hours| symbol(&client, name).history(at(START)..at(START + hours * HOUR));
    let mut table =
        MultiHistory::new().add("short", of("a", 3), |_| Some(())).add("long", of("b", 7), |_| Some(())).align();
    for hour in 0..7 {
        let row = table.next().await.unwrap().unwrap();
        assert_eq!(row.time, at(START + hour * HOUR));
        assert_eq!(row.cells, [(hour < 3).then_some(()), Some(())]);
    }
    assert!(table.next().await.is_none());
}

#[tokio::test]
async fn no_histories_yield_no_rows() {
    assert!(MultiHistory::<u8, u8>::new().next().await.is_none());
    assert!(MultiHistory::<u8, Option<u8>>::new().align().next().await.is_none());
}
