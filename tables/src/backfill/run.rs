//! A run fetches the ranges of its plan, some concurrently, and merges their rows with the existing ones.
//!
//! The input is a plan; the output is files and events. The client's history decides which pages are requested.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use arrow_array::RecordBatch;
use runtime::history::{MultiHistory, Page, Progress};
use runtime::record::AnyRecord;
use runtime::{Error as RequestError, Timestamp};
use tokio::time::{Instant, sleep};

use super::Backfill;
use super::agreed::Agreed;
use super::event::{BackfillEvent, SeriesReport, Summary};
use super::pending::{Pending, read_invalid};
use super::plan::{self, SeriesPlan};
use crate::columns::{Columns, ENDPOINT};
use crate::coverage::Coverage;
use crate::error::Error;
use crate::join;
use crate::merge::{Changes, merge, times};
use crate::parquet_file::ParquetFile;
use crate::series::SeriesRequest;
use crate::state::{FILE, Known, SeriesState};
use crate::store::{Inventory, Store, file_path, without};
use crate::table_schema::TableSchema;

/// Number of ranges that are fetched concurrently: each keeps pages and a partition in memory.
const TOGETHER: usize = 16;

/// A run ends after this time without a response …
const UNREACHABLE: Duration = Duration::from_secs(120);

/// … and reports trouble after this time.
const TROUBLE: Duration = Duration::from_secs(10);

/// The most dropped records of a series that later runs do not report again.
const MAX_DROPPED: usize = 1000;

/// A range of a series.
struct Item {
    series: usize,
    range: Range<Timestamp>,
}

type Shared = Arc<Mutex<Progress>>;

/// The state of a run.
struct Run<'j, W> {
    job: &'j Backfill,
    store: &'j Store,
    watch: W,
    /// The columns of series without a table of fields.
    agreed: Agreed,
    series: Vec<SeriesRun>,
    has_begun: bool,
    /// The time when the service stopped responding, if that was reported.
    trouble: Option<Instant>,
    has_response: bool,
    summary: Summary,
}

/// The state of a series in a run.
struct SeriesRun {
    state: SeriesState,
    known: Known,
    /// The progress of the ranges that are finished, and the rest of the others.
    done: Progress,
    /// Ranges whose rows are written.
    written: Coverage,
    /// Checksums of dropped records that no run has reported.
    dropped: BTreeSet<u32>,
    report: SeriesReport,
}

/// The outcome of the requests of a chunk.
#[derive(PartialEq)]
enum Ended {
    Done,
    Cancelled,
    Unreachable,
}

pub(super) async fn run(
    job: &Backfill,
    store: &Store,
    watch: impl FnMut(&BackfillEvent),
    cancel: impl Future<Output = ()>,
) -> Result<Summary, Error> {
    let begun = Instant::now();
    let planned = plan::planned(job, store).await?;
    let items = items(&planned);
    let mut run = Run::new(job, store, watch, &planned);
    run.widen(&planned).await?;
    let mut cancel = pin!(cancel);
    for chunk in items.chunks(TOGETHER) {
        match run.chunk(chunk, cancel.as_mut()).await? {
            Ended::Done => continue,
            Ended::Cancelled => run.summary.is_cancelled = true,
            Ended::Unreachable => run.summary.is_unreachable = true,
        }
        break;
    }
    run.finish(begun).await
}

/// The ranges of all series, interleaved so that no series waits for all of another.
fn items(planned: &[(SeriesPlan, Inventory)]) -> Vec<Item> {
    let mut turns: Vec<(usize, Item)> = Vec::new();
    for (series, (plan, _)) in planned.iter().enumerate() {
        let item = |range: &Range<Timestamp>| Item { series, range: range.clone() };
        turns.extend(plan.missing.iter().chain(&plan.gaps).map(item).enumerate());
    }
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, item)| item).collect()
}

impl SeriesRun {
    fn new((plan, inventory): &(SeriesPlan, Inventory)) -> Self {
        let mut done = Progress::default();
        done.pages_left = plan.requests;
        let report = SeriesReport { path: plan.path.clone(), ..SeriesReport::default() };
        let (state, written) = (inventory.state.clone(), Coverage::default());
        Self { known: inventory.known(), state, done, written, dropped: BTreeSet::new(), report }
    }
}

impl<'j, W: FnMut(&BackfillEvent)> Run<'j, W> {
    fn new(job: &'j Backfill, store: &'j Store, watch: W, planned: &[(SeriesPlan, Inventory)]) -> Self {
        let mut agreed = Agreed::default();
        for (series, (_, inventory)) in job.series.iter().zip(planned) {
            if let Some(schema) =
                inventory.schema.as_ref().filter(|_| TableSchema::for_endpoint(series.endpoint()).is_none())
            {
                agreed.note(series, schema.clone());
            }
        }
        Self {
            job,
            store,
            watch,
            agreed,
            series: planned.iter().map(SeriesRun::new).collect(),
            has_begun: false,
            trouble: None,
            has_response: false,
            summary: Summary::default(),
        }
    }

