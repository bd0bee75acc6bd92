//! A catalogue without a finding: what its files say, in the words of the format. Every edit starts from one and ends in
//! one. The stages of `codegen` that find mistakes are called here and nowhere else.

use codegen::spec::{Group, Service};
use codegen::{Api, Catalogue, Diagnostics};

/// What the files of a catalogue say.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) service: Service,
    /// File stems and what the files say, sorted by stem.
    pub(crate) groups: Vec<(String, Group)>,
}

impl Checked {
    /// What a catalogue says, if nothing is wrong with it.
    pub(crate) fn of(catalogue: Catalogue) -> Result<Self, Diagnostics> {
        let codegen::Checked { service, groups } = codegen::check(catalogue)?;
        Ok(Self { service, groups })
    }

    /// A catalogue that has nothing yet.
    pub(crate) fn empty() -> Self {
        Self { service: Service::unknown(), groups: Vec::new() }
    }
}

/// The model of a catalogue, if nothing is wrong with it.
pub(crate) fn api(catalogue: Catalogue) -> Result<Api, Diagnostics> {
    Ok(codegen::lower(&codegen::check(catalogue)?))
}
