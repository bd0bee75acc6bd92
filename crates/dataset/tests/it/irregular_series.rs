//! Tests of a series whose records have no regular step, such as the releases of a statistic. Its ends are judged, and its
//! gaps are not.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dataset::{Backfill, FollowEvent, Summary};
use runtime::Timestamp;
use tokio::time::{Instant, sleep};

use crate::support::service::Client;
use crate::support::{
    DAY, END, HOUR, TARGETS, body, client_of, client_with, data_of, files, job, read, releases, run, run_cancelled,
    state_of, target_of, with,
};

/// The start of the range that most tests request. The first record is a month later.
const BEGIN: i64 = END - 900 * DAY;

/// The seconds of the year 2023, which has a file of its own.
fn year_2023() -> Range<i64> {
    let [start, end] = ["2023-01-01", "2024-01-01"].map(|day| day.parse::<Timestamp>().unwrap().unix_seconds());
    start..end
}

/// The page of records from which nobody can read a time stays unfetched, because no gap shows that they are missing.
#[tokio::test(start_paused = true)]
async fn the_range_of_a_record_without_a_readable_time_is_requested_again() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, fixed) = client_with(false, |is_fixed, _, from, to| {
            let body = body(from, to, |time| (time % (7 * HOUR) == 0).then(|| "0.5".to_owned()));
            let time = (END - 4 * DAY).div_euclid(7 * HOUR) * 7 * HOUR;
            let time = format!(r#""openDate":{time},"#);
            (200, if *is_fixed { body } else { body.replace(&time, r#""openDate":null,"#) })
        });
        let whole = job(vec![releases(&client)], END - 9 * DAY, END, &path);
        for _ in 0..3 {
            let summary = run(&whole).await;
            let report = &summary.series[0];
            assert!(report.unreadable > 0 && report.unfetched > 0, "{name}: {report:?}");
            assert_eq!(read(&path).len(), 30, "{name}: the other records are stored");
            let status = state_of(&path).await;
            assert!(status.series[0].missing > 0 && !status.series[0].unfetched.is_empty(), "{name}: {status:?}");
        }
        *fixed.lock().unwrap() = true;
        let summary = run(&whole).await;
        assert!(is_whole(&summary) && summary.series[0].unreadable == 0, "{name}: {summary:?}");
        assert_eq!((read(&path).len(), state_of(&path).await.series[0].unfetched.len()), (31, 0), "{name}");
    }
}

/// A service that keeps its own books. It has the records whose times are in the past, and sends at most 50 of them.
struct Service {
    records: BTreeMap<i64, String>,
    now: i64,
    /// Every request for times after this one fails.
    fails_after: i64,
    requests: u64,
}

#[derive(Clone)]
struct Books(Arc<Mutex<Service>>);

impl Books {
    /// Records with distances of one second to nine days, and none for 200 days.
    fn new() -> Self {
        let mut records = BTreeMap::new();
        let mut time = BEGIN + 30 * DAY;
        let mut number = 0;
        while time < END {
            records.insert(time, format!("{number}.5"));
            number += 1;
            time += [1, HOUR, 9 * DAY, 3 * HOUR + 17, DAY][number % 5];
            if number == 100 {
                time += 200 * DAY;
            }
        }
        Self(Arc::new(Mutex::new(Service { records, now: END, fails_after: i64::MAX, requests: 0 })))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Service) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    fn client(&self) -> Client {
        let books = self.clone();
        let clock = self.clone();
        let builder = client_of(move |_, from, to| {
            books.change(|service| {
                service.requests += 1;
                if to > service.fails_after {
                    return (503, "{}".to_owned());
                }
                let mut records = Vec::new();
                for (time, value) in service.records.range(from..=to.min(service.now).max(from)).take(50) {
                    records.push(format!(r#"{{"openDate":{time},"volumeRatio":{value}}}"#));
                }
                (200, data_of(&records))
            })
        });
        builder.clock(move || seconds(clock.change(|service| service.now))).build().unwrap()
    }

    fn job(&self, from: i64, to: i64, target: &Path) -> Backfill {
        job(vec![releases(&self.client())], from, to, target)
    }

    /// The records of a range.
    fn sent(&self, from: i64, to: i64) -> BTreeMap<i64, String> {
        self.change(|service| service.records.range(from..to).map(|(time, value)| (*time, value.clone())).collect())
    }

    fn requests(&self) -> u64 {
        self.change(|service| std::mem::take(&mut service.requests))
    }
}

/// The rows of a target, which has each once.
fn stored(path: &Path) -> BTreeMap<i64, String> {
    let rows = read(path);
    let mut stored = BTreeMap::new();
    for row in &rows {
        let time: Timestamp = row["openDate"].parse().unwrap();
        stored.insert(time.unix_seconds(), row["volumeRatio"].clone());
    }
    assert_eq!(stored.len(), rows.len());
    stored
}

fn seconds(time: i64) -> Timestamp {
    Timestamp::from_unix_seconds(time)
}

fn is_whole(summary: &Summary) -> bool {
    let report = &summary.series[0];
    summary.is_complete && (report.missing, report.unfetched, report.unrequested.len()) == (0, 0, 0)
}

#[tokio::test(start_paused = true)]
async fn a_second_run_requests_only_what_may_have_changed() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let books = Books::new();
        let all = books.sent(BEGIN, END);
        let whole = books.job(BEGIN, END, &path);
        let plan = whole.plan().await.unwrap();
        assert_eq!((plan.records(), plan.requests()), (None, 1), "{name}: only the first page can be planned");
        let summary = run(&whole).await;
        assert!(is_whole(&summary), "{name}: {summary:?}");
        let account = summary.series[0].account;
        assert_eq!((summary.records, account.delivered), (all.len() as u64, all.len() as u64), "{name}: {account:?}");
        assert_eq!(stored(&path), all, "{name}");
        assert!(books.requests() > 7, "{name}");

        // The service corrects the newest record, and an old one that nobody requests again.
        let last = *all.last_key_value().unwrap().0;
        books.change(|service| service.records.insert(last, "7.25".to_owned()));
        let summary = run(&whole).await;
        assert!(is_whole(&summary), "{name}: {summary:?}");
        let report = &summary.series[0];
        assert_eq!((summary.records, report.revised, stored(&path)), (0, 1, books.sent(BEGIN, END)), "{name}");
        assert!(books.requests() <= 5, "{name}: the last day, and the range before the first record");
    }
}

#[tokio::test(start_paused = true)]
async fn the_ends_are_judged_and_the_gaps_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let books = Books::new();
    run(&books.job(BEGIN, END, &path)).await;
    let names = files(&path);
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("orderflow.releases/irregular-202")), "{names:?}");
    let status = state_of(&path).await;
    assert!(status.damaged.is_empty(), "{status:?}");
    let series = &status.series[0];
    assert!(!series.interval.has_steps());
    assert_eq!((series.missing, series.gaps.len(), series.unrequested.len(), series.unfetched.len()), (0, 0, 0, 0));
    let all = books.sent(BEGIN, END);
    let first = seconds(*all.first_key_value().unwrap().0);
    let last = seconds(*all.last_key_value().unwrap().0);
    assert_eq!((series.rows, series.first, series.last), (all.len() as u64, Some(first), Some(last)));
    assert_eq!((series.end, series.behind(seconds(END + 100 * DAY)), series.spacing), (Some(last), None, None));
    assert_eq!(series.asked, Some(seconds(BEGIN)..seconds(END)));
    assert!(series.empty.len() <= 1, "only the range before the first record is empty: {:?}", series.empty);
}