    fn series(&mut self, index: usize) -> Option<(&'j SeriesRequest, &mut SeriesRun)> {
        self.job.series.get(index).zip(self.series.get_mut(index))
    }

    /// Rewrites the files of series whose columns now have wider types, so that all files of a series have the same
    /// types.
    async fn widen(&mut self, planned: &[(SeriesPlan, Inventory)]) -> Result<(), Error> {
        let planned = if self.store.single.is_none() { planned } else { &[] };
        for (index, (_, inventory)) in planned.iter().enumerate() {
            let Some((series, one)) = self.series(index) else { continue };
            let (Some(schema), Some(table)) = (&inventory.schema, TableSchema::for_endpoint(series.endpoint())) else {
                continue;
            };
            let is_wider = table.schema().fields().iter().any(|field| {
                schema.field_with_name(field.name()).is_ok_and(|old| old.data_type() != field.data_type())
            });
            let folders: Vec<_> = one.state.rows.keys().filter(|_| is_wider).cloned().collect();
            for folder in folders {
                self.rewrite(index, &folder, vec![RecordBatch::new_empty(table.schema())]).await?;
            }
        }
        Ok(())
    }

    /// Fetches some ranges, each to its end.
    async fn chunk(&mut self, items: &[Item], mut cancel: Pin<&mut impl Future<Output = ()>>) -> Result<Ended, Error> {
        let mut together = MultiHistory::new();
        let (mut pending, mut progress) = (Vec::new(), Vec::<Shared>::new());
        for (index, item) in items.iter().enumerate() {
            let Some(series) = self.job.series.get(item.series) else { continue };
            let shared = Shared::default();
            let watched = shared.clone();
            let history = self.job.history(series, item.range.clone()).on_progress(move |progress| {
                *watched.lock().unwrap_or_else(PoisonError::into_inner) = progress.clone();
            });
            together = together.add(index, history, |record| record);
            pending.push(Pending::new());
            progress.push(shared);
        }
        let planned = self.planned_requests(items);
        let mut ended = Ended::Done;
        let mut rejected = None;
        while rejected.is_none() {
            let next = {
                let (mut next, mut tick) = (pin!(together.next()), pin!(sleep(Duration::from_secs(1))));
                poll_fn(|cx| {
                    if cancel.as_mut().poll(cx).is_ready() {
                        return Poll::Ready(Err(Ended::Cancelled));
                    }
                    if let Poll::Ready(next) = next.as_mut().poll(cx) {
                        return Poll::Ready(Ok(next.map(Some)));
                    }
                    tick.as_mut().poll(cx).map(|()| Ok(Some(None)))
                })
                .await
            };
            let page = match next {
                Ok(Some(page)) => page,
                Ok(None) => break,
                Err(cancelled) => {
                    ended = cancelled;
                    break;
                }
            };
            if let Some((index, page)) = page {
                let (Some(item), Some(pending)) = (items.get(index), pending.get_mut(index)) else { continue };
                match page {
                    Ok(page) => self.page(item, pending, page).await?,
                    Err(error) => rejected = self.failed(item, error),
                }
                self.progress(items, item.series, &planned, &progress);
            }
            if self.is_unreachable() {
                ended = Ended::Unreachable;
                break;
            }
        }
        drop(together);
        for ((item, mut pending), shared) in items.iter().zip(pending).zip(progress) {
            self.flush(item.series, &mut pending).await?;
            self.over(item, &shared.lock().unwrap_or_else(PoisonError::into_inner));
        }
        rejected.map_or(Ok(ended), Err)
    }

    /// Returns `true` after too long without a response. Reports when an outage begins and ends.
    fn is_unreachable(&mut self) -> bool {
        let lost = self.job.contact.lost_for();
        match (lost, self.trouble) {
            (Some(lost), None) if lost >= TROUBLE => {
                self.trouble = Some(Instant::now().checked_sub(lost).unwrap_or_else(Instant::now));
                (self.watch)(&BackfillEvent::Trouble { elapsed: lost });
            }
            (None, Some(since)) => {
                self.trouble = None;
                (self.watch)(&BackfillEvent::Recovered { elapsed: since.elapsed() });
            }
            _ => {}
        }
        lost.is_some_and(|lost| lost >= UNREACHABLE)
    }

