//! Declares params, records and fields, which can be in `service.yaml` and in group files, and the named types of their
//! values.

use super::Evidence;
use crate::catalogue_format::Condition::{Has, Is, Lacks, Lists, ListsNothing};
use crate::catalogue_format::{Form, Key, Shape, map, words};
use crate::catalogue_reader::{CatalogueReader, Read};
use crate::duration;
use crate::names::Case;
use crate::spanned::{Spanned, Text};
use crate::time_unit::TimeFormat;
use crate::yaml_parser::Node;

map! {
    /// `evidence` is required for a shared param. A param of one endpoint has the evidence of the endpoint, unless it
    /// sets its own.
    Param, PARAM, "a param" {
        /// The name by which endpoints refer to the param, if two shared params have the same `name`.
        may id: Option<Text>;
        /// The name on the wire.
        must name: Text;
        /// Earlier names on the wire, the oldest first. Requests send `name`. The earlier names still set the param in the
        /// untyped client, on the command line and in job files, and columns of stored tables keep the oldest name.
        may also_named: Vec<Text>;
        /// The name of the setter, if the name derived from `name` is unsuitable.
        may rust_name: Option<Text> as Form::Name(Case::Snake);
        /// The type of one value: a built-in type or a name from `types`.
        must "type" ty: Text as Form::Type;
        /// The name of the setter for several values, next to the setter for one value. They are separated by commas on
        /// the wire, unless `list_as` sets another format.
        may list_setter: Option<Text> as Form::Name(Case::Snake);
        /// The format of several values, if they are not separated by commas.
        may list_as: ListFormat;
        /// The value that every request sends, for a param that has only one useful value. Such a param has no setter.
        may const_value: Option<Text> as Form::Scalar;
        /// The part of the URL that contains the param; default: `query`.
        may "in" location: ParamLocation;
        /// The source of the fact that the param is required. `documented` and `published` make the param an argument;
        /// `reported` and `previous_version` only add the fact to the docs.
        may required: Option<Evidence>;
        /// The value that the service uses if the param is omitted; several values are separated by commas. A param that
        /// is required has no default.
        may default: Option<Text> as Form::Scalar;
        /// The range of values, for example `{min: 1, max: 1000}`. If the evidence is `documented` or `published`, the
        /// client checks the range before it sends a request.
        may range: Option<Spanned<Range>>;
        /// The only values that worked for public clients, for example `[5, 10]`. They are in the docs, but not
        /// enforced.
        may allowed_values: Vec<Text> as Form::Scalar;
        /// Values that are known to work. Other values may work too.
        may tested_values: Vec<Text> as Form::Scalar;
        /// Values that the service is known to reject. They are added to the docs, but not enforced.
        may rejected_values: Vec<Text> as Form::Scalar;
        /// A value for requests in emitted programs and tests.
        may example: Option<Text> as Form::Scalar;
        /// `true` if the examples in docs and help set this optional param, because a request without it returns other
        /// data than users expect.
        may in_examples: bool;
        /// The source of the fact that only one value is accepted. The fact is added to the docs. With `documented` or
        /// `published`, `list_setter` is not allowed.
        may single_value: Option<Evidence>;
        /// The unit as text, for example `percent`. For a `timestamp`, the unit of time, as for a field.
        may unit: Option<Text>;
        /// The format of a `timestamp` that is text.
        may format: Option<Spanned<TimeFormat>>;
        /// A description for users.
        may summary: String as Form::Prose;
        /// The source of these facts.
        may evidence: Option<Evidence>;
        /// Further facts for users.
        may notes: String as Form::Prose;
        /// Facts that are unknown. `unit` is the unit of the values.
        may unknown: Vec<UnknownFact>;
    }
    never(Has("list_as"), Lacks("list_setter")) at "list_as": "list-as";
    never(Is("single_value", "documented"), Has("list_setter")) at "list_setter": "single-list";
    never(Is("single_value", "published"), Has("list_setter")) at "list_setter": "single-list";
    never(Has("const_value"), Has("list_setter")) at "list_setter": "const-param/key";
    never(Has("const_value"), Has("default")) at "default": "const-param/key";
    never(Has("const_value"), Has("required")) at "required": "const-param/key";
    never(Has("const_value"), Has("in_examples")) at "in_examples": "const-param/key";
    never(Has("const_value"), Is("in", "path")) at "in": "const-param/path";
    never(Has("in_examples"), Has("required")) at "in_examples": "in-examples";
    never(Has("in_examples"), Is("in", "path")) at "in_examples": "in-examples";
    never(Has("unit"), Has("format")) at "format": "time-format/both";
    never(Has("unit"), Lists("unknown", "unit")) at "unknown": "unknown-unit";
}

