//! The rows of files and data sets, as text, so that those of different formats can be compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use super::ProgramResult;

/// The cells of a row that are not empty, by column.
pub(super) type Row = BTreeMap<String, String>;

/// The sorted rows of a file or a data set, including duplicates.
pub(super) fn rows(path: &Path) -> ProgramResult<Vec<Row>> {
    let mut rows = match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => parsed(&fs::read_to_string(path)?)?,
        Some(_) => parsed(&csv(fs::File::open(path)?)?)?,
        None => {
            let mut rows = Vec::new();
            for file in files(path)? {
                rows.extend(parsed(&csv(fs::File::open(&file)?)?)?);
            }
            rows
        }
    };
    rows.sort();
    Ok(rows)
}

/// The sorted rows of the files of a data set in a bucket that have this ending.
#[cfg(feature = "s3")]
pub(super) async fn rows_in_bucket(bucket: &str, prefix: &str, ending: &str) -> ProgramResult<Vec<Row>> {
    use object_store::{ObjectStore as _, ObjectStoreExt as _};

    let store = object_store::aws::AmazonS3Builder::from_env().with_bucket_name(bucket).build()?;
    let mut objects = store.list(Some(&object_store::path::Path::from(prefix)));
    let mut rows = Vec::new();
    while let Some(object) = std::future::poll_fn(|cx| objects.as_mut().poll_next(cx)).await {
        let path = object?.location;
        if path.filename().is_some_and(|name| name.ends_with(ending)) {
            rows.extend(parsed(&csv(store.get(&path).await?.bytes().await?)?)?);
        }
    }
    rows.sort();
    Ok(rows)
}

#[cfg(not(feature = "s3"))]
pub(super) async fn rows_in_bucket(_: &str, _: &str, _: &str) -> ProgramResult<Vec<Row>> {
    std::future::ready(Err("this was built without the feature `s3`".into())).await
}

fn csv(file: impl ChunkReader + 'static) -> ProgramResult<String> {
    let input = ParquetRecordBatchReaderBuilder::try_new(file)?;
    let mut lines = generated_client_dataset::TextWriter::csv(Vec::new());
    for batch in input.build()? {
        lines.write(&batch?)?;
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}

fn parsed(csv: &str) -> ProgramResult<Vec<Row>> {
    let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers()?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record?;
        let mut row = Row::new();
        for (name, value) in names.iter().zip(&record) {
            // Jobs that were killed have fetched the same rows later.
            if !value.is_empty() && name != "fetched_at" {
                row.insert(name.to_owned(), value.to_owned());
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The data files below a folder.
fn files(folder: &Path) -> ProgramResult<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // A killed run leaves hidden files, which readers ignore.
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}
