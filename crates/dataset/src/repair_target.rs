//! Finds the damaged files of a target, also those with damaged rows, and moves them aside.

use std::collections::BTreeSet;

use crate::damage::Damage;
use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::locked_tables::LockedTables;
use crate::lost_rows::{self, LostRows};
use crate::place::Place;
use crate::revisions;
use crate::table::Table;
use crate::target::Target;

/// The result of [`repair`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Repaired {
    /// A message for each damaged or missing file, and for each text file that something else had changed.
    pub repairs: Vec<String>,
    /// The rows that no run has fetched again, as far as no user has [acknowledged](crate::acknowledge()) that.
    pub lost_rows: Vec<LostRows>,
    /// The errors of the tables that could not be repaired. A second call repairs only these.
    pub failed: Vec<Error>,
}

/// Compares all files of a target with their checksums, moves the damaged files aside, and keeps their readable rows.
/// The rows that could not be read are marked until a run fetches them again. Sends no request.
pub async fn repair(target: &Target) -> Result<Repaired, Error> {
    let storage = FileStorage::of(target)?;
    let locked = LockedTables::of_places(target, Place::all(&storage, target).await?).await?;
    let mut repaired = Repaired { failed: locked.failed, ..Repaired::default() };
    for mut table in locked.tables {
        if let Err(error) = repaired.add(&mut table).await {
            repaired.failed.push(error);
        }
        repaired.repairs.append(&mut table.repairs);
        repaired.lost_rows.extend(lost_rows::unacknowledged(&table.state));
    }
    Ok(repaired)
}

impl Repaired {
    async fn add(&mut self, table: &mut Table) -> Result<(), Error> {
        table.note_damaged_rows().await?;
        self.repairs.extend(table.repair().await?);
        if table.place.text.is_some() && table.check_text().is_ok() {
            table.merge_journal(&BTreeSet::new()).await?;
        }
        Ok(())
    }
}

impl Table {
    /// Reads all rows and their earlier values, and notes the files that do not match their checksums or cannot be read.
    pub(crate) async fn note_damaged_rows(&mut self) -> Result<(), Error> {
        for path in self.state.files.keys().cloned().collect::<Vec<_>>() {
            // A file can be known to be damaged since the table was opened.
            if self.damaged.iter().any(|damage| damage.path == path) {
                continue;
            }
            match self.verify(&path).await {
                Err(Error::Damaged { path: name, why }) => self.note_damage(name, why),
                verified => verified?,
            }
        }
        match revisions::read(&self.place.storage, &self.place.revisions()).await {
            Err(Error::Damaged { path: name, why }) => {
                self.damaged.push(Damage { path: self.place.revisions(), name, why });
                Ok(())
            }
            read => read.map(drop),
        }
    }
}
