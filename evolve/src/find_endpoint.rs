//! Finds an endpoint of a catalogue by its path or one of its names.

use codegen::did_you_mean;

use crate::editor::{Editor, Refusal};
use crate::merge::{endpoints, known_text};
use crate::rust_names::ident_of;
use crate::yaml_path::YamlPath;
use crate::yaml_tree::Tree;

/// Returns the name of an endpoint in Rust, with the name of its group as a prefix.
pub(crate) fn label(at: &YamlPath, endpoint: &Tree) -> String {
    format!("{}.{}", at.module(), ident_of(endpoint).unwrap_or_default())
}

/// Returns the only endpoint with this path or name, and its label for messages.
pub(crate) fn find(editor: &Editor, wanted: &str) -> Result<(String, YamlPath), Refusal> {
    let (mut found, mut known) = (Vec::new(), Vec::new());
    for (at, endpoint) in endpoints(editor) {
        let (label, ident) = (label(&at, endpoint), ident_of(endpoint));
        let path = known_text(endpoint, "path");
        if [path, endpoint.text("name"), ident.as_deref(), Some(label.as_str())].contains(&Some(wanted)) {
            found.push((label, at));
        } else {
            known.extend(path.map(str::to_owned).into_iter().chain([label]));
        }
    }
    if found.len() > 1 {
        let labels: Vec<_> = found.iter().map(|(label, _)| format!("`{label}`")).collect();
        return Err(Refusal::Message(format!("several endpoints match `{wanted}`: {}", labels.join(", "))));
    }
    found.pop().ok_or_else(|| {
        let meant = did_you_mean(wanted, known.iter().map(String::as_str));
        let help = if meant.is_empty() { "add it with `cargo xtask add`".to_owned() } else { meant };
        Refusal::Message(format!("the catalogue has no endpoint `{wanted}`; {help}"))
    })
}
