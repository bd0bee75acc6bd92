//! The type `Client` of an emitted crate, without the groups of its catalogue.
//!
//! Every method calls the runtime, and decides nothing.

#[doc(hidden)]
#[macro_export]
macro_rules! __client {
    ($name:literal, $env:literal, $service:path) => {
        /// Access to the service.
        ///
        /// Cloning is cheap, and clones share their connections, their token and their rate limit. Requests can be made
        /// from any thread and concurrently; they are sent inside a Tokio runtime, or without one by the feature
        /// `blocking`.
        #[derive(Clone)]
        pub struct Client($crate::emitted::Core);

        /// Settings of a [`Client`]; from [`Client::builder`], or with those of the environment from `Builder::from_env`.
        pub type Builder = $crate::Builder<Client>;

        impl Client {
            /// Begins a client for the service at `base_url`, which has no default.
            pub fn builder(base_url: impl ::std::convert::Into<::std::string::String>) -> Builder {
                Builder::new(base_url.into())
            }

            /// A client with the settings from the environment.
            ///
            /// | variable | meaning |
            /// |---|---|
            #[doc = concat!("| `", $env, "_BASE_URL` | where the service is; required |")]
            #[doc = concat!("| `", $env, "_API_KEY` | the API key; required if the service takes one |")]
            #[doc = concat!("| `", $env, "_CLIENT_ID`, `", $env, "_CLIENT_SECRET` | turn the token flow on; both or neither |")]
            pub fn from_env() -> ::std::result::Result<Self, $crate::Error> {
                Builder::from_env()?.build()
            }

            /// A request for any path, whether the catalogue knows it or not.
            ///
            /// It goes the way of all requests: same credentials, same rate limit, same errors. It counts as one
            /// request: weights and the limits of some endpoints apply only to the methods of those endpoints. The path
            /// begins with a slash and may carry the version that the base URL ends in; params are added with
            /// [`Request::query`].
            ///
            /// ```
            #[doc = concat!("# fn demo(client: &", $name, "::Client) {")]
            /// let request = client.raw("/somethingNew").query("coin", "BTC");
            /// assert_eq!(request.to_string(), "GET /somethingNew?coin=BTC");
            /// # }
            /// ```
            pub fn raw(&self, path: impl ::std::convert::Into<::std::string::String>) -> Request<$crate::Raw> {
                Request($crate::Request::raw(&self.0, path.into()))
            }

            /// A request for an endpoint that is chosen while the program runs, out of the registry.
            ///
            /// Its params are set by their names on the wire, with [`Request::query`], and are checked like those of a
            /// method. The response has the same values, by their names:
            ///
            /// ```no_run
            #[doc = concat!("# use ", $name, "::AnyBody;")]
            #[doc = concat!("# async fn demo(client: &", $name, "::Client) -> Result<(), ", $name, "::Error> {")]
            #[doc = concat!("for endpoint in ", $name, "::GROUPS.iter().flat_map(|group| group.endpoints) {")]
            ///     if let AnyBody::Series(series) = client.endpoint(endpoint).query("coin", "BTC").await? {
            ///         println!("{endpoint}: {:?}", series.column("openDate"));
            ///     }
            /// }
            /// # Ok(())
            /// # }
            /// ```
            pub fn endpoint(&self, endpoint: &'static $crate::registry::EndpointInfo) -> Request<$crate::Dynamic> {
                Request($crate::Request::dynamic(&self.0, endpoint))
            }
        }

        impl $crate::emitted::Shell for Client {
            const SERVICE: &'static $crate::registry::ServiceInfo = &$service;
            const AGENT: &'static str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
            const LOG: $crate::emitted::Log = $crate::__log!($name);

            fn new(core: $crate::emitted::Core) -> Self {
                Self(core)
            }
        }

        impl ::std::fmt::Debug for Client {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}
