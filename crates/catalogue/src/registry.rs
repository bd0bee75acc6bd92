//! Builds the registry of a catalogue, which is equal to the registry of the emitted client.
//!
//! The emitter of the client prints this registry, and programs without a client use it as it is. The parts of a
//! registry are `'static`. They are leaked; this is acceptable, because a program reads few catalogues.

// The modules, lowest layer first.
mod leaked;

mod type_entries;

mod pages;

mod service;

mod endpoints;

use crate::model::{Api, RecordRef};
use runtime::registry::{FieldInfo, GroupInfo, ParamInfo, RecordInfo, Registry, TypeInfo};

use leaked::{leak, list};
use service::service_info;
use type_entries::{NO_METADATA, TypeEntries};

/// Builds the registry of a catalogue.
pub fn registry(api: &Api) -> Registry {
    RegistryEntries::of(api).registry
}

/// The registry of a catalogue, and the entries to which an item of the model belongs.
#[derive(Debug)]
pub struct RegistryEntries {
    /// The registry.
    pub registry: Registry,
    /// The entries of [`Api::types`], in the same order.
    pub types: Vec<&'static TypeInfo>,
    /// The entries of [`Api::records`], in the same order.
    pub records: Vec<&'static RecordInfo>,
    /// The entries of [`Api::shared_params`], in the same order.
    pub shared_params: Vec<ParamInfo>,
    /// The time field of the envelope.
    pub time_field: Option<FieldInfo>,
    /// The entries of [`Api::groups`], in the same order.
    pub groups: Vec<GroupEntries>,
}

/// The entries of a group.
#[derive(Debug)]
pub struct GroupEntries {
    /// The group with its endpoints, in the order of [`Group::endpoints`](crate::model::Group::endpoints).
    pub group: &'static GroupInfo,
    /// The entries of [`Group::records`](crate::model::Group::records), in the same order.
    pub records: Vec<&'static RecordInfo>,
}

impl RegistryEntries {
    /// Builds all entries of a catalogue.
    pub fn of(api: &Api) -> Self {
        let mut types = TypeEntries::new(api);
        let service: &_ = leak(service_info(api, &mut types));
        let mut groups = Vec::new();
        for group in &api.groups {
            let info: &_ = leak(endpoints::group_info(group, &mut types));
            let mut records = Vec::new();
            for record in &group.records {
                let reference = RecordRef { module: Some(group.ident.clone()), ident: record.ident.clone() };
                records.extend(types.record(&reference));
            }
            groups.push(GroupEntries { group: info, records });
        }
        let named_types = api.types.iter().filter_map(|ty| types.named_type(&ty.ident)).collect();
        let records = api.records.iter().filter_map(|it| types.record(&RecordRef::shared(&it.ident))).collect();
        let shared_params = api.shared_params.iter().map(|it| endpoints::param_info(&it.param, &mut types)).collect();
        let time_field = api.service.time_field.as_ref().map(|field| types.field(field));
        let metadata = types.record(&RecordRef::shared("Metadata")).unwrap_or(&NO_METADATA);
        types.set_recursive_records();
        let registry = Registry::new(service, list(&groups, |entries| entries.group), metadata);
        Self { registry, types: named_types, records, shared_params, time_field, groups }
    }
}
