//! Notes what differs between a description and the catalogue into which it is imported.

use std::collections::HashSet;

use catalogue::spec::Service;
use catalogue::url_path;
use catalogue::yaml_parser::{Kind, Node};

use crate::editor::Editor;

/// Notes the endpoints that the description does not have.
pub(super) fn note_missing_endpoints(editor: &mut Editor, path_templates: &HashSet<String>) {
    let mut missing = Vec::new();
    for (_, endpoint) in editor.content.endpoints() {
        if let Some(path) = endpoint.path.known()
            && !path_templates.contains(&url_path::template(path))
        {
            missing.push(format!("`{path}`"));
        }
    }
    if !missing.is_empty() {
        editor.note(format!("endpoints that are not in the description: {}", missing.join(", ")));
    }
}

/// Notes each fact about the service that differs. If the paths of the catalogue include the server's path, the base URL
/// of the catalogue does not, unlike the base URL of the description. This difference is not noted.
pub(super) fn note_other_service(editor: &mut Editor, described: &Service, has_server_in_paths: bool) {
    let catalogue = editor.content.service.written();
    let description = described.written();
    for key in ["base_url", "credentials"] {
        let Some(new) = description.get(key) else { continue };
        if key == "base_url" && has_server_in_paths {
            continue;
        }
        match catalogue.get(key) {
            None => editor.note(format!("`{key}` of the service is not in the catalogue")),
            Some(known) if includes(known, new) => {}
            Some(_) => editor.note(format!("`{key}` of the service differs in the description")),
        }
    }
    let mut statuses = Vec::new();
    for error in &described.errors {
        if editor.content.service.errors.iter().all(|known| known.status != error.status) {
            statuses.push(error.status.to_string());
        }
    }
    if !statuses.is_empty() {
        editor.note(format!("error statuses that are not in the catalogue: {}", statuses.join(", ")));
    }
}

/// `true` if the catalogue contains a fact of a description. Evidence and texts are ignored.
fn includes(known: &Node, described: &Node) -> bool {
    match (&described.kind, &known.kind) {
        (Kind::Map(entries), _) => {
            for (key, described) in entries {
                let key = key.text().unwrap_or_default();
                let is_ignored = matches!(key, "evidence" | "label");
                if !is_ignored && known.get(key).is_none_or(|known| !includes(known, described)) {
                    return false;
                }
            }
            true
        }
        (Kind::Text(text), Kind::Text(known)) => known.eq_ignore_ascii_case(text),
        (described, known) => described == known,
    }
}
