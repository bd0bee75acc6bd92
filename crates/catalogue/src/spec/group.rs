//! Declares a group file, its endpoints and their bodies.

use super::value::{PARAM, USE};
use super::{Evidence, Field, History, Pages, Param, Record, UnknownFact, Use};
use crate::catalogue_format::Condition::{Has, HasAny, HasNotOne, Is, IsNot, Lacks};
use crate::catalogue_format::{Form, Key, Shape, map, words};
use crate::catalogue_reader::{CatalogueReader, Read};
use crate::known::Known;
use crate::names::Case;
use crate::spanned::{Spanned, Text};
use crate::time_unit::{TimeFormat, TimeUnit};
use crate::yaml_parser::Node;

map! {
    /// A file other than `service.yaml`.
    Group, GROUP, "a group" {
        /// The name of the group, as users see it.
        must title: Text;
        /// One sentence for the docs.
        may summary: String as Form::Prose;
        /// Other names in the API document.
        may aliases: Vec<String>;
        /// Further facts about every endpoint of the group.
        may notes: String as Form::Prose;
        /// The base URL of the group, if it is on another host than the service.
        may base_url: Option<GroupBaseUrl>;
        /// Records that several endpoints of this group share.
        may records: Vec<Record>;
        /// All endpoints of the group, including endpoints whose path is unknown.
        must endpoints: Vec<Endpoint>;
    }
}

map! {
    /// The base URL of a group on another host. Groups with the same `name` have the same base URL.
    GroupBaseUrl, GROUP_BASE_URL, "`base_url` of a group" {
        /// The name of the setting, for example `broker`.
        must name: Text as Form::Like("^[a-z](_?[a-z0-9])*$", "base-url-name");
        /// The path at the end of the base URL, if it has one.
        may suffix: Option<Text> as Form::Path { takes_params: false };
        /// The source of these facts.
        must evidence: Evidence;
    }
}

impl GroupBaseUrl {
    /// Returns the environment variable with the base URL.
    pub fn variable(&self, env_prefix: &str) -> String {
        format!("{env_prefix}_{}_BASE_URL", self.name.to_ascii_uppercase())
    }

    /// Returns the path at the end of the base URL; empty if there is none.
    pub fn suffix(&self) -> &str {
        self.suffix.as_ref().map_or("", |suffix| suffix.as_str())
    }
}

/// The form of a weight.
const NO_WEIGHT: Form = Form::Within(1, u32::MAX, "no-weight");

map! {
    /// The weights of the requests of an endpoint by the value of a param.
    WeightBy, WEIGHT_BY, "`weight_by`" {
        /// The wire name of the param, a `count` or `integer`.
        must param: Text;
        /// The weights, in ascending order of the values.
        must steps: Vec<WeightStep>;
    }
}

map! {
    /// The weight of requests whose value of the param is at most `max`, and larger than the `max` before.
    WeightStep, WEIGHT_STEP, "a step of `weight_by`" {
        /// The largest value with this weight.
        must max: u32;
        /// The number of requests that rate limits count.
        must weight: u32 as NO_WEIGHT;
    }
}

map! {
    /// An endpoint becomes a method if its path is known.
    Endpoint, ENDPOINT, "an endpoint" {
        /// The name for users; `Anchored CVD` becomes `anchored_cvd()` and `AnchoredCvd`.
        must name: Text;
        /// The name of the method, if the name derived from `name` is unsuitable.
        may rust_name: Option<Text> as Form::Name(Case::Snake);
        /// Other names in the API document.
        may aliases: Vec<String>;
        /// The path, without the suffix of the base URL; `{symbol}` is a path param. The part after `#` is not sent; it
        /// distinguishes endpoints that have the same path.
        must path: Known<Text> as Form::Path { takes_params: true };
        /// The source of the path, or of the name if the path is unknown.
        must evidence: Evidence;
        /// One sentence for the docs.
        may summary: String as Form::Prose;
        /// Shared params, param sets, `use` entries and own params; `[]` if there are none. Omitted if the path is
        /// unknown.
        may params: Known<Vec<ParamEntry>>;
        /// The response body, or `unknown`. `{series: unknown}` is a series whose record fields are unknown.
        may body: Known<Body>;
        /// The params of a history, if they differ from those of the service. `unknown` means that it is unknown
        /// whether the usual params select a time range.
        may history: Option<Known<History>>;
        /// The way to the next page, if a response has only a part of the records.
        may pages: Option<Pages>;
        /// `true` if help and docs use this endpoint as their example. Without it, they choose an endpoint.
        may "example" is_example: bool;
        /// The number of requests that rate limits count for one request, if it is not 1.
        may weight: Option<u32> as NO_WEIGHT;
        /// The weights of requests whose value of a param is small; `weight` is that of all others.
        may weight_by: Option<WeightBy>;
        /// Further facts for users.
        may notes: String as Form::Prose;
        /// Facts that are unknown. `unit` is the unit of every number of the response that has no `unit`.
        may unknown: Vec<UnknownFact>;
        /// The reason for the deprecation, and the replacement.
        may deprecated: Option<String> as Form::Prose;
    }
    never(IsNot("path", "unknown"), Lacks("params")): "missing-key/params";
    never(IsNot("path", "unknown"), Lacks("body")): "missing-key/body";
}