#[tokio::test(start_paused = true)]
async fn a_range_that_fails_is_requested_again_also_between_records() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let books = Books::new();
        let middle = BEGIN + 400 * DAY;
        // The earliest and the latest part were fetched before.
        assert!(run(&books.job(BEGIN, middle - 100 * DAY, &path)).await.is_complete, "{name}");
        assert!(run(&books.job(middle + 100 * DAY, END, &path)).await.is_complete, "{name}");
        let status = state_of(&path).await;
        assert_eq!(status.series[0].unrequested, [seconds(middle - 100 * DAY)..seconds(middle + 100 * DAY)], "{name}");

        books.change(|service| service.fails_after = middle);
        let whole = books.job(BEGIN, END, &path);
        let summary = run(&whole).await;
        assert!(!summary.is_complete && summary.series[0].unfetched > 0, "{name}: {summary:?}");
        let status = state_of(&path).await;
        let series = &status.series[0];
        assert!(series.missing > 0 && !series.unfetched.is_empty(), "{name}: {series:?}");

        books.change(|service| service.fails_after = i64::MAX);
        let summary = run(&whole).await;
        assert!(is_whole(&summary), "{name}: {summary:?}");
        assert_eq!(stored(&path), books.sent(BEGIN, END), "{name}");
        assert_eq!(state_of(&path).await.series[0].missing, 0, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_after_a_cancelled_run_completes_the_series() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let books = Books::new();
        let whole = books.job(BEGIN, END, &path);
        run_cancelled(&whole).await;
        let status = state_of(&path).await;
        assert!(status.pending > 0 || !status.series[0].unfetched.is_empty(), "{name}: {status:?}");
        assert!(is_whole(&run(&whole).await), "{name}");
        assert_eq!(stored(&path), books.sent(BEGIN, END), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn rows_of_a_missing_file_are_fetched_again_or_reported_as_lost() {
    for is_served in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data/");
        let books = Books::new();
        let whole = books.job(BEGIN, END, &path);
        run(&whole).await;
        let all = stored(&path);
        let file = path.join("orderflow.releases/irregular-2023.parquet");
        fs::remove_file(&file).unwrap();
        let Range { start, end } = year_2023();
        let of_file = all.range(start..end).count();
        let status = state_of(&path).await;
        assert!(status.damaged[0].contains(&format!("with its {of_file} rows")), "{status:?}");
        if !is_served {
            books.change(|service| service.records.retain(|time, _| !(start..end).contains(time)));
        }
        let summary = run(&whole).await;
        assert_eq!(
            (stored(&path) == all, summary.lost_rows.len()),
            (is_served, usize::from(!is_served)),
            "{summary:?}"
        );
        assert_eq!(state_of(&path).await.lost_rows.len(), usize::from(!is_served));
    }
}

/// The first and the last of the lost rows do not show that those between them are back.
#[tokio::test(start_paused = true)]
async fn rows_between_those_that_were_fetched_again_stay_lost() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let books = Books::new();
    let whole = books.job(BEGIN, END, &path);
    run(&whole).await;
    let all = stored(&path);
    let file = path.join("orderflow.releases/irregular-2023.parquet");
    let copy = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let Range { start, end } = year_2023();
    let of_file: Vec<i64> = all.range(start..end).map(|(time, _)| *time).collect();
    let (first, last) = (of_file[0], of_file[of_file.len() - 1]);
    books.change(|service| service.records.retain(|time, _| *time <= first || *time >= last));
    for _ in 0..2 {
        let summary = run(&whole).await;
        assert_eq!(summary.lost_rows.len(), 1, "{summary:?}");
        assert_eq!(state_of(&path).await.lost_rows.len(), 1);
    }
    // The service has some of them again, and then all.
    for (is_half, lost) in [(true, 1), (false, 0)] {
        books.change(|service| {
            service.records = all.clone();
            if is_half {
                service.records.retain(|time, _| *time <= first || *time >= last || time % 2 == 0);
            }
        });
        run(&with(books.job(BEGIN, END, &path), |job| job.refetch = Duration::from_secs(900 * 86_400))).await;
        assert_eq!(state_of(&path).await.lost_rows.len(), lost, "{is_half}");
    }
    assert_eq!(stored(&path), all);
    // A copy of the file brings the rows back, too.
    books.change(|service| service.records.retain(|time, _| *time <= first || *time >= last));
    fs::remove_file(&file).unwrap();
    assert_eq!(run(&whole).await.lost_rows.len(), 1);
    fs::write(&file, copy).unwrap();
    assert_eq!(state_of(&path).await.lost_rows.len(), 0);
    assert_eq!((run(&whole).await.lost_rows.len(), stored(&path)), (0, all));
}

