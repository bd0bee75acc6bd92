//! The program that uses this library: its name, its version and the registry of its client.

use std::sync::OnceLock;

use runtime::registry::{Registry, ServiceInfo};

/// The command line of a client; created by [`program!`](crate::program).
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) registry: &'static Registry,
}

/// The program of this process. It is global because completions and help are computed in functions that clap calls
/// without arguments.
static PROGRAM: OnceLock<Program> = OnceLock::new();

impl Program {
    #[doc(hidden)]
    pub const fn new(name: &'static str, version: &'static str, registry: &'static Registry) -> Self {
        Self { name, version, registry }
    }

    /// Makes this program the one of the process.
    pub(crate) fn start(self) {
        PROGRAM.get_or_init(|| self);
    }
}

/// Creates the [`Program`] of the calling binary for the registry of an emitted client.
///
/// The name of the binary is used in help, in the header `User-Agent` and for the folder of settings; its package has
/// the version.
#[macro_export]
macro_rules! program {
    ($registry:expr) => {
        $crate::Program::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"), $registry)
    };
}

/// The program of this process.
#[cfg(not(test))]
#[allow(clippy::expect_used, reason = "only `Program::main` starts commands, after it has set the program")]
pub(crate) fn program() -> &'static Program {
    PROGRAM.get().expect("`Program::main` has set the program")
}

#[cfg(test)]
pub(crate) fn program() -> &'static Program {
    PROGRAM.get_or_init(|| Program::new("derivs", "0.1.0", &generated_client::REGISTRY))
}

/// The service of this program.
pub(crate) fn service() -> &'static ServiceInfo {
    program().registry.service
}
