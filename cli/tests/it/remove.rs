//! Tests of `remove`.

use crate::support::catalogue::{Metric, metric};
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
    let removed = remove(&["--endpoint", name, key_option, keys[0]]);
    assert!(removed.code == Some(0) && removed.err.contains("removed "), "{}", removed.err);
    let status = run(&["status", text(&data)]);
    let [has_first, has_second] = keys.map(|key| status.out.lines().any(|line| line.contains(&format!(" {key} "))));
    assert!(!has_first && has_second, "{}", status.out);
}
