//! Tests of what users type first: names, values, ranges and options that a program of this kind usually has.

use test_endpoints::{Metric, metric, object, option, other_metric};

use crate::backfill::backfill;
use crate::support::{contents, run, text};

fn get(more: &[&'static str]) -> crate::support::RunOutput {
    run(&[&["get"], &*metric().hourly(), more, &["--sandbox"]].concat())
}

#[test]
fn the_range_of_a_response_has_the_options_of_a_history() {
    let output = get(&["--from", "2025-01-01", "--to", "2025-01-01T06:00"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(output.rows()[0].starts_with("2025-01-01T00:00:00Z"), "{}", output.out);
    assert!((6..=7).contains(&output.rows().len()), "{}", output.out);
    let none = run(&["get", object().ident, "--from", "1d", "--sandbox"]);
    assert!(none.code == Some(2) && none.err.contains("has no known time range"), "{}", none.err);
}

/// `1M` is a month elsewhere, so it is not sent as the minute that is known.
#[test]
fn a_length_of_time_in_another_case_is_an_error() {
    let step = metric().step(3600);
    let other = step.to_uppercase();
    let series = [metric().key_option, metric().keys[0], option(metric().history.step), &other];
    for command in ["get", "backfill"] {
        let range: &[&str] = if command == "get" { &[] } else { &["--from", "1d", "--out", "-"] };
        let output = run(&[&[command, metric().name], &series[..], range, &["--sandbox"]].concat());
        let error = format!("error: invalid `{}` `{other}` for {} (expected ", metric().history.step, metric().name);
        assert!(output.code == Some(2) && output.err.starts_with(&error), "{output:?}");
        assert!(output.err.contains(&format!("did you mean `{step}`?")), "{}", output.err);
    }
}

#[test]
fn a_known_value_may_be_written_in_any_case() {
    let Metric { key_option, keys, .. } = metric();
    let lower = keys[0].to_lowercase();
    let args: Vec<&str> = metric().hourly().into_iter().map(|arg| if arg == keys[0] { &*lower } else { arg }).collect();
    assert!(args.contains(&&*lower), "{key_option}");
    let output = run(&[&["get"], &*args, &["--sandbox", "--json"]].concat());
    assert!(output.out.contains(&format!("\"{}\"", keys[0])), "{} {}", output.out, output.err);
}

#[test]
fn a_second_value_without_a_comma_is_explained() {
    let Metric { name, key_option, keys, .. } = metric();
    let output = run(&["get", name, key_option, keys[0], keys[1]]);
    let advice = format!("commas separate values: `{key_option} {},{}`", keys[0], keys[1]);
    assert!(output.code == Some(2) && output.err.contains(&advice), "{}", output.err);
    let assigned = format!("{key_option}={}", keys[0]);
    for (args, advice) in [
        (vec!["remove", "a.parquet", key_option, keys[0], keys[1]], &*advice),
        (vec!["remove", "a.parquet", &assigned, keys[1]], &advice),
        (vec!["plot", name, &assigned, keys[1]], &advice),
        (vec!["remove", "a.parquet", "--endpoint", "a", "b"], "commas separate values: `--endpoint a,b`"),
        (vec!["plot", name, "--field", "a", "b"], "commas separate values: `--field a,b`"),
        (vec!["status", "a.parquet", "b.parquet"], "`status` accepts one <PATH>"),
        (vec!["remove", "a.parquet", "b.parquet", key_option, keys[0]], "`remove` accepts one <PATH>"),
        (vec!["describe", name, name], "`describe` accepts one <ENDPOINT>"),
    ] {
        let output = run(&args);
        assert!(output.code == Some(2) && output.err.contains(advice), "{args:?}: {}", output.err);
    }
}

#[test]
fn a_file_instead_of_an_endpoint_is_explained() {
    let output = run(&["get", "year.parquet"]);
    assert!(output.code == Some(2) && output.err.contains("`derivs status FILE`"), "{}", output.err);
}

#[test]
fn completions_are_explained() {
    let output = run(&["completions"]);
    assert!(output.code == Some(2) && output.err.contains("source <(COMPLETE=bash derivs)"), "{}", output.err);
}

#[test]
fn verbose_prints_attempts_and_color_is_chosen() {
    assert!(get(&["--verbose"]).err.contains("attempt 1: status 200"));
    assert!(!get(&[]).err.contains("attempt"));
    // The events of requests have no params, so the series are listed first, without params that may be secret.
    let Metric { key, keys, history, .. } = metric();
    let series =
        format!("series {} {}={} {}={}\n", metric().name, key.wire_name, keys[0], history.step, metric().step(3600));
    let verbose = get(&["--verbose", "--param", "token=canary"]);
    assert!(verbose.err.starts_with(&series), "{}", verbose.err);
    let coloured = |when| get(&["--format", "table", "--color", when]).out.contains('\u{1b}');
    assert_eq!(["always", "never", "auto"].map(coloured), [true, false, false]);
}

#[test]
fn a_file_with_several_intervals_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a b.parquet");
    let backfill = |seconds, more: &[&str]| {
        let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&file), "--sandbox"];
        run(&[&["backfill"], &*metric().args(metric().keys[0], seconds), &range, more].concat())
    };
    assert!(!backfill(3600, &[]).err.contains("now has"));
    let step = metric().history.step;
    let again = backfill(4 * 3600, &["--json", "--quiet"]);
    // A shell would split the path.
    let (path, name) = (format!("'{}'", text(&file)), metric().name);
    let note = format!("{path} now has several {step}s of {name}; filter by the column `{step}`");
    assert_eq!((again.code, again.err), (Some(0), format!("warning: {note}\n")));
    let object: serde_json::Value = again.out.parse().unwrap();
    assert_eq!(object["notes"], serde_json::json!([note]));
    // A further series is noted once for what only it differs in, and not again for its interval.
    let key = metric().key.wire_name;
    let note = format!("warning: {path} now has several {key}s of {name}; filter by the column `{key}`\n");
    for (value, expected) in [(metric().keys[1], &*note), ("THIRD", "")] {
        let args = metric().args(value, 3600);
        let range = ["2025-01-01", "2025-01-02"];
        let other = run(&crate::backfill::backfill(&args, range, &file, &["--sandbox", "--quiet"]));
        assert_eq!((other.code, &*other.err), (Some(0), expected));
    }
}

