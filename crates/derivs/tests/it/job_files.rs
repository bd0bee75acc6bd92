//! Tests of `backfill --job`.

use test_endpoints::{Metric, metric};

use crate::backfill::{rows, two};
use crate::support::{self, run};

#[test]
fn job_file_is_equivalent_to_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let (job, file) = (folder.path().join("job.toml"), folder.path().join("quarter.csv"));
    let range = format!("from = 2025-01-01\nto = 2025-04-01\nout = {:?}\n", support::text(&file));
    let Metric { name, key, key_option, keys, history, .. } = metric();
    let (step, hour, key) = (history.step, metric().step(3600), key.wire_name);
    let group = format!("[[series]]\nendpoints = {name:?}\n{step} = {hour:?}\n{key} = {keys:?}\n");
    // In a job file, commas separate values as on the command line.
    let joined = format!("[[series]]\nendpoints = {name:?}\n{step} = {hour:?}\n{key} = {:?}\n", keys.join(","));
    std::fs::write(&job, format!("{range}{joined}")).unwrap();
    let of_file = |more: &[&str]| run(&[&["backfill", "--job", support::text(&job), "--sandbox"], more].concat());
    let planned = of_file(&["--dry-run"]);
    assert_eq!(planned.out, run(&two(&file, &["--sandbox", "--dry-run"])).out);
    std::fs::write(&job, format!("{range}{group}")).unwrap();
    assert_eq!(planned.out, of_file(&["--dry-run"]).out);
    let output = of_file(&[]);
    assert_eq!((output.code, rows(&file).len()), (Some(0), 2 * 90 * 24), "{}", output.err);
    let both = of_file(&[key_option, keys[0]]);
    assert!(both.code == Some(2) && both.err.contains("`--job` cannot be used with params"), "{}", both.err);
    std::fs::write(&job, range.replace("2025-01-01", "\"2025\"") + &group).unwrap();
    let wrong = of_file(&[]);
    let position = format!("error: {}:1:8: invalid `from` `2025`: as Unix seconds", support::text(&job));
    assert!(wrong.code == Some(2) && wrong.err.starts_with(&position), "{}", wrong.err);
}

/// A series that vanishes from a job file is no longer judged, so the run that retires it says so, once.
#[test]
fn a_run_names_the_series_that_its_job_file_no_longer_lists() {
    let folder = tempfile::tempdir().unwrap();
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("data"));
    let Metric { name, key, keys, history, .. } = metric();
    let run_until = |day: &str, listed: &[&str]| {
        let range = format!("from = 2025-01-01\nto = {day}\nout = {:?}\n", support::text(&out));
        let step = format!("{} = {:?}", history.step, metric().step(3600));
        let group = format!("[[series]]\nendpoints = {name:?}\n{step}\n{} = {listed:?}\n", key.wire_name);
        std::fs::write(&job, range + &group).unwrap();
        let output = run(&["backfill", "--job", support::text(&job), "--sandbox"]);
        assert_eq!(output.code, Some(0), "{}", output.err);
        output.err
    };
    assert!(!run_until("2025-01-02", keys).contains("retired"));
    let first = run_until("2025-01-03", &keys[..1]);
    assert!(first.contains("1 series that ") && first.contains(" no longer lists is retired: "), "{first}");
    assert!(first.contains(keys[1]), "{first}");
    assert!(!run_until("2025-01-04", &keys[..1]).contains("retired"));
}

/// A job file has keys, and no options.
#[test]
fn a_warning_about_a_job_file_names_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("a.csv"));
    let Metric { name, key, history, .. } = metric();
    let step = format!("{} = {:?}", history.step, metric().step(3600));
    let group = format!("[[series]]\nendpoints = {name:?}\n{step}\n");
    std::fs::write(&job, format!("from = 2025-01-01\nto = 2025-01-02\nout = {:?}\n{group}", support::text(&out)))
        .unwrap();
    let output = run(&["backfill", "--job", support::text(&job), "--dry-run", "--sandbox"]);
    let key = key.wire_name;
    let expected = if output.code == Some(0) {
        format!("warning: `{key}` is probably required by {name} but was not given\n")
    } else {
        format!("missing required param `{key}` of {name}\n")
    };
    assert!(output.err.contains(&expected) && !output.err.contains("--"), "{}", output.err);
}
