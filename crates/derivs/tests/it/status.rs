//! Tests of the command `status`.

use std::path::Path;

use test_endpoints::{metric, other_metric};

use crate::backfill::{backfill, one, two};
use crate::support::{self, Service, run, run_with};

#[test]
fn status_shows_records_and_damage() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.parquet");
    let path = support::text(&file);
    run(&two(&file, &["--sandbox"]));
    let output = run(&["status", path]);
    assert_eq!((output.code, output.rows().len()), (Some(0), 2), "{}", output.err);
    let label = [metric().name, metric().keys[0], metric().step(3600)].join(" ");
    assert!(output.rows().iter().any(|row| row.starts_with(&format!("{label},"))), "{}", output.out);
    let object: serde_json::Value = run(&["status", path, "--json"]).out.parse().unwrap();
    assert_eq!((&object["series"][1]["records"], &object["series"][1]["missing"]), (&2160.into(), &0.into()));
    assert_eq!(run(&["status", path, "--max-age", "1h"]).code, Some(6));
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(run(&["status", path]).code, Some(0), "only `--verify` reads the rows");
    let damaged = run(&["status", path, "--verify"]);
    assert!(damaged.code == Some(6) && damaged.err.contains("1 damaged file"), "{}", damaged.err);
    // A run does not merge damaged rows into a new file; the next one fetches them again.
    let repaired = run(&two(&file, &["--sandbox", "--refetch", "2d"]));
    assert!(repaired.code == Some(6) && repaired.err.contains(".damaged-"), "{}", repaired.err);
    assert_eq!(run(&two(&file, &["--sandbox"])).code, Some(0));
    assert_eq!(run(&["status", path, "--verify"]).code, Some(0));
    std::fs::write(&file, &bytes[..1000]).unwrap();
    let truncated = run(&["status", path]);
    assert!(truncated.code == Some(6) && truncated.err.contains("truncated"), "{}", truncated.err);
    let nothing = run(&["status", support::text(tempfile::tempdir().unwrap().path())]);
    assert!(nothing.code == Some(2) && nothing.err.contains("has written nothing here"), "{}", nothing.err);
    let missing = run(&["status", support::text(&folder.path().join("other.csv"))]);
    assert!(missing.code == Some(2) && missing.err.ends_with(": no such file or folder\n"), "{}", missing.err);
}

/// A missing file is not called damaged, whether it has the rows or only a copy of them as text.
#[test]
fn a_missing_file_is_named_as_missing() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.parquet", "a.csv"] {
        let file = folder.path().join(name);
        let path = support::text(&file);
        let range = ["2025-01-01", "2025-01-03"];
        assert_eq!(run(&backfill(&metric().hourly(), range, &file, &["--sandbox"])).code, Some(0));
        std::fs::remove_file(&file).unwrap();
        for options in [&["status", path][..], &["status", path, "--verify"]] {
            let status = run(options);
            assert_eq!(status.code, Some(6), "{}", status.err);
            let error = status.err.lines().find(|line| line.starts_with("error: ")).unwrap();
            assert!(error.contains("1 missing file") && !error.contains("damaged"), "{}", status.err);
        }
    }
}

/// The file stays under another name, the other endpoint of the job is written, and every row is there again.
#[test]
fn a_damaged_file_is_moved_aside() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let series = [&[other_metric().name], &*metric().hourly()].concat();
    let until = |day| run(&backfill(&series, ["2025-01-01", day], &data, &["--sandbox", "--json"]));
    assert_eq!(until("2025-01-20").code, Some(0));
    let file = data.join(metric().endpoint.to_string()).join(format!("{}-2025.parquet", metric().step(3600)));
    for (day, why) in [("2025-01-21", "checksum"), ("2025-01-22", "truncated")] {
        let mut damaged = std::fs::read(&file).unwrap();
        if why == "checksum" {
            damaged[1000] ^= 1;
        } else {
            damaged.truncate(900);
        }
        std::fs::write(&file, damaged).unwrap();
        let planned = run(&backfill(&series, ["2025-01-01", "2025-01-30"], &data, &["--sandbox", "--dry-run"]));
        assert!(why == "checksum" || planned.code == Some(6) && planned.err.contains(why), "{}", planned.err);
        let output = until(day);
        assert!(output.err.contains(why) && output.err.contains("; moved to "), "{}", output.err);
        let written: serde_json::Value = output.out.lines().next().unwrap().parse().unwrap();
        assert_eq!((&written["added"], &written["error"]), (&24.into(), &serde_json::Value::Null));
        assert_eq!(until(day).code, Some(0));
        let state = run(&["status", support::text(&data), "--verify", "--json"]);
        assert_eq!(state.code, Some(0), "{}", state.err);
        let object: serde_json::Value = state.out.parse().unwrap();
        assert!(object["series"].as_array().unwrap().iter().all(|series| series["missing"] == 0), "{object}");
    }
}

