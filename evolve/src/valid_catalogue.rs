//! A catalogue without errors, as the types of the format. Every edit starts and ends with one. Only this module calls
//! the stages of `codegen` that detect errors.

use codegen::spec::{Group, Service};
use codegen::{Api, Catalogue};

use crate::editor::Refusal;

/// The files of a catalogue.
#[derive(Debug)]
pub(crate) struct ValidCatalogue {
    pub(crate) service: Service,
    /// File stems with their groups, sorted by stem.
    pub(crate) groups: Vec<(String, Group)>,
}

impl ValidCatalogue {
    /// Reads a catalogue, or returns its errors.
    pub(crate) fn of(catalogue: Catalogue) -> Result<Self, Refusal> {
        api(&catalogue)?;
        let (service, groups) = catalogue.into_spec();
        let service = service.ok_or_else(|| Refusal::new("missing file `service.yaml`"))?;
        Ok(Self { service, groups })
    }

    /// An empty catalogue.
    pub(crate) fn empty() -> Result<Self, Refusal> {
        let service = Service::unknown().ok_or_else(|| Refusal::new("nothing can be unknown"))?;
        Ok(Self { service, groups: Vec::new() })
    }
}

/// Returns the model of a catalogue, or its errors.
pub(crate) fn api(catalogue: &Catalogue) -> Result<Api, Refusal> {
    codegen::resolve(catalogue).map_err(Refusal::Catalogue)
}
