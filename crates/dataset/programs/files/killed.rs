//! Kills jobs in every phase of a run, and restarts them.
//!
//! `kill -9` leaves the process no time to clean up. After the last run, there must be the same rows as after an
//! uninterrupted job.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use super::{Outcome, client, job, run, sandbox, series};

/// The number of days of a job, with a record per minute. Such a job lasts long enough to be killed in every phase.
const DAYS: i64 = 60;

/// The number of kills of a round, which begins without any file and ends with a complete run.
const KILLS: u32 = 12;

/// The phase of a run in which a job was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// The job had written nothing.
    Begin,
    /// There are only files of the journal.
    Fetch,
    /// A data file or a text file is unfinished.
    Merge,
    /// A data file is newer than the state, and the journal exists.
    BeforeState,
    /// The state is newer than the data files, and the journal exists.
    BeforeDeletion,
    /// The journal was deleted.
    End,
}

/// Kills jobs that write a CSV file, a Parquet file and a data set.
pub(super) async fn on_disk(folder: &Path, rounds: u32) -> Outcome {
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
    let (mut dice, mut kills) = (Dice(1), BTreeMap::new());
    for round in 0..rounds {
        for name in ["killed.csv", "killed.parquet", "killed"] {
            let path = folder.join(format!("{round}")).join(name);
            let target = path.display().to_string();
            for _ in 0..KILLS {
                let mut child = Killable(spawn(sandbox.base_url(), &target)?);
                if let Some(phase) = kill_on_disk(&mut child, &path, &mut dice, undisturbed)? {
                    *kills.entry((name, phase)).or_insert(0) += 1;
                }
            }
            finish(sandbox.base_url(), &target)?;
            let found = rows(&path)?;
            if found != expected {
                let (found, expected) = (found.len(), expected.len());
                return Err(format!("{name}: {found} rows, expected the {expected} of an undisturbed job").into());
            }
        }
        fs::remove_dir_all(folder.join(format!("{round}")))?;
    }
    println!("the same {} rows after {} kills:", expected.len(), kills.values().sum::<u32>());
    for ((name, phase), count) in kills {
        println!("  {name} {phase:?}: {count}");
    }
    Ok(())
}

/// Kills a job once it is in a random phase or after a random time, and returns the phase that the files show; `None`
/// if the job has ended before.
fn kill_on_disk(child: &mut Killable, path: &Path, dice: &mut Dice, undisturbed: Duration) -> Outcome<Option<Phase>> {
    let folder = path.parent().ok_or("no folder")?;
    let all = [Phase::Fetch, Phase::Merge, Phase::BeforeState, Phase::BeforeDeletion];
    let wanted = all.into_iter().nth(usize::try_from(dice.step() % 5)?);
    let (begun, limit) = (Instant::now(), undisturbed.mul_f64(dice.next()));
    let wait = if wanted == Some(Phase::Merge) { limit.mul_f64(0.02) } else { Duration::ZERO };
    let mut since = None;
    loop {
        let is_wanted = match wanted {
            Some(wanted) => phase(folder)? == wanted,
            None => begun.elapsed() >= limit,
        };
        // A merge is killed at a random time after its begin.
        if is_wanted && since.get_or_insert_with(Instant::now).elapsed() >= wait {
            break;
        }
        if let Some(status) = child.0.try_wait()? {
            return if status.success() { Ok(None) } else { Err(format!("a job ended with {status}").into()) };
        }
    }
    child.0.kill()?;
    child.0.wait()?;
    phase(folder).map(Some)
}

