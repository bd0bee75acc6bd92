//! Tests of the output for programs: JSON objects, and Arrow's IPC format.

use std::path::Path;

use arrow_ipc::reader::StreamReader;
use serde_json::Value;
use test_endpoints::{Metric, endpoints, metric, option};

use crate::support::{RunOutput, Service, derivs, derivs_with, run, run_with, text};

/// Returns the JSON object in each line, without the messages of standard error.
fn objects(lines: &str) -> Vec<Value> {
    let mut objects = Vec::new();
    for line in lines.lines().filter(|line| line.starts_with('{')) {
        objects.push(line.parse().unwrap());
    }
    objects
}

/// Runs a backfill of two series over one day.
fn day(out: &str, more: &[&str]) -> RunOutput {
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", out, "--sandbox"];
    run(&[&["backfill"], &*metric().two_hourly(), &range, more].concat())
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn list_prints_an_object_for_each_endpoint() {
    let listed = objects(&run(&["list", "--json"]).out);
    assert_eq!(listed.len(), endpoints().count());
    let Metric { name, path, endpoint, .. } = metric();
    let found = listed.iter().find(|one| one["endpoint"] == endpoint.to_string()).unwrap();
    assert_eq!((&found["name"], &found["path"], &found["history"]), (&(*name).into(), &(*path).into(), &true.into()));
    assert_eq!(found["evidence"], endpoint.evidence.as_str());
    // For a program, a list without endpoints is not an error.
    let none = run(&["list", "--json", "no such endpoint"]);
    assert_eq!((none.code, none.out.as_str(), none.err.as_str()), (Some(0), "", ""));
}

#[test]
fn a_description_has_the_evidence_of_each_fact() {
    let described = objects(&run(&["describe", metric().name, "--json"]).out).remove(0);
    let params: Vec<_> = metric().endpoint.params().map(|info| (info.wire_name, info.evidence)).collect();
    assert_eq!(names(&described["params"]), params.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let evidence = described["params"].as_array().unwrap().iter().map(|one| one["evidence"].as_str().unwrap());
    assert!(evidence.eq(params.iter().map(|(_, evidence)| evidence.as_str())));
    assert!(names(&described["fields"]).contains(&metric().time));
}

/// The columns depend on the request, not on its outcome.
#[test]
fn a_failed_series_changes_no_column_of_the_others() {
    let Metric { key, keys, .. } = metric();
    let service =
        Service::with(|builder| builder.fault(format!("{}={} status=404", key.wire_name, keys[0]).parse().unwrap()));
    let output = run_with(&service, &[&["get"], &*metric().two_hourly()].concat());
    assert_eq!(output.code, Some(5), "{}", output.err);
    assert!(output.out.lines().next().unwrap().split(',').any(|name| name == key.wire_name), "{}", output.out);
    let arrow = [&["get"], &*metric().two_hourly(), &["--format", "arrow"]].concat();
    let output = derivs_with(&service, &arrow).output().unwrap();
    let batch = StreamReader::try_new(&*output.stdout, None).unwrap().next().unwrap().unwrap();
    let values = format!("{:?}", batch.column_by_name(key.wire_name).unwrap());
    assert!(values.contains(keys[1]) && !values.contains(keys[0]), "{values}");
}

#[test]
fn get_prints_the_body_of_each_series() {
    let args = [&["get"], &*metric().two_hourly(), &["--json", "--sandbox"]].concat();
    let bodies = objects(&run(&args).out);
    let Metric { key, keys, endpoint, .. } = metric();
    for (object, value) in bodies.iter().zip(keys) {
        assert_eq!(
            (&object["endpoint"], &object["params"][key.wire_name]),
            (&endpoint.to_string().into(), &(*value).into())
        );
        assert!(object["body"].to_string().contains(metric().time), "{object}");
    }
    assert_eq!(bodies.len(), 2);
}

#[test]
fn a_run_prints_the_changes_of_each_series() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("day.parquet");
    let (first, again) = (day(text(&file), &["--json"]), day(text(&file), &["--json"]));
    assert_eq!((first.code, again.code), (Some(0), Some(0)), "{}", first.err);
    let status: Value = run(&["status", text(&file), "--json"]).out.parse().unwrap();
    let last = &status["series"][1];
    assert_eq!(last["files"], serde_json::json!([text(&file)]));
    assert_eq!(last["endpoint"], metric().endpoint.to_string());
    assert_eq!(last["params"][metric().key.wire_name], metric().keys[1]);
    let planned = objects(&day(text(&folder.path().join("b.csv")), &["--json", "--dry-run"]).out);
    assert_eq!(planned.iter().map(|one| &one["from"]).collect::<Vec<_>>(), ["2025-01-01T00:00:00Z"; 2]);
    for (output, added) in [(first, 24), (again, 0)] {
        let series = objects(&output.out);
        assert_eq!(series.iter().map(|one| &one["added"]).collect::<Vec<_>>(), [added, added]);
        let Value::Object(one) = &series[1] else { panic!("{series:?}") };
        assert_eq!(one["params"][metric().key.wire_name], metric().keys[1]);
        assert_eq!((&one["from"], &one["last"]), (&"2025-01-01T00:00:00Z".into(), &"2025-01-01T23:00:00Z".into()));
        assert_eq!((&one["gaps"], &one["error"]), (&Value::Array(Vec::new()), &Value::Null));
        assert!(added == 0 || !one["files"].as_array().unwrap().is_empty());
    }
}

#[test]
fn arrow_has_the_columns_of_a_file_and_their_metadata() {
    let series = [&["backfill"], &*metric().two_hourly()].concat();
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", "-", "--sandbox"];
    let output = derivs(&[&series, &range[..], &["--format", "arrow", "--json"]].concat()).output().unwrap();
    let reader = StreamReader::try_new(&*output.stdout, None).unwrap();
    let schema = reader.schema();
    assert_eq!(reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 48);
    let time = schema.field_with_name(metric().time).unwrap();
    assert!(time.metadata().contains_key("meaning"), "{time:?}");
    schema.field_with_name(metric().key.wire_name).unwrap();
    // Standard output is the stream, so the objects are on standard error.
    let changes = objects(&String::from_utf8(output.stderr).unwrap());
    assert_eq!(changes.iter().map(|one| &one["added"]).collect::<Vec<_>>(), [24, 24]);
}

#[test]
fn one_page_and_new_records_can_be_arrow_too() {
    let limit = [option(metric().history.limit), metric().page_size()];
    let from = ["poll", "--from", "5h", "--records", "2"];
    for (args, rows) in [(&["get", limit[0], limit[1]][..], limit[1].parse().unwrap()), (&from[..], 2)] {
        let args = [args, &*metric().hourly(), &["--format", "arrow", "--sandbox"]].concat();
        let output = derivs(&args).output().unwrap();
        let reader = StreamReader::try_new(&*output.stdout, None).unwrap();
        assert_eq!(reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), rows, "{args:?}");
    }
}

