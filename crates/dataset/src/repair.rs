//! Moves damaged files aside, and keeps their readable rows.
//!
//! Nothing is deleted: a damaged file stays under another name. The rows that could not be read are marked until a run
//! fetches them again, or a user acknowledges that they are lost.

use std::time::Duration;

use arrow_schema::SchemaRef;
use runtime::Timestamp;

use crate::column_storage::{DataStorage, Purpose};
use crate::damage::Damage;
use crate::damaged_data::DamagedData;
use crate::data_set_paths::JOURNAL;
use crate::error::{Error, quoted};
use crate::file_state::FileState;
use crate::file_storage::{FileStorage, UnfinishedFile};
use crate::marks::LostMark;
use crate::parquet_file::{ParquetFile, RowGroupSizes};
use crate::parquet_input::ParquetInput;
use crate::revisions;
use crate::section::Section;
use crate::table::Table;
use crate::vanished_rows::{FileRows, Present};

/// A damaged file that is moved aside.
struct Aside {
    name: String,
    /// The path to which it is moved, and the name under which it is kept.
    to: String,
    kept_as: String,
    /// The message about it.
    moved: String,
}

/// The intact row groups of a damaged file, in a new file that readers do not see yet.
struct Salvaged {
    file: UnfinishedFile,
    /// Number of rows.
    count: usize,
}

impl Damage {
    fn moved_to(&self, kept_as: &str) -> String {
        format!("{}: damaged: {}; moved to {}", quoted(&self.name), self.why, quoted(kept_as))
    }
}

impl Table {
    /// Moves damaged files aside, writes their readable rows again, and marks the rows that were lost, also those of
    /// missing and replaced files. Returns a message for each file.
    pub(crate) async fn repair(&mut self) -> Result<Vec<String>, Error> {
        let mut messages = Vec::new();
        for damage in std::mem::take(&mut self.damaged) {
            messages.push(self.repair_file(&damage).await?);
        }
        messages.extend(self.note_vanished());
        if !messages.is_empty() {
            self.save().await?;
        }
        Ok(messages)
    }

    /// Marks the rows of missing and replaced files, and missing earlier values, so that a later save of the state does not
    /// forget them. Returns a message for each file.
    pub(crate) fn note_vanished(&mut self) -> Vec<String> {
        let mut messages = Vec::new();
        // A text file without its rows is an error of the run.
        if self.check_text().is_err() {
            return messages;
        }
        for (path, vanished) in std::mem::take(&mut self.vanished) {
            let name = self.place.name(&path);
            let message = vanished.message(&name);
            if self.note_lost(&name, String::new(), vanished.rows, true) {
                messages.push(message);
            }
        }
        messages.extend(self.note_missing_revisions());
        messages
    }

    async fn repair_file(&mut self, damage: &Damage) -> Result<String, Error> {
        let path = &damage.path;
        let to = self.aside(path, "damaged").await?;
        let aside = Aside {
            moved: damage.moved_to(&self.place.name(&to)),
            name: damage.name.clone(),
            kept_as: self.place.name(&to),
            to,
        };
        if path.ends_with(JOURNAL) {
            self.repair_journal(path, aside).await
        } else if *path == self.place.state() {
            self.repair_state(aside).await
        } else if *path == self.place.revisions() {
            self.repair_revisions(aside).await
        } else {
            self.repair_data(path, aside).await
        }
    }

    async fn repair_journal(&mut self, path: &str, aside: Aside) -> Result<String, Error> {
        self.journal.retain(|file| file.path != path);
        self.place.storage.rename(path, &aside.to).await?;
        Ok(format!("{}; its rows, which were not in a file yet, are fetched again", aside.moved))
    }

    async fn repair_state(&mut self, aside: Aside) -> Result<String, Error> {
        self.place.storage.rename(&self.place.state(), &aside.to).await?;
        self.adopt();
        Ok(format!("{}; rebuilt from the files, without the times that have no record", aside.moved))
    }

