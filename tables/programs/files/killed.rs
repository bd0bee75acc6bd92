//! Kills a job at ten random points and restarts it each time.
//!
//! `kill -9` leaves the process no time to clean up. After the last run, there must be the same rows as after an
//! uninterrupted job.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use super::{Outcome, client, job, run, sandbox, series};

/// The number of days of a job on disk, with four series and a record per minute. Such a job lasts long enough to be
/// killed several times.
const DAYS: i64 = 365;

/// The number of days of a job in a bucket. It is smaller than `DAYS`, because test servers write objects slowly.
const BUCKET_DAYS: i64 = 60;

const KILLS: u32 = 10;

/// Kills jobs that write a CSV file, a Parquet file and a data set.
pub(super) async fn on_disk(folder: &Path) -> Outcome {
    let sandbox = sandbox()?;
    let client = client(sandbox.base_url())?;
    let whole = format!("{}/whole.csv", folder.display());
    let begun = Instant::now();
    let summary = run(&job(series(&client, "1m")?, DAYS, &whole)?).await?;
    let undisturbed = begun.elapsed();
    println!(
        "undisturbed: {} rows in {:.1} s, {} requests",
        summary.records,
        undisturbed.as_secs_f64(),
        summary.requests
    );
    let expected = rows(Path::new(&whole))?;
    for (seed, name) in ["killed.csv", "killed.parquet", "killed"].into_iter().enumerate() {
        let target = format!("{}/{name}", folder.display());
        let before = sandbox.counts().requests;
        let kills = killed(sandbox.base_url(), &target, DAYS, undisturbed, u64::try_from(seed)?).await?;
        let found = rows(Path::new(&target))?;
        if found != expected {
            return Err(
                format!("{name}: {} rows, expected the {} of an undisturbed job", found.len(), expected.len()).into()
            );
        }
        let requests = sandbox.counts().requests - before;
        println!("{name}: killed {kills} times, the same {} rows, {requests} requests", found.len());
    }
    Ok(())
}

/// Kills a job that writes to a bucket. Environment variables configure the access to the server.
pub(super) async fn in_bucket(bucket: &str) -> Outcome {
    let sandbox = sandbox()?;
    let client = client(sandbox.base_url())?;
    let (whole, target) = (format!("s3://{bucket}/whole"), format!("s3://{bucket}/killed"));
    let begun = Instant::now();
    run(&job(series(&client, "1m")?, BUCKET_DAYS, &whole)?).await?;
    let undisturbed = begun.elapsed();
    println!("undisturbed, in a bucket: {:.1} s", undisturbed.as_secs_f64());
    let kills = killed(sandbox.base_url(), &target, BUCKET_DAYS, undisturbed, 7).await?;
    let (expected, found) = (stored(bucket, "whole").await?, stored(bucket, "killed").await?);
    if found != expected {
        return Err(format!("{} rows in the bucket, expected {}", found.len(), expected.len()).into());
    }
    println!("in a bucket: killed {kills} times, the same {} rows", found.len());
    Ok(())
}

/// Starts two jobs that write the same data set in a bucket, and kills one of them, ten times. A job that is not killed
/// succeeds or fails because the other one has written the same file. In the end, no row is missing.
pub(super) async fn two_writers(bucket: &str) -> Outcome {
    let sandbox = sandbox()?;
    let client = client(sandbox.base_url())?;
    let (whole, target) = (format!("s3://{bucket}/alone"), format!("s3://{bucket}/together"));
    let begun = Instant::now();
    run(&job(series(&client, "1m")?, BUCKET_DAYS, &whole)?).await?;
    let (undisturbed, mut dice, mut rejected) = (begun.elapsed(), Dice(5), 0);
    for _ in 0..KILLS {
        let start = || spawn_quietly(sandbox.base_url(), &target, BUCKET_DAYS).map(Killable);
        let (mut first, mut second) = (start()?, start()?);
        tokio::time::sleep(undisturbed.mul_f64(dice.next() * 1.5)).await;
        let (killed, left) = if dice.next() < 0.5 { (&mut first, &mut second) } else { (&mut second, &mut first) };
        killed.0.kill()?;
        let output = tokio::task::block_in_place(|| {
            let mut text = String::new();
            let read = left.0.stderr.take().map(|mut errors| errors.read_to_string(&mut text)).transpose();
            read.and_then(|_| Ok((left.0.wait()?, text)))
        })?;
        match output {
            (status, _) if status.success() => {}
            (_, text) if text.contains("InUse") => rejected += 1,
            (status, text) => return Err(format!("a job ended with {status}: {text}").into()),
        }
    }
    run(&job(series(&client, "1m")?, BUCKET_DAYS, &target)?).await?;
    let (expected, found) = (stored(bucket, "alone").await?, stored(bucket, "together").await?);
    if found != expected {
        return Err(format!("{} rows of two writers, expected {}", found.len(), expected.len()).into());
    }
    println!("two writers, {KILLS} kills, {rejected} rejected: the same {} rows", found.len());
    Ok(())
}