/// The notes about one endpoint of a data set do not contradict those about another.
#[test]
fn a_data_set_with_several_intervals_is_noted_once_for_each_endpoint() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let write = |metric: &Metric, seconds| {
        let args = metric.args(metric.keys[0], seconds);
        let output = run(&backfill(&args, ["2025-01-01", "2025-01-03"], &data, &["--sandbox"]));
        assert_eq!(output.code, Some(0), "{}", output.err);
        output.err.lines().filter(|line| line.starts_with("warning: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let step = metric().history.step;
    for (metric, other) in [(metric(), 4 * 3600), (other_metric(), 86_400)] {
        assert_eq!(write(metric, 3600), Vec::<String>::new());
        let intervals = format!("several {step}s of {}", metric.name);
        let note = format!("warning: {} now has {intervals}; filter by the column `{step}`", text(&data));
        assert_eq!(write(metric, other), [note]);
    }
}

/// Each folder is printed on its own line, so that it can be copied.
#[test]
fn the_folders_to_read_are_printed_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let args = [&[other_metric().name], &*metric().hourly()].concat();
    let output = run(&backfill(&args, ["2025-01-01", "2025-01-02"], &data, &["--sandbox"]));
    for metric in [metric(), other_metric()] {
        let line = format!("\nread {}\n", text(&data.join(metric.endpoint.to_string())));
        assert!(output.code == Some(0) && output.err.contains(&line), "{}", output.err);
    }
}

#[test]
fn a_file_with_several_endpoints_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    for (name, is_file) in [("a.parquet", true), ("data", false)] {
        let file = folder.path().join(name);
        for (metric, is_second) in [(metric(), false), (other_metric(), true)] {
            let output = run(&backfill(&metric.hourly(), ["2025-01-01", "2025-01-02"], &file, &["--sandbox"]));
            let has_note = output.err.contains("; filter by the column `endpoint`");
            assert_eq!((output.code, has_note), (Some(0), is_file && is_second), "{}", output.err);
        }
    }
}

