//! The params of a request as its events show them.
//!
//! Only params of the catalogue are shown, with secrets masked. Other params, which only the user knows, may be secrets.

use std::fmt;
use std::sync::Arc;

use crate::request::RequestTarget;
use crate::secrets::Redact;
use crate::text::one_line;

/// The params of a request by their names on the wire, with secrets masked; empty for a token request.
///
/// Params that are not in the catalogue are omitted. The text of the params is `coin=BTC timeframe=1h`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RequestParams(Option<Arc<[(&'static str, String)]>>);

impl RequestParams {
    /// Returns the value of a param; `None` if it is not set.
    pub fn get(&self, wire_name: &str) -> Option<&str> {
        self.iter().find(|(name, _)| *name == wire_name).map(|(_, value)| value)
    }

    /// Returns the names and values of the params.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().flat_map(|params| params.iter()).map(|(name, value)| (*name, value.as_str()))
    }
}

impl fmt::Display for RequestParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{name}={}", one_line(value))?;
        }
        Ok(())
    }
}

impl fmt::Debug for RequestParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The params of a target before they are copied for events, which only an observer or a log needs.
pub(crate) struct ShownParams<'r> {
    pub(crate) target: &'r RequestTarget,
    pub(crate) secrets: &'r dyn Redact,
}

impl ShownParams<'_> {
    pub(super) fn copied(&self) -> RequestParams {
        let mut params = Vec::new();
        for (name, value) in self.target.params() {
            let Some(info) = self.target.endpoint.param(name) else { continue };
            let mut value = value.to_owned();
            self.secrets.redact(&mut value);
            params.push((info.wire_name, value));
        }
        RequestParams((!params.is_empty()).then(|| params.into()))
    }
}

impl fmt::Display for ShownParams<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.copied().fmt(f)
    }
}
