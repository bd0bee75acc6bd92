//! Where the parts of the project stand.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// As Cargo says it when it runs this: two checkouts that share a target folder share the program, too.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let told = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let xtask = told.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    xtask.parent().map_or(xtask.clone(), Path::to_owned)
});

/// The project's root, wherever a command is called.
pub(crate) fn root() -> &'static Path {
    &ROOT
}

/// The catalogue.
pub(crate) fn spec() -> PathBuf {
    root().join("spec")
}

/// The generated part of the client, which the generator owns.
pub(crate) fn generated() -> PathBuf {
    root().join("generated-client/src/generated")
}

/// Where Cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// What people and other tools read about the service, which the generator owns too.
pub(crate) fn docs() -> PathBuf {
    root().join("docs")
}