/// A shell passes a quoted text as one value, which would be stored as one more series.
#[test]
fn a_value_with_spaces_is_an_error() {
    let Metric { name, key_option, keys, .. } = metric();
    let quoted = run(&["get", name, key_option, &keys.join(" "), "--sandbox"]);
    let advice = format!("commas separate values: `{key_option} {}`", keys.join(","));
    assert!(quoted.code == Some(2) && quoted.err.contains(&advice), "{}", quoted.err);
    let after_comma = run(&["get", name, key_option, &format!("{},", keys[0]), keys[1], "--sandbox"]);
    assert!(after_comma.code == Some(2) && after_comma.err.contains("a value is empty"), "{}", after_comma.err);
}

/// Another program's option is no value, and has the advice that helps.
#[test]
fn an_option_of_another_program_is_explained() {
    let step = option(metric().history.step);
    for (written, own) in [("--since", "--from"), ("--start", "--from"), ("--end", "--to"), ("--frequency", step)] {
        for command in ["get", "backfill", "plot"] {
            let output = run(&[command, metric().name, written, "30d"]);
            let advice = format!("a similar argument exists: '{own}'\n");
            assert!(output.code == Some(2) && output.err.contains(&advice), "{}", output.err);
            assert!(!output.err.contains("as a value") && !output.err.contains("Usage"), "{}", output.err);
        }
    }
    let short = run(&["get", metric().name, "-t", "1h"]);
    assert!(short.code == Some(2) && !short.err.contains("tip"), "{}", short.err);
}

/// Advice names no option that only other commands have.
#[test]
fn an_option_that_the_command_lacks_is_explained() {
    let name = metric().name;
    for (args, advice) in [
        (vec!["poll", name, "--end", "now"], "`poll` has no end; use `--records`"),
        (vec!["poll", name, "--to", "now"], "`poll` has no end; use `--records`"),
        (vec!["get", name, "--out", "a.csv"], "`get` prints; use `> FILE`, or `derivs backfill --out FILE`"),
        (vec!["get", name, "--no-such-param", "a"], "accepted params: --"),
        (vec!["--sandbox", "get", name], "options go after the command: `derivs get … --sandbox`"),
        (vec!["status", "a.parquet", "--end", "now"], ""),
        (vec!["list", "--interval", "1h"], ""),
    ] {
        let output = run(&args);
        assert!(output.code == Some(2) && output.err.contains(advice), "{}", output.err);
        assert!(!output.err.contains("similar argument"), "{}", output.err);
        assert_eq!(output.err.contains("tip:"), !advice.is_empty(), "{}", output.err);
    }
}

#[test]
fn options_of_a_command_are_not_listed_as_options_of_the_connection() {
    for command in ["get", "poll", "plot"] {
        let help = run(&[command, "--help"]).out;
        let (own, connection) = help.split_once("\nConnection:").unwrap();
        assert!(own.contains("--from <WHEN>") && !connection.contains("--from <WHEN>"), "{help}");
    }
}

#[test]
fn endpoints_with_a_comma_and_a_command_of_python_are_explained() {
    let both = [metric().name, other_metric().name].join(",");
    let output = run(&["get", &both]);
    assert!(output.code == Some(2) && output.err.contains("spaces separate endpoints"), "{}", output.err);
    let output = run(&["history", metric().name]);
    assert!(output.code == Some(2) && output.err.contains("`derivs backfill` fetches histories"), "{}", output.err);
}