pub(crate) fn names_of_fields(fields: &[Field]) -> impl Iterator<Item = &str> {
    fields.iter().map(|field| field.name.as_str())
}

impl Param {
    /// Returns the name for references: `id`, or `name` if there is no `id`.
    pub fn id(&self) -> &Text {
        self.id.as_ref().unwrap_or(&self.name)
    }

    /// Returns the values that are known to work: the only ones if they are known, otherwise those that were tested.
    pub fn known_values(&self) -> &[Text] {
        if self.allowed_values.is_empty() { &self.tested_values } else { &self.allowed_values }
    }
}

words! {
    /// The format of several values of a param.
    ListFormat {
        /// Separated by commas: `a=1,2`.
        Commas = "commas",
        /// Each as a separate param: `a=1&a=2`.
        Repeated = "repeated",
        /// As a list in JSON: `a=["x","y"]`.
        Json = "json",
        /// Separated by spaces: `a=1%202`.
        Spaces = "spaces",
        /// Separated by vertical bars: `a=1|2`.
        Pipes = "pipes",
        /// Separated by colons: `a=1:2`.
        Colons = "colons",
        /// Separated by semicolons: `a=1;2`.
        Semicolons = "semicolons",
    }
}

words! {
    /// The part of the URL that contains a param.
    ParamLocation {
        /// The query.
        Query = "query",
        /// The path, which contains the name of the param in braces.
        Path = "path",
    }
}

map! {
    /// A reference to a shared param, with overrides for one endpoint.
    Use, USE, "a `use` entry" {
        /// The name of the shared param.
        must "use" param: Text;
        /// The source of the facts about the param at this endpoint.
        may evidence: Option<Evidence>;
        /// The `default` of the param at this endpoint.
        may default: Option<Text> as Form::Scalar;
        /// The `allowed_values` of the param at this endpoint.
        may allowed_values: Option<Vec<Text>> as Form::Scalar;
        /// The `tested_values` of the param at this endpoint.
        may tested_values: Option<Vec<Text>> as Form::Scalar;
        /// The `rejected_values` of the param at this endpoint.
        may rejected_values: Option<Vec<Text>> as Form::Scalar;
        /// Further facts about the param at this endpoint.
        may notes: Option<String> as Form::Prose;
        /// Facts that are unknown about the param at this endpoint.
        may unknown: Option<Vec<UnknownFact>>;
    }
}

map! {
    /// A record lists all of its fields, including the time field.
    Record, RECORD, "a record" {
        /// The name of the type, for example `PriceLevel`.
        must name: Text as Form::Name(Case::Pascal);
        /// A description of one record.
        may summary: String as Form::Prose;
        /// All known fields, including the time field.
        must fields: Vec<Field>;
        /// `true` if a record is a list of values in the order of the fields, without names, for example `[1700000000,
        /// "1.5"]`.
        may positional: bool;
        /// `true` if a series of this record is columns, as explained for the `columns` of a body.
        may columns: bool;
        /// The type of all members that are not listed, as explained for `others` of a body.
        may others: Option<Text> as Form::TypeInMap;
        /// The source of the record, and of fields without `evidence`.
        must evidence: Evidence;
    }
    never(Has("positional"), Has("columns")) at "columns": "body-columns/positional";
    never(Has("positional"), Has("others")) at "others": "others/names";
}

map! {
    /// A field is an `Option` in Rust if it is `optional`, or if its evidence is not `documented`. A missing list or
    /// map becomes an empty one.
    Field, FIELD, "a field" {
        /// The name on the wire.
        must name: Text;
        /// Other names under which the service sends the value, for example after a rename. Programs, JSON and columns of
        /// stored tables keep `name`.
        may also_named: Vec<Text>;
        /// The Rust name, if the name derived from `name` is unsuitable.
        may rust_name: Option<Text> as Form::Name(Case::Snake);
        /// The type of the value: a built-in type, `list<…>`, `map<…>`, or a name from `types` or `records`.
        must "type" ty: Text as Form::Type;
        /// A description for users.
        may summary: String as Form::Prose;
        /// The unit as text, for example `percent` or `quote currency`. For a `timestamp`, the unit of time, if it
        /// differs from that of the service: `seconds`, `milliseconds`, `microseconds` or `nanoseconds`.
        may unit: Option<Text>;
        /// The format of a `timestamp` that is text.
        may format: Option<Spanned<TimeFormat>>;
        /// The time zone of a `timestamp` in the format `iso8601` without an offset, for example `America/New_York`;
        /// default: UTC.
        may zone: Option<Text>;
        /// The range of the values, for example `{min: -1, max: 1}`.
        may range: Option<Spanned<Range>>;
        /// A typical value.
        may example: Option<Text> as Form::Scalar;
        /// `true` if the number or timestamp is in quotes on the wire, as in `"0.10"`. The client keeps its digits.
        may quoted: Option<Spanned<bool>>;
        /// Texts that stand for a missing value, for example `['.', '-']`. The field is then null.
        may nulls: Vec<Text> as Form::Scalar;
        /// For a label: the JSON path of its value in the group, or `'*'` for the key of the group; default: the name.
        may at: Option<Text> as LABEL_PATH;
        /// `true` if the field can be missing or null although it is documented.
        may optional: bool;
        /// The source of the field, if it differs from the source of its body or record.
        may evidence: Option<Evidence>;
        /// Further facts for users.
        may notes: String as Form::Prose;
        /// Facts that are unknown. `unit` is the unit of the values.
        may unknown: Vec<UnknownFact>;
    }
    never(Has("unit"), Has("format")) at "format": "time-format/both";
    never(Has("unit"), Lists("unknown", "unit")) at "unknown": "unknown-unit";
}

