//! Retires series: their rows stay, and no run requests them.

use runtime::Timestamp;

use crate::error::Error;
use crate::locked_tables::LockedTables;
use crate::saved_state::SeriesState;
use crate::target::Target;

/// Retires series of a target, or ends that. Returns the paths of the series that have changed.
///
/// The rows of a retired series stay, no run requests it, even if a job lists it, and its age is not judged.
/// `is_selected` gets the [path](crate::SeriesStatus::path) of each series.
pub async fn retire(
    target: &Target,
    is_selected: impl Fn(&str) -> bool,
    is_retired: bool,
) -> Result<Vec<String>, Error> {
    let mut locked = LockedTables::open(target).await?;
    let now = Timestamp::now();
    let mut changed = Vec::new();
    for table in &mut locked.tables {
        for (path, (_, rows)) in table.current().into_iter().filter(|(path, _)| is_selected(path)) {
            let state = table.state.series.entry(path.clone()).or_insert_with(|| SeriesState::new(&rows));
            if state.retired.is_some() != is_retired {
                state.retired = is_retired.then_some(now);
                changed.push(path);
            }
        }
        table.save().await?;
    }
    Ok(changed)
}