#[test]
fn a_chart_has_a_limited_number_of_series_and_announces_many_requests() {
    let Metric { name, key_option, .. } = metric();
    let keys: Vec<_> = (0..27).map(|index| format!("x{index}")).collect();
    let step = metric().step(60);
    let plot = |keys: &str, from: &str| {
        run(&["plot", name, key_option, keys, option(metric().history.step), step, "--from", from, "--sandbox"])
    };
    let output = plot(&keys.join(","), "1h");
    assert!(output.code == Some(2) && output.err.contains("at most 26 series"), "{}", output.err);
    assert!(!plot(metric().keys[0], "1h").err.contains("at least"));
    let requests = plot(metric().keys[0], "20d").err;
    assert!(requests.contains(" requests, at least "), "{requests}");
}

/// No record before a time is returned. An age means the interval that contains it.
#[test]
fn a_history_begins_at_its_start() {
    let history = |from| {
        let range = ["--from", from, "--to", "2025-01-01T03:00", "--out", "-", "--sandbox", "--json"];
        run(&[&["backfill"], &*metric().hourly(), &range].concat())
    };
    for (from, start, first, count) in [
        ("2025-01-01T00:30", "2025-01-01T00:30:00Z", "2025-01-01T01:00:00Z", 2),
        ("2025-01-01", "2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z", 3),
    ] {
        let output = history(from);
        assert_eq!(output.rows().len(), count, "{}", output.out);
        assert!(output.rows()[0].contains(first), "{}", output.out);
        assert!(output.err.contains(&format!("\"from\":\"{start}\"")), "{}", output.err);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let range = ["--from", "2025-01-01T12:30", "--to", "2025-01-03", "--out", text(&file), "--sandbox"];
    let steps = format!("{},{}", metric().step(3600), metric().step(86_400));
    let args = [&["backfill", metric().name, metric().key_option, metric().keys[0]], &range[..]].concat();
    let output = run(&[&args, &[option(metric().history.step), &*steps][..]].concat());
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(!output.err.contains("warning"), "{}", output.err);
    // From 13:00 on, 35 hours and one day.
    assert_eq!(contents(&file).lines().skip(1).count(), 36, "{}", contents(&file));
    assert_eq!(run(&["status", text(&file)]).code, Some(0));
}

#[test]
fn a_day_that_does_not_exist_is_explained() {
    let output = get(&["--from", "2025-06-31"]);
    assert!(output.code == Some(2) && output.err.contains("2025-06 has 30 days"), "{}", output.err);
}

#[test]
fn a_folder_of_a_data_set_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&data), "--sandbox"];
    assert_eq!(run(&[&["backfill"], &*metric().hourly(), &range].concat()).code, Some(0));
    let endpoint = data.join(metric().endpoint.to_string());
    let expected = format!("part of the data set {}; name that", text(&data));
    for path in [&*endpoint, folder.path()] {
        for args in [&["status", text(path)][..], &["remove", text(path), "--endpoint", metric().name]] {
            let output = run(args);
            assert!(output.code == Some(2) && output.err.contains(&expected), "{}", output.err);
        }
    }
    let file = endpoint.join("new.parquet");
    let into = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&file), "--sandbox"];
    let output = run(&[&["backfill"], &*metric().hourly(), &into].concat());
    assert_eq!((output.code, output.err), (Some(2), format!("error: {}: {expected}\n", text(&file))));
}

#[test]
fn a_file_of_another_program_is_not_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.csv");
    std::fs::write(&file, "a,b\n1,2\n").unwrap();
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", text(&file), "--sandbox"];
    for args in [vec!["status", text(&file)], [&["backfill"], &*metric().hourly(), &range].concat()] {
        let output = run(&args);
        let is_explained = output.err.contains("no backfill has written the file") && !output.err.contains("damaged");
        assert!(output.code == Some(2) && is_explained, "{}", output.err);
    }
}

/// A program in any language can test how it handles an error of one series.
#[test]
fn the_sandbox_simulates_failures() {
    let Metric { key, keys, .. } = metric();
    let rule = format!("{}={} status=404", key.wire_name, keys[0]);
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--out", "-", "--sandbox", "--fault"];
    let args = [&["backfill"], &*metric().two_hourly(), &range].concat();
    let output = run(&[&args[..], &[&rule]].concat());
    assert_eq!((output.code, output.rows().len()), (Some(5), 24), "{}", output.err);
    let wrong = run(&[&args[..], &["nonsense"]].concat());
    assert!(wrong.code == Some(2) && wrong.err.contains("known: latency, "), "{}", wrong.err);
}