#[tokio::test(start_paused = true)]
async fn a_data_set_without_its_state_is_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let books = Books::new();
    let whole = books.job(BEGIN, END, &path);
    run(&whole).await;
    let all = stored(&path);
    fs::remove_dir_all(path.join(".backfill")).unwrap();
    assert_eq!(dataset::adopt(&target_of(&path)).await.unwrap().series.len(), 1);
    let status = state_of(&path).await;
    assert_eq!((status.series[0].rows, status.series[0].missing), (all.len() as u64, 0), "{status:?}");
    books.requests();
    let summary = run(&whole).await;
    assert!(is_whole(&summary) && summary.records == 0, "{summary:?}");
    assert!(books.requests() <= 12, "the ends of the files are requested again");
    assert_eq!(stored(&path), all);
}

#[tokio::test(start_paused = true)]
async fn a_retired_series_is_not_requested() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let books = Books::new();
        run(&books.job(BEGIN, END - 10 * DAY, &path)).await;
        let all = stored(&path);
        dataset::retire(&target_of(&path), |_| true, true).await.unwrap();
        books.requests();
        let summary = run(&books.job(BEGIN, END, &path)).await;
        assert_eq!((summary.is_complete, books.requests(), stored(&path) == all), (true, 0, true), "{name}");
        dataset::retire(&target_of(&path), |_| true, false).await.unwrap();
        assert!(is_whole(&run(&books.job(BEGIN, END, &path)).await), "{name}");
        assert_eq!(stored(&path), books.sent(BEGIN, END), "{name}");
    }
}

/// Without a regular step, nobody knows when the next record is due.
#[tokio::test(start_paused = true)]
async fn new_records_are_in_the_files_after_the_time_between_two_writes() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let books = Books::new();
        let begun = Instant::now();
        let now = move || END + i64::try_from(begun.elapsed().as_secs()).unwrap();
        books.change(|service| service.records.extend([(END + 100, "1.5".to_owned()), (END + 700, "2.5".to_owned())]));
        let whole = with(books.job(BEGIN, END, &path), |job| {
            job.range.end = Backfill::OPEN_END;
            job.service_time = None;
        });
        let follow = async {
            let mut added = Vec::new();
            let watch = |event: FollowEvent<'_>| match event {
                FollowEvent::Run(summary) => assert!(summary.is_complete, "{summary:?}"),
                FollowEvent::Compacted { records, .. } => added.push(records),
                other => panic!("{other:?}"),
            };
            whole.follow(Duration::from_secs(300), watch, sleep(Duration::from_secs(1000))).await.unwrap();
            added
        };
        let clock = async {
            loop {
                sleep(Duration::from_secs(1)).await;
                books.change(|service| service.now = now());
            }
        };
        let added = tokio::select! { added = follow => added, () = clock => unreachable!() };
        assert_eq!(added, [1, 1], "{name}");
        assert_eq!(stored(&path), books.sent(BEGIN, END + 1000), "{name}");
    }
}
