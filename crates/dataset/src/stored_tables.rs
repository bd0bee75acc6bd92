//! The tables of a target, opened once for everything that a command reads.

use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::lock::{self, RunOwner};
use crate::place::Place;
use crate::table::Table;
use crate::target::Target;

/// The tables of a target, without a request and without a lock: a run may write them meanwhile.
#[allow(missing_debug_implementations, reason = "open files have nothing to show")]
pub struct StoredTables {
    pub(crate) target: Target,
    pub(crate) tables: Vec<StoredTable>,
    /// The errors of tables that cannot be read.
    pub(crate) damaged: Vec<String>,
}

pub(crate) struct StoredTable {
    pub(crate) table: Table,
    /// The run that is writing the table.
    pub(crate) running: Option<RunOwner>,
}

impl StoredTables {
    /// Opens the tables of a target. A table of a data set that cannot be read does not hide the others.
    pub async fn open(target: &Target) -> Result<Self, Error> {
        let storage = FileStorage::of(target)?;
        let mut this = Self { target: target.clone(), tables: Vec::new(), damaged: Vec::new() };
        for place in Place::all(&storage, target).await? {
            let running = place.lock().and_then(|path| lock::holder(&path));
            match Table::open(place, Vec::new()).await {
                Ok(table) => this.tables.push(StoredTable { table, running }),
                Err(damage @ Error::InvalidInput(_)) if !matches!(target, Target::File { .. }) => {
                    this.damaged.push(damage.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(this)
    }
}
