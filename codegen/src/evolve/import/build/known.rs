//! What the catalogue has already, and where it stands: the params that an endpoint takes, and lists of fields.

use super::SERVICE;
use crate::evolve::change::Checked;
use crate::evolve::edit::Step;
use crate::spec::{self, Evidence, Fields, Known, ParamEntry};

/// A list of fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FieldsAt {
    /// What the body of an endpoint lists, by group and endpoint.
    Body(usize, usize),
    /// A record of the service.
    Shared(usize),
    /// A record of a group.
    OfGroup(usize, usize),
    /// What stands beside the data of every series.
    Metadata,
}

impl FieldsAt {
    /// The fields, how they are known, and what they are fields of.
    pub(super) fn list<'c>(&self, checked: &'c Checked) -> Option<FieldList<'c>> {
        let (fields, evidence, label) = match self {
            Self::Body(group, endpoint) => {
                let endpoint = &checked.groups[*group].1.endpoints[*endpoint];
                let body = endpoint.body.known()?;
                let Known::Known(Fields::Inline(fields)) = body.series.as_ref().or(body.object.as_ref())? else {
                    return None;
                };
                (fields, body.evidence.unwrap_or(endpoint.evidence), label(endpoint))
            }
            Self::Shared(_) | Self::OfGroup(..) => {
                let record = self.record(checked)?;
                (&record.fields, record.evidence, format!("`{}`", record.name))
            }
            Self::Metadata => {
                let envelope = checked.service.envelope.as_ref()?;
                let metadata = envelope.metadata.as_ref()?;
                (&metadata.fields, envelope.evidence, format!("`{}`", metadata.name))
            }
        };
        Some(FieldList { fields, evidence, label })
    }

    /// The record, if it is one with a name.
    pub(super) fn record<'c>(&self, checked: &'c Checked) -> Option<&'c spec::Record> {
        match self {
            Self::OfGroup(group, record) => checked.groups[*group].1.records.get(*record),
            Self::Shared(record) => checked.service.records.get(*record),
            Self::Body(..) | Self::Metadata => None,
        }
    }

    /// The group whose module it is in.
    pub(super) fn group(&self) -> Option<usize> {
        match self {
            Self::Body(group, _) | Self::OfGroup(group, _) => Some(*group),
            Self::Shared(_) | Self::Metadata => None,
        }
    }

    /// The file, and the way to the list within it.
    pub(super) fn place(&self, checked: &Checked) -> (String, Vec<Step>) {
        let file = self.group().map_or_else(|| SERVICE.to_owned(), |group| file(checked, group));
        let path = match self {
            Self::Body(group, endpoint) => {
                let body = checked.groups[*group].1.endpoints[*endpoint].body.known();
                let kind = if body.is_some_and(|body| body.series.is_some()) { "series" } else { "object" };
                [&endpoint_path(*endpoint)[..], &[Step::Key("body"), Step::Key(kind)]].concat()
            }
            Self::Shared(record) | Self::OfGroup(_, record) => {
                vec![Step::Key("records"), Step::Item(*record), Step::Key("fields")]
            }
            Self::Metadata => vec![Step::Key("envelope"), Step::Key("metadata"), Step::Key("fields")],
        };
        (file, path)
    }
}

/// The fields that stand at a place.
pub(super) struct FieldList<'c> {
    pub(super) fields: &'c [spec::Field],
    pub(super) evidence: Evidence,
    /// What they are fields of, in messages.
    pub(super) label: String,
}

/// A record by its name, as a group's bodies and fields see it.
pub(super) fn record_named(checked: &Checked, group: Option<usize>, name: &str) -> Option<FieldsAt> {
    let is_it = |record: &spec::Record| record.name == name;
    let own = group.and_then(|group| {
        let index = checked.groups[group].1.records.iter().position(is_it)?;
        Some(FieldsAt::OfGroup(group, index))
    });
    own.or_else(|| checked.service.records.iter().position(is_it).map(FieldsAt::Shared))
}

/// Where a param is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ParamAt {
    /// By group, endpoint and entry.
    Own(usize, usize, usize),
    /// By index among those of the service.
    Shared(usize),
}

impl ParamAt {
    pub(super) fn param<'c>(&self, checked: &'c Checked) -> Option<&'c spec::Param> {
        match self {
            Self::Own(group, endpoint, entry) => {
                match checked.groups[*group].1.endpoints[*endpoint].params.known()?.get(*entry)? {
                    ParamEntry::Own(param) => Some(param),
                    _ => None,
                }
            }
            Self::Shared(index) => checked.service.params.get(*index),
        }
    }

    /// The file, and the way to it.
    pub(super) fn place(&self, checked: &Checked) -> (String, Vec<Step>) {
        match self {
            Self::Own(group, endpoint, entry) => {
                let path = [&endpoint_path(*endpoint)[..], &[Step::Key("params"), Step::Item(*entry)]].concat();
                (file(checked, *group), path)
            }
            Self::Shared(index) => (SERVICE.to_owned(), vec![Step::Key("params"), Step::Item(*index)]),
        }
    }
}

/// How an endpoint comes by a param.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    /// By its own definition, or as one of a new endpoint: there is nothing to be said anew.
    Plain,
    /// By the name of a shared one, in this entry.
    Name(usize),
    /// By an entry that says something anew.
    Use(usize),
    /// By a set of this name.
    Set(String),
}

/// The params of an endpoint, sets and references followed; `None` where nobody knows them.
pub(super) fn params(checked: &Checked, group: usize, endpoint: usize) -> Option<Vec<(ParamAt, Entry)>> {
    let service = &checked.service;
    let shared = |id: &str| service.params.iter().position(|param| param.id() == id).map(ParamAt::Shared);
    let entries = checked.groups[group].1.endpoints[endpoint].params.known()?;
    let mut params = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        match entry {
            ParamEntry::Own(_) => params.push((ParamAt::Own(group, endpoint, index), Entry::Plain)),
            ParamEntry::Use(entry) => {
                let Some(at) = shared(&entry.param) else { continue };
                // What a set brought is said anew where it stands.
                let brought = params.iter_mut().find(|(known, by)| *known == at && matches!(by, Entry::Set(_)));
                match brought {
                    Some((_, by)) => *by = Entry::Use(index),
                    None => params.push((at, Entry::Use(index))),
                }
            }
            ParamEntry::Name(name) => match service.param_sets.iter().find(|set| set.name == *name) {
                Some(set) => {
                    params.extend(
                        set.params.iter().filter_map(|id| Some((shared(id)?, Entry::Set(set.name.to_string())))),
                    );
                }
                None => params.extend(shared(name).map(|at| (at, Entry::Name(index)))),
            },
        }
    }
    Some(params)
}

/// What an endpoint is called in messages.
pub(super) fn label(endpoint: &spec::Endpoint) -> String {
    endpoint.path.known().map_or_else(|| endpoint.name.to_string(), |path| format!("`{path}`"))
}

pub(super) fn file(checked: &Checked, group: usize) -> String {
    format!("{}.yaml", checked.groups[group].0)
}

pub(super) fn endpoint_path(endpoint: usize) -> [Step; 2] {
    [Step::Key("endpoints"), Step::Item(endpoint)]
}