    /// Writes the earlier values of rows that can be read again.
    async fn repair_revisions(&mut self, aside: Aside) -> Result<String, Error> {
        let storage = &self.place.storage;
        let path = self.place.revisions();
        let readable = revisions::readable(storage, &path).await?;
        let rewritten = revisions::prepare_read(storage, &path, &readable)?;
        storage.rename(&path, &aside.to).await?;
        if let Some(rewritten) = rewritten {
            storage.finish(rewritten, None).await?;
        }
        self.state.revisions.since = Some(Timestamp::now());
        self.note_lost(&aside.name, aside.kept_as, FileRows::default(), false);
        Ok(format!("{}; the earlier values that are readable stay", aside.moved))
    }

    /// Writes the readable rows of a data file again, and marks the others. If that fails, for example on a full disk, the
    /// damaged file stays at its path, so that a later repair finds it.
    async fn repair_data(&mut self, path: &str, aside: Aside) -> Result<String, Error> {
        let damaged = self.take_damaged(path).await?;
        let salvaged = self.salvage(path, &damaged)?;
        let lost = self.lost_since(path, damaged.before);
        let is_listed = damaged.was_listed && !lost.present.is_empty();
        // A misplaced file that the state has not listed has no row of the table.
        let has_rows = damaged.was_listed || !damaged.is_misplaced;
        let is_lost = has_rows && self.note_lost(&aside.name, aside.kept_as, lost, is_listed);
        let mut moved = aside.moved;
        if is_lost && let Some(kept) = self.move_text_aside("damaged").await? {
            moved.push_str(&format!(", and the text to {}", quoted(kept)));
        }
        self.place.storage.rename(path, &aside.to).await?;
        let mut count = 0;
        if let Some(salvaged) = salvaged {
            count = salvaged.count;
            let version = self.place.storage.finish(salvaged.file, None).await?;
            self.state.files.insert(path.to_owned(), version);
        }
        if count == 0 {
            return Ok(format!("{moved}; none of its rows could be verified, so none stays"));
        }
        Ok(format!("{moved}; {count} of its rows are intact and stay"))
    }

    /// Moves the text file aside, because a run writes it again: it may be the only readable copy of lost rows, or the only
    /// copy of what a user has written. Returns the name under which it is kept; `None` if there is no text file.
    pub(crate) async fn move_text_aside(&self, why: &str) -> Result<Option<String>, Error> {
        let Some((text, _)) = self.place.text.clone() else { return Ok(None) };
        if self.place.storage.open(&text).await?.is_none() {
            return Ok(None);
        }
        let to = self.aside(&text, why).await?;
        self.place.storage.rename(&text, &to).await?;
        Ok(Some(self.place.name(&to)))
    }

    /// Writes the intact row groups of a damaged file, if there are any, to a new file, and adds their rows to the state.
    fn salvage(&mut self, path: &str, damaged: &DamagedData) -> Result<Option<Salvaged>, Error> {
        let DamagedData { input: Some(input), intact, .. } = damaged else { return Ok(None) };
        let Some((_, range)) = self.place.period_of(path) else { return Ok(None) };
        if intact.is_empty() {
            return Ok(None);
        }
        if self.state.source_label.is_empty() {
            self.state.source_label.clone_from(&input.state.source_label);
        }
        let state = &self.state;
        let is_single = self.place.is_single;
        let written = self.place.storage.prepare(path, |out| {
            let storage = Purpose::Data(DataStorage::default());
            let mut file = ParquetFile::new(out, input.schema(), RowGroupSizes::DATA, storage)?;
            for sections in input.state.sections.chunk_by(|one, next| one.group == next.group) {
                let Some(first) = sections.first() else { continue };
                if intact.contains(&first.group) {
                    file.copy_group(input, sections)?;
                }
            }
            let mut table = None;
            if is_single {
                let mut state = state.clone();
                state.replace_row_facts(&range, &file.sections);
                table = Some(state);
            }
            let generation = input.state.generation.clone();
            file.finish(FileState { generation, table, ..FileState::of_table(state) })
        });
        let (sections, file) = written?;
        self.state.replace_row_facts(&range, &sections);
        self.state.columns.get_or_insert_with(|| input.schema());
        let count = sections.iter().map(|section| section.count).sum();
        Ok(Some(Salvaged { file, count }))
    }

