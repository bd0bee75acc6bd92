//! The completions that a shell receives.

use crate::support::{self, derivs};

/// Returns the completions that bash receives for the last word.
fn offered(words: &[&str]) -> Vec<String> {
    let mut command = derivs(&[["--", "derivs"].as_slice(), words].concat());
    command.env("COMPLETE", "bash").env("_CLAP_IFS", "\n").env("_CLAP_COMPLETE_COMP_TYPE", "9");
    command.env("_CLAP_COMPLETE_SPACE", "false").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    support::output(&mut command).out.lines().map(str::to_owned).collect()
}

#[test]
fn endpoints_params_and_values_are_completed() {
    assert_eq!(offered(&["get", "volume_r"]), ["volume_ratio"]);
    assert_eq!(offered(&["get", "volume_ratio", "--exchange", "bybit_"]), ["bybit_perp_stable", "bybit_perp_coin"]);
    assert_eq!(offered(&["get", "volume_ratio", "--timeframe", "1"]), ["1m", "15m", "1h", "1d"]);
    let second = offered(&["get", "volume_ratio", "--exchange", "okx_perp_coin,binance_s"]);
    assert_eq!(second, ["okx_perp_coin,binance_spot"]);
}

#[test]
fn only_the_params_of_the_endpoint_are_offered() {
    let options = offered(&["get", "open_interest", "--"]);
    assert!(options.contains(&"--coin".to_owned()) && !options.contains(&"--anchor".to_owned()), "{options:?}");
    let walked = offered(&["poll", "open_interest", "--"]);
    assert!(walked.contains(&"--from".to_owned()) && !walked.contains(&"--limit".to_owned()), "{walked:?}");
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = support::output(derivs(&[]).env("COMPLETE", shell));
        assert!(script.code == Some(0) && script.out.contains("derivs"), "{shell}: {script:?}");
    }
}
