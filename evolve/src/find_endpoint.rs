//! Finds an endpoint of a catalogue by its path or one of its names.

use codegen::did_you_mean;

use crate::editor::Refusal;

/// The names of an endpoint.
pub(crate) struct Names<'c> {
    pub(crate) group: &'c str,
    pub(crate) ident: String,
    pub(crate) name: &'c str,
    pub(crate) path: Option<&'c str>,
}

/// Returns the only endpoint with this path or name, with its name for messages.
pub(crate) fn find<'c, T>(all: impl Iterator<Item = (Names<'c>, T)>, wanted: &str) -> Result<(String, T), Refusal> {
    let (mut found, mut known) = (Vec::new(), Vec::new());
    for (Names { group, ident, name, path }, endpoint) in all {
        let label = format!("{group}.{ident}");
        if path == Some(wanted) || [&label, ident.as_str(), name].contains(&wanted) {
            found.push((label, endpoint));
        } else {
            known.extend(path.map(str::to_owned).into_iter().chain([label]));
        }
    }
    if found.len() > 1 {
        let labels: Vec<_> = found.iter().map(|(label, _)| format!("`{label}`")).collect();
        return Err(Refusal::Message(format!("several endpoints are called `{wanted}`: {}", labels.join(", "))));
    }
    found.pop().ok_or_else(|| {
        let meant = did_you_mean(wanted, known.iter().map(String::as_str));
        let help = if meant.is_empty() { "`cargo xtask add` adds one".to_owned() } else { meant };
        Refusal::Message(format!("the catalogue has no such endpoint; {help}"))
    })
}
