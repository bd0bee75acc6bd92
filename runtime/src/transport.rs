//! How requests leave and replies arrive, in this project's own types.
//!
//! An [`HttpRequest`] comes in with its credentials, an [`HttpResponse`] with its whole body goes out.
//! A transport judges no status, follows no redirect and retries nothing: others do, who know more.
//!
//! Bring your own with [`Builder::transport`](crate::Builder::transport):
//!
//! ```
//! # use runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
//! # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/invented/service.rs")); }
//! # use invented::Client;
//! /// Answers everything with one point in time.
//! struct Canned;
//!
//! impl Transport for Canned {
//!     fn send(&self, request: HttpRequest) -> SendFuture<'_> {
//!         Box::pin(async move {
//!             let body = r#"{"data": [{"openDate": 1700000000, "volumeRatio": 0.25}]}"#;
//!             Ok(HttpResponse::new(200, Headers::new(), body))
//!         })
//!     }
//! }
//!
//! let client = Client::builder("https://example.com/v2").api_key("key").transport(Canned).build()?;
//! # Ok::<(), runtime::Error>(())
//! ```
#![cfg_attr(
    feature = "reqwest",
    doc = r#"
With the feature `reqwest` a [`ReqwestTransport`] takes a `reqwest::Client` of yours:

```
# use runtime::transport::ReqwestTransport;
# mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/invented/service.rs")); }
# use invented::Client;
let transport = ReqwestTransport::from_builder(reqwest::Client::builder())?;
let client = Client::builder("https://example.com/v2").api_key("key").transport(transport).build()?;
# Ok::<(), Box<dyn std::error::Error>>(())
```
"#
)]

#[cfg(feature = "reqwest")]
#[doc(inline)]
pub use ::generated_client_transport::ReqwestTransport;
#[doc(inline)]
pub use ::generated_client_transport::{
    Departure, Headers, HttpRequest, HttpResponse, InvalidHeader, Limits, Method, Phase, SendFuture, Transport,
    TransportError,
};

#[cfg(feature = "proxy")]
pub(crate) use ::generated_client_transport::ProxyChoice;
pub(crate) use ::generated_client_transport::{HyperTransport, Settings, SettingsError};
