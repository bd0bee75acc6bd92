//! Tests of what packages install beside the program: the completions that a shell receives, and manual pages.

use test_endpoints::{Metric, endpoints, metric, option, values};

use crate::backfill::backfill;
use crate::support::{self, derivs, run, text};

/// Returns the completions that bash receives for the last word.
fn offered(words: &[&str]) -> Vec<String> {
    let mut command = derivs(&[["--", "derivs"].as_slice(), words].concat());
    command.env("COMPLETE", "bash").env("_CLAP_IFS", "\n").env("_CLAP_COMPLETE_COMP_TYPE", "9");
    command.env("_CLAP_COMPLETE_SPACE", "false").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    support::output(&mut command).out.lines().map(str::to_owned).collect()
}

#[test]
fn endpoints_params_and_values_are_completed() {
    let (name, param) = (metric().name, metric().open_param());
    let names = offered(&["get", &name[..name.len() - 1]]);
    assert!(names.contains(&name.to_owned()) && names.len() < endpoints().count(), "{names:?}");
    let first = values(param).next().unwrap();
    let begin = &first[..2];
    let expected: Vec<_> = values(param).filter(|value| value.starts_with(begin)).collect();
    assert_eq!(offered(&["get", name, option(param.wire_name), begin]), expected);
    let second = offered(&["get", name, option(param.wire_name), &format!("{first},{begin}")]);
    assert_eq!(second, expected.iter().map(|value| format!("{first},{value}")).collect::<Vec<_>>());
}

/// A command that fetches histories offers no endpoint without one.
#[test]
fn only_endpoints_with_a_history_are_offered_for_a_backfill() {
    let mut histories = offered(&["backfill", ""]);
    histories.retain(|name| !name.starts_with('-'));
    let all = offered(&["get", ""]);
    assert!(histories.contains(&metric().name.to_owned()) && !histories.is_empty(), "{histories:?}");
    let without: Vec<_> = all.iter().filter(|name| !name.starts_with('-') && !histories.contains(name)).collect();
    assert!(!without.is_empty() && histories.iter().all(|name| all.contains(name)), "{without:?}");
}

/// A command that reads a file offers what is in the file.
#[test]
fn only_stored_series_are_offered_for_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.parquet");
    let Metric { name, key_option, keys, .. } = metric();
    let range = ["2025-01-01", "2025-01-02"];
    assert_eq!(run(&backfill(&metric().hourly(), range, &file, &["--sandbox"])).code, Some(0));
    for command in ["export", "plot", "remove", "retire"] {
        assert_eq!(offered(&[command, text(&file), "--endpoint", ""]), [*name], "{command}");
        assert_eq!(offered(&[command, text(&file), key_option, ""]), keys[..1], "{command}");
    }
    assert!(offered(&["export", "nothing.parquet", "--endpoint", ""]).len() > 1);
}

#[test]
fn only_the_params_of_the_endpoint_are_offered() {
    let Metric { name, key_option, history, .. } = metric();
    let options = offered(&["get", name, "--"]);
    let offers = |options: &[String], option: &str| options.iter().any(|offered| offered == option);
    assert!(offers(&options, key_option) && offers(&options, option(history.limit)), "{options:?}");
    assert!(!offers(&options, metric().foreign_option()), "{options:?}");
    let walked = offered(&["poll", name, "--"]);
    assert!(offers(&walked, "--from") && !offers(&walked, option(history.limit)), "{walked:?}");
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = support::output(derivs(&[]).env("COMPLETE", shell));
        assert!(script.code == Some(0) && script.out.contains("derivs"), "{shell}: {script:?}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let written = support::run(&["man", pages.to_str().unwrap()]);
    assert_eq!(written.code, Some(0), "{}", written.err);
    let help = support::run(&["--help"]).out;
    let commands = help.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    // Further lines of a summary have no command.
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for name in names.filter(|name| !name.is_empty() && *name != "help") {
        let page = std::fs::read_to_string(pages.join(format!("derivs-{name}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS"), "{page}");
        // An example ends with its line.
        let lines: Vec<_> = page.lines().collect();
        let joined = lines.windows(2).find(|pair| pair[0].starts_with(' ') && !pair[1].starts_with([' ', '.']));
        assert!(joined.is_none() && !page.contains("EXTRA"), "{joined:?}");
    }
    assert!(pages.join("derivs.1").is_file());
}
