//! The records to which the entries of a file can refer.

use std::collections::HashMap;

use crate::spec;

/// The records of one file. Only entries of the same group can refer to the records of a group.
#[derive(Default)]
pub(super) struct RecordsOfFile<'a> {
    pub(super) module: Option<&'a str>,
    pub(super) by_name: HashMap<&'a str, &'a spec::Record>,
    pub(super) list: &'a [spec::Record],
}

impl<'a> RecordsOfFile<'a> {
    pub(super) fn of(module: Option<&'a str>, list: &'a [spec::Record]) -> Self {
        // In the map, a later record replaces an earlier record with the same name. The order is reversed, so that the
        // map contains the first one.
        let by_name = list.iter().rev().map(|record| (record.name.as_str(), record)).collect();
        Self { module, by_name, list }
    }
}
