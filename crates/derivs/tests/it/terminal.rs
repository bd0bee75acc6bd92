//! Tests of the program in a terminal of 80 columns.

use test_endpoints::{metric, object, option, other_metric};

use crate::backfill::backfill;
use crate::support::{self, Service, Terminal};

/// Runs a command to its end, and returns the exit code and the screen.
fn run(args: &[&str]) -> (Option<i32>, String) {
    let mut terminal = Terminal::start(args);
    let code = terminal.end();
    (code, terminal.screen())
}

#[test]
fn records_are_a_table() {
    let (metric, limit) = (metric(), metric().page_size());
    let more = [option(metric.history.limit), limit, "--sandbox"];
    let (code, screen) = run(&[&["get"], &*metric.two_hourly(), &more].concat());
    assert_eq!(code, Some(0));
    let lines: Vec<_> = screen.lines().collect();
    let columns: Vec<_> = [metric.time, metric.key.wire_name].into_iter().chain(metric.fields()).collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), columns);
    assert_eq!(lines.len(), 1 + 2 * limit.parse::<usize>().unwrap(), "{screen}");
}

#[test]
fn body_without_records_is_indented() {
    let (_, screen) = run(&["get", object().ident, "--sandbox"]);
    assert!(screen.starts_with("{\n  \""), "{screen}");
}

#[test]
fn help_fits_the_terminal_and_shows_the_params_of_the_endpoint() {
    let (code, screen) = run(&["get", metric().name, "-h"]);
    assert_eq!(code, Some(0));
    assert!(screen.contains(&format!(" {} <", metric().key_option)), "{screen}");
    assert!(!screen.contains(&format!(" {} <", metric().foreign_option())), "{screen}");
}

#[test]
fn no_color_disables_colours() {
    let args = ["describe", metric().name];
    let colours = |mut terminal: Terminal| {
        terminal.end();
        terminal.written().contains("\x1b[")
    };
    assert!(colours(Terminal::start(&args)));
    assert!(!colours(Terminal::without_colours(&args)));
    let plot = [&["plot"], &*metric().two_hourly(), &["--sandbox"]].concat();
    assert!(colours(Terminal::start(&plot)));
    assert!(!colours(Terminal::without_colours(&plot)));
}

#[test]
fn a_plot_fits_the_terminal() {
    let (code, screen) = run(&[&["plot"], &*metric().two_hourly(), &["--sandbox"]].concat());
    assert_eq!(code, Some(0));
    let title = screen.lines().next().unwrap();
    // All series have this interval.
    assert!(title.contains(metric().endpoint.name) && title.contains(metric().step(3600)), "{screen}");
    assert!(metric().keys.iter().all(|key| screen.contains(key)), "{screen}");
    assert!(screen.lines().filter(|line| line.contains('│') || line.contains('┤')).count() > 15, "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
}

#[test]
fn a_plot_of_many_series_advises_a_file() {
    for (keys, is_advised) in [("A,B,C", false), ("A,B,C,D", true)] {
        let (code, screen) = run(&[&["plot"], &*metric().args(keys, 3600), &["--sandbox"]].concat());
        assert_eq!((code, screen.contains("`--out chart.svg`")), (Some(0), is_advised), "{screen}");
    }
}

#[test]
fn the_status_shows_the_records_that_no_run_has_requested() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    for range in [["2025-01-01", "2025-01-02"], ["2025-01-04", "2025-01-05"]] {
        let args = backfill(&metric().hourly(), range, &file, &["--sandbox", "--quiet"]);
        assert_eq!(support::run(&args).code, Some(0));
    }
    let (code, screen) = run(&["status", support::text(&file)]);
    assert!(code == Some(0) && screen.contains("missing  never requested"), "{screen}");
}

#[test]
fn a_backfill_shows_a_bar() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let service = Service::with(|builder| builder.fault("latency=10m".parse().unwrap()));
    let range = ["--from", "90d", "--out", file.to_str().unwrap()];
    let args = [&["backfill"], &*metric().two_hourly(), &range].concat();
    let mut terminal = Terminal::derivs_with(&service, &args);
    terminal.wait_for("0%  waiting");
    terminal.interrupt();
    assert_eq!(terminal.end(), Some(130));
}

/// A reader of the file has to know the same as after a backfill.
#[test]
fn a_poll_notes_a_second_interval_once() {
    let folder = tempfile::tempdir().unwrap();
    let (file, service) = (folder.path().join("a.parquet"), Service::start());
    let hours = backfill(&metric().hourly(), ["3d", "now"], &file, &["--quiet"]);
    assert_eq!(support::run_with(&service, &hours).code, Some(0));
    let minutes = metric().args(metric().keys[0], 60);
    let args = [&["poll"], &*minutes, &["--from", "5m", "--out", support::text(&file)]].concat();
    let note = format!(" now has several {}s ", metric().history.step);
    for count in [1, 0] {
        let mut terminal = Terminal::derivs_with(&service, &args);
        terminal.wait_for(if count == 1 { &note } else { "is due at" });
        terminal.interrupt();
        assert_eq!(terminal.end(), Some(130));
        assert_eq!(terminal.screen().matches(&note).count(), count, "{}", terminal.screen());
    }
}

#[test]
fn ctrl_c_ends_a_poll_with_130() {
    let service = Service::start();
    let args = [&["poll"], &*metric().args(metric().keys[0], 60), &["--from", "5m"]].concat();
    let mut terminal = Terminal::derivs_with(&service, &args);
    terminal.wait_for(metric().time);
    terminal.interrupt();
    assert_eq!(terminal.end(), Some(130));
    assert!(!terminal.screen().contains("error"), "{}", terminal.screen());
}

#[test]
fn backfill_replaces_the_bar_with_its_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let range = ["--from", "2025-01-01", "--to", "2025-04-01", "--out", file.to_str().unwrap(), "--sandbox"];
    let (code, screen) = run(&[&["backfill", other_metric().name], &*metric().hourly(), &range].concat());
    assert_eq!(code, Some(0), "{screen}");
    assert!(!screen.contains('%'), "the bar is removed\n{screen}");
    assert!(screen.contains("4,320 new records ("), "{screen}");
}

#[test]
fn backfill_continues_after_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let service = Service::with(|builder| builder.fault("latency=200ms".parse().unwrap()));
    let range = ["--from", "2024-01-01", "--to", "2024-01-16", "--out", file.to_str().unwrap()];
    let args = [&["backfill"], &*metric().args(metric().both, 60), &range].concat();
    let mut terminal = Terminal::derivs_with(&service, &args);
    // When the screen shows this text, the first responses have arrived.
    terminal.wait_for(" left");
    terminal.interrupt();
    assert_eq!(terminal.end(), Some(130), "{}", terminal.screen());
    assert!(terminal.screen().contains("run the same command to continue"), "{}", terminal.screen());
    assert!(!file.exists());
    let mut again = Terminal::derivs_with(&service, &args);
    assert_eq!(again.end(), Some(0), "{}", again.screen());
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().skip(1).count(), 2 * 15 * 24 * 60);
}
