//! The content of a catalogue as values of the format, with lookups by name.

use std::collections::BTreeMap;

use catalogue::Catalogue;
use catalogue::model::TimeUnit;
use catalogue::names::{self, Case};
use catalogue::spec::{
    Body, Endpoint, Evidence, Field, Fields, Group, Known, Metadata, Param, ParamEntry, Range, Record, Service, Time,
    Type,
};

use crate::names_in_use::only_words;
use crate::refusal::Refusal;

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
pub(crate) struct EntryPosition {
    pub(crate) module: String,
    pub(crate) index: usize,
}

/// A position in the catalogue that lists fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FieldListPosition {
    Body(EntryPosition),
    Record(EntryPosition),
    Metadata,
}

impl FieldListPosition {
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
    pub(crate) fn endpoints(&self) -> impl Iterator<Item = (EntryPosition, &Endpoint)> {
        let mut all = Vec::new();
        for (module, group) in &self.groups {
            for (index, endpoint) in group.endpoints.iter().enumerate() {
                all.push((EntryPosition { module: module.clone(), index }, endpoint));
            }
        }
        all.into_iter()
    }

    pub(crate) fn endpoint(&self, at: &EntryPosition) -> &Endpoint {
        &self.groups[&at.module].endpoints[at.index]
    }

    /// An endpoint for editing. The group exists, because `at` is a position in this content.
    pub(crate) fn endpoint_mut(&mut self, at: &EntryPosition) -> &mut Endpoint {
        &mut self.groups.entry(at.module.clone()).or_default().endpoints[at.index]
    }

    /// The records that a file lists.
    pub(crate) fn records(&self, module: &str) -> &[Record] {
        if module == SERVICE {
            return &self.service.records;
        }
        match self.groups.get(module) {
            Some(group) => &group.records,
            None => &[],
        }
    }

    /// The list of records of a file. A group that does not exist is created.
    pub(crate) fn records_mut(&mut self, module: &str) -> &mut Vec<Record> {
        if module == SERVICE {
            return &mut self.service.records;
        }
        &mut self.groups.entry(module.to_owned()).or_default().records
    }

    /// The record with this name in a file or, if the file has no such record, in `service.yaml`.
    pub(crate) fn record(&self, module: &str, name: &str) -> Option<(EntryPosition, &Record)> {
        for module in [module, SERVICE] {
            for (index, record) in self.records(module).iter().enumerate() {
                if *record.name == name {
                    return Some((EntryPosition { module: module.to_owned(), index }, record));
                }
            }
        }
        None
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
        let Some(set) = self.service.param_sets.iter().find(|set| set.name == *name) else {
            return self.shared_param(name).into_iter().collect();
        };
        let mut params = Vec::new();
        for id in &set.params {
            params.extend(self.shared_param(id));
        }
        params
    }

    fn shared_param(&self, id: &str) -> Option<&Param> {
        self.service.params.iter().find(|param| **param.id() == id)
    }

    /// The params of an endpoint, each once; `None` if they are unknown. A `use` entry overrides the evidence and the
    /// default of its param.
    pub(crate) fn params_of(&self, endpoint: &Endpoint) -> Option<Vec<Param>> {
        let mut all: Vec<Param> = Vec::new();
        for entry in endpoint.params.known()? {
            for param in self.defined(entry) {
                if all.iter().any(|known| known.name == param.name) {
                    continue;
                }
                let mut param = param.clone();
                if let ParamEntry::Use(overrides) = entry {
                    param.evidence = overrides.evidence.or(param.evidence);
                    param.default = overrides.default.clone().or(param.default);
                }
                all.push(param);
            }
        }
        Some(all)
    }

