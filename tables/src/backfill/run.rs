//! A run fetches the missing ranges, some at the same time, and writes them part by part.
//!
//! A plan comes in, files and events go out. The client's history decides which windows are asked for.

use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use runtime::history::{History, Page, Progress, Together};
use runtime::record::AnyRecord;
use runtime::{Listed, Timestamp};

use super::Backfill;
use super::agreed::Agreed;
use super::event::{Event, Summary};
use super::inventory::{Inventory, Place};
use super::origin;
use super::plan::{self, SeriesPlan};
use crate::error::Error;
use crate::join;
use crate::layout;
use crate::part::{Filling, Kind, Part};
use crate::series::Series;

/// How many ranges are fetched side by side: each keeps pages and a part in memory.
const TOGETHER: usize = 16;

/// A range of a series.
struct Item {
    series: usize,
    range: Range<Timestamp>,
    kind: Kind,
}

impl Item {
    fn history(&self, series: &Series) -> History<Listed> {
        match self.kind {
            Kind::Missing | Kind::Gap => series.history(self.range.clone()),
            Kind::Open => series.open_interval(self.range.clone()),
        }
    }
}

type Shared = Arc<Mutex<Progress>>;

/// The state of a run.
struct Run<'j, W> {
    job: &'j Backfill,
    place: &'j Place,
    watch: W,
    /// The columns of series whose fields are unknown.
    agreed: Agreed,
    /// The parts of each series that are of intervals which were open.
    open: Vec<Vec<String>>,
    /// The progress of each series: the finished ranges, and the rest of the others.
    done: Vec<Progress>,
    /// Whether it stands beside the rows where they come from.
    has_origin: bool,
    summary: Summary,
}

pub(super) async fn run(
    job: &Backfill,
    place: &Place,
    watch: impl FnMut(&Event),
    cancel: impl Future<Output = ()>,
) -> Result<Summary, Error> {
    let planned = plan::planned(job, place).await?;
    let items = items(&planned);
    let mut run = Run::new(job, place, watch, &planned);
    let mut cancel = pin!(cancel);
    for chunk in items.chunks(TOGETHER) {
        if !run.chunk(chunk, cancel.as_mut()).await? {
            run.summary.is_cancelled = true;
            break;
        }
    }
    let Run { mut watch, mut summary, done, .. } = run;
    summary.requests = done.iter().map(|progress| progress.requests).sum();
    if !summary.is_cancelled
        && let Some(file) = &place.file
    {
        join::join(file, &place.storage, &mut watch, &mut summary).await?;
    }
    summary.is_complete = !summary.is_cancelled && summary.failed.is_empty() && summary.failed_windows == 0;
    Ok(summary)
}

/// The ranges of all series in turns, so that none waits for all of another.
fn items(planned: &[(SeriesPlan, Inventory)]) -> Vec<Item> {
    let mut turns: Vec<(usize, Item)> = Vec::new();
    for (series, (plan, _)) in planned.iter().enumerate() {
        let item = |kind: Kind| move |range: &Range<Timestamp>| Item { series, range: range.clone(), kind };
        let missing = plan.missing.iter().map(item(Kind::Missing));
        let gaps = plan.repaired.iter().map(item(Kind::Gap));
        turns.extend(missing.chain(gaps).chain(plan.open.iter().map(item(Kind::Open))).enumerate());
    }
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, item)| item).collect()
}

impl<'j, W: FnMut(&Event)> Run<'j, W> {
    fn new(job: &'j Backfill, place: &'j Place, watch: W, planned: &[(SeriesPlan, Inventory)]) -> Self {
        let progress = |(plan, _): &(SeriesPlan, Inventory)| {
            let mut progress = Progress::default();
            progress.windows_left = plan.windows;
            progress
        };
        let mut agreed = Agreed::default();
        for (series, (_, inventory)) in job.series.iter().zip(planned) {
            if let Some(schema) = &inventory.schema {
                agreed.note(series, schema.clone());
            }
        }
        Self {
            job,
            place,
            watch,
            agreed,
            open: planned.iter().map(|(_, inventory)| inventory.open.clone()).collect(),
            done: planned.iter().map(progress).collect(),
            has_origin: false,
            summary: Summary::default(),
        }
    }

