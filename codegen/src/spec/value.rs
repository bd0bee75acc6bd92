//! What both kinds of file have: params, records and their fields.

use serde::Deserialize;

use super::Evidence;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Param {
    id: Option<String>,
    pub(crate) name: String,
    pub(crate) ident: Option<String>,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) list: Option<String>,
    #[serde(rename = "in", default)]
    pub(crate) location: ParamLocation,
    pub(crate) required: Option<Evidence>,
    pub(crate) default: Option<String>,
    pub(crate) range: Option<Range>,
    #[serde(default)]
    pub(crate) served: Vec<String>,
    #[serde(default)]
    pub(crate) works: Vec<String>,
    #[serde(default)]
    pub(crate) refused: Vec<String>,
    pub(crate) example: Option<String>,
    pub(crate) single: Option<Evidence>,
    #[serde(default)]
    pub(crate) unit: String,
    pub(crate) summary: String,
    pub(crate) evidence: Option<Evidence>,
    #[serde(default)]
    pub(crate) notes: String,
}

impl Param {
    /// What entries refer to it by.
    pub(crate) fn id(&self) -> &str {
        self.id.as_ref().unwrap_or(&self.name)
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ParamLocation {
    #[default]
    Query,
    Path,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Use {
    #[serde(rename = "use")]
    pub(crate) param: String,
    pub(crate) required: Option<Evidence>,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) default: Option<String>,
    pub(crate) served: Option<Vec<String>>,
    pub(crate) works: Option<Vec<String>>,
    pub(crate) refused: Option<Vec<String>>,
    pub(crate) example: Option<String>,
    pub(crate) notes: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) ident: Option<String>,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) unit: String,
    pub(crate) range: Option<Range>,
    pub(crate) example: Option<String>,
    #[serde(default)]
    pub(crate) optional: bool,
    pub(crate) evidence: Option<Evidence>,
    #[serde(default)]
    pub(crate) notes: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
}
