//! What both kinds of file have: params, records and their fields.

use serde::Deserialize;

use super::Evidence;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Param {
    id: Option<String>,
    pub name: String,
    pub ident: Option<String>,
    #[serde(rename = "type")]
    pub ty: String,
    pub list: Option<String>,
    #[serde(rename = "in", default)]
    pub location: ParamLocation,
    pub required: Option<Evidence>,
    pub default: Option<String>,
    pub range: Option<Range>,
    #[serde(default)]
    pub served: Vec<String>,
    #[serde(default)]
    pub unit: String,
    pub summary: String,
    pub evidence: Option<Evidence>,
    #[serde(default)]
    pub notes: String,
}

impl Param {
    /// What entries refer to it by.
    pub fn id(&self) -> &str {
        self.id.as_ref().unwrap_or(&self.name)
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ParamLocation {
    #[default]
    Query,
    Path,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Use {
    #[serde(rename = "use")]
    pub param: String,
    pub required: Option<Evidence>,
    pub evidence: Option<Evidence>,
    pub notes: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub name: String,
    pub summary: String,
    pub fields: Vec<Field>,
    pub evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    pub name: String,
    pub ident: Option<String>,
    #[serde(rename = "type")]
    pub ty: String,
    pub summary: String,
    #[serde(default)]
    pub unit: String,
    pub range: Option<Range>,
    #[serde(default)]
    pub optional: bool,
    pub evidence: Option<Evidence>,
    #[serde(default)]
    pub notes: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    pub min: Option<f64>,
    pub max: Option<f64>,
}
