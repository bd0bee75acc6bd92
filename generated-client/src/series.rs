//! What comes back: a series of records, one record, or anything.
//!
//! [`Body`] turns the text of a reply into the type that an endpoint promises.
//! The generic part is a few lines around the decoder, which is compiled once.

use crate::decode::{self, Around, DecodeError};
use crate::error::{Error, ErrorKind};
use crate::excerpt::excerpt;
use crate::record::{Record, Row, UnknownFields};
use crate::registry::RecordInfo;
use crate::send::{self, Sent};
use crate::{Metadata, Value};

/// At most so many bytes of a name are quoted.
const LONGEST_NAME: usize = 60;

/// A list of records, usually one a point in time, with what the service says about it.
///
/// ```
/// use generated_client::{Body, Series, Value};
///
/// let series = Series::<Value>::decode(r#"{"data": [{"openDate": 1700000000}]}"#)?;
/// assert_eq!(series.data[0]["openDate"], 1_700_000_000);
/// # Ok::<(), generated_client::DecodeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Series<T> {
    /// The records, in the order in which they came.
    pub data: Vec<T>,
    /// What the service says about the series; without values if it says nothing.
    pub metadata: Metadata,
    /// Fields of the envelope that the catalogue does not know.
    pub unknown_fields: UnknownFields,
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

    /// Fails if the service says that it left out some of what was asked for, as
    /// [`Metadata::unsupported`] lists it: venues that the endpoint does not cover, say.
    ///
    /// ```no_run
    /// # async fn demo(client: &generated_client::Client) -> Result<(), generated_client::Error> {
    /// let ratio = client.orderflow().volume_ratio().coin("BTC").await?;
    /// ratio.require_complete()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn require_complete(&self) -> Result<(), Error> {
        let unsupported = self.metadata.unsupported();
        if unsupported.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = unsupported.iter().map(|name| format!("{:?}", excerpt(name, LONGEST_NAME))).collect();
        Err(Error::new(ErrorKind::Incomplete, format!("the reply leaves out {}", names.join(", ")))
            .with_hint("the endpoint does not cover it; the rest of the reply is good"))
    }

    /// The records, one after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.data.iter()
    }
}

impl<T> IntoIterator for Series<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.data.into_iter()
    }
}

impl<'s, T> IntoIterator for &'s Series<T> {
    type Item = &'s T;
    type IntoIter = std::slice::Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What an endpoint is answered with: a [`Series`], a [`Record`], or any [`Value`].
pub trait Body: Sized + Send + 'static {
    /// Reads the whole of a JSON text, as it came from the service or was kept from it.
    ///
    /// A known field that stands twice in one object is refused, since nobody can tell which is meant. Where the
    /// fields are unknown, as in a [`Value`], the later counts.
    fn decode(text: &str) -> Result<Self, DecodeError>;

    /// Reads what a request was answered with.
    #[doc(hidden)]
    fn read(sent: Sent) -> Result<Self, Error> {
        send::read(sent)
    }
}

impl<T: Item> Body for Series<T> {
    fn decode(text: &str) -> Result<Self, DecodeError> {
        let mut data: Vec<T> = Vec::new();
        let Around { metadata, unknown_fields } = decode::series(text, T::INFO, &mut data)?;
        Ok(Self { data, metadata, unknown_fields })
    }

    fn read(sent: Sent) -> Result<Self, Error> {
        let mut data: Vec<T> = Vec::new();
        // Compiled for every endpoint, and this is less of it than a `?`.
        match send::read_series(sent, T::INFO, &mut data) {
            Ok(Around { metadata, unknown_fields }) => Ok(Self { data, metadata, unknown_fields }),
            Err(error) => Err(error),
        }
    }
}

impl<T: Record + Send + 'static> Body for T {
    fn decode(text: &str) -> Result<Self, DecodeError> {
        let mut row = decode::object(text, T::INFO)?;
        row.record().map_err(|error| DecodeError::misfit(&error))
    }
}

impl Body for Value {
    fn decode(text: &str) -> Result<Self, DecodeError> {
        decode::any(text)
    }
}

/// One element of a [`Series`]: a [`Record`], or any [`Value`] where the fields are unknown.
pub trait Item: Sized + Send + 'static {
    /// The known fields, if any.
    const INFO: Option<&'static RecordInfo>;

    /// Takes the values, as [`Record::from_row`] does.
    fn from_row(row: &mut Row<'_>) -> Self;
}

impl<T: Record + Send + 'static> Item for T {
    const INFO: Option<&'static RecordInfo> = Some(<T as Record>::INFO);

    fn from_row(row: &mut Row<'_>) -> Self {
        <T as Record>::from_row(row)
    }
}

impl Item for Value {
    const INFO: Option<&'static RecordInfo> = None;

    fn from_row(row: &mut Row<'_>) -> Self {
        row.take(0)
    }
}
