//! Starts the command line of a service that leads to further pages, whose size the catalogue does not have.

use std::path::PathBuf;

use crate::{HOURLY_SERVICE, project_with, run, text};

const PRICES: &str = "\
title: Prices
summary: Prices.
endpoints:
- name: Prices
  path: /prices
  example: true
  evidence: documented
  summary: The price at each time.
  params:
  - start
  - end
  - {name: cursor, type: string, summary: The cursor of a page.}
  pages: {cursor: next, param: cursor}
  body: {data: data, time: t, series: [{name: t, type: timestamp, summary: The time.}, {name: price, type: number, summary: The \
price.}]}
";

fn project(name: &str) -> PathBuf {
    project_with(name, &[("service.yaml", HOURLY_SERVICE), ("prices.yaml", PRICES)])
}

#[test]
fn a_later_run_requests_only_what_may_have_changed() {
    let project = project("pages_of_a_later_run");
    let backfill = ["backfill", "prices", "--from", "60d", "--out", "data/", "--sandbox"];
    let plan = [&backfill[..], &["--dry-run"]].concat();
    let first = start_of(&text(&run(&project, &plan).stdout));
    let output = run(&project, &backfill);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let second = start_of(&text(&run(&project, &plan).stdout));
    // A service may count the times of its records from the start that is requested.
    assert!(second[..10] > first[..10] && second.ends_with(":00:00Z"), "{first} {second}");
}

#[test]
fn a_plan_states_the_least_number_of_requests() {
    let project = project("requests_of_pages");
    let output = run(&project, &["backfill", "prices", "--from", "60d", "--out", "data/", "--sandbox", "--dry-run"]);
    let plan = text(&output.stderr) + &text(&output.stdout);
    assert!(plan.contains("records in at least 2 requests"), "{plan}");
}

/// Nobody knows how many records a full page has, so a response with fewer records than intervals may not be complete.
#[test]
fn a_response_with_fewer_records_than_intervals_is_a_warning() {
    let prices = PRICES.replace("  pages: {cursor: next, param: cursor}\n", "");
    let files = [("service.yaml", HOURLY_SERVICE), ("prices.yaml", &prices)];
    let project = project_with("records_of_a_range", &files);
    let warning = "one page with ";
    for (to, fault, is_incomplete) in [
        ("2025-01-02T00:00", None, false),
        ("2025-01-02T00:59", None, false),
        ("2025-01-02T00:00", Some("50% missing"), true),
    ] {
        let mut arguments = vec!["get", "prices", "--from", "2025-01-01T00:30", "--to", to, "--sandbox"];
        if let Some(fault) = fault {
            arguments.extend(["--fault", fault]);
        }
        let output = run(&project, &arguments);
        let messages = text(&output.stderr);
        assert!(output.status.success() && messages.contains(warning) == is_incomplete, "{to} {fault:?}: {messages}");
    }
}

/// The time from which a plan requests the records.
fn start_of(plan: &str) -> String {
    let range = plan.lines().nth(1).expect("a range");
    range.split(',').nth(1).expect("a start").to_owned()
}