    fn series(&self, item: &Item) -> Option<&'j Series> {
        self.job.series.get(item.series)
    }

    /// Fetches some ranges, each to its end; `false` if that was cancelled.
    async fn chunk(&mut self, items: &[Item], mut cancel: Pin<&mut impl Future<Output = ()>>) -> Result<bool, Error> {
        let mut together = Together::new();
        let mut under_way = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let Some(series) = self.series(item) else { continue };
            let shared = Shared::default();
            let told = shared.clone();
            let history = item.history(series).skip_failed_windows().on_progress(move |progress| {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = progress.clone();
            });
            together = together.with(index, history, |record| record);
            let columns = self.agreed.get(series);
            let division = self.place.division;
            let filling = Filling::new(series, division, columns.as_deref(), item.kind, item.range.start);
            under_way.push((Some(filling), shared));
        }
        let planned = self.windows(items);
        let (mut is_cancelled, mut refused) = (false, None);
        while refused.is_none() {
            let next = {
                let mut next = pin!(together.next());
                poll_fn(|cx| {
                    if cancel.as_mut().poll(cx).is_ready() {
                        is_cancelled = true;
                        return Poll::Ready(None);
                    }
                    next.as_mut().poll(cx)
                })
                .await
            };
            let Some((index, page)) = next else { break };
            let (Some(item), Some((filling, _))) = (items.get(index), under_way.get_mut(index)) else { continue };
            match page {
                Ok(page) => {
                    if let Some(filling) = filling {
                        self.page(item, filling, page).await?;
                    }
                }
                Err(error) => {
                    if let Some(filling) = filling.take() {
                        refused = self.failed(item, filling, error).await?;
                    }
                }
            }
            self.tell(items, item.series, &planned, &under_way);
        }
        drop(together);
        for (item, (filling, shared)) in items.iter().zip(under_way) {
            if let Some(mut filling) = filling {
                let part = filling.finish(Timestamp::now())?;
                self.write(item, part).await?;
            }
            self.over(item, &shared.lock().unwrap_or_else(PoisonError::into_inner));
        }
        refused.map_or(Ok(!is_cancelled), Err)
    }

    async fn page(&mut self, item: &Item, filling: &mut Filling<'j>, page: Page<AnyRecord>) -> Result<(), Error> {
        if filling.wants_columns()
            && !page.records.is_empty()
            && let Some(series) = self.series(item)
        {
            let columns = self.agreed.of(&self.place.storage, series, &page.records).await?;
            filling.take_columns(&columns);
        }
        let mut ended = Vec::new();
        if let Some(failure) = page.findings.failures.first() {
            ended.extend(filling.skip(&failure.range)?);
        } else {
            ended.extend(filling.add(&page.range, &page.records, &page.times)?);
        }
        for part in ended {
            self.write(item, Some(part)).await?;
        }
        self.summary.records += u64::try_from(page.records.len()).unwrap_or(u64::MAX);
        let mut findings = page.findings;
        if item.kind == Kind::Open {
            // An interval that is not over may have no record yet.
            findings.gaps.clear();
        }
        self.summary.add(&findings);
        if !findings.is_complete() || !findings.refused.is_none() {
            (self.watch)(&Event::Findings { series: item.series, findings });
        }
        Ok(())
    }

    /// Keeps what was fetched of a range; returns the error of the job if every other range would fail like this.
    async fn failed(
        &mut self,
        item: &Item,
        mut filling: Filling<'j>,
        error: runtime::Error,
    ) -> Result<Option<Error>, Error> {
        let part = filling.finish(Timestamp::now())?;
        self.write(item, part).await?;
        if error.is_auth() || error.is_token() {
            return Ok(Some(error.into()));
        }
        (self.watch)(&Event::Failed { series: item.series, error: error.clone() });
        self.summary.failed.push((item.series, error.into()));
        Ok(None)
    }

    async fn write(&mut self, item: &Item, part: Option<Part>) -> Result<(), Error> {
        let (Some(Part { path, rows, content }), Some(series)) = (part, self.series(item)) else { return Ok(()) };
        let path = format!("{}/{path}", series.path());
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        if !self.has_origin {
            origin::note(self.job, self.place).await?;
            self.has_origin = true;
        }
        self.replace_open(item, &path).await?;
        self.place.storage.put(&path, content).await?;
        let name = self.place.storage.name(&path);
        if self.place.file.is_none() {
            self.summary.files.push(name.clone());
            (self.watch)(&Event::File { name, rows: u64::try_from(rows).unwrap_or(u64::MAX), bytes });
        }
        Ok(())
    }

    /// Removes what a part replaces: the records of intervals that were open. They are removed before the new ones are
    /// written, so that no reader finds an interval twice.
    async fn replace_open(&mut self, item: &Item, path: &str) -> Result<(), Error> {
        let Some(open) = self.open.get_mut(item.series) else { return Ok(()) };
        let start = |path: &str| layout::read_open_part(path).map(|range| range.start);
        let is_replaced = |other: &mut String| match layout::read_part(path) {
            Some(range) => start(other).is_some_and(|start| range.contains(&start)),
            None => start(other) == start(path),
        };
        for replaced in open.extract_if(.., is_replaced) {
            self.place.storage.remove(&replaced).await?;
        }
        if item.kind == Kind::Open {
            open.push(path.to_owned());
            if self.place.file.is_some() {
                // The joined file may have another record of a part of this name.
                self.place.storage.remove(join::JOINED).await?;
            }
        }
        Ok(())
    }

    /// Requests that were planned for each of some ranges.
    fn windows(&self, items: &[Item]) -> Vec<u64> {
        let planned = |item: &Item| Some(item.history(self.series(item)?).plan().ok()?.windows);
        items.iter().map(|item| planned(item).unwrap_or(0)).collect()
    }

    /// Tells how far a series has come, all its ranges added up.
    fn tell(&mut self, items: &[Item], series: usize, planned: &[u64], under_way: &[(Option<Filling<'j>>, Shared)]) {
        let Some(done) = self.done.get(series) else { return };
        let mut all = done.clone();
        for ((item, planned), (_, shared)) in items.iter().zip(planned).zip(under_way) {
            if item.series == series {
                let progress = shared.lock().unwrap_or_else(PoisonError::into_inner);
                add(&mut all, &progress);
                let left = if progress.windows == 0 { 0 } else { planned.saturating_sub(progress.windows_left) };
                all.windows_left = all.windows_left.saturating_sub(left);
            }
        }
        (self.watch)(&Event::Progress { series, progress: all });
    }

    /// A range is over.
    fn over(&mut self, item: &Item, progress: &Progress) {
        let planned = self.windows(std::slice::from_ref(item)).first().copied().unwrap_or(0);
        if let Some(done) = self.done.get_mut(item.series) {
            add(done, progress);
            done.windows_left = done.windows_left.saturating_sub(planned);
        }
    }
}

fn add(all: &mut Progress, one: &Progress) {
    all.records += one.records;
    all.windows += one.windows;
    all.requests += one.requests;
    all.waited += one.waited;
    all.elapsed = all.elapsed.max(one.elapsed);
}
