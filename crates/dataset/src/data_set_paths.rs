//! The names of the files of a target, and the places where a command may write another file.

use std::path::{Path, PathBuf};

use crate::error::{Error, quoted};
use crate::partition::Partition;
use crate::target::Target;

/// The folder of a data set with everything that is not data.
pub(crate) const HOME: &str = ".backfill";

/// The name of the file with the state of a table.
pub(crate) const STATE: &str = "state.json";

/// The end of the name of the folder with the state of a single file.
pub(crate) const PARTS: &str = ".parts";

/// The name of the file with the earlier values of rows.
pub(crate) const REVISIONS: &str = "revisions.gz";

/// The extension of the files of a journal, which no reader takes for data.
pub(crate) const JOURNAL: &str = ".rows";

/// Rejects the folder of an endpoint in a data set and every path in it, because readers would read its rows as rows of
/// the data set.
pub(crate) fn reject_part(target: &Target) -> Result<(), Error> {
    let (Target::File { path, .. } | Target::Folder(path)) = target else { return Ok(()) };
    for folder in real_path(path).ancestors() {
        if let Some(root) = folder.parent()
            && has_endpoint(root, folder)
        {
            let data_set = as_written(path, root);
            let name = quoted(path);
            return Err(Error::invalid_input(format!("{name}: part of the data set {}; name that", quoted(data_set))));
        }
    }
    Ok(())
}

/// Rejects a file in a data set, a file that a backfill has written, and a file in the folder of its state, because
/// another content would damage them.
pub fn check_new_file(path: &Path) -> Result<(), Error> {
    let whole = real_path(path);
    let mut state = whole.clone().into_os_string();
    state.push(PARTS);
    for folder in whole.ancestors().skip(1) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if folder.join(HOME).is_dir() || name.ends_with(PARTS) && folder.join(STATE).exists() {
            let whole = quoted(as_written(path, folder));
            return Err(Error::invalid_input(format!("{}: part of {whole}; name a file elsewhere", quoted(path))));
        }
    }
    if Path::new(&state).join(STATE).exists() {
        let why = "a backfill has written it, and continues it; name another file";
        return Err(Error::invalid_input(format!("{}: {why}", quoted(path))));
    }
    Ok(())
}

/// The path after symbolic links. The last parts of a path may not exist yet.
fn real_path(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_default();
    for known in absolute.ancestors() {
        if let (Ok(real), Ok(rest)) = (known.canonicalize(), absolute.strip_prefix(known)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    absolute
}

/// `true` if a folder is that of an endpoint of a data set.
fn has_endpoint(root: &Path, folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let Ok(tables) = root.join(HOME).read_dir() else { return false };
    for table in tables.flatten() {
        if let Some(table) = table.file_name().to_str()
            && let Some((endpoint, _)) = table.rsplit_once('-')
            && endpoint == name
        {
            return true;
        }
    }
    false
}

/// A folder above a path as the caller has written it.
fn as_written(path: &Path, folder: &Path) -> PathBuf {
    let mut ancestors = path.ancestors();
    let written = ancestors.find(|path| path.canonicalize().is_ok_and(|path| path == folder)).unwrap_or(folder);
    Path::new(".").join(written.strip_prefix(".").unwrap_or(written))
}

/// `true` if a path is that of a file of a data set: `ENDPOINT/INTERVAL-PERIOD.parquet`.
pub(crate) fn is_part(path: &str) -> bool {
    let Some((_, name)) = path.split_once('/') else { return false };
    let Some(name) = name.strip_suffix(".parquet") else { return false };
    let Some((interval, period)) = name.split_once('-') else { return false };
    !interval.contains('/') && Partition::read(period).is_some()
}

/// The path of a file of a data set while it is being written: in the folder of its journal, because nothing
/// but data is written to the folders with the data.
pub(crate) fn unfinished(path: &str) -> Option<String> {
    if !is_part(path) {
        return None;
    }
    let (endpoint, name) = path.split_once('/')?;
    let (interval, period) = name.split_once('-')?;
    Some(format!("{HOME}/{endpoint}-{interval}/{period}.unfinished"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_data_set_have_an_endpoint_an_interval_and_a_period() {
        assert!(is_part("a.e/1h-2024-06-15.parquet"));
        for other in ["", "1h-2024.parquet", "e/x/1h-2024.parquet", "e/1h-2024 (copy).parquet", "e/1h-2024.csv"] {
            assert!(!is_part(other), "{other}");
        }
        assert_eq!(
            unfinished("a.e/1h-2024-06.parquet").as_deref(),
            Some(".backfill/a.e-1h/2024-06.parquet.unfinished")
        );
    }
}
