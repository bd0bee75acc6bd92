//! The type `Series<T>` of an emitted crate.
//!
//! A series contains the decoded response, and provides it through serde, columns and iterators.

#[doc(hidden)]
#[macro_export]
macro_rules! __series {
    ($name:literal, $service:path, $metadata:path) => {
        /// A list of records, usually one per timestamp, with the service's metadata.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct Series<T> {
            /// The records, in the order of the response.
            pub data: ::std::vec::Vec<T>,
            /// The service's metadata of the series; empty if the response has none.
            pub metadata: $metadata,
            /// Fields of the envelope that are not in the catalogue.
            pub unknown_fields: $crate::record::UnknownFields,
            /// The records that could not be decoded; always empty unless the request [skips bad
            /// records](Request::skip_bad_records).
            pub bad_records: ::std::vec::Vec<$crate::BadRecord>,
            time: ::std::option::Option<$crate::emitted::TimeField>,
        }

        /// Creates a series without a request, for example in a test.
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

        impl<T: $crate::record::Item> Series<T> {
            /// Returns the time of each record; `None` for a record without a readable time.
            pub fn times(&self) -> ::std::vec::Vec<::std::option::Option<$crate::Timestamp>> {
                $crate::emitted::times(&self.data, self.time)
            }

            /// Returns one field of all records, by its wire name; `None` if the records have no such field.
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

            /// Returns the values of all records for each field. The fields are those of the catalogue, or those of the
            /// response if the catalogue has none.
            pub fn columns(&self) -> ::std::vec::Vec<$crate::Column<'_>> {
                $crate::emitted::columns(&self.data)
            }
        }

        impl<E: $crate::Endpoint<Body: $crate::emitted::SeriesBody>> Request<E> {
            /// Skips records that cannot be decoded.
            ///
            /// By default, one value that does not match its field fails the entire response. With this method, only
            /// the record with that value is dropped and listed in [`Series::bad_records`]. A body that is not JSON or
            /// not a series is always an error.
            pub fn skip_bad_records(self) -> Self {
                Self(self.0.skip_bad_records())
            }
        }

        /// Serializes the series in its envelope, as the service sends it.
        impl<T: $crate::record::Item> $crate::emitted::Serialize for Series<T> {
            fn serialize<S: $crate::emitted::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::emitted::serialize_series(&self.data, &self.metadata, &self.unknown_fields, serializer)
            }
        }

        /// Deserializes a series as the service sends it, from any self-describing format. In a deserialized series,
        /// [`times`](Series::times) does not find a time field that only some endpoints have.
        impl<'de, T: $crate::record::Item> $crate::emitted::Deserialize<'de> for Series<T> {
            fn deserialize<D: $crate::emitted::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::emitted::deserialize_body(deserializer)
            }
        }

        /// Compares records and metadata, but not the endpoint.
        impl<T: ::std::cmp::PartialEq> ::std::cmp::PartialEq for Series<T> {
            fn eq(&self, other: &Self) -> bool {
                self.data == other.data
                    && self.metadata == other.metadata
                    && self.unknown_fields == other.unknown_fields
                    && self.bad_records == other.bad_records
            }
        }

        impl<T> Series<T> {
            /// Returns the number of records.
            pub fn len(&self) -> usize {
                self.data.len()
            }

            /// Returns whether there are no records.
            pub fn is_empty(&self) -> bool {
                self.data.is_empty()
            }

            /// Returns an error if the service reports in the metadata that it omitted some of the requested data, such
            /// as exchanges that the endpoint does not support.
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

            /// Returns the records, in the order of the response.
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

        impl<T: $crate::record::Item> $crate::emitted::Sealed for Series<T> {}

        impl<T: $crate::record::Item> $crate::emitted::SeriesBody for Series<T> {
            type Item = T;

            fn read_records(
                response: ::std::result::Result<
                    ::std::boxed::Box<$crate::emitted::UndecodedResponse>,
                    $crate::Error,
                >,
            ) -> ::std::result::Result<$crate::emitted::TimedRecords<::std::vec::Vec<T>>, $crate::Error> {
                $crate::emitted::read_records::<T, $metadata>(response)
            }
        }

        impl<T: $crate::record::Item> $crate::Body for Series<T> {
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
                // This function is compiled for every endpoint, and a `match` needs less code than `?`.
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
