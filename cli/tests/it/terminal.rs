//! The program in a terminal of 80 columns.

use crate::support::{Service, Terminal};

/// Runs a command to its end, and returns the exit code and the screen.
fn run(args: &[&str]) -> (Option<i32>, String) {
    let mut terminal = Terminal::start(args);
    let code = terminal.end();
    (code, terminal.screen())
}

#[test]
fn records_are_a_table() {
    let (code, screen) =
        run(&["get", "volume_ratio", "--coin", "BTC,ETH", "--timeframe", "1h", "--limit", "5", "--sandbox"]);
    assert_eq!(code, Some(0));
    let lines: Vec<_> = screen.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["openDate", "coin", "volumeRatio"]);
    assert_eq!(lines.len(), 11, "{screen}");
}

#[test]
fn body_without_records_is_indented() {
    let (_, screen) = run(&["get", "health_check", "--sandbox"]);
    assert!(screen.starts_with("{\n  \""), "{screen}");
}

#[test]
fn help_fits_the_terminal_and_shows_the_params_of_the_endpoint() {
    let (code, screen) = run(&["get", "open_interest", "-h"]);
    assert_eq!(code, Some(0));
    assert!(screen.contains("--timeframe <TIMEFRAME>"), "{screen}");
    assert!(!screen.contains("--anchor"), "{screen}");
}

#[test]
fn no_color_disables_colours() {
    let args = ["describe", "volume_ratio"];
    let colours = |mut terminal: Terminal| {
        terminal.end();
        terminal.written().contains("\x1b[")
    };
    assert!(colours(Terminal::start(&args)));
    assert!(!colours(Terminal::without_colours(&args)));
    let plot = ["plot", "open_interest", "--coin", "BTC,ETH", "--timeframe", "1h", "--sandbox"];
    assert!(colours(Terminal::start(&plot)));
    assert!(!colours(Terminal::without_colours(&plot)));
}

#[test]
fn a_plot_fits_the_terminal() {
    let (code, screen) = run(&["plot", "open_interest", "--coin", "BTC,ETH", "--timeframe", "1h", "--sandbox"]);
    assert_eq!(code, Some(0));
    assert!(screen.contains("Open Interest: close (USD)"), "{screen}");
    assert!(screen.contains("BTC") && screen.contains("ETH"), "{screen}");
    assert!(screen.lines().filter(|line| line.contains('│') || line.contains('┤')).count() > 15, "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
}

#[test]
fn a_backfill_shows_a_bar() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let service = Service::with(|builder| builder.fault("latency=10m".parse().unwrap()));
    let args = ["backfill", "volume_ratio", "--coin", "BTC,ETH", "--timeframe", "1h", "--from", "90d", "--out"];
    let mut terminal = Terminal::derivs_with(&service, &[&args[..], &[file.to_str().unwrap()]].concat());
    terminal.wait_for("0%  waiting");
    terminal.interrupt();
    assert_eq!(terminal.end(), Some(130));
}

#[test]
fn ctrl_c_ends_a_poll_with_130() {
    let service = Service::start();
    let mut terminal = Terminal::derivs_with(
        &service,
        &["poll", "volume_ratio", "--coin", "BTC", "--timeframe", "1m", "--from", "5m"],
    );
    terminal.wait_for("volumeRatio");
    terminal.interrupt();
    assert_eq!(terminal.end(), Some(130));
    assert!(!terminal.screen().contains("error"), "{}", terminal.screen());
}

#[test]
fn backfill_replaces_the_bar_with_its_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let range = ["--from", "2025-01-01", "--to", "2025-04-01", "--out", file.to_str().unwrap(), "--sandbox"];
    let args = ["backfill", "volume_ratio", "open_interest", "--coin", "BTC", "--timeframe", "1h"];
    let (code, screen) = run(&[args.as_slice(), &range].concat());
    assert_eq!(code, Some(0), "{screen}");
    assert!(!screen.contains('%'), "the bar is removed\n{screen}");
    assert!(screen.contains("4,320 new records (6 requests"), "{screen}");
}

#[test]
fn backfill_continues_after_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let service = Service::with(|builder| builder.fault("latency=200ms".parse().unwrap()));
    let range = ["--from", "2024-01-01", "--to", "2024-01-16", "--out", file.to_str().unwrap()];
    let args = [["backfill", "volume_ratio", "--coin", "BTC,ETH", "--timeframe", "1m"].as_slice(), &range].concat();
    let mut terminal = Terminal::derivs_with(&service, &args);
    // The first responses have arrived.
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
