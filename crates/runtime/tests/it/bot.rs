//! A bot of two symbols and two timeframes, written as in the recipe "Never miss a bar", for a time in which the service,
//! its dates, the machine and its clock have every trouble, and in which the bot restarts at twenty random moments.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fastrand::Rng;
use runtime::history::Update;
use runtime::transport::HttpRequest;
use runtime::{Error, ErrorKind, RateLimit, Timestamp};
use test_service::invented::{Client, Timeframe};
use test_service::scripted::{MockResponse, Service, failure, reply};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::ranges::{HOUR, START, answer_every, at, query};

const DAY: i64 = 24 * HOUR;

/// A time of troubles. All times are in seconds after `START`.
struct World {
    begun: Instant,
    /// The times, on the clock of the machine that stands still while it is suspended, and the lengths of suspends.
    suspends: Vec<(i64, i64)>,
    /// The periods in which the wall clock is wrong, the service fails or publishes nothing.
    wrong: Vec<(i64, i64)>,
    failing: Vec<(i64, i64)>,
    refusing: Vec<(i64, i64)>,
    silent: Vec<(i64, i64)>,
}

fn within(periods: &[(i64, i64)], time: i64) -> Option<i64> {
    periods.iter().find(|(from, length)| (*from..from + length).contains(&time)).map(|(from, length)| from + length)
}

/// Returns a number that looks random.
fn hash(number: i64) -> i64 {
    i64::from(Rng::with_seed(number.unsigned_abs()).u32(..))
}

impl World {
    fn new(rng: &mut Rng, length: i64) -> Self {
        let mut periods = |count, max| {
            let mut periods: Vec<_> = (0..count).map(|_| (rng.i64(DAY..length - DAY), rng.i64(60..max))).collect();
            periods.sort_unstable();
            periods
        };
        Self {
            begun: Instant::now(),
            suspends: periods(5, 8 * HOUR),
            wrong: periods(5, 6 * HOUR),
            failing: periods(5, 3 * HOUR),
            refusing: periods(5, 3 * HOUR),
            silent: periods(5, 2 * HOUR),
        }
    }

    fn time(&self) -> Timestamp {
        let awake = self.begun.elapsed();
        let is_over = |(from, _): &&(i64, i64)| *from <= i64::try_from(awake.as_secs()).unwrap();
        let asleep: i64 = self.suspends.iter().filter(is_over).map(|(_, length)| length).sum();
        at(START) + awake + Duration::from_secs(asleep.unsigned_abs())
    }

    fn now(&self) -> i64 {
        self.time().unix_seconds() - START
    }

    fn machine(&self) -> Timestamp {
        let error = if within(&self.wrong, self.now()).is_some() { 7200 } else { 0 };
        self.time() + Duration::from_secs(error)
    }

    /// Returns whether nothing but single requests is wrong at a time, nor ten minutes before and after it, nor in the
    /// four intervals before it, from which the follower learns.
    fn is_calm(&self, time: i64, step: i64) -> bool {
        let mut asleep = 0;
        let suspends = self.suspends.iter().map(|(from, length)| {
            asleep += length;
            (from + asleep - length, *length)
        });
        let others = [&self.wrong, &self.failing, &self.refusing, &self.silent].into_iter().flatten().copied();
        suspends.chain(others).all(|(from, length)| !(from - 600..from + length + 600 + 4 * step).contains(&time))
    }

    /// Returns when the record of an interval is published; `None` if never. One in fifty is published after the next.
    fn published(&self, step: i64, bar: i64) -> Option<i64> {
        let late = match hash(bar * step) % 1000 {
            0..940 => 0,
            940..960 => hash(bar) % 40,
            960..980 => step + 30,
            980..998 => hash(bar) % (5 * step).min(HOUR),
            _ => return None,
        };
        let published = (bar + 1) * step + late;
        Some(within(&self.silent, published).unwrap_or(published))
    }

    fn respond(&self, request: &HttpRequest, number: usize) -> MockResponse {
        let (now, number) = (self.now(), i64::try_from(number).unwrap());
        if within(&self.failing, now).is_some() || hash(number) % 200 == 0 {
            return reply(503, &[], "{}");
        }
        if within(&self.refusing, now).is_some() {
            return failure(ErrorKind::Connect);
        }
        let step = if query(request)["timeframe"] == "1m" { 60 } else { HOUR };
        let age = if hash(number) % 10 == 1 { hash(number) % 30 } else { 0 };
        let mut mock = answer_every(request, step, |time| {
            let (time, now) = (time - START, now - age);
            let published = self.published(step, time / step).is_some_and(|published| published <= now);
            time >= 0 && (published || (time..time + step).contains(&now))
        });
        let error = if hash(number) % 100 == 7 { hash(number) % (10 * DAY) - 5 * DAY } else { 0 };
        let date = httpdate::fmt_http_date(at(START + now - age + error).try_into().unwrap());
        let headers = &mut mock.outcome.as_mut().unwrap().headers;
        if hash(number) % 20 > 0 {
            headers.insert("date", &date).unwrap();
            headers.insert("age", &age.to_string()).unwrap();
        }
        mock
    }
}

