//! Tests of `remove`.

use test_endpoints::{Metric, metric, option, values};

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
    assert!(planned.err.contains(": 24 rows from 2025-01-01 00:00 to "), "{}", planned.err);
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

/// `--param` sends a value unchanged, so it also selects it unchanged: series that differ only in case are two.
#[test]
fn series_that_differ_in_case_are_selected_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let Metric { endpoint, name, key, key_option, keys, history, .. } = metric();
    let lower = keys[0].to_lowercase();
    let other = if lower == keys[0] { keys[0].to_uppercase() } else { lower };
    let passed_on = format!("{}={other}", key.wire_name);
    let step = [option(history.step), metric().step(3600)];
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&data), "--sandbox"];
    for param in [[*key_option, keys[0]], ["--param", &passed_on]] {
        let written = run(&[&["backfill", *name], &param[..], &step, &range].concat());
        assert_eq!(written.code, Some(0), "{}", written.err);
    }
    for param in [["--param", &passed_on], [*key_option, &other], [*key_option, keys[0]]] {
        let planned = run(&[&["remove", text(&data), "--dry-run", "--json"], &param[..]].concat());
        let object: serde_json::Value = planned.out.parse().unwrap_or_else(|_| panic!("{param:?}: {}", planned.out));
        assert_eq!(object["endpoint"], endpoint.to_string());
        let selected = if param[1] == keys[0] { keys[0] } else { &other };
        assert_eq!(object["params"][key.wire_name], selected, "{param:?}");
    }
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

/// A retired series keeps its rows; what is on the disk can be exported, drawn and described without the service.
#[test]
fn rows_on_the_disk_are_kept_exported_and_described() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = text(&data);
    let until = |day: &str| {
        let range = ["--from", "2025-01-01", "--to", day, "--out", path, "--sandbox"];
        run(&[&["backfill"], &*metric().two_hourly(), &range].concat())
    };
    assert_eq!(until("2025-01-02").code, Some(0));
    let Metric { key_option, keys, .. } = metric();
    let retired = run(&["retire", path, key_option, keys[0]]);
    assert!(retired.code == Some(0) && retired.err.contains("24 rows"), "{}", retired.err);
    let next = until("2025-01-03");
    assert!(next.code == Some(0) && next.err.contains("1 retired and not requested"), "{}", next.err);
    let status: serde_json::Value = run(&["status", path, "--json"]).out.parse().unwrap();
    let mut kept = Vec::new();
    for series in status["series"].as_array().unwrap() {
        kept.push((series["is_retired"].as_bool().unwrap(), series["records"].as_u64().unwrap()));
    }
    kept.sort_unstable();
    assert_eq!(kept, [(false, 48), (true, 24)]);
    assert_eq!(run(&["retire", path, key_option, keys[0], "--undo"]).code, Some(0));
    for (name, is_text) in [("a.csv", true), ("a.jsonl", true), ("a.xlsx", false)] {
        let file = folder.path().join(name);
        let exported = run(&["export", path, "--out", text(&file)]);
        assert!(exported.code == Some(0) && exported.err.contains("72 rows"), "{}", exported.err);
        let bytes = std::fs::read(&file).unwrap();
        assert_eq!(std::str::from_utf8(&bytes).is_ok(), is_text, "{name}");
    }
    let exported = run(&["export", path, key_option, keys[0]]);
    assert!(exported.code == Some(0) && exported.out.lines().count() == 25, "{}", exported.out);
    let early = run(&["export", path, "--as-of", "2025-01-01"]);
    assert!(early.code == Some(0) && early.out.lines().count() == 1, "{}", early.out);
    let revisions = run(&["export", path, "--revisions"]);
    assert!(revisions.code == Some(0) && revisions.out.starts_with("series,time,field,value,"), "{}", revisions.out);
    let report = run(&["report", path, "--json"]);
    let object: serde_json::Value = report.out.parse().unwrap();
    assert!(report.code == Some(0) && object["series"][0]["fields"][0]["values"].as_u64() > Some(0), "{object}");
    assert_eq!(run(&["report", path]).code, Some(0));
    let chart = folder.path().join("a.svg");
    let drawn = run(&["plot", path, "--out", text(&chart)]);
    let svg = std::fs::read_to_string(&chart).unwrap();
    assert!(drawn.code == Some(0) && svg.contains(">UTC<"), "{}", drawn.err);
    let name = metric().name;
    let of_endpoint = run(&["plot", path, "--endpoint", name, "--out", text(&chart)]);
    assert_eq!(of_endpoint.code, Some(0), "{}", of_endpoint.err);
    let both = run(&["plot", name, path]);
    assert!(both.code == Some(2) && both.err.contains("a path is the only argument"), "{}", both.err);
    let fetched = run(&["plot", name, "--endpoint", name]);
    assert!(fetched.code == Some(2) && fetched.err.contains("needs the path"), "{}", fetched.err);
    // The name of a line has only what distinguishes it.
    assert!(keys.iter().all(|key| svg.contains(&format!(">{key}<"))), "{svg}");
    let nothing = run(&["acknowledge", path]);
    assert!(nothing.code == Some(0) && nothing.err.contains("nothing to acknowledge"), "{}", nothing.err);
    std::fs::remove_dir_all(data.join(".backfill")).unwrap();
    let without_state = run(&["status", path]);
    let help = format!("derivs adopt {path}` rebuilds it from the files");
    assert!(without_state.code == Some(6) && without_state.err.contains(&help), "{}", without_state.err);
    let adopted = run(&["adopt", path]);
    assert!(adopted.code == Some(0) && adopted.err.contains("adopted"), "{}", adopted.err);
    assert_eq!(run(&["status", path, "--verify"]).code, Some(0));
}