    /// Notes whether the service responded.
    fn note_contact(&mut self, failure: Option<&RequestError>) {
        match failure {
            Some(error) if error.status().is_none() => self.job.contact.failed(Duration::ZERO),
            _ => {
                self.job.contact.responded();
                self.has_response = true;
            }
        }
    }

    async fn page(&mut self, item: &Item, pending: &mut Pending, mut page: Page<AnyRecord>) -> Result<(), Error> {
        self.note_contact(page.report.failed_pages.first().map(|failure| &failure.error));
        let Some((series, one)) = self.series(item.series) else { return Ok(()) };
        let dropped = read_invalid(series, &mut page).into_iter();
        one.dropped.extend(dropped.filter(|sum| !one.state.dropped.contains(sum)));
        if page.report.failed_pages.is_empty() {
            let batch = self.batch(series, &page).await?;
            let mut from = 0;
            while let Some(first) = page.times.get(from) {
                if pending.is_other(*first) {
                    self.flush(item.series, pending).await?;
                }
                let end = self.store.partition.end(*first);
                let rows = page.times.get(from..).unwrap_or_default().partition_point(|time| *time < end);
                pending.add(self.store.partition, *first, batch.slice(from, rows));
                from += rows;
            }
            pending.fetched.add(page.range.clone());
        }
        if pending.is_due() {
            self.flush(item.series, pending).await?;
        }
        let report = page.report;
        self.summary.failed_pages += u64::try_from(report.failed_pages.len()).unwrap_or(u64::MAX);
        if !report.is_complete() || !report.dropped.is_empty() {
            (self.watch)(&BackfillEvent::Report { series: item.series, report });
        }
        Ok(())
    }