/// The condition for the path of the records in a body.
const DATA_PATH: Form = Form::Like(r"^(\.|([^.*]+\.)*([^.*]+|\*)(\.[^.*]+)*)$", "dotted-path/records");

/// The condition for the path of the names of columns.
const COLUMNS_PATH: Form = Form::Like(r"^[^.*]+(\.[^.*]+)*$", "dotted-path/pages");

map! {
    /// A body has one of `series`, `object` and `type`. A series that lists its fields omits the time field of the
    /// envelope, unless it is positional. A named record lists it.
    Body, BODY, "a body" {
        /// A list of records, usually a time series: the fields of a record, the name of a record, or `unknown`.
        may series: Option<Known<Fields>>;
        /// The fields of a body that is one object, or the name of its record.
        may object: Option<Known<Fields>>;
        /// The type of the entire body, for example `map<number>` for an object with arbitrary keys.
        may "type" ty: Option<Text> as Form::Type;
        /// The format of the body, if it is not JSON. The body is then the list of records. In `csv`, the first line
        /// has the names of the fields, after up to 20 lines of a title, unless the series is positional; an empty
        /// value is null.
        may "as" sent_as: Option<Spanned<BodyFormat>>;
        /// The JSON path of the records, if it differs from `data` of the envelope; `.` if the records are the body
        /// itself. A number is an index. One key can be `*`: with `labels`, each item or member; otherwise the only
        /// member that is a list (for columns, an object).
        may data: Option<Text> as DATA_PATH;
        /// The labels of records, if a response has several groups of records. Each label becomes a field of the
        /// records; its value is next to the records of the group, or the key of the group. An object in place of a
        /// list is a group of one record, and a body with one group may omit the level of `*`.
        may labels: Vec<Field>;
        /// `true` if the list of records can be missing or null in a response without records.
        may optional: Option<Spanned<bool>>;
        /// `true` if a record is a list of values in the order of these fields, as is common for candles.
        may positional: Option<Spanned<bool>>;
        /// `true` if the records are columns: an object with a list for each field.
        may columns: Option<Spanned<bool>>;
        /// The JSON path of the names of the values, if records are lists of values and another list has the names:
        /// texts, or objects with a `name`. With `labels`, the path begins in the group.
        may columns_at: Option<Text> as COLUMNS_PATH;
        /// The type of all members that are not listed, for example if a param of the request chooses them. They become
        /// the field `others`, a map by name. A member of another type is an unknown field.
        may others: Option<Text> as Form::TypeInMap;
        /// The time field of a series, if it differs from that of the envelope; `none` for a list that is not a time
        /// series.
        may time: Option<Text>;
        /// Two fields that together are the time of a record: a year, and a period in it such as `M01`, `Q1`, `S1`,
        /// `W07` or `A01`. The records get the field that `time` names. A record with another period has no time.
        may time_of: Vec<Text>;
        /// The fields that identify a record in addition to its time and its labels, for example `[symbol, strike]`.
        /// Omitted if there is one record for each time.
        may key: Vec<Text>;
        /// The unit of the time field of the envelope, if it differs from that of the service.
        may unit: Option<Spanned<TimeUnit>>;
        /// The format of the time field of the envelope, if it is text.
        may format: Option<Spanned<TimeFormat>>;
        /// The source of the body and its fields, if it differs from the source of the path.
        may evidence: Option<Evidence>;
    }
    never(HasNotOne(&["series", "object", "type"])): "body-kind/one";
    never(Has("as"), Lacks("series")) at "as": "body-as/series";
    never(Has("as"), HasAny(&["labels", "optional", "columns", "columns_at"])) at "as": "body-as/list";
    never(Has("as"), IsNot("data", ".")) at "data": "body-as/data";
    never(Has("data"), Lacks("series")) at "data": "body-data";
    never(Has("labels"), Lacks("series")) at "labels": "body-labels/series";
    never(Has("labels"), Is("series", "unknown")) at "labels": "body-labels/unknown";
    never(Has("labels"), Lacks("data")) at "labels": "body-labels/data";
    never(Has("optional"), Lacks("series")) at "optional": "body-data/optional";
    never(HasAny(&["time", "time_of", "unit", "format"]), Lacks("series")): "body-time/series";
    never(Has("time_of"), Lacks("time")) at "time_of": "body-time/of";
    never(Has("key"), Lacks("series")) at "key": "body-key/series";
    never(Is("time", "none"), HasAny(&["unit", "format"])): "body-time/none";
    never(Has("unit"), Has("format")) at "format": "time-format/both";
    never(Is("series", "unknown"), IsNot("time", "none")) at "time": "body-time/unknown";
    never(Is("series", "unknown"), HasAny(&["unit", "format"])): "body-time/unit";
    never(Has("type"), Has("positional")) at "positional": "body-positional/type";
    never(Is("series", "unknown"), Has("positional")) at "positional": "body-positional/unknown";
    never(Has("columns"), Lacks("series")) at "columns": "body-columns/series";
    never(Is("series", "unknown"), Has("columns")) at "columns": "body-columns/unknown";
    never(Has("positional"), Has("columns")) at "columns": "body-columns/positional";
    never(Has("columns_at"), Lacks("series")) at "columns_at": "columns-at/series";
    never(Is("series", "unknown"), Has("columns_at")) at "columns_at": "columns-at/unknown";
    never(Has("columns_at"), HasAny(&["positional", "columns"])) at "columns_at": "columns-at/layout";
    never(Has("others"), HasAny(&["type", "positional"])) at "others": "others/names";
    never(Is("series", "unknown"), Has("others")) at "others": "others/unknown";
    never(Is("object", "unknown")) at "object": "body-kind/object";
}