    /// Marks lost rows. Returns whether there are any.
    pub(crate) fn note_lost(&mut self, file: &str, kept_as: String, lost: FileRows, is_listed: bool) -> bool {
        let FileRows { present: mut rows, counts: mut left } = lost;
        rows.retain(|_, times| !times.is_empty());
        left.retain(|path, count| *count > 0 && rows.contains_key(path));
        if rows.is_empty() && is_listed {
            return false;
        }
        self.request_again(&rows);
        let since = Some(Timestamp::now());
        let file = file.to_owned();
        self.state.marks.lost.push(LostMark { file, kept_as, since, rows, left, is_listed, ..LostMark::default() });
        true
    }

    /// Lets the next run request rows again.
    pub(crate) fn request_again(&mut self, rows: &Present) {
        for (path, times) in rows {
            if let Some(series) = self.state.series.get_mut(path) {
                series.settled = series.settled.without(times);
            }
        }
    }

    /// A path to which a file is moved: beside a single file, and otherwise in the folder of the state, because nothing
    /// but data is beside the files of a data set.
    async fn aside(&self, path: &str, why: &str) -> Result<String, Error> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let folder = if path.contains('/') { format!("{}/", self.place.home) } else { String::new() };
        let day = Timestamp::now().floor(Duration::from_secs(86_400)).to_string();
        let base = format!("{folder}{name}.{why}-{}", day.get(..10).unwrap_or(&day));
        let mut to = base.clone();
        let mut number = 1;
        while self.place.storage.open(&to).await?.is_some() {
            number += 1;
            to = format!("{base}-{number}");
        }
        Ok(to)
    }

    /// Completes a state that was rebuilt from files. Which times were requested without a record is unknown, and so are
    /// the values that were replaced before.
    pub(crate) fn adopt(&mut self) {
        if !self.has_revisions {
            self.state.revisions.since = Some(Timestamp::now());
        }
        for series in self.state.series.values_mut() {
            series.requested = series.row_facts.present.clone();
            series.settled = series.row_facts.present.clone();
        }
    }
}

impl ParquetInput {
    /// Opens a damaged file as far as it can be read, with the indices of its intact row groups.
    pub(crate) async fn salvage(
        storage: &FileStorage,
        path: &str,
        columns: Option<&SchemaRef>,
    ) -> Result<Option<(Self, Vec<usize>)>, Error> {
        let Some(source) = storage.open(path).await? else { return Ok(None) };
        let Some(input) = Self::open_damaged(path, storage.name(path), source, columns)? else { return Ok(None) };
        let mut intact = Vec::new();
        for group in 0..input.groups().len() {
            if input.is_intact(group)? {
                intact.push(group);
            }
        }
        Ok(Some((input, intact)))
    }

    /// `true` if the bytes of a row group match their checksum, and its rows the facts of their sections.
    fn is_intact(&self, group: usize) -> Result<bool, Error> {
        match self.verify_group(group) {
            Ok(()) => {}
            Err(Error::Damaged { .. }) => return Ok(false),
            Err(error) => return Err(error),
        }
        for section in self.state.sections.iter().filter(|section| section.group == group) {
            if !self.is_as_listed(section)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `true` if the rows of a section are those that the footer lists. Its row group matches its checksum.
    fn is_as_listed(&self, section: &Section) -> Result<bool, Error> {
        match self.has_facts(section) {
            Ok(is_as_listed) => Ok(is_as_listed),
            Err(Error::Damaged { .. }) => Ok(false),
            // Either the disk fails, or a damaged footer describes the bytes of the row group wrongly.
            Err(_) => {
                self.verify_group(section.group)?;
                Ok(self.has_facts(section).unwrap_or(false))
            }
        }
    }
}
