//! Redoc in a browser without a window: every operation of the description has to be on its page.

use std::path::Path;
use std::process::Command;

use crate::files::{read, write};
use crate::verify::call;

pub(super) fn show(dir: &Path, description: &str) -> Result<(), String> {
    let modules = dir.display().to_string();
    call(&[
        "npm",
        "install",
        "--no-audit",
        "--no-fund",
        "--silent",
        "--ignore-scripts",
        "--prefix",
        &modules,
        "redoc@2",
    ])?;
    let description = read(Path::new(description))?;
    let page = dir.join("page.html");
    write(&page, &self::page(&description))?;
    let shown = document(dir, &page)?;
    let ids = operation_ids(&description);
    let missing: Vec<_> = ids.iter().filter(|id| !shown.contains(&format!("/operation/{id}\""))).copied().collect();
    if ids.is_empty() || !missing.is_empty() {
        return Err(format!("of {} operations the viewer does not show {}", ids.len(), missing.join(", ")));
    }
    Ok(())
}

/// A page that needs no server.
fn page(description: &str) -> String {
    // `</script>` in a text would end the script.
    let description = description.replace("</", "<\\/");
    format!(
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<div id=\"page\"></div>\n\
         <script src=\"node_modules/redoc/bundles/redoc.standalone.js\"></script>\n\
         <script>Redoc.init({description}, {{}}, document.getElementById('page'))</script>\n"
    )
}

/// The document that the browser makes of a page.
fn document(dir: &Path, page: &Path) -> Result<String, String> {
    let profile = format!("--user-data-dir={}", dir.join("profile").display());
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync", "--virtual-time-budget=60000", "--dump-dom"])
        .arg(profile)
        .arg(format!("file://{}", page.display()))
        .output()
        .map_err(|error| format!("`chromium` does not start: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The operations with a path; viewers do not show the list of endpoints that are known by name only.
fn operation_ids(description: &str) -> Vec<&str> {
    let paths = description.split("\"x-known-by-name\"").next().unwrap_or_default();
    let ids = paths.split("\"operationId\": \"").skip(1);
    ids.filter_map(|rest| rest.split('"').next()).collect()
}