/// What the bot has printed and saved for a series.
#[derive(Default)]
struct Output {
    bars: Vec<i64>,
    /// The times from the publication of a punctual record to its delivery, if nothing was wrong meanwhile.
    delays: Vec<i64>,
    gaps: Vec<i64>,
    checkpoint: Option<String>,
}

async fn bot(client: Client, symbol: &str, step: i64, world: Arc<World>, output: &Mutex<Output>) -> Result<(), Error> {
    let timeframe = if step == 60 { Timeframe::M1 } else { Timeframe::H1 };
    let mut updates = client.market().ratio().symbol(symbol).timeframe(timeframe).follow(at(START));
    if let Some(checkpoint) = &output.lock().unwrap().checkpoint {
        updates = updates.resume(checkpoint.parse().unwrap());
    }
    loop {
        let update = updates.next().await?;
        let Some(page) = update.page() else {
            assert!(
                matches!(update, Update::Outage { .. } | Update::Recovered { .. } | Update::Silent { .. }),
                "{update:?}"
            );
            continue;
        };
        let bar = |time: Timestamp| (time.unix_seconds() - START) / step;
        let mut output = output.lock().unwrap();
        for record in &page.records {
            let bar = bar(record.open_date);
            assert!((bar + 1) * step <= world.now(), "bar {bar} was open");
            output.bars.push(bar);
            let published = world.published(step, bar).unwrap();
            if published <= (bar + 1) * step + 40 && world.is_calm(published, step) {
                output.delays.push(world.now() - published);
            }
        }
        for gap in &page.report.gaps {
            output.gaps.extend(bar(gap.range.start)..bar(gap.range.end));
        }
        output.checkpoint = Some(page.checkpoint.to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn a_bot_receives_every_bar_of_a_bad_week_once() {
    check(7 * DAY).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "takes a minute"]
async fn a_bot_receives_every_bar_of_a_bad_month_once() {
    check(30 * DAY).await;
}

async fn check(length: i64) {
    let mut rng = Rng::with_seed(7);
    let world = Arc::new(World::new(&mut rng, length));
    let script = world.clone();
    let service = Service::new(move |request, number| script.respond(request, number));
    let series = ["B", "E"].into_iter().flat_map(|symbol| [60, HOUR].map(|step| (symbol, step)));
    let series: Vec<_> = series.map(|(symbol, step)| (symbol, step, Arc::new(Mutex::new(Output::default())))).collect();
    let mut restarts: Vec<i64> = (0..20).map(|_| rng.i64(0..length)).collect();
    restarts.sort_unstable();
    for end in restarts.into_iter().chain([length]) {
        let machine = world.clone();
        let limit = RateLimit::new(10, Duration::from_secs(1), 20);
        let client = service.builder().rate_limit(limit).clock(move || machine.machine()).build().unwrap();
        let mut bots = JoinSet::new();
        for (symbol, step, output) in series.clone() {
            let (client, world) = (client.clone(), world.clone());
            bots.spawn(async move { bot(client, symbol, step, world, &output).await });
        }
        // A wrong wall clock and a wrong first `Date` together cannot be detected.
        let is_over = |now| now >= end && [now, now + 60].iter().all(|now| within(&world.wrong, *now).is_none());
        while !is_over(world.now()) {
            tokio::time::sleep(Duration::from_secs(17)).await;
            assert!(bots.try_join_next().is_none(), "a bot has ended");
        }
    }
    for (symbol, step, output) in series {
        let Output { bars, gaps, delays, .. } = &mut *output.lock().unwrap();
        let last = length / step - 20;
        let sorted: BTreeSet<i64> = bars.iter().copied().collect();
        assert_eq!(sorted.len(), bars.len(), "{symbol} {step}: a bar was delivered twice");
        let expected = (0..last).filter(|bar| world.published(step, *bar).is_some());
        assert!(sorted.range(..last).copied().eq(expected), "{symbol} {step}: bars are missing");
        let expected = (0..last).filter(|bar| world.published(step, *bar).is_none());
        assert!(gaps.iter().copied().filter(|bar| *bar < last).eq(expected), "{symbol} {step}: {gaps:?}");
        delays.sort_unstable();
        let p99 = delays[(delays.len() - 1) * 99 / 100];
        assert!(p99 <= 60, "{symbol} {step}: 99 % of {} delays are at most {p99} s", delays.len());
    }
}
