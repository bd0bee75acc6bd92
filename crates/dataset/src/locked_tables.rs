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
    /// The lock, which ends when it is dropped.
    pub(crate) lock: Lock,
}

impl LockedTables {
    /// Opens all tables of a target.
    pub(crate) async fn open(target: &Target) -> Result<Self, Error> {
        let storage = FileStorage::of(target)?;
        let places = Place::all(&storage, target).await?;
        Self::of_places(target, places).await
    }

    /// Opens these tables of a target.
    pub(crate) async fn of_places(target: &Target, places: Vec<Place>) -> Result<Self, Error> {
        let paths = places.iter().filter_map(Place::lock).collect();
        let lock = Lock::acquire(&target.to_string(), paths)?;
        let mut tables = Vec::new();
        for place in places {
            let mut table = Table::open(place, Vec::new()).await?;
            // A damaged state is moved aside by a run, and not replaced here.
            let state = table.place.state();
            if let Some(damage) = table.damaged.iter().find(|damage| damage.path == state) {
                return Err(damage.error());
            }
            table.note_missing();
            tables.push(table);
        }
        Ok(Self { tables, lock })
    }
}
