//! Ends the marks of a target: fields that the service no longer sends, and rows that were lost.

use runtime::Timestamp;

use crate::error::Error;
use crate::locked_tables::LockedTables;
use crate::target::Target;

/// The marks that [`acknowledge`] has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Acknowledged {
    /// Fields that the service no longer sends, as `ENDPOINT FIELD`.
    pub fields: Vec<String>,
    /// Damaged and missing files with lost rows.
    pub files: Vec<String>,
}

/// Ends all marks of a target, or only that of a field. A field that the service sends again and that vanishes later is
/// marked again.
pub async fn acknowledge(target: &Target, field: Option<&str>) -> Result<Acknowledged, Error> {
    let mut locked = LockedTables::open(target).await?;
    let now = Timestamp::now();
    let mut ended = Acknowledged::default();
    for table in &mut locked.tables {
        let marks = &mut table.state.marks;
        for (endpoint, fields) in &mut marks.fields {
            for (name, mark) in fields.iter_mut().filter(|(name, _)| field.is_none_or(|field| field == *name)) {
                if mark.acknowledged.replace(now).is_none() {
                    ended.fields.push(format!("{endpoint} {name}"));
                }
            }
            // The service has sent the field again.
            fields.retain(|_, mark| mark.acknowledged.is_none() || !mark.series.is_empty());
        }
        marks.fields.retain(|_, fields| !fields.is_empty());
        if field.is_none() {
            for mark in marks.lost.iter_mut().filter(|mark| mark.acknowledged.is_none()) {
                mark.acknowledged = Some(now);
                ended.files.push(mark.file.clone());
            }
        }
        table.save().await?;
    }
    ended.fields.sort();
    ended.fields.dedup();
    Ok(ended)
}