#[test]
fn options_replace_the_range_and_the_target_of_a_job_file() {
    let folder = tempfile::tempdir().unwrap();
    let (job, out) = (folder.path().join("job.toml"), folder.path().join("day.csv"));
    let params = metric().hourly().into_iter().skip(1).collect::<Vec<_>>();
    let params = params.chunks(2).map(|pair| format!("{} = {:?}\n", pair[0].trim_start_matches("--"), pair[1]));
    let series = format!("[[series]]\nendpoints = {:?}\n{}", metric().name, params.collect::<String>());
    let run_job = |text_of_job: &str, more: &[&str]| {
        std::fs::write(&job, text_of_job).unwrap();
        run(&[&["backfill", "--sandbox", "--json", "--job", text(&job)], more].concat())
    };
    let replaced = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&out)];
    for file in [series.clone(), format!("from = 2024-01-01\nto = 2024-02-01\nout = \"other.csv\"\n{series}")] {
        let output = run_job(&file, &replaced);
        assert_eq!(objects(&output.out)[0]["to"], "2025-01-02T00:00:00Z", "{}", output.err);
    }
    assert!(out.exists() && !Path::new("other.csv").exists());
    let missing = run_job(&series, &["--from", "2025-01-01"]);
    assert!(missing.code == Some(2) && missing.err.contains("`out` is missing"), "{}", missing.err);
}

/// Gaps are between the first and the last record, in a stream as in a file.
#[test]
fn a_stream_has_the_gaps_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("day.csv");
    let service = Service::with(|builder| builder.fault("60% missing".parse().unwrap()));
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--json"];
    let [stream, file] = ["-", text(&file)].map(|out| {
        let output = run_with(&service, &[&["backfill"], &*metric().two_hourly(), &range, &["--out", out]].concat());
        assert_eq!(output.code, Some(0), "{}", output.err);
        let lines = if out == "-" { output.err } else { output.out };
        objects(&lines).into_iter().map(|one| [one["gaps"].clone(), one["missing"].clone()]).collect::<Vec<_>>()
    });
    assert!(file.iter().all(|[_, missing]| missing.as_u64() > Some(0)), "{file:?}");
    assert_eq!(stream, file);
}

