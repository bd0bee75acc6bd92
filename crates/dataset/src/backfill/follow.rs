//! Keeps a target up to date: followers deliver new records, which are written to the journal soon, and to the data
//! files later.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::{Pin, pin};
use std::time::Duration;

use runtime::history::{Follow, Page, Update};
use runtime::record::AnyRecord;
use runtime::{Dynamic, Error as RequestError, Timestamp};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep, sleep_until};

use super::buffered_pages::RangeId;
use super::event::{BackfillEvent, FollowEvent};
use super::job::{Backfill, MAX_JOURNAL};
use super::job_tables::JobTables;
use crate::error::Error;
use crate::lock::Lock;
use crate::table_journal::WritingRun;

/// Interval at which delivered records are written, so that those of many series are written to one file of the
/// journal.
const COLLECT: Duration = Duration::from_secs(10);

/// Time between two runs that request the refetch time and gaps again.
const RUN_EVERY: Duration = Duration::from_secs(3600);

/// Time for which a cancelled job waits for another run of the target.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The shortest and the longest pause after an error of a series.
const PAUSES: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(3600)];

/// A follower of a series.
struct Follower {
    series: usize,
    /// The last record before those of the follower.
    last: Option<Timestamp>,
    records: Follow<Dynamic>,
    /// The pause after the last error; zero after a success.
    pause: Duration,
}

type FollowerUpdate = (Follower, Result<Update<AnyRecord>, RequestError>);

struct Following<'j, W> {
    job: &'j Backfill,
    watch: W,
    /// Each follower waits for its next update in its own task.
    followers: JoinSet<FollowerUpdate>,
    /// The task of each series that is followed, which is not retired.
    tasks: BTreeMap<usize, AbortHandle>,
    /// `true` after the first run, which may fail at once.
    has_begun: bool,
    /// Delivered pages that are not in the journal yet, with the indices of their series.
    pages: Vec<(usize, Page<AnyRecord>)>,
    /// Number of delivered records that are not in the files yet.
    pending: u64,
    run_at: Instant,
    /// The end of the last long pause that the service has requested.
    paused_until: Instant,
    compact_at: Instant,
    compact_every: Duration,
}

