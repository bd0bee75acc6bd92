//! The type `Client` of an emitted crate, without its groups of endpoints.
//!
//! Every method only calls the runtime.

#[doc(hidden)]
#[macro_export]
macro_rules! __client {
    ($name:literal, $env:literal, $service:path) => {
        /// A client of the service.
        ///
        /// Cloning is cheap, and clones share their connections, their token and their rate limit. Requests can be made
        /// from any thread and concurrently. Requests are sent inside a Tokio runtime; with the feature `blocking`,
        /// they can also be sent without a runtime.
        #[derive(Clone)]
        pub struct Client($crate::emitted::Core);

        /// Settings of a [`Client`], created by [`Client::builder`], or by `Builder::from_env` with the settings from
        /// the environment.
        pub type Builder = $crate::Builder<Client>;

        impl Client {
            /// Starts building a client for the service at `base_url`, which has no default.
            pub fn builder(base_url: impl ::std::convert::Into<::std::string::String>) -> Builder {
                Builder::new(base_url.into())
            }

            /// Creates a client with the settings from the environment. With the feature `settings`, `Builder::from_file`
            /// reads them from a file.
            ///
            /// | variable | meaning |
            /// |---|---|
            #[doc = concat!("| `", $env, "_BASE_URL` | the base URL of the service; required |")]
            #[doc = concat!("| `", $env, "_NAME_BASE_URL` | the base URL `name` of groups on another host, if the catalogue has one |")]
            #[doc = concat!("| `", $env, "_API_KEY` | the API key; required if the service has one |")]
            #[doc = concat!("| `", $env, "_CLIENT_ID`, `", $env, "_CLIENT_SECRET` | the credentials of the token flow; both or neither |")]
            pub fn from_env() -> ::std::result::Result<Self, $crate::Error> {
                Builder::from_env()?.build()
            }

            /// Creates a request for any path, including paths that are not in the catalogue.
            ///
            /// The request uses the same credentials and rate limit as all other requests, and returns the same errors.
            /// It always counts as one request towards the rate limit, because the weights and limits of single
            /// endpoints apply only to the methods of those endpoints. The path begins with a slash, and may include
            /// the version with which the base URL ends. Add params with [`Request::query`].
            ///
            /// ```
            #[doc = concat!("# fn demo(client: &", $name, "::Client) {")]
            /// let request = client.raw("/somethingNew").query("page", 2);
            /// assert_eq!(request.to_string(), "GET /somethingNew?page=2");
            /// # }
            /// ```
            pub fn raw(&self, path: impl ::std::convert::Into<::std::string::String>) -> Request<$crate::Raw> {
                Request::from_untyped($crate::emitted::Untyped::raw(&self.0, path.into()))
            }

            /// Creates a request for an endpoint of the registry that is chosen at run time. The registry finds an
            /// endpoint by its name:
            ///
            /// ```
            #[doc = concat!("# use ", $name, "::{Client, REGISTRY, Request, Dynamic};")]
            /// /// Creates a request for `market.ratio`, for example.
            /// fn request(client: &Client, name: &str) -> Option<Request<Dynamic>> {
            ///     REGISTRY.endpoint(name).map(|endpoint| client.endpoint(endpoint))
            /// }
            /// ```
            ///
            /// Set its params by their wire names with [`Request::query`]; they are checked like the params of the
            /// endpoint's method. The response contains the same values as the response of that method, by their wire
            /// names:
            ///
            /// ```no_run
            #[doc = concat!("# use ", $name, "::AnyBody;")]
            #[doc = concat!("# async fn demo(client: &", $name, "::Client) -> Result<(), ", $name, "::Error> {")]
            #[doc = concat!("for endpoint in ", $name, "::REGISTRY.endpoints() {")]
            ///     if let AnyBody::Series(series) = client.endpoint(endpoint).query("page", 2).await? {
            ///         println!("{endpoint}: {:?}", series.column("openDate"));
            ///     }
            /// }
            /// # Ok(())
            /// # }
            /// ```
            pub fn endpoint(&self, endpoint: &'static $crate::registry::EndpointInfo) -> Request<$crate::Dynamic> {
                Request::from_untyped($crate::emitted::Untyped::new(&self.0, endpoint))
            }

            /// Returns the time of the service, as estimated from the responses so far.
            ///
            /// The headers `Date` and `Age` of a response state the service's time. They are believed if they agree,
            /// within five seconds, with earlier responses, with the clock of this machine, or with the response before
            /// them. A single wrong `Date` or a wrong clock of this machine therefore changes nothing. Until the first
            /// `Date`, and for a service that sends none, this is the time of the machine's clock. While the witnesses
            /// contradict each other, it is the earliest of the possible times.
            ///
            /// A program that compares records with the time uses this method instead of `Timestamp::now()`. The
            /// difference of the two is the error of the machine's clock:
            ///
            /// ```
            #[doc = concat!("# fn demo(client: &", $name, "::Client) {")]
            #[doc = concat!("use ", $name, "::Timestamp;")]
            /// let error = client.service_time().abs_diff(Timestamp::now());
            /// if error > std::time::Duration::from_secs(5) {
            ///     eprintln!("the clock of this machine is wrong by {error:?}");
            /// }
            /// # }
            /// ```
            pub fn service_time(&self) -> $crate::Timestamp {
                self.0.service_time()
            }
        }

        impl $crate::emitted::ClientType for Client {
            const SERVICE: &'static $crate::registry::ServiceInfo = &$service;
            const AGENT: &'static str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        }

        impl ::std::convert::From<$crate::emitted::Core> for Client {
            fn from(core: $crate::emitted::Core) -> Self {
                Self(core)
            }
        }

        impl<E: $crate::Endpoint> Request<E> {
            pub(crate) fn new(client: &Client) -> Self {
                Self::from_untyped($crate::emitted::Untyped::new(&client.0, E::INFO))
            }

            /// Sets a param; `None` omits it.
            pub(crate) fn with<T: $crate::wire::ToWire, Via>(
                self,
                wire_name: &'static str,
                value: impl $crate::wire::IntoParam<T, Via>,
            ) -> Self {
                Self::from_untyped(self.untyped.set_param(wire_name, value))
            }

            /// Sets a param to several values; `None` omits it.
            pub(crate) fn with_list<T: $crate::wire::ToWire, Via>(
                self,
                wire_name: &'static str,
                values: impl $crate::wire::IntoParamList<T, Via>,
            ) -> Self {
                Self::from_untyped(self.untyped.set_list(::std::borrow::Cow::Borrowed(wire_name), values.into_param_list()))
            }
        }

        /// Converts to the runtime's type, which is accepted by functions that work with any client.
        impl<E> ::std::convert::From<Request<E>> for $crate::Request<E> {
            fn from(request: Request<E>) -> Self {
                Self::from_untyped(request.untyped)
            }
        }

        impl ::std::fmt::Debug for Client {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}
