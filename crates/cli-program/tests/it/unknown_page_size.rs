//! Starts the command line of a service that leads to further pages, whose size the catalogue does not have.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{run, text};

const SERVICE: &str = "\
title: Pages
version: '1'
summary: A service whose pages have an unknown size.
env_prefix: PAGES
time: {unit: seconds, evidence: documented}
history: {from: start, to: end, every: 1h, evidence: documented}
params:
- {name: start, type: timestamp, summary: The first time., evidence: documented}
- {name: end, type: timestamp, summary: The last time., evidence: documented}
";

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
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("spec")).expect("a folder");
    fs::write(folder.join("spec/service.yaml"), SERVICE).expect("a file");
    fs::write(folder.join("spec/prices.yaml"), PRICES).expect("a file");
    folder
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

/// The time from which a plan requests the records.
fn start_of(plan: &str) -> String {
    let range = plan.lines().nth(1).expect("a range");
    range.split(',').nth(1).expect("a start").to_owned()
}