impl Backfill {
    /// Keeps the target up to date until `cancel` completes.
    ///
    /// After a complete [run](Self::run), a [follower](runtime::history::Follow) of each series delivers each new
    /// record when it is published. Within ten seconds, the record is written to the journal, which readers do not see,
    /// and after at most `compact_every`, or ten seconds if that is shorter, to the files. Each hour, a further run
    /// requests the records of the [refetch time](Self::refetch) and gaps again; records that are delivered while it is
    /// in progress are written after it. The end of the [range](Self::range) must be [`Self::OPEN_END`]; a series whose
    /// [own range](crate::SeriesRequest::within) ends is fetched by the runs and not followed. The new records of a series
    /// without a regular step are fetched each `compact_every`, because nobody knows when the next one is due.
    ///
    /// If the service requests a [long pause](RequestError::is_long_pause_of_client) of the client, the next request is sent
    /// after it. An error of the target, and a rejected key or token (401 or 403), end the call.
    ///
    /// If the process is killed, the next call continues from the newest record in the target. If the service rejects a
    /// series for another reason, the others continue, and the series is requested again after pauses of a minute to an
    /// hour. If another run is writing the target when a record is delivered, the record is written after that run; if that
    /// run is still writing ten seconds after `cancel` completes, the next run adds or requests the record. A series that a
    /// user [retires](crate::retire()) is no longer followed from the next write on, and again after the run of an hour if
    /// the user has ended that. If another process follows one of the series, [`Error::InUse`] names that process; in a
    /// bucket, both follow it.
    pub async fn follow(
        &self,
        compact_every: Duration,
        watch: impl FnMut(FollowEvent<'_>),
        cancel: impl Future<Output = ()>,
    ) -> Result<(), Error> {
        if self.range.end < Self::OPEN_END {
            return Err(Error::invalid_input("a range that is followed must end at `OPEN_END`"));
        }
        let _locks = self.lock_followed().await?;
        let now = Instant::now();
        let compact_every = compact_every.max(COLLECT);
        let mut this = Following {
            job: self,
            watch,
            followers: JoinSet::new(),
            tasks: BTreeMap::new(),
            has_begun: false,
            pages: Vec::new(),
            pending: 0,
            run_at: now,
            paused_until: now,
            compact_at: now + compact_every,
            compact_every,
        };
        let ended = this.follow_until(pin!(cancel)).await;
        if ended.is_err() && !this.has_begun {
            return ended;
        }
        let written = this.finish().await;
        ended.and(written)
    }

    /// Locks the series for this process. Another process may follow other series of the same tables.
    async fn lock_followed(&self) -> Result<Vec<Lock>, Error> {
        let target = self.target.to_string();
        let mut locks = Vec::new();
        for table in JobTables::open(self, false).await?.tables.into_values() {
            let mut series = BTreeSet::new();
            for one in &table.series {
                series.insert(one.path().to_owned());
            }
            if let Some(path) = table.place.lock() {
                locks.push(Lock::follow(&target, &path, series)?);
            }
        }
        Ok(locks)
    }

    /// The indices of the series without a regular step.
    fn irregular_series(&self) -> BTreeSet<usize> {
        let mut irregular = BTreeSet::new();
        for (index, series) in self.series.iter().enumerate() {
            if !series.interval().has_steps() {
                irregular.insert(index);
            }
        }
        irregular
    }
}

impl<W: FnMut(FollowEvent<'_>)> Following<'_, W> {
    /// Follows all series until the job is cancelled.
    async fn follow_until(&mut self, mut cancel: Pin<&mut impl Future<Output = ()>>) -> Result<(), Error> {
        loop {
            match self.write_due(cancel.as_mut()).await {
                Ok(false) => {}
                Ok(true) => return Ok(()),
                // The records are kept until the other run has ended.
                Err(Error::InUse { .. }) if self.has_begun => {}
                Err(error) => return Err(error),
            }
            let next_write = Instant::now() + COLLECT;
            loop {
                tokio::select! {
                    biased;
                    () = cancel.as_mut() => return Ok(()),
                    Some(next) = self.followers.join_next() => match next {
                        Ok(next) => self.note_update(next)?,
                        Err(retired) if retired.is_cancelled() => {}
                        Err(panic) => return Err(Error::storage(&self.job.target, panic)),
                    },
                    () = sleep_until(next_write) => break,
                }
            }
        }
    }

    /// Writes what is due, or runs the complete job. Returns whether the job was cancelled.
    async fn write_due(&mut self, cancel: Pin<&mut impl Future<Output = ()>>) -> Result<bool, Error> {
        let now = Instant::now();
        let is_run_due = self.run_at <= now;
        // The next write may be too late.
        let is_compact_due = self.compact_at < now + COLLECT;
        if is_run_due || is_compact_due {
            // A run counts the records that it adds to the files, and those in the journal have been counted.
            self.compact().await?;
        } else {
            self.append_to_journal().await?;
        }
        if is_run_due {
            self.run(cancel).await
        } else if is_compact_due {
            self.fetch_irregular(cancel).await
        } else {
            Ok(false)
        }
    }

    /// Fetches the new records of series without a regular step, which no follower delivers. Returns whether the job was
    /// cancelled.
    async fn fetch_irregular(&mut self, cancel: Pin<&mut impl Future<Output = ()>>) -> Result<bool, Error> {
        let irregular = self.job.irregular_series();
        if irregular.is_empty() || Instant::now() < self.paused_until {
            return Ok(false);
        }
        // The run of an hour requests the refetch time again. A run of some series does not show which series the job
        // has, so it has no name.
        let job = Backfill { refetch: Duration::ZERO, name: None, ..self.job.clone() };
        let mut is_cancelled = false;
        let cancelled = async {
            cancel.await;
            is_cancelled = true;
        };
        let watch = &mut self.watch;
        let summary = job.run_only(&irregular, |event| forward_repairs(event, watch), cancelled).await?;
        if summary.records > 0 {
            (self.watch)(FollowEvent::Compacted { records: summary.records });
        }
        if summary.is_paused {
            self.note_pause(summary.page_error.as_ref());
        }
        // The run of an hour also reports the series without any record.
        let has_failed =
            summary.is_unreachable || summary.is_paused || summary.failed_pages > 0 || !summary.failed.is_empty();
        if !is_cancelled && has_failed {
            (self.watch)(FollowEvent::Run(summary));
        }
        Ok(is_cancelled)
    }

    /// Runs the job, and begins to follow each series from its newest record on.
    async fn run(&mut self, cancel: Pin<&mut impl Future<Output = ()>>) -> Result<bool, Error> {
        let mut is_cancelled = false;
        let cancelled = async {
            cancel.await;
            is_cancelled = true;
        };
        let watch = &mut self.watch;
        let ended = self.job.run(|event| forward_repairs(event, watch), cancelled).await;
        // In a bucket, another run may have written the state. What this run has fetched is in the journal.
        if is_cancelled && matches!(ended, Err(Error::InUse { .. })) {
            return Ok(true);
        }
        let summary = ended?;
        self.has_begun |= !is_cancelled;
        // After a pause, the next run begins to follow the series.
        if !is_cancelled && !summary.is_paused {
            for (series, report) in summary.series.iter().enumerate() {
                // A user can retire a series, and end that, at any time.
                if report.is_retired {
                    self.end_follower(series);
                } else if !self.tasks.contains_key(&series) {
                    self.begin_follower(series, report.last, Duration::ZERO);
                }
            }
        }
        let now = Instant::now();
        self.run_at = now + RUN_EVERY;
        if summary.is_paused {
            // The run has not fetched everything.
            self.run_at = now;
            self.note_pause(summary.page_error.as_ref());
        }
        (self.watch)(FollowEvent::Run(summary));
        self.compact_at = Instant::now() + self.compact_every;
        Ok(is_cancelled)
    }

    /// Notes that the service has requested a long pause of the client. Runs begin after it.
    fn note_pause(&mut self, error: Option<&RequestError>) {
        let Some(error) = error.filter(|error| error.is_long_pause_of_client()) else { return };
        self.paused_until = Instant::now() + error.long_pause().unwrap_or_default();
        self.run_at = self.run_at.max(self.paused_until);
    }

    /// Begins to follow a series after its last record.
    fn begin_follower(&mut self, series: usize, last: Option<Timestamp>, pause: Duration) {
        let Some(one) = self.job.series.get(series) else { return };
        let range = self.job.range_of(one);
        // A run has fetched all records of a series whose range ends. Those without a regular step are fetched by runs.
        if range.end < Backfill::OPEN_END || !one.interval().has_steps() {
            return;
        }
        let interval = one.interval();
        let now = one.request().service_time();
        let from = match last {
            // The stored records may be in the future, by a clock that was ahead.
            Some(last) => interval.moved(last, 1).min(interval.end_of(now)),
            // Without a record, the range begins with the interval that is open now if the clock of this machine is ahead.
            None => range.start.min(interval.start_of(now)),
        };
        let records = Follow::new(self.job.request(one), from);
        self.wait_for_update(Follower { series, last, records, pause });
    }

    /// Waits for the next update of a follower.
    fn wait_for_update(&mut self, mut follower: Follower) {
        let series = follower.series;
        let task = self.followers.spawn(async move {
            sleep(follower.pause).await;
            let update = follower.records.next().await;
            (follower, update)
        });
        self.tasks.insert(series, task);
    }

    /// Ends the follower of a series that a user has retired.
    fn end_follower(&mut self, series: usize) {
        if let Some(task) = self.tasks.remove(&series) {
            task.abort();
            (self.watch)(FollowEvent::Retired { series });
        }
    }

    /// Keeps the records of an update until they are written.
    fn note_update(&mut self, (mut follower, update): FollowerUpdate) -> Result<(), Error> {
        let series = follower.series;
        // The series was retired while the update was delivered.
        if !self.tasks.contains_key(&series) {
            return Ok(());
        }
        match update {
            Ok(update) => {
                (self.watch)(FollowEvent::Update { series, update: &update });
                if let Update::Outage { error, .. } = &update {
                    self.note_pause(Some(error));
                }
                if let Update::Records(page) | Update::Late(page) = update {
                    self.pages.push((series, page));
                }
                follower.pause = Duration::ZERO;
            }
            Err(error) if error.is_auth() || error.is_token() => return Err(error.into()),
            Err(error) => {
                (self.watch)(FollowEvent::Failed { series, error });
                let [shortest, longest] = PAUSES;
                follower.pause = (follower.pause * 2).clamp(shortest, longest);
                // The start may have been in the future, by a clock that is ahead.
                if follower.records.checkpoint().is_none() {
                    self.begin_follower(series, follower.last, follower.pause);
                    return Ok(());
                }
            }
        }
        self.wait_for_update(follower);
        Ok(())
    }

    /// Writes the delivered pages to the journal.
    async fn append_to_journal(&mut self) -> Result<(), Error> {
        if !self.pages.is_empty() {
            let mut job_tables = JobTables::open(self.job, true).await?;
            self.report_repairs(job_tables.repairs());
            self.end_retired(&job_tables);
            for (number, (series, page)) in self.pages.iter().enumerate() {
                let Some(one) = self.job.series.get(*series) else { continue };
                // An invalid record is outside the range of its page, because its interval is requested again.
                let closed = self.job.range_of(one).start..one.closed(one.request().service_time());
                // The pages are kept until they are written.
                job_tables.buffer_page(RangeId { series: *series, number }, page, &closed)?;
            }
            let started = Timestamp::now();
            job_tables
                .write_journals(&WritingRun { started, refetch: self.job.refetch, reached: self.job.reached(started) })
                .await?;
            self.pending += self.pages.iter().map(|(_, page)| page.records.len() as u64).sum::<u64>();
            if job_tables.journal_files() >= MAX_JOURNAL {
                self.compact_at = Instant::now();
            }
            self.pages.clear();
        }
        Ok(())
    }

    fn report_repairs(&mut self, repairs: Vec<String>) {
        if !repairs.is_empty() {
            (self.watch)(FollowEvent::Repaired { repairs });
        }
    }

    /// Ends the followers of series that a user has retired since the last write, and drops their records.
    fn end_retired(&mut self, job_tables: &JobTables) {
        for (series, state) in job_tables.states_with_journal().iter().enumerate() {
            if state.retired.is_some() {
                self.end_follower(series);
                self.pages.retain(|(other, _)| *other != series);
            }
        }
    }

    /// Adds all delivered records to the files after the job was cancelled. If another run keeps writing the target,
    /// the next run adds or requests them.
    async fn finish(&mut self) -> Result<(), Error> {
        let end = Instant::now() + MAX_WAIT;
        loop {
            match self.compact().await {
                Err(Error::InUse { .. }) if Instant::now() < end => sleep(Duration::from_secs(1)).await,
                Err(Error::InUse { .. }) => return Ok(()),
                written => return written,
            }
        }
    }

    /// Adds all delivered records to the files.
    async fn compact(&mut self) -> Result<(), Error> {
        self.append_to_journal().await?;
        let repairs = self.job.compact().await?;
        self.report_repairs(repairs);
        self.compact_at = Instant::now() + self.compact_every;
        let records = std::mem::take(&mut self.pending);
        if records > 0 {
            (self.watch)(FollowEvent::Compacted { records });
        }
        Ok(())
    }
}

/// Reports files that a run has moved aside.
fn forward_repairs(event: &BackfillEvent, watch: &mut impl FnMut(FollowEvent<'_>)) {
    if let BackfillEvent::Repaired { repairs, .. } = event {
        watch(FollowEvent::Repaired { repairs: repairs.clone() });
    }
}
