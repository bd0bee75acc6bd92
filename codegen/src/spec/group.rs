//! A group file: its endpoints, and what they may leave unknown.

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_yaml::Value as Yaml;

use super::{Evidence, Field, Param, Record, Use};
use crate::time_unit::TimeUnit;

/// Any other file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    #[serde(default)]
    pub(crate) records: Vec<Record>,
    pub(crate) endpoints: Vec<Endpoint>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Endpoint {
    pub(crate) name: String,
    pub(crate) ident: Option<String>,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) path: Known<String>,
    pub(crate) evidence: Evidence,
    pub(crate) summary: String,
    pub(crate) params: Known<Vec<ParamEntry>>,
    pub(crate) body: Known<Body>,
    #[serde(default)]
    pub(crate) notes: String,
    pub(crate) deprecated: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Body {
    pub(crate) series: Option<Known<Fields>>,
    pub(crate) object: Option<Known<Fields>>,
    pub(crate) time: Option<String>,
    pub(crate) unit: Option<TimeUnit>,
    pub(crate) evidence: Option<Evidence>,
}

/// Something, or `unknown`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Known<T> {
    #[default]
    Unknown,
    Known(T),
}

impl<T> Known<T> {
    pub(crate) fn known(&self) -> Option<&T> {
        match self {
            Self::Unknown => None,
            Self::Known(value) => Some(value),
        }
    }
}

/// The fields of a record, or the name of a record that has them.
#[derive(Debug)]
pub(crate) enum Fields {
    Record(String),
    Inline(Vec<Field>),
}

/// One entry of an endpoint's `params`.
#[derive(Debug)]
pub(crate) enum ParamEntry {
    /// The name of a shared param or of a param set.
    Name(String),
    /// A shared param with something said anew.
    Use(Use),
    /// A param of this endpoint alone.
    Own(Box<Param>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Known<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Yaml::deserialize(deserializer)? {
            Yaml::String(text) if text == "unknown" => Ok(Self::Unknown),
            value => T::deserialize(value).map(Self::Known).map_err(D::Error::custom),
        }
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Yaml::deserialize(deserializer)? {
            Yaml::String(name) => Ok(Self::Record(name)),
            value => Vec::deserialize(value).map(Self::Inline).map_err(D::Error::custom),
        }
    }
}

impl<'de> Deserialize<'de> for ParamEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entry = match Yaml::deserialize(deserializer)? {
            Yaml::String(name) => Ok(Self::Name(name)),
            value if value.get("use").is_some() => Use::deserialize(value).map(Self::Use),
            value => Param::deserialize(value).map(|param| Self::Own(Box::new(param))),
        };
        entry.map_err(D::Error::custom)
    }
}
