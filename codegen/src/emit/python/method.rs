//! An endpoint as the Python module knows it.

use catalogue::model::{Api, Endpoint, FieldSource, Param, Record};

use super::super::command_names::EndpointNames;

/// An endpoint with a path, and the names in Python.
pub(super) struct Method<'a> {
    pub(super) endpoint: &'a Endpoint,
    /// The start of the names of its types.
    pub(super) ident: String,
    /// Whether the columns of a table are known.
    pub(super) has_columns: bool,
    /// The texts that name the endpoint.
    pub(super) names: Vec<String>,
}

impl Method<'_> {
    /// The name of the type of its rows.
    pub(super) fn row(&self) -> String {
        format!("{}Row", self.ident)
    }

    /// The name of the type of its rows in a table.
    pub(super) fn table_row(&self) -> String {
        format!("{}TableRow", self.ident)
    }

    /// The name of the type of its columns.
    pub(super) fn column(&self) -> String {
        format!("{}Column", self.ident)
    }

    /// The type of its tables.
    pub(super) fn table(&self) -> String {
        if self.has_columns {
            return format!("_Table[{}, {}]", self.table_row(), self.column());
        }
        "_Table[_Row, str]".to_owned()
    }
}

pub(super) fn methods(api: &Api) -> Vec<Method<'_>> {
    let names = EndpointNames::of(api);
    let mut methods = Vec::new();
    for group in &api.groups {
        for endpoint in group.methods() {
            let ident = format!("{}{}", group.handle.trim_end_matches("Group"), endpoint.type_ident);
            let has_columns = record(endpoint, api).is_some();
            methods.push(Method { endpoint, ident, has_columns, names: names.all(group, endpoint) });
        }
    }
    methods
}

/// The params that an option sets. With `sets_pages`, the function sets the params of pages itself; it always sets
/// those of the range.
pub(super) fn options<'a>(endpoint: &'a Endpoint, api: &'a Api, sets_pages: bool) -> Vec<&'a Param> {
    let mut own = Vec::new();
    if let Some(history) = api.history(endpoint) {
        own.extend([&history.from, &history.to].into_iter().flatten());
        if sets_pages {
            own.extend([&history.limit, &history.sort].into_iter().flatten());
        }
    }
    let mut params = Vec::new();
    for param in endpoint.known_params() {
        if param.declared.const_value.is_none() && !own.contains(&&param.declared.name) {
            params.push(param);
        }
    }
    params
}

/// The record of an endpoint; `None` if its members are not all listed.
pub(super) fn record<'a>(endpoint: &Endpoint, api: &'a Api) -> Option<&'a Record> {
    let record = api.record(endpoint.body.record()?)?;
    let has_others = record.fields.iter().any(|field| field.source == FieldSource::Others);
    if has_others { None } else { Some(record) }
}
