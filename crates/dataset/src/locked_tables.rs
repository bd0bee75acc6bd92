//! All tables of a target, locked for a command that changes their states.

use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::lock::Lock;
use crate::place::Place;
use crate::table::Table;
use crate::target::Target;

/// The tables of a target, which no run can write meanwhile.
pub(crate) struct LockedTables {
    pub(crate) tables: Vec<Table>,
    /// The errors of the tables that cannot be changed. A command changes the others.
    pub(crate) failed: Vec<Error>,
    /// The lock, which ends when it is dropped.
    pub(crate) lock: Lock,
}

impl LockedTables {
    /// Opens all tables of a target. A table with a damaged state is not changed, because the state would be replaced.
    pub(crate) async fn open(target: &Target) -> Result<Self, Error> {
        let storage = FileStorage::of(target)?;
        let mut this = Self::of_places(target, Place::all(&storage, target).await?).await?;
        for mut table in std::mem::take(&mut this.tables) {
            let state = table.place.state();
            if let Some(damage) = table.damaged.iter().find(|damage| damage.path == state) {
                this.failed.push(damage.error());
                continue;
            }
            if table.is_without_state() {
                table.adopt();
            }
            table.note_vanished();
            this.tables.push(table);
        }
        Ok(this)
    }

    /// Opens these tables of a target.
    pub(crate) async fn of_places(target: &Target, places: Vec<Place>) -> Result<Self, Error> {
        let paths = places.iter().filter_map(Place::lock).collect();
        let lock = Lock::acquire(&target.to_string(), paths)?;
        let mut this = Self { tables: Vec::new(), failed: Vec::new(), lock };
        for place in places {
            match Table::open(place, Vec::new()).await {
                Ok(table) => this.tables.push(table),
                Err(error) => this.failed.push(error),
            }
        }
        Ok(this)
    }
}
