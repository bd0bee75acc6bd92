//! The content of a catalogue as values of the format, with lookups by name.

use std::collections::BTreeMap;

use catalogue::Catalogue;
use catalogue::model::TimeUnit;
use catalogue::names::{self, Case};
use catalogue::spec::{
    Body, Endpoint, Evidence, Field, Fields, Group, Known, Metadata, Param, ParamEntry, Range, Record, Service, Time,
    Type,
};

use crate::editor::Refusal;

/// The module name of `service.yaml`. No group can have this name.
pub(crate) const SERVICE: &str = "service";

/// The content of a catalogue, or of a part of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Content {
    pub(crate) service: Service,
    /// The groups by module.
    pub(crate) groups: BTreeMap<String, Group>,
}

/// The position of an endpoint or record: the module of its file, and its index in the list of that file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct At {
    pub(crate) module: String,
    pub(crate) index: usize,
}

/// A position in the catalogue that lists fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FieldsAt {
    Body(At),
    Record(At),
    Metadata,
}

impl FieldsAt {
    /// The module of the file that lists the fields.
    pub(crate) fn module(&self) -> &str {
        match self {
            Self::Body(at) | Self::Record(at) => &at.module,
            Self::Metadata => SERVICE,
        }
    }
}

impl Content {
    /// The content of a catalogue. A catalogue with errors is rejected.
    pub(crate) fn checked(catalogue: Catalogue) -> Result<Self, Refusal> {
        catalogue::resolve(&catalogue).map_err(Refusal::Catalogue)?;
        Self::of(catalogue).ok_or_else(|| "missing file `service.yaml`".into())
    }

    /// The content of a catalogue; `None` if `service.yaml` cannot be read.
    pub(crate) fn of(catalogue: Catalogue) -> Option<Self> {
        let (service, groups) = catalogue.into_spec();
        Some(Self { service: service?, groups: groups.into_iter().collect() })
    }

    /// All endpoints, each with its position.
    pub(crate) fn endpoints(&self) -> impl Iterator<Item = (At, &Endpoint)> {
        self.groups.iter().flat_map(|(module, group)| {
            let at = |index| At { module: module.clone(), index };
            group.endpoints.iter().enumerate().map(move |(index, endpoint)| (at(index), endpoint))
        })
    }

    pub(crate) fn endpoint(&self, at: &At) -> &Endpoint {
        &self.groups[&at.module].endpoints[at.index]
    }

    /// An endpoint for editing. The group exists, because `at` is a position in this content.
    pub(crate) fn endpoint_mut(&mut self, at: &At) -> &mut Endpoint {
        &mut self.groups.entry(at.module.clone()).or_default().endpoints[at.index]
    }

    /// The records that a file lists.
    pub(crate) fn records(&self, module: &str) -> &[Record] {
        if module == SERVICE {
            return &self.service.records;
        }
        self.groups.get(module).map_or(&[], |group| &group.records)
    }

    /// The list of records of a file. A group that does not exist is created.
    pub(crate) fn records_mut(&mut self, module: &str) -> &mut Vec<Record> {
        if module == SERVICE {
            return &mut self.service.records;
        }
        &mut self.groups.entry(module.to_owned()).or_default().records
    }

    /// The record with this name in a file or, if the file has no such record, in `service.yaml`.
    pub(crate) fn record(&self, module: &str, name: &str) -> Option<(At, &Record)> {
        [module, SERVICE].into_iter().find_map(|module| {
            let index = self.records(module).iter().position(|record| *record.name == name)?;
            Some((At { module: module.to_owned(), index }, &self.records(module)[index]))
        })
    }

    /// The metadata next to the records of every series.
    pub(crate) fn metadata(&self) -> Option<&Metadata> {
        self.service.envelope.as_ref()?.metadata.as_ref()
    }

    /// The named type with this name.
    pub(crate) fn ty(&self, name: &str) -> Option<&Type> {
        self.service.types.iter().find(|ty| *ty.name == name)
    }

    /// The params that an entry of `params` defines, or to which it refers: one shared param, or all params of a set.
    pub(crate) fn defined<'c>(&'c self, entry: &'c ParamEntry) -> Vec<&'c Param> {
        let name = match entry {
            ParamEntry::Own(param) => return vec![param],
            ParamEntry::Name(name) => name,
            ParamEntry::Use(entry) => &entry.param,
        };
        let find = |id: &str| self.service.params.iter().find(|param| **param.id() == id);
        match self.service.param_sets.iter().find(|set| set.name == *name) {
            Some(set) => set.params.iter().filter_map(|id| find(id)).collect(),
            None => find(name).into_iter().collect(),
        }
    }

