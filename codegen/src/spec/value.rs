//! What both kinds of file have: params, records and their fields.

use super::Evidence;
use crate::catalogue_format::Condition::{Has, Is, Lacks};
use crate::catalogue_format::{Fault, Form, PASCAL, Rule, SNAKE, map, words};
use crate::spanned::{Spanned, Text};
use crate::time_unit::TimeFormat;

/// The Rust name that is stated for an entry.
pub(super) const IDENT: Form =
    Form::Like(SNAKE, Fault("no-rust-name", "`{}` is not a valid Rust name", "write it like `my_name`"));

/// The name of a type, which is used in Rust unchanged.
pub(super) const TYPE_NAME: Form =
    Form::Like(PASCAL, Fault("type-name", "`{}` is not the name of a Rust type", "write it like `MyType`"));

/// The error of a param with `const_value` and a key about other values.
const FIXED: Fault = Fault("fixed-param", "a param with `const_value` accepts no other value", "omit one of the two");

/// The error of a time with both keys.
pub(super) const UNIT_OR_FORMAT: Fault =
    Fault("time-format", "a timestamp counts a unit or is written in a format, not both", "keep one");

map! {
    /// The `evidence` of a shared param has to be there; a param of one endpoint may leave it to the endpoint.
    Param, PARAM, "a param" {
        /// The name in references, where two shared params have one `name`.
        may id: Option<Text>;
        /// As on the wire.
        must name: Text;
        /// The setter's name, where the one from `name` is unsuitable.
        may rust_name: Option<Text> as IDENT;
        /// What one value is: a built-in type or a name from `types`.
        must "type" ty: Text as Form::Type;
        /// The name of the setter that takes several, written comma-separated on the wire. `rust_name` names the setter of
        /// one.
        may list_setter: Option<Text> as Form::Like(
            SNAKE,
            Fault("no-rust-name", "`{}` cannot be the name of a setter", "write it like `my_names`"),
        );
        /// How that setter writes them, if not separated by commas.
        may list_as: Option<ListFormat>;
        /// The value that every request sends, since no other is of use. The param has no setter then.
        may const_value: Option<Text> as Form::Scalar;
        /// Where it is sent; default: in the query.
        may "in" location: ParamLocation;
        /// How it is known to be required. `documented` and `published` make it an argument, `reported` and `previous_version`
        /// are documented only.
        may required: Option<Evidence>;
        /// The value that the service uses if the param is omitted; several are separated by commas.
        may default: Option<Text> as Form::Scalar;
        /// The range, like `{min: 1, max: 1000}`, checked before sending where the evidence is `documented` or
        /// `published`.
        may range: Option<Spanned<Range>>;
        /// The only values that public clients were served, like `[5, 10]`; documented, never enforced.
        may allowed_values: Vec<Text> as Form::Scalar;
        /// Values that are known to work, which others may too.
        may tested_values: Vec<Text> as Form::Scalar;
        /// Values that the service is known to reject; documented, never enforced.
        may rejected_values: Vec<Text> as Form::Scalar;
        /// A value for requests in emitted programs and tests, unless it is known to fail.
        may example: Option<Text> as Form::Scalar;
        /// The evidence that only one value is accepted; documented only, as `list_setter` offers several nevertheless.
        may single_value: Option<Evidence>;
        /// As text, like `percent`; of a `timestamp`, `seconds` or `milliseconds` if that is another than the
        /// service's.
        may unit: Option<Text>;
        /// What a `timestamp` is written as, if it is text: `iso8601` or `date`.
        may format: Option<Spanned<TimeFormat>>;
        /// What it means.
        must summary: String as Form::Prose;
        /// How it is known.
        may evidence: Option<Evidence>;
        /// What else a user should know.
        may notes: String as Form::Prose;
    }
    Rule {
        never: &[Has("list_as"), Lacks("list_setter")],
        at: "list_as",
        fault: Fault("list-as", "`list_as` is for several values, but the param accepts one", "name a setter with `list_setter`"),
    },
    Rule { never: &[Has("const_value"), Has("list_setter")], at: "list_setter", fault: FIXED },
    Rule { never: &[Has("const_value"), Has("default")], at: "default", fault: FIXED },
    Rule { never: &[Has("const_value"), Has("required")], at: "required", fault: FIXED },
    Rule { never: &[Has("const_value"), Is("in", "path")], at: "in", fault: Fault("fixed-param", "a path segment with one value is not a param", "write the value in the path") }
}