#[test]
fn a_wrong_number_is_explained() {
    let name = metric().name;
    for args in
        [["poll", name, "--records", "-1"], ["poll", name, "--records", "0"], ["poll", name, "--records", "1.5"]]
    {
        let output = run(&args);
        let expected = format!(
            "error: invalid value '{}' for '--records <NUMBER>': expected a whole number of at least 1\n",
            args[3]
        );
        assert!(output.code == Some(2) && output.err.starts_with(&expected), "{}", output.err);
    }
    let all = get(&["--all"]);
    let instead = "`derivs backfill` fetches all records of a range";
    assert!(all.code == Some(2) && all.err.contains("no known pages") && all.err.contains(instead), "{}", all.err);
    let pages = run(&["get", name, "--all", "--max-pages", "-1"]);
    assert!(pages.code == Some(2) && pages.err.contains("at least 1"), "{}", pages.err);
}

/// The Python module runs the command with `--python`.
#[test]
fn messages_for_python_have_the_names_of_arguments() {
    let Metric { name, key_option, keys, .. } = metric();
    let key = key_option.trim_start_matches("--");
    let plural = format!("{key_option}s={}", keys[0]);
    let named = format!("{key_option}={}", keys[0]);
    let twice = format!("--param={key}={}", keys[0]);
    let misspelt = format!("{name}s");
    for (args, expected) in [
        (vec!["get", "--python", &plural, name], format!("a similar argument exists: '{key}'")),
        (vec!["get", "--python", "--from=yesterday", name], "invalid value 'yesterday' for 'start'".to_owned()),
        (vec!["get", "--python", "--format=x", name], "invalid value 'x' for 'format'".to_owned()),
        (vec!["get", "--python", &named, &twice, name], format!("`{key}` is set by `{key}` and by `param`")),
        (vec!["describe", "--python", name, name], "`describe` accepts one endpoint\n".to_owned()),
        (vec!["get", "--python", &misspelt], "`derivs.endpoints()` lists all endpoints".to_owned()),
        (vec!["get", "--python", "--interval=1h", name], "a similar argument exists: '".to_owned()),
        (vec!["get", "--python", "--out=x", name], "`backfill` writes files".to_owned()),
        (vec!["get", "--python", "--xyzzy=x", name], "accepted params: ".to_owned()),
        (vec!["backfill", "--python", "--path=x", name], "a similar argument exists: 'out'".to_owned()),
        (vec!["backfill", "--python", &named, name], "not provided:\n  start\n  out\n".to_owned()),
        (vec!["backfill", "--python"], "\n  endpoints\n".to_owned()),
        (vec!["backfill", "--python", "--job=x", name], "cannot be used with".to_owned()),
        (vec!["backfill", "--python", "--from=1d", "--refetch-gaps", "--out=-", name], "`refetch_gaps`".to_owned()),
        (vec!["poll", "--python", "--to=now", name], "use `records`".to_owned()),
        (
            vec!["poll", "--python", "--records=-1", name],
            "'records': expected a whole number of at least 1\n".to_owned(),
        ),
        (vec!["status", "--python", "--max-age=x", "a.csv"], "for 'max_age'".to_owned()),
        (vec!["status", "--python", "no-folder/"], "no such file or folder".to_owned()),
        (vec!["get", "--python", &named, name], "use `sandbox=True`".to_owned()),
    ] {
        let output = run(&args);
        let is_expected = output.code.is_some_and(|code| code > 0) && output.err.contains(&expected);
        assert!(is_expected, "{args:?}: {expected}: {}", output.err);
        // The last line of clap is not shown by the module.
        let text = output.err.replace("try '--help'", "");
        assert!(!text.contains("--") && !text.contains('<') && !text.contains("Usage"), "{args:?}: {}", output.err);
    }
}