    /// The records of a page as rows.
    async fn batch(&mut self, series: &SeriesRequest, page: &Page<AnyRecord>) -> Result<RecordBatch, Error> {
        let columns = match TableSchema::for_endpoint(series.endpoint()) {
            None if !page.records.is_empty() => Some(self.agreed.of(&self.store.storage, series, &page.records).await?),
            _ => None,
        };
        let times: Vec<_> = page.times.iter().copied().map(Some).collect();
        match TableSchema::of_series(series, columns.as_deref()) {
            Some(table) => table.batch(&page.records, &times),
            None => Ok(RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty()))),
        }
    }

    /// Records that the rest of a range failed; returns the error of the job if all other ranges would fail in the same
    /// way.
    fn failed(&mut self, item: &Item, error: RequestError) -> Option<Error> {
        self.note_contact(Some(&error));
        if error.is_auth() || error.is_token() {
            return Some(error.into());
        }
        (self.watch)(&BackfillEvent::Failed { series: item.series, error: error.clone() });
        self.summary.failed.push((item.series, error.into()));
        None
    }

    /// Writes the fetched rows of a range, and the state of its series.
    async fn flush(&mut self, index: usize, pending: &mut Pending) -> Result<(), Error> {
        if let Some((folder, batches)) = pending.take() {
            self.rewrite(index, &folder, batches).await?;
        }
        let (store, refetch) = (self.store, self.job.refetch);
        let Some((series, one)) = self.series(index) else { return Ok(()) };
        one.written.extend(&std::mem::take(&mut pending.fetched));
        let before = one.state.clone();
        // Later runs fetch these records again while they count as holes, and are not to report them again.
        let dropped = std::mem::take(&mut one.dropped);
        one.report.dropped += u64::try_from(dropped.len()).unwrap_or(u64::MAX);
        one.state.dropped.extend(dropped.iter().take(MAX_DROPPED.saturating_sub(one.state.dropped.len())));
        // The newest record limits the range that counts as fetched: younger values may still change, and later ones
        // arrive.
        if let Some(last) = one.state.last {
            one.state.settled.extend(&one.written.until(last - refetch));
        }
        if one.state != before {
            let text = one.state.to_json().to_string();
            store.storage.put(&format!("{}/{FILE}", series.path()), text.into_bytes()).await?;
        }
        Ok(())
    }

    /// Merges rows with those of their partition, and replaces its file.
    async fn rewrite(&mut self, index: usize, folder: &str, batches: Vec<RecordBatch>) -> Result<(), Error> {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.store.begin().await?;
        }
        let (store, watch) = (self.store, &mut self.watch);
        let Some((series, one)) = self.job.series.get(index).zip(self.series.get_mut(index)) else { return Ok(()) };
        let path = file_path(series.path(), folder);
        let old = if one.state.rows.contains_key(folder) { Some(store.input(&path).await?) } else { None };
        let new = batches.first().map(RecordBatch::schema);
        let own = old.as_ref().map(|old| without(&old.schema(), &[ENDPOINT.to_owned()], new.as_deref()));
        let sources: Vec<_> = own.into_iter().chain(new).collect();
        let columns = Columns::new(&[ENDPOINT.to_owned()], &sources).map_err(Error::invalid_input)?;
        let mut file = ParquetFile::new(Vec::new(), columns.schema())?;
        let (mut rows, time) = (0, one.state.time.clone());
        let changes = {
            let of_file = |batch: Result<RecordBatch, Error>| columns.batch(series.path(), &batch?);
            let old = old
                .map(|old| {
                    let rows = old.rows();
                    old.batches(0, rows)
                })
                .transpose()?;
            let sources = [
                Box::new(old.into_iter().flatten().map(of_file)) as _,
                Box::new(batches.iter().cloned().map(Ok).map(of_file)) as _,
            ];
            let mut out = |batch: &RecordBatch| {
                rows += u64::try_from(batch.num_rows()).unwrap_or_default();
                file.write(batch)
            };
            merge(sources, &RecordBatch::new_empty(columns.schema()), &time, &one.known, &mut out)?
        };
        for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
            let times = times(batch, &time)?;
            one.state.extend(times.get(0), times.get(batch.num_rows() - 1));
        }
        let content = file.finish()?;
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        store.storage.put(&path, content).await?;
        one.state.rows.insert(folder.to_owned(), rows);
        if store.single.is_none() {
            one.report.count(changes);
            one.state.revised = one.report.revised;
            let name = store.storage.name(&path);
            watch(&BackfillEvent::File { name: name.clone(), rows, bytes });
            if !self.summary.files.contains(&name) {
                self.summary.files.push(name);
            }
        }
        Ok(())
    }

    /// Merges the rows with the single file, if that is the target, and returns the summary.
    async fn finish(self, begun: Instant) -> Result<Summary, Error> {
        let Self { job, store, mut watch, mut series, mut summary, has_response, .. } = self;
        if let Some(single) = store.single.as_ref().filter(|_| !summary.is_cancelled) {
            let states: Vec<_> = series.iter().map(|one| one.state.clone()).collect();
            let mut changed = |path: &str, state: &SeriesState, changes: Changes| {
                if let Some(one) = series.iter_mut().find(|one| one.report.path == path) {
                    one.state = state.clone();
                    one.report.count(changes);
                }
            };
            join::join(job, store, single, &states, &mut watch, &mut summary, &mut changed).await?;
        }
        summary.requests = series.iter().map(|one| one.done.requests).sum();
        let has_failed = !summary.failed.is_empty() || summary.failed_pages > 0;
        summary.is_unreachable |= has_failed && !has_response;
        for one in series {
            let mut report = one.report;
            report.note(&one.state);
            summary.records += report.added + report.filled;
            summary.series.push(report);
        }
        let has_empty = !job.allow_empty && summary.series.iter().any(SeriesReport::is_empty);
        summary.is_complete = !summary.is_cancelled && !summary.is_unreachable && !has_failed && !has_empty;
        summary.elapsed = begun.elapsed();
        Ok(summary)
    }

    /// Requests that were planned for each of some ranges.
    fn planned_requests(&self, items: &[Item]) -> Vec<u64> {
        let planned = |item: &Item| {
            let series = self.job.series.get(item.series)?;
            Some(self.job.history(series, item.range.clone()).plan().ok()?.requests)
        };
        items.iter().map(|item| planned(item).unwrap_or(0)).collect()
    }

    /// Reports the progress of a series, summed over all its ranges.
    fn progress(&mut self, items: &[Item], series: usize, planned: &[u64], progress: &[Shared]) {
        let Some(one) = self.series.get(series) else { return };
        let mut all = one.done.clone();
        for ((item, planned), shared) in items.iter().zip(planned).zip(progress) {
            if item.series == series {
                let progress = shared.lock().unwrap_or_else(PoisonError::into_inner);
                add(&mut all, &progress);
                let left = if progress.pages == 0 { 0 } else { planned.saturating_sub(progress.pages_left) };
                all.pages_left = all.pages_left.saturating_sub(left);
            }
        }
        (self.watch)(&BackfillEvent::Progress { series, progress: all });
    }

    /// A range is over.
    fn over(&mut self, item: &Item, progress: &Progress) {
        let planned = self.planned_requests(std::slice::from_ref(item)).first().copied().unwrap_or(0);
        if let Some(one) = self.series.get_mut(item.series) {
            add(&mut one.done, progress);
            one.done.pages_left = one.done.pages_left.saturating_sub(planned);
        }
    }
}

fn add(all: &mut Progress, one: &Progress) {
    all.records += one.records;
    all.pages += one.pages;
    all.requests += one.requests;
    all.waited += one.waited;
    all.elapsed = all.elapsed.max(one.elapsed);
}
