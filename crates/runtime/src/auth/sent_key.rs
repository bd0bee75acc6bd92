//! The API key in a request: in a header, or in the query.

use crate::error::Error;
use crate::headers::Headers;
use crate::registry::ServiceInfo;
use crate::secrets::Secret;

/// Adds the header with the API key, if the service has one.
pub(super) fn insert_key(service: &ServiceInfo, headers: &mut Headers, key: &Secret) -> Result<(), Error> {
    let Some(name) = service.api_key_header else { return Ok(()) };
    let value = service.api_key_value(key.expose());
    headers.insert_sensitive(name, &value).map_err(|error| Error::build(format!("invalid API key: {error}")))
}

/// Adds the param with the API key to a path, if the service has one.
pub(super) fn with_key(path: &str, key_param: Option<&Secret>) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    key_param.map_or_else(|| path.to_owned(), |key| format!("{path}{separator}{}", key.expose()))
}
