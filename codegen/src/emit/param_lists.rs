//! Divides the params of an endpoint into lists, so that a param set is written once.

use std::ops::Range;

use proc_macro2::TokenStream;
use quote::quote;
use runtime::registry::ParamInfo;

use super::literal::{Literal, ident};
use super::registry_entry::param_changes;
use catalogue::RegistryEntries;
use catalogue::model::{Api, EndpointParam, ParamSet, SharedUse};

/// Consecutive params of an endpoint.
pub(super) enum ParamList {
    /// All params of the param set with this index.
    Set(usize),
    /// The params with these indices, which are written out.
    Own(Range<usize>),
}

/// Divides params into lists: each param set that they contain in the same order and with the same descriptions, and
/// the params before and after it.
pub(super) fn param_lists(api: &Api, params: &[EndpointParam]) -> Vec<ParamList> {
    let mut lists = Vec::new();
    add_lists(api, params, 0..params.len(), &mut lists);
    lists
}

/// Adds the lists of the params in a range. The longest set is found first, and of several the last.
fn add_lists(api: &Api, params: &[EndpointParam], range: Range<usize>, lists: &mut Vec<ParamList>) {
    if range.is_empty() {
        return;
    }
    let mut longest: Option<SetInParams> = None;
    for (index, set) in api.param_sets.iter().enumerate() {
        let Some(found) = position(set, params, &range) else { continue };
        match &longest {
            Some(longest) if longest.range.len() > found.len() => {}
            _ => longest = Some(SetInParams { set: index, range: found }),
        }
    }
    let Some(longest) = longest else {
        lists.push(ParamList::Own(range));
        return;
    };
    add_lists(api, params, range.start..longest.range.start, lists);
    lists.push(ParamList::Set(longest.set));
    add_lists(api, params, longest.range.end..range.end, lists);
}

/// The index of a set, and the params that are exactly those of the set.
struct SetInParams {
    set: usize,
    range: Range<usize>,
}

/// The range of params that are exactly those of a set.
fn position(set: &ParamSet, params: &[EndpointParam], range: &Range<usize>) -> Option<Range<usize>> {
    let length = set.params.len();
    if length == 0 {
        return None;
    }
    for start in range.start..range.end {
        let candidates = params[start..range.end].get(..length)?;
        if is_set(set, candidates) {
            return Some(start..start + length);
        }
    }
    None
}

fn is_set(set: &ParamSet, params: &[EndpointParam]) -> bool {
    set.params
        .iter()
        .zip(params)
        .all(|(index, param)| param.shared == Some(SharedUse { index: *index, is_overridden: false }))
}

/// The expression of the lists of an endpoint's params. `param_entries` are the entries of these params.
pub(super) fn lists_expression(
    api: &Api,
    entries: &RegistryEntries,
    params: &[EndpointParam],
    param_entries: &[ParamInfo],
) -> TokenStream {
    let mut lists = Vec::new();
    for list in param_lists(api, params) {
        match list {
            ParamList::Set(index) => {
                let set = ident(&api.param_sets[index].constant);
                lists.push(quote!(params::#set));
            }
            ParamList::Own(range) => {
                let mut items = Vec::new();
                for (param, entry) in params[range.clone()].iter().zip(&param_entries[range]) {
                    items.push(param_expression(api, entries, param, entry));
                }
                lists.push(quote!(&[#(#items),*]));
            }
        }
    }
    quote!(&[#(#lists),*])
}

/// A shared param is its constant, followed by calls that set what the endpoint describes itself; any other param is
/// written out.
fn param_expression(api: &Api, entries: &RegistryEntries, param: &EndpointParam, entry: &ParamInfo) -> TokenStream {
    let Some(SharedUse { index, .. }) = param.shared else { return entry.literal() };
    let constant = ident(&api.shared_params[index].constant);
    let changes = param_changes(entry, &entries.shared_params[index]);
    quote!(params::#constant #changes)
}
