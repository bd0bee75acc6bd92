//! Measures time and memory: each round runs every command once, and the result is the median of all rounds.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::command::output;

/// The time and memory of one run.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    /// Elapsed seconds.
    pub(crate) wall: f64,
    /// Processor seconds, which other programs on the machine affect less than elapsed seconds.
    pub(crate) processor: f64,
    /// The peak memory of the process that used the most memory, in MiB.
    pub(crate) memory: f64,
}

/// A command to time, and its preparation, which is not timed.
pub(crate) struct Turn<'a> {
    pub(crate) before: Box<dyn Fn() -> Result<(), String> + 'a>,
    pub(crate) command: Box<dyn Fn() -> Command + 'a>,
}

/// The medians of each command, in the order of `turns`.
pub(crate) fn medians(rounds: usize, turns: &[Turn<'_>]) -> Result<Vec<Took>, String> {
    let mut took = vec![Vec::new(); turns.len()];
    for _ in 0..rounds.max(1) {
        for (turn, took) in turns.iter().zip(&mut took) {
            (turn.before)()?;
            took.push(time(&(turn.command)())?);
        }
    }
    let median = |took: &Vec<Took>, value: fn(&Took) -> f64| median(took.iter().map(value).collect());
    let medians = took.iter().map(|took| Took {
        wall: median(took, |took| took.wall),
        processor: median(took, |took| took.processor),
        memory: median(took, |took| took.memory),
    });
    Ok(medians.collect())
}

/// The median of some numbers.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

/// Runs a command once under the program `time`, which every Linux distribution offers as a package.
fn time(command: &Command) -> Result<Took, String> {
    let program = Path::new("/usr/bin/time");
    if !program.exists() {
        return Err("/usr/bin/time is missing; run `apt-get install time`".to_owned());
    }
    let mut timed = Command::new(program);
    timed.args(["--format", "%U %S %M"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => timed.env(name, value),
            None => timed.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        timed.current_dir(folder);
    }
    let start = Instant::now();
    let (_, stderr) = output(&mut timed)?;
    let wall = start.elapsed().as_secs_f64();
    let numbers: Vec<f64> =
        stderr.lines().last().unwrap_or_default().split(' ').filter_map(|n| n.parse().ok()).collect();
    match numbers[..] {
        [user, system, kibibytes] => Ok(Took { wall, processor: user + system, memory: kibibytes / 1024.0 }),
        _ => Err(format!("`time` printed {stderr:?}")),
    }
}