/// Returns the phase that the files below a folder show.
fn phase(folder: &Path) -> Outcome<Phase> {
    let mut found = Vec::new();
    all_files(folder, &mut found)?;
    let has = |extension: &str| found.iter().any(|(path, _)| path.extension().is_some_and(|found| found == extension));
    let newest = |extensions: &[&str]| {
        let of = |path: &PathBuf| extensions.iter().any(|known| path.extension().is_some_and(|found| found == *known));
        found.iter().filter(|(path, _)| of(path)).map(|(_, time)| *time).max()
    };
    let (data, state) = (newest(&["parquet", "csv"]), newest(&["json"]));
    // Two tables of a data set are written one after the other, so the newest file shows the phase of the run.
    let rows = newest(&["rows"]);
    Ok(match (has("unfinished"), has("rows")) {
        (true, _) if found.iter().any(|(path, _)| is_unfinished_data(path)) => Phase::Merge,
        (_, false) if data.is_some() => Phase::End,
        (_, false) => Phase::Begin,
        (_, true) if data < rows => Phase::Fetch,
        (_, true) if data > state => Phase::BeforeState,
        (_, true) => Phase::BeforeDeletion,
    })
}

/// Returns whether a path is that of an unfinished data file or text file.
fn is_unfinished_data(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.ends_with(".parquet.unfinished") || name.ends_with(".csv.unfinished")
}

/// Finds all files below a folder, with the times of their last changes. Files that are deleted meanwhile are ignored.
fn all_files(folder: &Path, found: &mut Vec<(PathBuf, SystemTime)>) -> Outcome {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        match fs::metadata(&path) {
            Ok(data) if data.is_dir() => all_files(&path, found)?,
            Ok(data) => found.push((path, data.modified()?)),
            Err(_) => {}
        }
    }
    Ok(())
}

/// Kills jobs that write to a bucket at random times. Environment variables configure the access to the server.
pub(super) async fn in_bucket(bucket: &str, rounds: u32) -> Outcome {
    let sandbox = sandbox()?;
    let client = client(sandbox.base_url())?;
    let whole = format!("s3://{bucket}/whole");
    let begun = Instant::now();
    run(&job(series(&client, "1m")?, DAYS, &whole)?).await?;
    let (undisturbed, expected) = (begun.elapsed(), stored(bucket, "whole", ".parquet").await?);
    println!("undisturbed, in a bucket: {:.1} s", undisturbed.as_secs_f64());
    let (mut dice, mut kills) = (Dice(7), 0);
    for round in 0..rounds {
        let prefix = format!("killed{round}");
        for _ in 0..KILLS {
            let mut child = Killable(spawn(sandbox.base_url(), &format!("s3://{bucket}/{prefix}"))?);
            tokio::time::sleep(undisturbed.mul_f64(dice.next())).await;
            match child.0.try_wait()? {
                Some(status) if !status.success() => return Err(format!("a job ended with {status}").into()),
                Some(_) => {}
                None => kills += 1,
            }
        }
        finish(sandbox.base_url(), &format!("s3://{bucket}/{prefix}"))?;
        let found = stored(bucket, &prefix, ".parquet").await?;
        if found != expected {
            return Err(format!("{} rows in the bucket, expected {}", found.len(), expected.len()).into());
        }
    }
    println!("in a bucket: killed {kills} times, the same {} rows", expected.len());
    Ok(())
}