    /// The params of an endpoint, each once; `None` if they are unknown. A `use` entry overrides the evidence and the
    /// default of its param.
    pub(crate) fn params_of(&self, endpoint: &Endpoint) -> Option<Vec<Param>> {
        let mut all: Vec<Param> = Vec::new();
        for entry in endpoint.params.known()? {
            let (evidence, default) = match entry {
                ParamEntry::Use(entry) => (entry.evidence, entry.default.clone()),
                ParamEntry::Name(_) | ParamEntry::Own(_) => (None, None),
            };
            for param in self.defined(entry) {
                if all.iter().all(|known| known.name != param.name) {
                    let (evidence, default) = (evidence.or(param.evidence), default.clone().or(param.default.clone()));
                    all.push(Param { evidence, default, ..param.clone() });
                }
            }
        }
        Some(all)
    }

    /// The record of a body, or the fields that the body lists as a record without a name; `None` if they are unknown.
    pub(crate) fn body_record(&self, module: &str, endpoint: &Endpoint) -> Option<Record> {
        let body = endpoint.body.known()?;
        let fields = match slot(body)?.known()? {
            Fields::Inline(fields) => fields.clone(),
            Fields::Record(name) => return self.record(module, name).map(|(_, record)| record.clone()),
        };
        let [positional, columns] = [&body.positional, &body.columns].map(|key| key.as_deref() == Some(&true));
        let evidence = body.evidence.unwrap_or(endpoint.evidence);
        Some(Record { fields, positional, columns, evidence, ..Record::default() })
    }

    /// The list of fields at a position, for editing.
    pub(crate) fn fields_mut(&mut self, at: &FieldsAt) -> Option<&mut Vec<Field>> {
        match at {
            FieldsAt::Metadata => Some(&mut self.service.envelope.as_mut()?.metadata.as_mut()?.fields),
            FieldsAt::Record(at) => Some(&mut self.records_mut(&at.module)[at.index].fields),
            FieldsAt::Body(at) => inline_mut(known_mut(&mut self.endpoint_mut(at).body)?),
        }
    }

    /// The only endpoint with this path or name, and its label for messages.
    pub(crate) fn find(&self, wanted: &str) -> Result<(String, At), String> {
        let (mut found, mut known) = (Vec::new(), Vec::new());
        for (at, endpoint) in self.endpoints() {
            let (label, ident) = (label(&at, endpoint), ident_of(endpoint));
            let path = endpoint.path.known().map(|path| path.as_str());
            if [path, Some(endpoint.name.as_str()), ident.as_deref(), Some(label.as_str())].contains(&Some(wanted)) {
                found.push((label, at));
            } else {
                known.extend(path.map(str::to_owned).into_iter().chain([label]));
            }
        }
        match found.as_slice() {
            [only] => Ok(only.clone()),
            [_, ..] => {
                let labels: Vec<_> = found.iter().map(|(label, _)| format!("`{label}`")).collect();
                Err(format!("several endpoints match `{wanted}`: {}", labels.join(", ")))
            }
            [] => {
                let meant = wording::did_you_mean(wanted, known.iter().map(String::as_str));
                let help = meant.as_deref().unwrap_or("add it with `cargo xtask add`");
                Err(format!("the catalogue has no endpoint `{wanted}`; {help}"))
            }
        }
    }
}

/// The fields of a body that is a series or an object.
pub(crate) fn slot(body: &Body) -> Option<&Known<Fields>> {
    body.series.as_ref().or(body.object.as_ref())
}

/// The list of fields in a body, for editing.
pub(crate) fn inline_mut(body: &mut Body) -> Option<&mut Vec<Field>> {
    match body.series.as_mut().or(body.object.as_mut())? {
        Known::Known(Fields::Inline(fields)) => Some(fields),
        _ => None,
    }
}

/// A value for editing, unless it is unknown.
pub(crate) fn known_mut<T>(value: &mut Known<T>) -> Option<&mut T> {
    if let Known::Known(value) = value { Some(value) } else { None }
}

/// The method name of an endpoint; `None` if its name cannot be converted.
pub(crate) fn ident_of(endpoint: &Endpoint) -> Option<String> {
    names::chosen(endpoint.rust_name.as_deref(), &endpoint.name, Case::Snake)
}

/// The name of an endpoint in Rust, with the name of its group as a prefix.
pub(crate) fn label(at: &At, endpoint: &Endpoint) -> String {
    format!("{}.{}", at.module, ident_of(endpoint).unwrap_or_default())
}

/// A service of which only the title is known. All other facts are guesses, which the user has to check.
pub(crate) fn new_service(title: String) -> Service {
    let ascii: String = title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let prefix = names::ident(&ascii, Case::Shouty).ok().filter(|prefix| names::is_ident(prefix, Case::Shouty));
    Service {
        title,
        version: "1".to_owned(),
        env_prefix: prefix.unwrap_or_else(|| "SERVICE".to_owned()),
        time: Time { unit: Some(TimeUnit::Seconds), format: None, evidence: Evidence::Reported },
        ..Service::default()
    }
}

/// `true` if a number is within a range.
pub(crate) fn is_within(range: &Range, value: f64) -> bool {
    range.min.as_deref().is_none_or(|min| value >= *min) && range.max.as_deref().is_none_or(|max| value <= *max)
}