impl Param {
    /// The name in references.
    pub fn id(&self) -> &Text {
        self.id.as_ref().unwrap_or(&self.name)
    }
}

words! {
    /// How several values of a param are written.
    ListFormat {
        /// Separated by commas: `a=1,2`.
        Commas = "commas",
        /// Each as a separate param: `a=1&a=2`.
        Repeated = "repeated",
        /// As a list in JSON: `a=["x","y"]`.
        Json = "json",
    }
}

words! {
    /// Where a param is sent.
    ParamLocation {
        /// After the path.
        Query = "query",
        /// As the path segment in braces.
        Path = "path",
    }
}

map! {
    /// A reference to a shared param, with overrides for one endpoint.
    Use, USE, "a `use` entry" {
        /// The shared param.
        must "use" param: Text;
        /// How it is known here.
        may evidence: Option<Evidence>;
        /// The value that the service uses here if the param is omitted; several are separated by commas.
        may default: Option<Text> as Form::Scalar;
        /// The only values that public clients were served here; documented, never enforced.
        may allowed_values: Option<Vec<Text>> as Form::Scalar;
        /// Values that are known to work here, which others may too.
        may tested_values: Option<Vec<Text>> as Form::Scalar;
        /// Values that the service is known to reject here; documented, never enforced.
        may rejected_values: Option<Vec<Text>> as Form::Scalar;
        /// What else a user should know of it here.
        may notes: Option<String> as Form::Prose;
    }
}

map! {
    /// A record lists all of its fields, the time field too.
    Record, RECORD, "a record" {
        /// The type's name, like `PriceLevel`.
        must name: Text as TYPE_NAME;
        /// The meaning of one record.
        must summary: String as Form::Prose;
        /// Every field that is known, the time field too.
        must fields: Vec<Field>;
        /// `true` if it is written as a list, with the fields in their order and without their names, like
        /// `[1700000000, "1.5"]`.
        may positional: bool;
        /// The evidence of the record, and of its fields unless they have their own.
        must evidence: Evidence;
    }
}

map! {
    /// A field is an `Option` in Rust if it is `optional`, or if its evidence is not `documented`.
    Field, FIELD, "a field" {
        /// As on the wire.
        must name: Text;
        /// The Rust name, where the one from `name` is unsuitable.
        may rust_name: Option<Text> as IDENT;
        /// The type of the value: a built-in type, `list<…>`, `map<…>` for an object whose keys are data, or a name
        /// from `types` or `records`. Within those, `number?` can be null.
        must "type" ty: Text as Form::Type;
        /// What it means.
        must summary: String as Form::Prose;
        /// As text, like `percent`, `quote currency` or `USD`; of a `timestamp`, `seconds` or `milliseconds` if that
        /// is another than the service's.
        may unit: Option<Text>;
        /// What a `timestamp` is written as, if it is text: `iso8601` or `date`.
        may format: Option<Spanned<TimeFormat>>;
        /// The values that occur, like `{min: -1, max: 1}`.
        may range: Option<Spanned<Range>>;
        /// A value that was seen, or is like those that were.
        may example: Option<Text> as Form::Scalar;
        /// `true` if it can be absent or null although it is documented.
        may optional: bool;
        /// How it is known, where that differs from its body or record.
        may evidence: Option<Evidence>;
        /// What else a user should know.
        may notes: String as Form::Prose;
    }
}

map! {
    /// Either end may be omitted.
    Range, RANGE, "a range" {
        /// The smallest value, included.
        may min: Option<Spanned<f64>>;
        /// The largest value, included.
        may max: Option<Spanned<f64>>;
    }
    Rule {
        never: &[Lacks("min"), Lacks("max")],
        at: "",
        fault: Fault("empty-range", "the range is empty", "write `min`, `max` or both"),
    }
}
