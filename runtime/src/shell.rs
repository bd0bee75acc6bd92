//! The types that users of an emitted crate name: `Client`, `Request` and `Series`, around what is compiled here.
//!
//! An emitted crate has them as its own, so that its groups and setters are methods which users find without importing
//! a trait. They are written once, below, and hold no behaviour: each method calls the runtime.

/// Defines `Client`, `Request<E>` and `Series<T>` in the crate that calls it.
///
/// `crate` is the crate's name in Rust, for the programs in its docs; `env` what its variables begin with, for the docs
/// too; `service` what the catalogue says of the service, a static [`ServiceInfo`](crate::registry::ServiceInfo);
/// `metadata` the record of what a service says about a series.
#[macro_export]
macro_rules! shell {
    (crate $name:literal, env $env:literal, service $service:path, metadata $metadata:path) => {
        $crate::__client!($name, $env, $service);
        $crate::__request!($name);
        $crate::__series!($name, $service, $metadata);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __client {
    ($name:literal, $env:literal, $service:path) => {
        /// Access to the service.
        ///
        /// Cloning is cheap, and clones share their connections, their token and their
        /// place within the service's limits.
        /// Requests can be made from any thread and side by side; they are sent inside a Tokio runtime, or
        /// without one by the feature `blocking`.
        #[derive(Clone)]
        pub struct Client($crate::emitted::Core);

        impl Client {
            /// Begins a client for the service at `base_url`, which is always yours to give.
            pub fn builder(base_url: impl ::std::convert::Into<::std::string::String>) -> $crate::Builder<Self> {
                $crate::Builder::new(base_url.into())
            }

            /// A client with the settings that stand in the environment.
            ///
            /// | variable | meaning |
            /// |---|---|
            #[doc = concat!("| `", $env, "_BASE_URL` | where the service is; required |")]
            #[doc = concat!("| `", $env, "_API_KEY` | the API key; required if the service takes one |")]
            #[doc = concat!("| `", $env, "_CLIENT_ID`, `", $env, "_CLIENT_SECRET` | turn the token flow on; both or neither |")]
            pub fn from_env() -> ::std::result::Result<Self, $crate::Error> {
                $crate::Builder::from_env()?.build()
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
            /// Its params are set by their names on the wire, with [`Request::query`], and are checked as those of a
            /// method are. What comes back has the same values as there, by their names:
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
            pub fn endpoint(&self, endpoint: &'static $crate::registry::EndpointInfo) -> Request<$crate::Listed> {
                Request($crate::Request::listed(&self.0, endpoint))
            }
        }

        impl $crate::emitted::Shell for Client {
            const SERVICE: &'static $crate::registry::ServiceInfo = &$service;
            const AGENT: &'static str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

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

#[doc(hidden)]
#[macro_export]
macro_rules! __request {
    ($name:literal) => {
        /// A request for an endpoint, sent by `.await`.
        ///
        /// Two requests are equal if they ask for the same, in whatever order their params were set, and whatever
        /// times, rules and headers they have of their own.
        ///
        /// ```
        #[doc = concat!("# fn demo(client: &", $name, "::Client) {")]
        /// let request = client.raw("/ratio").query("limit", 5).query("coin", "BTC");
        /// assert_eq!(request.to_string(), "GET /ratio?coin=BTC&limit=5");
        /// assert_eq!(request, client.raw("/ratio").query("coin", "BTC").query("limit", 5));
        /// # }
        /// ```
        ///
        /// Some of Tokio's functions take nothing but a future, which a request becomes with
        /// [`into_future`](::std::future::IntoFuture::into_future):
        ///
        /// ```no_run
        #[doc = concat!("# async fn demo(client: &", $name, "::Client) -> Result<(), Box<dyn std::error::Error>> {")]
        /// let task = tokio::spawn(client.raw("/ratio").into_future()); let (ratio, price) =
        /// tokio::try_join!(client.raw("/ratio").into_future(), client.raw("/price").into_future())?; task.await??;
        /// # Ok(())
        /// # }
        /// ```
        #[must_use = "a request does nothing until it is awaited"]
        pub struct Request<E>($crate::Request<E>);

        impl<E: $crate::Endpoint> Request<E> {
            pub(crate) fn new(client: &Client) -> Self {
                Self($crate::Request::new(&client.0))
            }

            /// Sets a param, or leaves it out.
            pub(crate) fn with<T: $crate::wire::ToWire, Via>(
                self,
                wire_name: &'static str,
                value: impl $crate::wire::IntoParam<T, Via>,
            ) -> Self {
                Self(self.0.with::<T, Via>(wire_name, value))
            }

            /// Sets a param whose type leaves no choice, or leaves it out.
            pub(crate) fn with_exact<T: $crate::wire::ToWire>(
                self,
                wire_name: &'static str,
                value: impl ::std::convert::Into<::std::option::Option<T>>,
            ) -> Self {
                Self(self.0.with_exact::<T>(wire_name, value))
            }

            /// Sets a param to several values, or leaves it out.
            pub(crate) fn with_list<T: $crate::wire::ToWire, Via>(
                self,
                wire_name: &'static str,
                values: impl $crate::wire::IntoParamList<T, Via>,
            ) -> Self {
                Self(self.0.with_list::<T, Via>(wire_name, values))
            }

            /// Sends the request like `.await`, and brings back status and headers beside the body.
            ///
            /// ```no_run
            #[doc = concat!("# async fn demo(client: &", $name, "::Client) -> Result<(), ", $name, "::Error> {")]
            /// let response = client.raw("/health").response().await?;
            /// println!("{} {:?}", response.status, response.headers.get("x-request-id"));
            /// println!("{}", response.body);
            /// # Ok(())
            /// # }
            /// ```
            pub async fn response(self) -> ::std::result::Result<$crate::Response<E::Body>, $crate::Error> {
                self.0.response().await
            }
        }

        impl<E: $crate::Endpoint> Request<E> {
            /// Everything in a range of time, however many records that is.
            ///
            /// The request says what is asked for and how far apart records are; the range is of anything that becomes
            /// a [`Timestamp`](crate::Timestamp), without its end. See [`History`](crate::history::History).
            pub fn history(
                self,
                range: ::std::ops::Range<impl ::std::convert::Into<$crate::Timestamp>>,
            ) -> $crate::history::History<E>
            where
                E: $crate::history::HasHistory,
            {
                $crate::history::History::new(self.0, range)
            }

            /// The records from a point in time on, each interval once it is over. See
            /// [`Follow`](crate::history::Follow).
            pub fn follow(self, from: impl ::std::convert::Into<$crate::Timestamp>) -> $crate::history::Follow<E>
            where
                E: $crate::history::HasHistory,
            {
                $crate::history::Follow::new(self.0, ::std::convert::Into::into(from))
            }
        }

        impl<E> Request<E> {
            /// Sets a param by its name on the wire, also one that the catalogue does not know.
            ///
            /// A param that was set before is replaced; `None` leaves it out. Several values are one text with commas,
            /// also where the catalogue knows of one.
            pub fn query(
                self,
                name: impl ::std::convert::Into<::std::string::String>,
                value: impl $crate::wire::ToWire,
            ) -> Self {
                Self(self.0.query(name, value))
            }

            /// Sets a param to several values by its name on the wire, written as the catalogue says.
            ///
            /// Of a param that the catalogue does not know they stand with commas between them.
            pub fn query_list(
                self,
                name: impl ::std::convert::Into<::std::string::String>,
                values: impl ::std::iter::IntoIterator<Item: $crate::wire::ToWire>,
            ) -> Self {
                Self(self.0.query_list(name, values))
            }

            /// The time for this request as a whole, in place of the client's total timeout.
            ///
            /// ```no_run
            #[doc = concat!("# async fn demo(client: &", $name, "::Client) -> Result<(), ", $name, "::Error> {")]
            /// # use std::time::Duration;
            #[doc = concat!("use ", $name, "::Retry;")]
            ///
            /// let request = client.raw("/health").timeout(Duration::from_secs(5)).retry(Retry::none());
            /// let health = request.header("x-request-id", "7").await?;
            /// # Ok(())
            /// # }
            /// ```
            pub fn timeout(self, timeout: ::std::time::Duration) -> Self {
                Self(self.0.timeout(timeout))
            }

            /// The time for each attempt of this request, in place of the client's.
            pub fn attempt_timeout(self, timeout: ::std::time::Duration) -> Self {
                Self(self.0.attempt_timeout(timeout))
            }

            /// The time that this request may wait for its turn at the gate, in place of the client's.
            pub fn gate_timeout(self, timeout: ::std::time::Duration) -> Self {
                Self(self.0.gate_timeout(timeout))
            }

            /// When this request is sent again, in place of the client's rules. The budget stays the client's.
            pub fn retry(self, retry: $crate::Retry) -> Self {
                Self(self.0.retry(retry))
            }

            /// Sends a header along, in place of the client's of that name.
            pub fn header(self, name: impl ::std::convert::AsRef<str>, value: impl ::std::convert::AsRef<str>) -> Self {
                Self(self.0.header(name, value))
            }

            /// What is sent, from the base URL on.
            pub fn path_and_query(&self) -> ::std::string::String {
                self.0.path_and_query()
            }

            /// The same request as one whose endpoint is known to the registry alone.
            pub fn into_listed(self) -> Request<$crate::Listed> {
                Request(self.0.into_listed())
            }

            /// The params that are set, each with its value as it is sent, not yet encoded.
            pub fn params(&self) -> impl ::std::iter::Iterator<Item = (&str, &str)> {
                self.0.params()
            }

            /// The endpoint, as the catalogue describes it.
            pub fn endpoint(&self) -> &'static $crate::registry::EndpointInfo {
                self.0.endpoint()
            }
        }

        $crate::__blocking!($name);

        impl<E: $crate::Endpoint> ::std::future::IntoFuture for Request<E> {
            type Output = ::std::result::Result<E::Body, $crate::Error>;
            type IntoFuture = $crate::ResponseFuture<E::Body>;

            fn into_future(self) -> Self::IntoFuture {
                ::std::future::IntoFuture::into_future(self.0)
            }
        }

        /// Functions of the runtime, which serve any client, take this type.
        impl<E> ::std::convert::From<Request<E>> for $crate::Request<E> {
            fn from(request: Request<E>) -> Self {
                request.0
            }
        }

        impl<E> ::std::clone::Clone for Request<E> {
            fn clone(&self) -> Self {
                Self(::std::clone::Clone::clone(&self.0))
            }
        }

        impl<E> ::std::cmp::PartialEq for Request<E> {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl<E> ::std::cmp::Eq for Request<E> {}

        impl<E> ::std::hash::Hash for Request<E> {
            fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {
                ::std::hash::Hash::hash(&self.0, state);
            }
        }

        impl<E> ::std::fmt::Debug for Request<E> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&self.0, f)
            }
        }

        /// `GET /ratio?coin=BTC`.
        impl<E> ::std::fmt::Display for Request<E> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

/// The part of `Request` that the feature `blocking` adds. A `cfg` in an exported macro asks for the features of the
/// emitted crate, so it is this macro that the runtime's own feature chooses.
#[cfg(feature = "blocking")]
#[doc(hidden)]
#[macro_export]
macro_rules! __blocking {
    ($name:literal) => {
        /// For callers who do not await; with the feature `blocking`.
        ///
        /// The calling thread waits for the reply; one thread per client and its clones keeps connections alive
        /// between requests. Any number of threads may ask at once. Inside an async runtime both refuse.
        impl<E: $crate::Endpoint> Request<E> {
            /// Sends the request and waits for the body.
            ///
            /// ```no_run
            #[doc = concat!("# fn demo(client: &", $name, "::Client) -> Result<(), ", $name, "::Error> {")]
            /// let health = client.raw("/health").send_blocking()?;
            /// # Ok(())
            /// # }
            /// ```
            pub fn send_blocking(self) -> ::std::result::Result<E::Body, $crate::Error> {
                self.0.send_blocking()
            }

            /// Sends the request, waits, and brings back status and headers beside the body.
            pub fn response_blocking(self) -> ::std::result::Result<$crate::Response<E::Body>, $crate::Error> {
                self.0.response_blocking()
            }
        }
    };
}

#[cfg(not(feature = "blocking"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __blocking {
    ($name:literal) => {};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __series {
    ($name:literal, $service:path, $metadata:path) => {
        /// A list of records, usually one a point in time, with what the service says about it.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct Series<T> {
            /// The records, in the order in which they came.
            pub data: ::std::vec::Vec<T>,
            /// What the service says about the series; without values if it says nothing.
            pub metadata: $metadata,
            /// Fields of the envelope that the catalogue does not know.
            pub unknown_fields: $crate::UnknownFields,
            /// The records that were left out because they are not as expected; none unless the request was to
            /// [`skip_bad_records`](Request::skip_bad_records).
            pub bad_records: ::std::vec::Vec<$crate::BadRecord>,
            time: ::std::option::Option<$crate::emitted::TimeField>,
        }

        /// A series that came of no request, as in a test.
        ///
        /// ```
        #[doc = concat!("# use ", $name, "::{Series, Value};")]
        /// let series: Series<Value> = vec![Value::from(1), Value::from(2)].into();
        /// assert_eq!(series.len(), 2);
        /// ```
        impl<T> ::std::convert::From<::std::vec::Vec<T>> for Series<T> {
            fn from(data: ::std::vec::Vec<T>) -> Self {
                Self {
                    data,
                    metadata: ::std::default::Default::default(),
                    unknown_fields: ::std::default::Default::default(),
                    bad_records: ::std::vec::Vec::new(),
                    time: $crate::emitted::time_field::<$metadata>(),
                }
            }
        }

        impl<T: $crate::Item> Series<T> {
            /// The time of each record; `None` for one that has none that can be read.
            pub fn times(&self) -> ::std::vec::Vec<::std::option::Option<$crate::Timestamp>> {
                $crate::emitted::times(&self.data, self.time)
            }

            /// One field of all records, by its name on the wire; `None` where the records have no such field.
            ///
            /// ```
            #[doc = concat!("# use ", $name, "::{Series, Value};")]
            /// # fn demo() -> Option<()> {
            /// # let records = [r#"{"ratio": 0.25}"#, r#"{"ratio": null}"#].map(|text| text.parse::<Value>());
            /// # let series = Series::from(records.into_iter().flatten().collect::<Vec<_>>());
            /// let ratios: Vec<_> = series.column("ratio")?.numbers().collect();
            /// assert_eq!(ratios, [Some(0.25), None]);
            /// # Some(())
            /// # }
            /// # demo().unwrap();
            /// ```
            pub fn column(&self, wire_name: &str) -> ::std::option::Option<$crate::Column<'_>> {
                $crate::emitted::column(&self.data, wire_name)
            }

            /// Every field of the records, each with the values of all: those of the catalogue, or where the fields
            /// are unknown, those that came.
            pub fn columns(&self) -> ::std::vec::Vec<$crate::Column<'_>> {
                $crate::emitted::columns(&self.data)
            }
        }

        impl<E: $crate::Endpoint<Body: $crate::emitted::SeriesBody>> Request<E> {
            /// Asks for the good records alone.
            ///
            /// Otherwise one value that does not fit its field makes the whole reply an error. With this the record
            /// that has it is left out and listed in [`Series::bad_records`]. A body that is no JSON, or no series,
            /// is an error either way.
            pub fn skip_bad_records(self) -> Self {
                Self(self.0.skip_bad_records())
            }
        }

        /// As on the wire, in its envelope.
        impl<T: $crate::Item> $crate::emitted::Serialize for Series<T> {
            fn serialize<S: $crate::emitted::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::emitted::serialize_series(&self.data, &self.metadata, &self.unknown_fields, serializer)
            }
        }

        impl<T> Series<T> {
            /// How many records there are.
            pub fn len(&self) -> usize {
                self.data.len()
            }

            /// Whether there is none.
            pub fn is_empty(&self) -> bool {
                self.data.is_empty()
            }

            /// Fails if the service says that it left out some of what was asked for: venues that the endpoint does
            /// not cover, say. What it left out stands in the metadata.
            ///
            /// ```no_run
            #[doc = concat!("# async fn demo(series: ", $name, "::Series<", $name, "::Value>) -> Result<(), ", $name, "::Error> {")]
            /// series.require_complete()?;
            /// # Ok(())
            /// # }
            /// ```
            pub fn require_complete(&self) -> ::std::result::Result<(), $crate::Error> {
                $crate::emitted::require_complete(&self.metadata.unsupported())
            }

            /// The records, one after the other.
            pub fn iter(&self) -> ::std::slice::Iter<'_, T> {
                self.data.iter()
            }
        }

        impl<T> ::std::iter::IntoIterator for Series<T> {
            type Item = T;
            type IntoIter = ::std::vec::IntoIter<T>;

            fn into_iter(self) -> Self::IntoIter {
                self.data.into_iter()
            }
        }

        impl<'s, T> ::std::iter::IntoIterator for &'s Series<T> {
            type Item = &'s T;
            type IntoIter = ::std::slice::Iter<'s, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        impl $crate::emitted::MetadataRecord for $metadata {
            const SERVICE: &'static $crate::registry::ServiceInfo = &$service;

            fn unsupported(&self) -> ::std::vec::Vec<::std::string::String> {
                <$metadata>::unsupported(self)
            }
        }

        impl<T: $crate::Item> $crate::emitted::Sealed for Series<T> {}

        impl<T: $crate::Item> $crate::emitted::SeriesBody for Series<T> {
            type Item = T;

            fn read_records(
                response: ::std::result::Result<
                    ::std::boxed::Box<$crate::emitted::UndecodedResponse>,
                    $crate::Error,
                >,
            ) -> ::std::result::Result<$crate::emitted::TimedRecords<T>, $crate::Error> {
                $crate::emitted::read_records::<T, $metadata>(response)
            }
        }

        impl<T: $crate::Item> $crate::Body for Series<T> {
            fn decode(text: &str) -> ::std::result::Result<Self, $crate::DecodeError> {
                let mut data: ::std::vec::Vec<T> = ::std::vec::Vec::new();
                let rest = $crate::emitted::decode_series::<$metadata>(text, T::INFO, &mut data)?;
                ::std::result::Result::Ok(Self {
                    data,
                    metadata: rest.metadata,
                    unknown_fields: rest.unknown_fields,
                    bad_records: rest.bad_records,
                    time: rest.time,
                })
            }

            fn read(
                response: ::std::result::Result<
                    ::std::boxed::Box<$crate::emitted::UndecodedResponse>,
                    $crate::Error,
                >,
            ) -> ::std::result::Result<Self, $crate::Error> {
                let mut data: ::std::vec::Vec<T> = ::std::vec::Vec::new();
                // Compiled for every endpoint, and this is less of it than a `?`.
                match $crate::emitted::read_series::<$metadata>(response, T::INFO, &mut data) {
                    ::std::result::Result::Ok(rest) => ::std::result::Result::Ok(Self {
                        data,
                        metadata: rest.metadata,
                        unknown_fields: rest.unknown_fields,
                        bad_records: rest.bad_records,
                        time: rest.time,
                    }),
                    ::std::result::Result::Err(error) => ::std::result::Result::Err(error),
                }
            }
        }
    };
}

/// Gives the requests of an endpoint these setters.
#[doc(hidden)]
#[macro_export]
macro_rules! takes {
    ($endpoint:ident => $($takes:path),+) => {
        $(impl $takes for $endpoint {})+
    };
}

/// Defines the types that stand for endpoints, by the methods of their group's handle.
#[doc(hidden)]
#[macro_export]
macro_rules! markers {
    ($group:ident: $($marker:ident $method:ident),+) => {$(
        #[doc = ::std::concat!("The endpoint of [`", ::std::stringify!($group), "::", ::std::stringify!($method), "`].")]
        // It has no values, so nothing is derived; for 130 endpoints derives would cost build time.
        #[allow(missing_debug_implementations)]
        pub enum $marker {}

        impl $crate::emitted::Marker for $marker {}
    )+};
}
