//! The name of the emitted crate, and the path of its documents.

use catalogue::names;

/// The crate that contains the emitted files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name of the crate in its manifest, for example `generated-client`.
    pub name: String,
    /// The relative path from the emitted Rust files to the documents, for example `../../docs`.
    pub docs: String,
    /// The command line of the client; `None` if it has none.
    pub program: Option<Program>,
}

/// The command line of an emitted client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name of the binary, and of the Python module if there is one.
    pub name: String,
    /// Whether a Python module of the same name runs the program.
    pub has_python_module: bool,
}

impl Package {
    /// Creates a package whose documents are in the folder `docs` of the package.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), docs: "../../docs".to_owned(), program: None }
    }

    /// Returns `true` if the name is valid as the name of an emitted crate.
    pub fn can_be_named(&self) -> bool {
        names::is_crate(&self.ident())
    }

    /// The crate name as a Rust identifier.
    pub(crate) fn ident(&self) -> String {
        self.name.replace('-', "_")
    }
}