/// Starts two jobs that write different series to the same files in a bucket, and kills one of them in every other
/// round. Every job that is not killed either succeeds, or fails because the other one has written the same file.
/// Before any other run, the files or the journal must have all rows of a job that has succeeded, and all rows that
/// were there before.
pub(super) async fn two_writers(bucket: &str, rounds: u32) -> Outcome {
    let sandbox = sandbox()?;
    let client = client(sandbox.base_url())?;
    let (coins, mut expected) = (["BTC", "ETH"], Vec::new());
    for coin in coins {
        let series = super::series_of(&client, "1m", &["orderflow.volume_ratio"], &[coin])?;
        run(&job(series, DAYS, &format!("s3://{bucket}/alone{coin}"))?).await?;
        let rows = stored(bucket, &format!("alone{coin}"), ".parquet").await?;
        expected.push(rows.into_iter().collect::<BTreeSet<_>>());
    }
    let begun = Instant::now();
    let (mut dice, mut rejected, mut kills, mut both) = (Dice(5), 0, 0, 0);
    let mut undisturbed = Duration::from_secs(2);
    for round in 0..rounds * KILLS {
        // Four rounds use the same files, so that jobs also find files and journals of earlier jobs.
        let prefix = format!("together{}", round / 4);
        let before = everything(bucket, &prefix).await?;
        let target = format!("s3://{bucket}/{prefix}");
        let start = |coin: &str| spawn_quietly(sandbox.base_url(), &target, coin).map(Killable);
        let mut jobs = [start(coins[0])?, start(coins[1])?];
        let killed = (round % 2 == 1).then_some(usize::from(dice.next() < 0.5));
        if let Some(killed) = killed {
            tokio::time::sleep(undisturbed.mul_f64(dice.next())).await;
            kills += u32::from(jobs[killed].0.try_wait()?.is_none());
            jobs[killed].0.kill()?;
        }
        let mut succeeded = Vec::new();
        for (index, job) in jobs.iter_mut().enumerate() {
            let (status, text) = ended(job)?;
            let is_rejected = text.contains("InUse");
            if killed != Some(index) && !status.success() && !is_rejected {
                return Err(format!("a job ended with {status}: {text}").into());
            }
            succeeded.extend(status.success().then_some(&expected[index]));
            rejected += u32::from(is_rejected);
        }
        both += u32::from(succeeded.len() == 2);
        undisturbed = begun.elapsed() / (round + 1);
        let after = everything(bucket, &prefix).await?;
        if let Some(lost) = succeeded.into_iter().chain([&before]).flat_map(|rows| rows.difference(&after)).next() {
            return Err(format!("round {round}: two writers have lost {lost:?}").into());
        }
    }
    if rejected == 0 {
        return Err("none of two concurrent writers was rejected, so nothing was tested".into());
    }
    println!(
        "two writers, {} times: {rejected} rejected, {kills} killed, both succeeded {both} times, no row lost",
        rounds * KILLS
    );
    Ok(())
}

/// Returns the rows in the data files and in the journal of a data set in a bucket.
async fn everything(bucket: &str, prefix: &str) -> Outcome<BTreeSet<Row>> {
    let (data, journal) = (stored(bucket, prefix, ".parquet").await?, stored(bucket, prefix, ".rows").await?);
    Ok(data.into_iter().chain(journal).collect())
}

/// Waits for a job, and returns its messages.
fn ended(job: &mut Killable) -> Outcome<(ExitStatus, String)> {
    tokio::task::block_in_place(|| {
        let mut text = String::new();
        job.0.stderr.take().map(|mut errors| errors.read_to_string(&mut text)).transpose()?;
        Ok((job.0.wait()?, text))
    })
}

/// Returns the rows of the files of a data set in a bucket that have this ending.
#[cfg(feature = "s3")]
async fn stored(bucket: &str, prefix: &str, ending: &str) -> Outcome<Vec<Row>> {
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
async fn stored(_: &str, _: &str, _: &str) -> Outcome<Vec<Row>> {
    std::future::ready(Err("this was built without the feature `s3`".into())).await
}

/// Runs the job to its end.
fn finish(base_url: &str, target: &str) -> Outcome {
    let status = tokio::task::block_in_place(|| spawn(base_url, target)?.wait())?;
    if status.success() { Ok(()) } else { Err(format!("the last run ended with {status}").into()) }
}

fn spawn(base_url: &str, target: &str) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?).args(["job", base_url, target, &DAYS.to_string()]).spawn()
}

/// Starts a job for one coin.
fn spawn_quietly(base_url: &str, target: &str, coin: &str) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["job", base_url, target, &DAYS.to_string(), coin]).stderr(Stdio::piped()).spawn()
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
    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 11
    }

    #[allow(clippy::cast_precision_loss)] // An `f64` is exact up to 53 bits.
    fn next(&mut self) -> f64 {
        self.step() as f64 / (1_u64 << 53) as f64
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
    let mut lines = generated_client_dataset::TextWriter::csv(Vec::new());
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