impl Body {
    /// Returns the path of the records if it differs from that of the envelope. A body in another format than JSON is the
    /// list.
    pub fn data_path(&self) -> Option<&str> {
        match (&self.sent_as, &self.data) {
            (Some(_), _) => Some("."),
            (None, Some(data)) => Some(data),
            (None, None) => None,
        }
    }
}

words! {
    /// The format of a body that is not JSON.
    BodyFormat {
        /// Values that are separated by commas (RFC 4180), one record in each row.
        Csv = "csv",
        /// As `csv`, but with semicolons.
        CsvSemicolons = "csv_semicolons",
        /// As `csv`, but with vertical bars.
        CsvPipes = "csv_pipes",
        /// As `csv`, but with tabs.
        Tsv = "tsv",
        /// A JSON value in each line.
        Ndjson = "ndjson",
    }
}

/// The fields of a record as a list, or the name of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Fields {
    Record(Text),
    Inline(Vec<Field>),
}

/// One entry of an endpoint's `params`.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamEntry {
    /// The name of a shared param or of a param set.
    Name(Text),
    /// A shared param with overrides.
    Use(Use),
    /// A param that only this endpoint has.
    Own(Box<Param>),
}

impl Read for Fields {
    const SHAPE: Shape = Shape::Either(&[Shape::Text, Vec::<Field>::SHAPE]);

    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        match node.text() {
            Some(_) => Text::read(node, key, reader).map(Self::Record),
            None => Vec::read(node, key, reader).map(Self::Inline),
        }
    }

    fn write(&self, key: &Key) -> Node {
        match self {
            Self::Record(name) => name.write(key),
            Self::Inline(fields) => fields.write(key),
        }
    }
}

impl Read for ParamEntry {
    const SHAPE: Shape = Shape::Either(&[Shape::Text, Shape::UseOr(&USE, &PARAM)]);

    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        if !reader.has_shape(node, &Self::SHAPE) {
            return None;
        }
        match (node.text(), node.get("use")) {
            (Some(_), _) => Text::read(node, key, reader).map(Self::Name),
            (None, Some(_)) => Use::read(node, key, reader).map(Self::Use),
            (None, None) => Param::read(node, key, reader).map(|param| Self::Own(Box::new(param))),
        }
    }

    fn write(&self, key: &Key) -> Node {
        match self {
            Self::Name(name) => name.write(key),
            Self::Use(entry) => entry.written(),
            Self::Own(param) => param.written(),
        }
    }
}