/// Between two windows, no record is missing, because none was requested.
#[test]
fn status_counts_the_records_that_no_run_has_requested() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let hint = " never requested, from 2025-01-02 00:00 to 2025-01-04 00:00; \
                run the backfill with `--from 2025-01-02`\n";
    for (range, has_hole) in [(["2025-01-01", "2025-01-02"], false), (["2025-01-04", "2025-01-05"], true)] {
        let output = run(&backfill(&metric().hourly(), range, &file, &["--sandbox", "--json"]));
        assert_eq!((output.code, output.err.contains(hint)), (Some(0), has_hole), "{}", output.err);
        let object: serde_json::Value = output.out.parse().unwrap();
        let hole = serde_json::json!([["2025-01-02T00:00:00Z", "2025-01-04T00:00:00Z"]]);
        assert_eq!((object["unrequested"] == hole, object["notes"] != serde_json::json!([])), (has_hole, has_hole));
    }
    let status = run(&["status", support::text(&file)]);
    assert!(status.code == Some(0) && status.err.contains(hint), "{}", status.err);
    assert!(status.out.starts_with("series,state,missing,last,records,first,never requested,"), "{}", status.out);
    let row = status.rows()[0].split(',').collect::<Vec<_>>();
    assert_eq!((row[2], row[6]), ("0", "48"), "{}", status.out);
}

/// Changes the only series in the state file of a data set. A test cannot change the clock of the program.
fn change_series(data: &Path, change: impl FnOnce(&mut serde_json::Value)) {
    let mut home = std::fs::read_dir(data.join(".backfill")).unwrap().map(|entry| entry.unwrap().path());
    let state = home.find_map(|path| Some(path.join("state.json")).filter(|state| state.exists())).unwrap();
    let text = support::contents(&state);
    let mut object: serde_json::Value = text.lines().next().unwrap().parse().unwrap();
    // A state of this format has no checksum.
    object["version"] = 5.into();
    change(object["series"].as_object_mut().unwrap().values_mut().next().unwrap());
    std::fs::write(&state, object.to_string()).unwrap();
}

#[test]
fn range_that_a_run_with_a_wrong_clock_has_requested_ends_now() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    assert_eq!(run(&one(&data, &["--sandbox"])).code, Some(0));
    change_series(&data, |series| series["requested"][0][1] = 4_102_444_800_u32.into()); // 2100
    let status: serde_json::Value = run(&["status", support::text(&data), "--json"]).out.parse().unwrap();
    let end = status["series"][0]["asked"][1].as_str().unwrap();
    assert!(end < "2100", "{status}");
}

#[test]
fn records_in_the_future_are_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let first = run(&one(&data, &["--sandbox"]));
    assert!(first.code == Some(0) && !first.err.contains("in the future"), "{}", first.err);
    change_series(&data, |series| series["last"] = "2999-01-01T00:00:00Z".into());
    let output = run(&one(&data, &["--sandbox", "--dry-run"]));
    let expected = "warning: the newest record, of 2999-01-01 00:00, is in the future; check the clock of this machine
";
    assert!(output.code == Some(0) && output.err.contains(expected), "{}", output.err);
}

#[test]
fn status_has_the_reason_of_a_series_that_is_rejected_now() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quarter.csv");
    let service = Service::start();
    assert_eq!(run_with(&service, &one(&file, &[])).code, Some(0));
    let service = Service::with(|builder| builder.fault(format!("{} status=422", metric().path).parse().unwrap()));
    let longer = backfill(&metric().hourly(), ["2025-01-01", "2025-05-01"], &file, &[]);
    assert_eq!(run_with(&service, &longer).code, Some(5));
    let status = run(&["status", support::text(&file)]);
    let expected = format!("the service rejected {}", metric().name);
    assert!(status.code == Some(6) && status.err.contains(&expected), "{}", status.err);
    assert!(status.err.contains("status 422") && !status.err.contains("never fetched"), "{}", status.err);
}
