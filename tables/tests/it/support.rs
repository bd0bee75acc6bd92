//! A sandbox, the series that are asked of it, and what files hold.

use std::fs::File;
use std::path::{Path, PathBuf};

use generated_client::{Client, GROUPS, RateLimit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use runtime::registry::EndpointInfo;
use sandbox::{Builder, Sandbox};
use tables::{Backfill, Event, Lines, Series, Summary, Target};

pub(crate) const HOUR: i64 = 3_600;
pub(crate) const DAY: i64 = 24 * HOUR;

/// 2024-06-15T00:00:00Z.
pub(crate) const END: i64 = 1_718_409_600;

pub(crate) async fn sandbox(with: impl FnOnce(Builder) -> Builder) -> Sandbox {
    with(Sandbox::builder().stop_clock_at(END + 12 * HOUR)).start().await.unwrap()
}

pub(crate) fn client(sandbox: &Sandbox) -> Client {
    Client::builder(sandbox.base_url()).api_key("any").rate_limit(RateLimit::none()).build().unwrap()
}

pub(crate) fn endpoint(name: &str) -> &'static EndpointInfo {
    let mut all = GROUPS.iter().flat_map(|group| group.endpoints);
    all.find(|endpoint| endpoint.to_string() == name).unwrap()
}

/// A series by hours.
pub(crate) fn hours(client: &Client, name: &str, coin: &str) -> Series {
    series(client, name, coin, "1h")
}

pub(crate) fn series(client: &Client, name: &str, coin: &str, step: &str) -> Series {
    let request = client.endpoint(endpoint(name)).query("exchange", "binance_perp_stable").query("coin", coin);
    Series::new(request.query("timeframe", step)).unwrap()
}

pub(crate) fn job(series: Vec<Series>, from: i64, to: i64, target: &Path) -> Backfill {
    Backfill::new(series, from..to, Target::parse(target.to_str().unwrap()).unwrap())
}

pub(crate) async fn run(job: &Backfill) -> Summary {
    job.run(|_: &Event| {}, std::future::pending()).await.unwrap()
}

/// Every file below a folder that is not hidden, by its path in it.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.unwrap().path();
            let is_hidden = path.file_name().unwrap().to_str().unwrap().starts_with('.');
            match path.is_dir() {
                _ if is_hidden => {}
                true => visit(&path, found),
                false => found.push(path),
            }
        }
    }
    let mut found = Vec::new();
    visit(folder, &mut found);
    let mut names: Vec<_> =
        found.iter().map(|path| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// The rows of Parquet files as lines of CSV, in order.
pub(crate) fn rows(paths: &[PathBuf]) -> Vec<String> {
    let mut all = Vec::new();
    for path in paths {
        let mut lines = Lines::csv(Vec::new());
        for batch in ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap().build().unwrap() {
            lines.write(&batch.unwrap()).unwrap();
        }
        all.extend(String::from_utf8(lines.into_inner().unwrap()).unwrap().lines().skip(1).map(str::to_owned));
    }
    all.sort();
    all
}

/// The same of all files of a data set.
pub(crate) fn data_set(folder: &Path) -> Vec<String> {
    rows(&files(folder).iter().map(|name| folder.join(name)).collect::<Vec<_>>())
}
