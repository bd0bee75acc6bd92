//! The one way out.
//!
//! Every request leaves here, for data and for a token alike: once, with its limits.
//! Statuses are for others to judge.

use std::fmt;
use std::sync::Arc;

use crate::base_url::BaseUrl;
use crate::error::Error;
use crate::transport::{Headers, HttpRequest, HttpResponse, Limits, Method, Transport};

/// Where requests leave: the base URL, the transport and its limits.
pub(crate) struct Outlet {
    base_url: BaseUrl,
    transport: Arc<dyn Transport>,
    limits: Limits,
}

impl Outlet {
    pub(crate) fn new(base_url: BaseUrl, transport: Arc<dyn Transport>, limits: Limits) -> Self {
        Self { base_url, transport, limits }
    }

    /// Asks for a path.
    pub(crate) async fn get(&self, path: &str, headers: Headers) -> Result<HttpResponse, Error> {
        self.send(HttpRequest::new(Method::Get, self.base_url.join(path), headers, self.limits)).await
    }

    /// Sends a form to a path.
    pub(crate) async fn post(&self, path: &str, headers: Headers, form: &str) -> Result<HttpResponse, Error> {
        let url = self.base_url.join(path);
        let mut request = HttpRequest::new(Method::Post, url, headers, self.limits);
        request.body = form.into();
        self.send(request).await
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, Error> {
        Ok(self.transport.send(request).await?)
    }
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outlet")
            .field("base_url", &self.base_url.as_str())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