#[test]
fn a_stream_with_gaps_is_not_silent() {
    let service = Service::with(|builder| builder.fault("60% missing".parse().unwrap()));
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", "-"];
    for more in [&[][..], &["--json"]] {
        let output = run_with(&service, &[&["backfill"], &*metric().two_hourly(), &range, more].concat());
        assert!(output.code == Some(0) && output.err.contains(" missing between "), "{}", output.err);
    }
}

/// An invalid value costs itself, in a stream as in a file.
#[test]
fn a_stream_has_the_rows_of_a_file_also_from_invalid_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("day.csv");
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--json"];
    let args = [&["backfill"], &*metric().hourly(), &range, &["--out"]].concat();
    let run_args = |more: &[&str]| {
        // Faults depend on the earlier requests, so each run has its own service.
        let service = Service::with(|builder| builder.fault("wrong-types".parse().unwrap()));
        run_with(&service, &[&args[..], more].concat())
    };
    let stream = run_args(&["-"]);
    let object = stream.err.lines().find(|line| line.starts_with('{')).unwrap().parse::<Value>().unwrap();
    assert!(stream.err.contains("without a readable time"), "{}", stream.err);
    let of_file = run_args(&[text(&file)]);
    let written = std::fs::read_to_string(&file).unwrap();
    // Pages are requested concurrently, so the two runs meet the faults in different records.
    for (code, rows, object) in
        [(stream.code, &stream.out, &object), (of_file.code, &written, &objects(&of_file.out)[0])]
    {
        // A file also has the time at which each row was fetched.
        let columns = rows.lines().next().unwrap().trim_end_matches(",fetched_at");
        let expected = written.lines().next().unwrap().trim_end_matches(",fetched_at");
        assert_eq!((code, columns), (Some(0), expected), "{object}");
        assert_eq!(object["added"], rows.lines().count() - 1, "{object}");
        let account = &object["account"];
        for figure in [&object["added"], &object["invalid"], &account["without_time"]] {
            assert!(figure.as_u64() > Some(0), "{object}");
        }
    }
    let strict = run_args(&["-", "--strict"]);
    assert!(strict.code == Some(5) && strict.rows().is_empty(), "{}", strict.err);
}

#[test]
fn a_stream_does_not_use_the_refetch_of_a_job_silently() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("job.toml");
    let params = metric().hourly().into_iter().skip(1).collect::<Vec<_>>();
    let params = params.chunks(2).map(|pair| format!("{} = {:?}\n", pair[0].trim_start_matches("--"), pair[1]));
    let series = format!("[[series]]\nendpoints = {:?}\n{}", metric().name, params.collect::<String>());
    std::fs::write(&file, format!("from = 2025-01-01\nto = 2025-01-02\nrefetch = \"1h\"\n{series}")).unwrap();
    let output = run(&["backfill", "--sandbox", "--job", text(&file), "--out", "-"]);
    assert!(output.code == Some(0) && output.err.contains("`refetch` of the job file is not used"), "{}", output.err);
}

/// A rejected series and a series whose requests fail have their errors, and do not end the other series.
#[test]
fn the_object_of_a_failed_series_has_its_error() {
    let folder = tempfile::tempdir().unwrap();
    let Metric { key, keys, .. } = metric();
    for (status, code) in [("501", 6), ("404", 5)] {
        let rule = format!("{}={} status={status}", key.wire_name, keys[0]);
        let service = Service::with(|builder| builder.fault(rule.parse().unwrap()));
        let file = folder.path().join(format!("{status}.parquet"));
        for out in [text(&file), "-"] {
            let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", out, "--json"];
            let output = run_with(&service, &[&["backfill"], &*metric().two_hourly(), &range].concat());
            let lines = if out == "-" { &output.err } else { &output.out };
            let series: Vec<_> = lines.lines().filter(|line| line.starts_with('{')).collect();
            let series = objects(&series.join("\n"));
            assert_eq!((output.code, series.len()), (Some(code), 2), "{status} {out}: {output:?}");
            assert!(series[0]["error"].as_str().unwrap().contains(status), "{out}: {series:?}");
            assert_eq!((&series[1]["error"], &series[1]["added"]), (&Value::Null, &24.into()), "{out}");
            if out == "-" {
                assert_eq!((&series[0]["unfetched"], &series[1]["unfetched"]), (&24.into(), &0.into()));
                assert_eq!(series[1]["first"], "2025-01-01T00:00:00Z");
                // Nothing is kept that a further run would continue from, so the error has the reason instead.
                let (_, error) = output.err.split_once("error: ").unwrap();
                assert!(error.contains(status) && !error.contains("run the same command"), "{error}");
            }
        }
    }
}
