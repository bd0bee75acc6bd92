//! Opens, writes and deletes the journal of a table.

use std::time::Duration;

use runtime::Timestamp;

use crate::buffered_rows::BufferedSection;
use crate::changes::Changes;
use crate::column_storage::{DataStorage, Purpose};
use crate::data_set_paths::JOURNAL;
use crate::error::Error;
use crate::file_state::{FileState, SavedRun};
use crate::journal;
use crate::parquet_file::{ParquetFile, RowGroupSizes};
use crate::parquet_input::ParquetInput;
use crate::series::SeriesRequest;
use crate::table::Table;

/// The run that writes the journal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WritingRun {
    pub(crate) started: Timestamp,
    pub(crate) refetch: Duration,
    /// The time that the service had reached when the run began.
    pub(crate) reached: Timestamp,
}

impl Table {
    /// Opens the files of the journal, which are in the folder of the state.
    pub(crate) async fn open_journal(&mut self) -> Result<(), Error> {
        for (path, _) in self.place.storage.list(&self.place.home).await? {
            if path == self.place.revisions() {
                self.has_revisions = true;
            } else if path.ends_with(JOURNAL) {
                // Another run may have merged and deleted the file meanwhile.
                let file = self.open_file(&path).await?;
                self.journal.extend(file);
            }
        }
        Ok(())
    }

    /// Takes the settings of the run that has written the journal if the state is missing, because a run was killed before it
    /// has written the first one, or because a user has moved it away.
    pub(crate) fn note_run_of_journal(&mut self) {
        if let Some(FileState { source_label, run: Some(run), .. }) = self.journal.first().map(|file| &file.state)
            && self.state.source_label.is_empty()
        {
            self.state.source_label.clone_from(source_label);
            self.state.partition = run.partition;
        }
    }

    /// `true` if the journal has rows of a series.
    pub(crate) fn is_in_journal(&self, series: &SeriesRequest) -> bool {
        for section in journal::sections(&self.journal) {
            if section.path == series.path() && section.count > 0 {
                return true;
            }
        }
        false
    }

    /// Writes the buffered rows to a new file of the journal. Rows that are enough for row groups of a data file are encoded
    /// as in a data file, so that the merge copies them.
    pub(crate) async fn write_journal(&mut self, run: &WritingRun) -> Result<(), Error> {
        let buffered = std::mem::take(&mut self.buffered);
        if buffered.is_empty() {
            return Ok(());
        }
        let run = SavedRun {
            started: run.started,
            refetch: run.refetch,
            written: Timestamp::now(),
            partition: self.state.partition,
            reached: Some(run.reached),
        };
        let state = FileState { source_label: self.state.source_label.clone(), run: Some(run), ..FileState::default() };
        let is_encoded = buffered.are_row_groups();
        let first = buffered.first().cloned();
        let purpose = if is_encoded {
            let has_small_times = self.has_small_times;
            Purpose::Data(DataStorage { first: first.as_ref(), has_small_times, has_shared_times: false })
        } else {
            Purpose::Journal
        };
        let storage = &self.place.storage;
        let path = journal::next_path(&self.place.home, self.journal.last());
        let writing = storage.put(&path, None, |out| {
            let mut file = ParquetFile::new(out, self.columns.clone(), RowGroupSizes::JOURNAL, purpose)?;
            for buffered in buffered {
                let rows = buffered.rows();
                let BufferedSection { mut section, batches } = buffered;
                section.encoded = (is_encoded && rows > 0).then(Changes::default);
                file.begin_section(section, rows)?;
                for batch in batches {
                    file.write(&batch)?;
                }
            }
            file.finish(state)
        });
        writing.await?;
        let Some(file) = ParquetInput::find(storage, &path, true).await? else {
            return Err(Error::damaged(storage.name(&path), "it was deleted"));
        };
        self.journal.push(file);
        Ok(())
    }

    /// Deletes the journal after its rows were merged into the data files.
    pub(crate) async fn delete_journal(&mut self) -> Result<(), Error> {
        // The files are closed first, because Windows keeps the folder of a file that is deleted while it is open.
        let mut paths = Vec::new();
        for file in std::mem::take(&mut self.journal) {
            paths.push(file.path);
        }
        for path in paths {
            self.place.storage.delete(&path).await?;
        }
        for (path, _) in self.place.storage.list(&self.place.home).await? {
            if path.ends_with(".unfinished") {
                self.place.storage.delete(&path).await?;
            }
        }
        Ok(())
    }
}
