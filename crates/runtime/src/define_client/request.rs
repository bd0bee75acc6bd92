//! The type `Request<E>` of the runtime and of each emitted crate, without the setters of a catalogue.
//!
//! Every method only calls the runtime. The types are equal, but a crate can add setters only to its own type.

#[doc(hidden)]
#[macro_export]
macro_rules! __request {
    ($name:literal, $client:literal) => {
        /// A request for an endpoint, sent by `.await`.
        ///
        /// Two requests are equal if they have the same endpoint and params, in any order; timeouts, retry rules and
        /// headers are not compared.
        ///
        /// ```
        #[doc = concat!("# fn demo(client: &", $name, "::", $client, ") {")]
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
        #[doc = concat!("# async fn demo(client: &", $name, "::", $client, ") -> Result<(), Box<dyn std::error::Error>> {")]
        /// let task = tokio::spawn(client.raw("/ratio").into_future());
        /// let (ratio, price) = (client.raw("/ratio").into_future(), client.raw("/price").into_future());
        /// let (ratio, price) = tokio::try_join!(ratio, price)?;
        /// task.await??;
        /// # Ok(())
        /// # }
        /// ```
        #[must_use = "a request does nothing until it is awaited"]
        pub struct Request<E> {
            pub(crate) untyped: $crate::emitted::Untyped,
            endpoint: ::std::marker::PhantomData<fn() -> E>,
        }

        impl<E: $crate::Endpoint> Request<E> {
            /// Sends the request like `.await`, and returns the status and headers with the body. The records of a
            /// series are in `response.body`: `for record in &response.body`.
            ///
            /// ```no_run
            #[doc = concat!("# async fn demo(client: &", $name, "::", $client, ") -> Result<(), ", $name, "::Error> {")]
            /// let response = client.raw("/health").response().await?;
            /// println!("{} {:?}", response.status, response.headers.get("x-request-id"));
            /// println!("{}", response.body);
            /// # Ok(())
            /// # }
            /// ```
            pub async fn response(self) -> ::std::result::Result<$crate::Response<E::Body>, $crate::Error> {
                self.untyped.response().await
            }

            /// Returns all records in a time range of any length.
            ///
            /// The params of the request select the series and the interval between records. The range does not include
            /// its end. Start and end can have any type that converts to a [`Timestamp`](crate::Timestamp) without an error.
            /// A text has to be parsed first, as a date or a time in UTC:
            ///
            /// ```no_run
            #[doc = concat!("# use ", $name, "::{Dynamic, Request, Timestamp};")]
            /// # async fn demo(request: Request<Dynamic>) -> Result<(), Box<dyn std::error::Error>> {
            /// let start: Timestamp = "2025-01-01".parse()?; // or "2025-01-01T00:00:00Z"
            /// let end = Timestamp::from_unix_seconds(1_738_368_000);
            /// let all = request.clone().history(start..end).await?; // in memory
            /// println!("{} records, {} gaps", all.len(), all.report.gaps.len());
            /// let mut records = request.history(start..end).records(); // one by one
            /// while let Some(record) = records.next().await {
            ///     println!("{:?}", record?);
            /// }
            /// # Ok(())
            /// # }
            /// ```
            ///
            /// See [`History`](crate::history::History).
            pub fn history(
                self,
                range: ::std::ops::Range<impl $crate::history::IntoTimestamp>,
            ) -> $crate::history::History<E>
            where
                E: $crate::history::HasHistory,
            {
                $crate::history::History::new($crate::Request::from_untyped(self.untyped), range)
            }

            /// Returns the records of the last `time`, and then without an end those that follow: a history and its
            /// continuation in one stream, with one checkpoint. See [`Follow`](crate::history::Follow).
            ///
            /// ```no_run
            #[doc = concat!("# use ", $name, "::{Dynamic, Request, history::Checkpoint};")]
            /// # async fn demo(request: Request<Dynamic>, saved: Option<Checkpoint>) -> Result<(), Box<dyn std::error::Error>> {
            /// use std::time::Duration;
            ///
            /// // `saved` is the checkpoint of the last run, and `None` in the first run.
            /// let mut follow = request.follow_last(Duration::from_secs(90 * 86_400)).resume_if_saved(saved);
            /// loop {
            ///     let update = follow.next().await?;
            ///     // Store `update.records()`, and then `follow.checkpoint()`.
            ///     println!("{} records", update.records().len());
            /// }
            /// # }
            /// ```
            pub fn follow_last(self, time: ::std::time::Duration) -> $crate::history::Follow<E>
            where
                E: $crate::history::HasHistory,
            {
                let from = self.service_time() - time;
                self.follow(from)
            }

            /// Returns the records from this time on, without an end. Each record is returned as soon as its interval
            /// is closed. See [`Follow`](crate::history::Follow).
            pub fn follow(self, from: impl $crate::history::IntoTimestamp) -> $crate::history::Follow<E>
            where
                E: $crate::history::HasHistory,
            {
                $crate::history::Follow::new($crate::Request::from_untyped(self.untyped), ::std::convert::Into::into(from))
            }
        }

        impl<E: $crate::Endpoint<Body: $crate::emitted::SeriesBody>> Request<E> {
            /// Skips records that cannot be decoded.
            ///
            /// By default, one value that does not match its field fails the entire response. With this method, only
            /// the record with that value is dropped and listed in `Series::bad_records`. A body that is not JSON or
            /// not a series is always an error, and so is a response with more than 1,000 bad records.
            pub fn skip_bad_records(self) -> Self {
                Self::from_untyped(self.untyped.skip_bad_records())
            }

            /// Returns all pages of the response, one after the other, if the service divides the records into pages.
            /// The pages begin with that of the request. See [`AllPages`](crate::AllPages).
            ///
            /// ```no_run
            #[doc = concat!("# use ", $name, "::{AnyBody, Dynamic, Request};")]
            #[doc = concat!("# async fn demo(request: Request<Dynamic>) -> Result<(), ", $name, "::Error> {")]
            /// let mut pages = request.all_pages();
            /// while let Some(page) = pages.next().await {
            ///     if let AnyBody::Series(records) = page? {
            ///         println!("{} records", records.len());
            ///     }
            /// }
            /// println!("{} records on {} pages", pages.account().records, pages.account().pages);
            /// # Ok(())
            /// # }
            /// ```
            pub fn all_pages(self) -> $crate::AllPages<E> {
                $crate::AllPages::new($crate::Request::from_untyped(self.untyped))
            }
        }

        impl<E> Request<E> {
            /// Returns the time of the service, as estimated from the responses of the client so far; see
            /// `Client::service_time`.
            pub fn service_time(&self) -> $crate::Timestamp {
                self.untyped.service_time()
            }

            #[doc(hidden)]
            pub fn is_service_time_confirmed(&self) -> bool {
                self.untyped.is_service_time_confirmed()
            }

            #[doc(hidden)]
            pub fn from_untyped(untyped: $crate::emitted::Untyped) -> Self {
                Self { untyped, endpoint: ::std::marker::PhantomData }
            }

            /// Sets a param by its wire name, including params that are not in the catalogue.
            ///
            /// A previous value is replaced; `None` omits the param. Several values can be passed as one string,
            /// separated by commas; [`query_list`](Self::query_list) uses the list format of the catalogue instead.
            pub fn query(
                self,
                name: impl ::std::convert::Into<::std::string::String>,
                value: impl $crate::wire::ToWire,
            ) -> Self {
                Self::from_untyped(self.untyped.set_value(::std::borrow::Cow::Owned(name.into()), &value))
            }

            /// Sets a param to several values by its wire name, in the list format of the catalogue.
            ///
            /// The values of a param that is not in the catalogue are separated by commas.
            pub fn query_list(
                self,
                name: impl ::std::convert::Into<::std::string::String>,
                values: impl ::std::iter::IntoIterator<Item: $crate::wire::ToWire>,
            ) -> Self {
                Self::from_untyped(self.untyped.set_list(::std::borrow::Cow::Owned(name.into()), ::std::option::Option::Some(values)))
            }

            /// Sets the timeout for the entire request; overrides the client's.
            ///
            /// ```no_run
            #[doc = concat!("# async fn demo(client: &", $name, "::", $client, ") -> Result<(), ", $name, "::Error> {")]
            /// # use std::time::Duration;
            #[doc = concat!("use ", $name, "::Retry;")]
            ///
            /// let request = client.raw("/health").timeout(Duration::from_secs(5)).retry(Retry::none());
            /// let health = request.header("x-request-id", "7").await?;
            /// # Ok(())
            /// # }
            /// ```
            pub fn timeout(self, timeout: ::std::time::Duration) -> Self {
                Self::from_untyped(self.untyped.set_policy(|policy| policy.timeout = timeout))
            }

            /// Sets the timeout for each attempt of this request; overrides the client's.
            pub fn attempt_timeout(self, timeout: ::std::time::Duration) -> Self {
                Self::from_untyped(self.untyped.set_policy(|policy| policy.attempt_timeout = timeout))
            }

            /// Sets the maximum time of this request in the rate-limit queue; overrides the client's.
            pub fn queue_timeout(self, timeout: ::std::time::Duration) -> Self {
                Self::from_untyped(self.untyped.set_policy(|policy| policy.queue_timeout = ::std::option::Option::Some(timeout)))
            }

            /// Sets the retry rules of this request; they override the client's. The retry budget remains the client's.
            pub fn retry(self, retry: $crate::Retry) -> Self {
                Self::from_untyped(self.untyped.set_policy(|policy| policy.retry = retry))
            }

            /// Sends a header with this request; it replaces the client's header of that name.
            pub fn header(self, name: impl ::std::convert::AsRef<str>, value: impl ::std::convert::AsRef<str>) -> Self {
                Self::from_untyped(self.untyped.header(name.as_ref(), value.as_ref()))
            }

            /// Returns the path and query as they are sent, relative to the base URL.
            pub fn path_and_query(&self) -> ::std::string::String {
                self.untyped.path_and_query()
            }

            /// Converts to the same request, with a type that does not name the endpoint. Its response is an
            /// [`AnyBody`](crate::AnyBody).
            pub fn into_dynamic(self) -> Request<$crate::Dynamic> {
                Request::from_untyped(self.untyped)
            }

            /// Returns the params that are set, each with its value as sent, before encoding.
            pub fn params(&self) -> impl ::std::iter::Iterator<Item = (&str, &str)> {
                self.untyped.params()
            }

            /// Returns the endpoint's description in the catalogue.
            pub fn endpoint(&self) -> &'static $crate::registry::EndpointInfo {
                self.untyped.endpoint()
            }
        }

        /// Methods for synchronous code; they require the feature `blocking`.
        ///
        /// The calling thread waits for the response. One background thread, which a client shares with its clones,
        /// keeps connections alive between requests. Any number of threads may send at once. In an async task both
        /// methods return an error; in `spawn_blocking` they work.
        impl<E: $crate::Endpoint> Request<E> {
            /// Sends the request and waits for the body.
            ///
            /// ```no_run
            /// # #[cfg(feature = "blocking")]
            #[doc = concat!("# fn demo(client: &", $name, "::", $client, ") -> Result<(), ", $name, "::Error> {")]
            /// let health = client.raw("/health").send_blocking()?;
            /// # Ok(())
            /// # }
            /// ```
            pub fn send_blocking(self) -> ::std::result::Result<E::Body, $crate::Error>
            where
                E: $crate::emitted::BlockingFeature,
            {
                <E::Body as $crate::Body>::read(self.untyped.send_blocking())
            }

            /// Sends the request, waits, and returns the status and headers with the body.
            pub fn response_blocking(self) -> ::std::result::Result<$crate::Response<E::Body>, $crate::Error>
            where
                E: $crate::emitted::BlockingFeature,
            {
                self.untyped.send_blocking()?.into_response()
            }
        }

        impl<E: $crate::Endpoint> ::std::future::IntoFuture for Request<E> {
            type Output = ::std::result::Result<E::Body, $crate::Error>;
            type IntoFuture = $crate::ResponseFuture<E::Body>;

            fn into_future(self) -> Self::IntoFuture {
                $crate::ResponseFuture::of(self.untyped)
            }
        }

        impl<E> ::std::clone::Clone for Request<E> {
            fn clone(&self) -> Self {
                Self::from_untyped(::std::clone::Clone::clone(&self.untyped))
            }
        }

        impl<E> ::std::cmp::PartialEq for Request<E> {
            fn eq(&self, other: &Self) -> bool {
                self.untyped == other.untyped
            }
        }

        impl<E> ::std::cmp::Eq for Request<E> {}

        impl<E> ::std::hash::Hash for Request<E> {
            fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {
                ::std::hash::Hash::hash(&self.untyped, state);
            }
        }

        impl<E> ::std::fmt::Debug for Request<E> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&self.untyped, f)
            }
        }

        /// Formats the request as `GET /ratio?id=a1`, for example.
        impl<E> ::std::fmt::Display for Request<E> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.untyped, f)
            }
        }
    };
}
