//! Rebuilds the state of a target from the metadata of its files.

use std::collections::BTreeMap;

use crate::error::{Error, quoted};
use crate::file_storage::FileStorage;
use crate::locked_tables::LockedTables;
use crate::place::Place;
use crate::target::Target;

/// Rebuilds the states of the tables of a data set that have none, for example after its folder was copied without
/// `.backfill`. Returns the paths of their series.
///
/// The files do not list the times that were requested and have no record; a run requests them again.
pub async fn adopt(target: &Target) -> Result<Vec<String>, Error> {
    let storage = FileStorage::of(target)?;
    if let Target::File { path, .. } = target {
        let why = "a single file needs no other state; run the backfill again to continue it";
        return Err(Error::invalid_input(format!("{}: {why}", quoted(path))));
    }
    let mut places = BTreeMap::new();
    for (path, _) in storage.list("").await? {
        if let Some(place) = Place::of_data(&storage, &path) {
            places.entry(place.home.clone()).or_insert(place);
        }
    }
    let mut without_state = Vec::new();
    for place in places.into_values() {
        if storage.open(&place.state()).await?.is_none() {
            without_state.push(place);
        }
    }
    let mut locked = LockedTables::of_places(target, without_state).await?;
    let mut adopted = Vec::new();
    for table in &mut locked.tables {
        table.damage().map_or(Ok(()), Err)?;
        table.adopt();
        table.save().await?;
        adopted.extend(table.state.series.keys().cloned());
    }
    Ok(adopted)
}
