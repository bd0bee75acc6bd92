//! A catalogue without a finding: what its files say, in the words of the format. Every edit starts from one and ends in
//! one. The stages of `codegen` that find mistakes are called here and nowhere else.

use codegen::spec::{Group, Service};
use codegen::{Api, Catalogue};

use crate::change::Refusal;

/// What the files of a catalogue say.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) service: Service,
    /// File stems and what the files say, sorted by stem.
    pub(crate) groups: Vec<(String, Group)>,
}

impl Checked {
    /// What a catalogue says, if nothing is wrong with it.
    pub(crate) fn of(catalogue: Catalogue) -> Result<Self, Refusal> {
        api(&catalogue)?;
        let (service, groups) = catalogue.into_spec();
        let service = service.ok_or_else(|| Refusal::new("there is no `service.yaml`"))?;
        Ok(Self { service, groups })
    }

    /// A catalogue that has nothing yet.
    pub(crate) fn empty() -> Result<Self, Refusal> {
        let service = Service::unknown().ok_or_else(|| Refusal::new("nothing can be unknown"))?;
        Ok(Self { service, groups: Vec::new() })
    }
}

/// The model of a catalogue, if nothing is wrong with it.
pub(crate) fn api(catalogue: &Catalogue) -> Result<Api, Refusal> {
    codegen::resolve(catalogue).map_err(Refusal::Catalogue)
}
