//! A draft: new facts as a separate catalogue. Its types are written as in the catalogue, but named types and records
//! have provisional names with numbers, such as `record 3`. `merge` replaces them by names that are free.

use std::collections::{BTreeMap, HashMap};

use catalogue::repeats_name;
use catalogue::spec::{Field, Param, ParamLocation, Record, Type};
use catalogue::type_expr::TypeExpr;
use heck::ToSnakeCase;

use crate::content::{Content, FieldsAt};

pub(crate) const ANY: &str = "any";
pub(crate) const TIMESTAMP: &str = "timestamp";

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
    pub(crate) lists: BTreeMap<FieldsAt, Vec<Field>>,
    pub(crate) source: Source,
}

/// The origin of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
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
    pub(crate) fn new(source: Source) -> Self {
        let (content, metadata, names, lists) = Default::default();
        Self { content, metadata, names, lists, source }
    }

    /// Adds a type, and returns its provisional name.
    pub(crate) fn add_type(&mut self, ty: Type, wanted: WantedName) -> String {
        let types = &mut self.content.service.types;
        let name = format!("type {}", types.len());
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
pub(crate) fn telling(summary: String, name: &str) -> String {
    Some(summary).filter(|summary| !repeats_name(summary, name)).unwrap_or_default()
}

/// The provisional name of a record.
pub(crate) fn record_name(index: usize) -> String {
    format!("record {index}")
}

/// The index of the type that a provisional name refers to.
pub(crate) fn type_of_name(name: &str) -> Option<usize> {
    name.strip_prefix("type ")?.parse().ok()
}

/// The index of the record that a type is or contains.
pub(crate) fn record_in(ty: &str) -> Option<usize> {
    innermost(ty).strip_prefix("record ")?.parse().ok()
}

/// The innermost item type of a list or map, or the type itself if it is neither.
pub(crate) fn innermost(ty: &str) -> &str {
    ty.rsplit('<').next().unwrap_or(ty).trim_end_matches(['>', '?'])
}

/// The item type of a list.
pub(crate) fn item(ty: &str) -> Option<&str> {
    ty.strip_prefix("list<")?.strip_suffix('>')
}

/// A type in which the innermost type is replaced by `value`.
pub(crate) fn holding(ty: &str, value: &str) -> String {
    ty.replace(innermost(ty), value)
}

/// The type for the items of a list or map: `ty`, with `?` if items can be null. `any` gets no `?`, because it includes
/// null.
pub(crate) fn or_null(ty: &str, is_nullable: bool) -> String {
    if is_nullable && ty != ANY { format!("{ty}?") } else { ty.to_owned() }
}

/// The definition of a param in a path about which nothing else is known.
pub(crate) fn path_param(name: &str) -> Param {
    Param { name: name.into(), ty: "string".into(), location: ParamLocation::Path, ..Param::default() }
}

/// `true` if a type can have a range.
pub(crate) fn is_number(ty: &str) -> bool {
    matches!(TypeExpr::parse(ty), Some(TypeExpr::Builtin(builtin)) if builtin.is_numeric())
}

/// `true` if a timestamp is presumably the time of its record, and not the time of an event, such as `expires_at`.
pub(crate) fn is_time_of_record(field: &Field) -> bool {
    const WORDS: &str = "at begin bucket candle created date dates datetime day effective epoch funding hour interval list millis minute month ms open \
        period price quarter rate seconds stamp start started t tick ticks time times timestamp trade ts unix utc week year";
    let name = field.name.to_snake_case();
    !field.optional && name.split('_').all(|word| WORDS.split(' ').any(|known| known == word))
}

/// The timestamp that is presumably the time of a record: the only one with such a name, or the one with a plain name
/// such as `time`. The field `except` does not count.
pub(crate) fn time_of_record<'f>(fields: &'f [Field], except: Option<&str>) -> Option<&'f Field> {
    let is_time =
        |field: &&Field| *field.ty == TIMESTAMP && Some(field.name.as_str()) != except && is_time_of_record(field);
    let times: Vec<_> = fields.iter().filter(is_time).collect();
    let mut plain = times.iter().filter(|field| ["time", "timestamp", "ts"].contains(&field.name.as_str()));
    if let [one] = times.as_slice() { Some(one) } else { plain.next().copied() }
}
