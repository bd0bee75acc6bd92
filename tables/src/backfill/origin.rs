//! Where the rows of a target come from: one word for all of them.
//!
//! The word of a job comes in and is compared with the one that stands beside the rows; it is written down before any
//! of them, so that rows that a test server invents never get among real ones. The address of a service is no such
//! word: it may change, and may hold a secret.

use super::Backfill;
use super::inventory::Place;
use crate::error::Error;
use crate::layout;

/// The word of jobs that name none, and of rows beside which none stands.
pub(super) const SERVICE: &str = "service";

/// A file whose name hides it from readers of the data.
const ORIGIN: &str = ".origin";

/// Fails if a job's rows come from elsewhere than those that are there.
pub(super) async fn check(job: &Backfill, place: &Place) -> Result<(), Error> {
    let base = place.file.as_ref().and_then(|file| Some((file, file.base.as_ref()?)));
    if let Some((file, base)) = base {
        return same(file.path.display(), base.origin().unwrap_or(SERVICE), job);
    }
    let known = match written(place).await? {
        Some(known) => known,
        None if job.origin == SERVICE || !has_rows(place).await? => return Ok(()),
        None => SERVICE.to_owned(),
    };
    same(place.storage.name(""), &known, job)
}

/// Writes down where a job's rows come from, unless that stands there.
pub(super) async fn note(job: &Backfill, place: &Place) -> Result<(), Error> {
    match written(place).await? {
        // Somebody else may have begun meanwhile.
        Some(known) => same(place.storage.name(""), &known, job),
        None => place.storage.put(ORIGIN, job.origin.clone().into_bytes()).await,
    }
}

/// Whether rows are there; other files in a folder are the user's.
async fn has_rows(place: &Place) -> Result<bool, Error> {
    let is_part = |path: &String| layout::read_part(path).is_some() || layout::read_open_part(path).is_some();
    Ok(place.storage.list("").await?.iter().any(is_part))
}

async fn written(place: &Place) -> Result<Option<String>, Error> {
    let found = place.storage.find(ORIGIN).await?;
    Ok(found.map(|text| String::from_utf8_lossy(&text).trim().to_owned()))
}

fn same(place: impl std::fmt::Display, known: &str, job: &Backfill) -> Result<(), Error> {
    if known == job.origin {
        return Ok(());
    }
    let asked = &job.origin;
    Err(Error::unfit(format!(
        "{place}: the rows there come from `{known}`, and those of this job from `{asked}`; name another file or folder"
    )))
}
