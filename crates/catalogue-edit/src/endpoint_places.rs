//! Where the endpoints of a catalogue are declared, for reports that point at them.

use catalogue::Catalogue;

use crate::content::{Content, label};
use crate::refusal::Refusal;

/// The place of an endpoint in the catalogue.
#[derive(Clone, Debug)]
pub struct EndpointPlace {
    /// The group and the method, for example `market.basis`.
    pub endpoint: String,
    /// The name of the file, without its folder.
    pub file: String,
    /// The line with the name of the endpoint, counted from one.
    pub line: usize,
    /// `true` if the catalogue describes the body of a response.
    pub is_body_known: bool,
}

/// Returns the places of all endpoints of a valid catalogue.
pub fn endpoint_places(catalogue: Catalogue) -> Result<Vec<EndpointPlace>, Refusal> {
    let content = Content::checked(catalogue)?;
    let mut places = Vec::new();
    for (at, endpoint) in content.endpoints() {
        places.push(EndpointPlace {
            endpoint: label(&at, endpoint),
            file: format!("{}.yaml", at.module),
            line: endpoint.name.line(),
            is_body_known: endpoint.body.known().is_some(),
        });
    }
    Ok(places)
}
