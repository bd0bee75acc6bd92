//! Tests of `remove`.

use crate::support::catalogue::{Metric, metric, option, values};
use crate::support::{run, text};

#[test]
fn only_the_named_series_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&data), "--sandbox"];
    let written = run(&[&["backfill"], &*metric().two_hourly(), &range].concat());
    assert_eq!(written.code, Some(0), "{}", written.err);
    let Metric { name, key_option, keys, .. } = metric();
    let remove = |more: &[&str]| run(&[&["remove", text(&data)], more].concat());
    for (more, expected) in [(&[][..], "no series is named"), (&[key_option, "NONE"], "no such series")] {
        let output = remove(more);
        assert!(output.code == Some(2) && output.err.contains(expected), "{}", output.err);
    }
    let planned = remove(&[key_option, keys[0], "--dry-run"]);
    assert!(planned.code == Some(0) && planned.err.contains("would remove "), "{}", planned.err);
    assert_eq!(run(&["status", text(&data)]).rows().len(), 2);
    let removed = remove(&["--endpoint", name, key_option, &format!("NONE,{}", keys[0]), "--json"]);
    assert_eq!(removed.code, Some(0), "{}", removed.err);
    assert!(removed.err.contains(&format!("`{key_option} NONE` selects no series")), "{}", removed.err);
    assert!(removed.err.contains("1 file changed"), "{}", removed.err);
    let object: serde_json::Value = removed.out.parse().unwrap();
    assert_eq!(object["endpoint"], metric().endpoint.to_string());
    assert_eq!(object["params"][metric().key.wire_name], keys[0]);
    let status = run(&["status", text(&data)]);
    let [has_first, has_second] = keys.map(|key| status.out.lines().any(|line| line.contains(&format!(" {key} "))));
    assert!(!has_first && has_second, "{}", status.out);
}

/// `remove` understands the values that `backfill` understands: any case, and `+` between the values of one series.
#[test]
fn values_are_written_as_for_a_backfill() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let Metric { endpoint, name, key_option, keys, .. } = metric();
    let lower = keys[0].to_lowercase();
    let list = endpoint.params().find(|info| info.list_setter.is_some()).unwrap();
    let several = values(list).take(2).collect::<Vec<_>>().join("+");
    let args = [*name, *key_option, &*lower, option(list.wire_name), &several];
    let step = [option(metric().history.step), metric().step(3600)];
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&file), "--sandbox"];
    let written = run(&[&["backfill"], &args[..], &step, &range].concat());
    assert_eq!(written.code, Some(0), "{}", written.err);
    let removed = run(&[&["remove", text(&file), "--endpoint"], &args[..]].concat());
    assert_eq!(removed.code, Some(0), "{}", removed.err);
}

/// A param that is omitted makes another series, which is noted and can be removed alone.
#[test]
fn a_series_without_a_param_can_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&data), "--sandbox"];
    let list = metric().endpoint.params().find(|info| info.list_setter.is_some()).unwrap();
    let with = [option(list.wire_name), values(list).next().unwrap()];
    let run_with = |more: &[&str]| run(&[&["backfill"], &*metric().hourly(), &range, more].concat());
    let note = format!("now has series with and without `{}`", list.wire_name);
    assert!(!run_with(&with).err.contains(&note));
    let second = run_with(&[]);
    assert!(second.code == Some(0) && second.err.contains(&note), "{}", second.err);
    let removed = run(&["remove", text(&data), "--param", &format!("{}=", list.wire_name)]);
    assert_eq!(removed.code, Some(0), "{}", removed.err);
    let left = run(&["status", text(&data)]);
    assert!(left.rows().len() == 1 && left.out.contains(with[1]), "{}", left.out);
}

#[test]
fn a_missing_target_is_named_as_by_status() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("data");
    let Metric { key_option, keys, .. } = metric();
    let removed = run(&["remove", text(&missing), key_option, keys[0]]);
    assert_eq!(removed.err, format!("error: {}: no such file or folder\n", missing.display()));
    assert_eq!(removed, run(&["status", text(&missing)]));
}

#[test]
fn a_selection_needs_no_param() {
    let help = run(&["remove", "--help"]).out;
    assert!(help.contains(metric().key_option) && !help.contains("required"), "{help}");
}
