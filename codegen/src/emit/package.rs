//! The emitted crate: its name, and the paths of its documents.

use crate::names;

/// The crate that the emitted files are part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name in its manifest, `generated-client` for example.
    pub name: String,
    /// The way to the folder of its documents from the folder of its emitted Rust files, `../../docs` for example.
    pub docs: String,
}

impl Package {
    /// A crate with its documents in its own folder.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), docs: "../../docs".to_owned() }
    }

    /// Whether Rust can use a crate of this name.
    pub fn can_be_named(&self) -> bool {
        names::is_crate(&self.ident())
    }

    /// The name in Rust.
    pub(crate) fn ident(&self) -> String {
        self.name.replace('-', "_")
    }
}
