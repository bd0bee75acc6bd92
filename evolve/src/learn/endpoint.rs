//! The endpoint of a lesson, by its path or one of its names.

use codegen::did_you_mean;
use codegen::names::{self, Case};

use crate::change::{Editor, Refusal};

/// The path of an endpoint in the catalogue, and its name in messages.
pub(super) struct Found {
    pub(super) group: usize,
    pub(super) endpoint: usize,
    pub(super) label: String,
}

pub(super) fn find(editor: &Editor, wanted: &str) -> Result<Found, Refusal> {
    let (mut found, mut known) = (Vec::new(), Vec::new());
    for (group, (module, spec)) in editor.checked.groups.iter().enumerate() {
        for (endpoint, spec) in spec.endpoints.iter().enumerate() {
            let ident = names::chosen(spec.rust_name.as_deref(), &spec.name, Case::Snake).unwrap_or_default();
            let label = format!("{module}.{ident}");
            let path = spec.path.known().map(|path| path.as_str());
            if path == Some(wanted) || [&label, &ident, &spec.name].contains(&&wanted.to_owned()) {
                found.push(Found { group, endpoint, label });
            } else {
                known.extend(path.map(str::to_owned).into_iter().chain([label]));
            }
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Refusal::Message(format!("the catalogue has no such endpoint; {}", near(wanted, &known)))),
        _ => {
            let labels: Vec<_> = found.iter().map(|found| format!("`{}`", found.label)).collect();
            Err(Refusal::Message(format!("several endpoints are called so: {}", labels.join(", "))))
        }
    }
}

/// The remedy for an endpoint that does not exist.
pub(crate) fn near(wanted: &str, known: &[String]) -> String {
    let meant = did_you_mean(wanted, known.iter().map(String::as_str));
    if meant.is_empty() { "`cargo xtask add` adds one".to_owned() } else { meant }
}
