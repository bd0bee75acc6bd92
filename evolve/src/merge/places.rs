//! Where things stand in a catalogue, and what stands there: endpoints, the params that they take, lists of fields.

use crate::change::Desk;
use crate::edit::Step;
use crate::keys::SERVICE;
use crate::tree::Tree;

/// A part of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) path: Vec<Step>,
}

impl Place {
    pub(super) fn new(file: &str, path: &[Step]) -> Self {
        Self { file: file.to_owned(), path: path.to_vec() }
    }

    /// A key of it.
    pub(super) fn key(&self, key: &'static str) -> Self {
        Self { path: [self.path.as_slice(), &[Step::Key(key)]].concat(), ..self.clone() }
    }

    /// An item of a list under a key of it.
    pub(super) fn item(&self, key: &'static str, index: usize) -> Self {
        Self { path: [self.path.as_slice(), &[Step::Key(key), Step::Item(index)]].concat(), ..self.clone() }
    }

    /// What stands there.
    pub(super) fn tree<'d>(&self, desk: &'d Desk) -> &'d Tree {
        desk.tree(&self.file).at(&self.path).unwrap_or(&Tree::Null)
    }

    /// All items of a list under a key, with their places.
    pub(super) fn items<'d>(&self, desk: &'d Desk, key: &'static str) -> Vec<(Place, &'d Tree)> {
        let items = self.tree(desk).entries(key).iter().enumerate();
        items.map(|(index, item)| (self.item(key, index), item)).collect()
    }
}

/// `service.yaml`.
pub(super) fn service() -> Place {
    Place::new(SERVICE, &[])
}

/// All endpoints.
pub(super) fn endpoints(desk: &Desk) -> Vec<(Place, &Tree)> {
    desk.groups().flat_map(|file| Place::new(file, &[]).items(desk, "endpoints")).collect()
}

/// What an endpoint is called in messages.
pub(super) fn label(endpoint: &Tree) -> String {
    match endpoint.text("path").filter(|path| *path != "unknown") {
        Some(path) => format!("`{path}`"),
        None => endpoint.text("name").unwrap_or_default().to_owned(),
    }
}

/// A list of fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fields {
    /// Where the list stands.
    pub(super) at: Place,
    /// The record, if it is one with a name.
    pub(super) record: Option<Place>,
    /// What they are fields of, in messages.
    pub(super) label: String,
    /// What they inherit.
    pub(super) evidence: String,
}

impl Fields {
    /// The fields with their places.
    pub(super) fn all<'d>(&self, desk: &'d Desk) -> Vec<(Place, &'d Tree)> {
        let Some((Step::Key(key), map)) = self.at.path.split_last() else { return Vec::new() };
        Place::new(&self.at.file, map).items(desk, key)
    }
}

/// The fields that a body lists, or the record that it names has.
pub(super) fn body_fields(desk: &Desk, endpoint: &Place) -> Option<Fields> {
    let tree = endpoint.tree(desk);
    let body = &desk.body(tree)?;
    let kind = kind(body)?;
    if let Some(name) = body.text(kind) {
        return record(desk, &endpoint.file, name).map(|record| record_fields(desk, record));
    }
    let evidence = body.text("evidence").or(tree.text("evidence")).unwrap_or_default().to_owned();
    Some(Fields { at: endpoint.key("body").key(kind), record: None, label: label(tree), evidence })
}

/// Whether a body is a series or an object.
pub(super) fn kind(body: &Tree) -> Option<&'static str> {
    ["series", "object"].into_iter().find(|kind| body.get(kind).is_some())
}

/// A record by its name, as a group's bodies and fields see it.
pub(super) fn record(desk: &Desk, file: &str, name: &str) -> Option<Place> {
    [file, SERVICE].into_iter().find_map(|file| {
        let mut records = Place::new(file, &[]).items(desk, "records").into_iter();
        records.find(|(_, record)| record.text("name") == Some(name)).map(|(at, _)| at)
    })
}

pub(super) fn record_fields(desk: &Desk, record: Place) -> Fields {
    let tree = record.tree(desk);
    let label = format!("`{}`", tree.text("name").unwrap_or_default());
    let evidence = tree.text("evidence").unwrap_or_default().to_owned();
    Fields { at: record.key("fields"), label, evidence, record: Some(record) }
}

/// What stands beside the data of every series.
pub(super) fn metadata(desk: &Desk) -> Option<Fields> {
    let envelope = desk.tree(SERVICE).get("envelope")?;
    let name = envelope.get("metadata")?.text("name")?;
    let at = service().key("envelope").key("metadata").key("fields");
    let evidence = envelope.text("evidence").unwrap_or_default().to_owned();
    Some(Fields { at, record: None, label: format!("`{name}`"), evidence })
}

/// The field that all series have as their time.
pub(super) fn envelope_time(desk: &Desk) -> Option<&Tree> {
    desk.tree(SERVICE).get("envelope")?.get("time")
}

/// A named type.
pub(super) fn named_type<'d>(desk: &'d Desk, name: &str) -> Option<(Place, &'d Tree)> {
    service().items(desk, "types").into_iter().find(|(_, ty)| ty.text("name") == Some(name))
}

/// How an endpoint comes by a param.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    /// By its own definition.
    Own,
    /// By the name of a shared one, in the entry at this place.
    Name(Place),
    /// By an entry at this place that says something anew.
    Use(Place),
    /// By a set of this name.
    Set(String),
}

/// A param that an endpoint takes.
#[derive(Clone, Debug)]
pub(super) struct ParamAt {
    /// Where it is defined.
    pub(super) at: Place,
    pub(super) entry: Entry,
}

/// The params of an endpoint, sets and references followed; `None` where nobody knows them.
pub(super) fn params(desk: &Desk, endpoint: &Place) -> Option<Vec<ParamAt>> {
    let Tree::List(entries) = endpoint.tree(desk).get("params")? else { return None };
    let shared = service().items(desk, "params");
    let named = |wanted: &str| shared.iter().find(|(_, param)| id(param) == wanted).map(|(at, _)| at.clone());
    let mut taken: Vec<ParamAt> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let at = endpoint.item("params", index);
        if let Some(def) = entry.text("use").map(named) {
            let Some(def) = def else { continue };
            // What a set brought is said anew where it stands.
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

/// What a shared param is referred to by.
pub(super) fn id(param: &Tree) -> &str {
    param.text("id").or(param.text("name")).unwrap_or_default()
}