/// What was known at a time is not answered in silence from values that were replaced since.
#[test]
fn an_export_says_since_when_it_knows_replaced_values() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = text(&data);
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", path, "--sandbox"];
    assert_eq!(run(&[&["backfill"], &*metric().hourly(), &range].concat()).code, Some(0));
    let early = ["export", path, "--as-of", "2025-01-01"];
    assert_eq!(run(&early).code, Some(0));
    std::fs::remove_dir_all(data.join(".backfill")).unwrap();
    let without_state = run(&early);
    assert!(without_state.code == Some(6) && without_state.err.contains("adopt"), "{}", without_state.err);
    assert_eq!(run(&["adopt", path]).code, Some(0));
    let exported = run(&early);
    let expected = "the values that runs have replaced are known only since 20";
    assert!(exported.code == Some(6) && exported.err.contains(expected), "{}", exported.err);
    let revisions = run(&["export", path, "--revisions"]);
    assert!(revisions.code == Some(0) && revisions.err.contains("known only since"), "{}", revisions.err);
    assert_eq!(run(&["export", path]).code, Some(0));
}

/// A stray file costs nothing but itself: every command names it, and only `status` fails.
#[test]
fn a_stray_file_of_a_data_set_is_named_and_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = text(&data);
    let until = |day: &str| {
        let range = ["--from", "2025-01-01", "--to", day, "--out", path, "--sandbox"];
        run(&[&["backfill"], &*metric().hourly(), &range].concat())
    };
    assert_eq!(until("2025-01-02").code, Some(0));
    let status: serde_json::Value = run(&["status", path, "--json"]).out.parse().unwrap();
    let file = std::path::PathBuf::from(status["series"][0]["files"][0].as_str().unwrap());
    std::fs::write(file.with_file_name("notes.parquet"), "notes").unwrap();
    let named = "notes.parquet: not part of this data set";
    let next = until("2025-01-03");
    assert!(next.code == Some(0) && next.err.contains(named), "{}", next.err);
    let exported = run(&["export", path]);
    assert!(exported.code == Some(0) && exported.err.contains(named), "{}", exported.err);
    assert_eq!(exported.out.lines().count(), 49);
    let status = run(&["status", path]);
    let error = "1 Parquet file that the data set does not have";
    assert!(status.code == Some(6) && status.err.contains(named) && status.err.contains(error), "{}", status.err);
    std::fs::remove_dir_all(data.join(".backfill")).unwrap();
    let adopted = run(&["adopt", path]);
    assert!(adopted.code == Some(0) && adopted.err.contains(named), "{}", adopted.err);
}

