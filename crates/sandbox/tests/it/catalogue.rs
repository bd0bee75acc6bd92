//! A small catalogue with every layout of bodies, for tests of registries that are built at run time.

use std::path::Path;

use runtime::registry::Registry;

/// Builds the registry of `tests/catalogue/`.
pub(crate) fn registry() -> Registry {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/catalogue");
    catalogue::registry(&catalogue::read(&folder).unwrap_or_else(|errors| panic!("{errors}")))
}
