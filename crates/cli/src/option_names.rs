//! The names of params as options of a command line and as keys of a job file.

use std::sync::OnceLock;

use runtime::registry::EndpointInfo;
use wording::ParamNames;

use crate::notation::{Notation, notation, option};
use crate::program::program;

/// The names of the params of all endpoints.
pub(crate) fn names() -> &'static ParamNames {
    static NAMES: OnceLock<ParamNames> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut wire_names = Vec::new();
        let mut earlier = Vec::new();
        for info in program().registry.endpoints().flat_map(EndpointInfo::params) {
            if info.const_value.is_none() {
                wire_names.push(info.wire_name);
                earlier.extend_from_slice(info.also_named);
            }
        }
        ParamNames::new(wire_names, earlier)
    })
}

/// The option that sets a param, without dashes.
pub(crate) fn option_name(wire_name: &str) -> String {
    names().option(wire_name)
}

/// A param in the notation of messages.
pub(crate) fn written(wire_name: &str) -> String {
    match notation() {
        Notation::Shell => option(&option_name(wire_name)),
        Notation::Python => names().python_argument(wire_name),
        #[cfg(any(feature = "mcp", test))]
        Notation::Tools => names().job_key(wire_name),
    }
}