/// Rows of a missing file are no longer visible, so commands that read files fail, and those that write states keep it
/// in mind.
#[test]
fn a_missing_file_is_not_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = text(&data);
    let range = ["--from", "2024-12-30", "--to", "2025-01-03", "--partition", "year", "--out", path, "--sandbox"];
    assert_eq!(run(&[&["backfill"], &*metric().two_hourly(), &range].concat()).code, Some(0));
    let mut endpoints = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path());
    let endpoint = endpoints.find(|path| !path.ends_with(".backfill")).unwrap();
    std::fs::remove_file(endpoint.join("1h-2024.parquet")).unwrap();
    let file = folder.path().join("a.csv");
    let exported = run(&["export", path, "--out", text(&file)]);
    assert!(exported.code == Some(6) && exported.err.contains("missing"), "{}", exported.err);
    assert_eq!(run(&["report", path]).code, Some(6));
    let Metric { key_option, keys, .. } = metric();
    assert_eq!(run(&["retire", path, key_option, keys[0]]).code, Some(0));
    let status = run(&["status", path]);
    assert!(status.code == Some(6) && status.err.contains("lost"), "{}", status.err);
}

#[test]
fn an_export_does_not_replace_files_of_its_data_set() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("c.csv");
    let path = text(&data);
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", path, "--sandbox"];
    assert_eq!(run(&[&["backfill"], &*metric().hourly(), &range].concat()).code, Some(0));
    for out in [data.clone(), folder.path().join("c.csv.parts/rows.csv")] {
        let exported = run(&["export", path, "--out", text(&out)]);
        assert!(
            exported.code == Some(2)
                && [" name another file", "; name a file elsewhere"].iter().any(|why| exported.err.contains(why)),
            "{}",
            exported.err
        );
    }
}

/// Every command that reads rows leaves out those of a damaged file, names the file, and ends with 6.
#[test]
fn commands_that_read_rows_agree_about_a_damaged_file() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = text(&data);
    let range = ["--from", "2024-12-30", "--to", "2025-01-03", "--partition", "year", "--out", path, "--sandbox"];
    assert_eq!(run(&[&["backfill"], &*metric().two_hourly(), &range].concat()).code, Some(0));
    let exported = run(&["export", path, "--from", "2025-01-01", "--to", "2025-01-02"]);
    assert!(exported.code == Some(0) && exported.out.lines().count() == 1 + 2 * 24, "{}", exported.out);
    let mut endpoints = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path());
    let endpoint = endpoints.find(|path| !path.ends_with(".backfill")).unwrap();
    let damaged = endpoint.join("1h-2024.parquet");
    let mut bytes = std::fs::read(&damaged).unwrap();
    bytes.push(b'x');
    std::fs::write(&damaged, &bytes).unwrap();
    let chart = folder.path().join("a.svg");
    let commands: [&[&str]; 4] =
        [&["status", path], &["export", path], &["report", path], &["plot", path, "--out", text(&chart)]];
    for command in commands {
        let output = run(command);
        assert!(output.code == Some(6) && output.err.contains("truncated"), "{command:?}: {}", output.err);
        assert!(command[0] != "export" || output.out.lines().count() == 1 + 2 * 48, "{}", output.out);
    }
    let repaired = run(&["repair", path]);
    assert!(repaired.code == Some(0) && repaired.err.contains("; moved to "), "{}", repaired.err);
    assert_eq!(run(&["export", path]).out.lines().count(), 1 + 2 * 96);
    assert_eq!(run(&["status", path, "--verify"]).code, Some(0));
}

#[test]
fn a_missing_path_is_named_as_such() {
    for command in ["export", "report", "plot", "repair", "acknowledge", "status"] {
        for path in ["nope.parquet", "nope/"] {
            let output = run(&[command, path]);
            let expected = output.err.contains(&format!("{path}: no such file or folder"));
            assert!(output.code == Some(2) && expected, "{command} {path}: {}", output.err);
        }
    }
}
