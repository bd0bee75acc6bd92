//! Whether the client's documentation has broken links, or links into another crate of the project.
//!
//! rustdoc leaves a link that it cannot resolve as it is written, and its lints miss some: a link to `crate::…` for a
//! type of the runtime that the client does not re-export, and brackets around the name of an alias.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Check;
use crate::files;
use crate::paths;

pub(super) const CHECK: Check = Check {
    name: "docs",
    shows: "no page of the client's documentation has a link that is none, or one into another crate of ours",
    needs: &[],
    run: |_| {
        let target = paths::target().join("verify-docs");
        let status = Command::new("cargo")
            .args(["doc", "--no-deps", "--all-features", "--package", "generated-client", "--target-dir"])
            .arg(&target)
            .env("RUSTDOCFLAGS", "--deny warnings")
            .current_dir(paths::root())
            .status()
            .map_err(|error| format!("cargo does not start: {error}"))?;
        if !status.success() {
            return Err("the documentation does not build".to_owned());
        }
        let pages = pages(&target.join("doc/generated_client")).map_err(|error| error.to_string())?;
        if pages.len() < 100 {
            return Err(format!("there are only {} pages", pages.len()));
        }
        let mut wrong = Vec::new();
        for page in &pages {
            let text = files::read(page)?;
            let name = page.strip_prefix(&target).unwrap_or(page).display();
            wrong.extend(faults(&text).into_iter().map(|fault| format!("  {name}: {fault}")));
        }
        if wrong.is_empty() { Ok(()) } else { Err(format!("{} faults:\n{}", wrong.len(), wrong.join("\n"))) }
    },
};

fn pages(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            pages.extend(self::pages(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            pages.push(path);
        }
    }
    Ok(pages)
}

/// The faults of a page, up to the part on blanket implementations.
fn faults(page: &str) -> Vec<String> {
    let (page, _) = page.split_once("id=\"blanket-implementations\"").unwrap_or((page, ""));
    let mut faults = Vec::new();
    for link in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        let is_ours = ["../runtime/", "generated_client_transport/", "generated_client_runtime/"];
        if link.contains("crate::") || is_ours.iter().any(|krate| link.contains(krate)) {
            faults.push(format!("a link to `{link}`"));
        }
    }
    for (before, _) in page.match_indices("[<code>").map(|(at, _)| page[at..].split_at(page[at..].len().min(80))) {
        faults.push(format!("brackets around what is no link: {}", before.lines().next().unwrap_or_default()));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_link_is_found() {
        assert_eq!(faults(r#"<a href="struct.Client.html">Client</a> <code>[1]</code>"#), Vec::<String>::new());
        assert_eq!(faults(r#"<a href="crate::Client">x</a>"#), ["a link to `crate::Client`"]);
        assert_eq!(faults(r#"<a href="../runtime/struct.X.html">x</a>"#).len(), 1);
        assert_eq!(
            faults("see [<code>Client</code>] there"),
            ["brackets around what is no link: [<code>Client</code>] there"]
        );
    }
}
