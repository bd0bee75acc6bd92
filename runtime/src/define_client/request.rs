//! The type `Request<E>` of an emitted crate, without the setters of its catalogue.
//!
//! Every method only calls the runtime.

#[doc(hidden)]
#[macro_export]
macro_rules! __request {
    ($name:literal) => {
        /// A request for an endpoint, sent by `.await`.
        ///
        /// Two requests are equal if they have the same endpoint and params, in any order; timeouts, retry rules and
        /// headers are not compared.
        ///
        /// ```
        #[doc = concat!("# fn demo(client: &", $name, "::Client) {")]
        /// let request = client.raw("/ratio").query("limit", 5).query("id", "a1");
        /// assert_eq!(request.to_string(), "GET /ratio?id=a1&limit=5");
        /// assert_eq!(request, client.raw("/ratio").query("id", "a1").query("limit", 5));
        /// # }
        /// ```
        ///
        /// Some of Tokio's functions accept only a future. Convert the request with
        /// [`into_future`](::std::future::IntoFuture::into_future):
        ///
        /// ```no_run
        #[doc = concat!("# async fn demo(client: &", $name, "::Client) -> Result<(), Box<dyn std::error::Error>> {")]
        /// let task = tokio::spawn(client.raw("/ratio").into_future());
        /// let (ratio, price) = (client.raw("/ratio").into_future(), client.raw("/price").into_future());
        /// let (ratio, price) = tokio::try_join!(ratio, price)?;
        /// task.await??;
        /// # Ok(())
        /// # }
        /// ```
        #[must_use = "a request does nothing until it is awaited"]
        pub struct Request<E>($crate::Request<E>);

        impl<E: $crate::Endpoint> Request<E> {
            pub(crate) fn new(client: &Client) -> Self {
                Self($crate::Request::new(&client.0))
            }

            /// Sets a param; `None` omits it.
            pub(crate) fn with<T: $crate::wire::ToWire, Via>(
                self,
                wire_name: &'static str,
                value: impl $crate::wire::IntoParam<T, Via>,
            ) -> Self {
                Self(self.0.with::<T, Via>(wire_name, value))
            }

            /// Sets a param to several values; `None` omits it.
            pub(crate) fn with_list<T: $crate::wire::ToWire, Via>(
                self,
                wire_name: &'static str,
                values: impl $crate::wire::IntoParamList<T, Via>,
            ) -> Self {
                Self(self.0.with_list::<T, Via>(wire_name, values))
            }

            /// Sends the request like `.await`, and returns the status and headers with the body.
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

            /// Returns all records in a time range of any length.
            ///
            /// The params of the request select the series and the interval between records. The range does not include
            /// its end. Start and end can have any type that converts to a [`Timestamp`](crate::Timestamp). See
            /// [`History`](crate::history::History).
            pub fn history(
                self,
                range: ::std::ops::Range<impl ::std::convert::Into<$crate::Timestamp>>,
            ) -> $crate::history::History<E>
            where
                E: $crate::history::HasHistory,
            {
                $crate::history::History::new(self.0, range)
            }

            /// Returns the records from this time on, without an end. Each record is returned as soon as its interval
            /// is closed. See [`Follow`](crate::history::Follow).
            pub fn follow(self, from: impl ::std::convert::Into<$crate::Timestamp>) -> $crate::history::Follow<E>
            where
                E: $crate::history::HasHistory,
            {
                $crate::history::Follow::new(self.0, ::std::convert::Into::into(from))
            }
        }

        impl<E: $crate::Endpoint<Body: $crate::emitted::SeriesBody>> Request<E> {
            /// Skips records that cannot be decoded.
            ///
            /// By default, one value that does not match its field fails the entire response. With this method, only
            /// the record with that value is dropped and listed in [`Series::bad_records`]. A body that is not JSON or
            /// not a series is always an error, and so is a response with more than 1,000 bad records.
            pub fn skip_bad_records(self) -> Self {
                Self(self.0.skip_bad_records())
            }
        }

        impl<E> Request<E> {
            /// Sets a param by its wire name, including params that are not in the catalogue.
            ///
            /// A previous value is replaced; `None` omits the param. Several values can be passed as one string,
            /// separated by commas; [`query_list`](Self::query_list) uses the list format of the catalogue instead.
            pub fn query(
                self,
                name: impl ::std::convert::Into<::std::string::String>,
                value: impl $crate::wire::ToWire,
            ) -> Self {
                Self(self.0.query(name, value))
            }

            /// Sets a param to several values by its wire name, in the list format of the catalogue.
            ///
            /// The values of a param that is not in the catalogue are separated by commas.
            pub fn query_list(
                self,
                name: impl ::std::convert::Into<::std::string::String>,
                values: impl ::std::iter::IntoIterator<Item: $crate::wire::ToWire>,
            ) -> Self {
                Self(self.0.query_list(name, values))
            }

            /// Sets the timeout for the entire request; overrides the client's.
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

            /// Sets the timeout for each attempt of this request; overrides the client's.
            pub fn attempt_timeout(self, timeout: ::std::time::Duration) -> Self {
                Self(self.0.attempt_timeout(timeout))
            }

            /// Sets the maximum time of this request in the rate-limit queue; overrides the client's.
            pub fn queue_timeout(self, timeout: ::std::time::Duration) -> Self {
                Self(self.0.queue_timeout(timeout))
            }

            /// Sets the retry rules of this request; they override the client's. The retry budget remains the client's.
            pub fn retry(self, retry: $crate::Retry) -> Self {
                Self(self.0.retry(retry))
            }

            /// Sends a header with this request; it replaces the client's header of that name.
            pub fn header(self, name: impl ::std::convert::AsRef<str>, value: impl ::std::convert::AsRef<str>) -> Self {
                Self(self.0.header(name, value))
            }

            /// Returns the path and query as they are sent, relative to the base URL.
            pub fn path_and_query(&self) -> ::std::string::String {
                self.0.path_and_query()
            }

            /// Converts to the same request, with a type that does not name the endpoint. Its response is an
            /// [`AnyBody`](crate::AnyBody).
            pub fn into_dynamic(self) -> Request<$crate::Dynamic> {
                Request(self.0.into_dynamic())
            }

            /// Returns the params that are set, each with its value as sent, before encoding.
            pub fn params(&self) -> impl ::std::iter::Iterator<Item = (&str, &str)> {
                self.0.params()
            }

            /// Returns the endpoint's description in the catalogue.
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

        /// Converts to the runtime's type, which is accepted by functions that work with any client.
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

        /// Formats the request as `GET /ratio?id=a1`, for example.
        impl<E> ::std::fmt::Display for Request<E> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

/// The part of `Request` that the feature `blocking` adds. A `cfg` inside an exported macro would test the features of
/// the emitted crate. Therefore this macro has two versions, and the runtime's own feature selects one of them.
#[cfg(feature = "blocking")]
#[doc(hidden)]
#[macro_export]
macro_rules! __blocking {
    ($name:literal) => {
        /// Methods for synchronous code; they require the feature `blocking`.
        ///
        /// The calling thread waits for the response. One background thread, which a client shares with its clones,
        /// keeps connections alive between requests. Any number of threads may send at once. In an async task both
        /// methods return an error; in `spawn_blocking` they work.
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

            /// Sends the request, waits, and returns the status and headers with the body.
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
    ($name:literal) => {
        /// Calls of these methods are errors that name the feature.
        #[doc(hidden)]
        impl<E: $crate::Endpoint> Request<E> {
            pub fn send_blocking(self) -> ::std::result::Result<E::Body, $crate::Error>
            where
                E: $crate::emitted::MissingBlocking,
            {
                E::missing()
            }

            pub fn response_blocking(self) -> ::std::result::Result<$crate::Response<E::Body>, $crate::Error>
            where
                E: $crate::emitted::MissingBlocking,
            {
                E::missing()
            }
        }
    };
}