    /// The record of a body, or the fields that the body lists as a record without a name; `None` if they are unknown.
    pub(crate) fn body_record(&self, module: &str, endpoint: &Endpoint) -> Option<Record> {
        let body = endpoint.body.known()?;
        match fields_of(body)?.known()? {
            Fields::Inline(fields) => Some(Record {
                fields: fields.clone(),
                positional: body.positional.as_deref() == Some(&true),
                columns: body.columns.as_deref() == Some(&true),
                others: body.others.clone(),
                evidence: body.evidence.unwrap_or(endpoint.evidence),
                ..Record::default()
            }),
            Fields::Record(name) => {
                let (_, record) = self.record(module, name)?;
                Some(record.clone())
            }
        }
    }

    /// The list of fields at a position, for editing.
    pub(crate) fn fields_mut(&mut self, at: &FieldListPosition) -> Option<&mut Vec<Field>> {
        match at {
            FieldListPosition::Metadata => Some(&mut self.service.envelope.as_mut()?.metadata.as_mut()?.fields),
            FieldListPosition::Record(at) => Some(&mut self.records_mut(&at.module)[at.index].fields),
            FieldListPosition::Body(at) => inline_mut(known_mut(&mut self.endpoint_mut(at).body)?),
        }
    }

    /// The only endpoint with this path or name, and its label for messages.
    pub(crate) fn find(&self, wanted: &str) -> Result<(String, EntryPosition), String> {
        let mut found = Vec::new();
        let mut others = Vec::new();
        for (at, endpoint) in self.endpoints() {
            let label = label(&at, endpoint);
            let path = endpoint.path.known().map(|path| path.as_str());
            let ident = ident_of(endpoint);
            let names = [path, Some(endpoint.name.as_str()), ident.as_deref(), Some(label.as_str())];
            if names.contains(&Some(wanted)) {
                found.push((label, at));
            } else {
                others.extend(path.map(str::to_owned));
                others.push(label);
            }
        }
        match found.as_slice() {
            [only] => Ok(only.clone()),
            [_, ..] => {
                let labels: Vec<_> = found.iter().map(|(label, _)| format!("`{label}`")).collect();
                Err(format!("several endpoints match `{wanted}`: {}", labels.join(", ")))
            }
            [] => {
                let meant = wording::did_you_mean(wanted, others.iter().map(String::as_str));
                let help = meant.as_deref().unwrap_or("add it with `cargo xtask add`");
                Err(format!("the catalogue has no endpoint `{wanted}`; {help}"))
            }
        }
    }
}

/// The fields of a body that is a series or an object.
pub(crate) fn fields_of(body: &Body) -> Option<&Known<Fields>> {
    body.series.as_ref().or(body.object.as_ref())
}

/// The fields of a body that is a series or an object, for editing.
pub(crate) fn fields_of_mut(body: &mut Body) -> Option<&mut Known<Fields>> {
    body.series.as_mut().or(body.object.as_mut())
}

/// The list of fields in a body, for editing.
pub(crate) fn inline_mut(body: &mut Body) -> Option<&mut Vec<Field>> {
    match fields_of_mut(body)? {
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
pub(crate) fn label(at: &EntryPosition, endpoint: &Endpoint) -> String {
    format!("{}.{}", at.module, ident_of(endpoint).unwrap_or_default())
}

/// A service of which only the title is known. All other facts are guesses, which the user has to check.
pub(crate) fn new_service(title: String) -> Service {
    let env_prefix = match names::ident(&only_words(&title), Case::Shouty) {
        Ok(prefix) if names::is_ident(&prefix, Case::Shouty) => prefix,
        _ => "SERVICE".to_owned(),
    };
    Service {
        title,
        version: "1".to_owned(),
        env_prefix,
        time: Time { unit: Some(TimeUnit::Seconds), format: None, evidence: Evidence::Reported },
        ..Service::default()
    }
}

/// `true` if a number is within a range.
pub(crate) fn is_within(range: &Range, value: f64) -> bool {
    let is_above_min = range.min.as_deref().is_none_or(|min| value >= *min);
    let is_below_max = range.max.as_deref().is_none_or(|max| value <= *max);
    is_above_min && is_below_max
}
