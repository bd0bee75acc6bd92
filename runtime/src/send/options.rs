//! The options of a single request: timeouts, retry rules and headers.
//!
//! Setters fill the options; the client's settings apply to the rest. Most requests set nothing and allocate nothing.

use crate::dispatch::Policy;
use crate::error::Error;
use crate::transport::{Headers, InvalidHeader};

/// The options of a request; `None` if nothing was set.
#[derive(Clone, Default)]
pub(crate) struct Options(Option<Box<Set>>);

#[derive(Clone)]
struct Set {
    policy: Policy,
    headers: Headers,
    /// The first invalid header. Setters do not fail, so the error is returned when the request is sent.
    invalid: Option<InvalidHeader>,
}

impl Options {
    /// Changes the rules, which are initially those of the client.
    pub(crate) fn set(&mut self, clients: &Policy, change: impl FnOnce(&mut Policy)) {
        change(&mut self.own(clients).policy);
    }

    /// Sets a header.
    pub(crate) fn header(&mut self, clients: &Policy, name: &str, value: &str) {
        let own = self.own(clients);
        let invalid = own.headers.insert_sensitive(name, value).err();
        own.invalid = own.invalid.take().or(invalid);
    }

    fn own(&mut self, clients: &Policy) -> &mut Set {
        let new = || Box::new(Set { policy: clients.clone(), headers: Headers::new(), invalid: None });
        self.0.get_or_insert_with(new)
    }

    /// The rules; `None` if they are those of the client.
    pub(crate) fn policy(&self) -> Option<&Policy> {
        self.0.as_ref().map(|own| &own.policy)
    }

    /// Returns the headers, or an error if one is invalid.
    pub(crate) fn headers(&self) -> Result<Option<&Headers>, Error> {
        let Some(own) = &self.0 else { return Ok(None) };
        own.invalid.clone().map_or(Ok(Some(&own.headers)), |invalid| Err(invalid.into()))
    }
}
