//! Kills jobs in every phase of a run, and restarts them.
//!
//! `kill -9` leaves the process no time to clean up. After the last run, there must be the same rows as after an
//! uninterrupted job.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::phase::Phase;
use super::stored_rows::{Row, rows, rows_in_bucket};
use super::{ProgramResult, client, job, run, sandbox, series};

/// The number of days of a job, with a record per minute. Such a job lasts long enough to be killed in every phase.
const DAYS: i64 = 60;

/// The number of kills of a round, which begins without any file and ends with a complete run.
const KILLS: u32 = 12;

/// Kills jobs that write a CSV file, a Parquet file and a data set.
pub(super) async fn on_disk(folder: &Path, rounds: u32) -> ProgramResult {
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
    let mut dice = Dice(1);
    let mut kills = BTreeMap::new();
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
                let found = found.len();
                let expected = expected.len();
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
fn kill_on_disk(
    child: &mut Killable,
    path: &Path,
    dice: &mut Dice,
    undisturbed: Duration,
) -> ProgramResult<Option<Phase>> {
    let folder = path.parent().ok_or("no folder")?;
    let wanted = match dice.step() % 5 {
        0 => Some(Phase::Fetch),
        1 => Some(Phase::Merge),
        2 => Some(Phase::BeforeState),
        3 => Some(Phase::BeforeDeletion),
        _ => None,
    };
    let begun = Instant::now();
    let limit = undisturbed.mul_f64(dice.next());
    let wait = if wanted == Some(Phase::Merge) { limit.mul_f64(0.02) } else { Duration::ZERO };
    let mut since = None;
    loop {
        let is_wanted = match wanted {
            Some(wanted) => Phase::of_folder(folder)? == wanted,
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
    Phase::of_folder(folder).map(Some)
}

/// Kills jobs that write to a bucket at random times. Environment variables configure the access to the server.
pub(super) async fn in_bucket(bucket: &str, rounds: u32) -> ProgramResult {
    let sandbox = sandbox()?;
    let client = client(sandbox.base_url())?;
    // A server that has just started takes longer for its first job.
    run(&job(series(&client, "1m")?, DAYS, &format!("s3://{bucket}/first"))?).await?;
    let begun = Instant::now();
    run(&job(series(&client, "1m")?, DAYS, &format!("s3://{bucket}/whole"))?).await?;
    let undisturbed = begun.elapsed();
    let expected = rows_in_bucket(bucket, "whole", ".parquet").await?;
    println!("undisturbed, in a bucket: {:.1} s", undisturbed.as_secs_f64());
    let mut dice = Dice(7);
    let mut kills = 0;
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
        let found = rows_in_bucket(bucket, &prefix, ".parquet").await?;
        if found != expected {
            return Err(format!("{} rows in the bucket, expected {}", found.len(), expected.len()).into());
        }
    }
    println!("in a bucket: killed {kills} times, the same {} rows", expected.len());
    if kills > 0 { Ok(()) } else { Err("every job has ended before it was killed".into()) }
}

/// Starts two jobs that write different series to the same files in a bucket, and kills one of them in every other
/// round. Every job that is not killed either succeeds, or fails because the other one has written the same file.
/// Before any other run, the files or the journal must have all rows of a job that has succeeded, and all rows that
/// were there before.
pub(super) async fn two_writers(bucket: &str, rounds: u32) -> ProgramResult {
    let sandbox = sandbox()?;
    let client = client(sandbox.base_url())?;
    let mut expected = Vec::new();
    for coin in COINS {
        let series = super::series_of(&client, "1m", &["orderflow.volume_ratio"], &[coin])?;
        run(&job(series, DAYS, &format!("s3://{bucket}/alone{coin}"))?).await?;
        let rows = rows_in_bucket(bucket, &format!("alone{coin}"), ".parquet").await?;
        expected.push(rows.into_iter().collect::<BTreeSet<_>>());
    }
    let begun = Instant::now();
    let mut dice = Dice(5);
    let mut counts = WriterCounts::default();
    let mut undisturbed = Duration::from_secs(2);
    for round in 0..rounds * KILLS {
        // Four rounds use the same files, so that jobs also find files and journals of earlier jobs.
        let prefix = format!("together{}", round / 4);
        let before = everything(bucket, &prefix).await?;
        let target = format!("s3://{bucket}/{prefix}");
        let mut jobs = Vec::new();
        for coin in COINS {
            jobs.push(Killable(spawn_quietly(sandbox.base_url(), &target, coin)?));
        }
        let mut killed = None;
        if round % 2 == 1 {
            let index = usize::from(dice.next() < 0.5);
            tokio::time::sleep(undisturbed.mul_f64(dice.next())).await;
            counts.killed += u32::from(jobs[index].0.try_wait()?.is_none());
            jobs[index].0.kill()?;
            killed = Some(index);
        }
        let succeeded = counts.end(&mut jobs, killed)?;
        undisturbed = begun.elapsed() / (round + 1);
        let after = everything(bucket, &prefix).await?;
        let mut required = vec![&before];
        for index in succeeded {
            required.push(&expected[index]);
        }
        for rows in required {
            if let Some(lost) = rows.difference(&after).next() {
                return Err(format!("round {round}: two writers have lost {lost:?}").into());
            }
        }
    }
    counts.print(rounds * KILLS)
}

/// The coins of two jobs that run at the same time.
const COINS: [&str; 2] = ["BTC", "ETH"];

/// How often pairs of jobs have ended in each way.
#[derive(Default)]
struct WriterCounts {
    rejected: u32,
    killed: u32,
    both_succeeded: u32,
}

impl WriterCounts {
    /// Waits for the jobs, of which `killed` was killed, and returns the indices of those that have succeeded.
    fn end(&mut self, jobs: &mut [Killable], killed: Option<usize>) -> ProgramResult<Vec<usize>> {
        let mut succeeded = Vec::new();
        for (index, job) in jobs.iter_mut().enumerate() {
            let (status, text) = ended(job)?;
            let is_rejected = text.contains("InUse");
            if status.success() {
                succeeded.push(index);
            } else if killed != Some(index) && !is_rejected {
                return Err(format!("a job ended with {status}: {text}").into());
            }
            self.rejected += u32::from(is_rejected);
        }
        self.both_succeeded += u32::from(succeeded.len() == jobs.len());
        Ok(succeeded)
    }

    fn print(&self, rounds: u32) -> ProgramResult {
        let Self { rejected, killed, both_succeeded } = self;
        if *rejected == 0 {
            return Err("none of two concurrent writers was rejected, so nothing was tested".into());
        }
        println!(
            "two writers, {rounds} times: {rejected} rejected, {killed} killed, both succeeded {both_succeeded} times, \
             no row lost"
        );
        Ok(())
    }
}

/// The rows in the data files and in the journal of a data set in a bucket.
async fn everything(bucket: &str, prefix: &str) -> ProgramResult<BTreeSet<Row>> {
    let mut rows = rows_in_bucket(bucket, prefix, ".parquet").await?;
    rows.extend(rows_in_bucket(bucket, prefix, ".rows").await?);
    Ok(rows.into_iter().collect())
}

/// Waits for a job, and returns its messages too.
fn ended(job: &mut Killable) -> ProgramResult<(ExitStatus, String)> {
    tokio::task::block_in_place(|| {
        let mut text = String::new();
        if let Some(mut errors) = job.0.stderr.take() {
            errors.read_to_string(&mut text)?;
        }
        Ok((job.0.wait()?, text))
    })
}

/// Runs the job to its end.
fn finish(base_url: &str, target: &str) -> ProgramResult {
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