/// The condition for the path of a label.
const LABEL_PATH: Form = Form::Like(r"^(\*|[^.]+(\.[^.]+)*)$", "dotted-path/json");

/// A fact about an endpoint, a param or a field that is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownFact {
    /// The word `unit`.
    Unit,
    /// Another fact, as text that can follow "Unknown:".
    Other(String),
}

impl UnknownFact {
    /// Returns the fact as text.
    pub fn text(&self) -> &str {
        match self {
            Self::Unit => "the unit",
            Self::Other(text) => text,
        }
    }
}

impl Read for UnknownFact {
    const SHAPE: Shape = Shape::Either(&[Shape::Word(&[("unit", " The unit.")]), Shape::Text]);

    fn read(node: &Node, key: &Key, reader: &mut CatalogueReader) -> Option<Self> {
        if node.text() == Some("unit") {
            return Some(Self::Unit);
        }
        String::read(node, key, reader).map(Self::Other)
    }

    fn write(&self, key: &Key) -> Node {
        match self {
            Self::Unit => "unit".to_owned().write(key),
            Self::Other(text) => text.write(key),
        }
    }
}

map! {
    /// A range of numbers, with a minimum, a maximum or both.
    Range, RANGE, "a range" {
        /// The minimum, inclusive.
        may min: Option<Spanned<f64>>;
        /// The maximum, inclusive.
        may max: Option<Spanned<f64>>;
    }
    never(Lacks("min"), Lacks("max")): "empty-range";
}

map! {
    /// A type for params and fields whose values are strings.
    Type, TYPE, "a type" {
        /// The name of the type, for example `Timeframe`.
        must name: Text as Form::Name(Case::Pascal);
        /// `enum` if all values are listed, `identifier` if further values may exist.
        must kind: TypeKind;
        /// A description of the values.
        may summary: String as Form::Prose;
        /// The source of the type, and of values without `evidence`.
        must evidence: Evidence;
        /// The known values.
        may values: Vec<Value>;
        /// The names of the attributes of the values, for example `venue`. Each attribute becomes a method. Values list
        /// their `attributes` in this order.
        may attributes: Vec<Text> as Form::Name(Case::Snake);
    }
    never(Is("kind", "enum"), ListsNothing("values")): "no-values";
}

words! {
    /// The kind of a type: all values are listed, or further values may exist.
    TypeKind {
        /// All values are listed. If the service adds a value, the client keeps it as text.
        Enum = "enum",
        /// Further values may exist. The known values become constants.
        Identifier = "identifier",
    }
}

/// The form of a length of time.
pub(super) const DURATION: Form = Form::Like(duration::PATTERN, "duration");

/// The form of the step between two records.
pub(super) const STEP: Form = Form::Like(duration::STEP_PATTERN, "step");

map! {
    /// A known value of a type. It becomes a variant if the type is an enum, and a constant if the type is an
    /// identifier.
    Value, VALUE, "a value" {
        /// The value on the wire.
        must value: Text as Form::Like(r"^[^,\t\r\n]*$", "wrong-value/comma");
        /// The name of the variant or constant, if the name derived from `value` is unsuitable.
        may rust_name: Option<Text>;
        /// A description for users.
        may summary: String as Form::Prose;
        /// The interval that the value denotes: a length such as `90s`, `5m`, `1h`, `1d` or `1w`, or a step of the
        /// calendar: `1mo`, `1q` (quarter), `1y` or `1bd` (Monday to Friday). The method `duration` of the type returns
        /// lengths only.
        may duration: Option<Text> as STEP;
        /// The attributes of the value, in the order of the type's `attributes`. The last attributes may be omitted.
        may attributes: Vec<Text>;
        /// The source of the value, if it differs from the source of its type.
        may evidence: Option<Evidence>;
    }
}
