//! Starts the command line of a hostile catalogue as a process: names of params that become the same option, that are options
//! of commands, keys of job files or keywords, and that have no letters.

#![allow(clippy::expect_used, reason = "a test may panic")]

mod examples_in_help;
mod other_members;
mod several_hosts;
mod unknown_page_size;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SERVICE: &str = "\
title: Hostile
version: '1'
summary: A service with hostile names.
env_prefix: HOSTILE
time: {unit: seconds, evidence: documented}
history: {from: start, to: end, step: every, evidence: documented}
types:
- name: Interval
  kind: enum
  summary: The interval between two prices.
  evidence: documented
  values: [{value: 1h, summary: One hour., duration: 1h}]
params:
- {name: every, type: Interval, required: documented, example: 1h, summary: The interval., evidence: documented}
- {name: start, type: timestamp, summary: The first time., evidence: documented}
- {name: end, type: timestamp, summary: The last time., evidence: documented}
";

/// A service whose endpoints have a record for each hour.
const HOURLY_SERVICE: &str = "\
title: Hourly
version: '1'
summary: A service with a record for each hour.
env_prefix: HOURLY
time: {unit: seconds, evidence: documented}
history: {from: start, to: end, every: 1h, evidence: documented}
params:
- {name: start, type: timestamp, summary: The first time., evidence: documented}
- {name: end, type: timestamp, summary: The last time., evidence: documented}
";

/// The names of params on the wire, and their options.
const PARAMS: [(&str, &str); 16] = [
    ("start_time", "start-time"),
    ("startTime", "start-time-3"),
    ("StartTime<", "start-time-2"),
    ("ids", "ids"),
    ("ids[]", "ids-2"),
    ("_", "param-2"),
    ("from", "param-from"),
    ("verbose", "param-verbose"),
    ("Help", "param-help"),
    ("endpoints", "param-endpoints"),
    ("24h", "param-24h"),
    ("out", "param-out"),
    ("param_out", "param-out-2"),
    ("class", "class"),
    ("é", "é"),
    ("a=b c", "a-b-c"),
];

/// Writes the files of a catalogue to the folder `spec` of a new folder, which is returned.
fn project_with(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    let spec = folder.join("spec");
    fs::create_dir_all(&spec).expect("a folder");
    for (file, content) in files {
        fs::write(spec.join(file), content).expect("a file");
    }
    folder
}

/// A folder with the hostile catalogue.
fn project(name: &str) -> PathBuf {
    let mut market = "\
title: Market
summary: Prices.
endpoints:
- name: Prices
  path: /prices
  evidence: documented
  summary: The price at each time.
  params:
  - every
  - start
  - end
"
    .to_owned();
    for (index, (wire_name, _)) in PARAMS.iter().enumerate() {
        market += &format!("  - {{name: '{wire_name}', rust_name: p{index}, type: string, summary: A param.}}\n");
    }
    market += "  body: {time: t, series: [{name: t, type: timestamp, summary: The time.}, {name: price, type: number, \
               summary: The price.}]}\n";
    market += "- name: Trades\n  path: /trades\n  evidence: documented\n  summary: Each trade.\n  params: [start, end]\n  \
               history: {from: start, to: end, evidence: documented}\n  body: {time: t, series: [{name: t, type: timestamp, \
               summary: The time.}, {name: price, type: number, summary: The price.}]}\n";
    project_with(name, &[("service.yaml", SERVICE), ("market.yaml", &market)])
}

