//! Starts the command line of a service whose records have members that the catalogue does not list by name.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{HOURLY_SERVICE, project_with, run, text};

const METRICS: &str = "\
title: Metrics
summary: Metrics.
endpoints:
- name: Metrics
  path: /metrics
  example: true
  evidence: documented
  summary: The metrics of an asset.
  params:
  - {name: asset, type: string, required: documented, example: one, summary: The asset.}
  - start
  - end
  body: {time: time, others: number, series: [{name: time, type: timestamp, summary: The time.}]}
";

const RANGE: [&str; 4] = ["--from", "2025-01-01", "--to", "2025-01-02"];

/// A folder with the catalogue and a data set of one day.
fn project(name: &str) -> PathBuf {
    project_of(name, METRICS)
}

fn project_of(name: &str, metrics: &str) -> PathBuf {
    let folder = project_with(name, &[("service.yaml", HOURLY_SERVICE), ("metrics.yaml", metrics)]);
    let backfill = ["backfill", "metrics", "--asset", "one", "--out", "data/", "--sandbox"];
    succeed(&folder, &[&backfill[..], &RANGE].concat());
    folder
}

/// Returns what a command prints.
fn succeed(project: &Path, arguments: &[&str]) -> String {
    let output = run(project, arguments);
    let printed = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {printed}");
    printed
}

/// A chart of fetched records, and one of stored records.
fn charts() -> [Vec<&'static str>; 2] {
    let fetched = [&["plot", "metrics", "--asset", "one", "--sandbox", "--out", "chart.svg"][..], &RANGE].concat();
    [fetched, vec!["plot", "data/", "--to", "2025-01-02", "--out", "chart.svg"]]
}

#[test]
fn a_chart_shows_a_member_as_a_field() {
    let project = project("members_in_a_chart");
    for plot in charts() {
        for (field, title) in [(&[][..], ": first"), (&["--field", "second"], ": second")] {
            succeed(&project, &[&plot[..], field].concat());
            let chart = fs::read_to_string(project.join("chart.svg")).expect("a chart");
            assert!(chart.contains(title) && chart.contains("<path"), "{plot:?}: {chart}");
        }
        let output = run(&project, &[&plot[..], &["--field", "secnd"]].concat());
        assert!(text(&output.stderr).contains("did you mean `second`"), "{}", text(&output.stderr));
    }
}

/// Services send decimals in quotes, and their digits are kept as text.
#[test]
fn charts_and_reports_have_decimals() {
    let fields = "others: decimal, series: [{name: rate, type: decimal}, ";
    let project = project_of("decimals_in_a_chart", &METRICS.replace("others: number, series: [", fields));
    for plot in charts() {
        for field in ["rate", "second"] {
            succeed(&project, &[&plot[..], &["--field", field]].concat());
        }
    }
    let report = succeed(&project, &["report", "data/"]);
    let rate = report.lines().find(|line| line.contains(",rate,")).unwrap_or_default();
    assert!(rate.contains('.'), "{report}");
}

#[test]
fn a_report_has_figures_of_each_member() {
    let project = project("members_in_a_report");
    let report = succeed(&project, &["report", "data/", "--json"]);
    for member in ["first", "second"] {
        assert!(report.contains(&format!(r#""field":"{member}""#)), "{report}");
    }
    succeed(&project, &["report", "data/", "--out", "report.html"]);
    let page = fs::read_to_string(project.join("report.html")).expect("a page");
    assert_eq!(page.matches("<svg ").count(), 2, "{page}");
}

#[test]
fn a_member_is_a_column_of_texts_and_sheets() {
    let project = project("members_in_columns");
    let get = ["get", "metrics", "--asset", "one", "--sandbox"];
    let export = ["export", "data/"];
    for command in [&get[..], &export] {
        let csv = succeed(&project, &[command, &["--format", "csv"]].concat());
        let names: Vec<&str> = csv.lines().next().unwrap_or_default().split(',').collect();
        assert!(names.contains(&"first") && names.contains(&"second") && !names.contains(&"others"), "{csv}");
        let lines = succeed(&project, &[command, &["--format", "jsonl"]].concat());
        let line = lines.lines().next().unwrap_or_default();
        assert!(line.contains(r#""first":"#) && line.contains(r#""second":"#), "{line}");
        assert!(!line.contains("others"), "{line}");
    }
    succeed(&project, &["export", "data/", "--out", "rows.xlsx"]);
}

/// The first line of a stream of CSV has its columns, so it has one for the members of later records.
#[test]
fn the_columns_of_a_stream_leave_room_for_later_members() {
    let project = project("members_in_a_stream");
    let poll = ["poll", "metrics", "--asset", "one", "--from", "5h", "--records", "3", "--format", "csv", "--sandbox"];
    let csv = succeed(&project, &poll);
    assert!(csv.contains(",first,second,others,unknown_fields\n"), "{csv}");
}
