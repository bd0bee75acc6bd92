//! A draft: new facts as a separate catalogue. Its types are written as in the catalogue, but named types and records
//! have provisional names with numbers, such as `record 3`. `merge` replaces them by names that are free.

use std::collections::{BTreeMap, HashMap};

use catalogue::repeats_name;
use catalogue::spec::{Field, Param, ParamLocation, Record, Type};

use crate::content::{Content, FieldListPosition};
use crate::drafted_type::{record_name, type_name};

/// The provisional `list_setter` of a param that accepts several values.
pub(crate) const SEVERAL: &str = "several values";

/// New facts as a separate catalogue.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) content: Content,
    /// The fields of the metadata next to the records of every series.
    pub(crate) metadata: Vec<Field>,
    /// The names that the drafted types and records should get.
    pub(crate) names: HashMap<String, WantedName>,
    /// Known lists of fields, with types that were widened. These lists replace the lists in the catalogue.
    pub(crate) lists: BTreeMap<FieldListPosition, Vec<Field>>,
    pub(crate) origin: DraftOrigin,
}

/// The origin of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DraftOrigin {
    /// An OpenAPI description, which lists all params and fields of an endpoint. If a name is already in use, another
    /// name is chosen.
    Description,
    /// User input. Names are not changed.
    Person,
    /// Responses, which may lack some of the fields. New types, records and fields are noted.
    Responses,
}

/// The name that a type or record should get.
#[derive(Clone, Debug, Default)]
pub(crate) struct WantedName {
    pub(crate) name: String,
    /// The name of the field that contains the type or record, if it is known.
    pub(crate) parent: String,
    /// The name of the endpoint or component that contains the type or record.
    pub(crate) owner: String,
    /// `true` if the user chose the name. The drafted type is then merged into the known type with this name, even if
    /// the two have no value in common.
    pub(crate) is_chosen: bool,
}

impl Draft {
    pub(crate) fn new(origin: DraftOrigin) -> Self {
        Self {
            content: Content::default(),
            metadata: Vec::new(),
            names: HashMap::new(),
            lists: BTreeMap::new(),
            origin,
        }
    }

    /// Adds a type, and returns its provisional name.
    pub(crate) fn add_type(&mut self, ty: Type, wanted: WantedName) -> String {
        let types = &mut self.content.service.types;
        let name = type_name(types.len());
        types.push(Type { name: name.as_str().into(), ..ty });
        self.names.insert(name.clone(), wanted);
        name
    }

    /// Adds a record, and returns its provisional name.
    pub(crate) fn add_record(&mut self, record: Record, wanted: WantedName) -> String {
        let records = &mut self.content.service.records;
        let name = record_name(records.len());
        records.push(Record { name: name.as_str().into(), ..record });
        self.names.insert(name.clone(), wanted);
        name
    }
}

/// The summary of a named part; empty if it only repeats the name, which a catalogue does not allow.
pub(crate) fn summary_unless_repeated(summary: String, name: &str) -> String {
    if summary.is_empty() || repeats_name(&summary, name) { String::new() } else { summary }
}

/// The definition of a param in a path about which nothing else is known.
pub(crate) fn path_param(name: &str) -> Param {
    Param { name: name.into(), ty: "string".into(), location: ParamLocation::Path, ..Param::default() }
}
