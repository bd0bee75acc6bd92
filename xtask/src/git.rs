//! Runs git.

use std::path::Path;
use std::process::Command;

/// Runs git in a folder, and returns its output or the reason for its failure.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(arguments).current_dir(folder).output();
    let output = output.map_err(|error| format!("`git` does not start in {}: {error}", folder.display()))?;
    if output.status.success() {
        String::from_utf8(output.stdout).map_err(|_| format!("`git {}` did not print UTF-8", arguments.join(" ")))
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}
