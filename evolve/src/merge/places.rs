//! The places of things in a catalogue: endpoints, their params, lists of fields.

use crate::change::Desk;
use crate::keys::SERVICE;
use crate::place::Place;
use crate::tree::Tree;

/// All endpoints.
pub(super) fn endpoints(desk: &Desk) -> Vec<(Place, &Tree)> {
    desk.groups().flat_map(|file| Place::file(file).key("endpoints").items(desk)).collect()
}

/// The name of an endpoint in messages.
pub(super) fn label(endpoint: &Tree) -> String {
    match endpoint.text("path").filter(|path| *path != "unknown") {
        Some(path) => format!("`{path}`"),
        None => endpoint.text("name").unwrap_or_default().to_owned(),
    }
}

/// A list of fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldsAt {
    /// The place of the list.
    pub(super) at: Place,
    /// The record, if it has a name.
    pub(super) record: Option<Place>,
    /// The name of the record or body in messages.
    pub(super) label: String,
    /// The evidence that they inherit.
    pub(super) evidence: String,
}

impl FieldsAt {
    /// The fields with their places.
    pub(super) fn all<'d>(&self, desk: &'d Desk) -> Vec<(Place, &'d Tree)> {
        self.at.items(desk)
    }
}

/// The fields of a body, listed or of the record that it names.
pub(super) fn body_fields(desk: &Desk, endpoint: &Place) -> Option<FieldsAt> {
    let tree = endpoint.tree(desk);
    let body = &desk.body(tree)?;
    let kind = kind(body)?;
    if let Some(name) = body.text(kind) {
        return desk.record(&endpoint.file, name).map(|record| record_fields(desk, record));
    }
    let evidence = body.text("evidence").or(tree.text("evidence")).unwrap_or_default().to_owned();
    Some(FieldsAt { at: endpoint.key("body").key(kind), record: None, label: label(tree), evidence })
}

/// The type of a body that is neither a series nor an object.
pub(super) fn body_type(endpoint: &Tree) -> Option<&str> {
    endpoint.get("body")?.text("type")
}

/// Whether a body is a series or an object.
pub(super) fn kind(body: &Tree) -> Option<&'static str> {
    ["series", "object"].into_iter().find(|kind| body.get(kind).is_some())
}

pub(super) fn record_fields(desk: &Desk, record: Place) -> FieldsAt {
    let tree = record.tree(desk);
    let label = format!("`{}`", tree.text("name").unwrap_or_default());
    let evidence = tree.text("evidence").unwrap_or_default().to_owned();
    FieldsAt { at: record.key("fields"), label, evidence, record: Some(record) }
}

/// The fields of the metadata.
pub(super) fn metadata(desk: &Desk) -> Option<FieldsAt> {
    let envelope = desk.tree(SERVICE).get("envelope")?;
    let name = envelope.get("metadata")?.text("name")?;
    let at = Place::service().key("envelope").key("metadata").key("fields");
    let evidence = envelope.text("evidence").unwrap_or_default().to_owned();
    Some(FieldsAt { at, record: None, label: format!("`{name}`"), evidence })
}

/// The time field of all series.
pub(super) fn envelope_time(desk: &Desk) -> Option<&Tree> {
    desk.tree(SERVICE).get("envelope")?.get("time")
}

/// How an endpoint gets a param.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    /// By its own definition.
    Own,
    /// By the name of a shared one, in the entry at this place.
    Name(Place),
    /// By an entry at this place that states facts anew.
    Use(Place),
    /// By a set of this name.
    Set(String),
    /// By an entry that is still to be written, for one of its own in the new catalogue. It says anew what differs.
    New,
}

/// A param that an endpoint takes.
#[derive(Clone, Debug)]
pub(super) struct ParamAt {
    /// The place of its definition.
    pub(super) at: Place,
    pub(super) entry: Entry,
}

/// The params of an endpoint, sets and references followed; `None` if they are unknown.
pub(super) fn params(desk: &Desk, endpoint: &Place) -> Option<Vec<ParamAt>> {
    let Tree::List(entries) = endpoint.tree(desk).get("params")? else { return None };
    let shared = Place::service().key("params").items(desk);
    let named = |wanted: &str| shared.iter().find(|(_, param)| id(param) == wanted).map(|(at, _)| at.clone());
    let mut taken: Vec<ParamAt> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let at = endpoint.key("params").item(index);
        if let Some(def) = entry.text("use").map(named) {
            let Some(def) = def else { continue };
            // An entry after a set states the facts of its param anew.
            match taken.iter_mut().find(|known| known.at == def && matches!(known.entry, Entry::Set(_))) {
                Some(brought) => brought.entry = Entry::Use(at),
                None => taken.push(ParamAt { at: def, entry: Entry::Use(at) }),
            }
            continue;
        }
        let Some(name) = entry.as_text() else {
            taken.push(ParamAt { at, entry: Entry::Own });
            continue;
        };
        let sets = desk.tree(SERVICE).entries("param_sets");
        match sets.iter().find(|set| set.text("name") == Some(name)) {
            Some(set) => {
                let ids = set.entries("params").iter().filter_map(|id| named(id.as_text()?));
                taken.extend(ids.map(|def| ParamAt { at: def, entry: Entry::Set(name.to_owned()) }));
            }
            None => taken.extend(named(name).map(|def| ParamAt { at: def, entry: Entry::Name(at) })),
        }
    }
    Some(taken)
}

/// The name by which a shared param is referred to.
pub(super) fn id(param: &Tree) -> &str {
    param.text("id").or(param.text("name")).unwrap_or_default()
}