/// Returns the rows of a data set in a bucket.
#[cfg(feature = "s3")]
async fn stored(bucket: &str, prefix: &str) -> Outcome<Vec<Row>> {
    use object_store::{ObjectStore as _, ObjectStoreExt as _};

    let store = object_store::aws::AmazonS3Builder::from_env().with_bucket_name(bucket).build()?;
    let mut objects = store.list(Some(&object_store::path::Path::from(prefix)));
    let mut rows = Vec::new();
    while let Some(object) = std::future::poll_fn(|cx| objects.as_mut().poll_next(cx)).await {
        let path = object?.location;
        if path.filename().is_some_and(|name| name.ends_with(".parquet")) {
            rows.extend(parsed(&csv(store.get(&path).await?.bytes().await?)?)?);
        }
    }
    rows.sort();
    Ok(rows)
}

#[cfg(not(feature = "s3"))]
async fn stored(_: &str, _: &str) -> Outcome<Vec<Row>> {
    std::future::ready(Err("this was built without the feature `s3`".into())).await
}

/// Starts the job repeatedly and kills it at random times. Then runs the job to its end, and returns the number of
/// kills.
async fn killed(base_url: &str, target: &str, days: i64, undisturbed: Duration, seed: u64) -> Outcome<u32> {
    let (mut dice, mut kills) = (Dice(seed), 0);
    for _ in 0..KILLS {
        let mut child = Killable(spawn(base_url, target, days)?);
        // On average, all waits together last three quarters of a complete run, so that most kills hit an unfinished job.
        let wait = undisturbed.mul_f64(dice.next() * 1.5 / f64::from(KILLS));
        tokio::time::sleep(wait).await;
        if let Some(status) = child.0.try_wait()? {
            if !status.success() {
                return Err(format!("the job ended with {status}").into());
            }
            continue;
        }
        kills += 1;
    }
    let status = tokio::task::spawn_blocking({
        let (base_url, target) = (base_url.to_owned(), target.to_owned());
        move || spawn(&base_url, &target, days)?.wait()
    })
    .await??;
    if !status.success() {
        return Err(format!("the last run ended with {status}").into());
    }
    Ok(kills)
}

fn spawn(base_url: &str, target: &str, days: i64) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?).args(["job", base_url, target, &days.to_string()]).spawn()
}

fn spawn_quietly(base_url: &str, target: &str, days: i64) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["job", base_url, target, &days.to_string()]).stderr(Stdio::piped()).spawn()
}

/// A process that is killed with SIGKILL when the value is dropped.
struct Killable(Child);

impl Drop for Killable {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Pseudo-random numbers from 0 to 1, which are the same in every run.
struct Dice(u64);

impl Dice {
    #[allow(clippy::cast_precision_loss)] // An `f64` is exact up to 53 bits.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The cells of a row that are not empty, by column.
type Row = BTreeMap<String, String>;

/// Returns the sorted rows of a file or a data set, including duplicates.
fn rows(path: &Path) -> Outcome<Vec<Row>> {
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

fn csv(file: impl ChunkReader + 'static) -> Outcome<String> {
    let input = ParquetRecordBatchReaderBuilder::try_new(file)?;
    let mut lines = generated_client_tables::TextWriter::csv(Vec::new());
    for batch in input.build()? {
        lines.write(&batch?)?;
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}

fn parsed(csv: &str) -> Outcome<Vec<Row>> {
    let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers()?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record?;
        let cells = names.iter().zip(&record).map(|(name, value)| (name.to_owned(), value.to_owned()));
        rows.push(cells.filter(|(_, value)| !value.is_empty()).collect());
    }
    Ok(rows)
}

fn files(folder: &Path) -> Outcome<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // A killed run leaves hidden files, which readers ignore.
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match path.is_dir() {
            _ if is_hidden => {}
            true => found.extend(files(&path)?),
            false => found.push(path),
        }
    }
    Ok(found)
}
