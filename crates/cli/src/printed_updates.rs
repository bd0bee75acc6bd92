//! The records that `poll` prints: those of all series, in one stream.

use std::collections::BTreeSet;

use runtime::Error;
use runtime::history::{Page, Update};
use runtime::record::AnyRecord;
use tokio::task::JoinSet;

use crate::failure::{Failure, Result};
use crate::new_records::NewRecords;
use crate::printer::{Columns, Printer};
use crate::record_columns::SeriesRecords;
use crate::requested_series::{plan, request};
use crate::table::Format;
use crate::time_arg::Start;
use crate::unsupported_values::{self, reported, sentence_of};
use crate::update_notes::UpdateNotes;

/// Prints the records of all series when their intervals have ended.
pub(crate) struct PrintedUpdates<'p> {
    notes: UpdateNotes<'p>,
    printer: Printer<'p>,
    /// Each series waits for its next update in a separate task.
    followed: JoinSet<Followed>,
    /// The warnings about unsupported values that were printed.
    unsupported: BTreeSet<String>,
}

/// The followed records of a series, with their next update.
struct Followed {
    index: usize,
    records: NewRecords,
    update: Result<Update<AnyRecord>, Error>,
}

async fn next_update(index: usize, mut records: NewRecords) -> Followed {
    let update = records.next().await;
    Followed { index, records, update }
}

impl<'p> PrintedUpdates<'p> {
    /// Begins to follow all series.
    pub(crate) fn begin(from: Start, format: Format, notes: UpdateNotes<'p>) -> Result<Self> {
        let printer = Printer::new(notes.client, notes.series, format, Columns::Growing)?;
        notes.note_due(from, "first");
        let mut followed = JoinSet::new();
        for (index, one) in notes.series.iter().enumerate() {
            let request = request(notes.client, one);
            let interval = plan(&request)?.interval;
            let from = from.of(interval);
            let records = if interval.has_steps() {
                NewRecords::followed(request, from)
            } else {
                NewRecords::requested(request, from)
            };
            followed.spawn(next_update(index, records));
        }
        Ok(Self { notes, printer, followed, unsupported: BTreeSet::new() })
    }

    /// Prints all records, or a number of records. Fails after the last one if the service does not support a value.
    pub(crate) async fn print(mut self, records: Option<u64>) -> Result<()> {
        let mut left = records.unwrap_or(u64::MAX);
        while left > 0 {
            let Some(ended) = self.followed.join_next().await else {
                break;
            };
            let Followed { index, records, update } = ended.map_err(Failure::machine)?;
            if let Err(error) = &update
                && error.is_retryable()
            {
                self.notes.warn_of_failure(index, error);
                self.followed.spawn(next_update(index, records));
                continue;
            }
            let update = update?;
            // The next update is awaited while this update is printed.
            self.followed.spawn(next_update(index, records));
            self.notes.note(index, &update);
            if let Update::Records(page) | Update::Late(page) = update {
                self.warn_of_unsupported(index, &page);
                left -= self.print_page(index, page, left)?;
            }
        }
        let others = self.check_others();
        self.printer.end()?;
        others?;
        match self.unsupported.pop_first() {
            Some(line) => Err(unsupported_values::failure(line)),
            None => Ok(()),
        }
    }

    /// Fails if a series has failed while the last records of the others were printed.
    fn check_others(&mut self) -> Result<()> {
        while let Some(ended) = self.followed.try_join_next() {
            let Followed { update, .. } = ended.map_err(Failure::machine)?;
            if let Err(error) = update
                && !error.is_retryable()
            {
                return Err(error.into());
            }
        }
        Ok(())
    }

    fn warn_of_unsupported(&mut self, index: usize, page: &Page<AnyRecord>) {
        let Some(line) = sentence_of(&self.notes.labels[index], reported(&page.records, &page.report)) else {
            return;
        };
        if self.unsupported.insert(line.clone()) {
            self.notes.log.warning(&line);
        }
    }

    /// Prints the records of a page, at most as many as `--records` still allows. Returns how many it has printed.
    fn print_page(&mut self, index: usize, mut page: Page<AnyRecord>, left: u64) -> Result<u64> {
        page.records.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        let records = SeriesRecords::of_page(index, &self.notes.series[index], &page.records, &page.times);
        self.printer.print(&[records])?;
        Ok(page.records.len() as u64)
    }
}