fn run(project: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalogue-cli"));
    command.args(arguments).current_dir(project).output().expect("a process")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_command_has_help() {
    let project = project("help");
    for command in ["list", "describe", "get", "backfill", "poll", "status", "plot", "export", "report", "remove"] {
        let output = run(&project, &[command, "--help"]);
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
    }
    let help = text(&run(&project, &["get", "prices", "--help"]).stdout);
    for (wire_name, option) in PARAMS {
        assert!(help.contains(&format!("--{option} <")), "{wire_name}: {help}");
    }
}

/// Returns the values of the first row, each with its column.
fn first_row(csv: &str) -> Vec<(&str, &str)> {
    let mut lines = csv.lines();
    let header = lines.next().expect("a header").split(',');
    header.zip(lines.next().expect("a row").split(',')).collect()
}

#[test]
fn option_sets_the_param_that_help_shows() {
    let project = project("options");
    for (wire_name, option) in PARAMS {
        let set = format!("--{option}=hostile");
        let output = run(&project, &["get", "prices", "--every", "1h", "--sandbox", "--format", "csv", &set]);
        assert!(output.status.success(), "{wire_name}: {}", text(&output.stderr));
        let printed = text(&output.stdout);
        assert!(first_row(&printed).contains(&(wire_name, "hostile")), "{wire_name}: {printed}");
    }
}

#[test]
fn key_of_a_job_file_sets_the_param_with_this_name() {
    let project = project("job");
    for (wire_name, option) in PARAMS {
        let key = if ["endpoints", "from"].contains(&wire_name) { option } else { wire_name };
        let job = format!(
            "from = 2025-01-01\nto = 2025-01-02\nout = \"prices.csv\"\n[[series]]\nendpoints = \"prices\"\nevery = \"1h\"\n\
             '{key}' = \"hostile\"\n"
        );
        fs::write(project.join("job.toml"), job).expect("a file");
        let output = run(&project, &["backfill", "--job", "job.toml", "--sandbox", "--out", &format!("{option}.csv")]);
        assert!(output.status.success(), "{wire_name}: {}", text(&output.stderr));
        let written = fs::read_to_string(project.join(format!("{option}.csv"))).expect("a file");
        assert!(first_row(&written).contains(&(wire_name, "hostile")), "{wire_name}: {written}");
    }
}

/// Each param is a column of the files, beside the columns that every table has.
#[test]
fn param_has_a_column() {
    let project = project("columns");
    let mut arguments = vec!["backfill", "prices", "--every", "1h", "--from", "2025-01-01", "--to", "2025-01-02"];
    arguments.extend(["--sandbox", "--out", "prices.csv"]);
    let set: Vec<String> = PARAMS.iter().map(|(_, option)| format!("--{option}=hostile")).collect();
    arguments.extend(set.iter().map(String::as_str));
    let output = run(&project, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = fs::read_to_string(project.join("prices.csv")).expect("a file");
    let header = written.lines().next().expect("a line");
    let mut columns: Vec<&str> = header.split(',').collect();
    for (wire_name, _) in PARAMS {
        assert!(columns.contains(&wire_name), "{wire_name}: {header}");
    }
    let count = columns.len();
    columns.sort_unstable();
    columns.dedup();
    assert_eq!(columns.len(), count, "{header}");
}

/// Nobody knows when the next event is due, so that none is missing between two of them, and there is no usual length of a
/// chart.
#[test]
fn chart_of_events_has_no_gaps() {
    let project = project("events");
    let plot = ["plot", "trades", "--sandbox", "--out", "trades.svg"];
    let output = run(&project, &[&plot[..], &["--from", "2025-01-01", "--to", "2025-01-02"]].concat());
    let printed = text(&output.stderr);
    assert!(output.status.success() && !printed.contains("missing"), "{printed}");
    let printed = text(&run(&project, &plot).stderr);
    assert!(printed.contains("trades: set `--from`, because its records have no regular step"), "{printed}");
}

/// Nobody knows when the next event is due: the ends of its series are judged, and the gaps are not.
#[test]
fn events_are_kept_in_a_data_set() {
    let project = project("event-files");
    let range = ["--from", "2025-01-01", "--to", "2025-01-02", "--sandbox"];
    let backfill = [&["backfill", "trades", "--out", "data/"][..], &range].concat();
    let plan = run(&project, &[&backfill[..], &["--dry-run"]].concat());
    let printed = text(&plan.stderr) + &text(&plan.stdout);
    assert!(printed.contains("at least 1 request, because the records have no regular step"), "{printed}");
    for expected in ["24 new records", "no request needed"] {
        let output = run(&project, &backfill);
        let printed = text(&output.stderr);
        assert!(output.status.success() && printed.contains(expected), "{printed}");
    }
    assert!(project.join("data/market.trades/irregular-2025.parquet").exists());
    let output = run(&project, &["status", "data/"]);
    let printed = text(&output.stderr);
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("gaps are not judged, because the records have no regular step: trades"), "{printed}");
    let status = text(&run(&project, &["status", "data/", "--json"]).stdout);
    assert!(status.contains(r#""has_step":false"#) && status.contains(r#""is_up_to_date":null"#), "{status}");
    let exported = text(&run(&project, &["export", "data/", "--format", "csv"]).stdout);
    let got = [&["get", "trades", "--start", "2025-01-01", "--end", "2025-01-02"][..], &["--sandbox"]].concat();
    let got = text(&run(&project, &[&got[..], &["--format", "csv"]].concat()).stdout);
    assert!(exported.lines().count() > 2 && got.lines().count() > 2, "{exported}{got}");
    for command in [&["report", "data/"][..], &["plot", "data/", "--out", "chart.svg"]] {
        let output = run(&project, command);
        let printed = text(&output.stderr) + &text(&output.stdout);
        assert!(output.status.success() && !printed.contains("gaps break"), "{printed}");
    }
    let chart = fs::read_to_string(project.join("chart.svg")).expect("a chart");
    assert!(chart.contains("<path") || chart.contains("<polyline"), "{chart}");
}
