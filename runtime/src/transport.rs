//! The transport interface, in this project's own types.
//!
//! A transport sends an [`HttpRequest`] with its credentials and returns an [`HttpResponse`] with its complete body. It
//! does not check the status, follow redirects or retry; its callers process the status and retry.
//!
//! In a test, the transport can be a closure that is passed to [`from_fn`]. Expected records and series can be created
//! with `Default` and `From<Vec<_>>`. In this example, `market().ratio()` is an endpoint of the client:
//!
//! ```
//! # use generated_client_runtime::transport::{Headers, HttpResponse, from_fn};
//! # extern crate generated_client_runtime as runtime;
//! # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
//! # use invented::{Client, RatioRecord, Series};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), generated_client_runtime::Error> {
//! let transport = from_fn(|request| async move {
//!     assert!(request.url.ends_with("/ratio?coin=BTC"));
//!     Ok(HttpResponse::new(200, Headers::new(), r#"{"data": [{"openDate": 1700000000, "ratio": 0.25}]}"#))
//! });
//! let client = Client::builder("https://example.com/v2").api_key("key").transport(transport).build()?;
//!
//! let mut expected = RatioRecord::default();
//! (expected.open_date, expected.ratio) = (1_700_000_000.into(), 0.25);
//! assert_eq!(client.market().ratio().coin("BTC").await?, Series::from(vec![expected]));
//! # Ok(()) }
//! ```
//!
//! In other cases, implement [`Transport`] and pass it to [`Builder::transport`](crate::Builder::transport):
//!
//! ```
//! # use generated_client_runtime::transport::{HttpRequest, HttpResponse, SendFuture, Transport};
//! # extern crate generated_client_runtime as runtime;
//! # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
//! # use invented::Client;
//! /// Prints every request before it is sent.
//! struct Logged<T>(T);
//!
//! impl<T: Transport> Transport for Logged<T> {
//!     fn send(&self, request: HttpRequest) -> SendFuture<'_> {
//!         println!("{request:?}");
//!         self.0.send(request)
//!     }
//! }
//! ```
#![cfg_attr(
    feature = "reqwest",
    doc = r#"
With the feature `reqwest`, a [`ReqwestTransport`] sends with your own `reqwest::Client`:

```
# use generated_client_runtime::transport::ReqwestTransport;
# extern crate generated_client_runtime as runtime;
# mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
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
    FromFn, Headers, HeadersNotifier, HttpRequest, HttpResponse, InvalidHeader, Method, Phase, RequestOptions,
    ResponseBody, SendFuture, SentNotifier, Transport, TransportError, from_fn,
};

pub(crate) use ::generated_client_transport::{HyperTransport, Settings, opaque_debug};
