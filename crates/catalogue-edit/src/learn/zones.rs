//! Notes the time zone that a body names, because times without an offset are read as UTC until the catalogue names their
//! zone.

use catalogue::model::TimeFormat;
use catalogue::spec::Field;
use serde_yaml::Value;

use crate::content::EntryPosition;
use crate::drafted_type::TIMESTAMP;
use crate::editor::Editor;
use crate::saved_response::SavedResponse;

/// The greatest depth of the name of a zone in a body.
const MAX_DEPTH: usize = 4;

/// Adds a note if a body names a time zone other than UTC, unless the times of the endpoint have a zone.
pub(super) fn note_zone(editor: &mut Editor, at: &EntryPosition, responses: &[SavedResponse]) {
    let Some(zone) = responses.iter().find_map(|response| zone_in(&response.body, MAX_DEPTH)) else { return };
    let times = local_times(editor, at);
    if !times.is_empty() && times.iter().all(|time| time.zone.is_some()) {
        return;
    }
    let mut note =
        format!("the body names the time zone {zone:?}, but the client reads times without an offset as UTC");
    let names: Vec<_> = times.iter().map(|time| format!("`{}`", time.name)).collect();
    if runtime::is_time_zone(zone) && !names.is_empty() {
        note += &format!("; if they are in this zone, add `zone: {zone}` to {}", names.join(" and "));
    }
    editor.note(note);
}

/// The fields of the endpoint's records whose times may have no offset.
fn local_times(editor: &Editor, at: &EntryPosition) -> Vec<Field> {
    let content = &editor.content;
    let endpoint = content.endpoint(at);
    let mut fields = content.body_record(&at.module, endpoint).unwrap_or_default().fields;
    if let Some(body) = endpoint.body.known() {
        fields.extend(body.labels.iter().cloned());
    }
    fields.retain(|field| *field.ty == TIMESTAMP && field.format.as_deref() == Some(&TimeFormat::Iso8601));
    fields
}

/// The time zone that a value names, if it is another than UTC. Of a list, only the first item is read.
fn zone_in(value: &Value, depth: usize) -> Option<&str> {
    if depth == 0 {
        return None;
    }
    match value {
        Value::Mapping(members) => {
            for (key, value) in members {
                if let (Some(name), Some(zone)) = (key.as_str(), value.as_str())
                    && is_other_zone(name, zone)
                {
                    return Some(zone);
                }
            }
            members.values().find_map(|value| zone_in(value, depth - 1))
        }
        Value::Sequence(items) => zone_in(items.first()?, depth - 1),
        _ => None,
    }
}

/// `true` if a member has the name of a zone, and names another than UTC.
fn is_other_zone(name: &str, zone: &str) -> bool {
    let letters: String = name.chars().filter(|character| character.is_alphabetic()).collect();
    let is_named = matches!(letters.to_lowercase().as_str(), "timezone" | "zone" | "tz");
    is_named && is_zone(zone) && !["UTC", "GMT", "Etc/UTC"].contains(&zone)
}

/// `true` for a zone such as `US/Eastern` or `EST`, and not for a place such as `eu-west-1`.
fn is_zone(text: &str) -> bool {
    let is_abbreviation = (3..=4).contains(&text.len()) && text.bytes().all(|letter| letter.is_ascii_uppercase());
    text.contains('/') || is_abbreviation
}
